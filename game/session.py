"""A world being ridden: land, edits, streaming and entities, put together; and how it is opened and saved.

Knows no window, no GL and no user interface, so the same session runs in a test, off screen and on screen.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from game.core.coords import WORLD_LIMIT_M, PageKey, page_at
from game.core.settings import Quality
from game.core.units import BEND_FROM_M, EARTH_BEND_PER_M
from game.ecs.components import (
    Bicycle,
    Cast,
    ChaseCamera,
    Course,
    FreeCamera,
    SculptTool,
    Sea,
    Season,
    Tracks,
    Weather,
)
from game.ecs.schedule import Schedule
from game.ecs.world import EntityWorld
from game.lod.settings import LodSettings
from game.ride import bicycle as riding
from game.ride import systems, tracks
from game.ride.camera import CameraFeel
from game.ride.collisions import Collisions
from game.ride.course import arches, clock_text
from game.streaming.bed import Bed
from game.streaming.coast import CoastTracker
from game.streaming.edit_switch import EditSwitch, Upload
from game.streaming.mountain_shade import MountainShade
from game.streaming.runoff import RunoffWorker
from game.streaming.smoothing import SmoothDab, WideSmoothing
from game.streaming.stream import TerrainStream
from game.world.edits import DirtyBox
from game.world.erosion import ErosionSettings, Region
from game.world.erosion_run import ErosionRun
from game.world.keeper import Keeper
from game.world.land import LandSource
from game.world.operations import STRENGTH_M
from game.world.save import Pose, SavedWorld, check_name
from game.world.saved import SavedCourse
from game.world.sea import mean_level_m
from game.world.seasons import ClimateSettings, SnowLine, season_look
from game.world.stamps import Stamp
from game.world.weather import SavedRain, rain_rates, wetness_after

GROWTH_LINE_M = 0.0
"""Height of the sea when worlds were made: below it the land is a bed on which nothing has grown."""

SMOOTH_AT_ONCE_M = 50.0
"""Radius up to which smoothing is worked out in the frame it is asked in."""

FOLD_AT_ONCE = 1 << 20
"""Samples of smoothing that the end of a stroke folds within the frame: a stroke of a hundred dabs of 50 m."""

AT_ONCE_OPS = 48
"""Operations that a page goes through within a frame: undo under hundreds of dabs would take it a tenth of a second."""

WARMED_PER_FRAME = 2
"""Pages whose climate follows an edit in one frame."""

AT_ONCE_M2 = 45_000.0
"""Changes of a smaller box are shown in the frame they were made in: any dab of up to 100 m, a quick drag of 50 m."""


def default_workers() -> int:
    """Worker threads: of the cores this process may use, one is left to the frame."""
    # Containers and `taskset` grant fewer cores than the machine has.
    granted = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2
    return max(1, granted - 1)


@dataclass(frozen=True, slots=True)
class Lens:
    """What the ranges of the levels follow: error on the screen, field of view, lines of the picture, curvature."""

    error_px: float
    fov_y_rad: float
    height_px: int
    curvature: bool = True

    def levels(self, quality: Quality) -> LodSettings:
        """Level ranges of a preset through this lens."""
        return LodSettings.for_screen(
            self.error_px, self.fov_y_rad, self.height_px, quality.view_m, quality.patch_quads
        )

    def bend_per_m(self, quality: Quality) -> float:
        """The earth's drop per square metre of distance that is drawn."""
        return EARTH_BEND_PER_M if self.curvature and quality.view_m >= BEND_FROM_M else 0.0


ZOOM_SHARE = 0.2
"""The ranges follow the field of view when the size of things on the screen has changed by this share: the widening
at speed alone does not move them."""


FLOWN_M = 700.0
"""A free camera farther than this from the rider takes the window of runoff along."""


def _within_world(value: float) -> float:
    return min(WORLD_LIMIT_M, max(-WORLD_LIMIT_M, value))


@dataclass(slots=True)
class Session:
    """Everything that makes up a ride, and what the player may change about it."""

    world: str
    seed: int
    keeper: Keeper
    land: LandSource
    stream: TerrainStream
    entities: EntityWorld
    cast: Cast
    schedule: Schedule
    collisions: Collisions
    switch: EditSwitch
    runoff: RunoffWorker
    snow: SnowLine
    """Where snow lies in midsummer."""
    smoothing: WideSmoothing
    paused: bool = False
    quit: bool = False
    erosion: ErosionRun | None = None
    """Time that is passing somewhere."""
    touched: DirtyBox | None = None
    """Land changed since the last `settle_edits`."""
    lens: Lens | None = None
    """The lens the levels stand for."""
    gates: int = 0
    """Gates ridden through since the start."""
    _climate_owed: dict[PageKey, None] = field(default_factory=dict)
    """Pages whose land moved and whose climate has not followed, the longest waiting first."""
    _owed: list[Upload] = field(default_factory=list)
    """Uploads of a change that was shown outside of a frame."""
    messages: list[tuple[str, str]] = field(default_factory=list)
    """(text, kind) for the player, taken by the user interface."""
    bed: Bed = field(default_factory=Bed)
    """The land around the camera, for the water."""
    shade: MountainShade = field(default_factory=MountainShade)
    """Shadows of mountains around the camera."""
    coast: CoastTracker = field(default_factory=CoastTracker)
    """The waterline of the land around."""
    stamps: list[Stamp] = field(default_factory=list)
    """Imported heightmaps; part of the source, carried from save to save."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What the saved world holds that this version does not know."""
    _edits_json: tuple[int, dict[str, Any]] | None = None
    """The edits as plain data at an epoch: most autosaves change only the rider's place."""

    @property
    def bicycle(self) -> Bicycle:
        """The rider's bicycle."""
        return self.entities.component(self.cast.rider, Bicycle)

    @property
    def weather(self) -> Weather:
        """Hour and sea level."""
        return self.entities.component(self.cast.world, Weather)

    @property
    def sea(self) -> Sea:
        """Where the sea goes."""
        return self.entities.component(self.cast.world, Sea)

    @property
    def season(self) -> Season:
        """Day of the year and climate."""
        return self.entities.component(self.cast.world, Season)

    @property
    def course(self) -> Course:
        """Lines and times of the timed way."""
        return self.entities.component(self.cast.world, Course)

    def tell_run(self) -> None:
        """Say what time a run took that has just ended."""
        course = self.course
        if not course.finished or course.last_s is None:
            return
        course.finished = False
        best = course.last_s == course.best_s
        self.messages.append(
            (f"finish: {clock_text(course.last_s)}{', the best so far' if best else ''}", "good")
        )

    def snow_line_m(self, x: float, z: float) -> float:
        """Height from which snow lies around world (x, z) in this season, metres."""
        season = self.season
        warmer_c = season_look(season.day, season.warmth_c).warmer_c
        return self.snow.at(x, z, warmer_c)

    @property
    def tool(self) -> SculptTool:
        """The sculpting brush."""
        return self.entities.component(self.cast.tool, SculptTool)

    @property
    def free_camera(self) -> FreeCamera:
        """What overrides the chase camera."""
        return self.entities.component(self.cast.rider, FreeCamera)

    def use_feel(self, feel: CameraFeel) -> None:
        """Let the camera move the picture this much from the next step on."""
        self.entities.add(self.cast.rider, feel)

    def place(self, x: float, z: float, yaw_rad: float) -> None:
        """Stand the rider at (x, z), at rest; the camera jumps along, nothing is interpolated across."""
        self.course.began_s = None  # whoever is carried does not ride
        riding.place(self.bicycle, self.land.ground, x, z, yaw_rad)
        tracks.clear(self.entities.component(self.cast.rider, Tracks))
        self.entities.component(self.cast.rider, ChaseCamera).ready = False
        # Two steps of bookkeeping without motion: the camera finds its place, and "previous" equals "now".
        camera_system = self.schedule.systems[-1]
        camera_system(self.entities, 1.0 / 120.0)
        systems.remember_previous(self.entities, 0.0)

    def look_ahead(self) -> None:
        """Have what the rider will soon touch made ready by a thread; once a frame, after its steps."""
        rider = self.bicycle
        self.land.ground.look_ahead(rider.x, rider.z, rider.vx_m_s, rider.vz_m_s)

    def edit(self, change: Callable[[], None]) -> None:
        """Carry out a change of the log: now, or when the smoothing under way is done."""
        self.land.edits.now_s = self.course.time_s
        if self.smoothing.busy:
            self.smoothing.waiting.append(change)
        else:
            change()

    def smooth(self, dab: SmoothDab) -> None:
        """Smooth the land, at once with a small brush on land that is there, else beside the frames; or erode it."""
        self.land.edits.now_s = self.course.time_s
        if not self.smoothing.busy:
            self._begin_smooth(dab)
            return
        waiting = self.smoothing.waiting
        last = waiting[-1] if waiting else None
        if not (isinstance(last, SmoothDab) and last.takes_in(dab)):
            waiting.append(dab)

    def end_stroke(self) -> None:
        """Close the stroke; a long one of wide smoothing is folded beside the frames."""
        runs = self.land.edits.stroke_deltas()
        if sum(delta.ni * delta.nj for run in runs for delta in run) <= FOLD_AT_ONCE:
            self.edited(self.land.edits.end_stroke())
            return
        self.smoothing.fold(runs, lambda folded: self.edited(self.land.edits.end_stroke(folded)))

    def _begin_smooth(self, dab: SmoothDab) -> None:
        land = self.land
        strength_m = min(dab.strength_m, STRENGTH_M[1])
        if dab.brush == "erode" and not land.edits.stroke_open:
            self.smoothing.dry()
        elif (
            dab.brush == "smooth"
            and dab.radius_m <= SMOOTH_AT_ONCE_M
            and land.workbench.at_hand(dab.x, dab.z, dab.radius_m)
        ):
            self.edited(land.dab("smooth", dab.x, dab.z, dab.radius_m, strength_m, falloff=dab.falloff))
            return
        # As `LandSource.dab`: a millimetre is finer than any hand.
        spot = SmoothDab(round(dab.x, 3), round(dab.z, 3), dab.radius_m, strength_m, dab.falloff, dab.brush)
        self.smoothing.smooth(
            land.edits.snapshot(),
            spot,
            lambda made: self.edited(land.edits.apply_delta(made[0], spot.radius_m)),
        )

    def finish_smoothing(self) -> None:
        """Wait for the smoothing under way, and put it and what waited for it into the log."""
        self._smooth_on(block=True)

    def _smooth_on(self, block: bool) -> None:
        """Take over smoothing that is done, and go on with the edits that waited for it."""
        while self.smoothing.finish(block):
            waiting = self.smoothing.waiting
            while waiting and not self.smoothing.busy:
                change = waiting.popleft()
                try:
                    if isinstance(change, SmoothDab):
                        self._begin_smooth(change)
                    else:
                        change()
                except ValueError as error:
                    self.messages.append((str(error), "warning"))
            if not self.smoothing.busy:
                self.smoothing.rest()

    def edited(self, box: DirtyBox | None) -> None:
        """Note a change of the land; `settle_edits` makes it visible everywhere at once."""
        if box is not None:
            self.touched = box.union(self.touched)

    def erode(self, region: Region, settings: ErosionSettings) -> None:
        """Let time pass over a region, beside the frame; `carve` goes on with it.

        Raises `ValueError` while time passes somewhere already.
        """
        self.finish_smoothing()  # it is the smoothed land that is carved
        if self.erosion is not None:
            raise ValueError(
                "time is passing somewhere already; wait for it, or cancel it with: erode cancel"
            )
        self.erosion = ErosionRun(
            self.land.source,
            self.land.edits,
            region,
            settings,
            seed=self.seed,
            sea_level_m=self.weather.sea_level_m,
            threads=default_workers(),
        )
        self.erosion.start()

    def carve(self, frame_s: float, paced: bool) -> None:
        """Go on with the erosion under way, if any; with `paced` by exactly what `frame_s` seconds bring."""
        run = self.erosion
        if run is None or self.smoothing.busy:
            return
        settled = self.touched is None and not self.switch.pending
        self.land.edits.now_s = self.course.time_s
        try:
            self.edited(run.frame(frame_s, paced=paced, settled=settled))
        except (MemoryError, RuntimeError, ValueError) as error:
            # `frame` took its preview away from the log; the land must follow.
            self.edited(run.taken_back)
            self.messages.append((f"erosion stopped: {error}", "warning"))
        else:
            if run.over:
                moved = f"{run.moved_m3:,.0f}".replace(",", " ")
                self.messages.append((f"{run.region.seconds:g} s have passed: {moved} m³ moved", "good"))
        if run.over:
            self.erosion = None

    def cancel_erosion(self) -> None:
        """Stop the erosion under way, if any; the land is as it was."""
        if self.erosion is not None:
            self.edited(self.erosion.cancel())
            self.erosion = None
            self.messages.append(("erosion cancelled; the land is as it was", "info"))

    def settle_edits(self, block: bool = False) -> list[Upload]:
        """Switch ground and every resident page to the newest edits; return what has to be uploaded.

        Called once a frame, before its first step, so that wheels, picture and picking change together. A small
        change is shown at once. A large one is worked out by worker threads and shown some frames later, all of it
        in one frame; changes made meanwhile are the next one. With `block` everything is shown now.
        """
        self.land.put_up(arches(self.course))
        self.land.ground.grow(self.season.warmth_c, self.season.moisture)
        uploads = self._switch_on(block)
        self._smooth_on(block)
        while self.touched is not None and not self.switch.pending:
            box, self.touched = self.touched, None
            tracks.erase(self.entities.component(self.cast.rider, Tracks), box.x0, box.z0, box.x1, box.z1)
            snapshot = self.land.edits.snapshot()
            small = (box.x1 - box.x0) * (box.z1 - box.z0) <= AT_ONCE_M2
            if small and snapshot.work(box, self.land.epoch) <= AT_ONCE_OPS:
                self.land.show(snapshot)
                uploads.extend(self.stream.apply_edits(self.land, box))
            else:
                self.switch.begin(snapshot, box)
                if block:
                    uploads.extend(self._switch_on(block))
        self._climate_owed.update((page.key, None) for _, page, _ in uploads)
        if not uploads and not self.switch.pending:
            uploads.extend(self._renew_climate())
        return uploads

    def _renew_climate(self) -> list[Upload]:
        """Let the climate of a few pages follow their land, in a frame that has no other edit to show."""
        uploads: list[Upload] = []
        for key in list(self._climate_owed)[:WARMED_PER_FRAME]:
            del self._climate_owed[key]
            page, layer = self.stream.store.page(key), self.stream.store.layer(key)
            if page is not None and layer is not None and self.land.renew_climate(page):
                uploads.append((layer, page, None))
        return uploads

    def _switch_on(self, block: bool) -> list[Upload]:
        """Go on with the large change that is under way, if any."""
        uploads, self._owed = self._owed, []
        staged, shown = self.switch.step(block)
        if shown is not None:
            # Only now do wheels and arriving pages follow.
            self.land.show(shown)  # type: ignore[arg-type]
        return uploads + staged

    def settle_runoff(self, seconds: float, block: bool = False) -> None:
        """Let rain run off around the rider for `seconds`; with `block` the newest water is waited for."""
        weather, rider, free = self.weather, self.bicycle, self.free_camera
        if not weather.runoff:
            self.runoff.view = None
            return
        rates = rain_rates(weather.rain_mm_h, weather.wetness)
        x, z = rider.x, rider.z
        if free.x is not None and free.z is not None and math.hypot(free.x - x, free.z - z) > FLOWN_M:
            x, z = _within_world(free.x), _within_world(free.z)
        self.runoff.update(x, z, self.land.shown, weather.sea_level_m, rates, seconds, block)

    def rain(self, rain_mm_h: float, past_s: float = 0.0) -> None:
        """Let it rain from now on; with `past_s` it has rained so for that many seconds already."""
        weather = self.weather
        weather.rain_target_mm_h = rain_mm_h
        if past_s <= 0.0:
            return
        weather.rain_mm_h = rain_mm_h
        parts = 8
        for _ in range(parts):
            weather.wetness = wetness_after(weather.wetness, rain_mm_h, past_s / parts)
            self.runoff.rained(past_s / parts, *rain_rates(rain_mm_h, weather.wetness))

    def _rain_to_save(self) -> SavedRain | None:
        weather, past = self.weather, self.runoff.history.copy()
        if not past and weather.rain_target_mm_h == weather.wetness == 0.0:
            return None
        return SavedRain(weather.rain_target_mm_h, weather.wetness, past)

    def clear_rain(self) -> None:
        """End the rain and dry everything at once."""
        weather = self.weather
        weather.rain_mm_h = weather.rain_target_mm_h = weather.wetness = 0.0
        self.runoff.forget()

    def scenery_near(self, x: float, z: float, reach_m: float) -> list[tuple[PageKey, NDArray[np.float32]]]:
        """What stands on the resident level-0 pages within `reach_m` of (x, z); rows as in `kernels.scenery`."""
        found = []
        low, high = page_at(0, x - reach_m, z - reach_m), page_at(0, x + reach_m, z + reach_m)
        for ix in range(low.ix, high.ix + 1):
            for iz in range(low.iz, high.iz + 1):
                page = self.stream.store.page(PageKey(0, ix, iz))
                if page is not None:
                    found.append((page.key, self.land.scenery.rows(page)))
        return found + self.land.scenery.arch_rows(x, z, reach_m)

    def use_quality(self, quality: Quality) -> None:
        """Other level ranges and trees from this frame on; resident pages stay."""
        # A change under way holds copies of the pages with the trees of before.
        self._owed = self.settle_edits(block=True)
        if self.lens is not None:
            self._turn_lens(self.lens, quality)
        vegetation = self.land.vegetation
        if vegetation.tree_levels != quality.tree_levels:
            vegetation.tree_levels = quality.tree_levels
            for _, page in self.stream.store.residents():
                self.land.replant(page)
            self.stream.forget_trees()

    def fit_levels(self, lens: Lens, quality: Quality) -> None:
        """Let the levels' ranges follow the lens; nothing happens while it stays about the same."""
        was = self.lens
        if was is not None and (was.error_px, was.height_px, was.curvature) == (
            lens.error_px,
            lens.height_px,
            lens.curvature,
        ):
            zoom = math.tan(0.5 * was.fov_y_rad) / math.tan(0.5 * lens.fov_y_rad)
            if abs(zoom - 1.0) < ZOOM_SHARE:
                return
        self._turn_lens(lens, quality)

    def _turn_lens(self, lens: Lens, quality: Quality) -> None:
        self.lens = lens
        self.stream.set_lod(lens.levels(quality))
        self.stream.bend_per_m = lens.bend_per_m(quality)

    # Keeping it.

    @property
    def save_name(self) -> str:
        """Name under which the world is kept; empty while it has none."""
        return self.keeper.name

    @property
    def unsaved(self) -> bool:
        """Whether the land was changed since it was written."""
        return self.keeper.epoch != self.land.edits.epoch

    def save(self, name: str) -> None:
        """Write the world under `name`; see `Keeper.save`."""
        name = check_name(name)
        self.finish_smoothing()
        self.keeper.save(name, self._frozen, self.land.edits.epoch)

    def duplicate(self, name: str, new: str) -> None:
        """Copy a saved world, the open one as it is now; see `Keeper.duplicate`."""
        if name == self.save_name:
            self.finish_smoothing()
        self.keeper.duplicate(name, new, self._frozen)

    def autosave(self) -> None:
        """Write the world beside the frame; nothing happens while the last autosave is at it."""
        if not self.keeper.busy:
            self.keeper.autosave(self._frozen(), self.land.edits.epoch)

    def _frozen(self) -> tuple[SavedWorld, dict[str, Any]]:
        """The world as it is now, and its edits as plain data."""
        rider, weather, edits = self.bicycle, self.weather, self.land.edits
        if self._edits_json is None or self._edits_json[0] != edits.epoch:
            self._edits_json = (edits.epoch, edits.to_json())
        world = SavedWorld(
            recipe=self.world,
            seed=self.seed,
            edits=edits,
            sea_level_m=mean_level_m(weather, self.sea),
            climate=_climate_settings(self.sea, self.season),
            hour=weather.hour,
            pose=Pose(rider.x, rider.z, rider.yaw_rad),
            time_s=self.course.time_s,
            course=_course_to_save(self.course),
            rain=self._rain_to_save(),
            stamps=self.stamps,
            extra=self.extra,
        )
        return world, self._edits_json[1]

    def close(self) -> None:
        """End the workers, drop the entities and give the world's lock back; harmless when called twice."""
        if self.erosion is not None:
            self.erosion.cancel()
            self.erosion = None
        self.keeper.close()
        self.coast.close()
        self.shade.close()
        self.switch.close()
        self.runoff.close()
        self.smoothing.close()
        self.stream.close()
        self.land.ground.close()
        self.entities.release()


def _course_to_save(course: Course) -> SavedCourse:
    start, finish = (
        None if line is None else Pose(line.x, line.z, line.yaw_rad) for line in (course.start, course.finish)
    )
    return SavedCourse(start, finish, course.best_s)


def _climate_settings(sea: Sea, season: Season) -> ClimateSettings:
    return ClimateSettings(
        day=season.day,
        year_s=season.year_s,
        flood_m=season.flood_m,
        warmth_c=season.warmth_c,
        moisture=season.moisture,
        tide_m=sea.tide_m,
        tide_s=sea.tide_s,
        waves_m=sea.waves_m,
    )
