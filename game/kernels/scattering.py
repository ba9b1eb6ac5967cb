"""Light scattered by the air: what reaches an eye near the ground from every direction, for any height of the sun.

Molecules (Rayleigh), aerosol (Mie) and ozone in shells around a round earth. Single scattering is integrated along each
view ray; light scattered more often is taken to come from everywhere alike.

Sources: E. Bruneton and F. Neyret, "Precomputed Atmospheric Scattering" (EGSR 2008), for molecules and aerosol;
S. Hillaire, "A Scalable and Production Ready Sky and Atmosphere Rendering Technique" (EGSR 2020), table 1 for the
coefficients and section 5.5 for the scattering of higher orders.
"""

from __future__ import annotations

import math

import numpy as np

from game.kernels import jit

GROUND_KM = 6360.0
TOP_KM = 6460.0
RAYLEIGH_KM = 8.0
MIE_KM = 1.2
"""Heights over which molecules and aerosol thin by e."""

RAYLEIGH = (5.802e-3, 13.558e-3, 33.100e-3)
MIE = 3.996e-3
MIE_EXTINCTION = 4.440e-3
OZONE = (0.650e-3, 1.881e-3, 0.085e-3)
"""Per km at height 0 (ozone: in the middle of its layer), for red, green and blue."""

MIE_ASYMMETRY = 0.8
GROUND_ALBEDO = 0.3

_SUN_RADIUS = 0.0047
"""Radians; the edge of the earth's shadow is twice as soft, so that the sky has no lines of steps."""


@jit
def _density(height_km):
    """Shares of molecules, aerosol and ozone at a height."""
    return (
        math.exp(-height_km / RAYLEIGH_KM),
        math.exp(-height_km / MIE_KM),
        max(0.0, 1.0 - abs(height_km - 25.0) / 15.0),
    )


@jit
def _depths(radius_km, up, steps, depths):
    """Columns in km of molecules, aerosol and ozone along a ray of sine `up` from `radius_km`, into `depths`."""
    along = radius_km * up
    reach = math.sqrt(max(0.0, along * along + TOP_KM * TOP_KM - radius_km * radius_km)) - along
    depths[:] = 0.0
    for n in range(steps):
        # Quadratic steps: most of the air lies near.
        t = reach * ((n + 0.5) / steps) ** 2
        dt = reach * (2.0 * n + 1.0) / (steps * steps)
        height = math.sqrt(radius_km * radius_km + t * t + 2.0 * radius_km * up * t) - GROUND_KM
        rayleigh, mie, ozone = _density(max(height, 0.0))
        depths[0] += rayleigh * dt
        depths[1] += mie * dt
        depths[2] += ozone * dt


@jit
def fill_transmittance(table):
    """Share of sunlight that arrives, float64 [heights, elevations, 3]; see `_arriving` for its axes."""
    heights, elevations = table.shape[0], table.shape[1]
    depths = np.zeros(3)
    for row in range(heights):
        radius = GROUND_KM + (TOP_KM - GROUND_KM) * (row / (heights - 1.0)) ** 2
        level = -math.sqrt(max(0.0, 1.0 - (GROUND_KM / radius) ** 2))
        for column in range(elevations):
            up = level + (1.0 - level) * (column / (elevations - 1.0)) ** 2
            _depths(radius, up, 64, depths)
            for c in range(3):
                table[row, column, c] = math.exp(
                    -(RAYLEIGH[c] * depths[0] + MIE_EXTINCTION * depths[1] + OZONE[c] * depths[2])
                )


@jit
def _arriving(table, radius_km, up, light):
    """Sunlight at `radius_km` from a sun of sine `up`, per colour into `light`; 0 in the earth's shadow."""
    heights, elevations = table.shape[0], table.shape[1]
    level = -math.sqrt(max(0.0, 1.0 - (GROUND_KM / radius_km) ** 2))
    shown = min(1.0, max(0.0, 0.5 + (up - level) / (4.0 * _SUN_RADIUS)))
    if shown <= 0.0:
        light[:] = 0.0
        return
    shown = shown * shown * (3.0 - 2.0 * shown)
    y = math.sqrt(max(0.0, radius_km - GROUND_KM) / (TOP_KM - GROUND_KM)) * (heights - 1.0)
    x = math.sqrt(max(0.0, up - level) / (1.0 - level)) * (elevations - 1.0)
    j, i = min(int(y), heights - 2), min(int(x), elevations - 2)
    v, u = min(y - j, 1.0), min(x - i, 1.0)
    for c in range(3):
        low = table[j, i, c] + (table[j, i + 1, c] - table[j, i, c]) * u
        high = table[j + 1, i, c] + (table[j + 1, i + 1, c] - table[j + 1, i, c]) * u
        light[c] = shown * (low + (high - low) * v)


@jit
def _many(table, height_km, up, value):
    """Light of higher orders at a height, per unit of sunlight and of scattering, into `value` [3]."""
    heights, suns = table.shape[0], table.shape[1]
    y = math.sqrt(min(1.0, max(0.0, height_km / (TOP_KM - GROUND_KM)))) * (heights - 1.0)
    x = min(1.0, max(0.0, (up + 0.3) / 1.3)) * (suns - 1.0)
    j, i = min(int(y), heights - 2), min(int(x), suns - 2)
    v, u = y - j, x - i
    for c in range(3):
        low = table[j, i, c] + (table[j, i + 1, c] - table[j, i, c]) * u
        high = table[j + 1, i, c] + (table[j + 1, i + 1, c] - table[j + 1, i, c]) * u
        value[c] = low + (high - low) * v


@jit
def fill_many(transmittance, table):
    """Light scattered twice and more, float64 [heights, suns, 3]. Source: Hillaire (2020), equations 5 to 10."""
    heights, suns = table.shape[0], table.shape[1]
    light, second, again, through = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    rounds, tiers, steps = 8, 8, 20
    for row in range(heights):
        radius = GROUND_KM + 0.01 + (TOP_KM - GROUND_KM - 0.02) * (row / (heights - 1.0)) ** 2
        for column in range(suns):
            sun_up = -0.3 + 1.3 * column / (suns - 1.0)
            sun_side = math.sqrt(max(0.0, 1.0 - sun_up * sun_up))
            second[:] = 0.0
            again[:] = 0.0
            for tier in range(tiers):
                up = -1.0 + (2.0 * tier + 1.0) / tiers
                side = math.sqrt(1.0 - up * up)
                along = radius * up
                inner = along * along + GROUND_KM * GROUND_KM - radius * radius
                grounded = up < 0.0 and inner > 0.0
                if grounded:
                    reach = -along - math.sqrt(inner)
                else:
                    reach = math.sqrt(along * along + TOP_KM * TOP_KM - radius * radius) - along
                for turn in range(rounds):
                    toward = up * sun_up + side * sun_side * math.cos(math.pi * (turn + 0.5) / rounds)
                    through[:] = 1.0
                    for n in range(steps + 1):
                        last = n == steps
                        if last and not grounded:
                            break
                        t = reach if last else reach * ((n + 0.5) / steps) ** 2
                        dt = reach * (2.0 * n + 1.0) / (steps * steps)
                        at = math.sqrt(radius * radius + t * t + 2.0 * along * t)
                        there = (radius * sun_up + t * toward) / at
                        _arriving(transmittance, max(at, GROUND_KM), there, light)
                        if last:
                            for c in range(3):
                                second[c] += through[c] * light[c] * max(there, 0.0) * GROUND_ALBEDO / math.pi
                            break
                        rayleigh, mie, ozone = _density(max(at - GROUND_KM, 0.0))
                        for c in range(3):
                            scatter = RAYLEIGH[c] * rayleigh + MIE * mie
                            extinct = RAYLEIGH[c] * rayleigh + MIE_EXTINCTION * mie + OZONE[c] * ozone
                            kept = math.exp(-extinct * dt)
                            share = through[c] * (1.0 - kept) / max(extinct, 1e-12) * scatter
                            second[c] += share * light[c] / (4.0 * math.pi)
                            again[c] += share
                            through[c] *= kept
            # Means over the sphere: an isotropic phase of 1/4π times the solid angle of 4π.
            count = float(rounds * tiers)
            for c in range(3):
                table[row, column, c] = second[c] / count / (1.0 - min(again[c] / count, 0.95))


@jit
def fill_sky(transmittance, many, eye_km, suns, ups, sides, sky, aerosol):
    """Radiance of the clear sky for a sun of irradiance 1 above the air.

    `suns`, `ups` float64: sines of the sun's and the view's elevation; `sides`: cosines of the azimuth between the two.
    `sky` float64 [suns, ups, sides, 3]: molecules with their phase, and all light of higher orders. `aerosol`, the same
    shape: light scattered once by aerosol, still to be multiplied by its phase.
    """
    light, extra, through = np.zeros(3), np.zeros(3), np.zeros(3)
    radius = GROUND_KM + eye_km
    steps = 40
    for a in range(suns.shape[0]):
        sun_up = suns[a]
        sun_side = math.sqrt(max(0.0, 1.0 - sun_up * sun_up))
        for b in range(ups.shape[0]):
            up = ups[b]
            side = math.sqrt(max(0.0, 1.0 - up * up))
            along = radius * up
            reach = math.sqrt(along * along + TOP_KM * TOP_KM - radius * radius) - along
            for d in range(sides.shape[0]):
                toward = up * sun_up + side * sun_side * sides[d]
                phase = 3.0 / (16.0 * math.pi) * (1.0 + toward * toward)
                through[:] = 1.0
                sky[a, b, d] = 0.0
                aerosol[a, b, d] = 0.0
                for n in range(steps):
                    t = reach * ((n + 0.5) / steps) ** 2
                    dt = reach * (2.0 * n + 1.0) / (steps * steps)
                    at = math.sqrt(radius * radius + t * t + 2.0 * along * t)
                    there = (radius * sun_up + t * toward) / at
                    _arriving(transmittance, at, there, light)
                    _many(many, at - GROUND_KM, there, extra)
                    rayleigh, mie, ozone = _density(at - GROUND_KM)
                    for c in range(3):
                        molecules = RAYLEIGH[c] * rayleigh
                        extinct = molecules + MIE_EXTINCTION * mie + OZONE[c] * ozone
                        kept = math.exp(-extinct * dt)
                        share = through[c] * (1.0 - kept) / max(extinct, 1e-12)
                        sky[a, b, d, c] += share * (
                            molecules * phase * light[c] + (molecules + MIE * mie) * extra[c]
                        )
                        aerosol[a, b, d, c] += share * MIE * mie * light[c]
                        through[c] *= kept


@jit
def fill_sunlight(transmittance, eye_km, suns, sunlight):
    """Share of sunlight that reaches the eye by sine of the sun's elevation, into `sunlight` float64 [suns, 3]."""
    for n in range(suns.shape[0]):
        _arriving(transmittance, GROUND_KM + eye_km, suns[n], sunlight[n])


def warm() -> None:
    """Compile every public kernel with the types the game uses."""
    transmittance, many = np.zeros((2, 2, 3)), np.zeros((2, 2, 3))
    fill_transmittance(transmittance)
    fill_many(transmittance, many)
    cube = np.zeros((1, 1, 1, 3))
    fill_sky(transmittance, many, 0.5, np.ones(1), np.ones(1), np.ones(1), cube, cube.copy())
    fill_sunlight(transmittance, 0.5, np.ones(1), np.zeros((1, 3)))
