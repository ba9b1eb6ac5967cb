"""The sky behind everything: gradient, sun or moon, clouds, stars. One triangle at the far plane."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from game.gl.context import GLContext
from game.gl.texture import LINEAR, RGBA32F, Texture2D
from game.gl.vertex_array import VertexArray
from game.render.scattering import SKY_SIDES, SKY_UPS
from game.render.uniforms import SKY_UNIT, load_program


class SkyTable:
    """The sky's colours on the GPU, for the sky itself and for everything that fades into it."""

    def __init__(self, gl: GLContext) -> None:
        self._texture = Texture2D(gl, SKY_SIDES, SKY_UPS, RGBA32F, sampling=LINEAR)
        self._sent: NDArray[np.float32] | None = None

    def update(self, sky: NDArray[np.float32]) -> None:
        """Send `sky` (`Atmosphere.sky`) where it is not the one sent last, and bind it."""
        # Writing binds to the unit in use: it has to be the texture's own.
        self._texture.bind(SKY_UNIT)
        if sky is not self._sent:
            self._texture.write(sky)
            self._sent = sky

    def release(self) -> None:
        """Free the texture."""
        self._texture.release()


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
