"""Inputs from real SDL events, posted through pygame's queue with no screen."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator

import pygame
import pytest

from game.core.bindings import DEFAULT_KEYS, DEFAULT_PAD
from game.core.preferences import ControlPreferences, Preferences
from game.host import inputs as inputs_module
from game.host.inputs import HELD, PRESSED, SCANCODES, Inputs, key_hints, key_label, known_keys


class StubPad:
    """A gamepad with an instance id; what `pygame._sdl2.controller.Controller` offers and is used."""

    def __init__(self, instance: int) -> None:
        self.instance, self.closed = instance, False
        self.felt: list[tuple[float, float, int]] = []

    def as_joystick(self) -> StubPad:
        return self

    def get_instance_id(self) -> int:
        return self.instance

    def rumble(self, low_frequency: float, high_frequency: float, duration: int) -> bool:
        self.felt.append((low_frequency, high_frequency, duration))
        return True

    def quit(self) -> None:
        self.closed = True


@pytest.fixture
def display() -> None:
    """SDL's event queue. Left open, and without a window: other tests of this process share the display."""
    if not pygame.display.get_init():
        os.environ.setdefault("SDL_VIDEODRIVER", "offscreen")
        pygame.display.init()
    pygame.event.get()


@pytest.fixture
def grabs() -> list[bool]:
    return []


@pytest.fixture
def reader(display: None, grabs: list[bool]) -> Iterator[Inputs]:
    made = Inputs(set_relative=grabs.append, open_pad=lambda index: StubPad(100 + index // 10))
    made.read([pygame.event.Event(pygame.WINDOWFOCUSGAINED)])
    yield made
    made.close()


def key(name: str, down: bool = True, keycode: int = 0, mod: int = 0) -> pygame.event.Event:
    kind = pygame.KEYDOWN if down else pygame.KEYUP
    return pygame.event.Event(kind, key=keycode, scancode=SCANCODES[name], mod=mod, unicode="")


def send(reader: Inputs, *events: pygame.event.Event, **options: float) -> inputs_module.InputFrame:
    for event in events:
        pygame.event.post(event)
    return reader.poll(**options)  # type: ignore[arg-type]


def motion(dx: int, dy: int, x: int = 0, y: int = 0) -> pygame.event.Event:
    return pygame.event.Event(pygame.MOUSEMOTION, rel=(dx, dy), pos=(x, y), buttons=(0, 0, 0))


def axis(instance: int, which: int, value: int) -> pygame.event.Event:
    return pygame.event.Event(pygame.CONTROLLERAXISMOTION, instance_id=instance, axis=which, value=value)


def added(device_index: int) -> pygame.event.Event:
    return pygame.event.Event(pygame.CONTROLLERDEVICEADDED, device_index=device_index)


def test_held_keys_last_until_released(reader: Inputs) -> None:
    frame = send(reader, key("W"), key("A"), key("SHIFT"))
    assert (frame.pedal, frame.steer, frame.sprint) == (1.0, -1.0, True)
    assert send(reader).pedal == 1.0
    frame = send(reader, key("D"))
    assert frame.steer == 0.0, "left and right together go straight"
    frame = send(reader, key("W", False), key("A", False), key("SHIFT", False))
    assert (frame.pedal, frame.steer, frame.sprint) == (0.0, 1.0, False)


@pytest.mark.parametrize(("action", "name"), [(a, n) for a, names in HELD.items() for n in names])
def test_every_held_binding(reader: Inputs, action: str, name: str) -> None:
    frame = send(reader, key(name))
    if action in ("left", "right"):
        assert frame.steer == (1.0 if action == "right" else -1.0)
    else:
        assert getattr(frame, action)


@pytest.mark.parametrize(("action", "name"), [(a, n) for a, names in PRESSED.items() for n in names])
def test_presses_count_once(reader: Inputs, action: str, name: str) -> None:
    assert getattr(send(reader, key(name)), action)
    assert not getattr(send(reader), action)
    assert not getattr(send(reader, key(name)), action), "a repeated key-down is no second press"
    send(reader, key(name, False))
    assert getattr(send(reader, key(name)), action)


def test_a_tap_within_one_frame_is_not_lost(reader: Inputs) -> None:
    frame = send(reader, key("A"), key("A", False), key("SPACE"), key("SPACE", False))
    assert (frame.steer, frame.hop) == (-1.0, True)
    assert send(reader).steer == 0.0


def test_keys_are_bound_by_place_not_by_letter(reader: Inputs) -> None:
    # The key at the place of W says "z" on AZERTY.
    assert send(reader, key("W", keycode=pygame.K_z)).pedal == 1.0
    assert send(reader, key("W", False)).pedal == 0.0


def test_undo_and_redo_go_by_the_letter(reader: Inputs) -> None:
    # On QWERTZ the letter z is at the place of Y.
    frame = send(reader, key("CTRL"), key("Y", keycode=pygame.K_z, mod=pygame.KMOD_LCTRL))
    assert (frame.undo, frame.redo) == (True, False)
    frame = send(reader, key("Z", keycode=pygame.K_y, mod=pygame.KMOD_LCTRL))
    assert (frame.undo, frame.redo) == (False, True)
    mod = pygame.KMOD_LCTRL | pygame.KMOD_LSHIFT
    frame = send(reader, key("Y", False), key("Y", keycode=pygame.K_z, mod=mod))
    assert (frame.undo, frame.redo) == (False, True)
    assert not send(reader, key("Z", False), key("Z", keycode=pygame.K_z)).undo


def test_labels_are_what_is_printed(display: None) -> None:
    assert [key_label(name) for name in ("W", "UP", "SPACE", "F11")] == ["W", "Up", "Space", "F11"]


def test_injected_keys(reader: Inputs) -> None:
    reader.press("w", True)
    reader.press("ctrl", True)
    reader.press("z", True)
    reader.press("z", False)
    frame = send(reader)
    assert frame.pedal == 1.0
    assert frame.ctrl
    assert frame.undo
    frame = send(reader, pygame.event.Event(pygame.WINDOWFOCUSLOST))
    assert frame.pedal == 1.0, "a script does not care who has the focus"
    assert not frame.undo
    reader.press("W", False)
    assert send(reader).pedal == 0.0
    with pytest.raises(ValueError, match=r"'Q8' is not known; use one of W, A, S"):
        reader.press("Q8", True)
    assert "F12" in known_keys()


def test_focus_loss_releases_everything_and_the_first_motion_after_it_is_dropped(
    reader: Inputs, grabs: list[bool]
) -> None:
    reader.grab_pointer(True)
    assert grabs == [True]
    assert send(reader, motion(400, 300)).look_dx == 0.0, "the jump of the grab itself"
    frame = send(reader, motion(5, -2), motion(1, 0))
    assert (frame.look_dx, frame.look_dy) == (6.0, -2.0)
    frame = send(reader, key("W"), pygame.event.Event(pygame.WINDOWFOCUSLOST))
    assert frame.focus_lost
    assert frame.pedal in (0.0, 1.0)
    assert send(reader).pedal == 0.0
    assert grabs == [True, False]
    frame = send(reader, pygame.event.Event(pygame.WINDOWFOCUSGAINED), motion(-700, 20), motion(2, 2))
    assert frame.focus_gained
    assert grabs == [True, False, True]
    assert (frame.look_dx, frame.look_dy) == (2.0, 2.0)


def test_no_grab_after_focus_unless_riding(reader: Inputs, grabs: list[bool]) -> None:
    reader.grab_pointer(True)
    reader.grab_pointer(False)
    send(reader, pygame.event.Event(pygame.WINDOWFOCUSLOST), pygame.event.Event(pygame.WINDOWFOCUSGAINED))
    assert grabs == [True, False]
    frame = send(reader, motion(3, 3, x=20, y=30))
    assert (frame.look_dx, frame.pointer_x, frame.pointer_y) == (0.0, 20.0, 30.0)


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("corner", [(0, 0), (639, 0), (0, 359), (639, 359)])
def test_the_pointer_is_in_drawable_pixels(reader: Inputs, ratio: float, corner: tuple[int, int]) -> None:
    frame = send(reader, motion(1, 1, *corner), pixel_ratio=ratio)
    assert (frame.pointer_x, frame.pointer_y) == (corner[0] * ratio, corner[1] * ratio)


def test_the_menu_takes_clicks_and_text_but_never_a_release(reader: Inputs) -> None:
    def button(kind: int, which: int = 1) -> pygame.event.Event:
        return pygame.event.Event(kind, button=which, pos=(5, 5))

    frame = send(reader, button(pygame.MOUSEBUTTONDOWN), key("W"))
    assert frame.left
    assert frame.left_pressed
    frame = send(
        reader,
        button(pygame.MOUSEBUTTONUP),
        button(pygame.MOUSEBUTTONDOWN, 3),
        pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=2),
        key("W", False),
        key("S"),
        key("F1"),
        ui_has_mouse=True,
        ui_has_text=True,
    )
    assert not frame.left
    assert not frame.right
    assert frame.wheel == 0.0
    assert frame.pedal == 0.0
    assert frame.brake == 0.0
    assert frame.debug_menu, "function keys write no text"


def test_wheel_and_modifiers(reader: Inputs) -> None:
    frame = send(
        reader,
        key("SHIFT"),
        key("RCTRL"),
        pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=2),
        pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=-1),
    )
    assert (frame.wheel, frame.wheel_shifted) == (0.0, 1.0)
    assert (frame.shift, frame.ctrl, frame.alt) == (True, True, False)
    sideways = send(reader, pygame.event.Event(pygame.MOUSEWHEEL, x=3, y=0))
    assert sideways.wheel_shifted == 3.0, "macOS turns Shift + wheel sideways"


def test_modifiers_count_as_they_were_at_the_click_or_notch_however_slow_the_frame(reader: Inputs) -> None:
    notch = pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=1)
    frame = send(reader, notch, key("SHIFT"), notch, notch, key("SHIFT", False), notch)
    assert (frame.wheel, frame.wheel_shifted) == (2.0, 2.0)
    # Ctrl + click within one frame, and Ctrl pressed only after a click.
    quick = send(reader, key("CTRL"), mouse(1), mouse(1, False), key("CTRL", False))
    assert (quick.left_pressed, quick.ctrl) == (True, True)
    late = send(reader, mouse(1), key("CTRL"))
    assert (late.left_pressed, late.ctrl) == (True, False)
    assert send(reader).ctrl


def test_quit_and_resize(reader: Inputs) -> None:
    resize = pygame.event.Event(pygame.VIDEORESIZE, w=10, h=10, size=(10, 10))
    frame = send(reader, resize, pygame.event.Event(pygame.QUIT))
    assert frame.quit
    assert frame.resized


def test_gamepad(reader: Inputs) -> None:
    left_x, trigger = pygame.CONTROLLER_AXIS_LEFTX, pygame.CONTROLLER_AXIS_TRIGGERRIGHT
    assert send(reader, axis(101, left_x, 30000)).steer == 0.0, "not opened yet"
    send(reader, added(10))
    frame = send(reader, axis(101, left_x, 32767), axis(101, trigger, 32767))
    assert (frame.steer, frame.pedal) == (1.0, 1.0)
    frame = send(reader, added(11), axis(101, left_x, -32768))
    assert frame.steer == -1.0, "the pad announced twice is one pad"
    frame = send(reader, pygame.event.Event(pygame.CONTROLLERDEVICEREMOVED, instance_id=101))
    assert frame.gamepad_lost
    assert (frame.steer, frame.pedal) == (0.0, 0.0)
    again = send(reader, pygame.event.Event(pygame.CONTROLLERDEVICEREMOVED, instance_id=101))
    assert not again.gamepad_lost


def test_stick_dead_zone_and_range(reader: Inputs) -> None:
    send(reader, added(10))
    which = pygame.CONTROLLER_AXIS_LEFTX
    drift = int(inputs_module.STICK_DEAD_ZONE * 32767)
    assert send(reader, axis(101, which, drift)).steer == 0.0
    just_out = send(reader, axis(101, which, drift + 400)).steer
    assert 0.0 < just_out < 0.03, "starts at zero at the edge of the dead zone"
    assert send(reader, axis(101, which, -32768)).steer == -1.0


def test_gamepad_buttons(reader: Inputs) -> None:
    send(reader, added(10))

    def button(kind: int, which: int) -> pygame.event.Event:
        return pygame.event.Event(kind, instance_id=101, button=which)

    frame = send(
        reader,
        button(pygame.CONTROLLERBUTTONDOWN, pygame.CONTROLLER_BUTTON_A),
        button(pygame.CONTROLLERBUTTONDOWN, pygame.CONTROLLER_BUTTON_RIGHTSHOULDER),
    )
    assert frame.hop
    assert frame.sprint
    frame = send(reader, button(pygame.CONTROLLERBUTTONUP, pygame.CONTROLLER_BUTTON_RIGHTSHOULDER))
    assert not frame.hop
    assert not frame.sprint


def preferring(**changes: object) -> Preferences:
    """Preferences with other controls."""
    return dataclasses.replace(Preferences(), controls=dataclasses.replace(ControlPreferences(), **changes))


def test_keys_can_be_remapped(reader: Inputs) -> None:
    keys = {**DEFAULT_KEYS, "pedal": ("I",), "hop": ("ENTER", "E")}
    reader.use(dataclasses.replace(Preferences(), keys=keys))
    assert send(reader, key("W"), key("W", False)).pedal == 0.0
    frame = send(reader, key("I"), key("E"), key("SPACE"))
    assert (frame.pedal, frame.hop) == (1.0, True)
    assert not send(reader, key("SPACE", False), key("SPACE")).hop


def test_every_key_that_can_be_bound_has_a_place_of_its_own() -> None:
    assert len(set(SCANCODES.values())) == len(SCANCODES)


def test_hints_follow_the_bindings(display: None) -> None:
    hints = {meaning: label for label, meaning in key_hints({**DEFAULT_KEYS, "hop": ("E",), "calm": ()})}
    assert hints["hop"] == key_label("E")
    assert "calm camera" not in hints


def test_pad_buttons_can_be_remapped(reader: Inputs) -> None:
    reader.use(dataclasses.replace(Preferences(), gamepad={**DEFAULT_PAD, "hop": ("B",), "sprint": ("LB",)}))
    send(reader, added(10))
    event = pygame.event.Event
    down = pygame.CONTROLLERBUTTONDOWN
    assert not send(reader, event(down, instance_id=101, button=pygame.CONTROLLER_BUTTON_A)).hop
    assert send(reader, event(down, instance_id=101, button=pygame.CONTROLLER_BUTTON_B)).hop
    assert send(reader, event(down, instance_id=101, button=pygame.CONTROLLER_BUTTON_LEFTSHOULDER)).sprint
    send(reader, event(pygame.CONTROLLERDEVICEREMOVED, instance_id=101))
    assert not send(reader).sprint, "an unplugged pad holds nothing"


def test_axes_can_be_inverted_each_device_by_itself(reader: Inputs) -> None:
    send(reader, added(10))
    reader.grab_pointer(True)
    send(reader, motion(1, 1))
    events = (
        axis(101, pygame.CONTROLLER_AXIS_LEFTX, 32767),
        axis(101, pygame.CONTROLLER_AXIS_RIGHTX, 32767),
        axis(101, pygame.CONTROLLER_AXIS_RIGHTY, 32767),
        motion(10, 4),
    )
    plain = send(reader, *events)
    assert (plain.steer, plain.look_rate_x, plain.look_rate_y) == (1.0, 1.0, 1.0)
    reader.use(
        preferring(pad_invert_steer=True, pad_invert_y=True, mouse_invert_y=True, look_sensitivity=2.0)
    )
    frame = send(reader, *events)
    assert (frame.steer, frame.look_rate_x, frame.look_rate_y) == (-1.0, 1.0, -1.0)
    assert (frame.look_dx, frame.look_dy) == (20.0, -8.0)
    reader.use(preferring(pad_invert_x=True, pad_look_sensitivity=0.5, mouse_invert_x=True))
    frame = send(reader, *events)
    assert (frame.steer, frame.look_rate_x, frame.look_rate_y) == (1.0, -0.5, 0.5)
    assert (frame.look_dx, frame.look_dy) == (-10.0, 4.0)


def test_dead_zones_are_settings(reader: Inputs) -> None:
    send(reader, added(10))
    half = axis(101, pygame.CONTROLLER_AXIS_LEFTX, 16000)
    reader.use(preferring(stick_dead_zone=0.5, trigger_dead_zone=0.6))
    frame = send(reader, half, axis(101, pygame.CONTROLLER_AXIS_TRIGGERLEFT, 18000))
    assert (frame.steer, frame.brake) == (0.0, 0.0)
    reader.use(preferring(stick_dead_zone=0.0))
    assert send(reader, half).steer == pytest.approx(16000 / 32767)


def test_vibration_is_scaled_and_off_is_off(reader: Inputs) -> None:
    send(reader, added(10))
    pad = reader._pads[101]
    reader.use(preferring(vibration=0.5))
    reader.vibrate(1.0, 0.4, 200)
    reader.vibrate(0.0, 0.0, 0)
    reader.use(preferring(vibration=0.0))
    reader.vibrate(1.0, 1.0, 200)
    assert pad.felt == [(0.5, 0.2, 200)]  # type: ignore[attr-defined]


def mouse(button: int, down: bool = True) -> pygame.event.Event:
    return pygame.event.Event(
        pygame.MOUSEBUTTONDOWN if down else pygame.MOUSEBUTTONUP, button=button, pos=(1, 1)
    )


def test_mouse_buttons_are_bound_as_keys_and_count_while_riding(reader: Inputs) -> None:
    keys = {**DEFAULT_KEYS, "brake": ("MOUSERIGHT",), "hop": ("MOUSE4",)}
    reader.use(Preferences(keys=keys))
    assert send(reader, mouse(3)).brake == 0.0, "with a free pointer the button is the tool's"
    send(reader, mouse(3, False))
    reader.grab_pointer(True)
    frame = send(reader, mouse(3), mouse(6))
    assert (frame.brake, frame.hop) == (1.0, True)
    assert send(reader).brake == 1.0
    assert send(reader, mouse(3, False)).brake == 0.0
    assert not send(reader, mouse(4)).hop, "4 is the wheel"


def test_while_a_key_is_being_learned_no_press_is_the_games(reader: Inputs) -> None:
    send(reader, key("W"))
    reader.muted = True
    frame = send(reader, key("SPACE"), key("F1"), mouse(1), key("W", False))
    assert not (frame.hop)
    assert not (frame.debug_menu)
    assert not (frame.left_pressed)
    assert frame.pedal == 0.0, "releases always count"
    reader.muted = False
    assert not send(reader).hop


def test_sticks_and_triggers_can_be_swapped(reader: Inputs) -> None:
    send(reader, added(0))
    moved = [
        axis(100, pygame.CONTROLLER_AXIS_RIGHTX, 32767),
        axis(100, pygame.CONTROLLER_AXIS_LEFTY, -32768),
        axis(100, pygame.CONTROLLER_AXIS_TRIGGERLEFT, 32767),
    ]
    frame = send(reader, *moved)
    assert (frame.steer, frame.brake, frame.pedal) == (0.0, 1.0, 0.0)
    reader.use(Preferences(controls=ControlPreferences(pad_swap_sticks=True, pad_swap_triggers=True)))
    frame = send(reader)
    assert (frame.steer, frame.brake, frame.pedal) == (1.0, 0.0, 1.0)
    assert frame.look_rate_y == -1.0
