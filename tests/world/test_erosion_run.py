"""Time passing beside the frame: shown without being an edit, entered as one, cancelled without a trace."""

from __future__ import annotations

import json
import time

import pytest
from analytic import AnalyticSource

from game.core.coords import PageKey, page_at
from game.world.edits import DirtyBox, EditLog
from game.world.erosion import ErosionSettings, Region
from game.world.erosion_run import ErosionRun, read_land
from game.world.page import PageData
from game.world.recipe import Recipe
from game.world.source import HeightSource

REGION = Region(130.0, -4.0, 60.0, 8.0)
"""Over a corner of four pages."""

SOURCE = HeightSource(Recipe.load("alpine"), 7)


def started(log: EditLog, region: Region = REGION, source: object = SOURCE) -> ErosionRun:
    run = ErosionRun(
        source,  # type: ignore[arg-type]
        log,
        region,
        ErosionSettings(),
        seed=7,
        sea_level_m=0.0,
    )
    run.start()
    return run


def finished(run: ErosionRun, frame_s: float = 0.05) -> list[DirtyBox]:
    boxes = []
    for _ in range(2000):
        box = run.frame(frame_s, paced=True, settled=True)
        if box is not None:
            boxes.append(box)
        if run.over:
            return boxes
    raise AssertionError("the erosion does not end")


def page(log: EditLog, key: PageKey) -> PageData:
    made = SOURCE.generate(key)
    log.evaluate(made)
    return made


def same(a: PageData, b: PageData) -> bool:
    return (
        a.edited.tobytes() == b.edited.tobytes()
        and a.heights.tobytes() == b.heights.tobytes()
        and a.normals.tobytes() == b.normals.tobytes()
    )


KEYS = [PageKey(0, ix, iz) for iz in (-1, 0) for ix in (0, 1)] + [
    page_at(level, 130.0, -4.0) for level in (1, 2, 3, 5)
]


def edited_log() -> EditLog:
    log = EditLog()
    log.apply("raise", 120.0, 5.0, 40.0, 12.0, falloff="cone")
    log.apply("lower", 150.0, -20.0, 15.0, 3.0)
    return log


def test_it_is_shown_as_it_runs_and_entered_as_one_stroke() -> None:
    log = edited_log()
    before, saved = {key: page(log, key) for key in KEYS}, json.dumps(log.to_json())
    resident = {key: page(log, key) for key in KEYS}
    run = started(log)
    shown = 0
    while True:
        box = run.frame(0.04, paced=True, settled=True)
        for key in KEYS:
            log.evaluate_box(resident[key], box)
            assert same(resident[key], page(log, key))
        if run.over:
            break
        shown += box is not None and not same(resident[KEYS[0]], before[KEYS[0]])
        assert json.dumps(log.to_json()) == saved, "what is shown meanwhile is no edit"
        assert 0.0 <= run.progress <= 1.0
    # One every 0.3 s of the 0.8 s that it takes.
    assert shown == 2
    assert (log.strokes, run.progress) == (3, 1.0)
    assert run.moved_m3 > 10.0
    assert all(not same(resident[key], before[key]) for key in KEYS[:5])
    again, problems = EditLog.from_json(json.loads(json.dumps(log.to_json())))
    assert problems == []
    assert all(same(page(again, key), resident[key]) for key in KEYS)
    log.undo()
    for key in KEYS:
        log.evaluate_box(resident[key])
        assert same(resident[key], before[key])
    assert json.dumps(log.to_json()) == saved
    log.redo()
    assert all(same(page(log, key), page(again, key)) for key in KEYS)


def test_neighbours_and_levels_agree_bit_for_bit() -> None:
    log = edited_log()
    finished(started(log))
    for level in range(5):
        centre = page_at(level, 127.0, -1.0)
        own = page(log, centre)
        east = page(log, PageKey(level, centre.ix + 1, centre.iz))
        south = page(log, PageKey(level, centre.ix, centre.iz + 1))
        assert own.edited[:, 128:].tobytes() == east.edited[:, :8].tobytes()
        assert own.edited[128:].tobytes() == south.edited[:8].tobytes()
        parent = page(log, centre.parent)
        i, j = (centre.ix & 1) * 64 + 4, (centre.iz & 1) * 64 + 4
        assert own.edited[::2, ::2, 1].tobytes() == parent.edited[j - 2 : j + 66, i - 2 : i + 66, 0].tobytes()


def test_cancelling_leaves_land_and_log_as_they_were() -> None:
    log = edited_log()
    before, saved = {key: page(log, key) for key in KEYS}, json.dumps(log.to_json())
    log.undo()
    log.redo()
    run = started(log)
    while run.frame(0.05, paced=True, settled=True) is None:
        assert not run.over
    assert not same(page(log, KEYS[0]), before[KEYS[0]])
    assert run.cancel() is not None
    assert run.over
    assert all(same(page(log, key), before[key]) for key in KEYS)
    assert json.dumps(log.to_json()) == saved
    assert run.frame(0.05, paced=True, settled=True) is None
    assert run.cancel() is None


def test_cancelling_keeps_what_was_undone() -> None:
    log = edited_log()
    log.undo()
    run = started(log)
    run.frame(0.4, paced=True, settled=True)
    run.cancel()
    assert log.can_redo


def test_nothing_is_carved_before_the_first_frame_says_how_fast() -> None:
    run = started(edited_log())
    time.sleep(0.5)
    assert run.progress == 0.0
    run.frame(0.01, paced=True, settled=True)
    assert run.progress == 6 / REGION.iterations
    run.cancel()


@pytest.mark.parametrize("frame_s", [0.01, 0.3])
def test_a_repeatable_ride_repeats(frame_s: float) -> None:
    logs = [edited_log(), edited_log()]
    steps = [[], []]  # type: list[list[tuple[float, DirtyBox | None]]]
    for log, seen in zip(logs, steps, strict=True):
        run = started(log)
        while not run.over:
            seen.append((run.progress, run.frame(frame_s, paced=True, settled=True)))
            time.sleep(0.001 * (log is logs[1]))
    assert steps[0] == steps[1]
    assert logs[0].to_json() == logs[1].to_json()
    # However the time is cut into frames, and without waiting: the same land.
    free = edited_log()
    run = started(free)
    for _ in range(4000):
        run.frame(0.001, paced=False, settled=True)
        if run.over:
            break
        time.sleep(0.005)
    assert free.to_json() == logs[0].to_json()


def test_a_dab_meanwhile_lies_under_the_preview() -> None:
    log = edited_log()
    resident = page(log, KEYS[0])
    run = started(log)
    while run.frame(0.05, paced=True, settled=True) is None:
        pass
    log.evaluate_box(resident)
    log.apply("flatten", 120.0, -10.0, 20.0, 30.0, target_m=900.0)
    log.evaluate_box(resident)
    assert same(resident, page(log, KEYS[0]))
    finished(run)
    log.evaluate_box(resident)
    assert same(resident, page(log, KEYS[0]))
    assert log.strokes == 4


def test_it_waits_for_the_stroke_in_hand() -> None:
    log = edited_log()
    run = started(log)
    log.begin_stroke()
    log.apply("raise", 0.0, 0.0, 5.0, 1.0)
    for _ in range(20):
        run.frame(0.1, paced=True, settled=False)
    assert not run.over
    log.apply("raise", 1.0, 0.0, 5.0, 1.0)
    log.end_stroke()
    run.frame(0.1, paced=True, settled=False)
    assert run.over
    assert log.strokes == 4
    log.undo()
    assert len(log) == 4


def test_no_preview_before_the_last_one_is_on_the_screen() -> None:
    run = started(edited_log(), Region(0.0, 0.0, 40.0, 20.0))
    assert all(run.frame(0.05, paced=True, settled=False) is None for _ in range(20))
    assert not run.over
    run.cancel()


def test_a_failure_is_told_and_takes_the_preview_away() -> None:
    class Broken(AnalyticSource):
        def generate(self, key: PageKey) -> PageData:
            raise MemoryError("no memory left")

    log = edited_log()
    saved = log.to_json()
    run = started(log, source=Broken())
    with pytest.raises(MemoryError, match="no memory left"):
        run.frame(1.0, paced=True, settled=True)
    assert run.over
    assert log.to_json() == saved


def test_the_land_is_read_with_its_edits() -> None:
    log = edited_log()
    block = read_land(SOURCE, log.snapshot(), 100, -40, 60, 70)
    east, west = page(log, PageKey(0, 1, -1)), page(log, PageKey(0, 0, 0))
    assert block.shape == (70, 60)
    assert block[:40, 28:].tobytes() == east.edited[4 + 88 : 4 + 128, 4 : 4 + 32, 0].tobytes()
    assert block[40:, :28].tobytes() == west.edited[4 : 4 + 30, 4 + 100 : 4 + 128, 0].tobytes()
