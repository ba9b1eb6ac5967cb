"""Figures of erosion: `python tools/bench.py water_erosion`.

`NumpyErosion` is the model of `game.kernels.erosion` written as whole arrays, the way one would without a compiler; a
test holds the two together. Kernel and arrays take turns in one process, so that their ratio does not depend on what
else the machine does.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from bench_common import figure
from numpy.typing import NDArray

from game.kernels import erosion as kernels
from game.world import World
from game.world.erosion import Erosion, ErosionSettings, Region

RADIUS_M = 251.0
"""Makes a square of 513 samples."""

Array = NDArray[np.float32]

_ONE = np.float32(1.0)
_HALF = np.float32(0.5)


class NumpyErosion:
    """The same model and the same numbers on arrays [side, side]."""

    def __init__(self, erosion: Erosion) -> None:
        """Begin where `erosion` stands."""
        self.parameters = erosion.parameters
        self.done = erosion.done
        for name, number in (
            ("water", kernels.WATER),
            ("east", kernels.EAST),
            ("south", kernels.SOUTH),
            ("keep", kernels.KEEP),
            ("ground", kernels.GROUND),
            ("base", kernels.BASE),
            ("yields", kernels.YIELD),
            ("rest", kernels.REST),
            ("flow", kernels.FLOW),
        ):
            setattr(self, name, erosion.field(number).copy())
        self.change, self.load = erosion.change.copy(), erosion.load.copy()
        self.exported = erosion.exported

    water: Array
    east: Array
    south: Array
    keep: Array
    ground: Array
    base: Array
    yields: Array
    rest: Array
    flow: Array

    def advance(self, iterations: int) -> None:
        """As `Erosion.advance`, for iterations between which nothing is switched."""
        for _ in range(iterations):
            parameters = self.parameters(self.done)
            self._faces(parameters)
            self._carry(parameters, self._limits(parameters))
            self._slide(parameters, kernels.STRIDES[self.done % len(kernels.STRIDES)])
            self.done += 1

    def _discharge(self, q: Array, before: tuple[slice, slice], parameters: Array) -> Array:
        here = (slice(1, None), slice(1, None))
        carried = q * np.where(q > 0, self.keep[before], self.keep[here])
        ground0, ground1 = self.ground[before], self.ground[here]
        surface0, surface1 = ground0 + self.water[before], ground1 + self.water[here]
        depth = np.minimum(
            np.maximum(surface0, surface1) - np.maximum(ground0, ground1), np.float32(kernels.DEEPEST_M)
        )
        steepest = np.float32(kernels.STEEPEST_M)
        fall = np.clip(surface0 - surface1, -steepest, steepest)
        square = depth * depth
        size = np.maximum(np.abs(carried), _HALF * (self.flow[here] + self.flow[before]))
        drag = parameters[kernels.DRAG]
        return (carried + parameters[kernels.GRAVITY] * depth * fall) * (
            square / (square + drag * size + np.float32(1e-9))
        )

    def _faces(self, parameters: Array) -> None:
        east = self._discharge(self.east[1:, 1:], (slice(1, None), slice(None, -1)), parameters)
        south = self._discharge(self.south[1:, 1:], (slice(None, -1), slice(1, None)), parameters)
        self.east[1:, 1:], self.south[1:, 1:] = east, south

    def _limits(self, parameters: Array) -> Array:
        """Renew `keep` and `flow`; returns the load per discharge."""
        step = parameters[kernels.STEP]
        inner = (slice(1, -1), slice(1, -1))
        west, east = self.east[inner], self.east[1:-1, 2:]
        north, south = self.south[inner], self.south[2:, 1:-1]
        zero = np.float32(0.0)
        out = np.maximum(east, zero) - np.minimum(west, zero)
        out = out + (np.maximum(south, zero) - np.minimum(north, zero))
        keep = np.minimum(_ONE, self.water[inner] / (step * out + np.float32(1e-9)))
        self.keep[inner] = keep
        richness = np.zeros_like(self.water)
        share = keep * step / np.maximum(self.water[inner], np.float32(1e-6))
        richness[inner] = self.load[inner].astype(np.float32) * share
        u, v = _HALF * (west + east), _HALF * (north + south)
        self.flow[inner] = keep * np.sqrt(u * u + v * v)
        return richness

    def _carry(self, parameters: Array, richness: Array) -> None:
        step, quantum = parameters[kernels.STEP], parameters[kernels.QUANTUM]
        zero, quarter = np.float32(0.0), np.float32(0.25)
        inner = (slice(1, -1), slice(1, -1))
        west, east = (slice(1, -1), slice(None, -2)), (slice(1, -1), slice(2, None))
        north, south = (slice(None, -2), slice(1, -1)), (slice(2, None), slice(1, -1))
        q_west, q_east, q_north, q_south = (
            self.east[inner],
            self.east[east],
            self.south[inner],
            self.south[south],
        )
        in_west, out_east, in_north, out_south = self._upwind(self.keep, q_west, q_east, q_north, q_south)
        grains = [part.astype(np.int32) for part in self._upwind(richness, q_west, q_east, q_north, q_south)]
        load = self.load[inner] + (grains[0] - grains[1] + grains[2] - grains[3])
        water0 = self.water[inner]
        water = water0 + step * ((in_west - out_east) + (in_north - out_south))
        ground, flow = self.ground, self.flow
        gx, gz = _HALF * (ground[east] - ground[west]), _HALF * (ground[south] - ground[north])
        slope = gx * gx + gz * gz
        sides = (flow[west] + flow[east]) + (flow[north] + flow[south])
        corners = (flow[:-2, :-2] + flow[:-2, 2:]) + (flow[2:, :-2] + flow[2:, 2:])
        mean = quarter * (flow[inner] + _HALF * (sides + _HALF * corners))
        tilt = np.float32(kernels.TILT)
        holds = parameters[kernels.CAPACITY] * mean * np.sqrt(mean * (slope + tilt) / (_ONE + slope))
        holds = np.minimum(holds, np.float32(kernels.THICKEST) * water0)
        holds = np.where(ground[inner] > parameters[kernels.SEA], holds, zero)
        over = load.astype(np.float32) * quantum - holds
        lowest = np.minimum(np.minimum(ground[west], ground[east]), np.minimum(ground[north], ground[south]))
        highest = np.maximum(np.maximum(ground[west], ground[east]), np.maximum(ground[north], ground[south]))
        bite, settle = np.float32(kernels.BITE), parameters[kernels.SETTLE]
        torn = np.minimum(-over * parameters[kernels.TEAR], bite * np.maximum(ground[inner] - lowest, zero))
        room = bite * np.maximum(highest - ground[inner], zero)
        room = room + (np.float32(kernels.SILT_M) + np.float32(kernels.SINK) * water0)
        settled = np.minimum(over * settle, room + settle * np.maximum(over - water0, zero))
        gives = np.maximum(self.yields[inner] - np.float32(kernels.OUTSIDE), zero)
        moved = (np.where(over > zero, settled, -torn) * gives * (_ONE / quantum)).astype(np.int32)
        readily = _ONE + np.float32(kernels.UNDERCUT) * np.maximum(mean - np.float32(kernels.BROOK), zero)
        most = np.float32(kernels.FASTEST) / parameters[kernels.SLIDE]
        self.give = np.zeros_like(self.water)
        self.give[inner] = self.yields[inner] * np.minimum(readily, most)
        around = (ground[west] + ground[east]) + (ground[north] + ground[south])
        edge = ground[inner] - quarter * around
        self.stands = self.rest.copy()
        self.stands[inner] *= np.minimum(np.maximum(_ONE - parameters[kernels.CRUMBLE] * edge, zero), _ONE)
        self.change[inner] += moved
        load = load - moved
        outside = self.yields[inner] < np.float32(kernels.OUTSIDE)
        self.exported += int(load[outside].sum(dtype=np.int64))
        self.load[inner] = np.where(outside, 0, load)
        rain = parameters[kernels.RAIN] * self.yields[inner]
        self.water[inner] = (np.maximum(water, zero) + rain) * parameters[kernels.DRY]
        self.slid = self.base + self.change.astype(np.float32) * quantum

    @staticmethod
    def _upwind(share: Array, west: Array, east: Array, north: Array, south: Array) -> list[Array]:
        """What passes each of a cell's four faces: discharge times the share of the cell that it comes from."""
        own = share[1:-1, 1:-1]
        zero = np.float32(0.0)
        return [
            west * np.where(west > zero, share[1:-1, :-2], own),
            east * np.where(east > zero, own, share[1:-1, 2:]),
            north * np.where(north > zero, share[:-2, 1:-1], own),
            south * np.where(south > zero, own, share[2:, 1:-1]),
        ]

    def _slide(self, parameters: Array, stride: int) -> None:
        quantum = parameters[kernels.QUANTUM]
        share = parameters[kernels.SLIDE] / quantum
        rest = parameters[kernels.TALUS] * np.float32(stride)
        side = len(self.ground)
        inner = (slice(stride, side - stride), slice(stride, side - stride))
        got = np.zeros((side - 2 * stride, side - 2 * stride), np.int32)
        for dj, di in ((0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1)):
            rows = slice(stride * (1 + dj), side - stride * (1 - dj))
            columns = slice(stride * (1 + di), side - stride * (1 - di))
            diagonal = dj != 0 and di != 0
            far = rest * np.float32(kernels.DIAGONAL) if diagonal else rest
            part = share * np.float32(kernels.CORNER) if diagonal else share
            drop = self.slid[rows, columns] - self.slid[inner]
            stays = far * np.minimum(self.stands[inner], self.stands[rows, columns])
            slides = np.maximum(np.abs(drop) - stays, np.float32(0.0)) * part
            slides = slides * np.minimum(self.give[inner], self.give[rows, columns])
            got += np.where(drop > 0, slides, -slides).astype(np.int32)
        self.change[inner] += got
        self.ground[inner] = (self.base + self.change.astype(np.float32) * quantum)[inner]


def _erosion(threads: int) -> Erosion:
    region = Region(0.0, 0.0, RADIUS_M, 60.0)
    side = region.side
    heights = World("alpine", seed=7).heights(*region.first_sample, side, side, 1.0)
    erosion = Erosion(region, heights, ErosionSettings(), seed=7, threads=threads)
    erosion.advance(240)  # until water runs everywhere
    return erosion


def figures() -> list[dict[str, Any]]:
    """The row of the issue's table, and the ratio to arrays."""
    kernels.warm()
    two, one = _erosion(2), _erosion(1)
    arrays = NumpyErosion(one)
    times: dict[str, list[float]] = {"two": [], "one": [], "arrays": []}
    for _ in range(5):
        for name, run, count in (("two", two, 160), ("arrays", arrays, 8), ("one", one, 160)):
            started = time.perf_counter()
            run.advance(count)
            times[name].append((time.perf_counter() - started) / count)
    two.close()
    one.close()
    per_s = {name: 1.0 / float(np.median(values)) for name, values in times.items()}
    compared = {
        "one thread, iterations/s": per_s["one"],
        "numpy, iterations/s": per_s["arrays"],
        "samples a side": one.region.side,
    }
    return [
        figure(
            "erosion of 512² at 1 m, pipes and talus on two cores",
            per_s["two"],
            "iterations/s",
            60.0,
            "higher",
            compared,
        ),
        figure(
            "erosion against a plain numpy version of the same model",
            per_s["two"] / per_s["arrays"],
            "times",
            5.0,
            "higher",
            compared,
        ),
    ]
