"""The physics step, colliders, frame rates and the autopilot: the table of the riding issue.

Times are processor time of this thread, so that other programs on the machine do not count.
"""

from __future__ import annotations

import gc
import math
import time
from dataclasses import astuple
from typing import Any

import numpy as np
from bench_common import figure
from numpy.typing import NDArray

from game.core.clock import FixedStep
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
from game.kernels import warmup
from game.ride import autopilot, bicycle, systems
from game.ride.collisions import Collisions
from game.ride.contact import Kind, LandPatch, Solid
from game.ride.nearby import Cluttered
from game.ride.surface import SurfaceMap
from game.world.edits import EditLog
from game.world.land import LandSource
from game.world.recipe import Recipe
from game.world.source import HeightSource
from game.world.spawn import find_spawn

REACH_M = 64.0
TRUNKS = 5000
LANE_M = 2.5
"""Half the width of the lane through the dense forest that the rider keeps to."""

SEEDS = range(1, 21)
RIDE_S = 60.0
FRAME_RATES = (24, 59, 144, 1000)


class DenseForest:
    """Rolling land with `TRUNKS` trunks within `REACH_M` of any place of its lane; answers as `world.ground.Ground`."""

    epoch = 0

    def __init__(self) -> None:
        area = math.pi * REACH_M**2 - 2.0 * REACH_M * 2.0 * LANE_M
        self._every_m = math.sqrt(area / TRUNKS)
        self._rows: dict[tuple[int, int], NDArray[np.float64]] = {}

    def block(self, i0: int, j0: int, ni: int, nj: int) -> NDArray[np.float32]:
        x, z = np.meshgrid(np.arange(i0, i0 + ni, dtype=float), np.arange(j0, j0 + nj, dtype=float))
        return (-0.06 * x + 0.8 * np.sin(x / 19.0) + 0.5 * np.sin(z / 11.0 + x / 31.0)).astype(np.float32)

    def height(self, x: float, z: float) -> float:
        return float(self.block(round(x), round(z), 1, 1)[0, 0])

    def trunks(self, x: float, z: float, radius_m: float) -> NDArray[np.float64]:
        low = (math.floor((x - radius_m) / 128.0), math.floor((z - radius_m) / 128.0))
        high = (math.floor((x + radius_m) / 128.0), math.floor((z + radius_m) / 128.0))
        parts = []
        for i in range(low[0], high[0] + 1):
            for k in range(low[1], high[1] + 1):
                rows = self._page(i, k)
                near = (rows[:, 0] - x) ** 2 + (rows[:, 1] - z) ** 2 <= radius_m * radius_m
                parts.append(rows[near])
        found = np.concatenate(parts)
        return found[np.lexsort((found[:, 1], found[:, 0]))]

    def _page(self, i: int, k: int) -> NDArray[np.float64]:
        if (i, k) not in self._rows:
            x, z = np.meshgrid(
                np.arange(i * 128.0, (i + 1) * 128.0, self._every_m),
                np.arange(k * 128.0, (k + 1) * 128.0, self._every_m),
            )
            x, z = x.ravel(), z.ravel()
            free = np.abs(z) > LANE_M
            x, z = x[free], z[free]
            ones = np.ones_like(x)
            self._rows[i, k] = np.stack([x, z, 0.2 * ones, -9e3 * ones, 9e3 * ones], axis=1)
        return self._rows[i, k]


def _game(ground: Any, mode: str = "off") -> tuple[EntityWorld, Schedule, int, Collisions]:
    land = LandPatch(ground)
    world = EntityWorld()
    rider = world.create(
        Bicycle(), Intent(), Previous(), ChaseCamera(), PreviousCamera(), Autopilot(mode=mode)
    )
    world.create(Weather(sea_level_m=-10_000.0))
    bicycle.place(world.component(rider, Bicycle), land, 0.0, 0.0, 0.5 * math.pi)
    obstacles = Collisions(land)
    schedule = Schedule(
        [
            systems.remember_previous,
            systems.make_autopilot_system(land),
            systems.make_bicycle_system(land, obstacles),
            systems.make_camera_system(land),
        ]
    )
    return world, schedule, rider, obstacles


def _keep_lane(b: Bicycle, intent: Intent) -> None:
    """Down the lane at z = 0, weaving a little."""
    heading = 0.5 * math.pi - 0.08 * (b.z - 0.8 * math.sin(b.x / 30.0))
    intent.steer = min(1.0, max(-1.0, 4.0 * math.remainder(heading - b.yaw_rad, 2.0 * math.pi)))
    intent.pedal, intent.brake_rear = (1.0, 0.0) if b.speed_m_s < 12.0 else (0.0, 0.4)


def _step_times() -> tuple[list[float], int, float]:
    """Milliseconds of every step of a minute through the forest, colliders in reach, and the way in metres."""
    world, schedule, rider, obstacles = _game(DenseForest())
    b, intent = world.component(rider, Bicycle), world.component(rider, Intent)
    obstacles.refill(0.0, 0.0)
    obstacles.fill()
    gc.collect()
    gc.freeze()
    times = []
    least = len(obstacles)
    for _ in range(60 * 120):
        _keep_lane(b, intent)
        begun = time.thread_time_ns()
        schedule.step(world, STEP_S)
        times.append(1e-6 * (time.thread_time_ns() - begun))
        least = min(least, len(obstacles))
    world.release()
    return times, least, b.distance_m


def _state_at(fps: int) -> tuple[Any, ...]:
    world, schedule, rider, _ = _game(DenseForest())
    b, intent = world.component(rider, Bicycle), world.component(rider, Intent)
    clock, last = FixedStep(paced_by_wall_clock=False), round(20.0 / STEP_S)
    while clock.steps_done < last:
        first = clock.steps_done
        for number in range(first, min(last, first + clock.advance(1.0 / fps))):
            _keep_lane(b, intent)
            intent.hop = number % 500 > 490
            schedule.step(world, STEP_S)
    state = (astuple(b), astuple(world.component(rider, ChaseCamera)))
    world.release()
    return state


def _collider_times() -> tuple[list[float], list[float]]:
    """Milliseconds to add and to remove 200 colliders in a space that holds the forest."""
    obstacles = Collisions(DenseForest())
    obstacles.refill(0.0, 0.0)
    obstacles.fill()
    adding, removing = [], []
    for turn in range(60):
        new = [
            Solid(k * 0.3, turn * 0.01, k * 0.3, turn * 0.01, 0.2, 0.0, 9.0, Kind.ROCK) for k in range(200)
        ]
        begun = time.thread_time_ns()
        obstacles.add(new)
        middle = time.thread_time_ns()
        obstacles.remove(new)
        adding.append(1e-6 * (middle - begun))
        removing.append(1e-6 * (time.thread_time_ns() - middle))
    return adding, removing


def ride_downhill(seed: int, seconds: float = RIDE_S) -> tuple[float, int]:
    """Mean speed in m/s and falls of the autopilot from the start of the alpine world of a seed."""
    land = LandSource(HeightSource(Recipe.load("alpine"), seed), EditLog(), seed, 4)
    scenery = land.scenery.solids
    near, far = LandPatch(land.ground), LandPatch(Cluttered(land.ground, scenery), autopilot.PATCH_M)
    obstacles, surfaces = Collisions(near, scenery), SurfaceMap(land.source.climate_at)
    way_out = autopilot.Route(land.source.block)
    start = find_spawn(land, 0.0)
    b, plan, intent = Bicycle(), Autopilot(mode="downhill"), Intent()
    bicycle.place(b, near, start.x, start.z, start.yaw_rad)
    for _ in range(round(seconds / STEP_S)):
        autopilot.steer(b, far, plan, intent, 0.0, STEP_S, way_out)
        bicycle.step(b, intent, near, STEP_S, obstacles, 0.0, surfaces.at(b.x, b.z))
    return b.distance_m / seconds, b.falls


def figures() -> list[dict[str, Any]]:
    """The rows of the table, in its order."""
    warmup.compile_all()
    times, least, way = _step_times()
    p50, p95, p99 = np.percentile(times, (50, 95, 99))
    seen = {"colliders": least, "way_m": way, "p50_ms": float(p50), "max_ms": max(times)}
    name = "physics step with the rider and 5,000 trunks within reach"
    found = [
        figure(f"{name}, p95", float(p95), "ms", 0.25, "lower", seen),
        figure(f"{name}, p99", float(p99), "ms", 1.0, "lower", seen),
    ]
    expected = _state_at(120)
    different = [fps for fps in FRAME_RATES if _state_at(fps) != expected]
    found.append(
        figure(
            "same input log at 24, 59, 144, 1000 fps for 20 s, states that differ",
            float(len(different)),
            "of 4",
            0.0,
        )
    )
    rides = {seed: ride_downhill(seed) for seed in SEEDS}
    speeds = [speed for speed, _ in rides.values()]
    each = {f"seed {seed}": speed for seed, (speed, _) in rides.items()}
    unhurt = sum(falls == 0 for _, falls in rides.values())
    found += [
        figure(
            "autopilot, 60 s downhill on 20 seeds, rides without a fall",
            float(unhurt),
            "of 20",
            20.0,
            "higher",
            {"falls": sum(falls for _, falls in rides.values())},
        ),
        figure(
            "autopilot, 60 s downhill on 20 seeds, mean speed",
            float(np.mean(speeds)),
            "m/s",
            10.0,
            "higher",
            {"lowest of a seed": min(speeds), "seeds below": sum(s < 10.0 for s in speeds), **each},
        ),
    ]
    adding, removing = _collider_times()
    for what, taken in (("adding", adding), ("removing", removing)):
        value, most = float(np.percentile(taken, 95)), max(taken)
        more = {"median_ms": float(np.median(taken)), "max_ms": most}
        found.append(figure(f"{what} 200 colliders in a step, p95", value, "ms", 2.0, "lower", more))
    return found
