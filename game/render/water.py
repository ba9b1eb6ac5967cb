"""The sea: a level plane to the horizon, found per pixel and blended over the finished scene.

A pixel's ray meets the plane exactly, however far, so there is no mesh to tile, swim or run out. It reads the
scene's depth (both bands) for the shore, the tint of the ground below and what stands in front.
"""

from __future__ import annotations

import numpy as np

from game.gl.api import GL
from game.gl.context import GLContext
from game.gl.vertex_array import VertexArray
from game.render.frame import FrameView
from game.render.uniforms import load_program
from game.render.upload import PageTextures


def sea_shows(view: FrameView, pages: PageTextures) -> bool:
    """Whether the plane can be in the picture: some land drawn lies below it, or the camera does."""
    if view.camera.y < view.sea_level_m:
        return True
    layers = view.selection.patches["layer"]
    return bool(len(layers)) and bool(np.any(pages.lowest[layers] < view.sea_level_m))


class WaterPass:
    """Draws into a framebuffer without depth. Texture units: 3 noise tile, 4 scene depth."""

    def __init__(self, gl: GLContext) -> None:
        self._program = load_program(
            gl, "water", samplers={"noise_tile": 3, "scene_depth": 4}, vertex_name="fullscreen"
        )
        self._triangle = VertexArray(gl)

    def draw(self) -> None:
        """Blend the sea over the bound target; leaves blending off."""
        GL.glEnable(GL.GL_BLEND)
        GL.glBlendFunc(GL.GL_ONE, GL.GL_ONE_MINUS_SRC_ALPHA)
        self._program.use()
        self._triangle.draw(3)
        GL.glDisable(GL.GL_BLEND)

    def release(self) -> None:
        """Free all GL objects."""
        self._triangle.release()
        self._program.release()
