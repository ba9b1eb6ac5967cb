"""Arches over the lines of a timed run: seen, solid at their poles, on the land as it is, gone with the run."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from game.core.options import RideOptions
from game.core.settings import quality
from game.kernels.scenery import FINISH, START
from game.opening import open_session
from game.ride.course import HALF_WIDTH_M, arches
from game.session import Session
from tests.test_session import bring_in, do


@pytest.fixture
def session(tmp_path, monkeypatch) -> Iterator[Session]:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("VELOTERRA_DATA_DIR", str(tmp_path))
    opened = open_session(RideOptions(seed=7, pages="wait"), quality("low"))
    yield opened
    opened.close()


def knock_at(session: Session, x: float, z: float) -> bool:
    """Whether a rider who crosses (x, z) at wheel height is stopped by something there."""
    height = session.land.ground.height(x, z)
    rider = session.bicycle
    east, south = math.sin(rider.yaw_rad), -math.cos(rider.yaw_rad)
    start, end = (x - 0.8 * east, z - 0.8 * south), (x + 0.8 * east, z + 0.8 * south)
    span = (height + 0.3, height + 1.7)
    return session.collisions.sweep(start, end, span, (8.0 * east, 8.0 * south), 0.2) is not None


def test_poles_stop_the_rider_and_the_way_between_is_free(session: Session) -> None:
    bring_in(session)
    do(session, "run start")
    session.settle_edits()
    (arch,) = arches(session.course)
    assert all(knock_at(session, x, z) for x, z in arch.poles)
    assert [math.dist(pole, (arch.x, arch.z)) > HALF_WIDTH_M for pole in arch.poles] == [True, True]
    assert not knock_at(session, arch.x, arch.z)
    do(session, f"dab raise {arch.poles[0][0]},{arch.poles[0][1]} 20 6")
    session.settle_edits()
    assert all(knock_at(session, x, z) for x, z in arch.poles)  # on the hill that rose under one
    do(session, "run clear")
    session.settle_edits()
    assert not any(knock_at(session, x, z) for x, z in arch.poles)


def test_arches_are_drawn_with_both_feet_on_the_land(session: Session) -> None:
    bring_in(session)
    rider = session.bicycle
    do(session, "run start")
    do(session, f"run finish {rider.x + 60.0},{rider.z + 30.0}")
    session.settle_edits()
    rows = {
        int(row[8]): (key, row.astype(np.float64))
        for key, page in session.scenery_near(rider.x, rider.z, 150.0)
        for row in page
        if row[8] >= START
    }
    assert set(rows) == {START, FINISH}
    for arch in arches(session.course):
        key, row = rows[arch.kind]
        west, north = key.origin_m
        for side, (x, z) in zip((-0.5, 0.5), arch.poles, strict=True):
            at = side * row[6]
            assert (west + row[0] + at * row[3], north + row[2] + at * row[4]) == pytest.approx(
                (x, z), abs=0.01
            )
            assert row[1] + at * row[5] == pytest.approx(session.land.ground.height(x, z), abs=0.01)
    far = session.scenery_near(rider.x + 5000.0, rider.z, 150.0)
    assert all(row[8] < START for _, page in far for row in page)


def test_a_run_that_was_saved_has_its_arches(session: Session) -> None:
    do(session, "run start")
    do(session, "save arches")
    poles = arches(session.course)[0].poles
    session.close()
    again = open_session(RideOptions(save="arches", pages="wait"), quality("low"))
    try:
        assert all(knock_at(again, x, z) for x, z in poles)
    finally:
        again.close()
