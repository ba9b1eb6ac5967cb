"""The waterline: which samples of a page are under water, and where its surface meets the drawn land.

A page's line is the contour of the level on the triangles that are drawn (quads split along (i, j)–(i+1, j+1)), by
contourpy's marching squares; `stitch` joins the lines of neighbouring pages of one level into closed lines and lines
that end at the rim of what was given. Pure functions of samples and level; no threads, no GL.

World lines are float64 [n, 2] of x and z in metres. Water lies to the left of a line walked with z pointing down the
map (south): lines around islands run one way, around lakes the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import contourpy
import numpy as np
from numpy.typing import NDArray

from game.core.coords import APRON, PAGE_QUADS, PageKey

Line = NDArray[np.float64]
Heights = NDArray[np.float32]

_SIDE = PAGE_QUADS + 1
_SAME_SAMPLES = 1e-9
"""Points closer than this, in samples, are one point that two edges share."""


@dataclass(frozen=True, slots=True)
class Coast:
    """One stitched line."""

    points: Line
    """float64 [n, 2] world x and z in metres; a closed line repeats its first point."""
    closed: bool

    @property
    def length_m(self) -> float:
        """Along the line."""
        return float(np.sum(np.hypot(*np.diff(self.points, axis=0).T)))


def page_samples(stored: NDArray[np.float32]) -> Heights:
    """The page's own samples 0…128, float32 [129, 129], from `PageData.heights`; a view."""
    inner = slice(APRON, APRON + _SIDE)
    return stored[inner, inner, 0]


def water_mask(heights: Heights, level_m: float) -> NDArray[np.bool_]:
    """bool [129, 129]: which samples lie under a sea of `level_m`. A sample at the level is land."""
    _check(heights)
    return heights < np.float64(level_m)


def page_lines(heights: Heights, level_m: float) -> list[Line]:
    """The waterline of a page in samples from its corner (0…128), each float64 [n, 2] of x and z.

    On every edge of the drawn triangles that the surface crosses lies one point, where land interpolated along the
    edge is at `level_m`. Lines end on the page's border or close. Raises `ValueError` for another shape than
    [129, 129] or a level that is not finite.
    """
    _check(heights)
    if not np.isfinite(level_m):
        raise ValueError(f"level_m = {level_m!r} is not accepted; give a finite number of metres")
    low, high = float(heights.min()), float(heights.max())
    if not low < level_m <= high:
        return []
    # Land exactly at the level counts as dry: contourpy takes "above" strictly, so the level goes a hair below.
    level = float(np.nextafter(level_m, -np.inf))
    x, z, y = _as_triangles(heights)
    generator = contourpy.contour_generator(x, z, y, line_type=contourpy.LineType.Separate)
    found = []
    for raw in generator.lines(level):
        line = _settled(np.asarray(raw, np.float64), heights, level_m)
        if line is not None:
            found.append(line)
    return found


def _check(heights: Heights) -> None:
    if heights.shape != (_SIDE, _SIDE):
        raise ValueError(f"heights have shape {heights.shape}; give the page's own samples, {(_SIDE, _SIDE)}")


def _grid() -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Row and column of the sample at each point of the grid of `_as_triangles`."""
    k = np.arange(2 * PAGE_QUADS + 1)
    rows = np.arange(2 * PAGE_QUADS) // 2 + np.arange(2 * PAGE_QUADS) % 2
    top, bottom = k // 2, (k + 1) // 2
    columns = np.where((np.arange(2 * PAGE_QUADS) % 2 == 0)[:, None], top, bottom)
    return np.broadcast_to(rows[:, None], columns.shape), columns


def _as_triangles(
    heights: Heights,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """The page's triangles as a grid of quads of which each has two corners in one place.

    contourpy knows quads only, and takes a saddle the other way than the mesh does. Here every pair of rows of the
    grid is one row of quads: above each sample twice, below the next one first, so that the uprights are the mesh's
    edges and diagonals in turn. Between two such rows lie quads without area, which lead a line on to where it left.
    """
    rows, columns = _grid()
    return (
        columns.astype(np.float64),
        rows.astype(np.float64),
        heights[rows, columns].astype(np.float64),
    )


def _settled(line: Line, heights: Heights, level_m: float) -> Line | None:
    """The line with each point once and where both pages that share an edge compute it; None when nothing is left."""
    cell = np.floor(line + 1e-7).astype(np.int64)
    frac = line - cell
    on_row = np.abs(frac[:, 1]) < 1e-6
    on_column = np.abs(frac[:, 0]) < 1e-6
    # Along an edge from its lower sample on: the same numbers whichever page and triangle asks.
    i0, j0 = np.clip(cell[:, 0], 0, PAGE_QUADS), np.clip(cell[:, 1], 0, PAGE_QUADS)
    i1 = np.where(on_column, i0, np.minimum(i0 + 1, PAGE_QUADS))
    j1 = np.where(on_row, j0, np.minimum(j0 + 1, PAGE_QUADS))
    first = heights[j0, i0].astype(np.float64)
    last = heights[j1, i1].astype(np.float64)
    rise = last - first
    share = np.where(rise == 0.0, 0.0, (level_m - first) / np.where(rise == 0.0, 1.0, rise))
    share = np.clip(share, 0.0, 1.0)
    points = np.stack([i0 + (i1 - i0) * share, j0 + (j1 - j0) * share], axis=1)
    keep = np.ones(len(points), np.bool_)
    keep[1:] = np.abs(np.diff(points, axis=0)).max(axis=1) > _SAME_SAMPLES
    points = points[keep]
    return points if len(points) > 1 else None


def to_world(line: Line, key: PageKey) -> Line:
    """A page's line in world metres."""
    origin = np.array(key.origin_m, np.float64)
    moved: Line = origin + line * float(key.spacing_m)
    return moved


def stitch(pages: Mapping[PageKey, Iterable[Line]]) -> list[Coast]:
    """Join the lines of pages of one level, in samples from each page's corner, to coasts in world metres.

    Open coasts end at the rim of the pages given. Raises `ValueError` for pages of several levels.
    """
    levels = {key.level for key in pages}
    if len(levels) > 1:
        raise ValueError(f"pages are of levels {sorted(levels)}; give those of one level")
    parts: list[Line] = []
    coasts: list[Coast] = []
    # Ends are equal numbers in page coordinates; as exact integers and shares they stay so at any distance.
    ends: dict[tuple[int, int, float, float], list[tuple[int, int]]] = {}
    for key in sorted(pages):
        i0, j0 = key.origin_sample
        for line in pages[key]:
            world = to_world(line, key)
            if np.array_equal(line[0], line[-1]):
                coasts.append(Coast(world, True))
                continue
            number = len(parts)
            parts.append(world)
            for end in (0, -1):
                ends.setdefault(_end_of(line[end], i0, j0), []).append((number, end))
    partner: dict[tuple[int, int], tuple[int, int]] = {}
    for meeting in ends.values():
        # A line that only touches a corner leaves more than two ends there; they pair up in order.
        for a, b in zip(meeting[::2], meeting[1::2], strict=False):
            partner[a], partner[b] = b, a
    done = [False] * len(parts)
    for start in _starts(parts, partner):
        if not done[start[0]]:
            coasts.append(_walk(start, parts, partner, done))
    return coasts


def _end_of(point: Line, i0: int, j0: int) -> tuple[int, int, float, float]:
    """Where a line ends, as whole samples and shares: equal for both pages that share the border."""
    x, z = float(point[0]), float(point[1])
    i, j = int(np.floor(x)), int(np.floor(z))
    return i0 + i, j0 + j, x - i, z - j


def _starts(parts: list[Line], partner: dict[tuple[int, int], tuple[int, int]]) -> Iterable[tuple[int, int]]:
    """(part, end to begin at): free ends first, so that open lines are walked whole; then the rings."""
    for number in range(len(parts)):
        for end in (0, -1):
            if (number, end) not in partner:
                yield number, end
    for number in range(len(parts)):
        yield number, 0


def _walk(
    start: tuple[int, int],
    parts: list[Line],
    partner: dict[tuple[int, int], tuple[int, int]],
    done: list[bool],
) -> Coast:
    number, end = start
    chain: list[Line] = []
    forward = end == 0
    while True:
        done[number] = True
        points = parts[number] if end == 0 else parts[number][::-1]
        chain.append(points if not chain else points[1:])
        following = partner.get((number, -1 if end == 0 else 0))
        if following is None or done[following[0]]:
            break
        number, end = following
    line = np.concatenate(chain)
    if not forward:
        line = line[::-1]
    return Coast(line, following is not None and following[0] == start[0])
