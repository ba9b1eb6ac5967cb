"""Sun, moon and the colours of sky, light and haze for an hour of the day. Pure numbers, no GL.

All colours are linear, scene-referred RGB in which white paper under the noon sun is near 1.
The model is hand-tuned, not measured: a sun attenuated by air mass (Kasten and Young 1989 for the air mass),
and three sky states (day, low sun, night) mixed by the sun's elevation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

LATITUDE_RAD = math.radians(47.0)
DECLINATION_RAD = math.radians(7.0)
"""Sun's declination: early April. Noon sun stands at 50°, low enough to give relief."""

Colour = tuple[float, float, float]

_DAY = ((0.085, 0.22, 0.56), (0.46, 0.62, 0.84))
_LOW = ((0.085, 0.13, 0.29), (0.44, 0.37, 0.39))
_NIGHT = ((0.0022, 0.0042, 0.0115), (0.0075, 0.0115, 0.022))


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
    glow: Colour
    """Forward-scattered light around the sun."""
    disc: Colour
    day: float
    """1 by day, 0 at night."""
    high_sun: float
    """1 while the sun stands well above the horizon, 0 when it touches it."""


def _mix(a: Colour, b: Colour, t: float) -> Colour:
    return (a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t)


def _times(a: Colour, k: float) -> Colour:
    return (a[0] * k, a[1] * k, a[2] * k)


def _plus(a: Colour, b: Colour) -> Colour:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


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


def atmosphere(hour: float) -> Atmosphere:
    """The sky of `hour` (local solar time, 0…24; any finite number wraps).

    Raises `ValueError` when `hour` is not finite.
    """
    if not math.isfinite(hour):
        raise ValueError(f"hour = {hour!r} is not accepted; give 0 to 24")
    sun = sun_direction(hour)
    height = sun[1]
    degrees = math.degrees(math.asin(max(-1.0, min(1.0, height))))
    air_mass = 1.0 / (max(height, 0.0) + 0.15 * (max(degrees, 0.0) + 3.885) ** -1.253)
    reach = smoothstep(-0.03, 0.10, height)
    sunlight = (
        3.3 * math.exp(-0.045 * air_mass) * reach,
        3.3 * math.exp(-0.092 * air_mass) * reach,
        3.3 * math.exp(-0.185 * air_mass) * reach,
    )
    day = smoothstep(0.02, 0.34, height)
    night = smoothstep(0.02, -0.20, height)
    zenith = _mix(_mix(_LOW[0], _DAY[0], day), _NIGHT[0], night)
    horizon = _mix(_mix(_LOW[1], _DAY[1], day), _NIGHT[1], night)
    moon_reach = smoothstep(-0.14, -0.24, height)
    if moon_reach > 0.0:
        raised = max(0.45, -height)
        length = math.sqrt(sun[0] ** 2 + sun[2] ** 2 + raised * raised)
        light_direction = (-sun[0] / length, raised / length, -sun[2] / length)
        light = _times((0.055, 0.075, 0.120), moon_reach)
    else:
        # A sun below the horizon would light the undersides of hills while it fades. After it the bright sky above
        # where it set is what gives the land its form, so the light climbs a little and goes on from there.
        twilight = smoothstep(-0.14, 0.0, height) * smoothstep(0.16, 0.0, height)
        lifted = max(height, 0.02) + 0.22 * smoothstep(0.06, -0.05, height)
        length = math.sqrt(sun[0] ** 2 + sun[2] ** 2 + lifted * lifted)
        light_direction = (sun[0] / length, lifted / length, sun[2] / length)
        light = _plus(sunlight, _times((0.80, 0.47, 0.30), twilight))
    # The eye adapts to the land more than to the sky: in the evening the land gets more than its share.
    evening = smoothstep(0.30, 0.0, height) * smoothstep(-0.22, -0.02, height)
    sky_light = _times(_mix(zenith, horizon, 0.62), 1.05 + 0.65 * evening)
    bounce = _times(light, 0.055 * max(light_direction[1], 0.0))
    ground_light = _plus(_times(sky_light, 0.32), (bounce[0] * 1.0, bounce[1] * 0.95, bounce[2] * 0.7))
    glow = _times((sunlight[0], sunlight[1] * 0.92, sunlight[2] * 0.75), 0.11 + 0.12 * (1.0 - day))
    glow = _plus(glow, _times((0.55, 0.22, 0.07), smoothstep(-0.22, -0.02, height) * (1.0 - day) * 0.85))
    return Atmosphere(
        sun_direction=sun,
        light_direction=light_direction,
        light_colour=light,
        sky_light=sky_light,
        ground_light=ground_light,
        zenith=zenith,
        horizon=horizon,
        glow=glow,
        disc=_times(sunlight, 12.0),
        day=1.0 - night,
        high_sun=day,
    )
