"""The composition root: `play` and `ride` open the window, bind OpenGL to it, warm the kernels up, build a `Game`, pace
its frames, and take everything down in the reverse order.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from game.app import Game
from game.core.errors import UsageError
from game.core.options import RideOptions, Screenshot
from game.core.paths import first_writable, user_data_dir
from game.core.preferences import load, settings_path
from game.core.report import build_report, rss_mib, write_report
from game.host.allocator import share_one_arena
from game.host.inputs import key_hints
from game.host.warmup_child import WarmUpChild
from game.host.window import NoDisplay, Window
from game.kernels import warmup

if TYPE_CHECKING:
    from game.gl.context import GLContext
    from game.ui.loading import LoadingScreen

FALLBACK_S = 20.0
"""How long the autopilot rides on a machine without a display."""


def open_context(options: RideOptions) -> tuple[Window, GLContext]:
    """Window, platform binding, context: in the only order that works. Raises `NoDisplay`, `UsageError`."""
    share_one_arena()
    if options.seconds is not None:
        # SDL would turn SIGTERM and Ctrl+C into events, and nobody reads events while kernels compile.
        os.environ.setdefault("SDL_NO_SIGNAL_HANDLERS", "1")
    window = Window.open(
        options.width,
        options.height,
        "Veloterra",
        fullscreen=options.fullscreen,
        offscreen=options.offscreen,
        vsync=options.pages == "realtime",
    )
    try:
        from game.gl.context import GLContext, bind_platform

        bind_platform(window.driver)
        return window, GLContext()
    except BaseException:
        window.close()
        raise


def _check_keys(options: RideOptions) -> None:
    """Refuse unknown key names before the ride starts."""
    from game.host.inputs import known_keys

    for command in options.commands:
        if command.name == "key" and str(command.values[0]).upper() not in known_keys():
            raise UsageError(
                f"--exec: key {command.values[0]!r} is not known; use one of {', '.join(known_keys())}"
            )


def _warm_up_on_terminal(console: Console) -> None:
    """Compile the kernels, or load them from the cache, with a progress bar on a terminal."""
    with _bar(console, "preparing the land") as advance:
        if not warmup.cached():
            # Two processes compile at once; what they could not is compiled here.
            with WarmUpChild() as child:
                while not (progress := child.poll()).finished:
                    advance(progress.done, progress.total)
                    time.sleep(0.1)
        for done, total, _ in warmup.steps():
            advance(done, total)


class _bar:
    """A progress bar on a terminal, silence elsewhere."""

    def __init__(self, console: Console, text: str) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
        self._progress = Progress(
            *columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal
        )
        self._text = text

    def __enter__(self) -> Callable[[float, float], None]:
        self._progress.start()
        task = self._progress.add_task(self._text, total=None)
        return lambda done, total: self._progress.update(task, completed=done, total=total)

    def __exit__(self, *exc: object) -> None:
        self._progress.stop()


def ride(options: RideOptions) -> int:
    """Ride `options.seconds` on autopilot, with or without a screen; return the exit code."""
    assert options.seconds is not None
    console = Console(stderr=True)
    _check_keys(options)
    try:
        window, gl = open_context(options)
    except NoDisplay as reason:
        print(f"veloterra: {reason.args[0].split(';')[0]}; riding off screen", file=sys.stderr)
        options = dataclasses.replace(options, offscreen=True)
        window, gl = open_context(options)
    with window:
        _warm_up_on_terminal(console)
        from game.ui.interface import Interface

        game = Game(options, window, gl, Interface(show_hints=False))
        seconds: float = options.seconds or 0.0
        try:
            game.bring_in_land()
            frames = max(1, round(seconds * options.fps))
            started_s = time.perf_counter()
            with _bar(console, f"riding {seconds:g} s") as advance:
                for number in range(frames):
                    if not game.frame(1.0 / options.fps):
                        seconds = (number + 1) / options.fps
                        break
                    advance(number + 1, frames)
                    if options.pages == "realtime":
                        time.sleep(max(0.0, started_s + (number + 1) / options.fps - time.perf_counter()))
            game.pictures.finish(game.drawing.renderer.read_pixels)
            facts = game.facts(seconds)
            facts["gl_live_objects"] = gl.live
            # What release gives back would hide what the ride took.
            game.log.rss_end_mib = rss_mib()
        finally:
            game.release()
        facts["gl_leaked_objects"] = gl.live
        if options.report is not None:
            write_report(build_report(game.log, facts), options.report)
        gl.release()
    return 0


def play(options: RideOptions) -> int:
    """Open the window and play until the player leaves; without a display ride off screen instead."""
    _check_keys(options)
    try:
        window, gl = open_context(options)
    except NoDisplay:
        return _ride_without_display(options)
    with window:
        from game.ui.imgui_layer import ImguiLayer
        from game.ui.interface import Interface
        from game.ui.loading import LoadingScreen, warm_up

        layer = ImguiLayer()
        screen = LoadingScreen(window, layer)
        go_on, problem = warm_up(screen, warmup.steps)
        if not go_on:
            layer.release()
            return 0
        if problem:
            print(f"veloterra: the kernels were compiled in this process ({problem})", file=sys.stderr)
        preferences, _ = load(settings_path())
        hints = Interface(layer, not preferences.hints_seen, key_hints(preferences.keys))
        game = Game(options, window, gl, hints)
        game.player.greet(game.session)
        try:
            try:
                if _bring_in_land(game, screen):
                    _play_loop(game)
            except Exception:
                # A mistake of ours must not cost what the player built since the last autosave.
                with contextlib.suppress(UsageError, ValueError):
                    game.save_at_exit()
                raise
            name = game.save_at_exit()
            if name is not None:
                print(f"veloterra: the world is saved; come back with: veloterra --save {name!r}")
        finally:
            game.release()
        gl.release()
    return 0


def _bring_in_land(game: Game, screen: LoadingScreen) -> bool:
    """Show progress until the land around the start is there; False when the player quits."""
    from game.host.warmup_child import Progress as Share

    while True:
        done = game.bring_in_land(1.0 / 30.0)
        stats = game.session.stream.stats
        total = stats.resident + stats.queue
        if not screen.frame(Share(stats.resident, total, "land"), "Bringing in the land."):
            return False
        if done:
            return True


def _play_loop(game: Game) -> None:
    """Frames paced by the display, or by a clock where it does not pace."""
    last_s = time.perf_counter()
    least_s = 0.0 if game.drawing.window.vsync else 1.0 / 120.0
    while True:
        now_s = time.perf_counter()
        frame_s, last_s = now_s - last_s, now_s
        if not game.frame(frame_s):
            return
        time.sleep(max(0.0, least_s - (time.perf_counter() - now_s)))


def _ride_without_display(options: RideOptions) -> int:
    """What `play` does on a machine without a display."""
    directory = first_writable(Path.cwd(), user_data_dir())
    if directory is None:
        raise UsageError(
            f"there is no display, and {Path.cwd()} is not writable for a picture; change directory"
        )
    picture, report = directory / "veloterra-ride.png", directory / "veloterra-ride.json"
    print(
        f"veloterra: there is no display here; riding the autopilot for {FALLBACK_S:g} s off screen instead."
    )
    code = ride(
        dataclasses.replace(
            options,
            offscreen=True,
            width=640,
            height=360,
            fps=15.0,
            seconds=FALLBACK_S,
            autopilot="downhill",
            pages="wait",
            report=report,
            screenshots=(Screenshot(picture),),
        )
    )
    print(f"veloterra: the picture is {picture}")
    print(f"veloterra: the report is {report}")
    return code
