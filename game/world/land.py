"""The land as everybody else asks for it: world function, edits and trees in one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from game.core.coords import PageKey
from game.world.edits import EditLog
from game.world.ground import Ground
from game.world.page import PageData
from game.world.vegetation import Vegetation

if TYPE_CHECKING:
    from game.world.source import HeightSource


class LandSource:
    """Makes finished pages (any thread) and owns the ground (main thread)."""

    def __init__(self, source: HeightSource, edits: EditLog, seed: int, tree_levels: int) -> None:
        """`tree_levels`: trees stand on pages of levels 0 … `tree_levels` − 1."""
        self.source = source
        self.edits = edits
        self.seed = seed
        self.vegetation = Vegetation(source, seed, tree_levels)
        self.ground = Ground(source, edits, self.vegetation)

    def make_page(self, key: PageKey) -> PageData:
        """Page with edits and trees, at the epoch the log had when the call began. Thread-safe.

        When the log has moved on meanwhile (`page.epoch < edits.epoch`), the main thread calls
        `edits.evaluate_box(page)` before it shows the page.
        """
        snapshot = self.edits.snapshot()
        page = self.source.generate(key)
        snapshot.evaluate(page)
        page.trees = self.vegetation.trees(page)
        return page
