"""The clear sky as tables, worked out once: radiance by direction for every height of the sun, and what is left of
sunlight. Pure numbers, no GL; the physics stands in `kernels.scattering`.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from game.kernels import scattering

SKY_UPS, SKY_SIDES = 32, 16
"""Rows and columns of a sky: √sin(elevation) from 0 to 1, and cosine of the azimuth from the sun's from −1 to 1."""

EYE_KM = 0.5
"""Height the sky is seen from."""

SUN_WHITE = 3.4
"""White paper that faces the sun above the air, in units of radiance: what scene-referred 1 is chosen by."""

_SUNS = 52
_LOWEST = -0.7

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ClearSky:
    """The sky for one height of the sun."""

    sky: Array
    """[SKY_UPS, SKY_SIDES, 3] radiance without what aerosol scatters once."""
    aerosol: Array
    """[SKY_UPS, SKY_SIDES, 3] that, to be multiplied by `aerosol_phase`."""
    sunlight: Array
    """[3] radiance of white paper that faces the sun."""
    diffuse: Array
    """[3] radiance of white paper that lies under the sky without the sun."""


@dataclass(frozen=True, slots=True)
class ClearAir:
    """`at` reads the sky of a sun height between two of those tabulated."""

    skies: Array
    aerosols: Array
    sunlights: Array
    diffuses: Array

    def at(self, sun_up: float) -> ClearSky:
        """The sky of a sun whose elevation has the sine `sun_up`."""
        place = math.copysign(math.sqrt(abs(sun_up)), sun_up)
        x = min(max((place - _LOWEST) / (1.0 - _LOWEST) * (_SUNS - 1), 0.0), _SUNS - 1.0)
        i = min(int(x), _SUNS - 2)
        t = x - i

        def between(table: Array) -> Array:
            mixed: Array = table[i] + (table[i + 1] - table[i]) * t
            return mixed

        return ClearSky(
            between(self.skies), between(self.aerosols), between(self.sunlights), between(self.diffuses)
        )


def sky_ups() -> Array:
    """Sines of the elevations of a sky's rows, float64 [SKY_UPS]."""
    ups: Array = np.linspace(0.0, 1.0, SKY_UPS) ** 2
    return ups


def aerosol_phase(toward: Array) -> Array:
    """Share of light scattered by aerosol per steradian, by the cosine of the angle it is turned.

    Source: Henyey and Greenstein (1941).
    """
    g = scattering.MIE_ASYMMETRY
    phase: Array = (1.0 - g * g) / (4.0 * np.pi * (1.0 + g * g - 2.0 * g * toward) ** 1.5)
    return phase


@functools.cache
def clear_air() -> ClearAir:
    """The tables, made at the first call in a tenth of a second; nothing in them ever changes."""
    transmittance = np.zeros((24, 96, 3))
    scattering.fill_transmittance(transmittance)
    many = np.zeros((12, 28, 3))
    scattering.fill_many(transmittance, many)
    places = np.linspace(_LOWEST, 1.0, _SUNS)
    suns, ups = np.sign(places) * places**2, sky_ups()
    sides = np.linspace(-1.0, 1.0, SKY_SIDES)
    skies = np.zeros((_SUNS, SKY_UPS, SKY_SIDES, 3))
    aerosols = np.zeros_like(skies)
    scattering.fill_sky(transmittance, many, EYE_KM, suns, ups, sides, skies, aerosols)
    sunlights = np.zeros((_SUNS, 3))
    scattering.fill_sunlight(transmittance, EYE_KM, suns, sunlights)
    irradiance = math.pi * SUN_WHITE
    skies, aerosols = skies * irradiance, aerosols * irradiance
    # Cosine-weighted mean over the hemisphere; azimuths are even in the angle, not in its cosine.
    round_ = np.cos(np.pi * (np.arange(24) + 0.5) / 24)
    column = (round_ + 1.0) * 0.5 * (SKY_SIDES - 1)
    low = np.minimum(column.astype(int), SKY_SIDES - 2)
    share = (column - low)[:, None]
    across = np.sqrt(1.0 - suns**2)[:, None, None] * np.sqrt(1.0 - ups**2)[:, None] * round_
    phase = aerosol_phase(suns[:, None, None] * ups[:, None] + across)[..., None]

    def turned(table: Array) -> Array:
        spread: Array = table[:, :, low] * (1.0 - share) + table[:, :, low + 1] * share
        return spread

    radiance = (turned(skies) + turned(aerosols) * phase).mean(axis=2)
    weighted = radiance * ups[:, None]
    diffuses = 2.0 * ((weighted[:, 1:] + weighted[:, :-1]) * 0.5 * np.diff(ups)[:, None]).sum(axis=1)
    return ClearAir(skies, aerosols, SUN_WHITE * sunlights, diffuses)
