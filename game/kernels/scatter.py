"""Where trees stand: a world-aligned jittered grid, thinned by a density, and the land under each foot.

Everything about a tree but its height comes from a hash of (seed, cell, channel) and from fields at
world-aligned nodes, so pages of every level agree on it bit for bit. Feet lie on a lattice of 1/64 m, which
float32 holds exactly on every page that carries trees.
"""

from __future__ import annotations

import numpy as np

from game.core.coords import GENERATED, GENERATED_APRON
from game.kernels import jit
from game.kernels.hashing import MASK32, hash_cell, hash_channel, mix32, unit_float
from game.kernels.noise import noise_at, position

UNITS_PER_M = 64
"""Foot positions are whole multiples of 1/64 m."""

CELL_M = 7
"""Side of a placement cell; at most one tree in each, so at most 204 trees a hectare."""

CELL_UNITS = CELL_M * UNITS_PER_M
BLOCK_CELLS = 4
BLOCK_UNITS = BLOCK_CELLS * CELL_UNITS
"""A block is 4 × 4 cells, among which ranks are dealt."""

RANKS = 16
"""Cells of a block, and so the steps in which shares are kept."""

MARGIN_UNITS = 48
"""No foot stands nearer than 0.75 m to its cell's border, so no two trunks are nearer than 1.5 m."""

NODE_M = 64
"""Spacing of the tree density nodes."""

KIND_NODE_M = 512
"""Spacing of the nodes that say which share of trees is broadleaved."""

_NODE_SHIFT = 12
_KIND_SHIFT = 15
_GROWTH_SHIFT = 9
"""Nodes are 2^shift foot units apart."""

CONIFER = 0
BROADLEAF = 1

_TREES = 7001
"""Channel of the world's seed that places trees."""

HARDY_STEPS_C = 64
HARDY_SPAN_C = 32
"""A tree's hardiness is kept in steps of 1/64 °C, for climates from 32 °C colder to 32 °C warmer than the recipe's."""

HARDY_CODES = 2 * HARDY_SPAN_C * HARDY_STEPS_C
THIRST_CODES = 1024
"""Numbers that the two parts of a hardiness go up to; with the kind 23 bits, which float32 holds exactly."""

_HALF = np.float32(0.5)
_ONE = np.float32(1.0)
_PINE_HEIGHT, _PINE_NOISE = np.float32(80.0), np.float32(0.7)
_SHRUB_HEIGHT, _SHRUB_NOISE = np.float32(30.0), np.float32(0.3)
_TWO_PI = np.float32(6.283185307179586)


@jit
def _channel(cell_hash, number):
    """Independent uint32 of a cell for one purpose, from the cell's uint32."""
    return mix32(np.uint32((np.int64(cell_hash) + number * 0x1E3779B9) & MASK32))


@jit
def _between_nodes(nodes, shift, first_x, first_z, x_units, z_units):
    """Bilinear value at a position in units, with nodes 2^shift units apart.

    The fraction is exact, so it does not depend on the page; shifts round down, for negative places too.
    """
    column = x_units >> shift
    row = z_units >> shift
    per_unit = np.float32(1.0) / np.float32(1 << shift)
    u = np.float32(x_units - (column << shift)) * per_unit
    v = np.float32(z_units - (row << shift)) * per_unit
    i, i1 = np.uintp(column - first_x), np.uintp(column - first_x + 1)
    j, j1 = np.uintp(row - first_z), np.uintp(row - first_z + 1)
    near = nodes[j, i] + u * (nodes[j, i1] - nodes[j, i])
    far = nodes[j1, i] + u * (nodes[j1, i1] - nodes[j1, i])
    return near + v * (far - near)


@jit(forceinline=True)
def _change_at(change, first_i, first_j, x_units, z_units):
    """Bilinear value of `change` (float32, nodes 8 m apart from node (first_i, first_j) on); 0 beside it."""
    column = x_units >> _GROWTH_SHIFT
    row = z_units >> _GROWTH_SHIFT
    i = column - first_i
    j = row - first_j
    if i < 0 or j < 0 or i >= change.shape[1] - 1 or j >= change.shape[0] - 1:
        return np.float32(0.0)
    per_unit = np.float32(1.0) / np.float32(1 << _GROWTH_SHIFT)
    u = np.float32(x_units - (column << _GROWTH_SHIFT)) * per_unit
    v = np.float32(z_units - (row << _GROWTH_SHIFT)) * per_unit
    near = change[j, i] + u * (change[j, i + 1] - change[j, i])
    far = change[j + 1, i] + u * (change[j + 1, i + 1] - change[j + 1, i])
    return near + v * (far - near)


@jit(forceinline=True)
def _needed(low, high, here, draw):
    """Least change of a quantity at which a tree still stands where there is `here` of it: float32, never above 0.

    Forests go from nothing at `low` to all at `high`; of those that stand here a `draw` of 0…1 picks one.
    """
    share = min(max((here - low) / (high - low), np.float32(0.0)), _ONE)
    return min(low + (high - low) * share * draw - here, np.float32(0.0))


@jit(forceinline=True)
def hardy_kind(kind, temperature, humidity, limits, cold, dry):
    """Kind of a tree and what climate it bears, as one whole number in float32; `hardy_enough` reads it.

    `kind` int; `temperature` °C and `humidity` 0…1 at its foot in the recipe's climate; `limits` float32 [4]: the
    temperatures, then the humidities, between which forests go from nothing to all; `cold`, `dry` float32: two draws.
    """
    warmth = _needed(limits[0], limits[1], temperature, cold) + np.float32(HARDY_SPAN_C)
    moisture = _needed(limits[2], limits[3], humidity, dry) + _ONE
    hardy = min(max(int(np.ceil(warmth * np.float32(HARDY_STEPS_C))), 0), HARDY_CODES - 1)
    thirst = min(max(int(np.ceil(moisture * np.float32(THIRST_CODES - 1))), 0), THIRST_CODES - 1)
    return np.float32(kind + 2 * (hardy + HARDY_CODES * thirst))


@jit(forceinline=True)
def hardy_enough(coded, hardy, thirst):
    """Whether a tree of `hardy_kind` `coded` (float32) stands in a climate of these codes (`climate_codes`)."""
    borne = int(coded) >> 1
    return ((borne & (HARDY_CODES - 1)) <= hardy) & (borne >> 12 <= thirst)


def climate_codes(warmth_c: float, moisture: float) -> tuple[int, int]:
    """What `hardy_enough` compares, in a world `warmth_c` warmer and `moisture` (of 1) moister than its recipe."""
    hardy = int(np.floor((warmth_c + HARDY_SPAN_C) * HARDY_STEPS_C))
    thirst = int(np.floor((moisture + 1.0) * (THIRST_CODES - 1)))
    return min(max(hardy, 0), HARDY_CODES - 1), min(max(thirst, 0), THIRST_CODES - 1)


@jit
def foot_heights(samples, x, z, per_m):
    """Heights (R, parent surface) under a foot, float32 metres, on the drawn triangles.

    `samples` float32 [136, 136, 2]; x and z float32 metres from the page's corner; `per_m` float32 samples a metre, a
    power of two. The parent's triangles span even samples and carry G.
    """
    column = x * per_m
    row = z * per_m
    i = int(column)
    j = int(row)
    u = np.float32(column - np.float32(i))
    v = np.float32(row - np.float32(j))
    i += GENERATED_APRON
    j += GENERATED_APRON
    # Which triangle a foot is on is as good as random, so the corner is chosen by arithmetic and not by a branch.
    # Unsigned indices spare the test for negative ones.
    east = int(u >= v)
    here = samples[np.uintp(j), np.uintp(i), 0]
    corner = samples[np.uintp(j + 1 - east), np.uintp(i + east), 0]
    across = samples[np.uintp(j + 1), np.uintp(i + 1), 0]
    own = here + max(u, v) * (corner - here) + min(u, v) * (across - corner)
    u = (u + np.float32(i & 1)) * _HALF
    v = (v + np.float32(j & 1)) * _HALF
    i -= i & 1
    j -= j & 1
    east = 2 * int(u >= v)
    here = samples[np.uintp(j), np.uintp(i), 1]
    corner = samples[np.uintp(j + 2 - east), np.uintp(i + east), 1]
    across = samples[np.uintp(j + 2), np.uintp(i + 2), 1]
    parent = here + max(u, v) * (corner - here) + min(u, v) * (across - corner)
    return own, parent


@jit
def _row_of_blocks(block_z, first_x, count, kept, tree_seed, cells, hashes, ranks):
    """Cells of a row of blocks whose rank is below `kept`/16; returns how many: int32 [2, n], uint32 [n], float32 [n].

    The 16 cells of a block have one rank in each sixteenth, so whatever share is kept stands evenly. Which cell has
    which follows from the block's hash by a bijection of 0…15, (cell xor a) · b mod 16 with odd b, so the lowest ranks
    are found without looking at the other cells. Loops without branches, which run in vectors.
    """
    block_seed = (tree_seed + 0x2B41C9D7) & MASK32
    for c in range(count):
        h = np.int64(hash_cell(first_x + c, block_z, block_seed))
        a = h & 15
        # The inverse of an odd number modulo 16 is its cube.
        b = ((h >> 4) & 14) + 1
        inverse = (b * b * b) & 15
        for r in range(kept):
            cell = ((r * inverse) & 15) ^ a
            n = r * count + c
            cells[0, n] = (first_x + c) * BLOCK_CELLS + (cell & 3)
            cells[1, n] = block_z * BLOCK_CELLS + (cell >> 2)
    found = kept * count
    for n in range(found):
        hashes[n] = hash_cell(np.int64(cells[0, n]), np.int64(cells[1, n]), tree_seed)
    for n in range(found):
        ranks[n] = (np.float32(n // count) + unit_float(_channel(hashes[n], 1))) * np.float32(0.0625)
    return found


@jit
def _feet(cells, hashes, found, west, north, x0, x1, z0, z1, chosen, feet):
    """Feet of those of the `found` cells that stand in [x0, x1) × [z0, z1), in units from the corner; return how many.

    Their numbers go to `chosen`, their feet to int32 [2, n]. A cell on the border belongs to the page its foot stands
    on.
    """
    room = CELL_UNITS - 2 * MARGIN_UNITS
    kept = 0
    for n in range(found):
        h = hashes[n]
        east = (
            np.int64(cells[0, n]) * CELL_UNITS
            + MARGIN_UNITS
            - west
            + ((np.int64(_channel(h, 2)) * room) >> 32)
        )
        south = (
            np.int64(cells[1, n]) * CELL_UNITS
            + MARGIN_UNITS
            - north
            + ((np.int64(_channel(h, 3)) * room) >> 32)
        )
        chosen[kept] = n
        feet[0, kept] = east
        feet[1, kept] = south
        kept += int((east >= x0) & (south >= z0) & (east < x1) & (south < z1))
    return kept


@jit
def scatter(
    seed,
    origin_x,
    origin_z,
    spacing,
    share,
    density,
    density_x,
    density_z,
    temperature,
    humidity,
    limits,
    broadleaf,
    broadleaf_x,
    broadleaf_z,
    change,
    change_i,
    change_j,
    samples,
    x0,
    x1,
    z0,
    z1,
    rows,
):
    """Fill `rows` with the trees of one page in [x0, x1) × [z0, z1), in cell order; return how many there are.

    `seed` int64; `origin_x`, `origin_z` int metres of the page's corner; `spacing` int metres between samples;
    `share` float32 keeps trees of lower rank only, a multiple of 1/16; `density` float32 [nz, nx] at nodes of 64 m, the
    first being node (density_x, density_z); `temperature` and `humidity` float32 likewise, `limits` as in
    `hardy_kind`; `broadleaf` float32 likewise at nodes of 512 m; `change` float32 [2, nj, ni] at nodes of 8 m from
    (change_i, change_j) on: what edits add to density and temperature, and nothing beside it; `samples` float32
    [136, 136, 2]; the box in units from the page's corner; `rows` float32 [capacity, 8], columns as in
    `PageData.trees`, capacity one per cell.
    """
    west = origin_x * UNITS_PER_M
    north = origin_z * UNITS_PER_M
    tree_seed = hash_channel(seed, _TREES)
    kept = int(np.ceil(share * np.float32(16.0)))
    first_x = (west + x0) // BLOCK_UNITS
    blocks = (west + x1 - 1) // BLOCK_UNITS + 1 - first_x
    most = blocks * kept
    cells = np.empty((2, most), np.int32)
    hashes = np.empty(most, np.uint32)
    ranks = np.empty(most, np.float32)
    chosen = np.empty(most, np.int32)
    feet = np.empty((2, most), np.int32)
    thickness = np.empty(most, np.float32)
    traits = np.empty((3, most), np.float32)
    per_m = np.float32(1.0) / np.float32(spacing)
    count = 0
    changes = change.shape[1] > 0
    for block_z in range((north + z0) // BLOCK_UNITS, (north + z1 - 1) // BLOCK_UNITS + 1):
        found = _row_of_blocks(block_z, first_x, blocks, kept, tree_seed, cells, hashes, ranks)
        found = _feet(cells, hashes, found, west, north, x0, x1, z0, z1, chosen, feet)
        grown = 0
        for n in range(found):
            c = chosen[n]
            east = feet[0, n]
            south = feet[1, n]
            thick = _between_nodes(density, _NODE_SHIFT, density_x, density_z, west + east, north + south)
            if changes:
                thick += _change_at(change[0], change_i, change_j, west + east, north + south)
            chosen[grown] = c
            feet[0, grown] = east
            feet[1, grown] = south
            thickness[grown] = thick
            grown += int(unit_float(_channel(hashes[c], 4)) < thick)
        for n in range(grown):
            h = hashes[chosen[n]]
            traits[0, n] = unit_float(_channel(h, 5))
            traits[1, n] = unit_float(_channel(h, 6))
            traits[2, n] = unit_float(_channel(h, 7))
        for n in range(grown):
            thick = thickness[n]
            leafy = _between_nodes(
                broadleaf, _KIND_SHIFT, broadleaf_x, broadleaf_z, west + feet[0, n], north + feet[1, n]
            )
            x = np.float32(feet[0, n]) * np.float32(0.015625)
            z = np.float32(feet[1, n]) * np.float32(0.015625)
            own, parent = foot_heights(samples, x, z, per_m)
            rows[count, 0] = x
            rows[count, 1] = own
            rows[count, 2] = z
            rows[count, 3] = parent
            # Sparse stands, which the density makes at the tree line, grow shorter trees.
            vigour = np.float32(0.6) * traits[0, n] + np.float32(0.4) * min(thick, np.float32(1.0))
            rows[count, 4] = np.float32(0.6) + np.float32(0.8) * vigour
            rows[count, 5] = traits[1, n] * _TWO_PI
            warm = _between_nodes(
                temperature, _NODE_SHIFT, density_x, density_z, west + feet[0, n], north + feet[1, n]
            )
            moist = _between_nodes(
                humidity, _NODE_SHIFT, density_x, density_z, west + feet[0, n], north + feet[1, n]
            )
            if changes:
                warm += _change_at(change[1], change_i, change_j, west + feet[0, n], north + feet[1, n])
            # Of the draws that let it grow here, those near the density are the first to go.
            cold = unit_float(_channel(hashes[chosen[n]], 4)) / thick
            dry = unit_float(_channel(hashes[chosen[n]], 8))
            rows[count, 6] = hardy_kind(int(traits[2, n] < leafy), warm, moist, limits, cold, dry)
            rows[count, 7] = ranks[chosen[n]]
            count += 1
    return count


@jit(forceinline=True)
def layer_height(x_q, z_q, octaves, amplitudes, base):
    """Height of aligned layers at a place in 1/1024 m, float32 metres: octaves int64 [n, ≥ 4], amplitudes float32."""
    height = base
    for k in range(amplitudes.shape[0]):
        height += amplitudes[k] * noise_at(
            position(x_q, octaves[k, 0], octaves[k, 1]),
            position(z_q, octaves[k, 0], octaves[k, 2]),
            octaves[k, 3],
        )
    return height


@jit
def classic_kind(x_q, z_q, octaves, amplitudes, base, patches, humidity, rise, rise_i, rise_j):
    """What grows at a place (1/1024 m) in the `classic` recipe: `CONIFER`, `BROADLEAF` for a shrub, or −1.

    Pine where height > 80 m, noise > 0.7 and normal·north > 0; shrub where height < 30 m, noise < 0.3, humidity > 0.5.
    `patches` and `humidity` are octaves int64 [4] whose noise is brought to 0…1; `rise` float32 at nodes of 8 m from
    (rise_i, rise_j) on is how far edits lifted the land, and 0 beside it; the rest as in `layer_height`.
    """
    x, z = x_q >> 4, z_q >> 4
    noise = _HALF + _HALF * noise_at(
        position(x_q, patches[0], patches[1]), position(z_q, patches[0], patches[2]), patches[3]
    )
    if noise > _PINE_NOISE:
        height = layer_height(x_q, z_q, octaves, amplitudes, base) + _change_at(rise, rise_i, rise_j, x, z)
        if height > _PINE_HEIGHT:
            north = layer_height(x_q, z_q - 1024, octaves, amplitudes, base)
            north += _change_at(rise, rise_i, rise_j, x, z - UNITS_PER_M)
            south = layer_height(x_q, z_q + 1024, octaves, amplitudes, base)
            south += _change_at(rise, rise_i, rise_j, x, z + UNITS_PER_M)
            if south - north > np.float32(0.0):
                return CONIFER
    elif noise < _SHRUB_NOISE:
        height = layer_height(x_q, z_q, octaves, amplitudes, base) + _change_at(rise, rise_i, rise_j, x, z)
        if height < _SHRUB_HEIGHT:
            humid = noise_at(
                position(x_q, humidity[0], humidity[1]), position(z_q, humidity[0], humidity[2]), humidity[3]
            )
            if humid > np.float32(0.0):
                return BROADLEAF
    return -1


@jit
def scatter_classic(
    seed,
    origin_x,
    origin_z,
    spacing,
    share,
    octaves,
    amplitudes,
    base,
    patches,
    humidity,
    node_x,
    node_z,
    temperatures,
    humidities,
    limits,
    rise,
    rise_i,
    rise_j,
    samples,
    x0,
    x1,
    z0,
    z1,
    rows,
):
    """As `scatter`, with the conditions of `classic_kind` in place of densities. Shrubs are small broadleaves.

    `temperatures` and `humidities` float32 [nz, nx] at nodes of 64 m from node (node_x, node_z); `rise` float32
    [2, nj, ni] as `change`, but metres that the land rose in place of density.
    """
    west = origin_x * UNITS_PER_M
    north = origin_z * UNITS_PER_M
    tree_seed = hash_channel(seed, _TREES)
    kept = int(np.ceil(share * np.float32(16.0)))
    first_x = (west + x0) // BLOCK_UNITS
    blocks = (west + x1 - 1) // BLOCK_UNITS + 1 - first_x
    most = blocks * kept
    cells = np.empty((2, most), np.int32)
    hashes = np.empty(most, np.uint32)
    ranks = np.empty(most, np.float32)
    chosen = np.empty(most, np.int32)
    feet = np.empty((2, most), np.int32)
    per_m = np.float32(1.0) / np.float32(spacing)
    count = 0
    for block_z in range((north + z0) // BLOCK_UNITS, (north + z1 - 1) // BLOCK_UNITS + 1):
        found = _row_of_blocks(block_z, first_x, blocks, kept, tree_seed, cells, hashes, ranks)
        found = _feet(cells, hashes, found, west, north, x0, x1, z0, z1, chosen, feet)
        for n in range(found):
            h = hashes[chosen[n]]
            x_q, z_q = (west + feet[0, n]) * 16, (north + feet[1, n]) * 16
            kind = classic_kind(
                x_q, z_q, octaves, amplitudes, base, patches, humidity, rise[0], rise_i, rise_j
            )
            if kind < 0:
                continue
            x = np.float32(feet[0, n]) * np.float32(0.015625)
            z = np.float32(feet[1, n]) * np.float32(0.015625)
            own, parent = foot_heights(samples, x, z, per_m)
            rows[count, 0] = x
            rows[count, 1] = own
            rows[count, 2] = z
            rows[count, 3] = parent
            scale = np.float32(0.7) + np.float32(0.5) * unit_float(_channel(h, 5))
            rows[count, 4] = scale if kind == CONIFER else scale * np.float32(0.35)
            rows[count, 5] = unit_float(_channel(h, 6)) * _TWO_PI
            east, south = west + feet[0, n], north + feet[1, n]
            warm = _between_nodes(temperatures, _NODE_SHIFT, node_x, node_z, east, south)
            warm += _change_at(rise[1], rise_i, rise_j, east, south)
            moist = _between_nodes(humidities, _NODE_SHIFT, node_x, node_z, east, south)
            cold, dry = unit_float(_channel(h, 4)), unit_float(_channel(h, 8))
            rows[count, 6] = hardy_kind(kind, warm, moist, limits, cold, dry)
            rows[count, 7] = ranks[chosen[n]]
            count += 1
    return count


@jit(forceinline=True)
def _group(x, z, rank, per_m, side):
    """Number of the group that a tree belongs to: sixteenths of rank, in the tile that its foot stands in."""
    tile = min(int(z * per_m), side - 1) * side + min(int(x * per_m), side - 1)
    return tile * RANKS + min(int(rank * np.float32(RANKS)), RANKS - 1)


@jit
def in_tiles(rows, span, side, out):
    """Write `rows` (float32 [n, 8]) into `out` tile after tile, in each by ascending sixteenths of rank.

    `span`: the page's side in metres, cut into `side`² tiles. Within a sixteenth rows keep their order.
    """
    per_m = np.float32(side) / np.float32(span)
    ends = np.zeros(side * side * RANKS + 1, np.int32)
    groups = np.empty(rows.shape[0], np.int32)
    for n in range(rows.shape[0]):
        group = _group(rows[n, 0], rows[n, 2], rows[n, 7], per_m, side)
        groups[n] = group
        ends[group + 1] += 1
    for group in range(side * side * RANKS):
        ends[group + 1] += ends[group]
    for n in range(rows.shape[0]):
        at = ends[groups[n]]
        ends[groups[n]] = at + 1
        for column in range(8):
            out[at, column] = rows[n, column]


@jit
def merge(old, fresh, span, side, west, north, x0, x1, z0, z1, out):
    """Write the rows of `old` outside the box and those of `fresh`, in the order of `in_tiles`; return how many.

    Both float32 [n, 8] in that order; the box [x0, x1) × [z0, z1) and the page's corner (`west`, `north`) in units;
    `span` and `side` as in `in_tiles`. The same rows in the same order as if the whole page had been planted anew.
    """
    per_m = np.float32(side) / np.float32(span)
    metre = np.float32(1.0) / np.float32(UNITS_PER_M)
    low_x, high_x = np.float32(x0) * metre, np.float32(x1) * metre
    low_z, high_z = np.float32(z0) * metre, np.float32(z1) * metre
    count, begin = 0, 0
    for f in range(fresh.shape[0] + 1):
        end = old.shape[0]
        if f < fresh.shape[0]:
            # The first row that comes after it; rows in the box are still there to be searched.
            here = _place_in_order(fresh[f], per_m, side, west, north)
            first = begin
            while first < end:
                middle = (first + end) >> 1
                if _place_in_order(old[middle], per_m, side, west, north) > here:
                    end = middle
                else:
                    first = middle + 1
        for n in range(begin, end):
            x, z = old[n, 0], old[n, 2]
            if low_x <= x and x < high_x and low_z <= z and z < high_z:
                continue
            for column in range(8):
                out[count, column] = old[n, column]
            count += 1
        begin = end
        if f < fresh.shape[0]:
            for column in range(8):
                out[count, column] = fresh[f, column]
            count += 1
    return count


@jit(forceinline=True)
def _place_in_order(row, per_m, side, west, north):
    """What rows of a page are sorted by: tile and sixteenth of rank, then blocks row by row."""
    group = np.int64(_group(row[0], row[2], row[7], per_m, side))
    units = np.float32(UNITS_PER_M)
    block_x = (west + np.int64(row[0] * units)) // BLOCK_UNITS - west // BLOCK_UNITS
    block_z = (north + np.int64(row[2] * units)) // BLOCK_UNITS - north // BLOCK_UNITS
    return (group * 1024 + block_z) * 1024 + block_x


@jit
def tile_starts(rows, span, side, starts):
    """Where each sixteenth of each tile begins in rows that are in that order: int32 [side², 17]."""
    per_m = np.float32(side) / np.float32(span)
    counts = np.zeros(side * side * RANKS, np.int32)
    for n in range(rows.shape[0]):
        counts[_group(rows[n, 0], rows[n, 2], rows[n, 7], per_m, side)] += 1
    total = np.int32(0)
    for tile in range(side * side):
        for r in range(RANKS):
            starts[tile, r] = total
            total += counts[tile * RANKS + r]
        starts[tile, RANKS] = total


@jit
def standing(rows, hardy, thirst):
    """Which trees (rows as in `PageData.trees`) stand in a climate of these codes (`climate_codes`): bool [n]."""
    found = np.empty(rows.shape[0], np.bool_)
    for n in range(rows.shape[0]):
        found[n] = hardy_enough(rows[n, 6], hardy, thirst)
    return found


@jit
def resample(trees, samples, spacing, j0, j1, i0, i1):
    """Set heights again for trees (rows as in `PageData.trees`) near the generated box [j0:j1, i0:i1], in place.

    Near means a triangle of this level or of the parent may have a corner in the box.
    """
    west = (i0 - GENERATED_APRON - 2) * spacing
    east = (i1 - GENERATED_APRON + 1) * spacing
    north = (j0 - GENERATED_APRON - 2) * spacing
    south = (j1 - GENERATED_APRON + 1) * spacing
    per_m = np.float32(1.0) / np.float32(spacing)
    for n in range(trees.shape[0]):
        x = trees[n, 0]
        z = trees[n, 2]
        if west <= x and x <= east and north <= z and z <= south:
            own, parent = foot_heights(samples, x, z, per_m)
            trees[n, 1] = own
            trees[n, 3] = parent


def warm() -> None:
    """Compile every kernel here for the argument types the game uses."""
    samples = np.zeros((GENERATED, GENERATED, 2), np.float32)
    rows = np.zeros((7 * 7 * 16, 8), np.float32)
    density = np.ones((3, 3), np.float32)
    broadleaf = np.zeros((2, 2), np.float32)
    change = np.zeros((2, 0, 0), np.float32)
    one = np.float32(1.0)
    box = 0, 8192, 0, 8192
    limits = np.array((0.0, 1.0, 0.0, 1.0), np.float32)
    climate = density, density, limits
    count = scatter(
        1, 0, 0, 1, one, density, 0, 0, *climate, broadleaf, 0, 0, change, 0, 0, samples, *box, rows
    )
    standing(rows[:count], 0, 0)
    octaves, amplitudes = np.ones((1, 5), np.int64), np.ones(1, np.float32)
    octave = np.ones(5, np.int64)
    classic = octaves, amplitudes, one, octave, octave
    scatter_classic(1, 0, 0, 1, one, *classic, 0, 0, *climate, change, 0, 0, samples, *box, rows)
    classic_kind(0, 0, *classic, change[0], 0, 0)
    resample(rows[:count], samples, 1, 0, GENERATED, 0, GENERATED)
    in_tiles(rows[:count], 128, 1, rows.copy())
    merge(rows[:count], rows[:0], 128, 1, 0, 0, *box, rows.copy())
    tile_starts(rows[:count], 128, 1, np.zeros((1, RANKS + 1), np.int32))
