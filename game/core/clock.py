"""Fixed-step clock: an accumulator that turns frame time into a whole number of simulation steps.

Source: Glenn Fiedler, "Fix Your Timestep!" (2004).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from game.core.units import STEP_HZ, STEP_S

MAX_FRAME_S = 0.25
"""Longest wall-clock frame that is simulated in full; beyond it the game slows down instead of spiralling."""


@dataclass(slots=True)
class FixedStep:
    """Counts simulation steps due.

    With `paced_by_wall_clock` a frame longer than `MAX_FRAME_S` is cut to it; simulated time
    (offscreen rides) is never cut, so that every frame advances by exactly what it says.
    """

    paced_by_wall_clock: bool = True
    steps_done: int = 0
    time_due_s: float = 0.0
    """Total frame time granted so far. Kept as a total: summing remainders would drift between frame rates."""

    def advance(self, frame_s: float) -> int:
        """Grant `frame_s` seconds; return how many steps of 1/120 s are now due.

        Raises `ValueError` when `frame_s` is negative or not finite.
        """
        if not math.isfinite(frame_s) or frame_s < 0.0:
            raise ValueError(f"frame_s = {frame_s!r} is not accepted; give seconds, 0 or more")
        if self.paced_by_wall_clock:
            frame_s = min(frame_s, MAX_FRAME_S)
        self.time_due_s += frame_s
        # The nudge keeps 1/60 s at two steps although 1/60 has no exact binary form.
        due = math.floor(self.time_due_s * STEP_HZ + 1e-6)
        steps = max(0, due - self.steps_done)
        self.steps_done += steps
        return steps

    @property
    def alpha(self) -> float:
        """How far the present lies between the last two steps, 0…1, for interpolation."""
        return min(1.0, max(0.0, self.time_due_s * STEP_HZ - self.steps_done))

    @property
    def sim_time_s(self) -> float:
        """Simulated time after the last finished step."""
        return self.steps_done * STEP_S
