"""The level of the sea from step to step, the seasons' curves, the waves' table, and what of it is saved."""

from __future__ import annotations

import math

import numpy as np
import pytest

from game.core.units import TILE_PERIOD_M, TIME_PERIOD_S
from game.ecs.components import Sea, Season, Weather
from game.world.sea import advance, mean_level_m, set_level, shown_level_m
from game.world.seasons import (
    MIDSUMMER_DAY,
    ClimateSettings,
    SnowLine,
    flood_share,
    season_look,
    settings_from_json,
    settings_to_json,
)
from game.world.waves import (
    PERIODS,
    WAVES,
    amplitudes_m,
    breaking_share,
    chop,
    surface_offset_m,
    wave_rows,
)

STEP = 1.0 / 120.0


def run(weather: Weather, sea: Sea, season: Season, seconds: float) -> list[float]:
    levels = []
    for _ in range(round(seconds / STEP)):
        advance(weather, sea, season, STEP)
        levels.append(weather.sea_level_m)
    return levels


def test_a_level_set_is_there_at_once_and_one_at_a_rate_arrives_exactly() -> None:
    weather, sea, season = Weather(), Sea(), Season()
    set_level(weather, sea, 60.0)
    assert weather.sea_level_m == sea.before_m == 60.0
    set_level(weather, sea, -30.0, 45.0)
    levels = run(weather, sea, season, 1.0)
    assert levels[-1] == pytest.approx(15.0)
    steps = -np.diff([60.0, *levels])
    assert np.allclose(steps, 45.0 * STEP)
    assert shown_level_m(weather, sea, 0.5) == pytest.approx(15.0 + 0.5 * 45.0 * STEP)
    run(weather, sea, season, 1.5)
    assert weather.sea_level_m == -30.0
    assert sea.target_m is None
    run(weather, sea, season, 0.5)
    assert weather.sea_level_m == -30.0


def test_whoever_sets_the_level_sets_the_mean() -> None:
    weather, sea, season = Weather(sea_level_m=5.0), Sea(tide_m=2.0, tide_s=4.0), Season()
    run(weather, sea, season, 1.0)
    assert weather.sea_level_m == pytest.approx(7.0, abs=0.01)
    assert mean_level_m(weather, sea) == pytest.approx(5.0)
    set_level(weather, sea, 20.0)
    assert weather.sea_level_m == pytest.approx(22.0, abs=0.01)
    run(weather, sea, season, 2.0)
    assert weather.sea_level_m == pytest.approx(18.0, abs=0.01)
    sea.tide_m = 0.0
    run(weather, sea, season, 0.1)
    assert weather.sea_level_m == pytest.approx(20.0)


def test_the_year_floods_in_spring_and_falls_dry_in_autumn() -> None:
    weather, sea, season = Weather(), Sea(), Season(day=0.0, year_s=10.0, flood_m=40.0)
    levels = run(weather, sea, season, 10.0)
    high, low = int(np.argmax(levels)), int(np.argmin(levels))
    assert max(levels) == pytest.approx(40.0, abs=0.1)
    assert min(levels) == pytest.approx(-40.0, abs=0.1)
    assert 100.0 < high / 1200 * 365 < 140.0
    assert 280.0 < low / 1200 * 365 < 325.0
    assert mean_level_m(weather, sea) == pytest.approx(0.0, abs=1e-6)


def test_rain_raises_the_waters_and_they_run_off() -> None:
    class Rainy:
        sea_level_m = 0.0
        rain_mm_h = 50.0

    weather, sea, season = Rainy(), Sea(), Season()
    run(weather, sea, season, 60.0)  # type: ignore[arg-type]
    risen = weather.sea_level_m
    assert 0.5 < risen < 1.3
    weather.rain_mm_h = 0.0
    run(weather, sea, season, 240.0)  # type: ignore[arg-type]
    assert weather.sea_level_m == pytest.approx(risen / math.e, rel=0.01)


def test_offsets_stop_at_the_range_and_come_back() -> None:
    weather, sea, season = Weather(sea_level_m=1990.0), Sea(tide_m=100.0, tide_s=4.0), Season()
    assert max(run(weather, sea, season, 4.0)) == 2000.0
    run(weather, sea, season, 3.0)
    assert weather.sea_level_m == pytest.approx(1890.0, abs=0.5)
    assert mean_level_m(weather, sea) == pytest.approx(1990.0, abs=1e-6)


def test_seasons_are_midsummers_climate_shifted() -> None:
    summer = season_look(MIDSUMMER_DAY)
    assert (summer.warmer_c, summer.moister, summer.autumn, summer.bare, summer.spring) == (0, 0, 0, 0, 0)
    assert season_look(17.5).warmer_c == pytest.approx(-15.0, abs=0.01)
    assert season_look(295.0).autumn > 0.9
    assert season_look(10.0).bare == season_look(375.0).bare == 1.0
    assert season_look(130.0).spring > 0.9
    warm = season_look(MIDSUMMER_DAY, 4.0, 0.2)
    assert (warm.warmer_c, warm.warmth_c, warm.moister) == (4.0, 4.0, pytest.approx(0.2))
    days = np.arange(0.0, 365.0, 0.5)
    for key in ("warmer_c", "moister", "autumn", "bare", "spring"):
        curve = np.array([getattr(season_look(day), key) for day in days])
        # No day jumps, the first of January neither.
        assert np.abs(np.diff([*curve, curve[0]])).max() < 0.2
    assert flood_share(121.25) == pytest.approx(1.0)


def test_the_snow_line_falls_in_winter_and_is_continuous() -> None:
    def height(x: float, z: float) -> float:
        return 0.1 * x

    line = SnowLine(lambda x, z: (15.0 - 0.0065 * height(x, z) + 1e-4 * z, 0.5), height)
    assert line.at(0.0, 0.0) == pytest.approx((15.0 + 2.1) / 0.0065)
    assert line.at(5000.0, 0.0) == pytest.approx(line.at(0.0, 0.0))
    assert line.at(0.0, 0.0, -15.0) == pytest.approx(2.1 / 0.0065)
    along = [line.at(0.0, z) for z in np.linspace(-5000.0, 5000.0, 400)]
    assert np.abs(np.diff(along)).max() < 2.0
    line.at(1e9, -1e9)


def test_waves_wrap_by_their_periods_and_have_the_height_asked_for() -> None:
    assert PERIODS.dtype.kind == "i"
    k = 2.0 * np.pi * np.hypot(PERIODS[:, 0], PERIODS[:, 1]) / TILE_PERIOD_M
    omega = 2.0 * np.pi * PERIODS[:, 2] / TIME_PERIOD_S
    assert np.allclose(omega * omega, 9.81 * k, rtol=0.01)  # deep water
    for height in (0.0, 0.5, 2.0, 6.0):
        a = amplitudes_m(height)
        assert 4.0 * math.sqrt(float(np.sum(a * a)) / 2.0) == pytest.approx(height)
        assert chop(height) * float(np.sum(k * a)) <= 0.82 + 1e-9  # no loops
        assert wave_rows(height).shape == (WAVES, 4)
    here = surface_offset_m(2.0, 123.5, -77.25, 31.0)
    assert here != surface_offset_m(2.0, 124.5, -77.25, 31.0)
    assert surface_offset_m(
        2.0, 123.5 + 244_000 * TILE_PERIOD_M, -77.25, 31.0 + TIME_PERIOD_S
    ) == pytest.approx(here, abs=1e-6)
    assert breaking_share(0.0, 2.0) == 0.0
    assert breaking_share(50.0, 2.0) == pytest.approx(1.0)


def test_settings_come_back_and_bad_ones_are_named() -> None:
    settings = ClimateSettings(day=301.5, flood_m=12.0, warmth_c=-3.0, tide_m=2.5, waves_m=3.0)
    messages: list[str] = []
    assert settings_from_json(settings_to_json(settings), messages) == settings
    assert settings_from_json(None, messages) == ClimateSettings()
    assert messages == []
    broken = settings_from_json({"day": "winter", "waves_m": 99.0, "warmth_c": 2.0}, messages)
    assert (broken.day, broken.waves_m, broken.warmth_c) == (MIDSUMMER_DAY, 0.5, 2.0)
    assert "climate day = 'winter'" in messages[0]
    assert "climate waves_m = 99.0" in messages[1]
    assert settings_from_json([1], messages) == ClimateSettings()
    with pytest.raises(ValueError, match="climate waves_m = nan"):
        settings_to_json(ClimateSettings(waves_m=math.nan))
