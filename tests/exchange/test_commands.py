"""`veloterra worlds`, `export` and `import` through the real command line."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from game.__main__ import main
from game.exchange.heightmap_in import Reading, read
from game.world import World
from game.world.save import list_worlds, load_world, lock_world
from tests.exchange.grid import letter_f

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VELOTERRA_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


def run(words: str) -> None:
    assert main(shlex.split(words)) == 0


def said(capsys: pytest.CaptureFixture[str], words: str) -> str:
    capsys.readouterr()
    run(words)
    return capsys.readouterr().out


def test_the_life_of_a_world(capsys: pytest.CaptureFixture[str]) -> None:
    assert "no saved worlds" in said(capsys, "worlds")
    run("worlds create 'my hill' --seed 7 --world alpine")
    run("worlds copy 'my hill' two")
    run("worlds rename two three")
    assert "three" in said(capsys, "worlds list")
    [first, _] = json.loads(said(capsys, "worlds list --json"))
    assert (first["name"], first["recipe"], first["seed"], first["dabs"]) == ("my hill", "alpine", 7, 0)
    assert "alpine" in said(capsys, "worlds show 'my hill'")
    assert json.loads(said(capsys, "worlds show 'my hill' --json"))["messages"] == []
    assert "my hill.veloterra" in said(capsys, "worlds pack 'my hill'")
    assert "moved to" in said(capsys, "worlds delete 'my hill'")
    run("worlds unpack 'my hill.veloterra'")
    run("worlds unpack 'my hill.veloterra' --as again")
    assert list_worlds() == ["again", "my hill", "three"]


def test_a_damaged_world_is_listed_with_a_message(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run("worlds create good")
    run("worlds create bad")
    (tmp_path / "data" / "worlds" / "bad" / "world.json.gz").write_bytes(b"")
    capsys.readouterr()
    run("worlds list")
    out, err = capsys.readouterr()
    assert "good" in out
    assert "'bad' cannot be read" in err


def test_export_is_the_land_bit_for_bit(capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "export --bounds -40,-16,600,500 --spacing 4 --format geotiff --out a.tif --seed 7")
    assert "161 × 130 samples" in out
    expected = World("alpine", 7).heights(-40, -16, 161, 130, 4)
    assert np.array_equal(read(Path("a.tif"), Reading()).heights, expected)
    facts = json.loads(Path("a.tif.json").read_text())
    assert (facts["world"], facts["seed"], facts["lowest_m"]) == ("alpine", 7, float(expected.min()))


def test_export_import_round_trip_lies_where_it_was(capsys: pytest.CaptureFixture[str]) -> None:
    run("export --bounds -20,8,76,88 --spacing 4 --format png16 --out p.png --seed 3")
    run("worlds create w --seed 9")
    out = said(capsys, "import p.png --world w --at -20,8 --spacing 4 --feather 0")
    assert "first row north" in out
    land = World("w").heights(-20, 8, 25, 21, 4)
    copy = World("alpine", 3).heights(-20, 8, 25, 21, 4)
    # 16 bits over the range of the patch.
    assert np.abs(land - copy).max() <= 0.51 * (copy.max() - copy.min()) / 65_535 + 1e-4
    assert not np.array_equal(
        World("w").heights(200, 8, 9, 9, 4), World("alpine", 3).heights(200, 8, 9, 9, 4)
    )


def test_an_imported_f_stands_the_right_way(capsys: pytest.CaptureFixture[str]) -> None:
    (letter_f() * 100).astype(">u2").tofile("f.raw")
    run("worlds create w")
    words = "import f.raw --world w --at -5,-7 --spacing 1 --size 7x9 --big-endian --min 0 --max 655.35 --feather 0"
    run(words)
    assert np.allclose(World("w").heights(-5, -7, 7, 9, 1), letter_f(), atol=1e-4)
    [stamp] = load_world("w")[0].stamps
    assert (stamp.x, stamp.z, stamp.name) == (-5.0, -7.0, "f.raw")


EXPORT = "export --bounds 0,0,9,9 --spacing 1 --format png16 --out x.png"


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("worlds frob", ["'frob'", "list"]),
        ("worlds show nobody", ["'nobody'", "w"]),
        ("worlds show ../w", ["'../w'"]),
        ("worlds create alpine", ["'alpine'", "recipe"]),
        ("worlds create w", ["'w'", "already"]),
        ("worlds create x --world nowhere", ["'nowhere'", "alpine"]),
        ("worlds create x --seed seven", ["'seven'", "integer"]),
        ("worlds rename w a/b", ["'a/b'"]),
        ("worlds copy w ..", ["'..'"]),
        ("worlds delete nobody", ["'nobody'"]),
        ("worlds pack w --out nodir/w.veloterra", ["--out", "nodir"]),
        ("worlds unpack none.veloterra", ["none.veloterra", "does not exist"]),
        ("worlds show", ["name"]),
        ("export", ["--bounds"]),
        (EXPORT.replace("0,0,9,9", "0,0,9"), ["'0,0,9'", "X0,Z0,X1,Z1"]),
        (EXPORT.replace("0,0,9,9", "0,0,nan,9"), ["nan"]),
        (EXPORT.replace("0,0,9,9", "9,0,0,9"), ["--bounds", "empty"]),
        (EXPORT.replace("--spacing 1", "--spacing 0"), ["--spacing", "'0'"]),
        (EXPORT.replace("png16", "bmp"), ["'bmp'", "geotiff"]),
        (EXPORT.replace("x.png", "nodir/x.png"), ["--out", "nodir"]),
        (EXPORT + " --world nowhere", ["'nowhere'"]),
        (EXPORT + " --min 5 --max 2", ["--max", "--min"]),
        (EXPORT.replace("png16", "obj") + " --min 5", ["--min", "obj"]),
        ("import none.tif --world w --at 0,0 --spacing 1", ["none.tif", "does not exist"]),
        ("import f.txt --world w --at 0,0 --spacing 1", ["f.txt", "ending"]),
        ("import f.r16 --world w --at 0,0 --spacing 1", ["f.r16", "--min and --max"]),
        ("import f.r16 --world nobody --at 0,0 --spacing 1", ["'nobody'"]),
        ("import f.r16 --world w --at 0 --spacing 1", ["'0'", "X,Z"]),
        ("import f.r16 --world w --at 0,2147483648 --spacing 1", ["2147483648"]),
        ("import f.r16 --world w --at 0,0 --spacing -1", ["'-1'"]),
        ("import f.r16 --world w --at 0,0 --spacing 1 --size 3by3", ["3by3"]),
    ],
)
def test_mistakes_exit_2_with_one_sentence(
    words: str, named: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    run("worlds create w")
    Path("f.txt").write_text("x")
    Path("f.r16").write_bytes(bytes(32))
    capsys.readouterr()
    before = sorted(Path().rglob("*.*z"))
    assert main(words.split()) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1, error
    for word in named:
        assert word in error
    assert sorted(Path().rglob("*.*z")) == before


def test_a_world_in_use_is_not_touched(capsys: pytest.CaptureFixture[str]) -> None:
    run("worlds create w")
    Path("f.r16").write_bytes(bytes(32))
    with lock_world("w"):
        for words in (
            "import f.r16 --world w --at 0,0 --spacing 1 --min 0 --max 5",
            "worlds delete w",
            "worlds rename w x",
        ):
            assert main(words.split()) == 2
            assert "another instance" in capsys.readouterr().err
        run("worlds show w")


def test_a_reader_that_leaves_early_is_no_error() -> None:
    run("worlds create w")
    command = f'"{sys.executable}" -m game worlds list --json | true; exit ${{PIPESTATUS[0]}}'
    if os.name == "nt":
        pytest.skip("needs a POSIX shell")
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=dict(os.environ),
    )
    assert (done.returncode, done.stderr) == (0, "")
