"""Timed runs: crossing the start line starts the clock, crossing the finish line stops it.

On the fixed step, and to the fraction of a step at which a line was crossed, so the same ride takes the same time on
every machine. Owns the `Course` component; the lines are placed by commands.
"""

from __future__ import annotations

import math

from game.core.coords import forward
from game.ecs.components import Bicycle, Course, Line, Previous
from game.ecs.schedule import System
from game.ecs.world import EntityWorld
from game.world.scenery import FINISH, START, Arch

HALF_WIDTH_M = 10.0
"""A line reaches this far to both sides."""

POLE_M = 0.2
"""The poles stand so far outside of it."""

AHEAD_M = 3.0
"""A line placed at the rider lies this far ahead, so that the front wheel is not across already."""

_LEAP_M = 4.0
"""Farther in one step is no ride: a teleport, or a rider put back on the wheels."""


def line_ahead(x: float, z: float, yaw_rad: float) -> Line:
    """The line just ahead of a rider at (x, z), metres, who heads for `yaw_rad`."""
    east, south = forward(yaw_rad)
    return Line(x + AHEAD_M * east, z + AHEAD_M * south, yaw_rad)


def arches(course: Course) -> list[Arch]:
    """What stands over the lines of a course: poles just beside what counts as across."""
    lines = ((START, course.start), (FINISH, course.finish))
    width_m = 2.0 * HALF_WIDTH_M + 2.0 * POLE_M
    return [Arch(kind, line.x, line.z, line.yaw_rad, width_m) for kind, line in lines if line is not None]


def line_from(start: Line | None, x: float, z: float, yaw_rad: float) -> Line:
    """A finish line at (x, z), across the way from `start`; across `yaw_rad` where there is none or it is here."""
    if start is not None and math.dist((start.x, start.z), (x, z)) > 1.0:
        yaw_rad = math.atan2(x - start.x, start.z - z)
    return Line(x, z, yaw_rad)


def crossed(line: Line, x0: float, z0: float, x1: float, z1: float) -> float | None:
    """Share 0…1 of the way (x0, z0) → (x1, z1) at which it crosses `line` forward, or None."""
    east, south = forward(line.yaw_rad)
    before = (x0 - line.x) * east + (z0 - line.z) * south
    after = (x1 - line.x) * east + (z1 - line.z) * south
    if not before < 0.0 <= after:
        return None
    share = -before / (after - before)
    x, z = x0 + share * (x1 - x0) - line.x, z0 + share * (z1 - z0) - line.z
    return share if abs(x * -south + z * east) <= HALF_WIDTH_M else None


def make_course_system(rider: int) -> System:
    """System that lets time pass and watches the lines; `rider` has `Bicycle` and `Previous`. Runs after motion."""

    def course_system(world: EntityWorld, step_s: float) -> None:
        now, was = world.component(rider, Bicycle), world.component(rider, Previous).bicycle
        for _, (course,) in world.each(Course):
            step_began_s = course.time_s
            course.time_s = step_began_s + step_s
            if course.start is None or course.finish is None:
                continue
            if math.dist((was.x, was.z), (now.x, now.z)) > _LEAP_M:
                continue
            share = crossed(course.start, was.x, was.z, now.x, now.z)
            if share is not None:
                course.began_s = step_began_s + share * step_s
            share = crossed(course.finish, was.x, was.z, now.x, now.z)
            if share is None or course.began_s is None:
                continue
            time_s = step_began_s + share * step_s - course.began_s
            if time_s <= 0.0:
                continue
            course.began_s, course.last_s, course.finished = None, time_s, True
            course.best_s = time_s if course.best_s is None else min(time_s, course.best_s)

    return course_system


def clock_text(seconds: float) -> str:
    """A time as a rider reads it: 0:42.31, 1:02:03.40."""
    hundredths = round(seconds * 100.0)
    minutes, rest = divmod(hundredths, 6000)
    hours, minutes = divmod(minutes, 60)
    head = f"{hours}:{minutes:02d}" if hours else f"{minutes}"
    return f"{head}:{rest // 100:02d}.{rest % 100:02d}"
