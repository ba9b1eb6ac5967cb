"""The atlas of far trees: each kind seen from a few directions, drawn from its near mesh.

Layers are ordered kind, elevation, azimuth. A layer fills the quad that the far-tree shader puts up: the
tree's bounding cylinder seen from that elevation. Colour is sRGB with coverage in alpha; normals are stored
in the axes of the view (right, up, toward the eye).
"""

from __future__ import annotations

import math

import numpy as np
from assets_mesh import Array, Mesh, cos, normalised, sin
from assets_raster import rasterise
from numpy.typing import NDArray

WIDTH, HEIGHT = 64, 128
AZIMUTHS = 4
ELEVATIONS_DEG = (2.0, 26.0, 52.0, 80.0)
SAMPLES = 4
"""Supersamples along each side of a texel."""


def extents(mesh: Mesh) -> tuple[float, float]:
    """(height above the foot, greatest radius) of a tree in metres."""
    radius = np.sqrt(np.max(mesh.position[:, 0] ** 2 + mesh.position[:, 2] ** 2))
    return float(mesh.position[:, 1].max()), float(radius)


def half_height(height: float, radius: float, elevation_rad: float) -> float:
    """Half the apparent height of the bounding cylinder; the far-tree shader uses the same formula."""
    return 0.5 * height * float(cos(elevation_rad)) + radius * float(sin(elevation_rad))


def _bleed(colour: Array, covered: NDArray[np.bool_], rounds: int) -> Array:
    """Spread colours into empty texels, so that filtering finds no black beside a leaf."""
    colour, known = colour.copy(), covered.copy()
    for _ in range(rounds):
        total, count = np.zeros_like(colour), np.zeros(known.shape)
        for dy, dx in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            near = np.roll(known, (dy, dx), (0, 1))
            total += np.where(near[..., None], np.roll(colour, (dy, dx), (0, 1)), 0.0)
            count += near
        fill = ~known & (count > 0)
        colour[fill] = total[fill] / count[fill][:, None]
        known |= fill
    return colour


def layer(
    mesh: Mesh, azimuth_rad: float, elevation_rad: float
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Colour and normal texels, uint8 [HEIGHT, WIDTH, 4], top row first."""
    height, radius = extents(mesh)
    ca, sa = float(cos(azimuth_rad)), float(sin(azimuth_rad))
    ce, se = float(cos(elevation_rad)), float(sin(elevation_rad))
    # The eye stands at this azimuth, measured from +z toward +x, looking at the middle of the tree.
    toward = np.array([sa * ce, se, ca * ce])
    right = np.array([ca, 0.0, -sa])
    up = np.array([-sa * se, ce, -ca * se])
    axes = np.stack([right, up, toward])
    above = np.maximum(mesh.position, [-np.inf, 0.0, -np.inf]) - np.array([0.0, 0.5 * height, 0.0])
    seen = np.einsum("ij,nj->ni", axes, above)
    tall = half_height(height, radius, elevation_rad)
    rows, columns = HEIGHT * SAMPLES, WIDTH * SAMPLES
    points = np.stack(
        [
            (seen[:, 0] / radius * 0.5 + 0.5) * columns,
            (0.5 - 0.5 * seen[:, 1] / tall) * rows,
            seen[:, 2],
        ],
        axis=1,
    )
    picture = rasterise(mesh, points, np.einsum("ij,nj->ni", axes, mesh.normal), rows, columns)
    shape = (HEIGHT, SAMPLES, WIDTH, SAMPLES)
    hit = picture.covered.reshape(shape).astype(float)
    share = hit.sum(axis=(1, 3))
    weight = np.maximum(share, 1.0)[..., None]
    linear = (np.clip(picture.colour, 0, 1) ** 2.2).reshape(*shape, 3) * hit[..., None]
    normal = picture.normal.reshape(*shape, 3) * hit[..., None]
    covered = share > 0
    colour = _bleed(linear.sum(axis=(1, 3)) / weight, covered, 12) ** (1.0 / 2.2)
    facing = normalised(_bleed(normal.sum(axis=(1, 3)) / weight, covered, 12))
    alpha = share / (SAMPLES * SAMPLES)
    texels = np.concatenate([colour, alpha[..., None]], axis=2)
    directions = np.concatenate([facing * 0.5 + 0.5, np.ones_like(alpha)[..., None]], axis=2)
    return np.round(texels * 255.0).astype(np.uint8), np.round(directions * 255.0).astype(np.uint8)


def atlas(meshes: list[Mesh]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Colour and normals of all layers side by side.

    uint8 [kinds · elevations · HEIGHT, AZIMUTHS · WIDTH, 4]: a row of the sheet holds one elevation.
    """
    colours, normals = [], []
    for mesh in meshes:
        for elevation in ELEVATIONS_DEG:
            row = [
                layer(mesh, 2.0 * math.pi * number / AZIMUTHS, math.radians(elevation))
                for number in range(AZIMUTHS)
            ]
            colours.append(np.concatenate([texels for texels, _ in row], axis=1))
            normals.append(np.concatenate([directions for _, directions in row], axis=1))
    return np.concatenate(colours), np.concatenate(normals)
