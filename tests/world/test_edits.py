"""Edits: equal bits across levels, borders, histories and threads; validation; JSON."""

from __future__ import annotations

import json
import math
import threading

import numpy as np
import pytest
from analytic import AnalyticSource

from game.core.coords import GENERATED, PageKey, page_at
from game.kernels import brush
from game.world.edits import DirtyBox, EditLog
from game.world.operations import operation
from game.world.page import PageData
from game.world.recipe import Recipe
from game.world.source import HeightSource

ORIGINS = [(0, 0), (-1024, 1024), (1_000_000, -7), (-990_000_000, 990_000_000), (1 << 24, -(1 << 29))]


def bits(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values).view(np.uint32)


def sculpt(
    log: EditLog, rng: np.random.Generator, at: tuple[float, float], count: int, spread: float
) -> None:
    for _ in range(count):
        x, z = (float(c + rng.uniform(-spread, spread)) for c in at)
        radius = float(min(2000.0, 0.5 * 4000.0 ** rng.uniform()))
        log.apply("raise" if rng.uniform() < 0.6 else "lower", x, z, radius, float(rng.uniform(0.01, 80.0)))


def same_page(a: PageData, b: PageData) -> None:
    assert np.array_equal(bits(a.edited), bits(b.edited))
    assert np.array_equal(bits(a.heights), bits(b.heights))
    assert np.array_equal(a.normals, b.normals)
    assert (a.min_m, a.max_m, a.epoch) == (b.min_m, b.max_m, b.epoch)


@pytest.mark.parametrize("at", ORIGINS)
def test_parent_samples_and_borders_have_equal_bits_after_edits(at: tuple[int, int]) -> None:
    rng = np.random.default_rng(abs(at[0]) + 5)
    source, log = AnalyticSource(), EditLog()
    for spread in (60.0, 400.0, 3000.0):
        sculpt(log, rng, at, 60, spread)
    made: dict[PageKey, PageData] = {}

    def page(key: PageKey) -> PageData:
        if key not in made:
            made[key] = source.generate(key)
            log.evaluate(made[key])
        return made[key]

    for level in range(6):
        centre = page_at(level, *at)
        for dx, dz in ((0, 0), (-1, 0), (0, 1)):
            key = PageKey(level, centre.ix + dx, centre.iz + dz)
            own = page(key)
            assert (dx, dz) != (0, 0) or not np.array_equal(own.edited, own.base)
            parent = page(key.parent)
            i, j = (key.ix & 1) * 64 + 4, (key.iz & 1) * 64 + 4
            # Even samples −4…130 of the child are samples −2…65 of the parent's half.
            child_g = own.edited[::2, ::2, 1]
            parent_r = parent.edited[j - 2 : j + 66, i - 2 : i + 66, 0]
            assert np.array_equal(bits(child_g), bits(parent_r))
            # Own samples 0…131 of the eastern neighbour are 128…259: they share −4…3 and 124…131.
            east = page(PageKey(level, key.ix + 1, key.iz))
            assert np.array_equal(bits(own.edited[:, 128:, :]), bits(east.edited[:, :8, :]))
            south = page(PageKey(level, key.ix, key.iz + 1))
            assert np.array_equal(bits(own.edited[128:, :, :]), bits(south.edited[:8, :, :]))
            assert np.array_equal(own.normals[2:-2, 128:132, :2], east.normals[2:-2, 0:4, :2])


def test_the_promises_hold_on_the_real_land() -> None:
    rng = np.random.default_rng(12)
    source, log = HeightSource(Recipe.load("alpine"), 5), EditLog()
    at = (-3_000_001.5, 77_000.25)
    sculpt(log, rng, at, 60, 300.0)
    for level in range(4):
        key = page_at(level, *at)
        own, parent = source.generate(key), source.generate(key.parent)
        log.evaluate(own)
        log.evaluate(parent)
        i, j = (key.ix & 1) * 64 + 4, (key.iz & 1) * 64 + 4
        assert np.array_equal(
            bits(own.edited[::2, ::2, 1]), bits(parent.edited[j - 2 : j + 66, i - 2 : i + 66, 0])
        )
        # Parent normals at even samples are the parent's own bytes.
        assert np.array_equal(
            own.normals[2:131:2, 2:131:2, 2:], parent.normals[j - 2 : j + 63, i - 2 : i + 63, :2]
        )
    # With everything taken back, heights, normals and bounds are those of the unedited page.
    page, untouched = source.generate(page_at(0, *at)), source.generate(page_at(0, *at))
    log.evaluate(page)
    while (box := log.undo()) is not None:
        log.evaluate_box(page, box)
    untouched.epoch = page.epoch
    same_page(page, untouched)


@pytest.mark.parametrize("level", [0, 1, 3])
def test_incremental_application_gives_the_bits_of_a_replay(level: int) -> None:
    rng = np.random.default_rng(level)
    source, log = AnalyticSource(), EditLog()
    key = PageKey(level, -1, 2)
    centre = tuple((c + 0.5) * key.span_m for c in (key.ix, key.iz))
    grown = source.generate(key)
    assert grown.edited is grown.base
    for _ in range(60):
        # Some lie beside the page, some come two at a time, some strokes go away again.
        choice = rng.uniform()
        if choice < 0.2 and log.can_undo:
            box = log.undo()
        elif choice < 0.3 and log.can_redo:
            box = log.redo()
        else:
            log.begin_stroke()
            for _ in range(rng.integers(1, 4)):
                x, z = (float(c + rng.uniform(-0.8, 0.8) * key.span_m) for c in centre)
                box = log.apply(
                    "raise" if rng.uniform() < 0.5 else "lower",
                    x,
                    z,
                    float(rng.uniform(1, 40) * key.spacing_m),
                    3.0,
                )
            log.end_stroke()
        log.evaluate_box(grown, box)
        if rng.uniform() < 0.3:
            fresh = source.generate(key)
            log.evaluate(fresh)
            same_page(grown, fresh)


def test_changed_box_covers_every_changed_sample_and_normal() -> None:
    source, log = AnalyticSource(), EditLog()
    rng = np.random.default_rng(3)
    for level in (0, 2):
        key = PageKey(level, 0, 0)
        page = source.generate(key)
        log.evaluate(page)
        for _ in range(20):
            before_heights, before_normals = page.heights.copy(), page.normals.copy()
            x, z = (float(v) * key.span_m for v in rng.uniform(-0.1, 1.1, 2))
            box = log.apply("raise", x, z, 9.0, 4.0)
            found = log.evaluate_box(page, box)
            changed = (bits(before_heights) != bits(page.heights)).any(axis=2)
            changed |= (before_normals != page.normals).any(axis=2)
            if found is not None:
                j0, j1, i0, i1 = found
                assert 0 <= j0 < j1 <= 132
                assert 0 <= i0 < i1 <= 132
                changed[j0:j1, i0:i1] = False
            assert not changed.any()


def test_undoing_everything_gives_the_base_back() -> None:
    source, log = AnalyticSource(), EditLog()
    rng = np.random.default_rng(9)
    keys = [PageKey(0, -1, -1), PageKey(1, -1, 0), PageKey(4, 0, -1)]
    pages = [source.generate(key) for key in keys]
    untouched = [source.generate(key) for key in keys]
    for _ in range(12):
        log.begin_stroke()
        sculpt(log, rng, (-20.0, -20.0), 5, 150.0)
        log.end_stroke()
        for page in pages:
            log.evaluate_box(page)
    assert all(page.edited is not page.base for page in pages)
    while (box := log.undo()) is not None:
        for page in pages:
            log.evaluate_box(page, box)
    assert len(log) == 0
    for page, original in zip(pages, untouched, strict=True):
        assert page.edited is page.base
        original.epoch = page.epoch
        same_page(page, original)


def test_a_page_that_missed_changes_catches_up() -> None:
    source, log = AnalyticSource(), EditLog()
    rng = np.random.default_rng(1)
    key = PageKey(0, 0, 0)
    late = source.generate(key)
    sculpt(log, rng, (64.0, 64.0), 10, 60.0)
    log.evaluate(late)
    for _ in range(3):
        log.undo()
    sculpt(log, rng, (64.0, 64.0), 4, 60.0)
    last = log.apply("raise", 10.0, 10.0, 3.0, 1.0)
    log.evaluate_box(late, last)
    fresh = source.generate(key)
    log.evaluate(fresh)
    same_page(late, fresh)
    sculpt(log, rng, (64.0, 64.0), 300, 60.0)
    assert log.evaluate_box(late) == (0, 132, 0, 132)
    fresh = source.generate(key)
    log.evaluate(fresh)
    same_page(late, fresh)


def test_a_snapshot_does_not_see_later_changes() -> None:
    source, log = AnalyticSource(), EditLog()
    rng = np.random.default_rng(2)
    sculpt(log, rng, (64.0, 64.0), 30, 80.0)
    snapshot = log.snapshot()
    first = source.generate(PageKey(0, 0, 0))
    snapshot.evaluate(first)
    for _ in range(10):
        log.undo()
    sculpt(log, rng, (64.0, 64.0), 100, 80.0)
    second = source.generate(PageKey(0, 0, 0))
    snapshot.evaluate(second)
    same_page(first, second)
    assert second.epoch == 30


def test_pages_made_by_threads_while_the_log_changes_agree_after_catching_up() -> None:
    source, log = AnalyticSource(), EditLog()
    keys = [PageKey(level, ix, iz) for level in (0, 1) for ix in (-1, 0) for iz in (-1, 0)]
    made: list[PageData] = []
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            for key in keys:
                page = source.generate(key)
                log.snapshot().evaluate(page)
                made.append(page)

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    rng = np.random.default_rng(4)
    for n in range(150):
        if n % 7 == 6:
            log.undo()
        else:
            sculpt(log, rng, (0.0, 0.0), 1, 100.0)
    stop.set()
    for worker in workers:
        worker.join()
    wanted = {}
    for key in keys:
        wanted[key] = source.generate(key)
        log.evaluate(wanted[key])
    for page in made[:20] + made[-20:]:
        log.evaluate_box(page)
        same_page(page, wanted[page.key])


def test_brush_shape_and_band_limit() -> None:
    source, log = AnalyticSource(), EditLog()
    page = source.generate(PageKey(0, 0, 0))
    log.apply("raise", 64.0, 64.0, 20.0, 5.0)
    log.evaluate_box(page)
    change = (page.edited - page.base)[:, :, 0].astype(np.float64)
    assert change[68, 68] == pytest.approx(5.0, abs=1e-4)
    assert change[68, 88] == 0.0
    assert change[68, 78] == pytest.approx(5.0 * (1 - 0.25) ** 3, abs=1e-4)
    assert np.allclose(change, change.T, atol=2e-4)
    assert brush.band_weight(0.5, 1.0) == 1.0
    weights = [brush.band_weight(80.0, float(1 << level)) for level in range(10)]
    assert weights[:5] == [1.0] * 5
    assert weights == sorted(weights, reverse=True)
    assert weights[7:] == [0.0] * 3
    # An 80 m hill shows at 3 km, where levels 3 and 4 are drawn; a 3 m kicker does not become a pyramid.
    assert brush.band_weight(3.0, 4.0) == 0.0


def test_kernel_equals_plain_python() -> None:
    if not hasattr(brush.apply_ops, "py_func"):
        pytest.skip("the kernels run as plain Python already")
    rng = np.random.default_rng(8)
    start = rng.normal(size=(GENERATED, GENERATED, 2)).astype(np.float32)
    ops = np.array(
        [
            operation("raise", 3.25, -1.5, 7.0, 2.0),
            operation("lower", 9.5, 8.25, 5.5, 3.0, falloff="smoothstep"),
            operation("flatten", 4.5, 6.25, 9.0, 3.0, target_m=2.5, falloff="linear"),
            operation("ramp", 1.0, 2.0, 3.0, 9.0, end_x=12.5, end_z=9.0, target_m=-1.0, end_m=4.0),
            operation("peak", 6.0, 6.0, 11.0, 4.0, seed=77, falloff="cone"),
            operation("canyon", 2.0, 6.0, 8.0, 4.0, seed=9, falloff="cone"),
            operation("kicker", 8.0, 8.0, 2.0, 1.5, heading_x=0.6, heading_z=-0.8, length_m=6.0),
            operation("restore", 9.0, 3.0, 6.0, 1.5),
        ]
    )
    compiled, plain = start.copy(), start.copy()
    brush.apply_ops(compiled, start, -4, -4, 1, ops, 0, 24, 0, 24)
    brush.apply_ops.py_func(plain, start, -4, -4, 1, ops, 0, 24, 0, 24)
    assert np.array_equal(bits(compiled), bits(plain))


def test_box_names_the_pages_it_alters() -> None:
    log = EditLog()
    box = log.apply("raise", 0.0, 0.0, 20.0, 1.0)
    assert set(box.pages(0)) == {PageKey(0, ix, iz) for ix in (-1, 0) for iz in (-1, 0)}
    assert list(box.pages(5)) == []
    corner = log.apply("raise", 129.0, 60.0, 3.0, 1.0)
    # The apron of page 0 reaches to 131 m.
    assert set(corner.pages(0)) == {PageKey(0, 0, 0), PageKey(0, 1, 0)}
    both = box.union(corner)
    assert both[:4] == (-20.0, -20.0, 132.0, 63.0)
    assert both.epoch == 2
    assert box.union(None) is box
    assert isinstance(both, DirtyBox)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("dig", 0, 0, 5, 1), "brush = 'dig'"),
        ((None, 0, 0, 5, 1), "brush = None"),
        (("raise", math.nan, 0, 5, 1), "x = nan"),
        (("raise", 0, math.inf, 5, 1), "z = inf"),
        (("raise", 2**31, 0, 5, 1), "x = 2147483648"),
        (("raise", 0, -1.1e9, 5, 1), "z = -1100000000"),
        (("raise", 0, 0, 0.4, 1), "radius_m = 0.4"),
        (("raise", 0, 0, 2001, 1), "radius_m = 2001"),
        (("raise", 0, 0, -5, 1), "radius_m = -5"),
        (("raise", 0, 0, "big", 1), "radius_m = 'big'"),
        (("raise", 0, 0, 5, 0), "strength_m = 0"),
        (("lower", 0, 0, 5, -2), "strength_m = -2"),
        (("raise", 0, 0, 5, 1e308), "strength_m = 1e+308"),
        (("raise", 0, 0, 5, 10**400), "strength_m = 1000"),
        (("raise", 0, 0, True, 1), "radius_m = True"),
    ],
)
def test_unusable_values_are_refused_by_name(arguments: tuple, named: str) -> None:
    log = EditLog()
    with pytest.raises(ValueError) as error:
        log.apply(*arguments)
    assert named in str(error.value)
    assert len(log) == 0
    assert log.epoch == 0


def test_strokes_undo_and_redo() -> None:
    log = EditLog()
    assert log.undo() is None
    assert log.redo() is None
    log.apply("raise", 0.0, 0.0, 5.0, 1.0)
    log.begin_stroke()
    for x in (10.0, 20.0, 30.0):
        log.apply("lower", x, 0.0, 5.0, 1.0)
    log.end_stroke()
    log.begin_stroke()
    log.end_stroke()
    assert (len(log), log.epoch) == (4, 4)
    gone = log.undo()
    assert gone is not None
    assert gone[:4] == (5.0, -5.0, 35.0, 5.0)
    assert (len(log), log.epoch) == (1, 5)
    assert log.redo()[:4] == gone[:4]
    assert (len(log), log.epoch) == (4, 6)
    log.undo()
    log.apply("raise", 0.0, 0.0, 5.0, 1.0)
    assert not log.can_redo
    assert len(log) == 2
    log.undo()
    log.undo()
    assert not log.can_undo


def test_json_round_trip_gives_the_same_land() -> None:
    rng = np.random.default_rng(6)
    log = EditLog()
    for _ in range(10):
        log.begin_stroke()
        sculpt(log, rng, (-3.0, 700.0), 4, 100.0)
        log.end_stroke()
    log.undo()
    again, messages = EditLog.from_json(json.loads(json.dumps(log.to_json(), allow_nan=False)))
    assert messages == []
    assert len(again) == len(log)
    assert again.to_json() == log.to_json()
    source = AnalyticSource()
    a, b = source.generate(PageKey(0, 0, 5)), source.generate(PageKey(0, 0, 5))
    log.evaluate(a)
    again.evaluate(b)
    assert np.array_equal(bits(a.edited), bits(b.edited))
    assert again.undo() is not None
    assert len(again) == len(log) - 4


def test_bad_items_are_skipped_and_named() -> None:
    good = {"brush": "raise", "x": 1.0, "z": 2.0, "radius_m": 5.0, "strength_m": 1.0}
    stroke = [
        good,
        good | {"radius_m": math.nan},
        good | {"radius_m": "big"},
        good | {"x": 1e308},
        {"brush": "raise"},
        [],
        good | {"brush": "erase"},
    ]
    log, messages = EditLog.from_json({"strokes": [stroke, "no", [good]]})
    assert len(log) == 2
    assert len(messages) == 7
    assert "stroke 0, operation 1" in messages[0]
    assert "radius_m" in messages[0]
    assert "'x' is missing" in messages[3]
    assert "stroke 1 is not a list" in messages[6]
    for data in ([], None, {"strokes": 3}, "x"):
        empty, complaint = EditLog.from_json(data)
        assert len(empty) == 0
        assert len(complaint) == 1
