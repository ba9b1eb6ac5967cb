"""Includes, generated blocks, and error messages that name the file."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from game.core.errors import UsageError
from game.gl.context import GLContext
from game.gl.preprocess import VERSION, constants_glsl, expand, std140_block


def test_includes_once_and_version_first() -> None:
    source = expand("a.frag", '#include "x"\n#include "x"\nvoid main() {}\n', {"x": "float one;"}, {"N": 3})
    assert source.text.startswith(VERSION + "\n#define N 3\n")
    assert source.text.count("float one;") == 1
    assert source.files == ("a.frag", "generated/x")


def test_missing_include_and_second_version_are_refused() -> None:
    with pytest.raises(UsageError, match=r"include/nothing\.glsl"):
        expand("a.frag", '#include "nothing.glsl"')
    with pytest.raises(ValueError, match=r"a\.frag:2"):
        expand("a.frag", "\n#version 330 core")


@pytest.mark.parametrize(
    ("log", "told"),
    [
        ("0:12(5): error: syntax", "a.frag:12: error: syntax"),
        ("ERROR: 0:100003: 'x' undeclared", "ERROR: generated/x:3: 'x' undeclared"),
        ("0(100007) : error C0000", "generated/x:7 : error C0000"),
    ],
)
def test_logs_of_three_drivers(log: str, told: str) -> None:
    source = expand("a.frag", '#include "x"\n', {"x": "float one;"})
    assert source.explain(log) == told


@pytest.mark.gl
def test_a_real_error_names_file_and_line(gl_context: GLContext) -> None:
    from game.gl.program import Program, ShaderError

    vertex = expand("v.vert", "void main() { gl_Position = vec4(0.0); }")
    fragment = expand(
        "f.frag",
        '\n#include "bad.glsl"\nout vec4 c;\nvoid main() { c = vec4(1.0); }',
        {"bad.glsl": "\nfloat x = wrong;\n"},
    )
    with pytest.raises(ShaderError, match=r"generated/bad\.glsl:2"):
        Program(gl_context, vertex, fragment)
    after = expand("f.frag", '#include "ok"\n\nout vec4 c;\nvoid main() { c = wrong; }', {"ok": "float y;"})
    with pytest.raises(ShaderError, match=r"f\.frag:4"):
        Program(gl_context, vertex, after)


@pytest.mark.gl
def test_unknown_uniform_is_refused(gl_context: GLContext) -> None:
    from game.gl.program import Program

    vertex = expand("v.vert", "void main() { gl_Position = vec4(0.0); }")
    fragment = expand("f.frag", "uniform float tint; out vec4 c;\nvoid main() { c = vec4(tint); }")
    with Program(gl_context, vertex, fragment) as program:
        program.use()
        program.set("tint", 1.0)
        with pytest.raises(ValueError, match="tinted"):
            program.set("tinted", 1.0)


def test_std140_layout_is_checked() -> None:
    good = np.dtype([("m", "f4", (4, 4)), ("v", "f4", (4,)), ("n", "i4"), ("_p", "f4"), ("w", "f4", (2,))])
    text = std140_block("Block", good)
    assert "mat4 m;" in text
    assert "int n;" in text
    with pytest.raises(ValueError, match="std140 puts it at 16"):
        std140_block("Block", np.dtype([("a", "f4"), ("v", "f4", (4,))]))
    with pytest.raises(ValueError, match="float64"):
        std140_block("Block", np.dtype([("a", "f8")]))
    with pytest.raises(ValueError, match="multiple of 16"):
        std140_block("Block", np.dtype([("a", "f4")]))


def test_constants() -> None:
    assert constants_glsl({"A": 2, "B": 0.5, "C": (1.0, 2.0, 3.0)}) == (
        "const int A = 2;\nconst float B = 0.5;\nconst vec3 C = vec3(1.0, 2.0, 3.0);\n"
    )


@pytest.mark.gl
def test_frame_block_offsets_match_the_driver(gl_context: GLContext) -> None:
    from game.gl.api import GL
    from game.gl.preprocess import expand as expand_source
    from game.gl.program import Program
    from game.render.uniforms import FRAME_DTYPE, generated_includes

    made = generated_includes()
    names = [name for name in FRAME_DTYPE.names or () if not name.startswith("_")]
    terms = []
    for name in names:
        shape = FRAME_DTYPE.fields[name][0].shape  # type: ignore[index]
        terms.append(f"vec4({name}[0])" if len(shape) == 2 else f"vec4({name})")
    vertex = expand_source("v.vert", "void main() { gl_Position = vec4(0.0); }")
    body = '#include "frame.glsl"\nout vec4 c;\nvoid main() { c = ' + " + ".join(terms) + "; }"
    with Program(gl_context, vertex, expand_source("f.frag", body, made), {"Frame": 0}) as program:
        for name in names:
            shape = FRAME_DTYPE.fields[name][0].shape  # type: ignore[index]
            # Arrays of vectors are listed with [0]; matrices are not.
            listed = f"{name}[0]" if len(shape) == 2 and shape != (4, 4) else name
            index = np.zeros(1, np.uint32)
            text = (ctypes.c_char_p * 1)(listed.encode())
            GL.glGetUniformIndices(
                program.name, 1, ctypes.cast(text, ctypes.POINTER(ctypes.POINTER(ctypes.c_char))), index
            )
            offset = np.zeros(1, np.int32)
            GL.glGetActiveUniformsiv(program.name, 1, index, GL.GL_UNIFORM_OFFSET, offset)
            assert int(offset[0]) == FRAME_DTYPE.fields[name][1], name  # type: ignore[index]
