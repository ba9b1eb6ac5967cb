"""Loading of the models in assets/models: from the integers on disk to what a vertex buffer holds.

Made by tools/build_assets.py; nothing here knows what a model shows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from game.core.paths import resource
from game.gl.api import GL
from game.gl.buffer import Buffer
from game.gl.context import GLContext

VERTEX_DTYPE = np.dtype([("position", "<f4", (3,)), ("normal", "i1", (4,)), ("colour", "u1", (4,))])
"""One vertex, 20 bytes: metres; unit normal · 127 (fourth unused); sRGB and the model's own fourth number."""

NORMALISED = frozenset({"normal", "colour"})


@dataclass(frozen=True, slots=True)
class Mesh:
    """Vertices (VERTEX_DTYPE [n]) and triangles (uint16 [3 · m], counter-clockwise)."""

    vertices: NDArray[np.void]
    indices: NDArray[np.uint16]

    @property
    def triangles(self) -> int:
        """Number of triangles."""
        return len(self.indices) // 3


def arrays(name: str) -> dict[str, NDArray[np.generic]]:
    """All arrays of assets/models/`name`. Raises `UsageError` when the file is missing."""
    with np.load(resource("assets", "models", name), allow_pickle=False) as stored:
        return {key: stored[key] for key in stored.files}


def mesh(stored: dict[str, NDArray[np.generic]], name: str) -> Mesh:
    """The mesh `name` of `arrays(…)`. Raises `KeyError` when it holds none of that name."""
    position = stored[f"{name}.position"]
    vertices = np.zeros(len(position), VERTEX_DTYPE)
    vertices["position"] = position.astype(np.float64) * float(stored["scale"].astype(np.float64)[0])
    vertices["normal"][:, :3] = stored[f"{name}.normal"]
    vertices["colour"] = stored[f"{name}.colour"]
    return Mesh(vertices, np.ascontiguousarray(stored[f"{name}.index"].reshape(-1), dtype=np.uint16))


def picture(name: str) -> NDArray[np.uint8]:
    """Texels of assets/models/`name`, uint8 [h, w, 4], top row first; alpha is 255 where the file has none."""
    with Image.open(resource("assets", "models", name)) as image:
        return np.ascontiguousarray(np.asarray(image.convert("RGBA")))


class MeshBuffers:
    """Vertex and index buffer of a mesh on the GPU."""

    def __init__(self, gl: GLContext, source: Mesh) -> None:
        self.vertices = Buffer(gl, source.vertices)
        self.indices = Buffer(gl, source.indices, GL.GL_ELEMENT_ARRAY_BUFFER)
        self.count = len(source.indices)
        """Indices to draw."""

    def release(self) -> None:
        """Free both."""
        self.indices.release()
        self.vertices.release()
