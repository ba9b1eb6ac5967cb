"""Climate of edited land: a raised hill is colder, a pit is warmer, and woods are where trees now stand.

Owns the temperature and tree density channels of a page whose land was edited, so that snow line and forest floor
belong to the land as it is. What they were before stands in the page beside them, so that nothing adds up from edit to
edit and undo gives it back.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from game.core.coords import APRON, GENERATED_APRON
from game.kernels import growth
from game.world.page import PageData

_BYTES_PER_C = 255.0 / 60.0
_RIM = GENERATED_APRON - APRON


def renew_climate(page: PageData, lapse_c_m: float) -> bool:
    """Let temperature and tree density of `page` follow its edits; whether any byte changed.

    `page.climate` becomes a new array then: copies of the page that threads work on keep theirs.
    `lapse_c_m`: degrees colder for each metre up.
    """
    warmth, density = _warmth(page, lapse_c_m), _density(page)
    if warmth is None and density is None:
        return False
    page.climate = page.climate.copy()
    if warmth is not None:
        page.climate[..., 0] = warmth
    if density is not None:
        page.climate[..., 3] = density
    return True


def _warmth(page: PageData, lapse_c_m: float) -> NDArray[np.uint8] | None:
    """Temperatures [132, 132] in bytes; None when they are what the page has."""
    before = page.base_temperature
    if before is None and page.edited is page.base:
        return None
    rise = page.heights[..., 0] - page.base[_RIM:-_RIM, _RIM:-_RIM, 0]
    if before is None:
        if not rise.any():
            return None
        before = page.base_temperature = page.climate[..., 0].copy()
    colder = rise * np.float32(lapse_c_m * _BYTES_PER_C)
    now = np.clip(np.rint(before.astype(np.float32) - colder), 0.0, 255.0).astype(np.uint8)
    return None if np.array_equal(now, page.climate[..., 0]) else now


def _density(page: PageData) -> NDArray[np.uint8] | None:
    """Tree densities [132, 132] in bytes; None when they are what the page has."""
    woods, before = page.woods, page.base_density
    # The rise of `classic` land is no density, and its plants leave the ground as it is.
    if woods is None or len(woods.density) == 0:
        return None
    if before is None:
        if not woods.change[0].any():
            return None
        before = page.base_density = page.climate[..., 3].copy()
    now = np.empty_like(before)
    i, j = page.key.origin_sample
    at = i - APRON, j - APRON, page.key.level
    growth.change_bytes(
        before, woods.density, *woods.first_node, woods.change[0], *woods.kept_first, *at, now
    )
    return None if np.array_equal(now, page.climate[..., 3]) else now
