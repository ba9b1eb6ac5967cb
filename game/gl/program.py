"""Shader programs: compile, link, set uniforms, with errors that name the file and line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from game.gl.api import GL
from game.gl.buffer import check_array
from game.gl.context import GLContext, GLObject
from game.gl.preprocess import ShaderSource


class ShaderError(Exception):
    """A shader does not compile or link; the message names file and line."""


def _text(log: bytes | str) -> str:
    return log.decode("utf-8", "replace") if isinstance(log, bytes) else str(log)


class Program(GLObject):
    """A linked program of one vertex and one fragment stage.

    Parameters
    ----------
    blocks : binding point of each uniform block.
    samplers : texture unit of each sampler; set once, because they never change.
    read : gives both stages anew, for `reload`; without it the program cannot follow its files.
    lenient : uniforms that are not there are passed over; an unfinished shader is no reason to stop.

    Raises `ShaderError` with the driver's log, and `ValueError` for a block or sampler that is not there.
    """

    def __init__(
        self,
        gl: GLContext,
        vertex: ShaderSource,
        fragment: ShaderSource,
        blocks: Mapping[str, int] | None = None,
        samplers: Mapping[str, int] | None = None,
        read: Callable[[], tuple[ShaderSource, ShaderSource]] | None = None,
        lenient: bool = False,
    ) -> None:
        super().__init__(gl, "program", int(GL.glCreateProgram()))
        self._blocks, self._samplers, self._read = dict(blocks or {}), dict(samplers or {}), read
        self._lenient = lenient
        self._values: dict[str, Any] = {}
        """What was set last: the same again is not sent, and a program that takes this one's place begins with it."""
        stages: list[int] = []
        try:
            for kind, source in ((GL.GL_VERTEX_SHADER, vertex), (GL.GL_FRAGMENT_SHADER, fragment)):
                shader = int(GL.glCreateShader(kind))
                stages.append(shader)
                GL.glShaderSource(shader, source.text)
                GL.glCompileShader(shader)
                if GL.glGetShaderiv(shader, GL.GL_COMPILE_STATUS) != GL.GL_TRUE:
                    raise ShaderError(
                        f"{source.files[0]} does not compile:\n"
                        + source.explain(_text(GL.glGetShaderInfoLog(shader)))
                    )
                GL.glAttachShader(self.name, shader)
            GL.glLinkProgram(self.name)
            if GL.glGetProgramiv(self.name, GL.GL_LINK_STATUS) != GL.GL_TRUE:
                log = _text(GL.glGetProgramInfoLog(self.name))
                raise ShaderError(f"{vertex.files[0]} and {fragment.files[0]} do not link:\n{log}")
            self.label = vertex.files[0]
            gl.shader_files.update((*vertex.files, *fragment.files))
            self._locations = self._active_uniforms()
            for block, binding in self._blocks.items():
                index = int(GL.glGetUniformBlockIndex(self.name, block.encode()))
                if index == GL.GL_INVALID_INDEX:
                    raise ValueError(f"{self.label} has no uniform block {block}")
                GL.glUniformBlockBinding(self.name, index, binding)
            GL.glUseProgram(self.name)
            for sampler, unit in self._samplers.items():
                self.set(sampler, unit)
            if read is not None:
                gl.reloadable[self.name] = self
        except BaseException:
            self.release()
            raise
        finally:
            for shader in stages:
                GL.glDeleteShader(shader)

    def _active_uniforms(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for index in range(int(GL.glGetProgramiv(self.name, GL.GL_ACTIVE_UNIFORMS))):
            name = _text(GL.glGetActiveUniform(self.name, index)[0]).rstrip("\0")
            location = int(GL.glGetUniformLocation(self.name, name.encode()))
            if location >= 0:
                found[name.removesuffix("[0]")] = location
        return found

    def _location(self, name: str) -> int:
        if name not in self._locations:
            raise ValueError(f"{self.label} has no uniform {name!r}; it has {sorted(self._locations)}")
        return self._locations[name]

    @property
    def uniforms(self) -> frozenset[str]:
        """Names of the plain uniforms the linker kept."""
        return frozenset(self._locations)

    def use(self) -> None:
        """Make it the current program."""
        GL.glUseProgram(self.name)

    def set(self, name: str, value: Any) -> None:
        """Set a plain uniform of the current program (call `use` first).

        `value`: int (also for samplers and bool), float, tuple of 2 to 4 of one of them, float32 [4, 4] matrix
        (row-major as numpy writes it) or float32 [n, 2…4] array. Raises `ValueError` for anything else.
        """
        if self._lenient and name not in self._locations:
            return
        location = self._location(name)
        plain = not isinstance(value, np.ndarray)
        if (
            plain
            and (was := self._values.get(name)) is not None
            and type(was) is type(value)
            and was == value
        ):
            return
        self._values[name] = value if plain else value.copy()
        if isinstance(value, (bool, int, np.integer)):
            GL.glUniform1i(location, int(value))
        elif isinstance(value, (float, np.floating)):
            GL.glUniform1f(location, float(value))
        elif isinstance(value, tuple) and 2 <= len(value) <= 4:
            whole = all(isinstance(part, (int, np.integer)) for part in value)
            setters = (
                (GL.glUniform2i, GL.glUniform3i, GL.glUniform4i)
                if whole
                else (GL.glUniform2f, GL.glUniform3f, GL.glUniform4f)
            )
            setters[len(value) - 2](location, *value)
        elif isinstance(value, np.ndarray):
            array = check_array(value, f"uniform {name}")
            if array.dtype != np.float32:
                raise ValueError(f"uniform {name} has dtype {array.dtype}; give float32")
            if array.shape == (4, 4):
                GL.glUniformMatrix4fv(location, 1, GL.GL_TRUE, array)
            elif array.ndim == 2 and 2 <= array.shape[1] <= 4:
                setters = (GL.glUniform2fv, GL.glUniform3fv, GL.glUniform4fv)
                setters[array.shape[1] - 2](location, array.shape[0], array)
            else:
                raise ValueError(f"uniform {name} has shape {array.shape}; give [4, 4] or [n, 2…4]")
        else:
            raise ValueError(f"uniform {name} = {value!r} is not accepted; give a number, tuple or array")

    def reload(self) -> None:
        """Compile the files as they are now and go on with that; uniforms keep their values.

        Raises as the constructor does, and `UsageError` when a file is gone; the old program then stays in use.
        """
        if self._read is None:
            raise ValueError(f"{self.label} was not made from files")
        vertex, fragment = self._read()
        with Program(self.gl, vertex, fragment, self._blocks, self._samplers, lenient=True) as made:
            for name, value in self._values.items():
                made.set(name, value)
            self._lenient = True
            self.gl.reloadable.pop(self.name)
            # The newcomer leaves with the old name.
            self.name, made.name = made.name, self.name
            self._locations = made._locations
            self.gl.reloadable[self.name] = self

    def release(self) -> None:
        """Free the GL object; harmless when called twice."""
        self.gl.reloadable.pop(self.name, None)
        super().release()

    def _delete(self) -> None:
        GL.glDeleteProgram(self.name)
