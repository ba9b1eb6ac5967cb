"""Redraw golden pictures: `python tools/update_golden.py [SCENE …]`. Look at each before you commit it."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from golden import GOLDEN, SCENES, draw
from PIL import Image


def main() -> int:
    """Redraw the scenes named, or all."""
    scenes = sys.argv[1:] or list(SCENES)
    unknown = [scene for scene in scenes if scene not in SCENES]
    if unknown:
        print(f"scene {unknown[0]!r} is not known; use {', '.join(SCENES)}", file=sys.stderr)
        return 2
    keys_file = GOLDEN / "keys.json"
    keys = json.loads(keys_file.read_text(encoding="utf-8")) if keys_file.exists() else {}
    for scene in scenes:
        with tempfile.TemporaryDirectory() as directory:
            pixels, keys[scene] = draw(scene, Path(directory))
        Image.fromarray(pixels).save(GOLDEN / f"{scene}.png", optimize=True)
        print(f"{scene}: {keys[scene]['gl_renderer']}")
    keys_file.write_text(json.dumps(keys, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
