"""The command line: options, and one sentence with exit code 2 for what is wrong."""

from pathlib import Path

import pytest

from game.__main__ import main, parse_arguments

RIDE = ["ride", "--seconds", "20"]


def test_the_documented_ride() -> None:
    words = "ride --seconds 20 --seed 7 --world alpine --offscreen --size 640x360 --quality low --autopilot downhill"
    options = parse_arguments(words.split())
    assert (options.seconds, options.seed, options.world, options.offscreen) == (20.0, 7, "alpine", True)
    assert (options.width, options.height, options.quality, options.pages) == (640, 360, "low", "wait")


@pytest.mark.parametrize("form", [["--start", "-5,3"], ["--start=-5,3"]])
def test_a_start_may_begin_with_a_dash(form: list[str]) -> None:
    assert parse_arguments([*RIDE, *form]).start == (-5.0, 3.0)


def test_no_words_play() -> None:
    assert parse_arguments([]).seconds is None
    assert parse_arguments(["--seed", "-3"]).seed == -3


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ([*RIDE, "--seed", "seven"], ["--seed", "'seven'", "integer"]),
        ([*RIDE, "--seed", "1.5"], ["'1.5'", "integer"]),
        ([*RIDE, "--size", "0x0"], ["--size", "'0x0'", "16"]),
        ([*RIDE, "--size", "640"], ["'640'", "WIDTHxHEIGHT"]),
        ([*RIDE, "--quality", "best"], ["--quality", "'best'", "low"]),
        ([*RIDE, "--report", "/dev/null/ride.json"], ["--report", "/dev/null"]),
        ([*RIDE, "--screenshot", "ride.bmp"], ["'ride.bmp'", "FILE.png"]),
        ([*RIDE, "--screenshot", "ride.png@30"], ["30 s", "20"]),
        ([*RIDE, "--video", "ride.avi"], ["--video", "ride.avi", "FILE.mp4"]),
        ([*RIDE, "--fps", "nan"], ["--fps", "'nan'"]),
        ([*RIDE, "--start", "nan,0"], ["--start", "'nan,0'"]),
        ([*RIDE, "--start", "2147483648,0"], ["2147483648"]),
        ([*RIDE, "--sea-level", "5000"], ["'5000'", "2000"]),
        ([*RIDE, "--exec", "flood 3"], ["'flood'"]),
        ([*RIDE, "--exec-file", "/dev/null/script"], ["/dev/null/script"]),
        ([*RIDE, "--bogus"], ["--bogus"]),
        (["ride"], ["--seconds"]),
        (["fly"], ["'fly'", "ride"]),
        (["export"], ["--bounds", "--out"]),
    ],
)
def test_mistakes_exit_2_with_one_sentence(
    words: list[str], named: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "Traceback" not in error
    for word in named:
        assert word in error


def test_an_unwritable_report_is_refused_and_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*RIDE, "--report", str(tmp_path)]) == 2
    assert "is a directory" in capsys.readouterr().err
    parse_arguments([*RIDE, "--report", str(tmp_path / "ride.json")])
    assert list(tmp_path.iterdir()) == []
