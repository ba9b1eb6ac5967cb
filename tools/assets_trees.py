"""Trees at scale 1: a spruce and a broadleaved tree, each as a near and a mid mesh.

Crowns carry normals of the whole crown more than of single faces, so that a tree is lit as one body, and
colours that darken toward the trunk, which stands for light lost between the branches. `extra` is 255 × how
freely the vertex moves in the wind. Trunk radii and heights are those of `game.world.vegetation`.
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

BARK: Colour = (0.27, 0.22, 0.175)
BARK_LIGHT: Colour = (0.33, 0.285, 0.24)
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
    """One whorl of drooping branches around the trunk.

    Each branch is a leaf of four triangles with a raised midrib (two without `ridge`); the notches between
    branches reach in and down, which gives the ragged outline.
    """
    reach = _spruce_radius(t)
    start = 2.0 * math.pi * unit(seed, ring, 1)
    # The apex hides inside the whorl above, so that no trunk shows between two.
    top = np.array([0.0, height + (0.75 if ridge else 1.2) * gap + 0.08, 0.0])
    points, colours, flex, outward = [top], [NEEDLE_DARK], [0.1], [np.array([0.0, 1.0, 0.0])]
    triangles: list[tuple[int, int, int]] = []
    # Low branches sag, high ones point up a little: older wood is heavier.
    droop = 0.56 - 0.50 * t
    per = 3 if ridge else 2
    for branch in range(branches):
        step = 2.0 * math.pi / branches
        angle = start + step * (branch + 0.32 * spread(seed, ring, branch, 2))
        length = reach * (0.98 + 0.30 * spread(seed, ring, branch, 3))
        if unit(seed, ring, branch, 4) < 0.14:
            length *= 0.60
        sag = droop * (1.0 + 0.35 * spread(seed, ring, branch, 5))
        notch_angle = angle + step * (0.5 + 0.12 * spread(seed, ring, branch, 6))
        notch_reach = reach * (0.50 + 0.12 * spread(seed, ring, branch, 7))
        shade = 0.82 + 0.36 * unit(seed, ring, branch, 8)
        places = [(angle, length, height - sag * length, NEEDLE_TIP, 1.0)]
        if ridge:
            places.append(
                (angle + 0.05, 0.58 * length, height - 0.40 * sag * length + 0.10 * gap, NEEDLE, 0.6)
            )
        places.append((notch_angle, notch_reach, height - sag * notch_reach - 0.26 * gap, NEEDLE_DARK, 0.5))
        for a, r, y, colour, bend in places:
            points.append(np.array([r * float(cos(a)), y, r * float(sin(a))]))
            colours.append(tuple(shade * c for c in colour))
            flex.append(bend * (0.35 + 0.65 * t))
            outward.append(np.array([float(cos(a)), 0.0, float(sin(a))]))
    for branch in range(branches):
        tip = 1 + per * branch
        notch = tip + per - 1
        before = 1 + per * ((branch - 1) % branches) + per - 1
        if ridge:
            rib = tip + 1
            triangles += [(0, rib, before), (before, rib, tip), (0, notch, rib), (rib, notch, tip)]
        else:
            triangles += [(0, tip, before), (0, notch, tip)]
    position = np.array(points)
    index = np.array(triangles)
    shape = smooth_normals(position, index)
    # The crown's own slope, mixed with the branch's shape.
    normal = normalised(1.0 * np.array(outward) + np.array([0.0, 0.60, 0.0]) + 0.5 * shape)
    return Mesh(position, normal, np.array(colours), 255.0 * np.array(flex), index)


def _bark(mesh: Mesh) -> Mesh:
    mesh.extra = np.zeros(len(mesh.position))
    return mesh


def spruce(near: bool) -> Mesh:
    """A spruce of 13 m; about 640 triangles near, 120 in the middle distance."""
    seed = 11
    first = 1.15
    count = 19 if near else 8
    sides = 7 if near else 4
    meshes = [_bark(tube((0, -0.6, 0), (0, SPRUCE_HEIGHT * 0.95, 0), SPRUCE_TRUNK * 1.12, BARK, 0.03, sides))]
    if not near:
        meshes = [_bark(tube((0, -0.6, 0), (0, 2.6, 0), SPRUCE_TRUNK * 1.1, BARK, 0.18, sides))]
    for ring in range(count):
        # Whorls stand closer toward the tip.
        t = 1.0 - (1.0 - ring / (count - 0.35)) ** 1.12
        following = 1.0 - (1.0 - min((ring + 1) / (count - 0.35), 1.0)) ** 1.12
        crown = SPRUCE_HEIGHT - first
        gap = (following - t) * crown
        height = first + t * crown + 0.25 * gap * spread(seed, ring, 9)
        if near:
            branches = 11 - ring // 3 if ring < 15 else 6
            meshes.append(_whorl(seed, ring, height + 0.30, t, gap, branches, ridge=ring < 16))
        else:
            meshes.append(_whorl(seed, ring, height + 0.30, t, gap, 7 - ring // 2, ridge=False))
    tip_base = SPRUCE_HEIGHT - (0.9 if near else 1.4)
    tip = tube((0, tip_base, 0), (0, SPRUCE_HEIGHT, 0), 0.16, NEEDLE, 0.012, 4)
    tip.extra = np.full(len(tip.position), 110.0)
    meshes.append(tip)
    return join(meshes)


def _lumpy(seed: int, direction: Array, amount: float) -> Array:
    """Smooth bumps on a sphere: 1 ± `amount`, from a handful of hashed plane waves."""
    total = np.zeros(len(direction))
    for wave in range(7):
        axis = np.array([spread(seed, wave, c) for c in range(3)])
        axis = axis / math.sqrt(float(np.sum(axis * axis)) + 1e-9)
        phase = 6.28 * unit(seed, wave, 3)
        frequency = 2.2 + 4.5 * unit(seed, wave, 4)
        along = direction[:, 0] * axis[0] + direction[:, 1] * axis[1] + direction[:, 2] * axis[2]
        total += sin(frequency * along + phase)
    return 1.0 + amount * total / 2.6


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


def _blob(
    seed: int,
    centre: tuple[float, float, float],
    half: tuple[float, float, float],
    subdivisions: int,
    amount: float,
) -> Mesh:
    """A lumpy ellipsoid of leaves."""
    direction, index = icosphere(subdivisions)
    middle = np.asarray(centre)
    position = direction * _lumpy(seed, direction, amount)[:, None] * np.asarray(half) + middle
    # Undersides are flatter than tops.
    below = position[:, 1] < middle[1]
    position[below, 1] = middle[1] + 0.72 * (position[below, 1] - middle[1])
    shape = smooth_normals(position, index)
    crown = normalised(position - CROWN_CENTRE)
    normal = normalised(0.7 * shape + 0.75 * crown)
    flex = np.full(len(position), 160.0)
    return Mesh(position, normal, _leaf_colour(position, seed, middle), flex, index)


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


def _tufts(mesh: Mesh, seed: int, count: int, size: float) -> Mesh:
    """Loose leaf clusters that stick out of the crown and break its outline: one triangle each."""
    corner = mesh.position[mesh.index]
    points, normals, colours = [], [], []
    for tuft in range(count):
        face = int((tuft + unit(seed, tuft, 1)) / count * len(mesh.index))
        u, v = unit(seed, tuft, 2), unit(seed, tuft, 3)
        if u + v > 1.0:
            u, v = 1.0 - u, 1.0 - v
        a, b, c = corner[face]
        place = a + u * (b - a) + v * (c - a)
        outward = normalised(place - CROWN_CENTRE)
        side = normalised(np.array([spread(seed, tuft, k) for k in (4, 5, 6)]))
        side = normalised(side - outward * float(np.sum(side * outward)))
        across = np.cross(outward, side)
        wide = size * (0.7 + 0.6 * unit(seed, tuft, 7))
        # Nearly along the surface, so that it dapples the crown from the front and frays it at the rim.
        tip = place + outward * wide * (0.18 + 0.22 * unit(seed, tuft, 9)) + side * wide * 0.75
        base = place + outward * 0.10 - side * wide * 0.25
        points += [base + across * wide * 0.45, base - across * wide * 0.45, tip]
        normals += [normalised(outward + 0.3 * side + np.array([0.0, 0.30, 0.0]))] * 3
        tone = mesh.colour[mesh.index[face]].mean(axis=0) * (0.80 + 0.60 * unit(seed, tuft, 8))
        colours += [0.88 * tone, 0.88 * tone, 1.12 * tone]
    colour = np.clip(np.array(colours), 0.0, 1.0)
    index = np.arange(3 * count).reshape(-1, 3)
    return Mesh(np.array(points), np.array(normals), colour, np.full(3 * count, 255.0), index)


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
    """A broadleaved tree of 9.5 m; about 600 triangles near, 110 in the middle distance."""
    r = BROADLEAF_TRUNK
    if not near:
        trunk = tube((0, -0.6, 0), (0.08, 4.0, 0.0), r * 1.2, BARK_LIGHT, r * 0.6, 4)
        direction, index = icosphere(1)
        position = CROWN_CENTRE + direction * (0.96 * _hull(direction) * _lumpy(57, direction, 0.05))[:, None]
        normal = normalised(0.8 * smooth_normals(position, index) + 0.6 * direction)
        colour = _leaf_colour(position, 31, CROWN_CENTRE)
        crown = Mesh(position, normal, colour, np.full(len(position), 160.0), index)
        return join([_bark(trunk), crown, _tufts(crown, 92, 28, 0.95)])
    wood = [
        tube((0, -0.6, 0), (0.08, 2.3, 0.0), r * 1.2, BARK_LIGHT, r * 0.78, 7),
        tube((0.08, 2.25, 0), (0.12, 5.0, 0.05), r * 0.78, BARK_LIGHT, 0.07, 5),
    ]
    for limb, (centre, _) in enumerate(_BLOBS[1:5]):
        wood.append(
            tube((0.08, 1.9 + 0.18 * limb, 0.0), 0.97 * np.asarray(centre), r * 0.45, BARK_LIGHT, 0.05, 3)
        )
    blobs = []
    for number, (centre, half) in enumerate(_BLOBS):
        blob = _blob(31 + number, centre, half, 1, 0.10)
        blobs.append(_outside(blob, [other for other in _BLOBS if other[0] != centre]))
    leaves = join(blobs)
    return join([*[_bark(part) for part in wood], leaves, _tufts(leaves, 91, 150, 0.62)])
