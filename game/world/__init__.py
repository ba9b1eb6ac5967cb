"""The world as a function of recipe, seed and edits; nothing here knows a window or a camera.

    from game.world import World
    world = World("alpine", seed=7)          # or a recipe file, or a saved world
    world.heights(x0, z0, nx, nz, spacing)   # float32 [nz, nx], metres

    from game.world import Noise
    Noise(seed=7).grid(x0, z0, nx, nz, spacing)

`World` and `Noise` are imported when first asked for, so that the data types of this package stay free of kernels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from game.world.noise import Noise
    from game.world.world import World

__all__ = ["Noise", "World"]


def __getattr__(name: str) -> object:
    if name == "World":
        from game.world.world import World

        return World
    if name == "Noise":
        from game.world.noise import Noise

        return Noise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
