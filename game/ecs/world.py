"""The one place that talks to esper.

esper 3 keeps its state in module-level contexts; this class owns one uniquely named context and
switches to it where another is active, so that two games in one process (tests) never see each other's entities.
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

    def _enter(self) -> None:
        # A switch costs as much as a query; within one game it is hardly ever needed.
        if esper.current_world != self._context:
            esper.switch_world(self._context)

    def create(self, *components: Any) -> int:
        """Make an entity with `components` and return its number."""
        self._enter()
        return esper.create_entity(*components)

    def add(self, entity: int, component: Any) -> None:
        """Attach `component` to `entity`, replacing one of the same type."""
        self._enter()
        esper.add_component(entity, component)

    def component(self, entity: int, kind: type[C]) -> C:
        """The component of type `kind` of `entity`. Raises `KeyError` when it has none."""
        self._enter()
        return esper.component_for_entity(entity, kind)

    def each(self, *kinds: type) -> Iterator[tuple[int, Any]]:
        """All (entity, [components]) that have every one of `kinds`."""
        self._enter()
        return iter(esper.get_components(*kinds))

    def release(self) -> None:
        """Drop the context; harmless when called twice."""
        if self._released:
            return
        self._released = True
        esper.switch_world("default")
        esper.delete_world(self._context)
