"""The chase camera: above the land, rider in sight, calm, and still when told to be."""

from __future__ import annotations

import math

import numpy as np
import pytest

from game.core.units import STEP_S
from game.ecs.components import Bicycle, ChaseCamera, Intent
from game.ride import bicycle as riding
from game.ride import camera as chase
from game.ride.contact import LandPatch
from tests.ride.land import FormulaLand, flat, hills, rough

EAST = math.pi / 2


def test_it_settles_behind_and_above_on_the_flat() -> None:
    land = LandPatch(flat())
    b, c = Bicycle(), ChaseCamera()
    riding.place(b, land, 3.0, 4.0, EAST)
    for _ in range(240):
        chase.step(c, b, land, STEP_S)
    assert (c.x, c.z) == pytest.approx((3.0 - chase.ARM_M, 4.0), abs=1e-6)
    assert c.y == pytest.approx(chase.LIFT_M, abs=1e-3)
    assert c.yaw_rad == pytest.approx(EAST)
    assert -0.4 < c.pitch_rad < 0.0
    assert c.fov_y_rad == pytest.approx(math.radians(62.0))


@pytest.mark.parametrize("degrees", [40.0, 60.0, 80.0])
@pytest.mark.parametrize("foot", [0.0, 1.5, 4.0])
def test_a_slope_behind_leaves_it_above_ground_with_the_rider_in_sight(degrees: float, foot: float) -> None:
    rise = math.tan(math.radians(degrees))
    land = LandPatch(FormulaLand(lambda x, z: rise * np.maximum(-x - foot, 0.0)))
    b, c = Bicycle(), ChaseCamera()
    riding.place(b, land, 0.0, 0.0, EAST)
    for _ in range(240):
        riding.step(b, Intent(brake_front=1.0), land, STEP_S)
        chase.step(c, b, land, STEP_S)
        assert c.y - land.height(c.x, c.z) >= 0.5
    assert math.hypot(c.x - b.x, c.z - b.z) >= 1.5
    for t in np.linspace(0.0, 1.0, 60):
        x, y = b.x + t * (c.x - b.x), b.y + 1.2 + t * (c.y - b.y - 1.2)
        assert y > land.height(x, 0.0)
    # The rider stands within the picture: pitch off the line of sight by less than half the field of view.
    sight = math.atan2(b.y + 0.9 - c.y, math.hypot(c.x - b.x, c.z - b.z))
    assert abs(sight - c.pitch_rad) < 0.5 * c.fov_y_rad


def test_it_stays_above_rough_land_at_speed() -> None:
    for land in (LandPatch(rough(2.0)), LandPatch(hills(2))):
        b, c = Bicycle(), ChaseCamera()
        riding.place(b, land, 0.0, 0.0, EAST)
        for n in range(1200):
            riding.step(b, Intent(pedal=1.0, steer=math.sin(n / 60.0)), land, STEP_S)
            chase.step(c, b, land, STEP_S)
            assert c.y - land.height(c.x, c.z) >= 0.5


def test_bumps_do_not_reach_the_eye() -> None:
    land = LandPatch(rough(0.15, 0.0))
    b, c = Bicycle(), ChaseCamera()
    riding.place(b, land, 0.0, 0.0, EAST)
    rider, eye = [], []
    for n in range(1800):
        riding.step(b, Intent(pedal=1.0), land, STEP_S)
        chase.step(c, b, land, STEP_S)
        if n > 600:
            rider.append(b.y)
            eye.append(c.pitch_rad)
    assert np.std(np.diff(rider, 2)) > 0.0
    assert np.max(np.abs(np.diff(eye))) / STEP_S < 0.12


def test_field_of_view_widens_with_speed_and_not_at_all_in_reduced_motion() -> None:
    land = LandPatch(flat())
    b, c, still = Bicycle(), ChaseCamera(), ChaseCamera()
    riding.place(b, land, 0.0, 0.0, EAST)
    views = set()
    for n in range(600):
        b.speed_m_s = n / 20.0
        chase.step(c, b, land, STEP_S)
        chase.step(still, b, land, STEP_S, chase.REDUCED_MOTION)
        views.add(still.fov_y_rad)
    assert c.fov_y_rad == pytest.approx(math.radians(72.0), abs=0.01)
    assert len(views) == 1


def test_the_look_is_held_and_then_eases_back_only_while_riding() -> None:
    land = LandPatch(flat())
    for speed, left in ((8.0, 0.0), (0.0, 1.0)):
        b, c = Bicycle(), ChaseCamera()
        riding.place(b, land, 0.0, 0.0, EAST)
        c.look_yaw_rad, c.idle_s = 1.0, 0.0
        b.speed_m_s = speed
        for _ in range(170):
            chase.step(c, b, land, STEP_S)
        assert c.look_yaw_rad == 1.0
        for _ in range(500):
            chase.step(c, b, land, STEP_S)
        assert c.look_yaw_rad == pytest.approx(left, abs=0.01)


def test_a_turn_is_followed_without_overshoot() -> None:
    land = LandPatch(flat())
    b, c = Bicycle(), ChaseCamera()
    riding.place(b, land, 0.0, 0.0, 3.0)
    chase.step(c, b, land, STEP_S)
    b.yaw_rad = -3.0
    most = 0.0
    for _ in range(360):
        chase.step(c, b, land, STEP_S)
        most = max(most, math.remainder(c.heading_rad - 3.0, 2 * math.pi))
    assert math.remainder(c.heading_rad + 3.0, 2 * math.pi) == pytest.approx(0.0, abs=0.01)
    assert most <= 2 * math.pi - 6.0 + 0.01


def test_a_teleport_takes_the_camera_along() -> None:
    land = LandPatch(flat())
    b, c = Bicycle(), ChaseCamera()
    riding.place(b, land, 0.0, 0.0, EAST)
    chase.step(c, b, land, STEP_S)
    riding.place(b, land, 5.0e8, -3.0e7, 0.0)
    chase.step(c, b, land, STEP_S)
    assert math.hypot(c.x - b.x, c.z - b.z) == pytest.approx(chase.ARM_M, abs=0.1)
    assert c.heading_rad == 0.0
