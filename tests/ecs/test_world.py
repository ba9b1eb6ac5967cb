"""Entity worlds are separate, and systems run in the order listed."""

import pytest

from game.ecs.components import Intent, Weather
from game.ecs.schedule import Schedule
from game.ecs.world import EntityWorld


def test_two_worlds_do_not_see_each_other() -> None:
    one, two = EntityWorld(), EntityWorld()
    entity = one.create(Weather(hour=3.0))
    assert [hour.hour for _, (hour,) in one.each(Weather)] == [3.0]
    assert list(two.each(Weather)) == []
    two.release()
    assert one.component(entity, Weather).hour == 3.0
    one.release()
    one.release()


def test_add_replaces_a_component_of_the_same_type() -> None:
    world = EntityWorld()
    entity = world.create(Intent(pedal=1.0))
    world.add(entity, Intent(pedal=0.25))
    assert world.component(entity, Intent).pedal == 0.25
    with pytest.raises(KeyError):
        world.component(entity, Weather)
    world.release()


def test_systems_run_in_the_order_listed() -> None:
    world, seen = EntityWorld(), []
    schedule = Schedule([lambda w, s: seen.append(("a", s)), lambda w, s: seen.append(("b", s))])
    schedule.step(world, 0.5)
    assert seen == [("a", 0.5), ("b", 0.5)]
    world.release()
