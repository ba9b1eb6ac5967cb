"""Worker threads that make pages.

Owns the threads, the list of wanted pages they work through, results until they are collected, failures and
their back-off. Kernels release the interpreter, so threads run beside the main thread. Threads are daemons: a
job that hangs cannot keep the program from ending. Never touches the store or OpenGL.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from game.core.coords import PageKey
from game.world.page import PageData

RETRY_S = (0.05, 0.2, 0.8, 3.2, 10.0)
"""Pause after the first, second … failure of a page; the last one repeats."""

GIVE_UP_WAITING = 3
"""`wait` no longer blocks on a page that failed so often; it is still retried."""

RECENT = 512
"""Pages whose times are remembered."""

CLOSE_S = 0.4
"""`close` waits this long for jobs to end, then leaves their threads behind."""


@dataclass(slots=True)
class _Lane:
    """One worker's account in budget mode: CPU seconds it may still use, and a result not yet paid for."""

    balance_s: float = 0.0
    busy: bool = False
    held: tuple[PageKey, PageData] | None = None


@dataclass(slots=True)
class _Failure:
    attempts: int
    retry_at: float


class Workers:
    """`count` threads that call `make_page` for the most urgent wanted page, over and over.

    `on_error(key, error)` is called once per kind of exception, from a worker thread. With `budgeted` no page
    is begun outside `spend` (or `wait`). `cpu_clock` gives the calling thread's CPU time in seconds.
    Raises `ValueError` when `count` is less than 1.
    """

    def __init__(
        self,
        make_page: Callable[[PageKey], PageData],
        count: int,
        on_error: Callable[[PageKey, Exception], None] | None = None,
        budgeted: bool = False,
        cpu_clock: Callable[[], float] = time.thread_time,
    ) -> None:
        if count < 1:
            raise ValueError(f"workers = {count!r} is not accepted; give 1 or more")
        self.made = 0
        """Pages finished so far."""
        self.cpu_s = 0.0
        """Thread CPU time spent on them, seconds."""
        self.recent_ms: deque[float] = deque(maxlen=RECENT)
        """Thread CPU time of each of the latest, milliseconds."""
        self._make_page = make_page
        self._on_error = on_error
        self._cpu_clock = cpu_clock
        self._budgeted = budgeted
        self._free_run = not budgeted
        self._closed = False
        self._wanted: dict[PageKey, None] = {}
        self._running: set[PageKey] = set()
        self._ready: dict[PageKey, PageData] = {}
        self._failures: dict[PageKey, _Failure] = {}
        self._reported: set[str] = set()
        self._changed = threading.Condition()
        self._lanes = [_Lane() for _ in range(count)]
        self._threads = [
            threading.Thread(target=self._work, args=(lane,), name=f"page-{n}", daemon=True)
            for n, lane in enumerate(self._lanes)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, keys: Sequence[PageKey]) -> None:
        """Replace the wanted list, most urgent first. Results and failures of other pages are dropped."""
        with self._changed:
            if not keys and not self._wanted and not self._ready:
                return
            self._wanted = dict.fromkeys(keys)
            self._ready = {key: page for key, page in self._ready.items() if key in self._wanted}
            self._failures = {key: failure for key, failure in self._failures.items() if key in self._wanted}
            self._changed.notify_all()

    def take(self, most: int | None = None) -> list[PageData]:
        """Finished pages in order of urgency, at most `most`; they leave the wanted list."""
        with self._changed:
            if not self._ready:
                return []
            keys = list(islice((key for key in self._wanted if key in self._ready), most))
            for key in keys:
                del self._wanted[key]
            return [self._ready.pop(key) for key in keys]

    @property
    def pending(self) -> int:
        """Wanted pages that are not finished."""
        with self._changed:
            return len(self._wanted) - len(self._ready)

    @property
    def failing(self) -> int:
        """Wanted pages whose last attempt failed."""
        with self._changed:
            return len(self._failures)

    def wait(self, timeout_s: float | None = None) -> bool:
        """Block until every wanted page is finished or has failed `GIVE_UP_WAITING` times.

        Returns False when `timeout_s` ran out first. Workers run freely meanwhile.
        """
        with self._changed:
            self._free_run = True
            self._release_held(everything=True)
            self._changed.notify_all()
            done = self._changed.wait_for(lambda: self._closed or not self._blocking(), timeout_s)
            self._free_run = not self._budgeted
            return bool(done)

    def spend(self, credit_s: float) -> None:
        """Let the workers use `credit_s` seconds of thread CPU time, an equal share each, and wait for that.

        A page whose cost exceeds the share is finished on account and handed out when later credit has paid
        for it, so it arrives in the frame in which a CPU of that speed would have finished it. Time a worker
        finds no work for is lost. From the first call on nothing is made outside of `spend` and `wait`.
        """
        with self._changed:
            self._budgeted = True
            self._free_run = False
            for lane in self._lanes:
                lane.balance_s = min(lane.balance_s, 0.0) + credit_s / len(self._lanes)
            self._release_held(everything=False)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._closed or self._spent())
            for lane in self._lanes:
                lane.balance_s = min(lane.balance_s, 0.0)

    def close(self) -> None:
        """End the threads; returns within half a second even when a job runs. Harmless when called twice."""
        deadline = time.monotonic() + CLOSE_S
        with self._changed:
            self._closed = True
            self._wanted.clear()
            self._ready.clear()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _release_held(self, everything: bool) -> None:
        for lane in self._lanes:
            if everything:
                lane.balance_s = 0.0
            if lane.held is not None and lane.balance_s >= 0.0:
                self._deliver(*lane.held)
                lane.held = None

    def _deliver(self, key: PageKey, page: PageData) -> None:
        self._running.discard(key)
        if key in self._wanted:
            self._ready[key] = page

    def _blocking(self) -> bool:
        for key in self._wanted:
            failure = self._failures.get(key)
            if key not in self._ready and (failure is None or failure.attempts < GIVE_UP_WAITING):
                return True
        return False

    def _may_start(self, lane: _Lane) -> bool:
        return self._free_run or (lane.held is None and lane.balance_s > 0.0)

    def _spent(self) -> bool:
        if any(lane.busy for lane in self._lanes):
            return False
        return self._next()[0] is None or not any(self._may_start(lane) for lane in self._lanes)

    def _next(self) -> tuple[PageKey | None, float | None]:
        """Most urgent page to begin, or None and the seconds until the first retry is due."""
        due_s: float | None = None
        now = time.monotonic() if self._failures else 0.0
        for key in self._wanted:
            if key in self._ready or key in self._running:
                continue
            failure = self._failures.get(key)
            if failure is None or failure.retry_at <= now:
                return key, None
            pause_s = failure.retry_at - now
            due_s = pause_s if due_s is None else min(due_s, pause_s)
        return None, due_s

    def _work(self, lane: _Lane) -> None:
        while True:
            with self._changed:
                while True:
                    if self._closed:
                        return
                    key, due_s = self._next() if self._may_start(lane) else (None, None)
                    if key is not None:
                        break
                    self._changed.wait(due_s)
                self._running.add(key)
                lane.busy = True
            started = self._cpu_clock()
            page: PageData | None = None
            error: Exception | None = None
            try:
                page = self._make_page(key)
            except Exception as caught:  # whatever a job raises, the ride goes on and the page is tried again
                error = caught
            self._finish(lane, key, page, error, self._cpu_clock() - started)

    def _finish(
        self, lane: _Lane, key: PageKey, page: PageData | None, error: Exception | None, cost_s: float
    ) -> None:
        report = False
        with self._changed:
            lane.busy = False
            if not self._free_run:
                lane.balance_s -= cost_s
            if page is not None:
                self.made += 1
                self.cpu_s += cost_s
                self.recent_ms.append(1000.0 * cost_s)
                self._failures.pop(key, None)
                if self._free_run or lane.balance_s >= 0.0:
                    self._deliver(key, page)
                else:
                    lane.held = (key, page)
            else:
                self._running.discard(key)
                attempts = self._failures[key].attempts + 1 if key in self._failures else 1
                pause_s = RETRY_S[min(attempts, len(RETRY_S)) - 1]
                if key in self._wanted:
                    self._failures[key] = _Failure(attempts, time.monotonic() + pause_s)
                kind = type(error).__name__
                report = kind not in self._reported and not self._closed
                self._reported.add(kind)
            self._changed.notify_all()
        if report and error is not None and self._on_error is not None:
            # A closed stderr must not end the thread.
            with contextlib.suppress(Exception):
                self._on_error(key, error)
