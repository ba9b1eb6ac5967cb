"""Settings refuse what would tear the land; the frustum agrees with a projection written another way."""

from __future__ import annotations

import math

import numpy as np
import pytest

from game.core.settings import PRESETS
from game.lod.frustum import planes
from game.lod.selection import PATCH_DTYPE, Selection
from game.lod.settings import LodSettings


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS.keys())
def test_presets_are_accepted_and_never_cut_by_the_clamp(preset) -> None:
    lod = LodSettings(preset.r0_m, preset.view_m, preset.patch_quads)
    assert lod.targets[-1] == preset.view_m
    assert preset.r0_m * 2.0**lod.top >= preset.view_m > preset.r0_m * 2.0 ** (lod.top - 1)
    for level in range(lod.top):
        reach = preset.r0_m * 2.0**level
        assert reach + lod.node_diagonal_m(level) <= (1.0 - lod.morph) * 2.0 * reach


@pytest.mark.parametrize(
    "arguments",
    [
        (0.0, 1000.0, 16),
        (90.0, 1000.0, 16),
        (math.nan, 1000.0, 16),
        (110.0, math.inf, 16),
        (110.0, 0.0, 16),
        (110.0, 1e9, 16),
        (110.0, 1000.0, 12),
        (110.0, 1000.0, 128),
        (110.0, 1000.0, 16, 0.5),
        (110.0, 1000.0, 16, math.nan),
    ],
)
def test_unusable_numbers_are_refused(arguments) -> None:
    with pytest.raises(ValueError, match="not accepted"):
        LodSettings(*arguments)


def test_doubling_the_view_adds_one_level() -> None:
    assert LodSettings(110.0, 24_000.0, 16).levels == LodSettings(110.0, 12_000.0, 16).levels + 1


def test_frustum_agrees_with_a_projection() -> None:
    random = np.random.default_rng(1)
    for _ in range(20):
        yaw, pitch = random.uniform(-9.0, 9.0), random.uniform(-1.4, 1.4)
        fov, aspect = random.uniform(0.3, 2.0), random.uniform(0.4, 3.0)
        volume = planes(yaw, pitch, fov, aspect, 0.5, 2000.0)
        assert np.allclose(np.linalg.norm(volume[:, :3], axis=1), 1.0)
        points = random.normal(0.0, 500.0, (400, 3))
        # Undo yaw, then pitch: the eye then looks along −z.
        c, s = math.cos(yaw), math.sin(yaw)
        x, z = points[:, 0] * c + points[:, 2] * s, -points[:, 0] * s + points[:, 2] * c
        c, s = math.cos(pitch), math.sin(pitch)
        y, z = points[:, 1] * c + z * s, -points[:, 1] * s + z * c
        half = math.tan(0.5 * fov)
        inside = (z < -0.5) & (z > -2000.0) & (np.abs(y) < -z * half) & (np.abs(x) < -z * half * aspect)
        by_planes = np.all(points @ volume[:, :3].T + volume[:, 3] >= 0.0, axis=1)
        assert (inside == by_planes).all()


@pytest.mark.parametrize(
    "arguments",
    [
        (math.nan, 0, 1, 1, 1, 2),
        (0, 0, 0, 1, 1, 2),
        (0, 0, 3.2, 1, 1, 2),
        (0, 0, 1, 0, 1, 2),
        (0, 0, 1, 1, 2, 2),
    ],
)
def test_empty_frustum_is_refused(arguments) -> None:
    with pytest.raises(ValueError):
        planes(*arguments)


def test_selection_counts_triangles_and_splits_bands() -> None:
    zero = np.float32(0.0)
    view = Selection(
        np.zeros(5, PATCH_DTYPE), np.array([0, 2, 2, 5], np.int32), np.zeros(3, np.float32), 0, 0, zero, zero,
        zero, 0.25, 100.0, 2, 16, True,
    )  # fmt: skip
    assert view.triangles == 5 * 512
    assert [view.band_split(level) for level in range(4)] == [0, 2, 2, 5]
    with pytest.raises(ValueError):
        view.band_split(4)
    assert PATCH_DTYPE.itemsize == 24
