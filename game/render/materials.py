"""Ground materials as two texture arrays, made at load from assets/models/ground.png; the shader's only detail.

`relief`: slope along x and z, tone, height: what every preset reads. `colour`: the tile's colour divided by its mean,
halved, so that 0.5 leaves the biome's own colour alone and mipmaps fade into it by themselves; gloss in alpha.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from game.gl.api import GL
from game.gl.context import GLContext
from game.gl.texture import RGBA8, Sampling, Texture2DArray
from game.render import model

LAYERS = ("grass", "meadow", "forest_floor", "scree", "rock", "sand", "snow", "mud")
"""The tiles of ground.png from top to bottom; layer numbers in the shader."""

RELIEF_M = (0.060, 0.075, 0.050, 0.090, 0.110, 0.028, 0.030, 0.055)
"""Height of each tile from its lowest to its highest texel, metres."""

TILE_M = 3.0
"""Size of a tile on the land, metres (4096 m hold 1365 of them)."""

MOST_SLOPE = 2.0
"""Slope that the ends of the 8-bit range stand for."""

MATERIAL_CONSTANTS: dict[str, int | float | tuple[float, ...]] = {
    **{f"LAYER_{name.upper()}": number for number, name in enumerate(LAYERS)},
    "MOST_SLOPE": MOST_SLOPE,
}


def relief_glsl() -> str:
    """GLSL of the constant array RELIEF_M."""
    return f"const float RELIEF_M[{len(LAYERS)}] = float[]({', '.join(str(h) for h in RELIEF_M)});\n"


def _linear(srgb: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Linear 0…1 of 8-bit sRGB."""
    code = np.arange(256) / 255.0
    table = np.where(code <= 0.04045, code / 12.92, ((code + 0.055) / 1.055) ** 2.4).astype(np.float32)
    linear: NDArray[np.float32] = table[srgb]
    return linear


def detail_texels(tile: NDArray[np.uint8], relief_m: float) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """(relief, colour) texels uint8 [n, n, 4] of one tile (sRGB, height 0…255) `relief_m` high."""
    size = tile.shape[0]
    linear = _linear(tile[..., :3])
    # A little flatter than the tile: the biome's noise adds its own contrast. Cutting at twice the mean lowers the
    # mean, so it is raised again; the mipmaps of the last level must be 0.5.
    ratio = 0.5 * (linear / linear.mean(axis=(0, 1))) ** np.float32(0.8)
    for _ in range(6):
        ratio = np.minimum(ratio * (0.5 / ratio.mean(axis=(0, 1))), 1.0)
    height = tile[..., 3].astype(np.float32) / np.float32(255.0)
    per_m = np.float32(relief_m * size / (2.0 * TILE_M * MOST_SLOPE))
    slopes = [(np.roll(height, -1, axis) - np.roll(height, 1, axis)) * per_m for axis in (1, 0)]
    tone = ratio @ np.array([0.30, 0.55, 0.15], np.float32)
    planes = [0.5 + 0.5 * slopes[0], 0.5 + 0.5 * slopes[1], tone, height]
    gloss = np.clip(1.5 - 2.0 * tone, 0.0, 1.0)
    colour = np.concatenate([ratio, gloss[..., None]], axis=-1)

    def packed(field: NDArray[np.float32]) -> NDArray[np.uint8]:
        texels: NDArray[np.uint8] = np.rint(np.clip(field, 0.0, 1.0) * 255.0).astype(np.uint8)
        return np.ascontiguousarray(texels)

    return packed(np.stack(planes, axis=-1)), packed(colour)


class MaterialTextures:
    """The two arrays. `with_colour` False makes only `relief`, which is all the low preset reads."""

    def __init__(self, gl: GLContext, with_colour: bool, anisotropy: float) -> None:
        sheet = model.picture("ground.png")
        size = sheet.shape[1]
        if sheet.shape != (len(LAYERS) * size, size, 4):
            raise ValueError(
                f"ground.png has shape {sheet.shape}; give {len(LAYERS)} square tiles below each other"
            )
        sampling = Sampling(repeat=True, mipmaps=True, anisotropy=anisotropy)
        names = ("relief", "colour")[: 2 if with_colour else 1]
        self._arrays = [Texture2DArray(gl, size, size, len(LAYERS), RGBA8, sampling) for _ in names]
        for layer, relief_m in enumerate(RELIEF_M):
            made = detail_texels(sheet[layer * size : (layer + 1) * size], relief_m)
            for texture, texels in zip(self._arrays, made, strict=False):
                texture.write(layer, texels)
        for texture in self._arrays:
            texture.bind(0)
            GL.glGenerateMipmap(texture.target)

    def bind(self, first_unit: int) -> None:
        """Bind relief and colour to units from `first_unit`; relief stands in for a colour that is not there."""
        for number, texture in enumerate((self._arrays[0], self._arrays[-1])):
            texture.bind(first_unit + number)

    def release(self) -> None:
        """Free the arrays."""
        for texture in self._arrays:
            texture.release()
