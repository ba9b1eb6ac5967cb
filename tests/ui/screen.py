"""A stage for imgui tests: frames over the session's offscreen window, driven with SDL events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import pygame

from game.ui.imgui_layer import ImguiLayer

SIZE = (1280, 720)
T = TypeVar("T")


class Stage(Generic[T]):
    """Draws `scene` frame by frame and collects what it returns."""

    def __init__(self, layer: ImguiLayer, scene: Callable[[], list[T]]) -> None:
        self.layer, self.scene = layer, scene

    def frame(self, *events: pygame.event.Event) -> list[T]:
        self.layer.feed(events)
        self.layer.begin(1.0 / 60.0, SIZE)
        out = self.scene()
        self.layer.end()
        return out

    def click(self, x: float, y: float) -> list[T]:
        """Move there, press, release; a frame each, as imgui needs to see hovering first."""
        out = self.frame(self.move(x, y)) + self.frame()
        out += self.frame(pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=1, pos=(x, y)))
        out += self.frame(pygame.event.Event(pygame.MOUSEBUTTONUP, button=1, pos=(x, y)))
        return out + self.frame()

    def move(self, x: float, y: float) -> pygame.event.Event:
        return pygame.event.Event(pygame.MOUSEMOTION, pos=(x, y), rel=(0, 0), buttons=(0, 0, 0))

    def key(self, code: int, mod: int = 0) -> list[T]:
        down = pygame.event.Event(pygame.KEYDOWN, key=code, scancode=0, mod=mod, unicode="")
        # The modifier is let go with the key, as SDL would say in its own key-up.
        up = pygame.event.Event(pygame.KEYUP, key=code, scancode=0, mod=0, unicode="")
        return self.frame(down) + self.frame(up)

    def type(self, text: str) -> list[T]:
        """Replace the text of the focused field and press Enter."""
        out = self.key(pygame.K_a, pygame.KMOD_LCTRL)
        out += self.frame(pygame.event.Event(pygame.TEXTINPUT, text=text))
        return out + self.key(pygame.K_RETURN) + self.frame()
