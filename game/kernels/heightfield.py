"""The land itself: heights, normals and climate of a block of samples at one level, in one serial nogil call.

The function is built in tiers, each at the spacing its wavelengths allow, on grids anchored to the world:
  tier 1   nodes every 1024 m: domain warp, ranges, passes, valley floors, climate;
  tier 1½  nodes every 256 m: the warped noise of valleys and crests;
  tier 2   nodes every 64 m: the skeleton made of it, its slope and curvature, masks, forest;
  rows     samples: tier 2 interpolated, then gullies, ground, hummocks and crags octave by octave.
Between nodes values are Catmull-Rom, which at a node returns the node's own bits; so coarse levels, whose samples
are nodes, agree exactly with fine ones. Slope and curvature come from differences over ±128 m on every level that
draws gullies, never from the sample spacing. Only the weights of octaves depend on the level: R is summed with the
weights of its level and G, in the same loop, with those of the next, which makes G at even samples the parent's R.

Data comes in as `Tables` (numbers only, see `game.world.source`), so another recipe needs no compilation, and
`Workspace` is scratch of one thread. Levels whose samples lie 512 m apart or more carry no gullies: their slopes
would need nodes no such page has.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from game.core.coords import APRON, GENERATED, STORED
from game.kernels import jit
from game.kernels.fractal import (
    CRAG,
    CRAG_SUM,
    CURVATURE,
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
    ROW,
    ROW_FIELDS,
    SLOT,
    TARGET,
    WARMTH,
    gully_row,
    pivot_rows,
    ridged_row,
    smooth_row,
)
from game.kernels.noise import blend_row, column_table, corner_rows, fraction, noise_row, position

MAX_OCTAVES = 32
"""Most gully or ground octaves a recipe may have, each."""

NODE_SHIFT = 6
COARSE_SHIFT = 10
GULLY_LEVELS = 9
"""Levels below this carry gullies."""

MID_SHIFT = 8
NODE_ROW = 288
COARSE_ROWS = 152
NODE_FIELDS = 12
COARSE_FIELDS = 11
MID_FIELDS = 12
_STATE_STRIDE = np.uint64(ROW)

# Ground octave kinds, the third column of `Tables.ground`.
GROUND_SMOOTH, GROUND_HUMMOCK, GROUND_CRAG = 0.0, 1.0, 2.0

COARSE_OCTAVES = (
    "warp_wide_x", "warp_wide_z", "warp_fine_x", "warp_fine_z", "belt", "belt_bend", "belt_break", "passes",
    "floor_wide", "floor_mid", "floor_fine", "warmth", "humidity_wide", "humidity_fine", "hummock_area",
    "valley_width",
)  # fmt: skip
"""Order of the rows of `Tables.coarse`."""

MID_OCTAVES = ("valley_wide", "valley_fine", "peak", "relief", "side_valley", "crest")
"""Order of the rows of `Tables.mid`."""

GLADES = 3
"""Octaves of clearings in the forest, rows of `Tables.glades`."""

PARAMETERS = (
    "warp_wide_m", "warp_fine_m",
    "belt_level", "belt_falloff", "belt_bend", "belt_break", "belt_low", "belt_high",
    "pass_low", "pass_high", "uplift_plain", "uplift_foothill", "uplift_range",
    "floor_m", "floor_wide_m", "floor_mid_m", "floor_fine_m", "floor_uplift_m", "floor_pass_m",
    "relief_m", "valley_fine", "side_warp_m", "crest_warp_m",
    "valley_gain", "valley_width", "valley_width_range", "side_gain", "side_width", "crest_sharpness",
    "relief_base", "relief_variation",
    "temperature_c", "temperature_variation_c", "humidity", "humidity_wide", "humidity_fine",
    "hummock_low", "hummock_high", "treeline_c", "treeline_band_c", "tree_slope_low", "tree_slope_high",
    "glade", "glade_gain", "glade_bias", "glade_slope", "glade_dry",
    "forest_humidity_low", "forest_humidity_high",
    "gully_plain", "gully_floor", "ground_high", "high_low", "high_high",
    "rock_slope_low", "rock_slope_high", "rock_cold_c",
)  # fmt: skip
"""Order of the entries of `Tables.parameters`."""
(
    _P_WARP_WIDE, _P_WARP_FINE,
    _P_BELT_LEVEL, _P_BELT_FALLOFF, _P_BELT_BEND, _P_BELT_BREAK, _P_BELT_LOW, _P_BELT_HIGH,
    _P_PASS_LOW, _P_PASS_HIGH, _P_UPLIFT_PLAIN, _P_UPLIFT_FOOTHILL, _P_UPLIFT_RANGE,
    _P_FLOOR, _P_FLOOR_WIDE, _P_FLOOR_MID, _P_FLOOR_FINE, _P_FLOOR_UPLIFT, _P_FLOOR_PASS,
    _P_RELIEF, _P_VALLEY_FINE, _P_SIDE_WARP, _P_CREST_WARP,
    _P_VALLEY_GAIN, _P_VALLEY_WIDTH, _P_VALLEY_WIDTH_RANGE, _P_SIDE_GAIN, _P_SIDE_WIDTH, _P_CREST_SHARPNESS,
    _P_RELIEF_BASE, _P_RELIEF_VARIATION,
    _P_TEMPERATURE, _P_TEMPERATURE_VARIATION, _P_HUMIDITY, _P_HUMIDITY_WIDE, _P_HUMIDITY_FINE,
    _P_HUMMOCK_LOW, _P_HUMMOCK_HIGH, _P_TREELINE, _P_TREELINE_BAND, _P_TREE_SLOPE_LOW, _P_TREE_SLOPE_HIGH,
    _P_GLADE, _P_GLADE_GAIN, _P_GLADE_BIAS, _P_GLADE_SLOPE, _P_GLADE_DRY,
    _P_FOREST_HUMIDITY_LOW, _P_FOREST_HUMIDITY_HIGH,
    _P_GULLY_PLAIN, _P_GULLY_FLOOR, _P_GROUND_HIGH, _P_HIGH_LOW, _P_HIGH_HIGH,
    _P_ROCK_SLOPE_LOW, _P_ROCK_SLOPE_HIGH, _P_ROCK_COLD,
) = range(57)  # fmt: skip

# Fields of a node, in the order of the row buffer in `fractal`.
_N_HEIGHT, _N_SLOPE_X, _N_SLOPE_Z, _N_CURVATURE, _N_GULLY, _N_TARGET = 0, 1, 2, 3, 4, 5
_N_HIGH, _N_CRAG, _N_HUMMOCK, _N_WARMTH, _N_HUMIDITY, _N_FOREST = 6, 7, 8, 9, 10, 11

# Rows of nodes are worked on in one float32 buffer, `Workspace.line`, for the reason given in `fractal`: one base
# pointer, constant distances. Offsets below are in floats.
_LINE = np.uint64(NODE_ROW)
# Tier 1: sixteen octaves, in the order of COARSE_OCTAVES, then what is made of them. The first eleven results are the
# fields of a coarse node.
_WARP_WIDE_X, _WARP_WIDE_Z = np.uint64(0) * _LINE, np.uint64(1) * _LINE
_WARP_FINE_X, _WARP_FINE_Z = np.uint64(2) * _LINE, np.uint64(3) * _LINE
_BELT, _BELT_BEND, _BELT_BREAK = np.uint64(4) * _LINE, np.uint64(5) * _LINE, np.uint64(6) * _LINE
_PASSES, _FLOOR_WIDE, _FLOOR_MID = np.uint64(7) * _LINE, np.uint64(8) * _LINE, np.uint64(9) * _LINE
_FLOOR_FINE, _WARMTH, _HUMIDITY_WIDE = np.uint64(10) * _LINE, np.uint64(11) * _LINE, np.uint64(12) * _LINE
_HUMIDITY_FINE, _HUMMOCK_AREA, _WIDTH = np.uint64(13) * _LINE, np.uint64(14) * _LINE, np.uint64(15) * _LINE
_COARSE_OUT = 16
_C_WARP_X, _C_WARP_Z = np.uint64(16) * _LINE, np.uint64(17) * _LINE
_C_BEND_X, _C_BEND_Z = np.uint64(18) * _LINE, np.uint64(19) * _LINE
_C_RANGE, _C_UPLIFT, _C_FLOOR = np.uint64(20) * _LINE, np.uint64(21) * _LINE, np.uint64(22) * _LINE
_C_WARMTH, _C_HUMIDITY = np.uint64(23) * _LINE, np.uint64(24) * _LINE
_C_HUMMOCK, _C_WIDTH = np.uint64(25) * _LINE, np.uint64(26) * _LINE
UPLIFT_FIELD = 5
"""Number of the uplift among the coarse fields."""

# Tier 1½: coarse fields interpolated to rows 0 … 10, six octaves to rows 11 … 16; kept are 4 … 10 and 12 … 16.
_M_OCTAVES = 11
_M_FIRST = 4
# Tier 2: mid fields interpolated to rows 0 … 11, three clearing octaves, then the twelve fields of a node.
_R_RANGE, _R_UPLIFT, _R_FLOOR = np.uint64(0) * _LINE, np.uint64(1) * _LINE, np.uint64(2) * _LINE
_R_WARMTH, _R_HUMIDITY = np.uint64(3) * _LINE, np.uint64(4) * _LINE
_R_HUMMOCK, _R_WIDTH = np.uint64(5) * _LINE, np.uint64(6) * _LINE
_R_VALLEY, _R_PEAK, _R_RELIEF = np.uint64(7) * _LINE, np.uint64(8) * _LINE, np.uint64(9) * _LINE
_R_SIDE, _R_CREST = np.uint64(10) * _LINE, np.uint64(11) * _LINE
_GLADE_ROW = 12
_R_GLADE = np.uint64(12) * _LINE
_NODE_OUT = 16
_O_HEIGHT, _O_SLOPE_X, _O_SLOPE_Z = np.uint64(16) * _LINE, np.uint64(17) * _LINE, np.uint64(18) * _LINE
_O_CURVATURE, _O_GULLY, _O_TARGET = np.uint64(19) * _LINE, np.uint64(20) * _LINE, np.uint64(21) * _LINE
_O_HIGH, _O_CRAG, _O_HUMMOCK = np.uint64(22) * _LINE, np.uint64(23) * _LINE, np.uint64(24) * _LINE
_O_WARMTH, _O_HUMIDITY, _O_FOREST = np.uint64(25) * _LINE, np.uint64(26) * _LINE, np.uint64(27) * _LINE
# Differences: three rows of heights, then what is known of the nodes.
_H_NORTH, _H_HERE, _H_SOUTH = np.uint64(0) * _LINE, np.uint64(1) * _LINE, np.uint64(2) * _LINE
_S_HIGH, _S_CRAG, _S_FOREST = np.uint64(3) * _LINE, np.uint64(4) * _LINE, np.uint64(5) * _LINE
_LINES = 28

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_TWO = np.float32(2.0)
_THREE = np.float32(3.0)
_HALF = np.float32(0.5)
_QUARTER = np.float32(0.25)
_1024 = np.float32(1024.0)
LAPSE_C_M = 0.0065
"""Fall of temperature with height, K per metre (the standard atmosphere's)."""
_LAPSE = np.float32(LAPSE_C_M)
_BYTE = np.float32(255.0)
TEMPERATURE_MIN_C = -20.0
TEMPERATURE_SPAN_C = 60.0
_COLDEST = np.float32(TEMPERATURE_MIN_C)
_PER_DEGREE = np.float32(255.0 / TEMPERATURE_SPAN_C)
_NORMAL_SCALE = np.float32(127.5)
_NORMAL_CENTRE = np.float32(128.0)  # 127.5 and a half, so that truncation rounds
_ONE_U = np.uint64(1)
_TWO_U = np.uint64(2)
_THREE_U = np.uint64(3)
# Shape of the skeleton: proportions inside `relief`, without units. They balance one another; the recipe scales
# their sum.
_FOOT_SOFT = np.float32(0.12)
_CREST_SOFT = np.float32(0.003)
_CREST_EDGE = np.float32(0.055)


class Tables(NamedTuple):
    """A recipe and a seed as numbers. Octave rows are int64 [4]: step, offset x, offset z, seed (see `noise`)."""

    parameters: np.ndarray
    """float32 [len(PARAMETERS)]"""
    coarse: np.ndarray
    """int64 [len(COARSE_OCTAVES), 4]"""
    mid: np.ndarray
    """int64 [len(MID_OCTAVES), 4]"""
    glades: np.ndarray
    """int64 [GLADES, 4], aligned"""
    gully_octaves: np.ndarray
    """int64 [n, 4], long waves first"""
    gullies: np.ndarray
    """float32 [n, 4]: slope where half on, metres of curvature working against, slope per unit, amplitude in m"""
    gully_weights: np.ndarray
    """float32 [levels, n]: band limit per level; the last row is all ones (unlimited)"""
    ground_octaves: np.ndarray
    """int64 [m, 4]"""
    ground: np.ndarray
    """float32 [m, 2]: amplitude in m, kind"""
    ground_weights: np.ndarray
    """float32 [levels, m]"""


class Workspace(NamedTuple):
    """Scratch of one thread; about 12 MB, of which a page touches the part its level needs."""

    coarse: np.ndarray
    coarse_wide: np.ndarray
    mid: np.ndarray
    mid_wide: np.ndarray
    nodes: np.ndarray
    nodes_wide: np.ndarray
    line: np.ndarray
    scratch: np.ndarray
    glade_columns: np.ndarray
    glade_cells: np.ndarray
    glade_slots: np.ndarray
    glade_rows: np.ndarray
    positions: np.ndarray
    cells: np.ndarray
    index: np.ndarray
    weights: np.ndarray
    state: np.ndarray
    columns: np.ndarray
    column_cells: np.ndarray
    slots: np.ndarray
    slot_rows: np.ndarray
    climate: np.ndarray
    xq: np.ndarray
    zq: np.ndarray


def new_workspace() -> Workspace:
    """Allocate the scratch of one thread."""
    f, q = np.float32, np.int64
    return Workspace(
        coarse=np.zeros((COARSE_FIELDS, COARSE_ROWS, NODE_ROW), f),
        coarse_wide=np.zeros((COARSE_FIELDS, COARSE_ROWS, NODE_ROW), f),
        mid=np.zeros((MID_FIELDS, COARSE_ROWS, NODE_ROW), f),
        mid_wide=np.zeros((MID_FIELDS, COARSE_ROWS, NODE_ROW), f),
        # 291 rows, not 288: fields a whole number of 4 KiB apart would compete for the same cache lines.
        nodes=np.zeros((NODE_FIELDS, 291, NODE_ROW), f),
        nodes_wide=np.zeros((NODE_FIELDS, 291, ROW), f),
        line=np.zeros(_LINES * NODE_ROW, f),
        scratch=np.zeros((2, NODE_ROW), f),
        glade_columns=np.zeros((GLADES, 2, NODE_ROW), f),
        glade_cells=np.zeros((GLADES, NODE_ROW), np.int32),
        glade_slots=np.zeros((GLADES, 2, 2, NODE_ROW), f),
        glade_rows=np.zeros((GLADES, 2), q),
        positions=np.zeros((6, NODE_ROW), q),
        cells=np.zeros((2, NODE_ROW), np.int32),
        index=np.zeros(NODE_ROW, np.uint64),
        weights=np.zeros((4, NODE_ROW), f),
        state=np.zeros(ROW_FIELDS * ROW, f),
        columns=np.zeros((2 * MAX_OCTAVES, 2, ROW), f),
        column_cells=np.zeros((2 * MAX_OCTAVES, ROW), np.int32),
        slots=np.zeros((2 * MAX_OCTAVES, 2, SLOT), f),
        slot_rows=np.zeros((2 * MAX_OCTAVES, 2), q),
        climate=np.zeros((4, ROW, ROW), f),
        xq=np.zeros(ROW, q),
        zq=np.zeros(ROW, q),
    )


@jit(forceinline=True)
def clamp01(value):
    """float32 held to 0…1."""
    return min(max(value, _ZERO), _ONE)


@jit(forceinline=True)
def smoothstep(low, high, value):
    """Cubic smoothstep from `low` to `high`, float32."""
    t = min(max((value - low) / (high - low), _ZERO), _ONE)
    return t * t * (_THREE - _TWO * t)


@jit
def catmull_table(positions, n, shift, first, index, weights):
    """Where `n` positions (int64, 1/1024 m) lie between nodes 2^shift m apart.

    `index` uint64 [≥ n]: column of the first of the four nodes in an array that begins at node `first`;
    `weights` float32 [4, ≥ n]. At a node the weights are exactly 0, 1, 0, 0.
    """
    w0 = weights[0]
    w1 = weights[1]
    w2 = weights[2]
    w3 = weights[3]
    scale = _ONE / np.float32(np.int64(1024) << shift)
    mask = (np.int64(1024) << shift) - 1
    for i in range(n):
        index[i] = np.uint64((positions[i] >> (shift + 10)) - 1 - first)
        t = np.float32(positions[i] & mask) * scale
        t2 = t * t
        t3 = t2 * t
        w0[i] = t2 - _HALF * (t3 + t)
        w1[i] = (np.float32(1.5) * t3 - np.float32(2.5) * t2) + _ONE
        w2[i] = (_TWO * t2 - np.float32(1.5) * t3) + _HALF * t
        w3[i] = _HALF * (t3 - t2)


@jit
def widen(source, fields, first_row, rows, index, weights, n, out):
    """Interpolate node rows along x: `out[f, r, i]` from four columns of `source[f, first_row + r]`."""
    w0 = weights[0]
    w1 = weights[1]
    w2 = weights[2]
    w3 = weights[3]
    for f in range(fields):
        for r in range(rows):
            row = source[f, first_row + r]
            target = out[f, r]
            for i in range(n):
                c = index[i]
                target[i] = ((w0[i] * row[c] + w1[i] * row[c + _ONE_U]) + w2[i] * row[c + _TWO_U]) + (
                    w3[i] * row[c + _THREE_U]
                )


@jit
def blend_nodes(a, b, c, d, t, n, offset, out):
    """Interpolate along z at fraction `t` (float32) between rows b and c; writes out[offset … offset + n)."""
    t2 = t * t
    t3 = t2 * t
    w0 = t2 - _HALF * (t3 + t)
    w1 = (np.float32(1.5) * t3 - np.float32(2.5) * t2) + _ONE
    w2 = (_TWO * t2 - np.float32(1.5) * t3) + _HALF * t
    w3 = _HALF * (t3 - t2)
    for i in range(np.uint64(n)):
        out[offset + i] = ((w0 * a[i] + w1 * b[i]) + w2 * c[i]) + w3 * d[i]


@jit
def coarse_grid(first_x, first_z, shift, ni, nj, tables, work):
    """Tier 1: fill `work.coarse[:, :nj, :ni]` for nodes 2^shift m apart from node (first_x, first_z)."""
    p = tables.parameters
    octaves = tables.coarse
    line = work.line
    qx = work.positions[0]
    qz = work.positions[1]
    cells = work.cells
    scratch = work.scratch
    wide, fine = p[_P_WARP_WIDE], p[_P_WARP_FINE]
    level, falloff, bend, broken = p[_P_BELT_LEVEL], p[_P_BELT_FALLOFF], p[_P_BELT_BEND], p[_P_BELT_BREAK]
    belt_low, belt_high = p[_P_BELT_LOW], p[_P_BELT_HIGH]
    pass_low, pass_high = p[_P_PASS_LOW], p[_P_PASS_HIGH]
    up_plain, up_foot, up_range = p[_P_UPLIFT_PLAIN], p[_P_UPLIFT_FOOTHILL], p[_P_UPLIFT_RANGE]
    floor, floor_wide, floor_mid = p[_P_FLOOR], p[_P_FLOOR_WIDE], p[_P_FLOOR_MID]
    floor_fine, floor_up, floor_pass = p[_P_FLOOR_FINE], p[_P_FLOOR_UPLIFT], p[_P_FLOOR_PASS]
    warm_mean, warm_span = p[_P_TEMPERATURE], p[_P_TEMPERATURE_VARIATION]
    humid_mean, humid_wide, humid_fine = p[_P_HUMIDITY], p[_P_HUMIDITY_WIDE], p[_P_HUMIDITY_FINE]
    hum_low, hum_high, width_span = p[_P_HUMMOCK_LOW], p[_P_HUMMOCK_HIGH], p[_P_VALLEY_WIDTH_RANGE]
    n = np.uint64(ni)
    for j in range(nj):
        z = ((first_z + j) << shift) << 10
        for i in range(ni):
            qx[i] = ((first_x + i) << shift) << 10
            qz[i] = z
        for k in range(4):
            noise_row(qx, qz, ni, octaves[k], cells, scratch, line[k * NODE_ROW :])
        for i in range(n):
            line[_C_WARP_X + i] = wide * line[_WARP_WIDE_X + i] + fine * line[_WARP_FINE_X + i]
            line[_C_WARP_Z + i] = wide * line[_WARP_WIDE_Z + i] + fine * line[_WARP_FINE_Z + i]
            line[_C_BEND_X + i] = line[_WARP_FINE_X + i]
            line[_C_BEND_Z + i] = line[_WARP_FINE_Z + i]
        for i in range(n):
            qx[i] += np.int64(line[_C_WARP_X + i] * _1024)
            qz[i] += np.int64(line[_C_WARP_Z + i] * _1024)
        for k in range(4, octaves.shape[0]):
            noise_row(qx, qz, ni, octaves[k], cells, scratch, line[k * NODE_ROW :])
        for i in range(n):
            belt = line[_BELT + i]
            ridge = falloff * (np.sqrt(belt * belt + _FOOT_SOFT * _FOOT_SOFT) - _FOOT_SOFT)
            m = smoothstep(
                belt_low,
                belt_high,
                ((level - ridge) + bend * line[_BELT_BEND + i]) + broken * line[_BELT_BREAK + i],
            )
            saddle = smoothstep(pass_low, pass_high, line[_PASSES + i])
            up = up_plain + m * (up_foot + up_range * m)
            flat = _ONE - m
            line[_C_RANGE + i] = m
            line[_C_UPLIFT + i] = up
            line[_C_FLOOR + i] = (
                ((floor + floor_wide * line[_FLOOR_WIDE + i]) + floor_mid * line[_FLOOR_MID + i])
                + floor_fine * line[_FLOOR_FINE + i] * flat * flat
            ) + up * (floor_up + floor_pass * saddle)
            line[_C_WARMTH + i] = warm_mean + warm_span * line[_WARMTH + i]
            line[_C_HUMIDITY + i] = clamp01(
                (humid_mean + humid_wide * line[_HUMIDITY_WIDE + i]) + humid_fine * line[_HUMIDITY_FINE + i]
            )
            line[_C_HUMMOCK + i] = smoothstep(hum_low, hum_high, line[_HUMMOCK_AREA + i])
            line[_C_WIDTH + i] = _ONE + width_span * clamp01(_HALF + line[_WIDTH + i])
        store_lines(line, _COARSE_OUT, COARSE_FIELDS, ni, work.coarse, 0, j)


@jit
def store_lines(line, first, count, n, out, first_field, row):
    """Copy `count` lines of the buffer from line `first` to `out[first_field …, row, :n]`."""
    for f in range(count):
        source = line[(first + f) * NODE_ROW :]
        target = out[first_field + f, row]
        for i in range(n):
            target[i] = source[i]


@jit
def load_lines(wide, exact, between, fields, position_m, shift, first, n, line):
    """Fields of one row into lines 0 … `fields` − 1: interpolated along z from `wide`, or copied from `exact`.

    `between`: whether rows lie between nodes 2^shift m apart, the first of which is node `first`; else `first` is
    the row of `exact` itself.
    """
    if between:
        r = (position_m >> shift) - 1 - first
        t = np.float32(position_m & ((np.int64(1) << shift) - 1)) * (_ONE / np.float32(np.int64(1) << shift))
        for f in range(fields):
            at = np.uint64(f) * _LINE
            blend_nodes(wide[f, r], wide[f, r + 1], wide[f, r + 2], wide[f, r + 3], t, n, at, line)
    else:
        for f in range(fields):
            source = exact[f, first]
            target = line[f * NODE_ROW :]
            for i in range(n):
                target[i] = source[i]


@jit
def mid_grid(first_x, first_z, shift, ni, nj, tables, work):
    """Tier 1½: fill `work.mid[:, :nj, :ni]`, the smooth noise that valleys and crests are made of.

    Its shortest wavelength is a few kilometres, so nodes 256 m apart are plenty, and hashing at warped positions, the
    costliest step there is, is done a sixteenth as often as there are nodes of tier 2.
    """
    between = shift < COARSE_SHIFT
    start_x, start_z = first_x, first_z
    px = work.positions[4]
    if between:
        start_x = ((first_x << shift) >> COARSE_SHIFT) - 1
        start_z = ((first_z << shift) >> COARSE_SHIFT) - 1
        end_x = (((first_x + ni - 1) << shift) >> COARSE_SHIFT) + 2
        end_z = (((first_z + nj - 1) << shift) >> COARSE_SHIFT) + 2
        coarse_rows = end_z - start_z + 1
        coarse_grid(start_x, start_z, COARSE_SHIFT, end_x - start_x + 1, coarse_rows, tables, work)
        for i in range(ni):
            px[i] = ((first_x + i) << shift) << 10
        catmull_table(px, ni, COARSE_SHIFT, start_x, work.index, work.weights)
        widen(work.coarse, COARSE_FIELDS, 0, coarse_rows, work.index, work.weights, ni, work.coarse_wide)
    else:
        coarse_grid(first_x, first_z, shift, ni, nj, tables, work)
    p = tables.parameters
    octaves = tables.mid
    line = work.line
    cells = work.cells
    scratch = work.scratch
    fine_part = p[_P_VALLEY_FINE]
    side_warp, crest_warp = p[_P_SIDE_WARP] * _1024, p[_P_CREST_WARP] * _1024
    qx, qz = work.positions[2], work.positions[3]
    sx, sz = work.positions[4], work.positions[5]
    n = np.uint64(ni)
    for j in range(nj):
        z = (first_z + j) << shift
        first = start_z if between else j
        load_lines(work.coarse_wide, work.coarse, between, COARSE_FIELDS, z, COARSE_SHIFT, first, ni, line)
        # Rows 0 and 1 are the warp, 2 and 3 the direction in which side valleys and crests are bent.
        for i in range(n):
            qx[i] = (((first_x + np.int64(i)) << shift) << 10) + np.int64(line[i] * _1024)
            qz[i] = (z << 10) + np.int64(line[_LINE + i] * _1024)
        for k in range(4):
            noise_row(qx, qz, ni, octaves[k], cells, scratch, line[(_M_OCTAVES + k) * NODE_ROW :])
        for i in range(n):
            sx[i] = qx[i] - np.int64(side_warp * line[_WARP_FINE_Z + i])
            sz[i] = qz[i] + np.int64(side_warp * line[_WARP_FINE_X + i])
        noise_row(sx, sz, ni, octaves[4], cells, scratch, line[(_M_OCTAVES + 4) * NODE_ROW :])
        for i in range(n):
            sx[i] = qx[i] + np.int64(crest_warp * line[_WARP_FINE_Z + i])
            sz[i] = qz[i] - np.int64(crest_warp * line[_WARP_FINE_X + i])
        noise_row(sx, sz, ni, octaves[5], cells, scratch, line[(_M_OCTAVES + 5) * NODE_ROW :])
        # One valley field of two octaves; its line is followed by peaks, lumps, side valleys and crests.
        wide, detail = np.uint64(_M_OCTAVES) * _LINE, np.uint64(_M_OCTAVES + 1) * _LINE
        for i in range(n):
            line[detail + i] = line[wide + i] + fine_part * line[detail + i]
        store_lines(line, _M_FIRST, COARSE_FIELDS - _M_FIRST, ni, work.mid, 0, j)
        store_lines(line, _M_OCTAVES + 1, 5, ni, work.mid, COARSE_FIELDS - _M_FIRST, j)


@jit
def glade_line(z, ni, used, tables, work):
    """Clearing octaves 0 … `used` − 1 along one row of nodes at `z` (1/1024 m) into their lines; the rest zero."""
    line = work.line
    for k in range(GLADES):
        target = line[(_GLADE_ROW + k) * NODE_ROW :]
        if k >= used:
            for i in range(ni):
                target[i] = _ZERO
            continue
        octave = tables.glades[k]
        at = position(z, octave[0], octave[2])
        cell = at >> 32
        for near in range(2):
            if work.glade_rows[k, (cell + near) & 1] != cell + near:
                slot = work.glade_slots[k, (cell + near) & 1]
                corner_rows(
                    work.glade_cells[k],
                    cell + near,
                    octave[3],
                    work.glade_columns[k, 0],
                    work.glade_columns[k, 1],
                    ni,
                    slot[0],
                    slot[1],
                )
                work.glade_rows[k, (cell + near) & 1] = cell + near
        north, south = work.glade_slots[k, cell & 1], work.glade_slots[k, (cell + 1) & 1]
        blend_row(north[0], north[1], south[0], south[1], fraction(at), ni, target)


@jit
def node_grid(first_x, first_z, shift, ni, nj, step, tables, work):
    """Tier 2: fill `work.nodes[:, :nj, :ni]` for nodes 2^shift m apart from node (first_x, first_z).

    Slope, curvature and what follows from them are left out within `step` nodes of the edge, `step` · 2^shift being
    the distance over which differences are taken.
    """
    between = shift < MID_SHIFT
    start_x, start_z = first_x, first_z
    px = work.positions[0]
    if between:
        start_x = ((first_x << shift) >> MID_SHIFT) - 1
        start_z = ((first_z << shift) >> MID_SHIFT) - 1
        end_x = (((first_x + ni - 1) << shift) >> MID_SHIFT) + 2
        end_z = (((first_z + nj - 1) << shift) >> MID_SHIFT) + 2
        mid_rows = end_z - start_z + 1
        mid_grid(start_x, start_z, MID_SHIFT, end_x - start_x + 1, mid_rows, tables, work)
    else:
        mid_grid(first_x, first_z, shift, ni, nj, tables, work)
    for i in range(ni):
        px[i] = ((first_x + i) << shift) << 10
    if between:
        catmull_table(px, ni, MID_SHIFT, start_x, work.index, work.weights)
        widen(work.mid, MID_FIELDS, 0, mid_rows, work.index, work.weights, ni, work.mid_wide)
    # Clearings shorter than two nodes would alias on coarse levels; all are there at 64 m, where trees are placed.
    glades = 0
    for k in range(GLADES):
        octave = tables.glades[k]
        if octave[0] << (shift + 1) <= np.int64(1) << 32:
            glades = k + 1
            columns = work.glade_columns[k]
            column_table(px, ni, octave[0], octave[1], work.glade_cells[k], columns[0], columns[1])
            for parity in range(2):
                work.glade_rows[k, parity] = np.int64(-(1 << 62))

    p = tables.parameters
    line = work.line
    relief = p[_P_RELIEF]
    valley_gain, valley_width = p[_P_VALLEY_GAIN], p[_P_VALLEY_WIDTH]
    side_gain, side_width, sharpness = p[_P_SIDE_GAIN], p[_P_SIDE_WIDTH], p[_P_CREST_SHARPNESS]
    base, variation = p[_P_RELIEF_BASE], p[_P_RELIEF_VARIATION]
    gully_plain, gully_floor = p[_P_GULLY_PLAIN], p[_P_GULLY_FLOOR]
    high_low, high_high = p[_P_HIGH_LOW], p[_P_HIGH_HIGH]
    glade_amplitude, glade_gain, glade_dry = p[_P_GLADE], p[_P_GLADE_GAIN], p[_P_GLADE_DRY]
    humid_low, humid_high = p[_P_FOREST_HUMIDITY_LOW], p[_P_FOREST_HUMIDITY_HIGH]
    tree_low, tree_high = p[_P_TREELINE] - p[_P_TREELINE_BAND], p[_P_TREELINE] + p[_P_TREELINE_BAND]
    n = np.uint64(ni)
    for j in range(nj):
        z = (first_z + j) << shift
        first = start_z if between else j
        load_lines(work.mid_wide, work.mid, between, MID_FIELDS, z, MID_SHIFT, first, ni, line)
        glade_line(z << 10, ni, glades, tables, work)
        for i in range(n):
            m = clamp01(line[_R_RANGE + i])
            valley = line[_R_VALLEY + i]
            valley = valley * valley
            ra = valley_gain * valley / (valley + valley_width * line[_R_WIDTH + i])
            side = line[_R_SIDE + i]
            side = side * side
            rb = side_gain * side / (side + side_width)
            c = line[_R_CREST + i]
            rr = _ONE / (_ONE + sharpness * (np.sqrt(c * c + _CREST_SOFT) - _CREST_EDGE))
            pk = smoothstep(np.float32(-0.55), np.float32(0.75), line[_R_PEAK + i])
            crest = (np.float32(0.02) + np.float32(0.20) * ra) + (
                np.float32(0.08) + np.float32(0.52) * ra
            ) * pk
            rise = ra * (
                ((base + variation * line[_R_RELIEF + i]) + np.float32(0.40) * rb)
                + (crest * rr + np.float32(0.10) * ra * pk)
            )
            rise_here = line[_R_UPLIFT + i] * rise
            height = line[_R_FLOOR + i] + relief * rise_here
            line[_O_HEIGHT + i] = height
            hi = smoothstep(high_low, high_high, rise_here)
            line[_O_HIGH + i] = hi
            flank = ra * (np.float32(0.2) + np.float32(0.8) * rb)
            line[_O_GULLY + i] = (
                min(_ONE, gully_plain + np.float32(2.4) * m)
                * min(_ONE, gully_floor + np.float32(2.2) * flank)
                * (np.float32(0.6) + np.float32(0.6) * hi)
            )
            line[_O_TARGET + i] = ra * (np.float32(0.28) * rb + np.float32(0.22) * rr) - np.float32(0.3) * (
                _ONE - ra
            )
            line[_O_HUMMOCK + i] = clamp01(line[_R_HUMMOCK + i]) * (_ONE - m) * (_ONE - m)
            warmth = line[_R_WARMTH + i]
            humidity = clamp01(line[_R_HUMIDITY + i])
            line[_O_WARMTH + i] = warmth
            line[_O_HUMIDITY + i] = humidity
            # Until the slope is known, forest holds the clearing noise and crag the part that climate allows.
            clearing = glade_amplitude * (
                line[_R_GLADE + i]
                + glade_gain * (line[_R_GLADE + _LINE + i] + glade_gain * line[_R_GLADE + _LINE + _LINE + i])
            )
            line[_O_FOREST + i] = clearing + glade_dry * (humidity - _HALF)
            line[_O_CRAG + i] = smoothstep(
                tree_low, tree_high, (warmth - _LAPSE * height) + clearing
            ) * smoothstep(humid_low, humid_high, humidity)
        store_lines(line, _NODE_OUT, NODE_FIELDS, ni, work.nodes, 0, j)
    _node_slopes(shift, ni, nj, step, tables, work)


@jit
def _node_slopes(shift, ni, nj, step, tables, work):
    """Slope, curvature, crags and forest of nodes whose heights are there."""
    p = tables.parameters
    line = work.line
    nodes = work.nodes
    span = np.float32(step << shift)
    across = _HALF / span
    second = _ONE / (span * span)
    slope_low, slope_high = p[_P_TREE_SLOPE_LOW], p[_P_TREE_SLOPE_HIGH]
    glade_bias, glade_slope = p[_P_GLADE_BIAS], p[_P_GLADE_SLOPE]
    inner = ni - 2 * step
    n = np.uint64(inner)
    one = np.uint64(step)
    two = one + one
    for j in range(step, nj - step):
        for r in range(3):
            source = nodes[_N_HEIGHT, j + (r - 1) * step]
            target = line[r * NODE_ROW :]
            for i in range(ni):
                target[i] = source[i]
        for f in range(3):
            source = nodes[_N_HIGH, j]
            if f == 1:
                source = nodes[_N_CRAG, j]
            elif f == 2:
                source = nodes[_N_FOREST, j]
            target = line[(3 + f) * NODE_ROW :]
            for i in range(inner):
                target[i] = source[i + step]
        for i in range(n):
            west, mid, east = line[_H_HERE + i], line[_H_HERE + one + i], line[_H_HERE + two + i]
            north, south = line[_H_NORTH + one + i], line[_H_SOUTH + one + i]
            slope_x = (east - west) * across
            slope_z = (south - north) * across
            xx = ((east - mid) - (mid - west)) * second
            zz = ((south - mid) - (mid - north)) * second
            xz = (
                (line[_H_SOUTH + two + i] - line[_H_SOUTH + i])
                - (line[_H_NORTH + two + i] - line[_H_NORTH + i])
            ) * (_QUARTER * second)
            line[_O_SLOPE_X + i] = slope_x
            line[_O_SLOPE_Z + i] = slope_z
            line[_O_CURVATURE + i] = np.sqrt((xx * xx + zz * zz) + _TWO * xz * xz)
            slope = np.sqrt(slope_x * slope_x + slope_z * slope_z)
            wooded = line[_S_FOREST + i] + (glade_slope * min(slope, np.float32(0.35)) - glade_bias)
            line[_O_FOREST + i] = (
                line[_S_CRAG + i]
                * (_ONE - smoothstep(slope_low, slope_high, slope))
                * smoothstep(np.float32(-0.1), np.float32(0.25), wooded)
            )
            line[_O_CRAG + i] = smoothstep(np.float32(0.3), np.float32(0.9), line[_S_HIGH + i]) * (
                np.float32(0.35) + np.float32(0.65) * smoothstep(np.float32(0.25), np.float32(0.65), slope)
            )
        for f in (_N_SLOPE_X, _N_SLOPE_Z, _N_CURVATURE, _N_CRAG, _N_FOREST):
            source = line[(_NODE_OUT + f) * NODE_ROW :]
            target = nodes[f, j]
            for i in range(inner):
                target[i + step] = source[i]


@jit
def sample_block(xq, zq, ni, nj, level, weights_row, parent_row, tables, work, out):
    """Heights of a block: `out[j, i, 0]` with the band limits of `weights_row`, `[…, 1]` of `parent_row`.

    `xq`, `zq`: int64 [≥ ni], [≥ nj], ascending positions in 1/1024 m, at most `ROW` each and spanning at most
    280 nodes. `level` says which nodes the samples need: up to 5 they lie between nodes 64 m apart and may be
    anywhere; from 6 on they must be multiples of 2^level m, evenly spaced. `out` float32 [≥ nj, ≥ ni, 2].
    Leaves temperature at sea level, humidity, forest and crag in `work.climate[:, :nj, :ni]`.
    """
    shift = NODE_SHIFT
    if level >= GULLY_LEVELS:
        shift = level
    elif level > NODE_SHIFT:
        shift = 7
    step = 2 if shift == NODE_SHIFT else 1
    between = level < NODE_SHIFT
    low, high = 0, 0
    if between:
        low, high = 1, 2
    first_x = (xq[0] >> (shift + 10)) - low - step
    first_z = (zq[0] >> (shift + 10)) - low - step
    nodes_x = (xq[ni - 1] >> (shift + 10)) + high + step - first_x + 1
    nodes_z = (zq[nj - 1] >> (shift + 10)) + high + step - first_z + 1
    node_grid(first_x, first_z, shift, nodes_x, nodes_z, step, tables, work)
    if between:
        catmull_table(xq, ni, shift, first_x, work.index, work.weights)
        widen(
            work.nodes, NODE_FIELDS, step, nodes_z - 2 * step, work.index, work.weights, ni, work.nodes_wide
        )

    gully_count = tables.gullies.shape[0]
    ground_count = tables.ground.shape[0]
    gully_used = 0
    tail = _ZERO
    parent_tail = _ZERO
    for k in range(gully_count):
        own, parents = tables.gully_weights[weights_row, k], tables.gully_weights[parent_row, k]
        tail += tables.gullies[k, 3] * (_ONE - own)
        parent_tail += tables.gullies[k, 3] * (_ONE - parents)
        if own > _ZERO:
            gully_used = k + 1
    for k in range(gully_count + ground_count):
        if k < gully_count:
            if k >= gully_used:
                continue
            octave = tables.gully_octaves[k]
        else:
            if not tables.ground_weights[weights_row, k - gully_count] > _ZERO:
                continue
            octave = tables.ground_octaves[k - gully_count]
        column_table(
            xq, ni, octave[0], octave[1], work.column_cells[k], work.columns[k, 0], work.columns[k, 1]
        )
        for parity in range(2):
            work.slot_rows[k, parity] = np.int64(-(1 << 62))

    state = work.state
    ground_high = tables.parameters[_P_GROUND_HIGH]
    columns = np.uint64(ni)
    for j in range(nj):
        z = zq[j]
        if between:
            r = (z >> (NODE_SHIFT + 10)) - 1 - first_z - step
            t = np.float32(z & 65535) * (_ONE / np.float32(65536.0))
            for f in range(NODE_FIELDS):
                wide = work.nodes_wide[f]
                offset = np.uint64(f) * _STATE_STRIDE
                blend_nodes(wide[r], wide[r + 1], wide[r + 2], wide[r + 3], t, ni, offset, state)
        else:
            r = (z >> (shift + 10)) - first_z
            first = (xq[0] >> (shift + 10)) - first_x
            every = np.uint64(1 << (level - shift))
            for f in range(NODE_FIELDS):
                source = work.nodes[f, r][first:]
                offset = np.uint64(f) * _STATE_STRIDE
                for i in range(columns):
                    state[offset + i] = source[i * every]
        for i in range(columns):
            state[CURVATURE + i] = max(state[CURVATURE + i], _ZERO)
            state[GULLY + i] = max(state[GULLY + i], _ZERO)
            state[HIGH + i] = clamp01(state[HIGH + i])
            state[CRAG + i] = clamp01(state[CRAG + i])
            state[HUMMOCK + i] = clamp01(state[HUMMOCK + i])
            state[HUMIDITY + i] = clamp01(state[HUMIDITY + i])
            state[FOREST + i] = clamp01(state[FOREST + i])
            state[FIRST_TARGET + i] = state[TARGET + i]
        for k in range(GULLY_SUM, np.uint64(ROW_FIELDS) * _STATE_STRIDE):
            state[k] = _ZERO
        for k in range(gully_used):
            octave = tables.gully_octaves[k]
            at = position(z, octave[0], octave[2])
            cell = at >> 32
            for near in range(2):
                if work.slot_rows[k, (cell + near) & 1] != cell + near:
                    pivot_rows(
                        work.column_cells[k],
                        cell + near,
                        octave[3],
                        work.columns[k, 0],
                        ni,
                        work.slots[k, (cell + near) & 1],
                    )
                    work.slot_rows[k, (cell + near) & 1] = cell + near
            shape = tables.gullies[k]
            gully_row(
                state,
                work.slots[k, cell & 1],
                work.slots[k, (cell + 1) & 1],
                work.columns[k, 1],
                fraction(at),
                ni,
                shape[0],
                shape[1],
                shape[2],
                shape[3] * tables.gully_weights[weights_row, k],
                shape[3] * tables.gully_weights[parent_row, k],
            )
        for g in range(ground_count):
            own = tables.ground_weights[weights_row, g]
            if not own > _ZERO:
                continue
            k = gully_count + g
            octave = tables.ground_octaves[g]
            at = position(z, octave[0], octave[2])
            cell = at >> 32
            for near in range(2):
                if work.slot_rows[k, (cell + near) & 1] != cell + near:
                    slot = work.slots[k, (cell + near) & 1]
                    corner_rows(
                        work.column_cells[k],
                        cell + near,
                        octave[3],
                        work.columns[k, 0],
                        work.columns[k, 1],
                        ni,
                        slot,
                        slot[ROW:],
                    )
                    work.slot_rows[k, (cell + near) & 1] = cell + near
            north, south = work.slots[k, cell & 1], work.slots[k, (cell + 1) & 1]
            gain = tables.ground[g, 0] * own
            parent_gain = tables.ground[g, 0] * tables.ground_weights[parent_row, g]
            kind = tables.ground[g, 1]
            if kind == np.float32(GROUND_CRAG):
                ridged_row(
                    state,
                    north,
                    north[ROW:],
                    south,
                    south[ROW:],
                    fraction(at),
                    ni,
                    CRAG_SUM,
                    gain,
                    parent_gain,
                )
            else:
                field = GROUND_SUM
                if kind == np.float32(GROUND_HUMMOCK):
                    field = HUMMOCK_SUM
                smooth_row(
                    state, north, north[ROW:], south, south[ROW:], fraction(at), ni, field, gain, parent_gain
                )
        target = out[j]
        for i in range(columns):
            carved = state[HEIGHT + i] + state[GULLY + i] * (
                state[GULLY_SUM + i] + state[FIRST_TARGET + i] * tail
            )
            parent_carved = state[HEIGHT + i] + state[GULLY + i] * (
                state[GULLY_SUM + _STATE_STRIDE + i] + state[FIRST_TARGET + i] * parent_tail
            )
            rough = _ONE + ground_high * state[HIGH + i]
            target[i, 0] = (
                (carved + rough * state[GROUND_SUM + i]) + state[HUMMOCK + i] * state[HUMMOCK_SUM + i]
            ) + (state[CRAG + i] * state[CRAG_SUM + i])
            target[i, 1] = (
                (parent_carved + rough * state[GROUND_SUM + _STATE_STRIDE + i])
                + state[HUMMOCK + i] * state[HUMMOCK_SUM + _STATE_STRIDE + i]
            ) + state[CRAG + i] * state[CRAG_SUM + _STATE_STRIDE + i]
        warmth, humidity = work.climate[0, j], work.climate[1, j]
        forest, crag = work.climate[2, j], work.climate[3, j]
        for i in range(columns):
            warmth[i] = state[WARMTH + i]
            humidity[i] = state[HUMIDITY + i]
            forest[i] = state[FOREST + i]
            crag[i] = state[CRAG + i]


@jit
def finish_page(edited, spacing_m, j0, j1, i0, i1, heights, normals):
    """Copy the stored box [j0:j1, i0:i1] of a page out of its generated samples and make its normals.

    `edited` float32 [136, 136, 2]; `heights` float32 [132, 132, 2] and `normals` uint8 [132, 132, 4] are changed in
    the box only. Own normals are central differences at `spacing_m`; the parent's come from G two samples away, over
    2 · `spacing_m`, and are the parent's own bytes at even samples. A change of one sample reaches normals two samples
    away, so a dirty box must be widened by 2 first. Returns the lowest and highest of all stored R and G, metres.
    """
    across = np.float32(2.0) * np.float32(spacing_m)
    parent_across = np.float32(4.0) * np.float32(spacing_m)
    for j in range(j0, j1):
        north2, north, here = edited[j], edited[j + 1], edited[j + 2]
        south, south2 = edited[j + 3], edited[j + 4]
        for i in range(i0, i1):
            heights[j, i, 0] = here[i + 2, 0]
            heights[j, i, 1] = here[i + 2, 1]
            dx = here[i + 1, 0] - here[i + 3, 0]
            dz = north[i + 2, 0] - south[i + 2, 0]
            scale = _NORMAL_SCALE / np.sqrt((dx * dx + dz * dz) + across * across)
            normals[j, i, 0] = np.uint8(np.int32(dx * scale + _NORMAL_CENTRE))
            normals[j, i, 1] = np.uint8(np.int32(dz * scale + _NORMAL_CENTRE))
            dx = here[i, 1] - here[i + 4, 1]
            dz = north2[i + 2, 1] - south2[i + 2, 1]
            scale = _NORMAL_SCALE / np.sqrt((dx * dx + dz * dz) + parent_across * parent_across)
            normals[j, i, 2] = np.uint8(np.int32(dx * scale + _NORMAL_CENTRE))
            normals[j, i, 3] = np.uint8(np.int32(dz * scale + _NORMAL_CENTRE))
    lowest = np.full(2 * STORED, heights[0, 0, 0], np.float32)
    highest = np.full(2 * STORED, heights[0, 0, 0], np.float32)
    flat = heights.reshape(STORED, 2 * STORED)
    for j in range(STORED):
        row = flat[j]
        for i in range(2 * STORED):
            lowest[i] = min(lowest[i], row[i])
            highest[i] = max(highest[i], row[i])
    low, high = lowest[0], highest[0]
    for i in range(2 * STORED):
        low = min(low, lowest[i])
        high = max(high, highest[i])
    return low, high


@jit
def climate_box(samples, first, spacing_m, nj, ni, tables, fields, out):
    """Climate bytes of `nj` × `ni` samples: temperature, humidity, bare rock, tree density.

    Sample (0, 0) is `samples[first, first, 0]` and `fields[:, first, first]` (see `sample_block`); heights one sample
    around are read for the slope. `out` uint8 [nj, ni, 4], scaled as `PageData.climate`.
    """
    p = tables.parameters
    rock_low, rock_high, cold = p[_P_ROCK_SLOPE_LOW], p[_P_ROCK_SLOPE_HIGH], p[_P_ROCK_COLD]
    across = _HALF / np.float32(spacing_m)
    for j in range(nj):
        north, here, south = samples[j + first - 1], samples[j + first], samples[j + first + 1]
        warmth, humidity = fields[0, j + first], fields[1, j + first]
        forest, crag = fields[2, j + first], fields[3, j + first]
        for i in range(ni):
            c = i + first
            dx = (here[c + 1, 0] - here[c - 1, 0]) * across
            dz = (south[c, 0] - north[c, 0]) * across
            slope = np.sqrt(dx * dx + dz * dz)
            temperature = warmth[c] - _LAPSE * here[c, 0]
            bare = _ONE - smoothstep(rock_low, rock_high, slope)
            bare *= _ONE - np.float32(0.7) * crag[c]
            bare *= _ONE - _HALF * smoothstep(np.float32(-4.0), np.float32(3.0), cold - temperature)
            out[j, i, 0] = np.uint8(
                np.int32(min(max((temperature - _COLDEST) * _PER_DEGREE, _ZERO), _BYTE) + _HALF)
            )
            out[j, i, 1] = np.uint8(np.int32(humidity[c] * _BYTE + _HALF))
            out[j, i, 2] = np.uint8(np.int32((_ONE - bare) * _BYTE + _HALF))
            out[j, i, 3] = np.uint8(np.int32(forest[c] * _BYTE + _HALF))


@jit
def generate_page(level, i0, j0, tables, work, base, heights, normals, climate):
    """A whole unedited page. (i0, j0): index of the first *generated* sample at `level`.

    `base` float32 [136, 136, 2], `heights` float32 [132, 132, 2], `normals` and `climate` uint8 [132, 132, 4], all
    overwritten. Returns the lowest and highest stored R and G, metres.
    """
    xq, zq = work.xq, work.zq
    for i in range(GENERATED):
        xq[i] = ((i0 + i) << level) << 10
        zq[i] = ((j0 + i) << level) << 10
    sample_block(xq, zq, GENERATED, GENERATED, level, level, level + 1, tables, work, base)
    spacing = np.int64(1) << level
    climate_box(base, APRON, spacing, STORED, STORED, tables, work.climate, climate)
    return finish_page(base, spacing, 0, STORED, 0, STORED, heights, normals)


@jit
def sample_tile(level, i0, j0, ni, nj, tables, work, out):
    """R and G of samples [j0, j0 + nj) × [i0, i0 + ni) of `level`, at most `ROW` each way; see `sample_block`."""
    xq, zq = work.xq, work.zq
    for i in range(ni):
        xq[i] = ((i0 + i) << level) << 10
    for j in range(nj):
        zq[j] = ((j0 + j) << level) << 10
    sample_block(xq, zq, ni, nj, level, level, level + 1, tables, work, out)


@jit
def forest_tile(node_x, node_z, nx, nz, tables, work, out):
    """Tree density 0…1 at nodes 64 m apart, at most 280 each way. `out` float32 [≥ nz, ≥ nx]."""
    node_grid(node_x - 2, node_z - 2, NODE_SHIFT, nx + 4, nz + 4, 2, tables, work)
    for j in range(nz):
        source = work.nodes[_N_FOREST, j + 2]
        for i in range(nx):
            out[j, i] = clamp01(source[i + 2])


@jit
def coarse_point(x, z, field, tables, work):
    """One coarse field (0 … `COARSE_FIELDS` − 1) at integer world metres, float32."""
    first_x, first_z = (x >> COARSE_SHIFT) - 1, (z >> COARSE_SHIFT) - 1
    coarse_grid(first_x, first_z, COARSE_SHIFT, 4, 4, tables, work)
    work.positions[0, 0] = x << 10
    catmull_table(work.positions[0], 1, COARSE_SHIFT, first_x, work.index, work.weights)
    widen(work.coarse, COARSE_FIELDS, 0, 4, work.index, work.weights, 1, work.coarse_wide)
    load_lines(work.coarse_wide, work.coarse, True, COARSE_FIELDS, z, COARSE_SHIFT, first_z, 1, work.line)
    return work.line[field * NODE_ROW]


def flat_tables() -> Tables:
    """Tables of the smallest land there can be, for compiling and for timing."""
    f, q = np.float32, np.int64
    octave = np.array([1 << 18, 3, 5, 7], q)
    return Tables(
        parameters=np.linspace(0.1, 0.9, len(PARAMETERS)).astype(f),
        coarse=np.tile(octave, (len(COARSE_OCTAVES), 1)),
        mid=np.tile(octave, (len(MID_OCTAVES), 1)),
        glades=np.tile(octave, (GLADES, 1)),
        gully_octaves=np.tile(octave, (1, 1)),
        gullies=np.ones((1, 4), f),
        gully_weights=np.ones((3, 1), f),
        ground_octaves=np.tile(octave, (3, 1)),
        ground=np.array([[1.0, GROUND_SMOOTH], [1.0, GROUND_HUMMOCK], [1.0, GROUND_CRAG]], f),
        ground_weights=np.ones((3, 3), f),
    )


def warm() -> None:
    """Compile every public kernel with the types the game uses."""
    tables, work = flat_tables(), new_workspace()
    base = np.zeros((GENERATED, GENERATED, 2), np.float32)
    heights = np.zeros((STORED, STORED, 2), np.float32)
    normals = np.zeros((STORED, STORED, 4), np.uint8)
    generate_page(0, -4, -4, tables, work, base, heights, normals, normals.copy())
    finish_page(base, 1, 0, 1, 0, 1, heights, normals)
    sample_tile(0, 0, 0, 3, 3, tables, work, base)
    sample_block(work.xq, work.zq, 3, 3, 0, 1, 2, tables, work, base)
    climate_box(base, 1, 1, 1, 1, tables, work.climate, normals)
    forest_tile(0, 0, 2, 2, tables, work, np.zeros((2, 2), np.float32))
    coarse_point(0, 0, UPLIFT_FIELD, tables, work)
