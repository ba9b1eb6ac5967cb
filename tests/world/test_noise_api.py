"""`Noise` and threaded heights: the same bits from every method, and sentences for bad input."""

from __future__ import annotations

import hashlib
import math
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from game.world import Noise, World


@pytest.mark.parametrize("kind", ["fbm", "billow", "ridged"])
@pytest.mark.parametrize("slice_y", [None, 0.5])
def test_methods_agree_bit_for_bit(kind: str, slice_y: float | None) -> None:
    noise = Noise(-5, frequency=0.013, octaves=6, lacunarity=1.9, kind=kind, slice_y=slice_y, amplitude=40.0)
    x0, z0 = -1e9 + 3.25, 77.5
    grid = noise.grid(x0, z0, 70, 40, 0.5)
    assert grid.shape == (40, 70)
    assert grid.dtype == np.float32
    for j, i in ((0, 0), (39, 69), (7, 33)):
        x, z = x0 + i * 0.5, z0 + j * 0.5
        why = noise.explain(x, z)
        assert noise.at(x, z) == grid[j, i] == why.value
        assert all(math.isclose(sum(part.weights), 1.0, abs_tol=1e-5) for part in why.octaves)
        assert len(why.octaves[0].hashes) == (4 if slice_y is None else 8)
    xs, zs = np.meshgrid(x0 + np.arange(70) * 0.5, z0 + np.arange(40) * 0.5)
    assert np.array_equal(noise.values(xs, zs), grid)


@pytest.mark.parametrize("slice_y", [None, 2.0])
def test_threads_and_tiles_give_the_same_digest(slice_y: float | None) -> None:
    noise = Noise(3, slice_y=slice_y)
    told: list[tuple[int, int]] = []
    digests = {
        hashlib.sha256(field.tobytes()).hexdigest()
        for field in (
            noise.grid(-300, 5, 900, 700, 1),
            noise.grid(-300, 5, 900, 700, 1, threads=2),
            noise.grid(
                -300, 5, 900, 700, 1, threads=7, progress=lambda done, rows: told.append((done, rows))
            ),
            np.block(
                [
                    [noise.grid(-300 + i, 5 + j, n, m, 1) for i, n in ((0, 301), (301, 599))]
                    for j, m in ((0, 13), (13, 687))
                ]
            ),
        )
    }
    assert len(digests) == 1
    assert told[-1] == (700, 700)
    assert told == sorted(told)


def test_threaded_heights_are_the_same() -> None:
    world = World("alpine", seed=7)
    told: list[tuple[int, int]] = []
    for spacing in (4.0, 5.0):
        plain = world.heights(-400, 800, 90, 300, spacing)
        assert np.array_equal(
            plain, world.heights(-400, 800, 90, 300, spacing, threads=3, progress=lambda *at: told.append(at))
        )
    assert told[-1] == (300, 300)


def test_a_given_field_is_filled() -> None:
    noise, out = Noise(2), np.empty((30, 20), np.float32)
    assert noise.grid(5, 6, 20, 30, 1, out=out) is out
    assert np.array_equal(out, noise.grid(5, 6, 20, 30, 1))
    for bad in (np.empty((20, 30), np.float32), np.empty((30, 20)), np.empty((60, 20), np.float32)[::2]):
        with pytest.raises(ValueError, match="C-contiguous"):
            noise.grid(5, 6, 20, 30, 1, out=bad)


def test_progress_may_stop_the_work() -> None:
    def stop(done: int, rows: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Noise().grid(0, 0, 64, 64, 1, threads=2, progress=stop)


def test_seeds_and_octaves_matter() -> None:
    fields = [Noise(seed).grid(0, 0, 64, 64, 1) for seed in (0, 1, -1, 1 << 63)]
    assert len({field.tobytes() for field in fields}) == 4
    assert abs(np.corrcoef([field.ravel() for field in fields])[0, 1:]).max() < 0.5
    one = Noise(4, octaves=1).grid(0, 0, 64, 64, 1)
    assert np.array_equal(Noise(4, octaves=9, gain=0.0).grid(0, 0, 64, 64, 1), one)


def test_octaves_beyond_the_sampling_limit_are_left_out() -> None:
    coarse = Noise(1, frequency=0.01, octaves=3).grid(0, 0, 50, 50, 12)
    assert np.array_equal(Noise(1, frequency=0.01, octaves=9).grid(0, 0, 50, 50, 12), coarse)
    assert Noise(1, frequency=0.7, octaves=8).frequencies == (0.7, 1.4)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"octaves": 0}, ["octaves = 0", "1 to 16"]),
        ({"octaves": 99}, ["octaves = 99", "1 to 16"]),
        ({"octaves": 2.5}, ["octaves = 2.5"]),
        ({"octaves": True}, ["octaves = True"]),
        ({"gain": math.nan}, ["gain = nan", "0 to 1"]),
        ({"lacunarity": 0.5}, ["lacunarity = 0.5"]),
        ({"frequency": -0.1}, ["frequency = -0.1"]),
        ({"frequency": 3.0}, ["frequency = 3.0", "2"]),
        ({"amplitude": math.inf}, ["amplitude = inf"]),
        ({"kind": "value"}, ["kind = 'value'", "ridged"]),
        ({"slice_y": math.nan}, ["slice_y = nan"]),
        ({"seed": 1.5}, ["seed = 1.5"]),
    ],
)
def test_bad_parameters(arguments: dict, named: list[str]) -> None:
    with pytest.raises(ValueError) as caught:
        Noise(**arguments)
    assert all(word in str(caught.value) for word in named), caught.value


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((0, 0, 10**6, 10**6, 1), ["nx", "1000000", "268435456"]),
        ((0, 0, 0, 5, 1), ["nx = 0"]),
        ((0, 0, 5, -1, 1), ["nz = -1"]),
        ((0, 0, 5, 5, math.nan), ["spacing = nan"]),
        ((0, 0, 5, 5, -1.0), ["spacing = -1.0"]),
        ((math.nan, 0, 5, 5, 1), ["x0 = nan"]),
        ((0, 1e9, 5, 5, 1), ["z0 + 4", "1e+09"]),
        ((0, -1.1e9, 5, 5, 1), ["z0 = -1"]),
        ((0, 0, 5, 5, 100.0), ["frequency", "spacing = 100", "two samples"]),
    ],
)
def test_bad_regions_are_refused_before_anything_is_allocated(arguments: tuple, named: list[str]) -> None:
    noise = Noise()
    tracemalloc.start()
    try:
        with pytest.raises(ValueError) as caught:
            noise.grid(*arguments)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
    assert all(word in str(caught.value) for word in named), caught.value


def test_the_example_in_the_docs_runs(capsys: pytest.CaptureFixture[str]) -> None:
    text = (Path(__file__).parents[2] / "docs" / "noise.md").read_text(encoding="utf-8")
    exec(text.split("```python\n")[1].split("```")[0], {})
    assert "skeleton" in capsys.readouterr().out


def test_a_world_refuses_what_is_no_number() -> None:
    world = World("alpine", seed=1)
    for call, named in (
        (lambda: World("alpine", seed=1.5), "seed = 1.5"),
        (lambda: World("alpine", seed="7"), "seed = '7'"),
        (lambda: world.heights(0, 0, 5.5, 5, 1), "nx = 5.5"),
        (lambda: world.heights(0, 0, 5, True, 1), "nz = True"),
        (lambda: world.heights("0", 0, 5, 5, 1), "x0 = '0'"),
        (lambda: world.heights(0, 0, 5, 5, None), "spacing = None"),
        (lambda: world.height("a", 0), "x = 'a'"),
        (lambda: world.biome(0, None), "z = None"),
    ):
        with pytest.raises(ValueError, match="is not accepted") as caught:
            call()
        assert named in str(caught.value)


def test_bad_positions_and_threads() -> None:
    noise = Noise()
    for call in (
        lambda: noise.at(math.nan, 0),
        lambda: noise.explain(0, 2e9),
        lambda: noise.values([0, math.inf], 0),
    ):
        with pytest.raises(ValueError, match="metres"):
            call()
    for threads in (0, 65, 1.5, True):
        with pytest.raises(ValueError, match="threads"):
            noise.grid(0, 0, 8, 8, 1, threads=threads)
    world = World("alpine", seed=1)
    with pytest.raises(ValueError, match="samples"):
        world.heights(0, 0, 10**6, 10**6, 1)
    with pytest.raises(ValueError, match="threads"):
        world.heights(0, 0, 8, 8, 1, threads=0)
