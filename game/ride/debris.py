"""What the wheels throw up: dust from dry bare ground, drops from wet ground and water, chips, powder from snow.

Each fixed step emits by surface, speed and slip into a ring of particles. Where one is later follows from where, when
and how fast it left, so nothing is simulated after that and the shader alone works it out. Deterministic: chance is a
hash of the particle's number. The amounts are chosen for the eye; none was measured.
"""

from __future__ import annotations

import math

from game.ecs.components import Bicycle, Debris, Season, Weather
from game.ecs.schedule import System
from game.ecs.world import EntityWorld
from game.kernels.hashing import hash_cell, unit_float
from game.ride.contact import WHEELBASE_M
from game.ride.power import smoothstep
from game.ride.surface import SurfaceMap
from game.world.seasons import season_look

MOST = 160
"""Particles kept; a new one takes the place of the oldest."""

DUST, DROP, CHIP, POWDER = 0, 1, 2, 3
LIFE_S = (1.5, 0.55, 0.6, 0.9)
"""How long each kind is seen."""

DUST_PER_M = 4.0
DROPS_PER_M = 4.0
CHIPS_PER_M = 1.6
POWDER_PER_M = 5.0
PER_M = (DUST_PER_M, DROPS_PER_M, CHIPS_PER_M, POWDER_PER_M)
"""Particles per metre of way (or of sliding) on ground that gives all it can."""

SLIDING = 4.0
"""A wheel that slides throws up as much as one that rolls this many times the way."""

SLOWEST_M_S = 1.5
FULL_M_S = 6.0
SPLASH_TO_M = 0.45
"""From and to which speed wheels throw more; in deeper water than this they only wade."""


def amounts(
    temperature_c: float,
    humidity: float,
    rock: float,
    tree_density: float,
    wetness: float = 0.0,
    water_m: float = 0.0,
    snow: float = 0.0,
) -> tuple[float, float, float, float]:
    """How much dust, drops, chips and powder a surface gives, each 0…1. All but temperature and `water_m` are 0…1.

    `water_m` is the depth of water over the ground, negative above it.
    """
    stone = smoothstep(0.25, 0.85, rock)
    under = smoothstep(-0.02, 0.06, water_m) * (1.0 - smoothstep(SPLASH_TO_M, 2.0 * SPLASH_TO_M, water_m))
    bare = 1.0 - smoothstep(-0.02, 0.02, water_m)
    arid = smoothstep(16.0, 25.0, temperature_c) * (1.0 - smoothstep(0.18, 0.42, humidity))
    # Green turf holds its soil; straw and the bare ground between it do not.
    earth = 0.40 * (1.0 - smoothstep(0.08, 0.24, humidity))
    loose = max(arid, earth * (1.0 - 0.6 * min(1.0, tree_density)))
    dust = loose * (1.0 - 0.65 * stone) * (1.0 - snow) * (1.0 - smoothstep(0.05, 0.30, wetness)) * bare
    drops = max(under, 0.55 * smoothstep(0.25, 0.80, wetness) * bare * (1.0 - snow))
    chips = stone * (1.0 - snow) * bare
    return dust, drops, chips, snow * bare * (1.0 - 0.6 * stone)


def make_debris_system(surfaces: SurfaceMap, seed: int) -> System:
    """System that fills the `Debris` of every entity with a `Bicycle`. Runs after the wheels have moved."""
    own_seed = seed & 0xFFFFFFFF

    def debris_system(world: EntityWorld, step_s: float) -> None:
        weather = next((found[0] for _, found in world.each(Weather)), Weather(sea_level_m=-math.inf))
        season = next((found[0] for _, found in world.each(Season)), Season())
        for _, (rider, debris) in world.each(Bicycle, Debris):
            debris.clock_s += step_s
            emit(rider, debris, surfaces, weather, season, own_seed, step_s)

    return debris_system


def emit(
    rider: Bicycle,
    debris: Debris,
    surfaces: SurfaceMap,
    weather: Weather,
    season: Season,
    seed: int,
    step_s: float,
) -> None:
    """One step's particles."""
    speed = abs(rider.speed_m_s)
    if rider.airborne or rider.fallen_s > 0.0 or rider.afloat_s > 0.0 or speed < SLOWEST_M_S:
        return
    climate = surfaces.climate(rider.x, rider.z)
    warmer = season_look(season.day, season.warmth_c).warmer_c
    snow = 1.0 - smoothstep(-5.0, -1.0, climate[0] + warmer)
    water_m = weather.sea_level_m - rider.y
    shares = amounts(
        *climate, weather.wetness, max(water_m, rider.wading_m if rider.wading_m > 0.0 else water_m), snow
    )
    slides = rider.front_locked or rider.rear_locked
    way_m = speed * step_s * (SLIDING if slides else 1.0)
    # Rolling gently disturbs little; hard landings disturb much.
    force = 1.0 if slides else smoothstep(SLOWEST_M_S, FULL_M_S, speed)
    way_m += 0.35 * rider.impact_m_s
    for kind, (share, per_m) in enumerate(zip(shares, PER_M, strict=True)):
        debris.owed[kind] += share * per_m * way_m * force
        while debris.owed[kind] >= 1.0:
            debris.owed[kind] -= 1.0
            _throw(rider, debris, kind, climate, seed, slides)


def _throw(
    rider: Bicycle,
    debris: Debris,
    kind: int,
    climate: tuple[float, float, float, float],
    seed: int,
    slides: bool,
) -> None:
    number = debris.thrown
    chance = [float(unit_float(hash_cell(number, channel, seed))) for channel in range(6)]
    sin_y, cos_y = math.sin(rider.yaw_rad), math.cos(rider.yaw_rad)
    # The rear wheel throws two thirds, more where it slides.
    rear = chance[0] < (0.85 if slides and rider.rear_locked else 0.66)
    along = (-0.5 if rear else 0.5) * WHEELBASE_M
    aside = 0.16 * (chance[1] - 0.5)
    rise = along * math.tan(rider.pitch_rad)
    speed = rider.speed_m_s
    if kind == DUST:
        forward, out, up = 0.22 * speed, 1.1 * (chance[2] - 0.5), 0.25 + 0.55 * chance[3]
    elif kind == DROP:
        forward = speed * (0.25 + 0.5 * chance[4])
        out, up = (1.0 if chance[2] < 0.5 else -1.0) * (0.3 + 1.4 * chance[5]), 0.8 + 0.20 * speed * chance[3]
    elif kind == POWDER:
        forward, out, up = 0.35 * speed, 1.6 * (chance[2] - 0.5), 0.5 + 0.14 * speed * chance[3]
    else:
        forward, out, up = speed * (0.1 + 0.6 * chance[4]), 2.6 * (chance[2] - 0.5), 0.7 + 1.9 * chance[3]
    arid = smoothstep(16.0, 25.0, climate[0]) * (1.0 - smoothstep(0.18, 0.42, climate[1]))
    row = (
        rider.x + sin_y * along + cos_y * aside,
        rider.y + rise + 0.03,
        rider.z - cos_y * along + sin_y * aside,
        sin_y * forward + cos_y * out,
        up + rider.vy_m_s * forward / max(abs(speed), 0.1),
        -cos_y * forward + sin_y * out,
        debris.clock_s,
        LIFE_S[kind] * (0.7 + 0.6 * chance[5]),
        float(kind),
        chance[4],
        arid,
    )
    slot = number % MOST
    if slot < len(debris.rows):
        debris.rows[slot] = row
    else:
        debris.rows.append(row)
    debris.thrown = number + 1
