"""Figures of saved worlds and stamps: `python tools/bench.py worlds`."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from typing import Any

import numpy as np
from bench_common import figure

DABS = 50_000
REPEATS = 5


def figures() -> list[dict[str, Any]]:
    """Load and size of a world with 50,000 dabs; a save of it; a page under a stamp beside one without."""
    from game.core.coords import PageKey
    from game.world.edits import EditLog
    from game.world.recipe import Recipe
    from game.world.save import SavedWorld, load_world, save_world
    from game.world.source import HeightSource
    from game.world.stamps import Stamp, StampedSource

    # Where a hand led the mouse: every position has all its digits.
    places = np.random.default_rng(1).normal(0.0, 900.0, (DABS, 2))
    log = EditLog()
    for stroke in range(DABS // 100):
        log.begin_stroke()
        for n in range(100):
            x, z = (float(value) for value in places[stroke * 100 + n])
            log.apply(("raise", "lower")[stroke % 2], x, z, 5.0 + stroke % 9, 0.25)
        log.end_stroke()
    loads, saves = [], []
    before = os.environ.get("VELOTERRA_DATA_DIR")
    with tempfile.TemporaryDirectory() as directory:
        os.environ["VELOTERRA_DATA_DIR"] = directory
        try:
            for n in range(REPEATS):
                started = time.perf_counter()
                path = save_world("bench", SavedWorld("alpine", n, log))
                saves.append(time.perf_counter() - started)
                started = time.perf_counter()
                load_world("bench")
                loads.append(time.perf_counter() - started)
            size_mib = path.stat().st_size / (1 << 20)
        finally:
            if before is None:
                del os.environ["VELOTERRA_DATA_DIR"]
            else:
                os.environ["VELOTERRA_DATA_DIR"] = before

    recipe = Recipe.load("alpine")
    plain = HeightSource(recipe, 7)
    heights = (np.arange(1024 * 1024, dtype=np.float32) % 997).reshape(1024, 1024)
    stamped = StampedSource(recipe, 7, [Stamp(-15_000.0, -15_000.0, 30.0, 300.0, heights)])
    times: dict[str, list[float]] = {"plain": [], "stamped": []}
    for n in range(40):
        for name, source in (("plain", plain), ("stamped", stamped)):
            started = time.thread_time()
            source.generate(PageKey(0, n, 3))
            times[name].append(1000.0 * (time.thread_time() - started))
    plain_ms, stamped_ms = (statistics.median(times[name][4:]) for name in ("plain", "stamped"))
    return [
        figure("load of a world with 50,000 dabs", statistics.median(loads), "s", 3.0),
        figure("file size of a world with 50,000 dabs", size_mib, "MiB", 4.0),
        figure("save of a world with 50,000 dabs", statistics.median(saves), "s", 3.0),
        figure(
            "page under a stamp, beyond one without",
            stamped_ms - plain_ms,
            "ms",
            10.0,
            compared_with={"without": plain_ms},
        ),
    ]
