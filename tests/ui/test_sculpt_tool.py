"""Strokes and dabs from pointer input; no window involved."""

from __future__ import annotations

import itertools
import math

import pytest

from game.core.commands import BRUSHES, FALLOFFS, parse_command
from game.ecs.components import SculptTool
from game.gl.context import GLContext
from game.host.inputs import InputFrame
from game.ui.imgui_layer import ImguiLayer
from game.ui.sculpt_tool import (
    MAX_DABS,
    RADIUS_RANGE_M,
    STRENGTH_RANGE_M,
    Action,
    BeginStroke,
    BrushButtons,
    Dab,
    EndStroke,
    Ramp,
    Redo,
    SculptStroke,
    Undo,
)
from tests.ui.screen import Stage

FRAME_S = 1.0 / 60.0


@pytest.fixture
def tool() -> SculptTool:
    return SculptTool(active=True, radius_m=20.0, strength_m=4.0)


def press(left: bool = True, right: bool = False, ctrl: bool = True) -> InputFrame:
    return InputFrame(left=left, right=right, left_pressed=left, right_pressed=right, ctrl=ctrl)


def hold(left: bool = True, right: bool = False) -> InputFrame:
    return InputFrame(left=left, right=right)


def dabs(actions: list[Action]) -> list[Dab]:
    return [action for action in actions if isinstance(action, Dab)]


def test_a_click_is_one_stroke_of_one_dab(tool: SculptTool) -> None:
    stroke = SculptStroke()
    actions = stroke.update(press(), (5.0, 7.0), tool, FRAME_S)
    assert actions == [BeginStroke(), Dab("raise", 5.0, 7.0, 20.0, 1.0)]
    assert stroke.stroking
    assert stroke.update(InputFrame(), (5.0, 7.0), tool, FRAME_S) == [EndStroke()]
    assert not stroke.stroking


def test_press_and_release_within_a_frame_still_dabs_once(tool: SculptTool) -> None:
    stroke = SculptStroke()
    frame = InputFrame(left=True, left_pressed=True, ctrl=True)
    first = stroke.update(frame, (0.0, 0.0), tool, FRAME_S)
    rest = stroke.update(InputFrame(), (0.0, 0.0), tool, FRAME_S)
    assert len(dabs(first + rest)) == 1
    assert (first + rest)[-1] == EndStroke()


def test_the_right_button_lowers_with_positive_strength(tool: SculptTool) -> None:
    stroke = SculptStroke()
    (dab,) = dabs(stroke.update(press(left=False, right=True), (0.0, 0.0), tool, FRAME_S))
    assert dab.brush == "lower"
    assert dab.strength_m > 0.0
    assert tool.brush == "lower"


def test_without_ctrl_or_tool_nothing_happens(tool: SculptTool) -> None:
    stroke = SculptStroke()
    assert stroke.update(press(ctrl=False), (0.0, 0.0), tool, FRAME_S) == []
    tool.active = False
    assert stroke.update(press(), (0.0, 0.0), tool, FRAME_S) == []
    assert (tool.x, tool.z) == (None, None)


def test_ctrl_may_be_let_go_during_the_stroke(tool: SculptTool) -> None:
    stroke = SculptStroke()
    stroke.update(press(), (0.0, 0.0), tool, FRAME_S)
    assert stroke.update(hold(), (10.0, 0.0), tool, FRAME_S)
    assert stroke.stroking


def test_a_drag_dabs_every_quarter_radius_whatever_the_frame_rate(tool: SculptTool) -> None:
    counts = []
    for pieces in (1, 4, 100):
        stroke = SculptStroke()
        made = dabs(stroke.update(press(), (0.0, 0.0), tool, 0.0))
        for piece in range(1, pieces + 1):
            made += dabs(stroke.update(hold(), (100.0 * piece / pieces, 0.0), tool, 0.0))
        spacings = [math.dist((a.x, a.z), (b.x, b.z)) for a, b in itertools.pairwise(made)]
        assert spacings == pytest.approx([5.0] * len(spacings))
        counts.append(len(made))
    assert max(counts) - min(counts) <= 1
    assert counts[0] == 21


def test_holding_still_moves_land_at_a_rate_that_does_not_depend_on_frames(tool: SculptTool) -> None:
    for fps in (30, 60, 120):
        stroke = SculptStroke()
        stroke.update(press(), (0.0, 0.0), tool, 1.0 / fps)
        total = 0.0
        for _ in range(fps):
            total += sum(dab.strength_m for dab in dabs(stroke.update(hold(), (0.0, 0.0), tool, 1.0 / fps)))
        assert total == pytest.approx(2.0 * tool.strength_m, rel=1e-6)


def test_a_leap_across_a_valley_draws_no_wall(tool: SculptTool) -> None:
    stroke = SculptStroke()
    stroke.update(press(), (0.0, 0.0), tool, FRAME_S)
    far = 20.0 * 0.25 * (MAX_DABS + 5)
    assert [(dab.x, dab.z) for dab in dabs(stroke.update(hold(), (far, 0.0), tool, FRAME_S))] == [(far, 0.0)]


def test_the_sky_lifts_the_brush(tool: SculptTool) -> None:
    stroke = SculptStroke()
    stroke.update(press(), (0.0, 0.0), tool, FRAME_S)
    assert stroke.update(hold(), None, tool, FRAME_S) == []
    assert tool.x is None
    (dab,) = dabs(stroke.update(hold(), (60.0, 0.0), tool, FRAME_S))
    assert (dab.x, dab.z) == (60.0, 0.0), "no line from where it left the land"
    assert stroke.stroking


def test_focus_loss_pause_and_leaving_the_tool_end_the_stroke(tool: SculptTool) -> None:
    stroke = SculptStroke()
    stroke.update(press(), (0.0, 0.0), tool, FRAME_S)
    assert stroke.update(InputFrame(focus_lost=True), (0.0, 0.0), tool, FRAME_S) == [EndStroke()]
    stroke.update(press(), (0.0, 0.0), tool, FRAME_S)
    assert stroke.cancel() == [EndStroke()]
    assert stroke.cancel() == []
    stroke.update(press(), (0.0, 0.0), tool, FRAME_S)
    tool.active = False
    assert stroke.update(hold(), (0.0, 0.0), tool, FRAME_S) == [EndStroke()]


def test_wheel_changes_radius_and_with_shift_strength(tool: SculptTool) -> None:
    stroke = SculptStroke()
    stroke.update(InputFrame(wheel=2.0), None, tool, FRAME_S)
    assert tool.radius_m == pytest.approx(20.0 * 1.21)
    stroke.update(InputFrame(wheel=-2.0), None, tool, FRAME_S)
    assert tool.radius_m == pytest.approx(20.0)
    stroke.update(InputFrame(wheel_shifted=1.0), None, tool, FRAME_S)
    assert tool.strength_m == pytest.approx(4.4)
    for _ in range(40):
        stroke.update(InputFrame(wheel=5.0), None, tool, FRAME_S)
        stroke.update(InputFrame(wheel_shifted=5.0), None, tool, FRAME_S)
    assert (tool.radius_m, tool.strength_m) == (RADIUS_RANGE_M[1], STRENGTH_RANGE_M[1])
    for _ in range(40):
        stroke.update(InputFrame(wheel=-5.0), None, tool, FRAME_S)
        stroke.update(InputFrame(wheel_shifted=-5.0), None, tool, FRAME_S)
    assert (tool.radius_m, tool.strength_m) == (RADIUS_RANGE_M[0], STRENGTH_RANGE_M[0])


def test_undo_and_redo_but_never_inside_a_stroke(tool: SculptTool) -> None:
    stroke = SculptStroke()
    assert stroke.update(InputFrame(undo=True), None, tool, FRAME_S) == [Undo()]
    assert stroke.update(InputFrame(redo=True), None, tool, FRAME_S) == [Redo()]
    stroke.update(press(), (0.0, 0.0), tool, FRAME_S)
    frame = hold()
    frame.undo = True
    assert stroke.update(frame, (0.0, 0.0), tool, FRAME_S) == []


def test_actions_alternate(tool: SculptTool) -> None:
    stroke = SculptStroke()
    actions: list[Action] = []
    for frame in (press(), hold(), press(right=True), InputFrame(), press(left=False, right=True)):
        actions += stroke.update(frame, (1.0, 1.0), tool, FRAME_S)
    actions += stroke.cancel()
    kinds = [type(action) for action in actions if not isinstance(action, Dab)]
    assert kinds == [BeginStroke, EndStroke, BeginStroke, EndStroke]


def test_buttons_choose_between_the_brush_its_opposite_and_smoothing(tool: SculptTool) -> None:
    for chosen, left, right in (
        ("raise", "raise", "lower"),
        ("peak", "peak", "canyon"),
        ("flatten", "flatten", "lower"),
    ):
        tool.chosen = chosen
        (dab,) = dabs(SculptStroke().update(press(), (0.0, 0.0), tool, FRAME_S))
        assert dab.brush == left
        (dab,) = dabs(SculptStroke().update(press(left=False, right=True), (0.0, 0.0), tool, FRAME_S))
        assert dab.brush == right
    tool.radius_m = 300.0
    shifted = InputFrame(right=True, right_pressed=True, shift=True)
    (dab,) = dabs(SculptStroke().update(shifted, (0.0, 0.0), tool, FRAME_S))
    assert (dab.brush, dab.radius_m) == ("smooth", 300.0)
    tool.chosen = "erode"
    (dab,) = dabs(SculptStroke().update(press(), (0.0, 0.0), tool, FRAME_S))
    assert (dab.brush, dab.radius_m) == ("erode", 100.0)
    left = InputFrame(left=True, left_pressed=True, shift=True)
    assert SculptStroke().update(left, (0.0, 0.0), tool, FRAME_S) == []


def test_a_ramp_is_laid_where_the_button_comes_up(tool: SculptTool) -> None:
    tool.chosen = "ramp"
    stroke = SculptStroke()
    assert stroke.update(press(), (1.0, 2.0), tool, FRAME_S) == [BeginStroke()]
    assert (tool.from_x, tool.from_z) == (1.0, 2.0)
    assert stroke.update(hold(), (20.0, 2.0), tool, FRAME_S) == []
    assert stroke.update(hold(), None, tool, FRAME_S) == []
    assert stroke.update(InputFrame(), (31.0, 2.0), tool, FRAME_S) == [
        Ramp(1.0, 2.0, 31.0, 2.0, 20.0),
        EndStroke(),
    ]
    assert tool.from_x is None
    stroke.update(press(), (1.0, 2.0), tool, FRAME_S)
    assert stroke.cancel() == [EndStroke()]


def test_a_kicker_is_set_once_a_click(tool: SculptTool) -> None:
    tool.chosen = "kicker"
    stroke = SculptStroke()
    assert len(dabs(stroke.update(press(), (1.0, 2.0), tool, FRAME_S))) == 1
    for n in range(20):
        assert stroke.update(hold(), (1.0 + n, 2.0), tool, FRAME_S) == []


@pytest.mark.gl
def test_every_button_chooses_what_it_says(gl_context: GLContext, tool: SculptTool) -> None:
    with ImguiLayer() as layer:
        buttons = BrushButtons()
        stage: Stage[str] = Stage(layer, lambda: buttons.draw(tool, layer))
        for _ in range(3):
            stage.frame()
        for command, names in (("tool", BRUSHES), ("falloff", FALLOFFS)):
            for name in names:
                left, top, right, bottom = buttons.rects[name]
                clicked = stage.click((left + right) / 2, (top + bottom) / 2)
                assert clicked == [f"{command} {name}"]
                parse_command(clicked[0])
