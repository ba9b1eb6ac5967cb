"""Pipes and talus: published behaviour, conservation, symmetry, and the same model in plain arrays and plain Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from game.kernels import erosion as kernels

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

QUANTUM_M = 2.0**-20


class Grid:
    """A square of land that gives way everywhere but near its border."""

    def __init__(self, heights: np.ndarray, margin: int = 6) -> None:
        self.side = len(heights)
        self.heights = heights.astype(np.float32)
        self.land = np.zeros((self.side, kernels.FIELDS, kernels.WIDTH), np.float32)
        self.counts = np.zeros((self.side, kernels.COUNTS, kernels.WIDTH), np.int32)
        self.exported = np.zeros(self.side, np.int64)
        for field in (kernels.GROUND, kernels.SLID, kernels.BASE):
            self.land[:, field, : self.side] = self.heights
        self.land[:, kernels.KEEP] = 1.0
        self.land[:, kernels.REST] = 1.0
        self.land[margin:-margin, kernels.YIELD, margin : self.side - margin] = 1.0

    def advance(self, iterations: int, **changed: float) -> None:
        numbers = {
            "GRAVITY": 1.962,
            "DRAG": 0.05,
            "STEP": 0.2,
            "RAIN": 4e-4,
            "DRY": 0.998,
            "CAPACITY": 12.0,
            "TEAR": 0.05,
            "SETTLE": 0.05,
            "SEA": -1e6,
            "TALUS": 0.6,
            "SLIDE": 0.05 / 60.0,
            "QUANTUM": QUANTUM_M,
            "CRUMBLE": 12.0,
        } | changed
        parameters = np.zeros(kernels.PARAMETERS, np.float32)
        for name, value in numbers.items():
            parameters[getattr(kernels, name)] = value
        flat, counts = self.land.reshape(-1), self.counts.reshape(-1)
        kernels.advance(flat, counts, self.exported, self.side, self.side, 0, iterations, parameters)

    def field(self, number: int) -> np.ndarray:
        return self.land[:, number, : self.side]

    @property
    def ground(self) -> np.ndarray:
        return self.heights + self.change_m

    @property
    def change_m(self) -> np.ndarray:
        return self.counts[:, kernels.CHANGE, : self.side] * QUANTUM_M

    def balance(self) -> int:
        """Quanta that came from nowhere."""
        return int(self.counts.sum(dtype=np.int64) + self.exported.sum())


def rough(side: int, height_m: float = 20.0) -> np.ndarray:
    rng = np.random.default_rng(3)
    z, x = np.mgrid[0:side, 0:side] / side
    hills = height_m * (np.sin(5.0 * x + 1.0) * np.cos(4.0 * z) + x)
    return hills + 0.3 * rng.normal(size=(side, side))


def cone(side: int, slope: float, radius: float) -> np.ndarray:
    z, x = np.mgrid[0:side, 0:side] - 0.5 * (side - 1)
    return np.maximum(0.0, slope * (radius - np.hypot(x, z)))


def steepest(ground: np.ndarray) -> float:
    """Largest slope between neighbours, diagonal ones included."""
    down = ground[1:, 1:] - ground[:-1, :-1]
    up = ground[1:, :-1] - ground[:-1, 1:]
    diagonal = max(float(np.abs(down).max()), float(np.abs(up).max())) / np.sqrt(2.0)
    return max(
        float(np.abs(np.diff(ground, axis=0)).max()), float(np.abs(np.diff(ground, axis=1)).max()), diagonal
    )


LANDS = {
    "rough": rough(72),
    "cliff": np.where(np.arange(72)[None, :] < 36, 400.0, 0.0) + np.zeros((72, 1)),
    "pit": np.where(np.hypot(*(np.mgrid[0:72, 0:72] - 36.0)) < 8.0, -150.0, 5.0),
    "needle": np.where(np.hypot(*(np.mgrid[0:72, 0:72] - 36.0)) < 1.0, 300.0, 0.0),
    "plateau": np.zeros((72, 72)),
    "slope of 60 degrees": 1.732 * np.mgrid[0:72, 0:72][1].astype(float),
}


@pytest.mark.parametrize("name", LANDS)
def test_nothing_comes_from_nowhere_and_nothing_blows_up(name: str) -> None:
    grid = Grid(LANDS[name])
    for _ in range(6):
        grid.advance(80)
        assert grid.balance() == 0
    ground = grid.ground
    assert np.isfinite(grid.land).all()
    # No pit below the lowest and no spike above the highest land around.
    assert ground.min() >= grid.heights.min() - 0.5
    assert ground.max() <= grid.heights.max() + 0.5
    assert (grid.field(kernels.WATER) >= 0.0).all()
    assert (grid.change_m[:6] == 0.0).all()
    assert (grid.change_m[:, -6:] == 0.0).all()


def test_water_runs_down_and_carves_where_it_gathers() -> None:
    side = 80
    z, x = np.mgrid[0:side, 0:side].astype(float)
    grid = Grid(0.3 * z + 0.15 * np.abs(x - 40.0))  # a gutter down the middle
    grid.advance(800)
    flow = grid.field(kernels.FLOW)
    assert flow[20, 38:43].max() > 3.0 * np.median(flow[20, 10:70])
    middle, sides = grid.change_m[30:60, 38:43].min(axis=1).mean(), grid.change_m[30:60, 15:25].mean()
    assert middle < 2.0 * min(sides, -0.01)


def test_sediment_settles_where_water_comes_to_rest() -> None:
    side = 90
    z = np.mgrid[0:side, 0:side][0].astype(float)
    grid = Grid(np.maximum(0.4 * (z - 45.0), 0.0) + rough(side, 0.0))
    grid.advance(1200)
    assert grid.change_m[52:75, 20:70].mean() < -0.02
    assert grid.change_m[30:45, 20:70].mean() > 0.02


def test_sea_is_where_water_carries_no_further() -> None:
    grid = Grid(rough(72))
    grid.advance(300, SEA=1e6, SLIDE=1e-9)
    assert (grid.change_m >= 0.0).all()


@pytest.mark.parametrize("threshold", [0.3, 0.8])
def test_scree_comes_to_rest_at_its_angle(threshold: float) -> None:
    grid = Grid(cone(72, 2.0, 12.0))
    assert steepest(grid.ground) > 1.9
    grid.advance(12_000, RAIN=0.0, SLIDE=0.06, TALUS=threshold, CRUMBLE=0.0)
    assert grid.balance() == 0
    assert steepest(grid.ground) < 1.03 * threshold
    # It came to rest there and did not run on to a plain.
    assert steepest(grid.ground) > 0.9 * threshold


def test_flatter_land_does_not_slide_but_its_edges_crumble() -> None:
    grid = Grid(cone(72, 0.55, 24.0))
    grid.advance(500, RAIN=0.0, CRUMBLE=0.0)
    assert (grid.change_m == 0.0).all()
    grid.advance(500, RAIN=0.0)
    z, x = np.mgrid[0:72, 0:72] - 35.5
    away = np.hypot(x, z)
    assert (grid.change_m[away < 2.0] < -0.05).all()
    assert np.abs(grid.change_m[(away > 10.0) & (away < 18.0)]).max() < 0.04


def test_a_cone_stays_round() -> None:
    side = 97
    grid = Grid(cone(side, 0.75, 36.0))
    grid.advance(1200)
    change = grid.change_m
    scale = np.abs(change).max()
    assert scale > 0.5
    for mirrored in (change[::-1], change[:, ::-1], change.T):
        assert np.abs(change - mirrored).mean() < 0.03 * scale
    z, x = np.mgrid[0:side, 0:side] - 0.5 * (side - 1)
    away, angle = np.hypot(x, z), np.degrees(np.arctan2(z, x)) % 90.0
    band = (away > 10.0) & (away < 34.0)
    straight = change[band & ((angle < 12.0) | (angle > 78.0))].mean()
    diagonal = change[band & (np.abs(angle - 45.0) < 12.0)].mean()
    assert abs(straight - diagonal) < 0.2 * abs(change[band].mean())


def test_a_band_of_rows_is_right_but_for_its_edge() -> None:
    whole, band = Grid(rough(96)), Grid(rough(96))
    iterations = len(kernels.STRIDES)
    halo = sum(kernels.STRIDES) + iterations * kernels.REACH
    whole.advance(iterations)
    part = Grid(np.zeros((96, 96)))
    part.land, part.counts = band.land[20:].copy(), band.counts[20:].copy()
    part.exported = np.zeros(76, np.int64)
    flat, counts = part.land.reshape(-1), part.counts.reshape(-1)
    parameters = np.zeros(kernels.PARAMETERS, np.float32)
    parameters[:] = [1.962, 0.05, 0.2, 4e-4, 0.998, 12.0, 0.05, 0.05, -1e6, 0.6, 0.05 / 60.0, QUANTUM_M, 12.0]
    kernels.advance(flat, counts, part.exported, 76, 96, 0, iterations, parameters)
    assert np.array_equal(part.counts[halo:], whole.counts[20 + halo :])
    assert np.array_equal(part.land[halo:], whole.land[20 + halo :])
    assert not np.array_equal(part.land[:2], whole.land[20:22])


def test_the_same_model_in_plain_arrays() -> None:
    from bench_water_erosion import NumpyErosion

    from game.world.erosion import Erosion, Region

    region = Region(0.0, 0.0, 30.0, 20.0)
    heights = rough(region.side).astype(np.float32)
    compiled = Erosion(region, heights, seed=1)
    compiled.advance(64)
    plain = NumpyErosion(compiled)
    compiled.advance(96)
    plain.advance(96)
    quanta_of_a_millimetre = 0.001 / compiled.quantum_m
    assert np.abs(compiled.change).max() > 50.0 * quanta_of_a_millimetre
    assert np.abs(compiled.change - plain.change).max() < quanta_of_a_millimetre
    assert np.abs(compiled.load - plain.load).max() < quanta_of_a_millimetre
    assert np.abs(compiled.field(kernels.WATER) - plain.water).max() < 1e-3
    assert plain.change.sum(dtype=np.int64) + plain.load.sum(dtype=np.int64) + plain.exported == 0


def digest(side: int) -> str:
    grid = Grid(rough(side))
    grid.advance(4)
    return (grid.counts[..., :side].tobytes() + grid.land[..., :side].tobytes()).hex()


def test_jitted_equals_plain_python() -> None:
    code = "from tests.kernels.test_erosion import digest\nprint(digest(18))\n"
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    plain = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout.strip()
    assert plain == digest(18)
