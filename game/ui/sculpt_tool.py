"""The sculpting tool: turns pointer and wheel into strokes of dabs, and shows the brush.

`SculptStroke` is pure logic: an `InputFrame` and the point under the pointer go in, small actions come out;
`app` applies them to the edit log. `draw_brush_panel` draws the numbers. Neither touches the land.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from imgui_bundle import imgui

from game.core.commands import BRUSHES, FALLOFFS
from game.ecs.components import LOWERING, SculptTool
from game.host.inputs import InputFrame
from game.ui.imgui_layer import ImguiLayer
from game.ui.paint import Paint
from game.ui.theme import ACCENT, FAINT, INK, MUTED, WARNING, WATER, vec4
from game.world.erosion_brush import ERODE_RADIUS_M

RADIUS_RANGE_M = (1.0, 500.0)
STRENGTH_RANGE_M = (0.1, 50.0)

WHEEL_STEP = 1.1
"""One notch of the wheel multiplies or divides by this."""

SPACING = 0.25
"""Dabs of a drag are this share of the radius apart."""

DAB_S = 1.0 / 30.0
"""A brush held still dabs this often."""

HOLD_RATE = 2.0
"""A brush held still moves the land by its strength this many times a second."""

MAX_DABS = 24
"""Longest drag drawn in one frame, in dabs. A longer one is a leap from a near ridge to a far hill, and a
wall across the valley between is not what the hand meant: the stroke goes on at the new place."""


@dataclass(frozen=True, slots=True)
class BeginStroke:
    """The dabs that follow are undone together."""


@dataclass(frozen=True, slots=True)
class EndStroke:
    """The stroke is complete."""


@dataclass(frozen=True, slots=True)
class Dab:
    """One touch of the brush, one of `core.commands.BRUSHES`; strength is positive also for "lower"."""

    brush: str
    x: float
    z: float
    radius_m: float
    strength_m: float


@dataclass(frozen=True, slots=True)
class Ramp:
    """A ramp between two points."""

    x0: float
    z0: float
    x1: float
    z1: float
    radius_m: float


@dataclass(frozen=True, slots=True)
class Undo:
    """Take the last stroke back."""


@dataclass(frozen=True, slots=True)
class Redo:
    """Put it on again."""


Action = BeginStroke | EndStroke | Dab | Ramp | Undo | Redo

OPPOSITE = {"raise": "lower", "lower": "raise", "peak": "canyon", "canyon": "peak"}
"""Brush of Ctrl + right, by that of Ctrl + left; "lower" for the others."""

LARGEST_M = {"erode": ERODE_RADIUS_M}
"""Largest radius of brushes that read their surroundings; a wider one works with this."""


class SculptStroke:
    """The stroke in hand. One sweep of the brush moves the land by about its strength.

    Ctrl + left works with the chosen brush, Ctrl + right with its opposite, Shift + right smooths. A ramp is drawn
    from where the button goes down to where it comes up; a kicker is set once a click.
    A moving brush dabs every quarter radius with a quarter of the strength (about four dabs overlap on
    any point); a resting one dabs 30 times a second at a rate of twice the strength per second.
    """

    def __init__(self) -> None:
        self._brush: str | None = None
        self._right = False
        """Which button draws the stroke."""
        self._last: tuple[float, float] | None = None
        self._since_dab_s = 0.0

    @property
    def stroking(self) -> bool:
        """Whether a stroke has begun and not ended."""
        return self._brush is not None

    def update(
        self, frame: InputFrame, pick: tuple[float, float] | None, tool: SculptTool, frame_s: float
    ) -> list[Action]:
        """Actions of one frame of `frame_s` seconds.

        `pick` is the world point (x, z) under the pointer, None for the sky. Writes the wheel's changes,
        the brush and the point into `tool`. Nothing comes out while `tool.active` is false, except the end
        of a stroke.
        """
        actions: list[Action] = []
        if not tool.active:
            tool.x = tool.z = None
            return self._end(actions, tool)
        tool.x, tool.z = pick if pick is not None else (None, None)
        if frame.wheel:
            tool.radius_m = _clamped(tool.radius_m * WHEEL_STEP**frame.wheel, RADIUS_RANGE_M)
        if frame.wheel_shifted:
            factor = WHEEL_STEP**frame.wheel_shifted
            tool.strength_m = _clamped(tool.strength_m * factor, STRENGTH_RANGE_M)
        held = frame.right if self._right else frame.left
        if self._brush is not None and (not held or frame.focus_lost):
            if self._brush == "ramp" and not frame.focus_lost:
                self._lay_ramp(pick, tool, actions)
            self._end(actions, tool)
        if self._brush is None:
            # Undo in the middle of a stroke would take back half of it.
            if frame.undo:
                actions.append(Undo())
            if frame.redo:
                actions.append(Redo())
            brush = self._asked(frame, tool)
            if brush is not None:
                self._right = not frame.left_pressed
                self._begin(brush, actions)
        if self._brush is not None:
            tool.brush = self._brush
            self._stroke(pick, tool, frame_s, actions)
            if not (frame.right if self._right else frame.left):
                self._end(actions, tool)  # pressed and released within this frame: one dab
        return actions

    @staticmethod
    def _asked(frame: InputFrame, tool: SculptTool) -> str | None:
        """Brush of the button that went down in this frame, or None."""
        if frame.focus_lost or not (frame.left_pressed or frame.right_pressed):
            return None
        if frame.ctrl:
            return tool.chosen if frame.left_pressed else OPPOSITE.get(tool.chosen, "lower")
        return "smooth" if frame.shift and frame.right_pressed else None

    def _lay_ramp(self, pick: tuple[float, float] | None, tool: SculptTool, actions: list[Action]) -> None:
        x, z, end = tool.from_x, tool.from_z, pick or self._last
        if x is None or z is None or end is None or math.dist((x, z), end) < 1.0:
            return
        actions.append(Ramp(x, z, end[0], end[1], tool.radius_m))

    def cancel(self) -> list[Action]:
        """End the stroke in hand, if any: for pause, teleport, quit."""
        return self._end([])

    def _begin(self, brush: str, actions: list[Action]) -> None:
        self._brush = brush
        self._last = None
        self._since_dab_s = 0.0
        actions.append(BeginStroke())

    def _end(self, actions: list[Action], tool: SculptTool | None = None) -> list[Action]:
        if tool is not None:
            tool.from_x = tool.from_z = None
        if self._brush is not None:
            self._brush = None
            self._last = None
            actions.append(EndStroke())
        return actions

    def _stroke(
        self, pick: tuple[float, float] | None, tool: SculptTool, frame_s: float, actions: list[Action]
    ) -> None:
        """Dabs between the last one and the pointer."""
        assert self._brush is not None
        if self._brush == "ramp":
            if tool.from_x is None and pick is not None:
                tool.from_x, tool.from_z = pick
            self._last = pick or self._last
            return
        if pick is None:
            self._last = None  # over the sky: lift the brush
            return
        if self._brush == "kicker":
            if self._last is None:
                actions.append(Dab("kicker", *pick, tool.radius_m, tool.strength_m))
            self._last = pick
            return
        radius, share = tool.radius_m, tool.strength_m * SPACING
        if self._brush in LARGEST_M:
            radius = min(radius, LARGEST_M[self._brush])
        first = self._last is None
        if self._last is None:
            self._last = pick
        dx, dz = pick[0] - self._last[0], pick[1] - self._last[1]
        spacing = radius * SPACING
        steps = int(math.hypot(dx, dz) / spacing)
        if first or steps > MAX_DABS:
            actions.append(Dab(self._brush, pick[0], pick[1], radius, share))
            self._last, self._since_dab_s = pick, 0.0
            return
        if steps:
            length = math.hypot(dx, dz)
            for step in range(1, steps + 1):
                part = step * spacing / length
                at = (self._last[0] + dx * part, self._last[1] + dz * part)
                actions.append(Dab(self._brush, at[0], at[1], radius, share))
            part = steps * spacing / length
            self._last = (self._last[0] + dx * part, self._last[1] + dz * part)
            self._since_dab_s = 0.0
            return
        self._since_dab_s += frame_s
        # The nudge lets two frames of 1/60 s make 1/30 s in floating point.
        if self._since_dab_s >= DAB_S - 1e-9:
            amount = tool.strength_m * HOLD_RATE * min(self._since_dab_s, 0.1)
            actions.append(Dab(self._brush, pick[0], pick[1], radius, amount))
            self._since_dab_s = 0.0


def _clamped(value: float, limits: tuple[float, float]) -> float:
    return min(limits[1], max(limits[0], value))


_PANEL = (474.0, 92.0)
"""Size of the brush panel, design units."""


def _panel_left(room: float) -> float:
    """Left edge of the brush panel in a picture `room` design units wide."""
    return min(room - _PANEL[0] - 16.0, max(362.0, (room - _PANEL[0]) / 2))


class BrushButtons:
    """Two rows of buttons above the brush panel: brushes and falloffs."""

    def __init__(self) -> None:
        self.rects: dict[str, tuple[float, float, float, float]] = {}
        """Where every button was drawn last, left, top, right, bottom in pixels; for played tests."""

    def draw(self, tool: SculptTool, layer: ImguiLayer, right_inset: float = 0.0) -> list[str]:
        """Draw the buttons; return what was clicked as commands. `right_inset` as in `draw_brush_panel`."""
        unit, paint = layer.scale, Paint(layer)
        left = _panel_left(paint.width - right_inset)
        top = paint.height - 24.0 - _PANEL[1] - 70.0
        imgui.set_next_window_pos(imgui.ImVec2(left * unit, top * unit), imgui.Cond_.always)
        imgui.set_next_window_size(imgui.ImVec2(_PANEL[0] * unit, 0.0), imgui.Cond_.always)
        flags = (
            imgui.WindowFlags_.no_decoration
            | imgui.WindowFlags_.no_saved_settings
            | imgui.WindowFlags_.no_background
            | imgui.WindowFlags_.no_move
            | imgui.WindowFlags_.no_focus_on_appearing
        )
        commands: list[str] = []
        self.rects.clear()
        imgui.begin("##brushes", None, flags)
        imgui.push_style_var(imgui.StyleVar_.frame_padding, imgui.ImVec2(2.0 * unit, 3.0 * unit))
        imgui.push_font(layer.regular, 13.0 * unit)
        for command, names, chosen in (("tool", BRUSHES, tool.chosen), ("falloff", FALLOFFS, tool.falloff)):
            room = float(imgui.get_content_region_avail().x)
            width = (room - (len(names) - 1) * 3.0 * unit) / len(names)
            for name in names:
                tint = vec4(ACCENT, 0.95) if name == chosen else vec4((18, 26, 34, 255), 0.72)
                ink = vec4((12, 16, 20, 255)) if name == chosen else vec4(INK)
                imgui.push_style_color(imgui.Col_.button, tint)
                imgui.push_style_color(imgui.Col_.text, ink)
                if imgui.button(f"{name}##{command}", imgui.ImVec2(width, 0.0)):
                    commands.append(f"{command} {name}")
                imgui.pop_style_color(2)
                low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
                self.rects[name] = (low.x, low.y, high.x, high.y)
                if name != names[-1]:
                    imgui.same_line(0.0, 3.0 * unit)
        imgui.pop_font()
        imgui.pop_style_var()
        imgui.end()
        return commands


def draw_brush_panel(
    tool: SculptTool, layer: ImguiLayer, stroking: bool = False, right_inset: float = 0.0
) -> None:
    """A panel at the lower edge with the brush's numbers and its keys; nothing while inactive.

    `right_inset` is the width a window covers at the right edge, in design units.
    """
    if not tool.active:
        return
    paint = Paint(layer)
    width, height = _PANEL
    left = _panel_left(paint.width - right_inset)
    top = paint.height - 24.0 - height
    paint.panel(left, top, width, height, rounding=16.0)
    lowering = stroking and tool.brush in LOWERING
    tint = WATER if lowering else ACCENT
    _mound(paint, left + 42.0, top + 50.0, lowering)
    paint.text(left + 42.0, top + 66.0, tool.brush if stroking else tool.chosen, 12.0, MUTED, align=0.5)
    for index, (label, value, limits) in enumerate(
        (
            ("radius", tool.radius_m, RADIUS_RANGE_M),
            ("strength", tool.strength_m, STRENGTH_RANGE_M),
        )
    ):
        x = left + 88.0 + index * 96.0
        paint.text(x, top + 18.0, label, 12.0, MUTED)
        paint.text(x, top + 32.0, _metres(value), 20.0, INK, bold=True)
        share = math.log(value / limits[0]) / math.log(limits[1] / limits[0])
        paint.box(x, top + 64.0, 78.0, 4.0, FAINT, rounding=2.0)
        paint.box(x, top + 64.0, max(4.0, 78.0 * share), 4.0, tint, rounding=2.0)
    x = left + 290.0
    paint.box(x - 12.0, top + 16.0, 1.0, height - 32.0, FAINT)
    hints = (
        ("Ctrl + left", tool.chosen),
        ("Ctrl + right", OPPOSITE.get(tool.chosen, "lower")),
        ("Shift + right", "smooth"),
        ("wheel", "radius"),
        ("Shift + wheel", "strength"),
    )
    for row, (keys, meaning) in enumerate(hints):
        y = top + 6.0 + row * 16.0
        paint.text(x + 92.0, y, keys, 12.5, MUTED, align=1.0)
        paint.text(x + 102.0, y, meaning, 12.5, INK)
    if tool.x is None:
        paint.text(left + width / 2, top - 90.0, "point at the land", 13.0, WARNING, align=0.5)


def _metres(value: float) -> str:
    return f"{value:.1f} m" if value < 10.0 else f"{value:.0f} m"


def _mound(paint: Paint, x: float, y: float, lowering: bool) -> None:
    """The brush's cross-section: a hill or a hollow."""
    sign = 1.0 if lowering else -1.0
    points = [
        (x - 24.0 + 48.0 * step / 20, y + sign * 24.0 * (0.5 - 0.5 * math.cos(step / 20 * math.tau)))
        for step in range(21)
    ]
    if lowering:
        points = [(px, py - 24.0) for px, py in points]
    paint.line(points, WATER if lowering else ACCENT, 3.0)
