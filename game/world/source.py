"""`HeightSource`: the unedited land, as a pure function of recipe, seed and integer sample positions.

Owns the tables made from a recipe and a seed, and one workspace per thread. Every answer depends on nothing else, so
it may be asked from any thread, in any order, and far from anything resident. Edits are laid over it by `world.land`.
"""

from __future__ import annotations

import math
import threading
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.core.coords import (
    GENERATED,
    GENERATED_APRON,
    MAX_LEVEL,
    STORED,
    VIEW_MARGIN_M,
    WORLD_LIMIT_M,
    PageKey,
    check_position,
)
from game.kernels import (
    finish,
    growth,
    heightfield,
    interpolation,
    landscape,
    layers,
    nodes,
    ranges,
)
from game.kernels.rows import sample_rows
from game.world.page import PageData
from game.world.recipe import Recipe
from game.world.tables import UNLIMITED, ClassicPlants, build_tables, classic_plants

NODE_SPACING_M = 1 << landscape.NODE_SHIFT
"""Distance between forest nodes in metres."""

_UNITS_PER_M = 1024
_PROBE_NODES = 3
"""Tiles of nodes kept for points are 2^this nodes wide."""
_PROBE_SHIFT = 10 + landscape.NODE_SHIFT + _PROBE_NODES
_PROBE_ROWS = (1 << _PROBE_NODES) + 3
_PROBES_KEPT = 64
"""Tiles kept per thread, 7 KB each."""
_TILE = GENERATED
_FOREST_TILE = 256
_REACH_M = int(WORLD_LIMIT_M + VIEW_MARGIN_M)


class Climate(NamedTuple):
    """Climate at a point."""

    temperature_c: float
    """Mean temperature at the ground."""
    humidity: float
    """0…1"""
    rock: float
    """Bare rock, 0…1."""
    tree_density: float
    """0…1"""


class _Probe:
    """What one thread keeps for points: nodes by tile, oldest first, and the arrays of a single sample."""

    def __init__(self, scratch: landscape.RowScratch) -> None:
        self.scratch = scratch
        self.nodes: dict[tuple[int, int, int], NDArray[np.float32]] = {}
        self.qx, self.qz = np.zeros(1, np.int64), np.zeros(1, np.int64)
        self.out = np.zeros((1, 1, 2), np.float32)


class HeightSource:
    """The land of `recipe` grown from `seed` (any integer; its low 64 bits count). Thread-safe."""

    def __init__(self, recipe: Recipe, seed: int) -> None:
        self.recipe = recipe
        self.seed = int(seed) & 0xFFFF_FFFF_FFFF_FFFF
        self._tables = build_tables(recipe, self.seed)
        self._row_tables = landscape.row_tables(self._tables)
        self._threads = threading.local()
        # What only whole pages are written to.
        self._unread = (
            np.zeros((STORED, STORED, 2), np.float32),
            np.zeros((STORED, STORED, 4), np.uint8),
            np.zeros((STORED, STORED, 4), np.uint8),
        )

    @property
    def classic_plants(self) -> ClassicPlants | None:
        """What the conditions of the `classic` forest read; None for other forests."""
        if self.recipe.forest.kind != "classic":
            return None
        return classic_plants(self.recipe, self.seed, self._tables)

    def _work(self) -> landscape.Workspace:
        work: landscape.Workspace | None = getattr(self._threads, "work", None)
        if work is None:
            work = self._threads.work = landscape.new_workspace()
        return work

    def generate(self, key: PageKey) -> PageData:
        """Make page `key` without edits or trees.

        Raises `ValueError` for a level outside 0…`MAX_LEVEL` or a page that lies wholly beyond the world's limit and
        view margin.
        """
        level = _check_level(key.level)
        x, z = key.origin_m
        for axis, corner in (("ix", x), ("iz", z)):
            if not -_REACH_M - key.span_m <= corner <= _REACH_M:
                raise ValueError(
                    f"page {tuple(key)}: {axis} is not accepted; the page must touch the square of "
                    f"±{_REACH_M} m around the origin"
                )
        base = np.empty((GENERATED, GENERATED, 2), np.float32)
        heights = np.empty((STORED, STORED, 2), np.float32)
        normals = np.empty((STORED, STORED, 4), np.uint8)
        climate = np.empty((STORED, STORED, 4), np.uint8)
        i0, j0 = key.origin_sample
        low, high = heightfield.sample_block(
            _positions(level, i0 - GENERATED_APRON, GENERATED),
            _positions(level, j0 - GENERATED_APRON, GENERATED),
            GENERATED,
            GENERATED,
            level,
            level,
            level + 1,
            self._tables,
            self._work(),
            base,
            True,
            heights,
            normals,
            climate,
        )
        return PageData(key, base, base, heights, normals, climate, float(low), float(high))

    def block(self, level: int, i0: int, j0: int, ni: int, nj: int) -> NDArray[np.float32]:
        """Heights of samples [j0, j0 + nj) × [i0, i0 + ni) of `level`: float32 [nj, ni], the bits pages hold.

        Raises `ValueError` for a bad level, a negative size or samples beyond the world's limit and view margin.
        """
        level = _check_level(level)
        _check_box(i0 << level, (i0 + ni - 1) << level, ni, "i")
        _check_box(j0 << level, (j0 + nj - 1) << level, nj, "j")
        out = np.empty((nj, ni), np.float32)
        tile = np.empty((min(nj, _TILE), min(ni, _TILE), 2), np.float32)
        for j in range(0, nj, _TILE):
            zq = _positions(level, j0 + j, min(_TILE, nj - j))
            for i in range(0, ni, _TILE):
                xq = _positions(level, i0 + i, min(_TILE, ni - i))
                self._sample(xq, zq, level, level, level + 1, tile)
                out[j : j + len(zq), i : i + len(xq)] = tile[: len(zq), : len(xq), 0]
        return out

    def _sample(
        self,
        xq: NDArray[np.int64],
        zq: NDArray[np.int64],
        level: int,
        weights_row: int,
        parent_row: int,
        out: NDArray[np.float32],
    ) -> None:
        """`heightfield.sample_block` of no page."""
        heightfield.sample_block(
            xq,
            zq,
            len(xq),
            len(zq),
            level,
            weights_row,
            parent_row,
            self._tables,
            self._work(),
            out,
            False,
            *self._unread,
        )

    def unlimited(self, xs: NDArray[np.float64], zs: NDArray[np.float64]) -> NDArray[np.float32]:
        """Heights without any band limit where the columns `xs` and rows `zs` cross, float32 [len(zs), len(xs)].

        Both ascending, in metres, rounded to 1/1024 m. Raises `ValueError` beyond the world's limit and view margin.
        """
        for name, values in (("x", xs), ("z", zs)):
            if len(values) and not np.all(np.abs(values) <= _REACH_M):
                raise ValueError(f"{name} is not accepted; give numbers of metres within ±{_REACH_M}")
        xq = np.rint(np.asarray(xs, np.float64) * _UNITS_PER_M).astype(np.int64)
        zq = np.rint(np.asarray(zs, np.float64) * _UNITS_PER_M).astype(np.int64)
        out = np.empty((len(zq), len(xq)), np.float32)
        tile = np.empty((_TILE, _TILE, 2), np.float32)
        for j, j1 in _runs(zq):
            for i, i1 in _runs(xq):
                self._sample(xq[i:i1], zq[j:j1], 0, UNLIMITED, UNLIMITED, tile)
                out[j:j1, i:i1] = tile[: j1 - j, : i1 - i, 0]
        return out

    def height_at(self, x: float, z: float) -> float:
        """Height at a point in metres: the bits of `block` at level-0 samples, elsewhere those of `unlimited`.

        Nodes around are kept, so that further points of the same half kilometre cost little. Raises `ValueError` beyond
        the world's limit and view margin.
        """
        if not (abs(x) <= _REACH_M and abs(z) <= _REACH_M):
            raise ValueError(f"({x!r}, {z!r}) is not accepted; give numbers of metres within ±{_REACH_M}")
        qx, qz = round(x * _UNITS_PER_M), round(z * _UNITS_PER_M)
        own, parents = (0, 1) if x == math.floor(x) and z == math.floor(z) else (UNLIMITED, UNLIMITED)
        threads = self._threads
        try:
            probe = threads.probe
        except AttributeError:
            probe = threads.probe = _Probe(landscape.row_scratch(self._work()))
        at = (qx >> _PROBE_SHIFT, qz >> _PROBE_SHIFT, own)
        kept = probe.nodes.get(at)
        if kept is None:
            kept = self._nodes_around(at[0], at[1], own, parents)
            if len(probe.nodes) >= _PROBES_KEPT:
                del probe.nodes[next(iter(probe.nodes))]
            probe.nodes[at] = kept
        probe.qx[0], probe.qz[0] = qx, qz
        first_x, first_z = (at[0] << _PROBE_NODES) - 1, (at[1] << _PROBE_NODES) - 1
        sample_rows(
            probe.qx,
            probe.qz,
            1,
            1,
            0,
            own,
            parents,
            kept,
            first_x,
            first_z,
            _PROBE_ROWS,
            self._row_tables,
            probe.scratch,
            probe.out,
        )
        return float(probe.out[0, 0, 0])

    def _nodes_around(self, tile_x: int, tile_z: int, own: int, parents: int) -> NDArray[np.float32]:
        """Nodes under every point of a tile, float32 [`NODE_FIELDS`, `_PROBE_ROWS`, `_PROBE_ROWS`]."""
        work = self._work()
        # Two more nodes all around, for the slopes.
        first_x, first_z = (tile_x << _PROBE_NODES) - 3, (tile_z << _PROBE_NODES) - 3
        count = _PROBE_ROWS + 4
        at = first_x, first_z, landscape.NODE_SHIFT, count, count
        nodes.mid_tier(*at, own, parents, self._tables, work)
        nodes.node_grid(*at, 2, self._tables, work)
        # Laid out like the part of the workspace that pages read, which is the one the kernel is compiled for.
        kept = np.empty((landscape.NODE_FIELDS, _PROBE_ROWS + 1, _PROBE_ROWS), np.float32)[:, 1:]
        kept[:] = work.nodes[:, 2 : _PROBE_ROWS + 2, 2 : _PROBE_ROWS + 2]
        return kept

    def climate_at(self, x: float, z: float) -> Climate:
        """Climate at the level-0 sample nearest to world position (x, z), metres. Raises `ValueError` beyond ±1e9."""
        x, z = check_position(x, z, "climate_at")
        tile = np.empty((3, 3, 2), np.float32)
        packed = np.empty((1, 1, 4), np.uint8)
        work = self._work()
        self._sample(_positions(0, round(x) - 1, 3), _positions(0, round(z) - 1, 3), 0, 0, 1, tile)
        finish.climate_box(tile, 1, 1, 1, 1, self._tables, work.climate, packed)
        warmth, humidity, forest = (float(work.climate[k, 1, 1]) for k in range(3))
        return Climate(
            warmth - self.recipe.climate.lapse_c_m * float(tile[1, 1, 0]),
            humidity,
            float(packed[0, 0, 2]) / 255.0,
            forest,
        )

    def uplift(self, x: float, z: float) -> float:
        """How far (x, z), in metres, is inside a range: near 0 on plains, 1 in the core.

        Ranges proper begin at about 0.3. In a stack of layers it is the height of the macro layers between
        `uplift_low_m` and `uplift_high_m` of the recipe. Raises `ValueError` beyond ±1e9.
        """
        x, z = check_position(x, z, "uplift")
        p = dict(zip(landscape.PARAMETERS, self._tables.parameters.tolist(), strict=True))
        work = self._work()
        layers_only = self.recipe.landscape == "layers"
        shift = landscape.MID_SHIFT if layers_only else landscape.NEAR_SHIFT
        first_x, first_z = (math.floor(x) >> shift) - 1, (math.floor(z) >> shift) - 1
        if layers_only:
            layers.layer_grid(first_x, first_z, shift, 4, 4, 0, 0, self._tables, work)
            around = work.mid[layers.HEIGHT_FIELD, :4, :4]
        else:
            ranges.near_grid(first_x, first_z, shift, 4, 4, self._tables, work)
            around = work.near[ranges.RANGE_FIELD, :4, :4]
        columns, rows = (
            interpolation.catmull(np.float32(math.floor(place) % (1 << shift)) / np.float32(1 << shift))
            for place in (x, z)
        )
        inside = float(
            np.asarray(rows, np.float64) @ around.astype(np.float64) @ np.asarray(columns, np.float64)
        )
        if layers_only:
            inside = (inside - p["uplift_low_m"]) / (p["uplift_high_m"] - p["uplift_low_m"])
            return min(max(inside, 0.0), 1.0)
        inside = min(max(inside, 0.0), 1.0)
        lifted = p["uplift_plain"] + inside * (p["uplift_foothill"] + p["uplift_range"] * inside)
        return min(max(lifted, 0.0), 1.0)

    @property
    def forest_limits(self) -> NDArray[np.float32]:
        """Temperatures in °C, then humidities, between which forests go from nothing to all: float32 [4]."""
        woods = self.recipe.forest
        low, high = woods.treeline_c - woods.treeline_band_c, woods.treeline_c + woods.treeline_band_c
        return np.array((low, high, woods.humidity_low, woods.humidity_high), np.float32)

    def forest_nodes(self, node_x: int, node_z: int, nx: int, nz: int) -> NDArray[np.float32]:
        """Tree density at nodes 64 m apart from node (node_x, node_z): float32 [nz, nx], 0…1.

        Node n stands at world 64 · n metres. Independent of any level, so that the same trees stand on all of them.
        Raises `ValueError` for nodes beyond the world's limit and view margin.
        """
        _check_box(node_x * NODE_SPACING_M, (node_x + nx - 1) * NODE_SPACING_M, nx, "node_x")
        _check_box(node_z * NODE_SPACING_M, (node_z + nz - 1) * NODE_SPACING_M, nz, "node_z")
        out = np.empty((nz, nx), np.float32)
        work = self._work()
        for j in range(0, nz, _FOREST_TILE):
            for i in range(0, nx, _FOREST_TILE):
                rows, columns = min(_FOREST_TILE, nz - j), min(_FOREST_TILE, nx - i)
                # Two more nodes all around, for the slopes.
                first_x, first_z = node_x + i - 2, node_z + j - 2
                at = first_x, first_z, landscape.NODE_SHIFT, columns + 4, rows + 4
                nodes.mid_tier(*at, 0, 0, self._tables, work)
                nodes.node_grid(*at, 2, self._tables, work)
                found = work.nodes[landscape.N_FOREST, 2 : rows + 2, 2 : columns + 2]
                np.clip(found, 0.0, 1.0, out=out[j : j + rows, i : i + columns])
        return out

    def growth_nodes(
        self, node_x: int, node_z: int, nx: int, nz: int
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """What grows at nodes 64 m apart, and what it depends on, from node (node_x, node_z).

        Density float32 [nz, nx], the bits of `forest_nodes`, and fields float32 [growth.FIELDS, nz, nx]. Sides of up to
        256 nodes. Raises `ValueError` for more, and as `forest_nodes`.
        """
        if nx > _FOREST_TILE or nz > _FOREST_TILE:
            raise ValueError(f"{nx} × {nz} nodes are not accepted; give sides of up to {_FOREST_TILE}")
        _check_box(node_x * NODE_SPACING_M, (node_x + nx - 1) * NODE_SPACING_M, nx, "node_x")
        _check_box(node_z * NODE_SPACING_M, (node_z + nz - 1) * NODE_SPACING_M, nz, "node_z")
        density = np.empty((nz, nx), np.float32)
        fields = np.empty((growth.FIELDS, nz, nx), np.float32)
        work = self._work()
        at = node_x - 2, node_z - 2, landscape.NODE_SHIFT, nx + 4, nz + 4
        nodes.mid_tier(*at, 0, 0, self._tables, work)
        nodes.node_grid(*at, 2, self._tables, work)
        growth.node_fields(node_x, node_z, nx, nz, 2, self._tables, work, density, fields)
        return density, fields

    @property
    def growth_rules(self) -> NDArray[np.float32]:
        """Where trees stand: float32, in the order of `growth.RULES`."""
        p = self._tables.parameters
        line, band = p[landscape.P_TREELINE], p[landscape.P_TREELINE_BAND]
        return np.array(
            [
                p[landscape.P_LAPSE],
                line - band,
                line + band,
                p[landscape.P_TREE_SLOPE_LOW],
                p[landscape.P_TREE_SLOPE_HIGH],
            ],
            np.float32,
        )

    def lay_stamps(
        self,
        level: int,
        xs: NDArray[np.float64],
        zs: NDArray[np.float64],
        heights: NDArray[np.float32],
    ) -> bool:
        """Replace land under imported heightmaps, as `level` shows it; whether there may be any. In place.

        `heights` float32 [len(zs), len(xs)] at world metres, ascending. There are none here.
        """
        return False


def _positions(level: int, first: int, count: int) -> NDArray[np.int64]:
    """Positions of `count` samples of `level` from sample `first` on, in 1/1024 m."""
    return np.arange(first, first + count, dtype=np.int64) << (level + 10)


def _check_level(level: int) -> int:
    if not 0 <= level <= MAX_LEVEL:
        raise ValueError(f"level = {level!r} is not accepted; give a whole number from 0 to {MAX_LEVEL}")
    return int(level)


def _check_box(first_m: int, last_m: int, count: int, name: str) -> None:
    if count < 0:
        raise ValueError(f"a size of {count} along {name} is not accepted; give 0 or more samples")
    # A page at the edge of the view margin reaches one span further at its own level.
    slack = GENERATED << MAX_LEVEL
    if count and not (-_REACH_M - slack <= first_m and last_m <= _REACH_M + slack):
        raise ValueError(
            f"{name}: {first_m} to {last_m} m is not accepted; give samples within ±{_REACH_M} m of the origin"
        )


def _runs(positions: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Cut ascending positions (1/1024 m) into runs that one tile of nodes covers."""
    reach = (landscape.NODE_ROW - 16) * NODE_SPACING_M * _UNITS_PER_M
    found, first = [], 0
    for i in range(1, len(positions) + 1):
        if i == len(positions) or i - first == _TILE or positions[i] - positions[first] > reach:
            found.append((first, i))
            first = i
    return found
