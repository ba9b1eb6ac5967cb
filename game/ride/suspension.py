"""Wheels, springs and frame: where both wheels stand after a step, given the land at their new place.

Each wheel carries half of the sprung mass on a spring, a damper and rider's limbs; the two halves move
independently, as they do when the radius of gyration squared equals the product of the distances from the
centre of mass to the axles, which is nearly so for a rider. A wheel stays on the land while its limb reaches.
Tuned by riding, not checked against data. Writes only `Bicycle`; decides nothing about speed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from game.core.coords import forward
from game.core.units import GRAVITY_M_S2
from game.ecs.components import Bicycle
from game.ride.contact import WHEELBASE_M, LandPatch

G = GRAVITY_M_S2

SPRING_1_S = 14.0
DAMPING_1_S = 24.0
DROOP_M = 0.12
BUMP_M = 0.20
"""Suspension of each half: natural frequency, twice damping ratio times frequency, reach below and above rest."""

STEEPEST = 1.3
"""Largest pitch in radians that the two axles may stand at."""


@dataclass(slots=True)
class Wheel:
    """One half of the sprung mass while a step is worked out."""

    sprung_y: float
    sprung_m_s: float
    land_y: float
    low_y: float
    on_land: bool
    impact_m_s: float = 0.0


def wheels_at(
    b: Bicycle, land: LandPatch, x: float, z: float, speed_m_s: float, dt: float
) -> tuple[Wheel, Wheel, float]:
    """Both wheels after `dt` at (x, z), and the pitch their places were taken with."""
    pitch = b.pitch_rad
    for _ in range(2):
        # The second time where the pitch found by the first really puts the wheels.
        used = pitch
        front_y, rear_y = land.wheels(x, z, b.yaw_rad, 0.5 * WHEELBASE_M * math.cos(used))
        front = _ride(b.front_sprung_y, b.front_sprung_m_s, b.front_land_y, front_y, speed_m_s, dt)
        rear = _ride(b.rear_sprung_y, b.rear_sprung_m_s, b.rear_land_y, rear_y, speed_m_s, dt)
        pitch = pitch_of(front.low_y, rear.low_y, used)
    reach = WHEELBASE_M * math.sin(STEEPEST)
    low, high = (front, rear) if front.low_y < rear.low_y else (rear, front)
    beyond = high.low_y - low.low_y - reach
    if beyond > 0.0:
        # The frame is rigid: over an edge one wheel hangs from the other; in the air neither is held, so
        # both give way and keep their common height and speed.
        give = 0.0 if high.on_land else min(0.5 * beyond, high.low_y - high.land_y)
        if give > 0.0:
            high.low_y -= give
            high.sprung_y -= give
            common = 0.5 * (low.sprung_m_s + high.sprung_m_s)
            high.sprung_m_s = common
        low.low_y += beyond - give
        low.sprung_y = low.low_y + DROOP_M
        low.sprung_m_s = high.sprung_m_s
        low.on_land = False
    return front, rear, used


def pitch_of(front_y: float, rear_y: float, before_rad: float) -> float:
    """Pitch of the line through both wheels, given their distance on the map from the pitch before."""
    pitch = math.atan2(front_y - rear_y, WHEELBASE_M * math.cos(before_rad))
    return min(STEEPEST, max(-STEEPEST, pitch))


def _ride(
    sprung_y: float, sprung_m_s: float, land_before: float, land_y: float, speed_m_s: float, dt: float
) -> Wheel:
    """One half of the sprung mass after `dt`: spring and damper push, never pull, within the limbs' reach."""
    # The land under a wheel cannot rise faster than the wheel travels; at a cliff the difference would.
    most = abs(speed_m_s) + 1.0
    land_m_s = min(most, max(-most, (land_y - land_before) / dt))
    stretch = sprung_y - land_before
    push = 0.0
    if stretch <= DROOP_M:
        push = G - SPRING_1_S * SPRING_1_S * stretch - DAMPING_1_S * (sprung_m_s - land_m_s)
    before = sprung_m_s
    sprung_m_s += (max(0.0, push) - G) * dt
    sprung_y += 0.5 * (before + sprung_m_s) * dt
    impact = 0.0
    if sprung_y < land_y - BUMP_M:
        impact = max(0.0, land_m_s - sprung_m_s)
        sprung_y = land_y - BUMP_M
        sprung_m_s += impact
    low_y = sprung_y - DROOP_M
    on_land = low_y <= land_y
    return Wheel(sprung_y, sprung_m_s, land_y, land_y if on_land else low_y, on_land, impact)


def commit(b: Bicycle, x: float, z: float, front: Wheel, rear: Wheel, pitch: float, dt: float) -> None:
    """Write a step's result to the bicycle."""
    y = 0.5 * (front.low_y + rear.low_y)
    if not b.airborne:
        # In flight the rider's turning of the nose sets the rate; on the land the land does.
        rate = min(4.0, max(-4.0, (pitch - b.pitch_rad) / dt))
        b.pitch_rate_rad_s += 0.1 * (rate - b.pitch_rate_rad_s)
        along_x, along_z = forward(b.yaw_rad)
        flat = b.speed_m_s * math.cos(pitch)
        b.vx_m_s, b.vy_m_s, b.vz_m_s = flat * along_x, (y - b.y) / dt, flat * along_z
        b.gradient = math.tan(pitch)
    b.airborne = not (front.on_land or rear.on_land)
    b.x, b.y, b.z, b.pitch_rad = x, y, z, pitch
    b.front_y, b.rear_y = front.low_y, rear.low_y
    b.front_land_y, b.rear_land_y = front.land_y, rear.land_y
    b.front_sprung_y, b.rear_sprung_y = front.sprung_y, rear.sprung_y
    b.front_sprung_m_s, b.rear_sprung_m_s = front.sprung_m_s, rear.sprung_m_s
    b.front_on_land, b.rear_on_land = front.on_land, rear.on_land
    b.heave_m = 0.5 * (front.sprung_y + rear.sprung_y) - y


def settle(b: Bicycle, land: LandPatch) -> None:
    """Take the land as it is now, after an edit or a placement, without calling the change an impact."""
    half = 0.5 * WHEELBASE_M
    if b.airborne:
        b.front_land_y, b.rear_land_y = land.wheels(b.x, b.z, b.yaw_rad, half * math.cos(b.pitch_rad))
        b.front_sprung_y = max(b.front_sprung_y, b.front_land_y + DROOP_M)
        b.rear_sprung_y = max(b.rear_sprung_y, b.rear_land_y + DROOP_M)
        b.front_y, b.rear_y = b.front_sprung_y - DROOP_M, b.rear_sprung_y - DROOP_M
    else:
        pitch = b.pitch_rad
        for _ in range(6):
            used = pitch
            b.front_y, b.rear_y = land.wheels(b.x, b.z, b.yaw_rad, half * math.cos(used))
            pitch = pitch_of(b.front_y, b.rear_y, used)
        b.pitch_rad = b.path_rad = used
        b.gradient = math.tan(used)
        b.front_land_y, b.rear_land_y = b.front_y, b.rear_y
        b.front_sprung_y, b.rear_sprung_y = b.front_y, b.rear_y
        b.front_sprung_m_s = b.rear_sprung_m_s = 0.0
        b.front_on_land = b.rear_on_land = True
    b.y = 0.5 * (b.front_y + b.rear_y)
    b.land_epoch = land.epoch
