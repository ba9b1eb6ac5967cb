"""Where files are: one locator for resources in a checkout and in a wheel, and the per-user directories."""

from __future__ import annotations

import os
import tempfile
import uuid
from pathlib import Path

import platformdirs

from game.core.errors import UsageError

_PACKAGE = Path(__file__).resolve().parents[1]
_APP = "veloterra"


def resource(*parts: str) -> Path:
    """Path of a shipped file, e.g. `resource("shaders", "terrain.vert")`.

    A wheel carries assets/ and shaders/ inside the package; a checkout has them beside it.
    Raises `UsageError` when the file is in neither place.
    """
    for base in (_PACKAGE, _PACKAGE.parent):
        path = base.joinpath(*parts)
        if path.exists():
            return path
    raise UsageError(f"the file {'/'.join(parts)} is missing from the installation; reinstall veloterra")


def is_writable(directory: Path) -> bool:
    """Whether a file can really be created in `directory` (made if missing): tried, not asked."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        probe = directory / f".probe-{uuid.uuid4().hex}"
        probe.write_bytes(b"x")
        probe.unlink()
    except OSError:
        return False
    return True


def first_writable(*candidates: Path) -> Path | None:
    """First of `candidates` that is proven writable, else None."""
    return next((path for path in candidates if is_writable(path)), None)


def user_data_dir() -> Path:
    """Per-user directory for saved worlds; `VELOTERRA_DATA_DIR` overrides it."""
    override = os.environ.get("VELOTERRA_DATA_DIR")
    return Path(override) if override else Path(platformdirs.user_data_dir(_APP, appauthor=False))


def user_pictures_dir() -> Path:
    """Where pictures taken in the game go."""
    override = os.environ.get("VELOTERRA_DATA_DIR")
    return Path(override) / "pictures" if override else Path(platformdirs.user_pictures_dir()) / _APP


def cache_candidates() -> list[Path]:
    """Directories to try for caches, best first; `VELOTERRA_CACHE_DIR` goes before all."""
    override = os.environ.get("VELOTERRA_CACHE_DIR")
    uid = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    found = [Path(override)] if override else []
    found.append(Path(platformdirs.user_cache_dir(_APP, appauthor=False)))
    found.append(Path(tempfile.gettempdir()) / f"{_APP}-cache-{uid}")
    return found
