"""Shadows of mountains around the camera, worked out by a thread of its own.

Takes heights 64 m apart from the resident coarse pages, marches toward the light (`kernels.mountain_shade`) and hands
out immutable `ShadeMap`s: before and after a change of the light, so that the picture can fade from one to the other.
Main thread only, but for the job.
"""

from __future__ import annotations

import math
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from game.core.coords import APRON, MAX_LEVEL, PAGE_QUADS, PageKey
from game.kernels.mountain_shade import light_over_ground, shade_heights
from game.streaming.store import PageStore
from game.world.page import PageData

SHADE_LEVEL = 6
SHADE_SPACING_M = 1 << SHADE_LEVEL
SHADE_SIDE = 384
"""Samples along one side of a map: 24.6 km."""

_MARGIN = 64
"""Samples around it that only cast."""

_SNAP = 32
"""A map moves by this many samples at a time."""

_FINEST = 3
"""Level of the finest pages that are asked where coarser ones are missing."""

LEAST_TURN = math.cos(math.radians(0.25))
"""Cosine of the turn of the light after which shadows are worked out again."""

LEAP = math.cos(math.radians(6.0))
"""A light that turned farther leapt: nothing fades."""

FADE_S = 1.5
"""Simulated seconds in which new shadows take the place of the old ones."""

LOOK_S = 0.5
"""Simulated seconds between two looks at which pages are resident."""

Direction = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class ShadeMap:
    """Where shadows of mountains end, around the camera."""

    i0: int
    j0: int
    """Sample indices of the first column and row, SHADE_SPACING_M apart."""
    tops: NDArray[np.float32]
    """float32 [SHADE_SIDE, SHADE_SIDE, 2] land lower than this is in shadow: now, and before the light turned."""
    since_s: float
    """Simulated time from which it is shown."""

    def share(self, time_s: float) -> float:
        """How far the new shadows have taken over, 0…1."""
        return min(1.0, max(0.0, (time_s - self.since_s) / FADE_S))


class MountainShade:
    """The shadows around the camera: `look` once a frame, then `map` is the newest."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="shade")
        self._future: Future[NDArray[np.float32]] | None = None
        self._coming: tuple[int, int] = (0, 0)
        self._light: Direction | None = None
        """The light of the last order."""
        self._land: list[tuple[PageData, int]] = []
        """Pages of the last order and their epochs."""
        self._looked_s = -math.inf
        self._seen: tuple[int, tuple[int, int]] | None = None
        """Revision of the store and corner whose pages were last compared, and found to be shown."""
        self.map: ShadeMap | None = None
        """The newest; None before the first is done."""

    def look(
        self, store: PageStore, x: float, z: float, light: Direction, time_s: float, eager: bool = False
    ) -> None:
        """Take over a finished map, and order another if it is time, for a camera at world (x, z).

        `light` is a unit vector toward the light. Never waits. With `eager`, and `finish` after it, no map depends on
        how fast the thread is: the same rides have the same shadows.
        """
        if self._future is not None and self._future.done():
            self.finish(time_s)
        shown = self.map
        fading = shown is not None and time_s < shown.since_s + FADE_S
        if self._future is not None or (fading and not eager):
            return
        corner = _corner(x, z)
        before = self._light
        turned = before is None or sum(a * b for a, b in zip(before, light, strict=True)) < LEAST_TURN
        if not (turned or eager) and 0.0 <= time_s - self._looked_s < LOOK_S:
            return
        self._looked_s = time_s
        seen = store.revision, corner
        if not turned and seen == self._seen and shown is not None and (shown.i0, shown.j0) == corner:
            return
        pages = _pages(store, *corner)
        land = [(page, page.epoch) for page in pages]
        same = len(land) == len(self._land) and all(
            a[0] is b[0] and a[1] == b[1] for a, b in zip(land, self._land, strict=True)
        )
        if not turned and same and shown is not None and (shown.i0, shown.j0) == corner:
            self._seen = seen
            return
        if before is None or sum(a * b for a, b in zip(before, light, strict=True)) < LEAP:
            before = light
        # The light of the last order stays where too little changed, so that small turns add up.
        now = light if turned else before
        self._light, self._land, self._coming = now, land, corner
        self._future = self._pool.submit(_work, pages, corner, now, before)

    def finish(self, time_s: float) -> None:
        """Wait for the map that was ordered, if any; it is shown from `time_s` on."""
        if self._future is not None:
            future, self._future = self._future, None
            self.map = ShadeMap(*self._coming, future.result(), time_s)

    def close(self) -> None:
        """End the thread; harmless when called twice."""
        self._pool.shutdown(wait=True, cancel_futures=True)


def _corner(x: float, z: float) -> tuple[int, int]:
    step = _SNAP * SHADE_SPACING_M
    half = SHADE_SIDE // 2
    return math.floor(x / step + 0.5) * _SNAP - half, math.floor(z / step + 0.5) * _SNAP - half


def _pages(store: PageStore, i0: int, j0: int) -> list[PageData]:
    """Resident pages that tell the heights of a map and its margin, coarse to fine."""
    found: list[PageData] = []

    def add(key: PageKey) -> None:
        page = store.page(key)
        if page is not None:
            found.append(page)
        elif key.level > _FINEST:
            for iz in (0, 1):
                for ix in (0, 1):
                    add(PageKey(key.level - 1, 2 * key.ix + ix, 2 * key.iz + iz))

    last = SHADE_SIDE + _MARGIN - 1
    keys = [
        PageKey(SHADE_LEVEL, ix, iz)
        for iz in range((j0 - _MARGIN) // PAGE_QUADS, (j0 + last) // PAGE_QUADS + 1)
        for ix in range((i0 - _MARGIN) // PAGE_QUADS, (i0 + last) // PAGE_QUADS + 1)
    ]
    coarser = {PageKey(level, k.ix >> up, k.iz >> up) for k in keys for up, level in _ABOVE}
    for key in sorted(coarser, reverse=True):
        page = store.page(key)
        if page is not None:
            found.append(page)
    for key in keys:
        add(key)
    return found


_ABOVE = tuple(
    (level - SHADE_LEVEL, level) for level in range(SHADE_LEVEL + 1, min(SHADE_LEVEL + 3, MAX_LEVEL + 1))
)


def _work(
    pages: list[PageData], corner: tuple[int, int], now: Direction, before: Direction
) -> NDArray[np.float32]:
    """On the worker: tops [SHADE_SIDE, SHADE_SIDE, 2] under both lights."""
    side = SHADE_SIDE + 2 * _MARGIN
    heights = np.full((side, side), -30_000.0, np.float32)
    for page in pages:
        _lay(page, corner[0] - _MARGIN, corner[1] - _MARGIN, heights)
    tops = np.empty((SHADE_SIDE, SHADE_SIDE, 2), np.float32)
    top = np.empty((SHADE_SIDE, SHADE_SIDE), np.float32)
    shade_heights(heights, float(SHADE_SPACING_M), *light_over_ground(now), _MARGIN, top)
    tops[..., 0] = top
    if before != now:
        shade_heights(heights, float(SHADE_SPACING_M), *light_over_ground(before), _MARGIN, top)
    tops[..., 1] = top
    return tops


def _lay(page: PageData, i0: int, j0: int, heights: NDArray[np.float32]) -> None:
    """Write the samples of `page` that fall into `heights`, whose first sample is (i0, j0) of SHADE_LEVEL."""
    key, side = page.key, heights.shape[0]
    span = key.spacing_m * PAGE_QUADS // SHADE_SPACING_M
    west, north = key.ix * span, key.iz * span
    columns = np.arange(max(west, i0), min(west + span, i0 + side))
    rows = np.arange(max(north, j0), min(north + span, j0 + side))
    if not len(columns) or not len(rows):
        return
    across = (columns - west) * SHADE_SPACING_M // key.spacing_m + APRON
    down = (rows - north) * SHADE_SPACING_M // key.spacing_m + APRON
    heights[rows[0] - j0 : rows[-1] - j0 + 1, columns[0] - i0 : columns[-1] - i0 + 1] = page.heights[
        down[:, None], across[None, :], 0
    ]
