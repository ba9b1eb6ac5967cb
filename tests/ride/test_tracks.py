"""Tyre tracks: which pieces the wheels lay, and when they are taken away."""

from __future__ import annotations

import math

import numpy as np
import pytest

from game.core.units import STEP_S
from game.ecs.components import Bicycle, Tracks
from game.kernels.tracks import CHUNK, FROM_Z, LAID_S, SCRAPE, TO_X, TO_Z, WAY, WEIGHT
from game.ride.contact import WHEELBASE_M
from game.ride.tracks import MOST, PIECE_M, WEAR_S, clear, erase, lay


def ridden(
    seconds: float = 2.0, speed_m_s: float = 6.0, tracks: Tracks | None = None, **state: object
) -> Tracks:
    """Pieces of a straight ride north from the origin."""
    tracks = Tracks() if tracks is None else tracks
    rider = Bicycle(y=5.0, speed_m_s=speed_m_s)
    for name, value in state.items():
        setattr(rider, name, value)
    for _ in range(round(seconds / STEP_S)):
        tracks.clock_s += STEP_S
        rider.z -= speed_m_s * STEP_S
        lay(rider, tracks, -100.0)
    return tracks


def test_two_wheels_lay_their_way_without_gaps() -> None:
    tracks = ridden()
    rows = tracks.rows[: tracks.laid]
    front = rows[:, TO_Z] < -6.0 * rows[:, LAID_S]
    for own, ahead in ((rows[front], 0.5), (rows[~front], -0.5)):
        assert np.allclose(own[1:, FROM_Z], own[:-1, TO_Z])
        assert np.allclose(own[1:, WAY], own[:-1, WAY] + (own[:-1, FROM_Z] - own[:-1, TO_Z]))
        assert own[-1, TO_Z] == pytest.approx(-12.0 - ahead * WHEELBASE_M, abs=2 * PIECE_M)
    assert np.all(rows[:, TO_X] == 0.0)
    assert np.all(rows[:, SCRAPE] == 0.0)


@pytest.mark.parametrize(
    "state",
    [{"airborne": True}, {"fallen_s": 1.0}, {"afloat_s": 2.0}, {"wading_m": 0.3}, {"y": -120.0}],
    ids=["air", "fallen", "afloat", "wading", "under the sea"],
)
def test_wheels_off_dry_land_lay_nothing(state: dict[str, object]) -> None:
    assert ridden(**state).laid == 0


def test_one_wheel_in_the_air_lays_nothing() -> None:
    both, rear = ridden(), ridden(front_on_land=False)
    assert 0 < rear.laid < 0.6 * both.laid


def test_a_jump_breaks_the_line() -> None:
    """After flight, and after being carried, the next piece begins where the wheel came down."""
    tracks = ridden()
    rider = Bicycle(y=5.0, z=-12.0, airborne=True)
    lay(rider, tracks, -100.0)
    laid = tracks.laid
    rider.airborne, rider.z = False, -20.0
    lay(rider, tracks, -100.0)
    rider.z = -20.5
    lay(rider, tracks, -100.0)
    assert tracks.laid == laid + 2
    rider.x = 40.0
    lay(rider, tracks, -100.0)
    assert tracks.laid == laid + 2
    lengths = np.hypot(tracks.rows[:, 2] - tracks.rows[:, 0], tracks.rows[:, 3] - tracks.rows[:, 1])
    assert lengths.max() < 0.6


def test_a_locked_wheel_scrapes() -> None:
    tracks = ridden(rear_locked=True)
    scraped = tracks.rows[: tracks.laid, SCRAPE] > 0.0
    assert 0.4 < scraped.mean() < 0.6
    assert (
        tracks.rows[: tracks.laid, WEIGHT][scraped].min() > tracks.rows[: tracks.laid, WEIGHT][~scraped].max()
    )


def test_the_ring_keeps_the_newest_and_its_boxes_hold_it() -> None:
    seconds = 1.1 * MOST / 2 * 2.0 * PIECE_M / 36.0  # every step a piece of each wheel
    tracks = ridden(seconds=seconds, speed_m_s=36.0)
    assert tracks.laid > MOST
    newest = tracks.rows[(tracks.laid - 1) % MOST]
    assert newest[TO_Z] < tracks.rows[:, TO_Z].min() + 2.0 * WHEELBASE_M
    assert np.all(np.isfinite(tracks.rows))
    for number in range(max(0, tracks.laid - MOST // 2), tracks.laid):
        row, box = tracks.rows[number % MOST], tracks.chunks[number % MOST // CHUNK]
        assert box[1] <= row[TO_Z] <= row[FROM_Z] <= box[3]
    # Weights stay finite for days of riding.
    assert math.isfinite(math.exp(3 * 86400.0 / WEAR_S))


def test_sculpting_takes_away_what_it_touches() -> None:
    tracks = ridden()
    erase(tracks, 3.0, -9.0, 5.0, -6.0)
    assert tracks.erased == 0
    erase(tracks, -1.0, -9.0, 1.0, -6.0)
    assert tracks.erased == 1
    rows = tracks.rows[: tracks.laid]
    gone = rows[:, WEIGHT] == 0.0
    inside = (rows[:, TO_Z] < -6.0) & (rows[:, FROM_Z] > -9.0)
    assert gone[inside].all()
    assert 0.1 < gone.mean() < 0.5
    erase(tracks, -1.0, -9.0, 1.0, -6.0)
    assert tracks.erased == 1  # nothing left to take


def test_whoever_is_carried_leaves_no_tracks_behind() -> None:
    tracks = ridden()
    clear(tracks)
    assert tracks.laid == 0
    assert tracks.erased == 1
    assert tracks.ends == [None, None]
    assert ridden(tracks=tracks).laid > 0
