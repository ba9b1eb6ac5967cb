"""This project's land as one side of the comparison; see `render_peers`. `… HEIGHTS.npy X0 Z0`.

The real page textures, selection, vertex stage and draw, with the shared fragment stage in place of the game's. Its one
knob is the range of the finest level, metres.
"""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import render_peers as peers

from game.core.settings import PRESETS
from game.gl.context import GLContext, bind_platform
from game.host.window import Window
from game.lod.selection import Selection
from game.lod.settings import LodSettings
from game.streaming.stream import TerrainStream
from game.streaming.wanted import Focus
from game.world.recipe import Recipe
from game.world.source import HeightSource

PATCH_QUADS = PRESETS["low"].patch_quads
REACH_M = 6200.0
"""The whole square from anywhere in it."""

INPUTS = """in vec3 v_place;
#define v_land (v_place.xz + eye.xz)
#define v_height (v_place.y + eye.y)
"""


class Nothing:
    """In place of the textures of rain water and tracks: the shared fragment stage has neither."""

    def lend(self, *_: object) -> None:
        """Nothing to set."""


class Ours:
    """The game's land, camera and picture."""

    def __init__(self, gl: GLContext, heights: np.ndarray, x0: int, z0: int, seed: int) -> None:
        from game.gl.framebuffer import Framebuffer
        from game.gl.preprocess import expand, load
        from game.gl.program import Program
        from game.gl.texture import DEPTH32F, NEAREST, R32F, RGBA8, Texture2D
        from game.render.terrain import TerrainPass
        from game.render.uniforms import FRAME_BINDING, FrameUniforms, generated_includes
        from game.render.upload import PageTextures

        self.x0, self.z0 = x0, z0
        self.source = HeightSource(Recipe.load("alpine"), seed)
        side = peers.SIDE
        self.land = Texture2D(gl, side, side, R32F, np.ascontiguousarray(heights[:side, :side]), NEAREST)
        self.colour = Texture2D(gl, peers.WIDTH, peers.HEIGHT, RGBA8)
        self.depth = Texture2D(gl, peers.WIDTH, peers.HEIGHT, DEPTH32F, sampling=NEAREST)
        self.target = Framebuffer(gl, self.colour, self.depth)
        self.pages = PageTextures(gl)
        self.uniforms = FrameUniforms(gl)
        self.terrain = TerrainPass(gl, PATCH_QUADS, 0, 0.0)
        made = generated_includes()
        self.program = Program(
            gl,
            load("terrain.vert", made, {"FAR_BAND": 0, "DETAIL": 0}),
            expand("render_peers.frag", peers.fragment(INPUTS)),
            {"Frame": FRAME_BINDING},
            {"page_heights": 0, "land": 3},
        )
        self.terrain._programs = [self.program, self.program]
        self.stream: TerrainStream | None = None
        self.place = (0.0, 0.0, 0.0, 0.0, 0.0)

    def detail(self, words: str) -> None:
        lod = LodSettings(float(words), REACH_M, PATCH_QUADS)
        if self.stream is not None:
            self.stream.close()
        self.stream = TerrainStream(self.source.generate, lod, 2)
        self._arrive()

    def view(self, words: str) -> None:
        self.place = tuple(float(word) for word in words.split(","))
        self._arrive()

    def _arrive(self) -> None:
        """Bring in every page the view needs."""
        if self.stream is None:
            return
        for _ in range(3):
            self.stream.want(self._focus(), 0.0)
            self.stream.wait()
            for layer, page in self.stream.collect():
                self.pages.upload(layer, page)
            self.stream.select(self._camera(), 1.0)

    def _camera(self):
        from game.render.frame import CameraView

        x, y, z, yaw, pitch = self.place
        return CameraView(
            self.x0 + x, y, self.z0 + z, math.radians(yaw), math.radians(pitch), math.radians(peers.FOV_Y_DEG),
            peers.WIDTH / peers.HEIGHT,
        )  # fmt: skip

    def _focus(self) -> Focus:
        x, y, z, *_ = self.place
        ground = float(self.source.block(0, int(self.x0 + x), int(self.z0 + z), 1, 1)[0, 0])
        return Focus(self.x0 + x, self.z0 + z, max(0.0, y - ground), 0.0, 0.0, 1.0, 0.0)

    def _inside(self, selection: Selection) -> Selection:
        """Only the patches of the square: the other side has no more land."""
        patches = selection.patches
        spacing = 1 << patches["level"].astype(np.int64)
        span = spacing * PATCH_QUADS
        x = patches["origin_x_m"] + selection.anchor_x - self.x0
        z = patches["origin_z_m"] + selection.anchor_z - self.z0
        kept = (x >= 0) & (z >= 0) & (x + span <= peers.SIDE) & (z + span <= peers.SIDE)
        selection.patches = patches[kept]
        selection.level_starts = np.searchsorted(
            selection.patches["level"], np.arange(selection.levels + 1)
        ).astype(np.int32)
        return selection

    def _draw(self, measuring: bool = False) -> float:
        from game.gl.api import GL
        from game.render.frame import FrameView

        camera = self._camera()
        began = time.perf_counter()
        assert self.stream is not None
        selection = self.stream.select(camera, 0.0)
        selected_s = time.perf_counter() - began
        selection = self._inside(selection)  # not timed: it only fits us into the other side's square
        began = time.perf_counter()
        view = FrameView(peers.WIDTH, peers.HEIGHT, 0.0, 12.0, -500.0, REACH_M, camera, None, None, selection)
        self.uniforms.update(view, peers.WIDTH, peers.HEIGHT, 1.0)
        self.terrain.prepare(selection, selection.levels)
        self.target.bind()
        GL.glClearColor(0.0, 0.0, 0.0, 1.0)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)
        GL.glEnable(GL.GL_DEPTH_TEST)
        GL.glDepthFunc(GL.GL_LEQUAL)
        GL.glEnable(GL.GL_CULL_FACE)
        self.pages.bind(0)
        self.land.bind(3)
        scale = peers.HEIGHT / (2.0 * math.tan(math.radians(peers.FOV_Y_DEG / 2)))
        self.program.use()
        x, y, z, *_ = self.place
        self.program.set("eye", (x, y, z, scale if measuring else 0.0))
        self.program.set("land_scale", (1.0, 0.0, 0.0, 0.0))
        self.terrain.draw(0, Nothing(), Nothing(), camera)
        GL.glFinish()
        self.triangles = selection.triangles
        return 1000.0 * (selected_s + time.perf_counter() - began)

    def frame(self, _: str = "") -> float:
        return self._draw()

    def error(self, _: str) -> dict[str, float]:
        self._draw(measuring=True)
        return peers.summary(self.target.read_rgb()) | {"triangles": self.triangles}

    def image(self, words: str) -> None:
        self._draw()
        peers.save(words, self.target.read_rgb())


def main() -> None:
    window = Window.open(64, 64, offscreen=True)
    bind_platform(window.driver)
    path, x0, z0, seed = sys.argv[1:5]
    side = Ours(GLContext(), np.load(path), int(x0), int(z0), int(seed))
    peers.serve(
        {
            "detail": side.detail,
            "view": side.view,
            "frame": side.frame,
            "error": side.error,
            "image": side.image,
        }
    )


if __name__ == "__main__":
    main()
