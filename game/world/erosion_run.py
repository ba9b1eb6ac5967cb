"""Time passing over a region: an `Erosion` on a thread of its own, shown while it runs, entered when it is done.

Owns the thread and what the player sees of it. The main thread calls `frame` once a frame: what was carved so far is
laid over the land as a preview, which is no edit, so that cancelling leaves the land and the log bit for bit as they
were; the outcome is entered as one stroke. The land is read by the thread too, from a snapshot of the edits.

Where rides must repeat exactly, `frame` is told how much time passed and waits for exactly the iterations due; else
the thread runs as fast as it can.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from game.core.coords import GENERATED_APRON, PAGE_QUADS, PageKey
from game.world.deltas import Delta
from game.world.edits import DirtyBox, EditLog, EditSnapshot
from game.world.erosion import (
    ITERATIONS_PER_S,
    SHOWN_RADIUS_M,
    Erosion,
    ErosionSettings,
    Region,
)

if TYPE_CHECKING:
    from game.world.source import HeightSource

PACE = 10.0
"""Seconds of erosion in a second of a ride that repeats exactly: half a minute's wait would make no picture."""

PREVIEW_S = 0.3
"""Time between two looks at the land that is being carved."""

_SLICE = 16
"""Iterations between two looks at whether to stop: some 30 ms of work on 512² samples."""


class ErosionRun:
    """One erosion from start to stroke. Main thread only, but for what its own thread does."""

    def __init__(
        self,
        source: HeightSource,
        edits: EditLog,
        region: Region,
        settings: ErosionSettings,
        *,
        seed: int,
        sea_level_m: float,
        threads: int = 1,
    ) -> None:
        self.region = region
        self.settings = settings
        self._edits = edits
        self._source = source
        self._snapshot = edits.snapshot()
        self._seed, self._sea_level_m, self._threads = seed, sea_level_m, threads
        self._condition = threading.Condition()
        self._allowed = 0.0
        """Iterations that a repeatable ride has granted so far."""
        self._paced = True
        """Until the first `frame` says otherwise: a thread ahead of it would have done more than was granted."""
        self._stop = False
        self._asked = False
        """Whether a preview is wanted."""
        self._made: list[Delta] | None = None
        self._done = 0
        self._idle = False
        """Whether the thread has done all that is allowed."""
        self._finished = False
        self._failure: BaseException | None = None
        self._moved_m3 = 0.0
        self._since_preview_s = 0.0
        self._previewed = False
        self._over = False
        self.taken_back: DirtyBox | None = None
        """Box of the preview that a failure in `frame` took away."""
        self._thread = threading.Thread(target=self._work, name="erosion", daemon=True)

    @property
    def progress(self) -> float:
        """Share of the iterations done, 0…1."""
        return self._done / self.region.iterations

    @property
    def over(self) -> bool:
        """Whether it was entered or cancelled; nothing happens any more."""
        return self._over

    @property
    def moved_m3(self) -> float:
        """Volume torn off, cubic metres; known when it is over."""
        return self._moved_m3

    def start(self) -> None:
        """Let the thread read the land; it carves from the first `frame` on."""
        self._thread.start()

    def frame(self, frame_s: float, *, paced: bool, settled: bool) -> DirtyBox | None:
        """What changed on the land in this frame of `frame_s` seconds; the box is for `Session.edited`.

        With `paced` exactly the iterations due are waited for. `settled` says whether what was handed out before is
        on the screen; until then no further preview is made. Raises what stopped the thread, if anything did.
        """
        if self._over:
            return None
        with self._condition:
            self._paced = paced
            self._allowed += frame_s * PACE * ITERATIONS_PER_S
            self._condition.notify_all()
            if paced:
                self._condition.wait_for(lambda: self._idle and self._done >= self._due())
            finished, failure = self._finished, self._failure
        if failure is not None:
            self.taken_back = self.cancel()
            raise failure
        if finished:
            # Not into the stroke in hand, with which it would be undone.
            return None if self._edits.stroke_open else self._enter()
        return self._preview(frame_s, paced, settled)

    def _due(self) -> int:
        return min(int(self._allowed + 1e-6), self.region.iterations)

    def _preview(self, frame_s: float, paced: bool, settled: bool) -> DirtyBox | None:
        self._since_preview_s += frame_s
        if not settled:
            return None
        with self._condition:
            if not self._asked and self._made is None and self._since_preview_s >= PREVIEW_S:
                self._asked, self._since_preview_s = True, 0.0
                self._condition.notify_all()
            if paced and self._asked:
                self._condition.wait_for(lambda: not self._asked)
            made, self._made = self._made, None
        if made is None:
            return None
        self._previewed = True
        return self._edits.preview(made, self.shown_radius_m)

    @property
    def shown_radius_m(self) -> float:
        """Which levels show it, as a brush's radius."""
        return min(self.region.radius_m, SHOWN_RADIUS_M)

    def _enter(self) -> DirtyBox | None:
        self._over = True
        self._thread.join()
        assert self._made is not None
        return _union(self._clear(), self._edits.apply_delta(self._made, self.shown_radius_m))

    def cancel(self) -> DirtyBox | None:
        """Stop and take away what was shown; the land is as it was. Returns the box of that."""
        if self._over:
            return None
        self._over = True
        with self._condition:
            self._stop = True
            self._condition.notify_all()
        if self._thread.ident is not None:
            self._thread.join()
        return self._clear()

    def _clear(self) -> DirtyBox | None:
        return self._edits.preview([], self.shown_radius_m) if self._previewed else None

    # The thread.

    def _work(self) -> None:
        try:
            self._run()
        except BaseException as error:
            with self._condition:
                self._failure, self._idle, self._asked = error, True, False
                self._done = self.region.iterations
                self._condition.notify_all()

    def _run(self) -> None:
        side = self.region.side
        heights = read_land(self._source, self._snapshot, *self.region.first_sample, side, side)
        erosion = Erosion(
            self.region,
            heights,
            self.settings,
            seed=self._seed,
            sea_level_m=self._sea_level_m,
            threads=self._threads,
        )
        try:
            while True:
                goal = self._goal(erosion.done)
                if goal is None:
                    return
                erosion.advance(min(goal, _SLICE))
                with self._condition:
                    self._done = erosion.done
                    asked = self._asked
                if erosion.done == erosion.iterations:
                    break
                if asked:
                    self._hand_over(erosion)
            made = erosion.deltas()
            with self._condition:
                self._made, self._moved_m3 = made, erosion.moved_m3()
                self._asked, self._finished, self._idle = False, True, True
                self._condition.notify_all()
        finally:
            erosion.close()

    def _goal(self, done: int) -> int | None:
        """Iterations that may be done next; None to stop. Waits while none may."""
        with self._condition:
            while not self._stop:
                left = self._due() - done if self._paced else self.region.iterations - done
                self._idle = left <= 0
                if left > 0:
                    return left
                if self._asked:
                    return 0
                self._condition.notify_all()
                self._condition.wait()
        return None

    def _hand_over(self, erosion: Erosion) -> None:
        made = erosion.deltas()
        with self._condition:
            self._made, self._asked = made, False
            self._condition.notify_all()


def read_land(
    source: HeightSource, edits: EditSnapshot, i0: int, j0: int, ni: int, nj: int
) -> NDArray[np.float32]:
    """Edited level-0 samples float32 [nj, ni] from sample (i0, j0), 1 m apart; any thread."""
    found = np.empty((nj, ni), np.float32)
    for iz in range(j0 // PAGE_QUADS, (j0 + nj - 1) // PAGE_QUADS + 1):
        for ix in range(i0 // PAGE_QUADS, (i0 + ni - 1) // PAGE_QUADS + 1):
            page = source.generate(PageKey(0, ix, iz))
            edits.evaluate(page, samples_only=True)
            west, north = ix * PAGE_QUADS, iz * PAGE_QUADS
            i, i_end = max(i0, west), min(i0 + ni, west + PAGE_QUADS)
            j, j_end = max(j0, north), min(j0 + nj, north + PAGE_QUADS)
            row, column = j - north + GENERATED_APRON, i - west + GENERATED_APRON
            found[j - j0 : j_end - j0, i - i0 : i_end - i0] = page.edited[
                row : row + j_end - j, column : column + i_end - i, 0
            ]
    return found


def _union(one: DirtyBox | None, other: DirtyBox | None) -> DirtyBox | None:
    return other if one is None else one.union(other)
