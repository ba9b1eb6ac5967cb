"""The bicycle: energy, terminal speeds, steering, wheels on the land, hops, falls and recovery."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from game.core.clock import FixedStep
from game.core.units import GRAVITY_M_S2, STEP_S
from game.ecs.components import Bicycle, Intent
from game.ride import bicycle as riding
from game.ride import recovery, steering
from game.ride.collisions import Collisions
from game.ride.contact import LandPatch, clearance
from game.ride.power import (
    CRUISE_M_S,
    DEFAULT_POWER_W,
    EFFECTIVE_MASS_KG,
    MASS_KG,
    drag_n,
    required_power_w,
    rolling_n,
    settled_crouch,
)
from tests.ride.land import FormulaLand, flat, hills, noise, rough, slope

EAST = math.pi / 2


def start(land: FormulaLand, x: float = 0.0, z: float = 0.0, speed: float = 0.0) -> tuple[Bicycle, LandPatch]:
    patch = LandPatch(land)
    b = Bicycle()
    riding.place(b, patch, x, z, EAST)
    b.speed_m_s = b.spin_m_s = b.vx_m_s = speed
    return b, patch


def ride(b: Bicycle, land: LandPatch, seconds: float, intent: Intent | None = None, **more: float) -> None:
    for _ in range(round(seconds / STEP_S)):
        riding.step(b, intent or Intent(), land, STEP_S, **more)


def solve(force: Callable[[float], float]) -> float:
    """Speed at which a force that falls with speed is zero."""
    low, high = 0.1, 80.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if force(middle) > 0.0 else (low, middle)
    return low


def energy_j(b: Bicycle) -> float:
    wheels = EFFECTIVE_MASS_KG - MASS_KG
    return 0.5 * MASS_KG * b.speed_m_s**2 + 0.5 * wheels * b.spin_m_s**2 + MASS_KG * GRAVITY_M_S2 * b.y


def test_default_power_settles_at_twelve_metres_a_second() -> None:
    b, land = start(flat())
    ride(b, land, 120.0, Intent(pedal=1.0))
    assert b.speed_m_s == pytest.approx(CRUISE_M_S, rel=0.005)
    before = b.x
    ride(b, land, 1.0, Intent(pedal=1.0))
    assert b.x - before == pytest.approx(CRUISE_M_S, rel=0.005)


def test_sprint_is_faster() -> None:
    b, land = start(flat(), speed=12.0)
    ride(b, land, 60.0, Intent(pedal=1.6))
    assert 13.5 < b.speed_m_s < 15.5


@pytest.mark.parametrize("rise", [-0.05, -0.10, -0.20])
def test_coasting_speed_solves_the_power_equation(rise: float) -> None:
    angle = math.atan(rise)

    def force(v: float) -> float:
        resist = drag_n(v, settled_crouch(v, 0.0)) + rolling_n(v, angle)
        return -MASS_KG * GRAVITY_M_S2 * math.sin(angle) - resist

    b, land = start(slope(rise))
    ride(b, land, 120.0)
    assert b.speed_m_s == pytest.approx(solve(force), rel=0.02)
    assert not b.airborne


@pytest.mark.parametrize("rise", [0.0, -0.05, -0.10])
@pytest.mark.parametrize("speed", [4.0, 14.0])
def test_coasting_down_follows_the_power_equation_all_the_way(rise: float, speed: float) -> None:
    """Speed and way after 20 s against the equation of motion, integrated here in steps of a tenth of the game's."""
    angle = math.atan(rise)
    b, land = start(slope(rise), speed=speed)
    begin, v, way, crouch = b.x, speed, 0.0, b.crouch
    for n in range(20 * 1200):
        if n % 1200 == 0:
            ride(b, land, 1.0)
        pull = -MASS_KG * GRAVITY_M_S2 * math.sin(angle)
        crouch += min(0.001, max(-0.001, settled_crouch(v, 0.0) - crouch))
        v = max(0.0, v + (pull - drag_n(v, crouch) - rolling_n(v, angle)) / EFFECTIVE_MASS_KG / 1200)
        way += v / 1200
    assert b.speed_m_s == pytest.approx(v, rel=0.02, abs=0.02)
    assert (b.x - begin) / math.cos(angle) == pytest.approx(way, rel=0.02)


@pytest.mark.parametrize("rise", [0.03, 0.06, 0.12])
def test_climbing_speed_solves_the_power_equation(rise: float) -> None:
    angle = math.atan(rise)
    expected = solve(lambda v: DEFAULT_POWER_W - required_power_w(v, angle, settled_crouch(v, 1.0)))
    b, land = start(slope(rise))
    ride(b, land, 60.0, Intent(pedal=1.0))
    assert b.speed_m_s == pytest.approx(expected, rel=0.02)


def test_the_same_inputs_at_any_frame_rate_give_the_same_state() -> None:
    def state(fps: int) -> tuple[object, ...]:
        b, land = start(hills(3))
        clock = FixedStep(paced_by_wall_clock=False)
        while clock.steps_done < 2400:
            first = clock.steps_done
            for n in range(first, min(2400, first + clock.advance(1.0 / fps))):
                intent = Intent(pedal=1.0, steer=math.sin(n / 90.0), hop=n % 400 > 390)
                riding.step(b, intent, land, STEP_S)
        return astuple(b)

    expected = state(120)
    for fps in (24, 59, 144, 1000):
        assert state(fps) == expected


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), height=st.floats(0.0, 3.0), speed=st.floats(0.0, 25.0))
@example(seed=236, height=2.75, speed=4.0)
def test_energy_never_grows_without_power(seed: int, height: float, speed: float) -> None:
    b, land = start(rough(height, -0.1, seed), speed=speed)
    energy = energy_j(b)
    for n in range(600):
        falls = b.falls
        # Turning on the spot is the rider's work with a foot on the ground, so at rest there is none.
        steer = math.sin(n / 50.0) if b.speed_m_s > 2.0 else 0.0
        riding.step(b, Intent(steer=steer), land, STEP_S)
        if b.fallen_s == 0.0 and falls == b.falls:
            # All but at rest on metre-high steps a wheel may settle on another edge, a hand higher.
            assert energy_j(b) <= energy + 1e-6 * abs(energy) + (0.01 if b.speed_m_s > 1.0 else 100.0)
        if b.falls != falls or b.fallen_s > 0.0:
            break
        energy = energy_j(b)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), height=st.floats(0.0, 4.0), speed=st.floats(0.0, 30.0))
def test_wheels_touch_and_never_sink(seed: int, height: float, speed: float) -> None:
    b, land = start(rough(height, -0.1, seed), speed=speed)
    for n in range(480):
        riding.step(b, Intent(pedal=1.0, steer=math.sin(n / 40.0)), land, STEP_S)
        gap = clearance(b, land)
        assert gap >= -0.001
        if not b.airborne:
            assert gap <= 0.02
        assert all(math.isfinite(v) for v in astuple(b))


def cliff(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    return np.where(x > 20.0, -60.0, 0.0)


def wall(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    return np.where(x > 20.0, 80.0, 0.0)


def pit(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    return np.where(np.abs(x - 22.0) < 2.0, -40.0, 0.0)


def spikes(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    return 30.0 * noise(x, z, 5)


@pytest.mark.parametrize("field", [cliff, wall, pit, spikes])
@pytest.mark.parametrize("speed", [0.0, 8.0, 40.0])
def test_any_land_leaves_the_state_finite_and_the_rider_above_it(field: Callable, speed: float) -> None:
    b, land = start(FormulaLand(field), speed=speed)
    top = 0.0
    for n in range(1200):
        riding.step(b, Intent(pedal=1.6, steer=0.2 * math.sin(n / 30.0)), land, STEP_S)
        assert all(math.isfinite(v) for v in astuple(b))
        assert clearance(b, land) >= -0.001
        assert abs(b.heave_m) < 0.35
        top = max(top, b.y)
    assert top < 130.0


def test_a_cliff_is_flown_off_ballistically() -> None:
    b, land = start(FormulaLand(cliff), x=15.0, speed=10.0)
    while not b.airborne:
        riding.step(b, Intent(), land, STEP_S)
    y, vy = b.y, b.vy_m_s
    for _ in range(60):
        riding.step(b, Intent(), land, STEP_S)
    t = 60 * STEP_S
    assert b.y == pytest.approx(y + vy * t - 0.5 * GRAVITY_M_S2 * t * t, abs=0.03)


def test_the_brake_holds_on_a_slope() -> None:
    for yaw in (0.0, EAST, math.pi, -EAST):
        patch = LandPatch(slope(-0.5))
        b = Bicycle()
        riding.place(b, patch, 0.0, 0.0, yaw)
        ride(b, patch, 5.0, Intent(brake_front=1.0, brake_rear=1.0))
        assert (b.x, b.z) == (0.0, 0.0)


def test_braking_is_bounded_by_the_rear_wheel_lifting() -> None:
    b, land = start(flat(), speed=12.0)
    before = b.x
    ride(b, land, 4.0, Intent(brake_front=1.0, brake_rear=1.0))
    assert b.speed_m_s == 0.0
    distance = b.x - before
    assert 12.0**2 / (2 * 0.74 * GRAVITY_M_S2) < distance < 12.0**2 / (2 * 0.6 * GRAVITY_M_S2)


def test_the_rear_brake_alone_locks() -> None:
    b, land = start(flat(), speed=12.0)
    steps = [
        riding.step(b, Intent(brake_rear=1.0), land, STEP_S, surface=riding.Surface(grip=0.5))
        for _ in range(9)
    ]
    assert steps
    assert b.rear_locked


@pytest.mark.parametrize("kmh", [5.0, 60.0])
@pytest.mark.parametrize("frames", [1, 6, 60])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_lateral_acceleration_is_capped(kmh: float, frames: int, side: float) -> None:
    b, land = start(flat(), speed=kmh / 3.6)
    most, turned = 0.0, 0.0
    for n in range(240):
        yaw = b.yaw_rad
        intent = Intent(pedal=0.5, steer=side if n < 2 * frames else 0.0)
        riding.step(b, intent, land, STEP_S)
        rate = math.remainder(b.yaw_rad - yaw, 2 * math.pi) / STEP_S
        most = max(most, abs(rate * b.speed_m_s))
        turned += math.remainder(b.yaw_rad - yaw, 2 * math.pi)
    assert most <= steering.LATERAL_G * GRAVITY_M_S2 * 1.001
    assert turned * side > 0.0
    assert abs(b.lean_rad) < 0.02


def test_lean_balances_the_turn() -> None:
    b, land = start(flat(), speed=12.0)
    ride(b, land, 2.0, Intent(pedal=1.0, steer=0.5))
    assert math.tan(b.lean_rad) == pytest.approx(b.speed_m_s**2 * b.turn_1_m / GRAVITY_M_S2, rel=0.01)
    assert b.lean_rad > 0.2


def test_left_and_right_mirror() -> None:
    ends = []
    for side in (-1.0, 1.0):
        b, land = start(flat(), speed=9.0)
        for n in range(480):
            riding.step(b, Intent(pedal=1.0, steer=side * math.sin(n / 70.0)), land, STEP_S)
        ends.append((b.x, b.z))
    assert ends[0][0] == pytest.approx(ends[1][0], abs=1e-9)
    assert ends[0][1] == pytest.approx(-ends[1][1], abs=1e-9)


def test_riding_at_a_wall_stops_and_riding_up_a_ramp_does_not() -> None:
    heights = []
    for rise in (4.0, 0.35):
        land = FormulaLand(lambda x, z, rise=rise: np.clip(rise * (x - 20.0), 0.0, 4.0))
        b, patch = start(land, x=12.0, speed=9.0)
        top = 0.0
        for _ in range(480):
            riding.step(b, Intent(), patch, STEP_S)
            top = max(top, b.y)
        heights.append(top)
    assert heights[0] < 1.2
    # Of the 9²/2g = 4.1 m that the speed is worth, a ramp yields most.
    assert heights[1] > 2.8


def test_a_hop_rises_half_a_metre_once_for_a_press() -> None:
    b, land = start(flat(), speed=8.0)
    top, flights, before = 0.0, 0, False
    for _ in range(360):
        riding.step(b, Intent(pedal=1.0, hop=True), land, STEP_S)
        top = max(top, b.y)
        flights += b.airborne and not before
        before = b.airborne
    assert top == pytest.approx(riding.HOP_M, abs=0.03)
    assert flights == 1
    assert b.falls == 0


def test_landing_from_two_metres_is_survived_and_from_twenty_is_not() -> None:
    for drop, falls in ((2.0, 0), (20.0, 1)):
        land = FormulaLand(lambda x, z, drop=drop: np.where(x > 20.0, -drop, 0.0))
        b, patch = start(land, x=10.0, speed=9.0)
        ride(b, patch, 3.5)
        assert b.falls == falls


def test_noise_of_the_land_does_not_launch_the_bicycle() -> None:
    b, land = start(rough(0.05, -0.05), speed=10.0)
    flown = 0
    for _ in range(1200):
        riding.step(b, Intent(pedal=1.0), land, STEP_S)
        flown += b.airborne
    assert flown == 0


def test_recover_goes_to_a_dry_gentle_free_place_at_rest() -> None:
    trunks = [(12.0, 0.3, 0.2, -5.0, 9.0)]
    land = FormulaLand(lambda x, z: np.where(x > 30.0, -5.0, 0.0), trunks)
    b, patch = start(land, speed=8.0)
    obstacles = Collisions(patch)
    ride(b, patch, 1.2)
    riding.step(b, Intent(recover=True), patch, STEP_S, obstacles, sea_level_m=-1.0)
    assert (b.speed_m_s, b.lean_rad, b.fallen_s) == (0.0, 0.0, 0.0)
    assert b.y > -0.7
    assert math.hypot(b.x - 12.0, b.z - 0.3) > recovery.SAFE_REACH_M
    assert abs(clearance(b, patch)) < 1e-3


def test_recover_finds_another_place_when_the_old_one_drowned() -> None:
    land = FormulaLand(lambda x, z: 0.2 * np.maximum(z, 0.0))
    b, patch = start(land)
    riding.recover(b, patch, None, sea_level_m=2.0)
    assert b.y > 2.0


def test_land_that_rises_under_a_resting_rider_carries_him() -> None:
    land = flat()
    b, patch = start(land)
    ride(b, patch, 0.2, Intent(brake_front=1.0, brake_rear=1.0))
    land.field = lambda x, z: np.full_like(x, 40.0)
    land.epoch = 1
    ride(b, patch, 0.2, Intent(brake_front=1.0, brake_rear=1.0))
    assert b.y == pytest.approx(40.0)
    assert b.falls == 0
    land.field = lambda x, z: np.zeros_like(x)
    land.epoch = 2
    ride(b, patch, 0.2, Intent(brake_front=1.0, brake_rear=1.0))
    assert b.y == pytest.approx(0.0)
    assert b.falls == 0


def test_water_stops_the_rider_and_leaves_a_parked_one_alone() -> None:
    b, land = start(flat(), speed=12.0)
    for _ in range(360):
        riding.step(b, Intent(pedal=1.0), land, STEP_S, sea_level_m=1.5)
    # Deep water carries: no faster than a swimmer.
    assert b.speed_m_s < 1.0
    wading, land = start(flat(), speed=12.0)
    ride(wading, land, 4.0, Intent(pedal=1.0), sea_level_m=0.8)
    assert wading.afloat_s == 0.0
    assert wading.speed_m_s < 1.6
    parked, land = start(flat())
    before = (parked.x, parked.y, parked.z)
    for sea in (0.0, 60.0, 0.0):
        ride(parked, land, 0.5, sea_level_m=sea)
    assert (parked.x, parked.y, parked.z) == before


def test_the_edge_of_the_world_stops_the_rider() -> None:
    b, land = start(flat(), x=1e9 - 10.0, speed=20.0)
    ride(b, land, 2.0, Intent(pedal=1.0))
    assert b.x <= 1e9
    assert b.speed_m_s < 1.0


def test_too_steep_to_hold_swings_into_the_fall_line() -> None:
    patch = LandPatch(slope(-1.6))
    b = Bicycle()
    riding.place(b, patch, 0.0, 0.0, 0.0)
    ride(b, patch, 2.0, Intent(brake_front=1.0))
    assert abs(math.remainder(b.yaw_rad - EAST, 2 * math.pi)) < 0.3
    assert b.speed_m_s > 1.0
