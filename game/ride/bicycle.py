"""The bicycle: one fixed step of rider and bicycle over the land.

Along the path the kinetic energy is integrated, not the velocity: what power, drag, rolling and brakes put in
or take out over the way rolled, less the weight lifted over the height really climbed. So energy is exact
over any land, be it kinked or steep. Heights come from the envelope of the land at the wheel radius.

Up and down, each wheel carries half of the sprung mass on a spring, a damper and rider's limbs. The two halves
move independently, as they do when the radius of gyration squared equals the product of the distances from
the centre of mass to the axles, which is nearly so for a rider. A wheel stays on the land while its limb
reaches; when both have lost it the bicycle flies, and the weight alone moves it.

Turning: the intent asks for a lateral acceleration, the lean follows like a critically damped pendulum, and the
path curves by what the lean balances, tan φ = v²/(g·r). At walking pace the handlebar steers directly.
Springs, leans and falls were tuned by riding, not checked against data; `power` says what was.

Reads `Intent`, the land and the obstacles; writes only `Bicycle`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from game.core.coords import WORLD_LIMIT_M, forward
from game.core.units import GRAVITY_M_S2
from game.ecs.components import Bicycle, Intent
from game.ride import drivetrain
from game.ride.contact import WHEELBASE_M, Grade, GroundLike, LandPatch, Obstacles
from game.ride.power import (
    CRR,
    EFFECTIVE_MASS_KG,
    MASS_KG,
    drag_n,
    rolling_n,
    settled_crouch,
    smoothstep,
)

G = GRAVITY_M_S2

LATERAL_G = 0.7
"""Largest lateral acceleration asked of full grip, in g: a lean of 35°."""

TYRE_FRICTION = 0.9
"""Friction coefficient of both tyres at full grip."""

TURN_LIMIT_1_M = 0.4
"""Tightest curvature, at walking pace: a radius of 2.5 m."""

LEAN_RATE_1_S = 10.0
"""Natural frequency of the lean; 90 % of a lean is reached in 0.4 s."""

COUNTERSTEER_S = 0.05
"""How far the handlebar turns against a growing lean, seconds of lean rate."""

PIVOT_RAD_S = 1.3
"""Turning on the spot with a foot down."""

SCOOT_N = 400.0
SCOOT_BELOW_M_S = 1.5
"""A foot's push, gone at the second speed: nobody stays stuck in a rut."""

CENTRE_HEIGHT_M = 0.95
FRONT_ARM_M = 0.70
REAR_ARM_M = WHEELBASE_M - FRONT_ARM_M
"""Centre of mass above the ground, and ahead of it and behind it the two contacts, of a rider sitting back."""

BRAKE_FRONT_G = 0.7
BRAKE_REAR_G = 0.35
"""What the hands can ask of either brake, in g."""

SPRING_1_S = 14.0
DAMPING_1_S = 24.0
DROOP_M = 0.12
BUMP_M = 0.20
"""Suspension of each half: natural frequency, twice damping ratio times frequency, reach below and above rest."""

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

NOSE_OVER_RAD = 0.95
"""Nose this much below the land at touchdown goes over the bars."""

FALLEN_S = 2.0
SLIDE_M_S2 = 6.5
"""How long a fallen rider lies, and how fast the slide ends."""

NOSE_M = 0.45
"""The circle that meets obstacles stands this far ahead of the midpoint."""

RIDER_HEIGHT_M = 1.75

STEEPEST = 1.3
"""Largest pitch in radians that the two axles may stand at."""

SAFE_TRIAL_S = 1.0
SAFE_PAUSE_S = -0.25
SAFE_SLOPE = 0.5
SAFE_REACH_M = 1.5
SAFE_DRY_M = 0.3
"""A pose is safe when outlived by this time (the pause lies before the next trial), not steeper, this far
from obstacles and this far above the sea."""

WATER_AREA_M2 = 0.25
WADING_M = 0.8
"""Drag area in water once this deep."""


@dataclass(frozen=True, slots=True)
class Surface:
    """What the tyres roll on."""

    crr: float = CRR
    grip: float = 1.0
    """Share of full grip, 0…1: wet rock and mud have less."""


FIRM = Surface()


@dataclass(slots=True)
class _Wheel:
    """One half of the sprung mass while a step is worked out."""

    sprung_y: float
    sprung_m_s: float
    land_y: float
    low_y: float
    on_land: bool
    impact_m_s: float = 0.0


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
    Without `obstacles` nothing stands in the way. Below `sea_level_m` water holds the rider back.
    """
    b = bicycle
    land = LandPatch.of(ground)
    b.impact_m_s = 0.0
    b.knock = 0
    if intent.recover:
        recover(b, land, obstacles, sea_level_m)
        return
    if b.land_epoch != land.epoch:
        _settle(b, land)
    if b.fallen_s > 0.0:
        b.fallen_s = max(0.0, b.fallen_s - dt)
        if b.fallen_s == 0.0:
            recover(b, land, obstacles, sea_level_m)
            return
        intent = Intent()
    b.stumble_s = max(0.0, b.stumble_s - dt)
    b.hop_s = max(0.0, b.hop_s - dt)
    _pose_rider(b, intent, dt)
    _turn(b, intent, surface, dt)
    _hop(b, intent)
    if b.airborne:
        _fly(b, land, obstacles, dt)
    else:
        _roll(b, intent, land, obstacles, sea_level_m, surface, dt)
    if b.fallen_s == 0.0:
        _prove_safe(b, land, obstacles, sea_level_m, dt)


def place(bicycle: Bicycle, ground: GroundLike, x: float, z: float, yaw_rad: float) -> None:
    """Stand the bicycle upright and at rest at (x, z), its wheels on the land; this pose is the safe one now."""
    b = bicycle
    land = LandPatch.of(ground)
    b.x, b.z, b.yaw_rad = float(x), float(z), float(yaw_rad)
    b.speed_m_s = b.spin_m_s = b.vx_m_s = b.vy_m_s = b.vz_m_s = 0.0
    b.lean_rad = b.lean_rate_rad_s = b.steer_rad = b.turn_1_m = 0.0
    b.cadence_rpm = b.power_w = b.crouch = b.gradient = b.pitch_rad = b.pitch_rate_rad_s = 0.0
    b.fallen_s = b.stumble_s = b.hop_s = b.heave_m = 0.0
    b.airborne = False
    b.gear = 1
    _settle(b, land)
    b.safe_x, b.safe_z, b.safe_yaw_rad = b.x, b.z, b.yaw_rad
    b.trial_s = SAFE_PAUSE_S


def recover(
    bicycle: Bicycle,
    ground: GroundLike,
    obstacles: Obstacles | None = None,
    sea_level_m: float = -math.inf,
) -> None:
    """Put the rider back to the last safe pose, upright and at rest.

    If land, trees or the sea changed since, the nearest good place on rings around it is taken instead; if
    there is none within 120 m, the highest place seen.
    """
    b = bicycle
    land = LandPatch.of(ground)
    best = (b.safe_x, b.safe_z)
    best_y = -math.inf
    for ring in range(31):
        for spoke in range(1 if ring == 0 else 12):
            angle = (spoke + 0.5 * (ring % 2)) * math.pi / 6.0
            x = b.safe_x + 4.0 * ring * math.sin(angle)
            z = b.safe_z - 4.0 * ring * math.cos(angle)
            if max(abs(x), abs(z)) > WORLD_LIMIT_M - 10.0:
                continue
            y = land.ground.height(x, z)
            if y > best_y:
                best, best_y = (x, z), y
            if y > sea_level_m + SAFE_DRY_M and _is_gentle_and_free(land, obstacles, x, z):
                place(b, land, x, z, b.safe_yaw_rad)
                return
    place(b, land, best[0], best[1], b.safe_yaw_rad)


def fall(bicycle: Bicycle) -> None:
    """Throw the rider: the bicycle slides and lies until `fallen_s` has run out."""
    if bicycle.fallen_s == 0.0:
        bicycle.falls += 1
        bicycle.fallen_s = FALLEN_S
        bicycle.trial_s = -1.0
        bicycle.knock = Grade.FALL


def _pose_rider(b: Bicycle, intent: Intent, dt: float) -> None:
    brake = max(intent.brake_front, intent.brake_rear)
    goal = settled_crouch(b.speed_m_s, intent.pedal, brake)
    b.crouch += min(1.2 * dt, max(-1.2 * dt, goal - b.crouch))


def _turn(b: Bicycle, intent: Intent, surface: Surface, dt: float) -> None:
    """Lean, handlebar and heading."""
    if b.fallen_s > 0.0:
        side = 1.0 if b.lean_rad >= 0.0 else -1.0
        b.lean_rad += (side * 1.35 - b.lean_rad) * min(1.0, 6.0 * dt)
        b.lean_rate_rad_s = b.turn_1_m = 0.0
        return
    steer = min(1.0, max(-1.0, intent.steer))
    if b.stumble_s > 0.0:
        steer *= 0.4
    v = max(0.0, b.speed_m_s)
    v2 = v * v
    limit = LATERAL_G * surface.grip * G
    tightest = min(TURN_LIMIT_1_M, limit / max(v2, 1e-6))
    wanted = 0.0 if b.airborne else steer * tightest
    goal = math.atan(v2 * wanted / G)
    pull = LEAN_RATE_1_S * LEAN_RATE_1_S * (goal - b.lean_rad) - 2.0 * LEAN_RATE_1_S * b.lean_rate_rad_s
    b.lean_rate_rad_s += pull * dt
    most = math.atan(LATERAL_G * surface.grip)
    b.lean_rad = min(most, max(-most, b.lean_rad + b.lean_rate_rad_s * dt))
    by_lean = smoothstep(2.0, 5.0, v)
    direct = b.turn_1_m + (wanted - b.turn_1_m) * min(1.0, 8.0 * dt)
    leant = G * math.tan(b.lean_rad) / max(v2, 1.0)
    turn = direct + (leant - direct) * by_lean
    b.turn_1_m = min(tightest, max(-tightest, turn))
    bar = math.atan(WHEELBASE_M * b.turn_1_m) - COUNTERSTEER_S * b.lean_rate_rad_s * by_lean
    bar += 0.5 * steer * (1.0 - smoothstep(0.0, 2.0, v))
    b.steer_rad += (min(0.8, max(-0.8, bar)) - b.steer_rad) * min(1.0, 25.0 * dt)
    if not b.airborne:
        pivot = PIVOT_RAD_S * steer * max(0.0, 1.0 - v)
        b.yaw_rad += (v * math.cos(b.pitch_rad) * b.turn_1_m + pivot) * dt
        b.yaw_rad = math.remainder(b.yaw_rad, 2.0 * math.pi)


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


def _brakes_n(b: Bicycle, intent: Intent, cosine: float, surface: Surface) -> float:
    """Braking force of both wheels within the grip that turning leaves, with the weight shifting forward."""
    front = min(1.0, max(0.0, intent.brake_front))
    rear = min(1.0, max(0.0, intent.brake_rear))
    b.rear_locked = False
    if front == 0.0 and rear == 0.0:
        return 0.0
    weight = MASS_KG * G * cosine
    lateral = b.speed_m_s * b.speed_m_s * b.turn_1_m / G
    friction = TYRE_FRICTION * surface.grip
    friction = math.sqrt(max(0.04 * friction * friction, friction * friction - lateral * lateral))
    if b.speed_m_s == 0.0:
        # At rest a foot is down as well, so nothing tips over.
        return min((front + rear) * BRAKE_FRONT_G * MASS_KG * G * 2.0, friction * weight)
    want_front = front * BRAKE_FRONT_G * MASS_KG * G
    want_rear = rear * BRAKE_REAR_G * MASS_KG * G
    total = 0.0
    for _ in range(3):
        on_front = min(weight, (weight * REAR_ARM_M + total * CENTRE_HEIGHT_M) / WHEELBASE_M)
        on_rear = weight - on_front
        total = min(want_front, friction * on_front) + min(want_rear, friction * on_rear)
        # The rider eases the front brake before the rear wheel lifts.
        total = min(total, 0.97 * weight * FRONT_ARM_M / CENTRE_HEIGHT_M)
    b.rear_locked = want_rear > friction * on_rear
    return total


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
    resist += _brakes_n(b, intent, cosine, surface)
    if b.fallen_s > 0.0:
        resist += SLIDE_M_S2 * MASS_KG
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
    front, rear, pitch = _wheels_at(b, land, x, z, v, dt)
    rise = 0.5 * (front.low_y + rear.low_y) - b.y
    impact = max(front.impact_m_s, rear.impact_m_s)
    energy = v * v + 2.0 * (drive - resist) / EFFECTIVE_MASS_KG * way - 2.0 * G * share * rise
    energy -= 0.5 * (front.impact_m_s**2 + rear.impact_m_s**2)
    if energy > 0.0:
        sharp = max(0.0, pitch - b.path_rad - BEND_RAD)
        energy *= math.exp(-BEND_LOSS_1_M * sharp * sharp * way)
        b.path_rad += (pitch - b.path_rad) * min(1.0, way / BODY_M)
    if energy < 0.0 and rise > 0.0 and not knocked:
        # Not enough to climb what lies ahead: the wheels stay where they are.
        x, z, way, energy = b.x, b.z, 0.0, 0.0
        front, rear, pitch = _wheels_at(b, land, x, z, 0.0, dt, rounds=1)
    b.speed_m_s = 0.0 if stops else math.sqrt(max(0.0, energy))
    b.spin_m_s = b.speed_m_s
    b.distance_m += way
    _commit(b, x, z, front, rear, pitch, dt)
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
        fall(b)
    free_y = b.y + mean * dt - 0.5 * G * dt * dt
    front, rear, pitch = _wheels_at(b, land, x, z, total, dt)
    _commit(b, x, z, front, rear, pitch, dt)
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
    along = max(0.0, flat * math.cos(ground_pitch) + b.vy_m_s * math.sin(ground_pitch))
    # The tyres take up the speed of the land, at the cost of the bicycle's.
    b.speed_m_s = (MASS_KG * along + (EFFECTIVE_MASS_KG - MASS_KG) * b.spin_m_s) / EFFECTIVE_MASS_KG
    b.spin_m_s = b.speed_m_s
    flat = b.speed_m_s * math.cos(ground_pitch)
    b.vx_m_s, b.vz_m_s = flat * along_x, flat * along_z
    b.path_rad = pitch
    if pitch - ground_pitch < -NOSE_OVER_RAD:
        fall(b)
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
        b.stumble_s = 0.7
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
        fall(b)
    return x, z, True


def _wheels_at(
    b: Bicycle, land: LandPatch, x: float, z: float, speed_m_s: float, dt: float, rounds: int = 2
) -> tuple[_Wheel, _Wheel, float]:
    """Both wheels after `dt` at (x, z), and the pitch their places were taken with."""
    pitch = b.pitch_rad
    for _ in range(rounds):
        # The second time where the pitch found by the first really puts the wheels.
        used = pitch
        front_y, rear_y = land.wheels(x, z, b.yaw_rad, 0.5 * WHEELBASE_M * math.cos(used))
        front = _ride(b.front_sprung_y, b.front_sprung_m_s, b.front_land_y, front_y, speed_m_s, dt)
        rear = _ride(b.rear_sprung_y, b.rear_sprung_m_s, b.rear_land_y, rear_y, speed_m_s, dt)
        pitch = _pitch(front.low_y, rear.low_y, used)
    reach = WHEELBASE_M * math.sin(STEEPEST)
    low, high = (front, rear) if front.low_y < rear.low_y else (rear, front)
    beyond = high.low_y - low.low_y - reach
    if beyond > 0.0:
        # The frame is rigid: over an edge one wheel hangs from the other; in the air neither is held, so
        # both give way and keep their common height and speed.
        give = 0.0 if high.on_land else min(0.5 * beyond, high.low_y - high.land_y)
        if give > 0.0:
            high.low_y -= give
            high.sprung_y -= give
            common = 0.5 * (low.sprung_m_s + high.sprung_m_s)
            high.sprung_m_s = common
        low.low_y += beyond - give
        low.sprung_y = low.low_y + DROOP_M
        low.sprung_m_s = high.sprung_m_s
        low.on_land = False
    return front, rear, used


def _pitch(front_y: float, rear_y: float, before_rad: float) -> float:
    """Pitch of the line through both wheels, given their distance on the map from the pitch before."""
    pitch = math.atan2(front_y - rear_y, WHEELBASE_M * math.cos(before_rad))
    return min(STEEPEST, max(-STEEPEST, pitch))


def _ride(
    sprung_y: float, sprung_m_s: float, land_before: float, land_y: float, speed_m_s: float, dt: float
) -> _Wheel:
    """One half of the sprung mass after `dt`: spring and damper push, never pull, within the limbs' reach."""
    # The land under a wheel cannot rise faster than the wheel travels; at a cliff the difference would.
    most = abs(speed_m_s) + 1.0
    land_m_s = min(most, max(-most, (land_y - land_before) / dt))
    stretch = sprung_y - land_before
    push = 0.0
    if stretch <= DROOP_M:
        push = G - SPRING_1_S * SPRING_1_S * stretch - DAMPING_1_S * (sprung_m_s - land_m_s)
    before = sprung_m_s
    sprung_m_s += (max(0.0, push) - G) * dt
    sprung_y += 0.5 * (before + sprung_m_s) * dt
    impact = 0.0
    if sprung_y < land_y - BUMP_M:
        impact = max(0.0, land_m_s - sprung_m_s)
        sprung_y = land_y - BUMP_M
        sprung_m_s += impact
    low_y = sprung_y - DROOP_M
    on_land = low_y <= land_y
    return _Wheel(sprung_y, sprung_m_s, land_y, land_y if on_land else low_y, on_land, impact)


def _commit(b: Bicycle, x: float, z: float, front: _Wheel, rear: _Wheel, pitch: float, dt: float) -> None:
    """Write a step's result to the bicycle."""
    y = 0.5 * (front.low_y + rear.low_y)
    if not b.airborne:
        # In flight the rider's turning of the nose sets the rate; on the land the land does.
        rate = min(4.0, max(-4.0, (pitch - b.pitch_rad) / dt))
        b.pitch_rate_rad_s += 0.1 * (rate - b.pitch_rate_rad_s)
        along_x, along_z = forward(b.yaw_rad)
        flat = b.speed_m_s * math.cos(pitch)
        b.vx_m_s, b.vy_m_s, b.vz_m_s = flat * along_x, (y - b.y) / dt, flat * along_z
        b.gradient = math.tan(pitch)
    b.airborne = not (front.on_land or rear.on_land)
    b.x, b.y, b.z, b.pitch_rad = x, y, z, pitch
    b.front_y, b.rear_y = front.low_y, rear.low_y
    b.front_land_y, b.rear_land_y = front.land_y, rear.land_y
    b.front_sprung_y, b.rear_sprung_y = front.sprung_y, rear.sprung_y
    b.front_sprung_m_s, b.rear_sprung_m_s = front.sprung_m_s, rear.sprung_m_s
    b.front_on_land, b.rear_on_land = front.on_land, rear.on_land
    b.heave_m = 0.5 * (front.sprung_y + rear.sprung_y) - y


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
        fall(b)


def _settle(b: Bicycle, land: LandPatch) -> None:
    """Take the land as it is now, after an edit or a placement, without calling the change an impact."""
    half = 0.5 * WHEELBASE_M
    if b.airborne:
        b.front_land_y, b.rear_land_y = land.wheels(b.x, b.z, b.yaw_rad, half * math.cos(b.pitch_rad))
        b.front_sprung_y = max(b.front_sprung_y, b.front_land_y + DROOP_M)
        b.rear_sprung_y = max(b.rear_sprung_y, b.rear_land_y + DROOP_M)
        b.front_y, b.rear_y = b.front_sprung_y - DROOP_M, b.rear_sprung_y - DROOP_M
    else:
        pitch = b.pitch_rad
        for _ in range(6):
            used = pitch
            b.front_y, b.rear_y = land.wheels(b.x, b.z, b.yaw_rad, half * math.cos(used))
            pitch = _pitch(b.front_y, b.rear_y, used)
        b.pitch_rad = b.path_rad = used
        b.gradient = math.tan(used)
        b.front_land_y, b.rear_land_y = b.front_y, b.rear_y
        b.front_sprung_y, b.rear_sprung_y = b.front_y, b.rear_y
        b.front_sprung_m_s = b.rear_sprung_m_s = 0.0
        b.front_on_land = b.rear_on_land = True
    b.y = 0.5 * (b.front_y + b.rear_y)
    b.land_epoch = land.epoch


def _is_gentle_and_free(land: LandPatch, obstacles: Obstacles | None, x: float, z: float) -> bool:
    slope_x, slope_z = land.slope(x, z)
    if math.hypot(slope_x, slope_z) > SAFE_SLOPE:
        return False
    if obstacles is not None:
        return obstacles.is_free(x, z, SAFE_REACH_M)
    trunks = land.trunks(x, z, SAFE_REACH_M + 2.0)
    return all(math.hypot(trunk[0] - x, trunk[1] - z) > SAFE_REACH_M + trunk[2] for trunk in trunks.tolist())


def _prove_safe(
    b: Bicycle, land: LandPatch, obstacles: Obstacles | None, sea_level_m: float, dt: float
) -> None:
    """Try poses along the way; one that the rider outlives becomes the place to recover to."""
    if b.trial_s > 0.0:
        b.trial_s += dt
        if b.trial_s >= SAFE_TRIAL_S:
            b.safe_x, b.safe_z, b.safe_yaw_rad = b.trial_x, b.trial_z, b.trial_yaw_rad
            b.trial_s = SAFE_PAUSE_S
        return
    # A look costs a few questions to the land, so a failed one is not repeated every step.
    b.trial_s += dt
    if b.trial_s < 0.0:
        return
    b.trial_s = SAFE_PAUSE_S
    steady = not b.airborne and b.stumble_s == 0.0
    dry = b.y > sea_level_m + SAFE_DRY_M
    if steady and dry and _is_gentle_and_free(land, obstacles, b.x, b.z):
        b.trial_x, b.trial_z, b.trial_yaw_rad, b.trial_s = b.x, b.z, b.yaw_rad, dt
