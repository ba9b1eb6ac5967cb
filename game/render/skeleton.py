"""The skeleton of bicycle and rider: dimensions, and one rigid transform per part from a pose.

Plain arithmetic on the CPU, no OpenGL: the asset builder shapes the parts around these dimensions, the rider
pass draws them with these transforms. Model space: x right, y up, z backward (forward is −z), origin midway
between the wheel contacts, on the ground. Lengths are metres, of a 1.75 m rider on a hardtail of size M.

Kinematics
----------
Wheels and crank turn about x. At crank angle 0 the right crank points up; a growing angle moves it forward
and down, as when riding. Each foot keeps the ball of the foot on its pedal: foot pitch follows the crank
(heel down in front, toe down behind), which gives the ankle; hip and ankle then give the knee by the law of
cosines (two-bone IK), the knee bending forward and a little outward. Hands hold the grips, which turn with the
fork; elbows bend outward. Crouch rolls the pelvis forward and lowers the chest; the neck bends back so that
the rider keeps looking ahead.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = tuple[float, float, float]

WHEEL_RADIUS = 0.34
WHEELBASE = 1.05
REAR_AXLE: Vector = (0.0, WHEEL_RADIUS, WHEELBASE / 2.0)
FRONT_AXLE: Vector = (0.0, WHEEL_RADIUS, -WHEELBASE / 2.0)
BOTTOM_BRACKET: Vector = (0.0, 0.30, 0.097)
"""Crank axis: chain stays of 0.43 m, 4 cm below the axles."""
CRANK = 0.17
PEDAL_X = 0.13
"""Distance of the middle of each pedal from the bicycle's plane."""
PEDAL_HALF_THICKNESS = 0.011
HEAD_ANGLE = math.radians(68.0)
"""Steering axis above the horizontal."""
FORK_OFFSET = 0.045
STEER_UP: Vector = (0.0, math.sin(HEAD_ANGLE), math.cos(HEAD_ANGLE))
STEER_FOOT: Vector = (
    0.0,
    FRONT_AXLE[1] - FORK_OFFSET * STEER_UP[2],
    FRONT_AXLE[2] + FORK_OFFSET * STEER_UP[1],
)
"""Point of the steering axis nearest the front axle."""
GRIP: Vector = (0.325, 0.985, -0.285)
"""Middle of the right grip, unsteered."""
SADDLE: Vector = (0.0, 0.965, 0.287)
"""Top of the saddle under the sit bones."""

HIP_HEIGHT = 0.085
"""Hip joints above the saddle's top."""
HIP_X = 0.085
THIGH = 0.43
SHIN = 0.43
FOOT_BALL: Vector = (0.0, -0.095, -0.125)
"""From the ankle to the ball of the foot on the sole, in foot space."""
TORSO = 0.48
"""Hip line to shoulder line."""
SHOULDER_X = 0.185
UPPER_ARM = 0.295
FOREARM = 0.275
NECK: Vector = (0.0, 0.50, -0.005)
"""Head joint in chest space."""

PARTS = (
    "frame",
    "fork",
    "wheel_front",
    "wheel_rear",
    "crank",
    "pedal_right",
    "pedal_left",
    "torso",
    "head",
    "thigh_right",
    "thigh_left",
    "shin_right",
    "shin_left",
    "foot_right",
    "foot_left",
    "upper_arm_right",
    "upper_arm_left",
    "forearm_right",
    "forearm_left",
)
"""Part names; a vertex stores the index of its part."""
_NUMBER = {name: number for number, name in enumerate(PARTS)}
_STEERED = (_NUMBER["fork"], _NUMBER["wheel_front"])

_TORSO_UPRIGHT = math.radians(52.0)
_TORSO_TUCKED = math.radians(22.0)
"""Inclination of the back above the horizontal."""

_HIPS_LYING = 0.13
"""Height of the hips of one who lies on his back."""

_HEAVE_UP = 0.07
_HEAVE_DOWN = 0.03
"""How far the hips leave the saddle, and how far saddle and hips give."""

_LEAN_IN = 0.16
_LEAN_MOST = 0.6
"""Share of the sine of the lean that the back leans further, and the lean at which it ends."""


class Pose(NamedTuple):
    """What a frame says about the bicycle; angles as in `ecs.components.Bicycle`."""

    yaw_rad: float = 0.0
    pitch_rad: float = 0.0
    lean_rad: float = 0.0
    steer_rad: float = 0.0
    wheel_angle_rad: float = 0.0
    crank_angle_rad: float = 0.0
    crouch: float = 0.0
    fallen: bool = False
    gaze_rad: float = 0.0
    """Head turned to the right, relative to the bicycle."""
    heave_m: float = 0.0
    """Hips over their place on the saddle: arms and legs soak up the land."""


def _add(a: Vector, b: Vector) -> Vector:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _sub(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def _scaled(a: Vector, k: float) -> Vector:
    return a[0] * k, a[1] * k, a[2] * k


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _unit(a: Vector) -> Vector:
    return _scaled(a, 1.0 / max(math.sqrt(_dot(a, a)), 1e-9))


def two_bone(start: Vector, end: Vector, first: float, second: float, pole: Vector) -> tuple[Vector, Vector]:
    """Joint between two bones, and the end the second bone really reaches.

    Parameters
    ----------
    start, end : fixed joint and the point to reach, metres.
    first, second : lengths of the bones, metres.
    pole : direction toward which the joint bends; need not be perpendicular.

    Returns
    -------
    (joint, reached); `reached` equals `end` unless it is farther than the bones are long (or nearer than
    their difference), then it is the nearest point on the line to it.
    Source: law of cosines.
    """
    reach = _sub(end, start)
    length = math.sqrt(_dot(reach, reach))
    along = _scaled(reach, 1.0 / max(length, 1e-9))
    span = min(max(length, abs(first - second) + 1e-6), (first + second) * 0.99999)
    foot = (first * first - second * second + span * span) / (2.0 * span)
    rise = math.sqrt(max(first * first - foot * foot, 0.0))
    side = _unit(_sub(pole, _scaled(along, _dot(pole, along))))
    joint = _add(start, _add(_scaled(along, foot), _scaled(side, rise)))
    return joint, _add(start, _scaled(along, span))


def _place(matrix: NDArray[np.float64], x: Vector, y: Vector, z: Vector, origin: Vector) -> None:
    """Write a rigid transform by its columns."""
    for row in range(3):
        matrix[row] = (x[row], y[row], z[row], origin[row])


def _turn_x(matrix: NDArray[np.float64], angle_rad: float, origin: Vector) -> None:
    """Write a turn about x at `origin`."""
    c, s = math.cos(angle_rad), math.sin(angle_rad)
    _place(matrix, (1.0, 0.0, 0.0), (0.0, c, s), (0.0, -s, c), origin)


def _bone(matrix: NDArray[np.float64], start: Vector, end: Vector, bend: Vector) -> None:
    """Write a limb's transform: its −y runs from `start` to `end`, its −z side faces `bend`."""
    y = _unit(_sub(start, end))
    z = _unit(_sub(_scaled(y, _dot(bend, y)), bend))
    _place(matrix, _cross(y, z), y, z, start)


def _point(matrix: NDArray[np.float64], point: Vector) -> Vector:
    x, y, z = point
    m = matrix
    return (
        float(m[0, 0] * x + m[0, 1] * y + m[0, 2] * z + m[0, 3]),
        float(m[1, 0] * x + m[1, 1] * y + m[1, 2] * z + m[1, 3]),
        float(m[2, 0] * x + m[2, 1] * y + m[2, 2] * z + m[2, 3]),
    )


def pedal(crank_angle_rad: float, side: int) -> Vector:
    """Middle of the right (`side` = +1) or left (−1) pedal's axle in model space."""
    angle = crank_angle_rad if side > 0 else crank_angle_rad + math.pi
    return (
        side * PEDAL_X,
        BOTTOM_BRACKET[1] + CRANK * math.cos(angle),
        BOTTOM_BRACKET[2] - CRANK * math.sin(angle),
    )


def foot_pitch(crank_angle_rad: float, side: int) -> float:
    """Pitch of the right or left foot (toe up positive): ankling of ±10° about 8° toe down."""
    angle = crank_angle_rad if side > 0 else crank_angle_rad + math.pi
    return math.radians(-8.0 + 10.0 * math.sin(angle - 0.5))


def _steer_matrix(steer_rad: float) -> NDArray[np.float64]:
    """Turn about the steering axis (Rodrigues' formula); positive turns right, clockwise from above."""
    c, s = math.cos(-steer_rad), math.sin(-steer_rad)
    _, uy, uz = STEER_UP
    turn = np.eye(4)
    turn[:3, :3] = [
        [c, -uz * s, uy * s],
        [uz * s, c + uy * uy * (1.0 - c), uy * uz * (1.0 - c)],
        [-uy * s, uy * uz * (1.0 - c), c + uz * uz * (1.0 - c)],
    ]
    foot = np.array(STEER_FOOT)
    turn[:3, 3] = foot - turn[:3, :3] @ foot
    return turn


def root_matrix(pose: Pose) -> NDArray[np.float64]:
    """Model space to world axes, without translation: yaw about up, then pitch, then lean; float64 [3, 3]."""
    cy, sy = math.cos(-pose.yaw_rad), math.sin(-pose.yaw_rad)
    cp, sp = math.cos(pose.pitch_rad), math.sin(pose.pitch_rad)
    cl, sl = math.cos(-pose.lean_rad), math.sin(-pose.lean_rad)
    yaw = np.array([[cy, 0.0, sy], [0.0, 1.0, 0.0], [-sy, 0.0, cy]])
    pitch = np.array([[1.0, 0.0, 0.0], [0.0, cp, -sp], [0.0, sp, cp]])
    lean = np.array([[cl, -sl, 0.0], [sl, cl, 0.0], [0.0, 0.0, 1.0]])
    turned: NDArray[np.float64] = yaw @ pitch @ lean
    return turned


def part_matrices(pose: Pose) -> NDArray[np.float64]:
    """Transform of every part into model space (before yaw, pitch and lean of the whole).

    Returns float64 [len(PARTS), 4, 4], rigid. A fallen rider lies beside the bicycle, which lies on its side.
    """
    parts = np.zeros((len(PARTS), 4, 4))
    parts[:] = np.eye(4)
    crouch = min(max(pose.crouch, 0.0), 1.0)
    _bicycle(parts, pose)
    if pose.fallen:
        _lie_down(parts, pose)
    else:
        _sit(parts, pose, crouch)
    return parts


def _bicycle(parts: NDArray[np.float64], pose: Pose) -> None:
    """Place frame, fork, wheels, crank and pedals."""
    _turn_x(parts[_NUMBER["wheel_rear"]], -pose.wheel_angle_rad, REAR_AXLE)
    _turn_x(parts[_NUMBER["wheel_front"]], -pose.wheel_angle_rad, FRONT_AXLE)
    steer = _steer_matrix(pose.steer_rad)
    for number in _STEERED:
        parts[number] = steer @ parts[number]
    _turn_x(parts[_NUMBER["crank"]], -pose.crank_angle_rad, BOTTOM_BRACKET)
    for side, name in ((1, "pedal_right"), (-1, "pedal_left")):
        _turn_x(
            parts[_NUMBER[name]], foot_pitch(pose.crank_angle_rad, side), pedal(pose.crank_angle_rad, side)
        )


def _upper_body(
    parts: NDArray[np.float64], hips: Vector, back: Vector, gaze_pitch_rad: float
) -> NDArray[np.float64]:
    """Place torso and head: `back` is the unit direction from hips to shoulders. Returns the torso's matrix."""
    torso: NDArray[np.float64] = parts[_NUMBER["torso"]]
    x = _unit(_cross(back, (0.0, -back[2], back[1])))
    _place(torso, x, back, _cross(x, back), hips)
    _turn_x(parts[_NUMBER["head"]], gaze_pitch_rad, _point(torso, NECK))
    return torso


def _turn_head(parts: NDArray[np.float64], torso: NDArray[np.float64], gaze_rad: float) -> None:
    """Turn the head about the upright through the neck; positive looks right."""
    if gaze_rad == 0.0:
        return
    c, s = math.cos(-gaze_rad), math.sin(-gaze_rad)
    head = parts[_NUMBER["head"]]
    head[:3, :3] = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]) @ head[:3, :3]
    head[:3, 3] = _point(torso, NECK)


def _limb(
    parts: NDArray[np.float64],
    upper: str,
    lower: str,
    start: Vector,
    end: Vector,
    lengths: Vector,
    pole: Vector,
) -> Vector:
    """Place a two-bone limb; return the point it reaches. `lengths` is (upper, lower, 1 or −1 for the side
    on which the joint points: knees show their −z side to the pole, elbows their +z side)."""
    joint, reached = two_bone(start, end, lengths[0], lengths[1], pole)
    bend = _scaled(_sub(joint, _scaled(_add(start, reached), 0.5)), lengths[2])
    if _dot(bend, bend) < 1e-8:
        bend = _scaled(pole, lengths[2])
    _bone(parts[_NUMBER[upper]], start, joint, bend)
    _bone(parts[_NUMBER[lower]], joint, reached, bend)
    return reached


def _sit(parts: NDArray[np.float64], pose: Pose, crouch: float) -> None:
    """Place the rider on saddle, pedals and grips."""
    incline = _TORSO_UPRIGHT + (_TORSO_TUCKED - _TORSO_UPRIGHT) * crouch
    # The pelvis slides back a little in the tuck, so that the chest has room behind the bar.
    heave = min(_HEAVE_UP, max(-_HEAVE_DOWN, pose.heave_m))
    # Into a turn the body leans a little more than the bicycle, and the head looks where the way goes.
    inward = _LEAN_IN * math.sin(min(_LEAN_MOST, max(-_LEAN_MOST, pose.lean_rad)))
    hips = (0.4 * inward, SADDLE[1] + HIP_HEIGHT + heave, SADDLE[2] - 0.015 + 0.05 * crouch)
    back = _unit((inward, math.sin(incline), -math.cos(incline)))
    torso = _upper_body(parts, hips, back, math.radians(-6.0 + 10.0 * crouch))
    _turn_head(parts, torso, pose.gaze_rad)
    fork = parts[_NUMBER["fork"]]
    for side, name in ((1, "right"), (-1, "left")):
        pitch = foot_pitch(pose.crank_angle_rad, side)
        c, s = math.cos(pitch), math.sin(pitch)
        _, up, ahead = FOOT_BALL
        sole = (0.0, PEDAL_HALF_THICKNESS - up, -ahead)
        ankle = _add(
            pedal(pose.crank_angle_rad, side), (0.0, c * sole[1] - s * sole[2], s * sole[1] + c * sole[2])
        )
        hip = _point(torso, (side * HIP_X, 0.0, 0.0))
        pole = (0.16 * side, 0.25, -1.0)
        reached = _limb(parts, f"thigh_{name}", f"shin_{name}", hip, ankle, (THIGH, SHIN, 1.0), pole)
        _turn_x(parts[_NUMBER[f"foot_{name}"]], pitch, reached)
        shoulder = _point(torso, (side * SHOULDER_X, TORSO, 0.0))
        hand = _point(fork, (side * GRIP[0], GRIP[1] + 0.02, GRIP[2] + 0.01))
        outward = (side * (0.9 + 0.3 * crouch), -0.55 + 0.55 * crouch, 0.45)
        arm = (UPPER_ARM, FOREARM, -1.0)
        _limb(parts, f"upper_arm_{name}", f"forearm_{name}", shoulder, hand, arm, outward)


def _lie_down(parts: NDArray[np.float64], pose: Pose) -> None:
    """Lay the bicycle on its side and the rider on the ground beside it, on his back, one knee up."""
    side = 1.0 if pose.lean_rad >= 0.0 else -1.0
    tilt = side * math.radians(84.0) - pose.lean_rad
    c, s = math.cos(-tilt), math.sin(-tilt)
    fall = np.eye(4)
    fall[:2, :2] = [[c, -s], [s, c]]
    fall[1, 3] = 0.05
    for number in range(_NUMBER["torso"]):
        parts[number] = fall @ parts[number]
    # The caller's lean turns the whole about the contact line; undo it for the rider, who lies level.
    c, s = math.cos(pose.lean_rad), math.sin(pose.lean_rad)
    level = np.eye(4)
    level[:2, :2] = [[c, -s], [s, c]]
    _lay_rider(parts, -0.62 * side, 0.15, side)
    for number in range(_NUMBER["torso"], len(PARTS)):
        parts[number] = level @ parts[number]


def lying_rider() -> NDArray[np.float64]:
    """Transforms of torso and all that follows, for a rider on his back with the hips at the origin, head to −z.

    Returns float64 [parts, 4, 4].
    """
    parts = np.zeros((len(PARTS), 4, 4))
    parts[:] = np.eye(4)
    _lay_rider(parts, 0.0, 0.0, 1.0)
    parts[:, 1, 3] -= _HIPS_LYING
    return parts[_NUMBER["torso"] :]


def _lay_rider(parts: NDArray[np.float64], x: float, z: float, side: float) -> None:
    """Place the rider on the ground, hips over (x, z), one knee up."""
    back = _unit((0.25 * side, 0.12, -1.0))
    torso = _upper_body(parts, (x, _HIPS_LYING, z), back, math.radians(70.0))
    for sign, name in ((1, "right"), (-1, "left")):
        hip = _point(torso, (sign * HIP_X, 0.0, 0.0))
        raised = 1.0 if sign == side else 0.0
        ankle = (hip[0] + sign * 0.12, 0.10, hip[2] + 0.82 - 0.26 * raised)
        knee = (sign * 0.35, 1.0, 0.1)
        reached = _limb(parts, f"thigh_{name}", f"shin_{name}", hip, ankle, (THIGH, SHIN, 1.0), knee)
        _turn_x(parts[_NUMBER[f"foot_{name}"]], math.radians(60.0 - 45.0 * raised), reached)
        shoulder = _point(torso, (sign * SHOULDER_X, TORSO, 0.0))
        hand = (shoulder[0] + sign * 0.42, 0.06, shoulder[2] + 0.22 - 0.3 * raised)
        elbow = (sign * 1.0, 0.25, 0.6)
        arm = (UPPER_ARM, FOREARM, -1.0)
        _limb(parts, f"upper_arm_{name}", f"forearm_{name}", shoulder, hand, arm, elbow)
