"""Whole pages of the alpine world: `python tools/bench.py pages`.

Page times are CPU times of one thread (medians over pages far apart), the ratio of two jobs is wall time against wall
time in turns. The generic target is measured in a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from bench_common import figure
from land_tables import pit_places

from game.core.coords import PageKey
from game.world.recipe import Recipe
from game.world.source import HeightSource

LEVELS = range(12)
PAGES = 25
ROUNDS = 9


def _places(level: int) -> list[PageKey]:
    spread = 1 if level > 8 else 7
    return [PageKey(level, spread * (k % 5) - 9, spread * (k // 5) + 4) for k in range(PAGES)]


def page_times() -> dict[int, float]:
    """Median milliseconds of thread time per page, by level; the first page of each level is not counted."""
    source = HeightSource(Recipe.load("alpine"), 7)
    times: dict[int, list[float]] = {level: [] for level in LEVELS}
    for level in LEVELS:
        source.generate(PageKey(level, 0, 0))
    for turn in zip(*(_places(level) for level in LEVELS), strict=True):
        for key in turn:
            started = time.thread_time()
            source.generate(key)
            times[key.level].append((time.thread_time() - started) * 1e3)
    return {level: float(np.median(values)) for level, values in times.items()}


def _generic_times() -> dict[str, float]:
    environment = os.environ | {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    tools = Path(__file__).resolve().parent
    environment["PYTHONPATH"] = os.pathsep.join([str(tools.parent), str(tools)])
    code = "import json, bench_pages; print(json.dumps(bench_pages.page_times()))"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def pit_share() -> float:
    """Percent of alpine land whose pits, filled to the brim, would be deeper than 1 m; over the places of the docs."""
    share, land, _ = pit_places().T
    return 100.0 * float(np.average(share, weights=land))


def two_jobs() -> float:
    """Throughput of two page jobs at once over one, median over rounds."""
    source = HeightSource(Recipe.load("alpine"), 7)
    keys = [PageKey(2, k, 3) for k in range(24)]
    ready = threading.Barrier(2)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: (ready.wait(), source.generate(keys[0])), range(2)))
        ratios = []
        for _ in range(ROUNDS):
            started = time.perf_counter()
            for key in keys:
                source.generate(key)
            one = time.perf_counter() - started
            started = time.perf_counter()
            list(pool.map(source.generate, keys))
            ratios.append(one / (time.perf_counter() - started))
    return float(np.median(ratios))


def figures() -> list[dict[str, Any]]:
    """The page rows of the table."""
    native, generic = page_times(), _generic_times()
    return [
        figure(
            "whole alpine page, slowest level of 0-11",
            max(native.values()),
            "ms",
            1.5,
            compared_with={f"level {level}": value for level, value in native.items()},
        ),
        figure(
            "whole alpine page, slowest level of 0-11, generic target",
            max(generic.values()),
            "ms",
            3.0,
            compared_with={f"level {level}": value for level, value in generic.items()},
        ),
        figure(
            "land in pits deeper than 1 m, alpine", pit_share(), "%", 5.0, compared_with={"plain fBm": 25.0}
        ),
        figure("threads: two page jobs at once", two_jobs(), "× one", 1.6, "higher"),
    ]
