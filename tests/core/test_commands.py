"""The --exec grammar: every command, and sentences for what is wrong."""

import pytest

from game.core.commands import Command, parse_command, parse_script
from game.core.errors import UsageError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sea 60", Command("sea", (60.0,))),
        ("sea 60 2.5", Command("sea", (60.0, 2.5))),
        ("tide 3 600", Command("tide", (3.0, 600.0))),
        ("waves 2.5", Command("waves", (2.5,))),
        ("season 291", Command("season", (291.0,))),
        ("year 900", Command("year", (900.0,))),
        ("year 900 40", Command("year", (900.0, 40.0))),
        ("climate -5 0.2", Command("climate", (-5.0, 0.2))),
        ("sea -60 @2.5", Command("sea", (-60.0,), 2.5)),
        ("teleport -5,3", Command("teleport", (-5.0, 3.0))),
        ("time 18.5", Command("time", (18.5,))),
        ("dab raise -0.5,-0.5 20 4 @1", Command("dab", ("raise", -0.5, -0.5, 20.0, 4.0), 1.0)),
        ("undo", Command("undo")),
        ("look 90,-10", Command("look", (90.0, -10.0))),
        ("eye 1,2,3", Command("eye", (1.0, 2.0, 3.0))),
        ("key W down", Command("key", ("W", "down"))),
        ("quality low", Command("quality", ("low",))),
        ("camera first @3", Command("camera", ("first",), 3.0)),
        ("camera next", Command("camera", ("next",))),
        ("motion reduced", Command("motion", ("reduced",))),
        ("wet 0.5", Command("wet", (0.5,))),
        ("erode 3,-4 150 30 @2", Command("erode", (3.0, -4.0, 150.0, 30.0), 2.0)),
        ("erode 3,-4 150 30 0.5 0.1", Command("erode", (3.0, -4.0, 150.0, 30.0, 0.5, 0.1))),
        ("erode cancel", Command("erode", ("cancel",))),
        ("dab erode 1,2 30 2", Command("dab", ("erode", 1.0, 2.0, 30.0, 2.0))),
    ],
)
def test_commands(text: str, expected: Command) -> None:
    assert parse_command(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("flood 3", ["flood", "teleport"]),
        ("tleport 3,4", ["did you mean 'teleport'"]),
        ("sea", ["missing", "sea METRES"]),
        ("camera behind", ["'behind'", "chase, first, side, fly, next"]),
        ("wet 2", ["2", "0 … 1"]),
        ("sea 3 0", ["rate", "0.001"]),
        ("tide 3", ["period is missing"]),
        ("waves 20", ["0 … 6"]),
        ("season 366", ["0 … 365"]),
        ("climate 99", ["-30 … 30"]),
        ("sea high", ["'high'", "not a number"]),
        ("sea nan", ["nan", "-200 … 2000"]),
        ("sea 1e308", ["1e308"]),
        ("teleport 2147483648,0", ["x 2147483648", "-1e+09"]),
        ("teleport 1", ["2 numbers"]),
        ("teleport nan,0", ["x nan"]),
        ("dab paint 1,2 3 4", ["'paint'", "raise, lower"]),
        ("dab raise 1,2 -5 4", ["radius -5"]),
        ("dab lower 1,2 5 -4", ["strength -4"]),
        ("time 25", ["hour 25"]),
        ("undo 3", ["'3' is too much"]),
        ("key W", ["state is missing"]),
        ("sea 3 @soon", ["@soon"]),
        ("@3", ["no command"]),
        ("look 0,90", ["pitch 90"]),
        ("erode", ["position is missing", "erode cancel"]),
        ("erode 0,0 600 30", ["radius 600", "0.5 … 512"]),
        ("erode 0,0 60 0", ["duration 0"]),
        ("erode 0,0 60 30 0.6", ["rate is missing"]),
        ("erode 0,0 60 30 0.9 0.05", ["slope threshold 0.9", "0.3 … 0.8"]),
        ("erode 0,0 60 30 0.6 0.2", ["rate 0.2", "0.01 … 0.1"]),
        ("erode cancel now", ["2 numbers"]),
    ],
)
def test_mistakes_are_named(text: str, words: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        parse_command(text)
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert word in message


def test_scripts_are_ordered_by_time_and_stable() -> None:
    script = parse_script("sea 5 @3; undo; redo\n# nothing\ntime 4 @3 # dusk\n;;")
    assert [command.name for command in script] == ["undo", "redo", "sea", "time"]


def test_worlds_are_named_with_commas_between() -> None:
    assert parse_command("world new My ridge, desert, -5").values == ("new", "My ridge", "desert", "-5")
    assert parse_command("world rename a b, c d").values == ("rename", "a b", "c d")
    assert parse_command("world open a b @2").values == ("open", "a b")
    for text in (
        "world",
        "world open",
        "world copy a",
        "world new a, b, c",
        "world open a, b",
        "world burn a",
    ):
        with pytest.raises(UsageError, match="write it as: world open"):
            parse_command(text)
