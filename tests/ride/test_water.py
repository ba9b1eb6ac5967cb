"""Deep water: carried, paddling, out again; and trees under it are not in the way."""

from __future__ import annotations

import math

import numpy as np
import pytest

from game.core.units import STEP_S
from game.ecs.components import Bicycle, Intent
from game.ride import bicycle as riding
from game.ride.collisions import Collisions, Kind, Solid
from game.ride.contact import LandPatch
from game.ride.water import FLOAT_M, PADDLE_M_S, RECOVER_S
from game.world.vegetation import ROOT_M
from tests.ride.land import FormulaLand, slope


def beach() -> FormulaLand:
    """Falls 1 m in 20 to the east; at x = 0 it is at height 0."""
    return slope(-0.05)


def afloat(x: float = 100.0):  # type: ignore[no-untyped-def]
    land = beach()
    patch = LandPatch(land)
    b = Bicycle()
    riding.place(b, patch, x, 0.0, math.pi / 2)
    return b, patch


def go(b, land, seconds: float, sea: float, intent: Intent | None = None) -> None:  # type: ignore[no-untyped-def]
    for _ in range(round(seconds / STEP_S)):
        riding.step(b, intent or Intent(), land, STEP_S, sea_level_m=sea)


def test_deep_water_carries_to_the_surface() -> None:
    b, land = afloat()
    go(b, land, 3.0, 0.0)
    assert b.afloat_s > 0.0
    assert b.y == pytest.approx(-FLOAT_M, abs=0.05)
    assert (b.x, b.z) == (100.0, 0.0)


def test_a_swimmer_paddles_ashore_and_rides_on() -> None:
    b, land = afloat(20.5)
    b.yaw_rad = -math.pi / 2  # toward the beach
    go(b, land, RECOVER_S - 1.0, 0.0, Intent(pedal=1.0))
    assert b.afloat_s == 0.0
    assert b.x < 20.5 - 2.0 * PADDLE_M_S
    assert b.y == pytest.approx(land.height(b.x, b.z), abs=0.1)


def test_long_afloat_is_put_back_on_dry_land() -> None:
    b, land = afloat(-40.0)
    go(b, land, 0.5, -100.0)
    b.x = 60.0  # swept away
    go(b, land, RECOVER_S + 1.0, 0.0)
    assert b.afloat_s == 0.0
    assert land.height(b.x, b.z) > 0.0


def test_a_flight_into_the_sea_is_braked_not_a_fall() -> None:
    b, land = afloat(100.0)
    b.airborne, b.y, b.vx_m_s, b.vy_m_s = True, 8.0, 20.0, 0.0
    b.front_sprung_y = b.rear_sprung_y = 8.1
    b.front_y = b.rear_y = 8.0
    go(b, land, 4.0, 0.0)
    assert b.falls == 0
    assert b.afloat_s > 0.0
    assert b.speed_m_s < 3.0


def test_a_flood_that_comes_and_goes_leaves_the_pose() -> None:
    b, land = afloat(-40.0)
    before = (b.x, b.y, b.z, b.yaw_rad, b.pitch_rad, b.front_y, b.rear_y)
    for sea in (0.0, 60.0, 0.0):
        go(b, land, 1.0, sea, Intent(brake_front=1.0, brake_rear=1.0))
    assert (b.x, b.y, b.z, b.yaw_rad, b.pitch_rad, b.front_y, b.rear_y) == before


def test_trunks_under_water_are_not_met() -> None:
    space = Collisions(beach())
    trunk = Solid(0.0, 0.0, 0.0, 0.0, 0.3, 1.0 - ROOT_M, 9.0, Kind.TRUNK)
    space.add([trunk])

    def knock():  # type: ignore[no-untyped-def]
        return space.sweep((-2.0, 0.0), (2.0, 0.0), (1.0, 3.0), (10.0, 0.0), 0.4)

    assert knock() is not None
    space.sea_level_m = 1.2
    assert knock() is None
    space.sea_level_m = -np.inf
    assert knock() is not None
