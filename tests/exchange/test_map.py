"""`veloterra map`: pictures without seams, streamed, and one sentence for what cannot be drawn."""

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from game.__main__ import main
from game.core.errors import UsageError
from game.exchange.map import MapRequest, picture_rows, size_for
from game.exchange.map_paint import LAYERS
from game.exchange.png import PngWriter
from game.world import World


@pytest.fixture(scope="module")
def world() -> World:
    return World("alpine", seed=7)


def picture(world: World, **request: object) -> np.ndarray:
    return np.concatenate(list(picture_rows(world, MapRequest(**request))))  # type: ignore[arg-type]


def test_png_rows_come_back(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    pixels = rng.integers(0, 256, (37, 21, 3), np.uint8)
    path = tmp_path / "a.png"
    with PngWriter(path, 21, 37, {"Software": "test"}) as writer:
        for first in range(0, 37, 10):
            writer.write(pixels[first : first + 10])
    with Image.open(path) as image:
        assert image.info["Software"] == "test"
        assert np.array_equal(np.asarray(image), pixels)


def test_a_broken_off_picture_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), PngWriter(tmp_path / "a.png", 4, 4):
        raise KeyboardInterrupt
    with pytest.raises(ValueError, match="0 rows"), PngWriter(tmp_path / "a.png", 4, 4):
        pass
    with pytest.raises(ValueError, match="uint8"), PngWriter(tmp_path / "a.png", 4, 4) as writer:
        writer.write(np.zeros((1, 5, 3), np.uint8))
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UsageError, match="cannot be written"):
        PngWriter(tmp_path / "missing" / "a.png", 4, 4)


@pytest.mark.parametrize("layer", LAYERS)
def test_layers_draw_the_same_on_any_number_of_threads(world: World, layer: str) -> None:
    request = {"layer": layer, "bounds": (-3000.0, -900.0, 2000.0, 1600.0), "size": (220, 110)}
    one = picture(world, **request, threads=1)
    assert one.shape == (110, 220, 3)
    assert one.std() > 5.0
    assert np.array_equal(one, picture(world, **request, threads=3))


@pytest.mark.parametrize("layer", ["hillshade", "biome", "slope"])
@pytest.mark.parametrize("metres", [10.0, 0.5, 37.0])
def test_a_part_is_a_cut_of_the_whole(world: World, layer: str, metres: float) -> None:
    """Pixels depend on where they are, not on the picture or page they are drawn with."""
    x0, z0 = -1_000_000.0, 250_000.0
    whole = picture(
        world, layer=layer, bounds=(x0, z0, x0 + 300 * metres, z0 + 200 * metres), size=(300, 200)
    )
    part = picture(
        world,
        layer=layer,
        bounds=(x0 + 70 * metres, z0 + 33 * metres, x0 + 170 * metres, z0 + 133 * metres),
        size=(100, 100),
    )
    difference = np.abs(whole[33:133, 70:170].astype(int) - part)
    assert difference.max() <= 1  # positions differ by rounding


def test_hillshade_of_a_pixel_is_its_heights(world: World) -> None:
    """The slope picture against central differences of the public heights."""
    got = picture(world, layer="slope", bounds=(0.0, 0.0, 256.0, 64.0), size=(64, 16))
    xs, zs = 2.0 + 4.0 * np.arange(64), 2.0 + 4.0 * np.arange(16)
    h = world.heights(-4.0, -4.0, 67, 19, 4.0).astype(float)
    gx, gz = (h[1:-1, 2:] - h[1:-1, :-2]) / 8.0, (h[2:, 1:-1] - h[:-2, 1:-1]) / 8.0

    def middle(field: np.ndarray) -> np.ndarray:
        return (field[:-1, :-1] + field[1:, :-1] + field[:-1, 1:] + field[1:, 1:]) / 4.0

    degrees = np.degrees(np.arctan(np.hypot(middle(gx), middle(gz))))
    assert (len(xs), len(zs)) == (64, 16)
    red = np.interp(degrees, [0, 10, 20, 30, 40, 60], [245, 190, 240, 235, 190, 90])
    assert np.abs(got[:, :, 0] - red).max() < 2.0


def test_contours_cross_page_borders_unbroken(world: World) -> None:
    """Every row of pixels above and below a border has about as much ink as its neighbour."""
    pixels = picture(
        world, layer="contours", bounds=(-2560.0, -640.0, 2560.0, 640.0), size=(512, 128), interval_m=20.0
    ).astype(int)
    ink = pixels.min(axis=2) < 140
    for border in (64,):  # z = 0 is a page border
        crossing = ink[border - 1] & (ink[border] | np.roll(ink[border], 1) | np.roll(ink[border], -1))
        assert crossing.sum() >= 0.8 * ink[border - 1].sum()


def test_a_huge_picture_is_streamed() -> None:
    """The first row of pages of a 32k × 32k picture needs a small part of its 3 GiB."""
    world = World("alpine", seed=1)
    request = MapRequest(layer="hillshade", bounds=(0.0, 0.0, 6e7, 6e7), size=(32768, 32768), threads=2)
    rows = picture_rows(world, request, stop_after(40))
    tracemalloc.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            next(rows)
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()


def stop_after(pages: int) -> Callable[[int, int], None]:
    def progress(done: int, total: int) -> None:
        assert total >= 128 * 128
        if done >= pages:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--bounds", "0,0,0,0"], ["bounds", "empty"]),
        (["--bounds", "5,0,1,9"], ["bounds = 5,0,1,9", "X0 < X1"]),
        (["--bounds", "nan,0,1,1"], ["bounds = nan", "1e9"]),
        (["--bounds", "0,0,2e9,5"], ["bounds", "2e+09", "1e9"]),
        (["--bounds", "1,2,3"], ["'1,2,3'", "X0,Z0,X1,Z1"]),
        (["--size", "1000000x1000000"], ["1000000", "65536"]),
        (["--size", "0x5"], ["width = 0", "65536"]),
        (["--size", "big"], ["'big'", "WIDTHxHEIGHT"]),
        (["--bounds", "0,0,1000000,1000000", "--spacing", "1"], ["1000000 x 1000000", "65536"]),
        (["--spacing", "-3"], ["spacing = -3", "metres"]),
        (["--spacing", "nan"], ["spacing = nan"]),
        (["--spacing", "x"], ["--spacing", "'x'"]),
        (["--size", "9x9", "--spacing", "3"], ["--size", "--spacing"]),
        (["--layer", "mood"], ["'mood'", "contours"]),
        (["--layer", "contours", "--interval", "0"], ["interval", "0.01"]),
        (["--world", "atlantis"], ["'atlantis'", "alpine"]),
        (["--seed", "x"], ["'x'", "integer"]),
        (["--out", "map.jpg"], ["map.jpg", "FILE.png"]),
        (["--out", "/dev/null/map.png"], ["/dev/null"]),
        (["--explain", "0,nan"], ["'0,nan'"]),
        (["--bounds", "-1e9,-1e9,1e9,1e9", "--size", "5x5"], ["m a pixel"]),
    ],
)
def test_mistakes_exit_2_with_one_sentence(
    words: list[str],
    named: list[str],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["map", *words]) == 2
    error = capsys.readouterr().err.strip()
    assert "\n" not in error
    assert "Traceback" not in error
    for word in named:
        assert word in error, error
    assert list(tmp_path.iterdir()) == []


def test_the_command_writes_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "valley.png"
    words = f"map --seed 7 --bounds -800,-400,800,400 --spacing 10 --layer biome --out {out}".split()
    assert main(words) == 0
    with Image.open(out) as image:
        assert image.size == (160, 80)
        assert "seed 7" in image.info["Description"]
    assert "160 x 80" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["valley.png"]


def test_explain_prints_a_stack_that_adds_up(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["map", "--seed", "7", "--explain", "-5,3"]) == 0
    text = capsys.readouterr().out
    assert "skeleton" in text
    last = re.findall(r"(-?\d+\.\d+) m", text.split("°C")[0])[-1]
    assert float(last) == pytest.approx(world.explain(-5.0, 3.0).land_m, abs=1e-3)
    stack = world.layers(-5.0, 3.0)
    assert sum(layer.adds_m for layer in stack) == pytest.approx(stack[-1].height_m, abs=1e-6)


def test_size_for() -> None:
    assert size_for((0.0, 0.0, 2000.0, 1000.0), None) == (1024, 512)
    assert size_for((0.0, 0.0, 2000.0, 1000.0), 10.0) == (200, 100)
