"""Trees of many pages at once: which are near enough for meshes, which blocks of far ones may be seen, shadows.

The trees of all resident pages lie in one array, tile after tile and in each by sixteenths of rank
(`PageData.trees`). A frame walks tiles, never trees: near tiles go through `instances.gather`, of the rest the rows
whose ranks are kept are handed to the GPU as blocks, whose vertex shader decides tree by tree.
"""

from __future__ import annotations

import numpy as np

from game.kernels import jit
from game.kernels.instances import (
    BUCKETS,
    INSTANCE_COLUMNS,
    LEVEL_COLUMNS,
    SETUP_COLUMNS,
    gather,
    kept_share,
    tile_hidden,
    tile_reach,
)
from game.kernels.scatter import RANKS

TILE_COLUMNS = 8
"""int64 columns of a tile: level, page corner x and z, own corner x and z in metres, first row, rows, texture layer."""

BLOCK = 64
"""Far trees are drawn in blocks of this many rows, of which the last of a tile may be incomplete."""

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)


@jit
def tile_side(level):
    """Side of a tile of `level` in metres, float64: a quarter of the page, or 128 m."""
    return np.float64(max(128, 32 << level))


@jit
def gather_tiles(
    table,
    bounds,
    rows,
    camera_x,
    camera_y,
    camera_z,
    levels,
    setup,
    planes,
    sizes,
    chosen,
    out,
    tiles,
    counts,
):
    """`gather` for every tile of `table` (int64 [n, TILE_COLUMNS]) with `bounds` float32 [n, 2] of its feet.

    `rows` float32 [m, 8] holds the trees of all tiles; `levels` float32 [k, LEVEL_COLUMNS].
    """
    for t in range(table.shape[0]):
        level = table[t, 0]
        if level >= levels.shape[0]:
            continue
        first = table[t, 5]
        gather(
            rows[first : first + table[t, 6]],
            np.float64(table[t, 1]) - camera_x,
            np.float64(table[t, 2]) - camera_z,
            camera_y,
            np.float64(table[t, 3]) - camera_x,
            np.float64(table[t, 4]) - camera_z,
            tile_side(level),
            np.float64(bounds[t, 0]),
            np.float64(bounds[t, 1]),
            levels[level],
            setup,
            planes,
            sizes,
            chosen,
            t,
            out,
            tiles,
            counts,
        )


@jit
def _ranked_below(starts, keep):
    """How many rows of a tile may have a rank below `keep`: up to the end of the sixteenth it falls in."""
    sixteenths = min(max(int(np.ceil(keep * np.float32(RANKS))), 0), RANKS)
    return starts[sixteenths] - starts[0]


@jit
def far_blocks(
    table,
    bounds,
    starts,
    anchor_x,
    anchor_z,
    frac_x,
    frac_z,
    camera_y,
    levels,
    setup,
    planes,
    tallest,
    out,
):
    """Blocks of rows in which far trees may be seen; return how many there are.

    `table` and `bounds` as in `gather_tiles`; `starts` int32 [n, RANKS + 1]: rows where sixteenths of rank begin.
    Fills `out` int32 [capacity, 4]: page corner x and z minus the anchor in metres, first row, rows | level << 8.
    Blocks beyond the capacity are counted, not written. Which of a block's trees really are far, on this level, kept
    and above the sea, the vertex shader decides by the same rules as `gather`.
    """
    nearest, bend = np.float64(setup[4]), np.float64(setup[9])
    lift = np.float64(setup[0])
    blocks = 0
    for t in range(table.shape[0]):
        number = table[t, 0]
        if number >= levels.shape[0]:
            continue
        level = levels[number]
        inner, outer = np.float64(level[0]), np.float64(level[1])
        low, high = np.float64(bounds[t, 0]), np.float64(bounds[t, 1])
        if not inner < outer or high < setup[1]:
            continue
        x = np.float64(table[t, 3] - anchor_x) - frac_x
        z = np.float64(table[t, 4] - anchor_z) - frac_z
        side = tile_side(number)
        least, most = tile_reach(x, z, side)
        drop = bend * most * most
        steepest = max(abs(high - camera_y), abs(low - drop - camera_y))
        if np.sqrt(most * most + steepest * steepest) < nearest:
            continue
        from_, to = np.sqrt(least * least + lift * lift), np.sqrt(most * most + lift * lift)
        if from_ - 0.01 > outer or to + 0.01 < inner:
            continue
        if tile_hidden(x, z, side, low - camera_y - drop, high - camera_y, tallest, planes):
            continue
        first = table[t, 5]
        kept = _ranked_below(starts[t], kept_share(np.float32(max(from_, inner)), level, setup[6], setup[7]))
        for at in range(0, kept, BLOCK):
            if blocks < out.shape[0]:
                out[blocks, 0] = table[t, 1] - anchor_x
                out[blocks, 1] = table[t, 2] - anchor_z
                out[blocks, 2] = first + at
                out[blocks, 3] = min(kept - at, BLOCK) | number << 8
            blocks += 1
    return blocks


@jit
def tree_shadows(instances, tiles, counts, table, anchor_x, anchor_z, reach, fades, out, places):
    """Rows of shadows of the gathered trees within `reach` metres; return how many there are.

    `out` float32 [capacity, 12] and `places`, the same memory as int32: foot relative to the camera and scale;
    strength, width, kind, tint; north-west corner of the page in metres from the anchor, layer, level. A shadow
    fades over the last part of the reach, from `fades` · reach.
    """
    found = 0
    for bucket in range(counts.shape[0]):
        for m in range(min(counts[bucket], instances.shape[1])):
            row = instances[bucket, m]
            # The partner of a cross-fade is the same tree.
            if row[6] <= _ZERO:
                continue
            distance = np.sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2])
            strength = min((reach - distance) / (reach * (_ONE - fades)), _ONE)
            if strength <= _ZERO:
                continue
            if found < out.shape[0]:
                tile = tiles[bucket, m]
                for column in range(4):
                    out[found, column] = row[column]
                out[found, 4] = strength
                out[found, 5] = row[7]
                out[found, 6] = np.float32(bucket % 2)
                out[found, 7] = row[5]
                places[found, 8] = table[tile, 1] - anchor_x
                places[found, 9] = table[tile, 2] - anchor_z
                places[found, 10] = table[tile, 7]
                places[found, 11] = table[tile, 0]
            found += 1
    return found


@jit
def compare(was, rows, blocks):
    """Mark in `blocks` (bool, one for each `BLOCK` of `rows`) where `rows` differ from `was`, both float32 [n, 8].

    Returns whether both have the same trees in the same order, whatever else about them is another.
    """
    same = was.shape[0] == rows.shape[0]
    for n in range(rows.shape[0]):
        if n >= was.shape[0]:
            blocks[n // BLOCK] = True
            continue
        other = False
        for column in range(8):
            other |= rows[n, column] != was[n, column]
        if other:
            blocks[n // BLOCK] = True
            same &= rows[n, 0] == was[n, 0] and rows[n, 2] == was[n, 2] and rows[n, 7] == was[n, 7]
    return same


@jit
def foot_bounds(rows, table, first, bounds):
    """Least and greatest height of a foot, own and parent's, of tiles of a page: float32 [tiles, 2].

    `rows` float32 [n, 8] are the page's; those of tile t of `table` begin at `table[t, 5]` − `first`.
    """
    for t in range(table.shape[0]):
        begin = table[t, 5] - first
        low = min(rows[begin, 1], rows[begin, 3])
        high = max(rows[begin, 1], rows[begin, 3])
        for n in range(begin, begin + table[t, 6]):
            low = min(low, min(rows[n, 1], rows[n, 3]))
            high = max(high, max(rows[n, 1], rows[n, 3]))
        bounds[t, 0], bounds[t, 1] = low, high


def warm() -> None:
    """Compile every kernel here for the argument types the game uses."""
    level = np.zeros((1, LEVEL_COLUMNS), np.float32)
    setup = np.zeros(SETUP_COLUMNS, np.float32)
    planes = np.zeros((4, 4))
    sizes = np.ones((2, 2), np.float32)
    rows = np.zeros((1, 8), np.float32)
    out = np.zeros((BUCKETS, 1, INSTANCE_COLUMNS), np.float32)
    tiles = np.zeros((BUCKETS, 1), np.int32)
    counts = np.zeros(BUCKETS, np.int64)
    table, bounds = np.zeros((1, TILE_COLUMNS), np.int64), np.zeros((1, 2), np.float32)
    starts = np.zeros((1, RANKS + 1), np.int32)
    chosen = np.zeros(1, np.int32)
    gather_tiles(table, bounds, rows, 0.0, 0.0, 0.0, level, setup, planes, sizes, chosen, out, tiles, counts)
    far_blocks(
        table, bounds, starts, 0, 0, 0.0, 0.0, 0.0, level, setup, planes, 26.0, np.zeros((1, 4), np.int32)
    )
    compare(rows, rows, np.zeros(1, np.bool_))
    table[0, 6] = 1
    foot_bounds(rows, table, 0, bounds)
    shadows = np.zeros((1, 12), np.float32)
    share = np.float32(0.5)
    tree_shadows(out, tiles, counts, table, 0, 0, share, share, shadows, shadows.view(np.int32))
