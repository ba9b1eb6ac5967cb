"""Height and normal of the land at a point, on the drawn triangles.

Quads are split along (i, j)–(i + 1, j + 1), as the mesh does, so a wheel and a picture agree.
"""

from __future__ import annotations

import numpy as np

from game.core.coords import GENERATED, GENERATED_APRON
from game.kernels import jit


@jit
def height_at(samples, x, z, origin_x, origin_z):
    """Height in metres (float64) of level-0 land at world (x, z).

    `samples` float32 [136, 136, 2] of the page whose north-west corner is (origin_x, origin_z), int metres;
    the point must lie on the page (0…128 m from the corner).
    """
    east = x - origin_x
    south = z - origin_z
    column = int(east)
    row = int(south)
    u = east - column
    v = south - row
    i = column + GENERATED_APRON
    j = row + GENERATED_APRON
    here = np.float64(samples[j, i, 0])
    across = np.float64(samples[j + 1, i + 1, 0])
    if u >= v:
        corner = np.float64(samples[j, i + 1, 0])
        return here + u * (corner - here) + v * (across - corner)
    corner = np.float64(samples[j + 1, i, 0])
    return here + v * (corner - here) + u * (across - corner)


@jit
def normal_at(samples, x, z, origin_x, origin_z):
    """Unit normal (x, y, z), float64, of the triangle under world (x, z); arguments as for `height_at`."""
    east = x - origin_x
    south = z - origin_z
    column = int(east)
    row = int(south)
    i = column + GENERATED_APRON
    j = row + GENERATED_APRON
    here = np.float64(samples[j, i, 0])
    across = np.float64(samples[j + 1, i + 1, 0])
    if east - column >= south - row:
        corner = np.float64(samples[j, i + 1, 0])
        slope_x = corner - here
        slope_z = across - corner
    else:
        corner = np.float64(samples[j + 1, i, 0])
        slope_x = across - corner
        slope_z = corner - here
    length = np.sqrt(slope_x * slope_x + slope_z * slope_z + 1.0)
    return -slope_x / length, 1.0 / length, -slope_z / length


def warm() -> None:
    """Compile every kernel here for the argument types the game uses."""
    samples = np.zeros((GENERATED, GENERATED, 2), np.float32)
    height_at(samples, 1.5, 1.25, 0, 0)
    normal_at(samples, 1.5, 1.25, 0, 0)
