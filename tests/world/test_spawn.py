"""Spawn: dry, high, level ground that faces a rideable descent; a defined fallback where there is none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from analytic import AnalyticSource

from game.core.coords import forward
from game.world.edits import EditLog
from game.world.land import LandSource
from game.world.recipe import Recipe
from game.world.source import HeightSource
from game.world.spawn import Spawn, find_spawn, long_descent_m, spawn_at


class Plain(AnalyticSource):
    """Nearly level land without a range: no place meets the conditions."""

    def block(self, level: int, i0: int, j0: int, ni: int, nj: int) -> np.ndarray:
        return super().block(level, i0, j0, ni, nj) * np.float32(0.02)

    def generate(self, key):  # type: ignore[no-untyped-def]
        page = super().generate(key)
        page.base *= np.float32(0.02)
        return page

    def uplift(self, x: float, z: float) -> float:
        return 0.0


def real(seed: int, recipe: str = "alpine") -> LandSource:
    return LandSource(HeightSource(Recipe.load(recipe), seed), EditLog(), seed, 4)


def meets_conditions(land: LandSource, spawn: Spawn, sea_level_m: float) -> None:
    ground = land.ground
    x, z = spawn.x, spawn.z
    height = ground.height(x, z)
    assert height >= sea_level_m + 20.0
    for d in (2.0, 6.0):
        slope = math.hypot(
            (ground.height(x + d, z) - ground.height(x - d, z)) / (2 * d),
            (ground.height(x, z + d) - ground.height(x, z - d)) / (2 * d),
        )
        assert math.degrees(math.atan(slope)) <= 10.0
    along_x, along_z = forward(spawn.yaw_rad)
    way = [ground.height(x + along_x * s, z + along_z * s) for s in range(0, 301, 10)]
    assert height - min(way) >= 60.0
    assert max(np.subtract(way, np.minimum.accumulate(way))) <= 3.0
    steps = np.diff(way[:11]) / 10.0
    assert steps.min() >= -math.tan(math.radians(30.001))
    assert way[10] < height - 5.0
    trunks = ground.trunks(x, z, 70.0)
    gap = np.hypot(trunks[:, 0] - x, trunks[:, 1] - z)
    assert (gap > 4.0).all()
    ahead = (trunks[:, 0] - x) * along_x + (trunks[:, 1] - z) * along_z
    aside = np.abs((trunks[:, 0] - x) * along_z - (trunks[:, 1] - z) * along_x)
    assert ((ahead > 0) & (ahead < 60.0) & (aside < 2.0)).sum() <= 3


@pytest.mark.parametrize("seed", range(10))
def test_alpine_starts_meet_every_condition(seed: int) -> None:
    land = real(seed)
    spawn = find_spawn(land, 0.0)
    assert spawn.met
    meets_conditions(land, spawn, 0.0)
    assert max(abs(spawn.x), abs(spawn.z)) < 70_000.0


def descends(land: LandSource, spawn: Spawn) -> float:
    """Best drop of a way that never climbs, starts within 500 m and ends within 3 km, by a search of our own."""
    side = 2 * 93 + 1
    i0, j0 = round(spawn.x / 32) - 93, round(spawn.z / 32) - 93
    heights = land.source.block(5, i0, j0, side, side).astype(np.float64)
    away = np.hypot(
        (i0 + np.arange(side))[None, :] * 32 - spawn.x, (j0 + np.arange(side))[:, None] * 32 - spawn.z
    )
    heights[away > 3000.0] = 1e6
    lowest = heights.copy()
    padded = np.pad(heights, 1, constant_values=1e6)
    moves = [(dj, di) for dj in (-1, 0, 1) for di in (-1, 0, 1) if dj or di]
    may = [padded[1 + dj : 1 + dj + side, 1 + di : 1 + di + side] < heights for dj, di in moves]
    for _ in range(150):
        around = np.pad(lowest, 1, constant_values=1e6)
        before = lowest
        for (dj, di), way in zip(moves, may, strict=True):
            there = around[1 + dj : 1 + dj + side, 1 + di : 1 + di + side]
            lowest = np.where(way, np.minimum(lowest, there), lowest)
        if np.array_equal(before, lowest):
            break
    return float((heights - lowest)[away <= 500.0].max())


@pytest.mark.parametrize("seed", range(10))
def test_a_long_descent_is_there(seed: int) -> None:
    land = real(seed)
    spawn = find_spawn(land, 0.0)
    assert long_descent_m(land, spawn.x, spawn.z, 0.0) >= 200.0
    assert descends(land, spawn) >= 200.0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 200))
def test_a_long_descent_is_there_from_two_hundred_spawns(seed: int) -> None:
    test_a_long_descent_is_there(seed)


def test_a_high_sea_is_respected_and_the_search_repeats_itself() -> None:
    land = real(1)
    spawn = find_spawn(land, 700.0)
    assert spawn.met
    meets_conditions(land, spawn, 700.0)
    land.ground.height(123.0, 456.0)
    assert find_spawn(land, 700.0) == spawn == find_spawn(real(1), 700.0)


def test_near_the_edge_of_the_world() -> None:
    land = real(3)
    spawn = find_spawn(land, 0.0, near=(1.0e9, -1.0e9))
    assert abs(spawn.x) <= 1.0e9
    assert abs(spawn.z) <= 1.0e9
    assert spawn.x > 1.0e9 - 80_000.0


def test_fallbacks_are_the_best_place_seen() -> None:
    plain = LandSource(Plain(0.2), EditLog(), 1, 4)
    spawn = find_spawn(plain, 0.0)
    assert not spawn.met
    assert plain.ground.height(spawn.x, spawn.z) > 0.0
    drowned = LandSource(AnalyticSource(0.0), EditLog(), 1, 4)
    spawn = find_spawn(drowned, 9000.0)
    assert not spawn.met
    # Everything lies under water: the highest land seen, which this world has at 742 m.
    assert drowned.ground.height(spawn.x, spawn.z) > 735.0


def test_a_place_that_was_asked_for_faces_downhill() -> None:
    land = LandSource(AnalyticSource(0.0), EditLog(), 1, 4)
    for x, z in ((-5.0, 3.0), (300.5, 2500.25), (-700.0, 900.0)):
        spawn = spawn_at(land, x, z)
        assert (spawn.x, spawn.z) == (x, z)
        along_x, along_z = forward(spawn.yaw_rad)
        ahead = land.ground.height(x + 100 * along_x, z + 100 * along_z)
        behind = land.ground.height(x - 100 * along_x, z - 100 * along_z)
        assert ahead < behind
    for bad in ((math.nan, 0.0), (2.0**31, 0.0)):
        with pytest.raises(ValueError, match="start"):
            spawn_at(land, *bad)
        with pytest.raises(ValueError, match="near"):
            find_spawn(land, 0.0, near=bad)
    with pytest.raises(ValueError, match="sea_level_m"):
        find_spawn(land, math.nan)
