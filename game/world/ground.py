"""The ground: level-0 edited land at any point, at once, whatever is resident.

Owns a small cache of level-0 pages made straight from the world function, so a wheel never waits for streaming
and never differs from the picture: same samples, same triangles. Where streaming has the page already, its samples
are taken over instead of being made a second time: the same bits, without a hitch at the border. What neither has is
made ahead of the rider by a thread of its own; a page is a function of its place, so nothing depends on when. All else
is for the main thread only.
"""

from __future__ import annotations

import dataclasses
import math
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from game.core.coords import (
    GENERATED_APRON,
    PAGE_QUADS,
    STORED,
    VIEW_MARGIN_M,
    WORLD_LIMIT_M,
    PageKey,
    page_at,
)
from game.kernels import scatter
from game.kernels.ground import height_at, normal_at
from game.world.edits import DirtyBox, EditLog, EditSnapshot
from game.world.page import PageData
from game.world.vegetation import SHORE_M, Vegetation, trunks

if TYPE_CHECKING:
    from game.world.source import HeightSource

CAPACITY = 24
"""Pages kept, about 0.15 MiB each: a rider and a camera need a handful, a line ahead some more."""

AHEAD_M = 112.0
AHEAD_S = 2.0
"""Pages within this distance of where the rider is this much later are made ahead."""

_REACH_M = WORLD_LIMIT_M + VIEW_MARGIN_M
_PER_PAGE = 1.0 / PAGE_QUADS


class Ground:
    """Level-0 land with edits. All positions are world metres, heights metres."""

    def __init__(self, source: HeightSource, edits: EditLog, vegetation: Vegetation) -> None:
        self._source = source
        self._edits = edits
        self._vegetation = vegetation
        self._snapshot = edits.snapshot()
        self.resident: Callable[[PageKey], PageData | None] | None = None
        """Where to look for a page that is made already; set by whoever owns the resident pages."""
        self.growth_line_m = -math.inf
        """Height below which nothing has grown; set before the first question."""
        self._pages: OrderedDict[tuple[int, int], PageData] = OrderedDict()
        self._samples: dict[tuple[int, int], NDArray[np.float32]] = {}
        self._trunks: dict[tuple[int, int], NDArray[np.float64]] = {}
        self._climate = (0.0, 0.0)
        self._regrown = 0
        self._last: tuple[int, int] | None = None
        self._ahead: dict[tuple[int, int], Future[PageData]] = {}
        self._ahead_of: tuple[int, int] | None = None
        self._thread: ThreadPoolExecutor | None = None
        # Only edited samples are asked for here: what else an edit writes into a page goes to one place.
        self._unread = (
            np.zeros((STORED, STORED, 2), np.float32),
            np.zeros((STORED, STORED, 4), np.uint8),
            np.zeros((STORED, STORED, 4), np.uint8),
        )

    @property
    def epoch(self) -> int:
        """Changes whenever the land or what stands on it does: by `apply`, `grow` and `changed`."""
        return self._snapshot.epoch + self._regrown

    def grow(self, warmth_c: float, moisture: float) -> None:
        """Let trunks be those of a climate `warmth_c` warmer and `moisture` (of 1) moister than the recipe's."""
        if (warmth_c, moisture) != self._climate:
            self._climate = (warmth_c, moisture)
            self._trunks.clear()
            self.changed()

    def changed(self) -> None:
        """Something else stands on the land from here on: whoever remembers what does asks anew."""
        self._regrown += 1

    def apply(self, box: DirtyBox | None = None, snapshot: EditSnapshot | None = None) -> None:
        """Take over every change up to `snapshot`, by default all of the log (`box` may be left out).

        Pages follow when they are next asked for: the rider stands on one or two of them.
        """
        self._snapshot = self._edits.snapshot() if snapshot is None else snapshot
        self._last = None

    def page(self, key: PageKey) -> PageData | None:
        """The page of `key` if it is kept here, at whatever epoch."""
        return self._pages.get((key.ix, key.iz)) if key.level == 0 else None

    def look_ahead(self, x: float, z: float, vx_m_s: float, vz_m_s: float) -> None:
        """Have a thread make what a rider at (x, z) with this velocity will stand on and nobody has yet."""
        x, z = x + AHEAD_S * vx_m_s, z + AHEAD_S * vz_m_s
        if not (abs(x) < WORLD_LIMIT_M and abs(z) < WORLD_LIMIT_M):
            return
        half = 0.5 * PAGE_QUADS
        goal = (math.floor(x / half), math.floor(z / half))
        if goal == self._ahead_of:
            return
        self._ahead_of = goal
        low, high = page_at(0, x - AHEAD_M, z - AHEAD_M), page_at(0, x + AHEAD_M, z + AHEAD_M)
        wanted = [(ix, iz) for ix in range(low.ix, high.ix + 1) for iz in range(low.iz, high.iz + 1)]
        for at in [at for at in self._ahead if at not in wanted]:
            self._ahead.pop(at).cancel()
        for at in wanted:
            known = at in self._pages or at in self._ahead
            if known or (self.resident is not None and self.resident(PageKey(0, *at)) is not None):
                continue
            if self._thread is None:
                self._thread = ThreadPoolExecutor(1, "ground")
            self._ahead[at] = self._thread.submit(self._source.generate, PageKey(0, *at))

    def close(self) -> None:
        """End the thread that looks ahead; harmless when called twice. Questions are answered after it too."""
        for future in self._ahead.values():
            future.cancel()
        self._ahead.clear()
        if self._thread is not None:
            self._thread.shutdown()
            self._thread = None

    def page_at(self, ix: int, iz: int) -> PageData:
        """Level-0 page (ix, iz) with the ground's edits, made if it is not kept. Raises `ValueError` too far out."""
        self._turn_to((ix, iz), float(ix * PAGE_QUADS), float(iz * PAGE_QUADS))
        return self._pages[ix, iz]

    def height(self, x: float, z: float) -> float:
        """Height of the drawn level-0 triangle at (x, z).

        Raises `ValueError` when the position is not finite or too far out.
        """
        try:
            ix = math.floor(x * _PER_PAGE)
            iz = math.floor(z * _PER_PAGE)
        except (ValueError, OverflowError):
            raise _refused(x, z) from None
        at = (ix, iz)
        if at != self._last:
            self._turn_to(at, x, z)
        # float(): other number types would compile a kernel of their own inside a frame.
        return height_at(self._samples[at], float(x), float(z), ix * PAGE_QUADS, iz * PAGE_QUADS)

    def normal(self, x: float, z: float) -> tuple[float, float, float]:
        """Unit normal (x, y, z) of the drawn level-0 triangle at (x, z). Raises as `height`."""
        try:
            ix = math.floor(x * _PER_PAGE)
            iz = math.floor(z * _PER_PAGE)
        except (ValueError, OverflowError):
            raise _refused(x, z) from None
        at = (ix, iz)
        if at != self._last:
            self._turn_to(at, x, z)
        return normal_at(self._samples[at], float(x), float(z), ix * PAGE_QUADS, iz * PAGE_QUADS)

    def block(self, i0: int, j0: int, ni: int, nj: int) -> NDArray[np.float32]:
        """Edited level-0 samples float32 [nj, ni] from sample (i0, j0), 1 m apart; across pages.

        Raises `ValueError` when a side is less than 1 or more than 4096 samples, or too far out.
        """
        if not (1 <= ni <= 4096 and 1 <= nj <= 4096):
            raise ValueError(f"block of {ni} × {nj} samples is not accepted; give sides of 1 to 4096")
        found = np.empty((nj, ni), np.float32)
        for iz in range(j0 // PAGE_QUADS, (j0 + nj - 1) // PAGE_QUADS + 1):
            for ix in range(i0 // PAGE_QUADS, (i0 + ni - 1) // PAGE_QUADS + 1):
                west, north = ix * PAGE_QUADS, iz * PAGE_QUADS
                self._turn_to((ix, iz), float(west), float(north))
                i, i_end = max(i0, west), min(i0 + ni, west + PAGE_QUADS)
                j, j_end = max(j0, north), min(j0 + nj, north + PAGE_QUADS)
                samples = self._samples[ix, iz]
                row, column = j - north + GENERATED_APRON, i - west + GENERATED_APRON
                found[j - j0 : j_end - j0, i - i0 : i_end - i0] = samples[
                    row : row + j_end - j, column : column + i_end - i, 0
                ]
        return found

    def trunks(self, x: float, z: float, radius_m: float) -> NDArray[np.float64]:
        """Trunks whose axis is within `radius_m` of (x, z): float64 [n, 5] x, z, radius, bottom, top height.

        Sorted by (x, z), and made from the world function, so a replay does not depend on streaming.
        Raises `ValueError` when the position is refused or `radius_m` is not 0…1000 m.
        """
        if not 0.0 <= radius_m <= 1000.0:
            raise ValueError(f"radius_m = {radius_m!r} is not accepted; give 0 to 1000 metres")
        if not (abs(x) <= _REACH_M and abs(z) <= _REACH_M):
            raise _refused(x, z)
        low, high = page_at(0, x - radius_m, z - radius_m), page_at(0, x + radius_m, z + radius_m)
        parts = []
        for ix in range(low.ix, high.ix + 1):
            for iz in range(low.iz, high.iz + 1):
                rows = self._trunks_of((ix, iz))
                near = (rows[:, 0] - x) ** 2 + (rows[:, 1] - z) ** 2 <= radius_m * radius_m
                parts.append(rows[near])
        found = np.concatenate(parts)
        return found[np.lexsort((found[:, 1], found[:, 0]))]

    def _trunks_of(self, at: tuple[int, int]) -> NDArray[np.float64]:
        """All trunks of a page, made at the first question."""
        self._turn_to(at, float(at[0] * PAGE_QUADS), float(at[1] * PAGE_QUADS))
        rows = self._trunks.get(at)
        if rows is None:
            page = self._pages[at]
            if page.woods is None:
                self._snapshot.plant(page, self._vegetation)
            rows = self._trunks[at] = self._standing(page)
        return rows

    def _standing(self, page: PageData) -> NDArray[np.float64]:
        """The trunks of a page's trees that stand in this climate and have grown on land."""
        rows = page.trees
        rows = rows[scatter.standing(rows, *scatter.climate_codes(*self._climate))]
        rows = rows[rows[:, 1] >= self.growth_line_m + SHORE_M]
        return trunks(rows, *page.key.origin_m)

    def _turn_to(self, at: tuple[int, int], x: float, z: float) -> None:
        """Make sure page `at`, which holds (x, z), is in the cache and is the most recent."""
        if at in self._pages:
            self._pages.move_to_end(at)
            page = self._pages[at]
            if page.epoch < self._snapshot.epoch:
                if self._follow(page):
                    self._trunks.pop(at, None)
                self._samples[at] = page.edited
        else:
            if not (abs(x) <= _REACH_M and abs(z) <= _REACH_M):
                raise _refused(x, z)
            page = self._make(PageKey(0, *at))
            self._pages[at] = page
            self._samples[at] = page.edited
            if len(self._pages) > CAPACITY:
                oldest, _ = self._pages.popitem(last=False)
                del self._samples[oldest]
                self._trunks.pop(oldest, None)
        self._last = at

    def _follow(self, page: PageData) -> bool:
        """Bring a kept page to the ground's epoch; whether land or trees may be others.

        The page that is shown stands there already: copying its samples costs a tenth of working them out again.
        """
        shown = None if self.resident is None else self.resident(page.key)
        if shown is None or shown.epoch != self._snapshot.epoch:
            trees = page.trees
            return self._snapshot.evaluate_box(page) is not None or page.trees is not trees
        page.epoch = shown.epoch
        if shown.edited is shown.base:
            moved = page.edited is not page.base
            page.edited = page.base
        else:
            moved = True
            if page.edited is page.base:
                page.edited = shown.edited.copy()
            else:
                np.copyto(page.edited, shown.edited)
        moved = moved or page.trees is not shown.trees
        self._take_woods(page, shown)
        return moved

    @staticmethod
    def _take_woods(page: PageData, shown: PageData) -> None:
        """Let `page` have the woods of the shown one at the same epoch; else they are planted on demand."""
        page.woods = None if shown.woods is None else shown.woods.copy()
        page.trees = shown.trees if page.woods is not None else page.trees[:0]

    def _make(self, key: PageKey) -> PageData:
        """Page `key` at the ground's own epoch: from what is resident, or from the world function."""
        found = None if self.resident is None else self.resident(key)
        if found is None:
            ahead = self._ahead.pop((key.ix, key.iz), None)
            # One that waits behind others is made here: sooner, and the same.
            page = self._source.generate(key) if ahead is None or ahead.cancel() else ahead.result()
            page.heights, page.normals, page.climate = self._unread
        else:
            # Its own page around the same unedited samples: the epochs of ground and picture move separately.
            page = dataclasses.replace(
                found,
                edited=found.base,
                heights=self._unread[0],
                normals=self._unread[1],
                climate=self._unread[2],
                trees=found.trees[:0],
                woods=None,
                epoch=0,
            )
            if found.epoch == self._snapshot.epoch:
                page.epoch = found.epoch
                if found.edited is not found.base:
                    page.edited = found.edited.copy()
                self._take_woods(page, found)
        self._snapshot.evaluate(page)
        return page


def _refused(x: float, z: float) -> ValueError:
    return ValueError(
        f"position ({x!r}, {z!r}) is not accepted; give finite metres from -{_REACH_M:.0f} to {_REACH_M:.0f}"
    )
