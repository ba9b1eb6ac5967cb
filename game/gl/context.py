"""The GL context as the game sees it: platform binding, version check, and the ledger of live objects.

Owns the counts of created and freed GL objects. Never creates a window (that is `host`), never draws.
This module imports OpenGL only inside `GLContext`, so that `bind_platform` can run before.
"""

from __future__ import annotations

import os
import re
import sys
from abc import ABC, abstractmethod
from collections import Counter
from types import TracebackType
from typing import Protocol, Self

from game.core.errors import UsageError

NEEDED = (3, 3)
"""Oldest OpenGL the shaders work with."""

MIN_ARRAY_LAYERS = 256
"""Array layers OpenGL 3.3 guarantees; the page arrays use all of them."""

_MAX_ANISOTROPY = 0x84FF
"""GL_MAX_TEXTURE_MAX_ANISOTROPY, core only from 4.6."""

_PLATFORMS = {
    "x11": "glx",
    "offscreen": "egl",
    "wayland": "egl",
    "kmsdrm": "egl",
}


def bind_platform(sdl_video_driver: str) -> str | None:
    """Point PyOpenGL at the binding SDL's real video driver uses. Call after the window exists.

    `sdl_video_driver` is what SDL reports (`pygame.display.get_driver()`), not what was asked for.
    A `PYOPENGL_PLATFORM` the user set is respected. Windows and macOS have one binding each, so their
    drivers set nothing. Returns the value in force, or None for PyOpenGL's own choice.

    Raises `UsageError` when OpenGL is already imported with another binding, which cannot be undone.
    """
    chosen = os.environ.get("PYOPENGL_PLATFORM")
    if chosen:
        return chosen
    wanted = _PLATFORMS.get(sdl_video_driver.lower())
    if wanted is None:
        return None
    if "OpenGL.platform" in sys.modules:
        from OpenGL import platform

        bound = type(platform.PLATFORM).__name__.lower()
        if not bound.startswith(wanted):
            raise UsageError(
                f"OpenGL is already bound to {bound} but the window uses {sdl_video_driver}, which needs "
                f"{wanted}; start again with PYOPENGL_PLATFORM={wanted}"
            )
    os.environ["PYOPENGL_PLATFORM"] = wanted
    return wanted


def check_version(version: str, renderer: str) -> tuple[int, int]:
    """(major, minor) of a GL_VERSION string. Raises `UsageError` when it is older than `NEEDED`."""
    match = re.search(r"(\d+)\.(\d+)", version)
    found = (int(match[1]), int(match[2])) if match else (0, 0)
    if found < NEEDED or "OpenGL ES" in version:
        raise UsageError(
            f"OpenGL {NEEDED[0]}.{NEEDED[1]} is needed but {version or 'no version'} was found on "
            f"{renderer or 'an unknown renderer'}; update the graphics driver, run on the machine itself "
            "instead of a remote desktop, or install Mesa's software renderer"
        )
    return found


def _check_binding() -> None:
    """Refuse a PyOpenGL bound to another window system than SDL's: some calls work there, others do not."""
    from OpenGL import platform

    if not platform.GetCurrentContext():
        chosen = os.environ.get("PYOPENGL_PLATFORM", "its own choice")
        raise UsageError(
            f"PyOpenGL is bound to {type(platform.PLATFORM).__name__} (PYOPENGL_PLATFORM={chosen}), which has no "
            "context for this window; unset PYOPENGL_PLATFORM"
        )


class Reloadable(Protocol):
    """What is made of files and can follow them."""

    def reload(self) -> None:
        """Make it anew; raises and stays as it was when that fails."""


class GLContext:
    """The current context and its ledger: how many GL objects were created and freed, by kind.

    Make one after the window. Raises `UsageError` when the context is older than OpenGL 3.3 or missing.
    """

    def __init__(self) -> None:
        from game.gl.api import GL

        try:
            raw = [GL.glGetString(what) for what in (GL.GL_VERSION, GL.GL_RENDERER, GL.GL_VENDOR)]
        except Exception as error:  # PyOpenGL raises a different class for each way to have no context
            raise UsageError(
                f"no OpenGL context answers ({type(error).__name__}); unset PYOPENGL_PLATFORM if it is set, "
                "or update the graphics driver"
            ) from error
        _check_binding()
        self.version, self.renderer, self.vendor = ((text or b"").decode("utf-8", "replace") for text in raw)
        self.version_pair = check_version(self.version, self.renderer)
        layers = int(GL.glGetIntegerv(GL.GL_MAX_ARRAY_TEXTURE_LAYERS))
        if layers < MIN_ARRAY_LAYERS:
            raise UsageError(
                f"{self.renderer} offers {layers} texture layers but {MIN_ARRAY_LAYERS} are needed; "
                "update the graphics driver"
            )
        self.max_samples = int(GL.glGetIntegerv(GL.GL_MAX_SAMPLES))
        names = {
            GL.glGetStringi(GL.GL_EXTENSIONS, index)
            for index in range(int(GL.glGetIntegerv(GL.GL_NUM_EXTENSIONS)))
        }
        self.max_anisotropy = 1.0
        if b"GL_EXT_texture_filter_anisotropic" in names or self.version_pair >= (4, 6):
            self.max_anisotropy = float(GL.glGetFloatv(_MAX_ANISOTROPY))
        self.has_debug_groups = b"GL_KHR_debug" in names or self.version_pair >= (4, 3)
        self.created: Counter[str] = Counter()
        self.freed: Counter[str] = Counter()
        self.shader_files: set[str] = set()
        """Files every linked program was made of."""
        self.reloadable: dict[int, Reloadable] = {}
        """Live programs that can be made anew from their files, by GL name."""
        self.released = False
        self.draw_enabled = True
        """When False everything is prepared and uploaded but no primitive is drawn (`--draw none`)."""
        self.draw_calls = 0
        self.triangles = 0
        """Draw calls and triangles since `reset_counts`, counted also when drawing is off."""
        # Rows of R8 and RGB8 need not be multiples of four bytes.
        GL.glPixelStorei(GL.GL_UNPACK_ALIGNMENT, 1)
        GL.glPixelStorei(GL.GL_PACK_ALIGNMENT, 1)

    @property
    def live(self) -> int:
        """GL objects created and not yet freed."""
        return self.created.total() - self.freed.total()

    def live_by_kind(self) -> dict[str, int]:
        """Live objects by kind, those with none left out."""
        counts = {kind: self.created[kind] - self.freed[kind] for kind in self.created}
        return {kind: count for kind, count in counts.items() if count}

    def reset_counts(self) -> None:
        """Start counting draw calls and triangles of a new frame."""
        self.draw_calls = self.triangles = 0

    def release(self) -> None:
        """End of the context: objects released later touch GL no more. `live` keeps telling what leaked."""
        self.released = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


class GLObject(ABC):
    """A GL object counted in the ledger; `release()` frees it once, a second call does nothing.

    Nothing happens in `__del__`: the collector may run on a worker thread, where GL calls are illegal.
    """

    def __init__(self, gl: GLContext, kind: str, name: int) -> None:
        if gl.released:
            raise ValueError(f"a {kind} cannot be made: its GL context is released")
        if name <= 0:
            raise ValueError(f"OpenGL gave no name for a {kind} (got {name}); is the context current?")
        self.gl = gl
        self.kind = kind
        self.name = int(name)
        gl.created[kind] += 1

    @abstractmethod
    def _delete(self) -> None:
        """Free `self.name` with the matching glDelete call."""

    @property
    def is_released(self) -> bool:
        """Whether `release()` has run."""
        return self.name == 0

    def release(self) -> None:
        """Free the GL object; harmless when called twice."""
        if self.name == 0:
            return
        if not self.gl.released:
            self._delete()
            self.gl.freed[self.kind] += 1
        self.name = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
