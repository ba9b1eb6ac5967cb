"""Runoff's figures of `python tools/bench.py water`, and by themselves: `python tools/bench.py water_runoff`."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from bench_common import figure

REPEATS = 15
RAIN_M_S = 50.0 / 3.6e6


def figures() -> list[dict[str, Any]]:
    """The window routed, rained on and its discharge painted; lines; sculpting; a window that follows; landlab."""
    from game.kernels import channels, runoff
    from game.world.recipe import Recipe
    from game.world.runoff import Runoff, Window, route, window_around
    from game.world.source import HeightSource

    runoff.warm()
    channels.warm()
    source = HeightSource(Recipe.load("alpine"), 7)
    # The figure is about 256² cells; the game's window is larger and told beside it.
    whole = window_around(-1524.0, -14.0)
    inset = (whole.cells - 256) // 2
    window = Window(whole.i0 + inset, whole.j0 + inset, 256)
    heights = source.block(2, window.i0, window.j0, window.cells, window.cells)
    times: dict[str, list[float]] = {"window": [], "tick": [], "lines": [], "whole": []}
    for _ in range(REPEATS):
        started = time.perf_counter()
        model = Runoff(window, route(heights, 0.0))
        model.rain(1.0, RAIN_M_S)
        routed = time.perf_counter()
        model.view()
        drawn = time.perf_counter()
        model.rain(0.25, RAIN_M_S)
        model.view()
        ticked = time.perf_counter()
        times["tick"].append(1000.0 * (ticked - drawn))
        times["lines"].append(1000.0 * (drawn - routed))
        times["window"].append(1000.0 * (routed - started))
    land = source.block(2, whole.i0, whole.j0, whole.cells, whole.cells)
    for _ in range(REPEATS):
        started = time.perf_counter()
        Runoff(whole, route(land, 0.0)).rain(1.0, RAIN_M_S)
        times["whole"].append(1000.0 * (time.perf_counter() - started))
    window_ms, tick_ms, lines_ms = (statistics.median(times[name]) for name in ("window", "tick", "lines"))
    model = Runoff(window, route(heights, 0.0))
    for _ in range(100):
        model.rain(6.0, RAIN_M_S, 0.2 * RAIN_M_S)
    model.reroute(route(heights + np.float32(0.0), 0.0))
    kept = model.left_m3 + model.stored_m3 + model.soaked_m3
    return [
        figure(
            "runoff 256² window",
            window_ms,
            "ms",
            30.0,
            compared_with={
                "channel lines drawn after it": lines_ms,
                "a quarter second of rain": tick_ms,
                f"the game's window of {whole.cells}²": statistics.median(times["whole"]),
            },
        ),
        figure("runoff after sculpting", _sculpted_s(), "s", 0.5),
        figure("mass balance of ten minutes of rain", abs(kept / model.rained_m3 - 1.0), "of the rain", 1e-6),
        figure("accumulation at outlets beside landlab", _landlab(heights[:128, :128]), "of theirs", 0.01),
    ]


def _sculpted_s() -> float:
    """From the dab to the view that shows it, on the worker, median."""
    from game.streaming.runoff import RunoffWorker
    from game.world.edits import EditLog
    from game.world.recipe import Recipe
    from game.world.source import HeightSource

    edits, worker = EditLog(), RunoffWorker(HeightSource(Recipe.load("alpine"), 7), 7)
    rates = (RAIN_M_S, 0.0)
    worker.update(-1524.0, -14.0, edits.snapshot(), 0.0, rates, 60.0, block=True)
    spent = []
    for n in range(REPEATS):
        edits.apply("lower", -1500.0 + 5.0 * n, -40.0, 30.0, 6.0)
        started = time.perf_counter()
        worker.update(-1524.0, -14.0, edits.snapshot(), 0.0, rates, 0.25, block=True)
        spent.append(time.perf_counter() - started)
    worker.close()
    return statistics.median(spent)


def _landlab(heights: np.ndarray) -> float | None:
    """Largest difference at an outlet of more than 50 cells; None without landlab.

    VELOTERRA_LANDLAB_PYTHON may name an interpreter that has it.
    """
    from game.world.runoff import route

    python = os.environ.get("VELOTERRA_LANDLAB_PYTHON", sys.executable)
    if subprocess.run([python, "-c", "import landlab"], capture_output=True).returncode != 0:
        print("landlab is not installed; VELOTERRA_LANDLAB_PYTHON may name an interpreter that has it")
        return None
    with tempfile.TemporaryDirectory() as directory:
        given, found = Path(directory) / "heights.npy", Path(directory) / "out.npy"
        np.save(given, heights)
        script = Path(__file__).with_name("landlab_reference.py")
        subprocess.run([python, script, given, "4", found], check=True)
        theirs = np.load(found)
    ours = route(np.ascontiguousarray(heights)).area.reshape(heights.shape) - 1.0
    edge = np.ones(heights.shape, bool)
    edge[1:-1, 1:-1] = False
    large = edge & (theirs > 50.0)
    return float(np.abs(ours[large] / theirs[large] - 1.0).max())
