"""Promises of the world function: bits that agree across pages, levels, blocks, threads and machines' moods."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import game
from game.core.coords import APRON, GENERATED, GENERATED_APRON, PAGE_QUADS, STORED, PageKey, page_at
from game.kernels import finish, fractal, landscape, noise
from game.world import World
from game.world.page import PageData
from game.world.recipe import Recipe
from game.world.source import HeightSource
from game.world.tables import build_tables

LAST = GENERATED - PAGE_QUADS
FAR = 10**9
LAYERS = ("gullies", "ground", "hummocks", "crags")
ORIGINS_M = (0, -1024, 1 << 24, 1 << 29, FAR, -FAR)


@pytest.fixture(scope="module")
def source() -> HeightSource:
    return HeightSource(Recipe.load("alpine"), 7)


@pytest.fixture(scope="module")
def peak(source: HeightSource) -> tuple[int, int]:
    """World position (x, z) of the highest land within some 50 km of the origin, metres."""
    heights = source.block(8, -200, -200, 400, 400)
    j, i = np.unravel_index(int(heights.argmax()), heights.shape)
    assert heights[j, i] > 1500.0
    return (int(i) - 200) * 256, (int(j) - 200) * 256


def digest(page: PageData) -> str:
    parts = (page.base, page.heights, page.normals, page.climate)
    return hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts)).hexdigest()


@pytest.mark.parametrize("origin", ORIGINS_M)
@pytest.mark.parametrize("level", [0, 3, 5, 6, 7, 8, 9])
def test_neighbours_agree_on_everything_they_share(source: HeightSource, level: int, origin: int) -> None:
    east = page_at(level, origin, -origin)
    here, west = source.generate(east), source.generate(PageKey(level, east.ix - 1, east.iz))
    north = source.generate(PageKey(level, east.ix, east.iz - 1))
    assert np.array_equal(here.base[:, :LAST], west.base[:, PAGE_QUADS:])
    assert np.array_equal(here.base[:LAST], north.base[PAGE_QUADS:])
    edge = 2 * APRON
    for name in ("heights", "normals", "climate"):
        mine, theirs = getattr(here, name), getattr(west, name)
        assert np.array_equal(mine[:, :edge], theirs[:, PAGE_QUADS:]), name
        assert np.array_equal(mine[:edge], getattr(north, name)[PAGE_QUADS:]), name


def test_g_is_the_parents_r_and_so_are_the_normals(source: HeightSource) -> None:
    rng = np.random.default_rng(5)
    steep = 0
    for case in range(80):
        level = case % 10
        span = PAGE_QUADS << level
        reach = 3 if case % 4 == 0 else FAR // span
        ix, iz = (int(v) for v in rng.integers(-reach, reach, 2))
        key = PageKey(level, ix, iz)
        child, parent = source.generate(key), source.generate(key.parent)
        x, z = APRON + (ix & 1) * 64, APRON + (iz & 1) * 64
        inside = (slice(z - 1, z + 66), slice(x - 1, x + 66))
        even = (slice(0, STORED, 2), slice(0, STORED, 2))
        assert np.array_equal(child.heights[even][:66, :66, 1], parent.heights[inside][:66, :66, 0])
        assert np.array_equal(child.normals[even][:66, :66, 2:], parent.normals[inside][:66, :66, :2])
        steep += int(np.ptp(child.heights[..., 0]) > 100)
    assert steep > 20  # the pages were not all flat


def test_blocks_are_pages(source: HeightSource) -> None:
    rng = np.random.default_rng(6)
    for level in (0, 2, 5, 6, 7, 8, 9, 11):
        key = PageKey(level, *(int(v) for v in rng.integers(-50, 50, 2)))
        page = source.generate(key)
        i0, j0 = (first - GENERATED_APRON for first in key.origin_sample)
        assert np.array_equal(source.block(level, i0, j0, GENERATED, GENERATED), page.base[..., 0])
        odd = source.block(level, i0 + 3, j0 + 70, 41, 7)
        assert np.array_equal(odd, page.base[70:77, 3:44, 0])
        wide = source.block(level, i0 - 100, j0 + 5, 300, 3)
        assert np.array_equal(wide[:, 100 : 100 + GENERATED], page.base[5:8, :, 0])
        assert source.block(level, i0 + 9, j0 + 11, 1, 1)[0, 0] == page.base[11, 9, 0]
    assert source.block(0, 0, 0, 0, 5).shape == (5, 0)


def test_page_fields(source: HeightSource, peak: tuple[int, int]) -> None:
    for level in (0, 4, 7):
        key = page_at(level, *peak)
        page = source.generate(key)
        s = float(key.spacing_m)
        assert page.edited is page.base
        assert np.array_equal(page.heights, page.base[2:134, 2:134])
        assert page.heights.flags.c_contiguous
        assert np.isfinite(page.base).all()
        assert page.min_m == page.heights.min()
        assert page.max_m == page.heights.max()
        r = page.base[..., 0].astype(np.float64)
        nx, nz = r[2:134, 1:133] - r[2:134, 3:135], r[1:133, 2:134] - r[3:135, 2:134]
        length = np.sqrt(nx**2 + nz**2 + (2 * s) ** 2)
        for channel, component in ((0, nx), (1, nz)):
            exact = component / length * 127.5 + 127.5
            assert np.abs(page.normals[..., channel] - exact).max() <= 0.501
        temperature = page.climate[..., 0] / 255.0 * 60.0 - 20.0
        rise = page.heights[..., 0]
        flat = temperature + 0.0065 * rise
        # At sea level the climate changes over tens of kilometres only: the lapse rate explains the rest.
        assert np.ptp(flat) < (1.0, 2.0, 8.0)[(0, 4, 7).index(level)]


def test_finish_page_touches_its_box_only(source: HeightSource) -> None:
    page = source.generate(PageKey(1, 3, -2))
    edited = page.base.copy()
    edited[60:64, 70:75] += np.float32(25.0)
    heights, normals = page.heights.copy(), page.normals.copy()
    low, high = finish.finish_page(edited, 2, 56, 64, 66, 75, heights, normals)
    whole_heights, whole_normals = page.heights.copy(), page.normals.copy()
    bounds = finish.finish_page(edited, 2, 0, STORED, 0, STORED, whole_heights, whole_normals)
    assert np.array_equal(heights, whole_heights)
    assert np.array_equal(normals, whole_normals)
    assert (low, high) == bounds == (heights.min(), heights.max())


def test_same_bytes_from_any_thread(source: HeightSource) -> None:
    keys = [PageKey(level, ix, 3) for level in (0, 3, 6, 8) for ix in (-2, 5)]
    serial = {key: digest(source.generate(key)) for key in keys}
    found: list[tuple[PageKey, str]] = []

    def work(order: list[PageKey]) -> None:
        found.extend((key, digest(source.generate(key))) for key in order)

    threads = [threading.Thread(target=work, args=(keys[k:] + keys[:k],)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 * len(keys)
    assert all(serial[key] == value for key, value in found)


PLAIN = """
import numpy as np
from game.world.recipe import Recipe
from game.world.source import HeightSource
np.seterr(all='raise', under='ignore')
source = HeightSource(Recipe.load("alpine"), 7)
for level, i0, j0 in ((0, -9723, 79616), (7, 3, -5), (9, 1000, 20)):
    print(source.block(level, i0, j0, 3, 2).tobytes().hex())
print(source.forest_nodes(5, -7, 2, 2).tobytes().hex(), source.uplift(3.0, 4.0))
"""


def run(code: str, **environment: str) -> str:
    root = Path(game.__file__).resolve().parents[1]
    return subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(root)} | environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_jitted_equals_plain_python() -> None:
    assert run(PLAIN, NUMBA_DISABLE_JIT="1") == run(PLAIN)


@pytest.mark.slow
def test_same_bytes_on_a_generic_cpu() -> None:
    code = (
        "import hashlib\n"
        "from game.core.coords import PageKey\n"
        "from game.world.recipe import Recipe\n"
        "from game.world.source import HeightSource\n"
        "source = HeightSource(Recipe.load('alpine'), 7)\n"
        "for level in range(10):\n"
        "    p = source.generate(PageKey(level, -3, 4))\n"
        "    print(hashlib.sha256(p.base.tobytes() + p.normals.tobytes() + p.climate.tobytes()).hexdigest())\n"
    )
    assert run(code, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="") == run(code)


def test_a_point_has_the_bits_of_the_grid() -> None:
    """From several threads at once, on both sides of the borders of what is kept, near and far."""
    for name in ("alpine", "dunes", "fbm"):
        world = World(name, seed=7)
        for x0, z0 in ((-517.0, 505.0), (FAR - 600.0, -FAR + 40.0)):
            grid = world.heights(x0, z0, 40, 3, 1.0)
            between = world.heights(x0 + 0.3, z0 - 0.7, 40, 3, 1.0)

            def points(x0: float = x0, z0: float = z0, world: World = world) -> list[float]:
                shifts = ((0.0, 0.0), (0.3, -0.7))
                return [
                    world.height(x0 + i + dx, z0 + j + dz)
                    for dx, dz in shifts
                    for j in range(3)
                    for i in range(40)
                ]

            with ThreadPoolExecutor(3) as pool:
                for found in pool.map(lambda _: points(), range(3)):
                    assert np.array_equal(
                        np.array(found, np.float32), np.concatenate([grid, between]).ravel()
                    )


def test_wavelengths_are_the_recipes() -> None:
    """Lattice steps of every octave, in the unit its kernel reads."""
    recipe = Recipe.load("alpine")
    tables = build_tables(recipe, 7)
    belt = landscape.COARSE_OCTAVES.index("belt")
    crest = landscape.MID_OCTAVES.index("crest")
    found = (
        noise.WARPED_SCALE / tables.coarse[belt, 0],
        noise.WARPED_SCALE / tables.mid[crest, 0],
        noise.ALIGNED_SCALE / tables.glades[0, 0],
        noise.ALIGNED_SCALE / tables.gully_octaves[2, 0],
        noise.ALIGNED_SCALE / tables.ground_octaves[1, 0],
    )
    expected = (
        recipe.ranges.belt_wavelength_m,
        recipe.valleys.crest_wavelength_m,
        recipe.forest.glade_wavelength_m,
        recipe.gullies.wavelength_m / 4.0 * fractal.CELL_RATIO,
        recipe.ground.wavelength_m / 2.0,
    )
    assert found == pytest.approx(expected, rel=1e-4)


def test_seeds() -> None:
    recipe, key = Recipe.load("alpine"), PageKey(4, 0, 0)
    pages = {seed: digest(HeightSource(recipe, seed).generate(key)) for seed in (0, 1, -1, 1 << 63, 12345)}
    assert len(set(pages.values())) == len(pages)
    assert digest(HeightSource(recipe, (1 << 64) + 1).generate(key)) == pages[1]
    assert digest(HeightSource(recipe, (1 << 64) - 1).generate(key)) == pages[-1]
    # Another seed is other land, not the same land elsewhere.
    a, b = (HeightSource(recipe, seed).block(6, 0, 0, 400, 400).astype(np.float64) for seed in (0, 1))
    assert abs(np.corrcoef(a.ravel(), b.ravel())[0, 1]) < 0.9


def test_forest_is_the_same_whoever_asks(source: HeightSource) -> None:
    whole = source.forest_nodes(-40, 1200, 300, 20)
    assert whole.shape == (20, 300)
    assert whole.dtype == np.float32
    assert whole.min() >= 0.0
    assert whole.max() <= 1.0
    assert 0.05 < whole.mean() < 0.95
    assert np.array_equal(source.forest_nodes(-37, 1203, 9, 5), whole[3:8, 3:12])
    assert np.array_equal(source.forest_nodes(250, 1210, 1, 1), whole[10:11, 290:291])
    # Climate bytes of pages whose samples are nodes carry the same density.
    page = source.generate(PageKey(6, -1, 9))
    nodes = source.forest_nodes(-128 - APRON, 9 * 128 - APRON, STORED, STORED)
    assert np.abs(page.climate[..., 3] / 255.0 - nodes).max() <= 0.5 / 255.0 + 1e-6


def test_no_trees_in_the_cold(source: HeightSource, peak: tuple[int, int]) -> None:
    """Around the highest peak near the origin; warmer slopes there are wooded."""
    i0, j0 = peak[0] // 64 - 60, peak[1] // 64 - 60
    forest = source.forest_nodes(i0, j0, 120, 120)
    cold = wooded = 0
    line_c = source.recipe.forest.treeline_c
    for j in range(0, 120, 6):
        for i in range(0, 120, 6):
            temperature = source.climate_at(64.0 * (i0 + i), 64.0 * (j0 + j)).temperature_c
            if temperature < line_c - 3.0:
                cold += 1
                assert forest[j, i] == 0.0
            wooded += int(temperature > line_c + 3.0 and forest[j, i] > 0.5)
    assert cold > 5
    assert wooded > 5


def test_no_trees_on_walls_of_the_skeleton(source: HeightSource, peak: tuple[int, int]) -> None:
    """Slope over ±128 m of the land without gullies, ground, hummocks and crags, which is what forest knows."""
    recipe = source.recipe
    bare = dataclasses.replace(
        recipe,
        **{name: dataclasses.replace(getattr(recipe, name), octaves=0) for name in LAYERS},
    )
    skeleton = HeightSource(bare, source.seed)
    i0, j0 = peak[0] // 64 - 60, peak[1] // 64 - 60
    forest = source.forest_nodes(i0, j0, 120, 120)
    assert np.array_equal(skeleton.forest_nodes(i0, j0, 120, 120), forest)
    heights = skeleton.block(6, i0 - 2, j0 - 2, 124, 124).astype(np.float64)
    slope = np.hypot(heights[2:-2, 4:] - heights[2:-2, :-4], heights[4:, 2:-2] - heights[:-4, 2:-2]) / 256.0
    steep = slope > recipe.forest.slope_high + 1e-4
    assert steep.sum() > 50
    assert forest[steep].max() == 0.0
    assert forest[slope < recipe.forest.slope_low].max() > 0.9


def test_climate_at_agrees_with_the_page(source: HeightSource, peak: tuple[int, int]) -> None:
    key = page_at(0, *peak)
    page = source.generate(key)
    x, z = key.origin_m
    for i, j in ((0, 0), (17, 90), (127, 64)):
        temperature, humidity, rock, trees = source.climate_at(x + i, z + j)
        exact = ((temperature + 20.0) / 60.0, humidity, rock, trees)
        assert np.abs(page.climate[j + APRON, i + APRON] / 255.0 - exact).max() < 0.5 / 255.0 + 1e-5


def test_refusals(source: HeightSource) -> None:
    with pytest.raises(ValueError, match="level = 17"):
        source.generate(PageKey(17, 0, 0))
    with pytest.raises(ValueError, match="ix is not accepted"):
        source.generate(PageKey(0, 1 << 40, 0))
    with pytest.raises(ValueError, match="uplift: x = nan"):
        source.uplift(float("nan"), 0.0)
    with pytest.raises(ValueError, match="climate_at: z"):
        source.climate_at(0.0, 2.0**31)
    with pytest.raises(ValueError, match="size of -1"):
        source.block(0, 0, 0, -1, 5)
    world = World("alpine", 7)
    with pytest.raises(ValueError, match="spacing = 0"):
        world.heights(0, 0, 2, 2, 0.0)
    with pytest.raises(ValueError, match="x from"):
        world.heights(2.0**31, 0, 2, 2, 1.0)
    with pytest.raises(ValueError, match="nx = 0"):
        world.heights(0, 0, 0, 2, 1.0)


def test_the_edge_of_the_world_has_a_view(source: HeightSource) -> None:
    for level in (0, 9, 16):
        page = source.generate(page_at(level, 1.0e9 + 1.9e5, -1.0e9 - 1.9e5))
        assert np.isfinite(page.base).all()


def test_far_land_is_as_rough_as_near_land(source: HeightSource) -> None:
    """Adjacent level-0 samples differ by metres per metre, never by the rounding of a large float."""
    for x, z in ((0, 0), (1 << 24, 77), (-FAR, FAR)):
        block = source.block(0, x, z, 200, 200).astype(np.float64)
        second = np.diff(block, 2, axis=1)
        assert np.abs(second).max() < 1.5
        assert len(np.unique(second)) > 100


class TestWorld:
    """The façade."""

    def test_aligned_heights_are_page_bits(self) -> None:
        world = World("alpine", seed=7)
        for level in (0, 3, 7):
            s = 1 << level
            got = world.heights(-5 * s, 9 * s, 11, 6, float(s))
            assert got.shape == (6, 11)
            assert np.array_equal(got, world.source.block(level, -5, 9, 11, 6))
        assert world.height(40.0, -17.0) == world.source.block(0, 40, -17, 1, 1)[0, 0]

    def test_other_spacings_are_the_unlimited_land(self) -> None:
        """Level 0 of this recipe is not limited, so the two ways to ask meet within a millimetre."""
        world = World("alpine", seed=7)
        fine = world.heights(-9728, 79616, 40, 30, 1.0)
        assert np.abs(world.heights(-9728.0004, 79616.0004, 40, 30, 1.0) - fine).max() < 1e-3
        assert np.abs(world.heights(-9728.0, 79616.0, 14, 10, 3.0) - fine[::3, ::3]).max() < 1e-3
        sparse = world.heights(-9728.0, 79616.0, 3, 2, 30000.0)
        for j in range(2):
            for i in range(3):
                assert sparse[j, i] == pytest.approx(
                    world.height(-9728.0 + 30000.0 * i, 79616.0 + 30000.0 * j), abs=1e-3
                )

    def test_normal_biome_and_explanation(self) -> None:
        world = World("alpine", seed=7)
        n = world.normal(-9000.0, 79000.0)
        assert np.hypot(np.hypot(n[0], n[1]), n[2]) == pytest.approx(1.0)
        assert n[1] > 0.0
        why = world.explain(-9760.0, 79600.0)
        assert why.height_m == world.height(-9760.0, 79600.0)
        assert why.biome == world.biome(-9760.0, 79600.0)
        assert why.slope >= 0.0

    def test_a_saved_world_with_edits(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        from game.world.edits import EditLog
        from game.world.save import SavedWorld, save_world

        monkeypatch.setenv("VELOTERRA_DATA_DIR", str(tmp_path))
        edits = EditLog()
        edits.apply("raise", 100.0, 50.0, 20.0, 6.0)
        save_world("hill", SavedWorld("alpine", 7, edits))
        plain, hill = World("alpine", 7), World("hill")
        assert hill.seed == 7
        rise = hill.heights(60, 10, 81, 81, 1.0) - plain.heights(60, 10, 81, 81, 1.0)
        assert rise.max() == pytest.approx(6.0, abs=1e-3)
        assert rise[0, 0] == 0.0
        shifted = hill.heights(60.25, 10.25, 80, 80, 1.0) - plain.heights(60.25, 10.25, 80, 80, 1.0)
        assert (
            np.abs(
                shifted - (rise[:-1, :-1] * 9 + rise[:-1, 1:] * 3 + rise[1:, :-1] * 3 + rise[1:, 1:]) / 16
            ).max()
            < 0.02
        )
        assert hill.height(100.0, 50.0) == pytest.approx(plain.height(100.0, 50.0) + 6.0, abs=1e-3)
