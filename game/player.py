"""`Player`: devices and settings of who plays, turned into the session's wishes.

Reads the devices once a frame and says what that means: pauses, looks, intents of the rider, strokes of the brush.
What the player chose (keys, sensitivities, camera feel) is kept here and written to the settings file. A ride on
autopilot has a `Player` too, who brings no settings along and whose keys move nothing.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from game import actions
from game.core.commands import Command
from game.core.errors import UsageError
from game.core.preferences import Preferences, load, save, settings_path
from game.core.remap import rebound
from game.ecs.components import Intent
from game.host.inputs import InputFrame, Inputs, key_label
from game.ride.camera import feel_of
from game.ride.vibration import STILL, rumble, stronger

if TYPE_CHECKING:
    from collections.abc import Callable

    from game.session import Session
    from game.ui.interface import Interface

LOOK_RAD_PER_COUNT = 0.0022
"""Turn of the look for one count of mouse motion."""

LOOK_RAD_PER_S = 2.6
"""Turn of the look with the stick held over."""

SPRINT = 1.6
"""Pedal of a sprint; see `Intent`."""

OFFER_S = 14.0
"""How long the calm camera is offered at the first start."""

CAMERA_LABELS = {"chase": "behind the rider", "first": "through the rider's eyes", "side": "beside the rider"}
CAMERA_LABELS["fly"] = "free flight"
MOTION_LABELS = {
    "full": "the camera moves with the ride",
    "reduced": "calm camera: no kick, shake, bob or roll",
}

Spot = tuple[float, float, float]


class Player:
    """Who rides: `plays` is False on autopilot. Main thread only."""

    def __init__(self, interface: Interface | None, *, plays: bool) -> None:
        self.plays = plays
        self._interface = interface
        # A ride on autopilot looks the same for everybody: only who plays brings settings along.
        self.preferences, self._problems = load(settings_path()) if plays else (Preferences(), [])
        self.inputs = Inputs(preferences=self.preferences)
        self._rumble = STILL

    def enter(self, session: Session) -> None:
        """Ride in this session from now on."""
        session.messages += [(problem, "warning") for problem in self._problems]
        self._problems = []
        session.use_feel(feel_of(self.preferences.camera))

    def paused(self, session: Session) -> bool:
        """Whether the ride stands still: paused, or a player is at the controls screen."""
        at_controls = self.plays and self._interface is not None and self._interface.controls_open
        return session.paused or at_controls

    # Devices.

    def read(self, session: Session, pixel_ratio: float) -> tuple[InputFrame, list[str]]:
        """What the devices say, done to the session; and the commands of keys in the interface.

        Window matters (`resized`, `fullscreen`, `picture`) are the caller's.
        """
        interface = self._interface
        has_mouse = interface is not None and interface.layer.wants_mouse
        has_text = interface is not None and interface.layer.wants_text
        self.inputs.muted = interface is not None and interface.waits_for_key
        inputs = self.inputs.poll(pixel_ratio, has_mouse, has_text)
        session.quit |= inputs.quit
        self._pause(session, inputs)
        if inputs.sculpt:
            session.tool.active = not session.tool.active
        if inputs.camera:
            actions.obey(session, Command("camera", ("next",)))
            session.messages.append((f"camera: {CAMERA_LABELS[actions.camera_mode(session)]}", "info"))
        if inputs.calm:
            self.use_motion(session, "full" if self.preferences.camera.reduced_motion else "reduced")
        if interface is None:
            return inputs, []
        return inputs, interface.read(inputs, pixel_ratio, not self.inputs.grabbed, self.preferences)

    def _pause(self, session: Session, inputs: InputFrame) -> None:
        if not self.plays:
            return
        if inputs.gamepad_lost:
            session.paused = True
            session.messages.append(("the gamepad is gone; the ride is paused", "warning"))
        if inputs.focus_lost and not session.paused:
            # Nobody rides blind into a tree behind another window.
            session.paused = True
            session.messages.append(("the window lost the keyboard; the ride is paused", "info"))
        if inputs.pause:
            session.paused = not session.paused

    def hold_pointer(self, session: Session) -> None:
        """Grab the pointer for looking, or free it for windows and brushes."""
        interface = self._interface
        free = (
            self.paused(session)
            or session.tool.active
            or (interface is not None and (interface.menu_open or interface.worlds_open))
        )
        self.inputs.grab_pointer(self.plays and not free)

    def sculpt(
        self,
        session: Session,
        inputs: InputFrame,
        frame_s: float,
        pick: Callable[[float, float], Spot | None],
    ) -> None:
        """Turn pointer and buttons into edits of the land; `pick` finds the land under a pixel."""
        interface = self._interface
        if interface is None:
            return
        if session.paused:
            self.end_stroke(session)
            return
        spot = None
        if session.tool.active and not interface.layer.wants_mouse:
            hit = pick(inputs.pointer_x, inputs.pointer_y)
            spot = None if hit is None else (hit[0], hit[2])
        for step in interface.stroke.update(inputs, spot, session.tool, frame_s):
            actions.sculpt(session, step)

    def end_stroke(self, session: Session) -> None:
        """Let go of the brush, whatever the buttons say."""
        if self._interface is not None:
            for step in self._interface.stroke.cancel():
                actions.sculpt(session, step)

    def set_intent(self, session: Session, inputs: InputFrame, frame_s: float) -> None:
        """Hand the player's wishes to the rider, or to the free camera."""
        turn = LOOK_RAD_PER_S * frame_s
        actions.look_around(
            session,
            LOOK_RAD_PER_COUNT * inputs.look_dx + turn * inputs.look_rate_x,
            -LOOK_RAD_PER_COUNT * inputs.look_dy - turn * inputs.look_rate_y,
        )
        if not self.plays:
            return
        intent = session.entities.component(session.cast.rider, Intent)
        intent.pedal = intent.brake_front = intent.brake_rear = intent.steer = 0.0
        if session.free_camera.x is not None:
            if not self.paused(session):
                actions.fly(session, inputs.pedal - inputs.brake, inputs.steer, inputs.sprint, frame_s)
        else:
            intent.pedal = inputs.pedal * (SPRINT if inputs.sprint else 1.0)
            intent.brake_front = intent.brake_rear = inputs.brake
            intent.steer = inputs.steer
            intent.sensitivity = self.preferences.controls.steer_sensitivity
        # A press shorter than a step still counts for one.
        intent.hop |= inputs.hop
        intent.recover |= inputs.recover

    def feel(self, session: Session) -> None:
        """Note what a step shook; the strongest of a frame is felt."""
        self._rumble = stronger(self._rumble, rumble(session.bicycle))

    def vibrate(self) -> None:
        """Hand the strongest thing that happened in the frame to the gamepad."""
        self.inputs.vibrate(*self._rumble)
        self._rumble = STILL

    # Settings.

    def use_motion(self, session: Session, motion: str) -> None:
        """Calm the camera (`reduced`), or let it move as the player has set it (`full`)."""
        camera = dataclasses.replace(self.preferences.camera, reduced_motion=motion == "reduced")
        self.preferences = dataclasses.replace(self.preferences, camera=camera)
        session.use_feel(feel_of(camera))
        if self.plays:
            session.messages.append((MOTION_LABELS[motion], "good"))
            self._save(session)

    def rebind(self, session: Session, command: Command) -> None:
        """Read devices and move the camera as a command of the controls screen says, and keep it."""
        self.preferences = rebound(self.preferences, command)
        self.inputs.use(self.preferences)
        session.use_feel(feel_of(self.preferences.camera))
        if self._interface is not None:
            self._interface.use_keys(self.preferences.keys)
        if self.plays:
            self._save(session)

    def greet(self, session: Session) -> None:
        """The first start: the keys are shown once, and a calm camera is offered."""
        if self._interface is None or self.preferences.hints_seen:
            return
        keys = self.preferences.keys.get("calm", ())
        if keys:
            self._interface.hud.notify(
                f"{key_label(keys[0])} gives a calm camera, if motion makes you unwell", "info", OFFER_S
            )
        self.preferences = dataclasses.replace(self.preferences, hints_seen=True)
        self._save(session)

    def _save(self, session: Session) -> None:
        try:
            save(self.preferences, settings_path())
        except UsageError as error:
            session.messages.append((str(error), "warning"))

    def close(self) -> None:
        """Let go of the devices."""
        self.inputs.close()
