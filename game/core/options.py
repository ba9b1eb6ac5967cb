"""What a command line asks for, validated. Data only."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from game.core.commands import Command


@dataclass(frozen=True, slots=True)
class Screenshot:
    """A picture to write, and the simulated second at which it is taken (None: at the end)."""

    path: Path
    at_s: float | None = None


@dataclass(frozen=True, slots=True)
class RideOptions:
    """One ride, played or on autopilot."""

    world: str = "alpine"
    seed: int | None = None
    """None: the seed of the saved world, else 1."""
    save: str | None = None
    width: int = 1280
    height: int = 720
    fullscreen: bool = False
    offscreen: bool = False
    quality: str | None = None
    """None picks by the renderer."""
    fps: float = 60.0
    seconds: float | None = None
    """None rides until the window is closed."""
    autopilot: str | None = None
    """None is the player; "downhill" or "straight"."""
    speed_m_s: float | None = None
    """Glide at this speed just above the land instead of riding by physics."""
    start: tuple[float, float] | None = None
    sea_level_m: float | None = None
    view_m: float | None = None
    error_px: float | None = None
    """How far a change of detail may move the land on the screen; None is the preset's."""
    curvature: bool = True
    """Whether the earth is round, from a view of `units.BEND_FROM_M` on."""
    pages: str = "realtime"
    """How a frame treats pages that are not ready: "wait", "budget" or "realtime"."""
    workers: int | None = None
    draw: bool = True
    dev: bool = False
    """Follow changes of the shader files, and time every pass on the GPU."""
    report: Path | None = None
    screenshots: tuple[Screenshot, ...] = ()
    video: Path | None = None
    """An MP4 film of the ride, one picture a frame."""
    commands: tuple[Command, ...] = ()
