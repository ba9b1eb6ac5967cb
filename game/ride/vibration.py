"""What a gamepad's motors should do for what just happened to the bicycle. Tuned by taste."""

from __future__ import annotations

from game.ecs.components import Bicycle
from game.ride.contact import Grade
from game.ride.landing import Landing

Rumble = tuple[float, float, int]
"""Strength 0…1 of the slow and of the fast motor, and how long, milliseconds."""

STILL: Rumble = (0.0, 0.0, 0)

_BY_GRADE: dict[int, Rumble] = {
    Grade.BRUSH: (0.0, 0.25, 60),
    Grade.DEFLECT: (0.25, 0.4, 110),
    Grade.STUMBLE: (0.55, 0.6, 220),
    Grade.FALL: (1.0, 0.8, 450),
}


def rumble(b: Bicycle) -> Rumble:
    """For the step just done; `STILL` when nothing happened."""
    if b.knock:
        return _BY_GRADE[b.knock]
    if b.landing >= Landing.HEAVY:
        return (0.9, 0.5, 300)
    if b.impact_m_s > 0.4:
        return (min(1.0, 0.25 * b.impact_m_s), min(1.0, 0.15 * b.impact_m_s), 120)
    if b.landing == Landing.CLEAN:
        return (0.25, 0.1, 90)
    if (b.front_locked or b.rear_locked) and b.speed_m_s > 1.0:
        return (0.0, 0.18, 40)
    return STILL


def stronger(a: Rumble, b: Rumble) -> Rumble:
    """The one that is felt more."""
    return b if max(b[0], b[1]) > max(a[0], a[1]) else a
