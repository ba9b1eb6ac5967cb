"""Resident pages: which page stands in which texture layer, and what the CPU keeps of it.

Owns the layer numbers (at most 256, what OpenGL 3.3 guarantees), a spatial hash that kernels can read, and the
heights of all resident pages in one array for picking. Pages come from the workers through `stream`; the texels
are written by `render.upload`. Main thread only. Finding, entering, ageing and evicting take constant time,
whatever the size of the world and however many pages are held.
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


class PageTable:
    """Which key has which layer: a spatial hash, and a list of the layers by age, both in arrays kernels read.

    The table knows keys only, no pages. A key that is no longer wanted keeps its layer until another needs one:
    the key unwanted for the longest goes first. That is the hysteresis; a key that is wanted never goes. The
    order is that in which the search for wanted pages meets them, so it does not depend on layer numbers.
    Raises `ValueError` when `capacity` is less than 1.
    """

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise ValueError(f"capacity = {capacity!r} is not accepted; give 1 layer or more")
        self.capacity = capacity
        self.limit = capacity
        """Layers that may be used, at most `capacity`; lower it and the oldest unwanted keys go."""
        self.frame = 0
        """Number of the latest search for wanted pages."""
        self.keys: NDArray[np.int64] = np.zeros((capacity, 3), np.int64)
        self.used: NDArray[np.bool_] = np.zeros(capacity, np.bool_)
        self.last_wanted: NDArray[np.int64] = np.zeros(capacity, np.int64)
        """int64 [layers] value of `frame` when the page was last wanted."""
        self.links: NDArray[np.int32] = np.zeros((capacity + 1, 2), np.int32)
        """int32 [layers + 1, 2] next older and next newer layer; the last row holds the newest and the oldest."""
        self.links[capacity] = capacity
        self.slots: NDArray[np.int32] = np.full(1 << (4 * capacity - 1).bit_length(), -1, np.int32)
        self._free = list(range(capacity - 1, -1, -1))
        self._lent = 0
        """Layers that hold no key and are not free: a large edit prepares pages in them."""

    def __len__(self) -> int:
        """Number of keys held."""
        return self.capacity - len(self._free) - self._lent

    def find(self, key: PageKey) -> int | None:
        """Layer of `key`, or None."""
        layer = int(kernels.find_layer(self.slots, self.keys, *key))
        return None if layer < 0 else layer

    def enter(self, key: PageKey) -> int | None:
        """Give `key` a free layer; it counts as wanted now. None when none is free within the limit.

        The key must not be held already.
        """
        if not self._free or len(self) + self._lent >= self.limit:
            return None
        layer = self._free.pop()
        self.keys[layer] = key
        self.used[layer] = True
        self.last_wanted[layer] = self.frame
        kernels.insert_slot(self.slots, self.keys, layer)
        kernels.make_newest(self.links, layer)
        return layer

    def touch(self, layer: int) -> None:
        """Note that `layer`, which must be in use, is wanted now. (The search does it by itself.)"""
        self.last_wanted[layer] = self.frame
        kernels.unlink(self.links, layer)
        kernels.make_newest(self.links, layer)

    def leave(self, layer: int) -> None:
        """Free `layer`, which must be in use."""
        kernels.remove_slot(self.slots, self.keys, layer)
        kernels.unlink(self.links, layer)
        self.used[layer] = False
        self._free.append(layer)

    def oldest_unwanted(self) -> int | None:
        """Layer of the key that has been unwanted for the longest; None when every key is wanted."""
        layer = int(self.links[self.capacity, 1])
        if layer == self.capacity or self.last_wanted[layer] >= self.frame:
            return None
        return layer


class PageStore(PageTable):
    """Pages by key and by layer.

    Raises `ValueError` when `capacity` is not 1…256.
    """

    def __init__(self, capacity: int = MAX_LAYERS) -> None:
        if not 1 <= capacity <= MAX_LAYERS:
            raise ValueError(f"capacity = {capacity!r} is not accepted; give 1…{MAX_LAYERS} layers")
        super().__init__(capacity)
        self.bounds: NDArray[np.float32] = np.zeros((capacity, 2), np.float32)
        """float32 [layers, 2] lowest and highest metre."""
        self.heights: NDArray[np.float32] = np.empty((capacity, STORED, STORED, 2), np.float32)
        """float32 [layers, 132, 132, 2]; memory is touched only where a page is."""
        self.revision = 0
        """Counts changes of what is resident and of its heights: whoever saw this number has seen everything."""
        self.revisions: NDArray[np.int64] = np.zeros(capacity, np.int64)
        """int64 [layers] value of `revision` since which the layer's heights have stood."""
        self._pages: dict[PageKey, PageData] = {}
        self._layers: dict[PageKey, int] = {}
        self._by_layer: list[PageData | None] = [None] * capacity
        self._touched: NDArray[np.bool_] = np.zeros(capacity, np.bool_)
        """Layers whose memory in `heights` was used once."""
        self._resting = -1

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
        while len(self) + self._lent >= self.limit:  # by more than one where the limit has just fallen
            if not self._evict_one():
                return None
        layer = self.enter(page.key)
        if layer is None:
            return None
        self._pages[page.key] = page
        self._layers[page.key] = layer
        self._by_layer[layer] = page
        self.refresh(layer, page)
        return layer

    def refresh(self, layer: int, page: PageData) -> None:
        """Take over the page's heights and bounds, after an edit for example."""
        home = self.heights[layer]
        self._touched[layer] = True
        if not np.may_share_memory(home, page.heights):
            np.copyto(home, page.heights)
            page.heights = home
        self.bounds[layer] = (page.min_m, page.max_m)
        self.revision += 1
        self.revisions[layer] = self.revision

    def lend(self) -> int | None:
        """Take a free layer aside, evicting an unwanted page if need be; None when every layer shows a wanted page.

        The layer comes back by `give_back`, or by `move`, which frees another for it.
        """
        while not self._free or len(self) + self._lent >= self.limit:
            if not self._evict_one():
                return None
        self._lent += 1
        layer = self._free.pop()
        self._touched[layer] = True
        return layer

    def give_back(self, layer: int) -> None:
        """Return a layer taken by `lend`."""
        self._lent -= 1
        self._free.append(layer)

    def move(self, moves: Sequence[tuple[int, PageData]]) -> None:
        """Let pages of resident keys replace those, each in a layer taken by `lend`; the old layers are free then.

        `page.heights` must be `heights[layer]` of the store already. All at once, whatever their number.
        """
        self.revision += 1
        for layer, page in moves:
            old = self._layers[page.key]
            self.leave(old)
            self._by_layer[old] = None
            self._lent -= 1
            self._pages[page.key] = page
            self._layers[page.key] = layer
            self._by_layer[layer] = page
            self.revisions[layer] = self.revision
            self.keys[layer] = page.key
            self.used[layer] = True
            self.last_wanted[layer] = self.last_wanted[old]
            self.bounds[layer] = (page.min_m, page.max_m)
            kernels.insert_slot(self.slots, self.keys, layer)
            kernels.make_newest(self.links, layer)

    def evict(self, key: PageKey) -> None:
        """Free the layer of `key`. Raises `KeyError` when it is not resident."""
        page = self._pages.pop(key)
        # Whoever still holds the page must not see the next page's heights in it.
        page.heights = page.heights.copy()
        layer = self._layers.pop(key)
        self._by_layer[layer] = None
        self.revision += 1
        self.leave(layer)

    def shrink_to(self, limit: int) -> None:
        """Use at most `limit` layers from here on; unwanted pages beyond that go, wanted ones in a later `trim`.

        Raises `ValueError` when `limit` is not 1…`capacity`.
        """
        if not 1 <= limit <= self.capacity:
            raise ValueError(f"limit = {limit!r} is not accepted; give 1…{self.capacity} layers")
        self.limit = limit
        self.trim()

    def trim(self) -> None:
        """Let unwanted pages beyond the limit go: those that were still wanted when it fell."""
        while len(self) + self._lent > self.limit and self._evict_one():
            pass

    def rest_some(self, count: int) -> None:
        """Let the pages in the next `count` layers rest (`PageData.rest`), round and round."""
        for _ in range(count):
            self._resting = (self._resting + 1) % self.capacity
            page = self._by_layer[self._resting]
            if page is not None:
                page.rest()

    @property
    def cpu_bytes(self) -> int:
        """Memory of everything the CPU keeps of pages, bytes: samples, climate, trees, and what is awake.

        `heights` counts with every layer that was ever used, as the system does not get those back.
        """
        of_layer = STORED * STORED * 2 * 4
        apart = sum(page.nbytes - page.heights.nbytes for page in self._pages.values())
        return int(self._touched.sum()) * of_layer + apart

    def _evict_one(self) -> bool:
        layer = self.oldest_unwanted()
        if layer is None:
            return False
        self.evict(PageKey(*self.keys[layer].tolist()))
        return True
