"""Noise against the fastest libraries that pip installs: `python tools/bench.py noise` (extra `bench`).

Every figure is a median over rounds in which all contestants take turns in one process; a ratio is the median of the
rounds' ratios. One thread unless said, in CPU time of that thread; what takes two threads is wall time, which means
something on an idle machine only.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from bench_common import figure

from game.core.coords import PAGE_QUADS
from game.world import Noise, World
from game.world.noise import aligned_empty

SIDE = 1024
OCTAVES = 5
FREQUENCY = 0.01
ROUNDS = 41
PEER_ROUNDS = 5
FASTNOISE2_NS = (1.15, 1.27)
"""FastNoise2 (C++, AVX-512), per octave-sample, measured on the same kind of machine; it has no Python package."""


def rounds(
    contestants: dict[str, Callable[[], Any]], count: int, clock: Callable[[], float] = time.thread_time
) -> dict[str, list[float]]:
    """Seconds of each contestant in each of `count` rounds, taking turns.

    A turn runs it twice and counts the second time, so that none pays for the caches that the one before it filled.
    """
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(count):
        for name, run in contestants.items():
            run()
            started = clock()
            run()
            times[name].append(clock() - started)
    return times


def median_ratio(slow: list[float], fast: list[float]) -> float:
    """Median over the rounds of slow / fast."""
    return float(np.median(np.array(slow) / np.array(fast)))


def _peers() -> dict[str, Callable[[], Any]]:
    """Array calls of the peers that are installed, over a quarter of the field, which suits their caches better."""
    side = SIDE // 2
    found: dict[str, Callable[[], Any]] = {}
    if importlib.util.find_spec("pyfastnoiselite"):
        from pyfastnoiselite.pyfastnoiselite import FastNoiseLite, FractalType, NoiseType

        lite = FastNoiseLite(1)
        lite.noise_type = NoiseType.NoiseType_Perlin
        lite.fractal_type = FractalType.FractalType_FBm
        lite.fractal_octaves = OCTAVES
        lite.frequency = FREQUENCY
        x, z = np.meshgrid(np.arange(side, dtype=np.float32), np.arange(side, dtype=np.float32))
        coordinates = np.stack([x.ravel(), z.ravel()])
        found["pyfastnoiselite"] = lambda: lite.gen_from_coords(coordinates)
    if importlib.util.find_spec("opensimplex"):
        import opensimplex

        positions = [np.arange(side) * FREQUENCY * 2.0**k for k in range(OCTAVES)]

        def simplex() -> None:
            total = np.zeros((side, side))
            for k, axis in enumerate(positions):
                total += opensimplex.noise2array(axis, axis) * 0.5**k

        found["opensimplex"] = simplex
    return found


def _on_generic() -> float | None:
    """Least ratio to the peers on the generic target, from a process of its own."""
    environment = os.environ | {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    code = "import json, bench_noise; print(json.dumps(bench_noise.against_peers()))"
    tools = Path(__file__).resolve().parent
    environment["PYTHONPATH"] = os.pathsep.join([str(tools.parent), str(tools)])
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        return None
    ratios = json.loads(done.stdout.splitlines()[-1])
    return min(ratios.values()) if ratios else None


def against_peers() -> dict[str, float]:
    """Times by which the aligned field is faster per octave-sample than each peer's array call."""
    noise, side = Noise(7, frequency=FREQUENCY, octaves=OCTAVES), SIDE // 2
    field = aligned_empty(SIDE, SIDE)
    ours = {"ours": lambda: noise.grid(0, 0, SIDE, SIDE, 1, out=field)}
    times = rounds(ours | _peers(), PEER_ROUNDS)
    scale = (SIDE / side) ** 2
    return {name: median_ratio(times[name], times["ours"]) * scale for name in times if name != "ours"}


def figures() -> list[dict[str, Any]]:
    """The noise rows of the table."""
    flat = Noise(7, frequency=FREQUENCY, octaves=OCTAVES)
    solid = Noise(7, frequency=FREQUENCY, octaves=OCTAVES, slice_y=0.5)
    page = PAGE_QUADS + 1
    world = World("alpine", seed=7)
    field, small = aligned_empty(SIDE, SIDE), aligned_empty(page, page)
    pool = ThreadPoolExecutor(2)

    def two_threads() -> None:
        halves = [
            pool.submit(solid.grid, 0, z, SIDE, SIDE // 2, 1, out=field[z : z + SIDE // 2])
            for z in (0, SIDE // 2)
        ]
        for half in halves:
            half.result()

    times = rounds(
        {
            "flat": lambda: flat.grid(0, 0, SIDE, SIDE, 1, out=field),
            "solid": lambda: solid.grid(0, 0, SIDE, SIDE, 1, out=field),
            "page": lambda: flat.grid(0, 0, page, page, 1, out=small),
            "fbm": lambda: [flat.at(17.25 + k, -3.5) for k in range(1000)],
            "alpine": lambda: [world.height(17.0 + k, -3.0) for k in range(100)],
        },
        ROUNDS,
    )
    times |= rounds({"solid two": two_threads}, ROUNDS, time.perf_counter)
    pool.shutdown()
    ms = {name: float(np.median(values)) * 1e3 for name, values in times.items()}
    samples = SIDE * SIDE * OCTAVES
    ratios = against_peers()
    peers = "1024²×5 octaves: times faster than pyfastnoiselite and opensimplex"
    least = min(ratios.values()) if ratios else None
    ns = ms["flat"] * 1e6 / samples
    return [
        figure(
            "1024²×5 octaves, aligned, strict float32",
            ns,
            "ns per octave-sample",
            0.25,
            compared_with={"FastNoise2 AVX-512, measured elsewhere": FASTNOISE2_NS[0]},
        ),
        figure(
            "1024²×5 octaves: times faster than pyfastnoiselite and opensimplex",
            least,
            "×",
            40.0,
            "higher",
            ratios,
        ),
        figure(
            f"{peers}, generic target",
            _on_generic(),
            "×",
            25.0,
            "higher",
        ),
        figure(
            "1024²×5 octaves: times faster than FastNoise2 (C++)", FASTNOISE2_NS[0] / ns, "×", 4.0, "higher"
        ),
        figure(
            "1024²×5 of 3-D noise, one thread",
            ms["solid"],
            "ms",
            2.0,
            compared_with={"compiled jobs on 8 cores, elsewhere": 18.3},
        ),
        figure(
            "1024²×5 of 3-D noise, two threads",
            ms["solid two"],
            "ms",
            1.2,
            compared_with={"compiled jobs on 8 cores, elsewhere": 18.3},
        ),
        figure(
            "plain 129² page, 5 octaves",
            ms["page"],
            "ms",
            0.05,
            compared_with={"threaded": 4.2, "single": 18.0},
        ),
        figure("point probe from Python, fbm", ms["fbm"], "µs", 3.0),
        figure("point probe from Python, alpine", ms["alpine"] * 10.0, "µs", 10.0),
    ]
