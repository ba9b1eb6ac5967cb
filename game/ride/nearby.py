"""What stands near the rider, cell by cell: which obstacles enter the plane, when, and which leave.

Trunks come synchronously from `ground.trunks`, other solids from the scenery, both functions of the place. Cells
near the rider are complete before anything is asked; the rest of the reach follows a few colliders a step, so that
moving never costs a long step. A sweep only ever sees what is near, so a replay is the same however pages come in.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from game.ride.contact import GroundLike, Kind, Solid

CELL_M = 8.0
REACH_M = 64.0
"""Obstacles enter by cells of this side, as far as this from the rider, and leave two cells farther out."""

BLOCK_CELLS = 4
BLOCK_M = BLOCK_CELLS * CELL_M
MOST_BLOCKS = 64
"""The land is asked for blocks of this many cells a side, and this many answers are kept."""

NEAR_M = 20.0
"""Cells within this distance are in the plane before anything is asked; the rest is spread over steps."""

SPREAD = 7
"""Colliders added in a step beyond those that must be there: more than riding through the densest wood asks for."""

POST_EVERY_M = 0.4
"""Distance of the posts that stand for something long."""

LONGEST_M = 8.0
"""No solid of the scenery reaches farther than this from its middle: less than what is settled at once."""

_MOST_CELLS = int(REACH_M / CELL_M) + 1

Cell = tuple[int, int]
Scenery = Callable[[float, float, float], NDArray[np.float64]]
"""Solids whose middle lies in the square from (west, north) of this side, metres: [n, 8] as in `Solid`, sorted."""


class Plane(Protocol):
    """Where obstacles are put: `ride.collisions.Collisions`."""

    def insert(self, solids: Sequence[Solid]) -> list[Any]:
        """Put obstacles in; one handle each."""

    def take_out(self, handles: Sequence[Any]) -> None:
        """Take out what these handles stand for."""

    def prepare(self) -> bool:
        """Do a little work ahead of time; False when there is none."""


def _offsets(reach_m: float) -> list[Cell]:
    """Cells around (0, 0) that come within `reach_m` of any place in it, nearest first."""
    most = math.ceil(reach_m / CELL_M)
    found = [
        (max(0, abs(i) - 1) ** 2 + max(0, abs(k) - 1) ** 2, i, k)
        for i in range(-most, most + 1)
        for k in range(-most, most + 1)
    ]
    return [(i, k) for gap, i, k in sorted(found) if math.sqrt(gap) * CELL_M < reach_m]


def _entering(step: Cell) -> list[Cell]:
    """Cells within reach after a move by `step` cells that were not before it, nearest first."""
    reached = set(_ALL)
    return [(i, k) for i, k in _ALL if (i + step[0], k + step[1]) not in reached]


def _leaving(step: Cell) -> list[Cell]:
    """Cells, from the new place, that were to be kept before a move by `step` cells and are not after it."""
    span = range(-_MOST_CELLS, _MOST_CELLS + 1)
    before = [(i - step[0], k - step[1]) for i in span for k in span]
    return [(i, k) for i, k in before if max(abs(i), abs(k)) > _MOST_CELLS]


_CELL_ORDER = np.array((BLOCK_CELLS, 1.0))
_CELL_NUMBERS = np.arange(BLOCK_CELLS * BLOCK_CELLS + 1.0)
_NEAR = _offsets(NEAR_M)
_ALL = _offsets(REACH_M)
_STEPS = [(i, k) for i in (-1, 0, 1) for k in (-1, 0, 1)]
_ENTERING = {step: _entering(step) for step in _STEPS}
_LEAVING = {step: _leaving(step) for step in _STEPS}


def solids_of(rows: NDArray[np.float64]) -> list[Solid]:
    """Solids of rows [n, 8] as a `Scenery` gives them."""
    return [Solid._make((*row[:7], Kind(int(row[7])))) for row in rows.tolist()]


class Cluttered:
    """A `GroundLike` whose trunks are all that stands there: scenery as rows of upright posts among the trunks.

    For who only asks how near the next obstacle is: a log or a fence is a post every `POST_EVERY_M`; gates are open.
    """

    def __init__(self, ground: GroundLike, scenery: Scenery) -> None:
        self._ground = ground
        self._scenery = scenery
        self.height, self.block = ground.height, ground.block

    @property
    def epoch(self) -> int:
        """Edit epoch of the land."""
        return self._ground.epoch

    def trunks(self, x: float, z: float, radius_m: float) -> NDArray[np.float64]:
        """[n, 5] float64: x, z, radius, bottom_y, top_y of trunks and posts, sorted by (x, z)."""
        trunks = self._ground.trunks(x, z, radius_m)
        wide = radius_m + LONGEST_M
        solids = self._scenery(x - wide, z - wide, 2.0 * wide)
        solids = solids[solids[:, 7] != Kind.GATE]
        if not len(solids):
            return trunks
        ends = solids[:, 2:4] - solids[:, 0:2]
        count = 1 + np.ceil(np.hypot(ends[:, 0], ends[:, 1]) / POST_EVERY_M).astype(np.int64)
        which = np.repeat(np.arange(len(solids)), count)
        number = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
        share = number / np.maximum(count[which] - 1, 1)
        posts = np.empty((len(which), 5))
        posts[:, 0:2] = solids[which, 0:2] + share[:, None] * ends[which]
        posts[:, 2:5] = solids[which, 4:7]
        near = (posts[:, 0] - x) ** 2 + (posts[:, 1] - z) ** 2 <= radius_m * radius_m
        found = np.concatenate([trunks, posts[near]])
        return found[np.lexsort((found[:, 1], found[:, 0]))]


def gap_m(solid: Solid, x: float, z: float) -> float:
    """Distance in the plane from (x, z) to the surface of `solid`, metres; negative inside it."""
    to_x, to_z = solid.end_x - solid.x, solid.end_z - solid.z
    square = to_x * to_x + to_z * to_z
    along = 0.0
    if square > 0.0:
        along = min(1.0, max(0.0, ((x - solid.x) * to_x + (z - solid.z) * to_z) / square))
    return math.hypot(x - solid.x - along * to_x, z - solid.z - along * to_z) - solid.radius_m


Found = Sequence[float]
"""A solid, or a row x, z, radius, bottom, top of `ground.trunks`: one is made from it when it is its turn."""


def _solid(found: Found) -> Solid:
    if isinstance(found, Solid):
        return found
    x, z, radius, bottom_y, top_y = found
    return Solid._make((x, z, x, z, radius, bottom_y, top_y, Kind.TRUNK))


@dataclass(slots=True)
class _Filled:
    epoch: int
    handles: list[Any]
    pending: list[Found]
    """What stands there and is not yet in the plane."""


class Nearby:
    """Keeps a plane filled around the rider."""

    def __init__(self, ground: GroundLike, plane: Plane, scenery: Scenery | None = None) -> None:
        self._ground = ground
        self._plane = plane
        self._scenery = scenery
        self._cells: dict[Cell, _Filled] = {}
        self._wanted: deque[Cell] = deque()
        self._leaving: deque[Cell] = deque()
        self._blocks: dict[Cell, tuple[int, list[list[Found]]]] = {}
        self._filling: Cell | None = None
        self._centre: Cell | None = None
        self._epoch = -1
        self._settled = False

    def forget(self) -> None:
        """The plane was emptied: everything has to come again."""
        self._cells.clear()
        self._wanted.clear()
        self._leaving.clear()
        self._centre = self._filling = None

    def refill(self, x: float, z: float) -> None:
        """Bring the plane up to date around (x, z): what is near at once, a little of the rest."""
        cell = (math.floor(x / CELL_M), math.floor(z / CELL_M))
        if cell != self._centre or self._epoch != self._ground.epoch:
            self._turn_to(cell)
        elif not self._settled:
            self._settled = not self._spread()

    def fill(self) -> None:
        """Finish what `refill` has spread over steps: for measuring, and behind a loading screen."""
        while self._spread():
            pass

    def is_free(self, x: float, z: float, reach_m: float, above_y: float = -math.inf) -> bool:
        """Whether no trunk and nothing of the scenery stands within `reach_m` of (x, z), however far away that is.

        What begins below `above_y` is drowned and does not count.
        """
        rows = self._ground.trunks(x, z, reach_m + 2.0).tolist()
        if not all(
            math.hypot(row[0] - x, row[1] - z) > reach_m + row[2] for row in rows if row[3] >= above_y
        ):
            return False
        if self._scenery is None:
            return True
        wide = reach_m + LONGEST_M
        return all(
            gap_m(solid, x, z) > reach_m or solid.kind is Kind.GATE or solid.bottom_y < above_y
            for solid in solids_of(self._scenery(x - wide, z - wide, 2.0 * wide))
        )

    def _turn_to(self, cell: Cell) -> None:
        """Another cell or another epoch: settle what is near, queue what is not."""
        was, stale = self._centre, self._epoch != self._ground.epoch
        self._centre = cell
        self._epoch = self._ground.epoch
        self._settled = False
        for i, k in _NEAR:
            self._load((cell[0] + i, cell[1] + k))
        step = (0, 0) if was is None else (cell[0] - was[0], cell[1] - was[1])
        if was is not None and not stale and step in _ENTERING:
            self._wanted.extend([(cell[0] + i, cell[1] + k) for i, k in _ENTERING[step]])
            self._leaving.extend([(cell[0] + i, cell[1] + k) for i, k in _LEAVING[step]])
            return
        self._wanted = deque((cell[0] + i, cell[1] + k) for i, k in _ALL)
        self._leaving = deque(self._cells)

    def _spread(self) -> bool:
        """A little of what is queued: one cell out, and one looked up or a few colliders in; False when all is."""
        filling = None if self._filling is None else self._cells.get(self._filling)
        if filling is None or not filling.pending:
            self._filling = self._next_wanted()
            filling = None if self._filling is None else self._look_up(self._filling)
        busy = filling is not None or self._plane.prepare()
        if filling is not None and filling.pending:
            now, filling.pending = filling.pending[:SPREAD], filling.pending[SPREAD:]
            filling.handles += self._plane.insert([_solid(found) for found in now])
        while self._leaving:
            at = self._leaving.popleft()
            left = self._cells.get(at)
            if left is None or (self._is_kept(at) and left.epoch == self._epoch):
                continue
            if not (self._is_kept(at) and at in self._wanted):
                del self._cells[at]
                self._plane.take_out(left.handles)
            break
        return busy or bool(self._leaving)

    def _is_kept(self, at: Cell) -> bool:
        assert self._centre is not None
        return max(abs(at[0] - self._centre[0]), abs(at[1] - self._centre[1])) <= _MOST_CELLS

    def _next_wanted(self) -> Cell | None:
        """The next queued cell that is still in reach and not there already."""
        while self._wanted:
            at = self._wanted.popleft()
            known = self._cells.get(at)
            if self._is_kept(at) and (known is None or known.epoch != self._epoch or known.pending):
                return at
        return None

    def _load(self, at: Cell) -> None:
        """Make sure that everything in a cell is in the plane."""
        cell = self._look_up(at)
        if cell.pending:
            cell.handles += self._plane.insert([_solid(found) for found in cell.pending])
            cell.pending = []

    def _look_up(self, at: Cell) -> _Filled:
        """The cell with what stands in it; asked anew after an edit."""
        known = self._cells.get(at)
        if known is not None:
            if known.epoch == self._epoch:
                return known
            self._plane.take_out(known.handles)
        cell = self._cells[at] = _Filled(self._epoch, [], self._solids_of(at))
        return cell

    def _solids_of(self, at: Cell) -> list[Found]:
        """What stands in a cell: asked from the land a block of cells at a time."""
        block = (at[0] // BLOCK_CELLS, at[1] // BLOCK_CELLS)
        known = self._blocks.get(block)
        if known is None or known[0] != self._epoch:
            known = self._blocks[block] = (self._epoch, self._ask(block))
            if len(self._blocks) > MOST_BLOCKS:
                del self._blocks[next(iter(self._blocks))]
        own = (at[0] - block[0] * BLOCK_CELLS) * BLOCK_CELLS + at[1] - block[1] * BLOCK_CELLS
        return known[1][own]

    def _ask(self, block: Cell) -> list[list[Found]]:
        """Solids of every cell of a block, column by column of cells."""
        west, north = block[0] * BLOCK_M, block[1] * BLOCK_M
        found = self._ground.trunks(west + 0.5 * BLOCK_M, north + 0.5 * BLOCK_M, 0.75 * BLOCK_M)
        own = np.floor(found[:, :2] * (1.0 / CELL_M)) - np.array(block) * BLOCK_CELLS
        inside = np.all((own >= 0.0) & (own < BLOCK_CELLS), axis=1)
        number = own[inside] @ _CELL_ORDER
        order = np.argsort(number, kind="stable")
        rows = found[inside][order].tolist()
        ends = np.searchsorted(number[order], _CELL_NUMBERS).tolist()
        cells: list[list[Found]] = [rows[ends[k] : ends[k + 1]] for k in range(BLOCK_CELLS * BLOCK_CELLS)]
        if self._scenery is not None:
            for solid in solids_of(self._scenery(west, north, BLOCK_M)):
                # Far out the middle of two ends may round to the next block; here it is as good.
                i = math.floor(0.5 * (solid.x + solid.end_x) / CELL_M) - block[0] * BLOCK_CELLS
                k = math.floor(0.5 * (solid.z + solid.end_z) / CELL_M) - block[1] * BLOCK_CELLS
                i, k = min(max(i, 0), BLOCK_CELLS - 1), min(max(k, 0), BLOCK_CELLS - 1)
                cells[i * BLOCK_CELLS + k].append(solid)
        return cells
