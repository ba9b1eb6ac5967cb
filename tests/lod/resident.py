"""A table of resident pages without a store, and the vertex shader's morph in numpy: the tests' stand-ins."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from game.core.coords import PAGE_QUADS
from game.kernels import selection as kernels
from game.lod.settings import LodSettings

EVERYWHERE = np.zeros((6, 4))
"""Planes that cull nothing."""


@dataclass
class Table:
    """Resident pages as the kernels read them."""

    keys: NDArray[np.int64]
    used: NDArray[np.bool_] = field(init=False)
    bounds: NDArray[np.float32] = field(init=False)
    slots: NDArray[np.int32] = field(init=False)

    def __post_init__(self) -> None:
        self.keys = np.asarray(self.keys, np.int64).reshape(-1, 3)
        if len(self.keys) == 0:
            self.keys = np.zeros((1, 3), np.int64)
            self.used = np.zeros(1, np.bool_)
        else:
            self.used = np.ones(len(self.keys), np.bool_)
        self.bounds = np.tile(np.array([-50.0, 50.0], np.float32), (len(self.keys), 1))
        self.slots = np.full(1 << (4 * len(self.keys)).bit_length(), -1, np.int32)
        kernels.fill_slots(self.slots, self.keys, self.used)


@dataclass
class View:
    """Camera and result of one selection over a table."""

    lod: LodSettings
    table: Table
    x: float
    z: float
    altitude_m: float = 0.0
    ranges: NDArray[np.float32] = field(init=False)
    patches: NDArray[np.int32] = field(init=False)
    complete: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self.anchor = math.floor(self.x), math.floor(self.z)
        self.frac = np.float32(self.x - self.anchor[0]), np.float32(self.z - self.anchor[1])
        self.altitude = np.float32(self.altitude_m)

    def select(
        self,
        previous: NDArray[np.float32] | None = None,
        growth_s: float = -1.0,
        planes: NDArray[np.float64] | None = None,
        finest: int = 0,
        eye_y: float = 0.0,
        bend: float = 0.0,
    ) -> View:
        """Run the kernels; unculled unless `planes` are given."""
        lod, table = self.lod, self.table
        self.ranges = np.zeros(lod.levels, np.float32)
        place = (*self.anchor, float(self.frac[0]), float(self.frac[1]), float(self.altitude))
        before = self.ranges.copy() if previous is None else previous
        self.complete = kernels.resident_ranges(
            *place, lod.targets, finest, before, growth_s, lod.patch_quads, lod.morph,
            table.slots, table.keys, self.ranges,
        )  # fmt: skip
        queue = np.zeros((2, 4096, 2), np.int64)
        out = np.zeros((16384, kernels.PATCH_FIELDS), np.int32)
        self.starts = np.zeros(lod.levels + 1, np.int32)
        first = kernels.emit_patches(
            *place, eye_y, bend, self.ranges, lod.view_m, lod.patch_quads,
            EVERYWHERE if planes is None else planes, planes is not None,
            table.slots, table.keys, table.bounds, queue, out, self.starts,
        )  # fmt: skip
        assert first >= 0
        self.patches = out[first:].copy()
        return self


def pages_around(lod: LodSettings, x: float, z: float, margin_m: float = 0.0) -> NDArray[np.int64]:
    """Keys of all pages that any level's target disc around (x, z) meets."""
    keys = []
    for level, reach in enumerate(lod.targets):
        span = PAGE_QUADS << level
        r = reach + margin_m
        for iz in range(math.floor((z - r) / span), math.floor((z + r) / span) + 1):
            for ix in range(math.floor((x - r) / span), math.floor((x + r) / span) + 1):
                dx = max(ix * span - x, x - (ix + 1) * span, 0.0)
                dz = max(iz * span - z, z - (iz + 1) * span, 0.0)
                if math.hypot(dx, dz) <= r:
                    keys.append((level, ix, iz))
    return np.array(keys, np.int64)


def height(level: NDArray | int, i: NDArray, j: NDArray) -> NDArray[np.float32]:
    """R at sample (i, j) of a level: a hash, so that no two samples agree by chance. G is the parent's R."""
    mixed = np.asarray(i).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= np.asarray(j).astype(np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed ^= np.asarray(level).astype(np.uint64) * np.uint64(0x165667B19E3779F9)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    return (mixed & np.uint64(0xFFFF)).astype(np.float32) / np.float32(655.36)


def morphed(
    view: View,
    origin_x: NDArray,
    origin_z: NDArray,
    level: NDArray,
    i: NDArray,
    j: NDArray,
    error: float = 0.0,
):
    """Morphed float32 vertices (x, y, z) of patch vertices (i, j), as the vertex shader computes them.

    `origin_x`, `origin_z` in metres from the anchor. `error` perturbs d relatively, by a hash of the position:
    a GPU's square root.
    """  # fmt: skip
    lod, one, zero = view.lod, np.float32(1.0), np.float32(0.0)
    share = np.float32(lod.morph)
    step = np.int64(1) << level
    ax, az = view.anchor

    def place(at_i: NDArray, at_j: NDArray, heights_of: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        mx, mz = origin_x + at_i * step, origin_z + at_j * step
        shift = heights_of
        sample_i, sample_j = (mx + ax) >> shift, (mz + az) >> shift
        return (
            mx.astype(np.float32) - view.frac[0],
            height(shift, sample_i, sample_j),
            mz.astype(np.float32) - view.frac[1],
        )

    x, y, z = place(i, j, level)
    even_x, even_y, even_z = place(i - (i & 1), j - (j & 1), level + 1)
    d = np.sqrt(x * x + z * z + view.altitude * view.altitude)
    if error:
        noise = height(99, origin_x + i * step, origin_z + j * step) / np.float32(50.0) - one
        d = d * (one + np.float32(error) * noise)
    reach = view.ranges[level]
    off = reach <= zero
    k = (d - (one - share) * reach) / np.where(off, one, share * reach)
    k = np.where(level == lod.top, zero, k)
    out = []
    for own, even in ((x, even_x), (y, even_y), (z, even_z)):
        out.append(np.where(k <= zero, own, np.where(k >= one, even, own + (even - own) * k)))
    return out[0], out[1], out[2], k
