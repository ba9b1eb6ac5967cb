"""Which key or gamepad button does what: names only, no devices. Data, its checks, and the defaults.

Keys have the names they carry on a US keyboard, because they are bound by place (scancode), not by letter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

Bindings = Mapping[str, tuple[str, ...]]
"""Action → the keys (or buttons) that do it."""

HELD_KEYS: dict[str, tuple[str, ...]] = {
    "pedal": ("W", "UP"),
    "brake": ("S", "DOWN"),
    "left": ("A", "LEFT"),
    "right": ("D", "RIGHT"),
    "sprint": ("SHIFT", "RSHIFT"),
}
"""Actions that last as long as a key is down, and their default keys."""

PRESSED_KEYS: dict[str, tuple[str, ...]] = {
    "hop": ("SPACE",),
    "recover": ("R",),
    "pause": ("ESC",),
    "sculpt": ("TAB",),
    "camera": ("C",),
    "calm": ("M",),
    "debug_menu": ("F1",),
    "controls": ("F2",),
    "debug_numbers": ("F3",),
    "fullscreen": ("F11",),
    "picture": ("F12",),
}
"""Actions that happen once when a key goes down, and their default keys."""

DEFAULT_KEYS: dict[str, tuple[str, ...]] = {**HELD_KEYS, **PRESSED_KEYS}

DEFAULT_PAD: dict[str, tuple[str, ...]] = {
    "sprint": ("RB",),
    "hop": ("A",),
    "recover": ("Y",),
    "pause": ("START",),
    "camera": ("X",),
    "calm": (),
    "sculpt": (),
    "debug_menu": (),
    "controls": (),
    "debug_numbers": ("BACK",),
    "fullscreen": (),
    "picture": (),
}
"""Actions a gamepad's buttons can do; pedal, brake and steering are its triggers and its left stick."""

PAD_BUTTONS = ("A", "B", "X", "Y", "LB", "RB", "BACK", "START", "UP", "DOWN", "LEFT", "RIGHT", "LS", "RS")

KEY_NAMES: tuple[str, ...] = (
    *"WASDRCYZMBEFGHIJKLNOPQTUVX",
    *"0123456789",
    *("UP", "DOWN", "LEFT", "RIGHT", "SHIFT", "RSHIFT", "CTRL", "RCTRL", "ALT", "RALT"),
    *("SPACE", "ESC", "TAB", "ENTER", "BACKSPACE", "INSERT", "DELETE", "HOME", "END", "PAGEUP", "PAGEDOWN"),
    *(f"F{number}" for number in range(1, 13)),
    *("MINUS", "EQUALS", "COMMA", "PERIOD", "SLASH", "SEMICOLON", "QUOTE", "LBRACKET", "RBRACKET", "GRAVE"),
)
"""Every key that can be bound."""

MOUSE_BUTTONS: dict[str, str] = {
    "MOUSELEFT": "left mouse button",
    "MOUSERIGHT": "right mouse button",
    "MOUSEMIDDLE": "middle mouse button",
    "MOUSE4": "mouse button 4",
    "MOUSE5": "mouse button 5",
}
"""Buttons of the mouse, bound as keys are; they count while riding, when the pointer is the game's."""

ACTION_LABELS: dict[str, str] = {
    "pedal": "pedal",
    "brake": "brake",
    "left": "steer left",
    "right": "steer right",
    "sprint": "sprint",
    "hop": "hop",
    "recover": "get up, start again",
    "pause": "pause",
    "sculpt": "sculpt the land",
    "camera": "next camera",
    "calm": "calm camera",
    "debug_menu": "debug window",
    "controls": "controls",
    "debug_numbers": "numbers",
    "fullscreen": "full screen",
    "picture": "take a picture",
}
"""What a player calls an action."""

MOST_BOUND = 3
"""Keys, or buttons, that one action may have on the controls screen."""

ALIASES = {"ESCAPE": "ESC", "CONTROL": "CTRL", "LSHIFT": "SHIFT", "LCTRL": "CTRL", "LALT": "ALT"}

RESERVED = ("CTRL", "RCTRL")
"""Held for undo, redo and the brush; bound to an action they would do both."""


def key_name(text: str) -> str | None:
    """Canonical name of a key, or a button of the mouse, as a person writes it; None when there is no such one."""
    upper = text.strip().upper()
    upper = ALIASES.get(upper, upper)
    return upper if upper in KEY_NAMES or upper in MOUSE_BUTTONS else None


def users_of(bindings: Bindings) -> dict[str, list[str]]:
    """Key (or button) → the actions it does."""
    users: dict[str, list[str]] = {}
    for action, names in bindings.items():
        for name in names:
            users.setdefault(name, []).append(action)
    return users


def conflicts(bindings: Bindings) -> list[str]:
    """One sentence for every key that does two things, and for reserved keys."""
    users = users_of(bindings)
    found = [
        f"key {name} is bound to {' and '.join(actions)}; it will do both"
        for name, actions in users.items()
        if len(actions) > 1
    ]
    found += [
        f"key {name} is bound to {users[name][0]}, but also belongs to undo and sculpting"
        for name in RESERVED
        if name in users
    ]
    return found


def read_keys(given: object, action: str, default: tuple[str, ...]) -> tuple[tuple[str, ...], list[str]]:
    """Keys for `action` from a settings file (a name or a list of names), and what was wrong with them."""
    return _read(given, action, default, key_name, (*KEY_NAMES, *MOUSE_BUTTONS), "keys")


def read_buttons(given: object, action: str, default: tuple[str, ...]) -> tuple[tuple[str, ...], list[str]]:
    """Gamepad buttons for `action`, as `read_keys`."""

    def name_of(text: str) -> str | None:
        upper = text.strip().upper()
        return upper if upper in PAD_BUTTONS else None

    return _read(given, action, default, name_of, PAD_BUTTONS, "gamepad")


def _read(given, action, default, name_of, known: Iterable[str], section: str):  # type: ignore[no-untyped-def]
    wanted = [given] if isinstance(given, str) else given
    if not isinstance(wanted, list) or not all(isinstance(name, str) for name in wanted):
        return default, [
            f"[{section}] {action} = {given!r} is not accepted; give names in quotes, using {_list(default)}"
        ]
    found, problems = [], []
    for text in wanted:
        name = name_of(text)
        if name is None:
            near = get_close_matches(text.upper(), list(known), 1)
            hint = f"did you mean {near[0]}? " if near else ""
            problems.append(f"[{section}] {action}: {text!r} is not known; {hint}it is left out")
        elif name not in found:
            found.append(name)
    if wanted and not found:
        problems.append(f"[{section}] {action} has nothing left; using {_list(default)}")
        return default, problems
    return tuple(found), problems


def _list(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "none"
