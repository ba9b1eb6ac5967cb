"""Entities → `FrameView`: the only reader of entities in the renderer, and it writes none of them.

Positions are interpolated between the last two fixed steps, so that motion is smooth at any frame rate.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from game.core.coords import PageKey
from game.core.units import STEP_S
from game.ecs.components import (
    LOWERING,
    Bicycle,
    Cast,
    ChaseCamera,
    Debris,
    FreeCamera,
    Previous,
    PreviousCamera,
    SculptTool,
    Sea,
    Season,
    Tracks,
    Weather,
)
from game.ecs.world import EntityWorld
from game.lod.selection import Selection
from game.render.frame import BrushView, CameraView, FrameView, RiderView, TracksView, brush_ring
from game.streaming.bed import BedMap
from game.streaming.mountain_shade import ShadeMap
from game.world.runoff import RunoffView
from game.world.sea import shown_level_m
from game.world.seasons import season_look

Surface = Callable[[float, float], float | None]
"""Height in metres of the drawn surface at world (x, z); None where nothing is drawn."""


class DrawnLand(Protocol):
    """The level-0 land (`world.ground.Ground`)."""

    def height(self, x: float, z: float) -> float: ...

    def normal(self, x: float, z: float) -> tuple[float, float, float]: ...


SPLASH_PER_M = 12.0
SPLASH_FULL_M_S = 7.0
"""Water of a twelfth of a metre, and this speed, give the full splash."""

GAZE_M = 7.0
GAZE_MOST_RAD = 0.6
"""The rider looks at the way this far ahead in a turn, and never turns the head farther."""


def _mix(a: float, b: float, t: float) -> float:
    return a + (b - a) * t


def _mix_angle(a: float, b: float, t: float) -> float:
    """Interpolate along the shorter arc."""
    return a + (math.remainder(b - a, math.tau)) * t


def camera_view(entities: EntityWorld, cast: Cast, alpha: float, aspect: float) -> CameraView:
    """The eye of this frame: the chase camera between two steps, with what `eye` and `look` override."""
    now = entities.component(cast.rider, ChaseCamera)
    was = entities.component(cast.rider, PreviousCamera).camera
    if was.mode != now.mode:
        was = now  # another camera: nothing lies between the two
    free = entities.component(cast.rider, FreeCamera)
    return CameraView(
        x=_mix(was.x, now.x, alpha) if free.x is None else free.x,
        y=_mix(was.y, now.y, alpha) if free.y is None else free.y,
        z=_mix(was.z, now.z, alpha) if free.z is None else free.z,
        yaw_rad=_mix_angle(was.yaw_rad, now.yaw_rad, alpha) if free.yaw_rad is None else free.yaw_rad,
        pitch_rad=_mix(was.pitch_rad, now.pitch_rad, alpha) if free.pitch_rad is None else free.pitch_rad,
        fov_y_rad=_mix(was.fov_y_rad, now.fov_y_rad, alpha),
        aspect=aspect,
        roll_rad=_mix(was.roll_rad, now.roll_rad, alpha) if free.x is None else 0.0,
    )


def rider_view(entities: EntityWorld, cast: Cast, alpha: float, land: DrawnLand) -> RiderView:
    """The bicycle between two steps, and the land below it where it does not touch it."""
    now = entities.component(cast.rider, Bicycle)
    was = entities.component(cast.rider, Previous).bicycle
    x, z = _mix(was.x, now.x, alpha), _mix(was.z, now.z, alpha)
    lying = now.fallen_s > 0.0 and was.fallen_s > 0.0
    thrown = (
        _mix(was.rider_x, now.rider_x, alpha),
        _mix(was.rider_y, now.rider_y, alpha),
        _mix(was.rider_z, now.rider_z, alpha),
        _mix_angle(was.rider_yaw_rad, now.rider_yaw_rad, alpha),
        _mix(was.rider_roll_rad, now.rider_roll_rad, alpha),
    )
    first = entities.component(cast.rider, ChaseCamera).mode == "first"
    flying = entities.component(cast.rider, FreeCamera).x is not None
    gaze = min(GAZE_MOST_RAD, max(-GAZE_MOST_RAD, GAZE_M * _mix(was.turn_1_m, now.turn_1_m, alpha)))
    return RiderView(
        x=x,
        y=_mix(was.y, now.y, alpha),
        z=z,
        yaw_rad=_mix_angle(was.yaw_rad, now.yaw_rad, alpha),
        pitch_rad=_mix(was.pitch_rad, now.pitch_rad, alpha),
        lean_rad=_mix(was.lean_rad, now.lean_rad, alpha),
        steer_rad=_mix(was.steer_rad, now.steer_rad, alpha),
        wheel_angle_rad=_mix_angle(was.wheel_angle_rad, now.wheel_angle_rad, alpha),
        crank_angle_rad=_mix_angle(was.crank_angle_rad, now.crank_angle_rad, alpha),
        crouch=_mix(was.crouch, now.crouch, alpha),
        fallen=lying,
        headless=first and not flying and not lying,
        gaze_rad=gaze,
        heave_m=_mix(was.heave_m, now.heave_m, alpha),
        thrown=thrown if lying else None,
        ground_y=land.height(x, z) if now.airborne else None,
        ground_normal=land.normal(x, z) if now.airborne else None,
    )


def splash_of(rider: Bicycle) -> float:
    """How much water the wheels throw up, 0…1: by its depth and the speed through it."""
    if rider.airborne or rider.fallen_s > 0.0:
        return 0.0
    return min(1.0, SPLASH_PER_M * rider.wading_m) * min(1.0, abs(rider.speed_m_s) / SPLASH_FULL_M_S)


def debris_view(entities: EntityWorld, cast: Cast, alpha: float) -> NDArray[np.float64]:
    """Particles that are still seen, with their ages between two steps; rows as in `FrameView.debris`."""
    debris = entities.component(cast.rider, Debris)
    if not debris.rows:
        return np.zeros((0, 11))
    rows = np.array(debris.rows)
    # The rider is drawn up to one step behind the newest particle, which then waits to be born.
    rows[:, 6] = debris.clock_s - (1.0 - alpha) * STEP_S - rows[:, 6]
    return rows[(rows[:, 6] >= 0.0) & (rows[:, 6] < rows[:, 7])]


def tracks_view(entities: EntityWorld, cast: Cast) -> TracksView:
    """What the tyres printed; nothing is copied."""
    tracks = entities.component(cast.rider, Tracks)
    return TracksView(tracks.rows, tracks.chunks, tracks.laid, tracks.erased, tracks.clock_s)


def brush_view(entities: EntityWorld, cast: Cast, surface: Surface) -> BrushView | None:
    """The sculpting ring on the drawn surface, while the tool is active and points at land."""
    tool = entities.component(cast.tool, SculptTool)
    if not tool.active or tool.x is None or tool.z is None:
        return None
    xs, zs = brush_ring(tool.x, tool.z, tool.radius_m)
    heights = [surface(x, z) for x, z in zip(xs.ravel().tolist(), zs.ravel().tolist(), strict=True)]
    if any(height is None for height in heights):
        return None
    ring = np.array(heights, np.float32).reshape(xs.shape)
    return BrushView(tool.x, tool.z, tool.radius_m, tool.brush not in LOWERING, ring)


def extract(
    entities: EntityWorld,
    cast: Cast,
    *,
    camera: CameraView,
    alpha: float,
    size: tuple[int, int],
    time_s: float,
    view_m: float,
    selection: Selection,
    tree_tiles: list[tuple[PageKey, NDArray[np.float32], int]],
    land: DrawnLand,
    surface: Surface,
    bed: list[BedMap] | None = None,
    growth_line_m: float = -math.inf,
    snow_line_m: float = math.inf,
    forest_limits: tuple[float, ...] = (0.0, 1.0, 0.0, 1.0),
    micro_m: tuple[float, float] = (1.0, 0.0),
    runoff: RunoffView | None = None,
    scenery_tiles: list[tuple[PageKey, NDArray[np.float32]]] | None = None,
    seed: int = 0,
    debris: bool = False,
    tracks: bool = False,
    shade: ShadeMap | None = None,
) -> FrameView:
    """Everything the passes read this frame."""
    weather = entities.component(cast.world, Weather)
    sea, season = entities.component(cast.world, Sea), entities.component(cast.world, Season)
    return FrameView(
        width=size[0],
        height=size[1],
        time_s=time_s,
        hour=weather.hour,
        sea_level_m=shown_level_m(weather, sea, alpha),
        waves_m=sea.waves_m,
        look=season_look(season.day, season.warmth_c, season.moisture),
        growth_line_m=growth_line_m,
        snow_line_m=snow_line_m,
        bed=bed or [],
        view_m=view_m,
        camera=camera,
        rider=rider_view(entities, cast, alpha, land),
        brush=brush_view(entities, cast, surface),
        selection=selection,
        tree_tiles=tree_tiles,
        forest_limits=forest_limits,
        micro_m=micro_m,
        rain_mm_h=weather.rain_mm_h,
        wetness=weather.wetness,
        runoff=runoff,
        splash=splash_of(entities.component(cast.rider, Bicycle)),
        scenery_tiles=scenery_tiles or [],
        seed=seed,
        debris=debris_view(entities, cast, alpha) if debris else np.zeros((0, 11)),
        shade=shade,
        tracks=tracks_view(entities, cast) if tracks else None,
    )
