"""Edited land has the temperature of its height."""

from __future__ import annotations

import numpy as np

from game.core.coords import page_at
from game.world.edits import EditLog
from game.world.land import LandSource
from game.world.recipe import Recipe
from game.world.source import HeightSource

SOURCE = HeightSource(Recipe.load("alpine"), 7)
LAPSE = SOURCE.recipe.climate.lapse_c_m


def test_a_raised_hill_is_colder_and_undo_warms_it_again() -> None:
    log = EditLog()
    land = LandSource(SOURCE, log, 7, 0)
    key = page_at(0, 64.0, 64.0)
    page = land.make_page(key)
    before, heights = page.climate.copy(), page.heights.copy()
    shared = page.climate
    assert not land.renew_climate(page)
    log.apply("raise", 64.0, 64.0, 50.0, 300.0)
    log.evaluate_box(page)
    assert land.renew_climate(page)
    assert not land.renew_climate(page)  # once is enough
    colder = before[..., 0].astype(int) - page.climate[..., 0]
    rise = page.heights[..., 0] - heights[..., 0]
    assert np.abs(colder - rise * LAPSE * 255.0 / 60.0).max() <= 0.51
    assert colder.max() >= 8
    assert np.array_equal(page.climate[..., 1:], before[..., 1:])
    assert np.array_equal(shared, before)  # whoever holds the old array sees no change
    # A page that arrives later has the same bytes.
    land.show(log.snapshot())
    assert np.array_equal(land.make_page(key).climate, page.climate)
    page.rest()
    log.undo()
    log.evaluate_box(page)
    assert land.renew_climate(page)
    assert np.array_equal(page.climate, before)


def test_a_small_dab_sends_no_climate() -> None:
    log = EditLog()
    land = LandSource(SOURCE, log, 7, 0)
    page = land.make_page(page_at(0, 64.0, 64.0))
    log.apply("raise", 64.0, 64.0, 50.0, 5.0)
    log.evaluate_box(page)
    assert not land.renew_climate(page)
