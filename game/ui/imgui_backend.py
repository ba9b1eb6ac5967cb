"""imgui-bundle's OpenGL backend, made to fit this program.

Import only after the window exists (it imports OpenGL through `gl.api`, whose switches come first).
Differences from the backend it extends: it asks GL for next to nothing (a query can stall a threaded
driver, and the stock one asks for state that core profiles no longer have), and it deletes its objects
with arrays, which PyOpenGL's `ERROR_ON_COPY` demands.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from imgui_bundle import imgui

from game.gl.api import GL

# After gl.api: this module imports OpenGL by itself.
from imgui_bundle.python_backends.opengl_backend_programmable import (  # isort: skip
    ProgrammablePipelineRenderer,
)

_INDEX_TYPE = GL.GL_UNSIGNED_SHORT if imgui.INDEX_SIZE == 2 else GL.GL_UNSIGNED_INT


class Backend(ProgrammablePipelineRenderer):
    """GL objects and drawing of one imgui context."""

    def render(self, draw_data: imgui.ImDrawData) -> None:
        """Draw into the bound framebuffer, over its whole size.

        Leaves blending and scissor off and nothing bound; depth test and culling as they were.
        """
        self._update_textures()
        width, height = (int(side) for side in draw_data.display_size)
        if width <= 0 or height <= 0:
            return
        depth, cull = GL.glIsEnabled(GL.GL_DEPTH_TEST), GL.glIsEnabled(GL.GL_CULL_FACE)
        GL.glEnable(GL.GL_BLEND)
        GL.glBlendEquation(GL.GL_FUNC_ADD)
        # Opacity adds up too, so that a framebuffer with alpha stays opaque where it was.
        GL.glBlendFuncSeparate(
            GL.GL_SRC_ALPHA, GL.GL_ONE_MINUS_SRC_ALPHA, GL.GL_ONE, GL.GL_ONE_MINUS_SRC_ALPHA
        )
        GL.glDisable(GL.GL_CULL_FACE)
        GL.glDisable(GL.GL_DEPTH_TEST)
        GL.glEnable(GL.GL_SCISSOR_TEST)
        GL.glViewport(0, 0, width, height)
        GL.glUseProgram(self._shader_handle)
        GL.glUniform1i(self._attrib_location_tex, 0)
        GL.glUniformMatrix4fv(self._attrib_proj_mtx, 1, GL.GL_FALSE, _pixels_to_clip(width, height))
        GL.glActiveTexture(GL.GL_TEXTURE0)
        GL.glBindVertexArray(self._vao_handle)
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self._vbo_handle)
        GL.glBindBuffer(GL.GL_ELEMENT_ARRAY_BUFFER, self._elements_handle)
        for commands in draw_data.cmd_lists:
            self._draw_list(commands, height)
        GL.glBindVertexArray(0)
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, 0)
        GL.glBindTexture(GL.GL_TEXTURE_2D, 0)
        GL.glUseProgram(0)
        GL.glDisable(GL.GL_BLEND)
        GL.glDisable(GL.GL_SCISSOR_TEST)
        if depth:
            GL.glEnable(GL.GL_DEPTH_TEST)
        if cull:
            GL.glEnable(GL.GL_CULL_FACE)

    def _draw_list(self, commands: Any, height: int) -> None:
        GL.glBufferData(
            GL.GL_ARRAY_BUFFER,
            commands.vtx_buffer.size() * imgui.VERTEX_SIZE,
            ctypes.c_void_p(commands.vtx_buffer.data_address()),
            GL.GL_STREAM_DRAW,
        )
        GL.glBufferData(
            GL.GL_ELEMENT_ARRAY_BUFFER,
            commands.idx_buffer.size() * imgui.INDEX_SIZE,
            ctypes.c_void_p(commands.idx_buffer.data_address()),
            GL.GL_STREAM_DRAW,
        )
        bound = -1
        for command in commands.cmd_buffer:
            left, top, right, bottom = (int(edge) for edge in command.clip_rect)
            if right <= left or bottom <= top or command.elem_count == 0:
                continue  # a scissor of negative size is a GL error
            texture = command.tex_ref.get_tex_id()
            if texture != bound:
                GL.glBindTexture(GL.GL_TEXTURE_2D, texture)
                bound = texture
            GL.glScissor(left, height - bottom, right - left, bottom - top)
            GL.glDrawElements(
                GL.GL_TRIANGLES,
                command.elem_count,
                _INDEX_TYPE,
                ctypes.c_void_p(command.idx_offset * imgui.INDEX_SIZE),
            )

    def _update_texture(self, texture: imgui.ImTextureData) -> None:
        if texture.status != imgui.ImTextureStatus.want_destroy:
            super()._update_texture(texture)
            return
        GL.glDeleteTextures(1, np.array([texture.tex_id], np.uint32))
        texture.set_tex_id(0)
        texture.status = imgui.ImTextureStatus.destroyed

    def _invalidate_device_objects(self) -> None:
        GL.glDeleteVertexArrays(1, np.array([self._vao_handle], np.uint32))
        GL.glDeleteBuffers(2, np.array([self._vbo_handle, self._elements_handle], np.uint32))
        # After a lost context the names mean nothing: GL ignores all of them but the program's.
        if GL.glIsProgram(self._shader_handle):
            GL.glDeleteProgram(self._shader_handle)
        self._vao_handle = self._vbo_handle = self._elements_handle = self._shader_handle = 0


def _pixels_to_clip(width: int, height: int) -> np.ndarray:
    """Column-major matrix from pixels (y down) to clip space, float32 [16]."""
    matrix = np.zeros((4, 4), np.float32)
    matrix[0, 0], matrix[1, 1], matrix[2, 2] = 2.0 / width, -2.0 / height, -1.0
    matrix[3] = (-1.0, 1.0, 0.0, 1.0)
    return matrix.reshape(16)
