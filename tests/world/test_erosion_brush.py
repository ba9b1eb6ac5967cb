"""The erode brush: dabs that add up to gullies, folded like smoothing, undone like any stroke."""

from __future__ import annotations

import numpy as np
import pytest

from game.core.coords import PageKey
from game.world.edits import EditLog
from game.world.erosion_brush import ERODE_RADIUS_M
from game.world.land import LandSource
from game.world.recipe import Recipe
from game.world.source import HeightSource

SOURCE = HeightSource(Recipe.load("alpine"), 7)
X, Z = -12928.0, -15680.0


def land() -> LandSource:
    return LandSource(SOURCE, EditLog(), 7, 0)


def around(made: LandSource, half: int = 50) -> np.ndarray:
    return made.workbench.block(int(X) - half, int(Z) - half, 2 * half + 1, 2 * half + 1).copy()


def stroke(made: LandSource, dabs: int, radius_m: float = 30.0) -> None:
    made.edits.begin_stroke()
    made.erosion_brush.dry()
    for _ in range(dabs):
        made.dab("erode", X, Z, radius_m, 0.4)
    made.edits.end_stroke()


def test_a_stroke_erodes_under_the_ring_and_nowhere_else() -> None:
    made = land()
    before = around(made)
    stroke(made, 40)
    change = around(made) - before
    away = np.hypot(*(np.mgrid[-50:51, -50:51]))
    assert (change[away >= 30.0] == 0.0).all()
    assert change.min() < -0.3
    assert np.abs(change[away < 20.0]).mean() > 0.05


def test_water_stays_from_dab_to_dab_of_a_stroke() -> None:
    together, apart = land(), land()
    stroke(together, 30)
    for _ in range(30):
        apart.dab("erode", X, Z, 30.0, 0.4)
    before = around(land())
    moved = [np.abs(around(made) - before).sum() for made in (together, apart)]
    assert moved[0] > 1.2 * moved[1]
    assert apart.edits.strokes == 30


def test_the_same_dabs_give_the_same_land() -> None:
    one, other = land(), land()
    for made in (one, other):
        stroke(made, 5)
        stroke(made, 3, 12.0)
    assert one.edits.to_json() == other.edits.to_json()


def test_a_stroke_is_folded_and_undone_whole() -> None:
    made = land()
    before = SOURCE.generate(PageKey(0, int(X) // 128, int(Z) // 128))
    stroke(made, 50)
    assert made.edits.strokes == 1
    assert len(made.edits) <= 4
    page = SOURCE.generate(before.key)
    made.edits.evaluate(page)
    assert page.edited.tobytes() != before.edited.tobytes()
    made.edits.undo()
    made.edits.evaluate_box(page)
    assert page.edited.tobytes() == before.edited.tobytes()


def test_a_moving_brush_takes_its_water_along() -> None:
    made = land()
    made.edits.begin_stroke()
    made.erosion_brush.dry()
    for step in range(30):
        made.dab("erode", X + 3.0 * step, Z - 2.0 * step, 16.0 + 0.2 * step, 0.3)
    made.dab("erode", X + 5000.0, Z, 16.0, 0.3)  # nothing overlaps
    made.edits.end_stroke()
    assert np.isfinite(around(made)).all()


def test_a_wider_brush_is_refused() -> None:
    made = land()
    with pytest.raises(
        ValueError, match=r"radius_m = 100\.1 is not accepted for erode; give up to 100 metres"
    ):
        made.dab("erode", X, Z, ERODE_RADIUS_M + 0.1, 1.0)
    assert len(made.edits) == 0
