"""Stand-ins for the ground: land from a formula, trunks from a list. They answer as `world.ground.Ground` does."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Field = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
Trunk = tuple[float, float, float, float, float]


class FormulaLand:
    """Land whose samples at whole metres are `field(x, z)`, drawn as the same triangles as the game's."""

    def __init__(self, field: Field, trunks: list[Trunk] | None = None) -> None:
        self.field = field
        self.epoch = 0
        self._trunks = np.array(sorted(trunks or []), np.float64).reshape(-1, 5)

    def block(self, i0: int, j0: int, ni: int, nj: int) -> NDArray[np.float32]:
        x, z = np.meshgrid(np.arange(i0, i0 + ni, dtype=np.float64), np.arange(j0, j0 + nj, dtype=np.float64))
        return self.field(x, z).astype(np.float32)

    def height(self, x: float, z: float) -> float:
        i, j = math.floor(x), math.floor(z)
        u, v = x - i, z - j
        corners = self.block(i, j, 2, 2).astype(np.float64)
        middle = corners[0, 1] if u >= v else corners[1, 0]
        steps = (middle - corners[0, 0], corners[1, 1] - middle)
        first, second = (u, v) if u >= v else (v, u)
        return float(corners[0, 0] + first * steps[0] + second * steps[1])

    def trunks(self, x: float, z: float, radius_m: float) -> NDArray[np.float64]:
        near = np.hypot(self._trunks[:, 0] - x, self._trunks[:, 1] - z) <= radius_m
        return self._trunks[near]


def noise(x: NDArray[np.float64], z: NDArray[np.float64], seed: int = 0) -> NDArray[np.float64]:
    """White noise 0…1 of whole metres: the roughest land there can be."""
    h = (x.astype(np.int64) * 374761393 + z.astype(np.int64) * 668265263 + seed * 362437) & 0xFFFFFFFF
    h = ((h ^ (h >> 13)) * 1274126177) & 0xFFFFFFFF
    return ((h ^ (h >> 16)) & 0xFFFFFF) / float(1 << 24)


def flat(trunks: list[Trunk] | None = None) -> FormulaLand:
    """The plane y = 0."""
    return FormulaLand(lambda x, z: np.zeros_like(x), trunks)


def slope(rise: float) -> FormulaLand:
    """A plane that rises by `rise` per metre to the east."""
    return FormulaLand(lambda x, z: rise * x)


def rough(height_m: float = 1.0, rise: float = -0.12, seed: int = 0) -> FormulaLand:
    """White noise of `height_m` from sample to sample on a plane that rises to the east."""
    return FormulaLand(lambda x, z: rise * x + height_m * noise(x, z, seed))


def hills(seed: int = 0, trunks: list[Trunk] | None = None) -> FormulaLand:
    """Rolling land that falls to the east, from waves of 900 m down to 8 m."""
    waves = []
    for n, (length, amplitude) in enumerate(
        ((900, 60), (300, 18), (120, 6), (50, 1.6), (20, 0.5), (8, 0.12))
    ):
        for k in range(4):
            angle = 2.0 * math.pi * float(noise(np.array(float(n)), np.array(float(k)), seed))
            phase = 2.0 * math.pi * float(noise(np.array(float(n)), np.array(float(k + 9)), seed))
            number = 2.0 * math.pi / length
            waves.append((number * math.cos(angle), number * math.sin(angle), phase, 0.5 * amplitude))

    def field(x: NDArray[np.float64], z: NDArray[np.float64]) -> NDArray[np.float64]:
        total = -0.14 * x
        for kx, kz, phase, amplitude in waves:
            total = total + amplitude * np.sin(kx * x + kz * z + phase)
        return total

    return FormulaLand(field, trunks)


def forest(every_m: float, reach_m: int, clear_m: float = 6.0, seed: int = 1) -> list[Trunk]:
    """Trunks on a jittered grid around the origin, a clearing in the middle."""
    count = int(reach_m / every_m)
    i, k = np.meshgrid(np.arange(-count, count, dtype=np.float64), np.arange(-count, count, dtype=np.float64))
    x = (i + noise(i, k, seed)) * every_m
    z = (k + noise(i, k, seed + 1)) * every_m
    far = np.hypot(x, z) > clear_m
    return [(float(a), float(b), 0.2, -500.0, 500.0) for a, b in zip(x[far], z[far], strict=True)]
