"""`FrameView`: everything a frame's drawing reads, made by `extract` and by nobody else. Data only.

World positions stay float64 here; the passes subtract the camera before anything becomes float32.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from game.core.coords import PageKey
from game.lod.selection import Selection


@dataclass(slots=True)
class CameraView:
    """Eye and lens. Yaw 0 is north, clockwise; pitch up is positive."""

    x: float
    y: float
    z: float
    yaw_rad: float
    pitch_rad: float
    fov_y_rad: float
    aspect: float


@dataclass(slots=True)
class RiderView:
    """Pose of bicycle and rider, interpolated; see `ecs.components.Bicycle` for the terms."""

    x: float
    y: float
    z: float
    yaw_rad: float
    pitch_rad: float
    lean_rad: float
    steer_rad: float
    wheel_angle_rad: float
    crank_angle_rad: float
    crouch: float
    fallen: bool
    visible: bool = True


@dataclass(slots=True)
class BrushView:
    """The sculpting ring on the land."""

    x: float
    z: float
    radius_m: float
    raising: bool


@dataclass(slots=True)
class FrameView:
    """One frame to draw."""

    width: int
    height: int
    time_s: float
    """Simulated time; waves and wind run on it."""
    hour: float
    sea_level_m: float
    view_m: float
    camera: CameraView
    rider: RiderView | None
    brush: BrushView | None
    selection: Selection
    tree_tiles: list[tuple[PageKey, NDArray[np.float32]]] = field(default_factory=list)
    """Trees of resident pages (rows as in `PageData.trees`)."""
