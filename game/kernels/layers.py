"""A stack of layers that a recipe lists: the large ones, on nodes 256 m apart, masked and displaced.

Both heights are summed, the level's and the parent's: band limits of the layers depend on the level, those of masks and
climate do not. What is added along sample rows is in `rows`.
"""

from __future__ import annotations

import numpy as np

import game.kernels.landscape as land
from game.kernels import uncounted
from game.kernels.hashing import hash_cell
from game.kernels.interpolation import store_lines
from game.kernels.landscape import (
    LINE,
    MACRO_CONE,
    MACRO_RIDGED,
    MACRO_SMOOTH,
    NODE_ROW,
    O_DUNE,
    O_GULLY,
    O_HEIGHT,
    O_HIGH,
    O_HUMMOCK,
    O_MESA,
    O_PARENT,
    O_TARGET,
)
from game.kernels.noise import fraction, noise_row
from game.kernels.ranges import latitude
from game.kernels.shaping import clamp01, smoothstep

# Lines: warp octaves, masks, a temporary, climate octaves, then the nine fields of a node: heights of both levels,
# places of gullies, mesas, dunes and hummocks, temperature, humidity, height without band limits.
_L_WIDE_X, _L_WIDE_Z = np.uint64(0) * LINE, np.uint64(1) * LINE
_L_FINE_X, _L_FINE_Z = np.uint64(2) * LINE, np.uint64(3) * LINE
_L_MASK = 4
_L_TEMPORARY = np.uint64(10) * LINE
_L_WARMTH, _L_HUMID_WIDE, _L_HUMID_FINE = np.uint64(11) * LINE, np.uint64(12) * LINE, np.uint64(13) * LINE
_L_OUT = 14
_L_HEIGHT, _L_PARENT, _L_GULLY = np.uint64(14) * LINE, np.uint64(15) * LINE, np.uint64(16) * LINE
_L_MESA, _L_DUNE, _L_HUMMOCK = np.uint64(17) * LINE, np.uint64(18) * LINE, np.uint64(19) * LINE
_L_OUT_WARMTH, _L_OUT_HUMIDITY, _L_WHOLE = np.uint64(20) * LINE, np.uint64(21) * LINE, np.uint64(22) * LINE
LAYER_FIELDS = 9
HEIGHT_FIELD = 0
# The same as tier 2 reads them.
K_HEIGHT, _K_PARENT, _K_GULLY = np.uint64(0) * LINE, np.uint64(1) * LINE, np.uint64(2) * LINE
_K_MESA, _K_DUNE, _K_HUMMOCK = np.uint64(3) * LINE, np.uint64(4) * LINE, np.uint64(5) * LINE
K_WARMTH, K_HUMIDITY, _K_WHOLE = np.uint64(6) * LINE, np.uint64(7) * LINE, np.uint64(8) * LINE

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_TWO = np.float32(2.0)
_HALF = np.float32(0.5)
_1024 = np.float32(1024.0)
_CRATER = np.float32(0.09)
_JITTER = np.float32(0.4 / 255.0)


@uncounted(forceinline=True)
def place(code, line, i):
    """Strength 0…1 at column `i` of the mask that `code` names (see `Tables.places`), lines from `_L_MASK` on."""
    if code == 0:
        return _ONE
    at = np.uint64(_L_MASK + abs(code) - 1) * LINE
    if code > 0:
        return line[at + i]
    return _ONE - line[at + i]


@uncounted
def add_macro(kind, value, amplitude, sharpness):
    """Metres of one octave of a layer at nodes, from its noise. Soft where it would crease: nodes are far apart."""
    if kind == np.float32(MACRO_SMOOTH):
        return amplitude * value
    if kind == np.float32(MACRO_RIDGED):
        return amplitude * (_HALF - _TWO * (np.sqrt(value * value + sharpness * sharpness) - sharpness))
    return amplitude * (sharpness / (value * value + sharpness))


@uncounted
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


@uncounted
def layer_grid(first_x, first_z, shift, ni, nj, weights_row, parent_row, tables, work):
    """Tier 1½ of a stack of layers: fill the first `LAYER_FIELDS` of `work.mid[:, :nj, :ni]`.

    Both heights are summed: band limits of the layers depend on the level, those of masks and climate do not.
    """
    p = tables.parameters
    octaves = tables.coarse
    line = work.line
    qx, qz = work.positions[2], work.positions[3]
    cells, scratch = work.cells, work.scratch
    wide, fine = p[land.P_WARP_WIDE] * _1024, p[land.P_WARP_FINE] * _1024
    height = p[land.P_HEIGHT]
    warm_mean, warm_span, reach = p[land.P_TEMPERATURE], p[land.P_TEMPERATURE_VARIATION], p[land.P_LATITUDE]
    humid_mean, humid_wide, humid_fine = p[land.P_HUMIDITY], p[land.P_HUMIDITY_WIDE], p[land.P_HUMIDITY_FINE]
    hum_low, hum_high = p[land.P_HUMMOCK_LOW], p[land.P_HUMMOCK_HIGH]
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
                qx[i] += np.int64(wide * line[_L_WIDE_X + i] + fine * line[_L_FINE_X + i])
                qz[i] += np.int64(wide * line[_L_WIDE_Z + i] + fine * line[_L_FINE_Z + i])
        for k in range(tables.masks.shape[0]):
            at = np.uint64(_L_MASK + k) * LINE
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
        store_lines(line, _L_OUT, LAYER_FIELDS, ni, work.mid, 0, j)


@uncounted(forceinline=True)
def layer_nodes(ni, p, line):
    """What is known of one row of nodes of a stack of layers but their slopes."""
    high_low, high_high = p[land.P_HIGH_LOW], p[land.P_HIGH_HIGH]
    gully_plain = p[land.P_GULLY_PLAIN]
    for i in range(np.uint64(ni)):
        height = line[K_HEIGHT + i]
        line[O_HEIGHT + i] = height
        line[O_PARENT + i] = line[_K_PARENT + i]
        line[O_MESA + i] = clamp01(line[_K_MESA + i])
        line[O_DUNE + i] = clamp01(line[_K_DUNE + i])
        line[O_HIGH + i] = smoothstep(high_low, high_high, line[_K_WHOLE + i] * np.float32(0.001))
        line[O_GULLY + i] = gully_plain + (_ONE - gully_plain) * clamp01(line[_K_GULLY + i])
        line[O_TARGET + i] = _ZERO
        line[O_HUMMOCK + i] = clamp01(line[_K_HUMMOCK + i])


def warm() -> None:
    """Compile every public kernel with the types the game uses."""
    tables, work = land.flat_tables(land.LAYERS), land.new_workspace()
    layer_grid(0, 0, land.MID_SHIFT, 4, 4, 0, 0, tables, work)
