"""Compiles the kernels in a child process, so that the window stays alive meanwhile.

LLVM holds the interpreter for seconds at a time; a thread would freeze the window. The child fills the
on-disk cache and prints a line per kernel; this module starts it, follows it and ends it. Ending it at any
moment is safe: half a cache is rebuilt. Knows nothing of windows.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import IO, Self

WARMUP_MODULE = "game.kernels.warmup"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a warm-up is."""

    done: int = 0
    total: int = 0
    """0 until the child has said how many there are."""
    label: str = ""
    finished: bool = False
    error: str = ""
    """Why it failed, one line; "" while it runs or went well. Set only with `finished`."""

    @property
    def share(self) -> float:
        """0…1."""
        return 1.0 if self.finished else min(1.0, self.done / self.total) if self.total else 0.0


def parse_line(line: str) -> tuple[int, int, str] | None:
    """(done, total, name) of a line `DONE TOTAL NAME`, or None for any other line."""
    words = line.split(None, 2)
    if len(words) < 2 or not words[0].isdecimal() or not words[1].isdecimal():
        return None
    return int(words[0]), int(words[1]), words[2].strip() if len(words) > 2 else ""


class WarmUpChild:
    """A running warm-up. Works with `with`; leaving it ends the child."""

    def __init__(self, command: Sequence[str] | None = None) -> None:
        """Start `command`, by default this interpreter on the warm-up module. Raises `OSError`."""
        arguments = list(command or (sys.executable, "-m", WARMUP_MODULE))
        # A file, not a pipe: nobody reads it until the end, and a full pipe would stop the child.
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `terminate`)
        try:
            self._process = subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env={**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": _module_path()},
            )
        except OSError:
            self._errors.close()
            raise
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._progress = Progress(label="starting")
        self._reader = threading.Thread(target=self._read, name="warm-up output", daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.decode(errors="replace"))

    def poll(self) -> Progress:
        """How far it is now; never waits."""
        if self._progress.finished:
            return self._progress
        # Asked before the lines are taken, so that lines written just before the end are not missed.
        ended = self._process.poll()
        if ended is not None:
            self._reader.join(1.0)
        while not self._lines.empty():
            parsed = parse_line(self._lines.get())
            if parsed is not None:
                self._progress = Progress(*parsed)
        if ended is not None:
            error = "" if ended == 0 else self._reason(ended)
            self._progress = replace(self._progress, finished=True, error=error)
            self.terminate()
        return self._progress

    def _reason(self, code: int) -> str:
        """Last line the child complained with, or its exit status."""
        self._errors.seek(0)
        lines = [line.strip() for line in self._errors.read().decode(errors="replace").splitlines()]
        last = next((line for line in reversed(lines) if line), "")
        return last or f"the warm-up ended with status {code}"

    def terminate(self) -> None:
        """End the child within 0.3 s, politely first. May be called more than once."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(0.2)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        if not self._progress.finished:
            self._progress = replace(self._progress, finished=True, error="the warm-up was stopped")
        self._reader.join(0.1)
        if self._process.stdout is not None and not self._reader.is_alive():
            self._process.stdout.close()
        self._errors.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.terminate()


def _module_path() -> str:
    """The child must find the same `game` as we did, wherever the program was started from."""
    ours = str(Path(__file__).resolve().parents[2])
    given = os.environ.get("PYTHONPATH")
    return os.pathsep.join([ours, given]) if given else ours
