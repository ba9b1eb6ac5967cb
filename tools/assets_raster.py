"""A small software rasteriser: draws meshes into arrays for the far-tree atlas. numpy only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from assets_mesh import Array, Mesh
from numpy.typing import NDArray


@dataclass(slots=True)
class Picture:
    """What was seen, per pixel; rows run down."""

    colour: Array
    """[h, w, 3]"""
    normal: Array
    """[h, w, 3] in the axes given; zero where nothing was drawn."""
    depth: Array
    """[h, w], larger is nearer; −inf where nothing was drawn."""

    @property
    def covered(self) -> NDArray[np.bool_]:
        """[h, w] whether anything was drawn."""
        return np.isfinite(self.depth)


def rasterise(mesh: Mesh, points: Array, normals: Array, height: int, width: int) -> Picture:
    """Draw a mesh.

    `points` [n, 3] are pixel x (right), pixel y (down) and nearness; `normals` [n, 3] are stored as they are.
    Both faces are drawn; a normal that looks away (negative third component on a back face) is kept, because
    foliage is lit by its crown's shape and not by which side of a leaf is seen.
    """
    picture = Picture(
        np.zeros((height, width, 3)), np.zeros((height, width, 3)), np.full((height, width), -np.inf)
    )
    for triangle in mesh.index:
        a, b, c = points[triangle]
        low = np.maximum(np.floor(np.minimum(np.minimum(a, b), c)[:2]).astype(int), 0)
        high = np.minimum(np.ceil(np.maximum(np.maximum(a, b), c)[:2]).astype(int) + 1, (width, height))
        if high[0] <= low[0] or high[1] <= low[1]:
            continue
        area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        if abs(area) < 1e-9:
            continue
        x = np.arange(low[0], high[0]) + 0.5
        y = (np.arange(low[1], high[1]) + 0.5)[:, None]
        wb = ((x - a[0]) * (c[1] - a[1]) - (y - a[1]) * (c[0] - a[0])) / area
        wc = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / area
        wa = 1.0 - wb - wc
        depth = wa * a[2] + wb * b[2] + wc * c[2]
        box = (slice(low[1], high[1]), slice(low[0], high[0]))
        hit = (wa >= 0) & (wb >= 0) & (wc >= 0) & (depth > picture.depth[box])
        if not hit.any():
            continue
        weights = np.stack([wa[hit], wb[hit], wc[hit]], axis=1)
        picture.depth[box][hit] = depth[hit]
        # Sums of three products in a fixed order, so that every machine gets the same bits.
        for target, source in ((picture.colour, mesh.colour), (picture.normal, normals)):
            p, q, r = source[triangle]
            target[box][hit] = weights[:, :1] * p + weights[:, 1:2] * q + weights[:, 2:] * r
    return picture
