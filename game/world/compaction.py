"""Edits made smaller for the file: what neighbourhood brushes did, stroke after stroke, becomes one set of tiles.

Works on the JSON form of a log, so that a thread may do it while the ride goes on; the log itself keeps every stroke
for undo. Analytic operations are passed through as they are.
"""

from __future__ import annotations

import math
from typing import Any

from game.world.deltas import Delta, fold
from game.world.operations import DELTA

KEPT_STROKES = 64
"""Latest strokes that stay strokes of their own, to be taken back after loading."""

LEAST_STROKES = 8
"""Fewer strokes in a row than this are not worth folding."""


def compacted(edits: dict[str, Any]) -> dict[str, Any]:
    """The same edits with runs of old smoothing and erosion folded together; `edits` is left as it is.

    Only strokes that follow each other with nothing but baked differences in them are folded, and only with their
    like: differences add up in whole quanta, so level 0 is the same but for the rounding of float32. Sizes stay apart
    by powers of two, because a coarse level leaves out what is too small for it.
    """
    strokes = edits["strokes"]
    old = max(0, len(strokes) - KEPT_STROKES)
    made: list[list[dict[str, Any]]] = []
    run: list[list[dict[str, Any]]] = []
    for stroke in strokes[:old]:
        if all(item["brush"] == DELTA for item in stroke):
            run.append(stroke)
        else:
            made.extend(_folded(run))
            made.append(stroke)
            run = []
    made.extend(_folded(run))
    return {**edits, "strokes": [*made, *strokes[old:]]}


def _folded(run: list[list[dict[str, Any]]]) -> list[list[dict[str, Any]]]:
    if len(run) < LEAST_STROKES:
        return run
    groups: dict[int, list[dict[str, Any]]] = {}
    for stroke in run:
        for item in stroke:
            groups.setdefault(math.ceil(math.log2(item["radius_m"])), []).append(item)
    items = []
    for _, group in sorted(groups.items()):
        common = {
            "brush": DELTA,
            "radius_m": max(item["radius_m"] for item in group),
            "time_s": max(item["time_s"] for item in group),
        }
        items += [common | delta.to_json() for delta in fold(Delta.from_json(item) for item in group)]
    return [items] if items else []
