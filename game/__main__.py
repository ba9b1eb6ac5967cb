"""The command line, and nothing else: words in, `RideOptions` out, one sentence when a word is wrong."""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from game import __version__
from game.core.commands import parse_script
from game.core.coords import WORLD_LIMIT_M
from game.core.errors import UsageError
from game.core.options import RideOptions, Screenshot
from game.core.report import check_writable
from game.core.settings import ERROR_RANGE_PX, PRESETS, VIEW_RANGE_KM

USAGE_EXIT = 2
MAX_PIXELS_SIDE = 8192
_EXCHANGE = ("worlds", "export", "import")
_COMMANDS = ", ".join(("play", "ride", "map", *_EXCHANGE))


class _Parser(argparse.ArgumentParser):
    """argparse that raises one sentence instead of printing the usage and leaving."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see {self.prog} --help")


def _number(name: str, low: float, high: float, unit: str) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(
                f"{text!r} is not accepted; give {unit} from {low:g} to {high:g}"
            )
        return value

    read.__name__ = name
    return read


def _integer(name: str, low: int | None = None, high: int | None = None) -> Callable[[str], int]:
    span = "" if low is None else f" from {low} to {high}"

    def read(text: str) -> int:
        accepted = re.fullmatch(r"[+-]?\d{1,40}", text) is not None
        value = int(text) if accepted else 0
        if not accepted or (low is not None and high is not None and not low <= value <= high):
            raise argparse.ArgumentTypeError(f"{text!r} is not accepted; give an integer{span}")
        return value

    read.__name__ = name
    return read


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,6})[xX](\d{1,6})", text)
    if match:
        width, height = int(match[1]), int(match[2])
        if 16 <= width <= MAX_PIXELS_SIDE and 16 <= height <= MAX_PIXELS_SIDE:
            return width, height
    raise argparse.ArgumentTypeError(
        f"{text!r} is not accepted; give WIDTHxHEIGHT in pixels, each from 16 to {MAX_PIXELS_SIDE}, e.g. 640x360"
    )


def _position(text: str) -> tuple[float, float]:
    parts = text.split(",")
    try:
        x, z = (float(part) for part in parts)
    except ValueError:
        x = z = math.nan
    if not (abs(x) <= WORLD_LIMIT_M and abs(z) <= WORLD_LIMIT_M):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not accepted; give X,Z in metres, each from -1e9 to 1e9, e.g. -5,3"
        )
    return x, z


def _screenshot(text: str) -> Screenshot:
    match = re.fullmatch(r"(.+)@(\d+(?:\.\d*)?|\.\d+)", text)
    path, at_s = (Path(match[1]), float(match[2])) if match else (Path(text), None)
    if path.suffix.lower() != ".png":
        raise argparse.ArgumentTypeError(f"{text!r} is not accepted; give FILE.png or FILE.png@SECOND")
    return Screenshot(path, at_s)


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--world", default="alpine", metavar="NAME|FILE", help="recipe name or recipe file")
    parser.add_argument(
        "--seed", type=_integer("seed", -(2**63), 2**64 - 1), default=None, metavar="N", help="any integer"
    )
    parser.add_argument(
        "--save", default=None, metavar="NAME", help="saved world: opened if it exists, else made"
    )
    parser.add_argument("--size", type=_size, default=(1280, 720), metavar="WxH", help="pixels")
    parser.add_argument("--quality", choices=tuple(PRESETS), default=None, help="default: by the renderer")
    parser.add_argument("--start", type=_position, default=None, metavar="X,Z", help="metres")
    parser.add_argument(
        "--sea-level", type=_number("sea_level", -200, 2000, "metres"), default=None, metavar="M"
    )
    parser.add_argument(
        "--view-km", type=_number("view_km", *VIEW_RANGE_KM, "kilometres"), default=None, metavar="K"
    )
    parser.add_argument(
        "--error-px",
        type=_number("error_px", *ERROR_RANGE_PX, "pixels"),
        default=None,
        metavar="PX",
        help="how far a change of detail may move the land on the screen",
    )
    parser.add_argument(
        "--curvature", choices=("on", "off"), default="on", help="of the earth, from 20 km on"
    )
    parser.add_argument(
        "--dev", action="store_true", help="follow changed shader files and time every pass on the GPU"
    )
    parser.add_argument("--workers", type=_integer("workers", 1, 64), default=None, metavar="N")
    parser.add_argument(
        "--exec", default=None, metavar="COMMANDS", help='e.g. "sea 60 @5; teleport 100,200 @8"'
    )
    parser.add_argument("--exec-file", type=Path, default=None, metavar="FILE", help="the same, from a file")


def _parsers() -> tuple[_Parser, _Parser]:
    play = _Parser(
        prog="veloterra", description="Ride downhill through an endless world.", allow_abbrev=False
    )
    play.add_argument("--version", action="version", version=f"veloterra {__version__}")
    _add_common(play)
    play.add_argument("--fullscreen", action="store_true")

    ride = _Parser(prog="veloterra ride", description="Ride on autopilot.", allow_abbrev=False)
    _add_common(ride)
    seconds = _number("seconds", 0.1, 86_400, "seconds")
    ride.add_argument("--seconds", type=seconds, required=True, metavar="S")
    ride.add_argument("--offscreen", action="store_true", help="without a window")
    ride.add_argument("--fps", type=_number("fps", 1, 1000, "frames a second"), default=60.0, metavar="F")
    ride.add_argument("--autopilot", choices=("downhill", "straight"), default="downhill")
    ride.add_argument("--speed", type=_number("speed", 0, 5000, "m/s"), default=None, metavar="V")
    ride.add_argument("--pages", choices=("wait", "budget", "realtime"), default="wait")
    ride.add_argument("--draw", choices=("all", "none"), default="all")
    ride.add_argument("--report", type=Path, default=None, metavar="FILE.json")
    ride.add_argument(
        "--screenshot", type=_screenshot, action="append", default=[], metavar="FILE.png[@SECOND]"
    )
    ride.add_argument("--video", type=Path, default=None, metavar="FILE.mp4", help="needs the extra `video`")
    return play, ride


def _join_dashed_values(words: Sequence[str]) -> list[str]:
    """`--start -5,3` → `--start=-5,3`: argparse would take the value for an option."""
    joined: list[str] = []
    for word in words:
        if joined and re.fullmatch(r"--[a-z-]+", joined[-1]) and re.match(r"-[\d.]", word):
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined


def _script(arguments: argparse.Namespace) -> str:
    text = arguments.exec or ""
    if arguments.exec_file is not None:
        try:
            text += "\n" + arguments.exec_file.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(
                f"--exec-file: {arguments.exec_file} cannot be read ({error}); give a text file"
            ) from None
    return text


def parse_arguments(words: Sequence[str]) -> RideOptions:
    """Read the words after `veloterra`. Raises `UsageError`."""
    words = list(words)
    command = words.pop(0) if words and words[0] in ("play", "ride") else "play"
    if words and not words[0].startswith("-"):
        raise UsageError(f"command {words[0]!r} is not known; use one of: {_COMMANDS}")
    play, ride = _parsers()
    riding = command == "ride"
    arguments = (ride if riding else play).parse_args(_join_dashed_values(words))
    width, height = arguments.size
    common = {
        "world": arguments.world,
        "seed": arguments.seed,
        "save": arguments.save,
        "width": width,
        "height": height,
        "quality": arguments.quality,
        "start": arguments.start,
        "sea_level_m": arguments.sea_level,
        "view_m": None if arguments.view_km is None else arguments.view_km * 1000.0,
        "error_px": arguments.error_px,
        "curvature": arguments.curvature == "on",
        "workers": arguments.workers,
        "dev": arguments.dev,
        "commands": tuple(parse_script(_script(arguments))),
    }
    if not riding:
        return RideOptions(**common, fullscreen=arguments.fullscreen)
    if arguments.video is not None:
        from game.exchange.video import check_video

        check_video(arguments.video)
        check_writable(arguments.video, "--video")
        if arguments.draw == "none":
            raise UsageError("--video needs pictures, but --draw none draws nothing; leave one of them out")
    if arguments.report is not None:
        check_writable(arguments.report, "--report")
    for shot in arguments.screenshot:
        check_writable(shot.path, "--screenshot")
        if shot.at_s is not None and shot.at_s > arguments.seconds:
            raise UsageError(
                f"--screenshot: {shot.at_s:g} s is after the end; give 0 to {arguments.seconds:g} s"
            )
    if arguments.screenshot and arguments.draw == "none":
        raise UsageError("--screenshot needs pictures, but --draw none draws nothing; leave one of them out")
    return RideOptions(
        **common,
        offscreen=arguments.offscreen,
        seconds=arguments.seconds,
        fps=arguments.fps,
        autopilot=arguments.autopilot,
        speed_m_s=arguments.speed,
        pages=arguments.pages,
        draw=arguments.draw == "all",
        report=arguments.report,
        screenshots=tuple(arguments.screenshot),
        video=arguments.video,
    )


def _bounds(text: str) -> tuple[float, float, float, float]:
    try:
        x0, z0, x1, z1 = (float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not accepted; give X0,Z0,X1,Z1 in metres, e.g. -5000,-5000,5000,5000"
        ) from None
    return x0, z0, x1, z1


def _map_size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,9})[xX](\d{1,9})", text)
    if match is None:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not accepted; give WIDTHxHEIGHT in pixels, e.g. 1024x1024"
        )
    return int(match[1]), int(match[2])


def _map_parser() -> _Parser:
    parser = _Parser(prog="veloterra map", description="The land from above as a PNG.", allow_abbrev=False)
    parser.add_argument("--world", default="alpine", metavar="NAME|FILE", help="recipe, recipe file or save")
    parser.add_argument("--seed", type=_integer("seed"), default=None, metavar="N", help="any integer")
    parser.add_argument("--layer", default="hillshade", help="hillshade, biome, slope, flow or contours")
    parser.add_argument("--bounds", type=_bounds, default=None, metavar="X0,Z0,X1,Z1", help="metres")
    parser.add_argument("--size", type=_map_size, default=None, metavar="WxH", help="pixels")
    parser.add_argument("--spacing", type=float, default=None, metavar="M", help="metres a pixel, for --size")
    parser.add_argument("--interval", type=float, default=None, metavar="M", help="height between contours")
    parser.add_argument(
        "--threads", type=_integer("threads", 1, 64), default=os.cpu_count() or 1, metavar="N"
    )
    parser.add_argument("--out", type=Path, default=Path("map.png"), metavar="FILE.png")
    parser.add_argument(
        "--explain", type=_position, default=None, metavar="X,Z", help="print the layers there"
    )
    return parser


def draw_map(words: Sequence[str]) -> int:
    """`veloterra map`: a PNG, or with `--explain` the layers of the land at a point. Raises `UsageError`."""
    arguments = _map_parser().parse_args(_join_dashed_values(words))
    from game.exchange import map_command

    if arguments.explain is not None:
        return map_command.explain(arguments.world, arguments.seed, arguments.explain)
    if arguments.out.suffix.lower() != ".png":
        raise UsageError(f"--out: {str(arguments.out)!r} is not accepted; give FILE.png")
    if arguments.size is not None and arguments.spacing is not None:
        raise UsageError("--size and --spacing say the same twice; leave one of them out")
    return map_command.draw(
        arguments.out,
        spacing=arguments.spacing,
        bounds=arguments.bounds,
        size=arguments.size,
        world=arguments.world,
        seed=arguments.seed,
        layer=arguments.layer,
        interval_m=arguments.interval,
        threads=min(64, arguments.threads),
    )


def main(words: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit code (0 done, 2 a wrong word or a missing piece of the machine)."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        words = list(sys.argv[1:] if words is None else words)
        if words[:1] == ["map"]:
            return draw_map(words[1:])
        if words and words[0] in _EXCHANGE:
            from game.exchange import commands

            return commands.main(words)
        options = parse_arguments(words)
        from game import launch  # here, so that `--help` and mistakes answer without loading the game

        run = launch.play if options.seconds is None else launch.ride
        return run(options)
    except UsageError as error:
        print(f"veloterra: {error}", file=sys.stderr)
        return USAGE_EXIT
    except BrokenPipeError:
        # Whoever read the output has enough; nothing may be flushed into the closed pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
