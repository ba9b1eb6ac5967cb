"""What the tyres roll on: rolling resistance and grip from climate, rock, wood and wetness.

Owns the blend from climate to `Surface`, and a small cache of climates by place, a function of the place alone, so
that a replay does not depend on what was asked before. Values are chosen for play, their order as on real ground
(rock and firm soil roll best, snow and sand worst, wet ground grips less); none was measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from game.core.coords import WORLD_LIMIT_M
from game.ride.power import CRR, smoothstep

ClimateAt = Callable[[float, float], tuple[float, float, float, float]]
"""(temperature °C, humidity, rock, tree density) at world (x, z), the last three 0…1."""

CELL_M = 8
"""Side of a cell that counts as one surface."""

_MOST_CELLS = 4096

CRR_ROCK = 0.0045
CRR_WOOD = 0.0065
CRR_SAND = 0.012
CRR_SNOW = 0.012
CRR_WET = 1.35
"""Rolling resistance beside firm ground's, and the factor of soaked soil."""

GRIP_ROCK = 0.95
GRIP_WOOD = 0.92
GRIP_SAND = 0.78
GRIP_SNOW = 0.62
"""Share of full grip when dry."""

GRIP_LOST_WET = 0.15
GRIP_LOST_WET_ROCK = 0.30
"""Share of grip that soaked soil and soaked rock lose."""

CRR_PER_STREAM_M = 0.22
"""Rolling resistance that a metre of running water would add: 10 cm add as much as two kinds of sand."""

STREAM_MOST_M = 0.5
STREAM_FULL_M = 0.08
GRIP_LOST_STREAM = 0.12
"""Share of grip lost in a stream, all of it from `STREAM_FULL_M` on."""

SNOW_BELOW_C = -1.0
SNOW_FULL_C = -5.0
SAND_FROM_C = 18.0
SAND_FULL_C = 26.0
SAND_DRY = 0.18
SAND_MOIST = 0.38
"""Where snow and sand begin and are complete: temperature, and humidity for sand."""


@dataclass(frozen=True, slots=True)
class Surface:
    """What the tyres roll on."""

    crr: float = CRR
    grip: float = 1.0
    """Share of full grip, 0…1: wet rock, sand and snow have less."""


FIRM = Surface()


def surface_of(
    temperature_c: float,
    humidity: float,
    rock: float,
    tree_density: float,
    wetness: float = 0.0,
    warmer_c: float = 0.0,
) -> Surface:
    """Surface of a place. `humidity`, `rock`, `tree_density` and `wetness` (0 dry … 1 soaked) are 0…1.

    The season's `warmer_c` melts snow or lays it; sand goes by the place's own `temperature_c`.
    """
    wet = min(1.0, max(0.0, wetness))
    rock = smoothstep(0.25, 0.85, rock)
    soil = 1.0 - rock
    snow = (1.0 - smoothstep(SNOW_FULL_C, SNOW_BELOW_C, temperature_c + warmer_c)) * (1.0 - 0.5 * rock)
    sand = smoothstep(SAND_FROM_C, SAND_FULL_C, temperature_c) * soil
    sand *= 1.0 - smoothstep(SAND_DRY, SAND_MOIST, humidity)
    wood = min(1.0, max(0.0, tree_density)) * soil
    crr = CRR + rock * (CRR_ROCK - CRR)
    grip = 1.0 + rock * (GRIP_ROCK - 1.0)
    for share, its_crr, its_grip in (
        (wood, CRR_WOOD, GRIP_WOOD),
        (sand, CRR_SAND, GRIP_SAND),
        (snow, CRR_SNOW, GRIP_SNOW),
    ):
        crr += share * (its_crr - crr)
        grip += share * (its_grip - grip)
    # Damp sand packs: it loses nothing more by water.
    soaked = wet * (1.0 - sand)
    crr *= 1.0 + soaked * soil * (CRR_WET - 1.0)
    grip *= 1.0 - soaked * (GRIP_LOST_WET + rock * (GRIP_LOST_WET_ROCK - GRIP_LOST_WET))
    return Surface(crr, grip)


def in_stream(surface: Surface, depth_m: float) -> Surface:
    """`surface` under running water of `depth_m`: it holds the wheels back, and stones under it are slippery."""
    deep = min(STREAM_MOST_M, max(0.0, depth_m))
    lost = GRIP_LOST_STREAM * min(1.0, deep / STREAM_FULL_M)
    return Surface(surface.crr + CRR_PER_STREAM_M * deep, surface.grip * (1.0 - lost))


class SurfaceMap:
    """Surfaces of a world. Main thread only."""

    def __init__(self, climate_at: ClimateAt) -> None:
        self._climate_at = climate_at
        self._cells: dict[tuple[int, int], tuple[float, float, float, float]] = {}
        self._last: tuple[tuple[int, int], float, float, Surface] | None = None

    def at(self, x: float, z: float, wetness: float = 0.0, warmer_c: float = 0.0) -> Surface:
        """Surface at world (x, z) metres, the same all over a cell of `CELL_M`.

        `warmer_c`: degrees that the season adds to the place's climate.
        """
        cell = (math.floor(x / CELL_M), math.floor(z / CELL_M))
        # Seasons creep: a twentieth of a degree is no other surface.
        warmer_c = round(20.0 * warmer_c) / 20.0
        if self._last is not None and self._last[:3] == (cell, wetness, warmer_c):
            return self._last[3]
        surface = surface_of(*self._climate(cell), wetness, warmer_c)
        self._last = (cell, wetness, warmer_c, surface)
        return surface

    def climate(self, x: float, z: float) -> tuple[float, float, float, float]:
        """(temperature °C, humidity, rock, tree density) of the cell at world (x, z) metres."""
        return self._climate((math.floor(x / CELL_M), math.floor(z / CELL_M)))

    def _climate(self, cell: tuple[int, int]) -> tuple[float, float, float, float]:
        climate = self._cells.get(cell)
        if climate is None:
            # The middle of the last cell may lie beyond the end of the world.
            middle = (min(WORLD_LIMIT_M, max(-WORLD_LIMIT_M, (n + 0.5) * CELL_M)) for n in cell)
            temperature_c, humidity, rock, trees = self._climate_at(*middle)
            climate = (float(temperature_c), float(humidity), float(rock), float(trees))
            if len(self._cells) >= _MOST_CELLS:
                self._cells.clear()
            self._cells[cell] = climate
        return climate
