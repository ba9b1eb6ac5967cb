"""The land pass: the grid, the depth bands, and pictures without holes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from game.core.coords import PageKey
from game.gl.context import GLContext
from game.render.atmosphere import atmosphere, sun_direction
from tests.render.scene import TINY, HeightFunction, frame_view, hills, make_page, select

pytestmark = pytest.mark.gl

MAGENTA = (40.0, 0.0, 40.0)


def magenta_pixels(pixels: np.ndarray) -> np.ndarray:
    """bool [h, w]: where the clear colour shows. No land is bright red and blue without green."""
    r, g, b = (pixels[..., channel].astype(int) for channel in range(3))
    return (r > 200) & (b > 200) & (g < 120)


def test_every_quad_is_split_along_the_same_diagonal(gl_window: None) -> None:
    from game.render.terrain import grid_indices, grid_vertices

    vertices = grid_vertices(4)
    triangles = vertices[grid_indices(4)].reshape(-1, 2, 3, 2).astype(int)
    for pair in triangles:
        low = pair.reshape(-1, 2).min(axis=0)
        for triangle in pair:
            corners = {tuple(corner - low) for corner in triangle}
            assert {(0, 0), (1, 1)} < corners
            (ax, az), (bx, bz), (cx, cz) = triangle
            # Counter-clockwise from above, with z pointing down the page.
            assert (bx - ax) * (cz - az) - (bz - az) * (cx - ax) < 0


def test_bands_differ_in_depth_only(gl_window: None) -> None:
    from game.render.uniforms import basis, view_projection

    camera = frame_view(select(0.0, 0.0, 2.0, TINY, {})[0], (0.0, 2.0, 0.0), 0.7, -0.3).camera
    near, far = view_projection(camera, 0.15, 20_000.0), view_projection(camera, 160.0, 20_000.0)
    assert np.array_equal(near[[0, 1, 3]], far[[0, 1, 3]])
    right, up, forward = basis(0.7, -0.3)
    assert np.allclose(np.cross(right, forward), up)
    clip = near @ np.append(forward * 100.0, 1.0)
    assert np.allclose(clip[:2], 0.0, atol=1e-4)
    assert clip[3] == pytest.approx(100.0, rel=1e-5)
    east = near @ np.array([*(forward * 10 + right), 1.0])
    assert east[0] > 0


def test_far_band_starts_before_its_land(gl_window: None) -> None:
    from game.render.terrain import far_band_near_m

    selection, _ = select(3.2, -7.7, 2.0, TINY, {})
    near = far_band_near_m(selection, 2, 1.13, 16 / 9)
    far = selection.patches[selection.band_split(2) :]
    corners = [
        math.hypot(
            row["origin_x_m"] + i * 16 * (1 << row["level"]), row["origin_z_m"] + j * 16 * (1 << row["level"])
        )
        for row in far
        for i in (0, 1)
        for j in (0, 1)
    ]
    assert 1.0 <= near < min(corners)
    assert far_band_near_m(selection, selection.levels, 1.13, 16 / 9) == 1.0


def cliff(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """A 1000 m cliff along x = 110 m, the range of level 0 from the origin, with hills on both sides."""
    return np.where(x + 0.0 * z >= 110.0, 1000.0, 0.0) + hills(x, z)


@pytest.mark.parametrize("height", [hills, cliff])
def test_no_hole_below_the_horizon(gl_context: GLContext, height: HeightFunction) -> None:
    from game.render.renderer import Renderer

    renderer = Renderer(gl_context, TINY, 160, 90)
    renderer.debug_clear = MAGENTA
    layers: dict[PageKey, int] = {}
    try:
        seen = 0
        for view_number in range(8):
            yaw = view_number * math.tau / 8
            x, z = 3.3 * view_number - 7.1, 11.7 * view_number - 20.0
            ground = float(height(np.array([[x]]), np.array([[z]]))[0, 0])
            selection, needed = select(x, z, 25.0, TINY, layers)
            for key in needed:
                renderer.upload(layers[key], make_page(key, height))
            # Steep enough that the rim of the land (1.5 km) stays above the picture's lower half.
            renderer.draw(frame_view(selection, (x, ground + 25.0, z), yaw, -0.75))
            holes = magenta_pixels(renderer.read_pixels())
            assert not holes.any(), f"view {view_number}: {np.argwhere(holes)[:5]}"
            seen = max(seen, len(set(selection.patches["level"])))
        assert seen >= 2
        renderer.draw(frame_view(selection, (x, ground + 25.0, z), 0.0, 1.2))
        assert magenta_pixels(renderer.read_pixels()).mean() > 0.5  # the test can see a hole
    finally:
        renderer.release()


def test_far_from_the_origin_the_picture_is_the_same(gl_context: GLContext) -> None:
    """Land that repeats every cloud period looks alike, bit for bit, a thousand million metres away."""
    from game.render.renderer import Renderer
    from game.render.uniforms import CLOUD_PERIOD_M

    def periodic(x: np.ndarray, z: np.ndarray) -> np.ndarray:
        return hills(np.mod(x, CLOUD_PERIOD_M), np.mod(z, CLOUD_PERIOD_M))

    pictures = []
    renderer = Renderer(gl_context, replace(TINY, name="medium"), 160, 90)
    try:
        for east, south in ((0, 0), (40_000, -40_000)):
            layers: dict[PageKey, int] = {}
            x, z = east * CLOUD_PERIOD_M + 500.25, south * CLOUD_PERIOD_M + 700.5
            selection, needed = select(x, z, 20.0, TINY, layers)
            for key in needed:
                renderer.upload(layers[key], make_page(key, periodic, (120, 150, 60, 90)))
            renderer.draw(frame_view(selection, (x, 60.0, z), 0.4, -0.35))
            pictures.append(renderer.read_pixels())
    finally:
        renderer.release()
    assert np.array_equal(*pictures)


def test_noise_tile_repeats(gl_window: None) -> None:
    from game.render.noise_tile import noise_texels

    texels = noise_texels().astype(int)
    for axis in (0, 1):
        inside = np.abs(np.diff(texels, axis=axis)).mean()
        across = np.abs(np.take(texels, 0, axis) - np.take(texels, -1, axis)).mean()
        assert across < 1.25 * inside
    assert np.abs(texels.reshape(-1, 4).mean(axis=0) - 127.5).max() < 4
    assert texels.reshape(-1, 4).std(axis=0).min() > 25


def test_sun_rises_east_stands_south_and_colours_stay_smooth() -> None:
    assert sun_direction(7.0)[0] > 0 > sun_direction(17.0)[0]
    assert sun_direction(12.0)[2] > 0
    assert max(sun_direction(h / 4)[1] for h in range(96)) == pytest.approx(sun_direction(12.0)[1])
    hours = np.arange(0.0, 24.0, 1 / 60)
    rows = []
    for hour in hours:
        air = atmosphere(float(hour))
        for direction in (air.sun_direction, air.light_direction):
            assert math.hypot(*direction) == pytest.approx(1.0)
        assert air.light_direction[1] > 0
        rows.append(
            [*air.light_colour, *air.sky_light, *air.ground_light, *air.zenith, *air.horizon, *air.glow]
        )
    table = np.array(rows)
    assert (table >= 0).all()
    # A rising sun reddens and clears within minutes; nothing else is as swift.
    assert np.abs(np.diff(table, axis=0)).max() < 0.18
    with pytest.raises(ValueError, match="hour"):
        atmosphere(math.nan)
