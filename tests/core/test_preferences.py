"""The settings file: what goes in comes out, what is broken is named and repaired, nothing crashes."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game.core import preferences as prefs
from game.core.bindings import DEFAULT_KEYS, KEY_NAMES, conflicts, key_name
from game.core.errors import UsageError
from game.core.preferences import Preferences


def read(tmp_path: Path, text: str | bytes) -> tuple[Preferences, list[str]]:
    path = tmp_path / "settings.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return prefs.load(path)


def test_a_missing_file_is_the_defaults(tmp_path: Path) -> None:
    assert prefs.load(tmp_path / "none.toml") == (Preferences(), [])


def test_what_is_saved_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "deeper" / "settings.toml"
    given_ = Preferences(
        camera=prefs.CameraPreferences(reduced_motion=True, fov_deg=75.0, shake=0.0),
        controls=prefs.ControlPreferences(mouse_invert_y=True, stick_dead_zone=0.3, vibration=0.25),
        keys={**DEFAULT_KEYS, "hop": ("E", "ENTER"), "picture": ()},
        hints_seen=True,
    )
    prefs.save(given_, path)
    assert prefs.load(path) == (given_, [])
    assert [p.name for p in path.parent.iterdir()] == ["settings.toml"], "no part file is left"


def test_every_setting_has_an_entry() -> None:
    entries = {entry.key for entry in prefs._ENTRIES}
    assert prefs.known_fields() <= entries


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('[camera]\nfov_deg = "wide"', ["fov_deg", "'wide'", "62"]),
        ("[camera]\nfov_deg = 1e9", ["fov_deg", "40", "100"]),
        ("[camera]\nfov_deg = nan", ["fov_deg", "nan"]),
        ("[camera]\nshake = true", ["shake", "True"]),
        ("[camera]\nreduced_motion = 1", ["reduced_motion", "true or false"]),
        ("[camera]\nshaek = 0", ["shaek", "did you mean shake"]),
        ("[camra]\nshake = 0", ["[camra]", "did you mean camera"]),
        ("camera = 3", ["camera = 3", "[camera]"]),
        ('[keys]\nhop = ["Q8"]', ["hop", "'Q8'", "SPACE"]),
        ("[keys]\nhop = 3", ["hop = 3", "SPACE"]),
        ('[keys]\njump = ["W"]', ["jump"]),
        ('[keys]\nhop = ["W"]', ["key W", "pedal and hop", "both"]),
        ('[gamepad]\nhop = ["Q"]', ["[gamepad] hop", "'Q'"]),
    ],
)
def test_mistakes_are_named_and_the_rest_stands(tmp_path: Path, text: str, named: list[str]) -> None:
    found, problems = read(tmp_path, text + "\n[controls]\nvibration = 0.5\n")
    assert found.controls.vibration == 0.5
    assert len(problems) >= 1
    for word in named:
        assert word in " ".join(problems)
    assert found.camera == Preferences().camera


@pytest.mark.parametrize("text", ["[]", "[camera", "a = [1,", "\x00", '{"camera": 1,}'])
def test_a_file_that_is_no_toml_is_kept_aside(tmp_path: Path, text: str) -> None:
    found, problems = read(tmp_path, text)
    assert found == Preferences()
    assert len(problems) == 1
    assert "settings.bad.toml" in problems[0]
    assert (tmp_path / "settings.bad.toml").read_text() == text


def test_a_byte_order_mark_is_read_over(tmp_path: Path) -> None:
    found, problems = read(tmp_path, b"\xef\xbb\xbf[camera]\nbob = 0\n")
    assert (found.camera.bob, problems) == (0.0, [])
    assert read(tmp_path, b"\xff\xfe\x00")[0] == Preferences()


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=60) | st.text("[]=\"camerkyshopW0123456789.-\n ,{}'", max_size=60).map(str.encode))
def test_no_file_crashes_it(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    found, problems = read(tmp_path_factory.mktemp("s"), data)
    assert isinstance(found, Preferences)
    assert all(problem.startswith("settings: ") for problem in problems)


def test_a_directory_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        prefs.save(Preferences(), tmp_path / "file" / "settings.toml")


def test_defaults_have_no_conflict_and_known_keys() -> None:
    assert conflicts(DEFAULT_KEYS) == []
    assert {name for names in DEFAULT_KEYS.values() for name in names} <= set(KEY_NAMES)
    assert key_name(" escape ") == "ESC"
    assert key_name("nothing") is None


def test_undo_keeps_its_key() -> None:
    assert "undo" in conflicts({**DEFAULT_KEYS, "hop": ("CTRL",)})[0]


def test_the_file_is_readable_for_people() -> None:
    text = prefs.to_text(dataclasses.replace(Preferences(), hints_seen=True))
    assert "reduced_motion = false  # calm camera" in text
    assert 'pedal = ["W", "UP"]' in text
