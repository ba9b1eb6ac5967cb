"""Tyres and brakes: the grip circle, weight transfer under braking, and locked wheels. Forces only.

The friction a tyre has is one circle: what a turn takes sideways is missing for braking. A wheel asked for more than
that locks, slides with less friction than it had while rolling, and hardly steers.
"""

from __future__ import annotations

import math

from game.core.units import GRAVITY_M_S2
from game.ecs.components import Bicycle, Intent
from game.ride.contact import WHEELBASE_M
from game.ride.power import MASS_KG
from game.ride.surface import Surface

G = GRAVITY_M_S2

TYRE_FRICTION = 0.9
"""Friction coefficient of both tyres at full grip."""

SLIDING = 0.85
"""Share of it that a locked wheel keeps."""

CENTRE_HEIGHT_M = 0.95
FRONT_ARM_M = 0.70
REAR_ARM_M = WHEELBASE_M - FRONT_ARM_M
"""Centre of mass above the ground, and ahead of it and behind it the two contacts, of a rider sitting back."""

BRAKE_FRONT_G = 0.7
BRAKE_REAR_G = 0.35
"""What the hands can ask of either brake, in g."""

LEAST_SHARE = 0.2
"""Share of the friction left for braking however tight the turn: a tyre never lets go entirely."""


def load_n(total_n: float, braking_n: float) -> tuple[float, float]:
    """Weight on (front, rear) wheel, newtons, of `total_n` while braking with `braking_n`."""
    front = min(total_n, max(0.0, (total_n * REAR_ARM_M + braking_n * CENTRE_HEIGHT_M) / WHEELBASE_M))
    return front, total_n - front


def brakes_n(b: Bicycle, intent: Intent, cosine: float, surface: Surface) -> float:
    """Braking force of both wheels, newtons; notes which of them is locked.

    `cosine` is that of the slope: what of the weight presses on the land.
    """
    front = min(1.0, max(0.0, intent.brake_front))
    rear = min(1.0, max(0.0, intent.brake_rear))
    b.front_locked = b.rear_locked = False
    if front == 0.0 and rear == 0.0:
        return 0.0
    weight = MASS_KG * G * cosine
    lateral = b.speed_m_s * b.speed_m_s * b.turn_1_m / G
    friction = TYRE_FRICTION * surface.grip
    friction = math.sqrt(max((LEAST_SHARE * friction) ** 2, friction * friction - lateral * lateral))
    if b.speed_m_s == 0.0:
        # At rest a foot is down as well, so nothing tips over.
        return min((front + rear) * BRAKE_FRONT_G * MASS_KG * G * 2.0, friction * weight)
    want_front = front * BRAKE_FRONT_G * MASS_KG * G
    want_rear = rear * BRAKE_REAR_G * MASS_KG * G
    total = on_front = 0.0
    on_rear = weight
    for _ in range(3):
        on_front, on_rear = load_n(weight, total)
        total = _held(want_front, friction * on_front) + _held(want_rear, friction * on_rear)
        # The rider eases the front brake before the rear wheel lifts.
        total = min(total, 0.97 * weight * FRONT_ARM_M / CENTRE_HEIGHT_M)
    b.front_locked = want_front > friction * on_front
    b.rear_locked = want_rear > friction * on_rear
    return total


def _held(wanted_n: float, most_n: float) -> float:
    """Force of one wheel: what the hand asks, or what a locked tyre slides with."""
    return wanted_n if wanted_n <= most_n else SLIDING * most_n
