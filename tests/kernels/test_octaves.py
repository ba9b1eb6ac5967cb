"""Promises of the octave sums: all forms agree, octaves hide their lattice, published values."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from game.kernels import octaves
from game.kernels.improved import PERMUTATION, improved_noise

ROOT = Path(__file__).parents[2]
CASES = [(kind, solid) for kind in (octaves.FBM, octaves.BILLOW, octaves.RIDGED) for solid in (False, True)]


def table(frequency: float, count: int, seed: int = 1, lacunarity: float = 2.0) -> np.ndarray:
    """Octaves with hashed-looking offsets."""
    rng = np.random.default_rng(seed)
    rows = [
        [
            round(frequency * lacunarity**k * 2**32),
            *rng.integers(-(2**59), 2**59, 2),
            rng.integers(0, 2**32),
            rng.integers(-(2**40), 2**40),
        ]
        for k in range(count)
    ]
    return np.array(rows, np.int64)


def grid(
    kind: int, solid: bool, qx: np.ndarray, qz: np.ndarray, rows: np.ndarray, gains: np.ndarray
) -> np.ndarray:
    n = len(gains)
    out = np.full((len(qz), len(qx)), np.nan, np.float32)
    floats = np.zeros(8 * n * octaves.PITCH, np.float32)
    octaves.fill_grid(
        kind, solid, qx, qz, rows, gains, floats, np.zeros(2 * n * octaves.PITCH, np.uint32), out
    )
    return out


def halves(count: int) -> np.ndarray:
    return np.float32(0.5) ** np.arange(count, dtype=np.float32)


@pytest.mark.parametrize(("kind", "solid"), CASES)
@pytest.mark.parametrize("count", [1, 3, 4, 5, 6, 8, 11])
def test_grid_rows_points_and_explanations_agree_bit_for_bit(kind: int, solid: bool, count: int) -> None:
    rows, gains = table(0.004, count, lacunarity=1.7), halves(count)
    for x0, z0 in ((-600, 3), (10**9 - 600, -(10**9))):
        qx = (x0 + np.arange(600)) * 1024
        qz = (z0 + np.arange(60)) * 1024 + 300
        got = grid(kind, solid, qx, qz, rows, gains)
        xs, zs = np.meshgrid(qx, qz)
        flat = np.empty(xs.size, np.float32)
        octaves.fill_points(kind, solid, xs.ravel(), zs.ravel(), rows, gains, flat)
        assert np.array_equal(flat.reshape(xs.shape), got)
        for j, i in ((0, 0), (59, 599), (30, 511), (31, 512)):
            assert octaves.point(kind, solid, qx[i], qz[j], rows, gains) == got[j, i]
            parts = np.empty((count, 2), np.float32)
            total = octaves.explain(
                kind,
                solid,
                qx[i],
                qz[j],
                rows,
                gains,
                np.empty((count, 3), np.int64),
                np.empty((count, 8), np.uint32),
                np.empty((count, 8, 3), np.float32),
                np.empty((count, 8), np.float32),
                parts,
            )
            summed = np.float32(0.0)
            for part in parts[:, 1]:
                summed = np.float32(summed + part)
            assert total == got[j, i] == summed


@pytest.mark.parametrize(("kind", "solid"), CASES)
def test_any_tile_origin_gives_the_same_bits(kind: int, solid: bool) -> None:
    rows, gains = table(0.01, 5), halves(5)
    q = np.arange(-400, 700) * 1024
    whole = grid(kind, solid, q, q[:90], rows, gains)
    for i, j, n, m in ((0, 0, 7, 90), (13, 1, 513, 80), (501, 77, 599, 13), (1099, 89, 1, 1)):
        part = grid(kind, solid, q[i : i + n], q[j : j + m], rows, gains)
        assert np.array_equal(part, whole[j : j + m, i : i + n])


def test_pinned_bits() -> None:
    """The digest of one field per form: equal on every machine, so a change here changes every world of scripts."""
    digest = hashlib.sha256()
    q = np.arange(-70, 70) * 1024 + 512
    for kind, solid in CASES:
        for origin in (0, 1 << 39, -(1 << 39)):
            digest.update(
                grid(kind, solid, q + origin, q[:40] - origin, table(0.013, 6), halves(6)).tobytes()
            )
    assert digest.hexdigest() == PINNED


PINNED = "d8a1653097c903a00049f9f1c1d3f4999bd2da160b08ed8b0b14fb84809e61f7"


@pytest.mark.parametrize("solid", [False, True])
def test_the_sum_is_that_of_the_gradients(solid: bool) -> None:
    """Against a float64 interpolation of the explained hashes' gradients, 1e-6."""
    rows, gains = table(0.03, 4), halves(4)
    fade = np.polynomial.Polynomial([0, 0, 0, 10, -15, 6])
    rng = np.random.default_rng(3)
    for qx, qz in rng.integers(-(10**12), 10**12, (100, 2)):
        cells = np.empty((4, 3), np.int64)
        gradients = np.empty((4, 8, 3), np.float32)
        weights = np.empty((4, 8), np.float32)
        total = octaves.explain(
            octaves.FBM,
            solid,
            qx,
            qz,
            rows,
            gains,
            cells,
            np.empty((4, 8), np.uint32),
            gradients,
            weights,
            np.empty((4, 2), np.float32),
        )
        expected = 0.0
        for o in range(4):
            step, ox, oz, _, ty = rows[o].tolist()
            t = [(int(q) * step // 1024 + offset) / 2**32 for q, offset in ((qx, ox), (qz, oz))]
            x, z = (((int(q) * step) // 1024 + offset) % 2**32 / 2**32 for q, offset in ((qx, ox), (qz, oz)))
            y = ty % 2**32 / 2**32 if solid else 0.0
            assert cells[o].tolist() == [int(np.floor(t[0])), ty >> 32 if solid else 0, int(np.floor(t[1]))]
            value = 0.0
            for corner in range(8 if solid else 4):
                dx, dz, dy = corner & 1, corner >> 1 & 1, corner >> 2
                share = 1.0
                for d, f in ((dx, x), (dz, z), (dy, y)):
                    share *= fade(f) if d else 1 - fade(f)
                assert weights[o, corner] == pytest.approx(share, abs=4e-6)
                g = gradients[o, corner].astype(float)
                value += share * float(g @ [x - dx, y - dy, z - dz])
            expected += float(gains[o]) * value
        assert total == pytest.approx(expected, abs=2e-6)


def test_each_octave_is_zero_at_its_lattice_points() -> None:
    rng = np.random.default_rng(4)
    lattice = rng.integers(-(10**6), 10**6, (2, 60_000)) * 256 * 1024
    rows = table(1 / 256, 6)
    rows[:, 1:3] = 0
    for o in range(6):
        out = np.empty(60_000, np.float32)
        octaves.fill_points(octaves.FBM, False, *lattice, rows[o : o + 1], halves(1), out)
        assert not out.any()


def test_octaves_do_not_share_their_zeros() -> None:
    """Variance of the finer octaves at the coarsest lattice points is that of elsewhere, within 5 % over many seeds."""
    rng = np.random.default_rng(4)
    spreads = [0.0, 0.0]
    gains = halves(5)
    for seed in range(800):
        rows = table(1 / 256, 6, seed)
        lattice = rng.integers(-(10**6), 10**6, (2, 300)) * 256 * 1024 - rows[0, 1:3, None] // (
            rows[0, 0] >> 10
        )
        for k, places in enumerate((lattice, lattice + rng.integers(0, 256 * 1024, lattice.shape))):
            out = np.empty(300, np.float32)
            octaves.fill_points(octaves.FBM, False, *places, rows[1:], gains, out)
            spreads[k] += float(out.var())
    assert spreads[0] == pytest.approx(spreads[1], rel=0.05)


@pytest.mark.parametrize("solid", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
def test_value_slope_and_curvature_are_continuous_across_cell_borders(axis: int, solid: bool) -> None:
    rng = np.random.default_rng(5)
    step = 1 << 16  # cells · 2^32 per 1/1024 m, so that 1024 positions make a cell
    worst = 0.0
    for case in range(100):
        row = np.array([[step << 6 << 10, 0, 0, case, rng.integers(0, 1 << 32)]], np.int64)
        along = np.arange(-16, 17) + 1024 * rng.integers(-1000, 1000)
        across = np.full_like(along, rng.integers(-(10**6), 10**6))
        out = np.empty(len(along), np.float32)
        octaves.fill_points(
            octaves.FBM,
            solid,
            *((along, across) if axis == 0 else (across, along)),
            row,
            np.ones(1, np.float32),
            out,
        )
        values = out[::2].astype(np.float64)
        worst = max(worst, float(np.abs(np.diff(values, 3)).max()))
    # Steps of 2^-9 cell: a jump of the curvature by 12 would show as 4.6e-5 in third differences, float32 as 1e-6.
    assert worst < 3e-6


def test_no_lattice_peak_in_the_power_spectrum() -> None:
    """Power along an axis: no bin stands out at the lattice frequency or its multiples."""
    n, cell = 1024, 16
    q = np.arange(n) * 1024
    power = np.zeros(n // 2)
    for seed in range(12):
        rows = table(1 / cell, 1, seed)
        values = grid(octaves.FBM, False, q, q, rows, np.ones(1, np.float32)).astype(np.float64)
        spectrum = np.abs(np.fft.fft2(values * np.outer(np.hanning(n), np.hanning(n)))) ** 2
        power += spectrum[:, : n // 2].mean(axis=0) + spectrum[: n // 2, :].mean(axis=1)
    for multiple in (1, 2, 3, 4):
        k = multiple * n // cell
        around = np.r_[power[k - 6 : k - 2], power[k + 3 : k + 7]]
        assert power[k - 1 : k + 2].max() < 1.35 * around.max()


def test_gradients_of_3d_noise_are_the_edges_of_a_cube_equally_often() -> None:
    rng = np.random.default_rng(6)
    found: dict[tuple[float, ...], int] = {}
    for hashed in rng.integers(0, 1 << 32, 12_000):
        g = tuple(float(v) for v in octaves.gradient3(np.uint32(hashed)))
        found[g] = found.get(g, 0) + 1
    assert sorted(found) == sorted(
        (x, y, z)
        for x in (-1.0, 0, 1)
        for y in (-1.0, 0, 1)
        for z in (-1.0, 0, 1)
        if abs(x) + abs(y) + abs(z) == 2
    )
    assert min(found.values()) > 850


def test_jitted_equals_plain_python() -> None:
    """Every form on a small block, in a process without a compiler."""
    code = (
        "import numpy as np\n"
        "from game.kernels.improved import improved_noise\n"
        "from tests.kernels.test_octaves import CASES, block\n"
        "np.seterr(all='raise', under='ignore')\n"
        "print(b''.join(block(*case) for case in CASES).hex(), improved_noise(3.7, -42.1, 7.6).hex())\n"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    plain = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout.split()
    assert plain[0] == b"".join(block(*case) for case in CASES).hex()
    assert plain[1] == improved_noise(3.7, -42.1, 7.6).hex()


def block(kind: int, solid: bool) -> bytes:
    """A grid over a cell border, the same as points, and an explanation, as bytes."""
    rows, gains = table(0.09, 5), halves(5)
    q = np.arange(-9, 9, dtype=np.int64) * 1024 + 10**12
    points = np.empty(6, np.float32)
    octaves.fill_points(kind, solid, q[:6], -q[:6], rows, gains, points)
    arrays = (
        np.empty((5, 3), np.int64),
        np.empty((5, 8), np.uint32),
        np.empty((5, 8, 3), np.float32),
        np.empty((5, 8), np.float32),
        np.empty((5, 2), np.float32),
    )
    total = np.float32(octaves.explain(kind, solid, int(q[3]), 5, rows, gains, *arrays))
    same = np.float32(octaves.point(kind, solid, int(q[3]), 5, rows, gains))
    fields = [grid(kind, solid, q, -q[3:6], rows, gains), points, *arrays, np.array([total, same])]
    return b"".join(part.tobytes() for part in fields)


def test_improved_noise_is_the_published_one() -> None:
    assert sorted(PERMUTATION.tolist()) == list(range(256))
    # Rosetta Code, "Perlin noise": the value that all its translations of the reference print.
    assert improved_noise(3.14, 42.0, 7.0) == 0.13691995878400012
    rng = np.random.default_rng(7)
    for x, y, z in rng.integers(-1000, 1000, (50, 3)).astype(float):
        assert improved_noise(x, y, z) == 0.0
    for x, y, z in rng.uniform(-300, 300, (200, 3)):
        assert abs(improved_noise(x, y, z)) <= 1.0
        assert improved_noise(x, y, z) == pytest.approx(improved_noise(x + 256, y - 256, z + 512), abs=1e-9)


def test_improved_noise_by_hand() -> None:
    """In the middle of cell (0, 0, 0): the mean of eight products, worked out from the table by hand."""
    p = [*PERMUTATION.tolist(), *PERMUTATION.tolist()]
    edges = [(1, 1, 0), (-1, 1, 0), (1, -1, 0), (-1, -1, 0), (1, 0, 1), (-1, 0, 1), (1, 0, -1), (-1, 0, -1)]
    edges += [(0, 1, 1), (0, -1, 1), (0, 1, -1), (0, -1, -1), (1, 1, 0), (0, -1, 1), (-1, 1, 0), (0, -1, -1)]
    mean = sum(
        np.dot(edges[p[p[p[i] + j] + k] & 15], (0.5 - i, 0.5 - j, 0.5 - k))
        for i in (0, 1)
        for j in (0, 1)
        for k in (0, 1)
    )
    assert improved_noise(0.5, 0.5, 0.5) == pytest.approx(mean / 8)
