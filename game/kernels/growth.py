"""What an edit does to the woods: tree density on a lattice of 8 m, from how far the land rose there.

The lattice is that of level 3 whatever the page, and what is known of its nodes comes from nodes 64 m apart, which no
level changes. So pages of all levels, and neighbours, find the same change at the same node, bit for bit.
"""

from __future__ import annotations

import numpy as np

import game.kernels.landscape as land
from game.kernels import jit
from game.kernels.landscape import N_FOREST, N_HEIGHT, N_HUMIDITY, N_SLOPE_X, N_SLOPE_Z, N_WARMTH
from game.kernels.nodes import GLADE, clearing_columns, clearing_row
from game.kernels.scatter import layer_height
from game.kernels.shaping import clamp01, smoothstep

GROWTH_LEVEL = 3
"""Level whose samples are the lattice."""

GROWTH_M = 1 << GROWTH_LEVEL
"""Metres between its nodes."""

_SHIFT = land.NODE_SHIFT - GROWTH_LEVEL
_CELL = 1 << _SHIFT
"""Nodes of the lattice along a cell of the 64 m nodes."""

G_HEIGHT, G_SLOPE_X, G_SLOPE_Z, G_WARMTH, G_SUITED, G_TEMPERATURE, G_HUMIDITY = range(7)
"""Fields of a 64 m node: height (m), slopes, warmth as the tree line reads it, clearings included (°C), what moisture
and clearings let grow (0…1), temperature (°C) and humidity (0…1)."""

FIELDS = 7

RULES = ("lapse_c_m", "tree_low_c", "tree_high_c", "tree_slope_low", "tree_slope_high")
"""Order of `rules`: degrees colder a metre up; warmth at which trees begin and stand full; slopes likewise."""

_LINE = np.uint64(land.NODE_ROW)
_HALF = np.float32(0.5)
_ONE = np.float32(1.0)


@jit
def node_fields(first_x, first_z, ni, nj, margin, tables, work, density, fields):
    """Tree density float32 [nj, ni] and `fields` float32 [FIELDS, nj, ni] of nodes from (first_x, first_z).

    `nodes.node_grid` has filled the workspace, `margin` nodes wider on each side.
    """
    p, line, positions = tables.parameters, work.line, work.positions[0]
    glade_amplitude, glade_gain, glade_dry = p[land.P_GLADE], p[land.P_GLADE_GAIN], p[land.P_GLADE_DRY]
    glade_bias, glade_slope = p[land.P_GLADE_BIAS], p[land.P_GLADE_SLOPE]
    for i in range(ni):
        positions[i] = ((first_x + i) << land.NODE_SHIFT) << 10
    used = clearing_columns(positions, ni, land.NODE_SHIFT, tables, work)
    for j in range(nj):
        z = ((first_z + j) << land.NODE_SHIFT) << 10
        clearing_row(
            z,
            ni,
            used,
            tables.glades,
            work.glade_cells,
            work.glade_columns,
            work.glade_slots,
            work.glade_rows,
            line,
        )
        row = j + margin
        for i in range(ni):
            n = np.uint64(i)
            column = i + margin
            height = work.nodes[N_HEIGHT, row, column]
            slope_x, slope_z = work.nodes[N_SLOPE_X, row, column], work.nodes[N_SLOPE_Z, row, column]
            humidity = work.nodes[N_HUMIDITY, row, column]
            clearing = glade_amplitude * (
                line[GLADE + n]
                + glade_gain * (line[GLADE + _LINE + n] + glade_gain * line[GLADE + _LINE + _LINE + n])
            )
            slope = np.sqrt(slope_x * slope_x + slope_z * slope_z)
            wooded = clearing + glade_dry * (humidity - _HALF)
            wooded += glade_slope * min(slope, np.float32(0.35)) - glade_bias
            fields[G_HEIGHT, j, i] = height
            fields[G_SLOPE_X, j, i] = slope_x
            fields[G_SLOPE_Z, j, i] = slope_z
            temperature = work.nodes[N_WARMTH, row, column] - p[land.P_LAPSE] * height
            fields[G_TEMPERATURE, j, i] = temperature
            fields[G_HUMIDITY, j, i] = humidity
            fields[G_WARMTH, j, i] = temperature + clearing
            fields[G_SUITED, j, i] = smoothstep(
                p[land.P_FOREST_HUMIDITY_LOW], p[land.P_FOREST_HUMIDITY_HIGH], humidity
            ) * smoothstep(np.float32(-0.1), np.float32(0.25), wooded)
            density[j, i] = clamp01(work.nodes[N_FOREST, row, column])


@jit(forceinline=True)
def _at(nodes, j, i, u, v):
    """Bilinear value in the cell of node (j, i), float32."""
    near = nodes[j, i] + u * (nodes[j, i + 1] - nodes[j, i])
    far = nodes[j + 1, i] + u * (nodes[j + 1, i + 1] - nodes[j + 1, i])
    return near + v * (far - near)


@jit
def lattice_heights(heights, node_x, node_z, first_i, first_j, out):
    """Heights of the lattice from node (first_i, first_j) on, into `out[..., 0]` float32 [nj, ni, 2].

    `heights` float32 [≥ 2, ≥ 2] at nodes of 64 m, the first being (node_x, node_z).
    """
    part = _ONE / np.float32(_CELL)
    for j in range(out.shape[0]):
        row = (first_j + j) >> _SHIFT
        v = np.float32(first_j + j - (row << _SHIFT)) * part
        for i in range(out.shape[1]):
            column = (first_i + i) >> _SHIFT
            u = np.float32(first_i + i - (column << _SHIFT)) * part
            out[j, i, 0] = _at(heights, row - node_z, column - node_x, u, v)


@jit
def classic_heights(octaves, amplitudes, base, first_i, first_j, out):
    """As `lattice_heights` where `scatter.layer_height` is the land."""
    for j in range(out.shape[0]):
        z_q = ((first_j + j) * GROWTH_M) << 10
        for i in range(out.shape[1]):
            out[j, i, 0] = layer_height(((first_i + i) * GROWTH_M) << 10, z_q, octaves, amplitudes, base)


@jit
def renew_change(
    fields, density, node_x, node_z, native, edited, first_i, first_j, rules, change, j0, j1, i0, i1
):
    """Renew `change` float32 [2, nj, ni], what to add to density and temperature, in the box [j0:j1, i0:i1].

    `native` and `edited` float32 [nj, ni, 2]: heights in channel 0 from node (first_i, first_j) on, of the world
    function and as they are. Where the land neither rose nor tilted the change is exactly 0. Returns the box
    (j0, j1, i0, i1) of nodes whose change became another, empty when j0 ≥ j1.
    """
    lapse, low_c, high_c, low, high = rules[0], rules[1], rules[2], rules[3], rules[4]
    rows, columns = change.shape[1:]
    part = _ONE / np.float32(_CELL)
    across = _HALF / np.float32(GROWTH_M)
    a0, a1, b0, b1 = rows, 0, columns, 0
    zero = np.float32(0.0)
    for j in range(j0, j1):
        row = (first_j + j) >> _SHIFT
        v = np.float32(first_j + j - (row << _SHIFT)) * part
        row -= node_z
        north, south = max(j - 1, 0), min(j + 1, rows - 1)
        for i in range(i0, i1):
            west, east = max(i - 1, 0), min(i + 1, columns - 1)
            rise = edited[j, i, 0] - native[j, i, 0]
            tilt_x = (edited[j, east, 0] - native[j, east, 0]) - (edited[j, west, 0] - native[j, west, 0])
            tilt_z = (edited[south, i, 0] - native[south, i, 0]) - (edited[north, i, 0] - native[north, i, 0])
            value = zero
            if rise != zero or tilt_x != zero or tilt_z != zero:
                column = (first_i + i) >> _SHIFT
                u = np.float32(first_i + i - (column << _SHIFT)) * part
                column -= node_x
                suited = _at(fields[G_SUITED], row, column, u, v)
                if suited > zero:
                    warmth = _at(fields[G_WARMTH], row, column, u, v)
                    slope_x = _at(fields[G_SLOPE_X], row, column, u, v)
                    slope_z = _at(fields[G_SLOPE_Z], row, column, u, v)
                    steep = np.sqrt(slope_x * slope_x + slope_z * slope_z)
                    before = smoothstep(low_c, high_c, warmth) * (_ONE - smoothstep(low, high, steep))
                    slope_x += tilt_x * across
                    slope_z += tilt_z * across
                    steep = np.sqrt(slope_x * slope_x + slope_z * slope_z)
                    after = smoothstep(low_c, high_c, warmth - lapse * rise)
                    after *= _ONE - smoothstep(low, high, steep)
                    if after < before:
                        # A share of what grew there: nothing is left where nothing can stand.
                        grew = _at(density, row, column, u, v)
                        value = grew * (after / before) - grew
                    else:
                        value = suited * (after - before)
            colder = -lapse * rise
            if value != change[0, j, i] or colder != change[1, j, i]:
                change[0, j, i], change[1, j, i] = value, colder
                a0, a1 = min(a0, j), max(a1, j + 1)
                b0, b1 = min(b0, i), max(b1, i + 1)
    return a0, a1, b0, b1


@jit
def change_bytes(before, density, node_x, node_z, change, change_i, change_j, first_i, first_j, level, out):
    """Tree density of a page's samples in bytes: `before` with what `change` brings, into `out`; both uint8 [n, n].

    `density` and `change` with their first nodes as for `renew_change`; `first_i`, `first_j`: sample index of
    `before[0, 0]` at the page's `level`. Samples of the apron, beside the
    lattice, stay.
    """
    rows, columns = change.shape
    zero, most = np.float32(0.0), np.float32(255.0)
    metres, node_metres = _ONE / np.float32(GROWTH_M), _ONE / np.float32(1 << land.NODE_SHIFT)
    for j in range(before.shape[0]):
        z = (first_j + j) << level
        row = z >> GROWTH_LEVEL
        v = np.float32(z - (row << GROWTH_LEVEL)) * metres
        row -= change_j
        node_row = z >> land.NODE_SHIFT
        node_v = np.float32(z - (node_row << land.NODE_SHIFT)) * node_metres
        node_row -= node_z
        for i in range(before.shape[1]):
            x = (first_i + i) << level
            column = x >> GROWTH_LEVEL
            u = np.float32(x - (column << GROWTH_LEVEL)) * metres
            column -= change_i
            more = zero
            if 0 <= row and row < rows - 1 and 0 <= column and column < columns - 1:
                more = _at(change, row, column, u, v)
            value = np.float32(before[j, i])
            if more > zero:
                value += most * more
            elif more < zero:
                column = x >> land.NODE_SHIFT
                u = np.float32(x - (column << land.NODE_SHIFT)) * node_metres
                grew = _at(density, node_row, column - node_x, u, node_v)
                value *= max(grew + more, zero) / grew if grew > zero else zero
            out[j, i] = np.uint8(min(max(value + _HALF, zero), most))


def warm() -> None:
    """Compile every kernel here for the argument types the game uses."""
    tables, work = land.flat_tables(), land.new_workspace()
    density = np.zeros((4, 4), np.float32)
    fields = np.zeros((FIELDS, 4, 4), np.float32)
    node_fields(0, 0, 4, 4, 2, tables, work, density, fields)
    native = np.zeros((8, 8, 2), np.float32)
    lattice_heights(fields[G_HEIGHT], -1, -1, -2, -2, native)
    classic_heights(np.ones((1, 5), np.int64), np.ones(1, np.float32), np.float32(0.0), 0, 0, native)
    rules = np.array([0.0, 0.0, 1.0, 0.0, 1.0], np.float32)
    change = np.zeros((2, 8, 8), np.float32)
    renew_change(fields, density, -1, -1, native, native, -2, -2, rules, change, 2, 6, 2, 6)
    image = np.zeros((8, 8), np.uint8)
    change_bytes(image, density, -1, -1, change[0], 0, 0, 0, 0, 0, image.copy())
