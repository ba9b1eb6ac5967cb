"""A pen in design units over imgui's draw list: text, panels, key caps, gauges.

The canvas is `width` × `height` units whatever the window's pixels; only here do units become pixels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from imgui_bundle import imgui

from game.ui.imgui_layer import ImguiLayer
from game.ui.theme import FAINT, INK, PANEL, PANEL_EDGE, Colour


class Paint:
    """Draws behind imgui's windows (or before them with `above`) during one frame."""

    def __init__(self, layer: ImguiLayer, above: bool = False) -> None:
        self._layer = layer
        self._list = imgui.get_foreground_draw_list() if above else imgui.get_background_draw_list()
        self.scale = layer.scale
        self.width = layer.size[0] / layer.scale
        self.height = layer.size[1] / layer.scale
        self.opacity = 1.0
        """Multiplies every colour; for fades."""

    def colour(self, colour: Colour) -> int:
        """`colour` under the present opacity, packed for imgui."""
        red, green, blue, alpha = colour
        return round(alpha * min(1.0, max(0.0, self.opacity))) << 24 | blue << 16 | green << 8 | red

    def _at(self, x: float, y: float) -> imgui.ImVec2:
        return imgui.ImVec2(x * self.scale, y * self.scale)

    def measure(self, text: str, size: float, bold: bool = False) -> float:
        """Width of `text` in units."""
        imgui.push_font(self._layer.bold if bold else self._layer.regular, size * self.scale)
        width = imgui.calc_text_size(text).x
        imgui.pop_font()
        return width / self.scale

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float = 15.0,
        colour: Colour = INK,
        bold: bool = False,
        align: float = 0.0,
    ) -> float:
        """Write `text` with its top at `y`; `align` 0 starts at `x`, 0.5 is centred, 1 ends there.

        Returns the width in units.
        """
        width = self.measure(text, size, bold)
        font = self._layer.bold if bold else self._layer.regular
        # Glyphs sit on whole pixels, or small text blurs.
        spot = imgui.ImVec2(round((x - width * align) * self.scale), round(y * self.scale))
        self._list.add_text(font, size * self.scale, spot, self.colour(colour), text)
        return width

    def panel(
        self, x: float, y: float, width: float, height: float, rounding: float = 14.0, fill: Colour = PANEL
    ) -> None:
        """A translucent rounded panel."""
        low, high = self._at(x, y), self._at(x + width, y + height)
        radius = rounding * self.scale
        self._list.add_rect_filled(low, high, self.colour(fill), radius)
        self._list.add_rect(low, high, self.colour(PANEL_EDGE), radius)

    def box(
        self, x: float, y: float, width: float, height: float, colour: Colour, rounding: float = 0.0
    ) -> None:
        """A filled rectangle without an edge."""
        self._list.add_rect_filled(
            self._at(x, y), self._at(x + width, y + height), self.colour(colour), rounding * self.scale
        )

    def gradient(self, x: float, y: float, width: float, height: float, top: Colour, bottom: Colour) -> None:
        """A rectangle that runs from one colour to another, downwards."""
        above, below = self.colour(top), self.colour(bottom)
        self._list.add_rect_filled_multi_color(
            self._at(x, y), self._at(x + width, y + height), above, above, below, below
        )

    def shape(self, points: Sequence[tuple[float, float]], colour: Colour) -> None:
        """A filled outline of any form, clockwise."""
        corners: list[Any] = [self._at(x, y) for x, y in points]
        self._list.add_concave_poly_filled(corners, self.colour(colour))

    def line(self, points: Sequence[tuple[float, float]], colour: Colour, thickness: float = 1.5) -> None:
        """A line through `points`."""
        corners: list[Any] = [self._at(x, y) for x, y in points]
        self._list.add_polyline(corners, self.colour(colour), max(1.0, thickness * self.scale), 0)

    def triangle(self, points: Sequence[tuple[float, float]], colour: Colour) -> None:
        """A filled triangle of three points, clockwise."""
        first, second, third = (self._at(x, y) for x, y in points)
        self._list.add_triangle_filled(first, second, third, self.colour(colour))

    def disc(self, x: float, y: float, radius: float, colour: Colour) -> None:
        """A filled circle."""
        self._list.add_circle_filled(self._at(x, y), radius * self.scale, self.colour(colour))

    def arc(
        self, x: float, y: float, radius: float, start: float, end: float, colour: Colour, thickness: float
    ) -> None:
        """Part of a circle from angle `start` to `end`, radians clockwise from east, with round ends."""
        if end <= start:
            return
        segments = max(4, math.ceil((end - start) * radius * self.scale / 4.0))
        self._list.path_arc_to(self._at(x, y), radius * self.scale, start, end, segments)
        self._list.path_stroke(self.colour(colour), thickness * self.scale, 0)
        if colour[3] * self.opacity >= 250:  # round ends of translucent arcs would show twice
            for angle in (start, end):
                self.disc(x + radius * math.cos(angle), y + radius * math.sin(angle), thickness / 2, colour)

    def key(self, x: float, y: float, label: str, size: float = 13.0) -> float:
        """A key cap with its top left at (x, y); returns its width in units."""
        width = max(24.0, self.measure(label, size, bold=True) + 14.0)
        self._list.add_rect_filled(
            self._at(x, y), self._at(x + width, y + 24), self.colour(FAINT), 6 * self.scale
        )
        self._list.add_rect(
            self._at(x, y), self._at(x + width, y + 24), self.colour((255, 255, 255, 80)), 6 * self.scale
        )
        self.text(x + width / 2, y + 12 - size * 0.58, label, size, INK, bold=True, align=0.5)
        return width
