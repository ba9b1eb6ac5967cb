"""The CPU half of drawing trees: which near ones become instance rows, which blocks of far ones are drawn. No GL.

A tree is drawn by the page whose level draws the land at its foot, at that land's morphed height
(`kernels.instances`). Toward the end of the tree levels trees of high rank shrink away first.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from game.core.settings import Quality
from game.kernels import instances, scatter, tree_tiles
from game.lod import frustum
from game.lod.selection import Selection
from game.render.frame import CameraView, FrameView, covering
from game.render.tree_table import TreeTable
from game.world.vegetation import SHORE_M, share_kept

_SOFT_RANKS = 0.08
_NEAR_SHARE = 0.26
_MID_SHARE = 0.95
"""Reach of the near and mid mesh as a share of r0: a preset that spends more on land spends more on trees."""
_BLEND = 0.08
"""Half width of a cross-fade, as a share of its distance."""
_VANISH_SHARE = 0.95
"""Share of the trees' reach beyond which all shrink away, whatever their rank."""


SHADOW_DTYPE = np.dtype([("place", "<f4", (4,)), ("look", "<f4", (4,)), ("page", "<i4", (4,))])
"""One shadow: foot relative to the camera and scale; strength, width, kind, tint; north-west corner of the page
in metres from the anchor, layer, level."""

_FADES = 0.6
"""Share of the shadows' reach from which they fade."""


def level_rows(selection: Selection, tree_levels: int, tree_keep: float) -> NDArray[np.float32]:
    """What the gather kernel needs of each tree level: float32 [min(tree_levels, levels), LEVEL_COLUMNS].

    The share kept falls over the outer half of a level; at a range it is no more than the coarser page carries.
    """
    count = min(tree_levels, selection.levels)
    rows = np.zeros((count, instances.LEVEL_COLUMNS), np.float32)
    morph = np.float32(selection.morph)
    inner, kept = np.float32(0.0), 1.0 + _SOFT_RANKS
    for level in range(count):
        outer = selection.ranges[level]
        thinned = share_kept(level + 1) if level + 1 < count else share_kept(level)
        share = thinned * (tree_keep if level else 0.5 + 0.5 * tree_keep)
        share = min(share if share < 1.0 else 1.0 + _SOFT_RANKS, kept)
        morphs = 0.0 if level == selection.top else 1.0
        start, stretch = (np.float32(1.0) - morph) * outer, morph * outer
        rows[level] = (inner, outer, start, stretch, morphs, kept, share)
        if outer > inner:
            inner, kept = outer, share
    return rows


class TreeGather:
    """Fills the instance rows of a frame from a tree store's table."""

    def __init__(self, quality: Quality, sizes: NDArray[np.float32]) -> None:
        """`sizes`: float32 [kinds, 2], height and radius of a tree of scale 1 in metres."""
        self._levels = quality.tree_levels
        self._keep = quality.tree_keep
        self._sizes = np.ascontiguousarray(sizes, dtype=np.float32)
        near, mid = _NEAR_SHARE * quality.r0_m, _MID_SHARE * quality.r0_m
        self._detail_m = (near * (1 - _BLEND), near * (1 + _BLEND), mid * (1 - _BLEND), mid * (1 + _BLEND))
        self._tallest_m = float(2.0 * self._sizes.sum(axis=1).max())
        self.rows = np.zeros((instances.BUCKETS, 4096, instances.INSTANCE_COLUMNS), np.float32)
        self.tiles = np.zeros((instances.BUCKETS, 4096), np.int32)
        """Row of the store's table that each instance comes from."""
        self.counts = np.zeros(instances.BUCKETS, np.int64)
        self._chosen = np.zeros(16384, np.int32)
        self._blocks = np.zeros((1024, 4), np.int32)
        self._shadow_rows = np.zeros(1024, SHADOW_DTYPE)
        self.levels = np.zeros((0, instances.LEVEL_COLUMNS), np.float32)
        self.setup = np.zeros(instances.SETUP_COLUMNS, np.float32)

    @property
    def meshes_end_m(self) -> float:
        """Distance from which every tree is an impostor."""
        return self._detail_m[3]

    def begin(self, view: FrameView) -> None:
        """Take the ranges and rules of a frame from `view`."""
        selection = view.selection
        self.levels = level_rows(selection, self._levels, self._keep)
        self.counts[:] = 0
        if not len(self.levels):
            return
        reach = float(self.levels[:, 1].max())
        self.setup[:] = (
            float(selection.altitude_m),
            max(view.sea_level_m, view.growth_line_m) + SHORE_M,
            *self._detail_m,
            _VANISH_SHARE * reach,
            reach,
            _SOFT_RANKS,
            selection.bend_per_m,
            np.inf,
            *scatter.climate_codes(view.look.warmth_c, view.look.moisture),
        )

    def gather(self, view: FrameView, store: TreeTable, limit_m: float = math.inf) -> None:
        """Fill `rows`, `tiles` and `counts` with the trees nearer than `limit_m`; call `begin` first."""
        if not len(self.levels) or not len(store.table):
            return
        camera = view.camera
        self.setup[10] = limit_m
        longest = int(store.table[:, 6].max())
        if longest > len(self._chosen):
            self._chosen = np.zeros(2 * longest, np.int32)
        while True:
            self.counts[:] = 0
            tree_tiles.gather_tiles(
                store.table,
                store.bounds,
                store.rows,
                camera.x,
                camera.y,
                camera.z,
                self.levels,
                self.setup,
                self._planes(camera),
                self._sizes,
                self._chosen,
                self.rows,
                self.tiles,
                self.counts,
            )
            needed = int(self.counts.max())
            if needed <= self.rows.shape[1]:
                return
            room = 1 << math.ceil(math.log2(needed))
            self.rows = np.zeros((instances.BUCKETS, room, instances.INSTANCE_COLUMNS), np.float32)
            self.tiles = np.zeros((instances.BUCKETS, room), np.int32)

    def far_blocks(self, view: FrameView, store: TreeTable) -> NDArray[np.int32]:
        """Blocks of the store in which far trees may be seen, int32 [n, 4]."""
        if not len(self.levels) or not len(store.table):
            return self._blocks[:0]
        selection, camera = view.selection, view.camera
        while True:
            blocks = tree_tiles.far_blocks(
                store.table,
                store.bounds,
                store.starts,
                selection.anchor_x,
                selection.anchor_z,
                float(selection.frac_x),
                float(selection.frac_z),
                camera.y,
                self.levels,
                self.setup,
                self._planes(camera),
                self._tallest_m,
                self._blocks,
            )
            if blocks <= len(self._blocks):
                return self._blocks[:blocks]
            self._blocks = np.zeros((2 * blocks, 4), np.int32)

    def shadows(self, view: FrameView, store: TreeTable, reach_m: float) -> NDArray[np.void]:
        """SHADOW_DTYPE [n] of the gathered trees within `reach_m`, each once."""
        while True:
            flat = self._shadow_rows.view(np.float32).reshape(-1, SHADOW_DTYPE.itemsize // 4)
            found = tree_tiles.tree_shadows(
                self.rows,
                self.tiles,
                self.counts,
                store.table,
                view.selection.anchor_x,
                view.selection.anchor_z,
                np.float32(reach_m),
                np.float32(_FADES),
                flat,
                flat.view(np.int32),
            )
            if found <= len(self._shadow_rows):
                return self._shadow_rows[:found]
            self._shadow_rows = np.zeros(2 * found, SHADOW_DTYPE)

    def count(self, view: FrameView, store: TreeTable) -> int:
        """Trees that a frame draws, exactly. It walks them all, so it is for figures and not for frames."""
        self.begin(view)
        self.gather(view, store)
        return sum(
            int(np.count_nonzero(rows[:number, 6] > 0.0))  # each partner of a cross-fade has the other's sign
            for rows, number in zip(self.rows, self.counts.tolist(), strict=True)
        )

    @staticmethod
    def _planes(camera: CameraView) -> NDArray[np.float64]:
        """The four side planes of the view; near and far are left to the distance tests."""
        camera = covering(camera)
        view = (camera.yaw_rad, camera.pitch_rad, camera.fov_y_rad, camera.aspect)
        return np.ascontiguousarray(frustum.planes(*view, 0.1, 1.0e5)[:4])
