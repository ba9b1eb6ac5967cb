"""Deep water: rider and bicycle afloat, paddling, and out again when the feet find ground. Writes only `Bicycle`.

Shallow water is drag in `bicycle`; from a depth of `FLOAT_M` on it carries. Tuned by riding, not checked against data.
"""

from __future__ import annotations

import math

from game.core.coords import WORLD_LIMIT_M, forward
from game.ecs.components import Bicycle, Intent
from game.ride.contact import LandPatch
from game.ride.suspension import settle

FLOAT_M = 0.95
"""Water this deep carries; the wheels hang this far below the surface."""

GROUND_M = 0.88
"""In water less deep than this the wheels stand again."""

RECOVER_S = 6.0
"""After this time afloat the rider is put back on dry land."""

PADDLE_M_S = 0.9
TURN_RAD_S = 0.8
RISE_M_S = 4.0
_LIFT_1_S2 = 14.0
_LIFT_DAMPING_1_S = 7.0
_WATER_1_S = 1.4
_WATER_1_M = 0.5
"""Speed and rate of turn of a swimmer with a bicycle, fastest rise, buoyancy as a spring and its damping, and how
water slows motion through it: per second, and per metre of way."""


def carries(b: Bicycle, land: LandPatch, sea_level_m: float) -> bool:
    """Whether the water takes the rider in this step."""
    if b.y > sea_level_m - 0.5 * FLOAT_M:
        return False  # above it, or in the shallows: no question to the land
    depth = sea_level_m - land.height(b.x, b.z)
    return depth > (GROUND_M if b.afloat_s > 0.0 else FLOAT_M)


def swim(b: Bicycle, intent: Intent, land: LandPatch, sea_level_m: float, dt: float) -> bool:
    """One step afloat; True when it is time to recover."""
    if b.afloat_s == 0.0:
        # What rolled or flew carries its velocity into the water.
        along_x, along_z = forward(b.yaw_rad)
        if not b.airborne:
            b.vx_m_s, b.vz_m_s = b.speed_m_s * along_x, b.speed_m_s * along_z
        b.airborne = False
    b.afloat_s += dt
    b.yaw_rad += TURN_RAD_S * intent.steer * dt
    along_x, along_z = forward(b.yaw_rad)
    wish = PADDLE_M_S * min(1.0, max(0.0, intent.pedal))
    speed = math.hypot(b.vx_m_s, b.vz_m_s)
    yields = min(1.0, (_WATER_1_S + _WATER_1_M * speed) * dt)
    b.vx_m_s += (wish * along_x - b.vx_m_s) * yields
    b.vz_m_s += (wish * along_z - b.vz_m_s) * yields
    limit = WORLD_LIMIT_M - 4.0
    b.x = min(limit, max(-limit, b.x + b.vx_m_s * dt))
    b.z = min(limit, max(-limit, b.z + b.vz_m_s * dt))
    b.distance_m += math.hypot(b.vx_m_s, b.vz_m_s) * dt
    rest_y = sea_level_m - FLOAT_M
    b.vy_m_s += (_LIFT_1_S2 * (rest_y - b.y) - _LIFT_DAMPING_1_S * b.vy_m_s) * dt
    b.vy_m_s = min(RISE_M_S, max(-3.0 * RISE_M_S, b.vy_m_s))
    land_y = land.height(b.x, b.z)
    b.y = max(b.y + b.vy_m_s * dt, land_y)
    _pose(b, land_y, dt)
    return b.afloat_s >= RECOVER_S


def leave(b: Bicycle, land: LandPatch) -> None:
    """Stand on the wheels again, keeping the way on."""
    along_x, along_z = forward(b.yaw_rad)
    b.speed_m_s = b.spin_m_s = max(0.0, b.vx_m_s * along_x + b.vz_m_s * along_z)
    b.vy_m_s = 0.0
    b.afloat_s = 0.0
    settle(b, land)


def _pose(b: Bicycle, land_y: float, dt: float) -> None:
    """The bicycle hangs level in the water and nods a little; nothing of it touches the land."""
    ease = min(1.0, 2.5 * dt)
    b.pitch_rad += (0.05 * math.sin(1.9 * b.afloat_s) - b.pitch_rad) * ease
    b.lean_rad += (0.04 * math.sin(1.3 * b.afloat_s) - b.lean_rad) * ease
    b.steer_rad -= b.steer_rad * ease
    b.crouch -= b.crouch * ease
    b.path_rad = b.pitch_rad
    b.gradient = b.cadence_rpm = b.power_w = b.turn_1_m = b.pitch_rate_rad_s = b.lean_rate_rad_s = 0.0
    b.speed_m_s = math.hypot(b.vx_m_s, b.vz_m_s)
    b.spin_m_s = 0.0
    b.front_y = b.rear_y = b.y
    b.front_land_y = b.rear_land_y = land_y
    b.front_sprung_y = b.rear_sprung_y = b.y
    b.front_sprung_m_s = b.rear_sprung_m_s = b.vy_m_s
    b.front_on_land = b.rear_on_land = False
    b.heave_m = 0.0
