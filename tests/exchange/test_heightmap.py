"""Files out and in: orientation, range, 16 exact bits, missing data, and refusals in one sentence."""

from __future__ import annotations

import json
import locale
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
from PIL import Image

from game.core.errors import UsageError
from game.exchange import heightmap
from game.exchange.heightmap import Area, export
from game.exchange.heightmap_in import Heightmap, Reading, read
from tests.exchange.grid import F_COLUMNS, F_ROWS, Flatland, letter_f

X0, Z0, STEP = -30.0, 12.0, 5.0
ENDINGS = {"png16": "png", "r16": "r16", "geotiff": "tif"}


def area_of(heights: np.ndarray) -> Area:
    rows, columns = heights.shape
    return Area.of(X0, Z0, X0 + (columns - 1) * STEP, Z0 + (rows - 1) * STEP, STEP)


def write(path: Path, heights: np.ndarray, form: str, **options: Any) -> dict[str, Any]:
    world: Any = Flatland(heights, X0, Z0, STEP)
    assert export(world, area_of(heights), form, path, {"world": "f", "seed": 1}, **options) == []
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name, path.name + ".json"]
    return json.loads(path.with_name(path.name + ".json").read_text())


@pytest.mark.parametrize("form", list(ENDINGS))
def test_an_f_stays_an_f_through_a_round_trip(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"f.{ENDINGS[form]}"
    facts = write(path, letter_f(), form)
    assert (facts["columns"], facts["rows"], facts["min_m"], facts["max_m"]) == (
        F_COLUMNS,
        F_ROWS,
        10.0,
        50.0,
    )
    assert (facts["x0_m"], facts["z0_m"], facts["x1_m"], facts["z1_m"]) == (-30.0, 12.0, 0.0, 52.0)
    # The sidecar says range and size: nothing need be given.
    assert np.array_equal(read(path, Reading()).heights, letter_f())


def test_other_programs_see_the_f_too(tmp_path: Path) -> None:
    for form, ending in ENDINGS.items():
        (tmp_path / form).mkdir()
        write(tmp_path / form / f"f.{ending}", letter_f(), form)
    high = letter_f() == 50.0
    with Image.open(tmp_path / "png16" / "f.png") as image:
        assert image.mode == "I;16"
        assert np.array_equal(np.asarray(image), np.where(high, 65_535, 0))
    raw = np.fromfile(tmp_path / "r16" / "f.r16", "<u2").reshape(F_ROWS, F_COLUMNS)
    assert np.array_equal(raw, np.where(high, 65_535, 0))
    with tifffile.TiffFile(tmp_path / "geotiff" / "f.tif") as file:
        page = file.pages.first
        assert np.array_equal(page.asarray(), letter_f())
        assert page.tags[33550].value == (5.0, 5.0, 0.0)
        # North up: Y falls as z grows.
        assert page.tags[33922].value == (0.0, 0.0, 0.0, -30.0, -12.0, 0.0)
        assert page.geotiff_tags["GTRasterTypeGeoKey"] == 2
        assert page.geotiff_tags["ProjLinearUnitsGeoKey"] == 9001


def obj_of(path: Path) -> tuple[np.ndarray, np.ndarray]:
    lines = path.read_text(encoding="ascii").splitlines()
    vertices = np.array([[float(v) for v in line.split()[1:]] for line in lines if line.startswith("v ")])
    faces = np.array([[int(v) for v in line.split()[1:]] for line in lines if line.startswith("f ")])
    return vertices, faces - 1


def german() -> str | None:
    for name in ("de_DE.UTF-8", "de_DE.utf8", "de_DE", "German_Germany.1252"):
        try:
            return locale.setlocale(locale.LC_ALL, name)
        except locale.Error:
            continue
    return None


def test_obj_is_y_up_metres_counter_clockwise_whatever_the_locale(tmp_path: Path) -> None:
    heights = letter_f() + np.float32(0.125)
    before = locale.setlocale(locale.LC_ALL)
    try:
        german()  # where the machine has none, the form is the same anyway
        facts = write(tmp_path / "f.obj", heights, "obj")
    finally:
        locale.setlocale(locale.LC_ALL, before)
    assert "," not in (tmp_path / "f.obj").read_text().split("o land")[1]
    vertices, faces = obj_of(tmp_path / "f.obj")
    j, i = np.mgrid[:F_ROWS, :F_COLUMNS]
    assert np.array_equal(vertices[:, 0], (X0 + STEP * i).ravel())
    assert np.array_equal(vertices[:, 1], heights.ravel())
    assert np.array_equal(vertices[:, 2], (Z0 + STEP * j).ravel())
    assert len(faces) == 2 * (F_ROWS - 1) * (F_COLUMNS - 1)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    # Counter-clockwise from above in right-handed axes: every normal points up, over the same area.
    assert np.allclose(normals[:, 1], STEP * STEP)
    assert facts["origin_m"] == [0.0, 0.0]
    write(tmp_path / "f.obj", heights, "obj", local=True)
    assert np.array_equal(obj_of(tmp_path / "f.obj")[0][:, 0], (STEP * i).ravel())


def test_far_obj_coordinates_are_warned_about(tmp_path: Path) -> None:
    world: Any = Flatland(letter_f(), 1e6, 0.0, STEP)
    area = Area.of(1e6, 0.0, 1e6 + 30.0, 40.0, STEP)
    [warning] = export(world, area, "obj", tmp_path / "far.obj", {})
    assert "--local" in warning
    assert export(world, area, "obj", tmp_path / "far.obj", {}, local=True) == []


@pytest.mark.parametrize("form", ["png16", "r16"])
def test_all_65536_levels_come_back(tmp_path: Path, form: str) -> None:
    ramp = (np.arange(65_536, dtype=np.float64) * 0.0625 - 1000.0).astype(np.float32).reshape(128, 512)
    path = tmp_path / f"ramp.{ENDINGS[form]}"
    write(path, ramp, form)
    if form == "png16":
        with Image.open(path) as image:
            values = np.asarray(image)
    else:
        values = np.fromfile(path, "<u2").reshape(128, 512)
    assert np.array_equal(values.ravel(), np.arange(65_536))
    assert np.array_equal(read(path, Reading()).heights, ramp)


def test_levels_survive_any_range(tmp_path: Path) -> None:
    values = np.arange(65_536, dtype="<u2")
    values.tofile(tmp_path / "in.r16")
    for low, high in ((-431.7, 3877.31), (0.0, 1.0), (-11_000.0, 8849.0)):
        heights = read(tmp_path / "in.r16", Reading(low, high)).heights
        (tmp_path / "out").mkdir(exist_ok=True)
        for file in (tmp_path / "out").iterdir():
            file.unlink()
        write(tmp_path / "out" / "o.r16", heights, "r16", low_m=low, high_m=high)
        assert np.array_equal(np.fromfile(tmp_path / "out" / "o.r16", "<u2"), values)


def test_heights_beyond_the_given_range_are_not_cut_silently(tmp_path: Path) -> None:
    world: Any = Flatland(letter_f(), X0, Z0, STEP)
    [warning] = export(world, area_of(letter_f()), "r16", tmp_path / "f.r16", {}, low_m=20.0, high_m=30.0)
    assert "--min" in warning
    flat: Any = Flatland(np.full((3, 3), 5.0, np.float32), X0, Z0, STEP)
    assert export(flat, Area.of(X0, Z0, X0 + 10, Z0 + 10, STEP), "png16", tmp_path / "flat.png", {}) == []
    assert (read(tmp_path / "flat.png", Reading()).heights == 5.0).all()


def test_large_areas_go_in_tiles_within_bounded_memory(tmp_path: Path) -> None:
    side = 1537
    heights = (np.arange(side * side, dtype=np.float32) % 977).reshape(side, side)
    world: Any = Flatland(heights, X0, Z0, STEP)
    seen: list[int] = []
    tracemalloc.start()
    export(world, area_of(heights), "geotiff", tmp_path / "g.tif", {}, lambda done, total: seen.append(done))
    export(world, area_of(heights), "png16", tmp_path / "g.png", {})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert max(world.asked) <= heightmap.TILE**2
    assert seen == sorted(seen)
    assert seen[-1] == side * side
    assert peak < 0.9 * heights.nbytes
    assert np.array_equal(read(tmp_path / "g.tif", Reading()).heights, heights)


def test_a_full_disk_leaves_the_file_that_was_there(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="limits of a process are POSIX")
    path = tmp_path / "f.tif"
    path.write_bytes(b"mine")
    world: Any = Flatland(np.zeros((300, 300), np.float32), X0, Z0, STEP)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        with pytest.raises(UsageError, match="free space"):
            export(world, Area.of(X0, Z0, X0 + 1495, Z0 + 1495, STEP), "geotiff", path, {})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_bytes() == b"mine"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("bounds", "named"),
    [
        ((0, 0, 0, 10, 1), "empty"),
        ((10, 0, 0, 10, 1), "empty"),
        ((0, 0, 10, 10, 50), "--spacing"),
        ((0, 0, 2e9, 10, 1), "X1"),
        ((0, 0, float("nan"), 10, 1), "X1"),
        ((0, 0, 1e8, 1e8, 1), "at most"),
    ],
)
def test_unusable_bounds_are_sentences(bounds: tuple[float, ...], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        Area.of(*bounds)


def test_both_borders_are_included() -> None:
    assert Area.of(0.0, 0.0, 1.0, 0.7, 0.1).columns == 11
    assert Area.of(-10.0, 0.0, 10.0, 9.9, 2.0).rows == 5


# Reading.


def tiff(path: Path, values: np.ndarray, nodata: str | None = None) -> Path:
    tags = [] if nodata is None else [(42113, "s", len(nodata) + 1, nodata, True)]
    tifffile.imwrite(path, values, extratags=tags, metadata=None)
    return path


@pytest.mark.parametrize(
    ("dtype", "void", "stated"),
    [
        (np.int16, -32768, None),
        (np.int16, -9999, None),
        (np.float32, -9999, None),
        (np.float32, np.nan, None),
        (np.float32, -3.4028235e38, "-3.4028234663852886e+38"),
        (np.float64, -1.7976931348623157e308, "-1.7976931348623157e+308"),
        (np.float64, 1e20, "1e+20"),
        (np.float32, 7.0, "7"),
    ],
)
def test_nodata_of_every_kind_is_missing_and_zero_is_a_height(
    tmp_path: Path, dtype: Any, void: float, stated: str | None
) -> None:
    values = np.zeros((5, 5), dtype)
    values[1, 1:] = 100
    values[2, 3] = void
    found = read(tiff(tmp_path / "n.tif", values, stated), Reading())
    expected = values.astype(np.float64)
    expected[2, 3] = np.nan
    assert np.array_equal(found.heights, expected.astype(np.float32), equal_nan=True)
    assert "1 of 25 samples" in found.warnings[0]


def test_an_hgt_tile_with_voids(tmp_path: Path) -> None:
    values = np.zeros((1201, 1201), ">i2")
    values[0, 0], values[0, 1200], values[1200, 3] = 4807, -12, 258
    values[600, 600:610] = -32768
    (tmp_path / "N45E006.hgt").write_bytes(values.tobytes())
    found = read(tmp_path / "N45E006.hgt", Reading())
    assert found.heights.shape == (1201, 1201)
    assert (found.heights[0, 0], found.heights[0, 1200], found.heights[1200, 3]) == (4807.0, -12.0, 258.0)
    assert np.isnan(found.heights[600, 600:610]).all()
    assert np.isfinite(found.heights).sum() == 1201 * 1201 - 10


def test_rows_stored_south_first_are_turned(tmp_path: Path) -> None:
    path = tmp_path / "s.tif"
    tags = [(33550, "d", 3, (5.0, -5.0, 0.0), True)]
    tifffile.imwrite(path, letter_f()[::-1].copy(), extratags=tags, metadata=None)
    assert np.array_equal(read(path, Reading()).heights, letter_f())


def test_eight_bits_are_warned_about_and_softened_on_demand(tmp_path: Path) -> None:
    ramp = np.repeat(np.arange(16, dtype=np.uint8)[None], 12, 0).repeat(8, 1)
    Image.fromarray(ramp).save(tmp_path / "low.png")

    def jump(found: Heightmap) -> float:
        return float(np.abs(np.diff(found.heights[6])).max())

    plain = read(tmp_path / "low.png", Reading(0.0, 2550.0))
    assert "8 bits: steps of 10 m" in plain.warnings[0]
    assert "--smooth" in plain.warnings[0]
    assert jump(plain) == 10.0
    assert jump(read(tmp_path / "low.png", Reading(0.0, 2550.0, smooth=True))) < 4.0


def test_raw_files_of_either_order_and_any_shape(tmp_path: Path) -> None:
    values = (np.arange(63).reshape(9, 7) * 1000).astype(np.uint16)
    (tmp_path / "b.raw").write_bytes(values.astype(">u2").tobytes())
    how = Reading(0.0, 6_553.5, columns=7, rows=9, big_endian=True, nodata=5000.0)
    heights = read(tmp_path / "b.raw", how).heights
    assert np.isnan(heights[0, 5])
    heights[0, 5] = 500.0
    assert np.allclose(heights, values * 0.1)


def bad_files(directory: Path) -> dict[str, tuple[bytes, Reading, str]]:
    ranged = Reading(0.0, 100.0)
    return {
        "a.txt": (b"x", ranged, "ending"),
        "a.png": (b"\x89PNG\r\n\x1a\n" + b"\0" * 9, ranged, "cannot be read"),
        "b.png": (b"", ranged, "cannot be read"),
        "a.tif": (b"II*\0\x08\0\0\0", Reading(), "cannot be read"),
        "b.tif": (b"not a tiff", Reading(), "cannot be read"),
        "a.hgt": (b"\0" * 100, Reading(), "1201"),
        "a.r16": (b"\0" * 6, ranged, "--size"),
        "b.r16": (b"\0" * 32, Reading(), "--min and --max"),
        "c.r16": (b"\0" * 32, Reading(5.0, 5.0), "--max"),
    }


def test_damaged_and_unclear_files_are_sentences(tmp_path: Path) -> None:
    for name, (content, how, named) in bad_files(tmp_path).items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(UsageError, match=named):
            read(tmp_path / name, how)
    with pytest.raises(UsageError, match="does not exist"):
        read(tmp_path / "none.png", Reading())
    Image.new("RGB", (4, 4)).save(tmp_path / "colour.png")
    with pytest.raises(UsageError, match="one channel"):
        read(tmp_path / "colour.png", Reading(0.0, 1.0))
    with pytest.raises(UsageError, match="every sample"):
        read(tiff(tmp_path / "v.tif", np.full((4, 4), np.nan, np.float32)), Reading())
    with pytest.raises(UsageError, match="one band"):
        read(tiff(tmp_path / "rgb.tif", np.zeros((4, 4, 3), np.uint8)), Reading())
    with pytest.raises(UsageError, match="metres; leave"):
        read(tiff(tmp_path / "m.tif", np.zeros((4, 4), np.float32)), Reading(0.0, 5.0))
    with pytest.raises(UsageError, match="--nodata"):
        read(tiff(tmp_path / "h.tif", np.full((4, 4), 1e7, np.float32)), Reading())
