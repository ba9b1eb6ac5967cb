"""The window and its OpenGL 3.3 core context (pygame-ce over SDL 2).

Owns the one display surface: opening it, its size in pixels, full screen, swap. Never imports OpenGL:
the binding has to be told SDL's real driver first, and that is known only after `Window.open`.
Events are read by `inputs`, never here.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import sys

import pygame

from game.core.errors import UsageError

GL_NEEDED = (3, 3)

_OLDER = ((3, 2), (3, 1), (3, 0), (2, 1), (2, 0), (1, 4))
"""Versions tried after a refusal, only to tell the user what their machine has."""

_HEADLESS = ("offscreen", "dummy")
"""Drivers without a screen; SDL falls back to the first by itself where no display server answers."""


class NoDisplay(UsageError):
    """There is no screen to open a window on; the caller may go on offscreen."""


class Window:
    """An open window. Made by `Window.open`; `close()` may be called more than once."""

    def __init__(self, driver: str, title: str, vsync: bool, pixel_ratio: float) -> None:
        self.driver = driver
        """SDL's real video driver, e.g. "x11", "wayland", "windows", "cocoa", "offscreen"."""
        self.vsync = vsync
        """Whether the driver granted vertical sync; without it the frame loop paces itself."""
        self.pixel_ratio = pixel_ratio
        """Drawable pixels per window unit. pygame's display never asks SDL for a high-DPI drawable, so the
        two are equal everywhere and the system scales the picture; everything that mixes the two goes
        through this number all the same."""
        self.is_fullscreen = False
        self._title = title
        self._open = True

    @classmethod
    def open(
        cls,
        width: int,
        height: int,
        title: str = "Veloterra",
        fullscreen: bool = False,
        offscreen: bool = False,
        vsync: bool = True,
        pixel_ratio: float = 1.0,
    ) -> Window:
        """Open a window of `width` × `height` units with an OpenGL 3.3 core forward-compatible context.

        `offscreen` draws without a screen. Raises `NoDisplay` when there is none and `offscreen` was not
        asked for, `UsageError` when OpenGL is missing or too old.
        """
        if width < 1 or height < 1:
            raise ValueError(f"size {width}×{height} is not accepted; both sides are 1 pixel or more")
        if offscreen:
            os.environ["SDL_VIDEODRIVER"] = "offscreen"
        chosen = os.environ.get("SDL_VIDEODRIVER", "")
        if sys.platform == "linux" and not chosen and not _display_server():
            # SDL would try one driver after the other, with complaints of theirs on the terminal.
            raise NoDisplay("no screen was found; use --offscreen to ride without one")
        try:
            pygame.display.init()
        except pygame.error as error:
            raise NoDisplay(
                f"no screen was found (SDL: {error}); use --offscreen to ride without one"
            ) from None
        driver = pygame.display.get_driver()
        if driver in _HEADLESS and driver not in chosen:
            pygame.display.quit()
            raise NoDisplay("no screen was found; use --offscreen to ride without one")
        try:
            granted = _set_mode((width, height), vsync and driver not in _HEADLESS)
        except pygame.error as error:
            sentence = _refusal(str(error), driver)
            pygame.display.quit()
            raise UsageError(sentence) from None
        pygame.display.set_caption(title)  # after: a refused attempt forgets the title
        window = cls(driver, title, granted, pixel_ratio)
        if fullscreen:
            window.toggle_fullscreen()
        return window

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in window units, asked anew: no event can be missed."""
        return pygame.display.get_window_size()

    @property
    def drawable_size(self) -> tuple[int, int]:
        """Width and height in pixels, at least 1 × 1 (a minimised window reports 0)."""
        width, height = self.size
        return max(1, round(width * self.pixel_ratio)), max(1, round(height * self.pixel_ratio))

    def toggle_fullscreen(self) -> bool:
        """Switch between the window and the whole desktop; return whether it is full screen now.

        The context and all GL objects live on. Where the driver cannot (offscreen), nothing changes.
        """
        try:
            if pygame.display.toggle_fullscreen():
                self.is_fullscreen = not self.is_fullscreen
        except pygame.error:
            return self.is_fullscreen
        return self.is_fullscreen

    def swap(self) -> None:
        """Show what was drawn."""
        pygame.display.flip()

    def set_title(self, title: str) -> None:
        """Change the title; nothing is sent when it is the same."""
        if title != self._title:
            self._title = title
            pygame.display.set_caption(title)

    def close(self) -> None:
        """Destroy the window and its context. GL objects must have been released before."""
        if self._open:
            self._open = False
            pygame.display.quit()

    def __enter__(self) -> Window:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _display_server() -> bool:
    """Whether the environment names an X or Wayland server."""
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _request(version: tuple[int, int], modern: bool) -> None:
    """Tell SDL which context the next `set_mode` makes."""
    pygame.display.gl_set_attribute(pygame.GL_CONTEXT_MAJOR_VERSION, version[0])
    pygame.display.gl_set_attribute(pygame.GL_CONTEXT_MINOR_VERSION, version[1])
    pygame.display.gl_set_attribute(
        pygame.GL_CONTEXT_PROFILE_MASK, pygame.GL_CONTEXT_PROFILE_CORE if modern else 0
    )
    pygame.display.gl_set_attribute(
        pygame.GL_CONTEXT_FLAGS, pygame.GL_CONTEXT_FORWARD_COMPATIBLE_FLAG if modern else 0
    )
    pygame.display.gl_set_attribute(pygame.GL_DOUBLEBUFFER, 1)
    # The scene has its own framebuffer; the depth here is for programs that draw straight to the window.
    pygame.display.gl_set_attribute(pygame.GL_DEPTH_SIZE, 24)


def _set_mode(size: tuple[int, int], vsync: bool) -> bool:
    """Create window and context; return whether vsync was granted. Raises `pygame.error`."""
    _request(GL_NEEDED, modern=True)
    flags = pygame.OPENGL | pygame.DOUBLEBUF | pygame.RESIZABLE
    if vsync:
        try:
            pygame.display.set_mode(size, flags, vsync=1)
            return True
        except pygame.error:
            pass  # refused where the driver has no vsync (virtual screens): a window without it will do
    pygame.display.set_mode(size, flags)
    return False


def _refusal(error: str, driver: str) -> str:
    """One sentence: what was needed, what the machine has, and what to do."""
    lowered = error.lower()
    if "librar" in lowered or "failed loading" in lowered or ".so" in lowered or ".dll" in lowered:
        package = " (on Debian and Ubuntu: apt install libgl1 libegl1)" if sys.platform == "linux" else ""
        return (
            f"the OpenGL library could not be loaded ({error}); install the graphics driver or Mesa{package}"
        )
    if driver == "dummy":
        return "SDL_VIDEODRIVER=dummy cannot draw with OpenGL; unset it, or use --offscreen to ride without a screen"
    needed = ".".join(map(str, GL_NEEDED))
    found = "no OpenGL at all"
    for version in _OLDER:
        _request(version, modern=False)
        try:
            pygame.display.set_mode((64, 64), pygame.OPENGL | pygame.DOUBLEBUF | pygame.HIDDEN)
        except pygame.error:
            continue
        found = f"OpenGL {_describe(version)}"
        break
    return (
        f"OpenGL {needed} core is needed and this machine offers {found} through the {driver} driver "
        f"({error}); update the graphics driver, or use Mesa's software renderer "
        "(LIBGL_ALWAYS_SOFTWARE=1)"
    )


def _describe(version: tuple[int, int]) -> str:
    """Version and renderer of the current context, read without the OpenGL binding."""
    plain = ".".join(map(str, version))
    names = {"win32": "opengl32", "darwin": "OpenGL"}
    path = ctypes.util.find_library(names.get(sys.platform, "GL"))
    if path is None:
        return plain
    try:
        get_string = ctypes.CDLL(path).glGetString
        get_string.restype, get_string.argtypes = ctypes.c_char_p, [ctypes.c_uint]
        renderer, full = get_string(0x1F01), get_string(0x1F02)  # GL_RENDERER, GL_VERSION
    except (OSError, AttributeError):
        return plain
    if not renderer or not full:
        return plain
    return f"{full.decode(errors='replace')} on {renderer.decode(errors='replace')}"
