"""What the level selection may spend: range of the finest level, view distance, patch size. Data only.

The screen-size rule turns an error in pixels, a lens and a resolution into the range of the finest level.

Source: Strugar (2010), "CDLOD", section "LOD distances and morph areas"; the error on the screen after Ulrich
(2002), "Rendering Massive Terrains using Chunked Level of Detail Control", section 3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from game.core.coords import MAX_LEVEL, PAGE_QUADS
from game.core.settings import ERROR_RANGE_PX

PATCH_SIZES = (8, 16, 32, 64)
"""Quads along one side of a patch that are accepted: a node of 2 × 2 patches must tile a page of 128 quads."""

ERROR_SHARE = 0.2
"""How far the land of one level lies from that of the next coarser one, as a share of its spacing: 95 of 100 samples
of the recipe `alpine` lie nearer, on every level (0.09 to 0.31, measured on levels 0 to 8 at three places)."""

LEAST_PAGE_PX = 4.0
"""A page that would be smaller than this on the screen, in both directions, is not worth a page."""

SPARE_SHARE = 0.12
"""Layers left over for what the way ahead wants beyond the view."""

LEAST_LAYERS = 128
"""With fewer, a rider who turns to and fro at speed would have pages thrown out that he comes back to."""
MOST_LAYERS = 256


_BORDER = 0.02
"""Pages are wanted a little before they are needed, page sides."""


def most_squares(radius: float) -> int:
    """Squares of a unit grid that a disc of `radius` meets, where it meets the most."""
    centres = np.arange(9) / 16.0
    squares = np.arange(-math.ceil(radius) - 1, math.ceil(radius) + 2)
    apart = np.maximum(squares - centres[:, None], centres[:, None] - squares - 1.0).clip(0.0) ** 2
    met = apart[:, None, :, None] + apart[None, :, None, :] <= radius * radius
    return int(met.sum(axis=(2, 3)).max())


def pixels_per_radian(fov_y_rad: float, height_px: int) -> float:
    """Pixels that a metre across the middle of the view covers at a metre's distance.

    Raises `ValueError` when the lens or the height is not usable.
    """
    if not (math.isfinite(fov_y_rad) and 0.0 < fov_y_rad < math.pi and height_px >= 1):
        raise ValueError(
            f"fov_y_rad = {fov_y_rad!r} with height_px = {height_px!r} is not accepted; give 0 < fov < π, 1 px or more"
        )
    return height_px / (2.0 * math.tan(0.5 * fov_y_rad))


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

    @classmethod
    def for_screen(
        cls,
        error_px: float,
        fov_y_rad: float,
        height_px: int,
        view_m: float,
        patch_quads: int,
        morph: float = 0.25,
        layers: int = MOST_LAYERS,
    ) -> LodSettings:
        """Ranges at which a change of level moves the land by `error_px` pixels (of `height_px`) at most.

        At the end of its range a level gives way to the next, `ERROR_SHARE` · 2^l metres off, so
        r0 = ERROR_SHARE · pixels per radian / error_px. Three limits are stronger, in this order: never so short that
        the land could crack; never more pages than `layers` hold (then the error on the screen is larger, see
        `error_px`); never so long that a page of 2^l · 128 m is under `LEAST_PAGE_PX` square at the end of its range,
        which lowers the range of the whole level, never that of one page.
        Raises `ValueError` when a number is not usable.
        """
        low, high = ERROR_RANGE_PX
        if not (math.isfinite(error_px) and low <= error_px <= high):
            raise ValueError(f"error_px = {error_px!r} is not accepted; give {low:g} to {high:g} pixels")
        scale = pixels_per_radian(fov_y_rad, height_px)
        least = math.sqrt(2.0) * 2.0 * patch_quads / (1.0 - 2.0 * morph) + 1e-3
        r0_m = min(ERROR_SHARE * scale / error_px, PAGE_QUADS * scale / LEAST_PAGE_PX)
        r0_m = max(r0_m, least)
        made = cls(r0_m, view_m, patch_quads, morph)
        while made.r0_m > least and (made.pages > layers * (1.0 - SPARE_SHARE) or made.most_pages > layers):
            made = cls(max(least, 0.97 * made.r0_m), view_m, patch_quads, morph)
        return made

    @property
    def pages(self) -> float:
        """Pages that a view wants on average: grid squares met by a disc of radius ρ squares, πρ² + 4ρ + 1."""
        reach = self.targets / (PAGE_QUADS * 2.0 ** np.arange(self.levels, dtype=np.float64))
        return float(np.sum(math.pi * reach * reach + 4.0 * reach + 1.0))

    @property
    def most_pages(self) -> int:
        """Pages that a view wants where it wants the most: on page corners of many levels, as x = z = 0 is one."""
        fine, coarse = self.r0_m / PAGE_QUADS, self.view_m / (PAGE_QUADS << self.top)
        return (self.levels - 1) * most_squares(fine + _BORDER) + most_squares(coarse + _BORDER)

    @property
    def layers(self) -> int:
        """Layers that hold the view anywhere, and the way ahead almost anywhere: a multiple of 4 from 128 to 256."""
        needed = max(float(self.most_pages), self.pages / (1.0 - SPARE_SHARE))
        return min(MOST_LAYERS, max(LEAST_LAYERS, math.ceil(needed / 4.0) * 4))

    def error_px(self, fov_y_rad: float, height_px: int) -> float:
        """Pixels by which a change of level moves the land, with these ranges. Raises as `pixels_per_radian`."""
        return ERROR_SHARE * pixels_per_radian(fov_y_rad, height_px) / self.r0_m
