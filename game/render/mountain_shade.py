"""The GPU's copy of the shadows of mountains (`streaming.mountain_shade`)."""

from __future__ import annotations

import numpy as np

from game.gl.context import GLContext
from game.gl.texture import LINEAR, RG32F, Texture2D
from game.kernels.mountain_shade import NO_SHADE_M
from game.streaming.mountain_shade import SHADE_SIDE, ShadeMap

SHADE_UNIT = 16
"""A unit of its own, since the sea reads these heights beside the scene's depth."""


class ShadeTexture:
    """Heights of shadows for programs with shade.glsl."""

    def __init__(self, gl: GLContext) -> None:
        none = np.full((SHADE_SIDE, SHADE_SIDE, 2), NO_SHADE_M, np.float32)
        self._texture = Texture2D(gl, SHADE_SIDE, SHADE_SIDE, RG32F, none, LINEAR)
        self._sent: ShadeMap | None = None

    def update(self, shade: ShadeMap | None) -> None:
        """Send `shade` where it is not the one sent last, and bind."""
        # Writing binds to the unit in use: it has to be the texture's own.
        self._texture.bind(SHADE_UNIT)
        if shade is not None and shade is not self._sent:
            self._texture.write(shade.tops)
            self._sent = shade

    def release(self) -> None:
        """Free the texture."""
        self._texture.release()
