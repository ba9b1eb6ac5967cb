"""Gears, cadence and the angles of cranks and wheels. Speed comes from `bicycle`; this never changes it."""

from __future__ import annotations

import math

from game.ecs.components import Bicycle
from game.ride.contact import WHEEL_RADIUS_M
from game.ride.power import DEFAULT_POWER_W, DRIVE_EFFICIENCY

CHAINRING_TEETH = 42
COG_TEETH = (44, 38, 32, 28, 24, 21, 19, 17, 15, 13, 11, 10)
"""Largest cog first: gear 1 is the lowest."""

GEARS = len(COG_TEETH)

SHIFT_UP_RPM = 95.0
SHIFT_DOWN_RPM = 75.0
"""Automatic gears keep about 85 rpm; neighbouring cogs differ by less than the band is wide, so no hunting."""

SHIFT_PAUSE_S = 0.25

SPIN_FADE_RPM = 110.0
SPIN_LIMIT_RPM = 130.0
"""Between these the legs pass on less and less; beyond them the rider freewheels."""

CRANK_TORQUE_NM = 110.0
"""Mean torque at pedal 1.0 when power is not the limit: setting off and steep climbs."""

MAX_PEDAL = 1.6
"""Sprint: power and torque as multiples of the default."""


def ratio(gear: int) -> float:
    """Turns of the wheel for one of the cranks, gear 1 … `GEARS`."""
    return CHAINRING_TEETH / COG_TEETH[gear - 1]


def cadence_rpm(speed_m_s: float, gear: int) -> float:
    """Cadence that drives the wheel at `speed_m_s` in `gear`."""
    return max(0.0, speed_m_s) * 60.0 / (2.0 * math.pi * WHEEL_RADIUS_M * ratio(gear))


def drive_n(speed_m_s: float, gear: int, pedal: float) -> tuple[float, float]:
    """Driving force at the ground in newtons and the power at the pedals in watts."""
    pedal = min(max(pedal, 0.0), MAX_PEDAL)
    legs = cadence_rpm(speed_m_s, gear)
    spin = min(1.0, max(0.0, (SPIN_LIMIT_RPM - legs) / (SPIN_LIMIT_RPM - SPIN_FADE_RPM)))
    by_power = DEFAULT_POWER_W * pedal * spin / max(speed_m_s, 0.3)
    by_torque = CRANK_TORQUE_NM * pedal * spin / (ratio(gear) * WHEEL_RADIUS_M)
    force = min(by_power, by_torque)
    return force * DRIVE_EFFICIENCY, force * max(speed_m_s, 0.0)


def turn(bicycle: Bicycle, pedal: float, rolled_m: float, dt: float) -> None:
    """Advance wheel and crank angles, cadence and gear after the wheels rolled `rolled_m` metres in `dt`."""
    b = bicycle
    b.wheel_angle_rad += rolled_m / WHEEL_RADIUS_M
    b.shift_s = max(0.0, b.shift_s - dt)
    legs = cadence_rpm(b.speed_m_s, b.gear)
    if b.shift_s == 0.0:
        if legs > SHIFT_UP_RPM and b.gear < GEARS:
            b.gear += 1
            b.shift_s = SHIFT_PAUSE_S
        elif legs < SHIFT_DOWN_RPM and b.gear > 1:
            b.gear -= 1
            b.shift_s = SHIFT_PAUSE_S
        legs = cadence_rpm(b.speed_m_s, b.gear)
    driving = pedal > 0.01 and legs < SPIN_LIMIT_RPM
    goal = legs if driving else 0.0
    change = 500.0 * dt
    b.cadence_rpm += min(change, max(-change, goal - b.cadence_rpm))
    b.crank_angle_rad += b.cadence_rpm * (2.0 * math.pi / 60.0) * dt
    if not driving and b.cadence_rpm < 20.0 and b.speed_m_s > 1.0:
        # Coasting riders hold the cranks level, which keeps the pedals off the ground.
        level = round(b.crank_angle_rad / math.pi) * math.pi
        b.crank_angle_rad += (level - b.crank_angle_rad) * min(1.0, 5.0 * dt)
