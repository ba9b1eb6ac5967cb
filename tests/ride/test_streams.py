"""Rain water under the wheels: streams hold back and are slippery, ponds are waded."""

from __future__ import annotations

import math

from game.core.units import STEP_S
from game.ecs.components import Bicycle, Intent, Weather
from game.ecs.schedule import Schedule
from game.ecs.world import EntityWorld
from game.render.extract import splash_of
from game.ride import bicycle as riding
from game.ride.contact import LandPatch
from game.ride.surface import FIRM, GRIP_LOST_STREAM, in_stream
from game.ride.systems import make_bicycle_system, remember_previous
from tests.ride.land import flat


class Brook:
    """Running water of one depth north of z = −5, and standing water south of z = 500."""

    def __init__(self, depth_m: float = 0.15) -> None:
        self.depth_m = depth_m

    def stream_at(self, x: float, z: float) -> tuple[float, float]:
        return (self.depth_m, 0.0) if z < -5.0 else (0.0, math.inf)

    def pond_level(self, x: float, z: float) -> float:
        return 0.4 if z > 500.0 else -math.inf


def ride(water: Brook | None, z: float = 0.0, seconds: float = 3.0) -> Bicycle:
    """Roll north at 8 m/s on a level plane, without pedalling."""
    world = EntityWorld()
    land = flat()
    rider = Bicycle()
    world.create(Intent(), rider, Weather())
    riding.place(rider, LandPatch.of(land), 0.0, z, 0.0)
    rider.speed_m_s, rider.vz_m_s = 8.0, -8.0
    schedule = Schedule([remember_previous, make_bicycle_system(land, None, None, lambda: water)])
    for _ in range(round(seconds / STEP_S)):
        schedule.step(world, STEP_S)
    world.release()
    return rider


def test_a_stream_slows_and_is_felt() -> None:
    dry, wet = ride(None), ride(Brook())
    assert dry.wading_m == 0.0
    assert wet.wading_m == 0.15
    assert 0.1 < dry.speed_m_s - wet.speed_m_s < 3.0
    assert wet.grip < dry.grip
    assert splash_of(dry) == 0.0
    assert splash_of(wet) > 0.5


def test_deeper_water_holds_back_more_up_to_a_limit() -> None:
    crr = [in_stream(FIRM, depth).crr for depth in (0.0, 0.05, 0.2, 0.5, 3.0)]
    assert crr[0] == FIRM.crr
    assert crr == sorted(crr)
    assert crr[3] == crr[4]
    assert in_stream(FIRM, 1.0).grip == FIRM.grip * (1.0 - GRIP_LOST_STREAM)


def test_a_pond_is_waded() -> None:
    dry, wet = ride(None, 520.0, 1.0), ride(Brook(), 520.0, 1.0)
    assert wet.wading_m > 0.3
    assert wet.speed_m_s < dry.speed_m_s - 0.5


def test_no_splash_at_rest_in_the_air_or_lying() -> None:
    assert splash_of(Bicycle(wading_m=0.2)) == 0.0
    assert splash_of(Bicycle(wading_m=0.2, speed_m_s=9.0, airborne=True)) == 0.0
    assert splash_of(Bicycle(wading_m=0.2, speed_m_s=9.0, fallen_s=1.0)) == 0.0
