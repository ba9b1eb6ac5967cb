"""The runoff worker: windows follow the rider, sculpting is followed, everything repeats, dry land costs nothing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from game.core.coords import APRON, GENERATED, STORED, PageKey
from game.streaming.runoff import DRY_M3, TICK_S, RunoffWorker
from game.world.edits import EditLog
from game.world.page import PageData
from game.world.runoff import Window, window_around
from game.world.weather import rain_rates

HEAVY = rain_rates(50.0, 1.0)


class Slope:
    """Land that falls east, with a gully each 64 m. Counts the pages made."""

    def __init__(self) -> None:
        self.made: list[PageKey] = []

    def generate(self, key: PageKey) -> PageData:
        self.made.append(key)
        i0, j0 = key.origin_sample
        apron = APRON + 2
        i = (np.arange(GENERATED) + i0 - apron) << key.level
        j = (np.arange(GENERATED) + j0 - apron) << key.level
        heights = -0.2 * i[None, :] + 0.3 * np.abs((j[:, None] % 64) - 32)
        base = np.repeat(heights.astype(np.float32)[:, :, None], 2, axis=2)
        spare = np.zeros((STORED, STORED, 4), np.uint8)
        return PageData(key, base, base, np.zeros((STORED, STORED, 2), np.float32), spare, spare, -1e4, 1e4)


@pytest.fixture
def worker() -> Iterator[RunoffWorker]:
    made = RunoffWorker(Slope(), 7)
    yield made
    made.close()


def go(
    worker: RunoffWorker,
    seconds: float,
    edits: EditLog,
    at: tuple[float, float] = (10.0, 10.0),
    rates: tuple[float, float] = HEAVY,
    sea_m: float = -1e6,
) -> None:
    for _ in range(max(1, round(seconds / TICK_S))):
        worker.update(*at, edits.snapshot(), sea_m, rates, min(seconds, TICK_S), block=True)


def test_dry_land_asks_for_nothing(worker: RunoffWorker) -> None:
    go(worker, 5.0, EditLog(), rates=(0.0, 0.0))
    assert worker.view is None
    assert worker._land.made == []


def test_rain_gathers_and_what_is_shown_grows(worker: RunoffWorker) -> None:
    edits = EditLog()
    go(worker, 1.0, edits)
    first = worker.view
    assert first is not None
    assert first.window == window_around(10.0, 10.0)
    go(worker, 60.0, edits)
    assert worker.view is not None
    assert worker.view.outflow_m3_s > 2.0 * first.outflow_m3_s > 0.0
    assert worker.view.routed == first.routed
    assert worker.view.lines is first.lines


def test_the_window_follows_and_is_caught_up_with_the_rain(worker: RunoffWorker) -> None:
    edits = EditLog()
    go(worker, 120.0, edits)
    assert worker.view is not None
    before = worker.view
    made = len(worker._land.made)  # type: ignore[attr-defined]
    go(worker, TICK_S, edits, at=(300.0, 10.0))
    moved = worker.view
    assert moved.window != before.window
    assert moved.routed != before.routed
    # The storm is in it already, and pages that both share were not made again.
    assert moved.outflow_m3_s == pytest.approx(before.outflow_m3_s, rel=0.2)
    assert len(worker._land.made) - made < made  # type: ignore[attr-defined]


def test_water_depends_on_land_and_weather_not_on_the_way(worker: RunoffWorker) -> None:
    edits = EditLog()
    for x in (-2000.0, 700.0, 10.0):
        go(worker, 10.0, edits, at=(x, 10.0))
    other = RunoffWorker(Slope(), 7)
    for seconds, runs, soaks in worker.history.copy():
        other.rained(seconds, runs, soaks)
    other.update(10.0, 10.0, edits.snapshot(), -1e6, HEAVY, 0.0, block=True)
    worker._afresh = True
    worker.update(10.0, 10.0, edits.snapshot(), -1e6, HEAVY, 0.0, block=True)
    assert worker.view is not None
    assert other.view is not None
    assert np.array_equal(worker.view.lines, other.view.lines)
    assert np.array_equal(worker.view.state, other.view.state)
    other.close()


def test_sculpting_is_in_the_next_view_and_keeps_the_water(worker: RunoffWorker) -> None:
    edits = EditLog()
    go(worker, 60.0, edits)
    view, model = worker.view, worker._model
    assert view is not None
    assert model is not None
    edits.apply("lower", 40.0, 30.0, 40.0, 30.0)
    stored = model.stored_m3
    worker.update(10.0, 10.0, edits.snapshot(), -1e6, (0.0, 0.0), 0.0, block=True)
    assert worker.view is not None
    assert worker.view.routed != view.routed
    assert worker.view.window == view.window
    assert model.stored_m3 == pytest.approx(stored, rel=1e-9)
    assert len(model.routing.root) > 0
    go(worker, 60.0, edits)
    assert worker.view.pond_m3 > 0.0
    assert model.rained_m3 == pytest.approx(model.left_m3 + model.stored_m3 + model.soaked_m3, rel=1e-9)
    edits.undo()
    worker.update(10.0, 10.0, edits.snapshot(), -1e6, HEAVY, 0.0, block=True)
    assert worker.view.lines.tobytes() == view.lines.tobytes()


def test_a_rising_sea_takes_the_outlets_along(worker: RunoffWorker) -> None:
    edits = EditLog()
    go(worker, 10.0, edits)
    assert worker.view is not None
    assert worker._model is not None
    routed = worker.view.routed
    go(worker, TICK_S, edits, sea_m=-20.0)
    assert worker.view.routed != routed
    assert worker._model.routing.sea_m == -20.0


def test_without_block_the_old_view_stays_until_the_new_one_is_done(worker: RunoffWorker) -> None:
    edits = EditLog()
    go(worker, 5.0, edits)
    old = worker.view
    assert old is not None
    worker.update(900.0, 10.0, edits.snapshot(), -1e6, HEAVY, TICK_S)
    assert worker.view is old
    assert worker._future is not None
    worker._future.result(timeout=30.0)
    worker.update(900.0, 10.0, edits.snapshot(), -1e6, HEAVY, 0.01)
    assert worker.view is not None
    assert worker.view.window == window_around(900.0, 10.0)


def test_the_land_dries_up_and_is_forgotten(worker: RunoffWorker) -> None:
    edits = EditLog()
    go(worker, 20.0, edits)
    for _ in range(200):
        worker.update(10.0, 10.0, edits.snapshot(), -1e6, (0.0, 0.0), 30.0, block=True)
    assert worker._water_m3 < DRY_M3
    assert worker.view is None
    assert worker.history.copy() == ()


def test_clearing_dries_at_once(worker: RunoffWorker) -> None:
    edits = EditLog()
    go(worker, 20.0, edits)
    worker.update(10.0, 10.0, edits.snapshot(), -1e6, HEAVY, 1.0)
    worker.forget()
    assert worker.view is None
    assert worker.history.copy() == ()
    go(worker, TICK_S, edits)
    assert worker.view is not None
    assert worker.view.outflow_m3_s < 0.5


def test_a_failure_is_told_and_the_ride_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    class Broken:
        def generate(self, key: PageKey) -> PageData:
            raise OSError("no land")

    worker = RunoffWorker(Broken(), 1)
    go(worker, 1.0, EditLog())
    assert worker.view is None
    assert "no land" in capsys.readouterr().err
    worker.close()


def test_windows_far_out_are_routed(worker: RunoffWorker) -> None:
    go(worker, 1.0, EditLog(), at=(-9.0e8, 5.0e8))
    assert worker.view is not None
    assert isinstance(worker.view.window, Window)
    assert worker.view.window.i0 < -2.2e8
