"""Figures of the sea: `python tools/bench.py water_sea`, and part of `python tools/bench.py water`.

A session on the islands with the land of the high preset resident. Main-thread times are CPU times of that thread
(`time.thread_time`) over everything of a frame but the driver's drawing; pictures are 320 × 180, drawn by the low
preset; times of the waterline are of the wall clock.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from bench_common import figure
from numpy.typing import NDArray

from game import actions
from game.core.commands import parse_command
from game.core.options import RideOptions
from game.core.settings import quality
from game.core.units import STEP_S
from game.host.window import Window
from game.kernels import warmup
from game.opening import open_session
from game.session import GROWTH_LINE_M, Session
from game.streaming.wanted import Focus

FRAMES = 160
LEVELS_M = (60.0, 0.0, -60.0, 2000.0, -200.0, 0.3, 140.0, 5.0)
SIZE = (320, 180)
EYE = (3500.0, 120.0, -2500.0)


class Bench:
    """A session and a renderer; `frame` is one frame of the game without window and interface."""

    def __init__(self, preset_name: str) -> None:
        self.window = Window.open(*SIZE, "bench", offscreen=True)
        from game.gl.context import GLContext, bind_platform

        bind_platform(self.window.driver)
        self.gl = GLContext()
        from game.render.renderer import Renderer

        preset = quality(preset_name)
        self.preset = preset
        self.session: Session = open_session(
            RideOptions(world="islands", seed=7, pages="realtime", start=(3300.0, -2500.0)), preset
        )
        stream = self.session.stream
        self.renderer = Renderer(self.gl, preset, *SIZE, stream.store.limit)
        stream.want(Focus(EYE[0], EYE[2], EYE[1]), 0.0)
        stream.wait()
        for layer, page in stream.collect():
            self.renderer.upload(layer, page)
        actions.obey(self.session, parse_command(f"eye {EYE[0]},{EYE[1]},{EYE[2]}"))
        actions.obey(self.session, parse_command("look 232,-14"))
        self.steps_s = 0.0

    def frame(self, command: str | None = None, steps: int = 2) -> float:
        """One frame, in which `command` is obeyed first; main-thread milliseconds."""
        from game.render.extract import camera_view, extract

        session, stream = self.session, self.session.stream
        started = time.thread_time()
        if command is not None:
            actions.obey(session, parse_command(command))
        for _ in range(steps):
            session.schedule.step(session.entities, STEP_S)
            self.steps_s += STEP_S
        camera = camera_view(session.entities, session.cast, 1.0, SIZE[0] / SIZE[1])
        session.coast.follow(stream.store, session.weather.sea_level_m)
        view = extract(
            session.entities,
            session.cast,
            camera=camera,
            alpha=1.0,
            size=SIZE,
            time_s=self.steps_s,
            view_m=self.preset.view_m,
            selection=stream.select(camera, STEP_S * steps),
            tree_tiles=stream.resident_trees(),
            land=session.land.ground,
            surface=stream.surface_height,
            bed=session.bed.follow(stream.store, camera.x, camera.z),
            growth_line_m=GROWTH_LINE_M,
            snow_line_m=session.snow_line_m(camera.x, camera.z),
        )
        self.renderer.draw(view)
        return 1000.0 * (time.thread_time() - started)

    def picture(self, command: str | None = None) -> NDArray[np.uint8]:
        """What the frame shows; time stands still."""
        self.frame(command, steps=0)
        return self.renderer.read_pixels()

    def close(self) -> None:
        self.session.close()
        self.renderer.release()
        self.gl.release()
        self.window.close()


def figures() -> list[dict[str, Any]]:
    """The issue's rows about the sea."""
    warmup.compile_all()
    bench = Bench("high")
    bench.renderer.draw_enabled = False
    try:
        timed = [*_main_thread(bench), _waterline(bench)]
    finally:
        bench.close()
    bench = Bench("low")
    try:
        return [*timed, _next_frame(bench)]
    finally:
        bench.close()


def _main_thread(bench: Bench) -> list[dict[str, Any]]:
    for _ in range(30):
        bench.frame()
    # What a frame costs at each level differs, by the trees that stand above it: compared is like with like.
    still: dict[float, list[float]] = {level_m: [] for level_m in LEVELS_M}
    changed: dict[float, list[float]] = {level_m: [] for level_m in LEVELS_M}
    for n in range(FRAMES):
        level_m = LEVELS_M[n % len(LEVELS_M)]
        changed[level_m].append(bench.frame(f"sea {level_m}"))
        still[level_m] += [bench.frame(), bench.frame()]
    usual = {level_m: float(np.median(times)) for level_m, times in still.items()}
    with_change = [one - usual[level_m] for level_m, times in changed.items() for one in times]
    without = [one - usual[level_m] for level_m, times in still.items() for one in times]
    worst, worst_still = max(with_change), max(without)
    beside = {
        "median of a change": float(np.median(with_change)),
        "worst frame without a change": worst_still,
    }
    return [
        figure(
            "sea-level change of any size, p95 of main thread over a frame without, ms",
            float(np.percentile(with_change, 95) - np.percentile(without, 95)),
            "ms",
            2.0,
            compared_with=beside,
        ),
        # Whatever else the machine does then is counted too: the worst frame without a change tells how much.
        figure(
            "sea-level change of any size, worst frame of main thread over the median frame without, ms",
            worst,
            "ms",
            2.0,
            compared_with=beside,
        ),
    ]


def _waterline(bench: Bench) -> dict[str, Any]:
    coast = bench.session.coast
    times = []
    for level_m in LEVELS_M:
        started = time.monotonic()
        bench.frame(f"sea {level_m}")
        while not (coast.settled and coast.coasts.level_m == bench.session.weather.sea_level_m):
            if time.monotonic() - started > 10.0:
                break
            time.sleep(0.005)
            coast.follow(bench.session.stream.store, bench.session.weather.sea_level_m)
        times.append(time.monotonic() - started)
    return figure("waterline of all resident pages after a change, s", max(times), "s", 0.5)


def _next_frame(bench: Bench) -> dict[str, Any]:
    worst = 0.0
    for _ in range(4):
        bench.frame()
    for level_m in (60.0, 0.0, -60.0, 100.0):
        first = bench.picture(f"sea {level_m}").astype(np.int16)
        for _ in range(5):
            later = bench.picture()
        worst = max(worst, float(np.abs(later.astype(np.int16) - first).max()))
    return figure("water that is not yet right in the next frame, worst pixel of 255", worst, "of 255", 0.0)
