"""A recipe and a seed turned into `Tables`, the numbers that the kernels of the land read.

Owns which key of a recipe becomes which number, the lattice and the band limits of every octave. Evaluates nothing.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.core.coords import MAX_LEVEL
from game.kernels import fractal, hashing, landscape, noise, shaping
from game.world.recipe import SHORTEST_WAVELENGTH_M, Recipe
from game.world.recipe_keys import Layer

UNLIMITED = MAX_LEVEL + 2
"""Row of the weight tables in which every octave counts in full."""

FBM_CELLS = 1024.0
"""Metres over which [fbm] counts: scale 1 is two cells in so many."""

PATCHES_M = 120.0
"""Wavelength of the noise that gathers the plants of the `classic` forest."""


class ClassicPlants(NamedTuple):
    """Arguments of `kernels.scatter.classic_kind` after the place."""

    octaves: NDArray[np.int64]
    amplitudes: NDArray[np.float32]
    base_m: np.float32
    patches: NDArray[np.int64]
    humidity: NDArray[np.int64]


_Numbers = dict[str, float]


def _octave(wavelength_m: float, seed: int, channel: int, scale: int) -> tuple[int, int, int, int]:
    """Lattice of one octave: step (rounded once), hashed offsets of ±2^59, seed."""

    def draw(part: int) -> int:
        return int(hashing.hash_channel(seed, channel * 8 + part))

    offset_x = ((draw(0) << 28) | (draw(1) >> 4)) - (1 << 59)
    offset_z = ((draw(2) << 28) | (draw(3) >> 4)) - (1 << 59)
    return round(scale / wavelength_m), offset_x, offset_z, draw(4)


def _band_limits(wavelengths_m: list[float], levels_kept: int) -> NDArray[np.float32]:
    """Weights float32 [UNLIMITED + 1, n]: 0 below two samples a wave, 1 above four, 0 from `levels_kept` on."""
    waves = np.asarray(wavelengths_m, np.float64)
    rows = [
        np.clip((waves / (1 << level) - 2.0) / 2.0, 0.0, 1.0) * (level < levels_kept)
        for level in range(UNLIMITED)
    ]
    return np.array([*rows, np.ones_like(waves)], np.float32).reshape(UNLIMITED + 1, len(waves))


def build_tables(recipe: Recipe, seed: int) -> landscape.Tables:
    """Turn a recipe and a 64-bit seed into what the kernels read."""
    signed = seed - (1 << 64) if seed >= 1 << 63 else seed
    parameters, coarse, mid = _common(recipe)
    if recipe.landscape == "ranges":
        more, more_coarse, mid = _ranges(recipe)
        parameters |= more
        coarse |= more_coarse
    glades = [recipe.forest.glade_wavelength_m / ratio for ratio in (1.0, 3.3, 10.7)]
    # The wave's own length, and the pivots' spacing, which is what the lattice is made of.
    g = recipe.gullies
    waves = [g.wavelength_m / 2.0**k for k in range(g.octaves)]
    gullies = [
        (g.slope_on, g.curvature * wave, amplitude * math.tau / wave, amplitude)
        for wave, amplitude in ((wave, g.amplitude_m * g.gain**k) for k, wave in enumerate(waves))
    ]
    rows, base_m = _sample_octaves(recipe)
    parameters["height_m"] = recipe.land.height_m + base_m
    macros = _macro_octaves(recipe)
    return landscape.Tables(
        landscape=np.array([landscape.LAYERS if recipe.landscape == "layers" else landscape.RANGES]),
        parameters=np.array([parameters.get(name, 0.0) for name in landscape.PARAMETERS], np.float32),
        coarse=_lattices(
            [(coarse.get(name, 1e5), 100 + k) for k, name in enumerate(landscape.COARSE_OCTAVES)],
            signed,
            noise.WARPED_SCALE,
        ),
        mid=_lattices(
            [(mid.get(name, 1e4), 150 + k) for k, name in enumerate(landscape.MID_OCTAVES)],
            signed,
            noise.WARPED_SCALE,
        ),
        glades=_lattices([(wave, 170 + k) for k, wave in enumerate(glades)], signed),
        gully_octaves=_lattices(
            [(wave * fractal.CELL_RATIO, 200 + k) for k, wave in enumerate(waves)], signed
        ),
        gullies=np.array(gullies, np.float32).reshape(len(waves), 4),
        gully_weights=_band_limits(waves, landscape.GULLY_LEVELS),
        ground_octaves=_aligned(rows, signed),
        ground=np.array([(row.amplitude, row.kind, row.aspect) for row in rows], np.float32).reshape(-1, 3),
        ground_weights=_band_limits([row.wavelength_m for row in rows], UNLIMITED),
        macro_octaves=_lattices(
            [(macro.wavelength_m, macro.channel) for macro in macros], signed, noise.WARPED_SCALE
        ),
        macros=np.array(
            [(macro.kind, macro.amplitude, macro.sharpness, macro.mask) for macro in macros], np.float32
        ).reshape(-1, 4),
        macro_weights=_band_limits([macro.wavelength_m for macro in macros], UNLIMITED),
        mask_octaves=_lattices(
            [(mask.wavelength_m, 600 + k) for k, mask in enumerate(recipe.masks)], signed, noise.WARPED_SCALE
        ),
        masks=np.array([(mask.low, mask.high) for mask in recipe.masks], np.float32).reshape(-1, 2),
        places=np.array(
            [recipe.mask_code(getattr(recipe.land, name)) for name in landscape.PLACES], np.int64
        ),
        ramps=_ramps(recipe.curve_m),
    )


def _common(recipe: Recipe) -> tuple[_Numbers, _Numbers, _Numbers]:
    """Parameters and wavelengths that both kinds of landscape read."""
    hum, crags, c, w = recipe.hummocks, recipe.crags, recipe.climate, recipe.forest
    wind_rad = math.radians(recipe.dunes.wind_deg)
    parameters = {
        "warp_wide_m": recipe.warp.wide_m,
        "warp_fine_m": recipe.warp.fine_m,
        "temperature_c": c.temperature_c,
        "temperature_variation_c": c.temperature_variation_c,
        "humidity": c.humidity,
        "humidity_wide": c.humidity_wide,
        "humidity_fine": c.humidity_fine,
        "hummock_low": hum.area_low,
        "hummock_high": hum.area_high,
        "treeline_c": w.treeline_c,
        "treeline_band_c": w.treeline_band_c,
        "tree_slope_low": w.slope_low,
        "tree_slope_high": w.slope_high,
        "glade": w.glade,
        "glade_gain": w.glade_gain,
        "glade_bias": w.glade_bias,
        "glade_slope": w.glade_slope,
        "glade_dry": w.glade_dry,
        "forest_humidity_low": w.humidity_low,
        "forest_humidity_high": w.humidity_high,
        "gully_plain": recipe.gullies.plain,
        "gully_floor": recipe.gullies.floor,
        "ground_high": recipe.ground.high_ground,
        "high_low": crags.high_low,
        "high_high": crags.high_high,
        "rock_slope_low": c.rock_slope_low,
        "rock_slope_high": c.rock_slope_high,
        "rock_cold_c": c.rock_cold_c,
        "lapse_c_m": c.lapse_c_m,
        "latitude_c": c.latitude_c,
        "shore_width_m": recipe.shore.width_m,
        "shore_flat": recipe.shore.flat,
        "uplift_low_m": recipe.land.uplift_low_m,
        "uplift_high_m": recipe.land.uplift_high_m,
        "wind_x": math.cos(wind_rad),
        "wind_z": math.sin(wind_rad),
        "crag_everywhere": crags.everywhere,
        "hummock_lone": hum.lone,
        "hummock_bare_m": hum.bare_m,
    }
    coarse = {
        "warp_wide_x": recipe.warp.wide_wavelength_m,
        "warp_wide_z": recipe.warp.wide_wavelength_m,
        "warp_fine_x": recipe.warp.fine_wavelength_m,
        "warp_fine_z": recipe.warp.fine_wavelength_m,
        "warmth": c.temperature_wavelength_m,
        "humidity_wide": c.humidity_wide_wavelength_m,
        "humidity_fine": c.humidity_fine_wavelength_m,
        "hummock_area": hum.area_wavelength_m,
    }
    return parameters, coarse, {}


def _ranges(recipe: Recipe) -> tuple[_Numbers, _Numbers, _Numbers]:
    """Parameters, coarse and mid wavelengths of mountain belts."""
    r, f, v, t, c = recipe.ranges, recipe.floors, recipe.valleys, recipe.terraces, recipe.climate
    assert r is not None, "checked when the recipe was read"
    assert f is not None, "checked when the recipe was read"
    assert v is not None, "checked when the recipe was read"
    parameters = {
        "warp_wide_m": r.warp_wide_m,
        "warp_fine_m": r.warp_fine_m,
        "belt_level": r.belt_level,
        "belt_falloff": r.belt_falloff,
        "belt_bend": r.bend,
        "belt_break": r.break_up,
        "belt_low": r.low,
        "belt_high": r.high,
        "pass_low": r.pass_low,
        "pass_high": r.pass_high,
        "uplift_plain": r.uplift_plain,
        "uplift_foothill": r.uplift_foothill,
        "uplift_range": r.uplift_core,
        "floor_m": f.height_m,
        "floor_wide_m": f.wide_m,
        "floor_mid_m": f.mid_m,
        "floor_fine_m": f.fine_m,
        "floor_uplift_m": f.uplift_m,
        "floor_pass_m": f.pass_m,
        "relief_m": v.relief_m,
        "valley_fine": v.main_detail,
        "side_warp_m": v.side_bend_m,
        "crest_warp_m": v.crest_bend_m,
        "valley_gain": v.main_gain,
        "valley_width": v.main_width,
        "valley_width_range": v.width_variation,
        "side_gain": v.side_gain,
        "side_width": v.side_width,
        "crest_sharpness": v.crest_sharpness,
        "relief_base": v.relief_base,
        "relief_variation": v.relief_variation,
        "terrace_rise_m": t.height_m * t.steps,
        "terrace_steps": t.steps,
        "terrace_width": t.width,
        "terrace_ragged": t.ragged,
        "rain_shadow": c.rain_shadow,
        "upwind_x_m": -c.rain_shadow_m * math.cos(math.radians(c.rain_wind_deg)),
        "upwind_z_m": -c.rain_shadow_m * math.sin(math.radians(c.rain_wind_deg)),
    }
    coarse = {
        "warp_wide_x": r.warp_wide_wavelength_m,
        "warp_wide_z": r.warp_wide_wavelength_m,
        "warp_fine_x": r.warp_fine_wavelength_m,
        "warp_fine_z": r.warp_fine_wavelength_m,
        "belt": r.belt_wavelength_m,
        "belt_bend": r.bend_wavelength_m,
        "belt_break": r.break_wavelength_m,
        "passes": r.pass_wavelength_m,
        "floor_wide": f.wide_wavelength_m,
        "floor_mid": f.mid_wavelength_m,
        "floor_fine": f.fine_wavelength_m,
        "valley_width": v.width_wavelength_m,
    }
    mid = {
        "valley_wide": v.main_wavelength_m,
        "valley_fine": v.main_detail_wavelength_m,
        "peak": v.peak_wavelength_m,
        "relief": v.relief_wavelength_m,
        "side_valley": v.side_wavelength_m,
        "crest": v.crest_wavelength_m,
    }
    return parameters, coarse, mid


class _SampleOctave(NamedTuple):
    """One octave along sample rows."""

    wavelength_m: float
    amplitude: float
    kind: float
    channel: int
    aspect: float = 1.0
    offset_cells: tuple[float, float] | None = None


class _MacroOctave(NamedTuple):
    """One octave at nodes."""

    wavelength_m: float
    amplitude: float
    kind: float
    sharpness: float
    mask: int
    channel: int


def _sample_octaves(recipe: Recipe) -> tuple[list[_SampleOctave], float]:
    """Octaves along sample rows in the order in which they are summed, and metres that positive layers add."""
    found = [
        _SampleOctave(layer.wavelength_m / 2.0**k, layer.amplitude_m * layer.gain**k, kind, first + k)
        for layer, kind, first in (
            (recipe.ground, landscape.GROUND_SMOOTH, 300),
            (recipe.hummocks, landscape.GROUND_HUMMOCK, 320),
            (recipe.crags, landscape.GROUND_CRAG, 340),
        )
        for k in range(layer.octaves)
    ]
    d, c, offset = recipe.dunes, recipe.climate, recipe.offset_cells
    found += [
        _SampleOctave(
            d.wavelength_m / 2.0**k, d.height_m * d.gain**k, landscape.GROUND_DUNE, 360 + k, d.aspect
        )
        for k in range(d.octaves)
    ]
    base_m = 0.0
    steps = recipe.terraces
    if recipe.landscape == "ranges" and steps.height_m > 0.0:
        found.append(_SampleOctave(steps.ragged_wavelength_m, steps.height_m, landscape.GROUND_TERRACE, 370))
    stacks = list(recipe.layers)
    if recipe.fbm is not None:
        f = recipe.fbm
        total = sum(f.persistence**k for k in range(f.octaves))
        stacks.append(
            Layer(
                kind="slice",
                wavelength_m=FBM_CELLS / (2.0 * f.scale),
                octaves=f.octaves,
                lacunarity=f.lacunarity,
                gain=f.persistence,
                amplitude_m=f.height_m / total,
                span="positive",
            )
        )
    for n, layer in enumerate(stacks):
        kind = {"fbm": landscape.GROUND_LAYER, "slice": landscape.GROUND_SLICE}.get(
            layer.kind, landscape.GROUND_RIDGED
        )
        for k in range(layer.octaves):
            wave = layer.wavelength_m / layer.lacunarity**k
            amplitude = layer.amplitude_m * layer.gain**k
            if wave < SHORTEST_WAVELENGTH_M:
                break  # beyond what samples 1 m apart can show
            if layer.kind == "billow":
                amplitude = -amplitude  # a billow is a ridge upside down
            if layer.span == "positive":
                amplitude *= 0.5
                base_m += abs(amplitude)
            cells = None
            if offset is not None:
                ratio = layer.lacunarity**k
                cells = offset[0] * ratio, offset[1] * ratio
            found.append(_SampleOctave(wave, amplitude, kind, 400 + 10 * n + k, offset_cells=cells))
    for wave, amplitude, kind, channel in (
        (
            c.local_temperature_wavelength_m,
            c.local_temperature_c,
            landscape.GROUND_WARMTH,
            380,
        ),
        (c.local_humidity_wavelength_m, c.local_humidity, landscape.GROUND_HUMIDITY, 381),
    ):
        if amplitude > 0.0:
            found.append(_SampleOctave(wave, amplitude, kind, channel, offset_cells=offset))
    return found, base_m


def _macro_octaves(recipe: Recipe) -> list[_MacroOctave]:
    """Octaves at nodes in the order in which they are summed."""
    kinds = {
        "fbm": landscape.MACRO_SMOOTH,
        "ridged": landscape.MACRO_RIDGED,
        "billow": landscape.MACRO_RIDGED,
        "valley": landscape.MACRO_VALLEY,
        "cone": landscape.MACRO_CONE,
    }
    return [
        _MacroOctave(
            macro.wavelength_m / macro.lacunarity**k,
            macro.amplitude_m * macro.gain**k * (-1.0 if macro.kind == "billow" else 1.0),
            kinds[macro.kind],
            macro.sharpness,
            recipe.mask_code(macro.mask),
            500 + 8 * n + k,
        )
        for n, macro in enumerate(recipe.macros)
        for k in range(macro.octaves)
    ]


def _ramps(curve_m: tuple[tuple[float, float], ...]) -> NDArray[np.float32]:
    """A curve of terraces as ramps on top of the identity: where each begins, its length, slope less one."""
    rows = [
        (a, c - a, (d - b) / (c - a) - 1.0)
        for (a, b), (c, d) in pairwise(curve_m)
        if (d - b) / (c - a) != 1.0
    ]
    if curve_m and curve_m[0][0] != curve_m[0][1]:
        # A ramp far below all land shifts all of it.
        rows.insert(0, (-20_000.0, 1.0, curve_m[0][1] - curve_m[0][0]))
    return np.array(rows, np.float32).reshape(-1, shaping.CURVE_FIELDS)


def _aligned(rows: list[_SampleOctave], seed: int) -> NDArray[np.int64]:
    """Lattices of octaves along sample rows, int64 [n, 5]; dune cells are longer along z."""
    found = []
    for row in rows:
        wave = row.wavelength_m
        if row.kind == landscape.GROUND_DUNE:
            wave *= fractal.CELL_RATIO
        step, x, z, salt = _octave(wave, seed, row.channel, noise.ALIGNED_SCALE)
        if row.offset_cells is not None:
            x, z = (round(cells * noise.ALIGNED_SCALE) for cells in row.offset_cells)
        found.append((step, x, z, salt, round(noise.ALIGNED_SCALE / (wave * row.aspect))))
    return np.array(found, np.int64).reshape(len(found), 5)


def _lattices(
    octaves: list[tuple[float, int]], seed: int, scale: int = noise.ALIGNED_SCALE
) -> NDArray[np.int64]:
    rows = [_octave(wavelength_m, seed, channel, scale) for wavelength_m, channel in octaves]
    return np.array(rows, np.int64).reshape(len(rows), 4)


def classic_plants(recipe: Recipe, seed: int, tables: landscape.Tables) -> ClassicPlants:
    """What the conditions of the `classic` forest read of `tables`, made from `recipe` and the 64-bit `seed`."""
    kinds = tables.ground[:, 1]
    land = kinds == landscape.GROUND_LAYER
    humid = tables.ground_octaves[kinds == landscape.GROUND_HUMIDITY]
    patches = _SampleOctave(PATCHES_M, 1.0, landscape.GROUND_LAYER, 390, 1.0, recipe.offset_cells)
    signed = seed - (1 << 64) if seed >= 1 << 63 else seed
    return ClassicPlants(
        np.ascontiguousarray(tables.ground_octaves[land]),
        np.ascontiguousarray(tables.ground[land, 0]),
        tables.parameters[landscape.PARAMETERS.index("height_m")],
        _aligned([patches], signed)[0],
        humid[0] if len(humid) else np.zeros(5, np.int64),
    )
