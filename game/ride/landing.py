"""Landings, judged by angle and energy: what the limbs have to soak up, and how well the bicycle points along the land.

Energy counts per kilogram, ½·v² of the speed into the land; a wheel that comes down at an angle to the land leaves
the limbs less of what they can take. Limits were tuned by riding, not checked against data.
"""

from __future__ import annotations

import math
from enum import IntEnum

from game.core.units import GRAVITY_M_S2


class Landing(IntEnum):
    """How the wheels came back to the land."""

    NONE = 0
    CLEAN = 1
    HEAVY = 2
    """The rider stumbles: weak steering for a moment."""
    CRASH = 3


CRASH_J_KG = GRAVITY_M_S2 * 7.0
"""What a straight landing survives: a drop of 7 m on the flat."""

HEAVY_SHARE = 0.5
"""Share of it from which a landing is heavy: 3.5 m."""

NOSE_DOWN_RAD = 0.95
NOSE_UP_RAD = 1.15
"""Angle to the land, front wheel first and rear wheel first, at which nothing is survived: over the bars, over the
back. A rear wheel that lands first is forgiven more."""

SOFT_M_S = 1.5
"""Below this speed into the land no angle throws: wheels that only come back down after a bump."""


def energy_j_kg(into_m_s: float) -> float:
    """Energy per kilogram to soak up at `into_m_s` into the land."""
    return 0.5 * into_m_s * into_m_s


def judge(into_m_s: float, angle_rad: float) -> Landing:
    """Grade of a landing at `into_m_s` (square to the land), pitched by `angle_rad` to it (nose up is positive)."""
    share = angle_rad / NOSE_UP_RAD if angle_rad > 0.0 else angle_rad / NOSE_DOWN_RAD
    if into_m_s < SOFT_M_S and abs(share) < 1.0:
        return Landing.CLEAN
    most = CRASH_J_KG * max(0.0, 1.0 - share * share)
    energy = energy_j_kg(into_m_s)
    if energy >= most:
        return Landing.CRASH
    return Landing.HEAVY if energy >= HEAVY_SHARE * most else Landing.CLEAN


def into_land_m_s(flat_m_s: float, up_m_s: float, land_pitch_rad: float) -> float:
    """Speed square into land of that pitch along the heading; 0 when leaving it."""
    return max(0.0, flat_m_s * math.sin(land_pitch_rad) - up_m_s * math.cos(land_pitch_rad))
