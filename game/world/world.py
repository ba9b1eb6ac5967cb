"""`World`: the land for scripts, without a window. See `game.world`."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from game.core.coords import (
    GENERATED,
    GENERATED_APRON,
    MAX_LEVEL,
    PAGE_QUADS,
    VIEW_MARGIN_M,
    WORLD_LIMIT_M,
    PageKey,
    check_position,
)
from game.kernels import brush
from game.world.bands import in_bands
from game.world.biomes import BIOMES, biome_weights, classic_weights
from game.world.edits import EditLog, EditSnapshot
from game.world.layers import Layer, layer_stack
from game.world.page import PageData
from game.world.recipe import Recipe
from game.world.save import list_worlds, load_world
from game.world.source import Climate
from game.world.stamps import Stamp, make_source

_MOST_SAMPLES = 1 << 28
_BAND_ROWS = GENERATED


class Explanation(NamedTuple):
    """Why the land is as it is at a point."""

    height_m: float
    """With edits."""
    land_m: float
    """Without edits."""
    uplift: float
    """0 plains … 1 core of a range."""
    slope: float
    """Rise over run."""
    climate: Climate
    biome: str


def _whole(name: str, value: object) -> int:
    """`value` as an int; raises `ValueError` for anything that is no whole number."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise ValueError(f"{name} = {value!r} is not accepted; give a whole number")
    return int(value)


class World:
    """The land of a recipe (name or file) and a seed, or of a saved world with its edits.

    Raises `UsageError` when there is neither a recipe nor a saved world of that name, `ValueError` for a seed that is
    no whole number.
    """

    def __init__(self, name: str | Path = "alpine", seed: int | None = None) -> None:
        """`seed`: any integer; left out it is 0, or a saved world's own."""
        if seed is not None:
            seed = _whole("seed", seed)
        edits = EditLog()
        stamps: list[Stamp] = []
        recipe_name: str | Path = name
        if str(name) not in Recipe.names() and str(name) in list_worlds():
            saved, _ = load_world(str(name))
            recipe_name, edits, stamps = saved.recipe, saved.edits, saved.stamps
            seed = saved.seed if seed is None else seed
        self.recipe = Recipe.load(recipe_name)
        self.source = make_source(self.recipe, 0 if seed is None else seed, stamps)
        self._edits: EditSnapshot = edits.snapshot()

    @property
    def seed(self) -> int:
        """Low 64 bits of the seed."""
        return self.source.seed

    def heights(
        self,
        x0: float,
        z0: float,
        nx: int,
        nz: int,
        spacing: float,
        *,
        threads: int = 1,
        progress: Callable[[int, int], None] | None = None,
    ) -> NDArray[np.float32]:
        """Heights in metres, float32 [nz, nx]; rows run south (+z), columns east (+x) from (x0, z0).

        Where `spacing` is 2^l metres and x0, z0 are multiples of it, these are the bits of the pages of level l.
        Otherwise the land is evaluated without band limits, at positions rounded to 1/1024 m. The bits do not depend on
        `threads`. `progress(rows done, rows in all)` is called on the calling thread.

        Raises `ValueError` for a size below 1 or above 2^28 samples, a spacing that is not finite and above 1/1024 m,
        samples beyond the world's limit and view margin, threads outside 1…64.
        """
        reach = WORLD_LIMIT_M + VIEW_MARGIN_M
        nx, nz = _whole("nx", nx), _whole("nz", nz)
        for axis, value in (("spacing", spacing), ("x0", x0), ("z0", z0)):
            if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
                raise ValueError(f"{axis} = {value!r} is not accepted; give a number of metres")
        if not math.isfinite(spacing) or not 1.0 / 1024.0 <= spacing <= reach:
            raise ValueError(f"spacing = {spacing!r} is not accepted; give metres from 1/1024 to {reach:.0f}")
        if nx < 1 or nz < 1 or nx * nz > _MOST_SAMPLES:
            raise ValueError(
                f"nx = {nx!r}, nz = {nz!r} are not accepted; give 1 to {_MOST_SAMPLES} samples in all"
            )
        for name, first, count in (("x", x0, nx), ("z", z0, nz)):
            last = first + (count - 1) * spacing
            if not (math.isfinite(first) and abs(first) <= reach and abs(last) <= reach):
                raise ValueError(
                    f"{name} from {first!r} to {last!r} is not accepted; give metres within ±{reach:.0f}"
                )
        level = round(math.log2(spacing)) if spacing >= 1.0 else -1
        if 0 <= level <= MAX_LEVEL and spacing == 1 << level and x0 % spacing == 0.0 and z0 % spacing == 0.0:
            i0, j0 = int(x0) >> level, int(z0) >> level

            def fill(first: int, last: int) -> None:
                out[first:last] = self._aligned(level, i0, j0 + first, nx, last - first)

        else:
            xs = float(x0) + np.arange(nx, dtype=np.float64) * float(spacing)
            zs = float(z0) + np.arange(nz, dtype=np.float64) * float(spacing)

            def fill(first: int, last: int) -> None:
                rows = zs[first:last]
                out[first:last] = self._brushed(xs, rows, self.source.unlimited(xs, rows))

        out = np.empty((nz, nx), np.float32)
        in_bands(nz, _BAND_ROWS, fill, threads, progress)
        return out

    def height(self, x: float, z: float) -> float:
        """Height at a point in metres. Raises `ValueError` when not finite or beyond ±1e9."""
        x, z = check_position(x, z)
        if len(self._edits.ops) == 0:
            return self.source.height_at(x, z)
        return float(self.heights(x, z, 1, 1, 1.0)[0, 0])

    def normal(self, x: float, z: float) -> tuple[float, float, float]:
        """Upward unit normal at a point, from heights 1 m around. Raises as `height`."""
        x, z = check_position(x, z)
        around = self.heights(x - 1.0, z - 1.0, 3, 3, 1.0).astype(np.float64)
        dx, dz = around[1, 0] - around[1, 2], around[0, 1] - around[2, 1]
        length = math.sqrt(dx * dx + dz * dz + 4.0)
        return float(dx / length), 2.0 / length, float(dz / length)

    def biome(self, x: float, z: float) -> str:
        """Name of the strongest biome (see `game.world.biomes.BIOMES`), or "water" below 0 m. Raises as `height`."""
        return self.explain(x, z).biome

    def biome_weights(self, x: float, z: float) -> dict[str, float]:
        """Weight 0…1 of every biome at a point, by name; together 1. Raises as `height`."""
        x, z = check_position(x, z)
        _, ny, _ = self.normal(x, z)
        height = self.height(x, z)
        land = float(self.source.unlimited(np.array([x]), np.array([z]))[0, 0])
        climate = self.source.climate_at(x, z)
        temperature_c = climate.temperature_c - (height - land) * self.recipe.climate.lapse_c_m
        return self._weights(
            climate._replace(temperature_c=temperature_c), height, math.sqrt(1 - ny * ny) / ny
        )

    def cover(
        self, temperature_c: ArrayLike, humidity: ArrayLike, height_m: ArrayLike, slope: ArrayLike
    ) -> NDArray[np.float64]:
        """Biome weights by this recipe's rules, float64 [..., len(BIOMES)], together 1; arguments are broadcast.

        °C, 0…1, metres above the sea, rise over run.
        """
        if self.recipe.forest.kind != "classic":
            return biome_weights(temperature_c, humidity, height_m, slope)
        share = (np.asarray(temperature_c, np.float64) + 20.0) / 60.0
        return classic_weights(share, humidity, np.asarray(height_m, np.float64) / self.recipe.top_m)

    def _weights(self, climate: Climate, height_m: float, slope: float) -> dict[str, float]:
        weights = self.cover(climate.temperature_c, climate.humidity, height_m, slope)
        return dict(zip(BIOMES, weights.tolist(), strict=True))

    def explain(self, x: float, z: float) -> Explanation:
        """What makes the land at a point. Raises as `height`."""
        x, z = check_position(x, z)
        height = self.height(x, z)
        land = float(self.source.unlimited(np.array([x]), np.array([z]))[0, 0])
        nx, ny, nz = self.normal(x, z)
        climate = self.source.climate_at(x, z)
        temperature_c = climate.temperature_c - (height - land) * self.recipe.climate.lapse_c_m
        climate = climate._replace(temperature_c=temperature_c)
        slope = math.hypot(nx, nz) / ny
        weights = self._weights(climate, height, slope)
        biome = "water" if height < 0.0 else max(weights, key=lambda name: weights[name])
        return Explanation(
            height,
            land,
            self.source.uplift(x, z),
            slope,
            climate,
            biome,
        )

    def layers(self, x: float, z: float) -> list[Layer]:
        """The land without edits at a point, from its skeleton to its finest octave. Raises as `height`."""
        x, z = check_position(x, z)
        return layer_stack(self.source, x, z)

    def edited(self, key: PageKey) -> PageData:
        """A page with the world's edits, without trees. Raises `ValueError` as `HeightSource.generate`."""
        page = self.source.generate(key)
        if len(self._edits.ops):
            self._edits.evaluate(page)
        return page

    def _aligned(self, level: int, i0: int, j0: int, ni: int, nj: int) -> NDArray[np.float32]:
        if len(self._edits.ops) == 0:
            return self.source.block(level, i0, j0, ni, nj)
        out = np.empty((nj, ni), np.float32)
        first, size = GENERATED_APRON, PAGE_QUADS
        for iz in range(j0 // size, (j0 + nj - 1) // size + 1):
            for ix in range(i0 // size, (i0 + ni - 1) // size + 1):
                page = self.edited(PageKey(level, ix, iz))
                west, north = ix * size, iz * size
                a, b = max(i0, west), min(i0 + ni, west + size)
                c, d = max(j0, north), min(j0 + nj, north + size)
                out[c - j0 : d - j0, a - i0 : b - i0] = page.edited[
                    first + c - north : first + d - north, first + a - west : first + b - west, 0
                ]
        return out

    def _brushed(
        self, xs: NDArray[np.float64], zs: NDArray[np.float64], heights: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Lay the edits over unlimited heights: what they change at level 0, bilinear between its samples."""
        for key in sorted(self._edited_keys(xs, zs)):
            page = self.edited(key)
            west, north = key.origin_m
            i0, i1 = np.searchsorted(xs, (west, west + PAGE_QUADS))
            j0, j1 = np.searchsorted(zs, (north, north + PAGE_QUADS))
            change = page.edited[..., 0].astype(np.float64) - page.base[..., 0]
            column, row = xs[i0:i1] - west, zs[j0:j1] - north
            i, j = np.floor(column).astype(np.intp), np.floor(row).astype(np.intp)
            u, v = column - i, (row - j)[:, None]
            i, j = i + GENERATED_APRON, (j + GENERATED_APRON)[:, None]
            upper = change[j, i] * (1.0 - u) + change[j, i + 1] * u
            lower = change[j + 1, i] * (1.0 - u) + change[j + 1, i + 1] * u
            heights[j0:j1, i0:i1] += (upper * (1.0 - v) + lower * v).astype(np.float32)
        return heights

    def _edited_keys(self, xs: NDArray[np.float64], zs: NDArray[np.float64]) -> set[PageKey]:
        """Level-0 pages that an edit reaches and that hold a point of the grid of ascending `xs` and `zs`."""
        columns = np.unique(np.floor(xs / PAGE_QUADS).astype(np.int64))
        rows = np.unique(np.floor(zs / PAGE_QUADS).astype(np.int64))
        found: set[PageKey] = set()
        for op in self._edits.ops:
            x, z, reach = op[brush.OP_CENTRE_X], op[brush.OP_CENTRE_Z], op[brush.OP_REACH]
            ix0, ix1 = np.searchsorted(columns, ((x - reach) // PAGE_QUADS, (x + reach) // PAGE_QUADS + 1))
            iz0, iz1 = np.searchsorted(rows, ((z - reach) // PAGE_QUADS, (z + reach) // PAGE_QUADS + 1))
            found.update(
                PageKey(0, ix, iz) for ix in columns[ix0:ix1].tolist() for iz in rows[iz0:iz1].tolist()
            )
        return found
