"""The order in which systems run in a fixed step, visible in one list."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from game.ecs.world import EntityWorld

System = Callable[[EntityWorld, float], None]
"""A system: reads and writes components; gets the step in seconds."""


class Schedule:
    """Runs systems in the order given, once a fixed step."""

    def __init__(self, systems: Sequence[System]) -> None:
        self.systems = tuple(systems)

    def step(self, world: EntityWorld, step_s: float) -> None:
        """Run every system once."""
        for system in self.systems:
            system(world, step_s)
