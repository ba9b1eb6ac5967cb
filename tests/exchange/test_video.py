"""The film of a ride: rate, size, pictures in order; one sentence where it cannot be made."""

from __future__ import annotations

import importlib.util
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from game.core.errors import UsageError
from game.exchange.video import Video, check_video

with_av = pytest.mark.skipif(
    importlib.util.find_spec("av") is None, reason="the extra `video` is not installed"
)


def grey(level: int, width: int, height: int) -> np.ndarray:
    return np.full((height, width, 3), level, np.uint8)


def test_without_the_package_the_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"veloterra\[video\]"):
        check_video(Path("ride.mp4"))


def test_another_ending_is_refused() -> None:
    with pytest.raises(UsageError, match=r"ride\.gif.*FILE\.mp4"):
        check_video(Path("ride.gif"))


@with_av
@pytest.mark.parametrize("fps", [24.0, 59.94, 60.0])
def test_rate_size_and_pictures_are_those_of_the_ride(tmp_path: Path, fps: float) -> None:
    import av

    path = tmp_path / "ride.mp4"
    check_video(path)
    video = Video(path, 161, 91, fps)
    for k in range(30):
        video.add(grey(8 * k, 161, 91))
    video.close()
    video.close()
    with av.open(str(path)) as film:
        stream = film.streams.video[0]
        assert (stream.width, stream.height) == (160, 90)
        assert abs(stream.average_rate - Fraction(fps)) < Fraction(1, 100)
        levels = [float(frame.to_ndarray(format="rgb24").mean()) for frame in film.decode(video=0)]
    assert levels == pytest.approx([8.0 * k for k in range(30)], abs=4.0)


@with_av
def test_an_unwritable_file_and_wrong_pictures_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        Video(tmp_path / "missing" / "ride.mp4", 64, 64, 30.0)
    video = Video(tmp_path / "ride.mp4", 64, 64, 30.0)
    with pytest.raises(ValueError, match="float64"):
        video.add(np.zeros((64, 64, 3)))  # type: ignore[arg-type]
    video.close()


@with_av
def test_a_window_resized_on_the_way_is_fitted_into_the_film(tmp_path: Path) -> None:
    import av

    video = Video(tmp_path / "ride.mp4", 64, 48, 30.0)
    for width, height in ((64, 48), (32, 90), (1, 1), (200, 49)):
        video.add(grey(120, width, height))
    video.close()
    with av.open(str(tmp_path / "ride.mp4")) as film:
        frames = list(film.decode(video=0))
    assert {(frame.width, frame.height) for frame in frames} == {(64, 48)}
    assert len(frames) == 4
