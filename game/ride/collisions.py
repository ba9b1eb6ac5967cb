"""Obstacles in the plane, with pymunk: sweeps, and what a knock does to the velocity.

Owns one pymunk space whose plane is (x, z), relative to a local origin; `nearby` says what stands in it. The space is
asked, never stepped: making a shape, or taking one out, costs a dozen times what moving one costs, so shapes that are
no longer needed stay where they stood, unknown, until another obstacle takes them over. The bicycle owns its velocity;
here it is lent to a body for one solver step against what the sweep met, and the solver's result is handed back.
Main thread only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pymunk

from game.ride.contact import Grade, GroundLike, Kind, Knock, Solid
from game.ride.nearby import CELL_M, NEAR_M, SPREAD, Nearby, Scenery
from game.ride.power import MASS_KG
from game.world.vegetation import ROOT_M, SHORE_M

__all__ = ["CELL_M", "NEAR_M", "SPREAD", "Collisions", "PlaneBody", "grade", "tumble_in_plane"]

RIDER_RADIUS_M = 0.30
"""Half the width of the handlebar: the circle that meets obstacles."""

SPARE = 320
SPARE_A_STEP = 4
"""Circles kept for obstacles to come, and how many a quiet step makes of those that are missing."""

ORIGIN_MOVE_M = 4096.0
"""The local origin follows the rider when left behind this far, so that positions keep their precision."""

SKIN_M = 0.002
"""The sweep stops this far from the bark, so that the next one does not start inside it."""

PUSH_M = 0.03
DEEP_M = 0.12
"""An overlap ends by no more than the first a step: on a slope a greater move would be a blow by the land. One deeper
than the second was not ridden into, for a sweep stops at the surface."""

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

_EVERYTHING = pymunk.ShapeFilter()


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
    return shape


class Collisions:
    """What stands around the rider; implements `ride.contact.Obstacles`.

    Trunks and scenery follow the rider by themselves; anything else is added by who owns it.
    """

    def __init__(self, ground: GroundLike, scenery: Scenery | None = None) -> None:
        self._ground = ground
        self._space = pymunk.Space()
        self._solids: dict[pymunk.Shape, Solid] = {}
        self._placed: dict[Solid, pymunk.Shape] = {}
        self._circles: list[pymunk.Circle] = []
        self._segments: list[pymunk.Segment] = []
        self._gates = 0
        self._origin = (0.0, 0.0)
        self._nearby = Nearby(ground, self, scenery)
        self.sea_level_m = -math.inf
        """What has its foot below this, less `SHORE_M`, is drowned: not drawn, and in nobody's way."""
        self.passed: list[Solid] = []
        """Gates ridden through since somebody last emptied the list."""
        while self.prepare():
            pass

    def __len__(self) -> int:
        return len(self._solids)

    # What is in the space.

    def add(self, solids: Iterable[Solid]) -> None:
        """Put obstacles into the space; those already there are left."""
        placed = self._placed
        new = [solid for solid in dict.fromkeys(solids) if solid not in placed]
        placed.update(zip(new, self.insert(new), strict=True))

    def remove(self, solids: Iterable[Solid]) -> None:
        """Take obstacles out that were added. Raises `KeyError` for one that is not there."""
        self.take_out([self._placed.pop(solid) for solid in dict.fromkeys(solids)])

    def insert(self, solids: Sequence[Solid]) -> list[pymunk.Shape]:
        """Put obstacles into the space without a look at what is there; returns their shapes."""
        origin_x, origin_z = self._origin
        space, circles = self._space, self._circles
        shapes: list[pymunk.Shape] = []
        for solid in solids:
            x, z, end_x, end_z, radius, _, _, kind = solid
            if x == end_x and z == end_z and circles:
                circle = circles.pop()
                circle.unsafe_set_offset((x - origin_x, z - origin_z))
                circle.unsafe_set_radius(radius)
                space.reindex_shape(circle)
                shapes.append(circle)
            else:
                shapes.append(self._place(solid))
            if kind is Kind.GATE:
                self._gates += 1
        self._solids.update(zip(shapes, solids, strict=True))
        return shapes

    def _place(self, solid: Solid) -> pymunk.Shape:
        """A shape for what is no circle, or for a circle when none is spare."""
        origin_x, origin_z = self._origin
        if self._segments and (solid.x, solid.z) != (solid.end_x, solid.end_z):
            segment = self._segments.pop()
            ends = (
                (solid.x - origin_x, solid.z - origin_z),
                (solid.end_x - origin_x, solid.end_z - origin_z),
            )
            segment.unsafe_set_endpoints(*ends)
            segment.unsafe_set_radius(solid.radius_m)
            self._space.reindex_shape(segment)
            return segment
        shape = _shape(self._space.static_body, solid, self._origin)
        self._space.add(shape)
        return shape

    def take_out(self, handles: Sequence[pymunk.Shape]) -> None:
        """Forget what these shapes stand for; they wait where they are for another obstacle."""
        for shape in handles:
            if self._solids.pop(shape).kind is Kind.GATE:
                self._gates -= 1
            if isinstance(shape, pymunk.Circle):
                self._circles.append(shape)
            else:
                assert isinstance(shape, pymunk.Segment)
                self._segments.append(shape)

    def prepare(self) -> bool:
        """Make a few spare circles; False when there are enough."""
        if len(self._circles) >= SPARE:
            return False
        static = self._space.static_body
        new = [pymunk.Circle(static, 0.1) for _ in range(SPARE_A_STEP)]
        self._space.add(*new)
        self._circles += new
        return True

    def refill(self, x: float, z: float) -> None:
        """Bring the space up to date around (x, z): what is near at once, a little of the rest."""
        if max(abs(x - self._origin[0]), abs(z - self._origin[1])) > ORIGIN_MOVE_M:
            self._move_origin((float(math.floor(x)), float(math.floor(z))))
        self._nearby.refill(x, z)

    def fill(self) -> None:
        """Finish what `refill` has spread over steps: for measuring, and behind a loading screen."""
        self._nearby.fill()

    def _move_origin(self, origin: tuple[float, float]) -> None:
        """Empty the space and put what was added by hand back, about another origin."""
        self.take_out(list(self._solids))
        self._nearby.forget()
        self._origin = origin
        placed = list(self._placed)
        self._placed = dict(zip(placed, self.insert(placed), strict=True))

    # What the rider meets.

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
        met = self._in_the_way(first, last, span_y)
        if not met:
            return None
        if self._gates:
            met = self._pass_gates(met, first, last)
        inside = self._deepest(met, first)
        if inside is not None:
            solid, out_x, out_z, depth = inside
            into = -(velocity[0] * out_x + velocity[1] * out_z)
            push = min(depth + SKIN_M, PUSH_M)
            if into <= 0.0 or depth > DEEP_M:
                # Already on the way out, or come from above, as over a stone that the slope buries: only help.
                return Knock(1.0, velocity[0], velocity[1], 0.0, push * out_x, push * out_z, Grade.NONE)
            return self._bounce(solid, first, velocity, (out_x, out_z), 0.0, push, dt)
        if first == last:
            return None
        hits = [(shape.segment_query(first, last, RIDER_RADIUS_M), solid) for shape, solid in met]
        # Ties are broken by place, so that the order inside the tree does not matter.
        nearest = min(((hit.alpha, solid) for hit, solid in hits if hit and hit.shape), default=None)
        if nearest is None:
            return None
        alpha, solid = nearest
        at = (first[0] + (last[0] - first[0]) * alpha, first[1] + (last[1] - first[1]) * alpha)
        normal, gap = self._away(solid, at)
        if velocity[0] * normal[0] + velocity[1] * normal[1] >= 0.0:
            return None
        push = SKIN_M + max(0.0, solid.radius_m + RIDER_RADIUS_M - gap)
        return self._bounce(solid, at, velocity, normal, alpha, push, dt)

    def _in_the_way(
        self, first: tuple[float, float], last: tuple[float, float], span_y: tuple[float, float]
    ) -> list[tuple[pymunk.Shape, Solid]]:
        """What the box around the swept circle touches, at the rider's heights.

        The space's own segment query walks its tree along the bare line, so a thick one misses what it only grazes.
        """
        box = pymunk.BB(
            min(first[0], last[0]) - RIDER_RADIUS_M,
            min(first[1], last[1]) - RIDER_RADIUS_M,
            max(first[0], last[0]) + RIDER_RADIUS_M,
            max(first[1], last[1]) + RIDER_RADIUS_M,
        )
        known = self._solids
        found = [(shape, known[shape]) for shape in self._space.bb_query(box, _EVERYTHING) if shape in known]
        return [(shape, solid) for shape, solid in found if self._meets(solid, span_y)]

    def _meets(self, solid: Solid, span_y: tuple[float, float]) -> bool:
        """Whether the rider at these heights meets it, and it is not drowned."""
        return (
            span_y[0] < solid.top_y
            and span_y[1] > solid.bottom_y
            and solid.bottom_y > self.sea_level_m + SHORE_M - ROOT_M
        )

    def _pass_gates(
        self, met: list[tuple[pymunk.Shape, Solid]], first: tuple[float, float], last: tuple[float, float]
    ) -> list[tuple[pymunk.Shape, Solid]]:
        """Note the gates that the midline crosses; returns what is left to be hit."""
        gates = [(shape, solid) for shape, solid in met if solid.kind is Kind.GATE]
        hits = [(shape.segment_query(first, last, 0.01), solid) for shape, solid in gates]
        crossed = sorted((hit.alpha, solid) for hit, solid in hits if hit and hit.shape)
        self.passed += [gate for _, gate in crossed if gate not in self.passed]
        return [(shape, solid) for shape, solid in met if solid.kind is not Kind.GATE]

    def _deepest(
        self, met: list[tuple[pymunk.Shape, Solid]], point: tuple[float, float]
    ) -> tuple[Solid, float, float, float] | None:
        """Deepest obstacle that the rider's circle at `point` overlaps: it, the way out (x, z) and the depth."""
        found: tuple[Solid, float, float, float] | None = None
        for _, solid in met:
            out, gap = self._away(solid, point)
            depth = solid.radius_m + RIDER_RADIUS_M - gap
            if depth > 1e-6 and (found is None or (depth, solid) > (found[3], found[0])):
                found = (solid, out[0], out[1], depth)
        return found

    def _away(self, solid: Solid, at: tuple[float, float]) -> tuple[tuple[float, float], float]:
        """Unit direction from the axis of `solid` to the local point `at`, and the distance."""
        foot_x, foot_z = solid.x - self._origin[0], solid.z - self._origin[1]
        to_x, to_z = solid.end_x - solid.x, solid.end_z - solid.z
        square = to_x * to_x + to_z * to_z
        if square > 0.0:
            along = ((at[0] - foot_x) * to_x + (at[1] - foot_z) * to_z) / square
            along = min(1.0, max(0.0, along))
            foot_x, foot_z = foot_x + along * to_x, foot_z + along * to_z
        away_x, away_z = at[0] - foot_x, at[1] - foot_z
        gap = math.hypot(away_x, away_z)
        if gap < 1e-9:
            return (1.0, 0.0), gap
        return (away_x / gap, away_z / gap), gap

    def _bounce(
        self,
        solid: Solid,
        at: tuple[float, float],
        velocity: tuple[float, float],
        normal: tuple[float, float],
        fraction: float,
        push_m: float,
        dt: float,
    ) -> Knock:
        """Let the solver turn the velocity at the contact, and grade the knock."""
        space = pymunk.Space()
        body = pymunk.Body(MASS_KG, math.inf)
        circle = pymunk.Circle(body, RIDER_RADIUS_M)
        circle.elasticity, circle.friction = ELASTICITY, RIDER_FRICTION
        space.add(body, circle, _shape(space.static_body, solid, self._origin))
        # The solver moves first and collides then: start so far back that it ends just inside the bark.
        _, gap = self._away(solid, at)
        deeper = gap - (solid.radius_m + RIDER_RADIUS_M - 1e-4)
        body.position = (
            at[0] - normal[0] * deeper - velocity[0] * dt,
            at[1] - normal[1] * deeper - velocity[1] * dt,
        )
        body.velocity = velocity
        space.step(dt)
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
        return self._nearby.is_free(x, z, reach_m, self.sea_level_m + SHORE_M - ROOT_M) and not any(
            info.shape is not None and info.shape in self._solids and self._solids[info.shape] in self._placed
            for info in self._space.point_query(self._local(x, z), reach_m, _EVERYTHING)
        )

    def _local(self, x: float, z: float) -> tuple[float, float]:
        return (x - self._origin[0], z - self._origin[1])

    def solids_near(self, x: float, z: float, span_y: tuple[float, float]) -> list[Solid]:
        """Obstacles within two metres of (x, z) whose height span meets `span_y`, sorted; no gates."""
        self.refill(x, z)
        found = self._space.point_query(self._local(x, z), 2.0, _EVERYTHING)
        solids = (None if info.shape is None else self._solids.get(info.shape) for info in found)
        return sorted(
            solid
            for solid in solids
            if solid is not None and solid.kind is not Kind.GATE and self._meets(solid, span_y)
        )
