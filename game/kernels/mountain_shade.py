"""Shadows of mountains: how high the shadow of the land stands over every place of a grid."""

from __future__ import annotations

import math

import numpy as np

from game.kernels import jit

NO_SHADE_M = -30_000.0
"""Height of a shadow where there is none."""

FIRST_CELLS = 2.0
"""Land nearer than this casts no shadow of its own: facing away from the light darkens it already."""

_NEAR_CELLS = 48.0
_LONG_STRIDE = 2.0


@jit
def shade_heights(heights, spacing_m, toward_x, toward_z, slope, margin, top):
    """Height below which a place lies in the shadow of the land toward the light.

    `heights` float32 [side, side], metres, rows run south, samples `spacing_m` apart; (`toward_x`, `toward_z`) unit
    vector toward the light over ground; `slope` its rise over run, above 0; `margin` samples of `heights` on each side
    only cast. `top` float32 [side − 2 margin, side − 2 margin], metres.
    """
    side = heights.shape[0]
    highest = heights[0, 0]
    for j in range(side):
        for i in range(side):
            highest = max(highest, heights[j, i])
    last = side - 1.0
    for j in range(top.shape[0]):
        for i in range(top.shape[1]):
            best = NO_SHADE_M
            t = FIRST_CELLS
            while True:
                drop = t * spacing_m * slope
                # Nothing farther on can rise above what was found.
                if highest - drop <= best:
                    break
                x, z = margin + i + t * toward_x, margin + j + t * toward_z
                if x < 0.0 or z < 0.0 or x >= last or z >= last:
                    break
                column, row = int(x), int(z)
                u, v = x - column, z - row
                north = heights[row, column] + (heights[row, column + 1] - heights[row, column]) * u
                south = (
                    heights[row + 1, column] + (heights[row + 1, column + 1] - heights[row + 1, column]) * u
                )
                best = max(best, north + (south - north) * v - drop)
                t += 1.0 if t < _NEAR_CELLS else _LONG_STRIDE
            top[j, i] = best


def light_over_ground(direction):
    """Unit x and z over ground toward a light of unit `direction` (x, y, z), and its rise over run."""
    x, y, z = direction
    run = max(math.hypot(x, z), 1e-6)
    return x / run, z / run, max(y, 1e-3) / run


def warm() -> None:
    """Compile every public kernel with the types the game uses."""
    heights = np.zeros((8, 8), np.float32)
    shade_heights(heights, 64.0, 1.0, 0.0, 0.5, 2, np.zeros((4, 4), np.float32))
