"""The tracked waterline follows sea, edits and arriving pages, and the bed maps hold the land."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from game.core.coords import PAGE_QUADS, PageKey
from game.streaming.bed import BED_LEVELS, BED_SIDE, NO_BED_M, Bed
from game.streaming.coast import COPIES_A_FRAME, CoastTracker
from game.streaming.store import PageStore
from tests.render.scene import make_page


def cone(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    return 400.0 - np.hypot(x, z) * 0.5


def store_of(level: int, reach: int, height=cone) -> PageStore:  # type: ignore[no-untyped-def]
    store = PageStore(64)
    for iz in range(-reach, reach):
        for ix in range(-reach, reach):
            assert store.accept(make_page(PageKey(level, ix, iz), height)) is not None
    return store


def followed(tracker: CoastTracker, store: PageStore, level_m: float, frames: int = 6) -> None:
    for _ in range(frames):
        tracker.follow(store, level_m)
    assert tracker.wait()


def test_the_coast_follows_the_sea_and_the_land() -> None:
    store, tracker = store_of(3, 2), CoastTracker(3)
    try:
        followed(tracker, store, 0.0)
        (island,) = tracker.coasts.lines
        assert island.closed
        assert island.length_m == pytest.approx(2.0 * np.pi * 800.0, rel=5e-3)
        followed(tracker, store, 100.0)
        assert tracker.coasts.level_m == 100.0
        assert tracker.coasts.lines[0].length_m == pytest.approx(2.0 * np.pi * 600.0, rel=5e-3)
        followed(tracker, store, 0.0)
        assert np.array_equal(tracker.coasts.lines[0].points, island.points)
        page, layer = store.page(PageKey(3, 1, 1)), store.layer(PageKey(3, 1, 1))
        assert page is not None
        assert layer is not None
        page.heights[...] = 50.0
        store.refresh(layer, page)
        followed(tracker, store, 0.0)
        assert len(tracker.coasts.lines) == 1
        store.evict(PageKey(3, 0, 0))
        followed(tracker, store, 0.0)
        assert not any(coast.closed for coast in tracker.coasts.lines)
    finally:
        tracker.close()
        tracker.close()


def test_a_still_sea_asks_the_thread_for_nothing() -> None:
    store, tracker = store_of(3, 1), CoastTracker(3)
    try:
        followed(tracker, store, 0.0)
        kept = tracker.coasts
        followed(tracker, store, 0.0)
        assert tracker.coasts is kept
    finally:
        tracker.close()


def test_only_pages_whose_land_changed_are_handed_over(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    store, tracker = store_of(3, 2), CoastTracker(3)
    handed: list[set[PageKey]] = []
    monkeypatch.setattr(tracker, "_orders", SimpleNamespace(put=lambda order: handed.append(set(order.came))))
    monkeypatch.setattr(tracker, "_thread", object())
    for _ in range(6):
        tracker.follow(store, 0.0)
    assert set().union(*handed) == {page.key for _, page in store.residents()}
    assert max(map(len, handed)) == COPIES_A_FRAME
    handed.clear()
    # An edit elsewhere brings every page to its epoch, but moves the land of one.
    for _, page in store.residents():
        page.epoch += 1
    layer = store.layer(PageKey(3, 0, -1))
    assert layer is not None
    store.refresh(layer, store.page(PageKey(3, 0, -1)))  # type: ignore[arg-type]
    tracker.follow(store, 0.0)
    assert handed == [{PageKey(3, 0, -1)}]
    # A frame in which nothing changed looks at no page.
    monkeypatch.setattr(store, "residents", None)
    for _ in range(3):
        tracker.follow(store, 0.0)
    assert len(handed) == 1


def test_bed_maps_hold_the_land_and_coarser_land_where_finer_is_missing() -> None:
    store = store_of(3, 2)
    bed = Bed()
    maps = bed.follow(store, 10.0, -20.0)
    assert [one.level for one in maps] == list(BED_LEVELS)
    middle = maps[1]
    j, i = 40, 200
    x, z = (middle.i0 + i) * 8.0, (middle.j0 + j) * 8.0
    assert middle.heights[j, i] == np.float32(cone(np.array(x), np.array(z)))
    # No page of level 1 is there: its map shows the samples of level 3.
    fine = maps[0]
    x, z = (fine.i0 + i) * 2, (fine.j0 + j) * 2
    assert fine.heights[j, i] == np.float32(cone(np.array(x // 8 * 8.0), np.array(z // 8 * 8.0)))
    # The coarse map reaches beyond what is resident.
    assert maps[2].heights[0, 0] == NO_BED_M
    assert middle.heights.shape == (BED_SIDE, BED_SIDE)


def test_bed_maps_are_made_again_only_where_something_changed(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    store = store_of(3, 2)
    bed = Bed()
    first = list(bed.follow(store, 0.0, 0.0))
    for _ in range(6):
        assert [a is b for a, b in zip(bed.follow(store, 1.0, 0.0), first, strict=True)] == [True] * 3
    page, layer = store.page(PageKey(3, 0, 0)), store.layer(PageKey(3, 0, 0))
    assert page is not None
    assert layer is not None
    page.heights[40, 40, 0] = 999.0
    store.refresh(layer, page)
    for _ in range(3):
        bed.follow(store, 1.0, 0.0)
    assert bed.maps[1] is not first[1]
    assert float(bed.maps[1].heights.max()) == 999.0
    # A frame in which nothing changed reads no page.
    monkeypatch.setattr(store, "page", None)
    for _ in range(6):
        bed.follow(store, 1.0, 0.0)
    monkeypatch.undo()
    # A jump makes all of them at once.
    bed.follow(store, 5.0 * PAGE_QUADS * 8, 0.0)
    assert all(one.i0 > old.i0 for one, old in zip(bed.maps[:2], first[:2], strict=True))
