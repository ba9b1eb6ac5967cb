"""Trees: near ones drawn instanced as meshes, far ones as impostors in one draw.

Detail falls with distance: near mesh, mid mesh, then a quad that shows one of the atlas's views. The changes
are cross-faded by dither. Meshes get the rows that `tree_gather` picked; impostors read the tree store's texture, so
that a hundred thousand of them cost the main thread a list of blocks.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from game.core.settings import Quality
from game.gl.api import GL
from game.gl.buffer import Buffer
from game.gl.context import GLContext, GLObject
from game.gl.texture import RGBA8, SRGB8_A8, Sampling, Texture2D, Texture2DArray, TextureFormat
from game.gl.vertex_array import Stream, VertexArray
from game.kernels import instances, scatter
from game.kernels.tree_tiles import BLOCK
from game.render import model
from game.render.frame import FrameView
from game.render.tree_gather import TreeGather
from game.render.tree_shadows import TreeShadowsPass
from game.render.tree_store import TreeStore
from game.render.tree_table import LINE_ROWS
from game.render.uniforms import FrameUniforms, load_program
from game.world.vegetation import MOST_LEVELS

_KINDS = ("spruce", "broadleaf")
_DETAILS = ("near", "mid", "far")
_INSTANCE_DTYPE = np.dtype([("place", "<f4", (4,)), ("look", "<f4", (4,))])
_BLOCK_DTYPE = np.dtype([("block", "<i4", (4,))])
_COLOUR_UNIT, _NORMAL_UNIT, _ROWS_UNIT = 6, 7, 12

CHEST_M = 1.0
FOLLOWED_M = 11.0
"""Height over the wheels of what must stay in sight; a camera farther away than this follows nobody."""


class TreesPass:
    """Draws the trees of a frame. Texture units: 0 and 1 the land (shadows), 3 noise tile (clouds),
    6 and 7 the far-tree atlas, 12 the rows of all trees."""

    def __init__(self, gl: GLContext, quality: Quality) -> None:
        stored = model.arrays("trees.npz")
        self._sizes = stored["sizes"].astype(np.float32)
        self.gather = TreeGather(quality, self._sizes)
        self.draw_calls = 0
        self.triangles = 0
        self._view: FrameView | None = None
        self._near_blocks = self._far_blocks = 0
        width, height, azimuths, elevations = (int(side) for side in stored["atlas"])
        self._layers_per_kind = azimuths * elevations
        angles = np.radians(stored["elevations_deg"].astype(np.float64))
        self._elevations = tuple(float(angle) for angle in 0.5 * (angles[1:] + angles[:-1]))
        # Coverage by samples smooths the impostors' outline for free where samples exist.
        self._to_coverage = quality.msaa > 1
        self._shadows = TreeShadowsPass(gl, quality.r0_m, self._sizes)
        self.store = TreeStore(gl, quality.tree_room)
        self._near_program = load_program(gl, "tree", samplers={"noise_tile": 3})
        self._far_program = load_program(
            gl,
            "tree_far",
            {
                "ALPHA_TO_COVERAGE": int(self._to_coverage),
                "ATLAS_AZIMUTHS": azimuths,
                "ATLAS_WIDTH": float(width),
                "ATLAS_HEIGHT": float(height),
                "ATLAS_LAYERS": self._layers_per_kind,
                "BLOCK": BLOCK,
                "LINE_ROWS": LINE_ROWS,
                "LEVELS": MOST_LEVELS,
                "HARDY_CODES": scatter.HARDY_CODES,
            },
            {
                "noise_tile": 3,
                "far_colour": _COLOUR_UNIT,
                "far_normal": _NORMAL_UNIT,
                "tree_rows": _ROWS_UNIT,
            },
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
        self._instances = [Buffer(gl, 1024 * _INSTANCE_DTYPE.itemsize, dynamic=True) for _ in self._meshes]
        self._blocks = Buffer(gl, 1024 * _BLOCK_DTYPE.itemsize, dynamic=True)
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
        self._rules = np.zeros((2 * MOST_LEVELS + 2, 4), np.float32)
        self._far_program.use()
        self._far_program.set("elevations", self._elevations)
        self._far_program.set("sizes", tuple(float(side) for side in self._sizes.reshape(-1)[:4]))
        self._far_array = VertexArray(
            gl, [Stream(self._blocks, _BLOCK_DTYPE, {"block": 0}, per_instance=True, every=BLOCK)]
        )

    def draw(self, view: FrameView, frame: FrameUniforms, far_level: int) -> None:
        """Gather, upload and draw the trees of levels below `far_level`. `frame` is bound already."""
        gather = self.gather
        self.store.sync(view.tree_tiles)
        self.draw_calls = self.triangles = 0
        gather.begin(view)
        # What lies beyond the meshes is gathered for its shadow only.
        gather.gather(view, self.store.trees, max(gather.meshes_end_m, self._shadows.reach_m))
        blocks = gather.far_blocks(view, self.store.trees)
        self._near_blocks = int(np.searchsorted(blocks[:, 3] >> 8, far_level))
        self._far_blocks = len(blocks) - self._near_blocks
        meshes = len(self._meshes)
        counts = gather.counts[:meshes]
        self._view = view
        if gather.counts.any():
            self._shadows.draw(view, gather, self.store.trees)
        GL.glDisable(GL.GL_CULL_FACE)
        if counts.any():
            self._near_program.use()
            self._near_program.set("subject", subject_of(view))
            for bucket, number in enumerate(counts.tolist()):
                if number:
                    self._instances[bucket].replace(gather.rows[bucket, :number])
                    self._near_program.set("broadleaved", float(_KINDS[bucket % 2] == "broadleaf"))
                    self._draw(bucket, self._meshes[bucket].count, number)
        if len(blocks):
            self._prepare_far(blocks)
            self._draw_far(0, 0, self._near_blocks)
        GL.glEnable(GL.GL_CULL_FACE)

    def draw_distant(self) -> None:
        """Draw the trees of the far band, after `draw` and that band's land."""
        if self._far_blocks:
            GL.glDisable(GL.GL_CULL_FACE)
            self._draw_far(1, self._near_blocks, self._far_blocks)
            GL.glEnable(GL.GL_CULL_FACE)

    def _draw(self, bucket: int, count: int, number: int) -> None:
        # One instance too must take the instanced path's attributes; glDrawElements reads row 0 of them.
        self._arrays[bucket].draw(count, instances=number)
        self.draw_calls += 1
        self.triangles += count // 3 * number

    def _prepare_far(self, blocks: NDArray[np.int32]) -> None:
        """Send what a frame's far trees need; both bands draw with it."""
        self._blocks.replace(blocks)
        gather = self.gather
        rules, count = self._rules, len(gather.levels)
        rules[: 2 * count].reshape(count, 8)[:, : instances.LEVEL_COLUMNS] = gather.levels
        setup = gather.setup
        rules[-2, 0], rules[-2, 1:], rules[-1, :2] = setup[1], setup[4:7], setup[7:9]
        self._far_program.use()
        self._far_program.set("tree_rules", rules)
        self._far_program.set("climate", (int(setup[11]), int(setup[12])))
        textures: tuple[Texture2D | Texture2DArray, ...] = (*self._atlas, self.store.texture)
        for texture, unit in zip(textures, (_COLOUR_UNIT, _NORMAL_UNIT, _ROWS_UNIT), strict=True):
            texture.bind(unit)

    def _draw_far(self, band: int, first: int, number: int) -> None:
        """Draw blocks first…first + number − 1 of the frame in a depth band."""
        if not number:
            return
        self._far_program.use()
        self._far_program.set("far_band", band)
        if self._to_coverage:
            GL.glEnable(GL.GL_SAMPLE_ALPHA_TO_COVERAGE)
        self._far_array.start_at(0, first)
        self._far_array.draw(6, instances=number * BLOCK)
        self.draw_calls += 1
        self.triangles += 2 * number * BLOCK
        if self._to_coverage:
            GL.glDisable(GL.GL_SAMPLE_ALPHA_TO_COVERAGE)

    @property
    def trees_drawn(self) -> int:
        """Trees of the last frame. Counted when asked for, by a walk over all of them."""
        return 0 if self._view is None else self.gather.count(self._view, self.store.trees)

    def release(self) -> None:
        """Free every GL object; harmless when called twice."""
        for mesh in self._meshes:
            mesh.release()
        self._shadows.release()
        things: tuple[GLObject | TreeStore, ...] = (
            *self._arrays,
            self._far_array,
            *self._instances,
            self._blocks,
            *self._atlas,
            self._near_program,
            self._far_program,
            self.store,
        )
        for thing in things:
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
