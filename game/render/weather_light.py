"""Light under rain clouds: the sky of an hour, greyed and dimmed. Pure numbers, no GL; tuned by eye."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from game.render.atmosphere import Atmosphere, Colour
from game.render.scattering import SKY_UPS

CLOUDED_MM_H = 10.0
"""Rain at which clouds cover two thirds of what they can."""

CLOUD_TINT = (0.94, 1.0, 1.07)
"""Colour of light from clouds."""


def overcast_of(rain_mm_h: float) -> float:
    """How far clouds close the sky, 0…1."""
    return 1.0 - math.exp(-max(0.0, rain_mm_h) / CLOUDED_MM_H)


def _toward(colour: Colour, grey: float, share: float, tint: Colour = CLOUD_TINT) -> Colour:
    r, g, b = (c + (grey * t - c) * share for c, t in zip(colour, tint, strict=True))
    return r, g, b


def _times(colour: Colour, k: float) -> Colour:
    return colour[0] * k, colour[1] * k, colour[2] * k


def under_clouds(air: Atmosphere, overcast: float) -> Atmosphere:
    """`air` below clouds: the sun is weak, the sky one grey, light comes from everywhere."""
    if overcast <= 0.0:
        return air
    grey = 0.30 * sum(air.horizon) / 3.0 + 0.12 * sum(air.light_colour) / 3.0 * max(
        air.light_direction[1], 0.05
    )
    # What the sun loses comes from the clouds, from everywhere.
    sun = sum(air.light_colour) / 3.0 * max(air.light_direction[1], 0.0)
    sky = _toward(air.sky_light, sum(air.sky_light) / 3.0 + 0.16 * sun, overcast)
    zenith = _toward(air.zenith, 0.72 * grey, 0.92 * overcast)
    horizon = _toward(air.horizon, 1.05 * grey, 0.92 * overcast)
    share = np.linspace(0.0, 1.0, SKY_UPS)[:, None, None]
    clouded = (1.05 + (0.72 - 1.05) * share) * grey * np.array(CLOUD_TINT)
    sky_table = air.sky.copy()
    sky_table[..., :3] += (clouded - sky_table[..., :3]) * (0.92 * overcast)
    return replace(
        air,
        light_colour=_toward(
            _times(air.light_colour, 1.0 - 0.80 * overcast),
            (1.0 - 0.80 * overcast) * sum(air.light_colour) / 3.0,
            0.7 * overcast,
        ),
        sky_light=sky,
        ground_light=_times(_toward(air.ground_light, sum(air.ground_light) / 3.0, overcast), 0.9),
        zenith=zenith,
        horizon=horizon,
        sky=sky_table,
        glow=_times(air.glow, 1.0 - 0.95 * overcast),
        disc=_times(air.disc, max(0.0, 1.0 - 1.2 * overcast)),
    )
