"""The autopilot: rides down, keeps off trunks and water, the same every time."""

from __future__ import annotations

import math
from dataclasses import astuple

import numpy as np
import pytest

from game.core.units import STEP_S
from game.ecs.components import Autopilot, Bicycle, Intent
from game.ride import autopilot
from game.ride import bicycle as riding
from game.ride.collisions import Collisions
from game.ride.contact import LandPatch
from tests.ride.land import FormulaLand, flat, forest, hills, slope


def drive(
    land: FormulaLand,
    seconds: float,
    mode: str = "downhill",
    yaw: float = math.pi / 2,
    sea: float = -math.inf,
) -> tuple[Bicycle, float]:
    """Ride on autopilot; returns the bicycle and the lowest height it came to."""
    near, far = LandPatch(land), LandPatch(land, autopilot.PATCH_M)
    obstacles = Collisions(near)
    b, plan, intent = Bicycle(), Autopilot(mode=mode), Intent()
    riding.place(b, near, 0.0, 0.0, yaw)
    lowest = b.y
    for _ in range(round(seconds / STEP_S)):
        autopilot.steer(b, far, plan, intent, sea, STEP_S)
        riding.step(b, intent, near, STEP_S, obstacles, sea)
        lowest = min(lowest, b.y)
    return b, lowest


@pytest.mark.parametrize("seed", [1, 2, 4])
def test_downhill_on_rolling_land(seed: int) -> None:
    land = hills(seed)
    b, lowest = drive(land, 20.0)
    assert b.falls == 0
    assert b.distance_m / 20.0 > 8.0
    assert land.height(0.0, 0.0) - lowest > 18.0


def test_a_forest_is_ridden_through_without_a_fall() -> None:
    b, _ = drive(FormulaLand(slope(-0.12).field, forest(5.0, 500)), 20.0)
    assert b.falls == 0
    assert b.distance_m > 90.0


def test_straight_keeps_the_heading() -> None:
    b, _ = drive(flat(), 20.0, "straight", yaw=0.7)
    assert math.remainder(b.yaw_rad - 0.7, 2 * math.pi) == pytest.approx(0.0, abs=0.02)
    assert b.distance_m > 150.0


def test_straight_goes_round_a_trunk_and_back_to_its_heading() -> None:
    land = flat([(60.0, 0.1, 0.4, -1.0, 9.0)])
    b, _ = drive(land, 14.0, "straight")
    assert b.x > 90.0
    assert b.falls == 0
    assert math.remainder(b.yaw_rad - math.pi / 2, 2 * math.pi) == pytest.approx(0.0, abs=0.1)


def test_it_stays_out_of_the_water() -> None:
    land = FormulaLand(lambda x, z: -0.1 * x)
    b, lowest = drive(land, 30.0, sea=-15.0)
    assert b.falls == 0
    assert lowest > -15.0


def test_it_does_not_ride_off_a_cliff() -> None:
    land = FormulaLand(lambda x, z: np.where(x > 80.0, -80.0, -0.1 * x))
    b, lowest = drive(land, 20.0)
    assert b.falls == 0
    assert lowest > -60.0


def test_it_turns_round_when_set_down_facing_uphill() -> None:
    b, lowest = drive(slope(-0.3), 20.0, yaw=-math.pi / 2)
    assert b.x > 60.0
    assert lowest < -15.0


def test_it_is_deterministic() -> None:
    land = hills(5, forest(9.0, 300))
    assert astuple(drive(land, 8.0)[0]) == astuple(drive(land, 8.0)[0])


def test_unknown_modes_are_refused() -> None:
    with pytest.raises(ValueError, match="sideways"):
        autopilot.steer(Bicycle(), flat(), Autopilot(mode="sideways"), Intent())
