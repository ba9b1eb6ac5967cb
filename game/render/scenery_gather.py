"""The CPU half of drawing scenery: rows of pages into instance rows. Owns no GL object.

Things stand on the finest level's samples and are drawn where that level draws the land; where it morphs, the land is
moved by less than the eye can tell. Toward the end of its range they sink to nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from game.core.coords import PageKey
from game.kernels.scenery import FENCE, ROCK
from game.lod import frustum
from game.render.frame import FrameView, covering
from game.world.vegetation import SHORE_M

INSTANCE_DTYPE = np.dtype([("place", "<f4", (4,)), ("axis", "<f4", (4,)), ("size", "<f4", (4,))])
"""Foot relative to the camera and tint; direction, rise and share; stretch and how far the tone varies."""

MESHES = ("stone", "log", "panel", "gate", "start", "finish", "stone_far")
"""Models by number: that of a kind is its number less one; the last stands for stones farther off."""

STONE_NEAR_M = 40.0
MARGIN_M = 3.5
"""Stones up to here are drawn in full; nothing reaches farther than the margin, or half its length, from its foot."""

REACH_M = 220.0
GROWN_SHARE = 0.8
"""Drawn up to the least of this and the range of the finest level; full size up to a share of that."""


def reach_of(view: FrameView) -> float:
    """Distance in metres up to which scenery is drawn."""
    selection = view.selection
    if not selection.levels:
        return 0.0
    return min(REACH_M, float(selection.ranges[0]))


class Rows:
    """Rows of tiles with their places in the world, kept while the tiles are the same arrays."""

    def __init__(self) -> None:
        self._tiles: list[tuple[PageKey, NDArray[np.float32]]] = []
        self._rows: NDArray[np.float64] = np.zeros((0, 10))

    def of(self, tiles: list[tuple[PageKey, NDArray[np.float32]]]) -> NDArray[np.float64]:
        """float64 [n, 10]: rows as in `kernels.scenery`, x and z from the world's origin."""
        same = len(tiles) == len(self._tiles) and all(
            a[1] is b[1] for a, b in zip(tiles, self._tiles, strict=True)
        )
        if not same:
            parts = []
            for key, rows in tiles:
                x, z = key.origin_m
                place = rows.astype(np.float64)
                place[:, 0] += x
                place[:, 2] += z
                parts.append(place)
            self._tiles = list(tiles)
            self._rows = np.concatenate(parts) if parts else np.zeros((0, 10))
        return self._rows


def instances(
    tiles: list[tuple[PageKey, NDArray[np.float32]]], view: FrameView, kept: Rows | None = None
) -> dict[str, NDArray[np.void]]:
    """INSTANCE_DTYPE [n] by the name of a model, of what is in sight; rows of pages as in `kernels.scenery`.

    `kept`: what the last call had put together.
    """
    reach = reach_of(view)
    camera = covering(view.camera)
    rows = (kept or Rows()).of(tiles)
    if not len(rows) or reach <= 0.0:
        return {}
    place = rows[:, :3] - (camera.x, camera.y, camera.z)
    look = (camera.yaw_rad, camera.pitch_rad, camera.fov_y_rad, camera.aspect)
    sides = frustum.planes(*look, 0.1, 1.0e5)[:4, :3]
    distance = np.sqrt(place[:, 0] ** 2 + place[:, 2] ** 2 + float(view.selection.altitude_m) ** 2)
    seen = (distance < reach) & (rows[:, 1] > view.sea_level_m + SHORE_M)
    seen &= (sides @ place.T > -np.maximum(MARGIN_M, 0.5 * rows[:, 6] + 1.0)).all(axis=0)
    if not seen.any():
        return {}
    place, rows, distance = place[seen], rows[seen], distance[seen]
    kind = rows[:, 8].astype(np.int64)
    made = np.zeros(len(rows), INSTANCE_DTYPE)
    made["place"][:, :3] = place
    made["place"][:, 3] = rows[:, 9]
    made["axis"][:, :3] = rows[:, 3:6]
    made["axis"][:, 3] = np.clip((reach - distance) / ((1.0 - GROWN_SHARE) * reach), 0.0, 1.0)
    length, radius = rows[:, 6], rows[:, 7]
    stone, built = kind == ROCK, kind >= FENCE
    made["size"][:, 0] = np.where(stone, radius, length)
    made["size"][:, 1] = np.where(stone, length, np.where(built, 1.0, radius))
    made["size"][:, 2] = np.where(built, 1.0, radius)
    made["size"][:, 3] = np.where(stone, 1.0, 0.5)
    number = np.where(stone & (distance > STONE_NEAR_M), len(MESHES) - 1, kind - 1)
    return {name: made[number == n] for n, name in enumerate(MESHES) if (number == n).any()}
