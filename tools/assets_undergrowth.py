"""What grows between the trees: a tuft of grass (and one of fewer blades), a flower and a small shrub.

Each is of middling size, for the game to scale. Colours are not colours: red is how light a place of the plant is,
green the share of the flower's own colour; the game takes the green of the turf around. `extra` is 255 × how freely
it moves.
"""

from __future__ import annotations

import math

import numpy as np
from assets_mesh import Array, Mesh, cos, join, normalised, sin, spread, unit


def _sheet(
    points: list[Array], light: list[float], own: float, free: list[float], index: list[list[int]]
) -> Mesh:
    """Triangles that are seen from both sides, lit as if they looked up and outward."""
    position = np.array(points)
    outward = position * np.array([1.0, 0.0, 1.0])
    normal = normalised(outward + np.array([0.0, 0.25, 0.0]))
    colour = np.stack([np.array(light), np.full(len(light), own), np.zeros(len(light))], axis=1)
    return Mesh(position, normal, colour, 255.0 * np.array(free), np.array(index))


def _blade(
    seed: int, blade: int, count: int, height: float, width: float, spread_m: float, joints: int
) -> Mesh:
    """A blade that leans outward and bends over: `joints` joints and a tip."""
    angle = 2.0 * math.pi * (blade + 0.7 * unit(seed, blade, 1)) / count
    away = np.array([float(cos(angle)), 0.0, float(sin(angle))])
    twist = angle + 1.3 * spread(seed, blade, 2)
    side = np.array([-float(sin(twist)), 0.0, float(cos(twist))])
    root = away * spread_m * math.sqrt(unit(seed, blade, 3))
    tall = height * (0.62 + 0.38 * unit(seed, blade, 4))
    lean = 0.22 + 0.42 * unit(seed, blade, 5)
    own_light = 0.80 + 0.40 * unit(seed, blade, 6)
    points, light, free = [], [], []
    for joint in range(joints):
        t = joint / joints
        middle = root + away * (lean * tall * t * t) + np.array([0.0, tall * (t - 0.16 * t * t * lean), 0.0])
        half = side * (0.5 * width * (1.0 - 0.35 * t))
        points += [middle - half, middle + half]
        light += [own_light * (0.10 + 0.62 * t)] * 2
        free += [t] * 2
    points.append(root + away * (lean * tall) + np.array([0.0, tall * (1.0 - 0.16 * lean), 0.0]))
    light.append(own_light * 0.80)
    free.append(1.0)
    index = []
    for joint in range(joints - 1):
        a = 2 * joint
        index += [[a, a + 1, a + 2], [a + 1, a + 3, a + 2]]
    index.append([2 * joints - 2, 2 * joints - 1, 2 * joints])
    return _sheet(points, light, 0.0, free, index)


def tuft(blades: int, width: float, joints: int, seed: int) -> Mesh:
    """Grass about 0.26 m high."""
    return join([_blade(seed, n, blades, 0.27, width, 0.13, joints) for n in range(blades)])


def flower() -> Mesh:
    """A few stalks with leaves at the foot and round heads of petals, about 0.27 m high; 56 triangles."""
    seed = 41
    parts = [_blade(seed, n, 4, 0.15, 0.022, 0.04, 1) for n in range(4)]
    for stalk in range(3):
        angle = 2.0 * math.pi * (stalk + 0.5 * unit(seed, stalk, 11)) / 3
        away = np.array([float(cos(angle)), 0.0, float(sin(angle))])
        side = np.array([-away[2], 0.0, away[0]])
        tall = 0.20 + 0.09 * unit(seed, stalk, 12)
        foot = away * 0.03
        top = away * (0.05 + 0.05 * unit(seed, stalk, 13)) + np.array([0.0, tall, 0.0])
        parts.append(
            _sheet(
                [foot - side * 0.004, foot + side * 0.004, top],
                [0.15, 0.15, 0.6],
                0.0,
                [0.0, 0.0, 1.0],
                [[0, 1, 2]],
            )
        )
        petals = 5
        # A shallow cup that looks up and outward.
        up = normalised(np.array([0.0, 1.0, 0.0]) + 0.45 * away)
        across = normalised(np.cross(up, side))
        points, light = [top + up * 0.004], [0.45]
        for petal in range(2 * petals):
            turn = math.pi * petal / petals
            reach = 0.030 if petal % 2 == 0 else 0.014
            points.append(top + (side * float(cos(turn)) + across * float(sin(turn))) * reach + up * 0.010)
            light.append(1.0 if petal % 2 == 0 else 0.7)
        index = [[0, 1 + n, 1 + (n + 1) % (2 * petals)] for n in range(2 * petals)]
        parts.append(_sheet(points, light, 1.0, [1.0] * len(points), index))
    return join(parts)


def shrub() -> Mesh:
    """A low bush of leafy twigs, about 0.9 m high and 1.2 m wide; 200 triangles."""
    seed = 53
    parts = []
    count = 50
    for twig in range(count):
        # Evenly over the upper half of a flattened ball.
        t = (twig + 0.5) / count
        angle = twig * 2.39996323 + 0.5 * spread(seed, twig, 1)
        rise = 0.05 + 0.95 * t
        flat = math.sqrt(max(0.0, 1.0 - rise * rise))
        way = np.array([flat * float(cos(angle)), rise, flat * float(sin(angle))])
        reach = 0.78 + 0.34 * unit(seed, twig, 2)
        tip = way * np.array([0.62, 0.88, 0.62]) * reach
        side = normalised(np.cross(way, np.array([spread(seed, twig, 3), 0.6, spread(seed, twig, 4)])))
        thick = 0.10 + 0.08 * unit(seed, twig, 5)
        over = normalised(np.cross(side, way))
        base, middle = 0.45 * tip, 0.78 * tip
        shade = 0.75 + 0.5 * unit(seed, twig, 6)
        points = [
            base,
            middle - side * thick + over * 0.05,
            middle + side * thick + over * 0.05,
            tip,
            middle - over * 0.07,
        ]
        light = [0.05 * shade, 0.42 * shade, 0.46 * shade, (0.62 + 0.2 * rise) * shade, 0.3 * shade]
        free = [0.2, 0.7, 0.7, 1.0, 0.7]
        leaf = _sheet(points, light, 0.0, free, [[0, 1, 4], [0, 4, 2], [1, 3, 4], [4, 3, 2]])
        leaf.normal = normalised(np.tile(way, (len(points), 1)) + 0.5 * leaf.normal)
        parts.append(leaf)
    return join(parts)


def undergrowth() -> dict[str, Mesh]:
    """All of them by name."""
    return {
        "tuft": tuft(9, 0.017, 2, 21),
        "tuft_few": tuft(6, 0.030, 1, 22),
        "flower": flower(),
        "shrub": shrub(),
    }
