"""Land carved by running water and sliding scree, on a square grid of samples one metre apart.

Two models take turns, one iteration each:

- *Virtual pipes.* Water stands on every cell, and a pipe to each of the four neighbours carries it on, driven by the
  difference of the two surfaces and held back by friction. Moving water holds sediment up to a capacity; what is short
  of it is torn off the bed, what is over it settles. Sediment travels with the water that carries it.
- *Talus.* Where the land is steeper than the slope threshold, part of what stands over that slope slides to the eight
  neighbours, `stride` cells away; taking turns with 1, 2, 4 and 8 cells a slide reaches as far as slides do.

Ground and sediment are whole quanta (int32), so that what leaves a cell arrives in the next to the last grain: ground,
load and what was washed out add up to nothing, exactly. Water is float32. Every cell reads what its neighbours
were in the iteration before, so the bits do not depend on how the rows are shared among threads.

Sources: X. Mei, P. Decaudin, B.-G. Hu, "Fast Hydraulic Erosion Simulation and Visualization on GPU", Pacific Graphics
2007 (pipes, capacity, the limit on what leaves a cell); J. O'Brien, J. Hodgins, "Dynamic Simulation of Splashing
Fluids", Computer Animation 1995 (one signed flow a pipe); O. Šťava et al., "Interactive Terrain Modeling Using
Hydraulic Erosion", SCA 2008 (pipes and slippage in turn); P. Bates, M. Horritt, T. Fewtrell, "A simple inertial
formulation of the shallow water equations", Journal of Hydrology 387 (2010), eq. 11 (depth of the flow, implicit
friction); F. Musgrave, C. Kolb, R. Mace, "The Synthesis and Rendering of Eroded Fractal Terrains", SIGGRAPH 1989
(talus).
Departures: sediment moves by upwind volumes and not by tracing back, because tracing back loses mass; capacity
follows discharge to the power of 3/2 times slope, so that a film of water does not carve like a brook.
"""

from __future__ import annotations

import numpy as np

from game.kernels import jit

WIDTH = 1056
"""Longest row, in samples. A constant: offsets between fields are then known to the compiler, which can vectorise."""

WATER = 0
EAST = 1
SOUTH = 2
KEEP = 3
GROUND = 4
RICHNESS = 5
SLID = 6
BASE = 7
YIELD = 8
REST = 9
FLOW = 10
GIVE = 11
STANDS = 12
FIELDS = 13
"""Fields of a row, float32: depth of water (m); discharge through the western and the northern face of a cell (m²/s,
positive to the east and to the south); share of its discharge that a cell has water for; height (m); load per
discharge and height before the slide (scratch); height before anything (m); 0…1 how readily a cell gives way and how
much rain it gets; what the slope threshold is multiplied with; discharge of the cell, how readily it slides, and what
the threshold is multiplied with for now (scratch)."""

CHANGE = 0
LOAD = 1
COUNTS = 2
"""Fields of a row, int32 quanta: how much higher the ground stands than `BASE`; sediment in the water."""

GRAVITY = 0
DRAG = 1
STEP = 2
RAIN = 3
DRY = 4
CAPACITY = 5
TEAR = 6
SETTLE = 7
SEA = 8
TALUS = 9
SLIDE = 10
QUANTUM = 11
CRUMBLE = 12
PARAMETERS = 13
"""Parameters, float32: gravity · time step (m/s); friction · time step (s); time step (s); rain of a step (m); share
of the water left by a step's evaporation; capacity (m per m²/s); shares of what is missing from, or over, capacity
that a step moves; height of the sea (m); slope threshold; share of what stands over it that slides in a step; metres
of a quantum; one over the height (m) of a cell over its neighbours at which it slides on any slope."""

STRIDES = (1, 2, 1, 1, 4, 1, 2, 1)
"""How far the slide of an iteration reaches, in turn; cells."""

REACH = 2
"""Rows beyond the stride that an iteration reads."""

_ROW = np.uint64(FIELDS * WIDTH)
_COUNT_ROW = np.uint64(COUNTS * WIDTH)
_LINE = np.uint64(WIDTH)
_ONE_CELL = np.uint64(1)
_WATER = np.uint64(WATER * WIDTH)
_EAST = np.uint64(EAST * WIDTH)
_SOUTH = np.uint64(SOUTH * WIDTH)
_KEEP = np.uint64(KEEP * WIDTH)
_GROUND = np.uint64(GROUND * WIDTH)
_RICHNESS = np.uint64(RICHNESS * WIDTH)
_SLID = np.uint64(SLID * WIDTH)
_BASE = np.uint64(BASE * WIDTH)
_YIELD = np.uint64(YIELD * WIDTH)
_REST = np.uint64(REST * WIDTH)
_FLOW = np.uint64(FLOW * WIDTH)
_GIVE = np.uint64(GIVE * WIDTH)
_STANDS = np.uint64(STANDS * WIDTH)
_LOAD = np.uint64(LOAD * WIDTH)

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_HALF = np.float32(0.5)
_QUARTER = np.float32(0.25)
DEEPEST_M = np.float32(0.8)
"""Depth of the flow in a pipe is cut here (m), so that waves on a lake of any depth stay within what a step can do."""
STEEPEST_M = np.float32(2.0)
"""Fall of the surface along a pipe is cut here (m), as at a cliff water falls and does not flow."""
_TINY = np.float32(1e-9)
_FILM = np.float32(1e-6)
TILT = np.float32(0.0025)
"""Square of the slope that water on a flat still carries by: 0.05."""
BITE = np.float32(0.2)
"""Share of the drop to the lowest neighbour that a step may tear off, and of the rise to the highest that may settle:
neither pits nor spikes can grow."""
SILT_M = np.float32(2e-4)
"""Metres that may settle in a step where no neighbour is higher: the bed of a lake."""
SINK = np.float32(0.01)
"""Share of the depth of water that may settle in a step on top of that."""
OUTSIDE = np.float32(0.03)
"""Land that gives way less than this only passes water on: sediment that reaches it is washed out."""
THICKEST = np.float32(4.0)
"""Most sediment that water holds, metres per metre of depth."""
DIAGONAL = np.float32(1.41421356)
UNDERCUT = np.float32(60.0)
"""How much more readily banks slide for each m²/s that runs along them."""
BROOK = np.float32(0.15)
"""Discharge (m²/s) from which on it does."""
FASTEST = np.float32(0.06)
"""Largest share that slides to one neighbour in a step; six times that must stay below a half."""
CORNER = np.float32(0.5)
"""Weight of a diagonal neighbour: with it a slope slides alike in all directions."""


@jit(forceinline=True)
def _discharge(q, flow, ground0, water0, keep0, ground1, water1, keep1, gravity, drag):
    """Discharge from cell 0 to cell 1 after a step."""
    carried = q * (keep0 if q > _ZERO else keep1)
    surface0 = ground0 + water0
    surface1 = ground1 + water1
    depth = min(max(surface0, surface1) - max(ground0, ground1), DEEPEST_M)
    fall = min(max(surface0 - surface1, -STEEPEST_M), STEEPEST_M)
    square = depth * depth
    # Friction holds back the whole flow, not each axis by itself: that would bend every stream to the diagonal.
    size = max(abs(carried), flow)
    return (carried + gravity * depth * fall) * (square / (square + drag * size + _TINY))


@jit
def _faces(land, at, n, parameters):
    """Discharge through the western and northern faces of one row."""
    gravity, drag = parameters[GRAVITY], parameters[DRAG]
    north = at - _ROW
    for i in range(n):
        west, here, above = at + i, at + i + _ONE_CELL, north + i + _ONE_CELL
        ground, water, keep = land[here + _GROUND], land[here + _WATER], land[here + _KEEP]
        flow = land[here + _FLOW]
        east = _discharge(
            land[here + _EAST],
            _HALF * (flow + land[west + _FLOW]),
            land[west + _GROUND],
            land[west + _WATER],
            land[west + _KEEP],
            ground,
            water,
            keep,
            gravity,
            drag,
        )
        south = _discharge(
            land[here + _SOUTH],
            _HALF * (flow + land[above + _FLOW]),
            land[above + _GROUND],
            land[above + _WATER],
            land[above + _KEEP],
            ground,
            water,
            keep,
            gravity,
            drag,
        )
        land[here + _EAST] = east
        land[here + _SOUTH] = south


@jit
def _limits(land, counts, at, count_at, n, parameters):
    """How much of its discharge each cell of one row has water for, and how rich in sediment it is."""
    step = parameters[STEP]
    load_at = count_at + _LOAD
    for i in range(n):
        here = at + i + _ONE_CELL
        water = land[here + _WATER]
        out = max(land[here + _EAST + _ONE_CELL], _ZERO) - min(land[here + _EAST], _ZERO)
        out = out + (max(land[here + _SOUTH + _ROW], _ZERO) - min(land[here + _SOUTH], _ZERO))
        keep = min(_ONE, water / (step * out + _TINY))
        land[here + _KEEP] = keep
        share = keep * step / max(water, _FILM)
        land[here + _RICHNESS] = np.float32(counts[load_at + i + _ONE_CELL]) * share
        u = _HALF * (land[here + _EAST] + land[here + _EAST + _ONE_CELL])
        v = _HALF * (land[here + _SOUTH] + land[here + _SOUTH + _ROW])
        land[here + _FLOW] = keep * np.sqrt(u * u + v * v)


@jit
def _carry(land, counts, at, count_at, n, parameters):
    """Move the water and sediment of one row, then tear off or let settle; writes `SLID`."""
    step, rain, dry = parameters[STEP], parameters[RAIN], parameters[DRY]
    capacity, tear, settle = parameters[CAPACITY], parameters[TEAR], parameters[SETTLE]
    sea, quantum = parameters[SEA], parameters[QUANTUM]
    grains = _ONE / quantum
    crumble = parameters[CRUMBLE]
    most = FASTEST / parameters[SLIDE]
    for i in range(n):
        here = at + i + _ONE_CELL
        west, east, north, south = here - _ONE_CELL, here + _ONE_CELL, here - _ROW, here + _ROW
        own = count_at + i + _ONE_CELL
        q_west, q_east = land[here + _EAST], land[east + _EAST]
        q_north, q_south = land[here + _SOUTH], land[south + _SOUTH]
        keep, rich = land[here + _KEEP], land[here + _RICHNESS]
        in_west = q_west * (land[west + _KEEP] if q_west > _ZERO else keep)
        out_east = q_east * (keep if q_east > _ZERO else land[east + _KEEP])
        in_north = q_north * (land[north + _KEEP] if q_north > _ZERO else keep)
        out_south = q_south * (keep if q_south > _ZERO else land[south + _KEEP])
        # Whole quanta, the same number for the cell that gives and the one that takes.
        got = np.int32(q_west * (land[west + _RICHNESS] if q_west > _ZERO else rich))
        got -= np.int32(q_east * (rich if q_east > _ZERO else land[east + _RICHNESS]))
        got += np.int32(q_north * (land[north + _RICHNESS] if q_north > _ZERO else rich))
        got -= np.int32(q_south * (rich if q_south > _ZERO else land[south + _RICHNESS]))
        load = np.int32(counts[own + _LOAD] + got)
        water0 = land[here + _WATER]
        water = water0 + step * ((in_west - out_east) + (in_north - out_south))
        ground = land[here + _GROUND]
        g_west, g_east = land[west + _GROUND], land[east + _GROUND]
        g_north, g_south = land[north + _GROUND], land[south + _GROUND]
        # Of the cell and its neighbours: a brook gnaws at its banks.
        sides = (land[west + _FLOW] + land[east + _FLOW]) + (land[north + _FLOW] + land[south + _FLOW])
        corners = (land[north - _ONE_CELL + _FLOW] + land[north + _ONE_CELL + _FLOW]) + (
            land[south - _ONE_CELL + _FLOW] + land[south + _ONE_CELL + _FLOW]
        )
        flow = _QUARTER * (land[here + _FLOW] + _HALF * (sides + _HALF * corners))
        gx, gz = _HALF * (g_east - g_west), _HALF * (g_south - g_north)
        slope = gx * gx + gz * gz
        holds = capacity * flow * np.sqrt(flow * (slope + TILT) / (_ONE + slope))
        holds = min(holds, THICKEST * water0)
        holds = holds if ground > sea else _ZERO
        over = np.float32(load) * quantum - holds
        lowest = min(min(g_west, g_east), min(g_north, g_south))
        highest = max(max(g_west, g_east), max(g_north, g_south))
        torn = min(-over * tear, BITE * max(ground - lowest, _ZERO))
        # What is thicker than the water it moves in is mud and stays.
        room = BITE * max(highest - ground, _ZERO) + (SILT_M + SINK * water0)
        settled = min(over * settle, room + settle * max(over - water0, _ZERO))
        gives = max(land[here + _YIELD] - OUTSIDE, _ZERO)
        moved = np.int32((settled if over > _ZERO else -torn) * gives * grains)
        # What sticks out weathers: edges crumble at slopes on which the rest stands.
        edge = ground - _QUARTER * ((g_west + g_east) + (g_north + g_south))
        land[here + _STANDS] = land[here + _REST] * min(max(_ONE - crumble * edge, _ZERO), _ONE)
        land[here + _GIVE] = land[here + _YIELD] * min(_ONE + UNDERCUT * max(flow - BROOK, _ZERO), most)
        change = np.int32(counts[own] + moved)
        counts[own] = change
        counts[own + _LOAD] = np.int32(load - moved)
        land[here + _WATER] = (max(water, _ZERO) + rain * land[here + _YIELD]) * dry
        land[here + _SLID] = land[here + _BASE] + np.float32(change) * quantum


@jit(forceinline=True)
def _slip(ground, other, give, other_give, rest, other_rest, factor, share):
    """Metres that a neighbour gives, or takes where negative."""
    drop = other - ground
    slides = max(abs(drop) - factor * min(rest, other_rest), _ZERO) * share * min(give, other_give)
    return np.int32(slides if drop > _ZERO else -slides)


@jit
def _slide(land, counts, at, count_at, first, n, stride, parameters):
    """Let one row slide: `SLID` of its surroundings to its own `CHANGE` and `GROUND`."""
    quantum = parameters[QUANTUM]
    share = parameters[SLIDE] / quantum
    corner = share * CORNER
    rest = parameters[TALUS] * np.float32(stride)
    far = rest * DIAGONAL
    side, line = np.uint64(stride), np.uint64(stride) * _ROW
    start = at + np.uint64(first)
    own = count_at + np.uint64(first)
    for i in range(n):
        here = start + i
        g, y, t = land[here + _SLID], land[here + _GIVE], land[here + _STANDS]
        a, b = here - side, here + side
        c, d = here - line, here + line
        got = _slip(g, land[a + _SLID], y, land[a + _GIVE], t, land[a + _STANDS], rest, share)
        got += _slip(g, land[b + _SLID], y, land[b + _GIVE], t, land[b + _STANDS], rest, share)
        got += _slip(g, land[c + _SLID], y, land[c + _GIVE], t, land[c + _STANDS], rest, share)
        got += _slip(g, land[d + _SLID], y, land[d + _GIVE], t, land[d + _STANDS], rest, share)
        got += _slip(
            g, land[c - side + _SLID], y, land[c - side + _GIVE], t, land[c - side + _STANDS], far, corner
        )
        got += _slip(
            g, land[c + side + _SLID], y, land[c + side + _GIVE], t, land[c + side + _STANDS], far, corner
        )
        got += _slip(
            g, land[d - side + _SLID], y, land[d - side + _GIVE], t, land[d - side + _STANDS], far, corner
        )
        got += _slip(
            g, land[d + side + _SLID], y, land[d + side + _GIVE], t, land[d + side + _STANDS], far, corner
        )
        change = np.int32(counts[own + i] + got)
        counts[own + i] = change
        land[here + _GROUND] = land[here + _BASE] + np.float32(change) * quantum


@jit
def _wash_out(land, counts, at, count_at, n):
    """Quanta of sediment that reached land of one row which hardly gives way: the region's outside. They are gone."""
    gone = np.int64(0)
    for i in range(n):
        own = count_at + i + _ONE_CELL + _LOAD
        load = counts[own] if land[at + i + _ONE_CELL + _YIELD] < OUTSIDE else np.int32(0)
        counts[own] = np.int32(counts[own] - load)
        gone += np.int64(load)
    return gone


@jit
def advance(land, counts, exported, rows, columns, first, iterations, parameters):
    """Iterate on a band of rows, in place.

    `land` float32 [rows · FIELDS · WIDTH] and `counts` int32 [rows · COUNTS · WIDTH], flat; the quanta washed out of
    each row are added to `exported` int64 [rows]. The outermost row and column on each side is a ring that takes
    whatever comes and never changes. Where the first or last row is not the region's ring but the edge of a band, the
    result is right from `stride + REACH` rows an iteration inward on. `YIELD` must be 0 within the longest stride of
    the region's border. `first` is the number of the first iteration since the start, `parameters` float32
    [PARAMETERS].

    The passes follow each other row by row, as far apart as they read, so that a row is worked on while it is near.
    """
    inner = np.uint64(columns - 2)
    faces = np.uint64(columns - 1)
    for number in range(first, first + iterations):
        stride = STRIDES[number % len(STRIDES)]
        for j in range(1, rows + 1 + stride):
            if j < rows:
                _faces(land, np.uint64(j) * _ROW, faces, parameters)
            r = j - 1
            if 1 <= r < rows - 1:
                _limits(land, counts, np.uint64(r) * _ROW, np.uint64(r) * _COUNT_ROW, inner, parameters)
            r = j - 2
            if 1 <= r < rows - 1:
                at = np.uint64(r) * _ROW
                _carry(land, counts, at, np.uint64(r) * _COUNT_ROW, inner, parameters)
                exported[r] += _wash_out(land, counts, at, np.uint64(r) * _COUNT_ROW, inner)
            r = j - 2 - stride
            if stride <= r < rows - stride:
                _slide(
                    land,
                    counts,
                    np.uint64(r) * _ROW,
                    np.uint64(r) * _COUNT_ROW,
                    stride,
                    np.uint64(columns - 2 * stride),
                    stride,
                    parameters,
                )


def warm() -> None:
    """Compile every public kernel with the types the game uses."""
    land, counts = np.zeros(24 * FIELDS * WIDTH, np.float32), np.zeros(24 * COUNTS * WIDTH, np.int32)
    parameters = np.ones(PARAMETERS, np.float32)
    advance(land, counts, np.zeros(24, np.int64), 24, 24, 0, 2, parameters)
