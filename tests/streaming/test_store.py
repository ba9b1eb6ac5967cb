"""The store keeps its invariants whatever comes and goes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game.core.coords import PageKey
from game.kernels.selection import find_layer
from game.streaming.store import PAGE_BYTES, PageStore
from tests.streaming.pages import flat_page

KEYS = st.builds(
    PageKey, st.integers(0, 3), st.integers(-3, 3), st.sampled_from([-7_812_500, -1, 0, 7_812_499])
)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 6), st.lists(st.tuples(KEYS, st.booleans()), max_size=40))
def test_invariants(capacity, steps) -> None:
    store = PageStore(capacity)
    wanted: set[PageKey] = set()
    for key, next_frame in steps:
        if next_frame:
            store.frame += 1
            wanted.clear()
        resident = {page.key for _, page in store.residents()}
        if key in store:
            store.touch(store.layer(key))
            wanted.add(key)
            continue
        layer = store.accept(flat_page(key, float(key.ix)))
        now = {page.key for _, page in store.residents()}
        if layer is None:
            assert resident == wanted
            assert len(resident) == capacity
        else:
            wanted.add(key)
            assert len(resident - now) <= 1
            assert key in now
        assert wanted <= now
        assert len(store) == len(now) == store.used.sum() <= capacity
        layers = {layer for layer, _ in store.residents()}
        assert len(layers) == len(now)
        for layer, page in store.residents():
            assert find_layer(store.slots, store.keys, *page.key) == layer == store.layer(page.key)
            assert store.page(page.key) is page
            assert (store.heights[layer] == float(page.key.ix)).all()
            assert np.shares_memory(page.heights, store.heights)
    assert find_layer(store.slots, store.keys, 9, 0, 0) == -1


def test_longest_unwanted_page_goes_first() -> None:
    store = PageStore(3)
    for n in range(3):
        store.frame = n
        store.accept(flat_page(PageKey(0, n, 0)))
    store.frame = 9
    store.touch(store.layer(PageKey(0, 0, 0)))
    store.accept(flat_page(PageKey(0, 5, 0)))
    assert PageKey(0, 1, 0) not in store
    assert PageKey(0, 0, 0) in store


def test_evicted_page_keeps_its_own_heights() -> None:
    store = PageStore(1)
    page = flat_page(PageKey(0, 0, 0), 7.0)
    store.accept(page)
    store.frame += 1
    store.accept(flat_page(PageKey(0, 1, 0), 9.0))
    assert (page.heights == 7.0).all()
    with pytest.raises(KeyError):
        store.evict(page.key)


def test_revisions_tell_which_heights_changed_and_when() -> None:
    store = PageStore(3)
    seen = [store.revision]

    def moved_on() -> bool:
        seen.append(store.revision)
        return seen[-1] > seen[-2]

    layers = [store.accept(flat_page(PageKey(0, n, 0))) for n in range(2)]
    assert moved_on()
    was = store.revisions.copy()
    store.touch(layers[0])
    store.rest_some(3)
    assert not moved_on()
    page = store.page(PageKey(0, 0, 0))
    store.refresh(layers[0], page)
    assert moved_on()
    assert store.revisions[layers[0]] == store.revision > was[layers[0]]
    assert store.revisions[layers[1]] == was[layers[1]]
    aside = store.lend()
    assert not moved_on()
    page.heights = store.heights[aside]
    store.move([(aside, page)])
    assert moved_on()
    assert store.revisions[aside] == store.revision
    store.evict(PageKey(0, 0, 0))
    assert moved_on()
    store.frame += 1
    store.shrink_to(1)
    assert not moved_on()


def test_wrong_use_is_refused() -> None:
    for capacity in (0, 257):
        with pytest.raises(ValueError, match="256"):
            PageStore(capacity)
    store = PageStore(2)
    store.accept(flat_page(PageKey(0, 0, 0)))
    with pytest.raises(ValueError, match="already"):
        store.accept(flat_page(PageKey(0, 0, 0)))


def test_page_size_is_what_the_design_says() -> None:
    assert round(PAGE_BYTES / 1024) == 272
