"""Baked differences: what a neighbourhood brush or an imported heightmap changes, sample by sample.

Owns the packed form (zlib, whole multiples of 1/1024 m), its coarser levels, and a bounded store of the unpacked
ones. A delta is a rectangle of level-0 samples, 0 outside; it never changes once made. Any thread may ask.
"""

from __future__ import annotations

import base64
import binascii
import threading
import zlib
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from game.kernels import brush as brush_kernels

TILE = 128
"""Side of the tiles, in samples, into which the smoothing of a stroke is folded."""

_PLAIN_SAMPLES = 128 * 128

MOST_SAMPLES = 4096 * 4096
"""Of one delta."""

CACHE_BYTES = 48 * 1024 * 1024

_QUANTA_PER_M = 1024

Patch = tuple[NDArray[np.float32], int, int]
"""Heights [nj, ni] in metres and the sample (i, j) of the first."""


class Delta:
    """A rectangle of level-0 differences. Packed, but for a small one that was just made: packing takes a tenth of a
    frame, and a dab's delta is folded away when its stroke ends."""

    __slots__ = ("_packed", "_plain", "i0", "j0", "ni", "nj")

    def __init__(
        self, i0: int, j0: int, ni: int, nj: int, packed: bytes | None, plain: NDArray[np.int32] | None = None
    ) -> None:
        self.i0, self.j0, self.ni, self.nj = i0, j0, ni, nj
        self._packed = packed
        self._plain = plain

    @property
    def packed(self) -> bytes:
        """zlib of little-endian int32 quanta, each row as differences along the row."""
        packed, plain = self._packed, self._plain
        if packed is None:
            assert plain is not None
            steps = np.diff(plain, axis=1, prepend=np.int32(0)).astype("<i4")
            self._packed = packed = zlib.compress(steps.tobytes(), 1)
            self._plain = None
        return packed

    @classmethod
    def of(cls, i0: int, j0: int, quanta: NDArray[np.int32]) -> Delta | None:
        """Delta from int32 [nj, ni] in 1/1024 m, cut to what is not 0; None when nothing is left.

        Raises `ValueError` for another shape or dtype, or more than `MOST_SAMPLES`.
        """
        if quanta.ndim != 2 or quanta.dtype != np.int32 or not 0 < quanta.size <= MOST_SAMPLES:
            raise ValueError(
                f"a delta of shape {quanta.shape} and {quanta.dtype} is not accepted; give int32 [nj, ni] of up to "
                f"{MOST_SAMPLES} samples"
            )
        rows, columns = np.flatnonzero(quanta.any(axis=1)), np.flatnonzero(quanta.any(axis=0))
        if len(rows) == 0:
            return None
        j, j_end, i, i_end = int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1
        cut = quanta[j:j_end, i:i_end].copy()
        delta = cls(i0 + i, j0 + j, i_end - i, j_end - j, None, cut)
        if cut.size > _PLAIN_SAMPLES:
            _ = delta.packed
        return delta

    def quanta(self) -> NDArray[np.int32]:
        """int32 [nj, ni] in 1/1024 m. Raises `ValueError` when the packed form is damaged."""
        plain = self._plain
        if plain is not None:
            return plain
        size = 4 * self.ni * self.nj
        unpack = zlib.decompressobj()
        try:
            raw = unpack.decompress(self.packed, size + 1)  # packed: `_plain` is only let go once it is there
        except zlib.error as error:
            raise ValueError(f"the samples do not unpack ({error})") from None
        if len(raw) != size:
            raise ValueError(f"the samples unpack to another number than {self.nj} × {self.ni}")
        steps = np.frombuffer(raw, "<i4").reshape(self.nj, self.ni)
        return np.cumsum(steps, axis=1, dtype=np.int32)

    def to_json(self) -> dict[str, Any]:
        """Plain data for `json`."""
        return {
            "i0": self.i0,
            "j0": self.j0,
            "columns": self.ni,
            "rows": self.nj,
            "zlib_base64": base64.b64encode(self.packed).decode("ascii"),
        }

    @classmethod
    def from_json(cls, item: dict[str, Any]) -> Delta:
        """A delta from `to_json`'s form. Raises `ValueError` naming the key that is missing or wrong."""
        numbers = []
        for key, low, high in (
            ("i0", -(2**31), 2**31),
            ("j0", -(2**31), 2**31),
            ("columns", 1, MOST_SAMPLES),
            ("rows", 1, MOST_SAMPLES),
        ):
            value = item.get(key)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise ValueError(
                    f"{key} = {value!r} is not accepted; give a whole number from {low} to {high}"
                )
            numbers.append(value)
        if numbers[2] * numbers[3] > MOST_SAMPLES:
            raise ValueError(
                f"columns × rows = {numbers[2] * numbers[3]} is not accepted; at most {MOST_SAMPLES}"
            )
        text = item.get("zlib_base64")
        if not isinstance(text, str):
            raise ValueError("the key 'zlib_base64' is missing or not a text")
        try:
            packed = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError) as error:
            raise ValueError(f"zlib_base64 does not read ({error})") from None
        i0, j0, columns, rows = numbers
        delta = cls(i0, j0, columns, rows, packed)
        delta.quanta()
        return delta


class DeltaCache:
    """Unpacked deltas by level, at most `CACHE_BYTES` of them. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[int, int], tuple[Delta, Patch]] = OrderedDict()
        self._bytes = 0

    def patch(self, delta: Delta, level: int) -> Patch:
        """Differences of `delta` on the samples of `level`, filtered from level to level."""
        key = (id(delta), level)
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found[1]
        if level == 0:
            heights = delta.quanta().astype(np.float32) * np.float32(1.0 / _QUANTA_PER_M)
            patch = (heights, delta.i0, delta.j0)
        else:
            finer, i, j = self.patch(delta, level - 1)
            patch = (brush_kernels.halve(finer, i, j), i // 2, j // 2)
        with self._lock:
            if key not in self._kept:
                # The delta itself is kept beside, or its id could come to mean another.
                self._kept[key] = (delta, patch)
                self._bytes += patch[0].nbytes
                while self._bytes > CACHE_BYTES and len(self._kept) > 1:
                    _, (_, oldest) = self._kept.popitem(last=False)
                    self._bytes -= oldest[0].nbytes
        return patch


def fold(deltas: Iterable[Delta]) -> list[Delta]:
    """The sum of `deltas` as aligned tiles of `TILE`² samples, north to south and west to east; exact."""
    tiles: dict[tuple[int, int], NDArray[np.int32]] = {}
    for delta in deltas:
        quanta = delta.quanta()
        for tj in range(delta.j0 // TILE, (delta.j0 + delta.nj - 1) // TILE + 1):
            for ti in range(delta.i0 // TILE, (delta.i0 + delta.ni - 1) // TILE + 1):
                tile = tiles.get((tj, ti))
                if tile is None:
                    tile = tiles[tj, ti] = np.zeros((TILE, TILE), np.int32)
                i, i_end = max(delta.i0, ti * TILE), min(delta.i0 + delta.ni, (ti + 1) * TILE)
                j, j_end = max(delta.j0, tj * TILE), min(delta.j0 + delta.nj, (tj + 1) * TILE)
                tile[j - tj * TILE : j_end - tj * TILE, i - ti * TILE : i_end - ti * TILE] += quanta[
                    j - delta.j0 : j_end - delta.j0, i - delta.i0 : i_end - delta.i0
                ]
    found = [Delta.of(ti * TILE, tj * TILE, tile) for (tj, ti), tile in sorted(tiles.items())]
    return [delta for delta in found if delta is not None]
