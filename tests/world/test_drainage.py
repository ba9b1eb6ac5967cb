"""Valleys that drain: how much of the alpine land lies in pits."""

from __future__ import annotations

import heapq

import numpy as np
import pytest

from game.kernels import flow
from game.world.recipe import Recipe
from game.world.source import HeightSource

SPACING_LEVEL = 5


def filled(heights: np.ndarray) -> np.ndarray:
    """Land with every pit filled to its lowest outlet, float64.

    Source: R. Barnes, C. Lehman, D. Mulla, "Priority-flood" (2014).
    """
    rows, columns = heights.shape
    level = np.full(heights.shape, np.inf)
    queue: list[tuple[float, int, int]] = []
    for j in range(rows):
        for i in range(columns):
            if j in (0, rows - 1) or i in (0, columns - 1):
                level[j, i] = heights[j, i]
                queue.append((heights[j, i], j, i))
    heapq.heapify(queue)
    while queue:
        here, j, i = heapq.heappop(queue)
        for y in range(max(0, j - 1), min(rows, j + 2)):
            for x in range(max(0, i - 1), min(columns, i + 2)):
                if level[y, x] == np.inf:
                    level[y, x] = max(heights[y, x], here)
                    heapq.heappush(queue, (level[y, x], y, x))
    return level


def pit_share(recipe: str, seed: int, i0: int, j0: int, size: int) -> float:
    """Share of samples, 32 m apart, that lie more than 1 m deep in a pit; the sea at 0 m is no pit."""
    heights = HeightSource(Recipe.load(recipe), seed).block(SPACING_LEVEL, i0, j0, size, size)
    land = np.maximum(heights.astype(np.float64), 0.0)
    edge = size // 8
    return float((filled(land) - land > 1.0)[edge:-edge, edge:-edge].mean())


def test_alpine_drains_better_than_noise() -> None:
    assert pit_share("alpine", 7, -150, -150, 300) < 0.5 * pit_share("fbm", 7, -150, -150, 300)


@pytest.mark.slow
def test_alpine_has_few_pits_in_squares_of_sixteen_kilometres() -> None:
    """Larger squares close larger basins: 5.2 % was measured here, against 3.9 % in squares of 10 km."""
    shares = []
    for seed in range(64):
        source = HeightSource(Recipe.load("alpine"), seed)
        water = np.maximum(
            source.block(SPACING_LEVEL, 2000 * seed - 900, 1300 * seed, 512, 512), np.float32(0.0)
        )
        full = np.empty_like(water)
        flow.flood(water, full, np.empty(water.size, np.int32))
        shares.append(float(((full - water) > 1.0)[64:-64, 64:-64].mean()))
    assert np.mean(shares) <= 0.06, shares


def even_pit_shares(seeds: range, places: int, level: int) -> list[float]:
    """Shares in pits of squares of 10 km drawn evenly within ±400 km; those that are all sea are left out."""
    side, margin = (10_240 >> level), (1024 >> level)
    inner = (slice(margin, -margin),) * 2
    found = []
    for seed in seeds:
        source = HeightSource(Recipe.load("alpine"), seed)
        corners = np.random.default_rng(1000 + seed).integers(
            -400_000 >> level, 400_000 >> level, (places, 2)
        )
        for i0, j0 in corners.tolist():
            heights = source.block(level, i0, j0, side, side)
            water = np.maximum(heights, np.float32(0.0))
            full = np.empty_like(water)
            flow.flood(water, full, np.empty(water.size, np.int32))
            land = heights[inner] > 0.0
            if land.any():
                found.append(float(((full - water)[inner] > 1.0)[land].mean()))
    return found


def test_the_flood_of_the_kernels_is_that_of_this_test() -> None:
    heights = HeightSource(Recipe.load("alpine"), 3).block(SPACING_LEVEL, -60, 40, 120, 120)
    full = np.empty_like(heights)
    flow.flood(heights, full, np.empty(heights.size, np.int32))
    assert np.array_equal(full.astype(np.float64), filled(heights.astype(np.float64)))


def test_alpine_has_few_pits_anywhere() -> None:
    shares = even_pit_shares(range(8), 6, SPACING_LEVEL)
    assert len(shares) > 40
    assert np.mean(shares) <= 0.05, shares


@pytest.mark.slow
def test_alpine_has_few_pits_over_four_hundred_places() -> None:
    shares = even_pit_shares(range(20), 20, 4)
    assert np.mean(shares) <= 0.05, shares


def test_the_plains_have_terraces_and_hills() -> None:
    """Steps and hills of several metres on plains: local relief, the regional slope taken away."""
    bold = 0
    source = HeightSource(Recipe.load("alpine"), 7)
    corners = np.random.default_rng(5).integers(-40_000, 40_000, (60, 2))
    plains = [(x * 10, z * 10) for x, z in corners.tolist() if source.uplift(x * 10.0, z * 10.0) < 0.08]
    for x, z in plains:
        h = source.block(3, x >> 3, z >> 3, 256, 256).astype(np.float64)
        dz, dx = np.gradient(h, 8.0)
        bold += int(np.percentile(np.hypot(dx, dz), 97) > 0.10)
    assert len(plains) > 10
    assert bold >= 0.5 * len(plains), (bold, len(plains))
