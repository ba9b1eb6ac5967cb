"""Trees: what `tree_gather` found, drawn instanced as mesh or impostor.

Detail falls with distance: near mesh, mid mesh, then a quad that shows one of the atlas's views. The changes
are cross-faded by dither.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from game.core.settings import Quality
from game.gl.api import GL
from game.gl.buffer import Buffer
from game.gl.context import GLContext
from game.gl.texture import RGBA8, SRGB8_A8, Sampling, Texture2DArray, TextureFormat
from game.gl.vertex_array import Stream, VertexArray
from game.kernels import instances
from game.render import model
from game.render.frame import FrameView
from game.render.tree_gather import TreeGather
from game.render.tree_shadows import TreeShadowsPass
from game.render.uniforms import FrameUniforms, load_program

_KINDS = ("spruce", "broadleaf")
_DETAILS = ("near", "mid", "far")
_INSTANCE_DTYPE = np.dtype([("place", "<f4", (4,)), ("look", "<f4", (4,))])
_COLOUR_UNIT, _NORMAL_UNIT = 6, 7

CHEST_M = 1.0
FOLLOWED_M = 11.0
"""Height over the wheels of what must stay in sight; a camera farther away than this follows nobody."""


class TreesPass:
    """Draws the trees of a frame. Texture units: 0 and 1 the land (shadows), 3 noise tile (clouds),
    6 and 7 the far-tree atlas."""

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
        self._shadows = TreeShadowsPass(gl, quality.r0_m, quality.tree_levels, self._sizes)
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
        self._shadows.draw(view, self.gather)
        GL.glDisable(GL.GL_CULL_FACE)
        for bucket, buffer in enumerate(self._instances):
            if counts[bucket]:
                buffer.replace(rows[bucket, : counts[bucket]])
        meshes = len(self._meshes)
        if counts[:meshes].any():
            self._near_program.use()
            self._near_program.set("subject", subject_of(view))
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
        for mesh in self._meshes:
            mesh.release()
        self._shadows.release()
        for thing in (*self._arrays, *self._instances, *self._atlas, self._near_program, self._far_program):
            thing.release()


def subject_of(view: FrameView) -> tuple[float, float, float, float]:
    """What the camera follows, relative to it in metres, and 1 while it is near enough to follow it."""
    rider, camera = view.rider, view.camera
    if rider is None:
        return (0.0, 0.0, 0.0, 0.0)
    x, y, z = (rider.x, rider.y + CHEST_M, rider.z) if rider.thrown is None else rider.thrown[:3]
    way = (x - camera.x, y - camera.y, z - camera.z)
    return (*way, 1.0) if math.hypot(*way) < FOLLOWED_M else (0.0, 0.0, 0.0, 0.0)


def _layers(
    gl: GLContext, sheet: NDArray[np.uint8], shape: tuple[int, int, int, int], kind: TextureFormat
) -> Texture2DArray:
    """The sheet's cells as layers, row by row, with mipmaps (an array's layers do not bleed into each other)."""
    rows, height, columns, width = shape
    if sheet.shape != (rows * height, columns * width, 4):
        raise ValueError(f"atlas sheet has shape {sheet.shape}; give {(rows * height, columns * width, 4)}")
    cells = sheet.reshape(rows, height, columns, width, 4).swapaxes(1, 2).reshape(-1, height, width, 4)
    texture = Texture2DArray(gl, width, height, len(cells), kind, Sampling(mipmaps=True))
    for layer, cell in enumerate(cells):
        texture.write(layer, np.ascontiguousarray(cell))
    texture.bind(_COLOUR_UNIT)
    GL.glGenerateMipmap(texture.target)
    return texture
