"""Obstacles in the plane, with pymunk: what stands near the rider, sweeps, and what a knock does to the velocity.

Owns one pymunk space whose plane is (x, z), relative to a local origin. Trunks come synchronously from
`ground.trunks`, which answers from the world function, cell by cell: what is near at once, what is farther a few
colliders a step, so that moving never costs a long step. A sweep only ever sees what is near, so a replay is the
same however cells and pages come in. The bicycle owns its velocity; here it is lent to a body for one solver step
when the sweep met something, and the solver's result is handed back. Main thread only.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pymunk

from game.ride.contact import Grade, GroundLike, Kind, Knock, Solid
from game.ride.power import MASS_KG
from game.world.vegetation import ROOT_M

RIDER_RADIUS_M = 0.30
"""Half the width of the handlebar: the circle that meets obstacles."""

CELL_M = 8.0
REACH_M = 64.0
"""Trunks enter by cells of this side, as far as this from the rider, and leave two cells farther out."""

BLOCK_CELLS = 4
MOST_BLOCKS = 64
"""The land is asked for blocks of this many cells a side, and this many answers are kept."""

NEAR_M = 20.0
"""Cells within this distance are in the space before anything is asked; the rest is spread over steps."""

SPREAD = 6
"""Colliders added in a step beyond those that must be there: what riding through the densest wood asks for."""

ORIGIN_MOVE_M = 4096.0
"""The local origin follows the rider when left behind this far, so that positions keep their precision."""

SKIN_M = 0.002
"""The sweep stops this far from the bark, so that the next one does not start inside it."""

ELASTICITY = 0.15
RIDER_FRICTION = 0.2
FRICTION = {Kind.TRUNK: 1.0, Kind.LOG: 1.0, Kind.ROCK: 1.2, Kind.FENCE: 0.6, Kind.GATE: 0.0}
"""Friction of the rider's sleeve, and of what it meets."""

BRUSH_M_S = 0.8
STUMBLE_M_S = 2.6
FALL_M_S = 4.6
"""Speeds into the obstacle from which a knock deflects, makes stumble, and throws."""

GRAZE_RAD = math.radians(20.0)
GRAZE_FALL_M_S = 8.0
"""A flatter approach than this glances off the sleeve and throws only at a higher speed into the obstacle."""

TUMBLE_SIDE_M = 0.5
TUMBLE_RADIUS_M = 0.2
"""Half the length of the capsule that a tumbling body is, and its radius."""

_SOLID, _GATE = 2, 4
_SOLIDS = pymunk.ShapeFilter(mask=_SOLID)
_GATES = pymunk.ShapeFilter(mask=_GATE)
_IS_GATE = pymunk.ShapeFilter(categories=_GATE)


def _offsets(reach_m: float) -> list[tuple[int, int]]:
    """Cells around (0, 0) that come within `reach_m` of any place in it, nearest first."""
    most = math.ceil(reach_m / CELL_M)
    found = [
        (max(0, abs(i) - 1) ** 2 + max(0, abs(k) - 1) ** 2, i, k)
        for i in range(-most, most + 1)
        for k in range(-most, most + 1)
    ]
    return [(i, k) for gap, i, k in sorted(found) if math.sqrt(gap) * CELL_M < reach_m]


_NEAR = _offsets(NEAR_M)
_ALL = _offsets(REACH_M)


def grade(normal_m_s: float, approach_rad: float) -> Grade:
    """How badly an obstacle is met at `normal_m_s` into it, at `approach_rad` between path and its surface.

    The impulse is mass times normal speed (and a little for the bounce), so speed stands for it.
    """
    if normal_m_s < BRUSH_M_S:
        return Grade.BRUSH
    if normal_m_s < STUMBLE_M_S:
        return Grade.DEFLECT
    if normal_m_s < (FALL_M_S if approach_rad > GRAZE_RAD else GRAZE_FALL_M_S):
        return Grade.STUMBLE
    return Grade.FALL


@dataclass(slots=True)
class PlaneBody:
    """A body tumbling in the plane (x, z): metres, metres a second, yaw as of a bicycle."""

    x: float
    z: float
    vx_m_s: float
    vz_m_s: float
    yaw_rad: float
    yaw_rate_rad_s: float
    mass_kg: float


def tumble_in_plane(body: PlaneBody, solids: Sequence[Solid], dt: float) -> None:
    """Move `body` by `dt` seconds as a pymunk capsule that bounces off `solids`. No weight, no land.

    The space is made for this step from the arguments alone, so the result depends on nothing else.
    """
    if not solids:
        body.x += body.vx_m_s * dt
        body.z += body.vz_m_s * dt
        body.yaw_rad += body.yaw_rate_rad_s * dt
        return
    ends = ((-TUMBLE_SIDE_M, 0.0), (TUMBLE_SIDE_M, 0.0))
    moment = pymunk.moment_for_segment(body.mass_kg, *ends, TUMBLE_RADIUS_M)
    moving = pymunk.Body(body.mass_kg, moment)
    moving.position = (0.0, 0.0)
    moving.velocity = (body.vx_m_s, body.vz_m_s)
    moving.angle = body.yaw_rad - 0.5 * math.pi
    moving.angular_velocity = body.yaw_rate_rad_s
    shape = pymunk.Segment(moving, *ends, TUMBLE_RADIUS_M)
    shape.friction, shape.elasticity = 0.5, 0.3
    space = pymunk.Space()
    space.add(moving, shape)
    for solid in sorted(solids):
        space.add(_shape(space.static_body, solid, (body.x, body.z)))
    # Substeps no longer than the capsule is thick, so that nothing tunnels.
    count = max(1, math.ceil(math.hypot(body.vx_m_s, body.vz_m_s) * dt / TUMBLE_RADIUS_M))
    for _ in range(count):
        space.step(dt / count)
    body.x += float(moving.position.x)
    body.z += float(moving.position.y)
    body.vx_m_s, body.vz_m_s = float(moving.velocity.x), float(moving.velocity.y)
    body.yaw_rad = float(moving.angle) + 0.5 * math.pi
    body.yaw_rate_rad_s = float(moving.angular_velocity)


def _shape(static: pymunk.Body, solid: Solid, origin: tuple[float, float]) -> pymunk.Circle | pymunk.Segment:
    first = (solid.x - origin[0], solid.z - origin[1])
    shape: pymunk.Circle | pymunk.Segment
    if (solid.x, solid.z) == (solid.end_x, solid.end_z):
        shape = pymunk.Circle(static, solid.radius_m, first)
    else:
        last = (solid.end_x - origin[0], solid.end_z - origin[1])
        shape = pymunk.Segment(static, first, last, solid.radius_m)
    shape.elasticity = ELASTICITY
    shape.friction = FRICTION[solid.kind]
    # A shape without a filter is in every category, so solids need none; setting one costs as much as the rest.
    if solid.kind is Kind.GATE:
        shape.filter = _IS_GATE
    return shape


def _trunk(row: Sequence[float]) -> Solid:
    x, z, radius, bottom_y, top_y = row
    return Solid(x, z, x, z, radius, bottom_y, top_y, Kind.TRUNK)


@dataclass(slots=True)
class _Cell:
    epoch: int
    shapes: list[pymunk.Shape]
    pending: list[list[float]]
    """Rows of trunks not yet in the space."""


class Collisions:
    """What stands around the rider; implements `ride.contact.Obstacles`.

    Trunks follow the rider by themselves; rocks, logs, fences and gates are added by who owns them.
    """

    def __init__(self, ground: GroundLike) -> None:
        self._ground = ground
        self._space = pymunk.Space()
        self._body = pymunk.Body(MASS_KG, math.inf)
        circle = pymunk.Circle(self._body, RIDER_RADIUS_M)
        circle.elasticity = ELASTICITY
        circle.friction = RIDER_FRICTION
        self._space.add(self._body, circle)
        # The rider's own circle is in no sweep; only the solver sees it, and it sees no gates.
        circle.filter = pymunk.ShapeFilter(categories=1, mask=_SOLID)
        self._solids: dict[pymunk.Shape, Solid] = {}
        self._cells: dict[tuple[int, int], _Cell] = {}
        self._placed: dict[Solid, pymunk.Shape] = {}
        self._gates = 0
        self._wanted: deque[tuple[int, int]] = deque()
        self._leaving: deque[tuple[int, int]] = deque()
        self._blocks: dict[tuple[int, int], tuple[int, dict[tuple[int, int], list[list[float]]]]] = {}
        self._filling: tuple[int, int] | None = None
        self._origin = (0.0, 0.0)
        self._centre: tuple[int, int] | None = None
        self._epoch = -1
        self.drowned_y = -math.inf
        """Trunks whose foot is lower are under water: not drawn, so not met."""
        self.passed: list[Solid] = []
        """Gates ridden through since somebody last emptied the list."""

    def __len__(self) -> int:
        return len(self._solids)

    # What is in the space.

    def add(self, solids: Iterable[Solid]) -> None:
        """Put obstacles into the space; those already there are left."""
        placed = self._placed
        new = [solid for solid in dict.fromkeys(solids) if solid not in placed]
        placed.update(zip(new, self._insert(new), strict=True))
        self._gates += sum(solid.kind is Kind.GATE for solid in new)

    def remove(self, solids: Iterable[Solid]) -> None:
        """Take obstacles out that were added. Raises `KeyError` for one that is not there."""
        gone = list(dict.fromkeys(solids))
        self._take_out([self._placed.pop(solid) for solid in gone])
        self._gates -= sum(solid.kind is Kind.GATE for solid in gone)

    def _insert(self, solids: Sequence[Solid]) -> list[pymunk.Shape]:
        static, origin = self._space.static_body, self._origin
        shapes: list[pymunk.Shape] = [_shape(static, solid, origin) for solid in solids]
        self._solids.update(zip(shapes, solids, strict=True))
        if shapes:
            self._space.add(*shapes)
        return shapes

    def _take_out(self, shapes: Sequence[pymunk.Shape]) -> None:
        for shape in shapes:
            del self._solids[shape]
        if shapes:
            self._space.remove(*shapes)

    def refill(self, x: float, z: float) -> None:
        """Bring the space up to date around (x, z): what is near at once, a little of the rest."""
        cell = (math.floor(x / CELL_M), math.floor(z / CELL_M))
        if cell != self._centre or self._epoch != self._ground.epoch:
            self._turn_to(cell, x, z)
        elif self._wanted or self._leaving or self._filling is not None:
            self._spread()

    def fill(self) -> None:
        """Finish what `refill` has spread over steps: for measuring, and behind a loading screen."""
        while self._wanted or self._leaving or self._filling is not None:
            self._spread()

    def _turn_to(self, cell: tuple[int, int], x: float, z: float) -> None:
        """Another cell or another epoch: settle what is near, queue what is not."""
        self._centre = cell
        self._epoch = self._ground.epoch
        if max(abs(x - self._origin[0]), abs(z - self._origin[1])) > ORIGIN_MOVE_M:
            self._move_origin((float(math.floor(x)), float(math.floor(z))))
        for i, k in _NEAR:
            self._load((cell[0] + i, cell[1] + k))
        self._wanted = deque(
            at
            for at in ((cell[0] + i, cell[1] + k) for i, k in _ALL[len(_NEAR) :])
            if at not in self._cells or self._cells[at].epoch != self._epoch
        )
        most = REACH_M / CELL_M + 1
        renewed = set(self._wanted)
        self._leaving = deque(
            at
            for at, known in self._cells.items()
            if max(abs(at[0] - cell[0]), abs(at[1] - cell[1])) > most
            or (known.epoch != self._epoch and at not in renewed)
        )

    def _spread(self) -> None:
        """A little of what is queued: one cell out, or one looked up, or a few colliders in."""
        filling = None if self._filling is None else self._cells.get(self._filling)
        if filling is not None and filling.pending:
            now, filling.pending = filling.pending[:SPREAD], filling.pending[SPREAD:]
            filling.shapes += self._insert([_trunk(row) for row in now])
        elif self._wanted:
            self._filling = self._wanted.popleft()
            self._look_up(self._filling)
        else:
            self._filling = None
        if self._leaving:
            left = self._cells.pop(self._leaving.popleft(), None)
            if left is not None:
                self._take_out(left.shapes)

    def _load(self, at: tuple[int, int]) -> None:
        """Make sure that all trunks of a cell are in the space."""
        cell = self._look_up(at)
        if cell.pending:
            cell.shapes += self._insert([_trunk(row) for row in cell.pending])
            cell.pending = []

    def _look_up(self, at: tuple[int, int]) -> _Cell:
        """The cell with what stands in it; asked anew after an edit."""
        known = self._cells.get(at)
        if known is not None:
            if known.epoch == self._epoch:
                return known
            self._take_out(known.shapes)
        pending = self._rows_of(at)
        cell = self._cells[at] = _Cell(self._epoch, [], pending)
        return cell

    def _rows_of(self, at: tuple[int, int]) -> list[list[float]]:
        """Rows of the trunks in a cell: asked from the land a block of cells at a time."""
        block = (at[0] // BLOCK_CELLS, at[1] // BLOCK_CELLS)
        known = self._blocks.get(block)
        if known is None or known[0] != self._epoch:
            side = BLOCK_CELLS * CELL_M
            west, north = block[0] * side, block[1] * side
            found = self._ground.trunks(west + 0.5 * side, north + 0.5 * side, 0.75 * side)
            by_cell: dict[tuple[int, int], list[list[float]]] = {}
            for row in found.tolist():
                cell = (math.floor(row[0] / CELL_M), math.floor(row[1] / CELL_M))
                by_cell.setdefault(cell, []).append(row)
            known = self._blocks[block] = (self._epoch, by_cell)
            if len(self._blocks) > MOST_BLOCKS:
                del self._blocks[next(iter(self._blocks))]
        return known[1].get(at, [])

    def _move_origin(self, origin: tuple[float, float]) -> None:
        """Empty the space and put what was added by hand back, about another origin."""
        self._take_out(list(self._solids))
        self._cells.clear()
        self._origin = origin
        placed = list(self._placed)
        self._placed = dict(zip(placed, self._insert(placed), strict=True))

    # What the rider meets.

    def _meets(self, shape: pymunk.Shape | None, span_y: tuple[float, float]) -> bool:
        solid = None if shape is None else self._solids.get(shape)
        if solid is None or not (span_y[0] < solid.top_y and span_y[1] > solid.bottom_y):
            return False
        return solid.kind is not Kind.TRUNK or solid.bottom_y + ROOT_M >= self.drowned_y

    def sweep(
        self,
        start: tuple[float, float],
        end: tuple[float, float],
        span_y: tuple[float, float],
        velocity: tuple[float, float],
        dt: float,
    ) -> Knock | None:
        """First obstacle that the rider's circle meets on the way from `start` to `end`, world (x, z) metres.

        Those whose height span does not meet `span_y` are passed over or under; gates are noted in `passed`.
        The velocity after it is pymunk's: impulse with a little bounce and friction.
        """
        self.refill(*start)
        if not self._solids:
            return None
        origin_x, origin_z = self._origin
        first = (start[0] - origin_x, start[1] - origin_z)
        last = (end[0] - origin_x, end[1] - origin_z)
        if self._gates:
            self._pass_gates(first, last, span_y)
        inside = self._overlap(first, span_y)
        if inside is not None:
            shape, out_x, out_z, depth = inside
            into = -(velocity[0] * out_x + velocity[1] * out_z)
            push = depth + SKIN_M
            if into <= 0.0:
                # Already on the way out: only help.
                return Knock(1.0, velocity[0], velocity[1], 0.0, push * out_x, push * out_z, Grade.NONE)
            return self._bounce(shape, first, velocity, (out_x, out_z), 0.0, push, dt)
        way = math.hypot(last[0] - first[0], last[1] - first[1])
        if way == 0.0:
            return None
        hits = self._space.segment_query(first, last, RIDER_RADIUS_M, _SOLIDS)
        hits = [hit for hit in hits if self._meets(hit.shape, span_y)]
        if not hits:
            return None
        # Ties are broken by place, so that the order inside the tree does not matter.
        hit = min(hits, key=lambda info: (info.alpha, info.point.x, info.point.y))
        met = hit.shape
        assert met is not None
        at = (first[0] + (last[0] - first[0]) * hit.alpha, first[1] + (last[1] - first[1]) * hit.alpha)
        normal, gap = _away(met, at)
        if velocity[0] * normal[0] + velocity[1] * normal[1] >= 0.0:
            return None
        push = SKIN_M + max(0.0, _radius(met) + RIDER_RADIUS_M - gap)
        return self._bounce(met, at, velocity, normal, hit.alpha, push, dt)

    def _pass_gates(
        self, first: tuple[float, float], last: tuple[float, float], span_y: tuple[float, float]
    ) -> None:
        hits = self._space.segment_query(first, last, 0.01, _GATES)
        for hit in sorted(hits, key=lambda info: (info.alpha, info.point.x, info.point.y)):
            if hit.shape is not None and self._meets(hit.shape, span_y):
                gate = self._solids[hit.shape]
                if gate.kind is Kind.GATE and gate not in self.passed:
                    self.passed.append(gate)

    def _overlap(
        self, point: tuple[float, float], span_y: tuple[float, float]
    ) -> tuple[pymunk.Shape, float, float, float] | None:
        """Deepest obstacle that the rider's circle at `point` overlaps: shape, way out (x, z) and depth."""
        found = None
        for info in self._space.point_query(point, RIDER_RADIUS_M - 1e-6, _SOLIDS):
            shape = info.shape
            if shape is None or not self._meets(shape, span_y):
                continue
            out, gap = _away(shape, point)
            depth = _radius(shape) + RIDER_RADIUS_M - gap
            if found is None or (depth, self._solids[shape]) > (found[3], self._solids[found[0]]):
                found = (shape, out[0], out[1], depth)
        return found

    def _bounce(
        self,
        shape: pymunk.Shape,
        at: tuple[float, float],
        velocity: tuple[float, float],
        normal: tuple[float, float],
        fraction: float,
        push_m: float,
        dt: float,
    ) -> Knock:
        """Let the solver turn the velocity at the contact, and grade the knock."""
        body = self._body
        # The solver moves first and collides then: start so far back that it ends just inside the bark.
        _, gap = _away(shape, at)
        deeper = gap - (_radius(shape) + RIDER_RADIUS_M - 1e-4)
        body.position = (
            at[0] - normal[0] * deeper - velocity[0] * dt,
            at[1] - normal[1] * deeper - velocity[1] * dt,
        )
        body.velocity = velocity
        body.angular_velocity = 0.0
        self._space.step(dt)
        after = body.velocity
        into = -(velocity[0] * normal[0] + velocity[1] * normal[1])
        speed = math.hypot(*velocity)
        approach = math.asin(min(1.0, into / max(speed, 1e-9)))
        return Knock(
            fraction,
            float(after.x),
            float(after.y),
            into,
            push_m * normal[0],
            push_m * normal[1],
            grade(into, approach),
        )

    def is_free(self, x: float, z: float, reach_m: float) -> bool:
        """Whether nothing stands within `reach_m` of (x, z), whatever its height."""
        point = (x - self._origin[0], z - self._origin[1])
        if self._placed and self._space.point_query(point, reach_m, _SOLIDS):
            return False
        rows = self._ground.trunks(x, z, reach_m + 2.0).tolist()
        drowned = self.drowned_y - ROOT_M
        return all(math.hypot(row[0] - x, row[1] - z) > reach_m + row[2] for row in rows if row[3] >= drowned)

    def solids_near(self, x: float, z: float, span_y: tuple[float, float]) -> list[Solid]:
        """Obstacles within two metres of (x, z) whose height span meets `span_y`, sorted; no gates."""
        self.refill(x, z)
        point = (x - self._origin[0], z - self._origin[1])
        met = (info.shape for info in self._space.point_query(point, 2.0, _SOLIDS))
        return sorted(
            self._solids[shape] for shape in met if shape is not None and self._meets(shape, span_y)
        )


def _radius(shape: pymunk.Shape) -> float:
    assert isinstance(shape, pymunk.Circle | pymunk.Segment)
    return float(shape.radius)


def _away(shape: pymunk.Shape, at: tuple[float, float]) -> tuple[tuple[float, float], float]:
    """Unit direction from the axis of `shape` to the point `at`, and the distance."""
    if isinstance(shape, pymunk.Circle):
        foot_x, foot_z = shape.offset
    else:
        assert isinstance(shape, pymunk.Segment)
        (ax, az), (bx, bz) = shape.a, shape.b
        along = ((at[0] - ax) * (bx - ax) + (at[1] - az) * (bz - az)) / ((bx - ax) ** 2 + (bz - az) ** 2)
        along = min(1.0, max(0.0, along))
        foot_x, foot_z = ax + along * (bx - ax), az + along * (bz - az)
    away_x, away_z = at[0] - foot_x, at[1] - foot_z
    gap = math.hypot(away_x, away_z)
    if gap < 1e-9:
        return (1.0, 0.0), gap
    return (away_x / gap, away_z / gap), gap
