"""Heightmaps of other programs in: PNG, R16, GeoTIFF and HGT to metres, rows north to south, NaN for no data.

Owns what the numbers of each format mean. Where a file does not say it (range of a picture, size of a raw
file) the caller must, or a sidecar `FILE.json` as `exchange.heightmap` writes it.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import tifffile
from numpy.typing import NDArray
from PIL import Image

from game.core.errors import UsageError
from game.world.stamps import HEIGHT_M, MOST_SAMPLES

SUFFIXES = {
    ".png": "png",
    ".r16": "r16",
    ".raw": "r16",
    ".tif": "geotiff",
    ".tiff": "geotiff",
    ".hgt": "hgt",
}

NODATA_M = (-32768.0, -9999.0)
"""Never heights: the voids of SRTM and the convention of most rasters."""

_GDAL_NODATA = 42113
_HGT_SIDES = (1201, 3601)


@dataclass(slots=True)
class Heightmap:
    """What a file holds."""

    heights: NDArray[np.float32]
    """[rows, columns] metres, first row north; NaN for no data."""
    source: str
    """The numbers in words, for people."""
    warnings: list[str] = field(default_factory=list)
    metric: bool = False
    """Whether the values were metres as they are."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the file itself may not say."""

    min_m: float | None = None
    max_m: float | None = None
    """Heights of the lowest and the highest value of an integer format."""
    nodata: float | None = None
    """A raw value that means "no data", beside those every format has."""
    columns: int | None = None
    rows: int | None = None
    """Size of a raw file; None: square."""
    big_endian: bool = False
    """Byte order of a raw file."""
    smooth: bool = False
    """Soften the steps of an 8-bit picture."""


def read(path: Path, how: Reading) -> Heightmap:
    """Read `path` by its ending. Raises `UsageError` naming what is wrong or missing."""
    kind = SUFFIXES.get(path.suffix.lower())
    if kind is None:
        raise UsageError(
            f"{path} is not known by its ending; give a file ending in {', '.join(sorted(SUFFIXES))}"
        )
    if not path.is_file():
        raise UsageError(f"{path} does not exist; give a heightmap file")
    ranged = how.min_m is not None or how.max_m is not None
    how = _with_sidecar(path, how)
    try:
        if kind == "png":
            found = _png(path, how)
        elif kind == "r16":
            found = _raw(path, how)
        elif kind == "geotiff":
            found = _geotiff(path, how)
        else:
            found = _hgt(path, how)
    except UsageError:
        raise
    except MemoryError:
        raise UsageError(f"{path} is too large for the memory of this machine") from None
    except Exception as error:  # decoders raise whatever a damaged file leads them to
        raise UsageError(
            f"{path} cannot be read as {kind} ({type(error).__name__}: {error}); give a whole file"
        ) from None
    if ranged and found.metric:
        raise UsageError(f"--min and --max do not fit {path}, whose values are metres; leave them out")
    known = np.isfinite(found.heights)
    voids = int(known.size - known.sum())
    if voids == known.size:
        raise UsageError(f"{path} holds no heights: every sample is without data")
    beyond = np.abs(found.heights[known]).max()
    if beyond > HEIGHT_M:
        raise UsageError(
            f"{path} holds a height of {beyond:g} m; give heights within ±{HEIGHT_M:g} m, or --nodata for that value"
        )
    if voids:
        found.warnings.append(f"{voids} of {known.size} samples are without data; the land shows there")
    return found


def _with_sidecar(path: Path, how: Reading) -> Reading:
    """`how`, completed from `FILE.json` where that says more."""
    sidecar = path.with_name(path.name + ".json")
    try:
        data: Any = json.loads(sidecar.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return how
    if not isinstance(data, dict):
        return how

    def number(key: str) -> float | None:
        value = data.get(key)
        if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
            return None
        return float(value)

    columns, rows = number("columns"), number("rows")
    return Reading(
        number("min_m") if how.min_m is None else how.min_m,
        number("max_m") if how.max_m is None else how.max_m,
        how.nodata,
        how.columns if columns is None or how.columns is not None else int(columns),
        how.rows if rows is None or how.rows is not None else int(rows),
        how.big_endian,
        how.smooth,
    )


def _check_size(path: Path, columns: int, rows: int) -> None:
    if min(columns, rows) < 2 or columns * rows > MOST_SAMPLES:
        raise UsageError(
            f"{path} has {columns} × {rows} samples; give sides of 2 or more and up to {MOST_SAMPLES} samples"
        )


def _scaled(
    path: Path, values: NDArray[Any], top: int, how: Reading, voids: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """Integers 0…`top` to `min_m`…`max_m`; `UsageError` when the range is not known."""
    if how.min_m is None or how.max_m is None:
        raise UsageError(
            f"{path} does not say what its values mean in metres; give --min and --max, the heights of 0 and {top}"
        )
    if not how.max_m > how.min_m:
        raise UsageError(f"--max: {how.max_m:g} m is not above --min {how.min_m:g} m")
    metres = how.min_m + values.astype(np.float64) * ((how.max_m - how.min_m) / top)
    return np.where(voids, np.nan, metres).astype(np.float32)


def _png(path: Path, how: Reading) -> Heightmap:
    with Image.open(path, formats=["PNG"]) as image:
        _check_size(path, *image.size)
        mode = image.mode
        if mode not in ("L", "I;16", "I;16B", "I"):
            raise UsageError(f"{path} is a {mode} picture; give one channel of grey, with 16 bits")
        values = np.asarray(image)
    deep = mode != "L"
    values = values.astype(np.int64)
    voids = values == how.nodata if how.nodata is not None else np.zeros(values.shape, np.bool_)
    top = 65_535 if deep else 255
    heights = _scaled(path, values, top, how, voids)
    warnings = []
    if not deep:
        step = (float(how.max_m or 0.0) - float(how.min_m or 0.0)) / 255.0
        advice = "; --smooth softens them" if not how.smooth else ", softened as asked"
        warnings.append(f"{path} has 8 bits: steps of {step:.2g} m{advice}")
        if how.smooth:
            heights = _softened(heights)
    return Heightmap(heights, f"PNG, {16 if deep else 8} bits", warnings)


def _softened(heights: NDArray[np.float32]) -> NDArray[np.float32]:
    """[1 2 1]/4 along both axes, four times; missing data stays missing and does not spread."""
    known = np.isfinite(heights)
    weights = known.astype(np.float64)
    values = np.where(known, heights, 0.0).astype(np.float64)
    for _ in range(4):
        for axis in (0, 1):
            values, weights = (_blurred(array, axis) for array in (values, weights))
    return np.where(known, values / np.where(weights > 0.0, weights, 1.0), np.nan).astype(np.float32)


def _blurred(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    padded = np.moveaxis(
        np.pad(values, [(1, 1) if n == axis else (0, 0) for n in (0, 1)], mode="edge"), axis, 0
    )
    return np.moveaxis((padded[:-2] + 2.0 * padded[1:-1] + padded[2:]) * 0.25, 0, axis)


def _raw(path: Path, how: Reading) -> Heightmap:
    size = path.stat().st_size
    if size > 2 * MOST_SAMPLES:
        raise UsageError(f"{path} has {size} bytes; give up to {MOST_SAMPLES} samples of 2 bytes")
    side = math.isqrt(size // 2)
    columns, rows = how.columns or side, how.rows or side
    if size != 2 * columns * rows:
        raise UsageError(
            f"{path} has {size} bytes, which are not {columns} × {rows} samples of 2 bytes; give --size COLUMNSxROWS"
        )
    _check_size(path, columns, rows)
    values = np.fromfile(path, ">u2" if how.big_endian else "<u2").reshape(rows, columns)
    voids = values == how.nodata if how.nodata is not None else np.zeros(values.shape, np.bool_)
    order = "big" if how.big_endian else "little"
    return Heightmap(_scaled(path, values, 65_535, how, voids), f"raw, 16 bits, {order}-endian")


def _hgt(path: Path, how: Reading) -> Heightmap:
    size = path.stat().st_size
    side = math.isqrt(size // 2)
    if size != 2 * side * side or side not in _HGT_SIDES:
        raise UsageError(
            f"{path} has {size} bytes; an HGT tile has {' or '.join(f'{n}×{n}' for n in _HGT_SIDES)} samples of 2 bytes"
        )
    values = np.fromfile(path, ">i2").reshape(side, side).astype(np.float32)
    return Heightmap(_metres(values, how, None), "HGT, signed 16 bits, big-endian, metres", metric=True)


def _geotiff(path: Path, how: Reading) -> Heightmap:
    with tifffile.TiffFile(path) as file:
        page = file.pages.first
        if len(page.shape) != 2:
            raise UsageError(f"{path} has shape {page.shape}; give one band of heights")
        _check_size(path, page.shape[1], page.shape[0])
        tag = page.tags.get(_GDAL_NODATA)
        stated = _float_of(tag.value) if tag is not None else None
        scale = page.tags.get(33550)
        flipped = scale is not None and len(scale.value) > 1 and scale.value[1] < 0
        values = page.asarray()
    if values.dtype.kind not in "uif":
        raise UsageError(f"{path} holds {values.dtype} values; give whole or floating-point numbers")
    kind = str(values.dtype)
    if values.dtype == np.uint16 and how.min_m is not None and how.max_m is not None:
        voids = np.isin(values, [v for v in (stated, how.nodata) if v is not None])
        heights, metric = _scaled(path, values, 65_535, how, voids), False
    else:
        metric = True
        heights = _metres(values.astype(np.float64), how, stated)
    if flipped:
        heights = heights[::-1].copy()
    return Heightmap(
        heights, f"GeoTIFF, {kind}" + (", rows turned north first" if flipped else ""), metric=metric
    )


def _float_of(value: object) -> float | None:
    try:
        return float(str(value).strip("\x00 "))
    except ValueError:
        return None


def _metres(values: NDArray[Any], how: Reading, stated: float | None) -> NDArray[np.float32]:
    """Values that are metres; NaN where they mean "no data". 0 m is a height like any other."""
    voids = ~np.isfinite(values)
    with np.errstate(over="ignore"):
        for sentinel in (*NODATA_M, stated, how.nodata):
            if sentinel is not None and math.isfinite(sentinel):
                # As float32 too: −3.4e38 comes in either precision.
                voids |= (values == sentinel) | (values.astype(np.float32) == np.float32(sentinel))
        return np.where(voids, np.nan, values).astype(np.float32)
