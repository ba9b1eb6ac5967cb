"""The waterline of the resident pages, kept up to date by a thread: for the minimap, for spray, for whoever asks.

The main thread hands over copies of samples, a few pages a frame, and takes finished coasts; contours are made aside.
Knows no GL.
"""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from game.core.coords import PageKey
from game.streaming.store import PageStore
from game.world.waterline import Coast, Line, page_lines, page_samples, stitch

COAST_LEVEL = 3
"""Level whose pages are followed: samples 8 m apart, pages of 1 km."""

COPIES_A_FRAME = 4
"""Pages handed over in one frame at most, 65 KiB each."""

_BREATH_S = 0.0005
"""Pause between two pages: contours hold the interpreter's lock, and the frame must not wait for it."""


@dataclass(slots=True)
class _Order:
    """What the thread is asked: pages that came or changed, pages that went, and the sea."""

    level_m: float
    came: dict[PageKey, NDArray[np.float32]] = field(default_factory=dict)
    went: list[PageKey] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Coasts:
    """Finished lines. `level_m` is the sea they belong to."""

    level_m: float
    lines: list[Coast]
    length_m: float = 0.0
    """Of all lines together."""


class CoastTracker:
    """Follows the resident pages of one level. `follow` on the main thread; `coasts` may be read at any time."""

    def __init__(self, level: int = COAST_LEVEL) -> None:
        self.level = level
        self.coasts = Coasts(float("-inf"), [])
        self._known: dict[PageKey, int] = {}
        """Revisions of the samples that were handed over (`PageStore.revisions`)."""
        self._seen = -1
        """Revision of the store at which nothing was left to hand over."""
        self._level_m = float("nan")
        self._orders: queue.SimpleQueue[_Order | None] = queue.SimpleQueue()
        self._asked = self._done = 0
        self._thread: threading.Thread | None = None

    @property
    def settled(self) -> bool:
        """Whether `coasts` is what was last handed over."""
        return self._done == self._asked

    def follow(self, store: PageStore, level_m: float) -> None:
        """Hand over what changed since the last call: pages of the level, and the sea at `level_m`."""
        if store.revision == self._seen and level_m == self._level_m:
            return
        here: set[PageKey] = set()
        order, behind = _Order(level_m), False
        for layer, page in store.residents():
            if page.key.level != self.level:
                continue
            here.add(page.key)
            revision = int(store.revisions[layer])
            if self._known.get(page.key) == revision:
                continue
            if len(order.came) >= COPIES_A_FRAME:
                behind = True
                continue
            order.came[page.key] = page_samples(page.heights).copy()
            self._known[page.key] = revision
        self._seen = -1 if behind else store.revision
        order.went = [key for key in self._known if key not in here]
        for key in order.went:
            del self._known[key]
        if not order.came and not order.went and level_m == self._level_m:
            return
        self._level_m = level_m
        self._asked += 1
        self._orders.put(order)
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="coast", daemon=True)
            self._thread.start()

    def wait(self, timeout_s: float = 5.0) -> bool:
        """Wait until what was handed over is done; False after `timeout_s`."""
        end = time.monotonic() + timeout_s
        while not self.settled and time.monotonic() < end:
            time.sleep(0.002)
        return self.settled

    def close(self) -> None:
        """End the thread; harmless when called twice."""
        if self._thread is not None:
            self._orders.put(None)
            self._thread.join()
            self._thread = None

    # The thread's own.

    def _work(self) -> None:
        samples: dict[PageKey, NDArray[np.float32]] = {}
        lines: dict[PageKey, list[Line]] = {}
        at_m = float("nan")
        while True:
            orders = [self._orders.get()]
            # Whatever has been asked meanwhile is one order: only the newest sea counts.
            while not self._orders.empty():
                orders.append(self._orders.get())
            if None in orders:
                return
            changed: set[PageKey] = set()
            for order in orders:
                assert order is not None
                samples.update(order.came)
                changed.update(order.came)
                for key in order.went:
                    samples.pop(key, None)
                    lines.pop(key, None)
                level_m = order.level_m
            if level_m != at_m:
                changed, at_m = set(samples), level_m
            for key in changed & samples.keys():
                lines[key] = page_lines(samples[key], level_m)
                time.sleep(_BREATH_S)
            coasts = stitch(lines)
            self.coasts = Coasts(level_m, coasts, sum(coast.length_m for coast in coasts))
            self._done += len(orders)
