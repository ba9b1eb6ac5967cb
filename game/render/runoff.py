"""Water of the rain: the textures that land is painted with, ponds, and falling drops.

Reads `FrameView.runoff`, `.rain_mm_h` and `.wetness`. Two windows are kept, so that a new one fades in over the one
before. Texture units: 3 noise tile, 4 scene depth, 8-11 lines and state of the new and the old window.
"""

from __future__ import annotations

import math

import numpy as np

from game.gl.api import GL
from game.gl.buffer import Buffer
from game.gl.context import GLContext
from game.gl.program import Program
from game.gl.texture import LINEAR, RGBA8, Texture2D
from game.gl.vertex_array import Stream, VertexArray
from game.kernels import channels
from game.render.frame import CameraView, FrameView
from game.render.uniforms import load_program
from game.world import runoff as water
from game.world.runoff import RunoffView, Window

UNITS = {"runoff_lines": 8, "runoff_state": 9, "runoff_lines_old": 10, "runoff_state_old": 11}

DEFINES: dict[str, int | float] = {
    "LINE_REACH_M": channels.REACH_M,
    "LINE_AREA_STEPS": channels.AREA_STEPS,
    "RATE_SCALE_M_S": water.RATE_SCALE_M_S,
    "WIDTH_PER_ROOT": water.WIDTH_PER_ROOT,
    "CELL_M": float(water.SPACING_M),
    "CELL_1_M": 1.0 / water.SPACING_M,
    "CELL_M2": float(water.SPACING_M**2),
    "CELLS_1": 1.0 / water.CELLS,
    "RIM_1": water.CELLS * water.SPACING_M / 250.0,
}
"""Constants of runoff.glsl, for every program that includes it."""

FADE_S = 1.0
"""Simulated time in which a new window replaces the old one."""

ROWS_PER_FRAME = 256
"""Rows of the lines' field sent in one frame: 1 MiB."""

RAIN_FULL_MM_H = 100.0
DROPS_FULL = 9000
"""Drops around the camera at `RAIN_FULL_MM_H`."""

SPLASHES = 160
_POOL_DTYPE = np.dtype([("pool", "<f4", (4,))])


class _Slot:
    """Textures of one window."""

    def __init__(self, gl: GLContext) -> None:
        side = int(water.CELLS * water.SPACING_M / water.TEXEL_M)
        self.lines = Texture2D(gl, side, side, RGBA8, sampling=LINEAR)
        self.state = Texture2D(gl, water.CELLS, water.CELLS, RGBA8, sampling=LINEAR)
        self.window: Window | None = None
        self.routed = -1
        self.rows = 0
        """Rows of the lines that have been sent."""

    def release(self) -> None:
        self.lines.release()
        self.state.release()


class RunoffTextures:
    """Keeps the GPU's copy of a `RunoffView` up to date and lends it to programs with runoff.glsl."""

    def __init__(self, gl: GLContext) -> None:
        self._gl = gl
        self._slots: tuple[_Slot, _Slot, _Slot] | None = None
        self._shown: _Slot | None = None
        self._old: _Slot | None = None
        self._coming: _Slot | None = None
        self._since_s = 0.0
        self._share = 0.0
        self._wet = (0.0, 0.0)
        self._sent: RunoffView | None = None

    def update(self, view: FrameView) -> None:
        """Send what is new, a share of it a frame, and move the fade on."""
        self._wet = (
            float(view.wetness),
            min(1.0, view.rain_mm_h / RAIN_FULL_MM_H),
        )
        runoff = view.runoff
        if runoff is None:
            self._shown = self._old = self._coming = None
            self._sent = None
            return
        if self._slots is None:
            self._slots = (_Slot(self._gl), _Slot(self._gl), _Slot(self._gl))
        self._receive(runoff, view.time_s)
        fade = (view.time_s - self._since_s) / FADE_S
        if self._old is None or fade >= 1.0:
            self._old, self._share = None, 1.0
        else:
            self._share = max(0.0, fade)

    def _receive(self, runoff: RunoffView, time_s: float) -> None:
        assert self._slots is not None
        shown, coming = self._shown, self._coming
        if shown is not None and shown.routed == runoff.routed:
            self._coming = None
            if runoff is not self._sent:
                shown.state.write(runoff.state)
                self._sent = runoff
            return
        if coming is None or coming.routed != runoff.routed:
            # With three slots one is always free: neither shown nor fading out.
            coming = next(slot for slot in self._slots if slot is not shown and slot is not self._old)
            coming.routed, coming.window, coming.rows = runoff.routed, runoff.window, 0
            self._coming = coming
        end = min(coming.lines.height, coming.rows + ROWS_PER_FRAME)
        if shown is None:
            end = coming.lines.height
        coming.lines.write(runoff.lines[coming.rows : end], 0, coming.rows)
        coming.rows = end
        if end == coming.lines.height:
            coming.state.write(runoff.state)
            self._sent = runoff
            self._old, self._shown, self._coming = shown, coming, None
            self._since_s = time_s

    def lend(self, program: Program, camera: CameraView) -> None:
        """Bind the textures and set the uniforms of `program`, which must be in use."""
        program.set("rainfall", self._wet)
        known = program.uniforms
        for prefix, slot, share in (
            ("", self._shown, self._share),
            ("_old", self._old, 1.0 - self._share),
        ):
            if f"runoff_window{prefix}" in known:
                program.set(f"runoff_window{prefix}", _corner(slot, share, camera))
            if slot is not None:
                slot.lines.bind(UNITS[f"runoff_lines{prefix}"])
                slot.state.bind(UNITS[f"runoff_state{prefix}"])

    def release(self) -> None:
        """Free every texture; harmless when called twice."""
        for slot in self._slots or ():
            slot.release()
        self._slots = None
        self._shown = self._old = self._coming = None


def _corner(slot: _Slot | None, share: float, camera: CameraView) -> tuple[float, float, float, float]:
    """A window as runoff.glsl wants it."""
    if slot is None or slot.window is None:
        return 0.0, 0.0, 1.0, 0.0
    west, north = slot.window.corner_m
    return west - camera.x, north - camera.z, 1.0 / (slot.window.cells * water.SPACING_M), share


class PondsPass:
    """Draws standing water over the resolved scene: one call."""

    def __init__(self, gl: GLContext) -> None:
        self._program = load_program(gl, "pond", DEFINES, {"noise_tile": 3, "scene_depth": 4})
        self._pools = Buffer(gl, 1024 * _POOL_DTYPE.itemsize, dynamic=True)
        stream = Stream(self._pools, _POOL_DTYPE, {"pool": 0}, per_instance=True)
        self._array = VertexArray(gl, [stream])
        self._sent: RunoffView | None = None

    def draw(self, view: FrameView) -> None:
        """Blend the ponds over the bound target; leaves blending off."""
        runoff = view.runoff
        if runoff is None or len(runoff.pools) == 0:
            return
        if runoff is not self._sent:
            self._pools.replace(np.ascontiguousarray(runoff.pools).view(_POOL_DTYPE).reshape(-1))
            self._sent = runoff
        GL.glEnable(GL.GL_BLEND)
        GL.glBlendFunc(GL.GL_ONE, GL.GL_ONE_MINUS_SRC_ALPHA)
        self._program.use()
        west, north = runoff.window.corner_m
        self._program.set("rainfall", (0.0, min(1.0, view.rain_mm_h / RAIN_FULL_MM_H)))
        self._program.set("runoff_window", (west - view.camera.x, north - view.camera.z, 0.0, 0.0))
        self._array.draw(6, instances=len(runoff.pools))
        GL.glDisable(GL.GL_BLEND)

    def release(self) -> None:
        """Free every GL object; harmless when called twice."""
        for thing in (self._array, self._pools, self._program):
            thing.release()


class RainPass:
    """Draws falling drops and the wheels' splash over the resolved scene: one call."""

    def __init__(self, gl: GLContext) -> None:
        self._program = load_program(gl, "rain", None, {"scene_depth": 4})
        self._array = VertexArray(gl)
        self._last: tuple[float, float, float, float] | None = None
        self._motion = (0.0, 0.0, 0.0)

    def draw(self, view: FrameView) -> None:
        """Blend the drops over the bound target; leaves blending off."""
        self._follow(view)
        drops = round(DROPS_FULL * min(1.0, view.rain_mm_h / RAIN_FULL_MM_H) ** 0.6)
        rider = view.rider
        splashes = SPLASHES if rider is not None and view.splash > 0.02 else 0
        if drops + splashes == 0:
            return
        GL.glEnable(GL.GL_BLEND)
        GL.glBlendFunc(GL.GL_ONE, GL.GL_ONE_MINUS_SRC_ALPHA)
        camera = view.camera
        self._program.use()
        self._program.set("motion", self._motion)
        self._program.set("splashes", splashes)
        yaw = 0.0 if rider is None else rider.yaw_rad
        self._program.set("ahead", (math.sin(yaw), -math.cos(yaw)))
        if rider is None:
            self._program.set("splash", (0.0, 0.0, 0.0, 0.0))
        else:
            at = (rider.x - camera.x, rider.y - camera.y, rider.z - camera.z, float(view.splash))
            self._program.set("splash", at)
        self._array.draw(6, instances=drops + splashes)
        GL.glDisable(GL.GL_BLEND)

    def _follow(self, view: FrameView) -> None:
        """The camera's velocity: drops slant towards who rides."""
        camera, last = view.camera, self._last
        self._last = (camera.x, camera.y, camera.z, view.time_s)
        if last is None:
            return
        passed_s = view.time_s - last[3]
        if passed_s <= 0.0:
            return
        x, y, z = ((now - was) / passed_s for now, was in zip(self._last[:3], last[:3], strict=True))
        fast = math.sqrt(x * x + y * y + z * z)
        self._motion = (x, y, z) if fast < 60.0 else (0.0, 0.0, 0.0)

    def release(self) -> None:
        """Free every GL object; harmless when called twice."""
        self._array.release()
        self._program.release()
