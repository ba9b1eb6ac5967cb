"""The façade over a ride: no hole, bounded, on time, the same whatever the threads do."""

from __future__ import annotations

import math
import random
import time
from dataclasses import dataclass

import numpy as np
import pytest

from game.core.coords import PageKey
from game.kernels import raycast, selection
from game.lod.settings import LodSettings
from game.streaming.store import PAGE_BYTES
from game.streaming.stream import TerrainStream
from game.streaming.wanted import Focus
from game.world.page import PageData
from tests.streaming.pages import CostlyPages, flat_page

LOD = LodSettings(110.0, 3000.0, 16)


@dataclass
class Eye:
    x: float = 0.0
    y: float = 2.0
    z: float = 0.0
    yaw_rad: float = 0.0
    pitch_rad: float = 0.0
    fov_y_rad: float = 1.1
    aspect: float = 1.6


@pytest.fixture
def opened():
    """Streams made through this are closed after the test."""
    made: list[TerrainStream] = []

    def start(*arguments, **named) -> TerrainStream:
        made.append(TerrainStream(*arguments, **named))
        return made[-1]

    yield start
    for stream in made:
        stream.close()


def frame(stream: TerrainStream, x: float, z: float, now_s: float, dt_s: float, v=(0.0, 0.0), credit_s=None):
    """One frame in wait mode, or with a budget."""
    stream.want(Focus(x, z, 2.0, *v), now_s)
    if credit_s is None:
        assert stream.wait(60.0)
    else:
        stream.spend(credit_s)
    arrived = stream.collect()
    yaw = math.atan2(v[0], -v[1])
    return arrived, stream.select(Eye(x, 2.0, z, yaw), dt_s)


def test_first_frame_in_wait_mode_is_whole(opened) -> None:
    stream = opened(flat_page, LOD, 2)
    assert stream.count_holes() == 0
    assert stream.pick((0.0, 5.0, 0.0), (0.0, -1.0, 0.0)) is None
    arrived, view = frame(stream, -1.5, 7.0, 0.0, 0.0)
    assert view.complete
    assert np.allclose(view.ranges, LOD.targets)
    assert len({layer for layer, _ in arrived}) == len(arrived) == stream.stats.resident
    assert view.triangles == len(view.patches) * 512 > 0
    assert set(view.patches["layer"]) <= {layer for layer, _ in arrived}
    assert stream.count_holes() == 0
    assert stream.stats.late == 0
    assert stream.stats.page_memory_mib == pytest.approx(len(arrived) * PAGE_BYTES / 2**20)
    assert stream.pick((0.0, 5.0, 0.0), (0.0, -2.0, 0.0)) == pytest.approx((0.0, 0.0, 0.0))
    assert stream.surface_height(100.0, -50.0) == 0.0
    assert stream.surface_height(90_000.0, 0.0) is None


def test_holes_are_seen() -> None:
    stream = TerrainStream(flat_page, LOD, 1)
    frame(stream, 0.0, 0.0, 0.0, 0.0)
    # A page that goes behind the selection's back leaves its ground bare.
    stream.store.evict(PageKey(0, 0, 0))
    assert stream.count_holes() > 0
    assert stream.stats.holes > 0
    stream.close()


def test_wait_mode_does_not_depend_on_threads(opened) -> None:
    def ride(workers: int, seed: int) -> list:
        jitter = random.Random(seed)

        def make(key: PageKey) -> PageData:
            time.sleep(jitter.random() * 0.001)
            return flat_page(key)

        stream = opened(make, LOD, workers, capacity=90)
        seen = []
        for n in range(40):
            x = n * 40.0 if n < 25 else 1000.0 - (n - 25) * 60.0
            _, view = frame(stream, x, -0.3 * x, n * 0.5, 0.5, (80.0, -24.0))
            rows = np.stack([view.patches[name] for name in view.patches.dtype.names if name != "layer"], -1)
            resident = sorted(page.key for _, page in stream.store.residents())
            seen.append((rows.tobytes(), view.ranges.tobytes(), tuple(resident), stream.stats.generated))
        return seen

    assert ride(1, 1) == ride(3, 2)


def test_starved_start_has_no_hole_and_fades_in(opened) -> None:
    pages = CostlyPages(0.02)
    stream = opened(pages, LOD, 2, budgeted=True, cpu_clock=pages.clock)
    complete_at, last = None, np.zeros(LOD.levels, np.float32)
    for n in range(300):
        _, view = frame(stream, 3.0, 4.0, n / 60.0, 1 / 60.0, credit_s=2 / 60.0)
        assert stream.count_holes() == 0
        if view.complete and complete_at is None:
            complete_at = n
        elif complete_at is not None:
            grown = last + LOD.targets / 60.0 / 0.3
            assert (view.ranges[:-1] <= grown[:-1] * (1.0 + 1e-6)).all()
        last = view.ranges
    assert complete_at is not None
    assert np.allclose(last, LOD.targets)
    assert pages.made[0].level == LOD.top


def test_cruise_at_12_m_s_is_never_late(opened) -> None:
    """30 ms a page on one worker: far slower than the game's own, and still ahead of the rider."""
    pages = CostlyPages(0.03)
    stream = opened(pages, LOD, 1, budgeted=True, cpu_clock=pages.clock)
    frame(stream, 0.0, 0.0, 0.0, 0.0, (12.0, 0.0))
    for n in range(1, 3000):
        t = n / 30.0
        heading = 0.3 * math.sin(0.2 * t)
        x, z = 12.0 * t, 60.0 * math.sin(0.05 * t)
        _, view = frame(
            stream, x, z, t, 1 / 30.0, (12.0 * math.cos(heading), 3.0 * math.cos(0.05 * t)), 1 / 30.0
        )
        assert view.complete
        if n % 30 == 0:
            assert stream.count_holes() == 0
    assert stream.stats.late_total == 0
    assert stream.stats.holes_total == 0
    assert len(pages.made) > 70


def test_u_turn_at_100_m_s_has_no_hole_and_a_bounded_queue(opened) -> None:
    pages = CostlyPages(0.02)
    stream = opened(pages, LOD, 2, budgeted=True, cpu_clock=pages.clock)
    frame(stream, 0.0, -3000.0, 0.0, 0.0)
    x, longest = 0.0, 0
    for n in range(1, 1200):
        speed = 100.0 if n < 800 else -100.0
        x += speed / 20.0
        _, view = frame(stream, x, -3000.0, n / 20.0, 1 / 20.0, (speed, 0.0), 2 / 20.0)
        longest = max(longest, stream.stats.queue)
        assert stream.stats.resident <= 256
        if n % 10 == 0:
            assert stream.count_holes() == 0
        assert view.complete
    assert longest < 100


def test_capacity_too_small_drops_levels_and_keeps_the_land_whole(opened) -> None:
    stream = opened(flat_page, LOD, 1, capacity=20)
    _, view = frame(stream, 0.0, 0.0, 0.0, 0.0, (12.0, 0.0))
    assert stream.stats.dropped_levels > 0
    assert view.complete
    assert view.ranges[0] == 0.0
    assert stream.count_holes() == 0
    assert stream.stats.late == 0


def test_teleport_grows_at_once(opened) -> None:
    stream = opened(flat_page, LOD, 1)
    frame(stream, 0.0, 0.0, 0.0, 0.0)
    _, view = frame(stream, 50_000.0, -7.0, 1 / 60, 1 / 60)
    assert np.allclose(view.ranges, LOD.targets)
    assert stream.count_holes() == 0


@pytest.mark.parametrize("place", [(0.0, -1024.0), (1.0e6, 2.0**24), (-9.9e8, 1.0e9), (1.0e9, -1.0e9)])
def test_far_places_look_like_the_origin(opened, place) -> None:
    stream = opened(flat_page, LOD, 2)
    _, view = frame(stream, *place, 0.0, 0.0)
    assert view.complete
    assert stream.count_holes() == 0
    hit = stream.pick((place[0], 10.0, place[1]), (0.6, -0.1, 0.2))
    assert hit is not None
    assert hit[1] == pytest.approx(0.0, abs=1e-6)


def test_upload_budget_takes_the_most_urgent_first(opened) -> None:
    stream = opened(flat_page, LOD, 1)
    stream.want(Focus(0.0, 0.0), 0.0)
    stream.wait(60.0)
    first = stream.collect(3 * PAGE_BYTES)
    assert len(first) == 3
    assert {page.key.level for _, page in first} == {LOD.top}
    assert len(stream.collect(1)) == 1
    stream.want(Focus(0.0, 0.0), 0.1)
    assert len(stream.collect()) == stream.stats.wanted - 4
    assert stream.collect() == []


def test_missing_pages_in_sight_are_late(opened) -> None:
    stream = opened(flat_page, LOD, 1, budgeted=True)
    stream.want(Focus(0.0, 0.0), 0.0)
    stream.select(Eye(), 0.0)
    ahead = stream.stats.late
    assert 0 < ahead < stream.stats.wanted
    stream.select(Eye(y=20_000.0, pitch_rad=1.5), 0.0)
    assert stream.stats.late == 0
    assert stream.stats.late_total == ahead


class OneBump:
    """An edit log with one change: 5 m on everything in level 0."""

    epoch = 1

    def evaluate_box(self, page: PageData, box: object = None) -> tuple[int, int, int, int] | None:
        if page.epoch >= self.epoch or page.key.level > 0:
            page.epoch = self.epoch
            return None
        page.heights[:] += 5.0
        page.max_m = page.min_m = 5.0
        page.epoch = self.epoch
        return 0, 132, 0, 132

    def catch_up(self, page: PageData) -> None:
        self.evaluate_box(page)


def test_edits_reach_resident_and_arriving_pages(opened) -> None:
    stream = opened(flat_page, LOD, 1)
    frame(stream, 10.0, 10.0, 0.0, 0.0)
    changed = stream.apply_edits(OneBump(), None)
    assert {page.key.level for _, page, _ in changed} == {0}
    assert all(rows == (0, 132, 0, 132) for _, _, rows in changed)
    assert all((stream.store.bounds[layer] == 5.0).all() for layer, _, _ in changed)
    assert stream.surface_height(12.0, 12.0) == 5.0
    assert stream.apply_edits(OneBump(), None) == []
    late = opened(flat_page, LOD, 1, edits=OneBump())
    frame(late, 10.0, 10.0, 0.0, 0.0)
    assert late.surface_height(12.0, 12.0) == 5.0
    assert late.apply_edits(OneBump(), None) == []


def test_trees_of_resident_pages(opened) -> None:
    stream = opened(lambda key: flat_page(key, trees=3 if key.level < 2 else 0), LOD, 1)
    assert stream.resident_trees() == []
    frame(stream, 10.0, 10.0, 0.0, 0.0)
    tiles = stream.resident_trees()
    assert [key for key, _, _ in tiles] == sorted(
        page.key for _, page in stream.store.residents() if page.key.level < 2
    )
    assert stream.resident_trees() is tiles


def test_other_quality_keeps_the_pages(opened) -> None:
    stream = opened(flat_page, LOD, 1)
    frame(stream, 0.0, 0.0, 0.0, 0.0)
    before = stream.stats.generated
    stream.set_lod(LodSettings(110.0, 1500.0, 32 // 2))
    _, view = frame(stream, 0.0, 0.0, 0.1, 0.1)
    assert view.complete
    assert stream.stats.generated == before
    assert stream.count_holes() == 0


def test_a_shorter_view_gives_its_layers_back_and_throws_no_page_away(opened) -> None:
    """All 160 pages of a far view are wanted when it becomes a short one elsewhere, with fewer layers."""
    far, near = LodSettings(230.0, 100_000.0, 32), LodSettings(110.0, 5000.0, 16)
    assert near.layers < far.layers
    stream = opened(flat_page, far, 1)
    frame(stream, 0.0, 0.0, 0.0, 0.0)
    assert stream.stats.resident > near.layers
    before = stream.stats.generated
    stream.set_lod(near)
    _, view = frame(stream, 700.0, 0.0, 0.1, 0.1)
    made = stream.stats.generated - before
    assert stream.stats.late == stream.stats.queue == 0
    assert stream.stats.resident <= stream.store.limit == near.layers
    assert made > 0
    assert np.allclose(view.ranges, near.targets)
    frame(stream, 700.0, 0.0, 0.2, 0.1)
    assert stream.stats.generated == before + made


def test_wrong_values_are_refused(opened) -> None:
    stream = opened(flat_page, LOD, 1)
    frame(stream, 0.0, 0.0, 0.0, 0.0)
    with pytest.raises(ValueError):
        stream.select(Eye(), -0.1)
    with pytest.raises(ValueError):
        stream.select(Eye(x=math.nan), 0.1)
    with pytest.raises(ValueError):
        stream.pick((0.0, 1.0, 0.0), (0.0, 0.0, 0.0))
    with pytest.raises(ValueError):
        stream.pick((math.nan, 1.0, 0.0), (0.0, 1.0, 0.0))


def test_warm_up_leaves_nothing_to_compile_in_a_frame(opened) -> None:
    selection.warm()
    raycast.warm()
    public = [selection.fill_slots, selection.find_layer, selection.wanted_pages, selection.select_patches]
    public += [selection.insert_slot, selection.remove_slot, selection.unlink, selection.make_newest]
    public += [selection.emit_patches, selection.count_uncovered, selection.count_late]
    public += [raycast.surface_height, raycast.cast_ray]
    before = [len(kernel.signatures) for kernel in public]
    stream = opened(flat_page, LOD, 1, budgeted=True)
    for number in (int, float, np.float64):
        stream.want(Focus(number(3), number(-4), number(2), number(5), number(0)), number(0))
        stream.select(Eye(number(3), number(5), number(-4)), number(0))
        stream.wait(60.0)
        stream.collect()
        gone = stream.store.oldest_unwanted()
        assert gone is None
        stream.store.evict(next(page.key for _, page in stream.store.residents()))
        stream.select(Eye(number(3), number(5), number(-4)), number(0))
        stream.count_holes()
        stream.pick((number(3), number(5), number(-4)), (number(0), number(-1), number(1)), number(50))
        stream.surface_height(number(3), number(4))
    assert [len(kernel.signatures) for kernel in public] == before
