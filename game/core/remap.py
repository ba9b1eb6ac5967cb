"""What the commands `bind`, `button`, `control` and `controls reset` make of a player's preferences. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from game.core.commands import Command
from game.core.preferences import Preferences, control_range


def rebound(preferences: Preferences, command: Command) -> Preferences:
    """`preferences` after one of these commands; as they were after any other."""
    match command.name, command.values:
        case "bind", (action, *names):
            return replace(preferences, keys={**preferences.keys, str(action): tuple(map(str, names))})
        case "button", (action, *names):
            return replace(preferences, gamepad={**preferences.gamepad, str(action): tuple(map(str, names))})
        case "control", (name, value):
            setting: Any = bool(value) if control_range(str(name)) is None else float(value)
            return replace(preferences, controls=replace(preferences.controls, **{str(name): setting}))
        case "controls", ("reset",):
            first = Preferences()
            return replace(preferences, controls=first.controls, keys=first.keys, gamepad=first.gamepad)
    return preferences
