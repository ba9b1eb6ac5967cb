"""Components: plain data, no behaviour. Systems (plain functions) read and write them.

World positions are float64 metres (x east, y up, z south). Yaw 0 is north, clockwise.
Every component that is drawn keeps its previous value, so that `extract` can interpolate.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(slots=True)
class Intent:
    """What the rider wants this step, from keys, gamepad, autopilot or a replay. All analog, dimensionless."""

    pedal: float = 0.0
    """0 coasting … 1 default power … above 1 sprint (up to 1.6)."""
    brake_front: float = 0.0
    brake_rear: float = 0.0
    steer: float = 0.0
    """−1 full left … +1 full right."""
    sensitivity: float = 1.0
    """How fast the rider follows `steer`: a factor, 1 as tuned."""
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
    spin_m_s: float = 0.0
    """Speed of the tyres at the rim: that over the land, kept in flight."""
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
    lean_rate_rad_s: float = 0.0
    turn_1_m: float = 0.0
    """Curvature of the path over the ground, to the right positive."""
    front_sprung_y: float = 0.0
    rear_sprung_y: float = 0.0
    """Height of the sprung mass over each wheel, given as the wheel's lowest point at rest (see `ride.bicycle`)."""
    front_sprung_m_s: float = 0.0
    rear_sprung_m_s: float = 0.0
    front_land_y: float = 0.0
    rear_land_y: float = 0.0
    """Lowest height each wheel could have at its place: the land's envelope at the wheel radius."""
    front_on_land: bool = True
    rear_on_land: bool = True
    heave_m: float = 0.0
    """How far the sprung mass stands above its rest height over the wheels: arms and legs soaking up the land."""
    impact_m_s: float = 0.0
    """Speed at which the suspension bottomed out this step; 0 when it did not. For sound and vibration."""
    knock: int = 0
    """What a trunk did this step: 0 nothing, 1 brush, 2 deflect, 3 stumble, 4 fall."""
    stumble_s: float = 0.0
    """Seconds left of weak steering after a knock."""
    front_locked: bool = False
    rear_locked: bool = False
    """A brake asks more than its tyre's grip."""
    grip: float = 1.0
    """Share of full grip of the surface under the wheels."""
    wading_m: float = 0.0
    """Depth of rain water under the wheels: streams, puddles in hollows, ponds. For splash and sound."""
    wish: float = 0.0
    """The rider's wish to turn after its rate limit, −1 left … +1 right."""
    landing: int = 0
    """How the wheels came down this step: 0 they did not, 1 clean, 2 heavy, 3 crash (`ride.landing`)."""
    yaw_rate_rad_s: float = 0.0
    """Turning of the bicycle while it slides after a fall."""
    rider_x: float = 0.0
    rider_y: float = 0.0
    rider_z: float = 0.0
    """After a fall, where the thrown rider's hips are; unused while riding."""
    rider_vx_m_s: float = 0.0
    rider_vy_m_s: float = 0.0
    rider_vz_m_s: float = 0.0
    rider_yaw_rad: float = 0.0
    """Where the thrown rider's head points."""
    rider_yaw_rate_rad_s: float = 0.0
    rider_roll_rad: float = 0.0
    """Rolling about the spine; 0 lies on the back."""
    shift_s: float = 0.0
    """Seconds until the next gear change is allowed."""
    hop_held: bool = False
    """The hop was already asked for a step ago; a new hop needs a release."""
    hop_s: float = 0.0
    """Seconds in which leaving the ground still counts as the hop just asked for."""
    pitch_rate_rad_s: float = 0.0
    path_rad: float = 0.0
    """Pitch of the last metre or so of the way: what the rider's body still follows."""
    afloat_s: float = 0.0
    """How long deep water has carried the rider; 0 on wheels."""
    land_epoch: int = -1
    """Edit epoch of the land the wheels stand on."""
    safe_x: float = 0.0
    safe_z: float = 0.0
    safe_yaw_rad: float = 0.0
    """Last pose that proved safe: where recovery puts the rider."""
    trial_x: float = 0.0
    trial_z: float = 0.0
    trial_yaw_rad: float = 0.0
    trial_s: float = -0.25
    """A pose on trial and its age; it becomes the safe one when outlived. Negative: the pause before the next trial."""


@dataclass(slots=True)
class Previous:
    """The bicycle as it was one step earlier, for interpolation."""

    bicycle: Bicycle = field(default_factory=Bicycle)


@dataclass(slots=True)
class ChaseCamera:
    """The camera that follows the rider after a fixed step, and the look the player adds with the mouse."""

    mode: str = "chase"
    """"chase", "first" (through the rider's eyes) or "side"."""
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    yaw_rad: float = 0.0
    pitch_rad: float = 0.0
    roll_rad: float = 0.0
    """Clockwise is positive, as the rider leans to the right."""
    subject_x: float = 0.0
    subject_y: float = 0.0
    subject_z: float = 0.0
    """What it follows: the bicycle, and after a fall the middle between bicycle and rider."""
    fov_y_rad: float = 1.13
    shake_rad: float = 0.0
    shake_s: float = 0.0
    """Strength of the shaking now, and how long it has gone on."""
    blocked_s: float = 0.0
    """How long a trunk has stood between camera and rider."""
    look_yaw_rad: float = 0.0
    """Added by the mouse, relative to the heading; eases back while riding."""
    look_pitch_rad: float = 0.0
    idle_s: float = 1.0e9
    """Seconds since the mouse last moved the look."""
    heading_rad: float = 0.0
    """Smoothed heading the camera stands behind, before the look is added."""
    heading_rate_rad_s: float = 0.0
    anchor_y: float = 0.0
    anchor_m_s: float = 0.0
    """Smoothed height of the rider and its rate of change."""
    slope: float = 0.0
    """Smoothed rise over run of the rider's path."""
    speed_m_s: float = 0.0
    """Smoothed speed, for field of view and look-ahead."""
    arm_m: float = 5.2
    lift_m: float = 1.9
    """The spring arm: distance behind the rider and height above the anchor."""
    ready: bool = False
    """False until the first step, and to make the camera jump to its place after a teleport."""


@dataclass(slots=True)
class Autopilot:
    """The autopilot's plan between two plannings. Mode "off" leaves the intent to the player."""

    mode: str = "off"
    """"off", "downhill" or "straight"."""
    countdown: int = 0
    """Steps until the next planning."""
    turn_1_m: float = 0.0
    """Curvature of the chosen path, to the right positive."""
    second_1_m: float = 0.0
    switch_m: float = 0.0
    """The curvature that follows, and the way until then."""
    plans: int = 0
    target_m_s: float = 0.0
    """Speed allowed by what lies ahead."""
    course_rad: float | None = None
    """Heading the mode "straight" keeps: that of its first step."""
    stuck_s: float = 0.0
    """How long the bicycle has hardly moved."""
    pivot_rad: float | None = None
    """Heading to turn to on the spot; None while riding."""
    blocked_rad: float | None = None
    """Heading in which it got stuck; None once it has ridden away."""


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
    """State of the world that is not land: hour of day, sea level and rain."""

    hour: float = 10.5
    """Local solar time, 0…24."""
    sea_level_m: float = 0.0
    wetness: float = 0.0
    """How wet the ground is, 0 dry … 1 soaked: tyres grip and roll by it. Rises with rain and dries."""
    rain_mm_h: float = 0.0
    """Rain that falls now."""
    rain_target_mm_h: float = 0.0
    """Rain that was asked for; the rain that falls eases to it."""
    runoff: bool = True
    """Whether rain gathers into streams and ponds."""


@dataclass(slots=True)
class Sea:
    """Where the sea goes; its level now is `Weather.sea_level_m`."""

    target_m: float | None = None
    """Mean level it moves to at `rate_m_s`; None at rest."""
    rate_m_s: float = 1.0
    offset_m: float = 0.0
    """What tide, season and rain add to the mean now."""
    before_m: float = 0.0
    """Level one step earlier, for interpolation."""
    tide_m: float = 0.0
    """Amplitude; 0 has no tide."""
    tide_s: float = 600.0
    """Time from high water to high water."""
    tide_phase: float = 0.0
    """0…1 of the tide: mean water and rising at 0, high at ¼."""
    rain_rise_m: float = 0.0
    """What rain has added."""
    waves_m: float = 0.5
    """Significant wave height out at sea."""


@dataclass(slots=True)
class Season:
    """Day of the year, and how the player has shifted the climate."""

    day: float = 200.0
    """0…365; midsummer, the land's own climate, is 200."""
    year_s: float = 0.0
    """Simulated seconds that a year takes; 0: the season stands still."""
    flood_m: float = 0.0
    """Amplitude of the waters over the year."""
    rain_floods: float = 1.0
    """How strongly rain raises the waters, of the usual."""
    warmth_c: float = 0.0
    """Degrees warmer than the recipe."""
    moisture: float = 0.0
    """Humidity, of 1, above the recipe's."""


LOWERING = ("lower", "canyon")
"""Brushes that dig; the ring and the panel show them in another colour."""


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
    """Brush in hand, or of the last stroke."""
    chosen: str = "raise"
    """Brush of Ctrl + left."""
    falloff: str = "gaussian"
    target_m: float | None = None
    """Height a stroke flattens to, picked where it began."""
    from_x: float | None = None
    from_z: float | None = None
    """Where the ramp in hand begins."""


@dataclass(slots=True)
class Debris:
    """What the wheels threw up last (`ride.debris`)."""

    clock_s: float = 0.0
    """Simulated time its births are counted in."""
    thrown: int = 0
    """Particles ever."""
    owed: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0, 0.0])
    """Parts of particles not thrown yet, of each kind."""
    rows: list[tuple[float, ...]] = field(default_factory=list)
    """A ring: world x, y, z; velocity; birth and life, seconds; kind; a chance 0…1; how arid the ground is."""


@dataclass(slots=True)
class Tracks:
    """What the tyres printed into the land (`ride.tracks`): a ring of short straight pieces."""

    clock_s: float = 0.0
    """Simulated time the pieces are laid in."""
    laid: int = 0
    """Pieces ever; piece n lies in row n modulo the ring's length."""
    erased: int = 0
    """How often pieces were taken away again."""
    rows: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 8)))
    """The ring, as in `kernels.tracks`; empty until the first piece."""
    chunks: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 4)))
    """Least and largest x and z of each chunk of rows."""
    ends: list[tuple[float, float, float] | None] = field(default_factory=lambda: [None, None])
    """Where front and rear wheel's last pieces end (world x, z) and the way until there; None off the land."""


@dataclass(frozen=True, slots=True)
class Line:
    """A start or finish line across the land."""

    x: float
    z: float
    yaw_rad: float
    """Heading in which it is ridden over."""


@dataclass(slots=True)
class Course:
    """A timed way from line to line, and how long the world has been ridden."""

    time_s: float = 0.0
    """Simulated seconds since the world was made."""
    start: Line | None = None
    finish: Line | None = None
    began_s: float | None = None
    """When the start line was crossed; None while the clock stands."""
    last_s: float | None = None
    """Time of the run before."""
    best_s: float | None = None
    finished: bool = False
    """Whether a run has just ended; whoever tells the player takes it back."""


@dataclass(frozen=True, slots=True)
class Cast:
    """Entity numbers of the leading parts."""

    rider: int
    """Intent, Autopilot, Bicycle, Previous, ChaseCamera, PreviousCamera, FreeCamera, Debris."""
    world: int
    """Weather, Sea, Season, Course."""
    tool: int
    """SculptTool."""
