"""The CPU half of drawing scenery: rows of pages into instance rows. Owns no GL object.

Things stand on the finest level's samples and are drawn where that level draws the land; where it morphs, the land is
moved by less than the eye can tell. Toward the end of its range they sink to nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from game.core.coords import PageKey
from game.kernels.scenery import FENCE, GATE, LOG, ROCK
from game.render.frame import FrameView
from game.render.tree_gather import SHORE_M

INSTANCE_DTYPE = np.dtype([("place", "<f4", (4,)), ("axis", "<f4", (4,)), ("size", "<f4", (4,))])
"""Foot relative to the camera and tint; direction, rise and share; stretch and how far the tone varies."""

MESHES = {ROCK: "stone", LOG: "log", FENCE: "panel", GATE: "gate"}

REACH_M = 220.0
GROWN_SHARE = 0.8
"""Drawn up to the least of this and the range of the finest level; full size up to a share of that."""


def reach_of(view: FrameView) -> float:
    """Distance in metres up to which scenery is drawn."""
    selection = view.selection
    if not selection.levels:
        return 0.0
    return min(REACH_M, float(selection.ranges[0]))


def instances(
    tiles: list[tuple[PageKey, NDArray[np.float32]]], view: FrameView
) -> dict[int, NDArray[np.void]]:
    """INSTANCE_DTYPE [n] per kind of `MESHES`, for rows of pages as in `kernels.scenery`."""
    reach = reach_of(view)
    camera = view.camera
    parts = []
    for key, rows in tiles:
        x, z = key.origin_m
        place = rows.astype(np.float64)
        place[:, 0] += x - camera.x
        place[:, 2] += z - camera.z
        parts.append(place)
    if not parts or reach <= 0.0:
        return {}
    rows = np.concatenate(parts)
    distance = np.sqrt(rows[:, 0] ** 2 + rows[:, 2] ** 2 + float(view.selection.altitude_m) ** 2)
    rows = rows[(distance < reach) & (rows[:, 1] > view.sea_level_m + SHORE_M)]
    distance = np.sqrt(rows[:, 0] ** 2 + rows[:, 2] ** 2 + float(view.selection.altitude_m) ** 2)
    share = np.clip((reach - distance) / ((1.0 - GROWN_SHARE) * reach), 0.0, 1.0)
    found = {}
    for kind in MESHES:
        own = rows[:, 8] == kind
        if not own.any():
            continue
        of_kind = rows[own]
        made = np.zeros(len(of_kind), INSTANCE_DTYPE)
        made["place"][:, 0], made["place"][:, 2] = of_kind[:, 0], of_kind[:, 2]
        made["place"][:, 1] = of_kind[:, 1] - camera.y
        made["place"][:, 3] = of_kind[:, 9]
        made["axis"][:, :3] = of_kind[:, 3:6]
        made["axis"][:, 3] = share[own]
        length, radius = of_kind[:, 6], of_kind[:, 7]
        one = np.ones(len(of_kind))
        stretch = {
            ROCK: (radius, length, radius),
            LOG: (length, radius, radius),
        }.get(kind, (length, one, one))
        for axis, side in enumerate(stretch):
            made["size"][:, axis] = side
        made["size"][:, 3] = 1.0 if kind == ROCK else 0.5
        found[kind] = made
    return found
