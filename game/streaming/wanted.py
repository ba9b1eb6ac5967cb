"""Which pages a view wants, and in which order: now, on the predicted path, and in a cone around it.

Owns the arrays the search writes. Reads the resident table, marks wanted pages in it, never loads anything.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from game.core.coords import VIEW_MARGIN_M, WORLD_LIMIT_M, PageKey
from game.kernels import selection as kernels
from game.lod.settings import LodSettings
from game.streaming.store import PageTable

LOOK_AHEAD_S = (1.8, 3.0)
"""How far ahead in time pages are wanted, at least and at most; between them, the time to brake."""

BRAKING_M_S2 = 5.0
"""Deceleration of a rider who brakes; the way until standing is what will surely be seen."""

RESTORE_SHARE = 0.9
"""A dropped level comes back when everything fits in this share of the capacity, so it does not flicker."""


@dataclass(frozen=True, slots=True)
class Focus:
    """The camera as streaming sees it: position and altitude above ground in metres, velocity in m/s, and the
    unit direction it looks in on the plane, (0, 0) for no preference."""

    x: float
    z: float
    altitude_m: float = 0.0
    vx: float = 0.0
    vz: float = 0.0
    look_x: float = 0.0
    look_z: float = 0.0

    def __post_init__(self) -> None:
        numbers = (self.x, self.z, self.altitude_m, self.vx, self.vz, self.look_x, self.look_z)
        limit = WORLD_LIMIT_M + 0.5 * VIEW_MARGIN_M
        if not all(math.isfinite(n) for n in numbers) or max(abs(self.x), abs(self.z)) > limit:
            raise ValueError(
                f"focus {numbers!r} is not accepted; give finite numbers, x and z within ±{limit:.0f} m"
            )


class WantedPages:
    """The search for one view's pages, repeated each frame.

    When more pages are wanted than the store has layers, first the prediction is shortened, then the finest
    level is dropped; `finest` says which level is the finest left.
    """

    def __init__(self, lod: LodSettings) -> None:
        self.targets = lod.targets
        self.ranges: NDArray[np.float32] = np.zeros(lod.levels, np.float32)
        """float32 [levels] what the last frame drew; whoever draws writes it here."""
        self.finest = 0
        self.always_fits = False
        """Whether all levels are known to fit wherever the view is: then a dropped level comes back at once."""
        self.count = 0
        """Pages wanted, resident or not."""
        self.needed_now: NDArray[np.int64] = np.zeros(lod.levels, np.int64)
        """int64 [levels] pages that the view needs at once."""
        self.missing_rows: NDArray[np.int64] = np.zeros((0, 3), np.int64)
        """int64 [n, 3] (level, ix, iz) wanted but not resident, most urgent first."""
        self._rows = np.zeros((1024, 3), np.int64)
        self._priority = np.zeros(1024)

    def update(self, focus: Focus, store: PageTable) -> None:
        """Search around `focus`: marks wanted residents of `store` and fills `missing_rows`."""
        speed = math.hypot(focus.vx, focus.vz)
        horizon_s = min(max(speed / (2.0 * BRAKING_M_S2), LOOK_AHEAD_S[0]), LOOK_AHEAD_S[1])
        found = self._search(focus, store, horizon_s)
        if self.finest > 0 and self.count <= store.limit:
            below_top = self.needed_now[self.finest : -1]
            share = 1.0 if self.always_fits else RESTORE_SHARE
            if int(self.needed_now.sum() + below_top.max(initial=0)) <= share * store.limit:
                self.finest -= 1
                found = self._search(focus, store, horizon_s)
        while self.count > store.limit:
            if horizon_s > 0.0:
                horizon_s = 0.5 * horizon_s if horizon_s > 0.4 else 0.0
            elif self.finest < len(self.targets) - 1:
                self.finest += 1
            else:
                found = min(found, max(0, store.limit - (self.count - found)))
                break
            found = self._search(focus, store, horizon_s)
        # lexsort, last key first: equal priorities fall back on the key, so the order never depends on memory.
        rows = self._rows[:found]
        order = np.lexsort((rows[:, 2], rows[:, 1], self._priority[:found]))
        self.missing_rows = rows[order]

    def missing(self) -> list[PageKey]:
        """Keys of `missing_rows`, most urgent first."""
        return [PageKey(*row) for row in self.missing_rows.tolist()]

    def aim(self, targets: NDArray[np.float64], ranges: NDArray[np.float32]) -> None:
        """Take other target ranges over, and what the last frame drew; the number of levels may be another."""
        self.targets, self.ranges = targets, ranges
        if len(self.needed_now) != len(targets):
            self.needed_now = np.zeros(len(targets), np.int64)
            self.finest = min(self.finest, len(targets) - 1)

    def _search(self, focus: Focus, store: PageTable, horizon_s: float) -> int:
        anchor_x, anchor_z = math.floor(focus.x), math.floor(focus.z)
        store.frame += 1
        while True:
            found, self.count = kernels.wanted_pages(
                anchor_x,
                anchor_z,
                float(focus.x - anchor_x),
                float(focus.z - anchor_z),
                max(0.0, float(focus.altitude_m)),
                float(focus.vx),
                float(focus.vz),
                float(focus.look_x),
                float(focus.look_z),
                horizon_s,
                self.targets,
                self.ranges,
                self.finest,
                store.slots,
                store.keys,
                store.last_wanted,
                store.links,
                store.frame,
                self._rows,
                self._priority,
                self.needed_now,
            )
            if found >= 0:
                return int(found)
            self._rows = np.zeros((2 * len(self._rows), 3), np.int64)
            self._priority = np.zeros(len(self._rows))
