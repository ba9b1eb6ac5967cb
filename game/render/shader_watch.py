"""Tells when a file under shaders/ was changed, for `--dev`."""

from __future__ import annotations

import time
from pathlib import Path

from game.core.paths import resource

INTERVAL_S = 0.25
"""Between two looks at the files, wall clock; some thirty files take a fifth of a millisecond."""


class ShaderWatch:
    """Polls times and sizes of the shader files: no events of the operating system, no thread."""

    def __init__(self) -> None:
        self._folder = resource("shaders")
        self._seen = self._stamps()
        self._next_s = 0.0

    def changed(self) -> bool:
        """Whether anything was written, added or removed since the last answer."""
        if time.monotonic() < self._next_s:
            return False
        self._next_s = time.monotonic() + INTERVAL_S
        stamps = self._stamps()
        changed, self._seen = stamps != self._seen, stamps
        return changed

    def _stamps(self) -> dict[Path, tuple[int, int]]:
        found: dict[Path, tuple[int, int]] = {}
        for path in self._folder.rglob("*"):
            try:
                if path.is_file():
                    stat = path.stat()
                    found[path] = (stat.st_mtime_ns, stat.st_size)
            except OSError:
                continue  # an editor is just replacing it
        return found
