"""Parts of a tab under headers that fold away, each remembered for as long as the menu lives."""

from __future__ import annotations

from collections.abc import Callable

from imgui_bundle import imgui

from game.ui.theme import ACCENT, vec4

Note = Callable[..., None]
"""Remembers where the last widget is: `note(label, slider=False)`."""


class Sections:
    """Which headers are open. Survives other tabs, a closed window and a new imgui context."""

    def __init__(self) -> None:
        self._open: dict[str, bool] = {}

    def header(self, label: str, note: Note, opened: bool = True, aside: str = "") -> bool:
        """Draw the header `label`; whether what belongs below it is to be drawn.

        `opened` is how it stands before it was ever clicked; `aside` says at its right end, while it is
        folded, what matters of the contents.
        """
        is_open = self._open.get(label, opened)
        imgui.set_next_item_open(is_open, imgui.Cond_.always)
        imgui.push_style_color(imgui.Col_.text, vec4(ACCENT))
        shown = bool(imgui.collapsing_header(label))
        imgui.pop_style_color()
        note(label)
        if shown != is_open:
            self._open[label] = shown
        if aside and not shown:
            room = float(imgui.get_content_region_avail().x)
            imgui.same_line(max(room - float(imgui.calc_text_size(aside).x), 0.0))
            imgui.text_disabled(aside)
        return shown
