"""`FrameView`: everything a frame's drawing reads, made by `extract` and by nobody else. Data only.

World positions stay float64 here; the passes subtract the camera before anything becomes float32.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from game.core.coords import PageKey
from game.lod.selection import Selection
from game.streaming.bed import BedMap
from game.streaming.mountain_shade import ShadeMap
from game.world.runoff import RunoffView
from game.world.seasons import SeasonLook

BRUSH_POINTS = 96
"""Points along each circle of the sculpting ring."""


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
    roll_rad: float = 0.0
    """Clockwise is positive."""


def covering(camera: CameraView) -> CameraView:
    """A camera without roll whose picture holds all that `camera` sees: what culling asks. Itself at roll 0."""
    if camera.roll_rad == 0.0:
        return camera
    tall = math.tan(0.5 * camera.fov_y_rad)
    wide = tall * camera.aspect
    c, s = abs(math.cos(camera.roll_rad)), abs(math.sin(camera.roll_rad))
    up, right = tall * c + wide * s, wide * c + tall * s
    return replace(camera, fov_y_rad=2.0 * math.atan(up), aspect=right / up, roll_rad=0.0)


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
    headless: bool = False
    """First person: the eye is where the head is, so neither head nor trunk is drawn."""
    gaze_rad: float = 0.0
    """How far the rider looks to the right, into the turn."""
    heave_m: float = 0.0
    """The body over its rest height above the bicycle: arms and legs soaking up the land."""
    thrown: tuple[float, float, float, float, float] | None = None
    """After a fall: where the rider's hips are (world x, y, z), where the head points, and the roll about the spine."""
    ground_y: float | None = None
    """Height of the land under (x, z), where the shadow lies; None on the ground, where it is `y`."""
    ground_normal: tuple[float, float, float] | None = None
    """Unit normal of that land; None follows the wheels' pitch."""


@dataclass(slots=True)
class BrushView:
    """The sculpting ring on the land."""

    x: float
    z: float
    radius_m: float
    raising: bool
    heights: NDArray[np.float32] | None = None
    """float32 [2, BRUSH_POINTS] land heights under `brush_ring(x, z, radius_m)`; None draws no ring."""


def brush_ring(x: float, z: float, radius_m: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """World x and z, float64 [2, BRUSH_POINTS] each, of the points the ring is drawn through.

    Row 0 is the circle at the brush's radius, row 1 the one at half of it; clockwise from north.
    """
    angle = np.arange(BRUSH_POINTS) * (2.0 * np.pi / BRUSH_POINTS)
    reach = np.array([[radius_m], [0.5 * radius_m]])
    return x + reach * np.sin(angle), z - reach * np.cos(angle)


@dataclass(slots=True)
class TracksView:
    """What the tyres printed: the ring of `ecs.components.Tracks`, read where it lies."""

    rows: NDArray[np.float64]
    chunks: NDArray[np.float64]
    laid: int
    erased: int
    clock_s: float


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
    waves_m: float = 0.5
    """Significant height of the waves out at sea."""
    look: SeasonLook = field(default_factory=SeasonLook)
    """What season and climate change."""
    snow_line_m: float = math.inf
    """Height from which snow lies around the camera."""
    growth_line_m: float = -math.inf
    """Height below which nothing grows: the bed of the sea as the world was made."""
    bed: list[BedMap] = field(default_factory=list)
    """Heights of the land around the camera; none: the water goes by what is seen through it."""
    tree_tiles: list[tuple[PageKey, NDArray[np.float32], int]] = field(default_factory=list)
    """Trees of resident pages (rows as in `PageData.trees`) and the pages' texture layers; the same list object until a
    page comes, goes or changes."""
    rain_mm_h: float = 0.0
    wetness: float = 0.0
    """How wet the ground is, 0 dry … 1 soaked."""
    runoff: RunoffView | None = None
    """Streams and ponds around the rider."""
    splash: float = 0.0
    """How much water the wheels throw up, 0…1."""
    scenery_tiles: list[tuple[PageKey, NDArray[np.float32]]] = field(default_factory=list)
    """Stones, logs, fences and gates of level-0 pages near the camera (rows as in `kernels.scenery`)."""
    shade: ShadeMap | None = None
    """Shadows of mountains around the camera."""
    forest_limits: tuple[float, ...] = (0.0, 1.0, 0.0, 1.0)
    """Temperatures in °C, then humidities, between which forests go from nothing to all."""
    micro_m: tuple[float, float] = (1.0, 0.0)
    """Wavelength and amplitude of the recipe's bumps that only shade."""
    seed: int = 0
    """Of the world: what grows between the trees goes by it."""
    debris: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 11)))
    """What the wheels threw up and is still seen: float64 [n, 11], world x, y, z; velocity; age and life,
    seconds; kind; chance; how arid the ground is (`ecs.components.Debris`)."""
    tracks: TracksView | None = None
    """Tyre tracks; None shows none."""
