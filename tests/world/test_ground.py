"""Ground: the drawn triangles of level 0, anywhere, with edits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from analytic import AnalyticSource, land

from game.core.coords import PageKey
from game.kernels import ground as ground_kernels
from game.world.edits import EditLog
from game.world.ground import CAPACITY, Ground
from game.world.land import LandSource
from game.world.vegetation import Vegetation


def make(density: float | None = 0.5) -> tuple[AnalyticSource, EditLog, Ground]:
    source, log = AnalyticSource(density), EditLog()
    return source, log, Ground(source, log, Vegetation(source, 7, 4))


def on_triangles(heights: np.ndarray, x: float, z: float) -> float:
    """Reference: plane of the triangle from a block whose first sample is (0, 0)."""
    i, j = math.floor(x), math.floor(z)
    u, v = x - i, z - j
    h = heights.astype(np.float64)
    if u >= v:
        return (1 - u) * h[j, i] + (u - v) * h[j, i + 1] + v * h[j + 1, i + 1]
    return (1 - v) * h[j, i] + (v - u) * h[j + 1, i] + u * h[j + 1, i + 1]


@pytest.mark.parametrize(
    "at", [(0, 0), (-1024, -20480), (1_000_000, 1 << 24), (-990_000_000, 990_000_000), (10**9, -(10**9))]
)
def test_heights_lie_on_the_triangles_of_the_pages(at: tuple[int, int]) -> None:
    source, log, ground = make()
    for n in range(8):
        near = [float(np.clip(c + 11 * n - 40, -1e9, 1e9)) for c in at]
        log.apply("raise", near[0], near[1], 15.0 + n, 4.0)
    ground.apply()
    rng = np.random.default_rng(1)
    # A page is drawn from its own samples, also when the neighbour is edited.
    i0, j0 = at[0] - 30, at[1] - 30
    heights = ground.block(i0, j0, 61, 61)
    for _ in range(200):
        dx, dz = (float(v) for v in np.round(rng.uniform(0, 60, 2) * 64) / 64)
        assert ground.height(i0 + dx, j0 + dz) == pytest.approx(on_triangles(heights, dx, dz), abs=1e-6)
    page = source.generate(PageKey(0, at[0] // 128, at[1] // 128))
    log.evaluate(page)
    west, north = page.key.origin_m
    for i, j in ((0, 0), (128, 128), (5, 127), (128, 0)):
        assert ground.height(float(west + i), float(north + j)) == page.edited[j + 4, i + 4, 0]
    assert ground.height(float(at[0]), float(at[1])) == ground.block(at[0], at[1], 1, 1)[0, 0]


def test_edit_at_minus_one_half_moves_that_place() -> None:
    _, log, ground = make()
    before = ground.height(-0.5, -0.5)
    far = ground.height(0.5, 40.0)
    corner = land(-1, -1)
    assert ground.epoch == 0
    box = log.apply("raise", -0.5, -0.5, 8.0, 6.0)
    assert ground.height(-0.5, -0.5) == before
    ground.apply(box)
    assert ground.epoch == 1
    assert ground.height(-0.5, -0.5) == pytest.approx(before + 6.0, abs=0.15)
    assert ground.height(-1.0, -1.0) - corner == pytest.approx(6.0 * (1 - 0.5 / 64) ** 3, abs=1e-4)
    assert ground.height(0.0, 0.0) - land(0, 0) == pytest.approx(6.0 * (1 - 0.5 / 64) ** 3, abs=1e-4)
    assert ground.height(0.5, 40.0) == far
    ground.apply(log.undo())
    assert ground.height(-0.5, -0.5) == before


def test_normal_is_that_of_the_triangle() -> None:
    _, _, ground = make()
    for x, z in ((3.25, 9.75), (-7.75, 2.5), (-128.0, 0.0)):
        nx, ny, nz = ground.normal(x, z)
        assert nx * nx + ny * ny + nz * nz == pytest.approx(1.0, abs=1e-12)
        step = 1.0 / 64
        east = (ground.height(x + step, z) - ground.height(x, z)) / step
        assert nx / ny == pytest.approx(-east, abs=1e-9)
        # Toward the same triangle: on the diagonal the point belongs to the northern one.
        back = -step if z % 1 > x % 1 else step
        if x % 1 != z % 1:
            south = (ground.height(x, z + back) - ground.height(x, z)) / back
            assert nz / ny == pytest.approx(-south, abs=1e-9)


def test_block_crosses_pages_and_matches_the_function() -> None:
    _, _, ground = make()
    found = ground.block(-200, -130, 400, 300)
    assert found.dtype == np.float32
    assert np.array_equal(found, AnalyticSource().block(0, -200, -130, 400, 300))
    with pytest.raises(ValueError, match="0 × 3"):
        ground.block(0, 0, 0, 3)


@pytest.mark.parametrize("at", [(math.nan, 0.0), (0.0, math.inf), (2.0**31, 0.0), (0.0, -1.1e9)])
def test_unusable_positions_are_refused(at: tuple[float, float]) -> None:
    _, _, ground = make()
    for ask in (ground.height, ground.normal, lambda x, z: ground.trunks(x, z, 5.0)):
        with pytest.raises(ValueError, match="not accepted"):
            ask(*at)


def test_number_types_share_one_compiled_kernel() -> None:
    _, _, ground = make()
    wanted = ground.height(5.0, 3.0)
    for kind in (int, np.float32, np.float64, np.int64):
        assert ground.height(kind(5), kind(3)) == wanted
    if hasattr(ground_kernels.height_at, "signatures"):
        assert len(ground_kernels.height_at.signatures) == 1


def test_cache_stays_bounded_and_forgets_nothing() -> None:
    _, log, ground = make()
    log.apply("raise", 64.0, 64.0, 30.0, 9.0)
    ground.apply()
    wanted = ground.height(64.5, 64.25)
    for n in range(2 * CAPACITY):
        ground.height(128.0 * n + 3.0, -500.0)
    assert len(ground._pages) == len(ground._samples) == CAPACITY
    assert ground.height(64.5, 64.25) == wanted


def test_trunks_are_sorted_stand_on_the_land_and_follow_edits() -> None:
    _, log, ground = make()
    rows = ground.trunks(-1.0, 127.0, 64.0)
    assert rows.dtype == np.float64
    assert len(rows) > 20
    keys = [tuple(row[:2]) for row in rows]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)
    assert (np.hypot(rows[:, 0] + 1.0, rows[:, 1] - 127.0) <= 64.0).all()
    for x, z, radius, bottom, top in rows:
        land_m = ground.height(x, z)
        assert bottom == pytest.approx(land_m - 0.5, abs=1e-3)
        assert 5.0 < top - land_m < 20.0
        assert 0.1 < radius < 0.5
    x, z, _, bottom, _ = rows[0]
    ground.apply(log.apply("lower", float(x), float(z), 20.0, 10.0))
    moved = ground.trunks(-1.0, 127.0, 64.0)
    assert np.array_equal(moved[:, :2], rows[:, :2])
    assert moved[0, 3] == pytest.approx(bottom - 10.0, abs=0.5)
    assert moved[0, 3] == pytest.approx(ground.height(x, z) - 0.5, abs=1e-3)
    # Asking elsewhere first gives the same rows: a replay does not depend on what was cached.
    _, log2, other = make()
    log2.apply("lower", float(x), float(z), 20.0, 10.0)
    other.apply()
    other.trunks(5000.0, 5000.0, 100.0)
    assert np.array_equal(other.trunks(-1.0, 127.0, 64.0), moved)
    with pytest.raises(ValueError, match="radius_m"):
        ground.trunks(0.0, 0.0, math.nan)


def test_kernels_equal_plain_python() -> None:
    if not hasattr(ground_kernels.height_at, "py_func"):
        pytest.skip("the kernels run as plain Python already")
    samples = np.random.default_rng(0).normal(size=(136, 136, 2)).astype(np.float32)
    for x, z in ((0.0, 0.0), (128.0, 128.0), (63.9, 12.1), (12.1, 63.9)):
        for kernel in (ground_kernels.height_at, ground_kernels.normal_at):
            assert kernel(samples, x + 256, z - 384, 256, -384) == kernel.py_func(
                samples, x + 256, z - 384, 256, -384
            )


@pytest.mark.parametrize("delay_s", [0.0, 0.05])
def test_looking_ahead_changes_nothing_but_when_pages_are_made(delay_s: float) -> None:
    """Pages from the thread, whether it is early or late, are those the main thread makes."""
    import threading
    import time

    plain = LandSource(AnalyticSource(), EditLog(), 5, 4)
    source = AnalyticSource()
    makers: list[str] = []
    generate = source.generate

    def slow(key: PageKey):  # type: ignore[no-untyped-def]
        makers.append(threading.current_thread().name)
        time.sleep(delay_s)
        return generate(key)

    source.generate = slow  # type: ignore[method-assign]
    ahead = LandSource(source, EditLog(), 5, 4)
    for step in range(60):
        x = 9.0 * step
        ahead.ground.look_ahead(x, 3.0, 80.0, 0.0)
        assert np.array_equal(
            ahead.ground.block(int(x), -20, 40, 40), plain.ground.block(int(x), -20, 40, 40)
        )
        assert np.array_equal(ahead.ground.trunks(x, 3.0, 30.0), plain.ground.trunks(x, 3.0, 30.0))
    assert any(name.startswith("ground") for name in makers)
    assert len(ahead.ground._ahead) < 30
    ahead.ground.close()
    ahead.ground.close()
    assert ahead.ground.height(5000.0, 0.0) == plain.ground.height(5000.0, 0.0)
