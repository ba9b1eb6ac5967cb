"""Heightmaps laid over the land: the same bits on every page and level, nothing outside, no data means land."""

from __future__ import annotations

import math

import numpy as np
import pytest

from game.core.coords import GENERATED_APRON, PAGE_QUADS, PageKey
from game.world.edits import EditLog
from game.world.recipe import Recipe
from game.world.source import HeightSource
from game.world.stamps import Stamp, StampedSource, StampLayer, make_source

A = GENERATED_APRON


@pytest.fixture(scope="module")
def recipe() -> Recipe:
    return Recipe.load("alpine")


def bumpy(rows: int, columns: int, base: float = 900.0) -> np.ndarray:
    j, i = np.mgrid[:rows, :columns].astype(np.float64)
    return (base + 40 * np.sin(i * 0.7) + 25 * np.cos(j * 0.45) + 0.5 * i - 0.3 * j).astype(np.float32)


@pytest.fixture(scope="module")
def stamps() -> list[Stamp]:
    holed = bumpy(90, 140)
    holed[30:40, 50:70] = np.nan
    return [
        Stamp(-700.0, -420.0, 10.0, 40.0, holed),
        Stamp(-130.5, -70.25, 0.75, 0.0, bumpy(200, 310, 500.0)),
    ]


@pytest.fixture(scope="module")
def source(recipe: Recipe, stamps: list[Stamp]) -> StampedSource:
    return StampedSource(recipe, 7, stamps)


def r_of(page, channel: int = 0) -> np.ndarray:  # type: ignore[no-untyped-def]
    return page.base[A : A + PAGE_QUADS + 1, A : A + PAGE_QUADS + 1, channel]


@pytest.mark.parametrize("level", range(9))
def test_g_at_even_samples_is_the_parents_r_bit_for_bit(source: StampedSource, level: int) -> None:
    for ix, iz in ((-1, -1), (0, 0), (-2, -1)):
        key = PageKey(level, ix, iz)
        page, parent = source.generate(key), source.generate(key.parent)
        i, j = (ix & 1) * PAGE_QUADS // 2, (iz & 1) * PAGE_QUADS // 2
        half = PAGE_QUADS // 2 + 1
        assert np.array_equal(r_of(page, 1)[::2, ::2], r_of(parent)[j : j + half, i : i + half])


def test_the_same_holds_after_edits(source: StampedSource) -> None:
    log = EditLog()
    log.apply("raise", -130.0, -70.0, 60.0, 12.0)
    for level in range(4):
        key = PageKey(level, -1, -1)
        page, parent = source.generate(key), source.generate(key.parent)
        log.evaluate(page)
        log.evaluate(parent)
        even = page.edited[A : A + PAGE_QUADS + 1 : 2, A : A + PAGE_QUADS + 1 : 2, 1]
        first = A + PAGE_QUADS // 2
        assert np.array_equal(even, parent.edited[first : first + 65, first : first + 65, 0])


@pytest.mark.parametrize("level", [0, 2, 4])
def test_neighbours_and_blocks_agree_on_every_bit(source: StampedSource, level: int) -> None:
    west, east = (source.generate(PageKey(level, ix, -1)) for ix in (-1, 0))
    n = PAGE_QUADS
    assert np.array_equal(west.base[:, n : n + 2 * A, 0], east.base[:, : 2 * A, 0])
    block = source.block(level, -n, -n, n + 1, n + 1)
    assert np.array_equal(block, r_of(west))
    assert np.isfinite(west.heights[2:-2:2, 2:-2:2]).all()


def test_the_land_outside_is_untouched(recipe: Recipe, source: StampedSource) -> None:
    plain = HeightSource(recipe, 7)
    for key in (PageKey(0, 40, 40), PageKey(3, 3, -5), PageKey(0, -8, -1)):
        assert np.array_equal(source.generate(key).base, plain.generate(key).base, equal_nan=True)
    inside = PageKey(0, -1, -1)
    assert not np.array_equal(source.generate(inside).base, plain.generate(inside).base, equal_nan=True)


def test_samples_of_the_stamp_are_exact_without_feather(recipe: Recipe) -> None:
    heights = bumpy(33, 47)
    source = StampedSource(recipe, 7, [Stamp(-20.0, 64.0, 1.0, 0.0, heights)])
    assert np.array_equal(source.block(0, -20, 64, 47, 33), heights)
    plain = HeightSource(recipe, 7)
    around = source.block(0, -25, 60, 57, 41)
    land = plain.block(0, -25, 60, 57, 41)
    changed = around != land
    assert changed[4:37, 5:52].all()
    changed[4:37, 5:52] = False
    assert not changed.any()


def test_rows_run_south_and_columns_east(recipe: Recipe) -> None:
    heights = np.full((5, 7), 100.0, np.float32)
    heights[0, 6] = 200.0  # north-east
    heights[4, 1] = 300.0  # south, one from the west
    source = StampedSource(recipe, 1, [Stamp(1000.0, 2000.0, 2.0, 0.0, heights)])
    assert source.block(0, 1012, 2000, 1, 1)[0, 0] == 200.0
    assert source.block(0, 1002, 2008, 1, 1)[0, 0] == 300.0
    assert source.unlimited(np.array([1012.0]), np.array([2000.0]))[0, 0] == 200.0


def test_missing_data_shows_the_land_and_is_never_blended(recipe: Recipe) -> None:
    heights = np.full((9, 9), 1500.0, np.float32)
    heights[4, 4] = np.nan
    source = StampedSource(recipe, 3, [Stamp(0.0, 0.0, 4.0, 0.0, heights)])
    plain = HeightSource(recipe, 3)
    mine, land = source.block(0, 0, 0, 33, 33), plain.block(0, 0, 0, 33, 33)
    assert mine[16, 16] == land[16, 16]
    low, high = min(land.min(), 1500.0), max(land.max(), 1500.0)
    assert mine.min() >= low - 1e-3
    assert mine.max() <= high + 1e-3
    assert (mine[:12, :] == 1500.0).all()


def test_feather_passes_smoothly_into_the_land(recipe: Recipe) -> None:
    flat = np.full((101, 101), 0.0, np.float32)
    layer = StampLayer([Stamp(0.0, 0.0, 1.0, 20.0, flat)])
    xs = np.arange(-5.0, 106.0)
    out = np.full((1, len(xs)), 100.0, np.float32)
    layer.lay(0, xs, np.array([50.0]), out)
    row = out[0]
    assert (row[:5] == 100.0).all()
    assert (row[30:80] == 0.0).all()
    assert (np.diff(row[:50]) <= 1e-4).all()
    assert np.abs(np.diff(row)).max() < 10.0


def test_coarse_levels_keep_the_mean_not_single_samples(recipe: Recipe) -> None:
    rng = np.random.default_rng(5)
    noisy = (1000.0 + rng.normal(0.0, 50.0, (257, 257))).astype(np.float32)
    layer = StampLayer([Stamp(0.0, 0.0, 1.0, 0.0, noisy)])
    xs = np.arange(32.0, 225.0, 16.0)
    out = np.zeros((len(xs), len(xs)), np.float32)
    layer.lay(4, xs, xs, out)
    assert np.abs(out - 1000.0).max() < 15.0
    # And a stamp of less than two samples is not there at all.
    out[:] = 7.0
    layer.lay(9, xs, xs, out)
    assert (out == 7.0).all()


def test_far_from_the_origin_nothing_is_lost(recipe: Recipe) -> None:
    heights = bumpy(9, 11)
    x, z = -999_999_000.0, 999_998_000.0
    source = StampedSource(recipe, 7, [Stamp(x, z, 1.0, 0.0, heights)])
    assert np.array_equal(source.block(0, int(x), int(z), 11, 9), heights)


def test_climate_follows_the_new_height(recipe: Recipe) -> None:
    plain = HeightSource(recipe, 7)
    source = StampedSource(recipe, 7, [Stamp(0.0, 0.0, 10.0, 0.0, np.full((9, 9), 5000.0, np.float32))])
    assert source.climate_at(40.0, 40.0).temperature_c < plain.climate_at(40.0, 40.0).temperature_c - 10.0
    key = PageKey(0, 0, 0)
    assert source.generate(key).climate[40, 40, 0] < plain.generate(key).climate[40, 40, 0]
    assert source.generate(key).max_m >= 5000.0


def test_no_stamps_no_layer(recipe: Recipe) -> None:
    assert type(make_source(recipe, 1, [])) is HeightSource


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"x": math.nan}, "x = nan"),
        ({"z": 2e9}, "z = "),
        ({"spacing_m": 0.0}, "spacing_m = 0.0"),
        ({"spacing_m": -1.0}, "spacing_m"),
        ({"feather_m": math.inf}, "feather_m = inf"),
        ({"heights": np.zeros((1, 5), np.float32)}, "size"),
        ({"heights": np.zeros((3, 3))}, "float64"),
        ({"heights": np.full((3, 3), np.nan, np.float32)}, "without data"),
        ({"heights": np.full((3, 3), 1e9, np.float32)}, "20000"),
        ({"heights": np.full((3, 3), np.inf, np.float32)}, "heights"),
    ],
)
def test_unusable_stamps_are_refused_by_name(change: dict, named: str) -> None:
    good = {"x": 0.0, "z": 0.0, "spacing_m": 1.0, "feather_m": 0.0, "heights": np.zeros((3, 3), np.float32)}
    with pytest.raises(ValueError, match=named):
        Stamp(**{**good, **change})
