"""GLSL preprocessing: includes, definitions, generated blocks, and error messages with file names.

Text in, text out; no GL. `#include "name.glsl"` takes a generated text when one of that name is given, else
the file shaders/include/name.glsl, each once. `#line` directives carry the file in the thousands of the line
number, so that `explain` can turn the driver's "0:100012" back into "include/name.glsl:12". The source-string
number GLSL has for this is not used: Mesa reports 0 for every error found after parsing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from game.core.errors import UsageError
from game.core.paths import resource

VERSION = "#version 330 core"

_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"\s*(?://.*)?$')
# Mesa "0:12(5): error", Intel and AMD "ERROR: 0:12:", NVIDIA "0(12) : error".
_PLACE = re.compile(r"\b\d+(?::(\d+)(?:\(\d+\))?|\((\d+)\))(?=\s*:)")

_FILE_STEP = 100_000
"""Lines reserved for a file."""


@dataclass(frozen=True, slots=True)
class ShaderSource:
    """Expanded GLSL of one stage and the files its `#line` numbers stand for."""

    text: str
    files: tuple[str, ...]

    def explain(self, log: str) -> str:
        """`log` of a driver with its line numbers replaced by file names and lines."""

        def place(match: re.Match[str]) -> str:
            number, line = divmod(int(match[1] or match[2]), _FILE_STEP)
            return f"{self.files[number]}:{line}" if number < len(self.files) else match[0]

        return _PLACE.sub(place, log)


def expand(
    name: str,
    text: str,
    generated: Mapping[str, str] | None = None,
    defines: Mapping[str, int | float] | None = None,
) -> ShaderSource:
    """Expand `text` of the file `name`.

    Parameters
    ----------
    generated : texts by include name that exist only in Python (constants, uniform blocks).
    defines : macros put after the version line.

    Raises `UsageError` when an include is missing, and `ValueError` when a file has its own `#version`.
    """
    files: list[str] = []
    seen: set[str] = set()
    made = generated or {}
    out = [VERSION]
    out += [f"#define {key} {_literal(value)}" for key, value in (defines or {}).items()]

    def add(file: str, body: str) -> None:
        number = len(files)
        files.append(file)
        start = number * _FILE_STEP
        out.append(f"#line {start + 1}")
        for line_number, line in enumerate(body.splitlines(), start=1):
            if line.lstrip().startswith("#version"):
                raise ValueError(f"{file}:{line_number} has a #version line; it is put there by preprocess")
            match = _INCLUDE.match(line)
            if match is None:
                out.append(line)
                continue
            wanted = match[1]
            if wanted not in seen:
                seen.add(wanted)
                if wanted in made:
                    add(f"generated/{wanted}", made[wanted])
                else:
                    add(f"include/{wanted}", resource("shaders", "include", wanted).read_text("utf-8"))
            out.append(f"#line {start + line_number + 1}")

    add(name, text)
    return ShaderSource("\n".join(out) + "\n", tuple(files))


def load(
    name: str,
    generated: Mapping[str, str] | None = None,
    defines: Mapping[str, int | float] | None = None,
) -> ShaderSource:
    """Read and expand shaders/`name`. Raises `UsageError` when it is missing."""
    path = resource("shaders", name)
    if not path.is_file():
        raise UsageError(f"shaders/{name} is not a file; reinstall veloterra")
    return expand(name, path.read_text("utf-8"), generated, defines)


def _literal(value: int | float) -> str:
    return str(value) if isinstance(value, int) else repr(float(value))


def constants_glsl(values: Mapping[str, int | float | tuple[float, ...]]) -> str:
    """GLSL `const` lines from Python numbers: int, float, or a tuple of 2 to 4 floats."""
    lines = []
    for name, value in values.items():
        if isinstance(value, tuple):
            if not 2 <= len(value) <= 4:
                raise ValueError(f"constant {name} has {len(value)} components; give 2 to 4")
            inner = ", ".join(_literal(float(part)) for part in value)
            lines.append(f"const vec{len(value)} {name} = vec{len(value)}({inner});")
        elif isinstance(value, int):
            lines.append(f"const int {name} = {value};")
        else:
            lines.append(f"const float {name} = {_literal(value)};")
    return "\n".join(lines) + "\n"


_SCALARS = {"f4": ("float", "vec", "mat"), "i4": ("int", "ivec", ""), "u4": ("uint", "uvec", "")}


def std140_block(name: str, dtype: np.dtype) -> str:
    """GLSL `layout(std140) uniform` block whose bytes are exactly those of one element of `dtype`.

    Fields: float32/int32/uint32 scalars, `(2,)`, `(4,)` vectors, `(4, 4)` float32 matrices (column-major) and
    arrays `(n, 4)` with n other than 4 of vectors; fields whose name starts with `_` are padding.

    Raises `ValueError` where numpy's offset differs from the one std140 gives. Source: OpenGL 3.3 core
    specification, section 2.11.4 "Standard Uniform Block Layout".
    """
    if not dtype.fields or dtype.names is None:
        raise ValueError(f"{dtype} has no fields; give a structured dtype")
    lines = [f"layout(std140) uniform {name} {{"]
    cursor = 0
    for field in dtype.names:
        item, offset = dtype.fields[field][:2]
        kind, shape = item.base.str[1:], item.shape
        if kind not in _SCALARS:
            raise ValueError(f"field {field} is {item.base}; give float32, int32 or uint32")
        scalar, vector, matrix = _SCALARS[kind]
        if shape == ():
            align, declared = 4, f"{scalar} {field}"
        elif shape in ((2,), (4,)):
            align, declared = 4 * shape[0], f"{vector}{shape[0]} {field}"
        elif shape == (4, 4) and matrix:
            align, declared = 16, f"{matrix}4 {field}"
        elif len(shape) == 2 and shape[1] == 4:
            align, declared = 16, f"{vector}4 {field}[{shape[0]}]"
        else:
            raise ValueError(f"field {field} has shape {shape}; give (), (2,), (4,), (4, 4) or (n, 4)")
        expected = -(-cursor // align) * align
        if offset != expected:
            raise ValueError(f"field {field} stands at byte {offset} but std140 puts it at {expected}")
        cursor = offset + item.itemsize
        lines.append(f"    {declared};")
    if dtype.itemsize % 16:
        raise ValueError(f"{name} has {dtype.itemsize} bytes; pad it to a multiple of 16")
    return "\n".join([*lines, "};"]) + "\n"
