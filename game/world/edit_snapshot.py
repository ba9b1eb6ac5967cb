"""The edit log at one epoch, and how pages are brought to it.

Owns the search for operations that can alter a page, their application to samples and woods, and what follows from
changed samples. Immutable: any thread may evaluate pages of its own with it. The log itself is `world.edits`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from game.core.coords import GENERATED, STORED
from game.kernels import brush as brush_kernels
from game.kernels import finish
from game.kernels.growth import GROWTH_LEVEL
from game.world.deltas import Delta, DeltaCache
from game.world.dirty import DirtyBox, Grid, box_around, samples_in, stored_box
from game.world.page import PageData
from game.world.woods import IndexBox, Planter, Woods

_FIRST_CLASS = 4

MOST_BOXES = 256
"""Beyond so many missed changes a page is evaluated anew instead of box by box."""


def size_class_of(reach_m: float) -> int:
    """Class c of a reach: at most 2^c metres, c from 4 on."""
    return max(_FIRST_CLASS, math.ceil(math.log2(reach_m)))


def cell_side_m(size_class: int) -> int:
    """Side of an index cell: 16 radii, so that no page of a level that shows the class spans many."""
    return 16 << size_class


Cells = dict[tuple[int, int, int], list[int]]


def cell_of(row: Sequence[float]) -> tuple[int, int, int]:
    """Index cell (size class, cell x, cell z) of an operation's centre."""
    size_class = size_class_of(row[brush_kernels.OP_REACH])
    cell_m = cell_side_m(size_class)
    return (
        size_class,
        math.floor(row[brush_kernels.OP_CENTRE_X] / cell_m),
        math.floor(row[brush_kernels.OP_CENTRE_Z] / cell_m),
    )


@dataclass(frozen=True, slots=True)
class EditSnapshot:
    """The log at one epoch. Immutable; any thread may evaluate pages of its own with it."""

    epoch: int
    removed_at: int
    """Epoch of the last undo: pages evaluated before it must replay, later ones only need what is new."""
    ops: NDArray[np.float64]
    """[n, 14] operation rows in log order, see `kernels.brush`."""
    op_epochs: NDArray[np.int64]
    """[n] epoch at which each operation came in, ascending."""
    _boxes: Sequence[DirtyBox]
    """Box of the change that made epoch e at index e − 1 − `_forgotten`. Grows behind the snapshot's back."""
    _forgotten: int
    _cells: Cells
    """Operation numbers by (size class, cell x, cell z) of the centre. May name newer ones; those are skipped."""
    _classes: frozenset[int]
    _deltas: dict[int, Delta]
    """Baked operations by number; read only those that `ops` and `_preview` name."""
    _patches: DeltaCache
    _preview: NDArray[np.float64]
    """[m, 14] baked operations on top of the log that are not part of it."""

    def evaluate(self, page: PageData, *, samples_only: bool = False) -> None:
        """Bring a whole page to this epoch, from `base`; nothing happens when it is there already or further.

        With `samples_only` just `edited` follows, not what is made from it.

        `base` is kept as it is: `edited` becomes an array of its own at the first operation that touches the
        page, and `base` again when none is left.
        """
        if page.epoch >= self.epoch:
            return
        grid = Grid.of(page.key)
        ops = self._ops_on(grid)
        changed: IndexBox | None = None
        if len(ops) or page.edited is not page.base:
            changed = (0, GENERATED, 0, GENERATED)
            if len(ops) == 0:
                page.edited = page.base
            else:
                if page.edited is page.base:
                    changed = samples_in(box_around(ops, self.epoch), grid) or changed
                page.edited = page.base.copy()
                self._apply(page.edited, page.base, grid, ops, changed)
        page.epoch = self.epoch
        if samples_only:
            return
        if changed is not None:
            self._finish(page, changed)
        if page.woods is not None:
            nodes = self._grow_anew(page.woods)
            page.trees = page.woods.planter.replant(page, nodes, changed)

    def evaluate_box(
        self, page: PageData, box: DirtyBox | None = None, *, samples_only: bool = False
    ) -> IndexBox | None:
        """Bring a page to this epoch by working only where the log changed since the page's epoch.

        Appended operations are applied to what is there, with the same bits as a replay; after an undo the box
        is replayed from `base`. `box` may be left out: the log remembers every change, so that a page which
        missed some is right too. With `samples_only` just `edited` follows, not what is made from it.

        Returns the stored indices (j0, j1, i0, i1) whose heights or normals changed, or None: `page.trees` may be
        others even then.
        """
        since = page.epoch
        if since >= self.epoch:
            return None
        if self.epoch - since > MOST_BOXES or since < self._forgotten:
            was = page.edited
            self.evaluate(page, samples_only=samples_only)
            return None if page.edited is was else (0, STORED, 0, STORED)
        grid = Grid.of(page.key)
        changed = self._missed(since, grid)
        if changed is not None:
            ops = self._news(since, grid)
            if ops is None:
                page.edited = page.base
            else:
                if page.edited is page.base:
                    page.edited = page.base.copy()
                elif since < self.removed_at:
                    j0, j1, i0, i1 = changed
                    page.edited[j0:j1, i0:i1] = page.base[j0:j1, i0:i1]
                self._apply(page.edited, page.base, grid, ops, changed)
        page.epoch = self.epoch
        if samples_only:
            return changed
        rows = None if changed is None else self._finish(page, changed)
        if page.woods is not None:
            nodes = self._grow(page.woods, since)
            if nodes is not None or changed is not None:
                page.trees = page.woods.planter.replant(page, nodes, changed)
        return rows

    def plant(self, page: PageData, planter: Planter) -> None:
        """Sow the woods of a page that stands at this epoch, and set its trees."""
        page.woods = planter.sow(page.key)
        if page.woods is not None:
            self._grow_anew(page.woods)
        page.trees = planter.place(page)

    def _missed(self, since: int, grid: Grid) -> IndexBox | None:
        """Where on `grid` the land may be another than at epoch `since`."""
        news = self._boxes[since - self._forgotten : self.epoch - self._forgotten]
        if len(news) == 1:
            return samples_in(news[0], grid)
        missed = [change for change in news if samples_in(change, grid) is not None]
        return samples_in(reduce(DirtyBox.union, missed), grid) if missed else None

    def _news(self, since: int, grid: Grid) -> NDArray[np.float64] | None:
        """Operations to apply: what came after `since`, or all on `grid` when something was taken back; None for none
        at all."""
        if since >= self.removed_at:
            return self.ops[int(np.searchsorted(self.op_epochs, since, side="right")) :]
        ops = self._ops_on(grid)
        return ops if len(ops) else None

    def _grow(self, woods: Woods, since: int) -> IndexBox | None:
        """Bring woods from epoch `since` to this one; the box of the page's lattice in which the density changed."""
        grid = Grid.under(woods)
        changed = self._missed(since, grid)
        if changed is None:
            return None
        ops = self._news(since, grid)
        if ops is None:
            return woods.forget_edits()
        j0, j1, i0, i1 = kept = woods.cover(changed)
        if since < self.removed_at:
            woods.edited[j0:j1, i0:i1] = woods.base[j0:j1, i0:i1]
        i, j = woods.kept_first
        part = Grid(GROWTH_LEVEL, i, j, grid.side)
        self._apply(woods.edited, woods.base, part, ops, kept)
        return woods.renew(changed)

    def _grow_anew(self, woods: Woods) -> IndexBox | None:
        """Bring woods of whatever epoch to this one; the box of the page's lattice in which the density changed."""
        was = woods.forget_edits()
        grid = Grid.under(woods)
        ops = self._ops_on(grid)
        changed = samples_in(box_around(ops, self.epoch), grid) if len(ops) else None
        if changed is None:
            return was
        kept = woods.cover(changed)
        i, j = woods.kept_first
        self._apply(woods.edited, woods.base, Grid(GROWTH_LEVEL, i, j, grid.side), ops, kept)
        now = woods.renew(changed)
        if was is None or now is None:
            return now if was is None else was
        return min(was[0], now[0]), max(was[1], now[1]), min(was[2], now[2]), max(was[3], now[3])

    def work(self, box: DirtyBox, since: int) -> int:
        """Operations that a page within `box` has to go through to come here from epoch `since`.

        After something was taken back, all that touch the box are replayed; else only the new ones are applied.
        """
        if since >= self.removed_at:
            return len(self.ops) - int(np.searchsorted(self.op_epochs, since, side="right"))
        x, z = self.ops[:, brush_kernels.OP_CENTRE_X], self.ops[:, brush_kernels.OP_CENTRE_Z]
        reach = self.ops[:, brush_kernels.OP_REACH]
        near = (x + reach >= box.x0) & (x - reach <= box.x1) & (z + reach >= box.z0) & (z - reach <= box.z1)
        return int(np.count_nonzero(near))

    def _apply(
        self,
        edited: NDArray[np.float32],
        base: NDArray[np.float32],
        grid: Grid,
        ops: NDArray[np.float64],
        box: IndexBox,
    ) -> None:
        """Apply operation rows to the samples `edited` [nj, ni, 2] of `grid`, in a box of them."""
        at = grid.first_i, grid.first_j, 1 << grid.level
        if len(ops) == 1 and ops[0, brush_kernels.OP_BRUSH] != brush_kernels.DELTA:
            brush_kernels.apply_ops(edited, base, *at, ops, *box)
            return
        start = 0
        for n in np.flatnonzero(ops[:, brush_kernels.OP_BRUSH] == brush_kernels.DELTA).tolist():
            if n > start:
                brush_kernels.apply_ops(edited, base, *at, ops[start:n], *box)
            self._add_delta(edited, grid, ops[n], box)
            start = n + 1
        if start < len(ops):
            brush_kernels.apply_ops(edited, base, *at, ops[start:], *box)

    def _add_delta(
        self, edited: NDArray[np.float32], grid: Grid, op: NDArray[np.float64], box: IndexBox
    ) -> None:
        """A baked operation on R from its own level's samples, on G from those of the parent's level."""
        delta = self._deltas[int(op[brush_kernels.OP_DELTA])]
        radius = float(op[brush_kernels.OP_RADIUS])
        for channel in (0, 1):
            level = grid.level + channel
            band = float(brush_kernels.band_weight(radius, float(1 << level)))
            if band > 0.0:
                patch, i, j = self._patches.patch(delta, level)
                brush_kernels.add_delta(
                    edited, channel, 1 + channel, grid.first_i, grid.first_j, patch, i, j, band, *box
                )

    def _finish(self, page: PageData, box: IndexBox) -> IndexBox | None:
        """Copy changed samples out for upload, renew normals and bounds."""
        stored = stored_box(box)
        if stored is not None:
            low, high = finish.finish_page(
                page.edited, page.key.spacing_m, *stored, page.heights, page.normals
            )
            page.min_m, page.max_m = float(low), float(high)
        return stored

    def _ops_on(self, grid: Grid) -> NDArray[np.float64]:
        """Operations [n, 14] that can alter samples of `grid`, in log order."""
        if len(self.ops) == 0 and len(self._preview) == 0:
            return self.ops
        level, first_i, first_j, count = grid
        spacing = 1 << level
        west, north = first_i * spacing, first_j * spacing
        side = (count - 1) * spacing
        found: list[int] = []
        for size_class in self._classes:
            reach = 1 << size_class
            if level > 0 and reach <= spacing:
                continue
            cell_m = cell_side_m(size_class)
            for cz in range((north - reach) // cell_m, (north + side + reach) // cell_m + 1):
                for cx in range((west - reach) // cell_m, (west + side + reach) // cell_m + 1):
                    found.extend(self._cells.get((size_class, cx, cz), ()))
        numbers = np.unique(np.array(found, np.int64))
        ops = self.ops[numbers[numbers < len(self.ops)]]
        if len(self._preview):
            ops = np.concatenate([ops, self._preview])
        far = ops[:, brush_kernels.OP_REACH]
        x, z = ops[:, brush_kernels.OP_CENTRE_X], ops[:, brush_kernels.OP_CENTRE_Z]
        near = (x + far >= west) & (x - far <= west + side)
        near &= (z + far >= north) & (z - far <= north + side)
        if level > 0:
            near &= ops[:, brush_kernels.OP_RADIUS] > spacing
        return ops[near]
