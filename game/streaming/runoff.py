"""Runoff around the rider, worked out by a thread of its own.

Owns the thread, the window's land and the water on it; hands out immutable `RunoffView`s. Whoever asks says how far the
simulation has come and gets the newest view; nothing waits, unless `block` asks for repeatable rides. While a new
window or a changed land is being worked out the old view stays. Main thread only, but for the job.
"""

from __future__ import annotations

import sys
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from game.core.coords import GENERATED_APRON, PAGE_QUADS, PageKey
from game.world.edits import EditSnapshot
from game.world.page import PageData
from game.world.runoff import Runoff, RunoffView, Window, route, window_around
from game.world.weather import RainHistory

LEVEL = 2
"""Level of the heights: 4 m, as the windows have."""

TICK_S = 0.25
"""Simulated time between two views."""

DRY_M3 = 5.0
"""With less water than this and no rain the window is given up."""

SEA_STEP_M = 0.02
"""A sea that moved less leaves the outlets where they are."""


class Land(Protocol):
    """What is needed of `world.source.HeightSource`. Thread-safe."""

    def generate(self, key: PageKey) -> PageData: ...


@dataclass(frozen=True, slots=True)
class _Order:
    """One job: the state to reach. Everything it depends on."""

    window: Window
    snapshot: EditSnapshot
    sea_m: float
    seconds: float
    runoff_m_s: float
    soak_m_s: float
    past: tuple[tuple[float, float, float], ...]
    """Rain before this order, for a window that is new."""
    afresh: bool
    """Begin from the past even if the window is the same."""


class RunoffWorker:
    """The water around the rider. `update` once a frame; `view` is what to draw."""

    def __init__(self, land: Land, seed: int) -> None:
        self._land, self._seed = land, seed
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="runoff")
        self._future: Future[tuple[RunoffView, float]] | None = None
        self._ordered: _Order | None = None
        self._owed = (0.0, 0.0, 0.0)
        """Seconds, runoff m and soaking m since the last order."""
        self._model: Runoff | None = None
        """The worker's, like everything below; read only while no job runs."""
        self._pages: dict[PageKey, PageData] = {}
        self._land_epoch = -1
        self._serial = 0
        self.history = RainHistory()
        self.view: RunoffView | None = None
        """Newest water; None while all is dry."""
        self._water_m3 = 0.0
        self._afresh = False

    def update(
        self,
        x: float,
        z: float,
        snapshot: EditSnapshot,
        sea_m: float,
        rates_m_s: tuple[float, float],
        seconds: float,
        block: bool = False,
    ) -> None:
        """Go on by `seconds` of rain at `rates_m_s` (running off, soaking in) around (x, z).

        With `block` every job is waited for, so that the same rides have the same water.
        """
        self._collect(block)
        runs, soaks = rates_m_s
        if runs + soaks <= 0.0 and self._water_m3 < DRY_M3 and self._future is None and not self._afresh:
            if self._ordered is not None:
                self.forget()
            return
        owed_s, owed_run, owed_soak = self._owed
        self._owed = owed_s + seconds, owed_run + seconds * runs, owed_soak + seconds * soaks
        if self._future is not None:
            return
        last = self._ordered
        window = window_around(x, z, None if last is None else last.window)
        changed = (
            last is None
            or window != last.window
            or snapshot.epoch != last.snapshot.epoch
            or abs(sea_m - last.sea_m) > SEA_STEP_M
            or self._afresh
        )
        if not changed and self._owed[0] < TICK_S:
            return
        owed_s, owed_run, owed_soak = self._owed
        per_s = 1.0 / owed_s if owed_s > 0.0 else 0.0
        order = _Order(
            window,
            snapshot,
            sea_m,
            owed_s,
            owed_run * per_s,
            owed_soak * per_s,
            self.history.copy(),
            self._afresh,
        )
        self._owed, self._afresh = (0.0, 0.0, 0.0), False
        self.history.add(order.seconds, order.runoff_m_s, order.soak_m_s)
        self._ordered = order
        self._future = self._pool.submit(self._work, order)
        self._collect(block)

    def rained(self, seconds: float, runoff_m_s: float, soak_m_s: float) -> None:
        """Let it have rained already: the water is worked out afresh from the whole past."""
        self.history.add(seconds, runoff_m_s, soak_m_s)
        self._afresh = True

    def forget(self) -> None:
        """Dry everything at once: as if it had never rained."""
        if self._future is not None:
            self._future.cancel()
            self._collect(block=True)
        self.history.clear()
        self.view = self._ordered = self._model = None
        self._water_m3 = 0.0
        self._owed = (0.0, 0.0, 0.0)
        self._afresh = False
        self._pages.clear()

    def close(self) -> None:
        """End the thread; harmless when called twice."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _collect(self, block: bool) -> None:
        """Take over what the worker has finished."""
        future = self._future
        if future is None or not (block or future.done()):
            return
        self._future = None
        if future.cancelled():
            return
        error = future.exception()
        if error is not None:
            print(
                f"veloterra: runoff could not be worked out ({type(error).__name__}: {error}); "
                "rain leaves no streams here",
                file=sys.stderr,
            )
            self.view = self._model = None
            return
        self.view, self._water_m3 = future.result()

    # On the worker.

    def _work(self, order: _Order) -> tuple[RunoffView, float]:
        model = self._model
        if model is None or model.window != order.window or order.afresh:
            routing = route(self._heights(order), order.sea_m)
            model = self._model = Runoff(order.window, routing, self._seed)
            self._serial += 1
            model.catch_up(order.past)
        elif order.snapshot.epoch != self._land_epoch or abs(order.sea_m - model.routing.sea_m) > 1e-6:
            model.reroute(route(self._heights(order), order.sea_m))
        self._land_epoch = order.snapshot.epoch
        model.rain(order.seconds, order.runoff_m_s, order.soak_m_s)
        return model.view(self._serial), model.stored_m3

    def _heights(self, order: _Order) -> NDArray[np.float32]:
        """Edited heights of the window, float32 [cells, cells]."""
        window, cells = order.window, order.window.cells
        heights = np.empty((cells, cells), np.float32)
        kept: dict[PageKey, PageData] = {}
        for iz in range(window.j0 // PAGE_QUADS, (window.j0 + cells - 1) // PAGE_QUADS + 1):
            for ix in range(window.i0 // PAGE_QUADS, (window.i0 + cells - 1) // PAGE_QUADS + 1):
                key = PageKey(LEVEL, ix, iz)
                page = self._pages.get(key) or self._land.generate(key)
                order.snapshot.evaluate(page, samples_only=True)
                kept[key] = page
                west, north = ix * PAGE_QUADS, iz * PAGE_QUADS
                i, i_end = max(window.i0, west), min(window.i0 + cells, west + PAGE_QUADS)
                j, j_end = max(window.j0, north), min(window.j0 + cells, north + PAGE_QUADS)
                row, column = j - north + GENERATED_APRON, i - west + GENERATED_APRON
                heights[j - window.j0 : j_end - window.j0, i - window.i0 : i_end - window.i0] = page.edited[
                    row : row + j_end - j, column : column + i_end - i, 0
                ]
        self._pages = kept
        return heights
