"""A lap timer for the sections of a frame."""

from __future__ import annotations

from time import perf_counter


class Stopwatch:
    """Adds up wall-clock time of our own code by section; what lies between `skip` calls is not counted."""

    def __init__(self) -> None:
        self._mark = perf_counter()
        self.laps: dict[str, float] = {}

    def start(self) -> None:
        """Begin a frame: forget the last one's laps."""
        self.laps = {}
        self._mark = perf_counter()

    def lap(self, section: str) -> None:
        """Count the time since the last call under `section`."""
        now = perf_counter()
        self.laps[section] = self.laps.get(section, 0.0) + now - self._mark
        self._mark = now

    def skip(self) -> None:
        """Leave the time since the last call out: waiting, swapping, reading back."""
        self._mark = perf_counter()

    @property
    def total_s(self) -> float:
        """Sum of all laps of this frame, seconds."""
        return sum(self.laps.values())
