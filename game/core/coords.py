"""World coordinates: sample indices, page keys and the floating origin.

Owns the numbers that say where a sample stands. Axes: x east, y up, z south, metres.
Sample index `i` at level `l` stands at world `i · 2^l` metres, so level 0 is 1 m.
Never holds heights.
"""

from __future__ import annotations

import math
from typing import NamedTuple

WORLD_LIMIT_M = 1.0e9
"""The world is good to this distance from the origin along x and z; positions beyond are refused."""

VIEW_MARGIN_M = 2.0e5
"""Kernels accept positions this far beyond the limit, so that the view from the edge is complete."""

PAGE_QUADS = 128
"""Quads along one side of a page; samples 0…128 are its own."""

APRON = 2
"""Samples stored beyond the page on each side: −2…129."""

STORED = PAGE_QUADS + 2 * APRON
"""Samples stored along one side (132). Texel = sample + APRON."""

GENERATED_APRON = 4
"""Samples generated beyond the page on each side: −4…131. Parent normals need them."""

GENERATED = PAGE_QUADS + 2 * GENERATED_APRON
"""Samples generated along one side (136)."""

MAX_LEVEL = 16
"""Coarsest level any view uses: 65 km spacing, an 8,388 km page."""


class PageKey(NamedTuple):
    """Identity of a page: its level and its integer position in pages of that level."""

    level: int
    ix: int
    iz: int

    @property
    def spacing_m(self) -> int:
        """Distance between samples in metres."""
        return 1 << self.level

    @property
    def span_m(self) -> int:
        """Side length in metres."""
        return PAGE_QUADS << self.level

    @property
    def origin_sample(self) -> tuple[int, int]:
        """Sample indices (i, j) of the page's north-west corner at its own level."""
        return self.ix * PAGE_QUADS, self.iz * PAGE_QUADS

    @property
    def origin_m(self) -> tuple[int, int]:
        """World position (x, z) of the north-west corner in metres, exact."""
        return self.ix * self.span_m, self.iz * self.span_m

    @property
    def parent(self) -> PageKey:
        """Key of the page one level coarser that contains this one."""
        return PageKey(self.level + 1, self.ix >> 1, self.iz >> 1)


def page_at(level: int, x: float, z: float) -> PageKey:
    """Key of the page of `level` that contains world position (x, z) in metres. Floors, so negatives work."""
    span = PAGE_QUADS << level
    return PageKey(level, math.floor(x / span), math.floor(z / span))


def check_position(x: float, z: float, name: str = "position") -> tuple[float, float]:
    """Return (x, z) as floats, or raise `ValueError` when not finite or beyond ±`WORLD_LIMIT_M`."""
    for axis, value in (("x", x), ("z", z)):
        try:
            fits = math.isfinite(value) and abs(value) <= WORLD_LIMIT_M
        except TypeError:
            fits = False
        if not fits:
            raise ValueError(
                f"{name}: {axis} = {value!r} is not accepted; give a number of metres from "
                f"-{WORLD_LIMIT_M:.0f} to {WORLD_LIMIT_M:.0f}"
            )
    return float(x), float(z)


def forward(yaw_rad: float) -> tuple[float, float]:
    """Unit direction (x, z) of a heading: 0 = north (−z), clockwise, so π/2 = east (+x)."""
    return math.sin(yaw_rad), -math.cos(yaw_rad)
