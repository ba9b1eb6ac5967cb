"""The sea: a moving surface to the horizon, found per pixel over the finished scene.

A pixel's ray meets the surface exactly, however far, so there is no mesh to tile, swim or run out. It reads the
scene's depth (both bands) and a copy of its colour for what lies below, and maps of the bed for where it is shallow.
"""

from __future__ import annotations

import numpy as np

from game.gl.context import GLContext
from game.gl.texture import LINEAR, R32F, Texture2DArray
from game.gl.vertex_array import VertexArray
from game.render.frame import FrameView
from game.render.uniforms import load_program
from game.render.upload import PageTextures
from game.streaming.bed import BED_LEVELS, BED_SIDE, BedMap
from game.world.waves import runup_m


def sea_shows(view: FrameView, pages: PageTextures) -> bool:
    """Whether the surface can be in the picture: some land drawn lies below it, or the camera does."""
    highest = view.sea_level_m + 1.6 * view.waves_m + runup_m(view.waves_m)
    if view.camera.y < highest:
        return True
    layers = view.selection.patches["layer"]
    return bool(len(layers)) and bool(np.any(pages.lowest[layers] < highest))


class WaterPass:
    """Draws into a framebuffer without depth. Texture units: 3 noise tile, 4 scene depth, 5 scene, 6 bed."""

    def __init__(self, gl: GLContext, detail: int, bed_unit: int = 6) -> None:
        """`detail` 0 draws fewer waves and plainer reflections."""
        samplers = {"noise_tile": 3, "scene_depth": 4, "behind": 5, "bed_heights": bed_unit}
        self._program = load_program(gl, "water", {"DETAIL": detail}, samplers)
        self._corners = VertexArray(gl)
        self._bed = Texture2DArray(gl, BED_SIDE, BED_SIDE, len(BED_LEVELS), R32F, LINEAR)
        self._bed_unit = bed_unit
        self._sent: list[BedMap | None] = [None] * len(BED_LEVELS)

    def upload(self, view: FrameView) -> None:
        """Send the maps of the bed that are new."""
        for n, bed in enumerate(view.bed):
            if self._sent[n] is not bed:
                self._bed.write(n, bed.heights)
                self._sent[n] = bed

    def draw(self) -> None:
        """Draw the sea over the bound target; the caller has bound depth and scene."""
        self._bed.bind(self._bed_unit)
        self._program.use()
        self._corners.draw(6)

    def release(self) -> None:
        """Free all GL objects."""
        self._corners.release()
        self._program.release()
        self._bed.release()
