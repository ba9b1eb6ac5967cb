"""Analytic brushes on page samples.

Owns what a brush does to one sample. Arrays and scalars in, arrays changed in place; which operations matter
and in which order is decided by `world.edits`.

Every sample is evaluated alone, from its integer index and float64 arithmetic, so a sample that lies on two
pages or on two levels gets the same bits on both. The level enters only through `band_weight`.
"""

from __future__ import annotations

import numpy as np

from game.core.coords import GENERATED
from game.kernels import jit

RAISE = 0
LOWER = 1

OP_BRUSH = 0
OP_X = 1
OP_Z = 2
OP_RADIUS = 3
OP_STRENGTH = 4
OP_COLUMNS = 5
"""Columns of an operation row (float64): brush code, centre x and z, radius, strength at the centre; metres."""


@jit
def band_weight(radius_m, spacing_m):
    """Share of a brush that a level with samples `spacing_m` apart shows, 0…1 (float64).

    1 at level 0, the truth. On coarser levels 0 where the diameter is two samples or less, 1 from six on:
    a narrower bump would alias into a pyramid of one sample.
    """
    if spacing_m <= 1.0:
        return 1.0
    return min(max((radius_m / spacing_m - 1.0) * 0.5, 0.0), 1.0)


@jit
def _brushed(brush, value, weight, falloff):
    """`value` (float32, metres) after one brush; `weight` is strength times band weight, metres."""
    change = np.float32(weight * falloff)
    if brush == LOWER:
        return value - change
    return value + change


@jit
def _stamp(samples, channel, first_i, first_j, spacing, op, weight, j0, j1, i0, i1):
    """One operation on one channel, in the generated box [j0:j1, i0:i1]."""
    brush = int(op[OP_BRUSH])
    x = op[OP_X]
    z = op[OP_Z]
    radius = op[OP_RADIUS]
    inverse = 1.0 / (radius * radius)
    # One sample wider than the disc on each side: truncation rounds toward zero, and d² < r² decides anyway.
    near_i = max(int((x - radius) / spacing) - 1 - first_i, i0)
    far_i = min(int((x + radius) / spacing) + 2 - first_i, i1)
    near_j = max(int((z - radius) / spacing) - 1 - first_j, j0)
    far_j = min(int((z + radius) / spacing) + 2 - first_j, j1)
    for j in range(near_j, far_j):
        dz = (first_j + j) * spacing - z
        dz2 = dz * dz
        for i in range(near_i, far_i):
            dx = (first_i + i) * spacing - x
            rest = 1.0 - (dx * dx + dz2) * inverse
            # Samples outside are left alone, not added 0: −0.0 + 0.0 would change the sign bit.
            if rest > 0.0:
                samples[j, i, channel] = _brushed(brush, samples[j, i, channel], weight, rest * rest * rest)


@jit
def apply_ops(samples, first_i, first_j, spacing, ops, j0, j1, i0, i1):
    """Apply operations in row order to the generated samples of box [j0:j1, i0:i1], in place.

    `samples` float32 [136, 136, 2]; `first_i`, `first_j` the (even) sample index of `samples[0, 0]` at this
    level; `spacing` int metres; `ops` float64 [n, 5], see `OP_COLUMNS`. R gets the brush at this level, G
    the brush at the next: the same arithmetic as the parent's R, so the same bits at even samples.

    The falloff is (1 − d²/r²)³: smooth at the centre, continuous to the second derivative at the rim.
    """
    for n in range(ops.shape[0]):
        op = ops[n]
        own = band_weight(op[OP_RADIUS], spacing * 1.0) * op[OP_STRENGTH]
        if own > 0.0:
            _stamp(samples, 0, first_i, first_j, spacing, op, own, j0, j1, i0, i1)
        parent = band_weight(op[OP_RADIUS], spacing * 2.0) * op[OP_STRENGTH]
        if parent > 0.0:
            _stamp(samples, 1, first_i, first_j, spacing, op, parent, j0, j1, i0, i1)


def warm() -> None:
    """Compile every kernel here for the argument types the game uses."""
    samples = np.zeros((GENERATED, GENERATED, 2), np.float32)
    ops = np.array([[RAISE, 0.0, 0.0, 4.0, 1.0]])
    band_weight(4.0, 2.0)
    apply_ops(samples, -4, -4, 1, ops, 0, GENERATED, 0, GENERATED)
