"""Picking meets the very triangles that are drawn."""

from __future__ import annotations

import numpy as np
import pytest

from game.core.coords import STORED
from game.kernels import raycast
from game.lod.settings import LodSettings
from tests.lod.resident import Table, View, height, morphed, pages_around

LOD = LodSettings(64.0, 600.0, 8)


class Land:
    """A view with hash-like heights, so that levels really differ."""

    def __init__(self, x: float, z: float, altitude_m: float = 2.0, bend: float = 0.0) -> None:
        self.bend = bend
        self.view = View(LOD, Table(pages_around(LOD, x, z)), x, z, altitude_m).select()
        keys = self.view.table.keys
        self.heights = np.zeros((len(keys), STORED, STORED, 2), np.float32)
        texel = np.arange(STORED, dtype=np.int64) - 2
        for layer, (level, ix, iz) in enumerate(keys.tolist()):
            i, j = np.meshgrid(ix * 128 + texel, iz * 128 + texel)
            self.heights[layer, :, :, 0] = height(level, i, j)
            self.heights[layer, :, :, 1] = height(level + 1, i >> 1, j >> 1)
        self.view.table.bounds[:] = (0.0, 100.0)
        self.vertices = np.zeros((9, 3), np.float32)

    def place(self) -> tuple:
        view = self.view
        return (
            *view.anchor,
            *view.frac,
            view.altitude,
            np.float32(self.bend),
            view.ranges,
            LOD.patch_quads,
            LOD.morph,
        )

    def surface(self, x: float, z: float, function=raycast.surface_height) -> float:
        table = self.view.table
        return function(
            x, z, *self.place()[:5], *self.place()[6:], table.slots, table.keys, self.heights, self.vertices
        )

    def cast(self, origin, direction, max_m: float = 5000.0, function=raycast.cast_ray) -> float:
        table = self.view.table
        direction = np.asarray(direction, np.float64)
        direction = direction / np.linalg.norm(direction)
        return function(
            *[float(part) for part in origin], *[float(part) for part in direction], max_m, *self.place(),
            table.slots, table.keys, table.bounds, self.heights, self.vertices,
        )  # fmt: skip

    def triangles(self) -> np.ndarray:
        """All drawn triangles, float64 [n, 3, 3], by the shader's formula in numpy."""
        quads = LOD.patch_quads
        i, j = np.meshgrid(np.arange(quads + 1), np.arange(quads + 1))
        patches = self.view.patches.astype(np.int64)
        x, y, z, _ = morphed(
            self.view,
            patches[:, 0, None, None],
            patches[:, 1, None, None],
            patches[:, 5, None, None],
            i[None],
            j[None],
        )
        points = np.stack([x, y, z], -1).astype(np.float64)
        a, b = points[:, :-1, :-1], points[:, :-1, 1:]
        c, d = points[:, 1:, 1:], points[:, 1:, :-1]
        upper, lower = np.stack([a, b, c], -2), np.stack([a, d, c], -2)
        return np.concatenate([upper.reshape(-1, 3, 3), lower.reshape(-1, 3, 3)])


def brute_hit(triangles: np.ndarray, origin: np.ndarray, direction: np.ndarray) -> float:
    """Smallest t ≥ 0 over all triangles, −1 for none: plane by normal, then three side tests."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    normal = np.cross(b - a, c - a)
    facing = normal @ direction
    ok = np.abs(facing) > 1e-9
    t = np.where(ok, np.einsum("ni,ni->n", a - origin, normal) / np.where(ok, facing, 1.0), -1.0)
    point = origin + t[:, None] * direction
    for p, q in ((a, b), (b, c), (c, a)):
        ok &= np.einsum("ni,ni->n", np.cross(q - p, point - p), normal) >= -1e-7
    t = t[ok & (t >= 0.0)]
    return float(t.min()) if len(t) else -1.0


@pytest.mark.parametrize("centre", [(3.25, -7.5), (-1024.0, 0.0), (1.0e9, -1.0e9)])
def test_rays_hit_the_drawn_triangles(centre) -> None:
    land = Land(*centre)
    triangles = land.triangles()
    random = np.random.default_rng(7)
    hits = 0
    for _ in range(60):
        origin = random.uniform((-150.0, 90.0, -150.0), (150.0, 200.0, 150.0))
        direction = random.normal(0.0, 1.0, 3) * (1.0, 0.3, 1.0)
        direction /= np.linalg.norm(direction)
        origin[1] += 20.0
        found, expected = land.cast(origin, direction, 700.0), brute_hit(triangles, origin, direction)
        if expected > 450.0 or expected < 0.0:
            continue
        hits += 1
        assert found == pytest.approx(expected, abs=1e-3)
    assert hits > 10


def test_surface_height_agrees_with_a_vertical_ray() -> None:
    land = Land(11.5, 500.0)
    triangles = land.triangles()
    random = np.random.default_rng(2)
    for _ in range(40):
        radius, angle = 400.0 * random.random(), 7.0 * random.random()
        x, z = radius * np.cos(angle), radius * np.sin(angle)
        down = brute_hit(triangles, np.array([x, 500.0, z]), np.array([0.0, -1.0, 0.0]))
        assert down > 0.0
        assert land.surface(x, z) == pytest.approx(500.0 - down, abs=2e-3)
        assert land.cast((x, 500.0, z), (0.0, -1.0, 0.0)) == pytest.approx(down, abs=2e-3)


def test_ray_misses_sky_and_stops_at_its_length() -> None:
    land = Land(0.0, 0.0)
    assert land.cast((0.0, 150.0, 0.0), (1.0, 0.1, 0.2)) == -1.0
    assert land.cast((0.0, 400.0, 0.0), (0.0, -1.0, 0.0), 100.0) == -1.0
    assert land.cast((0.0, -10.0, 0.0), (1.0, 0.0, 0.0)) == 0.0
    assert np.isnan(land.surface(5000.0, 5000.0))


def test_plain_python_agrees_with_compiled_rays() -> None:
    land = Land(3.0, 5.0)
    for origin, direction in (((1.0, 120.0, 2.0), (0.6, -0.5, 0.4)), ((0.0, 110.0, 0.0), (0.0, -1.0, 0.0))):
        assert land.cast(origin, direction) == land.cast(origin, direction, function=raycast.cast_ray.py_func)
    assert land.surface(70.3, -20.1) == land.surface(70.3, -20.1, raycast.surface_height.py_func)


def test_warm_calls_compile_everything() -> None:
    from game.kernels import selection

    selection.warm()
    raycast.warm()
