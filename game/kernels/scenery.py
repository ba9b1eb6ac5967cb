"""Where stones, logs, fences and gates stand: hashes of the seed and world-aligned cells, and the land's slope.

What stands where follows the land before any edit, so that sculpting moves things up and down and makes none; their
feet follow the edited land. Everything of a page lies on the page's own samples, so its neighbours are not asked.
"""

from __future__ import annotations

import numpy as np

from game.core.coords import GENERATED, GENERATED_APRON, PAGE_QUADS
from game.kernels import jit
from game.kernels.hashing import MASK32, hash_cell, hash_channel, mix32, unit_float

ROCK, LOG, FENCE, GATE = 1, 2, 3, 4
"""Kinds, numbered as `ride.contact.Kind` (a test holds them together)."""

START, FINISH = 5, 6
"""Arches over the lines of a timed run. They stand where the player put them; what is solid of them are fence posts."""

COLUMNS = 10
"""Columns of a row: middle x, foot y, middle z (x and z from the page's corner), direction x and z (unit), rise per
metre along it, length, radius, kind, tint 0…1. All metres, float32."""

CELL_M = 8
CELLS = PAGE_QUADS // CELL_M
NODE_M = 64
"""Sides of a placement cell, and spacing of the tree density nodes."""

PANELS = 5
PANEL_M = 3.2
GATE_M = 2.8
"""A fence has this many panels on either side of its gate; lengths of a panel and of the gate."""

CAPACITY = 2 * CELLS * CELLS + 2 * PANELS + 1
"""Rows a page may have at most."""

_STONES, _LOGS, _FENCES = 7101, 7102, 7103
_SCREE_FROM, _SCREE_TO = np.float32(0.40), np.float32(0.75)
_FENCE_SLOPE = np.float32(0.17)
_FENCE_SHARE = np.float32(0.45)
_WOOD_FROM, _WOOD_TO = np.float32(0.004), np.float32(0.35)
"""A fence stands where trees grow, but few: where meadow meets wood, and in no desert."""
_ZERO, _HALF, _ONE = np.float32(0.0), np.float32(0.5), np.float32(1.0)


@jit
def _part(cell_hash, number):
    """Independent float32 in 0…1 of a cell for one purpose."""
    return unit_float(mix32(np.uint32((np.int64(cell_hash) + number * 0x1E3779B9) & MASK32)))


@jit
def _surface(samples, x, z):
    """Height of the drawn triangle at x, z (float32 metres from the page's corner, −4…131), float32 metres."""
    column = x + np.float32(GENERATED_APRON)
    row = z + np.float32(GENERATED_APRON)
    i = min(max(int(column), 0), GENERATED - 2)
    j = min(max(int(row), 0), GENERATED - 2)
    u = np.float32(column - np.float32(i))
    v = np.float32(row - np.float32(j))
    here = samples[j, i, 0]
    across = samples[j + 1, i + 1, 0]
    if u >= v:
        corner = samples[j, i + 1, 0]
        return here + u * (corner - here) + v * (across - corner)
    corner = samples[j + 1, i, 0]
    return here + v * (corner - here) + u * (across - corner)


@jit
def _slopes(samples, x, z):
    """Slopes (east, south) across ±2 m, float32."""
    two = np.float32(2.0)
    quarter = np.float32(0.25)
    east = (_surface(samples, x + two, z) - _surface(samples, x - two, z)) * quarter
    south = (_surface(samples, x, z + two) - _surface(samples, x, z - two)) * quarter
    return east, south


@jit
def _thickness(density, first_x, first_z, x, z):
    """Tree density 0…1 between nodes; x and z whole metres of the world."""
    i = x // NODE_M
    j = z // NODE_M
    u = np.float32(x - i * NODE_M) / np.float32(NODE_M)
    v = np.float32(z - j * NODE_M) / np.float32(NODE_M)
    i -= first_x
    j -= first_z
    near = density[j, i] + u * (density[j, i + 1] - density[j, i])
    far = density[j + 1, i] + u * (density[j + 1, i + 1] - density[j + 1, i])
    return near + v * (far - near)


@jit
def _direction(east, south, a, b):
    """Unit direction along the contour line; by the hashes a and b where the land is level."""
    x, z = -south, east
    if x * x + z * z < np.float32(0.0009):
        x = a - _HALF
        z = b - _HALF
        if x * x + z * z < np.float32(0.0001):
            return _ONE, _ZERO
    length = np.sqrt(x * x + z * z)
    return x / length, z / length


@jit
def _lay(rows, count, edited, x, z, dx, dz, length, radius, kind, tint):
    """Write one row whose two ends lie on the edited land."""
    half = _HALF * length
    low = _surface(edited, x - half * dx, z - half * dz)
    high = _surface(edited, x + half * dx, z + half * dz)
    foot = _HALF * (low + high)
    if kind == LOG:
        # It rests on a hump between its ends, or sinks a little into a soft one.
        foot = max(foot, _surface(edited, x, z) - np.float32(0.06))
    rows[count, 0] = x
    rows[count, 1] = foot
    rows[count, 2] = z
    rows[count, 3] = dx
    rows[count, 4] = dz
    rows[count, 5] = (high - low) / length
    rows[count, 6] = length
    rows[count, 7] = radius
    rows[count, 8] = np.float32(kind)
    rows[count, 9] = tint
    return count + 1


@jit
def _fence(seed, origin_x, origin_z, base, edited, density, density_x, density_z, rows, count):
    """A fence with a gate along the edge of a meadow, in some of the pages."""
    h = hash_cell(origin_x // PAGE_QUADS, origin_z // PAGE_QUADS, hash_channel(seed, _FENCES))
    if _part(h, 1) >= _FENCE_SHARE:
        return count
    x = np.float32(26.0) + np.float32(76.0) * _part(h, 2)
    z = np.float32(26.0) + np.float32(76.0) * _part(h, 3)
    thick = _thickness(density, density_x, density_z, origin_x + int(x), origin_z + int(z))
    east, south = _slopes(base, x, z)
    if thick < _WOOD_FROM or thick > _WOOD_TO or east * east + south * south > _FENCE_SLOPE * _FENCE_SLOPE:
        return count
    dx, dz = _direction(east, south, _part(h, 4), _part(h, 5))
    gate, panel = np.float32(GATE_M), np.float32(PANEL_M)
    tint = _part(h, 6)
    count = _lay(rows, count, edited, x, z, dx, dz, gate, np.float32(0.09), GATE, tint)
    for side in range(2):
        sign = _ONE if side == 0 else -_ONE
        for k in range(PANELS):
            along = sign * (_HALF * gate + (np.float32(k) + _HALF) * panel)
            at_x, at_z = x + along * dx, z + along * dz
            east, south = _slopes(base, at_x, at_z)
            # Old fences have gaps, and end where it gets steep.
            if east * east + south * south > np.float32(0.16):
                break
            if k > 0 and _part(h, 10 + 8 * side + k) < np.float32(0.14):
                continue
            count = _lay(rows, count, edited, at_x, at_z, dx, dz, panel, np.float32(0.06), FENCE, tint)
    return count


@jit
def place(seed, origin_x, origin_z, base, edited, density, density_x, density_z, rows):
    """Fill `rows` float32 [CAPACITY, COLUMNS] with what stands in a level-0 page; return how many rows there are.

    `seed` int64; `origin_x`, `origin_z` int metres of the page's corner; `base`, `edited` float32 [136, 136, 2]
    samples before and after edits; `density` float32 [nz, nx] at nodes of 64 m, the first being node
    (density_x, density_z).
    """
    count = 0
    stones, logs = hash_channel(seed, _STONES), hash_channel(seed, _LOGS)
    room = np.float32(CELL_M - 1)
    for row in range(CELLS):
        for column in range(CELLS):
            cell_x = origin_x // CELL_M + column
            cell_z = origin_z // CELL_M + row
            h = hash_cell(cell_x, cell_z, stones)
            chance = _part(h, 1)
            log_hash = hash_cell(cell_x, cell_z, logs)
            log_chance = _part(log_hash, 1)
            if chance >= np.float32(0.24) and log_chance >= np.float32(0.04):
                continue
            x = np.float32(column * CELL_M) + _HALF + room * _part(h, 2)
            z = np.float32(row * CELL_M) + _HALF + room * _part(h, 3)
            thick = _thickness(density, density_x, density_z, origin_x + int(x), origin_z + int(z))
            east, south = _slopes(base, x, z)
            steep = np.sqrt(east * east + south * south)
            scree = min(max((steep - _SCREE_FROM) / (_SCREE_TO - _SCREE_FROM), _ZERO), _ONE)
            if chance < np.float32(0.010) + np.float32(0.05) * thick + np.float32(0.17) * scree:
                share = _part(h, 4)
                radius = np.float32(0.28) + (np.float32(0.45) + np.float32(0.70) * scree) * share * share
                dx, dz = _direction(_ZERO, _ZERO, _part(h, 5), _part(h, 6))
                rows[count, 0] = x
                rows[count, 1] = _surface(edited, x, z)
                rows[count, 2] = z
                rows[count, 3] = dx
                rows[count, 4] = dz
                rows[count, 5] = _ZERO
                # A stone's length is its height over the land.
                rows[count, 6] = radius * (np.float32(0.55) + np.float32(0.5) * _part(h, 7))
                rows[count, 7] = radius
                rows[count, 8] = np.float32(ROCK)
                rows[count, 9] = _part(h, 8)
                count += 1
            elif log_chance < np.float32(0.04) * min(thick * np.float32(2.0), _ONE) and steep < np.float32(
                0.4
            ):
                dx, dz = _direction(east, south, _part(log_hash, 2), _part(log_hash, 3))
                length = np.float32(2.4) + np.float32(3.4) * _part(log_hash, 4)
                radius = np.float32(0.11) + np.float32(0.07) * _part(log_hash, 5)
                count = _lay(rows, count, edited, x, z, dx, dz, length, radius, LOG, _part(log_hash, 6))
    return _fence(seed, origin_x, origin_z, base, edited, density, density_x, density_z, rows, count)


def warm() -> None:
    """Compile every public kernel here for the argument types the game uses."""
    samples = np.zeros((GENERATED, GENERATED, 2), np.float32)
    rows = np.zeros((CAPACITY, COLUMNS), np.float32)
    place(1, 0, 0, samples, samples, np.ones((3, 3), np.float32), 0, 0, rows)
