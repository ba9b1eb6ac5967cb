"""Stones, logs, fences and gates as a function of seed, place and edited land; and the arches of a timed run.

Placement is `kernels.scenery`; here are the rows of a page, remembered, and what of them is solid. Main thread only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.core.coords import PAGE_QUADS, PageKey, forward, page_at
from game.kernels import scenery as kernels
from game.kernels.scenery import COLUMNS, FENCE, FINISH, GATE, LOG, NODE_M, ROCK, START
from game.world.page import PageData

if TYPE_CHECKING:
    from game.world.source import HeightSource

__all__ = ["FENCE", "FINISH", "GATE", "LOG", "ROCK", "START", "Arch", "Scenery"]

ROOT_M = 0.5
"""Things are solid from this far below the land, as trunks are."""

FENCE_HEIGHT_M = 1.05
POST_RADIUS_M = 0.1
POST_HEIGHT_M = 2.6
"""Height of a panel's upper rail; radius and height of a gate's posts."""

ROCK_SOLID = 0.85
"""Share of a stone's outline and height that is solid: it is round at the edges."""

STEP_M = 0.12
MOST_PARTS = 24
"""Rise of one solid of something tilted, and the most solids it is cut into. Natural logs lie level; sculpted land
tilts them."""

ARCH_HEIGHT_M = 4.2
"""Height of the poles of an arch."""

_MOST_PAGES = 160

Rows = NDArray[np.float32]


class Arch(NamedTuple):
    """An arch across a way: `START` or `FINISH`, its middle in world metres, the heading it is ridden through, its
    width from pole to pole."""

    kind: int
    x: float
    z: float
    yaw_rad: float
    width_m: float

    @property
    def poles(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Where its poles stand, world (x, z), the left one first."""
        east, south = forward(self.yaw_rad)
        half = 0.5 * self.width_m
        return (self.x + half * south, self.z - half * east), (self.x - half * south, self.z + half * east)


class Scenery:
    """What stands on the land beside trees."""

    def __init__(
        self,
        source: HeightSource,
        seed: int,
        page_at: Callable[[int, int], PageData],
        height: Callable[[float, float], float],
    ) -> None:
        """`seed` is the world's; `page_at(ix, iz)` gives the level-0 page with the edits that are shown, `height(x, z)`
        the land's height in metres likewise."""
        self.arches: Sequence[Arch] = ()
        """Put up by the player, few. Set by `LandSource.put_up`, so that those who remember solids ask anew."""
        self._height = height
        self._arch_rows: dict[Arch, tuple[tuple[float, float], Rows]] = {}
        # The same array while nothing changed: the picture keeps what it made of it.
        self._source = source
        self._seed = int(np.uint64(seed & 0xFFFFFFFFFFFFFFFF).astype(np.int64))
        self._page_at = page_at
        self._rows: dict[tuple[int, int, int], Rows] = {}
        self._density: dict[tuple[int, int], Rows] = {}

    def rows(self, page: PageData) -> Rows:
        """float32 [n, 10] of a level-0 page, columns as in `kernels.scenery`; feet on `page.edited`."""
        key = (page.key.ix, page.key.iz, page.epoch)
        found = self._rows.get(key)
        if found is None:
            west, north = page.key.origin_m
            first_x, first_z = west // NODE_M, north // NODE_M
            made = np.empty((kernels.CAPACITY, COLUMNS), np.float32)
            count = kernels.place(
                self._seed,
                west,
                north,
                page.base,
                page.edited,
                self._nodes(first_x, first_z),
                first_x,
                first_z,
                made,
            )
            found = self._rows[key] = made[:count].copy()
            while len(self._rows) > _MOST_PAGES:
                del self._rows[next(iter(self._rows))]
        return found

    def arch_rows(self, x: float, z: float, reach_m: float) -> list[tuple[PageKey, Rows]]:
        """Rows as in `kernels.scenery` of arches within `reach_m` of (x, z), each with its level-0 page."""
        found = []
        for arch in self.arches:
            if math.hypot(arch.x - x, arch.z - z) > reach_m + 0.5 * arch.width_m:
                continue
            (left_x, left_z), (right_x, right_z) = arch.poles
            left, right = self._height(left_x, left_z), self._height(right_x, right_z)
            key = page_at(0, arch.x, arch.z)
            known = self._arch_rows.get(arch)
            if known is not None and known[0] == (left, right):
                found.append((key, known[1]))
                continue
            west, north = key.origin_m
            along = (right_x - left_x) / arch.width_m, (right_z - left_z) / arch.width_m
            row = np.array(
                [
                    [
                        arch.x - west,
                        0.5 * (left + right),
                        arch.z - north,
                        *along,
                        (right - left) / arch.width_m,
                        arch.width_m,
                        POST_RADIUS_M,
                        arch.kind,
                        0.5,
                    ]
                ],
                np.float32,
            )
            self._arch_rows[arch] = (left, right), row
            while len(self._arch_rows) > 2 * len(self.arches):
                del self._arch_rows[next(iter(self._arch_rows))]
            found.append((key, row))
        return found

    def _poles(self, west_m: float, north_m: float, side_m: float) -> NDArray[np.float64]:
        """Solids [n, 8] of the poles of arches that stand in a square."""
        found = []
        for arch in self.arches:
            for x, z in arch.poles:
                if west_m <= x < west_m + side_m and north_m <= z < north_m + side_m:
                    foot = self._height(x, z)
                    found.append((x, z, x, z, POST_RADIUS_M, foot - ROOT_M, foot + ARCH_HEIGHT_M, FENCE))
        return np.array(found, np.float64).reshape(-1, 8)

    def _nodes(self, first_x: int, first_z: int) -> Rows:
        """Tree density at the nodes of a page: asked once, edits do not change it."""
        nodes = self._density.get((first_x, first_z))
        if nodes is None:
            found = self._source.forest_nodes(first_x, first_z, 3, 3)
            nodes = self._density[first_x, first_z] = np.ascontiguousarray(found, dtype=np.float32)
            while len(self._density) > _MOST_PAGES:
                del self._density[next(iter(self._density))]
        return nodes

    def solids(self, west_m: float, north_m: float, side_m: float) -> NDArray[np.float64]:
        """What is solid and has its middle in a square: float64 [n, 8], sorted.

        Columns x, z, end x, end z, radius, bottom height, top height, kind: a capsule in the plane between two heights.
        A gate is two posts, of the kind `FENCE`, and the way through between them, of the kind `GATE`.
        """
        found = [self._poles(west_m, north_m, side_m)]
        for ix in range(int(west_m // PAGE_QUADS), int((west_m + side_m) // PAGE_QUADS) + 1):
            for iz in range(int(north_m // PAGE_QUADS), int((north_m + side_m) // PAGE_QUADS) + 1):
                rows = self.rows(self._page_at(ix, iz))
                x = ix * float(PAGE_QUADS) + rows[:, 0].astype(np.float64)
                z = iz * float(PAGE_QUADS) + rows[:, 2].astype(np.float64)
                inside = (x >= west_m) & (x < west_m + side_m) & (z >= north_m) & (z < north_m + side_m)
                if inside.any():
                    found.append(solids_of(rows[inside], ix * float(PAGE_QUADS), iz * float(PAGE_QUADS)))
        solids = np.concatenate(found)
        return solids[np.lexsort(solids.T[::-1])]


def solids_of(rows: Rows, origin_x: float, origin_z: float) -> NDArray[np.float64]:
    """Solids of scenery rows as in `Scenery.solids`, in no order.

    A log or a panel on a slope is cut along its length, so that each part is as high as what is drawn there.
    """
    wide = _parts(rows.astype(np.float64))
    x, z, y, kind = origin_x + wide[:, 0], origin_z + wide[:, 2], wide[:, 1], wide[:, 8]
    half = np.where(kind != ROCK, 0.5 * wide[:, 6], 0.0)
    fall = half * np.abs(wide[:, 5])
    found = np.empty((len(wide), 8))
    found[:, 0], found[:, 1] = x - half * wide[:, 3], z - half * wide[:, 4]
    found[:, 2], found[:, 3] = x + half * wide[:, 3], z + half * wide[:, 4]
    found[:, 4] = np.where(kind == ROCK, ROCK_SOLID, 1.0) * wide[:, 7]
    found[:, 5] = y - fall - ROOT_M
    height = np.select(
        [kind == ROCK, kind == LOG, kind == FENCE],
        [ROCK_SOLID * wide[:, 6], 2.0 * wide[:, 7], np.full(len(wide), FENCE_HEIGHT_M)],
        POST_HEIGHT_M,
    )
    # A part is as high as at its lower end: the next one is within the width of a rider all the same.
    found[:, 6] = y + np.where(kind == GATE, fall, -fall) + height
    found[:, 7] = kind
    posts = [found]
    gate = kind == GATE
    for end, side in ((0, -1.0), (2, 1.0)):
        gates = found[gate].copy()
        gates[:, 0:2] = gates[:, end : end + 2]
        gates[:, 2:4] = gates[:, 0:2]
        foot = y[gate] + side * half[gate] * wide[gate, 5]
        gates[:, 4], gates[:, 7] = POST_RADIUS_M, FENCE
        gates[:, 5], gates[:, 6] = foot - ROOT_M, foot + POST_HEIGHT_M
        posts.append(gates)
    return np.concatenate(posts)


def _parts(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows with tilted logs and panels cut into shorter ones that follow the same line."""
    rise = rows[:, 6] * np.abs(rows[:, 5])
    cut = (rows[:, 8] == LOG) | (rows[:, 8] == FENCE)
    count = np.where(cut, np.clip(np.ceil(rise / STEP_M), 1, MOST_PARTS), 1).astype(np.int64)
    parts = np.repeat(rows, count, axis=0)
    share = np.repeat(count, count)
    number = np.arange(len(parts)) - np.repeat(np.cumsum(count) - count, count)
    along = ((number + 0.5) / share - 0.5) * parts[:, 6]
    along[share == 1] = 0.0
    parts[:, 0] += along * parts[:, 3]
    parts[:, 1] += along * parts[:, 5]
    parts[:, 2] += along * parts[:, 4]
    parts[:, 6] /= share
    return parts
