"""The edit log: the truth about everything the player did to the land.

Owns an append-only list of brush operations in world coordinates, grouped in strokes, with a spatial index and
an epoch that grows by one on each change; undo and redo; the JSON form. `edit_snapshot` brings pages to an epoch,
`dirty` says what a change touches. Never generates land, never keeps pages.

Threads: the main thread changes the log; any thread may take `snapshot()` and evaluate pages of its own with it.
A snapshot never changes. A page that a worker finished carries the epoch it was evaluated at, so the main thread
can bring it up to date when it arrives.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from game.kernels import brush as brush_kernels
from game.world import operations
from game.world.deltas import Delta, DeltaCache, fold
from game.world.dirty import DirtyBox, box_around
from game.world.edit_snapshot import MOST_BOXES, Cells, EditSnapshot, cell_of
from game.world.operations import BRUSHES, DELTA, FALLOFFS, RADIUS_M, STRENGTH_M
from game.world.page import PageData
from game.world.woods import IndexBox

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

_KEPT_BOXES = 4096
"""Changes remembered before the older ones are forgotten."""


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
        self._cells: Cells = {}
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
        box = box_around(both, self.epoch + 1)
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
        box = box_around(rows, 0)
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
        return self._replace(start, gone[:0], times[:0], box_around(gone, 0))

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
        for cell in {cell_of(row) for row in gone.tolist()}:
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
        box = box_around(rows, self.epoch + 1)
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
            cell = cell_of(row)
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
            self._forgotten += len(self._boxes) - MOST_BOXES
            self._boxes = self._boxes[-MOST_BOXES:]
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
