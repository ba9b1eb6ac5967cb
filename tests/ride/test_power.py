"""The power equation and the gears."""

from __future__ import annotations

import math

import pytest

from game.ecs.components import Bicycle
from game.ride import drivetrain
from game.ride.contact import WHEEL_RADIUS_M
from game.ride.power import (
    AIR_DENSITY_KG_M3,
    CRR,
    CRUISE_M_S,
    DEFAULT_POWER_W,
    MASS_KG,
    cda_m2,
    required_power_w,
    rolling_n,
    settled_crouch,
)


def test_power_is_the_sum_of_the_papers_terms() -> None:
    v, rise, crouch = 8.36, math.atan(0.003), 0.3
    air = 0.5 * AIR_DENSITY_KG_M3 * (cda_m2(crouch) + 0.0044) * v**3
    rolling = v * math.cos(rise) * CRR * MASS_KG * 9.80665
    bearings = v * (91.0 + 8.7 * v) * 1e-3
    climbing = v * MASS_KG * 9.80665 * math.sin(rise)
    expected = (air + rolling + bearings + climbing) / 0.97698
    assert required_power_w(v, rise, crouch) == pytest.approx(expected, rel=1e-12)


def test_bearing_friction_of_the_papers_example() -> None:
    # At 8.36 m/s the paper's bearings take 1.37 W.
    v = 8.36
    assert (rolling_n(v, 0.0, crr=0.0)) * v == pytest.approx(1.37, abs=0.01)


def test_default_power_is_what_cruising_takes() -> None:
    crouch = settled_crouch(CRUISE_M_S, 1.0)
    assert required_power_w(CRUISE_M_S, 0.0, crouch) == pytest.approx(DEFAULT_POWER_W)
    assert 250.0 < DEFAULT_POWER_W < 450.0


def test_neighbouring_gears_never_hunt() -> None:
    for gear in range(1, drivetrain.GEARS):
        v = drivetrain.SHIFT_UP_RPM / drivetrain.cadence_rpm(1.0, gear)
        assert drivetrain.cadence_rpm(v, gear + 1) > drivetrain.SHIFT_DOWN_RPM


def test_gears_keep_the_cadence_and_the_cranks_follow_the_wheel() -> None:
    b = Bicycle()
    for speed, most in ((4.0, 95.0), (8.0, 95.0), (12.0, 95.0)):
        b.speed_m_s = speed
        for _ in range(600):
            drivetrain.turn(b, 1.0, speed / 120.0, 1.0 / 120.0)
        assert 75.0 <= b.cadence_rpm <= most
        wheel, crank = b.wheel_angle_rad, b.crank_angle_rad
        drivetrain.turn(b, 1.0, speed / 120.0, 1.0 / 120.0)
        turned = (b.wheel_angle_rad - wheel) / (b.crank_angle_rad - crank)
        assert turned == pytest.approx(drivetrain.ratio(b.gear))
        assert b.wheel_angle_rad - wheel == pytest.approx(speed / 120.0 / WHEEL_RADIUS_M)


def test_legs_stop_when_the_gears_run_out() -> None:
    force, power = drivetrain.drive_n(25.0, drivetrain.GEARS, 1.0)
    assert force == power == 0.0
    assert drivetrain.drive_n(0.0, 1, 1.0)[0] > 250.0
