"""Samples: one row at a time, node fields and on top of them gullies, ground, layers, hummocks, crags and dunes.

Only the weights of octaves depend on the level: R is summed with the weights of its level and G, in the same loop, with
those of the next, which makes G at even samples the parent's R. Between the octaves stands the curve of terraces, after
them the shore.
"""

from __future__ import annotations

import numpy as np

from game.kernels import uncounted
from game.kernels.fractal import (
    CARVED,
    CRAG,
    CRAG_SUM,
    DUNE,
    DUNE_SUM,
    FIRST_TARGET,
    FOREST,
    GROUND_SUM,
    GULLY,
    GULLY_SUM,
    HEIGHT,
    HIGH,
    HUMIDITY,
    HUMMOCK,
    HUMMOCK_SUM,
    LAYER_SUM,
    MESA,
    PARENT,
    ROW,
    ROW_FIELDS,
    SCRATCH,
    TARGET,
    WARMTH,
    dune_row,
    gully_row,
    pivot_rows,
    ridged_row,
    slice_rows,
    smooth_row,
    terrace_row,
)
from game.kernels.interpolation import blend_nodes, catmull_table, widen
from game.kernels.landscape import (
    GROUND_CRAG,
    GROUND_DUNE,
    GROUND_HUMIDITY,
    GROUND_HUMMOCK,
    GROUND_LAYER,
    GROUND_RIDGED,
    GROUND_SLICE,
    GROUND_TERRACE,
    GROUND_WARMTH,
    NODE_FIELDS,
    NODE_SHIFT,
    P_GROUND_HIGH,
    P_HUMMOCK_BARE,
    P_HUMMOCK_LONE,
    P_SHORE_FLAT,
    P_SHORE_WIDTH,
    P_TERRACE_RAGGED,
    P_TERRACE_STEPS,
    P_WIND_X,
    P_WIND_Z,
)
from game.kernels.noise import column_table, corner_rows, fraction, position
from game.kernels.shaping import clamp01, curve_row, shore, swell

_STRIDE = np.uint64(ROW)
_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_CELL = np.float32(65536.0)
_SMOOTH, _HUMMOCK, _CRAG = np.float32(0.0), np.float32(GROUND_HUMMOCK), np.float32(GROUND_CRAG)
_LAYER, _RIDGED, _SLICE = np.float32(GROUND_LAYER), np.float32(GROUND_RIDGED), np.float32(GROUND_SLICE)
_DUNE, _WARMTH, _HUMIDITY = np.float32(GROUND_DUNE), np.float32(GROUND_WARMTH), np.float32(GROUND_HUMIDITY)
_TERRACE = np.float32(GROUND_TERRACE)


@uncounted(forceinline=True)
def _begin_octaves(xq, ni, gullies, weights_row, tables, work):
    """Columns of every octave that has a weight; no lattice rows are there yet."""
    gully_count = tables.gullies.shape[0]
    for k in range(gully_count + tables.ground.shape[0]):
        if k < gully_count:
            if k >= gullies:
                continue
            octave = tables.gully_octaves[k]
        else:
            if not tables.ground_weights[weights_row, k - gully_count] > _ZERO:
                continue
            octave = tables.ground_octaves[k - gully_count, :4]
        column_table(
            xq, ni, octave[0], octave[1], work.column_cells[k], work.columns[k, 0], work.columns[k, 1]
        )
        for parity in range(2):
            work.slot_rows[k, parity] = np.int64(-(1 << 62))


@uncounted(forceinline=True)
def _gully_octaves(z, ni, gullies, own, parents, octaves, shapes, cells, columns, slots, slot_rows, state):
    for k in range(gullies):
        octave = octaves[k]
        at = position(z, octave[0], octave[2])
        cell = at >> 32
        for near in range(2):
            if slot_rows[k, (cell + near) & 1] != cell + near:
                pivot_rows(
                    cells[k],
                    cell + near,
                    octave[3],
                    columns[k, 0],
                    ni,
                    slots[k, (cell + near) & 1],
                )
                slot_rows[k, (cell + near) & 1] = cell + near
        shape = shapes[k]
        gully_row(
            state,
            slots[k, cell & 1],
            slots[k, (cell + 1) & 1],
            columns[k, 1],
            fraction(at),
            ni,
            shape[0],
            shape[1],
            shape[2],
            shape[3] * own[k],
            shape[3] * parents[k],
        )


@uncounted(forceinline=True)
def _lattice_row(kind, cell, seed, cells, fractions, fades, ni, slots, slot_rows):
    """Make sure slot (`cell` & 1) of an octave holds lattice row `cell`."""
    if slot_rows[cell & 1] == cell:
        return
    slot = slots[cell & 1]
    if kind == _DUNE:
        pivot_rows(cells, cell, seed, fractions, ni, slot)
    elif kind == _SLICE:
        slice_rows(cells, cell, seed, fractions, fades, ni, slot, slot[ROW:])
    else:
        corner_rows(cells, cell, seed, fractions, fades, ni, slot, slot[ROW:])
    slot_rows[cell & 1] = cell


@uncounted(forceinline=True)
def _ground_octaves(
    z,
    ni,
    first,
    own_weights,
    parent_weights,
    octaves,
    ground,
    wind_x,
    wind_z,
    terrace_steps,
    terrace_ragged,
    cells,
    columns,
    slots,
    slot_rows,
    state,
):
    for g in range(ground.shape[0]):
        own = own_weights[g]
        if not own > _ZERO:
            continue
        k = first + g
        octave = octaves[g]
        kind = ground[g, 1]
        at = position(z, octave[4], octave[2])
        cell = at >> 32
        for near in range(2):
            _lattice_row(
                kind,
                cell + near,
                octave[3],
                cells[k],
                columns[k, 0],
                columns[k, 1],
                ni,
                slots[k],
                slot_rows[k],
            )
        north, south = slots[k, cell & 1], slots[k, (cell + 1) & 1]
        gain = ground[g, 0] * own
        parent_gain = ground[g, 0] * parent_weights[g]
        if kind == _DUNE:
            fades, aspect = columns[k, 1], ground[g, 2]
            dune_row(state, north, south, fades, fraction(at), ni, aspect, wind_x, wind_z, gain, parent_gain)
        elif kind == _CRAG or kind == _RIDGED:
            field = CRAG_SUM
            if kind == _RIDGED:
                field = LAYER_SUM
            ridged_row(
                state, north, north[ROW:], south, south[ROW:], fraction(at), ni, field, gain, parent_gain
            )
        elif kind == _TERRACE:
            terrace_row(
                state,
                north,
                north[ROW:],
                south,
                south[ROW:],
                fraction(at),
                ni,
                terrace_steps,
                terrace_ragged,
                gain,
                parent_gain,
            )
        else:
            field = GROUND_SUM
            if kind == _HUMMOCK:
                field = HUMMOCK_SUM
            elif kind == _LAYER or kind == _SLICE:
                field = LAYER_SUM
            elif kind == _WARMTH:
                field = WARMTH
                parent_gain = _ZERO
            elif kind == _HUMIDITY:
                field = HUMIDITY
                parent_gain = _ZERO
            smooth_row(
                state, north, north[ROW:], south, south[ROW:], fraction(at), ni, field, gain, parent_gain
            )


@uncounted(forceinline=True)
def _begin_row(ni, state):
    """Bring node fields into their ranges, and sums to zero."""
    columns = np.uint64(ni)
    for i in range(columns):
        state[GULLY + i] = max(state[GULLY + i], _ZERO)
        state[HIGH + i] = clamp01(state[HIGH + i])
        state[CRAG + i] = clamp01(state[CRAG + i])
        state[HUMMOCK + i] = clamp01(state[HUMMOCK + i])
        state[HUMIDITY + i] = clamp01(state[HUMIDITY + i])
        state[FOREST + i] = clamp01(state[FOREST + i])
        state[MESA + i] = clamp01(state[MESA + i])
        state[DUNE + i] = clamp01(state[DUNE + i])
        state[FIRST_TARGET + i] = state[TARGET + i]
    for k in range(GULLY_SUM, np.uint64(ROW_FIELDS) * _STRIDE):
        state[k] = _ZERO


@uncounted(forceinline=True)
def _hummock(total, lone, bare):
    """Metres of hummocks from their sum: rolling ground, or, as far as `lone` (0…1) says, hills on flat ground."""
    return (_ONE - lone) * total + lone * swell(total, bare)


@uncounted(forceinline=True)
def _end_row(ni, tail, parent_tail, ground_high, lone, bare, shore_width, shore_flat, ramps, state, target):
    """Both heights of a row out of its sums, into `target[:ni]`."""
    columns = np.uint64(ni)
    for i in range(columns):
        rough = _ONE + ground_high * state[HIGH + i]
        state[CARVED + i] = (
            (state[HEIGHT + i] + state[GULLY + i] * (state[GULLY_SUM + i] + state[FIRST_TARGET + i] * tail))
            + rough * state[GROUND_SUM + i]
        ) + state[LAYER_SUM + i]
        state[CARVED + _STRIDE + i] = (
            (
                state[PARENT + i]
                + state[GULLY + i] * (state[GULLY_SUM + _STRIDE + i] + state[FIRST_TARGET + i] * parent_tail)
            )
            + rough * state[GROUND_SUM + _STRIDE + i]
        ) + state[LAYER_SUM + _STRIDE + i]
    if ramps.shape[0] > 0:
        curve_row(state, CARVED, MESA, SCRATCH, ramps, ni)
        curve_row(state, CARVED + _STRIDE, MESA, SCRATCH, ramps, ni)
    for i in range(columns):
        own = (
            state[CARVED + i]
            + (
                state[HUMMOCK + i] * _hummock(state[HUMMOCK_SUM + i], lone, bare)
                + state[CRAG + i] * state[CRAG_SUM + i]
            )
        ) + state[DUNE + i] * state[DUNE_SUM + i]
        parents = (
            state[CARVED + _STRIDE + i]
            + (
                state[HUMMOCK + i] * _hummock(state[HUMMOCK_SUM + _STRIDE + i], lone, bare)
                + state[CRAG + i] * state[CRAG_SUM + _STRIDE + i]
            )
        ) + state[DUNE + i] * state[DUNE_SUM + _STRIDE + i]
        target[i, 0] = shore(own, shore_width, shore_flat)
        target[i, 1] = shore(parents, shore_width, shore_flat)


@uncounted
def sample_rows(
    xq, zq, ni, nj, level, weights_row, parent_row, nodes, first_x, first_z, rows, tables, work, out
):
    """Heights of a block over given nodes; other arguments as `heightfield.sample_block`.

    `nodes` float32 [`NODE_FIELDS`, ≥ `rows`, …] begins at node (first_x, first_z) and reaches one node before and two
    beyond the samples, or holds the samples themselves from level 6 on.
    """
    between = level < NODE_SHIFT
    shift = max(level, NODE_SHIFT)
    if between:
        plan = catmull_table(xq, ni, shift, first_x, work.index, work.weights)
        widen(
            nodes, 0, NODE_FIELDS, 0, rows, plan, work.index, work.weights, ni, work.spread, work.nodes_wide
        )
    gullies = 0
    tail, parent_tail = _ZERO, _ZERO
    for k in range(tables.gullies.shape[0]):
        own, parents = tables.gully_weights[weights_row, k], tables.gully_weights[parent_row, k]
        tail += tables.gullies[k, 3] * (_ONE - own)
        parent_tail += tables.gullies[k, 3] * (_ONE - parents)
        if own > _ZERO:
            gullies = k + 1
    _begin_octaves(xq, ni, gullies, weights_row, tables, work)
    state = work.state
    gully_octaves, shapes, ground_octaves, ground = (
        tables.gully_octaves,
        tables.gullies,
        tables.ground_octaves,
        tables.ground,
    )
    gully_own, gully_parents = tables.gully_weights[weights_row], tables.gully_weights[parent_row]
    ground_own, ground_parents = tables.ground_weights[weights_row], tables.ground_weights[parent_row]
    ramps, p, climate = tables.ramps, tables.parameters, work.climate
    ground_high, shore_width, shore_flat = p[P_GROUND_HIGH], p[P_SHORE_WIDTH], p[P_SHORE_FLAT]
    wind_x, wind_z = p[P_WIND_X], p[P_WIND_Z]
    lone, bare = p[P_HUMMOCK_LONE], p[P_HUMMOCK_BARE]
    steps, ragged = p[P_TERRACE_STEPS], p[P_TERRACE_RAGGED]
    cells, columns, slots, slot_rows = work.column_cells, work.columns, work.slots, work.slot_rows
    nodes_wide = work.nodes_wide
    count = shapes.shape[0]
    n = np.uint64(ni)
    for j in range(nj):
        z = zq[j]
        if between:
            r = (z >> (NODE_SHIFT + 10)) - 1 - first_z
            t = np.float32(z & 65535) * (_ONE / _CELL)
            for f in range(NODE_FIELDS):
                wide = nodes_wide[f]
                offset = np.uint64(f) * _STRIDE
                blend_nodes(wide[r], wide[r + 1], wide[r + 2], wide[r + 3], t, ni, offset, state)
        else:
            r = (z >> (shift + 10)) - first_z
            first = (xq[0] >> (shift + 10)) - first_x
            for f in range(NODE_FIELDS):
                source = nodes[f, r, first:]
                offset = np.uint64(f) * _STRIDE
                for i in range(n):
                    state[offset + i] = source[i]
        _begin_row(ni, state)
        _gully_octaves(
            z,
            ni,
            gullies,
            gully_own,
            gully_parents,
            gully_octaves,
            shapes,
            cells,
            columns,
            slots,
            slot_rows,
            state,
        )
        _ground_octaves(
            z,
            ni,
            count,
            ground_own,
            ground_parents,
            ground_octaves,
            ground,
            wind_x,
            wind_z,
            steps,
            ragged,
            cells,
            columns,
            slots,
            slot_rows,
            state,
        )
        _end_row(
            ni, tail, parent_tail, ground_high, lone, bare, shore_width, shore_flat, ramps, state, out[j]
        )
        warmth, humidity = climate[0, j], climate[1, j]
        forest, crag = climate[2, j], climate[3, j]
        for i in range(n):
            warmth[i] = state[WARMTH + i]
            humidity[i] = clamp01(state[HUMIDITY + i])
            forest[i] = state[FOREST + i]
            crag[i] = state[CRAG + i]
