"""A page: what a worker makes and the GPU and the store keep. Data only."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from game.core.coords import PageKey

TREE_COLUMNS = 8
"""Columns of a tree row: x, height, z, parent height, scale, yaw, kind, rank (see `PageData.trees`)."""


@dataclass(slots=True)
class PageData:
    """Samples of one page. Rows run south (z), columns east (x).

    R is the height at this level; G at even samples is exactly the parent's R, at odd samples undefined.
    """

    key: PageKey
    base: NDArray[np.float32]
    """[136, 136, 2] R and G before any edit, samples −4…131, metres."""
    edited: NDArray[np.float32]
    """[136, 136, 2] R and G after edits; the same array as `base` while no edit touches the page."""
    heights: NDArray[np.float32]
    """[132, 132, 2] samples −2…129 of `edited`, contiguous, ready for upload."""
    normals: NDArray[np.uint8]
    """[132, 132, 4] own x, z and parent x, z of the unit normal, n · 127.5 + 127.5 rounded; parent at even samples."""
    climate: NDArray[np.uint8]
    """[132, 132, 4] temperature (0…255 = −20…+40 °C at the ground), humidity, bare rock, tree density (0…255 = 0…1)."""
    min_m: float
    max_m: float
    """Bounds of R and G over the stored samples, metres."""
    epoch: int = 0
    """Edit epoch of `edited` (see `world.edits`)."""
    trees: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, TREE_COLUMNS), np.float32))
    """[n, 8] trees whose foot is in this page, tile after tile (`world.vegetation.tiles_along`), in each by ascending
    sixteenths of rank: x and z in metres from the page's corner,
    height R and parent height at the foot, scale, yaw in radians, kind (integer), rank (hash in 0…1)."""
