"""A change of the number of levels fades, both ways, and moves nothing in the frame in which it happens."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from game.core.coords import PageKey
from game.core.settings import PRESETS, VIEWS_M
from game.core.units import EARTH_BEND_PER_M
from game.kernels.selection import FADE_S
from game.lod.settings import LodSettings
from game.streaming.store import PageTable
from game.streaming.stream import TerrainStream
from game.streaming.wanted import Focus, WantedPages
from game.world.recipe import Recipe
from game.world.source import HeightSource
from tests.streaming.pages import flat_page
from tests.streaming.test_stream import Eye

VIEW_M = 3000.0
R0_M = st.floats(91.0, 430.0)


def _surface(stream: TerrainStream, x: float, z: float) -> np.ndarray:
    """Heights drawn on rings around (x, z), NaN where there is nothing."""
    angle = np.arange(0.05, 6.28, 0.5)
    found = []
    for radius in np.geomspace(20.0, 0.995 * VIEW_M, 12):
        for a in angle:
            height = stream.surface_height(x + radius * np.cos(a), z + radius * np.sin(a))
            found.append(np.nan if height is None else height)
    return np.array(found)


@pytest.mark.parametrize("origin", [0.0, -9.9e8])
def test_the_land_stands_still_while_levels_come_and_go(origin: float) -> None:
    source = HeightSource(Recipe.load("alpine"), 7)
    x, z = origin + 40.3, -70.1
    lods = [LodSettings(r0, VIEW_M, 16) for r0 in (110.0, 230.0, 400.0, 110.0)]
    assert [lod.levels for lod in lods] == [6, 5, 4, 6]
    stream = TerrainStream(source.generate, lods[0], 2, bend_per_m=EARTH_BEND_PER_M)
    seen = set()

    def frame(now_s: float, dt_s: float):
        stream.want(Focus(x, z, 300.0), now_s)
        stream.wait()
        for _ in stream.arrivals():
            pass
        view = stream.select(Eye(x, 1500.0, z), dt_s)
        assert view.complete
        assert stream.count_holes(32, 24) == 0
        return view

    try:
        now_s = 0.0
        frame(now_s, 0.0)
        for lod in lods[1:]:
            stream.set_lod(lod)
            changing = 0
            for _ in range(140):
                now_s += 0.03
                levels = frame(now_s, 0.03).levels
                before = _surface(stream, x, z)
                after_view = frame(now_s, 0.0)
                if after_view.levels != levels:
                    # Nothing may move but by the rounding of another k: the ranges stood still.
                    assert np.allclose(_surface(stream, x, z), before, atol=1e-4)
                    seen.add((levels, after_view.levels))
                changing += stream._ranges.size != lod.levels or not np.allclose(stream._ranges, lod.targets)
                assert not np.isnan(before).any()
            assert np.allclose(stream._ranges, lod.targets)
            assert stream.store.limit == min(stream.store.capacity, lod.layers)
            # Each level takes its own fade or two; nothing lingers.
            assert 5 <= changing <= 0.1 + 5 * 5 * FADE_S / 0.03
    finally:
        stream.close()
    assert seen == {(6, 5), (5, 4), (4, 5), (5, 6)}


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from([0.0, 2.0**24, -9.99e8]),
    st.lists(st.tuples(R0_M, st.integers(1, 25), st.sampled_from([0, 1, 5])), min_size=1, max_size=5),
    st.sampled_from([0.0, 150.0, 2500.0]),
)
def test_any_lens_at_any_time_leaves_no_hole_and_no_crack(x, turns, altitude_m) -> None:
    """The lens turns again before the last turn is over, pages come a few a frame, the eye moves."""
    stream = TerrainStream(flat_page, LodSettings(110.0, VIEW_M, 16), 1)
    try:
        stream.want(Focus(x, 0.0, altitude_m), 0.0)
        stream.wait()
        stream.collect()
        stream.select(Eye(x, 2.0, 0.0), 0.0)
        now_s = 0.0
        for r0_m, frames, pages in turns:
            lod = LodSettings(r0_m, VIEW_M, 16)
            stream.set_lod(lod)
            for _ in range(frames):
                now_s += 0.03
                stream.want(Focus(x + 40.0 * now_s, 0.0, altitude_m, 40.0), now_s)
                stream.wait()
                stream.collect(pages * 300_000) if pages else None
                view = stream.select(Eye(x + 40.0 * now_s, 2.0, 0.0), 0.03)
                if view.complete:
                    assert stream.count_holes(24, 16) == 0
                reach = view.ranges.astype(float)
                for level in range(view.levels - 2):
                    if reach[level] > 0.0:
                        diagonal = lod.node_diagonal_m(level)
                        assert reach[level] + diagonal <= (1.0 - lod.morph) * reach[level + 1]
                assert len(stream.store) <= stream.store.capacity
        for _ in range(200):
            now_s += 0.03
            stream.want(Focus(x, 0.0, altitude_m), now_s)
            stream.wait()
            stream.collect()
            view = stream.select(Eye(x, 2.0, 0.0), 0.03)
        assert np.allclose(view.ranges, lod.targets)
        assert view.levels == lod.levels
    finally:
        stream.close()


def test_another_view_takes_effect_at_once() -> None:
    stream = TerrainStream(flat_page, LodSettings(110.0, VIEW_M, 16), 1)
    try:
        stream.want(Focus(0.0, 0.0), 0.0)
        stream.wait()
        stream.collect()
        stream.select(Eye(0.0, 2.0, 0.0), 0.0)
        wide = LodSettings(110.0, 30_000.0, 16)
        stream.set_lod(wide)
        stream.want(Focus(0.0, 0.0), 0.1)
        stream.wait()
        stream.collect()
        assert stream.store.find(PageKey(wide.top, 0, 0)) is not None
        view = stream.select(Eye(0.0, 2.0, 0.0), 0.1)
        assert view.complete
        assert np.allclose(view.ranges, wide.targets)
    finally:
        stream.close()


@pytest.mark.parametrize("beyond_m", [0.5, 1.5, 3.0, 12.0, 19.0])
def test_a_page_just_beyond_the_view_is_not_waited_for(beyond_m: float) -> None:
    """At 100 km the slack of comparisons is 20 m, but pages are asked for up to 2 m beyond the view only."""
    lod = LodSettings(230.0, 100_000.0, 32)
    span = 128 << lod.top
    x = 2.0 * span - lod.view_m - beyond_m
    stream = TerrainStream(flat_page, lod, 1)
    try:
        stream.want(Focus(x, 0.5 * span), 0.0)
        stream.wait()
        stream.collect()
        assert stream.select(Eye(x, 2.0, 0.5 * span), 0.0).complete
        assert stream.count_holes() == 0
    finally:
        stream.close()


@pytest.mark.parametrize("fov_rad", [0.5, 1.13, 1.5])
@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS.keys())
def test_no_place_wants_more_pages_than_there_are_layers(preset, fov_rad) -> None:
    """Page corners want the most, the origin above all: no level may be given up there."""
    random = np.random.default_rng(1)
    places = [
        (0.0, 0.0),
        (64.0, 0.0),
        (-1.0, 5.0),
        (2.0**19, -(2.0**18)),
        *random.uniform(-1e6, 1e6, (12, 2)),
    ]
    for view_m in VIEWS_M:
        for lines in (180, 720, 2160):
            lod = LodSettings.for_screen(preset.error_px, fov_rad, lines, view_m, preset.patch_quads)
            table, search = PageTable(256), WantedPages(lod)
            table.limit = lod.layers
            for x, z in places:
                search.update(Focus(x, z, 2.0, 3.0, 4.0), table)
                assert search.finest == 0, (view_m, lines, x, z)
