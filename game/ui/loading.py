"""The screen before the ride: a title and how far the warm-up is, while events are read and quit is obeyed.

Draws straight into the window's framebuffer; nothing of the game's renderer exists yet.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable

import pygame

from game.host.warmup_child import Progress, WarmUpChild
from game.host.window import Window
from game.ui.imgui_layer import ImguiLayer
from game.ui.paint import Paint
from game.ui.theme import ACCENT, FAINT, INK, MUTED, Colour

FRAME_S = 1.0 / 30.0
"""Time between pictures: enough to look alive, little enough to leave the CPU to the compiler."""

Steps = Iterable[tuple[int, int, str]]
"""Work done piece by piece: yields (done, total, name) before or after every piece."""


class LoadingScreen:
    """Shows progress in an open window that has no renderer yet."""

    def __init__(self, window: Window, layer: ImguiLayer, title: str = "Veloterra") -> None:
        self._window = window
        self._layer = layer
        self._title = title
        self._quit = False
        self._shown_share = 0.0
        self._started_s = time.perf_counter()
        self._last_s = self._started_s

    @property
    def quit_asked(self) -> bool:
        """Whether the player closed the window or pressed Escape while it was shown."""
        return self._quit

    def frame(self, progress: Progress, heading: str = "") -> bool:
        """Read events and show one picture; False once the player wants to quit."""
        events = pygame.event.get()
        for event in events:
            closed = event.type == pygame.QUIT
            escaped = event.type == pygame.KEYDOWN and event.scancode == pygame.KSCAN_ESCAPE
            fullscreen = event.type == pygame.KEYDOWN and event.scancode == pygame.KSCAN_F11
            self._quit |= closed or escaped
            if fullscreen:
                self._window.toggle_fullscreen()
        now_s = time.perf_counter()
        frame_s, self._last_s = now_s - self._last_s, now_s
        self._layer.feed(events, self._window.pixel_ratio)
        self._layer.begin(frame_s, self._window.drawable_size)
        self._draw(progress, heading, frame_s)
        self._layer.end()
        self._window.swap()
        return not self._quit

    def follow(self, poll: Callable[[], Progress], heading: str = "") -> Progress | None:
        """Show pictures until `poll()` says finished; return the last progress, None on quit.

        Quit is noticed within a picture, 1/30 s.
        """
        while True:
            progress = poll()
            if not self.frame(progress, heading):
                return None
            if progress.finished:
                return progress
            time.sleep(FRAME_S)

    def run(self, steps: Steps, heading: str = "") -> bool:
        """Do `steps` in this process with a picture between them; False on quit.

        A step that takes long holds the window that long: quit is noticed after it.
        """
        if not self.frame(Progress(), heading):
            return False
        shown_s = 0.0
        for done, total, label in steps:
            now_s = time.perf_counter()
            if now_s - shown_s < FRAME_S and done < total:
                continue
            shown_s = now_s
            if not self.frame(Progress(done, total, label), heading):
                return False
        return not self._quit

    def _draw(self, progress: Progress, heading: str, frame_s: float) -> None:
        paint = Paint(self._layer)
        _dusk(paint)
        middle, y = paint.width / 2, paint.height * 0.40
        paint.text(middle, y - 64.0, self._title, 54.0, INK, bold=True, align=0.5)
        first = "Preparing the land. The first start takes a few minutes; later ones take seconds."
        paint.text(middle, y + 8.0, heading or first, 15.0, (222, 228, 236, 255), align=0.5)
        # The bar glides to where the work is: compile times differ a hundredfold.
        self._shown_share += (progress.share - self._shown_share) * min(1.0, frame_s * 6.0)
        width = min(420.0, paint.width - 80.0)
        left, top = middle - width / 2, y + 52.0
        paint.box(left, top, width, 6.0, FAINT, rounding=3.0)
        if self._shown_share > 0.0:
            paint.box(left, top, max(6.0, width * self._shown_share), 6.0, ACCENT, rounding=3.0)
        # Something moves even while one kernel compiles for seconds.
        phase = (time.perf_counter() - self._started_s) * 0.45 % 1.0
        glow: Colour = (255, 255, 255, round(110 * math.sin(math.pi * phase)))
        paint.box(left + (width - 46.0) * phase, top, 46.0, 6.0, glow, rounding=3.0)
        count = f"{progress.done} of {progress.total}" if progress.total else ""
        paint.text(left, top + 16.0, progress.label, 13.0, MUTED)
        paint.text(left + width, top + 16.0, count, 13.0, MUTED, align=1.0)


def _dusk(paint: Paint) -> None:
    """An evening sky with ridges, so that the first picture is already of mountains."""
    height = paint.height * 0.62
    paint.gradient(0.0, 0.0, paint.width, height, (17, 27, 48, 255), (63, 88, 116, 255))
    paint.gradient(0.0, height, paint.width, paint.height - height, (63, 88, 116, 255), (196, 146, 108, 255))
    ridges: tuple[tuple[float, float, Colour], ...] = (
        (0.74, 92.0, (50, 68, 92, 255)),
        (0.84, 74.0, (31, 46, 64, 255)),
        (0.95, 54.0, (14, 22, 31, 255)),
    )
    for index, (base, swing, tint) in enumerate(ridges):
        columns = 96
        outline = [(-2.0, paint.height + 2.0)]
        for column in range(columns + 1):
            x = paint.width * column / columns
            u = x / 1280.0 * math.tau
            wave = (
                math.sin(u * (1.3 + 0.4 * index) + 1.7 * index)
                + 0.5 * abs(math.sin(u * (3.1 + index) + index))
                + 0.16 * math.sin(u * (9.7 + 2.0 * index))
            )
            outline.append((x, paint.height * base - swing * wave))
        outline.append((paint.width + 2.0, paint.height + 2.0))
        paint.shape(outline, tint)


def warm_up(screen: LoadingScreen, in_process: Callable[[], Steps]) -> tuple[bool, str]:
    """Compile the kernels in a child process behind `screen`, then load them here from the cache.

    `in_process` yields the kernels one by one in this process: it finds them in the cache, or compiles
    them when the child failed. Returns (go on, why the child failed or ""). (False, "") is a quit; the
    child has ended by then.
    """
    problem = ""
    try:
        with WarmUpChild() as child:
            progress = screen.follow(child.poll)
    except OSError as error:
        problem = f"the warm-up could not be started: {error}"
    else:
        if progress is None:
            return False, ""
        problem = progress.error
    return screen.run(in_process(), "Almost there." if not problem else ""), problem
