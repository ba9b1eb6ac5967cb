"""The sculpting ring: two circles that follow the land, the brush's radius and half of it.

Reads `FrameView.brush`, whose heights the app sampled under `frame.brush_ring`. Where land or trees hide the
ring it shines through faintly, so that the brush is never lost behind a hill.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from game.gl.api import GL
from game.gl.buffer import Buffer
from game.gl.context import GLContext
from game.gl.vertex_array import Stream, VertexArray
from game.render.frame import BRUSH_POINTS, BrushView, CameraView, FrameView, brush_ring
from game.render.uniforms import FrameUniforms, load_program

_DTYPE = np.dtype([("point", "<f4", (4,)), ("ahead", "<f4", (4,))])
_LIFT_M = 0.08
_HALF_WIDTH_PX = 2.2
_INNER_OPACITY = 0.45
_HIDDEN_OPACITY = 0.20
_RAISING = (1.0, 0.62, 0.16)
_LOWERING = (0.25, 0.62, 1.0)


def ribbon(brush: BrushView, camera: CameraView) -> NDArray[np.void]:
    """Vertices of both circles, camera-relative: two per point, the first point repeated at the end.

    Raises `ValueError` when the brush's heights have another shape than [2, BRUSH_POINTS].
    """
    heights = brush.heights
    if heights is None or heights.shape != (2, BRUSH_POINTS):
        given = None if heights is None else heights.shape
        raise ValueError(f"brush heights have shape {given}; give {(2, BRUSH_POINTS)}")
    x, z = brush_ring(brush.x, brush.z, brush.radius_m)
    points = np.stack([x - camera.x, heights + (_LIFT_M - camera.y), z - camera.z], axis=-1)
    points = np.concatenate([points, points[:, :1]], axis=1)
    following = np.concatenate([points[:, 1:], points[:, 1:2]], axis=1)
    out = np.zeros((2, BRUSH_POINTS + 1, 2), _DTYPE)
    out["point"][..., :3] = points[:, :, None]
    out["point"][..., 3] = (-1.0, 1.0)
    out["ahead"][..., :3] = following[:, :, None]
    out["ahead"][..., 3] = np.array([1.0, _INNER_OPACITY])[:, None, None]
    return np.ascontiguousarray(out.reshape(-1))


def _indices() -> NDArray[np.uint16]:
    """Two triangles between each pair of points, both circles."""
    first = 2 * np.arange(BRUSH_POINTS)
    quad = np.stack([first, first + 1, first + 3, first, first + 3, first + 2], axis=-1)
    both = np.stack([quad, quad + 2 * (BRUSH_POINTS + 1)])
    return np.ascontiguousarray(both.astype(np.uint16).reshape(-1))


class OverlayPass:
    """Draws the brush ring over the near band."""

    def __init__(self, gl: GLContext) -> None:
        self.draw_calls = 0
        self.triangles = 0
        self._program = load_program(gl, "overlay")
        self._vertices = Buffer(gl, 4 * (BRUSH_POINTS + 1) * _DTYPE.itemsize, dynamic=True)
        indices = _indices()
        self._indices = Buffer(gl, indices, GL.GL_ELEMENT_ARRAY_BUFFER)
        self._count = len(indices)
        stream = Stream(self._vertices, _DTYPE, {"point": 0, "ahead": 1})
        self._array = VertexArray(gl, [stream], self._indices, np.uint16)

    @property
    def drawn(self) -> int:
        """Rings of the last frame, 0 or 1."""
        return int(self.draw_calls > 0)

    def draw(self, view: FrameView, frame: FrameUniforms) -> None:
        """Draw the ring where `view` has a brush with heights."""
        self.draw_calls = self.triangles = 0
        brush = view.brush
        if brush is None or brush.heights is None:
            return
        self._vertices.replace(ribbon(brush, view.camera))
        GL.glEnable(GL.GL_BLEND)
        GL.glBlendFunc(GL.GL_SRC_ALPHA, GL.GL_ONE_MINUS_SRC_ALPHA)
        GL.glDisable(GL.GL_CULL_FACE)
        self._program.use()
        self._program.set("colour", _RAISING if brush.raising else _LOWERING)
        # Thicker on large pictures, so that it looks alike.
        self._program.set("half_width", float(_HALF_WIDTH_PX * max(view.height / 900.0, 0.6)))
        # What is hidden first: it must not test against the ring's own depth.
        GL.glDepthMask(GL.GL_FALSE)
        GL.glDepthFunc(GL.GL_GREATER)
        self._pass(_HIDDEN_OPACITY)
        # Depth is written, so that land of the far band, drawn later, does not cover the ring.
        GL.glDepthMask(GL.GL_TRUE)
        GL.glDepthFunc(GL.GL_LEQUAL)
        self._pass(1.0)
        GL.glEnable(GL.GL_CULL_FACE)
        GL.glDisable(GL.GL_BLEND)

    def _pass(self, opacity: float) -> None:
        self._program.set("opacity", opacity)
        self._array.draw(self._count)
        self.draw_calls += 1
        self.triangles += self._count // 3

    def release(self) -> None:
        """Free every GL object; harmless when called twice."""
        for thing in (self._array, self._indices, self._vertices, self._program):
            thing.release()
