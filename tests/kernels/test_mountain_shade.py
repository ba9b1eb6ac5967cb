"""Shadows of mountains: a wall's is a wedge, both ways of running it agree, and a light overhead casts none."""

from __future__ import annotations

import math

import numpy as np
import pytest

from game.kernels.mountain_shade import FIRST_CELLS, NO_SHADE_M, light_over_ground, shade_heights

SIDE, MARGIN = 48, 8


def shade(heights: np.ndarray, direction: tuple[float, float, float]) -> np.ndarray:
    top = np.empty((SIDE - 2 * MARGIN, SIDE - 2 * MARGIN), np.float32)
    shade_heights(heights, 64.0, *light_over_ground(direction), MARGIN, top)
    return top


def test_the_shadow_of_a_wall_is_a_wedge() -> None:
    heights = np.zeros((SIDE, SIDE), np.float32)
    heights[:, 30] = 800.0
    slope = 0.5
    top = shade(heights, (1.0 / math.hypot(1.0, slope), slope / math.hypot(1.0, slope), 0.0))
    for column in range(MARGIN, 28):
        expected = 800.0 - (30 - column) * 64.0 * slope
        assert top[5, column - MARGIN] == pytest.approx(max(expected, -FIRST_CELLS * 64.0 * slope), abs=0.5)
    # Past the wall nothing but flat land lies toward the light.
    assert top[5, 31 - MARGIN :].max() < 0.0


@pytest.mark.parametrize("turn", [0.0, 0.7, 2.5, 4.0])
def test_a_ridge_shades_what_the_ray_to_the_light_meets(turn: float) -> None:
    """Against a plain march in small steps over the same heights."""
    rng = np.random.default_rng(5)
    j, i = np.mgrid[0:SIDE, 0:SIDE]
    heights = (600.0 * np.exp(-(((i - 25) / 6.0) ** 2) - ((j - 22) / 9.0) ** 2)).astype(np.float32)
    heights += rng.uniform(0.0, 5.0, heights.shape).astype(np.float32)
    slope = 0.25
    run = 1.0 / math.hypot(1.0, slope)
    toward = (math.cos(turn), math.sin(turn))
    top = shade(heights, (run * toward[0], run * slope, run * toward[1]))

    def height(x: float, z: float) -> float:
        c, r = int(x), int(z)
        u, v = x - c, z - r
        north = heights[r, c] * (1 - u) + heights[r, c + 1] * u
        south = heights[r + 1, c] * (1 - u) + heights[r + 1, c + 1] * u
        return float(north * (1 - v) + south * v)

    for row, column in ((4, 4), (10, 20), (16, 16), (24, 9), (30, 30)):
        best = NO_SHADE_M
        for t in np.arange(FIRST_CELLS, 80.0, 0.1):
            x, z = MARGIN + column + t * toward[0], MARGIN + row + t * toward[1]
            if not (0.0 <= x < SIDE - 1 and 0.0 <= z < SIDE - 1):
                break
            best = max(best, height(x, z) - t * 64.0 * slope)
        assert top[row, column] == pytest.approx(best, abs=40.0)
        assert top[row, column] <= best + 0.5


def test_machine_code_and_python_agree() -> None:
    heights = np.random.default_rng(2).uniform(0.0, 900.0, (24, 24)).astype(np.float32)
    compiled, plain = np.empty((16, 16), np.float32), np.empty((16, 16), np.float32)
    arguments = (64.0, 0.6, -0.8, 0.4, 4)
    shade_heights(heights, *arguments, compiled)
    getattr(shade_heights, "py_func", shade_heights)(heights, *arguments, plain)
    np.testing.assert_allclose(compiled, plain, rtol=1e-5)


def test_a_light_overhead_leaves_everything_lit() -> None:
    heights = np.random.default_rng(1).uniform(0.0, 300.0, (SIDE, SIDE)).astype(np.float32)
    top = shade(heights, (1e-4, 1.0, 0.0))
    assert (top < heights[MARGIN:-MARGIN, MARGIN:-MARGIN]).all()
