"""Compiles every kernel ahead of the first frame, or loads it from the cache.

Kernel modules are found in the package; each brings `warm()`, which calls its public kernels with the types the game
uses. `python -m game.kernels.warmup` does it in a process of its own and prints `DONE TOTAL NAME` per module, because
LLVM holds the interpreter for seconds and would freeze a window. Stopping it is safe: what it finished is kept.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from types import ModuleType

from numba.core.dispatcher import Dispatcher

import game.kernels


def kernel_modules() -> list[ModuleType]:
    """Every module of the package that has kernels to warm, sorted by name."""
    prefix = game.kernels.__name__ + "."
    names = sorted(found.name for found in pkgutil.iter_modules(game.kernels.__path__))
    modules = [importlib.import_module(prefix + name) for name in names if prefix + name != __name__]
    return [module for module in modules if name_of(module) != "warmup" and hasattr(module, "warm")]


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


def compiled_signatures() -> int:
    """Number of signatures compiled or loaded so far, over all kernels: it must not grow inside a frame."""
    kernels = {
        id(value): value
        for module in kernel_modules()
        for value in vars(module).values()
        if isinstance(value, Dispatcher)
    }
    return sum(len(kernel.signatures) for kernel in kernels.values())


if __name__ == "__main__":
    compile_all(lambda done, total, name: print(done, total, name, flush=True))
