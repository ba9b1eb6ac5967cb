"""Pictures of a ride: those of the command line, those the player asks for, and the video."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from game.core.errors import UsageError
from game.core.options import RideOptions, Screenshot
from game.core.paths import first_writable, user_data_dir, user_pictures_dir
from game.exchange.raster import write_png
from game.exchange.video import Video

ReadPixels = Callable[[], NDArray[np.uint8]]
"""Returns the picture on the screen, uint8 [height, width, 3]."""


class Pictures:
    """What is still to be written of a ride. `close()` ends the video."""

    def __init__(self, options: RideOptions, width: int, height: int) -> None:
        self._shots: list[Screenshot] = list(options.screenshots)
        self._video = None if options.video is None else Video(options.video, width, height, options.fps)
        self._asked = False

    def ask(self) -> None:
        """Have the next frame saved among the player's pictures."""
        self._asked = True

    def take(self, now_s: float, read: ReadPixels) -> list[tuple[str, str]]:
        """Write what is due `now_s` seconds into the ride; (text, kind) for the player.

        Raises `UsageError` where a picture of the command line cannot be written; the player's own is told instead.
        """
        due = [shot for shot in self._shots if shot.at_s is not None and shot.at_s <= now_s + 1e-9]
        said = []
        if due or self._asked:
            pixels = read()
            self._write(due, pixels)
            if self._asked:
                said.append(_keep(pixels))
            self._asked = False
        if self._video is not None:
            self._video.add(read())
        return said

    def finish(self, read: ReadPixels) -> None:
        """Write what was asked for "at the end", and what fell after the last frame."""
        if self._shots:
            self._write(list(self._shots), read())
        self.close()

    def close(self) -> None:
        """Complete the video, if there is one; harmless when called twice."""
        if self._video is not None:
            self._video.close()

    def _write(self, shots: list[Screenshot], pixels: NDArray[np.uint8]) -> None:
        for shot in shots:
            write_png(shot.path, pixels)
            self._shots.remove(shot)


def _keep(pixels: NDArray[np.uint8]) -> tuple[str, str]:
    """Save a picture where the player keeps pictures, and say where."""
    try:
        directory = first_writable(user_pictures_dir(), user_data_dir() / "pictures")
        if directory is None:
            raise UsageError(f"no picture was saved: {user_pictures_dir()} is not writable")
        path = directory / f"veloterra-{datetime.now():%Y%m%d-%H%M%S-%f}.png"
        write_png(path, pixels, "picture")
    except UsageError as error:
        return str(error), "warning"
    return f"picture saved: {path}", "good"
