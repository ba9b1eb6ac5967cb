"""What a ride touches: the land under the wheels and the obstacles beside it, as the bicycle sees them.

Owns the patch of level-0 samples cached around the rider, so that a step asks kernels and not the world.
Never makes heights: they come from a `GroundLike`, which in the game is `world.ground.Ground`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from game.core.coords import forward
from game.ecs.components import Bicycle
from game.kernels import contact as kernels

WHEEL_RADIUS_M = 0.34
"""Rolling radius of both wheels."""

WHEELBASE_M = 1.0
"""Distance between the two axles."""

CLEARANCE_POINTS = 129
"""Places along the lower half circle at which clearance is measured: 8 mm apart."""


class GroundLike(Protocol):
    """The level-0 edited land anywhere, and the trunks standing on it."""

    @property
    def epoch(self) -> int:
        """Counts edits; cached samples of another epoch are stale."""

    def height(self, x: float, z: float) -> float:
        """Height on the drawn triangles, metres."""

    def block(self, i0: int, j0: int, ni: int, nj: int) -> NDArray[np.float32]:
        """[nj, ni] float32 heights at whole metres (i0 …, j0 …)."""

    def trunks(self, x: float, z: float, radius_m: float) -> NDArray[np.float64]:
        """[n, 5] float64: x, z, radius, bottom_y, top_y, sorted by (x, z)."""


class Grade(IntEnum):
    """How badly an obstacle was met."""

    NONE = 0
    BRUSH = 1
    DEFLECT = 2
    STUMBLE = 3
    FALL = 4


class Kind(IntEnum):
    """What an obstacle is."""

    TRUNK = 0
    ROCK = 1
    LOG = 2
    FENCE = 3
    GATE = 4
    """Ridden through, and noted."""

    # That of enumerations hashes the name, in Python; solids are looked up by the hundred.
    __hash__ = int.__hash__


class Solid(NamedTuple):
    """An obstacle: a capsule in the plane between two ends (a circle where they coincide), between two heights."""

    x: float
    z: float
    end_x: float
    end_z: float
    radius_m: float
    bottom_y: float
    top_y: float
    kind: Kind


@dataclass(frozen=True, slots=True)
class Knock:
    """An obstacle met within a step."""

    fraction: float
    """Share of the step's way that is free, 0…1."""
    vx_m_s: float
    vz_m_s: float
    """Horizontal velocity after the knock."""
    normal_m_s: float
    """Speed into the obstacle before it."""
    push_x_m: float
    push_z_m: float
    """Displacement that ends an overlap, e.g. after turning on the spot beside a trunk."""
    grade: Grade


class Obstacles(Protocol):
    """What stands in the way: implemented by `ride.collisions.Collisions`."""

    sea_level_m: float
    """What has its foot below is drowned, and in nobody's way."""

    def sweep(
        self,
        start: tuple[float, float],
        end: tuple[float, float],
        span_y: tuple[float, float],
        velocity: tuple[float, float],
        dt: float,
    ) -> Knock | None:
        """First obstacle met by the rider's circle on the way from `start` to `end` (x, z), or None."""

    def is_free(self, x: float, z: float, reach_m: float) -> bool:
        """Whether no obstacle stands within `reach_m` of (x, z)."""

    def solids_near(self, x: float, z: float, span_y: tuple[float, float]) -> list[Solid]:
        """Obstacles within two metres of (x, z) whose height span meets `span_y`, sorted; no gates."""


class LandPatch:
    """A square of level-0 samples around the rider; itself `GroundLike`.

    Everything is answered from one cached block of (2·`half_m` + 1)² samples, fetched anew when a question
    reaches beyond it or an edit changed the land.
    """

    def __init__(self, ground: GroundLike, half_m: int = 32) -> None:
        self.ground = ground
        self.half_m = half_m
        self.heights: NDArray[np.float32] = np.zeros((2, 2), np.float32)
        self.i0 = 0
        self.j0 = 0
        self._size = 0
        self._epoch = -1
        self._trunks: NDArray[np.float64] = np.zeros((0, 5), np.float64)
        self._trunks_at = (0.0, 0.0, -1.0, -1)

    @classmethod
    def of(cls, ground: GroundLike) -> LandPatch:
        """`ground` itself when it is a patch, else a new patch on it."""
        return ground if isinstance(ground, LandPatch) else cls(ground)

    @property
    def epoch(self) -> int:
        """Edit epoch of the land."""
        return self.ground.epoch

    def around(self, x: float, z: float, reach_m: float = 2.0) -> None:
        """Make sure that the cached block covers ±`reach_m` metres around (x, z)."""
        i = x - self.i0
        j = z - self.j0
        inside = reach_m <= i <= self._size - 2 - reach_m and reach_m <= j <= self._size - 2 - reach_m
        if inside and self._epoch == self.ground.epoch:
            return
        self._epoch = self.ground.epoch
        self.i0 = math.floor(x) - self.half_m
        self.j0 = math.floor(z) - self.half_m
        self._size = 2 * self.half_m + 1
        block = self.ground.block(self.i0, self.j0, self._size, self._size)
        self.heights = np.ascontiguousarray(block, dtype=np.float32)

    def height(self, x: float, z: float) -> float:
        """Height on the drawn triangles, metres."""
        self.around(x, z)
        return float(kernels.plane_at(self.heights, x - self.i0, z - self.j0)[0])

    def slope(self, x: float, z: float, reach_m: float = 1.5) -> tuple[float, float]:
        """Slopes (dh/dx, dh/dz) across ±`reach_m` metres around (x, z)."""
        self.around(x, z, reach_m + 1.0)
        east, south = kernels.mean_slope(self.heights, x - self.i0, z - self.j0, reach_m)
        return float(east), float(south)

    def wheels(self, x: float, z: float, yaw_rad: float, half_base_m: float) -> tuple[float, float]:
        """Lowest heights (front, rear) of the lowest points of wheels ±`half_base_m` along the heading."""
        self.around(x, z)
        along_x, along_z = forward(yaw_rad)
        front, rear = kernels.wheels_on_land(
            self.heights, x - self.i0, z - self.j0, along_x, along_z, half_base_m, WHEEL_RADIUS_M
        )
        return float(front), float(rear)

    def highest_within(self, x: float, z: float, reach_m: float) -> float:
        """Highest land at (x, z) and around it at `reach_m` metres."""
        self.around(x, z, reach_m + 1.0)
        return float(kernels.highest_within(self.heights, x - self.i0, z - self.j0, reach_m))

    def free_arm(
        self,
        subject: tuple[float, float],
        along: tuple[float, float],
        chest_y: float,
        lift_m: float,
        arms: tuple[float, float, int],
        limits: tuple[float, float, float],
    ) -> tuple[float, float]:
        """Arm behind `subject` and its lift over `chest_y` that the land allows; see `kernels.contact.free_arm`."""
        self.around(*subject, arms[0] + 2.0)
        arm, lift = kernels.free_arm(
            self.heights,
            subject[0] - self.i0,
            subject[1] - self.j0,
            *along,
            chest_y,
            lift_m,
            *arms,
            *limits,
        )
        return float(arm), float(lift)

    def block(self, i0: int, j0: int, ni: int, nj: int) -> NDArray[np.float32]:
        """[nj, ni] float32 heights at whole metres, from the ground itself."""
        return self.ground.block(i0, j0, ni, nj)

    def trunks(self, x: float, z: float, radius_m: float) -> NDArray[np.float64]:
        """[n, 5] trunks within `radius_m`, from the ground itself."""
        return self.ground.trunks(x, z, radius_m)

    def trunks_around(self, x: float, z: float, radius_m: float) -> NDArray[np.float64]:
        """[n, 5] all trunks within `radius_m` and some beyond it: asked anew only every 16 m."""
        at_x, at_z, reach, epoch = self._trunks_at
        if math.hypot(x - at_x, z - at_z) + radius_m > reach or epoch != self.ground.epoch:
            reach = radius_m + 16.0
            self._trunks = self.ground.trunks(x, z, reach)
            self._trunks_at = (x, z, reach, self.ground.epoch)
        return self._trunks


def clearance(bicycle: Bicycle, ground: GroundLike) -> float:
    """Least distance in metres of the lower wheel circles from the level-0 surface, negative inside it.

    Both circles stand in the upright plane of the heading; a lean moves them by less than their width.
    """
    land = LandPatch.of(ground)
    land.around(bicycle.x, bicycle.z)
    along_x, along_z = forward(bicycle.yaw_rad)
    half = 0.5 * WHEELBASE_M * math.cos(bicycle.pitch_rad)
    least = math.inf
    for side, low_y in ((half, bicycle.front_y), (-half, bicycle.rear_y)):
        gap = kernels.wheel_clearance(
            land.heights,
            bicycle.x + side * along_x - land.i0,
            bicycle.z + side * along_z - land.j0,
            along_x,
            along_z,
            low_y + WHEEL_RADIUS_M,
            WHEEL_RADIUS_M,
            CLEARANCE_POINTS,
        )
        least = min(least, float(gap))
    return least
