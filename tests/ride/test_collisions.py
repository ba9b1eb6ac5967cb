"""Trunks: no tunnelling, graded knocks, height spans, the same order however the trunks arrive."""

from __future__ import annotations

import math
from dataclasses import astuple

import numpy as np
import pytest

from game.core.units import STEP_S
from game.ecs.components import Bicycle, Intent
from game.ride import bicycle as riding
from game.ride.collisions import CELL_M, NEAR_M, RIDER_RADIUS_M, SPREAD, Collisions, grade
from game.ride.contact import Grade, Kind, LandPatch, Solid
from game.ride.nearby import Cluttered, solids_of
from game.world import scenery
from tests.ride.land import FormulaLand, flat, forest, slope

TRUNK_M = 0.2
REACH = TRUNK_M + RIDER_RADIUS_M


def meet(
    speed: float, aside: float, seconds: float = 1.5, top_y: float = 9.0, hop_at: float | None = None
) -> tuple[Bicycle, list[int]]:
    """Ride east at a trunk 10 m ahead whose axis stands `aside` metres to the right."""
    land = LandPatch(flat([(10.0, aside, TRUNK_M, -1.0, top_y)]))
    obstacles = Collisions(land)
    b = Bicycle()
    riding.place(b, land, 0.0, 0.0, math.pi / 2)
    b.speed_m_s = speed
    knocks = []
    for _ in range(round(seconds / STEP_S)):
        intent = Intent(pedal=0.5, hop=hop_at is not None and b.x > hop_at)
        riding.step(b, intent, land, STEP_S, obstacles)
        if b.knock:
            knocks.append(b.knock)
    return b, knocks


def test_head_on_at_speed_falls_and_stops() -> None:
    b, knocks = meet(30 / 3.6, 0.0)
    assert knocks[0] == Grade.FALL
    assert b.falls == 1
    assert b.x < 10.0 - REACH


def test_a_fallen_rider_recovers_upright_before_the_trunk() -> None:
    b, _ = meet(30 / 3.6, 0.0, seconds=3.6)
    assert b.falls == 1
    assert b.fallen_s == 0.0
    assert abs(b.lean_rad) < 0.1


@pytest.mark.parametrize("aside", [0.0, 0.3, -0.45, 0.49])
def test_a_trunk_in_a_wood_is_met_where_its_bark_is(aside: float) -> None:
    others = [(20.0 + k, 8.0 + k % 5, TRUNK_M, -1.0, 9.0) for k in range(40)]
    obstacles = Collisions(LandPatch(flat([(10.0, aside, TRUNK_M, -1.0, 9.0), *others])))
    knock = obstacles.sweep((8.0, 0.0), (12.0, 0.0), (0.0, 1.7), (40.0, 0.0), 0.1)
    assert knock is not None
    assert 8.0 + 4.0 * knock.fraction == pytest.approx(10.0 - math.sqrt(REACH**2 - aside**2), abs=1e-6)


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_graze_of_ten_degrees_deflects(side: float) -> None:
    b, knocks = meet(30 / 3.6, side * REACH * math.cos(math.radians(10.0)))
    assert b.falls == 0
    assert max(knocks) <= Grade.DEFLECT
    assert b.x > 11.0
    assert b.speed_m_s > 6.0
    turned = math.degrees(math.remainder(b.yaw_rad - math.pi / 2, 2 * math.pi))
    assert 8.0 < -side * turned < 20.0


def test_walking_pace_never_falls() -> None:
    b, knocks = meet(2.0, 0.0, seconds=8.0)
    assert b.falls == 0
    assert knocks
    assert b.x < 10.0 - REACH


@pytest.mark.parametrize("aside", [0.0, 0.1, -0.25, 0.4, -0.49])
@pytest.mark.parametrize("start", [0.0, 0.13, 0.37, 0.55])
def test_nothing_tunnels_at_300_kmh(aside: float, start: float) -> None:
    land = LandPatch(flat([(10.0, aside, TRUNK_M, -1.0, 9.0)]))
    obstacles = Collisions(land)
    b = Bicycle()
    riding.place(b, land, start, 0.0, math.pi / 2)
    b.speed_m_s = 300 / 3.6
    knocked = False
    for _ in range(60):
        riding.step(b, Intent(), land, STEP_S, obstacles)
        knocked |= b.knock > 0
        nose_x = b.x + riding.NOSE_M * math.sin(b.yaw_rad)
        nose_z = b.z - riding.NOSE_M * math.cos(b.yaw_rad)
        if b.fallen_s == 0.0:
            assert math.hypot(nose_x - 10.0, nose_z - aside) > REACH - 0.02
    assert knocked


def test_a_hop_clears_a_log() -> None:
    assert meet(10.0, 0.0, top_y=0.35, hop_at=6.0)[0].falls == 0
    assert meet(10.0, 0.0, top_y=0.35, hop_at=6.0)[0].x > 12.0
    assert meet(10.0, 0.0, top_y=0.35)[0].falls == 1


def test_a_branch_overhead_is_passed_under() -> None:
    land = LandPatch(flat([(10.0, 0.0, TRUNK_M, 2.5, 9.0)]))
    obstacles = Collisions(land)
    assert obstacles.sweep((0.0, 0.0), (20.0, 0.0), (0.0, 1.75), (10.0, 0.0), STEP_S) is None


def test_grades_rise_with_speed_into_the_trunk() -> None:
    for angle in (0.2, 1.5):
        grades = [grade(v / 10.0, angle) for v in range(120)]
        assert grades == sorted(grades)
        assert set(grades) == {Grade.BRUSH, Grade.DEFLECT, Grade.STUMBLE, Grade.FALL}


def test_a_knock_never_adds_speed() -> None:
    for aside in (0.0, 0.2, 0.45):
        for speed in (1.0, 5.0, 20.0):
            land = LandPatch(flat([(10.0, aside, TRUNK_M, -1.0, 9.0)]))
            knock = Collisions(land).sweep((9.0, 0.0), (11.0, 0.0), (0.0, 1.7), (speed, 0.0), STEP_S)
            assert knock is not None
            assert math.hypot(knock.vx_m_s, knock.vz_m_s) <= speed
            assert 0.0 <= knock.fraction <= 1.0


def test_turning_on_the_spot_beside_a_trunk_pushes_out() -> None:
    land = LandPatch(flat([(0.6, 0.55, TRUNK_M, -1.0, 9.0)]))
    obstacles = Collisions(land)
    b = Bicycle()
    riding.place(b, land, 0.0, 0.0, math.pi / 2)
    for _ in range(400):
        riding.step(b, Intent(steer=1.0), land, STEP_S, obstacles)
    nose = (b.x + riding.NOSE_M * math.sin(b.yaw_rad), b.z - riding.NOSE_M * math.cos(b.yaw_rad))
    assert math.hypot(nose[0] - 0.6, nose[1] - 0.55) > REACH - 0.05


def test_far_from_the_origin_it_is_the_same() -> None:
    ends = []
    for x0 in (0.0, 9.0e8):
        land = LandPatch(flat([(x0 + 10.0, 0.4, TRUNK_M, -1.0, 9.0)]))
        obstacles = Collisions(land)
        b = Bicycle()
        riding.place(b, land, x0, 0.0, math.pi / 2)
        b.speed_m_s = 8.0
        for _ in range(240):
            riding.step(b, Intent(), land, STEP_S, obstacles)
        ends.append((b.x - x0, b.z, b.falls))
    assert ends[0] == pytest.approx(ends[1], abs=1e-4)


def test_the_space_follows_the_rider_and_the_edits() -> None:
    trunks = forest(6.0, 400)
    land = FormulaLand(flat().field, trunks)
    obstacles = Collisions(land)
    for x in range(-200, 200, 5):
        obstacles.refill(float(x), 0.0)
        obstacles.fill()
        assert len(obstacles) >= len(land.trunks(x, 0.0, 47.0))
    assert not obstacles.is_free(trunks[0][0], trunks[0][1], 0.1)
    land._trunks = land._trunks[:0]
    land.epoch = 1
    obstacles.refill(200.0, 0.0)
    obstacles.fill()
    assert len(obstacles) == 0


def test_the_way_the_space_was_filled_does_not_matter() -> None:
    def ride(detour: bool) -> tuple[object, ...]:
        land = LandPatch(FormulaLand(flat().field, forest(2.2, 150)))
        obstacles = Collisions(land)
        if detour:
            for x in (-90.0, 50.0, 110.0):
                obstacles.refill(x, 20.0)
            obstacles._nearby._centre = None
        b = Bicycle()
        riding.place(b, land, 0.0, 0.0, math.pi / 2)
        for n in range(1200):
            riding.step(b, Intent(pedal=1.0, steer=math.sin(n / 80.0)), land, STEP_S, obstacles)
        return astuple(b)

    assert ride(detour=False) == ride(detour=True)


def ride_at(
    solid: Solid, speed: float, seconds: float = 1.5, hop_at: float | None = None
) -> tuple[Bicycle, Collisions]:
    land = LandPatch(flat())
    obstacles = Collisions(land)
    obstacles.add([solid])
    b = Bicycle()
    riding.place(b, land, 0.0, 0.0, math.pi / 2)
    b.speed_m_s = speed
    for _ in range(round(seconds / STEP_S)):
        riding.step(b, Intent(pedal=0.5, hop=hop_at is not None and b.x > hop_at), land, STEP_S, obstacles)
    return b, obstacles


def test_a_log_across_the_way_is_hopped_or_fallen_over() -> None:
    log = Solid(10.0, -3.0, 10.0, 3.0, 0.15, -0.2, 0.3, Kind.LOG)
    assert ride_at(log, 9.0)[0].falls == 1
    over, _ = ride_at(log, 9.0, hop_at=6.5)
    assert over.falls == 0
    assert over.x > 11.0


def test_a_fence_met_flat_turns_the_rider_along_it() -> None:
    angle = math.radians(12.0)
    fence = Solid(2.0, 1.0, 40.0, 1.0 - 38.0 * math.tan(angle), 0.08, -1.0, 1.1, Kind.FENCE)
    b, _ = ride_at(fence, 8.0, 3.0)
    assert b.falls == 0
    assert b.x > 12.0
    assert math.remainder(b.yaw_rad - math.pi / 2, math.tau) < -0.1


def test_a_rock_throws_head_on() -> None:
    assert ride_at(Solid(9.0, 0.0, 9.0, 0.0, 0.8, -1.0, 0.9, Kind.ROCK), 9.0)[0].falls == 1


def test_a_gate_is_ridden_through_and_noted_once() -> None:
    gate = Solid(9.0, -2.0, 9.0, 2.0, 0.05, -1.0, 4.0, Kind.GATE)
    b, obstacles = ride_at(gate, 9.0)
    assert b.falls == 0
    assert b.x > 11.0
    assert obstacles.passed == [gate]
    assert ride_at(gate._replace(z=3.0, end_z=6.0), 9.0)[1].passed == []


@pytest.mark.parametrize("kind", [Kind.FENCE, Kind.LOG, Kind.ROCK])
def test_thin_things_do_not_let_anyone_through_at_300_kmh(kind: Kind) -> None:
    b, _ = ride_at(Solid(10.0, -4.0, 10.0, 4.0, 0.04, -1.0, 2.0, kind), 300 / 3.6, 0.5)
    assert b.falls == 1
    assert b.x < 10.0


def test_added_things_survive_a_move_of_the_origin_and_can_be_removed() -> None:
    land = LandPatch(flat())
    obstacles = Collisions(land)
    rock = Solid(50_010.0, 0.0, 50_010.0, 0.0, 0.5, -1.0, 2.0, Kind.ROCK)
    obstacles.add([rock, rock])
    assert len(obstacles) == 1
    knock = obstacles.sweep((50_005.0, 0.0), (50_015.0, 0.0), (0.0, 1.7), (10.0, 0.0), 1.0)
    assert knock is not None
    assert not obstacles.is_free(50_010.0, 0.0, 0.1)
    obstacles.remove([rock])
    assert obstacles.sweep((50_005.0, 0.0), (50_015.0, 0.0), (0.0, 1.7), (10.0, 0.0), 1.0) is None
    with pytest.raises(KeyError):
        obstacles.remove([rock])


def test_moving_spreads_the_filling_over_steps() -> None:
    land = FormulaLand(flat().field, forest(1.7, 300, clear_m=0.0))
    obstacles = Collisions(land)
    obstacles.refill(0.0, 0.0)
    obstacles.fill()
    before, most = len(obstacles), 0
    for n in range(1, 600):
        obstacles.refill(12.0 * STEP_S * n, 0.0)
        most = max(most, len(obstacles) - before)
        before = len(obstacles)
        near = land.trunks(12.0 * STEP_S * n, 0.0, NEAR_M - CELL_M)
        held = {(s.x, s.z) for s in obstacles._solids.values()}
        if n % 60 == 0:
            assert all((row[0], row[1]) in held for row in near.tolist())
    assert most <= SPREAD


def one_log(west: float, north: float, side: float) -> np.ndarray:
    """Scenery of one log across the way, and a gate behind it."""
    rows = np.array(
        [
            (10.0, -3.0, 10.0, 3.0, 0.15, -0.5, 0.3, Kind.LOG),
            (20.0, -2.0, 20.0, 2.0, 0.05, -0.5, 2.6, Kind.GATE),
        ]
    )
    middle = 0.5 * (rows[:, 0:2] + rows[:, 2:4])
    inside = ((middle >= (west, north)) & (middle < (west + side, north + side))).all(axis=1)
    return rows[inside]


def ride_scenery(hop: bool, sea_level_m: float = -math.inf) -> tuple[Bicycle, Collisions]:
    land = LandPatch(flat())
    obstacles = Collisions(land, one_log)
    obstacles.sea_level_m = sea_level_m
    b = Bicycle()
    riding.place(b, land, 0.0, 0.0, math.pi / 2)
    b.speed_m_s = 9.0
    for _ in range(round(2.6 / STEP_S)):
        riding.step(b, Intent(pedal=0.5, hop=hop and b.x > 6.5), land, STEP_S, obstacles)
    return b, obstacles


def test_scenery_comes_by_itself_and_a_hop_clears_its_log() -> None:
    assert ride_scenery(hop=False)[0].falls == 1
    over, obstacles = ride_scenery(hop=True)
    assert over.falls == 0
    assert over.x > 20.0
    assert [gate.kind for gate in obstacles.passed] == [Kind.GATE]


@pytest.mark.parametrize("rise", [0.1, 0.2, 0.3])
@pytest.mark.parametrize("off", [-1.5, 0.0, 1.5])
def test_a_hop_clears_a_log_that_sculpting_tilted(rise: float, off: float) -> None:
    row = np.array([[10.0, 0.0, 0.0, 0.0, 1.0, rise, 5.0, 0.15, Kind.LOG, 0.5]], np.float32)
    land = LandPatch(FormulaLand(lambda x, z: rise * z))
    for hops in (False, True):
        obstacles = Collisions(land)
        obstacles.add(solids_of(scenery.solids_of(row, 0.0, 0.0)))
        b = Bicycle()
        riding.place(b, land, 4.0, off, math.pi / 2)
        b.speed_m_s = 9.0
        for _ in range(round(1.2 / STEP_S)):
            riding.step(b, Intent(pedal=0.5, hop=hops and b.x > 6.5), land, STEP_S, obstacles)
        assert b.falls == (0 if hops else 1)
        assert not hops or b.x > 11.0


def test_what_the_sea_covers_is_in_nobodys_way() -> None:
    assert ride_scenery(hop=False, sea_level_m=-0.4)[0].falls == 1
    assert ride_scenery(hop=False, sea_level_m=0.0)[0].falls == 0


def test_nobody_is_put_down_on_scenery() -> None:
    obstacles = Collisions(LandPatch(flat()), one_log)
    assert not obstacles.is_free(10.2, 1.0, 0.5)
    assert not obstacles.is_free(10.0, 4.0, 1.5)
    assert obstacles.is_free(20.0, 0.0, 1.5), "a gate is open"
    assert obstacles.is_free(5.0, 0.0, 1.5)


def test_the_autopilot_sees_scenery_as_posts() -> None:
    trunks = [(12.0, 1.0, 0.2, -1.0, 9.0)]
    ground = Cluttered(flat(trunks), one_log)
    rows = ground.trunks(10.0, 0.0, 30.0)
    assert len(rows) > 12
    assert np.array_equal(rows, rows[np.lexsort((rows[:, 1], rows[:, 0]))])
    logs = rows[rows[:, 0] == 10.0]
    assert np.diff(np.sort(logs[:, 1])).max() <= 0.41
    assert logs[:, 1].min() == -3.0
    assert logs[:, 1].max() == 3.0
    assert not (rows[:, 0] == 20.0).any()
    assert len(ground.trunks(10.0, 40.0, 5.0)) == 0


def test_a_stone_the_slope_buries_is_ridden_over_from_above() -> None:
    """Uphill its top is under the wheels; coming down over it nobody is thrown, and nobody stays inside."""
    land = LandPatch(slope(-0.7))
    obstacles = Collisions(land)
    stone = Solid(6.0, 0.1, 6.0, 0.1, 0.8, -5.0, -0.7 * 6.0 + 0.35, Kind.ROCK)
    obstacles.add([stone])
    b = Bicycle()
    riding.place(b, land, 0.0, 0.0, math.pi / 2)
    b.speed_m_s = 4.0
    moved = []
    for _ in range(240):
        x, z = b.x, b.z
        riding.step(b, Intent(brake_rear=0.3), land, STEP_S, obstacles)
        moved.append(math.hypot(b.x - x, b.z - z) - b.speed_m_s * STEP_S)
    assert b.falls == 0
    assert b.x > 9.0
    assert max(moved) < 0.04
