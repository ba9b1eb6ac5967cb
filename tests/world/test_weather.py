"""Rain eases, wets and dries; its past is remembered in few segments and saved."""

from __future__ import annotations

import json

import pytest

from game.ecs.components import Weather
from game.ecs.world import EntityWorld
from game.world.saved import SavedWorld, from_json, to_json
from game.world.weather import (
    SEGMENTS,
    RainHistory,
    SavedRain,
    make_weather_system,
    rain_rates,
    runoff_share,
    step_rain,
)


def after(weather: Weather, seconds: float, dt: float = 1.0 / 120.0) -> Weather:
    for _ in range(round(seconds / dt)):
        step_rain(weather, dt)
    return weather


def test_rain_eases_to_what_was_asked_for_and_back_to_nothing() -> None:
    weather = Weather(rain_target_mm_h=50.0)
    assert 0.0 < after(weather, 1.0).rain_mm_h < 15.0
    assert after(weather, 60.0).rain_mm_h == 50.0
    weather.rain_target_mm_h = 0.0
    assert after(weather, 2.0).rain_mm_h > 25.0
    assert after(weather, 80.0).rain_mm_h == 0.0


def test_heavy_rain_soaks_the_ground_and_it_dries_again() -> None:
    weather = Weather(rain_mm_h=50.0, rain_target_mm_h=50.0)
    assert after(weather, 20.0).wetness > 0.2
    assert after(weather, 160.0).wetness > 0.9
    weather.rain_mm_h = weather.rain_target_mm_h = 0.0
    after(weather, 120.0, 0.05)
    assert 0.6 < weather.wetness < 0.9
    assert after(weather, 4000.0, 1.0).wetness == 0.0


def test_drizzle_leaves_the_ground_damp_not_soaked() -> None:
    assert 0.1 < after(Weather(rain_mm_h=1.0, rain_target_mm_h=1.0), 3000.0, 0.5).wetness < 0.5


def test_steps_of_any_length_agree() -> None:
    fine, coarse = (after(Weather(rain_target_mm_h=30.0), 30.0, dt) for dt in (1.0 / 120.0, 0.5))
    assert fine.rain_mm_h == pytest.approx(coarse.rain_mm_h, rel=1e-6)
    assert fine.wetness == pytest.approx(coarse.wetness, abs=0.02)


def test_dry_weather_stays_exactly_as_it_is() -> None:
    world = EntityWorld()
    weather = Weather()
    world.create(weather)
    make_weather_system()(world, 1.0 / 120.0)
    assert weather == Weather()
    world.release()


def test_wet_ground_sheds_more_and_nothing_is_lost() -> None:
    assert runoff_share(0.0) < runoff_share(0.5) < runoff_share(1.0) < 1.0
    runs, soaks = rain_rates(36.0, 0.4)
    assert runs + soaks == pytest.approx(36.0 / 3.6e6)


def test_the_past_is_kept_in_few_segments_without_losing_rain() -> None:
    history = RainHistory()
    seconds = rain = 0.0
    for n in range(500):
        history.add(0.25, 1e-5 * (n % 7), 1e-6)
        seconds, rain = seconds + 0.25, rain + 0.25 * (1e-5 * (n % 7) + 1e-6)
    assert len(history.segments) <= SEGMENTS
    assert sum(part[0] for part in history.segments) == pytest.approx(seconds)
    assert history.rained_mm == pytest.approx(1000.0 * rain)
    # Finer toward now: what counts is what fell last.
    assert history.segments[-1][0] < 2.0 < history.segments[0][0]
    history.clear()
    assert history.copy() == ()


def test_rain_is_saved_and_comes_back() -> None:
    rain = SavedRain(40.0, 0.75, ((600.0, 1e-5, 2e-6), (0.25, 0.0, 0.0)))
    data = json.loads(json.dumps(to_json(SavedWorld("alpine", 7, rain=rain))))
    messages: list[str] = []
    back = from_json(data, lambda *_: pytest.fail("no stamp"), messages).rain
    assert messages == []
    assert back is not None
    assert (back.mm_h, back.wetness) == (40.0, 0.75)
    assert [list(row) for row in back.past] == [pytest.approx(list(row)) for row in rain.past]
    assert "rain" not in to_json(SavedWorld("alpine", 7))


@pytest.mark.parametrize(
    ("bad", "names"),
    [
        ("heavy", "rain = 'heavy'"),
        ({"mm_h": -3}, "rain mm_h = -3"),
        ({"mm_h": float("nan")}, "rain mm_h"),
        ({"wetness": 7}, "rain wetness = 7"),
        ({"past": [[1, 2]]}, "rain past"),
        ({"past": [[1.0, 1e9, 0.0]]}, "rain past mm/h"),
        ({"past": [[1.0, 1.0, 0.0]] * 17}, "rain past"),
    ],
)
def test_unusable_rain_is_named_and_dropped(bad: object, names: str) -> None:
    data = {**to_json(SavedWorld("alpine", 7)), "rain": bad}
    messages: list[str] = []
    assert from_json(data, lambda *_: pytest.fail("no stamp"), messages).rain is None
    assert len(messages) == 1
    assert names in messages[0]
    assert "accepted" in messages[0]
