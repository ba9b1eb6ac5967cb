"""The land itself: heights, normals and climate of a block of samples at one level, in one serial nogil call.

Two kinds of landscape share everything from tier 2 on: ranges (mountain belts with valleys) and layers (a stack of
noise layers that a recipe lists, see `layer_grid`). The function is built in tiers, each at the spacing its
wavelengths allow, on grids anchored to the world:
  tier 1   nodes every 1024 m: domain warp, ranges, passes, valley floors, climate;
  tier 1½  nodes every 256 m: the warped noise of valleys and crests;
  tier 2   nodes every 64 m: the skeleton made of it, its slope and curvature, masks, forest;
  rows     samples: tier 2 interpolated, then gullies, ground, layers, hummocks, crags and dunes octave by octave,
           between them the curve of terraces, last the shore.
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
    CARVED,
    CRAG,
    CRAG_SUM,
    CURVATURE,
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
    SLOT,
    TARGET,
    WARMTH,
    dune_row,
    gully_row,
    pivot_rows,
    ridged_row,
    slice_rows,
    smooth_row,
)
from game.kernels.hashing import hash_cell
from game.kernels.noise import blend_row, column_table, corner_rows, fraction, noise_row, position
from game.kernels.shaping import CURVE_FIELDS, clamp01, curve_row, shore, smoothstep

MAX_OCTAVES = 32
"""Most gully or ground octaves a recipe may have, each."""

NODE_SHIFT = 6
COARSE_SHIFT = 10
GULLY_LEVELS = 9
"""Levels below this carry gullies."""

MID_SHIFT = 8
NODE_ROW = 288
COARSE_ROWS = 152
NODE_FIELDS = 15
COARSE_FIELDS = 11
MID_FIELDS = 12
_STATE_STRIDE = np.uint64(ROW)

RANGES, LAYERS = 0, 1
"""Kinds of landscape, `Tables.landscape[0]`: mountain belts with valleys, or a stack of layers."""

# Kinds of octaves along sample rows, the second column of `Tables.ground`. Layers are added before the curve of
# terraces; temperature and humidity are climates finer than the nodes.
GROUND_SMOOTH, GROUND_HUMMOCK, GROUND_CRAG = 0.0, 1.0, 2.0
GROUND_LAYER, GROUND_RIDGED, GROUND_SLICE, GROUND_DUNE = 3.0, 4.0, 5.0, 6.0
GROUND_WARMTH, GROUND_HUMIDITY = 7.0, 8.0

# Kinds of octaves at nodes, the first column of `Tables.macros`.
MACRO_SMOOTH, MACRO_RIDGED, MACRO_VALLEY, MACRO_CONE = 0.0, 1.0, 2.0, 3.0

MOST_MASKS = 6
PLACES = ("gullies", "mesa", "dunes", "hummocks")
"""Order of the entries of `Tables.places`: what may be bound to a mask."""

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
    "lapse_c_m", "latitude_c", "shore_width_m", "shore_flat", "height_m", "uplift_low_m", "uplift_high_m",
    "wind_x", "wind_z", "crag_everywhere",
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
    _P_LAPSE, _P_LATITUDE, _P_SHORE_WIDTH, _P_SHORE_FLAT, _P_HEIGHT, _P_UPLIFT_LOW, _P_UPLIFT_HIGH,
    _P_WIND_X, _P_WIND_Z, _P_CRAG_EVERYWHERE,
) = range(67)  # fmt: skip

# Fields of a node, in the order of the row buffer in `fractal`.
_N_HEIGHT, _N_SLOPE_X, _N_SLOPE_Z, _N_CURVATURE, _N_GULLY, _N_TARGET = 0, 1, 2, 3, 4, 5
_N_HIGH, _N_CRAG, _N_HUMMOCK, _N_WARMTH, _N_HUMIDITY, _N_FOREST = 6, 7, 8, 9, 10, 11
_N_PARENT, _N_MESA, _N_DUNE = 12, 13, 14

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
_O_PARENT, _O_MESA, _O_DUNE = np.uint64(28) * _LINE, np.uint64(29) * _LINE, np.uint64(30) * _LINE
# A stack of layers in tier 1½: warp and climate octaves, masks, a temporary, the two heights, then what is kept.
_L_MASK = 4
_L_TEMPORARY = np.uint64(10) * _LINE
_L_WARMTH, _L_HUMID_WIDE, _L_HUMID_FINE = np.uint64(11) * _LINE, np.uint64(12) * _LINE, np.uint64(13) * _LINE
_L_OUT = 14
_L_HEIGHT, _L_PARENT, _L_GULLY = np.uint64(14) * _LINE, np.uint64(15) * _LINE, np.uint64(16) * _LINE
_L_MESA, _L_DUNE, _L_HUMMOCK = np.uint64(17) * _LINE, np.uint64(18) * _LINE, np.uint64(19) * _LINE
_L_OUT_WARMTH, _L_OUT_HUMIDITY, _L_WHOLE = np.uint64(20) * _LINE, np.uint64(21) * _LINE, np.uint64(22) * _LINE
_LAYER_FIELDS = 9
# The same as tier 2 reads them.
_K_HEIGHT, _K_PARENT, _K_GULLY = np.uint64(0) * _LINE, np.uint64(1) * _LINE, np.uint64(2) * _LINE
_K_MESA, _K_DUNE, _K_HUMMOCK = np.uint64(3) * _LINE, np.uint64(4) * _LINE, np.uint64(5) * _LINE
_K_WARMTH, _K_HUMIDITY, _K_WHOLE = np.uint64(6) * _LINE, np.uint64(7) * _LINE, np.uint64(8) * _LINE
# Differences: the nine heights around each node, then what is known of it.
_H_NORTH_WEST, _H_NORTH, _H_NORTH_EAST = np.uint64(0) * _LINE, np.uint64(1) * _LINE, np.uint64(2) * _LINE
_H_WEST, _H_HERE, _H_EAST = np.uint64(3) * _LINE, np.uint64(4) * _LINE, np.uint64(5) * _LINE
_H_SOUTH_WEST, _H_SOUTH, _H_SOUTH_EAST = np.uint64(6) * _LINE, np.uint64(7) * _LINE, np.uint64(8) * _LINE
_S_HIGH, _S_CRAG, _S_FOREST = np.uint64(9) * _LINE, np.uint64(10) * _LINE, np.uint64(11) * _LINE
_LINES = 31

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_TWO = np.float32(2.0)
_THREE = np.float32(3.0)
_HALF = np.float32(0.5)
_QUARTER = np.float32(0.25)
_1024 = np.float32(1024.0)
_LATITUDE_SHIFT = 22
"""Latitude goes from one extreme to the other and back over 2^24 m."""

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
_CRATER = np.float32(0.09)
_JITTER = np.float32(0.4 / 255.0)


class Tables(NamedTuple):
    """A recipe and a seed as numbers. Octave rows are int64 [4]: step, offset x, offset z, seed (see `noise`)."""

    landscape: np.ndarray
    """int64 [1]: `RANGES` or `LAYERS`"""
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
    """int64 [m, 5]; the fifth is the step along z"""
    ground: np.ndarray
    """float32 [m, 3]: amplitude in m, kind, aspect of dune cells"""
    ground_weights: np.ndarray
    """float32 [levels, m]"""
    macro_octaves: np.ndarray
    """int64 [k, 4], warped"""
    macros: np.ndarray
    """float32 [k, 4]: kind, amplitude in m, sharpness, code of the mask"""
    macro_weights: np.ndarray
    """float32 [levels, k]"""
    mask_octaves: np.ndarray
    """int64 [masks, 4], warped"""
    masks: np.ndarray
    """float32 [masks, 2]: where a mask begins and is complete, on the scale of n"""
    places: np.ndarray
    """int64 [len(PLACES)]: codes of masks. 0 is everywhere, k mask k − 1, −k all but that."""
    ramps: np.ndarray
    """float32 [r, CURVE_FIELDS]: the curve of terraces, see `shaping.curve_row`"""


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
def widen(source, first_field, fields, first_row, rows, index, weights, n, out):
    """Interpolate node rows along x: `out[f, r, i]` from four columns of `source[f, first_row + r]`.

    `fields` fields from `first_field` on.
    """
    w0 = weights[0]
    w1 = weights[1]
    w2 = weights[2]
    w3 = weights[3]
    for f in range(first_field, first_field + fields):
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
def latitude(z, reach_c):
    """Warmth that `z` (int64 metres, south) adds, °C, float32: 0 at 0, ±`reach_c` at ±2^22 m, then back again."""
    quarter = np.int64(1) << _LATITUDE_SHIFT
    turn = (z + quarter) & (4 * quarter - 1)
    if turn > 2 * quarter:
        turn = 4 * quarter - turn
    return reach_c * (np.float32(turn) * (_ONE / np.float32(quarter)) - _ONE)


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
        warm_here = warm_mean + latitude(z >> 10, p[_P_LATITUDE])
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
            line[_C_WARMTH + i] = warm_here + warm_span * line[_WARMTH + i]
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
def load_lines(wide, exact, between, first_field, fields, position_m, shift, first, n, line):
    """`fields` fields of one row, from `first_field` on, into the lines of their numbers.

    Interpolated along z from `wide`, or copied from `exact`: `between` says whether rows lie between nodes 2^shift m
    apart, the first of which is node `first`; else `first` is the row of `exact` itself.
    """
    if between:
        r = (position_m >> shift) - 1 - first
        t = np.float32(position_m & ((np.int64(1) << shift) - 1)) * (_ONE / np.float32(np.int64(1) << shift))
        for f in range(first_field, first_field + fields):
            at = np.uint64(f) * _LINE
            blend_nodes(wide[f, r], wide[f, r + 1], wide[f, r + 2], wide[f, r + 3], t, n, at, line)
    else:
        for f in range(first_field, first_field + fields):
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
        widen(work.coarse, 0, COARSE_FIELDS, 0, coarse_rows, work.index, work.weights, ni, work.coarse_wide)
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
        load_lines(work.coarse_wide, work.coarse, between, 0, COARSE_FIELDS, z, COARSE_SHIFT, first, ni, line)
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


@jit(forceinline=True)
def place(code, line, i):
    """Strength 0…1 at column `i` of the mask that `code` names (see `Tables.places`), lines from `_L_MASK` on."""
    if code == 0:
        return _ONE
    at = np.uint64(_L_MASK + abs(code) - 1) * _LINE
    if code > 0:
        return line[at + i]
    return _ONE - line[at + i]


@jit
def add_macro(kind, value, amplitude, sharpness):
    """Metres of one octave of a layer at nodes, from its noise. Soft where it would crease: nodes are far apart."""
    if kind == np.float32(MACRO_SMOOTH):
        return amplitude * value
    if kind == np.float32(MACRO_RIDGED):
        return amplitude * (_HALF - _TWO * (np.sqrt(value * value + sharpness * sharpness) - sharpness))
    return amplitude * (sharpness / (value * value + sharpness))


@jit
def cone_row(qx, qz, n, octave, radius, out):
    """Volcanoes: 0…1 on a cone with a crater, at most one in each lattice cell; others arguments as `noise_row`.

    `radius` in cells, at most 0.3, so that a cone stays in its cell; some cells have none.
    """
    for i in range(n):
        tx = (qx[i] * octave[0] + octave[1]) >> 8
        tz = (qz[i] * octave[0] + octave[2]) >> 8
        h = hash_cell(tx >> 32, tz >> 32, octave[3])
        dx = fraction(tx) - (np.float32(0.3) + np.float32(np.int32(h & np.uint32(255))) * _JITTER)
        dz = fraction(tz) - (
            np.float32(0.3) + np.float32(np.int32((h >> np.uint32(8)) & np.uint32(255))) * _JITTER
        )
        size = np.float32(np.int32((h >> np.uint32(16)) & np.uint32(255))) * np.float32(1.0 / 255.0)
        size = clamp01(np.float32(1.8) * size - np.float32(0.8))
        size = np.float32(0.3) * size + np.float32(0.7) * size * size if size > _ZERO else _ZERO
        wide = radius * (np.float32(0.55) + np.float32(0.45) * size)
        d = np.sqrt(dx * dx + dz * dz) / wide
        d -= _CRATER
        d = np.sqrt(d * d + np.float32(0.0004)) + _CRATER
        d = max(_ONE - d, _ZERO)
        out[i] = size * d * d * (np.float32(0.55) + np.float32(0.6) * d)


@jit
def layer_grid(first_x, first_z, shift, ni, nj, weights_row, parent_row, tables, work):
    """Tier 1½ of a stack of layers: fill the first `_LAYER_FIELDS` of `work.mid[:, :nj, :ni]`.

    Both heights are summed: band limits of the layers depend on the level, those of masks and climate do not.
    """
    p = tables.parameters
    octaves = tables.coarse
    line = work.line
    qx, qz = work.positions[2], work.positions[3]
    cells, scratch = work.cells, work.scratch
    wide, fine = p[_P_WARP_WIDE] * _1024, p[_P_WARP_FINE] * _1024
    height = p[_P_HEIGHT]
    warm_mean, warm_span, reach = p[_P_TEMPERATURE], p[_P_TEMPERATURE_VARIATION], p[_P_LATITUDE]
    humid_mean, humid_wide, humid_fine = p[_P_HUMIDITY], p[_P_HUMIDITY_WIDE], p[_P_HUMIDITY_FINE]
    hum_low, hum_high = p[_P_HUMMOCK_LOW], p[_P_HUMMOCK_HIGH]
    gullies, mesas, dunes, hummocks = tables.places[0], tables.places[1], tables.places[2], tables.places[3]
    n = np.uint64(ni)
    for j in range(nj):
        z = ((first_z + j) << shift) << 10
        warm_here = warm_mean + latitude(z >> 10, reach)
        for i in range(ni):
            qx[i] = ((first_x + i) << shift) << 10
            qz[i] = z
        if wide > _ZERO or fine > _ZERO:
            for k in range(4):
                noise_row(qx, qz, ni, octaves[k], cells, scratch, line[k * NODE_ROW :])
            for i in range(n):
                qx[i] += np.int64(wide * line[_WARP_WIDE_X + i] + fine * line[_WARP_FINE_X + i])
                qz[i] += np.int64(wide * line[_WARP_WIDE_Z + i] + fine * line[_WARP_FINE_Z + i])
        for k in range(tables.masks.shape[0]):
            at = np.uint64(_L_MASK + k) * _LINE
            noise_row(qx, qz, ni, tables.mask_octaves[k], cells, scratch, line[(_L_MASK + k) * NODE_ROW :])
            low, high = tables.masks[k, 0], tables.masks[k, 1]
            for i in range(n):
                line[at + i] = smoothstep(low, high, line[at + i])
        for i in range(n):
            line[_L_HEIGHT + i] = height
            line[_L_PARENT + i] = height
            line[_L_WHOLE + i] = height
        for k in range(tables.macros.shape[0]):
            shape = tables.macros[k]
            own, parents = tables.macro_weights[weights_row, k], tables.macro_weights[parent_row, k]
            if shape[0] == np.float32(MACRO_CONE):
                cone_row(qx, qz, ni, tables.macro_octaves[k], shape[2], line[10 * NODE_ROW :])
            else:
                noise_row(qx, qz, ni, tables.macro_octaves[k], cells, scratch, line[10 * NODE_ROW :])
            code = np.int64(shape[3])
            for i in range(n):
                value = line[_L_TEMPORARY + i]
                if shape[0] == np.float32(MACRO_CONE):
                    value = shape[1] * value
                else:
                    value = add_macro(shape[0], value, shape[1], shape[2])
                value *= place(code, line, i)
                line[_L_HEIGHT + i] += own * value
                line[_L_PARENT + i] += parents * value
                line[_L_WHOLE + i] += value
        for k in range(11, 14):
            noise_row(qx, qz, ni, octaves[k], cells, scratch, line[k * NODE_ROW :])
        noise_row(qx, qz, ni, octaves[14], cells, scratch, line[10 * NODE_ROW :])
        for i in range(n):
            line[_L_OUT_WARMTH + i] = warm_here + warm_span * line[_L_WARMTH + i]
            line[_L_OUT_HUMIDITY + i] = clamp01(
                (humid_mean + humid_wide * line[_L_HUMID_WIDE + i]) + humid_fine * line[_L_HUMID_FINE + i]
            )
            line[_L_GULLY + i] = place(gullies, line, i)
            line[_L_MESA + i] = place(mesas, line, i)
            area = smoothstep(hum_low, hum_high, line[_L_TEMPORARY + i])
            line[_L_DUNE + i] = place(dunes, line, i) * (_HALF + _HALF * area)
            line[_L_HUMMOCK + i] = place(hummocks, line, i) * area
        store_lines(line, _L_OUT, _LAYER_FIELDS, ni, work.mid, 0, j)


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


@jit(forceinline=True)
def skeleton(
    valley, side, crest, peak, lump, width, side_width, valley_gain, side_gain, sharpness, base, variation
):
    """Relief of the alpine skeleton and its parts: rise, main valley, side valley and crest profiles, float32."""
    valley = valley * valley
    ra = valley_gain * valley / (valley + width)
    side = side * side
    rb = side_gain * side / (side + side_width)
    rr = _ONE / (_ONE + sharpness * (np.sqrt(crest * crest + _CREST_SOFT) - _CREST_EDGE))
    pk = smoothstep(np.float32(-0.55), np.float32(0.75), peak)
    high = (np.float32(0.02) + np.float32(0.20) * ra) + (np.float32(0.08) + np.float32(0.52) * ra) * pk
    rise = ra * (
        ((base + variation * lump) + np.float32(0.40) * rb) + (high * rr + np.float32(0.10) * ra * pk)
    )
    return rise, ra, rb, rr


@jit
def _mid_tier(first_x, first_z, shift, ni, nj, weights_row, parent_row, tables, work):
    """Tier 1½ of either landscape under nodes 2^shift m apart. Returns its first node and its number of rows."""
    start_x, start_z, columns, rows, mid_shift = first_x, first_z, ni, nj, shift
    if shift < MID_SHIFT:
        mid_shift = MID_SHIFT
        start_x = ((first_x << shift) >> MID_SHIFT) - 1
        start_z = ((first_z << shift) >> MID_SHIFT) - 1
        columns = (((first_x + ni - 1) << shift) >> MID_SHIFT) + 2 - start_x + 1
        rows = (((first_z + nj - 1) << shift) >> MID_SHIFT) + 2 - start_z + 1
    if tables.landscape[0] == LAYERS:
        layer_grid(start_x, start_z, mid_shift, columns, rows, weights_row, parent_row, tables, work)
    else:
        mid_grid(start_x, start_z, mid_shift, columns, rows, tables, work)
    return start_x, start_z, rows


@jit
def _glade_columns(px, ni, shift, tables, work):
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


@jit
def node_grid(first_x, first_z, shift, ni, nj, step, weights_row, parent_row, tables, work):
    """Tier 2: fill `work.nodes[:, :nj, :ni]` for nodes 2^shift m apart from node (first_x, first_z).

    Slope, curvature and what follows from them are left out within `step` nodes of the edge, `step` · 2^shift being
    the distance over which differences are taken.
    """
    layers = tables.landscape[0] == LAYERS
    fields = _LAYER_FIELDS if layers else MID_FIELDS
    between = shift < MID_SHIFT
    px = work.positions[0]
    start_x, start_z, mid_rows = _mid_tier(
        first_x, first_z, shift, ni, nj, weights_row, parent_row, tables, work
    )
    for i in range(ni):
        px[i] = ((first_x + i) << shift) << 10
    if between:
        catmull_table(px, ni, MID_SHIFT, start_x, work.index, work.weights)
        widen(work.mid, 0, fields, 0, mid_rows, work.index, work.weights, ni, work.mid_wide)
    glades = _glade_columns(px, ni, shift, tables, work)
    for j in range(nj):
        z = (first_z + j) << shift
        first = start_z if between else j
        load_lines(work.mid_wide, work.mid, between, 0, fields, z, MID_SHIFT, first, ni, work.line)
        glade_line(z << 10, ni, glades, tables, work)
        if layers:
            _layer_nodes(ni, tables, work.line)
        else:
            _range_nodes(ni, tables, work.line)
        store_lines(work.line, _NODE_OUT, NODE_FIELDS, ni, work.nodes, 0, j)
    for j in range(step, nj - step):
        _node_slopes(j, j, step, ni - 2 * step, shift, step, 1, tables, work)


@jit
def half_grid(first_x, first_z, ni, nj, weights_row, parent_row, tables, work):
    """Tier 2 of level 8: `ni` × `nj` nodes 256 m apart from node (first_x, first_z), slopes over ±128 m.

    Heights are needed at the nodes between too, everything else only at the samples, which are nodes of tier 1½:
    so heights go to `work.nodes[_N_HEIGHT]` 128 m apart, with one more all around, the rest 256 m apart.
    """
    layers = tables.landscape[0] == LAYERS
    shift = MID_SHIFT - 1
    fine_x, fine_z = 2 * first_x - 1, 2 * first_z - 1
    columns, rows = 2 * ni + 1, 2 * nj + 1
    px = work.positions[0]
    start_x, start_z, mid_rows = _mid_tier(
        fine_x, fine_z, shift, columns, rows, weights_row, parent_row, tables, work
    )
    for i in range(columns):
        px[i] = ((fine_x + i) << shift) << 10
    catmull_table(px, columns, MID_SHIFT, start_x, work.index, work.weights)
    # Heights of layers are field 0; those of ranges need fields 1 and 2, 6 to 11.
    if layers:
        widen(work.mid, 0, 1, 0, mid_rows, work.index, work.weights, columns, work.mid_wide)
    else:
        widen(work.mid, 1, 2, 0, mid_rows, work.index, work.weights, columns, work.mid_wide)
        widen(work.mid, 6, 6, 0, mid_rows, work.index, work.weights, columns, work.mid_wide)
    line = work.line
    for j in range(rows):
        z = (fine_z + j) << shift
        if layers:
            load_lines(work.mid_wide, work.mid, True, 0, 1, z, MID_SHIFT, start_z, columns, line)
            store_lines(line, 0, 1, columns, work.nodes, _N_HEIGHT, j)
        else:
            load_lines(work.mid_wide, work.mid, True, 1, 2, z, MID_SHIFT, start_z, columns, line)
            load_lines(work.mid_wide, work.mid, True, 6, 6, z, MID_SHIFT, start_z, columns, line)
            _range_heights(columns, tables, line)
            store_lines(line, _NODE_OUT, 1, columns, work.nodes, _N_HEIGHT, j)
    for i in range(ni):
        px[i] = ((first_x + i) << MID_SHIFT) << 10
    glades = _glade_columns(px, ni, MID_SHIFT, tables, work)
    for j in range(nj):
        for f in range(_LAYER_FIELDS if layers else MID_FIELDS):
            source = work.mid[f, first_z - start_z + j][first_x - start_x :]
            target = line[f * NODE_ROW :]
            for i in range(ni):
                target[i] = source[i]
        glade_line(((first_z + j) << MID_SHIFT) << 10, ni, glades, tables, work)
        if layers:
            _layer_nodes(ni, tables, line)
        else:
            _range_nodes(ni, tables, line)
        store_lines(line, _NODE_OUT + 1, NODE_FIELDS - 1, ni, work.nodes, 1, j)
        _node_slopes(2 * j + 1, j, 0, ni, shift, 1, 2, tables, work)


@jit
def _range_heights(ni, tables, line):
    """Heights alone of one row of nodes among ranges, as `_range_nodes` makes them."""
    p = tables.parameters
    relief = p[_P_RELIEF]
    valley_gain, valley_width = p[_P_VALLEY_GAIN], p[_P_VALLEY_WIDTH]
    side_gain, side_width, sharpness = p[_P_SIDE_GAIN], p[_P_SIDE_WIDTH], p[_P_CREST_SHARPNESS]
    base, variation = p[_P_RELIEF_BASE], p[_P_RELIEF_VARIATION]
    for i in range(np.uint64(ni)):
        rise, _, _, _ = skeleton(
            line[_R_VALLEY + i],
            line[_R_SIDE + i],
            line[_R_CREST + i],
            line[_R_PEAK + i],
            line[_R_RELIEF + i],
            valley_width * line[_R_WIDTH + i],
            side_width,
            valley_gain,
            side_gain,
            sharpness,
            base,
            variation,
        )
        line[_O_HEIGHT + i] = line[_R_FLOOR + i] + relief * (line[_R_UPLIFT + i] * rise)


@jit
def _range_nodes(ni, tables, line):
    """What is known of one row of nodes among ranges but their slopes."""
    p = tables.parameters
    relief = p[_P_RELIEF]
    valley_gain, valley_width = p[_P_VALLEY_GAIN], p[_P_VALLEY_WIDTH]
    side_gain, side_width, sharpness = p[_P_SIDE_GAIN], p[_P_SIDE_WIDTH], p[_P_CREST_SHARPNESS]
    base, variation = p[_P_RELIEF_BASE], p[_P_RELIEF_VARIATION]
    gully_plain, gully_floor = p[_P_GULLY_PLAIN], p[_P_GULLY_FLOOR]
    high_low, high_high = p[_P_HIGH_LOW], p[_P_HIGH_HIGH]
    for i in range(np.uint64(ni)):
        m = clamp01(line[_R_RANGE + i])
        rise, ra, rb, rr = skeleton(
            line[_R_VALLEY + i],
            line[_R_SIDE + i],
            line[_R_CREST + i],
            line[_R_PEAK + i],
            line[_R_RELIEF + i],
            valley_width * line[_R_WIDTH + i],
            side_width,
            valley_gain,
            side_gain,
            sharpness,
            base,
            variation,
        )
        rise_here = line[_R_UPLIFT + i] * rise
        height = line[_R_FLOOR + i] + relief * rise_here
        line[_O_HEIGHT + i] = height
        line[_O_PARENT + i] = height
        line[_O_MESA + i] = _ZERO
        line[_O_DUNE + i] = _ZERO
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
    _woods(ni, tables, _R_WARMTH, _R_HUMIDITY, line)


@jit
def _layer_nodes(ni, tables, line):
    """What is known of one row of nodes of a stack of layers but their slopes."""
    p = tables.parameters
    high_low, high_high = p[_P_HIGH_LOW], p[_P_HIGH_HIGH]
    gully_plain = p[_P_GULLY_PLAIN]
    for i in range(np.uint64(ni)):
        height = line[_K_HEIGHT + i]
        line[_O_HEIGHT + i] = height
        line[_O_PARENT + i] = line[_K_PARENT + i]
        line[_O_MESA + i] = clamp01(line[_K_MESA + i])
        line[_O_DUNE + i] = clamp01(line[_K_DUNE + i])
        line[_O_HIGH + i] = smoothstep(high_low, high_high, line[_K_WHOLE + i] * np.float32(0.001))
        line[_O_GULLY + i] = gully_plain + (_ONE - gully_plain) * clamp01(line[_K_GULLY + i])
        line[_O_TARGET + i] = _ZERO
        line[_O_HUMMOCK + i] = clamp01(line[_K_HUMMOCK + i])
    _woods(ni, tables, _K_WARMTH, _K_HUMIDITY, line)


@jit
def _woods(ni, tables, warmth_line, humidity_line, line):
    """Climate of one row of nodes, and what forest there is before the slope is known.

    Until then forest holds the clearing noise and crag the part that climate allows.
    """
    p = tables.parameters
    lapse = p[_P_LAPSE]
    glade_amplitude, glade_gain, glade_dry = p[_P_GLADE], p[_P_GLADE_GAIN], p[_P_GLADE_DRY]
    humid_low, humid_high = p[_P_FOREST_HUMIDITY_LOW], p[_P_FOREST_HUMIDITY_HIGH]
    tree_low, tree_high = p[_P_TREELINE] - p[_P_TREELINE_BAND], p[_P_TREELINE] + p[_P_TREELINE_BAND]
    for i in range(np.uint64(ni)):
        warmth = line[warmth_line + i]
        humidity = clamp01(line[humidity_line + i])
        line[_O_WARMTH + i] = warmth
        line[_O_HUMIDITY + i] = humidity
        clearing = glade_amplitude * (
            line[_R_GLADE + i]
            + glade_gain * (line[_R_GLADE + _LINE + i] + glade_gain * line[_R_GLADE + _LINE + _LINE + i])
        )
        line[_O_FOREST + i] = clearing + glade_dry * (humidity - _HALF)
        line[_O_CRAG + i] = smoothstep(
            tree_low, tree_high, (warmth - lapse * line[_O_HEIGHT + i]) + clearing
        ) * smoothstep(humid_low, humid_high, humidity)


@jit
def _node_slopes(height_row, row, first, n, shift, step, stride, tables, work):
    """Slope, curvature, crags and forest of `n` nodes of one row, from column `first` on.

    Heights stand in row `height_row`, at columns `step` + i · `stride`, and are differenced over `step` of them;
    everything else is in `row`.
    """
    p = tables.parameters
    line = work.line
    nodes = work.nodes
    span = np.float32(np.int64(step) << shift)
    across = _HALF / span
    second = _ONE / (span * span)
    slope_low, slope_high = p[_P_TREE_SLOPE_LOW], p[_P_TREE_SLOPE_HIGH]
    glade_bias, glade_slope = p[_P_GLADE_BIAS], p[_P_GLADE_SLOPE]
    everywhere = p[_P_CRAG_EVERYWHERE]
    for r in range(3):
        for c in range(3):
            source = nodes[_N_HEIGHT, height_row + (r - 1) * step][c * step :]
            target = line[(3 * r + c) * NODE_ROW :]
            if stride == 1:
                for i in range(n):
                    target[i] = source[i]
            else:
                for i in range(n):
                    target[i] = source[2 * i]
    for f in range(3):
        source = nodes[_N_HIGH, row][first:]
        if f == 1:
            source = nodes[_N_CRAG, row][first:]
        elif f == 2:
            source = nodes[_N_FOREST, row][first:]
        target = line[(9 + f) * NODE_ROW :]
        for i in range(n):
            target[i] = source[i]
    for i in range(np.uint64(n)):
        west, mid, east = line[_H_WEST + i], line[_H_HERE + i], line[_H_EAST + i]
        north, south = line[_H_NORTH + i], line[_H_SOUTH + i]
        slope_x = (east - west) * across
        slope_z = (south - north) * across
        xx = ((east - mid) - (mid - west)) * second
        zz = ((south - mid) - (mid - north)) * second
        xz = (
            (line[_H_SOUTH_EAST + i] - line[_H_SOUTH_WEST + i])
            - (line[_H_NORTH_EAST + i] - line[_H_NORTH_WEST + i])
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
        line[_O_CRAG + i] = max(
            everywhere, smoothstep(np.float32(0.3), np.float32(0.9), line[_S_HIGH + i])
        ) * (np.float32(0.35) + np.float32(0.65) * smoothstep(np.float32(0.25), np.float32(0.65), slope))
    for f in (_N_SLOPE_X, _N_SLOPE_Z, _N_CURVATURE, _N_CRAG, _N_FOREST):
        source = line[(_NODE_OUT + f) * NODE_ROW :]
        target = nodes[f, row][first:]
        for i in range(n):
            target[i] = source[i]


@jit
def sample_block(xq, zq, ni, nj, level, weights_row, parent_row, tables, work, out):
    """Heights of a block: `out[j, i, 0]` with the band limits of `weights_row`, `[…, 1]` of `parent_row`.

    `xq`, `zq`: int64 [≥ ni], [≥ nj], ascending positions in 1/1024 m, at most `ROW` each and spanning at most
    280 nodes. `level` says which nodes the samples need: up to 5 they lie between nodes 64 m apart and may be
    anywhere; from 6 on they must be multiples of 2^level m, evenly spaced. `out` float32 [≥ nj, ≥ ni, 2].
    Leaves temperature at sea level, humidity, forest and crag in `work.climate[:, :nj, :ni]`.
    """
    shift = NODE_SHIFT
    if level > NODE_SHIFT:
        shift = level
    step = 2 if shift == NODE_SHIFT else 1
    between = level < NODE_SHIFT
    half = level == MID_SHIFT
    first_x = xq[0] >> (shift + 10)
    first_z = zq[0] >> (shift + 10)
    if half:
        half_grid(first_x, first_z, ni, nj, weights_row, parent_row, tables, work)
    else:
        low, high = step, step
        if between:
            low, high = step + 1, step + 2
        first_x -= low
        first_z -= low
        nodes_x = (xq[ni - 1] >> (shift + 10)) + high - first_x + 1
        nodes_z = (zq[nj - 1] >> (shift + 10)) + high - first_z + 1
        node_grid(first_x, first_z, shift, nodes_x, nodes_z, step, weights_row, parent_row, tables, work)
    if between:
        catmull_table(xq, ni, shift, first_x, work.index, work.weights)
        widen(
            work.nodes,
            0,
            NODE_FIELDS,
            step,
            nodes_z - 2 * step,
            work.index,
            work.weights,
            ni,
            work.nodes_wide,
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
            octave = tables.ground_octaves[k - gully_count, :4]
        column_table(
            xq, ni, octave[0], octave[1], work.column_cells[k], work.columns[k, 0], work.columns[k, 1]
        )
        for parity in range(2):
            work.slot_rows[k, parity] = np.int64(-(1 << 62))

    state = work.state
    ground_high = tables.parameters[_P_GROUND_HIGH]
    shore_width, shore_flat = tables.parameters[_P_SHORE_WIDTH], tables.parameters[_P_SHORE_FLAT]
    wind_x, wind_z = tables.parameters[_P_WIND_X], tables.parameters[_P_WIND_Z]
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
            for f in range(NODE_FIELDS):
                source = work.nodes[f, r][first:]
                offset = np.uint64(f) * _STATE_STRIDE
                for i in range(columns):
                    state[offset + i] = source[i]
            if half:
                source = work.nodes[_N_HEIGHT, 2 * r + 1]
                for i in range(columns):
                    state[HEIGHT + i] = source[np.uint64(2) * i + _ONE_U]
        for i in range(columns):
            state[CURVATURE + i] = max(state[CURVATURE + i], _ZERO)
            state[GULLY + i] = max(state[GULLY + i], _ZERO)
            state[HIGH + i] = clamp01(state[HIGH + i])
            state[CRAG + i] = clamp01(state[CRAG + i])
            state[HUMMOCK + i] = clamp01(state[HUMMOCK + i])
            state[HUMIDITY + i] = clamp01(state[HUMIDITY + i])
            state[FOREST + i] = clamp01(state[FOREST + i])
            state[MESA + i] = clamp01(state[MESA + i])
            state[DUNE + i] = clamp01(state[DUNE + i])
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
            kind = tables.ground[g, 1]
            at = position(z, octave[4], octave[2])
            cell = at >> 32
            for near in range(2):
                if work.slot_rows[k, (cell + near) & 1] != cell + near:
                    slot = work.slots[k, (cell + near) & 1]
                    columns_here, fades_here = work.columns[k, 0], work.columns[k, 1]
                    if kind == np.float32(GROUND_DUNE):
                        pivot_rows(work.column_cells[k], cell + near, octave[3], columns_here, ni, slot)
                    elif kind == np.float32(GROUND_SLICE):
                        slice_rows(
                            work.column_cells[k],
                            cell + near,
                            octave[3],
                            columns_here,
                            fades_here,
                            ni,
                            slot,
                            slot[ROW:],
                        )
                    else:
                        corner_rows(
                            work.column_cells[k],
                            cell + near,
                            octave[3],
                            columns_here,
                            fades_here,
                            ni,
                            slot,
                            slot[ROW:],
                        )
                    work.slot_rows[k, (cell + near) & 1] = cell + near
            north, south = work.slots[k, cell & 1], work.slots[k, (cell + 1) & 1]
            gain = tables.ground[g, 0] * own
            parent_gain = tables.ground[g, 0] * tables.ground_weights[parent_row, g]
            if kind == np.float32(GROUND_DUNE):
                dune_row(
                    state,
                    north,
                    south,
                    work.columns[k, 1],
                    fraction(at),
                    ni,
                    tables.ground[g, 2],
                    wind_x,
                    wind_z,
                    gain,
                    parent_gain,
                )
            elif kind == np.float32(GROUND_CRAG) or kind == np.float32(GROUND_RIDGED):
                field = CRAG_SUM
                if kind == np.float32(GROUND_RIDGED):
                    field = LAYER_SUM
                ridged_row(
                    state, north, north[ROW:], south, south[ROW:], fraction(at), ni, field, gain, parent_gain
                )
            else:
                field = GROUND_SUM
                if kind == np.float32(GROUND_HUMMOCK):
                    field = HUMMOCK_SUM
                elif kind == np.float32(GROUND_LAYER) or kind == np.float32(GROUND_SLICE):
                    field = LAYER_SUM
                elif kind == np.float32(GROUND_WARMTH):
                    field = WARMTH
                    parent_gain = _ZERO
                elif kind == np.float32(GROUND_HUMIDITY):
                    field = HUMIDITY
                    parent_gain = _ZERO
                smooth_row(
                    state, north, north[ROW:], south, south[ROW:], fraction(at), ni, field, gain, parent_gain
                )
        for i in range(columns):
            rough = _ONE + ground_high * state[HIGH + i]
            state[CARVED + i] = (
                (
                    state[HEIGHT + i]
                    + state[GULLY + i] * (state[GULLY_SUM + i] + state[FIRST_TARGET + i] * tail)
                )
                + rough * state[GROUND_SUM + i]
            ) + state[LAYER_SUM + i]
            state[CARVED + _STATE_STRIDE + i] = (
                (
                    state[PARENT + i]
                    + state[GULLY + i]
                    * (state[GULLY_SUM + _STATE_STRIDE + i] + state[FIRST_TARGET + i] * parent_tail)
                )
                + rough * state[GROUND_SUM + _STATE_STRIDE + i]
            ) + state[LAYER_SUM + _STATE_STRIDE + i]
        if tables.ramps.shape[0] > 0:
            curve_row(state, CARVED, MESA, SCRATCH, tables.ramps, ni)
            curve_row(state, CARVED + _STATE_STRIDE, MESA, SCRATCH, tables.ramps, ni)
        target = out[j]
        for i in range(columns):
            own = (
                state[CARVED + i]
                + (state[HUMMOCK + i] * state[HUMMOCK_SUM + i] + state[CRAG + i] * state[CRAG_SUM + i])
            ) + state[DUNE + i] * state[DUNE_SUM + i]
            parents = (
                state[CARVED + _STATE_STRIDE + i]
                + (
                    state[HUMMOCK + i] * state[HUMMOCK_SUM + _STATE_STRIDE + i]
                    + state[CRAG + i] * state[CRAG_SUM + _STATE_STRIDE + i]
                )
            ) + state[DUNE + i] * state[DUNE_SUM + _STATE_STRIDE + i]
            target[i, 0] = shore(own, shore_width, shore_flat)
            target[i, 1] = shore(parents, shore_width, shore_flat)
        warmth, humidity = work.climate[0, j], work.climate[1, j]
        forest, crag = work.climate[2, j], work.climate[3, j]
        for i in range(columns):
            warmth[i] = state[WARMTH + i]
            humidity[i] = clamp01(state[HUMIDITY + i])
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
    lapse = p[_P_LAPSE]
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
            temperature = warmth[c] - lapse * here[c, 0]
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
    node_grid(node_x - 2, node_z - 2, NODE_SHIFT, nx + 4, nz + 4, 2, 0, 0, tables, work)
    for j in range(nz):
        source = work.nodes[_N_FOREST, j + 2]
        for i in range(nx):
            out[j, i] = clamp01(source[i + 2])


@jit
def uplift_point(x, z, tables, work):
    """How far integer world metres (x, z) are inside high land, float32: the uplift of ranges, or height of layers."""
    line = work.line
    if tables.landscape[0] == LAYERS:
        p = tables.parameters
        first_x, first_z = (x >> MID_SHIFT) - 1, (z >> MID_SHIFT) - 1
        layer_grid(first_x, first_z, MID_SHIFT, 4, 4, 0, 0, tables, work)
        work.positions[0, 0] = x << 10
        catmull_table(work.positions[0], 1, MID_SHIFT, first_x, work.index, work.weights)
        widen(work.mid, 0, 1, 0, 4, work.index, work.weights, 1, work.mid_wide)
        load_lines(work.mid_wide, work.mid, True, 0, 1, z, MID_SHIFT, first_z, 1, line)
        return clamp01((line[0] - p[_P_UPLIFT_LOW]) / (p[_P_UPLIFT_HIGH] - p[_P_UPLIFT_LOW]))
    first_x, first_z = (x >> COARSE_SHIFT) - 1, (z >> COARSE_SHIFT) - 1
    coarse_grid(first_x, first_z, COARSE_SHIFT, 4, 4, tables, work)
    work.positions[0, 0] = x << 10
    catmull_table(work.positions[0], 1, COARSE_SHIFT, first_x, work.index, work.weights)
    widen(work.coarse, 0, COARSE_FIELDS, 0, 4, work.index, work.weights, 1, work.coarse_wide)
    load_lines(work.coarse_wide, work.coarse, True, 0, COARSE_FIELDS, z, COARSE_SHIFT, first_z, 1, line)
    return clamp01(line[UPLIFT_FIELD * NODE_ROW])


def flat_tables(kind: int = RANGES) -> Tables:
    """Tables of the smallest land there can be, for compiling and for timing."""
    f, q = np.float32, np.int64
    octave = np.array([1 << 18, 3, 5, 7], q)
    return Tables(
        landscape=np.array([kind], q),
        parameters=np.linspace(0.1, 0.9, len(PARAMETERS)).astype(f),
        coarse=np.tile(octave, (len(COARSE_OCTAVES), 1)),
        mid=np.tile(octave, (len(MID_OCTAVES), 1)),
        glades=np.tile(octave, (GLADES, 1)),
        gully_octaves=np.tile(octave, (1, 1)),
        gullies=np.ones((1, 4), f),
        gully_weights=np.ones((3, 1), f),
        ground_octaves=np.tile(np.append(octave, octave[0]), (3, 1)),
        ground=np.array([[1.0, GROUND_SMOOTH, 1.0], [1.0, GROUND_HUMMOCK, 1.0], [1.0, GROUND_CRAG, 1.0]], f),
        ground_weights=np.ones((3, 3), f),
        macro_octaves=np.tile(octave, (1, 1)),
        macros=np.ones((1, 4), f),
        macro_weights=np.ones((3, 1), f),
        mask_octaves=np.tile(octave, (1, 1)),
        masks=np.array([[0.0, 1.0]], f),
        places=np.zeros(len(PLACES), q),
        ramps=np.ones((1, CURVE_FIELDS), f),
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
    uplift_point(0, 0, tables, work)
