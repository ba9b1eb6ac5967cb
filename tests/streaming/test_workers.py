"""Threads that make pages: order, failures, budget, ending."""

from __future__ import annotations

import threading
import time

import pytest

from game.core.coords import PageKey
from game.streaming.workers import Workers
from tests.streaming.pages import CostlyPages, flat_page

KEYS = [PageKey(0, n, -n) for n in range(6)]


@pytest.fixture
def started():
    """Workers made through this are closed after the test."""
    made: list[Workers] = []

    def start(*arguments, **named) -> Workers:
        made.append(Workers(*arguments, **named))
        return made[-1]

    yield start
    for workers in made:
        workers.close()


def test_pages_come_in_order_of_urgency(started) -> None:
    pages = CostlyPages(0.0)
    workers = started(pages, 1, budgeted=True)
    workers.submit(KEYS)
    assert workers.wait(30.0)
    assert pages.made == KEYS
    assert [page.key for page in workers.take(2)] == KEYS[:2]
    assert [page.key for page in workers.take()] == KEYS[2:]
    assert workers.take() == []
    assert workers.pending == 0


def test_stale_jobs_and_results_are_dropped(started) -> None:
    pages = CostlyPages(1.0)
    workers = started(pages, 1, budgeted=True, cpu_clock=pages.clock)
    workers.submit(KEYS)
    workers.spend(1.5)
    assert pages.made == KEYS[:2]
    workers.submit(KEYS[3:])
    assert workers.pending == 3
    assert workers.wait(30.0)
    assert pages.made == KEYS[:2] + KEYS[3:]
    assert [page.key for page in workers.take()] == KEYS[3:]


def test_budget_hands_a_page_out_when_it_is_paid(started) -> None:
    pages = CostlyPages(5 / 128)
    workers = started(pages, 1, budgeted=True, cpu_clock=pages.clock)
    workers.submit(KEYS)
    arrived = []
    for _ in range(10):
        workers.spend(2 / 128)
        arrived.append(len(workers.take()))
    # After n grants, floor(2n / 5) pages are paid for.
    assert arrived == [0, 0, 1, 0, 1, 0, 0, 1, 0, 1]


def test_budget_is_not_saved_up_while_there_is_no_work(started) -> None:
    pages = CostlyPages(0.05)
    workers = started(pages, 1, budgeted=True, cpu_clock=pages.clock)
    for _ in range(50):
        workers.spend(0.02)
    workers.submit(KEYS)
    workers.spend(0.02)
    assert workers.take() == []
    assert len(pages.made) == 1


def test_budget_counts_each_worker_for_itself(started) -> None:
    pages = CostlyPages(0.05)
    workers = started(pages, 2, budgeted=True, cpu_clock=pages.clock)
    workers.submit(KEYS[:2])
    for expected in (0, 0, 2):
        workers.spend(2 * 0.02)
        assert len(workers.take()) == expected


def test_failing_page_is_reported_once_retried_and_blocks_nothing(started) -> None:
    reports: list[tuple[PageKey, str]] = []
    broken = {KEYS[1]}
    attempts: list[PageKey] = []

    def make(key: PageKey):
        attempts.append(key)
        if key in broken:
            raise RuntimeError(f"no land at {key}")
        return flat_page(key)

    workers = started(make, 2, on_error=lambda key, error: reports.append((key, str(error))))
    workers.submit(KEYS)
    assert workers.wait(30.0)
    assert {page.key for page in workers.take()} == set(KEYS) - broken
    assert attempts.count(KEYS[1]) >= 3
    assert len(reports) == 1
    assert workers.failing == 1
    broken.clear()
    workers.submit(KEYS[1:2])
    deadline = time.monotonic() + 30.0
    while not (came := workers.take()) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert [page.key for page in came] == KEYS[1:2]
    assert workers.failing == 0


def test_failure_that_passes_is_waited_for(started) -> None:
    once = set(KEYS)

    def make(key: PageKey):
        if key in once:
            once.discard(key)
            raise OSError("busy")
        return flat_page(key)

    workers = started(make, 2)
    workers.submit(KEYS)
    assert workers.wait(30.0)
    assert [page.key for page in workers.take()] == KEYS


def test_spend_ends_when_every_page_fails(started) -> None:
    def make(key: PageKey):
        raise ValueError("never")

    workers = started(make, 2, budgeted=True)
    workers.submit(KEYS)
    for _ in range(3):
        workers.spend(0.05)
    assert workers.take() == []
    assert workers.pending == len(KEYS)


def test_close_leaves_a_slow_job_behind() -> None:
    begun, ended = threading.Event(), threading.Event()

    def make(key: PageKey):
        begun.set()
        time.sleep(2.0)
        ended.set()
        return flat_page(key)

    workers = Workers(make, 2)
    workers.submit(KEYS[:1])
    assert begun.wait(30.0)
    workers.close()
    assert not ended.is_set()
    workers.close()
    assert all(thread.daemon for thread in threading.enumerate() if thread.name.startswith("page-"))


def test_wait_reports_a_timeout_and_ends_on_close(started) -> None:
    gate = threading.Event()

    def make(key: PageKey):
        gate.wait(30.0)
        return flat_page(key)

    workers = started(make, 1)
    workers.submit(KEYS[:1])
    assert not workers.wait(0.01)
    gate.set()
    assert workers.wait(30.0)


def test_no_workers_is_refused() -> None:
    with pytest.raises(ValueError, match="1 or more"):
        Workers(flat_page, 0)
