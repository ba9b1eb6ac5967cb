"""Dear ImGui over the frame: its context, its fonts and look, its events, its drawing.

Owns the imgui and implot contexts and the OpenGL objects of imgui's own backend (the one exception to
"every GL object goes through `gl`"), so `release()` has to come before the context's ledger is read.
Draws into whatever framebuffer is bound; positions everywhere are drawable pixels, y down.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import imgui_bundle
import pygame
from imgui_bundle import imgui, implot

from game.ui.theme import apply_theme, scale_for

TEXT_SIZE = 15.0
"""Body text in design units (a window 720 units high)."""

_NOWHERE = -3.0e38
"""Where imgui takes the pointer to be while it is grabbed: over nothing."""

_KEYS: dict[int, imgui.Key] = {
    pygame.K_LEFT: imgui.Key.left_arrow,
    pygame.K_RIGHT: imgui.Key.right_arrow,
    pygame.K_UP: imgui.Key.up_arrow,
    pygame.K_DOWN: imgui.Key.down_arrow,
    pygame.K_HOME: imgui.Key.home,
    pygame.K_END: imgui.Key.end,
    pygame.K_INSERT: imgui.Key.insert,
    pygame.K_DELETE: imgui.Key.delete,
    pygame.K_BACKSPACE: imgui.Key.backspace,
    pygame.K_RETURN: imgui.Key.enter,
    pygame.K_KP_ENTER: imgui.Key.keypad_enter,
    pygame.K_ESCAPE: imgui.Key.escape,
    pygame.K_a: imgui.Key.a,
    pygame.K_c: imgui.Key.c,
    pygame.K_v: imgui.Key.v,
    pygame.K_x: imgui.Key.x,
    pygame.K_y: imgui.Key.y,
    pygame.K_z: imgui.Key.z,
}
"""Keys that edit text. Tab is not among them: it belongs to the sculpting tool."""

_MODIFIERS = (
    (pygame.KMOD_CTRL, imgui.Key.mod_ctrl),
    (pygame.KMOD_SHIFT, imgui.Key.mod_shift),
    (pygame.KMOD_ALT, imgui.Key.mod_alt),
    (pygame.KMOD_META, imgui.Key.mod_super),
)

_BUTTONS = {pygame.BUTTON_LEFT: 0, pygame.BUTTON_RIGHT: 1, pygame.BUTTON_MIDDLE: 2}


class ImguiLayer:
    """One imgui context on the current OpenGL context. `release()` is idempotent; works with `with`."""

    def __init__(self) -> None:
        # Imports OpenGL, so only once the window has told which platform it stands on.
        from game.ui.imgui_backend import Backend

        self._context = imgui.create_context()
        imgui.set_current_context(self._context)
        self._plots = implot.create_context()
        implot.set_current_context(self._plots)
        self._released = False
        io = imgui.get_io()
        io.set_ini_filename("")  # positions of windows are ours; nothing is written beside the program
        io.set_log_filename("")
        self._clipboard()
        make_backend: Any = Backend  # its base carries no annotations
        self._backend = make_backend()
        fonts = Path(imgui_bundle.__file__).parent / "assets" / "fonts" / "Roboto"
        self.regular = _font(fonts / "Roboto-Regular.ttf")
        self.bold = _font(fonts / "Roboto-Bold.ttf")
        self.scale = 0.0
        """Pixels per design unit; a window 720 pixels high has 1."""
        self._size = (1, 1)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the frame in drawable pixels."""
        return self._size

    @property
    def wants_mouse(self) -> bool:
        """Whether the pointer is over a window of the menu, or drags something of it."""
        return bool(imgui.get_io().want_capture_mouse)

    @property
    def wants_text(self) -> bool:
        """Whether text is being typed. (imgui's wish for the whole keyboard also holds while a slider is
        dragged, and riding on with the sea slider in hand is what the menu is for.)"""
        return bool(imgui.get_io().want_text_input)

    def feed(
        self, events: Iterable[pygame.event.Event], pixel_ratio: float = 1.0, pointer_free: bool = True
    ) -> None:
        """Pass the frame's events on. With the pointer grabbed (`pointer_free` false) it is nowhere."""
        io = imgui.get_io()
        if not pointer_free:
            io.add_mouse_pos_event(_NOWHERE, _NOWHERE)
        for event in events:
            kind = event.type
            if kind in (pygame.KEYDOWN, pygame.KEYUP):
                for mask, modifier in _MODIFIERS:
                    io.add_key_event(modifier, bool(event.mod & mask))
                if event.key in _KEYS:
                    io.add_key_event(_KEYS[event.key], kind == pygame.KEYDOWN)
            elif kind == pygame.TEXTINPUT:
                io.add_input_characters_utf8(event.text)
            elif kind in (pygame.WINDOWFOCUSLOST, pygame.WINDOWFOCUSGAINED):
                io.add_focus_event(kind == pygame.WINDOWFOCUSGAINED)
            elif kind == pygame.MOUSEBUTTONUP and event.button in _BUTTONS:
                io.add_mouse_button_event(_BUTTONS[event.button], False)
            elif not pointer_free:
                continue
            elif kind == pygame.MOUSEMOTION:
                io.add_mouse_pos_event(event.pos[0] * pixel_ratio, event.pos[1] * pixel_ratio)
            elif kind == pygame.MOUSEBUTTONDOWN and event.button in _BUTTONS:
                io.add_mouse_pos_event(event.pos[0] * pixel_ratio, event.pos[1] * pixel_ratio)
                io.add_mouse_button_event(_BUTTONS[event.button], True)
            elif kind == pygame.MOUSEWHEEL:
                io.add_mouse_wheel_event(float(event.x), float(event.y))

    def begin(self, frame_s: float, size: tuple[int, int]) -> None:
        """Start a frame of `size` drawable pixels, `frame_s` seconds after the last."""
        imgui.set_current_context(self._context)
        implot.set_current_context(self._plots)
        io = imgui.get_io()
        self._size = size
        io.display_size = imgui.ImVec2(float(size[0]), float(size[1]))
        io.delta_time = max(frame_s, 1e-6)  # imgui refuses 0
        scale = scale_for(*size)
        if scale != self.scale:
            self.scale = scale
            apply_theme(imgui.get_style(), scale)
            imgui.get_style().font_size_base = TEXT_SIZE * scale
        imgui.new_frame()
        imgui.push_font(self.regular, TEXT_SIZE * scale)

    def end(self) -> None:
        """Draw everything since `begin` into the bound framebuffer."""
        imgui.pop_font()
        imgui.render()
        self._backend.render(imgui.get_draw_data())

    def release(self) -> None:
        """Delete imgui's GL objects and contexts, before any other GL object is released.

        After a lost context the names mean nothing: call it before objects of the new context take them.
        """
        if self._released:
            return
        self._released = True
        imgui.set_current_context(self._context)
        implot.set_current_context(self._plots)
        self._backend.shutdown()
        implot.destroy_context(self._plots)
        imgui.destroy_context(self._context)

    def __enter__(self) -> ImguiLayer:
        return self

    def __exit__(self, *exc: object) -> None:
        self.release()

    def _clipboard(self) -> None:
        """Copy and paste through the system's clipboard; without one imgui keeps its own."""
        platform = imgui.get_platform_io()

        def paste(_: object) -> str:
            try:
                return pygame.scrap.get_text()
            except pygame.error:
                return ""

        def copy(_: object, text: str) -> None:
            try:
                pygame.scrap.put_text(text)
            except pygame.error:
                return

        platform.platform_get_clipboard_text_fn = paste
        platform.platform_set_clipboard_text_fn = copy


def _font(path: Path) -> imgui.ImFont:
    """The font at `path` (imgui-bundle ships it), or imgui's own where a packager left it out."""
    fonts = imgui.get_io().fonts
    if path.exists():
        return fonts.add_font_from_file_ttf(str(path), TEXT_SIZE)
    return fonts.add_font_default()
