"""The edit log: the truth about everything the player did to the land.

Owns an append-only list of brush operations in world coordinates, grouped in strokes, with a spatial index and
an epoch that grows by one on each change. Brings pages to the current epoch, by applying only what is new or by
replaying inside the changed box. Never generates land, never keeps pages.

Threads: the main thread changes the log; any thread may take `snapshot()` and evaluate pages of its own with it.
A snapshot never changes. A page that a worker finished carries the epoch it was evaluated at, so the main thread
can bring it up to date when it arrives.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.core.coords import APRON, GENERATED, GENERATED_APRON, STORED, PageKey
from game.kernels import brush as brush_kernels
from game.kernels import finish
from game.kernels.growth import GROWTH_LEVEL
from game.world import operations
from game.world.deltas import Delta, DeltaCache, fold
from game.world.operations import BRUSHES, DELTA, FALLOFFS, RADIUS_M, STRENGTH_M
from game.world.page import PageData
from game.world.woods import IndexBox, Planter, Woods

__all__ = [
    "BRUSHES",
    "FALLOFFS",
    "FORMAT",
    "RADIUS_M",
    "STRENGTH_M",
    "DirtyBox",
    "EditLog",
    "EditSnapshot",
    "IndexBox",
]

FORMAT = 3
"""Version of the JSON form. 1 knew raise and lower only, 2 no times; their files read as they are."""

TIME_S = (0.0, 1e12)
"""Accepted simulated seconds of an operation."""

_FIRST_CLASS = 4
_NORMAL_REACH = 2
"""Samples around a changed one whose normals change: the parent's slope looks one parent sample, two own, away."""

_MOST_BOXES = 256
"""Beyond so many missed changes a page is evaluated anew instead of box by box."""

_KEPT_BOXES = 4096
"""Changes remembered before the older ones are forgotten."""


class DirtyBox(NamedTuple):
    """World rectangle that one or more changes touched, borders included."""

    x0: float
    z0: float
    x1: float
    z1: float
    """Metres."""
    radius_m: float
    """Largest radius of the brushes in it: coarse levels do not show small ones."""
    epoch: int
    """Epoch of the log after the change."""
    baked: bool = False
    """Whether it holds baked differences, which filtering carries outward on coarse levels."""

    def union(self, other: DirtyBox | None) -> DirtyBox:
        """The box around both, at the later epoch."""
        if other is None:
            return self
        return DirtyBox(
            min(self.x0, other.x0),
            min(self.z0, other.z0),
            max(self.x1, other.x1),
            max(self.z1, other.z1),
            max(self.radius_m, other.radius_m),
            max(self.epoch, other.epoch),
            self.baked or other.baked,
        )

    def touches(self, key: PageKey) -> bool:
        """Whether the change can alter the page, its apron included."""
        return _samples_in(self, _Grid.of(key)) is not None

    def pages(self, level: int) -> Iterator[PageKey]:
        """Keys of all pages of `level` that the change can alter."""
        span = PageKey(level, 0, 0).span_m
        for iz in range(math.floor(self.z0 / span) - 1, math.floor(self.z1 / span) + 2):
            for ix in range(math.floor(self.x0 / span) - 1, math.floor(self.x1 / span) + 2):
                key = PageKey(level, ix, iz)
                if self.touches(key):
                    yield key


class _Grid(NamedTuple):
    """A square of samples of one level: those generated for a page, or the lattice of its woods."""

    level: int
    first_i: int
    first_j: int
    """Sample index of [0, 0]."""
    side: int
    """How many there are along a side."""

    @classmethod
    def of(cls, key: PageKey) -> _Grid:
        return cls(key.level, *_first_sample(key), GENERATED)

    @classmethod
    def under(cls, woods: Woods) -> _Grid:
        return cls(GROWTH_LEVEL, *woods.first, woods.count)


def _samples_in(box: DirtyBox, grid: _Grid) -> IndexBox | None:
    """Indices of the samples of `grid` in `box`; None when it has none or its level shows no such brush."""
    level, first_i, first_j, side = grid
    spacing = 1 << level
    if level > 0 and box.radius_m <= spacing:
        return None
    # One sample more on each side, as the kernel does, so that rounding cannot drop a rim sample. Filtering from level
    # to level carries a baked sample less than one sample outward in R and less than two in G.
    more = 3 if box.baked else 1
    i0 = max(0, math.floor(box.x0 / spacing) - more - first_i)
    i1 = min(side, math.ceil(box.x1 / spacing) + more + 1 - first_i)
    j0 = max(0, math.floor(box.z0 / spacing) - more - first_j)
    j1 = min(side, math.ceil(box.z1 / spacing) + more + 1 - first_j)
    return (j0, j1, i0, i1) if i0 < i1 and j0 < j1 else None


def _first_sample(key: PageKey) -> tuple[int, int]:
    """Sample index (i, j) of generated index 0."""
    i, j = key.origin_sample
    return i - GENERATED_APRON, j - GENERATED_APRON


def _stored_box(box: IndexBox) -> IndexBox | None:
    """Stored indices (0…132) whose height or normal depends on generated samples in `box`."""
    shift = GENERATED_APRON - APRON
    j0, j1, i0, i1 = box
    j0, i0 = max(0, j0 - shift - _NORMAL_REACH), max(0, i0 - shift - _NORMAL_REACH)
    j1, i1 = min(STORED, j1 - shift + _NORMAL_REACH), min(STORED, i1 - shift + _NORMAL_REACH)
    return (j0, j1, i0, i1) if i0 < i1 and j0 < j1 else None


def _size_class(reach_m: float) -> int:
    """Class c of a reach: at most 2^c metres, c from 4 on."""
    return max(_FIRST_CLASS, math.ceil(math.log2(reach_m)))


def _cell_m(size_class: int) -> int:
    """Side of an index cell: 16 radii, so that no page of a level that shows the class spans many."""
    return 16 << size_class


_Cells = dict[tuple[int, int, int], list[int]]


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
    _cells: _Cells
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
        grid = _Grid.of(page.key)
        ops = self._ops_on(grid)
        changed: IndexBox | None = None
        if len(ops) or page.edited is not page.base:
            changed = (0, GENERATED, 0, GENERATED)
            if len(ops) == 0:
                page.edited = page.base
            else:
                if page.edited is page.base:
                    changed = _samples_in(_around(ops, self.epoch), grid) or changed
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
        if self.epoch - since > _MOST_BOXES or since < self._forgotten:
            was = page.edited
            self.evaluate(page, samples_only=samples_only)
            return None if page.edited is was else (0, STORED, 0, STORED)
        grid = _Grid.of(page.key)
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

    def _missed(self, since: int, grid: _Grid) -> IndexBox | None:
        """Where on `grid` the land may be another than at epoch `since`."""
        news = self._boxes[since - self._forgotten : self.epoch - self._forgotten]
        if len(news) == 1:
            return _samples_in(news[0], grid)
        missed = [change for change in news if _samples_in(change, grid) is not None]
        return _samples_in(reduce(DirtyBox.union, missed), grid) if missed else None

    def _news(self, since: int, grid: _Grid) -> NDArray[np.float64] | None:
        """Operations to apply: what came after `since`, or all on `grid` when something was taken back; None for none
        at all."""
        if since >= self.removed_at:
            return self.ops[int(np.searchsorted(self.op_epochs, since, side="right")) :]
        ops = self._ops_on(grid)
        return ops if len(ops) else None

    def _grow(self, woods: Woods, since: int) -> IndexBox | None:
        """Bring woods from epoch `since` to this one; the box of the page's lattice in which the density changed."""
        grid = _Grid.under(woods)
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
        part = _Grid(GROWTH_LEVEL, i, j, grid.side)
        self._apply(woods.edited, woods.base, part, ops, kept)
        return woods.renew(changed)

    def _grow_anew(self, woods: Woods) -> IndexBox | None:
        """Bring woods of whatever epoch to this one; the box of the page's lattice in which the density changed."""
        was = woods.forget_edits()
        grid = _Grid.under(woods)
        ops = self._ops_on(grid)
        changed = _samples_in(_around(ops, self.epoch), grid) if len(ops) else None
        if changed is None:
            return was
        kept = woods.cover(changed)
        i, j = woods.kept_first
        self._apply(woods.edited, woods.base, _Grid(GROWTH_LEVEL, i, j, grid.side), ops, kept)
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
        grid: _Grid,
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
        self, edited: NDArray[np.float32], grid: _Grid, op: NDArray[np.float64], box: IndexBox
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
        stored = _stored_box(box)
        if stored is not None:
            low, high = finish.finish_page(
                page.edited, page.key.spacing_m, *stored, page.heights, page.normals
            )
            page.min_m, page.max_m = float(low), float(high)
        return stored

    def _ops_on(self, grid: _Grid) -> NDArray[np.float64]:
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
            cell_m = _cell_m(size_class)
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


def _around(ops: NDArray[np.float64], epoch: int) -> DirtyBox:
    """Box around operation rows [n ≥ 1, 14]."""
    x, z = ops[:, brush_kernels.OP_CENTRE_X], ops[:, brush_kernels.OP_CENTRE_Z]
    half_x = half_z = ops[:, brush_kernels.OP_REACH]
    baked = ops[:, brush_kernels.OP_BRUSH] == brush_kernels.DELTA
    if baked.any():
        half_x = np.where(baked, ops[:, brush_kernels.OP_C], half_x)
        half_z = np.where(baked, ops[:, brush_kernels.OP_D], half_z)
    ramp = ops[:, brush_kernels.OP_BRUSH] == brush_kernels.RAMP
    if ramp.any():
        # Half the run and the radius: the circle around a ramp holds half as much again.
        side = ops[:, brush_kernels.OP_RADIUS] + 1.0
        run_x = np.abs(ops[:, brush_kernels.OP_A] - ops[:, brush_kernels.OP_X])
        run_z = np.abs(ops[:, brush_kernels.OP_B] - ops[:, brush_kernels.OP_Z])
        half_x = np.where(ramp, 0.5 * run_x + side, half_x)
        half_z = np.where(ramp, 0.5 * run_z + side, half_z)
    return DirtyBox(
        float((x - half_x).min()),
        float((z - half_z).min()),
        float((x + half_x).max()),
        float((z + half_z).max()),
        float(ops[:, brush_kernels.OP_RADIUS].max()),
        epoch,
        bool(baked.any()),
    )


def _baked_runs(rows: NDArray[np.float64]) -> list[NDArray[np.intp]]:
    """Indices of baked operations in `rows`, those that follow each other together."""
    baked = np.flatnonzero(rows[:, brush_kernels.OP_BRUSH] == brush_kernels.DELTA)
    return [run for run in np.split(baked, np.flatnonzero(np.diff(baked) > 1) + 1) if len(run)]


class EditLog:
    """Operations in the order they were made. Change it from one thread only; see the module for readers."""

    def __init__(self) -> None:
        self._ops = np.zeros((64, brush_kernels.OP_COLUMNS))
        self._op_epochs = np.zeros(64, np.int64)
        self._times = np.zeros(64)
        self.now_s = 0.0
        """Simulated seconds of the world: what is appended carries them."""
        self._count = 0
        self._stroke_starts: list[int] = []
        """First operation of each stroke."""
        self._stroke_open = False
        self._joins_stroke = False
        """Whether the next dab belongs to the last stroke."""
        self._preview = np.zeros((0, brush_kernels.OP_COLUMNS))
        self._undone: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
        """Operation rows and their times."""
        self._deltas: dict[int, Delta] = {}
        self._next_delta = 0
        self._patches = DeltaCache()
        self._boxes: list[DirtyBox] = []
        self._forgotten = 0
        self._cells: _Cells = {}
        self._classes: frozenset[int] = frozenset()
        self._removed_at = 0
        self._snapshot = self._freeze()

    @property
    def epoch(self) -> int:
        """Number of changes so far; pages carry the epoch they were evaluated at."""
        return self._snapshot.epoch

    def __len__(self) -> int:
        """Number of operations in force."""
        return self._count

    @property
    def strokes(self) -> int:
        """Strokes that `undo` can take back."""
        return len(self._stroke_starts)

    @property
    def can_undo(self) -> bool:
        """Whether `undo` has a stroke to take back."""
        return bool(self._stroke_starts)

    @property
    def can_redo(self) -> bool:
        """Whether `redo` has a stroke to bring back."""
        return bool(self._undone)

    @property
    def stroke_open(self) -> bool:
        """Whether a stroke has begun and not ended: what is applied now would be undone with it."""
        return self._stroke_open

    def snapshot(self) -> EditSnapshot:
        """The log as it is now, for any thread."""
        return self._snapshot

    def apply(
        self, brush: str, x: float, z: float, radius_m: float, strength_m: float, **shape: object
    ) -> DirtyBox:
        """Append one analytic operation, a dab, and return the box it touches.

        `brush` is one of `BRUSHES`; x, z the point in metres; `strength_m` the change at the centre, positive
        also for `lower`; `shape` what `operations.operation` knows beside: falloff, target_m, end_x and so on.
        Outside `begin_stroke` … `end_stroke` a dab is a stroke of its own.

        Raises `ValueError` naming the value and what is accepted; the log is then unchanged.
        """
        row = operations.operation(brush, x, z, radius_m, strength_m, **shape)
        self._open_stroke()
        return self._append(row[None])

    def apply_delta(self, deltas: Sequence[Delta], radius_m: float) -> DirtyBox | None:
        """Append baked differences (a smoothed place, an imported heightmap) as one change; None for no deltas.

        `radius_m` says how coarse a level may be before they are too small to show.
        """
        if not deltas:
            return None
        operations.number("radius_m", radius_m, *operations.DELTA_RADIUS_M)
        # Opening the stroke lets unused deltas go, so these come after it.
        self._open_stroke()
        return self._append(np.array([self._register(delta, radius_m) for delta in deltas]))

    def preview(self, deltas: Sequence[Delta], radius_m: float) -> DirtyBox | None:
        """Show baked differences on top of everything without entering them; they replace those shown before.

        They are no stroke: neither saved nor undone, and gone with an empty list. Returns the box of what was shown
        and what is; None when that is nothing. `radius_m` as in `apply_delta`.
        """
        operations.number("radius_m", radius_m, *operations.DELTA_RADIUS_M)
        was = self._preview
        rows = [self._register(delta, radius_m) for delta in deltas]
        self._preview = np.array(rows).reshape(-1, brush_kernels.OP_COLUMNS)
        both = np.concatenate([was, self._preview])
        if len(both) == 0:
            return None
        box = _around(both, self.epoch + 1)
        self._removed_at = box.epoch
        box = self._changed(box)
        self._drop_deltas()
        return box

    def _register(self, delta: Delta, radius_m: float) -> NDArray[np.float64]:
        row = operations.delta_row(delta, radius_m, self._next_delta)
        self._deltas[self._next_delta] = delta
        self._next_delta += 1
        return row

    def _open_stroke(self) -> None:
        """A new dab comes: what was undone is gone, and the dab begins a stroke or joins the last."""
        if self._undone:
            self._undone.clear()
            self._drop_deltas()
        if not self._joins_stroke:
            self._stroke_starts.append(self._count)
        self._joins_stroke = self._stroke_open

    def begin_stroke(self) -> None:
        """Group the dabs from here to `end_stroke`: `undo` takes them back together."""
        self._stroke_open = True
        self._joins_stroke = False

    def stroke_deltas(self) -> list[list[Delta]]:
        """What `end_stroke` is going to fold, run by run: baked differences of the open stroke."""
        if not (self._stroke_open and self._joins_stroke):
            return []
        rows = self._ops[self._stroke_starts[-1] : self._count]
        return [self._deltas_of(rows[run]) for run in _baked_runs(rows) if len(run) > 1]

    def _deltas_of(self, rows: NDArray[np.float64]) -> list[Delta]:
        return [self._deltas[int(number)] for number in rows[:, brush_kernels.OP_DELTA]]

    def end_stroke(self, folded: Sequence[list[Delta]] | None = None) -> DirtyBox | None:
        """Close the group; harmless when none is open. `folded`: the tiles of `stroke_deltas`, if made already.

        The smoothing in it is folded into tiles, so that memory and files grow with the land that was touched and
        not with the time a brush was held on it. The box returned is what that may have moved, by far less than a
        millimetre; None when there was nothing to fold.
        """
        folds = self._stroke_open and self._joins_stroke
        self._stroke_open = False
        self._joins_stroke = False
        return self._fold_stroke(folded) if folds else None

    def _fold_stroke(self, folded: Sequence[list[Delta]] | None) -> DirtyBox | None:
        start = self._stroke_starts[-1]
        rows = self._ops[start : self._count]
        baked = rows[:, brush_kernels.OP_BRUSH] == brush_kernels.DELTA
        edges = np.flatnonzero(np.diff(baked)) + 1
        runs = [run for run in np.split(np.arange(len(rows)), edges) if len(run)]
        if not any(len(run) > 1 for run in _baked_runs(rows)):
            return None
        kept: list[NDArray[np.float64]] = []
        times: list[float] = []
        tiles = iter(folded) if folded is not None else None
        for run in runs:
            part = rows[run].copy()
            if baked[run[0]] and len(run) > 1:
                radius_m = float(part[:, brush_kernels.OP_RADIUS].max())
                made = fold(self._deltas_of(part)) if tiles is None else next(tiles)
                kept.extend(self._register(delta, radius_m) for delta in made)
                times.extend([float(self._times[start + run[-1]])] * len(made))
            else:
                kept.extend(part)
                times.extend(self._times[start + run].tolist())
        box = _around(rows, 0)
        box = self._replace(
            start, np.array(kept).reshape(-1, brush_kernels.OP_COLUMNS), np.array(times, np.float64), box
        )
        if self._count == start:
            self._stroke_starts.pop()  # the dabs cancelled each other out
        self._drop_deltas()
        return box

    def undo(self) -> DirtyBox | None:
        """Take the last stroke back and return the box it had touched; None when there is nothing to undo."""
        self.end_stroke()
        if not self._stroke_starts:
            return None
        start = self._stroke_starts.pop()
        gone = self._ops[start : self._count].copy()
        times = self._times[start : self._count].copy()
        self._undone.append((gone, times))
        return self._replace(start, gone[:0], times[:0], _around(gone, 0))

    def redo(self) -> DirtyBox | None:
        """Bring the stroke last undone back and return its box; None when there is none."""
        self.end_stroke()
        if not self._undone:
            return None
        self._stroke_starts.append(self._count)
        return self._append(*self._undone.pop())

    def _replace(
        self, start: int, rows: NDArray[np.float64], times: NDArray[np.float64], box: DirtyBox
    ) -> DirtyBox:
        """Let operations from number `start` on be `rows`, as one change within `box`."""
        gone = self._ops[start : self._count].copy()
        # New arrays and lists, not shorter ones: snapshots still read the old.
        self._ops = self._ops.copy()
        self._op_epochs = self._op_epochs.copy()
        self._cells = dict(self._cells)
        for cell in {_cell_of(row) for row in gone.tolist()}:
            kept = [number for number in self._cells[cell] if number < start]
            if kept:
                self._cells[cell] = kept
            else:
                del self._cells[cell]
        self._count = start
        box = box._replace(epoch=self.epoch + 1)
        self._removed_at = box.epoch
        self._write(rows, box.epoch, times)
        return self._changed(box)

    def _drop_deltas(self) -> None:
        """Forget baked operations that neither the land nor `redo` needs."""
        if not self._deltas:
            return
        used: set[int] = set()
        for rows in (self._ops[: self._count], self._preview, *(rows for rows, _ in self._undone)):
            baked = rows[:, brush_kernels.OP_BRUSH] == brush_kernels.DELTA
            used.update(int(number) for number in rows[baked, brush_kernels.OP_DELTA])
        self._deltas = {number: delta for number, delta in self._deltas.items() if number in used}
        self._snapshot = self._freeze()

    def evaluate(self, page: PageData) -> None:
        """`EditSnapshot.evaluate` at the current epoch."""
        self._snapshot.evaluate(page)

    def evaluate_box(self, page: PageData, box: DirtyBox | None = None) -> IndexBox | None:
        """`EditSnapshot.evaluate_box` at the current epoch."""
        return self._snapshot.evaluate_box(page, box)

    def to_json(self) -> dict[str, Any]:
        """Plain data for `json`: strokes of operations in force. What was undone is not kept.

        Raises `ValueError` when a number is not finite; nothing like that enters through `apply`.
        """
        if not np.isfinite(self._ops[: self._count]).all():
            raise ValueError("edits hold a number that is not finite; only finite numbers are saved")
        strokes = [
            [self._item(number) for number in range(start, end)]
            for start, end in pairwise([*self._stroke_starts, self._count])
        ]
        return {"format": FORMAT, "strokes": strokes}

    def _item(self, number: int) -> dict[str, Any]:
        row, time_s = self._ops[number], round(float(self._times[number]), 2)
        if row[brush_kernels.OP_BRUSH] != brush_kernels.DELTA:
            return operations.to_json(row) | {"time_s": time_s}
        delta = self._deltas[int(row[brush_kernels.OP_DELTA])]
        return {
            "brush": DELTA,
            "radius_m": float(row[brush_kernels.OP_RADIUS]),
            "time_s": time_s,
        } | delta.to_json()

    def _row(self, item: object) -> NDArray[np.float64]:
        """The row of a JSON object; `ValueError` names what is wrong with it."""
        if not isinstance(item, dict) or item.get("brush") != DELTA:
            return operations.from_json(item)
        delta = Delta.from_json(item)
        return self._register(
            delta, operations.number("radius_m", item.get("radius_m"), *operations.DELTA_RADIUS_M)
        )

    @classmethod
    def from_json(cls, data: object) -> tuple[EditLog, list[str]]:
        """A log from `to_json`'s form, and messages about everything that had to be left out.

        Never raises on bad content: an operation that is not usable is skipped, and the message names its
        stroke, its number and the key.
        """
        log = cls()
        messages: list[str] = []
        strokes = data.get("strokes") if isinstance(data, dict) else None
        if not isinstance(strokes, list):
            messages.append("edits: no list of strokes under the key 'strokes'; the land starts unedited")
            return log, messages
        rows: list[NDArray[np.float64]] = []
        times: list[float] = []
        for number, stroke in enumerate(strokes):
            if not isinstance(stroke, list):
                messages.append(f"edits: stroke {number} is not a list of operations; skipped")
                continue
            start = len(rows)
            for position, item in enumerate(stroke):
                try:
                    rows.append(log._row(item))
                except ValueError as error:
                    messages.append(f"edits: stroke {number}, operation {position}: {error}; skipped")
                    continue
                try:
                    times.append(operations.number("time_s", item.get("time_s", 0.0), *TIME_S))
                except ValueError as error:
                    messages.append(f"edits: stroke {number}, operation {position}: {error}; 0 is used")
                    times.append(0.0)
            if len(rows) > start:
                log._stroke_starts.append(start)
        if rows:
            log._append(np.array(rows), np.array(times))
        return log, messages

    def _append(self, rows: NDArray[np.float64], times: NDArray[np.float64] | None = None) -> DirtyBox:
        """Append operation rows [n ≥ 1, 14] as one change; `times` [n] their simulated seconds, by default now."""
        box = _around(rows, self.epoch + 1)
        self._write(rows, box.epoch, self.now_s if times is None else times)
        return self._changed(box)

    def _write(self, rows: NDArray[np.float64], epoch: int, times: NDArray[np.float64] | float) -> None:
        needed = self._count + len(rows)
        if needed > len(self._ops):
            room = max(needed, 2 * len(self._ops))
            ops, epochs = np.zeros((room, brush_kernels.OP_COLUMNS)), np.zeros(room, np.int64)
            ops[: self._count] = self._ops[: self._count]
            epochs[: self._count] = self._op_epochs[: self._count]
            self._ops, self._op_epochs = ops, epochs
            self._times = np.concatenate([self._times[: self._count], np.zeros(room - self._count)])
        # Slots beyond every snapshot's view, so readers are not disturbed.
        self._ops[self._count : needed] = rows
        self._op_epochs[self._count : needed] = epoch
        self._times[self._count : needed] = times
        for number, row in enumerate(rows.tolist(), self._count):
            cell = _cell_of(row)
            self._cells.setdefault(cell, []).append(number)
            if cell[0] not in self._classes:
                self._classes |= {cell[0]}
        self._count = needed

    def _changed(self, box: DirtyBox) -> DirtyBox:
        if len(self._preview):
            # What is new lies under the preview, not on it.
            self._removed_at = box.epoch
        self._boxes.append(box)
        if len(self._boxes) > _KEPT_BOXES:
            # A new list: snapshots still read the old.
            self._forgotten += len(self._boxes) - _MOST_BOXES
            self._boxes = self._boxes[-_MOST_BOXES:]
        self._snapshot = self._freeze()
        return box

    def _freeze(self) -> EditSnapshot:
        return EditSnapshot(
            self._forgotten + len(self._boxes),
            self._removed_at,
            self._ops[: self._count],
            self._op_epochs[: self._count],
            self._boxes,
            self._forgotten,
            self._cells,
            self._classes,
            self._deltas,
            self._patches,
            self._preview,
        )


def _cell_of(row: Sequence[float]) -> tuple[int, int, int]:
    """Index cell (size class, cell x, cell z) of an operation's centre."""
    size_class = _size_class(row[brush_kernels.OP_REACH])
    cell_m = _cell_m(size_class)
    return (
        size_class,
        math.floor(row[brush_kernels.OP_CENTRE_X] / cell_m),
        math.floor(row[brush_kernels.OP_CENTRE_Z] / cell_m),
    )
