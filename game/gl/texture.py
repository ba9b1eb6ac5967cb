"""Textures: plain 2D and 2D arrays, with checked uploads."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from game.gl.api import GL, send_box, send_rectangle
from game.gl.buffer import check_array
from game.gl.context import GLContext, GLObject

Box = tuple[int, int, int, int]
"""Rows j0…j1 and columns i0…i1 of a layer, half open."""


@dataclass(frozen=True, slots=True)
class TextureFormat:
    """How texels are stored and what numpy arrays may be written to them."""

    name: str
    internal: int
    layout: int
    element: int
    components: int
    dtype: type[np.generic]


R8 = TextureFormat("R8", GL.GL_R8, GL.GL_RED, GL.GL_UNSIGNED_BYTE, 1, np.uint8)
RG8 = TextureFormat("RG8", GL.GL_RG8, GL.GL_RG, GL.GL_UNSIGNED_BYTE, 2, np.uint8)
RGBA8 = TextureFormat("RGBA8", GL.GL_RGBA8, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE, 4, np.uint8)
SRGB8_A8 = TextureFormat("SRGB8_A8", GL.GL_SRGB8_ALPHA8, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE, 4, np.uint8)
R32F = TextureFormat("R32F", GL.GL_R32F, GL.GL_RED, GL.GL_FLOAT, 1, np.float32)
RG32F = TextureFormat("RG32F", GL.GL_RG32F, GL.GL_RG, GL.GL_FLOAT, 2, np.float32)
RGBA16F = TextureFormat("RGBA16F", GL.GL_RGBA16F, GL.GL_RGBA, GL.GL_FLOAT, 4, np.float32)
RGBA32F = TextureFormat("RGBA32F", GL.GL_RGBA32F, GL.GL_RGBA, GL.GL_FLOAT, 4, np.float32)
DEPTH32F = TextureFormat(
    "DEPTH32F", GL.GL_DEPTH_COMPONENT32F, GL.GL_DEPTH_COMPONENT, GL.GL_FLOAT, 1, np.float32
)


@dataclass(frozen=True, slots=True)
class Sampling:
    """Filter and wrap of a texture; `anisotropy` above 1 is used where the driver has it."""

    linear: bool = True
    repeat: bool = False
    mipmaps: bool = False
    anisotropy: float = 1.0


NEAREST = Sampling(linear=False)
LINEAR = Sampling()
TILED = Sampling(repeat=True, mipmaps=True)


_ANISOTROPY = 0x84FE  # GL_TEXTURE_MAX_ANISOTROPY, core only from 4.6


def _apply(gl: GLContext, target: int, sampling: Sampling) -> None:
    anisotropy = min(sampling.anisotropy, gl.max_anisotropy)
    if anisotropy > 1.0:
        GL.glTexParameterf(target, _ANISOTROPY, anisotropy)
    if sampling.mipmaps:
        least = GL.GL_LINEAR_MIPMAP_LINEAR if sampling.linear else GL.GL_NEAREST_MIPMAP_NEAREST
    else:
        least = GL.GL_LINEAR if sampling.linear else GL.GL_NEAREST
        GL.glTexParameteri(target, GL.GL_TEXTURE_MAX_LEVEL, 0)
    wrap = GL.GL_REPEAT if sampling.repeat else GL.GL_CLAMP_TO_EDGE
    GL.glTexParameteri(target, GL.GL_TEXTURE_MIN_FILTER, least)
    GL.glTexParameteri(target, GL.GL_TEXTURE_MAG_FILTER, GL.GL_LINEAR if sampling.linear else GL.GL_NEAREST)
    GL.glTexParameteri(target, GL.GL_TEXTURE_WRAP_S, wrap)
    GL.glTexParameteri(target, GL.GL_TEXTURE_WRAP_T, wrap)


def _check_size(**sides: int) -> None:
    for side, value in sides.items():
        if value < 1:
            raise ValueError(f"texture {side} = {value} is not accepted; give 1 or more")


def _check_texels(data: NDArray[Any], kind: TextureFormat) -> NDArray[Any]:
    """`data` as rows × columns × components, or `ValueError`."""
    array = check_array(data, f"{kind.name} texels")
    if array.dtype != kind.dtype:
        raise ValueError(f"{kind.name} texels have dtype {array.dtype}; give {np.dtype(kind.dtype)}")
    shape = array.shape if array.ndim == 3 else (*array.shape, 1)
    if len(shape) != 3 or shape[2] != kind.components:
        raise ValueError(
            f"{kind.name} texels have shape {array.shape}; give rows × columns × {kind.components}"
        )
    return array


class Texture2D(GLObject):
    """A 2D texture, empty or from `data` (rows × columns × components, first row at v = 0).

    `levels` ends the mipmaps early; without it there are all, where `sampling` has them.
    """

    target = GL.GL_TEXTURE_2D

    def __init__(
        self,
        gl: GLContext,
        width: int,
        height: int,
        kind: TextureFormat,
        data: NDArray[Any] | None = None,
        sampling: Sampling = LINEAR,
        levels: int | None = None,
    ) -> None:
        _check_size(width=width, height=height)
        if data is not None:
            data = _check_texels(data, kind)
            if data.shape[:2] != (height, width):
                raise ValueError(f"texels of shape {data.shape} do not fill {height} rows × {width} columns")
        super().__init__(gl, "texture", int(GL.glGenTextures(1)))
        self.width, self.height, self.format = width, height, kind
        GL.glBindTexture(self.target, self.name)
        _apply(gl, self.target, sampling)
        GL.glTexImage2D(self.target, 0, kind.internal, width, height, 0, kind.layout, kind.element, data)
        if sampling.mipmaps:
            if levels is not None:
                GL.glTexParameteri(self.target, GL.GL_TEXTURE_MAX_LEVEL, levels - 1)
            GL.glGenerateMipmap(self.target)

    def bind(self, unit: int) -> None:
        """Bind to texture unit `unit`."""
        GL.glActiveTexture(GL.GL_TEXTURE0 + unit)
        GL.glBindTexture(self.target, self.name)

    def write_box(self, level: int, texels: NDArray[Any], box: Box) -> None:
        """Overwrite a box of a mip level with that of the whole level's contiguous `texels`.

        Nothing is copied here: the driver reads the box out of the array. Raises `ValueError` for another shape or
        dtype, or a box that leaves the level.
        """
        j0, j1, i0, i1 = box
        kind = self.format
        rows, columns = self.height >> level, self.width >> level
        if (
            texels.shape != (rows, columns, kind.components)
            or texels.dtype != kind.dtype
            or not texels.flags.c_contiguous
        ):
            raise ValueError(
                f"{kind.name} texels have shape {texels.shape} and dtype {texels.dtype}; "
                f"give contiguous {(rows, columns, kind.components)}"
            )
        if not (0 <= j0 < j1 <= rows and 0 <= i0 < i1 <= columns):
            raise ValueError(f"box rows {j0}:{j1}, columns {i0}:{i1} is not inside {rows} × {columns}")
        texel = kind.components * texels.itemsize
        start = ctypes.c_void_p(texels.ctypes.data + (j0 * columns + i0) * texel)
        GL.glBindTexture(self.target, self.name)
        GL.glPixelStorei(GL.GL_UNPACK_ALIGNMENT, 1)
        GL.glPixelStorei(GL.GL_UNPACK_ROW_LENGTH, columns)
        send_rectangle(self.target, level, i0, j0, i1 - i0, j1 - j0, kind.layout, kind.element, start)
        GL.glPixelStorei(GL.GL_UNPACK_ROW_LENGTH, 0)
        GL.glPixelStorei(GL.GL_UNPACK_ALIGNMENT, 4)

    def write(self, data: NDArray[Any], x: int = 0, y: int = 0) -> None:
        """Overwrite a box of texels from column `x`, row `y`. Raises `ValueError` when it does not fit."""
        array = _check_texels(data, self.format)
        rows, columns = array.shape[:2]
        if x < 0 or y < 0 or x + columns > self.width or y + rows > self.height:
            raise ValueError(
                f"{rows} × {columns} texels at row {y}, column {x} do not fit {self.height} × {self.width}"
            )
        GL.glBindTexture(self.target, self.name)
        GL.glTexSubImage2D(
            self.target, 0, x, y, columns, rows, self.format.layout, self.format.element, array
        )

    def _delete(self) -> None:
        GL.glDeleteTextures(1, np.array([self.name], np.uint32))


class Texture2DArray(GLObject):
    """`layers` textures of one size; read in shaders with texelFetch or with the layer as third coordinate."""

    target = GL.GL_TEXTURE_2D_ARRAY

    def __init__(
        self,
        gl: GLContext,
        width: int,
        height: int,
        layers: int,
        kind: TextureFormat,
        sampling: Sampling = NEAREST,
    ) -> None:
        _check_size(width=width, height=height, layers=layers)
        super().__init__(gl, "texture", int(GL.glGenTextures(1)))
        self.width, self.height, self.layers, self.format = width, height, layers, kind
        GL.glBindTexture(self.target, self.name)
        _apply(gl, self.target, sampling)
        GL.glTexImage3D(
            self.target, 0, kind.internal, width, height, layers, 0, kind.layout, kind.element, None
        )

    def bind(self, unit: int) -> None:
        """Bind to texture unit `unit`."""
        GL.glActiveTexture(GL.GL_TEXTURE0 + unit)
        GL.glBindTexture(self.target, self.name)

    def write(self, layer: int, data: NDArray[Any], x: int = 0, y: int = 0) -> None:
        """Overwrite a box of texels of one layer. Raises `ValueError` when it does not fit."""
        array = _check_texels(data, self.format)
        rows, columns = array.shape[:2]
        if not 0 <= layer < self.layers:
            raise ValueError(f"layer {layer} is not accepted; give 0 to {self.layers - 1}")
        if x < 0 or y < 0 or x + columns > self.width or y + rows > self.height:
            raise ValueError(
                f"{rows} × {columns} texels at row {y}, column {x} do not fit {self.height} × {self.width}"
            )
        GL.glBindTexture(self.target, self.name)
        GL.glTexSubImage3D(
            self.target, 0, x, y, layer, columns, rows, 1, self.format.layout, self.format.element, array
        )

    def write_boxes(self, pieces: Iterable[tuple[int, NDArray[Any], Box]]) -> int:
        """Overwrite boxes (j0, j1, i0, i1) of layers with the same boxes of whole layers' texels; bytes sent.

        Each array is contiguous [height, width, components]. The driver reads the box out of it by itself: nothing is
        copied here, and many small boxes cost a quarter of as many calls of `write`.
        Raises `ValueError` for another layer, shape or dtype, or a box that leaves the layer.
        """
        kind, sent = self.format, 0
        shape = (self.height, self.width, kind.components)
        texel = kind.components * np.dtype(kind.dtype).itemsize
        GL.glBindTexture(self.target, self.name)
        GL.glPixelStorei(GL.GL_UNPACK_ALIGNMENT, 1)
        GL.glPixelStorei(GL.GL_UNPACK_ROW_LENGTH, self.width)
        try:
            for layer, texels, (j0, j1, i0, i1) in pieces:
                if texels.shape != shape or texels.dtype != kind.dtype or not texels.flags.c_contiguous:
                    raise ValueError(
                        f"{kind.name} texels have shape {texels.shape} and dtype {texels.dtype}; "
                        f"give contiguous {shape}"
                    )
                if not (
                    0 <= layer < self.layers and 0 <= j0 < j1 <= self.height and 0 <= i0 < i1 <= self.width
                ):
                    raise ValueError(
                        f"box rows {j0}:{j1}, columns {i0}:{i1} of layer {layer} is not inside "
                        f"{self.height} × {self.width} × {self.layers}"
                    )
                rows, columns = j1 - j0, i1 - i0
                start = ctypes.c_void_p(texels.ctypes.data + (j0 * self.width + i0) * texel)
                send_box(self.target, 0, i0, j0, layer, columns, rows, 1, kind.layout, kind.element, start)
                sent += rows * columns * texel
        finally:
            GL.glPixelStorei(GL.GL_UNPACK_ROW_LENGTH, 0)
            GL.glPixelStorei(GL.GL_UNPACK_ALIGNMENT, 4)
        return sent

    def _delete(self) -> None:
        GL.glDeleteTextures(1, np.array([self.name], np.uint32))


class Renderbuffer(GLObject):
    """Multisampled storage that is only drawn to and resolved."""

    def __init__(self, gl: GLContext, width: int, height: int, kind: TextureFormat, samples: int) -> None:
        _check_size(width=width, height=height)
        super().__init__(gl, "renderbuffer", int(GL.glGenRenderbuffers(1)))
        self.width, self.height, self.format = width, height, kind
        self.samples = max(0, min(samples, gl.max_samples))
        GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, self.name)
        GL.glRenderbufferStorageMultisample(GL.GL_RENDERBUFFER, self.samples, kind.internal, width, height)

    def _delete(self) -> None:
        GL.glDeleteRenderbuffers(1, np.array([self.name], np.uint32))
