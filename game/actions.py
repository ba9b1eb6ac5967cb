"""What commands do to a session: one function a command, the same for `--exec`, the menus and the keys.

Commands that concern the window or the renderer (quality, picture, fullscreen, HUD, menu) are `app`'s own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from game.core.commands import Command
from game.core.coords import WORLD_LIMIT_M, forward
from game.core.errors import UsageError
from game.ecs.components import ChaseCamera, FreeCamera, Intent
from game.ride.course import line_ahead, line_from
from game.session import Session
from game.streaming.smoothing import SmoothDab
from game.ui import sculpt_tool
from game.world import save as saves
from game.world.erosion import Region, with_defaults
from game.world.erosion_brush import ERODE_RADIUS_M
from game.world.operations import SMOOTH_RADIUS_M, STRENGTH_M
from game.world.sea import set_level
from game.world.spawn import spawn_at

FLY_M_S = 25.0
"""Speed of the free camera near the ground; it grows with the height above it."""

FLY_CLEARANCE_M = 1.0

BESIDE_M = {"smooth": SMOOTH_RADIUS_M, "erode": ERODE_RADIUS_M}
"""Brushes that read their surroundings, and their largest radius."""


def _sea(session: Session, level_m: float, rate_m_s: float | None = None) -> None:
    set_level(session.weather, session.sea, level_m, rate_m_s)


def _tide(session: Session, amplitude_m: float, period_s: float) -> None:
    sea = session.sea
    if sea.tide_m == 0.0:
        sea.tide_phase = 0.0  # begins with the water where it is, rising
    sea.tide_m, sea.tide_s = amplitude_m, period_s


def _waves(session: Session, height_m: float) -> None:
    session.sea.waves_m = height_m


def _season(session: Session, day: float) -> None:
    session.season.day = day


def _year(session: Session, year_s: float, flood_m: float | None = None) -> None:
    session.season.year_s = year_s
    if flood_m is not None:
        session.season.flood_m = flood_m


def _climate(session: Session, warmth_c: float, moisture: float | None = None) -> None:
    session.season.warmth_c = warmth_c
    if moisture is not None:
        session.season.moisture = moisture


def _time(session: Session, hour: float) -> None:
    session.weather.hour = hour % 24.0


def _teleport(session: Session, x: float, z: float) -> None:
    start = spawn_at(session.land, x, z)
    session.free_camera.x = session.free_camera.y = session.free_camera.z = None
    session.place(start.x, start.z, start.yaw_rad)


def view_yaw_rad(session: Session) -> float:
    """Heading of the view: the free camera's where it has one, else the chase camera's."""
    if session.free_camera.yaw_rad is not None:
        return session.free_camera.yaw_rad
    camera = session.entities.component(session.cast.rider, ChaseCamera)
    return session.bicycle.yaw_rad + camera.look_yaw_rad


def _dab(
    session: Session,
    brush: str,
    x: float,
    z: float,
    radius_m: float,
    strength_m: float,
    falloff: str = "gaussian",
    target_m: float | None = None,
) -> None:
    """One touch. A ramp leads here from the rider's wheels, a kicker faces the view."""
    land = session.land
    if brush in BESIDE_M:
        if radius_m > BESIDE_M[brush]:
            raise ValueError(
                f"{brush} with a radius of {radius_m:g} m is not accepted; give up to {BESIDE_M[brush]:g} m"
            )
        session.smooth(SmoothDab(x, z, radius_m, strength_m, falloff, brush))
        return
    if brush == "ramp":
        rider = session.bicycle
        options: dict[str, Any] = {"end": (x, z)}
        x, z = rider.x, rider.z
    else:
        options = {"yaw_rad": view_yaw_rad(session), "target_m": target_m}
    session.edit(
        lambda: session.edited(land.dab(brush, x, z, radius_m, strength_m, falloff=falloff, **options))
    )


def _ramp(
    session: Session,
    x0: float,
    z0: float,
    x1: float,
    z1: float,
    radius_m: float,
    falloff: str = "gaussian",
) -> None:
    land = session.land
    session.edit(
        lambda: session.edited(
            land.dab("ramp", x0, z0, radius_m, STRENGTH_M[1], falloff=falloff, end=(x1, z1))
        )
    )


def _kicker(
    session: Session, x: float, z: float, length_m: float, angle_deg: float, yaw_deg: float | None = None
) -> None:
    yaw_rad = view_yaw_rad(session) if yaw_deg is None else math.radians(yaw_deg)
    # A parabola that leaves its lip at the angle is half as high as the straight slope would be.
    lip_m = 0.5 * length_m * math.tan(math.radians(angle_deg))
    land = session.land
    session.edit(
        lambda: session.edited(
            land.dab("kicker", x, z, 0.5 * length_m, lip_m, yaw_rad=yaw_rad, length_m=length_m)
        )
    )


def _erode(session: Session, x: float | str, *values: float) -> None:
    if isinstance(x, str):
        session.cancel_erosion()
        return
    z, radius_m, seconds, *settings = values
    session.erode(Region(x, z, radius_m, seconds), with_defaults(*settings))


def _undo(session: Session) -> None:
    if session.erosion is not None:
        # What the player sees happening is what they want back.
        session.cancel_erosion()
        return
    session.edit(lambda: session.edited(session.land.edits.undo()))


def _redo(session: Session) -> None:
    session.edit(lambda: session.edited(session.land.edits.redo()))


def _run(session: Session, verb: str, x: float | None = None, z: float | None = None) -> None:
    """Place a line of the timed way just ahead of the rider, or the finish at (x, z); other lines are another way."""
    course, rider = session.course, session.bicycle
    course.began_s = course.last_s = course.best_s = None
    ahead = line_ahead(rider.x, rider.z, rider.yaw_rad)
    if verb == "clear":
        course.start = course.finish = None
        text = "no timed run any more"
    elif verb == "start":
        course.start = ahead
        text = "start line set ahead" if course.finish else "start line set ahead; now the finish: run finish"
    else:
        x, z = (ahead.x, ahead.z) if x is None or z is None else (x, z)
        course.finish = line_from(course.start, x, z, rider.yaw_rad)
        text = "finish line set" if course.start else "finish line set; now the start: run start"
    session.messages.append((text, "info"))


def _save(session: Session, name: str) -> None:
    session.save(name)
    session.messages.append((f"saved as {session.save_name}", "good"))


def _world(session: Session, verb: str, name: str, new: str = "") -> None:
    """Change saved worlds; opening and making one is `app`'s."""
    if verb == "copy":
        session.duplicate(name, new)
        text = f"{name} is copied as {new}"
    elif verb == "rename":
        session.keeper.rename(name, new)
        text = f"{name} is {new} now"
    elif name == session.save_name:
        raise UsageError(f"the world {name!r} is open; open another one before you delete it")
    else:
        text = f"{name} lies in the trash: {saves.delete_world(name)}"
    session.messages.append((text, "good"))


def _look(session: Session, yaw_deg: float, pitch_deg: float) -> None:
    session.free_camera.yaw_rad = math.radians(yaw_deg)
    session.free_camera.pitch_rad = math.radians(pitch_deg)


def _eye(session: Session, x: float, y: float, z: float) -> None:
    free = session.free_camera
    free.x, free.y, free.z = x, y, z


def _chase(session: Session) -> None:
    _camera(session, "chase")


CAMERA_ORDER = ("chase", "first", "side", "fly")


def camera_mode(session: Session) -> str:
    """Which of `CAMERA_ORDER` is in use."""
    if session.free_camera.x is not None:
        return "fly"
    return session.entities.component(session.cast.rider, ChaseCamera).mode


def _camera(session: Session, name: str) -> None:
    now = camera_mode(session)
    if name == "next":
        name = CAMERA_ORDER[(CAMERA_ORDER.index(now) + 1) % len(CAMERA_ORDER)]
    view = session.entities.component(session.cast.rider, ChaseCamera)
    if name == "fly":
        if now != "fly":
            session.entities.add(
                session.cast.rider, FreeCamera(view.x, view.y, view.z, view.yaw_rad, view.pitch_rad)
            )
        return
    session.entities.add(session.cast.rider, FreeCamera())
    if view.mode != name:
        view.mode = name
        view.look_yaw_rad = view.look_pitch_rad = 0.0
        view.ready = False


def _wet(session: Session, share: float) -> None:
    session.weather.wetness = share


def _rain(session: Session, rain_mm_h: float, minutes: float = 0.0) -> None:
    session.rain(rain_mm_h, 60.0 * minutes)


def _runoff(session: Session, state: str) -> None:
    if state == "clear":
        session.clear_rain()
    else:
        session.weather.runoff = state == "on"


def _recover(session: Session) -> None:
    session.entities.component(session.cast.rider, Intent).recover = True


def _sculpt(session: Session, state: str) -> None:
    session.tool.active = state == "on"


def _tool(session: Session, brush: str) -> None:
    session.tool.chosen = session.tool.brush = brush


def _falloff(session: Session, falloff: str) -> None:
    session.tool.falloff = falloff


def _brush(session: Session, radius_m: float, strength_m: float) -> None:
    session.tool.radius_m, session.tool.strength_m = radius_m, strength_m


def _pause(session: Session, state: str) -> None:
    session.paused = state == "on"


def _quit(session: Session) -> None:
    session.quit = True


_ACTIONS: dict[str, Callable[..., None]] = {
    "sea": _sea,
    "tide": _tide,
    "waves": _waves,
    "season": _season,
    "year": _year,
    "climate": _climate,
    "time": _time,
    "teleport": _teleport,
    "dab": _dab,
    "ramp": _ramp,
    "kicker": _kicker,
    "tool": _tool,
    "falloff": _falloff,
    "erode": _erode,
    "undo": _undo,
    "redo": _redo,
    "run": _run,
    "save": _save,
    "world": _world,
    "look": _look,
    "eye": _eye,
    "chase": _chase,
    "camera": _camera,
    "wet": _wet,
    "rain": _rain,
    "runoff": _runoff,
    "recover": _recover,
    "sculpt": _sculpt,
    "brush": _brush,
    "pause": _pause,
    "quit": _quit,
}


def obey(session: Session, command: Command) -> bool:
    """Carry `command` out; return False when it is not a session's business.

    Raises `UsageError` (a save that cannot be written) and `ValueError` (an edit refused by the log).
    """
    action = _ACTIONS.get(command.name)
    if action is None:
        return False
    action(session, *command.values)
    return True


def look_around(session: Session, yaw_rad: float, pitch_rad: float) -> None:
    """Turn the look by the mouse: the free camera's where it has one, else the chase camera's."""
    free = session.free_camera
    if free.yaw_rad is not None and free.pitch_rad is not None:
        free.yaw_rad += yaw_rad
        free.pitch_rad = min(1.5, max(-1.5, free.pitch_rad + pitch_rad))
        return
    if yaw_rad or pitch_rad:
        camera = session.entities.component(session.cast.rider, ChaseCamera)
        camera.look_yaw_rad = math.remainder(camera.look_yaw_rad + yaw_rad, math.tau)
        camera.look_pitch_rad = min(1.3, max(-1.3, camera.look_pitch_rad + pitch_rad))
        camera.idle_s = 0.0


def sculpt(session: Session, step: sculpt_tool.Action) -> None:
    """Carry out one step of a stroke. Raises `ValueError` when the log refuses a dab."""
    edits, tool = session.land.edits, session.tool
    match step:
        case sculpt_tool.BeginStroke():
            session.edit(edits.begin_stroke)
            session.edit(session.smoothing.dry)
            tool.target_m = None
        case sculpt_tool.EndStroke():
            session.edit(session.end_stroke)
        case sculpt_tool.Dab(brush, x, z, radius_m, strength_m):
            if brush == "flatten" and tool.target_m is None:
                tool.target_m = session.land.ground.height(x, z)
            _dab(session, brush, x, z, radius_m, strength_m, tool.falloff, tool.target_m)
        case sculpt_tool.Ramp(x0, z0, x1, z1, radius_m):
            _ramp(session, x0, z0, x1, z1, radius_m, tool.falloff)
        case sculpt_tool.Undo():
            _undo(session)
        case sculpt_tool.Redo():
            _redo(session)


def fly(session: Session, ahead: float, right: float, fast: bool, frame_s: float) -> None:
    """Move the free camera along its look (`ahead`, −1…1) and across it (`right`), never into the land."""
    free, ground = session.free_camera, session.land.ground
    if free.x is None or free.y is None or free.z is None:
        return
    yaw, pitch = free.yaw_rad or 0.0, free.pitch_rad or 0.0
    above_m = max(0.0, free.y - ground.height(free.x, free.z))
    way_m = (FLY_M_S + 0.5 * above_m) * (4.0 if fast else 1.0) * frame_s
    east, south = forward(yaw)
    level = math.cos(pitch)
    free.x = within_world(free.x + (ahead * level * east - right * south) * way_m)
    free.z = within_world(free.z + (ahead * level * south + right * east) * way_m)
    free.y += ahead * math.sin(pitch) * way_m
    free.y = min(100_000.0, max(free.y, ground.height(free.x, free.z) + FLY_CLEARANCE_M))


def within_world(value: float) -> float:
    """`value` cut to the world's limits, metres."""
    return min(WORLD_LIMIT_M, max(-WORLD_LIMIT_M, value))
