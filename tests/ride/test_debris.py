"""Dust, drops and chips: what gives which, by speed and slip, and the same every time."""

from __future__ import annotations

import math

import pytest

from game.core.units import STEP_S
from game.ecs.components import Bicycle, Debris, Season, Weather
from game.ride.debris import CHIP, DROP, DUST, MOST, POWDER, amounts, emit
from game.ride.surface import SurfaceMap

DESERT = (30.0, 0.1, 0.0, 0.0)
MEADOW = (14.0, 0.5, 0.0, 0.1)
STEPPE = (15.0, 0.1, 0.0, 0.0)
GLACIER = (-8.0, 0.4, 0.0, 0.0)
ROCK = (8.0, 0.4, 1.0, 0.0)


def ridden(
    climate: tuple[float, float, float, float],
    seconds: float = 2.0,
    speed_m_s: float = 8.0,
    wetness: float = 0.0,
    sea_level_m: float = -100.0,
    seed: int = 7,
    **state: object,
) -> Debris:
    """What a straight ride north throws up."""
    surfaces, debris = SurfaceMap(lambda x, z: climate), Debris()
    weather = Weather(wetness=wetness, sea_level_m=sea_level_m)
    rider = Bicycle(y=5.0, speed_m_s=speed_m_s)
    for name, value in state.items():
        setattr(rider, name, value)
    for _ in range(round(seconds / STEP_S)):
        debris.clock_s += STEP_S
        rider.z -= speed_m_s * STEP_S
        emit(rider, debris, surfaces, weather, Season(), seed, STEP_S)
    return debris


def kinds(debris: Debris) -> set[int]:
    return {int(row[8]) for row in debris.rows}


def test_dry_earth_gives_dust_rock_chips_and_the_sea_drops() -> None:
    assert kinds(ridden(DESERT)) == {DUST}
    assert CHIP in kinds(ridden(ROCK))
    assert kinds(ridden(DESERT, sea_level_m=5.2)) == {DROP}
    assert kinds(ridden(MEADOW, wetness=0.9)) == {DROP}


def test_sand_gives_more_than_straw_and_green_turf_nothing() -> None:
    assert ridden(DESERT).thrown > 2 * ridden(STEPPE).thrown > 0
    assert ridden(MEADOW, seconds=10.0).thrown == 0
    assert ridden((12.0, 0.27, 0.0, 0.1), seconds=10.0).thrown == 0


def test_snow_gives_powder() -> None:
    assert kinds(ridden(GLACIER)) == {POWDER}
    assert amounts(*GLACIER, water_m=0.2, snow=1.0)[POWDER] == 0.0


def test_sliding_and_speed_give_more() -> None:
    assert ridden(DESERT, rear_locked=True).thrown > 2 * ridden(DESERT).thrown
    slow, fast = ridden(DESERT, speed_m_s=3.0), ridden(DESERT, speed_m_s=9.0)
    # Per metre of way.
    assert fast.thrown / 9.0 > 2.0 * slow.thrown / 3.0


@pytest.mark.parametrize(
    "state", [{"airborne": True}, {"fallen_s": 1.0}, {"afloat_s": 2.0}], ids=["air", "fallen", "afloat"]
)
def test_wheels_off_the_ground_throw_nothing(state: dict[str, object]) -> None:
    assert ridden(DESERT, **state).thrown == 0  # type: ignore[arg-type]


def test_standing_throws_nothing_and_snow_gives_no_dust() -> None:
    assert ridden(DESERT, speed_m_s=0.0).thrown == 0
    assert amounts(-10.0, 0.3, 0.0, 0.0, snow=1.0)[DUST] == 0.0
    assert amounts(*DESERT, wetness=0.5)[DUST] == 0.0


def test_deep_water_gives_nothing() -> None:
    assert amounts(*DESERT, water_m=2.0) == (0.0, 0.0, 0.0, 0.0)


def test_the_same_ride_gives_the_same_particles() -> None:
    assert ridden(DESERT).rows == ridden(DESERT).rows
    assert ridden(DESERT).rows != ridden(DESERT, seed=8).rows


def test_the_ring_stays_bounded_and_keeps_the_newest() -> None:
    debris = ridden(DESERT, seconds=20.0, rear_locked=True)
    assert debris.thrown > MOST
    assert len(debris.rows) == MOST
    assert max(row[6] for row in debris.rows) > debris.clock_s - 0.2
    assert min(row[6] for row in debris.rows) > 0.0


def test_particles_leave_the_wheels_backward_of_the_rider() -> None:
    """Born within half a wheelbase and a tyre of the bicycle, slower than it, so that they fall behind."""
    debris = ridden(DESERT)
    for x, y, z, vx, vy, vz, born, life, *_ in debris.rows:
        rider_z = -8.0 * born
        assert abs(x) < 0.1
        assert 0.49 < abs(z - rider_z) < 0.52
        assert y == pytest.approx(5.03)
        assert -8.0 < vz <= 0.0
        assert vy > 0.0
        assert 0.5 < life < 3.0
        assert math.isfinite(vx)
