"""Every shipped shader compiles on this driver."""

from __future__ import annotations

import pytest

from game.gl.context import GLContext

pytestmark = pytest.mark.gl


def test_every_program_compiles(gl_context: GLContext) -> None:
    from tools.check_shaders import failures, main, programs

    assert {name for name, _, _ in programs()} >= {"terrain", "sky", "water", "post"}
    assert failures(gl_context) == []
    assert main() == 0
