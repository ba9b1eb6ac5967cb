"""Sun, moon and the colours of sky, light and haze for an hour of the day. Pure numbers, no GL.

All colours are linear, scene-referred RGB in which white paper under the noon sun is near 1.
By day and in twilight they come from one physical model (`render.scattering`); how far the eye adapts to less light,
and what moon and airglow give, is tuned by eye.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from game.render.scattering import SKY_SIDES, SKY_UPS, clear_air, sky_ups

LATITUDE_RAD = math.radians(47.0)
DECLINATION_RAD = math.radians(7.0)
"""Sun's declination: early April. Noon sun stands at 50°, low enough to give relief."""

Colour = tuple[float, float, float]

_NIGHT = ((0.0022, 0.0042, 0.0115), (0.0075, 0.0115, 0.022))
"""Zenith and horizon of a moonlit sky."""

_MOON_RISES = (-0.14, -0.24)
"""Sine of the sun's elevation from which the moon lights the land, and where it does in full."""

_SEEN = np.array([0.2126, 0.7152, 0.0722])
_SHADE_ADAPTED = 0.45
"""How far the eye takes the blue out of shade, whose light is the sky's alone (0 none … 1 all). By eye."""

_ADAPTED = 0.45
"""Power of the ratio of light by which the eye makes up for less of it."""
_NOON_SEEN = 1.35
_LEAST_SEEN = 2e-3
_ROD_TINT = np.array([0.72, 0.98, 1.65])


@dataclass(frozen=True, slots=True)
class Atmosphere:
    """Directions are unit vectors (x east, y up, z south) toward the body."""

    sun_direction: Colour
    light_direction: Colour
    """Toward what lights the land: the sun, or the moon at night."""
    light_colour: Colour
    sky_light: Colour
    """Diffuse light from above, as radiance on a horizontal white surface divided by π."""
    ground_light: Colour
    """Diffuse light from below."""
    zenith: Colour
    horizon: Colour
    """Of the sky across from the sun's azimuth, where aerosol adds least."""
    glow: Colour
    """Light that aerosol scatters, of which `sky` says how much: without its phase."""
    disc: Colour
    day: float
    """1 by day, 0 at night."""
    high_sun: float
    """1 while the sun stands well above the horizon, 0 when it touches it."""
    sky: NDArray[np.float32]
    """[SKY_UPS, SKY_SIDES, 4] radiance of the sky (see `render.scattering`); alpha: how much of `glow` to add."""


def _times(a: Colour, k: float) -> Colour:
    return (a[0] * k, a[1] * k, a[2] * k)


def _plus(a: Colour, b: Colour) -> Colour:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def _colour(values: NDArray[np.float64]) -> Colour:
    r, g, b = values.tolist()
    return r, g, b


def smoothstep(low: float, high: float, value: float) -> float:
    """Hermite step, 0 at `low`, 1 at `high`; `low` may be the larger."""
    t = min(1.0, max(0.0, (value - low) / (high - low)))
    return t * t * (3.0 - 2.0 * t)


def sun_direction(hour: float) -> Colour:
    """Unit vector toward the sun at local solar time `hour` (0…24, any number wraps)."""
    angle = math.radians((hour - 12.0) * 15.0)
    up = math.sin(LATITUDE_RAD) * math.sin(DECLINATION_RAD) + math.cos(LATITUDE_RAD) * math.cos(
        DECLINATION_RAD
    ) * math.cos(angle)
    east = -math.cos(DECLINATION_RAD) * math.sin(angle)
    south = math.cos(DECLINATION_RAD) * math.cos(angle) * math.sin(LATITUDE_RAD) - math.sin(
        DECLINATION_RAD
    ) * math.cos(LATITUDE_RAD)
    length = math.sqrt(east * east + up * up + south * south)
    return (east / length, up / length, south / length)


def _light_direction(sun: Colour) -> Colour:
    height = sun[1]
    if height < _MOON_RISES[0]:
        raised = max(0.45, -height)
        length = math.sqrt(sun[0] ** 2 + sun[2] ** 2 + raised * raised)
        return (-sun[0] / length, raised / length, -sun[2] / length)
    # A sun below the horizon would light the undersides of hills while it fades. After it the bright sky above
    # where it set is what gives the land its form, so the light climbs a little and goes on from there.
    lifted = max(height, 0.02) + 0.22 * smoothstep(0.06, -0.05, height)
    length = math.sqrt(sun[0] ** 2 + sun[2] ** 2 + lifted * lifted)
    return (sun[0] / length, lifted / length, sun[2] / length)


def light_direction(hour: float) -> Colour:
    """Unit vector toward what lights the land at `hour`, sun or moon: `Atmosphere.light_direction`."""
    return _light_direction(sun_direction(hour))


def atmosphere(hour: float) -> Atmosphere:
    """The sky of `hour` (local solar time, 0…24; any finite number wraps).

    Raises `ValueError` when `hour` is not finite.
    """
    if not math.isfinite(hour):
        raise ValueError(f"hour = {hour!r} is not accepted; give 0 to 24")
    sun = sun_direction(hour)
    height = sun[1]
    clear = clear_air().at(height)
    day = smoothstep(0.02, 0.34, height)
    night = smoothstep(0.02, -0.20, height)
    seen = float((0.35 * clear.sunlight + clear.diffuse) @ _SEEN)
    gain = (_NOON_SEEN / max(seen, _LEAST_SEEN)) ** _ADAPTED
    # In dim light the eye tells colours less apart and sees blue rather than red (Purkinje).
    dim = 0.4 * smoothstep(0.0, 0.7, night)

    def seen_as(light: NDArray[np.float64]) -> NDArray[np.float64]:
        adapted: NDArray[np.float64] = gain * (light + dim * ((light @ _SEEN)[..., None] * _ROD_TINT - light))
        return adapted

    airglow = night * (np.array(_NIGHT[1]) + np.subtract(*_NIGHT) * sky_ups()[:, None] ** 0.5)
    sky = np.empty((SKY_UPS, SKY_SIDES, 4), np.float32)
    sky[..., :3] = seen_as(clear.sky) + airglow[:, None, :]
    # One colour for all that aerosol scatters: that of the sky around the sun, or of where it went down.
    row = round(math.sqrt(min(1.0, max(height, 0.04))) * (SKY_UPS - 1))
    glow = seen_as(clear.aerosol[row, -1])
    sky[..., 3] = (seen_as(clear.aerosol) @ _SEEN) / max(float(glow @ _SEEN), 1e-6)
    # The eye adapts to the land's shade more than to its lit side: adapted light is neither blinding nor black.
    sunlight = _colour(gain**0.4 * clear.sunlight)
    evening = smoothstep(0.30, 0.0, height) * smoothstep(-0.22, -0.02, height)
    light_toward = _light_direction(sun)
    moon_reach = smoothstep(*_MOON_RISES, height)
    if moon_reach > 0.0:
        light = _times((0.055, 0.075, 0.120), moon_reach)
    else:
        twilight = smoothstep(-0.14, 0.0, height) * smoothstep(0.16, 0.0, height)
        afterglow = _colour(sky[SKY_UPS // 5 : SKY_UPS // 2, -1, :3].mean(axis=0).astype(np.float64))
        pale = sum(afterglow) / 3.0
        r, g, b = (0.6 * part + 0.4 * pale for part in afterglow)
        light = _plus(sunlight, _times((r, g, b), 1.8 * twilight))
    shade = seen_as(clear.diffuse)
    shade += _SHADE_ADAPTED * (shade @ _SEEN - shade)
    sky_light = _colour(
        (2.2 + 0.9 * evening) * shade + night * (0.38 * np.array(_NIGHT[0]) + 0.62 * np.array(_NIGHT[1]))
    )
    bounce = _times(light, 0.055 * max(light_toward[1], 0.0))
    ground_light = _plus(_times(sky_light, 0.32), (bounce[0] * 1.0, bounce[1] * 0.95, bounce[2] * 0.7))
    return Atmosphere(
        sun_direction=sun,
        light_direction=light_toward,
        light_colour=light,
        sky_light=sky_light,
        ground_light=ground_light,
        zenith=_colour(sky[-1, 0, :3].astype(np.float64)),
        horizon=_colour(sky[3, SKY_SIDES // 2, :3].astype(np.float64)),
        glow=_colour(glow),
        disc=_times(sunlight, 12.0),
        day=1.0 - night,
        high_sun=day,
        sky=sky,
    )
