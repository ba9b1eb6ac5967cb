"""Valleys that drain: how much of the alpine land lies in pits."""

from __future__ import annotations

import heapq

import numpy as np
import pytest

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
def test_alpine_has_few_pits() -> None:
    shares = [pit_share("alpine", seed, 2000 * seed - 900, 1300 * seed, 512) for seed in range(8)]
    assert np.mean(shares) <= 0.05, shares
