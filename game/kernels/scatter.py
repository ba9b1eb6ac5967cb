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
MARGIN_UNITS = 48
"""No foot stands nearer than 0.75 m to its cell's border, so no two trunks are nearer than 1.5 m."""

NODE_M = 64
"""Spacing of the tree density nodes."""

KIND_NODE_M = 512
"""Spacing of the nodes that say which share of trees is broadleaved."""

CONIFER = 0
BROADLEAF = 1

_TREES = 7001
"""Channel of the world's seed that places trees."""

_HALF = np.float32(0.5)
_PINE_HEIGHT, _PINE_NOISE = np.float32(80.0), np.float32(0.7)
_SHRUB_HEIGHT, _SHRUB_NOISE = np.float32(30.0), np.float32(0.3)
_TWO_PI = np.float32(6.283185307179586)


@jit
def _channel(cell_hash, number):
    """Independent uint32 of a cell for one purpose, from the cell's uint32."""
    return mix32(np.uint32((np.int64(cell_hash) + number * 0x1E3779B9) & MASK32))


@jit
def _between_nodes(nodes, node_units, first_x, first_z, x_units, z_units):
    """Bilinear value at a position in units; the fraction is exact, so it does not depend on the page."""
    column = x_units // node_units
    row = z_units // node_units
    u = np.float32(x_units - column * node_units) / np.float32(node_units)
    v = np.float32(z_units - row * node_units) / np.float32(node_units)
    i = column - first_x
    j = row - first_z
    near = nodes[j, i] + u * (nodes[j, i + 1] - nodes[j, i])
    far = nodes[j + 1, i] + u * (nodes[j + 1, i + 1] - nodes[j + 1, i])
    return near + v * (far - near)


@jit
def foot_heights(samples, x, z, spacing):
    """Heights (R, parent surface) under a foot, float32 metres, on the drawn triangles.

    `samples` float32 [136, 136, 2]; x and z metres from the page's corner; `spacing` metres, a power of two.
    The parent's triangles span even samples and carry G.
    """
    column = x / spacing
    row = z / spacing
    i = int(column)
    j = int(row)
    u = np.float32(column - i)
    v = np.float32(row - j)
    i += GENERATED_APRON
    j += GENERATED_APRON
    here = samples[j, i, 0]
    across = samples[j + 1, i + 1, 0]
    if u >= v:
        corner = samples[j, i + 1, 0]
        own = here + u * (corner - here) + v * (across - corner)
    else:
        corner = samples[j + 1, i, 0]
        own = here + v * (corner - here) + u * (across - corner)
    u = (u + np.float32(i & 1)) * np.float32(0.5)
    v = (v + np.float32(j & 1)) * np.float32(0.5)
    i -= i & 1
    j -= j & 1
    here = samples[j, i, 1]
    across = samples[j + 2, i + 2, 1]
    if u >= v:
        corner = samples[j, i + 2, 1]
        parent = here + u * (corner - here) + v * (across - corner)
    else:
        corner = samples[j + 2, i, 1]
        parent = here + v * (corner - here) + u * (across - corner)
    return own, parent


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
    broadleaf,
    broadleaf_x,
    broadleaf_z,
    samples,
    rows,
):
    """Fill `rows` with the trees of one page, in cell order; return how many there are.

    `seed` int64; `origin_x`, `origin_z` int metres of the page's corner; `spacing` int metres between samples;
    `share` float32 keeps trees of lower rank only; `density` float32 [nz, nx] at nodes of 64 m, the first being
    node (density_x, density_z); `broadleaf` float32 likewise at nodes of 512 m; `samples` float32
    [136, 136, 2]; `rows` float32 [capacity, 8], columns as in `PageData.trees`, capacity one per cell.
    """
    span_units = 128 * spacing * UNITS_PER_M
    west = origin_x * UNITS_PER_M
    north = origin_z * UNITS_PER_M
    tree_seed = hash_channel(seed, _TREES)
    room = CELL_UNITS - 2 * MARGIN_UNITS
    count = 0
    for cell_z in range(north // CELL_UNITS, (north + span_units - 1) // CELL_UNITS + 1):
        for cell_x in range(west // CELL_UNITS, (west + span_units - 1) // CELL_UNITS + 1):
            h = hash_cell(cell_x, cell_z, tree_seed)
            rank = unit_float(_channel(h, 1))
            if rank >= share:
                continue
            x_units = cell_x * CELL_UNITS + MARGIN_UNITS + ((np.int64(_channel(h, 2)) * room) >> 32)
            z_units = cell_z * CELL_UNITS + MARGIN_UNITS + ((np.int64(_channel(h, 3)) * room) >> 32)
            east = x_units - west
            south = z_units - north
            # A cell on the border belongs to the page its foot stands on.
            if east < 0 or south < 0 or east >= span_units or south >= span_units:
                continue
            thick = _between_nodes(density, NODE_M * UNITS_PER_M, density_x, density_z, x_units, z_units)
            if unit_float(_channel(h, 4)) >= thick:
                continue
            leafy = _between_nodes(
                broadleaf, KIND_NODE_M * UNITS_PER_M, broadleaf_x, broadleaf_z, x_units, z_units
            )
            x = np.float32(east) * np.float32(0.015625)
            z = np.float32(south) * np.float32(0.015625)
            own, parent = foot_heights(samples, x, z, spacing)
            rows[count, 0] = x
            rows[count, 1] = own
            rows[count, 2] = z
            rows[count, 3] = parent
            # Sparse stands, which the density makes at the tree line, grow shorter trees.
            vigour = np.float32(0.6) * unit_float(_channel(h, 5)) + np.float32(0.4) * min(
                thick, np.float32(1.0)
            )
            rows[count, 4] = np.float32(0.6) + np.float32(0.8) * vigour
            rows[count, 5] = unit_float(_channel(h, 6)) * _TWO_PI
            rows[count, 6] = np.float32(BROADLEAF if unit_float(_channel(h, 7)) < leafy else CONIFER)
            rows[count, 7] = rank
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
def classic_kind(x_q, z_q, octaves, amplitudes, base, patches, humidity):
    """What grows at a place (1/1024 m) in the `classic` recipe: `CONIFER`, `BROADLEAF` for a shrub, or −1.

    Pine where height > 80 m, noise > 0.7 and normal·north > 0; shrub where height < 30 m, noise < 0.3, humidity > 0.5.
    `patches` and `humidity` are octaves int64 [4] whose noise is brought to 0…1; the rest as in `layer_height`.
    """
    noise = _HALF + _HALF * noise_at(
        position(x_q, patches[0], patches[1]), position(z_q, patches[0], patches[2]), patches[3]
    )
    if noise > _PINE_NOISE:
        if layer_height(x_q, z_q, octaves, amplitudes, base) > _PINE_HEIGHT:
            north = layer_height(x_q, z_q - 1024, octaves, amplitudes, base)
            if layer_height(x_q, z_q + 1024, octaves, amplitudes, base) - north > np.float32(0.0):
                return CONIFER
    elif noise < _SHRUB_NOISE:
        if layer_height(x_q, z_q, octaves, amplitudes, base) < _SHRUB_HEIGHT:
            humid = noise_at(
                position(x_q, humidity[0], humidity[1]), position(z_q, humidity[0], humidity[2]), humidity[3]
            )
            if humid > np.float32(0.0):
                return BROADLEAF
    return -1


@jit
def scatter_classic(
    seed, origin_x, origin_z, spacing, share, octaves, amplitudes, base, patches, humidity, samples, rows
):
    """As `scatter`, with the conditions of `classic_kind` in place of densities. Shrubs are small broadleaves."""
    span_units = 128 * spacing * UNITS_PER_M
    west = origin_x * UNITS_PER_M
    north = origin_z * UNITS_PER_M
    tree_seed = hash_channel(seed, _TREES)
    room = CELL_UNITS - 2 * MARGIN_UNITS
    count = 0
    for cell_z in range(north // CELL_UNITS, (north + span_units - 1) // CELL_UNITS + 1):
        for cell_x in range(west // CELL_UNITS, (west + span_units - 1) // CELL_UNITS + 1):
            h = hash_cell(cell_x, cell_z, tree_seed)
            rank = unit_float(_channel(h, 1))
            if rank >= share:
                continue
            x_units = cell_x * CELL_UNITS + MARGIN_UNITS + ((np.int64(_channel(h, 2)) * room) >> 32)
            z_units = cell_z * CELL_UNITS + MARGIN_UNITS + ((np.int64(_channel(h, 3)) * room) >> 32)
            east = x_units - west
            south = z_units - north
            if east < 0 or south < 0 or east >= span_units or south >= span_units:
                continue
            kind = classic_kind(x_units * 16, z_units * 16, octaves, amplitudes, base, patches, humidity)
            if kind < 0:
                continue
            x = np.float32(east) * np.float32(0.015625)
            z = np.float32(south) * np.float32(0.015625)
            own, parent = foot_heights(samples, x, z, spacing)
            rows[count, 0] = x
            rows[count, 1] = own
            rows[count, 2] = z
            rows[count, 3] = parent
            scale = np.float32(0.7) + np.float32(0.5) * unit_float(_channel(h, 5))
            rows[count, 4] = scale if kind == CONIFER else scale * np.float32(0.35)
            rows[count, 5] = unit_float(_channel(h, 6)) * _TWO_PI
            rows[count, 6] = np.float32(kind)
            rows[count, 7] = rank
            count += 1
    return count


@jit
def resample(trees, samples, spacing, j0, j1, i0, i1):
    """Set heights again for trees (rows as in `PageData.trees`) near the generated box [j0:j1, i0:i1], in place.

    Near means a triangle of this level or of the parent may have a corner in the box.
    """
    west = (i0 - GENERATED_APRON - 2) * spacing
    east = (i1 - GENERATED_APRON + 1) * spacing
    north = (j0 - GENERATED_APRON - 2) * spacing
    south = (j1 - GENERATED_APRON + 1) * spacing
    for n in range(trees.shape[0]):
        x = trees[n, 0]
        z = trees[n, 2]
        if west <= x and x <= east and north <= z and z <= south:
            own, parent = foot_heights(samples, x, z, spacing)
            trees[n, 1] = own
            trees[n, 3] = parent


def warm() -> None:
    """Compile every kernel here for the argument types the game uses."""
    samples = np.zeros((GENERATED, GENERATED, 2), np.float32)
    rows = np.zeros((20 * 20, 8), np.float32)
    density = np.ones((3, 3), np.float32)
    broadleaf = np.zeros((2, 2), np.float32)
    count = scatter(1, 0, 0, 1, np.float32(1.0), density, 0, 0, broadleaf, 0, 0, samples, rows)
    octaves, amplitudes = np.ones((1, 5), np.int64), np.ones(1, np.float32)
    octave = np.ones(5, np.int64)
    one = np.float32(1.0)
    scatter_classic(1, 0, 0, 1, one, octaves, amplitudes, one, octave, octave, samples, rows)
    classic_kind(0, 0, octaves, amplitudes, one, octave, octave)
    resample(rows[:count], samples, 1, 0, GENERATED, 0, GENERATED)
