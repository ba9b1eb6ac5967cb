"""Vegetation: one forest for all levels, whole across page borders, on the land after every change."""

from __future__ import annotations

import numpy as np
import pytest
from analytic import AnalyticSource

from game.core.coords import PageKey, page_at
from game.kernels import scatter
from game.world.edits import EditLog
from game.world.land import LandSource
from game.world.page import PageData
from game.world.recipe import Recipe
from game.world.source import HeightSource
from game.world.vegetation import Vegetation, broadleaf_share, share_kept

ORIGINS = [(0, 0), (-1500, 3000), (-999_990_000, 999_999_000)]


def feet(page: PageData) -> np.ndarray:
    """World positions in units of 1/64 m, int64 [n, 2], exact."""
    west, north = page.key.origin_m
    east = (page.trees[:, 0].astype(np.float64) * 64).astype(np.int64) + west * 64
    south = (page.trees[:, 2].astype(np.float64) * 64).astype(np.int64) + north * 64
    return np.stack([east, south], axis=1)


def described(page: PageData) -> dict[tuple[int, int], tuple[float, ...]]:
    """Foot → what does not depend on the level: scale, yaw, kind, rank."""
    return {
        tuple(foot): tuple(row[4:])
        for foot, row in zip(feet(page).tolist(), page.trees.tolist(), strict=True)
    }


@pytest.mark.parametrize("at", ORIGINS)
@pytest.mark.parametrize("real", [False, True])
def test_every_level_carries_the_same_trees(at: tuple[int, int], real: bool) -> None:
    source = HeightSource(Recipe.load("alpine"), 11) if real else AnalyticSource()
    land = LandSource(source, EditLog(), 11, 4)
    for level in (0, 1, 2):
        coarse_key = page_at(level + 1, *at)
        coarse = described(land.make_page(coarse_key))
        fine: dict = {}
        for dz in (0, 1):
            for dx in (0, 1):
                page = land.make_page(PageKey(level, coarse_key.ix * 2 + dx, coarse_key.iz * 2 + dz))
                own = described(page)
                assert len(own) == len(page.trees)
                assert not (own.keys() & fine.keys())
                fine |= own
        kept = {foot: row for foot, row in fine.items() if row[3] < share_kept(level + 1)}
        assert kept == coarse
        assert real or len(coarse) > 20


def test_feet_are_on_their_page_and_apart() -> None:
    land = LandSource(AnalyticSource(1.0), EditLog(), 3, 4)
    pages = [land.make_page(PageKey(0, ix, iz)) for ix in (-2, -1, 0) for iz in (-1, 0)]
    for page in pages:
        assert page.trees.dtype == np.float32
        assert (page.trees[:, [0, 2]] >= 0.0).all()
        assert (page.trees[:, [0, 2]] < 128.0).all()
        assert (np.diff(np.floor(16.0 * page.trees[:, 7])) >= 0.0).all()  # a page of level 0 is one tile
        assert (page.trees[:, 7] < 1.0).all()
        assert ((page.trees[:, 4] >= 0.6) & (page.trees[:, 4] <= 1.4)).all()
        assert set(np.unique(page.trees[:, 6].astype(int) & 1)) <= {scatter.CONIFER, scatter.BROADLEAF}
    points = np.concatenate([feet(page) for page in pages]).astype(np.float64) / 64
    # At full density every cell that lies in the area has its tree.
    assert len(points) == pytest.approx(384 * 256 / 49, rel=0.02)
    gaps = np.hypot(*(points[:, None, :] - points[None, :, :]).transpose(2, 0, 1))
    np.fill_diagonal(gaps, np.inf)
    assert gaps.min() >= 1.5


def test_density_sets_the_number_and_the_seed_the_places() -> None:
    for density in (0.0, 0.1, 0.6):
        land = LandSource(AnalyticSource(density), EditLog(), 5, 4)
        trees = land.make_page(PageKey(2, 0, 0)).trees
        assert len(trees) == pytest.approx(density * 512 * 512 / 49, rel=0.08)
    one = LandSource(AnalyticSource(0.5), EditLog(), 5, 4).make_page(PageKey(0, 0, 0))
    two = LandSource(AnalyticSource(0.5), EditLog(), 6, 4).make_page(PageKey(0, 0, 0))
    high = LandSource(AnalyticSource(0.5), EditLog(), 5 + (1 << 40), 4).make_page(PageKey(0, 0, 0))
    shared = described(one).keys()
    assert not shared & described(two).keys()
    assert not shared & described(high).keys()
    assert LandSource(AnalyticSource(0.5), EditLog(), -1, 4).make_page(PageKey(0, 0, 0)).trees.size > 0


def test_places_are_uniform_and_ranks_independent() -> None:
    trees = LandSource(AnalyticSource(1.0), EditLog(), 5, 4).make_page(PageKey(2, 3, -3)).trees
    x, z, rank = trees[:, 0], trees[:, 2], trees[:, 7]
    for values, span in ((x, 512.0), (z, 512.0), (rank, 1.0), (trees[:, 5], 2 * np.pi)):
        counts, _ = np.histogram(values, bins=8, range=(0.0, span))
        assert counts.min() > 0.85 * len(trees) / 8
    for a, b in ((x, rank), (z, rank), (x, trees[:, 4]), (rank, trees[:, 5])):
        assert abs(np.corrcoef(a, b)[0, 1]) < 0.05


def test_coarse_pages_hold_a_bounded_share() -> None:
    land = LandSource(AnalyticSource(1.0), EditLog(), 5, 4)
    page = land.make_page(PageKey(3, -1, 0))
    assert 20_000 < len(page.trees) < 22_000
    assert len(land.make_page(PageKey(4, 0, 0)).trees) == 0
    wide = LandSource(AnalyticSource(1.0), EditLog(), 5, 6)
    for level, share in ((4, 6 / 16), (5, 1 / 16)):
        trees = wide.make_page(PageKey(level, -1, 0)).trees
        assert trees[:, 7].max() < share
        assert len(trees) < 33_000
    assert [share_kept(level) for level in range(6)] == [1.0, 1.0, 1.0, 1.0, 6 / 16, 1 / 16]
    with pytest.raises(ValueError, match="tree_levels"):
        Vegetation(AnalyticSource(), 1, 99)


def stands(page: PageData, land: LandSource) -> None:
    """Every tree has the height of the drawn triangle of its level and of the parent's."""
    step = page.key.spacing_m
    parent = land.make_page(page.key.parent)
    shift_x, shift_z = (page.key.ix & 1) * 64, (page.key.iz & 1) * 64
    for row in page.trees.astype(np.float64):
        assert row[1] == pytest.approx(plane(page.edited, row[0] / step, row[2] / step), abs=1e-3)
        coarse = plane(parent.edited, row[0] / step / 2 + shift_x, row[2] / step / 2 + shift_z)
        assert row[3] == pytest.approx(coarse, abs=1e-3)


def plane(samples: np.ndarray, x: float, z: float) -> float:
    i, j = int(x), int(z)
    u, v = x - i, z - j
    h = samples[4:, 4:, 0].astype(np.float64)
    if u >= v:
        return (1 - u) * h[j, i] + (u - v) * h[j, i + 1] + v * h[j + 1, i + 1]
    return (1 - v) * h[j, i] + (v - u) * h[j + 1, i] + u * h[j + 1, i + 1]


def test_trees_stand_on_the_land_after_edits_and_undo() -> None:
    log = EditLog()
    land = LandSource(AnalyticSource(0.4), log, 5, 4)
    pages = [land.make_page(key) for key in (PageKey(0, -1, 0), PageKey(1, -1, 0), PageKey(2, -1, 0))]
    first = [page.trees for page in pages]
    for page in pages:
        stands(page, land)
    box = log.apply("lower", -60.0, 50.0, 40.0, 20.0)
    land.show(log.snapshot())
    for page in pages:
        before = page.trees
        log.evaluate_box(page, box)
        # A new array tells whoever draws that something changed.
        assert page.trees is not before
        stands(page, land)
    assert min((new.trees[:, 1] - old[:, 1]).min() for new, old in zip(pages, first, strict=True)) < -15.0
    made_later = land.make_page(pages[0].key)
    assert np.array_equal(made_later.trees, pages[0].trees)
    undone = log.undo()
    for page, original in zip(pages, first, strict=True):
        log.evaluate_box(page, undone)
        assert np.array_equal(page.trees, original)


def test_kinds_follow_the_climate() -> None:
    assert broadleaf_share(0.0, 0.9) == 0.0
    assert broadleaf_share(-40.0, 0.5) == 0.0
    assert broadleaf_share(16.0, 0.9) == pytest.approx(0.9)
    assert broadleaf_share(16.0, 0.0) < 0.3
    assert broadleaf_share(9.0, 0.6) < broadleaf_share(12.0, 0.6)


def test_kernels_equal_plain_python() -> None:
    if not hasattr(scatter.scatter, "py_func"):
        pytest.skip("the kernels run as plain Python already")
    rng = np.random.default_rng(0)
    samples = rng.normal(size=(136, 136, 2)).astype(np.float32)
    density = rng.uniform(0, 1, (3, 3)).astype(np.float32)
    broadleaf = rng.uniform(0, 1, (2, 2)).astype(np.float32)
    climate = (12.0 * density, density, np.array((2.0, 6.0, 0.1, 0.4), np.float32))
    results = []
    for kernel in (scatter.scatter, scatter.scatter.py_func):
        rows = np.zeros((400, 8), np.float32)
        count = kernel(
            9, -128, 256, 1, np.float32(0.8), density, -2, 4, *climate, broadleaf, -1, 0, samples, rows
        )
        results.append(rows[:count].copy())
    assert len(results[0]) > 30
    assert np.array_equal(results[0], results[1])
