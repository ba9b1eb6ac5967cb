"""Resident pages: which page stands in which texture layer, and what the CPU keeps of it.

Owns the layer numbers (at most 256, what OpenGL 3.3 guarantees), a spatial hash that kernels can read, and the
heights of all resident pages in one array for picking. Pages come from the workers through `stream`; the texels
are written by `render.upload`. Main thread only. Lookups take constant time, whatever the size of the world.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from game.core.coords import STORED, PageKey
from game.kernels import selection as kernels
from game.world.page import PageData

MAX_LAYERS = 256
"""Layers of a 2D array texture that every OpenGL 3.3 driver has."""

PAGE_BYTES = STORED * STORED * (8 + 4 + 4)
"""GPU memory of one page: heights RG32F, normals and climate RGBA8 (272 KiB)."""


class PageStore:
    """Pages by key and by layer.

    A page that is no longer wanted keeps its layer until another page needs one: the page unwanted for the
    longest goes first. That is the hysteresis; a page that is wanted is never evicted.
    Raises `ValueError` when `capacity` is not 1…256.
    """

    def __init__(self, capacity: int = MAX_LAYERS) -> None:
        if not 1 <= capacity <= MAX_LAYERS:
            raise ValueError(f"capacity = {capacity!r} is not accepted; give 1…{MAX_LAYERS} layers")
        self.capacity = capacity
        self.frame = 0
        """Number of the latest search for wanted pages."""
        self.keys: NDArray[np.int64] = np.zeros((capacity, 3), np.int64)
        self.used: NDArray[np.bool_] = np.zeros(capacity, np.bool_)
        self.bounds: NDArray[np.float32] = np.zeros((capacity, 2), np.float32)
        """float32 [layers, 2] lowest and highest metre."""
        self.last_wanted: NDArray[np.int64] = np.zeros(capacity, np.int64)
        """int64 [layers] value of `frame` when the page was last wanted."""
        self.heights: NDArray[np.float32] = np.empty((capacity, STORED, STORED, 2), np.float32)
        """float32 [layers, 132, 132, 2]; memory is touched only where a page is."""
        self.slots: NDArray[np.int32] = np.full(1 << (4 * capacity - 1).bit_length(), -1, np.int32)
        self._pages: dict[PageKey, PageData] = {}
        self._layers: dict[PageKey, int] = {}
        self._free = list(range(capacity - 1, -1, -1))

    def __len__(self) -> int:
        """Number of resident pages."""
        return len(self._pages)

    def __contains__(self, key: object) -> bool:
        return key in self._pages

    def page(self, key: PageKey) -> PageData | None:
        """The resident page of `key`, or None."""
        return self._pages.get(key)

    def layer(self, key: PageKey) -> int | None:
        """Layer of the resident page of `key`, or None."""
        return self._layers.get(key)

    def residents(self) -> Iterator[tuple[int, PageData]]:
        """(layer, page) of every resident page."""
        return ((self._layers[key], page) for key, page in self._pages.items())

    def accept(self, page: PageData) -> int | None:
        """Give `page` a layer, evicting an unwanted page if need be; None when every page is wanted.

        The page counts as wanted now. Its `heights` become a view into the store's array, valid while resident.
        Raises `ValueError` when the page is resident already.
        """
        if page.key in self._pages:
            raise ValueError(f"{page.key} is resident already; a page is accepted once")
        if not self._free and not self._evict_one():
            return None
        layer = self._free.pop()
        self._pages[page.key] = page
        self._layers[page.key] = layer
        self.keys[layer] = page.key
        self.used[layer] = True
        self.last_wanted[layer] = self.frame
        self.refresh(layer, page)
        kernels.fill_slots(self.slots, self.keys, self.used)
        return layer

    def refresh(self, layer: int, page: PageData) -> None:
        """Take over the page's heights and bounds, after an edit for example."""
        home = self.heights[layer]
        if not np.may_share_memory(home, page.heights):
            np.copyto(home, page.heights)
            page.heights = home
        self.bounds[layer] = (page.min_m, page.max_m)

    def lend(self) -> int | None:
        """Take a free layer aside, evicting an unwanted page if need be; None when every layer shows a wanted page.

        The layer comes back by `give_back`, or by `move`, which frees another for it.
        """
        if not self._free and not self._evict_one():
            return None
        return self._free.pop()

    def give_back(self, layer: int) -> None:
        """Return a layer taken by `lend`."""
        self._free.append(layer)

    def move(self, moves: Sequence[tuple[int, PageData]]) -> None:
        """Let pages of resident keys replace those, each in a layer taken by `lend`; the old layers are free then.

        `page.heights` must be `heights[layer]` of the store already. All at once, whatever their number.
        """
        for layer, page in moves:
            old = self._layers[page.key]
            self.used[old] = False
            self._free.append(old)
            self._pages[page.key] = page
            self._layers[page.key] = layer
            self.keys[layer] = page.key
            self.used[layer] = True
            self.last_wanted[layer] = self.last_wanted[old]
            self.bounds[layer] = (page.min_m, page.max_m)
        kernels.fill_slots(self.slots, self.keys, self.used)

    def evict(self, key: PageKey) -> None:
        """Free the layer of `key`. Raises `KeyError` when it is not resident."""
        page = self._pages.pop(key)
        layer = self._layers.pop(key)
        # Whoever still holds the page must not see the next page's heights in it.
        page.heights = page.heights.copy()
        self.used[layer] = False
        self._free.append(layer)
        kernels.fill_slots(self.slots, self.keys, self.used)

    def _evict_one(self) -> bool:
        unwanted = np.flatnonzero(self.used & (self.last_wanted < self.frame))
        if len(unwanted) == 0:
            return False
        oldest = unwanted[self.last_wanted[unwanted] == self.last_wanted[unwanted].min()]
        # Among equals the key decides, so that the resident set does not depend on layer numbers.
        self.evict(min(PageKey(*row) for row in self.keys[oldest].tolist()))
        return True
