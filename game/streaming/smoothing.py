"""Wide smoothing and the erode brush, worked out beside the frames.

A smooth brush reads the land around it sample by sample: for a radius of 500 m a hundred pages of level 0, most of
them not resident. Erosion lets water run for some iterations. `WideSmoothing` has a thread make and read the pages,
and hands back the finished difference; until then edits that follow wait in a queue of their own, because each builds
on the land the one before it left. Main thread only, but for the job. Knows neither the log's writer nor the picture.
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
from game.world.erosion_brush import ErosionBrush
from game.world.page import PageData
from game.world.workbench import NO_NORMALS, Workbench, pages_of

if TYPE_CHECKING:
    from game.world.source import HeightSource

CAPACITY = 160
"""Pages kept between the dabs of a stroke, 0.3 MiB each: a brush of 500 m reads 144."""

KEPT = 25
"""Pages that may stay when nothing is under way: freeing those of a small brush takes longer than its dab."""

NEAR = 0.25
"""A waiting dab takes in the next one when that is no further away than this share of the radius."""


@dataclasses.dataclass(slots=True)
class SmoothDab:
    """One touch of a brush that reads its surroundings, smooth or erode; lengths as `LandSource.dab` has them."""

    x: float
    z: float
    radius_m: float
    strength_m: float
    falloff: str
    brush: str = "smooth"

    def takes_in(self, other: SmoothDab) -> bool:
        """Become both, if they are about the same place: a brush held still must not outrun the worker."""
        away2 = (self.x - other.x) ** 2 + (self.z - other.z) ** 2
        same = (self.brush, self.radius_m, self.falloff) == (other.brush, other.radius_m, other.falloff)
        if not same or away2 > (NEAR * self.radius_m) ** 2:
            return False
        self.strength_m += other.strength_m
        return True


Done = Callable[[list[list[Delta]]], None]
"""Takes what a job made: deltas in runs."""


class WideSmoothing:
    """At most one job at a time, and the edits that wait for it."""

    def __init__(
        self, source: HeightSource, resident: Callable[[PageKey], PageData | None], seed: int
    ) -> None:
        """`resident`: pages whose unedited samples may be borrowed; `seed` of what erosion finds in the ground."""
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="smooth")
        self._resident = resident
        self._bench = Workbench(source, None, CAPACITY)
        self._bench.lookups.append(lambda key: self._lent.get(key))
        self._lent: dict[PageKey, PageData] = {}
        self._erosion = ErosionBrush(self._bench, seed)
        self._future: Future[list[list[Delta]]] | None = None
        self._done: Done | None = None
        self.waiting: deque[SmoothDab | Callable[[], None]] = deque()
        """Edits in order; the first starts when the job in hand is done."""

    @property
    def busy(self) -> bool:
        """Whether a job is under way; edits made now have to wait."""
        return self._future is not None

    @property
    def ready(self) -> bool:
        """Whether a job is done and waits to be taken over."""
        return self._future is not None and self._future.done()

    def smooth(self, snapshot: EditSnapshot, dab: SmoothDab, done: Done) -> None:
        """Begin to work out `dab` on the land of `snapshot`. No job may be under way."""
        assert self._future is None
        self._lent = {}
        for key in pages_of(dab.x, dab.z, dab.radius_m):
            page = self._resident(key)
            if page is not None:
                # Unedited samples never change, so the thread may read them; edited ones may, and are made anew.
                self._lent[key] = dataclasses.replace(
                    page, edited=page.base, normals=NO_NORMALS, trees=page.trees[:0], woods=None, epoch=0
                )
        self._start(lambda: self._smoothed(snapshot, dab), done)

    def dry(self) -> None:
        """Let no water be left over from the stroke before. No job may be under way."""
        self._erosion.dry()

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
        """Let the pages of a wide stroke go; those of a small one serve its next dab."""
        if self._future is None and len(self._bench) > KEPT:
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
        if dab.brush == "erode":
            delta = self._erosion.dab(dab.x, dab.z, dab.radius_m, dab.strength_m)
        else:
            delta = self._bench.smoothing(dab.x, dab.z, dab.radius_m, dab.strength_m, dab.falloff)
        return [[] if delta is None else [delta]]
