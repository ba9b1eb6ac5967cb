"""The fixed-step systems of a ride, made by factories so that `app` lists them in one visible order:

`Schedule([remember_previous, make_autopilot_system(land, …), make_bicycle_system(land, …), make_camera_system(land)])`.
All of them may share one `LandPatch`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields
from operator import attrgetter
from typing import Protocol

from game.core.coords import WORLD_LIMIT_M
from game.ecs.components import (
    Autopilot,
    Bicycle,
    ChaseCamera,
    Intent,
    Previous,
    PreviousCamera,
    Season,
    Weather,
)
from game.ecs.schedule import System
from game.ecs.world import EntityWorld
from game.ride import autopilot, bicycle, camera
from game.ride.camera import CameraFeel
from game.ride.contact import GroundLike, LandPatch, Obstacles
from game.ride.nearby import Cluttered, Scenery
from game.ride.surface import FIRM, SurfaceMap, in_stream
from game.world.seasons import season_look

_of_bicycle = attrgetter(*(field.name for field in fields(Bicycle)))
_of_camera = attrgetter(*(field.name for field in fields(ChaseCamera)))


def remember_previous(world: EntityWorld, step_s: float) -> None:
    """Copy bicycle and camera to their previous values. Runs first in a step."""
    for _, (now, before) in world.each(Bicycle, Previous):
        before.bicycle = Bicycle(*_of_bicycle(now))
    for _, (now, before) in world.each(ChaseCamera, PreviousCamera):
        before.camera = ChaseCamera(*_of_camera(now))


def make_autopilot_system(
    ground: GroundLike, coarse: autopilot.Coarse | None = None, scenery: Scenery | None = None
) -> System:
    """System that writes `Intent` of every entity whose `Autopilot` is not "off".

    With `coarse` (heights of coarse levels) it knows the way out of a kilometre of land; it keeps off trunks, and
    off `scenery`.
    """
    way_out = None if coarse is None else autopilot.Route(coarse)
    # Looks farther than wheels do, so it has a patch of its own.
    bare = ground.ground if isinstance(ground, LandPatch) else ground
    land = LandPatch(bare if scenery is None else Cluttered(bare, scenery), autopilot.PATCH_M)

    def autopilot_system(world: EntityWorld, step_s: float) -> None:
        for _, (plan, rider, intent) in world.each(Autopilot, Bicycle, Intent):
            if plan.mode != "off":
                autopilot.steer(rider, land, plan, intent, _sea_level(world), step_s, way_out)

    return autopilot_system


class RainWater(Protocol):
    """Water that rain left on the land (`world.runoff.RunoffView`)."""

    def stream_at(self, x: float, z: float) -> tuple[float, float]: ...
    def pond_level(self, x: float, z: float) -> float: ...


def make_bicycle_system(
    ground: GroundLike,
    obstacles: Obstacles | None = None,
    surfaces: SurfaceMap | None = None,
    rain_water: Callable[[], RainWater | None] | None = None,
) -> System:
    """System that rides every entity with `Bicycle` and `Intent`; without `surfaces` all ground is firm.

    `rain_water` is asked each step for the streams and ponds of the moment.
    """
    land = LandPatch.of(ground)

    def bicycle_system(world: EntityWorld, step_s: float) -> None:
        water = None if rain_water is None else rain_water()
        for _, (rider, intent) in world.each(Bicycle, Intent):
            place = (rider.x, rider.z, _wetness(world), _warmer_c(world))
            surface = FIRM if surfaces is None else surfaces.at(*place)
            level = _sea_level(world)
            if obstacles is not None:
                obstacles.sea_level_m = level
            rider.wading_m = 0.0
            if water is not None:
                depth_m = water.stream_at(rider.x, rider.z)[0]
                if depth_m > 0.0:
                    surface = in_stream(surface, depth_m)
                # A pond is a small sea.
                pond = water.pond_level(rider.x, rider.z)
                level = max(level, pond)
                if not rider.airborne:
                    rider.wading_m = max(depth_m, pond - rider.y, 0.0)
            bicycle.step(rider, intent, land, step_s, obstacles, level, surface)
            _stop_at_the_end(rider)

    return bicycle_system


def _stop_at_the_end(rider: Bicycle) -> None:
    """Nobody rides out of the world: saves and teleports would refuse the place."""
    if abs(rider.x) > WORLD_LIMIT_M:
        rider.x, rider.vx_m_s = math.copysign(WORLD_LIMIT_M, rider.x), 0.0
    if abs(rider.z) > WORLD_LIMIT_M:
        rider.z, rider.vz_m_s = math.copysign(WORLD_LIMIT_M, rider.z), 0.0


def make_camera_system(ground: GroundLike, feel: CameraFeel | None = None) -> System:
    """System that moves the camera of every entity that has one and a `Bicycle`.

    An entity's own `CameraFeel` goes before `feel`.
    """
    land = LandPatch.of(ground)

    def camera_system(world: EntityWorld, step_s: float) -> None:
        own = dict(world.each(CameraFeel))
        for entity, (view, rider) in world.each(ChaseCamera, Bicycle):
            camera.step(view, rider, land, step_s, own[entity][0] if entity in own else feel)

    return camera_system


def _wetness(world: EntityWorld) -> float:
    """How wet the ground is, 0…1; dry in a world without weather."""
    for _, (weather,) in world.each(Weather):
        return float(weather.wetness)
    return 0.0


def _warmer_c(world: EntityWorld) -> float:
    """Degrees that season and player have made it warmer; 0 in a world without seasons."""
    for _, (season,) in world.each(Season):
        return season_look(season.day, season.warmth_c).warmer_c
    return 0.0


def _sea_level(world: EntityWorld) -> float:
    """Sea level in metres; far below everything in a world without weather."""
    for _, (weather,) in world.each(Weather):
        return float(weather.sea_level_m)
    return -math.inf
