"""The layers of the land at a point: the height from its skeleton and from each octave laid over it.

The octaves' weights are set to nothing and given back one after the other, so the steps add up to the height.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from game.kernels import fractal, heightfield, landscape, noise
from game.world.source import HeightSource
from game.world.tables import UNLIMITED, build_tables

_WEIGHTS = "_weights"
_WARPED = ("macro",)
"""Groups whose lattice steps are in the unit of warped octaves; they come first, being the widest."""


class Layer(NamedTuple):
    """One step of the stack."""

    name: str
    wavelength_m: float | None
    """None for the skeleton."""
    adds_m: float
    height_m: float
    """With this layer and all before it."""


def layer_stack(source: HeightSource, x: float, z: float) -> list[Layer]:
    """Skeleton, then every octave from coarse to fine, at the point (x, z) in metres, rounded to 1/1024 m; no edits."""
    tables = build_tables(source.recipe, source.seed)
    qx, qz = (np.array([round(value * 1024.0)], np.int64) for value in (x, z))
    work = landscape.new_workspace()
    tile = np.empty((1, 1, 2), np.float32)
    unread = np.empty((1, 1, 2), np.float32), np.empty((1, 1, 4), np.uint8), np.empty((1, 1, 4), np.uint8)
    groups = [name.removesuffix(_WEIGHTS) for name in tables._fields if name.endswith(_WEIGHTS)]
    groups.sort(key=lambda group: group not in _WARPED)
    weights = {group: np.zeros_like(getattr(tables, group + _WEIGHTS)) for group in groups}

    def height() -> float:
        changed = tables._replace(**{group + _WEIGHTS: table for group, table in weights.items()})
        heightfield.sample_block(qx, qz, 1, 1, 0, UNLIMITED, UNLIMITED, changed, work, tile, False, *unread)
        return float(tile[0, 0, 0])

    before = height()
    stack = [Layer("skeleton", None, before, before)]
    for group in groups:
        full = getattr(tables, group + _WEIGHTS)
        steps = getattr(tables, group + "_octaves")
        scale = noise.WARPED_SCALE if group in _WARPED else noise.ALIGNED_SCALE
        if group == "gully":
            scale = round(scale / fractal.CELL_RATIO)  # the lattice holds pivots, wider apart than the waves
        for k in range(full.shape[1]):
            weights[group][:, k] = full[:, k]
            after = height()
            stack.append(Layer(_name(tables, group, k), scale / int(steps[k, 0]), after - before, after))
            before = after
    return stack


def _name(tables: landscape.Tables, group: str, k: int) -> str:
    """The group, for ground also its kind (the kernel's constants `GROUND_…`), and the octave's number in its table."""
    if group != "ground":
        return f"{group} {k + 1}"
    kinds = {
        int(value): name.removeprefix("GROUND_").lower()
        for name, value in vars(landscape).items()
        if name.startswith("GROUND_") and isinstance(value, int | float)
    }
    kind = kinds.get(int(tables.ground[k, 1]), "other")
    return f"ground {k + 1}, {kind}"
