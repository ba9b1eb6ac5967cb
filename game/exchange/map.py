"""`veloterra map`: the land from above as a PNG, page by page, and the layers of the land at a point.

A picture is drawn from the pages of the finest level whose samples are not closer than pixels, one row of pages after
the other; only one such row is in memory. Neighbouring pages share their samples' bits, so no seam shows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from game.core.coords import MAX_LEVEL, PAGE_QUADS, WORLD_LIMIT_M, PageKey
from game.exchange.map_paint import LAYERS, Painter
from game.exchange.png import PngWriter
from game.world import World

MAX_SIDE = 65_536
"""Pixels along one side."""
MAX_SPACING_M = float(1 << MAX_LEVEL)
MIN_SPACING_M = 1.0 / 64.0
DEFAULT_SIDE = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class MapRequest:
    """A picture to make. Raises `ValueError` naming the value and the range; checked before anything is allocated."""

    world: str = "alpine"
    seed: int | None = None
    layer: str = "hillshade"
    bounds: tuple[float, float, float, float] = (-10_000.0, -10_000.0, 10_000.0, 10_000.0)
    """West, north, east, south: x0, z0, x1, z1 in metres."""
    size: tuple[int, int] = (DEFAULT_SIDE, DEFAULT_SIDE)
    """Width and height in pixels."""
    interval_m: float | None = None
    """Height between contours; None picks one from the relief."""
    threads: int = 2

    def __post_init__(self) -> None:
        if self.layer not in LAYERS:
            raise ValueError(f"layer = {self.layer!r} is not accepted; give one of {', '.join(LAYERS)}")
        check_bounds(self.bounds)
        for name, side in zip(("width", "height"), self.size, strict=True):
            if not 1 <= side <= MAX_SIDE:
                raise ValueError(f"{name} = {side} is not accepted; give 1 to {MAX_SIDE} pixels")
        for spacing in self.spacing:
            if not MIN_SPACING_M <= spacing <= MAX_SPACING_M:
                raise ValueError(
                    f"{spacing:g} m a pixel is not accepted; give a region and size with {MIN_SPACING_M:g} to "
                    f"{MAX_SPACING_M:g} m a pixel"
                )
        if self.interval_m is not None and not 0.01 <= self.interval_m <= 10_000.0:
            raise ValueError(f"interval = {self.interval_m!r} is not accepted; give 0.01 to 10000 metres")
        if not 1 <= self.threads <= 64:
            raise ValueError(f"threads = {self.threads!r} is not accepted; give 1 to 64")

    @property
    def spacing(self) -> tuple[float, float]:
        """Metres a pixel along x and z."""
        x0, z0, x1, z1 = self.bounds
        return (x1 - x0) / self.size[0], (z1 - z0) / self.size[1]


def check_bounds(bounds: tuple[float, float, float, float]) -> None:
    """Raise `ValueError` unless (x0, z0, x1, z1) is a region with an area within ±1e9 m."""
    x0, z0, x1, z1 = bounds
    text = ",".join(f"{value:g}" for value in bounds)
    if not all(math.isfinite(value) and abs(value) <= WORLD_LIMIT_M for value in bounds):
        raise ValueError(
            f"bounds = {text} is not accepted; give X0,Z0,X1,Z1 in metres, each from -1e9 to 1e9"
        )
    if x1 <= x0 or z1 <= z0:
        raise ValueError(f"bounds = {text} is empty; give X0,Z0,X1,Z1 with X0 < X1 and Z0 < Z1")


def size_for(
    bounds: tuple[float, float, float, float], spacing: float | None, side: int = DEFAULT_SIDE
) -> tuple[int, int]:
    """Width and height in pixels for a spacing in metres, or with `side` pixels along the longer side.

    Raises `ValueError` for an empty region, a spacing that is not positive or more than `MAX_SIDE` pixels a side.
    """
    check_bounds(bounds)
    wide, high = bounds[2] - bounds[0], bounds[3] - bounds[1]
    if spacing is None:
        spacing = max(wide, high) / side
    elif not MIN_SPACING_M <= spacing <= MAX_SPACING_M:
        raise ValueError(
            f"spacing = {spacing!r} is not accepted; give {MIN_SPACING_M:g} to {MAX_SPACING_M:g} metres a pixel"
        )
    width, height = (max(1, round(length / spacing)) for length in (wide, high))
    if max(width, height) > MAX_SIDE:
        raise ValueError(
            f"spacing = {spacing:g} would make {width} x {height} pixels; give at least "
            f"{max(wide, high) / MAX_SIDE:g} m, for at most {MAX_SIDE} pixels a side"
        )
    return width, height


def write_map(request: MapRequest, out: Path, progress: Callable[[int, int], None] | None = None) -> None:
    """Draw the picture and write it to `out` as PNG. `progress(pages done, pages in all)` is called on this thread.

    Raises `UsageError` for an unknown world or a file that cannot be written; no file is left then.
    """
    world = World(request.world, request.seed)
    text = {
        "Software": "veloterra map",
        "Description": f"world {request.world}, seed {world.seed}, {request.layer}, "
        f"x0,z0,x1,z1 = {','.join(f'{value:.12g}' for value in request.bounds)} m",
    }
    width, height = request.size
    with PngWriter(out, width, height, text) as picture:
        for rows in picture_rows(world, request, progress):
            picture.write(rows)


def picture_rows(
    world: World, request: MapRequest, progress: Callable[[int, int], None] | None = None
) -> Iterator[NDArray[np.uint8]]:
    """The picture from north to south: uint8 [n, width, 3] per row of pages."""
    (x0, z0, _, _), (step_x, step_z) = request.bounds, request.spacing
    level = max(0, min(MAX_LEVEL, math.floor(math.log2(min(step_x, step_z)))))
    xs: NDArray[np.float64] = x0 + (np.arange(request.size[0], dtype=np.float64) + 0.5) * step_x
    zs: NDArray[np.float64] = z0 + (np.arange(request.size[1], dtype=np.float64) + 0.5) * step_z
    columns, rows = _cuts(xs, level), _cuts(zs, level)
    painter = Painter(world, request.layer, request.bounds, min(request.spacing), request.interval_m)
    done, total = 0, len(columns) * len(rows)
    with ThreadPoolExecutor(request.threads) as pool:
        for iz, north, south in rows:
            jobs = [
                pool.submit(painter.paint, PageKey(level, ix, iz), xs[west:east], zs[north:south])
                for ix, west, east in columns
            ]
            strip = np.empty((south - north, len(xs), 3), np.uint8)
            try:
                for job, (_, west, east) in zip(jobs, columns, strict=True):
                    strip[:, west:east] = job.result()
                    done += 1
                    if progress is not None:
                        progress(done, total)
            except BaseException:
                for job in jobs:
                    job.cancel()
                raise
            yield strip


def _cuts(positions: NDArray[np.float64], level: int) -> list[tuple[int, int, int]]:
    """(page index, first pixel, one past the last) for every page that ascending pixel positions lie in."""
    pages = np.floor(positions / (PAGE_QUADS << level)).astype(np.int64)
    starts = np.flatnonzero(np.diff(pages, prepend=pages[0] - 1))
    return [
        (int(pages[first]), int(first), int(last))
        for first, last in zip(starts, [*starts[1:], len(pages)], strict=True)
    ]
