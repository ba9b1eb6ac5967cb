"""The bicycle: one fixed step of rider and bicycle over the land.

Along the path the kinetic energy is integrated, not the velocity: what power, drag, rolling and brakes put in
or take out over the way rolled, less the weight lifted over the height really climbed. So energy is exact
over any land, be it kinked or steep. Heights come from the envelope of the land at the wheel radius; up and down
the wheels follow `suspension`, and when both have lost the land the bicycle flies and the weight alone moves it.
Turning is `steering`, brakes and grip are `tyres`, landings are judged by `landing`, falls tumble in `tumble`.
Leans, springs and falls were tuned by riding, not checked against data; `power` says what was.

Reads `Intent`, the land and the obstacles; writes only `Bicycle`.
"""

from __future__ import annotations

import math

from game.core.coords import WORLD_LIMIT_M, forward
from game.core.units import GRAVITY_M_S2
from game.ecs.components import Bicycle, Intent
from game.ride import drivetrain, tumble, water
from game.ride.contact import WHEELBASE_M, Grade, GroundLike, LandPatch, Obstacles
from game.ride.landing import Landing, into_land_m_s, judge
from game.ride.power import EFFECTIVE_MASS_KG, MASS_KG, drag_n, rolling_n, settled_crouch
from game.ride.recovery import place, prove_safe, recover
from game.ride.steering import turn
from game.ride.surface import FIRM, Surface
from game.ride.suspension import DROOP_M, commit, settle, wheels_at
from game.ride.tyres import TYRE_FRICTION, brakes_n

__all__ = ["FIRM", "Surface", "place", "recover", "step"]

G = GRAVITY_M_S2

SCOOT_N = 400.0
SCOOT_BELOW_M_S = 1.5
"""A foot's push, gone at the second speed: nobody stays stuck in a rut."""

HOP_M = 0.5
HOP_M_S = math.sqrt(2.0 * G * (HOP_M + DROOP_M))
"""Rise of the wheels in a hop, and the speed of the body that lifts them there once its limbs are stretched."""

FALL_IMPACT_M_S = 5.0
"""Speed left when the suspension bottoms out that throws the rider: a flat drop of some 7 m."""

BODY_M = 1.2
BEND_RAD = 0.35
BEND_LOSS_1_M = 30.0
"""The body follows the pitch over this way; a nose lifted by more than this angle at once costs energy, at this
rate per metre and radian squared: riding at a wall stops, riding up a ramp does not."""

NOSE_M = 0.45
"""The circle that meets obstacles stands this far ahead of the midpoint."""

RIDER_HEIGHT_M = 1.75

WATER_AREA_M2 = 0.25
WADING_M = 0.8
"""Drag area in water once this deep."""


STUMBLE_S = 0.7
"""Weak steering after a knock or a heavy landing."""


def step(
    bicycle: Bicycle,
    intent: Intent,
    ground: GroundLike,
    dt: float,
    obstacles: Obstacles | None = None,
    sea_level_m: float = -math.inf,
    surface: Surface = FIRM,
) -> None:
    """Advance `bicycle` by `dt` seconds (1/120 in the game).

    `ground` may be a `LandPatch`, which then serves as the cache; anything else is wrapped for this step.
    Without `obstacles` nothing stands in the way. Below `sea_level_m` water holds the rider back, and carries where
    it is deep.
    """
    b = bicycle
    land = LandPatch.of(ground)
    b.impact_m_s = 0.0
    b.knock = b.landing = 0
    b.grip = surface.grip
    if intent.recover:
        recover(b, land, obstacles, sea_level_m)
        return
    if b.land_epoch != land.epoch:
        settle(b, land)
    if b.fallen_s > 0.0:
        b.fallen_s = max(0.0, b.fallen_s - dt)
        if b.fallen_s == 0.0:
            recover(b, land, obstacles, sea_level_m)
        else:
            tumble.step(b, land, obstacles, dt)
        return
    if water.carries(b, land, sea_level_m):
        if water.swim(b, intent, land, sea_level_m, dt):
            recover(b, land, obstacles, sea_level_m)
        return
    if b.afloat_s > 0.0:
        water.leave(b, land)
    b.stumble_s = max(0.0, b.stumble_s - dt)
    b.hop_s = max(0.0, b.hop_s - dt)
    _pose_rider(b, intent, dt)
    turn(b, intent, surface, dt)
    _hop(b, intent)
    if b.airborne:
        _fly(b, land, obstacles, dt)
    else:
        _roll(b, intent, land, obstacles, sea_level_m, surface, dt)
    if b.fallen_s == 0.0:
        prove_safe(b, land, obstacles, sea_level_m, dt)


def _pose_rider(b: Bicycle, intent: Intent, dt: float) -> None:
    brake = max(intent.brake_front, intent.brake_rear)
    goal = settled_crouch(b.speed_m_s, intent.pedal, brake)
    b.crouch += min(1.2 * dt, max(-1.2 * dt, goal - b.crouch))


def _hop(b: Bicycle, intent: Intent) -> None:
    pressed = intent.hop and not b.hop_held
    b.hop_held = intent.hop
    if pressed and not b.airborne and b.fallen_s == 0.0 and b.front_on_land and b.rear_on_land:
        # The limbs throw the body up; the wheels leave the land once they are stretched.
        rise = b.speed_m_s * math.sin(b.pitch_rad)
        b.front_sprung_m_s = max(b.front_sprung_m_s, rise + HOP_M_S)
        b.rear_sprung_m_s = max(b.rear_sprung_m_s, rise + HOP_M_S)
        b.front_sprung_y = max(b.front_sprung_y, b.front_land_y)
        b.rear_sprung_y = max(b.rear_sprung_y, b.rear_land_y)
        b.hop_s = 0.2


def _roll(
    b: Bicycle,
    intent: Intent,
    land: LandPatch,
    obstacles: Obstacles | None,
    sea_level_m: float,
    surface: Surface,
    dt: float,
) -> None:
    """A step with at least one wheel on the land."""
    _slip(b, land, surface, dt)
    v = max(0.0, b.speed_m_s)
    sine, cosine = math.sin(b.pitch_rad), math.cos(b.pitch_rad)
    depth = min(1.0, max(0.0, (sea_level_m - b.y) / WADING_M))
    pedal = intent.pedal * (1.0 - depth)
    drive, b.power_w = drivetrain.drive_n(v, b.gear, pedal)
    # Pedalling at a standstill means a push with the foot as well: out of a rut, over a root.
    drive += SCOOT_N * min(1.0, max(0.0, pedal)) * max(0.0, 1.0 - v / SCOOT_BELOW_M_S)
    resist = drag_n(v, b.crouch) + rolling_n(v, b.pitch_rad, surface.crr)
    resist += 500.0 * WATER_AREA_M2 * depth * depth * v * v
    resist += brakes_n(b, intent, cosine, surface)
    share = MASS_KG / EFFECTIVE_MASS_KG
    pull = drive / EFFECTIVE_MASS_KG - G * sine * share
    hold = resist / EFFECTIVE_MASS_KG
    stops = v + (pull - hold) * dt <= 0.0
    if not stops:
        way = v * dt + 0.5 * (pull - hold) * dt * dt
    elif v > 0.0:
        # Friction ends with the motion, within this step.
        way = 0.5 * v * v / (hold - pull)
    else:
        way = 0.0
    along_x, along_z = forward(b.yaw_rad)
    x, z, knocked = _advance(b, obstacles, way * cosine * along_x, way * cosine * along_z, dt)
    if knocked:
        v, way, stops = b.speed_m_s, 0.0, False
    front, rear, pitch = wheels_at(b, land, x, z, v, dt)
    rise = 0.5 * (front.low_y + rear.low_y) - b.y
    impact = max(front.impact_m_s, rear.impact_m_s)
    energy = v * v + 2.0 * (drive - resist) / EFFECTIVE_MASS_KG * way - 2.0 * G * share * rise
    energy -= 0.5 * (front.impact_m_s**2 + rear.impact_m_s**2)
    if energy > 0.0:
        sharp = max(0.0, pitch - b.path_rad - BEND_RAD)
        energy *= math.exp(-BEND_LOSS_1_M * sharp * sharp * way)
        b.path_rad += (pitch - b.path_rad) * min(1.0, way / BODY_M)
    if energy < 0.0 and rise > 0.0 and not knocked:
        # Not enough to climb what lies ahead: the wheels stay where they are. The pitch settles all the same:
        # one that was left from before a turn on the spot would see a climb there for ever.
        x, z, way, energy = b.x, b.z, 0.0, 0.0
        front, rear, pitch = wheels_at(b, land, x, z, 0.0, dt)
    b.speed_m_s = 0.0 if stops else math.sqrt(max(0.0, energy))
    b.spin_m_s = b.speed_m_s
    b.distance_m += way
    commit(b, x, z, front, rear, pitch, dt)
    if b.airborne:
        _take_off(b, cosine)
    _after_contact(b, impact)
    drivetrain.turn(b, pedal, way, dt)


def _slip(b: Bicycle, land: LandPatch, surface: Surface, dt: float) -> None:
    """Where the land is steeper than the grip, the bicycle swings into the fall line, brakes or not."""
    slope_x, slope_z = land.slope(b.x, b.z, 0.4)
    excess = math.hypot(slope_x, slope_z) - TYRE_FRICTION * surface.grip
    if excess > 0.0:
        error = math.remainder(math.atan2(-slope_x, slope_z) - b.yaw_rad, 2.0 * math.pi)
        b.yaw_rad += min(1.0, max(-1.0, error)) * min(3.0, 4.0 * excess) * dt


def _fly(b: Bicycle, land: LandPatch, obstacles: Obstacles | None, dt: float) -> None:
    """A step with both wheels in the air: weight and drag only, the rider turning the nose to the path."""
    flat = math.hypot(b.vx_m_s, b.vz_m_s)
    total = math.hypot(flat, b.vy_m_s)
    slowing = drag_n(total, b.crouch) / MASS_KG / max(total, 1e-6)
    keep = max(0.0, 1.0 - slowing * dt)
    b.vx_m_s *= keep
    b.vz_m_s *= keep
    b.front_sprung_m_s *= keep
    b.rear_sprung_m_s *= keep
    path = min(0.8, max(-0.8, 0.8 * math.atan2(b.vy_m_s, max(flat, 4.0))))
    goal = 4.0 * (path - b.pitch_rad)
    b.pitch_rate_rad_s += (goal - b.pitch_rate_rad_s) * min(1.0, 6.0 * dt)
    spread = 0.5 * WHEELBASE_M * math.cos(b.pitch_rad) * b.pitch_rate_rad_s
    mean = 0.5 * (b.front_sprung_m_s + b.rear_sprung_m_s)
    b.front_sprung_m_s, b.rear_sprung_m_s = mean + spread, mean - spread
    x, z, knocked = _advance(b, obstacles, b.vx_m_s * dt, b.vz_m_s * dt, dt)
    if knocked and b.fallen_s == 0.0 and b.knock == Grade.STUMBLE:
        tumble.throw(b)
    free_y = b.y + mean * dt - 0.5 * G * dt * dt
    falling = mean - G * dt
    front, rear, pitch = wheels_at(b, land, x, z, total, dt)
    commit(b, x, z, front, rear, pitch, dt)
    flat = math.hypot(b.vx_m_s, b.vz_m_s)
    if b.y > free_y and flat > 0.0:
        # Land under a wheel, or the frame, lifted the rider above free flight: paid for as any climb.
        keep = math.sqrt(max(0.0, flat * flat - 2.0 * G * (b.y - free_y))) / flat
        b.vx_m_s *= keep
        b.vz_m_s *= keep
    b.vy_m_s = 0.5 * (b.front_sprung_m_s + b.rear_sprung_m_s)
    if b.airborne:
        b.speed_m_s = math.hypot(b.vx_m_s, b.vz_m_s, b.vy_m_s)
        b.power_w = 0.0
        b.distance_m += b.speed_m_s * dt
        drivetrain.turn(b, 0.0, b.spin_m_s * dt, dt)
        return
    # Touchdown: what does not point along the land is soaked up by the limbs.
    ground_pitch = math.atan2(b.front_land_y - b.rear_land_y, WHEELBASE_M * math.cos(b.pitch_rad))
    along_x, along_z = forward(b.yaw_rad)
    flat = b.vx_m_s * along_x + b.vz_m_s * along_z
    into = into_land_m_s(flat, falling, ground_pitch)
    along = max(0.0, flat * math.cos(ground_pitch) + b.vy_m_s * math.sin(ground_pitch))
    # The tyres take up the speed of the land, at the cost of the bicycle's.
    b.speed_m_s = (MASS_KG * along + (EFFECTIVE_MASS_KG - MASS_KG) * b.spin_m_s) / EFFECTIVE_MASS_KG
    b.spin_m_s = b.speed_m_s
    flat = b.speed_m_s * math.cos(ground_pitch)
    b.vx_m_s, b.vz_m_s = flat * along_x, flat * along_z
    b.path_rad = pitch
    b.landing = int(judge(into, pitch - ground_pitch))
    if b.landing == Landing.HEAVY:
        b.stumble_s = STUMBLE_S
    elif b.landing == Landing.CRASH:
        tumble.throw(b)
    _after_contact(b, max(front.impact_m_s, rear.impact_m_s))


def _advance(
    b: Bicycle, obstacles: Obstacles | None, dx: float, dz: float, dt: float
) -> tuple[float, float, bool]:
    """Where the midpoint gets in this step, and whether an obstacle changed the velocity."""
    x, z = b.x + dx, b.z + dz
    limit = WORLD_LIMIT_M - 4.0
    if abs(x) > limit or abs(z) > limit:
        b.speed_m_s = b.vx_m_s = b.vz_m_s = 0.0
        return min(limit, max(-limit, b.x)), min(limit, max(-limit, b.z)), True
    if obstacles is None:
        return x, z, False
    along_x, along_z = forward(b.yaw_rad)
    ahead = NOSE_M * math.cos(b.pitch_rad)
    nose_x, nose_z = ahead * along_x, ahead * along_z
    low = min(b.front_y, b.rear_y)
    knock = obstacles.sweep(
        (b.x + nose_x, b.z + nose_z),
        (x + nose_x, z + nose_z),
        (low, max(b.front_y, b.rear_y) + RIDER_HEIGHT_M),
        (dx / dt, dz / dt),
        dt,
    )
    if knock is None:
        return x, z, False
    b.knock = int(knock.grade)
    x = b.x + dx * knock.fraction + knock.push_x_m
    z = b.z + dz * knock.fraction + knock.push_z_m
    if knock.normal_m_s <= 0.0:
        return x, z, False
    before = math.hypot(dx, dz) / dt
    after = math.hypot(knock.vx_m_s, knock.vz_m_s)
    if knock.grade >= Grade.STUMBLE:
        after *= 0.8
        b.stumble_s = STUMBLE_S
    forth = knock.vx_m_s * along_x + knock.vz_m_s * along_z
    if forth < 0.3 * after or after < 0.2:
        after = max(0.0, forth)
    else:
        turn = math.remainder(math.atan2(knock.vx_m_s, -knock.vz_m_s) - b.yaw_rad, 2.0 * math.pi)
        b.yaw_rad += turn
        b.lean_rad += min(0.3, max(-0.3, turn))
    along_x, along_z = forward(b.yaw_rad)
    b.vx_m_s, b.vz_m_s = after * along_x, after * along_z
    b.speed_m_s = max(0.0, b.speed_m_s) * min(1.0, after / max(before, 1e-9))
    if knock.grade == Grade.FALL:
        tumble.throw(b, dx / dt - b.vx_m_s, dz / dt - b.vz_m_s)
    return x, z, True


def _take_off(b: Bicycle, cosine: float) -> None:
    """Split the speed into level and upward parts when the wheels leave the land."""
    up = 0.5 * (b.front_sprung_m_s + b.rear_sprung_m_s)
    v = b.speed_m_s
    if b.hop_s > 0.0:
        flat = v * cosine
    else:
        limited = min(v, max(-v, up))
        b.front_sprung_m_s += limited - up
        b.rear_sprung_m_s += limited - up
        up = limited
        flat = math.sqrt(max(0.0, v * v - up * up))
    along_x, along_z = forward(b.yaw_rad)
    b.vx_m_s, b.vy_m_s, b.vz_m_s = flat * along_x, up, flat * along_z
    b.speed_m_s = math.hypot(flat, up)


def _after_contact(b: Bicycle, impact_m_s: float) -> None:
    b.impact_m_s = impact_m_s
    if impact_m_s > FALL_IMPACT_M_S:
        tumble.throw(b)
