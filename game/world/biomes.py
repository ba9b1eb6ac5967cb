"""Biomes: smooth weights from temperature, humidity, height and slope; names for people, and land for plants.

Every weight is a product of soft thresholds, so that there is no line where one biome ends. The shader has its own
palette from the same climate; here is what scripts, tests and the map ask for. Pure numpy, no state.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

BIOMES = (
    "glacier",
    "tundra",
    "alpine meadow",
    "conifer forest",
    "broadleaf forest",
    "rain forest",
    "steppe",
    "desert",
    "beach",
    "marsh",
)
"""Order of the weights."""

CLASSIC_SOFT = 0.03
"""Half the width of a transition in `classic_weights`."""

_F = NDArray[np.float64]


def _above(low: float, high: float, value: _F) -> _F:
    """Smoothstep from 0 at `low` to 1 at `high`."""
    t = np.clip((value - low) / (high - low), 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


def _between(a: float, b: float, c: float, d: float, value: _F) -> _F:
    """0 below a, 1 from b to c, 0 above d."""
    return _above(a, b, value) * (1.0 - _above(c, d, value))


def _normalised(weights: dict[str, _F]) -> _F:
    """Weights [..., len(BIOMES)] that sum to 1."""
    stacked: _F = np.stack(np.broadcast_arrays(*(weights[name] for name in BIOMES)), axis=-1)
    return stacked / stacked.sum(axis=-1, keepdims=True)


def biome_weights(temperature_c: ArrayLike, humidity: ArrayLike, height_m: ArrayLike, slope: ArrayLike) -> _F:
    """Weights float64 [..., len(BIOMES)], each 0…1, together 1.

    `temperature_c` mean at the ground, °C; `humidity` 0…1; `height_m` metres above the sea; `slope` rise over run.
    Arrays are broadcast.
    """
    t, h, y, s = (np.asarray(v, np.float64) for v in (temperature_c, humidity, height_m, slope))
    flat = 1.0 - _above(0.06, 0.14, s)
    beach = _between(-3.0, 0.0, 3.0, 7.0, y) * (1.0 - _above(0.12, 0.30, s)) * _above(2.0, 8.0, t)
    inland = 1.0 - beach
    marsh = inland * flat * _above(0.68, 0.82, h) * _above(2.0, 6.0, t) * (1.0 - _above(60.0, 140.0, y))
    land = inland * (1.0 - marsh)
    ice = (1.0 - _above(-4.0, -1.0, t)) * _above(0.22, 0.40, h)
    cold = (1.0 - ice) * (1.0 - _above(2.0, 4.5, t))
    warm = _above(2.0, 4.5, t)
    arid = _above(12.0, 17.0, t) * (1.0 - _above(0.16, 0.26, h))
    dry = (1.0 - arid) * (1.0 - _above(0.26, 0.42, h))
    moist = (1.0 - arid) * (1.0 - dry)
    high = (1.0 - _above(5.0, 7.5, t)) * _above(350.0, 700.0, y)
    wet = _above(18.0, 21.0, t) * _above(0.56, 0.68, h)
    leafy = _above(9.0, 13.0, t)
    wood = warm * moist * (1.0 - high)
    return _normalised(
        {
            "glacier": land * ice,
            "tundra": land * cold,
            "alpine meadow": land * warm * moist * high,
            "conifer forest": land * wood * (1.0 - leafy),
            "broadleaf forest": land * wood * leafy * (1.0 - wet),
            "rain forest": land * wood * leafy * wet,
            "steppe": land * warm * dry,
            "desert": land * warm * arid,
            "beach": beach,
            "marsh": marsh,
        }
    )


def classic_weights(temperature: ArrayLike, humidity: ArrayLike, height: ArrayLike) -> _F:
    """Weights of the `classic` recipe, float64 [..., len(BIOMES)], from three fields of 0…1.

    Glacier where T < 0.2, H > 0.4, h > 0.7; desert where T > 0.7, H < 0.3, h < 0.4; rain forest where T > 0.4,
    H > 0.6, h < 0.6; each blurred by `CLASSIC_SOFT` either way. What they leave goes to tundra, conifer and broadleaf
    forest and steppe by temperature and humidity.
    """
    t, h, y = (np.asarray(v, np.float64) for v in (temperature, humidity, height))

    def more(value: _F, edge: float) -> _F:
        return _above(edge - CLASSIC_SOFT, edge + CLASSIC_SOFT, value)

    def less(value: _F, edge: float) -> _F:
        return 1.0 - more(value, edge)

    # Glacier and the others exclude each other by temperature; rain forest and desert by humidity.
    glacier = less(t, 0.2) * more(h, 0.4) * more(y, 0.7)
    desert = more(t, 0.7) * less(h, 0.3) * less(y, 0.4)
    rain = more(t, 0.4) * more(h, 0.6) * less(y, 0.6)
    rest = np.maximum(1.0 - glacier - desert - rain, 0.0)
    cold, dry = less(t, 0.3), less(h, 0.4)
    nothing = np.zeros_like(rest)
    return _normalised(
        {
            "glacier": glacier,
            "tundra": rest * cold,
            "alpine meadow": nothing,
            "conifer forest": rest * (1.0 - cold) * (1.0 - dry) * less(t, 0.5),
            "broadleaf forest": rest * (1.0 - cold) * (1.0 - dry) * more(t, 0.5),
            "rain forest": rain,
            "steppe": rest * (1.0 - cold) * dry,
            "desert": desert,
            "beach": nothing,
            "marsh": nothing,
        }
    )
