"""What the commands `bind`, `button`, `control`, `feel` and `controls reset` make of a player's preferences. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from game.core.commands import Command
from game.core.preferences import Preferences, range_of


def rebound(preferences: Preferences, command: Command) -> Preferences:
    """`preferences` after one of these commands; as they were after any other."""
    match command.name, command.values:
        case "bind", (action, *names):
            return replace(preferences, keys={**preferences.keys, str(action): tuple(map(str, names))})
        case "button", (action, *names):
            return replace(preferences, gamepad={**preferences.gamepad, str(action): tuple(map(str, names))})
        case "control", (name, value):
            setting = _setting("controls", str(name), value)
            return replace(preferences, controls=replace(preferences.controls, **{str(name): setting}))
        case "feel", (name, value):
            setting = _setting("camera", str(name), value)
            return replace(preferences, camera=replace(preferences.camera, **{str(name): setting}))
        case "controls", ("reset",):
            return Preferences(hints_seen=preferences.hints_seen)
    return preferences


def _setting(section: str, name: str, value: float | str) -> Any:
    return bool(value) if range_of(section, name) is None else float(value)
