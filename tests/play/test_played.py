"""The game played by a person: real keys and a real mouse on a virtual screen, judged by what is seen and saved."""

from __future__ import annotations

import gzip
import json
import math
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from game.ui.debug_menu import DebugMenu, DebugState
from tests.play.screen import Screen, difference

pytestmark = [
    pytest.mark.play,
    pytest.mark.gl,
    pytest.mark.skipif(
        shutil.which("Xvfb") is None or shutil.which("xdotool") is None, reason="needs Xvfb and xdotool"
    ),
]

ROOT = Path(__file__).resolve().parents[2]
WIDTH, HEIGHT = 640, 360
GROUND = np.s_[HEIGHT * 6 // 10 :]


@pytest.fixture
def sea_slider(gl_context: object) -> tuple[float, float, float, float]:
    """Where the menu puts its sea slider in a window of this size."""
    from game.ui.imgui_layer import ImguiLayer

    menu = DebugMenu()
    with ImguiLayer() as layer:
        for _ in range(3):
            layer.begin(1.0 / 60.0, (WIDTH, HEIGHT))
            menu.draw(DebugState(), layer)
            layer.end()
    assert menu.sea_slider_rect is not None
    return menu.sea_slider_rect


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
    words = f"--seed 7 --size {WIDTH}x{HEIGHT} --quality low --save played --start 0,0"
    return subprocess.Popen(
        [sys.executable, "-m", "game", *words.split(), "--exec", "dab raise 0,0 400 60"],
        cwd=ROOT,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def settled(screen: Screen, seconds: float = 60.0) -> NDArray[np.uint8]:
    """A picture whose ground holds still; clouds and trees move for ever."""
    before = screen.pixels()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(1.0)
        now = screen.pixels()
        if difference(before[GROUND], now[GROUND]) < 2.0:
            return now
        before = now
    raise AssertionError("the picture never held still")


def is_land(pixels: NDArray[np.uint8]) -> bool:
    """Green land in the lower middle; the loading screen is blue and black there."""
    _, green, blue = pixels[HEIGHT // 2 :, WIDTH // 3 :].reshape(-1, 3).mean(axis=0)
    return bool(green > blue * 1.15 and green > 40)


def test_ride_sculpt_and_flood(
    screen: Screen, sea_slider: tuple[float, float, float, float], tmp_path: Path
) -> None:
    game = start(screen, tmp_path / "data")
    try:
        screen.until(is_land, 200.0, "the land after the loading screen")

        # Ride: the brake holds on the slope, and the picture moves while W is held.
        screen.do("keydown", "s")
        standing = settled(screen)
        screen.do("keyup", "s")
        screen.do("keydown", "w")
        time.sleep(3.0)
        screen.do("keyup", "w")
        assert difference(standing[GROUND], screen.pixels()[GROUND]) > 4.0, "riding does not show"
        screen.do("keydown", "s")
        still = settled(screen)

        # Sculpt: Tab frees the pointer, Ctrl + left drag raises the land under it.
        screen.do("key", "Tab")
        at = (WIDTH // 2, int(HEIGHT * 0.62))
        screen.do("mousemove", str(at[0] - 40), str(at[1]))
        screen.do("mousemove", str(at[0]), str(at[1]))
        time.sleep(1.5)
        ringed = screen.pixels()
        assert difference(still, ringed) > 0.2, "the brush does not show"
        for _ in range(8):
            screen.do("click", "4")
        screen.do("keydown", "ctrl")
        screen.do("mousedown", "1")
        for step in range(10):
            screen.do("mousemove", str(at[0] + 6 * step), str(at[1]))
            time.sleep(0.2)
        screen.do("mouseup", "1")
        screen.do("keyup", "ctrl")
        time.sleep(1.5)
        assert difference(ringed, screen.pixels()) > 3.0, "the raised land does not show"

        # The same under the wheels, the other way with Ctrl + right, and Shift + right smooths.
        wheels = (WIDTH // 2, int(HEIGHT * 0.74))
        for held, button in (("ctrl", "1"), ("ctrl", "3"), ("shift", "3")):
            screen.do("mousemove", str(wheels[0] - 20), str(wheels[1]))
            screen.do("keydown", held)
            screen.do("mousedown", button)
            for step in range(4):
                screen.do("mousemove", str(wheels[0] - 20 + 10 * step), str(wheels[1]))
                time.sleep(0.2)
            screen.do("mouseup", button)
            screen.do("keyup", held)
            time.sleep(0.5)
        screen.do("keyup", "s")

        # Flood: F1 opens the menu, the mouse drags the sea slider to its right end.
        screen.do("key", "Tab")
        screen.do("key", "F1")
        time.sleep(1.5)
        menu = screen.pixels()
        left, top, right, bottom = sea_slider
        middle = (top + bottom) / 2
        # The handle stands at 0 m, 200 of 2200 m from the left end.
        handle = left + (right - left) * 200.0 / 2200.0
        screen.do("mousemove", str(round(handle)), str(round(middle)))
        time.sleep(0.6)
        screen.do("mousedown", "1")
        for share in (0.3, 0.6, 0.9, 1.0):
            screen.do("mousemove", str(round(left + (right - left) * share) - 2), str(round(middle)))
            time.sleep(0.4)
        screen.do("mouseup", "1")
        time.sleep(1.5)
        flooded = screen.pixels()
        half = np.s_[:, : WIDTH // 2]
        assert difference(menu[half], flooded[half]) > 5.0, "the sea does not show"

        screen.do("key", "F12")
        time.sleep(1.5)
    finally:
        game.terminate()
        output, _ = game.communicate(timeout=60)
    assert game.returncode == 0, output
    assert "Traceback" not in output, output
    saved = json.loads(gzip.decompress((tmp_path / "data/worlds/played/world.json.gz").read_bytes()))
    assert saved["sea_level_m"] > 1500.0
    strokes = saved["edits"]["strokes"][1:]  # the first is the command's
    assert [{dab["brush"] for dab in stroke} for stroke in strokes[:3]] == [{"raise"}, {"raise"}, {"lower"}]
    assert len(strokes) == 4, "Shift + right drag smoothed nothing"
    rider = saved["rider"]
    away_m = [math.hypot(dab["x"] - rider["x"], dab["z"] - rider["z"]) for dab in strokes[1]]
    assert min(away_m) < strokes[1][0]["radius_m"], "the land did not rise under the wheels"
    assert list((tmp_path / "data" / "pictures").glob("*.png")), "F12 wrote no picture"
