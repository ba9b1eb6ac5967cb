"""The ranges follow error, lens and resolution, and never tear the land or want more pages than fit."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game.core.coords import PAGE_QUADS
from game.core.settings import PRESETS, VIEWS_M
from game.lod.settings import (
    ERROR_SHARE,
    LEAST_PAGE_PX,
    MOST_LAYERS,
    SPARE_SHARE,
    LodSettings,
    pixels_per_radian,
)

ERROR_PX = st.floats(0.1, 16.0)
FOV_RAD = st.floats(0.2, 2.4)
LINES = st.integers(90, 4320)
VIEW_M = st.one_of(st.floats(2_000.0, 100_000.0), st.sampled_from(VIEWS_M))
QUADS = st.sampled_from([8, 16, 32])


@settings(max_examples=200, deadline=None)
@given(ERROR_PX, FOV_RAD, LINES, VIEW_M, QUADS)
def test_ranges_are_crack_free_and_fit(error_px, fov_rad, lines, view_m, quads) -> None:
    lod = LodSettings.for_screen(error_px, fov_rad, lines, view_m, quads)
    for level in range(lod.levels):
        reach = lod.r0_m * 2.0**level
        assert lod.node_diagonal_m(level) <= (1.0 - 2.0 * lod.morph) * reach
    assert lod.targets[-1] == view_m
    least = LodSettings.for_screen(16.0, 2.4, 16, view_m, quads).r0_m
    assert lod.pages <= MOST_LAYERS * (1.0 - SPARE_SHARE) or lod.r0_m == least
    assert 128 <= lod.layers <= MOST_LAYERS
    assert lod.layers % 4 == 0


@settings(max_examples=200, deadline=None)
@given(ERROR_PX, FOV_RAD, LINES, VIEW_M, QUADS)
def test_error_is_kept_unless_a_stronger_limit_forbids(error_px, fov_rad, lines, view_m, quads) -> None:
    lod = LodSettings.for_screen(error_px, fov_rad, lines, view_m, quads)
    scale = pixels_per_radian(fov_rad, lines)
    assert lod.error_px(fov_rad, lines) == pytest.approx(ERROR_SHARE * scale / lod.r0_m)
    if lod.error_px(fov_rad, lines) > error_px * 1.0001:
        # The next longer range would want too many pages, or pages too small to see.
        longer = LodSettings(lod.r0_m / 0.97, view_m, quads) if lod.r0_m / 0.97 * 2**16 > view_m else lod
        small = PAGE_QUADS * scale / LEAST_PAGE_PX <= lod.r0_m * 1.0001
        crowded = longer.pages > MOST_LAYERS * (1.0 - SPARE_SHARE) or longer.most_pages > MOST_LAYERS
        assert crowded or small


@settings(max_examples=200, deadline=None)
@given(ERROR_PX, FOV_RAD, LINES, VIEW_M)
def test_no_page_is_under_four_pixels_at_the_end_of_its_range(error_px, fov_rad, lines, view_m) -> None:
    """Unless the land would crack: a lens so wide on so few lines has no room for less."""
    lod = LodSettings.for_screen(error_px, fov_rad, lines, view_m, 16)
    scale = pixels_per_radian(fov_rad, lines)
    least = lod.node_diagonal_m(0) / (1.0 - 2.0 * lod.morph) * 1.001
    for level, reach in enumerate(lod.targets):
        size_px = (PAGE_QUADS << level) * scale / reach
        assert size_px >= LEAST_PAGE_PX * 0.999 or lod.r0_m <= least


def test_more_lines_and_a_longer_lens_reach_further() -> None:
    def r0(error_px: float, fov_rad: float, lines: int) -> float:
        return LodSettings.for_screen(error_px, fov_rad, lines, 30_000.0, 16).r0_m

    assert r0(1.0, 1.1, 1440) == pytest.approx(2.0 * r0(1.0, 1.1, 720))
    assert r0(0.8, 0.9, 720) > r0(0.8, 1.1, 720)
    assert r0(0.5, 1.1, 720) == pytest.approx(2.0 * r0(1.0, 1.1, 720))


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS.keys())
def test_presets_have_their_range_at_720_lines(preset) -> None:
    lod = LodSettings.for_screen(preset.error_px, 1.13, 720, preset.view_m, preset.patch_quads)
    assert lod.r0_m == pytest.approx(preset.r0_m, rel=0.08)
    assert lod.error_px(1.13, 720) == pytest.approx(preset.error_px, rel=0.08)


@pytest.mark.parametrize("view_m", VIEWS_M)
@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS.keys())
@pytest.mark.parametrize("lines", [180, 720, 1080, 2160])
def test_every_view_distance_fits_every_preset(view_m, preset, lines) -> None:
    lod = LodSettings.for_screen(preset.error_px, 1.13, lines, view_m, preset.patch_quads)
    assert lod.pages <= MOST_LAYERS * (1.0 - SPARE_SHARE)


@pytest.mark.parametrize(
    "wrong", [(0.0, 1.1, 720), (17.0, 1.1, 720), (math.nan, 1.1, 720), (1.0, 3.2, 720), (1.0, 1.1, 0)]
)
def test_unusable_numbers_are_refused(wrong) -> None:
    with pytest.raises(ValueError, match="not accepted"):
        LodSettings.for_screen(*wrong, 30_000.0, 16)
