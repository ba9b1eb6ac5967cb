"""Rain on the screen: streams lie where the water is, ponds are level, windows cross over, dry frames stay the same."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest

from game.core.coords import PageKey
from game.gl.context import GLContext
from game.lod.selection import Selection
from game.render.atmosphere import atmosphere
from game.render.frame import FrameView, RiderView
from game.render.weather_light import overcast_of, under_clouds
from game.world.runoff import CELLS, SPACING_M, Runoff, RunoffView, Window, route
from tests.render.scene import TINY, frame_view, make_page, select

if TYPE_CHECKING:
    from game.render.renderer import Renderer

WINDOW = Window(-CELLS // 2, -CELLS // 2)
EYE = (0.0, 90.0, 40.0)
DRAWN = (192, 108)


def valley(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """A gully along x = 0 that falls north, with a hollow in it around z = −60."""
    hollow = 8.0 * np.exp(-((x**2 + (z + 60.0) ** 2) / 400.0))
    return 0.25 * np.abs(x) + 0.02 * z + 20.0 - hollow


def water(seconds: float = 4000.0, rain_mm_h: float = 80.0) -> Runoff:
    i = (np.arange(CELLS) + WINDOW.i0) * SPACING_M
    heights = valley(i[None, :].astype(float), i[:, None].astype(float)).astype(np.float32)
    model = Runoff(WINDOW, route(heights))
    model.rain(seconds, rain_mm_h / 3.6e6, steps=20)
    return model


@pytest.fixture(scope="module")
def wet() -> RunoffView:
    return water().view(1)


class Stage:
    def __init__(self, renderer: Renderer, selection: Selection) -> None:
        self.renderer, self.selection = renderer, selection

    def view(self, **changes: object) -> FrameView:
        view = frame_view(self.selection, EYE, pitch_rad=-1.1, size=DRAWN)
        return replace(view, **changes)  # type: ignore[arg-type]

    def picture(self, **changes: object) -> np.ndarray:
        self.renderer.draw(self.view(**changes))
        return self.renderer.read_pixels().astype(int)


@pytest.fixture
def stage(gl_context: GLContext) -> Iterator[Stage]:
    from game.render.renderer import Renderer

    renderer = Renderer(gl_context, TINY, *DRAWN)
    layers: dict[PageKey, int] = {}
    selection, needed = select(EYE[0], EYE[2], 70.0, TINY, layers)
    for key in needed:
        renderer.upload(layers[key], make_page(key, valley))
    yield Stage(renderer, selection)
    renderer.release()


def changed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.abs(a - b).sum(axis=-1) > 20
    return found


@pytest.mark.gl
def test_the_stream_is_drawn_in_the_gully_and_nowhere_else(stage: Stage, wet: RunoffView) -> None:
    off, on = stage.picture(), stage.picture(runoff=wet)
    columns = changed(off, on)[DRAWN[1] // 2 :].mean(axis=0)
    middle = columns[DRAWN[0] // 2 - 12 : DRAWN[0] // 2 + 12]
    assert middle.max() > 0.8
    # Beside it run a few threads at most.
    assert np.median(columns) < 0.5 * middle.max()


@pytest.mark.gl
def test_a_small_stream_is_thinner(stage: Stage, wet: RunoffView) -> None:
    off = stage.picture()
    little = water(4000.0, 4.0).view(1)
    thin, wide = (
        changed(off, stage.picture(runoff=replace(view, pools=view.pools[:0]))).sum()
        for view in (little, wet)
    )
    assert 0 < thin < 0.6 * wide


@pytest.mark.gl
def test_without_rain_the_frame_is_bit_for_bit_what_it_was(stage: Stage, wet: RunoffView) -> None:
    before = stage.picture()
    stage.picture(runoff=wet, rain_mm_h=40.0, wetness=1.0)
    assert np.array_equal(stage.picture(), before)


@pytest.mark.gl
def test_wet_ground_is_darker(stage: Stage) -> None:
    dry, soaked = stage.picture(), stage.picture(wetness=1.0)
    assert soaked.mean() < 0.93 * dry.mean()


@pytest.mark.gl
def test_the_pond_hides_the_hollow_behind_a_level_surface(stage: Stage, wet: RunoffView) -> None:
    assert len(wet.pools) > 10
    without = replace(wet, pools=wet.pools[:0])
    on, off = stage.picture(runoff=wet), stage.picture(runoff=without)
    assert changed(on, off).sum() > 20
    # One call more for all of its cells.
    calls = []
    for view in (wet, without):
        stage.picture(runoff=view)
        calls.append(stage.renderer.draw_calls)
    assert calls[0] == calls[1] + 1


@pytest.mark.gl
def test_a_new_window_fades_in_over_the_old_one(stage: Stage, wet: RunoffView) -> None:
    old = stage.picture(runoff=wet, time_s=1.0)
    other = replace(
        wet, routed=7, lines=np.zeros_like(wet.lines), state=np.zeros_like(wet.state), pools=wet.pools[:0]
    )
    pictures = [stage.picture(runoff=other, time_s=1.0 + 0.1 * n) for n in range(30)]
    # Sent in parts: until all is there the old one stays.
    still = replace(wet, pools=wet.pools[:0])
    stays = stage.picture(runoff=still, time_s=1.0)
    assert changed(pictures[0], old).sum() <= changed(stays, old).sum() + 200
    ends = changed(pictures[-1], stage.picture(time_s=3.9))  # clouds have moved on
    assert ends.sum() == 0
    steps = [np.abs(b - a).max() for a, b in pairwise(pictures)]
    assert sum(step > 3 for step in steps) >= 3


@pytest.mark.gl
def test_rain_falls_in_one_call_and_veils_and_greys(stage: Stage) -> None:
    clear = stage.view(camera=replace(stage.view().camera, pitch_rad=0.1))
    stage.renderer.draw(clear)
    calls, sky = stage.renderer.draw_calls, stage.renderer.read_pixels().astype(int)
    stage.renderer.draw(replace(clear, rain_mm_h=60.0))
    storm = stage.renderer.read_pixels().astype(int)
    assert stage.renderer.draw_calls == calls + 1
    # Blue leaves the sky, and drops make it uneven.
    top = slice(0, DRAWN[1] // 3)
    assert (storm[top, :, 2] - storm[top, :, 0]).mean() < 0.5 * (sky[top, :, 2] - sky[top, :, 0]).mean()


@pytest.mark.gl
def test_wheels_throw_water_up(stage: Stage) -> None:
    pose = dict.fromkeys(("yaw_rad", "pitch_rad", "lean_rad", "steer_rad"), 0.0)
    pose |= dict.fromkeys(("wheel_angle_rad", "crank_angle_rad", "crouch"), 0.0)
    rider = RiderView(x=0.0, y=30.0, z=0.0, fallen=False, **pose)
    camera = replace(stage.view().camera, x=0.0, y=31.0, z=3.0, pitch_rad=-0.2)
    still = stage.picture(rider=rider, camera=camera)
    splash = stage.picture(rider=rider, camera=camera, splash=1.0)
    assert changed(still, splash).sum() > 30


def test_clouds_take_the_sun_and_give_light_from_everywhere() -> None:
    air = atmosphere(12.0)
    assert under_clouds(air, 0.0) is air
    grey = under_clouds(air, overcast_of(50.0))
    assert sum(grey.light_colour) < 0.4 * sum(air.light_colour)
    assert sum(grey.sky_light) > 0.8 * sum(air.sky_light)
    assert max(grey.zenith) - min(grey.zenith) < 0.4 * (max(air.zenith) - min(air.zenith))
    assert overcast_of(0.0) == 0.0
    assert 0.9 < overcast_of(50.0) < 1.0


@pytest.mark.parametrize("hour", [0.0, 6.0, 12.0, 19.0])
def test_no_hour_turns_black_or_negative_under_clouds(hour: float) -> None:
    grey = under_clouds(atmosphere(hour), 1.0)
    for colour in (
        grey.light_colour,
        grey.sky_light,
        grey.ground_light,
        grey.zenith,
        grey.horizon,
        grey.glow,
    ):
        assert all(math.isfinite(part) and part >= 0.0 for part in colour)
    assert min(grey.sky_light) > 0.0
