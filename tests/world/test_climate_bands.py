"""Forests follow the climate: what is drawn is what is met, and a warm world has its trees back."""

from __future__ import annotations

import numpy as np
import pytest

from game.core.coords import PageKey
from game.kernels import scatter
from game.world.edits import EditLog
from game.world.land import LandSource
from game.world.recipe import Recipe
from game.world.source import HeightSource


@pytest.fixture(scope="module")
def land() -> LandSource:
    return LandSource(HeightSource(Recipe.load("alpine"), 7), EditLog(), 7, 4)


def _wooded(land: LandSource) -> list[np.ndarray]:
    return [land.make_page(PageKey(3, ix, iz)).trees for ix in (-3, -2) for iz in (-1, 0)]


def _share(rows: list[np.ndarray], warmth_c: float, moisture: float = 0.0) -> float:
    codes = scatter.climate_codes(warmth_c, moisture)
    stand = [scatter.standing(page, *codes) for page in rows]
    return float(np.concatenate(stand).mean())


def test_the_recipes_climate_has_every_tree(land: LandSource) -> None:
    rows = _wooded(land)
    assert sum(len(page) for page in rows) > 5000
    for warmth_c, moisture in ((0.0, 0.0), (30.0, 1.0), (0.0, 0.4), (2.5, 0.0)):
        assert _share(rows, warmth_c, moisture) == 1.0


def test_cold_and_drought_thin_forests_without_a_line(land: LandSource) -> None:
    rows = _wooded(land)
    shares = [_share(rows, -warmth) for warmth in np.arange(0.0, 30.5, 0.5)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] == 1.0
    assert shares[-1] == 0.0
    assert max(np.abs(np.diff(shares))) < 0.2  # half a degree is 77 m of height
    dry = [_share(rows, 0.0, -m) for m in np.linspace(0.0, 1.0, 41)]
    assert dry == sorted(dry, reverse=True)
    assert dry[-1] == 0.0
    assert 0.0 < _share(rows, -6.0) < _share(rows, -3.0)


def test_high_trees_go_first(land: LandSource) -> None:
    rows = np.concatenate(_wooded(land))
    stands = scatter.standing(rows, *scatter.climate_codes(-4.0, 0.0))
    assert 0.05 < stands.mean() < 0.95
    high = rows[:, 1] > np.quantile(rows[:, 1], 0.8)
    assert stands[high].mean() < 0.2 < 0.8 < stands[rows[:, 1] < np.quantile(rows[:, 1], 0.2)].mean()


def test_every_level_drops_the_same_trees(land: LandSource) -> None:
    """A tree bears the same climate on every page that carries it, whatever the level's heights."""
    coarse = land.make_page(PageKey(3, -2, -1))
    x0, z0 = coarse.key.origin_m
    known = {(float(x0 + row[0]), float(z0 + row[2])): row[6] for row in coarse.trees}
    met = 0
    for ix in range(8):
        for iz in range(8):
            fine = land.make_page(PageKey(0, -16 + ix, -8 + iz))
            x, z = fine.key.origin_m
            for row in fine.trees:
                assert known[(float(x + row[0]), float(z + row[2]))] == row[6]
                met += 1
    assert met == len(known) > 100


def test_trunks_are_those_of_the_climate(land: LandSource) -> None:
    ground = land.ground
    coarse = land.make_page(PageKey(3, -2, -1))
    row = coarse.trees[len(coarse.trees) // 2]
    x, z = coarse.key.origin_m[0] + float(row[0]), coarse.key.origin_m[1] + float(row[2])
    before, epoch = ground.trunks(x, z, 100.0), ground.epoch
    assert len(before) > 5
    ground.grow(-30.0, 0.0)
    assert ground.epoch != epoch
    assert len(ground.trunks(x, z, 100.0)) == 0
    land.dab("raise", x, z, 20.0, 2.0)
    land.show(land.edits.snapshot())
    assert len(ground.trunks(x, z, 100.0)) == 0
    land.edits.undo()
    land.show(land.edits.snapshot())
    ground.grow(0.0, 0.0)
    assert np.array_equal(ground.trunks(x, z, 100.0), before)


def test_the_kernels_agree_with_plain_python() -> None:
    limits = np.array((2.7, 4.5, 0.1, 0.3), np.float32)
    draws = np.linspace(0.0, 0.999, 7).astype(np.float32)
    for celsius in (-3.0, 2.9, 4.0, 14.0):
        for humidity in (0.05, 0.2, 0.9):
            for draw in draws:
                at = (1, np.float32(celsius), np.float32(humidity), limits, draw, draw)
                code = scatter.hardy_kind(*at)
                assert code == scatter.hardy_kind.py_func(*at)
                assert int(code) & 1 == 1
                rows = np.zeros((1, 8), np.float32)
                rows[0, 6] = code
                for warmth in (-40.0, -9.3, 0.0):
                    codes = scatter.climate_codes(warmth, 0.0)
                    assert scatter.standing(rows, *codes)[0] == scatter.standing.py_func(rows, *codes)[0]
                assert scatter.standing(rows, *scatter.climate_codes(0.0, 0.0))[0]
