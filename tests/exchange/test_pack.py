"""Packs: the same land bit for bit elsewhere, and nothing that is not a whole pack gets in."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from game.core.errors import UsageError
from game.exchange import pack
from game.world import World
from game.world.edits import EditLog
from game.world.save import Pose, SavedWorld, list_worlds, load_world, save_world, worlds_dir
from game.world.stamps import Stamp


@pytest.fixture(autouse=True)
def _own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VELOTERRA_DATA_DIR", str(tmp_path / "data"))


def make(recipe: str = "alpine") -> None:
    log = EditLog()
    log.apply("raise", 40.0, -30.0, 25.0, 9.0)
    log.apply("lower", -8.5, 3.0, 6.0, 2.0)
    heights = np.linspace(300.0, 500.0, 17 * 23, dtype=np.float32).reshape(17, 23)
    heights[3, 4] = np.nan
    save_world(
        "my hill",
        SavedWorld(recipe, 7, log, 12.5, 7.25, Pose(1.0, 2.0), [Stamp(-64.0, -64.0, 4.0, 12.0, heights)]),
    )


def test_the_same_land_bit_for_bit_on_another_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = tmp_path / "mine.toml"
    recipe.write_text('extends = "alpine"\n[crags]\namplitude_m = 3.0\n')
    make(str(recipe))
    assert pack.pack("my hill", tmp_path / "a.veloterra") == []
    assert pack.pack("my hill", tmp_path / "b.veloterra") == []
    assert (tmp_path / "a.veloterra").read_bytes() == (tmp_path / "b.veloterra").read_bytes()
    here = [World("my hill").heights(-100, -100, 160, 150, spacing) for spacing in (1, 4, 0.7)]
    recipe.unlink()
    monkeypatch.setenv("VELOTERRA_DATA_DIR", str(tmp_path / "elsewhere"))
    assert pack.unpack(tmp_path / "a.veloterra") == ("my hill", [])
    there = [World("my hill").heights(-100, -100, 160, 150, spacing) for spacing in (1, 4, 0.7)]
    for mine, theirs in zip(here, there, strict=True):
        assert np.array_equal(mine, theirs)
    world, messages = load_world("my hill")
    assert messages == []
    assert (world.sea_level_m, world.hour, world.pose, world.edits.strokes) == (12.5, 7.25, Pose(1.0, 2.0), 2)
    with pytest.raises(UsageError, match="already"):
        pack.unpack(tmp_path / "a.veloterra")
    assert pack.unpack(tmp_path / "a.veloterra", "second") == ("second", [])
    assert list_worlds() == ["my hill", "second"]


def contents_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rebuilt(path: Path, contents: dict[str, bytes], manifest: dict[str, Any] | None = None) -> Path:
    """A pack with honest checksums around other content."""
    contents = dict(contents)
    told = json.loads(contents.pop("manifest.json"))
    told["files"] = {
        name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in contents.items()
    }
    told.update(manifest or {})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", json.dumps(told))
        for name, data in contents.items():
            archive.writestr(name, data)
    return path


def refuse(path: Path, named: str) -> None:
    before = {file for file in path.parent.rglob("*") if file.is_file()}
    with pytest.raises(UsageError, match=named):
        pack.unpack(path, "new")
    assert list_worlds() == ["my hill"]
    assert {file for file in path.parent.rglob("*") if file.is_file()} == before


def test_damage_tricks_and_bombs_are_refused(tmp_path: Path) -> None:
    make()
    good = tmp_path / "good.veloterra"
    pack.pack("my hill", good)
    raw, contents = good.read_bytes(), contents_of(good)
    bad = tmp_path / "bad.veloterra"
    for content in (b"", b"PK", raw[:-40], raw[: len(raw) // 2], b"\0" * 500):
        bad.write_bytes(content)
        refuse(bad, "damaged or no zip")
    refuse(tmp_path / "none.veloterra", "does not exist")
    for name in (
        "../evil", "/etc/passwd", "C:\\evil", "..\\evil", "world.json/../x", "stamps/../../x", "stamps/a.f32.gz",
        "readme.txt", "stamps/",
    ):  # fmt: skip
        refuse(rebuilt(bad, {**contents, name: b"x"}), "does not belong")
    refuse(rebuilt(bad, contents, {"format": "zip"}), "format = 'zip'")
    refuse(rebuilt(bad, contents, {"version": 9}), "version 9")
    refuse(rebuilt(bad, contents, {"files": {}}), "does not list")
    refuse(
        rebuilt(
            bad, contents, {"files": {name: {"sha256": "0"} for name in contents if name != "manifest.json"}}
        ),
        "checksum",
    )
    refuse(rebuilt(bad, {**contents, "world.json": b"["}), "not a JSON object")
    data = json.loads(contents["world.json"])
    for change, named in (
        ({"version": 99}, "format 99"),
        ({"recipe": "/etc/recipe.toml"}, "outside the pack"),
        ({"recipe": "recipe.toml"}, "not in it"),
    ):
        refuse(rebuilt(bad, {**contents, "world.json": json.dumps({**data, **change}).encode()}), named)
    bomb = b'{"recipe": "alpine", "x": "' + b"0" * (300 << 20) + b'"}'
    refuse(rebuilt(bad, {**contents, "world.json": bomb}), "bytes unpacked")
    without = {name: content for name, content in contents.items() if name != "world.json"}
    refuse(rebuilt(bad, without), "world.json is missing")


def test_a_lie_about_the_size_is_no_way_in(tmp_path: Path) -> None:
    make()
    good, bad = tmp_path / "good.veloterra", tmp_path / "bad.veloterra"
    pack.pack("my hill", good)
    raw = bytearray(good.read_bytes())
    # The uncompressed size of the last entry in the central directory.
    at = raw.rindex(b"PK\x01\x02") + 24
    for size in (5, 1 << 27):
        raw[at : at + 4] = size.to_bytes(4, "little")
        bad.write_bytes(raw)
        refuse(bad, "damaged|size|bytes unpacked")


@pytest.mark.parametrize("flip", [60, 400, -300, -30])
def test_a_flipped_bit_is_found(tmp_path: Path, flip: int) -> None:
    make()
    path = tmp_path / "p.veloterra"
    pack.pack("my hill", path)
    raw = bytearray(path.read_bytes())
    raw[flip] ^= 0x10
    path.write_bytes(raw)
    try:
        name, messages = pack.unpack(path, "new")
    except UsageError:
        assert list_worlds() == ["my hill"]
    else:  # in a time or another field that carries nothing
        assert messages == []
        assert np.array_equal(World(name).heights(0, 0, 40, 40, 1), World("my hill").heights(0, 0, 40, 40, 1))


def test_repairs_are_told_and_names_never_become_paths(tmp_path: Path) -> None:
    make()
    good = tmp_path / "good.veloterra"
    pack.pack("my hill", good)
    contents = contents_of(good)
    data = json.loads(contents["world.json"])
    data["hour"] = "noon"
    data["edits"]["strokes"][0][0]["radius_m"] = -5
    path = rebuilt(tmp_path / "odd.veloterra", {**contents, "world.json": json.dumps(data).encode()})
    _, messages = pack.unpack(path, "odd")
    text = "\n".join(messages)
    assert "hour = 'noon'" in text
    assert "radius_m = -5" in text
    assert "the land differs" in text
    expected: list[tuple[Any, str]] = [
        ("../../up", "______up"), (7, "packed"), ("alpine", "packed alpine"), ("Tür/1", "T_r_1"), ("CON", "packed CON"),
    ]  # fmt: skip
    for given, name in expected:
        assert pack.unpack(rebuilt(path, contents, {"name": given}))[0] == name
        assert (worlds_dir() / name).parent == worlds_dir()


def test_an_unwritable_pack_is_a_sentence(tmp_path: Path) -> None:
    make()
    write: Callable[[str], list[str]] = lambda name: pack.pack("my hill", tmp_path / name)  # noqa: E731
    with pytest.raises(UsageError, match="--out"):
        write("nowhere/a.veloterra")
    with pytest.raises(UsageError, match="no saved world"):
        pack.pack("nobody", tmp_path / "a.veloterra")
