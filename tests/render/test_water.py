"""The drawn sea: still where it should be, white where it breaks, wet below; and what seasons do to the land."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from game.core.coords import PageKey
from game.core.settings import Quality
from game.gl.context import GLContext
from game.render.atmosphere import light_direction
from game.streaming.bed import BED_LEVELS, BED_SIDE, BedMap
from game.streaming.mountain_shade import SHADE_SIDE, ShadeMap
from game.world.seasons import SeasonLook, season_look
from tests.render.scene import frame_view, make_page, select

pytestmark = pytest.mark.gl

FAR = Quality("low", 16, 110.0, 4000.0, 3, 0.5, 0)
NEAR = Quality("medium", 16, 110.0, 1500.0, 3, 0.5, 0)
PERIOD_M = 24_576

Height = Callable[[np.ndarray, np.ndarray], np.ndarray]


def beach(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Land to the south, the sea to the north, 1 in 12; the shore at z = −40."""
    return (z + 40.0) / 12.0 + 0.0 * x


def bed_of(height: Height, x: float, z: float, east: int = 0) -> list[BedMap]:
    """Maps around (x, z) of a land moved by `east` metres."""
    maps = []
    for level in BED_LEVELS:
        i0 = (int(x) >> level) - BED_SIDE // 2 + (east >> level)
        j0 = (int(z) >> level) - BED_SIDE // 2
        xs = (np.arange(i0, i0 + BED_SIDE) << level) - east
        zs = np.arange(j0, j0 + BED_SIDE) << level
        maps.append(BedMap(level, i0, j0, height(xs[None, :], zs[:, None]).astype(np.float32)))
    return maps


class Stage:
    """A renderer with the land of a function; `picture` draws it."""

    def __init__(
        self, gl: GLContext, quality: Quality, height: Height, eye: tuple[float, float, float], east: int = 0
    ) -> None:
        from game.render.renderer import Renderer

        self.quality, self.height, self.eye, self.east = quality, height, eye, east
        self.layers: dict[PageKey, int] = {}
        self.renderer = Renderer(gl, quality, 160, 90)

    def picture(
        self, moved_m: float = 0.0, bed: bool = True, roll_rad: float = 0.0, **changes: object
    ) -> np.ndarray:
        x, y, z = self.eye[0] + moved_m + self.east, self.eye[1], self.eye[2]
        known = set(self.layers)
        selection, needed = select(x, z, y, self.quality, self.layers)
        for key in needed:
            if key not in known:
                page = make_page(key, lambda a, b: self.height(a - self.east, b))
                self.renderer.upload(self.layers[key], page)
        extra = {
            name: changes.pop(name)
            for name in ("waves_m", "look", "growth_line_m", "snow_line_m", "shade")
            if name in changes
        }
        view = frame_view(selection, (x, y, z), **changes)  # type: ignore[arg-type]
        view = replace(view, **extra, camera=replace(view.camera, roll_rad=roll_rad))  # type: ignore[arg-type]
        if bed:
            view.bed = bed_of(self.height, self.eye[0], self.eye[2], self.east)
        self.renderer.draw(view)
        return self.renderer.read_pixels().astype(int)


@pytest.fixture
def stage(gl_context: GLContext) -> Iterator[Callable[..., Stage]]:
    made: list[Stage] = []

    def make(*arguments: object, **named: object) -> Stage:
        made.append(Stage(gl_context, *arguments, **named))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for one in made:
        one.renderer.release()


def rough_plateau(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Level but for a centimetre up and down from sample to sample."""
    h = (x.astype(np.int64) * 374761393 + z.astype(np.int64) * 668265263) & 0xFFFFFFFF
    h = ((h ^ (h >> 13)) * 1274126177) & 0xFFFFFFFF
    return 0.02 * (((h ^ (h >> 16)) & 0xFFFF) / 65536.0 - 0.5)


@pytest.mark.parametrize("sea_m", [-0.01, 0.0, 0.01])
def test_a_plateau_at_the_sea_does_not_flicker_from_two_kilometres(
    stage: Callable[..., Stage], sea_m: float
) -> None:
    """The camera creeps along; what lies 1.5 to 3 km away changes no more than it must."""
    one = stage(FAR, rough_plateau, (0.0, 60.0, 0.0))
    pictures = [one.picture(0.05 * n, sea_level_m=sea_m, pitch_rad=-0.03, time_s=10.0) for n in range(6)]
    # 60 m up and level but for 0.03 rad: rows 45 to 48 hold 1.5 to 4 km.
    band = np.stack(pictures)[:, 42:50]
    assert np.abs(np.diff(band, axis=0)).max() <= 6
    assert np.abs(np.diff(band, axis=0)).mean() < 0.4
    assert np.abs(band[-1] - band[0]).mean() < 0.8


def test_surf_is_white_over_the_shallows_and_nowhere_in_a_calm(stage: Callable[..., Stage]) -> None:
    one = stage(NEAR, beach, (0.0, 6.0, 0.0))

    def white(**changes: object) -> int:
        picture = one.picture(sea_level_m=0.0, pitch_rad=-0.1, **changes)
        # Sand is bright too, but yellow.
        foam = (picture.min(axis=2) > 175) & (np.ptp(picture, axis=2) < 22)
        return int(foam[39:45].sum())  # off the very edge, where even a calm is white

    storm = white(waves_m=3.0, time_s=20.0)
    assert storm > 30
    assert white(waves_m=0.1, time_s=20.0) == 0


def test_waves_rise_out_at_sea_and_not_on_the_beach(stage: Callable[..., Stage]) -> None:
    """Two moments differ out at sea; the dry beach above the swash does not."""
    one = stage(NEAR, beach, (0.0, 6.0, 0.0))
    bare = {"sea_level_m": 0.0, "pitch_rad": -0.25, "growth_line_m": 1000.0}  # grass would sway
    first, second = (one.picture(waves_m=1.5, time_s=time_s, **bare) for time_s in (5.0, 6.5))
    changed = np.abs(first - second).max(axis=2)
    assert (changed[30:44] > 4).mean() > 0.3
    # The lowest rows are land some 2 m up.
    assert changed[-12:].max() <= 6  # cloud shadows move


def test_with_a_bed_the_picture_is_bit_equal_at_the_end_of_the_world(stage: Callable[..., Stage]) -> None:
    changes = {"sea_level_m": 0.0, "waves_m": 2.0, "time_s": 77.125, "pitch_rad": -0.1}
    here = stage(NEAR, beach, (0.25, 5.0, -30.0))
    there = stage(NEAR, beach, (0.25, 5.0, -30.0), east=40_690 * PERIOD_M)
    assert np.array_equal(here.picture(**changes), there.picture(**changes))


def test_storm_waves_wrap_by_their_period(stage: Callable[..., Stage]) -> None:
    from game.core.units import TIME_PERIOD_S

    one = stage(NEAR, lambda x, z: beach(x, z) - 40.0, (0.0, 6.0, 0.0))
    changes = {"sea_level_m": 0.0, "waves_m": 4.0, "pitch_rad": -0.2}
    early = one.picture(time_s=3.25, **changes)
    # Clouds have a period of their own; 64 periods of the waves are nearly one of theirs.
    late = one.picture(time_s=3.25 + 64.0 * TIME_PERIOD_S, **changes)
    moved = one.picture(time_s=3.25 + 1.0, **changes)
    assert np.abs(early[50:] - moved[50:]).mean() > 2.0
    assert np.abs(early[50:] - late[50:]).mean() < 0.5


def test_under_water_it_is_blue_and_bright_above(stage: Callable[..., Stage]) -> None:
    one = stage(NEAR, lambda x, z: beach(x, z) - 30.0, (0.0, -4.0, 0.0))
    changes = {"sea_level_m": 0.0, "hour": 12.0}
    ahead = one.picture(pitch_rad=-0.1, **changes)
    above = one.picture(pitch_rad=1.3, **changes)
    assert (ahead[..., 2] > ahead[..., 0] + 20).mean() > 0.95
    assert above[30:60, 60:100].mean() > ahead[30:60, 60:100].mean() + 20
    # A wave is enough to drown a camera just above the level, and leaves it dry in its trough.
    low = stage(NEAR, lambda x, z: beach(x, z) - 30.0, (0.0, 0.5, 0.0))
    flags = set()
    for n in range(40):
        low.picture(sea_level_m=0.0, waves_m=4.0, time_s=0.7 * n)
        flags.add(float(low.renderer.frame.data[0]["sea"][2]) > 0.0)
    assert flags == {False, True}


def test_snow_falls_in_winter_and_beds_are_bare(stage: Callable[..., Stage]) -> None:
    one = stage(NEAR, lambda x, z: 5.0 * np.sin(x / 60.0) + 0.0 * z, (0.0, 30.0, 0.0))
    changes = {"sea_level_m": -100.0, "pitch_rad": -0.4}
    summer = one.picture(look=season_look(200.0), **changes)
    assert np.array_equal(summer, one.picture(**changes))
    winter = one.picture(look=SeasonLook(warmer_c=-20.0), **changes)
    assert winter[60:].mean() > summer[60:].mean() + 60
    autumn = one.picture(look=season_look(292.0), **changes)
    assert (autumn[60:, :, 1] - autumn[60:, :, 0]).mean() < (summer[60:, :, 1] - summer[60:, :, 0]).mean()
    bare = one.picture(growth_line_m=40.0, **changes)
    assert (bare[60:, :, 1] - bare[60:, :, 0]).mean() < (summer[60:, :, 1] - summer[60:, :, 0]).mean() - 5


@pytest.mark.parametrize("roll_rad", [0.0, 0.6, -1.5, math.pi])
@pytest.mark.parametrize("pitch_rad", [-1.2, -0.1, 0.35])
def test_the_sea_fills_all_below_the_horizon_however_the_head_is_held(
    stage: Callable[..., Stage], roll_rad: float, pitch_rad: float
) -> None:
    """Only what lies below the horizon is drawn at all: no strip of it may be missing."""
    from game.render.uniforms import basis

    one = stage(FAR, lambda x, z: 0.0 * x + 0.0 * z - 40.0, (0.0, 6.0, 0.0))
    dry, wet = (
        one.picture(sea_level_m=level_m, pitch_rad=pitch_rad, roll_rad=roll_rad) for level_m in (-500.0, 0.0)
    )
    changed = np.abs(dry - wet).max(axis=2) > 3
    right, up, forward = basis(0.0, pitch_rad, roll_rad)
    lens = math.tan(0.5 * 1.13)
    x = (np.arange(160) + 0.5) / 80.0 - 1.0
    y = 1.0 - (np.arange(90) + 0.5) / 45.0
    rises = forward[1] + right[1] * lens * (160 / 90) * x[None, :] + up[1] * lens * y[:, None]
    assert changed[rises < -0.05].all()
    assert not changed[rises > 0.02].any()


def test_the_sun_does_not_glitter_in_a_mountains_shade(stage: Callable[..., Stage]) -> None:
    """Toward the sun over open water: the road of light is gone, the mirrored sky stays."""
    one = stage(NEAR, lambda x, z: -30.0 + 0.0 * x + 0.0 * z, (0.0, 6.0, 0.0))

    sun = light_direction(17.0)
    yaw = math.atan2(sun[0], -sun[2])

    def sea(top_m: float) -> np.ndarray:
        tops = np.full((SHADE_SIDE, SHADE_SIDE, 2), top_m, np.float32)
        shade = ShadeMap(-SHADE_SIDE // 2, -SHADE_SIDE // 2, tops, 0.0)
        return one.picture(sea_level_m=0.0, pitch_rad=-0.2, yaw_rad=yaw, hour=17.0, waves_m=0.6, shade=shade)[
            50:
        ]

    lit, hidden = sea(-500.0), sea(500.0)
    # By rows: smoothing of edges may brighten single pixels.
    assert (lit - hidden).mean(axis=(1, 2)).min() > 0.0
    assert (lit - hidden).max() > 25
    assert hidden.mean() > 0.3 * lit.mean()
