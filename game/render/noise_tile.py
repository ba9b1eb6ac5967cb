"""The tileable noise texture that ground, clouds and waves share, made at load from a hash.

256² RGBA8: R broad fBm, G fine grain, B and A the slope of a middle fBm (x, z; 0.5 is flat). Every octave has
a whole number of cells in the tile, so all four repeat without a seam. Only looks depend on it, never heights.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from game.gl.context import GLContext
from game.gl.texture import RGBA8, Sampling, Texture2D
from game.render.periodic import periodic_noise

TILE_TEXELS = 256

MICRO_CELLS = 8
"""Cells of the slope's first octave along a tile."""
MICRO_SLOPE = 3.9
"""Slope per unit of the stored −1…1 (three standard deviations) of noise 1 m from foot to top with cells of 1 m."""


def _fbm(first: int, octaves: int, salt: int, gain: float = 0.5) -> NDArray[np.float32]:
    total = np.zeros((TILE_TEXELS, TILE_TEXELS), np.float32)
    for octave in range(octaves):
        total += np.float32(gain**octave) * periodic_noise(first << octave, salt + octave, TILE_TEXELS)
    return total


def _unit(field: NDArray[np.float32], spread: float) -> NDArray[np.float32]:
    """Centre on 0.5 with `spread` standard deviations to either end."""
    scaled = (field - field.mean()) / (field.std() * spread)
    unit: NDArray[np.float32] = np.clip(0.5 + 0.5 * scaled, 0.0, 1.0).astype(np.float32)
    return unit


def noise_texels() -> NDArray[np.uint8]:
    """uint8 [256, 256, 4] texels of the tile."""
    broad = _unit(_fbm(4, 5, 11), 2.6)
    grain = _unit(_fbm(24, 3, 57, 0.8), 2.6)
    height = _fbm(MICRO_CELLS, 5, 103, 0.62)
    slope_x = np.roll(height, -1, axis=1) - np.roll(height, 1, axis=1)
    slope_z = np.roll(height, -1, axis=0) - np.roll(height, 1, axis=0)
    planes = [broad, grain, _unit(slope_x, 3.0), _unit(slope_z, 3.0)]
    return np.ascontiguousarray(np.rint(np.stack(planes, axis=-1) * 255.0).astype(np.uint8))


def noise_tile(gl: GLContext, anisotropy: float) -> Texture2D:
    """The tile as a repeating, mipmapped texture. The caller releases it.

    Ground is seen at a slant: without anisotropic filtering it blurs a few metres ahead of the wheel.
    """
    sampling = Sampling(repeat=True, mipmaps=True, anisotropy=anisotropy)
    return Texture2D(gl, TILE_TEXELS, TILE_TEXELS, RGBA8, noise_texels(), sampling)
