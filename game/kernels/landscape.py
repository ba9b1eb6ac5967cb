"""A recipe and a seed as the kernels read them: tables of numbers, and the scratch of one thread. No kernels.

Another recipe is other numbers in the same tables, so it needs no compilation. Who reads what is told by the modules
of the tiers: `ranges` and `layers` (nodes 4096 m to 256 m apart), `nodes` (64 m), `rows` (samples).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from game.kernels.fractal import ROW, ROW_FIELDS, SLOT
from game.kernels.noise import CELL_ROWS, ROOM, SCRATCH_ROWS
from game.kernels.shaping import CURVE_FIELDS

MAX_OCTAVES = 32
"""Most gully or ground octaves a recipe may have, each."""

NODE_SHIFT, MID_SHIFT, NEAR_SHIFT, FAR_SHIFT = 6, 8, 10, 12
"""Nodes of tiers 2, 1½, 1 and 0 stand 2^this m apart."""

GULLY_LEVELS = 9
"""Levels below this carry gullies."""

NODE_ROW = ROOM
"""Floats of a row of nodes."""
TIER_ROWS = 152
"""Most rows of nodes of tiers 0 to 1½."""
NODE_FIELDS = 15
RANGES, LAYERS = 0, 1
"""Kinds of landscape, `Tables.landscape[0]`: mountain belts with valleys, or a stack of layers."""

# Kinds of octaves along sample rows, the second column of `Tables.ground`. Layers are added before the curve of
# terraces; temperature and humidity are climates finer than the nodes. Terraces follow the valleys of ranges.
GROUND_SMOOTH, GROUND_HUMMOCK, GROUND_CRAG = 0.0, 1.0, 2.0
GROUND_LAYER, GROUND_RIDGED, GROUND_SLICE, GROUND_DUNE = 3.0, 4.0, 5.0, 6.0
GROUND_WARMTH, GROUND_HUMIDITY, GROUND_TERRACE = 7.0, 8.0, 9.0

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
    "hummock_lone", "hummock_bare_m", "terrace_rise_m", "terrace_steps", "terrace_width", "terrace_ragged",
    "rain_shadow", "upwind_x_m", "upwind_z_m",
)  # fmt: skip
"""Order of the entries of `Tables.parameters`."""
(
    P_WARP_WIDE, P_WARP_FINE,
    P_BELT_LEVEL, P_BELT_FALLOFF, P_BELT_BEND, P_BELT_BREAK, P_BELT_LOW, P_BELT_HIGH,
    P_PASS_LOW, P_PASS_HIGH, P_UPLIFT_PLAIN, P_UPLIFT_FOOTHILL, P_UPLIFT_RANGE,
    P_FLOOR, P_FLOOR_WIDE, P_FLOOR_MID, P_FLOOR_FINE, P_FLOOR_UPLIFT, P_FLOOR_PASS,
    P_RELIEF, P_VALLEY_FINE, P_SIDE_WARP, P_CREST_WARP,
    P_VALLEY_GAIN, P_VALLEY_WIDTH, P_VALLEY_WIDTH_RANGE, P_SIDE_GAIN, P_SIDE_WIDTH, P_CREST_SHARPNESS,
    P_RELIEF_BASE, P_RELIEF_VARIATION,
    P_TEMPERATURE, P_TEMPERATURE_VARIATION, P_HUMIDITY, P_HUMIDITY_WIDE, P_HUMIDITY_FINE,
    P_HUMMOCK_LOW, P_HUMMOCK_HIGH, P_TREELINE, P_TREELINE_BAND, P_TREE_SLOPE_LOW, P_TREE_SLOPE_HIGH,
    P_GLADE, P_GLADE_GAIN, P_GLADE_BIAS, P_GLADE_SLOPE, P_GLADE_DRY,
    P_FOREST_HUMIDITY_LOW, P_FOREST_HUMIDITY_HIGH,
    P_GULLY_PLAIN, P_GULLY_FLOOR, P_GROUND_HIGH, P_HIGH_LOW, P_HIGH_HIGH,
    P_ROCK_SLOPE_LOW, P_ROCK_SLOPE_HIGH, P_ROCK_COLD,
    P_LAPSE, P_LATITUDE, P_SHORE_WIDTH, P_SHORE_FLAT, P_HEIGHT, P_UPLIFT_LOW, P_UPLIFT_HIGH,
    P_WIND_X, P_WIND_Z, P_CRAG_EVERYWHERE,
    P_HUMMOCK_LONE, P_HUMMOCK_BARE, P_TERRACE_RISE, P_TERRACE_STEPS, P_TERRACE_WIDTH, P_TERRACE_RAGGED,
    P_RAIN_SHADOW, P_UPWIND_X, P_UPWIND_Z,
) = range(76)  # fmt: skip

# Fields of a node, in the order of the row buffer in `fractal`.
N_HEIGHT, N_SLOPE_X, N_SLOPE_Z, N_CURVATURE, N_GULLY, N_TARGET = 0, 1, 2, 3, 4, 5
N_HIGH, N_CRAG, N_HUMMOCK, N_WARMTH, N_HUMIDITY, N_FOREST = 6, 7, 8, 9, 10, 11
N_PARENT, N_MESA, N_DUNE = 12, 13, 14

FAR_FIELDS, NEAR_FIELDS, MID_FIELDS = 9, 12, 11
"""Fields of nodes among ranges, by tier; a stack of layers needs fewer."""

# Rows of nodes are worked on in one float32 buffer, `Workspace.line`, for the reason given in `fractal`: one base
# pointer, constant distances. Each tier has a plan of its own for the lines.
LINE = np.uint64(NODE_ROW)
LINES = 31
# Tier 2 puts clearings and the fields of a node here, whatever the landscape.
GLADE_LINE, NODE_LINE = 12, 16
O_HEIGHT, O_SLOPE_X, O_SLOPE_Z = np.uint64(16) * LINE, np.uint64(17) * LINE, np.uint64(18) * LINE
O_CURVATURE, O_GULLY, O_TARGET = np.uint64(19) * LINE, np.uint64(20) * LINE, np.uint64(21) * LINE
O_HIGH, O_CRAG, O_HUMMOCK = np.uint64(22) * LINE, np.uint64(23) * LINE, np.uint64(24) * LINE
O_WARMTH, O_HUMIDITY, O_FOREST = np.uint64(25) * LINE, np.uint64(26) * LINE, np.uint64(27) * LINE
O_PARENT, O_MESA, O_DUNE = np.uint64(28) * LINE, np.uint64(29) * LINE, np.uint64(30) * LINE


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

    far: np.ndarray
    far_wide: np.ndarray
    near: np.ndarray
    near_wide: np.ndarray
    mid: np.ndarray
    mid_wide: np.ndarray
    nodes: np.ndarray
    nodes_wide: np.ndarray
    line: np.ndarray
    scratch: np.ndarray
    spread: np.ndarray
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


class RowTables(NamedTuple):
    """The fields of `Tables` that `rows` reads. A point asks for little, and every array handed over costs time."""

    parameters: np.ndarray
    gully_octaves: np.ndarray
    gullies: np.ndarray
    gully_weights: np.ndarray
    ground_octaves: np.ndarray
    ground: np.ndarray
    ground_weights: np.ndarray
    ramps: np.ndarray


class RowScratch(NamedTuple):
    """The fields of `Workspace` that `rows` uses."""

    nodes_wide: np.ndarray
    spread: np.ndarray
    index: np.ndarray
    weights: np.ndarray
    state: np.ndarray
    columns: np.ndarray
    column_cells: np.ndarray
    slots: np.ndarray
    slot_rows: np.ndarray
    climate: np.ndarray


def row_tables(tables: Tables) -> RowTables:
    """The part of `tables` that `rows` reads."""
    return RowTables(*(getattr(tables, name) for name in RowTables._fields))


def row_scratch(work: Workspace) -> RowScratch:
    """The part of `work` that `rows` uses."""
    return RowScratch(*(getattr(work, name) for name in RowScratch._fields))


def new_workspace() -> Workspace:
    """Allocate the scratch of one thread."""
    f, q = np.float32, np.int64
    return Workspace(
        far=np.zeros((FAR_FIELDS, TIER_ROWS, NODE_ROW), f),
        far_wide=np.zeros((FAR_FIELDS, TIER_ROWS, NODE_ROW), f),
        near=np.zeros((NEAR_FIELDS, TIER_ROWS, NODE_ROW), f),
        near_wide=np.zeros((NEAR_FIELDS, TIER_ROWS, NODE_ROW), f),
        mid=np.zeros((MID_FIELDS, TIER_ROWS, NODE_ROW), f),
        mid_wide=np.zeros((MID_FIELDS, TIER_ROWS, NODE_ROW), f),
        # 291 rows, not 288: fields a whole number of 4 KiB apart would compete for the same cache lines.
        nodes=np.zeros((NODE_FIELDS, 291, NODE_ROW), f),
        nodes_wide=np.zeros((NODE_FIELDS, 291, ROW), f),
        line=np.zeros(LINES * NODE_ROW, f),
        scratch=np.zeros(SCRATCH_ROWS * ROOM, f),
        spread=np.zeros(NODE_ROW, f),
        glade_columns=np.zeros((GLADES, 2, NODE_ROW), f),
        glade_cells=np.zeros((GLADES, NODE_ROW), np.int32),
        glade_slots=np.zeros((GLADES, 2, 2, NODE_ROW), f),
        glade_rows=np.zeros((GLADES, 2), q),
        positions=np.zeros((6, NODE_ROW), q),
        cells=np.zeros(CELL_ROWS * ROOM, np.int32),
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
