"""Sculpting by a person: brush buttons, wheel and drags with a real mouse; the save says what the hand did."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from game.ecs.components import SculptTool
from game.ui.sculpt_tool import SPACING, WHEEL_STEP, BrushButtons
from tests.play.screen import Screen, difference
from tests.play.test_played import HEIGHT, WIDTH, is_land

pytestmark = [
    pytest.mark.play,
    pytest.mark.gl,
    pytest.mark.skipif(
        shutil.which("Xvfb") is None or shutil.which("xdotool") is None, reason="needs Xvfb and xdotool"
    ),
]

ROOT = Path(__file__).resolve().parents[2]
AT = (WIDTH // 2, int(HEIGHT * 0.62))
AROUND = np.s_[AT[1] - 100 : AT[1] + 20, AT[0] - 100 : AT[0] + 100]
"""Land in front of the rider, above the buttons, and what of the picture a hill there changes."""


@pytest.fixture
def buttons(gl_context: object) -> dict[str, tuple[float, float, float, float]]:
    """Where the brush buttons are in a window of this size."""
    from game.ui.imgui_layer import ImguiLayer

    brushes = BrushButtons()
    with ImguiLayer() as layer:
        for _ in range(3):
            layer.begin(1.0 / 60.0, (WIDTH, HEIGHT))
            brushes.draw(SculptTool(active=True), layer)
            layer.end()
    return brushes.rects


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[Screen]:
    directory = tmp_path / "screen"
    directory.mkdir()
    shown = Screen(directory, WIDTH, HEIGHT)
    yield shown
    shown.close()


def start(screen: Screen, data: Path) -> subprocess.Popen[str]:
    hidden = ("SDL_VIDEODRIVER", "PYOPENGL_PLATFORM", "WAYLAND_DISPLAY")
    env = {key: value for key, value in os.environ.items() if key not in hidden}
    env |= {"DISPLAY": screen.display, "VELOTERRA_DATA_DIR": str(data), "SDL_AUDIODRIVER": "dummy"}
    words = f"--seed 7 --size {WIDTH}x{HEIGHT} --quality low --save sculpted --start 0,0"
    return subprocess.Popen(
        [sys.executable, "-m", "game", *words.split()],
        cwd=ROOT,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_buttons_wheel_and_drags_say_what_the_hand_did(
    screen: Screen, buttons: dict[str, tuple[float, float, float, float]], tmp_path: Path
) -> None:
    def press(name: str) -> None:
        left, top, right, bottom = buttons[name]
        x, y = round((left + right) / 2), round((top + bottom) / 2)
        screen.do("mousemove", str(x - 1), str(y))
        screen.do("mousemove", str(x), str(y))
        time.sleep(0.6)
        screen.do("mousedown", "1")
        time.sleep(0.5)
        screen.do("mouseup", "1")
        time.sleep(0.6)

    def drag(held: str, button: str) -> None:
        screen.do("mousemove", str(AT[0] - 1), str(AT[1]))
        screen.do("mousemove", str(AT[0]), str(AT[1]))
        time.sleep(0.5)
        screen.do("keydown", held)
        screen.do("mousedown", button)
        for step in range(4):
            screen.do("mousemove", str(AT[0] + 6 * step), str(AT[1]))
            time.sleep(0.2)
        screen.do("mouseup", button)
        time.sleep(0.2)
        screen.do("keyup", held)
        time.sleep(0.8)

    game = start(screen, tmp_path / "data")
    try:
        screen.until(is_land, 200.0, "the land after the loading screen")
        screen.do("keydown", "s")
        screen.do("key", "Tab")
        time.sleep(1.5)
        press("peak")
        screen.do("mousemove", str(AT[0]), str(AT[1]))
        time.sleep(0.5)
        for _ in range(6):
            screen.do("click", "4")
        screen.do("keydown", "shift")
        for _ in range(12):
            screen.do("click", "4")
        screen.do("keyup", "shift")
        time.sleep(1.0)
        before = screen.pixels()
        drag("ctrl", "1")
        peaked = screen.pixels()
        assert difference(before[AROUND], peaked[AROUND]) > 3.0, "the peak does not show"
        drag("shift", "3")
        press("flatten")
        press("linear")
        drag("ctrl", "1")
        press("canyon")
        drag("ctrl", "3")  # the opposite of a canyon
        screen.do("keyup", "s")
    finally:
        game.terminate()
        output, _ = game.communicate(timeout=60)
    assert game.returncode == 0, output
    assert "Traceback" not in output, output
    saved = json.loads(gzip.decompress((tmp_path / "data/worlds/sculpted/world.json.gz").read_bytes()))
    strokes = saved["edits"]["strokes"]
    assert [{dab["brush"] for dab in stroke} for stroke in strokes] == [
        {"peak"},
        {"delta"},
        {"flatten"},
        {"peak"},
    ]
    fresh = SculptTool()
    first = strokes[0][0]
    assert first["radius_m"] == pytest.approx(fresh.radius_m * WHEEL_STEP**6, rel=1e-6)
    assert first["strength_m"] == pytest.approx(fresh.strength_m * WHEEL_STEP**12 * SPACING, rel=1e-6)
    assert strokes[2][0]["falloff"] == "linear"
    assert len({dab["target_m"] for dab in strokes[2]}) == 1, "a stroke flattens to where it began"
