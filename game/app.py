"""`Game`: one running game, and its frame.

`Game.frame` is one frame, in one direction: inputs → commands → steps → wanted pages → upload → selection → extract
→ passes → interface → swap. Nothing later writes anything earlier.

`render` and `ui` import OpenGL, and OpenGL must be told SDL's real driver first, so they are imported inside the
functions that run after `launch` has made the window.
"""

from __future__ import annotations

import dataclasses
import gc
import math
import secrets
import sys
import time
from collections import deque
from datetime import datetime
from typing import TYPE_CHECKING, Any

from game import actions
from game.core.clock import FixedStep
from game.core.commands import Command, parse_command
from game.core.coords import forward
from game.core.errors import UsageError
from game.core.options import RideOptions
from game.core.preferences import Preferences, load, save, settings_path
from game.core.remap import rebound
from game.core.report import RideLog
from game.core.settings import Quality, quality, quality_for_renderer
from game.core.stopwatch import Stopwatch
from game.core.units import STEP_S
from game.ecs.components import Intent
from game.figures import note_frame, note_step, ride_facts, shown_error_px
from game.host.inputs import InputFrame, Inputs, key_label
from game.host.window import Window
from game.interface_facts import session_facts
from game.opening import open_session
from game.pictures import Pictures
from game.ride.camera import feel_of
from game.ride.vibration import STILL, rumble, stronger
from game.session import GROWTH_LINE_M, Lens, Session, default_workers
from game.streaming.store import PAGE_BYTES
from game.streaming.wanted import Focus
from game.world.save import check_name, free_name, list_worlds

if TYPE_CHECKING:
    from game.gl.context import GLContext
    from game.lod.selection import Selection
    from game.render.frame import CameraView
    from game.render.renderer import Renderer
    from game.ui.interface import Interface

LOOK_RAD_PER_COUNT = 0.0022
"""Turn of the look for one count of mouse motion."""

LOOK_RAD_PER_S = 2.6
"""Turn of the look with the stick held over."""

SPRINT = 1.6
"""Pedal of a sprint; see `Intent`."""

UPLOAD_BYTES = 4 * PAGE_BYTES
"""Land sent to the GPU in one frame at most, unless the frame waits for everything: four pages."""

UPLOAD_S = 0.002
"""Time that accepting and sending pages may take in a frame paced by the clock; one page may run over."""

FASTEST_M_S = 5000.0
"""A free camera that went faster than this between two frames was put elsewhere."""

HOLD_S = 2.0
"""After a jump the last picture stays until the coarsest land is there, but no longer than this."""

PICK_M = 5000.0
AUTOSAVE_S = 60.0

OFFER_S = 14.0
"""How long the calm camera is offered at the first start."""

CAMERA_LABELS = {"chase": "behind the rider", "first": "through the rider's eyes", "side": "beside the rider"}
CAMERA_LABELS["fly"] = "free flight"
MOTION_LABELS = {
    "full": "the camera moves with the ride",
    "reduced": "calm camera: no kick, shake, bob or roll",
}


class Game:
    """One running game on an open window with a current context."""

    def __init__(
        self, options: RideOptions, window: Window, gl: GLContext, interface: Interface | None
    ) -> None:
        from game.render.renderer import Renderer
        from game.render.shader_watch import ShaderWatch

        self.options = options
        self.window = window
        self.gl = gl
        self.interface = interface
        self.quality: Quality = quality(options.quality or quality_for_renderer(gl.renderer), options.view_m)
        self.view_m = options.view_m
        self.error_px = options.error_px
        self.curvature = options.curvature
        self.session: Session = open_session(options, self.quality)
        self._playing = options.autopilot is None
        # A ride on autopilot looks the same for everybody: only who plays brings settings along.
        self.preferences, problems = load(settings_path()) if self._playing else (Preferences(), [])
        self.session.messages += [(problem, "warning") for problem in problems]
        self.session.use_feel(feel_of(self.preferences.camera))
        self.inputs = Inputs(preferences=self.preferences)
        self.clock = FixedStep(paced_by_wall_clock=options.pages == "realtime")
        layers = self.session.stream.store.limit
        self.renderer: Renderer = Renderer(gl, self.quality, *window.drawable_size, layers)
        self.renderer.draw_enabled = options.draw
        self._shaders = ShaderWatch() if options.dev else None
        self.log = RideLog()
        self.watch = Stopwatch()
        self._script: deque[Command] = deque(options.commands)
        self.pictures = Pictures(options, *window.drawable_size)
        self._asked: list[Command] = []
        """Commands from the interface, for the next frame."""
        self._shown_camera: CameraView | None = None
        self._held_s = HOLD_S
        """How long the last picture has stood for one that is not ready; at first there is none to keep."""
        self._rumble = STILL
        self._next_save_s = time.monotonic() + AUTOSAVE_S
        self.start_height_m = self.session.bicycle.y
        # Long-lived objects leave the collector's view: its full passes cost 40-70 ms otherwise.
        gc.collect()
        gc.freeze()

    def frame(self, frame_s: float) -> bool:
        """Advance by `frame_s` seconds and show one picture; False when the ride is over."""
        from game.render.frame import covering

        watch = self.watch
        watch.start()

        inputs = self._read_inputs(frame_s)
        self._obey_commands()
        # Only now: a command may have opened another world.
        session, stream = self.session, self.session.stream
        # Measured and repeated rides must not depend on when a worker thread is done.
        session.carve(frame_s, paced=self.options.pages != "realtime")
        edited = session.settle_edits(block=self.options.pages != "realtime")
        watch.lap("edit_ms")

        self._set_intent(inputs, frame_s)
        steps = self.clock.advance(0.0 if self._paused else frame_s)
        for _ in range(steps):
            session.schedule.step(session.entities, STEP_S)
            watch.lap("sim_ms")
            if self.options.seconds is not None:
                note_step(self.log, session)
            self._rumble = stronger(self._rumble, rumble(session.bicycle))
            watch.skip()
        self._after_steps(steps)
        session.look_ahead()
        session.settle_runoff(steps * STEP_S, block=self.options.pages != "realtime")
        watch.skip() if self.options.pages != "realtime" else watch.lap("stream_ms")
        self._vibrate()

        camera = self._camera()
        self._fit_levels(camera)
        stream.want(self._focus(camera, frame_s), self.clock.time_due_s)
        watch.lap("stream_ms")
        self._grant_pages(frame_s)
        watch.skip()
        # Edits first: a page that arrives may be given the layer of an edited one.
        self.renderer.upload_edits(edited)
        watch.lap("upload_ms")
        for layer, page in stream.arrivals(*self._upload_budget()):
            watch.lap("stream_ms")
            self.renderer.upload(layer, page)
            watch.lap("upload_ms")
        watch.lap("stream_ms")

        session.coast.follow(stream.store, session.weather.sea_level_m)
        watch.lap("stream_ms")

        selection = stream.select(covering(camera), 0.0 if self._paused else frame_s)
        watch.lap("select_ms")

        self._keep_drawable()
        if self._ready_to_draw(selection, frame_s):
            self._draw(camera, selection)
            watch.lap("submit_ms")
            self._show_interface(camera, selection, frame_s)
            watch.lap("interface_ms")

        watch.skip()
        session.messages += self.pictures.take(self.clock.time_due_s, self.renderer.read_pixels)
        watch.skip()
        self._present()
        self._note_frame()
        return not session.quit

    def bring_in_land(self, seconds: float | None = None) -> bool:
        """Wait for the pages around the start before the first frame; False when `seconds` passed first."""
        stream = self.session.stream
        stream.want(self._focus(self._camera()), 0.0)
        done = stream.wait(seconds)
        for layer, page in stream.arrivals():
            self.renderer.upload(layer, page)
        return done

    @property
    def _paused(self) -> bool:
        """Whether the ride stands still: paused, or a player is at the controls screen."""
        at_controls = self._playing and self.interface is not None and self.interface.controls_open
        return self.session.paused or at_controls

    # Inputs and commands: all that may change the session before its steps.

    def _read_inputs(self, frame_s: float) -> InputFrame:
        interface, session = self.interface, self.session
        has_mouse = interface is not None and interface.layer.wants_mouse
        has_text = interface is not None and interface.layer.wants_text
        self.inputs.muted = interface is not None and interface.waits_for_key
        inputs = self.inputs.poll(self.window.pixel_ratio, has_mouse, has_text)
        session.quit |= inputs.quit
        if inputs.resized:
            self.renderer.resize(*self.window.drawable_size)
        if inputs.gamepad_lost and self._playing:
            session.paused = True
            session.messages.append(("the gamepad is gone; the ride is paused", "warning"))
        if inputs.focus_lost and self._playing and not session.paused:
            # Nobody rides blind into a tree behind another window.
            session.paused = True
            session.messages.append(("the window lost the keyboard; the ride is paused", "info"))
        if inputs.pause and self._playing:
            session.paused = not session.paused
        if inputs.sculpt:
            session.tool.active = not session.tool.active
        if inputs.camera:
            actions.obey(session, Command("camera", ("next",)))
            session.messages.append((f"camera: {CAMERA_LABELS[actions.camera_mode(session)]}", "info"))
        if inputs.calm:
            calm = self.preferences.camera.reduced_motion
            self._set_motion("full" if calm else "reduced")
        if inputs.fullscreen:
            self._toggle_fullscreen()
        if inputs.picture:
            self.pictures.ask()
        if interface is not None:
            bound = interface.read(inputs, self.window.pixel_ratio, not self.inputs.grabbed, self.preferences)
            self._asked.extend(parse_command(text) for text in bound)
            self._sculpt(inputs, frame_s)
        free_pointer = (
            self._paused
            or session.tool.active
            or (interface is not None and (interface.menu_open or interface.worlds_open))
        )
        self.inputs.grab_pointer(self._playing and not free_pointer)
        return inputs

    def _sculpt(self, inputs: InputFrame, frame_s: float) -> None:
        """Turn pointer and buttons into edits of the land."""
        session, interface = self.session, self.interface
        assert interface is not None
        if session.paused:
            for step in interface.stroke.cancel():
                actions.sculpt(session, step)
            return
        spot = None
        if session.tool.active and not interface.layer.wants_mouse:
            hit = self._pick(inputs.pointer_x, inputs.pointer_y)
            spot = None if hit is None else (hit[0], hit[2])
        for step in interface.stroke.update(inputs, spot, session.tool, frame_s):
            actions.sculpt(session, step)

    def _pick(self, pointer_x: float, pointer_y: float) -> tuple[float, float, float] | None:
        """Point of the drawn land under a pixel of the last picture."""
        camera = self._shown_camera
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
        return self.session.stream.pick((camera.x, camera.y, camera.z), direction, PICK_M)

    def _obey_commands(self) -> None:
        """Carry out what the script has due and what the interface asked for in the last frame."""
        due, self._asked = self._asked, []
        while self._script and self._script[0].at_s <= self.clock.time_due_s + 1e-9:
            due.append(self._script.popleft())
        for command in due:
            try:
                self._obey(command)
            except (UsageError, ValueError) as error:
                if not self._playing:
                    raise UsageError(f"--exec: {command.name}: {error}") from None
                self.session.messages.append((str(error), "warning"))

    def _obey(self, command: Command) -> None:
        if command.name == "teleport" and self.interface is not None:
            for step in self.interface.stroke.cancel():
                actions.sculpt(self.session, step)
        if command.name == "world" and command.values[0] in ("open", "new"):
            self._change_world(*(str(value) for value in command.values))
            return
        if actions.obey(self.session, command):
            return
        name, value = command.name, command.values[0] if command.values else ""
        if name == "quality":
            self._set_quality(quality(str(value), self.view_m))
        elif name == "view":
            self.view_m = 1000.0 * float(value)
            self.quality = quality(self.quality.name, self.view_m)
            self.session.use_quality(self.quality)
        elif name == "error":
            self.error_px = float(value)
        elif name == "curvature":
            self.curvature = value == "on"
        elif name == "key":
            self.inputs.press(str(value), command.values[1] == "down")
        elif name == "picture":
            self.pictures.ask()
        elif name == "motion":
            self._set_motion(str(value))
        elif name in ("bind", "button", "control", "feel") or (name == "controls" and value == "reset"):
            self._use_controls(rebound(self.preferences, command))
        elif name == "fullscreen":
            self._toggle_fullscreen()
        elif self.interface is not None:
            self.interface.switch(name, value == "on")

    def _change_world(self, verb: str, name: str, recipe: str = "", seed: str = "") -> None:
        """Keep this world and ride in another, saved (`open`) or new. This one goes on when that fails."""
        name = free_name(name) if verb == "new" else check_name(name)
        if verb == "open" and name == self.session.save_name:
            raise UsageError(f"the world {name!r} is open already")
        if verb == "open" and name not in list_worlds():
            raise UsageError(f"there is no saved world {name!r}; saved worlds: {', '.join(list_worlds())}")
        if self.interface is not None:
            for step in self.interface.stroke.cancel():
                actions.sculpt(self.session, step)
        # A script's own ride is not to leave worlds behind.
        if self._playing:
            self.save_at_exit()
        options = dataclasses.replace(
            self.options,
            save=name,
            world=recipe or self.session.world,
            seed=int(seed) if seed else secrets.randbelow(1 << 31) if verb == "new" else None,
            start=None,
            sea_level_m=None,
        )
        session = open_session(options, self.quality)
        self.session.close()
        self.session = session
        session.use_feel(feel_of(self.preferences.camera))
        if verb == "new":
            session.save(name)
        self._shown_camera = None
        self.start_height_m = session.bicycle.y
        self._renew_renderer()
        session.messages.append((f"{name}, seed {session.seed}", "good"))

    def _toggle_fullscreen(self) -> None:
        self.window.toggle_fullscreen()
        self.renderer.resize(*self.window.drawable_size)

    def _set_motion(self, motion: str) -> None:
        """Calm the camera, or let it move as the player has set it."""
        camera = dataclasses.replace(self.preferences.camera, reduced_motion=motion == "reduced")
        self.preferences = dataclasses.replace(self.preferences, camera=camera)
        self.session.use_feel(feel_of(camera))
        if self._playing:
            self.session.messages.append((MOTION_LABELS[motion], "good"))
            self._save_preferences()

    def _use_controls(self, preferences: Preferences) -> None:
        """Read devices and move the camera by other preferences, and keep them."""
        self.preferences = preferences
        self.inputs.use(preferences)
        self.session.use_feel(feel_of(preferences.camera))
        if self.interface is not None:
            self.interface.use_keys(preferences.keys)
        if self._playing:
            self._save_preferences()

    def _save_preferences(self) -> None:
        try:
            save(self.preferences, settings_path())
        except UsageError as error:
            self.session.messages.append((str(error), "warning"))

    def greet(self) -> None:
        """The first start: the keys are shown once, and a calm camera is offered."""
        if self.interface is None or self.preferences.hints_seen:
            return
        keys = self.preferences.keys.get("calm", ())
        if keys:
            self.interface.hud.notify(
                f"{key_label(keys[0])} gives a calm camera, if motion makes you unwell", "info", OFFER_S
            )
        self.preferences = dataclasses.replace(self.preferences, hints_seen=True)
        self._save_preferences()

    def _set_quality(self, preset: Quality) -> None:
        """Draw with another preset from this frame on; resident pages stay and are sent again."""
        self.quality = preset
        self.session.use_quality(preset)
        self._renew_renderer()

    def _renew_renderer(self) -> None:
        from game.render.renderer import Renderer

        # Layer numbers handed out under a larger limit stay in use.
        layers = max(self.renderer.page_layers, self.session.stream.store.limit)
        self.renderer.release()
        self.renderer = Renderer(self.gl, self.quality, *self.window.drawable_size, layers)
        self.renderer.draw_enabled = self.options.draw
        self._send_every_page()

    def _keep_drawable(self) -> None:
        """Make the renderer anew where the driver dropped the context, and follow changed shaders."""
        if not self.renderer.alive:
            self._renew_context()
        if self._shaders is not None and self._shaders.changed():
            self._reload_shaders()
        menu_open = self.interface is not None and self.interface.menu_open
        self.renderer.timers.enabled = self.options.dev or menu_open

    def _reload_shaders(self) -> None:
        from game.gl.program import ShaderError

        try:
            self.renderer.reload_shaders()
        except (ShaderError, UsageError, ValueError) as error:
            print(f"veloterra: {error}", file=sys.stderr)
            self.session.messages.append((str(error), "warning"))
        else:
            self.session.messages.append(("shaders reloaded", "good"))

    def _renew_context(self) -> None:
        """A new window or a reset of the driver took every GL object: make them again, and keep the ride."""
        from game.gl.context import GLContext
        from game.render.renderer import Renderer

        layers = self.renderer.page_layers
        self.gl.release()
        self.renderer.release()
        self.gl = GLContext()
        if self.interface is not None:
            self.interface.renew_layer()
        self.renderer = Renderer(self.gl, self.quality, *self.window.drawable_size, layers)
        self.renderer.draw_enabled = self.options.draw
        self._send_every_page()

    def _send_every_page(self) -> None:
        for layer, page in self.session.stream.store.residents():
            self.renderer.upload(layer, page)
            page.rest()

    def _fit_levels(self, camera: CameraView) -> None:
        """Let the ranges follow lens, resolution and settings, and the textures the pages that takes."""
        self.session.fit_levels(self._lens(camera), self.quality)
        if self.session.stream.store.limit > self.renderer.page_layers:
            self.renderer.make_room(self.session.stream.store.limit)
            self._send_every_page()

    def _set_intent(self, inputs: InputFrame, frame_s: float) -> None:
        """Hand the player's wishes to the rider, or to the free camera."""
        session = self.session
        turn = LOOK_RAD_PER_S * frame_s
        actions.look_around(
            session,
            LOOK_RAD_PER_COUNT * inputs.look_dx + turn * inputs.look_rate_x,
            -LOOK_RAD_PER_COUNT * inputs.look_dy - turn * inputs.look_rate_y,
        )
        if not self._playing:
            return
        intent = session.entities.component(session.cast.rider, Intent)
        intent.pedal = intent.brake_front = intent.brake_rear = intent.steer = 0.0
        if session.free_camera.x is not None:
            if not self._paused:
                actions.fly(session, inputs.pedal - inputs.brake, inputs.steer, inputs.sprint, frame_s)
        else:
            intent.pedal = inputs.pedal * (SPRINT if inputs.sprint else 1.0)
            intent.brake_front = intent.brake_rear = inputs.brake
            intent.steer = inputs.steer
            intent.sensitivity = self.preferences.controls.steer_sensitivity
        # A press shorter than a step still counts for one.
        intent.hop |= inputs.hop
        intent.recover |= inputs.recover

    # Steps.

    def _after_steps(self, steps: int) -> None:
        if steps:
            intent = self.session.entities.component(self.session.cast.rider, Intent)
            intent.hop = intent.recover = False
        self.log.steps += steps
        self.session.tell_run()
        passed = self.session.collisions.passed
        if passed and self._playing:
            self.session.gates += len(passed)
            self.session.messages.append((f"through gate {self.session.gates}", "good"))
        passed.clear()

    def _vibrate(self) -> None:
        """Hand the strongest thing that happened in the frame to the gamepad."""
        self.inputs.vibrate(*self._rumble)
        self._rumble = STILL

    # Streaming and drawing.

    def _camera(self) -> CameraView:
        from game.render.extract import camera_view

        width, height = self.renderer.size
        return camera_view(self.session.entities, self.session.cast, self.clock.alpha, width / height)

    def _focus(self, camera: CameraView, frame_s: float = 0.0) -> Focus:
        """The eye as streaming sees it; `frame_s` is the time since it was where the last picture shows it."""
        rider = self.session.bicycle
        x, z = actions.within_world(camera.x), actions.within_world(camera.z)
        altitude_m = max(0.0, camera.y - self.session.land.ground.height(x, z))
        look = forward(camera.yaw_rad)
        if self.session.free_camera.x is not None:
            return Focus(x, z, altitude_m, *self._flight(camera, frame_s), *look)
        return Focus(x, z, altitude_m, rider.vx_m_s, rider.vz_m_s, *look)

    def _flight(self, camera: CameraView, frame_s: float) -> tuple[float, float]:
        """Velocity (x, z) of a free camera in m/s; none where it jumped."""
        was = self._shown_camera
        if was is None or frame_s <= 0.0:
            return 0.0, 0.0
        vx, vz = (camera.x - was.x) / frame_s, (camera.z - was.z) / frame_s
        return (vx, vz) if math.hypot(vx, vz) < FASTEST_M_S else (0.0, 0.0)

    def _lens(self, camera: CameraView) -> Lens:
        """What the levels' ranges follow in this frame."""
        error_px = self.error_px or self.quality.error_px
        return Lens(error_px, camera.fov_y_rad, self.renderer.size[1], self.curvature)

    def _upload_budget(self) -> tuple[int | None, float | None]:
        """Bytes and seconds that this frame may spend on pages; seconds only where the clock paces."""
        if self.options.pages == "wait":
            return None, None
        return UPLOAD_BYTES, UPLOAD_S if self.options.pages == "realtime" else None

    def _ready_to_draw(self, selection: Selection, frame_s: float) -> bool:
        """Whether to draw: after a jump the old picture stays until the new land has its coarsest pages."""
        self._held_s = 0.0 if selection.complete else self._held_s + frame_s
        return selection.complete or self._held_s >= HOLD_S

    def _grant_pages(self, frame_s: float) -> None:
        """Let the workers have their time: all they want, their share of the frame, or what they get."""
        stream = self.session.stream
        if self.options.pages == "wait":
            stream.wait()
        elif self.options.pages == "budget":
            stream.spend(frame_s * (self.options.workers or default_workers()))

    def _draw(self, camera: CameraView, selection: Selection) -> None:
        from game.render.extract import extract
        from game.render.scenery_gather import REACH_M

        session = self.session
        self._follow_shade(camera)
        micro = session.land.source.recipe.micro
        view = extract(
            session.entities,
            session.cast,
            camera=camera,
            alpha=self.clock.alpha,
            size=self.renderer.size,
            time_s=self.clock.time_due_s,
            view_m=self.quality.view_m,
            selection=selection,
            tree_tiles=session.stream.resident_trees(),
            land=session.land.ground,
            surface=session.stream.surface_height,
            bed=session.bed.follow(session.stream.store, camera.x, camera.z),
            growth_line_m=GROWTH_LINE_M,
            snow_line_m=session.snow_line_m(camera.x, camera.z),
            micro_m=(micro.wavelength_m, micro.amplitude_m),
            runoff=session.runoff.view,
            scenery_tiles=session.scenery_near(camera.x, camera.z, REACH_M),
            shade=session.shade.map,
            seed=session.seed,
            tracks=True,
            debris=self.quality.name != "low" and not self.preferences.camera.reduced_motion,
        )
        self._shown_camera = camera
        self.renderer.draw(view)

    def _follow_shade(self, camera: CameraView) -> None:
        """Keep the shadows of mountains up with camera and light."""
        from game.render.atmosphere import light_direction

        session, now_s = self.session, self.clock.time_due_s
        repeatable = self.options.pages != "realtime"
        light = light_direction(session.weather.hour)
        session.shade.look(session.stream.store, camera.x, camera.z, light, now_s, eager=repeatable)
        if repeatable:
            self.watch.lap("submit_ms")
            session.shade.finish(now_s)
            self.watch.skip()

    def _show_interface(self, camera: CameraView, selection: Selection, frame_s: float) -> None:
        """HUD and menu over the picture; what was clicked becomes commands of the next frame."""
        interface, session = self.interface, self.session
        if interface is None or not self.options.draw:
            return
        for text, kind in session.messages:
            interface.hud.notify(text, kind)
        session.messages.clear()
        from game.ui.interface import Facts

        facts = Facts(
            **session_facts(session, camera),
            camera=camera,
            selection=selection,
            quality=self.quality.name,
            view_m=self.quality.view_m,
            error_px=self.error_px or self.quality.error_px,
            shown_error_px=shown_error_px(session) or 0.0,
            curvature=self.curvature,
            triangles=self.renderer.triangles,
            draw_calls=self.renderer.draw_calls,
            trees=self.renderer.trees_drawn if interface.numbers_shown else 0,
            renderer=self.gl.renderer,
            calm=self.preferences.camera.reduced_motion,
            preferences=self.preferences,
            passes_ms=self.renderer.timers.times_ms(),
        )
        self.renderer.picture.bind()
        asked = interface.draw(facts, self.renderer.size, frame_s)
        self._asked.extend(parse_command(text) for text in asked)

    def _present(self) -> None:
        if not self.options.offscreen and self.options.draw:
            self.renderer.present(*self.window.drawable_size)
        self.window.swap()
        self.watch.skip()

    # Figures and the end.

    def _note_frame(self) -> None:
        self.log.frames += 1
        if self.options.seconds is not None:
            now_s = self.clock.time_due_s
            note_frame(self.log, self.session, self.renderer, self.watch, now_s, self.options.seconds)
        elif time.monotonic() >= self._next_save_s:
            # By the wall clock: what is sculpted while the ride is paused counts too.
            self._next_save_s = time.monotonic() + AUTOSAVE_S
            self._save_quietly()

    def _save_quietly(self) -> None:
        """Autosave a world that has a name or was sculpted; a failure is a message."""
        session = self.session
        try:
            if session.save_name:
                session.autosave()
            elif session.saved_epoch != session.land.edits.epoch:
                session.save(self._name_of_ride())
                session.messages.append((f"saved as {session.save_name}", "good"))
        except (UsageError, ValueError) as error:
            session.messages.append((str(error), "warning"))

    def save_at_exit(self) -> str | None:
        """Keep what the player made; return the name it is saved under, None when there was nothing to keep."""
        session = self.session
        session.finish_smoothing()
        if not session.save_name and session.saved_epoch == session.land.edits.epoch:
            return None
        session.save(session.save_name or self._name_of_ride())
        return session.save_name

    @staticmethod
    def _name_of_ride() -> str:
        """Name for a world that the player gave none."""
        return f"ride {datetime.now():%Y-%m-%d %H%M%S}"

    def facts(self, seconds: float) -> dict[str, Any]:
        """What the report says beside the log."""
        return ride_facts(
            self.session,
            self.gl,
            seconds=seconds,
            view_m=self.quality.view_m,
            start_height_m=self.start_height_m,
        )

    def release(self) -> None:
        """Stop the workers and free every GL object; harmless when called twice."""
        self.pictures.close()
        self.session.close()
        self.inputs.close()
        if self.interface is not None:
            self.interface.release()
        self.renderer.release()
