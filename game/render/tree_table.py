"""The trees of every resident page in one array, and where each tile's are: what the kernels read. No GL.

Rows change only when a page arrives, goes or is edited; `tree_store` keeps their copy on the GPU.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from game.core.coords import PageKey
from game.kernels import scatter, tree_tiles
from game.kernels.tree_tiles import BLOCK, TILE_COLUMNS
from game.world.page import TREE_COLUMNS
from game.world.vegetation import tiles_along

LINE_ROWS = 512
"""The room grows by whole lines of the texture, two texels a tree: 1,024 texels, the width every OpenGL 3.3 has."""

SPARE = 3
"""A third more room than the trees need, when there is too little: holes that pages leave do not fit every page, and
other room means another texture."""

RESERVE_ROWS = 4096 * LINE_ROWS
"""Rows that the array can grow to without being copied. 64 MiB of address space, of memory only what is written."""

TreeTile = tuple[PageKey, NDArray[np.float32], int]
"""A resident page's key, its rows (`PageData.trees`) and its texture layer."""


@dataclass(slots=True)
class _Held:
    """One page's trees in the store."""

    source: NDArray[np.float32]
    first: int
    table: NDArray[np.int64]
    bounds: NDArray[np.float32]
    starts: NDArray[np.int32]


class TreeTable:
    """Keeps the rows of the tiles it was last given, and where each tile's are."""

    def __init__(self, room: int = 64 * LINE_ROWS) -> None:
        """Room for `room` trees at first, rounded up to lines of the texture."""
        room = _whole(room, LINE_ROWS)
        self._reserve = np.zeros((max(room, RESERVE_ROWS), TREE_COLUMNS), np.float32)
        self.rows = self._reserve[:room]
        self.table = np.zeros((0, TILE_COLUMNS), np.int64)
        """int64 [tiles, TILE_COLUMNS], see `kernels.tree_tiles`; by level first."""
        self.bounds = np.zeros((0, 2), np.float32)
        """float32 [tiles, 2]: least and greatest height of a foot."""
        self.starts = np.zeros((0, scatter.RANKS + 1), np.int32)
        """int32 [tiles, RANKS + 1]: where the sixteenths of rank begin, counted from the page's first row."""
        self._held: dict[PageKey, _Held] = {}
        self._free: list[tuple[int, int]] = [(0, len(self.rows))]
        """Unused spans (first, end) of rows, ascending; whole blocks."""
        self._seen: list[TreeTile] | None = None

    @property
    def trees(self) -> int:
        """Trees held."""
        return sum(len(held.source) for held in self._held.values())

    def sync(self, tiles: list[TreeTile]) -> list[tuple[int, int]]:
        """Hold the rows of `tiles`, sorted by key, and no others; return the spans (first, end) that changed."""
        if tiles is self._seen:
            return []
        self._seen = tiles
        wanted = {key for key, _, _ in tiles}
        for key in [key for key in self._held if key not in wanted]:
            self._drop(key)
        changed: list[tuple[int, int]] = []
        needed = sum(_whole(len(rows), BLOCK) for _, rows, _ in tiles)
        if needed > len(self.rows):
            self._make_room(needed + needed // SPARE)
        for key, rows, layer in tiles:
            known = self._held.get(key)
            if known is None:
                changed.append(self._add(key, rows))
            elif known.source is not rows:
                changed += self._change(known, key, rows)
            self._held[key].table[:, 7] = layer
        parts = [self._held[key] for key, _, _ in tiles]
        if parts:
            self.table = np.concatenate([held.table for held in parts])
            self.bounds = np.concatenate([held.bounds for held in parts])
            self.starts = np.concatenate([held.starts for held in parts])
        else:
            self.table, self.bounds, self.starts = self.table[:0], self.bounds[:0], self.starts[:0]
        return changed

    def _add(self, key: PageKey, rows: NDArray[np.float32]) -> tuple[int, int]:
        first = self._take_span(len(rows))
        side = tiles_along(key.level)
        starts = np.empty((side * side, scatter.RANKS + 1), np.int32)
        scatter.tile_starts(rows, key.span_m, side, starts)
        full = np.flatnonzero(starts[:, -1] > starts[:, 0])
        starts = starts[full]
        x, z = key.origin_m
        width = key.span_m // side
        table = np.zeros((len(full), TILE_COLUMNS), np.int64)
        table[:, 0], table[:, 1], table[:, 2] = key.level, x, z
        table[:, 3], table[:, 4] = x + full % side * width, z + full // side * width
        table[:, 5], table[:, 6] = first + starts[:, 0], starts[:, -1] - starts[:, 0]
        held = _Held(rows, first, table, np.empty((len(full), 2), np.float32), starts)
        self._held[key] = held
        self.rows[first : first + len(rows)] = rows
        self._measure(held)
        return first, first + len(rows)

    def _drop(self, key: PageKey) -> None:
        held = self._held.pop(key)
        self._give_back(held.first, held.first + _whole(len(held.source), BLOCK))

    def _change(self, held: _Held, key: PageKey, rows: NDArray[np.float32]) -> list[tuple[int, int]]:
        """An edit moved feet up and down; or it felled or planted trees, and rows from there on stand elsewhere."""
        was, first = held.source, held.first
        blocks = np.zeros(_whole(len(rows), BLOCK) // BLOCK, np.bool_)
        same = tree_tiles.compare(was, rows, blocks)
        changed = np.flatnonzero(blocks)
        if same:
            held.source = rows
            if len(changed):
                self.rows[first : first + len(rows)] = rows
                self._measure(held)
        else:
            self._drop(key)
            first, end = self._add(key, rows)
            if first != held.first:
                return [(first, end)]
        return [
            (first + int(run[0]) * BLOCK, first + min((int(run[-1]) + 1) * BLOCK, len(rows)))
            for run in np.split(changed, np.flatnonzero(np.diff(changed) > 1) + 1)
            if len(run)
        ]

    @staticmethod
    def _measure(held: _Held) -> None:
        tree_tiles.foot_bounds(held.source, held.table, held.first, held.bounds)

    # Spans of rows.

    def _take_span(self, count: int) -> int:
        size = _whole(count, BLOCK)
        # The shortest span that is long enough: long ones stay for pages with many trees.
        fitting = [(end - first, at) for at, (first, end) in enumerate(self._free) if end - first >= size]
        if fitting:
            _, at = min(fitting)
            first, end = self._free[at]
            if end - first == size:
                del self._free[at]
            else:
                self._free[at] = (first + size, end)
            return first
        before = len(self.rows)
        self._make_room(before + max(size, before // (2 * SPARE)))
        return self._take_span(count)

    def _make_room(self, count: int) -> None:
        """Room for `count` rows in all, rounded up to lines of the texture."""
        before = len(self.rows)
        count = _whole(count, LINE_ROWS)
        if count > len(self._reserve):
            reserve = np.zeros((2 * count, TREE_COLUMNS), np.float32)
            reserve[:before] = self.rows
            self._reserve = reserve
        self.rows = self._reserve[:count]
        self._give_back(before, count)

    def _give_back(self, first: int, end: int) -> None:
        self._free.append((first, end))
        self._free.sort()
        merged = [self._free[0]]
        for begin, stop in self._free[1:]:
            if begin == merged[-1][1]:
                merged[-1] = (merged[-1][0], stop)
            else:
                merged.append((begin, stop))
        self._free = merged


def _whole(count: int, of: int) -> int:
    """`count` rounded up to a multiple of `of`."""
    return -(-count // of) * of
