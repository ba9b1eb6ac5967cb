"""The erode brush: a few iterations of erosion under the ring, dab by dab.

Water and the sediment in it stay from one dab of a stroke to the next where their squares overlap, so that a brush held
still lets brooks gather as a longer erosion does. Main thread only.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from game.world.deltas import Delta
from game.world.erosion import Erosion, ErosionSettings, Region
from game.world.operations import operation

if TYPE_CHECKING:
    from game.world.workbench import Workbench

ERODE_RADIUS_M = 100.0
"""Largest radius of the brush; wider land takes longer than a frame has, and that is what `erode` is for."""

_ITERATIONS_PER_M = 30.0
"""Iterations of a dab for each metre of strength."""
_MOST_ITERATIONS = 24
_SETTINGS = ErosionSettings(rate_per_s=0.1)


class ErosionBrush:
    """Turns dabs into baked differences."""

    def __init__(self, workbench: Workbench, seed: int) -> None:
        self._workbench = workbench
        self._seed = seed
        self._last: Erosion | None = None

    def dry(self) -> None:
        """Let no water be left over: a new stroke begins."""
        self._last = None

    def dab(self, x: float, z: float, radius_m: float, strength_m: float) -> Delta | None:
        """What one dab changes; None when nothing moves. More strength is more iterations.

        Raises `ValueError` naming the value, also for a radius beyond `ERODE_RADIUS_M`.
        """
        operation("raise", x, z, radius_m, strength_m)
        if radius_m > ERODE_RADIUS_M:
            raise ValueError(
                f"radius_m = {radius_m!r} is not accepted for erode; give up to {ERODE_RADIUS_M:g} metres"
            )
        iterations = min(_MOST_ITERATIONS, math.ceil(_ITERATIONS_PER_M * strength_m))
        # As if it rained on for long: a brush has no end at which the water could dry up.
        region = Region(x, z, radius_m, 3600.0)
        side = region.side
        heights = self._workbench.block(*region.first_sample, side, side)
        erosion = Erosion(region, heights, _SETTINGS, seed=self._seed)
        if self._last is not None:
            erosion.take_water(self._last)
        self._last = erosion
        erosion.advance(iterations)
        return erosion.delta()
