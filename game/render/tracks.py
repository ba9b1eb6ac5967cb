"""Tyre tracks on the GPU: two textures that repeat around the camera, of which only touched texels are sent.

`track_marks` is fine and near: how near the middle of a track is, when it was laid, how far along. `track_wear` is
coarse and wide: how often wheels passed. Both are functions of the pieces in `FrameView.tracks`, wherever the camera
has been; the arrays here mirror them. Texture units 6 and 7.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from game.gl.context import GLContext
from game.gl.program import Program
from game.gl.texture import R8, RGBA8, Sampling, Texture2D
from game.kernels import tracks as kernels
from game.render.frame import CameraView, FrameView, TracksView
from game.ride.tracks import WEAR_S

UNITS = {"track_marks": 6, "track_wear": 7}

SIDE = 1024
BLOCK = 64
"""Texels along a side of either texture, and of a block that enters or leaves at once."""
_BLOCKS = SIDE // BLOCK

MARK_M, WEAR_M = 0.025, 0.10
"""Size of a texel."""
LEVELS = 4
"""Mip levels of the marks; farther off the wear is what is seen."""

LIFE_S = 240.0
"""How long tracks are seen."""

PASSES = 12.0
"""How many passes fill a texel of the wear."""

REBASE_S = 300.0
"""How long the wear's sums are kept relative to one time; they grow as later weights do."""

TYRE_M = 0.034
"""Half the width of a tyre's print."""

PRINT_M = 0.030
"""Depth of a print in what gives way most."""

DEFINES: dict[str, int | float] = {
    "MARKS_SPAN_M": SIDE * MARK_M,
    "WEAR_SPAN_M": SIDE * WEAR_M,
    "MARKS_SIDE": SIDE,
    "MARK_M": MARK_M,
    "MARK_REACH_M": kernels.REACH_M,
    "TYRE_M": TYRE_M,
    "PRINT_M": PRINT_M,
    # The camera is at least this far from the rim of its window.
    "MARKS_END_M": (0.5 * SIDE - BLOCK) * MARK_M,
    "WEAR_END_M": (0.5 * SIDE - BLOCK) * WEAR_M,
    "TRACK_CODES": LIFE_S / kernels.CODE_S,
    "WEAR_PASSES": PASSES,
}
"""Constants of tracks.glsl, for every program that includes it."""

_NOTHING = (1 << 62, 1 << 62, -(1 << 62), -(1 << 62))

_Cut = tuple[int, int, int, int]


def _wrapped(box: NDArray[np.int64]) -> list[_Cut]:
    """A box of samples (i0, j0, i1, j1) as boxes (j0, j1, i0, i1) of the repeating array."""

    def cuts(low: int, high: int) -> list[tuple[int, int]]:
        if high - low >= SIDE:
            return [(0, SIDE)]
        start = low % SIDE
        end = start + high - low
        return [(start, end)] if end <= SIDE else [(start, SIDE), (0, end - SIDE)]

    i0, j0, i1, j1 = box.tolist()
    return [(*rows, *columns) for rows in cuts(j0, j1) for columns in cuts(i0, i1)]


class _Window:
    """One repeating array, its texture, and where it lies."""

    def __init__(self, gl: GLContext, texel_m: float, wears: bool) -> None:
        self.texel_m, self.wears = texel_m, wears
        kind, levels = (R8, 1) if wears else (RGBA8, LEVELS)
        sampling = Sampling(repeat=True, mipmaps=not wears)
        zeros = np.zeros((SIDE, SIDE, kind.components), np.uint8)
        self.bytes = [zeros] + [
            np.zeros((SIDE >> level, SIDE >> level, kind.components), np.uint8) for level in range(1, levels)
        ]
        self.sums = np.zeros((SIDE, SIDE) if wears else (1, 1), np.float32)
        self.texture = Texture2D(gl, SIDE, SIDE, kind, zeros, sampling, levels=levels)
        self.filled = np.zeros((_BLOCKS, _BLOCKS), bool)
        self.low: tuple[int, int] | None = None
        """First block along x and z, from the world's origin."""

    def forget(self) -> None:
        """Empty it all."""
        for jb, ib in np.argwhere(self.filled).tolist():
            self.clear_block(jb, ib)
        self.low = None

    def clear_block(self, jb: int, ib: int) -> None:
        j, i = jb * BLOCK, ib * BLOCK
        self.bytes[0][j : j + BLOCK, i : i + BLOCK] = 0
        if self.wears:
            self.sums[j : j + BLOCK, i : i + BLOCK] = 0.0
        self.filled[jb, ib] = False
        self.send((j, j + BLOCK, i, i + BLOCK))

    def entering(self, camera: CameraView) -> list[NDArray[np.int64]]:
        """Follow the camera; the boxes of samples that are new, emptied of what lay there before."""
        block_m = BLOCK * self.texel_m
        x = math.floor(camera.x / block_m + 0.5) - _BLOCKS // 2
        z = math.floor(camera.z / block_m + 0.5) - _BLOCKS // 2
        was, self.low = self.low, (x, z)
        if was == (x, z):
            return []
        whole = (x, z, x + _BLOCKS, z + _BLOCKS)
        strips: list[_Cut] = []
        if was is None or abs(x - was[0]) >= _BLOCKS or abs(z - was[1]) >= _BLOCKS:
            strips.append(whole)
        else:
            if x != was[0]:
                span = (was[0] + _BLOCKS, x + _BLOCKS) if x > was[0] else (x, was[0])
                strips.append((span[0], z, span[1], z + _BLOCKS))
            if z != was[1]:
                span = (was[1] + _BLOCKS, z + _BLOCKS) if z > was[1] else (z, was[1])
                # Without the corner that the other strip has.
                rest = (max(x, was[0]), min(x, was[0]) + _BLOCKS)
                strips.append((rest[0], span[0], rest[1], span[1]))
        for i0, j0, i1, j1 in strips:
            for jb in range(j0, j1):
                for ib in range(i0, i1):
                    if self.filled[jb % _BLOCKS, ib % _BLOCKS]:
                        self.clear_block(jb % _BLOCKS, ib % _BLOCKS)
        return [np.array(strip, np.int64) * BLOCK for strip in strips]

    def box(self) -> NDArray[np.int64]:
        """Samples the window covers."""
        assert self.low is not None
        x, z = self.low
        return np.array((x, z, x + _BLOCKS, z + _BLOCKS), np.int64) * BLOCK

    def print(
        self, view: TracksView, first: int, last: int, oldest_s: float, scale: float, box: NDArray[np.int64]
    ) -> None:
        """Print pieces into a box of the window and send what changed."""
        if first >= last:
            return
        touched = np.array(_NOTHING, np.int64)
        kernels.print_pieces(
            view.rows,
            view.chunks,
            first,
            last,
            self.bytes[0],
            self.sums,
            self.wears,
            self.texel_m,
            scale,
            oldest_s,
            box,
            touched,
        )
        if touched[0] >= touched[2]:
            return
        for cut in _wrapped(touched):
            j0, j1, i0, i1 = cut
            self.filled[j0 // BLOCK : (j1 - 1) // BLOCK + 1, i0 // BLOCK : (i1 - 1) // BLOCK + 1] = True
            self.send(cut)

    def send(self, cut: _Cut) -> None:
        """Bring the texels of a box to the GPU, on every level."""
        j0, j1, i0, i1 = cut
        if self.wears:
            kernels.wear_bytes(self.sums, self.bytes[0], 255.0 / PASSES, j0, j1, i0, i1)
        self.texture.write_box(0, self.bytes[0], cut)
        for level in range(1, len(self.bytes)):
            j0, j1, i0, i1 = j0 >> 1, ((j1 - 1) >> 1) + 1, i0 >> 1, ((i1 - 1) >> 1) + 1
            kernels.halve(self.bytes[level - 1], self.bytes[level], j0, j1, i0, i1)
            self.texture.write_box(level, self.bytes[level], (j0, j1, i0, i1))


class TrackTextures:
    """Keeps the GPU's copy of the tracks up to date and lends it to programs with tracks.glsl.

    The first track makes the textures: 5 MiB.
    """

    def __init__(self, gl: GLContext) -> None:
        self._gl = gl
        self._marks: _Window | None = None
        self._wear: _Window | None = None
        self._printed = 0
        self._erased = 0
        self._base_s = 0.0
        self._next_block = 0
        self._clock_s = 0.0

    def update(self, view: FrameView) -> None:
        """Print what is new, move the windows with the camera, and let old tracks go."""
        tracks = view.tracks
        if tracks is None or (tracks.laid == 0 and self._marks is None):
            return
        if self._marks is None or self._wear is None:
            self._marks, self._wear = _Window(self._gl, MARK_M, False), _Window(self._gl, WEAR_M, True)
            self._erased = tracks.erased
        self._clock_s = tracks.clock_s
        if tracks.erased != self._erased or tracks.laid < self._printed:
            self._erased, self._printed = tracks.erased, 0
            self._marks.forget()
            self._wear.forget()
        if tracks.clock_s - self._base_s > REBASE_S or self._printed == 0:
            self._base_s = tracks.clock_s
            self._wear.forget()
        scale = math.exp(-self._base_s / WEAR_S)
        oldest = max(0, tracks.laid - len(tracks.rows))
        for window, life_s in ((self._marks, LIFE_S), (self._wear, math.inf)):
            oldest_s = tracks.clock_s - life_s
            whole = window.low is None
            for box in window.entering(view.camera):
                # What is printed below goes on from here.
                last = tracks.laid if whole else self._printed
                window.print(tracks, oldest, last, oldest_s, scale, box)
            if not whole:
                window.print(tracks, max(oldest, self._printed), tracks.laid, oldest_s, scale, window.box())
        self._printed = tracks.laid
        self._expire(self._marks)

    def _expire(self, window: _Window) -> None:
        """Look through one block a frame: its time codes must not come round again."""
        jb, ib = divmod(self._next_block, _BLOCKS)
        self._next_block = (self._next_block + 1) % (_BLOCKS * _BLOCKS)
        if not window.filled[jb, ib]:
            return
        j, i = jb * BLOCK, ib * BLOCK
        most = math.ceil(LIFE_S / kernels.CODE_S)
        found = kernels.expire(window.bytes[0], j, i, BLOCK, self._code(), most)
        if found & 2:
            window.clear_block(jb, ib)
        elif found & 1:
            window.send((j, j + BLOCK, i, i + BLOCK))

    def _code(self) -> int:
        return int(self._clock_s // kernels.CODE_S) & 255

    def lend(self, program: Program, camera: CameraView) -> None:
        """Bind the textures and set the uniform of `program`, which must be in use."""
        marks, wear = self._marks, self._wear
        if marks is None or wear is None:
            program.set("tracks", (0.0, 0.0, -1.0, 0.0))
            return
        span = SIDE * WEAR_M
        fade = math.exp((self._base_s - self._clock_s) / WEAR_S)
        code = self._clock_s / kernels.CODE_S % 256.0
        program.set("tracks", (camera.x % span, camera.z % span, code, fade))
        marks.texture.bind(UNITS["track_marks"])
        wear.texture.bind(UNITS["track_wear"])

    def release(self) -> None:
        """Free every texture; harmless when called twice."""
        for window in (self._marks, self._wear):
            if window is not None:
                window.texture.release()
        self._marks = self._wear = None
