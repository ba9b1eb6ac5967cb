"""No shimmer: a camera that creeps a centimetre a frame must not make the distance flicker."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from game.core.coords import PageKey, page_at
from game.gl.context import GLContext
from game.world.vegetation import share_kept
from tests.render.scene import TINY, frame_view, hills, make_page, select
from tests.render.test_trees import forest, in_tiles

pytestmark = pytest.mark.gl

FRAMES = 60
CREEP_M = 0.01
WIDTH, HEIGHT = 160, 90
TREES = 1500


def trees(x: float, z: float) -> list[tuple[PageKey, np.ndarray, int]]:
    """Pages of a wood on the hills around (x, z)."""
    rows: dict[PageKey, list[tuple[float, ...]]] = {}
    for tx, tz, kind, rank in forest(TREES, (x, z), 700.0):
        for level in range(TINY.tree_levels):
            if rank >= share_kept(level):
                continue
            key, y = page_at(level, tx, tz), float(hills(np.array(tx), np.array(tz)))
            ox, oz = key.origin_m
            rows.setdefault(key, []).append((tx - ox, y, tz - oz, y, 1.0, 6.0 * rank, kind, rank))
    return [(key, in_tiles(key, np.array(rows[key], np.float32)), n) for n, key in enumerate(sorted(rows))]


def energy(gl: GLContext, preset: str, samples: int, spoil: bool = False) -> float:
    """Mean squared change of luma from frame to frame, of 255², over the far half of the land in the picture."""
    from game.gl.texture import RGBA8, Sampling, Texture2D
    from game.render.noise_tile import noise_texels
    from game.render.renderer import Renderer

    renderer = Renderer(gl, replace(TINY, name=preset, msaa=samples), WIDTH, HEIGHT)
    layers: dict[PageKey, int] = {}
    sent: set[PageKey] = set()
    x, z0 = 12.3, 40.2
    standing = trees(x, z0)
    try:
        if spoil:
            renderer._noise.release()
            texels = noise_texels()
            side = len(texels)
            renderer._noise = Texture2D(gl, side, side, RGBA8, texels, Sampling(linear=False, repeat=True))
        before, total = None, 0.0
        for frame in range(FRAMES):
            z = z0 - CREEP_M * frame
            selection, needed = select(x, z, 4.0, TINY, layers)
            for key in needed:
                if key not in sent:
                    renderer.upload(layers[key], make_page(key, hills, (120, 150, 40, 0)))
                    sent.add(key)
            y = float(hills(np.array(x), np.array(z))) + 4.0
            view = frame_view(selection, (x, y, z), 0.3, -0.12, (WIDTH, HEIGHT))
            view.tree_tiles, view.snow_line_m, view.growth_line_m = standing, 1e6, -1e6
            renderer.draw(view)
            # Between the middle of the picture and the horizon lies what is far.
            luma = renderer.read_pixels()[HEIGHT // 8 : HEIGHT // 2] @ np.array([0.2126, 0.7152, 0.0722])
            if before is not None:
                total += float(np.square(luma - before).mean())
            before = luma
        return total / (FRAMES - 1)
    finally:
        renderer.release()


@pytest.mark.parametrize(("preset", "samples", "most"), [("low", 0, 9.0), ("medium", 2, 12.0)])
def test_the_distance_does_not_flicker(gl_context: GLContext, preset: str, samples: int, most: float) -> None:
    assert energy(gl_context, preset, samples) < most


def test_flicker_would_be_seen(gl_context: GLContext) -> None:
    """Ground whose noise is not averaged with distance fails the bound."""
    assert energy(gl_context, "low", 0, spoil=True) > 9.0
