"""Riding by real keys on a virtual screen: pedal, steer, cameras, the calm camera, remapped keys from the file."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from game.core.preferences import Preferences
from game.gl.context import GLContext
from tests.play.screen import Screen, difference
from tests.play.test_played import is_land

pytestmark = [
    pytest.mark.play,
    pytest.mark.gl,
    pytest.mark.skipif(
        shutil.which("Xvfb") is None or shutil.which("xdotool") is None, reason="needs Xvfb and xdotool"
    ),
]

ROOT = Path(__file__).resolve().parents[2]
WIDTH, HEIGHT = 480, 270
MIDDLE = np.s_[HEIGHT // 3 : HEIGHT * 3 // 4]


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[Screen]:
    directory = tmp_path / "screen"
    directory.mkdir()
    shown = Screen(directory, WIDTH, HEIGHT)
    yield shown
    shown.close()


def middles(*fields: str) -> list[tuple[float, float]]:
    """Where fields of the controls screen are on a screen of this size."""
    from game.ui.controls_screen import ControlsScreen
    from game.ui.imgui_layer import ImguiLayer

    with ImguiLayer() as layer:
        controls = ControlsScreen()
        for _ in range(3):
            layer.begin(1.0 / 60.0, (WIDTH, HEIGHT))
            controls.draw(Preferences(), layer)
            layer.end()
        found = [controls.rects[field] for field in fields]
    return [(0.5 * (left + right), 0.5 * (top + bottom)) for left, top, right, bottom in found]


def test_keys_of_the_settings_file_ride_and_others_are_bound_on_the_screen(
    screen: Screen, tmp_path: Path, gl_context: GLContext
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "settings.toml").write_text(
        '[camera]\nfov_deg = "wide"\n[keys]\npedal = ["I"]\n', encoding="utf-8"
    )
    hop_field, sprint_field = middles("hop key 0", "sprint key 2")
    hidden = ("SDL_VIDEODRIVER", "PYOPENGL_PLATFORM", "WAYLAND_DISPLAY")
    env = {key: value for key, value in os.environ.items() if key not in hidden}
    env |= {"DISPLAY": screen.display, "VELOTERRA_DATA_DIR": str(data), "SDL_AUDIODRIVER": "dummy"}
    words = f"--seed 7 --size {WIDTH}x{HEIGHT} --quality low --save keys --start 0,0 --view-km 4"
    game = subprocess.Popen(
        [sys.executable, "-m", "game", *words.split(), "--exec", "dab raise 0,0 400 60"],
        cwd=ROOT,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        screen.until(is_land, 200.0, "the land after the loading screen")
        screen.do("keydown", "i")
        screen.do("keydown", "d")
        time.sleep(2.5)
        screen.do("keyup", "d")
        screen.do("keyup", "i")
        screen.do("keydown", "s")
        time.sleep(3.0)
        views = [screen.pixels()]
        for _ in range(3):
            screen.do("key", "c")
            time.sleep(1.5)
            views.append(screen.pixels())
        for before, after in itertools.pairwise(views):
            assert difference(before[MIDDLE], after[MIDDLE]) > 1.0, "another camera shows the same"
        screen.do("key", "c")
        screen.do("key", "m")
        time.sleep(1.5)
        screen.do("keyup", "s")
        before = screen.pixels()
        screen.do("key", "F2")
        screen.until(lambda now: difference(before, now) > 12.0, 20.0, "the controls screen")
        for field, pressed in ((hop_field, ("key", "j")), (sprint_field, ("click", "3"))):
            screen.do("mousemove", *(str(round(side)) for side in field))
            time.sleep(0.8)
            screen.do("click", "1")
            time.sleep(1.2)
            screen.do(*pressed)
            time.sleep(1.2)
        screen.do("key", "F2")
        time.sleep(1.0)
    finally:
        game.terminate()
        output, _ = game.communicate(timeout=60)
    assert game.returncode == 0, output
    assert "Traceback" not in output, output
    kept = tomllib.loads((data / "settings.toml").read_text(encoding="utf-8"))
    assert kept["camera"]["reduced_motion"] is True, "M asks for a calm camera, and it is kept"
    assert kept["keys"]["pedal"] == ["I"]
    assert kept["keys"]["hop"] == ["J"], "F2, a click and a key"
    assert kept["keys"]["sprint"] == ["SHIFT", "RSHIFT", "MOUSERIGHT"]
    assert kept["camera"]["fov_deg"] == 62
    assert kept["game"]["hints_seen"] is True
