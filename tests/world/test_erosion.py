"""Erosion of a region: the same bytes from the same inputs, exact accounts, a rim that nothing crosses, and rills."""

from __future__ import annotations

import numpy as np
import pytest

from game.kernels import flow
from game.world import World
from game.world.erosion import Erosion, ErosionSettings, Region, with_defaults

ALPINE = World("alpine", seed=7)


def eroded(region: Region, threads: int = 1, piece: int = 10_000, seed: int = 7) -> Erosion:
    side = region.side
    heights = ALPINE.heights(*region.first_sample, side, side, 1.0)
    erosion = Erosion(region, heights, seed=seed, threads=threads)
    while erosion.advance(piece):
        assert int(erosion.change.sum(dtype=np.int64)) + int(erosion.load.sum()) + erosion.exported == 0
    erosion.close()
    return erosion


def result(erosion: Erosion) -> list[tuple[int, int, bytes]]:
    return [(delta.i0, delta.j0, delta.packed) for delta in erosion.deltas()]


def test_same_bytes_for_any_threads_and_slices() -> None:
    region = Region(15168.0, 128.0, 124.0, 2.0)
    once = eroded(region)
    assert len(once.deltas()) >= 4
    for threads, piece in ((2, 10_000), (2, 7), (3, 40), (1, 1)):
        again = eroded(region, threads, piece)
        assert result(again) == result(once)
        assert again.exported == once.exported
    assert result(eroded(region, seed=8)) != result(once)


def test_accounts_are_exact_over_a_whole_run() -> None:
    erosion = eroded(Region(15168.0, 128.0, 60.0, 12.0), piece=90)
    torn = -int(erosion.change[erosion.change < 0].sum(dtype=np.int64))
    lost = int(erosion.change.sum(dtype=np.int64)) + int(erosion.load.sum()) + erosion.exported
    assert torn * erosion.quantum_m > 100.0
    assert abs(lost) <= 1e-6 * torn
    # When the rain is over, most of what was in the water has settled.
    assert int(erosion.load.sum(dtype=np.int64)) < 0.1 * torn


def test_effect_fades_to_nothing_at_the_rim() -> None:
    region = Region(9024.3, 8896.8, 70.0, 20.0)
    erosion = eroded(region)
    change = erosion.change * erosion.quantum_m
    i0, j0 = region.first_sample
    away = np.hypot(
        np.arange(i0, i0 + region.side)[None, :] - region.x,
        np.arange(j0, j0 + region.side)[:, None] - region.z,
    )
    assert (change[away >= region.radius_m] == 0.0).all()
    inside = np.abs(change[away < 0.5 * region.radius_m]).mean()
    assert inside > 0.05
    assert np.abs(change[away > 0.93 * region.radius_m]).max() < 0.2 * np.abs(change).max()


def drained(ground: np.ndarray) -> np.ndarray:
    """Square metres that drain through each sample."""
    ground = np.ascontiguousarray(ground, np.float32)
    filled, order, area = np.empty_like(ground), np.empty(ground.size, np.int32), np.empty_like(ground)
    flow.flood(ground, filled, order)
    flow.accumulate(filled, order, np.empty(ground.size, np.int32), area)
    return area


PLACES = ((15168.0, 128.0), (9024.0, 8896.0), (-12928.0, -15680.0), (-12160.0, -11456.0))
"""A valley's head, a meadow's slope, a ridge between two valleys, a mountain's flank."""

STREAM_M2 = (300.0, 1000.0)
"""What drains more is a stream: a brook's and a small river's catchment."""


def test_half_a_minute_carves_channels_and_lowers_ridges() -> None:
    streams = {(when, area): 0 for when in ("before", "after") for area in STREAM_M2}
    ridges: dict[str, list[np.ndarray]] = {"before": [], "after": []}
    for place in PLACES:
        region = Region(*place, 120.0, 30.0)
        heights = ALPINE.heights(*region.first_sample, region.side, region.side, 1.0)
        erosion = eroded(region)
        from_middle = np.arange(region.side) - region.side // 2
        inside = np.hypot(from_middle[None, :], from_middle[:, None]) < 60.0
        carved = heights + erosion.change * erosion.quantum_m
        for when, ground in (("before", heights), ("after", carved)):
            area = drained(ground)
            for least in STREAM_M2:
                streams[when, least] += np.count_nonzero((area >= least) & inside)
            # What drains nothing but itself and a neighbour is a ridge; curvature in 1/m from the four neighbours.
            g = ground.astype(np.float64)
            bend = np.zeros_like(g)
            bend[1:-1, 1:-1] = 4.0 * g[1:-1, 1:-1] - g[1:-1, 2:] - g[1:-1, :-2] - g[2:, 1:-1] - g[:-2, 1:-1]
            ridges[when].append(bend[(area <= 2.0) & inside])
    for least, more in zip(STREAM_M2, (1.04, 1.1), strict=True):
        assert streams["after", least] > more * streams["before", least]
    sharpest = {when: np.percentile(np.concatenate(parts), 95.0) for when, parts in ridges.items()}
    assert sharpest["after"] < 0.6 * sharpest["before"]


def test_plateau_and_relief_beyond_the_finest_quantum() -> None:
    region = Region(0.0, 0.0, 30.0, 4.0)
    side = region.side
    flat = Erosion(region, np.full((side, side), 812.0, np.float32))
    flat.advance(10_000)
    assert np.abs(flat.change * flat.quantum_m).max() < 0.1
    cliff = np.full((side, side), -9_000.0, np.float32)
    cliff[:, side // 2 :] = 9_000.0
    wall = Erosion(region, cliff)
    wall.advance(10_000)
    assert wall.quantum_m > flat.quantum_m
    assert int(wall.change.sum(dtype=np.int64)) + int(wall.load.sum(dtype=np.int64)) + wall.exported == 0
    assert np.abs(wall.change * wall.quantum_m).max() < 18_000.0


def test_bad_land_is_refused() -> None:
    region = Region(0.0, 0.0, 10.0, 1.0)
    side = region.side
    for value in (np.nan, np.inf, 1e6):
        heights = np.zeros((side, side), np.float32)
        heights[3, 4] = value
        with pytest.raises(ValueError, match="heights hold a number"):
            Erosion(region, heights)
    with pytest.raises(ValueError, match=rf"give float32 \[{side}, {side}\]"):
        Erosion(region, np.zeros((side, side - 1), np.float32))
    with pytest.raises(ValueError, match="float64 are not accepted"):
        Erosion(region, np.zeros((side, side)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Region(0.0, 0.0, 513.0, 1.0), "radius_m = 513.0 is not accepted; give 0.5 to 512"),
        (lambda: Region(0.0, 0.0, 10.0, 0.0), "seconds = 0.0 is not accepted; give 0.1 to 3600"),
        (lambda: Region(1.1e9, 0.0, 10.0, 1.0), "x = 1100000000.0 is not accepted"),
        (lambda: Region(float("nan"), 0.0, 10.0, 1.0), "x = nan is not accepted"),
        (
            lambda: ErosionSettings(slope_threshold=0.2),
            "slope_threshold = 0.2 is not accepted; give 0.3 to 0.8",
        ),
        (lambda: with_defaults(0.5, 0.2), "rate_per_s = 0.2 is not accepted; give 0.01 to 0.1"),
    ],
)
def test_bad_settings_are_refused(make, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=message):
        make()


def test_settings_change_what_happens() -> None:
    region = Region(-12928.0, -15680.0, 30.0, 4.0)
    heights = ALPINE.heights(*region.first_sample, region.side, region.side, 1.0)
    moved = []
    for settings in (with_defaults(0.8, 0.01), with_defaults(0.8, 0.1), with_defaults(0.3, 0.1)):
        erosion = Erosion(region, heights, settings)
        erosion.advance(10_000)
        moved.append(erosion.moved_m3())
    assert moved[0] < moved[1] < moved[2]
