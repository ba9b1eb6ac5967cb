"""The F2 window: which key, mouse button or gamepad button does what, how devices are read, how the camera moves.

Shows `Preferences`, answers with commands in the grammar of `core.commands`. To bind, a key's field is clicked and
the key pressed; while it waits (`waiting`), every press belongs to this window. It never touches the game.
"""

from __future__ import annotations

from collections.abc import Iterable

import pygame
from imgui_bundle import imgui

from game.core.bindings import (
    ACTION_LABELS,
    DEFAULT_KEYS,
    DEFAULT_PAD,
    MOST_BOUND,
    RESERVED,
    Bindings,
    users_of,
)
from game.core.preferences import Preferences, range_of
from game.host.inputs import button_of, key_label, key_of
from game.ui.imgui_layer import ImguiLayer
from game.ui.theme import ACCENT, WARNING, vec4

WIDTH, HEIGHT = 640.0, 600.0
"""Of the window, design units."""

PAGES = ("keys and mouse", "gamepad buttons", "sensitivity", "camera")

Rect = tuple[float, float, float, float]

_Section = tuple[str, str, tuple[tuple[str, str], ...]]
_DEVICES: tuple[_Section, ...] = (
    (
        "keyboard and mouse",
        "control",
        (
            ("steer_sensitivity", "steering follows"),
            ("look_sensitivity", "mouse look"),
            ("mouse_invert_x", "mouse: left and right swapped"),
            ("mouse_invert_y", "mouse: up and down swapped"),
        ),
    ),
    (
        "gamepad",
        "control",
        (
            ("pad_look_sensitivity", "stick look"),
            ("stick_dead_zone", "dead zone of the sticks"),
            ("trigger_dead_zone", "dead zone of the triggers"),
            ("vibration", "vibration"),
            ("pad_invert_steer", "steering: left and right swapped"),
            ("pad_invert_x", "look: left and right swapped"),
            ("pad_invert_y", "look: up and down swapped"),
            ("pad_swap_sticks", "steer with the right stick"),
            ("pad_swap_triggers", "pedal with the left trigger"),
        ),
    ),
)
_CAMERA: tuple[_Section, ...] = (
    (
        "camera: 0 is none at all",
        "feel",
        (
            ("reduced_motion", "calm camera: no kick, shake, bob or roll, half the tilt"),
            ("fov_deg", "field of view, degrees"),
            ("fov_kick", "widening at speed"),
            ("shake", "shake from hits and rough ground"),
            ("bob", "bob with the pedals, in first person"),
            ("roll", "roll into turns"),
            ("tilt", "tilt with the slope"),
        ),
    ),
)


class ControlsScreen:
    """The window, and the field that waits for a press."""

    def __init__(self) -> None:
        self.rects: dict[str, Rect] = {}
        """Where every widget was drawn last, by action and field ("hop key 0") or label; for played tests."""
        self.waiting: tuple[str, bool, int] | None = None
        """(action, whether of the gamepad, number of the field) that the next press is for."""
        self._dragged: dict[str, float] = {}
        self._scale = 0.0
        self._page = 0

    def read(self, events: Iterable[pygame.event.Event], preferences: Preferences) -> list[str]:
        """Take the press that a field waits for; Escape leaves it as it was, Delete and Backspace empty it."""
        commands: list[str] = []
        for event in events:
            if self.waiting is None:
                break
            action, gamepad, number = self.waiting
            key = key_of(event)
            if event.type == pygame.KEYDOWN and key in ("ESC", "BACKSPACE", "DELETE"):
                self.waiting = None
                if key != "ESC":
                    commands.append(_command(preferences, action, gamepad, number, None))
                continue
            name = button_of(event) if gamepad else key
            if name is not None:
                self.waiting = None
                commands.append(_command(preferences, action, gamepad, number, name))
        return commands

    def draw(self, preferences: Preferences, layer: ImguiLayer) -> list[str]:
        """Draw the window between the layer's `begin` and `end`; return what was asked for."""
        unit = layer.scale
        self.rects.clear()
        width, height = min(WIDTH * unit, 0.94 * layer.size[0]), min(HEIGHT * unit, 0.94 * layer.size[1])
        placed = imgui.Cond_.always if unit != self._scale else imgui.Cond_.once
        self._scale = unit
        imgui.set_next_window_pos(
            imgui.ImVec2(0.5 * (layer.size[0] - width), 0.5 * (layer.size[1] - height)), placed
        )
        imgui.set_next_window_size(imgui.ImVec2(width, height), placed)
        commands: list[str] = []
        flags = imgui.WindowFlags_.no_saved_settings | imgui.WindowFlags_.no_collapse
        # Over the pause panel and the debug window, whose words would show through.
        imgui.push_style_color(imgui.Col_.window_bg, vec4((13, 18, 25, 255), 0.98))
        shown, still_open = imgui.begin("Controls##controls", True, flags)
        imgui.pop_style_color()
        if shown:
            self._pages(unit)
            room = imgui.get_content_region_avail().y - 46.0 * unit
            imgui.begin_child("##page", imgui.ImVec2(0.0, room))
            if self._page >= 2:
                self._settings(preferences, _CAMERA if self._page == 3 else _DEVICES, unit, commands)
            else:
                self._actions(preferences, self._page == 1, unit)
            imgui.end_child()
            if self._button("reset to defaults"):
                self.waiting = None
                commands.append("controls reset")
            imgui.same_line()
            if self._button("done"):
                still_open = False
            imgui.same_line()
            self._advice(preferences)
        imgui.end()
        if not still_open:
            self.waiting = None
            commands.append("controls off")
        return commands

    def _pages(self, unit: float) -> None:
        for number, label in enumerate(PAGES):
            chosen = number == self._page
            if chosen:
                imgui.push_style_color(imgui.Col_.button, vec4(ACCENT, 0.7))
            if self._button(label):
                self._page, self.waiting = number, None
            if chosen:
                imgui.pop_style_color()
            imgui.same_line(0.0, 8.0 * unit)
        imgui.new_line()

    def _advice(self, preferences: Preferences) -> None:
        """What to do now, or which keys do two things."""
        if self.waiting is not None:
            what = "button of the gamepad" if self.waiting[1] else "key or mouse button"
            imgui.text_colored(vec4(ACCENT), f"press a {what}; Esc leaves it, Delete empties it")
            return
        problem = next(iter(problems(preferences)), "")
        if problem:
            imgui.push_style_color(imgui.Col_.text, vec4(WARNING))
            imgui.text_wrapped(problem)
            imgui.pop_style_color()

    def _actions(self, preferences: Preferences, gamepad: bool, unit: float) -> None:
        bindings = preferences.gamepad if gamepad else preferences.keys
        shared = {name for name, actions in users_of(bindings).items() if len(actions) > 1}
        shared |= set() if gamepad else set(RESERVED)
        if not imgui.begin_table("##actions", 1 + MOST_BOUND, imgui.TableFlags_.row_bg):
            return
        for action in DEFAULT_PAD if gamepad else DEFAULT_KEYS:
            imgui.table_next_column()
            imgui.align_text_to_frame_padding()
            imgui.text(ACTION_LABELS[action])
            names = bindings.get(action, ())
            for number in range(MOST_BOUND):
                imgui.table_next_column()
                self._field(action, gamepad, number, names, shared)
        imgui.end_table()
        if gamepad:
            imgui.text_disabled("Steering and look are the sticks, pedal and brake the triggers.")

    def _field(
        self, action: str, gamepad: bool, number: int, names: tuple[str, ...], shared: set[str]
    ) -> None:
        place = (action, gamepad, number)
        name = names[number] if number < len(names) else None
        if self.waiting == place:
            label = "press …"
        elif name is None:
            label = "–"
        else:
            label = name if gamepad else key_label(name)
        warned = name in shared
        if warned:
            imgui.push_style_color(imgui.Col_.text, vec4(WARNING))
        imgui.begin_disabled(number > len(names))
        if imgui.button(f"{label}##{action}{gamepad}{number}", imgui.ImVec2(-1.0, 0.0)):
            self.waiting = place
        imgui.end_disabled()
        self._note(f"{action} {'button' if gamepad else 'key'} {number}")
        if warned:
            imgui.pop_style_color()

    def _settings(
        self, preferences: Preferences, sections: tuple[_Section, ...], unit: float, commands: list[str]
    ) -> None:
        imgui.push_item_width(220.0 * unit)
        for title, command, entries in sections:
            imgui.push_style_color(imgui.Col_.text, vec4(ACCENT))
            imgui.separator_text(title)
            imgui.pop_style_color()
            for name, label in entries:
                section = "camera" if command == "feel" else "controls"
                value = getattr(getattr(preferences, section), name)
                span = range_of(section, name)
                if span is None:
                    changed, on = imgui.checkbox(label, value)
                    self._note(name)
                    if changed:
                        commands.append(f"{command} {name} {'on' if on else 'off'}")
                    continue
                _, moved = imgui.slider_float(
                    label, self._dragged.get(name, value), *span, "%.2f", imgui.SliderFlags_.always_clamp
                )
                self._note(name, slider=True)
                if imgui.is_item_active():
                    self._dragged[name] = moved
                elif name in self._dragged:
                    # Written when let go, not at every step of the way.
                    commands.append(f"{command} {name} {self._dragged.pop(name):.3f}")
        imgui.pop_item_width()

    def _button(self, label: str) -> bool:
        clicked = bool(imgui.button(label))
        self._note(label)
        return clicked

    def _note(self, label: str, slider: bool = False) -> None:
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        right = low.x + imgui.calc_item_width() if slider else high.x
        self.rects[label] = (low.x, low.y, right, high.y)


def problems(preferences: Preferences) -> list[str]:
    """A sentence for every key or button that does two things, labelled as on this keyboard."""
    found = []
    for bindings, gamepad in ((preferences.keys, False), (preferences.gamepad, True)):
        for name, actions in users_of(bindings).items():
            label = f"gamepad {name}" if gamepad else key_label(name)
            if len(actions) > 1:
                does = " and ".join(ACTION_LABELS[action] for action in actions)
                found.append(f"{label} does both: {does}")
            if not gamepad and name in RESERVED:
                found.append(f"{label} also belongs to undo and sculpting")
    return found


def _command(preferences: Preferences, action: str, gamepad: bool, number: int, name: str | None) -> str:
    """The command that puts `name` into a field, or empties it."""
    bindings: Bindings = preferences.gamepad if gamepad else preferences.keys
    names = list(bindings.get(action, ()))
    del names[number : number + 1]
    if name is not None:
        names = [other for other in names if other != name]
        names.insert(min(number, len(names)), name)
    return f"{'button' if gamepad else 'bind'} {action} {','.join(names) or 'none'}"
