"""Timed runs: lines, the clock between them, and the best time."""

from __future__ import annotations

import math

import pytest

from game.core.units import STEP_S
from game.ecs.components import Bicycle, Course, Line, Previous
from game.ecs.world import EntityWorld
from game.ride.course import HALF_WIDTH_M, clock_text, crossed, line_ahead, line_from, make_course_system

NORTH = 0.0


def ride(course: Course, way: list[tuple[float, float]]) -> Course:
    """The rider at each of the places (x, z), a step apart."""
    world = EntityWorld()
    rider = world.create(Bicycle(), Previous())
    world.create(course)
    system = make_course_system(rider)
    bicycle, before = world.component(rider, Bicycle), world.component(rider, Previous)
    bicycle.x, bicycle.z = way[0]
    for x, z in way[1:]:
        before.bicycle = Bicycle(x=bicycle.x, z=bicycle.z)
        bicycle.x, bicycle.z = x, z
        system(world, STEP_S)
    return course


def straight(speed_m_s: float, length_m: float = 130.0) -> list[tuple[float, float]]:
    steps = round(length_m / (speed_m_s * STEP_S))
    return [(0.0, -n * speed_m_s * STEP_S) for n in range(steps + 1)]


def lines() -> Course:
    return Course(start=Line(0.0, -10.05, NORTH), finish=Line(3.0, -110.05, NORTH))


@pytest.mark.parametrize("speed_m_s", [3.0, 7.77, 25.0])
def test_the_time_is_exact_to_the_fraction_of_a_step(speed_m_s: float) -> None:
    course = ride(lines(), straight(speed_m_s))
    assert course.last_s == pytest.approx(100.0 / speed_m_s, abs=1e-9)
    assert course.best_s == course.last_s
    assert course.finished
    assert course.began_s is None


def test_the_best_time_is_kept_and_the_start_line_starts_anew() -> None:
    course = lines()
    best = []
    for speed_m_s in (10.0, 20.0, 5.0):
        ride(course, straight(speed_m_s))
        best.append(course.best_s)
    assert best == pytest.approx([10.0, 5.0, 5.0])
    assert course.last_s == pytest.approx(20.0)
    # Back over the line and once more: only the second start counts.
    there, back = straight(10.0, 20.0), straight(10.0, 20.0)[::-1]
    ride(course, there + back + straight(10.0))
    assert course.last_s == pytest.approx(10.0)


def test_only_who_rides_over_a_line_forward_crosses_it() -> None:
    line = Line(0.0, 0.0, NORTH)
    assert crossed(line, 0.0, 1.0, 0.0, -3.0) == 0.25
    assert crossed(line, 0.0, -1.0, 0.0, 1.0) is None
    assert crossed(line, HALF_WIDTH_M - 0.01, 1.0, HALF_WIDTH_M - 0.01, -1.0) == 0.5
    assert crossed(line, HALF_WIDTH_M + 0.01, 1.0, HALF_WIDTH_M + 0.01, -1.0) is None
    # Exactly on the line belongs to one of two steps, not to both.
    assert (crossed(line, 0.0, 1.0, 0.0, 0.0), crossed(line, 0.0, 0.0, 0.0, -1.0)) == (1.0, None)


def test_a_leap_is_no_ride_and_a_finish_without_a_start_no_time() -> None:
    course = ride(lines(), [(0.0, 0.0), (0.0, -60.0), (0.0, -200.0)])
    assert (course.began_s, course.last_s, course.finished) == (None, None, False)
    course = ride(lines(), [(0.0, -100.0 - n * 0.2) for n in range(100)])
    assert (course.last_s, course.finished) == (None, False)


def test_a_finish_lies_across_the_way_from_the_start() -> None:
    start = line_ahead(100.0, 50.0, math.pi / 2)
    assert (start.x, start.z) == pytest.approx((103.0, 50.0))
    assert line_from(start, 203.0, 150.0, 0.0).yaw_rad == pytest.approx(math.radians(135.0))
    assert line_from(None, 203.0, 150.0, 0.3).yaw_rad == 0.3


def test_times_read_as_on_a_stopwatch() -> None:
    assert [clock_text(s) for s in (0.0, 59.996, 62.345, 3723.4)] == [
        "0:00.00",
        "1:00.00",
        "1:02.34",
        "1:02:03.40",
    ]
