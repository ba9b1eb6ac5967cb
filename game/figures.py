"""The figures of a ride: what each step and frame adds to the log, and what the report says beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from game.core.report import SECTIONS, RideLog, percentiles, rss_mib
from game.core.stopwatch import Stopwatch
from game.ride.contact import clearance
from game.session import Session

if TYPE_CHECKING:
    from game.gl.context import GLContext
    from game.render.renderer import Renderer

WARM_S = 1.0
"""Simulated seconds at the start that the time figures leave out."""


def note_step(log: RideLog, session: Session) -> None:
    """Add what is measured after each step of the simulation."""
    rider = session.bicycle
    log.top_speed_m_s = max(log.top_speed_m_s, rider.speed_m_s)
    if not rider.airborne and rider.fallen_s == 0.0:
        log.min_clearance_m = min(log.min_clearance_m, clearance(rider, session.land.ground))


def note_frame(
    log: RideLog, session: Session, renderer: Renderer, watch: Stopwatch, now_s: float, seconds: float
) -> None:
    """Add a frame that ended `now_s` simulated seconds into a ride of `seconds`."""
    stream = session.stream
    log.holes += stream.count_holes()
    stats = stream.stats
    log.late_pages += stats.late
    if now_s > WARM_S:
        log.late_settled += stats.late
    if log.rss_settled_mib is None and now_s >= 0.1 * seconds:
        log.rss_settled_mib, log.gl_settled = rss_mib(), renderer.gl.live
    log.streaming["pages_wanted"].append(stats.wanted)
    log.streaming["pages_resident_frame"].append(stats.resident)
    log.streaming["pages_late_frame"].append(stats.late)
    log.streaming["page_queue"].append(stats.queue)
    log.streaming["pages_uploaded_frame"].append(stats.uploaded)
    log.triangles.append(renderer.triangles)
    log.draw_calls.append(renderer.draw_calls)
    if log.frames % 30 == 1:
        log.trees.append(renderer.trees_drawn)
        log.note_memory()
        log.covered_m.append(stats.covered_m)
    if now_s > WARM_S or now_s >= 0.5 * seconds:
        for section in SECTIONS[1:]:
            log.sections[section].append(1000.0 * watch.laps.get(section, 0.0))
        log.sections["cpu_frame_ms"].append(1000.0 * watch.total_s)


def shown_error_px(session: Session) -> float | None:
    """How far a change of detail moves the land on the screen, with the ranges in use; None before the first frame."""
    lens = session.lens
    return None if lens is None else session.stream.lod.error_px(lens.fov_y_rad, lens.height_px)


def ride_facts(
    session: Session, gl: GLContext, *, seconds: float, view_m: float, start_height_m: float
) -> dict[str, Any]:
    """What the report says beside the log."""
    stats, rider = session.stream.stats, session.bicycle
    return {
        "seed": session.seed,
        "world": session.world,
        "seconds": seconds,
        "distance_m": rider.distance_m,
        "mean_speed_m_s": rider.distance_m / seconds,
        "descent_m": start_height_m - rider.y,
        "pages_generated": stats.generated,
        "pages_resident": stats.resident,
        "page_memory_mib": stats.page_memory_mib,
        "page_cpu_mib": session.stream.store.cpu_bytes / 2**20,
        "view_distance_m": view_m,
        "page_layers": stats.layers,
        "page_generation_ms": percentiles(list(session.stream.generation_ms)),
        "page_upload_ms": percentiles(list(session.stream.upload_ms)),
        "lod_error_px": shown_error_px(session),
        "lod_dropped_levels": stats.dropped_levels,
        "falls": rider.falls,
        "gl_renderer": gl.renderer,
        "gl_version": gl.version,
    }
