"""Every point of the view is drawn exactly once, from a page that is there, however starved."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from game.core.coords import PAGE_QUADS
from game.kernels import selection as kernels
from game.lod.frustum import planes
from game.lod.settings import LodSettings
from tests.lod.resident import Table, View, pages_around

LOD = LodSettings(64.0, 1000.0, 8)
COORDINATE = st.one_of(
    st.floats(-2000.0, 2000.0),
    st.sampled_from([0.0, -0.25, -1024.0, -4096.0, 2.0**24, 2.0**29, 1.0e9, -1.0e9, 999_999_999.75]),
)


def view_of(x: float, z: float, altitude_m: float, lost: float, seed: int, growth_s: float = -1.0) -> View:
    random = np.random.default_rng(seed)
    keys = pages_around(LOD, x, z)
    keys = keys[(random.random(len(keys)) >= lost) | (keys[:, 0] == LOD.top)]
    previous = (LOD.targets * random.random(LOD.levels)).astype(np.float32)
    return View(LOD, Table(keys), x, z, altitude_m).select(previous, growth_s)


def cover(view: View, xs: np.ndarray, zs: np.ndarray) -> np.ndarray:
    """How many patches hold each camera-relative point, by brute force."""
    patches = view.patches.astype(np.int64)
    size = view.lod.patch_quads << patches[:, 5]
    x0 = patches[:, 0] - float(view.frac[0])
    z0 = patches[:, 1] - float(view.frac[1])
    inside = (xs[:, None] >= x0) & (xs[:, None] < x0 + size) & (zs[:, None] >= z0) & (zs[:, None] < z0 + size)
    return inside.sum(1)


@settings(max_examples=60, deadline=None)
@given(
    COORDINATE,
    COORDINATE,
    st.sampled_from([0.0, 2.0, 70.0, 900.0]),
    st.sampled_from([0.0, 0.1, 0.7]),
    st.integers(0, 999),
)
def test_view_disc_is_covered_exactly_once(x, z, altitude_m, lost, seed) -> None:
    view = view_of(x, z, altitude_m, lost, seed)
    assert view.complete
    random = np.random.default_rng(seed)
    radius = LOD.view_m * np.sqrt(random.random(300)) * (1.0 - 1e-9)
    radius[::2] *= random.random(150) ** 2
    angle = random.random(300) * 2.0 * np.pi
    xs, zs = radius * np.cos(angle), radius * np.sin(angle)
    assert (cover(view, xs, zs) == 1).all()
    size = 4096
    holes = kernels.count_uncovered(
        view.patches, *view.anchor, LOD.patch_quads, LOD.levels, view.table.keys, view.table.used,
        xs + float(view.frac[0]), zs + float(view.frac[1]), np.empty(size, np.int64), np.empty(size, np.int32),
    )  # fmt: skip
    assert holes == 0


@settings(max_examples=60, deadline=None)
@given(
    COORDINATE,
    COORDINATE,
    st.sampled_from([0.0, 30.0]),
    st.sampled_from([0.05, 0.3]),
    st.integers(0, 999),
    st.floats(0.0, 0.3),
)
def test_clamp_holds_and_patches_have_their_pages(x, z, altitude_m, lost, seed, growth_s) -> None:
    view = view_of(x, z, altitude_m, lost, seed, growth_s)
    reach = view.ranges.astype(np.float64)
    random = np.random.default_rng(seed)
    random.random(len(pages_around(LOD, x, z)))
    previous = (LOD.targets * random.random(LOD.levels)).astype(np.float32)
    for level in range(LOD.levels):
        assert 0.0 <= reach[level] <= LOD.targets[level]
        if level < LOD.top:
            grown = previous[level] + LOD.targets[level] * growth_s / kernels.FADE_S
            assert reach[level] <= np.float32(grown) * (1.0 + 1e-6)
        if level + 1 < LOD.top and reach[level] > 0.0:
            assert reach[level] + LOD.node_diagonal_m(level) <= (1.0 - LOD.morph) * reach[level + 1]
    resident = {tuple(key) for key in view.table.keys.tolist()}
    for key in pages_around(LOD, x, z).tolist():
        if tuple(key) not in resident and key[0] < LOD.top and reach[key[0]] > 0.0:
            span = PAGE_QUADS << key[0]
            dx = max(key[1] * span - x, x - (key[1] + 1) * span, 0.0)
            dz = max(key[2] * span - z, z - (key[2] + 1) * span, 0.0)
            assert np.sqrt(dx * dx + dz * dz + altitude_m**2) > reach[key[0]]
    for ox, oz, px, pz, layer, level in view.patches.tolist():
        i, j = (ox + view.anchor[0]) >> level, (oz + view.anchor[1]) >> level
        assert (px, pz) == (i % PAGE_QUADS, j % PAGE_QUADS)
        assert view.table.keys[layer].tolist() == [level, i // PAGE_QUADS, j // PAGE_QUADS]
    assert view.starts[-1] == len(view.patches)
    assert (np.diff(view.patches[:, 5]) >= 0).all()


def test_missing_coarsest_page_is_told_and_leaves_no_wrong_patch() -> None:
    keys = pages_around(LOD, 10.0, 10.0)
    coarsest = np.flatnonzero(keys[:, 0] == LOD.top)
    view = View(LOD, Table(np.delete(keys, coarsest[0], axis=0)), 10.0, 10.0).select()
    assert not view.complete
    assert view.ranges[LOD.top] < LOD.view_m
    empty = View(LOD, Table(np.zeros((0, 3))), 10.0, 10.0).select()
    assert not empty.complete
    assert len(empty.patches) == 0


def test_culling_drops_only_what_is_outside() -> None:
    view = view_of(17.5, -40.25, 3.0, 0.0, 1)
    everything = {tuple(row) for row in view.patches.tolist()}
    volume = planes(0.7, -0.2, 1.1, 1.6, 0.1, 5000.0)
    view.select(planes=volume, eye_y=20.0)
    seen = {tuple(row) for row in view.patches.tolist()}
    assert seen < everything
    assert 0 < len(seen) < 0.6 * len(everything)
    random = np.random.default_rng(3)
    for ox, oz, _, _, _, level in everything - seen:
        size = LOD.patch_quads << level
        points = np.column_stack(
            [
                ox + random.random(60) * size - float(view.frac[0]),
                random.uniform(-50.0, 50.0, 60) - 20.0,
                oz + random.random(60) * size - float(view.frac[1]),
            ]
        )
        assert not np.all(points @ volume[:, :3].T + volume[:, 3] >= 0.0, axis=1).any()


def test_dropped_level_is_off_and_the_land_stays_whole() -> None:
    view = view_of(3.0, 4.0, 1.0, 0.0, 1).select(finest=2)
    assert view.ranges[0] == view.ranges[1] == 0.0
    assert view.patches[:, 5].min() == 2
    angle = np.linspace(0.0, 6.0, 200)
    assert (cover(view, 990.0 * np.cos(angle), 990.0 * np.sin(angle)) == 1).all()


def test_plain_python_agrees_with_compiled_selection() -> None:
    lod = LodSettings(64.0, 200.0, 8)
    keys = pages_around(lod, -7.3, 1.0e9)
    view = View(lod, Table(keys), -7.3, 1.0e9, 1.5).select()
    table = view.table
    slots = np.full_like(table.slots, -1)
    kernels.fill_slots.py_func(slots, table.keys, table.used)
    assert (slots == table.slots).all()
    ranges = np.zeros_like(view.ranges)
    kernels.resident_ranges.py_func(
        *view.anchor, float(view.frac[0]), float(view.frac[1]), float(view.altitude), lod.targets, 0, ranges.copy(),
        -1.0, lod.patch_quads, lod.morph, table.slots, table.keys, ranges,
    )  # fmt: skip
    assert (ranges == view.ranges).all()
    out, starts = np.zeros((2000, 6), np.int32), np.zeros(lod.levels + 1, np.int32)
    first = kernels.emit_patches.py_func(
        *view.anchor, float(view.frac[0]), float(view.frac[1]), float(view.altitude), 0.0, 0.0, ranges, lod.view_m,
        lod.patch_quads, np.zeros((6, 4)), False, table.slots, table.keys, table.bounds,
        np.zeros((2, 500, 2), np.int64), out, starts,
    )  # fmt: skip
    assert (out[first:] == view.patches).all()


def test_short_buffers_are_reported() -> None:
    view = view_of(0.0, 0.0, 0.0, 0.0, 1)
    table = view.table
    for nodes, patches in ((2, 5000), (500, 10)):
        first = kernels.emit_patches(
            0, 0, 0.0, 0.0, 0.0, 0.0, 0.0, view.ranges, LOD.view_m, LOD.patch_quads, np.zeros((6, 4)), False,
            table.slots, table.keys, table.bounds, np.zeros((2, nodes, 2), np.int64), np.zeros((patches, 6), np.int32),
            np.zeros(LOD.levels + 1, np.int32),
        )  # fmt: skip
        assert first == -1
