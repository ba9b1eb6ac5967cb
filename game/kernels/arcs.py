"""Paths for the autopilot: how fast, how steep and how free each candidate would be to ride.

A candidate is a heading and two curvatures, ridden one after the other. Heights float32 [nj, ni] at 1 m and positions
in metres from its first sample, as in `contact`; trunks enter as a raster of distances to the nearest bark.
"""

from __future__ import annotations

import math

import numpy as np

from game.kernels import jit

GRAVITY = 9.80665

FREE_M = 3.0
"""Distances to bark are known up to this; beyond it a place is free."""

CELL_M = 0.5
"""Side of a cell of the distance raster."""

SPACING_M = 1.5
"""Distance between samples of a path."""

BLOCK_M = 0.95
"""A path nearer to bark than this is blocked: half a handlebar, and what sampling at `SPACING_M` can miss."""

STEEP = 0.32
"""Rise over run, along the path or across it, from which it slows down and looks for another way."""

ENOUGH = 0.22
"""A steeper descent earns no more: this one needs no pedalling already."""

TRAVERSE = 0.25
"""So much steeper a face may be across the path than along it."""

WILD = 0.5
DANGER = 8.0
"""On faces steeper than this, in any direction, brakes and tyres have little left: what each sample there costs, per
unit of rise over run, so that it goes there only where all else is worse."""

FACE = 0.8
"""Rise over run in any direction at which the tyres let go."""

CURVE_G = 0.42
"""Lateral acceleration in g it takes a curve with."""

BRAKE_G = 0.6
"""Deceleration in g it counts on, on the flat; a careful share of what the brakes can do."""

CREST_G = 1.0
DIP_G = 1.4
"""Centripetal acceleration in g that it takes over crests (a little flight) and through dips."""

CLIFF = 0.75
WALL = 1.0
"""Rise over run that a path never takes on: smoothed, and from sample to sample."""

EDGE_M = 3.0
EDGE = 1.1
"""Land that falls by more than this beside the path, over this distance, is an edge to keep away from."""

MOST_GAIN = 0.4
"""Seconds of way out gained or lost per metre that count."""

SMOOTHING = 0.3
"""Weight of a sample in the smoothed slope, which forgets within some five metres: what braking has to work with."""


@jit
def bark_distances(trunks, x, z, out):
    """Fill `out` float32 [n, n] with the distance to the nearest trunk, at most `FREE_M`.

    `trunks` float64 [m, 5] (x, z, radius, bottom, top); node (j, i) stands at (x + i·CELL_M, z + j·CELL_M).
    """
    rows, columns = out.shape
    out[:, :] = np.float32(FREE_M)
    for k in range(trunks.shape[0]):
        east = trunks[k, 0] - x
        south = trunks[k, 1] - z
        radius = trunks[k, 2]
        reach = radius + FREE_M
        i0 = max(0, int(math.ceil((east - reach) / CELL_M)))
        i1 = min(columns - 1, int(math.floor((east + reach) / CELL_M)))
        j0 = max(0, int(math.ceil((south - reach) / CELL_M)))
        j1 = min(rows - 1, int(math.floor((south + reach) / CELL_M)))
        for j in range(j0, j1 + 1):
            dz = j * CELL_M - south
            for i in range(i0, i1 + 1):
                dx = i * CELL_M - east
                gap = np.float32(math.sqrt(dx * dx + dz * dz) - radius)
                if gap < out[j, i]:
                    out[j, i] = gap


@jit
def _bark_at(distances, u, v):
    """Bilinear distance to bark at raster position (u, v) in cells; free outside."""
    rows, columns = distances.shape
    i = int(math.floor(u))
    j = int(math.floor(v))
    if i < 0 or j < 0 or i >= columns - 1 or j >= rows - 1:
        return FREE_M
    a = u - i
    b = v - j
    north = np.float64(distances[j, i]) * (1.0 - a) + np.float64(distances[j, i + 1]) * a
    south = np.float64(distances[j + 1, i]) * (1.0 - a) + np.float64(distances[j + 1, i + 1]) * a
    return north * (1.0 - b) + south * b


@jit
def _time_at(times, u, v):
    """Bilinear time at grid position (u, v); that of the border outside."""
    rows, columns = times.shape
    u = min(max(u, 0.0), columns - 1.001)
    v = min(max(v, 0.0), rows - 1.001)
    i = int(u)
    j = int(v)
    a = u - i
    b = v - j
    north = times[j, i] * (1.0 - a) + times[j, i + 1] * a
    south = times[j + 1, i] * (1.0 - a) + times[j + 1, i + 1] * a
    return north * (1.0 - b) + south * b


@jit
def _smooth_plane(heights, x, z):
    """Height and slopes at (x, z), the slopes across three metres: what a bicycle feels, for a few reads."""
    rows, columns = heights.shape
    i = min(max(int(x), 1), columns - 3)
    j = min(max(int(z), 1), rows - 3)
    u = min(max(x - i, 0.0), 1.0)
    v = min(max(z - j, 0.0), 1.0)
    a = 1.0 - u
    b = 1.0 - v
    height = (np.float64(heights[j, i]) * a + np.float64(heights[j, i + 1]) * u) * b
    height += (np.float64(heights[j + 1, i]) * a + np.float64(heights[j + 1, i + 1]) * u) * v
    north = np.float64(heights[j, i + 2]) - np.float64(heights[j, i - 1])
    south = np.float64(heights[j + 1, i + 2]) - np.float64(heights[j + 1, i - 1])
    west = np.float64(heights[j + 2, i]) - np.float64(heights[j - 1, i])
    east = np.float64(heights[j + 2, i + 1]) - np.float64(heights[j - 1, i + 1])
    return height, (north * b + south * v) / 3.0, (west * a + east * u) / 3.0


@jit
def _height_near(heights, x, z):
    """Height of the sample nearest to (x, z)."""
    rows, columns = heights.shape
    return np.float64(heights[min(max(int(z + 0.5), 0), rows - 1), min(max(int(x + 0.5), 0), columns - 1)])


@jit
def rate_paths(
    heights,
    x,
    z,
    speed,
    turn_now,
    ramp_m,
    headings,
    first_turns,
    second_turns,
    switches,
    points,
    distances,
    raster_x,
    raster_z,
    sea_y,
    top_speed,
    hold,
    descent_weight,
    course,
    course_weight,
    times,
    times_x,
    times_z,
    times_m,
    route_weight,
    out,
):
    """Rate candidates: fill `out` float64 [n, 3] with score, speed allowed now (m/s) and free way (m).

    Each is sampled every `SPACING_M`, `points` times. The curvature goes from `turn_now` to the first one within
    `ramp_m`, and changes to the second after `switches` metres. Limits of speed come from curves, crests, dips,
    steepness, bark and blocks; a backward pass makes them brakeable, a forward one says how long the path takes.
    `hold` is the share of grip that the surface offers. `times` float64 [k, k] are seconds to the way out (`route`),
    node (0, 0) at (times_x, times_z), `times_m` apart.
    """
    limits = np.empty(points, np.float64)
    slopes = np.empty(points, np.float64)
    evens = np.empty(points, np.float64)
    foot, slope_x0, slope_z0 = _smooth_plane(heights, x, z)
    # Who is on a steeper face already must get off it somehow.
    most = max(FACE * hold, 1.1 * math.sqrt(slope_x0 * slope_x0 + slope_z0 * slope_z0))
    for n in range(headings.shape[0]):
        heading = headings[n]
        height = foot
        px = x
        pz = z
        turn = turn_now
        free = points * SPACING_M
        nearness = 0.0
        across = 0.0
        steepness = 0.0
        danger = 0.0
        even = slope_x0 * math.sin(headings[n]) - slope_z0 * math.cos(headings[n])
        used = points
        cliff = False
        for k in range(points):
            goal = first_turns[n]
            if k * SPACING_M >= switches[n]:
                goal = second_turns[n]
            step = SPACING_M * max(0.02, abs(first_turns[n] - turn_now) / ramp_m)
            turn += min(step, max(-step, goal - turn))
            heading += turn * SPACING_M
            dx = math.sin(heading)
            dz = -math.cos(heading)
            px += dx * SPACING_M
            pz += dz * SPACING_M
            height, slope_x, slope_z = _smooth_plane(heights, px, pz)
            along = slope_x * dx + slope_z * dz
            side = abs(slope_z * dx - slope_x * dz)
            bark = _bark_at(distances, (px - raster_x) / CELL_M, (pz - raster_z) / CELL_M)
            slopes[k] = along
            # Across a face the tyres hold where straight down it the brakes would not: so it traverses.
            even += SMOOTHING * (along - even)
            evens[k] = even
            steep = max(-even, side - TRAVERSE)
            face = math.sqrt(slope_x * slope_x + slope_z * slope_z)
            if (
                height < sea_y
                or bark < BLOCK_M
                or along > WALL
                or steep > CLIFF
                or along < -WALL
                or face > most
            ):
                free = k * SPACING_M
                used = k + 1
                limits[k] = 0.0
                cliff = steep > CLIFF or along < -WALL or face > most
                break
            limit = top_speed * top_speed
            limit = min(limit, CURVE_G * hold * GRAVITY / max(abs(turn), 1e-4))
            if k >= 1:
                bend = (along - slopes[k - 1]) / SPACING_M
                if bend < 0.0:
                    limit = min(limit, CREST_G * GRAVITY / max(-bend, 1e-4))
                else:
                    limit = min(limit, DIP_G * GRAVITY / max(bend, 1e-4))
            if steep > STEEP:
                slow = max(5.0, top_speed - (top_speed - 5.0) * (steep - STEEP) / (CLIFF - STEEP))
                limit = min(limit, slow * slow)
                steepness += steep - STEEP
            danger += max(0.0, face - WILD)
            if even > 0.12:
                steepness += even - 0.12
            right = _height_near(heights, px - EDGE_M * dz, pz + EDGE_M * dx)
            left = _height_near(heights, px + EDGE_M * dz, pz - EDGE_M * dx)
            if height - min(left, right) > EDGE_M * EDGE:
                limit = min(limit, 49.0)
                nearness += 2.0
            if bark < 2.0:
                slow = 5.0 + 6.0 * (bark - BLOCK_M)
                limit = min(limit, slow * slow)
                nearness += 2.0 - bark
            # A path that comes near bark late can still be bent away: what is close counts full.
            across += side
            limits[k] = max(limit, 4.0)
        # Brake backward from every limit. Where brakes do not hold against the slope, the speed allowed at its
        # upper end is less than at the lower, down to nothing.
        allowed = limits[used - 1]
        for k in range(used - 2, -1, -1):
            cosine = 1.0 / math.sqrt(1.0 + evens[k] * evens[k])
            grip = GRAVITY * cosine * (BRAKE_G * hold + min(0.0, evens[k]))
            grip = min(grip, 0.5 * GRAVITY)
            limits[k] = max(0.0, min(limits[k], allowed + 2.0 * grip * SPACING_M))
            allowed = limits[k]
        square = min(speed * speed, max(allowed, 1.0))
        seconds = 0.0
        for k in range(used):
            pace = math.sqrt(max(square, 1.0))
            seconds += SPACING_M / pace
            push = min(3.0, 4.4 / pace) - 0.05 - 0.0022 * square - GRAVITY * slopes[k]
            square += 2.0 * push * SPACING_M
            if square < 0.2 and slopes[k] > 0.2:
                # Pedalling does not get up there.
                free = min(free, k * SPACING_M)
                used = k + 1
                break
            square = min(max(square, 1.0), max(limits[k], 1.0))
        whole = points * SPACING_M
        descent = min(ENOUGH, max(-ENOUGH, (foot - height) / (used * SPACING_M)))
        score = used * SPACING_M / seconds + descent_weight * descent - 22.0 * steepness / used
        score -= DANGER * danger
        score -= 2.0 * across / used + 3.0 * nearness / used
        score -= 3.0 * max(0.0, speed - math.sqrt(max(allowed, 0.0)) - 0.5)
        score -= 20.0 * max(0.0, 1.0 - free / whole) + (10.0 if free < whole else 0.0)
        score -= 30.0 * max(0.0, 1.0 - free / 12.0)
        if cliff:
            score -= 15.0
        score -= 1.5 * abs(first_turns[n] - turn_now) * speed * speed / GRAVITY
        score -= 0.4 * abs(second_turns[n]) * speed * speed / GRAVITY
        if route_weight > 0.0:
            gain = _time_at(times, (x - times_x) / times_m, (z - times_z) / times_m)
            gain -= _time_at(times, (px - times_x) / times_m, (pz - times_z) / times_m)
            score += route_weight * min(MOST_GAIN, max(-MOST_GAIN, gain / (used * SPACING_M)))
        if course_weight > 0.0:
            # Linear, not squared, so that a small error is still worth correcting.
            score -= course_weight * abs(math.sin(0.5 * (heading - course)))
        out[n, 0] = score
        out[n, 1] = math.sqrt(max(allowed, 0.0))
        out[n, 2] = free


def warm() -> None:
    """Compile every kernel here for the argument types the game uses."""
    distances = np.zeros((8, 8), np.float32)
    bark_distances(np.zeros((1, 5), np.float64), 0.0, 0.0, distances)
    turns = np.zeros(2, np.float64)
    rate_paths(
        np.zeros((8, 8), np.float32),
        3.5,
        3.5,
        5.0,
        0.0,
        3.0,
        turns,
        turns,
        turns,
        turns,
        4,
        distances,
        0.0,
        0.0,
        -1.0,
        14.0,
        1.0,
        30.0,
        0.0,
        0.0,
        np.zeros((4, 4), np.float64),
        0.0,
        0.0,
        16.0,
        0.0,
        np.zeros((2, 3), np.float64),
    )
