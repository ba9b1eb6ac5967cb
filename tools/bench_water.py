"""Figures of water: `python tools/bench.py water`, the rows of every `tools/bench_water_*.py` one after the other."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any


def figures() -> list[dict[str, Any]]:
    """The rows of the issue's table."""
    parts = sorted(path.stem for path in Path(__file__).parent.glob("bench_water_*.py"))
    return [row for part in parts for row in importlib.import_module(part).figures()]
