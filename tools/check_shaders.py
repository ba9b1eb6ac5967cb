"""Compile and link every shader in every variant on this machine's driver.

`python tools/check_shaders.py` prints each failure with file and line and exits 1; 0 when all is well.
Needs no screen: without one it uses SDL's offscreen driver.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from game.core.paths import resource

if TYPE_CHECKING:
    from game.gl.context import GLContext

VARIANTS: Mapping[str, tuple[Mapping[str, int], ...]] = {
    "terrain": ({"DETAIL": 0}, {"DETAIL": 1}),
    "post": ({"SMOOTH_EDGES": 0}, {"SMOOTH_EDGES": 1}),
}
"""Definitions the passes compile a program with; programs not named here have one variant."""


def programs() -> Iterator[tuple[str, str, Mapping[str, int]]]:
    """(fragment name, vertex name, defines) of every program in shaders/."""
    folder = resource("shaders")
    for path in sorted(folder.glob("*.frag")):
        name = path.stem
        vertex = name if (folder / f"{name}.vert").exists() else "fullscreen"
        for defines in VARIANTS.get(name, ({},)):
            yield name, vertex, defines


def failures(gl: GLContext) -> list[str]:
    """One message per program that does not compile or link."""
    from game.gl.program import ShaderError
    from game.render.uniforms import load_program

    found: list[str] = []
    for name, vertex, defines in programs():
        try:
            load_program(gl, name, defines, vertex_name=vertex).release()
        except (ShaderError, ValueError) as error:
            found.append(f"{name} {dict(defines)}: {error}")
    return found


def main() -> int:
    """Check all programs; return the exit code."""
    import pygame

    from game.gl.context import GLContext, bind_platform

    opened = not pygame.display.get_init() or pygame.display.get_surface() is None
    if opened:
        if not any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")):
            os.environ["SDL_VIDEODRIVER"] = "offscreen"
        pygame.display.init()
        pygame.display.gl_set_attribute(pygame.GL_CONTEXT_MAJOR_VERSION, 3)
        pygame.display.gl_set_attribute(pygame.GL_CONTEXT_MINOR_VERSION, 3)
        pygame.display.gl_set_attribute(pygame.GL_CONTEXT_PROFILE_MASK, pygame.GL_CONTEXT_PROFILE_CORE)
        pygame.display.set_mode((64, 64), pygame.OPENGL | pygame.HIDDEN)
        bind_platform(pygame.display.get_driver())
    with GLContext() as gl:
        found = failures(gl)
        for message in found:
            print(message, file=sys.stderr)
        print(f"{sum(1 for _ in programs())} programs, {len(found)} failures on {gl.renderer}, {gl.version}")
    if opened:
        pygame.display.quit()
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
