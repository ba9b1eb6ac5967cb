"""The land that the last frame drew, for whoever asks afterwards: its height, what a ray meets, its holes.

Reads the frame's `Selection` and the resident pages; changes neither. Main thread only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from game.kernels import raycast
from game.kernels import selection as kernels
from game.lod.selection import PATCH_DTYPE, Selection
from game.streaming.store import PageStore


class DrawnLand:
    """Patches of `view` with the pages in `store`."""

    def __init__(self, store: PageStore) -> None:
        self._store = store
        self.view: Selection | None = None
        """What was selected last; None before the first frame."""
        self.holes = 0
        """Result of the latest `count_holes`."""
        self.holes_total = 0
        """Sum of all results."""
        self._vertices = np.zeros((9, 3), np.float32)
        self._polar: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
        self._polar_of = (0, 0, 0.0)
        self._queue = np.zeros((2, 256, 2), np.int64)
        self._out = np.zeros((4096, kernels.PATCH_FIELDS), np.int32)

    def pick(
        self, origin: Sequence[float], direction: Sequence[float], max_m: float = 5000.0
    ) -> tuple[float, float, float] | None:
        """First point (x, y, z) in world metres where a ray meets the surface that the last frame drew.

        `origin` in world metres, `direction` of any length but 0. None when nothing is met within `max_m`.
        Raises `ValueError` when a number is not finite or the direction has no length.
        """
        length = math.hypot(*direction)
        numbers = (*origin, *direction, max_m)
        if not all(math.isfinite(number) for number in numbers) or length == 0.0:
            raise ValueError(f"a ray of {numbers!r} is not accepted; give finite numbers and a direction")
        view = self.view
        if view is None:
            return None
        dx, dy, dz = (float(part) / length for part in direction)
        t = raycast.cast_ray(
            float(origin[0]) - view.anchor_x - float(view.frac_x),
            float(origin[1]),
            float(origin[2]) - view.anchor_z - float(view.frac_z),
            dx,
            dy,
            dz,
            float(max_m),
            view.anchor_x,
            view.anchor_z,
            view.frac_x,
            view.frac_z,
            view.altitude_m,
            np.float32(view.bend_per_m),
            view.ranges,
            view.patch_quads,
            view.morph,
            self._store.slots,
            self._store.keys,
            self._store.bounds,
            self._store.heights,
            self._vertices,
        )
        if t < 0.0:
            return None
        x, y, z = origin[0] + t * dx, origin[1] + t * dy, origin[2] + t * dz
        # The ray met the land where it is drawn, below the tangent plane; its height is above zero.
        away2 = (x - view.anchor_x - float(view.frac_x)) ** 2 + (z - view.anchor_z - float(view.frac_z)) ** 2
        return x, y + view.bend_per_m * away2, z

    def height(self, x: float, z: float) -> float | None:
        """Height in metres of the drawn, morphed surface at world (x, z); None where nothing is drawn."""
        view = self.view
        if view is None:
            return None
        height = raycast.surface_height(
            x - view.anchor_x - float(view.frac_x),
            z - view.anchor_z - float(view.frac_z),
            view.anchor_x,
            view.anchor_z,
            view.frac_x,
            view.frac_z,
            view.altitude_m,
            view.ranges,
            view.patch_quads,
            view.morph,
            self._store.slots,
            self._store.keys,
            self._store.heights,
            self._vertices,
        )
        return None if math.isnan(height) else float(height)

    def patches_all_round(self) -> NDArray[np.void]:
        """Patches of the view in all directions, PATCH_DTYPE [n]; empty before the first frame."""
        if self.view is None:
            return np.zeros(0, PATCH_DTYPE)
        view = self.view
        starts = np.zeros(view.levels + 1, np.int32)
        while True:
            first = kernels.emit_patches(
                view.anchor_x,
                view.anchor_z,
                float(view.frac_x),
                float(view.frac_z),
                float(view.altitude_m),
                0.0,
                view.bend_per_m,
                view.ranges,
                view.view_m,
                view.patch_quads,
                np.zeros((6, 4)),
                False,
                self._store.slots,
                self._store.keys,
                self._store.bounds,
                self._queue,
                self._out,
                starts,
            )
            if first >= 0:
                return self._out[first:].copy().view(PATCH_DTYPE).reshape(-1)
            self._queue = np.zeros((2, 2 * self._queue.shape[1], 2), np.int64)
            self._out = np.zeros((2 * len(self._out), kernels.PATCH_FIELDS), np.int32)

    def count_holes(self, spokes: int = 64, rings: int = 32) -> int:
        """Points of a polar grid around the camera, out to the view distance, that lie under no patch with a
        resident page or under two. 0 while the coarsest pages are still missing (the old picture stays)."""
        view = self.view
        self.holes = 0
        if view is None or not view.complete:
            return 0
        if self._polar is None or self._polar_of != (spokes, rings, view.view_m):
            self._polar_of = (spokes, rings, view.view_m)
            # Rings in equal ratios, so that every level has some.
            radius = np.geomspace(1.0, view.view_m * (1.0 - 1e-6), rings)[:, None]
            angle = (np.arange(spokes) + 0.5) * (2.0 * math.pi / spokes)
            self._polar = ((radius * np.cos(angle)).ravel(), (radius * np.sin(angle)).ravel())
        patches = self.patches_all_round()
        size = 1 << max(8, (4 * len(patches)).bit_length())
        self.holes = kernels.count_uncovered(
            patches.view(np.int32).reshape(-1, kernels.PATCH_FIELDS),
            view.anchor_x,
            view.anchor_z,
            view.patch_quads,
            view.levels,
            self._store.keys,
            self._store.used,
            self._polar[0] + float(view.frac_x),
            self._polar[1] + float(view.frac_z),
            np.empty(size, np.int64),
            np.empty(size, np.int32),
        )
        self.holes_total += self.holes
        return self.holes
