"""`TerrainStream`: the one door between the frame and the pages.

Owns the store, the workers, the search for wanted pages and the level ranges of the last frame. Once a frame,
on the main thread: `want` → (`wait` or `spend`) → `collect` → upload by the renderer → `select`. Never calls
OpenGL and knows no entity; pages come from `make_page`, edits from whoever calls `apply_edits`.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from game.core.coords import GENERATED_APRON, PAGE_QUADS, PageKey
from game.kernels import selection as kernels
from game.kernels.growth import GROWTH_M
from game.lod.frustum import planes
from game.lod.selection import PATCH_DTYPE, Selection
from game.lod.settings import LodSettings, most_squares
from game.streaming.drawn import DrawnLand
from game.streaming.reach import Reach
from game.streaming.store import MAX_LAYERS, PAGE_BYTES, PageStore
from game.streaming.wanted import Focus, WantedPages
from game.streaming.workers import Workers
from game.world.page import PageData
from game.world.vegetation import MOST_LEVELS
from game.world.woods import MARGIN

NEAR_M = 0.1
"""Near plane of the culling volume; the renderer's own planes lie inside it."""

JUMP_M = 100.0
"""A camera that moved further than this beyond its velocity between two frames was teleported."""

REST_PER_FRAME = 4
"""Layers looked at in a frame for pages that edits or the wheels have woken: all of them once a second."""

RECENT = 512
"""Pages and uploads whose times are remembered for the percentiles."""

Rows = tuple[int, int, int, int]
"""Stored-index box (j0, j1, i0, i1) of changed samples."""


class Camera(Protocol):
    """What `select` reads of a camera: eye in world metres, angles in radians, aspect = width / height."""

    @property
    def x(self) -> float: ...
    @property
    def y(self) -> float: ...
    @property
    def z(self) -> float: ...
    @property
    def yaw_rad(self) -> float: ...
    @property
    def pitch_rad(self) -> float: ...
    @property
    def fov_y_rad(self) -> float: ...
    @property
    def aspect(self) -> float: ...


class Edits(Protocol):
    """What streaming needs of the edited land (`world.land.LandSource`)."""

    @property
    def epoch(self) -> int: ...
    def evaluate_box(self, page: PageData, box: Any = None) -> Rows | None: ...
    def catch_up(self, page: PageData) -> None: ...


@dataclass(frozen=True, slots=True)
class StreamStats:
    """Figures of the latest frame, and totals."""

    wanted: int
    resident: int
    late: int
    """Pages in the frustum within their level's target range that are not resident, this frame."""
    late_total: int
    """Sum of `late` over frames."""
    holes: int
    """Result of the latest `count_holes`."""
    holes_total: int
    queue: int
    """Wanted pages not finished."""
    generated: int
    generation_ms: float
    """Mean thread CPU time of a page."""
    failing: int
    dropped_levels: int
    """Finest levels given up because more pages are wanted than fit."""
    covered_m: tuple[float, ...]
    """Range each level really reached, metres; 0 is off."""
    page_memory_mib: float
    """GPU memory of the layers in use."""
    layers: int
    """Layers that may be used."""
    uploaded: int
    """Pages uploaded since the last `want`."""
    upload_ms: float
    """Time those uploads took, milliseconds."""


class TerrainStream:
    """Streams pages around a focus and selects the patches to draw.

    Parameters
    ----------
    make_page : makes a page; called from worker threads.
    lod : ranges and patch size.
    workers : number of worker threads, 1 or more.
    capacity : layers, at most 256.
    edits : pages that arrive with an older epoch than `edits.epoch` are brought up to date.
    on_error : called once per kind of exception that `make_page` raises, from a worker thread.
    budgeted : pages are made in `spend` and `wait` only.
    cpu_clock : CPU time of the calling thread in seconds, for `spend`.
    bend_per_m : the earth's drop per square metre of distance, 1/m (`core.units.EARTH_BEND_PER_M`), 0 for flat land.
    """

    def __init__(
        self,
        make_page: Callable[[PageKey], PageData],
        lod: LodSettings,
        workers: int = 1,
        capacity: int = MAX_LAYERS,
        *,
        edits: Edits | None = None,
        on_error: Callable[[PageKey, Exception], None] | None = None,
        budgeted: bool = False,
        cpu_clock: Callable[[], float] = time.thread_time,
        bend_per_m: float = 0.0,
    ) -> None:
        self.store = PageStore(capacity)
        self.edits = edits
        self._workers = Workers(make_page, workers, on_error, budgeted, cpu_clock)
        self._focus: Focus | None = None
        self._focus_s = 0.0
        self._late = self._late_total = 0
        self._trees: list[tuple[PageKey, NDArray[np.float32], int]] | None = None
        self._tree_places: dict[PageKey, int] = {}
        """Where in `_trees` each page's are."""
        self._drawn = DrawnLand(self.store)
        self._at_once = True
        """Whether ranges jump to their targets: there is no picture that detail could pop into."""
        self.bend_per_m = bend_per_m
        """May be changed between frames; culling and picking follow the picture."""
        self.generation_ms: deque[float] = self._workers.recent_ms
        """Thread CPU time of the latest pages, milliseconds."""
        self.upload_ms: deque[float] = deque(maxlen=RECENT)
        """Time of the latest uploads, milliseconds a page."""
        self._uploaded = 0
        self._frame_upload_s = 0.0
        self.resting = True
        """Whether resident pages are let rest; not while threads copy them."""
        self.lod = lod
        self._rebuild()

    def set_lod(self, lod: LodSettings) -> None:
        """Use other ranges from the next frame on. Pages stay; they do not depend on them.

        Ranges fade over, also where there are more or fewer levels (`Reach`); other patches or another view distance
        take effect at once.
        """
        fades = self._reach.can_fade_to(lod) and not self._at_once
        was, self.lod = self.lod, lod
        self._most_pages = lod.most_pages
        if not fades:
            self._rebuild()
            return
        self._reach.turn_to(lod)
        layers = max(was.layers, lod.layers, self.store.limit if not self._reach.settled else 0)
        if not self._reach.settled:
            # On the way there is one level more than at the end.
            layers += most_squares(lod.view_m / (PAGE_QUADS << max(was.top, lod.top)) + 0.1)
        self.store.shrink_to(min(self.store.capacity, layers))

    def _rebuild(self) -> None:
        """Arrays for the number of levels in `lod`."""
        lod = self.lod
        self._reach = Reach(lod)
        self._most_pages = lod.most_pages
        self.store.shrink_to(min(self.store.capacity, lod.layers))
        self._wanted = WantedPages(lod)
        self._ranges = np.zeros(lod.levels, np.float32)
        self._starts = np.zeros(lod.levels + 1, np.int32)
        self._at_once = True
        across = 2.0 * lod.r0_m / lod.node_side_m(0) + 3.0
        self._size_scratch(int(across * across))

    def want(self, focus: Focus, now_s: float) -> None:
        """Tell what the view needs from here on; `now_s` is simulated time.

        Re-orders the queue by time to need and screen size and drops jobs nobody wants any more.
        """
        if self._focus is not None:
            was, passed_s = self._focus, abs(now_s - self._focus_s)
            speed = max(math.hypot(focus.vx, focus.vz), math.hypot(was.vx, was.vz))
            moved_m = math.hypot(focus.x - was.x, focus.z - was.z)
            if moved_m > JUMP_M + 2.0 * speed * passed_s:
                self._at_once = True
        self._focus, self._focus_s = focus, now_s
        self._uploaded, self._frame_upload_s = 0, 0.0
        self._reach.aim(self._altitude_m)
        self._wanted.aim(self._reach.targets, self._ranges)
        self._wanted.always_fits = self._most_pages <= self.store.limit
        self._wanted.update(focus, self.store)
        self.store.trim()
        self._workers.submit(self._wanted.missing())
        if self.resting:
            self.store.rest_some(REST_PER_FRAME)

    def wait(self, timeout_s: float | None = None) -> bool:
        """Block until every wanted page is resident or ready (`--pages wait`); pages that keep failing do not
        block. Returns False when `timeout_s` passed first."""
        return self._workers.wait(timeout_s)

    def spend(self, credit_s: float) -> None:
        """Grant the workers `credit_s` seconds of thread CPU time and wait until it is spent or nothing is
        left to do (`--pages budget`)."""
        self._workers.spend(credit_s)

    def collect(self, max_bytes: int | None = None) -> list[tuple[int, PageData]]:
        """Make finished pages resident, most urgent first, and return (layer, page) for the upload.

        At most `max_bytes` of GPU memory, but always one page if one is ready; None is without limit.
        The caller uploads them before it draws: resident means uploaded.
        """
        return list(self.arrivals(max_bytes))

    def arrivals(
        self,
        max_bytes: int | None = None,
        max_s: float | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> Iterator[tuple[int, PageData]]:
        """Make finished pages resident one by one, most urgent first: (layer, page), to be uploaded at once.

        Ends when the pages have reached `max_bytes` of GPU memory, or when they, with the uploads done between them,
        have taken `max_s` seconds of `clock`: the last page may run over, no more. One page comes in any case.
        """
        begun_s = last_s = clock()
        sent = 0
        while sent == 0 or (
            (max_bytes is None or (sent + 1) * PAGE_BYTES <= max_bytes)
            and (max_s is None or last_s - begun_s < max_s)
        ):
            ready = self._workers.take(1)
            if not ready:
                return
            page = ready[0]
            if page.key in self.store:
                continue
            if self.edits is not None and page.epoch < self.edits.epoch:
                self.edits.catch_up(page)
            layer = self.store.accept(page)
            if layer is None:
                continue
            self._trees = None
            sent += 1
            yield layer, page
            page.rest()
            now_s = clock()
            self.upload_ms.append(1000.0 * (now_s - last_s))
            self._frame_upload_s += now_s - last_s
            self._uploaded += 1
            last_s = now_s

    def apply_edits(self, log: Edits, box: Any) -> list[tuple[int, PageData, Rows]]:
        """Bring every resident page that `box` touches to the log's epoch, on all levels at once.

        Returns (layer, page, (j0, j1, i0, i1)) with the stored rows and columns to upload.
        """
        changed: list[tuple[int, PageData, Rows]] = []
        seen: list[PageData] = []
        hit, epoch = self.touched(box).tolist(), log.epoch
        for layer, page in self.store.residents():
            if not hit[layer]:
                # Every resident page stands at the epoch before the box, so nothing else can have passed it by.
                page.epoch = epoch
                continue
            rows = log.evaluate_box(page, box)
            seen.append(page)
            if rows is not None:
                self.store.refresh(layer, page)
                changed.append((layer, page, rows))
        self._renew_trees(seen)
        return changed

    def _renew_trees(self, pages: Iterable[PageData]) -> None:
        """A new list with the new rows of `pages`; nobody need sort what is sorted."""
        if self._trees is None:
            return
        listed = None
        for page in pages:
            place = self._tree_places.get(page.key)
            if (place is None) != (len(page.trees) == 0):
                # Its first trees, or its last: the list is another.
                self._trees = None
                return
            if place is not None and page.trees is not self._trees[place][1]:
                listed = list(self._trees) if listed is None else listed
                listed[place] = (page.key, page.trees, listed[place][2])
        self._trees = self._trees if listed is None else listed

    def touched(self, box: Any) -> NDArray[np.bool_]:
        """bool [layers]: whether the page in a layer can show the change `box` (`world.edits.DirtyBox`).

        A few more may be named. With None all pages are.
        """
        if box is None:
            return self.store.used.copy()
        keys = self.store.keys
        spacing = np.left_shift(np.int64(1), keys[:, 0]).astype(np.float64)
        west, north = keys[:, 1] * (PAGE_QUADS * spacing), keys[:, 2] * (PAGE_QUADS * spacing)
        # As far beyond the page's samples as `world.edits` looks, baked differences included; trees look further.
        beyond = np.maximum((GENERATED_APRON + 5) * spacing, (MARGIN + 5.0) * GROWTH_M)
        before, after = beyond, PAGE_QUADS * spacing + beyond
        hit = self.store.used & (west - before <= box.x1) & (west + after >= box.x0)
        hit &= (north - before <= box.z1) & (north + after >= box.z0)
        hit &= (
            (keys[:, 0] == 0)
            | (spacing < box.radius_m)
            | ((keys[:, 0] < MOST_LEVELS) & (box.radius_m > GROWTH_M))
        )
        return hit

    def select(self, camera: Camera, dt_s: float) -> Selection:
        """Patches to draw. `dt_s` is the time since the last frame, over which ranges may grow.

        The altitude is that of the focus of the last `want`. Raises `ValueError` when `dt_s` is negative or the
        camera is not finite.
        """
        if not (
            dt_s >= 0.0 and math.isfinite(camera.x) and math.isfinite(camera.y) and math.isfinite(camera.z)
        ):
            raise ValueError(f"dt_s = {dt_s!r} with a camera at ({camera.x!r}, {camera.y!r}, {camera.z!r})")
        lod, store = self.lod, self.store
        anchor_x, anchor_z = math.floor(camera.x), math.floor(camera.z)
        frac_x, frac_z = np.float32(camera.x - anchor_x), np.float32(camera.z - anchor_z)
        altitude = np.float32(self._altitude_m)
        far_m = 2.0 * (lod.view_m + lod.node_diagonal_m(lod.top))
        volume = planes(camera.yaw_rad, camera.pitch_rad, camera.fov_y_rad, camera.aspect, NEAR_M, far_m)
        reach, previous = self._reach, self._ranges.copy()
        while True:
            first, complete = kernels.select_patches(
                anchor_x,
                anchor_z,
                float(frac_x),
                float(frac_z),
                float(altitude),
                float(camera.y),
                self.bend_per_m,
                reach.targets,
                self._wanted.finest,
                previous,
                -1.0 if self._at_once else float(dt_s),
                lod.patch_quads,
                lod.morph,
                volume,
                store.slots,
                store.keys,
                store.bounds,
                self._ranges,
                self._queue,
                self._out,
                self._starts,
            )
            if first >= 0:
                break
            self._size_scratch(2 * self._queue.shape[1])
        coarse_is_there = complete
        if reach.waits and reach.stands_in(self._ranges, float(altitude)):
            complete = True
            self._ranges[-1] = lod.view_m
        # While the coarsest land is missing there is no picture that detail could pop into.
        self._at_once = not complete
        view = Selection(
            patches=self._out[first:].copy().view(PATCH_DTYPE).reshape(-1),
            level_starts=self._starts.copy(),
            ranges=self._ranges.copy(),
            anchor_x=anchor_x,
            anchor_z=anchor_z,
            frac_x=frac_x,
            frac_z=frac_z,
            altitude_m=altitude,
            morph=lod.morph,
            view_m=lod.view_m,
            top=len(self._ranges) - 1,
            patch_quads=lod.patch_quads,
            complete=complete,
            bend_per_m=self.bend_per_m,
        )
        self._drawn.view = view
        self._late = 0
        if len(self._wanted.missing_rows):
            self._late = kernels.count_late(
                self._wanted.missing_rows,
                anchor_x,
                anchor_z,
                float(frac_x),
                float(frac_z),
                float(altitude),
                float(camera.y),
                self.bend_per_m,
                reach.targets,
                self._wanted.finest,
                volume,
                store.slots,
                store.keys,
                store.bounds,
            )
        self._late_total += self._late
        if not reach.settled:
            self._change_levels(reach.step(self._ranges, coarse_is_there, float(altitude)))
        return view

    def _change_levels(self, ranges: NDArray[np.float32] | None) -> None:
        """Go on with `ranges`, which draw what the last frame drew with another number of levels."""
        if ranges is not None:
            self._ranges = ranges
            self._starts = np.zeros(len(ranges) + 1, np.int32)
            self._wanted.aim(self._reach.targets, ranges)
        if self._reach.settled:
            self.store.shrink_to(min(self.store.capacity, self.lod.layers))

    @property
    def _altitude_m(self) -> float:
        """Of the focus above the ground."""
        return 0.0 if self._focus is None else max(0.0, self._focus.altitude_m)

    def count_holes(self, spokes: int = 64, rings: int = 32) -> int:
        """As `DrawnLand.count_holes`; also part of `stats`."""
        return self._drawn.count_holes(spokes, rings)

    def pick(
        self, origin: Sequence[float], direction: Sequence[float], max_m: float = 5000.0
    ) -> tuple[float, float, float] | None:
        """First point where a ray meets what the last frame drew; see `DrawnLand.pick`."""
        return self._drawn.pick(origin, direction, max_m)

    def surface_height(self, x: float, z: float) -> float | None:
        """Height in metres of the drawn, morphed surface at world (x, z); None where nothing is drawn."""
        return self._drawn.height(x, z)

    def resident_trees(self) -> list[tuple[PageKey, NDArray[np.float32], int]]:
        """Trees of all resident pages that have some, by key: key, rows as in `PageData.trees`, texture layer.

        The same list object until a page comes, goes or is edited. Levels overlap; the renderer decides which
        level's trees stand where.
        """
        if self._trees is None:
            residents = self.store.residents()
            found = [(page.key, page.trees, layer) for layer, page in residents if len(page.trees)]
            self._trees = sorted(found, key=lambda tile: tile[0])
            self._tree_places = {tile[0]: place for place, tile in enumerate(self._trees)}
        return self._trees

    @property
    def stats(self) -> StreamStats:
        """Figures of the latest frame, and totals."""
        workers = self._workers
        return StreamStats(
            wanted=self._wanted.count,
            resident=len(self.store),
            late=self._late,
            late_total=self._late_total,
            holes=self._drawn.holes,
            holes_total=self._drawn.holes_total,
            queue=workers.pending,
            generated=workers.made,
            generation_ms=1000.0 * workers.cpu_s / workers.made if workers.made else 0.0,
            failing=workers.failing,
            dropped_levels=self._wanted.finest,
            covered_m=tuple(self._ranges.tolist()),
            page_memory_mib=len(self.store) * PAGE_BYTES / 2**20,
            layers=self.store.limit,
            uploaded=self._uploaded,
            upload_ms=1000.0 * self._frame_upload_s,
        )

    def forget_trees(self) -> None:
        """The trees of resident pages were replaced: list them anew."""
        self._trees = None

    def close(self) -> None:
        """End the workers; returns within half a second. Harmless when called twice."""
        self._workers.close()

    def _size_scratch(self, nodes: int) -> None:
        """Room for `nodes` quadtree nodes of one level, and four patches for each on every level."""
        self._queue = np.zeros((2, nodes, 2), np.int64)
        self._out = np.zeros((4 * nodes * len(self._ranges), kernels.PATCH_FIELDS), np.int32)
