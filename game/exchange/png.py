"""PNG files written row by row, so that a picture larger than memory can be made."""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from game.core.errors import UsageError

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_FILTER_UP = 2
_CHUNK = 1 << 18


class PngWriter:
    """Writes an RGB picture of 8 bits a channel, strip after strip, top row first.

    Use with `with`: the file appears under its name when the last row was written, and not at all when anything fails.
    Raises `UsageError` when the file cannot be written.

    Source: ISO/IEC 15948 (PNG), with the filter "up" on every row.
    """

    def __init__(
        self, path: Path, width: int, height: int, text: dict[str, str] | None = None, option: str = "--out"
    ) -> None:
        self._path = path
        self._part = path.with_name(path.name + ".part")
        self._option = option
        self._width, self._height = width, height
        self._rows = 0
        self._above: NDArray[np.uint8] = np.zeros((1, width * 3), np.uint8)
        self._compress = zlib.compressobj(4)
        self._pending = bytearray()
        try:
            self._file: BinaryIO = self._part.open("wb")
        except OSError as error:
            raise self._refusal(error) from None
        try:
            self._file.write(_SIGNATURE)
            self._chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            for key, value in (text or {}).items():
                self._chunk(b"tEXt", key.encode("latin-1") + b"\0" + value.encode("latin-1", "replace"))
        except OSError as error:
            self._drop()
            raise self._refusal(error) from None

    def _refusal(self, error: OSError) -> UsageError:
        why = error.strerror or error
        return UsageError(f"{self._option}: {self._path} cannot be written ({why}); give another file")

    def _drop(self) -> None:
        self._file.close()
        self._part.unlink(missing_ok=True)

    def _chunk(self, kind: bytes, content: bytes) -> None:
        self._file.write(struct.pack(">I", len(content)) + kind + content)
        self._file.write(struct.pack(">I", zlib.crc32(content, zlib.crc32(kind))))

    def write(self, rows: NDArray[np.uint8]) -> None:
        """Append uint8 [n, width, 3]. Raises `ValueError` for another shape or too many rows."""
        if (
            rows.dtype != np.uint8
            or rows.shape[1:] != (self._width, 3)
            or self._rows + len(rows) > self._height
        ):
            raise ValueError(
                f"rows are {rows.dtype} {rows.shape}; give uint8 [n, {self._width}, 3], "
                f"n at most {self._height - self._rows}"
            )
        if len(rows) == 0:
            return
        flat = np.concatenate([self._above, rows.reshape(len(rows), -1)])
        lines = np.empty((len(rows), 1 + self._width * 3), np.uint8)
        lines[:, 0] = _FILTER_UP
        np.subtract(flat[1:], flat[:-1], out=lines[:, 1:])
        self._above = flat[-1:].copy()
        self._rows += len(rows)
        self._pending += self._compress.compress(lines.tobytes())
        try:
            while len(self._pending) >= _CHUNK:
                self._chunk(b"IDAT", bytes(self._pending[:_CHUNK]))
                del self._pending[:_CHUNK]
        except OSError as error:
            raise self._refusal(error) from None

    def __enter__(self) -> PngWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._drop()
            return
        if self._rows != self._height:
            self._drop()
            raise ValueError(f"{self._rows} rows were written; the picture has {self._height}")
        try:
            self._pending += self._compress.flush()
            self._chunk(b"IDAT", bytes(self._pending))
            self._chunk(b"IEND", b"")
            self._file.close()
            os.replace(self._part, self._path)
        except OSError as failure:
            self._drop()
            raise self._refusal(failure) from None
