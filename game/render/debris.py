"""Dust, drops and chips behind the wheels: one instanced draw over the resolved scene.

Rows come from `ride.debris` by way of `FrameView.debris`; the shader works out where each is now.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from game.gl.api import GL
from game.gl.buffer import Buffer
from game.gl.context import GLContext
from game.gl.vertex_array import Stream, VertexArray
from game.render.frame import CameraView, FrameView
from game.render.uniforms import load_program

_DTYPE = np.dtype([("start", "<f4", (4,)), ("motion", "<f4", (4,)), ("look", "<f4", (4,))])


def rows_of(debris: NDArray[np.float64], camera: CameraView) -> NDArray[np.void]:
    """Instance rows: birthplace relative to the camera and age; velocity and life; kind, chance and aridity."""
    rows = np.zeros(len(debris), _DTYPE)
    rows["start"][:, :3] = debris[:, :3] - (camera.x, camera.y, camera.z)
    rows["start"][:, 3] = debris[:, 6]
    rows["motion"][:, :3] = debris[:, 3:6]
    rows["motion"][:, 3] = debris[:, 7]
    rows["look"][:, :3] = debris[:, 8:11]
    return rows


class DebrisPass:
    """Draws `FrameView.debris`. Texture units: 3 noise tile, 4 the scene's depth."""

    def __init__(self, gl: GLContext) -> None:
        self._program = load_program(gl, "debris", None, {"noise_tile": 3, "scene_depth": 4})
        self._rows = Buffer(gl, 256 * _DTYPE.itemsize, dynamic=True)
        stream = Stream(self._rows, _DTYPE, {"start": 0, "motion": 1, "look": 2}, per_instance=True)
        self._array = VertexArray(gl, [stream])

    def draw(self, view: FrameView) -> None:
        """Blend the particles over the bound target; leaves blending off."""
        if not len(view.debris):
            return
        self._rows.replace(rows_of(view.debris, view.camera))
        GL.glEnable(GL.GL_BLEND)
        GL.glBlendFunc(GL.GL_ONE, GL.GL_ONE_MINUS_SRC_ALPHA)
        self._program.use()
        self._array.draw(6, instances=len(view.debris))
        GL.glDisable(GL.GL_BLEND)

    def release(self) -> None:
        """Free every GL object; harmless when called twice."""
        for thing in (self._array, self._rows, self._program):
            thing.release()
