"""A hostile world: land, sea and things change under a rider who does everything at once; and corners of fences."""

from __future__ import annotations

import math
import random
from dataclasses import astuple

import numpy as np
import pytest
from numpy.typing import NDArray

from game.core.units import STEP_S
from game.ecs.components import Bicycle, Intent
from game.ride import bicycle as riding
from game.ride.collisions import Collisions
from game.ride.contact import Kind, LandPatch, Solid
from tests.ride.land import FormulaLand, flat, forest, hills, rough, slope

EVERY_M = 9
RADIUS_M = {Kind.ROCK: 0.6, Kind.LOG: 0.15, Kind.FENCE: 0.06}
HEIGHT_M = {Kind.ROCK: 0.5, Kind.LOG: 0.3, Kind.FENCE: 1.05}
HALF_M = {Kind.ROCK: 0.0, Kind.LOG: 2.0, Kind.FENCE: 2.0}


class Sculpted(FormulaLand):
    """Land of a formula with bumps and pits on it, and a stone, a log or a panel every few metres."""

    def __init__(self, base: FormulaLand) -> None:
        super().__init__(self._shape, forest(6.0, 120))
        self._base = base
        self._dabs: list[tuple[float, float, float, float]] = []

    def _shape(self, x: NDArray[np.float64], z: NDArray[np.float64]) -> NDArray[np.float64]:
        y = self._base.field(x, z)
        for at_x, at_z, radius, height in self._dabs:
            y = y + height * np.exp(-((x - at_x) ** 2 + (z - at_z) ** 2) / (radius * radius))
        return y

    def dab(self, x: float, z: float, radius: float, height: float) -> None:
        self._dabs = [*self._dabs[-5:], (x, z, radius, height)]
        self.epoch += 1

    def scenery(self, west: float, north: float, side: float) -> NDArray[np.float64]:
        rows = []
        for i in range(math.ceil(west / EVERY_M), math.ceil((west + side) / EVERY_M)):
            for k in range(math.ceil(north / EVERY_M), math.ceil((north + side) / EVERY_M)):
                x, z = float(i * EVERY_M), float(k * EVERY_M)
                kind, y = Kind(1 + (7 * i + 3 * k) % 3), self.height(x, z)
                angle = float((13 * i + 5 * k) % 6)
                dx, dz = HALF_M[kind] * math.cos(angle), HALF_M[kind] * math.sin(angle)
                rows.append(
                    (x - dx, z - dz, x + dx, z + dz, RADIUS_M[kind], y - 0.5, y + HEIGHT_M[kind], kind)
                )
        return np.array(sorted(rows), np.float64).reshape(-1, 8)


@pytest.mark.parametrize("seed", range(4))
def test_whatever_happens_the_state_is_finite_and_nobody_is_below_the_land(seed: int) -> None:
    chance = random.Random(seed)
    ground = Sculpted((hills(seed), rough(1.0, -0.2, seed), slope(-0.5), flat())[seed])
    land = LandPatch(ground)
    obstacles = Collisions(land, ground.scenery)
    b, intent, sea = Bicycle(), Intent(), -1e4
    riding.place(b, land, 3.0, 3.0, chance.uniform(-3.0, 3.0))
    for step in range(round(8.0 / STEP_S)):
        if step % 60 == 0:
            intent = Intent(
                pedal=chance.choice((0.0, 1.0, 1.5)),
                steer=chance.choice((-1.0, 0.0, 1.0)),
                brake_front=chance.choice((0.0, 0.0, 1.0)),
                brake_rear=chance.choice((0.0, 0.0, 1.0)),
                hop=chance.random() < 0.3,
            )
            ground.dab(
                b.x + chance.uniform(-3.0, 3.0),
                b.z + chance.uniform(-3.0, 3.0),
                chance.uniform(1.0, 8.0),
                chance.choice((-20.0, -3.0, 3.0, 20.0)),
            )
            sea = chance.choice((-1e4, -1e4, b.y - 0.3, b.y + 0.5, b.y + 30.0))
        if step % 300 == 299:
            b.speed_m_s = 300.0 / 3.6
        obstacles.sea_level_m = sea
        intent.recover = step % 500 == 499
        riding.step(b, intent, land, STEP_S, obstacles, sea)
        assert all(math.isfinite(value) for value in astuple(b) if isinstance(value, float))
        if b.fallen_s > 0.0:
            assert b.rider_y >= land.height(b.rider_x, b.rider_z) - 1e-3
        else:
            assert min(b.front_y - b.front_land_y, b.rear_y - b.rear_land_y) >= -1e-3


@pytest.mark.parametrize("degrees", [20.0, 45.0, 90.0])
def test_steering_alone_leads_out_of_a_corner_of_two_fences(degrees: float) -> None:
    land = LandPatch(flat())
    obstacles = Collisions(land)
    wide = 10.0 * math.tan(math.radians(0.5 * degrees))
    obstacles.add(Solid(10.0, 0.0, 0.0, side, 0.06, -0.5, 1.05, Kind.FENCE) for side in (-wide, wide))
    b = Bicycle()
    riding.place(b, land, 0.0, 0.0, math.pi / 2)
    deepest = outward = 0.0
    for step in range(round(20.0 / STEP_S)):
        stuck = step > round(8.0 / STEP_S)
        riding.step(b, Intent(pedal=0.4, steer=1.0 if stuck else 0.0), land, STEP_S, obstacles)
        deepest = max(deepest, b.x)
        outward = max(outward, deepest - b.x)
    assert deepest > 6.5
    assert outward > 4.0
    assert b.falls == 0
