"""Where a change can be seen: its rectangle in the world, and the samples of a grid that lie in it.

Owns how far a change reaches on every level: rounding, baked differences, normals. Knows no log and changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.core.coords import APRON, GENERATED, GENERATED_APRON, STORED, PageKey
from game.kernels import brush as brush_kernels
from game.kernels.growth import GROWTH_LEVEL
from game.world.woods import IndexBox, Woods

_NORMAL_REACH = 2
"""Samples around a changed one whose normals change: the parent's slope looks one parent sample, two own, away."""


class DirtyBox(NamedTuple):
    """World rectangle that one or more changes touched, borders included."""

    x0: float
    z0: float
    x1: float
    z1: float
    """Metres."""
    radius_m: float
    """Largest radius of the brushes in it: coarse levels do not show small ones."""
    epoch: int
    """Epoch of the log after the change."""
    baked: bool = False
    """Whether it holds baked differences, which filtering carries outward on coarse levels."""

    def union(self, other: DirtyBox | None) -> DirtyBox:
        """The box around both, at the later epoch."""
        if other is None:
            return self
        return DirtyBox(
            min(self.x0, other.x0),
            min(self.z0, other.z0),
            max(self.x1, other.x1),
            max(self.z1, other.z1),
            max(self.radius_m, other.radius_m),
            max(self.epoch, other.epoch),
            self.baked or other.baked,
        )

    def touches(self, key: PageKey) -> bool:
        """Whether the change can alter the page, its apron included."""
        return samples_in(self, Grid.of(key)) is not None

    def pages(self, level: int) -> Iterator[PageKey]:
        """Keys of all pages of `level` that the change can alter."""
        span = PageKey(level, 0, 0).span_m
        for iz in range(math.floor(self.z0 / span) - 1, math.floor(self.z1 / span) + 2):
            for ix in range(math.floor(self.x0 / span) - 1, math.floor(self.x1 / span) + 2):
                key = PageKey(level, ix, iz)
                if self.touches(key):
                    yield key


class Grid(NamedTuple):
    """A square of samples of one level: those generated for a page, or the lattice of its woods."""

    level: int
    first_i: int
    first_j: int
    """Sample index of [0, 0]."""
    side: int
    """How many there are along a side."""

    @classmethod
    def of(cls, key: PageKey) -> Grid:
        """The samples generated for a page."""
        return cls(key.level, *_first_sample(key), GENERATED)

    @classmethod
    def under(cls, woods: Woods) -> Grid:
        """The lattice of a page's woods."""
        return cls(GROWTH_LEVEL, *woods.first, woods.count)


def samples_in(box: DirtyBox, grid: Grid) -> IndexBox | None:
    """Indices of the samples of `grid` in `box`; None when it has none or its level shows no such brush."""
    level, first_i, first_j, side = grid
    spacing = 1 << level
    if level > 0 and box.radius_m <= spacing:
        return None
    # One sample more on each side, as the kernel does, so that rounding cannot drop a rim sample. Filtering from level
    # to level carries a baked sample less than one sample outward in R and less than two in G.
    more = 3 if box.baked else 1
    i0 = max(0, math.floor(box.x0 / spacing) - more - first_i)
    i1 = min(side, math.ceil(box.x1 / spacing) + more + 1 - first_i)
    j0 = max(0, math.floor(box.z0 / spacing) - more - first_j)
    j1 = min(side, math.ceil(box.z1 / spacing) + more + 1 - first_j)
    return (j0, j1, i0, i1) if i0 < i1 and j0 < j1 else None


def _first_sample(key: PageKey) -> tuple[int, int]:
    """Sample index (i, j) of generated index 0."""
    i, j = key.origin_sample
    return i - GENERATED_APRON, j - GENERATED_APRON


def stored_box(box: IndexBox) -> IndexBox | None:
    """Stored indices (0…132) whose height or normal depends on generated samples in `box`."""
    shift = GENERATED_APRON - APRON
    j0, j1, i0, i1 = box
    j0, i0 = max(0, j0 - shift - _NORMAL_REACH), max(0, i0 - shift - _NORMAL_REACH)
    j1, i1 = min(STORED, j1 - shift + _NORMAL_REACH), min(STORED, i1 - shift + _NORMAL_REACH)
    return (j0, j1, i0, i1) if i0 < i1 and j0 < j1 else None


def box_around(ops: NDArray[np.float64], epoch: int) -> DirtyBox:
    """Box around operation rows [n ≥ 1, 14]."""
    x, z = ops[:, brush_kernels.OP_CENTRE_X], ops[:, brush_kernels.OP_CENTRE_Z]
    half_x = half_z = ops[:, brush_kernels.OP_REACH]
    baked = ops[:, brush_kernels.OP_BRUSH] == brush_kernels.DELTA
    if baked.any():
        half_x = np.where(baked, ops[:, brush_kernels.OP_C], half_x)
        half_z = np.where(baked, ops[:, brush_kernels.OP_D], half_z)
    ramp = ops[:, brush_kernels.OP_BRUSH] == brush_kernels.RAMP
    if ramp.any():
        # Half the run and the radius: the circle around a ramp holds half as much again.
        side = ops[:, brush_kernels.OP_RADIUS] + 1.0
        run_x = np.abs(ops[:, brush_kernels.OP_A] - ops[:, brush_kernels.OP_X])
        run_z = np.abs(ops[:, brush_kernels.OP_B] - ops[:, brush_kernels.OP_Z])
        half_x = np.where(ramp, 0.5 * run_x + side, half_x)
        half_z = np.where(ramp, 0.5 * run_z + side, half_z)
    return DirtyBox(
        float((x - half_x).min()),
        float((z - half_z).min()),
        float((x + half_x).max()),
        float((z + half_z).max()),
        float(ops[:, brush_kernels.OP_RADIUS].max()),
        epoch,
        bool(baked.any()),
    )
