"""The bicycle and its rider: every part as a mesh in the space of its joint (see `game.render.skeleton`)."""

# ruff: noqa: RUF005 - `point + (x, y, z)` adds to an array here, it joins no tuples.

from __future__ import annotations

import math

import numpy as np
from assets_mesh import (
    Array,
    Colour,
    Mesh,
    box,
    cos,
    ellipsoid,
    frame_along,
    join,
    lathe,
    loft,
    path,
    rings,
    sin,
    torus,
    tube,
)

from game.render import skeleton as bones

PAINT: Colour = (0.07, 0.36, 0.66)
PAINT_LIGHT: Colour = (0.90, 0.93, 0.95)
BLACK: Colour = (0.055, 0.055, 0.065)
RUBBER: Colour = (0.085, 0.083, 0.085)
TAN: Colour = (0.46, 0.33, 0.20)
STEEL: Colour = (0.62, 0.64, 0.67)
DARK_STEEL: Colour = (0.25, 0.26, 0.28)
JERSEY: Colour = (0.93, 0.27, 0.07)
JERSEY_DARK: Colour = (0.60, 0.13, 0.05)
WHITE: Colour = (0.94, 0.94, 0.92)
SHORTS: Colour = (0.07, 0.085, 0.13)
SKIN: Colour = (0.80, 0.56, 0.42)
SOCK: Colour = (0.92, 0.92, 0.90)
SHOE: Colour = (0.12, 0.13, 0.15)
GLASS: Colour = (0.05, 0.08, 0.12)
HAIR: Colour = (0.20, 0.12, 0.07)


def _mid(a: bones.Vector, b: bones.Vector, t: float) -> Array:
    return np.asarray(a) * (1.0 - t) + np.asarray(b) * t


def _wheel() -> Mesh:
    """Tyre with tan side walls, rim, 28 spokes and hub, about x at the origin."""
    minor = 0.027
    tyre = torus(bones.WHEEL_RADIUS - minor, minor, RUBBER, 40, 7)
    side = np.abs(tyre.position[:, 0]) > 0.8 * minor
    tyre.colour[side] = TAN
    inner = bones.WHEEL_RADIUS - 2.0 * minor
    rim = lathe(
        [(0.014, inner + 0.012), (0.015, inner - 0.004), (0.006, inner - 0.022), (-0.006, inner - 0.022)]
        + [(-0.015, inner - 0.004), (-0.014, inner + 0.012)],
        BLACK,
        40,
    )
    # The profile runs the inner way round, so its surface must be turned inside out.
    rim = Mesh(rim.position, -rim.normal, rim.colour, rim.extra, rim.index[:, ::-1])
    rim.colour[:] = BLACK
    parts = [tyre, rim]
    count = 28
    for spoke in range(count):
        angle = 2.0 * math.pi * spoke / count
        lace = angle + (0.32 if spoke % 4 < 2 else -0.32)
        flange = 0.028 if spoke % 2 else -0.028
        foot = (flange, 0.026 * float(cos(lace)), 0.026 * float(sin(lace)))
        head = (0.0, (inner - 0.018) * float(cos(angle)), (inner - 0.018) * float(sin(angle)))
        parts.append(tube(foot, head, 0.0017, STEEL, sides=3))
    hub = [(0.05, 0.0), (0.05, 0.009), (0.034, 0.010), (0.032, 0.028), (0.026, 0.028), (0.022, 0.014)]
    hub += [(-x, r) for x, r in reversed(hub)]
    parts.append(lathe(hub, DARK_STEEL, 12))
    # A reflector-like valve and label break the symmetry, so that turning is seen.
    parts.append(box((0.0, inner - 0.028, 0.0), (0.008, 0.03, 0.008), STEEL))
    parts.append(box((0.0, -(inner - 0.05), 0.02), (0.012, 0.045, 0.02), (0.95, 0.55, 0.05)))
    return join(parts)


def _frame() -> Mesh:
    """Main triangle, rear triangle, seat post, saddle, chain and cassette."""
    bb = bones.BOTTOM_BRACKET
    rear = bones.REAR_AXLE
    seat_up = np.array([0.0, 0.9588, 0.284])
    foot, up = np.asarray(bones.STEER_FOOT), np.asarray(bones.STEER_UP)
    head_low, head_high = foot + 0.475 * up, foot + 0.595 * up
    seat_top = np.asarray(bb) + 0.44 * seat_up
    post_top = np.asarray(bb) + 0.675 * seat_up
    parts = [
        tube(head_low, head_high, 0.026, PAINT, 0.024, 12),
        path([head_low + 0.03 * up, _mid(tuple(head_low), bb, 0.5) + (0, 0.012, 0.0), bb], 0.026, PAINT, 10),
        path(
            [
                head_high - 0.03 * up,
                _mid(tuple(head_high), tuple(seat_top), 0.5) + (0, -0.014, 0),
                seat_top - 0.03 * seat_up,
            ],
            0.020,
            PAINT,
            10,
        ),
        tube(bb, seat_top, 0.018, PAINT, 0.017, 10),
        lathe([(0.036, 0.0), (0.036, 0.024), (-0.036, 0.024), (-0.036, 0.0)], PAINT, 12).moved(offset=bb),
        tube(seat_top - 0.02 * seat_up, seat_top + 0.012 * seat_up, 0.021, BLACK, sides=10),
        tube(seat_top, post_top, 0.0145, BLACK, sides=8),
    ]
    for side in (-1.0, 1.0):
        axle = np.asarray(rear) + (side * 0.064, 0, 0)
        parts.append(
            path(
                [np.asarray(bb) + (side * 0.028, 0, 0.01), np.asarray(bb) + (side * 0.05, 0.005, 0.12), axle],
                0.0105,
                PAINT,
                7,
            )
        )
        parts.append(
            path(
                [seat_top + (side * 0.015, -0.05, -0.012), seat_top + (side * 0.05, -0.11, 0.07), axle],
                0.0088,
                PAINT,
                7,
            )
        )
        parts.append(box(axle, (0.012, 0.034, 0.034), DARK_STEEL))
    # White label on the down tube.
    label = _mid(tuple(head_low), bb, 0.45) + (0, 0.012, 0)
    along = np.asarray(bb) - head_low
    for side in (-1.0, 1.0):
        panel = box((0, 0, 0), (0.004, 0.26, 0.022), PAINT_LIGHT)
        parts.append(panel.moved(frame_along(along), label + (side * 0.0255, 0, 0)))
    parts += _saddle(post_top)
    # Cassette on the right, chain along it, derailleur below.
    cogs = [(0.05, 0.0), (0.05, 0.028), (0.044, 0.045), (0.036, 0.062), (0.03, 0.075), (0.028, 0.0)]
    parts.append(lathe(cogs, DARK_STEEL, 18).moved(offset=rear))
    ring, cog = 0.078, 0.050
    for above in (1.0, -1.0):
        a = np.asarray(bb) + (0.043, above * ring, 0.0)
        b = np.asarray(rear) + (0.043, cog if above > 0 else -0.12, 0.0 if above > 0 else -0.02)
        parts.append(tube(a, b, 0.0042, (0.33, 0.31, 0.28), sides=4))
    parts.append(box(np.asarray(rear) + (0.046, -0.075, 0.0), (0.012, 0.11, 0.022), BLACK))
    for drop in (-0.045, -0.115):
        wheel = lathe([(0.005, 0.0), (0.005, 0.021), (-0.005, 0.021), (-0.005, 0.0)], DARK_STEEL, 10)
        parts.append(wheel.moved(offset=np.asarray(rear) + (0.046, drop, -0.012)))
    # Bottle on the down tube.
    bottle_foot = _mid(tuple(head_low), bb, 0.80) + (0, 0.055, 0.02)
    bottle = loft(
        [(0, 0, 0, 0.033, 0.033), (0, 0.11, 0, 0.035, 0.035), (0, 0.13, 0, 0.030, 0.030)]
        + [(0, 0.15, 0, 0.034, 0.034), (0, 0.165, 0, 0.022, 0.022), (0, 0.19, 0, 0.012, 0.012)],
        np.array([WHITE, WHITE, WHITE, WHITE, BLACK, BLACK]),
        10,
    )
    parts.append(bottle.moved(frame_along(head_low - np.asarray(bb)), bottle_foot))
    return join(parts)


def _saddle(post_top: Array) -> list[Mesh]:
    """Saddle with a wide rear and a nose, and its clamp."""
    x, y, z = bones.SADDLE
    table = [(0.10, 0.050, -0.012), (0.075, 0.066, -0.002), (0.03, 0.070, 0.0), (-0.03, 0.045, -0.004)]
    table += [(-0.09, 0.024, -0.006), (-0.15, 0.019, -0.010), (-0.175, 0.012, -0.018)]
    # Lofted along y, then laid down so that y becomes backward.
    sections = [(0.0, back, -(rise - 0.018), half, 0.019) for back, half, rise in reversed(table)]
    lay = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    shell = loft(sections, BLACK, 12, 2.4).moved(lay, (x, y, z))
    # The turn maps z to −y; sections were given with −z up.
    rails = [
        path([(side, y - 0.045, z + 0.06), (side, y - 0.055, z), (side, y - 0.04, z - 0.10)], 0.004, STEEL, 5)
        for side in (-0.02, 0.02)
    ]
    clamp = box(post_top + (0, -0.003, 0), (0.05, 0.028, 0.05), DARK_STEEL)
    return [shell, *rails, clamp]


def _fork() -> Mesh:
    """Suspension fork, stem, flat bar with grips and levers; in model space, unsteered."""
    foot, up = np.asarray(bones.STEER_FOOT), np.asarray(bones.STEER_UP)
    axle = np.asarray(bones.FRONT_AXLE)
    ahead = np.array([0.0, up[2], -up[1]])
    crown = foot + 0.452 * up
    parts = [
        tube(crown - 0.01 * up, crown + 0.03 * up, 0.030, BLACK, sides=10),
        tube(foot + 0.58 * up, foot + 0.655 * up, 0.0185, BLACK, sides=10),
    ]
    for side in (-1.0, 1.0):
        top = crown + (side * 0.066, 0, 0) + 0.010 * ahead
        middle = top + (axle + (side * 0.066, 0, 0) - top) * 0.42
        parts.append(tube(top, middle, 0.0165, STEEL, sides=10))
        parts.append(tube(middle + 0.012 * up, axle + (side * 0.066, 0, 0), 0.0225, BLACK, 0.016, 10))
        parts.append(tube(top - (side * 0.07, 0, 0), top, 0.024, BLACK, 0.022, 8))
        parts.append(box(axle + (side * 0.066, 0, 0), (0.016, 0.04, 0.036), BLACK))
    brace = middle + 0.03 * up
    parts.append(
        path(
            [
                (-0.066, brace[1], brace[2]),
                (0, brace[1] + 0.02, brace[2] - 0.045),
                (0.066, brace[1], brace[2]),
            ],
            0.009,
            BLACK,
            6,
        )
    )
    gx, gy, gz = bones.GRIP
    clamp = np.array([0.0, gy - 0.022, gz - 0.055])
    stem_root = foot + 0.632 * up
    parts.append(tube(stem_root, clamp, 0.019, BLACK, 0.017, 8))
    parts.append(
        path(
            [(-gx - 0.055, gy, gz + 0.008), (-0.2, gy - 0.003, gz - 0.025), (-0.08, gy - 0.02, gz - 0.052)]
            + [(0.08, gy - 0.02, gz - 0.052), (0.2, gy - 0.003, gz - 0.025), (gx + 0.055, gy, gz + 0.008)],
            0.0125,
            BLACK,
            8,
        )
    )
    for side in (-1.0, 1.0):
        inner = np.array([side * (gx - 0.06), gy - 0.0005, gz - 0.009])
        outer = np.array([side * (gx + 0.06), gy, gz + 0.009])
        parts.append(tube(inner, outer, 0.0175, (0.16, 0.16, 0.17), sides=8))
        lever = [inner + (side * -0.03, -0.012, -0.02), inner + (side * 0.01, -0.03, -0.06)]
        parts.append(path([*lever, outer + (side * -0.03, -0.035, -0.06)], 0.006, DARK_STEEL, 5))
        # Brake hose from lever to frame.
        parts.append(
            path(
                [lever[0], lever[0] + (side * -0.06, 0.02, -0.07), crown + (side * 0.03, 0.05, -0.03)],
                0.0035,
                BLACK,
                4,
            )
        )
    return join(parts)


def _crank() -> Mesh:
    """Chainring and both arms about x at the origin; the right arm points up."""
    ring = lathe([(0.0455, 0.058), (0.0455, 0.079), (0.0415, 0.079), (0.0415, 0.058)], DARK_STEEL, 32)
    parts = [ring]
    for arm in range(4):
        angle = math.pi * (arm / 2.0 + 0.25)
        end = (0.043, 0.062 * float(cos(angle)), 0.062 * float(sin(angle)))
        parts.append(tube((0.043, 0, 0), end, 0.008, BLACK, 0.006, 5))
    parts.append(lathe([(0.068, 0.0), (0.068, 0.019), (-0.068, 0.019), (-0.068, 0.0)], BLACK, 12))
    for side in (1.0, -1.0):
        sections = [(side * 0.060, 0.0, 0, 0.010, 0.017), (side * 0.066, 0.09, 0, 0.008, 0.014)]
        sections += [
            (side * 0.072, bones.CRANK, 0, 0.008, 0.014),
            (side * 0.072, bones.CRANK + 0.012, 0, 0.006, 0.008),
        ]
        arm_mesh = loft(sections, BLACK, 8)
        if side < 0:
            arm_mesh = arm_mesh.moved(np.diag([1.0, -1.0, -1.0]))
        parts.append(arm_mesh)
    return join(parts)


def _pedal() -> Mesh:
    """Platform pedal about its axle, for the right; axle reaches inward to the crank."""
    thick = 2.0 * bones.PEDAL_HALF_THICKNESS
    parts = [
        box((0, 0, -0.042), (0.092, thick, 0.016), DARK_STEEL),
        box((0, 0, 0.042), (0.092, thick, 0.016), DARK_STEEL),
        box((0.04, 0, 0), (0.012, thick, 0.07), DARK_STEEL),
        box((-0.04, 0, 0), (0.012, thick, 0.07), DARK_STEEL),
        tube((-0.055, 0, 0), (0.04, 0, 0), 0.009, STEEL, sides=6),
        box((0, 0, -0.0515), (0.05, 0.01, 0.004), (0.95, 0.5, 0.05)),
        box((0, 0, 0.0515), (0.05, 0.01, 0.004), (0.95, 0.5, 0.05)),
    ]
    return join(parts)


def _torso() -> Mesh:
    """Pelvis to neck; origin between the hip joints, y toward the shoulders, z toward the back."""
    t = bones.TORSO
    sections = [
        (0, -0.115, 0.02, 0.070, 0.060),
        (0, -0.085, 0.02, 0.135, 0.105),
        (0, -0.02, 0.025, 0.165, 0.125),
        (0, 0.05, 0.022, 0.160, 0.115),
        (0, 0.12, 0.020, 0.142, 0.100),
        (0, 0.20, 0.028, 0.138, 0.098),
        (0, 0.30, 0.038, 0.160, 0.112),
        (0, 0.38, 0.038, 0.178, 0.115),
        (0, t - 0.04, 0.030, 0.182, 0.100),
        (0, t, 0.020, 0.160, 0.080),
        (0, t + 0.03, 0.010, 0.105, 0.060),
        (0, t + 0.05, 0.002, 0.062, 0.055),
    ]
    body = loft(sections, JERSEY, 20, 2.3)

    def paint(p: Array, n: Array) -> Array:
        out = np.tile(np.asarray(JERSEY), (len(p), 1))
        out[np.abs(n[:, 0]) > 0.82] = JERSEY_DARK
        out[(p[:, 1] > 0.33) & (p[:, 1] < 0.36 + 0.03)] = WHITE
        out[p[:, 1] < 0.07] = SHORTS
        return out

    body = body.painted(paint)
    neck = loft(
        [
            (0, t + 0.02, 0.0, 0.058, 0.056),
            (0, t + 0.06, -0.01, 0.055, 0.056),
            (0, t + 0.13, -0.022, 0.052, 0.055),
        ],
        np.array([JERSEY, SKIN, SKIN]),
        12,
    )
    # Three pockets at the small of the back, as road and gravel jerseys have.
    pockets = [
        ellipsoid((x, 0.115, 0.108), (0.040, 0.060, 0.022), JERSEY_DARK, 10, 6) for x in (-0.074, 0.0, 0.074)
    ]
    return join([body, neck, *pockets])


def _head() -> Mesh:
    """Head, helmet and glasses; origin at the joint of the neck, facing −z."""
    skull = ellipsoid((0, 0.105, -0.035), (0.074, 0.105, 0.092), SKIN, 16, 10)
    jaw = ellipsoid((0, 0.045, -0.065), (0.055, 0.055, 0.062), SKIN, 12, 8)
    nose = ellipsoid((0, 0.088, -0.130), (0.012, 0.024, 0.016), SKIN, 6, 4)
    hair = ellipsoid((0, 0.090, -0.010), (0.076, 0.085, 0.082), HAIR, 14, 8)
    ears = [ellipsoid((x, 0.09, -0.03), (0.010, 0.03, 0.018), SKIN, 6, 4) for x in (-0.076, 0.076)]
    glasses = ellipsoid((0, 0.108, -0.062), (0.079, 0.024, 0.075), GLASS, 16, 6)
    # Helmet: the upper part of an egg, longer toward the back, with dark channels as vents.
    rows, columns = 9, 26
    points = np.zeros((rows, columns + 1, 3))
    turn = np.linspace(0.0, 2.0 * math.pi, columns + 1)
    for row in range(rows):
        lift = math.radians(-14.0 + 104.0 * row / (rows - 1))
        c, s = float(cos(lift)), float(sin(lift))
        x, z = 0.098 * c * cos(turn), c * sin(turn)
        back = np.where(z > 0, 0.150 * z, 0.128 * z)
        points[row, :, 0], points[row, :, 2] = x, back - 0.030
        droop = np.where(z > 0, -0.030 * z * z * (1.0 - row / (rows - 1)), 0.0)
        points[row, :, 1] = 0.138 + (0.105 if lift > 0 else 0.09) * s + droop
    shell = rings(points, WHITE, flip=True)
    column = np.tile(np.arange(columns + 1), rows)
    row_of = np.repeat(np.arange(rows), columns + 1)
    angle = 2.0 * math.pi * column / columns
    x_of = np.abs(np.cos(angle))
    vent = (row_of >= 2) & (row_of <= 6) & (x_of > 0.15) & ((column % 3) == 1)
    shell.colour[vent] = BLACK
    shell.colour[row_of == 0] = BLACK
    shell.colour[(row_of >= 7)] = JERSEY
    visor = loft(
        [(0, -0.062, 0, 0.060, 0.004), (0, -0.02, 0.004, 0.078, 0.005), (0, 0.02, 0.002, 0.080, 0.006)],
        BLACK,
        12,
        3.0,
    )
    lay = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    visor = Mesh(visor.position, visor.normal, visor.colour, visor.extra, visor.index[:, ::-1])
    visor = visor.moved(lay, (0, 0.168, -0.150))
    strap = [tube((x, 0.125, -0.03), (0.0, -0.005, -0.075), 0.004, BLACK, sides=4) for x in (-0.078, 0.078)]
    return join([skull, jaw, nose, hair, *ears, glasses, shell, visor, *strap])


def _thigh() -> Mesh:
    """Hip to knee along −y; the shorts end above the knee."""
    length = bones.THIGH
    sections = [
        (0, -length - 0.035, 0.000, 0.030, 0.032),
        (0, -length, -0.004, 0.054, 0.058),
        (0, -length + 0.06, 0.000, 0.058, 0.062),
        (0, -length + 0.115, 0.002, 0.066, 0.070),
        (0, -length + 0.12, 0.002, 0.072, 0.076),
        (0, -length * 0.5, 0.000, 0.082, 0.086),
        (0, -length * 0.25, 0.004, 0.092, 0.096),
        (0, -0.03, 0.008, 0.096, 0.100),
        (0, 0.05, 0.012, 0.080, 0.085),
        (0, 0.09, 0.012, 0.040, 0.045),
    ]
    colours = np.array([SKIN] * 4 + [SHORTS] * 6)
    return loft(sections, colours, 14)


def _shin() -> Mesh:
    """Knee to ankle along −y, calf toward +z, white sock."""
    length = bones.SHIN
    sections = [
        (0, -length - 0.02, 0.004, 0.030, 0.034),
        (0, -length + 0.02, 0.004, 0.035, 0.038),
        (0, -length + 0.09, 0.006, 0.038, 0.042),
        (0, -length + 0.11, 0.008, 0.040, 0.044),
        (0, -length + 0.115, 0.008, 0.038, 0.042),
        (0, -length + 0.18, 0.016, 0.047, 0.053),
        (0, -0.14, 0.020, 0.056, 0.064),
        (0, -0.07, 0.010, 0.052, 0.058),
        (0, 0.0, 0.000, 0.050, 0.054),
        (0, 0.03, 0.002, 0.030, 0.034),
    ]
    colours = np.array([SOCK] * 4 + [SKIN] * 6)
    return loft(sections, colours, 14)


def _foot() -> Mesh:
    """Shoe; origin at the ankle, toe toward −z."""
    _, sole, ball = bones.FOOT_BALL
    # Lofted along y from heel to toe, then laid down so that y becomes forward.
    sections = [
        (0, -0.062, 0.062, 0.020, 0.022),
        (0, -0.050, 0.050, 0.034, 0.038),
        (0, -0.01, 0.036, 0.038, 0.052),
        (0, 0.05, 0.046, 0.038, 0.042),
        (0, -ball - 0.01, 0.062, 0.047, 0.029),
        (0, -ball + 0.045, 0.070, 0.044, 0.022),
        (0, -ball + 0.08, 0.074, 0.026, 0.016),
    ]
    lay = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, -1.0, 0.0]])
    upper = loft(sections, SHOE, 14, 2.5)
    upper = Mesh(upper.position, upper.normal, upper.colour, upper.extra, upper.index[:, ::-1])
    upper = upper.moved(np.where(lay == 0, 0.0, lay))
    upper.index = _outward(upper)
    plate = loft(
        [(0, -0.060, 0, 0.026, 0.008), (0, 0.0, 0, 0.036, 0.008), (0, 0.06, 0, 0.035, 0.008)]
        + [
            (0, -ball, 0, 0.050, 0.008),
            (0, -ball + 0.05, 0, 0.045, 0.008),
            (0, -ball + 0.085, 0, 0.02, 0.008),
        ],
        WHITE,
        12,
        3.0,
    ).moved(lay, (0, sole + 0.008, 0))
    plate.index = _outward(plate)
    cuff = ellipsoid((0, -0.015, 0.004), (0.039, 0.030, 0.043), SOCK, 12, 6)
    strap = box((0, -0.022, -0.055), (0.055, 0.02, 0.03), JERSEY)
    tilt = frame_along(np.array([0.0, 1.0, 0.45]))
    return join(
        [
            upper,
            plate,
            cuff,
            box((0, 0, 0), (0.074, 0.012, 0.03), JERSEY).moved(tilt, (0, -0.012, -0.06)),
            strap,
        ]
    )


def _outward(mesh: Mesh) -> np.ndarray:
    """Triangles turned so that the closed mesh encloses a positive volume; fixes the normals too."""
    corner = mesh.position[mesh.index]
    volume = float(np.sum(corner[:, 0] * np.cross(corner[:, 1], corner[:, 2])))
    centre = mesh.position - mesh.position.mean(axis=0)
    if float(np.sum(mesh.normal * centre)) < 0.0:
        mesh.normal = -mesh.normal
    return mesh.index if volume > 0.0 else mesh.index[:, ::-1]


def _upper_arm() -> Mesh:
    """Shoulder to elbow along −y; the sleeve ends below the middle."""
    length = bones.UPPER_ARM
    sections = [
        (0, -length - 0.02, 0.0, 0.024, 0.024),
        (0, -length, 0.0, 0.038, 0.038),
        (0, -length * 0.66, 0.0, 0.041, 0.042),
        (0, -length * 0.64, 0.0, 0.050, 0.051),
        (0, -length * 0.35, 0.0, 0.052, 0.055),
        (0, -0.03, 0.0, 0.058, 0.064),
        (0, 0.03, 0.0, 0.054, 0.060),
        (0, 0.065, 0.0, 0.028, 0.032),
    ]
    colours = np.array([SKIN] * 3 + [WHITE] + [JERSEY] * 4)
    return loft(sections, colours, 12)


def _forearm() -> Mesh:
    """Elbow to grip along −y, with a gloved fist around the grip."""
    length = bones.FOREARM
    sections = [
        (0, -length + 0.045, 0.0, 0.027, 0.024),
        (0, -length + 0.09, 0.0, 0.029, 0.026),
        (0, -length * 0.45, 0.0, 0.038, 0.037),
        (0, -0.05, 0.0, 0.042, 0.042),
        (0, 0.0, 0.0, 0.038, 0.038),
        (0, 0.02, 0.0, 0.022, 0.022),
    ]
    arm = loft(sections, SKIN, 12)
    hand = ellipsoid((0, -length + 0.005, 0.0), (0.045, 0.046, 0.036), BLACK, 12, 8)
    cuff = loft([(0, -length + 0.04, 0, 0.033, 0.031), (0, -length + 0.065, 0, 0.033, 0.030)], JERSEY, 10)
    return join([arm, hand, cuff])


def rider() -> Mesh:
    """All parts in one mesh; `extra` is the index into `skeleton.PARTS`."""
    right = {
        "frame": _frame(),
        "fork": _fork(),
        "wheel_front": _wheel(),
        "wheel_rear": _wheel(),
        "crank": _crank(),
        "pedal_right": _pedal(),
        "torso": _torso(),
        "head": _head(),
        "thigh_right": _thigh(),
        "shin_right": _shin(),
        "foot_right": _foot(),
        "upper_arm_right": _upper_arm(),
        "forearm_right": _forearm(),
    }
    meshes = []
    for number, name in enumerate(bones.PARTS):
        mesh = right[name.replace("_left", "_right")]
        if name.endswith("_left"):
            mesh = mesh.mirrored()
        meshes.append(mesh.marked(number))
    return join(meshes)
