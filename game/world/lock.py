"""One instance per saved world: a lock that the operating system gives back when its holder dies.

Owns the lock files under `.locks` in the directory of saved worlds. Never reads or writes a world.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from filelock import FileLock, Timeout

from game.core.errors import UsageError


class WorldLock:
    """The lock on one world, held from construction to `release` or the end of the process."""

    def __init__(self, directory: Path, name: str) -> None:
        """Lock `name` among the worlds of `directory`.

        Where no lock file can be made (a read-only directory) the lock is not `held`: nobody can write there, so
        nobody can overwrite anything either.

        Raises `UsageError` when another instance holds it.
        """
        self.name = name
        # Case does not tell names apart on every file system.
        path = directory / ".locks" / f"{name.casefold()}.lock"
        self._lock = FileLock(path, blocking=False, is_singleton=False)
        self.held = False
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock.acquire()
            self.held = True
        except Timeout:
            raise UsageError(
                f"the world {name!r} is open in another instance of veloterra; close it there, "
                "or choose another name"
            ) from None
        except (OSError, NotImplementedError):
            pass

    def release(self) -> None:
        """Give the lock back; harmless when called twice."""
        if self.held:
            self._lock.release()
            self.held = False

    def __enter__(self) -> WorldLock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
