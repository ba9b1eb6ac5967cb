"""`veloterra export --format geojson`: coast lines that lie on the land they were made from."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from game.__main__ import main
from game.exchange.coast import clipped, coast_lines
from game.world import World
from game.world.waterline import Coast


@pytest.fixture(scope="module")
def islands() -> World:
    return World("islands", 7)


def test_coasts_lie_on_the_land_inside_the_bounds(islands: World) -> None:
    bounds = (3000.0, -3400.0, 4000.0, -2400.0)
    coasts = coast_lines(islands, bounds, 8.0, 0.0)
    assert coasts
    points = np.concatenate([coast.points for coast in coasts])
    assert points[:, 0].min() >= 3000.0
    assert points[:, 1].max() <= -2400.0
    # Samples 8 m apart against the land itself.
    heights = [islands.height(x, z) for x, z in points[::9].tolist()]
    assert np.median(np.abs(heights)) < 0.5
    assert sum(coast.length_m for coast in coasts) > 900.0


def test_a_ring_cut_by_the_bounds_is_two_open_lines_and_whole_inside_them() -> None:
    turn = np.linspace(0.0, 2.0 * np.pi, 201)
    ring = np.stack([50.0 * np.cos(turn), 50.0 * np.sin(turn)], axis=1)
    ring[-1] = ring[0]
    coast = Coast(ring, True)
    assert clipped(coast, (-60.0, -60.0, 60.0, 60.0)) == [coast]
    cut = clipped(coast, (-30.0, -60.0, 30.0, 60.0))
    assert [piece.closed for piece in cut] == [False, False]
    for piece in cut:
        assert sorted(np.abs(piece.points[[0, -1], 0]).round(9)) == [30.0, 30.0]
    # Begun inside: still one line.
    (half,) = clipped(coast, (0.0, -60.0, 60.0, 60.0))
    assert half.length_m == pytest.approx(50.0 * np.pi, rel=1e-3)


def test_the_command_writes_geojson(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "coast.geojson"
    words = f"export --world islands --seed 7 --format geojson --spacing 16 --sea 10 --out {out}"
    assert main([*words.split(), "--bounds", "-500,-6000,4500,2000"]) == 0
    assert "of a sea at 10 m" in capsys.readouterr().out
    data = json.loads(out.read_text())
    assert data["type"] == "FeatureCollection"
    assert data["veloterra"]["sea_level_m"] == 10.0
    line = data["features"][0]
    assert line["geometry"]["type"] == "LineString"
    assert line["properties"]["kind"] == "coast"
    x, north = line["geometry"]["coordinates"][0]
    assert -500.0 <= x <= 4500.0
    assert -2000.0 <= north <= 6000.0


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("--format geojson --bounds 0,0,100,100 --spacing 8 --min 3", "--min"),
        ("--format obj --bounds 0,0,100,100 --spacing 8 --sea 3", "--sea"),
        ("--format geojson --bounds 0,0,0,100 --spacing 8", "empty"),
        ("--format geojson --bounds 0,0,900000,900000 --spacing 1", "4096"),
        ("--format geojson --bounds 0,0,100,100 --spacing 8 --sea high", "high"),
    ],
)
def test_mistakes_are_named(
    words: str, named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "x"
    assert main(["export", *words.split(), "--out", str(out)]) == 2
    assert named in capsys.readouterr().err
    assert not out.exists()
