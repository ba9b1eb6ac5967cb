"""Rain on a height grid: where it runs, how it gathers, and how long it takes.

Depressions are filled by priority-flood (R. Barnes, C. Lehman, D. Mulla, "Priority-Flood", Computers & Geosciences 62,
2014, with its queue for cells inside pits), directions are D-infinity (D. G. Tarboton, "A new method for the
determination of flow directions and upslope areas in grid digital elevation models", Water Resources Research 33,
1997), and water moves as a cascade of linear reservoirs, one a cell, solved implicitly from the highest cell down: the
step may be of any length, and in a steady rain the discharge is the rain times the drained area.

Grids are [rows, columns]; a cell is the number row · columns + column. All volumes are m³ in float64, so that what
rains, stands, soaks in and leaves adds up to the last digits.
"""

from __future__ import annotations

import numpy as np

from game.kernels import jit
from game.kernels.flow import _pop, _push

OUTLET = -1
"""Receiver of border and sea cells: water leaves."""

CELERITY_LEAST_M_S = 0.35
CELERITY_PER_ROOT_SLOPE_M_S = 3.2
CELERITY_MOST_M_S = 2.4
"""Speed of a swell of water: c = least + k·√slope, as by Manning's law at a fixed depth; chosen for play."""

LEDGER = 4
"""Rained, left, soaked, unused: m³ since the start."""
RAINED, LEFT, SOAKED = 0, 1, 2


@jit
def flood(heights, sea_m, filled, order, parent):
    """Fill depressions and order the cells from low to high water level.

    `heights` float32 [nj, ni]; `filled` float32 [nj, ni] gets the level at which water would stand; `order` int32
    [nj·ni] the cells by level; `parent` int32 [nj·ni] the cell from which each was reached, −1 for outlets. Water
    leaves over the border and into cells that lie no higher than `sea_m`.
    """
    nj, ni = heights.shape
    keys = np.empty(nj * ni, np.float32)
    cells = np.empty(nj * ni, np.int32)
    pit = np.empty(nj * ni, np.int32)
    seen = np.zeros((nj, ni), np.uint8)
    size = 0
    for j in range(nj):
        for i in range(ni):
            if j == 0 or i == 0 or j == nj - 1 or i == ni - 1 or heights[j, i] <= sea_m:
                seen[j, i] = 1
                filled[j, i] = max(heights[j, i], sea_m)
                parent[j * ni + i] = OUTLET
                _push(keys, cells, size, filled[j, i], np.int32(j * ni + i))
                size += 1
    done = 0
    first = 0
    last = 0
    while size > 0 or first < last:
        if first < last:
            cell = pit[first]
            first += 1
        else:
            cell = _pop(keys, cells, size)
            size -= 1
        order[done] = cell
        done += 1
        j = cell // ni
        i = cell - j * ni
        level = filled[j, i]
        for b in range(max(0, j - 1), min(nj, j + 2)):
            for a in range(max(0, i - 1), min(ni, i + 2)):
                if seen[b, a]:
                    continue
                seen[b, a] = 1
                parent[b * ni + a] = cell
                if heights[b, a] <= level:
                    filled[b, a] = level
                    pit[last] = np.int32(b * ni + a)
                    last += 1
                else:
                    filled[b, a] = heights[b, a]
                    _push(keys, cells, size, heights[b, a], np.int32(b * ni + a))
                    size += 1


@jit
def find_ponds(heights, filled, order, parent, cell_m2, pond, root, capacity):
    """Number the depressions; returns how many there are.

    `pond` int32 [nj·ni] gets each cell's depression or −1; `root` int32 and `capacity` float64, both as long as there
    are cells, get each depression's cell nearest its outlet, and the water it holds up to its brim, m³.
    """
    nj, ni = heights.shape
    pond[:] = -1
    queue = np.empty(nj * ni, np.int32)
    count = 0
    for k in range(len(order)):
        cell = order[k]
        level = filled[cell // ni, cell % ni]
        if pond[cell] >= 0 or parent[cell] == OUTLET or not level > heights[cell // ni, cell % ni]:
            continue
        root[count] = cell
        capacity[count] = 0.0
        pond[cell] = count
        queue[0] = cell
        first = 0
        last = 1
        while first < last:
            at = queue[first]
            first += 1
            j = at // ni
            i = at - j * ni
            capacity[count] += cell_m2 * (np.float64(level) - np.float64(heights[j, i]))
            for b in range(max(0, j - 1), min(nj, j + 2)):
                for a in range(max(0, i - 1), min(ni, i + 2)):
                    other = b * ni + a
                    if pond[other] >= 0 or parent[other] == OUTLET:
                        continue
                    if filled[b, a] == level and heights[b, a] < level:
                        pond[other] = count
                        queue[last] = np.int32(other)
                        last += 1
        count += 1
    return count


@jit
def _arc_share(ratio):
    """atan(ratio) / 45°, for 0 … 1: within 1e-6. A polynomial of our own, so that every machine agrees."""
    r2 = ratio * ratio
    arc = 0.05265332 - 0.01172120 * r2
    arc = -0.11643287 + r2 * arc
    arc = 0.19354346 + r2 * arc
    arc = -0.33262347 + r2 * arc
    arc = 0.99997726 + r2 * arc
    return ratio * arc / 0.7853981633974483


@jit
def direct(filled, parent, pond, root, spacing_m, to_a, to_b, share, lag_s, downhill):
    """D-infinity receivers of every cell.

    `to_a`, `to_b` int32 [nj·ni]: the two receivers, `OUTLET` where water leaves; `share` float64 [nj·ni]: what the
    first gets. `lag_s` float64 [nj·ni]: how long a swell takes across the cell. `downhill` float32 [nj·ni, 3]: unit
    direction of flow (x, z) and slope. Cells of a depression pass on to its root, flats to where the flood came from.
    """
    nj, ni = filled.shape
    diagonal_m = spacing_m * 1.4142135623730951
    for j in range(nj):
        for i in range(ni):
            cell = j * ni + i
            share[cell] = 1.0
            downhill[cell, 0] = np.float32(0.0)
            downhill[cell, 1] = np.float32(0.0)
            downhill[cell, 2] = np.float32(0.0)
            lag_s[cell] = spacing_m / CELERITY_LEAST_M_S
            above = parent[cell]
            to_a[cell] = above
            to_b[cell] = above
            if above == OUTLET:
                continue
            if pond[cell] >= 0:
                if root[pond[cell]] != cell:
                    to_a[cell] = root[pond[cell]]
                    to_b[cell] = to_a[cell]
                continue
            here = np.float64(filled[j, i])
            steepest = 0.0
            for facet in range(8):
                # Of each facet the side that lies along an axis, then the corner: Tarboton's table 1.
                turn = facet // 2
                dj1 = 0 if turn % 2 == 0 else (1 if turn == 1 else -1)
                di1 = 0 if turn % 2 == 1 else (1 if turn == 0 else -1)
                other = 1 if facet % 2 == 0 else -1
                dj2 = other if dj1 == 0 else dj1
                di2 = other if di1 == 0 else di1
                side = np.float64(filled[j + dj1, i + di1])
                corner = np.float64(filled[j + dj2, i + di2])
                s1 = (here - side) / spacing_m
                s2 = (side - corner) / spacing_m
                if s2 <= 0.0:
                    slope = s1
                    first = 1.0
                elif s2 >= s1:
                    slope = (here - corner) / diagonal_m
                    first = 0.0
                else:
                    slope = np.sqrt(s1 * s1 + s2 * s2)
                    first = 1.0 - _arc_share(s2 / s1)
                if slope > steepest:
                    steepest = slope
                    share[cell] = first
                    to_a[cell] = (j + dj1) * ni + i + di1
                    to_b[cell] = (j + dj2) * ni + i + di2
            if share[cell] == 1.0:
                to_b[cell] = to_a[cell]
            elif share[cell] == 0.0:
                to_a[cell] = to_b[cell]
            if steepest > 0.0:
                a, b = to_a[cell], to_b[cell]
                part = share[cell]
                x = part * (a % ni - i) + (1.0 - part) * (b % ni - i)
                z = part * (a // ni - j) + (1.0 - part) * (b // ni - j)
            else:
                x = np.float64(above % ni - i)
                z = np.float64(above // ni - j)
            length = np.sqrt(x * x + z * z)
            downhill[cell, 0] = np.float32(x / length)
            downhill[cell, 1] = np.float32(z / length)
            downhill[cell, 2] = np.float32(steepest)
            celerity = CELERITY_LEAST_M_S + CELERITY_PER_ROOT_SLOPE_M_S * np.sqrt(steepest)
            lag_s[cell] = spacing_m / min(celerity, CELERITY_MOST_M_S)


@jit
def accumulate(order, to_a, to_b, share, area):
    """Cells that drain through each cell, itself included: `area` float64 [nj·ni], overwritten."""
    area[:] = 1.0
    for k in range(len(order) - 1, -1, -1):
        cell = order[k]
        if to_a[cell] == OUTLET:
            continue
        passed = area[cell] * share[cell]
        area[to_a[cell]] += passed
        area[to_b[cell]] += area[cell] - passed


@jit
def advance(
    order, to_a, to_b, share, lag_s, parent, pond, root, capacity, cell_m2, dt_s, runoff_m_s, soak_m_s,
    seep_m_s, standing, volume, flow, ledger,
):  # fmt: skip
    """Let it rain for `dt_s` seconds.

    `runoff_m_s` of rain runs off, `soak_m_s` soaks in; ponds lose `seep_m_s` over their whole bed. State: `standing`
    float64 [nj·ni] m³ on the ground, `volume` float64 [ponds] m³ in depressions; `ledger` float64 [LEDGER] grows.
    `flow` float64 [nj·ni] gets the discharge of each cell, m³/s; of a depression's root what it spills, of its other
    cells what they pass into it.
    """
    rain = runoff_m_s * cell_m2
    flow[:] = rain
    ledger[RAINED] += (runoff_m_s + soak_m_s) * cell_m2 * dt_s * len(order)
    ledger[SOAKED] += soak_m_s * cell_m2 * dt_s * len(order)
    for k in range(len(order) - 1, -1, -1):
        cell = order[k]
        came = flow[cell]
        if parent[cell] == OUTLET:
            ledger[LEFT] += came * dt_s + standing[cell]
            standing[cell] = 0.0
            continue
        number = pond[cell]
        if number >= 0:
            volume[number] += came * dt_s + standing[cell]
            standing[cell] = 0.0
            seeps = min(volume[number], seep_m_s * cell_m2 * dt_s)
            volume[number] -= seeps
            ledger[SOAKED] += seeps
            if root[number] != cell:
                continue
            spill = max(0.0, volume[number] - capacity[number])
            volume[number] -= spill
            flow[cell] = spill / dt_s
            flow[parent[cell]] += flow[cell]
            continue
        # Implicit Euler of a linear reservoir: stands = stood + dt·(comes − stands / lag).
        stands = (standing[cell] + dt_s * came) / (1.0 + dt_s / lag_s[cell])
        goes = (standing[cell] + dt_s * came - stands) / dt_s
        standing[cell] = stands
        flow[cell] = goes
        passed = goes * share[cell]
        flow[to_a[cell]] += passed
        flow[to_b[cell]] += goes - passed


@jit
def pond_levels(cells, heights, starts, volume, cell_m2, level):
    """Height at which the water of each depression stands: `level` float64 [ponds], −inf where it is dry.

    `cells` int32: cells by depression and, within it, by height; `starts` int64 [ponds + 1] where each begins;
    `heights` float32 [nj·ni].
    """
    for number in range(len(volume)):
        level[number] = -np.inf
        left = volume[number] / cell_m2
        if left <= 1e-9:
            continue
        first = starts[number]
        total = 0.0
        for k in range(first, starts[number + 1]):
            total += np.float64(heights[cells[k]])
            wet = k - first + 1
            at = (left + total) / wet
            if k + 1 == starts[number + 1] or at <= np.float64(heights[cells[k + 1]]):
                level[number] = at
                break


@jit
def paint_state(flow, area, cell_m2, pond, level, heights, downhill, scale_m_s, texels):
    """What the shader needs of every cell: `texels` uint8 [nj·ni, 4].

    R: runoff rate (discharge over drained area) as √(rate / `scale_m_s`); G, B: direction of flow, 0…255 = −1…1; A: how
    deep water of a depression stands, 0…255 = 0…1 m.
    """
    for cell in range(len(flow)):
        rate = flow[cell] / (area[cell] * cell_m2 * scale_m_s)
        texels[cell, 0] = np.uint8(min(255.0, 255.0 * np.sqrt(rate) + 0.5))
        texels[cell, 1] = np.uint8(127.5 + 127.0 * downhill[cell, 0])
        texels[cell, 2] = np.uint8(127.5 + 127.0 * downhill[cell, 1])
        deep = 0.0
        if pond[cell] >= 0:
            deep = max(0.0, level[pond[cell]] - np.float64(heights[cell]))
        texels[cell, 3] = np.uint8(min(255.0, 255.0 * deep + 0.5))


def warm() -> None:
    """Compile every public kernel with the types the game uses."""
    side = 5
    heights = np.ones((side, side), np.float32)
    heights[2, 2] = 0.0
    filled = np.empty_like(heights)
    n = heights.size
    order, parent, pond, root, to_a, to_b = (np.zeros(n, np.int32) for _ in range(6))
    capacity, share, lag_s, area, standing, flow = (np.zeros(n) for _ in range(6))
    downhill = np.zeros((n, 3), np.float32)
    flood(heights, np.float32(-1.0), filled, order, parent)
    count = find_ponds(heights, filled, order, parent, 16.0, pond, root, capacity)
    direct(filled, parent, pond, root, 4.0, to_a, to_b, share, lag_s, downhill)
    accumulate(order, to_a, to_b, share, area)
    volume, level = np.zeros(count), np.zeros(count)
    advance(
        order, to_a, to_b, share, lag_s, parent, pond, root[:count].copy(), capacity[:count].copy(), 16.0, 1.0, 1e-5,
        1e-6, 1e-6, standing, volume, flow, np.zeros(LEDGER),
    )  # fmt: skip
    cells = np.flatnonzero(pond >= 0).astype(np.int32)
    pond_levels(cells, heights.reshape(-1), np.array([0, len(cells)]), volume, 16.0, level)
    paint_state(
        flow, area, 16.0, pond, level, heights.reshape(-1), downhill, 5e-5, np.zeros((n, 4), np.uint8)
    )
