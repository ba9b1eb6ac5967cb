"""Saved worlds: one JSON file each, written so that a power cut at any moment leaves a world that loads.

Owns the file names, the atomic write, one backup generation and the repair of damaged content. A save is recipe
name, seed, edits, sea level, hour and where the rider stood: everything else follows from the world function.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from game.core.coords import WORLD_LIMIT_M
from game.core.errors import UsageError
from game.core.paths import user_data_dir
from game.world.edits import EditLog
from game.world.recipe import Recipe

VERSION = 1
"""Version of the file format; files of a later one are refused."""

SEA_LEVEL_M = (-10_000.0, 10_000.0)
"""Accepted sea levels."""

_SUFFIX = ".json"
_BACKUP = ".json.bak"
_BROKEN = ".json.broken"
_TEMPORARY_S = 60.0
_NAME = re.compile(r"[A-Za-z0-9_-](?:[A-Za-z0-9 _-]{0,58}[A-Za-z0-9_-])?")
# Names that one operating system gives to devices whatever the extension.
_DEVICES = {"con", "prn", "aux", "nul"} | {f"{port}{n}" for port in ("com", "lpt") for n in range(10)}


@dataclass(slots=True)
class Pose:
    """Where the rider stood: metres, heading in radians (0 = north, clockwise)."""

    x: float
    z: float
    yaw_rad: float = 0.0


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


def worlds_dir() -> Path:
    """Directory of the saved worlds; not made here."""
    return user_data_dir() / "worlds"


def check_name(name: str) -> str:
    """`name` without surrounding spaces, or `UsageError` saying what a save may be called."""
    name = name.strip()
    if not _NAME.fullmatch(name) or name.lower() in _DEVICES:
        raise UsageError(
            f"a world cannot be saved as {name!r}; use 1 to 60 letters a-z, digits, spaces, - and _"
            + (", and no name of a device" if name.lower() in _DEVICES else "")
        )
    if name.lower() in (recipe.lower() for recipe in Recipe.names()):
        raise UsageError(
            f"a world cannot be saved as {name!r}, because a recipe has that name; choose another"
        )
    return name


def list_worlds() -> list[str]:
    """Names of all saved worlds, sorted, those of which only the backup is left included."""
    directory = worlds_dir()
    if not directory.is_dir():
        return []
    files = [path.name for path in directory.iterdir() if path.is_file()]
    names = {
        file.removesuffix(suffix) for suffix in (_SUFFIX, _BACKUP) for file in files if file.endswith(suffix)
    }
    return sorted(name for name in names if _NAME.fullmatch(name))


def save_world(name: str, world: SavedWorld) -> Path:
    """Write `world` as `name` and return the file.

    The content goes to a temporary file that is synced and renamed over the old one; the old one becomes the
    backup, unless it does not read, in which case it is put aside and the backup stays.

    Raises `UsageError` for an unusable name or an unwritable directory, `ValueError` for a number that is not
    finite or out of range; nothing on disk has changed then.
    """
    name = check_name(name)
    content = json.dumps(_to_json(world), allow_nan=False, separators=(",", ":")).encode()
    directory = worlds_dir()
    path = directory / (name + _SUFFIX)
    temporary = directory / f".{name}-{uuid.uuid4().hex}.tmp"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        _sweep(directory, name)
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            # A broken file must never replace the good backup.
            reads = _read(path) is not None
            os.replace(path, directory / (name + (_BACKUP if reads else _BROKEN)))
        os.replace(temporary, path)
        _sync_directory(directory)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise UsageError(
            f"the world {name!r} cannot be written to {directory}: {error.strerror or error}; "
            "free space there or set VELOTERRA_DATA_DIR to a writable directory"
        ) from error
    return path


def load_world(name: str) -> tuple[SavedWorld, list[str]]:
    """The saved world `name`, and messages about everything that was repaired or left out.

    When the newest file is missing or does not read, the backup is used; a file that does not read is kept
    beside, with the ending `.json.broken`.

    Raises `UsageError` when there is no such world, when neither file reads, or when it comes from a later
    version of the game.
    """
    name = name.strip()
    directory = worlds_dir()
    if not _NAME.fullmatch(name) or not any((directory / (name + s)).exists() for s in (_SUFFIX, _BACKUP)):
        known = ", ".join(list_worlds()) or "none"
        raise UsageError(f"there is no saved world {name!r}; saved worlds: {known}")
    path = directory / (name + _SUFFIX)
    messages: list[str] = []
    data = _read(path)
    if data is None:
        reason = "does not read" if path.exists() else "is missing"
        if path.exists():
            with contextlib.suppress(OSError):
                os.replace(path, directory / (name + _BROKEN))
                reason += f" and is kept as {name + _BROKEN}"
        data = _read(directory / (name + _BACKUP))
        if data is None:
            raise UsageError(
                f"the saved world {name!r} cannot be read: {path.name} {reason}, and no backup reads"
            )
        messages.append(f"{path.name} {reason}; the backup was loaded")
    version = data.get("version")
    if isinstance(version, int) and version > VERSION:
        raise UsageError(
            f"the saved world {name!r} has format {version}, this game reads up to {VERSION}; update veloterra"
        )
    return _from_json(data, messages), messages


def delete_world(name: str) -> None:
    """Remove the saved world `name` and its backup. Raises `UsageError` when there is none."""
    name = name.strip()
    if name not in list_worlds():
        known = ", ".join(list_worlds()) or "none"
        raise UsageError(f"there is no saved world {name!r}; saved worlds: {known}")
    for suffix in (_SUFFIX, _BACKUP, _BROKEN):
        (worlds_dir() / (name + suffix)).unlink(missing_ok=True)


def _sweep(directory: Path, name: str) -> None:
    """Remove temporary files of saves that were killed; recent ones may belong to a save in progress."""
    for left in directory.glob(f".{name}-*.tmp"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > _TEMPORARY_S:
                left.unlink()


def _sync_directory(directory: Path) -> None:
    """Make renames in `directory` survive a power cut, where the system lets a directory be opened."""
    if os.name == "nt":
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _read(path: Path) -> dict[str, Any] | None:
    """The JSON object in `path`, or None when it is missing, damaged, or something else."""
    try:
        # A text editor may have put a byte order mark in front.
        data = json.loads(path.read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) and "recipe" in data else None


def _to_json(world: SavedWorld) -> dict[str, Any]:
    """Plain data, or `ValueError` naming the number that is refused."""
    _require("seed", world.seed, -(2**63), 2**64 - 1)
    data: dict[str, Any] = {"version": VERSION, "recipe": world.recipe, "seed": world.seed}
    if world.sea_level_m is not None:
        data["sea_level_m"] = _require("sea_level_m", world.sea_level_m, *SEA_LEVEL_M)
    if world.hour is not None:
        data["hour"] = _require("hour", world.hour, 0.0, 24.0)
    if world.pose is not None:
        data["rider"] = {
            "x": _require("rider x", world.pose.x, -WORLD_LIMIT_M, WORLD_LIMIT_M),
            "z": _require("rider z", world.pose.z, -WORLD_LIMIT_M, WORLD_LIMIT_M),
            "yaw_rad": _require("rider yaw_rad", world.pose.yaw_rad, -1e6, 1e6),
        }
    data["edits"] = world.edits.to_json()
    return data


def _require(key: str, value: float, low: float, high: float) -> float:
    if not (math.isfinite(value) and low <= value <= high):
        raise ValueError(f"{key} = {value!r} is not saved; accepted are {low:g} to {high:g}")
    return value


def _number(data: dict[str, Any], key: str, low: float, high: float, messages: list[str]) -> float | None:
    """A number of `data` in its range; None with a message when it is not usable, silently when not there."""
    value = data.get(key)
    if value is None:
        return None
    usable = isinstance(value, int | float) and not isinstance(value, bool)
    if not usable or not low <= value <= high:
        messages.append(
            f"{key} = {value!r} is not usable (accepted: {low:g} to {high:g}); the default is used"
        )
        return None
    return float(value)


def _from_json(data: dict[str, Any], messages: list[str]) -> SavedWorld:
    """A world from plain data; whatever is not usable becomes its default, with a message."""
    recipe = data.get("recipe")
    if not isinstance(recipe, str) or not recipe:
        messages.append(f"recipe = {recipe!r} is not usable (accepted: a recipe's name); 'alpine' is used")
        recipe = "alpine"
    seed = data.get("seed")
    if isinstance(seed, bool) or not isinstance(seed, int) or not -(2**63) <= seed < 2**64:
        messages.append(f"seed = {seed!r} is not usable (accepted: a whole number of 64 bits); 0 is used")
        seed = 0
    pose = None
    rider = data.get("rider")
    if isinstance(rider, dict):
        x = _number(rider, "x", -WORLD_LIMIT_M, WORLD_LIMIT_M, messages)
        z = _number(rider, "z", -WORLD_LIMIT_M, WORLD_LIMIT_M, messages)
        yaw_rad = _number(rider, "yaw_rad", -1e6, 1e6, messages)
        if x is None or z is None:
            messages.append("rider: no usable position under the keys 'x' and 'z'; a start is looked for")
        else:
            pose = Pose(x, z, yaw_rad or 0.0)
    elif rider is not None:
        messages.append(f"rider = {rider!r} is not usable (accepted: an object with x, z, yaw_rad)")
    sea_level_m = _number(data, "sea_level_m", *SEA_LEVEL_M, messages)
    hour = _number(data, "hour", 0.0, 24.0, messages)
    edits, skipped = EditLog.from_json(data.get("edits", {"strokes": []}))
    messages.extend(skipped)
    return SavedWorld(recipe, seed, edits, sea_level_m, hour, pose)
