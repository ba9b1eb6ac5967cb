"""The cameras that follow the rider: chase, first person and side; where they stand and look, one fixed step.

Everything they follow is smoothed first (heading, height, slope, speed), so bumps and knocks do not reach the
eye; the filters know the rate of change, so they lag behind nothing that moves evenly. The arm between rider and
camera shortens and lifts where land is in the way, quickly, and comes back slowly; a trunk pushes the camera aside
as it goes by, and shortens the arm only when it stays in the way. Effects that can make ill have a scale each, and
zero is a true zero. Writes only `ChaseCamera`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from game.core.coords import forward
from game.core.preferences import CameraPreferences
from game.ecs.components import Bicycle, ChaseCamera
from game.kernels import contact as kernels
from game.ride.contact import GroundLike, LandPatch
from game.ride.power import smoothstep

ARM_M = 5.2
LIFT_M = 1.9
"""Distance behind the rider and height above the wheels on open, level land."""

SHORTEST_ARM_M = 1.6
ARM_TRIES = 10

PIVOT_M = 1.2
"""The rider's chest: what the arm turns about and what must stay in sight."""

SIGHT_MARGIN_M = 0.45
"""The line from the chest to the camera keeps this far above the land."""

ABOVE_LAND_M = 0.6
AROUND_M = 0.6
"""The camera keeps this far above the highest land within this distance of it: more than the near plane needs."""

STEEPEST_SIGHT = 1.2
"""Rise over run from chest to camera up to which lifting is preferred to a shorter arm."""

HEADING_1_S = 4.5
HEIGHT_1_S = 9.0
SPEED_1_S = 2.5
SLOPE_1_S = 3.0
ARM_IN_1_S = 14.0
ARM_OUT_1_S = 1.8
"""Rates of the filters: natural frequency of heading and height, decay rate of the others."""

JUMP_M = 30.0
"""A rider this far from where the camera thinks was teleported: the camera jumps along."""

LOOK_HOLD_S = 1.5
LOOK_EASE_1_S = 3.0
"""How long a look by mouse is kept while riding, and how fast it eases back."""

LOOK_PITCH_LIMIT_RAD = 1.3

MODES = ("chase", "first", "side")

SIDE_LIFT_M = 1.1
EYE_M = 1.62
EYE_LOWERED_M = 0.38
EYE_AHEAD_M = 0.05
"""Eyes of a rider sitting up over the wheels, how much lower in a tuck, and ahead of the middle of the wheels."""

EYE_GAZE_S = 0.35
"""First person looks ahead into the turn by this time of turning."""

TRUNKS_M = 8.0
BARK_M = 0.5
"""Trunks this near the rider are looked at; the camera keeps this far from bark."""

BLOCKED_S = 0.4
"""A trunk in the line of sight for longer shortens the arm; one that flits by does not."""

ROLL_SHARE = {"chase": 0.12, "first": 0.45, "side": 0.0}
ROLL_1_S = 6.0
"""Share of the rider's lean that the picture takes, and how fast it follows."""

BOB_M = 0.018
"""First person's rise and fall with the pedals at 90 rpm."""

SHAKE_RAD_PER_M_S = 0.006
SHAKE_KNOCK_RAD = (0.0, 0.0, 0.004, 0.012, 0.03)
SHAKE_MOST_RAD = 0.035
SHAKE_FADE_1_S = 5.0
SHAKE_HZ = (11.0, 7.3)
"""Shake from a suspension that bottoms out and from knocks by grade, its limit, its fading, and its two tones."""


@dataclass(frozen=True, slots=True)
class CameraFeel:
    """Scales of what moves the picture; zero switches each off entirely."""

    fov_rad: float = math.radians(62.0)
    """Vertical field of view at rest."""
    fov_kick_rad: float = math.radians(10.0)
    """Widening at full speed."""
    slope_follow: float = 1.0
    """How much the camera tilts with the land, 0…1."""
    shake: float = 1.0
    bob: float = 1.0
    roll: float = 1.0


def feel_of(preferences: CameraPreferences) -> CameraFeel:
    """The feel a player prefers; reduced motion goes before every other scale."""
    if preferences.reduced_motion:
        return replace(REDUCED_MOTION, fov_rad=math.radians(preferences.fov_deg))
    return CameraFeel(
        fov_rad=math.radians(preferences.fov_deg),
        fov_kick_rad=math.radians(10.0) * preferences.fov_kick,
        slope_follow=preferences.tilt,
        shake=preferences.shake,
        bob=preferences.bob,
        roll=preferences.roll,
    )


REDUCED_MOTION = CameraFeel(fov_kick_rad=0.0, slope_follow=0.5, shake=0.0, bob=0.0, roll=0.0)


def step(
    camera: ChaseCamera, bicycle: Bicycle, ground: GroundLike, dt: float, feel: CameraFeel | None = None
) -> None:
    """Advance `camera` by `dt` seconds to follow `bicycle` as it is after the same step."""
    c, b = camera, bicycle
    feel = feel or CameraFeel()
    land = LandPatch.of(ground)
    # After a fall both are looked at; the rider starts from the bicycle, so nothing jumps.
    share = 0.5 if b.fallen_s > 0.0 else 0.0
    c.subject_x = b.x + share * (b.rider_x - b.x)
    c.subject_y = b.y + share * (b.rider_y - b.y)
    c.subject_z = b.z + share * (b.rider_z - b.z)
    distance = math.hypot(c.x - c.subject_x, c.z - c.subject_z)
    if not c.ready or not distance < JUMP_M or not abs(c.anchor_y - c.subject_y) < JUMP_M:
        _jump(c, b)
    _follow(c, b, dt)
    _ease_look(c, b, dt)
    if c.mode == "first":
        _through_the_eyes(c, b, land, feel)
    else:
        _from_the_arm(c, b, land, feel, dt)
    c.fov_y_rad = feel.fov_rad + feel.fov_kick_rad * smoothstep(6.0, 24.0, c.speed_m_s)
    lean = 0.0 if b.fallen_s > 0.0 else b.lean_rad
    goal = feel.roll * ROLL_SHARE[c.mode] * lean
    c.roll_rad = goal if not c.ready or feel.roll == 0.0 else _toward(c.roll_rad, goal, ROLL_1_S, dt)
    _shake(c, b, feel, dt)
    c.ready = True


def _from_the_arm(c: ChaseCamera, b: Bicycle, land: LandPatch, feel: CameraFeel, dt: float) -> None:
    """Chase and side: on a spring arm behind or beside the rider."""
    side = c.mode == "side"
    # The side camera stands to the right, so it looks to the left.
    yaw = c.heading_rad + c.look_yaw_rad - (0.5 * math.pi if side else 0.0)
    along_x, along_z = forward(yaw)
    tilt = 0.0 if side else c.slope * feel.slope_follow
    # On a descent the land behind is higher: the camera rises with it, and sinks on a climb.
    lift = SIDE_LIFT_M if side else LIFT_M - 0.75 * tilt * ARM_M * math.cos(c.look_yaw_rad)
    lift -= 2.5 * math.sin(c.look_pitch_rad)
    arm, raised = _free_arm(c, land, along_x, along_z, max(0.7, lift))
    trunks = land.trunks_around(c.subject_x, c.subject_z, TRUNKS_M)
    arm = _arm_before_trunks(c, trunks, along_x, along_z, arm, dt)
    jumped = not c.ready
    c.arm_m = arm if jumped else _toward(c.arm_m, arm, ARM_IN_1_S if arm < c.arm_m else ARM_OUT_1_S, dt)
    quick = ARM_IN_1_S if raised > c.lift_m else ARM_OUT_1_S
    c.lift_m = raised if jumped else _toward(c.lift_m, raised, quick, dt)
    c.x = c.subject_x - c.arm_m * along_x
    c.z = c.subject_z - c.arm_m * along_z
    x, z = kernels.beside_trunks(trunks, c.x, c.z, c.anchor_y + c.lift_m, BARK_M)
    c.x, c.z = float(x), float(z)
    c.y = max(c.anchor_y + c.lift_m, land.highest_within(c.x, c.z, AROUND_M) + ABOVE_LAND_M)
    ahead = 0.0 if side else 3.0 + 0.25 * c.speed_m_s
    aim_y = c.anchor_y + 1.0 + tilt * ahead
    c.yaw_rad = math.remainder(yaw, 2.0 * math.pi)
    pitch = math.atan2(aim_y - c.y, c.arm_m + ahead) + c.look_pitch_rad
    c.pitch_rad = min(1.5, max(-1.5, pitch))


def _through_the_eyes(c: ChaseCamera, b: Bicycle, land: LandPatch, feel: CameraFeel) -> None:
    """First person: the rider's head, held level and looking into the turn."""
    gaze = 0.0 if b.fallen_s > 0.0 else EYE_GAZE_S * b.speed_m_s * b.turn_1_m
    yaw = b.yaw_rad + min(0.5, max(-0.5, gaze)) + c.look_yaw_rad
    along_x, along_z = forward(b.yaw_rad)
    height = EYE_M - EYE_LOWERED_M * b.crouch
    # The head goes with the bicycle: aside in a lean, ahead on a descent.
    ahead = EYE_AHEAD_M - 0.6 * height * math.sin(math.atan(c.slope))
    aside = height * math.sin(b.lean_rad)
    c.x = b.x + ahead * along_x - aside * along_z
    c.z = b.z + ahead * along_z + aside * along_x
    height *= math.cos(b.lean_rad)
    if b.fallen_s > 0.0:
        c.x, c.z = b.rider_x, b.rider_z
        height = max(0.5, b.rider_y - b.y + 0.4)
    bob = feel.bob * BOB_M * min(1.2, b.cadence_rpm / 90.0) * math.sin(2.0 * b.crank_angle_rad)
    floor = land.highest_within(c.x, c.z, 0.3) + ABOVE_LAND_M
    c.y = max(c.anchor_y + height + bob, floor)
    c.yaw_rad = math.remainder(yaw, 2.0 * math.pi)
    pitch = 0.9 * math.atan(c.slope * feel.slope_follow) - 0.18 + c.look_pitch_rad
    c.pitch_rad = min(1.5, max(-1.5, pitch))


def _shake(c: ChaseCamera, b: Bicycle, feel: CameraFeel, dt: float) -> None:
    """What hits shake the picture; nothing at all at scale zero."""
    hit = (
        SHAKE_RAD_PER_M_S * b.impact_m_s
        + SHAKE_KNOCK_RAD[min(b.knock, 4)]
        + (0.012 if b.landing >= 2 else 0.0)
    )
    if hit > 0.0 and c.shake_rad < 1e-4:
        c.shake_s = 0.0
    c.shake_rad = min(SHAKE_MOST_RAD, c.shake_rad * math.exp(-SHAKE_FADE_1_S * dt) + hit) * (feel.shake > 0.0)
    if c.shake_rad < 1e-5:
        c.shake_rad = 0.0
        return
    c.shake_s += dt
    phase = 2.0 * math.pi * c.shake_s
    c.pitch_rad += feel.shake * c.shake_rad * math.sin(SHAKE_HZ[0] * phase)
    c.yaw_rad += 0.6 * feel.shake * c.shake_rad * math.sin(SHAKE_HZ[1] * phase)


def _arm_before_trunks(
    c: ChaseCamera,
    trunks: NDArray[np.float64],
    along_x: float,
    along_z: float,
    arm_m: float,
    dt: float,
) -> float:
    """The arm, shortened before a trunk that has stood in the line of sight for a while."""
    nearest = kernels.first_trunk_on_line(
        trunks, c.subject_x, c.subject_z, -along_x, -along_z, 0.6, float(arm_m), c.anchor_y + PIVOT_M, 0.1
    )
    if nearest == arm_m:
        c.blocked_s = max(0.0, c.blocked_s - dt)
        return arm_m
    c.blocked_s = min(2.0 * BLOCKED_S, c.blocked_s + dt)
    return max(SHORTEST_ARM_M, float(nearest) - BARK_M) if c.blocked_s > BLOCKED_S else arm_m


def _toward(value: float, goal: float, rate_1_s: float, dt: float) -> float:
    return value + (goal - value) * (1.0 - math.exp(-rate_1_s * dt))


def _jump(c: ChaseCamera, b: Bicycle) -> None:
    """Forget the past: stand behind the rider as if nothing had moved."""
    c.ready = False
    c.heading_rad, c.heading_rate_rad_s = b.yaw_rad, 0.0
    c.anchor_y, c.anchor_m_s = c.subject_y, 0.0
    c.slope, c.speed_m_s = b.gradient, b.speed_m_s


def _follow(c: ChaseCamera, b: Bicycle, dt: float) -> None:
    """Smoothed heading, height, slope and speed."""
    turned = math.remainder(b.yaw_rad - c.heading_rad, 2.0 * math.pi)
    # At rest the heading follows no faster than a head turns; riding, it is critically damped.
    c.heading_rate_rad_s += (
        HEADING_1_S * HEADING_1_S * turned - 2.0 * HEADING_1_S * c.heading_rate_rad_s
    ) * dt
    c.heading_rad = math.remainder(c.heading_rad + c.heading_rate_rad_s * dt, 2.0 * math.pi)
    c.anchor_y += c.anchor_m_s * dt
    missed = c.subject_y - c.anchor_y
    c.anchor_y += 2.0 * HEIGHT_1_S * dt * missed
    c.anchor_m_s += HEIGHT_1_S * HEIGHT_1_S * dt * missed
    flat = math.hypot(b.vx_m_s, b.vz_m_s)
    slope = c.anchor_m_s / flat if flat > 3.0 else b.gradient
    c.slope = _toward(c.slope, min(0.6, max(-0.6, slope)), SLOPE_1_S, dt)
    c.speed_m_s = _toward(c.speed_m_s, b.speed_m_s, SPEED_1_S, dt)


def _ease_look(c: ChaseCamera, b: Bicycle, dt: float) -> None:
    """Let the look the mouse added go back while riding; at rest it stays."""
    c.idle_s += dt
    c.look_yaw_rad = math.remainder(c.look_yaw_rad, 2.0 * math.pi)
    c.look_pitch_rad = min(LOOK_PITCH_LIMIT_RAD, max(-LOOK_PITCH_LIMIT_RAD, c.look_pitch_rad))
    if c.idle_s > LOOK_HOLD_S and b.speed_m_s > 1.0:
        c.look_yaw_rad = _toward(c.look_yaw_rad, 0.0, LOOK_EASE_1_S, dt)
        c.look_pitch_rad = _toward(c.look_pitch_rad, 0.0, LOOK_EASE_1_S, dt)


def _free_arm(
    c: ChaseCamera, land: LandPatch, along_x: float, along_z: float, lift_m: float
) -> tuple[float, float]:
    """Arm and lift that keep the land below the line from chest to camera; the longest arm that can.

    Lifting goes first; where it would have to be steeper than `STEEPEST_SIGHT` the arm shortens instead.
    """
    arm, raised = land.free_arm(
        (c.subject_x, c.subject_z),
        (along_x, along_z),
        c.anchor_y + PIVOT_M,
        lift_m - PIVOT_M,
        (ARM_M, SHORTEST_ARM_M, ARM_TRIES),
        (STEEPEST_SIGHT, SIGHT_MARGIN_M, ABOVE_LAND_M),
    )
    return arm, PIVOT_M + raised
