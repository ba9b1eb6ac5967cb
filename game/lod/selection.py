"""`Selection`: which patches of land a frame draws. Data only; the renderer and the picking read it.

It is filled by `streaming.stream.TerrainStream.select`, which runs `kernels.selection` over the resident pages.
The scheme is CDLOD; the proof that it leaves no crack stands in `kernels/selection.py`.

Source: Filip Strugar, "Continuous Distance-Dependent Level of Detail for Rendering Heightmaps" (2010).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PATCH_DTYPE = np.dtype(
    [
        ("origin_x_m", "<i4"),
        ("origin_z_m", "<i4"),
        ("page_x", "<i4"),
        ("page_z", "<i4"),
        ("layer", "<i4"),
        ("level", "<i4"),
    ]
)
"""One patch instance, 24 bytes: north-west corner minus the integer anchor in metres; the corner's sample
offset in its page (0…128 − patch_quads; texel = sample + 2); texture layer of the page; level."""


@dataclass(slots=True)
class Selection:
    """What is drawn this frame, and the numbers the morph needs.

    A vertex (i, j) of a patch stands at camera-relative
    `x = float(origin_x_m + (i << level)) − frac_x` (z alike), and its morph factor is
    `k = clamp((d − (1 − morph)·r) / (morph·r), 0, 1)` with `d = √(x² + z² + altitude²)` and `r = ranges[level]`,
    all float32; k = 0 on level `top`. Position, height and normal blend toward the even neighbour
    (i − (i & 1), j − (j & 1)); k ≤ 0 and k ≥ 1 are chosen explicitly, never blended.
    """

    patches: NDArray[np.void]
    """PATCH_DTYPE [n], inside the frustum, ascending by level (near to far)."""
    level_starts: NDArray[np.int32]
    """int32 [levels + 1]: patches of level l are `patches[level_starts[l]:level_starts[l + 1]]`."""
    ranges: NDArray[np.float32]
    """float32 [levels] range r_l in metres that this frame really uses; 0 where a level is off."""
    anchor_x: int
    anchor_z: int
    """Floor of the camera's position, metres."""
    frac_x: np.float32
    frac_z: np.float32
    """Camera minus anchor, 0…1 m."""
    altitude_m: np.float32
    """Camera above ground, constant over the frame, 0 or more."""
    morph: float
    """Share m of a range in which vertices morph."""
    view_m: float
    top: int
    """Coarsest level; its k is 0."""
    patch_quads: int
    complete: bool
    """Whether every coarsest page within the view is resident; while False there is land missing."""
    bend_per_m: float = 0.0
    """The earth's drop per square metre of distance, 1/m: everything at horizontal distance d is drawn d² · this lower.
    0 for flat land."""

    @property
    def levels(self) -> int:
        """Number of levels, `top + 1`."""
        return self.top + 1

    @property
    def triangles(self) -> int:
        """Triangles the selected patches draw."""
        return len(self.patches) * 2 * self.patch_quads * self.patch_quads

    def band_split(self, far_level: int) -> int:
        """Index of the first patch whose level is `far_level` or coarser: `patches[:i]` near, `patches[i:]` far.

        Raises `ValueError` when `far_level` is not 0…levels.
        """
        if not 0 <= far_level <= self.levels:
            raise ValueError(f"far_level = {far_level!r} is not accepted; give 0…{self.levels}")
        return int(self.level_starts[far_level])
