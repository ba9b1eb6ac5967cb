"""The road-cycling power equation: what moves a bicycle and what holds it back. Pure formulas.

Source: J. C. Martin, D. L. Milliken, J. E. Cobb, K. L. McFadden, A. R. Coggan, "Validation of a Mathematical
Model for Road Cycling Power", Journal of Applied Biomechanics 14 (1998) 276-291:
P = [½·ρ·(CdA + F_w)·V_a²·V + C_rr·m·g·cos θ·V + (0.091 + 0.0087·V)·V + m·g·sin θ·V + dT/dt] / E_c.
F_w, the bearing terms, the wheels' inertia and E_c are the paper's; the form of the equation, the bearing terms,
F_w and the inertia were compared with two published implementations (jmackie/rouleur `pyeqn.py`, scheibo/calc
`calc.go`, which rounds E_c to 0.976). Mass, C_rr and C_dA are chosen for a light
gravel bicycle: C_rr above the paper's road tyre (0.0032), C_dA from a rider sitting up (0.36) over one in the drops
(0.30) to one tucked (0.22), the span that wind-tunnel papers report; the paper's own riders had 0.26 on road
bicycles with aerodynamic bars. Those three were not checked against measured rides.
"""

from __future__ import annotations

import math

from game.core.units import GRAVITY_M_S2

MASS_KG = 85.0
"""Rider and bicycle."""

AIR_DENSITY_KG_M3 = 1.225
"""International standard atmosphere at sea level, 15 °C."""

CRR = 0.005
"""Rolling resistance coefficient of firm ground."""

SPOKE_AREA_M2 = 0.0044
"""F_w: drag area of the turning spokes."""

DRIVE_EFFICIENCY = 0.97698
"""E_c: what the chain passes on."""

WHEEL_INERTIA_KG_M2 = 0.14
WHEEL_RADIUS_OF_INERTIA_M = 0.311
"""Inertia of both wheels and the radius it belongs to."""

EFFECTIVE_MASS_KG = MASS_KG + WHEEL_INERTIA_KG_M2 / WHEEL_RADIUS_OF_INERTIA_M**2
"""Mass that speeding up has to move, turning wheels included."""

CDA_UPRIGHT_M2 = 0.36
CDA_DROPS_M2 = 0.30
CDA_TUCKED_M2 = 0.22
UPRIGHT, DROPS, TUCK = 0.0, 0.5, 1.0
"""Postures as values of `Bicycle.crouch`; between them the drag area goes in straight lines."""

CRUISE_M_S = 12.0
"""Speed that the default power settles at on the flat."""


def smoothstep(low: float, high: float, value: float) -> float:
    """0 below `low`, 1 above `high`, a cubic with level ends between them."""
    t = min(1.0, max(0.0, (value - low) / (high - low)))
    return t * t * (3.0 - 2.0 * t)


def cda_m2(crouch: float) -> float:
    """Drag area of rider and bicycle for a posture, 0 upright … 1 tucked."""
    if crouch < DROPS:
        return CDA_UPRIGHT_M2 + (CDA_DROPS_M2 - CDA_UPRIGHT_M2) * crouch / DROPS
    return CDA_DROPS_M2 + (CDA_TUCKED_M2 - CDA_DROPS_M2) * (crouch - DROPS) / (TUCK - DROPS)


def settled_crouch(speed_m_s: float, pedal: float, brake: float = 0.0) -> float:
    """Posture the rider settles in: lower with speed, no lower than the drops while pedalling, up for braking."""
    lowest = TUCK + (DROPS - TUCK) * min(max(pedal, 0.0), 1.0)
    return smoothstep(4.0, 14.0, speed_m_s) * lowest * (1.0 - 0.6 * min(brake, 1.0))


def drag_n(speed_m_s: float, crouch: float) -> float:
    """Aerodynamic drag in still air, newtons."""
    return 0.5 * AIR_DENSITY_KG_M3 * (cda_m2(crouch) + SPOKE_AREA_M2) * speed_m_s * speed_m_s


def rolling_n(speed_m_s: float, slope_rad: float, crr: float = CRR) -> float:
    """Rolling resistance and bearing friction, newtons."""
    return crr * MASS_KG * GRAVITY_M_S2 * math.cos(slope_rad) + 0.091 + 0.0087 * speed_m_s


def required_power_w(speed_m_s: float, slope_rad: float, crouch: float, crr: float = CRR) -> float:
    """Power at the pedals that holds `speed_m_s` on a slope (radians, up is positive), watts."""
    force = drag_n(speed_m_s, crouch) + rolling_n(speed_m_s, slope_rad, crr)
    force += MASS_KG * GRAVITY_M_S2 * math.sin(slope_rad)
    return force * speed_m_s / DRIVE_EFFICIENCY


DEFAULT_POWER_W = required_power_w(CRUISE_M_S, 0.0, settled_crouch(CRUISE_M_S, 1.0))
"""Power at pedal 1.0; by construction it settles at `CRUISE_M_S` on the flat."""
