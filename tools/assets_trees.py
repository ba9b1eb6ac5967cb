"""Trees at scale 1: a spruce and a broadleaved tree, each as a near and a mid mesh.

Crowns carry normals of the whole crown more than of single faces, so that a tree is lit as one body, and
colours that darken toward the trunk, which stands for light lost between the branches. `extra` is 255 × how
freely the vertex moves in the wind, and near 255 the shader frays what it draws into needles and leaves. Trunk radii
and heights are those of `game.world.vegetation`.
"""

from __future__ import annotations

import math

import numpy as np
from assets_mesh import (
    Array,
    Colour,
    Mesh,
    cos,
    icosphere,
    join,
    normalised,
    sin,
    smooth_normals,
    spread,
    tube,
    unit,
)

SPRUCE_HEIGHT = 13.0
SPRUCE_TRUNK = 0.22
BROADLEAF_HEIGHT = 9.5
BROADLEAF_TRUNK = 0.26

BARK: Colour = (0.25, 0.215, 0.185)
BARK_LIGHT: Colour = (0.295, 0.275, 0.25)
NEEDLE_DARK: Colour = (0.095, 0.140, 0.085)
NEEDLE: Colour = (0.165, 0.235, 0.135)
NEEDLE_TIP: Colour = (0.285, 0.365, 0.205)
LEAF_DARK: Colour = (0.135, 0.190, 0.075)
LEAF: Colour = (0.220, 0.300, 0.115)
LEAF_LIGHT: Colour = (0.315, 0.39, 0.165)


def _spruce_radius(t: float) -> float:
    """Crown radius at share `t` of the crown's height, 0 at the lowest branches, 1 at the tip."""
    swell = 1.0 if t > 0.1 else 0.72 + 2.8 * t
    return swell * (2.55 * (1.0 - t) ** 0.82 + 0.04)


def _whorl(seed: int, ring: int, height: float, t: float, gap: float, branches: int, ridge: bool) -> Mesh:
    """One whorl of drooping branches around the trunk, with sky between them.

    Each branch is a leaf of four triangles that hangs from a raised midrib (two without `ridge`). `extra` rises to
    its rim, where the shader frays it into needles.
    """
    reach = (1.14 if ridge or t > 0.7 else 1.28) * _spruce_radius(t)
    start = 2.0 * math.pi * unit(seed, ring, 1)
    step = 2.0 * math.pi / branches
    points, colours, flex, outward = [], [], [], []
    triangles: list[tuple[int, int, int]] = []
    # Low branches sag, high ones point up a little: older wood is heavier.
    droop = 0.52 - 0.62 * t
    for branch in range(branches):
        angle = start + step * (branch + 0.36 * spread(seed, ring, branch, 2))
        length = reach * (0.98 + 0.34 * spread(seed, ring, branch, 3))
        if unit(seed, ring, branch, 4) < 0.14:
            length *= 0.62
        sag = droop * (1.0 + 0.40 * spread(seed, ring, branch, 5))
        base_y = height + 0.45 * gap * spread(seed, ring, branch, 6)
        shade = 0.80 + 0.40 * unit(seed, ring, branch, 8)
        half = min(0.62 * step, 1.05) * (0.92 + 0.3 * unit(seed, ring, branch, 9)) * (1.0 if ridge else 1.25)
        # How far along, how far aside (radians at that radius), how far below the rib, colour, nearness to the rim.
        hang = 0.16 * length + 0.10
        places = [
            (0.02, 0.0, -0.30 * gap - 0.10, 0.66 if ridge else 1.0, NEEDLE_DARK, 0.10),
            (0.56, half, hang, 0.86, NEEDLE, 0.92),
            (0.56, -half, hang, 0.86, NEEDLE, 0.92),
            (1.0, 0.12 * spread(seed, ring, branch, 10), 0.0, 1.0, NEEDLE_TIP, 1.0),
        ]
        if ridge:
            places.append((0.60, 0.0, -0.02 * length, 1.12, NEEDLE, 0.40))
        first = len(points)
        for along, aside, below, light, colour, rim in places:
            r = along * length
            a = angle + aside * (0.75 if along < 0.9 else 1.0)
            # The wood droops and its end lifts again.
            y = base_y - sag * r * (1.0 - 0.25 * along) - below
            points.append(np.array([r * float(cos(a)), y, r * float(sin(a))]))
            colours.append(tuple(shade * light * c for c in colour))
            flex.append(rim)
            outward.append(np.array([float(cos(a)), 0.0, float(sin(a))]))
        root, left, right, tip = first, first + 1, first + 2, first + 3
        if ridge:
            rib = first + 4
            triangles += [(root, rib, left), (root, right, rib), (left, rib, tip), (rib, right, tip)]
        else:
            triangles += [(root, right, left), (left, right, tip)]
    position = np.array(points)
    index = np.array(triangles)
    shape = smooth_normals(position, index)
    # The crown's own slope, mixed with the branch's shape.
    normal = normalised(1.0 * np.array(outward) + np.array([0.0, 0.60, 0.0]) + 0.6 * shape)
    return Mesh(position, normal, np.array(colours), 255.0 * np.array(flex), index)


def _bark(mesh: Mesh) -> Mesh:
    mesh.extra = np.zeros(len(mesh.position))
    return mesh


def spruce(near: bool) -> Mesh:
    """A spruce of 13 m; about 640 triangles near, 140 in the middle distance."""
    seed = 11
    first = 1.15
    count = 19 if near else 8
    sides = 7 if near else 4
    meshes = [_bark(tube((0, -0.6, 0), (0, SPRUCE_HEIGHT * 0.95, 0), SPRUCE_TRUNK * 1.12, BARK, 0.03, sides))]
    if not near:
        meshes = [_bark(tube((0, -0.6, 0), (0, 2.6, 0), SPRUCE_TRUNK * 1.1, BARK, 0.18, sides))]
    # Within the crown little light reaches the bark.
    meshes[0].colour = meshes[0].colour * np.where(meshes[0].position[:, 1:2] > 1.0, 0.45, 1.0)
    for ring in range(count):
        # Whorls stand closer toward the tip.
        t = 1.0 - (1.0 - ring / (count - 0.35)) ** 1.12
        following = 1.0 - (1.0 - min((ring + 1) / (count - 0.35), 1.0)) ** 1.12
        crown = SPRUCE_HEIGHT - first
        gap = (following - t) * crown
        height = first + t * crown + 0.25 * gap * spread(seed, ring, 9)
        if near:
            branches = 10 - ring // 4 if ring < 15 else 6
            meshes.append(_whorl(seed, ring, height + 0.30, t, gap, branches, ridge=ring < 15))
        else:
            meshes.append(_whorl(seed, ring, height + 0.30, t, gap, 8 - ring // 2, ridge=False))
    tip_base = SPRUCE_HEIGHT - (0.9 if near else 1.4)
    tip = tube((0, tip_base, 0), (0, SPRUCE_HEIGHT, 0), 0.16, NEEDLE, 0.012, 4)
    tip.extra = np.full(len(tip.position), 110.0)
    meshes.append(tip)
    return join(meshes)


Blob = tuple[tuple[float, float, float], tuple[float, float, float]]

_BLOBS: tuple[Blob, ...] = (
    ((0.05, 5.7, 0.0), (2.35, 2.5, 2.3)),
    ((1.85, 4.6, 0.75), (1.65, 1.4, 1.6)),
    ((-1.75, 4.9, 0.9), (1.7, 1.45, 1.6)),
    ((1.0, 5.0, -1.75), (1.7, 1.45, 1.55)),
    ((-1.25, 4.5, -1.45), (1.5, 1.3, 1.45)),
    ((0.15, 4.3, 2.05), (1.5, 1.3, 1.35)),
    ((0.75, 7.35, 0.35), (1.65, 1.5, 1.6)),
    ((-0.85, 7.55, -0.35), (1.55, 1.7, 1.5)),
)
"""Crown of the broadleaved tree: centre and half axes of each clump of leaves."""

CROWN_CENTRE = np.array([0.0, 5.2, 0.0])


def _leaf_colour(position: Array, seed: int, centre: Array) -> Array:
    """Colours that brighten toward the outside and the top, with a change from clump to clump."""
    height = np.clip((position[:, 1] - 3.0) / 6.2, 0.0, 1.0)
    away = np.sqrt(np.sum((position - CROWN_CENTRE) ** 2, axis=1)) / 3.3
    light = np.clip(0.30 + 0.42 * height + 0.42 * (away - 0.75), 0.0, 1.0)
    speck = np.array([spread(seed, *(int(round(1000 * c)) for c in p)) for p in position])
    light = np.clip(light + 0.15 * speck + 0.16 * spread(seed, 77), 0.0, 1.0)[:, None]
    dark, middle, bright = np.asarray(LEAF_DARK), np.asarray(LEAF), np.asarray(LEAF_LIGHT)
    out = np.where(
        light < 0.5, dark + (middle - dark) * 2.0 * light, middle + (bright - middle) * (2.0 * light - 1.0)
    )
    warm = 1.0 + 0.10 * spread(seed, 78)
    return np.clip(out * np.array([warm, 1.0, 1.0]), 0.0, 1.0)


def _core(seed: int, blob: Blob) -> Mesh:
    """The dark inside of a clump, which closes the gaps between its leaves."""
    centre, half = blob
    direction, index = icosphere(0)
    position = direction * (0.80 * np.asarray(half)) + np.asarray(centre)
    normal = normalised(direction + normalised(position - CROWN_CENTRE))
    colour = 0.62 * _leaf_colour(position, seed, np.asarray(centre))
    return Mesh(position, normal, colour, np.full(len(position), 40.0), index)


def _spray(
    seed: int, place: Array, outward: Array, size: float, colour: Array, crown: Array, varied: float
) -> Mesh:
    """A spray of leaves: two triangles that leave the clump and hang over. `extra` rises to the rim, which frays."""
    side = np.array([spread(seed, 1), spread(seed, 2) - 0.35, spread(seed, 3)])
    side = normalised(side - outward * float(np.sum(side * outward)))
    across = np.cross(outward, side)
    lift = 0.16 + 0.50 * unit(seed, 4)
    long, wide = size * (0.80 + 0.55 * unit(seed, 5)), size * (0.52 + 0.28 * unit(seed, 6))
    base = place - side * 0.55 * long - outward * 0.12
    tip = place + side * 0.60 * long + outward * lift * long - np.array([0.0, 0.10 * long, 0.0])
    middle = place + outward * (0.55 * lift * long + 0.05)
    points = np.array([base, middle + across * wide, middle - across * wide, tip])
    normal = normalised(0.9 * outward + 0.9 * crown + 0.25 * side + np.array([0.0, 0.25, 0.0]))
    tone = 1.0 + 0.24 * varied * spread(seed, 7)
    shade = np.array([0.66, 0.95, 0.95, 1.16])[:, None] * tone
    index = np.array([[0, 2, 1], [1, 2, 3]])
    extra = 255.0 * np.array([0.35, 0.94, 0.94, 1.0])
    return Mesh(points, np.tile(normal, (4, 1)), np.clip(shade * colour, 0.0, 1.0), extra, index)


def _sprays(count: int, size: float, seed: int, varied: float = 1.0) -> list[Mesh]:
    """`count` sprays, or a few less, over the clumps of the crown, evenly by area."""
    area = np.array([half[0] * half[1] + half[1] * half[2] + half[0] * half[2] for _, half in _BLOBS])
    found = []
    for number, (centre, half) in enumerate(_BLOBS):
        own = int(round(1.62 * count * area[number] / area.sum()))
        for leaf in range(own):
            up = 1.0 - 2.0 * (leaf + 0.5) / own
            angle = 2.39996323 * leaf + 6.28 * unit(seed, number)
            flat = math.sqrt(max(0.0, 1.0 - up * up))
            way = np.array([flat * float(cos(angle)), up, flat * float(sin(angle))])
            place = np.asarray(centre) + way * np.asarray(half) * (0.90 + 0.16 * spread(seed, number, leaf))
            others = [other for other in _BLOBS if other[0] != centre]
            inside = any(
                float(np.sum(((place - np.asarray(c)) / (0.90 * np.asarray(h))) ** 2)) < 1.0
                for c, h in others
            )
            if inside:
                continue
            # Undersides are flatter than tops.
            if up < 0.0:
                place[1] = centre[1] + 0.72 * (place[1] - centre[1])
            outward = normalised(way / np.asarray(half))
            colour = _leaf_colour(place[None], 31 + number, np.asarray(centre))[0]
            crown = normalised(place - CROWN_CENTRE)
            key = 1000 * seed + 100 * number + leaf
            found.append(
                _spray(key, place, outward, size, colour * (0.82 + 0.18 * max(up, -0.6)), crown, varied)
            )
    return found


def _outside(mesh: Mesh, others: list[Blob]) -> Mesh:
    """The mesh without the triangles that lie wholly inside another blob."""
    hidden = np.zeros(len(mesh.position), bool)
    for centre, half in others:
        scaled = (mesh.position - np.asarray(centre)) / (0.86 * np.asarray(half))
        hidden |= np.sum(scaled * scaled, axis=1) < 1.0
    keep = ~hidden[mesh.index].all(axis=1)
    used, index = np.unique(mesh.index[keep], return_inverse=True)
    return Mesh(
        mesh.position[used], mesh.normal[used], mesh.colour[used], mesh.extra[used], index.reshape(-1, 3)
    )


def _hull(direction: Array) -> Array:
    """Distance from the crown's centre to the outside of all clumps along unit vectors."""
    best = np.full(len(direction), 0.6)
    for centre, half in _BLOBS:
        scale = 1.0 / np.asarray(half)
        start, ray = (CROWN_CENTRE - np.asarray(centre)) * scale, direction * scale
        a = np.sum(ray * ray, axis=1)
        b = np.sum(ray * start, axis=1)
        root = b * b - a * (float(np.sum(start * start)) - 1.0)
        best = np.maximum(best, np.where(root > 0.0, (np.sqrt(np.maximum(root, 0.0)) - b) / a, 0.0))
    return best


def broadleaf(near: bool) -> Mesh:
    """A broadleaved tree of 9.5 m; about 690 triangles near, 145 in the middle distance."""
    r = BROADLEAF_TRUNK
    if not near:
        trunk = tube((0, -0.6, 0), (0.08, 4.0, 0.0), r * 1.2, BARK_LIGHT, r * 0.6, 4)
        direction, index = icosphere(1)
        # Clumps and hollows, one a vertex: bright ones stand out, dark ones lie back.
        clump = np.array([spread(57, vertex) for vertex in range(len(direction))])[:, None]
        position = CROWN_CENTRE + direction * (0.86 * _hull(direction))[:, None] * (1.0 + 0.13 * clump)
        colour = (0.88 + 0.30 * clump) * _leaf_colour(position, 31, CROWN_CENTRE)
        normal = normalised(0.7 * smooth_normals(position, index) + 0.7 * direction)
        core = Mesh(position, normal, colour, np.full(len(position), 120.0), index)
        return join([_bark(trunk), core, *_sprays(29, 1.12, 92, 0.8)])
    wood = [
        tube((0, -0.6, 0), (0.08, 2.3, 0.0), r * 1.2, BARK_LIGHT, r * 0.78, 7),
        tube((0.08, 2.25, 0), (0.12, 5.0, 0.05), r * 0.78, BARK_LIGHT, 0.07, 5),
    ]
    for limb, (centre, _) in enumerate(_BLOBS[1:5]):
        wood.append(
            tube((0.08, 1.9 + 0.18 * limb, 0.0), 0.97 * np.asarray(centre), r * 0.45, BARK_LIGHT, 0.05, 3)
        )
    inner = [
        _outside(_core(31 + number, blob), [other for other in _BLOBS if other[0] != blob[0]])
        for number, blob in enumerate(_BLOBS)
    ]
    return join([*[_bark(part) for part in wood], *inner, *_sprays(232, 0.86, 91)])
