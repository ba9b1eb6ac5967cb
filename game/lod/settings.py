"""What the level selection may spend: range of the finest level, view distance, patch size. Data only.

Source: Strugar (2010), "CDLOD", section "LOD distances and morph areas".
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from game.core.coords import MAX_LEVEL

PATCH_SIZES = (8, 16, 32, 64)
"""Quads along one side of a patch that are accepted: a node of 2 × 2 patches must tile a page of 128 quads."""


@dataclass(frozen=True, slots=True)
class LodSettings:
    """Ranges r_l = r0 · 2^l up to the first level that reaches the view distance.

    A patch has `patch_quads`² quads; a node of level l is 2 × 2 patches, 2 · patch_quads · 2^l metres wide.
    Raises `ValueError` when a number is not usable, in particular when r0 is less than
    diag(node_0) / (1 − 2·morph): then r_l + diag(node_l) ≤ (1 − morph)·r_(l+1), which the absence of cracks
    needs (proof in `kernels/selection.py`), would not hold at the targets and every range would be cut.
    """

    r0_m: float
    view_m: float
    patch_quads: int
    morph: float = 0.25
    """Share of a range, at its outer end, in which a level morphs into the next."""

    def __post_init__(self) -> None:
        if self.patch_quads not in PATCH_SIZES:
            raise ValueError(f"patch_quads = {self.patch_quads!r} is not accepted; use one of {PATCH_SIZES}")
        if not (math.isfinite(self.morph) and 0.01 <= self.morph <= 0.45):
            raise ValueError(f"morph = {self.morph!r} is not accepted; give 0.01…0.45")
        least = self.node_diagonal_m(0) / (1.0 - 2.0 * self.morph)
        if not (math.isfinite(self.r0_m) and self.r0_m >= least):
            raise ValueError(
                f"r0_m = {self.r0_m!r} is not accepted; with {self.patch_quads} quads a patch and "
                f"morph {self.morph} give at least {least:.1f} m"
            )
        most = self.r0_m * 2.0**MAX_LEVEL
        if not (math.isfinite(self.view_m) and 0.0 < self.view_m <= most):
            raise ValueError(
                f"view_m = {self.view_m!r} is not accepted; give metres above 0 and at most {most:.0f}"
            )

    @property
    def top(self) -> int:
        """Coarsest level: the first whose range r0 · 2^l reaches `view_m`."""
        level = 0
        while self.r0_m * 2.0**level < self.view_m:
            level += 1
        return level

    @property
    def levels(self) -> int:
        """Number of levels, `top + 1`."""
        return self.top + 1

    @property
    def targets(self) -> NDArray[np.float64]:
        """float64 [levels] range of each level in metres when nothing is missing; `view_m` for the coarsest."""
        ranges = self.r0_m * 2.0 ** np.arange(self.levels, dtype=np.float64)
        ranges[-1] = self.view_m
        return ranges

    def node_side_m(self, level: int) -> int:
        """Side of a node of `level` in metres."""
        return 2 * self.patch_quads << level

    def node_diagonal_m(self, level: int) -> float:
        """Diagonal of a node of `level` in metres."""
        return math.sqrt(2.0) * self.node_side_m(level)
