"""Compiles every kernel ahead of the first frame, or loads it from the cache.

Kernel modules are found in the package; each brings `warm()`, which calls its public kernels with the types the game
uses. `python -m game.kernels.warmup` does it in processes of its own, one a core and two at most, and prints
`DONE TOTAL NAME` per module, because LLVM holds the interpreter for seconds and would freeze a window. What they
compiled is taken from the cache by whoever calls `steps` next. Stopping it is safe: what it finished is kept, and its
processes end with it.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pkgutil
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from types import ModuleType

from numba.core.dispatcher import Dispatcher

import game.kernels
from game.kernels import cache_directory, cache_root

_LONGEST = "heightfield"
"""It takes as long as all others together, so it is begun first."""

_PROCESSES = 2
"""More would wait for the longest module."""


def module_names() -> list[str]:
    """Short names of the modules of the package that may have kernels to warm, sorted."""
    return sorted(
        found.name for found in pkgutil.iter_modules(game.kernels.__path__) if found.name != "warmup"
    )


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"{game.kernels.__name__}.{name}")


def kernel_modules() -> list[ModuleType]:
    """Every module of the package that has kernels to warm, sorted by name."""
    return [module for module in map(_module, module_names()) if hasattr(module, "warm")]


def name_of(module: ModuleType) -> str:
    """Short name of a kernel module."""
    return module.__name__.rpartition(".")[2]


def steps() -> Iterator[tuple[int, int, str]]:
    """Warm module after module; yields (modules done, modules in all, name of the one that comes next)."""
    modules = kernel_modules()
    for done, module in enumerate(modules):
        yield done, len(modules), name_of(module)
        module.warm()
    yield len(modules), len(modules), "ready"


def compile_all(report: Callable[[int, int, str], None] | None = None) -> None:
    """Warm everything; `report(done, total, name)` is called before each module and at the end."""
    for done, total, name in steps():
        if report is not None:
            report(done, total, name)


def cached() -> bool:
    """Whether machine code of the longest module lies in the cache: else a first start is ahead."""
    directory = cache_directory(_LONGEST)
    return directory is not None and any(directory.glob("*.nbi"))


def compiled_signatures() -> int:
    """Number of signatures compiled or loaded so far, over all kernels: it must not grow inside a frame."""
    kernels = {
        id(value): value
        for module in kernel_modules()
        for value in vars(module).values()
        if isinstance(value, Dispatcher)
    }
    return sum(len(kernel.signatures) for kernel in kernels.values())


def compile_beside(processes: int) -> Iterator[tuple[int, int, str]]:
    """Fill the cache from `processes` other processes; yields (modules done, modules in all, name of the latest).

    Raises `RuntimeError` with the last line a process complained with. They end when the iterator is closed.
    """
    names = module_names()
    waiting = [_LONGEST, *(name for name in names if name != _LONGEST)]
    said: queue.SimpleQueue[tuple[int, str]] = queue.SimpleQueue()
    workers = [_worker() for _ in range(processes)]
    for number, worker in enumerate(workers):
        threading.Thread(target=_listen, args=(number, worker, said), daemon=True).start()
    try:
        yield 0, len(names), waiting[0]
        for worker in workers:
            _hand_over(worker, waiting)
        done = 0
        while done < len(names):
            number, name = said.get()
            if not name:
                raise RuntimeError(_last_words(workers[number]))
            done += 1
            _hand_over(workers[number], waiting)
            yield done, len(names), name
    finally:
        for worker in workers:
            # Its end is what ends a worker, also when this process is killed.
            with contextlib.suppress(OSError):
                worker.stdin.close()  # type: ignore[union-attr]


def _worker() -> subprocess.Popen[str]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [sys.executable, "-u", "-m", __spec__.name, "-"]
    return subprocess.Popen(command, text=True, **pipes)


def _hand_over(worker: subprocess.Popen[str], waiting: list[str]) -> None:
    """Let `worker` go on with the first of the waiting modules, if any."""
    if waiting:
        assert worker.stdin is not None
        with contextlib.suppress(OSError):  # it has ended; its last words come through `_listen`
            print(waiting.pop(0), file=worker.stdin, flush=True)


def _listen(number: int, worker: subprocess.Popen[str], said: queue.SimpleQueue[tuple[int, str]]) -> None:
    assert worker.stdout is not None
    for line in worker.stdout:
        said.put((number, line.strip()))
    said.put((number, ""))


def _last_words(worker: subprocess.Popen[str]) -> str:
    assert worker.stderr is not None
    lines = [line.strip() for line in worker.stderr.read().splitlines()]
    return next((line for line in reversed(lines) if line), f"a warm-up ended with status {worker.wait()}")


def _work() -> None:
    """Warm the modules named on standard input, and say each when it is done; end when the input does."""
    named: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(named,), daemon=True).start()
    while True:
        name = named.get()
        module = _module(name)
        if hasattr(module, "warm"):
            module.warm()
        print(name, flush=True)


def _read(named: queue.SimpleQueue[str]) -> None:
    for line in sys.stdin:
        named.put(line.strip())
    # Also in the middle of a module: files of the cache are renamed into place, so none is left half written.
    os._exit(0)


def main(arguments: list[str]) -> int:
    """Entry point: the coordinator, or with "-" one of its workers."""
    if arguments == ["-"]:
        _work()
        return 0
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if cores < 2 or cache_root() is None:  # without a cache nobody would profit
        compile_all(lambda done, total, name: print(done, total, name, flush=True))
        return 0
    try:
        for done, total, name in compile_beside(min(_PROCESSES, cores)):
            print(done, total, name, flush=True)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
