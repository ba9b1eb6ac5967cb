"""The curvature of the earth in culling and picking: what is drawn lower is found lower."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game.core.units import BEND_FROM_M, EARTH_BEND_PER_M, EARTH_RADIUS_M
from game.kernels import raycast, selection
from game.lod.frustum import planes
from game.lod.settings import LodSettings
from tests.lod.resident import Table, View, pages_around
from tests.lod.test_raycast import Land, brute_hit

FAR = LodSettings(46.0, 100_000.0, 8)
SHARP = 2.0e-4
"""A small planet, so that the drop shows within the test's short view: 72 m at 600 m."""


def test_the_drop_is_that_of_a_sphere() -> None:
    for d in (20_000.0, 60_000.0, 100_000.0):
        exact = EARTH_RADIUS_M - np.sqrt(EARTH_RADIUS_M**2 - d * d)
        assert EARTH_BEND_PER_M * d * d == pytest.approx(exact, rel=1e-3)
    assert abs(EARTH_BEND_PER_M * BEND_FROM_M**2 - 31.4) < 0.1


@settings(max_examples=100, deadline=None)
@given(
    st.floats(-2000.0, 2000.0),
    st.floats(-2000.0, 2000.0),
    st.floats(1.0, 900.0),
    st.floats(-100.0, 100.0),
    st.floats(0.0, 200.0),
    st.integers(0, 999),
)
def test_bounds_hold_every_point_of_the_bent_box(x0, z0, side, low, thick, seed) -> None:
    random = np.random.default_rng(seed)
    x, z = x0 + random.random(200) * side, z0 + random.random(200) * side
    y = low + random.random(200) * thick - SHARP * (x * x + z * z)
    least, most = selection.below_tangent(x0, z0, side, SHARP, low, low + thick)
    assert (y >= least - 1e-6).all()
    assert (y <= most + 1e-6).all()


def test_culling_keeps_what_the_curve_brings_into_view() -> None:
    """From a mountain, looking along the tangent: far flat land lies lower than the flat earth would have it."""
    view = View(FAR, Table(pages_around(FAR, 0.0, 0.0)), 0.0, 0.0, 900.0)
    view.table.bounds[:] = (0.0, 1.0)
    level = planes(0.0, 0.319, 0.66, 1.6, 0.1, 400_000.0)
    flat = len(view.select(planes=level, eye_y=900.0).patches)
    bent = len(view.select(planes=level, eye_y=900.0, bend=EARTH_BEND_PER_M).patches)
    assert bent < flat
    down = planes(0.0, -0.35, 0.66, 1.6, 0.1, 400_000.0)
    seen = {
        tuple(row) for row in view.select(planes=down, eye_y=900.0, bend=EARTH_BEND_PER_M).patches.tolist()
    }
    random = np.random.default_rng(4)
    everything = {tuple(row) for row in view.select().patches.tolist()}
    for ox, oz, _, _, _, lod_level in everything - seen:
        size = FAR.patch_quads << lod_level
        x, z = ox + random.random(40) * size, oz + random.random(40) * size
        y = random.random(40) - 900.0 - EARTH_BEND_PER_M * (x * x + z * z)
        inside = np.column_stack([x, y, z]) @ down[:, :3].T + down[:, 3] >= 0.0
        assert not inside.all(axis=1).any()


@pytest.mark.parametrize("centre", [(3.25, -7.5), (1.0e9, -1.0e9)])
def test_rays_hit_the_bent_triangles(centre) -> None:
    land = Land(*centre, bend=SHARP)
    triangles = land.triangles()
    bend = np.float32(SHARP)
    x, z = triangles[..., 0].astype(np.float32), triangles[..., 2].astype(np.float32)
    triangles[..., 1] = triangles[..., 1].astype(np.float32) - bend * (x * x + z * z)
    random = np.random.default_rng(9)
    hits = 0
    for _ in range(120):
        origin = random.uniform((-150.0, 110.0, -150.0), (150.0, 220.0, 150.0))
        direction = random.normal(0.0, 1.0, 3) * (1.0, 0.3, 1.0) - (0.0, 0.2, 0.0)
        direction /= np.linalg.norm(direction)
        found, expected = land.cast(origin, direction, 700.0), brute_hit(triangles, origin, direction)
        if 0.0 <= expected <= 450.0:
            hits += 1
            assert found == pytest.approx(expected, abs=2e-3)
    assert hits > 10
    assert land.cast(origin, direction) == land.cast(origin, direction, function=raycast.cast_ray.py_func)
