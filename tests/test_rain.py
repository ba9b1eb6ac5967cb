"""Rain in a whole session: commands, water around the rider, sculpting, saving."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from game import actions
from game.core.commands import parse_command
from game.core.errors import UsageError
from game.core.options import RideOptions
from game.core.settings import quality
from game.core.units import STEP_S
from game.opening import open_session
from game.session import Session
from game.world.runoff import CELLS, SPACING_M


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    monkeypatch.setenv("VELOTERRA_DATA_DIR", str(tmp_path))
    opened = open_session(RideOptions(seed=7, pages="wait"), quality("low"))
    yield opened
    opened.close()


def do(session: Session, text: str) -> None:
    assert actions.obey(session, parse_command(text))


def go(session: Session, seconds: float) -> None:
    for _ in range(round(seconds / 0.25)):
        for _ in range(30):
            session.schedule.step(session.entities, STEP_S)
        session.settle_runoff(0.25, block=True)


def test_rain_sets_in_wets_the_ground_and_gathers(session: Session) -> None:
    go(session, 0.5)
    assert session.runoff.view is None
    do(session, "rain 50")
    go(session, 5.0)
    assert 10.0 < session.weather.rain_mm_h < 50.0
    assert session.weather.wetness > 0.0
    first = session.runoff.view
    assert first is not None
    go(session, 15.0)
    assert session.runoff.view is not None
    assert session.runoff.view.outflow_m3_s > first.outflow_m3_s


def test_rain_that_fell_already_is_there_at_once(session: Session) -> None:
    do(session, "rain 50 10")
    assert session.weather.rain_mm_h == 50.0
    assert session.weather.wetness > 0.95
    go(session, 0.25)
    view = session.runoff.view
    assert view is not None
    # Most of what falls on a square kilometre runs off by now.
    assert 6.0 < view.outflow_m3_s < 50.0 / 3.6e6 * (CELLS * SPACING_M) ** 2
    assert view.pond_m3 > 10.0


def test_runoff_can_be_switched_off_and_cleared(session: Session) -> None:
    do(session, "rain 50 5")
    go(session, 0.25)
    do(session, "runoff off")
    go(session, 0.25)
    assert session.runoff.view is None
    do(session, "runoff on")
    go(session, 0.5)
    assert session.runoff.view is not None
    do(session, "runoff clear")
    go(session, 0.25)
    assert session.runoff.view is None
    assert session.weather.wetness == session.weather.rain_mm_h == 0.0


def test_a_pit_dug_in_the_rain_becomes_a_pond(session: Session) -> None:
    do(session, "rain 80 10")
    go(session, 0.25)
    rider = session.bicycle
    before = session.runoff.view
    assert before is not None
    do(session, f"dab lower {rider.x + 30.0},{rider.z} 40 25")
    session.settle_edits(block=True)
    session.settle_runoff(0.0, block=True)
    after = session.runoff.view
    assert after is not None
    assert after.routed != before.routed
    for _ in range(80):  # the rider stays
        session.settle_runoff(5.0, block=True)
    assert session.runoff.view is not None
    assert session.runoff.view.pond_m3 > before.pond_m3 + 50.0


def test_the_water_follows_a_camera_that_flew_far(session: Session) -> None:
    do(session, "rain 50 5")
    rider = session.bicycle
    for away_m, follows in ((300.0, False), (5000.0, True)):
        do(session, f"eye {rider.x + away_m},2000,{rider.z}")
        session.settle_runoff(0.25, block=True)
        assert session.runoff.view is not None
        middle_x = session.runoff.view.window.corner_m[0] + 0.5 * CELLS * SPACING_M
        assert abs(middle_x - (rider.x + away_m * follows)) < 200.0


def test_a_storm_is_saved_with_its_water(session: Session) -> None:
    do(session, "rain 40 10")
    go(session, 0.5)
    water = session.runoff.view
    assert water is not None
    wetness = session.weather.wetness
    do(session, "save wet")
    session.close()
    again = open_session(RideOptions(save="wet", pages="wait"), quality("low"))
    try:
        assert again.weather.rain_mm_h == again.weather.rain_target_mm_h == 40.0
        assert again.weather.wetness == pytest.approx(wetness)
        again.settle_runoff(0.25, block=True)
        assert again.runoff.view is not None
        assert again.runoff.view.window == water.window
        assert again.runoff.view.outflow_m3_s == pytest.approx(water.outflow_m3_s, rel=0.05)
    finally:
        again.close()


@pytest.mark.parametrize(
    "text", ["rain", "rain -1", "rain 500", "rain 5 -3", "rain 5 5 5", "runoff maybe", "rain nan"]
)
def test_unusable_commands_are_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(UsageError, match="--exec"):
        parse_command(text)
