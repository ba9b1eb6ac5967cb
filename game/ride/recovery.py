"""Standing up again: placing the rider, and the last pose that proved safe. Writes only `Bicycle`.

A pose on the way is on trial for a second; outlived, it becomes the safe one: dry, gentle, clear of obstacles.
"""

from __future__ import annotations

import math

from game.core.coords import WORLD_LIMIT_M
from game.ecs.components import Bicycle
from game.ride.contact import GroundLike, LandPatch, Obstacles
from game.ride.suspension import settle

SAFE_TRIAL_S = 1.0
SAFE_PAUSE_S = -0.25
SAFE_SLOPE = 0.5
SAFE_REACH_M = 1.5
SAFE_DRY_M = 0.3
"""A pose is safe when outlived by this time (the pause lies before the next trial), not steeper, this far
from obstacles and this far above the sea."""


def place(bicycle: Bicycle, ground: GroundLike, x: float, z: float, yaw_rad: float) -> None:
    """Stand the bicycle upright and at rest at (x, z), its wheels on the land; this pose is the safe one now."""
    b = bicycle
    land = LandPatch.of(ground)
    b.x, b.z, b.yaw_rad = float(x), float(z), float(yaw_rad)
    b.speed_m_s = b.spin_m_s = b.vx_m_s = b.vy_m_s = b.vz_m_s = 0.0
    b.lean_rad = b.lean_rate_rad_s = b.steer_rad = b.turn_1_m = b.wish = b.yaw_rate_rad_s = 0.0
    b.cadence_rpm = b.power_w = b.crouch = b.gradient = b.pitch_rad = b.pitch_rate_rad_s = 0.0
    b.fallen_s = b.stumble_s = b.hop_s = b.heave_m = b.afloat_s = 0.0
    b.airborne = b.front_locked = b.rear_locked = False
    b.gear = 1
    settle(b, land)
    b.safe_x, b.safe_z, b.safe_yaw_rad = b.x, b.z, b.yaw_rad
    b.trial_s = SAFE_PAUSE_S


def recover(
    bicycle: Bicycle,
    ground: GroundLike,
    obstacles: Obstacles | None = None,
    sea_level_m: float = -math.inf,
) -> None:
    """Put the rider back to the last safe pose, upright and at rest.

    If land, trees or the sea changed since, the nearest good place on rings around it is taken instead; if
    there is none within 120 m, the highest place seen.
    """
    b = bicycle
    land = LandPatch.of(ground)
    best = (b.safe_x, b.safe_z)
    best_y = -math.inf
    for ring in range(31):
        for spoke in range(1 if ring == 0 else 12):
            angle = (spoke + 0.5 * (ring % 2)) * math.pi / 6.0
            x = b.safe_x + 4.0 * ring * math.sin(angle)
            z = b.safe_z - 4.0 * ring * math.cos(angle)
            if max(abs(x), abs(z)) > WORLD_LIMIT_M - 10.0:
                continue
            y = land.ground.height(x, z)
            if y > best_y:
                best, best_y = (x, z), y
            if y > sea_level_m + SAFE_DRY_M and _is_gentle_and_free(land, obstacles, x, z):
                place(b, land, x, z, b.safe_yaw_rad)
                return
    place(b, land, best[0], best[1], b.safe_yaw_rad)


def _is_gentle_and_free(land: LandPatch, obstacles: Obstacles | None, x: float, z: float) -> bool:
    slope_x, slope_z = land.slope(x, z)
    if math.hypot(slope_x, slope_z) > SAFE_SLOPE:
        return False
    if obstacles is not None:
        return obstacles.is_free(x, z, SAFE_REACH_M)
    trunks = land.trunks(x, z, SAFE_REACH_M + 2.0)
    return all(math.hypot(trunk[0] - x, trunk[1] - z) > SAFE_REACH_M + trunk[2] for trunk in trunks.tolist())


def prove_safe(
    b: Bicycle, land: LandPatch, obstacles: Obstacles | None, sea_level_m: float, dt: float
) -> None:
    """Try poses along the way; one that the rider outlives becomes the place to recover to."""
    if b.trial_s > 0.0:
        b.trial_s += dt
        if b.trial_s >= SAFE_TRIAL_S:
            b.safe_x, b.safe_z, b.safe_yaw_rad = b.trial_x, b.trial_z, b.trial_yaw_rad
            b.trial_s = SAFE_PAUSE_S
        return
    # A look costs a few questions to the land, so a failed one is not repeated every step.
    b.trial_s += dt
    if b.trial_s < 0.0:
        return
    b.trial_s = SAFE_PAUSE_S
    steady = not b.airborne and b.stumble_s == 0.0
    dry = b.y > sea_level_m + SAFE_DRY_M
    if steady and dry and _is_gentle_and_free(land, obstacles, b.x, b.z):
        b.trial_x, b.trial_z, b.trial_yaw_rad, b.trial_s = b.x, b.z, b.yaw_rad, dt
