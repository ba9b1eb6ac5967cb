"""Ground materials: tiles that repeat, detail without a cast of its own, bumps of the recipe, borders and creep."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from game.core.coords import PageKey
from game.gl.context import GLContext
from tests.render.scene import TINY, frame_view, hills, make_page, select

LAYERS = ("grass", "meadow", "forest_floor", "scree", "rock", "sand", "snow", "mud")
pytestmark = [pytest.mark.gl, pytest.mark.usefixtures("gl_context")]

EYE = (12.4, 34.0, -31.6)


def tiles() -> np.ndarray:
    from game.render import model

    sheet = model.picture("ground.png")
    return sheet.reshape(len(LAYERS), sheet.shape[1], sheet.shape[1], 4)


def test_layers_are_those_of_the_shader() -> None:
    from game.render import materials

    assert materials.LAYERS == LAYERS


@pytest.mark.parametrize("layer", range(len(LAYERS)), ids=LAYERS)
def test_tiles_repeat_without_a_seam(layer: int) -> None:
    """The step over the rim is no greater than one inside the tile."""
    height = tiles()[layer, ..., 3].astype(np.float64)
    for axis in (0, 1):
        steps = np.abs(np.diff(height, axis=axis)).mean(axis=1 - axis).max()
        rim = np.abs(np.take(height, 0, axis) - np.take(height, -1, axis)).mean()
        assert rim <= steps


@pytest.mark.parametrize("layer", range(len(LAYERS)), ids=LAYERS)
def test_detail_has_no_cast_and_no_tilt(layer: int) -> None:
    """From afar, where mipmaps average it, only the biome's colour and the land's own normal are left."""
    from game.render.materials import RELIEF_M, detail_texels

    relief, colour = detail_texels(tiles()[layer], RELIEF_M[layer])
    assert np.abs(relief[..., :2].mean(axis=(0, 1)) - 127.5).max() < 1.0
    assert np.abs(colour[..., :3].mean(axis=(0, 1)) - 127.5).max() < 1.0
    assert relief[..., 3].std() > 20


def test_micro_of_a_recipe() -> None:
    from game.render.uniforms import TILE_PERIOD_M, micro_row

    turn, slope, reach = micro_row(1.0 / 1.2, 3.0)
    assert turn == int(turn)
    assert TILE_PERIOD_M / turn / 8 == pytest.approx(1.0 / 1.2, rel=0.01)
    assert slope > 1.0
    assert reach == pytest.approx(125.0)
    assert micro_row(1.0, 0.0)[1] == 0.0
    assert micro_row(10.24, 2.0)[1] == pytest.approx(2.0 * micro_row(10.24, 1.0)[1])


class Stage:
    def __init__(self, gl: GLContext, name: str, eye: tuple[float, float, float] = EYE) -> None:
        from game.render.renderer import Renderer

        self.quality = replace(TINY, name=name, view_m=400.0)
        self.renderer = Renderer(gl, self.quality, 160, 90)
        self.layers: dict[PageKey, int] = {}
        self.eye = eye

    def picture(self, moved_m: float = 0.0, **changes: object) -> np.ndarray:
        x, y, z = self.eye
        known = set(self.layers)
        selection, needed = select(x + moved_m, z, 6.0, self.quality, self.layers)
        for key in needed:
            if key not in known:
                self.renderer.upload(self.layers[key], make_page(key, hills))
        micro = changes.pop("micro_m", (1.0, 0.0))
        view = frame_view(selection, (x + moved_m, y, z), **{"pitch_rad": -0.45, **changes})  # type: ignore[arg-type]
        view.micro_m = micro  # type: ignore[assignment]
        self.renderer.draw(view)
        return self.renderer.read_pixels().astype(int)


@pytest.fixture(params=["low", "medium", "high"])
def stage(gl_context: GLContext, request: pytest.FixtureRequest) -> Iterator[Stage]:
    made = Stage(gl_context, request.param)
    yield made
    made.renderer.release()


def test_bumps_of_the_recipe_shade_and_never_move(stage: Stage) -> None:
    plain, bumpy = stage.picture(), stage.picture(micro_m=(1.0 / 1.2, 3.0))
    assert np.abs(bumpy - plain)[50:].mean() > 3.0
    assert np.array_equal(bumpy[:10], plain[:10])  # far hills and sky


def test_material_goes_on_over_the_border_of_a_page(stage: Stage) -> None:
    """Looking straight down on x = 0, a border of pages at every level: no step there beyond those beside it."""
    stage.eye = (0.0, 60.0, -64.0)
    down = stage.picture(pitch_rad=-np.pi / 2).sum(axis=2)
    steps = np.abs(np.diff(down, axis=1)).mean(axis=0)
    middle = down.shape[1] // 2
    beside = np.delete(steps[middle - 12 : middle + 12], [11, 12])
    assert steps[middle - 1 : middle + 1].max() < beside.mean() + 4.0 * beside.std() + 1.0


def test_creeping_camera_does_not_shimmer(stage: Stage) -> None:
    """1 cm a frame: what a frame changes is far less than what a picture of 1 m on does."""
    frames = [stage.picture(0.01 * step) for step in range(7)]
    far = np.s_[20:50]
    creep = [np.abs(b - a)[far].mean() for a, b in itertools.pairwise(frames)]
    assert max(creep) < 4.0
    assert max(creep) < 3.0 * (sum(creep) / len(creep)) + 0.2
    assert max(creep) < 0.6 * np.abs(stage.picture(1.0) - frames[0])[far].mean()
