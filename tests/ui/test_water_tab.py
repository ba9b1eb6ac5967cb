"""The tab "Water", clicked and dragged with SDL events on an offscreen context."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from game.core.commands import parse_command
from game.gl.context import GLContext
from game.ui.debug_menu import DebugMenu, DebugState
from game.ui.imgui_layer import ImguiLayer
from game.ui.water_tab import SEASONS, SeaState, day_name
from tests.ui.screen import SIZE, Stage

pytestmark = pytest.mark.gl


class Menu:
    def __init__(self, layer: ImguiLayer) -> None:
        self.state = DebugState(world="alpine", seed=7)
        self.menu = DebugMenu()
        self.stage: Stage[str] = Stage(layer, lambda: self.menu.draw(self.state, layer))
        for _ in range(3):
            self.stage.frame()

    def click(self, label: str, share: float = 0.5) -> list[str]:
        left, top, right, bottom = self.menu.rects[label]
        commands = self.stage.click(left + (right - left) * share, (top + bottom) / 2)
        for command in commands:
            parse_command(command)
        return commands


@pytest.fixture
def menu(gl_context: GLContext) -> Iterator[Menu]:
    with ImguiLayer() as layer:
        one = Menu(layer)
        one.click("tab Water")
        one.stage.frame()
        yield one


def test_the_tab_opens_by_click_and_by_name(menu: Menu) -> None:
    assert "level" in menu.menu.rects
    assert "quality" not in menu.menu.rects
    assert menu.menu.sea_slider_rect is None
    menu.menu.open_tab("World")
    for _ in range(3):
        menu.stage.frame()
    assert "quality" in menu.menu.rects
    assert "level" not in menu.menu.rects


def test_the_level_goes_at_once_or_at_the_rate(menu: Menu) -> None:
    (command,) = menu.click("level", 0.5)
    assert parse_command(command).values == (pytest.approx(900.0, abs=25.0),)
    menu.click("moves", 0.9)
    rate = menu.menu._sea.rate_m_s
    assert rate > 1.0
    menu.state.sea = SeaState(mean_m=-20.0)
    assert parse_command(menu.click("sea +60")[0]).values == (40.0, pytest.approx(rate, abs=0.001))
    menu.state.sea = SeaState(mean_m=1990.0)
    assert parse_command(menu.click("sea +60")[0]).values[0] == 2000.0


@pytest.mark.parametrize(
    ("label", "name", "which", "value"),
    [
        ("waves", "waves", 0, 3.0),
        ("tide", "tide", 0, 10.0),
        ("tide takes", "tide", 1, 1805.0),
        ("day", "season", 0, 182.5),
        ("year takes", "year", 0, 1800.0),
        ("floods", "year", 1, 100.0),
        ("warmer", "climate", 0, 0.0),
        ("moister", "climate", 1, 0.0),
    ],
)
def test_every_slider_is_a_command(menu: Menu, label: str, name: str, which: int, value: float) -> None:
    menu.state.sea = SeaState(warmth_c=5.0, moisture=0.3, day=10.0, tide_s=20.0)
    menu.stage.frame()
    if label != "day":
        menu.click("rain and streams")
        menu.stage.frame()
        menu.click("waves and tide" if label in ("waves", "tide", "tide takes") else "year and climate")
        menu.stage.frame()
    (command,) = menu.click(label, 0.5)
    parsed = parse_command(command)
    low, high = {"warmer": (-30, 30), "moister": (-1, 1)}.get(label, (0, 2 * value))
    assert parsed.name == name
    assert parsed.values[which] == pytest.approx(value, abs=0.03 * (high - low))


def test_seasons_have_buttons(menu: Menu) -> None:
    for label, day in SEASONS:
        assert menu.click(label) == [f"season {day:g}"]
    assert day_name(0.0) == "1 January"
    assert day_name(200.0) == "20 July"
    assert day_name(365.0) == "1 January"


def test_parts_fold_away_and_stay_so(menu: Menu) -> None:
    assert menu.click("sea") == []
    menu.stage.frame()
    assert "level" not in menu.menu.rects
    assert "rain" in menu.menu.rects
    menu.click("tab World")
    menu.stage.frame()
    menu.click("tab Water")
    menu.stage.frame()
    assert "level" not in menu.menu.rects
    menu.click("sea")
    menu.stage.frame()
    assert "level" in menu.menu.rects


def test_what_matters_is_seen_without_scrolling(menu: Menu) -> None:
    bottom = SIZE[1]
    for label in ("level", "rain", "storm", "day", "time and erosion", "waves and tide", "year and climate"):
        assert menu.menu.rects[label][3] < bottom, label
