"""What a saved world is, and its JSON form: encoding, migration of older versions, repair of damaged content.

Pure data in, pure data out; files are `world.save`'s. The form is documented in docs/world-format.md and by the
schema in assets/schema/world.schema.json.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from game import __version__
from game.core.coords import WORLD_LIMIT_M
from game.world.edits import TIME_S, EditLog
from game.world.seasons import ClimateSettings, settings_from_json, settings_to_json
from game.world.stamps import Stamp
from game.world.weather import SavedRain

VERSION = 3
"""Version of the format; later ones are refused, earlier ones migrated."""

SEA_LEVEL_M = (-10_000.0, 10_000.0)
"""Accepted sea levels."""

BEST_S = (0.001, 1e9)
"""Accepted best times, seconds."""

OWN_RECIPE = "recipe.toml"
"""Recipe of a world that brings its own; the file lies beside the world's."""

_SEED = (-(2**63), 2**64 - 1)
_KEYS = (
    "version",
    "game",
    "recipe",
    "seed",
    "sea_level_m",
    "hour",
    "rain",
    "climate",
    "rider",
    "stamps",
    "time_s",
    "course",
    "edits",
)
_DIGEST = 64
_SHOWN = 60


@dataclass(slots=True)
class Pose:
    """Where the rider stood: metres, heading in radians (0 = north, clockwise)."""

    x: float
    z: float
    yaw_rad: float = 0.0


@dataclass(slots=True)
class SavedCourse:
    """Start and finish of a timed way, and the best time on it."""

    start: Pose | None = None
    finish: Pose | None = None
    best_s: float | None = None


@dataclass(slots=True)
class SavedWorld:
    """Everything a world needs to come back."""

    recipe: str
    """Name of a shipped recipe, or path of a recipe file."""
    seed: int
    edits: EditLog = field(default_factory=EditLog)
    sea_level_m: float | None = None
    """None: the recipe's own."""
    hour: float | None = None
    """Solar time 0…24; None: the game's usual start."""
    pose: Pose | None = None
    """None: a spawn is looked for."""
    stamps: list[Stamp] = field(default_factory=list)
    """Heightmaps laid over the land, in order."""
    rain: SavedRain | None = None
    """None: dry."""
    climate: ClimateSettings = field(default_factory=ClimateSettings)
    """Season, climate, tide and waves."""
    time_s: float = 0.0
    """Simulated seconds the world has been ridden."""
    course: SavedCourse = field(default_factory=SavedCourse)
    extra: dict[str, Any] = field(default_factory=dict)
    """Keys of the file that this version does not know; written back as they were."""


LoadStamp = Callable[[str, int, int], np.ndarray]
"""(digest, columns, rows) → float32 [rows, columns]; raises `ValueError` when that is not to be had."""


def version_of(data: dict[str, Any]) -> int | None:
    """The format version that `data` states; None when it states none."""
    version = data.get("version")
    return version if isinstance(version, int) and not isinstance(version, bool) else None


def migrated(data: dict[str, Any]) -> dict[str, Any]:
    """`data` in the present format: a copy down to what a migration changes. `data` itself is left as it is."""
    data = dict(data)
    version = version_of(data)
    while version in _MIGRATIONS:
        data = _MIGRATIONS[version](data)
        version = version_of(data)
    return data


def _from_1(data: dict[str, Any]) -> dict[str, Any]:
    """Version 1 was one plain file a world and had no stamps."""
    return {**data, "version": 2, "stamps": []}


def _from_2(data: dict[str, Any]) -> dict[str, Any]:
    """Version 2 knew no time: what was done to the land then was done at its beginning."""
    return {**data, "version": 3, "time_s": 0.0}


_MIGRATIONS: dict[int | None, Callable[[dict[str, Any]], dict[str, Any]]] = {1: _from_1, 2: _from_2}


def to_json(world: SavedWorld, edits: dict[str, Any] | None = None) -> dict[str, Any]:
    """Plain data; `edits` may be given where `world.edits.to_json()` is known already.

    Raises `ValueError` naming a number that is not finite or out of range.
    """
    _require("seed", world.seed, *_SEED)
    data: dict[str, Any] = {
        "version": VERSION,
        "game": __version__,
        "recipe": world.recipe,
        "seed": world.seed,
    }
    if world.sea_level_m is not None:
        data["sea_level_m"] = _require("sea_level_m", world.sea_level_m, *SEA_LEVEL_M)
    if world.hour is not None:
        data["hour"] = _require("hour", world.hour, 0.0, 24.0)
    if world.rain is not None:
        data["rain"] = world.rain.to_json()
    data["climate"] = settings_to_json(world.climate)
    data["time_s"] = _require("time_s", world.time_s, *TIME_S)
    if world.pose is not None:
        data["rider"] = _pose_json("rider", world.pose)
    course: dict[str, Any] = {}
    for key, line in (("start", world.course.start), ("finish", world.course.finish)):
        if line is not None:
            course[key] = _pose_json(f"course {key}", line)
    if world.course.best_s is not None:
        course["best_s"] = _require("course best_s", world.course.best_s, *BEST_S)
    if course:
        data["course"] = course
    data["stamps"] = [
        {
            "name": stamp.name,
            "x": stamp.x,
            "z": stamp.z,
            "spacing_m": stamp.spacing_m,
            "feather_m": stamp.feather_m,
            "columns": stamp.heights.shape[1],
            "rows": stamp.heights.shape[0],
            "sha256": stamp.digest,
        }
        for stamp in world.stamps
    ]
    data.update({key: value for key, value in world.extra.items() if key not in _KEYS})
    data["edits"] = world.edits.to_json() if edits is None else edits
    return data


def _pose_json(place: str, pose: Pose) -> dict[str, float]:
    return {
        "x": _require(f"{place} x", pose.x, -WORLD_LIMIT_M, WORLD_LIMIT_M),
        "z": _require(f"{place} z", pose.z, -WORLD_LIMIT_M, WORLD_LIMIT_M),
        "yaw_rad": _require(f"{place} yaw_rad", pose.yaw_rad, -1e6, 1e6),
    }


def from_json(data: dict[str, Any], load_stamp: LoadStamp, messages: list[str]) -> SavedWorld:
    """A world from plain data; whatever is not usable becomes its default, with a message that names it."""
    if version_of(data) is None or not 1 <= (version_of(data) or 0) <= VERSION:
        messages.append(f"version = {_show(data.get('version'))} is not usable; taken for {VERSION}")
        data = {**data, "version": VERSION}
    data = migrated(data)
    recipe = data.get("recipe")
    if not isinstance(recipe, str) or not recipe:
        messages.append(
            f"recipe = {_show(recipe)} is not usable (accepted: a recipe's name); 'alpine' is used"
        )
        recipe = "alpine"
    seed = data.get("seed")
    if isinstance(seed, bool) or not isinstance(seed, int) or not _SEED[0] <= seed <= _SEED[1]:
        messages.append(
            f"seed = {_show(seed)} is not usable (accepted: a whole number of 64 bits); 0 is used"
        )
        seed = 0
    sea_level_m = _number(data, "sea_level_m", *SEA_LEVEL_M, messages)
    hour = _number(data, "hour", 0.0, 24.0, messages)
    edits, skipped = EditLog.from_json(data.get("edits", {"strokes": []}))
    messages.extend(skipped)
    return SavedWorld(
        recipe,
        seed,
        edits,
        sea_level_m,
        hour,
        _pose(data.get("rider"), messages),
        _stamps(data.get("stamps", []), load_stamp, messages),
        _rain(data.get("rain"), messages),
        settings_from_json(data.get("climate"), messages),
        _number(data, "time_s", *TIME_S, messages) or 0.0,
        _course(data.get("course"), messages),
        {key: value for key, value in data.items() if key not in _KEYS},
    )


def _rain(rain: object, messages: list[str]) -> SavedRain | None:
    if rain is None:
        return None
    try:
        return SavedRain.from_json(rain)
    except ValueError as error:
        messages.append(f"{error}; it is dry")
        return None


def _course(course: object, messages: list[str]) -> SavedCourse:
    if course is None:
        return SavedCourse()
    if not isinstance(course, dict):
        messages.append(f"course = {_show(course)} is not usable (accepted: an object); there is none")
        return SavedCourse()
    start = _pose(course.get("start"), messages, "course start", "the line is left out")
    finish = _pose(course.get("finish"), messages, "course finish", "the line is left out")
    return SavedCourse(start, finish, _number(course, "best_s", *BEST_S, messages, "course "))


def _pose(
    rider: object, messages: list[str], place: str = "rider", otherwise: str = "a start is looked for"
) -> Pose | None:
    if rider is None:
        return None
    if not isinstance(rider, dict):
        messages.append(f"{place} = {_show(rider)} is not usable (accepted: an object with x, z, yaw_rad)")
        return None
    x = _number(rider, "x", -WORLD_LIMIT_M, WORLD_LIMIT_M, messages, f"{place} ")
    z = _number(rider, "z", -WORLD_LIMIT_M, WORLD_LIMIT_M, messages, f"{place} ")
    yaw_rad = _number(rider, "yaw_rad", -1e6, 1e6, messages, f"{place} ")
    if x is None or z is None:
        messages.append(f"{place}: no usable position under the keys 'x' and 'z'; {otherwise}")
        return None
    return Pose(x, z, yaw_rad or 0.0)


def _stamps(items: object, load_stamp: LoadStamp, messages: list[str]) -> list[Stamp]:
    if not isinstance(items, list):
        messages.append(f"stamps = {_show(items)} is not usable (accepted: a list); no stamp is laid")
        return []
    stamps = []
    for number, item in enumerate(items):
        try:
            stamps.append(_stamp(item, load_stamp))
        except ValueError as error:
            messages.append(f"stamps: number {number}: {error}; skipped")
    return stamps


def _stamp(item: object, load_stamp: LoadStamp) -> Stamp:
    if not isinstance(item, dict):
        raise ValueError(f"{_show(item)} is not an object")
    numbers: dict[str, float] = {}
    for key in ("x", "z", "spacing_m", "feather_m", "columns", "rows"):
        value = item.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e15:
            raise ValueError(f"{key} = {_show(value)} is not a usable number")
        numbers[key] = value
    digest = item.get("sha256")
    if not (
        isinstance(digest, str) and len(digest) == _DIGEST and all(c in "0123456789abcdef" for c in digest)
    ):
        raise ValueError(f"sha256 = {_show(digest)} is not 64 hexadecimal digits")
    columns, rows = numbers["columns"], numbers["rows"]
    if not (isinstance(columns, int) and isinstance(rows, int)):
        raise ValueError(f"columns = {columns!r}, rows = {rows!r} are not whole numbers")
    name = item.get("name", "")
    return Stamp(
        float(numbers["x"]),
        float(numbers["z"]),
        float(numbers["spacing_m"]),
        float(numbers["feather_m"]),
        load_stamp(digest, columns, rows),
        name if isinstance(name, str) else "",
    )


def _require(key: str, value: float, low: float, high: float) -> float:
    if not (math.isfinite(value) and low <= value <= high):
        raise ValueError(f"{key} = {value!r} is not saved; accepted are {low:g} to {high:g}")
    return value


def _show(value: object) -> str:
    """`value` in a message, cut when it is long."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a whole number of more than 4,300 digits
        return "an unprintable value"
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def _number(
    data: dict[str, Any], key: str, low: float, high: float, messages: list[str], place: str = ""
) -> float | None:
    """A number of `data` in its range; None with a message when it is not usable, silently when not there."""
    value = data.get(key)
    if value is None:
        return None
    usable = isinstance(value, int | float) and not isinstance(value, bool)
    if not usable or not low <= value <= high:
        messages.append(
            f"{place}{key} = {_show(value)} is not usable (accepted: {low:g} to {high:g}); the default is used"
        )
        return None
    return float(value)
