"""The F1 window: sea, time, place, brush, edits, picture quality, and how streaming does.

Reads a `DebugState`, draws imgui widgets, and answers with commands in the grammar of `core.commands`.
It never touches the game: what a widget shows is what the next state says.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from imgui_bundle import imgui, implot

from game.core.commands import BRUSHES, FALLOFFS, SEA_RANGE_M
from game.core.coords import check_position
from game.core.errors import UsageError
from game.core.settings import PRESETS, VIEWS_M
from game.ui.erosion_tab import ErosionState, ErosionTab
from game.ui.hud import grouped, way
from game.ui.imgui_layer import ImguiLayer
from game.ui.sculpt_tool import RADIUS_RANGE_M, STRENGTH_RANGE_M
from game.ui.sections import Sections
from game.ui.theme import ACCENT, GOOD, WARNING, WATER, Colour, vec4
from game.ui.water_tab import SeaState, SeaTab
from game.ui.weather_tab import RainState, draw_rain
from game.world.save import check_name

HISTORY = 240
"""Frames in the graph."""

WIDTH = 376.0
"""Of the window, design units."""

Rect = tuple[float, float, float, float]
"""Left, top, right, bottom in drawable pixels."""


@dataclass(slots=True)
class DebugState:
    """What the menu shows. Metres, milliseconds, hours."""

    sea_level_m: float = 0.0
    """The level the sea moves to."""
    rain: RainState = field(default_factory=RainState)
    sea: SeaState = field(default_factory=SeaState)
    hour: float = 12.0
    x: float = 0.0
    z: float = 0.0
    world: str = ""
    seed: int = 0
    save_name: str = ""
    """Name under which the world is saved, "" for none yet."""
    quality: str = "high"
    view_m: float = 0.0
    error_px: float = 0.5
    """The error on the screen that was asked for, and what the ranges in use give."""
    shown_error_px: float = 0.0
    curvature: bool = True
    layers: int = 0
    """Pages that may be resident."""
    dropped_levels: int = 0
    generation_p95_ms: float = 0.0
    upload_p95_ms: float = 0.0
    hud_visible: bool = True
    sculpting: bool = False
    brush_radius_m: float = 12.0
    brush_strength_m: float = 2.0
    brush: str = "raise"
    """Brush of Ctrl + left."""
    falloff: str = "gaussian"
    strokes: int = 0
    """Strokes that can be undone."""
    can_undo: bool = False
    can_redo: bool = False
    erosion: ErosionState = field(default_factory=ErosionState)
    pages_resident: int = 0
    pages_wanted: int = 0
    pages_late: int = 0
    queue: int = 0
    page_memory_mib: float = 0.0
    """Of pages on the GPU."""
    page_cpu_mib: float = 0.0
    frame_ms: float = 0.0
    generation_ms: float = 0.0
    """Of the last page made, or the mean of this frame's; 0 when none was."""
    ranges_m: Sequence[float] = ()
    """Drawn range per level, 0 where it is off."""
    targets_m: Sequence[float] = ()
    passes_ms: Mapping[str, float] = field(default_factory=dict)
    """GPU time of each pass."""


class DebugMenu:
    """The window and what has been typed into it."""

    def __init__(self) -> None:
        self.sea_slider_rect: Rect | None = None
        """Where the sea slider was drawn last; None while it is not on the screen."""
        self.rects: dict[str, Rect] = {}
        """Where every labelled widget was drawn last, by its label; for played tests."""
        self._erosion = ErosionTab()
        self._sea = SeaTab()
        self._sections = Sections()
        self._asked_tab = ""
        self._x, self._z = 0.0, 0.0
        self._place_set = False
        self._place_problem = ""
        self._name = ""
        self._name_problem = ""
        self._scale = 0.0
        self._frame_ms: deque[float] = deque([0.0] * HISTORY, maxlen=HISTORY)
        self._generation_ms: deque[float] = deque([0.0] * HISTORY, maxlen=HISTORY)

    def draw(self, state: DebugState, layer: ImguiLayer) -> list[str]:
        """Draw the window between the layer's `begin` and `end`; return what was asked for."""
        self._frame_ms.append(state.frame_ms)
        self._generation_ms.append(state.generation_ms)
        self.rects.clear()
        self.sea_slider_rect = None
        if not self._place_set:
            self._place_set = True
            self._x, self._z = round(state.x, 1), round(state.z, 1)
        unit = layer.scale
        width, height = WIDTH * unit, layer.size[1] - 48.0 * unit
        # Put back beside the right edge when the frame's scale changes, or it may lie outside.
        placed = imgui.Cond_.always if unit != self._scale else imgui.Cond_.once
        self._scale = unit
        imgui.set_next_window_pos(imgui.ImVec2(layer.size[0] - width - 24.0 * unit, 24.0 * unit), placed)
        imgui.set_next_window_size(imgui.ImVec2(width, height), placed)
        commands: list[str] = []
        flags = imgui.WindowFlags_.no_saved_settings | imgui.WindowFlags_.no_collapse
        shown, still_open = imgui.begin("Debug menu##debug", True, flags)
        if shown:
            imgui.push_item_width(-104.0 * unit)
            if imgui.begin_tab_bar("##tabs"):
                if self._tab("World"):
                    self._land(state, unit, commands)
                    self._brush(state, unit, commands)
                    self._picture(state, unit, commands)
                    self._streaming(state, layer, unit)
                    self._passes(state)
                    imgui.end_tab_item()
                if self._tab("Water"):
                    self._water(state, unit, commands)
                    imgui.end_tab_item()
                imgui.end_tab_bar()
            imgui.pop_item_width()
        imgui.end()
        if not still_open:
            commands.append("menu off")
        return commands

    def open_tab(self, name: str) -> None:
        """Show the tab "World" or "Water" from the next drawing on."""
        self._asked_tab = name

    def _tab(self, name: str) -> bool:
        """Whether the tab's contents are to be drawn now; the tab itself is noted as "tab NAME"."""
        chosen = imgui.TabItemFlags_.set_selected if self._asked_tab == name else imgui.TabItemFlags_.none
        shown, _ = imgui.begin_tab_item(name, None, chosen)
        self._note(f"tab {name}")
        if shown and self._asked_tab == name:
            self._asked_tab = ""
        return bool(shown)

    def _water(self, state: DebugState, unit: float, commands: list[str]) -> None:
        """Sea, rain, season, erosion: one part each, then what is set seldom."""
        sections = self._sections
        commands += self._sea.draw_sea(state.sea, sections, unit, self._note)
        commands += draw_rain(state.rain, sections, unit, self._note)
        commands += self._sea.draw_season(state.sea, sections, unit, self._note)
        commands += self._erosion.draw(state.erosion, sections, unit, self._note)
        commands += self._sea.draw_more(state.sea, sections, self._note)

    def _note(self, label: str, slider: bool = False) -> None:
        """Remember where the last widget is; of a slider only the bar, without its label."""
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        right = low.x + imgui.calc_item_width() if slider else high.x
        self.rects[label] = (low.x, low.y, right, high.y)

    def _button(self, label: str, width: float = 0.0, enabled: bool = True) -> bool:
        imgui.begin_disabled(not enabled)
        clicked = imgui.button(label, imgui.ImVec2(width, 0.0))
        imgui.end_disabled()
        self._note(label)
        return clicked and enabled

    def _land(self, state: DebugState, unit: float, commands: list[str]) -> None:
        _title(f"{state.world or 'world'}, seed {state.seed}")
        low, high = SEA_RANGE_M
        changed, level = imgui.slider_float("sea level", state.sea_level_m, low, high, "%.1f m")
        self._note("sea level", slider=True)
        self.sea_slider_rect = self.rects["sea level"]
        if changed and math.isfinite(level):
            commands.append(f"sea {min(high, max(low, level)):.2f}")
        step = (_room() - 104.0 * unit - 16.0 * unit) / 3
        for label, target in (
            ("−10 m", state.sea_level_m - 10.0),
            ("0 m", 0.0),
            ("+10 m", state.sea_level_m + 10.0),
        ):
            if self._button(label, step):
                commands.append(f"sea {min(high, max(low, target)):.2f}")
            if label != "+10 m":
                imgui.same_line(0.0, 8.0 * unit)
        clock = f"{int(state.hour) % 24:02d}:{int(state.hour % 1.0 * 60.0):02d}"
        changed, hour = imgui.slider_float("time of day", state.hour, 0.0, 24.0, clock)
        self._note("time of day", slider=True)
        if changed and math.isfinite(hour):
            commands.append(f"time {min(24.0, max(0.0, hour)):.3f}")
        self._place(state, unit, commands)

    def _place(self, state: DebugState, unit: float, commands: list[str]) -> None:
        half = (_room() - 104.0 * unit - 8.0 * unit) / 2
        entered = False
        imgui.set_next_item_width(half)
        _, self._x = imgui.input_double("##x", self._x, 0.0, 0.0, "x %.1f")
        self._note("x")
        entered |= _entered()
        imgui.same_line(0.0, 8.0 * unit)
        imgui.set_next_item_width(half)
        _, self._z = imgui.input_double("##z", self._z, 0.0, 0.0, "z %.1f")
        self._note("z")
        entered |= _entered()
        imgui.same_line()
        if self._button("go", 44.0 * unit) or entered:
            try:
                x, z = check_position(self._x, self._z, "teleport")
            except ValueError as error:
                self._place_problem = str(error)
            else:
                self._place_problem = ""
                commands.append(f"teleport {x!r},{z!r}")
        imgui.same_line(0.0, 6.0 * unit)
        if self._button("here", 0.0):
            self._x, self._z = round(state.x, 1), round(state.z, 1)
            self._place_problem = ""
        _problem(self._place_problem)

    def _brush(self, state: DebugState, unit: float, commands: list[str]) -> None:
        _title("brush and edits")
        for label, names, current, command in (
            ("brush", BRUSHES, state.brush, "tool"),
            ("falloff", FALLOFFS, state.falloff, "falloff"),
        ):
            index = names.index(current) if current in names else 0
            changed, index = imgui.combo(label, index, list(names))
            self._note(label, slider=True)
            if changed:
                commands.append(f"{command} {names[index]}")
        logarithmic = imgui.SliderFlags_.logarithmic | imgui.SliderFlags_.always_clamp
        resized, radius = imgui.slider_float(
            "radius", state.brush_radius_m, *RADIUS_RANGE_M, "%.1f m", logarithmic
        )
        self._note("radius", slider=True)
        stronger, strength = imgui.slider_float(
            "strength", state.brush_strength_m, *STRENGTH_RANGE_M, "%.1f m", logarithmic
        )
        self._note("strength", slider=True)
        if resized or stronger:
            commands.append(f"brush {radius:.2f} {strength:.2f}")
        third = (_room() - 16.0 * unit) / 3
        if self._button("undo", third, state.can_undo):
            commands.append("undo")
        imgui.same_line(0.0, 8.0 * unit)
        if self._button("redo", third, state.can_redo):
            commands.append("redo")
        imgui.same_line(0.0, 8.0 * unit)
        if self._button("stop sculpting" if state.sculpting else "sculpt", third):
            commands.append("sculpt off" if state.sculpting else "sculpt on")
        for verb, label in (("start", "start line"), ("finish", "finish line"), ("clear", "no run")):
            if self._button(label, third):
                commands.append(f"run {verb}")
            if verb != "clear":
                imgui.same_line(0.0, 8.0 * unit)
        imgui.text_disabled(f"{state.strokes} stroke{'' if state.strokes == 1 else 's'} to undo")
        imgui.set_next_item_width(-88.0 * unit)
        if not self._name and state.save_name:
            self._name = state.save_name
        _, self._name = imgui.input_text_with_hint("##save", "name of the world", self._name)
        entered = _entered()
        self._note("save name")
        imgui.same_line()
        if self._button("save", 80.0 * unit) or entered:
            self._name_problem = save_name_problem(self._name)
            if not self._name_problem:
                commands.append(f"save {self._name}")
        _problem(self._name_problem)
        if self._button("worlds", _room()):
            commands.append("worlds on")

    def _picture(self, state: DebugState, unit: float, commands: list[str]) -> None:
        _title("picture")
        names = list(PRESETS)
        index = names.index(state.quality) if state.quality in names else 0
        changed, index = imgui.combo("quality", index, names)
        self._note("quality", slider=True)
        if changed:
            commands.append(f"quality {names[index]}")
        self._horizon(state, unit, commands)
        changed, visible = imgui.checkbox("show speed and compass", state.hud_visible)
        self._note("hud")
        if changed:
            commands.append(f"hud {'on' if visible else 'off'}")
        imgui.same_line()
        if self._button("controls …"):
            commands.append("controls on")

    def _horizon(self, state: DebugState, unit: float, commands: list[str]) -> None:
        """How far and how fine the land is drawn."""
        labels = [f"{view_m / 1000.0:g} km" for view_m in VIEWS_M]
        if state.view_m not in VIEWS_M:
            labels.append(way(state.view_m))
        index = VIEWS_M.index(state.view_m) if state.view_m in VIEWS_M else len(VIEWS_M)
        changed, index = imgui.combo("view", index, labels)
        self._note("view", slider=True)
        if changed and index < len(VIEWS_M):
            commands.append(f"view {VIEWS_M[index] / 1000.0:g}")
        flags = imgui.SliderFlags_.logarithmic | imgui.SliderFlags_.always_clamp
        changed, error = imgui.slider_float("error", state.error_px, 0.2, 8.0, "%.2f px", flags)
        self._note("error", slider=True)
        if changed and math.isfinite(error):
            commands.append(f"error {error:.3f}")
        changed, round_earth = imgui.checkbox("round earth, from 20 km", state.curvature)
        self._note("curvature")
        if changed:
            commands.append(f"curvature {'on' if round_earth else 'off'}")
        imgui.same_line()
        _right_aligned(f"{state.shown_error_px:.2f} px now")

    def _streaming(self, state: DebugState, layer: ImguiLayer, unit: float) -> None:
        _title("streaming")
        if imgui.begin_table("##streaming", 4):
            for label, value, tint in (
                ("resident", grouped(state.pages_resident), None),
                ("wanted", grouped(state.pages_wanted), None),
                ("late", grouped(state.pages_late), WARNING if state.pages_late else GOOD),
                ("queued", grouped(state.queue), None),
                ("page", f"{state.generation_ms:.1f} ms", None),
                ("page p95", f"{state.generation_p95_ms:.1f} ms", None),
                ("upload p95", f"{state.upload_p95_ms:.2f} ms", None),
                ("memory GPU", f"{state.page_memory_mib:.0f} MiB", None),
                ("memory CPU", f"{state.page_cpu_mib:.0f} MiB", None),
                ("layers", grouped(state.layers), None),
                ("dropped", grouped(state.dropped_levels), WARNING if state.dropped_levels else None),
            ):
                imgui.table_next_column()
                imgui.text_disabled(label)
                imgui.table_next_column()
                imgui.text_colored(vec4(tint or (244, 247, 250, 255)), value)
            imgui.end_table()
        self._graph(unit)
        self._ranges(state, layer, unit)

    def _graph(self, unit: float) -> None:
        frames, pages = np.array(self._frame_ms), np.array(self._generation_ms)
        top = max(20.0, float(frames.max()) * 1.15, float(pages.max()) * 1.15)
        quiet = implot.Flags_.no_menus | implot.Flags_.no_box_select | implot.Flags_.no_mouse_text
        implot.push_style_var(implot.StyleVar_.plot_padding, imgui.ImVec2(4 * unit, 6 * unit))
        implot.push_style_var(implot.StyleVar_.plot_min_size, imgui.ImVec2(40.0, 30.0))
        implot.push_style_color(implot.Col_.frame_bg, vec4((0, 0, 0, 0)))
        implot.push_style_color(implot.Col_.plot_bg, vec4((255, 255, 255, 10)))
        size = imgui.ImVec2(-1.0, 112.0 * unit)
        if implot.begin_plot("##times", size, quiet | implot.Flags_.no_inputs):
            bare = implot.AxisFlags_.no_tick_labels | implot.AxisFlags_.no_grid_lines
            implot.setup_axes("", "ms", bare | implot.AxisFlags_.no_tick_marks, 0)
            implot.setup_axes_limits(0.0, HISTORY - 1.0, 0.0, top, imgui.Cond_.always)
            implot.setup_legend(implot.Location_.north_west, implot.LegendFlags_.horizontal)
            implot.plot_line("frame", frames, spec=_line(ACCENT, unit))
            implot.plot_line("page", pages, spec=_line(WATER, unit))
            implot.end_plot()
        implot.pop_style_color(2)
        implot.pop_style_var(2)

    def _passes(self, state: DebugState) -> None:
        if not state.passes_ms:
            return
        _title(f"passes, {sum(state.passes_ms.values()):.1f} ms on the GPU")
        if imgui.begin_table("##passes", 4):
            for label, spent_ms in state.passes_ms.items():
                imgui.table_next_column()
                imgui.text_disabled(label)
                imgui.table_next_column()
                imgui.text(f"{spent_ms:.2f} ms")
            imgui.end_table()

    def _ranges(self, state: DebugState, layer: ImguiLayer, unit: float) -> None:
        if not state.ranges_m:
            return
        for level, range_m in enumerate(state.ranges_m):
            target = state.targets_m[level] if level < len(state.targets_m) else range_m
            share = range_m / target if target > 0.0 else 0.0
            imgui.text_disabled(f"level {level}")
            imgui.same_line(64.0 * unit)
            imgui.push_style_color(imgui.Col_.plot_histogram, vec4(ACCENT if share > 0.995 else WATER, 0.75))
            imgui.push_font(layer.regular, 12.0 * unit)
            shown = way(range_m) if range_m > 0.0 else "off"
            if share <= 0.995:
                shown += f" of {way(target)}"
            imgui.progress_bar(share, imgui.ImVec2(-1.0, 15.0 * unit), shown)
            imgui.pop_font()
            imgui.pop_style_color()


def save_name_problem(name: str) -> str:
    """Why `name` cannot be a saved world's name, or ""."""
    if not name:
        return "give the world a name"
    try:
        check_name(name)
    except UsageError as error:
        return str(error)
    return ""


def _entered() -> bool:
    """Whether the last text field was just left with Enter. (imgui's own flag for that forgets what was
    typed when the field is left with a click on the button beside it.)"""
    enter = imgui.is_key_pressed(imgui.Key.enter) or imgui.is_key_pressed(imgui.Key.keypad_enter)
    return bool(imgui.is_item_deactivated() and enter)


def _title(text: str) -> None:
    imgui.spacing()
    imgui.push_style_color(imgui.Col_.text, vec4(ACCENT))
    imgui.separator_text(text)
    imgui.pop_style_color()


def _problem(text: str) -> None:
    if text:
        imgui.push_style_color(imgui.Col_.text, vec4(WARNING))
        imgui.text_wrapped(text)
        imgui.pop_style_color()


def _room() -> float:
    """Width left in the row, pixels."""
    return float(imgui.get_content_region_avail().x)


def _right_aligned(text: str) -> None:
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + max(0.0, _room() - imgui.calc_text_size(text).x))
    imgui.text_disabled(text)


def _line(colour: Colour, unit: float) -> implot.Spec:
    spec = implot.Spec()
    spec.line_color = vec4(colour)
    spec.line_weight = max(1.0, 1.5 * unit)
    return spec
