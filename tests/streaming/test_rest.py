"""Pages at rest: half the memory, the same bits when somebody reads them again."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from game.core.coords import PageKey
from game.core.options import RideOptions
from game.core.settings import PRESETS
from game.lod.settings import LodSettings
from game.opening import open_session
from game.streaming.store import PAGE_BYTES
from game.streaming.stream import REST_PER_FRAME, TerrainStream
from game.streaming.wanted import Focus
from game.world.edits import EditLog
from game.world.land import LandSource
from game.world.recipe import Recipe
from game.world.source import HeightSource
from tests.streaming.test_stream import Eye

PARTS = ("base", "edited", "heights", "normals", "climate", "trees")


@pytest.fixture(scope="module")
def source() -> HeightSource:
    return HeightSource(Recipe.load("alpine"), 7)


def _land(source: HeightSource) -> LandSource:
    return LandSource(source, EditLog(), 7, 2)


def _same(page, other) -> None:
    for name in PARTS:
        assert np.array_equal(getattr(page, name), getattr(other, name)), name


@pytest.mark.parametrize("key", [PageKey(0, 3, -2), PageKey(5, -1, 0), PageKey(0, -7_734_375, 7_812_499)])
def test_what_was_let_go_comes_back_bit_for_bit(source, key) -> None:
    land = _land(source)
    page, fresh = land.make_page(key), land.make_page(key)
    assert page.nbytes > PAGE_BYTES + page.trees.nbytes
    page.rest()
    page.rest()
    assert page.nbytes < 0.8 * PAGE_BYTES + page.trees.nbytes
    asleep = page.nbytes
    assert page.edited is page.base
    _same(page, fresh)
    page.rest()
    assert page.nbytes == asleep


def test_edits_and_undo_of_a_page_at_rest(source) -> None:
    """Dab, rest, dab, rest, undo, rest: as on a page that never rested."""
    edits, land = EditLog(), None
    land = LandSource(source, edits, 7, 2)
    key = PageKey(0, 3, -2)
    page, awake = land.make_page(key), land.make_page(key)
    unedited = page.base.copy()
    for change in ("dab", "dab", "undo", "undo", "redo"):
        if change == "dab":
            box = land.dab("raise", 3 * 128 + 5.0, -2 * 128 + 64.0, 30.0, 12.0)
        else:
            box = edits.undo() if change == "undo" else edits.redo()
        assert box is not None
        land.show(edits.snapshot())
        for one in (page, awake):
            land.evaluate_box(one, box)
        page.rest()
        copy = dataclasses.replace(page)
        _same(copy, awake)
        assert np.array_equal(page.base, unedited)
        page.rest()


def test_a_page_without_edits_takes_no_more_than_on_the_gpu_even_after_undo(source) -> None:
    edits = EditLog()
    land = LandSource(source, edits, 7, 2)
    stream = TerrainStream(land.make_page, LodSettings(110.0, 700.0, 16), 1, edits=land)

    def frames(count: int) -> None:
        for _ in range(count):
            stream.want(Focus(64.0, 64.0), 0.0)
            stream.wait()
            for _ in stream.arrivals():
                pass
            stream.select(Eye(64.0, 1500.0, 64.0), 0.1)

    def limit() -> int:
        trees = sum(page.trees.nbytes for _, page in stream.store.residents())
        return len(stream.store) * PAGE_BYTES + trees

    try:
        frames(2)
        at_first = stream.store.cpu_bytes
        assert 0 < at_first < 0.8 * limit()
        box = land.dab("raise", 64.0, 64.0, 40.0, 12.0)
        land.show(edits.snapshot())
        assert stream.apply_edits(land, box)
        assert stream.store.cpu_bytes > at_first
        box = edits.undo()
        land.show(edits.snapshot())
        stream.apply_edits(land, box)
        frames(256 // REST_PER_FRAME)
        assert stream.store.cpu_bytes == at_first
    finally:
        stream.close()


def test_a_large_change_leaves_the_unedited_land_as_it_was(source) -> None:
    """Threads copy pages at rest; an undo brings every sample back."""
    session = open_session(RideOptions(seed=7, world="alpine", pages="wait", workers=2), PRESETS["low"])
    try:
        stream, land = session.stream, session.land

        def frame() -> None:
            session.settle_edits(block=True)
            stream.want(Focus(0.0, 0.0), 0.0)
            stream.wait()
            for _ in stream.arrivals():
                pass

        frame()
        keys = [page.key for _, page in stream.store.residents()]
        before = {key: stream.store.page(key).heights.copy() for key in keys}
        session.edited(land.dab("raise", 0.0, 0.0, 400.0, 60.0))
        frame()
        assert any(not np.array_equal(stream.store.page(key).heights, before[key]) for key in keys)
        for _ in range(256 // REST_PER_FRAME):
            frame()
        session.edited(land.edits.undo())
        frame()
        assert all(np.array_equal(stream.store.page(key).heights, before[key]) for key in keys)
        assert all(np.array_equal(stream.store.page(key).base[2:-2, 2:-2], before[key]) for key in keys)
    finally:
        session.close()
