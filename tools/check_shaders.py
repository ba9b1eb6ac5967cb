"""Compile and link every shader as the presets use it, on this machine's driver.

`python tools/check_shaders.py` makes a renderer of each preset with multisampling and without, prints each failure with
file and line, names shader files no pass uses, and exits 1; 0 when all is well. Without a screen it uses SDL's
offscreen driver.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from game.core.paths import resource
from game.core.settings import PRESETS

if TYPE_CHECKING:
    from game.gl.context import GLContext


def shipped() -> set[str]:
    """Names of all shader files, as the preprocessor names them."""
    folder = resource("shaders")
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def failures(gl: GLContext) -> list[str]:
    """One message per preset and sampling whose renderer cannot be made, and per shader file that nothing uses."""
    from game.gl.program import ShaderError
    from game.render.renderer import Renderer

    found: list[str] = []
    for preset in PRESETS.values():
        # Each with multisampling and without: edges are smoothed by another shader then.
        for samples in (0, max(2, preset.msaa)):
            try:
                Renderer(gl, replace(preset, msaa=samples), 16, 16).release()
            except (ShaderError, ValueError) as error:
                found.append(f"preset {preset.name} with {samples} samples: {error}")
    if not found:
        found = [f"shaders/{name} is used by no pass" for name in sorted(shipped() - gl.shader_files)]
    return found


def main() -> int:
    """Check all presets; return the exit code."""
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
        print(f"{len(shipped())} shader files, {len(found)} failures on {gl.renderer}, {gl.version}")
    if opened:
        pygame.display.quit()
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
