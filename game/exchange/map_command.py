"""What `veloterra map` shows on the terminal: the progress of a picture, and the layers of the land at a point."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from game.core.errors import UsageError
from game.core.report import check_writable
from game.exchange import map as land_map
from game.world import World

DEFAULT_BOUNDS = (-10_000.0, -10_000.0, 10_000.0, 10_000.0)


def draw(
    out: Path,
    *,
    bounds: tuple[float, float, float, float] | None,
    size: tuple[int, int] | None,
    spacing: float | None,
    **parts: Any,
) -> int:
    """Draw a picture with a progress bar; the exit code. `parts` as in `MapRequest`. Raises `UsageError`."""
    region = bounds or DEFAULT_BOUNDS
    try:
        pixels = size or land_map.size_for(region, spacing)
        request = land_map.MapRequest(bounds=region, size=pixels, **parts)
    except ValueError as error:
        raise UsageError(str(error)) from None
    check_writable(out, "--out")
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("pages", total=None)
        land_map.write_map(request, out, lambda done, total: bar.update(task, completed=done, total=total))
    step_x, step_z = request.spacing
    pixel = f"{step_x:g}" if step_x == step_z else f"{step_x:g} x {step_z:g}"
    print(f"{out}: {pixels[0]} x {pixels[1]} pixels of {pixel} m, {request.layer}, {request.world}")
    return 0


def explain(name: str, seed: int | None, at: tuple[float, float]) -> int:
    """Print what the land at a point is made of; the exit code. Raises `UsageError`."""
    world = World(name, seed)
    x, z = at
    why = world.explain(x, z)
    table = Table(
        "layer",
        "wavelength",
        "adds",
        "height",
        title=f"{name}, seed {world.seed}, at {x:g}, {z:g}",
        title_style="",
    )
    for column in table.columns[1:]:
        column.justify = "right"
    for layer in world.layers(x, z):
        wave = "" if layer.wavelength_m is None else f"{layer.wavelength_m:.4g} m"
        table.add_row(layer.name, wave, f"{layer.adds_m:+.3f} m", f"{layer.height_m:.3f} m")
    if why.height_m != why.land_m:
        table.add_row(
            "edits and rounding to samples",
            "",
            f"{why.height_m - why.land_m:+.3f} m",
            f"{why.height_m:.3f} m",
        )
    console = Console()
    console.print(table)
    console.print(
        f"{why.biome}; slope {why.slope:.2f}, uplift {why.uplift:.2f}, {why.climate.temperature_c:.1f} °C, humidity "
        f"{why.climate.humidity:.2f}, rock {why.climate.rock:.2f}, trees {why.climate.tree_density:.2f}",
        highlight=False,
        soft_wrap=True,
    )
    return 0
