"""Woods and climate of sculpted land in a whole session: picture and wheels see the same, in the same frame."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from game.core.coords import page_at
from game.core.options import RideOptions
from game.core.settings import quality
from game.opening import open_session
from game.session import Session
from game.streaming.wanted import Focus
from tests.test_session import bring_in, do

WOOD = (-6272.0, -7296.0)
"""Dense forest of the alpine world with seed 7."""


@pytest.fixture
def session(tmp_path, monkeypatch) -> Iterator[Session]:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("VELOTERRA_DATA_DIR", str(tmp_path))
    opened = open_session(RideOptions(seed=7, pages="wait", start=WOOD), quality("low"))
    yield opened
    opened.close()


def drawn_and_met(session: Session) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """Feet in units of 1/64 m on the rider's page: those of the picture, those that wheels meet."""
    rider = session.bicycle
    key = page_at(0, rider.x, rider.z)
    west, north = key.origin_m
    drawn = {
        (round((row[0] + west) * 64), round((row[2] + north) * 64))
        for page, rows, _ in session.stream.resident_trees()
        if page == key
        for row in rows.astype(np.float64).tolist()
    }
    trunks = session.land.ground.trunks(west + 64.0, north + 64.0, 91.0)
    inside = (trunks[:, 0] >= west) & (trunks[:, 0] < west + 128.0)
    inside &= (trunks[:, 1] >= north) & (trunks[:, 1] < north + 128.0)
    return drawn, {(round(x * 64), round(z * 64)) for x, z in trunks[inside, :2].tolist()}


@pytest.mark.parametrize("radius_m", [70.0, 400.0])
def test_picture_and_wheels_lose_and_regain_the_same_trees_in_one_frame(
    session: Session, radius_m: float
) -> None:
    bring_in(session)
    x, z = session.bicycle.x, session.bicycle.z
    first, met = drawn_and_met(session)
    assert met == first
    assert len(first) > 100
    counts = []
    # Up to where no tree stands, and more than the one dab may do; then back.
    for words in (*(f"dab raise {x},{z} {radius_m} 300",) * 5, "undo", "undo", "undo", "undo", "undo"):
        do(session, words)
        before, _ = drawn_and_met(session)
        session.settle_edits()
        while session.switch.pending:
            drawn, met = drawn_and_met(session)
            assert drawn == before  # nothing is shown in part
            assert met == before
            session.switch.wait(0.05)
            session.settle_edits()
        drawn, met = drawn_and_met(session)
        assert met == drawn
        counts.append(len(drawn))
    assert counts[4] < 0.8 * len(first)
    if radius_m > 100.0:
        assert counts[4] == 0  # the page lost all its trees, and has them again
    assert drawn == first


def test_other_tree_levels_plant_sculpted_land_as_it_is(session: Session) -> None:
    bring_in(session)
    x, z = session.bicycle.x, session.bicycle.z
    do(session, f"dab raise {x + 40.0},{z} 90 150")
    session.settle_edits(block=True)
    key = page_at(0, x, z)
    page = session.stream.store.page(key)
    assert page is not None
    was = page.trees
    for name in ("high", "low"):
        session.use_quality(quality(name))
        for _, resident in session.stream.store.residents():
            assert np.array_equal(resident.trees, session.land.make_page(resident.key).trees)
    assert np.array_equal(page.trees, was)


def test_a_page_that_arrives_at_an_old_epoch_has_the_climate_of_its_land(session: Session) -> None:
    """Made before the dab, shown after it: it must not keep the seed's temperatures and forest floor."""
    rider, stream = session.bicycle, session.stream
    stream.want(Focus(rider.x, rider.z, 2.0), 0.0)
    assert stream.wait(60.0)
    do(session, f"dab raise {rider.x},{rider.z} 90 150")
    session.settle_edits(block=True)
    arrived = [page for _, page in stream.collect()]
    assert page_at(0, rider.x, rider.z) in [page.key for page in arrived]
    for page in arrived:
        fresh = session.land.make_page(page.key)
        assert np.array_equal(page.heights, fresh.heights), page.key
        assert np.array_equal(page.trees, fresh.trees), page.key
        assert np.array_equal(page.climate, fresh.climate), page.key
