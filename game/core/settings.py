"""Quality presets: frozen numbers that trade looks for speed. Data only."""

from __future__ import annotations

from dataclasses import dataclass, replace

from game.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class Quality:
    """One preset. Everything the renderer and the level selection may spend."""

    name: str
    patch_quads: int
    """Quads along one side of the drawn grid patch (a quadrant of a CDLOD node)."""
    r0_m: float
    """Range of level 0 in metres at 720 lines; what stands on the land (trees) measures its own detail by it."""
    view_m: float
    """How far land is drawn."""
    tree_levels: int
    """Trees stand on pages of levels 0 … tree_levels − 1."""
    tree_keep: float
    """Share of far trees kept, 0…1."""
    msaa: int
    """Samples of the own framebuffer; 0 or 1 is off."""
    error_px: float = 0.5
    """How far a change of detail may move the land on the screen, pixels; the ranges of the levels follow it."""
    tree_room: int = 32_768
    """Trees that the GPU has room for at first, 32 bytes each: what the woods of every recipe but the densest take."""


PRESETS: dict[str, Quality] = {
    "low": Quality("low", 16, 110.0, 20_000.0, 4, 0.25, 0, 1.0, 400_000),
    "medium": Quality("medium", 16, 140.0, 30_000.0, 5, 0.5, 2, 0.8, 800_000),
    "high": Quality("high", 32, 230.0, 30_000.0, 6, 1.0, 4, 0.5, 1_300_000),
    "ultra": Quality("ultra", 32, 300.0, 30_000.0, 6, 1.0, 8, 0.4, 1_500_000),
}

VIEWS_M = (5_000.0, 15_000.0, 30_000.0, 60_000.0, 100_000.0)
"""View distances a player may choose from."""

VIEW_RANGE_KM = (2.0, 100.0)
ERROR_RANGE_PX = (0.1, 16.0)
"""What the commands and options accept."""


def quality(name: str, view_m: float | None = None) -> Quality:
    """Preset by name, with another view distance if given.

    Raises `UsageError` naming the value and what is accepted.
    """
    if name not in PRESETS:
        raise UsageError(f"quality {name!r} is not known; use one of {', '.join(PRESETS)}")
    preset = PRESETS[name]
    return preset if view_m is None else replace(preset, view_m=view_m)


def quality_for_renderer(gl_renderer: str) -> str:
    """Preset for a GL_RENDERER string: low on a software rasteriser, else high."""
    soft = ("llvmpipe", "softpipe", "swrast", "swiftshader", "microsoft basic render", "software")
    return "low" if any(word in gl_renderer.lower() for word in soft) else "high"
