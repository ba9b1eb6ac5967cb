"""The window of saved worlds: create, open, duplicate, rename, delete to the trash.

Lists what lies on the disk, at most once a second and only while it is open, and answers with `world` commands.
Changes nothing itself.
"""

from __future__ import annotations

import time

from imgui_bundle import imgui

from game.core.errors import UsageError
from game.ui.imgui_layer import ImguiLayer
from game.ui.theme import ACCENT, MUTED, WARNING, vec4
from game.world.recipe import Recipe
from game.world.save import free_name, list_worlds

WIDTH = 430.0
"""Of the window, design units."""

SHOWN = 18
"""Letters of a name that stand beside the buttons; the rest is in a tooltip."""

REFRESH_S = 1.0

Rect = tuple[float, float, float, float]
"""Left, top, right, bottom in drawable pixels."""


class WorldsWindow:
    """The window, what has been typed into it, and which world a question is about."""

    def __init__(self) -> None:
        self.rects: dict[str, Rect] = {}
        """Where every labelled widget was drawn last; for played tests."""
        self._worlds: list[str] = []
        self._recipes: list[str] = []
        self._read_s = -REFRESH_S
        self._name = ""
        self._recipe = 0
        self._typed = ""
        self._asks: tuple[str, str] | None = None
        """(rename, copy or delete; world) of the question that is open."""
        self._problem = ""

    def draw(self, open_now: str, layer: ImguiLayer) -> list[str]:
        """Draw between the layer's `begin` and `end`; return the commands asked for. `open_now`: the world ridden."""
        unit = layer.scale
        self._refresh()
        self.rects.clear()
        imgui.set_next_window_pos(
            imgui.ImVec2(24.0 * unit, 96.0 * unit), imgui.Cond_.appearing, imgui.ImVec2(0.0, 0.0)
        )
        imgui.set_next_window_size(imgui.ImVec2(WIDTH * unit, 0.0), imgui.Cond_.always)
        flags = imgui.WindowFlags_.no_saved_settings | imgui.WindowFlags_.no_collapse
        commands: list[str] = []
        shown, still_open = imgui.begin("Worlds##worlds", True, flags)
        if shown:
            self._list(open_now, unit, commands)
            self._create(unit, commands)
            if self._problem:
                imgui.push_style_color(imgui.Col_.text, vec4(WARNING))
                imgui.text_wrapped(self._problem)
                imgui.pop_style_color()
        imgui.end()
        if commands:
            self._read_s = -REFRESH_S
        return commands if still_open else [*commands, "worlds off"]

    def _refresh(self) -> None:
        now = time.monotonic()
        if now - self._read_s < REFRESH_S:
            return
        self._read_s = now
        self._worlds = list_worlds()
        self._recipes = self._recipes or sorted(Recipe.names())
        if not self._name:
            self._name = self._fresh_name()
            self._recipe = self._recipes.index("alpine") if "alpine" in self._recipes else 0

    def _fresh_name(self) -> str:
        taken = {name.casefold() for name in self._worlds}
        number = 1
        while f"world {number}" in taken:
            number += 1
        return f"world {number}"

    def _button(self, label: str, key: str, width: float) -> bool:
        clicked = imgui.button(f"{label}##{key}", imgui.ImVec2(width, 0.0))
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        self.rects[key] = (low.x, low.y, high.x, high.y)
        return bool(clicked)

    def _list(self, open_now: str, unit: float, commands: list[str]) -> None:
        if not self._worlds:
            imgui.text_disabled("no saved worlds yet")
        rows = min(9, max(1, len(self._worlds))) + (self._asks is not None)
        height = rows * imgui.get_frame_height_with_spacing() + 4.0 * unit
        imgui.begin_child("##list", imgui.ImVec2(0.0, height))
        for name in self._worlds:
            here = name == open_now
            imgui.align_text_to_frame_padding()
            short = name if len(name) <= SHOWN else name[: SHOWN - 1] + "…"
            imgui.text_colored(vec4(ACCENT if here else (244, 247, 250, 255)), short)
            if short != name and imgui.is_item_hovered():
                imgui.set_tooltip(name)
            room = float(imgui.get_window_width()) - 292.0 * unit
            for verb, width in (("open", 56.0), ("copy", 56.0), ("rename", 72.0), ("delete", 68.0)):
                imgui.same_line(room)
                room += (width + 6.0) * unit
                if here and verb in ("open", "delete"):
                    imgui.dummy(imgui.ImVec2(width * unit, 0.0))
                elif self._button(verb, f"{verb} {name}", width * unit):
                    if verb == "open":
                        commands.append(f"world open {name}")
                        self._asks = None
                    else:
                        self._asks = (verb, name)
                        self._typed = name
                        self._problem = ""
            if self._asks is not None and self._asks[1] == name:
                self._question(*self._asks, unit, commands)
        imgui.end_child()

    def _question(self, verb: str, name: str, unit: float, commands: list[str]) -> None:
        """The line under a world: its new name, or whether it may go."""
        if verb == "delete":
            imgui.text_colored(vec4(MUTED), "to the trash?")
        else:
            imgui.set_next_item_width(-150.0 * unit)
            _, self._typed = imgui.input_text(f"##{verb}", self._typed)
        imgui.same_line()
        if self._button(verb, f"{verb} now", 72.0 * unit):
            if verb == "delete":
                commands.append(f"world delete {name}")
                self._asks = None
            elif self._usable(self._typed, but=name if verb == "rename" else ""):
                commands.append(f"world {verb} {name}, {self._typed.strip()}")
                self._asks = None
        imgui.same_line()
        if self._button("cancel", "cancel", 66.0 * unit):
            self._asks = None

    def _create(self, unit: float, commands: list[str]) -> None:
        imgui.separator_text("new world")
        imgui.set_next_item_width(150.0 * unit)
        _, self._name = imgui.input_text("##name", self._name)
        imgui.same_line()
        imgui.set_next_item_width(120.0 * unit)
        _, self._recipe = imgui.combo("##recipe", self._recipe, self._recipes)
        imgui.same_line()
        if self._button("create", "create", -1.0) and self._usable(self._name):
            commands.append(f"world new {self._name.strip()}, {self._recipes[self._recipe]}")
            self._name = ""

    def _usable(self, name: str, but: str = "") -> bool:
        """Whether a world may get this name; why not is shown."""
        self._problem = ""
        if but and name.strip().casefold() == but.casefold():
            return name.strip() != but
        try:
            free_name(name)
        except UsageError as error:
            self._problem = str(error)
        return not self._problem
