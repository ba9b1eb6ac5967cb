"""Wide smoothing, worked out beside the frames.

A smooth brush reads the land around it sample by sample: for a radius of 500 m a hundred pages of level 0, most of
them not resident. `WideSmoothing` has a thread make and read them, and hands back the finished difference; until
then edits that follow wait in a queue of their own, because each builds on the land the one before it left. Main
thread only, but for the job. Knows neither the log's writer nor the picture.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

from game.core.coords import PageKey
from game.world.deltas import Delta, fold
from game.world.edits import EditSnapshot
from game.world.page import PageData
from game.world.workbench import Workbench, pages_of

if TYPE_CHECKING:
    from game.world.source import HeightSource

CAPACITY = 160
"""Pages kept between the dabs of a stroke, 0.3 MiB each: a brush of 500 m reads 144."""

NEAR = 0.25
"""A waiting dab takes in the next one when that is no further away than this share of the radius."""


@dataclasses.dataclass(slots=True)
class SmoothDab:
    """One touch of the smooth brush: metres, and the furthest the land is moved."""

    x: float
    z: float
    radius_m: float
    strength_m: float
    falloff: str

    def takes_in(self, other: SmoothDab) -> bool:
        """Become both, if they are about the same place: a brush held still must not outrun the worker."""
        away2 = (self.x - other.x) ** 2 + (self.z - other.z) ** 2
        same = (self.radius_m, self.falloff) == (other.radius_m, other.falloff)
        if not same or away2 > (NEAR * self.radius_m) ** 2:
            return False
        self.strength_m += other.strength_m
        return True


Done = Callable[[list[list[Delta]]], None]
"""Takes what a job made: deltas in runs."""


class WideSmoothing:
    """At most one job at a time, and the edits that wait for it."""

    def __init__(self, source: HeightSource, resident: Callable[[PageKey], PageData | None]) -> None:
        """`resident`: pages whose unedited samples may be borrowed."""
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="smooth")
        self._resident = resident
        self._bench = Workbench(source, None, CAPACITY)
        self._bench.lookups.append(lambda key: self._lent.get(key))
        self._lent: dict[PageKey, PageData] = {}
        self._future: Future[list[list[Delta]]] | None = None
        self._done: Done | None = None
        self.waiting: deque[SmoothDab | Callable[[], None]] = deque()
        """Edits in order; the first starts when the job in hand is done."""

    @property
    def busy(self) -> bool:
        """Whether a job is under way; edits made now have to wait."""
        return self._future is not None

    def smooth(self, snapshot: EditSnapshot, dab: SmoothDab, done: Done) -> None:
        """Begin to work out `dab` on the land of `snapshot`. No job may be under way."""
        assert self._future is None
        self._lent = {}
        for key in pages_of(dab.x, dab.z, dab.radius_m):
            page = self._resident(key)
            if page is not None:
                # Unedited samples never change, so the thread may read them; edited ones may, and are made anew.
                self._lent[key] = dataclasses.replace(page, edited=page.base, trees=page.trees[:0], epoch=0)
        self._start(lambda: self._smoothed(snapshot, dab), done)

    def fold(self, runs: list[list[Delta]], done: Done) -> None:
        """Begin to fold the deltas of a stroke into tiles. No job may be under way."""
        assert self._future is None
        self._start(lambda: [fold(run) for run in runs], done)

    def finish(self, block: bool) -> bool:
        """Hand over what the job made; False when it is still under way, or there is none."""
        future, done = self._future, self._done
        if future is None or done is None or not (block or future.done()):
            return False
        made = future.result()
        self._future = self._done = None
        done(made)
        return True

    def rest(self) -> None:
        """Let the pages of the stroke go."""
        if self._future is None:
            self._bench.clear()
            self._lent = {}

    def close(self) -> None:
        """End the thread; a job in hand is dropped. Harmless when called twice."""
        self.waiting.clear()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._future = self._done = None

    def _start(self, job: Callable[[], list[list[Delta]]], done: Done) -> None:
        self._done = done
        self._future = self._pool.submit(job)

    def _smoothed(self, snapshot: EditSnapshot, dab: SmoothDab) -> list[list[Delta]]:
        self._bench.follow(snapshot)
        delta = self._bench.smoothing(dab.x, dab.z, dab.radius_m, dab.strength_m, dab.falloff)
        return [[] if delta is None else [delta]]
