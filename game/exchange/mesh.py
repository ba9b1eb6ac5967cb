"""Wavefront OBJ: a patch of land as triangles, Y up, metres, counter-clockwise seen from above.

Owns the text form only. Formatting is Python's own, which no locale changes.
"""

from __future__ import annotations

from typing import TextIO

import numpy as np
from numpy.typing import NDArray


def write_header(out: TextIO, comments: list[str]) -> None:
    """Begin the file: comments, and one object."""
    for line in comments:
        out.write(f"# {line}\n")
    out.write("o land\ns 1\n")


def write_vertices(out: TextIO, xs: NDArray[np.float64], z: float, heights: NDArray[np.float32]) -> None:
    """One row of vertices at `z` (metres, south), at `xs` (east) with `heights` up, all [n]."""
    south = f"{z:.12g}"
    out.writelines(
        f"v {x:.12g} {y:.9g} {south}\n" for x, y in zip(xs.tolist(), heights.tolist(), strict=True)
    )


def write_faces(out: TextIO, row: int, columns: int) -> None:
    """The triangles between rows `row` and `row` + 1 of vertices that were written north to south.

    Quads are split from north-west to south-east, as the game draws them.
    """
    first = row * columns + 1
    out.writelines(
        f"f {a} {a + columns} {a + columns + 1}\nf {a} {a + columns + 1} {a + 1}\n"
        for a in range(first, first + columns - 1)
    )
