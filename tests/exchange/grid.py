"""Land with an unmistakable orientation, for tests of files."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

F_COLUMNS, F_ROWS = 7, 9


def letter_f() -> NDArray[np.float32]:
    """[9, 7] an F seen on the map, north up: 10 m ground, 50 m strokes."""
    heights = np.full((F_ROWS, F_COLUMNS), 10.0, np.float32)
    heights[1:8, 1] = 50.0
    heights[1, 1:6] = 50.0
    heights[4, 1:4] = 50.0
    return heights


class Flatland:
    """Stands for `World`: given heights on a grid from (x0, z0), nothing else."""

    seed = 1

    def __init__(self, heights: NDArray[np.float32], x0: float, z0: float, spacing_m: float) -> None:
        self.grid, self.x0, self.z0, self.spacing_m = heights, x0, z0, spacing_m
        self.asked: list[int] = []

    def heights(self, x0: float, z0: float, nx: int, nz: int, spacing: float) -> NDArray[np.float32]:
        assert spacing == self.spacing_m
        i, j = round((x0 - self.x0) / spacing), round((z0 - self.z0) / spacing)
        assert i >= 0
        assert j >= 0
        self.asked.append(nx * nz)
        found = self.grid[j : j + nz, i : i + nx]
        assert found.shape == (nz, nx)
        return found.copy()
