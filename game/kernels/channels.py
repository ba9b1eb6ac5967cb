"""Where the lines of running water lie: drained cells joined into smooth curves, as a field of offsets to the nearest.

A cell is four metres and a rivulet a few decimetres, so the curves are drawn into a finer texture, from which the
shader knows how far every point of the land is from the middle of a stream. Each cell of a channel gives a quadratic
B-spline piece per tributary, from the middle of the way to it to the middle of the way on: curves join without a kink
and tributaries merge along the stream. Nothing here knows how much water there is; that comes on top.

D-infinity spreads water over a slope, and a grid has no relief finer than its cells; real slopes do, and it gathers
water into threads. So the lines follow walks: of a cell's two receivers one is drawn by chance with the odds of their
shares, now and then a neighbour of it, so that on the whole lines run down the true slope, wander, meet and then stay
together. Source of the idea: J. Fairfield, P. Leymarie, "Drainage networks from grid digital elevation models", Water
Resources Research 27 (1991), which draws among eight directions.
"""

from __future__ import annotations

import numpy as np

from game.kernels import jit
from game.kernels.hashing import hash_cell

REACH_M = 6.0
"""Farthest offset that is stored, metres."""

BANK_M = 2.0
"""Offsets are stored this far beyond the edge of the widest stream a line can carry."""

STRAY = 0.3
"""Share of cells where a walk goes on beside the receiver it was dealt."""

STRAY_LESS_PER_CELL = 0.01

SMOOTHINGS = 4
"""Passes in which a stream's points move toward those before and after them, large streams more."""

_WALKS, _WANDERS = 11, 12

PIECES = 3
"""Straight pieces of a cell's curve."""

WANDER_M = 1.1
"""How far a curve's points are moved off the middle of their cells: the grid must not show."""

AREA_STEPS = 15.0
"""The stored logarithm (base 2) of the drained cells ends here: 2^15 of 65,536."""


@jit
def _log2(value):
    """Base-2 logarithm of 1 … 2^30, within 0.01: enough for a width."""
    whole = 0.0
    while value >= 2.0:
        value *= 0.5
        whole += 1.0
    m = value - 1.0
    return whole + m * (1.3465 - 0.3465 * m)


@jit
def _stamp(x0, z0, x1, z1, area0, area1, texel_m, nearest, field):
    """Write the offsets to one straight piece into every texel it is the nearest to."""
    n = nearest.shape[0]
    # Half the widest stream is 0.07·√cells: see world.runoff.
    half0 = 0.035 * 2.0 ** (0.5 * area0)
    half1 = 0.035 * 2.0 ** (0.5 * area1)
    widest = 2.0 * max(half0, half1)
    reach = min(REACH_M, BANK_M + widest)
    low_i = max(0, int((min(x0, x1) - reach) / texel_m))
    high_i = min(n - 1, int((max(x0, x1) + reach) / texel_m))
    low_j = max(0, int((min(z0, z1) - reach) / texel_m))
    high_j = min(n - 1, int((max(z0, z1) + reach) / texel_m))
    dx, dz = x1 - x0, z1 - z0
    square = max(dx * dx + dz * dz, 1e-9)
    for j in range(low_j, high_j + 1):
        z = (j + 0.5) * texel_m
        for i in range(low_i, high_i + 1):
            x = (i + 0.5) * texel_m
            along = ((x - x0) * dx + (z - z0) * dz) / square
            along = min(1.0, max(0.0, along))
            ox = x0 + along * dx - x
            oz = z0 + along * dz - z
            distance2 = ox * ox + oz * oz
            if distance2 >= reach * reach:
                continue
            size = area0 + along * (area1 - area0)
            distance = np.sqrt(distance2)
            # Nearest is whose edge is: a thread that ends in a river must not cut into it.
            rank = np.float32(distance - (half0 + along * (half1 - half0)))
            if rank >= nearest[j, i]:
                continue
            nearest[j, i] = rank
            field[j, i, 0] = np.uint8(128.0 + 127.5 * ox / REACH_M)
            field[j, i, 1] = np.uint8(128.0 + 127.5 * oz / REACH_M)
            field[j, i, 2] = np.uint8(254.0 * distance / REACH_M)
            field[j, i, 3] = np.uint8(255.0 * min(size, AREA_STEPS) / AREA_STEPS)


@jit
def _place(cell, ni, i0, j0, spacing_m, slope, seed):
    """Where the curve passes a cell, metres from the corner: off its middle by chance, less where it is steep."""
    j = cell // ni
    i = cell - j * ni
    h = hash_cell(np.int64(i0 + i), np.int64(j0 + j), seed + _WANDERS)
    wander = WANDER_M / (1.0 + 3.0 * slope)
    x = spacing_m * i + wander * (np.float64(h & np.uint32(0xFFFF)) / 32767.5 - 1.0)
    z = spacing_m * j + wander * (np.float64(h >> np.uint32(16)) / 32767.5 - 1.0)
    return x, z


@jit
def walk(filled, order, to_a, to_b, share, pond, i0, j0, seed, onward, area):
    """Deal every cell the one receiver its line follows, and count what drains along these lines.

    Routing as `kernels.runoff` leaves it; `i0`, `j0` the window's first sample in the world: the same cell of the world
    is dealt the same. `onward` int32 [nj·ni] and `area` float64 [nj·ni] (cells, itself included) are overwritten.
    """
    ni = filled.shape[1]
    area[:] = 1.0
    chance = 1.0 / 65536.0
    for k in range(len(order) - 1, -1, -1):
        cell = order[k]
        to = to_a[cell]
        if to < 0:
            onward[cell] = to
            continue
        if pond[cell] < 0 and to_b[cell] != to:
            j = cell // ni
            i = cell - j * ni
            h = hash_cell(np.int64(i0 + i), np.int64(j0 + j), seed + _WALKS)
            if np.float64(h & np.uint32(0xFFFF)) * chance >= share[cell]:
                to = to_b[cell]
            # What has gathered digs itself in: streams stray less than threads.
            odds = STRAY / (1.0 + area[cell] * STRAY_LESS_PER_CELL)
            stray = np.float64(h >> np.uint32(16)) * chance
            if stray < odds:
                dj, di = to // ni - j, to % ni - i
                # One eighth of a turn to the left or to the right.
                turn = 1 if stray < 0.5 * odds else -1
                si = di - turn * dj
                sj = dj + turn * di
                si = min(1, max(-1, si))
                sj = min(1, max(-1, sj))
                if filled[j + sj, i + si] < filled[j, i]:
                    to = (j + sj) * ni + i + si
        onward[cell] = to
        area[to] += area[cell]


@jit
def _curve(ux, uz, cx, cz, dx, dz, area0, area1, texel_m, nearest, field):
    """Stamp a cell's piece: from midway to (ux, uz), past (cx, cz), to midway to (dx, dz)."""
    ax, az = 0.5 * (ux + cx), 0.5 * (uz + cz)
    bx, bz = 0.5 * (cx + dx), 0.5 * (cz + dz)
    last_x, last_z, last_area = ax, az, area0
    for piece in range(1, PIECES + 1):
        t = piece / PIECES
        s = 1.0 - t
        x = s * s * ax + 2.0 * s * t * cx + t * t * bx
        z = s * s * az + 2.0 * s * t * cz + t * t * bz
        area = s * area0 + t * area1
        _stamp(last_x, last_z, x, z, last_area, area, texel_m, nearest, field)
        last_x, last_z, last_area = x, z, area


@jit
def _places(order, onward, area, downhill, ni, i0, j0, spacing_m, seed, least_area, places):
    """Points of all lines, metres from the window's corner: float64 [nj·ni, 2], smoothed along the lines."""
    n = len(order)
    above = np.full(n, -1, np.int32)
    count = 0
    for k in range(n):
        cell = order[k]
        x, z = _place(cell, ni, i0, j0, spacing_m, downhill[cell, 2], seed)
        places[cell, 0], places[cell, 1] = x, z
        down = onward[cell]
        if down < 0 or area[cell] < least_area:
            continue
        count += 1
        if abs(down // ni - cell // ni) <= 1 and abs(down % ni - cell % ni) <= 1:
            if above[down] < 0 or area[above[down]] < area[cell]:
                above[down] = cell
    lines = np.empty(count, np.int32)
    at = 0
    for k in range(n):
        cell = order[k]
        if onward[cell] >= 0 and area[cell] >= least_area:
            lines[at] = cell
            at += 1
    moved = np.empty((count, 2))
    for _ in range(SMOOTHINGS):
        for k in range(count):
            cell = lines[k]
            up, down = above[cell], onward[cell]
            weight = 0.0
            if up >= 0 and abs(down // ni - cell // ni) <= 1 and abs(down % ni - cell % ni) <= 1:
                weight = min(0.8, 0.25 + area[cell] * 0.0005)
            for axis in range(2):
                between = places[cell, axis]
                if weight > 0.0:
                    between = 0.5 * (places[up, axis] + places[down, axis])
                moved[k, axis] = places[cell, axis] + weight * (between - places[cell, axis])
        for k in range(count):
            places[lines[k], 0], places[lines[k], 1] = moved[k, 0], moved[k, 1]


@jit
def draw_channels(
    heights, order, onward, pond, area, downhill, i0, j0, spacing_m, seed, least_area, nearest, field
):
    """Draw the lines along which at least `least_area` cells drain.

    `heights` float32 [nj, ni], routing as `kernels.runoff` and `walk` leave it; `i0`, `j0` as there. `field` uint8
    [n, n, 4] and `nearest` float32 [n, n] (scratch) cover the same square; overwritten. Stored: R, G offset to the
    nearest line (x, z; 0.5/255 … 255 = ±REACH_M), B its length (0…254 = 0…REACH_M), A the logarithm of the cells that
    drain there (0…255 = 2^0…2^AREA_STEPS). Where no line is near, B is 255 and A 0.
    """
    nj, ni = heights.shape
    texel_m = spacing_m * ni / field.shape[0]
    nearest[:] = np.float32(1e9)
    field[:, :, 0] = np.uint8(128)
    field[:, :, 1] = np.uint8(128)
    field[:, :, 2] = np.uint8(255)
    field[:, :, 3] = np.uint8(0)
    fed = np.zeros(nj * ni, np.uint8)
    places = np.empty((nj * ni, 2))
    _places(order, onward, area, downhill, ni, i0, j0, spacing_m, seed, least_area, places)
    for k in range(len(order) - 1, -1, -1):
        cell = order[k]
        down = onward[cell]
        if area[cell] < least_area or down < 0:
            continue
        if abs(down // ni - cell // ni) > 1 or abs(down % ni - cell % ni) > 1:
            continue  # across a pond to its outlet
        cx, cz = places[cell, 0], places[cell, 1]
        dx, dz = places[down, 0], places[down, 1]
        size = _log2(area[cell])
        if not fed[cell]:
            _curve(cx, cz, cx, cz, dx, dz, size, size, texel_m, nearest, field)
        fed[down] = 1
        beyond = onward[down]
        if beyond < 0:
            _stamp(0.5 * (cx + dx), 0.5 * (cz + dz), dx, dz, size, size, texel_m, nearest, field)
        elif pond[down] >= 0 and pond[cell] < 0:
            # Into the depression, down to its bottom: the water in it may stand anywhere.
            last = cell
            at = down
            for _ in range(4 * ni):
                j = at // ni
                i = at - j * ni
                lowest = at
                for b in range(max(0, j - 1), min(nj, j + 2)):
                    for a in range(max(0, i - 1), min(ni, i + 2)):
                        if heights[b, a] < heights[lowest // ni, lowest % ni]:
                            lowest = b * ni + a
                ux, uz = places[last, 0], places[last, 1]
                px, pz = places[at, 0], places[at, 1]
                nx, nz = places[lowest, 0], places[lowest, 1]
                _curve(ux, uz, px, pz, nx, nz, size, size, texel_m, nearest, field)
                if lowest == at:
                    break
                last = at
                at = lowest
        else:
            bx, bz = places[beyond, 0], places[beyond, 1]
            _curve(cx, cz, dx, dz, bx, bz, size, _log2(area[down]), texel_m, nearest, field)


def warm() -> None:
    """Compile every public kernel with the types the game uses."""
    side = 4
    heights = np.ones((side, side), np.float32)
    order = np.arange(side * side, dtype=np.int32)
    none, onward = np.full(side * side, -1, np.int32), np.empty(side * side, np.int32)
    area = np.ones(side * side)
    walk(heights, order, none, none, area, none, 0, 0, 1, onward, area.copy())
    draw_channels(
        heights, order, onward, none, area, np.zeros((side * side, 3), np.float32), 0, 0, 4.0, 1, 2.0,
        np.zeros((16, 16), np.float32), np.zeros((16, 16, 4), np.uint8),
    )  # fmt: skip
