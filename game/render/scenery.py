"""Stones, logs, fences and gates near the camera: what `scenery_gather` found, one instanced draw call a model."""

from __future__ import annotations

import numpy as np

from game.gl.buffer import Buffer
from game.gl.context import GLContext
from game.gl.vertex_array import Stream, VertexArray
from game.render import model
from game.render.frame import FrameView
from game.render.scenery_gather import INSTANCE_DTYPE, MESHES, Rows, instances
from game.render.uniforms import load_program


class SceneryPass:
    """Draws `FrameView.scenery_tiles`. Texture unit 3: noise tile."""

    def __init__(self, gl: GLContext) -> None:
        stored = model.arrays("scenery.npz")
        self.drawn = 0
        """Things of the last frame."""
        self._rows = Rows()
        self._program = load_program(gl, "scenery", samplers={"noise_tile": 3})
        self._meshes = {name: model.MeshBuffers(gl, model.mesh(stored, name)) for name in MESHES}
        self._instances = {name: Buffer(gl, 64 * INSTANCE_DTYPE.itemsize, dynamic=True) for name in MESHES}
        self._arrays = {
            name: VertexArray(
                gl,
                [
                    Stream(
                        mesh.vertices,
                        model.VERTEX_DTYPE,
                        {"position": 0, "normal": 1, "colour": 2},
                        normalised=model.NORMALISED,
                    ),
                    Stream(
                        self._instances[name],
                        INSTANCE_DTYPE,
                        {"place": 3, "axis": 4, "size": 5},
                        per_instance=True,
                    ),
                ],
                mesh.indices,
                np.uint16,
            )
            for name, mesh in self._meshes.items()
        }

    def draw(self, view: FrameView) -> None:
        """Upload what is near and draw it."""
        self.drawn = 0
        used = False
        for name, rows in instances(view.scenery_tiles, view, self._rows).items():
            if not used:
                self._program.use()
                used = True
            self._instances[name].replace(rows)
            self._arrays[name].draw(self._meshes[name].count, instances=len(rows))
            self.drawn += len(rows)

    def release(self) -> None:
        """Free every GL object; harmless when called twice."""
        for name in MESHES:
            self._arrays[name].release()
            self._instances[name].release()
            self._meshes[name].release()
        self._program.release()
