"""Saved worlds as files, written so that a power cut at any moment leaves a world that loads.

Owns the directory of saved worlds: one directory a world, with the newest file, rotating backups and whatever the
world brings along; the trash; and the atomic write. What stands in a file is `world.saved`'s.

    worlds/NAME/world.json.gz      newest          worlds/NAME/recipe.toml        recipe of its own, if any
    worlds/NAME/world.1.json.gz    backups, 1 the latest   worlds/NAME/stamps/*.f32.gz    imported heightmaps
    worlds/NAME/version-*          what an earlier version of the format wrote
    worlds/NAME/damaged-*          what did not read or was repaired, as it was found
    worlds/.trash/                 deleted worlds  worlds/.locks/                 see `world.lock`
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import os
import re
import time
import uuid
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from game.core.errors import UsageError
from game.core.paths import user_data_dir
from game.world import saved
from game.world.compaction import compacted
from game.world.lock import WorldLock
from game.world.recipe import RECIPE_SUFFIX, Recipe
from game.world.saved import OWN_RECIPE, SEA_LEVEL_M, VERSION, Pose, SavedWorld
from game.world.stamps import MOST_SAMPLES

__all__ = [
    "BACKUPS",
    "SEA_LEVEL_M",
    "VERSION",
    "Pose",
    "SavedWorld",
    "WorldFile",
    "bring_back",
    "check_name",
    "copy_world",
    "delete_world",
    "encode",
    "free_name",
    "list_worlds",
    "load_world",
    "lock_world",
    "move_to_trash",
    "rename_world",
    "save_world",
    "trash_dir",
    "worlds_dir",
    "write_world",
]

BACKUPS = 4
"""Earlier states kept beside the newest one."""

NEWEST = "world.json.gz"
STAMPS = "stamps"
STAMP_SUFFIX = ".f32.gz"

_PLAIN = "world.json"
"""A file somebody unpacked to read or edit it; used when it is younger than the packed one."""
_OLD_SUFFIX = ".json"
_OLD_BACKUP = ".json.bak"
"""Version 1: one plain file a world, and one backup."""
_VERSION_NOW = f'"version":{VERSION},'.encode()
"""How a file of the present format begins, but for a brace."""
_MOST_BYTES = 1 << 28
_TEMPORARY_S = 60.0
_NAME = re.compile(r"[A-Za-z0-9_-](?:[A-Za-z0-9 _-]{0,58}[A-Za-z0-9_-])?")
# Names that one operating system gives to devices whatever the extension.
_DEVICES = {"con", "prn", "aux", "nul"} | {f"{port}{n}" for port in ("com", "lpt") for n in range(10)}


@dataclass(frozen=True, slots=True)
class WorldFile:
    """A world ready to be written: bytes only, so that another thread may do it."""

    content: bytes
    stamps: dict[str, NDArray[np.float32]]
    recipe: bytes | None = None
    """Content of the recipe of its own."""


def worlds_dir() -> Path:
    """Directory of the saved worlds; not made here."""
    return user_data_dir() / "worlds"


def trash_dir() -> Path:
    """Where deleted worlds go; not made here."""
    return worlds_dir() / ".trash"


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


def lock_world(name: str) -> WorldLock:
    """Lock `name` for this process. Raises `UsageError` when another instance has it."""
    return WorldLock(worlds_dir(), check_name(name))


def list_worlds() -> list[str]:
    """Names of all saved worlds, sorted, those of which only a backup is left included."""
    directory = worlds_dir()
    try:
        entries = list(directory.iterdir())
    except OSError:
        return []
    names = set()
    for path in entries:
        if path.is_dir():
            if any(path.glob("world*.json*")):
                names.add(path.name)
        else:
            names.update(
                path.name.removesuffix(s) for s in (_OLD_SUFFIX, _OLD_BACKUP) if path.name.endswith(s)
            )
    return sorted(name for name in names if _NAME.fullmatch(name))


def free_name(name: str) -> str:
    """`name` if it is free, as a name for a new world. Raises `UsageError` when it is unusable or taken."""
    name = check_name(name)
    taken = next((other for other in list_worlds() if other.casefold() == name.casefold()), None)
    if taken is not None:
        raise UsageError(f"there is a saved world {taken!r} already; choose another name, or delete it first")
    return name


def save_world(name: str, world: SavedWorld) -> Path:
    """Write `world` as `name` and return the file. `encode` and `write_world` in one."""
    return write_world(name, encode(world))


def encode(world: SavedWorld, edits: dict[str, Any] | None = None) -> WorldFile:
    """The bytes of `world`; `edits` may be given where `world.edits.to_json()` is known already.

    Raises `ValueError` for a number that is not finite or out of range, `UsageError` for a recipe file that is gone.
    """
    data, recipe = saved.to_json(world, edits), None
    data["edits"] = compacted(data["edits"])
    if world.recipe.endswith(RECIPE_SUFFIX):
        try:
            recipe = Path(world.recipe).read_bytes()
        except OSError as error:
            raise UsageError(
                f"the recipe {world.recipe!r} cannot be read for saving ({error.strerror or error}); put it back"
            ) from error
        data["recipe"] = OWN_RECIPE
    # No name and no time inside, so that the same world gives the same bytes.
    content = gzip.compress(_text(data).encode(), compresslevel=6, mtime=0)
    return WorldFile(content, {stamp.digest: stamp.heights for stamp in world.stamps}, recipe)


def _text(data: dict[str, Any]) -> str:
    """`data` as JSON. Long lists in `edits` are written item by item: one call for all of a large world would hold the
    interpreter, and with it the picture, for a tenth of a second."""

    def dump(value: object) -> str:
        return json.dumps(value, allow_nan=False, separators=(",", ":"))

    def dump_items(value: object) -> str:
        return f"[{','.join(map(dump, value))}]" if isinstance(value, list) else dump(value)

    edits = ",".join(f"{dump(key)}:{dump_items(value)}" for key, value in data["edits"].items())
    rest = dump({key: value for key, value in data.items() if key != "edits"})
    return f'{rest[:-1]},"edits":{{{edits}}}}}'


def write_world(name: str, file: WorldFile) -> Path:
    """Write `file` as the newest state of `name` and return its path. Any thread, one at a time.

    The content goes to a temporary file that is synced and renamed over the newest one, which was linked as the
    latest backup before: at no moment is there no good file. A newest file that does not read never becomes a backup;
    it is kept as `damaged-…`.

    Raises `UsageError` for an unusable name, a full disk or an unwritable directory; what was saved is untouched then.
    """
    name = check_name(name)
    near = next((other for other in list_worlds() if other.casefold() == name.casefold()), name)
    if near != name:
        raise UsageError(f"a world cannot be saved as {name!r}, because there is one named {near!r}")
    directory = worlds_dir() / name
    path = directory / NEWEST
    try:
        directory.mkdir(parents=True, exist_ok=True)
        _sweep(directory)
        for digest, heights in file.stamps.items():
            _write_stamp(directory, digest, heights)
        if file.recipe is not None and _bytes_of(directory / OWN_RECIPE) != file.recipe:
            _write(directory / OWN_RECIPE, file.recipe)
        present = _bytes_of(path)
        if present == file.content:
            return path
        _keep_older_version(path, present)
        _write(path, file.content, before=lambda: _rotate(directory))
        _retire_old(name, directory)
        _sync_directory(directory.parent)
    except OSError as error:
        raise UsageError(
            f"the world {name!r} cannot be written to {directory}: {error.strerror or error}; "
            "free space there or set VELOTERRA_DATA_DIR to a writable directory"
        ) from error
    return path


def load_world(name: str) -> tuple[SavedWorld, list[str]]:
    """The saved world `name`, and messages about everything that was repaired or left out.

    When the newest file is missing or does not read, the latest backup that does is used. A file that did not read,
    or had to be repaired, is kept beside as `damaged-…`.

    Raises `UsageError` when there is no such world, when no file reads, or when it comes from a later version of the
    game.
    """
    name = _known(name)
    messages: list[str] = []
    directory = worlds_dir() / name
    for path in _files(name):
        raw = _bytes_of(path)
        data = None if raw is None else _parse(raw)
        if raw is not None and data is None:
            kept = _keep_damaged(directory, path, raw)
            messages.append(f"{path.name} does not read{kept}")
            continue
        if data is None:
            continue
        version = saved.version_of(data)
        if version is not None and version > VERSION:
            raise UsageError(
                f"the saved world {name!r} has format {version}, this game reads up to {VERSION}; update veloterra"
            )
        if path.name not in (NEWEST, _PLAIN, name + _OLD_SUFFIX):
            missing = "" if messages else f"{NEWEST} is missing; "
            messages.append(f"{missing}the backup {path.name} was loaded")
        repairs: list[str] = []
        world = saved.from_json(data, lambda *wanted: _read_stamp(directory, *wanted), repairs)
        if world.recipe == OWN_RECIPE:
            world.recipe = str(directory / OWN_RECIPE)
        if repairs and raw is not None:
            repairs.append(f"{path.name} had damage{_keep_damaged(directory, path, raw)}")
        return world, messages + repairs
    found = "; ".join(messages) or "there is no file left"
    raise UsageError(f"the saved world {name!r} cannot be read: {found}, and no backup reads")


def rename_world(name: str, new: str) -> None:
    """Rename a saved world. Raises `UsageError` for unknown, unusable or taken names, or when it is open elsewhere."""
    name = _known(name)
    new = check_name(new) if new.strip().casefold() == name.casefold() else free_name(new)
    with lock_world(name), _said(f"the world {name!r} cannot be renamed to {new!r}"):
        _as_directory(name)
        os.replace(worlds_dir() / name, worlds_dir() / new)
        _sync_directory(worlds_dir())


def copy_world(name: str, new: str) -> None:
    """Duplicate a saved world, backups left out. Raises `UsageError` as `rename_world`."""
    name, new = _known(name), free_name(new)
    with lock_world(name), lock_world(new):
        world, _ = load_world(name)
        save_world(new, world)


def delete_world(name: str) -> Path:
    """Move the saved world `name` with its backups to the trash; return where it lies now.

    Raises `UsageError` when there is none, when it is open elsewhere, or when it cannot be moved.
    """
    name = _known(name)
    with lock_world(name):
        return move_to_trash(name)


def move_to_trash(name: str) -> Path:
    """`delete_world` for whoever holds the lock already."""
    with _said(f"the world {name!r} cannot be moved to the trash"):
        _as_directory(name)
        trash_dir().mkdir(parents=True, exist_ok=True)
        stamp = time.strftime("%Y%m%d-%H%M%S")
        target = trash_dir() / f"{name} {stamp} {uuid.uuid4().hex[:4]}"
        os.replace(worlds_dir() / name, target)
        _sync_directory(worlds_dir())
    return target


def bring_back(trashed: Path, name: str) -> None:
    """Undo `move_to_trash`, where nothing has taken the name meanwhile."""
    with _said(f"the world {name!r} cannot be brought back; it lies in {trashed}"):
        with contextlib.suppress(OSError):
            (worlds_dir() / name).rmdir()
        os.rename(trashed, worlds_dir() / name)


def _known(name: str) -> str:
    """`name` of an existing world, or `UsageError`. Never a path: only what the listing holds is accepted."""
    name = name.strip()
    known = list_worlds()
    if name not in known:
        raise UsageError(f"there is no saved world {name!r}; saved worlds: {', '.join(known) or 'none'}")
    return name


def _files(name: str) -> list[Path]:
    """Files that may hold the world, best first; not all need exist."""
    base = worlds_dir()
    newest = [base / name / NEWEST, base / name / _PLAIN]
    with contextlib.suppress(OSError):
        if newest[1].stat().st_mtime > newest[0].stat().st_mtime:
            newest.reverse()
    backups = [base / name / _backup(number) for number in range(1, BACKUPS + 1)]
    return [*newest, *backups, base / (name + _OLD_SUFFIX), base / (name + _OLD_BACKUP)]


def _backup(number: int) -> str:
    return f"world.{number}.json.gz"


def _rotate(directory: Path) -> None:
    """Make the newest file the latest backup, and leave it where it is."""
    plain, path = directory / _PLAIN, directory / NEWEST
    if plain.exists():
        # It was loaded, or was older than what was; either way it is history from now on.
        os.replace(plain, directory / f"unpacked-{_digest(plain.read_bytes())}.json")
    content = _bytes_of(path)
    if content is None:
        return
    if _parse_bytes(content) is None:
        _keep_damaged(directory, path, content)
        return
    for number in range(BACKUPS, 1, -1):
        with contextlib.suppress(FileNotFoundError):
            os.replace(directory / _backup(number - 1), directory / _backup(number))
    try:
        os.link(path, directory / _backup(1))
    except OSError:  # a file system without links
        _write(directory / _backup(1), content)


def _write(path: Path, content: bytes, before: Any = None) -> None:
    """Put `content` at `path`, whole or not at all; `before` runs when it is safely on disk, before the switch."""
    temporary = path.parent / f".{uuid.uuid4().hex}.tmp"
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if before is not None:
            before()
        os.replace(temporary, path)
        _sync_directory(path.parent)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def _sweep(directory: Path) -> None:
    """Remove temporary files of saves that were killed; recent ones may belong to a save in progress."""
    for left in directory.glob(".*.tmp"):
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


def _retire_old(name: str, directory: Path) -> None:
    """Put the files of version 1 beside the migrated world; they stay what they were."""
    for suffix, kept in ((_OLD_SUFFIX, "version-1.json"), (_OLD_BACKUP, "version-1.bak.json")):
        with contextlib.suppress(FileNotFoundError):
            os.replace(worlds_dir() / (name + suffix), directory / kept)


def _keep_older_version(path: Path, content: bytes | None) -> None:
    """Keep a file that an earlier version of the format wrote as `version-N.json.gz`: backups rotate away."""
    data = None if content is None or _VERSION_NOW in _head(content) else _parse(content)
    version = None if data is None else saved.version_of(data)
    if version is None or version >= VERSION:
        return
    kept = path.with_name(f"version-{version}{NEWEST.removeprefix('world')}")
    if not kept.exists() and content is not None:
        _write(kept, content)


def _head(content: bytes) -> bytes:
    """The first bytes of what is packed in `content`; nothing where that does not unpack."""
    try:
        return zlib.decompressobj(wbits=31).decompress(content, 64)
    except zlib.error:
        return b""


def _as_directory(name: str) -> None:
    """Give a world of version 1 a directory, so that it moves as one; its file becomes the newest, unpacked."""
    directory = worlds_dir() / name
    directory.mkdir(exist_ok=True)
    old, backup = worlds_dir() / (name + _OLD_SUFFIX), worlds_dir() / (name + _OLD_BACKUP)
    if old.exists():
        new = directory / ("version-1.json" if any(directory.glob("world*.json*")) else _PLAIN)
        os.replace(old, new)
    if backup.exists():
        content = backup.read_bytes()
        if not any(directory.glob("world*.json*")):
            _write(directory / _backup(1), gzip.compress(content, mtime=0))
        os.replace(backup, directory / "version-1.bak.json")


def _bytes_of(path: Path) -> bytes | None:
    """Content of a file; None when it is missing or cannot be read."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            return b""
        return path.read_bytes()
    except OSError:
        return None


def _parse_bytes(raw: bytes) -> bytes | None:
    """The text of a world file, packed or plain; None when it is damaged, or too large to be one."""
    if raw[:2] != b"\x1f\x8b":
        return raw if raw.rstrip()[-1:] == b"}" else None
    unpacked = zlib.decompressobj(wbits=31)
    try:
        text = unpacked.decompress(raw, _MOST_BYTES)
    except zlib.error:
        return None
    return text if unpacked.eof else None


def _parse(raw: bytes) -> dict[str, Any] | None:
    """The JSON object in a file's content, or None when it is damaged, or something else."""
    text = _parse_bytes(raw)
    try:
        # A text editor may have put a byte order mark in front.
        data = None if text is None else json.loads(text.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) and "recipe" in data else None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]


def _keep_damaged(directory: Path, path: Path, raw: bytes) -> str:
    """Keep a copy of a damaged file under a name made of its content; say so, or nothing where that fails."""
    suffix = ".json.gz" if path.name.endswith(".gz") else ".json"
    kept = directory / f"damaged-{_digest(raw)}{suffix}"
    try:
        directory.mkdir(exist_ok=True)
        if not kept.exists():
            _write(kept, raw)
    except OSError:
        return ""
    return f" and is kept as {kept.name}"


def _write_stamp(directory: Path, digest: str, heights: NDArray[np.float32]) -> None:
    path = directory / STAMPS / (digest + STAMP_SUFFIX)
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        _write(path, gzip.compress(heights.astype("<f4").tobytes(), compresslevel=6, mtime=0))


def _read_stamp(directory: Path, digest: str, columns: int, rows: int) -> NDArray[np.float32]:
    """Samples of a stamp; `ValueError` when the file is missing, damaged or of another size."""
    path = directory / STAMPS / (digest + STAMP_SUFFIX)
    raw = _bytes_of(path)
    if raw is None:
        raise ValueError(f"the file {STAMPS}/{path.name} is missing")
    if not 0 < columns * rows <= MOST_SAMPLES or min(columns, rows) < 0:
        raise ValueError(f"columns = {columns}, rows = {rows} are not accepted")
    return unpack_stamp(raw, digest, columns, rows)


def unpack_stamp(raw: bytes, digest: str, columns: int, rows: int) -> NDArray[np.float32]:
    """Samples float32 [rows, columns] of a stamp file's content; `ValueError` when it is not what it should be."""
    unpacked = zlib.decompressobj(wbits=31)
    try:
        content = unpacked.decompress(raw, 4 * columns * rows + 1)
    except zlib.error:
        content = b""
    if len(content) != 4 * columns * rows or hashlib.sha256(content).hexdigest() != digest:
        raise ValueError(f"the file {STAMPS}/{digest}{STAMP_SUFFIX} is damaged, or not of {columns} × {rows}")
    return np.frombuffer(content, "<f4").reshape(rows, columns).astype(np.float32)


@contextlib.contextmanager
def _said(sentence: str) -> Any:
    """Turn an `OSError` into a `UsageError` that begins with `sentence`."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{sentence}: {error.strerror or error}") from error
