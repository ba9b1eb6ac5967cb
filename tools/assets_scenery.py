"""What stands beside trees, each of unit length along x: stone, log, panel of a fence, gate, arches of timed runs.

The game stretches them: a stone by radius and height, a log by length and radius, the others by length only (their
posts and rails keep their thickness for the lengths of `game.kernels.scenery`). y 0 is the land.
"""

from __future__ import annotations

import numpy as np
from assets_mesh import (
    Array,
    Colour,
    Mesh,
    box,
    build,
    icosphere,
    join,
    loft,
    normalised,
    spread,
    unit,
)

PANEL_M = 3.2
GATE_M = 2.8
POST_M = 0.09
GATE_HEIGHT_M = 2.75
ARCH_M = 20.4

STONE: Colour = (0.53, 0.52, 0.495)
STONE_DARK: Colour = (0.35, 0.34, 0.32)
LICHEN: Colour = (0.54, 0.55, 0.40)
BARK: Colour = (0.44, 0.365, 0.29)
MOSS: Colour = (0.36, 0.41, 0.20)
CUT: Colour = (0.78, 0.64, 0.44)
WOOD: Colour = (0.60, 0.545, 0.47)


def stone(subdivisions: int = 2) -> Mesh:
    """A weathered block of radius 1 and height 1 whose lower third is in the land; 320 triangles, 80 with 1."""
    sphere, index = icosphere(subdivisions)
    # Cut by a few planes: a stone is a block that lost its corners, not a bubble.
    reach = np.ones(len(sphere))
    for cut in range(13):
        normal = normalised(np.array([spread(5, cut, k) for k in range(3)]))
        depth = 0.70 + 0.22 * unit(5, cut, 9)
        along = np.einsum("ij,j->i", sphere, normal)
        reach = np.where(along > 0.0, np.minimum(reach, depth / np.maximum(along, 1e-6)), reach)
    rough = np.array([0.035 * spread(6, *(int(round(1e4 * c)) for c in point)) for point in sphere])
    position = sphere * (reach + rough)[:, None]
    position = position * np.array([1.0, 0.74, 0.86]) + np.array([0.0, 0.28, 0.0])
    position[:, 1] /= position[:, 1].max()
    mesh = build(position, index, STONE)

    def paint(place: Array, normal: Array) -> Array:
        low = np.clip((place[:, 1] + 0.1) / 0.55, 0.0, 1.0)[:, None]
        up = np.clip(normal[:, 1] - 0.35, 0.0, 1.0)[:, None]
        speck = np.array([unit(8, *(int(round(1e4 * c)) for c in point)) for point in place])[:, None]
        colour = np.array(STONE_DARK) + (np.array(STONE) - np.array(STONE_DARK)) * low
        return colour * (0.88 + 0.24 * speck) + 0.45 * up * speck * (np.array(LICHEN) - colour)

    return mesh.painted(paint)


def log() -> Mesh:
    """A felled trunk of length 1 along x and radius 1, lying on the land; its ends are cut."""
    sides, sections = 10, 7
    turn = np.linspace(0.0, 2.0 * np.pi, sides + 1)
    points, colours = [], []
    for k in range(sections):
        x = -0.5 + k / (sections - 1)
        radius = 1.0 - 0.16 * k / (sections - 1) + 0.05 * spread(21, k)
        knob = np.array([1.0 + 0.07 * spread(22, k, n % sides) for n in range(sides + 1)])
        ring = np.stack(
            [
                np.full(sides + 1, x),
                0.9 + radius * knob * np.round(np.cos(turn), 12),
                radius * knob * np.round(np.sin(turn), 12),
            ],
            axis=1,
        )
        points.append(ring)
        shade = 0.85 + 0.3 * unit(23, k)
        colours.append(np.array(BARK) * shade)
    body = _tube_of(np.stack(points), np.array(colours))

    def paint(place: Array, normal: Array) -> Array:
        moss = np.clip(normal[:, 1] - 0.3, 0.0, 1.0)[:, None]
        dark = np.clip(place[:, 1] / 0.9, 0.25, 1.0)[:, None]
        return (np.array(BARK) + 0.75 * moss * (np.array(MOSS) - np.array(BARK))) * (0.55 + 0.45 * dark)

    caps = [_cap(points[0], -1.0), _cap(points[-1], 1.0)]
    return join([body.painted(paint), *caps])


def _tube_of(points: Array, colours: Array) -> Mesh:
    rows, columns, _ = points.shape
    row, column = np.meshgrid(np.arange(rows - 1), np.arange(columns - 1), indexing="ij")
    a = (row * columns + column).reshape(-1)
    index = np.concatenate(
        [np.stack([a, a + columns + 1, a + 1], 1), np.stack([a, a + columns, a + columns + 1], 1)]
    )
    return _outward(build(points.reshape(-1, 3), index, np.repeat(colours, columns, axis=0)))


def _outward(mesh: Mesh) -> Mesh:
    """The mesh with its triangles turned so that they face away from the axis y = 0.9, z = 0."""
    away = mesh.position * np.array([0.0, 1.0, 1.0]) - np.array([0.0, 0.9, 0.0])
    if float(np.sum(away * mesh.normal)) < 0.0:
        return Mesh(mesh.position, -mesh.normal, mesh.colour, mesh.extra, mesh.index[:, ::-1])
    return mesh


def _cap(ring: Array, side: float) -> Mesh:
    """A cut end: lighter wood, ringed."""
    middle = ring[:-1].mean(axis=0)
    count = len(ring) - 1
    position = np.concatenate([middle[None], ring[:-1]])
    index = np.array([[0, 1 + k, 1 + (k + 1) % count] for k in range(count)])
    corner = position[index[0]]
    if float(np.cross(corner[1] - corner[0], corner[2] - corner[0])[0]) * side < 0.0:
        index = index[:, ::-1]
    mesh = build(position, index, CUT)
    mesh.normal = np.tile(np.array([side, 0.0, 0.0]), (len(position), 1))
    mesh.colour[1:] *= 0.82
    return mesh


def _bar(
    start: tuple[float, float, float], end: tuple[float, float, float], size: float, number: int
) -> Mesh:
    """A split rail or post of four rounded sides; lengths in metres, before the division by the whole length."""
    a, b = np.asarray(start), np.asarray(end)
    along = normalised(b - a)
    hint = np.array([0.0, 0.0, 1.0]) if abs(along[2]) < 0.9 else np.array([1.0, 0.0, 0.0])
    z = normalised(np.cross(np.cross(along, hint), along))
    x = np.cross(along, z)
    length = float(np.sqrt(np.sum((b - a) ** 2)))
    wide = 1.0 + 0.18 * spread(31, number)
    bar = loft(
        [
            (0.0, 0.0, 0.0, size * wide, size / wide),
            (0.0, length, 0.0, 0.92 * size * wide, 0.95 * size / wide),
        ],
        np.array(WOOD) * (0.85 + 0.3 * unit(32, number)),
        6,
        3.0,
    )
    return bar.moved(np.stack([x, along, z], axis=1), a)


def _of_length(mesh: Mesh, length_m: float) -> Mesh:
    position = mesh.position / np.array([length_m, 1.0, 1.0])
    shade = np.clip(0.55 + 0.5 * mesh.position[:, 1:2], 0.55, 1.0)
    return Mesh(position, mesh.normal, mesh.colour * shade, mesh.extra, mesh.index)


def panel() -> Mesh:
    """A length of fence: two posts and two rails."""
    half = 0.5 * PANEL_M
    bars = [_bar((side * half, -0.5, 0.0), (side * half, 1.12, 0.0), 0.07, 1) for side in (-1.0, 1.0)]
    for number, height in ((2, 0.52), (3, 0.95)):
        sag = 0.03 * spread(33, number)
        bars.append(_bar((-half - 0.12, height, 0.08), (half + 0.12, height + sag, 0.08), 0.05, number))
    return _of_length(join(bars), PANEL_M)


def gate() -> Mesh:
    """An open gateway: two tall posts, a beam across them with braces, and the leaf swung back on one side."""
    half = 0.5 * GATE_M
    bars = [
        _bar((side * half, -0.6, 0.0), (side * half, GATE_HEIGHT_M, 0.0), POST_M, 4 + k)
        for k, side in enumerate((-1.0, 1.0))
    ]
    top = GATE_HEIGHT_M - 0.14
    bars.append(_bar((-half - 0.35, top, 0.0), (half + 0.35, top + 0.02, 0.0), 0.085, 6))
    for k, side in enumerate((-1.0, 1.0)):
        bars.append(_bar((side * half, top - 0.55, 0.0), (side * (half - 0.5), top, 0.0), 0.05, 7 + k))
    return _of_length(join(bars), GATE_M)


def _arch(even: Colour, odd: Colour, post: Colour) -> Mesh:
    """An arch over a line of a timed run: two poles and a cloth of two rows of fields between them."""
    half, low, high, fields = 0.5 * ARCH_M, 3.3, 4.1, 40
    poles = []
    for side in (-1.0, 1.0):
        for band in range(8):
            colour = post if band % 2 else (0.93, 0.93, 0.91)
            poles.append(box((side * half, -0.25 + 0.6 * band, 0.0), (0.13, 0.6, 0.13), colour))
    position, index, colours = [], [], []
    for row in range(2):
        for column in range(fields):
            west, east = (-half + ARCH_M * k / fields for k in (column, column + 1))
            bottom = low + 0.5 * (high - low) * row
            top = bottom + 0.5 * (high - low)
            for z, order in ((-0.02, (0, 2, 1, 0, 3, 2)), (0.02, (0, 1, 2, 0, 2, 3))):
                first = len(position)
                position += [(west, bottom, z), (east, bottom, z), (east, top, z), (west, top, z)]
                index += [[first + k for k in order[:3]], [first + k for k in order[3:]]]
                colours += [odd if (row + column // 2) % 2 else even] * 4
    cloth = build(np.array(position), np.array(index), np.array(colours))
    mesh = join([*poles, cloth])
    mesh.position = mesh.position / np.array([ARCH_M, 1.0, 1.0])
    return mesh


def start() -> Mesh:
    """Where the clock begins: green."""
    return _arch((0.13, 0.52, 0.25), (0.90, 0.92, 0.88), (0.13, 0.52, 0.25))


def finish() -> Mesh:
    """Where it stops: black and white."""
    return _arch((0.06, 0.06, 0.07), (0.93, 0.93, 0.91), (0.70, 0.10, 0.08))


def scenery() -> dict[str, Mesh]:
    """Every mesh by the name the game knows it under."""
    return {
        "stone": stone(),
        "log": log(),
        "panel": panel(),
        "gate": gate(),
        "start": start(),
        "finish": finish(),
        "stone_far": stone(1),
    }
