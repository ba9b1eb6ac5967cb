"""Page textures: the only place that writes texels of land. Layer numbers come from `streaming`.

Three texture arrays hold every resident page, 256 layers each (what OpenGL 3.3 guarantees), about 272 KiB a page.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from game.core.coords import STORED
from game.gl.context import MIN_ARRAY_LAYERS, GLContext
from game.gl.texture import LINEAR, RG32F, RGBA8, Box, Texture2DArray
from game.world.page import PageData


class PageTextures:
    """Heights (R own, G parent), normals (own xz, parent xz) and climate of the resident pages."""

    def __init__(self, gl: GLContext, layers: int = MIN_ARRAY_LAYERS) -> None:
        self.layers = layers
        self.heights = Texture2DArray(gl, STORED, STORED, layers, RG32F)
        self.normals = Texture2DArray(gl, STORED, STORED, layers, RGBA8, LINEAR)
        self.climate = Texture2DArray(gl, STORED, STORED, layers, RGBA8)
        self.lowest = np.full(layers, np.inf, np.float32)
        """float32 [layers] lowest height of each layer's page, metres; tells whether the sea can show."""

    def upload(self, layer: int, page: PageData) -> int:
        """Write a whole page into `layer`; return the bytes sent. Raises `ValueError` for a wrong layer or shape."""
        sent = 0
        for texture, texels in self._pairs(page):
            if texels.shape[:2] != (STORED, STORED):
                raise ValueError(f"page {page.key} has texels {texels.shape}; give {STORED} × {STORED}")
            texture.write(layer, texels)
            sent += texels.nbytes
        self.lowest[layer] = page.min_m
        return sent

    def upload_box(self, layer: int, page: PageData, j0: int, j1: int, i0: int, i1: int) -> int:
        """Write heights and normals of stored rows j0…j1−1, columns i0…i1−1; return the bytes sent.

        The climate follows an edit some frames later, with a whole page. An empty box does nothing.
        Raises `ValueError` when the box leaves 0…132.
        """
        if not (0 <= j0 <= j1 <= STORED and 0 <= i0 <= i1 <= STORED):
            raise ValueError(f"box rows {j0}:{j1}, columns {i0}:{i1} is not inside 0:{STORED}")
        if j0 == j1 or i0 == i1:
            return 0
        return self.upload_boxes([(layer, page, (j0, j1, i0, i1))])

    def upload_boxes(self, boxes: Sequence[tuple[int, PageData, Box]]) -> int:
        """Write heights and normals of many (layer, page, (j0, j1, i0, i1)) at once; return the bytes sent.

        Raises `ValueError` for an empty box or one that leaves 0…132.
        """
        if not boxes:
            return 0
        sent = self.heights.write_boxes((layer, page.heights, box) for layer, page, box in boxes)
        sent += self.normals.write_boxes((layer, page.normals, box) for layer, page, box in boxes)
        for layer, page, _ in boxes:
            self.lowest[layer] = page.min_m
        return sent

    def _pairs(self, page: PageData) -> tuple[tuple[Texture2DArray, np.ndarray], ...]:
        return (
            (self.heights, page.heights),
            (self.normals, page.normals),
            (self.climate, page.climate),
        )

    def bind(self, first_unit: int) -> None:
        """Bind heights, normals and climate to three units from `first_unit`."""
        self.heights.bind(first_unit)
        self.normals.bind(first_unit + 1)
        self.climate.bind(first_unit + 2)

    def release(self) -> None:
        """Free the arrays."""
        for texture in (self.heights, self.normals, self.climate):
            texture.release()
