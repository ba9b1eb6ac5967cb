"""Obstacles in the plane, with pymunk: trunks near the rider, sweeps, and what a knock does to the velocity.

Owns one pymunk space whose plane is (x, z), relative to a local origin. Colliders come synchronously from
`ground.trunks`, which answers from the world function, and enter sorted by (x, z): so a replay is the same
however pages stream. The bicycle owns its velocity; here it is lent to a body for one solver step when the
sweep met something, and the solver's result is handed back. Main thread only.
"""

from __future__ import annotations

import math

import pymunk

from game.ride.contact import Grade, GroundLike, Knock
from game.ride.power import MASS_KG

RIDER_RADIUS_M = 0.30
"""Half the width of the handlebar: the circle that meets obstacles."""

REACH_M = 64.0
"""Colliders within this distance of the rider are in the space when it is filled."""

REFILL_M = 16.0
"""The space is filled again once the rider has moved this far."""

ORIGIN_MOVE_M = 4096.0
"""The local origin follows the rider when left behind this far, so that positions keep their precision."""

SKIN_M = 0.002
"""The sweep stops this far from the bark, so that the next one does not start inside it."""

ELASTICITY = 0.15
FRICTION = 0.2

BRUSH_M_S = 0.8
STUMBLE_M_S = 2.6
FALL_M_S = 4.6
"""Speeds into the obstacle from which a knock deflects, makes stumble, and throws."""

GRAZE_RAD = math.radians(20.0)
GRAZE_FALL_M_S = 8.0
"""A flatter approach than this glances off the sleeve and throws only at a higher speed into the obstacle."""


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


class Collisions:
    """The trunks around the rider; implements `ride.contact.Obstacles`."""

    def __init__(self, ground: GroundLike) -> None:
        self._ground = ground
        self._space = pymunk.Space()
        self._body = pymunk.Body(MASS_KG, math.inf)
        circle = pymunk.Circle(self._body, RIDER_RADIUS_M)
        circle.elasticity = ELASTICITY
        circle.friction = FRICTION
        self._circle = circle
        self._space.add(self._body, circle)
        # The rider's own circle is in no sweep; only the solver sees it.
        circle.filter = pymunk.ShapeFilter(categories=1)
        self._seen = pymunk.ShapeFilter(mask=2)
        self._shapes: dict[tuple[float, float, float, float, float], pymunk.Circle] = {}
        self._spans: dict[pymunk.Shape, tuple[float, float]] = {}
        self._origin = (0.0, 0.0)
        self._centre: tuple[float, float] | None = None
        self._epoch = -1

    def __len__(self) -> int:
        return len(self._shapes)

    def refill(self, x: float, z: float) -> None:
        """Bring the space up to date around (x, z) if the rider has moved on or an edit moved the trunks."""
        centre = self._centre
        if centre is not None and self._epoch == self._ground.epoch:
            near = abs(x - centre[0]) < REFILL_M and abs(z - centre[1]) < REFILL_M
            if near:
                return
        self._centre = (x, z)
        self._epoch = self._ground.epoch
        if max(abs(x - self._origin[0]), abs(z - self._origin[1])) > ORIGIN_MOVE_M:
            self._replace(set(self._shapes), [])
            self._origin = (float(math.floor(x)), float(math.floor(z)))
        rows = [tuple(row) for row in self._ground.trunks(x, z, REACH_M).tolist()]
        wanted = set(rows)
        self._replace(
            {key for key in self._shapes if key not in wanted},
            sorted(key for key in wanted if key not in self._shapes),
        )

    def _replace(
        self,
        gone: set[tuple[float, float, float, float, float]],
        new: list[tuple[float, float, float, float, float]],
    ) -> None:
        leaving = [self._shapes.pop(key) for key in sorted(gone)]
        for shape in leaving:
            del self._spans[shape]
        if leaving:
            self._space.remove(*leaving)
        for key in new:
            x, z, radius, bottom_y, top_y = key
            offset = (x - self._origin[0], z - self._origin[1])
            shape = pymunk.Circle(self._space.static_body, radius, offset)
            shape.elasticity = ELASTICITY
            shape.friction = 1.0
            shape.filter = pymunk.ShapeFilter(categories=2)
            self._shapes[key] = shape
            self._spans[shape] = (bottom_y, top_y)
        if new:
            self._space.add(*(self._shapes[key] for key in new))

    def _meets(self, shape: pymunk.Shape | None, span_y: tuple[float, float]) -> bool:
        if shape is None or shape not in self._spans:
            return False
        bottom, top = self._spans[shape]
        return span_y[0] < top and span_y[1] > bottom

    def sweep(
        self,
        start: tuple[float, float],
        end: tuple[float, float],
        span_y: tuple[float, float],
        velocity: tuple[float, float],
        dt: float,
    ) -> Knock | None:
        """First trunk that the rider's circle meets on the way from `start` to `end`, world (x, z) metres.

        Trunks whose height span does not meet `span_y` are passed over or under. The velocity after it is
        pymunk's: impulse with a little bounce and friction.
        """
        self.refill(*start)
        if not self._shapes:
            return None
        origin_x, origin_z = self._origin
        first = (start[0] - origin_x, start[1] - origin_z)
        last = (end[0] - origin_x, end[1] - origin_z)
        inside = self._overlap(first, span_y)
        if inside is not None:
            shape, out_x, out_z, depth = inside
            into = -(velocity[0] * out_x + velocity[1] * out_z)
            push = depth + SKIN_M
            if into <= 0.0:
                # Already on the way out: only help.
                return Knock(1.0, velocity[0], velocity[1], 0.0, push * out_x, push * out_z, Grade.NONE)
            return self._bounce(shape, velocity, (out_x, out_z), 0.0, push, dt)
        way = math.hypot(last[0] - first[0], last[1] - first[1])
        if way == 0.0:
            return None
        hits = self._space.segment_query(first, last, RIDER_RADIUS_M, self._seen)
        hits = [hit for hit in hits if self._meets(hit.shape, span_y)]
        if not hits:
            return None
        # Ties are broken by place, so that the order inside the tree does not matter.
        hit = min(hits, key=lambda info: (info.alpha, info.point.x, info.point.y))
        met = hit.shape
        assert isinstance(met, pymunk.Circle)
        at = (first[0] + (last[0] - first[0]) * hit.alpha, first[1] + (last[1] - first[1]) * hit.alpha)
        centre = met.offset
        gap = max(math.hypot(at[0] - centre.x, at[1] - centre.y), 1e-9)
        normal = ((at[0] - centre.x) / gap, (at[1] - centre.y) / gap)
        if velocity[0] * normal[0] + velocity[1] * normal[1] >= 0.0:
            return None
        push = SKIN_M + max(0.0, met.radius + RIDER_RADIUS_M - gap)
        return self._bounce(met, velocity, normal, hit.alpha, push, dt)

    def _overlap(
        self, point: tuple[float, float], span_y: tuple[float, float]
    ) -> tuple[pymunk.Circle, float, float, float] | None:
        """Deepest trunk that the rider's circle at `point` overlaps: shape, way out (x, z) and depth."""
        found = None
        for info in self._space.point_query(point, RIDER_RADIUS_M - 1e-6, self._seen):
            shape = info.shape
            if not self._meets(shape, span_y) or not isinstance(shape, pymunk.Circle):
                continue
            away = (point[0] - shape.offset.x, point[1] - shape.offset.y)
            gap = math.hypot(*away)
            depth = shape.radius + RIDER_RADIUS_M - gap
            out = (away[0] / gap, away[1] / gap) if gap > 1e-9 else (1.0, 0.0)
            if found is None or (depth, shape.offset.x) > (found[3], found[0].offset.x):
                found = (shape, out[0], out[1], depth)
        return found

    def _bounce(
        self,
        shape: pymunk.Circle,
        velocity: tuple[float, float],
        normal: tuple[float, float],
        fraction: float,
        push_m: float,
        dt: float,
    ) -> Knock:
        """Let the solver turn the velocity at the contact, and grade the knock."""
        body = self._body
        # The solver moves first and collides then: start so far back that it ends just inside the bark.
        inside = shape.radius + RIDER_RADIUS_M - 1e-4
        centre = shape.offset
        body.position = (
            centre.x + normal[0] * inside - velocity[0] * dt,
            centre.y + normal[1] * inside - velocity[1] * dt,
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
        """Whether no trunk stands within `reach_m` of (x, z), whatever its height."""
        centre = self._centre
        far = centre is None or max(abs(x - centre[0]), abs(z - centre[1])) > REACH_M - REFILL_M - reach_m
        if far or self._epoch != self._ground.epoch:
            rows = self._ground.trunks(x, z, reach_m + 2.0).tolist()
            return all(math.hypot(row[0] - x, row[1] - z) > reach_m + row[2] for row in rows)
        point = (x - self._origin[0], z - self._origin[1])
        return not self._space.point_query(point, reach_m, self._seen)
