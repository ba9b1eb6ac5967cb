"""Which cells around the camera may have plants, and which pages draw the land there. Owns no GL object.

Integers all the way: a cell of the world has the same numbers wherever the camera stands.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from game.core.coords import PAGE_QUADS
from game.lod.selection import Selection
from game.render.frame import CameraView, covering

MOST_PAGES = 9
MARGIN_M = 1.5
"""No plant reaches farther from its foot."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of plant at one preset."""

    number: int
    """As in undergrowth.glsl."""
    mesh: str
    cell_m: int
    side: int
    """Plants along each side of a cell."""
    reach_m: float

    @property
    def defines(self) -> dict[str, int | float]:
        """Macros of its shader."""
        return {
            "KIND": self.number,
            "CELL_M": self.cell_m,
            "SIDE": self.side,
            "PAGES": MOST_PAGES,
            "PAGE_M": float(PAGE_QUADS),
        }


def kinds(preset: str) -> tuple[Kind, ...]:
    """What a preset draws."""
    return {
        "low": (Kind(0, "tuft_few", 1, 2, 16.0),),
        "medium": (
            Kind(0, "tuft_few", 1, 2, 26.0),
            Kind(1, "flower", 1, 1, 18.0),
            Kind(2, "shrub", 2, 1, 60.0),
        ),
        "high": (Kind(0, "tuft", 1, 3, 44.0), Kind(1, "flower", 1, 2, 30.0), Kind(2, "shrub", 2, 1, 95.0)),
    }.get(preset) or (
        Kind(0, "tuft", 1, 4, 52.0),
        Kind(1, "flower", 1, 2, 38.0),
        Kind(2, "shrub", 2, 1, 110.0),
    )


def shown_reach_m(reach_m: float, selection: Selection) -> float:
    """Range on this frame's land: only where the finest level is drawn and does not morph."""
    if not selection.levels:
        return 0.0
    share = 1.0 if selection.top == 0 else 1.0 - selection.morph
    return min(reach_m, share * float(selection.ranges[0]))


def seen_box(camera: CameraView, reach_m: float) -> tuple[float, float, float, float]:
    """West, north, east, south around the camera of the ground in sight within `reach_m`, metres, or more of it."""
    camera = covering(camera)
    half_y = 0.5 * camera.fov_y_rad
    steepest = abs(camera.pitch_rad) + half_y
    if steepest > 1.2:
        return -reach_m, -reach_m, reach_m, reach_m
    # The sides of the picture stand wider apart on the ground the more the camera is tilted.
    half = math.atan(
        math.tan(half_y) * camera.aspect * math.hypot(1.0, math.tan(half_y)) / math.cos(steepest)
    )
    angles = [camera.yaw_rad - half, camera.yaw_rad + half]
    quarter = 0.5 * math.pi
    first = math.ceil(angles[0] / quarter)
    angles += [n * quarter for n in range(first, math.floor(angles[1] / quarter) + 1)]
    xs = [0.0, *(reach_m * math.sin(angle) for angle in angles)]
    zs = [0.0, *(-reach_m * math.cos(angle) for angle in angles)]
    return min(xs) - MARGIN_M, min(zs) - MARGIN_M, max(xs) + MARGIN_M, max(zs) + MARGIN_M


def pages_near(selection: Selection) -> NDArray[np.float32]:
    """Pages of the finest level drawn around the camera, nearest first: float32 [n, 3], n at most `MOST_PAGES`.

    A row is a page's north-west corner in metres from the anchor (exact: it is near) and its texture layer.
    """
    patches = selection.patches[: selection.band_split(min(1, selection.levels))]
    rows = np.stack(
        [
            patches["origin_x_m"] - patches["page_x"],
            patches["origin_z_m"] - patches["page_z"],
            patches["layer"],
        ],
        axis=1,
    )
    # A page has one layer.
    _, first = np.unique(rows[:, 2], return_index=True)
    rows = rows[first]
    middle = 0.5 * PAGE_QUADS
    gap = np.maximum(np.abs(rows[:, :2] + middle) - middle, 0.0)
    nearest = np.argsort(gap[:, 0] * gap[:, 0] + gap[:, 1] * gap[:, 1], kind="stable")
    return np.ascontiguousarray(rows[nearest[:MOST_PAGES]], np.float32)


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of a frame."""

    first_cell: tuple[int, int]
    first_corner: tuple[int, int]
    columns: int
    rows: int


def grid_of(kind: Kind, selection: Selection, box: tuple[float, float, float, float]) -> Grid:
    """Cells of the world that touch `box` (see `seen_box`)."""
    frac_x, frac_z = float(selection.frac_x), float(selection.frac_z)
    west, east = (
        (selection.anchor_x + math.floor(frac_x + side)) // kind.cell_m for side in (box[0], box[2])
    )
    north, south = (
        (selection.anchor_z + math.floor(frac_z + side)) // kind.cell_m for side in (box[1], box[3])
    )
    corner = (west * kind.cell_m - selection.anchor_x, north * kind.cell_m - selection.anchor_z)
    return Grid((west, north), corner, east - west + 1, south - north + 1)
