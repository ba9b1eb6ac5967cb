"""The keys of a recipe, table by table: names, units, accepted ranges, defaults. Nothing else.

`world.recipe` reads and checks them, `world.tables` turns them into numbers for the kernels.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


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
