"""The F2 window: keys are bound by pressing them, conflicts are named, everything answers with a valid command."""

from __future__ import annotations

from collections.abc import Iterator

import pygame
import pytest

from game.core.commands import parse_command
from game.core.preferences import CAMERA, CONTROLS, Preferences
from game.core.remap import rebound
from game.gl.context import GLContext
from game.host.inputs import PAD_CODES, SCANCODES
from game.ui.controls_screen import ControlsScreen, problems
from game.ui.imgui_layer import ImguiLayer
from tests.ui.screen import Stage

pytestmark = pytest.mark.gl


class Player:
    """The window with a game that obeys it, as `Interface` and `app` do."""

    def __init__(self, layer: ImguiLayer) -> None:
        self.preferences = Preferences()
        self.screen = ControlsScreen()
        self.commands: list[str] = []
        self.stage: Stage[str] = Stage(layer, lambda: self.screen.draw(self.preferences, layer))
        for _ in range(3):
            self.stage.frame()

    def obey(self, commands: list[str]) -> None:
        for text in commands:
            self.commands.append(text)
            self.preferences = rebound(self.preferences, parse_command(text))

    def click(self, label: str, share: float = 0.5) -> None:
        left, top, right, bottom = self.screen.rects[label]
        self.obey(self.stage.click(left + (right - left) * share, (top + bottom) / 2))

    def press(self, event: pygame.event.Event) -> None:
        self.obey(self.screen.read([event], self.preferences))
        self.obey(self.stage.frame())


@pytest.fixture
def player(gl_context: GLContext) -> Iterator[Player]:
    with ImguiLayer() as layer:
        yield Player(layer)


def key(name: str, keycode: int = 0) -> pygame.event.Event:
    return pygame.event.Event(pygame.KEYDOWN, key=keycode, scancode=SCANCODES[name], mod=0, unicode="")


def test_a_click_and_a_press_bind_the_place_whatever_is_printed_there(player: Player) -> None:
    player.click("hop key 0")
    assert player.screen.waiting == ("hop", False, 0)
    player.press(key("Y", pygame.K_z))
    assert player.screen.waiting is None
    assert player.preferences.keys["hop"] == ("Y",)
    player.click("hop key 1")
    player.press(key("ENTER"))
    assert player.preferences.keys["hop"] == ("Y", "ENTER")


def test_escape_leaves_and_delete_empties(player: Player) -> None:
    player.click("pedal key 1")
    player.press(key("ESC"))
    assert player.preferences.keys["pedal"] == ("W", "UP")
    player.click("pedal key 0")
    player.press(key("DELETE"))
    assert player.preferences.keys["pedal"] == ("UP",)


def test_a_mouse_button_can_brake(player: Player) -> None:
    player.click("brake key 2")
    player.press(pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=3, pos=(5, 5)))
    assert player.preferences.keys["brake"] == ("S", "DOWN", "MOUSERIGHT")


def test_a_key_that_does_two_things_is_named(player: Player) -> None:
    assert problems(player.preferences) == []
    player.click("hop key 0")
    player.press(key("R"))
    assert problems(player.preferences) == ["R does both: hop and get up, start again"]
    player.click("hop key 0")
    player.press(key("CTRL"))
    assert "undo" in problems(player.preferences)[0]


def test_gamepad_buttons_wait_for_the_gamepad(player: Player) -> None:
    player.click("gamepad buttons")
    player.click("calm button 0")
    player.press(key("W"))
    assert player.screen.waiting == ("calm", True, 0), "a key is no button"
    player.press(pygame.event.Event(pygame.CONTROLLERBUTTONDOWN, instance_id=0, button=PAD_CODES["LB"]))
    assert player.preferences.gamepad["calm"] == ("LB",)


def test_every_control_preference_is_there_and_answers(player: Player) -> None:
    player.click("sensitivity")
    assert set(CONTROLS) <= player.screen.rects.keys()
    before = player.preferences.controls
    player.click("mouse_invert_y")
    assert player.preferences.controls.mouse_invert_y is True
    player.click("steer_sensitivity", 0.9)
    assert player.preferences.controls.steer_sensitivity > 2.0
    assert before != player.preferences.controls
    player.click("reset to defaults")
    assert player.preferences == Preferences()


def test_what_moves_the_camera_goes_down_to_a_true_zero(player: Player) -> None:
    player.click("camera")
    assert set(CAMERA) <= player.screen.rects.keys()
    for name in ("fov_kick", "shake", "bob", "roll", "tilt"):
        player.click(name, 0.002)
        assert getattr(player.preferences.camera, name) == 0.0
    player.click("reduced_motion")
    assert player.preferences.camera.reduced_motion is True


def test_done_and_the_cross_close(player: Player) -> None:
    player.click("hop key 0")
    player.click("done")
    assert player.commands[-1] == "controls off"
    assert player.screen.waiting is None
