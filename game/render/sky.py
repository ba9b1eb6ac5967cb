"""The sky behind everything: gradient, sun or moon, clouds, stars. One triangle at the far plane."""

from __future__ import annotations

from game.gl.context import GLContext
from game.gl.vertex_array import VertexArray
from game.render.uniforms import load_program


class SkyPass:
    """Draws where nothing else was drawn (depth 1). Texture unit 3: noise tile."""

    def __init__(self, gl: GLContext) -> None:
        self._program = load_program(gl, "sky", samplers={"noise_tile": 3}, vertex_name="fullscreen")
        self._triangle = VertexArray(gl)

    def draw(self) -> None:
        """Draw; the caller has set the depth test to less-or-equal and the full depth range."""
        self._program.use()
        self._triangle.draw(3)

    def release(self) -> None:
        """Free all GL objects."""
        self._triangle.release()
        self._program.release()
