"""A new ride goes downhill: what `find_spawn` promises, ridden."""

from __future__ import annotations

import pytest

from game.core.options import RideOptions
from game.core.settings import quality
from game.core.units import STEP_S
from game.opening import open_session


@pytest.mark.parametrize("seed", [5, 7])
def test_the_autopilot_goes_down_from_the_start(seed: int) -> None:
    """These two once faced a hollow and a gorge; the autopilot turned aside and was 2 m lower after 20 s."""
    options = RideOptions(seed=seed, seconds=20.0, autopilot="downhill", offscreen=True, pages="wait")
    session = open_session(options, quality("low"))
    try:
        start_m = session.bicycle.y
        for _ in range(2400):
            session.schedule.step(session.entities, STEP_S)
        assert start_m - session.bicycle.y >= 40.0
    finally:
        session.close()
