"""The level of the sea and the day of the year from step to step: the one system that moves them.

The level is a mean, which commands set or move at a rate, and an offset of tide, season and rain. Anyone may set
`Weather.sea_level_m`: the system takes the mean from it, so nothing else has to know of offsets.
"""

from __future__ import annotations

import math

from game.core.commands import SEA_RANGE_M
from game.ecs.components import Sea, Season, Weather
from game.ecs.schedule import System
from game.ecs.world import EntityWorld
from game.world.seasons import YEAR_DAYS, flood_share

RAIN_RISE_M_S = 0.02
"""How fast a cloudburst raises the waters, metres a second of play; chosen so that minutes of it show."""

CLOUDBURST_MM_H = 50.0
"""Rain that raises the waters as fast as any."""

RAIN_DRAIN_S = 240.0
"""Time in which what rain added runs off to a part of 1/e."""


def offset_m(sea: Sea, season: Season) -> float:
    """What tide, season and rain add to the mean level, metres."""
    offset = season.flood_m * flood_share(season.day) + sea.rain_rise_m
    if sea.tide_m:
        offset += sea.tide_m * math.sin(2.0 * math.pi * sea.tide_phase)
    return offset


def mean_level_m(weather: Weather, sea: Sea) -> float:
    """The level without tide, season and rain, metres."""
    return weather.sea_level_m - sea.offset_m


def set_level(weather: Weather, sea: Sea, level_m: float, rate_m_s: float | None = None) -> None:
    """Set the mean level at once, or let it go to `level_m` at a rate."""
    if rate_m_s is not None:
        sea.target_m, sea.rate_m_s = level_m, rate_m_s
        return
    sea.target_m = None
    weather.sea_level_m = _within(level_m + sea.offset_m)
    sea.before_m = weather.sea_level_m


def advance(weather: Weather, sea: Sea, season: Season, step_s: float) -> None:
    """One step of `step_s` seconds."""
    mean = weather.sea_level_m - sea.offset_m
    sea.before_m = weather.sea_level_m
    if sea.target_m is not None:
        way = sea.rate_m_s * step_s
        if abs(sea.target_m - mean) <= way:
            mean, sea.target_m = sea.target_m, None
        else:
            mean += math.copysign(way, sea.target_m - mean)
    if season.year_s > 0.0:
        season.day = (season.day + step_s * YEAR_DAYS / season.year_s) % YEAR_DAYS
    if sea.tide_m:
        sea.tide_phase = (sea.tide_phase + step_s / sea.tide_s) % 1.0
    rain = _rain(weather)
    if rain > 0.0 or sea.rain_rise_m > 0.0:
        sea.rain_rise_m += (
            rain * RAIN_RISE_M_S * season.rain_floods - sea.rain_rise_m / RAIN_DRAIN_S
        ) * step_s
        if sea.rain_rise_m < 1e-4 and rain == 0.0:
            sea.rain_rise_m = 0.0
    wished = offset_m(sea, season)
    if wished != sea.offset_m or mean + sea.offset_m != weather.sea_level_m:
        # Near the ends of the range the offset gives way, not the mean: it comes back when there is room.
        weather.sea_level_m = _within(mean + wished)
        sea.offset_m = weather.sea_level_m - mean


def make_sea_system() -> System:
    """System that moves sea and season of every entity with `Weather`, `Sea` and `Season`."""

    def sea_system(world: EntityWorld, step_s: float) -> None:
        for _, (weather, sea, season) in world.each(Weather, Sea, Season):
            advance(weather, sea, season, step_s)

    return sea_system


def shown_level_m(weather: Weather, sea: Sea, alpha: float) -> float:
    """The level `alpha` of a step after the last but one, metres: smooth at any frame rate."""
    return sea.before_m + (weather.sea_level_m - sea.before_m) * alpha


def _rain(weather: Weather) -> float:
    """How hard it rains, 1 in a cloudburst; 0 while the weather knows no rain."""
    return min(1.0, max(0.0, float(getattr(weather, "rain_mm_h", 0.0)) / CLOUDBURST_MM_H))


def _within(level_m: float) -> float:
    low, high = SEA_RANGE_M
    # A level beyond the commands' range can only come from a file; it is left as it is.
    return min(max(level_m, low), high) if low - 500.0 <= level_m <= high + 500.0 else level_m
