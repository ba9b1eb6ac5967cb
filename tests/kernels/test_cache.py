"""Where compiled code is kept: keyed by its sources, checked when read, and never in the way."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

import game
from game import kernels
from game.kernels import warmup

ROOT = Path(game.__file__).resolve().parents[1]
COUNT = """
from game.kernels import hashing
hashing.hash_channel(7, 1)
print(sum(hashing.hash_channel.stats.cache_hits.values()), hashing.hash_channel(7, 1))
"""


def run(code: str, cache: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    base = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "VELOTERRA_"))}
    paths = {"VELOTERRA_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)}
    cache.mkdir(parents=True, exist_ok=True)
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=cache,  # or the checkout's own package would come first
        env=base | paths | environment,
        capture_output=True,
        text=True,
        check=True,
    )


def test_the_key_follows_sources_of_the_module_and_of_what_it_imports(tmp_path: Path) -> None:
    code = (
        "from game.kernels import cache_key\n"
        "print(cache_key('hashing'), cache_key('noise'), cache_key('heightfield'), cache_key('selection'))"
    )
    copy = tmp_path / "copy"
    shutil.copytree(ROOT / "game", copy / "game", ignore=shutil.ignore_patterns("__pycache__"))

    def keys() -> list[str]:
        return run(code, tmp_path / "cache", PYTHONPATH=str(copy)).stdout.split()

    before = keys()
    assert keys() == before
    source = copy / "game" / "kernels" / "hashing.py"
    source.write_text(source.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    after = keys()
    assert [a != b for a, b in zip(after, before, strict=True)] == [True, True, True, False]
    source = copy / "game" / "kernels" / "__init__.py"
    source.write_text(source.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    everything = keys()
    assert all(a != b for a, b in zip(everything, after, strict=True))
    source = copy / "game" / "core" / "coords.py"  # its constants are compiled into kernels
    source.write_text(source.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    after = keys()
    assert [a != b for a, b in zip(after, everything, strict=True)] == [False, False, True, True]


def test_code_is_shared_between_copies_of_the_same_sources(tmp_path: Path) -> None:
    first = run(COUNT, tmp_path).stdout.split()
    copy = tmp_path / "copy"
    shutil.copytree(ROOT / "game", copy / "game", ignore=shutil.ignore_patterns("__pycache__"))
    assert run(COUNT, tmp_path, PYTHONPATH=str(copy)).stdout.split() == ["1", first[1]]


def test_the_key_follows_the_cpu(tmp_path: Path) -> None:
    code = "from game.kernels import cache_key; print(cache_key('hashing'))"
    native = run(code, tmp_path).stdout
    assert run(code, tmp_path, NUMBA_CPU_NAME="generic").stdout != native


def test_code_is_loaded_again(tmp_path: Path) -> None:
    first = run(COUNT, tmp_path).stdout.split()
    assert first[0] == "0"
    assert run(COUNT, tmp_path).stdout.split() == ["1", first[1]]


@pytest.mark.parametrize("damage", ["truncate", "flip"])
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_a_damaged_file_is_rebuilt(tmp_path: Path, damage: str, ending: str) -> None:
    value = run(COUNT, tmp_path).stdout.split()[1]
    damaged = list(tmp_path.rglob(f"*.{ending}"))
    assert damaged
    for path in damaged:
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 0x55
        path.write_bytes(content[: len(content) // 2] if damage == "truncate" else content)
    again = run(COUNT, tmp_path)
    assert again.stdout.split() == ["0", value]
    assert not again.stderr
    assert run(COUNT, tmp_path).stdout.split() == ["1", value]


def test_nowhere_to_write_means_uncached_and_one_warning(tmp_path: Path) -> None:
    code = (
        "import game.core.paths\n"
        "game.core.paths.is_writable = lambda directory: False\n"  # root may write anywhere
        "from game.kernels import hashing, noise\n"
        "print(hashing.hash_channel(7, 1))"
    )
    done = run(code, tmp_path)
    assert done.stdout.strip() == run(COUNT, tmp_path / "other").stdout.split()[1]
    assert done.stderr.count("is writable, so it is compiled anew") == 1
    assert not list(tmp_path.glob("kernels/**/*.nbc"))


def test_warm_up_reports_every_module_and_then_compiles_nothing_more() -> None:
    seen: list[tuple[int, int, str]] = []
    warmup.compile_all(lambda *step: seen.append(step))
    names = [warmup.name_of(module) for module in warmup.kernel_modules()]
    assert {"hashing", "noise", "fractal", "heightfield"} <= set(names)
    assert [step[2] for step in seen] == [*names, "ready"]
    assert [step[0] for step in seen] == list(range(len(names) + 1))
    assert {step[1] for step in seen} == {len(names)}

    from game.core.coords import PageKey
    from game.world.recipe import Recipe
    from game.world.source import HeightSource

    count = warmup.compiled_signatures()
    assert count > 20
    source = HeightSource(Recipe.load("alpine"), 2**64 + 5)
    for level in (0, 3, 6, 7, 8, 9, 12):
        source.generate(PageKey(level, -1, 0))
    source.block(2, -5, 7, 3, 4)
    source.climate_at(1.5, -3.0)
    source.uplift(1.0, 2.0)
    source.forest_nodes(-3, 4, 5, 6)
    assert warmup.compiled_signatures() == count


def test_the_warm_up_process_prints_progress(tmp_path: Path) -> None:
    """Only the lines: with the shared cache this loads, it does not compile."""
    done = subprocess.run(
        [sys.executable, "-m", "game.kernels.warmup"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [int(line[0]) for line in lines] == list(range(len(lines)))
    assert lines[-1][0] == lines[-1][1]
    assert kernels.cache_root() is not None


def test_compiling_processes_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    """Killed in the middle of a first start, it leaves nobody behind who compiles on."""
    environment = {**os.environ, "VELOTERRA_CACHE_DIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-m", "game.kernels.warmup"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as started:
        assert started.stdout is not None
        assert started.stdout.readline().startswith("0 ")
        workers = psutil.Process(started.pid).children()
        started.kill()
    assert workers
    _, alive = psutil.wait_procs(workers, 20.0)
    for worker in alive:
        worker.kill()
    assert not alive


def test_a_module_that_cannot_be_compiled_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "module_names", lambda: ["hashing", "no_such_module"])
    monkeypatch.setattr(warmup, "_LONGEST", "hashing")
    with pytest.raises(RuntimeError, match="no_such_module"):
        list(warmup.compile_beside(2))
