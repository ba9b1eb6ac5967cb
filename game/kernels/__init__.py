"""Everything compiled by numba, and nothing else: arrays and scalars in, arrays out.

Owns the one decorator, `jit`, and where its machine code is kept. The cache has to be arranged before the
first kernel is defined, because numba asks for the directory when a function is decorated.

Compiled code lives in `<per-user cache>/kernels/<key>`, where the key hashes the sources a module's kernels
are built from (its own and those of the modules of the game it imports), the numba version and the CPU. numba by
itself looks at the file of the outer function only and would serve stale code after a callee in another
module changed. Each file carries a digest: one that was truncated or damaged is dropped and rebuilt.
Without a writable directory kernels are compiled anew in every process, and one warning says so.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import os
import shutil
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba
import numba.core.caching as numba_caching
import numba.core.config
from numba.core.dispatcher import Dispatcher

from game.core.paths import cache_candidates, first_writable

_HOUSE = Path(__file__).resolve().parents[2]
_DIGEST_BYTES = 32
_STALE_S = 14 * 86400.0
"""Machine code of other source versions is removed after this time without use."""


def _use_wide_vectors() -> None:
    """Let the compiler use 512-bit vectors where they do not slow the clock (Ice Lake and later).

    It holds back from them on every CPU of Intel's; here they make pages a sixth faster. Bits stay the same, because
    nothing is reassociated or contracted. `NUMBA_CPU_NAME` or `NUMBA_CPU_FEATURES` override it.
    """
    config = numba.core.config
    if config.CPU_NAME or config.CPU_FEATURES is not None or not config.ENABLE_AVX:
        return
    features = llvmlite.binding.get_host_cpu_features().flatten()
    if "+avx512vbmi2" in features.split(","):
        config.CPU_FEATURES = features + ",-prefer-256-bit"


_use_wide_vectors()


def cpu_name() -> str:
    """Name of the CPU that code is compiled for; `NUMBA_CPU_NAME` overrides the host's."""
    return str(numba.core.config.CPU_NAME or llvmlite.binding.get_host_cpu_name())


def wide_vectors() -> bool:
    """Whether code is compiled for a CPU with vectors of 256 bits and more."""
    config = numba.core.config
    if config.CPU_FEATURES is not None:
        return "+avx2" in str(config.CPU_FEATURES).split(",")
    if config.CPU_NAME and config.CPU_NAME != "host":
        return False
    return bool(llvmlite.binding.get_host_cpu_features().get("avx2", False))


def _source(name: str) -> Path:
    """File of module `name` ("game.kernels.noise"), or of the package of that name."""
    path = _HOUSE.joinpath(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@functools.cache
def _imports(name: str) -> frozenset[str]:
    """Modules of the game that module `name` imports: kernels it calls, constants it is compiled with."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(_source(name).read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.update([node.module, *(f"{node.module}.{alias.name}" for alias in node.names)])
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return frozenset(found for found in found if found.startswith("game.") and _source(found).exists())


@functools.cache
def cache_key(name: str) -> str:
    """Key of the machine code of kernel module `name`: sources it is built from, numba version, CPU."""
    module = f"{__name__}.{name}"
    if not _source(module).exists():  # kernels of a test, say: numba's own check of the bytecode has to do
        module = __name__
    pending, closure = [module], {__name__, module}
    while pending:
        for other in _imports(pending.pop()) - closure:
            closure.add(other)
            pending.append(other)
    digest = hashlib.sha256(f"{numba.__version__} {cpu_name()} {numba.core.config.CPU_FEATURES}".encode())
    for member in sorted(closure):
        digest.update(member.encode() + b"\0" + _source(member).read_bytes())
    return f"{name}-{digest.hexdigest()[:16]}"


@functools.cache
def cache_root() -> Path | None:
    """Directory that holds the machine code of all source versions, or None when nowhere is writable."""
    named = os.environ.get("NUMBA_CACHE_DIR")
    candidates = ([Path(named)] if named else []) + cache_candidates()
    root = first_writable(*(path / "kernels" for path in candidates))
    if root is None:
        warnings.warn(
            "no directory for compiled code is writable, so it is compiled anew at every start; "
            "set VELOTERRA_CACHE_DIR to a writable directory",
            stacklevel=2,
        )
        return None
    _forget_stale(root)
    return root


def _forget_stale(root: Path) -> None:
    """Remove what no process has used for a while; failing to is harmless."""
    for entry in root.iterdir():
        try:
            if entry.is_dir() and time.time() - entry.stat().st_mtime > _STALE_S:
                shutil.rmtree(entry, ignore_errors=True)
        except OSError:
            continue


@functools.cache
def cache_directory(name: str) -> Path | None:
    """Directory of kernel module `name`'s machine code (made if missing), or None to run uncached."""
    root = cache_root()
    if root is None:
        return None
    directory = root / cache_key(name)
    try:
        directory.mkdir(exist_ok=True)
        os.utime(directory)
    except OSError:
        return None
    return directory


class _CheckedFile(numba_caching.IndexDataCacheFile):
    """numba's index and data files behind a digest: damage reads as "not there" and is then overwritten."""

    def _read(self, path: str) -> Any:
        try:
            content = Path(path).read_bytes()
        except OSError:
            return None
        digest, payload = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
        if hashlib.sha256(payload).digest() != digest:
            Path(path).unlink(missing_ok=True)
            return None
        return numba_caching.pickle.loads(payload)

    def _write(self, path: str, value: Any) -> None:
        payload = self._dump(value)
        with self._open_for_write(path) as file:
            file.write(hashlib.sha256(payload).digest() + payload)

    def _load_index(self) -> dict:
        # The source stamp is not compared: the directory's key already covers every source involved,
        # and a reinstalled wheel has new file times but the same code.
        return self._read(self._index_path) or {}

    def _save_index(self, overloads: dict) -> None:
        self._write(self._index_path, overloads)

    def _load_data(self, name: str) -> Any:
        return self._read(self._data_path(name))

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), data)


class _CheckedCache(numba_caching.FunctionCache):
    """numba's function cache that never stops the game: unreadable means compile, unwritable means go on.

    Files lie flat in `directory`, whose key names the sources: numba's own folder per source path would make a
    second checkout or a reinstalled wheel compile the same code again.
    """

    def __init__(self, function: Callable, directory: Path) -> None:
        super().__init__(function)
        stamp = self._cache_file._source_stamp
        self._cache_path = str(directory)
        self._cache_file = _CheckedFile(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever an unreadable entry raises, compiling anew is the answer
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError:
            self.disable()


def jit(function: Callable | None = None, **options: Any) -> Any:
    """Compile `function` with the project's settings: nogil, no fastmath, IEEE division, cached.

    fastmath stays off because it gives other bits on other CPUs and tears seams between pages.
    Usable as `@jit` and as `@jit(inline="always")`.
    """
    if function is None:
        return functools.partial(jit, **options)
    settings: dict[str, Any] = {
        "nogil": True,
        "fastmath": False,
        "error_model": "numpy",
        "boundscheck": False,
    } | options
    compiled = numba.njit(**settings)(function)
    if not isinstance(compiled, Dispatcher):  # NUMBA_DISABLE_JIT: the plain function
        return compiled
    directory = cache_directory(function.__module__.removeprefix(__name__ + "."))
    if directory is not None:
        before = numba.core.config.CACHE_DIR
        numba.core.config.CACHE_DIR = str(directory)
        try:
            compiled._cache = _CheckedCache(function, directory)
        except (RuntimeError, OSError, AttributeError):
            pass  # numba finds no place for this function: compile it in every process
        finally:
            numba.core.config.CACHE_DIR = before
    return compiled


def uncounted(function: Callable | None = None, **options: Any) -> Any:
    """As `jit` for kernels that only read and write arrays they are given: no references are counted.

    Counting is an atomic operation for every array at every call; with tables and scratch handed down through small
    kernels it was half of a page's time. A kernel that makes an array cannot be compiled this way.
    """
    return jit(function, _nrt=False, **options)
