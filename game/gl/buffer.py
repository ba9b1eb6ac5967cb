"""GL buffers: vertices, indices, instances, uniform blocks. Bytes in from numpy, never out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from game.gl.api import GL
from game.gl.context import GLContext, GLObject

_REFUSED = (np.float64, np.int64, np.uint64, np.float16)


def check_array(data: NDArray[Any], what: str) -> NDArray[Any]:
    """Return `data` when it may go to GL as it is, else raise `ValueError`.

    Refused: anything but an ndarray, float64/int64/uint64 (numpy's defaults; GL would read wrong numbers from
    them without an error), float16, object arrays and arrays that are not C-contiguous, because PyOpenGL
    would copy them behind our back.
    """
    if not isinstance(data, np.ndarray):
        raise ValueError(f"{what} is a {type(data).__name__}; give a numpy array")
    fields = data.dtype.fields
    kinds = [field[0].base for field in fields.values()] if fields else [data.dtype]
    for kind in kinds:
        if kind.type in _REFUSED or kind.hasobject:
            raise ValueError(f"{what} holds {kind}; give float32 or integers of up to 32 bits")
    if not data.flags.c_contiguous:
        raise ValueError(f"{what} of shape {data.shape} is not C-contiguous; give a contiguous array")
    return data


class Buffer(GLObject):
    """A GL buffer object.

    Parameters
    ----------
    data : array of the contents, or the size in bytes to reserve.
    target : GL_ARRAY_BUFFER (default), GL_ELEMENT_ARRAY_BUFFER or GL_UNIFORM_BUFFER.
    dynamic : whether it is rewritten often.
    """

    def __init__(
        self,
        gl: GLContext,
        data: NDArray[Any] | int,
        target: int = GL.GL_ARRAY_BUFFER,
        dynamic: bool = False,
    ) -> None:
        if isinstance(data, int):
            if data <= 0:
                raise ValueError(f"buffer size {data} is not accepted; give 1 byte or more")
            array: NDArray[Any] = np.zeros(data, np.uint8)
        else:
            array = check_array(data, "buffer data")
            if array.nbytes == 0:
                raise ValueError("buffer data is empty; give at least one element or a size to reserve")
        super().__init__(gl, "buffer", int(GL.glGenBuffers(1)))
        self.target = int(target)
        self.size = array.nbytes
        self._usage = GL.GL_DYNAMIC_DRAW if dynamic else GL.GL_STATIC_DRAW
        if self.target == GL.GL_ELEMENT_ARRAY_BUFFER:
            # Binding an element buffer changes the vertex array that happens to be bound.
            GL.glBindVertexArray(0)
        GL.glBindBuffer(self.target, self.name)
        GL.glBufferData(self.target, self.size, array, self._usage)

    def bind(self) -> None:
        """Bind to the buffer's target."""
        GL.glBindBuffer(self.target, self.name)

    def bind_base(self, binding: int) -> None:
        """Bind the whole buffer to an indexed binding point (uniform blocks)."""
        GL.glBindBufferBase(self.target, binding, self.name)

    def write(self, data: NDArray[Any], offset: int = 0) -> None:
        """Overwrite bytes from `offset`. Raises `ValueError` when they do not fit."""
        array = check_array(data, "buffer data")
        if offset < 0 or offset + array.nbytes > self.size:
            raise ValueError(
                f"{array.nbytes} bytes at {offset} do not fit a buffer of {self.size} bytes; use replace()"
            )
        if array.nbytes == 0:
            return
        GL.glBindBuffer(self.target, self.name)
        GL.glBufferSubData(self.target, offset, array.nbytes, array)

    def replace(self, data: NDArray[Any]) -> None:
        """New contents, growing when needed. The old storage is orphaned, so the driver need not wait for it."""
        array = check_array(data, "buffer data")
        if array.nbytes == 0:
            return
        GL.glBindBuffer(self.target, self.name)
        if array.nbytes > self.size:
            self.size = array.nbytes
            GL.glBufferData(self.target, self.size, array, self._usage)
        else:
            GL.glBufferData(self.target, self.size, None, self._usage)
            GL.glBufferSubData(self.target, 0, array.nbytes, array)

    def _delete(self) -> None:
        GL.glDeleteBuffers(1, np.array([self.name], np.uint32))
