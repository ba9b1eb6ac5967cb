"""Shadows of trees: which page lays them, that each tree has one, and that they darken the land beside it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from game.core.coords import PageKey
from game.core.settings import Quality
from game.gl.context import GLContext
from game.render.tree_gather import TreeGather
from game.render.tree_table import TreeTable
from tests.render.scene import TINY, frame_view, make_page, select

SIZES = np.array([[13.0, 3.2], [9.5, 3.4]], np.float32)


def _view(trees: list[tuple[float, float, float]], x: float = 3.25, z: float = -5.5):
    """A frame over flat land at 40 m with trees (x, z, kind) on it, and the layers of its pages."""
    layers: dict[PageKey, int] = {}
    selection, needed = select(x, z, 1.7, TINY, layers)
    view = frame_view(selection, (x, 44.0, z), 0.0, -0.1)
    tiles = []
    for key in needed:
        if key.level >= TINY.tree_levels:
            continue
        corner_x, corner_z = key.origin_m
        rows = [
            (tx - corner_x, 40.0, tz - corner_z, 40.0, 1.0, 0.5, kind, 0.01)
            for tx, tz, kind in trees
            if 0.0 <= tx - corner_x < key.span_m and 0.0 <= tz - corner_z < key.span_m
        ]
        if rows:
            tiles.append((key, np.array(rows, np.float32), layers[key]))
    view.tree_tiles = sorted(tiles, key=lambda tile: tile[0])
    return view, layers, needed


@pytest.mark.gl
def test_strip_covers_its_rectangle_once(gl_window: None) -> None:
    from game.render.tree_shadows import strip_indices, strip_vertices

    points, triangles = strip_vertices(5).astype(float), strip_indices(5).reshape(-1, 3)
    a, b, c = (points[triangles[:, corner]] for corner in range(3))
    areas = 0.5 * np.abs(
        (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    )
    assert areas.sum() == pytest.approx(2.0)
    assert (areas > 0.0).all()


def shadows_of(view, reach_m: float) -> np.ndarray:
    """Shadows of a frame's trees."""
    gather, table = TreeGather(TINY, SIZES), TreeTable()
    table.sync(view.tree_tiles)
    gather.begin(view)
    gather.gather(view, table)
    return gather.shadows(view, table, reach_m)


def test_one_shadow_each_within_reach() -> None:
    """Also in the cross-fades, where a tree is gathered twice."""
    trees = [(3.0, -5.5 - distance, float(n % 2)) for n, distance in enumerate(range(12, 400, 3))]
    view, layers, _ = _view(trees)
    reach = 150.0
    rows = shadows_of(view, reach)
    feet = {(float(row["place"][0]), float(row["place"][2])) for row in rows}
    assert len(feet) == len(rows)
    near = [z for _, z, _ in trees if math.hypot(-0.25, z + 5.5) < 0.98 * reach]
    assert len(near) <= len(rows) <= len(near) + 2
    assert rows["look"][:, 0].max() == 1.0
    assert rows["look"][:, 0].min() < 0.2
    for row in rows:
        spacing = 1 << int(row["page"][3])
        corner = [int(row["page"][k]) + (view.selection.anchor_x, view.selection.anchor_z)[k] for k in (0, 1)]
        key = PageKey(int(row["page"][3]), corner[0] // (128 * spacing), corner[1] // (128 * spacing))
        assert layers[key] == row["page"][2]
    spacing = np.left_shift(1, rows["page"][:, 3])
    inside = (rows["place"][:, [0, 2]] + [view.selection.frac_x, view.selection.frac_z]) - rows["page"][:, :2]
    assert (inside >= 0.0).all()
    assert (inside <= 128.0 * spacing[:, None]).all()


def test_no_tree_no_shadow() -> None:
    view, _, _ = _view([])
    assert len(shadows_of(view, 200.0)) == 0


@pytest.mark.gl
def test_land_beside_a_tree_is_darker_away_from_the_sun(gl_context: GLContext) -> None:
    """In the morning the sun stands in the east: the land west of the tree lies in shadow."""
    from game.render.renderer import Renderer

    view, layers, needed = _view([(3.0, -35.5, 0.0)])
    view.hour = 8.5
    view.camera.y, view.camera.pitch_rad = 60.0, -0.5
    quality = Quality("low", 16, 110.0, 1500.0, 3, 0.5, 0)
    renderer = Renderer(gl_context, quality, 160, 90)
    for key in needed:
        renderer.upload(layers[key], make_page(key, lambda x, z: 0.0 * (x + z) + 40.0))
    pictures = []
    for tiles in (view.tree_tiles, []):
        view.tree_tiles = tiles
        renderer.draw(view)
        pictures.append(renderer.read_pixels().astype(int).sum(axis=2))
    renderer.release()
    darker = pictures[1] - pictures[0] > 25
    # Beside the crown there is land only.
    assert darker[:, :66].sum() > 30
    assert darker[:, 94:].sum() == 0
    assert gl_context.live_by_kind() == {}
