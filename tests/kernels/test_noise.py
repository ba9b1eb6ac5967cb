"""Promises of the noise kernels: zeros, range, smoothness, exact coordinates, no platform mathematics."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from game.kernels import fractal, hashing, noise

CELL = 1 << 32
KERNELS = Path(noise.__file__).parent
# fmt: off
WORLD_KERNELS = (
    "hashing", "noise", "octaves", "improved", "shaping", "fractal", "interpolation", "ranges", "layers", "nodes",
    "rows", "finish", "heightfield", "brush", "scatter",
)
# fmt: on


def lattice_octave(wave_m: float, offset_x: int = 12345, offset_z: int = -999, seed: int = 77) -> np.ndarray:
    """Octave row for `noise_row`."""
    return np.array([round(noise.WARPED_SCALE / wave_m), offset_x, offset_z, seed], np.int64)


def row(qx: np.ndarray, qz: np.ndarray, octave: np.ndarray) -> np.ndarray:
    out = np.zeros(len(qx), np.float32)
    cells = np.zeros(noise.CELL_ROWS * noise.ROOM, np.int32)
    scratch = np.zeros(noise.SCRATCH_ROWS * noise.ROOM, np.float32)
    for first in range(0, len(qx), noise.ROOM):
        part = slice(first, first + noise.ROOM)
        noise.noise_row(qx[part], qz[part], len(out[part]), octave, cells, scratch, out[part])
    return out


def test_zero_at_its_own_lattice_points() -> None:
    rng = np.random.default_rng(1)
    for cx, cz, seed in rng.integers(0, 1 << 30, (200, 3)):
        assert noise.noise_at((int(cx) - (1 << 29)) * CELL, (int(cz) - (1 << 29)) * CELL, int(seed)) == 0.0


def test_range_mean_and_rms() -> None:
    rng = np.random.default_rng(2)
    qx, qz = rng.integers(-(10**12), 10**12, (2, 200_000))
    values = row(qx, qz, lattice_octave(3000.0))
    assert np.abs(values).max() <= noise.BOUND
    assert abs(values.mean()) < 0.01
    assert values.std() == pytest.approx(0.33, abs=0.01)


def test_every_gradient_is_about_as_long() -> None:
    rng = np.random.default_rng(3)
    lengths = []
    directions = np.zeros(8, int)
    for hashed in rng.integers(0, 1 << 32, 4000):
        x, z = noise.gradient(np.uint32(hashed))
        lengths.append(np.hypot(x, z))
        directions[int((np.arctan2(z, x) + np.pi) / (2 * np.pi) * 8) % 8] += 1
    assert np.ptp(lengths) < 0.02 * noise.LENGTH
    assert directions.min() > 400  # 500 expected


@pytest.mark.parametrize("axis", [0, 1])
def test_value_slope_and_curvature_are_continuous_across_cell_borders(axis: int) -> None:
    """Third differences of samples 2^-6 cell apart, over a border."""
    step = 1 << 26
    rng = np.random.default_rng(4)
    worst = 0.0
    for case in range(100):
        border = int(rng.integers(-1000, 1000)) * CELL
        other = int(rng.integers(-(1 << 40), 1 << 40))
        along = [border + k * step for k in range(-8, 9)]
        places = [(t, other) if axis == 0 else (other, t) for t in along]
        values = np.array([noise.noise_at(x, z, case) for x, z in places], np.float64)
        assert np.abs(np.diff(values)).max() < 0.1
        worst = max(worst, float(np.abs(np.diff(values, 3)).max()))
    # The third derivative of the quintic, 60 at the border, allows 5e-4 a step; the cubic fade's curvature jumps
    # by 12, which would show as 3e-3.
    assert worst < 9e-4


def test_the_fade_is_the_quintic() -> None:
    t = np.linspace(0.0, 1.0, 11)
    expected = 6 * t**5 - 15 * t**4 + 10 * t**3
    assert np.allclose([noise.fade(np.float32(x)) for x in t], expected, atol=1e-6)


def test_polynomials_against_their_functions() -> None:
    for turns in np.linspace(-0.5, 0.5, 401):
        f = np.float32(turns)
        assert fractal.sin_turns(f) == pytest.approx(np.sin(2 * np.pi * turns), abs=4e-4)
        assert fractal.cos_turns(f) == pytest.approx(np.cos(2 * np.pi * turns), abs=2e-4)
    half = np.float32(0.5)
    assert fractal.sin_turns(half) == fractal.sin_turns(-half) == 0.0
    assert fractal.cos_turns(half) == fractal.cos_turns(-half) == -1.0


def test_factored_rows_equal_direct_noise() -> None:
    """The aligned form is another order of the same sums, at ±1e9 m too."""
    n = 136
    octave = np.array([round(CELL / 23.7), 1234567890123, -987654321, 99], np.int64)
    for x0, z0 in ((0, 0), (-1030, 17), (10**9, -(10**9))):
        q = (x0 + np.arange(n)) << 10
        cells = np.zeros(n, np.int32)
        columns = np.zeros((2, n), np.float32)
        noise.column_table(q, n, octave[0], octave[1], cells, columns[0], columns[1])
        at = noise.position(z0 << 10, int(octave[0]), int(octave[2]))
        rows = np.zeros((2, 2, n), np.float32)
        for near in range(2):
            noise.corner_rows(
                cells,
                (at >> 32) + near,
                int(octave[3]),
                columns[0],
                columns[1],
                n,
                rows[near, 0],
                rows[near, 1],
            )
        out = np.zeros(n, np.float32)
        noise.blend_row(rows[0, 0], rows[0, 1], rows[1, 0], rows[1, 1], noise.fraction(at), n, out)
        direct = [
            noise.noise_at(noise.position(int(x), int(octave[0]), int(octave[1])), at, int(octave[3]))
            for x in q
        ]
        assert np.allclose(out, direct, atol=2e-6)


def test_octaves_do_not_share_zeros() -> None:
    """Variance at the coarsest lattice points is that of anywhere else, thanks to the hashed offsets."""
    from game.world.recipe import Recipe
    from game.world.tables import build_tables

    octaves = build_tables(Recipe.load("alpine"), 7).ground_octaves[:6].tolist()
    wave_m = 900
    rng = np.random.default_rng(5)
    lattice = rng.integers(-(10**6), 10**6, (8_000, 2)) * wave_m
    anywhere = lattice + rng.integers(0, wave_m, lattice.shape)

    def fractal_at(x: int, z: int) -> float:
        octave_values = (
            noise.noise_at(x * step + ox, z * step + oz, seed) * 0.6**k
            for k, (step, ox, oz, seed, *_) in enumerate(octaves)
        )
        return sum(octave_values)

    spread = [np.std([fractal_at(x, z) for x, z in places.tolist()]) for places in (lattice, anywhere)]
    assert spread[0] == pytest.approx(spread[1], rel=0.05)


def test_hash_spreads_bits_and_depends_on_everything() -> None:
    base = {hashing.hash_cell(x, z, s) for x in range(-20, 20) for z in range(-20, 20) for s in range(4)}
    assert len(base) == 40 * 40 * 4
    flips = [
        bin(int(hashing.hash_cell(x, 5, 3)) ^ int(hashing.hash_cell(x ^ (1 << bit), 5, 3))).count("1")
        for x in range(50)
        for bit in range(31)
    ]
    assert 15.0 < np.mean(flips) < 17.0


def test_jitted_equals_plain_python() -> None:
    rng = np.random.default_rng(6)
    n = 24
    octave = lattice_octave(700.0, 1 << 58, -(1 << 57), 0xFFFFFFFF)
    qx, qz = rng.integers(-(10**12), 10**12, (2, n))
    code = (
        "import numpy as np, sys\n"
        "from game.kernels import noise\n"
        f"qx, qz = np.array({qx.tolist()}), np.array({qz.tolist()})\n"
        f"octave = np.array({octave.tolist()}, np.int64)\n"
        f"out = np.zeros({n}, np.float32)\n"
        "np.seterr(all='raise')\n"
        "cells = np.zeros(noise.CELL_ROWS * noise.ROOM, np.int32)\n"
        "scratch = np.zeros(noise.SCRATCH_ROWS * noise.ROOM, np.float32)\n"
        f"noise.noise_row(qx, qz, {n}, octave, cells, scratch, out)\n"
        "print(out.tobytes().hex())\n"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(KERNELS.parents[1])}
    plain = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    ).stdout.strip()
    assert plain == row(qx, qz, octave).tobytes().hex()


@pytest.mark.parametrize("name", WORLD_KERNELS)
def test_no_platform_mathematics(name: str) -> None:
    """sin, exp, pow and their kind differ between machines; a power would call pow."""
    forbidden = {"sin", "cos", "tan", "tanh", "exp", "exp2", "log", "log2", "log10", "pow", "power", "cbrt"}
    forbidden |= {"arctan", "arctan2", "atan", "atan2", "hypot"}
    for node in ast.walk(ast.parse((KERNELS / f"{name}.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute):
            assert node.attr not in forbidden, f"{name}.py line {node.lineno}: {node.attr}"
        if isinstance(node, ast.Import | ast.ImportFrom):
            assert not any(alias.name == "math" for alias in node.names), f"{name}.py imports math"
            assert getattr(node, "module", "") != "math"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            assert isinstance(node.left, ast.Constant), f"{name}.py line {node.lineno}: a power"


def test_no_fastmath_and_no_threads_anywhere() -> None:
    for path in sorted(KERNELS.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword):
                assert node.arg not in {"fastmath", "parallel"}, f"{path.name} line {node.value.lineno}"
            if isinstance(node, ast.Name | ast.Attribute):
                assert getattr(node, "id", getattr(node, "attr", "")) != "prange", path.name
    from game.kernels import heightfield

    options = getattr(heightfield.sample_block, "targetoptions", {})
    assert options.get("fastmath") is False
    assert options.get("nogil") is True
