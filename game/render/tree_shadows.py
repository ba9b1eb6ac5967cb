"""Shadows of trees on the land: one strip per near tree, multiplied onto the picture before the trees are drawn.

A strip needs the land's height, so each carries the texture layer of the page that draws the land at its foot.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from game.gl.api import GL
from game.gl.buffer import Buffer
from game.gl.context import GLContext
from game.gl.vertex_array import Stream, VertexArray
from game.render.frame import FrameView
from game.render.tree_gather import SHADOW_DTYPE, TreeGather
from game.render.tree_table import TreeTable
from game.render.uniforms import load_program

_STRIP_DTYPE = np.dtype([("strip", "<f4", (2,))])
_ALONG = 6
_REACH_SHARE = 2.0
"""Reach of shadows as a share of r0; they fade over its last part."""


def strip_vertices(along: int) -> NDArray[np.float32]:
    """float32 [3 · (along + 1), 2]: across −1, 0, 1 and along 0…1, row by row."""
    rows = np.linspace(0.0, 1.0, along + 1)
    grid = [(across, float(row)) for row in rows for across in (-1.0, 0.0, 1.0)]
    return np.array(grid, np.float32)


def strip_indices(along: int) -> NDArray[np.uint16]:
    """uint16 [12 · along]: the triangles of `strip_vertices`."""
    found = []
    for row in range(along):
        for column in (0, 1):
            a = 3 * row + column
            found += [a, a + 1, a + 3, a + 1, a + 4, a + 3]
    return np.array(found, np.uint16)


class TreeShadowsPass:
    """Draws the shadows of gathered trees. Texture units: 0 heights, 1 normals, 3 noise tile."""

    def __init__(self, gl: GLContext, r0_m: float, sizes: NDArray[np.float32]) -> None:
        """`sizes`: float32 [2, 2], height and radius of either kind at scale 1, metres."""
        self.reach_m = _REACH_SHARE * r0_m
        self._sizes = tuple(float(side) for side in sizes.reshape(-1)[:4])
        self.drawn = 0
        """Shadows of the last frame."""
        samplers = {"page_heights": 0, "page_normals": 1, "noise_tile": 3}
        self._program = load_program(gl, "tree_shadow", samplers=samplers)
        self._strip = Buffer(gl, np.ascontiguousarray(strip_vertices(_ALONG)).view(_STRIP_DTYPE).reshape(-1))
        indices = strip_indices(_ALONG)
        self._indices = Buffer(gl, indices, GL.GL_ELEMENT_ARRAY_BUFFER)
        self._count = len(indices)
        self._instances = Buffer(gl, 256 * SHADOW_DTYPE.itemsize, dynamic=True)
        self._array = VertexArray(
            gl,
            [
                Stream(self._strip, _STRIP_DTYPE, {"strip": 0}),
                Stream(self._instances, SHADOW_DTYPE, {"place": 1, "look": 2, "page": 3}, per_instance=True),
            ],
            self._indices,
            np.uint16,
        )

    def draw(self, view: FrameView, gather: TreeGather, store: TreeTable) -> None:
        """Darken the land under the trees of `gather`; leaves blending off and depth writing on."""
        rows = gather.shadows(view, store, self.reach_m)
        self.drawn = len(rows)
        if not self.drawn:
            return
        self._instances.replace(rows)
        GL.glEnable(GL.GL_BLEND)
        GL.glDepthMask(GL.GL_FALSE)
        GL.glDisable(GL.GL_CULL_FACE)
        self._program.use()
        self._program.set("sizes", self._sizes)
        # First the darkest shadow of each pixel into the target's alpha, which land has left at 1.
        self._program.set("settled", 0)
        GL.glColorMask(GL.GL_FALSE, GL.GL_FALSE, GL.GL_FALSE, GL.GL_TRUE)
        GL.glBlendEquation(GL.GL_MIN)
        self._array.draw(self._count, instances=self.drawn)
        # Then alpha onto the colour, once: whoever comes first sets it back to 1.
        GL.glColorMask(GL.GL_TRUE, GL.GL_TRUE, GL.GL_TRUE, GL.GL_TRUE)
        GL.glBlendEquation(GL.GL_FUNC_ADD)
        self._program.set("settled", 1)
        GL.glBlendFuncSeparate(GL.GL_ZERO, GL.GL_DST_ALPHA, GL.GL_ONE, GL.GL_ZERO)
        self._array.draw(self._count, instances=self.drawn)
        GL.glEnable(GL.GL_CULL_FACE)
        GL.glDepthMask(GL.GL_TRUE)
        GL.glDisable(GL.GL_BLEND)

    def release(self) -> None:
        """Free every GL object; harmless when called twice."""
        for thing in (self._array, self._instances, self._strip, self._indices, self._program):
            thing.release()
