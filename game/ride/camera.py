"""The chase camera: where it stands behind the rider and where it looks, one fixed step.

Everything it follows is smoothed first (heading, height, slope, speed), so bumps and knocks do not reach the
eye; the filters know the rate of change, so they lag behind nothing that moves evenly. The arm between rider and
camera shortens and lifts where land is in the way, quickly, and comes back slowly. Effects that can make ill
have a scale each, and zero is a true zero. Writes only `ChaseCamera`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from game.core.coords import forward
from game.ecs.components import Bicycle, ChaseCamera
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


@dataclass(frozen=True, slots=True)
class CameraFeel:
    """Scales of what moves the picture; zero switches each off entirely."""

    fov_rad: float = math.radians(62.0)
    """Vertical field of view at rest."""
    fov_kick_rad: float = math.radians(10.0)
    """Widening at full speed."""
    slope_follow: float = 1.0
    """How much the camera tilts with the land, 0…1."""


REDUCED_MOTION = CameraFeel(fov_kick_rad=0.0, slope_follow=0.5)


def step(
    camera: ChaseCamera, bicycle: Bicycle, ground: GroundLike, dt: float, feel: CameraFeel | None = None
) -> None:
    """Advance `camera` by `dt` seconds behind `bicycle` as it is after the same step."""
    c, b = camera, bicycle
    feel = feel or CameraFeel()
    land = LandPatch.of(ground)
    distance = math.hypot(c.x - b.x, c.z - b.z)
    if not c.ready or not distance < JUMP_M or not abs(c.anchor_y - b.y) < JUMP_M:
        _jump(c, b)
    _follow(c, b, dt)
    _ease_look(c, b, dt)
    yaw = c.heading_rad + c.look_yaw_rad
    along_x, along_z = forward(yaw)
    tilt = c.slope * feel.slope_follow
    # On a descent the land behind is higher: the camera rises with it, and sinks on a climb.
    lift = LIFT_M - 0.75 * tilt * ARM_M * math.cos(c.look_yaw_rad) - 2.5 * math.sin(c.look_pitch_rad)
    arm, raised = _free_arm(c, b, land, along_x, along_z, max(0.7, lift))
    jumped = not c.ready
    c.arm_m = arm if jumped else _toward(c.arm_m, arm, ARM_IN_1_S if arm < c.arm_m else ARM_OUT_1_S, dt)
    quick = ARM_IN_1_S if raised > c.lift_m else ARM_OUT_1_S
    c.lift_m = raised if jumped else _toward(c.lift_m, raised, quick, dt)
    c.x = b.x - c.arm_m * along_x
    c.z = b.z - c.arm_m * along_z
    c.y = max(c.anchor_y + c.lift_m, land.highest_within(c.x, c.z, AROUND_M) + ABOVE_LAND_M)
    ahead = 3.0 + 0.25 * c.speed_m_s
    aim_y = c.anchor_y + 1.0 + tilt * ahead
    c.yaw_rad = math.remainder(yaw, 2.0 * math.pi)
    pitch = math.atan2(aim_y - c.y, c.arm_m + ahead) + c.look_pitch_rad
    c.pitch_rad = min(1.5, max(-1.5, pitch))
    c.fov_y_rad = feel.fov_rad + feel.fov_kick_rad * smoothstep(6.0, 24.0, c.speed_m_s)
    c.ready = True


def _toward(value: float, goal: float, rate_1_s: float, dt: float) -> float:
    return value + (goal - value) * (1.0 - math.exp(-rate_1_s * dt))


def _jump(c: ChaseCamera, b: Bicycle) -> None:
    """Forget the past: stand behind the rider as if nothing had moved."""
    c.ready = False
    c.heading_rad, c.heading_rate_rad_s = b.yaw_rad, 0.0
    c.anchor_y, c.anchor_m_s = b.y, 0.0
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
    missed = b.y - c.anchor_y
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
    c: ChaseCamera, b: Bicycle, land: LandPatch, along_x: float, along_z: float, lift_m: float
) -> tuple[float, float]:
    """Arm and lift that keep the land below the line from chest to camera; the longest arm that can.

    Lifting goes first; where it would have to be steeper than `STEEPEST_SIGHT` the arm shortens instead.
    """
    spacing = ARM_M / 13.0
    heights = land.heights_along(b.x, b.z, -spacing * along_x, -spacing * along_z, 15).tolist()
    chest = c.anchor_y + PIVOT_M
    # Rise over run that clears the land up to each place behind the rider.
    steepest = -math.inf
    needed = [-math.inf]
    for k in range(1, 15):
        steepest = max(steepest, (heights[k] + SIGHT_MARGIN_M - chest) / (k * spacing))
        needed.append(steepest)
    for k in range(ARM_TRIES + 1):
        arm = ARM_M + (SHORTEST_ARM_M - ARM_M) * k / ARM_TRIES
        place = min(14, math.ceil(arm / spacing) + 1)
        rise = needed[place]
        if rise <= STEEPEST_SIGHT or k == ARM_TRIES:
            break
    local = max(heights[max(0, place - 2) : place + 1]) + ABOVE_LAND_M - c.anchor_y
    return arm, max(lift_m, PIVOT_M + rise * arm, local)
