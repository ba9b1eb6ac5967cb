"""Erosion of one round region: what it is told, and the simulation from its first to its last iteration.

Owns the fields of `kernels.erosion` in bands of rows, one a thread, and turns the outcome into baked differences.
Knows neither the edit log nor the clock; `world.erosion_run` drives it. The result depends on the inputs only: the
same bytes for any number of threads and any slicing of the iterations.
"""

from __future__ import annotations

import dataclasses
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from game.core.commands import EROSION_RADIUS_M, EROSION_SECONDS, RATE_PER_S, SLOPE_THRESHOLD
from game.core.coords import WORLD_LIMIT_M
from game.kernels import erosion as kernels
from game.world.deltas import Delta, fold
from game.world.noise import Noise
from game.world.operations import HEIGHT_M, number

ITERATIONS_PER_S = 60
"""A second of erosion is as many iterations."""

SHOWN_RADIUS_M = 64.0
"""Levels whose samples are further apart do not show an erosion: its gullies are finer and its lowering is metres."""

_ROCK_PERIOD_M = 1 << 20
"""Where rock begins to repeat, so that it has its noise at the world's rim too."""
_FADE = 0.5
"""Share of the radius over which the effect comes up from nothing at the rim."""
_FRAY = 0.15
"""Share of the radius by which harder rock holds the rim back."""
_WATER_STEP_S = 0.2
"""Water's own clock: what an iteration moves it on. Rain that carves a hill in half a minute has to hurry."""
_GRAVITY_M_S2 = 9.81
_FRICTION = 0.25
"""Friction coefficient of thin flow over rough ground (Chezy: v² = g·depth·slope / friction). High enough to keep
Froude's number near 1 on mountain slopes; faster flow breaks into roll waves a cell long."""
_DRYING = 0.15
"""Share of the time at the end in which it no longer rains, and what is in the water settles."""
_DRYING_PER_S = 0.05
"""Evaporation then, per second of the water's clock."""
_DRYING_SETTLE = 0.15
"""Share of what is over capacity that settles then in an iteration."""
_SAMPLES_FROM_RIM = 1 + max(kernels.STRIDES)
_CHUNK = len(kernels.STRIDES)
"""Iterations between two exchanges of bands: one turn of the strides, so that every chunk reads equally far."""
_HALO = sum(kernels.STRIDES) + _CHUNK * kernels.REACH
_FINEST_M = 2.0**-20
_MOST_QUANTA = 2.0**30
_RIDGE_M = 40.0
_TUFT_M = 16.0
_TUFTS_M = 0.15
"""Size and height of what is too fine for the samples but turns a film of water aside all the same."""
_REST_SPREAD = (0.7, 1.45)
"""Rock is never the same: bands of it stand steeper or slide sooner than the threshold says, by these factors."""


@dataclass(frozen=True, slots=True)
class ErosionSettings:
    """What the player may set. Raises `ValueError` naming the value and what is accepted."""

    slope_threshold: float = 0.6
    """Rise over run from which on land slides, 0.3…0.8: the tangent of the angle of repose (0.6 is 31°)."""
    rate_per_s: float = 0.05
    """How fast everything goes, 0.01…0.1: the share of what stands over that slope that slides to a neighbour in a
    second, and of the sediment missing from or over capacity that an iteration tears off or lets settle."""
    rain_m_s: float = 2e-3
    """Rain, metres of water per second of the water's clock."""
    evaporation_per_s: float = 0.01
    """Share of the water that dries up per second of the water's clock."""
    capacity: float = 12.0
    """Sediment, metres, that a discharge of 1 m²/s holds at a sine of slope of 1; it grows with discharge to 3/2."""

    crumbling_per_m: float = 12.0
    """One over the height, metres, of an edge over the land one metre around from which on it crumbles on any slope."""

    def __post_init__(self) -> None:
        for name, low, high in (
            ("slope_threshold", *SLOPE_THRESHOLD),
            ("rate_per_s", *RATE_PER_S),
            ("rain_m_s", 0.0, 0.02),
            ("evaporation_per_s", 0.0, 1.0),
            ("capacity", 0.0, 100.0),
            ("crumbling_per_m", 0.0, 100.0),
        ):
            object.__setattr__(self, name, number(name, getattr(self, name), low, high))


@dataclass(frozen=True, slots=True)
class Region:
    """Where and how long: centre (x, z) and radius in metres, duration in seconds.

    Raises `ValueError` naming the value and what is accepted.
    """

    x: float
    z: float
    radius_m: float
    seconds: float

    def __post_init__(self) -> None:
        for name, low, high in (
            ("x", -WORLD_LIMIT_M, WORLD_LIMIT_M),
            ("z", -WORLD_LIMIT_M, WORLD_LIMIT_M),
            ("radius_m", *EROSION_RADIUS_M),
            ("seconds", *EROSION_SECONDS),
        ):
            object.__setattr__(self, name, number(name, getattr(self, name), low, high))

    @property
    def side(self) -> int:
        """Samples along a side of the square that is simulated."""
        return 2 * (math.ceil(self.radius_m) + _SAMPLES_FROM_RIM) + 1

    @property
    def first_sample(self) -> tuple[int, int]:
        """Level-0 sample (i, j) of the square's north-west corner."""
        half = self.side // 2
        return math.floor(self.x + 0.5) - half, math.floor(self.z + 0.5) - half

    @property
    def iterations(self) -> int:
        """Iterations of the whole duration."""
        return max(1, round(self.seconds * ITERATIONS_PER_S))


class _Band:
    """Rows first … last − 1 of the square with a halo around, and the memory they live in."""

    def __init__(self, first: int, last: int, side: int) -> None:
        self.first, self.last = first, last
        self.top, self.bottom = max(0, first - _HALO), min(side, last + _HALO)
        rows = self.bottom - self.top
        self.land = np.zeros((rows, kernels.FIELDS, kernels.WIDTH), np.float32)
        self.counts = np.zeros((rows, kernels.COUNTS, kernels.WIDTH), np.int32)
        self.exported = np.zeros(rows, np.int64)

    def rows(self, first: int, last: int) -> slice:
        """Own index of rows first … last − 1 of the square."""
        return slice(first - self.top, last - self.top)

    def advance(self, side: int, first: int, iterations: int, parameters: NDArray[np.float32]) -> None:
        kernels.advance(
            self.land.reshape(-1),
            self.counts.reshape(-1),
            self.exported,
            len(self.land),
            side,
            first,
            iterations,
            parameters,
        )

    def take_halo(self, other: _Band) -> None:
        """Renew the rows of the halo that `other` owns."""
        first, last = max(self.top, other.first), min(self.bottom, other.last)
        if first < last:
            self.land[self.rows(first, last)] = other.land[other.rows(first, last)]
            self.counts[self.rows(first, last)] = other.counts[other.rows(first, last)]


class Erosion:
    """The simulation. One thread at a time may call it; it brings helpers of its own.

    `heights` float32 [side, side], metres, rows south, columns east, from `region.first_sample` on; `seed` any whole
    number; below `sea_level_m` water carries nothing. Raises `ValueError` for another shape or dtype, and for heights
    that are not finite or beyond ±20 km.
    """

    def __init__(
        self,
        region: Region,
        heights: NDArray[np.float32],
        settings: ErosionSettings | None = None,
        *,
        seed: int = 0,
        sea_level_m: float = -HEIGHT_M,
        threads: int = 1,
    ) -> None:
        side = region.side
        if heights.shape != (side, side) or heights.dtype != np.float32:
            raise ValueError(
                f"heights of shape {heights.shape} and {heights.dtype} are not accepted; give float32 [{side}, {side}]"
            )
        if not np.isfinite(heights).all() or float(np.abs(heights).max()) > HEIGHT_M:
            raise ValueError(
                f"heights hold a number that is not within ±{HEIGHT_M:g} m; erosion needs known land"
            )
        self.region = region
        self.settings = settings or ErosionSettings()
        self.done = 0
        """Iterations done."""
        low, high = float(heights.min()), float(heights.max())
        # Heights around zero keep more of float32's digits.
        self._middle_m = np.float32(0.5 * (low + high))
        self._sea_m = max(-2.0 * HEIGHT_M, float(sea_level_m) - float(self._middle_m))
        self.quantum_m = _FINEST_M
        """Metres of a quantum: the finest that a change of the region's whole relief can be counted in."""
        while (high - low) / self.quantum_m > _MOST_QUANTA:
            self.quantum_m *= 2.0
        threads = max(1, min(threads, side // (4 * _HALO)))
        edges = [round(side * n / threads) for n in range(threads + 1)]
        self._bands = [_Band(edges[n], edges[n + 1], side) for n in range(threads)]
        self._pool = ThreadPoolExecutor(threads - 1, "erosion") if threads > 1 else None
        self._fill(heights - self._middle_m, seed)

    def _fill(self, heights: NDArray[np.float32], seed: int) -> None:
        side = self.region.side
        i0, j0 = self.region.first_sample
        west, north = float(i0 % _ROCK_PERIOD_M), float(j0 % _ROCK_PERIOD_M)
        rock = Noise(seed=seed, frequency=1.0 / _RIDGE_M, octaves=4).grid(west, north, side, side, 1.0)
        tufts = Noise(seed=seed + 1, frequency=1.0 / _TUFT_M, octaves=3, amplitude=_TUFTS_M)
        heights = heights + tufts.grid(west, north, side, side, 1.0)
        fields = {
            kernels.GROUND: heights,
            kernels.SLID: heights,
            kernels.BASE: heights,
            kernels.KEEP: np.float32(1.0),
            kernels.YIELD: self._mask(rock) * (1.0 - 0.5 * np.clip(rock, 0.0, 1.0)),
            kernels.REST: np.clip(1.0 + 0.6 * rock, *_REST_SPREAD),
        }
        for band in self._bands:
            for field, values in fields.items():
                part = values[band.top : band.bottom] if isinstance(values, np.ndarray) else values
                band.land[:, field, :side] = part

    def _mask(self, rock: NDArray[np.float32]) -> NDArray[np.float64]:
        """How much of the effect each sample gets, 0 at the rim and beyond; no circle that an eye could find."""
        region, side = self.region, self.region.side
        i0, j0 = region.first_sample
        x = np.arange(i0, i0 + side) - region.x
        z = np.arange(j0, j0 + side) - region.z
        away = np.sqrt(x[None, :] ** 2 + z[:, None] ** 2) / region.radius_m
        share = np.clip((1.0 - away - _FRAY * np.clip(rock, 0.0, 1.0)) / _FADE, 0.0, 1.0)
        return share * share * (3.0 - 2.0 * share)

    @property
    def iterations(self) -> int:
        """Iterations in all."""
        return self.region.iterations

    @property
    def _last_rain(self) -> int:
        return self.iterations - round(_DRYING * self.iterations)

    def parameters(self, number: int) -> NDArray[np.float32]:
        """The kernel's parameters for iteration `number`, float32."""
        settings, step = self.settings, _WATER_STEP_S
        raining = number < self._last_rain
        dry = settings.evaporation_per_s if raining else max(_DRYING_PER_S, settings.evaporation_per_s)
        values = np.zeros(kernels.PARAMETERS, np.float32)
        values[kernels.GRAVITY] = _GRAVITY_M_S2 * step
        values[kernels.DRAG] = _FRICTION * step
        values[kernels.STEP] = step
        values[kernels.RAIN] = settings.rain_m_s * step if raining else 0.0
        values[kernels.DRY] = 1.0 - dry * step
        values[kernels.CAPACITY] = settings.capacity
        values[kernels.TEAR] = settings.rate_per_s
        values[kernels.SETTLE] = settings.rate_per_s if raining else _DRYING_SETTLE
        values[kernels.SEA] = self._sea_m
        values[kernels.TALUS] = settings.slope_threshold
        values[kernels.SLIDE] = settings.rate_per_s / ITERATIONS_PER_S
        values[kernels.QUANTUM] = self.quantum_m
        values[kernels.CRUMBLE] = settings.crumbling_per_m
        return values

    def advance(self, iterations: int) -> int:
        """Do up to `iterations` more, to the end at most; returns how many were done."""
        goal = min(self.done + max(0, iterations), self.iterations)
        begun = self.done
        while self.done < goal:
            # To the next whole turn of the strides, and not over the end of the rain.
            ends = [goal, self.done + _CHUNK - self.done % _CHUNK]
            if self.done < self._last_rain:
                ends.append(self._last_rain)
            self._chunk(min(ends) - self.done)
        return self.done - begun

    def _chunk(self, iterations: int) -> None:
        side, parameters = self.region.side, self.parameters(self.done)
        own, *others = self._bands
        jobs = [
            self._pool.submit(band.advance, side, self.done, iterations, parameters)
            for band in others
            if self._pool is not None
        ]
        own.advance(side, self.done, iterations, parameters)
        for job in jobs:
            job.result()
        for band, other in zip(self._bands[:-1], self._bands[1:], strict=True):
            band.take_halo(other)
            other.take_halo(band)
        self.done += iterations

    def _joined(self, count: int) -> NDArray[np.int32]:
        parts = [band.counts[band.rows(band.first, band.last), count] for band in self._bands]
        return np.concatenate(parts)[:, : self.region.side]

    def field(self, number: int) -> NDArray[np.float32]:
        """A field of `kernels.erosion`, float32 [side, side], for looking at."""
        parts = [band.land[band.rows(band.first, band.last), number] for band in self._bands]
        return np.concatenate(parts)[:, : self.region.side]

    @property
    def change(self) -> NDArray[np.int32]:
        """How much higher the ground stands than at the start, int32 [side, side] in `quantum_m`."""
        return self._joined(kernels.CHANGE)

    @property
    def load(self) -> NDArray[np.int32]:
        """Sediment in the water, int32 [side, side] in `quantum_m`."""
        return self._joined(kernels.LOAD)

    @property
    def exported(self) -> int:
        """Sediment that was washed out of the region, quanta. `change` + `load` + this add up to 0."""
        return sum(int(band.exported[band.rows(band.first, band.last)].sum()) for band in self._bands)

    def take_water(self, other: Erosion) -> None:
        """Begin with the water, and what it holds, that `other` has where both overlap. For regions of one band."""
        (own,), (theirs,) = self._bands, other._bands
        (i, j), (i1, j1) = self.region.first_sample, other.region.first_sample
        side, side1 = self.region.side, other.region.side
        # Not the ring, which holds none.
        west, east = max(i, i1) + 1, min(i + side, i1 + side1) - 1
        north, south = max(j, j1) + 1, min(j + side, j1 + side1) - 1
        if west >= east or north >= south or self.quantum_m != other.quantum_m:
            return
        rows, columns = slice(north - j, south - j), slice(west - i, east - i)
        rows1, columns1 = slice(north - j1, south - j1), slice(west - i1, east - i1)
        for field in (kernels.WATER, kernels.EAST, kernels.SOUTH, kernels.KEEP):
            own.land[rows, field, columns] = theirs.land[rows1, field, columns1]
        own.counts[rows, kernels.LOAD, columns] = theirs.counts[rows1, kernels.LOAD, columns1]
        # The strides take turns on: a dab of a few iterations would never come to the longer ones.
        self.done = other.done % _CHUNK

    def delta(self) -> Delta | None:
        """What the erosion changes so far in whole 1/1024 m, None where nothing does."""
        metres = self.change.astype(np.float64) * self.quantum_m
        quanta = np.floor(metres * 1024.0 + 0.5).astype(np.int32)
        return Delta.of(*self.region.first_sample, quanta)

    def deltas(self) -> list[Delta]:
        """The same as tiles."""
        whole = self.delta()
        return [] if whole is None else fold([whole])

    def moved_m3(self) -> float:
        """Volume that was torn off somewhere, cubic metres."""
        change = self.change
        return float(-change[change < 0].sum(dtype=np.int64)) * self.quantum_m

    def close(self) -> None:
        """End the threads; harmless when called twice."""
        if self._pool is not None:
            self._pool.shutdown(wait=True)
            self._pool = None


def with_defaults(slope_threshold: float | None = None, rate_per_s: float | None = None) -> ErosionSettings:
    """The default settings but for what is given. Raises `ValueError` naming the value and what is accepted."""
    given = {"slope_threshold": slope_threshold, "rate_per_s": rate_per_s}
    return dataclasses.replace(
        ErosionSettings(), **{key: value for key, value in given.items() if value is not None}
    )
