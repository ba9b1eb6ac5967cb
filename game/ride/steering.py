"""Steering: from the wish to turn to lean, handlebar and curvature.

The wish is rate-limited first (a key is all or nothing), then asks for a lateral acceleration; the lean follows like
a critically damped pendulum, and the path curves by what the lean balances, tan φ = v²/(g·r). At walking pace the
handlebar steers directly. The most that can be asked shrinks with the square of the speed, so a key held at any
speed asks the same of the tyres. Tuned by riding. Writes only `Bicycle`.
"""

from __future__ import annotations

import math

from game.core.units import GRAVITY_M_S2
from game.ecs.components import Bicycle, Intent
from game.ride.contact import WHEELBASE_M
from game.ride.power import smoothstep
from game.ride.surface import Surface

G = GRAVITY_M_S2

LATERAL_G = 0.7
"""Largest lateral acceleration asked of full grip, in g: a lean of 35°."""

TURN_LIMIT_1_M = 0.4
"""Tightest curvature, at walking pace: a radius of 2.5 m."""

WISH_1_S = 8.0
CENTRE_1_S = 12.0
"""How fast the wish follows what is asked, full travels a second: outward, and back to the middle."""

LEAN_RATE_1_S = 10.0
"""Natural frequency of the lean; 90 % of a lean is reached in 0.4 s."""

COUNTERSTEER_S = 0.05
"""How far the handlebar turns against a growing lean, seconds of lean rate."""

PIVOT_RAD_S = 1.3
"""Turning on the spot with a foot down."""

LOCKED_SHARE = 0.5
STUMBLE_SHARE = 0.4
"""Share of steering left with a locked front wheel, and right after a knock."""


def follow_wish(now: float, asked: float, sensitivity: float, dt: float) -> float:
    """The wish after `dt`, −1…1: toward `asked`, no faster than the rates above times `sensitivity`."""
    away = abs(asked) > abs(now) and asked * now >= 0.0
    most = (WISH_1_S if away else CENTRE_1_S) * min(4.0, max(0.1, sensitivity)) * dt
    return now + min(most, max(-most, asked - now))


def turn(b: Bicycle, intent: Intent, surface: Surface, dt: float) -> None:
    """Advance wish, lean, handlebar and heading by `dt` seconds."""
    b.wish = follow_wish(b.wish, min(1.0, max(-1.0, intent.steer)), intent.sensitivity, dt)
    steer = b.wish
    if b.stumble_s > 0.0:
        steer *= STUMBLE_SHARE
    if b.front_locked:
        steer *= LOCKED_SHARE
    v = max(0.0, b.speed_m_s)
    v2 = v * v
    limit = LATERAL_G * surface.grip * G
    tightest = min(TURN_LIMIT_1_M, limit / max(v2, 1e-6))
    wanted = 0.0 if b.airborne else steer * tightest
    goal = math.atan(v2 * wanted / G)
    pull = LEAN_RATE_1_S * LEAN_RATE_1_S * (goal - b.lean_rad) - 2.0 * LEAN_RATE_1_S * b.lean_rate_rad_s
    b.lean_rate_rad_s += pull * dt
    most = math.atan(LATERAL_G * surface.grip)
    b.lean_rad = min(most, max(-most, b.lean_rad + b.lean_rate_rad_s * dt))
    by_lean = smoothstep(2.0, 5.0, v)
    direct = b.turn_1_m + (wanted - b.turn_1_m) * min(1.0, 8.0 * dt)
    leant = G * math.tan(b.lean_rad) / max(v2, 1.0)
    curve = direct + (leant - direct) * by_lean
    b.turn_1_m = min(tightest, max(-tightest, curve))
    bar = math.atan(WHEELBASE_M * b.turn_1_m) - COUNTERSTEER_S * b.lean_rate_rad_s * by_lean
    bar += 0.5 * steer * (1.0 - smoothstep(0.0, 2.0, v))
    b.steer_rad += (min(0.8, max(-0.8, bar)) - b.steer_rad) * min(1.0, 25.0 * dt)
    if not b.airborne:
        pivot = PIVOT_RAD_S * steer * max(0.0, 1.0 - v)
        b.yaw_rad += (v * math.cos(b.pitch_rad) * b.turn_1_m + pivot) * dt
        b.yaw_rad = math.remainder(b.yaw_rad, 2.0 * math.pi)
