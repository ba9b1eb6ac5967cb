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
from game.world.stamps import Stamp, StampedSource
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


def described_heights(rows: np.ndarray) -> dict[tuple[float, float], float]:
    return {(x, z): y for x, y, z in rows[:, :3].tolist()}


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
    heights = described_heights(pages[0].trees), described_heights(first[0])
    assert min(heights[0][foot] - heights[1][foot] for foot in heights[0]) < -15.0
    assert len(heights[0]) < len(heights[1])  # the walls of the pit are too steep
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
    change = rng.uniform(-0.5, 0.5, (2, 12, 9)).astype(np.float32)
    climate = (12.0 * density, density, np.array((2.0, 6.0, 0.1, 0.4), np.float32))
    results = []
    for kernel in (scatter.scatter, scatter.scatter.py_func):
        rows = np.zeros((400, 8), np.float32)
        at = 9, -128, 256, 1, np.float32(0.8), density, -2, 4, *climate, broadleaf, -1, 0
        count = kernel(*at, change, -18, 30, samples, 0, 8192, 640, 8192, rows)
        results.append(rows[:count].copy())
    assert len(results[0]) > 30
    assert np.array_equal(results[0], results[1])


def quarter(land: LandSource, coarse: PageKey) -> dict:
    """What stands on the four pages of a coarse one, one level finer."""
    found: dict = {}
    for dz in (0, 1):
        for dx in (0, 1):
            page = land.make_page(PageKey(coarse.level - 1, coarse.ix * 2 + dx, coarse.iz * 2 + dz))
            own = described(page)
            assert not (own.keys() & found.keys())
            found |= own
    return found


@pytest.mark.parametrize("at", [(0, 0), (-1500, 3000), (-999_990_000, 999_999_000)])
@pytest.mark.parametrize("real", [False, True])
def test_edits_change_the_woods_of_every_level_alike(at: tuple[int, int], real: bool) -> None:
    source = HeightSource(Recipe.load("alpine"), 11) if real else AnalyticSource(0.6)
    log = EditLog()
    land = LandSource(source, log, 11, 6)
    coarse = page_at(4, *at)
    # Its middle is a corner of pages of every finer level.
    x, z = (corner + coarse.span_m / 2 for corner in coarse.origin_m)
    before = described(land.make_page(page_at(3, x - 1.0, z - 1.0)))
    for n, (brush, radius, strength) in enumerate(
        (("raise", 90.0, 60.0), ("canyon", 50.0, 80.0), ("lower", 20.0, 30.0), ("flatten", 60.0, 50.0))
    ):
        land.dab(brush, x + 70.0 * (n - 1), z - 40.0 * n, radius, strength)
    land.dab("smooth", x + 30.0, z + 20.0, 30.0, 20.0)
    land.show(log.snapshot())
    after = described(land.make_page(page_at(3, x - 1.0, z - 1.0)))
    assert real or after != before
    for level in (4, 3, 2, 1):
        key = page_at(level, x - 1.0, z - 1.0)
        kept = {foot: row for foot, row in quarter(land, key).items() if row[3] < share_kept(level)}
        assert described(land.make_page(key)) == kept
    drawn = described(land.make_page(page_at(0, x, z)))
    met = land.ground.trunks(x + 64.0, z + 64.0, 90.5)
    on_page = (met[:, 0] >= x) & (met[:, 0] < x + 128.0) & (met[:, 1] >= z) & (met[:, 1] < z + 128.0)
    assert {(round(a * 64), round(b * 64)) for a, b in met[on_page, :2]} == set(drawn)


def test_pages_that_were_there_equal_pages_made_later_bit_for_bit() -> None:
    rng = np.random.default_rng(8)
    log = EditLog()
    land = LandSource(AnalyticSource(0.5), log, 5, 6)
    keys = [page_at(level, x, 20.0) for level in range(6) for x in (-20.0, 20.0)]
    pages = [land.make_page(key) for key in keys]
    first = [page.trees for page in pages]
    for turn in range(14):
        if turn % 5 == 4:
            log.undo()
        elif turn % 7 == 6:
            log.redo()
        else:
            brush = ("raise", "lower", "peak", "smooth", "restore")[turn % 5]
            x, z = (float(v) for v in rng.uniform(-150.0, 150.0, 2))
            land.dab(brush, x, z, float(rng.uniform(9.0, 120.0)), float(rng.uniform(5.0, 90.0)))
        land.show(log.snapshot())
        for page in pages:
            if rng.uniform() < 0.7:
                land.evaluate_box(page)
    counts = set()
    for page, original in zip(pages, first, strict=True):
        land.evaluate_box(page)
        again = land.make_page(page.key)
        assert np.array_equal(page.trees, again.trees)
        counts.add(len(page.trees) - len(original))
    assert len(counts) > 1
    while log.can_undo:
        log.undo()
    land.show(log.snapshot())
    for page, original in zip(pages, first, strict=True):
        land.evaluate_box(page)
        assert np.array_equal(page.trees, original)
        assert page.woods is not None
        assert page.woods.change.size == 0  # nothing is kept of what is gone


def test_nothing_grows_above_the_tree_line_nor_on_walls_and_woods_come_back() -> None:
    log = EditLog()
    land = LandSource(AnalyticSource(0.9), log, 5, 3)
    page = land.make_page(PageKey(0, 0, 0))
    all_of_them = len(page.trees)
    assert all_of_them > 200
    log.apply("raise", 64.0, 64.0, 2000.0, 200.0)  # higher, but hardly steeper: it is the cold that fells
    land.show(log.snapshot())
    land.evaluate_box(page)
    assert len(page.trees) == 0
    assert len(land.ground.trunks(64.0, 64.0, 60.0)) == 0
    log.undo()
    land.show(log.snapshot())
    land.evaluate_box(page)
    assert len(page.trees) == all_of_them
    log.apply("raise", 64.0, 64.0, 60.0, 90.0)
    land.show(log.snapshot())
    land.evaluate_box(page)
    assert 0 < len(page.trees) < all_of_them
    away = np.hypot(page.trees[:, 0] - 64.0, page.trees[:, 2] - 64.0)
    assert not ((away > 20.0) & (away < 36.0)).any()  # a slope of 2 there
    assert (away > 62.0).any()


def test_stamped_land_has_the_woods_of_its_heights() -> None:
    recipe = Recipe.load("alpine")
    plain = LandSource(HeightSource(recipe, 11), EditLog(), 11, 3)
    key = next(
        key
        for key in (PageKey(2, ix, iz) for iz in range(12) for ix in range(12))
        if len(plain.make_page(key).trees) > 500
    )
    x, z = key.origin_m
    peak = Stamp(float(x - 256), float(z - 256), 64.0, 0.0, np.full((17, 17), 6000.0, np.float32), "peak")
    land = LandSource(StampedSource(recipe, 11, [peak]), EditLog(), 11, 3)
    page = land.make_page(key)
    assert len(page.trees) == 0
    assert (page.climate[2:-2, 2:-2, 3] == 0).all()
    assert len(land.ground.trunks(x + 64.0, z + 64.0, 60.0)) == 0
