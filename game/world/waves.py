"""The waves of the open sea: which there are, how high each is, and the surface they make at a place and time.

The one table of waves: the shader's uniforms are filled from it, and floating things ask `surface_offset_m`.
Every wave has a whole number of periods in `TILE_PERIOD_M` along x and z and in `TIME_PERIOD_S`, so that positions
and time may be taken modulo those: phases are small and exact at ±1e9 m, and nothing jumps where they wrap.

Source: Gerstner's waves as in Fournier and Reeves, "A Simple Model of Ocean Waves" (1986); deep-water dispersion
ω² = g·k. The spectrum is a shape chosen by eye that grows with the wave height, not a measured one.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from game.core.units import TILE_PERIOD_M, TIME_PERIOD_S

_G = 9.81
_WAVELENGTHS_M = (118.0, 83.0, 57.0, 41.0, 29.0, 20.5, 14.3, 10.1, 7.1, 4.9)
_TURNS_RAD = (0.05, -0.34, 0.42, -0.12, 0.62, -0.58, 0.24, -0.85, 0.95, -0.27)
"""Directions about the wind's: long waves run with it, short ones spread."""

WIND_RAD = 2.35
"""Heading of the waves in the (x, z) plane, from +x toward +z: they run to the south-west."""

WAVES = len(_WAVELENGTHS_M)
CHOP = 0.82
"""Sum of k·A over the waves up to which crests sharpen; at 1 they would loop."""


def _table() -> NDArray[np.int64]:
    rows = []
    for length, turn in zip(_WAVELENGTHS_M, _TURNS_RAD, strict=True):
        turns = TILE_PERIOD_M / length
        a = round(turns * math.cos(WIND_RAD + turn))
        b = round(turns * math.sin(WIND_RAD + turn))
        k = 2.0 * math.pi * math.hypot(a, b) / TILE_PERIOD_M
        rows.append((a, b, round(math.sqrt(_G * k) * TIME_PERIOD_S / (2.0 * math.pi))))
    return np.array(rows, np.int64)


PERIODS: NDArray[np.int64] = _table()
"""int64 [WAVES, 3] whole periods of each wave along x and z of `TILE_PERIOD_M`, and in `TIME_PERIOD_S`."""
PERIODS.setflags(write=False)

_K_1_M: NDArray[np.float64] = 2.0 * np.pi * np.hypot(PERIODS[:, 0], PERIODS[:, 1]) / TILE_PERIOD_M


def amplitudes_m(significant_m: float) -> NDArray[np.float64]:
    """float64 [WAVES] amplitude of each wave of a sea of this significant height, metres.

    Significant height is four standard deviations of the surface: 4·√(Σ A²/2). Raises `ValueError` when negative.
    """
    if not (math.isfinite(significant_m) and significant_m >= 0.0):
        raise ValueError(f"significant_m = {significant_m!r} is not accepted; give 0 metres or more")
    lengths = 2.0 * np.pi / _K_1_M
    peak_m = 5.0 + 17.0 * significant_m
    share = lengths * np.exp(-(np.maximum(lengths / peak_m - 1.0, 0.0) ** 2) * 2.0)
    found: NDArray[np.float64] = share * (
        significant_m / (4.0 * math.sqrt(float(np.sum(share * share)) / 2.0))
    )
    return found


def wave_rows(significant_m: float) -> NDArray[np.float32]:
    """float32 [WAVES, 4] for the shader: periods along x and z, periods in time, amplitude in metres."""
    rows = np.empty((WAVES, 4), np.float32)
    rows[:, :3] = PERIODS
    rows[:, 3] = amplitudes_m(significant_m)
    return rows


def chop(significant_m: float) -> float:
    """How far crests are drawn together, 0…1 of Gerstner's: less where the sum of slopes would make loops."""
    return float(min(1.0, CHOP / max(float(np.sum(_K_1_M * amplitudes_m(significant_m))), 1e-6)))


def surface_offset_m(significant_m: float, x: float, z: float, time_s: float) -> float:
    """Height of the open sea over its level at world (x, z) and simulated time, metres; as the shader draws it."""
    amplitude = amplitudes_m(significant_m)
    turns = (x % TILE_PERIOD_M * PERIODS[:, 0] + z % TILE_PERIOD_M * PERIODS[:, 1]) / TILE_PERIOD_M
    beat = time_s % TIME_PERIOD_S * PERIODS[:, 2] / TIME_PERIOD_S
    flat = 2.0 * np.pi * (turns - beat)
    push = chop(significant_m) * amplitude * np.cos(flat) / np.hypot(PERIODS[:, 0], PERIODS[:, 1])
    # The surface at x was pushed here from x + Σ push: one step back is enough for waves that do not loop.
    back_x, back_z = float(np.sum(push * PERIODS[:, 0])), float(np.sum(push * PERIODS[:, 1]))
    moved = flat - 2.0 * np.pi * (back_x * PERIODS[:, 0] + back_z * PERIODS[:, 1]) / TILE_PERIOD_M
    return float(np.sum(amplitude * np.sin(moved)))


def runup_m(significant_m: float) -> float:
    """How high waves run up a gentle beach over the sea's level, metres; chosen by eye."""
    return 0.06 + 0.22 * significant_m


def breaking_share(depth_m: NDArray[np.float64] | float, significant_m: float) -> NDArray[np.float64]:
    """Share of a wave's height that is left where the water is `depth_m` deep, 0…1: `waves.glsl` does the same."""
    deep = np.maximum(np.asarray(depth_m, np.float64), 0.0)
    found: NDArray[np.float64] = 1.0 - np.exp(-1.3 * deep / (significant_m + 0.15))
    return found
