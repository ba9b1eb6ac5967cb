"""The same land everywhere: digests of reference pages and fields over threads, tile origins and CPU targets.

What is promised, and what each test covers, is in docs/determinism.md.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice, product
from pathlib import Path

import numpy as np
import pytest

from game.core.coords import GENERATED, GENERATED_APRON, WORLD_LIMIT_M, PageKey
from game.world import Noise
from game.world.page import PageData
from game.world.recipe import Recipe
from game.world.source import HeightSource

ROOT = Path(__file__).parents[2]
PAGES = 64
LEVELS = (0, 1, 3, 5, 8, 11)
ORIGINS = ((0.0, 0.0), (-1.0, 1.0), (1.0, -0.73), (-0.31, -1.0))
"""In units of the world's limit, ±1e9 m."""


def reference() -> list[tuple[str, PageKey]]:
    """64 pages over recipes, levels and origins, near and at the limit, in an order that does not favour any."""
    found = []
    for index, (origin, level) in enumerate(product(ORIGINS, LEVELS)):
        span = 128 << level
        ix, iz = (int(part * WORLD_LIMIT_M) // span + index % 3 - 1 for part in origin)
        found.extend((name, PageKey(level, ix, iz)) for name in Recipe.names())
    step = next(step for step in (7, 11, 13, 17) if len(found) % step)
    return [found[k * step % len(found)] for k in islice(cycle(range(len(found))), PAGES)]


def page_digest(page: PageData) -> str:
    parts = (page.base, page.heights, page.normals, page.climate)
    return hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts)).hexdigest()


def sources() -> dict[str, HeightSource]:
    return {name: HeightSource(Recipe.load(name), 20_260) for name in Recipe.names()}


def noise_digest() -> str:
    """Every kind and dimension of noise, near and far."""
    digest = hashlib.sha256()
    for kind, slice_y, x0 in product(("fbm", "billow", "ridged"), (None, 0.5), (-300.0, 1e9 - 700.0)):
        noise = Noise(11, frequency=0.02, octaves=6, lacunarity=1.83, kind=kind, slice_y=slice_y)
        digest.update(noise.grid(x0, -40.5, 600, 50, 1.0).tobytes())
    return digest.hexdigest()


def digests() -> list[str]:
    """What a process of another CPU target has to print."""
    made = sources()
    return [page_digest(made[name].generate(key)) for name, key in reference()] + [noise_digest()]


def test_the_reference_covers_what_it_should() -> None:
    pages = reference()
    assert len(pages) == PAGES
    assert {name for name, _ in pages} == set(Recipe.names())
    assert {key.level for _, key in pages} == set(LEVELS)
    assert max(abs(key.origin_m[0]) for _, key in pages) > 0.99 * WORLD_LIMIT_M


def test_serial_and_threaded_pages_are_the_same_bytes() -> None:
    pages = reference()
    made = sources()
    serial = [page_digest(made[name].generate(key)) for name, key in pages]
    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(made[name].generate, key) for name, key in reversed(pages)]
        threaded = [page_digest(job.result()) for job in reversed(jobs)]
    assert threaded == serial


def test_any_tile_origin_gives_the_pages_heights() -> None:
    made = sources()
    for k, (name, key) in enumerate(reference()[::4]):
        page = made[name].generate(key)
        i0, j0 = (first - GENERATED_APRON for first in key.origin_sample)
        di, dj = 3 + 5 * k % 90, 1 + 7 * k % 80
        n, m = min(41, GENERATED - di), min(37, GENERATED - dj)
        block = made[name].block(key.level, i0 + di, j0 + dj, n, m)
        assert hashlib.sha256(block.tobytes()).digest() == (
            hashlib.sha256(page.base[dj : dj + m, di : di + n, 0].tobytes()).digest()
        ), (name, key)


@pytest.mark.slow
def test_the_generic_cpu_target_gives_the_same_bytes() -> None:
    environment = os.environ | {
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": "",
        "PYTHONPATH": str(ROOT),
    }
    code = "from tests.world.test_determinism import digests\nprint(*digests())\n"
    there = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout.split()
    assert there == digests()
