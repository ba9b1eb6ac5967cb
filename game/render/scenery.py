"""Stones, logs, fences and gates near the camera, instanced: one draw call a kind that is in sight.

They stand on the finest level's samples and are drawn where that level draws the land; where it morphs, the land is
moved by less than the eye can tell. Toward the end of its range they sink to nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from game.core.coords import PageKey
from game.gl.buffer import Buffer
from game.gl.context import GLContext
from game.gl.vertex_array import Stream, VertexArray
from game.kernels.scenery import FENCE, GATE, LOG, ROCK
from game.render import model
from game.render.frame import FrameView
from game.render.tree_gather import SHORE_M
from game.render.uniforms import load_program

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


class SceneryPass:
    """Draws `FrameView.scenery_tiles`. Texture unit 3: noise tile."""

    def __init__(self, gl: GLContext) -> None:
        stored = model.arrays("scenery.npz")
        self.drawn = 0
        """Things of the last frame."""
        self._program = load_program(gl, "scenery", samplers={"noise_tile": 3})
        self._meshes = {kind: model.MeshBuffers(gl, model.mesh(stored, name)) for kind, name in MESHES.items()}
        self._instances = {kind: Buffer(gl, 64 * INSTANCE_DTYPE.itemsize, dynamic=True) for kind in MESHES}
        self._arrays = {
            kind: VertexArray(
                gl,
                [
                    Stream(
                        mesh.vertices,
                        model.VERTEX_DTYPE,
                        {"position": 0, "normal": 1, "colour": 2},
                        normalised=model.NORMALISED,
                    ),
                    Stream(
                        self._instances[kind],
                        INSTANCE_DTYPE,
                        {"place": 3, "axis": 4, "size": 5},
                        per_instance=True,
                    ),
                ],
                mesh.indices,
                np.uint16,
            )
            for kind, mesh in self._meshes.items()
        }

    def draw(self, view: FrameView) -> None:
        """Upload what is near and draw it."""
        self.drawn = 0
        used = False
        for kind, rows in instances(view.scenery_tiles, view).items():
            if not used:
                self._program.use()
                used = True
            self._instances[kind].replace(rows)
            self._arrays[kind].draw(self._meshes[kind].count, instances=len(rows))
            self.drawn += len(rows)

    def release(self) -> None:
        """Free every GL object; harmless when called twice."""
        for kind in MESHES:
            self._arrays[kind].release()
            self._instances[kind].release()
            self._meshes[kind].release()
        self._program.release()
