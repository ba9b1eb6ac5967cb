"""`veloterra worlds`, `export` and `import`: words in, files out, one sentence when a word is wrong.

Called by the command line; owns these commands' words and what they print. Results go to stdout, progress and warnings
to stderr.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from game.core.coords import WORLD_LIMIT_M
from game.core.errors import UsageError
from game.core.report import check_writable
from game.world.recipe import Recipe

if TYPE_CHECKING:
    from game.world import World

COMMANDS = ("worlds", "export", "import")
"""First words that `main` takes."""

_WORLDS = ("list", "show", "create", "rename", "copy", "delete", "pack", "unpack")
_EXPORT_SPACING_M = (1.0 / 64.0, 65_536.0)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see {self.prog} --help")


def main(words: Sequence[str]) -> int:
    """Run `worlds …`, `export …` or `import …`; returns the exit code. Raises `UsageError`."""
    command, *rest = words
    rest = _joined(rest)
    if command == "export":
        return _export(rest)
    if command == "import":
        return _import(rest)
    if rest and rest[0] in ("-h", "--help"):
        print(f"usage: veloterra worlds {{{','.join(_WORLDS)}}} …")
        return 0
    action = rest[0] if rest else "list"
    if action not in _WORLDS:
        raise UsageError(f"worlds: {action!r} is not known; use one of {', '.join(_WORLDS)}")
    return _ACTIONS[action](rest[1:])


def _joined(words: Sequence[str]) -> list[str]:
    """`--at -5,3` → `--at=-5,3`: argparse would take the value for an option."""
    joined: list[str] = []
    for word in words:
        if joined and re.fullmatch(r"--[a-z-]+", joined[-1]) and re.match(r"-[\d.]", word):
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined


def _numbers(count: int, form: str, low: float, high: float) -> Callable[[str], tuple[float, ...]]:
    def read(text: str) -> tuple[float, ...]:
        try:
            values = tuple(float(part) for part in text.split(","))
        except ValueError:
            values = ()
        if len(values) != count or not all(low <= value <= high for value in values):
            each = "each " if count > 1 else ""
            raise argparse.ArgumentTypeError(
                f"{text!r} is not accepted; give {form}, {each}from {low:g} to {high:g}"
            )
        return values

    return read


def _number(low: float, high: float, unit: str = "metres") -> Callable[[str], float]:
    read = _numbers(1, unit, low, high)
    return lambda text: read(text)[0]


def _seed(text: str) -> int:
    if not re.fullmatch(r"[+-]?\d{1,40}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not accepted; give an integer")
    return int(text)


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,6})[xX](\d{1,6})", text)
    if not match:
        raise argparse.ArgumentTypeError(f"{text!r} is not accepted; give COLUMNSxROWS, e.g. 1025x1025")
    return int(match[1]), int(match[2])


def _say(messages: Sequence[str]) -> None:
    for message in messages:
        print(f"veloterra: {message}", file=sys.stderr)


# Saved worlds.


def _facts(name: str) -> tuple[dict[str, Any], list[str]]:
    """What `list` and `show` tell of a world."""
    from game.world.save import load_world, worlds_dir

    world, messages = load_world(name)
    files = list(worlds_dir().glob(f"{name}.json"))
    files += list((worlds_dir() / name).glob("world*.json*"))
    newest = max((path.stat().st_mtime for path in files), default=0.0)
    pose = world.pose
    facts: dict[str, Any] = {
        "name": name,
        "recipe": world.recipe,
        "seed": world.seed,
        "strokes": world.edits.strokes,
        "dabs": len(world.edits),
        "stamps": len(world.stamps),
        "sea_level_m": world.sea_level_m,
        "hour": world.hour,
        "rider_m": None if pose is None else [pose.x, pose.z],
        "saved": time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(newest)),
        "bytes": sum(path.stat().st_size for path in files),
    }
    return facts, messages


def _list(words: list[str]) -> int:
    parser = _Parser(prog="veloterra worlds list", allow_abbrev=False)
    parser.add_argument("--json", action="store_true", help="for programs")
    arguments = parser.parse_args(words)
    from game.world.save import list_worlds, worlds_dir

    found, warnings = [], []
    for name in list_worlds():
        try:
            facts, messages = _facts(name)
        except UsageError as error:
            warnings.append(str(error))
            continue
        found.append(facts)
        if messages:
            warnings.append(f"{name}: {len(messages)} messages; see: veloterra worlds show {name!r}")
    if arguments.json:
        print(json.dumps(found, indent=2))
    elif found:
        table = Table("name", "recipe", "seed", "dabs", "stamps", "saved", "KiB", box=None, pad_edge=False)
        for facts in found:
            table.add_row(
                *(str(facts[key]) for key in ("name", "recipe", "seed", "dabs", "stamps", "saved")),
                str(-(-facts["bytes"] // 1024)),
            )
        console = Console()
        # A file or a pipe has no width: nothing is cut there.
        (console if console.is_terminal else Console(width=400)).print(table)
    elif not warnings:
        print(f"no saved worlds in {worlds_dir()}; make one with: veloterra --save NAME")
    _say(warnings)
    return 0


def _show(words: list[str]) -> int:
    parser = _Parser(prog="veloterra worlds show", allow_abbrev=False)
    parser.add_argument("name")
    parser.add_argument("--json", action="store_true", help="for programs")
    arguments = parser.parse_args(words)
    facts, messages = _facts(arguments.name.strip())
    if arguments.json:
        print(json.dumps({**facts, "messages": messages}, indent=2))
    else:
        for key, value in facts.items():
            print(f"{key:12} {'-' if value is None else value}")
        _say(messages)
    return 0


def _create(words: list[str]) -> int:
    parser = _Parser(prog="veloterra worlds create", allow_abbrev=False)
    parser.add_argument("name")
    parser.add_argument("--world", default="alpine", metavar="NAME|FILE", help="recipe name or recipe file")
    parser.add_argument("--seed", type=_seed, default=1, metavar="N")
    arguments = parser.parse_args(words)
    from game.world.save import SavedWorld, free_name, lock_world, save_world

    name = free_name(arguments.name)
    Recipe.load(arguments.world)
    with lock_world(name):
        save_world(name, SavedWorld(arguments.world, arguments.seed & 0xFFFF_FFFF_FFFF_FFFF))
    print(f"made the world {name!r}; ride it with: veloterra --save {name!r}")
    return 0


def _two_names(words: list[str], prog: str) -> tuple[str, str]:
    parser = _Parser(prog=f"veloterra worlds {prog}", allow_abbrev=False)
    parser.add_argument("name")
    parser.add_argument("new_name")
    arguments = parser.parse_args(words)
    return arguments.name, arguments.new_name


def _rename(words: list[str]) -> int:
    name, new = _two_names(words, "rename")
    from game.world.save import rename_world

    rename_world(name, new)
    print(f"{name.strip()!r} is now {new.strip()!r}")
    return 0


def _copy(words: list[str]) -> int:
    name, new = _two_names(words, "copy")
    from game.world.save import copy_world

    copy_world(name, new)
    print(f"{new.strip()!r} is a copy of {name.strip()!r}")
    return 0


def _delete(words: list[str]) -> int:
    parser = _Parser(prog="veloterra worlds delete", allow_abbrev=False)
    parser.add_argument("name")
    arguments = parser.parse_args(words)
    from game.world.save import delete_world

    print(f"moved to {delete_world(arguments.name)}; move it back beside the other worlds to undo this")
    return 0


def _pack(words: list[str]) -> int:
    parser = _Parser(prog="veloterra worlds pack", allow_abbrev=False)
    parser.add_argument("name")
    parser.add_argument("--out", type=Path, default=None, metavar="FILE.veloterra")
    arguments = parser.parse_args(words)
    from game.exchange import pack

    name = arguments.name.strip()
    path = arguments.out or Path(name + pack.SUFFIX)
    check_writable(path, "--out")
    _say(pack.pack(name, path))
    print(f"packed {name!r} into {path} ({-(-path.stat().st_size // 1024)} KiB)")
    return 0


def _unpack(words: list[str]) -> int:
    parser = _Parser(prog="veloterra worlds unpack", allow_abbrev=False)
    parser.add_argument("file", type=Path)
    parser.add_argument("--as", dest="name", default=None, metavar="NAME")
    arguments = parser.parse_args(words)
    from game.exchange import pack

    name, messages = pack.unpack(arguments.file, arguments.name)
    _say(messages)
    print(f"unpacked the world {name!r}; ride it with: veloterra --save {name!r}")
    return 0


_ACTIONS: dict[str, Callable[[list[str]], int]] = {
    "list": _list,
    "show": _show,
    "create": _create,
    "rename": _rename,
    "copy": _copy,
    "delete": _delete,
    "pack": _pack,
    "unpack": _unpack,
}


# Land out and in.


def _export(words: list[str]) -> int:
    from game.exchange.heightmap import FORMATS, Area, export

    parser = _Parser(prog="veloterra export", description="Land for other programs.", allow_abbrev=False)
    metres = _numbers(4, "X0,Z0,X1,Z1 in metres", -WORLD_LIMIT_M, WORLD_LIMIT_M)
    parser.add_argument("--bounds", type=metres, required=True, metavar="X0,Z0,X1,Z1", help="metres")
    parser.add_argument("--spacing", type=_number(*_EXPORT_SPACING_M), required=True, metavar="M")
    parser.add_argument("--format", choices=(*FORMATS, "geojson"), required=True)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    parser.add_argument("--world", default="alpine", metavar="NAME|FILE|SAVE")
    parser.add_argument("--seed", type=_seed, default=None, metavar="N")
    parser.add_argument("--min", type=_number(-1e5, 1e5), default=None, metavar="M", help="height of value 0")
    parser.add_argument("--max", type=_number(-1e5, 1e5), default=None, metavar="M", help="height of 65535")
    parser.add_argument(
        "--sea", type=_number(-1e5, 1e5), default=None, metavar="M", help="geojson: its coast"
    )
    parser.add_argument("--local", action="store_true", help="OBJ: coordinates from the north-west corner")
    arguments = parser.parse_args(words)
    x0, z0, x1, z1 = arguments.bounds
    if arguments.format == "geojson":
        return _export_coast(arguments)
    if arguments.sea is not None:
        raise UsageError(f"--sea is for geojson; {arguments.format} holds the land, whatever the sea")
    area = Area.of(x0, z0, x1, z1, arguments.spacing)
    if arguments.min is not None and arguments.max is not None and not arguments.max > arguments.min:
        raise UsageError(f"--max: {arguments.max:g} is not above --min {arguments.min:g}")
    if arguments.format not in ("png16", "r16") and not (arguments.min is arguments.max is None):
        raise UsageError(
            f"--min and --max are for png16 and r16; {arguments.format} holds metres as they are"
        )
    check_writable(arguments.out, "--out")
    world, _ = _world(arguments)
    about = {"world": arguments.world, "seed": world.seed}
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"{area.columns} × {area.rows} samples", total=area.samples)
        warnings = export(
            world,
            area,
            arguments.format,
            arguments.out,
            about,
            lambda done, total: bar.update(task, completed=done),
            arguments.min,
            arguments.max,
            arguments.local,
        )
    _say(warnings)
    facts = json.loads(arguments.out.with_name(arguments.out.name + ".json").read_text(encoding="utf-8"))
    print(
        f"{arguments.out}: {area.columns} × {area.rows} samples, {area.spacing_m:g} m apart, heights from "
        f"{facts['lowest_m']:.2f} to {facts['highest_m']:.2f} m; see {arguments.out.name}.json"
    )
    return 0


def _world(arguments: argparse.Namespace) -> tuple[World, float]:
    """The world that `--world` and `--seed` name, and its sea level."""
    from game.world import World
    from game.world.save import list_worlds, load_world

    sea_level_m = 0.0
    saved = arguments.world not in Recipe.names() and arguments.world in list_worlds()
    if saved:
        loaded, messages = load_world(arguments.world)
        _say(messages)
        sea_level_m = loaded.sea_level_m or 0.0
    seed = 1 if arguments.seed is None and not saved else arguments.seed
    return World(arguments.world, seed=seed), sea_level_m


def _export_coast(arguments: argparse.Namespace) -> int:
    from game.exchange.coast import write_geojson
    from game.exchange.map import check_bounds

    for word, given in (
        ("--min", arguments.min),
        ("--max", arguments.max),
        ("--local", arguments.local or None),
    ):
        if given is not None:
            raise UsageError(f"{word} is for heights; geojson holds coast lines")
    try:
        check_bounds(arguments.bounds)
    except ValueError as error:
        raise UsageError(str(error)) from None
    check_writable(arguments.out, "--out")
    world, sea_level_m = _world(arguments)
    level_m = sea_level_m if arguments.sea is None else arguments.sea
    about = {"world": arguments.world, "seed": world.seed, "sea_level_m": level_m}
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("pages", total=None)
        count, length_m = write_geojson(
            world,
            arguments.bounds,
            arguments.spacing,
            level_m,
            arguments.out,
            about,
            lambda done, total: bar.update(task, completed=done, total=total),
        )
    print(
        f"{arguments.out}: {count} coast line{'' if count == 1 else 's'}, {length_m / 1000.0:.3f} km, "
        f"of a sea at {level_m:g} m"
    )
    return 0


def _import(words: list[str]) -> int:
    parser = _Parser(
        prog="veloterra import", description="A heightmap as a stamp on a saved world.", allow_abbrev=False
    )
    position = _numbers(2, "X,Z in metres", -WORLD_LIMIT_M, WORLD_LIMIT_M)
    parser.add_argument("file", type=Path, metavar="FILE", help="png, r16, raw, tif, hgt")
    parser.add_argument("--world", required=True, metavar="SAVE")
    parser.add_argument("--at", type=position, required=True, metavar="X,Z", help="of the north-west sample")
    parser.add_argument("--spacing", type=_number(1 / 16, 10_000), required=True, metavar="M")
    parser.add_argument("--min", type=_number(-20_000, 20_000), default=None, metavar="M")
    parser.add_argument("--max", type=_number(-20_000, 20_000), default=None, metavar="M")
    parser.add_argument(
        "--feather", type=_number(0, 100_000), default=None, metavar="M", help="blend at the border"
    )
    parser.add_argument("--nodata", type=_number(-math.inf, math.inf, "a number"), default=None, metavar="V")
    parser.add_argument("--size", type=_size, default=None, metavar="COLUMNSxROWS", help="of a raw file")
    parser.add_argument("--big-endian", action="store_true", help="byte order of a raw file")
    parser.add_argument("--smooth", action="store_true", help="soften the steps of an 8-bit picture")
    arguments = parser.parse_args(words)
    from game.exchange.heightmap_in import Reading, read
    from game.world.save import load_world, lock_world, save_world
    from game.world.stamps import Stamp

    columns, rows = arguments.size or (None, None)
    with lock_world(arguments.world) as lock:
        world, messages = load_world(lock.name)
        found = read(
            arguments.file,
            Reading(
                arguments.min,
                arguments.max,
                arguments.nodata,
                columns,
                rows,
                arguments.big_endian,
                arguments.smooth,
            ),
        )
        nz, nx = found.heights.shape
        feather = arguments.feather
        if feather is None:
            feather = min(16, nx // 8, nz // 8) * arguments.spacing
        x, z = arguments.at
        try:
            stamp = Stamp(x, z, arguments.spacing, feather, found.heights, arguments.file.name)
        except ValueError as error:
            raise UsageError(f"{arguments.file}: {error}") from None
        world.stamps.append(stamp)
        save_world(lock.name, world)
    _say([*messages, *found.warnings])
    low, high = _range(found.heights)
    print(
        f"{arguments.file.name} ({found.source}) lies on {lock.name!r}: {nx} × {nz} samples, {arguments.spacing:g} m "
        f"apart, from x = {x:g}, z = {z:g} (north-west) to x = {x + (nx - 1) * arguments.spacing:g}, "
        f"z = {z + (nz - 1) * arguments.spacing:g} (south-east); first row north; heights from {low:.2f} to "
        f"{high:.2f} m; the border blends over {feather:g} m"
    )
    return 0


def _range(heights: Any) -> tuple[float, float]:
    known = heights[heights == heights]
    return float(known.min()), float(known.max())
