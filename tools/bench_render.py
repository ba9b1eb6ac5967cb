"""The picture's costs, and our land beside Panda3D's ShaderTerrainMesh (C++; `pip install veloterra[bench]`).

Both draw the same 4096² quads of alpine land with the same fragment stage at 1280×720. Panda3D runs as its users run it
(triangles 10 pixels wide); our range of the finest level is then searched until our measured error is not above its
own. The error of a pixel is the vertical miss of the land drawn there against the full-resolution mesh, in pixels at
its distance; of a picture, the root mean square over its land. Frames are drawn in turn, one of each, and wait for the
rasteriser. Pictures of both go to `render-ours-N.png` and `render-panda-N.png` in `VELOTERRA_BENCH_PICTURES`, else in
the temporary directory.
"""

from __future__ import annotations

import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from bench_common import figure

from game import launch
from game.app import Game
from game.core.commands import parse_script
from game.core.coords import PageKey
from game.core.options import RideOptions
from game.core.settings import PRESETS
from game.kernels import warmup
from game.world import World
from game.world.recipe import Recipe
from game.world.source import HeightSource
from game.world.vegetation import Vegetation

TOOLS = Path(__file__).resolve().parent
SEED = 7
CORNER = (-20480, -20480)
"""North-west of the square, metres: a mountain of 2,570 m, its valleys and foothills."""

VIEWS = (
    (1579, 120, 200, 180, -8),
    (600, 200, 3000, 45, -12),
    (3500, 60, 600, 225, -5),
    (2048, 400, 2048, 160, -25),
)
"""Metres east of the corner, above the ground, south of the corner; yaw and pitch in degrees."""

FOREST = (-39936.0, 700.0, -33792.0, 200.0, -5.0)
"""Eye (metres) and look (degrees) of the frame full of trees."""

TRIANGLE_PX = 10.0
"""`target_triangle_width` of Panda3D's own example."""

FRAMES = 15
LEAST_R0_M, MOST_R0_M = 91.0, 400.0
NAME = "against Panda3D's ShaderTerrainMesh at equal measured error"


class Side:
    """One program of the comparison."""

    def __init__(self, program: str, *arguments: str) -> None:
        self._said = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self._process = subprocess.Popen(
            [sys.executable, str(TOOLS / program), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            text=True,
            env={**os.environ, "SDL_VIDEODRIVER": "offscreen", "PYOPENGL_PLATFORM": "egl"},
        )

    def ask(self, command: str) -> Any:
        """Answer to `command`. Raises `RuntimeError` when the program has ended."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(command + "\n")
        stdin.flush()
        for line in stdout:
            try:
                return json.loads(line)
            except ValueError:
                continue  # what libraries say when they start
        ended = self._process.wait()
        self._said.seek(0)
        raise RuntimeError(f"{self._process.args} ended with {ended}: {self._said.read()[-2000:]}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        self._said.close()


def match(ours: Side, wanted_rms: float) -> tuple[float, dict[str, float]]:
    """Least range of the finest level, to 1 %, whose error is not above `wanted_rms`; and what was measured there."""
    low, high = LEAST_R0_M, MOST_R0_M

    def at(r0_m: float) -> dict[str, float]:
        ours.ask(f"detail {r0_m:.2f}")
        return ours.ask("error")

    best = at(low)
    if best["rms"] <= wanted_rms:
        return low, best
    best = at(high)
    while high > 1.01 * low:
        middle = (low * high) ** 0.5
        found = at(middle)
        if found["rms"] <= wanted_rms:
            high, best = middle, found
        else:
            low = middle
    ours.ask(f"detail {high:.2f}")
    return high, best


def compare() -> list[dict[str, Any]]:
    """One row per view: triangles, median frame times and errors of both sides."""
    pictures = Path(os.environ.get("VELOTERRA_BENCH_PICTURES", tempfile.gettempdir()))
    world = World("alpine", seed=SEED)
    x0, z0 = CORNER
    heights = world.heights(x0, z0, 4097, 4097, 1, threads=2)
    rows = []
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "heights.npy"
        np.save(path, heights)
        with (
            Side("render_peer_panda.py", str(path)) as panda,
            Side("render_peer_ours.py", str(path), str(x0), str(z0), str(SEED)) as ours,
        ):
            panda.ask(f"detail {TRIANGLE_PX}")
            for number, (x, above, z, yaw, pitch) in enumerate(VIEWS):
                view = f"view {x},{float(heights[z, x]) + above:.3f},{z},{yaw},{pitch}"
                panda.ask(view)
                ours.ask(view)
                panda.ask("frame")
                theirs = panda.ask("error")
                r0_m, own = match(ours, theirs["rms"])
                times: list[list[float]] = [[], []]
                for _ in range(FRAMES):
                    for side, kept in zip((ours, panda), times, strict=True):
                        kept.append(side.ask("frame"))
                for name, side in (("ours", ours), ("panda", panda)):
                    side.ask(f"image {pictures / f'render-{name}-{number}.png'}")
                ours_ms, panda_ms = (statistics.median(kept) for kept in times)
                rows.append(
                    {
                        "view": number,
                        "ours": own | {"frame_ms": ours_ms, "r0_m": r0_m},
                        "panda": theirs | {"frame_ms": panda_ms},
                    }
                )
    return rows


def panda_figures() -> list[dict[str, Any]]:
    """Triangles and frame time relative to Panda3D's, geometric means over the views."""
    rows: list[dict[str, Any]] = []
    triangles = frames = None
    if importlib.util.find_spec("panda3d") is None:
        print("panda3d is not installed (pip install veloterra[bench]): it is left out", file=sys.stderr)
    else:
        rows = compare()
        triangles, frames = (
            statistics.geometric_mean(row["ours"][key] / row["panda"][key] for row in rows)
            for key in ("triangles", "frame_ms")
        )
    views = {f"view {row['view']}": {side: row[side] for side in ("ours", "panda")} for row in rows}
    return [
        figure(f"{NAME}: triangles", triangles, "×", 0.8, compared_with=views),
        figure(f"{NAME}: frame", frames, "×", 1.0, compared_with=views),
    ]


def submission_figures() -> list[dict[str, Any]]:
    """Main-thread time and calls of drawing a frame on high, with drawing excluded."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "ride.json"
        words = (
            "-m game ride --offscreen --seconds 20 --fps 60 --seed 23 --speed 12 --pages wait --draw none "
            f"--quality high --size 1280x720 --report {path}"
        )
        subprocess.run([sys.executable, *words.split()], cwd=TOOLS.parent, check=True)
        report = json.loads(path.read_text(encoding="utf-8"))
    submit = report["submit_ms"]
    name = "Python time for the whole draw submission of a frame"
    return [
        figure(f"{name}, p50", submit["p50"], "ms", 1.0, compared_with={"terrain alone in C#": "2 ms"}),
        figure(f"{name}, p99", submit["p99"], "ms", 2.0),
        figure("draw calls a frame, high preset, colour and shadow", report["draw_calls_p50"], "calls", 100),
    ]


def vegetation_figures() -> list[dict[str, Any]]:
    """Thread time of placing the trees of a page: the slowest of the levels that carry trees, median of its pages."""
    source = HeightSource(Recipe.load("alpine"), SEED)
    tree_levels = PRESETS["high"].tree_levels
    vegetation = Vegetation(source, SEED, tree_levels)
    by_level: dict[str, float] = {}
    for level in range(tree_levels):
        times = []
        for number in range(24):
            page = source.generate(PageKey(level, number % 6 - 3, number // 6 - 2))
            vegetation.trees(page)
            page.woods = None
            began = time.thread_time()
            vegetation.trees(page)
            times.append(1000.0 * (time.thread_time() - began))
        by_level[f"level {level}"] = statistics.median(times)
    return [
        figure("placing vegetation for a page", max(by_level.values()), "ms", 1.0, compared_with=by_level)
    ]


def forest_figures() -> list[dict[str, Any]]:
    """Trees in view from above a wooded valley on high, exactly, and what their drawing takes of the main thread."""
    x, eye_y, z, yaw, pitch = FOREST
    options = RideOptions(
        seed=SEED,
        offscreen=True,
        width=1280,
        height=720,
        quality="high",
        seconds=1.0,
        pages="wait",
        draw=False,
        autopilot="straight",
        speed_m_s=0.0,
        start=(x, z),
        commands=tuple(parse_script(f"eye {x},{eye_y},{z}; look {yaw},{pitch}")),
    )
    window, gl = launch.open_context(options)
    warmup.compile_all()
    game = Game(options, window, gl, None)
    game.bring_in_land()
    for _ in range(5):
        game.frame(0.2)
    trees = game.drawing.renderer.trees_drawn
    spent: dict[str, list[float]] = {}
    forest = game.drawing.renderer._trees

    def timed(name: str) -> None:
        plain = getattr(forest, name)

        def call(*arguments: Any) -> None:
            began = time.perf_counter()
            plain(*arguments)
            spent.setdefault(name, []).append(1000.0 * (time.perf_counter() - began))

        setattr(forest, name, call)

    for name in ("draw", "draw_distant", "_prepare_far", "_draw_far"):
        timed(name)
    for _ in range(60):
        game.frame(0.2)
    game.release()
    window.close()
    medians = {name: statistics.median(times) for name, times in spent.items()}
    # The list of blocks goes up once; each depth band is a draw of its own.
    submit = medians["_prepare_far"] + 2.0 * medians["_draw_far"]
    whole = medians["draw"] + medians["draw_distant"]
    return [
        figure("tree instances in view on high", trees, "trees", 100_000, "higher"),
        figure(
            "tree instances in view on high; submit time",
            submit,
            "ms",
            0.1,
            compared_with={"with picking the near trees, their meshes and their shadows": whole},
        ),
    ]


def undergrowth_figures() -> list[dict[str, Any]]:
    """What grass costs: a frame on low with it beside one without, in turn; and its main-thread time on high."""
    found = {}
    for preset, draw in (("low", True), ("high", False)):
        options = RideOptions(
            seed=SEED,
            offscreen=True,
            width=1280,
            height=720,
            quality=preset,
            seconds=1.0,
            pages="wait",
            draw=draw,
            autopilot="straight",
            speed_m_s=0.0,
            commands=tuple(parse_script("hud off; time 11")),
        )
        window, gl = launch.open_context(options)
        from game.gl.api import GL

        warmup.compile_all()
        game = Game(options, window, gl, None)
        game.bring_in_land()
        for _ in range(3):
            game.frame(0.02)
        grass = game.drawing.renderer._undergrowth
        plain = grass.draw
        spent: list[float] = []

        def timed(*frame: Any, plain: Any = plain, spent: list[float] = spent) -> None:
            began = time.perf_counter()
            plain(*frame)
            spent.append(1000.0 * (time.perf_counter() - began))

        frames: dict[bool, list[float]] = {True: [], False: []}
        for number in range(40):
            with_grass = number % 2 == 0
            grass.draw = timed if with_grass else lambda *frame: None  # type: ignore[method-assign]
            began = time.perf_counter()
            game.frame(0.02)
            GL.glFinish()
            frames[with_grass].append(time.perf_counter() - began)
        found[preset] = (
            statistics.median(frames[True]) / statistics.median(frames[False]),
            spent,
            grass.placed,
        )
        game.release()
        window.close()
    return [
        figure("frame on low with undergrowth, against without", found["low"][0], "×", 1.05),
        figure(
            "undergrowth on high, Python time to submit",
            statistics.median(found["high"][1]),
            "ms",
            0.2,
            compared_with={"places looked at": found["high"][2]},
        ),
    ]


def figures() -> list[dict[str, Any]]:
    """All figures of `tools/bench.py render`."""
    return (
        panda_figures()
        + submission_figures()
        + forest_figures()
        + vegetation_figures()
        + undergrowth_figures()
    )
