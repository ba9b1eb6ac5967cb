"""Stones, logs, fences and gates near the camera: what `scenery_gather` found, one instanced draw call a kind."""

from __future__ import annotations

import numpy as np

from game.gl.buffer import Buffer
from game.gl.context import GLContext
from game.gl.vertex_array import Stream, VertexArray
from game.render import model
from game.render.frame import FrameView
from game.render.scenery_gather import INSTANCE_DTYPE, MESHES, instances
from game.render.uniforms import load_program


class SceneryPass:
    """Draws `FrameView.scenery_tiles`. Texture unit 3: noise tile."""

    def __init__(self, gl: GLContext) -> None:
        stored = model.arrays("scenery.npz")
        self.drawn = 0
        """Things of the last frame."""
        self._program = load_program(gl, "scenery", samplers={"noise_tile": 3})
        self._meshes = {
            kind: model.MeshBuffers(gl, model.mesh(stored, name)) for kind, name in MESHES.items()
        }
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
