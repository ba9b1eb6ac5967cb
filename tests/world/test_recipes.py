"""Promises that every recipe keeps, and what the numbers of `classic` and `fbm` mean."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import game
from game.core.coords import APRON, GENERATED, PAGE_QUADS, STORED, PageKey, page_at
from game.core.errors import UsageError
from game.kernels import fractal, hashing, noise, ranges, scatter, shaping, warmup
from game.world import World
from game.world.edits import EditLog
from game.world.land import LandSource
from game.world.recipe import Recipe
from game.world.source import HeightSource
from game.world.spawn import find_spawn
from game.world.tables import FBM_CELLS, build_tables

RECIPES = ("alpine", "classic", "desert", "dunes", "fbm", "islands", "volcanic")
FAR = 10**9
REFERENCE = Path(__file__).with_name("reference_pages.json")
LEVELS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)


@pytest.fixture(scope="module")
def sources() -> dict[str, HeightSource]:
    return {name: HeightSource(Recipe.load(name), 7) for name in RECIPES}


def test_these_are_the_shipped_recipes() -> None:
    assert set(RECIPES) == set(Recipe.names())


@pytest.mark.parametrize("name", RECIPES)
def test_g_is_the_parents_r_and_neighbours_agree(sources: dict[str, HeightSource], name: str) -> None:
    """Random pages of levels 0 … 9, near and out to ±1e9 m, with their parents and a neighbour."""
    source = sources[name]
    rng = np.random.default_rng(RECIPES.index(name))
    for case in range(30):
        level = case % 10
        span = PAGE_QUADS << level
        reach = 3 if case % 3 == 0 else FAR // span
        ix, iz = (int(v) for v in rng.integers(-reach, reach, 2))
        key = PageKey(level, ix, iz)
        child, parent = source.generate(key), source.generate(key.parent)
        assert np.isfinite(child.base).all()
        x, z = APRON + (ix & 1) * 64, APRON + (iz & 1) * 64
        inside = (slice(z - 1, z + 66), slice(x - 1, x + 66))
        even = (slice(0, STORED, 2), slice(0, STORED, 2))
        assert np.array_equal(child.heights[even][:66, :66, 1], parent.heights[inside][:66, :66, 0]), key
        assert np.array_equal(child.normals[even][:66, :66, 2:], parent.normals[inside][:66, :66, :2]), key
        beside = source.generate(PageKey(level, ix + 1, iz))
        last = GENERATED - PAGE_QUADS
        assert np.array_equal(child.base[:, PAGE_QUADS:], beside.base[:, :last]), key
        assert np.array_equal(child.climate[:, PAGE_QUADS:], beside.climate[:, : 2 * APRON]), key


@pytest.mark.parametrize("name", RECIPES)
def test_blocks_and_forest_do_not_depend_on_their_origin(sources: dict[str, HeightSource], name: str) -> None:
    source = sources[name]
    for level in (0, 5, 7, 8, 9):
        whole = source.block(level, -FAR >> level, 77, 150, 40)
        assert np.array_equal(source.block(level, (-FAR >> level) + 13, 80, 7, 5), whole[3:8, 13:20])
    forest = source.forest_nodes(-40, 1200, 60, 20)
    assert np.array_equal(source.forest_nodes(-37, 1203, 9, 5), forest[3:8, 3:12])


@pytest.mark.parametrize("name", [name for name in RECIPES if name != "dunes"])
def test_the_spectrum_has_no_axes_and_no_lattice_peak(sources: dict[str, HeightSource], name: str) -> None:
    """Power along the lattice's axes against power in all directions, ring by ring. (Dunes have a wind.)"""
    size = 256
    window = np.outer(np.hanning(size), np.hanning(size))
    power = np.zeros((size, size))
    for k in range(6):
        level = 1 if name == "classic" else 4
        block = sources[name].block(level, 5000 * k - 9000, 3000 * k + 700, size, size).astype(np.float64)
        spectrum = np.abs(np.fft.fft2((block - block.mean()) * window)) ** 2
        power += spectrum / spectrum.sum()
    f = np.rint(np.fft.fftfreq(size) * size).astype(int)
    radius = np.rint(np.hypot(f[:, None], f[None, :])).astype(int)
    for r in range(6, 90, 6):
        ring = (radius >= r) & (radius < r + 6)
        axes = ring & ((np.abs(f)[:, None] <= 1) | (np.abs(f)[None, :] <= 1))
        assert power[axes].mean() < 3.0 * power[ring].mean(), r


def test_dunes_face_the_wind(sources: dict[str, HeightSource]) -> None:
    """Slip faces are as steep as sand lies and look away from the wind; windward slopes are long and gentle."""
    recipe = Recipe.load("dunes")
    bare = dataclasses.replace(
        recipe, macros=(), masks=(), land=dataclasses.replace(recipe.land, gullies="", dunes="", hummocks="")
    )
    heights = HeightSource(bare, 7).block(1, 0, 0, 600, 600).astype(np.float64)
    slope = np.diff(heights, axis=1) / 2.0
    assert 0.35 < np.percentile(-slope, 99.5) < 0.95
    assert np.percentile(slope, 99.5) < 0.8 * np.percentile(-slope, 99.5)
    assert (slope > 0.0).mean() > 0.55


@pytest.mark.parametrize("name", ["desert", "dunes"])
def test_no_desert_lake(sources: dict[str, HeightSource], name: str) -> None:
    source = sources[name]
    for x, z in ((0, 0), (FAR, -FAR), (3_000_000, 77_777)):
        assert source.block(8, (x >> 8) - 300, (z >> 8) - 300, 600, 600).min() > 5.0


def test_islands_are_land_and_sea(sources: dict[str, HeightSource]) -> None:
    heights = sources["islands"].block(8, -400, -400, 800, 800)
    assert 0.15 < (heights > 0.0).mean() < 0.6
    assert heights.max() > 1000.0
    fine = sources["islands"].block(3, -12_000, -12_000, 2000, 2000).astype(np.float64)
    slope = np.hypot(*np.gradient(fine, 8.0))
    shore, above = np.abs(fine[1:-1, 1:-1]) < 2.0, (fine > 30.0)[1:-1, 1:-1]
    assert np.median(slope[1:-1, 1:-1][shore]) < 0.6 * np.median(slope[1:-1, 1:-1][above])


def test_recipes_are_data_not_code() -> None:
    """Another recipe, or another value of any parameter, compiles nothing."""
    key = PageKey(2, 3, -5)
    first = HeightSource(Recipe.load("alpine"), 1)
    first.generate(key)
    first.uplift(5.0, 7.0)
    first.climate_at(5.0, 7.0)
    HeightSource(Recipe.load("desert"), 1).uplift(5.0, 7.0)  # the other kind of landscape
    before = warmup.compiled_signatures()
    for name in RECIPES:
        recipe = Recipe.load(name)
        source = HeightSource(recipe, 1)
        source.generate(key)
        source.uplift(5.0, 7.0)
        source.climate_at(5.0, 7.0)
        fewer = dataclasses.replace(recipe, gullies=dataclasses.replace(recipe.gullies, octaves=1))
        HeightSource(fewer, 1).generate(key)
    assert warmup.compiled_signatures() == before


def changed(part: object, item: dataclasses.Field[object], recipe: Recipe) -> Recipe | None:
    """`recipe` with one number of one table moved toward the middle of its range; None for what is no number."""
    old = getattr(part, item.name)
    if "low" not in item.metadata or item.name == "octaves":
        return None
    new = old + 0.03 * (min(item.metadata["high"], 2.0 * abs(old) + 1.0) - old)
    section = next(f.name for f in dataclasses.fields(Recipe) if getattr(recipe, f.name) is part)
    return dataclasses.replace(recipe, **{section: dataclasses.replace(part, **{item.name: new})})  # type: ignore[type-var]


@pytest.mark.parametrize("name", ["alpine", "dunes", "fbm"])
def test_every_number_of_a_recipe_may_change_without_compiling(name: str) -> None:
    recipe, key = Recipe.load(name), PageKey(4, 3, -5)
    HeightSource(recipe, 1).generate(key)
    before = warmup.compiled_signatures()
    tried = 0
    for section in dataclasses.fields(Recipe):
        part = getattr(recipe, section.name)
        if not dataclasses.is_dataclass(part):
            continue
        for item in dataclasses.fields(part):
            other = changed(part, item, recipe)
            if other is not None:
                HeightSource(other, 1).generate(key)
                tried += 1
    assert tried > 60
    assert warmup.compiled_signatures() == before


def test_ranges_dry_the_air_behind_them() -> None:
    """With the shadow, humidity falls where the land upwind is high and that here is not, and nowhere else so far."""
    recipe = Recipe.load("alpine")
    none = dataclasses.replace(recipe, climate=dataclasses.replace(recipe.climate, rain_shadow=0.0))
    with_it, without = HeightSource(recipe, 7), HeightSource(none, 7)
    turn, reach = math.radians(recipe.climate.rain_wind_deg), recipe.climate.rain_shadow_m
    lee, open_land, inside = [], [], []
    for x, z in np.random.default_rng(4).integers(-300_000, 300_000, (250, 2)).tolist():
        here = with_it.uplift(x, z)
        upwind = with_it.uplift(x - reach * math.cos(turn), z - reach * math.sin(turn))
        dry, wet = with_it.climate_at(x, z).humidity, without.climate_at(x, z).humidity
        if not 0.2 < wet < 0.8:
            continue
        group = lee if upwind > 0.5 and here < 0.12 else open_land if max(upwind, here) < 0.08 else None
        if upwind < 0.1 and here > 0.5:
            group = inside
        if group is not None:
            group.append(dry - wet)
    assert min(len(lee), len(open_land), len(inside)) >= 3
    assert np.mean(lee) < -0.06
    assert np.mean(inside) > 0.02
    assert abs(np.mean(open_land)) < 0.02


# classic and fbm ----------------------------------------------------------------------------------------------


def octave_at(octave: np.ndarray, x: float, z: float) -> float:
    """One aligned octave at a place in metres, by the single-sample kernel."""
    qx, qz = round(x * 1024), round(z * 1024)
    step, offset_x, offset_z, seed = (int(v) for v in octave[:4])
    return float(noise.noise_at(noise.position(qx, step, offset_x), noise.position(qz, step, offset_z), seed))


def test_classic_is_its_three_layers(sources: dict[str, HeightSource]) -> None:
    source = sources["classic"]
    tables = build_tables(source.recipe, 7)
    first, second = tables.ground_octaves[0], tables.ground_octaves[1]
    for octave, frequency in ((first, 0.02), (second, 0.15)):
        assert octave[0] / 2.0**32 == pytest.approx(frequency, rel=1e-9)
        assert (octave[1] / 2.0**32, octave[2] / 2.0**32) == pytest.approx((0.123, 0.456), abs=1e-9)
    assert first[3] != second[3]
    rng = np.random.default_rng(3)
    for x, z in rng.integers(-(10**6), 10**6, (40, 2)):
        expected = 50.0 * (1.0 + octave_at(first, x, z)) + 7.5 * (1.0 + octave_at(second, x, z))
        assert source.block(0, int(x), int(z), 1, 1)[0, 0] == pytest.approx(expected, abs=2e-4)
    assert (source.recipe.micro.wavelength_m, source.recipe.micro.amplitude_m) == (1.0 / 1.2, 3.0)
    assert source.recipe.top_m == 115.0


def test_fbm_is_a_slice_of_three_dimensional_noise(sources: dict[str, HeightSource]) -> None:
    source = sources["fbm"]
    tables = build_tables(source.recipe, 7)
    assert len(tables.ground) == 5
    assert tables.ground_octaves[0, 0] / 2.0**32 == pytest.approx(2.0 * 2.0 / FBM_CELLS, rel=1e-6)
    rng = np.random.default_rng(4)
    for i, j in rng.integers(-(10**5), 10**5, (25, 2)):
        exact = 25.0
        for k, octave in enumerate(tables.ground_octaves):
            x, z = (int(n) * int(octave[0]) + int(octave[axis]) for n, axis in ((i, 1), (j, 2)))
            amplitude = 50.0 * 0.5**k / (2.0 * 1.9375)
            exact += amplitude * slice_exact(x, z, int(octave[3]))
        assert source.block(0, int(i), int(j), 1, 1)[0, 0] == pytest.approx(exact, abs=2e-4)


def slice_exact(tx: int, tz: int, seed: int) -> float:
    """3-D gradient noise in the plane y = ½ at a fixed-point place: the textbook sum over eight corners, in float64."""
    total = 0.0
    for di in range(2):
        for dj in range(2):
            for dk in range(2):
                salt = (seed + 0x5851F42D * dk) & hashing.MASK32
                g = fractal.edge_gradient(hashing.hash_cell((tx >> 32) + di, (tz >> 32) + dj, salt))
                u = (tx & 0xFFFFFFFF) / 2.0**32 - di
                w = (tz & 0xFFFFFFFF) / 2.0**32 - dj
                v = 0.5 - dk
                fades = [1.0 - t**3 * (t * (t * 6 - 15) + 10) for t in (abs(u), abs(v), abs(w))]
                total += (g[0] * u + g[1] * v + g[2] * w) * fades[0] * fades[1] * fades[2]
    return total


def test_octaves_beyond_the_samples_are_skipped() -> None:
    recipe = Recipe.load("fbm")
    fine = dataclasses.replace(
        recipe, fbm=dataclasses.replace(recipe.fbm, scale=5.0, octaves=8, lacunarity=3.0)
    )
    tables = build_tables(fine, 1)
    assert 1 < len(tables.ground) < 8
    assert HeightSource(fine, 1).block(0, FAR, -FAR, 5, 5).std() > 0.0


# vegetation and biomes -------------------------------------------------------------------------------------------


def test_classic_plants_meet_their_conditions(sources: dict[str, HeightSource]) -> None:
    """10^5 candidates: what the kernel plants is what the conditions say, from heights asked for another way."""
    source = sources["classic"]
    plants = source.classic_plants
    assert plants is not None
    rng = np.random.default_rng(9)
    side = 320
    xs = np.sort(rng.choice(200_000, side, replace=False)).astype(np.float64) * 1.5
    zs = np.sort(rng.choice(200_000, side, replace=False)).astype(np.float64) * 1.5
    heights = source.unlimited(xs, zs)
    south, north = source.unlimited(xs, zs + 1.0), source.unlimited(xs, zs - 1.0)
    checked = {scatter.CONIFER: 0, scatter.BROADLEAF: 0, -1: 0}
    for j in range(side):
        for i in range(side):
            x, z = float(xs[i]), float(zs[j])
            kind = scatter.classic_kind(
                int(x * 1024), int(z * 1024), *plants, np.zeros((0, 0), np.float32), 0, 0
            )
            patch = 0.5 + 0.5 * octave_at(plants.patches, x, z)
            humidity = 0.5 + 0.5 * octave_at(plants.humidity, x, z)
            expected = -1
            # normal·north > 0: the land falls to the north.
            if heights[j, i] > 80.0 and patch > 0.7 and south[j, i] > north[j, i]:
                expected = scatter.CONIFER
            elif heights[j, i] < 30.0 and patch < 0.3 and humidity > 0.5:
                expected = scatter.BROADLEAF
            if kind != expected:
                edge = min(
                    abs(heights[j, i] - 80.0), abs(heights[j, i] - 30.0), abs(south[j, i] - north[j, i])
                )
                assert min(edge, abs(patch - 0.7), abs(patch - 0.3), abs(humidity - 0.5)) < 1e-4
            checked[kind] += 1
    assert sum(checked.values()) > 100_000
    assert min(checked.values()) > 50


@pytest.mark.parametrize("name", RECIPES)
def test_plants_are_the_same_on_every_level(name: str) -> None:
    land = LandSource(HeightSource(Recipe.load(name), 3), EditLog(), 3, 4)
    spawn = find_spawn(land, 0.0)
    fine = land.make_page(page_at(0, spawn.x, spawn.z))
    coarse = land.make_page(page_at(2, spawn.x, spawn.z))
    assert fine.key.level == 0
    x, z = fine.key.origin_m
    west, north = coarse.key.origin_m
    mine = {(float(row[0]) + x, float(row[2]) + z, float(row[6])) for row in fine.trees}
    theirs = {(float(row[0]) + west, float(row[2]) + north, float(row[6])) for row in coarse.trees}
    inside = {row for row in theirs if x <= row[0] < x + 128 and z <= row[1] < z + 128}
    assert mine == inside


def test_spawns_in_every_recipe() -> None:
    for name in RECIPES:
        land = LandSource(HeightSource(Recipe.load(name), 5), EditLog(), 5, 4)
        spawn = find_spawn(land, 0.0)
        assert land.ground.height(spawn.x, spawn.z) > 5.0
        if name in ("alpine", "desert", "islands", "volcanic"):
            assert spawn.met


def test_biomes_cover_the_world_softly() -> None:
    from game.world.biomes import BIOMES, biome_weights, classic_weights

    rng = np.random.default_rng(2)
    t, h = rng.uniform(-25, 38, 20_000), rng.uniform(0, 1, 20_000)
    y, s = rng.uniform(-20, 3000, 20_000), rng.uniform(0, 1.5, 20_000)
    weights = biome_weights(t, h, y, s)
    assert weights.shape == (20_000, len(BIOMES))
    assert np.abs(weights.sum(axis=-1) - 1.0).max() < 1e-12
    assert weights.min() >= 0.0
    nearby = biome_weights(t + 0.05, h + 0.002, y + 0.2, s + 0.002)
    assert np.abs(weights - nearby).max() < 0.12  # no line where one biome ends
    cases = {
        "glacier": (-8.0, 0.7, 2500.0, 0.2),
        "tundra": (0.5, 0.15, 300.0, 0.1),
        "alpine meadow": (4.9, 0.6, 1500.0, 0.3),
        "conifer forest": (7.8, 0.6, 500.0, 0.3),
        "broadleaf forest": (14.0, 0.6, 200.0, 0.3),
        "rain forest": (24.0, 0.85, 200.0, 0.3),
        "steppe": (9.0, 0.2, 200.0, 0.1),
        "desert": (28.0, 0.08, 200.0, 0.1),
        "beach": (22.0, 0.6, 1.0, 0.03),
        "marsh": (12.0, 0.9, 20.0, 0.01),
    }
    for name, values in cases.items():
        assert biome_weights(*values)[BIOMES.index(name)] > 0.8, name
    t, h, y = rng.uniform(0, 1, (3, 200_000))
    weights = classic_weights(t, h, y)
    rules = {
        "glacier": (0.2 - t, h - 0.4, y - 0.7),
        "desert": (t - 0.7, 0.3 - h, 0.4 - y),
        "rain forest": (t - 0.4, h - 0.6, 0.6 - y),
    }
    for name, margins in rules.items():
        margin = np.min(margins, axis=0)
        column = weights[:, BIOMES.index(name)]
        assert column[margin > 0.03].min() > 0.999
        assert column[margin < -0.03].max() == 0.0


def test_world_names_biomes() -> None:
    for name in RECIPES:
        world = World(name, seed=7)
        weights = world.biome_weights(1000.0, 2000.0)
        assert sum(weights.values()) == pytest.approx(1.0)
        assert world.biome(1000.0, 2000.0) in (*weights, "water")
    assert World("desert", seed=7).biome_weights(0.0, 0.0)["desert"] > 0.5


# recipes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("fbm", "octaves = 5", "octaves = 0", ["octaves = 0", "1 to 8"]),
        ("fbm", "octaves = 5", "octaves = 99", ["octaves = 99", "1 to 8"]),
        ("fbm", "persistence = 0.5", "persistence = nan", ["persistence = nan", "0.2 to 0.8"]),
        ("fbm", "scale = 2.0", "scale = -1.0", ["scale = -1.0", "0.01 to 5"]),
        ("fbm", "persistence = 0.5", "persistance = 0.5", ["persistance", "persistence"]),
        ("fbm", 'landscape = "layers"', 'landscape = "layer"', ["landscape = 'layer'", "ranges or layers"]),
        ("classic", "wavelength_m = 50.0", "wavelength_m = 0.5", ["wavelength_m = 0.5", "1.5"]),
        ("classic", 'kind = "fbm"', 'kind = "fbn"', ["'fbn'", "fbm, ridged"]),
        ("classic", "[0.123, 0.456]", "[0.123]", ["offset_cells", "two numbers"]),
        ("desert", 'dunes = "sand"', 'dunes = "sands"', ["dunes = 'sands'", "high, sand"]),
        ("desert", "[90, 48]", "[90, 14]", ["curve_m", "ascending"]),
        ("desert", "low = 0.18", "low = 0.58", ["[[masks]] sand", "less than high"]),
        ("desert", "wavelength_m = 3100.0", "wavelength_m = 900.0", ["wavelength_m = 900.0", "1100"]),
        ("volcanic", "sharpness = 0.30", "sharpness = 0.50", ["sharpness = 0.5", "cone"]),
        ("desert", "[warp] ", "[ranges]\n[warp] ", ["ranges", "not accepted"]),
    ],
)
def test_refusals(tmp_path: Path, name: str, old: str, new: str, words: list[str]) -> None:
    from game.core.paths import resource

    text = resource("assets", "worlds", f"{name}.toml").read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "mine.toml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        Recipe.load(path)
    for word in words:
        assert word in str(caught.value), str(caught.value)


def test_the_curve_is_the_recipes() -> None:
    points = Recipe.load("desert").curve_m
    ramps = build_tables(Recipe.load("desert"), 1).ramps
    before = np.linspace(points[0][0], points[-1][0], 40).astype(np.float32)
    state = np.zeros(3 * 40, np.float32)
    state[:40], state[40:80] = before, 1.0
    shaping.curve_row(state, np.uint64(0), np.uint64(40), np.uint64(80), ramps, 40)
    expected = np.interp(before, [p[0] for p in points], [p[1] for p in points])
    assert np.abs(state[:40] - expected).max() < 0.01


def test_latitude_goes_there_and_back() -> None:
    reach = np.float32(20.0)
    for z, expected in ((0, 0.0), (1 << 22, 20.0), (-(1 << 22), -20.0), (1 << 23, 0.0), (1 << 24, 0.0)):
        assert ranges.latitude(z, reach) == expected
    assert abs(ranges.latitude(FAR, reach)) <= 20.0


# bits ------------------------------------------------------------------------------------------------------------


def reference_keys() -> list[tuple[str, PageKey]]:
    """The reference pages: recipes × levels, every second one far out."""
    found = []
    for name in RECIPES:
        for n, level in enumerate(LEVELS):
            x, z = ((-5, 9), (FAR, -FAR), (1 << 29, -1024), (-(1 << 24), FAR))[n % 4]
            found.append((name, page_at(level, float(x), float(z))))
    return found


CODE = """
import hashlib, json, sys
sys.path.insert(0, {tests!r})
from test_recipes import reference_keys
from game.world.recipe import Recipe
from game.world.source import HeightSource
found = {{}}
for name, key in reference_keys():
    p = HeightSource(Recipe.load(name), 7).generate(key)
    parts = p.base.tobytes() + p.normals.tobytes() + p.climate.tobytes()
    found[name + " " + " ".join(map(str, key))] = hashlib.sha256(parts).hexdigest()
print(json.dumps(found, indent=1))
"""


def digests(**environment: str) -> dict[str, str]:
    root = Path(game.__file__).resolve().parents[1]
    code = CODE.format(tests=str(Path(__file__).parent))
    environment = os.environ | {"PYTHONPATH": str(root)} | environment
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


def test_reference_pages(sources: dict[str, HeightSource]) -> None:
    """SHA-256 of pages over recipes, levels and far origins. New ones: `python tests/world/test_recipes.py`."""
    stored = json.loads(REFERENCE.read_text(encoding="utf-8"))
    for name, key in reference_keys():
        p = sources[name].generate(key)
        parts = p.base.tobytes() + p.normals.tobytes() + p.climate.tobytes()
        assert hashlib.sha256(parts).hexdigest() == stored[name + " " + " ".join(map(str, key))], (name, key)


@pytest.mark.slow
def test_reference_pages_on_a_generic_cpu() -> None:
    stored = json.loads(REFERENCE.read_text(encoding="utf-8"))
    assert digests(NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="") == stored


PLAIN = """
from game.world.recipe import Recipe
from game.world.source import HeightSource
for name in ("classic", "desert", "dunes", "fbm", "volcanic"):
    source = HeightSource(Recipe.load(name), 7)
    for level, i0, j0 in ((0, -9723, 79616), (8, 3, -5)):
        print(source.block(level, i0, j0, 2, 2).tobytes().hex())
    print(source.uplift(3.0, 4.0))
"""


def test_plain_python_makes_the_same_bits() -> None:
    root = Path(game.__file__).resolve().parents[1]

    def run(**environment: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", PLAIN],
            env=os.environ | {"PYTHONPATH": str(root)} | environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    assert run(NUMBA_DISABLE_JIT="1") == run()


if __name__ == "__main__":
    REFERENCE.write_text(json.dumps(digests(), indent=1) + "\n", encoding="utf-8")
