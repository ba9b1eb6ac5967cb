"""The way out of a wide square of coarse land: how long a rider needs from each node to its border.

Heights float32 [n, n], rows south, columns east, evenly spaced. Every border node is an exit, a low one better than a
high one; from node to node the time depends on grade and on how steep the land lies there. Solved by sweeping the
grid in four directions until nothing changes, as for any equation of travel times.
Source: H. Zhao, "A fast sweeping method for Eikonal equations", Mathematics of Computation 74 (2005), the order of
sweeps; here over the eight neighbours of a node, as the times differ by direction.
"""

from __future__ import annotations

import math

import numpy as np

from game.kernels import jit

PACE_M_S = 12.0
"""Speed down a gentle slope."""

CLIMB = 30.0
"""Uphill, time grows by this factor per unit of rise over run."""

GENTLE = 0.33
STEEP_COST = 16.0
"""Beyond this rise over run, down or across, time grows by this factor per unit: brakes, then falls."""

EXIT_S_M = 0.12
"""What an exit costs for each metre that it lies above the lowest one, seconds."""

WET_S = 400.0
"""What a node under water costs, seconds."""

SWEEPS = 48


@jit
def _leave(i, j, n, k):
    """Node visited k-th in one of four orders, by the direction bits i and j."""
    row = k // n
    column = k % n
    if i == 1:
        row = n - 1 - row
    if j == 1:
        column = n - 1 - column
    return row, column


@jit
def times_out(heights, spacing, sea_y, out):
    """Fill `out` float64 [n, n] with the time in seconds from each node to the best exit; returns the sweeps used."""
    n = heights.shape[0]
    face = np.zeros((n, n), np.float64)
    lowest = np.float64(heights[0, 0])
    for j in range(n):
        for i in range(n):
            east = np.float64(heights[j, min(i + 1, n - 1)]) - np.float64(heights[j, max(i - 1, 0)])
            south = np.float64(heights[min(j + 1, n - 1), i]) - np.float64(heights[max(j - 1, 0), i])
            face[j, i] = math.sqrt(east * east + south * south) / (2.0 * spacing)
            lowest = min(lowest, np.float64(heights[j, i]))
    for j in range(n):
        for i in range(n):
            if j == 0 or i == 0 or j == n - 1 or i == n - 1:
                out[j, i] = EXIT_S_M * (np.float64(heights[j, i]) - lowest)
                out[j, i] += STEEP_COST * max(0.0, face[j, i] - GENTLE)
                if heights[j, i] < sea_y:
                    out[j, i] += WET_S
            else:
                out[j, i] = 1.0e9
    for sweep in range(SWEEPS):
        changed = False
        for k in range(n * n):
            j, i = _leave(sweep & 1, (sweep >> 1) & 1, n, k)
            if j == 0 or i == 0 or j == n - 1 or i == n - 1:
                continue
            here = np.float64(heights[j, i])
            best = out[j, i]
            for dj in range(-1, 2):
                for di in range(-1, 2):
                    if di == 0 and dj == 0:
                        continue
                    way = spacing
                    if di != 0 and dj != 0:
                        way = spacing * math.sqrt(2.0)
                    grade = (np.float64(heights[j + dj, i + di]) - here) / way
                    steep = max(-grade, 0.7 * max(face[j, i], face[j + dj, i + di]))
                    time = way / PACE_M_S
                    time *= 1.0 + CLIMB * max(0.0, grade) + STEEP_COST * max(0.0, steep - GENTLE)
                    if heights[j + dj, i + di] < sea_y:
                        time += WET_S
                    total = out[j + dj, i + di] + time
                    if total < best - 1.0e-9:
                        best = total
                        changed = True
            out[j, i] = best
        if not changed:
            return sweep + 1
    return SWEEPS


def warm() -> None:
    """Compile every kernel here for the argument types the game uses."""
    times_out(np.zeros((8, 8), np.float32), 16.0, -1.0, np.empty((8, 8), np.float64))
