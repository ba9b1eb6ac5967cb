"""The F1 window, clicked and typed into with SDL events on an offscreen context."""

from __future__ import annotations

from collections.abc import Iterator

import pygame
import pytest

from game.core.commands import parse_command
from game.gl.context import GLContext
from game.ui.debug_menu import DebugMenu, DebugState, save_name_problem
from game.ui.imgui_layer import ImguiLayer
from tests.ui.screen import Stage

pytestmark = pytest.mark.gl


class Menu:
    """The menu with a game that obeys it."""

    def __init__(self, layer: ImguiLayer) -> None:
        self.state = DebugState(world="alpine", seed=7, x=10.0, z=-20.0, ranges_m=[230.0, 0.0])
        self.menu = DebugMenu()
        self.stage: Stage[str] = Stage(layer, lambda: self.menu.draw(self.state, layer))
        for _ in range(3):
            self.stage.frame()

    def scroll_to(self, label: str) -> None:
        """Turn the wheel over the window until the widget is well inside it."""
        x = self.stage.layer.size[0] - 200.0
        for _ in range(40):
            rect = self.menu.rects.get(label)
            if rect is not None and rect[3] < self.stage.layer.size[1] - 36.0:
                return
            self.stage.frame(self.stage.move(x, 300.0))
            self.stage.frame(pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=-1))
        raise AssertionError(f"{label} is not to be found")

    def click(self, label: str, share: float = 0.5) -> list[str]:
        left, top, right, bottom = self.menu.rects[label]
        commands = self.stage.click(left + (right - left) * share, (top + bottom) / 2)
        for command in commands:
            parse_command(command)
        return commands


@pytest.fixture
def menu(gl_context: GLContext) -> Iterator[Menu]:
    with ImguiLayer() as layer:
        yield Menu(layer)


def test_the_sea_slider_covers_the_whole_range(menu: Menu) -> None:
    assert menu.menu.sea_slider_rect == menu.menu.rects["sea level"]
    levels = [float(menu.click("sea level", share)[0].split()[1]) for share in (0.01, 0.5, 0.99)]
    assert levels[0] == -200.0
    assert levels[1] == pytest.approx(900.0, abs=20.0)
    assert levels[2] == 2000.0


def test_dragging_the_sea_is_live(menu: Menu) -> None:
    assert menu.menu.sea_slider_rect is not None
    left, top, right, bottom = menu.menu.sea_slider_rect
    y = (top + bottom) / 2
    menu.stage.frame(menu.stage.move(left + 40, y))
    menu.stage.frame(pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=1, pos=(left + 40, y)))
    assert menu.stage.layer.wants_mouse
    assert not menu.stage.layer.wants_text, "one may ride on with the slider in hand"
    levels = []
    for x in range(int(left) + 60, int(right) - 10, 20):
        for command in menu.stage.frame(menu.stage.move(x, y)):
            levels.append(float(command.split()[1]))
            menu.state.sea_level_m = levels[-1]
    assert len(levels) > 5
    assert levels == sorted(levels)


def test_sea_buttons_step_and_stay_in_range(menu: Menu) -> None:
    menu.state.sea_level_m = 1995.0
    assert menu.click("+10 m") == ["sea 2000.00"]
    assert menu.click("−10 m") == ["sea 1985.00"]
    assert menu.click("0 m") == ["sea 0.00"]


def test_undo_and_redo_only_when_there_is_something(menu: Menu) -> None:
    assert menu.click("undo") == []
    assert menu.click("redo") == []
    menu.state.can_undo = menu.state.can_redo = True
    assert menu.click("undo") == ["undo"]
    assert menu.click("redo") == ["redo"]


def test_teleport_goes_where_typed_and_refuses_beyond_the_world(menu: Menu) -> None:
    menu.click("x")
    assert menu.stage.layer.wants_text
    assert menu.stage.type("-1234.5") == ["teleport -1234.5,-20.0"]
    menu.click("z")
    menu.stage.key(pygame.K_a, pygame.KMOD_LCTRL)
    menu.stage.frame(pygame.event.Event(pygame.TEXTINPUT, text="77"))
    assert menu.click("go") == ["teleport -1234.5,77.0"], "without Enter"
    menu.click("x")
    assert menu.stage.type("1e12") == []
    assert "x = 1000000000000.0 is not accepted" in menu.menu._place_problem
    assert menu.click("here") == []
    assert menu.click("go") == ["teleport 10.0,-20.0"]
    assert menu.menu._place_problem == ""


def test_time_brush_quality_and_switches(menu: Menu) -> None:
    (hour,) = menu.click("time of day", 0.25)
    assert float(hour.split()[1]) == pytest.approx(6.0, abs=0.7)
    (brush,) = menu.click("radius", 0.999)
    assert brush == "brush 500.00 2.00"
    (brush,) = menu.click("strength", 0.999)
    assert brush == "brush 12.00 50.00"
    assert menu.click("sculpt") == ["sculpt on"]
    menu.scroll_to("hud")
    assert menu.click("hud", 0.05) == ["hud off"]


def test_save_needs_a_usable_name(menu: Menu) -> None:
    assert menu.click("save") == []
    assert menu.menu._name_problem == "give the world a name"
    menu.click("save name")
    assert menu.stage.type("my/hill") == []
    assert "'my/hill'" in menu.menu._name_problem
    menu.click("save name")
    assert menu.stage.type("my hill") == ["save my hill"]
    assert menu.menu._name_problem == ""


@pytest.mark.parametrize("name", ["a", "my-hill_2", "ride 2026-01-02 030405", "x" * 60])
def test_good_names(name: str) -> None:
    assert save_name_problem(name) == ""


@pytest.mark.parametrize(
    "name", ["", "a/b", "../a", ".a", "a.b", "Ä", "a;b", "a@b", "a\nb", "alpine", "x" * 61]
)
def test_bad_names(name: str) -> None:
    assert save_name_problem(name) != ""


def test_time_passes_where_one_is_and_can_be_stopped(menu: Menu) -> None:
    menu.click("tab Water")
    menu.stage.frame()
    menu.state.erosion.x, menu.state.erosion.z = 120.25, -3.0
    menu.click("time and erosion")
    menu.stage.frame()
    menu.scroll_to("let time pass here")
    menu.click("reach", 0.999)
    menu.click("slope", 0.001)
    (command,) = menu.click("let time pass here")
    name, place, reach, seconds, slope, rate = command.split()
    assert (name, reach, seconds, slope, rate) == ("erode", "512.0", "30.0", "0.300", "0.0500")
    assert [float(value) for value in place.split(",")] == pytest.approx([120.25, -3.0], abs=0.06)
    menu.state.erosion.progress = 0.4
    menu.state.erosion.radius_m, menu.state.erosion.seconds = 512.0, 30.0
    menu.stage.frame()
    menu.stage.frame()
    assert "let time pass here" not in menu.menu.rects
    assert menu.click("cancel erosion") == ["erode cancel"]


def test_a_tab_can_be_asked_for(menu: Menu) -> None:
    assert "time and erosion" not in menu.menu.rects
    menu.menu.open_tab("Water")
    menu.stage.frame()
    menu.stage.frame()
    assert "time and erosion" in menu.menu.rects
    assert "sea level" not in menu.menu.rects
