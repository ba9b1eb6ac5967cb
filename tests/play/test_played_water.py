"""The sea moved by a person: F1, the tab Water, its slider dragged with a real mouse, and the shore moves on screen."""

from __future__ import annotations

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
SIGHT = np.s_[HEIGHT // 2 :, : WIDTH // 3]
"""Left of the window, below the horizon."""

Rect = tuple[float, float, float, float]


@pytest.fixture
def places(gl_context: object) -> tuple[Rect, Rect]:
    """Where the menu puts the tab Water and that tab's sea slider in a window of this size."""
    from game.ui.imgui_layer import ImguiLayer

    menu = DebugMenu()
    with ImguiLayer() as layer:
        for frame in range(6):
            if frame == 2:
                menu.open_tab("Water")
            layer.begin(1.0 / 60.0, (WIDTH, HEIGHT))
            menu.draw(DebugState(), layer)
            layer.end()
    return menu.rects["tab Water"], menu.rects["level"]


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[Screen]:
    directory = tmp_path / "screen"
    directory.mkdir()
    shown = Screen(directory, WIDTH, HEIGHT)
    yield shown
    shown.close()


def water_share(pixels: NDArray[np.uint8]) -> float:
    """Share of blue pixels: the sea; land is green and sand here."""
    red, _, blue = (pixels[SIGHT][..., k].astype(int) for k in range(3))
    return float((blue > red + 18).mean())


def shows_a_coast(pixels: NDArray[np.uint8]) -> bool:
    """A bright sky above, land and sea below; the loading screen is dark all over."""
    return bool(pixels[20:60].mean() > 90) and 0.05 < water_share(pixels) < 0.95


def start(screen: Screen, data: Path) -> subprocess.Popen[str]:
    hidden = ("SDL_VIDEODRIVER", "PYOPENGL_PLATFORM", "WAYLAND_DISPLAY")
    env = {key: value for key, value in os.environ.items() if key not in hidden}
    env |= {"DISPLAY": screen.display, "VELOTERRA_DATA_DIR": str(data), "SDL_AUDIODRIVER": "dummy"}
    # Over the south-east coast of an island, the sea on the left: land and water side by side.
    words = "--world islands --seed 7 --quality low --start 3400,-2800 --view-km 10"
    look = "time 11; eye 3500,160,-2500; look 240,-14"
    return subprocess.Popen(
        [sys.executable, "-m", "game", *words.split(), "--size", f"{WIDTH}x{HEIGHT}", "--exec", look],
        cwd=ROOT,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def drag(screen: Screen, slider: Rect, from_m: float, to_m: float) -> None:
    """Take the handle at one level and put it down at another."""
    left, top, right, bottom = slider
    y = str(round((top + bottom) / 2))
    # The handle's middle runs between half its width from either end.
    inner = right - left - 12.0

    def at(level_m: float) -> str:
        return str(round(left + 6.0 + inner * (level_m + 200.0) / 2200.0))

    screen.do("mousemove", at(from_m), y)
    time.sleep(0.5)
    screen.do("mousedown", "1")
    for share in (0.25, 0.5, 0.75, 1.0):
        screen.do("mousemove", at(from_m + (to_m - from_m) * share), y)
        time.sleep(0.35)
    screen.do("mouseup", "1")
    time.sleep(1.0)


def test_the_shore_follows_the_slider_up_and_down(
    screen: Screen, places: tuple[Rect, Rect], tmp_path: Path
) -> None:
    tab, slider = places
    game = start(screen, tmp_path / "data")
    try:
        screen.until(shows_a_coast, 200.0, "a coast after the loading screen")
        time.sleep(3.0)
        screen.do("key", "F1")
        time.sleep(1.5)
        screen.do("mousemove", str(round((tab[0] + tab[2]) / 2)), str(round((tab[1] + tab[3]) / 2)))
        time.sleep(0.5)
        screen.do("click", "1")
        time.sleep(1.5)
        before = screen.pixels()
        drag(screen, slider, 0.0, 150.0)
        flooded = screen.pixels()
        drag(screen, slider, 150.0, -190.0)
        dry = screen.pixels()
        shares = [water_share(picture) for picture in (dry, before, flooded)]
        assert shares[0] + 0.02 < shares[1] < shares[2] - 0.10, f"water on screen: {shares}"
        assert difference(before[SIGHT], flooded[SIGHT]) > 5.0
    finally:
        game.terminate()
        output, _ = game.communicate(timeout=60)
    assert game.returncode == 0, output
    assert "Traceback" not in output, output
