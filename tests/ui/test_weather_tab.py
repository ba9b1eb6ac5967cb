"""The rain's widgets, clicked with SDL events on an offscreen context."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from imgui_bundle import imgui

from game.core.commands import parse_command
from game.gl.context import GLContext
from game.ui.imgui_layer import ImguiLayer
from game.ui.sections import Sections
from game.ui.weather_tab import RainState, draw_rain
from tests.ui.screen import Stage

pytestmark = pytest.mark.gl


class Tab:
    """A window that holds the rain's widgets and nothing else."""

    def __init__(self, layer: ImguiLayer) -> None:
        self.state = RainState()
        self.layer = layer
        self.sections = Sections()
        self.rects: dict[str, tuple[float, float, float, float]] = {}
        self.stage: Stage[str] = Stage(layer, self._draw)
        for _ in range(3):
            self.stage.frame()

    def _draw(self) -> list[str]:
        imgui.set_next_window_pos(imgui.ImVec2(50.0, 50.0))
        imgui.set_next_window_size(imgui.ImVec2(400.0, 300.0))
        imgui.begin("rain")
        imgui.push_item_width(-104.0)
        commands = draw_rain(self.state, self.sections, self.layer.scale, self._note)
        imgui.pop_item_width()
        imgui.end()
        return commands

    def _note(self, label: str, slider: bool = False) -> None:
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        right = low.x + imgui.calc_item_width() if slider else high.x
        self.rects[label] = (low.x, low.y, right, high.y)

    def click(self, label: str, share: float = 0.5) -> list[str]:
        left, top, right, bottom = self.rects[label]
        commands = self.stage.click(left + (right - left) * share, (top + bottom) / 2)
        for command in commands:
            parse_command(command)
        return commands


@pytest.fixture
def tab(gl_context: GLContext) -> Iterator[Tab]:
    with ImguiLayer() as layer:
        yield Tab(layer)


def test_the_slider_asks_for_rain_from_none_to_the_most(tab: Tab) -> None:
    (most,) = tab.click("rain", 0.995)
    assert most == "rain 200.00"
    (some,) = tab.click("rain", 0.5)
    assert 0.0 < float(some.split()[1]) < 200.0


def test_buttons_and_switch(tab: Tab) -> None:
    assert tab.click("storm") == ["rain 50 10"]
    assert tab.click("no rain") == ["rain 0"]
    assert tab.click("dry all") == ["runoff clear"]
    assert tab.click("runoff", 0.05) == ["runoff off"]
    tab.state = RainState(runoff=False)
    assert tab.click("runoff", 0.05) == ["runoff on"]
