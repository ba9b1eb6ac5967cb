"""Coast lines for other programs: `veloterra export --format geojson`.

GeoJSON (RFC 7946) in the world's own metres: a position is [x, −z], so that north is up where a program draws y up.
The standard means longitude and latitude; a world that is no globe has none, and the file says so.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from game.core.coords import MAX_LEVEL, PAGE_QUADS, PageKey
from game.core.errors import UsageError
from game.world import World
from game.world.waterline import Coast, Line, page_lines, page_samples, stitch

MOST_PAGES = 4096

Bounds = tuple[float, float, float, float]


def coast_lines(
    world: World,
    bounds: Bounds,
    spacing_m: float,
    level_m: float,
    progress: Callable[[int, int], None] | None = None,
) -> list[Coast]:
    """The waterline of a sea of `level_m` inside `bounds` (x0, z0, x1, z1), from samples at most `spacing_m` apart.

    Lines that the bounds cut end on them. Raises `UsageError` when the region holds too many pages.
    """
    level = max(0, min(MAX_LEVEL, math.floor(math.log2(max(spacing_m, 1.0)))))
    span = PAGE_QUADS << level
    x0, z0, x1, z1 = bounds
    columns = range(math.floor(x0 / span), math.ceil(x1 / span))
    rows = range(math.floor(z0 / span), math.ceil(z1 / span))
    total = len(columns) * len(rows)
    if total > MOST_PAGES:
        raise UsageError(
            f"--spacing: {spacing_m:g} m would take {total} pages; give at most {MOST_PAGES}: a spacing of "
            f"{spacing_m * 2.0 ** math.ceil(0.5 * math.log2(total / MOST_PAGES)):g} m or smaller bounds"
        )
    lines: dict[PageKey, list[Line]] = {}
    for iz in rows:
        for ix in columns:
            key = PageKey(level, ix, iz)
            lines[key] = page_lines(np.ascontiguousarray(page_samples(world.edited(key).heights)), level_m)
            if progress is not None:
                progress(len(lines), total)
    return [piece for coast in stitch(lines) for piece in clipped(coast, bounds)]


def clipped(coast: Coast, bounds: Bounds) -> list[Coast]:
    """The parts of a coast inside `bounds`; whole and closed where it does not leave them.

    Source: Liang and Barsky, "A New Concept and Method for Line Clipping" (1984).
    """
    low, high = np.array(bounds[:2]), np.array(bounds[2:])
    points = coast.points
    if bool(np.all((points >= low) & (points <= high))):
        return [coast]
    pieces: list[list[np.ndarray]] = [[]]
    for a, b in pairwise(points):
        step = b - a
        first, last = 0.0, 1.0
        for axis in (0, 1):
            if step[axis] == 0.0:
                if not low[axis] <= a[axis] <= high[axis]:
                    first, last = 1.0, 0.0
                continue
            enter, leave = sorted(((low[axis] - a[axis]) / step[axis], (high[axis] - a[axis]) / step[axis]))
            first, last = max(first, enter), min(last, leave)
        if first >= last:
            if pieces[-1]:
                pieces.append([])
            continue
        if not pieces[-1]:
            pieces[-1].append(a + step * first)
        pieces[-1].append(a + step * last if last < 1.0 else b)
        if last < 1.0:
            pieces.append([])
    whole = [piece for piece in pieces if len(piece) > 1]
    if coast.closed and len(whole) > 1 and np.array_equal(whole[-1][-1], whole[0][0]):
        # A ring that was opened somewhere else than where its list of points begins.
        whole[0] = [*whole.pop(), *whole[0][1:]]
    return [Coast(np.array(piece), False) for piece in whole]


def write_geojson(
    world: World,
    bounds: Bounds,
    spacing_m: float,
    level_m: float,
    out: Path,
    about: dict[str, Any],
    progress: Callable[[int, int], None] | None = None,
) -> tuple[int, float]:
    """Write the coasts; return how many lines there are and their length in metres.

    Raises `UsageError` when the file cannot be written.
    """
    coasts = coast_lines(world, bounds, spacing_m, level_m, progress)
    features = [
        {
            "type": "Feature",
            "properties": {
                "kind": "coast",
                "closed": coast.closed,
                "sea_level_m": level_m,
                "length_m": round(coast.length_m, 3),
            },
            "geometry": {
                "type": "LineString",
                "coordinates": [[round(x, 3), round(-z, 3)] for x, z in coast.points.tolist()],
            },
        }
        for coast in coasts
    ]
    data = {
        "type": "FeatureCollection",
        "veloterra": {
            **about,
            "bounds_m": list(bounds),
            "spacing_m": spacing_m,
            "coordinates": "world metres: [x east, -z north]; not longitude and latitude",
        },
        "features": features,
    }
    try:
        out.write_text(json.dumps(data, separators=(",", ":")) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--out: {out} cannot be written ({error.strerror or error})") from None
    return len(coasts), sum(coast.length_m for coast in coasts)
