"""`.veloterra` packs: one saved world in one zip file, to be sent to a friend.

Owns the pack's layout, its checksums and the refusal of anything else. A pack is read with limits and by an allowlist
of names, never extracted: nothing in it can choose where a file goes.

    manifest.json   what this is, sizes and SHA-256 of every other file, and a fingerprint of the land
    world.json      docs/world-format.md, plain        recipe.toml, stamps/*.f32.gz   where the world has them
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import re
import tempfile
import uuid
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from game import __version__
from game.core.errors import UsageError
from game.world import World, saved
from game.world.save import (
    STAMP_SUFFIX,
    STAMPS,
    SavedWorld,
    check_name,
    encode,
    free_name,
    load_world,
    lock_world,
    unpack_stamp,
    write_world,
)
from game.world.saved import OWN_RECIPE

FORMAT = "veloterra-pack"
VERSION = 1
SUFFIX = ".veloterra"

_MANIFEST, _WORLD = "manifest.json", "world.json"
_ALLOWED = re.compile(rf"{_MANIFEST}|{_WORLD}|{OWN_RECIPE}|{STAMPS}/[0-9a-f]{{64}}{re.escape(STAMP_SUFFIX)}")
_MOST_FILES = 1000
_MOST_BYTES = 1 << 28
_MOST_RATIO = 1100
"""Deflate cannot do better than about 1032 to 1."""
_EPOCH = (1980, 1, 1, 0, 0, 0)
_FINGERPRINT_SIDE = 48


def pack(name: str, path: Path) -> list[str]:
    """Write the saved world `name` as the pack `path`; return what was repaired on the way.

    The same world gives the same bytes. Raises `UsageError` when there is no such world or `path` cannot be written.
    """
    world, messages = load_world(name)
    file = encode(world)
    contents = {_WORLD: gzip.decompress(file.content)}
    if file.recipe is not None:
        contents[OWN_RECIPE] = file.recipe
    for digest, heights in file.stamps.items():
        contents[f"{STAMPS}/{digest}{STAMP_SUFFIX}"] = gzip.compress(heights.astype("<f4").tobytes(), mtime=0)
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "name": name.strip(),
        "game": __version__,
        "land_sha256": land_fingerprint(name.strip(), world),
        "files": {
            entry: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            for entry, content in contents.items()
        },
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for entry, content in {_MANIFEST: json.dumps(manifest, indent=1).encode(), **contents}.items():
            archive.writestr(zipfile.ZipInfo(entry, _EPOCH), content, zipfile.ZIP_DEFLATED)
    temporary = path.with_name(f".{path.name}-{uuid.uuid4().hex}.tmp")
    try:
        with temporary.open("xb") as out:
            out.write(buffer.getvalue())
            out.flush()
            os.fsync(out.fileno())
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise UsageError(
            f"--out: {path} cannot be written ({error.strerror or error}); give another file"
        ) from None
    return messages


def unpack(path: Path, name: str | None = None) -> tuple[str, list[str]]:
    """Make a saved world of the pack `path`; return its name and messages about repairs and differences.

    `name`: what to call it; None takes the pack's own. Raises `UsageError` for anything that is not a whole, unaltered
    pack, and when the name is taken.
    """
    contents = _read(path)
    manifest = _json(path, _MANIFEST, contents.pop(_MANIFEST))
    _check(path, manifest, contents)
    data = _json(path, _WORLD, contents[_WORLD])
    version = saved.version_of(data)
    if version is not None and version > saved.VERSION:
        raise UsageError(
            f"{path} holds a world of format {version}, this game reads up to {saved.VERSION}; update veloterra"
        )
    target = free_name(name if name is not None else _name_in(manifest))
    messages: list[str] = []

    def stamp(digest: str, columns: int, rows: int) -> np.ndarray:
        raw = contents.get(f"{STAMPS}/{digest}{STAMP_SUFFIX}")
        if raw is None:
            raise ValueError("its samples are not in the pack")
        if not 0 < columns * rows <= 1 << 26:
            raise ValueError(f"columns = {columns}, rows = {rows} are not accepted")
        return unpack_stamp(raw, digest, columns, rows)

    world = saved.from_json(data, stamp, messages)
    with tempfile.TemporaryDirectory() as directory:
        if world.recipe == OWN_RECIPE:
            if OWN_RECIPE not in contents:
                raise UsageError(f"{path} is not usable: the world's {OWN_RECIPE} is not in it")
            recipe = Path(directory) / OWN_RECIPE
            recipe.write_bytes(contents[OWN_RECIPE])
            world.recipe = str(recipe)
        elif world.recipe.endswith(".toml"):
            raise UsageError(f"{path} is not usable: its recipe {world.recipe!r} is a file outside the pack")
        with lock_world(target):
            write_world(target, encode(world))
    loaded, _ = load_world(target)
    if manifest.get("land_sha256") != land_fingerprint(target, loaded):
        messages.append(
            f"the land differs from the one that was packed (by veloterra {manifest.get('game')!r}; this is "
            f"{__version__}): the recipe {world.recipe!r} has changed, or the file was repaired"
        )
    return target, messages


def land_fingerprint(name: str, world: SavedWorld) -> str:
    """SHA-256 of heights near the rider, near the last edit and far off, fine and coarse: the bits of the land."""
    land = World(name)
    centres = [(0.0, 0.0), (131_072.0, -65_536.0)]
    if world.pose is not None:
        centres.append((world.pose.x, world.pose.z))
    ops = world.edits.snapshot().ops
    if len(ops):
        centres.append((float(ops[-1][1]), float(ops[-1][2])))
    centres += [(stamp.x, stamp.z) for stamp in world.stamps]
    digest = hashlib.sha256()
    for x, z in centres:
        for spacing in (1, 32):
            x0, z0 = ((int(v) // spacing - _FINGERPRINT_SIDE // 2) * spacing for v in (x, z))
            block = land.heights(x0, z0, _FINGERPRINT_SIDE, _FINGERPRINT_SIDE, spacing)
            digest.update(block.astype("<f4").tobytes())
    return digest.hexdigest()


def _refused(path: Path, why: str) -> UsageError:
    return UsageError(f"{path} is not a usable {SUFFIX} pack: {why}")


def _read(path: Path) -> dict[str, bytes]:
    """Every file of the pack, within limits. Raises `UsageError`."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            if len(entries) > _MOST_FILES:
                raise _refused(path, f"it holds {len(entries)} files, at most {_MOST_FILES} are accepted")
            contents: dict[str, bytes] = {}
            room = _MOST_BYTES
            for entry in entries:
                if not _ALLOWED.fullmatch(entry.filename) or (entry.external_attr >> 28) == 0xA:
                    raise _refused(path, f"the file {entry.filename!r} does not belong in one")
                if entry.filename in contents:
                    raise _refused(path, f"{entry.filename} is in it twice")
                if entry.flag_bits & 1:
                    raise _refused(path, "it is encrypted")
                if entry.file_size > room or entry.file_size > _MOST_RATIO * max(entry.compress_size, 1):
                    raise _refused(path, f"{entry.filename} would take {entry.file_size} bytes unpacked")
                with archive.open(entry) as file:
                    # The stated size may be a lie: never more than that is read.
                    content = file.read(entry.file_size + 1)
                if len(content) != entry.file_size:
                    raise _refused(path, f"{entry.filename} has not the size it states")
                room -= len(content)
                contents[entry.filename] = content
    except FileNotFoundError:
        raise UsageError(f"{path} does not exist; give the path of a {SUFFIX} pack") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise _refused(path, f"it is damaged or no zip file ({error})") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror or error})") from None
    for needed in (_MANIFEST, _WORLD):
        if needed not in contents:
            raise _refused(path, f"{needed} is missing")
    return contents


def _json(path: Path, entry: str, content: bytes) -> dict[str, Any]:
    try:
        data = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise _refused(path, f"{entry} is not a JSON object")
    return data


def _check(path: Path, manifest: dict[str, Any], contents: dict[str, bytes]) -> None:
    """Compare every file with the manifest. Raises `UsageError`."""
    if manifest.get("format") != FORMAT:
        raise _refused(path, f"its manifest says format = {manifest.get('format')!r}, not {FORMAT!r}")
    version = manifest.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise _refused(path, f"it has version {version!r}, this game reads up to {VERSION}; update veloterra")
    files = manifest.get("files")
    if not isinstance(files, dict) or files.keys() != contents.keys():
        raise _refused(path, "its manifest does not list the files that are in it")
    for entry, content in contents.items():
        stated = files[entry]
        digest = stated.get("sha256") if isinstance(stated, dict) else None
        if digest != hashlib.sha256(content).hexdigest():
            raise _refused(path, f"the checksum of {entry} does not fit; get the file again")


def _name_in(manifest: dict[str, Any]) -> str:
    """A usable name from the pack's own: whatever is not accepted becomes `_`. Never a path."""
    name = manifest.get("name")
    text = re.sub(r"[^A-Za-z0-9 _-]", "_", name if isinstance(name, str) else "")[:60].strip()
    try:
        return check_name(text)
    except UsageError:
        return check_name(f"packed {text}"[:60].strip() or "packed")
