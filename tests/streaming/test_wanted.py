"""Which pages are wanted, against a brute-force search over every page nearby."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game.core.coords import PageKey
from game.lod.settings import LodSettings
from game.streaming.store import PageStore
from game.streaming.wanted import Focus, WantedPages
from tests.lod.resident import pages_around
from tests.streaming.pages import flat_page

LOD = LodSettings(110.0, 3000.0, 16)
PLACE = st.one_of(
    st.floats(-3000.0, 3000.0),
    st.sampled_from([0.0, -0.5, -1024.0, -4096.0, -20480.0, 1.0e9, -1.0e9, 2.0**29]),
)


def wanted(
    focus: Focus, store: PageStore | None = None, lod: LodSettings = LOD
) -> tuple[list[PageKey], WantedPages]:
    search = WantedPages(lod)
    search.update(focus, PageStore() if store is None else store)
    return search.missing(), search


@settings(max_examples=80, deadline=None)
@given(PLACE, PLACE, st.floats(-30.0, 30.0), st.floats(-30.0, 30.0))
def test_everything_in_reach_now_and_soon_is_wanted(x, z, vx, vz) -> None:
    keys, search = wanted(Focus(x, z, 0.0, vx, vz))
    assert len(set(keys)) == len(keys) == search.count
    for t in (0.0, 1.8):
        needed = {PageKey(*key) for key in pages_around(LOD, x + vx * t, z + vz * t).tolist()}
        assert needed <= set(keys)
    speed = math.hypot(vx, vz)
    slack = 0.25 * speed * 3.0 + 3.0
    for key in keys:
        assert any(
            key in {PageKey(*near) for near in pages_around(LOD, x + vx * t, z + vz * t, slack).tolist()}
            for t in np.linspace(0.0, 3.0, 13)
        ), key
    assert search.needed_now.sum() <= search.count


def test_coarse_pages_come_first_after_a_teleport() -> None:
    keys, _ = wanted(Focus(50_000.0, -50_000.0))
    levels = [key.level for key in keys]
    assert levels == sorted(levels, reverse=True)
    finest = [key for key in keys if key.level == 0]
    near = [math.hypot((key.ix + 0.5) * 128 - 50_000, (key.iz + 0.5) * 128 + 50_000) for key in finest]
    assert near[0] == min(near)


def test_what_is_needed_now_goes_before_what_is_needed_soon() -> None:
    focus = Focus(10.0, 10.0, 0.0, 30.0, 0.0)
    keys, _ = wanted(focus)
    now = {PageKey(*key) for key in pages_around(LOD, 10.0, 10.0).tolist()}
    first_soon = next(n for n, key in enumerate(keys) if key not in now and key.ix * key.span_m > 10.0)
    assert now <= set(keys[: first_soon + 3])


def test_fast_riders_look_further_ahead() -> None:
    slow, _ = wanted(Focus(0.0, 0.0, 0.0, 12.0, 0.0))
    fast, _ = wanted(Focus(0.0, 0.0, 0.0, 80.0, 0.0))
    assert max(key.ix for key in fast if key.level == 0) > max(key.ix for key in slow if key.level == 0)


def test_high_cameras_do_not_want_fine_levels() -> None:
    keys, _ = wanted(Focus(0.0, 0.0, 1000.0))
    assert min(key.level for key in keys) >= 3
    assert {key for key in keys if key.level == LOD.top} == {
        key for key in wanted(Focus(0.0, 0.0))[0] if key.level == LOD.top
    }


def test_resident_pages_are_marked_not_listed() -> None:
    store = PageStore()
    focus = Focus(5.0, 5.0)
    keys, _ = wanted(focus, store)
    for key in keys[:10]:
        store.accept(flat_page(key))
    far = PageKey(0, 4000, 4000)
    store.accept(flat_page(far))
    again, search = wanted(focus, store)
    assert again == keys[10:]
    assert search.count == len(keys)
    assert all(store.last_wanted[store.layer(key)] == store.frame for key in keys[:10])
    assert store.last_wanted[store.layer(far)] < store.frame


def test_finest_level_is_dropped_when_too_much_is_wanted_and_comes_back() -> None:
    lod = LodSettings(300.0, 4000.0, 16)
    store = PageStore(90)
    search = WantedPages(lod)
    search.update(Focus(0.0, 0.0, 0.0, 20.0, 0.0), store)
    assert search.finest > 0
    assert search.count <= 90
    assert min(key.level for key in search.missing()) == search.finest
    search.update(Focus(0.0, 0.0, 3000.0), store)
    search.update(Focus(0.0, 0.0, 3000.0), store)
    search.update(Focus(0.0, 0.0, 3000.0), store)
    assert search.finest == 0


def test_tiny_store_wants_no_more_than_fits() -> None:
    keys, _ = wanted(Focus(0.0, 0.0), PageStore(2))
    assert len(keys) == 2
    assert {key.level for key in keys} == {LOD.top}


@pytest.mark.parametrize("bad", [(math.nan, 0.0), (0.0, 2.0**31), (math.inf, 0.0), (0.0, 0.0, math.nan)])
def test_unusable_focus_is_refused(bad) -> None:
    with pytest.raises(ValueError, match="focus"):
        Focus(*bad)
