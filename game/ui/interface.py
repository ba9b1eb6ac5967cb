"""The interface of a ride: HUD, debug window and sculpting panel over the picture, switched by keys and commands.

Reads the session's facts as they are handed over; what the player clicks comes back as command texts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from game.core.bindings import Bindings
from game.core.preferences import Preferences
from game.ecs.components import Bicycle, Course, SculptTool, Weather
from game.host.inputs import InputFrame, key_hints
from game.lod.selection import Selection
from game.render.frame import CameraView
from game.streaming.stream import StreamStats
from game.ui.controls_screen import ControlsScreen
from game.ui.debug_menu import WIDTH, DebugMenu, DebugState
from game.ui.erosion_tab import ErosionState
from game.ui.hud import DebugNumbers, Hud, HudState, run_texts
from game.ui.imgui_layer import ImguiLayer
from game.ui.sculpt_tool import BrushButtons, SculptStroke, draw_brush_panel
from game.ui.water_tab import SeaState
from game.ui.weather_tab import RainState
from game.ui.worlds_window import WorldsWindow
from game.world.erosion_run import ErosionRun

SMOOTHING = 0.05
"""Weight of the newest frame in the frame time that is shown."""


def _p95(times_ms: Sequence[float]) -> float:
    """The time that 95 of 100 stay under; 0 while there are none."""
    return sorted(times_ms)[int(0.95 * (len(times_ms) - 1))] if times_ms else 0.0


@dataclass(slots=True)
class Facts:
    """What the interface shows of the game in one frame."""

    world: str
    seed: int
    save_name: str
    paused: bool
    bicycle: Bicycle
    weather: Weather
    tool: SculptTool
    camera: CameraView
    selection: Selection
    stats: StreamStats
    targets_m: Sequence[float]
    quality: str
    view_m: float
    error_px: float
    """The error on the screen that was asked for."""
    shown_error_px: float
    """The error that the ranges in use give."""
    curvature: bool
    generation_ms: Sequence[float]
    """Thread time of the latest pages."""
    upload_ms: Sequence[float]
    """Time of the latest uploads."""
    can_undo: bool
    can_redo: bool
    strokes: int
    triangles: int
    draw_calls: int
    trees: int
    renderer: str
    passes_ms: Mapping[str, float] = field(default_factory=dict)
    """GPU time of each pass; empty while they are not timed."""
    page_cpu_bytes: Callable[[], int] = int
    """Memory of pages on the CPU; summed up only when asked, as that walks every page."""
    calm: bool = False
    """Whether the camera is calmed."""
    course: Course = field(default_factory=Course)
    """Lines and times of the timed way."""
    erosion: ErosionRun | None = None
    """Time that is passing somewhere."""
    rain: RainState = field(default_factory=RainState)
    sea: SeaState = field(default_factory=SeaState)
    preferences: Preferences = field(default_factory=Preferences)


CPU_MEMORY_FRAMES = 30
"""The debug window sums up the memory of pages once in so many frames: it takes a third of a millisecond."""


class Interface:
    """Owns the imgui layer and what is open on it. `release()` before the renderer's objects."""

    def __init__(
        self,
        layer: ImguiLayer | None = None,
        show_hints: bool = True,
        keys: list[tuple[str, str]] | None = None,
    ) -> None:
        """`layer` is taken over if given; the loading screen has one already. `keys` are shown as hints."""
        self.layer = layer or ImguiLayer()
        self.hud = Hud(show_hints)
        self.menu = DebugMenu()
        self.stroke = SculptStroke()
        self.brushes = BrushButtons()
        self.controls = ControlsScreen()
        self.worlds = WorldsWindow()
        self.worlds_open = False
        self.menu_open = False
        self.controls_open = False
        self.hud_visible = True
        self.numbers_shown = False
        self._keys = key_hints() if keys is None else keys
        self._frame_ms = 0.0
        self._page_cpu_mib = 0.0
        self._menu_frames = 0

    @property
    def _right_inset(self) -> float:
        """Design units at the right edge that the menu covers."""
        return WIDTH + 24.0 if self.menu_open else 0.0

    @property
    def waits_for_key(self) -> bool:
        """Whether the next press is to be bound, and nobody else's."""
        return self.controls_open and self.controls.waiting is not None

    def use_keys(self, keys: Bindings) -> None:
        """Show these keys as hints from now on."""
        self._keys = key_hints(keys)

    def read(
        self,
        inputs: InputFrame,
        pixel_ratio: float,
        pointer_free: bool,
        preferences: Preferences | None = None,
    ) -> list[str]:
        """Take the frame's events, and the keys that open and close things; return what was bound."""
        bound: list[str] = []
        if self.waits_for_key:
            bound = self.controls.read(inputs.events, preferences or Preferences())
        else:
            self.layer.feed(inputs.events, pixel_ratio, pointer_free)
        self.menu_open ^= inputs.debug_menu
        self.controls_open ^= inputs.controls
        self.numbers_shown ^= inputs.debug_numbers
        return bound

    def switch(self, name: str, on: bool) -> None:
        """Carry out the commands `hud`, `menu`, `controls`, `worlds` and `numbers`."""
        if name == "hud":
            self.hud_visible = on
        elif name == "menu":
            self.menu_open = on
        elif name == "controls":
            self.controls_open = on
        elif name == "worlds":
            self.worlds_open = on
        elif name == "numbers":
            self.numbers_shown = on

    def draw(self, facts: Facts, size: tuple[int, int], frame_s: float) -> list[str]:
        """Draw into the bound framebuffer of `size` pixels; return the commands clicked."""
        frame_ms = 1000.0 * frame_s
        self._frame_ms += (frame_ms - self._frame_ms) * (SMOOTHING if self._frame_ms else 1.0)
        self.layer.begin(frame_s, size)
        commands = self.hud.draw(self._hud_state(facts), frame_s, self.layer)
        if facts.tool.active and not facts.paused:
            draw_brush_panel(facts.tool, self.layer, self.stroke.stroking, self._right_inset)
            commands += self.brushes.draw(facts.tool, self.layer, self._right_inset)
        if self.menu_open:
            commands += self.menu.draw(self._debug_state(facts, frame_ms), self.layer)
        if self.controls_open:
            commands += self.controls.draw(facts.preferences, self.layer)
        if self.worlds_open:
            commands += self.worlds.draw(facts.save_name, self.layer)
        self.layer.end()
        return commands

    def _hud_state(self, facts: Facts) -> HudState:
        rider = facts.bicycle
        return HudState(
            speed_m_s=rider.speed_m_s,
            gradient=rider.gradient,
            altitude_m=rider.y,
            sea_level_m=facts.weather.sea_level_m,
            distance_m=rider.distance_m,
            yaw_rad=facts.camera.yaw_rad,
            hour=facts.weather.hour,
            airborne=rider.airborne,
            fallen=rider.fallen_s > 0.0,
            paused=facts.paused,
            calm=facts.calm,
            visible=self.hud_visible,
            numbers=self._debug_numbers(facts) if self.numbers_shown else None,
            sculpting=facts.tool.active,
            right_inset=self._right_inset,
            keys=self._keys,
            run=run_texts(facts.course),
        )

    def _debug_numbers(self, facts: Facts) -> DebugNumbers:
        stats = facts.stats
        return DebugNumbers(
            fps=1000.0 / self._frame_ms if self._frame_ms else 0.0,
            frame_ms=self._frame_ms,
            pages_resident=stats.resident,
            pages_wanted=stats.wanted,
            pages_late=stats.late,
            queue=stats.queue,
            triangles=facts.triangles,
            draw_calls=facts.draw_calls,
            trees=facts.trees,
            x=facts.camera.x,
            y=facts.camera.y,
            z=facts.camera.z,
            altitude_m=float(facts.selection.altitude_m),
            ranges_m=facts.selection.ranges.tolist(),
            targets_m=facts.targets_m,
            renderer=facts.renderer,
        )

    def _debug_state(self, facts: Facts, frame_ms: float) -> DebugState:
        stats, tool = facts.stats, facts.tool
        if self._menu_frames % CPU_MEMORY_FRAMES == 0:
            self._page_cpu_mib = facts.page_cpu_bytes() / 2**20
        self._menu_frames += 1
        return DebugState(
            sea_level_m=facts.sea.mean_m if facts.sea.target_m is None else facts.sea.target_m,
            sea=facts.sea,
            rain=facts.rain,
            hour=facts.weather.hour,
            x=facts.bicycle.x,
            z=facts.bicycle.z,
            world=facts.world,
            seed=facts.seed,
            save_name=facts.save_name,
            quality=facts.quality,
            view_m=facts.view_m,
            error_px=facts.error_px,
            shown_error_px=facts.shown_error_px,
            curvature=facts.curvature,
            layers=stats.layers,
            dropped_levels=stats.dropped_levels,
            generation_p95_ms=_p95(facts.generation_ms),
            upload_p95_ms=_p95(facts.upload_ms),
            hud_visible=self.hud_visible,
            sculpting=tool.active,
            brush_radius_m=tool.radius_m,
            brush_strength_m=tool.strength_m,
            brush=tool.chosen,
            falloff=tool.falloff,
            strokes=facts.strokes,
            can_undo=facts.can_undo,
            can_redo=facts.can_redo,
            erosion=self._erosion_state(facts),
            pages_resident=stats.resident,
            pages_wanted=stats.wanted,
            pages_late=stats.late,
            queue=stats.queue,
            page_memory_mib=stats.page_memory_mib,
            page_cpu_mib=self._page_cpu_mib,
            frame_ms=frame_ms,
            generation_ms=stats.generation_ms,
            ranges_m=facts.selection.ranges.tolist(),
            targets_m=facts.targets_m,
            passes_ms=facts.passes_ms,
        )

    @staticmethod
    def _erosion_state(facts: Facts) -> ErosionState:
        run, camera = facts.erosion, facts.camera
        if run is None:
            return ErosionState(camera.x, camera.z)
        return ErosionState(camera.x, camera.z, run.progress, run.region.radius_m, run.region.seconds)

    def renew_layer(self) -> None:
        """Start again in a new GL context; what is open stays open."""
        self.layer.release()
        self.layer = ImguiLayer()

    def release(self) -> None:
        """Free imgui's GL objects; harmless when called twice."""
        self.layer.release()
