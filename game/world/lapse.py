"""Temperature of edited land: a raised hill is colder, a pit is warmer, so the snow line stays where it belongs.

Owns the temperature channel of a page whose land was edited. What it was before stands in the page beside it, so that
nothing adds up from edit to edit and undo gives it back.
"""

from __future__ import annotations

import numpy as np

from game.core.coords import APRON, GENERATED_APRON
from game.world.page import PageData

_BYTES_PER_C = 255.0 / 60.0
_RIM = GENERATED_APRON - APRON


def renew_temperature(page: PageData, lapse_c_m: float) -> bool:
    """Let the temperatures of `page` follow its edited heights; whether any byte changed.

    `page.climate` becomes a new array then: copies of the page that threads work on keep theirs.
    `lapse_c_m`: degrees colder for each metre up.
    """
    rise = page.heights[..., 0] - page.base[_RIM:-_RIM, _RIM:-_RIM, 0]
    before = page.base_temperature
    if before is None:
        if not rise.any():
            return False
        before = page.base_temperature = page.climate[..., 0].copy()
    colder = rise * np.float32(lapse_c_m * _BYTES_PER_C)
    now = np.clip(np.rint(before.astype(np.float32) - colder), 0.0, 255.0).astype(np.uint8)
    if np.array_equal(now, page.climate[..., 0]):
        return False
    page.climate = page.climate.copy()
    page.climate[..., 0] = now
    return True
