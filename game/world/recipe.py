"""A recipe: the numbers that make one kind of world, read from TOML and checked.

Owns how recipes are found, extended and checked; their keys are in `world.recipe_keys`. Knows nothing of noise;
`world.tables` turns a recipe and a seed into tables for the kernels.
"""

from __future__ import annotations

import difflib
import math
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from game.core.errors import UsageError
from game.core.paths import resource
from game.world.recipe_keys import (
    Climate,
    Crags,
    Dunes,
    Fbm,
    Floors,
    Forest,
    Ground,
    Gullies,
    Hummocks,
    Land,
    Layer,
    Macro,
    Mask,
    Micro,
    Ranges,
    Shore,
    Terraces,
    Valleys,
    Warp,
)

RECIPE_SUFFIX = ".toml"


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

SHORTEST_MACRO_M = 1024.0
"""Octaves of macro layers below this would be lost between nodes 256 m apart."""

PLACES = ("gullies", "mesa", "dunes", "hummocks")
"""Keys of [land] that name a mask."""


RANGES_ONLY = ("ranges", "floors", "valleys")
LAYERS_ONLY = ("warp", "land", "masks", "macros", "layers", "curve_m", "fbm", "offset_cells")
"""Keys that only one kind of landscape reads; the other refuses them."""

MOST_OCTAVES = 64
MOST_MASKS = 6
MOST_RAMPS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """One kind of world. Frozen and validated; equal recipes make equal land."""

    name: str
    description: str
    landscape: str = "ranges"
    """"ranges": mountain belts with valleys; "layers": a stack of layers."""
    ranges: Ranges | None = None
    floors: Floors | None = None
    valleys: Valleys | None = None
    terraces: Terraces = field(default_factory=Terraces)
    warp: Warp = field(default_factory=Warp)
    land: Land = field(default_factory=Land)
    masks: tuple[Mask, ...] = ()
    macros: tuple[Macro, ...] = ()
    layers: tuple[Layer, ...] = ()
    fbm: Fbm | None = None
    curve_m: tuple[tuple[float, float], ...] = ()
    """Heights before and after the curve of terraces, ascending; straight between them, shifted beyond."""
    offset_cells: tuple[float, float] | None = None
    """Where layers and local climate are sampled, in cells of their first octave; hashed when left out."""
    dunes: Dunes = field(default_factory=Dunes)
    shore: Shore = field(default_factory=Shore)
    micro: Micro = field(default_factory=Micro)
    gullies: Gullies = field(default_factory=Gullies)
    ground: Ground = field(default_factory=Ground)
    hummocks: Hummocks = field(default_factory=Hummocks)
    crags: Crags = field(default_factory=Crags)
    climate: Climate
    forest: Forest

    @property
    def top_m(self) -> float:
        """Height that positive layers reach together, metres: what 1 means where heights are normalised."""
        layers = (layer for layer in self.layers if layer.span == "positive")
        return self.land.height_m + sum(
            abs(layer.amplitude_m) * layer.gain**k for layer in layers for k in range(layer.octaves)
        )

    def mask_code(self, name: str) -> int:
        """Number of a mask as the kernels read it: 0 for "", k for the k-th, −k for "-name". It must exist."""
        if not name:
            return 0
        number = [mask.name for mask in self.masks].index(name.removeprefix("-")) + 1
        return -number if name.startswith("-") else number

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
        # A table is changed key by key; lists and everything else are replaced.
        merged[key] = {**old, **value} if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def _check_keys(given: Mapping[str, Any], known: list[str], needed: list[str], place: str) -> None:
    for key in given:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1, cutoff=0.0)
            raise UsageError(f"{place}: the key {key!r} is not known; the nearest known key is {near[0]!r}")
    for key in needed:
        if key not in given:
            raise UsageError(f'{place}: the key {key!r} is missing; add it, or begin with extends = "alpine"')


_TABLES: dict[str, type] = {
    "ranges": Ranges,
    "floors": Floors,
    "valleys": Valleys,
    "terraces": Terraces,
    "warp": Warp,
    "land": Land,
    "fbm": Fbm,
    "dunes": Dunes,
    "shore": Shore,
    "micro": Micro,
    "gullies": Gullies,
    "ground": Ground,
    "hummocks": Hummocks,
    "crags": Crags,
    "climate": Climate,
    "forest": Forest,
}
_LISTS: dict[str, type] = {"masks": Mask, "macros": Macro, "layers": Layer}
_PAIRS = ("curve_m", "offset_cells")
_TEXTS = ("name", "description", "landscape")


def _recipe(document: Mapping[str, Any], place: str) -> Recipe:
    where = f"recipe {place!r}"
    known = [item.name for item in fields(Recipe)]
    landscape = document.get("landscape", "ranges")
    if landscape not in ("ranges", "layers"):
        raise UsageError(f"{where}: landscape = {landscape!r} is not accepted; use ranges or layers")
    needed = ["name", "description", "climate", "forest", *(RANGES_ONLY if landscape == "ranges" else ())]
    unread = LAYERS_ONLY if landscape == "ranges" else (*RANGES_ONLY, "terraces")
    _check_keys(document, known, needed, where)
    for key in unread:
        if key in document:
            raise UsageError(f"{where}: {key} is not accepted with landscape = {landscape!r}; leave it out")
    values: dict[str, Any] = {}
    for key, value in document.items():
        if key in _TEXTS:
            if not isinstance(value, str):
                raise UsageError(f"{where}: {key} = {value!r} is not accepted; give a text in quotes")
            values[key] = value
        elif key in _LISTS:
            if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
                raise UsageError(f"{where}: {key} = {value!r} is not accepted; give tables [[{key}]]")
            values[key] = tuple(
                _section(_LISTS[key], item, f"{where} [[{key}]] {number}")
                for number, item in enumerate(value, 1)
            )
        elif key in _PAIRS:
            values[key] = _pairs(value, f"{where}: {key}", single=key == "offset_cells")
        elif not isinstance(value, dict):
            raise UsageError(f"{where}: {key} = {value!r} is not accepted; give a table [{key}]")
        else:
            values[key] = _section(_TABLES[key], value, f"{where} [{key}]")
    recipe = Recipe(**values)
    _check_order(recipe, where)
    _check_octaves(recipe, where)
    _check_masks(recipe, where)
    return recipe


def _pairs(value: Any, where: str, single: bool) -> Any:
    """A pair of numbers, or a list of ascending pairs, each within ±9000."""
    pairs = [value] if single else value
    for pair in pairs if isinstance(pairs, list) else [pairs]:
        if not (
            isinstance(pair, list)
            and len(pair) == 2
            and all(
                isinstance(part, int | float) and not isinstance(part, bool) and -9000.0 <= part <= 9000.0
                for part in pair
            )
        ):
            raise UsageError(f"{where}: {pair!r} is not accepted; give two numbers within ±9000, [a, b]")
    found = tuple((float(a), float(b)) for a, b in pairs)
    if single:
        return found[0]
    for (a, b), (c, d) in pairwise(found):
        if not (a < c and b <= d):
            raise UsageError(f"{where}: [{c}, {d}] after [{a}, {b}] is not accepted; give ascending heights")
    if len(found) == 1 or len(found) > MOST_RAMPS + 1:
        raise UsageError(f"{where}: {len(found)} points are not accepted; give none or 2 to {MOST_RAMPS + 1}")
    return found


def _check_order(recipe: Recipe, where: str) -> None:
    checks = [(f"[{name}]", getattr(recipe, name), low, high) for name, low, high in _ASCENDING]
    checks += [(f"[[masks]] {mask.name}", mask, "low", "high") for mask in recipe.masks]
    for section, part, low, high in checks:
        if part is not None and not getattr(part, low) < getattr(part, high):
            raise UsageError(
                f"{where} {section}: {low} = {getattr(part, low)!r} is not accepted; give less than {high} = "
                f"{getattr(part, high)!r}"
            )


def _check_octaves(recipe: Recipe, where: str) -> None:
    for section in ("gullies", "ground", "hummocks", "crags", "dunes"):
        part = getattr(recipe, section)
        shortest = part.wavelength_m / 2.0 ** max(part.octaves - 1, 0)
        if shortest < SHORTEST_WAVELENGTH_M:
            raise UsageError(
                f"{where} [{section}]: octaves = {part.octaves} is not accepted with wavelength_m = "
                f"{part.wavelength_m}; the shortest octave would be {shortest:.3g} m, at least "
                f"{SHORTEST_WAVELENGTH_M} m is needed"
            )
    for macro in recipe.macros:
        shortest = macro.wavelength_m / macro.lacunarity ** (macro.octaves - 1)
        if shortest < SHORTEST_MACRO_M:
            raise UsageError(
                f"{where} [[macros]]: octaves = {macro.octaves} is not accepted with wavelength_m = "
                f"{macro.wavelength_m}; the shortest octave would be {shortest:.5g} m, at least "
                f"{SHORTEST_MACRO_M} m is needed"
            )
        if macro.kind == "cone" and macro.sharpness > 0.3:
            raise UsageError(
                f"{where} [[macros]]: sharpness = {macro.sharpness} is not accepted for a cone; its radius is that "
                "share of the wavelength, at most 0.3"
            )
    rows: list[Any] = [recipe.gullies, recipe.ground, recipe.hummocks, recipe.crags, recipe.dunes]
    rows += recipe.layers
    total = sum(part.octaves for part in rows) + (recipe.fbm.octaves if recipe.fbm else 0) + 2
    if total > MOST_OCTAVES:
        raise UsageError(
            f"{where}: {total} octaves are not accepted; give at most {MOST_OCTAVES} in gullies, ground, "
            "hummocks, crags, dunes and layers together"
        )
    if sum(macro.octaves for macro in recipe.macros) > MOST_OCTAVES:
        raise UsageError(f"{where}: give at most {MOST_OCTAVES} octaves in all [[macros]] together")


def _check_masks(recipe: Recipe, where: str) -> None:
    names = [mask.name for mask in recipe.masks]
    if len(names) > MOST_MASKS or len(set(names)) < len(names) or "" in names:
        raise UsageError(
            f"{where} [[masks]]: {names!r} are not accepted; give at most {MOST_MASKS}, each with a name of its own"
        )
    used = [(f"[land] {place}", getattr(recipe.land, place)) for place in PLACES]
    used += [("[[macros]] mask", macro.mask) for macro in recipe.macros]
    for key, name in used:
        if name and name.removeprefix("-") not in names:
            raise UsageError(
                f"{where} {key} = {name!r} is not accepted; give one of the masks {', '.join(names) or '(none)'}, "
                'with "-" before it for all but that place, or ""'
            )


def _section(kind: type[_Section], given: Mapping[str, Any], where: str) -> _Section:
    declared = fields(kind)  # type: ignore[arg-type]
    hints = get_type_hints(kind)
    needed = [item.name for item in declared if item.default is MISSING]
    _check_keys(given, [item.name for item in declared], needed, where)
    values: dict[str, Any] = {}
    for item in declared:
        if item.name not in given:
            continue
        value, whole = given[item.name], hints[item.name] is int
        if hints[item.name] is str:
            choices = item.metadata["choices"]
            if not isinstance(value, str) or (choices and value not in choices):
                accepted = f"use one of {', '.join(choices)}" if choices else "give a text in quotes"
                raise UsageError(f"{where}: {item.name} = {value!r} is not accepted; {accepted}")
            values[item.name] = value
            continue
        low, high, unit = item.metadata["low"], item.metadata["high"], item.metadata["unit"]
        fits = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
        if not fits or not math.isfinite(value) or not low <= value <= high:
            raise UsageError(
                f"{where}: {item.name} = {value!r} is not accepted; give a {'whole ' if whole else ''}number from "
                f"{low:g} to {high:g}{' ' + unit if unit else ''}"
            )
        values[item.name] = value if whole else float(value)
    return kind(**values)
