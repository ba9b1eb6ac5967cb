"""A virtual screen for played tests: Xvfb with its framebuffer in a file, and a real keyboard and mouse."""

from __future__ import annotations

import os
import struct
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


class Screen:
    """An X server of our own. `pixels()` is what a person in front of it would see."""

    def __init__(self, directory: Path, width: int, height: int) -> None:
        read, write = os.pipe()
        self._server = subprocess.Popen(
            f"Xvfb -nolisten tcp -screen 0 {width}x{height}x24 -displayfd {write} -fbdir {directory}".split(),
            pass_fds=[write],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(write)
        with os.fdopen(read) as pipe:
            number = pipe.readline().strip()
        assert number, "Xvfb did not start"
        self.display = f":{number}"
        self._file = directory / "Xvfb_screen0"

    def pixels(self) -> NDArray[np.uint8]:
        """uint8 [h, w, 3] of the screen now. The file is an XWD image: big-endian header, colours, rows of BGRX."""
        data = self._file.read_bytes()
        header = struct.unpack(">25I", data[:100])
        size, width, height, stride, colours = header[0], header[4], header[5], header[12], header[19]
        rows = np.frombuffer(data, np.uint8, stride * height, size + 12 * colours).reshape(height, stride)
        return rows[:, : 4 * width].reshape(height, width, 4)[:, :, 2::-1].copy()

    def do(self, *words: str) -> str:
        """Press keys and move the mouse with xdotool."""
        env = {**os.environ, "DISPLAY": self.display}
        done = subprocess.run(
            ["xdotool", *words], env=env, capture_output=True, text=True, timeout=30, check=True
        )
        return done.stdout

    def until(
        self, seen: Callable[[NDArray[np.uint8]], bool], seconds: float, what: str
    ) -> NDArray[np.uint8]:
        """Wait until `seen(pixels)`; a picture takes a second on a slow machine, so this polls."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            pixels = self.pixels()
            if seen(pixels):
                return pixels
            time.sleep(0.1)
        raise AssertionError(f"not seen within {seconds:g} s: {what}")

    def close(self) -> None:
        self._server.terminate()
        self._server.wait(10)


def difference(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> float:
    """Mean absolute difference, 0…255."""
    return float(np.abs(a.astype(np.int16) - b.astype(np.int16)).mean())
