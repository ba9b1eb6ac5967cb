"""The command language of `--exec` and of every menu: one grammar, validated before the ride starts.

`COMMAND; COMMAND @SECOND; …`. This module says what a command means; `app` carries it out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches

from game.core.bindings import (
    DEFAULT_KEYS,
    DEFAULT_PAD,
    KEY_NAMES,
    MOUSE_BUTTONS,
    PAD_BUTTONS,
    key_name,
)
from game.core.coords import WORLD_LIMIT_M
from game.core.errors import UsageError
from game.core.preferences import CAMERA, CONTROLS, range_of
from game.core.settings import ERROR_RANGE_PX, PRESETS, VIEW_RANGE_KM

SEA_RANGE_M = (-200.0, 2000.0)
SEA_RATE_M_S = (0.001, 1000.0)
TIDE_RANGE_M = (0.0, 200.0)
TIDE_RANGE_S = (1.0, 1.0e6)
WAVES_RANGE_M = (0.0, 6.0)
DAY_RANGE = (0.0, 365.0)
YEAR_RANGE_S = (0.0, 1.0e7)
FLOOD_RANGE_M = (0.0, 200.0)
WARMTH_RANGE_C = (-30.0, 30.0)
MOISTURE_RANGE = (-1.0, 1.0)
RAIN_RANGE_MM_H = (0.0, 200.0)
RAINED_RANGE_MIN = (0.0, 600.0)
RADIUS_RANGE_M = (0.5, 2000.0)
STRENGTH_RANGE_M = (0.001, 500.0)
CAMERAS = ("chase", "first", "side", "fly", "next")
BRUSHES = ("raise", "lower", "smooth", "flatten", "ramp", "peak", "canyon", "kicker", "restore", "erode")
"""Brushes of `dab` and of the sculpting tool."""

WORLD_VERBS = ("open", "new", "copy", "rename", "delete")
"""What `world` does with a saved world."""

RUN_VERBS = ("start", "finish", "clear")
"""What `run` does with the lines of a timed way."""

FALLOFFS = ("gaussian", "smoothstep", "linear", "cone")
KICKER_ANGLE_DEG = (5.0, 60.0)
KICKER_LENGTH_M = (4.0, 200.0)
EROSION_RADIUS_M = (0.5, 512.0)
EROSION_SECONDS = (0.1, 3600.0)
SLOPE_THRESHOLD = (0.3, 0.8)
"""Rise over run from which on land slides."""
RATE_PER_S = (0.01, 0.1)
"""How fast erosion goes."""


@dataclass(frozen=True, slots=True)
class Command:
    """A validated command: its name, its values, and the simulated second at which it is due."""

    name: str
    values: tuple[float | str, ...] = ()
    at_s: float = 0.0


class _Words:
    """Reads the words of one command and complains in whole sentences."""

    def __init__(self, text: str, words: list[str], usage: str) -> None:
        self.text, self.words, self.usage = text, words, usage

    def fail(self, why: str) -> UsageError:
        return UsageError(f"--exec: in {self.text!r} {why}; write it as: {self.usage}")

    def word(self, what: str) -> str:
        if not self.words:
            raise self.fail(f"{what} is missing")
        return self.words.pop(0)

    def number(self, what: str, low: float, high: float, text: str | None = None) -> float:
        given = self.word(what) if text is None else text
        try:
            value = float(given)
        except ValueError:
            raise self.fail(f"{what} {given!r} is not a number") from None
        if not math.isfinite(value) or not low <= value <= high:
            raise self.fail(f"{what} {given} is outside {low:g} … {high:g}")
        return value

    def numbers(self, what: str, *ranges: tuple[str, float, float]) -> tuple[float, ...]:
        parts = self.word(what).split(",")
        if len(parts) != len(ranges):
            raise self.fail(f"{what} needs {len(ranges)} numbers with commas, not {','.join(parts)!r}")
        return tuple(
            self.number(name, low, high, part) for part, (name, low, high) in zip(parts, ranges, strict=True)
        )

    def choice(self, what: str, accepted: tuple[str, ...]) -> str:
        given = self.word(what)
        if given not in accepted:
            raise self.fail(f"{what} {given!r} is not one of {', '.join(accepted)}")
        return given

    def rest(self, what: str) -> str:
        words = [self.word(what), *self.words]
        self.words.clear()
        return " ".join(words)

    def names(
        self, what: str, read: Callable[[str], str | None], accepted: tuple[str, ...]
    ) -> tuple[str, ...]:
        """Names with commas, or "none"."""
        given = self.word(what)
        if given.lower() == "none":
            return ()
        found = []
        for text in given.split(","):
            name = read(text)
            if name is None:
                near = get_close_matches(text.upper(), accepted, 1)
                hint = f"did you mean {near[0]}? " if near else ""
                raise self.fail(f"{what} {text!r} is not known; {hint}use none or {', '.join(accepted)}")
            found.append(name)
        return tuple(dict.fromkeys(found))

    def preference(self, section: str, names: tuple[str, ...]) -> tuple[str, float]:
        """A preference of a section and its value; on and off are 1 and 0."""
        name = self.choice("name", names)
        span = range_of(section, name)
        if span is None:
            return name, float(self.choice("state", ("on", "off")) == "on")
        return name, self.number(name, *span)

    def name_list(self, most: int) -> tuple[str, ...]:
        """All that is left, as 1 to `most` names with commas between."""
        parts = tuple(part.strip() for part in self.rest("name").split(","))
        if len(parts) > most or not all(parts):
            raise self.fail(f"{', '.join(parts)!r} is not accepted")
        return parts

    def end(self) -> None:
        if self.words:
            raise self.fail(f"{' '.join(self.words)!r} is too much")


def _world(words: _Words) -> tuple[float | str, ...]:
    verb = words.choice("verb", WORLD_VERBS)
    names = words.name_list({"new": 3, "copy": 2, "rename": 2}.get(verb, 1))
    if verb in ("copy", "rename") and len(names) != 2:
        raise words.fail("the new name is missing")
    if verb == "new" and len(names) == 3 and not re.fullmatch(r"[+-]?\d{1,20}", names[2]):
        raise words.fail(f"seed {names[2]!r} is not an integer")
    return (verb, *names)


_X = ("x", -WORLD_LIMIT_M, WORLD_LIMIT_M)
_Z = ("z", -WORLD_LIMIT_M, WORLD_LIMIT_M)
_Y = ("y", -20_000.0, 200_000.0)

Values = tuple[float | str, ...]


def _erosion(w: _Words) -> Values:
    if w.words == ["cancel"]:
        return (w.word("state"),)
    return (
        *w.numbers("position", _X, _Z),
        w.number("radius", *EROSION_RADIUS_M),
        w.number("duration", *EROSION_SECONDS),
        *((w.number("slope threshold", *SLOPE_THRESHOLD), w.number("rate", *RATE_PER_S)) if w.words else ()),
    )


def _run(w: _Words) -> Values:
    verb = w.choice("verb", RUN_VERBS)
    return (verb, *(w.numbers("position", _X, _Z) if verb == "finish" and w.words else ()))


_GRAMMAR: dict[str, tuple[str, Callable[[_Words], Values]]] = {
    "sea": (
        "sea METRES [METRES_PER_SECOND]",
        lambda w: (
            w.number("sea level", *SEA_RANGE_M),
            *((w.number("rate", *SEA_RATE_M_S),) if w.words else ()),
        ),
    ),
    "tide": (
        "tide AMPLITUDE_M PERIOD_S (amplitude 0 for none)",
        lambda w: (w.number("amplitude", *TIDE_RANGE_M), w.number("period", *TIDE_RANGE_S)),
    ),
    "waves": ("waves HEIGHT_M", lambda w: (w.number("wave height", *WAVES_RANGE_M),)),
    "season": ("season DAY (0 to 365, midsummer 200)", lambda w: (w.number("day", *DAY_RANGE),)),
    "year": (
        "year SECONDS [FLOOD_M] (0 seconds: the season stands still)",
        lambda w: (
            w.number("length", *YEAR_RANGE_S),
            *((w.number("flood", *FLOOD_RANGE_M),) if w.words else ()),
        ),
    ),
    "climate": (
        "climate WARMER_C [MOISTER]",
        lambda w: (
            w.number("warmth", *WARMTH_RANGE_C),
            *((w.number("moisture", *MOISTURE_RANGE),) if w.words else ()),
        ),
    ),
    "teleport": ("teleport X,Z", lambda w: w.numbers("position", _X, _Z)),
    "time": ("time HOURS", lambda w: (w.number("hour", 0.0, 24.0),)),
    "dab": (
        f"dab {'|'.join(BRUSHES)} X,Z RADIUS_M STRENGTH_M [{'|'.join(FALLOFFS)}]",
        lambda w: (
            w.choice("brush", BRUSHES),
            *w.numbers("position", _X, _Z),
            w.number("radius", *RADIUS_RANGE_M),
            w.number("strength", *STRENGTH_RANGE_M),
            *((w.choice("falloff", FALLOFFS),) if w.words else ()),
        ),
    ),
    "ramp": (
        "ramp X0,Z0 X1,Z1 RADIUS_M",
        lambda w: (
            *w.numbers("start", _X, _Z),
            *w.numbers("end", _X, _Z),
            w.number("radius", *RADIUS_RANGE_M),
        ),
    ),
    "kicker": (
        "kicker X,Z LENGTH_M ANGLE_DEG [YAW_DEG]",
        lambda w: (
            *w.numbers("position", _X, _Z),
            w.number("length", *KICKER_LENGTH_M),
            w.number("take-off angle", *KICKER_ANGLE_DEG),
            *((w.number("yaw", -3600.0, 3600.0),) if w.words else ()),
        ),
    ),
    "erode": (
        "erode X,Z RADIUS_M SECONDS [SLOPE_THRESHOLD RATE_PER_S], or erode cancel",
        _erosion,
    ),
    "run": ("run start, run finish [X,Z], run clear", _run),
    "undo": ("undo", lambda w: ()),
    "redo": ("redo", lambda w: ()),
    "world": (
        "world open|delete NAME, world copy|rename NAME, NEW or world new NAME[, RECIPE[, SEED]]",
        _world,
    ),
    "worlds": ("worlds on|off", lambda w: (w.choice("state", ("on", "off")),)),
    "save": ("save NAME", lambda w: (w.rest("name"),)),
    "quality": ("quality low|medium|high|ultra", lambda w: (w.choice("quality", tuple(PRESETS)),)),
    "view": ("view KILOMETRES", lambda w: (w.number("view distance", *VIEW_RANGE_KM),)),
    "error": ("error PIXELS", lambda w: (w.number("error", *ERROR_RANGE_PX),)),
    "curvature": ("curvature on|off", lambda w: (w.choice("state", ("on", "off")),)),
    "look": (
        "look YAW,PITCH (degrees)",
        lambda w: w.numbers("direction", ("yaw", -3600.0, 3600.0), ("pitch", -89.0, 89.0)),
    ),
    "eye": ("eye X,Y,Z", lambda w: w.numbers("position", _X, _Y, _Z)),
    "chase": ("chase", lambda w: ()),
    "camera": ("camera chase|first|side|fly|next", lambda w: (w.choice("camera", CAMERAS),)),
    "motion": ("motion full|reduced", lambda w: (w.choice("motion", ("full", "reduced")),)),
    "wet": ("wet SHARE (0 dry … 1 soaked)", lambda w: (w.number("wetness", 0.0, 1.0),)),
    "rain": (
        "rain MM_PER_H [MINUTES] (minutes it has rained so already)",
        lambda w: (
            w.number("rain", *RAIN_RANGE_MM_H),
            *((w.number("minutes", *RAINED_RANGE_MIN),) if w.words else ()),
        ),
    ),
    "runoff": ("runoff on|off|clear", lambda w: (w.choice("state", ("on", "off", "clear")),)),
    "key": ("key NAME down|up", lambda w: (w.word("key"), w.choice("state", ("down", "up")))),
    "hud": ("hud on|off", lambda w: (w.choice("state", ("on", "off")),)),
    "menu": ("menu on|off", lambda w: (w.choice("state", ("on", "off")),)),
    "controls": (
        "controls on|off|reset",
        lambda w: (w.choice("state", ("on", "off", "reset")),),
    ),
    "bind": (
        "bind ACTION KEY[,KEY]|none",
        lambda w: (
            w.choice("action", tuple(DEFAULT_KEYS)),
            *w.names("key", key_name, (*KEY_NAMES, *MOUSE_BUTTONS)),
        ),
    ),
    "button": (
        "button ACTION BUTTON[,BUTTON]|none",
        lambda w: (
            w.choice("action", tuple(DEFAULT_PAD)),
            *w.names(
                "button", lambda text: text.upper() if text.upper() in PAD_BUTTONS else None, PAD_BUTTONS
            ),
        ),
    ),
    "control": ("control NAME VALUE|on|off", lambda w: w.preference("controls", CONTROLS)),
    "feel": ("feel NAME VALUE|on|off", lambda w: w.preference("camera", CAMERA)),
    "sculpt": ("sculpt on|off", lambda w: (w.choice("state", ("on", "off")),)),
    "brush": (
        "brush RADIUS_M STRENGTH_M",
        lambda w: (w.number("radius", 1.0, 500.0), w.number("strength", 0.1, 50.0)),
    ),
    "tool": (f"tool {'|'.join(BRUSHES)}", lambda w: (w.choice("brush", BRUSHES),)),
    "falloff": (f"falloff {'|'.join(FALLOFFS)}", lambda w: (w.choice("falloff", FALLOFFS),)),
    "recover": ("recover", lambda w: ()),
    "pause": ("pause on|off", lambda w: (w.choice("state", ("on", "off")),)),
    "numbers": ("numbers on|off", lambda w: (w.choice("state", ("on", "off")),)),
    "picture": ("picture", lambda w: ()),
    "fullscreen": ("fullscreen", lambda w: ()),
    "quit": ("quit", lambda w: ()),
}


def parse_command(text: str) -> Command:
    """Validate one command, e.g. `dab raise 10,20 15 4 @2.5`.

    Raises `UsageError` that names the command, the value and what is accepted.
    """
    words = text.split()
    at_s = 0.0
    if words and words[-1].startswith("@"):
        at = words.pop()[1:]
        if not re.fullmatch(r"\d+(\.\d*)?|\.\d+", at):
            raise UsageError(
                f"--exec: in {text.strip()!r} the time @{at} is not a number of seconds, 0 or more"
            )
        at_s = float(at)
    if not words:
        raise UsageError(f"--exec: {text!r} holds no command; use one of {', '.join(_GRAMMAR)}")
    name = words.pop(0)
    if name not in _GRAMMAR:
        near = get_close_matches(name, _GRAMMAR, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UsageError(f"--exec: command {name!r} is not known; {hint}use one of {', '.join(_GRAMMAR)}")
    usage, read = _GRAMMAR[name]
    reader = _Words(text.strip(), words, usage)
    values = read(reader)
    reader.end()
    return Command(name, values, at_s)


def parse_script(text: str) -> list[Command]:
    """Validate a whole script (`;` or newlines between commands, `#` comments to the end of a line).

    Returns the commands by due time, those of the same second in the order written. Raises `UsageError`.
    """
    lines = (line.split("#", 1)[0] for line in text.splitlines())
    parts = [part for line in lines for part in line.split(";")]
    commands = [parse_command(part) for part in parts if part.strip()]
    return sorted(commands, key=lambda command: command.at_s)
