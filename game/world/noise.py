"""`Noise`: sums of gradient-noise octaves for scripts, without a world.

    from game.world import Noise
    noise = Noise(seed=7, frequency=0.01, octaves=5)
    noise.grid(x0, z0, nx, nz, spacing)   # float32 [nz, nx]

Owns the tables of octaves; `kernels.octaves` does the sums. The same seed and parameters give the same bits from every
method, on every machine, for any tile origin and any number of threads.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from game.core.coords import WORLD_LIMIT_M
from game.kernels import hashing, octaves
from game.world.bands import in_bands

KINDS = {"fbm": octaves.FBM, "billow": octaves.BILLOW, "ridged": octaves.RIDGED}
"""Ways of summing octaves, by name."""

MOST_OCTAVES = octaves.MAX_OCTAVES
HIGHEST_FREQUENCY = 2.0
"""Cells per metre; above it the lattice would leave 32 bits at ±1e9 m."""

MOST_SAMPLES = 1 << 28
"""Samples of one grid (1 GiB of float32)."""

_LOWEST_FREQUENCY = 1e-7
_UNITS_PER_M = 1024
_BAND_ROWS = 512


class OctaveExplanation(NamedTuple):
    """One octave at one point."""

    frequency: float
    """Cells per metre."""
    gain: float
    cell: tuple[int, int, int]
    """Lattice cell x, layer, z; the layer is 0 for 2-D noise."""
    hashes: tuple[int, ...]
    """32-bit hashes of the corners in the order x, z, layer: four for 2-D noise, eight for a slice of 3-D noise."""
    gradients: tuple[tuple[float, float, float], ...]
    """Gradient (x, y, z) at each corner, per cell."""
    weights: tuple[float, ...]
    """Share of each corner after the quintic fade; they add up to 1."""
    noise: float
    """The octave's own value, ±1.1."""
    contribution: float
    """What it adds to the sum."""


class NoiseExplanation(NamedTuple):
    """Why a sum is what it is: its value and the octaves, coarsest first."""

    value: float
    octaves: tuple[OctaveExplanation, ...]


def aligned_empty(*shape: int) -> NDArray[np.float32]:
    """Uninitialised float32 array on a cache line; a misaligned one costs the kernels a fifth."""
    count = math.prod(shape)
    raw = np.empty(count + 16, np.float32)
    first = (-raw.ctypes.data % 64) // 4
    return raw[first : first + count].reshape(shape)


def check_number(name: str, value: float, low: float, high: float, unit: str = "") -> float:
    """`value` as float, or `ValueError` naming it and the accepted range."""
    if not isinstance(value, int | float | np.floating | np.integer) or not low <= value <= high:
        raise ValueError(
            f"{name} = {value!r} is not accepted; give a number{' of ' + unit if unit else ''} from {low:g} to {high:g}"
        )
    return float(value)


def check_whole(name: str, value: int, low: int, high: int) -> int:
    """`value` as int, or `ValueError` naming it and the accepted range."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | np.integer)
        or not low <= (value if isinstance(value, int) else int(value)) <= high
    ):
        raise ValueError(f"{name} = {value!r} is not accepted; give a whole number from {low} to {high}")
    return int(value)


class _Scratch(threading.local):
    """One workspace per thread, so that nothing is allocated per call."""

    def __init__(self, count: int) -> None:
        self.floats = aligned_empty(8 * count * octaves.PITCH)
        self.mixed = np.empty(2 * count * octaves.PITCH, np.uint32)


class Noise:
    """A sum of octaves of gradient noise over the world's x and z. Immutable and thread-safe.

    Parameters
    ----------
    seed : any integer; its low 64 bits count.
    frequency : cells per metre of the first octave, up to 2.
    octaves : 1 to 16. Octaves above 2 cells per metre are left out; a first octave above it is refused.
    lacunarity : frequency of an octave over that of the one before, 1.01 to 8.
    gain : amplitude of an octave over that of the one before (persistence), 0 to 1.
    amplitude : of the first octave, in the unit of the result, −1e6 to 1e6.
    kind : "fbm", Σ a·n; "billow", Σ a·(2·|n| − 0.5); "ridged", Σ a·w·(1 − |n|/1.1)², each octave weighted by the one
        before (Musgrave). One octave n lies within ±1.1 and has an rms of about 0.33 (0.28 for 3-D noise).
    slice_y : None for 2-D noise; a number cuts 3-D noise at this height, in cells of the first octave.

    Raises `ValueError` naming the value and what is accepted.
    """

    def __init__(
        self,
        seed: int = 0,
        *,
        frequency: float = 0.01,
        octaves: int = 5,
        lacunarity: float = 2.0,
        gain: float = 0.5,
        amplitude: float = 1.0,
        kind: str = "fbm",
        slice_y: float | None = None,
    ) -> None:
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
            raise ValueError(f"seed = {seed!r} is not accepted; give any integer")
        if kind not in KINDS:
            raise ValueError(f"kind = {kind!r} is not accepted; give one of {', '.join(KINDS)}")
        frequency = check_number(
            "frequency", frequency, _LOWEST_FREQUENCY, HIGHEST_FREQUENCY, "cells per metre"
        )
        count = check_whole("octaves", octaves, 1, MOST_OCTAVES)
        lacunarity = check_number("lacunarity", lacunarity, 1.01, 8.0)
        gain = check_number("gain", gain, 0.0, 1.0)
        amplitude = check_number("amplitude", amplitude, -1e6, 1e6)
        height = 0.0 if slice_y is None else check_number("slice_y", slice_y, -1e6, 1e6, "cells")
        self.seed = int(seed) & 0xFFFF_FFFF_FFFF_FFFF
        self.kind = kind
        self._kind = KINDS[kind]
        self._solid = slice_y is not None
        frequencies = [frequency * lacunarity**k for k in range(count)]
        self.frequencies = tuple(f for f in frequencies if f <= HIGHEST_FREQUENCY)
        """Cells per metre of the octaves that are summed."""
        count = len(self.frequencies)
        self._gains = np.array([amplitude * gain**k for k in range(count)], np.float32)
        self._octaves = np.array(
            [self._octave(k, f, height * f / frequency) for k, f in enumerate(self.frequencies)], np.int64
        )
        self._scratch = _Scratch(count)

    def _octave(self, k: int, frequency: float, slice_cells: float) -> tuple[int, int, int, int, int]:
        """Step, hashed offsets of ±2^59 and of the slice, seed: octaves must not share lattice lines."""
        signed = self.seed - (1 << 64) if self.seed >= 1 << 63 else self.seed

        def draw(part: int) -> int:
            return int(hashing.hash_channel(signed, (k + 1) * 8 + part))

        scale = 1 << 32
        x = ((draw(0) << 28) | (draw(1) >> 4)) - (1 << 59)
        z = ((draw(2) << 28) | (draw(3) >> 4)) - (1 << 59)
        y = draw(5) + round(slice_cells * scale)
        return round(frequency * scale), x, z, draw(4), y

    def _sampled(self, spacing: float) -> int:
        """Octaves with at least two samples a cell."""
        return sum(frequency * spacing <= 0.5 for frequency in self.frequencies)

    def grid(
        self,
        x0: float,
        z0: float,
        nx: int,
        nz: int,
        spacing: float,
        *,
        out: NDArray[np.float32] | None = None,
        threads: int = 1,
        progress: Callable[[int, int], None] | None = None,
    ) -> NDArray[np.float32]:
        """Values at columns x0 + i·spacing and rows z0 + j·spacing, metres: float32 [nz, nx].

        Positions are rounded to 1/1024 m. Octaves with fewer than two samples a cell are left out; it is an error when
        that is the first. `out`, C-contiguous float32 [nz, nx] (best from `aligned_empty`), is filled and returned if
        given, which saves the time of fresh memory. `progress(rows done, rows in all)` is called on this thread.

        Raises `ValueError` for a size below 1 or above 2^28 samples, a spacing outside 1/1024…5e6 m, a corner that is
        not finite or beyond ±1e9 m, a first octave with fewer than two samples a cell, threads outside 1…64,
        another `out`.
        """
        spacing = check_number("spacing", spacing, 1.0 / _UNITS_PER_M, 5e6, "metres")
        nx = check_whole("nx", nx, 1, MOST_SAMPLES)
        nz = check_whole("nz", nz, 1, MOST_SAMPLES)
        if nx * nz > MOST_SAMPLES:
            raise ValueError(f"nx · nz = {nx} · {nz} is not accepted; give at most {MOST_SAMPLES} samples")
        for name, first, n in (("x0", x0, nx), ("z0", z0, nz)):
            check_number(name, first, -WORLD_LIMIT_M, WORLD_LIMIT_M, "metres")
            check_number(
                f"{name} + {n - 1} · spacing",
                first + (n - 1) * spacing,
                -WORLD_LIMIT_M,
                WORLD_LIMIT_M,
                "metres",
            )
        count = self._sampled(spacing)
        if count == 0:
            raise ValueError(
                f"frequency = {self.frequencies[0]:g} is not accepted with spacing = {spacing:g}; "
                f"the first octave needs two samples a cell, give at most {0.5 / spacing:g} cells per metre"
            )
        qx, qz = _positions(x0, nx, spacing), _positions(z0, nz, spacing)
        if out is None:
            out = aligned_empty(nz, nx)
        elif out.shape != (nz, nx) or out.dtype != np.float32 or not out.flags.c_contiguous:
            raise ValueError(f"out is {out.dtype} {out.shape}; give C-contiguous float32 ({nz}, {nx})")
        field = out
        tables = self._octaves[:count], self._gains[:count]

        def fill(first: int, last: int) -> None:
            scratch = self._scratch
            octaves.fill_grid(
                self._kind,
                self._solid,
                qx,
                qz[first:last],
                *tables,
                scratch.floats,
                scratch.mixed,
                field[first:last],
            )

        in_bands(nz, _BAND_ROWS, fill, threads, progress)
        return out

    def at(self, x: float, z: float) -> float:
        """Value at a point in metres, rounded to 1/1024 m: the bits of `grid` where that leaves no octave out.

        Raises `ValueError` when not finite or beyond ±1e9 m.
        """
        if not (-WORLD_LIMIT_M <= x <= WORLD_LIMIT_M and -WORLD_LIMIT_M <= z <= WORLD_LIMIT_M):
            check_number("x", x, -WORLD_LIMIT_M, WORLD_LIMIT_M, "metres")
            check_number("z", z, -WORLD_LIMIT_M, WORLD_LIMIT_M, "metres")
        qx, qz = round(x * _UNITS_PER_M), round(z * _UNITS_PER_M)
        return float(octaves.point(self._kind, self._solid, qx, qz, self._octaves, self._gains))

    def values(self, x: ArrayLike, z: ArrayLike) -> NDArray[np.float32]:
        """Values at arbitrary positions (warped ones, for instance), metres: float32 of the common shape.

        All octaves, whatever lies between the positions. Raises `ValueError` for shapes that do not fit together or a
        position that is not finite or beyond ±1e9 m.
        """
        xs, zs = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(z, np.float64))
        for name, positions in (("x", xs), ("z", zs)):
            bad = ~(np.abs(positions) <= WORLD_LIMIT_M)
            if bad.any():
                check_number(name, float(positions[bad][0]), -WORLD_LIMIT_M, WORLD_LIMIT_M, "metres")
        out = aligned_empty(xs.size)
        octaves.fill_points(
            self._kind,
            self._solid,
            _quantised(xs.ravel()),
            _quantised(zs.ravel()),
            self._octaves,
            self._gains,
            out,
        )
        return out.reshape(xs.shape)

    def explain(self, x: float, z: float) -> NoiseExplanation:
        """Cell, hashes, gradients, weights and contribution of every octave at a point. Raises as `at`."""
        check_number("x", x, -WORLD_LIMIT_M, WORLD_LIMIT_M, "metres")
        check_number("z", z, -WORLD_LIMIT_M, WORLD_LIMIT_M, "metres")
        n, corners = len(self._gains), 8 if self._solid else 4
        cells = np.empty((n, 3), np.int64)
        hashes = np.empty((n, 8), np.uint32)
        gradients = np.empty((n, 8, 3), np.float32)
        weights = np.empty((n, 8), np.float32)
        values = np.empty((n, 2), np.float32)
        total = octaves.explain(
            self._kind,
            self._solid,
            round(x * _UNITS_PER_M),
            round(z * _UNITS_PER_M),
            self._octaves,
            self._gains,
            cells,
            hashes,
            gradients,
            weights,
            values,
        )
        return NoiseExplanation(
            float(total),
            tuple(
                OctaveExplanation(
                    frequency=self.frequencies[k],
                    gain=float(self._gains[k]),
                    cell=(int(cells[k, 0]), int(cells[k, 1]), int(cells[k, 2])),
                    hashes=tuple(hashes[k, :corners].tolist()),
                    gradients=tuple((float(g[0]), float(g[1]), float(g[2])) for g in gradients[k, :corners]),
                    weights=tuple(weights[k, :corners].tolist()),
                    noise=float(values[k, 0]),
                    contribution=float(values[k, 1]),
                )
                for k in range(n)
            ),
        )


def _quantised(metres: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.rint(metres * _UNITS_PER_M).astype(np.int64)


def _positions(first: float, count: int, spacing: float) -> NDArray[np.int64]:
    return _quantised(float(first) + np.arange(count, dtype=np.float64) * float(spacing))
