"""The renderer: draws a `FrameView` as a list of passes into its own framebuffer.

Near land → trees → scenery → undergrowth → rider → brush ring → far land → far trees → sky → resolve → ponds → sea →
debris → rain → post.
Near things come first because they hide most of what follows. The two depth bands share one 32-bit depth buffer, the
near band in its lower
half, so neither needs a clear in between and the sea can read both.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from game.core.settings import Quality, quality_for_renderer
from game.gl.api import GL
from game.gl.context import MIN_ARRAY_LAYERS, GLContext
from game.gl.framebuffer import Framebuffer
from game.gl.texture import DEPTH32F, LINEAR, NEAREST, RGBA8, RGBA16F, Box, Renderbuffer, Texture2D
from game.gl.timer import PassTimers
from game.render.debris import DebrisPass
from game.render.frame import FrameView
from game.render.materials import MaterialTextures
from game.render.mountain_shade import ShadeTexture
from game.render.noise_tile import noise_tile
from game.render.overlay import OverlayPass
from game.render.post import PostPass
from game.render.rider import RiderPass
from game.render.runoff import PondsPass, RainPass, RunoffTextures
from game.render.scenery import SceneryPass
from game.render.sky import SkyPass, SkyTable
from game.render.terrain import TerrainPass, far_band_near_m
from game.render.tracks import TrackTextures
from game.render.trees import TreesPass
from game.render.undergrowth import UndergrowthPass
from game.render.uniforms import FrameUniforms
from game.render.upload import PageTextures
from game.render.water import WaterPass, sea_shows
from game.world.page import PageData

_NEAR_LEVELS = 4
"""Levels of land in the near depth band."""

_PAGES_UNIT, _NOISE_UNIT, _DEPTH_UNIT, _SCENE_UNIT, _GROUND_UNIT = 0, 3, 4, 5, 13


class _Targets:
    """Framebuffers and attachments of one size: the (multisampled) scene, its resolved copy, the picture."""

    def __init__(self, gl: GLContext, width: int, height: int, samples: int) -> None:
        self.colour = Texture2D(gl, width, height, RGBA16F, sampling=LINEAR)
        self.depth = Texture2D(gl, width, height, DEPTH32F, sampling=NEAREST)
        self.resolved = Framebuffer(gl, self.colour, self.depth)
        self.scene = self.resolved
        self._samples: list[Renderbuffer] = []
        if samples > 1:
            self._samples = [Renderbuffer(gl, width, height, kind, samples) for kind in (RGBA16F, DEPTH32F)]
            self.scene = Framebuffer(gl, *self._samples)
        self.sea = Framebuffer(gl, self.colour)
        self.colour_copy = Texture2D(gl, width, height, RGBA16F, sampling=LINEAR)
        self.copy = Framebuffer(gl, self.colour_copy)
        self.shown = Texture2D(gl, width, height, RGBA8, sampling=LINEAR)
        self.picture = Framebuffer(gl, self.shown)

    def release(self) -> None:
        for thing in (
            self.picture,
            self.copy,
            self.sea,
            self.scene,
            self.resolved,
            *self._samples,
            self.colour,
            self.colour_copy,
            self.depth,
            self.shown,
        ):
            thing.release()


class Renderer:
    """Draws frames of `width` × `height` pixels with the spending of `quality`.

    `draw_enabled = False` prepares and uploads everything but draws nothing.
    `debug_clear`, a linear RGB colour, leaves sky and sea out and shows holes in the land in that colour.

    `page_layers` is the number of pages that can be resident, at most 256.

    Raises `ValueError` for a size below 1, `UsageError` or `ShaderError` when the driver cannot.
    """

    def __init__(
        self, gl: GLContext, quality: Quality, width: int, height: int, page_layers: int = MIN_ARRAY_LAYERS
    ) -> None:
        self.gl = gl
        self.quality = quality
        self.draw_enabled = True
        self.debug_clear: tuple[float, float, float] | None = None
        self.draw_calls = 0
        self.triangles = 0
        self.timers = PassTimers(gl)
        self._detail = {"low": 0, "medium": 1}.get(quality.name, 2)
        self._targets = _Targets(gl, width, height, quality.msaa)
        self._pages = PageTextures(gl, page_layers)
        # Anisotropic filtering takes llvmpipe seconds a frame; on hardware it is nearly free.
        software = quality_for_renderer(gl.renderer) == "low"
        self._noise = noise_tile(gl, 1.0 if software else 8.0)
        self._materials = MaterialTextures(gl, self._detail > 0, 1.0 if software else 8.0)
        self.frame = FrameUniforms(gl)
        self._terrain = TerrainPass(gl, quality.patch_quads, self._detail, -0.8 if software else 0.0)
        self._trees = TreesPass(gl, quality)
        self._scenery = SceneryPass(gl)
        self._undergrowth = UndergrowthPass(gl, quality)
        self._rider = RiderPass(gl)
        self._overlay = OverlayPass(gl)
        self._sky = SkyPass(gl)
        self._sky_table = SkyTable(gl)
        self._shade = ShadeTexture(gl)
        self._water = WaterPass(gl, self._detail)
        self._runoff = RunoffTextures(gl)
        self._tracks = TrackTextures(gl)
        self._ponds = PondsPass(gl)
        self._rain = RainPass(gl)
        self._debris = DebrisPass(gl)
        self._post = PostPass(gl, smooth_edges=quality.msaa <= 1)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        picture = self._targets.picture
        return picture.width, picture.height

    @property
    def alive(self) -> bool:
        """Whether the context still knows the renderer's objects; a new window or a reset forgets them all."""
        return bool(GL.glIsTexture(self._targets.shown.name))

    @property
    def trees_drawn(self) -> int:
        """Trees of the last frame; asking for it takes a millisecond or two."""
        return int(self._trees.trees_drawn)

    @property
    def picture(self) -> Framebuffer:
        """The finished 8-bit picture; the user interface may draw on top of it."""
        return self._targets.picture

    def upload(self, layer: int, page: PageData) -> int:
        """Write a whole page into texture `layer`; return the bytes sent."""
        return self._pages.upload(layer, page)

    def upload_box(self, layer: int, page: PageData, j0: int, j1: int, i0: int, i1: int) -> int:
        """Write heights and normals of stored rows j0…j1−1, columns i0…i1−1; return the bytes sent."""
        return self._pages.upload_box(layer, page, j0, j1, i0, i1)

    def upload_edits(self, edits: Sequence[tuple[int, PageData, Box | None]]) -> None:
        """Write what an edit changed: boxes of pages, or whole pages where there is none."""
        boxes = []
        for layer, page, box in edits:
            if box is None:
                self._pages.upload(layer, page)
            else:
                boxes.append((layer, page, box))
        self._pages.upload_boxes(boxes)

    @property
    def page_layers(self) -> int:
        """Pages there is room for."""
        return self._pages.layers

    def make_room(self, page_layers: int) -> None:
        """Have room for `page_layers` pages, all of them empty: the caller sends every page again."""
        self._pages.release()
        self._pages = PageTextures(self.gl, page_layers)

    def resize(self, width: int, height: int) -> None:
        """Draw in another size from the next frame on. Sizes below 1 (a minimised window) count as 1."""
        width, height = max(1, width), max(1, height)
        if (width, height) == self.size:
            return
        self._targets.release()
        self._targets = _Targets(self.gl, width, height, self.quality.msaa)

    def draw(self, view: FrameView) -> None:
        """Draw `view` into the own picture. `present` or `read_pixels` shows it."""
        selection = view.selection
        # Rider, ring and meshes of trees need the near band's planes.
        far_level = min(_NEAR_LEVELS, selection.levels)
        far_near = far_band_near_m(selection, far_level, view.camera.fov_y_rad, view.camera.aspect)
        self.gl.draw_enabled = self.draw_enabled
        self.gl.reset_counts()
        self.frame.update(view, *self.size, far_near)
        self._terrain.prepare(selection, far_level)
        self._runoff.update(view)
        self._tracks.update(view)
        self._sky_table.update(self.frame.atmosphere.sky)
        self._shade.update(view.shade)

        timed = self.timers
        self._begin()
        with timed("near land"):
            self._terrain.draw(0, self._runoff, self._tracks, view.camera)
        self._near_state()
        with timed("trees"):
            self._trees.draw(view, self.frame, far_level)
        self._near_state()
        with timed("scenery"):
            self._scenery.draw(view)
        with timed("undergrowth"):
            self._undergrowth.draw(view, self._tracks)
        self._near_state()
        with timed("rider"):
            self._rider.draw(view, self.frame)
            self._near_state()
            self._overlay.draw(view, self.frame)
        self._near_state()
        GL.glDepthRange(0.5, 1.0)
        self._bind_land()
        with timed("far land"):
            self._terrain.draw(1, self._runoff, self._tracks, view.camera)
        with timed("far trees"):
            self._trees.draw_distant()
        GL.glDepthRange(0.0, 1.0)
        GL.glDepthMask(GL.GL_FALSE)
        if self.debug_clear is None:
            with timed("sky"):
                self._sky.draw()
        self._resolve()
        if self.debug_clear is None:
            self._targets.sea.bind()
            self._targets.depth.bind(_DEPTH_UNIT)
            self._noise.bind(_NOISE_UNIT)
            with timed("ponds"):
                self._ponds.draw(view)
            if sea_shows(view, self._pages):
                # The sea reads what it covers, from a copy.
                if self.draw_enabled:
                    self._targets.resolved.resolve_to(self._targets.copy)
                self._targets.sea.bind()
                self._targets.colour_copy.bind(_SCENE_UNIT)
                self._water.upload(view)
                with timed("sea"):
                    self._water.draw()
            with timed("debris"):
                self._debris.draw(view)
            with timed("rain"):
                self._rain.draw(view)
        self._targets.picture.bind()
        self._targets.colour.bind(_SCENE_UNIT)
        with timed("post"):
            self._post.draw()
        self.draw_calls, self.triangles = self.gl.draw_calls, self.gl.triangles

    def _begin(self) -> None:
        self._targets.scene.bind()
        GL.glDepthRange(0.0, 0.5)
        self._near_state()
        if self.draw_enabled:
            GL.glClearColor(*(self.debug_clear or (0.0, 0.0, 0.0)), 1.0)
            GL.glClearDepth(1.0)
            GL.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)
        self._bind_land()

    def _bind_land(self) -> None:
        self._pages.bind(_PAGES_UNIT)
        self._noise.bind(_NOISE_UNIT)
        self._materials.bind(_GROUND_UNIT)

    def _near_state(self) -> None:
        """What every pass of the near band may rely on; the depth range is its lower half."""
        GL.glEnable(GL.GL_DEPTH_TEST)
        GL.glDepthFunc(GL.GL_LEQUAL)
        GL.glDepthMask(GL.GL_TRUE)
        GL.glEnable(GL.GL_CULL_FACE)
        GL.glCullFace(GL.GL_BACK)
        GL.glFrontFace(GL.GL_CCW)
        GL.glDisable(GL.GL_BLEND)

    def _resolve(self) -> None:
        targets = self._targets
        GL.glDisable(GL.GL_DEPTH_TEST)
        GL.glDisable(GL.GL_CULL_FACE)
        if targets.scene is not targets.resolved and self.draw_enabled:
            targets.scene.resolve_to(targets.resolved, colour=True, depth=True)

    def reload_shaders(self) -> None:
        """Compile every program from its files as they are now. Raises as `Program.reload` at the first that fails;
        those before it are new already, it and the rest are as they were."""
        for program in list(self.gl.reloadable.values()):
            program.reload()

    def read_pixels(self) -> NDArray[np.uint8]:
        """The finished picture, uint8 [height, width, 3] sRGB, top row first."""
        return self._targets.picture.read_rgb()

    def present(self, width: int, height: int) -> None:
        """Copy the picture to the window's drawable of `width` × `height` pixels and leave that bound."""
        self._targets.picture.blit_to_window(width, height)

    def release(self) -> None:
        """Free every GL object; harmless when called twice."""
        for part in (
            self._post,
            self._rain,
            self._debris,
            self._ponds,
            self._runoff,
            self._tracks,
            self._water,
            self._sky,
            self._sky_table,
            self._shade,
            self._overlay,
            self._rider,
            self._undergrowth,
            self._scenery,
            self._trees,
            self._terrain,
            self.frame,
            self._noise,
            self._materials,
            self._pages,
            self._targets,
            self.timers,
        ):
            part.release()
