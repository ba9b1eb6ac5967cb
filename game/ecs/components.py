"""Components: plain data, no behaviour. Systems (plain functions) read and write them.

World positions are float64 metres (x east, y up, z south). Yaw 0 is north, clockwise.
Every component that is drawn keeps its previous value, so that `extract` can interpolate.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Intent:
    """What the rider wants this step, from keys, gamepad, autopilot or a replay. All analog, dimensionless."""

    pedal: float = 0.0
    """0 coasting … 1 default power … above 1 sprint (up to 1.6)."""
    brake_front: float = 0.0
    brake_rear: float = 0.0
    steer: float = 0.0
    """−1 full left … +1 full right."""
    hop: bool = False
    recover: bool = False


@dataclass(slots=True)
class Bicycle:
    """State of bicycle and rider after a fixed step.

    (x, y, z) is the point midway between the two wheel contacts, at the height of the contact line.
    """

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    yaw_rad: float = 0.0
    pitch_rad: float = 0.0
    """Nose up is positive; from the two wheel contacts, or free in flight."""
    lean_rad: float = 0.0
    """Roll to the right is positive."""
    steer_rad: float = 0.0
    """Handlebar angle to the right."""
    speed_m_s: float = 0.0
    """Along the heading, on the slope; negative rolls backwards."""
    vx_m_s: float = 0.0
    vy_m_s: float = 0.0
    vz_m_s: float = 0.0
    airborne: bool = False
    wheel_angle_rad: float = 0.0
    crank_angle_rad: float = 0.0
    cadence_rpm: float = 0.0
    gear: int = 1
    power_w: float = 0.0
    crouch: float = 0.0
    """0 upright … 1 tucked."""
    gradient: float = 0.0
    """Rise over run along the heading (−0.1 is 10 % downhill)."""
    fallen_s: float = 0.0
    """Seconds left on the ground after a fall; 0 rides."""
    falls: int = 0
    front_y: float = 0.0
    rear_y: float = 0.0
    """Height of the lowest point of each wheel circle."""
    distance_m: float = 0.0


@dataclass(slots=True)
class Previous:
    """The bicycle as it was one step earlier, for interpolation."""

    bicycle: Bicycle = field(default_factory=Bicycle)


@dataclass(slots=True)
class ChaseCamera:
    """Camera after a fixed step, and the look the player adds with the mouse."""

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    yaw_rad: float = 0.0
    pitch_rad: float = 0.0
    fov_y_rad: float = 1.13
    look_yaw_rad: float = 0.0
    """Added by the mouse, relative to the heading; eases back while riding."""
    look_pitch_rad: float = 0.0
    idle_s: float = 0.0
    """Seconds since the mouse last moved the look."""


@dataclass(slots=True)
class PreviousCamera:
    """The camera one step earlier, for interpolation."""

    camera: ChaseCamera = field(default_factory=ChaseCamera)


@dataclass(slots=True)
class FreeCamera:
    """Overrides the chase camera: set by `eye` and `look`, or free flight. None keeps the chase value."""

    x: float | None = None
    y: float | None = None
    z: float | None = None
    yaw_rad: float | None = None
    pitch_rad: float | None = None


@dataclass(slots=True)
class Weather:
    """State of the world that is not land: hour of day and sea level."""

    hour: float = 10.5
    """Local solar time, 0…24."""
    sea_level_m: float = 0.0
    sea_target_m: float = 0.0
    """The level the sea moves to; equal to the level when at rest."""


@dataclass(slots=True)
class SculptTool:
    """The brush: where it points and what it would do."""

    active: bool = False
    x: float | None = None
    z: float | None = None
    """World point under the pointer; None when it points at the sky."""
    radius_m: float = 12.0
    strength_m: float = 2.0
    brush: str = "raise"
