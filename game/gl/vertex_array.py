"""Vertex arrays: which fields of which buffer feed which attribute, and the draw calls that use them."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from game.gl.api import GL
from game.gl.buffer import Buffer
from game.gl.context import GLContext, GLObject

_TYPES = {
    "f4": GL.GL_FLOAT,
    "i4": GL.GL_INT,
    "u4": GL.GL_UNSIGNED_INT,
    "i2": GL.GL_SHORT,
    "u2": GL.GL_UNSIGNED_SHORT,
    "i1": GL.GL_BYTE,
    "u1": GL.GL_UNSIGNED_BYTE,
}


@dataclass(frozen=True, slots=True)
class Stream:
    """One buffer read as rows of a structured dtype.

    Parameters
    ----------
    buffer : the source.
    dtype : structured dtype of a row, e.g. `[("position", "f4", 3), ("colour", "u1", 4)]`.
    locations : attribute location of each field used; the rest is skipped.
    per_instance : advance once per instance instead of once per vertex.
    every : instances that share a row.
    normalised : integer fields that arrive as 0…1 (unsigned) or −1…1 (signed) floats; other integer fields
        arrive as integers (`in ivec2`).
    """

    buffer: Buffer
    dtype: np.dtype
    locations: Mapping[str, int]
    per_instance: bool = False
    every: int = 1
    normalised: frozenset[str] = field(default_factory=frozenset)


class VertexArray(GLObject):
    """A vertex array object over `streams`, with an optional index buffer (uint16 or uint32).

    Raises `ValueError` for a field that does not exist, has more than four components or a type GL lacks.
    """

    def __init__(
        self,
        gl: GLContext,
        streams: Sequence[Stream] = (),
        index: Buffer | None = None,
        index_dtype: type[np.uint16] | type[np.uint32] = np.uint32,
    ) -> None:
        plan = [self._plan(stream, name) for stream in streams for name in stream.locations]
        if index is not None and index.target != GL.GL_ELEMENT_ARRAY_BUFFER:
            raise ValueError("the index buffer has another target; make it with GL_ELEMENT_ARRAY_BUFFER")
        super().__init__(gl, "vertex array", int(GL.glGenVertexArrays(1)))
        self._streams = tuple(streams)
        self._index_type = GL.GL_UNSIGNED_SHORT if index_dtype is np.uint16 else GL.GL_UNSIGNED_INT
        self._index_size = np.dtype(index_dtype).itemsize
        self._indexed = index is not None
        GL.glBindVertexArray(self.name)
        for stream, name, kind, components, offset in plan:
            location = stream.locations[name]
            GL.glEnableVertexAttribArray(location)
            self._point(stream, name, kind, components, offset)
            GL.glVertexAttribDivisor(location, stream.every if stream.per_instance else 0)
        if index is not None:
            GL.glBindBuffer(GL.GL_ELEMENT_ARRAY_BUFFER, index.name)
        GL.glBindVertexArray(0)

    @staticmethod
    def _plan(stream: Stream, name: str) -> tuple[Stream, str, str, int, int]:
        fields = stream.dtype.fields
        if not fields or name not in fields:
            raise ValueError(f"attribute {name!r} is not a field of {stream.dtype}")
        item, offset = fields[name][0], fields[name][1]
        components = int(np.prod(item.shape, dtype=int)) if item.shape else 1
        kind = item.base.str[1:]
        if kind not in _TYPES or not 1 <= components <= 4:
            raise ValueError(
                f"attribute {name!r} is {components} × {item.base}; give 1 to 4 of float32 or of integers up to 32 bits"
            )
        return stream, name, kind, components, int(offset)

    @staticmethod
    def _point(stream: Stream, name: str, kind: str, components: int, offset: int) -> None:
        location = stream.locations[name]
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, stream.buffer.name)
        pointer = ctypes.c_void_p(offset)
        stride = stream.dtype.itemsize
        if kind == "f4" or name in stream.normalised:
            normal = GL.GL_FALSE if kind == "f4" else GL.GL_TRUE
            GL.glVertexAttribPointer(location, components, _TYPES[kind], normal, stride, pointer)
        else:
            GL.glVertexAttribIPointer(location, components, _TYPES[kind], stride, pointer)

    def start_at(self, stream: int, row: int) -> None:
        """Make `streams[stream]` begin at `row`: OpenGL 3.3 has no base instance, so the pointers move."""
        chosen = self._streams[stream]
        GL.glBindVertexArray(self.name)
        for name in chosen.locations:
            _, _, kind, components, offset = self._plan(chosen, name)
            self._point(chosen, name, kind, components, offset + row * chosen.dtype.itemsize)

    def bind(self) -> None:
        """Bind; the draw methods do it themselves."""
        GL.glBindVertexArray(self.name)

    def draw(self, count: int, mode: int = GL.GL_TRIANGLES, instances: int = 1, first: int = 0) -> None:
        """Draw `count` indices (when indexed) or vertices from `first`, `instances` times."""
        if count <= 0 or instances <= 0:
            return
        self.gl.draw_calls += 1
        if mode == GL.GL_TRIANGLES:
            self.gl.triangles += count // 3 * instances
        if not self.gl.draw_enabled:
            return
        GL.glBindVertexArray(self.name)
        if self._indexed:
            start = ctypes.c_void_p(first * self._index_size)
            if instances == 1:
                GL.glDrawElements(mode, count, self._index_type, start)
            else:
                GL.glDrawElementsInstanced(mode, count, self._index_type, start, instances)
        elif instances == 1:
            GL.glDrawArrays(mode, first, count)
        else:
            GL.glDrawArraysInstanced(mode, first, count, instances)

    def _delete(self) -> None:
        GL.glDeleteVertexArrays(1, np.array([self.name], np.uint32))
