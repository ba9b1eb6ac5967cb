"""Window and inputs under a real X server, with real keys and a real pointer."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.play,
    pytest.mark.skipif(
        shutil.which("Xvfb") is None or shutil.which("xdotool") is None,
        reason="needs Xvfb and xdotool",
    ),
]

ROOT = Path(__file__).resolve().parents[2]

# Prints what it sees, one line per change; ends on the quit event or after 30 s.
PROGRAM = """
import sys, time
import pygame
from game.gl.context import bind_platform
from game.host.inputs import Inputs
from game.host.window import Window
window = Window.open(640, 360, "veloterra-test")
bind_platform(window.driver)
from OpenGL import GL
texture = GL.glGenTextures(1)
GL.glBindTexture(GL.GL_TEXTURE_2D, texture)
inputs = Inputs()
inputs.grab_pointer("grab" in sys.argv)
print("ready", window.driver, pygame.display.get_wm_info()["window"], flush=True)
look = 0.0
end = time.monotonic() + 30.0
while time.monotonic() < end:
    frame = inputs.poll()
    look += frame.look_dx
    for name in ("hop", "sculpt", "pause", "debug_menu", "picture", "undo", "focus_lost", "focus_gained"):
        if getattr(frame, name):
            print(name, inputs.grabbed, flush=True)
    for name in ("pedal", "brake", "steer", "wheel"):
        if getattr(frame, name):
            print(name, getattr(frame, name), flush=True)
    if frame.left_pressed or frame.right_pressed:
        print("click", frame.left, frame.right, frame.ctrl, frame.pointer_x, frame.pointer_y, flush=True)
    if frame.fullscreen:
        window.toggle_fullscreen()
    if frame.fullscreen or frame.resized:
        print("size", *window.drawable_size, window.is_fullscreen, bool(GL.glIsTexture(texture)), flush=True)
    if frame.camera:
        print("look", look, flush=True)
    if frame.quit or frame.recover:
        break
    window.swap()
    time.sleep(0.005)
inputs.close()
window.close()
print("closed", flush=True)
"""


class Played:
    """The program on its own X server."""

    def __init__(self, display: str, *arguments: str) -> None:
        env = {k: v for k, v in os.environ.items() if k not in ("SDL_VIDEODRIVER", "PYOPENGL_PLATFORM")}
        self.env = {**env, "DISPLAY": display, "PYGAME_HIDE_SUPPORT_PROMPT": "1"}
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *arguments],
            env=self.env,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        _, driver, self.window = self.until("ready").split()
        assert driver == "x11"
        assert self.do("getwindowname", self.window).strip() == "veloterra-test"
        self.do("windowfocus", "--sync", self.window)

    def do(self, *words: str) -> str:
        done = subprocess.run(
            ["xdotool", *words], env=self.env, capture_output=True, text=True, timeout=20, check=True
        )
        return done.stdout

    def until(self, start: str) -> str:
        """The next line that begins with `start`; the program itself gives up after 30 s."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.strip())
            if line.startswith(start):
                return line.strip()
        error = self.process.stderr.read() if self.process.stderr else ""
        raise AssertionError(f"no line {start!r} came; saw {self.lines}; {error}")

    def close(self) -> None:
        self.process.terminate()
        self.process.communicate(timeout=10)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A display of our own, on a number the server finds free."""
    read, write = os.pipe()
    process = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x720x24", "-nolisten", "tcp"],
        pass_fds=[write],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()
    assert number, "Xvfb did not start"
    yield f":{number}"
    process.terminate()
    process.wait(10)


@pytest.fixture
def played(server: str, request: pytest.FixtureRequest) -> Iterator[Played]:
    program = Played(server, *getattr(request, "param", ()))
    yield program
    program.close()


def test_keys_pointer_and_wheel(played: Played) -> None:
    played.do("key", "space")
    played.until("hop")
    played.do("key", "Tab")
    played.until("sculpt")
    played.do("key", "F1")
    played.until("debug_menu")
    played.do("key", "ctrl+z")
    played.until("undo")
    played.do("keydown", "w")
    assert played.until("pedal") == "pedal 1.0"
    played.do("keyup", "w")
    played.do("key", "Left")
    assert played.until("steer") == "steer -1.0"
    played.do("mousemove", "--window", played.window, "123", "45")
    played.do("keydown", "ctrl", "click", "3", "keyup", "ctrl")
    assert played.until("click") == "click False True True 123.0 45.0"
    played.do("click", "4")
    assert played.until("wheel") == "wheel 1.0"
    played.do("key", "r")
    played.until("closed")


def test_full_screen_ten_times_and_resizes_keep_gl_objects_and_size(played: Played) -> None:
    for turn in range(10):
        played.do("key", "F11")
        full = turn % 2 == 0
        size = "1280 720" if full else "640 360"
        played.until(f"size {size} {full} True")
        time.sleep(0.05)
    played.do("windowsize", played.window, "800", "450")
    played.until("size 800 450 False True")
    played.do("windowsize", played.window, "640", "360")
    played.until("size 640 360 False True")


@pytest.mark.parametrize("played", [("grab",)], indirect=True)
def test_the_pointer_is_grabbed_while_riding_and_let_go_with_the_focus(played: Played, server: str) -> None:
    for _ in range(5):
        played.do("mousemove_relative", "--", "10", "0")
        time.sleep(0.02)
    played.do("key", "c")
    moved = float(played.until("look").split()[1])
    assert 30.0 <= moved <= 50.0, "the first motion after the grab is dropped"
    other = Played(server)
    assert played.until("focus_lost") == "focus_lost False"
    other.do("mousemove_relative", "--", "300", "0")
    played.do("windowfocus", "--sync", played.window)
    assert played.until("focus_gained") == "focus_gained True"
    played.do("key", "c")
    jumped = float(played.until("look").split()[1]) - moved
    assert abs(jumped) <= 1.0, "no jump after coming back"
    other.close()
