"""The land: one instanced grid patch, two draws (near and far depth band).

Reads a `Selection`; decides nothing about levels. The vertex shader morphs, the fragment shader paints.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from game.core.coords import PAGE_QUADS
from game.gl.api import GL
from game.gl.buffer import Buffer
from game.gl.context import GLContext
from game.gl.vertex_array import Stream, VertexArray
from game.lod.selection import PATCH_DTYPE, Selection
from game.render import tracks as printed
from game.render.frame import CameraView
from game.render.runoff import DEFINES, UNITS, RunoffTextures
from game.render.tracks import TrackTextures
from game.render.uniforms import load_program

_GRID_DTYPE = np.dtype([("grid", "<i2", (2,))])
# The six int32 of PATCH_DTYPE as two attributes.
_INSTANCE_DTYPE = np.dtype([("corner", "<i4", (4,)), ("page", "<i4", (2,))])


def grid_vertices(quads: int) -> NDArray[np.int16]:
    """int16 [(quads + 1)², 2] sample offsets (i, j) of a patch, row by row."""
    side = np.arange(quads + 1, dtype=np.int16)
    j, i = np.meshgrid(side, side, indexing="ij")
    grid: NDArray[np.int16] = np.ascontiguousarray(np.stack([i, j], axis=-1).reshape(-1, 2))
    return grid


def grid_indices(quads: int) -> NDArray[np.uint16]:
    """uint16 [quads² · 6]: triangles split along (i, j)–(i+1, j+1), counter-clockwise seen from above."""
    j, i = np.meshgrid(np.arange(quads), np.arange(quads), indexing="ij")
    row = quads + 1
    a = (j * row + i).ravel()
    b, c, d = a + 1, a + row, a + row + 1
    return np.ascontiguousarray(np.stack([a, c, d, a, d, b], axis=-1).astype(np.uint16).ravel())


def far_band_near_m(selection: Selection, far_level: int, fov_y_rad: float, aspect: float) -> float:
    """Largest safe near plane of the far band, metres: nothing of the far patches may be cut by it.

    A point at horizontal distance D or more that is on the screen lies at least D·cos(half the diagonal field
    of view) deep. From high above, D is 0 and a tenth of the altitude stands in.
    """
    patches = selection.patches[selection.band_split(far_level) :]
    if len(patches) == 0:
        return 1.0
    span = selection.patch_quads * np.left_shift(1, patches["level"].astype(np.int64))

    def gap(origin: NDArray[np.int32], frac: float) -> NDArray[np.float64]:
        low = origin.astype(np.float64) - frac
        outside: NDArray[np.float64] = np.maximum(np.maximum(low, -(low + span)), 0.0)
        return outside

    # Morphing moves a vertex by up to one sample, inward too: one quad of slack on each side.
    slack = np.left_shift(2, patches["level"].astype(np.int64))
    distance = np.hypot(
        gap(patches["origin_x_m"], float(selection.frac_x)),
        gap(patches["origin_z_m"], float(selection.frac_z)),
    )
    nearest = float(np.min(distance - slack))
    lens = math.tan(0.5 * fov_y_rad)
    cosine = 1.0 / math.sqrt(1.0 + lens * lens * (1.0 + aspect * aspect))
    return max(1.0, 0.9 * nearest * cosine, 0.1 * float(selection.altitude_m))


class TerrainPass:
    """Draws the patches of a selection.

    Texture units: 0 heights, 1 normals, 2 climate, 3 noise tile, 13 and 14 materials, and those of
    `render.runoff` and `render.tracks`.
    """

    def __init__(self, gl: GLContext, patch_quads: int, detail: int, grazing_bias: float) -> None:
        """`detail` 0…2; `grazing_bias` of mip levels makes up for anisotropic filtering that is not there."""
        if not 1 <= patch_quads <= PAGE_QUADS or (patch_quads + 1) ** 2 > 65536:
            raise ValueError(f"patch_quads = {patch_quads} is not accepted; give 1 to {PAGE_QUADS}")
        self._gl = gl
        self.patch_quads = patch_quads
        # Two programs: what is fine is spent only near, and the far band's matrix is chosen without a branch.
        self._programs = [
            load_program(
                gl,
                "terrain",
                {"DETAIL": detail, "FAR_BAND": band, "GRAZING_BIAS": grazing_bias, **DEFINES}
                | ({} if band else printed.DEFINES),
                {"page_heights": 0, "page_normals": 1, "page_climate": 2, "noise_tile": 3, **UNITS}
                | ({} if band else {"ground_relief": 13, **printed.UNITS})
                | ({"ground_colour": 14} if detail and not band else {}),
            )
            for band in (0, 1)
        ]
        self._vertices = Buffer(gl, grid_vertices(patch_quads))
        indices = grid_indices(patch_quads)
        self._indices = Buffer(gl, indices, GL.GL_ELEMENT_ARRAY_BUFFER)
        self._index_count = len(indices)
        room = 256 * PATCH_DTYPE.itemsize
        self._instances = [Buffer(gl, room, dynamic=True) for _ in range(2)]
        self._arrays = [
            VertexArray(
                gl,
                [
                    Stream(self._vertices, _GRID_DTYPE, {"grid": 0}),
                    Stream(instances, _INSTANCE_DTYPE, {"corner": 1, "page": 2}, per_instance=True),
                ],
                self._indices,
                np.uint16,
            )
            for instances in self._instances
        ]

    def prepare(self, selection: Selection, far_level: int) -> None:
        """Upload the frame's instances. Raises `ValueError` when the selection has another patch size."""
        if selection.patch_quads != self.patch_quads:
            raise ValueError(
                f"selection has patches of {selection.patch_quads} quads but the renderer draws {self.patch_quads}"
            )
        split = selection.band_split(far_level)
        self._counts = (split, len(selection.patches) - split)
        for buffer, part in zip(
            self._instances, (selection.patches[:split], selection.patches[split:]), strict=True
        ):
            buffer.replace(np.ascontiguousarray(part))

    def draw(self, band: int, runoff: RunoffTextures, tracks: TrackTextures, camera: CameraView) -> None:
        """Draw band 0 (near) or 1 (far). The caller has bound the page textures and set the depth range."""
        if not self._counts[band]:
            return
        self._programs[band].use()
        runoff.lend(self._programs[band], camera)
        if band == 0:
            tracks.lend(self._programs[band], camera)
        self._arrays[band].draw(self._index_count, instances=self._counts[band])

    def release(self) -> None:
        """Free all GL objects."""
        for thing in (*self._arrays, *self._instances, self._vertices, self._indices, *self._programs):
            thing.release()
