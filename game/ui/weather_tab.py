"""Rain in the debug window: how hard it falls, whether it runs off, and a way to dry everything.

Draws widgets into the window that is open and answers with commands; owns no window.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from imgui_bundle import imgui

from game.core.commands import RAIN_RANGE_MM_H
from game.ui.sections import Note, Sections

STORM_MM_H, STORM_MIN = 50.0, 10.0
"""What the button "storm" does: rain, and for how long it has fallen already."""


@dataclass(frozen=True, slots=True)
class RainState:
    """What the rain's widgets show."""

    target_mm_h: float = 0.0
    """The rain asked for, and what falls by now."""
    falling_mm_h: float = 0.0
    wetness: float = 0.0
    runoff: bool = True
    outflow_m3_s: float = 0.0
    """What leaves the window around the rider, and what stands in its ponds."""
    pond_m3: float = 0.0
    rained_mm: float = 0.0


def draw_rain(state: RainState, sections: Sections, unit: float, note: Note) -> list[str]:
    """Draw the rain's widgets; return the commands that were asked for."""
    commands: list[str] = []
    if not sections.header("rain and streams", note, aside=f"{state.falling_mm_h:.1f} mm/h"):
        return commands
    flags = imgui.SliderFlags_.logarithmic | imgui.SliderFlags_.always_clamp
    changed, rain = imgui.slider_float("rain", state.target_mm_h, *RAIN_RANGE_MM_H, "%.1f mm/h", flags)
    note("rain", slider=True)
    if changed and math.isfinite(rain):
        commands.append(f"rain {min(RAIN_RANGE_MM_H[1], max(RAIN_RANGE_MM_H[0], rain)):.2f}")
    changed, runs = imgui.checkbox("streams and ponds", state.runoff)
    note("runoff")
    if changed:
        commands.append(f"runoff {'on' if runs else 'off'}")
    third = (float(imgui.get_content_region_avail().x) - 16.0 * unit) / 3.0
    for label, asked in (
        ("storm", [f"rain {STORM_MM_H:g} {STORM_MIN:g}"]),
        ("no rain", ["rain 0"]),
        ("dry all", ["runoff clear"]),
    ):
        if imgui.button(label, imgui.ImVec2(third, 0.0)):
            commands += asked
        note(label)
        if label != "dry all":
            imgui.same_line(0.0, 8.0 * unit)
    imgui.text_disabled(
        f"{state.falling_mm_h:.1f} mm/h falls, {state.rained_mm:.1f} mm so far; ground {state.wetness:.0%} wet"
    )
    imgui.text_disabled(f"{state.outflow_m3_s:.2f} m³/s run off, {state.pond_m3:.0f} m³ stand in ponds")
    return commands
