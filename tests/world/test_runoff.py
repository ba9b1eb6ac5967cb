"""Runoff: known accumulation on simple land, water that is never lost, windows that do not swim, lines that connect."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from game.kernels import channels
from game.kernels.runoff import OUTLET
from game.world.recipe import Recipe
from game.world.runoff import (
    CELLS,
    KEEP_M,
    RATE_SCALE_M_S,
    SNAP_CELLS,
    SPACING_M,
    Routing,
    Runoff,
    Window,
    route,
    window_around,
)
from game.world.source import HeightSource

ROOT = Path(__file__).parents[2]
HEAVY = 50.0 / 3.6e6
"""Rain of 50 mm/h, m/s."""


def area(routing: Routing) -> np.ndarray:
    return routing.area.reshape(routing.heights.shape)


def border(shape: tuple[int, int]) -> np.ndarray:
    edge = np.ones(shape, bool)
    edge[1:-1, 1:-1] = False
    return edge


def rough(side: int, seed: int = 3) -> np.ndarray:
    """Noise on a slope: pits of every size."""
    j, i = np.mgrid[0:side, 0:side]
    return (np.random.default_rng(seed).uniform(0, 6, (side, side)) + 0.4 * i + 0.2 * j).astype(np.float32)


def alpine(side: int = 128) -> np.ndarray:
    return HeightSource(Recipe.load("alpine"), 7).block(2, -510, -130, side, side)


def water_of(model: Runoff) -> float:
    return model.left_m3 + model.stored_m3 + model.soaked_m3


# Where water goes.


def test_a_slope_along_an_axis_drains_in_straight_lines() -> None:
    _, i = np.mgrid[0:20, 0:30]
    found = area(route((30.0 - i).astype(np.float32)))
    # Every cell of an inner row drains east, the first being an outlet of its own.
    assert np.allclose(found[5, 1:29], np.arange(1, 29))
    assert np.isclose(found[5, 29], 29.0)


def test_a_diagonal_slope_drains_along_the_diagonal() -> None:
    j, i = np.mgrid[0:20, 0:20]
    found = area(route((40.0 - i - j).astype(np.float32)))
    assert np.allclose([found[k, k] for k in range(1, 19)], np.arange(1, 19), atol=1e-4)


def test_between_axis_and_diagonal_the_shares_follow_the_angle() -> None:
    j, i = np.mgrid[0:9, 0:9]
    slope = route((60.0 - 4.0 * i - math.tan(math.radians(20.0)) * 4.0 * j).astype(np.float32))
    cell = 4 * 9 + 4
    assert slope.to_a[cell] == cell + 1
    assert slope.to_b[cell] == cell + 10
    assert slope.share[cell] == pytest.approx(1.0 - 20.0 / 45.0, abs=1e-4)
    assert slope.downhill[cell, 2] == pytest.approx(1.0 / math.cos(math.radians(20.0)), rel=1e-5)


def test_a_cone_drains_alike_on_all_sides() -> None:
    j, i = np.mgrid[-16:17, -16:17]
    found = area(route((100.0 - np.hypot(i, j)).astype(np.float32)))
    assert np.isclose(found[border(found.shape)].sum(), found.size)
    # The summit itself must choose a side, and so must ties; everything else is symmetric.
    for turned in (np.rot90(found), found[::-1], found.T):
        assert np.abs(turned - found).max() <= 3.0


def test_an_upside_down_cone_gathers_everything_in_its_pit() -> None:
    j, i = np.mgrid[-16:17, -16:17]
    bowl = route((np.hypot(i, j)).astype(np.float32))
    rim = bowl.heights[border(bowl.heights.shape)].min()
    assert rim == 16.0
    assert len(bowl.root) == 1
    held = np.maximum(0.0, rim - bowl.heights).sum() * bowl.cell_m2
    assert bowl.capacity_m3[0] == pytest.approx(held, rel=1e-6)
    assert (bowl.filled >= rim).all()


def test_a_plateau_drains_without_pits() -> None:
    flat = route(np.full((40, 31), 7.0, np.float32))
    assert len(flat.root) == 0
    assert np.isclose(flat.area.reshape(40, 31)[border((40, 31))].sum(), 40 * 31)


def test_every_cell_reaches_an_outlet_once() -> None:
    land = route(rough(60))
    outlets = land.parent == OUTLET
    assert np.isclose(land.area[outlets].sum(), land.area.size, rtol=1e-12)
    assert sorted(land.order.tolist()) == list(range(3600))
    assert (land.filled >= land.heights).all()
    rank = np.empty(3600, np.int64)
    rank[land.order] = np.arange(3600)
    inner = ~outlets
    assert (rank[land.to_a[inner]] < rank[inner]).all()
    assert (rank[land.to_b[inner]] < rank[inner]).all()


def test_the_sea_takes_what_reaches_it() -> None:
    _, i = np.mgrid[0:20, 0:30]
    coast = route((30.0 - i).astype(np.float32), sea_m=10.0)
    found = area(coast)
    assert (coast.parent.reshape(20, 30)[:, 20:] == OUTLET).all()
    assert np.isclose(found[5, 20], 20.0)
    assert np.allclose(found[5, 21:29], 1.0)
    # A pit that reaches below the sea is no pond.
    pit = np.full((9, 9), 5.0, np.float32)
    pit[4, 4] = 1.0
    assert len(route(pit, sea_m=2.0).root) == 0
    assert len(route(pit, sea_m=0.0).root) == 1


def test_unusable_heights_are_refused() -> None:
    with pytest.raises(ValueError, match="float32"):
        route(np.zeros((9, 9)))
    with pytest.raises(ValueError, match="3 × 3"):
        route(np.zeros((2, 9), np.float32))
    with pytest.raises(ValueError, match="finite"):
        route(np.full((9, 9), np.nan, np.float32))


def landlab_python() -> str | None:
    """An interpreter that has landlab: this one, or the one that VELOTERRA_LANDLAB_PYTHON names."""
    for python in (os.environ.get("VELOTERRA_LANDLAB_PYTHON"), sys.executable):
        if python and subprocess.run([python, "-c", "import landlab"], capture_output=True).returncode == 0:
            return python
    return None


def test_accumulation_at_outlets_agrees_with_landlab(tmp_path: Path) -> None:
    python = landlab_python()
    if python is None:
        pytest.skip("landlab is not installed; VELOTERRA_LANDLAB_PYTHON may name an interpreter that has it")
    heights = alpine()
    np.save(tmp_path / "heights.npy", heights)
    script = ROOT / "tools" / "landlab_reference.py"
    subprocess.run([python, script, tmp_path / "heights.npy", "4", tmp_path / "out.npy"], check=True)
    edge = border(heights.shape)
    theirs = np.load(tmp_path / "out.npy")[edge]
    ours = area(route(heights))[edge] - 1.0
    large = theirs > 50.0
    assert large.sum() > 20
    assert np.abs(ours[large] / theirs[large] - 1.0).max() < 0.01
    assert ours.sum() == pytest.approx(theirs.sum(), rel=1e-6)


# How much of it there is.


def test_a_pit_fills_by_what_it_drains_and_then_spills() -> None:
    j, i = np.mgrid[0:21, 0:21]
    bowl = np.maximum(np.abs(i - 10), np.abs(j - 10)).astype(np.float32)
    bowl[0, :] = bowl[-1, :] = bowl[:, 0] = bowl[:, -1] = 12.0
    bowl[10, 19:] = 8.0
    model = Runoff(Window(0, 0, 21), route(bowl))
    inflow = HEAVY * 16.0 * model.routing.area[model.routing.root[0]]
    model.rain(600.0, HEAVY, steps=60)
    level = model.levels_m()[0]
    held = np.maximum(0.0, level - bowl[1:-1, 1:-1]).sum() * 16.0
    assert held == pytest.approx(model.volume_m3[0], rel=1e-6)
    assert 0.0 < model.volume_m3[0] < inflow * 600.0
    # Seepage takes its share of the bed; what is over the brim leaves.
    model.rain(40_000_000.0, HEAVY, steps=4)
    assert model.volume_m3[0] == pytest.approx(model.routing.capacity_m3[0], rel=0.2)
    assert model.levels_m()[0] <= 8.0 + 1e-6


def test_a_film_of_water_stands_at_the_bottom() -> None:
    bowl = np.full((7, 7), 9.0, np.float32)
    bowl[2:5, 2:5] = 4.0
    bowl[3, 3] = 1.0
    model = Runoff(Window(0, 0, 7), route(bowl))
    model.volume_m3[:] = 16.0
    assert model.levels_m()[0] == pytest.approx(2.0)
    model.volume_m3[:] = 16.0 * 3.0 + 16.0 * 9.0 * 1.0
    assert model.levels_m()[0] == pytest.approx(5.0)


@pytest.mark.parametrize("sea_m", [-math.inf, 8.0])
def test_water_is_conserved_through_rain_sculpting_and_tides(sea_m: float) -> None:
    heights = rough(64)
    model = Runoff(Window(0, 0, 64), route(heights, sea_m))
    assert len(model.routing.root) > 20
    changed = np.random.default_rng(5)
    for n in range(12):
        model.rain(20.0 + n, HEAVY * (n % 3), 0.3 * HEAVY * (n % 2), steps=1 + n % 4)
        if n % 3 == 1:
            heights = heights.copy()
            j, i = changed.integers(4, 50, 2)
            heights[j : j + 9, i : i + 9] += np.float32((-4.0, 5.0)[n % 2])
            before = model.stored_m3
            model.reroute(route(heights, sea_m))
            assert model.stored_m3 == pytest.approx(before, rel=1e-12)
        if n == 7 and math.isfinite(sea_m):
            sea_m += 6.0
            model.reroute(route(heights, sea_m))
        assert model.rained_m3 == pytest.approx(water_of(model), rel=1e-9)
    assert model.left_m3 > 0.0
    assert model.soaked_m3 > 0.0
    assert model.volume_m3.sum() > 0.0


def test_steady_rain_gives_rain_times_area_whatever_the_step() -> None:
    _, i = np.mgrid[0:20, 0:40]
    land = route((40.0 - i).astype(np.float32))
    for steps in (3, 300):
        model = Runoff(Window(0, 0, 40), land)
        model.rain(1e6, HEAVY, steps=steps)
        assert np.allclose(model.flow_m3_s, HEAVY * 16.0 * land.area, rtol=1e-3)


def test_streams_grow_with_the_rain_and_recede_after_it() -> None:
    model = Runoff(Window(0, 0, 128), route(alpine()))
    main = np.argmax(model.routing.area)
    flows = []
    for _ in range(10):
        model.rain(30.0, HEAVY, steps=10)
        flows.append(model.flow_m3_s[main])
    assert (np.diff(flows) >= 0.0).all()
    assert flows[-1] > 5.0 * flows[0]
    for _ in range(60):
        model.rain(30.0, 0.0, steps=10)
    assert model.flow_m3_s[main] < 0.1 * flows[-1]


def test_rain_of_unusable_amount_is_refused() -> None:
    model = Runoff(Window(0, 0, 9), route(np.zeros((9, 9), np.float32)))
    for values in ((-1.0, HEAVY), (1.0, -HEAVY), (math.nan, HEAVY)):
        with pytest.raises(ValueError, match="0 or more"):
            model.rain(*values)
    with pytest.raises(ValueError, match="does not go with"):
        model.reroute(route(np.zeros((8, 8), np.float32)))


# Windows.


def test_windows_are_snapped_and_kept_until_left() -> None:
    window = window_around(-1524.3, -14.9)
    assert window.i0 % SNAP_CELLS == 0
    assert window.j0 % SNAP_CELLS == 0
    west, north = window.corner_m
    middle_x, middle_z = west + 0.5 * CELLS * SPACING_M, north + 0.5 * CELLS * SPACING_M
    assert abs(middle_x + 1524.3) <= 64.0
    assert abs(middle_z + 14.9) <= 64.0
    assert window_around(middle_x + KEEP_M, middle_z - KEEP_M, window) == window
    moved = window_around(middle_x + KEEP_M + 1.0, middle_z, window)
    assert moved != window
    assert (moved.i0 - window.i0) % SNAP_CELLS == 0
    assert CELLS * SPACING_M >= 1000


@pytest.mark.parametrize("x", [-1e9, -0.5, 0.0, 1e6, 1e9])
def test_windows_hold_their_rider_anywhere(x: float) -> None:
    west, north = window_around(x, -x).corner_m
    assert abs(west + 0.5 * CELLS * SPACING_M - x) < 112.0
    assert abs(north + 0.5 * CELLS * SPACING_M + x) < 112.0


def test_shared_land_of_two_windows_is_routed_alike_away_from_their_borders() -> None:
    source = HeightSource(Recipe.load("alpine"), 7)
    first, second = Window(-512, -128, 128), Window(-512 + SNAP_CELLS, -128, 128)
    a, b = (route(source.block(2, w.i0, w.j0, 128, 128)) for w in (first, second))
    left = a.downhill.reshape(128, 128, 3)[8:-8, SNAP_CELLS + 8 : -8]
    right = b.downhill.reshape(128, 128, 3)[8:-8, 8 : -SNAP_CELLS - 8]
    # Only pits near a border can drain another way.
    assert (left == right).all(axis=-1).mean() > 0.99


# What is drawn and felt.


def test_lines_lead_along_the_water_and_tell_their_distance() -> None:
    j, _ = np.mgrid[0:64, 0:64]
    valley = (np.abs(j - 32) * 1.0 + 20.0 - np.arange(64) * 0.2).astype(np.float32)
    model = Runoff(Window(0, 0, 64), route(valley))
    model.rain(5000.0, HEAVY, steps=20)
    view = model.view()
    assert view.lines.shape == (256, 256, 4)
    # The brook lies within the wander of row 32, 128 m south of the corner.
    for x in range(60, 240, 7):
        depths = {z: view.stream_at(float(x), z)[0] for z in np.arange(124.0, 132.0, 0.25)}
        deepest = max(depths, key=lambda z: depths[z])
        assert depths[deepest] > 0.0
        assert abs(deepest - 128.0) <= channels.WANDER_M + 1.0
    assert view.stream_at(120.0, 100.0)[0] == 0.0
    # It is deeper where more has come together.
    assert max(view.stream_at(230.0, z)[0] for z in np.arange(124.0, 132.0, 0.25)) > max(
        view.stream_at(70.0, z)[0] for z in np.arange(124.0, 132.0, 0.25)
    )
    assert view.stream_at(-5.0, 3.0) == (0.0, math.inf)
    assert view.outflow_m3_s == pytest.approx(HEAVY * 16.0 * 64 * 64, rel=1e-6)


def test_stored_offsets_point_at_the_line() -> None:
    model = Runoff(Window(-512, -128, 128), route(alpine()))
    lines = model.view().lines.astype(float)
    near = lines[..., 2] < 250
    assert 0.02 < near.mean() < 0.6
    offset = (lines[..., :2] - 127.5) * channels.REACH_M / 127.5
    away = lines[..., 2] * channels.REACH_M / 254.0
    assert np.abs(np.hypot(offset[..., 0], offset[..., 1]) - away)[near].max() < 0.1


def test_more_water_runs_on_larger_lines() -> None:
    model = Runoff(Window(-512, -128, 128), route(alpine()))
    model.rain(1e5, HEAVY, steps=50)
    state = model.view().state
    rate = (state[..., 0] / 255.0) ** 2 * RATE_SCALE_M_S
    dry = model.routing.pond.reshape(128, 128) >= 0
    # In steady rain the rate is the rain everywhere, so that width follows the drained area.
    assert np.median(np.abs(rate[~dry] / HEAVY - 1.0)) < 0.02


def test_ponds_are_level_and_their_rim_is_land() -> None:
    bowl = np.full((33, 33), 9.0, np.float32)
    bowl[10:20, 10:20] = 7.0
    model = Runoff(Window(0, 0, 33), route(bowl))
    model.volume_m3[:] = 100 * 16.0 * 1.5
    view = model.view()
    wet = view.pools[view.pools[:, 3] == 1.0]
    assert len(wet) == 100
    assert np.allclose(wet[:, 2], 8.5)
    rim = view.pools[view.pools[:, 3] == 0.0]
    assert len(rim) == 12 * 12 - 100
    assert view.pond_level(15 * 4.0, 15 * 4.0) == pytest.approx(8.5)
    assert view.pond_level(3 * 4.0, 15 * 4.0) == -math.inf
    assert view.pond_m3 == pytest.approx(2400.0)


def test_sculpting_turns_water_elsewhere_and_renews_the_lines() -> None:
    _, i = np.mgrid[0:64, 0:64]
    land = (64.0 - i).astype(np.float32)
    model = Runoff(Window(0, 0, 64), route(land))
    model.rain(600.0, HEAVY, steps=20)
    before = model.view()
    dammed = land.copy()
    dammed[20:40, 40] += 6.0
    dammed[20, 34:40] += 12.0
    dammed[39, 34:40] += 12.0
    model.reroute(route(dammed))
    model.rain(600.0, HEAVY, steps=20)
    after = model.view()
    assert after.routed != before.routed
    assert not np.array_equal(after.lines, before.lines)
    assert len(after.pools) > 20
    assert len(before.pools) == 0
    assert model.view().lines is after.lines


def fingerprint() -> str:
    """Everything that is made of a small piece of land, as hexadecimal digits."""
    model = Runoff(Window(4, -8, 14), route(rough(14), 3.0), seed=9)
    model.rain(300.0, HEAVY, HEAVY / 4.0, steps=3)
    view = model.view()
    parts = (view.lines, view.state, view.pools, model.flow_m3_s, model.routing.area)
    return b"".join(part.tobytes() for part in parts).hex()


def test_jitted_equals_plain_python() -> None:
    code = "from tests.world.test_runoff import fingerprint\nprint(fingerprint())\n"
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    plain = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout.strip()
    assert plain == fingerprint()
