"""A large change of the land, worked out aside and shown in one frame.

Worker threads evaluate copies of the resident pages at the new epoch; finished ones are sent to layers that show
nothing yet, some a frame; when all are there, pages, layers and bounds change hands at once. Until then picture,
wheels and picking stay at the old epoch, so no border is ever torn. Owns its threads and the copies; never calls
OpenGL. Main thread only, but for the jobs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from game.core.coords import PageKey
from game.streaming.stream import Rows, TerrainStream
from game.world.page import PageData

STAGED_PER_FRAME = 8
"""Pages sent to their new layers in one frame, 272 KiB each."""

Upload = tuple[int, PageData, Rows | None]
"""Layer, page, and the stored box that changed; None for the whole page, climate included."""


class Snapshot(Protocol):
    """What is needed of `world.edits.EditSnapshot`."""

    @property
    def epoch(self) -> int: ...
    def evaluate_box(self, page: PageData, box: Any = None) -> Rows | None: ...


@dataclasses.dataclass(slots=True)
class _Job:
    original: PageData
    layer: int | None
    """Layer that shows nothing yet, for the copy; None when none was free."""
    future: Future[tuple[PageData, Rows | None]]


class EditSwitch:
    """One pending change. `begin`, then `step` once a frame until it says that everything is shown."""

    def __init__(self, stream: TerrainStream, workers: int) -> None:
        self._stream = stream
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="edit")
        self._snapshot: Snapshot | None = None
        self._box: Any = None
        self._jobs: dict[PageKey, _Job] = {}
        self._staged: dict[PageKey, tuple[int | None, PageData, PageData, Rows | None]] = {}
        """By key: layer (None when none was free), original, copy, what changed."""

    @property
    def pending(self) -> bool:
        """Whether a change is under way."""
        return self._snapshot is not None

    def begin(self, snapshot: Snapshot, box: Any) -> None:
        """Start to work out `snapshot`, which differs from what is shown within `box`. None may be pending."""
        assert self._snapshot is None
        self._snapshot, self._box = snapshot, box
        self._stream.resting = False
        self._add_jobs()

    def step(self, block: bool = False) -> tuple[list[Upload], Snapshot | None]:
        """Uploads of this frame, and the snapshot that is shown from now on or None while it is not ready.

        With `block` everything is finished now.
        """
        snapshot = self._snapshot
        if snapshot is None:
            return [], None
        self._add_jobs()
        if block:
            wait(job.future for job in self._jobs.values())
        uploads = list(self._stage(None if block else STAGED_PER_FRAME))
        if self._jobs:
            return uploads, None
        uploads.extend(self._switch(snapshot))
        self._snapshot = self._box = None
        return uploads, snapshot

    def wait(self, timeout_s: float) -> None:
        """Let `timeout_s` seconds pass, or less when a job ends; for tests and loading screens."""
        wait([job.future for job in self._jobs.values()], timeout_s, FIRST_COMPLETED)

    def close(self) -> None:
        """Drop what is pending and end the threads. Harmless when called twice."""
        for job in self._jobs.values():
            job.future.cancel()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._jobs.clear()
        self._staged.clear()
        self._snapshot = None

    def _add_jobs(self) -> None:
        """A job for every page that can show the change and has none: also for those that arrived meanwhile."""
        assert self._snapshot is not None
        store = self._stream.store
        hit = self._stream.touched(self._box)
        # A list, because lending a layer may evict a page.
        for shown_in, page in list(store.residents()):
            if not hit[shown_in]:
                continue
            job = self._jobs.get(page.key)
            staged = self._staged.get(page.key)
            known = job.original if job is not None else staged[1] if staged is not None else None
            if known is page:
                continue
            # Evicted and made again: what was worked out for the page of before is of no use.
            if staged is not None:
                self._return(self._staged.pop(page.key)[0])
            if job is not None:
                wait([job.future])
                self._return(job.layer)
            if store.page(page.key) is not page:
                continue
            layer = store.lend()
            # The thread writes the store's array itself: touching new memory would cost the frame milliseconds.
            home = None if layer is None else store.heights[layer]
            future = self._pool.submit(_evaluated, page, home, self._snapshot, self._box)
            self._jobs[page.key] = _Job(page, layer, future)

    def _return(self, layer: int | None) -> None:
        if layer is not None:
            self._stream.store.give_back(layer)

    def _stage(self, most: int | None) -> Iterator[Upload]:
        """Give finished copies a layer of their own and send them there."""
        store = self._stream.store
        done = [(key, job) for key, job in self._jobs.items() if job.future.done()]
        for key, job in done[:most]:
            del self._jobs[key]
            page, rows = job.future.result()
            if store.page(key) is not job.original:
                self._return(job.layer)
                continue
            layer = job.layer
            if rows is None and layer is not None:
                self._return(layer)
                layer = None
            self._staged[key] = (layer, job.original, page, rows)
            if layer is not None:
                yield layer, page, None

    def _switch(self, snapshot: Snapshot) -> Iterator[Upload]:
        """Show everything at the new epoch; what found no layer aside is sent now."""
        stream, store = self._stream, self._stream.store
        moves = []
        for key, (layer, original, page, rows) in self._staged.items():
            if store.page(key) is not original:
                self._return(layer)
                continue
            if layer is not None:
                moves.append((layer, page))
                continue
            # What grows may be another even where no height is.
            original.trees, original.woods = page.trees, page.woods
            if rows is not None:
                original.base, original.edited, original.epoch = page.base, page.edited, page.epoch
                original.min_m, original.max_m = page.min_m, page.max_m
                original.heights[:], original.normals[:] = page.heights, page.normals
                shown_in = store.layer(key)
                assert shown_in is not None
                store.refresh(shown_in, original)
                yield shown_in, original, rows
        self._staged.clear()
        self._stream.resting = True
        store.move(moves)
        for _, page in store.residents():
            page.epoch = max(page.epoch, snapshot.epoch)
        stream.forget_trees()


def _evaluated(
    page: PageData, home: NDArray[np.float32] | None, snapshot: Snapshot, box: Any
) -> tuple[PageData, Rows | None]:
    """A copy of `page` at `snapshot`, its heights in `home` if given, and what changed."""
    heights = np.empty_like(page.heights) if home is None else home
    np.copyto(heights, page.heights)
    edited = page.edited if page.edited is page.base else page.edited.copy()
    woods = None if page.woods is None else page.woods.copy()
    own = dataclasses.replace(page, edited=edited, heights=heights, normals=page.normals.copy(), woods=woods)
    return own, snapshot.evaluate_box(own, box)
