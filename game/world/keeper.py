"""`Keeper`: under which name a world being ridden is kept, and writing it beside the frame.

Owns the lock on that name, the thread of the autosave, and what is known to be on disk. `world.save` has the files;
what a world is at a moment is handed in as plain data, so that the thread never reads a live one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from game.core.errors import UsageError
from game.world import save as saves
from game.world.lock import WorldLock
from game.world.save import check_name, list_worlds, lock_world
from game.world.saved import SavedWorld

Frozen = tuple[SavedWorld, dict[str, Any]]
"""A world at a moment, and its edits as plain data."""


class Keeper:
    """Keeps one world. Main thread only."""

    def __init__(self, lock: WorldLock | None, epoch: int, say: Callable[[str, str], None]) -> None:
        """Keep a world read under the name of `lock`, or under none yet, whose edits on disk are at `epoch`.

        `say(text, kind)` tells the player; it is called from the autosave's thread too.
        """
        self._lock = lock
        self.epoch = epoch
        """Edit epoch that is on disk."""
        self._say = say
        self._autosave: threading.Thread | None = None

    @property
    def name(self) -> str:
        """Name under which the world is kept; empty while it has none."""
        return "" if self._lock is None else self._lock.name

    def save(self, name: str, frozen: Callable[[], Frozen], epoch: int) -> None:
        """Write the world under `name`, and lock it for this instance.

        A different world of that name is moved to the trash, with a message. Raises `UsageError` for an unusable name
        or directory, or when another instance has the world open.
        """
        name = check_name(name)
        self.finish()
        lock = self._lock
        if lock is None or lock.name != name:
            lock = lock_world(name)
        replaced = None
        try:
            file = saves.encode(*frozen())
            if lock is not self._lock and name in list_worlds():
                replaced = saves.move_to_trash(name)
            saves.write_world(name, file)
        except (UsageError, ValueError):
            if replaced is not None:
                saves.bring_back(replaced, name)
            if lock is not self._lock:
                lock.release()
            raise
        if replaced is not None:
            self._say(f"the earlier world {name!r} is in the trash: {replaced}", "warning")
        if lock is not self._lock and self._lock is not None:
            self._lock.release()
        self._lock, self.epoch = lock, epoch

    def rename(self, name: str, new: str) -> None:
        """Give a saved world another name, also the one that is open. Raises `UsageError` as `saves.rename_world`."""
        if name != self.name or self._lock is None:
            saves.rename_world(name, new)
            return
        self.finish()
        self._lock.release()
        try:
            saves.rename_world(name, new)
            name = check_name(new)
        finally:
            self._lock = lock_world(name)

    def duplicate(self, name: str, new: str, frozen: Callable[[], Frozen]) -> None:
        """Copy a saved world, the open one as it is now. Raises `UsageError` as `saves.copy_world`."""
        if name != self.name:
            saves.copy_world(name, new)
            return
        new = saves.free_name(new)
        with lock_world(new):
            saves.write_world(new, saves.encode(*frozen()))

    @property
    def busy(self) -> bool:
        """Whether an autosave is being written."""
        return self._autosave is not None and self._autosave.is_alive()

    def autosave(self, frozen: Frozen, epoch: int) -> None:
        """Write the world under its name on a thread of its own; not while `busy`.

        Packing and syncing a large world takes longer than a frame. A failure becomes a message.
        """
        self.finish()
        self._autosave = threading.Thread(
            target=self._write, args=(self.name, frozen, epoch), name="autosave"
        )
        self._autosave.start()

    def finish(self) -> None:
        """Wait for the autosave in progress, if any."""
        if self._autosave is not None:
            self._autosave.join()
            self._autosave = None

    def _write(self, name: str, frozen: Frozen, epoch: int) -> None:
        try:
            saves.write_world(name, saves.encode(*frozen))
        except (UsageError, ValueError) as error:
            self._say(str(error), "warning")
        else:
            self.epoch = epoch

    def close(self) -> None:
        """End the autosave and give the lock back; harmless when called twice."""
        self.finish()
        if self._lock is not None:
            self._lock.release()
