"""What a player prefers: camera, controls, keys. One commented TOML file in the user's directory.

Reading never fails: what cannot be used is named in a message and its default stands in; a file that is no TOML at
all is kept beside as a backup. Writing is atomic, so a power cut leaves the old file or the new one.
"""

from __future__ import annotations

import contextlib
import math
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from game.core.bindings import (
    DEFAULT_KEYS,
    DEFAULT_PAD,
    Bindings,
    conflicts,
    read_buttons,
    read_keys,
)
from game.core.errors import UsageError
from game.core.paths import user_data_dir

FILE_NAME = "settings.toml"


@dataclass(frozen=True, slots=True)
class CameraPreferences:
    """Scales of what moves the picture, 0 off … 1 as tuned."""

    reduced_motion: bool = False
    fov_deg: float = 62.0
    fov_kick: float = 1.0
    shake: float = 1.0
    bob: float = 1.0
    roll: float = 1.0
    tilt: float = 1.0


@dataclass(frozen=True, slots=True)
class ControlPreferences:
    """How devices are read."""

    steer_sensitivity: float = 1.0
    look_sensitivity: float = 1.0
    pad_look_sensitivity: float = 1.0
    mouse_invert_x: bool = False
    mouse_invert_y: bool = False
    pad_invert_steer: bool = False
    pad_invert_x: bool = False
    pad_invert_y: bool = False
    pad_swap_sticks: bool = False
    pad_swap_triggers: bool = False
    stick_dead_zone: float = 0.18
    trigger_dead_zone: float = 0.06
    vibration: float = 1.0


@dataclass(frozen=True, slots=True)
class Preferences:
    """Everything in the file."""

    camera: CameraPreferences = field(default_factory=CameraPreferences)
    controls: ControlPreferences = field(default_factory=ControlPreferences)
    keys: Bindings = field(default_factory=lambda: dict(DEFAULT_KEYS))
    gamepad: Bindings = field(default_factory=lambda: dict(DEFAULT_PAD))
    hints_seen: bool = False
    """Whether the keys have been shown once."""


@dataclass(frozen=True, slots=True)
class _Entry:
    section: str
    key: str
    low: float
    high: float
    comment: str


_ENTRIES = (
    _Entry("camera", "reduced_motion", 0, 0, "calm camera: no kick, shake, bob or roll, half the tilt"),
    _Entry("camera", "fov_deg", 40, 100, "vertical field of view at rest, degrees, 40 to 100"),
    _Entry("camera", "fov_kick", 0, 2, "widening at speed, 0 off to 2"),
    _Entry("camera", "shake", 0, 2, "shake from hits and rough ground, 0 off to 2"),
    _Entry("camera", "bob", 0, 2, "bob with the pedals in first person, 0 off to 2"),
    _Entry("camera", "roll", 0, 2, "roll into turns, 0 off to 2"),
    _Entry("camera", "tilt", 0, 1, "how much the view follows the slope, 0 to 1"),
    _Entry("controls", "steer_sensitivity", 0.25, 4, "how fast steering follows, 0.25 to 4"),
    _Entry("controls", "look_sensitivity", 0.1, 5, "mouse, 0.1 to 5"),
    _Entry("controls", "pad_look_sensitivity", 0.1, 5, "right stick, 0.1 to 5"),
    _Entry("controls", "mouse_invert_x", 0, 0, ""),
    _Entry("controls", "mouse_invert_y", 0, 0, ""),
    _Entry("controls", "pad_invert_steer", 0, 0, ""),
    _Entry("controls", "pad_invert_x", 0, 0, ""),
    _Entry("controls", "pad_invert_y", 0, 0, ""),
    _Entry("controls", "pad_swap_sticks", 0, 0, "steer with the right stick, look with the left one"),
    _Entry("controls", "pad_swap_triggers", 0, 0, "pedal with the left trigger, brake with the right one"),
    _Entry("controls", "stick_dead_zone", 0, 0.9, "share of a stick's travel that counts as rest, 0 to 0.9"),
    _Entry("controls", "trigger_dead_zone", 0, 0.9, "the same for triggers"),
    _Entry("controls", "vibration", 0, 1, "gamepad vibration, 0 off to 1"),
    _Entry("game", "hints_seen", 0, 0, "false shows the keys once more at the next start"),
)


CONTROLS = tuple(entry.key for entry in _ENTRIES if entry.section == "controls")
CAMERA = tuple(entry.key for entry in _ENTRIES if entry.section == "camera")
"""Names of the preferences of either section."""


def settings_path() -> Path:
    """Where the file is; `VELOTERRA_DATA_DIR` moves it with the saved worlds."""
    return user_data_dir() / FILE_NAME


def load(path: Path) -> tuple[Preferences, list[str]]:
    """Preferences of the file at `path` and what was wrong with it; defaults where there is none."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return Preferences(), []
    except (OSError, UnicodeDecodeError) as error:
        return Preferences(), [f"settings: {path} cannot be read ({error}); using the defaults"]
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return Preferences(), [f"settings: {path} is not valid TOML ({error}); {_keep(path)}"]
    return _from_table(table)


def _keep(path: Path) -> str:
    """Move an unusable file aside, so that writing the defaults does not lose it."""
    backup = path.with_suffix(".bad.toml")
    try:
        os.replace(path, backup)
    except OSError as error:
        return f"using the defaults; it could not be moved aside ({error})"
    return f"using the defaults; it is kept as {backup.name}"


def _from_table(table: Mapping[str, Any]) -> tuple[Preferences, list[str]]:
    problems: list[str] = []
    found: dict[str, dict[str, Any]] = {"camera": {}, "controls": {}, "game": {}}
    sections = (*found, "keys", "gamepad")
    for name, section in table.items():
        if name not in sections:
            problems.append(f"settings: [{name}] is not known{_near(name, sections)}; it is left out")
        elif not isinstance(section, dict):
            problems.append(f"settings: {name} = {section!r} is not a table; write [{name}] above its keys")
    defaults = Preferences()
    for section_name, values in found.items():
        given = table.get(section_name)
        if not isinstance(given, dict):
            continue
        entries = {entry.key: entry for entry in _ENTRIES if entry.section == section_name}
        for key, value in given.items():
            if key not in entries:
                problems.append(
                    f"settings: [{section_name}] {key} is not known{_near(key, entries)}; it is left out"
                )
                continue
            default = _default(defaults, section_name, key)
            checked, problem = _check(entries[key], value, default)
            values[key] = checked
            if problem:
                problems.append(problem)
    keys, pad = dict(DEFAULT_KEYS), dict(DEFAULT_PAD)
    for name, target, read in (("keys", keys, read_keys), ("gamepad", pad, read_buttons)):
        given = table.get(name)
        for action, names in (given if isinstance(given, dict) else {}).items():
            if action not in target:
                problems.append(f"settings: [{name}] {action} is not known{_near(action, target)}")
                continue
            target[action], wrong = read(names, action, target[action])
            problems += [f"settings: {sentence}" for sentence in wrong]
    problems += [f"settings: {sentence}" for sentence in conflicts(keys)]
    preferences = Preferences(
        camera=replace(defaults.camera, **found["camera"]),
        controls=replace(defaults.controls, **found["controls"]),
        keys=keys,
        gamepad=pad,
        **found["game"],
    )
    return preferences, problems


def _near(name: str, known: Any) -> str:
    near = get_close_matches(name, list(known), 1)
    return f" (did you mean {near[0]}?)" if near else ""


def _default(preferences: Preferences, section: str, key: str) -> bool | float:
    holder = preferences if section == "game" else getattr(preferences, section)
    value: bool | float = getattr(holder, key)
    return value


def _check(entry: _Entry, value: Any, default: bool | float) -> tuple[bool | float, str]:
    """A usable value, and a sentence when it is not the one given."""
    place = f"settings: [{entry.section}] {entry.key} = {value!r}"
    if isinstance(default, bool):
        if isinstance(value, bool):
            return value, ""
        return default, f"{place} is not accepted; give true or false; using {_toml(default)}"
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return default, f"{place} is not a number; using {default:g}"
    if not entry.low <= value <= entry.high:
        return default, f"{place} is outside {entry.low:g} to {entry.high:g}; using {default:g}"
    return float(value), ""


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "[" + ", ".join(f'"{name}"' for name in value) + "]"
    return f"{value:g}" if isinstance(value, float) else str(value)


def to_text(preferences: Preferences) -> str:
    """The file's text, each key with its comment."""
    lines = [
        "# Veloterra: settings. What cannot be used is named at the next start and its default stands in."
    ]
    for section in ("camera", "controls", "game"):
        lines += ["", f"[{section}]"]
        for entry in _ENTRIES:
            if entry.section == section:
                value = _toml(_default(preferences, section, entry.key))
                lines.append(f"{entry.key} = {value}" + (f"  # {entry.comment}" if entry.comment else ""))
    lines += ["", "[keys]  # by the place a key has on a US keyboard"]
    lines += [f"{action} = {_toml(tuple(names))}" for action, names in preferences.keys.items()]
    lines += ["", "[gamepad]"]
    lines += [f"{action} = {_toml(tuple(names))}" for action, names in preferences.gamepad.items()]
    return "\n".join(lines) + "\n"


def save(preferences: Preferences, path: Path) -> None:
    """Write the file, all or nothing. Raises `UsageError` when it cannot be written."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("w", encoding="utf-8", newline="\n") as file:
            file.write(to_text(preferences))
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        raise UsageError(f"settings: {path} cannot be written ({error.strerror or error})") from None


def range_of(section: str, name: str) -> tuple[float, float] | None:
    """Least and greatest value of a preference of "camera" or "controls"; None for one that is on or off.

    Raises `KeyError` for an unknown one.
    """
    entry = next((entry for entry in _ENTRIES if (entry.section, entry.key) == (section, name)), None)
    if entry is None:
        raise KeyError(f"[{section}] {name}")
    return None if isinstance(_default(Preferences(), section, name), bool) else (entry.low, entry.high)


def known_fields() -> set[str]:
    """Every key of the two plain sections: the table above and the dataclasses must agree (tested)."""
    return {f.name for kind in (CameraPreferences, ControlPreferences) for f in fields(kind)}
