"""The land under the wheels: exact envelope, clearance, the cached patch."""

from __future__ import annotations

import math

import numpy as np
import pytest

from game.ecs.components import Bicycle
from game.kernels import arcs
from game.kernels import contact as kernels
from game.ride import bicycle as riding
from game.ride.contact import WHEEL_RADIUS_M, LandPatch, clearance
from tests.ride.land import FormulaLand, flat, noise, rough, slope

R = WHEEL_RADIUS_M


def brute_axle(land: FormulaLand, x: float, z: float, yaw: float) -> float:
    dx, dz = math.sin(yaw), -math.cos(yaw)
    s = np.linspace(-R, R, 4001)
    heights = np.array([land.height(x + a * dx, z + a * dz) for a in s])
    return float(np.max(heights + np.sqrt(np.maximum(R * R - s * s, 0.0))))


@pytest.mark.parametrize(
    ("x", "z", "yaw"), [(0.3, 0.7, 0.4), (-5.0, 3.0, 1.2), (-1024.01, -0.5, 2.9), (7.5, 7.5, 3.927)]
)
def test_the_wheel_rolls_on_the_envelope_of_the_triangles(x: float, z: float, yaw: float) -> None:
    land = rough(1.5)
    front, _ = LandPatch(land).wheels(x, z, yaw, 0.0)
    expected = brute_axle(land, x, z, yaw) - R
    assert expected - 1e-9 <= front <= expected + 2e-5


@pytest.mark.parametrize("rise", [0.0, -0.3, 0.5, 2.0])
def test_on_a_plane_the_axle_stands_a_radius_off_it(rise: float) -> None:
    front, rear = LandPatch(slope(rise)).wheels(10.25, 4.5, math.pi / 2, 0.5)
    assert front + R == pytest.approx(rise * 10.75 + R * math.sqrt(1 + rise * rise), abs=2e-5)
    assert front - rear == pytest.approx(rise, abs=2e-5)


def test_the_patch_answers_as_the_ground_does() -> None:
    land = rough(2.0)
    patch = LandPatch(land)
    for x, z in ((0.0, 0.0), (-0.5, -0.5), (31.9, -31.9), (-1024.0, 4096.5), (1e9 - 50.3, -1e9 + 50.7)):
        assert patch.height(x, z) == pytest.approx(land.height(x, z), abs=1e-6 + abs(x) * 1e-13)


def test_an_edit_is_seen_at_once() -> None:
    land = flat()
    patch = LandPatch(land)
    assert patch.height(1.0, 1.0) == 0.0
    land.field = lambda x, z: np.full_like(x, 3.0)
    land.epoch = 1
    assert patch.height(1.0, 1.0) == 3.0


def test_clearance_is_zero_touching_and_negative_inside() -> None:
    land = slope(-0.2)
    patch = LandPatch(land)
    b = Bicycle()
    riding.place(b, patch, 3.2, 0.0, math.pi / 2)
    assert clearance(b, land) == pytest.approx(0.0, abs=1e-5)
    b.front_y -= 0.05
    assert clearance(b, patch) == pytest.approx(-0.05 / math.sqrt(1.04), abs=1e-5)
    b.front_y += 0.05 + 0.1
    b.rear_y += 0.1
    assert clearance(b, patch) == pytest.approx(0.1 / math.sqrt(1.04), abs=1e-4)


def test_kernels_agree_with_plain_python() -> None:
    x, z = np.meshgrid(np.arange(24.0), np.arange(24.0))
    heights = noise(x, z).astype(np.float32)
    for name, arguments in (
        ("plane_at", (heights, 11.3, 8.9)),
        ("wheel_height", (heights, 11.3, 8.9, 0.6, -0.8, R)),
        ("wheel_clearance", (heights, 11.3, 8.9, 0.6, -0.8, 1.0, R, 33)),
        ("highest_within", (heights, 11.3, 8.9, 0.6)),
        ("mean_slope", (heights, 11.3, 8.9, 1.5)),
    ):
        kernel = getattr(kernels, name)
        assert kernel(*arguments) == pytest.approx(kernel.py_func(*arguments), abs=1e-12)


def test_distances_to_bark() -> None:
    out = np.empty((41, 41), np.float32)
    arcs.bark_distances(np.array([[5.0, 5.0, 0.5, 0.0, 9.0]]), 0.0, 0.0, out)
    assert out[10, 10] == pytest.approx(-0.5)
    assert out[10, 14] == pytest.approx(1.5)
    assert out[40, 40] == arcs.FREE_M


def test_paths_are_rated_alike_by_plain_python() -> None:
    x, z = np.meshgrid(np.arange(64.0), np.arange(64.0))
    heights = (0.2 * noise(x, z) - 0.2 * x).astype(np.float32)
    trunks = np.array([[40.0, 30.0, 0.3, 0.0, 9.0], [25.0, 36.0, 0.2, 0.0, 9.0]])
    ratings = []
    for plain in (False, True):
        bark = arcs.bark_distances.py_func if plain else arcs.bark_distances
        rate = arcs.rate_paths.py_func if plain else arcs.rate_paths
        distances = np.empty((129, 129), np.float32)
        bark(trunks, 0.0, 0.0, distances)
        turns = np.array([-0.05, 0.0, 0.05])
        out = np.empty((3, 3), np.float64)
        times = np.arange(25.0).reshape(5, 5)
        switches = np.full(3, 8.0)
        headings = np.full(3, math.pi / 2)
        fixed = (distances, 0.0, 0.0, -1e9, 15.0, 0.9, 45.0, 0.0, 5.0, times, 0.0, 0.0, 16.0, 60.0, out)
        rate(heights, 20.3, 30.4, 8.0, 0.01, 3.0, headings, turns, -turns, switches, 20, *fixed)
        ratings.append(out)
    np.testing.assert_allclose(ratings[0], ratings[1], rtol=1e-9)
