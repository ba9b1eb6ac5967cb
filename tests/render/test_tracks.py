"""Tyre tracks in their textures: the same from pieces as from scratch, and what each ground shows of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from game.core.coords import PageKey
from game.ecs.components import Bicycle, Tracks
from game.gl.context import GLContext
from game.kernels import tracks as kernels
from game.render.frame import CameraView, FrameView, TracksView
from game.ride.tracks import erase, lay
from tests.render.scene import TINY, frame_view, make_page, select

pytestmark = pytest.mark.gl

MEADOW, SNOW, ROCK = (125, 150, 0, 0), (25, 120, 0, 0), (110, 100, 255, 0)
DESERT = (215, 20, 0, 0)


def level_land(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    return 0.0 * x + 0.0 * z


def line(tracks: Tracks, x: float, z: float, yaw_rad: float, length_m: float, seconds: float = 1.0) -> None:
    """Ride straight on from (x, z)."""
    rider = Bicycle(x=x, z=z, yaw_rad=yaw_rad, y=0.0)
    steps = max(1, round(length_m / 0.06))
    tracks.ends = [None, None]
    for _ in range(steps):
        tracks.clock_s += seconds / steps
        rider.x += length_m / steps * math.sin(yaw_rad)
        rider.z -= length_m / steps * math.cos(yaw_rad)
        lay(rider, tracks, -100.0)


def shown(tracks: Tracks) -> TracksView:
    return TracksView(tracks.rows, tracks.chunks, tracks.laid, tracks.erased, tracks.clock_s)


class Views:
    """A fresh texture set that is shown frame by frame."""

    def __init__(self, gl: GLContext) -> None:
        from game.render.tracks import TrackTextures

        self.textures = TrackTextures(gl)

    def show(self, tracks: Tracks, x: float, z: float) -> None:
        selection, _ = select(x, z, 2.0, TINY, {})
        view = frame_view(selection, (x, 2.0, z))
        view.tracks = shown(tracks)
        self.textures.update(view)

    def marks(self) -> np.ndarray:
        """The GPU's own texels."""
        return read(self.textures._marks.texture, 4)  # type: ignore[union-attr]

    def wear(self) -> np.ndarray:
        return read(self.textures._wear.texture, 1)  # type: ignore[union-attr]


def read(texture: object, components: int, level: int = 0) -> np.ndarray:
    from game.gl.api import GL

    texture.bind(0)  # type: ignore[attr-defined]
    layout = GL.GL_RGBA if components == 4 else GL.GL_RED
    GL.glPixelStorei(GL.GL_PACK_ALIGNMENT, 1)
    raw = GL.glGetTexImage(GL.GL_TEXTURE_2D, level, layout, GL.GL_UNSIGNED_BYTE)
    side = texture.width >> level  # type: ignore[attr-defined]
    return np.frombuffer(raw, np.uint8).reshape(side, side, components)


@pytest.fixture
def views(gl_context: GLContext):
    made: list[Views] = []

    def make() -> Views:
        made.append(Views(gl_context))
        return made[-1]

    yield make
    for each in made:
        each.textures.release()


@pytest.mark.parametrize(
    "at", [(3.0, -4.0), (-2051.0, 4099.0), (9.9e8, -9.9e8)], ids=["near", "negative", "far"]
)
def test_a_ride_shows_the_same_as_its_pieces_drawn_at_once(
    views: Callable[[], Views], at: tuple[float, float]
) -> None:
    """Whatever way the camera came, texels are those of a texture made anew where it stands."""
    tracks, ridden = Tracks(), views()
    x, z = at
    for leg, yaw in enumerate((0.3, 1.9, 4.0, 0.3, 5.5)):
        line(tracks, x, z, yaw, 14.0)
        x, z = x + 14.0 * math.sin(yaw), z - 14.0 * math.cos(yaw)
        ridden.show(tracks, x, z)
        if leg == 2:
            ridden.show(tracks, x + 500.0, z)  # away and back
            ridden.show(tracks, x, z)
    fresh = views()
    fresh.show(tracks, x, z)
    assert fresh.marks()[..., 0].max() == 255 or fresh.marks()[..., 0].max() > 240
    near = fresh.marks()[..., 0] > 0
    assert np.array_equal(ridden.marks()[..., 0], fresh.marks()[..., 0])
    assert np.array_equal(ridden.marks()[near], fresh.marks()[near])
    # Sums of floats in another order.
    assert np.abs(ridden.wear().astype(int) - fresh.wear()).max() <= 1
    for level in range(1, 4):
        texture = ridden.textures._marks.texture  # type: ignore[union-attr]
        again = fresh.textures._marks.texture  # type: ignore[union-attr]
        assert np.array_equal(read(texture, 4, level)[..., 0], read(again, 4, level)[..., 0])


def test_a_track_is_as_wide_as_marked_and_passes_add_up(views: Callable[[], Views]) -> None:
    tracks, seen = Tracks(), views()
    line(tracks, 0.0, 4.0, 0.0, 8.0)
    seen.show(tracks, 0.0, 0.0)
    across = seen.marks()[5, :, 0].astype(float) / 255.0
    columns = (np.arange(1024) + 0.5) * 0.025
    columns = np.where(columns > 12.8, columns - 25.6, columns)
    expected = np.clip(1.0 - (columns / kernels.REACH_M) ** 2, 0.0, 1.0)
    assert np.abs(across - expected).max() < 0.01
    once = seen.wear()[3, 0, 0] * 12.0 / 255.0
    assert once == pytest.approx(1.0, abs=0.15)
    for _ in range(3):
        line(tracks, 0.0, 4.0, 0.0, 8.0)
    seen.show(tracks, 0.0, 0.0)
    assert seen.wear()[3, 0, 0] * 12.0 / 255.0 == pytest.approx(4.0, abs=0.4)


def test_sculpted_boxes_are_bare(views: Callable[[], Views]) -> None:
    tracks, seen = Tracks(), views()
    line(tracks, 0.0, 6.0, 0.0, 12.0)
    seen.show(tracks, 0.0, 0.0)
    assert seen.marks()[0, 0, 0] > 200
    erase(tracks, -1.0, -1.5, 1.0, 1.5)
    seen.show(tracks, 0.0, 0.0)
    assert not seen.marks()[:20, :, 0].any()
    assert not seen.wear()[0].any()
    assert seen.marks()[140, 0, 0] > 200


def test_old_tracks_are_gone_before_their_time_comes_round(views: Callable[[], Views]) -> None:
    """Codes of time repeat after 512 s; what is older than its life must not show again."""
    tracks, seen = Tracks(), views()
    line(tracks, 0.0, 4.0, 0.0, 8.0)
    seen.show(tracks, 0.0, 0.0)
    assert seen.marks()[..., 0].any()
    tracks.clock_s += 300.0
    for _ in range(260):
        seen.show(tracks, 0.0, 0.0)
    assert not seen.marks()[..., 0].any()
    again = views()
    again.show(tracks, 0.0, 0.0)
    assert not again.marks()[..., 0].any()


def test_the_kernel_is_its_python(views: Callable[[], Views]) -> None:
    tracks = Tracks()
    line(tracks, 1.0, 2.0, 0.7, 3.0)
    made = []
    for printer in (kernels.print_pieces, getattr(kernels.print_pieces, "py_func", kernels.print_pieces)):
        marks, wear = np.zeros((64, 64, 4), np.uint8), np.zeros((64, 64), np.float32)
        box, touched = np.array([30, 30, 94, 94]), np.array([1 << 62, 1 << 62, -(1 << 62), -(1 << 62)])
        printer(
            tracks.rows, tracks.chunks, 0, tracks.laid, marks, wear, False, 0.025, 1.0, -1.0, box, touched
        )
        made.append((marks, touched))
    assert made[0][0][..., 0].any()
    assert np.array_equal(made[0][0], made[1][0])
    assert np.array_equal(made[0][1], made[1][1])


class Land:
    """Level land of one climate, drawn with and without a track across it."""

    def __init__(
        self, gl: GLContext, climate: tuple[int, int, int, int], height: Callable = level_land
    ) -> None:
        from game.render.renderer import Renderer

        self.renderer = Renderer(gl, replace(TINY, name="high"), 96, 96)
        layers: dict[PageKey, int] = {}
        self.selection, needed = select(0.3, 0.4, 2.0, TINY, layers)
        for key in needed:
            self.renderer.upload(layers[key], make_page(key, height, climate))

    def draw(self, tracks: Tracks | None) -> np.ndarray:
        view: FrameView = frame_view(self.selection, (0.3, 2.0, 0.4), size=(96, 96), hour=14.0)
        view.camera = CameraView(0.3, 1.6, 0.4, 0.0, -1.2, 0.8, 1.0)
        view.seed, view.snow_line_m = 1, 1e6
        view.tracks = None if tracks is None else shown(tracks)
        self.renderer.draw(view)
        return self.renderer.read_pixels().astype(int)


def printed(gl: GLContext, climate: tuple[int, int, int, int]) -> float:
    """Mean change of the picture by a track, of 255."""
    tracks = Tracks()
    line(tracks, 0.25, 3.0, 0.0, 6.0)
    land = Land(gl, climate)
    try:
        bare = land.draw(None)
        return float(np.abs(land.draw(tracks) - bare).mean())
    finally:
        land.renderer.release()


def test_soft_ground_shows_tracks_and_rock_none(gl_context: GLContext) -> None:
    changes = {name: printed(gl_context, climate) for name, climate in
               {"meadow": MEADOW, "snow": SNOW, "rock": ROCK, "desert": DESERT}.items()}  # fmt: skip
    assert changes["rock"] < 0.05
    assert min(changes["meadow"], changes["snow"], changes["desert"]) > 0.5
