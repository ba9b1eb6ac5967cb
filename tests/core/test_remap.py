"""The commands that change controls: validated like all others, and what they make of the preferences."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from game.core import preferences as prefs
from game.core.commands import parse_command
from game.core.errors import UsageError
from game.core.preferences import Preferences
from game.core.remap import rebound


def after(*texts: str) -> Preferences:
    preferences = Preferences()
    for text in texts:
        preferences = rebound(preferences, parse_command(text))
    return preferences


def test_commands_bind_and_reset() -> None:
    changed = after(
        "bind hop e,ENTER,e",
        "bind picture none",
        "button calm lb",
        "control mouse_invert_y on",
        "control vibration 0",
    )
    assert changed.keys["hop"] == ("E", "ENTER")
    assert changed.keys["picture"] == ()
    assert changed.gamepad["calm"] == ("LB",)
    assert changed.controls.mouse_invert_y is True
    assert changed.controls.vibration == 0.0
    assert after("feel roll 0", "feel reduced_motion on").camera.roll == 0.0
    seen = dataclasses.replace(after("bind hop E", "feel bob 0"), hints_seen=True)
    assert rebound(seen, parse_command("controls reset")) == Preferences(hints_seen=True)
    assert rebound(changed, parse_command("controls on")) == changed


def test_what_is_bound_survives_the_file(tmp_path: Path) -> None:
    changed = after("bind brake MOUSERIGHT", "control pad_swap_sticks on", "control stick_dead_zone 0.25")
    prefs.save(changed, tmp_path / "settings.toml")
    assert prefs.load(tmp_path / "settings.toml") == (changed, [])


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("bind jump E", ["jump", "hop"]),
        ("bind hop Q8", ["Q8", "none"]),
        ("bind hop MOUSELEFFT", ["did you mean MOUSELEFT"]),
        ("button hop Z", ["Z", "LB"]),
        ("control stick_dead_zone 2", ["2", "0.9"]),
        ("control stick_dead_zone nan", ["nan"]),
        ("control mouse_invert_y 1", ["on", "off"]),
        ("control dead_zone 0.1", ["stick_dead_zone"]),
        ("controls maybe", ["reset"]),
        ("feel shake 3", ["3", "2"]),
        ("feel wobble 1", ["wobble", "shake"]),
    ],
)
def test_wrong_words_are_named_with_what_is_accepted(text: str, named: list[str]) -> None:
    with pytest.raises(UsageError) as error:
        parse_command(text)
    assert all(word in str(error.value) for word in named)
