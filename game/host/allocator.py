"""How the C library hands out memory, where it lets itself be told."""

from __future__ import annotations

import ctypes
import sys

_M_ARENA_MAX = -8
"""glibc's `mallopt` parameter (malloc.h)."""


def share_one_arena() -> bool:
    """Let all threads allocate from one arena; True where that was possible (glibc). Call it before threads start.

    glibc gives each thread an arena of its own, and pages are made by one thread and dropped by another: freed blocks
    then lie scattered over arenas that nobody fills again, and a ride of ten minutes grows by tens of megabytes.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        return bool(ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1))
    except (OSError, AttributeError):
        return False
