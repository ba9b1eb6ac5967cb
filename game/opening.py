"""How a ride begins: the world that was asked for, loaded or made, with a rider at its start.

`open_session` puts together what the subjects need of each other; from then on they live in `Session`.
"""

from __future__ import annotations

import sys

from game.core.coords import PageKey
from game.core.errors import UsageError
from game.core.options import RideOptions
from game.core.settings import Quality
from game.ecs.components import (
    Autopilot,
    Bicycle,
    Cast,
    ChaseCamera,
    Course,
    Debris,
    FreeCamera,
    Intent,
    Line,
    Previous,
    PreviousCamera,
    SculptTool,
    Sea,
    Season,
    Tracks,
    Weather,
)
from game.ecs.schedule import Schedule
from game.ecs.world import EntityWorld
from game.ride import systems
from game.ride.collisions import Collisions
from game.ride.contact import LandPatch
from game.ride.course import arches, make_course_system
from game.ride.debris import make_debris_system
from game.ride.glide import make_glide_system
from game.ride.surface import SurfaceMap
from game.ride.tracks import make_tracks_system
from game.session import GROWTH_LINE_M, Lens, Session, default_workers
from game.streaming.edit_switch import EditSwitch
from game.streaming.runoff import RunoffWorker
from game.streaming.smoothing import WideSmoothing
from game.streaming.stream import TerrainStream
from game.world import save as saves
from game.world.keeper import Keeper
from game.world.land import LandSource
from game.world.lock import WorldLock
from game.world.recipe import Recipe
from game.world.save import SavedWorld, check_name, list_worlds, load_world, lock_world
from game.world.sea import make_sea_system
from game.world.seasons import ClimateSettings, SnowLine
from game.world.spawn import find_spawn, spawn_at
from game.world.stamps import make_source
from game.world.weather import make_weather_system

DEFAULT_SEED = 1
DEFAULT_SEA_LEVEL_M = 0.0

_MOST_REPAIRS_SHOWN = 5


def open_session(options: RideOptions, quality: Quality) -> Session:
    """Load or make the world that `options` asks for, put the rider at the start, and begin streaming.

    Raises `UsageError` for an unknown world or save.
    """
    name = None if options.save is None else check_name(options.save)
    lock = None if name is None else lock_world(name)
    try:
        return _open(options, quality, lock)
    except BaseException:
        if lock is not None:
            lock.release()
        raise


def _open(options: RideOptions, quality: Quality, lock: WorldLock | None) -> Session:
    saved, messages = _saved(options)
    if lock is not None and not lock.held:
        messages.append(f"{saves.worlds_dir()} is not writable; this ride cannot be saved there")
    if len(messages) > _MOST_REPAIRS_SHOWN:
        more = len(messages) - _MOST_REPAIRS_SHOWN
        shown = f"and {more} more; see: veloterra worlds show {options.save!r}"
        messages = [*messages[:_MOST_REPAIRS_SHOWN], shown]
    try:
        recipe = Recipe.load(saved.recipe)
    except UsageError as error:
        if lock is None or lock.name not in list_worlds():
            raise
        raise UsageError(f"the saved world {lock.name!r} cannot be opened: {error}") from None
    source = make_source(recipe, saved.seed, saved.stamps)
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
            Debris(),
            Tracks(),
            PreviousCamera(),
            FreeCamera(),
        ),
        world=entities.create(
            Weather(sea_level_m=sea_level_m),
            *_sea_and_season(sea_level_m, saved.climate),
            _course_of(saved),
        ),
        tool=entities.create(SculptTool()),
    )
    if saved.hour is not None:
        entities.component(cast.world, Weather).hour = saved.hour

    runoff = RunoffWorker(source, saved.seed)
    if saved.rain is not None:
        weather = entities.component(cast.world, Weather)
        weather.rain_mm_h = weather.rain_target_mm_h = saved.rain.mm_h
        weather.wetness = saved.rain.wetness
        for segment in saved.rain.past:
            runoff.rained(*segment)
    patch = LandPatch(land.ground)
    collisions = Collisions(patch, land.scenery.solids)
    if options.speed_m_s is None:
        surfaces = SurfaceMap(source.climate_at)
        moving = [
            systems.make_autopilot_system(patch, source.block, land.scenery.solids),
            systems.make_bicycle_system(patch, collisions, surfaces, lambda: runoff.view),
            make_debris_system(surfaces, saved.seed),
            make_tracks_system(),
        ]
    else:
        moving = [make_glide_system(land.ground, options.speed_m_s)]
    schedule = Schedule(
        [
            systems.remember_previous,
            make_weather_system(),
            make_sea_system(),
            *moving,
            make_course_system(cast.rider),
            systems.make_camera_system(patch),
        ]
    )

    lens = Lens(
        options.error_px or quality.error_px, ChaseCamera().fov_y_rad, options.height, options.curvature
    )
    stream = TerrainStream(
        land.make_page,
        lens.levels(quality),
        workers=options.workers or default_workers(),
        edits=land,
        on_error=_report_failure,
        budgeted=options.pages == "budget",
        bend_per_m=lens.bend_per_m(quality),
    )
    land.ground.growth_line_m = GROWTH_LINE_M
    land.ground.grow(saved.climate.warmth_c, saved.climate.moisture)
    land.ground.resident = stream.store.page
    land.workbench.lookups.append(stream.store.page)
    said = [(message, "warning") for message in messages]
    session = Session(
        world=saved.recipe,
        seed=saved.seed,
        keeper=Keeper(lock, land.edits.epoch, lambda text, kind: said.append((text, kind))),
        land=land,
        stream=stream,
        entities=entities,
        cast=cast,
        schedule=schedule,
        collisions=collisions,
        lens=lens,
        switch=EditSwitch(stream, options.workers or default_workers()),
        runoff=runoff,
        snow=SnowLine(source.climate_at, land.ground.height),
        smoothing=WideSmoothing(source, stream.store.page, saved.seed),
        messages=said,
        stamps=saved.stamps,
        extra=saved.extra,
    )
    if options.start is not None:
        start = spawn_at(land, *options.start)
        session.place(start.x, start.z, start.yaw_rad)
    elif saved.pose is not None:
        session.place(saved.pose.x, saved.pose.z, saved.pose.yaw_rad)
    else:
        start = find_spawn(land, sea_level_m)
        session.place(start.x, start.z, start.yaw_rad)
    # Behind the loading screen, not in the first step.
    land.put_up(arches(session.course))
    collisions.refill(session.bicycle.x, session.bicycle.z)
    collisions.fill()
    return session


def _sea_and_season(level_m: float, saved: ClimateSettings) -> tuple[Sea, Season]:
    """The components of a world that was saved with these settings."""
    sea = Sea(before_m=level_m, tide_m=saved.tide_m, tide_s=saved.tide_s, waves_m=saved.waves_m)
    season = Season(saved.day, saved.year_s, saved.flood_m)
    season.warmth_c, season.moisture = saved.warmth_c, saved.moisture
    return sea, season


def _course_of(saved: SavedWorld) -> Course:
    start, finish = (
        None if line is None else Line(line.x, line.z, line.yaw_rad)
        for line in (saved.course.start, saved.course.finish)
    )
    return Course(saved.time_s, start, finish, best_s=saved.course.best_s)


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


def _report_failure(key: PageKey, error: Exception) -> None:
    print(
        f"veloterra: page {tuple(key)} could not be made ({type(error).__name__}: {error}); "
        "the ride goes on with coarser land there",
        file=sys.stderr,
    )
