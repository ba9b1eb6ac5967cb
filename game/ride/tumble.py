"""Falls: rider and bicycle as two dynamic bodies that fly, bounce, slide and meet what stands in the way.

In the plane both are pymunk bodies (see `collisions.tumble`); up and down, and for friction on the land, they are
worked out here. The whole state is plain numbers of `Bicycle`, so a replay needs nothing else. Friction and bounce
were tuned by looking, not checked against data.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from game.core.coords import WORLD_LIMIT_M, forward
from game.core.units import GRAVITY_M_S2
from game.ecs.components import Bicycle
from game.ride.collisions import PlaneBody, tumble_in_plane
from game.ride.contact import WHEELBASE_M, Grade, LandPatch, Obstacles
from game.ride.suspension import pitch_of

G = GRAVITY_M_S2

Floor = Callable[[float, float], float]
"""Height that a body cannot sink below at world (x, z), metres."""

FALLEN_S = 2.0
"""How long a fallen rider lies."""

RIDER_KG = 73.0
BICYCLE_KG = 12.0
RIDER_FRICTION = 0.75
BICYCLE_FRICTION = 0.6
"""Friction of body and bicycle sliding over the land."""

BOUNCE = 0.25
BOUNCE_FROM_M_S = 1.0
"""Share of the speed into the land that comes back, from this speed on."""

LIFTING_M_S = 0.3
"""Away from the land faster than this, a body is in the air."""

HIPS_M = 0.95
"""Height of the hips over the wheels when the fall begins."""

LYING_M = 0.13
"""Height of the hips over the land when lying."""

CARRIED_ON = 0.4
"""Share of what the bicycle lost to an obstacle that the rider, who was not stopped by it, keeps."""

GOING_DOWN = 0.8
"""Share of its speed that the bicycle keeps as it goes down."""

THROWN_UP_M_S = 1.2
LYING_LEAN_RAD = 1.4
ROLL_RADIUS_M = 0.3
ROLL_ENDS_M_S = 0.7

STEEPEST = 2.0
"""Rise over run that a body still slides along; steeper land is a wall."""

STEP_UP_M = 0.02
"""A body that the land lifts within a step by more than that slope and this has met a wall."""

FASTEST_M_S = 90.0


def throw(b: Bicycle, lost_x_m_s: float = 0.0, lost_z_m_s: float = 0.0) -> None:
    """Throw the rider; (`lost_x_m_s`, `lost_z_m_s`) is what an obstacle just took from the bicycle's velocity."""
    if b.fallen_s > 0.0:
        return
    b.falls += 1
    b.fallen_s = FALLEN_S
    b.trial_s = -1.0
    b.knock = int(Grade.FALL)
    side = 1.0 if b.lean_rad >= 0.0 else -1.0
    # A wheel lifted onto an edge within the step is no speed: nobody is thrown with more than was there.
    flat = math.hypot(b.vx_m_s, b.vz_m_s)
    most = math.sqrt(max(0.0, b.speed_m_s * b.speed_m_s - flat * flat))
    b.vy_m_s = min(most, max(-most, b.vy_m_s))
    b.rider_x, b.rider_y, b.rider_z = b.x, b.y + HIPS_M, b.z
    b.rider_vx_m_s = b.vx_m_s + CARRIED_ON * lost_x_m_s
    b.rider_vz_m_s = b.vz_m_s + CARRIED_ON * lost_z_m_s
    b.rider_vy_m_s = max(0.0, b.vy_m_s) + THROWN_UP_M_S
    # The bicycle goes down at once, the rider flies on.
    b.vx_m_s *= GOING_DOWN
    b.vz_m_s *= GOING_DOWN
    b.rider_yaw_rad = b.yaw_rad
    b.rider_yaw_rate_rad_s = 1.2 * side
    b.rider_roll_rad = 0.0
    b.yaw_rate_rad_s = -2.0 * side
    b.lean_rate_rad_s = b.turn_1_m = b.wish = 0.0
    b.front_locked = b.rear_locked = False


def step(b: Bicycle, land: LandPatch, obstacles: Obstacles | None, dt: float) -> None:
    """Advance both bodies by `dt` seconds."""
    bicycle = PlaneBody(b.x, b.z, b.vx_m_s, b.vz_m_s, b.yaw_rad, b.yaw_rate_rad_s, BICYCLE_KG)
    rider = PlaneBody(
        b.rider_x,
        b.rider_z,
        b.rider_vx_m_s,
        b.rider_vz_m_s,
        b.rider_yaw_rad,
        b.rider_yaw_rate_rad_s,
        RIDER_KG,
    )

    def under_wheels(x: float, z: float) -> float:
        half = 0.5 * WHEELBASE_M * math.cos(b.pitch_rad)
        front, rear = land.wheels(x, z, b.yaw_rad, half)
        return 0.5 * (front + rear)

    b.vy_m_s = _meet_land(bicycle, b.y, b.vy_m_s, BICYCLE_FRICTION, under_wheels, land, dt)
    hips = b.rider_y - LYING_M
    b.rider_vy_m_s = _meet_land(rider, hips, b.rider_vy_m_s, RIDER_FRICTION, land.height, land, dt)
    if obstacles is not None:
        solids = obstacles.solids_near(b.x, b.z, (b.y, b.y + 0.6))
        tumble_in_plane(bicycle, solids, dt)
        solids = obstacles.solids_near(b.rider_x, b.rider_z, (hips, hips + 0.6))
        tumble_in_plane(rider, solids, dt)
    else:
        tumble_in_plane(bicycle, [], dt)
        tumble_in_plane(rider, [], dt)

    b.y, b.vy_m_s = _rise(bicycle, (b.x, b.y, b.z), b.vy_m_s, under_wheels, dt)
    hips, b.rider_vy_m_s = _rise(rider, (b.rider_x, hips, b.rider_z), b.rider_vy_m_s, land.height, dt)
    b.x, b.z, b.vx_m_s, b.vz_m_s = bicycle.x, bicycle.z, bicycle.vx_m_s, bicycle.vz_m_s
    b.yaw_rad, b.yaw_rate_rad_s = math.remainder(bicycle.yaw_rad, math.tau), bicycle.yaw_rate_rad_s
    b.rider_x, b.rider_y, b.rider_z = rider.x, hips + LYING_M, rider.z
    b.rider_vx_m_s, b.rider_vz_m_s = rider.vx_m_s, rider.vz_m_s
    b.rider_yaw_rad = math.remainder(rider.yaw_rad, math.tau)
    b.rider_yaw_rate_rad_s = rider.yaw_rate_rad_s
    _roll_over(b, dt)
    _lay_bicycle(b, land, dt)


def _meet_land(
    body: PlaneBody,
    y: float,
    vy_m_s: float,
    friction: float,
    floor: Floor,
    land: LandPatch,
    dt: float,
) -> float:
    """Weight, and what the land does to a body at height `y`; returns its vertical speed."""
    if y > floor(body.x, body.z) + 0.03:
        body.yaw_rate_rad_s *= 1.0 - 0.3 * dt
        return vy_m_s - G * dt
    slope_x, slope_z = land.slope(body.x, body.z, 0.7)
    steep = math.hypot(slope_x, slope_z)
    if steep > STEEPEST:
        slope_x, slope_z = slope_x * STEEPEST / steep, slope_z * STEEPEST / steep
    square = 1.0 / (1.0 + slope_x * slope_x + slope_z * slope_z)
    cosine = math.sqrt(square)
    into = (body.vx_m_s * slope_x + body.vz_m_s * slope_z - vy_m_s) * cosine
    if into < -LIFTING_M_S:
        return vy_m_s - G * dt
    into = max(0.0, into)
    before = math.hypot(body.vx_m_s, body.vz_m_s, vy_m_s)
    bounce = BOUNCE if into > BOUNCE_FROM_M_S else 0.0
    back = (1.0 + bounce) * into * cosine
    body.vx_m_s -= back * slope_x + G * slope_x * square * dt
    body.vz_m_s -= back * slope_z + G * slope_z * square * dt
    flat = math.hypot(body.vx_m_s, body.vz_m_s)
    keep = 1.0 - min(1.0, friction * (into + G * cosine * dt) / max(flat, 1e-9))
    body.vx_m_s *= keep
    body.vz_m_s *= keep
    body.yaw_rate_rad_s *= max(0.0, 1.0 - 4.0 * dt)
    up = body.vx_m_s * slope_x + body.vz_m_s * slope_z + bounce * into * cosine
    # Held to the land, not sped up by it: weight alone may add to the speed.
    after = math.hypot(body.vx_m_s, body.vz_m_s, up)
    if after > before + G * dt:
        keep = (before + G * dt) / after
        body.vx_m_s, body.vz_m_s, up = body.vx_m_s * keep, body.vz_m_s * keep, up * keep
    return up


def _rise(
    body: PlaneBody, before: tuple[float, float, float], vy_m_s: float, floor_at: Floor, dt: float
) -> tuple[float, float]:
    """Height and vertical speed after the plane moved the body; land in the way stops it."""
    limit = WORLD_LIMIT_M - 4.0
    x, y, z = before
    speed = math.hypot(body.vx_m_s, body.vz_m_s)
    if speed > FASTEST_M_S:
        body.vx_m_s *= FASTEST_M_S / speed
        body.vz_m_s *= FASTEST_M_S / speed
    y += max(-FASTEST_M_S, vy_m_s) * dt
    floor = floor_at(body.x, body.z) if max(abs(body.x), abs(body.z)) < limit else math.inf
    if floor - y > STEP_UP_M + STEEPEST * math.hypot(body.x - x, body.z - z):
        body.x, body.z = x, z
        body.vx_m_s *= -0.2
        body.vz_m_s *= -0.2
        floor = floor_at(x, z)
    if floor > y:
        # Lifted by the land: paid for as any climb.
        flat = math.hypot(body.vx_m_s, body.vz_m_s)
        keep = math.sqrt(max(0.0, flat * flat - 2.0 * G * (floor - y))) / max(flat, 1e-9)
        body.vx_m_s *= keep
        body.vz_m_s *= keep
    return max(y, floor), vy_m_s


def _roll_over(b: Bicycle, dt: float) -> None:
    """The thrown rider rolls like a log while moving sideways, and ends on the back."""
    ahead_x, ahead_z = forward(b.rider_yaw_rad)
    sideways = -b.rider_vx_m_s * ahead_z + b.rider_vz_m_s * ahead_x
    if abs(sideways) > ROLL_ENDS_M_S:
        b.rider_roll_rad += min(9.0, max(-9.0, sideways / ROLL_RADIUS_M)) * dt
    else:
        back = round(b.rider_roll_rad / math.tau) * math.tau
        b.rider_roll_rad += (back - b.rider_roll_rad) * min(1.0, 5.0 * dt)


def _lay_bicycle(b: Bicycle, land: LandPatch, dt: float) -> None:
    """The fields that draw and measure the bicycle while it lies or flies."""
    side = 1.0 if b.lean_rad >= 0.0 else -1.0
    b.lean_rad += (side * LYING_LEAN_RAD - b.lean_rad) * min(1.0, 6.0 * dt)
    half = 0.5 * WHEELBASE_M
    front, rear = land.wheels(b.x, b.z, b.yaw_rad, half * math.cos(b.pitch_rad))
    pitch = pitch_of(front, rear, b.pitch_rad)
    b.pitch_rad += (pitch - b.pitch_rad) * min(1.0, 8.0 * dt)
    front, rear = land.wheels(b.x, b.z, b.yaw_rad, half * math.cos(b.pitch_rad))
    lift = max(0.0, b.y - 0.5 * (front + rear))
    b.path_rad = b.pitch_rad
    b.gradient = math.tan(b.pitch_rad)
    b.front_land_y, b.rear_land_y = front, rear
    b.front_y, b.rear_y = front + lift, rear + lift
    b.front_sprung_y, b.rear_sprung_y = b.front_y, b.rear_y
    b.front_sprung_m_s = b.rear_sprung_m_s = b.vy_m_s
    b.airborne = lift > 0.01
    b.front_on_land = b.rear_on_land = not b.airborne
    b.y = 0.5 * (b.front_y + b.rear_y)
    b.heave_m = 0.0
    b.speed_m_s = math.hypot(b.vx_m_s, b.vz_m_s)
    b.spin_m_s *= max(0.0, 1.0 - 1.5 * dt)
    b.wheel_angle_rad += b.spin_m_s * dt / 0.34
    b.cadence_rpm = b.power_w = 0.0
