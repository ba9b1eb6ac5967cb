"""Land out to files for other programs: PNG and raw in 16 bits, GeoTIFF, OBJ; in tiles, whatever the size.

Owns orientation, range and the files' form: the first row is the north edge (least z), the first column the west edge
(least x), heights are metres. A sidecar `FILE.json` states range, spacing and place. `heightmap_in` reads.

Heights go through a scratch file beside the output, once, so memory stays bounded and the range is known before the
first sample is quantised.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import struct
import uuid
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import tifffile
from numpy.typing import NDArray

from game.core.coords import WORLD_LIMIT_M
from game.core.errors import UsageError
from game.exchange import mesh
from game.world import World

FORMATS = {"obj": ".obj", "png16": ".png", "r16": ".r16", "geotiff": ".tif"}
"""Formats and their usual endings."""

MOST_SAMPLES = 1 << 30
MOST_VERTICES = 1 << 26
TILE = 512
"""Samples along a tile's side; a strip of tiles is what is in memory."""

_TIFF_TILE = 256
_LEVELS = 65_535
_FLOAT32_SAFE_M = 100_000.0
"""Beyond this, float32 programs see vertices shift by a centimetre."""

Progress = Callable[[int, int], None]
"""(done, total) samples."""


@dataclass(frozen=True, slots=True)
class Area:
    """A grid of samples: from (x0, z0) east and south, `spacing_m` apart."""

    x0: float
    z0: float
    spacing_m: float
    columns: int
    rows: int

    @staticmethod
    def of(x0: float, z0: float, x1: float, z1: float, spacing_m: float) -> Area:
        """The samples of a rectangle, both borders included where the spacing meets them. Raises `UsageError`."""
        for name, value in (("X0", x0), ("Z0", z0), ("X1", x1), ("Z1", z1)):
            if not abs(value) <= WORLD_LIMIT_M:
                raise UsageError(
                    f"--bounds: {name} = {value!r} is not accepted; give metres from -1e9 to 1e9"
                )
        if not (x1 > x0 and z1 > z0):
            raise UsageError(
                f"--bounds: {x0:g},{z0:g},{x1:g},{z1:g} is empty; give X0 < X1 and Z0 < Z1, in metres"
            )
        # A hair more, so that 10/0.1 is 100 and not 99.
        columns = math.floor((x1 - x0) / spacing_m * (1.0 + 1e-12)) + 1
        rows = math.floor((z1 - z0) / spacing_m * (1.0 + 1e-12)) + 1
        if columns < 2 or rows < 2:
            raise UsageError(
                f"--spacing: {spacing_m:g} m is more than the bounds are wide; give at most {min(x1 - x0, z1 - z0):g} m"
            )
        if columns * rows > MOST_SAMPLES:
            raise UsageError(
                f"--spacing: {spacing_m:g} m makes {columns} × {rows} samples, at most {MOST_SAMPLES} are accepted; "
                "give a wider spacing or smaller bounds"
            )
        return Area(x0, z0, spacing_m, columns, rows)

    @property
    def samples(self) -> int:
        """How many."""
        return self.columns * self.rows

    @property
    def xs(self) -> NDArray[np.float64]:
        """East coordinates [columns], metres."""
        return self.x0 + np.arange(self.columns, dtype=np.float64) * self.spacing_m

    def z(self, row: int) -> float:
        """South coordinate of a row, metres."""
        return self.z0 + row * self.spacing_m


def export(
    world: World,
    area: Area,
    form: str,
    path: Path,
    about: dict[str, Any],
    progress: Progress = lambda done, total: None,
    low_m: float | None = None,
    high_m: float | None = None,
    local: bool = False,
) -> list[str]:
    """Write `area` of `world` as `form` to `path`, and `path`.json beside it; return warnings.

    `low_m`, `high_m`: heights that 0 and 65535 stand for, so that neighbouring files fit; None takes the land's own.
    `local`: OBJ coordinates from the north-west corner instead of the world's origin. `about` goes into the sidecar.

    Raises `UsageError` when the file cannot be written; what stood at `path` is untouched then.
    """
    if form == "obj" and area.samples > MOST_VERTICES:
        raise UsageError(
            f"--spacing: {area.columns} × {area.rows} vertices are too many for an OBJ (at most {MOST_VERTICES}); "
            "give a wider spacing"
        )
    unique = uuid.uuid4().hex
    scratch = path.with_name(f".{path.name}-{unique}.f32")
    temporary = path.with_name(f".{path.name}-{unique}.tmp")
    sidecar = path.with_name(path.name + ".json")
    try:
        least, most = _evaluate(world, area, scratch, progress)
        warnings = []
        low = least if low_m is None else low_m
        high = most if high_m is None else high_m
        if form in ("png16", "r16"):
            if not high > low:
                # Level land: any range does, as long as it is not empty.
                high = low + 1.0
            half = 0.5 * (high - low) / _LEVELS
            if least < low - half or most > high + half:
                warnings.append(
                    f"heights from {least:.2f} to {most:.2f} m are cut to {low:g} … {high:g} m; widen --min and --max"
                )
        facts = {
            "format": form,
            "columns": area.columns,
            "rows": area.rows,
            "spacing_m": area.spacing_m,
            "x0_m": area.x0,
            "z0_m": area.z0,
            "x1_m": area.x0 + (area.columns - 1) * area.spacing_m,
            "z1_m": area.z(area.rows - 1),
            "min_m": low if form in ("png16", "r16") else least,
            "max_m": high if form in ("png16", "r16") else most,
            "lowest_m": least,
            "highest_m": most,
            "orientation": "first row north (least z), rows run south; first column west (least x), columns run east",
            **about,
        }
        heights = np.memmap(scratch, np.float32, "r", shape=(area.rows, area.columns))
        if form == "obj":
            origin = (area.x0, area.z0) if local else (0.0, 0.0)
            facts["origin_m"] = list(origin)
            facts["axes"] = "x east, y up, z south; metres; faces counter-clockwise seen from above"
            reach = max(abs(facts["x0_m"]), abs(facts["x1_m"]), abs(facts["z0_m"]), abs(facts["z1_m"]))
            if not local and reach > _FLOAT32_SAFE_M:
                warnings.append(
                    f"coordinates up to {reach:.0f} m are too large for programs that keep them in 32 bits; use --local"
                )
            _write_obj(temporary, heights, area, facts, origin)
        elif form == "geotiff":
            facts["georeference"] = "X = x, Y = -z, metres; pixel is point"
            _write_geotiff(temporary, heights, area)
        else:
            facts["encoding"] = "height_m = min_m + value / 65535 * (max_m - min_m)" + (
                "; unsigned 16 bits, little-endian, no header" if form == "r16" else ""
            )
            rows = (_quantised(heights[row], low, high) for row in range(area.rows))
            with temporary.open("xb") as file:
                if form == "r16":
                    file.writelines(values.astype("<u2").tobytes() for values in rows)
                else:
                    write_png16(file, rows, area.columns, area.rows)
        del heights
        os.replace(temporary, path)
        sidecar.write_text(json.dumps(facts, indent=2, allow_nan=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"--out: {path} cannot be written ({error.strerror or error}); free space there or give another file"
        ) from None
    finally:
        for left in (scratch, temporary):
            with contextlib.suppress(OSError):
                left.unlink(missing_ok=True)
    return warnings


def _evaluate(world: World, area: Area, scratch: Path, progress: Progress) -> tuple[float, float]:
    """Write all heights row by row to `scratch`, float32; return the lowest and the highest."""
    least, most, done = math.inf, -math.inf, 0
    with scratch.open("xb") as file:
        for j in range(0, area.rows, TILE):
            rows = min(TILE, area.rows - j)
            strip = np.empty((rows, area.columns), np.float32)
            for i in range(0, area.columns, TILE):
                columns = min(TILE, area.columns - i)
                x, z = area.x0 + i * area.spacing_m, area.z(j)
                strip[:, i : i + columns] = world.heights(x, z, columns, rows, area.spacing_m)
                done += rows * columns
                progress(done, area.samples)
            least, most = min(least, float(strip.min())), max(most, float(strip.max()))
            file.write(strip.tobytes())
    return least, most


def _quantised(heights: NDArray[np.float32], low: float, high: float) -> NDArray[np.uint16]:
    scaled = (heights.astype(np.float64) - low) * (_LEVELS / (high - low))
    return np.rint(np.clip(scaled, 0.0, _LEVELS)).astype(np.uint16)


def write_png16(file: BinaryIO, rows: Iterator[NDArray[np.uint16]], width: int, height: int) -> None:
    """A 16-bit greyscale PNG from rows, top first, without holding it whole. Source: PNG specification, 3rd edition."""

    def chunk(kind: bytes, data: bytes) -> None:
        file.write(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)))

    file.write(b"\x89PNG\r\n\x1a\n")
    chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 16, 0, 0, 0, 0))
    packer = zlib.compressobj(6)
    above = np.zeros(2 * width, np.uint8)
    for row in rows:
        line = np.frombuffer(row.astype(">u2").tobytes(), np.uint8)
        # Filter 2 (up): neighbouring rows of land are much alike.
        data = packer.compress(b"\x02" + (line - above).tobytes())
        above = line
        if data:
            chunk(b"IDAT", data)
    chunk(b"IDAT", packer.flush())
    chunk(b"IEND", b"")


def _write_geotiff(path: Path, heights: NDArray[np.float32], area: Area) -> None:
    """Tiled float32 GeoTIFF. Source: OGC GeoTIFF 1.1 (OGC 19-008r4), annex on tags and keys."""

    def tiles() -> Iterator[NDArray[np.float32]]:
        for j in range(0, area.rows, _TIFF_TILE):
            for i in range(0, area.columns, _TIFF_TILE):
                part = np.array(heights[j : j + _TIFF_TILE, i : i + _TIFF_TILE])
                short = [(0, _TIFF_TILE - side) for side in part.shape]
                yield np.pad(part, short, mode="edge")

    # Model type: projected, user-defined; raster type: pixel is point; linear unit: metre.
    keys = (1, 1, 0, 4, 1024, 0, 1, 1, 1025, 0, 1, 2, 3072, 0, 1, 32767, 3076, 0, 1, 9001)
    tags = [
        (33550, "d", 3, (area.spacing_m, area.spacing_m, 0.0), True),
        (33922, "d", 6, (0.0, 0.0, 0.0, area.x0, -area.z0, 0.0), True),
        (34735, "H", len(keys), keys, True),
    ]
    tifffile.imwrite(
        path,
        tiles(),
        shape=heights.shape,
        dtype=np.float32,
        tile=(_TIFF_TILE, _TIFF_TILE),
        photometric="minisblack",
        compression="zlib",
        predictor=False,
        extratags=tags,
        metadata=None,
        software="veloterra",
        bigtiff=area.samples * 4 > 3 << 30,
    )


def _write_obj(
    path: Path,
    heights: NDArray[np.float32],
    area: Area,
    facts: dict[str, Any],
    origin: tuple[float, float],
) -> None:
    xs = area.xs - origin[0]
    with path.open("x", encoding="ascii", newline="\n") as out:
        mesh.write_header(
            out,
            [
                "veloterra land: x east, y up, z south, metres, counter-clockwise seen from above",
                f"{area.columns} columns (east) x {area.rows} rows (south), {area.spacing_m!r} m apart",
                f"origin {origin[0]!r} {origin[1]!r}; heights {facts['lowest_m']!r} to {facts['highest_m']!r} m",
            ],
        )
        for row in range(area.rows):
            mesh.write_vertices(out, xs, area.z(row) - origin[1], heights[row])
        for row in range(area.rows - 1):
            mesh.write_faces(out, row, area.columns)
