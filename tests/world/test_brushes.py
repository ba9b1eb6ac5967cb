"""Every brush: shape, and the promises of the log under random operations of all of them."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from analytic import AnalyticSource
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from game.core import commands
from game.core.coords import PageKey, page_at
from game.kernels import brush
from game.world import edits as edit_log
from game.world.deltas import TILE, Delta, DeltaCache, fold
from game.world.edits import EditLog
from game.world.land import DABS, LandSource
from game.world.operations import FALLOFFS, SMOOTH_RADIUS_M, operation
from game.world.page import PageData

FEW = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def bits(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values).view(np.uint32)


def land_source(log: EditLog | None = None) -> LandSource:
    return LandSource(AnalyticSource(0.0), log or EditLog(), 7, 0)  # type: ignore[arg-type]


def fresh(land: LandSource, key: PageKey) -> PageData:
    page = land.source.generate(key)
    land.edits.evaluate(page)
    return page


def change_at(land: LandSource, x: float, z: float) -> float:
    page = fresh(land, page_at(0, x, z))
    i, j = int(x) - page.key.origin_m[0] + 4, int(z) - page.key.origin_m[1] + 4
    return float(page.edited[j, i, 0]) - float(page.base[j, i, 0])


ONE_DAB = st.tuples(
    st.sampled_from(DABS),
    st.floats(-70.0, 70.0),
    st.floats(-70.0, 70.0),
    st.floats(0.5, 90.0),
    st.floats(0.01, 60.0),
    st.sampled_from(sorted(FALLOFFS)),
    st.floats(0.0, 6.3),
)
STEPS = st.lists(
    st.one_of(ONE_DAB, ONE_DAB, ONE_DAB, st.just("undo"), st.just("redo"), st.just("begin"), st.just("end")),
    min_size=4,
    max_size=18,
)


def take(land: LandSource, step: object, at: tuple[int, int]) -> None:
    log = land.edits
    if step == "undo":
        log.undo()
    elif step == "redo":
        log.redo()
    elif step == "begin":
        log.begin_stroke()
    elif step == "end":
        log.end_stroke()
    else:
        name, x, z, radius, strength, falloff, yaw = step  # type: ignore[misc]
        end = (at[0] + z + 3.0, at[1] - x) if name == "ramp" else None
        if end is not None and math.dist(end, (at[0] + x, at[1] + z)) < 1.01:
            return
        land.dab(
            name,
            at[0] + x,
            at[1] + z,
            radius,
            strength,
            falloff=falloff,
            yaw_rad=yaw,
            end=end,
        )


@FEW
@given(
    steps=STEPS,
    at=st.sampled_from([(0, 0), (-1024, 640), (1 << 24, -(1 << 29)), (-999_999_900, 999_999_900)]),
)
def test_random_operations_then_undo_all_gives_the_seeds_land(steps: list, at: tuple[int, int]) -> None:
    land = land_source()
    keys = [page_at(level, at[0] - 1.0, at[1] - 1.0) for level in (0, 1, 3)]
    grown = [land.source.generate(key) for key in keys]
    for step in steps:
        take(land, step, at)
        for page in grown:
            land.edits.evaluate_box(page)
    for page in grown:
        # Incremental application gives the bits of a replay.
        again = fresh(land, page.key)
        assert np.array_equal(bits(page.edited), bits(again.edited))
        assert np.array_equal(bits(page.heights), bits(again.heights))
        assert np.array_equal(page.normals, again.normals)
    while land.edits.undo() is not None:
        pass
    for page in grown:
        land.edits.evaluate_box(page)
        untouched = land.source.generate(page.key)
        assert page.edited is page.base
        assert np.array_equal(bits(page.heights), bits(untouched.heights))
        assert np.array_equal(page.normals, untouched.normals)


@FEW
@given(steps=STEPS, at=st.sampled_from([(0, 0), (-130, 4090), (999_999_872, -999_999_872)]))
def test_neighbours_in_any_order_and_parents_have_equal_bits(steps: list, at: tuple[int, int]) -> None:
    land = land_source()
    keys = [
        page_at(level, at[0], at[1])._replace(ix=page_at(level, at[0], at[1]).ix + dx)
        for level in range(4)
        for dx in (0, -1)
    ]
    # One page is there from the start, one arrives half way, the others at the end.
    early = land.source.generate(keys[0])
    late = None
    for n, step in enumerate(steps):
        take(land, step, at)
        land.edits.evaluate_box(early)
        if n == len(steps) // 2:
            late = fresh(land, keys[1])
    assert late is not None
    land.edits.evaluate_box(late)
    made = {key: fresh(land, key) for key in keys} | {keys[0]: early, keys[1]: late}
    for level in range(4):
        east, west = made[keys[2 * level]], made[keys[2 * level + 1]]
        assert np.array_equal(bits(west.edited[:, 128:]), bits(east.edited[:, :8]))
        if level == 3:
            break
        parent = fresh(land, east.key.parent)
        i, j = (east.key.ix & 1) * 64 + 4, (east.key.iz & 1) * 64 + 4
        assert np.array_equal(
            bits(east.edited[::2, ::2, 1]), bits(parent.edited[j - 2 : j + 66, i - 2 : i + 66, 0])
        )


@FEW
@given(steps=STEPS)
def test_saved_and_loaded_operations_give_the_same_bits(steps: list) -> None:
    land = land_source()
    for step in steps:
        take(land, step, (0, 0))
    land.edits.end_stroke()
    text = json.dumps(land.edits.to_json(), allow_nan=False)
    log, messages = EditLog.from_json(json.loads(text))
    assert messages == []
    assert json.dumps(log.to_json()) == text
    again = land_source(log)
    for key in (PageKey(0, -1, 0), PageKey(0, 0, 0), PageKey(2, 0, 0)):
        assert np.array_equal(bits(fresh(land, key).edited), bits(fresh(again, key).edited))


def test_falloffs_run_from_one_to_nothing() -> None:
    for name, code in FALLOFFS.items():
        shares = [brush.falloff_at(code, q) for q in np.linspace(0.0, 1.0, 50)]
        assert shares[0] == 1.0, name
        assert shares[-1] == pytest.approx(0.0, abs=1e-12)
        assert np.all(np.diff(shares) <= 0.0), name
    assert brush.falloff_at(FALLOFFS["cone"], 0.25) == 0.5
    assert brush.falloff_at(FALLOFFS["linear"], 0.25) == 1.0
    assert brush.falloff_at(FALLOFFS["smoothstep"], 0.25) == 0.5
    # The bell is near the true one where it matters.
    assert brush.falloff_at(FALLOFFS["gaussian"], 0.25) == pytest.approx(math.exp(-0.75), abs=0.06)


def test_flatten_makes_a_level_place() -> None:
    land = land_source()
    target = land.ground.height(64.0, 64.0)
    land.dab("flatten", 64.0, 64.0, 40.0, 100.0)
    land.show(land.edits.snapshot())
    inner = land.ground.block(64 - 12, 64 - 12, 25, 25)
    assert np.ptp(inner) < 2e-4
    assert float(inner[0, 0]) == pytest.approx(target, abs=1e-3)
    assert change_at(land, 64.0, 64.0 + 40.0) == 0.0
    # A weak one moves by no more than its strength.
    land.dab("flatten", 400.0, 64.0, 40.0, 0.25, target_m=0.0)
    assert change_at(land, 400.0, 64.0) == pytest.approx(-0.25, abs=1e-4)


def test_a_ramp_is_a_straight_grade_between_two_points() -> None:
    land = land_source()
    ends = land.ground.height(10.0, 20.0), land.ground.height(90.0, 20.0)
    land.dab("ramp", 10.0, 20.0, 8.0, 500.0, end=(90.0, 20.0))
    land.show(land.edits.snapshot())
    line = np.array([land.ground.height(float(x), 20.0) for x in range(10, 91)], np.float64)
    assert (line[0], line[-1]) == pytest.approx(ends, abs=1e-3)
    grade = np.diff(line) * np.sign(ends[1] - ends[0])
    assert grade.min() >= -1e-3
    # The bends cost a quarter over the straight line, no more.
    assert grade.max() < 1.27 * abs(ends[1] - ends[0]) / 80.0 + 1e-3
    assert np.abs(np.diff(line, 2)).max() < 0.05
    # Across, the middle is level.
    assert land.ground.height(50.0, 22.0) == pytest.approx(land.ground.height(50.0, 18.0), abs=1e-3)


def test_a_kicker_throws_at_its_angle_and_ends_in_one_sample() -> None:
    land = land_source()
    # 30° over 8 m, ridden to the east.
    lip = 0.5 * 8.0 * math.tan(math.radians(30.0))
    land.dab("kicker", 60.0, 60.0, 4.0, lip, yaw_rad=math.pi / 2, length_m=8.0)
    heights = [change_at(land, float(x), 60.0) for x in range(50, 75)]
    assert max(heights) == pytest.approx(lip, abs=1e-3)
    top = int(np.argmax(heights))
    assert heights[top + 1] == 0.0
    assert heights[: top - 7] == [0.0] * (top - 7)
    # The last metre before the lip rises with nearly the slope of the angle, the first hardly at all.
    rise = heights[top] - heights[top - 1]
    assert math.degrees(math.atan(rise)) == pytest.approx(30.0, abs=3.0)
    assert heights[top - 7] < 0.06
    assert change_at(land, 64.0, 63.0) == 0.0
    with pytest.raises(ValueError, match="length_m = 3"):
        land.dab("kicker", 0.0, 0.0, 4.0, 1.0, length_m=3.0)
    # Short brushes still make one of at least four metres.
    land.dab("kicker", 160.0, 60.0, 0.5, 1.0, yaw_rad=0.0)
    assert change_at(land, 160.0, 59.0) > 0.3


def test_a_kicker_seen_from_three_kilometres_is_no_pyramid() -> None:
    land = land_source()
    for x in (60.0, 61.0, 63.3):
        land.dab("kicker", x, 60.0, 4.0, 4.0, yaw_rad=0.3, length_m=8.0)
    land.dab("smooth", 60.0, 60.0, 3.0, 2.0)
    # The finest ranges are 110…300 m and double a level: at 3 km level 4 is the finest that is drawn.
    for level in range(4, 9):
        page = fresh(land, page_at(level, 60.0, 60.0))
        assert np.array_equal(page.edited, page.base), level
    near = fresh(land, page_at(0, 60.0, 60.0))
    assert (near.edited - near.base).max() > 3.0


def test_peak_and_canyon_follow_the_formula() -> None:
    land = land_source()
    land.dab("peak", 64.0, 64.0, 50.0, 20.0, falloff="cone")
    page = fresh(land, PageKey(0, 0, 0))
    change = (page.edited - page.base)[4:133, 4:133, 0].astype(np.float64)
    x = np.arange(129)
    distance = np.hypot(x[None, :] - 64.0, x[:, None] - 64.0)
    bound = np.maximum(0.0, 1.0 - distance / 50.0) * 20.0
    assert (change <= bound + 1e-3).all()
    assert (change[distance > 50.0] == 0.0).all()
    noise = change[distance < 40.0] / bound[distance < 40.0]
    assert 0.2 < noise.min() < noise.max() <= 1.0
    assert noise.std() > 0.04
    assert brush.ridges(64, 64, 50.0, 1.0, 7) == pytest.approx(change[64, 64] / 20.0, abs=1e-4)
    land.edits.undo()
    land.dab("canyon", 64.0, 64.0, 50.0, 20.0, falloff="cone")
    page = fresh(land, PageKey(0, 0, 0))
    assert np.allclose((page.edited - page.base)[4:133, 4:133, 0], -change, atol=1e-3)


def test_smoothing_takes_bumps_away_and_keeps_the_slope() -> None:
    land = land_source()
    rng = np.random.default_rng(4)
    for _ in range(60):
        x, z = rng.uniform(20.0, 108.0, 2)
        land.dab("raise", float(x), float(z), 2.5, 1.5)

    def roughness() -> float:
        land.show(land.edits.snapshot())
        return float(np.abs(np.diff(land.ground.block(50, 50, 30, 30), 2, axis=1)).mean())

    rough = roughness()
    before = land.ground.block(50, 50, 30, 30).mean()
    land.edits.begin_stroke()
    for _ in range(8):
        land.dab("smooth", 64.0, 64.0, 40.0, 3.0)
    land.edits.end_stroke()
    assert roughness() < 0.4 * rough
    assert land.ground.block(50, 50, 30, 30).mean() == pytest.approx(before, abs=0.5)
    with pytest.raises(ValueError, match="up to 500 metres"):
        land.dab("smooth", 0.0, 0.0, SMOOTH_RADIUS_M + 1.0, 1.0)


def test_restore_gives_the_seeds_land_back_to_the_bit() -> None:
    land = land_source()
    land.dab("raise", 64.0, 64.0, 60.0, 9.0)
    land.dab("smooth", 64.0, 64.0, 30.0, 9.0)
    land.dab("peak", 64.0, 64.0, 60.0, 9.0)
    land.dab("restore", 64.0, 64.0, 120.0, 500.0)
    page = fresh(land, PageKey(0, 0, 0))
    inner = (slice(68 - 30, 68 + 30), slice(68 - 30, 68 + 30), 0)
    assert np.array_equal(bits(page.edited[inner]), bits(page.base[inner]))


def test_deltas_pack_fold_and_filter_without_loss() -> None:
    rng = np.random.default_rng(3)
    parts = []
    whole = np.zeros((300, 300), np.int32)
    for _ in range(20):
        i, j = (int(v) for v in rng.integers(0, 260, 2))
        quanta = rng.integers(-4000, 4000, (40, 40)).astype(np.int32)
        whole[j : j + 40, i : i + 40] += quanta
        delta = Delta.of(i - 150, j - 150, quanta)
        assert delta is not None
        assert np.array_equal(delta.quanta(), quanta)
        parts.append(Delta.from_json(json.loads(json.dumps(delta.to_json()))))
    tiles = fold(parts)
    again = np.zeros_like(whole)
    for tile in tiles:
        assert tile.i0 // TILE == (tile.i0 + tile.ni - 1) // TILE
        again[tile.j0 + 150 : tile.j0 + 150 + tile.nj, tile.i0 + 150 : tile.i0 + 150 + tile.ni] += (
            tile.quanta()
        )
    assert np.array_equal(again, whole)
    assert Delta.of(0, 0, np.zeros((3, 3), np.int32)) is None
    # Filtering keeps the volume: the mean of the land does not depend on the level.
    cache = DeltaCache()
    volume = [cache.patch(parts[0], level)[0].sum(dtype=np.float64) * 4**level for level in range(5)]
    assert volume == pytest.approx([volume[0]] * 5, rel=1e-4, abs=0.5)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"columns": 0}, "columns = 0"),
        ({"rows": 1e9}, "rows = "),
        ({"rows": 10**7, "columns": 10**7}, "columns"),
        ({"i0": None}, "i0 = None"),
        ({"zlib_base64": 3}, "zlib_base64"),
        ({"zlib_base64": "####"}, "zlib_base64"),
        ({"zlib_base64": "AAAA"}, "unpack"),
        ({"rows": 5}, "unpack"),
        ({"radius_m": math.nan}, "radius_m = nan"),
    ],
)
def test_damaged_deltas_are_skipped_and_named(change: dict, named: str) -> None:
    land = land_source()
    land.dab("smooth", 10.0, 10.0, 12.0, 5.0)
    data = land.edits.to_json()
    data["strokes"][0][0] |= change
    log, messages = EditLog.from_json(data)
    assert len(log) == 0
    assert len(messages) == 1
    assert named in messages[0]


def test_holding_the_smooth_brush_does_not_grow_the_log() -> None:
    land = land_source()
    land.edits.begin_stroke()
    for n in range(40):
        land.dab("smooth", 100.0 + n, 100.0, 20.0, 1.0)
    assert len(land.edits) == 40
    box = land.edits.end_stroke()
    assert box is not None
    assert len(land.edits) <= 4
    assert land.edits.strokes == 1
    assert len(land.edits._deltas) == len(land.edits)
    # What was undone and can never come back is let go.
    land.edits.undo()
    land.dab("raise", 0.0, 0.0, 5.0, 1.0)
    assert land.edits._deltas == {}


def test_old_changes_are_forgotten_but_pages_catch_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edit_log, "_KEPT_BOXES", 300)
    land = land_source()
    old = land.source.generate(PageKey(0, 0, 0))
    for n in range(700):
        land.edits.apply("raise", float(n % 60), 30.0, 4.0, 0.01)
    assert len(land.edits._boxes) <= 300
    assert land.edits.epoch == 700
    land.edits.evaluate_box(old)
    assert np.array_equal(bits(old.edited), bits(fresh(land, old.key).edited))


def test_small_kernels_equal_plain_python() -> None:
    if not hasattr(brush.halve, "py_func"):
        pytest.skip("the kernels run as plain Python already")
    rng = np.random.default_rng(8)
    patch = rng.normal(size=(11, 14)).astype(np.float32)
    assert np.array_equal(bits(brush.halve(patch, -3, 5)), bits(brush.halve.py_func(patch, -3, 5)))
    for q in (0.0, 0.3, 0.99):
        for code in FALLOFFS.values():
            assert brush.falloff_at(code, q) == brush.falloff_at.py_func(code, q)
    assert brush.ridges(301, -7, 44.0, 2.0, 5) == brush.ridges.py_func(301, -7, 44.0, 2.0, 5)
    block = rng.normal(size=(15, 15)).astype(np.float32)
    arguments = (block, -2, 3, 2, 4.5, 10.0, 4.0, 2.0, 1)
    assert np.array_equal(brush.smooth_delta(*arguments), brush.smooth_delta.py_func(*arguments))
    samples = np.zeros((136, 136, 2), np.float32)
    plain = samples.copy()
    for channel in (0, 1):
        spot = (channel, 1 + channel, -4, 8, patch, 3, 9, 0.5, 0, 40, 0, 40)
        brush.add_delta(samples, *spot)
        brush.add_delta.py_func(plain, *spot)
    assert samples.any()
    assert np.array_equal(bits(samples), bits(plain))


def test_names_are_the_same_everywhere() -> None:
    assert set(commands.BRUSHES) == set(DABS)
    assert set(commands.FALLOFFS) == set(FALLOFFS)
    with pytest.raises(ValueError, match="falloff = 'sharp'"):
        operation("raise", 0, 0, 5, 1, falloff="sharp")
    with pytest.raises(ValueError, match="target_m"):
        operation("flatten", 0, 0, 5, 1)
    with pytest.raises(ValueError, match="a ramp of 0"):
        operation("ramp", 0, 0, 5, 1, end_x=0, end_z=0, target_m=0, end_m=0)
    with pytest.raises(ValueError, match="heading"):
        operation("kicker", 0, 0, 5, 1, heading_x=0, heading_z=0, length_m=5)
