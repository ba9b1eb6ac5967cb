"""The land as everybody else asks for it: world function, edits and trees in one.

The log may be ahead of what is shown: a large change is worked out aside and then shown everywhere at once. `shown`
is the epoch that picture, ground and arriving pages agree on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from game.core.coords import PageKey
from game.world.edits import DirtyBox, EditLog, EditSnapshot, IndexBox
from game.world.erosion_brush import ErosionBrush
from game.world.ground import Ground
from game.world.lapse import renew_climate
from game.world.operations import KICKER_LENGTH_M
from game.world.page import PageData
from game.world.scenery import Arch, Scenery
from game.world.vegetation import Vegetation
from game.world.workbench import Workbench

if TYPE_CHECKING:
    from game.world.source import HeightSource

DABS = ("raise", "lower", "smooth", "flatten", "ramp", "peak", "canyon", "kicker", "restore", "erode")
"""Brushes of `LandSource.dab`."""


class LandSource:
    """Makes finished pages (any thread) and owns the ground (main thread)."""

    def __init__(self, source: HeightSource, edits: EditLog, seed: int, tree_levels: int) -> None:
        """`tree_levels`: trees stand on pages of levels 0 … `tree_levels` − 1."""
        self.source = source
        self.edits = edits
        self.seed = seed
        self.vegetation = Vegetation(source, seed, tree_levels)
        self.ground = Ground(source, edits, self.vegetation)
        self.scenery = Scenery(source, seed, self.ground.page_at, self.ground.height)
        self.workbench = Workbench(source, edits)
        self.workbench.lookups.append(self.ground.page)
        self.erosion_brush = ErosionBrush(self.workbench, seed)
        self.shown: EditSnapshot = edits.snapshot()

    def make_page(self, key: PageKey) -> PageData:
        """Page with edits and trees, at the epoch that is shown when the call begins. Thread-safe.

        When another epoch is shown meanwhile (`page.epoch < epoch`), the main thread calls `catch_up(page)`
        before it shows the page.
        """
        snapshot = self.shown
        page = self.source.generate(key)
        snapshot.evaluate(page)
        self._plant(page, snapshot)
        self.renew_climate(page)
        return page

    def _plant(self, page: PageData, snapshot: EditSnapshot) -> None:
        if page.key.level < self.vegetation.tree_levels:
            snapshot.plant(page, self.vegetation)
        else:
            page.woods, page.trees = None, page.trees[:0]

    def replant(self, page: PageData) -> None:
        """Plant a page that is shown anew, after `vegetation.tree_levels` changed."""
        self._plant(page, self.shown)

    def renew_climate(self, page: PageData) -> bool:
        """`world.lapse.renew_climate` with the recipe's lapse."""
        return renew_climate(page, self.source.recipe.climate.lapse_c_m)

    def catch_up(self, page: PageData) -> None:
        """Bring a page that was made at an older epoch to the one that is shown, its climate included."""
        self.shown.evaluate_box(page)
        self.renew_climate(page)

    @property
    def epoch(self) -> int:
        """Edit epoch that is shown."""
        return self.shown.epoch

    def evaluate_box(self, page: PageData, box: DirtyBox | None = None) -> IndexBox | None:
        """`EditSnapshot.evaluate_box` at the epoch that is shown."""
        return self.shown.evaluate_box(page, box)

    def show(self, snapshot: EditSnapshot) -> None:
        """Let ground and pages made from here on stand at `snapshot`; resident pages are the caller's."""
        self.shown = snapshot
        self.ground.apply(snapshot=snapshot)

    def put_up(self, arches: Sequence[Arch]) -> None:
        """Let these arches, and no others, stand across the ways of the world."""
        if tuple(arches) != tuple(self.scenery.arches):
            self.scenery.arches = tuple(arches)
            self.ground.changed()

    def dab(
        self,
        brush: str,
        x: float,
        z: float,
        radius_m: float,
        strength_m: float,
        *,
        falloff: str = "gaussian",
        yaw_rad: float = 0.0,
        target_m: float | None = None,
        end: tuple[float, float] | None = None,
        length_m: float | None = None,
    ) -> DirtyBox | None:
        """Touch the land with any of `DABS` and log what it does; None when nothing changes.

        x, z in metres; `strength_m` is the change at the centre, and for the brushes that aim at something (smooth,
        flatten, ramp, restore) the furthest the land is moved. `target_m` is the height to flatten to, by default
        that at (x, z). A ramp leads to `end`, from land to land. A kicker faces `yaw_rad`, is `length_m` long (by
        default its diameter) and `strength_m` high at the lip. To erode, strength is time, and the rim is its own.

        Raises `ValueError` naming the value and what is accepted; nothing is changed then.
        """
        # A millimetre is finer than any hand, and makes the saved numbers short.
        x, z = _to_mm(x), _to_mm(z)
        edits, height = self.edits, self.ground.height
        if brush == "smooth":
            delta = self.workbench.smoothing(x, z, radius_m, strength_m, falloff)
            return None if delta is None else edits.apply_delta([delta], radius_m)
        if brush == "erode":
            if not edits.stroke_open:
                self.erosion_brush.dry()
            delta = self.erosion_brush.dab(x, z, radius_m, strength_m)
            return None if delta is None else edits.apply_delta([delta], radius_m)
        if brush == "flatten":
            target = height(x, z) if target_m is None else target_m
            return edits.apply(brush, x, z, radius_m, strength_m, falloff=falloff, target_m=target)
        if brush == "ramp":
            if end is None:
                raise ValueError("a ramp needs its second point; give two points")
            far = _to_mm(end[0]), _to_mm(end[1])
            return edits.apply(
                brush,
                x,
                z,
                radius_m,
                strength_m,
                falloff=falloff,
                target_m=height(x, z),
                end_x=far[0],
                end_z=far[1],
                end_m=height(*far),
            )
        if brush == "kicker":
            length = max(KICKER_LENGTH_M[0], 2.0 * radius_m) if length_m is None else length_m
            return edits.apply(
                brush,
                x,
                z,
                max(1.5, 0.5 * radius_m),
                strength_m,
                heading_x=math.sin(yaw_rad),
                heading_z=-math.cos(yaw_rad),
                length_m=min(length, KICKER_LENGTH_M[1]),
            )
        if brush in ("peak", "canyon"):
            seed = (self.seed ^ (self.seed >> 32)) & 0xFFFFFFFF
            return edits.apply(brush, x, z, radius_m, strength_m, falloff=falloff, seed=seed)
        return edits.apply(brush, x, z, radius_m, strength_m, falloff=falloff)


def _to_mm(value: float) -> float:
    return round(value, 3) if math.isfinite(value) else value
