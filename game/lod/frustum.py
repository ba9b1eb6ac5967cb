"""The camera's view volume as six planes, camera-relative. Pure functions."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_Vector = tuple[float, float, float]


def planes(
    yaw_rad: float, pitch_rad: float, fov_y_rad: float, aspect: float, near_m: float, far_m: float
) -> NDArray[np.float64]:
    """Planes (a, b, c, d) around what the camera sees, as float64 [6, 4].

    A point (x, y, z) relative to the eye, in world axes, is inside when a·x + b·y + c·z + d ≥ 0 for all six:
    left, right, bottom, top, near, far. Normals have unit length. Yaw 0 looks north (−z), clockwise;
    pitch up is positive; `aspect` is width over height.
    Raises `ValueError` when a number is not finite or the volume is empty.

    Source: Gribb and Hartmann, "Fast Extraction of Viewing Frustum Planes" (2001), here from the angles.
    """
    numbers = (yaw_rad, pitch_rad, fov_y_rad, aspect, near_m, far_m)
    if not all(math.isfinite(number) for number in numbers):
        raise ValueError(f"frustum {numbers!r} is not accepted; give finite numbers")
    if not (0.0 < fov_y_rad < math.pi and aspect > 0.0 and 0.0 <= near_m < far_m):
        raise ValueError(
            f"frustum with fov_y_rad = {fov_y_rad!r}, aspect = {aspect!r}, near_m = {near_m!r}, "
            f"far_m = {far_m!r} is empty; give 0 < fov < π, aspect > 0, 0 ≤ near < far"
        )
    sin_yaw, cos_yaw = math.sin(yaw_rad), math.cos(yaw_rad)
    sin_pitch, cos_pitch = math.sin(pitch_rad), math.cos(pitch_rad)
    ahead = (sin_yaw * cos_pitch, sin_pitch, -cos_yaw * cos_pitch)
    right = (cos_yaw, 0.0, sin_yaw)
    up = (-sin_yaw * sin_pitch, cos_pitch, cos_yaw * sin_pitch)
    half_y = math.tan(0.5 * fov_y_rad)
    half_x = half_y * aspect
    # Plain floats: ten small numpy operations would cost more than the whole level selection.
    rows = [
        _side_plane(right, half_x, 1.0, ahead),
        _side_plane(right, half_x, -1.0, ahead),
        _side_plane(up, half_y, 1.0, ahead),
        _side_plane(up, half_y, -1.0, ahead),
        (*ahead, -near_m),
        (-ahead[0], -ahead[1], -ahead[2], far_m),
    ]
    return np.array(rows, np.float64)


def _side_plane(side: _Vector, half: float, sign: float, ahead: _Vector) -> tuple[float, float, float, float]:
    """Plane through the eye whose inside is where sign · side + half · ahead points; `half` = tan of the angle."""
    size = math.sqrt(1.0 + half * half)
    x, y, z = ((sign * s + half * a) / size for s, a in zip(side, ahead, strict=True))
    return x, y, z, 0.0
