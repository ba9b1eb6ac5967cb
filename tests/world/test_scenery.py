"""Stones, logs, fences and gates: the same from the seed, whole across borders, on the land after every change."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from analytic import AnalyticSource

from game.core.coords import PageKey
from game.kernels import scenery as kernels
from game.ride.contact import Kind
from game.world.edits import EditLog
from game.world.land import LandSource
from game.world.recipe import Recipe
from game.world.scenery import FENCE, FENCE_HEIGHT_M, GATE, LOG, MOST_PARTS, ROCK, solids_of
from game.world.source import HeightSource


def alpine(seed: int = 11) -> LandSource:
    return LandSource(HeightSource(Recipe.load("alpine"), seed), EditLog(), seed, 4)


def around(land: LandSource, pages: int = 3) -> np.ndarray:
    side = 128.0 * pages
    return land.scenery.solids(-side, -side, 2.0 * side)


def test_kinds_are_those_of_the_ride() -> None:
    assert (ROCK, LOG, FENCE, GATE) == (Kind.ROCK, Kind.LOG, Kind.FENCE, Kind.GATE)


def test_the_same_seed_gives_the_same_things_in_any_order_and_another_seed_others() -> None:
    first, second = alpine(), alpine()
    for ix in (2, -3, 0):
        second.scenery.rows(second.ground.page_at(ix, 1))
    assert np.array_equal(around(first), around(second))
    assert len(around(first)) > 20
    assert not np.array_equal(around(first), around(alpine(12)))


def test_jitted_and_plain_python_agree() -> None:
    source = AnalyticSource(0.7)
    page = source.generate(PageKey(0, -2, 3))
    density = np.linspace(0.0, 1.0, 9, dtype=np.float32).reshape(3, 3)
    rows = [np.zeros((kernels.CAPACITY, kernels.COLUMNS), np.float32) for _ in range(2)]
    counts = [
        place(5, -256, 384, page.base, page.edited, density, -4, 6, out)
        for place, out in zip((kernels.place, kernels.place.py_func), rows, strict=True)
    ]
    assert counts[0] == counts[1] > 0
    # Where machine code fuses a product and a sum the last bit of a float32 may differ: never what stands where.
    assert np.array_equal(rows[0][:, 8], rows[1][:, 8])
    np.testing.assert_allclose(rows[0], rows[1], rtol=0.0, atol=2e-5)


@pytest.mark.parametrize("origin", [(0, 0), (-1, -9), (-7_812_000, 7_811_000)])
def test_everything_stands_on_its_own_page_and_on_the_land(origin: tuple[int, int]) -> None:
    land = alpine()
    found = 0
    for ix in range(origin[0], origin[0] + 3):
        for iz in range(origin[1], origin[1] + 3):
            rows = land.scenery.rows(land.ground.page_at(ix, iz)).astype(float)
            found += len(rows)
            assert ((rows[:, [0, 2]] >= 0.0) & (rows[:, [0, 2]] < 128.0)).all()
            assert np.allclose(np.hypot(rows[:, 3], rows[:, 4]), 1.0, atol=1e-5)
            for x, y, z, *_, kind, _ in rows.tolist():
                foot = land.ground.height(ix * 128 + x, iz * 128 + z)
                assert abs(foot - y) < (1e-3 if kind == ROCK else 0.9)
    assert found > 5


@pytest.mark.parametrize("at", [(-1.0, -1.0), (16_777_216.0, -1024.0), (999_990_000.0, -999_990_000.0)])
def test_squares_share_out_what_stands_there_however_far_out(at: tuple[float, float]) -> None:
    land = alpine()
    west, north = 32.0 * (at[0] // 32.0), 32.0 * (at[1] // 32.0)
    whole = land.scenery.solids(west, north, 256.0)
    parts = [land.scenery.solids(west + 32.0 * i, north + 32.0 * k, 32.0) for i in range(8) for k in range(8)]
    assert len(whole) > 3
    together = np.concatenate(parts)
    assert np.array_equal(together[np.lexsort(together.T[::-1])], whole)
    middle = 0.5 * (whole[:, 0:2] + whole[:, 2:4]) - (west, north)
    assert ((middle >= -2.0) & (middle < 258.0)).all()


def test_what_is_sculpted_carries_its_things_along_and_undo_brings_them_back() -> None:
    land = alpine()
    before = around(land, 1)
    rocks = before[before[:, 7] == ROCK]
    x, z = rocks[len(rocks) // 2, :2]
    land.dab("raise", x, z, 20.0, 12.0)
    land.show(land.edits.snapshot())
    raised = around(land, 1)
    raised = raised[raised[:, 7] == ROCK]  # logs and panels that tilt are cut into more parts
    assert np.array_equal(raised[:, :2], rocks[:, :2]), "nothing moves in the plane"
    lifted = raised[:, 6] - rocks[:, 6]
    assert lifted[(rocks[:, 0] == x) & (rocks[:, 1] == z)] == pytest.approx(12.0, abs=0.2)
    assert (lifted >= -1e-3).all()
    land.edits.undo()
    land.show(land.edits.snapshot())
    assert np.array_equal(around(land, 1), before)


def test_a_gate_is_a_way_through_between_two_posts() -> None:
    row = np.zeros((1, kernels.COLUMNS), np.float32)
    row[0, [3, 6, 7, 8]] = (1.0, kernels.GATE_M, 0.09, GATE)
    solids = solids_of(row, 100.0, -50.0)
    assert sorted(solids[:, 7].tolist()) == [FENCE, FENCE, GATE]
    posts = solids[solids[:, 7] == FENCE]
    assert np.ptp(posts[:, 0]) == pytest.approx(kernels.GATE_M, abs=1e-5)
    assert (posts[:, 0:2] == posts[:, 2:4]).all()


@pytest.mark.parametrize(("kind", "height"), [(LOG, 0.3), (FENCE, FENCE_HEIGHT_M)])
@pytest.mark.parametrize("rise", [0.0, 0.5, -1.0, 3.0])
def test_on_a_slope_it_is_solid_as_high_as_what_is_drawn(kind: int, height: float, rise: float) -> None:
    row = np.zeros((1, kernels.COLUMNS), np.float32)
    row[0] = (20.0, 7.0, 30.0, 0.6, 0.8, rise, 4.0, 0.15, kind, 0.5)
    solids = solids_of(row, 128.0, -256.0)
    for along in np.linspace(-1.99, 1.99, 41):
        x, z = 148.0 + 0.6 * along, -226.0 + 0.8 * along
        tops = [s[6] for s in solids if (x - s[0]) * (x - s[2]) + (z - s[1]) * (z - s[3]) <= 1e-9]
        assert tops, "no gap between parts"
        drawn = 7.0 + rise * along + height
        step = max(0.12, abs(rise) * 4.0 / MOST_PARTS)
        assert drawn - step - 1e-5 <= max(tops) <= drawn + step


def test_posts_of_a_gate_on_a_slope_stand_on_their_own_ends() -> None:
    row = np.zeros((1, kernels.COLUMNS), np.float32)
    row[0] = (20.0, 7.0, 30.0, 1.0, 0.0, 0.5, kernels.GATE_M, 0.09, GATE, 0.5)
    solids = solids_of(row, 0.0, 0.0)
    posts = solids[solids[:, 7] == FENCE]
    low, high = posts[np.argsort(posts[:, 0])]
    assert high[6] - low[6] == pytest.approx(0.5 * kernels.GATE_M, abs=1e-5)


def test_every_log_can_be_hopped() -> None:
    land = alpine(1)
    rows = np.concatenate(
        [land.scenery.rows(land.ground.page_at(ix, iz)) for ix in range(-15, -10) for iz in range(1, 6)]
    )
    logs = rows[rows[:, 8] == LOG]
    assert len(logs) > 5
    assert (2.0 * logs[:, 7] < 0.4).all()
    assert (logs[:, 6] < 6.0).all()


def test_kinds_stand_where_they_belong() -> None:
    def count(rise: float, density: float) -> dict[int, int]:
        j, i = np.mgrid[0:136, 0:136]
        samples = np.ascontiguousarray(np.stack([i * rise + 0.0 * j] * 2, axis=-1).astype(np.float32))
        rows = np.zeros((kernels.CAPACITY, kernels.COLUMNS), np.float32)
        nodes = np.full((3, 3), density, np.float32)
        total: dict[int, int] = {ROCK: 0, LOG: 0, FENCE: 0, GATE: 0}
        for page in range(40):
            n = kernels.place(3, page * 128, 0, samples, samples, nodes, page * 2, 0, rows)
            for kind in rows[:n, 8]:
                total[int(kind)] += 1
        return total

    meadow, wood, scree = count(0.05, 0.1), count(0.2, 0.9), count(0.7, 0.0)
    assert scree[ROCK] > 2 * wood[ROCK] > 4 * meadow[ROCK] > 0
    assert wood[LOG] > 10 * max(1, scree[LOG])
    assert meadow[GATE] > 3
    assert meadow[FENCE] > 5 * meadow[GATE]
    assert wood[GATE] == scree[GATE] == 0


def test_the_model_has_the_lengths_the_world_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2] / "tools"))
    import assets_scenery

    assert (assets_scenery.PANEL_M, assets_scenery.GATE_M) == (kernels.PANEL_M, kernels.GATE_M)
