"""The part of the debug window that lets time pass: where, how long, how steep land may stand, how fast.

Reads an `ErosionState`, draws imgui widgets, and answers with commands in the grammar of `core.commands`.
"""

from __future__ import annotations

from dataclasses import dataclass

from imgui_bundle import imgui

from game.core.commands import EROSION_RADIUS_M, EROSION_SECONDS, RATE_PER_S, SLOPE_THRESHOLD
from game.ui.sections import Note, Sections
from game.ui.theme import ACCENT, vec4
from game.world.erosion import ErosionSettings

LONGEST_S = 300.0
"""Right end of the slider; the command takes more."""


@dataclass(slots=True)
class ErosionState:
    """What the part shows."""

    x: float = 0.0
    z: float = 0.0
    """Where "here" is, metres."""
    progress: float | None = None
    """Share done of the erosion under way, None while there is none."""
    radius_m: float = 0.0
    seconds: float = 0.0
    """Of the erosion under way."""


class ErosionTab:
    """The widgets and what was set with them."""

    def __init__(self) -> None:
        defaults = ErosionSettings()
        self.radius_m = 150.0
        self.seconds = 30.0
        self.slope_threshold = defaults.slope_threshold
        self.rate_per_s = defaults.rate_per_s

    def draw(self, state: ErosionState, sections: Sections, unit: float, note: Note) -> list[str]:
        """Draw into the open window; return what was asked for. `note(label, slider)` hears where each widget is.

        `unit` is a design unit in pixels.
        """
        running = "" if state.progress is None else f"{state.progress:.0%}"
        if not sections.header("time and erosion", note, opened=False, aside=running):
            return []
        if state.progress is not None:
            return self._running(state, unit, note)
        logarithmic = imgui.SliderFlags_.logarithmic | imgui.SliderFlags_.always_clamp
        clamp = imgui.SliderFlags_.always_clamp
        self.radius_m = self._slider("reach", self.radius_m, *EROSION_RADIUS_M, "%.0f m", logarithmic, note)
        longest = min(LONGEST_S, EROSION_SECONDS[1])
        self.seconds = self._slider("time", self.seconds, 1.0, longest, "%.0f s", logarithmic, note)
        self.slope_threshold = self._slider(
            "slope", self.slope_threshold, *SLOPE_THRESHOLD, "%.2f stays", clamp, note
        )
        self.rate_per_s = self._slider("rate", self.rate_per_s, *RATE_PER_S, "%.3f /s", clamp, note)
        clicked = imgui.button("let time pass here", imgui.ImVec2(-1.0, 0.0))
        note("let time pass here")
        if not clicked:
            return []
        return [
            f"erode {state.x:.1f},{state.z:.1f} {self.radius_m:.1f} {self.seconds:.1f} "
            f"{self.slope_threshold:.3f} {self.rate_per_s:.4f}"
        ]

    @staticmethod
    def _slider(
        label: str, value: float, low: float, high: float, shown: str, flags: int, note: Note
    ) -> float:
        _, value = imgui.slider_float(label, value, low, high, shown, flags)
        note(label, slider=True)
        return min(high, max(low, value))

    @staticmethod
    def _running(state: ErosionState, unit: float, note: Note) -> list[str]:
        share = state.progress or 0.0
        text = f"{share * state.seconds:.0f} of {state.seconds:.0f} s over {2.0 * state.radius_m:.0f} m"
        imgui.push_style_color(imgui.Col_.plot_histogram, vec4(ACCENT, 0.75))
        imgui.progress_bar(share, imgui.ImVec2(-96.0 * unit, 0.0), text)
        imgui.pop_style_color()
        note("erosion progress")
        imgui.same_line(0.0, 8.0 * unit)
        clicked = imgui.button("cancel", imgui.ImVec2(-1.0, 0.0))
        note("cancel erosion")
        return ["erode cancel"] if clicked else []
