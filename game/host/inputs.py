"""Keyboard, mouse and gamepad, read once a frame into an `InputFrame`.

Keys are bound by scancode (the place on the keyboard) and labelled by keycode (what is printed there), so
that W/A/S/D stay under the same fingers on AZERTY and Dvorak; only Ctrl+Z and Ctrl+Y go by the letter.
Owns what is held down and the grab of the pointer. Never knows what the game does with any of it: steering
comes out digital (−1, 0, 1) from keys and analog from a stick; the bicycle limits its rate.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

import pygame
from pygame._sdl2 import controller

from game.core.bindings import (
    ALIASES,
    DEFAULT_KEYS,
    DEFAULT_PAD,
    HELD_KEYS,
    KEY_NAMES,
    MOUSE_BUTTONS,
    PRESSED_KEYS,
    Bindings,
)
from game.core.preferences import ControlPreferences, Preferences

_SPECIAL = {
    "SHIFT": "LSHIFT",
    "CTRL": "LCTRL",
    "RCTRL": "RCTRL",
    "ALT": "LALT",
    "ESC": "ESCAPE",
    "ENTER": "RETURN",
    "LBRACKET": "LEFTBRACKET",
    "RBRACKET": "RIGHTBRACKET",
    "QUOTE": "APOSTROPHE",
}
"""Where pygame calls a place otherwise than `core.bindings` does."""

SCANCODES: dict[str, int] = {name: getattr(pygame, f"KSCAN_{_SPECIAL.get(name, name)}") for name in KEY_NAMES}
"""Every key the game knows, by the name it has on a US keyboard; `--exec "key NAME down"` uses these."""

_MOUSE = {"MOUSELEFT": 1, "MOUSEMIDDLE": 2, "MOUSERIGHT": 3, "MOUSE4": 6, "MOUSE5": 7}
SCANCODES |= {name: -number for name, number in _MOUSE.items()}
"""Buttons of the mouse are bound as keys: no key has a negative scancode. SDL's 4 and 5 are the wheel."""

_NAME_OF = {code: name for name, code in SCANCODES.items()}

HELD, PRESSED = HELD_KEYS, PRESSED_KEYS

STICK_DEAD_ZONE = ControlPreferences().stick_dead_zone
"""Share of a stick's travel that counts as rest unless set otherwise: worn sticks drift by up to a sixth of it."""

PAD_CODES: dict[str, int] = {
    "A": pygame.CONTROLLER_BUTTON_A,
    "B": pygame.CONTROLLER_BUTTON_B,
    "X": pygame.CONTROLLER_BUTTON_X,
    "Y": pygame.CONTROLLER_BUTTON_Y,
    "LB": pygame.CONTROLLER_BUTTON_LEFTSHOULDER,
    "RB": pygame.CONTROLLER_BUTTON_RIGHTSHOULDER,
    "BACK": pygame.CONTROLLER_BUTTON_BACK,
    "START": pygame.CONTROLLER_BUTTON_START,
    "UP": pygame.CONTROLLER_BUTTON_DPAD_UP,
    "DOWN": pygame.CONTROLLER_BUTTON_DPAD_DOWN,
    "LEFT": pygame.CONTROLLER_BUTTON_DPAD_LEFT,
    "RIGHT": pygame.CONTROLLER_BUTTON_DPAD_RIGHT,
    "LS": pygame.CONTROLLER_BUTTON_LEFTSTICK,
    "RS": pygame.CONTROLLER_BUTTON_RIGHTSTICK,
}
"""Buttons of a gamepad, by the names of `core.bindings`."""

WINDOW_KEYS = frozenset({"F1", "F2", "F3", "F11", "F12"})
"""Keys that reach the game also while text is typed into the menu: they never write a character."""


_PRESSES = frozenset({pygame.KEYDOWN, pygame.MOUSEBUTTONDOWN, pygame.CONTROLLERBUTTONDOWN})


class Pad(Protocol):
    """The part of a pygame controller that is used."""

    def as_joystick(self) -> Any: ...

    def rumble(self, low_frequency: float, high_frequency: float, duration: int) -> Any: ...

    def quit(self) -> None: ...


@dataclass(slots=True)
class InputFrame:
    """What the player did since the last frame. Held values are of now, presses count once."""

    quit: bool = False
    resized: bool = False
    focus_lost: bool = False
    focus_gained: bool = False
    gamepad_lost: bool = False
    """A gamepad in use was unplugged: its axes are zero again and the game should pause."""

    pedal: float = 0.0
    """0…1."""
    sprint: bool = False
    brake: float = 0.0
    """0…1."""
    steer: float = 0.0
    """−1 full left … +1 full right; −1, 0 or 1 from keys."""

    hop: bool = False
    recover: bool = False
    pause: bool = False
    sculpt: bool = False
    camera: bool = False
    calm: bool = False
    debug_menu: bool = False
    controls: bool = False
    debug_numbers: bool = False
    fullscreen: bool = False
    picture: bool = False
    undo: bool = False
    redo: bool = False

    look_dx: float = 0.0
    """Relative mouse motion while the pointer is grabbed, in mouse counts; right is positive."""
    look_dy: float = 0.0
    """Down is positive."""
    look_rate_x: float = 0.0
    """Right stick −1…1: a rate of turning, to be multiplied by the frame's seconds."""
    look_rate_y: float = 0.0

    wheel: float = 0.0
    """Notches turned without Shift, away from the player is positive."""
    wheel_shifted: float = 0.0
    """Notches turned while Shift was held: on a slow frame it may be down for some of them only."""
    left: bool = False
    right: bool = False
    middle: bool = False
    left_pressed: bool = False
    right_pressed: bool = False
    ctrl: bool = False
    shift: bool = False
    """Held now; where a button was pressed in this frame, held at that moment."""
    alt: bool = False
    pointer_x: float = 0.0
    """Drawable pixels from the left."""
    pointer_y: float = 0.0
    """Drawable pixels from the top."""

    events: list[pygame.event.Event] = field(default_factory=list)
    """Everything SDL sent, for the menu."""


_CTRL, _SHIFT = ("CTRL", "RCTRL"), ("SHIFT", "RSHIFT")


def known_keys() -> tuple[str, ...]:
    """Names that `Inputs.press` accepts, in capitals; it takes small letters too."""
    return (*SCANCODES, *ALIASES)


_PRINTED = (*"ABCDEFGHIJKLMNOPQRSTUVWXYZ", "COMMA", "PERIOD", "SLASH", "SEMICOLON", "QUOTE")
_PRINTED += ("MINUS", "EQUALS", "LBRACKET", "RBRACKET")
"""Places whose print differs between keyboards; digits are on their places on all of them."""


_LABELS = {
    "RSHIFT": "right Shift",
    "RCTRL": "right Ctrl",
    "RALT": "right Alt",
    "PAGEUP": "Page up",
    "PAGEDOWN": "Page down",
    "GRAVE": "`",
}


def key_label(name: str) -> str:
    """What is printed on the key at the place `name` on this keyboard, e.g. "Z" for "W" on AZERTY."""
    if name in MOUSE_BUTTONS:
        return MOUSE_BUTTONS[name]
    scancode = SCANCODES[name]
    if name not in _PRINTED:
        return _LABELS.get(name, name if name.startswith("F") else name.capitalize())
    # SDL answers "which place has this letter", so ask for every letter that could stand there.
    here = pygame.key.ScancodeWrapper(place == scancode for place in range(512))
    printable = [*range(ord("a"), ord("z") + 1), *map(ord, ",.;'-=/[]")]
    return next((chr(code).upper() for code in printable if here[code]), name)


_HINTS = (
    ("pedal", "pedal"),
    ("brake", "brake"),
    ("steer", "steer"),
    ("sprint", "sprint"),
    ("hop", "hop"),
    ("recover", "get up"),
    ("camera", "camera"),
    ("sculpt", "sculpt"),
    ("calm", "calm camera"),
    ("debug_menu", "debug menu"),
    ("controls", "controls"),
    ("debug_numbers", "numbers"),
    ("fullscreen", "full screen"),
    ("picture", "picture"),
    ("pause", "pause"),
)


def key_of(event: pygame.event.Event) -> str | None:
    """Name of the key or mouse button that an event presses; None for other events and unknown keys."""
    if event.type == pygame.KEYDOWN:
        return _NAME_OF.get(event.scancode)
    return _NAME_OF.get(-event.button) if event.type == pygame.MOUSEBUTTONDOWN else None


def button_of(event: pygame.event.Event) -> str | None:
    """Name of the gamepad button that an event presses; None for other events."""
    if event.type != pygame.CONTROLLERBUTTONDOWN:
        return None
    return next((name for name, code in PAD_CODES.items() if code == event.button), None)


def key_hints(keys: Bindings = DEFAULT_KEYS) -> list[tuple[str, str]]:
    """(labels on this keyboard, what the keys do), in the order a newcomer needs them."""

    def first(action: str) -> str:
        names = keys.get(action, ())
        return key_label(names[0]) if names else ""

    found = []
    for action, meaning in _HINTS:
        label = f"{first('left')} / {first('right')}" if action == "steer" else first(action)
        if label.strip(" /"):
            found.append((label, meaning))
    return found


_STICKS = (
    (pygame.CONTROLLER_AXIS_LEFTX, pygame.CONTROLLER_AXIS_RIGHTX, pygame.CONTROLLER_AXIS_RIGHTY),
    (pygame.CONTROLLER_AXIS_RIGHTX, pygame.CONTROLLER_AXIS_LEFTX, pygame.CONTROLLER_AXIS_LEFTY),
)
_TRIGGERS = (
    (pygame.CONTROLLER_AXIS_TRIGGERRIGHT, pygame.CONTROLLER_AXIS_TRIGGERLEFT),
    (pygame.CONTROLLER_AXIS_TRIGGERLEFT, pygame.CONTROLLER_AXIS_TRIGGERRIGHT),
)
"""Axes for steering and looking, and for pedal and brake: as they come, and swapped."""


def _curve(value: float, dead_zone: float) -> float:
    """Stretch an axis so that it starts at zero at the edge of the dead zone. −1…1 to −1…1."""
    size = abs(value)
    if size <= dead_zone:
        return 0.0
    return math.copysign(min(1.0, (size - dead_zone) / (1.0 - dead_zone)), value)


class Inputs:
    """Reads pygame's event queue. Needs an open display; made once."""

    def __init__(
        self,
        set_relative: Callable[[bool], object] = pygame.mouse.set_relative_mode,
        open_pad: Callable[[int], Pad] = controller.Controller,
        preferences: Preferences | None = None,
    ) -> None:
        self._set_relative = set_relative
        self._open_pad = open_pad
        self.use(preferences or Preferences())
        self._down: set[int] = set()
        self._injected: set[int] = set()
        self._injected_presses: list[int] = []
        self._buttons: set[int] = set()
        self._pads: dict[int, Pad] = {}
        self._axes: dict[int, dict[int, float]] = {}
        self._pad_held: dict[int, set[int]] = {}
        self._riding = False
        # The events of before (a loading screen read them) may hold a focus loss: ask.
        self._focused = pygame.key.get_focused()
        self._grabbed = False
        self._drop_motion = False
        self._pointer = (0.0, 0.0)
        self.muted = False
        """Every new press is the menu's: it waits for the key that somebody wants to bind."""
        if not controller.get_init():
            controller.init()

    def use(self, preferences: Preferences) -> None:
        """Read devices by these preferences from now on."""
        self._controls = preferences.controls
        self._keys = {
            action: frozenset(SCANCODES[name] for name in preferences.keys.get(action, ()))
            for action in DEFAULT_KEYS
        }
        self._pad_codes = {
            action: frozenset(PAD_CODES[name] for name in preferences.gamepad.get(action, ()))
            for action in DEFAULT_PAD
        }

    def vibrate(self, low: float, high: float, milliseconds: int) -> None:
        """Shake every gamepad: strength 0…1 of the slow and the fast motor, times the player's setting."""
        scale = self._controls.vibration
        if scale <= 0.0 or max(low, high) <= 0.0:
            return
        for pad in self._pads.values():
            # A pad without motors says no; one that was just unplugged raises.
            with contextlib.suppress(pygame.error):
                pad.rumble(min(1.0, scale * low), min(1.0, scale * high), milliseconds)

    @property
    def grabbed(self) -> bool:
        """Whether the pointer is in relative mode now."""
        return self._grabbed

    def grab_pointer(self, riding: bool) -> None:
        """Say whether the player rides: only then the pointer is grabbed, and only while focused."""
        self._riding = riding
        self._update_grab()

    def _update_grab(self) -> None:
        wanted = self._riding and self._focused
        if wanted != self._grabbed:
            self._grabbed = wanted
            # SDL reports the way from where the pointer was as the first motion: the camera would jump.
            self._drop_motion = wanted
            self._set_relative(wanted)

    def press(self, name: str, down: bool) -> None:
        """Press or release the key `name` (see `known_keys`) as a script does, until it is released.

        Raises `ValueError` listing the accepted names.
        """
        upper = name.upper()
        scancode = SCANCODES.get(ALIASES.get(upper, upper))
        if scancode is None:
            raise ValueError(f"key {name!r} is not known; use one of {', '.join(known_keys())}")
        if down:
            if scancode not in self._injected:
                self._injected_presses.append(scancode)
            self._injected.add(scancode)
        else:
            self._injected.discard(scancode)

    def release_all(self) -> None:
        """Forget every key, button and axis that is held (not the injected ones)."""
        self._down.clear()
        self._buttons.clear()
        self._pad_held.clear()
        for axes in self._axes.values():
            axes.clear()

    def close(self) -> None:
        """Free the pointer and the gamepads. May be called more than once."""
        self.grab_pointer(False)
        for pad in self._pads.values():
            pad.quit()
        self._pads.clear()
        self._axes.clear()

    def poll(
        self, pixel_ratio: float = 1.0, ui_has_mouse: bool = False, ui_has_text: bool = False
    ) -> InputFrame:
        """Read all waiting events.

        `ui_has_mouse`: the menu is under the pointer, so new clicks and the wheel are not the game's.
        `ui_has_text`: text is being typed, so new key presses are not the game's. Releases always are,
        so that nothing stays held.
        """
        return self.read(pygame.event.get(), pixel_ratio, ui_has_mouse, ui_has_text)

    def read(
        self,
        events: Iterable[pygame.event.Event],
        pixel_ratio: float = 1.0,
        ui_has_mouse: bool = False,
        ui_has_text: bool = False,
    ) -> InputFrame:
        """Like `poll`, from given events."""
        frame = InputFrame(events=list(events))
        injected = set(self._injected_presses)
        self._injected_presses.clear()
        pressed = set(injected)
        pad_pressed: set[str] = set()
        clicked_with: tuple[bool, bool] | None = None
        for event in frame.events:
            kind = event.type
            if self.muted and kind in _PRESSES:
                continue
            if kind == pygame.KEYDOWN:
                if not ui_has_text or event.scancode in {SCANCODES[name] for name in WINDOW_KEYS}:
                    self._key_down(event, frame, pressed)
            elif kind == pygame.KEYUP:
                self._down.discard(event.scancode)
            elif kind == pygame.MOUSEMOTION:
                self._motion(event, frame, pixel_ratio)
            elif kind == pygame.MOUSEBUTTONDOWN:
                self._pointer = (event.pos[0] * pixel_ratio, event.pos[1] * pixel_ratio)
                if self._grabbed:
                    pressed.add(-event.button)
                    self._down.add(-event.button)
                if not ui_has_mouse:
                    self._buttons.add(event.button)
                    if event.button in (pygame.BUTTON_LEFT, pygame.BUTTON_RIGHT):
                        clicked_with = self._is_down(_CTRL), self._is_down(_SHIFT)
                    frame.left_pressed |= event.button == pygame.BUTTON_LEFT
                    frame.right_pressed |= event.button == pygame.BUTTON_RIGHT
            elif kind == pygame.MOUSEBUTTONUP:
                self._buttons.discard(event.button)
                self._down.discard(-event.button)
            elif kind == pygame.MOUSEWHEEL:
                if not ui_has_mouse:
                    # macOS turns Shift + wheel into sideways scrolling.
                    notches = getattr(event, "precise_y", event.y) or getattr(event, "precise_x", event.x)
                    if self._is_down(_SHIFT):
                        frame.wheel_shifted += notches
                    else:
                        frame.wheel += notches
            elif kind == pygame.QUIT:
                frame.quit = True
            elif kind in (pygame.VIDEORESIZE, pygame.WINDOWSIZECHANGED):
                frame.resized = True
            elif kind == pygame.WINDOWFOCUSLOST:
                frame.focus_lost = True
                self._focused = False
                self.release_all()
                self._update_grab()
            elif kind == pygame.WINDOWFOCUSGAINED:
                frame.focus_gained = True
                self._focused = True
                self._update_grab()
            else:
                self._pad_event(event, frame, pad_pressed)
        self._fill(frame, pressed, pad_pressed, injected)
        if clicked_with is not None:
            frame.ctrl, frame.shift = clicked_with
        return frame

    def _is_down(self, names: tuple[str, ...]) -> bool:
        """Whether one of these keys is held after the events read so far."""
        return any(SCANCODES[name] in self._down or SCANCODES[name] in self._injected for name in names)

    def _key_down(self, event: pygame.event.Event, frame: InputFrame, pressed: set[int]) -> None:
        if event.scancode not in self._down:
            pressed.add(event.scancode)
        self._down.add(event.scancode)
        # These two are letters, not places: Z and Y swap on a German keyboard, and undo must not.
        if event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META):
            again = event.mod & pygame.KMOD_SHIFT
            frame.undo |= event.key == pygame.K_z and not again
            frame.redo |= event.key == pygame.K_y or (event.key == pygame.K_z and bool(again))

    def _motion(self, event: pygame.event.Event, frame: InputFrame, pixel_ratio: float) -> None:
        if not self._grabbed:
            self._pointer = (event.pos[0] * pixel_ratio, event.pos[1] * pixel_ratio)
        elif self._drop_motion:
            self._drop_motion = False
        else:
            frame.look_dx += event.rel[0]
            frame.look_dy += event.rel[1]

    def _pad_event(self, event: pygame.event.Event, frame: InputFrame, pressed: set[str]) -> None:
        kind = event.type
        if kind == pygame.CONTROLLERDEVICEADDED:
            try:
                pad = self._open_pad(event.device_index)
                instance = int(pad.as_joystick().get_instance_id())
            except pygame.error:
                return  # gone again before it could be opened
            if instance not in self._pads:  # some systems announce one pad twice
                self._pads[instance] = pad
                self._axes[instance] = {}
        elif kind == pygame.CONTROLLERDEVICEREMOVED:
            lost = self._pads.pop(event.instance_id, None)
            self._axes.pop(event.instance_id, None)
            self._pad_held.pop(event.instance_id, None)
            frame.gamepad_lost |= lost is not None
        elif kind == pygame.CONTROLLERAXISMOTION and event.instance_id in self._axes:
            self._axes[event.instance_id][event.axis] = max(-1.0, event.value / 32767.0)
        elif kind == pygame.CONTROLLERBUTTONDOWN and event.instance_id in self._axes:
            self._pad_held.setdefault(event.instance_id, set()).add(event.button)
            pressed.update(action for action, codes in self._pad_codes.items() if event.button in codes)
        elif kind == pygame.CONTROLLERBUTTONUP:
            self._pad_held.get(event.instance_id, set()).discard(event.button)

    def _fill(self, frame: InputFrame, pressed: set[int], pad_pressed: set[str], injected: set[int]) -> None:
        """Turn what is held and was pressed into the frame's values."""
        # A key that went down and up between two frames still counts for one of them.
        held = self._down | self._injected | pressed

        def on(names: tuple[str, ...]) -> bool:
            return any(SCANCODES[name] in held for name in names)

        def does(action: str) -> bool:
            return not held.isdisjoint(self._keys[action])

        controls = self._controls
        stick, trigger = controls.stick_dead_zone, controls.trigger_dead_zone
        steers, looks_x, looks_y = _STICKS[controls.pad_swap_sticks]
        pedals, brakes = _TRIGGERS[controls.pad_swap_triggers]
        steer = self._axis(steers, stick) * (-1.0 if controls.pad_invert_steer else 1.0)
        keys = float(does("right")) - float(does("left"))
        frame.steer = keys if keys else steer
        frame.pedal = max(float(does("pedal")), self._axis(pedals, trigger))
        frame.brake = max(float(does("brake")), self._axis(brakes, trigger))
        pad_sprint = any(not down.isdisjoint(self._pad_codes["sprint"]) for down in self._pad_held.values())
        frame.sprint = does("sprint") or pad_sprint
        turn = controls.pad_look_sensitivity
        frame.look_rate_x = self._axis(looks_x, stick) * turn
        frame.look_rate_y = self._axis(looks_y, stick) * turn
        if controls.pad_invert_x:
            frame.look_rate_x = -frame.look_rate_x
        if controls.pad_invert_y:
            frame.look_rate_y = -frame.look_rate_y
        frame.look_dx *= controls.look_sensitivity * (-1.0 if controls.mouse_invert_x else 1.0)
        frame.look_dy *= controls.look_sensitivity * (-1.0 if controls.mouse_invert_y else 1.0)
        for action in PRESSED:
            setattr(frame, action, not pressed.isdisjoint(self._keys[action]) or action in pad_pressed)
        frame.ctrl, frame.shift = on(_CTRL), on(_SHIFT)
        frame.alt = on(("ALT",))
        if frame.ctrl:
            frame.undo |= SCANCODES["Z"] in injected and not frame.shift
            frame.redo |= SCANCODES["Y"] in injected or (SCANCODES["Z"] in injected and frame.shift)
        frame.left = pygame.BUTTON_LEFT in self._buttons or frame.left_pressed
        frame.right = pygame.BUTTON_RIGHT in self._buttons or frame.right_pressed
        frame.middle = pygame.BUTTON_MIDDLE in self._buttons
        frame.pointer_x, frame.pointer_y = self._pointer

    def _axis(self, axis: int, dead_zone: float) -> float:
        """The strongest deflection of `axis` over all pads, −1…1."""
        values = (_curve(axes.get(axis, 0.0), dead_zone) for axes in self._axes.values())
        return max(values, key=abs, default=0.0)
