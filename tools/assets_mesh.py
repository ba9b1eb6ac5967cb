"""Geometry for the asset builder: meshes made of tubes, lofts, lathes, tori, boxes and spheres.

Owns shapes and their packing into integers. Never reads a file or a clock. Randomness is a hash of integers.
Positions are metres, x right, y up, z backward (forward is −z), counter-clockwise triangles seen from outside.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Colour = tuple[float, float, float]

POSITION_SCALE = 1.0 / 2048.0
"""Metres per unit of a stored position: half a millimetre, ±16 m."""


def cos(angle_rad: float | Array) -> Array:
    """Cosine rounded to twelve places: platforms differ in the last bit, built files must not."""
    return np.round(np.cos(angle_rad), 12)


def sin(angle_rad: float | Array) -> Array:
    """Sine rounded to twelve places (see `cos`)."""
    return np.round(np.sin(angle_rad), 12)


def unit(*channels: int) -> float:
    """Hash of integers to [0, 1): the only randomness of the builder."""
    state = 0x9E3779B97F4A7C15
    for channel in channels:
        state = (state ^ (channel & 0xFFFFFFFFFFFFFFFF)) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
        state ^= state >> 27
        state = state * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
        state ^= state >> 31
    return (state >> 11) / float(1 << 53)


def spread(*channels: int) -> float:
    """Hash of integers to [−1, 1)."""
    return 2.0 * unit(*channels) - 1.0


@dataclass(slots=True)
class Mesh:
    """Triangles with smooth normals and colours."""

    position: Array
    """[n, 3] metres."""
    normal: Array
    """[n, 3] unit length."""
    colour: Array
    """[n, 3] sRGB, 0…1."""
    extra: Array
    """[n] 0…255: part number (rider) or 255 × flexibility (trees)."""
    index: NDArray[np.int64]
    """[m, 3] vertices of each triangle."""

    def moved(self, rotation: Array | None = None, offset: Sequence[float] = (0.0, 0.0, 0.0)) -> Mesh:
        """The mesh turned by a 3 × 3 rotation, then shifted."""
        turn = np.eye(3) if rotation is None else rotation
        # einsum keeps the order of additions fixed; BLAS may not.
        position = np.einsum("ij,nj->ni", turn, self.position) + np.asarray(offset)
        return Mesh(position, np.einsum("ij,nj->ni", turn, self.normal), self.colour, self.extra, self.index)

    def mirrored(self) -> Mesh:
        """The mesh mirrored left to right, triangles still counter-clockwise."""
        flip = np.array([-1.0, 1.0, 1.0])
        return Mesh(self.position * flip, self.normal * flip, self.colour, self.extra, self.index[:, ::-1])

    def marked(self, value: float) -> Mesh:
        """The mesh with `extra` set to one value."""
        return Mesh(
            self.position, self.normal, self.colour, np.full(len(self.position), float(value)), self.index
        )

    def painted(self, paint: Callable[[Array, Array], Array]) -> Mesh:
        """The mesh coloured by `paint(position, normal)`, which returns [n, 3]."""
        return Mesh(self.position, self.normal, paint(self.position, self.normal), self.extra, self.index)


def join(meshes: Sequence[Mesh]) -> Mesh:
    """All `meshes` as one."""
    starts = np.cumsum([0, *[len(mesh.position) for mesh in meshes[:-1]]])
    return Mesh(
        np.concatenate([mesh.position for mesh in meshes]),
        np.concatenate([mesh.normal for mesh in meshes]),
        np.concatenate([mesh.colour for mesh in meshes]),
        np.concatenate([mesh.extra for mesh in meshes]),
        np.concatenate([mesh.index + start for mesh, start in zip(meshes, starts, strict=True)]),
    )


def normalised(vectors: Array) -> Array:
    """Vectors along the last axis scaled to unit length; zero stays zero."""
    length = np.sqrt(np.sum(vectors * vectors, axis=-1, keepdims=True))
    return vectors / np.maximum(length, 1e-12)


def smooth_normals(position: Array, index: NDArray[np.int64]) -> Array:
    """Area-weighted vertex normals; vertices at the same place (seams) share theirs."""
    corner = position[index]
    face = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    key = np.round(position * 1e5).astype(np.int64)
    _, group = np.unique(key, axis=0, return_inverse=True)
    group = group.reshape(-1)
    total = np.zeros((int(group.max()) + 1, 3))
    for side in range(3):
        np.add.at(total, group[index[:, side]], face)
    return normalised(total)[group]


def build(position: Array, index: NDArray[np.int64], colour: Colour | Array) -> Mesh:
    """A mesh from points and triangles; normals are smoothed, degenerate triangles dropped."""
    corner = position[index]
    area = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    index = index[np.sum(area * area, axis=1) > 1e-18]
    colours = np.broadcast_to(np.asarray(colour, float), position.shape).copy()
    return Mesh(position, smooth_normals(position, index), colours, np.zeros(len(position)), index)


def _grid_index(rows: int, columns: int) -> NDArray[np.int64]:
    """Triangles of a grid of rows × columns points, outside seen when columns run counter-clockwise."""
    row, column = np.meshgrid(np.arange(rows - 1), np.arange(columns - 1), indexing="ij")
    a = (row * columns + column).reshape(-1)
    b, c, d = a + 1, a + columns, a + columns + 1
    return np.concatenate([np.stack([a, b, d], 1), np.stack([a, d, c], 1)])


def rings(points: Array, colour: Colour | Array, flip: bool = False) -> Mesh:
    """A surface through closed rings: points [rows, columns, 3], the last column equal to the first."""
    rows, columns, _ = points.shape
    index = _grid_index(rows, columns)
    if flip:
        index = index[:, ::-1]
    colours = np.asarray(colour, float)
    if colours.ndim == 2:
        colours = np.repeat(colours[:, None, :], columns, axis=1).reshape(-1, 3)
    return build(points.reshape(-1, 3), index, colours)


def loft(
    sections: Sequence[Sequence[float]], colour: Colour | Array, sides: int = 14, power: float = 2.0
) -> Mesh:
    """A body through cross sections, closed at both ends.

    Each section is (x, y, z, half width along x, half depth along z), listed from low y to high y;
    `power` 2 is an ellipse, more is squarer. One colour, or one per section.
    """
    table = np.asarray(sections, float)
    angle = np.linspace(0.0, 2.0 * math.pi, sides + 1)
    c, s = cos(angle), sin(angle)
    # Superellipse: |x|^p + |z|^p = 1.
    if power != 2.0:
        radius = 1.0 / np.round((np.abs(c) ** power + np.abs(s) ** power) ** (1.0 / power), 12)
        c, s = c * radius, s * radius
    colours = np.broadcast_to(np.asarray(colour, float), (len(table), 3))
    table = np.concatenate([table[:1], table, table[-1:]])
    table[0, 3:] = table[-1, 3:] = 0.0
    colours = np.concatenate([colours[:1], colours, colours[-1:]])
    points = np.stack(
        [
            table[:, None, 0] + table[:, None, 3] * c,
            np.broadcast_to(table[:, None, 1], (len(table), sides + 1)),
            table[:, None, 2] + table[:, None, 4] * s,
        ],
        axis=2,
    )
    return rings(points, colours, flip=True)


def frame_along(direction: Array) -> Array:
    """Rotation whose y column is the unit `direction` and whose x column is as level as possible."""
    y = normalised(np.asarray(direction, float))
    hint = np.array([1.0, 0.0, 0.0]) if abs(y[0]) < 0.9 else np.array([0.0, 0.0, -1.0])
    z = normalised(np.cross(hint, y))
    return np.stack([np.cross(y, z), y, z], axis=1)


def tube(
    start: Sequence[float],
    end: Sequence[float],
    radius: float,
    colour: Colour,
    end_radius: float | None = None,
    sides: int = 8,
) -> Mesh:
    """A round bar between two points with closed, slightly rounded ends."""
    a, b = np.asarray(start, float), np.asarray(end, float)
    length = float(np.sqrt(np.sum((b - a) ** 2)))
    last = radius if end_radius is None else end_radius
    body = loft([(0, 0, 0, radius, radius), (0, length, 0, last, last)], colour, sides)
    return body.moved(frame_along(b - a), a)


def path(points: Sequence[Sequence[float]], radius: float, colour: Colour, sides: int = 8) -> Mesh:
    """A bent bar through points."""
    p = np.asarray(points, float)
    ahead = np.concatenate([p[1:] - p[:-1], p[-1:] - p[-2:-1]])
    behind = np.concatenate([ahead[:1], p[1:] - p[:-1]])
    angle = np.linspace(0.0, 2.0 * math.pi, sides + 1)
    stack = []
    for point, direction in zip(p, normalised(ahead) + normalised(behind), strict=True):
        turn = frame_along(direction)
        circle = radius * (cos(angle)[:, None] * turn[:, 0] + sin(angle)[:, None] * turn[:, 2])
        stack.append(point + circle)
    stack = [np.repeat(p[:1], sides + 1, 0), *stack, np.repeat(p[-1:], sides + 1, 0)]
    return rings(np.stack(stack), colour, flip=True)


def lathe(profile: Sequence[Sequence[float]], colour: Colour | Array, sides: int = 24) -> Mesh:
    """A body turned about the x axis through a profile of (x, radius), listed from high x to low x."""
    table = np.asarray(profile, float)
    angle = np.linspace(0.0, 2.0 * math.pi, sides + 1)
    points = np.stack(
        [
            np.broadcast_to(table[:, None, 0], (len(table), sides + 1)),
            table[:, None, 1] * cos(angle),
            table[:, None, 1] * sin(angle),
        ],
        axis=2,
    )
    return rings(points, colour, flip=True)


def torus(major: float, minor: float, colour: Colour, segments: int = 40, sides: int = 8) -> Mesh:
    """A tyre about the x axis."""
    turn = np.linspace(0.0, 2.0 * math.pi, sides + 1)
    profile = np.stack([minor * cos(turn), major + minor * sin(turn)], axis=1)
    return lathe(profile, colour, segments)


def box(centre: Sequence[float], size: Sequence[float], colour: Colour) -> Mesh:
    """A box with hard edges."""
    half = np.asarray(size, float) / 2.0
    positions, normals, index = [], [], []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            normal = np.zeros(3)
            normal[axis] = sign
            u, v = np.zeros(3), np.zeros(3)
            u[(axis + 1) % 3] = 1.0
            v[(axis + 2) % 3] = sign
            base = 4 * len(positions)
            positions.append(
                np.stack([(normal + i * u + j * v) * half for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
            )
            normals.append(np.repeat(normal[None], 4, 0))
            index.append([[base, base + 1, base + 2], [base, base + 2, base + 3]])
    position = np.concatenate(positions) + np.asarray(centre, float)
    colours = np.broadcast_to(np.asarray(colour, float), position.shape).copy()
    return Mesh(
        position, np.concatenate(normals), colours, np.zeros(24), np.concatenate(index).astype(np.int64)
    )


def ellipsoid(
    centre: Sequence[float], half: Sequence[float], colour: Colour, sides: int = 14, stacks: int = 9
) -> Mesh:
    """An ellipsoid with its poles along y."""
    lift = np.linspace(-math.pi / 2.0, math.pi / 2.0, stacks + 1)
    turn = np.linspace(0.0, 2.0 * math.pi, sides + 1)
    points = np.stack(
        [
            cos(lift)[:, None] * cos(turn),
            np.broadcast_to(sin(lift)[:, None], (stacks + 1, sides + 1)),
            cos(lift)[:, None] * sin(turn),
        ],
        axis=2,
    )
    return rings(points * np.asarray(half, float) + np.asarray(centre, float), colour, flip=True)


def icosphere(subdivisions: int) -> tuple[Array, NDArray[np.int64]]:
    """Unit vectors and triangles of a subdivided icosahedron (20 · 4^subdivisions triangles)."""
    g = (1.0 + math.sqrt(5.0)) / 2.0
    corners = [(-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g)]
    corners += [(0, -1, -g), (0, 1, -g), (g, 0, -1), (g, 0, 1), (-g, 0, -1), (-g, 0, 1)]
    faces = [(0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4)]
    faces += [(11, 10, 2), (10, 7, 6), (7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8)]
    faces += [(3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10), (8, 6, 7), (9, 8, 1)]
    points = [tuple(point) for point in normalised(np.asarray(corners, float))]
    for _ in range(subdivisions):
        middle: dict[tuple[int, int], int] = {}

        def halfway(a: int, b: int, middle: dict[tuple[int, int], int] = middle) -> int:
            edge = (min(a, b), max(a, b))
            if edge not in middle:
                middle[edge] = len(points)
                points.append(tuple(normalised(np.asarray(points[a]) + np.asarray(points[b]))))
            return middle[edge]

        finer = []
        for a, b, c in faces:
            ab, bc, ca = halfway(a, b), halfway(b, c), halfway(c, a)
            finer += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        faces = finer
    return np.asarray(points), np.asarray(faces, np.int64)


def packed(mesh: Mesh, name: str) -> dict[str, NDArray[np.generic]]:
    """Arrays of one mesh as they are stored: int16 positions, int8 normals, uint8 colours, uint16 index.

    Raises `ValueError` when the mesh does not fit these types.
    """
    position = np.round(mesh.position / POSITION_SCALE)
    if np.abs(position).max() > 32767 or len(position) > 65535:
        raise ValueError(f"mesh {name!r}: give at most 65,535 vertices within ±16 m")
    colour = np.concatenate([np.clip(mesh.colour, 0, 1) * 255.0, mesh.extra[:, None]], axis=1)
    return {
        f"{name}.position": position.astype("<i2"),
        f"{name}.normal": np.round(mesh.normal * 127.0).astype("i1"),
        f"{name}.colour": np.round(colour).astype("u1"),
        f"{name}.index": mesh.index.astype("<u2"),
    }
