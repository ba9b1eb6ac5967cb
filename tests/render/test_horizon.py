"""Far from the origin and far from the eye: equal bits, no jitter, a horizon where it belongs."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from game.core.coords import PageKey
from game.core.units import EARTH_BEND_PER_M
from game.gl.context import GLContext
from game.render.frame import FrameView
from tests.render.scene import TINY, frame_view, hills, make_page, select

pytestmark = pytest.mark.gl

CLOUDS_M = 24_576
"""Every texture's period divides this, and so do the pages of the test's levels."""

EYE = (17.25, 60.0, -31.5)


def picture(
    gl_context: GLContext, east: int, south: int, eye_x: float = EYE[0], **changes: object
) -> np.ndarray:
    """Hills around `EYE`, as if the origin of the world lay `east` and `south` metres away."""
    from game.render.renderer import Renderer

    layers: dict[PageKey, int] = {}
    selection, needed = select(eye_x + east, EYE[2] + south, 30.0, TINY, layers)
    renderer = Renderer(gl_context, TINY, 160, 90)
    try:
        for key in needed:
            renderer.upload(layers[key], make_page(key, lambda x, z: hills(x - east, z - south)))
        view = frame_view(selection, (eye_x + east, EYE[1], EYE[2] + south), **changes)
        renderer.draw(view)
        return renderer.read_pixels()
    finally:
        renderer.release()


@pytest.mark.parametrize("periods", [(1, 0), (0, -1), (40_690, -40_690), (-40_690, 17)])
def test_pictures_are_bit_equal_out_to_the_end_of_the_world(gl_context: GLContext, periods) -> None:
    """Land, textures, waves and clouds; 40,690 periods are 1e9 m."""
    east, south = (number * CLOUDS_M for number in periods)
    assert abs(east) <= 1e9
    changes = {"sea_level_m": 12.0, "time_s": 77.125, "pitch_rad": -0.15}
    assert np.array_equal(picture(gl_context, 0, 0, **changes), picture(gl_context, east, south, **changes))


def test_a_step_of_a_millimetre_is_as_smooth_at_the_end_of_the_world(gl_context: GLContext) -> None:
    """No jitter: the same small step moves the same pixels by the same amount."""
    far = 40_000 * CLOUDS_M
    for step_m in (2.0**-10, 0.25):
        here = picture(gl_context, 0, 0, EYE[0] + step_m).astype(int) - picture(gl_context, 0, 0)
        there = picture(gl_context, far, 0, EYE[0] + step_m).astype(int) - picture(gl_context, far, 0)
        assert np.array_equal(here, there)


def test_waves_and_wind_wrap(gl_context: GLContext) -> None:
    from game.render.uniforms import TIME_PERIOD_S

    # All land is under water: what shows of it carries the shadows of clouds, which have a period of their own.
    changes = {"sea_level_m": 50.0, "pitch_rad": -0.15}
    early = picture(gl_context, 0, 0, time_s=3.25, **changes).astype(int)
    late = picture(gl_context, 0, 0, time_s=3.25 + 64.0 * TIME_PERIOD_S, **changes).astype(int)
    moved = picture(gl_context, 0, 0, time_s=3.25 + 0.5 * TIME_PERIOD_S, **changes).astype(int)
    assert np.abs(early[60:] - moved[60:]).max() > 6
    assert np.abs(early[60:] - late[60:]).max() <= 2


def sea_view(eye_y: float, bend_per_m: float) -> FrameView:
    """An ocean from `eye_y` metres, level view, 100 km."""
    selection, _ = select(0.0, 0.0, eye_y, replace(TINY, view_m=1500.0), {})
    selection.view_m = 100_000.0
    selection.bend_per_m = bend_per_m
    selection.patches = selection.patches[:0]
    selection.level_starts = np.zeros_like(selection.level_starts)
    return frame_view(selection, (0.0, eye_y, 0.0), pitch_rad=0.0, size=(64, 720), sea_level_m=0.0)


@pytest.mark.parametrize("height_m", [20.0, 3000.0])
def test_the_sea_ends_at_the_horizon_of_the_round_earth(height_m: float) -> None:
    """The ray that just meets the sea dips by √(2h/R); the flat sea's by 0. The shader's formula in numpy."""
    dips = np.linspace(1e-4, 0.05, 4000)
    ray_y, across2 = -np.tan(dips), EARTH_BEND_PER_M
    square = ray_y * ray_y - 4.0 * across2 * height_m
    met = dips[square >= 0.0]
    expected = math.sqrt(4.0 * EARTH_BEND_PER_M * height_m)
    assert met.min() == pytest.approx(expected, abs=3e-5)
    assert math.degrees(expected) == pytest.approx({20.0: 0.144, 3000.0: 1.76}[height_m], abs=0.01)
    way = 2.0 * height_m / (np.sqrt(square[square >= 0.0]) - ray_y[square >= 0.0])
    drop = height_m + EARTH_BEND_PER_M * way * way
    assert np.allclose(-ray_y[square >= 0.0] * way, drop, rtol=1e-9)


def test_the_drawn_sea_dips_and_meets_the_sky(gl_context: GLContext) -> None:
    from game.render.renderer import Renderer
    from game.render.water import WaterPass

    def column(bend_per_m: float) -> np.ndarray:
        renderer = Renderer(gl_context, TINY, 64, 720)
        try:
            view = sea_view(3000.0, bend_per_m)
            renderer._pages.lowest[:] = -100.0
            # No land is resident: the sea is asked for by hand.
            view.selection.patches = np.zeros(1, view.selection.patches.dtype)
            view.selection.patches["origin_z_m"] = 400_000
            renderer.draw(view)
            return renderer.read_pixels().astype(int)[:, 32]
        finally:
            renderer.release()

    assert WaterPass is not None
    flat, bent = column(0.0), column(EARTH_BEND_PER_M)
    for pixels in (flat, bent):
        steps = np.abs(np.diff(pixels, axis=0)).max(axis=1)
        # Sky, far edge and sea run into each other: no line between rows anywhere near the horizon.
        assert steps[330:420].max() <= 6
    assert not np.array_equal(flat, bent)


@pytest.mark.parametrize("view_m", [5_000.0, 100_000.0])
def test_depth_tells_surfaces_apart_out_to_the_far_edge(view_m: float, gl_window: None) -> None:
    """Of the two bands, either resolves a thousandth of the distance wherever it is used."""
    from game.render.uniforms import NEAR_M

    far_m = view_m * 1.6 + 12_000.0
    # Spacing of float32 below 0.5, where the near band is stored, and below 1.
    for share, near_m, least_m, most_m in (
        (2.0**-25, NEAR_M, NEAR_M, 2_400.0),
        (2.0**-24, 300.0, 300.0, view_m),
    ):
        z = np.geomspace(least_m, most_m, 200)
        slope = 0.5 * near_m * far_m / (far_m - near_m) / (z * z)
        assert (share / slope <= 1e-3 * z + 1e-6).all()


def test_a_sun_below_eye_level_sets_at_the_dipped_horizon(gl_context: GLContext) -> None:
    """From 3000 m the horizon lies 1.76° down: a low sun is whole there, on flat land half of it is cut off."""
    from game.render.atmosphere import sun_direction
    from game.render.renderer import Renderer

    hour = next(h for h in np.arange(18.0, 19.0, 0.002) if sun_direction(h)[1] < math.sin(math.radians(-0.1)))
    east, _, south = sun_direction(hour)

    def middle(bend_per_m: float) -> tuple[float, float]:
        """Green in the lower half of the sun, 0.35° below eye level, and two degrees beside it."""
        renderer = Renderer(gl_context, TINY, 160, 720)
        try:
            view = sea_view(3000.0, bend_per_m)
            camera = replace(view.camera, yaw_rad=math.atan2(east, -south), aspect=160 / 720)
            renderer.draw(replace(view, camera=camera, width=160, height=720, hour=float(hour)))
            pixels = renderer.read_pixels().astype(float)
        finally:
            renderer.release()
        per_rad = 360.0 / math.tan(0.5 * view.camera.fov_y_rad)
        row = round(360.0 + per_rad * math.tan(math.radians(0.35)))
        aside = round(per_rad * math.tan(math.radians(2.0)))
        return float(pixels[row, 80, 1]), float(pixels[row, 80 + aside, 1])

    sun, sky = middle(EARTH_BEND_PER_M)
    assert sun >= sky + 5.0
    sun, sky = middle(0.0)
    assert sun <= sky + 2.0


@pytest.mark.parametrize("hour", [12.0, 18.5])
def test_no_line_stands_at_eye_level_where_haze_hides_the_land(gl_context: GLContext, hour: float) -> None:
    """In a short view the sky goes on below eye level: how fast its colour changes does not jump there."""
    from game.render.renderer import Renderer

    renderer = Renderer(gl_context, TINY, 64, 720)
    try:
        view = sea_view(2500.0, 0.0)
        renderer.draw(replace(view, hour=hour, sea_level_m=-500.0, camera=replace(view.camera, yaw_rad=0.52)))
        pixels = renderer.read_pixels().astype(float)
    finally:
        renderer.release()
    rows = pixels.mean(axis=1)
    slopes = (rows[6:] - rows[:-6]) / 6.0
    bends = np.abs(slopes[6:] - slopes[:-6]).max(axis=1)
    assert bends[340:370].max() <= 0.8
