"""Rain that runs off the land in a window: routing, the water in it, and what can be seen and felt of it.

Owns `Window` (a square of cells snapped to the world's grid), `Routing` (a pure function of heights and sea level),
`Runoff` (the water, in m³, conserved through rain, sculpting and a moving sea) and `RunoffView`, an immutable picture
of it for drawing and riding. Where the heights come from and on which thread this runs is `streaming.runoff`'s
business.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.kernels import channels, runoff

SPACING_M = 4
"""Side of a cell."""

CELLS = 384
"""Cells along a window: 1536 m, so that its border, where streams fade, is seldom nearer than 600 m."""

SNAP_CELLS = 32
"""Windows begin at multiples of this, 128 m."""

KEEP_M = 160.0
"""The window follows when its middle is farther from the rider than this, along an axis."""

TEXEL_M = 1.0
"""Of the field of channel lines."""

LEAST_AREA = 14.0
"""Cells that must drain through a place before a line is drawn there: 224 m²."""

RATE_SCALE_M_S = 200.0 / 3.6e6
"""Runoff rate at the top of the stored range."""

SEEP_M_S = 60.0 / 3.6e6
"""Ponds lose this over their bed; swifter than real ground, so that they are gone an hour after the rain."""

WIDTH_PER_ROOT = 4.8
"""Width of a stream in m at 1 m³/s; it grows with the root of the discharge.

Source: L. B. Leopold, T. Maddock, "The hydraulic geometry of stream channels", USGS Professional Paper 252 (1953).
"""

DEPTH_PER_WIDTH = 0.09
"""Depth of a stream over its width: shallow, as over stones."""


class Window(NamedTuple):
    """First cell (in samples of 4 m from the world's origin, east and south) and cells along a side."""

    i0: int
    j0: int
    cells: int = CELLS

    @property
    def corner_m(self) -> tuple[int, int]:
        """World x and z of the first sample."""
        return self.i0 * SPACING_M, self.j0 * SPACING_M


def window_around(x: float, z: float, now: Window | None = None) -> Window:
    """The window for a rider at (x, z) metres: `now` while that is near enough its middle, else one snapped anew."""
    if now is not None:
        middle = 0.5 * now.cells * SPACING_M
        west, north = now.corner_m
        if abs(x - west - middle) <= KEEP_M and abs(z - north - middle) <= KEEP_M:
            return now
    snap_m = SNAP_CELLS * SPACING_M
    half = CELLS // 2

    def first(place: float) -> int:
        return math.floor(place / snap_m + 0.5) * SNAP_CELLS - half

    return Window(first(x), first(z))


@dataclass(frozen=True, slots=True)
class Routing:
    """Where water goes in a grid of heights; arrays as `kernels.runoff` defines them, cells row by row."""

    heights: NDArray[np.float32]
    sea_m: float
    spacing_m: float
    filled: NDArray[np.float32]
    order: NDArray[np.int32]
    parent: NDArray[np.int32]
    to_a: NDArray[np.int32]
    to_b: NDArray[np.int32]
    share: NDArray[np.float64]
    lag_s: NDArray[np.float64]
    downhill: NDArray[np.float32]
    area: NDArray[np.float64]
    """Cells that drain through each cell."""
    pond: NDArray[np.int32]
    root: NDArray[np.int32]
    capacity_m3: NDArray[np.float64]
    pond_cells: NDArray[np.int32]
    """Cells of depressions, by depression and height."""
    pond_starts: NDArray[np.int64]

    @property
    def cell_m2(self) -> float:
        """Area of a cell."""
        return self.spacing_m * self.spacing_m


def route(heights: NDArray[np.float32], sea_m: float = -math.inf, spacing_m: float = SPACING_M) -> Routing:
    """Route water over `heights` (float32 [rows, columns], at least 3 × 3, metres); cells up to `sea_m` are sea.

    Raises `ValueError` for another shape or dtype, and for heights that are not finite.
    """
    if heights.ndim != 2 or min(heights.shape) < 3 or heights.dtype != np.float32:
        raise ValueError(
            f"heights of shape {heights.shape} and dtype {heights.dtype} are not accepted; give float32 "
            "[rows, columns] of at least 3 × 3"
        )
    if not np.isfinite(heights).all():
        raise ValueError("heights hold a value that is not finite; give metres")
    heights = np.ascontiguousarray(heights)
    n = heights.size
    filled = np.empty_like(heights)
    order, parent, pond, root, to_a, to_b = (np.empty(n, np.int32) for _ in range(6))
    capacity, share, lag_s, area = (np.empty(n) for _ in range(4))
    downhill = np.empty((n, 3), np.float32)
    cell_m2 = float(spacing_m) * float(spacing_m)
    runoff.flood(heights, np.float32(sea_m), filled, order, parent)
    count = int(runoff.find_ponds(heights, filled, order, parent, cell_m2, pond, root, capacity))
    runoff.direct(filled, parent, pond, root, float(spacing_m), to_a, to_b, share, lag_s, downhill)
    runoff.accumulate(order, to_a, to_b, share, area)
    cells = np.flatnonzero(pond >= 0).astype(np.int32)
    cells = cells[np.lexsort((heights.reshape(-1)[cells], pond[cells]))]
    starts = np.searchsorted(pond[cells], np.arange(count + 1)).astype(np.int64)
    return Routing(
        heights, sea_m, float(spacing_m), filled, order, parent, to_a, to_b, share, lag_s, downhill, area,
        pond, root[:count].copy(), capacity[:count].copy(), cells, starts,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class RunoffView:
    """What is seen and felt of the water in a window. Immutable; any thread may read it."""

    window: Window
    routed: int
    """Number of the routing: while it stays, so do the lines."""
    lines: NDArray[np.uint8]
    """[1024, 1024, 4] as `kernels.channels` draws it."""
    state: NDArray[np.uint8]
    """[256, 256, 4] as `kernels.runoff.paint_state` paints it."""
    pools: NDArray[np.float32]
    """[n, 4]: cells that hold standing water: column, row, level in metres, and how much of the cell is water (1, or
    0 for the rim that the land hides)."""
    outflow_m3_s: float
    """What leaves the window."""
    pond_m3: float

    def stream_at(self, x: float, z: float) -> tuple[float, float]:
        """Depth of running water under world (x, z) and its distance to the middle of the nearest line, metres."""
        west, north = self.window.corner_m
        i, j = math.floor((x - west) / TEXEL_M), math.floor((z - north) / TEXEL_M)
        side = self.lines.shape[0]
        if not (0 <= i < side and 0 <= j < side):
            return 0.0, math.inf
        texel = self.lines[j, i]
        if texel[2] == 255:
            return 0.0, math.inf
        scale = channels.REACH_M / 127.5
        line_x = west + (i + 0.5) * TEXEL_M + (float(texel[0]) - 127.5) * scale
        line_z = north + (j + 0.5) * TEXEL_M + (float(texel[1]) - 127.5) * scale
        away = math.hypot(line_x - x, line_z - z)
        cells = self.state.shape[0]
        column = min(cells - 1, max(0, round((line_x - west) / SPACING_M)))
        row = min(cells - 1, max(0, round((line_z - north) / SPACING_M)))
        rate = (float(self.state[row, column, 0]) / 255.0) ** 2 * RATE_SCALE_M_S
        area = 2.0 ** (float(texel[3]) / 255.0 * channels.AREA_STEPS)
        width = WIDTH_PER_ROOT * math.sqrt(rate * area * SPACING_M * SPACING_M)
        inside = 1.0 - (2.0 * away / width) ** 2 if width > 0.0 else -1.0
        return max(0.0, DEPTH_PER_WIDTH * width * inside), away

    def pond_level(self, x: float, z: float) -> float:
        """Height of standing water at world (x, z); −inf where there is none."""
        west, north = self.window.corner_m
        i, j = round((x - west) / SPACING_M), round((z - north) / SPACING_M)
        if not (0 <= i < self.window.cells and 0 <= j < self.window.cells):
            return -math.inf
        if self.state[j, i, 3] == 0:
            return -math.inf
        here = self.pools[(self.pools[:, 0] == i) & (self.pools[:, 1] == j)]
        return float(here[0, 2]) if len(here) else -math.inf


class Runoff:
    """The water of one window. One thread at a time."""

    def __init__(self, window: Window, routing: Routing, seed: int = 0) -> None:
        self.window, self.routing, self._seed = window, routing, seed & 0x7FFFFFFF
        n = routing.heights.size
        self.standing_m3 = np.zeros(n)
        self.volume_m3 = np.zeros(len(routing.root))
        self.flow_m3_s = np.zeros(n)
        self.ledger_m3 = np.zeros(runoff.LEDGER)
        self._routed = 0
        self._lines: NDArray[np.uint8] | None = None

    @property
    def stored_m3(self) -> float:
        """Water on the ground and in ponds."""
        return float(self.standing_m3.sum() + self.volume_m3.sum())

    @property
    def rained_m3(self) -> float:
        """All rain since the start."""
        return float(self.ledger_m3[runoff.RAINED])

    @property
    def left_m3(self) -> float:
        """What left over the border and into the sea."""
        return float(self.ledger_m3[runoff.LEFT])

    @property
    def soaked_m3(self) -> float:
        """What is stored in the soil."""
        return float(self.ledger_m3[runoff.SOAKED])

    def rain(self, seconds: float, runoff_m_s: float, soak_m_s: float = 0.0, steps: int = 1) -> None:
        """Let it rain for `seconds`, in `steps` steps; `runoff_m_s` runs off and `soak_m_s` soaks in.

        Raises `ValueError` when the time or a rate is negative or not finite.
        """
        for name, value in (("seconds", seconds), ("runoff_m_s", runoff_m_s), ("soak_m_s", soak_m_s)):
            if not (math.isfinite(value) and value >= 0.0):
                raise ValueError(f"{name} = {value!r} is not accepted; give 0 or more")
        if seconds <= 0.0:
            return
        r = self.routing
        for _ in range(steps):
            runoff.advance(
                r.order, r.to_a, r.to_b, r.share, r.lag_s, r.parent, r.pond, r.root, r.capacity_m3, r.cell_m2,
                seconds / steps, float(runoff_m_s), float(soak_m_s), SEEP_M_S, self.standing_m3,
                self.volume_m3, self.flow_m3_s, self.ledger_m3,
            )  # fmt: skip

    def catch_up(self, history: tuple[tuple[float, float, float], ...]) -> None:
        """Let all rain of `history` (`RainHistory.copy`) fall."""
        for seconds, runs, soaks in history:
            self.rain(seconds, runs, soaks, steps=3)

    def levels_m(self) -> NDArray[np.float64]:
        """Height at which the water of each depression stands, −inf where dry."""
        r = self.routing
        level = np.empty(len(r.root))
        runoff.pond_levels(
            r.pond_cells, r.heights.reshape(-1), r.pond_starts, self.volume_m3, r.cell_m2, level
        )
        return level

    def reroute(self, routing: Routing) -> None:
        """Other heights or another sea under the same water: every cell keeps what stands on it.

        Raises `ValueError` when the grid has another shape.
        """
        old = self.routing
        if routing.heights.shape != old.heights.shape:
            raise ValueError(
                f"a grid of {routing.heights.shape} does not go with the water on {old.heights.shape}"
            )
        per_cell = self.standing_m3 + self._pond_water()
        inside = routing.pond >= 0
        found = np.bincount(routing.pond[inside], weights=per_cell[inside], minlength=len(routing.root))
        self.volume_m3 = found.astype(np.float64)
        self.standing_m3 = np.where(inside, 0.0, per_cell).astype(np.float64)
        self.routing, self._lines = routing, None
        self._routed += 1

    def _pond_water(self) -> NDArray[np.float64]:
        """The depressions' volumes spread over their cells, m³, by depth."""
        r = self.routing
        water = np.zeros(r.heights.size)
        cells = r.pond_cells
        if len(cells) == 0:
            return water
        number = r.pond[cells]
        depth = np.maximum(0.0, self.levels_m()[number] - r.heights.reshape(-1)[cells])
        whole = np.bincount(number, weights=depth, minlength=len(r.root))
        # A film too thin for a depth lies at the bottom, which comes first.
        thin = whole <= 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            part = np.where(thin[number], 0.0, depth / whole[number])
        water[cells] = part * self.volume_m3[number]
        water[cells[r.pond_starts[:-1][thin]]] = self.volume_m3[thin]
        return water

    def view(self, serial: int = 0) -> RunoffView:
        """The water as it is now. `serial` tells views of different windows apart."""
        r = self.routing
        rows, columns = r.heights.shape
        if self._lines is None:
            side = int(columns * r.spacing_m / TEXEL_M)
            self._lines = np.empty((side, side, 4), np.uint8)
            onward, along = np.empty(r.heights.size, np.int32), np.empty(r.heights.size)
            i0, j0, seed = self.window.i0, self.window.j0, self._seed
            channels.walk(r.filled, r.order, r.to_a, r.to_b, r.share, r.pond, i0, j0, seed, onward, along)
            channels.draw_channels(
                r.heights, r.order, onward, r.pond, along, r.downhill, i0, j0, r.spacing_m, seed, LEAST_AREA,
                np.empty((side, side), np.float32), self._lines,
            )  # fmt: skip
        level = self.levels_m()
        state = np.empty((rows, columns, 4), np.uint8)
        flat = r.heights.reshape(-1)
        runoff.paint_state(
            self.flow_m3_s, r.area, r.cell_m2, r.pond, level, flat, r.downhill, RATE_SCALE_M_S,
            state.reshape(-1, 4),
        )  # fmt: skip
        outlets = r.parent == runoff.OUTLET
        return RunoffView(
            self.window,
            serial * 1_000_000 + self._routed,
            self._lines,
            state,
            self._pools(level),
            float(self.flow_m3_s[outlets].sum()),
            float(self.volume_m3.sum()),
        )

    def _pools(self, level: NDArray[np.float64]) -> NDArray[np.float32]:
        """Cells under standing water and the rim around them, see `RunoffView.pools`."""
        r = self.routing
        rows, columns = r.heights.shape
        heights = r.heights
        surface = np.full(heights.shape, -np.inf, np.float32)
        cells = r.pond_cells
        if len(cells) == 0:
            return np.zeros((0, 4), np.float32)
        own = level[r.pond[cells]]
        deep = own > heights.reshape(-1)[cells] + LEAST_POOL_M
        surface.reshape(-1)[cells[deep]] = own[deep]
        if not deep.any():
            return np.zeros((0, 4), np.float32)
        wet = np.isfinite(surface)
        # The rim: land beside the water that is higher than it, so that the waterline is cut by the land itself.
        rim = np.full_like(surface, -np.inf)
        padded = np.pad(surface, 1, constant_values=-np.inf)
        for dj in range(3):
            for di in range(3):
                rim = np.maximum(rim, padded[dj : dj + rows, di : di + columns])
        edge = ~wet & np.isfinite(rim) & (heights >= rim - 0.02)
        j, i = np.nonzero(wet | edge)
        found = np.empty((len(j), 4), np.float32)
        found[:, 0], found[:, 1] = i, j
        found[:, 2] = np.where(wet, surface, rim)[j, i]
        found[:, 3] = wet[j, i]
        return found


LEAST_POOL_M = 0.03
"""Standing water shallower than this at its cell is not drawn as a pond."""
