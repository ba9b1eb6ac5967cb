"""Sums over octaves along one row of samples: gullies carved from the slope, and aligned fractal noise.

A row of samples lives in one float32 buffer of fields `ROW` apart, addressed with unsigned offsets. That matters:
a single base pointer with constant distances lets LLVM vectorise without run-time alias checks, and unsigned
indices spare the wrap-around test of Python indexing.

Gullies are waves whose crests follow the fall line. Each lattice cell holds one jittered pivot; the phase at a
sample is its distance from the pivot across the slope; cosines and sines of the four nearest pivots are blended and
normalised. A mask fades a wave where the slope is too gentle or too curved for its wavelength, and the slope is
updated after every octave, so that small gullies run down the walls of large ones. Every sample is computed alone:
the land tiles without halos.

Band limits never change this recursion, only the weights with which an octave enters the two sums (this level's and
the parent's), so the parent's height is the same bits wherever it is asked for.

Source: the idea of slope-aligned procedural gullies is from C. John (2018) and R. Fewes (2023); the blending,
masks and constants are our own.
"""

from __future__ import annotations

import numpy as np

from game.kernels import uncounted
from game.kernels.hashing import MASK32, hash_cell
from game.kernels.shaping import dune_profile, stairs, turns

ROW = 144
"""Floats from one field of a row buffer to the next; rows hold at most this many samples."""

_STRIDE = np.uint64(ROW)
# Fields of the row buffer. The first fifteen are the node fields of `heightfield`, in its order.
HEIGHT = np.uint64(0) * _STRIDE
SLOPE_X = np.uint64(1) * _STRIDE
SLOPE_Z = np.uint64(2) * _STRIDE
CURVATURE = np.uint64(3) * _STRIDE
GULLY = np.uint64(4) * _STRIDE
TARGET = np.uint64(5) * _STRIDE
HIGH = np.uint64(6) * _STRIDE
CRAG = np.uint64(7) * _STRIDE
HUMMOCK = np.uint64(8) * _STRIDE
WARMTH = np.uint64(9) * _STRIDE
HUMIDITY = np.uint64(10) * _STRIDE
FOREST = np.uint64(11) * _STRIDE
PARENT = np.uint64(12) * _STRIDE
MESA = np.uint64(13) * _STRIDE
DUNE = np.uint64(14) * _STRIDE
# Sums that the octaves add to: own level, then parent's level.
FIRST_TARGET = np.uint64(15) * _STRIDE
GULLY_SUM = np.uint64(16) * _STRIDE
GROUND_SUM = np.uint64(18) * _STRIDE
HUMMOCK_SUM = np.uint64(20) * _STRIDE
CRAG_SUM = np.uint64(22) * _STRIDE
LAYER_SUM = np.uint64(24) * _STRIDE
DUNE_SUM = np.uint64(26) * _STRIDE
CARVED = np.uint64(28) * _STRIDE
SCRATCH = np.uint64(30) * _STRIDE
ROW_FIELDS = 31

# Fields of a lattice-row slot: pivots left and right of each column.
_LEFT_X = np.uint64(0)
_LEFT_Z = np.uint64(1) * _STRIDE
_RIGHT_X = np.uint64(2) * _STRIDE
_RIGHT_Z = np.uint64(3) * _STRIDE
SLOT = 4 * ROW

CELL_RATIO = 1.05
"""Pivot spacing in wavelengths. Slightly off 1, or neighbouring pivots would agree everywhere."""

_RATIO = np.float32(CELL_RATIO)
_ONE = np.float32(1.0)
_ZERO = np.float32(0.0)
_HALF = np.float32(0.5)
_TWO = np.float32(2.0)
_FOUR = np.float32(4.0)
_SIX = np.float32(6.0)
_TEN = np.float32(10.0)
_FIFTEEN = np.float32(15.0)
_LOW16 = np.uint32(0xFFFF)
_HIGH16 = np.uint32(16)
_JITTER = np.float32(CELL_RATIO / 65536.0)
_JITTER_CENTRE = np.float32(CELL_RATIO * (0.5 - 0.5 / 65536.0))
_ROUND = np.float32(12582912.0)  # 1.5 · 2^23: adding and subtracting it rounds a float32 to an integer
_SIN0, _SIN1, _SIN2 = np.float32(6.278065), np.float32(-15.959314), np.float32(13.884561)
_COS1, _COS2 = np.float32(-3.7291225), np.float32(2.7629248)
_SIDE_SOFT = np.float32(0.06 * 0.06)
_BLEND_SOFT = np.float32(0.16)
_BLEND_GAIN = np.float32(1.08)
_TINY = np.float32(1e-12)
_SCARP = np.float32(14.0)  # a step takes one 14th of its tread
_CRUMBLE = np.float32(0.25)  # how far a metre of ground moves an edge, of what a unit of noise does
_RIDGE, _RIDGE_AT = np.float32(0.62), np.float32(0.17)
_DUNE_MEAN = np.float32(0.24)  # so that dunes that fade with distance do not lower the land


@uncounted(forceinline=True)
def wrap_turns(phase):
    """Phase in turns brought to −½…½, float32; |phase| must stay below 2^21."""
    return phase - ((phase + _ROUND) - _ROUND)


@uncounted(forceinline=True)
def sin_turns(f):
    """sin(2πf) for f in −½…½, within 3e-4, exactly 0 at 0 and ±½."""
    q = f * f
    return f * (_ONE - _FOUR * q) * (_SIN0 + q * (_SIN1 + q * _SIN2))


@uncounted(forceinline=True)
def cos_turns(f):
    """cos(2πf) for f in −½…½, within 1e-4, exactly −1 with slope 0 at ±½."""
    q = f * f
    w = _ONE - _FOUR * q
    return w * w * (_TWO + q * (_COS1 + q * _COS2)) - _ONE


@uncounted
def pivot_rows(cells, cell_z, seed, fractions, n, slot):
    """Pivots of lattice row `cell_z` seen from each column, in wavelengths.

    `cells` int32, `fractions` float32, both [≥ n]; `slot` float32 [`SLOT`], overwritten.
    """
    for i in range(np.uint64(n)):
        left = hash_cell(np.int64(cells[i]), cell_z, seed)
        right = hash_cell(np.int64(cells[i]) + 1, cell_z, seed)
        x = fractions[i] * _RATIO
        slot[_LEFT_X + i] = x - (np.float32(np.int32(left & _LOW16)) * _JITTER - _JITTER_CENTRE)
        slot[_LEFT_Z + i] = np.float32(np.int32(left >> _HIGH16)) * _JITTER - _JITTER_CENTRE
        slot[_RIGHT_X + i] = x - _RATIO - (np.float32(np.int32(right & _LOW16)) * _JITTER - _JITTER_CENTRE)
        slot[_RIGHT_Z + i] = np.float32(np.int32(right >> _HIGH16)) * _JITTER - _JITTER_CENTRE


@uncounted
def gully_row(state, north, south, fades, fraction_z, n, slope_on, curvature_on, steepen, gain, parent_gain):
    """Add one octave of gullies to a row and turn its slope.

    `state` float32 [`ROW_FIELDS` · `ROW`]; `north`, `south` the slots of the lattice rows around it; `fades` the
    columns' fades; `fraction_z` float32 the row's fraction between them. `slope_on` slope where the octave is half
    on (rise over run), `curvature_on` metres by which curvature works against it, `steepen` slope per unit of sine,
    `gain` and `parent_gain` metres times band-limit weight. All scalars float32.
    """
    v = fraction_z * fraction_z * fraction_z * (fraction_z * (fraction_z * _SIX - _FIFTEEN) + _TEN)
    zn = fraction_z * _RATIO
    zs = zn - _RATIO
    on = slope_on * slope_on + _TINY
    for i in range(np.uint64(n)):
        gx = state[SLOPE_X + i]
        gz = state[SLOPE_Z + i]
        g2 = gx * gx + gz * gz
        inverse = _ONE / np.sqrt(g2 + _SIDE_SOFT)
        side_x = -gz * inverse
        side_z = gx * inverse
        bent = curvature_on * state[CURVATURE + i]
        mask = g2 / (g2 + on + bent * bent)
        f0 = wrap_turns(north[_LEFT_X + i] * side_x + (zn - north[_LEFT_Z + i]) * side_z)
        f1 = wrap_turns(north[_RIGHT_X + i] * side_x + (zn - north[_RIGHT_Z + i]) * side_z)
        f2 = wrap_turns(south[_LEFT_X + i] * side_x + (zs - south[_LEFT_Z + i]) * side_z)
        f3 = wrap_turns(south[_RIGHT_X + i] * side_x + (zs - south[_RIGHT_Z + i]) * side_z)
        u = fades[i]
        w3 = u * v
        w2 = v - w3
        w1 = u - w3
        w0 = (_ONE - u) - w2
        c = (w0 * cos_turns(f0) + w1 * cos_turns(f1)) + (w2 * cos_turns(f2) + w3 * cos_turns(f3))
        s = (w0 * sin_turns(f0) + w1 * sin_turns(f1)) + (w2 * sin_turns(f2) + w3 * sin_turns(f3))
        scale = _BLEND_GAIN / np.sqrt(c * c + s * s + _BLEND_SOFT)
        target = state[TARGET + i]
        value = target + mask * (c * scale - target)
        state[TARGET + i] = value
        turn = steepen * state[GULLY + i] * mask * (s * scale)
        state[SLOPE_X + i] = gx - turn * side_x
        state[SLOPE_Z + i] = gz - turn * side_z
        state[GULLY_SUM + i] += gain * value
        state[GULLY_SUM + _STRIDE + i] += parent_gain * value


@uncounted
def smooth_row(state, a0, b0, a1, b1, z, n, field, gain, parent_gain):
    """Add one aligned octave to the two sums at `field` (uint64 offset into `state`); arrays as in `noise`."""
    v = z * z * z * (z * (z * _SIX - _FIFTEEN) + _TEN)
    w0 = _ONE - v
    w1 = w0 * z
    w3 = v * (z - _ONE)
    for i in range(np.uint64(n)):
        value = (a0[i] * w0 + b0[i] * w1) + (a1[i] * v + b1[i] * w3)
        state[field + i] += gain * value
        state[field + _STRIDE + i] += parent_gain * value


@uncounted
def ridged_row(state, a0, b0, a1, b1, z, n, field, gain, parent_gain):
    """As `smooth_row` with a sharp ridge where the octave is −0.17: 0.62 − 2·|n + 0.17|.

    Not where it is zero, because that is so at every lattice point, and ridges through all of them show the grid.
    """
    v = z * z * z * (z * (z * _SIX - _FIFTEEN) + _TEN)
    w0 = _ONE - v
    w1 = w0 * z
    w3 = v * (z - _ONE)
    for i in range(np.uint64(n)):
        value = _RIDGE - _TWO * abs(((a0[i] * w0 + b0[i] * w1) + (a1[i] * v + b1[i] * w3)) + _RIDGE_AT)
        state[field + i] += gain * value
        state[field + _STRIDE + i] += parent_gain * value


@uncounted
def terrace_row(state, a0, b0, a1, b1, z, n, steps, ragged, gain, parent_gain):
    """Terraces: what `steps` stairs differ from the slope that the nodes climb along the profile in `MESA`.

    The octave bends the edges by `ragged` treads, and so does the ground so far; other arguments as `smooth_row`. It
    counts as far as `DUNE` says.
    """
    v = z * z * z * (z * (z * _SIX - _FIFTEEN) + _TEN)
    w0 = _ONE - v
    w1 = w0 * z
    w3 = v * (z - _ONE)
    for i in range(np.uint64(n)):
        bend = (a0[i] * w0 + b0[i] * w1) + (a1[i] * v + b1[i] * w3)
        climbed = steps * state[MESA + i]
        strength = state[DUNE + i]
        own = climbed + ragged * (bend + _CRUMBLE * state[GROUND_SUM + i])
        parents = climbed + ragged * (bend + _CRUMBLE * state[GROUND_SUM + _STRIDE + i])
        state[LAYER_SUM + i] += gain * (strength * (stairs(own, _SCARP) - climbed))
        state[LAYER_SUM + _STRIDE + i] += parent_gain * (strength * (stairs(parents, _SCARP) - climbed))


@uncounted(forceinline=True)
def edge_gradient(hashed):
    """One of Perlin's twelve gradients (to the middles of a cube's edges; four of them twice) from a uint32.

    Source: K. Perlin, "Improving Noise" (2002): sixteen directions, so that four bits choose without a division.
    """
    h = np.int32(hashed & np.uint32(15))
    a = _ONE if (h & 1) == 0 else -_ONE
    b = _ONE if (h & 2) == 0 else -_ONE
    if h < 4:
        return a, b, _ZERO
    if h < 8:
        return a, _ZERO, b
    if h < 12:
        return _ZERO, a, b
    if h < 14:
        return a, b, _ZERO
    return _ZERO, b, a


@uncounted(forceinline=True)
def _slice_corner(cell_x, cell_z, seed):
    """What the two lattice points below and above a corner of the plane y = ½ give there together.

    Fade(½) is ½, so both count alike, and their y parts join into a constant.
    """
    gx0, gy0, gz0 = edge_gradient(hash_cell(cell_x, cell_z, seed))
    gx1, gy1, gz1 = edge_gradient(hash_cell(cell_x, cell_z, (seed + 0x5851F42D) & MASK32))
    return (gx0 + gx1) * _HALF, (gy0 - gy1) * (_HALF * _HALF), (gz0 + gz1) * _HALF


@uncounted
def slice_rows(cells, cell_z, seed, fractions, fades, n, a, b):
    """As `noise.corner_rows` for 3-D gradient noise in the plane y = ½: `blend_row` makes the octave of both."""
    for i in range(n):
        gx0, c0, gz0 = _slice_corner(np.int64(cells[i]), cell_z, seed)
        gx1, c1, gz1 = _slice_corner(np.int64(cells[i]) + 1, cell_z, seed)
        x = fractions[i]
        u = fades[i]
        n0 = gx0 * x + c0
        n1 = gx1 * (x - _ONE) + c1
        a[i] = n0 + u * (n1 - n0)
        b[i] = gz0 + u * (gz1 - gz0)


@uncounted
def dune_row(state, north, south, fades, fraction_z, n, aspect, wind_x, wind_z, gain, parent_gain):
    """Add one octave of transverse dunes to a row: asymmetric waves across the wind whose crests fork and end.

    Slots and pivots as in `gully_row`; cells are `aspect` times longer along z, so crests keep together that way.
    (`wind_x`, `wind_z`) waves per cell along x and wavelength-units along z, float32. Where neighbouring pivots
    disagree the waves cancel: there a crest ends or splits, and the amplitude falls with them.

    Source: the idea of dunes from phase fields is T. Tricard et al., "Procedural Phasor Noise" (2019).
    """
    v = fraction_z * fraction_z * fraction_z * (fraction_z * (fraction_z * _SIX - _FIFTEEN) + _TEN)
    zn = fraction_z * _RATIO
    zs = zn - _RATIO
    across = aspect * wind_z
    for i in range(np.uint64(n)):
        f0 = wrap_turns(north[_LEFT_X + i] * wind_x + (zn - north[_LEFT_Z + i]) * across)
        f1 = wrap_turns(north[_RIGHT_X + i] * wind_x + (zn - north[_RIGHT_Z + i]) * across)
        f2 = wrap_turns(south[_LEFT_X + i] * wind_x + (zs - south[_LEFT_Z + i]) * across)
        f3 = wrap_turns(south[_RIGHT_X + i] * wind_x + (zs - south[_RIGHT_Z + i]) * across)
        u = fades[i]
        w3 = u * v
        w2 = v - w3
        w1 = u - w3
        w0 = (_ONE - u) - w2
        c = (w0 * cos_turns(f0) + w1 * cos_turns(f1)) + (w2 * cos_turns(f2) + w3 * cos_turns(f3))
        s = (w0 * sin_turns(f0) + w1 * sin_turns(f1)) + (w2 * sin_turns(f2) + w3 * sin_turns(f3))
        r2 = c * c + s * s
        value = dune_profile(turns(c, s)) * (r2 * np.float32(1.25) / (r2 + np.float32(0.25))) - _DUNE_MEAN
        state[DUNE_SUM + i] += gain * value
        state[DUNE_SUM + _STRIDE + i] += parent_gain * value


def warm() -> None:
    """Compile every public kernel with the types the game uses."""
    state = np.zeros(ROW_FIELDS * ROW, np.float32)
    slots = np.zeros((2, SLOT), np.float32)
    cells = np.zeros(8, np.int32)
    half = np.float32(0.5)
    cos_turns(half)
    sin_turns(half)
    wrap_turns(half)
    pivot_rows(cells, 0, 7, slots[0], 8, slots[1])
    gully_row(state, slots[0], slots[1], slots[0], half, 8, half, half, half, half, half)
    smooth_row(state, slots[0], slots[0], slots[1], slots[1], half, 8, GROUND_SUM, half, half)
    ridged_row(state, slots[0], slots[0], slots[1], slots[1], half, 8, CRAG_SUM, half, half)
    terrace_row(state, slots[0], slots[0], slots[1], slots[1], half, 8, half, half, half, half)
    edge_gradient(np.uint32(5))
    slice_rows(cells, 0, 7, slots[0], slots[0], 8, slots[1], slots[1])
    dune_row(state, slots[0], slots[1], slots[0], half, 8, half, half, half, half, half)
