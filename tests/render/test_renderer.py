"""The renderer as a whole: ledger, uploads, size, sea, haze, and frames without drawing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest

from game.core.coords import PageKey
from game.gl.context import GLContext
from game.lod.selection import Selection
from game.render.frame import FrameView
from game.world.page import PageData
from tests.render.scene import TINY, frame_view, hills, make_page, select

pytestmark = pytest.mark.gl

EYE = (12.4, 62.0, -31.6)


@dataclass
class Stage:
    """A renderer with a land uploaded."""

    renderer: object
    selection: Selection
    layers: dict[PageKey, int]
    pages: dict[PageKey, PageData]

    def view(self, **changes: object) -> FrameView:
        return frame_view(self.selection, EYE, **{"pitch_rad": -0.3, **changes})  # type: ignore[arg-type]

    def picture(self, **changes: object) -> np.ndarray:
        self.renderer.draw(self.view(**changes))  # type: ignore[attr-defined]
        return self.renderer.read_pixels()  # type: ignore[attr-defined]


@pytest.fixture
def stage(gl_context: GLContext) -> Iterator[Stage]:
    from game.render.renderer import Renderer

    renderer = Renderer(gl_context, TINY, 160, 90)
    layers: dict[PageKey, int] = {}
    selection, needed = select(EYE[0], EYE[2], 30.0, TINY, layers)
    pages = {key: make_page(key, hills) for key in needed}
    for key, page in pages.items():
        assert renderer.upload(layers[key], page) == 132 * 132 * 16
    yield Stage(renderer, selection, layers, pages)
    renderer.release()
    renderer.release()


def test_ledger_is_zero_after_release(gl_context: GLContext) -> None:
    from game.render.renderer import Renderer

    for msaa in (0, 2):
        renderer = Renderer(gl_context, replace(TINY, name="medium", msaa=msaa), 64, 36)
        assert gl_context.live > 20
        renderer.resize(80, 45)
        renderer.release()
        assert gl_context.live_by_kind() == {}


def test_same_view_same_bits(stage: Stage) -> None:
    assert np.array_equal(stage.picture(), stage.picture())


def test_top_row_is_sky(stage: Stage) -> None:
    pixels = stage.picture(pitch_rad=0.0)
    assert pixels.shape == (90, 160, 3)
    assert pixels.dtype == np.uint8
    top, bottom = pixels[0].mean(axis=0), pixels[-1].mean(axis=0)
    assert top[2] > top[0] + 30  # blue
    assert bottom[1] > bottom[2]  # land


def test_upload_box_changes_only_what_it_should(stage: Stage) -> None:
    before = stage.picture()
    for key, page in stage.pages.items():
        page.heights[20:60, 20:60, :] += 25.0
        stage.renderer.upload_box(stage.layers[key], page, 0, 0, 5, 5)
    assert np.array_equal(stage.picture(), before)
    for key, page in stage.pages.items():
        sent = stage.renderer.upload_box(stage.layers[key], page, 20, 60, 20, 60)
        assert sent == 40 * 40 * 12
    boxed = stage.picture()
    assert not np.array_equal(boxed, before)
    for key, page in stage.pages.items():
        stage.renderer.upload(stage.layers[key], page)
    assert np.array_equal(stage.picture(), boxed)
    with pytest.raises(ValueError, match="not inside"):
        stage.renderer.upload_box(0, page, 0, 133, 0, 1)


def test_frames_without_drawing_still_count(stage: Stage) -> None:
    before = stage.picture()
    calls, triangles = stage.renderer.draw_calls, stage.renderer.triangles
    stage.renderer.draw_enabled = False
    after = stage.picture(yaw_rad=2.0)
    assert np.array_equal(before, after)
    assert (stage.renderer.draw_calls, stage.renderer.triangles) == (calls, triangles)
    assert triangles >= stage.selection.triangles
    assert calls < 30


def test_resize(stage: Stage) -> None:
    stage.renderer.resize(97, 31)
    assert stage.picture().shape == (31, 97, 3)
    stage.renderer.resize(0, -4)
    assert stage.picture().shape == (1, 1, 3)


def test_sea_rises_and_falls_without_a_trace(stage: Stage) -> None:
    dry = stage.picture()
    calls = stage.renderer.draw_calls
    wet = stage.picture(sea_level_m=10.0)
    assert stage.renderer.draw_calls == calls + 1
    assert (np.abs(wet.astype(int) - dry).sum(axis=2) > 30).mean() > 0.1
    drowned = stage.picture(sea_level_m=90.0)
    assert np.abs(drowned.astype(int) - wet).mean() > 10
    assert np.array_equal(stage.picture(), dry)
    assert stage.renderer.draw_calls == calls


def test_waves_move_and_wrap(stage: Stage) -> None:
    from game.render.uniforms import TIME_PERIOD_S

    first = stage.picture(sea_level_m=20.0)
    later = stage.picture(sea_level_m=20.0, time_s=1.5)
    assert not np.array_equal(first, later)
    # Clouds do not wrap with the waves, so only the sea's own motion is compared: it must stay small.
    wrapped = stage.picture(sea_level_m=20.0, time_s=TIME_PERIOD_S)
    assert np.abs(wrapped.astype(int) - first).mean() < 8.0


@pytest.mark.parametrize("hour", [10.5, 18.3, 23.0])
def test_haze_meets_the_sky_at_the_horizon(stage: Stage, hour: float) -> None:
    """Open sea to the horizon: no line where it ends."""
    pixels = stage.picture(pitch_rad=0.0, sea_level_m=50.0, hour=hour).astype(int)
    steps = np.abs(np.diff(pixels, axis=0)).max(axis=2)
    # A low sun's sky has a gradient of its own: where it meets the sea it may not be steeper than above.
    assert (steps[44] <= np.maximum(4, 1.25 * steps[40:44].max(axis=0))).all()


def test_every_hour_has_a_picture(stage: Stage) -> None:
    means = {hour: stage.picture(hour=float(hour)).mean() for hour in range(0, 24, 2)}
    assert means[12] > 80
    assert 4 < means[0] < 60
    assert all(math.isfinite(value) for value in means.values())


def test_wrong_patch_size_is_refused(stage: Stage) -> None:
    wrong = replace(stage.view(), selection=replace(stage.selection, patch_quads=32))
    with pytest.raises(ValueError, match="32 quads"):
        stage.renderer.draw(wrong)
