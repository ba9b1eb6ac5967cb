"""Undergrowth: where the shader lets plants grow, read back plant by plant, and what is drawn of it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

import numpy as np
import pytest

from game.core.coords import PageKey
from game.core.settings import PRESETS
from game.gl.context import GLContext
from game.lod.selection import Selection
from game.render.frame import FrameView
from game.render.undergrowth_grid import Kind, grid_of, kinds, pages_near, seen_box
from tests.render.scene import TINY, frame_view, hills, make_page, select

pytestmark = pytest.mark.gl

MEADOW = (125, 150, 0, 0)
GRASS = Kind(0, "tuft", 1, 2, 40.0)
FLOWERS = Kind(1, "flower", 1, 2, 40.0)
SHRUBS = Kind(2, "shrub", 2, 1, 60.0)

PROBE = """
#include "frame.glsl"
#include "undergrowth.glsl"
layout(location = 0) out vec4 found;
void main() {
    Plant plant = plant_at(int(gl_FragCoord.y) * 128 + int(gl_FragCoord.x));
    found = vec4(plant.foot, plant.grown);
}
"""

Places = dict[tuple[int, int], tuple[float, float]]
"""World place in 1/64 m → height, how grown."""


class Meadow:
    """A renderer on hills of one climate; reads plants back from the shader."""

    def __init__(
        self, gl: GLContext, climate: tuple[int, int, int, int] = MEADOW, preset: str = "low"
    ) -> None:
        from game.render.renderer import Renderer

        self.gl, self.climate = gl, climate
        self.renderer = Renderer(gl, dataclasses.replace(TINY, name=preset), 64, 36)
        self.layers: dict[PageKey, int] = {}
        self.sent: set[PageKey] = set()

    def view(self, x: float, z: float, yaw_rad: float = 0.0, **changes: object) -> FrameView:
        selection, needed = select(x, z, 2.0, TINY, self.layers)
        for key in needed:
            if key not in self.sent:
                self.renderer.upload(self.layers[key], make_page(key, hills, self.climate))
                self.sent.add(key)
        y = float(hills(np.array([x]), np.array([z]))[0]) + 2.0
        view = frame_view(selection, (x, y, z), yaw_rad, sea_level_m=-500.0)
        return dataclasses.replace(view, seed=7, growth_line_m=-1000.0, **changes)

    def plants(self, view: FrameView, kind: Kind = GRASS) -> Places:
        """All that have begun to grow, by place."""
        from game.gl.api import GL
        from game.gl.framebuffer import Framebuffer
        from game.gl.preprocess import expand, load
        from game.gl.program import Program
        from game.gl.texture import RGBA32F, Texture2D
        from game.gl.vertex_array import VertexArray
        from game.render.undergrowth import lend
        from game.render.uniforms import generated_includes

        made = generated_includes()
        program = Program(
            self.gl,
            load("fullscreen.vert", made, kind.defines),
            expand("probe.frag", PROBE, made, kind.defines),
            {"Frame": 0},
            {"page_heights": 0, "page_climate": 2, "noise_tile": 3},
        )
        self.renderer.draw(view)
        self.renderer._bind_land()
        number = lend(program, kind, view, pages_near(view.selection))
        rows = math.ceil(number / 128)
        texture = Texture2D(self.gl, 128, max(rows, 1), RGBA32F)
        target = Framebuffer(self.gl, texture)
        array = VertexArray(self.gl)
        target.bind()
        program.use()
        GL.glDisable(GL.GL_DEPTH_TEST)
        array.draw(3)
        raw = GL.glReadPixels(0, 0, 128, max(rows, 1), GL.GL_RGBA, GL.GL_FLOAT)
        for thing in (array, target, texture, program):
            thing.release()
        found = np.asarray(raw, np.float32).reshape(-1, 4)[:number]
        found = found[found[:, 3] > 0.0].astype(np.float64)
        camera = view.camera
        return {
            (round((x + camera.x) * 64.0), round((z + camera.z) * 64.0)): (y + camera.y, grown)
            for x, y, z, grown in found.tolist()
        }

    def close(self) -> None:
        self.renderer.release()


@pytest.fixture
def meadow(gl_context: GLContext) -> Iterator[Meadow]:
    made = Meadow(gl_context)
    yield made
    made.close()


def near(found: Places, x: float, z: float, reach_m: float) -> dict[tuple[int, int], float]:
    return {
        place: height
        for place, (height, _) in found.items()
        if math.hypot(place[0] / 64.0 - x, place[1] / 64.0 - z) < reach_m
    }


def test_plants_stand_where_they_stood_whoever_looks(meadow: Meadow) -> None:
    """From either side of a page's border, the same plants at the same heights."""
    middle = (128.0, 60.0)
    west = near(meadow.plants(meadow.view(126.3, 60.4, math.pi / 2)), *middle, 6.0)
    east = near(meadow.plants(meadow.view(131.8, 61.2, -math.pi / 2)), *middle, 6.0)
    shared = {place for place in west if place in east}
    # Few are missing: those between their own ends of range for the two eyes, and cells behind either camera.
    assert len(shared) > 60
    assert max(abs(west[place] - east[place]) for place in shared) < 2e-3
    inside = {place for place in west if 126.8 < place[0] / 64.0 < 131.0}
    assert len(inside - set(east)) <= 0.02 * len(inside)


def test_they_stand_on_the_drawn_land(meadow: Meadow) -> None:
    for (i, j), (height, _) in meadow.plants(meadow.view(40.0, 30.0)).items():
        x, z = i / 64.0, j / 64.0
        x0, z0 = math.floor(x), math.floor(z)
        corner = hills(np.array([x0, x0 + 1])[None, :], np.array([z0, z0 + 1])[:, None])
        fx, fz = x - x0, z - z0
        middle = corner[0, 1] if fx >= fz else corner[1, 0]
        share = (1.0 - max(fx, fz), abs(fx - fz), min(fx, fz))
        assert height == pytest.approx(float(np.dot(share, (corner[0, 0], middle, corner[1, 1]))), abs=0.03)


def test_the_seed_decides_and_nothing_else(meadow: Meadow) -> None:
    view = meadow.view(40.0, 30.0)
    first = meadow.plants(view)
    assert first == meadow.plants(view)
    assert len(first) > 300
    other = meadow.plants(dataclasses.replace(view, seed=8))
    assert len(set(first) & set(other)) < 0.05 * len(first)


@pytest.mark.parametrize("kind", [GRASS, FLOWERS, SHRUBS], ids=["grass", "flowers", "shrubs"])
@pytest.mark.parametrize(
    "climate",
    [(125, 150, 255, 0), (20, 150, 0, 0), (230, 10, 0, 0)],
    ids=["rock", "snow", "sand"],
)
def test_nothing_grows_on_rock_snow_and_sand(
    gl_context: GLContext, kind: Kind, climate: tuple[int, int, int, int]
) -> None:
    barren = Meadow(gl_context, climate)
    assert barren.plants(barren.view(40.0, 30.0), kind) == {}
    barren.close()


@pytest.mark.parametrize("kind", [GRASS, FLOWERS, SHRUBS], ids=["grass", "flowers", "shrubs"])
def test_nothing_grows_under_the_sea(meadow: Meadow, kind: Kind) -> None:
    view = meadow.view(40.0, 30.0)
    dry = meadow.plants(view, kind)
    level = float(np.median([height for height, _ in dry.values()]))
    half = meadow.plants(dataclasses.replace(view, sea_level_m=level), kind)
    assert all(height > level + 0.5 for height, _ in half.values())
    assert len(half) < len(dry)
    assert meadow.plants(dataclasses.replace(view, sea_level_m=200.0), kind) == {}


def test_they_grow_out_of_the_land_without_a_jump(meadow: Meadow) -> None:
    """The camera creeps toward a hundred plants: none changes by more than a little per step."""
    before: Places = {}
    for step in range(6):
        now = meadow.plants(meadow.view(40.0, 30.0 - 0.1 * step))
        for place in set(before) & set(now):
            assert abs(now[place][1] - before[place][1]) < 0.05
        for place in set(now) ^ set(before) if before else ():
            own = now.get(place) or before[place]
            x, z = place[0] / 64.0 - 40.0, place[1] / 64.0 - 30.0
            # Behind the camera cells come and go unseen.
            assert own[1] < 0.05 or z > -1.0 or abs(x) > 0.6 * -z
        before = now


def test_the_box_holds_what_is_in_sight() -> None:
    selection, _ = select(0.0, 0.0, 2.0, TINY, {})
    for yaw in np.linspace(-3.0, 3.0, 13):
        for pitch in (-1.4, -0.6, 0.0, 0.4):
            camera = frame_view(selection, (0.0, 2.0, 0.0), float(yaw), pitch, (160, 90)).camera
            box = seen_box(camera, 40.0)
            ray = np.array([math.sin(yaw), -math.cos(yaw)])
            for along in (1.0, 20.0, 39.9):
                x, z = ray * along
                assert box[0] <= x <= box[2]
                assert box[1] <= z <= box[3]
    # Straight ahead it leaves out most of what lies behind.
    assert seen_box(frame_view(selection, (0.0, 2.0, 0.0), 0.0, 0.0).camera, 40.0)[3] < 2.0


def test_grid_and_pages_far_from_the_origin() -> None:
    x, z = 999_000_000.3, -999_000_000.6
    selection, _ = select(x, z, 2.0, TINY, {})
    grid = grid_of(SHRUBS, selection, (-10.0, -10.0, 10.0, 10.0))
    assert grid.first_cell == (math.floor((x - 10.0) / 2), math.floor((z - 10.0) / 2))
    assert grid.first_corner[0] == grid.first_cell[0] * 2 - selection.anchor_x
    assert grid.columns in (10, 11, 12)
    found = pages_near(selection)
    assert 1 <= len(found) <= 9
    assert len(set(found[:, 2].tolist())) == len(found)
    # The first holds the eye.
    assert (found[0, :2] <= 0.0).all()
    assert (found[0, :2] > -128.0).all()


def test_high_above_nothing_is_looked_at(meadow: Meadow) -> None:
    view = meadow.view(40.0, 30.0)
    selection: Selection = dataclasses.replace(view.selection, altitude_m=np.float32(300.0))
    meadow.renderer.draw(dataclasses.replace(view, selection=selection))
    assert meadow.renderer._undergrowth.placed == 0


def test_presets_rise_and_low_is_sparse() -> None:
    count = {
        name: sum(kind.side**2 / kind.cell_m**2 * kind.reach_m**2 for kind in kinds(name)) for name in PRESETS
    }
    assert count["low"] < count["medium"] < count["high"] < count["ultra"]
    assert count["low"] < 0.1 * count["high"]
    assert all(len({kind.number for kind in kinds(name)}) == len(kinds(name)) for name in PRESETS)


def test_it_shows_in_the_picture_and_moves_in_the_wind(gl_context: GLContext) -> None:
    grown = Meadow(gl_context, preset="high")
    view = grown.view(40.0, 30.0)
    grown.renderer.draw(view)
    assert grown.renderer._undergrowth.placed > 1000
    first = grown.renderer.read_pixels().astype(int)
    grown.renderer.draw(dataclasses.replace(view, time_s=0.7))
    moved = np.abs(grown.renderer.read_pixels().astype(int) - first).max(axis=2) > 8
    # Only plants move on land that stands still.
    assert 0.002 < moved[18:].mean() < 0.6
    grown.renderer.draw(dataclasses.replace(view, seed=8))
    other = np.abs(grown.renderer.read_pixels().astype(int) - first).max(axis=2) > 8
    assert other[18:].mean() > 0.05
    grown.close()
