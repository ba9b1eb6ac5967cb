"""What the season does: temperature, humidity, leaves and the level of the waters over the year. Pure functions.

The land's own climate (`world.source`) is that of midsummer; a season shifts it. The curves are shaped for looks after
the European Alps (warmest in mid July, waters highest in the melt of May, lowest at the end of October); none was
fitted to measurements.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from game.core.commands import (
    DAY_RANGE,
    FLOOD_RANGE_M,
    MOISTURE_RANGE,
    TIDE_RANGE_M,
    TIDE_RANGE_S,
    WARMTH_RANGE_C,
    WAVES_RANGE_M,
    YEAR_RANGE_S,
)
from game.core.coords import WORLD_LIMIT_M

YEAR_DAYS = 365.0
"""Length of the year; day 0 is the first of January, and any number wraps."""

MIDSUMMER_DAY = 200.0
"""Warmest day: the land's own climate."""

WINTER_DROP_C = 15.0
"""How much colder midwinter is than midsummer."""

LAPSE_C_M = 0.0065
"""Cooling with height of the standard atmosphere. Source: ISO 2533:1975, troposphere."""


@dataclass(frozen=True, slots=True)
class SeasonLook:
    """What the season and the player's climate change about the land."""

    warmer_c: float = 0.0
    """Added to the land's temperature, °C."""
    moister: float = 0.0
    """Added to the land's humidity, of 1."""
    autumn: float = 0.0
    """How far leaves have turned, 0…1."""
    bare: float = 0.0
    """Share of leaves that have fallen, 0…1."""
    spring: float = 0.0
    """How fresh the green is, 0…1."""
    warmth_c: float = 0.0
    """The part of `warmer_c` that is not the season's: what deserts and forests go by."""
    moisture: float = 0.0
    """The part of `moister` that is not the season's: what forests go by."""


def _bump(day: float, first: float, full: float, last: float, over: float) -> float:
    """0 before `first`, 1 from `full` to `last`, 0 from `over` on; days counted from `first`, wrapping."""
    t = (day - first) % YEAR_DAYS
    up, flat, down = full - first, last - first, over - first
    if t >= down:
        return 0.0
    share = t / up if t < up else 1.0 if t < flat else (down - t) / (down - flat)
    return share * share * (3.0 - 2.0 * share)


def season_look(day: float, warmth_c: float = 0.0, moisture: float = 0.0) -> SeasonLook:
    """The land on `day` in a world that is `warmth_c` warmer and `moisture` (of 1) moister than its recipe says."""
    angle = 2.0 * math.pi * (day - MIDSUMMER_DAY) / YEAR_DAYS
    return SeasonLook(
        warmer_c=0.5 * WINTER_DROP_C * (math.cos(angle) - 1.0) + warmth_c,
        moister=0.10 * flood_share(day) - 0.10 * flood_share(MIDSUMMER_DAY) + moisture,
        autumn=_bump(day, 248.0, 288.0, 318.0, 335.0),
        bare=_bump(day, 300.0, 330.0, 445.0, 485.0),
        spring=_bump(day, 85.0, 120.0, 145.0, 185.0),
        warmth_c=warmth_c,
        moisture=moisture,
    )


def flood_share(day: float) -> float:
    """Level of the waters over the year, −1…1 of the amplitude: +1 in the melt of May, −1 at the end of October."""
    return math.sin(2.0 * math.pi * (day - 30.0) / YEAR_DAYS)


def snow_line_m(temperature_c: float, height_m: float) -> float:
    """Height from which snow lies, metres, where it is `temperature_c` at `height_m`: half cover, as it is drawn."""
    return height_m + (temperature_c - SNOW_C) / LAPSE_C_M


SNOW_C = -2.1
"""Mean of the temperatures between which the land turns white (`shaders/include/ground.glsl`)."""


class SnowLine:
    """The snow line of a world, from its climate on a lattice, bilinear between. Main thread only."""

    def __init__(
        self,
        climate_at: Callable[[float, float], tuple[float, ...]],
        height_at: Callable[[float, float], float],
    ) -> None:
        """`climate_at(x, z)` begins with the temperature at the ground, °C; `height_at(x, z)` is in metres."""
        self._climate_at = climate_at
        self._height_at = height_at
        self._known: dict[tuple[int, int], float] = {}

    def at(self, x: float, z: float, warmer_c: float = 0.0) -> float:
        """Metres at world (x, z) when it is `warmer_c` warmer than in midsummer."""
        i, k = math.floor(x / _LATTICE_M), math.floor(z / _LATTICE_M)
        u, v = x / _LATTICE_M - i, z / _LATTICE_M - k
        north = self._node(i, k) * (1.0 - u) + self._node(i + 1, k) * u
        south = self._node(i, k + 1) * (1.0 - u) + self._node(i + 1, k + 1) * u
        return north * (1.0 - v) + south * v + warmer_c / LAPSE_C_M

    def _node(self, i: int, k: int) -> float:
        known = self._known.get((i, k))
        if known is None:
            limit = WORLD_LIMIT_M
            x, z = (min(limit, max(-limit, n * _LATTICE_M)) for n in (i, k))
            known = snow_line_m(float(self._climate_at(x, z)[0]), self._height_at(x, z))
            if len(self._known) >= _MOST_NODES:
                self._known.clear()
            self._known[i, k] = known
        return known


_LATTICE_M = 2048.0
_MOST_NODES = 1024


@dataclass(slots=True)
class ClimateSettings:
    """What is saved of season, climate, tide and waves: keys as in the file."""

    day: float = MIDSUMMER_DAY
    year_s: float = 0.0
    flood_m: float = 0.0
    warmth_c: float = 0.0
    moisture: float = 0.0
    tide_m: float = 0.0
    tide_s: float = 600.0
    waves_m: float = 0.5


RANGES: dict[str, tuple[float, float]] = {
    "day": DAY_RANGE,
    "year_s": YEAR_RANGE_S,
    "flood_m": FLOOD_RANGE_M,
    "warmth_c": WARMTH_RANGE_C,
    "moisture": MOISTURE_RANGE,
    "tide_m": TIDE_RANGE_M,
    "tide_s": TIDE_RANGE_S,
    "waves_m": WAVES_RANGE_M,
}


def settings_to_json(settings: ClimateSettings) -> dict[str, float]:
    """Plain data. Raises `ValueError` naming a number that is not finite or out of range."""
    data = asdict(settings)
    for key, value in data.items():
        low, high = RANGES[key]
        if not (math.isfinite(value) and low <= value <= high):
            raise ValueError(f"climate {key} = {value!r} is not saved; accepted are {low:g} to {high:g}")
    return data


def settings_from_json(data: object, messages: list[str]) -> ClimateSettings:
    """Settings from plain data; what is not usable becomes its default, with a message that names it."""
    settings = ClimateSettings()
    if data is None:
        return settings
    if not isinstance(data, dict):
        messages.append("climate is not usable (accepted: an object); the defaults are used")
        return settings
    for key, (low, high) in RANGES.items():
        value: Any = data.get(key)
        if value is None:
            continue
        usable = isinstance(value, int | float) and not isinstance(value, bool)
        if usable and low <= value <= high:
            setattr(settings, key, float(value))
        else:
            shown = repr(value)[:60]
            messages.append(
                f"climate {key} = {shown} is not usable (accepted: {low:g} to {high:g}); the default is used"
            )
    return settings
