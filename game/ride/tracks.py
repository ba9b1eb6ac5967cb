"""Tyre tracks: what each wheel printed into the land, as a ring of short straight pieces.

A piece is laid on the fixed step for every `PIECE_M` that a wheel has rolled on land. Nothing here knows what the land
is made of: the shader lets each material give as it does, rock not at all. Nobody reads the ring but the picture.
"""

from __future__ import annotations

import math

import numpy as np

from game.ecs.components import Bicycle, Tracks, Weather
from game.ecs.schedule import System
from game.ecs.world import EntityWorld
from game.kernels.tracks import CHUNK, COLUMNS, FROM_X, FROM_Z, TO_X, TO_Z, WEIGHT
from game.ride.contact import WHEELBASE_M

MOST = 128 * CHUNK
"""Pieces kept, 2.4 km of way: a new one takes the place of the oldest."""

PIECE_M = 0.15
JUMP_M = 1.5
"""A wheel that moved farther than this in one step was carried, not ridden."""

WEAR_S = 600.0
"""Worn paths grow over by e in this time."""

SLOWEST_SLIDE_M_S = 0.5
DROWNED_M = 0.05
"""Water deeper than this keeps no track."""


def make_tracks_system() -> System:
    """System that fills the `Tracks` of every entity with a `Bicycle`. Runs after the wheels have moved."""

    def tracks_system(world: EntityWorld, step_s: float) -> None:
        sea_level_m = next((found[0].sea_level_m for _, found in world.each(Weather)), -math.inf)
        for _, (rider, tracks) in world.each(Bicycle, Tracks):
            tracks.clock_s += step_s
            lay(rider, tracks, sea_level_m)

    return tracks_system


def lay(rider: Bicycle, tracks: Tracks, sea_level_m: float) -> None:
    """Lay the pieces of one step."""
    rolls = not (rider.airborne or rider.fallen_s > 0.0 or rider.afloat_s > 0.0)
    rolls = rolls and rider.wading_m <= DROWNED_M and rider.y > sea_level_m - DROWNED_M
    half_m = 0.5 * WHEELBASE_M * math.cos(rider.pitch_rad)
    ahead_x, ahead_z = half_m * math.sin(rider.yaw_rad), -half_m * math.cos(rider.yaw_rad)
    slides = abs(rider.speed_m_s) > SLOWEST_SLIDE_M_S
    for wheel, sign, down, locked in (
        (0, 1.0, rider.front_on_land, rider.front_locked),
        (1, -1.0, rider.rear_on_land, rider.rear_locked),
    ):
        if not (rolls and down):
            tracks.ends[wheel] = None
            continue
        x, z = rider.x + sign * ahead_x, rider.z + sign * ahead_z
        end = tracks.ends[wheel]
        if end is None:
            tracks.ends[wheel] = (x, z, 0.0)
            continue
        length = math.hypot(x - end[0], z - end[1])
        if length < PIECE_M:
            continue
        if length < JUMP_M:
            _lay_piece(tracks, end, x, z, 1.0 if locked and slides else 0.0)
        tracks.ends[wheel] = (x, z, end[2] + length)


def _lay_piece(tracks: Tracks, end: tuple[float, float, float], x: float, z: float, scrape: float) -> None:
    if not len(tracks.rows):
        tracks.rows, tracks.chunks = np.zeros((MOST, COLUMNS)), np.zeros((MOST // CHUNK, 4))
    slot = tracks.laid % MOST
    # Two wheels pass at a time.
    weight = 0.5 * math.exp(tracks.clock_s / WEAR_S) * (1.0 + scrape)
    tracks.rows[slot] = (end[0], end[1], x, z, end[2], tracks.clock_s, scrape, weight)
    chunk = tracks.chunks[slot // CHUNK]
    if slot % CHUNK == 0:
        chunk[:] = math.inf, math.inf, -math.inf, -math.inf
    chunk[0], chunk[1] = min(chunk[0], end[0], x), min(chunk[1], end[1], z)
    chunk[2], chunk[3] = max(chunk[2], end[0], x), max(chunk[3], end[1], z)
    tracks.laid += 1


def erase(tracks: Tracks, x0: float, z0: float, x1: float, z1: float) -> None:
    """Take away the pieces that touch a box of world metres: the land there is another."""
    rows = tracks.rows[: tracks.laid]
    if not len(rows):
        return
    low_x, high_x = np.minimum(rows[:, FROM_X], rows[:, TO_X]), np.maximum(rows[:, FROM_X], rows[:, TO_X])
    low_z, high_z = np.minimum(rows[:, FROM_Z], rows[:, TO_Z]), np.maximum(rows[:, FROM_Z], rows[:, TO_Z])
    gone = (low_x <= x1) & (high_x >= x0) & (low_z <= z1) & (high_z >= z0) & (rows[:, WEIGHT] > 0.0)
    if gone.any():
        rows[gone, WEIGHT] = 0.0
        tracks.erased += 1


def clear(tracks: Tracks) -> None:
    """Forget all tracks: the rider was put elsewhere."""
    if tracks.laid:
        tracks.rows, tracks.chunks = np.zeros((0, COLUMNS)), np.zeros((0, 4))
        tracks.laid = 0
        tracks.erased += 1
    tracks.ends = [None, None]
