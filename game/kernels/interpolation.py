"""Values between nodes: Catmull-Rom along x, then along z, and the copying of rows that goes with it.

At a node the weights are exactly 0, 1, 0, 0, which returns the node's own bits: so levels whose samples are nodes agree
exactly with finer ones. Samples evenly spaced, a whole number of them to a node, are made interval by interval from
contiguous rows; anything else gathers. Both do the same operations in the same order.
"""

from __future__ import annotations

import numpy as np

from game.kernels import uncounted
from game.kernels.landscape import LINE, NODE_ROW

_ONE = np.float32(1.0)
_TWO = np.float32(2.0)
_HALF = np.float32(0.5)
_THREE_HALVES = np.float32(1.5)
_FIVE_HALVES = np.float32(2.5)
_1 = np.uint64(1)
_2 = np.uint64(2)
_3 = np.uint64(3)
_4 = np.uint64(4)


@uncounted(forceinline=True)
def catmull(t):
    """Weights of the four nodes around fraction `t` (float32) between the middle two."""
    t2 = t * t
    t3 = t2 * t
    return (
        t2 - _HALF * (t3 + t),
        (_THREE_HALVES * t3 - _FIVE_HALVES * t2) + _ONE,
        (_TWO * t2 - _THREE_HALVES * t3) + _HALF * t,
        _HALF * (t3 - t2),
    )


@uncounted
def catmull_table(positions, n, shift, first, index, weights):
    """Where `n` positions (int64, 1/1024 m) lie between nodes 2^shift m apart; returns the plan that `widen` follows.

    `index` uint64 [≥ n]: column of the first of the four nodes in an array that begins at node `first`;
    `weights` float32 [4, ≥ n]: those of each position; or, where the plan is a number above 0, of each phase, that
    is of each of `plan` even steps from one node to the next. The plan is 0 for positions without such an order.
    """
    unit = np.int64(1024) << shift
    scale = _ONE / np.float32(unit)
    step = positions[1] - positions[0] if n > 1 else np.int64(0)
    plan = np.int64(0)
    if n > 8 and step > 0 and step < unit and (step & (step - 1)) == 0:
        uneven = np.int64(0)
        for i in range(n):
            uneven |= positions[i] - (positions[0] + i * step)
        if uneven == 0 and (positions[0] & (step - 1)) == 0 and n + 2 * (unit // step) <= NODE_ROW:
            plan = unit // step
    if plan > 0:
        for i in range(plan):
            w = catmull(np.float32(i * step) * scale)
            weights[0, i], weights[1, i], weights[2, i], weights[3, i] = w
        index[0] = np.uint64((positions[0] >> (shift + 10)) - 1 - first)
        index[1] = np.uint64((positions[0] & (unit - 1)) // step)
        return plan
    w0 = weights[0]
    w1 = weights[1]
    w2 = weights[2]
    w3 = weights[3]
    for i in range(n):
        index[i] = np.uint64((positions[i] >> (shift + 10)) - 1 - first)
        w0[i], w1[i], w2[i], w3[i] = catmull(np.float32(positions[i] & (unit - 1)) * scale)
    return plan


@uncounted(forceinline=True)
def _mix(w0, w1, w2, w3, a, b, c, d):
    return ((w0 * a + w1 * b) + w2 * c) + w3 * d


@uncounted
def _by_two(row, weights, intervals, out):
    a0, a1, a2, a3 = weights[0, 0], weights[1, 0], weights[2, 0], weights[3, 0]
    b0, b1, b2, b3 = weights[0, 1], weights[1, 1], weights[2, 1], weights[3, 1]
    for c in range(intervals):
        p, q, r, s = row[c], row[c + _1], row[c + _2], row[c + _3]
        out[_2 * c] = _mix(a0, a1, a2, a3, p, q, r, s)
        out[_2 * c + _1] = _mix(b0, b1, b2, b3, p, q, r, s)


@uncounted
def _by_four(row, weights, intervals, out):
    a0, a1, a2, a3 = weights[0, 0], weights[1, 0], weights[2, 0], weights[3, 0]
    b0, b1, b2, b3 = weights[0, 1], weights[1, 1], weights[2, 1], weights[3, 1]
    c0, c1, c2, c3 = weights[0, 2], weights[1, 2], weights[2, 2], weights[3, 2]
    d0, d1, d2, d3 = weights[0, 3], weights[1, 3], weights[2, 3], weights[3, 3]
    for c in range(intervals):
        p, q, r, s = row[c], row[c + _1], row[c + _2], row[c + _3]
        out[_4 * c] = _mix(a0, a1, a2, a3, p, q, r, s)
        out[_4 * c + _1] = _mix(b0, b1, b2, b3, p, q, r, s)
        out[_4 * c + _2] = _mix(c0, c1, c2, c3, p, q, r, s)
        out[_4 * c + _3] = _mix(d0, d1, d2, d3, p, q, r, s)


@uncounted
def _by_many(row, weights, plan, intervals, out):
    w0 = weights[0]
    w1 = weights[1]
    w2 = weights[2]
    w3 = weights[3]
    for c in range(intervals):
        p, q, r, s = row[c], row[c + _1], row[c + _2], row[c + _3]
        target = out[c * plan :]
        for i in range(plan):
            target[i] = _mix(w0[i], w1[i], w2[i], w3[i], p, q, r, s)


@uncounted
def widen(source, first_field, fields, first_row, rows, plan, index, weights, n, spread, out):
    """Interpolate node rows along x: `out[f, r, i]` from four columns of `source[f, first_row + r]`.

    `fields` fields from `first_field` on; `plan`, `index` and `weights` as `catmull_table` made them; `spread`
    float32 [`NODE_ROW`] is scratch.
    """
    if plan > 0:
        first, lead = index[0], index[1]
        per_node = np.uint64(plan)
        intervals = (np.uint64(n) + lead + per_node - _1) // per_node
        for f in range(first_field, first_field + fields):
            for r in range(rows):
                row = source[f, first_row + r][first:]
                if plan == 2:
                    _by_two(row, weights, intervals, spread)
                elif plan == 4:
                    _by_four(row, weights, intervals, spread)
                else:
                    _by_many(row, weights, per_node, intervals, spread)
                target = out[f, r]
                begun = spread[lead:]
                for i in range(n):
                    target[i] = begun[i]
        return
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
                target[i] = _mix(w0[i], w1[i], w2[i], w3[i], row[c], row[c + _1], row[c + _2], row[c + _3])


@uncounted
def blend_nodes(a, b, c, d, t, n, offset, out):
    """Interpolate along z at fraction `t` (float32) between rows b and c; writes out[offset … offset + n)."""
    w0, w1, w2, w3 = catmull(t)
    for i in range(np.uint64(n)):
        out[offset + i] = _mix(w0, w1, w2, w3, a[i], b[i], c[i], d[i])


@uncounted
def store_lines(line, first, count, n, out, first_field, row):
    """Copy `count` lines of the buffer from line `first` to `out[first_field …, row, :n]`."""
    for f in range(count):
        source = line[(first + f) * NODE_ROW :]
        target = out[first_field + f, row]
        for i in range(n):
            target[i] = source[i]


@uncounted
def load_lines(wide, exact, between, first_field, fields, position_m, shift, first, n, line):
    """`fields` fields of one row, from `first_field` on, into the lines of their numbers.

    Interpolated along z from `wide`, or copied from `exact`: `between` says whether rows lie between nodes 2^shift m
    apart, the first of which is node `first`; else `first` is the row of `exact` itself.
    """
    if between:
        r = (position_m >> shift) - 1 - first
        t = np.float32(position_m & ((np.int64(1) << shift) - 1)) * (_ONE / np.float32(np.int64(1) << shift))
        for f in range(first_field, first_field + fields):
            at = np.uint64(f) * LINE
            blend_nodes(wide[f, r], wide[f, r + 1], wide[f, r + 2], wide[f, r + 3], t, n, at, line)
    else:
        for f in range(first_field, first_field + fields):
            source = exact[f, first]
            target = line[f * NODE_ROW :]
            for i in range(n):
                target[i] = source[i]


def warm() -> None:
    """Compile every public kernel with the types the game uses."""
    f, q = np.float32, np.int64
    nodes, out = np.ones((1, 8, NODE_ROW), f), np.zeros((1, 8, NODE_ROW), f)
    index, weights = np.zeros(NODE_ROW, np.uint64), np.zeros((4, NODE_ROW), f)
    spread = np.zeros(NODE_ROW, f)
    plan = catmull_table(np.arange(16, dtype=q) << 10, 16, 2, -1, index, weights)
    widen(nodes, 0, 1, 0, 4, plan, index, weights, 16, spread, out)
    line = np.zeros(NODE_ROW, f)
    load_lines(out, nodes, True, 0, 1, 0, 2, -1, 16, line)
    store_lines(line, 0, 1, 16, out, 0, 0)
    blend_nodes(spread, spread, spread, spread, f(0.5), 16, np.uint64(0), line)
    catmull(f(0.5))
