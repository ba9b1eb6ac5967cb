"""Surfaces from climate, the grip circle, postures, landings by angle and energy, and what a gamepad feels."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.core.units import GRAVITY_M_S2, STEP_S
from game.ecs.components import Bicycle, Intent
from game.ride import bicycle as riding
from game.ride import landing, power, steering, tyres, vibration
from game.ride.contact import Grade, LandPatch
from game.ride.landing import Landing, judge
from game.ride.surface import FIRM, Surface, SurfaceMap, surface_of
from tests.ride.land import FormulaLand, flat

EAST = math.pi / 2
share = st.floats(0.0, 1.0)


@given(st.floats(-60.0, 60.0), share, share, share, share)
def test_surfaces_stay_within_bounds_and_water_never_adds_grip(
    temperature: float, humidity: float, rock: float, trees: float, wet: float
) -> None:
    dry = surface_of(temperature, humidity, rock, trees)
    soaked = surface_of(temperature, humidity, rock, trees, wet)
    assert 0.4 < soaked.grip <= dry.grip <= 1.0
    assert 0.004 < dry.crr <= soaked.crr + 1e-12 < 0.02


def test_surfaces_are_ordered_as_on_real_ground() -> None:
    meadow, rock = surface_of(10.0, 0.5, 0.0, 0.0), surface_of(10.0, 0.5, 1.0, 0.0)
    wood, sand = surface_of(10.0, 0.5, 0.0, 1.0), surface_of(35.0, 0.0, 0.0, 0.0)
    snow = surface_of(-10.0, 0.5, 0.0, 0.0)
    assert meadow == FIRM
    assert rock.crr < meadow.crr < wood.crr < sand.crr == snow.crr
    assert meadow.grip > rock.grip > wood.grip > sand.grip > snow.grip
    wet_rock, wet_meadow = surface_of(10.0, 0.5, 1.0, 0.0, 1.0), surface_of(10.0, 0.5, 0.0, 0.0, 1.0)
    assert wet_rock.grip / rock.grip < wet_meadow.grip / meadow.grip < 1.0


def test_a_place_is_asked_once_and_answers_alike_whatever_came_before() -> None:
    asked = []

    def climate(x: float, z: float) -> tuple[float, float, float, float]:
        asked.append((x, z))
        return 10.0, 0.5, min(1.0, abs(x) / 100.0), 0.0

    surfaces = SurfaceMap(climate)
    first = surfaces.at(3.0, -1.0)
    assert surfaces.at(7.9, -7.9) is first
    surfaces.at(80.0, 0.0)
    assert surfaces.at(0.1, -0.1) == first
    assert asked == [(4.0, -4.0), (84.0, 4.0)]
    assert surfaces.at(0.1, -0.1, 1.0).grip < first.grip


@pytest.mark.parametrize(("grip", "factor"), [(1.0, 1.0), (0.6, 1.15)])
def test_wet_ground_takes_longer_to_brake(grip: float, factor: float) -> None:
    ways = []
    for used in (1.0, grip):
        b, land = Bicycle(), LandPatch(flat())
        riding.place(b, land, 0.0, 0.0, EAST)
        b.speed_m_s = 12.0
        for _ in range(600):
            riding.step(b, Intent(brake_front=1.0, brake_rear=1.0), land, STEP_S, surface=Surface(grip=used))
        ways.append(b.x)
        assert b.speed_m_s == 0.0
    assert ways[1] >= factor * ways[0] - 1e-9


def test_weight_shifts_forward_under_braking() -> None:
    still, braking = tyres.load_n(800.0, 0.0), tyres.load_n(800.0, 300.0)
    assert still[0] + still[1] == pytest.approx(800.0)
    assert braking[0] - still[0] == pytest.approx(300.0 * tyres.CENTRE_HEIGHT_M / 1.0)


@given(share, share, st.floats(0.4, 1.0), st.floats(-0.35, 0.35), st.floats(0.0, 30.0))
def test_tyres_never_give_more_than_their_circle(
    front: float, rear: float, grip: float, turn: float, speed: float
) -> None:
    b = Bicycle(speed_m_s=speed, turn_1_m=turn)
    force = tyres.brakes_n(b, Intent(brake_front=front, brake_rear=rear), 1.0, Surface(grip=grip))
    weight = power.MASS_KG * GRAVITY_M_S2
    friction, lateral = tyres.TYRE_FRICTION * grip, speed * speed * abs(turn) / GRAVITY_M_S2
    left = math.sqrt(max((tyres.LEAST_SHARE * friction) ** 2, friction**2 - lateral**2))
    assert math.isfinite(force)
    assert 0.0 <= force <= left * weight * (1.0 + 1e-9)


def test_the_front_brake_locks_on_ice_like_ground_and_steers_less() -> None:
    b, land = Bicycle(), LandPatch(flat())
    riding.place(b, land, 0.0, 0.0, EAST)
    b.speed_m_s = 10.0
    for _ in range(6):
        riding.step(b, Intent(brake_front=1.0), land, STEP_S, surface=Surface(grip=0.4))
    assert b.front_locked


def test_postures_have_their_drag() -> None:
    assert power.cda_m2(power.UPRIGHT) == power.CDA_UPRIGHT_M2
    assert power.cda_m2(power.DROPS) == power.CDA_DROPS_M2
    assert power.cda_m2(power.TUCK) == power.CDA_TUCKED_M2
    assert power.settled_crouch(20.0, 0.0) == power.TUCK
    assert power.settled_crouch(20.0, 1.0) == power.DROPS
    assert power.settled_crouch(2.0, 1.0) == power.UPRIGHT
    assert power.settled_crouch(20.0, 0.0, brake=1.0) < power.DROPS


def test_landings_are_judged_by_energy() -> None:
    heights = (0.3, 2.0, 5.0, 9.0)
    grades = [judge(math.sqrt(2.0 * GRAVITY_M_S2 * h), 0.0) for h in heights]
    assert grades == [Landing.CLEAN, Landing.CLEAN, Landing.HEAVY, Landing.CRASH]


def test_landings_are_judged_by_angle() -> None:
    into = math.sqrt(2.0 * GRAVITY_M_S2 * 3.0)
    assert judge(into, 0.0) == Landing.CLEAN
    assert judge(into, -0.8) == Landing.CRASH
    assert judge(into, -landing.NOSE_DOWN_RAD) == Landing.CRASH
    assert judge(into, 0.8) < Landing.CRASH, "the rear wheel first is forgiven more"
    assert judge(0.5, -0.5) == Landing.CLEAN


@given(st.floats(0.0, 80.0), st.floats(-1.5, 1.5))
def test_a_harder_or_more_crooked_landing_is_never_better(into: float, angle: float) -> None:
    assert judge(into + 1.0, angle) >= judge(into, angle)
    assert judge(into, angle * 1.1) >= judge(into, angle)


def test_a_slope_that_falls_with_the_flight_is_no_impact() -> None:
    down = math.atan2(-6.0, 10.0)
    assert landing.into_land_m_s(10.0, -6.0, down) == pytest.approx(0.0, abs=1e-9)
    assert landing.into_land_m_s(10.0, -6.0, 0.0) == pytest.approx(6.0)


def test_a_drop_on_the_flat_is_heavy_and_onto_a_ramp_is_clean() -> None:
    def land_from(field: FormulaLand) -> int:
        b, patch = Bicycle(), LandPatch(field)
        riding.place(b, patch, 12.0, 0.0, EAST)
        b.speed_m_s = 9.0
        worst = 0
        for _ in range(300):
            riding.step(b, Intent(), patch, STEP_S)
            worst = max(worst, b.landing)
        return worst

    import numpy as np

    ledge = FormulaLand(lambda x, z: np.where(x > 20.0, -5.0, 0.0))
    ramp = FormulaLand(lambda x, z: np.where(x > 20.0, -2.0 - 0.7 * np.clip(x - 20.0, 0.0, 30.0), 0.0))
    assert land_from(ledge) == Landing.HEAVY
    assert land_from(ramp) == Landing.CLEAN


@given(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.floats(0.1, 4.0))
def test_the_wish_is_rate_limited_and_never_overshoots(now: float, asked: float, sensitivity: float) -> None:
    after = steering.follow_wish(now, asked, sensitivity, STEP_S)
    assert abs(after - now) <= steering.CENTRE_1_S * sensitivity * STEP_S + 1e-12
    assert min(now, asked) - 1e-12 <= after <= max(now, asked) + 1e-12


def test_centring_is_faster_than_turning() -> None:
    out = steering.follow_wish(0.0, 1.0, 1.0, STEP_S)
    back = 1.0 - steering.follow_wish(1.0, 0.0, 1.0, STEP_S)
    assert back > out


def test_gamepads_feel_hits_more_the_worse_they_are() -> None:
    assert vibration.rumble(Bicycle()) == vibration.STILL
    felt = [vibration.rumble(Bicycle(knock=int(grade))) for grade in list(Grade)[1:]]
    assert felt == sorted(felt, key=lambda r: max(r[0], r[1]))
    assert vibration.stronger(felt[0], felt[-1]) == felt[-1]
    assert vibration.rumble(Bicycle(landing=2))[0] > vibration.rumble(Bicycle(landing=1))[0] > 0.0
    assert vibration.rumble(Bicycle(rear_locked=True, speed_m_s=5.0))[1] > 0.0
