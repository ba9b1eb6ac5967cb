"""The one place that talks to esper.

esper 3 keeps its state in module-level contexts; this class owns one uniquely named context and
switches to it for each call, so that two games in one process (tests) never see each other's entities.
Components are created once; nothing creates or deletes entities per frame (that clears esper's query caches).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, TypeVar

import esper

C = TypeVar("C")

_names = itertools.count()


class EntityWorld:
    """Entities and components of one game."""

    def __init__(self) -> None:
        self._context = f"veloterra-{next(_names)}"
        esper.switch_world(self._context)
        self._released = False

    def create(self, *components: Any) -> int:
        """Make an entity with `components` and return its number."""
        esper.switch_world(self._context)
        return esper.create_entity(*components)

    def add(self, entity: int, component: Any) -> None:
        """Attach `component` to `entity`, replacing one of the same type."""
        esper.switch_world(self._context)
        esper.add_component(entity, component)

    def component(self, entity: int, kind: type[C]) -> C:
        """The component of type `kind` of `entity`. Raises `KeyError` when it has none."""
        esper.switch_world(self._context)
        return esper.component_for_entity(entity, kind)

    def each(self, *kinds: type) -> Iterator[tuple[int, Any]]:
        """All (entity, [components]) that have every one of `kinds`."""
        esper.switch_world(self._context)
        return iter(esper.get_components(*kinds))

    def release(self) -> None:
        """Drop the context; harmless when called twice."""
        if self._released:
            return
        self._released = True
        esper.switch_world("default")
        esper.delete_world(self._context)
