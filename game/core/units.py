"""Physical constants and unit conversions, SI."""

from __future__ import annotations

GRAVITY_M_S2 = 9.80665
"""Standard gravity."""

EARTH_RADIUS_M = 6_371_000.0
"""Mean radius of the earth."""

EARTH_BEND_PER_M = 0.5 / EARTH_RADIUS_M
"""A plane's distance above a sphere it touches grows as d² / 2R: 31 m at 20 km, 785 m at 100 km."""

BEND_FROM_M = 20_000.0
"""View distance from which the curvature of the earth is drawn."""

TILE_PERIOD_M = 4096
"""All ground textures and waves repeat in a whole fraction of this, so that the anchor may be taken modulo it: texture
coordinates stay small and exact at ±1e9 m and never swim."""

TIME_PERIOD_S = 1024.0
"""Waves and wind repeat after this time, so that the phase stays small in float32."""

STEP_HZ = 120
STEP_S = 1.0 / STEP_HZ
"""The fixed simulation step."""


def kmh(speed_m_s: float) -> float:
    """Metres per second to kilometres per hour."""
    return speed_m_s * 3.6
