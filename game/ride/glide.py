"""Gliding: moving at a fixed speed just above the land, for `--speed`. No physics; for measuring streaming."""

from __future__ import annotations

from game.core.coords import WORLD_LIMIT_M, forward
from game.ecs.components import Bicycle
from game.ecs.schedule import System
from game.ecs.world import EntityWorld
from game.ride.contact import GroundLike

HOVER_M = 0.5
"""Height above the land."""


def make_glide_system(ground: GroundLike, speed_m_s: float) -> System:
    """System that moves every bicycle along its heading at `speed_m_s`, up to the end of the world."""

    def glide_system(world: EntityWorld, step_s: float) -> None:
        for _, (rider,) in world.each(Bicycle):
            east, south = forward(rider.yaw_rad)
            x = min(WORLD_LIMIT_M, max(-WORLD_LIMIT_M, rider.x + east * speed_m_s * step_s))
            z = min(WORLD_LIMIT_M, max(-WORLD_LIMIT_M, rider.z + south * speed_m_s * step_s))
            y = ground.height(x, z) + HOVER_M
            rider.vx_m_s, rider.vz_m_s = (x - rider.x) / step_s, (z - rider.z) / step_s
            rider.vy_m_s = (y - rider.y) / step_s
            rider.x, rider.y, rider.z = x, y, z
            rider.speed_m_s = speed_m_s
            rider.distance_m += speed_m_s * step_s
            rider.airborne = True

    return glide_system
