"""The fixed-step systems together: visible order, one clock, one state at any frame rate."""

from __future__ import annotations

import math
from dataclasses import astuple

import pytest

from game.core.clock import FixedStep
from game.core.coords import WORLD_LIMIT_M, check_position
from game.core.units import STEP_S
from game.ecs.components import (
    Autopilot,
    Bicycle,
    ChaseCamera,
    Intent,
    Previous,
    PreviousCamera,
    Weather,
)
from game.ecs.schedule import Schedule
from game.ecs.world import EntityWorld
from game.ride import bicycle as riding
from game.ride import systems
from game.ride.camera import REDUCED_MOTION, CameraFeel
from game.ride.collisions import Collisions
from game.ride.contact import LandPatch
from game.ride.surface import SurfaceMap
from tests.ride.land import flat, forest, hills


def game(mode: str) -> tuple[EntityWorld, Schedule, int]:
    land = LandPatch(hills(4, forest(12.0, 400)))
    world = EntityWorld()
    rider = world.create(
        Bicycle(), Intent(), Previous(), ChaseCamera(), PreviousCamera(), Autopilot(mode=mode)
    )
    world.create(Weather(sea_level_m=-1000.0))
    riding.place(world.component(rider, Bicycle), land, 0.0, 0.0, math.pi / 2)
    schedule = Schedule(
        [
            systems.remember_previous,
            systems.make_autopilot_system(land),
            systems.make_bicycle_system(land, Collisions(land)),
            systems.make_camera_system(land),
        ]
    )
    return world, schedule, rider


def state_after(fps: int, seconds: float) -> tuple[object, ...]:
    world, schedule, rider = game("downhill")
    clock = FixedStep(paced_by_wall_clock=False)
    last = round(seconds / STEP_S)
    while clock.steps_done < last:
        before = clock.steps_done
        for _ in range(min(clock.advance(1.0 / fps), last - before)):
            schedule.step(world, STEP_S)
    result = (
        astuple(world.component(rider, Bicycle)),
        astuple(world.component(rider, ChaseCamera)),
        astuple(world.component(rider, Autopilot)),
    )
    world.release()
    return result


def test_any_frame_rate_ends_in_the_same_state() -> None:
    expected = state_after(60, 20.0)
    for fps in (24, 59, 144, 1000):
        assert state_after(fps, 20.0) == expected


def test_the_autopilot_leaves_the_player_alone_when_off() -> None:
    world, schedule, rider = game("off")
    intent = world.component(rider, Intent)
    intent.pedal, intent.steer = 1.0, 0.3
    for _ in range(60):
        schedule.step(world, STEP_S)
    assert (intent.pedal, intent.steer) == (1.0, 0.3)
    assert world.component(rider, Bicycle).x > 0.2
    world.release()


def test_previous_is_one_step_behind() -> None:
    world, schedule, rider = game("downhill")
    for _ in range(600):
        schedule.step(world, STEP_S)
    b, before = world.component(rider, Bicycle), world.component(rider, Previous).bicycle
    moved = math.hypot(b.x - before.x, b.z - before.z)
    assert moved == pytest.approx(b.speed_m_s * math.cos(b.pitch_rad) * STEP_S, rel=0.05)
    camera, last = world.component(rider, ChaseCamera), world.component(rider, PreviousCamera).camera
    assert last is not camera
    assert 0.0 < math.dist((camera.x, camera.y, camera.z), (last.x, last.y, last.z)) < 0.5
    world.release()


def test_an_entity_brings_its_own_feel() -> None:
    world, schedule, rider = game("downhill")
    world.add(rider, REDUCED_MOTION)
    for _ in range(600):
        schedule.step(world, STEP_S)
        assert world.component(rider, ChaseCamera).roll_rad == 0.0
    world.add(rider, CameraFeel(roll=2.0))
    rolled = 0.0
    for _ in range(600):
        schedule.step(world, STEP_S)
        rolled = max(rolled, abs(world.component(rider, ChaseCamera).roll_rad))
    assert rolled > 0.0
    world.release()


def test_rain_lengthens_the_way_to_a_stop() -> None:
    ways = []
    for wetness in (0.0, 1.0):
        land = LandPatch(flat())
        world = EntityWorld()
        rider = world.create(Bicycle(), Intent(brake_front=1.0, brake_rear=1.0))
        world.create(Weather(sea_level_m=-1000.0, wetness=wetness))
        b = world.component(rider, Bicycle)
        riding.place(b, land, 0.0, 0.0, math.pi / 2)
        b.speed_m_s = 12.0
        system = systems.make_bicycle_system(land, None, SurfaceMap(lambda x, z: (10.0, 0.5, 1.0, 0.0)))
        for _ in range(400):
            system(world, STEP_S)
        ways.append(b.x)
        assert b.grip < 1.0
        world.release()
    assert ways[1] > ways[0] * 1.02


@pytest.mark.parametrize(("x", "z"), [(WORLD_LIMIT_M, -WORLD_LIMIT_M), (-WORLD_LIMIT_M, 17.0)])
def test_the_ride_ends_at_the_end_of_the_world(x: float, z: float) -> None:
    """Outward at the edge: the rider stays in the world, and the ground under him is asked within it."""

    def climate_at(at_x: float, at_z: float) -> tuple[float, float, float, float]:
        check_position(at_x, at_z)
        return 10.0, 0.5, 0.0, 0.0

    world = EntityWorld()
    try:
        rider = Bicycle()
        world.create(Intent(pedal=1.0), rider)
        ground = LandPatch(flat())
        riding.place(rider, ground, x, z, math.atan2(x, -z))
        rider.vx_m_s, rider.vz_m_s = math.copysign(9.0, x), math.copysign(9.0, z)
        system = systems.make_bicycle_system(ground, None, SurfaceMap(climate_at))
        for _ in range(240):
            system(world, STEP_S)
            check_position(rider.x, rider.z)
    finally:
        world.release()
