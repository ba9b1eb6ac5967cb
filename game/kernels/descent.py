"""How far down one can ride: the lowest land that a way which never climbs reaches, from every place of a block."""

from __future__ import annotations

import numpy as np

from game.kernels import jit


@jit
def lowest_reached(heights, order, spacing_m, steepest, lowest):
    """Fill `lowest` with the height at the end of the best descent from each sample, the sample's own if there is none.

    `heights` float32 [nj, ni], metres, samples `spacing_m` apart; `order` int64 [nj · ni], flat indices by ascending
    height; `steepest` greatest rise over run of a step to one of the eight neighbours; `lowest` float32 [nj, ni].
    """
    nj, ni = heights.shape
    for k in range(order.shape[0]):
        j = order[k] // ni
        i = order[k] - j * ni
        here = heights[j, i]
        best = here
        for dj in range(-1, 2):
            for di in range(-1, 2):
                if 0 <= j + dj and j + dj < nj and 0 <= i + di and i + di < ni:
                    there = heights[j + dj, i + di]
                    run = spacing_m * np.sqrt(np.float64(dj * dj + di * di))
                    # Lower neighbours were finished before; equal ones may not be, and lead nowhere anyway.
                    if there < here and np.float64(here - there) <= steepest * run:
                        best = min(best, lowest[j + dj, i + di])
        lowest[j, i] = best


def warm() -> None:
    """Compile every public kernel with the types the game uses."""
    heights = np.zeros((2, 2), np.float32)
    lowest_reached(heights, np.arange(4, dtype=np.int64), 32.0, 1.0, heights.copy())
