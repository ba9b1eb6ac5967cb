"""Pictures as files (Pillow)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from game.core.errors import UsageError


def write_png(path: Path, pixels: NDArray[np.uint8], option: str = "--screenshot") -> None:
    """Write uint8 [h, w, 3] pixels, top row first, as PNG. Raises `UsageError` when the file cannot be written."""
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3:
        raise ValueError(f"pixels are {pixels.dtype} {pixels.shape}; give uint8 [height, width, 3]")
    try:
        Image.fromarray(pixels).save(path, format="PNG")
    except OSError as error:
        why = error.strerror or error
        raise UsageError(f"{option}: {path} cannot be written ({why}); give another file") from None


def read_png(path: Path) -> NDArray[np.uint8]:
    """Read a picture as uint8 [h, w, 3]."""
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"))
