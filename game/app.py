"""`Game`: one running game, and its frame.

`Game.frame` is one frame, in one direction: inputs → commands → steps → wanted pages → upload → selection → extract
→ passes → interface → swap. Nothing later writes anything earlier. Devices are `player`'s, the
picture is `drawing`'s; here is their order.

`render` and `ui` import OpenGL, and OpenGL must be told SDL's real driver first, so they are imported inside the
functions that run after `launch` has made the window.
"""

from __future__ import annotations

import dataclasses
import gc
import math
import secrets
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
from game.core.report import RideLog
from game.core.settings import quality
from game.core.stopwatch import Stopwatch
from game.core.units import STEP_S
from game.drawing import Drawing
from game.ecs.components import Intent
from game.figures import note_frame, note_step, ride_facts, shown_error_px
from game.host.inputs import InputFrame
from game.host.window import Window
from game.interface_facts import session_facts
from game.opening import open_session
from game.pictures import Pictures
from game.player import Player
from game.session import Session, default_workers
from game.streaming.store import PAGE_BYTES
from game.streaming.wanted import Focus
from game.world.save import check_name, free_name, list_worlds

if TYPE_CHECKING:
    from game.gl.context import GLContext
    from game.lod.selection import Selection
    from game.render.frame import CameraView
    from game.ui.interface import Interface

UPLOAD_BYTES = 4 * PAGE_BYTES
"""Land sent to the GPU in one frame at most, unless the frame waits for everything: four pages."""

UPLOAD_S = 0.002
"""Time that accepting and sending pages may take in a frame paced by the clock; one page may run over."""

FASTEST_M_S = 5000.0
"""A free camera that went faster than this between two frames was put elsewhere."""

AUTOSAVE_S = 60.0


class Game:
    """One running game on an open window with a current context."""

    def __init__(
        self, options: RideOptions, window: Window, gl: GLContext, interface: Interface | None
    ) -> None:
        self.options = options
        self.interface = interface
        self.player = Player(interface, plays=options.autopilot is None)
        self.drawing = Drawing(options, window, gl)
        self.session: Session = open_session(options, self.drawing.quality)
        self.player.enter(self.session)
        self.drawing.open(self.session)
        self.clock = FixedStep(paced_by_wall_clock=options.pages == "realtime")
        self.log = RideLog()
        self.watch = Stopwatch()
        self._script: deque[Command] = deque(options.commands)
        self.pictures = Pictures(options, *window.drawable_size)
        self._asked: list[Command] = []
        """Commands from the interface, for the next frame."""
        self._next_save_s = time.monotonic() + AUTOSAVE_S
        self.start_height_m = self.session.bicycle.y
        # Long-lived objects leave the collector's view: its full passes cost 40-70 ms otherwise.
        gc.collect()
        gc.freeze()

    def frame(self, frame_s: float) -> bool:
        """Advance by `frame_s` seconds and show one picture; False when the ride is over."""
        from game.render.frame import covering

        watch, drawing = self.watch, self.drawing
        watch.start()

        inputs = self._read_inputs(frame_s)
        self._obey_commands()
        # Only now: a command may have opened another world.
        session, stream = self.session, self.session.stream
        # Measured and repeated rides must not depend on when a worker thread is done.
        session.carve(frame_s, paced=self.options.pages != "realtime")
        edited = session.settle_edits(block=self.options.pages != "realtime")
        watch.lap("edit_ms")

        self.player.set_intent(session, inputs, frame_s)
        steps = self.clock.advance(0.0 if self.player.paused(session) else frame_s)
        for _ in range(steps):
            session.schedule.step(session.entities, STEP_S)
            watch.lap("sim_ms")
            if self.options.seconds is not None:
                note_step(self.log, session)
            self.player.feel(session)
            watch.skip()
        self._after_steps(steps)
        session.look_ahead()
        session.settle_runoff(steps * STEP_S, block=self.options.pages != "realtime")
        watch.skip() if self.options.pages != "realtime" else watch.lap("stream_ms")
        self.player.vibrate()

        camera = drawing.camera(session, self.clock.alpha)
        drawing.fit_levels(session, camera)
        stream.want(self._focus(camera, frame_s), self.clock.time_due_s)
        watch.lap("stream_ms")
        self._grant_pages(frame_s)
        watch.skip()
        # Edits first: a page that arrives may be given the layer of an edited one.
        drawing.renderer.upload_edits(edited)
        watch.lap("upload_ms")
        for layer, page in stream.arrivals(*self._upload_budget()):
            watch.lap("stream_ms")
            drawing.renderer.upload(layer, page)
            watch.lap("upload_ms")
        watch.lap("stream_ms")

        session.coast.follow(stream.store, session.weather.sea_level_m)
        watch.lap("stream_ms")

        # Detail fades also while the ride is paused: pages go on arriving, and settings are tried there.
        selection = stream.select(covering(camera), frame_s)
        watch.lap("select_ms")

        drawing.keep_drawable(session, self.interface)
        if drawing.ready(selection, frame_s):
            debris = not self.player.preferences.camera.reduced_motion
            drawing.draw(session, camera, selection, self.clock, watch, debris=debris)
            watch.lap("submit_ms")
            self._show_interface(camera, selection, frame_s)
            watch.lap("interface_ms")

        watch.skip()
        session.messages += self.pictures.take(self.clock.time_due_s, drawing.renderer.read_pixels)
        watch.skip()
        drawing.present()
        watch.skip()
        self._note_frame()
        return not session.quit

    def bring_in_land(self, seconds: float | None = None) -> bool:
        """Wait for the pages around the start before the first frame; False when `seconds` passed first."""
        stream = self.session.stream
        stream.want(self._focus(self.drawing.camera(self.session, self.clock.alpha)), 0.0)
        done = stream.wait(seconds)
        for layer, page in stream.arrivals():
            self.drawing.renderer.upload(layer, page)
        return done

    # Inputs and commands: all that may change the session before its steps.

    def _read_inputs(self, frame_s: float) -> InputFrame:
        player, drawing = self.player, self.drawing
        inputs, asked = player.read(self.session, drawing.window.pixel_ratio)
        self._asked.extend(parse_command(text) for text in asked)
        if inputs.resized:
            drawing.resize()
        if inputs.fullscreen:
            drawing.toggle_fullscreen()
        if inputs.picture:
            self.pictures.ask()
        player.sculpt(self.session, inputs, frame_s, lambda x, y: drawing.pick(self.session, x, y))
        player.hold_pointer(self.session)
        return inputs

    def _obey_commands(self) -> None:
        """Carry out what the script has due and what the interface asked for in the last frame."""
        due, self._asked = self._asked, []
        while self._script and self._script[0].at_s <= self.clock.time_due_s + 1e-9:
            due.append(self._script.popleft())
        for command in due:
            try:
                self._obey(command)
            except (UsageError, ValueError) as error:
                if not self.player.plays:
                    raise UsageError(f"--exec: {command.name}: {error}") from None
                self.session.messages.append((str(error), "warning"))

    def _obey(self, command: Command) -> None:
        if command.name == "teleport":
            self.player.end_stroke(self.session)
        if command.name == "world" and command.values[0] in ("open", "new"):
            self._change_world(*(str(value) for value in command.values))
            return
        if actions.obey(self.session, command):
            return
        name, value = command.name, command.values[0] if command.values else ""
        if name == "quality":
            self.drawing.use_quality(self.session, quality(str(value), self.drawing.view_m))
        elif name == "view":
            self.drawing.use_view(self.session, 1000.0 * float(value))
        elif name == "error":
            self.drawing.use_error(float(value))
        elif name == "curvature":
            self.drawing.curvature = value == "on"
        elif name == "key":
            self.player.inputs.press(str(value), command.values[1] == "down")
        elif name == "picture":
            self.pictures.ask()
        elif name == "motion":
            self.player.use_motion(self.session, str(value))
        elif name in ("bind", "button", "control", "feel") or (name == "controls" and value == "reset"):
            self.player.rebind(self.session, command)
        elif name == "fullscreen":
            self.drawing.toggle_fullscreen()
        elif self.interface is not None:
            self.interface.switch(name, value == "on")

    def _change_world(self, verb: str, name: str, recipe: str = "", seed: str = "") -> None:
        """Keep this world and ride in another, saved (`open`) or new. This one goes on when that fails."""
        name = free_name(name) if verb == "new" else check_name(name)
        if verb == "open" and name == self.session.save_name:
            raise UsageError(f"the world {name!r} is open already")
        if verb == "open" and name not in list_worlds():
            raise UsageError(f"there is no saved world {name!r}; saved worlds: {', '.join(list_worlds())}")
        self.player.end_stroke(self.session)
        # A script's own ride is not to leave worlds behind.
        if self.player.plays:
            self.save_at_exit()
        options = dataclasses.replace(
            self.options,
            save=name,
            world=recipe or self.session.world,
            seed=int(seed) if seed else secrets.randbelow(1 << 31) if verb == "new" else None,
            start=None,
            sea_level_m=None,
        )
        session = open_session(options, self.drawing.quality)
        self.session.close()
        self.session = session
        self.player.enter(session)
        if verb == "new":
            session.save(name)
        self.drawing.forget_picture()
        self.start_height_m = session.bicycle.y
        self.drawing.renew(session)
        session.messages.append((f"{name}, seed {session.seed}", "good"))

    # Steps.

    def _after_steps(self, steps: int) -> None:
        if steps:
            intent = self.session.entities.component(self.session.cast.rider, Intent)
            intent.hop = intent.recover = False
        self.log.steps += steps
        self.session.tell_run()
        passed = self.session.collisions.passed
        if passed and self.player.plays:
            self.session.gates += len(passed)
            self.session.messages.append((f"through gate {self.session.gates}", "good"))
        passed.clear()

    # Streaming and drawing.

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
        was = self.drawing.shown
        if was is None or frame_s <= 0.0:
            return 0.0, 0.0
        vx, vz = (camera.x - was.x) / frame_s, (camera.z - was.z) / frame_s
        return (vx, vz) if math.hypot(vx, vz) < FASTEST_M_S else (0.0, 0.0)

    def _upload_budget(self) -> tuple[int | None, float | None]:
        """Bytes and seconds that this frame may spend on pages; seconds only where the clock paces."""
        if self.options.pages == "wait":
            return None, None
        return UPLOAD_BYTES, UPLOAD_S if self.options.pages == "realtime" else None

    def _grant_pages(self, frame_s: float) -> None:
        """Let the workers have their time: all they want, their share of the frame, or what they get."""
        stream = self.session.stream
        if self.options.pages == "wait":
            stream.wait()
        elif self.options.pages == "budget":
            stream.spend(frame_s * (self.options.workers or default_workers()))

    def _show_interface(self, camera: CameraView, selection: Selection, frame_s: float) -> None:
        """HUD and menu over the picture; what was clicked becomes commands of the next frame."""
        interface, session, drawing = self.interface, self.session, self.drawing
        renderer, preferences = drawing.renderer, self.player.preferences
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
            quality=drawing.quality.name,
            view_m=drawing.quality.view_m,
            error_px=drawing.error_px,
            shown_error_px=shown_error_px(session) or 0.0,
            curvature=drawing.curvature,
            triangles=renderer.triangles,
            draw_calls=renderer.draw_calls,
            trees=renderer.trees_drawn if interface.numbers_shown else 0,
            renderer=drawing.gl.renderer,
            calm=preferences.camera.reduced_motion,
            preferences=preferences,
            passes_ms=renderer.timers.times_ms(),
        )
        renderer.picture.bind()
        asked = interface.draw(facts, renderer.size, frame_s)
        self._asked.extend(parse_command(text) for text in asked)

    # Figures and the end.

    def _note_frame(self) -> None:
        self.log.frames += 1
        if self.options.seconds is not None:
            now_s = self.clock.time_due_s
            note_frame(self.log, self.session, self.drawing.renderer, self.watch, now_s, self.options.seconds)
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
            elif session.unsaved:
                session.save(self._name_of_ride())
                session.messages.append((f"saved as {session.save_name}", "good"))
        except (UsageError, ValueError) as error:
            session.messages.append((str(error), "warning"))

    def save_at_exit(self) -> str | None:
        """Keep what the player made; return the name it is saved under, None when there was nothing to keep."""
        session = self.session
        session.finish_smoothing()
        if not session.save_name and not session.unsaved:
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
            self.drawing.gl,
            seconds=seconds,
            view_m=self.drawing.quality.view_m,
            start_height_m=self.start_height_m,
        )

    def release(self) -> None:
        """Stop the workers and free every GL object; harmless when called twice."""
        self.pictures.close()
        self.session.close()
        self.player.close()
        if self.interface is not None:
            self.interface.release()
        self.drawing.release()
