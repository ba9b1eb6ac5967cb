"""A recipe: the numbers that make one kind of world, read from TOML and checked.

Owns names, units and accepted ranges. Knows nothing of noise; `world.source` turns a recipe and a seed into tables
for the kernels.
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

RECIPE_SUFFIX = ".toml"


def number(unit: str, low: float, high: float, default: float | None = None) -> Any:
    """Declare a key with its unit and accepted range; whole numbers where the field is an `int`.

    With a `default` the key may be left out.
    """
    metadata = {"unit": unit, "low": low, "high": high}
    return field(metadata=metadata) if default is None else field(default=default, metadata=metadata)


def wavelength(low_m: float = 500.0, high_m: float = 2_000_000.0, default: float | None = None) -> Any:
    """Declare a wavelength in metres."""
    return number("m", low_m, high_m, default)


def word(*choices: str, default: str | None = None) -> Any:
    """Declare a key that is one of some words; without `choices` any text."""
    metadata = {"choices": choices}
    return field(metadata=metadata) if default is None else field(default=default, metadata=metadata)


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
class Terraces:
    """River terraces of the plains: the land climbs away from main valleys in steps."""

    height_m: float = number("m", 0.0, 100.0, 0.0)
    steps: float = number("", 1.0, 16.0, 4.0)
    width: float = number("", 0.001, 2.0, 0.1)
    ragged: float = number("", 0.0, 2.0, 0.35)
    ragged_wavelength_m: float = wavelength(100.0, 20_000.0, 700.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Warp:
    """Displacement of macro layers and masks, in a stack of layers."""

    wide_wavelength_m: float = wavelength(default=30_000.0)
    wide_m: float = number("m", 0.0, 50_000.0, 0.0)
    fine_wavelength_m: float = wavelength(default=9_000.0)
    fine_m: float = number("m", 0.0, 20_000.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Land:
    """What a stack of layers stands on, and where its landforms are. Places name a mask, "-name" all but that one."""

    height_m: float = number("m", -5000.0, 5000.0, 0.0)
    uplift_low_m: float = number("m", -5000.0, 5000.0, 100.0)
    uplift_high_m: float = number("m", -5000.0, 9000.0, 600.0)
    gullies: str = word(default="")
    mesa: str = word(default="")
    dunes: str = word(default="")
    hummocks: str = word(default="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mask:
    """Where something is: 0 where one octave of noise is below `low`, 1 above `high`."""

    name: str = word()
    wavelength_m: float = wavelength(8_000.0)
    low: float = number("", -2.0, 2.0)
    high: float = number("", -2.0, 2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Macro:
    """A warped layer of large forms, evaluated on nodes 256 m apart."""

    kind: str = word("fbm", "ridged", "billow", "valley", "cone")
    wavelength_m: float = wavelength(1_100.0)
    octaves: int = number("", 1, 6, 1)
    lacunarity: float = number("", 1.5, 3.0, 2.0)
    gain: float = number("", 0.1, 0.9, 0.5)
    amplitude_m: float = number("m", -5000.0, 5000.0)
    sharpness: float = number("", 0.001, 1.0, 0.05)
    mask: str = word(default="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """A layer evaluated at every sample, never displaced. `slice` is 3-D noise in the plane y = ½."""

    kind: str = word("fbm", "ridged", "billow", "slice")
    wavelength_m: float = wavelength(1.5, 200_000.0)
    octaves: int = number("", 1, 8, 1)
    lacunarity: float = number("", 1.5, 3.0, 2.0)
    gain: float = number("", 0.1, 0.9, 0.5)
    amplitude_m: float = number("m", -2000.0, 2000.0)
    span: str = word("signed", "positive", default="signed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fbm:
    """Plain fractal noise by the numbers people know from noise tools; heights from 0 to `height_m`."""

    scale: float = number("", 0.01, 5.0, 2.0)
    octaves: int = number("", 1, 8, 5)
    persistence: float = number("", 0.2, 0.8, 0.5)
    lacunarity: float = number("", 1.5, 3.0, 2.0)
    height_m: float = number("m", 1.0, 200.0, 50.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Micro:
    """Bumps that only shade: they tilt normals per pixel and never displace the land."""

    wavelength_m: float = number("m", 0.05, 100.0, 1.0)
    amplitude_m: float = number("m", 0.0, 10.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dunes:
    """Transverse dunes: longest wave first, each octave half as long."""

    wavelength_m: float = wavelength(40.0, 10_000.0, 900.0)
    octaves: int = number("", 0, 4, 0)
    height_m: float = number("m", 0.0, 500.0, 60.0)
    gain: float = number("", 0.1, 0.9, 0.4)
    aspect: float = number("", 1.0, 6.0, 2.5)
    wind_deg: float = number("°", -60.0, 60.0, 15.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shore:
    """Land flattened near 0 m, into beaches and shelves."""

    width_m: float = number("m", 0.0, 500.0, 0.0)
    flat: float = number("", 0.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gullies:
    """Waves carved along the fall line."""

    wavelength_m: float = wavelength(100.0, 20_000.0, 2800.0)
    octaves: int = number("", 0, 12, 0)
    amplitude_m: float = number("m", 0.0, 1000.0, 0.0)
    gain: float = number("", 0.1, 0.9, 0.46)
    slope_on: float = number("", 0.0, 2.0, 0.1)
    curvature: float = number("", 0.0, 5.0, 0.12)
    plain: float = number("", 0.0, 1.0, 0.0)
    floor: float = number("", 0.0, 1.0, 0.12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Small bumps everywhere."""

    wavelength_m: float = wavelength(20.0, 20_000.0, 900.0)
    octaves: int = number("", 0, 12, 0)
    amplitude_m: float = number("m", 0.0, 500.0, 0.0)
    gain: float = number("", 0.1, 0.9, 0.5)
    high_ground: float = number("", 0.0, 50.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hummocks:
    """Rolling ground in parts of the plains."""

    wavelength_m: float = wavelength(20.0, 20_000.0, 620.0)
    octaves: int = number("", 0, 8, 0)
    amplitude_m: float = number("m", 0.0, 500.0, 0.0)
    gain: float = number("", 0.1, 0.9, 0.42)
    area_wavelength_m: float = wavelength(default=24_000.0)
    area_low: float = number("", -2.0, 2.0, -0.2)
    area_high: float = number("", -2.0, 2.0, 0.45)
    lone: float = number("", 0.0, 1.0, 0.0)
    bare_m: float = number("m", 0.0, 500.0, 4.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Crags:
    """Broken rock on high ground: by uplift × relief among ranges, by height in km in a stack of layers."""

    # Below 1024 m, because the slope that crags follow is taken over more metres on levels that show longer waves.
    wavelength_m: float = wavelength(20.0, 1000.0, 260.0)
    octaves: int = number("", 0, 10, 0)
    amplitude_m: float = number("m", 0.0, 500.0, 0.0)
    gain: float = number("", 0.1, 0.9, 0.5)
    high_low: float = number("", 0.0, 5.0, 0.3)
    high_high: float = number("", 0.0, 5.0, 1.15)
    everywhere: float = number("", 0.0, 1.0, 0.0)


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
    lapse_c_m: float = number("°C/m", 0.0, 0.02, 0.0065)
    latitude_c: float = number("°C", 0.0, 40.0, 0.0)
    rain_shadow: float = number("", 0.0, 1.0, 0.0)
    rain_shadow_m: float = number("m", 0.0, 200_000.0, 25_000.0)
    rain_wind_deg: float = number("°", -180.0, 180.0, 20.0)
    local_temperature_c: float = number("°C", 0.0, 60.0, 0.0)
    local_temperature_wavelength_m: float = wavelength(20.0, default=500.0)
    local_humidity: float = number("", 0.0, 1.0, 0.0)
    local_humidity_wavelength_m: float = wavelength(20.0, default=500.0)


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
    kind: str = word("forest", "classic", default="forest")
    everywhere: float = number("", 0.0, 1.0, 1.0)


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
    terraces: Terraces = Terraces()
    warp: Warp = Warp()
    land: Land = Land()
    masks: tuple[Mask, ...] = ()
    macros: tuple[Macro, ...] = ()
    layers: tuple[Layer, ...] = ()
    fbm: Fbm | None = None
    curve_m: tuple[tuple[float, float], ...] = ()
    """Heights before and after the curve of terraces, ascending; straight between them, shifted beyond."""
    offset_cells: tuple[float, float] | None = None
    """Where layers and local climate are sampled, in cells of their first octave; hashed when left out."""
    dunes: Dunes = Dunes()
    shore: Shore = Shore()
    micro: Micro = Micro()
    gullies: Gullies = Gullies()
    ground: Ground = Ground()
    hummocks: Hummocks = Hummocks()
    crags: Crags = Crags()
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
