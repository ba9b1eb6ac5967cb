"""The window, each case in a process of its own: SDL has one display, and other tests hold it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

OPEN = """
from game.core.errors import UsageError
from game.host.window import NoDisplay, Window
try:
    with Window.open(320, 180, offscreen={offscreen}) as window:
        print(window.driver, window.size, window.drawable_size, window.is_fullscreen)
        {body}
except NoDisplay as error:
    print("NoDisplay:", error)
except UsageError as error:
    print("UsageError:", error)
"""


def run(code: str, **environment: str | None) -> str:
    """What `code` prints; `None` removes a variable."""
    env = {k: v for k, v in os.environ.items() if k not in ("SDL_VIDEODRIVER", "PYOPENGL_PLATFORM")}
    env["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
    for name, value in environment.items():
        env.pop(name, None)
        if value is not None:
            env[name] = value
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.gl
def test_offscreen() -> None:
    body = "window.swap(); window.set_title('x'); window.close(); window.close()"
    code = OPEN.format(offscreen=True, body=body) + "import sys; print('OpenGL' in sys.modules)"
    assert run(code).splitlines() == ["offscreen (320, 180) (320, 180) False", "False"]


@pytest.mark.gl
def test_full_screen_where_there_is_no_screen_changes_nothing() -> None:
    code = OPEN.format(offscreen=True, body="print(window.toggle_fullscreen(), window.size)")
    assert run(code).splitlines()[1] == "False (320, 180)"


@pytest.mark.gl
def test_the_drawable_may_be_larger_than_the_window() -> None:
    code = "from game.host.window import Window\n" + (
        "with Window.open(320, 180, offscreen=True, pixel_ratio=1.5) as w: print(w.size, w.drawable_size)"
    )
    assert run(code) == "(320, 180) (480, 270)"


@pytest.mark.gl
def test_old_opengl_is_refused_in_one_sentence() -> None:
    out = run(OPEN.format(offscreen=True, body="pass"), MESA_GL_VERSION_OVERRIDE="2.1")
    if not out.startswith("UsageError"):
        pytest.skip(f"this driver does not obey Mesa's override: {out}")
    assert out.startswith("UsageError: OpenGL 3.3 core is needed and this machine offers OpenGL 2.1")
    assert "update the graphics driver" in out
    assert len(out.splitlines()) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="names libraries of Linux")
def test_a_missing_library_is_named() -> None:
    out = run(OPEN.format(offscreen=True, body="pass"), SDL_VIDEO_EGL_DRIVER="/nonexistent/libEGL.so")
    assert out.startswith("UsageError: the OpenGL library could not be loaded")
    assert "libegl1" in out


@pytest.mark.skipif(sys.platform != "linux", reason="a display server cannot be taken away elsewhere")
@pytest.mark.parametrize("driver", [None, "x11"])
def test_no_screen(driver: str | None) -> None:
    out = run(
        OPEN.format(offscreen=False, body="pass"), DISPLAY=None, WAYLAND_DISPLAY=None, SDL_VIDEODRIVER=driver
    )
    assert out.startswith("NoDisplay: no screen was found")
    assert "--offscreen" in out


def test_a_size_of_nothing_is_refused() -> None:
    from game.host.window import Window

    with pytest.raises(ValueError, match="size 0×180 is not accepted"):
        Window.open(0, 180)
