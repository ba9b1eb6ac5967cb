"""The land around the camera as three height maps, fine to coarse: what the water asks for its depth.

Taken from the resident pages, coarser ones where finer are missing; knows neither sea nor GL. One map is made anew a
frame, in turn, when a page came, went or was edited or the camera moved on; a map it has left is made at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from game.core.coords import APRON, MAX_LEVEL, PAGE_QUADS, PageKey
from game.streaming.store import PageStore

BED_LEVELS = (1, 3, 5)
"""Levels whose samples the maps hold: 2, 8 and 32 m apart."""

BED_SIDE = 256
"""Samples along one side of a map."""

NO_BED_M = -30_000.0
"""Where no land is resident: deep."""

_SNAP = 16
"""A map moves by this many samples at a time."""


@dataclass(slots=True)
class BedMap:
    """One map; its heights are replaced with it, never changed in place."""

    level: int
    i0: int
    j0: int
    """Sample indices of the first column and row at `level`."""
    heights: NDArray[np.float32]
    """float32 [BED_SIDE, BED_SIDE], rows run south."""
    revision: int = 0
    """`PageStore.revision` at which it was found to hold."""


@dataclass(slots=True)
class Bed:
    """The maps around a place. Main thread only."""

    maps: list[BedMap] = field(default_factory=list)
    _turn: int = 0

    def follow(self, store: PageStore, x: float, z: float) -> list[BedMap]:
        """The maps for a camera at world (x, z); the same objects where nothing changed."""
        if not self.maps:
            self.maps = [_make(store, level, *_corner(level, x, z)) for level in BED_LEVELS]
            return self.maps
        self._turn = (self._turn + 1) % len(BED_LEVELS)
        for n, level in enumerate(BED_LEVELS):
            i0, j0 = _corner(level, x, z)
            was = self.maps[n]
            left = max(abs(i0 - was.i0), abs(j0 - was.j0)) > 2 * _SNAP
            if n != self._turn and not left:
                continue
            if was.revision == store.revision and (i0, j0) == (was.i0, was.j0):
                continue
            made = _make(store, level, i0, j0)
            was.revision = store.revision
            if (made.i0, made.j0) != (was.i0, was.j0) or not np.array_equal(made.heights, was.heights):
                self.maps[n] = made
        return self.maps


def _corner(level: int, x: float, z: float) -> tuple[int, int]:
    step = _SNAP << level
    half = BED_SIDE // 2
    return math.floor(x / step + 0.5) * _SNAP - half, math.floor(z / step + 0.5) * _SNAP - half


def _make(store: PageStore, level: int, i0: int, j0: int) -> BedMap:
    heights = np.full((BED_SIDE, BED_SIDE), NO_BED_M, np.float32)
    for iz in range(j0 // PAGE_QUADS, (j0 + BED_SIDE - 1) // PAGE_QUADS + 1):
        for ix in range(i0 // PAGE_QUADS, (i0 + BED_SIDE - 1) // PAGE_QUADS + 1):
            west, north = max(ix * PAGE_QUADS, i0), max(iz * PAGE_QUADS, j0)
            east = min((ix + 1) * PAGE_QUADS, i0 + BED_SIDE)
            south = min((iz + 1) * PAGE_QUADS, j0 + BED_SIDE)
            block = _block(store, PageKey(level, ix, iz), west, north, east, south)
            if block is not None:
                heights[north - j0 : south - j0, west - i0 : east - i0] = block
    return BedMap(level, i0, j0, heights, store.revision)


def _block(
    store: PageStore, key: PageKey, west: int, north: int, east: int, south: int
) -> NDArray[np.float32] | None:
    """Samples of a box inside page `key`, from it or the finest resident ancestor; None where there is none."""
    wanted = key.level
    while key.level <= MAX_LEVEL:
        page = store.page(key)
        if page is not None:
            i, j = key.origin_sample
            drop = key.level - wanted
            columns = (np.arange(west, east) >> drop) - i + APRON
            rows = (np.arange(north, south) >> drop) - j + APRON
            if drop == 0:
                return page.heights[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1, 0]
            return page.heights[rows[:, None], columns[None, :], 0]
        key = key.parent
    return None
