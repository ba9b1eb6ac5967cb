"""The sky's tables: energy, symmetry with the published values, and no steps."""

from __future__ import annotations

import math

import numpy as np
import pytest

from game.render.atmosphere import atmosphere
from game.render.scattering import SKY_SIDES, SKY_UPS, SUN_WHITE, aerosol_phase, clear_air, sky_ups
from game.render.weather_light import under_clouds


@pytest.mark.parametrize("sun_up", [-1.0, -0.5, -0.2, -0.05, 0.0, 0.003, 0.1, 0.4, 1.0])
def test_energies_are_finite_and_no_more_than_what_came(sun_up: float) -> None:
    sky = clear_air().at(sun_up)
    for part in (sky.sky, sky.aerosol, sky.sunlight, sky.diffuse):
        assert np.isfinite(part).all()
        assert (part >= 0.0).all()
    # Paper under sun and sky is not brighter than above the air, but for light the ground sends up again.
    lying = sky.sunlight * max(sun_up, 0.0) + sky.diffuse
    assert (lying <= SUN_WHITE * max(sun_up, 0.0) * 1.02 + 0.25).all()


def test_sunlight_is_what_published_depths_leave() -> None:
    """From overhead: molecules of a column of 8 km above half a kilometre, aerosol of 1.2 km, ozone of 15 km."""
    columns = np.array([8.0 * math.exp(-0.5 / 8.0), 1.2 * math.exp(-0.5 / 1.2), 15.0])
    for colour, (rayleigh, ozone) in enumerate(
        ((5.802e-3, 0.650e-3), (13.558e-3, 1.881e-3), (33.1e-3, 0.085e-3))
    ):
        depth = rayleigh * columns[0] + 4.44e-3 * columns[1] + ozone * columns[2]
        assert clear_air().at(1.0).sunlight[colour] == pytest.approx(SUN_WHITE * math.exp(-depth), rel=0.01)


def test_phase_of_aerosol_sends_on_all_it_takes() -> None:
    edges = np.linspace(-1.0, 1.0, 4001)
    middle = 0.5 * (edges[1:] + edges[:-1])
    assert 2.0 * math.pi * (aerosol_phase(middle) * np.diff(edges)).sum() == pytest.approx(1.0, abs=1e-4)


def test_zenith_is_blue_by_day_and_the_west_red_at_sunset() -> None:
    noon, dusk = clear_air().at(0.77), clear_air().at(0.0)
    assert noon.sky[-1, 0, 2] > 3.0 * noon.sky[-1, 0, 0]
    assert noon.sky[1, 0].min() > 0.6 * noon.sky[1, 0].max()
    assert dusk.sky[2, -1, 0] > 4.0 * dusk.sky[2, -1, 2]


def test_neighbouring_texels_lie_close() -> None:
    """Between two rows or columns the shader mixes along a line: no step may be seen as an edge."""
    assert sky_ups()[0] == 0.0
    assert sky_ups()[-1] == 1.0
    for hour in np.arange(0.0, 24.0, 0.5):
        sky = atmosphere(float(hour)).sky
        assert sky.shape == (SKY_UPS, SKY_SIDES, 4)
        assert sky.dtype == np.float32
        assert np.isfinite(sky).all()
        assert (sky >= 0.0).all()
        for axis in (0, 1):
            bend = np.abs(np.diff(sky[..., :3], 2, axis=axis))
            assert bend.max() < 0.35 * sky[..., :3].max()


def test_clouds_close_the_table_too() -> None:
    air = atmosphere(12.0)
    grey = under_clouds(air, 1.0).sky
    assert np.ptp(grey[-1, :, :3], axis=-1).max() < 0.4 * np.ptp(air.sky[-1, :, :3], axis=-1).max()
    assert (grey >= 0.0).all()
