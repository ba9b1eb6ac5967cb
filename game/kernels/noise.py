"""Gradient noise on a fixed-point lattice: one octave at a time, along rows of samples.

A position is an int64 `t` in cells · 2^32, made from an integer sample position, so the cell and the fraction are
exact anywhere: `cell = t >> 32`, `fraction = 24 bits of t` as float32, never 1. Two tiles therefore agree bit for
bit on what they share, and far land does not jitter.

One octave is zero at its own lattice points, lies within ±`BOUND`, has an rms of about 0.33, and its value, slope
and curvature are continuous (quintic fade). Each octave has a hashed offset, so that octaves share no zeros.

Two forms, with the same lattice and gradients:
`noise_row` hashes at every sample and takes any positions (warped ones, for instance);
`column_table` + `corner_rows` + `blend_row` use that inside one row of lattice cells an aligned octave is
`A0·w0 + B0·w1 + A1·w2 + B1·w3`, with A and B fixed per lattice row and four weights per sample row.

Source: K. Perlin, "Improving Noise" (2002) for the quintic fade; the factored row form is our own algebra.
"""

from __future__ import annotations

import numpy as np

from game.kernels import uncounted
from game.kernels.hashing import hash_cell

LENGTH = 1.53
"""Length of every gradient, chosen for an rms of 0.33."""

BOUND = 1.1
"""One octave lies within ±this: √½ times the longest gradient, reached in the middle of a cell."""

ALIGNED_SCALE = 1 << 32
"""Divided by a wavelength in metres: the lattice step of an aligned octave, in cells · 2^32 per metre."""

WARPED_SCALE = 1 << 30
"""Divided by a wavelength in metres: the lattice step of `noise_row`, in cells · 2^40 per 1/1024 m."""

SHORTEST_WARPED_M = 225.0

_RUN = 6
"""From so many samples a cell on, it pays to hash a cell's corners once."""

ROOM = 288
"""Most positions of one `noise_row`, and floats from one row of its scratch to the next: not a power of two, or rows
would compete for the same cache lines."""
# Rows 0 and 1 are the samples' cells and fractions. Of each run of samples in one cell: cell x, cell z and where it
# ends, and eight numbers of gradients.
CELL_ROWS, SCRATCH_ROWS = 5, 10
_HALF_REACH = 1 << 31
_ROW1, _ROW2, _ROW3 = np.uint64(ROOM), np.uint64(2 * ROOM), np.uint64(3 * ROOM)
_ROW4, _ROW5, _ROW6 = np.uint64(4 * ROOM), np.uint64(5 * ROOM), np.uint64(6 * ROOM)
_ROW7, _ROW8, _ROW9 = np.uint64(7 * ROOM), np.uint64(8 * ROOM), np.uint64(9 * ROOM)

FRACTION_SCALE = 1.0 / 16777216.0
_FRACTION = np.float32(FRACTION_SCALE)
_SIDE = np.float32(1.0 / 32768.0)
_SIDE_CENTRE = np.float32(1.0 - 1.0 / 65536.0)
_LENGTH = np.float32(LENGTH)
# 1/√(1 + t²) ≈ 1 − t²·(0.4527 − 0.1655·t²) on 0…1.
_ROUND_2 = np.float32(LENGTH * 0.4527)
_ROUND_4 = np.float32(LENGTH * 0.1655)
_SIGN_BIT = np.uint32(1 << 16)
_SWAP_BIT = np.uint32(1 << 17)
_ONE = np.float32(1.0)
_SIX = np.float32(6.0)
_TEN = np.float32(10.0)
_FIFTEEN = np.float32(15.0)
_LOW16 = np.uint32(0xFFFF)


@uncounted(forceinline=True)
def fade(t):
    """Quintic smoothstep 6t⁵ − 15t⁴ + 10t³ in float32: slope and curvature vanish at 0 and 1."""
    return t * t * t * (t * (t * _SIX - _FIFTEEN) + _TEN)


@uncounted(forceinline=True)
def fraction(t):
    """Position inside the cell, float32 in 0…1 (1 excluded), of fixed-point `t` (int64, cells · 2^32)."""
    return np.float32(np.int32((t >> 8) & 0xFFFFFF)) * _FRACTION


@uncounted(forceinline=True)
def gradient(hashed):
    """Gradient (x, z) at a lattice point from a uint32, float32: length `LENGTH` within 1 %, any direction.

    A point on the side of a square, brought to the circle by a polynomial: no trigonometry and no division.
    """
    t = np.float32(np.int32(hashed & _LOW16)) * _SIDE - _SIDE_CENTRE
    q = t * t
    long = _LENGTH - q * (_ROUND_2 - q * _ROUND_4)
    if np.uint32(hashed & _SIGN_BIT):
        long = -long
    short = t * long
    if np.uint32(hashed & _SWAP_BIT):
        return short, long
    return long, short


@uncounted(forceinline=True)
def corners_blend(cx, cz, x, z, seed):
    """Value of one octave at fractions (x, z), float32, of lattice cell (cx, cz). Returns float32."""
    u = fade(x)
    v = fade(z)
    h00 = hash_cell(cx, cz, seed)
    h10 = hash_cell(cx + 1, cz, seed)
    h01 = hash_cell(cx, cz + 1, seed)
    h11 = hash_cell(cx + 1, cz + 1, seed)
    x1 = x - _ONE
    z1 = z - _ONE
    gx00, gz00 = gradient(h00)
    gx10, gz10 = gradient(h10)
    gx01, gz01 = gradient(h01)
    gx11, gz11 = gradient(h11)
    n00 = gx00 * x + gz00 * z
    n10 = gx10 * x1 + gz10 * z
    n01 = gx01 * x + gz01 * z1
    n11 = gx11 * x1 + gz11 * z1
    top = n00 + u * (n10 - n00)
    low = n01 + u * (n11 - n01)
    return top + v * (low - top)


@uncounted
def noise_at(tx, tz, seed):
    """Value of one octave at fixed-point (tx, tz), int64 cells · 2^32. Returns float32."""
    return corners_blend(tx >> 32, tz >> 32, fraction(tx), fraction(tz), seed)


@uncounted(forceinline=True)
def position(q, step, offset):
    """Fixed-point lattice position (int64, cells · 2^32) of a place `q` in 1/1024 m, along one axis.

    Whole metres are multiplied exactly; only the part below a metre is rounded (down), to 2^-32 cell.
    """
    return (q >> 10) * step + (((q & 1023) * step) >> 10) + offset


@uncounted
def noise_row(qx, qz, n, octave, cells, scratch, out):
    """One octave at `n` ≤ `ROOM` arbitrary positions.

    `qx`, `qz`: int64 [≥ n], positions in 1/1024 m. `octave`: int64 [4] = step (`WARPED_SCALE` / wavelength in m),
    offset x, offset z (cells · 2^40), seed. `cells` int32 [`CELL_ROWS` · `ROOM`] and `scratch` float32
    [`SCRATCH_ROWS` · `ROOM`] are overwritten. `out`: float32 [≥ n], overwritten. Wavelengths must be at least
    `SHORTEST_WARPED_M`, or the lattice leaves 63 bits at ±1e9 m.
    """
    step = octave[0]
    offset_x = octave[1]
    offset_z = octave[2]
    seed = octave[3]
    # 64-bit lattice arithmetic in a loop of its own: the hashing below then fills vectors of 32-bit lanes. A row is
    # seldom longer than 2^32 / 1024 m, so that a product of 32-bit numbers does; modulo 2^64 it is the same sum.
    base_x, base_z = qx[0] - _HALF_REACH, qz[0] - _HALF_REACH
    beyond = np.int64(0)
    for i in range(np.uint64(n)):
        beyond |= ((qx[i] - base_x) >> 32) | ((qz[i] - base_z) >> 32)
    if beyond == 0:
        short = np.int64(np.uint32(step))
        from_x, from_z = base_x * step + offset_x, base_z * step + offset_z
        for i in range(np.uint64(n)):
            tx = (np.int64(np.uint32(qx[i] - base_x)) * short + from_x) >> 8
            tz = (np.int64(np.uint32(qz[i] - base_z)) * short + from_z) >> 8
            cells[i] = np.int32(tx >> 32)
            cells[_ROW1 + i] = np.int32(tz >> 32)
            scratch[i] = fraction(tx)
            scratch[_ROW1 + i] = fraction(tz)
    else:
        for i in range(np.uint64(n)):
            tx = (qx[i] * step + offset_x) >> 8
            tz = (qz[i] * step + offset_z) >> 8
            cells[i] = np.int32(tx >> 32)
            cells[_ROW1 + i] = np.int32(tz >> 32)
            scratch[i] = fraction(tx)
            scratch[_ROW1 + i] = fraction(tz)
    # Nodes are much closer than long waves: whole runs share a cell, whose corners are hashed once then.
    changes = np.int32(1)
    for i in range(np.uint64(1), np.uint64(n)):
        same_x = cells[i] == cells[i - np.uint64(1)]
        same_z = cells[_ROW1 + i] == cells[_ROW1 + i - np.uint64(1)]
        changes += np.int32(0) if same_x & same_z else np.int32(1)
    if _RUN * np.int64(changes) > n:
        for i in range(np.uint64(n)):
            out[i] = corners_blend(
                np.int64(cells[i]), np.int64(cells[_ROW1 + i]), scratch[i], scratch[_ROW1 + i], seed
            )
        return
    runs = np.uint64(0)
    for i in range(np.uint64(n)):
        cx, cz = cells[i], cells[_ROW1 + i]
        # Written at every sample and counted where the run begins: no branch to guess wrong.
        cells[_ROW2 + runs] = cx
        cells[_ROW3 + runs] = cz
        cells[_ROW4 + runs] = np.int32(i + np.uint64(1))
        last = i + np.uint64(1) == np.uint64(n)
        ends = last or cells[i + np.uint64(1)] != cx or cells[_ROW1 + i + np.uint64(1)] != cz
        runs += np.uint64(1) if ends else np.uint64(0)
    first = np.uint64(0)
    for r in range(runs):
        x = np.int64(cells[_ROW2 + r])
        z = np.int64(cells[_ROW3 + r])
        scratch[_ROW2 + r], scratch[_ROW3 + r] = gradient(hash_cell(x, z, seed))
        scratch[_ROW4 + r], scratch[_ROW5 + r] = gradient(hash_cell(x + 1, z, seed))
        scratch[_ROW6 + r], scratch[_ROW7 + r] = gradient(hash_cell(x, z + 1, seed))
        scratch[_ROW8 + r], scratch[_ROW9 + r] = gradient(hash_cell(x + 1, z + 1, seed))
    for r in range(runs):
        gx00, gz00 = scratch[_ROW2 + r], scratch[_ROW3 + r]
        gx10, gz10 = scratch[_ROW4 + r], scratch[_ROW5 + r]
        gx01, gz01 = scratch[_ROW6 + r], scratch[_ROW7 + r]
        gx11, gz11 = scratch[_ROW8 + r], scratch[_ROW9 + r]
        end = np.uint64(cells[_ROW4 + r])
        for i in range(first, end):
            x = scratch[i]
            z = scratch[_ROW1 + i]
            u = fade(x)
            x1 = x - _ONE
            z1 = z - _ONE
            n00 = gx00 * x + gz00 * z
            n10 = gx10 * x1 + gz10 * z
            n01 = gx01 * x + gz01 * z1
            n11 = gx11 * x1 + gz11 * z1
            top = n00 + u * (n10 - n00)
            low = n01 + u * (n11 - n01)
            out[i] = top + fade(z) * (low - top)
        first = end


@uncounted
def column_table(positions, n, step, offset, cells, fractions, fades):
    """Cells, fractions and fades of `n` columns for one aligned octave.

    `positions` int64 [≥ n] in 1/1024 m; `cells` int32, `fractions` and `fades` float32, all [≥ n], overwritten.
    """
    for i in range(n):
        at = position(positions[i], step, offset)
        cells[i] = np.int32(at >> 32)
        fractions[i] = fraction(at)
        fades[i] = fade(fractions[i])


@uncounted
def corner_rows(cells, cell_z, seed, fractions, fades, n, a, b):
    """Column arrays A and B of one lattice row `cell_z`: hashes, gradients and x-fades collapsed.

    `a`, `b`: float32 [≥ n], overwritten.
    """
    for i in range(n):
        left = hash_cell(np.int64(cells[i]), cell_z, seed)
        right = hash_cell(np.int64(cells[i]) + 1, cell_z, seed)
        x = fractions[i]
        u = fades[i]
        gx0, g0 = gradient(left)
        gx1, g1 = gradient(right)
        n0 = gx0 * x
        n1 = gx1 * (x - _ONE)
        a[i] = n0 + u * (n1 - n0)
        b[i] = g0 + u * (g1 - g0)


@uncounted
def blend_row(a0, b0, a1, b1, z, n, out):
    """Values of one aligned octave along a sample row at fraction `z` (float32) between two lattice rows."""
    v = fade(z)
    w0 = _ONE - v
    w1 = w0 * z
    w2 = v
    w3 = v * (z - _ONE)
    for i in range(n):
        out[i] = (a0[i] * w0 + b0[i] * w1) + (a1[i] * w2 + b1[i] * w3)


def warm() -> None:
    """Compile every public kernel with the types the game uses."""
    f = np.zeros((6, 8), np.float32)
    q = np.zeros((3, 8), np.int64)
    octave = np.array([1 << 20, 3, 5, 7], np.int64)
    noise_at(5, 7, 9)
    corners_blend(1, 2, np.float32(0.5), np.float32(0.5), 9)
    fade(np.float32(0.5))
    fraction(5)
    gradient(np.uint32(3))
    cells = np.zeros((2, 8), np.int32)
    scratch = np.zeros(SCRATCH_ROWS * ROOM, np.float32)
    noise_row(q[0], q[1], 8, octave, np.zeros(CELL_ROWS * ROOM, np.int32), scratch, f[2])
    position(3, 5, 7)
    column_table(q[0], 8, 1 << 20, 3, cells[0], f[0], f[1])
    corner_rows(cells[0], 0, 7, f[0], f[1], 8, f[2], f[3])
    blend_row(f[2], f[3], f[2], f[3], np.float32(0.5), 8, f[4])
