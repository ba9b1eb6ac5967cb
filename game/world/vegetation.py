"""Trees of a page, as a function of seed, place and edited land.

Owns which share of trees a level keeps and which kinds grow where; the placement itself is
`kernels.scatter`. Every level places the same trees: only their heights follow the level's samples.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from game.core.coords import WORLD_LIMIT_M, PageKey
from game.kernels import scatter
from game.kernels.scatter import BLOCK_CELLS, BROADLEAF, CELL_M, CONIFER, KIND_NODE_M, NODE_M
from game.world.page import TREE_COLUMNS, PageData

if TYPE_CHECKING:
    from game.world.source import HeightSource

__all__ = [
    "BROADLEAF",
    "CONIFER",
    "ROOT_M",
    "SHORE_M",
    "TRUNK_HEIGHT_M",
    "TRUNK_RADIUS_M",
    "Vegetation",
    "share_kept",
]

TRUNK_RADIUS_M = (0.22, 0.26)
"""Trunk radius at scale 1, by kind."""

TRUNK_HEIGHT_M = (13.0, 9.5)
"""Height of a tree of scale 1 above its foot, by kind."""

MOST_LEVELS = 6
"""Levels whose pages may carry trees: the rows of one page stay below 1.5 MiB."""

ROOT_M = 0.5
"""A trunk is solid from this far below the land, so that a wheel in a hollow still meets it."""

SHORE_M = 0.3
"""Trees whose foot is less than this above the sea are neither drawn nor met: none stands in the surf."""

_LIMIT_M = int(WORLD_LIMIT_M)
_MOST_SHARES = 4096
_SHARES = (1.0, 1.0, 1.0, 1.0, 6.0 / 16.0, 1.0 / 16.0)
_MOST_TILES = 4


def share_kept(level: int) -> float:
    """Share of all trees, those of lowest rank, that pages of `level` carry: whole sixteenths, as the placement deals.

    All up to level 3, then fewer, so that no page holds more than 32,500 trees.
    """
    return _SHARES[min(level, len(_SHARES) - 1)]


def tiles_along(level: int) -> int:
    """Tiles along a page's side, by which its trees are ordered: 128 m wide each, and never more than 4."""
    return min(1 << level, _MOST_TILES)


def broadleaf_share(temperature_c: float, humidity: float) -> float:
    """Share of trees that are broadleaved, 0…1: none below about 4 °C, most where it is warm and moist."""
    warmth = min(max((temperature_c - 4.0) / 9.0, 0.0), 1.0)
    moisture = min(max((humidity - 0.15) / 0.5, 0.0), 1.0)
    return warmth * warmth * (3.0 - 2.0 * warmth) * (0.25 + 0.65 * moisture)


class Vegetation:
    """Places trees. Any thread may call it: what it remembers is a function of the place alone."""

    def __init__(self, source: HeightSource, seed: int, tree_levels: int) -> None:
        """Trees stand on pages of levels 0 … `tree_levels` − 1; `seed` is the world's.

        Raises `ValueError` when `tree_levels` is not 0…6.
        """
        if not 0 <= tree_levels <= MOST_LEVELS:
            raise ValueError(f"tree_levels = {tree_levels!r} is not accepted; give 0 to {MOST_LEVELS}")
        self._source = source
        self._seed = int(np.uint64(seed & 0xFFFFFFFFFFFFFFFF).astype(np.int64))
        self.tree_levels = tree_levels
        self._shares: dict[tuple[int, int], float] = {}
        # Stand-ins for the world function know densities only.
        self._classic = getattr(source, "classic_plants", None)

    def trees(self, page: PageData) -> NDArray[np.float32]:
        """Trees [n, 8] whose foot is in the page, rows as in `PageData.trees`; none beyond `tree_levels`.

        Heights are those of `page.edited` on the drawn triangles.
        """
        if page.key.level >= self.tree_levels:
            return np.zeros((0, TREE_COLUMNS), np.float32)
        return self.place(page)

    def place(self, page: PageData) -> NDArray[np.float32]:
        """As `trees`, at any level."""
        key = page.key
        origin_x, origin_z = key.origin_m
        density_x, density_z = origin_x // NODE_M, origin_z // NODE_M
        nodes_x = (origin_x + key.span_m) // NODE_M - density_x + 2
        nodes_z = (origin_z + key.span_m) // NODE_M - density_z + 2
        density, temperature, humidity = self._source.growth_nodes(density_x, density_z, nodes_x, nodes_z)
        limits = self._source.forest_limits
        if self._classic is not None:
            rows = self._room(key)
            count = scatter.scatter_classic(
                self._seed,
                origin_x,
                origin_z,
                key.spacing_m,
                np.float32(share_kept(key.level)),
                *self._classic,
                density_x,
                density_z,
                temperature,
                humidity,
                limits,
                page.edited,
                rows,
            )
            return self._in_tiles(key, rows[:count])
        if not density.any():
            return np.zeros((0, TREE_COLUMNS), np.float32)
        kind_x, kind_z = origin_x // KIND_NODE_M, origin_z // KIND_NODE_M
        broadleaf = self._broadleaf_nodes(
            kind_x,
            kind_z,
            (origin_x + key.span_m - 1) // KIND_NODE_M - kind_x + 2,
            (origin_z + key.span_m - 1) // KIND_NODE_M - kind_z + 2,
        )
        rows = self._room(key)
        count = scatter.scatter(
            self._seed,
            origin_x,
            origin_z,
            key.spacing_m,
            np.float32(share_kept(key.level)),
            density,
            density_x,
            density_z,
            temperature,
            humidity,
            limits,
            broadleaf,
            kind_x,
            kind_z,
            page.edited,
            rows,
        )
        return self._in_tiles(key, rows[:count])

    @staticmethod
    def _room(key: PageKey) -> NDArray[np.float32]:
        """Uninitialised rows for the most trees a page can have."""
        blocks = key.span_m // (BLOCK_CELLS * CELL_M) + 2
        kept = math.ceil(16.0 * share_kept(key.level))
        return np.empty((blocks * blocks * kept, TREE_COLUMNS), np.float32)

    @staticmethod
    def _in_tiles(key: PageKey, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """The rows in the order that `PageData.trees` promises."""
        out = np.empty_like(rows)
        scatter.in_tiles(rows, key.span_m, tiles_along(key.level), out)
        return out

    def _broadleaf_nodes(self, first_x: int, first_z: int, nodes_x: int, nodes_z: int) -> NDArray[np.float32]:
        """Broadleaved share [nodes_z, nodes_x] at nodes of 512 m: kinds change over valleys, not over trees."""
        shares = np.empty((nodes_z, nodes_x), np.float32)
        for j in range(nodes_z):
            for i in range(nodes_x):
                shares[j, i] = self._broadleaf_at(first_x + i, first_z + j)
        return shares

    def _broadleaf_at(self, node_x: int, node_z: int) -> float:
        """Broadleaved share at one node. Remembered, because dozens of pages share a node that costs 0.1 ms."""
        share = self._shares.get((node_x, node_z))
        if share is None:
            # The view from the edge reaches beyond the last place that has a climate of its own.
            x = min(max(node_x * KIND_NODE_M, -_LIMIT_M), _LIMIT_M)
            z = min(max(node_z * KIND_NODE_M, -_LIMIT_M), _LIMIT_M)
            temperature_c, humidity, _, _ = self._source.climate_at(float(x), float(z))
            share = broadleaf_share(temperature_c, humidity)
            if len(self._shares) >= _MOST_SHARES:
                self._shares.clear()
            self._shares[node_x, node_z] = share
        return share


def trunks(trees: NDArray[np.float32], origin_x: int, origin_z: int) -> NDArray[np.float64]:
    """Solid trunks [n, 5] (float64) of tree rows: world x, z, radius, bottom and top height in metres."""
    kind = trees[:, 6].astype(np.int64) & 1
    scale = trees[:, 4].astype(np.float64)
    foot = trees[:, 1].astype(np.float64)
    found = np.empty((len(trees), 5))
    found[:, 0] = origin_x + trees[:, 0].astype(np.float64)
    found[:, 1] = origin_z + trees[:, 2].astype(np.float64)
    found[:, 2] = np.array(TRUNK_RADIUS_M)[kind] * scale
    found[:, 3] = foot - ROOT_M
    found[:, 4] = foot + np.array(TRUNK_HEIGHT_M)[kind] * scale
    return found
