"""Every shipped shader compiles on this driver, in every variant the presets use."""

from __future__ import annotations

import pytest

from game.gl.context import GLContext

pytestmark = pytest.mark.gl


def test_every_program_compiles(gl_context: GLContext) -> None:
    from tools.check_shaders import failures, main, shipped

    assert {"terrain.vert", "sky.frag", "water.frag", "post.frag", "include/morph.glsl"} <= shipped()
    assert failures(gl_context) == []
    assert main() == 0
