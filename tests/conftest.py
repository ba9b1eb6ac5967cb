"""Fixtures shared by the tests: a real OpenGL context without a screen."""

from __future__ import annotations

import os

# Before the first `import OpenGL` anywhere in the test process.
os.environ.setdefault("VELOTERRA_GL_CHECK", "1")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")

from collections.abc import Iterator
from typing import TYPE_CHECKING

import hypothesis
import pytest

# The same examples everywhere and every time; VELOTERRA_TEST_RANDOM=1 looks for new ones.
hypothesis.settings.register_profile("fixed", derandomize=True, deadline=None)
hypothesis.settings.register_profile("random", deadline=None)
hypothesis.settings.load_profile("random" if os.environ.get("VELOTERRA_TEST_RANDOM") else "fixed")

if TYPE_CHECKING:
    from game.gl.context import GLContext


@pytest.fixture(scope="session")
def gl_window() -> Iterator[None]:
    """One offscreen window with a 3.3 core context for the whole test process."""
    os.environ.setdefault("SDL_VIDEODRIVER", "offscreen")
    import pygame

    from game.gl.context import bind_platform

    try:
        pygame.display.init()
        for attribute, value in (
            (pygame.GL_CONTEXT_MAJOR_VERSION, 3),
            (pygame.GL_CONTEXT_MINOR_VERSION, 3),
            (pygame.GL_CONTEXT_PROFILE_MASK, pygame.GL_CONTEXT_PROFILE_CORE),
        ):
            pygame.display.gl_set_attribute(attribute, value)
        pygame.display.set_mode((64, 64), pygame.OPENGL | pygame.DOUBLEBUF)
    except pygame.error as error:
        pytest.skip(f"no OpenGL context here: {error}")
    bind_platform(pygame.display.get_driver())
    yield
    pygame.display.quit()


@pytest.fixture
def gl_context(gl_window: None) -> Iterator[GLContext]:
    """A fresh ledger over the session's context; the test must leave it at zero live objects."""
    from game.gl.context import GLContext

    context = GLContext()
    yield context
    live = context.live_by_kind()
    context.release()
    assert not live, f"GL objects left alive: {live}"
