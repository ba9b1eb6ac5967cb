"""Maps of mountain shadows: from pages of any level, made anew when light, land or place change, faded in."""

from __future__ import annotations

import math
import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from game.core.coords import APRON, PAGE_QUADS, STORED, PageKey
from game.streaming import mountain_shade
from game.streaming.mountain_shade import FADE_S, SHADE_SIDE, SHADE_SPACING_M, MountainShade

LIGHT = (0.8, 0.6, 0.0)


class Store:
    """Pages of one level, all with a wall 1 km high along x = 0…64 m."""

    def __init__(self, level: int) -> None:
        self.level, self.epoch, self._pages = level, 0, {}

    @property
    def revision(self) -> int:
        """Changes with every edit, as that of `PageStore`."""
        return sum(page.epoch for page in self._pages.values())

    def page(self, key: PageKey) -> Any:
        if key.level != self.level:
            return None
        if key not in self._pages:
            x = (key.ix * PAGE_QUADS + np.arange(STORED) - APRON) * key.spacing_m
            heights = np.zeros((STORED, STORED, 2), np.float32)
            heights[:, (x >= 0) & (x <= 64)] = 1000.0
            self._pages[key] = SimpleNamespace(key=key, heights=heights, epoch=0)
        return self._pages[key]


def top_at(shade: Any, x: float, z: float, of: int = 0) -> float:
    column, row = round(x / SHADE_SPACING_M) - shade.i0, round(z / SHADE_SPACING_M) - shade.j0
    return float(shade.tops[row, column, of])


def followed(shade: MountainShade, store: Any, x: float, z: float, light: Any, time_s: float) -> Any:
    """The map of a frame that waits for it."""
    shade.look(store, x, z, light, time_s, eager=True)
    shade.finish(time_s)
    return shade.map


@pytest.mark.parametrize("level", [4, 5, 6, 7])
def test_the_wall_shades_the_west_whatever_pages_there_are(level: int) -> None:
    shade = MountainShade()
    try:
        found = followed(shade, Store(level), 100.0, -50.0, LIGHT, 0.0)
    finally:
        shade.close()
    assert found is not None
    assert found.tops.shape == (SHADE_SIDE, SHADE_SIDE, 2)
    # 640 m west of it the shadow is 640 · 0.75 m lower than the crest.
    assert top_at(found, -640.0, 0.0) == pytest.approx(1000.0 - 480.0, abs=60.0)
    assert top_at(found, 640.0, 0.0) < 0.0


def test_small_turns_add_up_and_leaps_do_not_fade() -> None:
    def at(degrees: float) -> tuple[float, float, float]:
        return math.cos(math.radians(degrees)), math.sin(math.radians(degrees)), 0.0

    store: Any = Store(6)
    shade = MountainShade()
    try:
        first = followed(shade, store, 0.0, 0.0, at(30.0), 0.0)
        assert followed(shade, store, 0.0, 0.0, at(30.1), 1.0) is first
        second = followed(shade, store, 0.0, 0.0, at(30.4), 10.0)
        assert first is not None
        assert second is not None
        assert second is not first
        assert np.array_equal(second.tops[..., 1], first.tops[..., 0])
        assert [second.share(10.0 + part * FADE_S) for part in (0.0, 0.5, 1.0, 2.0)] == [0.0, 0.5, 1.0, 1.0]
        third = followed(shade, store, 0.0, 0.0, at(60.0), 20.0)
        assert third is not None
        assert np.array_equal(third.tops[..., 0], third.tops[..., 1])
    finally:
        shade.close()


def test_edited_land_and_a_place_far_off_make_a_new_map() -> None:
    store: Any = Store(6)
    shade = MountainShade()
    try:
        first = followed(shade, store, 0.0, 0.0, LIGHT, 0.0)
        page = store.page(PageKey(6, 0, 0))
        page.heights[:, 40:42, 0] = 3000.0
        page.epoch = 1
        edited = followed(shade, store, 0.0, 0.0, LIGHT, 10.0)
        assert first is not None
        assert edited is not None
        assert top_at(edited, 1500.0, 640.0) > top_at(first, 1500.0, 640.0) + 1000.0
        moved = followed(shade, store, 9000.0, 0.0, LIGHT, 20.0)
        assert moved is not None
        assert moved.i0 > edited.i0
    finally:
        shade.close()


def test_a_frame_that_is_paced_never_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()
    work = mountain_shade._work

    def slow(*arguments: Any) -> Any:
        assert go_on.wait(10.0)
        return work(*arguments)

    monkeypatch.setattr(mountain_shade, "_work", slow)
    store: Any = Store(6)
    shade = MountainShade()
    try:
        for frame in range(3):
            shade.look(store, 0.0, 0.0, LIGHT, 0.1 * frame)
            assert shade.map is None
        go_on.set()
        shade.finish(0.5)
        first = shade.map
        assert first is not None
        assert first.since_s == 0.5
        # While it fades in no other is ordered, wherever the camera is.
        shade.look(store, 9000.0, 0.0, LIGHT, 0.5 + 0.5 * FADE_S)
        shade.finish(0.5 + 0.5 * FADE_S)
        assert shade.map is first
        shade.look(store, 9000.0, 0.0, LIGHT, 0.5 + 1.1 * FADE_S)
        shade.finish(0.5 + 1.1 * FADE_S)
        assert shade.map is not first
    finally:
        shade.close()
