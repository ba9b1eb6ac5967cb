"""A recipe: the numbers that make one kind of world, read from TOML and checked.

Owns names, units and accepted ranges. Knows nothing of noise; `world.source` turns a recipe and a seed into tables
for the kernels.
"""

from __future__ import annotations

import difflib
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from game.core.errors import UsageError
from game.core.paths import resource

RECIPE_SUFFIX = ".toml"


def number(unit: str, low: float, high: float) -> Any:
    """Declare a key with its unit and accepted range; whole numbers where the field is an `int`."""
    return field(metadata={"unit": unit, "low": low, "high": high})


def wavelength(low_m: float = 500.0, high_m: float = 2_000_000.0) -> Any:
    """Declare a wavelength in metres."""
    return number("m", low_m, high_m)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranges:
    """Where mountains stand. Wavelengths in m; `n` is one octave of noise, rms 0.33."""

    warp_wide_wavelength_m: float = wavelength()
    warp_wide_m: float = number("m", 0.0, 50_000.0)
    warp_fine_wavelength_m: float = wavelength()
    warp_fine_m: float = number("m", 0.0, 20_000.0)
    belt_wavelength_m: float = wavelength()
    belt_level: float = number("", -5.0, 5.0)
    belt_falloff: float = number("", 0.0, 20.0)
    bend_wavelength_m: float = wavelength()
    bend: float = number("", 0.0, 5.0)
    break_wavelength_m: float = wavelength()
    break_up: float = number("", 0.0, 5.0)
    low: float = number("", -5.0, 5.0)
    high: float = number("", -5.0, 5.0)
    pass_wavelength_m: float = wavelength()
    pass_low: float = number("", -2.0, 2.0)
    pass_high: float = number("", -2.0, 2.0)
    uplift_plain: float = number("", 0.0, 1.0)
    uplift_foothill: float = number("", 0.0, 1.0)
    uplift_core: float = number("", 0.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Floors:
    """Heights of plains and valley floors, metres."""

    height_m: float = number("m", -5000.0, 5000.0)
    wide_wavelength_m: float = wavelength()
    wide_m: float = number("m", 0.0, 5000.0)
    mid_wavelength_m: float = wavelength()
    mid_m: float = number("m", 0.0, 5000.0)
    fine_wavelength_m: float = wavelength()
    fine_m: float = number("m", 0.0, 1000.0)
    uplift_m: float = number("m", 0.0, 5000.0)
    pass_m: float = number("m", 0.0, 5000.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Valleys:
    """The skeleton: connected valleys and the crests between them."""

    relief_m: float = number("m", 0.0, 8000.0)
    main_wavelength_m: float = wavelength()
    main_detail_wavelength_m: float = wavelength()
    main_detail: float = number("", 0.0, 2.0)
    main_gain: float = number("", 0.0, 3.0)
    main_width: float = number("", 0.001, 2.0)
    width_variation: float = number("", 0.0, 20.0)
    width_wavelength_m: float = wavelength()
    side_wavelength_m: float = wavelength()
    side_bend_m: float = number("m", -20_000.0, 20_000.0)
    side_gain: float = number("", 0.0, 3.0)
    side_width: float = number("", 0.001, 2.0)
    crest_wavelength_m: float = wavelength()
    crest_bend_m: float = number("m", -20_000.0, 20_000.0)
    crest_sharpness: float = number("", 0.0, 15.0)
    peak_wavelength_m: float = wavelength()
    relief_wavelength_m: float = wavelength()
    relief_base: float = number("", 0.0, 2.0)
    relief_variation: float = number("", 0.0, 2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gullies:
    """Waves carved along the fall line."""

    wavelength_m: float = wavelength(100.0, 20_000.0)
    octaves: int = number("", 0, 12)
    amplitude_m: float = number("m", 0.0, 1000.0)
    gain: float = number("", 0.1, 0.9)
    slope_on: float = number("", 0.0, 2.0)
    curvature: float = number("", 0.0, 5.0)
    plain: float = number("", 0.0, 1.0)
    floor: float = number("", 0.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Small bumps everywhere."""

    wavelength_m: float = wavelength(20.0, 20_000.0)
    octaves: int = number("", 0, 12)
    amplitude_m: float = number("m", 0.0, 500.0)
    gain: float = number("", 0.1, 0.9)
    high_ground: float = number("", 0.0, 50.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hummocks:
    """Rolling ground in parts of the plains."""

    wavelength_m: float = wavelength(20.0, 20_000.0)
    octaves: int = number("", 0, 8)
    amplitude_m: float = number("m", 0.0, 500.0)
    gain: float = number("", 0.1, 0.9)
    area_wavelength_m: float = wavelength()
    area_low: float = number("", -2.0, 2.0)
    area_high: float = number("", -2.0, 2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Crags:
    """Broken rock on high ground."""

    wavelength_m: float = wavelength(20.0, 20_000.0)
    octaves: int = number("", 0, 10)
    amplitude_m: float = number("m", 0.0, 500.0)
    gain: float = number("", 0.1, 0.9)
    high_low: float = number("", 0.0, 5.0)
    high_high: float = number("", 0.0, 5.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Climate:
    """Temperature (°C at sea level), humidity (0…1) and bare rock."""

    temperature_c: float = number("°C", -60.0, 60.0)
    temperature_variation_c: float = number("°C", 0.0, 60.0)
    temperature_wavelength_m: float = wavelength()
    humidity: float = number("", 0.0, 1.0)
    humidity_wide: float = number("", 0.0, 2.0)
    humidity_wide_wavelength_m: float = wavelength()
    humidity_fine: float = number("", 0.0, 2.0)
    humidity_fine_wavelength_m: float = wavelength()
    rock_slope_low: float = number("", 0.0, 10.0)
    rock_slope_high: float = number("", 0.0, 10.0)
    rock_cold_c: float = number("°C", -100.0, 60.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """Where trees stand."""

    treeline_c: float = number("°C", -60.0, 60.0)
    treeline_band_c: float = number("°C", 0.01, 20.0)
    slope_low: float = number("", 0.0, 10.0)
    slope_high: float = number("", 0.0, 10.0)
    humidity_low: float = number("", -1.0, 1.0)
    humidity_high: float = number("", 0.0, 1.0)
    glade_wavelength_m: float = wavelength(2500.0)
    glade: float = number("", 0.0, 5.0)
    glade_gain: float = number("", 0.0, 1.0)
    glade_bias: float = number("", -5.0, 5.0)
    glade_slope: float = number("", 0.0, 20.0)
    glade_dry: float = number("", 0.0, 5.0)


_Section = TypeVar("_Section")

_ASCENDING = (
    ("ranges", "low", "high"),
    ("ranges", "pass_low", "pass_high"),
    ("hummocks", "area_low", "area_high"),
    ("crags", "high_low", "high_high"),
    ("climate", "rock_slope_low", "rock_slope_high"),
    ("forest", "slope_low", "slope_high"),
    ("forest", "humidity_low", "humidity_high"),
)
SHORTEST_WAVELENGTH_M = 1.5
"""Octaves below this would leave the lattice's integer range at ±1e9 m."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """One kind of world. Frozen and validated; equal recipes make equal land."""

    name: str
    description: str
    ranges: Ranges
    floors: Floors
    valleys: Valleys
    gullies: Gullies
    ground: Ground
    hummocks: Hummocks
    crags: Crags
    climate: Climate
    forest: Forest

    @staticmethod
    def names() -> list[str]:
        """Names of the shipped recipes, sorted."""
        return sorted(path.stem for path in resource("assets", "worlds").glob(f"*{RECIPE_SUFFIX}"))

    @staticmethod
    def load(name_or_path: str | Path) -> Recipe:
        """Read a shipped recipe by name, or a TOML file by path.

        Raises `UsageError`, one sentence that says what was given and what is accepted: for an unknown world, a file
        that cannot be read, an unknown or missing key, a value of the wrong type or out of range.
        """
        place, document = _read(name_or_path)
        return _recipe(_extended(place, document, ()), place)


def _read(name_or_path: str | Path) -> tuple[str, dict[str, Any]]:
    """Where a recipe was found, in words, and its TOML document."""
    text = str(name_or_path)
    names = Recipe.names()
    if text in names:
        path = resource("assets", "worlds", text + RECIPE_SUFFIX)
    else:
        path = Path(text)
        if path.suffix != RECIPE_SUFFIX or not path.is_file():
            near = difflib.get_close_matches(text, names, 1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise UsageError(
                f"world {text!r} is not known{hint}; use one of {', '.join(names)} or the path of a "
                f"{RECIPE_SUFFIX} recipe file"
            )
    try:
        return text, tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"recipe {text!r} cannot be read ({error}); give a readable TOML file") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"recipe {text!r} is not valid TOML: {error}") from error


def _extended(place: str, document: dict[str, Any], seen: tuple[str, ...]) -> dict[str, Any]:
    """`document` laid over the recipe that its `extends` names, if any."""
    document = dict(document)
    base_name = document.pop("extends", None)
    if base_name is None:
        return document
    if not isinstance(base_name, str) or base_name in seen or base_name not in Recipe.names():
        raise UsageError(
            f"recipe {place!r}: extends = {base_name!r} is not accepted; use one of {', '.join(Recipe.names())}"
        )
    base = _extended(base_name, _read(base_name)[1], (*seen, base_name))
    merged = dict(base)
    for key, value in document.items():
        old = merged.get(key)
        merged[key] = {**old, **value} if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def _check_keys(given: Mapping[str, Any], known: list[str], place: str) -> None:
    for key in given:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1, cutoff=0.0)
            raise UsageError(f"{place}: the key {key!r} is not known; the nearest known key is {near[0]!r}")
    for key in known:
        if key not in given:
            raise UsageError(f'{place}: the key {key!r} is missing; add it, or begin with extends = "alpine"')


def _recipe(document: Mapping[str, Any], place: str) -> Recipe:
    where = f"recipe {place!r}"
    hints = get_type_hints(Recipe)
    _check_keys(document, list(hints), where)
    values: dict[str, Any] = {}
    for key, kind in hints.items():
        value = document[key]
        if kind is str:
            if not isinstance(value, str):
                raise UsageError(f"{where}: {key} = {value!r} is not accepted; give a text in quotes")
            values[key] = value
        elif not isinstance(value, dict):
            raise UsageError(f"{where}: {key} = {value!r} is not accepted; give a table [{key}]")
        else:
            values[key] = _section(kind, value, f"{where} [{key}]")
    recipe = Recipe(**values)
    for section, low, high in _ASCENDING:
        part = getattr(recipe, section)
        if not getattr(part, low) < getattr(part, high):
            raise UsageError(
                f"{where} [{section}]: {low} = {getattr(part, low)!r} is not accepted; give less than {high} = "
                f"{getattr(part, high)!r}"
            )
    for section in ("gullies", "ground", "hummocks", "crags"):
        part = getattr(recipe, section)
        shortest = part.wavelength_m / 2.0 ** max(part.octaves - 1, 0)
        if shortest < SHORTEST_WAVELENGTH_M:
            raise UsageError(
                f"{where} [{section}]: octaves = {part.octaves} is not accepted with wavelength_m = "
                f"{part.wavelength_m}; the shortest octave would be {shortest:.3g} m, at least "
                f"{SHORTEST_WAVELENGTH_M} m is needed"
            )
    return recipe


def _section(kind: type[_Section], given: Mapping[str, Any], where: str) -> _Section:
    declared = fields(kind)  # type: ignore[arg-type]
    hints = get_type_hints(kind)
    _check_keys(given, [item.name for item in declared], where)
    values: dict[str, Any] = {}
    for item in declared:
        value, whole = given[item.name], hints[item.name] is int
        low, high, unit = item.metadata["low"], item.metadata["high"], item.metadata["unit"]
        fits = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
        if not fits or not math.isfinite(value) or not low <= value <= high:
            raise UsageError(
                f"{where}: {item.name} = {value!r} is not accepted; give a {'whole ' if whole else ''}number from "
                f"{low:g} to {high:g}{' ' + unit if unit else ''}"
            )
        values[item.name] = value if whole else float(value)
    return kind(**values)
