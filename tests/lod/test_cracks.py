"""No crack, in exact arithmetic: the float32 vertices on every shared edge are the same set on both sides."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from game.lod.settings import LodSettings
from tests.lod.resident import Table, View, morphed, pages_around

SETTINGS = (LodSettings(46.0, 1500.0, 8), LodSettings(110.0, 3000.0, 16), LodSettings(182.0, 4000.0, 32))


def edge_mismatches(view: View, error: float) -> tuple[int, int]:
    """(segments on inner edges without an identical opposite one, segments compared)."""
    quads = view.lod.patch_quads
    patches = view.patches.astype(np.int64)
    along = np.arange(quads + 1)
    zero, full = np.zeros_like(along), np.full_like(along, quads)
    # Four edges, each run so that the patch lies on the same hand.
    edges = (
        (along, zero, (0, -1)),
        (full, along, (1, 0)),
        (along[::-1], full, (0, 1)),
        (zero, along[::-1], (-1, 0)),
    )
    cells = {
        (
            int(level),
            int((x + view.anchor[0]) // (quads << level)),
            int((z + view.anchor[1]) // (quads << level)),
        )
        for x, z, _, _, _, level in patches
    }

    def covered(x: float, z: float) -> bool:
        at_x, at_z = int(np.floor(x)) + view.anchor[0], int(np.floor(z)) + view.anchor[1]
        return any(
            (level, at_x // (quads << level), at_z // (quads << level)) in cells
            for level in range(view.lod.levels)
        )

    segments, outward = [], []
    level = patches[:, 5][:, None]
    for i, j, (nx, nz) in edges:
        x, y, z, _ = morphed(
            view, patches[:, 0][:, None], patches[:, 1][:, None], level, i[None], j[None], error
        )
        points = np.stack([x, y, z], -1)
        segments.append(np.concatenate([points[:, :-1], points[:, 1:]], -1).reshape(-1, 6))
        middle_x = patches[:, 0][:, None] + ((i[:-1] + i[1:]) << level) * 0.5 + 0.5 * nx - 0.25 * (nx == 0)
        middle_z = patches[:, 1][:, None] + ((j[:-1] + j[1:]) << level) * 0.5 + 0.5 * nz - 0.25 * (nz == 0)
        outward.append(np.stack([middle_x, middle_z], -1).reshape(-1, 2))
    all_segments, beyond = np.concatenate(segments), np.concatenate(outward)
    real = np.any(all_segments[:, :3] != all_segments[:, 3:], axis=1)
    all_segments, beyond = all_segments[real], beyond[real]
    # Counted, because a vertex that has just collapsed may stand above its still moving neighbour: the vertical
    # segment between them belongs to two pairs of edges there.
    forth = Counter(row.tobytes() for row in all_segments)
    back = np.ascontiguousarray(np.concatenate([all_segments[:, 3:], all_segments[:, :3]], axis=1))
    lonely = [n for n in range(len(back)) if forth[back[n].tobytes()] != forth[all_segments[n].tobytes()]]
    return sum(covered(*beyond[n]) for n in lonely), len(all_segments)


@pytest.mark.parametrize("case", range(36))
def test_shared_edges_have_identical_vertices(case: int) -> None:
    random = np.random.default_rng(case)
    lod = SETTINGS[case % len(SETTINGS)]
    centre = random.choice([0.0, -1024.0, 1.0e6, 2.0**24, -9.9e8, 1.0e9])
    x, z = centre + random.uniform(-3000.0, 3000.0), random.uniform(-3000.0, 3000.0)
    if case % 5 == 0:
        x, z = float(round(x / 128.0) * 128), float(round(z / 128.0) * 128)
    keys = pages_around(lod, x, z)
    starved = case % 4 != 0
    if starved:
        keep = random.random(len(keys)) > random.choice([0.02, 0.1, 0.4])
        keep |= keys[:, 0] == lod.top
        keys = keys[keep]
    previous = (lod.targets * random.random(lod.levels)).astype(np.float32)
    growth_s = -1.0 if case % 3 == 0 else float(random.uniform(0.0, 0.2))
    altitude_m = float(random.choice([0.0, 2.0, 35.0, 300.0]))
    view = View(lod, Table(keys), x, z, altitude_m).select(previous, growth_s)
    for error in (0.0, 2e-6):
        wrong, compared = edge_mismatches(view, error)
        assert compared > 500
        assert wrong == 0, f"{wrong} of {compared} segments, ranges {view.ranges}"


def test_the_check_sees_a_crack() -> None:
    lod = SETTINGS[1]
    view = View(lod, Table(pages_around(lod, 40.0, 60.0)), 40.0, 60.0).select()
    assert edge_mismatches(view, 0.0)[0] == 0
    view.ranges[1] *= np.float32(0.8)
    assert edge_mismatches(view, 0.0)[0] > 0


def test_range_that_grows_from_nothing_appears_fully_morphed() -> None:
    """A level that comes back does not pop: with a range below the altitude all its vertices have k = 1."""
    lod = SETTINGS[1]
    table = Table(pages_around(lod, 0.5, 0.5))
    previous = lod.targets.astype(np.float32)
    previous[0] = 0.0
    view = View(lod, table, 0.5, 0.5, 0.0).select(previous, 1e-4)
    assert 0.0 < view.ranges[0] < 1.0
    near = view.patches[view.patches[:, 5] == 0].astype(np.int64)
    assert len(near) == 4
    i, j = np.meshgrid(np.arange(17), np.arange(17))
    for patch in near:
        _, _, _, k = morphed(view, patch[0], patch[1], np.full_like(i, 0), i, j)
        assert (k >= 1.0).sum() >= i.size - 4


def test_levels_of_neighbours_differ_by_one_at_most() -> None:
    lod = SETTINGS[0]
    random = np.random.default_rng(5)
    for _ in range(10):
        x, z = random.uniform(-500.0, 500.0, 2)
        keys = pages_around(lod, x, z)
        keys = keys[(random.random(len(keys)) > 0.15) | (keys[:, 0] == lod.top)]
        view = View(lod, Table(keys), x, z, 1.0).select()
        patches = view.patches.astype(np.int64)
        size = lod.patch_quads << patches[:, 5]
        x0, z0 = patches[:, 0], patches[:, 1]
        touch = (x0[:, None] <= (x0 + size)[None]) & ((x0 + size)[:, None] >= x0[None])
        touch &= (z0[:, None] <= (z0 + size)[None]) & ((z0 + size)[:, None] >= z0[None])
        apart = np.abs(patches[:, 5][:, None] - patches[:, 5][None])
        assert apart[touch].max() <= 1
