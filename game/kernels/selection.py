"""Level selection over resident pages: which pages are wanted, how far each level reaches, which patches to draw.

Arrays and scalars in, arrays out. Positions are relative to an integer anchor (floor of the camera), so the
same numbers come out at the origin and at ±1e9 m. Page identity is an int64 row (level, ix, iz) per layer,
found through `slots`, an open-addressed hash table of layer numbers.

Why there is no crack
---------------------
Let d(v) = √(dx² + dz² + altitude²) with one altitude per frame; d changes by at most the horizontal distance
moved. A node of level l is visited when its rectangle has a point with d ≤ r_l; a quadrant of it (which is a
node of level l−1) is either visited itself or drawn as a patch of level l. Level l morphs from its own grid
(k = 0) for d ≤ (1−m)·r_l to the grid of level l+1 (k = 1) for d ≥ r_l.

Take a point v on an edge shared by a patch A of level l and a patch B of a finer level.
1. A was not visited at level l−1, so d(v) > r_(l−1): if B is of level l−1, its vertices there have k = 1 and
   stand on the even vertices, at G = the heights of level l.
2. B lies in a visited node of level l−1, so d(v) ≤ r_(l−1) + diag(node_(l−1)). The clamp
   r_(l−1) ≤ (1−m)·r_l − diag(node_(l−1)) makes this ≤ (1−m)·r_l: A's vertices have k = 0. (The coarsest level
   has k = 0 by decree and needs no clamp below it.)
3. If B were of level l−2 or finer, it would lie in a visited node of level l−2, whence
   d(v) ≤ r_(l−2) + diag(node_(l−2)) ≤ (1−m)·r_(l−1) < r_(l−1), against 1. So levels differ by one at most.
4. Patches of one level compute the same k from the same bits.
So the edge carries the same vertices on both sides. With r_l = r0·2^l the clamp of 2 is idle exactly when
diag(node_l) ≤ (1−2m)·r_l, which `LodSettings` demands; where missing pages cut a range, the clamp itself is the
condition, and a level may shrink to nothing (then all its vertices have k = 1) and grow back without a jump.

The GPU computes d and k in float32; `SLACK` (relative) separates every comparison above by far more than its
rounding, so 1 and 2 hold for the float32 k with explicit selection of k ≤ 0 and k ≥ 1.

Why there is no hole: r_l is cut to the distance of the nearest page of level l that is not resident, and a
patch's page has its node's points with d ≤ r_l inside; so every patch of a level below the coarsest has its page.

Source: the scheme is Strugar (2010), "CDLOD"; the clamp and the proof are our own.
"""

from __future__ import annotations

import numpy as np

from game.core.coords import PAGE_QUADS
from game.kernels import jit

SLACK = 1.0e-4
"""Relative margin that absorbs float32 rounding of distances on the GPU (about 1e-6)."""

FADE_S = 0.3
"""Simulated seconds in which a level that was off grows to its full range."""

PATCH_FIELDS = 6
"""int32 columns of a patch: origin x, origin z (m), page x, page z (samples), layer, level."""

CONE = 0.25
"""Sideways growth of the predicted disc per metre travelled: turns up to 14° are foreseen."""

WANT_MARGIN_M = 2.0
"""Pages are wanted this much earlier than the selection reads them."""

BEHIND = 15.0
"""Pages wholly behind the eye come after those in front of the next finer level (a level counts 10)."""

NEED_STEPS = 4
"""The predicted path is sampled at this many instants after now."""


@jit
def find_layer(slots, keys, level, ix, iz):
    """Layer of page (level, ix, iz), or −1. `slots` int32 [2^n], `keys` int64 [layers, 3]."""
    mask = len(slots) - 1
    mixed = ix * 73856093 ^ iz * 19349663 ^ level * 83492791
    at = (mixed ^ (mixed >> 17)) & mask
    while True:
        layer = slots[at]
        if layer < 0:
            return -1
        if keys[layer, 0] == level and keys[layer, 1] == ix and keys[layer, 2] == iz:
            return layer
        at = (at + 1) & mask


@jit
def home_slot(keys, layer, mask):
    """Where the search for the key of `layer` begins."""
    mixed = keys[layer, 1] * 73856093 ^ keys[layer, 2] * 19349663 ^ keys[layer, 0] * 83492791
    return (mixed ^ (mixed >> 17)) & mask


@jit
def insert_slot(slots, keys, layer):
    """Enter `layer` under its key, which must not be in the table."""
    mask = len(slots) - 1
    at = home_slot(keys, layer, mask)
    while slots[at] >= 0:
        at = (at + 1) & mask
    slots[at] = layer


@jit
def remove_slot(slots, keys, layer):
    """Take `layer`, which must be in the table, out of it; later entries of its run move up.

    Source: Knuth, The Art of Computer Programming vol. 3, section 6.4, algorithm R.
    """
    mask = len(slots) - 1
    hole = home_slot(keys, layer, mask)
    while slots[hole] != layer:
        hole = (hole + 1) & mask
    at = hole
    while True:
        slots[hole] = -1
        while True:
            at = (at + 1) & mask
            if slots[at] < 0:
                return
            home = home_slot(keys, slots[at], mask)
            # An entry whose home lies cyclically in (hole, at] is found without passing the hole.
            if (at - home) & mask >= (at - hole) & mask:
                break
        slots[hole] = slots[at]
        hole = at


@jit
def fill_slots(slots, keys, used):
    """Rebuild the hash table: `slots` int32 [2^n] from `keys` int64 [layers, 3] where `used` bool [layers]."""
    slots[:] = -1
    for layer in range(len(used)):
        if used[layer]:
            insert_slot(slots, keys, layer)


@jit
def unlink(links, layer):
    """Take `layer` out of the list by age: `links` int32 [layers + 1, 2] older and newer, the last row the ends."""
    older = links[layer, 0]
    newer = links[layer, 1]
    links[older, 1] = newer
    links[newer, 0] = older


@jit
def make_newest(links, layer):
    """Put `layer`, which is in no place of the list, at its newest end."""
    end = len(links) - 1
    newest = links[end, 0]
    links[layer, 0] = newest
    links[layer, 1] = end
    links[newest, 1] = layer
    links[end, 0] = layer


@jit
def rectangle_distance2(x0, z0, side_x, side_z):
    """Square of the horizontal distance from (0, 0) to the rectangle at (x0, z0), m²."""
    dx = max(x0, -(x0 + side_x), 0.0)
    dz = max(z0, -(z0 + side_z), 0.0)
    return dx * dx + dz * dz


@jit
def outside(planes, x0, y0, z0, x1, y1, z1):
    """Whether the box lies wholly behind one of `planes` float64 [6, 4]; all camera-relative metres."""
    for p in range(6):
        a = planes[p, 0]
        b = planes[p, 1]
        c = planes[p, 2]
        far = planes[p, 3]
        far += a * x1 if a > 0.0 else a * x0
        far += b * y1 if b > 0.0 else b * y0
        far += c * z1 if c > 0.0 else c * z0
        if far < 0.0:
            return True
    return False


@jit
def wanted_pages(
    anchor_x, anchor_z, frac_x, frac_z, altitude, vx, vz, look_x, look_z, horizon_s, targets, ranges, finest,
    slots, keys, last_wanted, links, frame, missing, priority, counts,
):  # fmt: skip
    """Mark resident pages that are wanted and list those that are not resident.

    A page is needed at the first instant t of 0…`horizon_s` at which it meets the disc of its level around the
    focus moved by velocity · t; the disc widens with the way travelled (`CONE`). `targets` float64 [levels] in
    metres, the coarsest last and always wanted; levels below `finest` are dropped. `ranges` float32 [levels] are
    what the last frame drew: a range that is shrinking to its target keeps its pages. (look_x, look_z) is the
    unit direction of the view on the plane, or (0, 0).

    Writes `last_wanted` int64 [layers] = `frame` and moves the page to the newest end of `links`; `missing`
    int64 [n, 3]; `priority` float64 [n] (small is urgent: time to need first, then size on the screen, which is
    level and distance, and what lies behind the eye after what it sees); `counts` int64 [levels] pages needed
    now. Returns (missing, wanted); missing = −1 when the list is too short.
    """
    top = len(targets) - 1
    speed = np.sqrt(vx * vx + vz * vz)
    found = 0
    wanted = 0
    counts[:] = 0
    for level in range(top, finest - 1, -1):
        reach = max(targets[level], np.float64(ranges[level]))
        if level < top:
            # A descending camera needs finer levels again soon, so altitude counts only in part.
            low = 0.7 * altitude
            if low >= reach:
                continue
            reach = min(np.sqrt(reach * reach - low * low), targets[top])
        reach += WANT_MARGIN_M
        span = PAGE_QUADS << level
        ahead = speed * horizon_s
        box = reach + CONE * ahead + 2.0
        x_low = np.int64(np.floor(min(0.0, vx * horizon_s) - box))
        x_high = np.int64(np.ceil(max(0.0, vx * horizon_s) + box))
        z_low = np.int64(np.floor(min(0.0, vz * horizon_s) - box))
        z_high = np.int64(np.ceil(max(0.0, vz * horizon_s) + box))
        for iz in range((anchor_z + z_low) // span, (anchor_z + z_high) // span + 1):
            z0 = np.float64(iz * span - anchor_z) - frac_z
            for ix in range((anchor_x + x_low) // span, (anchor_x + x_high) // span + 1):
                x0 = np.float64(ix * span - anchor_x) - frac_x
                need_s = -1.0
                near = 0.0
                for step in range(NEED_STEPS + 1):
                    t = horizon_s * step / NEED_STEPS
                    radius = reach + CONE * speed * t
                    near = rectangle_distance2(x0 - vx * t, z0 - vz * t, span, span)
                    if near <= radius * radius:
                        need_s = t
                        break
                if need_s < 0.0:
                    continue
                wanted += 1
                if need_s == 0.0:
                    counts[level] += 1
                layer = find_layer(slots, keys, level, ix, iz)
                if layer >= 0:
                    last_wanted[layer] = frame
                    unlink(links, layer)
                    make_newest(links, layer)
                    continue
                if found >= len(missing):
                    return -1, wanted
                missing[found, 0] = level
                missing[found, 1] = ix
                missing[found, 2] = iz
                urgency = need_s * 1000.0 + (top - level) * 10.0 + np.sqrt(near) / reach
                half = 0.5 * span
                ahead_m = look_x * (x0 + half) + look_z * (z0 + half)
                if level < top and ahead_m < -half * (abs(look_x) + abs(look_z)):
                    urgency += BEHIND
                priority[found] = urgency
                found += 1
    return found, wanted


@jit
def resident_ranges(
    anchor_x, anchor_z, frac_x, frac_z, altitude, targets, finest, previous, growth_s, quads, morph,
    slots, keys, ranges,
):  # fmt: skip
    """Range of every level this frame, coarse to fine (see the module docstring).

    `previous` float32 [levels] are last frame's ranges, which may grow or shrink by target · `growth_s` /
    `FADE_S` (`growth_s` < 0 is without limit); a missing page cuts a range at once, whatever that says.
    Writes `ranges` float32 [levels]; 0 is off.
    Returns whether every page of the coarsest level within its target is resident.
    """
    top = len(targets) - 1
    complete = True
    # No page beyond the view is needed, nor asked for: a level whose range is longer reaches to its end.
    view2 = (targets[top] + 0.5 * WANT_MARGIN_M) ** 2
    for level in range(top, -1, -1):
        limit = targets[level] if level >= finest or level == top else 0.0
        if level < top and growth_s >= 0.0:
            was = np.float64(previous[level])
            limit = max(limit, was - max(targets[level], was) * growth_s / FADE_S)
        height = altitude
        if level == top:
            height = 0.0
        elif level + 1 < top:
            diagonal = np.sqrt(2.0) * np.float64((2 * quads) << level)
            clamp = ((1.0 - morph) * np.float64(ranges[level + 1]) * (1.0 - SLACK) - diagonal) / (1.0 + SLACK)
            limit = min(limit, clamp)
        if level < top and growth_s >= 0.0:
            limit = min(limit, np.float64(previous[level]) + targets[level] * growth_s / FADE_S)
        if limit > 0.0:
            span = PAGE_QUADS << level
            box = np.int64(np.ceil(min(limit, targets[top]))) + 2
            for iz in range((anchor_z - box) // span, (anchor_z + box) // span + 1):
                z0 = np.float64(iz * span - anchor_z) - frac_z
                for ix in range((anchor_x - box) // span, (anchor_x + box) // span + 1):
                    x0 = np.float64(ix * span - anchor_x) - frac_x
                    flat2 = rectangle_distance2(x0, z0, span, span)
                    near = np.sqrt(flat2 + height * height) * (1.0 - 2.0 * SLACK)
                    if near < limit and flat2 <= view2 and find_layer(slots, keys, level, ix, iz) < 0:
                        limit = near
                        if level == top:
                            complete = False
        ranges[level] = np.float32(max(limit, 0.0))
    return complete


@jit
def below_tangent(x0, z0, side, bend, low, high):
    """Height bounds of a square of land as seen on the round earth: (`low`, `high`) less the drop d² · `bend`.

    The drop is least at the square's nearest point and greatest at its furthest corner.
    """
    far_x = max(-x0, x0 + side)
    far_z = max(-z0, z0 + side)
    drop = bend * (far_x * far_x + far_z * far_z)
    return low - drop, high - bend * rectangle_distance2(x0, z0, side, side)


@jit
def emit_patches(
    anchor_x, anchor_z, frac_x, frac_z, altitude, eye_y, bend, ranges, view_m, quads, planes, cull,
    slots, keys, bounds, queue, out, starts,
):  # fmt: skip
    """Walk the quadtree breadth first and write the patches to draw.

    `bend` is the earth's drop per square metre of distance, 1/m, 0 for flat land.
    `ranges` float32 [levels]; `bounds` float32 [layers, 2] lowest and highest metre of a page; `planes`
    float64 [6, 4] camera-relative, used when `cull`; `queue` int64 [2, n, 2] scratch.
    Writes `out` int32 [n, 6] from the back, so that the result `out[first:]` ascends by level, and `starts`
    int32 [levels + 1]. Returns `first`, or −1 when `queue` or `out` is too short.
    """
    top = len(ranges) - 1
    first = len(out)
    side = np.int64(2 * quads) << top
    box = np.int64(np.ceil(view_m)) + 2
    now = 0
    count = 0
    for nz in range((anchor_z - box) // side, (anchor_z + box) // side + 1):
        z0 = np.float64(nz * side - anchor_z) - frac_z
        for nx in range((anchor_x - box) // side, (anchor_x + box) // side + 1):
            x0 = np.float64(nx * side - anchor_x) - frac_x
            if rectangle_distance2(x0, z0, side, side) <= view_m * view_m:
                if count >= queue.shape[1]:
                    return -1
                queue[now, count, 0] = nx
                queue[now, count, 1] = nz
                count += 1
    starts[top + 1] = first
    for level in range(top, -1, -1):
        half = np.int64(quads) << level
        finer2 = -1.0
        if level > 0 and ranges[level - 1] > 0.0:
            finer2 = (np.float64(ranges[level - 1]) * (1.0 + SLACK)) ** 2
        next_count = 0
        for n in range(count):
            layer = -2
            for quadrant in range(4):
                cx = 2 * queue[now, n, 0] + (quadrant & 1)
                cz = 2 * queue[now, n, 1] + (quadrant >> 1)
                origin_x = cx * half - anchor_x
                origin_z = cz * half - anchor_z
                x0 = np.float64(origin_x) - frac_x
                z0 = np.float64(origin_z) - frac_z
                near2 = rectangle_distance2(x0, z0, half, half)
                if near2 + altitude * altitude <= finer2:
                    if next_count >= queue.shape[1]:
                        return -1
                    queue[1 - now, next_count, 0] = cx
                    queue[1 - now, next_count, 1] = cz
                    next_count += 1
                    continue
                if level == top and near2 > view_m * view_m:
                    continue
                if layer == -2:
                    layer = find_layer(slots, keys, level, (cx * quads) >> 7, (cz * quads) >> 7)
                if layer < 0:
                    continue
                if cull:
                    low, high = below_tangent(
                        x0, z0, np.float64(half), bend, bounds[layer, 0] - eye_y, bounds[layer, 1] - eye_y
                    )
                    if outside(planes, x0, low, z0, x0 + half, high, z0 + half):
                        continue
                if first == 0:
                    return -1
                first -= 1
                out[first, 0] = origin_x
                out[first, 1] = origin_z
                out[first, 2] = (cx * quads) & (PAGE_QUADS - 1)
                out[first, 3] = (cz * quads) & (PAGE_QUADS - 1)
                out[first, 4] = layer
                out[first, 5] = level
        starts[level] = first
        now = 1 - now
        count = next_count
    for level in range(top + 2):
        starts[level] -= first
    return first


@jit
def select_patches(
    anchor_x, anchor_z, frac_x, frac_z, altitude, eye_y, bend, targets, finest, previous, growth_s, quads,
    morph, planes, slots, keys, bounds, ranges, queue, out, starts,
):  # fmt: skip
    """One frame's selection: `resident_ranges`, then `emit_patches` with culling. Returns (first, complete)."""
    complete = resident_ranges(
        anchor_x, anchor_z, frac_x, frac_z, altitude, targets, finest, previous, growth_s, quads, morph,
        slots, keys, ranges,
    )  # fmt: skip
    first = emit_patches(
        anchor_x, anchor_z, frac_x, frac_z, altitude, eye_y, bend, ranges, targets[len(targets) - 1], quads,
        planes, True, slots, keys, bounds, queue, out, starts,
    )  # fmt: skip
    return first, complete


@jit
def patch_code(level, cell_x, cell_z):
    """Identity of a patch in one number, and its hash; cells are relative to the anchor's, within ±2^20."""
    code = ((np.int64(level) << 21 | (cell_x + 1048576)) << 21) | (cell_z + 1048576)
    mixed = cell_x * 73856093 ^ cell_z * 19349663 ^ level * 83492791
    return code, mixed ^ (mixed >> 15)


@jit
def count_uncovered(patches, anchor_x, anchor_z, quads, levels, keys, used, xs, zs, table, tally):
    """How many of the points lie under no patch with its resident page, or under two or more.

    `patches` int32 [n, 6] of an unculled selection; `xs`, `zs` float64 points relative to the anchor;
    `table` int64 [2^k] with 2^k ≥ 2n and `tally` int32 [2^k] are scratch. Patches are half-open, so a point on
    a shared edge belongs to one.
    """
    mask = len(table) - 1
    table[:] = -1
    tally[:] = 0
    for n in range(len(patches)):
        level = np.int64(patches[n, 5])
        size = np.int64(quads) << level
        world_x = np.int64(patches[n, 0]) + anchor_x
        world_z = np.int64(patches[n, 1]) + anchor_z
        layer = patches[n, 4]
        span = PAGE_QUADS << level
        page_x = world_x // span
        page_z = world_z // span
        right_page = (
            used[layer] and keys[layer, 0] == level and keys[layer, 1] == page_x and keys[layer, 2] == page_z
        )
        if not right_page or (world_x - page_x * span) >> level != patches[n, 2]:
            continue
        if (world_z - page_z * span) >> level != patches[n, 3]:
            continue
        code, at = patch_code(level, world_x // size - anchor_x // size, world_z // size - anchor_z // size)
        at &= mask
        while table[at] >= 0 and table[at] != code:
            at = (at + 1) & mask
        table[at] = code
        tally[at] += 1
    bad = 0
    for n in range(len(xs)):
        world_x = anchor_x + np.int64(np.floor(xs[n]))
        world_z = anchor_z + np.int64(np.floor(zs[n]))
        cover = 0
        for level in range(levels):
            size = np.int64(quads) << level
            code, at = patch_code(
                level, world_x // size - anchor_x // size, world_z // size - anchor_z // size
            )
            at &= mask
            while table[at] >= 0 and table[at] != code:
                at = (at + 1) & mask
            if table[at] == code:
                cover += tally[at]
        if cover != 1:
            bad += 1
    return bad


@jit
def count_late(
    missing, anchor_x, anchor_z, frac_x, frac_z, altitude, eye_y, bend, targets, finest, planes, slots, keys,
    bounds,
):  # fmt: skip
    """How many pages of `missing` int64 [n, 3] are in the frustum, within their level's target, not resident.

    Heights of a page nobody has are taken from its nearest resident ancestor, else −1000…9000 m.
    """
    top = len(targets) - 1
    late = 0
    for n in range(len(missing)):
        level = missing[n, 0]
        ix = missing[n, 1]
        iz = missing[n, 2]
        if level > top or (level < finest and level != top):
            continue
        if find_layer(slots, keys, level, ix, iz) >= 0:
            continue
        span = PAGE_QUADS << level
        x0 = np.float64(ix * span - anchor_x) - frac_x
        z0 = np.float64(iz * span - anchor_z) - frac_z
        near2 = rectangle_distance2(x0, z0, span, span)
        if level < top:
            near2 += altitude * altitude
        if near2 > targets[level] * targets[level]:
            continue
        low = -1000.0
        high = 9000.0
        for up in range(1, top - level + 1):
            layer = find_layer(slots, keys, level + up, ix >> up, iz >> up)
            if layer >= 0:
                low = np.float64(bounds[layer, 0])
                high = np.float64(bounds[layer, 1])
                break
        low, high = below_tangent(x0, z0, np.float64(span), bend, low - eye_y, high - eye_y)
        if not outside(planes, x0, low, z0, x0 + span, high, z0 + span):
            late += 1
    return late


def warm() -> None:
    """Compile every public kernel for the argument types the game uses."""
    slots = np.full(16, -1, np.int32)
    keys = np.zeros((4, 3), np.int64)
    used = np.zeros(4, np.bool_)
    used[0] = True
    bounds = np.zeros((4, 2), np.float32)
    last_wanted = np.zeros(4, np.int64)
    targets = np.array([100.0])
    ranges = np.zeros(1, np.float32)
    planes = np.zeros((6, 4))
    queue = np.zeros((2, 64, 2), np.int64)
    out = np.zeros((64, PATCH_FIELDS), np.int32)
    starts = np.zeros(2, np.int32)
    missing = np.zeros((64, 3), np.int64)
    links = np.zeros((5, 2), np.int32)
    fill_slots(slots, keys, used)
    make_newest(links, 0)
    unlink(links, 0)
    remove_slot(slots, keys, 0)
    insert_slot(slots, keys, 0)
    find_layer(slots, keys, 0, 0, 0)
    wanted_pages(
        0, 0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, targets, ranges, 0, slots, keys, last_wanted, links, 1,
        missing, np.zeros(64), np.zeros(1, np.int64),
    )  # fmt: skip
    select_patches(
        0, 0, 0.0, 0.0, 0.0, 0.0, 0.0, targets, 0, ranges, -1.0, 16, 0.25, planes, slots, keys, bounds, ranges,
        queue, out, starts,
    )  # fmt: skip
    emit_patches(
        0,
        0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        ranges,
        100.0,
        16,
        planes,
        False,
        slots,
        keys,
        bounds,
        queue,
        out,
        starts,
    )
    count_uncovered(
        out,
        0,
        0,
        16,
        1,
        keys,
        used,
        np.zeros(1),
        np.zeros(1),
        np.zeros(256, np.int64),
        np.zeros(256, np.int32),
    )
    count_late(missing, 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0, targets, 0, planes, slots, keys, bounds)
