"""Heightmaps from outside, laid over the world function: generate → stamps → edits.

Owns what a stamp does to a sample: its resampling, its filtered copies for coarse levels, and the blend at its
border and around samples without data. Never reads files.

Every sample is computed alone from its world position and float64 arithmetic in one fixed order, so a sample that
lies on two pages or on two levels gets the same bits on both, and G at even samples is the parent's R.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.core.coords import APRON, GENERATED, GENERATED_APRON, STORED, WORLD_LIMIT_M, PageKey
from game.kernels import finish
from game.world.page import PageData
from game.world.recipe import Recipe
from game.world.source import Climate, HeightSource

MOST_SAMPLES = 1 << 26
"""Largest heightmap that is taken."""
SPACING_M = (1.0 / 16.0, 10_000.0)
FEATHER_M = (0.0, 100_000.0)
HEIGHT_M = 20_000.0
"""Heights beyond ± this are refused."""

_MOST_FEATHER_SAMPLES = 64
_LEAST_SIDE = 2


def _refuse(key: str, value: object, accepted: str) -> ValueError:
    return ValueError(f"{key} = {value!r} is not accepted; give {accepted}")


@dataclass(frozen=True, slots=True, eq=False)
class Stamp:
    """A heightmap with its place in the world. Checked at construction: `ValueError` names what is wrong."""

    x: float
    z: float
    """World metres of the north-west sample."""
    spacing_m: float
    """Between samples, along x and z."""
    feather_m: float
    """Over which the border, and the rim of missing data, passes into the land."""
    heights: NDArray[np.float32]
    """[nz, nx] metres; rows run south, columns east; NaN where there is no data."""
    name: str = ""
    """Where it came from, for people."""
    digest: str = field(init=False, default="")
    """SHA-256 of the samples (little-endian float32, row by row), hexadecimal."""

    def __post_init__(self) -> None:
        for key, value, low, high in (
            ("spacing_m", self.spacing_m, *SPACING_M),
            ("feather_m", self.feather_m, *FEATHER_M),
            ("x", self.x, -WORLD_LIMIT_M, WORLD_LIMIT_M),
            ("z", self.z, -WORLD_LIMIT_M, WORLD_LIMIT_M),
        ):
            if not low <= value <= high:  # false for NaN
                raise _refuse(key, value, f"{low:g} to {high:g} metres")
        heights = self.heights
        if heights.dtype != np.float32 or heights.ndim != 2:
            raise ValueError(f"heights are {heights.dtype} {heights.shape}; give float32 [nz, nx]")
        if min(heights.shape) < _LEAST_SIDE or heights.size > MOST_SAMPLES:
            raise _refuse("size", heights.shape, f"sides of 2 or more and up to {MOST_SAMPLES} samples")
        known = np.isfinite(heights)
        if np.isinf(heights).any() or (np.abs(heights[known]) > HEIGHT_M).any():
            raise ValueError(f"heights are not accepted; give metres within ±{HEIGHT_M:.0f}, NaN for no data")
        if not known.any():
            raise ValueError("heights are not accepted; every sample is without data")
        digest = hashlib.sha256(heights.astype("<f4").tobytes()).hexdigest()
        object.__setattr__(self, "digest", digest)


class _Copy(NamedTuple):
    """A stamp as one level shows it."""

    spacing_m: float
    heights: NDArray[np.float64]
    weights: NDArray[np.float64]
    """0…1, how much of the land the stamp replaces."""
    ring: int = 0
    """Samples added around, in which the weight falls to 0."""


class StampLayer:
    """Stamps ready to be laid over land, in order. Immutable; any thread may use it."""

    def __init__(self, stamps: Sequence[Stamp]) -> None:
        self.stamps = tuple(stamps)
        self._copies = [_pyramid(stamp) for stamp in self.stamps]

    def touches(self, key: PageKey) -> bool:
        """Whether a stamp may alter the page, its apron included."""
        (x, z), reach = key.origin_m, GENERATED_APRON * key.spacing_m
        far_x, far_z = x + key.span_m + reach, z + key.span_m + reach
        return self.meets(x - reach, z - reach, far_x, far_z, key.spacing_m)

    def meets(self, x0: float, z0: float, x1: float, z1: float, spacing_m: float) -> bool:
        """Whether a stamp may alter land of this rectangle (world metres) with samples `spacing_m` apart."""
        return any(
            stamp.x - margin <= x1
            and stamp.z - margin <= z1
            and stamp.x + (stamp.heights.shape[1] - 1) * stamp.spacing_m + margin >= x0
            and stamp.z + (stamp.heights.shape[0] - 1) * stamp.spacing_m + margin >= z0
            for stamp in self.stamps
            for margin in (stamp.spacing_m + 2 * spacing_m,)
        )

    def lay(
        self, level: int, xs: NDArray[np.float64], zs: NDArray[np.float64], heights: NDArray[np.float32]
    ) -> None:
        """Replace land under the stamps, as `level` shows it, in `heights` float32 [len(zs), len(xs)], in place.

        `xs` and `zs` are ascending world metres. Stamps narrower than two samples of the level are not shown.
        """
        for stamp, copies in zip(self.stamps, self._copies, strict=True):
            copy = _copy_for(copies, level)
            if copy is None:
                continue
            nz, nx = copy.heights.shape
            u = (xs - stamp.x) / copy.spacing_m + copy.ring
            v = (zs - stamp.z) / copy.spacing_m + copy.ring
            i0, i1 = np.searchsorted(u, 0.0), np.searchsorted(u, nx - 1, side="right")
            j0, j1 = np.searchsorted(v, 0.0), np.searchsorted(v, nz - 1, side="right")
            if i0 == i1 or j0 == j1:
                continue
            u, v = u[i0:i1], v[j0:j1]
            weight = _linear(copy.weights, u, v)
            value = _cubic(copy.heights, u, v)
            land = heights[j0:j1, i0:i1]
            # Whole weight is taken as it is: land + (value − land) would lose the last bits.
            mixed = np.where(weight >= 1.0, value, land * (1.0 - weight) + value * weight)
            heights[j0:j1, i0:i1] = np.where(weight > 0.0, mixed, land)


class StampedSource(HeightSource):
    """The land of a recipe and a seed with stamps over it; asked exactly like `HeightSource`."""

    def __init__(self, recipe: Recipe, seed: int, stamps: Sequence[Stamp]) -> None:
        super().__init__(recipe, seed)
        self._layer = StampLayer(stamps)

    def generate(self, key: PageKey) -> PageData:
        """As `HeightSource.generate`, stamps included in `base`."""
        page = super().generate(key)
        if not self._layer.touches(key):
            return page
        i0, j0 = key.origin_sample
        steps = np.arange(-GENERATED_APRON, GENERATED - GENERATED_APRON, dtype=np.float64)
        xs, zs = (i0 + steps) * key.spacing_m, (j0 + steps) * key.spacing_m
        for channel in (0, 1):
            self._layer.lay(key.level + channel, xs, zs, page.base[:, :, channel])
        # The workspace still holds the climate of this page: it belongs to this thread.
        finish.climate_box(
            page.base,
            APRON,
            np.int64(key.spacing_m),
            STORED,
            STORED,
            self._tables,
            self._work().climate,
            page.climate,
        )
        low, high = finish.finish_page(
            page.base, np.int64(key.spacing_m), 0, STORED, 0, STORED, page.heights, page.normals
        )
        page.min_m, page.max_m = float(low), float(high)
        return page

    def lay_stamps(
        self,
        level: int,
        xs: NDArray[np.float64],
        zs: NDArray[np.float64],
        heights: NDArray[np.float32],
    ) -> bool:
        """As `HeightSource.lay_stamps`, from the stamps of this world."""
        if not self._layer.meets(xs[0], zs[0], xs[-1], zs[-1], float(1 << level)):
            return False
        self._layer.lay(level, xs, zs, heights)
        return True

    def block(self, level: int, i0: int, j0: int, ni: int, nj: int) -> NDArray[np.float32]:
        """As `HeightSource.block`, stamps included."""
        out = super().block(level, i0, j0, ni, nj)
        spacing = float(1 << level)
        xs = (i0 + np.arange(ni, dtype=np.float64)) * spacing
        zs = (j0 + np.arange(nj, dtype=np.float64)) * spacing
        self._layer.lay(level, xs, zs, out)
        return out

    def unlimited(self, xs: NDArray[np.float64], zs: NDArray[np.float64]) -> NDArray[np.float32]:
        """As `HeightSource.unlimited`; the stamps as level 0 shows them."""
        out = super().unlimited(xs, zs)
        self._layer.lay(0, np.asarray(xs, np.float64), np.asarray(zs, np.float64), out)
        return out

    def height_at(self, x: float, z: float) -> float:
        """As `HeightSource.height_at`, stamps included."""
        out = np.array([[super().height_at(x, z)]], np.float32)
        self._layer.lay(0, np.array([x], np.float64), np.array([z], np.float64), out)
        return float(out[0, 0])

    def climate_at(self, x: float, z: float) -> Climate:
        """As `HeightSource.climate_at`, at the height of the stamps."""
        climate = super().climate_at(x, z)
        i, j = round(x), round(z)
        rise = float(self.block(0, i, j, 1, 1)[0, 0]) - float(super().block(0, i, j, 1, 1)[0, 0])
        return climate._replace(temperature_c=climate.temperature_c - self.recipe.climate.lapse_c_m * rise)


def make_source(recipe: Recipe, seed: int, stamps: Sequence[Stamp]) -> HeightSource:
    """The land of `recipe` and `seed`, with `stamps` over it if there are any."""
    return StampedSource(recipe, seed, stamps) if stamps else HeightSource(recipe, seed)


def _pyramid(stamp: Stamp) -> list[_Copy]:
    """Copies at spacing · 2^k, each filtered with [1 2 1]/4 along both axes about the even samples."""
    known = np.isfinite(stamp.heights)
    weights = _feathered(known, stamp.feather_m / stamp.spacing_m)
    heights = _filled(np.where(known, stamp.heights, 0.0).astype(np.float64), known)
    copies = [_Copy(stamp.spacing_m, heights, weights)]
    spacing_m = stamp.spacing_m
    while min(heights.shape) >= 2 * _LEAST_SIDE:
        # Weighted, so that missing data does not leak into coarse heights.
        product, weights = _halved(heights * weights), _halved(weights)
        plain = _halved(heights) / _halved(np.ones_like(heights))
        heights = np.where(weights > 0.0, product / np.where(weights > 0.0, weights, 1.0), plain)
        spacing_m *= 2.0
        copies.append(_Copy(spacing_m, np.pad(heights, 1, mode="edge"), np.pad(weights, 1), 1))
    return copies


def _copy_for(copies: list[_Copy], level: int) -> _Copy | None:
    """The coarsest copy that is at least as fine as the level; None when the stamp is too small to show."""
    spacing_m = float(1 << level)
    if copies[-1].spacing_m * 2.0 <= spacing_m:
        return None
    return next((copy for copy in reversed(copies) if copy.spacing_m <= spacing_m), copies[0])


def _feathered(known: NDArray[np.bool_], samples: float) -> NDArray[np.float64]:
    """Weights: 0 where unknown, rising with the distance from there and from the border to 1."""
    steps = min(_MOST_FEATHER_SAMPLES, math.floor(samples))
    if steps < 1:
        return known.astype(np.float64)
    stride = samples / steps
    inside, total = known, np.zeros(known.shape)
    # Each round counts the samples that survive one more erosion: a distance in steps.
    for _ in range(steps):
        for _ in range(max(1, round(stride))):
            padded = np.pad(inside, 1)
            inside = inside & padded[:-2, 1:-1] & padded[2:, 1:-1] & padded[1:-1, :-2] & padded[1:-1, 2:]
        total += inside
    share = total / steps
    weight: NDArray[np.float64] = share * share * (3.0 - 2.0 * share)
    return weight


def _filled(heights: NDArray[np.float64], known: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Unknown samples replaced by means of coarser and coarser surroundings; they carry no weight of their own."""
    if known.all():
        return heights
    weights = known.astype(np.float64)
    if min(heights.shape) < 2 * _LEAST_SIDE:
        mean = float((heights * weights).sum() / max(weights.sum(), 1.0))
        return np.where(known, heights, mean)
    total = _halved(weights)
    coarse = np.where(total > 0.0, _halved(heights * weights) / np.where(total > 0.0, total, 1.0), 0.0)
    coarse = _filled(coarse, total > 0.0)
    nz, nx = heights.shape
    return np.where(known, heights, np.repeat(np.repeat(coarse, 2, 0), 2, 1)[:nz, :nx])


def _halved(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every second sample of `values` after [1 2 1]/4 along both axes; 0 beyond the border."""
    padded = np.pad(values, 1)
    rows = (padded[:-2:2] + 2.0 * padded[1:-1:2] + padded[2::2]) * 0.25
    halved: NDArray[np.float64] = (rows[:, :-2:2] + 2.0 * rows[:, 1:-1:2] + rows[:, 2::2]) * 0.25
    return halved


def _taps(positions: NDArray[np.float64], count: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """First sample of the interval that holds each position, and the fraction inside it, 0…1."""
    first = np.clip(np.floor(positions).astype(np.int64), 0, count - 2)
    return first, positions - first


def _linear(
    values: NDArray[np.float64], u: NDArray[np.float64], v: NDArray[np.float64]
) -> NDArray[np.float64]:
    nz, nx = values.shape
    i, s = _taps(u, nx)
    j, t = _taps(v, nz)
    west, east = int(i[0]), int(i[-1]) + 2
    rows = values[j, west:east] * (1.0 - t)[:, None] + values[j + 1, west:east] * t[:, None]
    mixed: NDArray[np.float64] = rows[:, i - west] * (1.0 - s) + rows[:, i + 1 - west] * s
    return mixed


def _cubic(
    values: NDArray[np.float64], u: NDArray[np.float64], v: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Catmull-Rom through the samples, the border repeated. Source: Catmull and Rom 1974, tension ½."""
    nz, nx = values.shape
    i, s = _taps(u, nx)
    j, t = _taps(v, nz)
    # Only the columns that are asked for: a page sees a few of a large stamp's.
    west, east = max(int(i[0]) - 1, 0), min(int(i[-1]) + 3, nx)
    rows = np.zeros((len(v), east - west))
    for tap, share in enumerate(_shares(t)):
        rows += values[np.clip(j + tap - 1, 0, nz - 1), west:east] * share[:, None]
    mixed = np.zeros((len(v), len(u)))
    for tap, share in enumerate(_shares(s)):
        mixed += rows[:, np.clip(i + tap - 1, 0, nx - 1) - west] * share
    return mixed


def _shares(t: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    t2, t3 = t * t, t * t * t
    return (
        0.5 * (2.0 * t2 - t - t3),
        0.5 * (2.0 - 5.0 * t2 + 3.0 * t3),
        0.5 * (t + 4.0 * t2 - 3.0 * t3),
        0.5 * (t3 - t2),
    )
