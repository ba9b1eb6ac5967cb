"""Following, failing and ending the process that compiles."""

from __future__ import annotations

import sys
import time

import pytest

from game.host.warmup_child import Progress, WarmUpChild, parse_line


def child(code: str) -> WarmUpChild:
    return WarmUpChild([sys.executable, "-c", code])


def wait_for(running: WarmUpChild, seconds: float = 20.0) -> Progress:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        progress = running.poll()
        if progress.finished:
            return progress
        time.sleep(0.01)
    raise AssertionError("the child did not end")


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ("3 41 noise.fill\n", (3, 41, "noise.fill")),
        ("3 41 two words\n", (3, 41, "two words")),
        ("0 41\n", (0, 41, "")),
        ("a warning\n", None),
        ("-1 4 x\n", None),
        ("", None),
    ],
)
def test_lines(line: str, meaning: tuple[int, int, str] | None) -> None:
    assert parse_line(line) == meaning


def test_share() -> None:
    assert Progress().share == 0.0
    assert Progress(3, 4).share == 0.75
    assert Progress(9, 4).share == 1.0
    assert Progress(1, 4, finished=True).share == 1.0


def test_progress_and_a_good_end() -> None:
    with child("print('1 2 a'); print('noise'); print('2 2 b')") as running:
        assert wait_for(running) == Progress(2, 2, "b", finished=True)
        assert running.poll().finished


def test_a_failure_tells_its_last_line() -> None:
    code = "print('1 9 a'); raise RuntimeError('no LLVM here')"
    with child(code) as running:
        progress = wait_for(running)
    assert progress.finished
    assert progress.error == "RuntimeError: no LLVM here"
    assert progress.done == 1
    with child("raise SystemExit(3)") as running:
        assert wait_for(running).error == "the warm-up ended with status 3"


def test_much_output_on_stderr_does_not_stop_the_child() -> None:
    with child("import sys; sys.stderr.write('x' * 1_000_000); print('1 1 a')") as running:
        assert wait_for(running).error == ""


def test_ending_a_busy_child_that_ignores_requests() -> None:
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('1 2 a')\nwhile 1: pass"
    running = child(code)
    end = time.monotonic() + 20.0
    while running.poll().done == 0 and time.monotonic() < end:
        time.sleep(0.01)
    running.terminate()
    running.terminate()
    assert running.poll() == Progress(1, 2, "a", finished=True, error="the warm-up was stopped")


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(OSError):
        WarmUpChild(["/nonexistent/python"])
