"""The uniform block every pass shares, its GLSL, and loading of programs that include it.

`FRAME_DTYPE` is the only definition of the block: `frame.glsl` (block and constants) is generated from it.
Camera-relative metres throughout: the camera is subtracted here, in float64 or integers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from game.core.coords import APRON, MAX_LEVEL
from game.core.units import TILE_PERIOD_M, TIME_PERIOD_S
from game.gl.api import GL
from game.gl.buffer import Buffer
from game.gl.context import GLContext
from game.gl.preprocess import ShaderSource, constants_glsl, load, std140_block
from game.gl.program import Program
from game.kernels.scattering import MIE_ASYMMETRY, MIE_EXTINCTION, MIE_KM, RAYLEIGH
from game.render.atmosphere import Atmosphere, atmosphere
from game.render.frame import CameraView, FrameView
from game.render.materials import MATERIAL_CONSTANTS, relief_glsl
from game.render.mountain_shade import SHADE_UNIT
from game.render.noise_tile import MICRO_CELLS, MICRO_SLOPE
from game.render.scattering import SKY_SIDES, SKY_UPS
from game.render.weather_light import overcast_of, under_clouds
from game.streaming.bed import BED_LEVELS, BED_SIDE
from game.streaming.mountain_shade import SHADE_SIDE, SHADE_SPACING_M
from game.world.waves import WAVES, chop, runup_m, surface_offset_m, wave_rows

FRAME_BINDING = 0

CLOUD_PERIOD_M = 24576
"""Size of the tile of clouds. A tile the eye can hold repeats visibly; this one is longer than the clear view."""

NEAR_M = 0.15
"""Near plane of the near band."""

CLEAR_1_M = tuple(1e-3 * (part + MIE_EXTINCTION) for part in RAYLEIGH)
"""Extinction of clear air at height 0, per metre: half of the green is gone after 40 km."""

HAZY_POWER = 0.7
"""Hazier air has more aerosol: molecules grow by this power of what green loses, aerosol makes up the rest."""

RAIN_VEIL_1_M = 2.4e-6
"""Extinction of rain, per metre and mm/h: a heavy shower hides what is ten kilometres off."""

HAZE_SCALE_M = 1000.0 * MIE_KM
"""Height over which the haze thins by e."""

SHADE_FROM_M, SHADE_FULL_M = 3.0, 40.0
"""How deep in a mountain's shadow the light begins to go, and is gone."""

SKY_UNIT = 15
"""Texture unit of the sky's table, in every program that asks for the colour of sky or haze."""

_FIELDS: list[tuple[str, str, tuple[int, ...]]] = [
    ("view_projection", "<f4", (4, 4)),  # near band: trees, rider, brush ring use this one
    ("view_projection_far", "<f4", (4, 4)),
    ("ray_forward", "<f4", (4,)),  # xyz; a pixel's ray is forward + ndc.x·right + ndc.y·up, forward depth 1
    ("ray_right", "<f4", (4,)),  # xyz scaled by the lens
    ("ray_up", "<f4", (4,)),
    ("camera", "<f4", (4,)),  # fraction x, height above zero, fraction z; simulated time modulo TIME_PERIOD_S
    ("anchor", "<i4", (4,)),  # anchor x and z modulo TILE_PERIOD_M, coarsest level, unused
    ("bands", "<f4", (4,)),  # near and far plane of the near band, then of the far band
    ("viewport", "<f4", (4,)),  # width, height, 1/width, 1/height
    ("sun_direction", "<f4", (4,)),  # w: 1 by day, 0 at night
    ("light_direction", "<f4", (4,)),
    ("light_colour", "<f4", (4,)),
    ("sky_light", "<f4", (4,)),
    ("ground_light", "<f4", (4,)),
    ("glow", "<f4", (4,)),
    ("disc", "<f4", (4,)),
    ("haze", "<f4", (4,)),  # extinction per metre r, g, b at height 0; w: view distance
    (
        "sea",
        "<f4",
        (4,),
    ),  # level − camera height, level, water over the camera or 0, earth's drop per m²
    ("waters", "<f4", (4,)),  # significant wave height, run-up, chop, height below which nothing grows
    (
        "season",
        "<f4",
        (4,),
    ),  # degrees warmer now, humidity added, degrees warmer all year, snow line of trees
    ("leaves", "<f4", (4,)),  # autumn, fallen, spring, each 0…1; humidity added all year
    ("forest", "<f4", (4,)),  # temperatures, then humidities, between which forests go from nothing to all
    (
        "waves",
        "<f4",
        (WAVES, 4),
    ),  # periods along x and z of TILE_PERIOD_M, periods in TIME_PERIOD_S, amplitude
    (
        "bed",
        "<f4",
        (len(BED_LEVELS), 4),
    ),  # first sample's x and z from the camera, 1 / spacing, 1 where it is known
    ("shade", "<f4", (4,)),  # first sample's x and z from the camera, 1 / spacing, share of the new shadows
    ("cloud", "<f4", (4,)),  # tile offset x and z (0…1), height above the camera; valley haze at the camera
    ("levels", "<f4", (MAX_LEVEL + 1, 4)),  # range r, (1 − m)·r, m·r, 1 when the level morphs
    (
        "micro",
        "<f4",
        (4,),
    ),  # turn of the noise tile (whole number), slope per unit of it, fades at (m), unused
    ("altitude", "<f4", ()),  # camera above ground, for the morph distance
    ("exposure", "<f4", ()),
    ("overcast", "<f4", ()),  # how far rain clouds close the sky, 0…1
    ("_padding", "<f4", ()),
]

FRAME_DTYPE = np.dtype(_FIELDS)
"""One frame's constants, std140."""

FRAME_CONSTANTS: dict[str, int | float | tuple[float, ...]] = {
    "APRON": APRON,
    "TILE_PERIOD_M": float(TILE_PERIOD_M),
    "CLOUD_PERIOD_M": float(CLOUD_PERIOD_M),
    "TIME_PERIOD_S": TIME_PERIOD_S,
    "HAZE_SCALE_M": HAZE_SCALE_M,
    "SKY_UPS": float(SKY_UPS),
    "SKY_SIDES": float(SKY_SIDES),
    "MIE_ASYMMETRY": MIE_ASYMMETRY,
    "SHADE_SIDE": float(SHADE_SIDE),
    "SHADE_FROM_M": SHADE_FROM_M,
    "SHADE_FULL_M": SHADE_FULL_M,
    "WAVES": WAVES,
    "BED_MAPS": len(BED_LEVELS),
    "BED_SIDE": float(BED_SIDE),
    **MATERIAL_CONSTANTS,
}


def generated_includes() -> dict[str, str]:
    """Includes that exist only here: `frame.glsl` with the constants and the uniform block."""
    return {
        "frame.glsl": constants_glsl(FRAME_CONSTANTS) + relief_glsl() + std140_block("Frame", FRAME_DTYPE)
    }


def load_program(
    gl: GLContext,
    name: str,
    defines: Mapping[str, int | float] | None = None,
    samplers: Mapping[str, int] | None = None,
    vertex_name: str | None = None,
) -> Program:
    """Program of shaders/`name`.vert and .frag, with `#include "frame.glsl"` there and its block bound.

    `vertex_name` names another vertex stage ("fullscreen"). Raises as `gl.program.Program` does.
    """
    made = generated_includes()

    def read() -> tuple[ShaderSource, ShaderSource]:
        return load(f"{vertex_name or name}.vert", made, defines), load(f"{name}.frag", made, defines)

    vertex, fragment = read()
    uses_frame = any("generated/frame.glsl" in source.files for source in (vertex, fragment))
    blocks = {"Frame": FRAME_BINDING} if uses_frame else {}
    if any("include/atmosphere.glsl" in source.files for source in (vertex, fragment)):
        samplers = {**(samplers or {}), "sky_table": SKY_UNIT}
    if any("include/shade.glsl" in source.files for source in (vertex, fragment)):
        samplers = {**(samplers or {}), "shade_tops": SHADE_UNIT}
    return Program(gl, vertex, fragment, blocks, samplers, read)


def basis(yaw_rad: float, pitch_rad: float, roll_rad: float = 0.0) -> NDArray[np.float64]:
    """Rows right, up, forward of a camera; yaw 0 looks north (−z), clockwise.

    Pitch up and roll clockwise are positive.
    """
    sin_y, cos_y = math.sin(yaw_rad), math.cos(yaw_rad)
    sin_p, cos_p = math.sin(pitch_rad), math.cos(pitch_rad)
    right = (cos_y, 0.0, sin_y)
    up = (-sin_y * sin_p, cos_p, cos_y * sin_p)
    forward = (sin_y * cos_p, sin_p, -cos_y * cos_p)
    rows = np.array([right, up, forward])
    if roll_rad != 0.0:
        cos_r, sin_r = math.cos(roll_rad), math.sin(roll_rad)
        rows[:2] = rows[0] * cos_r - rows[1] * sin_r, rows[0] * sin_r + rows[1] * cos_r
    return rows


def view_projection(camera: CameraView, near_m: float, far_m: float) -> NDArray[np.float32]:
    """[4, 4] float32 matrix from camera-relative metres to clip space, to multiply column vectors.

    Rows x, y and w do not depend on `near_m` and `far_m`: the two depth bands rasterise alike.
    """
    right, up, forward = basis(camera.yaw_rad, camera.pitch_rad, camera.roll_rad)
    scale = 1.0 / math.tan(0.5 * camera.fov_y_rad)
    matrix = np.zeros((4, 4))
    matrix[0, :3] = right * (scale / camera.aspect)
    matrix[1, :3] = up * scale
    matrix[2, :3] = forward * ((far_m + near_m) / (far_m - near_m))
    matrix[2, 3] = -2.0 * far_m * near_m / (far_m - near_m)
    matrix[3, :3] = forward
    return matrix.astype(np.float32)


def micro_row(wavelength_m: float, amplitude_m: float) -> tuple[float, float, float]:
    """Turn, slope and reach of a recipe's `[micro]`: bumps of `wavelength_m`, `amplitude_m` high, that only shade.

    The turn is whole, so that the bumps repeat with the other textures; they go before they are smaller than pixels.
    """
    if amplitude_m <= 0.0:
        return 1.0, 0.0, 1.0
    turn = max(1, round(TILE_PERIOD_M / (MICRO_CELLS * wavelength_m)))
    return float(turn), MICRO_SLOPE * amplitude_m / wavelength_m, 150.0 * wavelength_m


def _cloud_offset(anchor_m: int, moved_m: float) -> float:
    """Place in the tile of clouds, 0…1; the same bits one period further on, whatever the sign."""
    return (anchor_m % CLOUD_PERIOD_M + moved_m) % CLOUD_PERIOD_M / CLOUD_PERIOD_M


class FrameUniforms:
    """The frame's constants: filled from a `FrameView`, uploaded once a frame, bound at `FRAME_BINDING`.

    The passes may read `data`, `near_m` and so on; only the renderer calls `update`.
    """

    def __init__(self, gl: GLContext) -> None:
        self.data = np.zeros(1, FRAME_DTYPE)
        self.buffer = Buffer(gl, FRAME_DTYPE.itemsize, GL.GL_UNIFORM_BUFFER, dynamic=True)
        self.atmosphere: Atmosphere = atmosphere(12.0)
        self._lit_by = (12.0, 0.0)
        """Hour and overcast that `atmosphere` is for."""
        self.anchor_x = 0
        self.anchor_z = 0
        """Integer metres all relative offsets are counted from."""
        self.far_near_m = 1.0
        """Near plane of the far band."""

    def update(self, view: FrameView, width: int, height: int, far_near_m: float) -> None:
        """Fill from `view` for a target of `width` × `height` pixels, upload and bind."""
        camera, selection, row = view.camera, view.selection, self.data[0]
        self.anchor_x, self.anchor_z = int(selection.anchor_x), int(selection.anchor_z)
        self.far_near_m = far_near_m
        far = view.view_m * 1.6 + 12_000.0
        row["view_projection"] = view_projection(camera, NEAR_M, far).T
        row["view_projection_far"] = view_projection(camera, far_near_m, far).T
        right, up, forward = basis(camera.yaw_rad, camera.pitch_rad, camera.roll_rad)
        lens = math.tan(0.5 * camera.fov_y_rad)
        row["ray_forward"][:3] = forward
        row["ray_right"][:3] = right * lens * camera.aspect
        row["ray_up"][:3] = up * lens
        row["camera"] = (
            selection.frac_x,
            camera.y,
            selection.frac_z,
            math.fmod(view.time_s, TIME_PERIOD_S),
        )
        row["anchor"] = (self.anchor_x % TILE_PERIOD_M, self.anchor_z % TILE_PERIOD_M, selection.top, 0)
        row["bands"] = (NEAR_M, far, far_near_m, far)
        row["viewport"] = (width, height, 1.0 / width, 1.0 / height)
        self._light(view)
        self._haze(view)
        level = view.sea_level_m - camera.y
        over = level + self._wave_over(view)
        row["sea"] = (level, view.sea_level_m, max(over, 0.02) if over > 0.0 else 0.0, selection.bend_per_m)
        self._waters(view)
        if view.shade is not None:
            row["shade"] = (
                float(view.shade.i0 * SHADE_SPACING_M - self.anchor_x) - float(selection.frac_x),
                float(view.shade.j0 * SHADE_SPACING_M - self.anchor_z) - float(selection.frac_z),
                1.0 / SHADE_SPACING_M,
                view.shade.share(view.time_s),
            )
        drift = view.time_s * 9.0
        row["cloud"] = (
            _cloud_offset(self.anchor_x, float(selection.frac_x) + drift),
            _cloud_offset(self.anchor_z, float(selection.frac_z) + 0.45 * drift),
            max(900.0, 4200.0 - camera.y),
            self._valley_haze(camera.y),
        )
        levels = row["levels"]
        levels[:] = 0.0
        ranges = selection.ranges.astype(np.float32)
        count = min(len(ranges), MAX_LEVEL + 1)
        morph = np.float32(selection.morph)
        levels[:count, 0] = ranges[:count]
        levels[:count, 1] = (np.float32(1.0) - morph) * ranges[:count]
        levels[:count, 2] = np.maximum(morph * ranges[:count], np.float32(1e-6))
        levels[:count, 3] = np.arange(count) < selection.top
        row["micro"] = (*micro_row(*view.micro_m), 0.0)
        row["altitude"] = selection.altitude_m
        # The eye adapts: a little in the evening, more at night, never all the way.
        row["exposure"] = 1.0 + 0.7 * (1.0 - self.atmosphere.high_sun) + 4.0 * (1.0 - self.atmosphere.day)
        self.buffer.replace(self.data)
        self.buffer.bind_base(FRAME_BINDING)

    @staticmethod
    def _wave_over(view: FrameView) -> float:
        """Height of the water over the sea's level at the camera."""
        camera = view.camera
        if not 0.0 < camera.y - view.sea_level_m < 3.0 * view.waves_m:
            return 0.0
        return surface_offset_m(view.waves_m, camera.x, camera.z, view.time_s)

    def _waters(self, view: FrameView) -> None:
        row, look = self.data[0], view.look
        row["waters"] = (view.waves_m, runup_m(view.waves_m), chop(view.waves_m), view.growth_line_m)
        row["season"] = (look.warmer_c, look.moister, look.warmth_c, min(view.snow_line_m, 1e6))
        row["leaves"] = (look.autumn, look.bare, look.spring, look.moisture)
        row["forest"] = view.forest_limits
        row["waves"] = wave_rows(view.waves_m)
        row["bed"] = 0.0
        for n, bed in enumerate(view.bed):
            spacing = 1 << bed.level
            row["bed"][n] = (
                float(bed.i0 * spacing - self.anchor_x) - float(view.selection.frac_x),
                float(bed.j0 * spacing - self.anchor_z) - float(view.selection.frac_z),
                1.0 / spacing,
                1.0,
            )

    def _light(self, view: FrameView) -> None:
        overcast = overcast_of(view.rain_mm_h)
        if (view.hour, overcast) != self._lit_by:
            self._lit_by = view.hour, overcast
            self.atmosphere = under_clouds(atmosphere(view.hour), overcast)
        air = self.atmosphere
        self.data[0]["overcast"] = overcast
        row = self.data[0]
        for name in (
            "light_direction",
            "light_colour",
            "sky_light",
            "ground_light",
            "glow",
            "disc",
        ):
            row[name][:3] = getattr(air, name)
        row["sun_direction"] = (*air.sun_direction, air.day)

    @staticmethod
    def _valley_haze(height_m: float) -> float:
        """Density of the haze that thins with height, at the camera, relative to that at height 0."""
        return math.exp(-min(max(height_m, -500.0), 9000.0) / HAZE_SCALE_M)

    def _haze(self, view: FrameView) -> None:
        # The clearest air there is fades a view of 100 km into the sky; a shorter view has hazier air, not an end.
        hazier = max(1.0, 0.8 / (max(view.view_m, 4000.0) * CLEAR_1_M[1]))
        molecules = hazier**HAZY_POWER
        aerosol = hazier * CLEAR_1_M[1] - molecules * 1e-3 * RAYLEIGH[1]
        # Falling rain veils what is far, all colours alike.
        rain = view.rain_mm_h * RAIN_VEIL_1_M
        self.data[0]["haze"] = (
            *(molecules * 1e-3 * part + aerosol + rain for part in RAYLEIGH),
            view.view_m,
        )

    def release(self) -> None:
        """Free the buffer."""
        self.buffer.release()
