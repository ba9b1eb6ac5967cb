"""Where a ride starts: dry, high, level enough to stand on, and facing a descent one can ride.

Owns a bounded, deterministic search on the world function; nothing random, nothing that depends on what is
resident. Coarse to fine: ranges from the uplift, places from blocks of 16 m samples, then the level-0 land.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.core.coords import WORLD_LIMIT_M, check_position, forward
from game.kernels.descent import lowest_reached
from game.kernels.route import times_out
from game.world.land import LandSource

SEARCH_M = 60_000.0
"""How far from the wish a range is looked for."""

HEIGHT_OVER_SEA_M = 20.0
STAND_SLOPE = math.tan(math.radians(10.0))
"""Steepest ground to stand on, over ±2 m and over ±6 m."""

DESCENT_M = 300.0
DESCENT_DROP_M = 60.0
"""Least drop within `DESCENT_M` along the way one faces."""

RIDE_M = 100.0
RIDE_SLOPE = math.tan(math.radians(30.0))
"""Steepest 10 m of the first `RIDE_M`."""

EDGE_M = 220.0
"""As far as this no edge waits that is steeper still: nobody rides over one, and an autopilot turns back."""

CLIMB_M = 3.0
"""Most metres to climb again along those `DESCENT_M`: out of a hollow an autopilot, and many a rider, turns aside."""

WAY_OUT_GAIN_S = 3.0
"""Seconds of the way out of the land around (`kernels.route`) that the first `RIDE_M` gain at least: a fine descent
into a gorge is no start."""

CLEAR_M = 4.0
"""No trunk this near."""

OPEN_M = 60.0
FEW_TRUNKS = 3
"""Most trunks in a lane 4 m wide over the first `OPEN_M`."""

LONG_DESCENT_M = 200.0
LONG_START_M = 500.0
LONG_REACH_M = 3000.0
"""From every start there is a way down of so many metres that begins and ends within these distances."""

_LONG_LEVEL = 5
_LONG_STEEP = 1.0
"""A step of the long descent is at most 45° steep."""

_SURVEY_LEVEL = 9
_SURVEY_M = 1 << _SURVEY_LEVEL
_SURVEY_SIDE = 6
"""Ranges are looked for on a grid of 6 samples of 512 m: 3 km, the side of a coarse block."""

_UPLIFT_OF_RANGES = 0.3
_MOST_RANGES = 12
_MOST_TRIED = 7
_GOOD_ENOUGH = 12.0
"""Where the land has no such descents, a start with no more flaw than this ends the search."""

_SHORT_FLAW = 0.05
"""Flaw per metre that the long descent is short."""

_COARSE_LEVEL = 4
_COARSE_M = 1 << _COARSE_LEVEL
_COARSE_SIDE = 192
_COARSE_REACH = 19
"""Samples around a coarse block, so that 300 m of descent lie in it."""

_WAY_OUT_SIDE = 65
"""Coarse samples along a side of the land that a way out is looked for in: a kilometre."""

_PLACES_A_RANGE = 4
_DIRECTIONS = 32
_STEP_M = 10.0
_WINDOW_M = 48


class Spawn(NamedTuple):
    """A place to start: metres, and the heading in radians (0 = north, clockwise)."""

    x: float
    z: float
    yaw_rad: float
    met: bool = True
    """Whether every condition is met; False marks the fallback, the best that was found."""


@dataclass(slots=True)
class _Way:
    """A straight way down from a place, and how far it is from what is wanted (0 = everything is met)."""

    yaw_rad: float
    merit: float
    flaw: float


def find_spawn(land: LandSource, sea_level_m: float, near: tuple[float, float] = (0.0, 0.0)) -> Spawn:
    """Start for a new ride, at most about `SEARCH_M` from `near`. Main thread, under 2 s.

    Conditions: ≥ 20 m above the sea; slope ≤ 10° where one stands; no trunk within 4 m; along the heading ≥ 60 m
    of drop within 300 m with no more than 3 m of climb on the way, no 10 m steeper than 30° in the first 220 m, few
    trunks in the first 60 m; the first 100 m gain 3 s of the quickest way out of the kilometre around; a descent of
    ≥ 200 m that starts within 500 m and ends within 3 km (`long_descent_m`).

    When no place seen meets them all, the one with the least flaw is returned, with `met` False; where everything
    in reach is flooded, that is the highest place seen.

    Raises `ValueError` when `near` is out of range or `sea_level_m` is not finite.
    """
    near = check_position(*near, name="near")
    if not math.isfinite(sea_level_m):
        raise ValueError(f"sea_level_m = {sea_level_m!r} is not accepted; give a finite number of metres")
    best: tuple[float, Spawn] | None = None
    flat = True
    for tried, centre in enumerate(_ranges(land, near, sea_level_m)):
        # Only where descents are short is a good start enough; elsewhere there is a perfect one.
        if best is not None and flat and (tried >= _MOST_TRIED or (tried >= 2 and best[0] < _GOOD_ENOUGH)):
            break
        for x, z in _places(land, centre, sea_level_m):
            short = max(0.0, LONG_DESCENT_M - long_descent_m(land, x, z, sea_level_m)) * _SHORT_FLAW
            flat = flat and short > 0.0
            for spot_x, spot_z, stand_flaw in _standing_spots(land, x, z):
                way = _best_way(land, spot_x, spot_z, sea_level_m)
                dry = land.ground.height(spot_x, spot_z) - sea_level_m - HEIGHT_OVER_SEA_M
                flaw = stand_flaw + way.flaw + short + max(0.0, -dry)
                if flaw == 0.0:
                    flaw = _lost_way(land, spot_x, spot_z, way.yaw_rad, sea_level_m)
                found = Spawn(spot_x, spot_z, way.yaw_rad, flaw == 0.0)
                if found.met:
                    return found
                if best is None or flaw < best[0]:
                    best = flaw, found
    assert best is not None, "every block has a highest sample"
    return best[1]


def long_descent_m(land: LandSource, x: float, z: float, sea_level_m: float = -math.inf) -> float:
    """Metres one can descend without climbing, starting within `LONG_START_M` of (x, z), ending within `LONG_REACH_M`.

    From the unedited land at samples 32 m apart; steps are at most 45° steep; land under the sea is out of reach.
    """
    spacing = 1 << _LONG_LEVEL
    reach = int(LONG_REACH_M / spacing)
    i0, j0 = round(x / spacing) - reach, round(z / spacing) - reach
    side = 2 * reach + 1
    heights = land.source.block(_LONG_LEVEL, i0, j0, side, side)
    away = np.hypot(
        (i0 + np.arange(side))[None, :] * spacing - x, (j0 + np.arange(side))[:, None] * spacing - z
    )
    # Out of reach is higher than all land, so no way leads there.
    heights[(away > LONG_REACH_M) | (heights < sea_level_m)] = np.float32(1e6)
    lowest = np.empty_like(heights)
    lowest_reached(
        heights, np.argsort(heights, axis=None, kind="stable"), float(spacing), _LONG_STEEP, lowest
    )
    starts = (away <= LONG_START_M) & (heights < 1e5)
    return float((heights - lowest)[starts].max(initial=0.0))


def spawn_at(land: LandSource, x: float, z: float) -> Spawn:
    """Start at a place that was asked for, facing the best way down.

    Raises `ValueError` when the position is not finite or out of range.
    """
    x, z = check_position(x, z, name="start")
    way = _best_way(land, x, z, -math.inf)
    return Spawn(x, z, way.yaw_rad, way.flaw == 0.0)


def _ranges(land: LandSource, near: tuple[float, float], sea_level_m: float) -> list[tuple[float, float]]:
    """Centres to look around, most promising first: out of the sea, near, and well inside a range."""
    reach = int(SEARCH_M / (_SURVEY_SIDE * _SURVEY_M))
    first_i = math.floor(near[0] / _SURVEY_M) - _SURVEY_SIDE // 2 - reach * _SURVEY_SIDE
    first_j = math.floor(near[1] / _SURVEY_M) - _SURVEY_SIDE // 2 - reach * _SURVEY_SIDE
    count = 2 * reach + 1
    side = count * _SURVEY_SIDE
    heights = land.source.block(_SURVEY_LEVEL, first_i, first_j, side, side)
    tops = heights.reshape(count, _SURVEY_SIDE, count, _SURVEY_SIDE).max(axis=(1, 3))
    limit = WORLD_LIMIT_M - 8000.0
    found = []
    for row in range(count):
        for column in range(count):
            x = float((first_i + column * _SURVEY_SIDE + _SURVEY_SIDE // 2) * _SURVEY_M)
            z = float((first_j + row * _SURVEY_SIDE + _SURVEY_SIDE // 2) * _SURVEY_M)
            distance = math.sqrt((x - near[0]) ** 2 + (z - near[1]) ** 2)
            if distance > SEARCH_M or abs(x) > limit or abs(z) > limit:
                continue
            top = float(tops[row, column])
            room = top - sea_level_m - HEIGHT_OVER_SEA_M - DESCENT_DROP_M
            uplift = land.source.uplift(x, z)
            # The core of a range is worth a way of some 40 km, but not more; so are 250 m of land above the sea.
            merit = min(uplift, 0.75) + min(room, 250.0) / 600.0 - distance / 100_000.0
            if room <= 0.0:
                found.append((2, distance / 500.0 - top, x, z))
            else:
                found.append((int(uplift < _UPLIFT_OF_RANGES), -merit, x, z))
    found.sort()
    return [(x, z) for _, _, x, z in found[:_MOST_RANGES]]


def _places(land: LandSource, centre: tuple[float, float], sea_level_m: float) -> list[tuple[float, float]]:
    """Promising places of a 3 km square, best first, from 16 m samples."""
    side, reach = _COARSE_SIDE, _COARSE_REACH
    first_i = round(centre[0] / _COARSE_M) - side // 2
    first_j = round(centre[1] / _COARSE_M) - side // 2
    wide = side + 2 * reach
    heights = land.source.block(_COARSE_LEVEL, first_i - reach, first_j - reach, wide, wide).astype(
        np.float64
    )

    def shifted(di: int, dj: int) -> NDArray[np.float64]:
        return heights[reach + dj : reach + dj + side, reach + di : reach + di + side]

    own = shifted(0, 0)
    slope = np.hypot(shifted(1, 0) - shifted(-1, 0), shifted(0, 1) - shifted(0, -1)) / (2 * _COARSE_M)
    fall = np.full(own.shape, -np.inf)
    for n in range(16):
        along_x, along_z = _direction(n, 16)
        profile = [
            own - shifted(round(along_x * k), round(along_z * k)) for k in (3, 6, 12, DESCENT_M / _COARSE_M)
        ]
        steepest = np.maximum(profile[0] / 48.0, (profile[1] - profile[0]) / 48.0)
        usable = (profile[0] > 1.5) & (profile[1] > profile[0]) & (profile[2] > profile[1])
        usable &= (steepest < 0.9 * RIDE_SLOPE) & (profile[3] >= DESCENT_DROP_M)
        fall = np.maximum(fall, np.where(usable, np.minimum(profile[3], 130.0), -np.inf))
    dry = own >= sea_level_m + HEIGHT_OVER_SEA_M + 5.0
    # High ground has the view; a stand in the open is easier to leave than one in the forest.
    merit = fall + 0.05 * (own - own.min()) - 60.0 * _forest(land, first_i, first_j, side)
    merit -= 300.0 * np.maximum(slope - 0.8 * STAND_SLOPE, 0.0)
    merit[~dry] = -np.inf
    chosen: list[tuple[float, float]] = []
    for _ in range(_PLACES_A_RANGE):
        if not np.isfinite(merit.max()):
            break
        j, i = divmod(int(merit.argmax()), side)
        chosen.append((float((first_i + i) * _COARSE_M), float((first_j + j) * _COARSE_M)))
        merit[max(0, j - 9) : j + 10, max(0, i - 9) : i + 10] = -np.inf
    if not chosen:
        j, i = divmod(int((own - np.where(dry, 600.0 * slope, 0.0)).argmax()), side)
        chosen.append((float((first_i + i) * _COARSE_M), float((first_j + j) * _COARSE_M)))
    return chosen


def _forest(land: LandSource, first_i: int, first_j: int, side: int) -> NDArray[np.float64]:
    """Tree density [side, side] at coarse samples, from the nearest 64 m node to the north-west."""
    columns = (first_i + np.arange(side)) * _COARSE_M // 64
    rows = (first_j + np.arange(side)) * _COARSE_M // 64
    nodes = land.source.forest_nodes(
        int(columns[0]), int(rows[0]), int(columns[-1] - columns[0]) + 1, int(rows[-1] - rows[0]) + 1
    )
    return nodes[np.ix_(rows - rows[0], columns - columns[0])].astype(np.float64)


def _standing_spots(land: LandSource, x: float, z: float) -> Iterator[tuple[float, float, float]]:
    """Up to four samples near (x, z) to stand on, level and clear ones first, each with its flaw (0 = fine)."""
    half, margin = _WINDOW_M // 2, 6
    i0, j0 = math.floor(x) - half, math.floor(z) - half
    wide = _WINDOW_M + 2 * margin
    heights = land.ground.block(i0 - margin, j0 - margin, wide, wide).astype(np.float64)

    def shifted(di: int, dj: int) -> NDArray[np.float64]:
        return heights[margin + dj : margin + dj + _WINDOW_M, margin + di : margin + di + _WINDOW_M]

    own = shifted(0, 0)
    steepest = np.zeros((_WINDOW_M, _WINDOW_M))
    for d in (2, 6):
        # One-sided, so that a sharp crest or a ditch does not pass for level ground.
        rise_x = np.maximum(abs(shifted(d, 0) - own), abs(shifted(-d, 0) - own)) / d
        rise_z = np.maximum(abs(shifted(0, d) - own), abs(shifted(0, -d) - own)) / d
        steepest = np.maximum(steepest, np.hypot(rise_x, rise_z))
    flaw = 400.0 * np.maximum(steepest - STAND_SLOPE, 0.0)
    at_x = i0 + np.arange(_WINDOW_M, dtype=np.float64)
    at_z = j0 + np.arange(_WINDOW_M, dtype=np.float64)
    reach = half * 1.5 + CLEAR_M
    standing = land.ground.trunks(x, z, reach)[:, :2]
    solids = land.scenery.solids(x - reach, z - reach, 2.0 * reach)
    for trunk_x, trunk_z in np.concatenate([standing, solids[:, :2], solids[:, 2:4]]).tolist():
        gap = np.sqrt((at_x[None, :] - trunk_x) ** 2 + (at_z[:, None] - trunk_z) ** 2)
        flaw += 10.0 * np.maximum(CLEAR_M + 0.5 - gap, 0.0)
    away = np.sqrt((at_x[None, :] - x) ** 2 + (at_z[:, None] - z) ** 2)
    cost = flaw + 0.02 * away
    for _ in range(4):
        j, i = divmod(int(cost.argmin()), _WINDOW_M)
        yield float(at_x[i]), float(at_z[j]), float(flaw[j, i])
        cost[max(0, j - 8) : j + 9, max(0, i - 8) : i + 9] = np.inf


def _lost_way(land: LandSource, x: float, z: float, yaw_rad: float, sea_level_m: float) -> float:
    """Seconds that the first `RIDE_M` along a heading fall short of what they are to gain on the way out."""
    side = _WAY_OUT_SIDE
    i0, j0 = round(x / _COARSE_M) - side // 2, round(z / _COARSE_M) - side // 2
    times = np.empty((side, side), np.float64)
    times_out(land.source.block(_COARSE_LEVEL, i0, j0, side, side), float(_COARSE_M), sea_level_m, times)
    along_x, along_z = forward(yaw_rad)

    def time(distance_m: float) -> float:
        i = round((x + along_x * distance_m) / _COARSE_M) - i0
        j = round((z + along_z * distance_m) / _COARSE_M) - j0
        return float(times[j, i])

    return max(0.0, time(RIDE_M) + WAY_OUT_GAIN_S - time(0.0))


def _best_way(land: LandSource, x: float, z: float, sea_level_m: float) -> _Way:
    """The straight way down from (x, z) with the least flaw, and of those the one of most merit."""
    ground = land.ground
    top = ground.height(x, z)
    trunks = ground.trunks(x, z, OPEN_M + 3.0)
    limit = WORLD_LIMIT_M
    best: _Way | None = None
    for n in range(_DIRECTIONS):
        along_x, along_z = _direction(n, _DIRECTIONS)

        def height(distance_m: float, along_x: float = along_x, along_z: float = along_z) -> float:
            return ground.height(
                min(max(x + along_x * distance_m, -limit), limit),
                min(max(z + along_z * distance_m, -limit), limit),
            )

        near = [top] + [height(_STEP_M * k) for k in range(1, int(RIDE_M / _STEP_M) + 1)]
        drops = [(a - b) / _STEP_M for a, b in pairwise(near)]
        flaw = 100.0 * max(0.0, max(drops) - RIDE_SLOPE)
        # A rise on the way is no descent; half a metre over ten is a ripple.
        flaw += 40.0 * sum(max(0.0, -drop - 0.05) for drop in drops)
        flaw += max(0.0, 8.0 - (top - near[-1])) + max(0.0, 1.0 - (top - near[3]))
        flaw += max(0.0, sea_level_m + 1.0 - min(near))
        ahead = (trunks[:, 0] - x) * along_x + (trunks[:, 1] - z) * along_z
        aside = np.abs((trunks[:, 0] - x) * along_z - (trunks[:, 1] - z) * along_x)
        lane = int(((ahead > 0.0) & (ahead < OPEN_M) & (aside < 2.0)).sum())
        flaw += 2.0 * max(0, lane - FEW_TRUNKS)
        if best is not None and flaw > best.flaw:
            continue
        # Far samples only for ways that are in the running: each may cost a page.
        later = [near[-1]] + [height(_STEP_M * k) for k in range(len(near), int(DESCENT_M / _STEP_M) + 1)]
        edge = later[: int((EDGE_M - RIDE_M) / _STEP_M) + 1]
        flaw += 50.0 * max(0.0, max(a - b for a, b in pairwise(edge)) / _STEP_M - RIDE_SLOPE)
        way = near + later[1:]
        flaw += 2.0 * max(0.0, max(np.subtract(way, np.minimum.accumulate(way))) - CLIMB_M)
        drop = top - min(way)
        flaw += max(0.0, DESCENT_DROP_M - drop)
        merit = min(drop, 120.0) - 4.0 * lane - 60.0 * (max(drops) - min(drops))
        yaw_rad = math.atan2(along_x, -along_z) % (2.0 * math.pi)
        if best is None or (flaw, -merit) < (best.flaw, -best.merit):
            best = _Way(yaw_rad, merit, flaw)
    assert best is not None
    return best


def _direction(number: int, of: int) -> tuple[float, float]:
    """Unit direction (x, z) of the `number`-th of `of` headings, clockwise from north."""
    yaw_rad = 2.0 * math.pi * number / of
    return math.sin(yaw_rad), -math.cos(yaw_rad)
