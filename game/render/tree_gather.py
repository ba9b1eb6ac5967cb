"""The CPU half of drawing trees: rows of resident pages into instance rows. Owns no GL object.

A tree is drawn by the page whose level draws the land at its foot, at that land's morphed height
(`kernels.instances`). Toward the end of the tree levels trees of high rank shrink away first.
"""

from __future__ import annotations

import math
import weakref

import numpy as np
from numpy.typing import NDArray

from game.core.coords import PageKey
from game.core.settings import Quality
from game.kernels import instances
from game.lod import frustum
from game.lod.selection import Selection
from game.render.frame import CameraView, FrameView, covering
from game.world.vegetation import SHORE_M, share_kept

_SOFT_RANKS = 0.08
_NEAR_SHARE = 0.26
_MID_SHARE = 0.95
"""Reach of the near and mid mesh as a share of r0: a preset that spends more on land spends more on trees."""
_BLEND = 0.08
"""Half width of a cross-fade, as a share of its distance."""
_VANISH_SHARE = 0.78
"""Share of the trees' reach beyond which all shrink away, whatever their rank."""
_SHADOW_FADES = 0.6
"""Share of the shadows' reach from which they fade."""

SHADOW_DTYPE = np.dtype([("place", "<f4", (4,)), ("look", "<f4", (4,)), ("page", "<i4", (4,))])
"""One shadow: foot relative to the camera and scale; strength, width, kind, tint; north-west corner of the page
in metres from the anchor, layer, level."""


def level_rows(selection: Selection, tree_levels: int, tree_keep: float) -> NDArray[np.float32]:
    """What the gather kernel needs of each tree level: float32 [min(tree_levels, levels), LEVEL_COLUMNS].

    The share kept falls linearly between ranges; at a range it is no more than the coarser page carries.
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
    """Fills the instance rows of a frame."""

    def __init__(self, quality: Quality, sizes: NDArray[np.float32]) -> None:
        """`sizes`: float32 [kinds, 2], height and radius of a tree of scale 1 in metres."""
        self._levels = quality.tree_levels
        self._keep = quality.tree_keep
        self._sizes = np.ascontiguousarray(sizes, dtype=np.float32)
        near, mid = _NEAR_SHARE * quality.r0_m, _MID_SHARE * quality.r0_m
        self._detail_m = (near * (1 - _BLEND), near * (1 + _BLEND), mid * (1 - _BLEND), mid * (1 + _BLEND))
        self.rows = np.zeros((instances.BUCKETS, 4096, instances.INSTANCE_COLUMNS), np.float32)
        self.counts = np.zeros(instances.BUCKETS, np.int64)
        self.spans: list[tuple[PageKey, NDArray[np.int64], NDArray[np.int64]]] = []
        """Of each page that gave trees: its key, and `counts` before and after it."""
        self._chosen = np.zeros(16384, np.int32)
        self._bounds: dict[PageKey, tuple[weakref.ref[NDArray[np.float32]], float, float]] = {}

    def _feet(self, key: PageKey, rows: NDArray[np.float32]) -> tuple[float, float]:
        """Least and greatest foot height of a tile; remembered while the page keeps the same array."""
        known = self._bounds.get(key)
        if known is not None and known[0]() is rows:
            return known[1], known[2]
        feet = rows[:, (1, 3)]
        found = float(feet.min()), float(feet.max())
        if len(self._bounds) > 2048:
            self._bounds.clear()
        self._bounds[key] = (weakref.ref(rows), *found)
        return found

    def gather(self, view: FrameView) -> None:
        """Fill `rows`, `counts` and `spans` for a frame."""
        selection, camera = view.selection, view.camera
        levels = level_rows(selection, self._levels, self._keep)
        self.spans = []
        if not len(levels):
            self.counts[:] = 0
            return
        reach = float(levels[:, 1].max())
        setup = np.array(
            (
                float(selection.altitude_m),
                max(view.sea_level_m, view.growth_line_m) + SHORE_M,
                *self._detail_m,
                _VANISH_SHARE * reach,
                reach,
                _SOFT_RANKS,
                selection.bend_per_m,
            ),
            np.float32,
        )
        planes = self._planes(camera)
        needed = 0
        while True:
            self.counts[:] = 0
            self.spans = []
            for key, rows in view.tree_tiles:
                if key.level >= len(levels) or not len(rows):
                    continue
                if len(rows) > len(self._chosen):
                    self._chosen = np.zeros(2 * len(rows), np.int32)
                low, high = self._feet(key, rows)
                x, z = key.origin_m
                before = self.counts.copy()
                instances.gather(
                    rows,
                    float(x - camera.x),
                    float(z - camera.z),
                    float(camera.y),
                    float(key.span_m),
                    low,
                    high,
                    levels[key.level],
                    setup,
                    planes,
                    self._sizes,
                    self._chosen,
                    self.rows,
                    self.counts,
                )
                if (self.counts != before).any():
                    self.spans.append((key, before, self.counts.copy()))
            needed = int(self.counts.max())
            if needed <= self.rows.shape[1]:
                return
            room = 1 << math.ceil(math.log2(needed))
            self.rows = np.zeros((instances.BUCKETS, room, instances.INSTANCE_COLUMNS), np.float32)

    @staticmethod
    def _planes(camera: CameraView) -> NDArray[np.float64]:
        """The four side planes of the view; near and far are left to the distance tests."""
        camera = covering(camera)
        view = (camera.yaw_rad, camera.pitch_rad, camera.fov_y_rad, camera.aspect)
        return np.ascontiguousarray(frustum.planes(*view, 0.1, 1.0e5)[:4])


def page_layers(selection: Selection, tree_levels: int) -> dict[PageKey, int]:
    """Texture layer of each page that draws land on the levels 0 … `tree_levels` − 1."""
    patches = selection.patches[: selection.band_split(min(tree_levels, selection.levels))]
    _, first = np.unique(patches["layer"], return_index=True)
    found: dict[PageKey, int] = {}
    for patch in patches[first]:
        level = int(patch["level"])
        span = PageKey(level, 0, 0).span_m
        x = selection.anchor_x + int(patch["origin_x_m"]) - (int(patch["page_x"]) << level)
        z = selection.anchor_z + int(patch["origin_z_m"]) - (int(patch["page_z"]) << level)
        found[PageKey(level, x // span, z // span)] = int(patch["layer"])
    return found


def shadow_rows(
    gather: TreeGather, selection: Selection, tree_levels: int, reach_m: float
) -> NDArray[np.void]:
    """SHADOW_DTYPE [n] of the trees gathered within `reach_m`; trees whose page draws nothing have none."""
    layers = page_layers(selection, tree_levels)
    parts = []
    for key, before, after in gather.spans:
        layer = layers.get(key)
        if layer is None:
            continue
        x, z = key.origin_m
        corner = (x - selection.anchor_x, z - selection.anchor_z, layer, key.level)
        for bucket in range(instances.BUCKETS):
            rows = gather.rows[bucket, before[bucket] : after[bucket]]
            # The partner of a cross-fade is the same tree.
            rows = rows[rows[:, 6] > 0.0]
            if not len(rows):
                continue
            distance = np.sqrt(rows[:, 0] ** 2 + rows[:, 1] ** 2 + rows[:, 2] ** 2)
            strength = np.clip((reach_m - distance) / (reach_m * (1.0 - _SHADOW_FADES)), 0.0, 1.0)
            shown = strength > 0.0
            if not shown.any():
                continue
            rows = rows[shown]
            made = np.zeros(len(rows), SHADOW_DTYPE)
            made["place"] = rows[:, :4]
            made["look"][:, 0] = strength[shown]
            made["look"][:, 1] = rows[:, 7]
            made["look"][:, 2] = bucket % 2
            made["look"][:, 3] = rows[:, 5]
            made["page"] = corner
            parts.append(made)
    return np.concatenate(parts) if parts else np.zeros(0, SHADOW_DTYPE)
