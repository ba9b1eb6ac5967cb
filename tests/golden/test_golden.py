"""Golden pictures: exact for the same renderer and processor, tolerant on others, not compared on hardware."""

import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import golden  # noqa: E402

pytestmark = pytest.mark.gl


@pytest.mark.parametrize("scene", golden.SCENES)
def test_scene(scene: str, tmp_path: Path) -> None:
    expected, key = golden.golden(scene)
    pixels, found = golden.draw(scene, tmp_path)
    if "llvmpipe" not in found["gl_renderer"]:
        pytest.skip(f"goldens are compared on llvmpipe only; this is {found['gl_renderer']}")
    assert pixels.shape == expected.shape
    difference = golden.mean_difference(pixels, expected)
    limit = golden.limit(found, key)
    if difference > limit:
        shown = np.clip(np.abs(pixels.astype(int) - expected.astype(int)) * 8, 0, 255).astype(np.uint8)
        sheet = np.concatenate([expected, pixels, shown], axis=1)
        Image.fromarray(sheet).save(ROOT / f"golden-{scene}-failed.png")
    assert difference <= limit, f"see golden-{scene}-failed.png: golden, now, difference × 8"


def test_only_the_same_renderer_and_processor_are_compared_exactly() -> None:
    key = {"gl_renderer": "llvmpipe (LLVM 15, 256 bits)", "gl_version": "4.5", "processor": "znver5-1"}
    assert golden.limit(key, key) == 0.0
    assert 0.0 < golden.limit({**key, "processor": "znver3-2"}, key) < 0.1
    assert golden.limit({**key, "gl_version": "4.6"}, key) == 1.0
