"""How pages become pixels: shaded heights, biomes, slopes, streams and contours."""

from __future__ import annotations

import math
from typing import Any

import contourpy
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from game.core.coords import GENERATED_APRON, MAX_LEVEL, PAGE_QUADS, PageKey
from game.core.errors import UsageError
from game.kernels import flow
from game.world import World
from game.world.biomes import BIOMES
from game.world.page import PageData

LAYERS = ("hillshade", "biome", "slope", "flow", "contours")
_FLOW_SIDE = 2048
_OVERVIEW_SIDE = 128
_SUPERSAMPLING = 3

_Pixels = NDArray[np.uint8]
_Floats = NDArray[np.float32]


class _Samples:
    """One page seen from pixels: fields of samples read between them, bilinear."""

    def __init__(self, page: PageData, xs: NDArray[np.float64], zs: NDArray[np.float64]) -> None:
        origin_x, origin_z = page.key.origin_m
        self.spacing = page.key.spacing_m
        self.u = (xs - origin_x) / self.spacing
        self.v = (zs - origin_z) / self.spacing
        self.heights = page.edited[..., 0]
        self.page = page

    def read(self, field: NDArray[Any], apron: int) -> _Floats:
        """`field` [n, n] with `apron` samples before the page's first, at every pixel."""
        i = np.floor(self.u).astype(np.intp) + apron
        j = np.floor(self.v).astype(np.intp) + apron
        f = (self.u - np.floor(self.u)).astype(np.float32)
        g = (self.v - np.floor(self.v)).astype(np.float32)[:, None]
        rows = field.astype(np.float32)
        across: _Floats = rows[:, i] * (1 - f) + rows[:, i + 1] * f
        mixed: _Floats = (across[j] * (1 - g) + across[j + 1] * g).astype(np.float32)
        return mixed

    def height(self) -> _Floats:
        return self.read(self.heights, GENERATED_APRON)

    def slopes(self) -> tuple[_Floats, _Floats]:
        """Rise over run along x and z."""
        h = self.heights
        scale = np.float32(0.5 / self.spacing)
        return (
            self.read((h[1:-1, 2:] - h[1:-1, :-2]) * scale, GENERATED_APRON - 1),
            self.read((h[2:, 1:-1] - h[:-2, 1:-1]) * scale, GENERATED_APRON - 1),
        )

    def climate(self) -> _Floats:
        """Temperature in °C, humidity, rock and tree density (0…1): float32 [4, h, w]."""
        t, humidity, rock, trees = (self.read(self.page.climate[..., k], 2) / 255.0 for k in range(4))
        return np.stack([t * 60.0 - 20.0, humidity, rock, trees])


class Painter:
    """Turns pages into pixels. Read-only after construction, so that threads may share it."""

    def __init__(
        self,
        world: World,
        layer: str,
        bounds: tuple[float, float, float, float],
        pixel_m: float,
        interval_m: float | None,
    ) -> None:
        """`layer` one of `LAYERS`; `bounds` x0, z0, x1, z1 and `pixel_m`, the lesser side of a pixel, in metres."""
        self.world = world
        self.layer = layer
        # Land looks flat where a pixel is wide, so its slopes are drawn steeper there.
        self.relief = min(4.0, max(1.0, (pixel_m / 10.0) ** 0.3))
        self.interval_m = interval_m or 0.0
        if self.layer == "contours" and interval_m is None:
            self.interval_m = _nice_interval(_overview(world, bounds, _OVERVIEW_SIDE)[0])
        if self.layer == "flow":
            self.streams = _streams(*_overview(world, bounds, _FLOW_SIDE))

    def paint(self, key: PageKey, xs: NDArray[np.float64], zs: NDArray[np.float64]) -> _Pixels:
        """Pixels at columns `xs` and rows `zs`, metres, all in page `key`: uint8 [len(zs), len(xs), 3]."""
        at = _Samples(self.world.edited(key), xs, zs)
        slope_x, slope_z = at.slopes()
        height = at.height()
        if self.layer == "slope":
            colour = _ramp(_SLOPES, np.degrees(np.arctan(np.hypot(slope_x, slope_z))))
        elif self.layer == "biome":
            colour = (
                self._biomes(at.climate(), height, np.hypot(slope_x, slope_z))
                * (0.35 + 0.65 * self._light(slope_x, slope_z))[..., None]
            )
        else:
            colour = _ramp(_HEIGHTS, height) * self._light(slope_x, slope_z)[..., None]
            if self.layer == "contours":
                colour = 0.45 * colour + 140.0
                for share, tone in zip(
                    _contours(at, self.interval_m), ((150, 95, 50), (95, 50, 20)), strict=True
                ):
                    colour += (np.array(tone, np.float32) - colour) * share[..., None]
            elif self.layer == "flow":
                colour = 0.45 * colour + 120.0
                share = self.streams.at(xs, zs)[..., None]
                colour += (np.array((20, 70, 190), np.float32) - colour) * share
        pixels: _Pixels = np.clip(colour + 0.5, 0, 255).astype(np.uint8)
        return pixels

    def _biomes(self, climate: _Floats, height: _Floats, slope: _Floats) -> _Floats:
        """Colours of the biomes mixed by their weights, bare rock and water over them."""
        temperature, humidity, rock, trees = climate
        weights = self.world.cover(temperature, humidity, height, slope).astype(np.float32)
        colour: _Floats = weights @ np.array([_BIOMES[name] for name in BIOMES], np.float32)
        wooded = weights @ np.array([name.endswith("forest") for name in BIOMES], np.float32)
        clearing = wooded * np.clip(1.0 - 2.0 * trees, 0.0, 1.0) * 0.6
        frozen = weights[..., BIOMES.index("glacier")]
        stone = np.clip((rock - 0.3) / 0.4, 0.0, 1.0) * (1.0 - 0.6 * frozen)
        for tone, share in (
            (_BIOMES["alpine meadow"], clearing),
            (_ROCK, stone),
            (_WATER, np.clip(-height, 0.0, 1.0)),
        ):
            colour += (np.array(tone, np.float32) - colour) * share[..., None]
        return colour

    def _light(self, slope_x: _Floats, slope_z: _Floats) -> _Floats:
        """Brightness 0…1.1 under a sun in the north-west, 45° high."""
        gx, gz = slope_x * self.relief, slope_z * self.relief
        lit = (gx * 0.5 + gz * 0.5 + 0.7071) / np.sqrt(gx * gx + gz * gz + 1.0)
        light: _Floats = (0.25 + 0.95 * np.clip(lit, 0.0, 1.0)).astype(np.float32)
        return light


_HEIGHTS = (
    (-200.0, (40, 70, 120)),
    (-1.0, (110, 160, 200)),
    (0.0, (178, 190, 140)),
    (300.0, (150, 175, 115)),
    (900.0, (190, 185, 130)),
    (1600.0, (185, 155, 120)),
    (2400.0, (200, 190, 185)),
    (3200.0, (250, 250, 252)),
)
"""Metres and colour."""
_BIOMES = {
    "glacier": (246, 249, 255),
    "tundra": (166, 165, 136),
    "alpine meadow": (150, 180, 98),
    "conifer forest": (50, 92, 62),
    "broadleaf forest": (84, 132, 62),
    "rain forest": (24, 104, 54),
    "steppe": (202, 184, 122),
    "desert": (228, 198, 142),
    "beach": (240, 226, 178),
    "marsh": (116, 134, 96),
}
_ROCK = (128, 122, 118)
_WATER = (90, 145, 195)
_SLOPES = (
    (0.0, (245, 245, 240)),
    (10.0, (190, 220, 150)),
    (20.0, (240, 220, 110)),
    (30.0, (235, 140, 60)),
    (40.0, (190, 50, 50)),
    (60.0, (90, 20, 90)),
)
"""Degrees and colour."""


def _ramp(stops: tuple[tuple[float, tuple[int, int, int]], ...], values: _Floats) -> _Floats:
    at = np.array([stop for stop, _ in stops])
    tones = np.array([tone for _, tone in stops], np.float64)
    colour: _Floats = np.stack([np.interp(values, at, tones[:, k]) for k in range(3)], axis=-1).astype(
        np.float32
    )
    return colour


def _overview(
    world: World, bounds: tuple[float, float, float, float], side: int
) -> tuple[_Floats, int, int, int]:
    """Heights over the region and a margin at the finest level with at most `side` samples a side; level, i0, j0."""
    x0, z0, x1, z1 = bounds
    level = max(0, min(MAX_LEVEL, math.ceil(math.log2(max(x1 - x0, z1 - z0) / side))))
    spacing = 1 << level
    if max(x1 - x0, z1 - z0) / spacing > 4 * side:
        raise UsageError(
            f"--bounds: a region {max(x1 - x0, z1 - z0) / 1000.0:.0f} km wide is not accepted with this layer; "
            f"give at most {4 * side * spacing // 1000} km"
        )
    i0, j0 = math.floor(x0 / spacing) - 1, math.floor(z0 / spacing) - 1
    ni, nj = math.ceil(x1 / spacing) + 2 - i0, math.ceil(z1 / spacing) + 2 - j0
    return world.heights(i0 * spacing, j0 * spacing, ni, nj, spacing, threads=2), level, i0, j0


def _nice_interval(heights: _Floats) -> float:
    """A round interval with about twenty contours from the lowest to the highest place."""
    wanted = max(1.0, float(np.ptp(heights))) / 20.0
    power = 10.0 ** math.floor(math.log10(wanted))
    return next(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power >= wanted)


class _Streams:
    """How much of a pixel is stream, from the drained area on a grid over the whole region."""

    def __init__(self, share: _Floats, level: int, i0: int, j0: int) -> None:
        self._share, self._spacing, self._i0, self._j0 = share, 1 << level, i0, j0

    def at(self, xs: NDArray[np.float64], zs: NDArray[np.float64]) -> _Floats:
        """float32 [len(zs), len(xs)], 0…1, bilinear."""
        u, v = xs / self._spacing - self._i0, zs / self._spacing - self._j0
        i, j = np.floor(u).astype(np.intp), np.floor(v).astype(np.intp)
        f, g = (u - i).astype(np.float32), (v - j).astype(np.float32)[:, None]
        box = self._share[j[0] : j[-1] + 2, i[0] : i[-1] + 2]
        i, j = i - i[0], j - j[0]
        across = box[:, i] * (1 - f) + box[:, i + 1] * f
        mixed: _Floats = (across[j] * (1 - g) + across[j + 1] * g).astype(np.float32)
        return mixed


def _streams(heights: _Floats, level: int, i0: int, j0: int) -> _Streams:
    filled, area = np.empty_like(heights), np.empty_like(heights)
    order = np.empty(heights.size, np.int32)
    flow.flood(heights, filled, order)
    flow.accumulate(filled, order, np.empty_like(order), area)
    # Streams begin at about 30 cells and are drawn in full from 3000.
    share = np.clip((np.log2(area) - 5.0) / 6.5, 0.0, 1.0)
    share[heights < 0.0] = 0.0
    return _Streams(share.astype(np.float32), level, i0, j0)


def _contours(at: _Samples, interval_m: float) -> tuple[_Floats, _Floats]:
    """Shares of each pixel covered by contours and by every fifth, drawn thicker: float32 [h, w] each."""
    reach = slice(GENERATED_APRON - 2, GENERATED_APRON + PAGE_QUADS + 3)
    heights = at.heights[reach, reach]
    steps = np.arange(-2, PAGE_QUADS + 3)
    generator = contourpy.contour_generator(steps, steps, heights, line_type=contourpy.LineType.Separate)
    size = len(at.u) * _SUPERSAMPLING, len(at.v) * _SUPERSAMPLING
    masks = [Image.new("L", size), Image.new("L", size)]
    scale = np.array([_per_sample(at.u), _per_sample(at.v)]) * _SUPERSAMPLING
    first = np.array([at.u[0], at.v[0]])
    lowest = math.ceil(float(heights.min()) / interval_m)
    highest = math.floor(float(heights.max()) / interval_m)
    pens = [ImageDraw.Draw(mask) for mask in masks]
    for number in range(lowest, highest + 1):
        thick = number % 5 == 0
        for line in generator.lines(number * interval_m):
            points = (line - first) * scale + _SUPERSAMPLING / 2.0
            pens[thick].line(
                points.ravel().tolist(), fill=255, width=_SUPERSAMPLING * 2 if thick else _SUPERSAMPLING
            )
    thin, thick_mask = (
        np.asarray(mask.reduce(_SUPERSAMPLING), np.float32) / np.float32(255.0) for mask in masks
    )
    return thin, thick_mask


def _per_sample(positions: NDArray[np.float64]) -> float:
    """Pixels a sample; one pixel alone is as wide as the page's samples."""
    return 1.0 / float(positions[1] - positions[0]) if len(positions) > 1 else 1.0
