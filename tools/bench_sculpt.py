"""Figures of sculpting: `python tools/bench.py sculpt`.

A session on the alpine world with the land of the high preset resident; texture uploads go to a real context off
screen where there is one. Main-thread times are CPU times of that thread (`time.thread_time`), so other programs
do not count; times of a whole change are of the wall clock.
"""

from __future__ import annotations

import gzip
import json
import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from bench_common import figure

from game import actions
from game.core.commands import parse_command
from game.core.coords import page_at
from game.core.options import RideOptions
from game.core.settings import quality
from game.host.window import Window
from game.kernels import warmup
from game.opening import open_session
from game.session import Session
from game.streaming.wanted import Focus
from game.world.edits import EditLog

FRAME_S = 1.0 / 60.0


class Bench:
    """A session whose uploads are done, without drawing."""

    def __init__(self) -> None:
        self.window = Window.open(320, 180, "bench", offscreen=True)
        from game.gl.context import GLContext, bind_platform

        bind_platform(self.window.driver)
        self.gl = GLContext()
        from game.render.upload import PageTextures

        preset = quality("high")
        self.session: Session = open_session(RideOptions(seed=7, pages="realtime"), preset)
        self.textures = PageTextures(self.gl)
        rider, stream = self.session.bicycle, self.session.stream
        self.x, self.z = rider.x, rider.z
        stream.want(Focus(rider.x, rider.z, 2.0), 0.0)
        stream.wait()
        for layer, page in stream.collect():
            self.textures.upload(layer, page)

    def frame(self) -> float:
        """Settle and upload as a frame does; main-thread milliseconds."""
        started = time.thread_time()
        edited = self.session.settle_edits()
        for layer, page, rows in edited:
            if rows is None:
                self.textures.upload(layer, page)
        self.textures.upload_boxes([(layer, page, rows) for layer, page, rows in edited if rows is not None])
        self.session.land.ground.height(self.x, self.z)
        self.session.land.ground.trunks(self.x, self.z, 20.0)
        self.session.stream.resident_trees()
        return 1000.0 * (time.thread_time() - started)

    def dab(self, brush: str, number: int, radius_m: float, spread_m: float = 60.0) -> float:
        """One dab near the rider and the frame that shows it; main-thread milliseconds."""
        angle = 0.7 * number
        x, z = self.x + spread_m * math.sin(angle), self.z + spread_m * math.cos(angle)
        started = time.thread_time()
        end = f"{self.x!r},{self.z!r}"
        words = (
            f"ramp {x!r},{z!r} {end} {radius_m}"
            if brush == "ramp"
            else f"dab {brush} {x!r},{z!r} {radius_m} 3"
        )
        command = parse_command(words)
        actions.obey(self.session, command)
        asked = 1000.0 * (time.thread_time() - started)
        if brush != "erode":
            return asked + self.frame()
        # Worked out beside the frames: one frame asks, another takes it over.
        first, smoothing = asked + self.frame(), self.session.smoothing
        while smoothing.busy and not smoothing.ready:
            time.sleep(0.002)
        return max(first, self.frame())

    def finish(self) -> None:
        """Show everything that is under way."""
        while self.session.touched is not None or self.session.switch.pending:
            self.frame()
            self.session.switch.wait(0.01)

    def clear(self) -> None:
        """Take everything back."""
        edits = self.session.land.edits
        while edits.can_undo:
            self.session.edited(edits.undo())
        self.finish()

    def close(self) -> None:
        self.session.close()
        self.textures.release()
        self.gl.release()
        self.window.close()


def p95(times: list[float]) -> float:
    """95th percentile."""
    return float(np.percentile(times, 95))


def figures() -> list[dict[str, Any]]:
    """The rows of the issue's table, and the other brushes beside the first."""
    warmup.compile_all()
    bench = Bench()
    try:
        return [
            *_small(bench),
            *_large(bench),
            *_wide_smoothing(bench),
            _undo(bench),
            _deep_undo(bench),
            *_load(),
            _page(),
            _pick(bench),
        ]
    finally:
        bench.close()


def _small(bench: Bench) -> list[dict[str, Any]]:
    found = {}
    for brush in (
        "raise",
        "lower",
        "flatten",
        "ramp",
        "restore",
        "peak",
        "canyon",
        "kicker",
        "smooth",
        "erode",
    ):
        for n in range(8):
            bench.dab(brush, n, 50.0)
        found[brush] = p95([bench.dab(brush, n, 50.0) for n in range(120)])
        bench.clear()
    worst = max(found, key=lambda brush: found[brush])
    return [
        figure(
            "dab of 50 m radius on resident land: all levels, normals, contact, trees, upload; main-thread p95",
            found[worst],
            "ms",
            2.0,
            compared_with={"the worst brush": worst, "frame at 60 Hz, ms": 16.0},
        ),
        *(figure(f"the same with {brush}", value, "ms", 2.0) for brush, value in found.items()),
    ]


def _large(bench: Bench) -> list[dict[str, Any]]:
    worst, walls = [], []
    for n in range(12):
        started = time.perf_counter()
        frames = [bench.dab("raise", n, 500.0)]
        while bench.session.switch.pending:
            bench.session.switch.wait(0.004)
            frames.append(bench.frame())
        walls.append(1000.0 * (time.perf_counter() - started))
        worst.append(max(frames))
    bench.clear()
    return [
        figure("the same at 500 m radius: main thread in any frame", max(worst), "ms", 4.0),
        figure("the same at 500 m radius: switched within", float(np.median(walls)), "ms", 100.0),
    ]


def _deep_undo(bench: Bench) -> dict[str, Any]:
    """One dab taken back that lies on 300 others: the slowest frame."""
    edits = bench.session.land.edits
    for _ in range(300):
        bench.session.edited(edits.apply("peak", bench.x, bench.z, 50.0, 0.1))
    bench.finish()
    worst = 0.0
    for _ in range(5):
        bench.session.edited(edits.apply("raise", bench.x, bench.z, 50.0, 1.0))
        bench.finish()
        started = time.thread_time()
        bench.session.edited(edits.undo())
        frames = [bench.frame() + 1000.0 * (time.thread_time() - started)]
        while bench.session.switch.pending:
            bench.session.switch.wait(0.004)
            frames.append(bench.frame())
        worst = max(worst, *frames)
    bench.clear()
    return figure("undo on 300 overlapping dabs of 50 m: main thread in any frame", worst, "ms", 50.0)


def _wide_smoothing(bench: Bench) -> list[dict[str, Any]]:
    """500 m of smoothing, most of whose level-0 pages are not resident."""
    worst, walls = 0.0, []
    for number in range(2):
        started = time.perf_counter()
        frames = [bench.dab("smooth", number, 500.0)]
        while bench.session.smoothing.busy or bench.session.switch.pending:
            time.sleep(0.004)
            frames.append(bench.frame())
        walls.append(time.perf_counter() - started)
        worst = max(worst, *frames)
    bench.clear()
    return [
        figure("smoothing of 500 m radius: main thread in any frame", worst, "ms", 4.0),
        figure("smoothing of 500 m radius: shown after", max(walls), "s", 5.0),
    ]


def _undo(bench: Bench) -> dict[str, Any]:
    edits, times = bench.session.land.edits, []
    for _ in range(5):
        edits.begin_stroke()
        for n in range(50):
            bench.session.edited(edits.apply("raise", bench.x + 5.0 * n, bench.z, 20.0, 0.5))
        bench.session.edited(edits.end_stroke())
        bench.finish()
        started = time.perf_counter()
        bench.session.edited(edits.undo())
        bench.finish()
        times.append(1000.0 * (time.perf_counter() - started))
    return figure("undo of a 50-dab stroke", float(np.median(times)), "ms", 50.0)


@dataclass
class Eye:
    """A camera above the rider."""

    x: float
    y: float
    z: float
    yaw_rad: float = 0.5
    pitch_rad: float = -0.1
    fov_y_rad: float = 1.1
    aspect: float = 1.6


def _pick(bench: Bench) -> dict[str, Any]:
    stream = bench.session.stream
    eye = Eye(bench.x, bench.session.bicycle.y + 30.0, bench.z)
    stream.select(eye, 1.0)
    times = []
    for n in range(400):
        yaw, pitch = 0.5 + 0.002 * (n % 40 - 20), -0.3 + 0.001 * n
        way = (math.sin(yaw), math.tan(pitch), -math.cos(yaw))
        started = time.thread_time()
        stream.pick((eye.x, eye.y, eye.z), way, 5000.0)
        times.append(1000.0 * (time.thread_time() - started))
    return figure("picking to 5 km, p95", p95(times), "ms", 0.5)


def _load() -> list[dict[str, Any]]:
    """50,000 dabs in strokes of 50, a tenth of them smoothing."""
    from game.world.land import LandSource
    from game.world.recipe import Recipe
    from game.world.source import HeightSource

    rng = np.random.default_rng(1)
    log = EditLog()
    land = LandSource(HeightSource(Recipe.load("alpine"), 7), log, 7, 0)
    for stroke in range(1000):
        x, z = (float(v) for v in rng.uniform(-5000.0, 5000.0, 2))
        smooths = stroke % 50 == 0
        log.begin_stroke()
        for n in range(50):
            brush = "smooth" if smooths else ("raise", "lower", "flatten", "peak")[stroke % 4]
            at = (x + 5.0 * n, z + 2.0 * math.sin(0.3 * n))
            land.dab(brush, *at, 20.0, 0.5, target_m=10.0 if brush == "flatten" else None)
        log.end_stroke()
    packed = gzip.compress(json.dumps(log.to_json(), separators=(",", ":")).encode(), 6)
    times, walls = [], []
    for _ in range(3):
        started, started_wall = time.thread_time(), time.perf_counter()
        again, messages = EditLog.from_json(json.loads(gzip.decompress(packed)))
        times.append(time.thread_time() - started)
        walls.append(time.perf_counter() - started_wall)
        assert not messages
        assert len(again) == len(log)
    return [
        figure(
            "load of a world with 50,000 dabs",
            float(np.median(times)),
            "s",
            3.0,
            compared_with={"wall clock, s": min(walls)},
        ),
        figure("file of a world with 50,000 dabs, gzip", len(packed) / 2**20, "MiB", 4.0),
    ]


def _page() -> dict[str, Any]:
    from game.world.recipe import Recipe
    from game.world.source import HeightSource

    rng = np.random.default_rng(2)
    log = EditLog()
    for _ in range(1000):
        x, z = (float(v) for v in rng.uniform(20.0, 108.0, 2))
        log.apply("raise" if rng.uniform() < 0.5 else "lower", x, z, 20.0, 1.0)
    source = HeightSource(Recipe.load("alpine"), 7)
    times = []
    for _ in range(9):
        page = source.generate(page_at(0, 64.0, 64.0))
        started = time.thread_time()
        log.evaluate(page)
        times.append(1000.0 * (time.thread_time() - started))
    return figure("page under 1,000 overlapping dabs of 20 m radius", float(np.median(times)), "ms", 10.0)
