"""What the player sees while riding: speed, slope, height, way, compass, key hints, messages, pause.

Reads a `HudState` and draws; keeps only what fades (messages, hints). The pause panel's buttons come back
as commands in the grammar of `core.commands`; the HUD itself changes nothing in the game.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from imgui_bundle import imgui

from game.core.units import kmh
from game.ecs.components import Course
from game.ride.course import clock_text
from game.ui.imgui_layer import ImguiLayer
from game.ui.paint import Paint
from game.ui.theme import (
    ACCENT,
    ACCENT_HOT,
    FAINT,
    GOOD,
    INK,
    MUTED,
    WARNING,
    WATER,
    Colour,
)

HINTS_S = 8.0
"""How long the keys are shown at the first start."""

FADE_S = 0.6
MESSAGE_S = 4.5
MESSAGES_SHOWN = 4

_KINDS: dict[str, Colour] = {"info": ACCENT, "good": GOOD, "warning": WARNING}

_POINTS = {0: "N", 45: "NE", 90: "E", 135: "SE", 180: "S", 225: "SW", 270: "W", 315: "NW"}

GAP = " "
"""Between groups of digits and before units."""


@dataclass(slots=True)
class DebugNumbers:
    """The F3 block. Times are of the last frames, in milliseconds."""

    fps: float = 0.0
    frame_ms: float = 0.0
    pages_resident: int = 0
    pages_wanted: int = 0
    pages_late: int = 0
    queue: int = 0
    triangles: int = 0
    draw_calls: int = 0
    trees: int = 0
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    altitude_m: float = 0.0
    """Camera above the ground."""
    ranges_m: Sequence[float] = ()
    """Drawn range of every level, 0 where it is off."""
    targets_m: Sequence[float] = ()
    """Range every level would have with all its pages."""
    renderer: str = ""


@dataclass(slots=True)
class HudState:
    """What is shown. World positions in metres, yaw 0 = north clockwise."""

    speed_m_s: float = 0.0
    gradient: float = 0.0
    """Rise over run along the heading."""
    altitude_m: float = 0.0
    """Height above the world's zero."""
    sea_level_m: float = 0.0
    distance_m: float = 0.0
    yaw_rad: float = 0.0
    """Where the camera looks."""
    hour: float = 12.0
    airborne: bool = False
    fallen: bool = False
    paused: bool = False
    calm: bool = False
    """Whether the camera is calmed; the pause panel switches it."""
    visible: bool = True
    """False hides everything but the pause panel and warnings."""
    numbers: DebugNumbers | None = None
    """The F3 block, or None while it is off."""
    sculpting: bool = False
    """The brush panel stands where the hints would."""
    right_inset: float = 0.0
    """Design units at the right edge that a window covers; messages and hints keep out of it."""
    run: tuple[str, str] | None = None
    """Time of the timed run and what stands beside it; None without lines."""
    keys: Sequence[tuple[str, str]] = ()
    """(label on the key, what it does) for hints and the pause panel; see `host.inputs.key_hints`."""


@dataclass(slots=True)
class _Message:
    text: str
    kind: str
    left_s: float
    age_s: float = 0.0


def grouped(value: float) -> str:
    """A whole number with spaces between thousands, e.g. 12 345."""
    return f"{value:,.0f}".replace(",", GAP).replace("-", "−")


def way(distance_m: float) -> str:
    """A distance with its unit: 950 m, 3.42 km, 128 km."""
    if distance_m < 1000.0:
        return f"{distance_m:.0f}{GAP}m"
    return f"{distance_m / 1000.0:.{2 if distance_m < 100_000.0 else 0}f}{GAP}km"


class Hud:
    """Messages and hints, and the drawing of everything above."""

    def __init__(self, show_hints: bool = True) -> None:
        self._hints_left_s = HINTS_S if show_hints else 0.0
        self._hints_age_s = 0.0
        self._messages: list[_Message] = []
        self._gauge_top_kmh = 80.0

    @property
    def messages(self) -> tuple[str, ...]:
        """Texts on the screen, oldest first."""
        return tuple(message.text for message in self._messages)

    def notify(self, text: str, kind: str = "info", seconds: float = MESSAGE_S) -> None:
        """Show a message for a while; `kind` is "info", "good" or "warning".

        The same text again only renews its time. Raises `ValueError` on another kind.
        """
        if kind not in _KINDS:
            raise ValueError(f"kind {kind!r} is not accepted; use one of {', '.join(_KINDS)}")
        for message in self._messages:
            if message.text == text:
                message.left_s, message.kind = seconds, kind
                return
        self._messages.append(_Message(text, kind, seconds))
        del self._messages[:-MESSAGES_SHOWN]

    def show_hints(self) -> None:
        """Show the keys again."""
        self._hints_left_s, self._hints_age_s = HINTS_S, 0.0

    def draw(self, state: HudState, frame_s: float, layer: ImguiLayer) -> list[str]:
        """Draw one frame between the layer's `begin` and `end`; return the commands clicked."""
        paint = Paint(layer)
        if state.visible:
            self._gauge(paint, state)
            _compass(paint, state)
            if state.run is not None:
                _run(paint, *state.run)
            if state.numbers is not None:
                _numbers(paint, state.numbers)
            if not state.paused and not state.sculpting:
                self._hints(paint, state, frame_s)
        self._toasts(paint, frame_s, state.right_inset)
        return _pause(paint, state, layer) if state.paused else []

    def _gauge(self, paint: Paint, state: HudState) -> None:
        """Speed in a ring, and slope, height and way beside it."""
        left, top = 24.0, paint.height - 24.0 - 148.0
        paint.panel(left, top, 318.0, 148.0, rounding=20.0)
        speed = max(0.0, kmh(state.speed_m_s))
        # The scale grows with the fastest ride so far, so that the ring never sits full.
        while speed > self._gauge_top_kmh:
            self._gauge_top_kmh += 40.0
        share = speed / self._gauge_top_kmh
        cx, cy, radius = left + 78.0, top + 76.0, 55.0
        start, sweep = math.radians(135.0), math.radians(270.0)
        paint.arc(cx, cy, radius, start, start + sweep, FAINT, 7.0)
        hot = min(1.0, max(0.0, (share - 0.55) / 0.4))
        tint: Colour = (
            round(ACCENT[0] + (ACCENT_HOT[0] - ACCENT[0]) * hot),
            round(ACCENT[1] + (ACCENT_HOT[1] - ACCENT[1]) * hot),
            round(ACCENT[2] + (ACCENT_HOT[2] - ACCENT[2]) * hot),
            255,
        )
        if share > 0.004:
            paint.arc(cx, cy, radius, start, start + sweep * share, tint, 7.0)
        paint.text(cx, cy - 30.0, f"{speed:.0f}", 46.0, INK, bold=True, align=0.5)
        paint.text(cx, cy + 17.0, "km/h", 13.0, MUTED, align=0.5)
        state_word = "fallen" if state.fallen else "in the air" if state.airborne else ""
        if state_word:
            paint.text(cx, cy + 47.0, state_word, 12.0, WARNING if state.fallen else ACCENT, align=0.5)

        column = left + 160.0
        paint.box(column - 6.0, top + 22.0, 1.0, 104.0, FAINT)
        percent = state.gradient * 100.0
        rows = (
            ("slope", f"{percent:+.0f}{GAP}%".replace("-", "−").replace("+0", "0").replace("−0", "0")),
            ("altitude", f"{grouped(state.altitude_m)}{GAP}m"),
            ("distance", way(state.distance_m)),
        )
        for index, (label, value) in enumerate(rows):
            y = top + 19.0 + index * 38.0
            icon_x, icon_y = column + 20.0, y + 18.0
            if label == "slope":
                _slope_icon(paint, icon_x, icon_y, state.gradient)
            elif label == "altitude":
                _peak_icon(paint, icon_x, icon_y)
            else:
                _way_icon(paint, icon_x, icon_y)
            paint.text(column + 46.0, y - 2.0, label, 12.0, MUTED)
            colour = WATER if label == "altitude" and state.altitude_m < state.sea_level_m else INK
            paint.text(column + 46.0, y + 12.0, value, 19.0, colour, bold=True)

    def _hints(self, paint: Paint, state: HudState, frame_s: float) -> None:
        if self._hints_left_s <= 0.0 or not state.keys:
            return
        self._hints_age_s += frame_s
        paint.opacity = _fade(self._hints_age_s, self._hints_left_s)
        self._hints_left_s -= frame_s
        left = 24.0 + 318.0 + 20.0
        room = paint.width - left - 24.0 - state.right_inset
        _key_rows(paint, state.keys, left, room)
        paint.opacity = 1.0

    def _toasts(self, paint: Paint, frame_s: float, inset: float) -> None:
        right = paint.width - 24.0 - inset
        # Between the compass and the edge, or below the compass where that is too narrow.
        room, y = right - paint.width / 2 - 132.0 - 16.0, 24.0
        if room < 220.0:
            room, y = min(440.0, right - 24.0), 96.0
        for message in self._messages:
            message.age_s += frame_s
            paint.opacity = _fade(message.age_s, message.left_s)
            message.left_s -= frame_s
            shown = _shorten(paint, message.text, 15.0, room - 46.0)
            width = paint.measure(shown, 15.0) + 46.0
            slide = (1.0 - min(1.0, message.age_s / 0.25)) ** 2 * 24.0
            x = right - width + slide
            paint.panel(x, y, width, 38.0, rounding=12.0)
            paint.box(x + 14.0, y + 12.0, 4.0, 14.0, _KINDS[message.kind], rounding=2.0)
            paint.text(x + 28.0, y + 10.0, shown, 15.0)
            y += 46.0 * min(1.0, message.left_s / 0.2 if message.left_s > 0.0 else 0.0)
        paint.opacity = 1.0
        self._messages = [message for message in self._messages if message.left_s > 0.0]


def _fade(age_s: float, left_s: float) -> float:
    """Opacity of something `age_s` old that has `left_s` to go."""
    return max(0.0, min(1.0, age_s / 0.25, left_s / FADE_S))


def _shorten(paint: Paint, text: str, size: float, room: float) -> str:
    """`text` with its middle left out so that it fits: the ends of a path say most."""
    if paint.measure(text, size) <= room:
        return text
    keep = len(text)
    while keep > 8:
        keep -= 2
        shorter = f"{text[: keep // 2]} … {text[-keep // 2 :]}"
        if paint.measure(shorter, size) <= room:
            return shorter
    return text[:8]


def _slope_icon(paint: Paint, x: float, y: float, gradient: float) -> None:
    """A wedge as steep as the land."""
    half = 13.0
    rise = min(0.7, max(-0.7, 1.5 * gradient)) * half  # half as steep again: small slopes show
    low = y + 9.0
    start = (x - half, low - max(0.0, -2 * rise))
    end = (x + half, low - max(0.0, 2 * rise))
    top = start if rise < 0.0 else end
    paint.triangle([start, end, (x + half if top == end else x - half, low)], (255, 255, 255, 70))
    paint.line([start, end], ACCENT, 2.5)


def _peak_icon(paint: Paint, x: float, y: float) -> None:
    paint.triangle([(x - 13.0, y + 9.0), (x - 3.0, y - 8.0), (x + 7.0, y + 9.0)], MUTED)
    paint.triangle([(x + 1.0, y + 9.0), (x + 7.0, y - 1.0), (x + 13.0, y + 9.0)], (186, 198, 210, 130))
    paint.triangle([(x - 6.2, y - 2.6), (x - 3.0, y - 8.0), (x + 0.2, y - 2.6)], INK)


def _way_icon(paint: Paint, x: float, y: float) -> None:
    points = [
        (x - 11.0 + 22.0 * step / 14, y + 2.0 - 6.0 * math.sin(step / 14 * math.tau)) for step in range(15)
    ]
    paint.line(points, MUTED, 2.0)
    paint.disc(x - 11.0, y + 2.0, 3.0, MUTED)
    paint.disc(x + 11.0, y + 2.0, 3.6, ACCENT)


def _compass(paint: Paint, state: HudState) -> None:
    """A tape of headings that runs past a mark, and the time of day."""
    width, height, y = 264.0, 34.0, 20.0
    left = paint.width / 2 - width / 2
    paint.panel(left, y, width, height, rounding=17.0)
    yaw = math.degrees(state.yaw_rad) % 360.0
    per_degree = 1.45
    for degree in range(0, 360, 15):
        away = (degree - yaw + 180.0) % 360.0 - 180.0
        x = paint.width / 2 + away * per_degree
        edge = 1.0 - abs(away) * per_degree / (width / 2 - 14.0)
        if edge <= 0.0:
            continue
        paint.opacity = min(1.0, edge * 2.2)
        point = _POINTS.get(degree)
        if point is None:
            paint.box(x - 0.5, y + 14.0, 1.2, 7.0, MUTED)
        elif len(point) == 1:
            paint.text(x, y + 7.5, point, 16.0, ACCENT if point == "N" else INK, bold=True, align=0.5)
        else:
            paint.text(x, y + 10.0, point, 12.0, MUTED, align=0.5)
    paint.opacity = 1.0
    middle = paint.width / 2
    paint.triangle([(middle - 5.0, y), (middle + 5.0, y), (middle, y + 6.0)], ACCENT)
    hour = int(state.hour) % 24
    minute = int((state.hour - math.floor(state.hour)) * 60.0)
    paint.panel(middle - 56.0, y + height + 6.0, 112.0, 22.0, rounding=11.0)
    paint.text(middle, y + height + 9.5, f"{yaw:03.0f}°   {hour:02d}:{minute:02d}", 13.0, INK, align=0.5)


def run_texts(course: Course) -> tuple[str, str] | None:
    """What the HUD shows of a timed way: the clock, and the best time or what is missing; None without lines."""
    if course.start is None and course.finish is None:
        return None
    if course.start is None or course.finish is None:
        return "–", "finish set, start missing" if course.start is None else "start set, finish missing"
    running_s = None if course.began_s is None else course.time_s - course.began_s
    shown_s = running_s if running_s is not None else course.last_s
    best = "no time yet" if course.best_s is None else f"best {clock_text(course.best_s)}"
    return "ready" if shown_s is None else clock_text(shown_s), best


def _run(paint: Paint, time: str, beside: str) -> None:
    """The clock of a timed run, below the compass."""
    middle, top = paint.width / 2, 90.0
    paint.panel(middle - 92.0, top, 184.0, 50.0, rounding=16.0)
    paint.text(middle, top + 5.0, time, 24.0, ACCENT, bold=True, align=0.5)
    paint.text(middle, top + 32.0, beside, 12.0, MUTED, align=0.5)


def _numbers(paint: Paint, numbers: DebugNumbers) -> None:
    rows = [
        ("frames", f"{numbers.fps:.0f} fps", f"{numbers.frame_ms:.1f} ms"),
        (
            "pages",
            f"{numbers.pages_resident} of {numbers.pages_wanted}",
            f"{numbers.pages_late} late, {numbers.queue} queued",
        ),
        ("drawn", f"{grouped(numbers.triangles)} tri", f"{numbers.draw_calls} calls"),
        ("trees", grouped(numbers.trees), ""),
        ("x, z", f"{numbers.x:.1f}".replace("-", "−"), f"{numbers.z:.1f}".replace("-", "−")),
        ("height", f"{numbers.y:.1f} m".replace("-", "−"), f"{numbers.altitude_m:.1f} m above ground"),
    ]
    levels = list(numbers.ranges_m)
    height = 26.0 + 19.0 * len(rows) + (24.0 + 15.0 * len(levels) if levels else 0.0)
    height += 20.0 if numbers.renderer else 0.0
    left, top = 24.0, 24.0
    paint.panel(left, top, 330.0, height)
    y = top + 13.0
    for label, first, second in rows:
        paint.text(left + 16.0, y, label, 13.0, MUTED)
        late = label == "pages" and numbers.pages_late > 0
        paint.text(left + 74.0, y, first, 13.0, INK)
        paint.text(left + 190.0, y, second, 13.0, WARNING if late else INK)
        y += 19.0
    if levels:
        paint.text(left + 16.0, y + 4.0, "range of each level", 12.0, MUTED)
        y += 21.0
        targets = list(numbers.targets_m) or levels
        top_m = max(max(targets), max(levels), 1.0)
        for level, range_m in enumerate(levels):
            # Ranges double from level to level: only a logarithm shows them all.
            full = _log_share(targets[min(level, len(targets) - 1)], top_m) * 190.0
            part = _log_share(range_m, top_m) * 190.0
            paint.text(left + 16.0, y - 4.0, str(level), 12.0, MUTED)
            paint.box(left + 34.0, y, full, 6.0, FAINT, rounding=3.0)
            if part > 0.0:
                paint.box(left + 34.0, y, part, 6.0, ACCENT if part >= full * 0.995 else WATER, 3.0)
            shown = way(range_m) if range_m > 0.0 else "off"
            paint.text(left + 314.0, y - 4.0, shown, 12.0, INK if range_m > 0.0 else WARNING, align=1.0)
            y += 15.0
    if numbers.renderer:
        shown = _shorten(paint, numbers.renderer, 12.0, 298.0)
        paint.text(left + 16.0, y + 3.0, shown, 12.0, MUTED)


def _log_share(value_m: float, top_m: float) -> float:
    """Share of a bar whose full length is `top_m` and whose start is 10 m, logarithmic."""
    if value_m <= 10.0:
        return 0.0
    return min(1.0, math.log(value_m / 10.0) / math.log(max(top_m, 11.0) / 10.0))


def _key_rows(paint: Paint, keys: Sequence[tuple[str, str]], left: float, room: float) -> None:
    """Key caps with their meaning, wrapped, on a panel that ends at the lower edge."""
    rows: list[list[tuple[str, str, float]]] = [[]]
    used = 0.0
    for label, meaning in keys:
        cap = max(24.0, paint.measure(label, 13.0, bold=True) + 14.0)
        width = cap + 8.0 + paint.measure(meaning, 14.0) + 20.0
        if used + width > room - 24.0 and rows[-1]:
            rows.append([])
            used = 0.0
        rows[-1].append((label, meaning, width))
        used += width
    wide = max(sum(width for _, _, width in row) for row in rows) - 20.0 + 32.0
    height = 34.0 * len(rows) + 16.0
    x0 = left + (room - wide) / 2 if len(rows) == 1 else left
    top = paint.height - 24.0 - height
    paint.panel(x0, top, wide, height, rounding=16.0)
    for index, row in enumerate(rows):
        x, y = x0 + 16.0, top + 13.0 + 34.0 * index
        for label, meaning, width in row:
            cap = paint.key(x, y, label)
            paint.text(x + cap + 8.0, y + 4.0, meaning, 14.0, INK)
            x += width


def _pause(paint: Paint, state: HudState, layer: ImguiLayer) -> list[str]:
    """The pause panel: a darkened picture, the keys, and the buttons."""
    paint.box(0.0, 0.0, paint.width, paint.height, (6, 9, 13, 120))
    unit = layer.scale
    columns = 2
    per_column = (len(state.keys) + columns - 1) // columns
    width = 560.0
    height = 132.0 + 34.0 * per_column + (18.0 if state.keys else 0.0)
    left, top = (paint.width - width) / 2, max(8.0, (paint.height - height) / 2)
    commands: list[str] = []
    imgui.set_next_window_pos(imgui.ImVec2(left * unit, top * unit))
    imgui.set_next_window_size(imgui.ImVec2(width * unit, height * unit))
    flags = (
        imgui.WindowFlags_.no_decoration
        | imgui.WindowFlags_.no_move
        | imgui.WindowFlags_.no_saved_settings
        | imgui.WindowFlags_.no_background
    )
    paint.panel(left, top, width, height, rounding=20.0, fill=(13, 18, 25, 225))
    paint.text(left + 28.0, top + 22.0, "Paused", 26.0, INK, bold=True)
    paint.text(left + 28.0 + 108.0, top + 32.0, way(state.distance_m) + " so far", 14.0, MUTED)
    if imgui.begin("Paused##pause", None, flags)[0]:
        buttons = (
            ("Ride on", "pause off"),
            ("Picture", "picture"),
            ("Full screen", "fullscreen"),
            ("Full motion", "motion full") if state.calm else ("Calm camera", "motion reduced"),
            ("Quit", "quit"),
        )
        button_width = (width - 56.0 - (len(buttons) - 1) * 10.0) / len(buttons)
        for index, (label, command) in enumerate(buttons):
            x = (28.0 + index * (button_width + 10.0)) * unit
            imgui.set_cursor_pos(imgui.ImVec2(x, 70.0 * unit))
            primary = index == 0
            if primary:
                imgui.push_style_color(imgui.Col_.button, imgui.ImVec4(*(c / 255 for c in ACCENT)))
                imgui.push_style_color(imgui.Col_.text, imgui.ImVec4(0.08, 0.08, 0.08, 1.0))
            if imgui.button(label, imgui.ImVec2(button_width * unit, 38.0 * unit)):
                commands.append(command)
            if primary:
                imgui.pop_style_color(2)
    imgui.end()
    over = Paint(layer)
    for index, (label, meaning) in enumerate(state.keys):
        x = left + 28.0 + (index // per_column) * (width - 56.0) / columns
        y = top + 128.0 + (index % per_column) * 34.0
        cap = over.key(x, y, label)
        over.text(x + max(cap, 56.0) + 12.0, y + 4.0, meaning, 14.0, INK)
    return commands
