"""Figures of water, rain and erosion: `python tools/bench.py water`, every `tools/bench_water_*.py` in turn."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any


def figures() -> list[dict[str, Any]]:
    """The figures of all parts."""
    parts = sorted(path.stem for path in Path(__file__).parent.glob("bench_water_*.py"))
    return [figure for part in parts for figure in importlib.import_module(part).figures()]
