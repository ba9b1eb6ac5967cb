"""The offscreen ride, end to end, through the real command line in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

pytestmark = pytest.mark.gl

ROOT = Path(__file__).resolve().parents[2]
RIDE = "ride --seed 7 --world alpine --offscreen --size 320x180 --quality low"

# fmt: off
KEYS = [
    "seed", "world", "seconds", "frames", "steps", "distance_m", "mean_speed_m_s", "top_speed_m_s",
    "descent_m", "min_ground_clearance_m", "late_pages", "holes", "pages_generated", "pages_resident",
    "page_memory_mib", "page_cpu_mib", "view_distance_m", "triangles_p50", "draw_calls_p50", "trees_drawn",
    "cpu_frame_ms",
    "sim_ms", "stream_ms", "select_ms", "upload_ms", "submit_ms", "rss_mib", "gl_live_objects",
    "gl_leaked_objects", "falls", "gl_renderer", "gl_version", "versions",
]
# fmt: on


def veloterra(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "game", *words]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=280, check=False, **options
    )


def ride(tmp_path: Path, options: str, *more: str) -> dict:
    report = tmp_path / "ride.json"
    done = veloterra(*RIDE.split(), *options.split(), *more, "--report", str(report))
    assert done.returncode == 0, done.stderr
    return json.loads(report.read_text())


def pictures(directory: Path, *names: str) -> list[np.ndarray]:
    return [np.asarray(Image.open(directory / f"{name}.png")).astype(int) for name in names]


def python(script: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", script]
    return subprocess.run(command, capture_output=True, text=True, timeout=250, check=False, **options)


def test_twenty_seconds_of_autopilot(tmp_path: Path) -> None:
    # 12 frames a second instead of 60: the ride is the same, step by step, and the rasteriser is spared.
    report = ride(tmp_path, "--seconds 20 --autopilot downhill --fps 12 --draw none")
    assert [key for key in report if key in KEYS] == KEYS
    assert report["steps"] == 2400
    assert report["descent_m"] >= 40.0
    assert report["mean_speed_m_s"] >= 10.0
    assert report["min_ground_clearance_m"] >= -0.02
    assert report["falls"] == 0
    assert report["holes"] == 0
    assert report["late_pages"] == 0
    assert report["gl_live_objects"] > 0
    assert report["gl_leaked_objects"] == 0


def test_a_starved_ride_has_no_holes(tmp_path: Path) -> None:
    # More land than any worker can make in the time: the finest levels stay behind, the ground never does.
    starved = "--quality ultra --error-px 0.3 --view-km 30 --speed 5000 --seconds 3"
    report = ride(tmp_path, f"--pages budget --workers 1 --draw none --fps 30 {starved}")
    assert report["late_pages"] > 0
    assert report["holes"] == 0
    assert report["distance_m"] == pytest.approx(15000.0)
    assert report["gl_leaked_objects"] == 0


@pytest.mark.slow
def test_the_documented_command_to_the_letter(tmp_path: Path) -> None:
    picture, report = tmp_path / "ride.png", tmp_path / "ride.json"
    words = "ride --seconds 20 --seed 7 --world alpine --offscreen --size 640x360 --quality low --autopilot downhill"
    done = veloterra(*words.split(), "--report", str(report), "--screenshot", str(picture))
    assert done.returncode == 0, done.stderr
    figures = json.loads(report.read_text())
    assert figures["descent_m"] >= 40.0
    assert figures["mean_speed_m_s"] >= 10.0
    assert figures["min_ground_clearance_m"] >= -0.02
    assert figures["holes"] == figures["gl_leaked_objects"] == 0
    assert Image.open(picture).size == (640, 360)


def test_same_arguments_same_picture(tmp_path: Path) -> None:
    pictures = []
    for number, workers in enumerate(("1", "3")):
        picture = tmp_path / f"{number}.png"
        ride(tmp_path, f"--seconds 0.5 --fps 20 --workers {workers}", "--screenshot", str(picture))
        pictures.append(np.asarray(Image.open(picture)))
    assert np.array_equal(*pictures)


def test_frame_rate_does_not_change_the_ride(tmp_path: Path) -> None:
    figures = [ride(tmp_path, f"--seconds 5 --fps {fps} --draw none") for fps in (24, 60, 144)]
    for key in ("steps", "distance_m", "descent_m", "top_speed_m_s", "min_ground_clearance_m"):
        assert len({report[key] for report in figures}) == 1, key


def test_the_sea_rises_and_falls_without_a_trace(tmp_path: Path) -> None:
    shots = [
        f"{tmp_path / name}.png@{second}"
        for name, second in (("before", 0.1), ("flood", 0.3), ("after", 0.5))
    ]
    words = [word for shot in shots for word in ("--screenshot", shot)]
    ride(
        tmp_path,
        "--seconds 0.6 --fps 10 --speed 0 --start 0,0",
        *words,
        "--exec",
        "hud off; eye 0,900,0; look 0,-40; sea -200; sea 800 @0.15; sea -200 @0.35",
    )
    before, flood, after = pictures(tmp_path, "before", "flood", "after")
    assert np.abs(before - flood).mean() > 10.0
    # Shadows of clouds drift between the two.
    assert np.abs(before - after).mean() < 1.0


def test_a_dab_raises_the_picture_and_undo_takes_it_back(tmp_path: Path) -> None:
    names = (("before", 0.1), ("hill", 0.3), ("after", 0.5))
    words = [word for name, second in names for word in ("--screenshot", f"{tmp_path / name}.png@{second}")]
    ride(
        tmp_path,
        "--seconds 0.6 --fps 10 --speed 0 --start 0,0",
        *words,
        "--exec",
        "hud off; eye 0,700,0; look 0,-20; dab raise 0,-700 300 400 @0.15; undo @0.35",
    )
    before, hill, after = pictures(tmp_path, "before", "hill", "after")
    assert np.abs(before - hill).mean() > 2.0
    assert np.abs(before - after).mean() < 0.5


@pytest.mark.parametrize("place", ["-1,-1", "16777216,-1024", "999999000,-999999000", "-536870912,5"])
def test_far_places_ride_as_well(tmp_path: Path, place: str) -> None:
    report = ride(tmp_path, f"--seconds 2 --fps 10 --draw none --start {place}")
    assert report["holes"] == 0
    assert report["min_ground_clearance_m"] is None or report["min_ground_clearance_m"] >= -0.02


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--world", "alpin"], ["'alpin'", "alpine"]),
        (["--world", "/nonexistent/world.toml"], ["/nonexistent/world.toml"]),
        (["--exec", "key Q8 down"], ["'Q8'", "SPACE"]),
    ],
)
def test_mistakes_found_late_exit_2_too(words: list[str], named: list[str]) -> None:
    done = veloterra(*RIDE.split(), "--seconds", "1", *words)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1, done.stderr
    for word in named:
        assert word in done.stderr


def test_an_old_opengl_is_one_sentence() -> None:
    environment = {**os.environ, "MESA_GL_VERSION_OVERRIDE": "2.1"}
    done = veloterra(*RIDE.split(), "--seconds", "1", env=environment)
    assert done.returncode == 2
    assert "3.3" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr


@pytest.mark.parametrize("chosen", ["glx", "egl", "bogus"])
def test_a_binding_of_the_users_is_a_frame_or_a_sentence(chosen: str) -> None:
    environment = {**os.environ, "PYOPENGL_PLATFORM": chosen}
    done = veloterra(*RIDE.split(), "--seconds", "0.1", "--fps", "10", env=environment)
    if chosen == "egl":
        assert done.returncode == 0, done.stderr
    else:
        assert done.returncode == 2, done.stderr
        assert done.stderr.count("\n") == 1, done.stderr
        assert "PYOPENGL_PLATFORM" in done.stderr


def test_a_missing_opengl_library_is_one_sentence() -> None:
    nowhere = "/nonexistent/lib.so"
    environment = {**os.environ, "SDL_VIDEO_GL_DRIVER": nowhere, "SDL_VIDEO_EGL_DRIVER": nowhere}
    done = veloterra(*RIDE.split(), "--seconds", "0.1", env=environment)
    assert done.returncode == 2
    assert "OpenGL library" in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr


def test_the_baseline_opengl_is_enough(tmp_path: Path) -> None:
    report = tmp_path / "ride.json"
    environment = {**os.environ, "MESA_GL_VERSION_OVERRIDE": "3.3FC"}
    done = veloterra(
        *RIDE.split(), "--seconds", "0.2", "--fps", "10", "--report", str(report), env=environment
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(report.read_text())["gl_version"].startswith("3.3")


def test_without_a_display_the_game_says_so_and_rides(tmp_path: Path) -> None:
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    environment = {key: value for key, value in os.environ.items() if key not in hidden}
    environment["PYTHONPATH"] = str(ROOT)
    script = "import sys, game.launch as launch; launch.FALLBACK_S = 0.2; sys.exit(launch.play(launch.RideOptions()))"
    done = python(script, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert "no display" in done.stdout
    assert (tmp_path / "veloterra-ride.png").exists()
    assert json.loads((tmp_path / "veloterra-ride.json").read_text())["seed"] == 1
    assert str(tmp_path) in done.stdout


def test_nothing_compiles_inside_a_frame() -> None:
    script = """
import sys
from game import launch
from game.app import Game
from game.core.commands import parse_script
from game.core.options import RideOptions
from game.host.window import Window
from game.kernels import warmup
script = parse_script("dab raise 0,0 50 5 @0.2; undo @0.4; sculpt on; teleport 9,9 @0.5")
options = RideOptions(seed=7, offscreen=True, width=160, height=90, quality="low", seconds=1.0, pages="wait",
    autopilot="downhill", commands=tuple(script))
window, gl = launch.open_context(options)
warmup.compile_all()
from game.ui.interface import Interface
before = warmup.compiled_signatures()
game = Game(options, window, gl, Interface())
for _ in range(20):
    game.frame(0.05)
    game.drawing.pick(game.session, 80.0, 60.0)
after = warmup.compiled_signatures()
game.release()
window.close()
sys.exit(f"{after - before} signatures were compiled in the game" if after != before else 0)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=250, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_lost_context_is_made_again_and_the_ride_goes_on() -> None:
    script = """
import sys
import numpy as np
from game import launch
from game.app import Game
from game.core.options import RideOptions
from game.host.window import Window
options = RideOptions(seed=7, offscreen=True, width=320, height=180, quality="low", seconds=1.0, pages="wait",
    autopilot="downhill")
window, gl = launch.open_context(options)
from game.ui.interface import Interface
game = Game(options, window, gl, Interface(show_hints=False))
game.interface.menu_open = True
for _ in range(4):
    game.frame(0.05)
before = game.drawing.renderer.read_pixels()
window.close()  # and with it every GL object
game.drawing.window = window = Window.open(320, 180, offscreen=True)
assert not game.drawing.renderer.alive
game.frame(0.0)
after = game.drawing.renderer.read_pixels()
left = slice(0, 130)  # the menu covers the right and shows other times
difference = np.abs(after[:, left].astype(int) - before[:, left]).mean()
game.release()
assert game.drawing.gl.live == 0, game.drawing.gl.live_by_kind()
window.close()
sys.exit(f"the picture differs by {difference}" if difference > 2.0 else 0)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=250, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_lost_keyboard_pauses_the_ride_of_a_player(tmp_path: Path) -> None:
    script = """
import pygame
from game import launch
from game.app import Game
from game.core.options import RideOptions
options = RideOptions(seed=7, offscreen=True, width=160, height=360, quality="low", pages="wait")
window, gl = launch.open_context(options)
from game.ui.interface import Interface
game = Game(options, window, gl, Interface())
game.player.inputs.grab_pointer = lambda wanted: None  # no pointer off screen
game.frame(0.05)
assert not game.session.paused
pygame.event.post(pygame.event.Event(pygame.WINDOWFOCUSLOST))
game.frame(0.05)
assert game.session.paused
steps = game.clock.steps_done
pygame.event.post(pygame.event.Event(pygame.WINDOWFOCUSGAINED))
game.frame(0.05)
assert game.session.paused and game.clock.steps_done == steps, "it waits for the player"
before = float(game.session.stream.stats.covered_m[0])
game.drawing.use_error(0.2)
for _ in range(20):
    game.frame(0.05)
assert float(game.session.stream.stats.covered_m[0]) > before + 100.0, "a setting shows while the ride is paused"
game.release()
window.close()
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "VELOTERRA_DATA_DIR": str(tmp_path)}
    done = python(script, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
