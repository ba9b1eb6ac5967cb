"""How far each level is to be drawn, also while their number changes.

A longer lens or a taller window may need one level less, a shorter lens one more. The coarsest level covers the whole
view and never morphs; the next finer one may take its place, or give it up, only while it covers the whole view
itself and nowhere morphs. So a level below the coarsest is let grow until then (`held_m`), the coarsest is dropped
from under it, and the other way round: nothing on the screen moves in the frame in which the number changes, and
before and after it the ranges fade like all others. One level at a time. Data and arithmetic only.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from game.lod.settings import LodSettings

_SPARE = 1.02
"""Margin of a held range over what is needed."""


class Reach:
    """Target ranges of the levels in use, coarsest last; `lod` says what they are on the way to."""

    def __init__(self, lod: LodSettings) -> None:
        self.lod = lod
        self.targets: NDArray[np.float64] = lod.targets
        """float64 [levels in use] metres; the view distance for the coarsest."""
        self.waits = False
        """Whether the coarsest level is new and the next one stands in for it until its pages are there."""

    def can_fade_to(self, lod: LodSettings) -> bool:
        """Whether other ranges can be reached without a jump: patches, view and morph stay."""
        was = self.lod
        return (lod.patch_quads, lod.view_m, lod.morph) == (was.patch_quads, was.view_m, was.morph)

    def turn_to(self, lod: LodSettings) -> None:
        """Be on the way to the ranges of `lod`, to which this can fade, from here on."""
        self.lod = lod
        if len(self.targets) > lod.levels:
            self.waits = False

    @property
    def settled(self) -> bool:
        """Whether the levels in use are those of `lod`."""
        return len(self.targets) == self.lod.levels and not self.waits

    def aim(self, altitude_m: float) -> None:
        """Targets of this frame, for an eye `altitude_m` above the ground."""
        lod, levels = self.lod, len(self.targets)
        if self.settled:
            self.targets = lod.targets
            return
        self.targets = lod.r0_m * 2.0 ** np.arange(levels, dtype=np.float64)
        self.targets[-1] = lod.view_m
        if levels > lod.levels or self.waits:
            self.targets[-2] = self.held_m(altitude_m)

    def held_m(self, altitude_m: float) -> float:
        """Range at which the level below the coarsest covers the whole view without morphing, and cuts no finer one."""
        lod = self.lod
        below = max(0, len(self.targets) - 3)
        reach = math.hypot(lod.view_m, altitude_m) + lod.node_diagonal_m(below)
        return _SPARE * reach / (1.0 - lod.morph)

    def stands_in(self, ranges: NDArray[np.float32], altitude_m: float) -> bool:
        """Whether the level below the coarsest shows the whole view, with the ranges that were drawn."""
        return len(ranges) > 1 and float(ranges[-2]) >= 0.999 * self.held_m(altitude_m)

    def step(
        self, ranges: NDArray[np.float32], complete: bool, altitude_m: float
    ) -> NDArray[np.float32] | None:
        """After a frame that drew `ranges`: the same picture in one level more or less, or None to go on as it is.

        `complete` tells whether all pages of the coarsest level are resident.
        """
        levels = len(ranges)
        if self.waits:
            self.waits = not complete
            return None
        if levels > self.lod.levels and self.stands_in(ranges, altitude_m):
            self.targets = self.targets[:-1].copy()
            fewer: NDArray[np.float32] = ranges[:-1].copy()
            fewer[-1] = self.targets[-1] = self.lod.view_m
            return fewer
        arrived = levels < 2 or float(ranges[-2]) <= 1.001 * float(self.targets[-2])
        if levels < self.lod.levels and complete and arrived:
            self.waits = True
            self.targets = np.append(self.targets, self.lod.view_m)
            more: NDArray[np.float32] = np.append(ranges, np.float32(self.lod.view_m))
            more[-2] = self.targets[-2] = self.held_m(altitude_m)
            return more
        return None
