"""A ride as an MP4 film (H.264), with PyAV: the optional extra `video`.

Whoever rides hands over one picture a frame; the film's rate is that of the ride, whatever the wall clock said.
"""

from __future__ import annotations

import importlib.util
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from game.core.errors import UsageError

CRF = 20
"""Constant rate factor of x264: visually near the original, a few MB a minute in 720 lines."""

_CODECS = ("libx264", "h264", "libopenh264", "mpeg4")
"""In order of preference; builds differ in what they may ship."""


def check_video(path: Path) -> None:
    """Refuse a film that cannot be made, before the ride. Raises `UsageError` naming what is missing."""
    if path.suffix.lower() != ".mp4":
        raise UsageError(f"--video: {str(path)!r} is not accepted; give FILE.mp4")
    if importlib.util.find_spec("av") is None:
        raise UsageError('--video needs the package "av"; install it with: pip install "veloterra[video]"')


class Video:
    """A film being written. `close()` finishes it; without that the file cannot be played."""

    def __init__(self, path: Path, width: int, height: int, fps: float) -> None:
        """`width` × `height` of the pictures to come, pixels; odd sides lose their last row or column.

        Raises `UsageError` when the file cannot be written or no encoder is there.
        """
        import av

        self.size = (max(2, width - width % 2), max(2, height - height % 2))
        self._path = path
        if not path.parent.is_dir():
            # The library opens the file only with the first picture.
            raise self._refused(FileNotFoundError(2, "No such file or directory"))
        rate = Fraction(fps).limit_denominator(1001)
        try:
            self._container: Any = av.open(str(path), "w", format="mp4")
        except OSError as error:
            raise self._refused(error) from None
        codec = next((name for name in _CODECS if name in av.codecs_available and _encodes(name)), None)
        if codec is None:
            self._container.close()
            raise UsageError(f"--video: this build of av has none of the encoders {', '.join(_CODECS)}")
        self._stream = cast(Any, self._container).add_stream(codec, rate=rate)
        self._stream.width, self._stream.height = self.size
        self._stream.pix_fmt = "yuv420p"
        if codec == "libx264":
            self._stream.options = {"crf": str(CRF), "preset": "veryfast"}
        self._frames = 0
        self._closed = False

    def add(self, pixels: NDArray[np.uint8]) -> None:
        """Append one picture, uint8 [h, w, 3] sRGB, top row first. Raises `ValueError` for another shape."""
        import av

        width, height = self.size
        if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3:
            raise ValueError(f"pixels are {pixels.dtype} {pixels.shape}; give uint8 [height, width, 3]")
        if abs(pixels.shape[0] - height) <= 1 and abs(pixels.shape[1] - width) <= 1:
            pixels = pixels[:height, :width]
        frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(pixels), format="rgb24")
        if (frame.width, frame.height) != self.size:
            # The window was resized: a film has one size.
            frame = frame.reformat(width=width, height=height)
        frame.pts = self._frames
        frame.time_base = 1 / Fraction(self._stream.average_rate)
        self._frames += 1
        self._write(frame)

    def _write(self, frame: Any) -> None:
        try:
            for packet in self._stream.encode(frame):
                self._container.mux(packet)
        except OSError as error:
            raise self._refused(error) from None

    def _refused(self, error: OSError) -> UsageError:
        why = error.strerror or error
        return UsageError(f"--video: {self._path} cannot be written ({why}); give another file")

    def close(self) -> None:
        """Write what is still buffered and finish the file; harmless when called twice."""
        if self._closed:
            return
        self._closed = True
        try:
            if self._frames:
                self._write(None)
        finally:
            self._container.close()


def _encodes(name: str) -> bool:
    import av

    try:
        return bool(av.codec.Codec(name, "w").is_encoder)
    except ValueError:
        return False
