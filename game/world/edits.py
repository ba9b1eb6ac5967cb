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
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.core.coords import APRON, GENERATED, GENERATED_APRON, STORED, WORLD_LIMIT_M, PageKey
from game.kernels import brush as brush_kernels
from game.kernels import heightfield, scatter
from game.world.page import PageData

BRUSHES = {"raise": brush_kernels.RAISE, "lower": brush_kernels.LOWER}
"""Known brushes and their codes in operation rows."""

RADIUS_M = (0.5, 2000.0)
STRENGTH_M = (0.0, 500.0)
"""Accepted ranges, metres; a strength must be more than 0."""

FORMAT = 1
"""Version of the JSON form."""

_NAMES = {code: name for name, code in BRUSHES.items()}
_FIRST_CLASS = 4
_LAST_CLASS = 11
_NORMAL_REACH = 2
"""Samples around a changed one whose normals change: the parent's slope looks one parent sample, two own, away."""

_MOST_BOXES = 256
"""Beyond so many missed changes a page is evaluated anew instead of box by box."""


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
        )

    def touches(self, key: PageKey) -> bool:
        """Whether the change can alter the page, its apron included."""
        return _samples_in(self, key) is not None

    def pages(self, level: int) -> Iterator[PageKey]:
        """Keys of all pages of `level` that the change can alter."""
        span = PageKey(level, 0, 0).span_m
        for iz in range(math.floor(self.z0 / span) - 1, math.floor(self.z1 / span) + 2):
            for ix in range(math.floor(self.x0 / span) - 1, math.floor(self.x1 / span) + 2):
                key = PageKey(level, ix, iz)
                if self.touches(key):
                    yield key


IndexBox = tuple[int, int, int, int]
"""Rows j0…j1 and columns i0…i1, half open."""


def _samples_in(box: DirtyBox, key: PageKey) -> IndexBox | None:
    """Generated indices (0…136) of the page's samples in `box`; None when it has none or shows no such brush."""
    spacing = key.spacing_m
    if key.level > 0 and box.radius_m <= spacing:
        return None
    first_i, first_j = _first_sample(key)
    # One sample more on each side, as the kernel does, so that rounding cannot drop a rim sample.
    i0 = max(0, math.floor(box.x0 / spacing) - 1 - first_i)
    i1 = min(GENERATED, math.ceil(box.x1 / spacing) + 2 - first_i)
    j0 = max(0, math.floor(box.z0 / spacing) - 1 - first_j)
    j1 = min(GENERATED, math.ceil(box.z1 / spacing) + 2 - first_j)
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


def _size_class(radius_m: float) -> int:
    """Class c of a radius: at most 2^c metres, c from 4 to 11."""
    return min(_LAST_CLASS, max(_FIRST_CLASS, math.ceil(math.log2(radius_m))))


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
    """[n, 5] operation rows in log order, see `kernels.brush`."""
    op_epochs: NDArray[np.int64]
    """[n] epoch at which each operation came in, ascending."""
    _boxes: Sequence[DirtyBox]
    """Box of the change that made epoch e at index e − 1. Grows behind the snapshot's back; read up to `epoch`."""
    _cells: _Cells
    """Operation numbers by (size class, cell x, cell z) of the centre. May name newer ones; those are skipped."""
    _classes: frozenset[int]

    def evaluate(self, page: PageData) -> None:
        """Bring a whole page to this epoch, from `base`; nothing happens when it is there already or further.

        `base` is kept as it is: `edited` becomes an array of its own at the first operation that touches the
        page, and `base` again when none is left.
        """
        if page.epoch >= self.epoch:
            return
        ops = self._ops_on(page.key)
        if len(ops) == 0 and page.edited is page.base:
            page.epoch = self.epoch
            return
        changed: IndexBox = (0, GENERATED, 0, GENERATED)
        if len(ops) == 0:
            page.edited = page.base
        else:
            if page.edited is page.base:
                changed = _samples_in(_around(ops, self.epoch), page.key) or changed
            page.edited = page.base.copy()
            self._apply(page, ops, changed)
        self._finish(page, changed)

    def evaluate_box(self, page: PageData, box: DirtyBox | None = None) -> IndexBox | None:
        """Bring a page to this epoch by working only where the log changed since the page's epoch.

        Appended operations are applied to what is there, with the same bits as a replay; after an undo the box
        is replayed from `base`. `box` may be left out: the log remembers every change, so that a page which
        missed some is right too.

        Returns the stored indices (j0, j1, i0, i1) whose heights or normals changed, or None.
        """
        if page.epoch >= self.epoch:
            return None
        if self.epoch - page.epoch > _MOST_BOXES:
            was = page.edited
            self.evaluate(page)
            return None if page.edited is was else (0, STORED, 0, STORED)
        missed = [change for change in self._boxes[page.epoch : self.epoch] if change.touches(page.key)]
        changed = None
        if missed:
            whole = missed[0]
            for change in missed[1:]:
                whole = whole.union(change)
            changed = _samples_in(whole, page.key)
        if changed is None:
            page.epoch = self.epoch
            return None
        if page.epoch >= self.removed_at:
            first = int(np.searchsorted(self.op_epochs, page.epoch, side="right"))
            if page.edited is page.base:
                page.edited = page.base.copy()
            self._apply(page, self.ops[first:], changed)
        else:
            ops = self._ops_on(page.key)
            if len(ops) == 0:
                page.edited = page.base
            else:
                j0, j1, i0, i1 = changed
                if page.edited is page.base:
                    page.edited = page.base.copy()
                page.edited[j0:j1, i0:i1] = page.base[j0:j1, i0:i1]
                self._apply(page, ops, changed)
        return self._finish(page, changed)

    def _apply(self, page: PageData, ops: NDArray[np.float64], box: IndexBox) -> None:
        first_i, first_j = _first_sample(page.key)
        brush_kernels.apply_ops(page.edited, first_i, first_j, page.key.spacing_m, ops, *box)

    def _finish(self, page: PageData, box: IndexBox) -> IndexBox | None:
        """Copy changed samples out for upload, renew normals, bounds and the trees' feet."""
        stored = _stored_box(box)
        spacing = page.key.spacing_m
        if stored is not None:
            low, high = heightfield.finish_page(page.edited, spacing, *stored, page.heights, page.normals)
            page.min_m, page.max_m = float(low), float(high)
        if len(page.trees):
            # A new array: whoever drew from the old one sees that it changed.
            trees = page.trees.copy()
            scatter.resample(trees, page.edited, spacing, *box)
            page.trees = trees
        page.epoch = self.epoch
        return stored

    def _ops_on(self, key: PageKey) -> NDArray[np.float64]:
        """Operations [n, 5] that can alter the page, in log order."""
        if len(self.ops) == 0:
            return self.ops
        spacing = key.spacing_m
        first_i, first_j = _first_sample(key)
        west, north = first_i * spacing, first_j * spacing
        side = (GENERATED - 1) * spacing
        found: list[int] = []
        for size_class in self._classes:
            reach = 1 << size_class
            if key.level > 0 and reach <= spacing:
                continue
            cell_m = _cell_m(size_class)
            for cz in range((north - reach) // cell_m, (north + side + reach) // cell_m + 1):
                for cx in range((west - reach) // cell_m, (west + side + reach) // cell_m + 1):
                    found.extend(self._cells.get((size_class, cx, cz), ()))
        numbers = np.unique(np.array(found, np.int64))
        ops = self.ops[numbers[numbers < len(self.ops)]]
        radius = ops[:, brush_kernels.OP_RADIUS]
        x, z = ops[:, brush_kernels.OP_X], ops[:, brush_kernels.OP_Z]
        near = (x + radius >= west) & (x - radius <= west + side)
        near &= (z + radius >= north) & (z - radius <= north + side)
        if key.level > 0:
            near &= radius > spacing
        return ops[near]


def _around(ops: NDArray[np.float64], epoch: int) -> DirtyBox:
    """Box around operation rows [n ≥ 1, 5]."""
    x, z = ops[:, brush_kernels.OP_X], ops[:, brush_kernels.OP_Z]
    radius = ops[:, brush_kernels.OP_RADIUS]
    return DirtyBox(
        float((x - radius).min()),
        float((z - radius).min()),
        float((x + radius).max()),
        float((z + radius).max()),
        float(radius.max()),
        epoch,
    )


class EditLog:
    """Operations in the order they were made. Change it from one thread only; see the module for readers."""

    def __init__(self) -> None:
        self._ops = np.zeros((64, brush_kernels.OP_COLUMNS))
        self._op_epochs = np.zeros(64, np.int64)
        self._count = 0
        self._stroke_starts: list[int] = []
        """First operation of each stroke."""
        self._stroke_open = False
        self._joins_stroke = False
        """Whether the next dab belongs to the last stroke."""
        self._undone: list[NDArray[np.float64]] = []
        self._boxes: list[DirtyBox] = []
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

    def snapshot(self) -> EditSnapshot:
        """The log as it is now, for any thread."""
        return self._snapshot

    def apply(self, brush: str, x: float, z: float, radius_m: float, strength_m: float) -> DirtyBox:
        """Append one operation, a dab, and return the box it touches.

        `brush` is one of `BRUSHES`; x, z the centre in metres; `strength_m` the change at the centre, positive
        also for `lower`. Outside `begin_stroke` … `end_stroke` a dab is a stroke of its own.

        Raises `ValueError` naming the value and what is accepted; the log is then unchanged.
        """
        row = _checked_row(brush, x, z, radius_m, strength_m)
        self._undone.clear()
        if not self._joins_stroke:
            self._stroke_starts.append(self._count)
        self._joins_stroke = self._stroke_open
        return self._append(np.array([row]))

    def begin_stroke(self) -> None:
        """Group the dabs from here to `end_stroke`: `undo` takes them back together."""
        self._stroke_open = True
        self._joins_stroke = False

    def end_stroke(self) -> None:
        """Close the group; harmless when none is open."""
        self._stroke_open = False
        self._joins_stroke = False

    def undo(self) -> DirtyBox | None:
        """Take the last stroke back and return the box it had touched; None when there is nothing to undo."""
        self.end_stroke()
        if not self._stroke_starts:
            return None
        start = self._stroke_starts.pop()
        gone = self._ops[start : self._count].copy()
        self._undone.append(gone)
        # New arrays and lists, not shorter ones: snapshots still read the old.
        self._ops = self._ops.copy()
        self._op_epochs = self._op_epochs.copy()
        self._cells = dict(self._cells)
        for cell in {_cell_of(row) for row in gone}:
            kept = [number for number in self._cells[cell] if number < start]
            if kept:
                self._cells[cell] = kept
            else:
                del self._cells[cell]
        self._count = start
        box = _around(gone, self.epoch + 1)
        self._removed_at = box.epoch
        self._boxes.append(box)
        self._snapshot = self._freeze()
        return box

    def redo(self) -> DirtyBox | None:
        """Bring the stroke last undone back and return its box; None when there is none."""
        self.end_stroke()
        if not self._undone:
            return None
        self._stroke_starts.append(self._count)
        return self._append(self._undone.pop())

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
        strokes = []
        for start, end in pairwise([*self._stroke_starts, self._count]):
            rows = self._ops[start:end].tolist()
            strokes.append(
                [
                    {"brush": _NAMES[int(code)], "x": x, "z": z, "radius_m": radius, "strength_m": strength}
                    for code, x, z, radius, strength in rows
                ]
            )
        return {"format": FORMAT, "strokes": strokes}

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
        rows: list[tuple[float, ...]] = []
        for number, stroke in enumerate(strokes):
            if not isinstance(stroke, list):
                messages.append(f"edits: stroke {number} is not a list of operations; skipped")
                continue
            start = len(rows)
            for position, item in enumerate(stroke):
                try:
                    rows.append(_row_from_json(item))
                except ValueError as error:
                    messages.append(f"edits: stroke {number}, operation {position}: {error}; skipped")
            if len(rows) > start:
                log._stroke_starts.append(start)
        if rows:
            log._append(np.array(rows))
        return log, messages

    def _append(self, rows: NDArray[np.float64]) -> DirtyBox:
        """Append operation rows [n ≥ 1, 5] as one change."""
        box = _around(rows, self.epoch + 1)
        needed = self._count + len(rows)
        if needed > len(self._ops):
            room = max(needed, 2 * len(self._ops))
            ops, epochs = np.zeros((room, brush_kernels.OP_COLUMNS)), np.zeros(room, np.int64)
            ops[: self._count] = self._ops[: self._count]
            epochs[: self._count] = self._op_epochs[: self._count]
            self._ops, self._op_epochs = ops, epochs
        # Slots beyond every snapshot's view, so readers are not disturbed.
        self._ops[self._count : needed] = rows
        self._op_epochs[self._count : needed] = box.epoch
        for number, row in enumerate(rows, self._count):
            cell = _cell_of(row)
            self._cells.setdefault(cell, []).append(number)
            if cell[0] not in self._classes:
                self._classes |= {cell[0]}
        self._count = needed
        self._boxes.append(box)
        self._snapshot = self._freeze()
        return box

    def _freeze(self) -> EditSnapshot:
        return EditSnapshot(
            len(self._boxes),
            self._removed_at,
            self._ops[: self._count],
            self._op_epochs[: self._count],
            self._boxes,
            self._cells,
            self._classes,
        )


def _cell_of(row: NDArray[np.float64]) -> tuple[int, int, int]:
    """Index cell (size class, cell x, cell z) of an operation's centre."""
    size_class = _size_class(float(row[brush_kernels.OP_RADIUS]))
    cell_m = _cell_m(size_class)
    return (
        size_class,
        math.floor(row[brush_kernels.OP_X] / cell_m),
        math.floor(row[brush_kernels.OP_Z] / cell_m),
    )


def _number(key: str, value: object) -> float:
    """`value` as a finite float, or `ValueError` naming the key."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise ValueError(f"{key} = {value!r} is not accepted; give a number")
    try:
        number = float(value)
    except OverflowError:  # a whole number of more than 300 digits
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{key} = {value!r} is not accepted; give a finite number")
    return number


def _checked_row(
    brush: object, x: object, z: object, radius_m: object, strength_m: object
) -> tuple[float, float, float, float, float]:
    """An operation row, or `ValueError` naming the value and what is accepted."""
    if not isinstance(brush, str) or brush not in BRUSHES:
        raise ValueError(f"brush = {brush!r} is not known; use one of {', '.join(BRUSHES)}")
    east, south = _number("x", x), _number("z", z)
    for key, value in (("x", east), ("z", south)):
        if abs(value) > WORLD_LIMIT_M:
            raise ValueError(
                f"{key} = {value!r} is not accepted; give metres from -{WORLD_LIMIT_M:.0f} to {WORLD_LIMIT_M:.0f}"
            )
    radius, strength = _number("radius_m", radius_m), _number("strength_m", strength_m)
    if not RADIUS_M[0] <= radius <= RADIUS_M[1]:
        raise ValueError(
            f"radius_m = {radius!r} is not accepted; give {RADIUS_M[0]:g} to {RADIUS_M[1]:g} metres"
        )
    if not STRENGTH_M[0] < strength <= STRENGTH_M[1]:
        raise ValueError(
            f"strength_m = {strength!r} is not accepted; give more than {STRENGTH_M[0]:g} "
            f"and up to {STRENGTH_M[1]:g} metres"
        )
    return float(BRUSHES[brush]), east, south, radius, strength


def _row_from_json(item: object) -> tuple[float, float, float, float, float]:
    """An operation row from its JSON object; `ValueError` names the key that is missing or wrong."""
    if not isinstance(item, dict):
        raise ValueError(f"{item!r} is not an object with brush, x, z, radius_m, strength_m")
    for key in ("brush", "x", "z", "radius_m", "strength_m"):
        if key not in item:
            raise ValueError(f"the key {key!r} is missing")
    return _checked_row(item["brush"], item["x"], item["z"], item["radius_m"], item["strength_m"])
