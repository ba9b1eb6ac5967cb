"""One edit operation: what a brush is told, checked, as a row for the kernels and as an object for JSON.

Owns names, ranges and the two forms. Knows neither the log nor the land.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from game.core.coords import WORLD_LIMIT_M
from game.kernels import brush as kernels
from game.world.deltas import Delta

BRUSHES = {
    "raise": kernels.RAISE,
    "lower": kernels.LOWER,
    "flatten": kernels.FLATTEN,
    "ramp": kernels.RAMP,
    "peak": kernels.PEAK,
    "canyon": kernels.CANYON,
    "kicker": kernels.KICKER,
    "restore": kernels.RESTORE,
}
"""Brushes that are evaluated on every level, and their codes in operation rows."""

DELTA = "delta"
"""Brush name of a baked operation in JSON: what smoothing or an imported heightmap changed."""

FALLOFFS = {
    "gaussian": kernels.GAUSSIAN,
    "smoothstep": kernels.SMOOTHSTEP,
    "linear": kernels.LINEAR,
    "cone": kernels.CONE,
}
"""How a brush fades toward its rim; see `kernels.brush.falloff_at`."""

RADIUS_M = (0.5, 2000.0)
STRENGTH_M = (0.0, 500.0)
"""Accepted ranges, metres; a strength must be more than 0."""

SMOOTH_RADIUS_M = 500.0
"""Largest radius of the smooth brush, which is baked sample by sample; the tool's other brushes end there too."""

HEIGHT_M = 20_000.0
"""Heights an operation may aim at lie within ± this."""

DELTA_RADIUS_M = (0.5, 1e6)
"""Sizes of baked operations: an imported heightmap may be wide."""

RAMP_LENGTH_M = (1.0, 4000.0)
KICKER_LENGTH_M = (4.0, 200.0)
_SIDE_M = 1.0

_BRUSH_NAMES = {code: name for name, code in BRUSHES.items()}
_FALLOFF_NAMES = {code: name for name, code in FALLOFFS.items()}

Row = NDArray[np.float64]
"""[14], see `kernels.brush.OP_COLUMNS`."""


def number(key: str, value: object, low: float = -math.inf, high: float = math.inf) -> float:
    """`value` as a finite float in low…high, or `ValueError` naming the key and what is accepted."""
    if type(value) is float and low <= value <= high and abs(value) < math.inf:
        return value
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise ValueError(f"{key} = {value!r} is not accepted; give a number")
    try:
        found = float(value)
    except OverflowError:  # a whole number of more than 300 digits
        found = math.inf
    if not math.isfinite(found):
        raise ValueError(f"{key} = {value!r} is not accepted; give a finite number")
    if not low <= found <= high:
        raise ValueError(f"{key} = {value!r} is not accepted; give {low:.10g} to {high:.10g}")
    return found


def _position(key: str, value: object) -> float:
    found = number(key, value)
    if abs(found) > WORLD_LIMIT_M:
        raise ValueError(
            f"{key} = {found!r} is not accepted; give metres from -{WORLD_LIMIT_M:.0f} to {WORLD_LIMIT_M:.0f}"
        )
    return found


def operation(
    brush: object,
    x: object,
    z: object,
    radius_m: object,
    strength_m: object,
    *,
    falloff: object = "gaussian",
    target_m: object = None,
    end_x: object = None,
    end_z: object = None,
    end_m: object = None,
    heading_x: object = None,
    heading_z: object = None,
    length_m: object = None,
    seed: object = 0,
) -> Row:
    """The row of one analytic operation, or `ValueError` naming the value and what is accepted.

    `strength_m` is the change at the centre, positive also for `lower`; for `flatten`, `ramp` and `restore` the
    furthest the land is moved; for `kicker` the height of its lip. `target_m`: the height `flatten` aims at and
    `ramp` starts from; `end_x`, `end_z`, `end_m`: where a ramp ends; `heading_x`, `heading_z` (a direction, any
    length) and `length_m`: the way a kicker is ridden and how long it is, around (x, z); `seed` 0…2^32−1 of the
    noise of `peak` and `canyon`.
    """
    if not isinstance(brush, str) or brush not in BRUSHES:
        raise ValueError(f"brush = {brush!r} is not known; use one of {', '.join(BRUSHES)}")
    if not isinstance(falloff, str) or falloff not in FALLOFFS:
        raise ValueError(f"falloff = {falloff!r} is not known; use one of {', '.join(FALLOFFS)}")
    east, south = _position("x", x), _position("z", z)
    radius, strength = number("radius_m", radius_m), number("strength_m", strength_m)
    if not RADIUS_M[0] <= radius <= RADIUS_M[1]:
        raise ValueError(
            f"radius_m = {radius!r} is not accepted; give {RADIUS_M[0]:g} to {RADIUS_M[1]:g} metres"
        )
    if not STRENGTH_M[0] < strength <= STRENGTH_M[1]:
        raise ValueError(
            f"strength_m = {strength!r} is not accepted; give more than {STRENGTH_M[0]:g} "
            f"and up to {STRENGTH_M[1]:g} metres"
        )
    # A list: setting an array's elements one by one takes a world of 50,000 dabs a second.
    row = [0.0] * kernels.OP_COLUMNS
    row[kernels.OP_BRUSH] = BRUSHES[brush]
    row[kernels.OP_X] = row[kernels.OP_CENTRE_X] = east
    row[kernels.OP_Z] = row[kernels.OP_CENTRE_Z] = south
    row[kernels.OP_RADIUS] = row[kernels.OP_REACH] = radius
    row[kernels.OP_STRENGTH] = strength
    row[kernels.OP_FALLOFF] = FALLOFFS[falloff]
    if brush == "flatten":
        row[kernels.OP_A] = number("target_m", target_m, -HEIGHT_M, HEIGHT_M)
    elif brush == "ramp":
        _ramp(row, _position("end_x", end_x), _position("end_z", end_z))
        row[kernels.OP_C] = number("target_m", target_m, -HEIGHT_M, HEIGHT_M)
        row[kernels.OP_D] = number("end_m", end_m, -HEIGHT_M, HEIGHT_M)
    elif brush == "kicker":
        way = number("heading_x", heading_x, -2.0, 2.0), number("heading_z", heading_z, -2.0, 2.0)
        _kicker(row, *way, number("length_m", length_m, *KICKER_LENGTH_M))
    elif brush in ("peak", "canyon"):
        row[kernels.OP_A] = math.floor(number("seed", seed, 0, 2**32 - 1))
    return np.array(row, np.float64)


def _ramp(row: list[float], end_x: float, end_z: float) -> None:
    run_x, run_z = end_x - row[kernels.OP_X], end_z - row[kernels.OP_Z]
    length = math.sqrt(run_x * run_x + run_z * run_z)
    if not RAMP_LENGTH_M[0] <= length <= RAMP_LENGTH_M[1]:
        raise ValueError(
            f"a ramp of {length:.2f} m is not accepted; give points {RAMP_LENGTH_M[0]:g} to "
            f"{RAMP_LENGTH_M[1]:g} metres apart"
        )
    row[kernels.OP_A], row[kernels.OP_B] = end_x, end_z
    row[kernels.OP_CENTRE_X] += 0.5 * run_x
    row[kernels.OP_CENTRE_Z] += 0.5 * run_z
    row[kernels.OP_REACH] = 0.5 * length + row[kernels.OP_RADIUS] + _SIDE_M


def _kicker(row: list[float], heading_x: float, heading_z: float, length: float) -> None:
    size = math.sqrt(heading_x * heading_x + heading_z * heading_z)
    if size < 0.1:
        raise ValueError(f"a heading of ({heading_x!r}, {heading_z!r}) is not accepted; give a direction")
    if abs(size - 1.0) > 1e-12:  # a saved heading comes back with the same bits
        heading_x, heading_z = heading_x / size, heading_z / size
    row[kernels.OP_A], row[kernels.OP_B], row[kernels.OP_C] = heading_x, heading_z, length
    half_width = row[kernels.OP_RADIUS]
    row[kernels.OP_REACH] = math.sqrt(0.25 * length * length + half_width * half_width) + _SIDE_M


def delta_row(delta: Delta, radius_m: float, delta_number: int) -> Row:
    """The row of a baked operation; `radius_m` says from which level on it is too small to show."""
    row = np.zeros(kernels.OP_COLUMNS)
    row[kernels.OP_BRUSH] = kernels.DELTA
    row[kernels.OP_X] = row[kernels.OP_CENTRE_X] = delta.i0 + 0.5 * (delta.ni - 1)
    row[kernels.OP_Z] = row[kernels.OP_CENTRE_Z] = delta.j0 + 0.5 * (delta.nj - 1)
    row[kernels.OP_RADIUS] = number("radius_m", radius_m, *DELTA_RADIUS_M)
    row[kernels.OP_C], row[kernels.OP_D] = 0.5 * (delta.ni - 1), 0.5 * (delta.nj - 1)
    # Filtering carries a sample at most two coarse spacings outward, and no level coarser than the radius shows it.
    row[kernels.OP_REACH] = 0.5 * max(delta.ni, delta.nj) + 2.0 * row[kernels.OP_RADIUS]
    row[kernels.OP_STRENGTH] = 1.0
    row[kernels.OP_DELTA] = delta_number
    return row


def to_json(row: Row) -> dict[str, Any]:
    """Plain data of an analytic operation's row, for `json`."""
    values: list[float] = row.tolist()
    brush = _BRUSH_NAMES[int(values[kernels.OP_BRUSH])]
    item: dict[str, Any] = {
        "brush": brush,
        "x": values[kernels.OP_X],
        "z": values[kernels.OP_Z],
        "radius_m": values[kernels.OP_RADIUS],
        "strength_m": values[kernels.OP_STRENGTH],
    }
    if values[kernels.OP_FALLOFF] != kernels.GAUSSIAN:
        item["falloff"] = _FALLOFF_NAMES[int(values[kernels.OP_FALLOFF])]
    a, b, c, d = values[kernels.OP_A : kernels.OP_D + 1]
    if brush == "flatten":
        item["target_m"] = a
    elif brush == "ramp":
        item |= {"end_x": a, "end_z": b, "target_m": c, "end_m": d}
    elif brush == "kicker":
        item |= {"heading_x": a, "heading_z": b, "length_m": c}
    elif brush in ("peak", "canyon"):
        item["seed"] = int(a)
    return item


_COMMON = ("brush", "x", "z", "radius_m", "strength_m")
_OWN = {
    "flatten": ("target_m",),
    "ramp": ("target_m", "end_x", "end_z", "end_m"),
    "kicker": ("heading_x", "heading_z", "length_m"),
    "peak": ("seed",),
    "canyon": ("seed",),
}


def from_json(item: object) -> Row:
    """The row of an analytic operation's JSON object; `ValueError` names the key that is missing or wrong."""
    if not isinstance(item, dict):
        raise ValueError(f"{item!r} is not an object with brush, x, z, radius_m, strength_m")
    own = _OWN.get(item["brush"], ()) if isinstance(item.get("brush"), str) else ()
    for key in (*_COMMON, *own):
        if key not in item:
            raise ValueError(f"the key {key!r} is missing")
    named = {key: item[key] for key in own}
    return operation(*(item[key] for key in _COMMON), falloff=item.get("falloff", "gaussian"), **named)
