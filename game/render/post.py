"""The last pass: tone mapping, sRGB, edge smoothing where there is no multisampling, dither against banding."""

from __future__ import annotations

from game.gl.context import GLContext
from game.gl.vertex_array import VertexArray
from game.render.uniforms import load_program


class PostPass:
    """Texture unit 5: the resolved linear scene, filtered linearly."""

    def __init__(self, gl: GLContext, smooth_edges: bool) -> None:
        self._program = load_program(
            gl, "post", {"SMOOTH_EDGES": int(smooth_edges)}, {"scene": 5}, vertex_name="fullscreen"
        )
        self._triangle = VertexArray(gl)

    def draw(self) -> None:
        """Draw over the bound 8-bit target."""
        self._program.use()
        self._triangle.draw(3)

    def release(self) -> None:
        """Free all GL objects."""
        self._triangle.release()
        self._program.release()
