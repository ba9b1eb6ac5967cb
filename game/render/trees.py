"""Trees: gathered on the CPU from the rows of resident pages, drawn instanced as mesh or impostor.

Reads `FrameView.tree_tiles` and the selection's ranges; decides nothing about levels. A tree is drawn by the
page whose level draws the land at its foot, at that land's morphed height (`kernels.instances`).
Detail falls with distance: near mesh, mid mesh, then a quad that shows one of the atlas's views. The changes
are cross-faded by dither. Toward the end of the tree levels trees of high rank shrink away first.
"""

from __future__ import annotations

import math
import weakref

import numpy as np
from numpy.typing import NDArray

from game.core.coords import PageKey
from game.core.settings import Quality
from game.gl.api import GL
from game.gl.buffer import Buffer
from game.gl.context import GLContext
from game.gl.texture import RGBA8, SRGB8_A8, Sampling, Texture2DArray
from game.gl.vertex_array import Stream, VertexArray
from game.kernels import instances
from game.lod import frustum
from game.lod.selection import Selection
from game.render import model
from game.render.frame import CameraView, FrameView
from game.render.uniforms import FrameUniforms, load_program
from game.world.vegetation import share_kept

SHORE_M = 0.3
"""Trees whose foot is less than this above the sea are hidden: none stands in the surf."""

_KINDS = ("spruce", "broadleaf")
_DETAILS = ("near", "mid", "far")
_SOFT_RANKS = 0.08
_NEAR_SHARE = 0.26
_MID_SHARE = 0.95
"""Reach of the near and mid mesh as a share of r0: a preset that spends more on land spends more on trees."""
_BLEND = 0.08
"""Half width of a cross-fade, as a share of its distance."""
_VANISH_SHARE = 0.78
"""Share of the trees' reach beyond which all shrink away, whatever their rank."""

_INSTANCE_DTYPE = np.dtype([("place", "<f4", (4,)), ("look", "<f4", (4,))])
_COLOUR_UNIT, _NORMAL_UNIT = 6, 7


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
    """CPU half of the pass: fills instance rows, owns no GL object."""

    def __init__(self, quality: Quality, sizes: NDArray[np.float32]) -> None:
        """`sizes`: float32 [kinds, 2], height and radius of a tree of scale 1 in metres."""
        self._levels = quality.tree_levels
        self._keep = quality.tree_keep
        self._sizes = np.ascontiguousarray(sizes, dtype=np.float32)
        near, mid = _NEAR_SHARE * quality.r0_m, _MID_SHARE * quality.r0_m
        self._detail_m = (near * (1 - _BLEND), near * (1 + _BLEND), mid * (1 - _BLEND), mid * (1 + _BLEND))
        self.rows = np.zeros((instances.BUCKETS, 4096, instances.INSTANCE_COLUMNS), np.float32)
        self.counts = np.zeros(instances.BUCKETS, np.int64)
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
        """Fill `rows` and `counts` for a frame."""
        selection, camera = view.selection, view.camera
        levels = level_rows(selection, self._levels, self._keep)
        if not len(levels):
            self.counts[:] = 0
            return
        reach = float(levels[:, 1].max())
        setup = np.array(
            (
                float(selection.altitude_m),
                view.sea_level_m + SHORE_M,
                *self._detail_m,
                _VANISH_SHARE * reach,
                reach,
                _SOFT_RANKS,
            ),
            np.float32,
        )
        planes = self._planes(camera)
        needed = 0
        while True:
            self.counts[:] = 0
            for key, rows in view.tree_tiles:
                if key.level >= len(levels) or not len(rows):
                    continue
                if len(rows) > len(self._chosen):
                    self._chosen = np.zeros(2 * len(rows), np.int32)
                low, high = self._feet(key, rows)
                x, z = key.origin_m
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
            needed = int(self.counts.max())
            if needed <= self.rows.shape[1]:
                return
            room = 1 << math.ceil(math.log2(needed))
            self.rows = np.zeros((instances.BUCKETS, room, instances.INSTANCE_COLUMNS), np.float32)

    @staticmethod
    def _planes(camera: CameraView) -> NDArray[np.float64]:
        """The four side planes of the view; near and far are left to the distance tests."""
        view = (camera.yaw_rad, camera.pitch_rad, camera.fov_y_rad, camera.aspect)
        return np.ascontiguousarray(frustum.planes(*view, 0.1, 1.0e5)[:4])


class TreesPass:
    """Draws the trees of a frame. Texture units: 3 noise tile (clouds), 6 and 7 the far-tree atlas."""

    def __init__(self, gl: GLContext, quality: Quality) -> None:
        stored = model.arrays("trees.npz")
        self._sizes = stored["sizes"].astype(np.float32)
        self.gather = TreeGather(quality, self._sizes)
        self.draw_calls = 0
        self.triangles = 0
        self.trees_drawn = 0
        width, height, azimuths, elevations = (int(side) for side in stored["atlas"])
        self._layers_per_kind = azimuths * elevations
        angles = np.radians(stored["elevations_deg"].astype(np.float64))
        self._elevations = tuple(float(angle) for angle in 0.5 * (angles[1:] + angles[:-1]))
        # Coverage by samples smooths the impostors' outline for free where samples exist.
        self._to_coverage = quality.msaa > 1
        self._near_program = load_program(gl, "tree", samplers={"noise_tile": 3})
        self._far_program = load_program(
            gl,
            "tree_far",
            {
                "ALPHA_TO_COVERAGE": int(self._to_coverage),
                "ATLAS_AZIMUTHS": azimuths,
                "ATLAS_WIDTH": float(width),
                "ATLAS_HEIGHT": float(height),
            },
            {"noise_tile": 3, "far_colour": _COLOUR_UNIT, "far_normal": _NORMAL_UNIT},
        )
        shape = (len(_KINDS) * elevations, height, azimuths, width)
        self._atlas = [
            _layers(gl, model.picture(name), shape, kind)
            for name, kind in (("tree_far_colour.png", SRGB8_A8), ("tree_far_normal.png", RGBA8))
        ]
        self._meshes = [
            model.MeshBuffers(gl, model.mesh(stored, f"{kind}_{detail}"))
            for detail in _DETAILS[:2]
            for kind in _KINDS
        ]
        self._instances = [
            Buffer(gl, 1024 * _INSTANCE_DTYPE.itemsize, dynamic=True) for _ in range(instances.BUCKETS)
        ]
        self._arrays = [
            VertexArray(
                gl,
                [
                    Stream(
                        mesh.vertices,
                        model.VERTEX_DTYPE,
                        {"position": 0, "normal": 1, "colour": 2},
                        normalised=model.NORMALISED,
                    ),
                    Stream(buffer, _INSTANCE_DTYPE, {"place": 3, "look": 4}, per_instance=True),
                ],
                mesh.indices,
                np.uint16,
            )
            for mesh, buffer in zip(self._meshes, self._instances, strict=False)
        ]
        self._arrays += [
            VertexArray(gl, [Stream(buffer, _INSTANCE_DTYPE, {"place": 0, "look": 1}, per_instance=True)])
            for buffer in self._instances[len(self._meshes) :]
        ]

    def draw(self, view: FrameView, frame: FrameUniforms) -> None:
        """Gather, upload and draw. `frame` is bound already; its camera is the one of `view`."""
        self.gather.gather(view)
        rows, counts = self.gather.rows, self.gather.counts
        self.draw_calls = self.triangles = 0
        # A tree in a cross-fade is in two buckets and counts twice; the band is narrow.
        self.trees_drawn = int(counts.sum())
        if not self.trees_drawn:
            return
        GL.glDisable(GL.GL_CULL_FACE)
        for bucket, buffer in enumerate(self._instances):
            if counts[bucket]:
                buffer.replace(rows[bucket, : counts[bucket]])
        meshes = len(self._meshes)
        if counts[:meshes].any():
            self._near_program.use()
            for bucket in range(meshes):
                self._draw(bucket, self._meshes[bucket].count, int(counts[bucket]))
        if counts[meshes:].any():
            self._draw_far(meshes)
        GL.glEnable(GL.GL_CULL_FACE)

    def _draw(self, bucket: int, count: int, number: int) -> None:
        if not number:
            return
        # One instance too must take the instanced path's attributes; glDrawElements reads row 0 of them.
        self._arrays[bucket].draw(count, instances=number)
        self.draw_calls += 1
        self.triangles += count // 3 * number

    def _draw_far(self, first: int) -> None:
        self._far_program.use()
        self._far_program.set("elevations", self._elevations)
        for texture, unit in zip(self._atlas, (_COLOUR_UNIT, _NORMAL_UNIT), strict=True):
            texture.bind(unit)
        if self._to_coverage:
            GL.glEnable(GL.GL_SAMPLE_ALPHA_TO_COVERAGE)
        for kind in range(len(_KINDS)):
            number = int(self.gather.counts[first + kind])
            if number:
                self._far_program.set("size", tuple(float(side) for side in self._sizes[kind]))
                self._far_program.set("first_layer", kind * self._layers_per_kind)
                self._draw(first + kind, 6, number)
        if self._to_coverage:
            GL.glDisable(GL.GL_SAMPLE_ALPHA_TO_COVERAGE)

    @property
    def drawn(self) -> int:
        """Trees of the last frame; the same as `trees_drawn`."""
        return self.trees_drawn

    def release(self) -> None:
        """Free every GL object; harmless when called twice."""
        for thing in (
            *self._arrays,
            *self._instances,
            *self._meshes,
            *self._atlas,
            self._near_program,
            self._far_program,
        ):
            thing.release()


def _layers(
    gl: GLContext, sheet: NDArray[np.uint8], shape: tuple[int, int, int, int], kind: object
) -> Texture2DArray:
    """The sheet's cells as layers, row by row, with mipmaps (an array's layers do not bleed into each other)."""
    rows, height, columns, width = shape
    if sheet.shape != (rows * height, columns * width, 4):
        raise ValueError(f"atlas sheet has shape {sheet.shape}; give {(rows * height, columns * width, 4)}")
    cells = sheet.reshape(rows, height, columns, width, 4).swapaxes(1, 2).reshape(-1, height, width, 4)
    texture = Texture2DArray(gl, width, height, len(cells), kind, Sampling(mipmaps=True))  # type: ignore[arg-type]
    for layer, cell in enumerate(cells):
        texture.write(layer, np.ascontiguousarray(cell))
    texture.bind(_COLOUR_UNIT)
    GL.glGenerateMipmap(texture.target)
    return texture
