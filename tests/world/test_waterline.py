"""The waterline lies where the drawn triangles are at the level, and the lines of neighbours meet exactly."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game.core.coords import PAGE_QUADS, PageKey
from game.world.waterline import page_lines, stitch, to_world, water_mask

SIDE = PAGE_QUADS + 1


def on_triangles(heights: np.ndarray, x: float, z: float) -> float:
    """Height on the drawn triangles: quads split along (i, j)–(i+1, j+1)."""
    i, j = min(math.floor(x), PAGE_QUADS - 1), min(math.floor(z), PAGE_QUADS - 1)
    u, v = x - i, z - j
    c = heights[j : j + 2, i : i + 2].astype(np.float64)
    if u >= v:
        return float(c[0, 0] + u * (c[0, 1] - c[0, 0]) + v * (c[1, 1] - c[0, 1]))
    return float(c[0, 0] + v * (c[1, 0] - c[0, 0]) + u * (c[1, 1] - c[1, 0]))


def land(key: PageKey, seed: int, rough_m: float) -> np.ndarray:
    """Hills that continue over borders, with noise from sample to sample."""
    i0, j0 = key.origin_sample
    i, j = np.meshgrid(np.arange(i0, i0 + SIDE), np.arange(j0, j0 + SIDE))
    h = (i * 374761393 + j * 668265263 + seed * 362437) & 0xFFFFFFFF
    h = ((h ^ (h >> 13)) * 1274126177) & 0xFFFFFFFF
    noise = ((h ^ (h >> 16)) & 0xFFFFFF) / float(1 << 24)
    hills = 12.0 * np.sin(i / 19.0 + seed) * np.cos(j / 23.0 - seed)
    return (hills + rough_m * noise).astype(np.float32)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 1000),
    rough_m=st.sampled_from([0.0, 0.5, 20.0]),
    level_m=st.floats(-14.0, 14.0),
)
def test_points_and_segments_lie_on_the_level(seed: int, rough_m: float, level_m: float) -> None:
    heights = land(PageKey(0, 0, 0), seed, rough_m)
    for line in page_lines(heights, level_m):
        middles = 0.5 * (line[1:] + line[:-1])
        for x, z in np.concatenate([line, middles])[::7].tolist():
            assert abs(on_triangles(heights, x, z) - level_m) < 0.01


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), rough_m=st.sampled_from([0.0, 0.5, 20.0]), level_m=st.floats(-10.0, 10.0))
def test_lines_of_neighbours_meet_exactly(seed: int, rough_m: float, level_m: float) -> None:
    west, east = PageKey(0, -1, 0), PageKey(0, 0, 0)
    ends = []
    for key in (west, east):
        found = []
        for line in page_lines(land(key, seed, rough_m), level_m):
            if not np.array_equal(line[0], line[-1]):
                found += [
                    tuple(p)
                    for p in to_world(line, key)[[0, -1]].tolist()
                    # Corners belong to four pages; a line along the border itself may end there in one alone.
                    if p[0] == 0.0 and 0.0 < p[1] < PAGE_QUADS
                ]
        ends.append(sorted(found))
    assert ends[0] == ends[1]


@pytest.mark.parametrize("corner", [(0, 0), (-3, 2), (7_812_490, -7_812_490)])
def test_an_island_over_four_pages_is_one_closed_line(corner: tuple[int, int]) -> None:
    """A cone around the corner where four pages meet, also at ±1e9 m."""
    pages = {}
    for dj in (-1, 0):
        for di in (-1, 0):
            x, z = np.meshgrid(np.arange(SIDE) + di * PAGE_QUADS, np.arange(SIDE) + dj * PAGE_QUADS)
            heights = (40.0 - np.hypot(x + 0.3, z - 0.2)).astype(np.float32)
            pages[PageKey(0, corner[0] + di, corner[1] + dj)] = page_lines(heights, 0.0)
    (coast,) = stitch(pages)
    assert coast.closed
    assert np.array_equal(coast.points[0], coast.points[-1])
    assert coast.length_m == pytest.approx(2.0 * math.pi * 40.0, rel=2e-3)
    away = np.hypot(*(coast.points - np.array(corner) * PAGE_QUADS - (-0.3, 0.2)).T)
    assert np.abs(away - 40.0).max() < 0.02


def test_a_coast_that_leaves_the_pages_is_open_and_whole() -> None:
    pages = {}
    for ix in range(3):
        _, z = np.meshgrid(np.arange(SIDE), np.arange(SIDE))
        pages[PageKey(2, ix, 0)] = page_lines((z - 64.25).astype(np.float32), 0.0)
    (coast,) = stitch(pages)
    assert not coast.closed
    assert coast.length_m == pytest.approx(3 * PAGE_QUADS * 4)
    assert sorted((coast.points[0][0], coast.points[-1][0])) == [0.0, 3 * PAGE_QUADS * 4.0]


@pytest.mark.parametrize("seed", range(6))
def test_every_edge_that_changes_side_is_crossed_once(seed: int) -> None:
    heights = land(PageKey(0, 3, 1), seed, 6.0)
    wet = water_mask(heights, 1.0)
    crossed = [wet[:, 1:] ^ wet[:, :-1], wet[1:] ^ wet[:-1], wet[1:, 1:] ^ wet[:-1, :-1]]
    expected = sum(int(edges.sum()) for edges in crossed)
    points = np.concatenate(
        [line[:-1] if np.array_equal(line[0], line[-1]) else line for line in page_lines(heights, 1.0)]
    )
    assert len(points) == expected
    assert len(np.unique(points.round(9), axis=0)) == expected


def test_levels_at_samples_and_beyond_the_land() -> None:
    heights = np.zeros((SIDE, SIDE), np.float32)
    assert page_lines(heights, 0.0) == []
    assert page_lines(heights, 1.0) == []
    assert not water_mask(heights, 0.0).any()
    heights[40:60, 40:60] = 2.0
    (ring,) = page_lines(heights, 2.0)  # land exactly at the level is dry
    assert np.array_equal(ring[0], ring[-1])
    with pytest.raises(ValueError, match="finite"):
        page_lines(heights, math.nan)
    with pytest.raises(ValueError, match=r"\(4, 4\)"):
        page_lines(np.zeros((4, 4), np.float32), 0.0)
    with pytest.raises(ValueError, match="one level"):
        stitch({PageKey(0, 0, 0): [], PageKey(1, 0, 0): []})
