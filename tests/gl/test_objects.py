"""The ledger, idempotent release, and what the wrappers refuse."""

from __future__ import annotations

import numpy as np
import pytest

from game.core.errors import UsageError
from game.gl.context import GLContext, bind_platform, check_version

pytestmark = pytest.mark.gl


def test_release_is_idempotent_and_counted(gl_context: GLContext) -> None:
    from game.gl.buffer import Buffer

    buffer = Buffer(gl_context, np.zeros(4, np.float32))
    assert gl_context.live == 1
    assert gl_context.live_by_kind() == {"buffer": 1}
    buffer.release()
    buffer.release()
    assert gl_context.live == 0
    assert buffer.is_released
    with Buffer(gl_context, 16):
        assert gl_context.live == 1
    assert gl_context.live == 0


@pytest.mark.parametrize("kind", [np.float64, np.int64, np.uint64, np.float16])
def test_buffer_refuses_what_gl_would_misread(gl_context: GLContext, kind: type) -> None:
    from game.gl.buffer import Buffer

    with pytest.raises(ValueError, match=np.dtype(kind).name):
        Buffer(gl_context, np.zeros(4, kind))


def test_buffer_refuses_strides_and_overflow(gl_context: GLContext) -> None:
    from game.gl.buffer import Buffer

    with pytest.raises(ValueError, match="contiguous"):
        Buffer(gl_context, np.zeros((4, 4), np.float32)[:, ::2])
    with pytest.raises(ValueError, match="list"):
        Buffer(gl_context, [1.0, 2.0])  # type: ignore[arg-type]
    with Buffer(gl_context, 16) as buffer:
        with pytest.raises(ValueError, match="do not fit"):
            buffer.write(np.zeros(5, np.float32))
        buffer.replace(np.zeros(64, np.float32))
        assert buffer.size == 256
        buffer.write(np.zeros(64, np.float32))


def test_structured_buffer_with_a_float64_field_is_refused(gl_context: GLContext) -> None:
    from game.gl.buffer import Buffer

    with pytest.raises(ValueError, match="float64"):
        Buffer(gl_context, np.zeros(2, [("a", "f4"), ("b", "f8")]))


def test_texture_refuses_wrong_texels(gl_context: GLContext) -> None:
    from game.gl.texture import R8, RG32F, Texture2D, Texture2DArray

    with Texture2DArray(gl_context, 8, 8, 4, RG32F) as array:
        with pytest.raises(ValueError, match="float64"):
            array.write(0, np.zeros((8, 8, 2)))
        with pytest.raises(ValueError, match="shape"):
            array.write(0, np.zeros((8, 8, 3), np.float32))
        with pytest.raises(ValueError, match="layer 4"):
            array.write(4, np.zeros((8, 8, 2), np.float32))
        with pytest.raises(ValueError, match="do not fit"):
            array.write(0, np.zeros((4, 4, 2), np.float32), 5, 0)
        array.write(3, np.ones((4, 4, 2), np.float32), 4, 4)
    with pytest.raises(ValueError, match="do not fill"):
        Texture2D(gl_context, 5, 3, R8, np.zeros((5, 3), np.uint8))


def test_odd_rows_survive_the_round_trip(gl_context: GLContext) -> None:
    from game.gl.framebuffer import Framebuffer
    from game.gl.texture import NEAREST, RGBA8, Texture2D

    texels = np.random.default_rng(1).integers(0, 256, (3, 5, 4), dtype=np.uint8)
    with (
        Texture2D(gl_context, 5, 3, RGBA8, texels, NEAREST) as texture,
        Framebuffer(gl_context, texture) as target,
    ):
        assert np.array_equal(target.read_rgb(), texels[::-1, :, :3])


def test_framebuffer_refuses_mixed_sizes(gl_context: GLContext) -> None:
    from game.gl.framebuffer import Framebuffer
    from game.gl.texture import DEPTH32F, RGBA8, Texture2D

    with (
        Texture2D(gl_context, 8, 8, RGBA8) as colour,
        Texture2D(gl_context, 8, 4, DEPTH32F) as depth,
        pytest.raises(ValueError, match="differ in size"),
    ):
        Framebuffer(gl_context, colour, depth)


def test_vertex_array_refuses_unknown_and_double_fields(gl_context: GLContext) -> None:
    from game.gl.buffer import Buffer
    from game.gl.vertex_array import Stream, VertexArray

    with Buffer(gl_context, 64) as buffer:
        with pytest.raises(ValueError, match="not a field"):
            VertexArray(gl_context, [Stream(buffer, np.dtype([("a", "f4")]), {"b": 0})])
        with pytest.raises(ValueError, match="float64"):
            VertexArray(gl_context, [Stream(buffer, np.dtype([("a", "f8")]), {"a": 0})])


def test_context_after_release_touches_nothing(gl_window: None) -> None:
    from game.gl.buffer import Buffer

    context = GLContext()
    buffer = Buffer(context, 16)
    context.release()
    buffer.release()
    assert context.live == 1  # it leaked, and the report must say so
    with pytest.raises(ValueError, match="released"):
        Buffer(context, 16)


@pytest.mark.parametrize("version", ["2.1 Mesa 22.3.6", "3.2 (Core Profile)", "OpenGL ES 3.2", ""])
def test_old_contexts_are_one_sentence(version: str) -> None:
    with pytest.raises(UsageError, match=r"3\.3 is needed.*old card") as caught:
        check_version(version, "old card")
    assert "\n" not in str(caught.value)


def test_version_is_read() -> None:
    assert check_version("4.5 (Core Profile) Mesa", "x") == (4, 5)
    assert check_version("3.3.0 NVIDIA 535", "x") == (3, 3)


def test_platform_follows_sdl_and_respects_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "sys.modules", {k: v for k, v in __import__("sys").modules.items() if "OpenGL" not in k}
    )
    for driver, binding in (("x11", "glx"), ("offscreen", "egl"), ("wayland", "egl"), ("windows", None)):
        monkeypatch.setenv("PYOPENGL_PLATFORM", "")
        assert bind_platform(driver) == binding
    monkeypatch.setenv("PYOPENGL_PLATFORM", "osmesa")
    assert bind_platform("x11") == "osmesa"


def test_a_uniform_keeps_its_last_value_whoever_asked_before(gl_context: GLContext) -> None:
    """What is set again is not sent again; what differs is, also after another program was in use."""
    from game.gl.api import GL
    from game.gl.preprocess import expand
    from game.gl.program import Program

    vertex = expand("a.vert", "void main() { gl_Position = vec4(0.0); }")
    fragment = expand("a.frag", "uniform float share; out vec4 c; void main() { c = vec4(share); }")
    with Program(gl_context, vertex, fragment) as one, Program(gl_context, vertex, fragment) as other:
        for program, value in (
            (one, 0.25),
            (other, 0.5),
            (one, 0.25),
            (one, 0.75),
            (other, 0.5),
            (one, 0.25),
        ):
            program.use()
            program.set("share", value)
            place = GL.glGetUniformLocation(program.name, b"share")
            found = np.zeros(1, np.float32)
            GL.glGetUniformfv(program.name, place, found)
            assert found[0] == value
