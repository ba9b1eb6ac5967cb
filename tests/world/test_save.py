"""Saved worlds: nothing is lost to a kill, a full disk or a damaged file, and damage is repaired by name."""

from __future__ import annotations

import gzip
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from game.core.errors import UsageError
from game.core.paths import resource
from game.world import save
from game.world.deltas import Delta
from game.world.edits import EditLog
from game.world.save import Pose, SavedWorld, delete_world, list_worlds, load_world, save_world, worlds_dir
from game.world.saved import SavedCourse
from game.world.seasons import ClimateSettings
from game.world.stamps import Stamp

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VELOTERRA_DATA_DIR", str(tmp_path))


def world(dabs: int = 3, seed: int = 42) -> SavedWorld:
    log = EditLog()
    for n in range(dabs):
        log.apply("raise", float(n), -1.5 * n, 5.0, 1.0)
    return SavedWorld("alpine", seed, log, -12.5, 17.25, Pose(1e6, -3.5, 1.25))


def stamp() -> Stamp:
    heights = np.arange(24, dtype=np.float32).reshape(4, 6)
    heights[1, 2] = np.nan
    return Stamp(-100.0, 50.0, 30.0, 60.0, heights, "hill.tif")


def content(path: Path) -> dict[str, Any]:
    return json.loads(gzip.decompress(path.read_bytes()))


def rewrite(path: Path, data: object) -> bytes:
    raw = gzip.compress(json.dumps(data).encode())
    path.write_bytes(raw)
    return raw


def test_round_trip() -> None:
    path = save_world("Col du  Test_1-b", world())
    assert path == worlds_dir() / "Col du  Test_1-b" / "world.json.gz"
    again, messages = load_world("Col du  Test_1-b")
    assert messages == []
    assert (again.recipe, again.seed, again.sea_level_m, again.hour) == ("alpine", 42, -12.5, 17.25)
    assert again.pose == Pose(1e6, -3.5, 1.25)
    assert again.edits.to_json() == world().edits.to_json()
    save_world("bare", SavedWorld("desert", 2**64 - 1))
    bare, messages = load_world("bare")
    assert messages == []
    assert (bare.seed, bare.sea_level_m, bare.hour, bare.pose) == (2**64 - 1, None, None, None)
    assert len(bare.edits) == 0
    assert list_worlds() == ["Col du  Test_1-b", "bare"]


def test_stamps_and_keys_of_other_versions_are_kept() -> None:
    one = world()
    one.stamps.append(stamp())
    one.extra["best_times"] = {"old mill": 61.5}
    save_world("w", one)
    again, messages = load_world("w")
    assert messages == []
    assert again.extra == one.extra
    [kept] = again.stamps
    assert np.array_equal(kept.heights, stamp().heights, equal_nan=True)
    assert (kept.x, kept.z, kept.spacing_m, kept.feather_m, kept.name) == (
        -100.0,
        50.0,
        30.0,
        60.0,
        "hill.tif",
    )
    [file] = (worlds_dir() / "w" / "stamps").iterdir()
    file.write_bytes(file.read_bytes()[:20])
    again, messages = load_world("w")
    assert again.stamps == []
    assert "stamps: number 0" in messages[0]


def test_a_recipe_of_its_own_comes_along(tmp_path: Path) -> None:
    recipe = tmp_path / "mine.toml"
    recipe.write_text('extends = "alpine"\n')
    save_world("w", SavedWorld(str(recipe), 3))
    recipe.unlink()
    again, _ = load_world("w")
    assert Path(again.recipe).read_text() == 'extends = "alpine"\n'
    save_world("w", again)
    assert content(worlds_dir() / "w" / "world.json.gz")["recipe"] == "recipe.toml"


def test_season_and_sea_come_back_and_bad_ones_are_repaired() -> None:
    one = world()
    one.climate = ClimateSettings(day=291.5, year_s=600.0, flood_m=20.0, warmth_c=-2.5, waves_m=3.25)
    path = save_world("autumn", one)
    again, messages = load_world("autumn")
    assert messages == []
    assert again.climate == one.climate
    data = content(path)
    data["climate"]["day"] = 900
    rewrite(path, data)
    again, messages = load_world("autumn")
    assert again.climate.day == ClimateSettings().day
    assert again.climate.flood_m == 20.0
    assert any("climate day = 900" in message for message in messages)
    # A world that was saved before there were seasons.
    del data["climate"]
    rewrite(path, data)
    again, messages = load_world("autumn")
    assert (again.climate, messages) == (ClimateSettings(), [])


def test_what_is_written_fits_the_schema_that_ships() -> None:
    schema = json.loads(resource("assets", "schema", "world.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    full = world()
    full.stamps.append(stamp())
    sculpted = SavedWorld("alpine", 3)
    sculpted.edits.apply("flatten", 1.0, 2.0, 9.0, 3.0, falloff="cone", target_m=5.0)
    sculpted.edits.apply("peak", -1.0, 2.0, 9.0, 3.0, seed=4)
    sculpted.edits.apply_delta([Delta.of(-3, 5, np.full((4, 6), 512, np.int32))], 3.0)
    for one in (full, sculpted, SavedWorld("desert", -5)):
        jsonschema.validate(content(save_world("w", one)), schema)
    good = content(save_world("w", full))
    for broken in (
        {"seed": 1.5},
        {"hour": "noon"},
        {"version": 1},
        {"edits": []},
        {"stamps": [{}]},
        {"climate": {"day": 400}},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**good, **broken}, schema)


@pytest.mark.parametrize(
    "name",
    ["", "  ", "a/b", "..", "a.b", "x" * 61, "Alpine", "alpine", "é", "a\nb", "CON", "lpt1", "a:b", ".trash"],
)
def test_names_are_refused_in_a_sentence(name: str) -> None:
    with pytest.raises(UsageError) as error:
        save_world(name, world())
    assert repr(name.strip()) in str(error.value)
    assert list_worlds() == []
    for act in (lambda: delete_world(name), lambda: load_world(name), lambda: save.rename_world(name, "x")):
        with pytest.raises(UsageError, match="no saved world"):
            act()


def test_names_that_differ_in_case_only_are_one_world() -> None:
    save_world("Hill", world())
    with pytest.raises(UsageError, match="'Hill'"):
        save_world("hill", world())


def test_a_broken_newest_file_falls_back_to_the_backup() -> None:
    whole = gzip.compress(b'{"recipe": "alpine", "seed": 1}')
    for broken in (
        b"",
        b"[]",
        b'{"recipe": "alpine",}',
        b"\x00" * 400,
        b'{"version": 1}',
        b"\xff\xfe",
        whole[:-3],
        whole[:20] + b"\x55" + whole[21:],
        gzip.compress('{"recipe": "alpine"}'.encode("utf-16")),
    ):
        save_world("w", world(1))
        path = save_world("w", world(2))
        path.write_bytes(broken)
        again, messages = load_world("w")
        assert len(again.edits) == 1
        assert len(messages) == 2
        assert "world.json.gz does not read" in messages[0]
        assert "backup world.1.json.gz" in messages[1]
        assert [file.read_bytes() for file in path.parent.glob("damaged-*")] == [broken]
        assert list_worlds() == ["w"]
        assert len(load_world("w")[0].edits) == 1
        delete_world("w")
        assert list_worlds() == []


def test_backups_rotate_and_each_can_be_the_last_good_one() -> None:
    for n in range(8):
        path = save_world("w", world(n + 1))
    files = [path, *(path.parent / f"world.{n}.json.gz" for n in range(1, save.BACKUPS + 1))]
    assert save.BACKUPS >= 3
    assert len(list(path.parent.iterdir())) == len(files)
    for n, file in enumerate(files):
        assert len(load_world("w")[0].edits) == 8 - n
        file.write_bytes(b"")
    with pytest.raises(UsageError, match="no backup reads"):
        load_world("w")
    save_world("w", world(20))
    assert len(load_world("w")[0].edits) == 20


def test_saving_over_a_broken_file_keeps_the_good_backup() -> None:
    save_world("w", world(1))
    path = save_world("w", world(2))
    path.write_bytes(b"")
    save_world("w", world(3))
    assert len(load_world("w")[0].edits) == 3
    path.write_bytes(b"")
    assert len(load_world("w")[0].edits) == 1


def test_the_same_state_is_not_written_twice() -> None:
    path = save_world("w", world())
    before = path.stat()
    assert save_world("w", world()) == path
    assert path.stat().st_ino == before.st_ino
    assert not list(path.parent.glob("world.1*"))


def test_a_world_of_version_1_is_migrated_and_its_file_kept() -> None:
    log = EditLog()
    log.apply("raise", 1.0, 2.0, 5.0, 1.0)
    old = {"version": 1, "recipe": "alpine", "seed": 5, "hour": 7.0, "edits": log.to_json()}
    raw = json.dumps(old).encode()
    worlds_dir().mkdir(parents=True)
    (worlds_dir() / "old.json").write_bytes(raw)
    assert list_worlds() == ["old"]
    again, messages = load_world("old")
    assert messages == []
    assert (again.seed, again.hour, len(again.edits)) == (5, 7.0, 1)
    assert (worlds_dir() / "old.json").read_bytes() == raw
    path = save_world("old", again)
    assert content(path)["version"] == save.VERSION
    assert (path.parent / "version-1.json").read_bytes() == raw
    assert list_worlds() == ["old"]
    for move in (lambda: save.rename_world("older", "new"), lambda: delete_world("older")):
        (worlds_dir() / "older.json").write_bytes(raw)
        move()
        assert not (worlds_dir() / "older.json").exists()
    assert load_world("new")[0].seed == 5


def test_a_world_of_version_2_is_migrated_and_its_file_kept() -> None:
    path = save_world("w", world())
    old = content(path)
    old["version"] = 2
    for key in ("time_s", "course"):
        old.pop(key, None)
    for stroke in old["edits"]["strokes"]:
        for item in stroke:
            del item["time_s"]
    raw = rewrite(path, old)
    again, messages = load_world("w")
    assert messages == []
    assert path.read_bytes() == raw
    assert (again.time_s, again.course, len(again.edits)) == (0.0, SavedCourse(), 3)
    for hour in range(8):  # more saves than backups
        again.hour = float(hour)
        save_world("w", again)
    assert (path.parent / "version-2.json.gz").read_bytes() == raw
    assert content(path)["version"] == save.VERSION == 3
    assert not list(path.parent.glob("version-3*"))


def test_course_and_times_come_back() -> None:
    made = world(0)
    for second in (1.5, 90.25):
        made.edits.now_s = second
        made.edits.apply("raise", second, 0.0, 5.0, 1.0)
    made.edits.undo()
    made.edits.now_s = 500.0
    made.edits.redo()
    made.time_s = 1234.5
    made.course = SavedCourse(Pose(1.0, 2.0, 0.5), Pose(30.0, -400.0, 0.25), 61.25)
    path = save_world("w", made)
    assert [item["time_s"] for stroke in content(path)["edits"]["strokes"] for item in stroke] == [1.5, 90.25]
    again, messages = load_world("w")
    assert messages == []
    assert (again.time_s, again.course) == (made.time_s, made.course)
    assert again.edits.to_json() == made.edits.to_json()


def test_damaged_times_and_courses_are_named() -> None:
    path = save_world("w", world())
    broken = content(path)
    broken["time_s"] = -1.0
    broken["course"] = {"start": {"x": "east", "z": 1.0}, "finish": [], "best_s": 0.0}
    broken["edits"]["strokes"][1][0]["time_s"] = "noon"
    rewrite(path, broken)
    again, messages = load_world("w")
    assert (again.time_s, again.course, len(again.edits)) == (0.0, SavedCourse(), 3)
    for named in (
        "time_s = -1.0",
        "course start x = 'east'",
        "course finish = []",
        "course best_s = 0.0",
        "stroke 1, operation 0: time_s = 'noon'",
    ):
        assert any(named in message for message in messages), (named, messages)


def test_an_unpacked_file_that_is_younger_is_read() -> None:
    path = save_world("w", world(1))
    plain = path.parent / "world.json"
    plain.write_text(json.dumps({**content(path), "hour": 3.0}, indent=2))
    os.utime(plain, (time.time() + 5, time.time() + 5))
    again, messages = load_world("w")
    assert (again.hour, messages) == (3.0, [])
    save_world("w", again)
    assert not plain.exists()
    assert load_world("w")[0].hour == 3.0


def test_rename_copy_delete() -> None:
    save_world("a", world(1))
    save_world("a", world(2))
    save.rename_world("a", "b")
    save.copy_world("b", "c")
    assert list_worlds() == ["b", "c"]
    assert len(load_world("c")[0].edits) == 2
    assert (worlds_dir() / "b" / "world.1.json.gz").exists()
    for act in (lambda: save.rename_world("b", "c"), lambda: save.copy_world("b", "C")):
        with pytest.raises(UsageError, match="already"):
            act()
    save.rename_world("b", "B")
    assert list_worlds() == ["B", "c"]
    trashed = [delete_world("c") for _ in range(1)]
    save_world("c", world(3))
    trashed.append(delete_world("c"))
    assert len({*trashed}) == 2
    assert all((path / "world.json.gz").exists() and path.parent == save.trash_dir() for path in trashed)
    assert list_worlds() == ["B"]


def test_nothing_readable_and_nothing_there_are_sentences() -> None:
    save_world("w", world()).write_bytes(b"{")
    with pytest.raises(UsageError, match="no backup reads"):
        load_world("w")
    with pytest.raises(UsageError, match="saved worlds: w"):
        load_world("nobody")
    path = save_world("later", world())
    raw = rewrite(path, {**content(path), "version": 99})
    with pytest.raises(UsageError, match="format 99"):
        load_world("later")
    assert path.read_bytes() == raw


def test_values_that_are_not_finite_are_never_written() -> None:
    save_world("w", world(1))
    for broken in (
        SavedWorld("alpine", 1, sea_level_m=math.nan),
        SavedWorld("alpine", 1, hour=math.inf),
        SavedWorld("alpine", 1, hour=25.0),
        SavedWorld("alpine", 1, pose=Pose(0.0, math.nan)),
        SavedWorld("alpine", 2**70),
    ):
        with pytest.raises(ValueError, match="not saved"):
            save_world("w", broken)
    assert len(load_world("w")[0].edits) == 1


BAD = [None, [], {}, "", "big", True, -1, 1.5, math.nan, math.inf, -5, 1e308, 10**400, [[[]]], {"x": 1}]


@pytest.mark.parametrize(
    ("key", "good"), [("seed", (-1, -5)), ("hour", (1.5,)), ("sea_level_m", (-1, 1.5, -5)), ("rider", ())]
)
def test_any_malformed_field_is_repaired_and_named(key: str, good: tuple[float, ...]) -> None:
    for value in BAD:
        path = save_world("w", world(2))
        raw = rewrite(path, {**content(path), key: value})
        again, messages = load_world("w")
        assert len(again.edits) == 2
        if value is None and key != "seed":
            continue
        if type(value) in (int, float) and value in good:
            assert messages == []
            continue
        assert key in "\n".join(messages), value
        kept = [file.read_bytes() for file in path.parent.glob("damaged-*")]
        assert raw in kept
        # The next save leaves the repaired original where it is.
        save_world("w", again)
        assert raw in [file.read_bytes() for file in path.parent.glob("damaged-*")]


@pytest.mark.parametrize("key", ["brush", "x", "z", "radius_m", "strength_m"])
def test_a_malformed_operation_is_skipped_and_named(key: str) -> None:
    for value in BAD:
        if key in ("x", "z") and value in (-1, 1.5, -5) and value is not True:
            continue
        if key in ("radius_m", "strength_m") and value == 1.5:
            continue
        path = save_world("w", world(3))
        data = content(path)
        data["edits"]["strokes"][1][0][key] = value
        rewrite(path, data)
        again, messages = load_world("w")
        assert len(again.edits) == 2
        assert f"stroke 1, operation 0: {key}" in messages[0]


def test_damage_of_several_kinds_at_once() -> None:
    path = save_world("w", world(2))
    data = content(path)
    data["hour"] = "noon"
    data["sea_level_m"] = math.nan
    data["seed"] = 1.5
    data["rider"]["x"] = 1e300
    data["edits"]["strokes"][1][0]["radius_m"] = -5
    data["stamps"] = [3, {"x": 1}]
    plain = path.parent / "world.json"
    plain.write_bytes(b"\xef\xbb\xbf" + json.dumps(data).encode())
    path.unlink()
    again, messages = load_world("w")
    assert (again.hour, again.sea_level_m, again.seed, again.pose) == (None, None, 0, None)
    assert len(again.edits) == 1
    text = "\n".join(messages)
    for named in (
        "hour = 'noon'",
        "sea_level_m = nan",
        "seed = 1.5",
        "x = 1e+300",
        "radius_m = -5",
        "number 1",
    ):
        assert named in text
    plain.write_text(json.dumps({"recipe": 3, "edits": [], "rider": 7, "version": "two"}))
    again, messages = load_world("w")
    assert again.recipe == "alpine"
    for named in ("recipe = 3", "edits", "rider = 7", "version = 'two'", "seed"):
        assert named in "\n".join(messages)


def test_a_file_that_unpacks_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(save, "_MOST_BYTES", 1 << 20)
    path = save_world("w", world(1))
    path.write_bytes(gzip.compress(b'{"recipe": "alpine", "x": "' + b"0" * (1 << 22) + b'"}'))
    with pytest.raises(UsageError, match="does not read"):
        load_world("w")


def test_an_unwritable_directory_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "worlds").write_text("a file where the directory should be")
    with pytest.raises(UsageError, match="VELOTERRA_DATA_DIR"):
        save_world("w", world())


def run(code: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=ROOT,
        **options,
    )


READ_ONLY = """
import os
from game.core.errors import UsageError
from game.world import save
save.load_world("w")  # nothing is imported later, by a user who may not read the interpreter
if os.getuid() == 0:  # whom no permission stops
    os.setgid(65534)
    os.setuid(65534)
with save.lock_world("w") as lock:
    print(lock.held, len(save.load_world("w")[0].edits), save.list_worlds())
for act in (lambda: save.save_world("w", save.SavedWorld("alpine", 9)), lambda: save.delete_world("w")):
    try:
        act()
    except UsageError as error:
        print(error)
"""


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_a_read_only_directory_is_read_and_the_save_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    # Not under tmp_path, whose parents only the present user may enter.
    with tempfile.TemporaryDirectory() as data:
        monkeypatch.setenv("VELOTERRA_DATA_DIR", data)
        save_world("w", world(2))
        directories = [Path(data), worlds_dir(), worlds_dir() / "w"]
        for directory in directories:
            directory.chmod(0o555)
        try:
            done = run(READ_ONLY)
        finally:
            for directory in directories:
                directory.chmod(0o755)
        assert done.stdout.startswith("False 2 ['w']\n"), done.stderr
        assert "cannot be written" in done.stdout
        assert "cannot be moved" in done.stdout
        assert load_world("w")[0].seed == 42


@pytest.mark.skipif(os.name == "nt", reason="needs RLIMIT_FSIZE")
def test_a_full_disk_leaves_the_last_state() -> None:
    save_world("w", world(2))
    code = """
import resource, sys
from game.core.errors import UsageError
from game.world import save
from game.world.deltas import Delta
from game.world.edits import EditLog
log = EditLog()
for n in range(3000):
    log.apply("raise", n * 1.37, n * 0.7, 5.0 + n % 7, 1.0 / (n + 1))
full = save.encode(save.SavedWorld("alpine", 9, log))
assert len(full.content) > 8192
resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
try:
    save.write_world("w", full)
except UsageError as error:
    print(error)
"""
    done = run(code)
    assert "free space" in done.stdout, done.stderr
    again, messages = load_world("w")
    assert (again.seed, len(again.edits), messages) == (42, 2, [])
    assert [path.name for path in (worlds_dir() / "w").iterdir()] == ["world.json.gz"]


HOLDER = """
import sys, time
from game.world import save
lock = save.lock_world("w")
print("held", flush=True)
time.sleep(60)
"""


def test_a_second_instance_is_refused_until_the_first_dies() -> None:
    save_world("w", world())
    holder = subprocess.Popen([sys.executable, "-c", HOLDER], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline() == "held\n"
        for act in (
            lambda: save.lock_world("w"),
            lambda: save.lock_world("W"),
            lambda: delete_world("w"),
            lambda: save.rename_world("w", "x"),
        ):
            with pytest.raises(UsageError, match="another instance"):
                act()
        assert len(load_world("w")[0].edits) == 3
        save.lock_world("other").release()
    finally:
        holder.kill()
        holder.wait()
    with save.lock_world("w") as lock:
        assert lock.held
        with pytest.raises(UsageError, match="another instance"):
            save.lock_world("w")
    save.lock_world("w").release()


KILLED = """
import sys
from game.world import save
from game.world.deltas import Delta
from game.world.edits import EditLog
log = EditLog()
start = int(sys.argv[1])
for n in range(start):
    log.apply("raise", float(n), 0.0, 5.0, 1.0)
for n in range(start, 100000):
    log.apply("raise", float(n), 0.0, 5.0, 1.0)
    save.save_world("w", save.SavedWorld("alpine", n, log))
    print(n, flush=True)
"""


def kill_while_saving(times: int, saves: int) -> int:
    """Kill a saving process `times` times after about `saves` saves each; return the saves that were promised."""
    last = -1
    for attempt in range(times):
        command = [sys.executable, "-c", KILLED, str(last + 1)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert process.stdout is not None
        for _ in range(saves):
            line = process.stdout.readline()
        # A different phase of the write each time.
        time.sleep(0.0007 * (attempt % 23))
        process.send_signal(signal.SIGKILL)
        last = int((process.stdout.read().split() or [line])[-1])
        process.wait()
        again, messages = load_world("w")
        # What was promised is there; at most the save in progress is there too.
        assert last <= again.seed <= last + 1
        assert len(again.edits) == again.seed + 1
        assert messages == []
        last = again.seed
    return last + 1


@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
def test_a_kill_while_saving_leaves_the_newest_world() -> None:
    kill_while_saving(3, 8)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
def test_forty_kills_during_more_than_200_saves() -> None:
    assert kill_while_saving(40, 6) >= 200


def test_50_000_dabs_are_a_small_file_and_one_change() -> None:
    places = np.random.default_rng(1).normal(0.0, 900.0, (50_000, 2))
    log = EditLog()
    for stroke in range(500):
        log.begin_stroke()
        for n in range(100):
            x, z = (float(value) for value in places[stroke * 100 + n])
            log.apply("raise", x, z, 5.0 + stroke % 9, 0.25)
        log.end_stroke()
    path = save_world("w", SavedWorld("alpine", 1, log))
    assert path.stat().st_size < 4 << 20
    again, _ = load_world("w")
    assert len(again.edits) == 50_000
    # Loading is one change, so that pages made later do not walk a history of thousands.
    assert again.edits.epoch == 1
