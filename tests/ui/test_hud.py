"""What the HUD says, and that it draws, fades and answers clicks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from game.gl.context import GLContext
from game.ui.hud import HINTS_S, MESSAGE_S, MESSAGES_SHOWN, DebugNumbers, Hud, HudState, grouped, way
from game.ui.imgui_layer import ImguiLayer
from game.ui.theme import scale_for
from tests.ui.screen import Stage

KEYS = [("W", "pedal"), ("S", "brake"), ("Esc", "pause")]


@pytest.fixture
def layer(gl_context: GLContext) -> Iterator[ImguiLayer]:
    with ImguiLayer() as made:
        yield made


def test_numbers_are_written_for_people() -> None:
    assert grouped(1234567.4) == "1 234 567"
    assert grouped(-12.0) == "−12"
    assert way(0.0) == "0 m"
    assert way(999.4) == "999 m"
    assert way(3420.0) == "3.42 km"
    assert way(128_000.0) == "128 km"


@pytest.mark.parametrize(
    ("size", "scale"), [((1280, 720), 1.0), ((2560, 1440), 2.0), ((720, 1280), 0.625), ((1, 1), 0.375)]
)
def test_the_scale_follows_the_window(size: tuple[int, int], scale: float) -> None:
    assert scale_for(*size) == scale


def test_a_wrong_kind_of_message_is_refused() -> None:
    with pytest.raises(ValueError, match="'loud' is not accepted; use one of info, good, warning"):
        Hud().notify("x", "loud")


@pytest.mark.gl
def test_messages_end_and_repeat_only_once(layer: ImguiLayer) -> None:
    hud, state = Hud(), HudState()
    stage: Stage[str] = Stage(layer, lambda: hud.draw(state, 0.5, layer))
    hud.notify("picture saved: a.png", "good")
    hud.notify("picture saved: a.png", "good")
    assert hud.messages == ("picture saved: a.png",)
    for index in range(MESSAGES_SHOWN + 3):
        hud.notify(f"message {index}")
    assert len(hud.messages) == MESSAGES_SHOWN
    for _ in range(int(MESSAGE_S / 0.5) + 1):
        stage.frame()
    assert hud.messages == ()


@pytest.mark.gl
def test_every_state_draws(layer: ImguiLayer) -> None:
    import math

    hud = Hud()
    numbers = DebugNumbers(ranges_m=[230.0, 0.0, 900.0], targets_m=[230.0, 460.0, 920.0], renderer="x" * 300)
    states = [
        HudState(keys=KEYS),
        HudState(speed_m_s=90.0, gradient=-9.0, yaw_rad=-7.0, hour=24.0, airborne=True, numbers=numbers),
        HudState(speed_m_s=-3.0, altitude_m=-500.0, distance_m=1e7, fallen=True, sculpting=True),
        HudState(yaw_rad=math.tau, paused=True, keys=KEYS, numbers=DebugNumbers(), right_inset=400.0),
        HudState(visible=False),
    ]
    hud.notify("x" * 500, "warning")
    for state in states:
        assert Stage(layer, lambda state=state: hud.draw(state, HINTS_S / 4, layer)).frame() == []


@pytest.mark.gl
@pytest.mark.parametrize(
    ("x", "command"),
    [(434, "pause off"), (537, "picture"), (640, "fullscreen"), (743, "motion reduced"), (845, "quit")],
)
def test_the_pause_panel_answers_clicks(layer: ImguiLayer, x: float, command: str) -> None:
    hud, state = Hud(), HudState(paused=True, keys=KEYS)
    stage: Stage[str] = Stage(layer, lambda: hud.draw(state, 1 / 60, layer))
    stage.frame()
    height = 132.0 + 34.0 * 2 + 18.0
    assert stage.click(x, (720 - height) / 2 + 70 + 19) == [command]
    assert layer.wants_mouse


@pytest.mark.gl
def test_a_grabbed_pointer_clicks_nothing(layer: ImguiLayer) -> None:
    hud, state = Hud(), HudState(paused=True)
    layer.feed([], pointer_free=False)
    stage: Stage[str] = Stage(layer, lambda: hud.draw(state, 1 / 60, layer))
    stage.frame()
    assert not layer.wants_mouse


@pytest.mark.gl
def test_release_twice(gl_context: GLContext) -> None:
    made = ImguiLayer()
    made.begin(0.0, (64, 64))
    made.end()
    made.release()
    made.release()
