"""Slopes by biome and land in pits, into docs/world.md: `python tools/land_tables.py`.

Everything is measured on the land as pages hold it. Each table goes between a pair of markers in that file; nothing
else there is touched. The same recipes give the same tables.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from game.core.coords import PageKey  # noqa: E402
from game.kernels import flow  # noqa: E402
from game.world import World  # noqa: E402
from game.world.biomes import BIOMES  # noqa: E402

DOCUMENT = ROOT / "docs" / "world.md"
SEEDS = (1, 7, 23, 101)
PLACES = 40
"""Places of each seed, drawn evenly within ±`REACH_M`."""
REACH_M = 400_000
LEVEL, SIDE, MARGIN = 4, 640, 64
"""Squares of 10 km with samples 16 m apart; pits are counted inside a margin, because water leaves over the border."""
RANGE_RELIEF_M = 600.0
"""A place is among ranges when its 5th and 95th percentile of height are so far apart."""
PIT_M = 1.0
BIOME_RECIPES = ("alpine", "islands", "desert", "dunes", "volcanic")
BIOME_PAGES, BIOME_LEVEL = 60, 2
FEWEST = 2000
"""A biome seen on fewer samples than this gets no percentiles."""


def pits(heights: NDArray[np.float32]) -> tuple[float, float]:
    """Share of the land (samples above 0 m) deeper than `PIT_M` in a pit, 0…1, and the share that is land."""
    water = np.maximum(heights, np.float32(0.0))
    filled = np.empty_like(water)
    flow.flood(water, filled, np.empty(water.size, np.int32))
    inner = (slice(MARGIN, -MARGIN),) * 2
    land = heights[inner] > 0.0
    deep = (filled - water)[inner] > PIT_M
    return float(np.mean(deep[land])) if land.any() else 0.0, float(np.mean(land))


def pit_places() -> NDArray[np.float64]:
    """Of each place of `alpine`: `pits`, and metres between the 5th and 95th percentile of height; [places, 3]."""
    rows: list[tuple[float, float, float]] = []
    for seed in SEEDS:
        source = World("alpine", seed=seed).source
        random = np.random.default_rng(seed)
        for x, z in random.integers(-REACH_M >> LEVEL, REACH_M >> LEVEL, (PLACES, 2)).tolist():
            heights = source.block(LEVEL, x, z, SIDE, SIDE)
            low, high = np.percentile(heights, (5, 95))
            rows.append((*pits(heights), float(high - low)))
    return np.array(rows)


def pit_table() -> list[str]:
    """Land of `alpine` in pits: anywhere, and among ranges or outside them."""
    share, land, relief = pit_places().T
    ranges = relief >= RANGE_RELIEF_M
    lines = ["| alpine | places | mean % | median % | worst tenth from % |", "|---|---|---|---|---|"]
    for name, chosen in (("anywhere", relief >= 0.0), ("among ranges", ranges), ("plains", ~ranges)):
        chosen = chosen & (land > 0.0)
        if not chosen.any():
            continue
        mean = 100.0 * np.average(share[chosen], weights=land[chosen])
        median, worst = 100.0 * np.percentile(share[chosen], (50, 90))
        lines.append(f"| {name} | {chosen.sum()} | {mean:.1f} | {median:.1f} | {worst:.1f} |")
    return lines


def slope_table() -> list[str]:
    """Percentiles of slope in degrees by strongest biome, all of `BIOME_RECIPES` together."""
    seen: dict[str, list[NDArray[np.float64]]] = {name: [] for name in BIOMES}
    for recipe in BIOME_RECIPES:
        world = World(recipe, seed=7)
        random = np.random.default_rng(7)
        step = PageKey(BIOME_LEVEL, 0, 0).span_m
        for ix, iz in random.integers(-REACH_M // step, REACH_M // step, (BIOME_PAGES, 2)).tolist():
            key = PageKey(BIOME_LEVEL, ix, iz)
            x, z = key.origin_m
            climate = world.source.climate_at(x + step / 2, z + step / 2)
            here = world.height(x + step / 2, z + step / 2)
            lapse = world.recipe.climate.lapse_c_m
            i0, j0 = key.origin_sample
            heights = world.source.block(BIOME_LEVEL, i0, j0, 131, 131).astype(np.float64)
            dz, dx = np.gradient(heights, float(1 << BIOME_LEVEL))
            slope = np.hypot(dx, dz)[1:-1, 1:-1]
            inner = heights[1:-1, 1:-1]
            # Climate away from height changes over tens of kilometres: one value a page, and the lapse at each sample.
            temperature = climate.temperature_c + lapse * (here - inner)
            strongest = np.argmax(world.cover(temperature, climate.humidity, inner, slope), axis=-1)
            degrees = np.degrees(np.arctan(slope))
            for k, name in enumerate(BIOMES):
                seen[name].append(degrees[(strongest == k) & (inner > 0.0)])
    lines = ["| biome | samples | p50 | p90 | p99 |", "|---|---|---|---|---|"]
    for name, parts in seen.items():
        values = np.concatenate(parts)
        if values.size < FEWEST:
            lines.append(f"| {name} | {values.size} | – | – | – |")
            continue
        p50, p90, p99 = np.percentile(values, (50, 90, 99))
        lines.append(f"| {name} | {values.size} | {p50:.1f} | {p90:.1f} | {p99:.1f} |")
    return lines


def placed(text: str, name: str, lines: list[str]) -> str:
    """`text` with `lines` between the markers of table `name`. Raises `ValueError` where these are missing."""
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    if begin not in text or end not in text:
        raise ValueError(f"{DOCUMENT.name} has no markers {begin.strip()} … {end}")
    before, rest = text.split(begin, 1)
    return before + begin + "\n".join(lines) + "\n" + end + rest.split(end, 1)[1]


def main() -> int:
    """Measure, and write the document."""
    text = DOCUMENT.read_text(encoding="utf-8")
    for name, table in (("pits", pit_table), ("slopes", slope_table)):
        lines = table()
        print("\n".join(lines), flush=True)
        text = placed(text, name, lines)
    DOCUMENT.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
