"""Trees of a page, as a function of seed, place and edited land.

Owns which share of trees a level keeps and which kinds grow where; the placement itself is
`kernels.scatter`. Every level places the same trees: only their heights follow the level's samples. What edits change
about where they grow is asked of `world.woods`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from game.core.coords import WORLD_LIMIT_M, PageKey
from game.kernels import growth, scatter
from game.kernels.growth import GROWTH_LEVEL, GROWTH_M
from game.kernels.scatter import BLOCK_CELLS, BROADLEAF, CELL_M, CONIFER, KIND_NODE_M, NODE_M, UNITS_PER_M
from game.world.page import TREE_COLUMNS, PageData
from game.world.woods import MARGIN, IndexBox, Woods

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
        self._rules = source.growth_rules
        self._limits = source.forest_limits

    def sow(self, key: PageKey) -> Woods | None:
        """What may grow on a page of any level, without edits; None where nothing ever can."""
        x, z = key.origin_m
        count = key.span_m // NODE_M + 3
        density, fields = self._source.growth_nodes(x // NODE_M - 1, z // NODE_M - 1, count, count)
        if self._classic is not None:
            density = density[:0, :0]
        elif not fields[growth.G_SUITED].any():
            return None
        woods = Woods(self, key, density, fields)
        first_i, first_j = woods.first
        xs, zs = (
            (np.arange(woods.count, dtype=np.float64) + first) * GROWTH_M for first in (first_i, first_j)
        )
        heights = np.zeros((woods.count, woods.count), np.float32)
        if self._source.lay_stamps(GROWTH_LEVEL, xs, zs, heights):
            base = np.zeros((woods.count, woods.count, 2), np.float32)
            self.native(woods, base, first_i, first_j)
            heights[:] = base[..., 0]
            self._source.lay_stamps(GROWTH_LEVEL, xs, zs, heights)
            base[..., 0] = heights
            woods.stamp(base)
        return woods

    def native(self, woods: Woods, out: NDArray[np.float32], first_i: int, first_j: int) -> None:
        """See `woods.Planter`."""
        if self._classic is not None:
            octaves, amplitudes, base_m = self._classic[:3]
            growth.classic_heights(octaves, amplitudes, base_m, first_i, first_j, out)
            return
        growth.lattice_heights(woods.fields[growth.G_HEIGHT], *woods.first_node, first_i, first_j, out)

    def renew(self, woods: Woods, box: IndexBox) -> IndexBox | None:
        """See `woods.Planter`."""
        j0, j1, i0, i1 = box
        if self._classic is not None:
            rise = woods.edited[j0:j1, i0:i1, 0] - woods.native[j0:j1, i0:i1, 0]
            if np.array_equal(rise, woods.change[0, j0:j1, i0:i1]):
                return None
            woods.change[0, j0:j1, i0:i1] = rise
            woods.change[1, j0:j1, i0:i1] = rise * -self._rules[0]
            return box
        # The margin's outer nodes lie beyond the fields, and no tree asks for them.
        least_j, least_i = max(0, MARGIN - woods.row), max(0, MARGIN - woods.column)
        most = woods.count - MARGIN
        j0, j1, i0, i1 = growth.renew_change(
            woods.fields,
            woods.density,
            *woods.first_node,
            woods.native,
            woods.edited,
            *woods.kept_first,
            self._rules,
            woods.change,
            max(j0 - 1, least_j),
            min(j1 + 1, most - woods.row, woods.change.shape[1]),
            max(i0 - 1, least_i),
            min(i1 + 1, most - woods.column, woods.change.shape[2]),
        )
        return (j0, j1, i0, i1) if j0 < j1 else None

    def trees(self, page: PageData) -> NDArray[np.float32]:
        """Trees [n, 8] whose foot is in the page, rows as in `PageData.trees`; none beyond `tree_levels`.

        Heights are those of `page.edited` on the drawn triangles, and what may grow is told by `page.woods`, which is
        sown if there is none.
        """
        if page.key.level >= self.tree_levels:
            return np.zeros((0, TREE_COLUMNS), np.float32)
        if page.woods is None:
            page.woods = self.sow(page.key)
        return self.place(page)

    def place(self, page: PageData) -> NDArray[np.float32]:
        """All trees that grow in the woods of a page, at any level; none without woods."""
        span = page.key.span_m * UNITS_PER_M
        return self._in_tiles(page.key, self._scattered(page, (0, span, 0, span)))

    def replant(self, page: PageData, nodes: IndexBox | None, moved: IndexBox | None) -> NDArray[np.float32]:
        """See `woods.Planter`."""
        key, trees = page.key, page.trees
        if nodes is not None:
            # A node counts as far as the next; `classic` looks a metre further.
            reach = 1 if self._classic is None else 2
            j0, j1, i0, i1 = (
                min(max((at - MARGIN) * GROWTH_M, 0), key.span_m) * UNITS_PER_M
                for at in (nodes[0] - reach, nodes[1] - 1 + reach, nodes[2] - reach, nodes[3] - 1 + reach)
            )
            if j0 < j1 and i0 < i1:
                box = i0, i1, j0, j1
                fresh = self._in_tiles(key, self._scattered(page, box))
                out = np.empty((len(trees) + len(fresh), TREE_COLUMNS), np.float32)
                west, north = (metres * UNITS_PER_M for metres in key.origin_m)
                count = scatter.merge(
                    trees, fresh, key.span_m, tiles_along(key.level), west, north, *box, out
                )
                trees = out[:count]
        if moved is not None and len(trees):
            # A new array: whoever drew from the old one sees that it changed.
            if trees is page.trees:
                trees = trees.copy()
            scatter.resample(trees, page.edited, key.spacing_m, *moved)
        return trees

    def _scattered(self, page: PageData, box: tuple[int, int, int, int]) -> NDArray[np.float32]:
        """Trees of a page whose foot is in [x0, x1) × [z0, z1), 1/64 m from its corner, in cell order."""
        key, woods = page.key, page.woods
        if woods is None:
            return np.zeros((0, TREE_COLUMNS), np.float32)
        origin_x, origin_z = key.origin_m
        rows = self._room(key, box)
        share = np.float32(share_kept(key.level))
        change = woods.change, *woods.kept_first
        if self._classic is not None:
            count = scatter.scatter_classic(
                self._seed,
                origin_x,
                origin_z,
                key.spacing_m,
                share,
                *self._classic,
                *woods.first_node,
                woods.fields[growth.G_TEMPERATURE],
                woods.fields[growth.G_HUMIDITY],
                self._limits,
                *change,
                page.edited,
                *box,
                rows,
            )
            return rows[:count]
        if not (woods.density.any() or woods.change[0].any()):
            return rows[:0]
        kind_x, kind_z = origin_x // KIND_NODE_M, origin_z // KIND_NODE_M
        broadleaf = self._broadleaf_nodes(
            kind_x,
            kind_z,
            (origin_x + key.span_m - 1) // KIND_NODE_M - kind_x + 2,
            (origin_z + key.span_m - 1) // KIND_NODE_M - kind_z + 2,
        )
        count = scatter.scatter(
            self._seed,
            origin_x,
            origin_z,
            key.spacing_m,
            share,
            woods.density,
            *woods.first_node,
            woods.fields[growth.G_TEMPERATURE],
            woods.fields[growth.G_HUMIDITY],
            self._limits,
            broadleaf,
            kind_x,
            kind_z,
            *change,
            page.edited,
            *box,
            rows,
        )
        return rows[:count]

    @staticmethod
    def _room(key: PageKey, box: tuple[int, int, int, int]) -> NDArray[np.float32]:
        """Uninitialised rows for the most trees a box of a page can have."""
        side = BLOCK_CELLS * CELL_M * UNITS_PER_M
        x0, x1, z0, z1 = box
        kept = math.ceil(16.0 * share_kept(key.level))
        blocks = ((x1 - x0) // side + 2) * ((z1 - z0) // side + 2)
        return np.empty((blocks * kept, TREE_COLUMNS), np.float32)

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
