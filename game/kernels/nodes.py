"""Tier 2 of either landscape: what is known of nodes 64 m apart, or of the samples themselves on coarse levels.

Slope and curvature come from differences over ±128 m on every level that draws gullies, never from the sample spacing.
Levels whose samples lie 512 m apart or more carry no gullies: their slopes would need nodes no such page has. Curvature
is the Laplacian, which is the same whichever way a crest runs and needs heights along the axes only.
"""

from __future__ import annotations

import numpy as np

import game.kernels.landscape as land
from game.kernels import uncounted
from game.kernels.interpolation import blend_nodes, catmull, catmull_table, load_lines, store_lines, widen
from game.kernels.landscape import (
    GLADE_LINE,
    GLADES,
    LAYERS,
    LINE,
    MID_FIELDS,
    MID_SHIFT,
    N_CRAG,
    N_CURVATURE,
    N_FOREST,
    N_HEIGHT,
    N_HIGH,
    N_SLOPE_X,
    N_SLOPE_Z,
    NODE_FIELDS,
    NODE_LINE,
    NODE_ROW,
    O_CRAG,
    O_CURVATURE,
    O_FOREST,
    O_HEIGHT,
    O_HUMIDITY,
    O_SLOPE_X,
    O_SLOPE_Z,
    O_WARMTH,
)
from game.kernels.layers import K_HUMIDITY, K_WARMTH, LAYER_FIELDS, layer_grid, layer_nodes
from game.kernels.noise import blend_row, column_table, corner_rows, fraction, position
from game.kernels.ranges import HEIGHT_FIELDS, R_HUMIDITY, R_WARMTH, mid_grid, range_heights, range_nodes
from game.kernels.shaping import clamp01, smoothstep

GLADE = np.uint64(GLADE_LINE) * LINE
# Heights around each node, then what is known of it before its slope.
_H_NORTH, _H_WEST, _H_HERE = np.uint64(0) * LINE, np.uint64(1) * LINE, np.uint64(2) * LINE
_H_EAST, _H_SOUTH = np.uint64(3) * LINE, np.uint64(4) * LINE
_S_HIGH, _S_CRAG, _S_FOREST = np.uint64(5) * LINE, np.uint64(6) * LINE, np.uint64(7) * LINE

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_TWO = np.float32(2.0)
_HALF = np.float32(0.5)
_2 = np.uint64(2)
_1 = np.uint64(1)
_3 = np.uint64(3)


@uncounted(forceinline=True)
def clearing_row(z, ni, used, octaves, cells, columns, slots, slot_rows, line):
    """Clearing octaves 0 … `used` − 1 along one row of nodes at `z` (1/1024 m) into their lines; the rest zero."""
    for k in range(GLADES):
        target = line[(GLADE_LINE + k) * NODE_ROW :]
        if k >= used:
            for i in range(ni):
                target[i] = _ZERO
            continue
        octave = octaves[k]
        at = position(z, octave[0], octave[2])
        cell = at >> 32
        for near in range(2):
            if slot_rows[k, (cell + near) & 1] != cell + near:
                slot = slots[k, (cell + near) & 1]
                corner_rows(
                    cells[k],
                    cell + near,
                    octave[3],
                    columns[k, 0],
                    columns[k, 1],
                    ni,
                    slot[0],
                    slot[1],
                )
                slot_rows[k, (cell + near) & 1] = cell + near
        north, south = slots[k, cell & 1], slots[k, (cell + 1) & 1]
        blend_row(north[0], north[1], south[0], south[1], fraction(at), ni, target)


@uncounted(forceinline=True)
def clearing_columns(px, ni, shift, tables, work):
    """Prepare clearing octaves along `ni` columns 2^shift m apart; returns how many are used.

    Clearings shorter than two nodes would alias on coarse levels; all are there at 64 m, where trees are placed.
    """
    used = 0
    for k in range(GLADES):
        octave = tables.glades[k]
        if octave[0] << (shift + 1) <= np.int64(1) << 32:
            used = k + 1
            columns = work.glade_columns[k]
            column_table(px, ni, octave[0], octave[1], work.glade_cells[k], columns[0], columns[1])
            for parity in range(2):
                work.glade_rows[k, parity] = np.int64(-(1 << 62))
    return used


@uncounted(forceinline=True)
def _woods(ni, p, warmth_line, humidity_line, line):
    """Climate of one row of nodes, and what forest there is before the slope is known.

    Until then forest holds the clearing noise and crag the part that climate allows.
    """
    lapse = p[land.P_LAPSE]
    glade_amplitude, glade_gain, glade_dry = p[land.P_GLADE], p[land.P_GLADE_GAIN], p[land.P_GLADE_DRY]
    humid_low, humid_high = p[land.P_FOREST_HUMIDITY_LOW], p[land.P_FOREST_HUMIDITY_HIGH]
    tree_low, tree_high = (
        p[land.P_TREELINE] - p[land.P_TREELINE_BAND],
        p[land.P_TREELINE] + p[land.P_TREELINE_BAND],
    )
    for i in range(np.uint64(ni)):
        warmth = line[warmth_line + i]
        humidity = clamp01(line[humidity_line + i])
        line[O_WARMTH + i] = warmth
        line[O_HUMIDITY + i] = humidity
        clearing = glade_amplitude * (
            line[GLADE + i]
            + glade_gain * (line[GLADE + LINE + i] + glade_gain * line[GLADE + LINE + LINE + i])
        )
        line[O_FOREST + i] = clearing + glade_dry * (humidity - _HALF)
        line[O_CRAG + i] = smoothstep(
            tree_low, tree_high, (warmth - lapse * line[O_HEIGHT + i]) + clearing
        ) * smoothstep(humid_low, humid_high, humidity)


@uncounted
def mid_tier(first_x, first_z, shift, ni, nj, weights_row, parent_row, tables, work):
    """Tier 1½ of either landscape under `ni` × `nj` nodes 2^shift m apart from node (first_x, first_z).

    What tier 2 needs around them is filled too: for level 8 two nodes on each side, for finer nodes those that they lie
    between. Called once for all levels, and `shift` is no constant there: for every call, and every constant, the
    tiers would be compiled again.
    """
    between = shift < MID_SHIFT
    if between:
        end_x, end_z = first_x + ni - 1, first_z + nj - 1
        first_x, first_z = _mid_node(first_x, shift), _mid_node(first_z, shift)
        ni = ((end_x << shift) >> MID_SHIFT) + 2 - first_x + 1
        nj = ((end_z << shift) >> MID_SHIFT) + 2 - first_z + 1
        shift = np.int64(MID_SHIFT)
    elif shift == MID_SHIFT:
        first_x, first_z, ni, nj = first_x - 2, first_z - 2, ni + 4, nj + 4
    if tables.landscape[0] == LAYERS:
        layer_grid(first_x, first_z, shift, ni, nj, weights_row, parent_row, tables, work)
    else:
        mid_grid(first_x, first_z, shift, ni, nj, tables, work)


@uncounted(forceinline=True)
def _mid_node(node, shift):
    """First node of tier 1½ that nodes 2^shift m apart from `node` on are interpolated from."""
    return ((node << shift) >> MID_SHIFT) - 1


@uncounted(forceinline=True)
def _node_row(layers, ni, p, line):
    """Everything but slopes of one row of nodes, from what tier 1½ and the clearings put into the lines."""
    if layers:
        layer_nodes(ni, p, line)
        _woods(ni, p, K_WARMTH, K_HUMIDITY, line)
    else:
        range_nodes(ni, p, line)
        _woods(ni, p, R_WARMTH, R_HUMIDITY, line)


@uncounted
def node_grid(first_x, first_z, shift, ni, nj, step, tables, work):
    """Tier 2: fill `work.nodes[:, :nj, :ni]` for nodes 2^shift m apart from node (first_x, first_z).

    Slope, curvature and what follows from them are left out within `step` nodes of the edge, `step` · 2^shift being
    the distance over which differences are taken.
    """
    layers = tables.landscape[0] == LAYERS
    fields = LAYER_FIELDS if layers else MID_FIELDS
    between = shift < MID_SHIFT
    px = work.positions[0]
    start_x, start_z = _mid_node(first_x, shift), _mid_node(first_z, shift)
    rows = (((first_z + nj - 1) << shift) >> MID_SHIFT) + 2 - start_z + 1
    for i in range(ni):
        px[i] = ((first_x + i) << shift) << 10
    if between:
        plan = catmull_table(px, ni, MID_SHIFT, start_x, work.index, work.weights)
        widen(work.mid, 0, fields, 0, rows, plan, work.index, work.weights, ni, work.spread, work.mid_wide)
    glades = clearing_columns(px, ni, shift, tables, work)
    p, line, nodes = tables.parameters, work.line, work.nodes
    octaves, cells, slots = tables.glades, work.glade_cells, work.glade_slots
    glade_columns, slot_rows = work.glade_columns, work.glade_rows
    mid, mid_wide = work.mid, work.mid_wide
    for j in range(nj):
        z = (first_z + j) << shift
        first = start_z if between else j
        load_lines(mid_wide, mid, between, 0, fields, z, MID_SHIFT, first, ni, line)
        clearing_row(z << 10, ni, glades, octaves, cells, glade_columns, slots, slot_rows, line)
        _node_row(layers, ni, p, line)
        store_lines(line, NODE_LINE, NODE_FIELDS, ni, nodes, 0, j)
    n = ni - 2 * step
    span = np.float32(np.int64(step) << shift)
    heights = nodes[N_HEIGHT]
    for j in range(step, nj - step):
        here = heights[j]
        north, south = heights[j - step, step:], heights[j + step, step:]
        _load_heights(north, here, here[step:], here[2 * step :], south, n, line)
        _node_slopes(j, step, n, span, p, line, nodes)


@uncounted
def half_grid(first_x, first_z, ni, nj, tables, work):
    """Tier 2 of level 8: `ni` × `nj` nodes 256 m apart from node (first_x, first_z), slopes over ±128 m.

    The nodes are those of tier 1½. Heights are needed halfway to their neighbours too, along the axes: interpolated
    along x only, then along z only, as any level that has nodes there would do both.
    """
    layers = tables.landscape[0] == LAYERS
    fields = LAYER_FIELDS if layers else MID_FIELDS
    height_fields = 1 if layers else HEIGHT_FIELDS
    px = work.positions[0]
    shift = np.int64(MID_SHIFT)
    for i in range(ni):
        px[i] = ((first_x + i) << shift) << 10
    glades = clearing_columns(px, ni, shift, tables, work)
    p, line, nodes = tables.parameters, work.line, work.nodes
    octaves, cells, slots = tables.glades, work.glade_cells, work.glade_slots
    glade_columns, slot_rows = work.glade_columns, work.glade_rows
    mid, between = work.mid, work.nodes_wide[0]
    along = work.nodes_wide[1, 0]
    w0, w1, w2, w3 = catmull(_HALF)
    _heights_between_rows(0, ni, height_fields, layers, p, mid, line, between[0])
    for j in range(nj):
        for f in range(height_fields):
            row = mid[f, j + 2]
            target = line[f * NODE_ROW :]
            for i in range(np.uint64(ni + 1)):
                target[i] = ((w0 * row[i] + w1 * row[i + _1]) + w2 * row[i + _2]) + w3 * row[i + _3]
        if not layers:
            range_heights(ni + 1, p, line)
        source = line[0 if layers else NODE_LINE * NODE_ROW :]
        for i in range(ni + 1):
            along[i] = source[i]
        _heights_between_rows(j + 1, ni, height_fields, layers, p, mid, line, between[j + 1])
        for f in range(fields):
            row = mid[f, j + 2, 2:]
            target = line[f * NODE_ROW :]
            for i in range(ni):
                target[i] = row[i]
        z = ((first_z + j) << MID_SHIFT) << 10
        clearing_row(z, ni, glades, octaves, cells, glade_columns, slots, slot_rows, line)
        _node_row(layers, ni, p, line)
        store_lines(line, NODE_LINE, NODE_FIELDS, ni, nodes, 0, j)
        _load_heights(between[j], along, nodes[N_HEIGHT, j], along[1:], between[j + 1], ni, line)
        _node_slopes(j, 0, ni, np.float32(1 << (MID_SHIFT - 1)), p, line, nodes)


@uncounted(forceinline=True)
def _heights_between_rows(j, ni, fields, layers, p, mid, line, out):
    """Heights halfway between rows j − 1 and j of the nodes of `half_grid`, into `out` [≥ ni]."""
    for f in range(fields):
        a, b = mid[f, j, 2:], mid[f, j + 1, 2:]
        c, d = mid[f, j + 2, 2:], mid[f, j + 3, 2:]
        blend_nodes(a, b, c, d, _HALF, ni, np.uint64(f) * LINE, line)
    if not layers:
        range_heights(ni, p, line)
    source = line[0 if layers else NODE_LINE * NODE_ROW :]
    for i in range(ni):
        out[i] = source[i]


@uncounted(forceinline=True)
def _load_heights(north, west, here, east, south, n, line):
    """Heights around `n` nodes into the first lines."""
    for i in range(np.uint64(n)):
        line[_H_NORTH + i] = north[i]
    for i in range(np.uint64(n)):
        line[_H_WEST + i] = west[i]
    for i in range(np.uint64(n)):
        line[_H_HERE + i] = here[i]
    for i in range(np.uint64(n)):
        line[_H_EAST + i] = east[i]
    for i in range(np.uint64(n)):
        line[_H_SOUTH + i] = south[i]


@uncounted(forceinline=True)
def _node_slopes(row, first, n, span, p, line, nodes):
    """Slope, curvature, crags and forest of `n` nodes of one row from column `first` on.

    The heights `span` m (float32) away are in the first lines, everything else in `work.nodes[:, row]`.
    """
    across = _HALF / span
    second = _ONE / (span * span)
    slope_low, slope_high = p[land.P_TREE_SLOPE_LOW], p[land.P_TREE_SLOPE_HIGH]
    glade_bias, glade_slope = p[land.P_GLADE_BIAS], p[land.P_GLADE_SLOPE]
    everywhere = p[land.P_CRAG_EVERYWHERE]
    for f in range(3):
        source = nodes[N_HIGH, row, first:]
        if f == 1:
            source = nodes[N_CRAG, row, first:]
        elif f == 2:
            source = nodes[N_FOREST, row, first:]
        target = line[(5 + f) * NODE_ROW :]
        for i in range(n):
            target[i] = source[i]
    for i in range(np.uint64(n)):
        west, mid, east = line[_H_WEST + i], line[_H_HERE + i], line[_H_EAST + i]
        north, south = line[_H_NORTH + i], line[_H_SOUTH + i]
        slope_x = (east - west) * across
        slope_z = (south - north) * across
        xx = ((east - mid) - (mid - west)) * second
        zz = ((south - mid) - (mid - north)) * second
        line[O_SLOPE_X + i] = slope_x
        line[O_SLOPE_Z + i] = slope_z
        line[O_CURVATURE + i] = xx + zz
        slope = np.sqrt(slope_x * slope_x + slope_z * slope_z)
        wooded = line[_S_FOREST + i] + (glade_slope * min(slope, np.float32(0.35)) - glade_bias)
        line[O_FOREST + i] = (
            line[_S_CRAG + i]
            * (_ONE - smoothstep(slope_low, slope_high, slope))
            * smoothstep(np.float32(-0.1), np.float32(0.25), wooded)
        )
        line[O_CRAG + i] = max(
            everywhere, smoothstep(np.float32(0.3), np.float32(0.9), line[_S_HIGH + i])
        ) * (np.float32(0.35) + np.float32(0.65) * smoothstep(np.float32(0.25), np.float32(0.65), slope))
    for f in (N_SLOPE_X, N_SLOPE_Z, N_CURVATURE, N_CRAG, N_FOREST):
        source = line[(NODE_LINE + f) * NODE_ROW :]
        target = nodes[f, row, first:]
        for i in range(n):
            target[i] = source[i]


def warm() -> None:
    """Compile every public kernel with the types the game uses."""
    tables, work = land.flat_tables(), land.new_workspace()
    mid_tier(0, 0, land.NODE_SHIFT, 8, 8, 0, 0, tables, work)
    node_grid(0, 0, land.NODE_SHIFT, 8, 8, 2, tables, work)
