"""Sums of octaves: fBm, billow and ridged noise over grids, along rows of arbitrary positions and at single points.

Lattice, gradients and coordinates are those of `noise`: positions are int64 in 1/1024 m, one octave is a row of the
table `octaves`, int64 [n, `OCTAVE_FIELDS`]: step (cells · 2^32 per metre, rounded once), offset x, offset z, seed,
slice. The slice is used by the 3-D forms only: the fixed-point height (cells · 2^32) at which the octave is cut. The
hash joins a scrambled column and a scrambled row, so that little is left to do where they meet.
`gains`, float32 [n], are amplitudes.

On a grid, inside one row of lattice cells, an octave is `A + B·z + C·v + D·v·z` with v = fade(z): hashes, gradients,
x-fades and the gain collapse into column arrays made once per lattice row (A and B of the northern row, C and D from
those of both), and z, v and v·z depend on the sample row alone. What is left per sample and octave is seven additions
and multiplications, against about sixty for hashing at every sample.

Every form does the same operations in the same order, so grids, rows, points and explanations agree bit for bit.

Source: K. Perlin, "An Image Synthesizer" (1985) and "Improving Noise" (2002); F. K. Musgrave, "Procedural Fractal
Terrains", in D. Ebert et al., "Texturing and Modeling" (the ridged sum); the factored row form is our own algebra.
"""

from __future__ import annotations

import numpy as np

from game.kernels import jit, wide_vectors
from game.kernels.hashing import CELL_X, MASK32, hash_cell, hash_row, mix32
from game.kernels.noise import fade, fraction, gradient, position

BLOCK = 512
"""Columns that are worked on together: four arrays of five octaves fit the first-level cache."""

MAX_OCTAVES = 16
OCTAVE_FIELDS = 5

FBM = 0
"""Sum of gain · n."""
BILLOW = 1
"""Sum of gain · (2·|n| − 0.5): round lumps, sharp creases."""
RIDGED = 2
"""Sum of gain · w · (1 − |n|)², w from the octave before: sharp ridges, rough on high ground, smooth in valleys."""

PITCH = BLOCK + 16
"""Floats from one column array to the next: not a power of two, or loads would collide with stores 4 KiB away."""

FIELDS = 6
"""Column arrays of an octave: A, B of the northern lattice row, C, D, then A, B of the southern lattice row."""

_B = np.uint64(1 * PITCH)
_C = np.uint64(2 * PITCH)
_D = np.uint64(3 * PITCH)
_SOUTH_A = np.uint64(4 * PITCH)
_ROW = np.uint64(PITCH)
_OCTAVE = np.uint64(FIELDS * PITCH)
_TWO_OCTAVES = np.uint64(2 * FIELDS * PITCH)
_THREE_OCTAVES = np.uint64(3 * FIELDS * PITCH)
_1 = np.uint64(1)
_ZERO = np.float32(0.0)
_HALF = np.float32(0.5)
_ONE = np.float32(1.0)
_TWO = np.float32(2.0)
_INVERSE_BOUND = np.float32(1.0 / 1.1)
_NO_ROW = np.int64(1 << 62)
_THIRD = np.uint32(0x5555)
_TWO_THIRDS = np.uint32(0xAAAA)
_JOIN = 0x3C6EF35D  # odd and below 2^31, so that products stay below 2^63
SHARES_CORNERS = not wide_vectors()
"""Whether corners of a lattice row are hashed once each and then handed to the columns, or again at every column.

Hashing takes multiplications and selections that narrow vectors lack; wide ones do it faster than they gather. The bits
are the same."""

_LAYER = 0x51ED27  # what tells a layer of the 3-D lattice from a row of the 2-D one


@jit(forceinline=True)
def between(a0, b0, a1, b1):
    """C and D from A and B of the two lattice rows."""
    return (a1 - b1) - a0, b1 - b0


@jit(forceinline=True)
def kind_gain(kind, gain):
    """What an octave's gradients are multiplied with before the fold of `kind`."""
    if kind == BILLOW:
        return gain * _TWO
    if kind == RIDGED:
        return _INVERSE_BOUND
    return gain


@jit(forceinline=True)
def ridge(value, carry):
    """One octave of the ridged sum from n / bound and the weight so far: (signal, next weight)."""
    crest = _ONE - abs(value)
    signal = crest * crest * carry
    return signal, min(_ONE, signal * _TWO)


@jit(forceinline=True)
def gradient3(hashed):
    """Perlin's gradient (x, y, z) of 3-D noise from a uint32: the twelve edges of a cube, equally likely."""
    first = -_ONE if np.uint32(hashed & np.uint32(1 << 16)) else _ONE
    second = -_ONE if np.uint32(hashed & np.uint32(1 << 17)) else _ONE
    chosen = np.uint32(hashed & np.uint32(0xFFFF))
    no_x = chosen < _THIRD
    no_z = chosen >= _TWO_THIRDS
    gx = _ZERO if no_x else first
    gy = first if no_x else (second if no_z else _ZERO)
    gz = _ZERO if no_z else second
    return gx, gy, gz


@jit(forceinline=True)
def column_part(cell_x):
    """What a lattice point's column brings to its hash, from int64: scrambled once per column, not per point."""
    return mix32(np.uint32((cell_x & MASK32) * CELL_X & MASK32))


@jit(forceinline=True)
def row_part(cell_z, seed):
    """What a lattice point's row and the seed bring to its hash."""
    return mix32(np.uint32(hash_row(cell_z, seed)))


@jit(forceinline=True)
def corner_hash(column, row):
    """Hash of a lattice point, uint32, from its two scrambled parts."""
    h = np.uint32((np.int64(np.uint32(column ^ row)) * _JOIN) & MASK32)
    return np.uint32(h ^ np.uint32(h >> np.uint32(15)))


@jit(forceinline=True)
def corner_pair(west, east, row, x, u):
    """A and B of one lattice row at a column, from the hash parts of the columns on both sides and of the row."""
    left = corner_hash(west, row)
    right = corner_hash(east, row)
    gx0, g0 = gradient(left)
    gx1, g1 = gradient(right)
    n0 = gx0 * x
    n1 = gx1 * (x - _ONE)
    return n0 + u * (n1 - n0), g0 + u * (g1 - g0)


@jit(forceinline=True)
def layer_pair(west, east, row, x, u, y):
    """As `corner_pair`, one layer of the 3-D lattice; `y` the height above that layer in cells."""
    left = corner_hash(west, row)
    right = corner_hash(east, row)
    gx0, gy0, g0 = gradient3(left)
    gx1, gy1, g1 = gradient3(right)
    n0 = gx0 * x + gy0 * y
    n1 = gx1 * (x - _ONE) + gy1 * y
    return n0 + u * (n1 - n0), g0 + u * (g1 - g0)


@jit(forceinline=True)
def slice_pair(west, east, low, high, x, u, y, w):
    """A and B of one lattice row of a slice of 3-D noise: both layers of the row, mixed by `w` = fade(y)."""
    a0, b0 = layer_pair(west, east, low, x, u, y)
    a1, b1 = layer_pair(west, east, high, x, u, y - _ONE)
    return a0 + w * (a1 - a0), b0 + w * (b1 - b0)


@jit(forceinline=True)
def layer_seeds(octave):
    """Seeds of the two layers of the 3-D lattice around an octave's slice."""
    layer = octave[4] >> 32
    return np.int64(hash_cell(layer, _LAYER, octave[3])), np.int64(hash_cell(layer + 1, _LAYER, octave[3]))


@jit
def _columns(solid, positions, first, n, count, octaves, floats, mixed, corners):
    """Hash parts, fractions and fades of a block of columns, for every octave.

    Where a lattice row has fewer corners than half the columns, `corners[o]` is their number, and `mixed` holds the
    corners' hash parts and after them, for each column, the corner to its west. Else it is 0, and `mixed` holds the
    parts west and east of every column.
    """
    fractions = np.uint64(count) * _OCTAVE
    for o in range(count):
        at = np.uint64(o) * _ROW
        east = at + np.uint64(count) * _ROW
        fades = fractions + np.uint64(count) * _ROW
        step, offset = octaves[o, 0], octaves[o, 1]
        cell = position(positions[first], step, offset) >> 32
        span = (position(positions[first + n - _1], step, offset) >> 32) - cell + 2
        corners[o] = span if SHARES_CORNERS and not solid and span * 2 <= np.int64(n) else 0
        for i in range(n):
            t = position(positions[i + first], step, offset)
            x = fraction(t)
            floats[i + at + fractions] = x
            floats[i + at + fades] = fade(x)
        if corners[o] > 0:
            for k in range(np.uint64(span)):
                mixed[k + at] = column_part(cell + np.int64(k))
            for i in range(n):
                mixed[i + east] = np.uint32((position(positions[i + first], step, offset) >> 32) - cell)
        else:
            for i in range(n):
                t = position(positions[i + first], step, offset)
                mixed[i + at] = column_part(t >> 32)
                mixed[i + east] = column_part((t >> 32) + 1)


@jit
def _lattice_row(solid, o, count, octaves, gain, cell, n, floats, mixed, span, shared):
    """Move on to lattice row `cell` of octave `o`: what was the southern row becomes the northern one."""
    slot = np.uint64(o) * _OCTAVE
    south = slot + _SOUTH_A
    at = np.uint64(o) * _ROW
    east = at + np.uint64(count) * _ROW
    fractions = np.uint64(count) * _OCTAVE + at
    fades = fractions + np.uint64(count) * _ROW
    if solid:
        octave = octaves[o]
        low, high = layer_seeds(octave)
        low_row = row_part(cell, low)
        high_row = row_part(cell, high)
        y = fraction(octave[4])
        w = fade(y)
        for i in range(n):
            a, b = slice_pair(
                mixed[i + at],
                mixed[i + east],
                low_row,
                high_row,
                floats[i + fractions],
                floats[i + fades],
                y,
                w,
            )
            a0, b0 = floats[i + south], floats[i + south + _ROW]
            a1, b1 = a * gain, b * gain
            floats[i + slot] = a0
            floats[i + slot + _B] = b0
            floats[i + slot + _C], floats[i + slot + _D] = between(a0, b0, a1, b1)
            floats[i + south] = a1
            floats[i + south + _ROW] = b1
    elif span > 0:
        row = row_part(cell, octaves[o, 3])
        for k in range(np.uint64(span)):
            gx, g = gradient(corner_hash(mixed[k + at], row))
            shared[k] = gx
            shared[k + _ROW] = g
        for i in range(n):
            k = np.uint64(mixed[i + east])
            x = floats[i + fractions]
            u = floats[i + fades]
            gx0, gx1 = shared[k], shared[k + _1]
            g0, g1 = shared[k + _ROW], shared[k + _ROW + _1]
            n0 = gx0 * x
            n1 = gx1 * (x - _ONE)
            a1, b1 = (n0 + u * (n1 - n0)) * gain, (g0 + u * (g1 - g0)) * gain
            a0, b0 = floats[i + south], floats[i + south + _ROW]
            floats[i + slot] = a0
            floats[i + slot + _B] = b0
            floats[i + slot + _C], floats[i + slot + _D] = between(a0, b0, a1, b1)
            floats[i + south] = a1
            floats[i + south + _ROW] = b1
    else:
        row = row_part(cell, octaves[o, 3])
        for i in range(n):
            a, b = corner_pair(mixed[i + at], mixed[i + east], row, floats[i + fractions], floats[i + fades])
            a0, b0 = floats[i + south], floats[i + south + _ROW]
            a1, b1 = a * gain, b * gain
            floats[i + slot] = a0
            floats[i + slot + _B] = b0
            floats[i + slot + _C], floats[i + slot + _D] = between(a0, b0, a1, b1)
            floats[i + south] = a1
            floats[i + south + _ROW] = b1


@jit(forceinline=True)
def _octave(rows, p, z, v, vz):
    return (rows[p] + rows[p + _B] * z) + (rows[p + _C] * v + rows[p + _D] * vz)


@jit(forceinline=True)
def _add_one(rows, at, w, j, k, n, sums):
    z, v, vz = w[j, k], w[j, k + 1], w[j, k + 2]
    for i in range(n):
        sums[0, i] += _octave(rows, i + at, z, v, vz)


@jit(forceinline=True)
def _last_one(rows, at, w, j, k, n, sums, out, first):
    z, v, vz = w[j, k], w[j, k + 1], w[j, k + 2]
    for i in range(n):
        out[j, i + first] = sums[0, i] + _octave(rows, i + at, z, v, vz)


@jit(forceinline=True)
def _add_four(rows, at, w, j, k, n, sums):
    z, v, vz = w[j, k], w[j, k + 1], w[j, k + 2]
    z2, v2, vz2 = w[j, k + 3], w[j, k + 4], w[j, k + 5]
    z3, v3, vz3 = w[j, k + 6], w[j, k + 7], w[j, k + 8]
    z4, v4, vz4 = w[j, k + 9], w[j, k + 10], w[j, k + 11]
    for i in range(n):
        p = i + at
        one = _octave(rows, p, z, v, vz)
        two = _octave(rows, p + _OCTAVE, z2, v2, vz2)
        three = _octave(rows, p + _TWO_OCTAVES, z3, v3, vz3)
        four = _octave(rows, p + _THREE_OCTAVES, z4, v4, vz4)
        sums[0, i] = (((sums[0, i] + one) + two) + three) + four


@jit(forceinline=True)
def _last_four(rows, at, w, j, k, n, sums, out, first):
    z, v, vz = w[j, k], w[j, k + 1], w[j, k + 2]
    z2, v2, vz2 = w[j, k + 3], w[j, k + 4], w[j, k + 5]
    z3, v3, vz3 = w[j, k + 6], w[j, k + 7], w[j, k + 8]
    z4, v4, vz4 = w[j, k + 9], w[j, k + 10], w[j, k + 11]
    for i in range(n):
        p = i + at
        one = _octave(rows, p, z, v, vz)
        two = _octave(rows, p + _OCTAVE, z2, v2, vz2)
        three = _octave(rows, p + _TWO_OCTAVES, z3, v3, vz3)
        four = _octave(rows, p + _THREE_OCTAVES, z4, v4, vz4)
        out[j, i + first] = (((sums[0, i] + one) + two) + three) + four


@jit(forceinline=True)
def _add_billow(rows, at, w, j, k, bias, n, sums):
    z, v, vz = w[j, k], w[j, k + 1], w[j, k + 2]
    for i in range(n):
        sums[0, i] += abs(_octave(rows, i + at, z, v, vz)) - bias


@jit(forceinline=True)
def _add_ridged(rows, at, w, j, k, gain, n, sums):
    z, v, vz = w[j, k], w[j, k + 1], w[j, k + 2]
    for i in range(n):
        signal, carry = ridge(_octave(rows, i + at, z, v, vz), sums[1, i])
        sums[1, i] = carry
        sums[0, i] += signal * gain


@jit(forceinline=True)
def _fold_row(kind, rows, w, gains, j, n, sums, out, first):
    """Fold one row of samples: every octave's pairs in `rows` with its three weights in row `j` of `w`.

    `sums` stays in the first-level cache and `out` is written once, by the last octaves. Plain offsets instead of
    slices, because each slice counts references, which takes longer than an octave.
    """
    octaves = len(gains)
    for i in range(n):
        sums[0, i] = _ZERO
    if kind == FBM:
        singles = octaves & 3
        last = octaves - 1 if octaves < 4 else octaves - 4
        for o in range(min(singles, last)):
            _add_one(rows, np.uint64(o) * _OCTAVE, w, j, o * 3, n, sums)
        for o in range(singles, last, 4):
            _add_four(rows, np.uint64(o) * _OCTAVE, w, j, o * 3, n, sums)
        if octaves < 4:
            _last_one(rows, np.uint64(last) * _OCTAVE, w, j, last * 3, n, sums, out, first)
        else:
            _last_four(rows, np.uint64(last) * _OCTAVE, w, j, last * 3, n, sums, out, first)
    else:
        if kind == BILLOW:
            for o in range(octaves):
                _add_billow(rows, np.uint64(o) * _OCTAVE, w, j, o * 3, gains[o] * _HALF, n, sums)
        else:
            for i in range(n):
                sums[1, i] = _ONE
            for o in range(octaves):
                _add_ridged(rows, np.uint64(o) * _OCTAVE, w, j, o * 3, gains[o], n, sums)
        for i in range(n):
            out[j, i + first] = sums[0, i]


@jit
def _row_table(qz, octaves, cells, weights):
    """Lattice row and the three weights of every sample row and octave."""
    for o in range(len(octaves)):
        step, offset = octaves[o, 0], octaves[o, 2]
        for j in range(len(qz)):
            t = position(qz[j], step, offset)
            z = fraction(t)
            v = fade(z)
            cells[j, o] = t >> 32
            weights[j, o * 3] = z
            weights[j, o * 3 + 1] = v
            weights[j, o * 3 + 2] = v * z


@jit
def fill_grid(kind, solid, qx, qz, octaves, gains, floats, mixed, out):
    """Fill a grid of samples: rows at `qz`, columns at `qx`, int64 [nj] and [ni], ascending, 1/1024 m.

    `kind`: `FBM`, `BILLOW` or `RIDGED`; `solid`: slices of 3-D noise instead of 2-D noise. `floats` float32
    [≥ 8 · n · `PITCH`] and `mixed` uint32 [≥ 2 · n · `PITCH`] are scratch. `out`: float32 [nj, ni], overwritten.
    """
    count = len(gains)
    cells = np.empty((len(qz), count), np.int64)
    weights = np.empty((len(qz), 3 * count), np.float32)
    sums = np.empty((2, PITCH), np.float32)
    held = np.empty(count, np.int64)
    corners = np.empty(count, np.int64)
    shared = np.empty(2 * PITCH, np.float32)
    _row_table(qz, octaves, cells, weights)
    for first in range(0, len(qx), BLOCK):
        n = np.uint64(min(BLOCK, len(qx) - first))
        _columns(solid, qx, np.uint64(first), n, count, octaves, floats, mixed, corners)
        for o in range(count):
            held[o] = _NO_ROW
        for j in range(len(qz)):
            for o in range(count):
                north = cells[j, o]
                if north != held[o]:
                    gain = kind_gain(kind, gains[o])
                    if held[o] != north - 1:
                        _lattice_row(
                            solid, o, count, octaves, gain, north, n, floats, mixed, corners[o], shared
                        )
                    _lattice_row(
                        solid, o, count, octaves, gain, north + 1, n, floats, mixed, corners[o], shared
                    )
                    held[o] = north
            _fold_row(kind, floats, weights, gains, j, n, sums, out, np.uint64(first))


@jit(forceinline=True)
def octave_value(solid, west, east, north, south, high_north, high_south, x, z, y, w, gain):
    """Value of one octave, times `gain`, at fractions (x, y, z) of a cell. Returns float32.

    Hash parts of the columns and rows around it, uint32; those of the upper layer of the 3-D lattice begin with `high`.
    `w` = fade(y).
    """
    u = fade(x)
    v = fade(z)
    if solid:
        a0, b0 = slice_pair(west, east, north, high_north, x, u, y, w)
        a1, b1 = slice_pair(west, east, south, high_south, x, u, y, w)
    else:
        a0, b0 = corner_pair(west, east, north, x, u)
        a1, b1 = corner_pair(west, east, south, x, u)
    a0, b0 = a0 * gain, b0 * gain
    c, d = between(a0, b0, a1 * gain, b1 * gain)
    return (a0 + b0 * z) + (c * v + d * (v * z))


@jit(forceinline=True)
def _hash_seeds(solid, octave):
    """Seeds for the lower and upper layer; the seed itself for 2-D noise."""
    if solid:
        return layer_seeds(octave)
    return octave[3], octave[3]


@jit
def _places(qx, qz, first, n, octave, low_seed, high_seed, parts, fractions):
    """Hash parts (both columns, both rows of each layer) and fractions (x, z) of `n` positions.

    64-bit work in a loop of its own, so that the hashing after it fills vectors of 32-bit lanes.
    """
    step, offset_x, offset_z = octave[0], octave[1], octave[2]
    for i in range(n):
        tx = position(qx[i + first], step, offset_x)
        tz = position(qz[i + first], step, offset_z)
        parts[0, i] = column_part(tx >> 32)
        parts[1, i] = column_part((tx >> 32) + 1)
        parts[2, i] = row_part(tz >> 32, low_seed)
        parts[3, i] = row_part((tz >> 32) + 1, low_seed)
        parts[4, i] = row_part(tz >> 32, high_seed)
        parts[5, i] = row_part((tz >> 32) + 1, high_seed)
        fractions[0, i] = fraction(tx)
        fractions[1, i] = fraction(tz)


@jit
def fill_points(kind, solid, qx, qz, octaves, gains, out):
    """The same sums at arbitrary positions: `qx`, `qz` int64 [n], 1/1024 m; `out` float32 [n], overwritten."""
    parts = np.empty((6, BLOCK), np.uint32)
    fractions = np.empty((2, BLOCK), np.float32)
    sums = np.empty((2, BLOCK), np.float32)
    for start in range(0, len(qx), BLOCK):
        first = np.uint64(start)
        n = np.uint64(min(BLOCK, len(qx) - start))
        for i in range(n):
            sums[0, i] = _ZERO
            sums[1, i] = _ONE
        for o in range(len(gains)):
            octave = octaves[o]
            low_seed, high_seed = _hash_seeds(solid, octave)
            _places(qx, qz, first, n, octave, low_seed, high_seed, parts, fractions)
            gain = kind_gain(kind, gains[o])
            bias = gains[o] * _HALF
            y = fraction(octave[4])
            w = fade(y)
            if solid:
                for i in range(n):
                    fractions[0, i] = octave_value(
                        True,
                        parts[0, i],
                        parts[1, i],
                        parts[2, i],
                        parts[3, i],
                        parts[4, i],
                        parts[5, i],
                        fractions[0, i],
                        fractions[1, i],
                        y,
                        w,
                        gain,
                    )
            else:
                for i in range(n):
                    north, south = parts[2, i], parts[3, i]
                    fractions[0, i] = octave_value(
                        False,
                        parts[0, i],
                        parts[1, i],
                        north,
                        south,
                        north,
                        south,
                        fractions[0, i],
                        fractions[1, i],
                        y,
                        w,
                        gain,
                    )
            for i in range(n):
                value = fractions[0, i]
                if kind == FBM:
                    sums[0, i] += value
                elif kind == BILLOW:
                    sums[0, i] += abs(value) - bias
                else:
                    signal, carry = ridge(value, sums[1, i])
                    sums[1, i] = carry
                    sums[0, i] += signal * gains[o]
        for i in range(n):
            out[i + first] = sums[0, i]


@jit
def _value_at(solid, qx, qz, octave, gain):
    tx = position(qx, octave[0], octave[1])
    tz = position(qz, octave[0], octave[2])
    low_seed, high_seed = _hash_seeds(solid, octave)
    y = fraction(octave[4])
    west = tx >> 32
    north = tz >> 32
    return octave_value(
        solid,
        column_part(west),
        column_part(west + 1),
        row_part(north, low_seed),
        row_part(north + 1, low_seed),
        row_part(north, high_seed),
        row_part(north + 1, high_seed),
        fraction(tx),
        fraction(tz),
        y,
        fade(y),
        gain,
    )


@jit(forceinline=True)
def _contribution(kind, value, gain, carry):
    """What an octave adds to the sum, and the next weight of the ridged sum."""
    if kind == FBM:
        return value, carry
    if kind == BILLOW:
        return abs(value) - gain * _HALF, carry
    signal, after = ridge(value, carry)
    return signal * gain, after


@jit
def point(kind, solid, qx, qz, octaves, gains):
    """The same sum at one position, int64 in 1/1024 m. Returns float32."""
    total = _ZERO
    carry = _ONE
    for o in range(len(gains)):
        value = _value_at(solid, qx, qz, octaves[o], kind_gain(kind, gains[o]))
        part, carry = _contribution(kind, value, gains[o], carry)
        total += part
    return total


@jit
def explain(kind, solid, qx, qz, octaves, gains, cells, hashes, gradients, weights, values):
    """What `point` is made of. Corners in the order x, then z, then layer; 2-D noise fills the first four.

    `cells` int64 [n, 3] (x, layer, z); `hashes` uint32 [n, 8]; `gradients` float32 [n, 8, 3] (x, y, z); `weights`
    float32 [n, 8], the share of each corner; `values` float32 [n, 2]: the octave's own value (gain 1) and what it adds
    to the sum. All overwritten. Returns the sum, float32.
    """
    total = _ZERO
    carry = _ONE
    for o in range(len(gains)):
        octave = octaves[o]
        tx = position(qx, octave[0], octave[1])
        tz = position(qz, octave[0], octave[2])
        cells[o, 0] = tx >> 32
        cells[o, 1] = octave[4] >> 32 if solid else 0
        cells[o, 2] = tz >> 32
        seeds = _hash_seeds(solid, octave)
        u = fade(fraction(tx))
        v = fade(fraction(tz))
        w = fade(fraction(octave[4])) if solid else _ZERO
        for corner in range(8):
            if corner >= 4 and not solid:
                hashes[o, corner] = 0
                weights[o, corner] = _ZERO
                gradients[o, corner, :] = _ZERO
                continue
            right, south = corner & 1, (corner >> 1) & 1
            seed = seeds[1] if corner >= 4 else seeds[0]
            hashed = corner_hash(column_part(cells[o, 0] + right), row_part(cells[o, 2] + south, seed))
            hashes[o, corner] = hashed
            share = (u if right else _ONE - u) * (v if south else _ONE - v)
            weights[o, corner] = share * (w if corner >= 4 else _ONE - w)
            if solid:
                gx, gy, gz = gradient3(hashed)
            else:
                gx, gz = gradient(hashed)
                gy = _ZERO
            gradients[o, corner, 0] = gx
            gradients[o, corner, 1] = gy
            gradients[o, corner, 2] = gz
        value = _value_at(solid, qx, qz, octave, kind_gain(kind, gains[o]))
        part, carry = _contribution(kind, value, gains[o], carry)
        values[o, 0] = _value_at(solid, qx, qz, octave, _ONE)
        values[o, 1] = part
        total += part
    return total


def warm() -> None:
    """Compile every public kernel with the types the game uses."""
    q = np.arange(4, dtype=np.int64) * 1024
    octaves = np.full((2, OCTAVE_FIELDS), 1 << 20, np.int64)
    gains = np.ones(2, np.float32)
    floats = np.zeros(2 * 8 * PITCH, np.float32)
    mixed = np.zeros(2 * 2 * PITCH, np.uint32)
    out = np.zeros((4, 4), np.float32)
    fill_grid(FBM, False, q, q, octaves, gains, floats, mixed, out)
    fill_points(FBM, False, q, q, octaves, gains, out[0])
    point(FBM, False, 5, 7, octaves, gains)
    cells = np.zeros((2, 3), np.int64)
    hashes = np.zeros((2, 8), np.uint32)
    gradients = np.zeros((2, 8, 3), np.float32)
    explain(
        FBM, False, 5, 7, octaves, gains, cells, hashes, gradients, out[:2].repeat(2, 1), out[:2, :2].copy()
    )
