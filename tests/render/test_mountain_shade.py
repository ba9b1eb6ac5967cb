"""Land in a mountain's shadow is drawn darker, and only that."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from game.gl.context import GLContext
from game.streaming.mountain_shade import SHADE_SIDE, ShadeMap
from tests.render.scene import TINY, frame_view, hills, make_page, select


def test_shaded_land_is_darker_and_fades_over(gl_context: GLContext) -> None:
    from game.render.renderer import Renderer

    selection, needed = select(0.0, 0.0, 40.0, TINY, {})
    renderer = Renderer(gl_context, TINY, 160, 90)
    try:
        for layer, key in enumerate(needed):
            renderer.upload(layer, make_page(key, hills))
        view = frame_view(selection, (0.0, 60.0, 0.0), pitch_rad=-0.5, time_s=100.0)

        def mean(now_m: float, before_m: float, since_s: float) -> float:
            tops = np.empty((SHADE_SIDE, SHADE_SIDE, 2), np.float32)
            tops[..., 0], tops[..., 1] = now_m, before_m
            shade = ShadeMap(-SHADE_SIDE // 2, -SHADE_SIDE // 2, tops, since_s)
            renderer.draw(replace(view, shade=shade))
            return float(renderer.read_pixels()[45:].mean())

        renderer.draw(view)
        bare = float(renderer.read_pixels()[45:].mean())
        lit, dark = mean(-500.0, -500.0, 0.0), mean(500.0, 500.0, 0.0)
        assert lit == bare
        assert dark < 0.75 * lit
        assert mean(500.0, -500.0, 100.0) == lit
        assert dark < mean(500.0, -500.0, 99.25) < lit
        assert mean(500.0, -500.0, 0.0) == dark
    finally:
        renderer.release()
