"""Physical constants and unit conversions, SI."""

from __future__ import annotations

GRAVITY_M_S2 = 9.80665
"""Standard gravity."""

STEP_HZ = 120
STEP_S = 1.0 / STEP_HZ
"""The fixed simulation step."""


def kmh(speed_m_s: float) -> float:
    """Metres per second to kilometres per hour."""
    return speed_m_s * 3.6
