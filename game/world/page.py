"""A page: what a worker makes and the GPU and the store keep. Data, and the way it keeps itself small."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from game.core.coords import APRON, GENERATED, GENERATED_APRON, STORED, PageKey
from game.kernels import finish
from game.world.woods import Woods

TREE_COLUMNS = 8
"""Columns of a tree row: x, height, z, parent height, scale, yaw, hardy kind, rank (see `PageData.trees`)."""


_RIM = GENERATED_APRON - APRON
"""Samples on each side that are generated but not stored."""

_RIM_PARTS = (_RIM * GENERATED, 2 * _RIM * GENERATED, 2 * _RIM * GENERATED + _RIM * STORED)
"""Where the rim's southern, western and eastern strips begin."""

_ARRAYS = (
    "base",
    "edited",
    "heights",
    "normals",
    "climate",
    "trees",
    "base_temperature",
    "base_density",
    "rim",
)


@dataclass(slots=True)
class PageData:
    """Samples of one page. Rows run south (z), columns east (x).

    R is the height at this level; G at even samples is exactly the parent's R, at odd samples undefined.

    A page at rest (`rest`) holds only what cannot be worked out from the rest of it; `base`, `edited` and `normals`
    come back with the same bits when somebody reads them.
    """

    key: PageKey
    base: NDArray[np.float32]
    """[136, 136, 2] R and G before any edit, samples −4…131, metres."""
    edited: NDArray[np.float32]
    """[136, 136, 2] R and G after edits; the same array as `base` while no edit touches the page."""
    heights: NDArray[np.float32]
    """[132, 132, 2] samples −2…129 of `edited`, contiguous, ready for upload."""
    normals: NDArray[np.uint8]
    """[132, 132, 4] own x, z and parent x, z of the unit normal, n · 127.5 + 127.5 rounded; parent at even samples."""
    climate: NDArray[np.uint8]
    """[132, 132, 4] temperature (0…255 = −20…+40 °C at the ground), humidity, bare rock, tree density (0…255 = 0…1)."""
    min_m: float
    max_m: float
    """Bounds of R and G over the stored samples, metres."""
    epoch: int = 0
    """Edit epoch of `edited` (see `world.edits`)."""
    trees: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, TREE_COLUMNS), np.float32))
    """[n, 8] trees whose foot is in this page, tile after tile (`world.vegetation.tiles_along`), in each by ascending
    sixteenths of rank: x and z in metres from the page's corner,
    height R and parent height at the foot, scale, yaw in radians, kind and the climate it bears (a whole number, see
    `kernels.scatter.hardy_kind`), rank (hash in 0…1)."""
    base_temperature: NDArray[np.uint8] | None = None
    """[132, 132] the temperatures before any edit, once an edit moved the land; see `world.lapse`."""
    base_density: NDArray[np.uint8] | None = None
    """[132, 132] the tree densities before any edit, likewise."""
    woods: Woods | None = None
    """What may grow here, of pages that carry trees, at the page's epoch; None where nothing ever can."""
    rim: NDArray[np.float32] | None = None
    """[1072, 2] samples of `edited` around `heights`, of a page at rest; of no meaning otherwise."""

    def rest(self) -> None:
        """Let go of `normals`, `edited`, and of `base` where no edit touches the page.

        Half of what an awake page takes. Harmless when called twice.
        """
        if self._holds("normals"):
            del self.normals
        if not self._holds("edited"):
            return
        edited = self.edited
        self.rim = np.concatenate(
            (
                edited[:_RIM].reshape(-1, 2),
                edited[-_RIM:].reshape(-1, 2),
                edited[_RIM:-_RIM, :_RIM].reshape(-1, 2),
                edited[_RIM:-_RIM, -_RIM:].reshape(-1, 2),
            )
        )
        if self._holds("base") and (self.base is edited or np.array_equal(self.base, edited)):
            del self.base
        del self.edited

    @property
    def nbytes(self) -> int:
        """Memory of the arrays that the page holds now, bytes; shared ones count once."""
        held = {id(part): part.nbytes for name in _ARRAYS if (part := self._held(name)) is not None}
        woods = self.woods
        return sum(held.values()) + (0 if woods is None else woods.nbytes)

    def __getattr__(self, name: str) -> NDArray[np.float32] | NDArray[np.uint8]:
        # Only called for what `rest` let go. Threads may meet here: each makes the same bits.
        if name == "normals":
            normals = np.empty((STORED, STORED, 4), np.uint8)
            unread = np.empty((STORED, STORED, 2), np.float32)
            finish.finish_page(
                self.edited, np.int64(self.key.spacing_m), 0, STORED, 0, STORED, unread, normals
            )
            self.normals = normals
            return normals
        if name == "edited" or name == "base":
            # Whoever sets `edited` sets `base` first: it cannot be worked out from edited land.
            assert name == "edited" or not self._holds("edited")
            edited = self._joined()
            if not self._holds("base"):
                self.base = edited
            self.edited = edited
            return edited
        raise AttributeError(f"a page has no {name!r}")

    def _joined(self) -> NDArray[np.float32]:
        """Samples [136, 136, 2] of `edited` from `heights` and the rim."""
        rim = self.rim
        assert rim is not None
        south, west, east = _RIM_PARTS
        samples = np.empty((GENERATED, GENERATED, 2), np.float32)
        samples[_RIM:-_RIM, _RIM:-_RIM] = self.heights
        samples[:_RIM] = rim[:south].reshape(_RIM, GENERATED, 2)
        samples[-_RIM:] = rim[south:west].reshape(_RIM, GENERATED, 2)
        samples[_RIM:-_RIM, :_RIM] = rim[west:east].reshape(STORED, _RIM, 2)
        samples[_RIM:-_RIM, -_RIM:] = rim[east:].reshape(STORED, _RIM, 2)
        return samples

    def _held(self, name: str) -> NDArray[np.float32] | NDArray[np.uint8] | None:
        """The array `name` if it is there."""
        try:
            found: NDArray[np.float32] | NDArray[np.uint8] | None = object.__getattribute__(self, name)
        except AttributeError:
            return None
        return found

    def _holds(self, name: str) -> bool:
        return self._held(name) is not None
