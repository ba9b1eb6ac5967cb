"""What may grow on a page, and what edits change about it.

Owns the land's rise on a lattice of 8 m and the change of tree density that follows from it (`kernels.growth`); which
trees that makes is said by the planter, `world.vegetation`. The lattice is the same for pages of every level, and is
brought to an epoch together with the page's samples (`world.edits`). Rows run south, columns east.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from game.core.coords import PageKey
from game.kernels.growth import GROWTH_M
from game.kernels.scatter import NODE_M

if TYPE_CHECKING:
    from game.world.page import PageData

IndexBox = tuple[int, int, int, int]
"""Rows j0…j1 and columns i0…i1, half open."""

MARGIN = 2
"""Nodes of the lattice beyond the page: a slope looks one node away, and the first index is even."""

_GRAIN = 16
"""The part of the lattice that is kept grows by so many nodes: one hill on a page of 4 km takes little."""

_NONE = np.zeros((0, 0, 2), np.float32)
_UNCHANGED = np.zeros((2, 0, 0), np.float32)


class Planter(Protocol):
    """What knows which trees follow from the woods (`world.vegetation.Vegetation`)."""

    def sow(self, key: PageKey) -> Woods | None:
        """Woods of a page without edits; None where nothing ever can grow."""

    def native(self, woods: Woods, out: NDArray[np.float32], first_i: int, first_j: int) -> None:
        """Fill `out[..., 0]` with heights of the world function from lattice node (first_i, first_j) on."""

    def renew(self, woods: Woods, box: IndexBox) -> IndexBox | None:
        """Renew `woods.change` in a box of the kept part; the box in which it became another, or None."""

    def place(self, page: PageData) -> NDArray[np.float32]:
        """All trees of a page."""

    def replant(self, page: PageData, nodes: IndexBox | None, moved: IndexBox | None) -> NDArray[np.float32]:
        """Its trees after the change of density became another at lattice nodes `nodes` (counted from the page's own
        first, beyond the margin) and samples of the generated box `moved` another height."""


@dataclass(slots=True)
class Woods:
    """Of one page: fields at nodes, which never change, and the part of the lattice that edits touched."""

    planter: Planter
    key: PageKey
    density: NDArray[np.float32]
    """[n, n] at nodes of 64 m without edits, the first one node north-west of the corner; [0, 0] for `classic`."""
    fields: NDArray[np.float32]
    """[growth.FIELDS, n, n] at the same nodes."""
    row: int = 0
    column: int = 0
    """Where the kept part begins in the page's lattice."""
    native: NDArray[np.float32] = field(default_factory=lambda: _NONE)
    """[nj, ni, 2] heights of the world function in channel 0, of the kept part."""
    base: NDArray[np.float32] = field(default_factory=lambda: _NONE)
    """The same with imported heightmaps; the same array where there are none."""
    edited: NDArray[np.float32] = field(default_factory=lambda: _NONE)
    """The same after edits."""
    change: NDArray[np.float32] = field(default_factory=lambda: _UNCHANGED)
    """[2, nj, ni] what edits add to the density, or with the `classic` forest to the height (metres), and to the
    temperature (°C)."""

    @property
    def count(self) -> int:
        """Nodes of the page's lattice along a side, margins included."""
        return self.key.span_m // GROWTH_M + 1 + 2 * MARGIN

    @property
    def first(self) -> tuple[int, int]:
        """Sample index (i, j) of the first node of the page's lattice, at the lattice's level."""
        x, z = self.key.origin_m
        return x // GROWTH_M - MARGIN, z // GROWTH_M - MARGIN

    @property
    def first_node(self) -> tuple[int, int]:
        """Node (x, z), 64 m apart, that `density` and `fields` begin with."""
        x, z = self.key.origin_m
        return x // NODE_M - 1, z // NODE_M - 1

    @property
    def kept_first(self) -> tuple[int, int]:
        """Sample index (i, j) of the first node of the kept part."""
        i, j = self.first
        return i + self.column, j + self.row

    @property
    def nbytes(self) -> int:
        """Memory of all arrays, bytes."""
        lattice = self.native, self.edited, self.change
        own = 0 if self.base is self.native else self.base.nbytes
        return self.density.nbytes + self.fields.nbytes + own + sum(part.nbytes for part in lattice)

    def copy(self) -> Woods:
        """Woods of their own on the same fields."""
        return replace(self, edited=self.edited.copy(), change=self.change.copy())

    def cover(self, box: IndexBox) -> IndexBox:
        """Keep at least `box` of the page's lattice; returns it counted in the kept part."""
        j0, j1, i0, i1 = box
        rows, columns = self.change.shape[1:]
        inside = (
            self.row <= j0 and self.column <= i0 and j1 <= self.row + rows and i1 <= self.column + columns
        )
        if not inside:
            if rows:
                j0, j1 = min(j0, self.row), max(j1, self.row + rows)
                i0, i1 = min(i0, self.column), max(i1, self.column + columns)
            j0, i0 = j0 // _GRAIN * _GRAIN, i0 // _GRAIN * _GRAIN
            j1, i1 = min(-(-j1 // _GRAIN) * _GRAIN, self.count), min(-(-i1 // _GRAIN) * _GRAIN, self.count)
            self._keep(j0, j1, i0, i1)
        return box[0] - self.row, box[1] - self.row, box[2] - self.column, box[3] - self.column

    def _keep(self, j0: int, j1: int, i0: int, i1: int) -> None:
        native = np.zeros((j1 - j0, i1 - i0, 2), np.float32)
        first_i, first_j = self.first
        self.planter.native(self, native, first_i + i0, first_j + j0)
        edited, change = native.copy(), np.zeros((2, *native.shape[:2]), np.float32)
        rows, columns = self.change.shape[1:]
        if rows:
            row, column = self.row - j0, self.column - i0
            edited[row : row + rows, column : column + columns] = self.edited
            change[:, row : row + rows, column : column + columns] = self.change
        self.row, self.column = j0, i0
        self.native = self.base = native
        self.edited, self.change = edited, change

    def stamp(self, base: NDArray[np.float32]) -> None:
        """Let `base` [count, count, 2], heights with imported heightmaps, be what edits start from."""
        self.cover((0, self.count, 0, self.count))
        self.base, self.edited = base, base.copy()
        self.renew((0, self.count, 0, self.count))

    def renew(self, box: IndexBox) -> IndexBox | None:
        """Renew the change of density in a box of the page's lattice, which is kept; the box in which it became
        another, or None."""
        j0, j1, i0, i1 = box
        found = self.planter.renew(self, (j0 - self.row, j1 - self.row, i0 - self.column, i1 - self.column))
        if found is None:
            return None
        j0, j1, i0, i1 = found
        return j0 + self.row, j1 + self.row, i0 + self.column, i1 + self.column

    def forget_edits(self) -> IndexBox | None:
        """Be as before every edit; the lattice box in which the density became another, or None."""
        if not self.change.size:
            return None
        if self.base is not self.native:
            self.edited = self.base.copy()
            return self.renew((0, self.count, 0, self.count))
        box = None
        rows, columns = (
            np.flatnonzero(self.change.any(axis=(0, 2))),
            np.flatnonzero(self.change.any(axis=(0, 1))),
        )
        if len(rows):
            box = (
                self.row + int(rows[0]),
                self.row + int(rows[-1]) + 1,
                self.column + int(columns[0]),
                self.column + int(columns[-1]) + 1,
            )
        self.native = self.base = self.edited = _NONE
        self.change = _UNCHANGED
        self.row = self.column = 0
        return box
