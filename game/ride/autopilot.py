"""The autopilot: rides downhill, or straight on, as a careful rider would. Deterministic.

Ten times a second it rates some dozens of paths of up to 60 m over the real ground (see `kernels.arcs`), takes the
best, and between two ratings only holds its curvature and speed. It writes an `Intent`, nothing else, so it
rides under the same physics as the player.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from game.core.units import GRAVITY_M_S2, STEP_HZ
from game.ecs.components import Autopilot, Bicycle, Intent
from game.kernels import arcs, route
from game.ride.contact import GroundLike, LandPatch
from game.ride.steering import LATERAL_G, TURN_LIMIT_1_M
from game.ride.tyres import BRAKE_FRONT_G, TYRE_FRICTION

Coarse = Callable[[int, int, int, int, int], NDArray[np.float32]]
"""Heights (level, i0, j0, ni, nj) → float32 [nj, ni], as `HeightSource.block`."""

MODES = ("off", "downhill", "straight")

PATCH_M = 96
"""Half the side of the land it keeps around the rider: the farthest path and some way to go."""

PLAN_STEPS = 12
"""Steps between two ratings: a tenth of a second."""

PATH_M = 60
SLOW_PATH_M = 36
"""Length of the rated paths, riding and from rest."""

TOP_SPEED_M_S = 15.0
WOODS_M = 30.0
WOODS_M_S = 10.0
SLOWER_PER_TRUNK_M_S = 0.07
"""In woods it rides slower by this for each trunk within this distance, but not below the second."""

PEDAL_BELOW_M_S = 13.5
HURRY_BELOW_M_S = 11.0
"""It never wants more than the top speed, pedals below the first of these and sprints below the second."""

PIVOT_BELOW_M_S = 1.2
"""Slower than this it may turn on the spot, so it looks all round."""

TURN_SHARES = (0.0, 0.08, 0.18, 0.32, 0.5, 0.72, 1.0)
"""First curvatures as shares of the tightest one, to both sides: thirteen arcs."""

SECOND_SHARES = (-0.5, 0.0, 0.5)
SWITCH_SHARES = (0.15, 0.3, 0.5)
"""Second curvatures, and where on the path they begin; each planning pairs them differently."""

KEEP_BONUS = 0.4
"""What going on as planned is worth, so that two equal ways do not alternate."""

COMFORT_G = 0.5
"""Lateral acceleration of the tightest arc it considers."""

STUCK_S = 2.5
"""After pedalling this long without getting away it looks for another way."""

TURN_ROUND = 3.0
"""Score that turning on the spot by a right angle costs."""

LEAD = 0.7
"""Share of what is missing of a turn that it asks for in addition."""

LEAN_TIME_S = 0.4
"""How long a change of curvature takes, see `steering`."""

HOLD_GRIP = 0.85
"""Share of full grip above which brakes and curves hold as planned: the rear wheel lifts before a tyre slides."""

RASTER_M = 48
"""Half the side of the raster of distances to bark."""

DRY_M = 0.5

DESCENT_WEIGHT = 45.0
COURSE_WEIGHT = 60.0
"""Score in m/s for a descent of 1 m a metre, and for riding against the wanted course."""


ROUTE_WEIGHT = 60.0
ROUTE_DESCENT_WEIGHT = 35.0
"""Score for a second of the way out gained a metre, and for descent where there is a route."""

LOOK_AHEAD_S = 1.0
"""The way out is made ready this much before the rider is there."""

ROUTE_LEVEL = 4
ROUTE_SIDE = 65
ROUTE_STEP_M = 128
"""The route looks over 1 km of 16 m samples around the rider's square of this side."""


class Route:
    """Times to the way out of the wide land around the rider, so that no fine descent ends above a cliff.

    They are a function of the place, so a thread makes those of the next square ahead; nothing depends on when.
    """

    def __init__(self, coarse: Coarse) -> None:
        self._coarse = coarse
        self._key: _Square | None = None
        self._ahead: tuple[_Square, Future[_Times]] | None = None
        self._thread: ThreadPoolExecutor | None = None
        self.times: NDArray[np.float64] = np.zeros((2, 2), np.float64)
        self.x = 0.0
        self.z = 0.0

    def around(self, x: float, z: float, sea_level_m: float) -> None:
        """Have `times` for the square that holds (x, z): a function of the place alone."""
        key = _square(x, z, sea_level_m)
        if key == self._key:
            return
        self._key = key
        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead[0] == key:
            self.times, self.x, self.z = ahead[1].result()
        else:
            self.times, self.x, self.z = _times_of(self._coarse, key)

    def look_ahead(self, x: float, z: float, sea_level_m: float) -> None:
        """Have a thread make `times` for the square that holds (x, z), where the rider will soon be."""
        key = _square(x, z, sea_level_m)
        if key == self._key or (self._ahead is not None and self._ahead[0] == key):
            return
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "route")
        if self._ahead is not None:
            self._ahead[1].cancel()
        self._ahead = (key, self._thread.submit(_times_of, self._coarse, key))


_Square = tuple[int, int, float]
_Times = tuple[NDArray[np.float64], float, float]


def _square(x: float, z: float, sea_level_m: float) -> _Square:
    return math.floor(x / ROUTE_STEP_M), math.floor(z / ROUTE_STEP_M), sea_level_m


def _times_of(coarse: Coarse, key: _Square) -> _Times:
    """Times of a square, and where their first node stands. Any thread."""
    spacing = 1 << ROUTE_LEVEL
    half = ROUTE_SIDE // 2
    i0 = (key[0] * ROUTE_STEP_M + ROUTE_STEP_M // 2) // spacing - half
    j0 = (key[1] * ROUTE_STEP_M + ROUTE_STEP_M // 2) // spacing - half
    heights = np.ascontiguousarray(coarse(ROUTE_LEVEL, i0, j0, ROUTE_SIDE, ROUTE_SIDE), dtype=np.float32)
    times = np.empty(heights.shape, np.float64)
    route.times_out(heights, float(spacing), key[2] + DRY_M, times)
    return times, float(i0 * spacing), float(j0 * spacing)


_NO_TIMES = np.zeros((2, 2), np.float64)

_SHARES = np.array([*(-share for share in TURN_SHARES[:0:-1]), *TURN_SHARES])
_FIRST = np.repeat(_SHARES, len(SECOND_SHARES))
_SECOND = np.tile(np.array(SECOND_SHARES), _SHARES.size)
_SWITCHES = np.resize(np.array([SWITCH_SHARES[k] for k in (0, 1, 2, 1, 2, 0, 2)]), _FIRST.size)


def steer(
    bicycle: Bicycle,
    ground: GroundLike,
    plan: Autopilot,
    intent: Intent,
    sea_level_m: float = -math.inf,
    dt: float = 1.0 / 120.0,
    way_out: Route | None = None,
) -> Intent:
    """Write into `intent` (and return it) what the rider should do this step; `plan` is carried between steps.

    With `way_out` it also looks beyond its paths, over a kilometre of coarse land.

    Raises `ValueError` when the plan's mode is not "downhill" or "straight".
    """
    if plan.mode not in MODES or plan.mode == "off":
        raise ValueError(f'autopilot mode {plan.mode!r} is not accepted; use "downhill" or "straight"')
    intent.hop = intent.recover = False
    intent.pedal = intent.brake_front = intent.brake_rear = intent.steer = 0.0
    if bicycle.fallen_s > 0.0:
        plan.countdown = 0
        return intent
    if plan.course_rad is None:
        plan.course_rad = bicycle.yaw_rad
    plan.countdown -= 1
    if plan.countdown <= 0:
        plan.countdown = PLAN_STEPS
        _plan(bicycle, LandPatch.of(ground), plan, sea_level_m, way_out)
    v = max(0.0, bicycle.speed_m_s)
    if plan.pivot_rad is not None:
        error = math.remainder(plan.pivot_rad - bicycle.yaw_rad, 2.0 * math.pi)
        if abs(error) > 0.25:
            intent.steer = 1.0 if error > 0.0 else -1.0
            intent.brake_front = intent.brake_rear = 0.6
            return intent
        intent.steer = 2.0 * error
        intent.pedal = 1.5
        return intent
    tightest = min(TURN_LIMIT_1_M, LATERAL_G * bicycle.grip * GRAVITY_M_S2 / max(v * v, 1e-6))
    # Ahead of the lean's lag: asks for more than the turn until it is there.
    ahead = plan.turn_1_m + LEAD * (plan.turn_1_m - bicycle.turn_1_m)
    intent.steer = min(1.0, max(-1.0, ahead / tightest))
    over = v - plan.target_m_s
    if over > 0.0 and not bicycle.airborne:
        intent.brake_rear = min(1.0, 0.5 * over)
        intent.brake_front = min(0.9, 0.5 * over, _front_brake_that_holds(bicycle))
    elif v < min(PEDAL_BELOW_M_S, plan.target_m_s - 0.7):
        # From rest and uphill out of a dip it stands up on the pedals.
        intent.pedal = 1.5 if bicycle.gradient > 0.04 or v < HURRY_BELOW_M_S else 1.0
    return intent


def _front_brake_that_holds(b: Bicycle) -> float:
    """How far the front brake may be pulled in this turn and on this slope before the wheel locks."""
    lateral = b.speed_m_s * b.speed_m_s * b.turn_1_m / GRAVITY_M_S2
    friction = TYRE_FRICTION * b.grip
    left = math.sqrt(max(0.04, friction * friction - lateral * lateral)) * math.cos(b.pitch_rad)
    return 0.9 * left / BRAKE_FRONT_G


def _plan(b: Bicycle, land: LandPatch, plan: Autopilot, sea_level_m: float, way_out: Route | None) -> None:
    v = max(0.0, b.speed_m_s)
    if v < PIVOT_BELOW_M_S and not b.airborne:
        _plan_at_rest(b, land, plan, sea_level_m, way_out)
        return
    plan.pivot_rad = None
    plan.stuck_s = 0.0
    if v > 4.0:
        plan.blocked_rad = None
    most = min(0.3, COMFORT_G * GRAVITY_M_S2 / max(v * v, 1.0))
    first = np.empty(_FIRST.size + 1, np.float64)
    second, switches = np.empty_like(first), np.empty_like(first)
    first[:-1] = _FIRST * most
    second[:-1] = _SECOND * most
    plan.plans += 1
    switches[:-1] = PATH_M * np.roll(_SWITCHES, plan.plans)
    # The last candidate goes on as planned.
    plan.switch_m = max(0.0, plan.switch_m - v * PLAN_STEPS / STEP_HZ)
    first[-1] = plan.turn_1_m if plan.switch_m > 0.0 else plan.second_1_m
    second[-1], switches[-1] = plan.second_1_m, plan.switch_m
    headings = np.full(first.size, b.yaw_rad)
    result = _rate(
        b, land, plan, headings, (first, second, switches), PATH_M, v, b.turn_1_m, sea_level_m, way_out
    )
    result[-1, 0] += KEEP_BONUS
    best = int(np.argmax(result[:, 0]))
    plan.target_m_s = float(result[best, 1])
    plan.turn_1_m, plan.second_1_m = float(first[best]), float(second[best])
    plan.switch_m = float(switches[best])


def _plan_at_rest(
    b: Bicycle, land: LandPatch, plan: Autopilot, sea_level_m: float, way_out: Route | None
) -> None:
    """Look all round for a heading to ride off in."""
    count = 24
    headings = np.arange(count, dtype=np.float64) * (2.0 * math.pi / count)
    zero = np.zeros(count, np.float64)
    result = _rate(b, land, plan, headings, (zero, zero, zero), SLOW_PATH_M, 3.0, 0.0, sea_level_m, way_out)
    # Turning round costs time; and what was chosen before stays chosen unless something is clearly better.
    kept = plan.pivot_rad if plan.pivot_rad is not None else b.yaw_rad
    scores = result[:, 0] - TURN_ROUND * (1.0 - np.cos(headings - kept))
    if plan.blocked_rad is not None:
        # Where pedalling came to an end is no way out.
        scores -= 25.0 * np.maximum(0.0, np.cos(headings - plan.blocked_rad) - 0.5)
    best = int(np.argmax(scores))
    plan.stuck_s += PLAN_STEPS / STEP_HZ
    if plan.stuck_s > STUCK_S:
        # Still turning after all that time: the slope turns it back faster than a foot can, so not there either.
        turning = abs(math.remainder(kept - b.yaw_rad, 2.0 * math.pi)) > 0.4
        plan.blocked_rad = kept if turning else b.yaw_rad
        plan.stuck_s = 0.0
    plan.pivot_rad = math.remainder(float(headings[best]), 2.0 * math.pi)
    plan.target_m_s = float(result[best, 1])
    plan.turn_1_m = plan.second_1_m = plan.switch_m = 0.0


def _top_speed(land: LandPatch, b: Bicycle) -> float:
    """Speed that leaves time to react where trunks stand: less the more of them are near."""
    rows = land.trunks_around(b.x, b.z, RASTER_M)
    near = np.count_nonzero((rows[:, 0] - b.x) ** 2 + (rows[:, 1] - b.z) ** 2 < WOODS_M * WOODS_M)
    return max(WOODS_M_S, TOP_SPEED_M_S - SLOWER_PER_TRUNK_M_S * float(near))


def _rate(
    b: Bicycle,
    land: LandPatch,
    plan: Autopilot,
    headings: NDArray[np.float64],
    turns: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
    length_m: int,
    pace_m_s: float,
    turn_now: float,
    sea_level_m: float,
    way_out: Route | None,
) -> NDArray[np.float64]:
    """[n, 3] score, allowed speed and free way of each candidate: heading, first and second curvature, switch."""
    land.around(b.x, b.z, length_m + 4.0)
    side = int(2 * RASTER_M / arcs.CELL_M) + 1
    distances = np.empty((side, side), np.float32)
    raster_x, raster_z = b.x - RASTER_M, b.z - RASTER_M
    arcs.bark_distances(land.trunks_around(b.x, b.z, RASTER_M), raster_x, raster_z, distances)
    out = np.empty((len(headings), 3), np.float64)
    straight = plan.mode == "straight"
    guided = way_out is not None and not straight and math.isfinite(sea_level_m)
    times, times_x, times_z = _NO_TIMES, 0.0, 0.0
    if guided and way_out is not None:
        way_out.around(b.x, b.z, sea_level_m)
        way_out.look_ahead(b.x + LOOK_AHEAD_S * b.vx_m_s, b.z + LOOK_AHEAD_S * b.vz_m_s, sea_level_m)
        times, times_x, times_z = way_out.times, way_out.x - land.i0, way_out.z - land.j0
    first, second, switches = turns
    arcs.rate_paths(
        land.heights,
        b.x - land.i0,
        b.z - land.j0,
        pace_m_s,
        turn_now,
        max(1.0, LEAN_TIME_S * pace_m_s),
        headings,
        first,
        second,
        switches,
        round(length_m / arcs.SPACING_M),
        distances,
        raster_x - land.i0,
        raster_z - land.j0,
        sea_level_m + DRY_M,
        _top_speed(land, b),
        min(1.0, b.grip / HOLD_GRIP),
        0.0 if straight else ROUTE_DESCENT_WEIGHT if guided else DESCENT_WEIGHT,
        float(plan.course_rad or 0.0),
        COURSE_WEIGHT if straight else 0.0,
        times,
        times_x,
        times_z,
        float(1 << ROUTE_LEVEL),
        ROUTE_WEIGHT if guided else 0.0,
        out,
    )
    return out
