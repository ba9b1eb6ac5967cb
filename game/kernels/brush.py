"""Brushes on page samples.

Owns what an operation does to one sample. Arrays and scalars in, arrays changed in place; which operations matter
and in which order is decided by `world.edits`.

Every sample is evaluated alone, from its integer index and float64 arithmetic, so a sample that lies on two
pages or on two levels gets the same bits on both. The level enters only through `band_weight` and the octaves.
Only + − × ÷ and sqrt occur, so every CPU gives the same bits.
"""

from __future__ import annotations

import numpy as np

from game.core.coords import GENERATED
from game.kernels import jit
from game.kernels.noise import corners_blend, fraction, noise_at

RAISE = 0
LOWER = 1
FLATTEN = 2
RAMP = 3
PEAK = 4
CANYON = 5
KICKER = 6
RESTORE = 7
DELTA = 8
"""Brush codes. `DELTA` rows are placed by `add_delta`, `apply_ops` passes over them."""

GAUSSIAN = 0
SMOOTHSTEP = 1
LINEAR = 2
CONE = 3
"""Falloff codes."""

OP_BRUSH = 0
OP_X = 1
OP_Z = 2
OP_RADIUS = 3
OP_STRENGTH = 4
OP_FALLOFF = 5
OP_CENTRE_X = 6
OP_CENTRE_Z = 7
OP_REACH = 8
OP_A = 9
OP_B = 10
OP_C = 11
OP_D = 12
OP_DELTA = 13
OP_COLUMNS = 14
"""Columns of an operation row (float64), metres: brush code, point x and z, radius (what levels are chosen by),
strength, falloff code, centre and radius of the circle that holds all it does, then by brush:
flatten A = height; ramp A, B = end point, C, D = heights at start and end; peak and canyon A = seed (0…2^32−1);
kicker A, B = unit heading, C = length; delta C, D = half its width and height, DELTA = its number."""

QUANTUM_M = 1.0 / 1024.0
"""Baked differences are whole multiples of this, so that they can be added up and saved without loss."""

OCTAVES = 4
_SHORTEST_M = 2.0
_CELL = 4294967296.0
_MEAN_SIZE = 0.3
"""Mean of |noise|: what a faded octave leaves behind."""

_BEND = 0.2
"""Share of a ramp, at each end, over which its grade comes and goes, as on a road."""


@jit
def band_weight(radius_m, spacing_m):
    """Share of a brush that a level with samples `spacing_m` apart shows, 0…1 (float64).

    1 at level 0, the truth. On coarser levels 0 where the diameter is two samples or less, 1 from six on:
    a narrower bump would alias into a pyramid of one sample.
    """
    if spacing_m <= 1.0:
        return 1.0
    return min(max((radius_m / spacing_m - 1.0) * 0.5, 0.0), 1.0)


@jit(forceinline=True)
def falloff_at(kind, q):
    """Share of the strength at squared distance `q` (d²/r², 0…1), float64, 1 at the centre and 0 at the rim.

    Gaussian is (1 − q)³, the bell exp(−3q) without its endless tail; smoothstep is level at both ends; linear is
    full to half the radius and then a straight slope; cone is a straight slope from the centre.
    """
    rest = 1.0 - q
    if kind == GAUSSIAN:
        return rest * rest * rest
    t = 1.0 - np.sqrt(q)
    if kind == SMOOTHSTEP:
        return t * t * (3.0 - 2.0 * t)
    if kind == LINEAR:
        return min(1.0, 2.0 * t)
    return t


@jit(forceinline=True)
def _plateau(share):
    """The falloff of a brush that levels: full over the inner half of it, smooth at both ends."""
    t = min(1.0, 2.0 * share)
    return t * t * (3.0 - 2.0 * t)


@jit(forceinline=True)
def ramp_rise(t):
    """Share of a ramp's rise, 0…1, at share `t` of its length: straight between two parabolic bends."""
    if t <= 0.0:
        return 0.0
    if t >= 1.0:
        return 1.0
    if t < _BEND:
        return t * t / (2.0 * _BEND * (1.0 - _BEND))
    if t > 1.0 - _BEND:
        return 1.0 - (1.0 - t) * (1.0 - t) / (2.0 * _BEND * (1.0 - _BEND))
    return (t - 0.5 * _BEND) / (1.0 - _BEND)


@jit
def ridges(x, z, radius, spacing, seed):
    """Ridged noise, about 0.3…1 (float64), at whole metres (x, z); its longest wave is half of `radius`.

    Octaves shorter than two samples fade out, as everywhere on coarse levels.
    """
    wave = max(0.5 * radius, 2.0 * _SHORTEST_M)
    amplitude = 1.0
    total = 0.0
    sum_of = 0.0
    for octave in range(OCTAVES):
        if wave < _SHORTEST_M:
            break
        share = min(max(wave / (2.0 * spacing) - 1.0, 0.0), 1.0)
        size = _MEAN_SIZE
        if share > 0.0:
            step = np.int64(_CELL / wave)
            value = np.float64(noise_at(x * step, z * step, (seed + octave * 7919) & 0xFFFFFFFF))
            size = _MEAN_SIZE + share * (abs(value) - _MEAN_SIZE)
        total += amplitude * (1.0 - min(size, 1.0))
        sum_of += amplitude
        amplitude *= 0.5
        wave *= 0.5
    return total / sum_of


@jit(forceinline=True)
def _toward(value, target, strength, share):
    """`value` (float32) moved toward `target` by at most `strength` metres, times `share`."""
    way = min(max(target - np.float64(value), -strength), strength)
    return value + np.float32(share * way)


@jit(forceinline=True)
def _kick(dx, dz, heading_x, heading_z, length, half_width, height):
    """Height of a kicker, float64 metres, at (dx, dz) from its middle; 0 beside it."""
    along = dx * heading_x + dz * heading_z + 0.5 * length
    across = dz * heading_x - dx * heading_z
    if along <= 0.0 or along > length or abs(across) > half_width:
        return 0.0
    share = along / length
    return height * share * share


@jit
def _mound(samples, channel, first_i, first_j, spacing, op, signed, j0, j1, i0, i1):
    """Raise or lower with the Gaussian falloff: the brush that is used most, without a branch a sample."""
    x = op[OP_X]
    z = op[OP_Z]
    radius2 = op[OP_RADIUS] * op[OP_RADIUS]
    inverse = 1.0 / radius2
    for j in range(j0, j1):
        dz = (first_j + j) * spacing - z
        dz2 = dz * dz
        if dz2 >= radius2:
            continue
        # One sample wider than the chord on each side: q < 1 decides anyway.
        half = np.sqrt(radius2 - dz2)
        near = max(int((x - half) / spacing) - 1 - first_i, i0)
        far = min(int((x + half) / spacing) + 2 - first_i, i1)
        for i in range(near, far):
            dx = (first_i + i) * spacing - x
            rest = 1.0 - (dx * dx + dz2) * inverse
            # Samples outside are left alone, not added 0: −0.0 + 0.0 would change the sign bit.
            if rest > 0.0:
                samples[j, i, channel] += np.float32(signed * (rest * rest * rest))


@jit
def _rough_mound(samples, channel, first_i, first_j, spacing, op, signed, j0, j1, i0, i1):
    """Peak or canyon: `falloff_at` times `ridges`, with the same bits, octave by octave along each row.

    Rows let the compiler hash several lattice corners at once: a third of the time of sample after sample.
    """
    kind = int(op[OP_FALLOFF])
    x, z, radius, seed = op[OP_X], op[OP_Z], op[OP_RADIUS], np.int64(op[OP_A])
    inverse = 1.0 / (radius * radius)
    room = i1 - i0
    if room <= 0:
        return
    cells = np.empty(room, np.int32)
    fractions = np.empty(room, np.float32)
    values = np.empty(room, np.float32)
    total = np.empty(room)
    for j in range(j0, j1):
        at_z = (first_j + j) * spacing
        dz = at_z - z
        dz2 = dz * dz
        left = radius * radius - dz2
        if left <= 0.0:
            continue
        half = np.sqrt(left)
        near = max(int((x - half) / spacing) - 1 - first_i, i0)
        far = min(int((x + half) / spacing) + 2 - first_i, i1)
        n = far - near
        if n <= 0:
            continue
        total[:n] = 0.0
        wave = max(0.5 * radius, 2.0 * _SHORTEST_M)
        amplitude = 1.0
        sum_of = 0.0
        for octave in range(OCTAVES):
            if wave < _SHORTEST_M:
                break
            share = min(max(wave / (2.0 * spacing) - 1.0, 0.0), 1.0)
            if share > 0.0:
                step = np.int64(_CELL / wave)
                tz = at_z * step
                cell_z, part_z = tz >> 32, fraction(tz)
                for k in range(n):
                    tx = (first_i + near + k) * spacing * step
                    cells[k] = np.int32(tx >> 32)
                    fractions[k] = fraction(tx)
                octave_seed = (seed + octave * 7919) & 0xFFFFFFFF
                for k in range(n):
                    values[k] = corners_blend(np.int64(cells[k]), cell_z, fractions[k], part_z, octave_seed)
                for k in range(n):
                    size = _MEAN_SIZE + share * (abs(np.float64(values[k])) - _MEAN_SIZE)
                    total[k] += amplitude * (1.0 - min(size, 1.0))
            else:
                for k in range(n):
                    total[k] += amplitude * (1.0 - _MEAN_SIZE)
            sum_of += amplitude
            amplitude *= 0.5
            wave *= 0.5
        for k in range(n):
            dx = (first_i + near + k) * spacing - x
            q = (dx * dx + dz2) * inverse
            if q < 1.0:
                samples[j, near + k, channel] += np.float32(
                    signed * falloff_at(kind, q) * (total[k] / sum_of)
                )


@jit
def _stamp(samples, base, channel, first_i, first_j, spacing, op, band, j0, j1, i0, i1):
    """One operation on one channel, in the box [j0:j1, i0:i1] of `samples`."""
    x = op[OP_CENTRE_X]
    z = op[OP_CENTRE_Z]
    reach = op[OP_REACH]
    # One sample wider on each side: truncation rounds toward zero, and each sample decides for itself.
    i0 = max(int((x - reach) / spacing) - 1 - first_i, i0)
    i1 = min(int((x + reach) / spacing) + 2 - first_i, i1)
    j0 = max(int((z - reach) / spacing) - 1 - first_j, j0)
    j1 = min(int((z + reach) / spacing) + 2 - first_j, j1)
    brush = int(op[OP_BRUSH])
    kind = int(op[OP_FALLOFF])
    strength = op[OP_STRENGTH]
    if brush <= LOWER and kind == GAUSSIAN:
        signed = band * strength
        if brush == LOWER:
            signed = -signed
        _mound(samples, channel, first_i, first_j, spacing, op, signed, j0, j1, i0, i1)
        return
    if brush == PEAK or brush == CANYON:
        signed = band * strength
        if brush == CANYON:
            signed = -signed
        _rough_mound(samples, channel, first_i, first_j, spacing, op, signed, j0, j1, i0, i1)
        return
    # Out of the row and into registers: the compiler cannot know that samples do not overlie the row.
    x, z, radius = op[OP_X], op[OP_Z], op[OP_RADIUS]
    a, b, c, d = op[OP_A], op[OP_B], op[OP_C], op[OP_D]
    inverse = 1.0 / (radius * radius)
    run_x, run_z, per_run2 = a - x, b - z, 0.0
    if brush == RAMP:
        per_run2 = 1.0 / (run_x * run_x + run_z * run_z)
    for j in range(j0, j1):
        at_z = (first_j + j) * spacing
        for i in range(i0, i1):
            at_x = (first_i + i) * spacing
            value = samples[j, i, channel]
            dx, dz = at_x - x, at_z - z
            if brush == KICKER:
                height = _kick(dx, dz, a, b, c, radius, strength)
                if height > 0.0:
                    samples[j, i, channel] = value + np.float32(band * height)
                continue
            along = 0.0
            if brush == RAMP:
                along = min(max((dx * run_x + dz * run_z) * per_run2, 0.0), 1.0)
                dx -= along * run_x
                dz -= along * run_z
            q = (dx * dx + dz * dz) * inverse
            # Samples outside are left alone, not added 0: −0.0 + 0.0 would change the sign bit.
            if q >= 1.0:
                continue
            share = falloff_at(kind, q)
            if brush == FLATTEN:
                value = _toward(value, a, strength, band * _plateau(share))
            elif brush == RAMP:
                value = _toward(value, c + ramp_rise(along) * (d - c), strength, band * _plateau(share))
            elif brush == RESTORE:
                unedited = base[j, i, channel]
                way = band * _plateau(share)
                if way >= 1.0 and strength >= abs(np.float64(unedited) - np.float64(value)):
                    value = unedited  # to the bit, which adding the difference would not be
                else:
                    value = _toward(value, np.float64(unedited), strength, way)
            else:
                height = band * strength * share
                if brush == LOWER:
                    height = -height
                value += np.float32(height)
            samples[j, i, channel] = value


@jit
def apply_ops(samples, base, first_i, first_j, spacing, ops, j0, j1, i0, i1):
    """Apply operations in row order to the generated samples of box [j0:j1, i0:i1], in place.

    `samples` and `base` (without edits) float32 [136, 136, 2]; `first_i`, `first_j` the (even) sample index of
    `samples[0, 0]` at this level; `spacing` int metres; `ops` float64 [n, 14], see `OP_COLUMNS`. R gets the brush at
    this level, G at even samples the brush at the next: the same arithmetic as the parent's R, so the same bits.
    """
    for n in range(ops.shape[0]):
        op = ops[n]
        if op[OP_BRUSH] == DELTA:
            continue
        own = band_weight(op[OP_RADIUS], spacing * 1.0)
        if own > 0.0:
            _stamp(samples, base, 0, first_i, first_j, spacing, op, own, j0, j1, i0, i1)
        parent = band_weight(op[OP_RADIUS], spacing * 2.0)
        if parent > 0.0:
            # The parent's octaves and weights, at the samples it shares with this level.
            _stamp_parent(samples, base, first_i, first_j, spacing, op, parent, j0, j1, i0, i1)


@jit
def _stamp_parent(samples, base, first_i, first_j, spacing, op, band, j0, j1, i0, i1):
    """One operation on G at even samples, as the parent level computes its own R."""
    half_i = first_i >> 1
    half_j = first_j >> 1
    # Views of the even samples have the parent's indices and the parent's spacing.
    _stamp(
        samples[::2, ::2],
        base[::2, ::2],
        1,
        half_i,
        half_j,
        spacing * 2,
        op,
        band,
        (j0 + 1) >> 1,
        (j1 + 1) >> 1,
        (i0 + 1) >> 1,
        (i1 + 1) >> 1,
    )


@jit
def add_delta(samples, channel, step, first_i, first_j, patch, patch_i, patch_j, band, j0, j1, i0, i1):
    """Add a baked patch to one channel of the generated box [j0:j1, i0:i1], in place.

    `patch` float32 [nj, ni] at the channel's level, its first sample (patch_i, patch_j); `step` 1 for R, 2 for G,
    whose samples are the parent's; `first_i`, `first_j` sample index of `samples[0, 0]` at the page's level;
    `band` float64 share.
    """
    # Where the patch begins among the samples of the channel's level; only what both have is visited.
    at_i = patch_i - first_i // step
    at_j = patch_j - first_j // step
    low_j, high_j = max((j0 + step - 1) // step, at_j), min((j1 + step - 1) // step, at_j + patch.shape[0])
    low_i, high_i = max((i0 + step - 1) // step, at_i), min((i1 + step - 1) // step, at_i + patch.shape[1])
    for j in range(low_j, high_j):
        row = patch[j - at_j]
        into = samples[j * step]
        for i in range(low_i, high_i):
            change = np.float32(band * np.float64(row[i - at_i]))
            # Not added where it is 0: −0.0 + 0.0 would change the sign bit.
            if change != np.float32(0.0):
                into[i * step, channel] += change


@jit
def halve(patch, first_i, first_j):
    """The next coarser level of a baked patch: float32 array, filtered [1 2 1]/4 per axis around even samples.

    Its first sample is (first_i // 2, first_j // 2). Outside the patch is 0. All sums are of float64, so the result
    does not depend on how a patch was cut.
    """
    nj, ni = patch.shape
    low_i = first_i // 2
    low_j = first_j // 2
    rows = (first_j + nj) // 2 - low_j + 1
    columns = (first_i + ni) // 2 - low_i + 1
    out = np.zeros((rows, columns), np.float32)
    # A line with a margin of zeros, so that no sample asks whether its neighbours are there.
    shift = first_i - 2 * low_i + 1
    line = np.zeros(2 * columns + 2)
    for j in range(rows):
        line[:] = 0.0
        middle = 2 * (low_j + j) - first_j
        for dj in range(-1, 2):
            row = middle + dj
            if row < 0 or row >= nj:
                continue
            weight = (2.0 - abs(dj)) * 0.0625
            source = patch[row]
            for i in range(ni):
                line[i + shift] += weight * np.float64(source[i])
        for i in range(columns):
            out[j, i] = np.float32(line[2 * i] + 2.0 * line[2 * i + 1] + line[2 * i + 2])
    return out


@jit
def _box_blur(source, half, out):
    """Mean over 2·half + 1 columns of each row, with running sums; the ends repeat."""
    n = source.shape[1]
    inverse = 1.0 / (2 * half + 1)
    for j in range(source.shape[0]):
        total = 0.0
        for k in range(-half, half + 1):
            total += source[j, min(max(k, 0), n - 1)]
        for i in range(n):
            out[j, i] = total * inverse
            total += source[j, min(i + half + 1, n - 1)] - source[j, max(i - half, 0)]


@jit
def smooth_delta(block, first_i, first_j, half, x, z, radius, strength, kind):
    """What smoothing changes, in whole `QUANTUM_M`: int32 of the shape of `block`.

    `block` float32 [nj, ni] level-0 heights from sample (first_i, first_j), 2 · `half` samples wider than the disc
    on each side. The land moves toward its mean (a box of 2·half + 1 samples, twice) by at most `strength` metres.
    """
    nj, ni = block.shape
    middle = np.float64(block[nj // 2, ni // 2])
    rough = np.empty((nj, ni))
    for j in range(nj):
        for i in range(ni):
            # Around 0, so that the running sums lose nothing on a mountain.
            rough[j, i] = np.float64(block[j, i]) - middle
    rows = np.empty((nj, ni))
    _box_blur(rough, half, rows)
    blurred = np.empty((nj, ni))
    _box_blur(rows, half, blurred)
    turned = np.ascontiguousarray(blurred.T)
    columns = np.empty((ni, nj))
    _box_blur(turned, half, columns)
    _box_blur(columns, half, turned)
    out = np.zeros((nj, ni), np.int32)
    inverse = 1.0 / (radius * radius)
    for j in range(nj):
        dz = first_j + j - z
        for i in range(ni):
            dx = first_i + i - x
            q = (dx * dx + dz * dz) * inverse
            if q < 1.0:
                way = min(max(turned[i, j] - rough[j, i], -strength), strength)
                steps = way * _plateau(falloff_at(kind, q)) * 1024.0
                out[j, i] = np.int32(np.floor(steps + 0.5))
    return out


def warm() -> None:
    """Compile every kernel here for the argument types the game uses."""
    samples = np.zeros((GENERATED, GENERATED, 2), np.float32)
    base = samples.copy()
    ops = np.zeros((DELTA + 1, OP_COLUMNS))
    ops[:, OP_BRUSH] = np.arange(DELTA + 1)
    ops[:, OP_RADIUS] = ops[:, OP_REACH] = 6.0
    ops[:, OP_STRENGTH] = ops[:, OP_A] = ops[:, OP_C] = 1.0
    band_weight(4.0, 2.0)
    falloff_at(SMOOTHSTEP, 0.5)
    ramp_rise(0.5)
    ridges(3, 4, 20.0, 1.0, 5)
    apply_ops(samples, base, -4, -4, 1, ops, 0, GENERATED, 0, GENERATED)
    patch = np.ones((5, 5), np.float32)
    half = halve(patch, -3, 2)
    add_delta(samples, 0, 1, -4, -4, half, -2, 1, 1.0, 0, GENERATED, 0, GENERATED)
    smooth_delta(patch, 0, 0, 1, 2.0, 2.0, 1.5, 1.0, GAUSSIAN)
