"""Which trees a frame draws, and as what: one pass over the tree rows of a page into instance rows.

A tree is drawn by the page whose level draws the land at its foot, and stands on that land: its height is
morphed with the factor the vertices there use. Feet lie on a 1/64 m lattice and page corners on whole metres,
so the distance of a tree has the same bits on every level's page, and exactly one level draws it.
"""

from __future__ import annotations

import numpy as np

from game.kernels import jit
from game.kernels.scatter import hardy_enough

BUCKETS = 6
"""Detail (0 near, 1 middle, 2 far) · 2 + kind."""

INSTANCE_COLUMNS = 8
"""Columns of an instance row: foot x, y, z relative to the camera, scale, yaw, tint, fade, width."""

LEVEL_COLUMNS = 7
"""Columns of a level row: inner range, outer range, (1 − m)·r, m·r, 1 when the level morphs,
share of trees kept at the inner range, at the outer range."""

SETUP_COLUMNS = 13
"""Columns of a setup row: camera above ground, lowest foot that shows (world height), near detail from and to,
middle detail from and to, distance at which the last trees begin to vanish, distance where all have,
width of the band of ranks over which a tree shrinks away, the earth's drop per square metre of distance, distance from
the eye up to which `gather` goes, the two codes of the climate (`scatter.climate_codes`)."""

_ZERO = np.float32(0.0)
_HALF = np.float32(0.5)
_ONE = np.float32(1.0)


@jit
def morphed(own, parent, distance, start, span, morphs):
    """Height of land between a level (`own`) and its parent at `distance`, float32 metres.

    The formula of `lod.selection`: own where k ≤ 0 or the level does not morph, parent where k ≥ 1.
    """
    if morphs < _HALF:
        return own
    k = (distance - start) / span
    if k <= _ZERO:
        return own
    if k >= _ONE:
        return parent
    return own + (parent - own) * k


@jit
def kept_share(distance, level, vanish_from, vanish_to):
    """Ranks below this are drawn at `distance`, float32: all that the level has, fewer over its outer half."""
    inner, outer = level[0], level[1]
    thinned = min(max(np.float32(2.0) * (distance - inner) / (outer - inner) - _ONE, _ZERO), _ONE)
    keep = level[5] + (level[6] - level[5]) * thinned
    if distance > vanish_from:
        keep *= max((vanish_to - distance) / (vanish_to - vanish_from), _ZERO)
    return keep


@jit
def tile_reach(corner_x, corner_z, span):
    """Least and greatest horizontal distance from the origin to a square, float64 metres.

    `corner_x`, `corner_z`: its north-west corner; `span`: its side.
    """
    near_x = max(corner_x, -(corner_x + span), 0.0)
    near_z = max(corner_z, -(corner_z + span), 0.0)
    far_x = max(-corner_x, corner_x + span)
    far_z = max(-corner_z, corner_z + span)
    return np.sqrt(near_x * near_x + near_z * near_z), np.sqrt(far_x * far_x + far_z * far_z)


@jit
def tile_hidden(corner_x, corner_z, span, low, high, margin, planes):
    """Whether a box lies wholly outside one of the planes; `low` and `high` are relative to the camera."""
    for p in range(planes.shape[0]):
        a, b, c = planes[p, 0], planes[p, 1], planes[p, 2]
        x = corner_x + span + margin if a > 0.0 else corner_x - margin
        y = high + margin if b > 0.0 else low - margin
        z = corner_z + span + margin if c > 0.0 else corner_z - margin
        if a * x + b * y + c * z < 0.0:
            return True
    return False


@jit
def gather(
    rows,
    corner_x,
    corner_z,
    camera_y,
    box_x,
    box_z,
    span,
    low,
    high,
    level,
    setup,
    planes,
    sizes,
    chosen,
    tile,
    out,
    tiles,
    counts,
):
    """Append the visible trees of one page, or of a tile of it, to `out`.

    Parameters
    ----------
    rows : float32 [n, 8] as in `PageData.trees`.
    corner_x, corner_z : float64 metres, page corner minus camera.
    camera_y : float64, height of the camera.
    box_x, box_z, span : float64, corner minus camera and side of the square that the trees stand in, metres;
        `low`, `high`: float64 bounds of the feet's world heights.
    level : float32 [LEVEL_COLUMNS]; setup : float32 [SETUP_COLUMNS].
    planes : float64 [4, 4], the side planes through the camera, inside is a·x + b·y + c·z ≥ 0.
    sizes : float32 [kinds, 2] height and greatest radius of a tree of scale 1.
    chosen : int32 [n or more], scratch.
    tile : int64, noted in `tiles` (int32 [BUCKETS, capacity]) for each row written.
    out : float32 [BUCKETS, capacity, INSTANCE_COLUMNS]; counts : int64 [BUCKETS], continued.
        Beyond the capacity rows are counted but not written, so that the caller can grow and repeat.
    """
    altitude, lowest = setup[0], setup[1]
    near_from, near_to, mid_from, mid_to = setup[2], setup[3], setup[4], setup[5]
    vanish_from, vanish_to, soft, bend, limit = setup[6], setup[7], setup[8], setup[9], setup[10]
    hardy, thirst = int(setup[11]), int(setup[12])
    inner, outer, start, stretch, morphs = level[0], level[1], level[2], level[3], level[4]
    keep_inner, keep_outer = level[5], level[6]
    if not inner < outer or high < lowest:
        return
    least, most = tile_reach(box_x, box_z, span)
    if least > limit:
        return
    lift = np.float64(altitude)
    # A centimetre of slack covers the rounding to float32 below.
    if (
        np.sqrt(least * least + lift * lift) - 0.01 > outer
        or np.sqrt(most * most + lift * lift) + 0.01 < inner
    ):
        return
    drop = np.float64(bend) * most * most
    if tile_hidden(box_x, box_z, span, low - camera_y - drop, high - camera_y, 26.0, planes):
        return
    capacity = out.shape[1]
    a0, b0, c0 = np.float32(planes[0, 0]), np.float32(planes[0, 1]), np.float32(planes[0, 2])
    a1, b1, c1 = np.float32(planes[1, 0]), np.float32(planes[1, 1]), np.float32(planes[1, 2])
    a2, b2, c2 = np.float32(planes[2, 0]), np.float32(planes[2, 1]), np.float32(planes[2, 2])
    a3, b3, c3 = np.float32(planes[3, 0]), np.float32(planes[3, 1]), np.float32(planes[3, 2])
    altitude2 = altitude * altitude
    ceiling = max(keep_inner, keep_outer)
    tallest = _ZERO
    for kind in range(sizes.shape[0]):
        tallest = max(tallest, sizes[kind, 0] + sizes[kind, 1])
    margin = tallest * np.float32(2.0)
    y_eye = np.float32(camera_y)
    # First without a branch: most rows fail, in no order a processor could foresee.
    found = 0
    for n in range(rows.shape[0]):
        x = np.float32(corner_x + np.float64(rows[n, 0]))
        z = np.float32(corner_z + np.float64(rows[n, 2]))
        distance = np.sqrt(x * x + z * z + altitude2)
        foot = rows[n, 1]
        y = foot - y_eye - bend * (x * x + z * z)
        inside = min(
            min(a0 * x + b0 * y + c0 * z, a1 * x + b1 * y + c1 * z),
            min(a2 * x + b2 * y + c2 * z, a3 * x + b3 * y + c3 * z),
        )
        slack = margin + abs(rows[n, 3] - foot)
        chosen[found] = n
        found += int((inner <= distance) & (distance < outer) & (inside > -slack) & (rows[n, 7] < ceiling))
    for c in range(found):
        n = chosen[c]
        rank = rows[n, 7]
        x = np.float32(corner_x + np.float64(rows[n, 0]))
        z = np.float32(corner_z + np.float64(rows[n, 2]))
        distance = np.sqrt(x * x + z * z + altitude2)
        keep = kept_share(distance, level, vanish_from, vanish_to)
        if rank >= keep or not hardy_enough(rows[n, 6], hardy, thirst):
            continue
        foot = morphed(rows[n, 1], rows[n, 3], distance, start, stretch, morphs)
        if foot < lowest:
            continue
        y = np.float32(np.float64(foot) - camera_y) - bend * (x * x + z * z)
        kind = min(int(rows[n, 6]) & 1, sizes.shape[0] - 1)
        grown = min((keep - rank) / soft, _ONE)
        scale = rows[n, 4] * (np.float32(0.35) + np.float32(0.65) * grown)
        half = _HALF * sizes[kind, 0] * scale
        radius = half + sizes[kind, 1] * scale
        middle = y + half
        # All four distances, then one branch: which plane rejects is random, and a wrong guess costs more.
        inside = min(
            min(a0 * x + b0 * middle + c0 * z, a1 * x + b1 * middle + c1 * z),
            min(a2 * x + b2 * middle + c2 * z, a3 * x + b3 * middle + c3 * z),
        )
        if inside < -radius:
            continue
        yaw = rows[n, 5]
        eye = np.sqrt(x * x + y * y + z * z)
        if eye >= limit:
            continue
        # Where forests are thinned the rest grows wider, so that the slope stays as green.
        width = np.float32(0.9) + np.float32(0.035) * yaw
        width *= min(np.float32(1.0) + np.float32(0.35) * (_ONE - min(keep, _ONE)), np.float32(1.3))
        tint = rank * np.float32(61.0)
        tint -= np.floor(tint)
        vanish = min(grown * np.float32(4.0), _ONE)
        first, last, fade = 0, 0, _ONE
        if eye < near_from:
            pass
        elif eye < near_to:
            last = 1
            fade = (near_to - eye) / (near_to - near_from)
        elif eye < mid_from:
            first, last = 1, 1
        elif eye < mid_to:
            first, last = 1, 2
            fade = (mid_to - eye) / (mid_to - mid_from)
        else:
            first, last = 2, 2
        for detail in range(first, last + 1):
            bucket = 2 * detail + min(kind, 1)
            m = counts[bucket]
            counts[bucket] = m + 1
            if m >= capacity:
                continue
            out[bucket, m, 0] = x
            out[bucket, m, 1] = y
            out[bucket, m, 2] = z
            out[bucket, m, 3] = scale
            out[bucket, m, 4] = yaw
            out[bucket, m, 5] = tint
            if first == last:
                out[bucket, m, 6] = vanish
            elif detail == first:
                out[bucket, m, 6] = fade
            else:
                out[bucket, m, 6] = -fade
            out[bucket, m, 7] = width
            tiles[bucket, m] = tile


def warm() -> None:
    """Compile every kernel here for the argument types the game uses."""
    morphed(_ZERO, _ONE, _ONE, _ONE, _ONE, _ONE)
    tile_reach(0.0, 0.0, 128.0)
    rows = np.zeros((1, 8), np.float32)
    level = np.zeros(LEVEL_COLUMNS, np.float32)
    setup = np.zeros(SETUP_COLUMNS, np.float32)
    planes = np.zeros((4, 4))
    sizes = np.ones((2, 2), np.float32)
    chosen = np.zeros(1, np.int32)
    out = np.zeros((BUCKETS, 1, INSTANCE_COLUMNS), np.float32)
    tiles = np.zeros((BUCKETS, 1), np.int32)
    counts = np.zeros(BUCKETS, np.int64)
    gather(
        rows,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        128.0,
        0.0,
        0.0,
        level,
        setup,
        planes,
        sizes,
        chosen,
        0,
        out,
        tiles,
        counts,
    )
