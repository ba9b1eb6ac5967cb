"""Where neighbourhood brushes read the land: level-0 heights with every edit of the log in them.

The picture and the wheels may stand at an earlier epoch while a large change is under way; a stroke that smooths
must build on its own last dab all the same. Owns a few pages of samples whose unedited heights are borrowed from
whoever has them, so that a dab runs no noise on land that is resident. One thread at a time.
"""

from __future__ import annotations

import dataclasses
import math
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from game.core.coords import GENERATED_APRON, PAGE_QUADS, PageKey
from game.kernels import brush as kernels
from game.world.deltas import Delta
from game.world.edits import FALLOFFS, EditLog, EditSnapshot
from game.world.operations import SMOOTH_RADIUS_M, operation
from game.world.page import PageData

if TYPE_CHECKING:
    from game.world.source import HeightSource

CAPACITY = 36
"""Pages kept, 0.3 MiB each: a smooth brush of 100 m with its surroundings needs 16."""

NO_NORMALS: NDArray[np.uint8] = np.zeros((0, 0, 4), np.uint8)
"""Of a page that only serves for its samples: asking a page at rest for its normals would make them."""

Lookup = Callable[[PageKey], PageData | None]


class Workbench:
    """Edited level-0 samples at the log's newest epoch."""

    def __init__(
        self, source: HeightSource, edits: EditLog | EditSnapshot | None, capacity: int = CAPACITY
    ) -> None:
        """`edits` None: `follow` is called before anything is asked. `capacity`: pages kept."""
        self._source = source
        self._edits = edits
        self._capacity = capacity
        self._pages: OrderedDict[tuple[int, int], PageData] = OrderedDict()
        self.lookups: list[Lookup] = []
        """Where to look for a page that is made already, e.g. among the resident ones."""

    def follow(self, snapshot: EditSnapshot) -> None:
        """Stand at `snapshot`, later than what was followed before."""
        self._edits = snapshot

    def __len__(self) -> int:
        """Number of pages kept."""
        return len(self._pages)

    def clear(self) -> None:
        """Let the pages go."""
        self._pages.clear()

    def at_hand(self, x: float, z: float, radius_m: float) -> bool:
        """Whether every page that smoothing there reads is made already."""
        return all(
            (key.ix, key.iz) in self._pages or any(lookup(key) is not None for lookup in self.lookups)
            for key in pages_of(x, z, radius_m)
        )

    def block(self, i0: int, j0: int, ni: int, nj: int) -> NDArray[np.float32]:
        """Edited samples float32 [nj, ni] from sample (i0, j0), 1 m apart."""
        found = np.empty((nj, ni), np.float32)
        for iz in range(j0 // PAGE_QUADS, (j0 + nj - 1) // PAGE_QUADS + 1):
            for ix in range(i0 // PAGE_QUADS, (i0 + ni - 1) // PAGE_QUADS + 1):
                west, north = ix * PAGE_QUADS, iz * PAGE_QUADS
                samples = self._samples(ix, iz)
                i, i_end = max(i0, west), min(i0 + ni, west + PAGE_QUADS)
                j, j_end = max(j0, north), min(j0 + nj, north + PAGE_QUADS)
                row, column = j - north + GENERATED_APRON, i - west + GENERATED_APRON
                found[j - j0 : j_end - j0, i - i0 : i_end - i0] = samples[
                    row : row + j_end - j, column : column + i_end - i, 0
                ]
        return found

    def smoothing(
        self, x: float, z: float, radius_m: float, strength_m: float, falloff: str = "gaussian"
    ) -> Delta | None:
        """What one dab of the smooth brush changes; None when the land is smooth there already.

        The land moves toward its mean over about a third of the radius, by at most `strength_m` metres.
        Raises `ValueError` naming the value, also for a radius beyond `SMOOTH_RADIUS_M`.
        """
        operation("raise", x, z, radius_m, strength_m, falloff=falloff)
        if radius_m > SMOOTH_RADIUS_M:
            raise ValueError(
                f"radius_m = {radius_m!r} is not accepted for smooth; give up to {SMOOTH_RADIUS_M:g} metres"
            )
        half, i0, j0, side = _surroundings(x, z, radius_m)
        block = self.block(i0, j0, side, side)
        quanta = kernels.smooth_delta(
            block, i0, j0, half, float(x), float(z), float(radius_m), float(strength_m), FALLOFFS[falloff]
        )
        return Delta.of(i0, j0, quanta)

    def _samples(self, ix: int, iz: int) -> NDArray[np.float32]:
        """Edited samples of a page: somebody else's where they stand at the log's epoch, else of a page of its own."""
        key = PageKey(0, ix, iz)
        for lookup in self.lookups:
            page = lookup(key)
            if page is not None and page.epoch == self._newest().epoch:
                return page.edited
        return self._page(ix, iz).edited

    def _page(self, ix: int, iz: int) -> PageData:
        page = self._pages.get((ix, iz))
        if page is None:
            page = self._pages[ix, iz] = self._borrow(PageKey(0, ix, iz))
            if len(self._pages) > self._capacity:
                self._pages.popitem(last=False)
        else:
            self._pages.move_to_end((ix, iz))
        self._newest().evaluate_box(page, samples_only=True)
        return page

    def _newest(self) -> EditSnapshot:
        assert self._edits is not None
        return self._edits if isinstance(self._edits, EditSnapshot) else self._edits.snapshot()

    def _borrow(self, key: PageKey) -> PageData:
        """A page of its own around unedited samples that are there already, or are made now."""
        found = next((page for lookup in self.lookups if (page := lookup(key)) is not None), None)
        if found is None:
            found = self._source.generate(key)
        own = dataclasses.replace(found, normals=NO_NORMALS, trees=found.trees[:0])
        # Heights stay another's: only the samples follow the log here.
        if own.edited is not own.base:
            own.edited = own.edited.copy()
        return own


def _surroundings(x: float, z: float, radius_m: float) -> tuple[int, int, int, int]:
    """Half width of the mean, first sample (i, j) and side in samples of what smoothing reads."""
    half = max(1, round(radius_m / 6.0))
    reach = math.ceil(radius_m) + 2 * half
    return half, math.floor(x) - reach, math.floor(z) - reach, 2 * reach + 2


def pages_of(x: float, z: float, radius_m: float) -> Iterator[PageKey]:
    """Keys of the level-0 pages that smoothing around (x, z) reads."""
    _, i0, j0, side = _surroundings(x, z, radius_m)
    for iz in range(j0 // PAGE_QUADS, (j0 + side - 1) // PAGE_QUADS + 1):
        for ix in range(i0 // PAGE_QUADS, (i0 + side - 1) // PAGE_QUADS + 1):
            yield PageKey(0, ix, iz)
