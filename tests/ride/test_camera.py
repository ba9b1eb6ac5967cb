"""The chase camera: above the land, rider in sight, calm, and still when told to be."""

from __future__ import annotations

import dataclasses
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


def ride_over_bumps(mode: str, feel: chase.CameraFeel) -> tuple[list[ChaseCamera], LandPatch]:
    """40 km/h over rough ground with turns, hops and a knock."""
    land = LandPatch(rough(0.2, -0.02, 3))
    b, c = Bicycle(), ChaseCamera(mode=mode)
    riding.place(b, land, 0.0, 0.0, EAST)
    b.speed_m_s = 40.0 / 3.6
    seen = []
    for n in range(720):
        riding.step(b, Intent(pedal=1.0, steer=math.sin(n / 70.0), hop=n % 200 > 190), land, STEP_S)
        if n == 300:
            b.knock = 3
        chase.step(c, b, land, STEP_S, feel)
        seen.append(dataclasses.replace(c))
    return seen, land


@pytest.mark.parametrize("mode", chase.MODES)
def test_reduced_motion_is_a_true_zero(mode: str) -> None:
    seen, _ = ride_over_bumps(mode, chase.REDUCED_MOTION)
    assert {c.roll_rad for c in seen} == {0.0}
    assert {c.shake_rad for c in seen} == {0.0}
    assert len({c.fov_y_rad for c in seen}) == 1


@pytest.mark.parametrize("effect", ["shake", "bob", "roll", "fov_kick_rad"])
def test_each_effect_has_its_own_zero(effect: str) -> None:
    full, _ = ride_over_bumps("first", chase.CameraFeel())
    without, _ = ride_over_bumps("first", dataclasses.replace(chase.CameraFeel(), **{effect: 0.0}))

    def moved(attribute: str) -> tuple[float, float]:
        return tuple(float(np.ptp([getattr(c, attribute) for c in seen])) for seen in (full, without))

    if effect == "roll":
        assert moved("roll_rad")[0] > 0.05
        assert moved("roll_rad")[1] == 0.0
    elif effect == "shake":
        assert moved("shake_rad")[0] > 0.003
        assert moved("shake_rad")[1] == 0.0
    elif effect == "fov_kick_rad":
        assert moved("fov_y_rad")[0] > 0.003
        assert moved("fov_y_rad")[1] == 0.0
    else:
        assert max(abs(a.y - b.y) for a, b in zip(full, without, strict=True)) > 0.01
    others = {"roll_rad", "shake_rad", "fov_y_rad"} - {effect.replace("fov_kick", "fov_y"), f"{effect}_rad"}
    for other in others:
        assert moved(other)[0] == moved(other)[1], other


@pytest.mark.parametrize("mode", chase.MODES)
def test_every_camera_stays_above_the_land(mode: str) -> None:
    seen, land = ride_over_bumps(mode, chase.CameraFeel())
    assert min(c.y - land.height(c.x, c.z) for c in seen) >= 0.5


def test_the_side_camera_stands_to_the_right_and_looks_at_the_rider() -> None:
    land = LandPatch(flat())
    b, c = Bicycle(), ChaseCamera(mode="side")
    riding.place(b, land, 0.0, 0.0, 0.0)
    for _ in range(200):
        chase.step(c, b, land, STEP_S)
    assert c.x > 3.0
    assert c.z == pytest.approx(0.0, abs=1e-6)
    assert math.remainder(c.yaw_rad + math.pi / 2, math.tau) == pytest.approx(0.0, abs=1e-6)


def test_first_person_is_where_the_head_is_and_rolls_with_the_rider() -> None:
    land = LandPatch(flat())
    b, c = Bicycle(), ChaseCamera(mode="first")
    riding.place(b, land, 0.0, 0.0, 0.0)
    b.lean_rad, b.speed_m_s, b.turn_1_m = 0.4, 10.0, 0.04
    for _ in range(200):
        chase.step(c, b, land, STEP_S)
    assert 1.2 < c.y < 1.7
    assert 0.4 < c.x < 0.8, "leaning right takes the head to the right"
    assert 0.05 < c.roll_rad < 0.4
    assert c.yaw_rad > 0.05, "it looks into the turn"


def test_a_trunk_behind_the_rider_is_kept_off_and_one_that_stays_shortens_the_arm() -> None:
    land = LandPatch(flat([(-4.9, 0.05, 0.3, -1.0, 9.0)]))
    b, c = Bicycle(), ChaseCamera()
    riding.place(b, land, 0.0, 0.0, EAST)
    for _ in range(400):
        chase.step(c, b, land, STEP_S)
        assert math.hypot(c.x + 4.9, c.z - 0.05) >= 0.3 + chase.BARK_M - 1e-6
    assert c.arm_m < 4.6


def test_riding_past_trunks_moves_the_camera_without_jumps() -> None:
    trunks = [(5.0 * k, 0.6 * (-1) ** k, 0.2, -5.0, 9.0) for k in range(1, 40)]
    land = LandPatch(flat(trunks))
    b, c = Bicycle(), ChaseCamera()
    riding.place(b, land, 0.0, 0.0, EAST)
    before, most = None, 0.0
    for _ in range(900):
        b.x, b.vx_m_s, b.speed_m_s = b.x + 10.0 * STEP_S, 10.0, 10.0
        chase.step(c, b, land, STEP_S)
        aside = c.z
        if before is not None:
            most = max(most, abs(aside - before))
        before = aside
    assert most < 0.12
    assert c.arm_m > 4.5
