"""What the interface is told of a session: plain values, gathered once a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from game.session import Session
from game.world.sea import mean_level_m

if TYPE_CHECKING:
    from game.render.frame import CameraView
    from game.ui.water_tab import SeaState
    from game.ui.weather_tab import RainState


def session_facts(session: Session, camera: CameraView) -> dict[str, Any]:
    """The fields of `ui.interface.Facts` that are about the world, its land and its rider."""
    edits, stream = session.land.edits, session.stream
    return {
        "world": session.world,
        "seed": session.seed,
        "save_name": session.save_name,
        "paused": session.paused,
        "bicycle": session.bicycle,
        "weather": session.weather,
        "tool": session.tool,
        "stats": stream.stats,
        "page_cpu_bytes": lambda: stream.store.cpu_bytes,
        "targets_m": stream.lod.targets.tolist(),
        "generation_ms": tuple(stream.generation_ms),
        "upload_ms": tuple(stream.upload_ms),
        "can_undo": edits.can_undo,
        "can_redo": edits.can_redo,
        "strokes": edits.strokes,
        "rain": rain_state(session),
        "sea": sea_state(session, camera),
        "erosion": session.erosion,
        "course": session.course,
    }


def rain_state(session: Session) -> RainState:
    """What falls, runs off and stands."""
    from game.ui.weather_tab import RainState

    weather, runoff = session.weather, session.runoff
    water = runoff.view
    return RainState(
        target_mm_h=weather.rain_target_mm_h,
        falling_mm_h=weather.rain_mm_h,
        wetness=weather.wetness,
        runoff=weather.runoff,
        outflow_m3_s=0.0 if water is None else water.outflow_m3_s,
        pond_m3=0.0 if water is None else water.pond_m3,
        rained_mm=runoff.history.rained_mm,
    )


def sea_state(session: Session, camera: CameraView) -> SeaState:
    """Sea level, waves, season, and the coast around `camera`."""
    from game.ui.water_tab import SeaState

    weather, sea, season = session.weather, session.sea, session.season
    return SeaState(
        mean_m=mean_level_m(weather, sea),
        now_m=weather.sea_level_m,
        target_m=sea.target_m,
        waves_m=sea.waves_m,
        tide_m=sea.tide_m,
        tide_s=sea.tide_s,
        day=season.day,
        year_s=season.year_s,
        flood_m=season.flood_m,
        warmth_c=season.warmth_c,
        moisture=season.moisture,
        snow_line_m=session.snow_line_m(camera.x, camera.z),
        coast_m=session.coast.coasts.length_m,
    )
