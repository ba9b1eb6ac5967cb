"""Folding of old neighbourhood strokes for the file: it is bounded, and the land stays."""

from __future__ import annotations

import copy
import json

import numpy as np
from analytic import AnalyticSource
from hypothesis import given, settings
from hypothesis import strategies as st

from game.core.coords import PageKey
from game.world import compaction
from game.world.deltas import Delta
from game.world.edits import EditLog

STROKE = st.tuples(
    st.sampled_from(["smooth", "smooth", "smooth", "smooth", "raise", "flatten"]),
    st.integers(0, 127),
    st.integers(0, 127),
    st.sampled_from([3.0, 7.0, 40.0]),
    st.integers(-800, 800),
)


def lay(log: EditLog, strokes: list[tuple[str, int, int, float, int]]) -> None:
    for brush, i, j, radius_m, quanta in strokes:
        if brush == "smooth":
            rough = np.random.default_rng(abs(quanta)).integers(-50, 50, (9, 12)) + quanta
            delta = Delta.of(i - 6, j - 4, rough.astype(np.int32))
            assert delta is not None
            log.apply_delta([delta], radius_m)
        else:
            shape = {"target_m": 450.0} if brush == "flatten" else {}
            log.apply(brush, float(i), float(j), radius_m, 2.0, **shape)


def heights(log: EditLog, level: int) -> np.ndarray:
    page = AnalyticSource().generate(PageKey(level, 0, 0))
    log.evaluate(page)
    return page.edited.copy()


@settings(max_examples=60, deadline=None)
@given(st.lists(STROKE, min_size=10, max_size=40), st.integers(0, 12))
def test_folding_keeps_the_land_within_a_millimetre(strokes: list, kept: int) -> None:
    log = EditLog()
    lay(log, strokes)
    before, compaction_kept = log.to_json(), compaction.KEPT_STROKES
    asked = copy.deepcopy(before)
    try:
        compaction.KEPT_STROKES = kept
        folded = compaction.compacted(before)
    finally:
        compaction.KEPT_STROKES = compaction_kept
    assert before == asked  # left as it is
    again, messages = EditLog.from_json(json.loads(json.dumps(folded)))
    assert messages == []
    analytic = [item for stroke in asked["strokes"] for item in stroke if item["brush"] != "delta"]
    assert [item for stroke in folded["strokes"] for item in stroke if item["brush"] != "delta"] == analytic
    assert (
        folded["strokes"][len(folded["strokes"]) - min(kept, len(strokes)) :]
        == asked["strokes"][len(strokes) - min(kept, len(strokes)) :]
    )
    assert np.abs(heights(again, 0)[..., 0] - heights(log, 0)[..., 0]).max() < 1e-3


def test_the_file_is_bounded_however_long_one_smooths() -> None:
    sizes = []
    for strokes in (200, 800):
        log = EditLog()
        lay(log, [("smooth", 10 + n % 90, 10 + n % 70, 7.0, n % 40 + 1) for n in range(strokes)])
        folded = compaction.compacted(log.to_json())
        assert len(folded["strokes"]) == compaction.KEPT_STROKES + 1
        sizes.append(len(json.dumps(folded)))
        assert compaction.compacted(folded) == folded  # nothing is left to fold
    assert sizes[1] < 1.3 * sizes[0]


def test_a_bump_that_coarse_levels_do_not_show_stays_unseen_there() -> None:
    log = EditLog()
    lay(log, [("smooth", 64, 64, 3.0, 700), ("smooth", 64, 64, 40.0, 300)] * 60)
    again, _ = EditLog.from_json(compaction.compacted(log.to_json()))
    for level in (0, 2, 4):
        assert np.abs(heights(again, level) - heights(log, level))[::2, ::2].max() < 2e-3
