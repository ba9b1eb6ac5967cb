"""Run every check, then every test, in the order in which they fail fastest; stop at the first failure.

python tools/check.py [pytest arguments]
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    """Exit code of the first failing check, else pytest's."""
    python = sys.executable
    checks = [
        [python, "-m", "ruff", "check", "."],
        [python, "-m", "ruff", "format", "--check", "."],
        [python, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
        [python, "-m", "mypy"],
        [python, "tools/build_assets.py", "--check"],
        [python, "tools/check_shaders.py"],
        [python, "-m", "game.kernels.warmup"],  # or the first test of each process compiles for minutes
        [python, "-m", "pytest", "-n", "auto", "--maxprocesses", "4", "--dist", "loadfile", *sys.argv[1:]],
    ]
    for check in checks:
        print("+", " ".join(check[1:]), flush=True)
        started = time.monotonic()
        code = subprocess.run(check, cwd=ROOT, check=False).returncode
        if code:
            print(f"failed after {time.monotonic() - started:.0f} s: {' '.join(check[1:])}", file=sys.stderr)
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
