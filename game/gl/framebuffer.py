"""Framebuffers: where drawing goes, resolving, and reading pixels back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from game.gl.api import GL
from game.gl.context import GLContext, GLObject
from game.gl.texture import Renderbuffer, Texture2D


class Framebuffer(GLObject):
    """A framebuffer with at most one colour and one depth attachment, which stay the caller's to release.

    Raises `ValueError` when sizes differ or the driver calls the combination incomplete.
    """

    def __init__(
        self,
        gl: GLContext,
        colour: Texture2D | Renderbuffer | None,
        depth: Texture2D | Renderbuffer | None = None,
    ) -> None:
        attached = [part for part in (colour, depth) if part is not None]
        if not attached:
            raise ValueError("a framebuffer needs a colour or a depth attachment; give one")
        if len({(part.width, part.height) for part in attached}) > 1:
            raise ValueError(
                f"attachments differ in size: {[(part.width, part.height) for part in attached]}"
            )
        super().__init__(gl, "framebuffer", int(GL.glGenFramebuffers(1)))
        self.width, self.height = attached[0].width, attached[0].height
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self.name)
        for part, point in ((colour, GL.GL_COLOR_ATTACHMENT0), (depth, GL.GL_DEPTH_ATTACHMENT)):
            if isinstance(part, Renderbuffer):
                GL.glFramebufferRenderbuffer(GL.GL_FRAMEBUFFER, point, GL.GL_RENDERBUFFER, part.name)
            elif part is not None:
                GL.glFramebufferTexture2D(GL.GL_FRAMEBUFFER, point, part.target, part.name, 0)
        if colour is None:
            GL.glDrawBuffer(GL.GL_NONE)
            GL.glReadBuffer(GL.GL_NONE)
        status = GL.glCheckFramebufferStatus(GL.GL_FRAMEBUFFER)
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, 0)
        if status != GL.GL_FRAMEBUFFER_COMPLETE:
            self.release()
            raise ValueError(f"the driver refuses this framebuffer (status {int(status):#x})")

    def bind(self) -> None:
        """Draw here, with the viewport over all of it."""
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self.name)
        GL.glViewport(0, 0, self.width, self.height)

    def resolve_to(self, target: Framebuffer, colour: bool = True, depth: bool = False) -> None:
        """Copy (and average samples of) the attachments into `target` of the same size."""
        mask = (GL.GL_COLOR_BUFFER_BIT if colour else 0) | (GL.GL_DEPTH_BUFFER_BIT if depth else 0)
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, self.name)
        GL.glBindFramebuffer(GL.GL_DRAW_FRAMEBUFFER, target.name)
        GL.glBlitFramebuffer(
            0, 0, self.width, self.height, 0, 0, target.width, target.height, mask, GL.GL_NEAREST
        )

    def blit_to_window(self, width: int, height: int) -> None:
        """Copy colour to the window's framebuffer of `width` × `height` pixels and leave that bound."""
        same = (width, height) == (self.width, self.height)
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, self.name)
        GL.glBindFramebuffer(GL.GL_DRAW_FRAMEBUFFER, 0)
        GL.glBlitFramebuffer(
            0, 0, self.width, self.height, 0, 0, width, height,
            GL.GL_COLOR_BUFFER_BIT, GL.GL_NEAREST if same else GL.GL_LINEAR,
        )  # fmt: skip
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, 0)
        GL.glViewport(0, 0, width, height)

    def read_rgb(self) -> NDArray[np.uint8]:
        """Colour as uint8 [height, width, 3], top row first. Only for single-sampled 8-bit colour."""
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, self.name)
        pixels = np.empty((self.height, self.width, 3), np.uint8)
        GL.glReadPixels(0, 0, self.width, self.height, GL.GL_RGB, GL.GL_UNSIGNED_BYTE, pixels)
        return np.ascontiguousarray(pixels[::-1])

    def _delete(self) -> None:
        GL.glDeleteFramebuffers(1, np.array([self.name], np.uint32))


def copy_texels(gl: GLContext, source: Texture2D, target: Texture2D) -> None:
    """Copy all texels of `source` into the first rows and columns of `target`, on the GPU.

    Both have the same renderable format; the framebuffer that is bound stays bound. Raises `ValueError` when the
    target is smaller or of another format.
    """
    if target.width < source.width or target.height < source.height or target.format != source.format:
        raise ValueError(
            f"{source.height} × {source.width} texels of {source.format.name} do not fit "
            f"{target.height} × {target.width} of {target.format.name}"
        )
    bound = int(GL.glGetIntegerv(GL.GL_DRAW_FRAMEBUFFER_BINDING))
    origin = Framebuffer(gl, source)
    GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, origin.name)
    GL.glBindTexture(target.target, target.name)
    GL.glCopyTexSubImage2D(target.target, 0, 0, 0, 0, 0, source.width, source.height)
    GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, bound)
    origin.release()
