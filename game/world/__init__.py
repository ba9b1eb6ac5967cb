"""The world as a function of recipe, seed and edits; nothing here knows a window or a camera.

    from game.world import World
    world = World("alpine", seed=7)          # or a recipe file, or a saved world
    world.heights(x0, z0, nx, nz, spacing)   # float32 [nz, nx], metres

`World` is imported when it is first asked for, so that the data types of this package stay free of kernels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from game.world.world import World

__all__ = ["World"]


def __getattr__(name: str) -> object:
    if name == "World":
        from game.world.world import World

        return World
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
