"""No seam at page borders: the same land cut into pages elsewhere gives the same picture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from game.core.coords import APRON, PAGE_QUADS, PageKey
from game.gl.context import GLContext
from game.world.page import PageData
from tests.render.scene import TINY, frame_view, hills, make_page, select

pytestmark = pytest.mark.gl

QUALITY = replace(TINY, name="high")
HALF = PAGE_QUADS // 2
MOST = 6
"""Of 255, at any pixel of land; climates and normals are bytes, and a half rounds either way."""


def climate(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """uint8 [rows, columns, 4]: cold and warm, dry and wet, rock and wood, in swells of tens of metres."""
    waves = [
        np.sin(x / 41.0) * np.cos(z / 53.0),
        np.sin(x / 67.0 + z / 59.0),
        np.cos(x / 37.0),
        np.sin(z / 31.0),
    ]
    middle, swing = np.array([110, 120, 90, 90]), np.array([60, 60, 80, 80])
    return np.rint(middle + swing * np.stack(np.broadcast_arrays(*waves), axis=-1)).astype(np.uint8)


def page_of(key: PageKey, shift: int) -> PageData:
    """The page whose samples begin `shift` samples before those of `key`."""
    off = float(shift * key.spacing_m)
    page = make_page(key, lambda x, z: hills(x - off, z - off))
    i0, j0 = key.origin_sample
    side = np.arange(-APRON, page.heights.shape[0] - APRON, dtype=np.float64)
    x, z = (i0 + side) * key.spacing_m - off, (j0 + side) * key.spacing_m - off
    page.climate = np.ascontiguousarray(climate(x[None, :], z[:, None]))
    return page


def picture(gl: GLContext, shift: int, flat_borders: bool = False) -> tuple[np.ndarray, set[int]]:
    """Land at the origin with page borders `shift` samples of each level off, and the levels that are seen."""
    from game.render.renderer import Renderer

    selection, _ = select(3.3, -7.6, 14.0, QUALITY, {})
    layers: dict[PageKey, int] = {}
    patches = selection.patches
    for patch in patches:
        level = int(patch["level"])
        i = (int(patch["origin_x_m"]) + selection.anchor_x >> level) + shift
        j = (int(patch["origin_z_m"]) + selection.anchor_z >> level) + shift
        key = PageKey(level, i // PAGE_QUADS, j // PAGE_QUADS)
        patch["layer"] = layers.setdefault(key, len(layers))
        patch["page_x"], patch["page_z"] = i % PAGE_QUADS, j % PAGE_QUADS
    renderer = Renderer(gl, QUALITY, 240, 160)
    try:
        for key, layer in layers.items():
            page = page_of(key, shift)
            if flat_borders:
                page.normals = page.normals.copy()
                for border in (APRON, APRON + PAGE_QUADS):
                    page.normals[border, :] = page.normals[:, border] = 128
            renderer.upload(layer, page)
        view = frame_view(
            selection, (3.3, float(hills(np.array(3.3), np.array(-7.6))) + 14.0, -7.6), 0.4, -0.5
        )
        view.width, view.height, view.snow_line_m, view.growth_line_m = 240, 160, 1e6, -1e6
        view.camera.aspect = 1.5
        renderer.draw(view)
        return renderer.read_pixels().astype(int), {int(level) for level in patches["level"]}
    finally:
        renderer.release()


def test_page_borders_do_not_show(gl_context: GLContext) -> None:
    """Borders between pages of one level, and between pages of neighbouring levels, lie elsewhere in the second
    picture: neither normals nor materials may say where."""
    whole, levels = picture(gl_context, 0)
    assert len(levels) >= 3
    shifted, _ = picture(gl_context, HALF)
    difference = np.abs(whole - shifted).max(axis=-1)
    assert difference.max() <= MOST, f"{(difference > MOST).sum()} pixels, at most {difference.max()}"
    assert difference.mean() < 0.02


def test_a_seam_would_be_seen(gl_context: GLContext) -> None:
    """Normals straight up at the border, the mistake that makes every chunk visible, fail the test above."""
    whole, _ = picture(gl_context, 0, flat_borders=True)
    shifted, _ = picture(gl_context, HALF, flat_borders=True)
    assert np.abs(whole - shifted).max() > 4 * MOST
