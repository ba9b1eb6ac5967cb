"""The sea and the seasons in the debug window's tab "Water", in parts that fold away.

Reads a `SeaState`, draws imgui widgets into the window that is open, and answers with commands in the grammar of
`core.commands`. What a widget shows is what the next state says; only how fast the sea shall move is kept here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, timedelta

from imgui_bundle import imgui

from game.core.commands import (
    DAY_RANGE,
    FLOOD_RANGE_M,
    MOISTURE_RANGE,
    SEA_RANGE_M,
    WARMTH_RANGE_C,
    WAVES_RANGE_M,
)
from game.ui.hud import grouped
from game.ui.sections import Note, Sections

SEASONS = (("spring", 125.0), ("summer", 200.0), ("autumn", 292.0), ("winter", 17.0))
FASTEST_SLIDER_M_S = 50.0
HIGHEST_TIDE_M = 20.0
LONGEST_TIDE_S = 3600.0
LONGEST_YEAR_S = 3600.0
_FIRST_DAY = date(2001, 1, 1)


@dataclass(frozen=True, slots=True)
class SeaState:
    """What the widgets show. Metres, seconds, degrees."""

    mean_m: float = 0.0
    """Level without tide, season and rain."""
    now_m: float = 0.0
    target_m: float | None = None
    """Where it moves to; None at rest."""
    waves_m: float = 0.5
    tide_m: float = 0.0
    tide_s: float = 600.0
    day: float = 200.0
    year_s: float = 0.0
    flood_m: float = 0.0
    warmth_c: float = 0.0
    moisture: float = 0.0
    snow_line_m: float = math.inf
    coast_m: float = 0.0
    """Length of the coast around."""


def day_name(day: float) -> str:
    """`day` of the year in words, e.g. 19 July."""
    when = _FIRST_DAY + timedelta(days=int(day) % 365)
    return f"{when.day} {when:%B}"


class SeaTab:
    """The widgets, and the rate that was chosen."""

    def __init__(self) -> None:
        self.rate_m_s = 0.0
        """How fast the sea moves where it is sent; 0 is at once."""

    def draw_sea(self, state: SeaState, sections: Sections, unit: float, note: Note) -> list[str]:
        """Draw the level into the open window; return what was asked for. `unit` is a design unit in pixels."""
        commands: list[str] = []
        if sections.header("sea", note, aside=f"{state.now_m:.1f} m"):
            self._level(state, unit, note, commands)
        return commands

    def draw_season(self, state: SeaState, sections: Sections, unit: float, note: Note) -> list[str]:
        """Draw the day of the year; return what was asked for."""
        commands: list[str] = []
        if sections.header("season", note, aside=day_name(state.day)):
            self._season(state, unit, note, commands)
        return commands

    def draw_more(self, state: SeaState, sections: Sections, note: Note) -> list[str]:
        """Draw what is set seldom: waves and tide, the year and the climate. Folded at first."""
        commands: list[str] = []
        waves = f"{state.waves_m:.1f} m" + (f", tide ± {state.tide_m:.1f} m" if state.tide_m else "")
        if sections.header("waves and tide", note, opened=False, aside=waves):
            self._waves(state, note, commands)
        year = f"{state.year_s:.0f} s a year" if state.year_s else "stands still"
        if sections.header("year and climate", note, opened=False, aside=year):
            self._climate(state, note, commands)
        return commands

    def _level(self, state: SeaState, unit: float, note: Note, commands: list[str]) -> None:
        low, high = SEA_RANGE_M
        shown = state.mean_m if state.target_m is None else state.target_m
        changed, level = imgui.slider_float("level", shown, low, high, "%.1f m")
        note("level", slider=True)
        if changed and math.isfinite(level):
            commands.append(self._sea(level))
        buttons = (
            ("−60", state.mean_m - 60.0),
            ("−10", state.mean_m - 10.0),
            ("0 ", 0.0),
            ("+10", state.mean_m + 10.0),
            ("+60", state.mean_m + 60.0),
        )
        width = (float(imgui.get_content_region_avail().x) - 104.0 * unit - 4 * 6.0 * unit) / len(buttons)
        for label, target in buttons:
            if imgui.button(label, imgui.ImVec2(width, 0.0)):
                commands.append(self._sea(target))
            note(f"sea {label.strip()}")
            if label != "+60":
                imgui.same_line(0.0, 6.0 * unit)
        logarithmic = imgui.SliderFlags_.logarithmic | imgui.SliderFlags_.always_clamp
        words = f"{self.rate_m_s:.2f} m/s" if self.rate_m_s >= 0.01 else "at once"
        _, self.rate_m_s = imgui.slider_float(
            "moves", self.rate_m_s, 0.0, FASTEST_SLIDER_M_S, words, logarithmic
        )
        note("moves", slider=True)
        going = "" if state.target_m is None else f", on its way to {state.target_m:.1f} m"
        imgui.text_disabled(
            f"{state.now_m:.2f} m now{going}; {state.coast_m / 1000.0:.1f} km of coast around"
        )

    def _sea(self, level_m: float) -> str:
        low, high = SEA_RANGE_M
        rate = f" {self.rate_m_s:.3f}" if self.rate_m_s >= 0.01 else ""
        return f"sea {min(high, max(low, level_m)):.2f}{rate}"

    @staticmethod
    def _waves(state: SeaState, note: Note, commands: list[str]) -> None:
        clamp = imgui.SliderFlags_.always_clamp
        changed, waves = imgui.slider_float("waves", state.waves_m, *WAVES_RANGE_M, "%.2f m high", clamp)
        note("waves", slider=True)
        if changed:
            commands.append(f"waves {waves:.3f}")
        high, tide = imgui.slider_float(
            "tide", state.tide_m, 0.0, HIGHEST_TIDE_M, "%.1f m" if state.tide_m else "none", clamp
        )
        note("tide", slider=True)
        longer, period = imgui.slider_float("tide takes", state.tide_s, 10.0, LONGEST_TIDE_S, "%.0f s", clamp)
        note("tide takes", slider=True)
        if high or longer:
            commands.append(f"tide {tide:.3f} {period:.1f}")

    @staticmethod
    def _season(state: SeaState, unit: float, note: Note, commands: list[str]) -> None:
        clamp = imgui.SliderFlags_.always_clamp
        changed, day = imgui.slider_float("day", state.day, *DAY_RANGE, day_name(state.day), clamp)
        note("day", slider=True)
        if changed:
            commands.append(f"season {day:.2f}")
        width = (float(imgui.get_content_region_avail().x) - 104.0 * unit - 3 * 6.0 * unit) / len(SEASONS)
        for label, at in SEASONS:
            if imgui.button(label, imgui.ImVec2(width, 0.0)):
                commands.append(f"season {at:g}")
            note(label)
            if label != SEASONS[-1][0]:
                imgui.same_line(0.0, 6.0 * unit)
        snow = f"from {grouped(round(state.snow_line_m))} m" if state.snow_line_m < 9000.0 else "nowhere"
        imgui.text_disabled(f"snow lies {snow}")

    @staticmethod
    def _climate(state: SeaState, note: Note, commands: list[str]) -> None:
        clamp = imgui.SliderFlags_.always_clamp
        longer, year = imgui.slider_float(
            "year takes",
            state.year_s,
            0.0,
            LONGEST_YEAR_S,
            "%.0f s" if state.year_s else "it stands still",
            clamp,
        )
        note("year takes", slider=True)
        deeper, flood = imgui.slider_float(
            "floods", state.flood_m, FLOOD_RANGE_M[0], FLOOD_RANGE_M[1], "± %.0f m", clamp
        )
        note("floods", slider=True)
        if longer or deeper:
            commands.append(f"year {year:.1f} {flood:.2f}")
        warmer, warmth = imgui.slider_float("warmer", state.warmth_c, *WARMTH_RANGE_C, "%+.1f °C", clamp)
        note("warmer", slider=True)
        moister, moisture = imgui.slider_float("moister", state.moisture, *MOISTURE_RANGE, "%+.2f", clamp)
        note("moister", slider=True)
        if warmer or moister:
            commands.append(f"climate {warmth:.2f} {moisture:.3f}")
