"""Streaming and levels of detail: late pages, holes, main-thread time, memory, jumps.

Rides are `veloterra ride --pages budget --workers 1 --draw none`, so that neither the rasteriser nor the clock of
the machine decides what is late; times are wall-clock milliseconds of the main thread. Ten simulated minutes of
memory are a command of their own: `tools/bench.py streaming_memory`. `VELOTERRA_BENCH_SECONDS` shortens the rides.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from bench_common import figure

from game.core.coords import PageKey
from game.core.settings import PRESETS, quality
from game.core.units import EARTH_BEND_PER_M
from game.kernels import selection as kernels
from game.kernels import warmup
from game.lod.settings import LodSettings
from game.streaming.store import PageTable
from game.streaming.stream import TerrainStream
from game.streaming.wanted import Focus, WantedPages
from game.world.edits import EditLog
from game.world.land import LandSource
from game.world.recipe import Recipe
from game.world.source import HeightSource

ROOT = Path(__file__).resolve().parents[1]
SEED = 7
SECONDS = float(os.environ.get("VELOTERRA_BENCH_SECONDS", "60"))
FPS = 60
FOV_RAD = 1.13
LINES = 720
"""Lens and lines of the preset's ranges."""

RIDE = "--pages budget --workers 1 --draw none, straight on, seed 7, high, 1280x720"
ARTICLE = {"Strugar's CDLOD in C++": "0.085 ms", "Unity terrain in C#": "0.3 ms"}


@dataclass
class Eye:
    """A camera for selections without a game."""

    x: float
    y: float
    z: float
    yaw_rad: float = 0.7
    pitch_rad: float = -0.1
    fov_y_rad: float = FOV_RAD
    aspect: float = 16 / 9


def ride(speed_m_s: float, seconds: float = SECONDS, *more: str) -> dict[str, Any]:
    """Report of a ride at `speed_m_s`."""
    with tempfile.TemporaryDirectory() as directory:
        report = Path(directory) / "ride.json"
        words = (
            f"-m game ride --offscreen --seconds {seconds:g} --fps {FPS} --seed {SEED} --speed {speed_m_s:g} "
            f"--autopilot straight --pages budget --workers 1 --draw none --quality high --size 1280x{LINES}"
        )
        subprocess.run([sys.executable, *words.split(), *more, "--report", str(report)], cwd=ROOT, check=True)
        return json.loads(report.read_text(encoding="utf-8"))


def land() -> LandSource:
    """The default land without edits."""
    return LandSource(HeightSource(Recipe.load("alpine"), SEED), EditLog(), SEED, PRESETS["high"].tree_levels)


def levels(view_km: float = 30.0) -> LodSettings:
    """Ranges of the preset `high` at `view_km`."""
    preset = quality("high", 1000.0 * view_km)
    return LodSettings.for_screen(preset.error_px, FOV_RAD, LINES, preset.view_m, preset.patch_quads)


def _drive(stream: TerrainStream, x: float, z: float, speed: float, now_s: float, credit_s: float) -> None:
    """One frame along x: pages within `credit_s`, everything that is ready uploaded, selection."""
    stream.want(Focus(x, z, 2.0, speed, 0.0, 1.0, 0.0), now_s)
    stream.spend(credit_s)
    stream.collect()
    stream.select(Eye(x, 1500.0, z, math.pi / 2), 1.0 / FPS)


def starved_holes() -> int:
    """Holes over a ride whose workers get nothing for most frames, and jumps of up to 100 km in between."""
    stream = TerrainStream(land().make_page, levels(), 1, budgeted=True)
    random = np.random.default_rng(1)
    x, z, speed = 0.0, 0.0, 300.0
    frames = int(15 * FPS * min(1.0, SECONDS / 60.0))
    try:
        for number in range(frames):
            if random.random() < 0.004:
                x, z = x + random.uniform(-1e5, 1e5), z + random.uniform(-1e5, 1e5)
            if random.random() < 0.02:
                speed = float(random.uniform(-1500.0, 1500.0))
            x += speed / FPS
            credit_s = float(random.choice([0.0, 0.0, 0.0, 0.002, 0.02]))
            _drive(stream, x, z, speed, number / FPS, credit_s)
            stream.count_holes(96, 48)
        return stream.stats.holes_total
    finally:
        stream.close()


def ratio_of_records(few: int = 200, many: int = 20_000, rounds: int = 2000) -> tuple[float, float, float]:
    """Median microseconds of wanted + lookup + evict with few and many key records, and the ratio."""
    lod = levels()
    sides = []
    for count in (few, many):
        table = PageTable(count)
        table.limit = count
        search = WantedPages(lod)
        for number in range(count):
            # Far from the focus: records as a long ride leaves them, of all levels.
            table.enter(PageKey(number % 9, 4000 + number // 9, -4000 - number % 131))
        sides.append((table, search, []))
    for number in range(rounds):
        for table, search, times in sides:
            focus = Focus(3.0 + 0.2 * number, -7.0, 2.0, 12.0, 0.0)
            begun = time.perf_counter()
            # Two records make room for two others, as when a page border is crossed.
            search.update(focus, table)
            for key in search.missing()[:2] or [PageKey(0, number, 77), PageKey(1, number, 77)]:
                if table.find(key) is None:
                    oldest = table.oldest_unwanted()
                    if oldest is not None:
                        table.leave(oldest)
                        table.enter(key)
            times.append(time.perf_counter() - begun)
    low, high = (1e6 * float(np.median(times[rounds // 4 :])) for _, _, times in sides)
    return low, high, high / low


def selection_ms(view_km: float, rounds: int = 1500) -> tuple[float, float, int]:
    """Median milliseconds of the one jitted selection call, and of all of `select`; patches drawn."""
    stream = TerrainStream(land().make_page, levels(view_km), 1, bend_per_m=EARTH_BEND_PER_M)
    try:
        stream.want(Focus(0.0, 0.0, 2.0), 0.0)
        stream.wait()
        stream.collect()
        whole, inner = [], []
        original = kernels.select_patches

        def timed(*arguments: Any) -> Any:
            begun = time.perf_counter()
            result = original(*arguments)
            inner.append(time.perf_counter() - begun)
            return result

        kernels.select_patches = timed
        patches = 0
        for number in range(rounds):
            eye = Eye(0.0, 1500.0, 0.0, 0.01 * number)
            begun = time.perf_counter()
            patches = max(patches, len(stream.select(eye, 1.0 / FPS).patches))
            whole.append(time.perf_counter() - begun)
        kernels.select_patches = original
        return 1000.0 * float(np.median(inner)), 1000.0 * float(np.median(whole)), patches
    finally:
        stream.close()


def memory_mib(view_km: float) -> tuple[float, float, int]:
    """Most GPU memory of pages over a ride across the land, all that the CPU keeps of them, and pages."""
    stream = TerrainStream(land().make_page, levels(view_km), 2)
    try:
        most = cpu = pages = 0.0
        for number in range(40):
            x = 300.0 * number
            stream.want(Focus(x, 0.0, 2.0, 120.0, 0.0), 2.5 * number)
            stream.wait()
            for _ in stream.arrivals():
                pass
            stream.select(Eye(x, 1500.0, 0.0), 2.5)
            most = max(most, stream.stats.page_memory_mib)
            cpu = max(cpu, stream.store.cpu_bytes / 2**20)
            pages = max(pages, len(stream.store))
        return most, cpu, int(pages)
    finally:
        stream.close()


def teleport_s() -> tuple[float, float]:
    """Seconds of wall clock after a jump of 1e6 m: until the coarse land is everywhere, until all detail is there."""
    from game.session import default_workers

    stream = TerrainStream(land().make_page, levels(), default_workers())
    coarse, full = [], []
    try:
        stream.want(Focus(0.0, 0.0, 2.0), 0.0)
        stream.wait()
        stream.collect()
        stream.select(Eye(0.0, 1500.0, 0.0), 0.0)
        for jump in range(1, 4):
            x = 1.0e6 * jump
            begun = last = time.perf_counter()
            complete_s = None
            while True:
                now = time.perf_counter()
                stream.want(Focus(x, 0.0, 2.0), now)
                for _ in stream.arrivals(4 * 278_784, 0.002):
                    pass
                view = stream.select(Eye(x, 1500.0, 0.0), now - last)
                last = now
                if view.complete and complete_s is None:
                    complete_s = time.perf_counter() - begun
                if complete_s is not None and np.allclose(view.ranges, stream.lod.targets):
                    break
                time.sleep(max(0.0, now + 1.0 / FPS - time.perf_counter()))
            coarse.append(complete_s)
            full.append(time.perf_counter() - begun)
        return float(np.median(coarse)), float(np.median(full))
    finally:
        stream.close()


def figures() -> list[dict[str, Any]]:
    """All rows of the table, about four minutes on two cores."""
    for _ in warmup.steps():
        pass
    found = []
    slow = ride(12.0)
    fast = ride(120.0)
    for speed, report in ((12, slow), (120, fast)):
        found.append(
            figure(
                f"late pages at {speed} m/s, {SECONDS:g} s straight, after the first second",
                report["late_pages_settled"],
                "pages",
                0,
                compared_with={
                    "the article this started from": "rebuild 1.8 s ahead at 12 m/s",
                    "ride": RIDE,
                },
            )
        )
    flying = ride(1200.0, min(SECONDS, 30.0))
    found.append(figure("holes at 1,200 m/s", flying["holes"], "samples", 0))
    found.append(figure("holes under random starvation", starved_holes(), "samples", 0))
    stream = slow["stream_ms"]
    compared = {"select_ms": slow["select_ms"], "upload_ms": slow["upload_ms"], "in C#": "0.3 ms"}
    found.append(
        figure(
            "main-thread streaming time a frame at 12 m/s, p50", stream["p50"], "ms", 0.10, "lower", compared
        )
    )
    found.append(
        figure(
            "main-thread streaming time a frame at 12 m/s, p95", stream["p95"], "ms", 0.30, "lower", compared
        )
    )
    low, high, ratio = ratio_of_records()
    found.append(
        figure(
            "the same with 200 and with 20,000 key records, ratio",
            ratio,
            "×",
            1.2,
            "lower",
            {"200, µs": low, "20,000, µs": high, "a list": "grew from 0.8 to 12 ms"},
        )
    )
    frame = slow["cpu_frame_ms"]
    for part, reach in (("p95", 5.0), ("p99", 8.0), ("max", 16.0)):
        found.append(
            figure(
                f"whole main-thread frame without drawing at 12 m/s, {part}",
                frame[part],
                "ms",
                reach,
                "lower",
                {"hitch": "58 → 42 fps"},
            )
        )
    inner, whole, patches = selection_ms(30.0)
    found.append(
        figure(
            "CDLOD selection incl. culling, 30 km",
            inner,
            "ms",
            0.10,
            "lower",
            {"in C++": "0.085 ms", "with everything around the call, ms": whole, "patches": patches},
        )
    )
    for view_km, reach in ((30.0, 48.0), (100.0, 69.0)):
        gpu, cpu, pages = memory_mib(view_km)
        compared = {"pages": pages, "with look-ahead": "120 m/s", "others": "90 MiB for 92 km"}
        found.append(
            figure(f"resident page memory at {view_km:g} km, GPU", gpu, "MiB", reach, "lower", compared)
        )
        found.append(figure(f"the same at {view_km:g} km on the CPU", cpu, "MiB", reach, "lower", compared))
    coarse, full = teleport_s()
    found.append(figure("teleport 1e6 m away: coarse everywhere", coarse, "s", 0.3))
    found.append(figure("teleport 1e6 m away: full detail", full, "s", 2.0))
    return found
