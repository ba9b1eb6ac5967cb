"""The side of this project in the comparison with other renderers draws what the game draws with."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.gl


def test_it_answers_with_triangles_and_a_time(tmp_path: Path) -> None:
    np.save(tmp_path / "heights.npy", np.zeros((4097, 4097), np.float32))
    words = [str(tmp_path / "heights.npy"), "-20480", "-20480", "7"]
    answered = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "render_peer_ours.py"), *words],
        input="view 2048,900,2048,45,-12\ndetail 200\nerror\nframe\n",
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "SDL_VIDEODRIVER": "offscreen", "PYOPENGL_PLATFORM": "egl"},
    )
    assert answered.returncode == 0, answered.stderr
    answers = [json.loads(line) for line in answered.stdout.splitlines() if line and line[0] in "{0123456789"]
    assert answers[0]["triangles"] > 1000
    assert answers[1] > 0.0
