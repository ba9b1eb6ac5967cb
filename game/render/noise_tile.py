"""The tileable noise texture that ground, clouds and waves share, made at load from a hash.

256² RGBA8: R broad fBm, G fine grain, B and A the slope of a middle fBm (x, z; 0.5 is flat). Every octave has
a whole number of cells in the tile, so all four repeat without a seam. Only looks depend on it, never heights.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from game.gl.context import GLContext
from game.gl.texture import RGBA8, Sampling, Texture2D

TILE_TEXELS = 256


def _gradients(cells: int, salt: int) -> NDArray[np.float32]:
    """Unit gradients [cells, cells, 2] from a hash of the lattice point."""
    j, i = np.meshgrid(np.arange(cells, dtype=np.uint64), np.arange(cells, dtype=np.uint64), indexing="ij")
    mask = np.uint64(0xFFFFFFFF)
    h = (i * np.uint64(0x9E3779B1) + j * np.uint64(0x85EBCA77) + np.uint64(salt * 0x27D4EB2F)) & mask
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        h = ((h ^ (h >> np.uint64(shift))) * np.uint64(factor)) & mask
    angle = (h ^ (h >> np.uint64(16))).astype(np.float64) * (2.0 * np.pi / 2.0**32)
    gradients: NDArray[np.float32] = np.stack([np.cos(angle), np.sin(angle)], axis=-1).astype(np.float32)
    return gradients


def periodic_noise(cells: int, salt: int, texels: int = TILE_TEXELS) -> NDArray[np.float32]:
    """Gradient noise [texels, texels] with `cells` lattice cells a side, repeating, about −0.7…0.7.

    Source: Perlin, "Improving Noise" (2002), for the quintic fade.
    """
    if not 1 <= cells <= texels:
        raise ValueError(f"cells = {cells} is not accepted; give 1 to {texels}")
    place = (np.arange(texels, dtype=np.float32) + np.float32(0.5)) * np.float32(cells / texels)
    low = np.floor(place).astype(np.int64)
    frac = (place - low).astype(np.float32)
    fade = frac * frac * frac * (frac * (frac * 6 - 15) + 10)
    gradient = _gradients(cells, salt)
    x, y = frac[None, :], frac[:, None]
    u, v = fade[None, :], fade[:, None]

    def corner(dj: int, di: int) -> NDArray[np.float32]:
        g = gradient[np.ix_((low + dj) % cells, (low + di) % cells)]
        value: NDArray[np.float32] = g[..., 0] * (x - di) + g[..., 1] * (y - dj)
        return value

    top = corner(0, 0) * (1 - u) + corner(0, 1) * u
    bottom = corner(1, 0) * (1 - u) + corner(1, 1) * u
    noise: NDArray[np.float32] = (top * (1 - v) + bottom * v).astype(np.float32)
    return noise


def _fbm(first: int, octaves: int, salt: int, gain: float = 0.5) -> NDArray[np.float32]:
    total = np.zeros((TILE_TEXELS, TILE_TEXELS), np.float32)
    for octave in range(octaves):
        total += np.float32(gain**octave) * periodic_noise(first << octave, salt + octave)
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
    height = _fbm(8, 5, 103, 0.62)
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
