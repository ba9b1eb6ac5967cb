"""Page keys at negative coordinates; the fixed-step clock at any frame rate."""

import math

import pytest

from game.core.clock import FixedStep
from game.core.coords import PageKey, check_position, forward, page_at


@pytest.mark.parametrize(
    ("x", "ix"), [(0.0, 0), (-0.5, -1), (127.99, 0), (128.0, 1), (-128.0, -1), (-128.01, -2), (1e9, 7812500)]
)
def test_page_at_floors(x: float, ix: int) -> None:
    assert page_at(0, x, -0.5) == PageKey(0, ix, -1)


def test_parent_contains_child_at_negative_keys() -> None:
    child = PageKey(0, -1, -3)
    (px, pz), span = child.parent.origin_m, child.parent.span_m
    (cx, cz) = child.origin_m
    assert px <= cx < px + span
    assert pz <= cz < pz + span


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 2.0**31, -1.0e9 - 1])
def test_positions_beyond_the_limit_are_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="from -1000000000 to 1000000000"):
        check_position(bad, 0.0)


def test_forward_is_north_at_zero_and_clockwise() -> None:
    assert forward(0.0) == pytest.approx((0.0, -1.0))
    assert forward(math.pi / 2) == pytest.approx((1.0, 0.0))


@pytest.mark.parametrize("fps", [24, 30, 59, 60, 120, 144, 1000])
def test_every_frame_rate_gives_the_same_number_of_steps(fps: int) -> None:
    clock = FixedStep(paced_by_wall_clock=False)
    steps = sum(clock.advance(1.0 / fps) for _ in range(20 * fps))
    assert steps == 2400
    assert 0.0 <= clock.alpha <= 1.0


def test_sixty_frames_are_two_steps_each() -> None:
    clock = FixedStep(paced_by_wall_clock=False)
    assert {clock.advance(1.0 / 60.0) for _ in range(36000)} == {2}


def test_a_long_wall_clock_frame_is_cut() -> None:
    assert FixedStep().advance(10.0) == 30
    assert FixedStep(paced_by_wall_clock=False).advance(10.0) == 1200


@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf])
def test_bad_frame_times_are_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="seconds"):
        FixedStep().advance(bad)
