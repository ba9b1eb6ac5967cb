"""Flat pages and a CPU clock that only pages advance: what the streaming tests use instead of a world."""

from __future__ import annotations

import threading

import numpy as np

from game.core.coords import GENERATED, STORED, PageKey
from game.world.page import TREE_COLUMNS, PageData

_SAMPLES = np.zeros((GENERATED, GENERATED, 2), np.float32)
_BYTES = np.zeros((STORED, STORED, 4), np.uint8)


def flat_page(key: PageKey, height_m: float = 0.0, trees: int = 0) -> PageData:
    """A level page; big arrays that nothing writes are shared."""
    heights = np.full((STORED, STORED, 2), height_m, np.float32)
    rows = np.zeros((trees, TREE_COLUMNS), np.float32)
    return PageData(key, _SAMPLES, _SAMPLES, heights, _BYTES, _BYTES, height_m, height_m, 0, rows)


class CostlyPages:
    """`make_page` whose CPU time is `cost_s`, on a clock of its own (give `clock` to the stream)."""

    def __init__(self, cost_s: float) -> None:
        self.cost_s = cost_s
        self.made: list[PageKey] = []
        self._local = threading.local()

    def clock(self) -> float:
        return getattr(self._local, "now_s", 0.0)

    def __call__(self, key: PageKey) -> PageData:
        self._local.now_s = self.clock() + self.cost_s
        self.made.append(key)
        return flat_page(key)
