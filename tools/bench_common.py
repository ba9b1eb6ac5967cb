"""What the measurements share: the machine, and one figure."""

from __future__ import annotations

import os
import platform
from typing import Any

import psutil

from game.core.report import versions


def machine() -> dict[str, Any]:
    """Processor, cores, memory and versions."""
    return {
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "memory_mib": psutil.virtual_memory().total / 2**20,
        "load": list(os.getloadavg()) if hasattr(os, "getloadavg") else None,
        "versions": versions(),
    }


def figure(
    name: str,
    value: float | None,
    unit: str,
    reach: float,
    better: str = "lower",
    compared_with: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """One figure; a value of None (not measured) is not met."""
    met = value is not None and (value <= reach if better == "lower" else value >= reach)
    return {
        "name": name,
        "value": value,
        "unit": unit,
        "reach": reach,
        "better": better,
        "met": met,
        "compared_with": compared_with or {},
    }
