"""One arena for all threads, where the C library is glibc."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import threading
from game.host.allocator import share_one_arena
print(share_one_arena())
import ctypes, re
def work():
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    kept.extend(libc.malloc(1000) for _ in range(3000))
kept = []
threads = [threading.Thread(target=work) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
ctypes.CDLL(None).malloc_stats()
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not glibc")
def test_threads_share_one_arena() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["True"]
    assert done.stderr.count("Arena ") == 1
