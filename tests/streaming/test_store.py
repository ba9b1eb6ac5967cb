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


def test_a_lower_limit_costs_no_page_that_is_wanted() -> None:
    """Six pages wanted when the limit fell to three: they go when they are unwanted, and the next page gets in."""
    store = PageStore(6)
    for n in range(6):
        store.accept(flat_page(PageKey(0, n, 0)))
    store.shrink_to(3)
    assert len(store) == 6
    store.frame += 1
    store.touch(store.layer(PageKey(0, 4, 0)))
    assert store.accept(flat_page(PageKey(0, 9, 0))) is not None
    assert {page.key.ix for _, page in store.residents()} == {4, 5, 9}


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


@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 7),
    st.lists(
        st.tuples(st.sampled_from(["page", "frame", "lend", "back", "move", "limit"]), KEYS), max_size=60
    ),
)
def test_invariants_while_a_large_edit_borrows_layers(capacity, steps) -> None:
    """Pages come, a change is prepared in layers that show nothing, the limit moves: no layer gets lost."""
    store = PageStore(capacity)
    lent: list[int] = []
    for number, (action, key) in enumerate(steps):
        if action == "page" and key not in store:
            store.accept(flat_page(key, float(key.ix)))
        elif action == "page":
            store.touch(store.layer(key))
        elif action == "frame":
            store.frame += 1
        elif action == "lend":
            layer = store.lend()
            if layer is not None:
                assert layer not in {shown for shown, _ in store.residents()}
                lent.append(layer)
        elif action == "back" and lent:
            store.give_back(lent.pop())
        elif action == "move" and lent and len(store):
            page = sorted((page for _, page in store.residents()), key=lambda page: page.key)[0]
            layer = lent.pop()
            store.heights[layer] = page.heights
            page.heights = store.heights[layer]
            store.move([(layer, page)])
            assert store.layer(page.key) == layer
        elif action == "limit":
            store.shrink_to(1 + number % capacity)
        shown = dict(store.residents())
        assert len(store) == len(shown) == store.used.sum()
        assert not set(shown) & set(lent)
        assert sorted([*shown, *lent, *store._free]) == list(range(capacity))
        assert (store.slots >= 0).sum() == len(shown)
        for layer, page in shown.items():
            assert find_layer(store.slots, store.keys, *page.key) == layer
            assert store._by_layer[layer] is page
            assert (store.heights[layer] == float(page.key.ix)).all()
        # The list by age holds every shown layer once, both ways.
        at, aged = int(store.links[capacity, 1]), []
        while at != capacity:
            assert store.links[store.links[at, 1], 0] == at
            aged.append(at)
            at = int(store.links[at, 1])
        assert sorted(aged) == sorted(shown)
