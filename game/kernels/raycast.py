"""The drawn surface at a point and along a ray: the same morphed triangles the GPU draws, from resident pages.

Works in 2 × 2 quad blocks whose even corners never move: a vertex morphs along the block's edges or inside it,
so the eight triangles of a block cover it exactly at any k, and intersecting a ray block by block is exact.
Quads are split along (i, j)–(i+1, j+1).

Source: block walk after Amanatides and Woo, "A Fast Voxel Traversal Algorithm for Ray Tracing" (1987), on the
two-level grid patch/block; triangle test after Möller and Trumbore (1997).
"""

from __future__ import annotations

import numpy as np

from game.core.coords import APRON, PAGE_QUADS, STORED
from game.kernels import jit
from game.kernels.selection import SLACK, find_layer, rectangle_distance2

MAX_BLOCKS = 100_000
"""Blocks a ray may enter; a 5 km ray meets some hundreds."""


@jit
def drawn_level(world_x, world_z, anchor_x, anchor_z, frac_x, frac_z, altitude, ranges, quads):
    """Level whose patch covers the metre cell (world_x, world_z), by the quadtree's own rule."""
    level = len(ranges) - 1
    while level > 0:
        reach = np.float64(ranges[level - 1])
        if reach <= 0.0:
            break
        reach *= 1.0 + SLACK
        side = np.int64(2 * quads) << (level - 1)
        x0 = np.float64((world_x // side) * side - anchor_x) - frac_x
        z0 = np.float64((world_z // side) * side - anchor_z) - frac_z
        if rectangle_distance2(x0, z0, side, side) + altitude * altitude > reach * reach:
            break
        level -= 1
    return level


@jit
def morph_block(
    block_x,
    block_z,
    level,
    layer,
    anchor_x,
    anchor_z,
    frac_x,
    frac_z,
    altitude,
    bend,
    ranges,
    morph,
    heights,
    vertices,
):
    """Morphed vertices of the block with corner sample (block_x, block_z) of its page's level.

    Camera-relative x and z, height above zero: `vertices` float32 [9, 3], row-major 3 × 3. All float32, in the
    order of operations of the terrain's vertex shader. `heights` float32 [layers, 132, 132, 2]; `bend` float32
    is the earth's drop per square metre of distance.
    """  # fmt: skip
    one = np.float32(1.0)
    zero = np.float32(0.0)
    share = np.float32(morph)
    reach = ranges[level]
    top = len(ranges) - 1
    in_x = (block_x & (PAGE_QUADS - 1)) + APRON
    in_z = (block_z & (PAGE_QUADS - 1)) + APRON
    for j in range(3):
        for i in range(3):
            x = np.float32(((block_x + i) << level) - anchor_x) - frac_x
            z = np.float32(((block_z + j) << level) - anchor_z) - frac_z
            y = heights[layer, in_z + j, in_x + i, 0]
            if level < top:
                d = np.sqrt(x * x + z * z + altitude * altitude)
                k = (d - (one - share) * reach) / (share * reach)
                if k > zero:
                    even_i = i - (i & 1)
                    even_j = j - (j & 1)
                    even_x = np.float32(((block_x + even_i) << level) - anchor_x) - frac_x
                    even_z = np.float32(((block_z + even_j) << level) - anchor_z) - frac_z
                    even_y = heights[layer, in_z + even_j, in_x + even_i, 1]
                    if k >= one:
                        x = even_x
                        z = even_z
                        y = even_y
                    else:
                        x = x + (even_x - x) * k
                        z = z + (even_z - z) * k
                        y = y + (even_y - y) * k
            vertices[3 * j + i, 0] = x
            vertices[3 * j + i, 1] = y - bend * (x * x + z * z)
            vertices[3 * j + i, 2] = z


@jit
def triangle_vertex(triangle, corner):
    """Index into the 3 × 3 vertices of a corner (0…2) of triangle 0…7 of a block."""
    quad = triangle >> 1
    base = 3 * (quad >> 1) + (quad & 1)
    if corner == 0:
        return base
    if corner == 2:
        return base + 4
    if triangle & 1:
        return base + 3
    return base + 1


@jit
def block_height(x, z, vertices):
    """Height of the block's triangles at camera-relative (x, z) inside it; the nearest triangle if none holds it."""
    best = -1.0e30
    height = 0.0
    for triangle in range(8):
        a = triangle_vertex(triangle, 0)
        b = triangle_vertex(triangle, 1)
        c = triangle_vertex(triangle, 2)
        ax = np.float64(vertices[a, 0])
        az = np.float64(vertices[a, 2])
        bx = np.float64(vertices[b, 0]) - ax
        bz = np.float64(vertices[b, 2]) - az
        cx = np.float64(vertices[c, 0]) - ax
        cz = np.float64(vertices[c, 2]) - az
        area = bx * cz - bz * cx
        if abs(area) < 1.0e-6:
            continue
        u = ((x - ax) * cz - (z - az) * cx) / area
        v = (bx * (z - az) - bz * (x - ax)) / area
        inside = min(u, v, 1.0 - u - v)
        if inside > best:
            best = inside
            ay = np.float64(vertices[a, 1])
            height = ay + u * (np.float64(vertices[b, 1]) - ay) + v * (np.float64(vertices[c, 1]) - ay)
            if inside >= 0.0:
                break
    return height


@jit
def block_hit(ox, oy, oz, dx, dy, dz, vertices):
    """Smallest t ≥ 0 at which o + t·d meets one of the block's triangles, or −1."""
    best = -1.0
    for triangle in range(8):
        a = triangle_vertex(triangle, 0)
        b = triangle_vertex(triangle, 1)
        c = triangle_vertex(triangle, 2)
        ax = np.float64(vertices[a, 0])
        ay = np.float64(vertices[a, 1])
        az = np.float64(vertices[a, 2])
        e1x = np.float64(vertices[b, 0]) - ax
        e1y = np.float64(vertices[b, 1]) - ay
        e1z = np.float64(vertices[b, 2]) - az
        e2x = np.float64(vertices[c, 0]) - ax
        e2y = np.float64(vertices[c, 1]) - ay
        e2z = np.float64(vertices[c, 2]) - az
        px = dy * e2z - dz * e2y
        py = dz * e2x - dx * e2z
        pz = dx * e2y - dy * e2x
        det = e1x * px + e1y * py + e1z * pz
        if abs(det) < 1.0e-12:
            continue
        sx = ox - ax
        sy = oy - ay
        sz = oz - az
        u = (sx * px + sy * py + sz * pz) / det
        if u < -1.0e-9 or u > 1.0 + 1.0e-9:
            continue
        qx = sy * e1z - sz * e1y
        qy = sz * e1x - sx * e1z
        qz = sx * e1y - sy * e1x
        v = (dx * qx + dy * qy + dz * qz) / det
        if v < -1.0e-9 or u + v > 1.0 + 1.0e-9:
            continue
        t = (e2x * qx + e2y * qy + e2z * qz) / det
        if t >= 0.0 and (best < 0.0 or t < best):
            best = t
    return best


@jit
def leave_rectangle(ox, oz, dx, dz, x0, z0, side):
    """Largest t at which o + t·d is still in the rectangle (given that it passes through it)."""
    leave = 1.0e30
    if dx > 0.0:
        leave = min(leave, (x0 + side - ox) / dx)
    elif dx < 0.0:
        leave = min(leave, (x0 - ox) / dx)
    if dz > 0.0:
        leave = min(leave, (z0 + side - oz) / dz)
    elif dz < 0.0:
        leave = min(leave, (z0 - oz) / dz)
    return leave


@jit
def surface_height(
    x, z, anchor_x, anchor_z, frac_x, frac_z, altitude, ranges, quads, morph, slots, keys, heights, vertices
):
    """Height of the drawn surface at camera-relative (x, z), metres; NaN where no resident page is drawn.

    It is the height above zero, before the earth's drop. `frac_x`, `frac_z`, `altitude` float32, `ranges`
    float32 [levels]; `vertices` float32 [9, 3] is scratch.
    """
    world_x = anchor_x + np.int64(np.floor(x + np.float64(frac_x)))
    world_z = anchor_z + np.int64(np.floor(z + np.float64(frac_z)))
    level = drawn_level(
        world_x, world_z, anchor_x, anchor_z, np.float64(frac_x), np.float64(frac_z), np.float64(altitude),
        ranges, quads,
    )  # fmt: skip
    span = PAGE_QUADS << level
    layer = find_layer(slots, keys, level, world_x // span, world_z // span)
    if layer < 0:
        return np.nan
    block = np.int64(2) << level
    morph_block(
        (world_x // block) * 2, (world_z // block) * 2, level, layer, anchor_x, anchor_z, frac_x, frac_z,
        altitude, np.float32(0.0), ranges, morph, heights, vertices,
    )  # fmt: skip
    return block_height(x, z, vertices)


@jit
def cast_ray(
    ox, oy, oz, dx, dy, dz, max_m, anchor_x, anchor_z, frac_x, frac_z, altitude, bend, ranges, quads, morph,
    slots, keys, bounds, heights, vertices,
):  # fmt: skip
    """Distance along a ray to the drawn surface, or −1 when it meets none within `max_m`.

    (ox, oz) is relative to the camera, oy above zero; (dx, dy, dz) has unit length; float64. A ray that starts
    below the surface ends at once (0). `bend` float32 is the earth's drop per square metre of distance: the ray
    meets the land where it is drawn. `bounds` float32 [layers, 2]; the rest as in `surface_height`.
    """
    across = np.sqrt(dx * dx + dz * dz)
    # A crossing is stepped over by a micrometre of horizontal way, so that rounding cannot hold the walk.
    nudge = 1.0e-6 / max(across, 1.0e-7)
    fx = np.float64(frac_x)
    fz = np.float64(frac_z)
    t = 0.0
    for _ in range(MAX_BLOCKS):
        if t > max_m:
            break
        px = ox + dx * (t + nudge)
        pz = oz + dz * (t + nudge)
        world_x = anchor_x + np.int64(np.floor(px + fx))
        world_z = anchor_z + np.int64(np.floor(pz + fz))
        level = drawn_level(world_x, world_z, anchor_x, anchor_z, fx, fz, np.float64(altitude), ranges, quads)
        patch = np.int64(quads) << level
        x0 = np.float64((world_x // patch) * patch - anchor_x) - fx
        z0 = np.float64((world_z // patch) * patch - anchor_z) - fz
        leave = min(leave_rectangle(ox, oz, dx, dz, x0, z0, patch), max_m)
        span = PAGE_QUADS << level
        layer = find_layer(slots, keys, level, world_x // span, world_z // span)
        lowest = oy + min(dy * t, dy * leave)
        if layer < 0 or lowest > np.float64(bounds[layer, 1]):
            t = max(t, leave) + nudge
            continue
        block = np.int64(2) << level
        while t <= leave:
            px = ox + dx * (t + nudge)
            pz = oz + dz * (t + nudge)
            world_x = anchor_x + np.int64(np.floor(px + fx))
            world_z = anchor_z + np.int64(np.floor(pz + fz))
            bx = np.float64((world_x // block) * block - anchor_x) - fx
            bz = np.float64((world_z // block) * block - anchor_z) - fz
            block_leave = min(leave_rectangle(ox, oz, dx, dz, bx, bz, block), max_m)
            if px < x0 or pz < z0 or px >= x0 + patch or pz >= z0 + patch:
                break
            morph_block(
                (world_x // block) * 2, (world_z // block) * 2, level, layer, anchor_x, anchor_z,
                frac_x, frac_z, altitude, bend, ranges, morph, heights, vertices,
            )  # fmt: skip
            high = vertices[0, 1]
            for n in range(1, 9):
                high = max(high, vertices[n, 1])
            if oy + min(dy * t, dy * block_leave) <= np.float64(high):
                # Below the surface on entering: it was met at the border, between two blocks.
                if oy + dy * t < block_height(px, pz, vertices) - 1.0e-4:
                    return t
                hit = block_hit(ox, oy, oz, dx, dy, dz, vertices)
                if hit >= 0.0 and hit <= max_m:
                    return hit
            t = max(t, block_leave) + nudge
    return -1.0


def warm() -> None:
    """Compile every public kernel for the argument types the game uses."""
    slots = np.full(16, -1, np.int32)
    keys = np.zeros((4, 3), np.int64)
    bounds = np.zeros((4, 2), np.float32)
    heights = np.zeros((4, STORED, STORED, 2), np.float32)
    ranges = np.ones(1, np.float32)
    vertices = np.zeros((9, 3), np.float32)
    zero = np.float32(0.0)
    surface_height(0.0, 0.0, 0, 0, zero, zero, zero, ranges, 16, 0.25, slots, keys, heights, vertices)
    cast_ray(
        0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0, 0, zero, zero, zero, zero, ranges, 16, 0.25, slots, keys, bounds,
        heights, vertices,
    )  # fmt: skip
