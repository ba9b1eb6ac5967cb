"""What is stored of a page beside its samples: heights to upload, normals, climate bytes, and the bounds.

Pairs of values lie side by side in a page's arrays. Here they are first taken apart into planes, and bytes are put
together into words of four: loops over contiguous rows then fill whole vectors.
"""

from __future__ import annotations

import numpy as np

from game.core.coords import GENERATED, STORED
from game.kernels import jit, uncounted
from game.kernels.landscape import P_LAPSE, P_ROCK_COLD, P_ROCK_SLOPE_HIGH, P_ROCK_SLOPE_LOW, flat_tables
from game.kernels.shaping import smoothstep

TEMPERATURE_MIN_C = -20.0
TEMPERATURE_SPAN_C = 60.0

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_HALF = np.float32(0.5)
_BYTE = np.float32(255.0)
_COLDEST = np.float32(TEMPERATURE_MIN_C)
_PER_DEGREE = np.float32(255.0 / TEMPERATURE_SPAN_C)
_NORMAL_SCALE = np.float32(127.5)
_NORMAL_CENTRE = np.float32(128.0)  # 127.5 and a half, so that truncation rounds
_8 = np.uint32(8)
_16 = np.uint32(16)
_24 = np.uint32(24)


@uncounted
def _normal_bytes(west, east, north, south, n, across, out):
    """Bytes x and z of normals from heights of one row's neighbours, in the low half of words."""
    for i in range(np.uint64(n)):
        dx = west[i] - east[i]
        dz = north[i] - south[i]
        scale = _NORMAL_SCALE / np.sqrt((dx * dx + dz * dz) + across)
        x = np.uint32(np.int32(dx * scale + _NORMAL_CENTRE))
        z = np.uint32(np.int32(dz * scale + _NORMAL_CENTRE))
        out[i] = np.uint32(x | np.uint32(z << _8))


@jit
def _bounds(values):
    """Lowest and highest of a contiguous float32 [`STORED`, 2 · `STORED`]."""
    lowest = values[0].copy()
    highest = values[0].copy()
    for j in range(1, STORED):
        row = values[j]
        for i in range(2 * STORED):
            lowest[i] = min(lowest[i], row[i])
            highest[i] = max(highest[i], row[i])
    low, high = lowest[0], highest[0]
    for i in range(2 * STORED):
        low = min(low, lowest[i])
        high = max(high, highest[i])
    return low, high


@jit
def finish_page(edited, spacing_m, j0, j1, i0, i1, heights, normals):
    """Copy the stored box [j0:j1, i0:i1] of a page out of its generated samples and make its normals.

    `edited` float32 [136, 136, 2]; `heights` float32 [132, 132, 2] and `normals` uint8 [132, 132, 4] are changed in
    the box only. Own normals are central differences at `spacing_m`; the parent's come from G two samples away, over
    2 · `spacing_m`, and are the parent's own bytes at even samples. A change of one sample reaches normals two samples
    away, so a dirty box must be widened by 2 first. Returns the lowest and highest of all stored R and G, metres.
    """
    across = np.float32(2.0) * np.float32(spacing_m)
    parent_across = np.float32(4.0) * np.float32(spacing_m)
    across *= across
    parent_across *= parent_across
    n = i1 - i0
    own = np.empty((j1 - j0 + 4, n + 4), np.float32)
    parents = np.empty((j1 - j0 + 4, n + 4), np.float32)
    for j in range(j1 - j0 + 4):
        pairs, first, second = edited[j0 + j, i0:], own[j], parents[j]
        for i in range(n + 4):
            first[i] = pairs[i, 0]
            second[i] = pairs[i, 1]
    low_half, high_half = np.empty(n, np.uint32), np.empty(n, np.uint32)
    words = normals.view(np.uint32)
    for j in range(j1 - j0):
        here = own[j + 2]
        _normal_bytes(here[1:], here[3:], own[j + 1, 2:], own[j + 3, 2:], n, across, low_half)
        here = parents[j + 2]
        _normal_bytes(here, here[4:], parents[j, 2:], parents[j + 4, 2:], n, parent_across, high_half)
        target = words[j0 + j, i0:]
        for i in range(n):
            target[i, 0] = np.uint32(low_half[i] | np.uint32(high_half[i] << _16))
        source, stored = edited[j0 + j + 2, i0 + 2 :], heights[j0 + j, i0:]
        for i in range(n):
            stored[i, 0] = source[i, 0]
            stored[i, 1] = source[i, 1]
    return _bounds(heights.reshape(STORED, 2 * STORED))


@jit
def climate_box(samples, first, spacing_m, nj, ni, tables, fields, out):
    """Climate bytes of `nj` × `ni` samples: temperature, humidity, bare rock, tree density.

    Sample (0, 0) is `samples[first, first, 0]` and `fields[:, first, first]` (see `rows.sample_block`); heights one
    sample around are read for the slope. `out` uint8 [nj, ni, 4], scaled as `PageData.climate`.
    """
    p = tables.parameters
    rock_low, rock_high, cold = p[P_ROCK_SLOPE_LOW], p[P_ROCK_SLOPE_HIGH], p[P_ROCK_COLD]
    lapse = p[P_LAPSE]
    across = _HALF / np.float32(spacing_m)
    plane = np.empty((nj + 2, ni + 2), np.float32)
    for j in range(nj + 2):
        pairs, heights = samples[j + first - 1, first - 1 :], plane[j]
        for i in range(ni + 2):
            heights[i] = pairs[i, 0]
    bare, word = np.empty(ni, np.float32), np.empty(ni, np.uint32)
    words = out.view(np.uint32)
    for j in range(nj):
        north, here, south = plane[j, 1:], plane[j + 1], plane[j + 2, 1:]
        west, east = here, here[2:]
        for i in range(np.uint64(ni)):
            dx = (east[i] - west[i]) * across
            dz = (south[i] - north[i]) * across
            slope = np.sqrt(dx * dx + dz * dz)
            bare[i] = _ONE - smoothstep(rock_low, rock_high, slope)
        warmth, crag = fields[0, j + first, first:], fields[3, j + first, first:]
        middle = here[1:]
        for i in range(np.uint64(ni)):
            temperature = warmth[i] - lapse * middle[i]
            left = bare[i]
            left *= _ONE - np.float32(0.7) * crag[i]
            left *= _ONE - _HALF * smoothstep(np.float32(-4.0), np.float32(3.0), cold - temperature)
            a = np.uint32(np.int32(min(max((temperature - _COLDEST) * _PER_DEGREE, _ZERO), _BYTE) + _HALF))
            c = np.uint32(np.int32((_ONE - left) * _BYTE + _HALF))
            word[i] = np.uint32(a | np.uint32(c << _16))
        humidity, forest = fields[1, j + first, first:], fields[2, j + first, first:]
        for i in range(np.uint64(ni)):
            b = np.uint32(np.int32(humidity[i] * _BYTE + _HALF))
            d = np.uint32(np.int32(forest[i] * _BYTE + _HALF))
            word[i] = np.uint32(word[i] | np.uint32(np.uint32(b << _8) | np.uint32(d << _24)))
        target = words[j]
        for i in range(ni):
            target[i, 0] = word[i]


def warm() -> None:
    """Compile every public kernel with the types the game uses."""
    base = np.zeros((GENERATED, GENERATED, 2), np.float32)
    heights = np.zeros((STORED, STORED, 2), np.float32)
    normals = np.zeros((STORED, STORED, 4), np.uint8)
    finish_page(base, 1, 0, 1, 0, 1, heights, normals)
    climate_box(base, 1, 1, 1, 1, flat_tables(), np.zeros((4, 144, 144), np.float32), normals)
