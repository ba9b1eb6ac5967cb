"""`extract` reads entities and leaves them as they were; interpolation runs along the shorter arc."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest

from game.ecs.components import (
    Autopilot,
    Bicycle,
    Cast,
    ChaseCamera,
    FreeCamera,
    Intent,
    Previous,
    PreviousCamera,
    SculptTool,
    Sea,
    Season,
    Weather,
)
from game.ecs.world import EntityWorld
from game.lod.selection import PATCH_DTYPE, Selection
from game.render.extract import camera_view, extract


class FlatLand:
    """Land at height 5."""

    def height(self, x: float, z: float) -> float:
        return 5.0

    def normal(self, x: float, z: float) -> tuple[float, float, float]:
        return 0.0, 1.0, 0.0


def selection() -> Selection:
    return Selection(
        patches=np.zeros(0, PATCH_DTYPE),
        level_starts=np.zeros(2, np.int32),
        ranges=np.zeros(1, np.float32),
        anchor_x=0,
        anchor_z=0,
        frac_x=np.float32(0),
        frac_z=np.float32(0),
        altitude_m=np.float32(2),
        morph=0.25,
        view_m=100.0,
        top=0,
        patch_quads=16,
        complete=True,
    )


@pytest.fixture
def scene() -> tuple[EntityWorld, Cast, list[object]]:
    parts: list[object] = [
        Intent(pedal=0.5),
        Autopilot(),
        Bicycle(x=10.0, y=6.0, z=-4.0, yaw_rad=math.pi - 0.1, airborne=True),
        Previous(Bicycle(x=8.0, y=5.0, z=-4.0, yaw_rad=-math.pi + 0.1)),
        ChaseCamera(x=1.0, y=9.0, z=2.0, yaw_rad=0.2),
        PreviousCamera(ChaseCamera(x=0.0, y=8.0, z=1.0, yaw_rad=0.1)),
        FreeCamera(),
    ]
    weather, tool = Weather(hour=9.0, sea_level_m=3.0), SculptTool(active=True, x=1.0, z=2.0)
    world = EntityWorld()
    sea, season = Sea(before_m=1.0), Season()
    cast = Cast(world.create(*parts), world.create(weather, sea, season), world.create(tool))
    return world, cast, [*parts, weather, sea, season, tool]


def view(world: EntityWorld, cast: Cast, alpha: float = 0.5):  # type: ignore[no-untyped-def]
    return extract(
        world,
        cast,
        camera=camera_view(world, cast, alpha, 1.5),
        alpha=alpha,
        size=(300, 200),
        time_s=1.0,
        view_m=100.0,
        selection=selection(),
        tree_tiles=[],
        land=FlatLand(),
        surface=lambda x, z: 5.0,
    )


def test_entities_are_left_as_they_were(scene: tuple[EntityWorld, Cast, list[object]]) -> None:
    world, cast, parts = scene
    before = copy.deepcopy(parts)
    view(world, cast)
    assert parts == before


def test_the_frame_lies_between_two_steps(scene: tuple[EntityWorld, Cast, list[object]]) -> None:
    world, cast, _ = scene
    frame = view(world, cast, 0.25)
    assert frame.rider is not None
    assert (frame.rider.x, frame.rider.y) == (8.5, 5.25)
    assert (frame.camera.x, frame.camera.y) == (0.25, 8.25)
    assert (frame.hour, frame.sea_level_m) == (9.0, 1.5)  # between 1 and 3 m
    # From −π + 0.1 to π − 0.1 the shorter way leads over ±π, not through zero.
    assert abs(math.remainder(frame.rider.yaw_rad - math.pi, math.tau)) < 0.11


def test_a_flying_rider_has_a_shadow_on_the_land(scene: tuple[EntityWorld, Cast, list[object]]) -> None:
    world, cast, _ = scene
    rider = view(world, cast).rider
    assert rider is not None
    assert rider.ground_y == 5.0
    assert rider.ground_normal == (0.0, 1.0, 0.0)


def test_the_ring_follows_the_surface(scene: tuple[EntityWorld, Cast, list[object]]) -> None:
    world, cast, _ = scene
    brush = view(world, cast).brush
    assert brush is not None
    assert brush.heights is not None
    assert set(brush.heights.ravel().tolist()) == {5.0}


def test_look_and_eye_override_the_chase_camera(scene: tuple[EntityWorld, Cast, list[object]]) -> None:
    world, cast, _ = scene
    world.add(cast.rider, FreeCamera(x=7.0, y=8.0, z=9.0, yaw_rad=1.0, pitch_rad=-0.5))
    camera = view(world, cast).camera
    assert (camera.x, camera.y, camera.z, camera.yaw_rad, camera.pitch_rad) == (7.0, 8.0, 9.0, 1.0, -0.5)
