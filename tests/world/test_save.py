"""Saved worlds: nothing is lost to a kill or a truncated file, and damage is repaired by name."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from game.core.errors import UsageError
from game.world.edits import EditLog
from game.world.save import Pose, SavedWorld, delete_world, list_worlds, load_world, save_world


@pytest.fixture(autouse=True)
def _own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VELOTERRA_DATA_DIR", str(tmp_path))


def world(dabs: int = 3, seed: int = 42) -> SavedWorld:
    log = EditLog()
    for n in range(dabs):
        log.apply("raise", float(n), -1.5 * n, 5.0, 1.0)
    return SavedWorld("alpine", seed, log, -12.5, 17.25, Pose(1e6, -3.5, 1.25))


def test_round_trip() -> None:
    path = save_world("Col du  Test_1-b", world())
    assert path.name == "Col du  Test_1-b.json"
    again, messages = load_world("Col du  Test_1-b")
    assert messages == []
    assert (again.recipe, again.seed, again.sea_level_m, again.hour) == ("alpine", 42, -12.5, 17.25)
    assert again.pose == Pose(1e6, -3.5, 1.25)
    assert again.edits.to_json() == world().edits.to_json()
    bare, messages = load_world(save_world("bare", SavedWorld("desert", 2**64 - 1)).stem)
    assert messages == []
    assert (bare.seed, bare.sea_level_m, bare.hour, bare.pose, len(bare.edits)) == (
        2**64 - 1,
        None,
        None,
        None,
        0,
    )
    assert list_worlds() == ["Col du  Test_1-b", "bare"]


@pytest.mark.parametrize(
    "name", ["", "  ", "a/b", "..", "a.b", "x" * 61, "Alpine", "alpine", "é", "a\nb", "CON", "lpt1", "a:b"]
)
def test_names_are_refused_in_a_sentence(name: str) -> None:
    with pytest.raises(UsageError) as error:
        save_world(name, world())
    assert repr(name.strip()) in str(error.value)
    assert list_worlds() == []


def test_a_broken_newest_file_falls_back_to_the_backup() -> None:
    for content in (b"", b"[]", b'{"recipe": "alpine",}', b"\x00" * 400, b'{"version": 1}', b"\xff\xfe"):
        save_world("w", world(1))
        path = save_world("w", world(2))
        path.write_bytes(content)
        again, messages = load_world("w")
        assert len(again.edits) == 1
        assert len(messages) == 1
        assert "backup" in messages[0]
        assert (path.parent / "w.json.broken").read_bytes() == content
        assert list_worlds() == ["w"]
        assert len(load_world("w")[0].edits) == 1
        delete_world("w")
        assert list_worlds() == []


def test_saving_over_a_broken_file_keeps_the_good_backup() -> None:
    save_world("w", world(1))
    path = save_world("w", world(2))
    path.write_bytes(b"")
    save_world("w", world(3))
    assert len(load_world("w")[0].edits) == 3
    path.write_bytes(b"")
    assert len(load_world("w")[0].edits) == 1


def test_nothing_readable_and_nothing_there_are_sentences() -> None:
    save_world("w", world()).write_bytes(b"{")
    with pytest.raises(UsageError, match="no backup reads"):
        load_world("w")
    with pytest.raises(UsageError, match="saved worlds: none"):
        load_world("nobody")
    with pytest.raises(UsageError, match="no saved world"):
        delete_world("../w")
    path = save_world("later", world())
    path.write_text(path.read_text().replace('"version":1', '"version":99'))
    with pytest.raises(UsageError, match="format 99"):
        load_world("later")


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


def test_damaged_content_is_repaired_and_named() -> None:
    path = save_world("w", world(2))
    data = json.loads(path.read_text())
    data["hour"] = "noon"
    data["sea_level_m"] = math.nan
    data["seed"] = 1.5
    data["rider"]["x"] = 1e300
    data["edits"]["strokes"][1][0]["radius_m"] = -5
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(data).encode())
    again, messages = load_world("w")
    assert (again.hour, again.sea_level_m, again.seed, again.pose) == (None, None, 0, None)
    assert len(again.edits) == 1
    text = "\n".join(messages)
    for named in ("hour = 'noon'", "sea_level_m = nan", "seed = 1.5", "x = 1e+300", "radius_m = -5"):
        assert named in text
    path.write_text(json.dumps({"recipe": 3, "edits": [], "rider": 7}))
    again, messages = load_world("w")
    assert again.recipe == "alpine"
    assert len(messages) == 4


def test_an_unwritable_directory_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "worlds").write_text("a file where the directory should be")
    with pytest.raises(UsageError, match="VELOTERRA_DATA_DIR"):
        save_world("w", world())


KILLED = """
import sys
from game.world import save
from game.world.edits import EditLog
log = EditLog()
for n in range(100000):
    log.apply("raise", float(n), 0.0, 5.0, 1.0)
    save.save_world("w", save.SavedWorld("alpine", n, log))
    print(n, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
def test_a_kill_while_saving_leaves_a_world_that_loads() -> None:
    for attempt in range(3):
        process = subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        for _ in range(5 + attempt):
            line = process.stdout.readline()
        time.sleep(0.003 * attempt)
        process.send_signal(signal.SIGKILL)
        last = int((process.stdout.read().split() or [line])[-1])
        process.wait()
        again, _ = load_world("w")
        assert again.seed >= last
        assert len(again.edits) == again.seed + 1


def test_many_dabs_load_fast_enough_to_be_one_read() -> None:
    log = EditLog()
    for n in range(5000):
        log.apply("raise", n * 0.37, 0.0, 5.0, 1.0)
    path = save_world("w", SavedWorld("alpine", 1, log))
    assert path.stat().st_size < 5000 * 100
    again, _ = load_world("w")
    assert len(again.edits) == 5000
    # Loading is one change, so that pages made later do not walk a history of thousands.
    assert again.edits.epoch == 1
