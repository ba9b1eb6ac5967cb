"""Maps of mountain shadows: from pages of any level, made anew when light, land or place change, faded in."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from game.core.coords import APRON, PAGE_QUADS, STORED, PageKey
from game.streaming.mountain_shade import FADE_S, SHADE_SIDE, SHADE_SPACING_M, MountainShade

LIGHT = (0.8, 0.6, 0.0)


class Store:
    """Pages of one level, all with a wall 1 km high along x = 0…64 m."""

    def __init__(self, level: int) -> None:
        self.level, self.epoch, self._pages = level, 0, {}

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


@pytest.mark.parametrize("level", [4, 5, 6, 7])
def test_the_wall_shades_the_west_whatever_pages_there_are(level: int) -> None:
    shade = MountainShade()
    try:
        found = shade.follow(Store(level), 100.0, -50.0, LIGHT, 0.0, block=True)  # type: ignore[arg-type]
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
        first = shade.follow(store, 0.0, 0.0, at(30.0), 0.0, block=True)
        assert shade.follow(store, 0.0, 0.0, at(30.1), 1.0, block=True) is first
        second = shade.follow(store, 0.0, 0.0, at(30.4), 10.0, block=True)
        assert first is not None
        assert second is not None
        assert second is not first
        assert np.array_equal(second.tops[..., 1], first.tops[..., 0])
        assert [second.share(10.0 + part * FADE_S) for part in (0.0, 0.5, 1.0, 2.0)] == [0.0, 0.5, 1.0, 1.0]
        third = shade.follow(store, 0.0, 0.0, at(60.0), 20.0, block=True)
        assert third is not None
        assert np.array_equal(third.tops[..., 0], third.tops[..., 1])
    finally:
        shade.close()


def test_edited_land_and_a_place_far_off_make_a_new_map() -> None:
    store: Any = Store(6)
    shade = MountainShade()
    try:
        first = shade.follow(store, 0.0, 0.0, LIGHT, 0.0, block=True)
        page = store.page(PageKey(6, 0, 0))
        page.heights[:, 40:42, 0] = 3000.0
        page.epoch = 1
        edited = shade.follow(store, 0.0, 0.0, LIGHT, 10.0, block=True)
        assert first is not None
        assert edited is not None
        assert top_at(edited, 1500.0, 640.0) > top_at(first, 1500.0, 640.0) + 1000.0
        moved = shade.follow(store, 9000.0, 0.0, LIGHT, 20.0, block=True)
        assert moved is not None
        assert moved.i0 > edited.i0
    finally:
        shade.close()
