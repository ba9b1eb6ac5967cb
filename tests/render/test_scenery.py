"""Scenery as instances: near the camera, on dry land, sinking away at the end of its range."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from game.core.coords import PageKey
from game.gl.context import GLContext
from game.kernels.scenery import COLUMNS, GATE, LOG, ROCK
from game.render.frame import CameraView, FrameView, RiderView
from game.render.scenery_gather import GROWN_SHARE, Rows, instances, reach_of
from tests.render.scene import TINY, frame_view, select


def view_at(x: float, z: float, sea_level_m: float = -100.0, yaw_rad: float = 2.2) -> FrameView:
    """An eye 2 m up, by default looking to the south-east, where the rows of these tests are."""
    selection, _ = select(x, z, 2.0, TINY, {})
    camera = CameraView(x, 2.0, z, yaw_rad, 0.0, 1.1, 1.6)
    return FrameView(320, 180, 0.0, 12.0, sea_level_m, 1500.0, camera, None, None, selection)


def rows_of(*places: tuple[float, float, float, int]) -> np.ndarray:
    rows = np.zeros((len(places), COLUMNS), np.float32)
    for row, (x, y, z, kind) in zip(rows, places, strict=True):
        row[:] = (x, y, z, 1.0, 0.0, 0.1, 3.0, 0.2, kind, 0.5)
    return rows


def test_places_are_relative_to_the_camera_far_from_the_origin_too() -> None:
    key = PageKey(0, 7_812_000, -7_812_000)
    view = view_at(key.origin_m[0] + 10.0, key.origin_m[1] + 10.0)
    found = instances([(key, rows_of((12.0, 1.0, 13.5, ROCK), (40.0, 1.0, 40.0, LOG)))], view)
    assert found["stone"]["place"][0, :3].tolist() == [2.0, -1.0, 3.5]
    assert found["log"]["place"][0, :3].tolist() == [30.0, -1.0, 30.0]
    assert found["log"]["size"][0, :3].tolist() == [3.0, np.float32(0.2), np.float32(0.2)]
    assert found["stone"]["size"][0, :3].tolist() == [np.float32(0.2), 3.0, np.float32(0.2)]


def test_nothing_stands_in_the_sea_and_nothing_beyond_the_range() -> None:
    key = PageKey(0, 0, 0)
    rows = rows_of((5.0, 1.0, 5.0, ROCK), (6.0, 4.0, 6.0, ROCK), (127.0, 9.0, 127.0, GATE))
    view = view_at(0.0, 0.0, sea_level_m=2.0)
    found = instances([(key, rows)], view)
    assert len(found["stone"]) == 1
    assert "gate" not in found
    dry = instances([(key, rows)], view_at(0.0, 0.0))
    assert len(dry["stone"]) == 2


def test_things_grow_out_of_the_land_without_a_jump() -> None:
    view = view_at(0.0, 0.0)
    reach = reach_of(view)
    shares = []
    for distance in np.linspace(1.0, reach - 3.0, 60):
        found = instances([(PageKey(0, 0, 0), rows_of((float(distance), 1.0, 0.0, LOG)))], view)
        shares.append(float(found["log"]["axis"][0, 3]))
    assert shares[0] == 1.0
    assert shares == sorted(shares, reverse=True)
    assert max(a - b for a, b in itertools.pairwise(shares)) < 0.1
    assert shares[int(0.7 * GROWN_SHARE * 60)] == 1.0
    assert shares[-1] < 0.3
    assert instances([], view) == {}


def test_only_what_is_in_sight_is_sent_and_far_stones_are_plain() -> None:
    key = PageKey(0, 0, 0)
    rows = rows_of((20.0, 1.0, 20.0, ROCK), (50.0, 1.0, 50.0, ROCK), (30.0, 1.0, 30.0, GATE))
    found = instances([(key, rows)], view_at(0.0, 0.0))
    assert {name: len(made) for name, made in found.items()} == {"stone": 1, "stone_far": 1, "gate": 1}
    assert instances([(key, rows)], view_at(0.0, 0.0, yaw_rad=-0.9)) == {}


def test_what_is_kept_from_frame_to_frame_follows_pages_and_camera() -> None:
    kept, key = Rows(), PageKey(0, 0, 0)
    first, second = (
        rows_of((20.0, 1.0, 20.0, ROCK)),
        rows_of((25.0, 1.0, 20.0, ROCK), (30.0, 1.0, 30.0, GATE)),
    )
    for tiles, x in (([(key, first)], 0.0), ([(key, first)], 3.0), ([(key, second)], 3.0), ([], 3.0)):
        found, fresh = instances(tiles, view_at(x, 0.0), kept), instances(tiles, view_at(x, 0.0))
        assert found.keys() == fresh.keys()
        assert all(np.array_equal(found[name], fresh[name]) for name in fresh)


@pytest.mark.gl
def test_leaves_hide_neither_the_rider_nor_the_lens(gl_context: GLContext) -> None:
    """A spruce between camera and rider, and one over the camera: the jersey stays to be seen."""
    from game.render.renderer import Renderer

    selection, _ = select(0.0, 0.0, 2.0, TINY, {})
    spruce = [(0.0, 0.0, z, 0.0, 1.0, 0.3, 0.0, 0.1) for z in (-2.6, 0.3)]
    key = PageKey(0, 0, -1)
    rows = np.array([(64.0, y, 128.0 + z, *rest) for _, y, z, *rest in spruce], np.float32)

    def jersey(trees: bool, dx: float = 0.0) -> int:
        view = frame_view(selection, (64.0, 2.2, 0.0), pitch_rad=-0.15)
        view.rider = RiderView(64.0, 0.0, -5.2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.3, False)
        moved = rows.copy()
        moved[:, 0] += dx
        view.tree_tiles = [(key, moved, 0)] if trees else []
        renderer.draw(view)
        pixels = renderer.read_pixels().astype(int)
        return int(((pixels[..., 0] > 120) & (pixels[..., 0] > 1.8 * pixels[..., 1])).sum())

    renderer = Renderer(gl_context, TINY, 160, 90)
    try:
        free = jersey(False)
        assert free > 15
        assert jersey(True) > 0.75 * free
        assert jersey(True, 1.0) > 0.75 * free
        assert renderer.trees_drawn >= 2
    finally:
        renderer.release()


@pytest.mark.gl
def test_each_model_is_drawn_in_one_call_and_given_back(gl_context: GLContext) -> None:
    from game.render.renderer import Renderer

    selection, _ = select(0.0, 0.0, 2.0, TINY, {})
    places = [(6.0 * k, -1.0, 128.0 - 12.0, 1 + k % 4) for k in range(20)]
    before = gl_context.live
    renderer = Renderer(gl_context, TINY, 160, 90)
    try:
        view = frame_view(selection, (60.0, 1.0, 0.0), pitch_rad=-0.1)
        renderer.draw(view)
        bare, calls = renderer.read_pixels(), renderer.draw_calls
        view.scenery_tiles = [(PageKey(0, 0, -1), rows_of(*places))]
        renderer.draw(view)
        assert renderer.draw_calls == calls + 4
        assert (renderer.read_pixels() != bare).any(axis=2).sum() > 40
    finally:
        renderer.release()
    assert gl_context.live == before
