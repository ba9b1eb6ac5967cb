"""The report of a ride: per-frame figures gathered in lists, and the JSON that other programs read."""

from __future__ import annotations

import json
import math
import platform
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from game.core.errors import UsageError

SECTIONS = ("cpu_frame_ms", "sim_ms", "stream_ms", "select_ms", "upload_ms", "submit_ms")
"""Timed sections of a frame, each reported as p50, p95, p99 and max."""

STREAMING = (
    "pages_wanted",
    "pages_resident_frame",
    "pages_late_frame",
    "page_queue",
    "pages_uploaded_frame",
)
"""Counts of every frame, each reported as p50, p95, p99 and max."""

_PACKAGES = ("veloterra", "numpy", "numba", "pygame-ce", "PyOpenGL", "pymunk", "esper", "imgui-bundle")
_MIB = 1024.0 * 1024.0


def rss_mib() -> float:
    """Resident memory of this process in MiB."""
    return float(psutil.Process().memory_info().rss) / _MIB


def versions() -> dict[str, str]:
    """Versions of Python, the platform and the packages that shape the picture."""
    found = {"python": platform.python_version(), "platform": platform.platform()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def percentiles(values: Sequence[float]) -> dict[str, float] | None:
    """p50, p95, p99 and max of `values`; None when there are none."""
    if len(values) == 0:
        return None
    p50, p95, p99 = np.percentile(values, (50, 95, 99))
    return {"p50": float(p50), "p95": float(p95), "p99": float(p99), "max": float(max(values))}


def _numbers() -> array[float]:
    """Room for a figure a frame: a list of number objects would be what a long ride's memory grows by."""
    return array("f")


@dataclass(slots=True)
class RideLog:
    """What is counted while riding. Times in milliseconds, lengths in metres."""

    sections: dict[str, array[float]] = field(default_factory=lambda: {name: _numbers() for name in SECTIONS})
    streaming: dict[str, array[float]] = field(
        default_factory=lambda: {name: _numbers() for name in STREAMING}
    )
    covered_m: list[tuple[float, ...]] = field(default_factory=list)
    """Range of each level, in one frame of a second or so."""
    triangles: array[float] = field(default_factory=lambda: _numbers())
    draw_calls: array[float] = field(default_factory=lambda: _numbers())
    trees: array[float] = field(default_factory=lambda: _numbers())
    frames: int = 0
    steps: int = 0
    late_pages: int = 0
    late_settled: int = 0
    """Late pages after the first second."""
    holes: int = 0
    top_speed_m_s: float = 0.0
    min_clearance_m: float = math.inf
    rss_start_mib: float = field(default_factory=rss_mib)
    rss_peak_mib: float = 0.0
    rss_settled_mib: float | None = None
    """Resident memory after a tenth of the ride, when every cache has filled."""
    rss_end_mib: float | None = None
    """Resident memory after the last frame, before anything is released."""
    gl_settled: int | None = None
    """GL objects alive at that moment."""

    def note_memory(self) -> None:
        """Sample the resident memory; called once in a while, not every frame."""
        self.rss_peak_mib = max(self.rss_peak_mib, rss_mib())


def covered(ranges_m: list[tuple[float, ...]]) -> dict[str, list[float]] | None:
    """Least and median range of each level over the frames that have the last frame's number of levels."""
    if not ranges_m:
        return None
    rows = np.array([row for row in ranges_m if len(row) == len(ranges_m[-1])])
    return {"least": rows.min(axis=0).tolist(), "p50": np.median(rows, axis=0).tolist()}


def _median(values: Sequence[float]) -> float | None:
    return float(np.median(values)) if values else None


def build_report(log: RideLog, facts: Mapping[str, Any]) -> dict[str, Any]:
    """All keys of the contract, from the log and the facts `app` knows; null where nothing was measured."""
    log.note_memory()
    report: dict[str, Any] = {
        "seed": None,
        "world": None,
        "seconds": None,
        "frames": log.frames,
        "steps": log.steps,
        "distance_m": None,
        "mean_speed_m_s": None,
        "top_speed_m_s": log.top_speed_m_s,
        "descent_m": None,
        "min_ground_clearance_m": log.min_clearance_m if math.isfinite(log.min_clearance_m) else None,
        "late_pages": log.late_pages,
        "late_pages_settled": log.late_settled,
        "holes": log.holes,
        "pages_generated": None,
        "pages_resident": None,
        "page_memory_mib": None,
        "page_cpu_mib": None,
        "view_distance_m": None,
        "triangles_p50": _median(log.triangles),
        "draw_calls_p50": _median(log.draw_calls),
        "trees_drawn": _median(log.trees),
        **{name: percentiles(values) for name, values in log.sections.items()},
        **{name: percentiles(values) for name, values in log.streaming.items()},
        "covered_m": covered(log.covered_m),
        "page_layers": None,
        "page_generation_ms": None,
        "page_upload_ms": None,
        "lod_error_px": None,
        "lod_dropped_levels": None,
        "rss_mib": {
            "start": log.rss_start_mib,
            "settled": log.rss_settled_mib,
            "end": rss_mib() if log.rss_end_mib is None else log.rss_end_mib,
            "peak": log.rss_peak_mib,
        },
        "gl_live_objects": None,
        "gl_settled_objects": log.gl_settled,
        "gl_leaked_objects": None,
        "falls": None,
        "gl_renderer": None,
        "gl_version": None,
        "versions": versions(),
    }
    report.update(facts)
    return report


def check_writable(path: Path, option: str) -> None:
    """Refuse an output that cannot be written, before the work starts. Raises `UsageError`."""
    if path.is_dir():
        raise UsageError(f"{option}: {path} is a directory; give the name of a file")
    if not path.parent.is_dir():
        raise UsageError(
            f"{option}: the directory {path.parent} does not exist; give a file in one that does"
        )
    existed = path.exists()
    try:
        with path.open("ab"):
            pass
        if not existed:
            path.unlink()
    except OSError as error:
        raise UsageError(
            f"{option}: {path} cannot be written ({error.strerror}); give another file"
        ) from None


def write_report(report: Mapping[str, Any], path: Path) -> None:
    """Write the report as JSON. Raises `UsageError` when the file cannot be written."""
    try:
        path.write_text(json.dumps(report, indent=2, allow_nan=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"--report: {path} cannot be written ({error.strerror}); give another file"
        ) from None
