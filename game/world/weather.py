"""Rain over time: it eases to what was asked for, wets the ground, and is remembered so that runoff can be caught up.

Owns the arithmetic of `ecs.components.Weather`'s rain, and `RainHistory`. Times of wetting and drying are chosen for
play: ground is soaked after a minute of heavy rain and dry a quarter of an hour after it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from game.core.commands import RAIN_RANGE_MM_H
from game.ecs.components import Weather
from game.ecs.schedule import System
from game.ecs.world import EntityWorld

EASE_S = 6.0
"""Time in which rain comes two thirds of the way to what was asked for."""

WETS_MM = 0.7
"""Rain that wets dry ground two thirds of the way."""

DRIES_S = 420.0
DRIES_BELOW_MM_H = 8.0
"""In rain as heavy as this the air takes nothing up."""

LEAST_RUNOFF = 0.25
"""Share of the rain that runs off dry ground; from soaked ground it is `MOST_RUNOFF`, the rest soaks in."""

MOST_RUNOFF = 0.9

SEGMENTS = 16


def runoff_share(wetness: float) -> float:
    """Share of the rain that runs off ground of this wetness (0 dry … 1 soaked)."""
    return LEAST_RUNOFF + (MOST_RUNOFF - LEAST_RUNOFF) * min(1.0, max(0.0, wetness))


def rain_rates(rain_mm_h: float, wetness: float) -> tuple[float, float]:
    """Rain that runs off and rain that soaks in, m/s each."""
    rain_m_s = rain_mm_h / 3.6e6
    runs = rain_m_s * runoff_share(wetness)
    return runs, rain_m_s - runs


def step_rain(weather: Weather, dt: float) -> None:
    """Let `dt` seconds pass for rain and wetness."""
    gap = weather.rain_target_mm_h - weather.rain_mm_h
    if gap != 0.0:
        weather.rain_mm_h += gap * (1.0 - math.exp(-dt / EASE_S))
        if abs(weather.rain_target_mm_h - weather.rain_mm_h) < 0.02:
            weather.rain_mm_h = weather.rain_target_mm_h
    weather.wetness = wetness_after(weather.wetness, weather.rain_mm_h, dt)


def wetness_after(wetness: float, rain_mm_h: float, dt: float) -> float:
    """Wetness `dt` seconds later in steady rain: towards soaked by what falls, towards dry by time."""
    if rain_mm_h <= 0.0 and wetness <= 0.0:
        return wetness
    wets = rain_mm_h / 3600.0 / WETS_MM
    dries = max(0.0, 1.0 - rain_mm_h / DRIES_BELOW_MM_H) / DRIES_S
    target = wets / (wets + dries)  # never 0 / 0: without rain there is drying
    wetness = target + (wetness - target) * math.exp(-(wets + dries) * dt)
    return 0.0 if wetness < 1e-4 and rain_mm_h <= 0.0 else wetness


def make_weather_system() -> System:
    """System that steps the rain of every `Weather`."""

    def weather_system(world: EntityWorld, step_s: float) -> None:
        for _, (weather,) in world.each(Weather):
            step_rain(weather, step_s)

    return weather_system


class RainHistory:
    """Rain of the past in a few segments of (seconds, runoff m/s, soaking m/s), finer toward now.

    A window of runoff that is opened in the middle of a storm is brought up to date with it, so what is shown is a
    function of land and weather, not of the way that was ridden.
    """

    def __init__(self) -> None:
        self.segments: list[tuple[float, float, float]] = []

    def add(self, seconds: float, runoff_m_s: float, soak_m_s: float) -> None:
        """Append; equal neighbours and, beyond `SEGMENTS`, old ones are merged."""
        if seconds <= 0.0:
            return
        self.segments.append((seconds, runoff_m_s, soak_m_s))
        if len(self.segments) > SEGMENTS:
            # Where a merged segment is shortest for its age, least is lost.
            age, best, at = 0.0, math.inf, 0
            for k in range(len(self.segments) - 1, 0, -1):
                both = self.segments[k][0] + self.segments[k - 1][0]
                if age > 0.0 and both / (age + 1.0) < best:
                    best, at = both / (age + 1.0), k
                age += self.segments[k][0]
            a, b = self.segments[at - 1], self.segments[at]
            whole = a[0] + b[0]
            merged = (whole, (a[0] * a[1] + b[0] * b[1]) / whole, (a[0] * a[2] + b[0] * b[2]) / whole)
            self.segments[at - 1 : at + 1] = [merged]

    def clear(self) -> None:
        """Forget everything: as if it had never rained."""
        self.segments.clear()

    @property
    def rained_mm(self) -> float:
        """All rain that is remembered."""
        return sum(1000.0 * seconds * (runs + soaks) for seconds, runs, soaks in self.segments)

    def copy(self) -> tuple[tuple[float, float, float], ...]:
        """The segments, oldest first, for a worker."""
        return tuple(self.segments)


@dataclass(frozen=True, slots=True)
class SavedRain:
    """Rain of a saved world: what was asked for (mm/h), wetness 0…1, and the past as `RainHistory` keeps it."""

    mm_h: float
    wetness: float
    past: tuple[tuple[float, float, float], ...] = ()

    def to_json(self) -> dict[str, object]:
        """Plain data; rates in mm/h."""
        past = [[round(s, 3), round(a * 3.6e6, 6), round(b * 3.6e6, 6)] for s, a, b in self.past]
        return {"mm_h": self.mm_h, "wetness": self.wetness, "past": past}

    @classmethod
    def from_json(cls, data: object) -> SavedRain:
        """Back from plain data. Raises `ValueError` naming the value and what is accepted."""
        if not isinstance(data, dict):
            raise ValueError(f"rain = {data!r:.60} is not usable (accepted: an object)")
        mm_h = _within("rain mm_h", data.get("mm_h", 0.0), RAIN_RANGE_MM_H[1])
        wetness = _within("rain wetness", data.get("wetness", 0.0), 1.0)
        past = data.get("past", [])
        if not isinstance(past, list) or len(past) > SEGMENTS:
            raise ValueError(f"rain past = {past!r:.60} is not usable (accepted: up to {SEGMENTS} lists)")
        rows = []
        for row in past:
            if not isinstance(row, list) or len(row) != 3:
                raise ValueError(f"rain past {row!r:.60} is not usable (accepted: seconds, mm/h, mm/h)")
            seconds = _within("rain past seconds", row[0], 1e7)
            runs, soaks = (_within("rain past mm/h", value, RAIN_RANGE_MM_H[1]) for value in row[1:])
            rows.append((seconds, runs / 3.6e6, soaks / 3.6e6))
        return cls(mm_h, wetness, tuple(rows))


def _within(name: str, value: object, high: float) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0.0 <= value <= high:  # type: ignore[operator]
        raise ValueError(f"{name} = {value!r:.60} is not usable (accepted: 0 to {high:g})")
    return float(value)  # type: ignore[arg-type]
