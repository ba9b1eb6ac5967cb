"""Mountain belts with valleys between them: tiers 0 to 1½, and the skeleton that tier 2 makes of them.

Each octave is evaluated on nodes as far apart as its wavelength allows, because hashing at displaced positions is the
costliest step there is:
  tier 0   nodes every 4096 m: waves from 19 km on, displaced by the wide warp alone: belts, passes, floors, climate;
  tier 1   nodes every 1024 m: the fine warp, then valleys and crests at fully displaced positions;
  tier 1½  nodes every 256 m: peaks.
"""

from __future__ import annotations

import numpy as np

import game.kernels.landscape as land
from game.kernels import uncounted
from game.kernels.interpolation import catmull_table, load_lines, store_lines, widen
from game.kernels.landscape import (
    FAR_FIELDS,
    FAR_SHIFT,
    LINE,
    MID_FIELDS,
    NEAR_FIELDS,
    NEAR_SHIFT,
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
from game.kernels.noise import noise_row
from game.kernels.shaping import clamp01, smoothstep, swell

_LATITUDE_SHIFT = 22
"""Latitude goes from one extreme to the other and back over 2^24 m."""

# Rows of `Tables.coarse` and `Tables.mid`, in the order of COARSE_OCTAVES and MID_OCTAVES.
_WIDE_X, _WIDE_Z, _FINE_X, _FINE_Z, _BELT, _BEND, _BREAK, _PASSES = 0, 1, 2, 3, 4, 5, 6, 7
_FLOOR_WIDE, _FLOOR_MID, _FLOOR_FINE, _WARMTH, _HUMID_WIDE, _HUMID_FINE, _AREA, _WIDTH = range(8, 16)
_VALLEY, _VALLEY_FINE, _PEAK, _RELIEF, _SIDE, _CREST = range(6)

# Tier 0: octaves on the lines of their rows, then nine fields: warp x and z, range before its thresholds, floor, width
# of valleys, lift of floors, temperature, humidity, hummocks.
_F_OUT = 16
_F_WARP_X, _F_WARP_Z = np.uint64(16) * LINE, np.uint64(17) * LINE
_F_RANGE, _F_FLOOR, _F_WIDTH = np.uint64(18) * LINE, np.uint64(19) * LINE, np.uint64(20) * LINE
_F_LIFT, _F_WARMTH = np.uint64(21) * LINE, np.uint64(22) * LINE
_F_HUMIDITY, _F_HUMMOCK = np.uint64(23) * LINE, np.uint64(24) * LINE
_F_UPWIND = 25
# Tier 1 reads them from lines 0 to 8 and makes twelve fields, of which tier 1½ keeps the last eleven with the peaks in
# place of the warp: peak, range, floor, width, valley, relief, side, crest, temperature, humidity, hummocks.
_N_OUT = 12
_N_WARP_X, _N_WARP_Z = np.uint64(12) * LINE, np.uint64(13) * LINE
_N_RANGE, _N_FLOOR, _N_WIDTH = np.uint64(14) * LINE, np.uint64(15) * LINE, np.uint64(16) * LINE
_N_VALLEY, _N_RELIEF, _N_SIDE, _N_CREST = 17, 18, 19, 20
_N_WARMTH, _N_HUMIDITY, _N_HUMMOCK = np.uint64(21) * LINE, np.uint64(22) * LINE, np.uint64(23) * LINE
_N_FINE_X, _N_FINE_Z, _N_PLAIN, _N_DETAIL = 24, 25, 26, 27
RANGE_FIELD = 2
"""Of a node of tier 1: how far it is inside a range, 0…1."""
# Tier 2 reads the eleven from lines 0 to 10. Heights need the first `HEIGHT_FIELDS` of them.
HEIGHT_FIELDS = 8
_R_PEAK, _R_RANGE, _R_FLOOR = np.uint64(0) * LINE, np.uint64(1) * LINE, np.uint64(2) * LINE
_R_WIDTH, _R_VALLEY, _R_RELIEF = np.uint64(3) * LINE, np.uint64(4) * LINE, np.uint64(5) * LINE
_R_SIDE, _R_CREST = np.uint64(6) * LINE, np.uint64(7) * LINE
R_WARMTH, R_HUMIDITY = np.uint64(8) * LINE, np.uint64(9) * LINE
_R_HUMMOCK = np.uint64(10) * LINE

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_HALF = np.float32(0.5)
_1024 = np.float32(1024.0)
# Shape of the skeleton: proportions inside `relief`, without units. They balance one another; the recipe scales
# their sum.
_FOOT_SOFT = np.float32(0.12)
_CREST_SOFT = np.float32(0.003)
_CREST_EDGE = np.float32(0.055)
# Swells of the plains: n below which ground stays flat, and the share of n² at which they are clear of a river.
_BANK_FOOT, _BANK_CLIMB, _BANK_WIDTH = np.float32(0.5), np.float32(0.9), np.float32(0.2)
_SWELL_BARE, _SWELL_CLEAR = np.float32(0.06), np.float32(0.06)
# Lumps of the relief where terraces begin to show and are sharp.
_TERRACE_SOFT, _TERRACE_SHARP = np.float32(-0.4), np.float32(0.3)
# Share of the terraces' profile where hummocks begin and are complete.
_HUMMOCK_NEAR, _HUMMOCK_FAR = np.float32(0.06), np.float32(0.5)


@uncounted
def latitude(z, reach_c):
    """Warmth that `z` (int64 metres, south) adds, °C, float32: 0 at 0, ±`reach_c` at ±2^22 m, then back again."""
    quarter = np.int64(1) << _LATITUDE_SHIFT
    turn = (z + quarter) & (4 * quarter - 1)
    if turn > 2 * quarter:
        turn = 4 * quarter - turn
    return reach_c * (np.float32(turn) * (_ONE / np.float32(quarter)) - _ONE)


@uncounted(forceinline=True)
def _range_at(line, at, i, level, falloff, bend, broken):
    """How far column `i` is inside a range, before thresholds, from belt, bend and break in the lines from `at` on."""
    belt = line[at + i]
    ridge = falloff * (np.sqrt(belt * belt + _FOOT_SOFT * _FOOT_SOFT) - _FOOT_SOFT)
    return ((level - ridge) + bend * line[at + LINE + i]) + broken * line[at + LINE + LINE + i]


@uncounted
def far_grid(first_x, first_z, shift, ni, nj, tables, work):
    """Tier 0: fill `work.far[:, :nj, :ni]` for nodes 2^shift m apart from node (first_x, first_z)."""
    p = tables.parameters
    octaves = tables.coarse
    line = work.line
    qx = work.positions[0]
    qz = work.positions[1]
    cells = work.cells
    scratch = work.scratch
    wide = p[land.P_WARP_WIDE]
    level, falloff = p[land.P_BELT_LEVEL], p[land.P_BELT_FALLOFF]
    bend, broken = p[land.P_BELT_BEND], p[land.P_BELT_BREAK]
    pass_low, pass_high = p[land.P_PASS_LOW], p[land.P_PASS_HIGH]
    floor, floor_wide, floor_mid = p[land.P_FLOOR], p[land.P_FLOOR_WIDE], p[land.P_FLOOR_MID]
    floor_up, floor_pass = p[land.P_FLOOR_UPLIFT], p[land.P_FLOOR_PASS]
    warm_mean, warm_span = p[land.P_TEMPERATURE], p[land.P_TEMPERATURE_VARIATION]
    humid_mean, humid_wide, humid_fine = p[land.P_HUMIDITY], p[land.P_HUMIDITY_WIDE], p[land.P_HUMIDITY_FINE]
    hum_low, hum_high, width_span = (
        p[land.P_HUMMOCK_LOW],
        p[land.P_HUMMOCK_HIGH],
        p[land.P_VALLEY_WIDTH_RANGE],
    )
    shadow, upwind_x, upwind_z = p[land.P_RAIN_SHADOW], p[land.P_UPWIND_X], p[land.P_UPWIND_Z]
    belt_low, belt_high = p[land.P_BELT_LOW], p[land.P_BELT_HIGH]
    n = np.uint64(ni)
    for j in range(nj):
        z = ((first_z + j) << shift) << 10
        warm_here = warm_mean + latitude(z >> 10, p[land.P_LATITUDE])
        for i in range(ni):
            qx[i] = ((first_x + i) << shift) << 10
            qz[i] = z
        for k in range(2):
            noise_row(qx, qz, ni, octaves[k], cells, scratch, line[k * NODE_ROW :])
        for i in range(n):
            line[_F_WARP_X + i] = wide * line[i]
            line[_F_WARP_Z + i] = wide * line[LINE + i]
        for i in range(n):
            qx[i] += np.int64(line[_F_WARP_X + i] * _1024)
            qz[i] += np.int64(line[_F_WARP_Z + i] * _1024)
        for k in range(_BELT, _WIDTH + 1):
            if k != _FLOOR_FINE:
                noise_row(qx, qz, ni, octaves[k], cells, scratch, line[k * NODE_ROW :])
        for i in range(n):
            line[_F_RANGE + i] = _range_at(line, np.uint64(_BELT) * LINE, i, level, falloff, bend, broken)
            saddle = smoothstep(pass_low, pass_high, line[np.uint64(_PASSES) * LINE + i])
            line[_F_FLOOR + i] = (floor + floor_wide * line[np.uint64(_FLOOR_WIDE) * LINE + i]) + (
                floor_mid * line[np.uint64(_FLOOR_MID) * LINE + i]
            )
            line[_F_LIFT + i] = floor_up + floor_pass * saddle
        for i in range(n):
            line[_F_WARMTH + i] = warm_here + warm_span * line[np.uint64(_WARMTH) * LINE + i]
            line[_F_HUMIDITY + i] = clamp01(
                (humid_mean + humid_wide * line[np.uint64(_HUMID_WIDE) * LINE + i])
                + humid_fine * line[np.uint64(_HUMID_FINE) * LINE + i]
            )
            line[_F_HUMMOCK + i] = smoothstep(hum_low, hum_high, line[np.uint64(_AREA) * LINE + i])
            line[_F_WIDTH + i] = _ONE + width_span * clamp01(_HALF + line[np.uint64(_WIDTH) * LINE + i])
        if shadow > _ZERO:
            for i in range(n):
                qx[i] += np.int64(upwind_x * _1024)
                qz[i] += np.int64(upwind_z * _1024)
            for k in range(3):
                at = line[(_F_UPWIND + k) * NODE_ROW :]
                noise_row(qx, qz, ni, octaves[_BELT + k], cells, scratch, at)
            for i in range(n):
                upwind = _range_at(line, np.uint64(_F_UPWIND) * LINE, i, level, falloff, bend, broken)
                lee = smoothstep(belt_low, belt_high, upwind)
                luv = smoothstep(belt_low, belt_high, line[_F_RANGE + i])
                line[_F_HUMIDITY + i] = clamp01(line[_F_HUMIDITY + i] - shadow * (lee - _HALF * luv))
        store_lines(line, _F_OUT, FAR_FIELDS, ni, work.far, 0, j)


@uncounted(forceinline=True)
def uplift(m, plain, foothill, core):
    """Uplift of land that is inside a range as far as `m` (0…1) says."""
    return plain + m * (foothill + core * m)


@uncounted
def near_grid(first_x, first_z, shift, ni, nj, tables, work):
    """Tier 1: fill `work.near[:, :nj, :ni]` for nodes 2^shift m apart from node (first_x, first_z)."""
    between = shift < FAR_SHIFT
    start_x, start_z, far_shift, columns, rows = first_x, first_z, shift, ni, nj
    px = work.positions[0]
    if between:
        far_shift = np.int64(FAR_SHIFT)
        start_x = ((first_x << shift) >> far_shift) - 1
        start_z = ((first_z << shift) >> far_shift) - 1
        columns = (((first_x + ni - 1) << shift) >> far_shift) + 2 - start_x + 1
        rows = (((first_z + nj - 1) << shift) >> far_shift) + 2 - start_z + 1
    far_grid(start_x, start_z, far_shift, columns, rows, tables, work)
    if between:
        for i in range(ni):
            px[i] = ((first_x + i) << shift) << 10
        plan = catmull_table(px, ni, FAR_SHIFT, start_x, work.index, work.weights)
        widen(
            work.far,
            0,
            FAR_FIELDS,
            0,
            rows,
            plan,
            work.index,
            work.weights,
            ni,
            work.spread,
            work.far_wide,
        )
    p = tables.parameters
    warps, octaves = tables.coarse, tables.mid
    line = work.line
    cells = work.cells
    scratch = work.scratch
    fine, fine_part = p[land.P_WARP_FINE], p[land.P_VALLEY_FINE]
    side_warp, crest_warp = p[land.P_SIDE_WARP] * _1024, p[land.P_CREST_WARP] * _1024
    belt_low, belt_high = p[land.P_BELT_LOW], p[land.P_BELT_HIGH]
    up_plain, up_foot = p[land.P_UPLIFT_PLAIN], p[land.P_UPLIFT_FOOTHILL]
    up_range, floor_fine = p[land.P_UPLIFT_RANGE], p[land.P_FLOOR_FINE]
    qx, qz = work.positions[2], work.positions[3]
    sx, sz = work.positions[4], work.positions[5]
    fine_x, fine_z = np.uint64(_N_FINE_X) * LINE, np.uint64(_N_FINE_Z) * LINE
    plain = np.uint64(_N_PLAIN) * LINE
    wide_valley, detail = np.uint64(_N_VALLEY) * LINE, np.uint64(_N_DETAIL) * LINE
    n = np.uint64(ni)
    for j in range(nj):
        z = (first_z + j) << shift
        first = start_z if between else j
        load_lines(work.far_wide, work.far, between, 0, FAR_FIELDS, z, FAR_SHIFT, first, ni, line)
        for i in range(ni):
            qx[i] = ((first_x + i) << shift) << 10
            qz[i] = z << 10
        noise_row(qx, qz, ni, warps[_FINE_X], cells, scratch, line[_N_FINE_X * NODE_ROW :])
        noise_row(qx, qz, ni, warps[_FINE_Z], cells, scratch, line[_N_FINE_Z * NODE_ROW :])
        for i in range(n):
            line[_N_WARP_X + i] = line[i] + fine * line[fine_x + i]
            line[_N_WARP_Z + i] = line[LINE + i] + fine * line[fine_z + i]
        for i in range(n):
            qx[i] += np.int64(line[_N_WARP_X + i] * _1024)
            qz[i] += np.int64(line[_N_WARP_Z + i] * _1024)
        noise_row(qx, qz, ni, warps[_FLOOR_FINE], cells, scratch, line[_N_PLAIN * NODE_ROW :])
        noise_row(qx, qz, ni, octaves[_VALLEY], cells, scratch, line[_N_VALLEY * NODE_ROW :])
        noise_row(qx, qz, ni, octaves[_VALLEY_FINE], cells, scratch, line[_N_DETAIL * NODE_ROW :])
        noise_row(qx, qz, ni, octaves[_RELIEF], cells, scratch, line[_N_RELIEF * NODE_ROW :])
        # Side valleys and crests are bent across the fine warp.
        for i in range(n):
            sx[i] = qx[i] - np.int64(side_warp * line[fine_z + i])
            sz[i] = qz[i] + np.int64(side_warp * line[fine_x + i])
        noise_row(sx, sz, ni, octaves[_SIDE], cells, scratch, line[_N_SIDE * NODE_ROW :])
        for i in range(n):
            sx[i] = qx[i] + np.int64(crest_warp * line[fine_z + i])
            sz[i] = qz[i] - np.int64(crest_warp * line[fine_x + i])
        noise_row(sx, sz, ni, octaves[_CREST], cells, scratch, line[_N_CREST * NODE_ROW :])
        for i in range(n):
            m = smoothstep(belt_low, belt_high, line[LINE + LINE + i])
            flat = _ONE - m
            valley = line[wide_valley + i] + fine_part * line[detail + i]
            apart = valley * valley
            rolling = swell(line[plain + i], _SWELL_BARE) * (apart / (apart + _SWELL_CLEAR))
            line[_N_RANGE + i] = m
            line[_N_FLOOR + i] = (
                line[np.uint64(3) * LINE + i] + floor_fine * rolling * flat * flat
            ) + uplift(m, up_plain, up_foot, up_range) * line[np.uint64(5) * LINE + i]
            line[wide_valley + i] = valley
        for i in range(n):
            line[_N_WIDTH + i] = line[np.uint64(4) * LINE + i]
            line[_N_WARMTH + i] = line[np.uint64(6) * LINE + i]
            line[_N_HUMIDITY + i] = line[np.uint64(7) * LINE + i]
            line[_N_HUMMOCK + i] = line[np.uint64(8) * LINE + i]
        store_lines(line, _N_OUT, NEAR_FIELDS, ni, work.near, 0, j)


@uncounted
def mid_grid(first_x, first_z, shift, ni, nj, tables, work):
    """Tier 1½: fill `work.mid[:, :nj, :ni]` for nodes 2^shift m apart from node (first_x, first_z)."""
    between = shift < NEAR_SHIFT
    start_x, start_z, near_shift, columns, rows = first_x, first_z, shift, ni, nj
    px = work.positions[0]
    if between:
        near_shift = np.int64(NEAR_SHIFT)
        start_x = ((first_x << shift) >> near_shift) - 1
        start_z = ((first_z << shift) >> near_shift) - 1
        columns = (((first_x + ni - 1) << shift) >> near_shift) + 2 - start_x + 1
        rows = (((first_z + nj - 1) << shift) >> near_shift) + 2 - start_z + 1
    near_grid(start_x, start_z, near_shift, columns, rows, tables, work)
    if between:
        for i in range(ni):
            px[i] = ((first_x + i) << shift) << 10
        plan = catmull_table(px, ni, NEAR_SHIFT, start_x, work.index, work.weights)
        widen(
            work.near,
            0,
            NEAR_FIELDS,
            0,
            rows,
            plan,
            work.index,
            work.weights,
            ni,
            work.spread,
            work.near_wide,
        )
    line = work.line
    qx, qz = work.positions[2], work.positions[3]
    n = np.uint64(ni)
    for j in range(nj):
        z = (first_z + j) << shift
        first = start_z if between else j
        load_lines(work.near_wide, work.near, between, 0, NEAR_FIELDS, z, NEAR_SHIFT, first, ni, line)
        for i in range(n):
            qx[i] = (((first_x + np.int64(i)) << shift) << 10) + np.int64(line[i] * _1024)
            qz[i] = (z << 10) + np.int64(line[LINE + i] * _1024)
        noise_row(qx, qz, ni, tables.mid[_PEAK], work.cells, work.scratch, line[NODE_ROW:])
        store_lines(line, 1, MID_FIELDS, ni, work.mid, 0, j)


@uncounted(forceinline=True)
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
    # Where main valleys have reached their shoulders the base still climbs, so that side valleys fall toward them.
    banks = _BANK_FOOT + _BANK_CLIMB * (valley / (valley + _BANK_WIDTH))
    rise = ra * (
        ((base * banks + variation * lump) + np.float32(0.40) * rb) + (high * rr + np.float32(0.10) * ra * pk)
    )
    return rise, ra, rb, rr


@uncounted(forceinline=True)
def terraces(valley, m, width):
    """Rise away from the rivers of the plains, the profile it follows (0 at the river … 1) and how plain land is, 0…1.

    The terraces of `rows` climb along the profile, and with them the land on the whole.
    """
    apart = valley * valley
    profile = apart / (apart + width)
    plain = (_ONE - m) * (_ONE - m)
    return profile * plain, profile, plain


@uncounted(forceinline=True)
def range_heights(ni, p, line):
    """Heights alone of one row of nodes among ranges, as `range_nodes` makes them, into the line of heights."""
    relief = p[land.P_RELIEF]
    valley_gain, valley_width = p[land.P_VALLEY_GAIN], p[land.P_VALLEY_WIDTH]
    side_gain, side_width, sharpness = p[land.P_SIDE_GAIN], p[land.P_SIDE_WIDTH], p[land.P_CREST_SHARPNESS]
    base, variation = p[land.P_RELIEF_BASE], p[land.P_RELIEF_VARIATION]
    up_plain, up_foot = p[land.P_UPLIFT_PLAIN], p[land.P_UPLIFT_FOOTHILL]
    up_range = p[land.P_UPLIFT_RANGE]
    terrace_rise, terrace_width = p[land.P_TERRACE_RISE], p[land.P_TERRACE_WIDTH]
    for i in range(np.uint64(ni)):
        m = clamp01(line[_R_RANGE + i])
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
        banks, _, _ = terraces(line[_R_VALLEY + i], m, terrace_width)
        line[O_HEIGHT + i] = (
            line[_R_FLOOR + i] + relief * (uplift(m, up_plain, up_foot, up_range) * rise)
        ) + terrace_rise * banks


@uncounted(forceinline=True)
def range_nodes(ni, p, line):
    """What is known of one row of nodes among ranges but their slopes."""
    relief = p[land.P_RELIEF]
    valley_gain, valley_width = p[land.P_VALLEY_GAIN], p[land.P_VALLEY_WIDTH]
    side_gain, side_width, sharpness = p[land.P_SIDE_GAIN], p[land.P_SIDE_WIDTH], p[land.P_CREST_SHARPNESS]
    base, variation = p[land.P_RELIEF_BASE], p[land.P_RELIEF_VARIATION]
    up_plain, up_foot = p[land.P_UPLIFT_PLAIN], p[land.P_UPLIFT_FOOTHILL]
    up_range = p[land.P_UPLIFT_RANGE]
    gully_plain, gully_floor = p[land.P_GULLY_PLAIN], p[land.P_GULLY_FLOOR]
    high_low, high_high = p[land.P_HIGH_LOW], p[land.P_HIGH_HIGH]
    terrace_rise, terrace_width = p[land.P_TERRACE_RISE], p[land.P_TERRACE_WIDTH]
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
        rise_here = uplift(m, up_plain, up_foot, up_range) * rise
        banks, profile, plain = terraces(line[_R_VALLEY + i], m, terrace_width)
        height = (line[_R_FLOOR + i] + relief * rise_here) + terrace_rise * banks
        line[O_HEIGHT + i] = height
        line[O_PARENT + i] = height
        line[O_MESA + i] = profile
        # Sharp here, a gentle slope there: the land climbs all the same.
        line[O_DUNE + i] = plain * smoothstep(_TERRACE_SOFT, _TERRACE_SHARP, line[_R_RELIEF + i])
        hi = smoothstep(high_low, high_high, rise_here)
        line[O_HIGH + i] = hi
        flank = ra * (np.float32(0.2) + np.float32(0.8) * rb)
        line[O_GULLY + i] = (
            min(_ONE, gully_plain + np.float32(2.4) * m)
            * min(_ONE, gully_floor + np.float32(2.2) * flank)
            * (np.float32(0.6) + np.float32(0.6) * hi)
        )
        line[O_TARGET + i] = ra * (np.float32(0.28) * rb + np.float32(0.22) * rr) - np.float32(0.3) * (
            _ONE - ra
        )
        line[O_HUMMOCK + i] = (
            clamp01(line[_R_HUMMOCK + i]) * plain * smoothstep(_HUMMOCK_NEAR, _HUMMOCK_FAR, profile)
        )


def warm() -> None:
    """Compile every public kernel with the types the game uses."""
    tables, work = land.flat_tables(), land.new_workspace()
    latitude(5, np.float32(1.0))
    near_grid(0, 0, land.NEAR_SHIFT, 4, 4, tables, work)
