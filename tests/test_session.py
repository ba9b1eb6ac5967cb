"""A whole session without window or GL: the parts agree with each other about one land."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from game import actions
from game.core.commands import parse_command
from game.core.coords import page_at
from game.core.errors import UsageError
from game.core.options import RideOptions
from game.core.settings import quality
from game.core.units import STEP_S
from game.ecs.components import Intent
from game.opening import open_session
from game.ride.course import clock_text
from game.session import Session
from game.streaming.wanted import Focus
from game.ui import sculpt_tool
from game.world import World
from game.world.edits import EditLog
from game.world.land import LandSource
from game.world.save import Pose, SavedWorld, load_world, lock_world, save_world, trash_dir
from game.world.stamps import Stamp


@dataclass
class Eye:
    x: float
    y: float
    z: float
    yaw_rad: float = 0.5
    pitch_rad: float = -0.1
    fov_y_rad: float = 1.1
    aspect: float = 1.6


@pytest.fixture
def session(tmp_path, monkeypatch) -> Iterator[Session]:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("VELOTERRA_DATA_DIR", str(tmp_path))
    opened = open_session(RideOptions(seed=7, pages="wait"), quality("low"))
    yield opened
    opened.close()


def bring_in(session: Session) -> None:
    rider = session.bicycle
    session.stream.want(Focus(rider.x, rider.z, 2.0), 0.0)
    assert session.stream.wait(60.0)
    session.stream.collect()
    session.stream.select(Eye(rider.x, rider.y + 2.0, rider.z), 1.0)


def do(session: Session, text: str) -> None:
    assert actions.obey(session, parse_command(text))


def largest_gap(session: Session, reach_m: float) -> float:
    """Largest difference between the drawn surface and the ground that wheels touch, around the rider."""
    rider, gap = session.bicycle, 0.0
    for radius in np.linspace(0.3, reach_m, 12):
        for angle in np.linspace(0.0, math.tau, 24, endpoint=False):
            x, z = rider.x + radius * math.sin(angle), rider.z + radius * math.cos(angle)
            drawn = session.stream.surface_height(x, z)
            assert drawn is not None
            gap = max(gap, abs(drawn - session.land.ground.height(x, z)))
    return gap


def test_wheels_touch_the_land_that_is_drawn(session: Session) -> None:
    bring_in(session)
    # Level 0 morphs into level 1 in the outer quarter of its range; inside, the two are the same triangles.
    reach_m = 0.7 * session.stream.lod.r0_m
    assert largest_gap(session, reach_m) < 1e-3
    rider = session.bicycle
    do(session, f"dab raise {rider.x + 8},{rider.z - 5} 20 6")
    do(session, f"dab lower {rider.x - 12},{rider.z} 9 3")
    assert session.settle_edits()
    assert largest_gap(session, reach_m) < 1e-3


def test_an_edit_switches_every_level_in_one_frame(session: Session) -> None:
    bring_in(session)
    rider = session.bicycle
    do(session, f"dab raise {rider.x},{rider.z} 300 40")
    changed = session.settle_edits(block=True)
    levels = {page.key.level for _, page, _ in changed}
    assert {0, 1, 2, 3, 4, 5} <= levels
    epoch = session.land.edits.epoch
    assert {page.epoch for _, page in session.stream.store.residents()} == {epoch}
    assert session.land.ground.epoch == epoch
    assert session.settle_edits() == []


def test_a_large_dab_is_worked_out_aside_and_shown_in_one_frame(session: Session) -> None:
    bring_in(session)
    rider, stream = session.bicycle, session.stream
    land, x, z = session.land, session.bicycle.x, session.bicycle.z
    before = land.ground.height(x, z)
    do(session, f"dab raise {x},{z} 400 40")
    uploaded: dict[int, object] = {}
    frames = 0
    while True:
        for layer, page, _ in session.settle_edits():
            uploaded[layer] = page
        frames += 1
        epochs = {page.epoch for _, page in stream.store.residents()} | {land.ground.epoch, land.epoch}
        assert len(epochs) == 1, "picture, wheels and arriving pages never stand at two epochs"
        stream.select(Eye(x, rider.y + 2.0, z), 1.0 / 60.0)
        shown = epochs == {land.edits.epoch}
        for height in (land.ground.height(x, z), stream.surface_height(x, z)):
            # The dab that waited, 5 m beside, comes in the same frame.
            assert height == pytest.approx(before + (40.0 - 2.47 if shown else 0.0), abs=0.05)
        if shown:
            break
        if frames == 2:
            # Meanwhile: a dab that has to wait, a page that arrives and one that goes.
            do(session, f"dab lower {x + 5},{z} 20 3")
            gone = next(page.key for _, page in stream.store.residents() if page.key.level == 1)
            stream.store.evict(gone)
            bring_in(session)
            assert gone in stream.store
            layer = stream.store.layer(gone)
            assert layer is not None
            uploaded[layer] = stream.store.page(gone)
        session.switch.wait(0.01)
        assert frames < 2000
    assert frames > 2
    # The waiting dab is the next change.
    while session.touched is not None or session.switch.pending:
        for layer, page, _ in session.settle_edits():
            uploaded[layer] = page
    for layer, page in stream.store.residents():
        fresh = land.source.generate(page.key)
        land.edits.evaluate(fresh)
        assert np.array_equal(page.heights, fresh.heights)
        assert np.array_equal(stream.store.heights[layer], fresh.heights)
        assert np.array_equal(page.normals, fresh.normals)
        if not np.array_equal(fresh.edited, fresh.base):
            assert uploaded[layer] is page, "what is shown was sent"


def test_every_brush_has_a_command_and_undo(session: Session) -> None:
    bring_in(session)
    x, z = session.bicycle.x, session.bicycle.z
    before = {page.key: page.edited.copy() for _, page in session.stream.store.residents()}
    for text in (
        f"dab smooth {x + 20},{z} 30 5",
        f"dab flatten {x + 30},{z} 30 20 linear",
        f"dab ramp {x + 40},{z + 25} 5 50",
        f"ramp {x + 10},{z} {x + 60},{z + 10} 6",
        f"dab peak {x + 50},{z} 40 12 cone",
        f"dab canyon {x},{z + 50} 40 12 cone",
        f"dab kicker {x},{z + 12} 4 2",
        f"kicker {x},{z - 12} 8 30",
        f"kicker {x - 20},{z - 12} 6 20 90",
        f"dab restore {x + 30},{z} 25 500 smoothstep",
    ):
        epoch = session.land.edits.epoch
        do(session, text)
        assert session.land.edits.epoch == epoch + 1, text
        assert session.settle_edits(block=True), text
        assert largest_gap(session, 60.0) < 1e-3, text
    for text in ("tool kicker", "falloff cone"):
        do(session, text)
    assert (session.tool.chosen, session.tool.falloff) == ("kicker", "cone")
    for _ in range(10):
        do(session, "undo")
    session.settle_edits(block=True)
    for _, page in session.stream.store.residents():
        assert np.array_equal(page.edited, before[page.key])


def test_the_rider_is_lifted_by_land_that_rises_and_stands_on_it(session: Session) -> None:
    rider = session.bicycle
    before = rider.y
    do(session, f"dab raise {rider.x},{rider.z} 30 10")
    session.settle_edits()
    for _ in range(120):
        session.schedule.step(session.entities, STEP_S)
    assert rider.y - before > 5.0
    assert rider.y >= session.land.ground.height(rider.x, rider.z) - 0.02


def test_undo_gives_back_every_bit(session: Session) -> None:
    bring_in(session)
    rider = session.bicycle
    before = {page.key: page.edited.copy() for _, page in session.stream.store.residents()}
    do(session, f"dab raise {rider.x},{rider.z} 60 12")
    do(session, f"dab lower {rider.x + 30},{rider.z} 25 5")
    session.settle_edits()
    do(session, "undo")
    do(session, "undo")
    session.settle_edits()
    for _, page in session.stream.store.residents():
        assert np.array_equal(page.edited, before[page.key], equal_nan=True)


def test_a_saved_world_comes_back(session: Session) -> None:
    rider = session.bicycle
    do(session, f"dab raise {rider.x + 40},{rider.z} 25 9")
    session.settle_edits()
    do(session, "sea 12.5")
    do(session, "time 7.25")
    do(session, "save my hill")
    place = (rider.x + 40, rider.z)
    raised = session.land.ground.height(*place)
    with pytest.raises(UsageError, match="open in another instance"):
        open_session(RideOptions(save="my hill", pages="wait"), quality("low"))
    session.close()

    again = open_session(RideOptions(save="my hill", pages="wait"), quality("low"))
    assert (again.seed, again.weather.sea_level_m, again.weather.hour) == (7, 12.5, 7.25)
    assert (again.bicycle.x, again.bicycle.z) == (rider.x, rider.z)
    assert again.land.ground.height(*place) == raised
    again.close()
    with pytest.raises(UsageError, match="seed is 7"):
        open_session(RideOptions(save="my hill", seed=8), quality("low"))


def test_sea_and_season_obey_and_come_back(session: Session) -> None:
    for text in ("sea 12", "tide 2 60", "waves 3", "season 291", "year 900 15", "climate -3 0.2"):
        do(session, text)
    sea, season = session.sea, session.season
    assert (sea.tide_m, sea.tide_s, sea.waves_m) == (2.0, 60.0, 3.0)
    assert (season.day, season.year_s, season.flood_m) == (291.0, 900.0, 15.0)
    for _ in range(240):
        session.schedule.step(session.entities, 1.0 / 120.0)
    # Low water of late October: 15 m under the mean.
    assert -5.0 < session.weather.sea_level_m < 0.0
    colder = session.snow_line_m(0.0, 0.0)
    do(session, "climate 3")
    assert session.snow_line_m(0.0, 0.0) == pytest.approx(colder + 6.0 / 0.0065, abs=1.0)
    do(session, "save autumn")
    session.close()
    again = open_session(RideOptions(save="autumn", pages="wait"), quality("low"))
    assert again.weather.sea_level_m == pytest.approx(12.0)
    assert again.season.day == pytest.approx(season.day)
    assert (again.season.warmth_c, again.sea.waves_m, again.sea.tide_m) == (3.0, 3.0, 2.0)
    again.close()


def test_a_flood_to_60_m_and_back_leaves_no_trace(session: Session) -> None:
    """Trees that are drawn and met, the maps of the bed, the coast and the rider's pose."""
    bring_in(session)
    rider, stream = session.bicycle, session.stream

    def state() -> tuple[object, ...]:
        session.schedule.step(session.entities, 1.0 / 120.0)
        session.coast.follow(stream.store, session.weather.sea_level_m)
        assert session.coast.wait()
        maps = session.bed.follow(stream.store, rider.x, rider.z)
        lines = tuple(coast.points.tobytes() for coast in session.coast.coasts.lines)
        return (
            tuple(one.heights.tobytes() for one in maps),
            lines,
            [tile[1].tobytes() for tile in stream.resident_trees()],
            session.land.ground.trunks(rider.x, rider.z, 60.0).tobytes(),
            session.collisions.sea_level_m,
        )

    session.entities.component(session.cast.rider, Intent).brake_front = 1.0
    session.entities.component(session.cast.rider, Intent).brake_rear = 1.0
    for _ in range(240):
        session.schedule.step(session.entities, 1.0 / 120.0)
    for _ in range(12):
        before = state()
    pose = (rider.x, rider.y, rider.z, rider.yaw_rad, rider.pitch_rad)
    base = session.weather.sea_level_m
    do(session, f"sea {rider.y + 60.0:.3f}")
    for _ in range(60):
        flooded = state()
    assert rider.afloat_s > 0.0
    assert flooded != before
    do(session, f"sea {base}")
    after = state()
    assert after == before
    assert (rider.x, rider.y, rider.z, rider.yaw_rad, rider.pitch_rad) == pytest.approx(pose, abs=1e-6)


@pytest.mark.parametrize("name", ["alpine", "../up", "", "a" * 80, "nul"])
def test_unusable_save_names_are_refused(session: Session, name: str) -> None:
    with pytest.raises(UsageError):
        session.save(name)


def test_teleport_moves_the_rider_at_rest_and_the_camera_with_it(session: Session) -> None:
    do(session, "teleport 1000000,-1000000")
    rider = session.bicycle
    assert (rider.x, rider.z, rider.speed_m_s) == (1e6, -1e6, 0.0)
    assert rider.y == pytest.approx(session.land.ground.height(1e6, -1e6), abs=1.0)
    from game.render.extract import camera_view

    camera = camera_view(session.entities, session.cast, 0.5, 1.6)
    assert math.hypot(camera.x - rider.x, camera.z - rider.z) < 12.0


def test_spawn_is_dry_gentle_and_has_a_way_down(session: Session) -> None:
    rider, ground = session.bicycle, session.land.ground
    assert ground.height(rider.x, rider.z) > session.weather.sea_level_m + 10.0
    slope = math.hypot(
        ground.height(rider.x + 2, rider.z) - ground.height(rider.x - 2, rider.z),
        ground.height(rider.x, rider.z + 2) - ground.height(rider.x, rider.z - 2),
    )
    assert slope / 4.0 <= math.tan(math.radians(10.5))
    here = ground.height(rider.x, rider.z)
    ahead = [
        ground.height(rider.x + d * math.sin(rider.yaw_rad), rider.z - d * math.cos(rider.yaw_rad))
        for d in range(0, 301, 5)
    ]
    assert here - min(ahead) >= 60.0


def test_saving_over_another_world_moves_that_one_to_the_trash(session: Session) -> None:
    save_world("taken", SavedWorld("alpine", 99))
    do(session, "save taken")
    assert load_world("taken")[0].seed == 7
    [trashed] = trash_dir().iterdir()
    assert trashed.name.startswith("taken ")
    assert any("trash" in text for text, _ in session.messages)
    do(session, "save taken")
    assert len(list(trash_dir().iterdir())) == 1
    do(session, "save other")
    lock_world("taken").release()
    with pytest.raises(UsageError, match="another instance"):
        lock_world("other")


def test_autosave_writes_what_was_there_and_a_failure_is_a_message(session: Session, tmp_path) -> None:  # type: ignore[no-untyped-def]
    do(session, "save auto")
    rider = session.bicycle
    do(session, f"dab raise {rider.x},{rider.z} 20 5")
    session.autosave()
    do(session, f"dab raise {rider.x},{rider.z} 20 5")
    session.keeper.finish()
    assert len(load_world("auto")[0].edits) == 1
    assert session.keeper.epoch == session.land.edits.epoch - 1
    session.messages.clear()
    directory = tmp_path / "worlds" / "auto"
    directory.rename(tmp_path / "aside")
    directory.write_text("a file where the directory should be")
    session.autosave()
    session.keeper.finish()
    [(text, kind)] = session.messages
    assert "cannot be written" in text
    assert kind == "warning"
    # The next one, with the disk in order again, goes through.
    directory.unlink()
    session.autosave()
    session.keeper.finish()
    assert len(load_world("auto")[0].edits) == 2


def test_wheels_and_picture_agree_on_an_imported_heightmap(session: Session) -> None:
    rider = session.bicycle
    j, i = np.mgrid[:40, :50].astype(np.float64)
    heights = (rider.y + 5.0 + 6.0 * np.sin(0.5 * i) * np.cos(0.4 * j)).astype(np.float32)
    stamp = Stamp(rider.x - 120.0, rider.z - 100.0, 5.0, 30.0, heights)
    save_world("hills", SavedWorld("alpine", 7, pose=Pose(rider.x, rider.z), stamps=[stamp]))
    opened = open_session(RideOptions(save="hills", pages="wait"), quality("low"))
    try:
        bring_in(opened)
        assert largest_gap(opened, 0.7 * opened.stream.lod.r0_m) < 1e-3
        there = opened.land.ground.height(rider.x, rider.z)
        assert there == pytest.approx(World("hills").height(rider.x, rider.z), abs=1.0)
        assert abs(there - session.land.ground.height(rider.x, rider.z)) > 0.5
        do(opened, f"dab raise {rider.x},{rider.z} 15 4")
        opened.save("hills")
        assert len(load_world("hills")[0].stamps) == 1
    finally:
        opened.close()


def test_a_damaged_world_opens_with_few_messages(session: Session) -> None:
    path = save_world("w", SavedWorld("alpine", 7))
    data = json.loads(gzip.decompress(path.read_bytes()))
    data["edits"]["strokes"] = [[{"brush": "dig"}]] * 40
    path.write_bytes(gzip.compress(json.dumps(data).encode()))
    opened = open_session(RideOptions(save="w", pages="wait"), quality("low"))
    opened.close()
    assert len(opened.messages) <= 6
    assert "worlds show" in opened.messages[-1][0]
    data["recipe"] = "atlantis"
    path.write_bytes(gzip.compress(json.dumps(data).encode()))
    with pytest.raises(UsageError, match=r"saved world 'w' cannot be opened.*atlantis"):
        open_session(RideOptions(save="w", pages="wait"), quality("low"))
    lock_world("w").release()


def erode(session: Session, text: str, frame_s: float = 0.1, frames: int = 400) -> None:
    do(session, text)
    for _ in range(frames):
        session.carve(frame_s, paced=True)
        session.settle_edits(block=True)
        if session.erosion is None:
            return
    raise AssertionError("the erosion does not end")


def test_time_passes_over_a_place_and_is_taken_back(session: Session) -> None:
    bring_in(session)
    rider = session.bicycle
    heights = {page.key: page.heights.tobytes() for _, page in session.stream.store.residents()}
    erode(session, f"erode {rider.x:.1f},{rider.z:.1f} 80 6")
    changed = {page.key for _, page in session.stream.store.residents()} - {
        key
        for key, was in heights.items()
        if (page := session.stream.store.page(key)) is not None and page.heights.tobytes() == was
    }
    assert {0, 1, 2, 3} <= {key.level for key in changed}
    assert largest_gap(session, 0.7 * session.stream.lod.r0_m) < 1e-3
    assert any("6 s have passed" in text for text, _ in session.messages)
    assert session.land.edits.strokes == 1
    do(session, "undo")
    session.settle_edits(block=True)
    now = {page.key: page.heights.tobytes() for _, page in session.stream.store.residents()}
    assert now == heights


def test_erosion_is_cancelled_by_undo_and_by_name_and_runs_once(session: Session) -> None:
    bring_in(session)
    rider = session.bicycle
    do(session, f"dab raise {rider.x + 9:.1f},{rider.z:.1f} 20 3")
    session.settle_edits(block=True)
    before = {page.key: page.heights.tobytes() for _, page in session.stream.store.residents()}
    for word in ("undo", "erode cancel"):
        do(session, f"erode {rider.x:.1f},{rider.z:.1f} 60 60")
        with pytest.raises(ValueError, match="time is passing somewhere already"):
            do(session, f"erode {rider.x:.1f},{rider.z:.1f} 10 1")
        for _ in range(8):
            session.carve(0.1, paced=True)
            session.settle_edits(block=True)
        shown = {page.key: page.heights.tobytes() for _, page in session.stream.store.residents()}
        assert shown != before
        do(session, word)
        session.settle_edits(block=True)
        assert session.erosion is None
        assert {page.key: page.heights.tobytes() for _, page in session.stream.store.residents()} == before
        assert session.land.edits.strokes == 1
    do(session, "erode cancel")  # harmless when nothing runs


def test_a_world_saved_while_time_passes_holds_what_was_done(session: Session) -> None:
    rider = session.bicycle
    do(session, f"erode {rider.x:.1f},{rider.z:.1f} 40 20")
    for _ in range(8):
        session.carve(0.1, paced=True)
        session.settle_edits(block=True)
    session.save("meanwhile")
    assert len(load_world("meanwhile")[0].edits) == 0
    session.close()  # with the erosion under way
    assert session.erosion is None


def test_at_300_kmh_nobody_gets_through_a_trunk_while_pages_load(session: Session) -> None:
    """No page has arrived: what stands in the way comes from the world function, in time."""
    rider, ground = session.bicycle, session.land.ground
    found = [
        rows[0] for x in range(-4000, 4000, 500) if len(rows := ground.trunks(rider.x + x, rider.z, 100.0))
    ]
    assert len(found) >= 3
    for trunk_x, trunk_z, *_ in found[:5]:
        session.edited(session.land.dab("flatten", trunk_x, trunk_z, 60.0, 500.0, falloff="cone"))
        session.edited(session.land.dab("flatten", trunk_x - 6.0, trunk_z, 60.0, 500.0, falloff="cone"))
        session.settle_edits(block=True)
        session.place(trunk_x - 9.0, trunk_z, 0.5 * math.pi)
        rider.speed_m_s = 300.0 / 3.6
        for _ in range(60):
            session.schedule.step(session.entities, STEP_S)
            assert rider.falls or rider.x < trunk_x, "through the trunk"
        assert rider.falls
        rider.falls = 0


def test_scenery_follows_the_land_and_hides_from_nobody(session: Session) -> None:
    bring_in(session)
    rider = session.bicycle
    tiles = session.scenery_near(rider.x, rider.z, 200.0)
    assert tiles
    for key, rows in tiles:
        for x, y, z, *_ in rows[rows[:, 8] == 1.0].tolist():
            at = (key.origin_m[0] + x, key.origin_m[1] + z)
            assert abs(session.land.ground.height(*at) - y) < 1e-3
            assert not session.collisions.is_free(*at, 0.1)


def test_wide_smoothing_works_beside_the_frames_and_keeps_the_order(session: Session) -> None:
    bring_in(session)
    rider, land = session.bicycle, session.land
    x, z = rider.x, rider.z
    before = land.ground.height(x, z)
    do(session, f"dab smooth {x},{z} 260 40")
    assert session.smoothing.busy
    assert len(land.edits) == 0, "nothing may be worked out in the frame that asks"
    # What follows waits: it is meant for the smoothed land.
    do(session, f"dab flatten {x},{z} 20 9")
    do(session, f"dab raise {x},{z} 20 3")
    assert len(land.edits) == 0
    session.settle_edits(block=True)
    assert not session.smoothing.busy
    assert [item[0]["brush"] for item in land.edits.to_json()["strokes"]] == ["delta", "flatten", "raise"]
    assert land.ground.height(x, z) != before

    # The same bits as on one thread, from the world function alone.
    alone = LandSource(land.source, EditLog(), session.seed, 0)
    alone.dab("smooth", x, z, 260.0, 40.0)
    assert land.edits.to_json()["strokes"][0] == alone.edits.to_json()["strokes"][0]
    for _ in range(3):
        do(session, "undo")
    session.settle_edits(block=True)
    assert land.ground.height(x, z) == before


def test_a_wide_smoothing_held_still_does_not_outrun_the_worker(session: Session) -> None:
    bring_in(session)
    x, z = session.bicycle.x, session.bicycle.z
    actions.sculpt(session, sculpt_tool.BeginStroke())
    for _ in range(40):
        actions.sculpt(session, sculpt_tool.Dab("smooth", x, z, 150.0, 0.5))
    actions.sculpt(session, sculpt_tool.EndStroke())
    actions.sculpt(session, sculpt_tool.Undo())
    assert len(session.smoothing.waiting) <= 3
    session.settle_edits(block=True)
    assert session.land.edits.strokes == 0
    assert session.land.edits.can_redo


def test_saving_waits_for_smoothing(session: Session) -> None:
    bring_in(session)
    do(session, f"dab smooth {session.bicycle.x},{session.bicycle.z} 200 20")
    session.save("smoothed")
    assert len(load_world("smoothed")[0].edits) == 1


def test_the_open_world_is_renamed_and_copied_as_it_is_now(session: Session) -> None:
    do(session, "save one")
    do(session, f"dab raise {session.bicycle.x},{session.bicycle.z} 20 3")
    do(session, "world copy one, two")
    assert len(load_world("two")[0].edits) == 1, "the copy holds what is not saved yet"
    do(session, "world rename one, three")
    assert session.save_name == "three"
    with pytest.raises(UsageError, match="open"):
        lock_world("three")
    lock_world("one").release()
    with pytest.raises(UsageError, match="is open; open another"):
        do(session, "world delete three")
    do(session, "world delete two")
    assert [path.name.split(" ")[0] for path in trash_dir().iterdir()] == ["two"]


def test_undo_under_hundreds_of_dabs_is_worked_out_aside(session: Session) -> None:
    bring_in(session)
    x, z = session.bicycle.x, session.bicycle.z
    for _ in range(120):
        do(session, f"dab peak {x},{z} 50 0.1")
    session.settle_edits(block=True)
    do(session, f"dab raise {x},{z} 50 2")
    assert session.settle_edits()
    assert not session.switch.pending, "a dab of 50 m is shown at once, whatever lies under it"
    after = session.land.ground.height(x, z)
    do(session, "undo")
    session.settle_edits()
    assert session.switch.pending
    assert session.land.ground.height(x, z) == after, "wheels and picture wait together"
    session.settle_edits(block=True)
    assert session.land.ground.height(x, z) == pytest.approx(after - 2.0, abs=1e-3)
    page = session.land.source.generate(page_at(0, x, z))
    session.land.edits.evaluate(page)
    shown = session.stream.store.page(page.key)
    assert shown is not None
    assert np.array_equal(shown.edited, page.edited)


def test_the_erode_brush_works_beside_the_frames_as_it_does_within_one(session: Session) -> None:
    rider, edits = session.bicycle, session.land.edits
    x, z = round(rider.x + 40.0, 3), round(rider.z, 3)
    twin = EditLog()
    alone = LandSource(session.land.source, twin, session.seed, 0)
    twin.begin_stroke()
    actions.sculpt(session, sculpt_tool.BeginStroke())
    for _ in range(3):
        actions.sculpt(session, sculpt_tool.Dab("erode", x, z, 20.0, 0.5))
        assert session.smoothing.busy  # no frame waits for the water
        session.settle_edits(block=True)
        alone.dab("erode", x, z, 20.0, 0.5)
    actions.sculpt(session, sculpt_tool.EndStroke())
    twin.end_stroke()
    assert edits.to_json() == twin.to_json()
    with pytest.raises(ValueError, match="up to 100 m"):
        actions.sculpt(session, sculpt_tool.Dab("erode", x, z, 101.0, 0.5))
    do(session, "undo")
    session.settle_edits(block=True)
    assert len(edits) == 0


def test_a_timed_run_is_ridden_told_saved_and_cleared(session: Session) -> None:
    rider = session.bicycle
    bring_in(session)
    east, south = math.sin(rider.yaw_rad), -math.cos(rider.yaw_rad)
    do(session, "run start")
    do(session, f"run finish {rider.x + 12.0 * east:.3f},{rider.z + 12.0 * south:.3f}")
    session.entities.component(session.cast.rider, Intent).pedal = 1.0
    for _ in range(3000):
        session.schedule.step(session.entities, STEP_S)
        if session.course.finished:
            break
    session.tell_run()
    best = session.course.best_s
    assert best is not None
    assert 0.5 < best < 20.0
    assert session.messages[-1] == (f"finish: {clock_text(best)}, the best so far", "good")
    do(session, f"dab raise {rider.x:.1f},{rider.z:.1f} 5 1")
    session.save("timed")
    saved, messages = load_world("timed")
    assert messages == []
    assert saved.course.best_s == best
    assert saved.time_s == session.course.time_s > best
    (stroke,) = saved.edits.to_json()["strokes"]
    assert stroke[0]["time_s"] == round(saved.time_s, 2)
    do(session, "run clear")
    assert (session.course.start, session.course.best_s) == (None, None)


def test_the_climate_follows_a_raised_hill_a_few_pages_a_frame(session: Session) -> None:
    rider = session.bicycle
    bring_in(session)
    store = session.stream.store
    key = page_at(0, rider.x, rider.z)
    was = {k: store.page(k).climate.copy() for k in [page.key for _, page in store.residents()]}  # type: ignore[union-attr]
    do(session, f"dab raise {rider.x:.1f},{rider.z:.1f} 90 400")
    assert len(session.settle_edits(block=True)) > 2
    page = store.page(key)
    assert page is not None
    assert np.array_equal(page.climate, was[key])  # not in the frame of the dab
    for _ in range(60):
        uploads = session.settle_edits()
        assert len(uploads) <= 2
        assert all(rows is None for _, _, rows in uploads)
    page = store.page(key)
    assert page is not None
    assert (page.climate[..., 0] < was[key][..., 0]).any()
    do(session, "undo")
    for _ in range(60):
        session.settle_edits(block=True)
    assert all(np.array_equal(page.climate, was[page.key]) for _, page in store.residents())
