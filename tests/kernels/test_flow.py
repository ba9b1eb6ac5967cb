"""Drainage: nothing is lost on the way to the border, pits fill to their brim, plain Python agrees."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from game.kernels import flow

ROOT = Path(__file__).parents[2]


def drain(heights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    filled, area = np.empty_like(heights), np.empty_like(heights)
    order = np.empty(heights.size, np.int32)
    flow.flood(heights, filled, order)
    flow.accumulate(filled, order, np.empty_like(order), area)
    assert sorted(order.tolist()) == list(range(heights.size))
    return filled, area


def rough(size: int) -> np.ndarray:
    return np.random.default_rng(3).uniform(0, 100, (size, size + 3)).astype(np.float32)


def test_every_cell_reaches_the_border_once() -> None:
    heights = rough(40)
    filled, area = drain(heights)
    edge = np.ones_like(heights, bool)
    edge[1:-1, 1:-1] = False
    assert area[edge].sum() == heights.size
    assert (filled >= heights).all()
    assert np.array_equal(filled[edge], heights[edge])


def test_a_pit_fills_to_its_lowest_brim() -> None:
    heights = np.full((7, 7), 10.0, np.float32)
    heights[2:5, 2:5] = 1.0
    heights[3, 5] = 6.0
    heights[3, 6] = 2.0
    filled, area = drain(heights)
    assert (filled[2:5, 2:5] == 6.0).all()
    assert area[3, 6] >= 11


def test_a_valley_gathers_its_slopes() -> None:
    j, i = np.mgrid[0:20, 0:21]
    filled, area = drain((np.abs(i - 10) * 2.0 + j).astype(np.float32))
    assert area[0, 9:12].max() > 150
    assert np.array_equal(filled, (np.abs(i - 10) * 2.0 + j).astype(np.float32))


def test_jitted_equals_plain_python() -> None:
    code = (
        "from tests.kernels.test_flow import drain, rough\n"
        "print(b''.join(field.tobytes() for field in drain(rough(12))).hex())\n"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    plain = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout.strip()
    assert plain == b"".join(field.tobytes() for field in drain(rough(12))).hex()
