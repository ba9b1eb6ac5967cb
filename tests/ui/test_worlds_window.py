"""The window of saved worlds, clicked with SDL events on an offscreen context."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from game.core.commands import parse_command
from game.gl.context import GLContext
from game.ui.imgui_layer import ImguiLayer
from game.ui.worlds_window import WorldsWindow
from game.world.save import SavedWorld, save_world
from tests.ui.screen import Stage

pytestmark = pytest.mark.gl


class Worlds:
    """The window, with the world "here" being ridden."""

    def __init__(self, layer: ImguiLayer) -> None:
        self.window = WorldsWindow()
        self.stage: Stage[str] = Stage(layer, lambda: self.window.draw("here", layer))
        for _ in range(4):
            self.stage.frame()

    def click(self, label: str) -> list[str]:
        left, top, right, bottom = self.window.rects[label]
        commands = self.stage.click((left + right) / 2, (top + bottom) / 2)
        for command in commands:
            parse_command(command)
        for _ in range(2):
            self.stage.frame()
        return commands


@pytest.fixture
def worlds(gl_context: GLContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worlds]:
    monkeypatch.setenv("VELOTERRA_DATA_DIR", str(tmp_path))
    for name in ("here", "the ridge"):
        save_world(name, SavedWorld("alpine", 3))
    with ImguiLayer() as layer:
        yield Worlds(layer)


def test_opening_another_world_is_one_click_and_the_open_one_has_no_button(worlds: Worlds) -> None:
    assert worlds.click("open the ridge") == ["world open the ridge"]
    assert "open here" not in worlds.window.rects
    assert "delete here" not in worlds.window.rects
    assert "rename here" in worlds.window.rects


def test_deleting_asks_first(worlds: Worlds) -> None:
    assert worlds.click("delete the ridge") == []
    assert worlds.click("cancel") == []
    assert "delete now" not in worlds.window.rects
    worlds.click("delete the ridge")
    assert worlds.click("delete now") == ["world delete the ridge"]


def test_a_copy_needs_a_name_that_is_free(worlds: Worlds) -> None:
    worlds.click("copy the ridge")
    assert worlds.click("copy now") == [], "the name is its own"
    assert "already" in worlds.window._problem


def test_a_new_world_is_named_and_made_of_a_recipe(worlds: Worlds) -> None:
    assert worlds.click("create") == ["world new world 1, alpine"]
