"""The autopilot: rides down, keeps off trunks and water, the same every time."""

from __future__ import annotations

import importlib
import math
from dataclasses import astuple
from pathlib import Path

import numpy as np
import pytest

from game.core.units import STEP_S
from game.ecs.components import Autopilot, Bicycle, Intent
from game.kernels import route
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


def test_the_way_out_leads_round_a_cliff_and_keeps_dry() -> None:
    n, spacing = 33, 16.0
    x = np.arange(n)[None, :] * spacing + np.zeros((n, 1))
    gentle = (300.0 - 0.15 * x).astype(np.float32)
    # The same slope with a cliff across its middle, and with a lake there.
    cliff, lake = gentle.copy(), gentle.copy()
    cliff[12:21, 17:] -= 150.0
    lake[12:21, 17:22] = -20.0

    def times(heights: np.ndarray) -> np.ndarray:
        out = np.empty((n, n), np.float64)
        assert route.times_out(heights, spacing, 0.0, out) < route.SWEEPS
        plain = np.empty((n, n), np.float64)
        route.times_out.py_func(heights, spacing, 0.0, plain)
        np.testing.assert_allclose(out, plain, rtol=1e-12)
        return out

    free = times(gentle)
    assert free[16, 8] > free[16, 16] > free[16, 24], "downhill is the way out"
    for heights in (cliff, lake):
        found = times(heights)
        assert found[16, 15] > free[16, 15] + 2.0, "above it takes longer"


def test_the_way_out_is_a_function_of_the_place() -> None:
    def coarse(level: int, i0: int, j0: int, ni: int, nj: int) -> np.ndarray:
        x, z = np.meshgrid(np.arange(i0, i0 + ni) * 16.0, np.arange(j0, j0 + nj) * 16.0)
        return (-0.1 * x + 20.0 * np.sin(z / 90.0)).astype(np.float32)

    first, second, third = (autopilot.Route(coarse) for _ in range(3))
    second.around(5000.0, -900.0, 0.0)
    third.look_ahead(900.0, 10.0, 0.0)
    third.look_ahead(-60.0, 10.0, 0.0)
    for way in (first, second, third):
        way.around(-60.0, 10.0, 0.0)
        assert np.array_equal(first.times, way.times)
        assert (first.x, first.z) == (way.x, way.z)


@pytest.mark.slow
def test_a_minute_downhill_on_twenty_seeds_without_a_fall(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).resolve().parents[2] / "tools")
    bench = importlib.import_module("bench_physics")
    rides = [bench.ride_downhill(seed) for seed in range(1, 21)]
    assert [falls for _, falls in rides] == [0] * 20
    assert float(np.mean([speed for speed, _ in rides])) >= 10.0
