"""A world being ridden: land, edits, streaming and entities, put together; and how it is opened and saved.

Knows no window, no GL and no user interface, so the same session runs in a test, off screen and on screen.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field

from game.core.coords import PageKey
from game.core.errors import UsageError
from game.core.options import RideOptions
from game.core.settings import Quality
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
    Weather,
)
from game.ecs.schedule import Schedule
from game.ecs.world import EntityWorld
from game.lod.settings import LodSettings
from game.ride import bicycle as riding
from game.ride import systems
from game.ride.collisions import Collisions
from game.ride.contact import LandPatch
from game.ride.glide import make_glide_system
from game.streaming.edit_switch import EditSwitch, Upload
from game.streaming.stream import TerrainStream
from game.world.edits import DirtyBox
from game.world.land import LandSource
from game.world.recipe import Recipe
from game.world.save import Pose, SavedWorld, check_name, list_worlds, load_world, save_world
from game.world.source import HeightSource
from game.world.spawn import find_spawn, spawn_at

DEFAULT_SEED = 1
DEFAULT_SEA_LEVEL_M = 0.0

AT_ONCE_M2 = 45_000.0
"""Changes of a smaller box are shown in the frame they were made in: any dab of up to 100 m, a quick drag of 50 m."""


def default_workers() -> int:
    """Worker threads: one core is left to the frame."""
    return max(1, (os.cpu_count() or 2) - 1)


def lod_settings(quality: Quality) -> LodSettings:
    """Level ranges of a preset."""
    return LodSettings(quality.r0_m, quality.view_m, quality.patch_quads)


def _report_failure(key: PageKey, error: Exception) -> None:
    print(
        f"veloterra: page {tuple(key)} could not be made ({type(error).__name__}: {error}); "
        "the ride goes on with coarser land there",
        file=sys.stderr,
    )


@dataclass(slots=True)
class Session:
    """Everything that makes up a ride, and what the player may change about it."""

    world: str
    seed: int
    save_name: str
    land: LandSource
    stream: TerrainStream
    entities: EntityWorld
    cast: Cast
    schedule: Schedule
    collisions: Collisions
    switch: EditSwitch
    paused: bool = False
    quit: bool = False
    touched: DirtyBox | None = None
    """Land changed since the last `settle_edits`."""
    saved_epoch: int = 0
    """Edit epoch that is on disk."""
    _owed: list[Upload] = field(default_factory=list)
    """Uploads of a change that was shown outside of a frame."""
    messages: list[tuple[str, str]] = field(default_factory=list)
    """(text, kind) for the player, taken by the user interface."""

    @property
    def bicycle(self) -> Bicycle:
        """The rider's bicycle."""
        return self.entities.component(self.cast.rider, Bicycle)

    @property
    def weather(self) -> Weather:
        """Hour and sea level."""
        return self.entities.component(self.cast.world, Weather)

    @property
    def tool(self) -> SculptTool:
        """The sculpting brush."""
        return self.entities.component(self.cast.tool, SculptTool)

    @property
    def free_camera(self) -> FreeCamera:
        """What overrides the chase camera."""
        return self.entities.component(self.cast.rider, FreeCamera)

    def place(self, x: float, z: float, yaw_rad: float) -> None:
        """Stand the rider at (x, z), at rest; the camera jumps along, nothing is interpolated across."""
        riding.place(self.bicycle, self.land.ground, x, z, yaw_rad)
        self.entities.component(self.cast.rider, ChaseCamera).ready = False
        # Two steps of bookkeeping without motion: the camera finds its place, and "previous" equals "now".
        camera_system = self.schedule.systems[-1]
        camera_system(self.entities, 1.0 / 120.0)
        systems.remember_previous(self.entities, 0.0)

    def edited(self, box: DirtyBox | None) -> None:
        """Note a change of the land; `settle_edits` makes it visible everywhere at once."""
        if box is not None:
            self.touched = box.union(self.touched)

    def settle_edits(self, block: bool = False) -> list[Upload]:
        """Switch ground and every resident page to the newest edits; return what has to be uploaded.

        Called once a frame, before its first step, so that wheels, picture and picking change together. A small
        change is shown at once. A large one is worked out by worker threads and shown some frames later, all of it
        in one frame; changes made meanwhile are the next one. With `block` everything is shown now.
        """
        uploads = self._switch_on(block)
        while self.touched is not None and not self.switch.pending:
            box, self.touched = self.touched, None
            snapshot = self.land.edits.snapshot()
            if (box.x1 - box.x0) * (box.z1 - box.z0) <= AT_ONCE_M2:
                self.land.show(snapshot)
                uploads.extend(self.stream.apply_edits(self.land, box))
            else:
                self.switch.begin(snapshot, box)
                if block:
                    uploads.extend(self._switch_on(block))
        return uploads

    def _switch_on(self, block: bool) -> list[Upload]:
        """Go on with the large change that is under way, if any."""
        uploads, self._owed = self._owed, []
        staged, shown = self.switch.step(block)
        if shown is not None:
            # Only now do wheels and arriving pages follow.
            self.land.show(shown)  # type: ignore[arg-type]
        return uploads + staged

    def use_quality(self, quality: Quality) -> None:
        """Other level ranges and trees from this frame on; resident pages stay."""
        # A change under way holds copies of the pages with the trees of before.
        self._owed = self.settle_edits(block=True)
        self.stream.set_lod(lod_settings(quality))
        vegetation = self.land.vegetation
        if vegetation.tree_levels != quality.tree_levels:
            vegetation.tree_levels = quality.tree_levels
            for _, page in self.stream.store.residents():
                page.trees = vegetation.trees(page)
            self.stream.forget_trees()

    def save(self, name: str) -> None:
        """Write the world under `name`. Raises `UsageError` for an unusable name or directory."""
        name = check_name(name)
        rider, weather = self.bicycle, self.weather
        save_world(
            name,
            SavedWorld(
                recipe=self.world,
                seed=self.seed,
                edits=self.land.edits,
                sea_level_m=weather.sea_level_m,
                hour=weather.hour,
                pose=Pose(rider.x, rider.z, rider.yaw_rad),
            ),
        )
        self.save_name = name
        self.saved_epoch = self.land.edits.epoch

    def close(self) -> None:
        """End the workers and drop the entities; harmless when called twice."""
        self.switch.close()
        self.stream.close()
        self.entities.release()


def open_session(options: RideOptions, quality: Quality) -> Session:
    """Load or make the world that `options` asks for, put the rider at the start, and begin streaming.

    Raises `UsageError` for an unknown world or save.
    """
    saved, messages = _saved(options)
    recipe = Recipe.load(saved.recipe)
    source = HeightSource(recipe, saved.seed)
    land = LandSource(source, saved.edits, saved.seed, quality.tree_levels)
    sea_level_m = options.sea_level_m
    if sea_level_m is None:
        sea_level_m = DEFAULT_SEA_LEVEL_M if saved.sea_level_m is None else saved.sea_level_m

    entities = EntityWorld()
    cast = Cast(
        rider=entities.create(
            Intent(),
            Autopilot(mode=options.autopilot or "off"),
            Bicycle(),
            Previous(),
            ChaseCamera(),
            PreviousCamera(),
            FreeCamera(),
        ),
        world=entities.create(Weather(sea_level_m=sea_level_m)),
        tool=entities.create(SculptTool()),
    )
    if saved.hour is not None:
        entities.component(cast.world, Weather).hour = saved.hour

    patch = LandPatch(land.ground)
    collisions = Collisions(patch)
    if options.speed_m_s is None:
        moving = [systems.make_autopilot_system(patch), systems.make_bicycle_system(patch, collisions)]
    else:
        moving = [make_glide_system(land.ground, options.speed_m_s)]
    schedule = Schedule([systems.remember_previous, *moving, systems.make_camera_system(patch)])

    stream = TerrainStream(
        land.make_page,
        lod_settings(quality),
        workers=options.workers or default_workers(),
        edits=land,
        on_error=_report_failure,
        budgeted=options.pages == "budget",
    )
    land.workbench.lookups.append(stream.store.page)
    session = Session(
        world=saved.recipe,
        seed=saved.seed,
        save_name=options.save or "",
        land=land,
        stream=stream,
        entities=entities,
        cast=cast,
        schedule=schedule,
        collisions=collisions,
        switch=EditSwitch(stream, options.workers or default_workers()),
        saved_epoch=land.edits.epoch,
        messages=[(message, "warning") for message in messages],
    )
    if options.start is not None:
        start = spawn_at(land, *options.start)
        session.place(start.x, start.z, start.yaw_rad)
    elif saved.pose is not None:
        session.place(saved.pose.x, saved.pose.z, saved.pose.yaw_rad)
    else:
        start = find_spawn(land, sea_level_m)
        session.place(start.x, start.z, start.yaw_rad)
    return session


def _saved(options: RideOptions) -> tuple[SavedWorld, list[str]]:
    """The saved world named in `options`, or a fresh one."""
    if options.save is not None:
        name = check_name(options.save)
        if name in list_worlds():
            saved, messages = load_world(name)
            if options.seed is not None and options.seed != saved.seed:
                raise UsageError(
                    f"--seed: {options.seed} does not fit the saved world {name!r}, whose seed is {saved.seed}; "
                    "leave --seed out, or choose another name for a new world"
                )
            return saved, messages
    return SavedWorld(options.world, DEFAULT_SEED if options.seed is None else options.seed), []
