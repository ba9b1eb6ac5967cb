"""Wheels on the land: envelope of the drawn triangles under a wheel circle, clearance, the camera's arm.

All kernels read one rectangle of level-0 samples, `heights` float32 [nj, ni], rows south, columns east, and
take positions in metres from its first sample, float64. Quads are split along (i, j)–(i + 1, j + 1), as the
mesh does. Positions beyond the rectangle are read at its border.
"""

from __future__ import annotations

import math

import numpy as np

from game.kernels import jit


@jit
def plane_at(heights, x, z):
    """Height and slopes (dh/dx, dh/dz) of the drawn triangle under (x, z); float64 metres and rise over run."""
    rows, columns = heights.shape
    i = min(max(int(math.floor(x)), 0), columns - 2)
    j = min(max(int(math.floor(z)), 0), rows - 2)
    u = min(max(x - i, 0.0), 1.0)
    v = min(max(z - j, 0.0), 1.0)
    here = np.float64(heights[j, i])
    across = np.float64(heights[j + 1, i + 1])
    if u >= v:
        corner = np.float64(heights[j, i + 1])
        slope_x = corner - here
        slope_z = across - corner
    else:
        corner = np.float64(heights[j + 1, i])
        slope_x = across - corner
        slope_z = corner - here
    return here + u * slope_x + v * slope_z, slope_x, slope_z


@jit
def _insert_crossings(marks, count, start, rate, reach):
    """Add to `marks` the sorted distances s in (−reach, reach) where start + s·rate is a whole number."""
    if rate == 0.0:
        return count
    low = start - reach * abs(rate)
    high = start + reach * abs(rate)
    number = float(math.ceil(low))
    while number <= high and count < marks.shape[0]:
        s = (number - start) / rate
        if -reach < s < reach:
            k = count
            while k > 0 and marks[k - 1] > s:
                marks[k] = marks[k - 1]
                k -= 1
            marks[k] = s
            count += 1
        number += 1.0
    return count


@jit
def wheel_height(heights, x, z, along_x, along_z, radius):
    """Lowest height of the axle of a wheel at (x, z) whose disc stands upright along (along_x, along_z).

    The largest value of land + √(radius² − s²) over the circle, −radius ≤ s ≤ radius, exact: between two
    triangle edges the land is straight, so the maximum lies at an edge or where the circle is tangent to it.
    """
    marks = np.empty(24, np.float64)
    count = 0
    count = _insert_crossings(marks, count, x, along_x, radius)
    count = _insert_crossings(marks, count, z, along_z, radius)
    count = _insert_crossings(marks, count, x - z, along_x - along_z, radius)
    best = -np.inf
    start = -radius
    for k in range(count + 1):
        if k < count:
            end = marks[k]
        else:
            end = radius
        middle = 0.5 * (start + end)
        height, slope_x, slope_z = plane_at(heights, x + middle * along_x, z + middle * along_z)
        slope = slope_x * along_x + slope_z * along_z
        s = radius * slope / math.sqrt(1.0 + slope * slope)
        s = min(max(s, start), end)
        value = height + slope * (s - middle) + math.sqrt(max(radius * radius - s * s, 0.0))
        if value > best:
            best = value
        start = end
    return best


@jit
def wheels_on_land(heights, x, z, along_x, along_z, half_base, radius):
    """Lowest heights (front, rear) of the lowest points of two wheels ±`half_base` along the heading from (x, z)."""
    front = wheel_height(heights, x + half_base * along_x, z + half_base * along_z, along_x, along_z, radius)
    rear = wheel_height(heights, x - half_base * along_x, z - half_base * along_z, along_x, along_z, radius)
    return front - radius, rear - radius


@jit
def wheel_clearance(heights, x, z, along_x, along_z, axle_y, radius, points):
    """Least distance in metres of the lower half of a wheel circle from the land, negative inside it.

    `points` places along the half circle; the distance at each is to the plane of the triangle below it.
    """
    least = np.inf
    for k in range(points):
        angle = math.pi * (k / (points - 1) - 0.5)
        s = radius * math.sin(angle)
        height, slope_x, slope_z = plane_at(heights, x + s * along_x, z + s * along_z)
        gap = axle_y - radius * math.cos(angle) - height
        gap /= math.sqrt(1.0 + slope_x * slope_x + slope_z * slope_z)
        if gap < least:
            least = gap
    return least


@jit
def free_arm(heights, x, z, along_x, along_z, chest, lift, longest, shortest, tries, steepest, margin, above):
    """Longest camera arm from (x, z) against the unit direction, and its lift above `chest`, that the land allows.

    The line from the chest's height to the camera keeps `margin` above the land, and the camera keeps `above` over
    the land around its place. The camera stands `lift` over the chest, or higher where land asks for it; where that
    would be steeper than `steepest` (rise over run) the arm shortens in `tries` steps down to `shortest`.
    """
    spacing = longest / 13.0
    land = np.empty(15, np.float64)
    needed = np.empty(15, np.float64)
    needed[0] = -np.inf
    land[0] = plane_at(heights, x, z)[0]
    for k in range(1, 15):
        land[k] = plane_at(heights, x - k * spacing * along_x, z - k * spacing * along_z)[0]
        needed[k] = max(needed[k - 1], (land[k] + margin - chest) / (k * spacing))
    arm = longest
    place = 14
    for k in range(tries + 1):
        arm = longest + (shortest - longest) * k / tries
        place = min(14, int(math.ceil(arm / spacing)) + 1)
        if needed[place] <= steepest:
            break
    local = max(land[place - 2], land[place - 1], land[place]) + above - chest
    return arm, max(lift, needed[place] * arm, local)


@jit
def highest_within(heights, x, z, reach):
    """Highest of the land at (x, z) and at eight places `reach` metres around it, metres."""
    best = plane_at(heights, x, z)[0]
    for k in range(8):
        angle = 0.25 * math.pi * k
        height = plane_at(heights, x + reach * math.cos(angle), z + reach * math.sin(angle))[0]
        if height > best:
            best = height
    return best


@jit
def mean_slope(heights, x, z, reach):
    """Slopes (dh/dx, dh/dz) across ±`reach` metres around (x, z)."""
    east = plane_at(heights, x + reach, z)[0] - plane_at(heights, x - reach, z)[0]
    south = plane_at(heights, x, z + reach)[0] - plane_at(heights, x, z - reach)[0]
    return east / (2.0 * reach), south / (2.0 * reach)


@jit
def first_trunk_on_line(trunks, x, z, along_x, along_z, least, most, y, width):
    """Distance from (x, z) along the unit direction to the first trunk across that line between `least` and `most`.

    `trunks` float64 [n, 5] (x, z, radius, bottom, top); one counts when its height span holds `y` and its bark is
    nearer to the line than `width`. `most` when there is none.
    """
    nearest = most
    for k in range(trunks.shape[0]):
        east = trunks[k, 0] - x
        south = trunks[k, 1] - z
        ahead = east * along_x + south * along_z
        if least < ahead < nearest and trunks[k, 3] < y < trunks[k, 4]:
            if abs(east * along_z - south * along_x) < trunks[k, 2] + width:
                nearest = ahead
    return nearest


@jit
def beside_trunks(trunks, x, z, y, gap):
    """(x, z) moved out until it is `gap` from the bark of every trunk whose height span holds `y`."""
    for k in range(trunks.shape[0]):
        east = x - trunks[k, 0]
        south = z - trunks[k, 1]
        keep = trunks[k, 2] + gap
        square = east * east + south * south
        if square < keep * keep and trunks[k, 3] < y < trunks[k, 4]:
            away = math.sqrt(square)
            if away < 1.0e-6:
                east = 1.0
                south = 0.0
                away = 1.0
            x = trunks[k, 0] + east / away * keep
            z = trunks[k, 1] + south / away * keep
    return x, z


def warm() -> None:
    """Compile every kernel here for the argument types the game uses."""
    heights = np.zeros((8, 8), np.float32)
    plane_at(heights, 3.5, 3.5)
    wheel_height(heights, 3.5, 3.5, 0.6, 0.8, 0.34)
    wheels_on_land(heights, 3.5, 3.5, 0.6, 0.8, 0.5, 0.34)
    wheel_clearance(heights, 3.5, 3.5, 0.6, 0.8, 0.34, 0.34, 9)
    highest_within(heights, 3.5, 3.5, 0.6)
    mean_slope(heights, 3.5, 3.5, 1.5)
    free_arm(heights, 3.5, 3.5, 0.6, 0.8, 1.2, 0.7, 5.2, 1.6, 10, 1.2, 0.45, 0.6)
    trunks = np.zeros((1, 5), np.float64)
    first_trunk_on_line(trunks, 3.5, 3.5, 0.6, 0.8, 0.6, 5.0, 1.0, 0.1)
    beside_trunks(trunks, 3.5, 3.5, 1.0, 0.5)
