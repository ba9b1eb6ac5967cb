"""Gradient noise that repeats: what textures are made of, here and in tools. Pure numbers, no GL."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


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


def periodic_noise(cells: int, salt: int, texels: int) -> NDArray[np.float32]:
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
