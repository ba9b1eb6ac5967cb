"""Measurements: `python tools/bench.py WHAT [--json FILE]`; every `tools/bench_WHAT.py` is one WHAT.

Such a module has `figures() -> list[dict]`, each with name, value, unit, reach, better ("lower" or "higher"), met and
compared_with. They are printed as a table and, with --json, written as {"machine": …, "figures": […]}.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

TOOLS = Path(__file__).resolve().parent
sys.path[:0] = [str(TOOLS.parent), str(TOOLS)]


def main() -> int:
    """Exit code: 0 when every figure is met, 1 when one is not."""
    from bench_common import machine

    known = sorted(path.stem.removeprefix("bench_") for path in TOOLS.glob("bench_*.py"))
    known.remove("common")
    parser = argparse.ArgumentParser(prog="bench.py", description="Measure.")
    parser.add_argument("what", choices=known)
    parser.add_argument("--json", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    figures = importlib.import_module(f"bench_{arguments.what}").figures()
    table = Table("figure", "value", "reach", "unit", "met")
    for figure in figures:
        value = figure["value"]
        table.add_row(
            figure["name"],
            "–" if value is None else f"{value:.4g}",
            f"{'≤' if figure['better'] == 'lower' else '≥'} {figure['reach']:g}",
            figure["unit"],
            "yes" if figure["met"] else "NO",
        )
    Console().print(table)
    if arguments.json is not None:
        arguments.json.write_text(
            json.dumps({"machine": machine(), "figures": figures}, indent=2, ensure_ascii=False) + "\n",
            encoding="utf-8",
        )
    return 0 if all(figure["met"] for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
