"""Curves that turn noise into landforms: thresholds, terraces, shores and dunes. One row or one number at a time.

Everything is pointwise: what is done with a level's height is done with the parent's in the same order of the same
operations, so the parent's height stays the same bits wherever it is asked for.
"""

from __future__ import annotations

import numpy as np

from game.kernels import uncounted

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_TWO = np.float32(2.0)
_THREE = np.float32(3.0)
_HALF = np.float32(0.5)
_QUARTER = np.float32(0.25)
_TINY = np.float32(1e-12)
_ROUND = np.float32(12582912.0)  # 1.5 · 2^23: adding and subtracting it rounds a float32 to an integer
# atan(a) / 2π on 0…1 within 2e-5 turns, exactly 1/8 at 1; our own least-squares fit.
_ATAN1, _ATAN3 = np.float32(0.15902883), np.float32(-0.05110275)
_ATAN5, _ATAN7 = np.float32(0.02322333), np.float32(-0.00614941)

CURVE_FIELDS = 3
"""Columns of a ramp of a curve: where it begins, how long it is (m), metres gained per metre beyond the identity."""

_WINDWARD = np.float32(0.74)
"""Share of a dune's length that faces the wind; the slip face is the rest."""


@uncounted(forceinline=True)
def clamp01(value):
    """float32 held to 0…1."""
    return min(max(value, _ZERO), _ONE)


@uncounted(forceinline=True)
def smoothstep(low, high, value):
    """Cubic smoothstep from `low` to `high`, float32."""
    t = min(max((value - low) / (high - low), _ZERO), _ONE)
    return t * t * (_THREE - _TWO * t)


@uncounted(forceinline=True)
def turns(c, s):
    """Direction of (c, s) in turns, −½…½, float32; 0 for (0, 0)."""
    ac = abs(c)
    as_ = abs(s)
    a = min(ac, as_) / (max(ac, as_) + _TINY)
    q = a * a
    t = a * (_ATAN1 + q * (_ATAN3 + q * (_ATAN5 + q * _ATAN7)))
    t = _QUARTER - t if as_ > ac else t
    t = _HALF - t if c < _ZERO else t
    return -t if s < _ZERO else t


@uncounted(forceinline=True)
def dune_profile(t):
    """Height 0…1 of a dune at `t` (float32, turns −½…½): a long windward slope, a sharp crest, a short slip face."""
    u = t + _HALF
    rise = u / _WINDWARD
    fall = (_ONE - u) / (_ONE - _WINDWARD)
    windward = rise * rise * (np.float32(1.6) - np.float32(0.6) * rise)
    slip = fall * fall * (np.float32(1.4) - np.float32(0.4) * fall)
    return windward if u < _WINDWARD else slip


@uncounted
def curve_row(state, values, where, scratch, ramps, n):
    """Bend heights by a piecewise linear curve, as far as `where` (0…1) says.

    `state` float32 row buffer; `values`, `where`, `scratch` uint64 offsets into it; heights in metres. `ramps` float32
    [m, `CURVE_FIELDS`]: the curve is the identity plus one clamped ramp each.
    """
    count = np.uint64(n)
    for i in range(count):
        state[scratch + i] = _ZERO
    for k in range(ramps.shape[0]):
        first, length, steep = ramps[k, 0], ramps[k, 1], ramps[k, 2]
        for i in range(count):
            state[scratch + i] += steep * min(max(state[values + i] - first, _ZERO), length)
    for i in range(count):
        state[values + i] += state[where + i] * state[scratch + i]


@uncounted(forceinline=True)
def swell(value, bare):
    """What of `value` rises out of flat ground: 0 up to `bare`, then ever more of what exceeds it. float32, monotone.

    Lumps of noise alone enclose as many hollows as they make hills. Where less than half of the ground rises, what
    lies between stays connected and drains.
    """
    over = max(value - bare, _ZERO)
    return over * (over / (over + (bare + bare) + _TINY))


@uncounted(forceinline=True)
def stairs(phase, steep):
    """Monotone stairs that climb 1 per unit of `phase`, float32: flat, then over 1 / `steep` of the unit a smooth step.

    Steps stand at half units; |phase| must stay below 2^21.
    """
    middle = phase - _HALF
    whole = (middle + _ROUND) - _ROUND
    t = min(max((middle - whole) * steep + _HALF, _ZERO), _ONE)
    return whole + t * t * (_THREE - _TWO * t)


@uncounted(forceinline=True)
def shore(h, width, flat):
    """Height `h` flattened near 0 m: slopes times `flat` at the waterline, unchanged `width` metres and more away.

    Our own rational curve h·(h² + flat·w²)/(h² + w²), monotone for any flat in 0…1.
    """
    h2 = h * h
    w2 = width * width + _TINY
    return h * ((h2 + flat * w2) / (h2 + w2))


def warm() -> None:
    """Compile every public kernel with the types the game uses."""
    half = np.float32(0.5)
    row = np.zeros(8, np.float32)
    clamp01(half)
    smoothstep(_ZERO, _ONE, half)
    turns(half, half)
    dune_profile(half)
    zero = np.uint64(0)
    curve_row(row, zero, zero, zero, np.ones((1, CURVE_FIELDS), np.float32), 8)
    shore(half, half, half)
    swell(half, half)
    stairs(half, half)
