"""The golden pictures: which scenes there are, how they are drawn, how two pictures are compared.

Goldens are keyed by the GL_RENDERER and GL_VERSION strings and by the processor: exact where all three are the same, a
mean difference of at most 0.02 of 255 for the same strings on another processor (llvmpipe and numpy compile for what
it has, and fused products round differently: up to 0.001 was measured), at most 1 on another llvmpipe, and not compared
on hardware.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
from llvmlite import binding
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "golden"
OTHER_PROCESSOR = 0.02
"""Mean absolute difference, of 255, accepted from the same renderer on another processor."""
OTHER_RENDERER = 1.0
"""Mean absolute difference, of 255, accepted from another llvmpipe."""

_COMMON = "ride --world alpine --offscreen --size 320x180 --quality low --pages wait --fps 30"

_ISLANDS = "--world islands --seed 7 --seconds 1 --start 3300,-2500"

_PEAK = "--seed 7 --seconds 0.3 --start -10656,-12064 --view-km 100"

SCENES: dict[str, str] = {
    "spawn": "--seed 7 --seconds 1",
    "fjord": '--seed 7 --seconds 1 --exec "sea 690; hud off"',
    "dusk": '--seed 7 --seconds 1 --exec "time 19; hud off"',
    "fjord60": f'{_ISLANDS} --exec "hud off; time 11; sea 60; eye 3500,160,-2500; look 215,-14"',
    "drybed": f'{_ISLANDS} --exec "hud off; time 10; sea -60; eye 3480,8,-2880; look 60,-6"',
    "storm": f'{_ISLANDS} --exec "hud off; time 10; waves 5; eye 3452,9,-2900; look 20,-10"',
    "river after rain": '--seed 7 --seconds 1 --exec "hud off; rain 60 10; rain 0 1; time 16; '
    'eye -1706,788,-320; look -25,-14"',
    "hill": '--seed 7 --seconds 0.5 --start 0,0 --exec "hud off; dab raise 0,-60 30 25; look 0,-5"',
    "noon": '--seed 7 --seconds 0.5 --exec "time 12; hud off"',
    "night": '--seed 7 --seconds 0.5 --exec "time 0; hud off"',
    "reach": '--seed 7 --seconds 0.5 --quality high --exec "time 16; hud off; look 0,-40"',
    "desert": '--world desert --seed 7 --seconds 0.5 --exec "time 15; hud off"',
    "classic": '--world classic --seed 7 --seconds 0.5 --exec "time 15; hud off"',
    "far": '--seed 7 --seconds 0.5 --view-km 100 --exec "time 10; hud off; look 0,-3"',
    "forest": '--seed 7 --seconds 0.5 --start -8690,-7790 --exec "time 11; hud off"',
    "cliff": '--seed 7 --seconds 0.3 --exec "time 9; hud off; eye -3009,950,1719; look 52,25"',
    "shore": f'{_ISLANDS} --seconds 0.3 --exec "time 17.5; hud off; eye 3452,5,-2900; look 300,-4"',
    "snow": '--seed 7 --seconds 2 --fps 10 --start -10656,-12064 --exec "time 8.5; hud off; climate -5"',
    "pit": '--seed 7 --seconds 0.3 --start 0,0 --exec "time 10; hud off; dab lower 38,0 26 18; dab lower 22,14 9 6; '
    'eye 0,302,-6; look 84,-36"',
    "peak": f'{_PEAK} --exec "time 12; hud off; look 148,-6"',
    "peak at dusk": f'{_PEAK} --exec "time 18.6; hud off; look 260,-4"',
    "eroded cone": "--seed 7 --seconds 12 --fps 5 --start -7790,6260 "
    '--exec "hud off; time 7.5; dab raise -7900,6000 90 60 cone; dab raise -7680,6000 90 60 cone; '
    'erode -7680,6000 150 60; eye -7790,250,6220; look 0,-14"',
}
"""Options of each scene after the common ones."""


def words(scene: str) -> list[str]:
    """Command-line words of a scene."""
    import shlex

    return [*_COMMON.split(), *shlex.split(SCENES[scene])]


def processor() -> str:
    """What code is compiled for here: the processor's name in LLVM and a digest of its features."""
    features = binding.get_host_cpu_features().flatten()
    return f"{binding.get_host_cpu_name()}-{hashlib.sha256(features.encode()).hexdigest()[:8]}"


def draw(scene: str, directory: Path) -> tuple[np.ndarray, dict[str, str]]:
    """Draw a scene; return its pixels uint8 [h, w, 3] and its key: renderer, version, processor."""
    picture, report = directory / f"{scene}.png", directory / f"{scene}.json"
    command = [
        sys.executable,
        "-m",
        "game",
        *words(scene),
        "--screenshot",
        str(picture),
        "--report",
        str(report),
    ]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    facts = json.loads(report.read_text(encoding="utf-8"))
    with Image.open(picture) as image:
        pixels = np.asarray(image.convert("RGB"))
    key = {name: facts[name] for name in ("gl_renderer", "gl_version")}
    return pixels, {**key, "processor": processor()}


def limit(found: dict[str, str], key: dict[str, str]) -> float:
    """Mean difference accepted between a golden with `key` and a picture drawn with `found`."""
    if found == key:
        return 0.0
    same = all(found[name] == key[name] for name in ("gl_renderer", "gl_version"))
    return OTHER_PROCESSOR if same else OTHER_RENDERER


def golden(scene: str) -> tuple[np.ndarray, dict[str, str]]:
    """The committed picture of a scene and the key it was drawn with."""
    keys = json.loads((GOLDEN / "keys.json").read_text(encoding="utf-8"))
    with Image.open(GOLDEN / f"{scene}.png") as image:
        return np.asarray(image.convert("RGB")), keys[scene]


def mean_difference(a: np.ndarray, b: np.ndarray) -> float:
    """Mean absolute difference of two pictures, 0…255."""
    return float(np.abs(a.astype(np.int16) - b.astype(np.int16)).mean())
