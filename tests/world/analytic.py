"""A world function of a few lines with the interface of `HeightSource`, so that tests can say what to expect."""

from __future__ import annotations

import numpy as np

from game.core.coords import GENERATED, GENERATED_APRON, STORED, PageKey
from game.kernels import finish, growth
from game.world.page import PageData
from game.world.recipe import Recipe


def wave(position: np.ndarray, period_m: int) -> np.ndarray:
    """0…1 parabola arches, exact in the integer position."""
    t = np.mod(position, period_m) / period_m
    return 4.0 * t * (1.0 - t)


def land(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Float32 heights at integer positions in metres."""
    x, z = np.asarray(x, np.int64), np.asarray(z, np.int64)
    height = (
        400.0 + 300.0 * wave(x, 4096) * wave(z, 5120) + 40.0 * wave(x + z, 700) + 2.0 * wave(x - 2 * z, 53)
    )
    return height.astype(np.float32)


class AnalyticSource:
    """Unedited land `land`, forest density `density`, mild climate."""

    def __init__(self, density: float | None = None) -> None:
        self.density = density
        self.recipe = Recipe.load("alpine")

    def generate(self, key: PageKey) -> PageData:
        i0, j0 = key.origin_sample
        index = np.arange(GENERATED, dtype=np.int64) - GENERATED_APRON
        heights = land((i0 + index)[None, :] * key.spacing_m, (j0 + index)[:, None] * key.spacing_m)
        base = np.repeat(heights[:, :, None], 2, axis=2)
        stored = np.zeros((STORED, STORED, 2), np.float32)
        normals = np.zeros((STORED, STORED, 4), np.uint8)
        low, high = finish.finish_page(base, key.spacing_m, 0, STORED, 0, STORED, stored, normals)
        climate = np.zeros((STORED, STORED, 4), np.uint8)
        return PageData(key, base, base, stored, normals, climate, float(low), float(high))

    def block(self, level: int, i0: int, j0: int, ni: int, nj: int) -> np.ndarray:
        x = np.arange(i0, i0 + ni, dtype=np.int64) << level
        z = np.arange(j0, j0 + nj, dtype=np.int64) << level
        return land(x[None, :], z[:, None])

    def forest_nodes(self, n_x0: int, n_z0: int, nx: int, nz: int) -> np.ndarray:
        x = (np.arange(n_x0, n_x0 + nx, dtype=np.int64) * 64)[None, :]
        z = (np.arange(n_z0, n_z0 + nz, dtype=np.int64) * 64)[:, None]
        if self.density is not None:
            return np.full((nz, nx), self.density, np.float32)
        return (0.9 * wave(x, 1900) * wave(z, 2300)).astype(np.float32)

    def growth_nodes(self, n_x0: int, n_z0: int, nx: int, nz: int) -> tuple[np.ndarray, np.ndarray]:
        """Level nodes, as warm as woods need to stand full: none stand where the land rose by 100 m."""
        density = self.forest_nodes(n_x0, n_z0, nx, nz)
        fields = np.zeros((growth.FIELDS, nz, nx), np.float32)
        x = (np.arange(n_x0, n_x0 + nx, dtype=np.int64) * 64)[None, :]
        z = (np.arange(n_z0, n_z0 + nz, dtype=np.int64) * 64)[:, None]
        fields[growth.G_HEIGHT] = land(x, z)
        fields[growth.G_WARMTH] = 0.5
        fields[growth.G_SUITED] = density
        fields[growth.G_TEMPERATURE], fields[growth.G_HUMIDITY] = 12.0, 0.5
        return density, fields

    @property
    def growth_rules(self) -> np.ndarray:
        return np.array([0.01, -0.5, 0.5, 0.5, 1.0], np.float32)

    def lay_stamps(self, level: int, xs: np.ndarray, zs: np.ndarray, heights: np.ndarray) -> bool:
        return False

    @property
    def forest_limits(self) -> np.ndarray:
        return np.array((3.0, 5.0, 0.1, 0.3), np.float32)

    def climate_at(self, x: float, z: float) -> tuple[float, float, float, float]:
        return 9.0 + 4.0 * float(wave(np.array(int(x)), 9000)), 0.5, 0.0, 0.5

    def uplift(self, x: float, z: float) -> float:
        return 0.6
