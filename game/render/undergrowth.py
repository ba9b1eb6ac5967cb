"""Grass tufts, flowers and small shrubs around the camera: one instanced draw of each, without instance data.

The shader finds an instance's place from its number, the seed and the land's own textures, so nothing is gathered or
sent: `undergrowth_grid` only says which cells lie in sight and which pages draw the land there. Each plant is a
function of its cell of the world, wherever the camera stands; toward the end of the range plants sink to nothing.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from game.core.settings import Quality
from game.gl.api import GL
from game.gl.context import GLContext
from game.gl.program import Program
from game.gl.vertex_array import Stream, VertexArray
from game.render import model
from game.render import tracks as printed
from game.render.frame import FrameView
from game.render.tracks import TrackTextures
from game.render.undergrowth_grid import Kind, grid_of, kinds, pages_near, seen_box, shown_reach_m
from game.render.uniforms import load_program


def lend(program: Program, kind: Kind, view: FrameView, pages: NDArray[np.float32]) -> int:
    """Tell `program`, which includes undergrowth.glsl, where to look for plants; put it in use.

    `pages`: as `pages_near` gives them for the frame. Returns the number of places that may have a plant; 0 where none
    can, and then nothing was set.
    """
    selection = view.selection
    altitude = float(selection.altitude_m)
    reach = shown_reach_m(kind.reach_m, selection)
    if reach <= altitude:
        return 0
    flat = math.sqrt(reach * reach - altitude * altitude)
    grid = grid_of(kind, selection, seen_box(view.camera, flat))
    program.use()
    program.set("pages", pages)
    program.set("page_count", len(pages))
    program.set("seed", (view.seed ^ view.seed >> 31) & 0x7FFFFFFF)
    program.set("first_cell", grid.first_cell)
    program.set("first_corner", grid.first_corner)
    program.set("columns", grid.columns)
    program.set("reach_m", reach)
    return grid.columns * grid.rows * kind.side * kind.side


class UndergrowthPass:
    """Draws plants around the camera. Texture units: 0 heights, 2 climate, 3 noise tile, and tracks."""

    def __init__(self, gl: GLContext, quality: Quality) -> None:
        stored = model.arrays("undergrowth.npz")
        self.kinds = kinds(quality.name)
        self.placed = 0
        """Plants that the last frame's shaders looked at."""
        samplers = {"page_heights": 0, "page_climate": 2, "noise_tile": 3}
        # Shrubs stand where nobody rides.
        trodden = {**samplers, **printed.UNITS}
        self._programs = [
            load_program(
                gl,
                "undergrowth",
                {**kind.defines, **printed.DEFINES, "DETAIL": 0},
                samplers if kind.mesh == "shrub" else trodden,
            )
            for kind in self.kinds
        ]
        self._meshes = [model.MeshBuffers(gl, model.mesh(stored, kind.mesh)) for kind in self.kinds]
        self._arrays = [
            VertexArray(
                gl,
                [
                    Stream(
                        mesh.vertices,
                        model.VERTEX_DTYPE,
                        {"position": 0, "normal": 1, "colour": 2},
                        normalised=model.NORMALISED,
                    )
                ],
                mesh.indices,
                np.uint16,
            )
            for mesh in self._meshes
        ]

    def draw(self, view: FrameView, tracks: TrackTextures) -> None:
        """Draw what grows around the camera; leaves culling off. The page textures and the noise tile are bound."""
        self.placed = 0
        pages = pages_near(view.selection)
        if not len(pages):
            return
        GL.glDisable(GL.GL_CULL_FACE)
        for kind, program, array, mesh in zip(
            self.kinds, self._programs, self._arrays, self._meshes, strict=True
        ):
            number = lend(program, kind, view, pages)
            if number:
                if "tracks" in program.uniforms:
                    tracks.lend(program, view.camera)
                array.draw(mesh.count, instances=number)
                self.placed += number

    def release(self) -> None:
        """Free every GL object; harmless when called twice."""
        for array, mesh, program in zip(self._arrays, self._meshes, self._programs, strict=True):
            array.release()
            mesh.release()
            program.release()
