"""The warm-up screen: it follows, it obeys quit, it falls back."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

import pygame
import pytest

from game.gl.context import GLContext
from game.host import warmup_child
from game.host.warmup_child import Progress, WarmUpChild
from game.ui import loading
from game.ui.imgui_layer import ImguiLayer
from game.ui.loading import LoadingScreen, Steps, warm_up

pytestmark = pytest.mark.gl


class SessionWindow:
    """The session's window, as far as the screen uses one."""

    pixel_ratio = 1.0
    drawable_size = (640, 360)
    fullscreen_toggles = 0

    def toggle_fullscreen(self) -> bool:
        self.fullscreen_toggles += 1
        return False

    def swap(self) -> None:
        pygame.display.flip()


@pytest.fixture
def screen(gl_context: GLContext) -> Iterator[LoadingScreen]:
    pygame.event.get()
    with ImguiLayer() as layer:
        yield LoadingScreen(SessionWindow(), layer)  # type: ignore[arg-type]


def steps(count: int, seen: list[str]) -> Steps:
    for number in range(count):
        seen.append(f"kernel {number}")
        yield number + 1, count, f"kernel {number}"


def child_of(code: str, monkeypatch: pytest.MonkeyPatch) -> list[WarmUpChild]:
    made: list[WarmUpChild] = []

    def make() -> WarmUpChild:
        made.append(WarmUpChild([sys.executable, "-c", code]))
        return made[-1]

    monkeypatch.setattr(loading, "WarmUpChild", make)
    return made


def test_follows_to_the_end(screen: LoadingScreen) -> None:
    script = iter([Progress(), Progress(1, 2, "a"), Progress(2, 2, "b", finished=True)])
    assert screen.follow(lambda: next(script)) == Progress(2, 2, "b", finished=True)
    assert not screen.quit_asked


@pytest.mark.parametrize(
    "event",
    [
        pygame.event.Event(pygame.QUIT),
        pygame.event.Event(
            pygame.KEYDOWN, key=pygame.K_ESCAPE, scancode=pygame.KSCAN_ESCAPE, mod=0, unicode=""
        ),
    ],
)
def test_quit_ends_the_child(
    screen: LoadingScreen, monkeypatch: pytest.MonkeyPatch, event: pygame.event.Event
) -> None:
    made = child_of("import time; print('1 9 a'); time.sleep(60)", monkeypatch)
    seen: list[str] = []
    pygame.event.post(event)
    start = time.monotonic()
    assert warm_up(screen, lambda: steps(3, seen)) == (False, "")
    assert time.monotonic() - start < 30.0, "nobody waited for the child"
    assert made[0].poll().error == "the warm-up was stopped"
    assert seen == []


def test_after_the_child_the_kernels_are_loaded_here(
    screen: LoadingScreen, monkeypatch: pytest.MonkeyPatch
) -> None:
    child_of("print('1 1 a')", monkeypatch)
    seen: list[str] = []
    assert warm_up(screen, lambda: steps(3, seen)) == (True, "")
    assert seen == ["kernel 0", "kernel 1", "kernel 2"]


def test_a_failed_child_is_reported_and_replaced(
    screen: LoadingScreen, monkeypatch: pytest.MonkeyPatch
) -> None:
    child_of("raise SystemExit('no disk')", monkeypatch)
    seen: list[str] = []
    assert warm_up(screen, lambda: steps(2, seen)) == (True, "no disk")
    assert len(seen) == 2

    def refuse() -> WarmUpChild:
        raise OSError("no processes left")

    monkeypatch.setattr(loading, "WarmUpChild", refuse)
    go_on, problem = warm_up(screen, lambda: steps(2, seen))
    assert go_on
    assert problem == "the warm-up could not be started: no processes left"


def test_quit_between_steps(screen: LoadingScreen) -> None:
    seen: list[str] = []

    def slow() -> Steps:
        for number in range(5):
            seen.append("step")
            time.sleep(0.04)
            if number == 1:
                pygame.event.post(pygame.event.Event(pygame.QUIT))
            yield number + 1, 5, "x"

    assert not screen.run(slow())
    assert len(seen) == 2


def test_the_child_is_the_warm_up_of_this_installation() -> None:
    assert warmup_child.WARMUP_MODULE == "game.kernels.warmup"
