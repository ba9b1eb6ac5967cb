"""Colours, sizes and scale of everything the player reads. Numbers only, apart from setting imgui's style."""

from __future__ import annotations

from imgui_bundle import imgui

DESIGN_HEIGHT = 720.0
"""Window height at which one design unit is one pixel."""

DESIGN_WIDTH = 1100.0
"""Windows narrower than this shrink the panels too, so that they never touch."""

Colour = tuple[int, int, int, int]
"""Red, green, blue, opacity, each 0…255."""

INK: Colour = (244, 247, 250, 255)
MUTED: Colour = (186, 198, 210, 255)
FAINT: Colour = (255, 255, 255, 38)
PANEL: Colour = (13, 18, 25, 168)
PANEL_EDGE: Colour = (255, 255, 255, 26)
ACCENT: Colour = (255, 167, 66, 255)
ACCENT_HOT: Colour = (255, 94, 66, 255)
WATER: Colour = (84, 178, 224, 255)
GOOD: Colour = (126, 211, 134, 255)
WARNING: Colour = (255, 118, 96, 255)


def scale_for(width: int, height: int) -> float:
    """Pixels per design unit for a frame of this size, in steps of 1/8 so that resizing does not bake a
    new set of glyphs at every pixel; 0.375…6."""
    fit = min(height / DESIGN_HEIGHT, width / DESIGN_WIDTH)
    return min(6.0, max(0.375, round(fit * 8.0) / 8.0))


def vec4(colour: Colour, opacity: float = 1.0) -> imgui.ImVec4:
    """`colour` as imgui's style wants it."""
    red, green, blue, alpha = colour
    return imgui.ImVec4(red / 255, green / 255, blue / 255, alpha / 255 * opacity)


def apply_theme(style: imgui.Style, scale: float) -> None:
    """Set every size (in pixels, from `scale`) and colour of imgui's windows."""

    def pair(x: float, y: float) -> imgui.ImVec2:
        return imgui.ImVec2(x * scale, y * scale)

    style.window_padding = pair(16, 14)
    style.frame_padding = pair(10, 5)
    style.item_spacing = pair(8, 7)
    style.item_inner_spacing = pair(7, 5)
    style.cell_padding = pair(6, 3)
    style.separator_text_padding = pair(0, 4)
    style.window_rounding = 12 * scale
    style.child_rounding = 8 * scale
    style.frame_rounding = 7 * scale
    style.popup_rounding = 8 * scale
    style.grab_rounding = 5 * scale
    style.scrollbar_rounding = 6 * scale
    style.grab_min_size = 14 * scale
    style.scrollbar_size = 11 * scale
    style.indent_spacing = 14 * scale
    style.window_border_size = 1.0
    style.frame_border_size = 0.0
    style.popup_border_size = 1.0
    style.separator_text_border_size = max(1.0, scale)
    style.window_title_align = imgui.ImVec2(0.0, 0.5)
    style.window_menu_button_position = imgui.Dir.none

    def colour(slot: imgui.Col_, value: Colour, opacity: float = 1.0) -> None:
        style.set_color_(slot, vec4(value, opacity))

    dark: Colour = (13, 18, 25, 255)
    colour(imgui.Col_.text, INK)
    colour(imgui.Col_.text_disabled, MUTED, 0.75)
    colour(imgui.Col_.window_bg, dark, 0.88)
    colour(imgui.Col_.popup_bg, dark, 0.96)
    colour(imgui.Col_.border, PANEL_EDGE)
    colour(imgui.Col_.title_bg, dark, 0.95)
    colour(imgui.Col_.title_bg_active, dark, 0.95)
    colour(imgui.Col_.title_bg_collapsed, dark, 0.8)
    colour(imgui.Col_.frame_bg, (255, 255, 255, 20))
    colour(imgui.Col_.frame_bg_hovered, (255, 255, 255, 34))
    colour(imgui.Col_.frame_bg_active, (255, 255, 255, 44))
    colour(imgui.Col_.slider_grab, ACCENT, 0.7)
    colour(imgui.Col_.slider_grab_active, ACCENT, 0.9)
    colour(imgui.Col_.check_mark, ACCENT)
    colour(imgui.Col_.button, (255, 255, 255, 26))
    colour(imgui.Col_.button_hovered, ACCENT, 0.55)
    colour(imgui.Col_.button_active, ACCENT, 0.8)
    colour(imgui.Col_.header, (255, 255, 255, 18))
    colour(imgui.Col_.header_hovered, ACCENT, 0.35)
    colour(imgui.Col_.header_active, ACCENT, 0.5)
    colour(imgui.Col_.separator, (255, 255, 255, 28))
    colour(imgui.Col_.scrollbar_bg, (0, 0, 0, 0))
    colour(imgui.Col_.scrollbar_grab, (255, 255, 255, 50))
    colour(imgui.Col_.text_selected_bg, ACCENT, 0.4)
    colour(imgui.Col_.resize_grip, (255, 255, 255, 20))
