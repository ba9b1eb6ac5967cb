"""Where water runs on a height grid: pits filled to their brim, every cell's receiver, and what drains through it.

Source: R. Barnes, C. Lehman, D. Mulla, "Priority-Flood", Computers & Geosciences 62 (2014): cells are visited from the
border inwards in the order of their water level, so whatever a cell drains to was visited before it.
"""

from __future__ import annotations

import numpy as np

from game.kernels import jit


@jit
def _push(keys, cells, size, key, cell):
    at = size
    while at > 0:
        parent = (at - 1) >> 1
        if keys[parent] <= key:
            break
        keys[at] = keys[parent]
        cells[at] = cells[parent]
        at = parent
    keys[at] = key
    cells[at] = cell


@jit
def _pop(keys, cells, size):
    """Take the first of `size` entries off the heap; returns its cell."""
    top = cells[0]
    last = size - 1
    key = keys[last]
    cell = cells[last]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= last:
            break
        if child + 1 < last and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[at] = keys[child]
        cells[at] = cells[child]
        at = child
    keys[at] = key
    cells[at] = cell
    return top


@jit
def flood(heights, filled, order):
    """Fill pits: `filled` float32 [nj, ni] gets the level at which water would stand, at least the height.

    `heights` float32 [nj, ni]; `order` int32 [nj · ni] gets the cells (row · ni + column) from low to high level. Both
    overwritten. Water leaves over the border.
    """
    nj, ni = heights.shape
    keys = np.empty(nj * ni, np.float32)
    cells = np.empty(nj * ni, np.int32)
    seen = np.zeros((nj, ni), np.uint8)
    size = 0
    for j in range(nj):
        for i in range(ni):
            if j == 0 or i == 0 or j == nj - 1 or i == ni - 1:
                seen[j, i] = 1
                filled[j, i] = heights[j, i]
                _push(keys, cells, size, heights[j, i], np.int32(j * ni + i))
                size += 1
    done = 0
    while size > 0:
        cell = _pop(keys, cells, size)
        size -= 1
        order[done] = cell
        done += 1
        j = cell // ni
        i = cell - j * ni
        for dj in range(-1, 2):
            for di in range(-1, 2):
                b, a = j + dj, i + di
                if b < 0 or a < 0 or b >= nj or a >= ni or seen[b, a]:
                    continue
                seen[b, a] = 1
                level = max(heights[b, a], filled[j, i])
                filled[b, a] = level
                _push(keys, cells, size, level, np.int32(b * ni + a))
                size += 1


@jit
def accumulate(filled, order, rank, area):
    """Cells that drain through each cell, itself included: `area` float32 [nj, ni], overwritten.

    `filled`, `order` as `flood` leaves them; `rank` int32 [nj · ni] is scratch. Each cell drains to its steepest lower
    neighbour, or on flats to the neighbour that was flooded first.
    """
    nj, ni = filled.shape
    diagonal = np.float32(0.70710678)
    for k in range(len(order)):
        rank[order[k]] = k
        area[order[k] // ni, order[k] % ni] = np.float32(1.0)
    for k in range(len(order) - 1, -1, -1):
        cell = order[k]
        j = cell // ni
        i = cell - j * ni
        if j == 0 or i == 0 or j == nj - 1 or i == ni - 1:
            continue
        best = np.float32(-1.0)
        first = k
        to_j, to_i = j, i
        for dj in range(-1, 2):
            for di in range(-1, 2):
                b, a = j + dj, i + di
                other = rank[b * ni + a]
                if other >= k:
                    continue
                drop = filled[j, i] - filled[b, a]
                if dj != 0 and di != 0:
                    drop = drop * diagonal
                if drop > best or (drop == best and other < first):
                    best = drop
                    first = other
                    to_j, to_i = b, a
        area[to_j, to_i] += area[j, i]


def warm() -> None:
    """Compile every public kernel with the types the game uses."""
    heights = np.zeros((4, 4), np.float32)
    filled = np.zeros((4, 4), np.float32)
    order = np.zeros(16, np.int32)
    flood(heights, filled, order)
    accumulate(filled, order, np.zeros(16, np.int32), np.zeros((4, 4), np.float32))
