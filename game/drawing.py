"""`Drawing`: what the picture is made with, and making all of it anew.

Owns the renderer and what the player chose for it: preset, view distance, error in pixels, curvature. It is the only
place that replaces GL objects as a whole: for another preset, another world, a lost context. What is drawn is the
session's; it is handed in for every call, since opening another world changes it.

`render` imports OpenGL, which must be told SDL's real driver first, so it is imported inside the functions, which run
after `launch` has made the window.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

from game.core.errors import UsageError
from game.core.options import RideOptions
from game.core.settings import Quality, quality, quality_for_renderer
from game.host.window import Window
from game.session import GROWTH_LINE_M, Lens, Session

if TYPE_CHECKING:
    from game.core.clock import FixedStep
    from game.core.stopwatch import Stopwatch
    from game.gl.context import GLContext
    from game.lod.selection import Selection
    from game.render.frame import CameraView
    from game.render.renderer import Renderer
    from game.ui.interface import Interface

HOLD_S = 2.0
"""After a jump the last picture stays until the coarsest land is there, but no longer than this."""

PICK_M = 5000.0


class Drawing:
    """Renderer, its settings and the last picture's camera. Main thread, with a current context."""

    def __init__(self, options: RideOptions, window: Window, gl: GLContext) -> None:
        from game.render.shader_watch import ShaderWatch

        self._options = options
        self.window = window
        self.gl = gl
        self.quality: Quality = quality(options.quality or quality_for_renderer(gl.renderer), options.view_m)
        self.view_m = options.view_m
        """The view the player chose, metres; None takes the preset's."""
        self._error_px = options.error_px
        self.curvature = options.curvature
        self.renderer: Renderer
        self.shown: CameraView | None = None
        """Camera of the picture that is on the screen."""
        self._held_s = HOLD_S
        """How long the last picture has stood for one that is not ready; at first there is none to keep."""
        self._shaders = ShaderWatch() if options.dev else None

    @property
    def error_px(self) -> float:
        """How far a change of level may move the land, in pixels."""
        return self._error_px or self.quality.error_px

    def use_error(self, error_px: float) -> None:
        """Let another error in pixels set the levels' ranges."""
        self._error_px = error_px

    # Making GL objects, and making them anew.

    def open(self, session: Session) -> None:
        """Make the renderer for a session's pages; once, before anything is drawn."""
        self._make_renderer(session.stream.store.limit)

    def _make_renderer(self, layers: int) -> None:
        from game.render.renderer import Renderer

        self.renderer = Renderer(self.gl, self.quality, *self.window.drawable_size, layers)
        self.renderer.draw_enabled = self._options.draw

    def use_quality(self, session: Session, preset: Quality) -> None:
        """Draw with another preset from this frame on; resident pages stay and are sent again."""
        self.quality = preset
        session.use_quality(preset)
        self.renew(session)

    def use_view(self, session: Session, view_m: float) -> None:
        """See as far as `view_m` metres from this frame on."""
        self.view_m = view_m
        self.quality = quality(self.quality.name, view_m)
        session.use_quality(self.quality)

    def renew(self, session: Session) -> None:
        """Make the renderer anew, for another preset or another world."""
        # Layer numbers handed out under a larger limit stay in use.
        layers = max(self.renderer.page_layers, session.stream.store.limit)
        self.renderer.release()
        self._make_renderer(layers)
        self._send_every_page(session)

    def forget_picture(self) -> None:
        """The next picture shows another place: nothing is picked in the last one, nor a speed read from it."""
        self.shown = None

    def keep_drawable(self, session: Session, interface: Interface | None) -> None:
        """Make the renderer anew where the driver dropped the context, and follow changed shaders."""
        if not self.renderer.alive:
            self._renew_context(session, interface)
        if self._shaders is not None and self._shaders.changed():
            self._reload_shaders(session)
        menu_open = interface is not None and interface.menu_open
        self.renderer.timers.enabled = self._options.dev or menu_open

    def _reload_shaders(self, session: Session) -> None:
        from game.gl.program import ShaderError

        try:
            self.renderer.reload_shaders()
        except (ShaderError, UsageError, ValueError) as error:
            print(f"veloterra: {error}", file=sys.stderr)
            session.messages.append((str(error), "warning"))
        else:
            session.messages.append(("shaders reloaded", "good"))

    def _renew_context(self, session: Session, interface: Interface | None) -> None:
        """A new window or a reset of the driver took every GL object: make them again, and keep the ride."""
        from game.gl.context import GLContext

        layers = self.renderer.page_layers
        self.gl.release()
        self.renderer.release()
        self.gl = GLContext()
        if interface is not None:
            interface.renew_layer()
        self._make_renderer(layers)
        self._send_every_page(session)

    def _send_every_page(self, session: Session) -> None:
        for layer, page in session.stream.store.residents():
            self.renderer.upload(layer, page)
            page.rest()

    def resize(self) -> None:
        """Follow the window's size."""
        self.renderer.resize(*self.window.drawable_size)

    def toggle_fullscreen(self) -> None:
        """Fill the screen, or leave it."""
        self.window.toggle_fullscreen()
        self.resize()

    # One frame.

    def camera(self, session: Session, alpha: float) -> CameraView:
        """Where the eye is, `alpha` of the way between the last two steps."""
        from game.render.extract import camera_view

        width, height = self.renderer.size
        return camera_view(session.entities, session.cast, alpha, width / height)

    def fit_levels(self, session: Session, camera: CameraView) -> None:
        """Let the ranges follow lens, resolution and settings, and the textures the pages that takes."""
        lens = Lens(self.error_px, camera.fov_y_rad, self.renderer.size[1], self.curvature)
        session.fit_levels(lens, self.quality)
        if session.stream.store.limit > self.renderer.page_layers:
            self.renderer.make_room(session.stream.store.limit)
            self._send_every_page(session)

    def ready(self, selection: Selection, frame_s: float) -> bool:
        """Whether to draw: after a jump the old picture stays until the new land has its coarsest pages."""
        self._held_s = 0.0 if selection.complete else self._held_s + frame_s
        return selection.complete or self._held_s >= HOLD_S

    def draw(
        self,
        session: Session,
        camera: CameraView,
        selection: Selection,
        clock: FixedStep,
        watch: Stopwatch,
        *,
        debris: bool,
    ) -> None:
        """Draw the session into the renderer's picture; `debris` is what flies off the wheels."""
        from game.render.extract import extract
        from game.render.scenery_gather import REACH_M

        self._follow_shade(session, camera, clock.time_due_s, watch)
        micro = session.land.source.recipe.micro
        view = extract(
            session.entities,
            session.cast,
            camera=camera,
            alpha=clock.alpha,
            size=self.renderer.size,
            time_s=clock.time_due_s,
            view_m=self.quality.view_m,
            selection=selection,
            tree_tiles=session.stream.resident_trees(),
            land=session.land.ground,
            surface=session.stream.surface_height,
            bed=session.bed.follow(session.stream.store, camera.x, camera.z),
            growth_line_m=GROWTH_LINE_M,
            snow_line_m=session.snow_line_m(camera.x, camera.z),
            forest_limits=tuple(session.land.source.forest_limits.tolist()),
            micro_m=(micro.wavelength_m, micro.amplitude_m),
            runoff=session.runoff.view,
            scenery_tiles=session.scenery_near(camera.x, camera.z, REACH_M),
            shade=session.shade.map,
            seed=session.seed,
            tracks=True,
            debris=debris and self.quality.name != "low",
        )
        self.shown = camera
        self.renderer.draw(view)

    def _follow_shade(self, session: Session, camera: CameraView, now_s: float, watch: Stopwatch) -> None:
        """Keep the shadows of mountains up with camera and light."""
        from game.render.atmosphere import light_direction

        repeatable = self._options.pages != "realtime"
        light = light_direction(session.weather.hour)
        session.shade.look(session.stream.store, camera.x, camera.z, light, now_s, eager=repeatable)
        if repeatable:
            watch.lap("submit_ms")
            session.shade.finish(now_s)
            watch.skip()

    def present(self) -> None:
        """Put the picture on the screen."""
        if not self._options.offscreen and self._options.draw:
            self.renderer.present(*self.window.drawable_size)
        self.window.swap()

    def pick(self, session: Session, pointer_x: float, pointer_y: float) -> tuple[float, float, float] | None:
        """Point (x, y, z) of the drawn land under a pixel of the last picture; None where there is none."""
        camera = self.shown
        if camera is None:
            return None
        width, height = self.window.drawable_size
        up = math.tan(0.5 * camera.fov_y_rad) * (1.0 - 2.0 * (pointer_y + 0.5) / height)
        right = math.tan(0.5 * camera.fov_y_rad) * camera.aspect * (2.0 * (pointer_x + 0.5) / width - 1.0)
        sin_roll, cos_roll = math.sin(camera.roll_rad), math.cos(camera.roll_rad)
        up, right = up * cos_roll - right * sin_roll, up * sin_roll + right * cos_roll
        sin_yaw, cos_yaw = math.sin(camera.yaw_rad), math.cos(camera.yaw_rad)
        sin_pitch, cos_pitch = math.sin(camera.pitch_rad), math.cos(camera.pitch_rad)
        ahead = cos_pitch - up * sin_pitch
        direction = (
            sin_yaw * ahead + cos_yaw * right,
            sin_pitch + up * cos_pitch,
            -cos_yaw * ahead + sin_yaw * right,
        )
        return session.stream.pick((camera.x, camera.y, camera.z), direction, PICK_M)

    def release(self) -> None:
        """Free the renderer's GL objects; harmless when called twice."""
        self.renderer.release()
