"""Tyre tracks: short straight pieces, printed into wrapped textures around the camera.

A piece is a row of `COLUMNS` float64. `print_marks` draws how near each texel lies to the middle of a track, when it
was laid and how far along; `wear_down` sums how often wheels have passed. Both write the texels of a box given in
samples counted from the world's origin, into arrays that repeat with their side, so a window moves without copying.
"""

from __future__ import annotations

import numpy as np

from game.kernels import jit

FROM_X, FROM_Z, TO_X, TO_Z, WAY, LAID_S, SCRAPE, WEIGHT = range(8)
"""Columns: both ends in world metres; way of the wheel up to the first end, metres; when it was laid, seconds;
0 rolled … 1 slid; weight in the wear (0: the piece is gone)."""
COLUMNS = 8

CHUNK = 256
"""Rows that share a bounding box."""

REACH_M = 0.12
"""How far from its middle a track is marked."""
SCRAPE_M = 0.018
"""How much farther a sliding wheel presses on either side."""
TREAD_M = 0.32
"""The way along a track is marked modulo this."""
CODE_S = 2.0
"""Times are marked in units of this, modulo 256."""
WEAR_REACH_M = 0.30
"""How far from a wheel its path is worn."""


@jit
def _touches(box, x0, z0, x1, z1):
    return box[0] <= x1 and box[2] >= x0 and box[1] <= z1 and box[3] >= z0


@jit
def _byte(value):
    return np.uint8(min(max(value, 0.0), 1.0) * 255.0 + 0.5)


@jit
def _diamond(turn):
    """Point of the square |a| + |b| = 1 at `turn`, as two numbers 0…1: linear along each side, so that texels
    between two samples are exact."""
    along = (turn - np.floor(turn)) * 4.0
    a = 1.0 - along if along < 2.0 else along - 3.0
    b = along if along < 1.0 else (2.0 - along if along < 3.0 else along - 4.0)
    return 0.5 + 0.5 * a, 0.5 + 0.5 * b


@jit
def _print_piece(row, marks, texel_m, i0, j0, i1, j1):
    side = marks.shape[0]
    half = SCRAPE_M * row[SCRAPE]
    reach = REACH_M + half
    dx, dz = row[TO_X] - row[FROM_X], row[TO_Z] - row[FROM_Z]
    length = np.sqrt(dx * dx + dz * dz)
    squared = max(length * length, 1e-12)
    code = np.uint8(np.int64(np.floor(row[LAID_S] / CODE_S)) & 255)
    low_i = max(i0, np.int64(np.floor((min(row[FROM_X], row[TO_X]) - reach) / texel_m)))
    low_j = max(j0, np.int64(np.floor((min(row[FROM_Z], row[TO_Z]) - reach) / texel_m)))
    high_i = min(i1, np.int64(np.floor((max(row[FROM_X], row[TO_X]) + reach) / texel_m)) + 1)
    high_j = min(j1, np.int64(np.floor((max(row[FROM_Z], row[TO_Z]) + reach) / texel_m)) + 1)
    for j in range(low_j, high_j):
        z = (np.float64(j) + 0.5) * texel_m - row[FROM_Z]
        for i in range(low_i, high_i):
            x = (np.float64(i) + 0.5) * texel_m - row[FROM_X]
            along = min(max((x * dx + z * dz) / squared, 0.0), 1.0)
            off_x, off_z = x - along * dx, z - along * dz
            away = max(np.sqrt(off_x * off_x + off_z * off_z) - half, 0.0) / REACH_M
            if away >= 1.0:
                continue
            texel = marks[j % side, i % side]
            near = _byte(1.0 - away * away)
            texel[1] = code
            if near >= texel[0]:
                a, b = _diamond((row[WAY] + along * length) / TREAD_M)
                texel[0] = near
                texel[2] = _byte(a)
                texel[3] = _byte(b)


@jit
def _wear_piece(row, wear, texel_m, scale, i0, j0, i1, j1):
    side = wear.shape[0]
    x, z = 0.5 * (row[FROM_X] + row[TO_X]), 0.5 * (row[FROM_Z] + row[TO_Z])
    length = np.sqrt((row[TO_X] - row[FROM_X]) ** 2 + (row[TO_Z] - row[FROM_Z]) ** 2)
    # Summed along a straight way the kernel (1 − r²/R²)² makes 16/15 R at its middle.
    amount = scale * row[WEIGHT] * length * 0.9375 / WEAR_REACH_M
    for j in range(
        max(j0, np.int64(np.floor((z - WEAR_REACH_M) / texel_m))),
        min(j1, np.int64(np.floor((z + WEAR_REACH_M) / texel_m)) + 1),
    ):
        off_z = (np.float64(j) + 0.5) * texel_m - z
        for i in range(
            max(i0, np.int64(np.floor((x - WEAR_REACH_M) / texel_m))),
            min(i1, np.int64(np.floor((x + WEAR_REACH_M) / texel_m)) + 1),
        ):
            off_x = (np.float64(i) + 0.5) * texel_m - x
            share = 1.0 - (off_x * off_x + off_z * off_z) / (WEAR_REACH_M * WEAR_REACH_M)
            if share > 0.0:
                wear[j % side, i % side] += np.float32(amount * share * share)


@jit
def _grow(touched, row, reach, texel_m, i0, j0, i1, j1):
    """Widen `touched` (i0, j0, i1, j1) by what a piece touches of the box; whether it touches any."""
    low_i = max(i0, np.int64(np.floor((min(row[FROM_X], row[TO_X]) - reach) / texel_m)))
    low_j = max(j0, np.int64(np.floor((min(row[FROM_Z], row[TO_Z]) - reach) / texel_m)))
    high_i = min(i1, np.int64(np.floor((max(row[FROM_X], row[TO_X]) + reach) / texel_m)) + 1)
    high_j = min(j1, np.int64(np.floor((max(row[FROM_Z], row[TO_Z]) + reach) / texel_m)) + 1)
    if low_i >= high_i or low_j >= high_j:
        return False
    touched[0], touched[1] = min(touched[0], low_i), min(touched[1], low_j)
    touched[2], touched[3] = max(touched[2], high_i), max(touched[3], high_j)
    return True


@jit
def print_pieces(rows, chunks, first, last, marks, wear, wears, texel_m, scale, oldest_s, box, touched):
    """Print pieces `first` … `last` − 1 into `box` (i0, j0, i1, j1: samples from the world's origin, half open).

    `rows` float64 [n, COLUMNS] is a ring, `chunks` float64 [n / CHUNK, 4] the least and largest x and z of each. With
    `wears` the sum of passes in `wear` float32 [side, side] is added to, each times `scale`; else the nearness to a
    track in `marks` uint8 [side, side, 4] is drawn: 255 · (1 − (d / REACH_M)²), time code, two of way.
    Pieces laid before `oldest_s` are passed over. `touched` int64 [4] grows by the box that was written.
    """
    size = rows.shape[0]
    x0, z0 = np.float64(box[0]) * texel_m - 1.0, np.float64(box[1]) * texel_m - 1.0
    x1, z1 = np.float64(box[2]) * texel_m + 1.0, np.float64(box[3]) * texel_m + 1.0
    n = first
    while n < last:
        slot = n % size
        if not _touches(chunks[slot // CHUNK], x0, z0, x1, z1):
            n += CHUNK - slot % CHUNK
            continue
        n += 1
        row = rows[slot]
        if row[WEIGHT] <= 0.0 or row[LAID_S] < oldest_s:
            continue
        if wears:
            if _grow(touched, row, WEAR_REACH_M, texel_m, box[0], box[1], box[2], box[3]):
                _wear_piece(row, wear, texel_m, scale, box[0], box[1], box[2], box[3])
        elif _grow(touched, row, REACH_M + SCRAPE_M, texel_m, box[0], box[1], box[2], box[3]):
            _print_piece(row, marks, texel_m, box[0], box[1], box[2], box[3])


@jit
def expire(marks, j0, i0, side, now_code, most):
    """Clear what is older than `most` time codes in the block of `side`² texels at row j0, column i0 of `marks`.

    Returns 1 where something was cleared, 2 where nothing is left, 3 for both, else 0.
    """
    cleared, left = 0, 0
    for j in range(j0, j0 + side):
        for i in range(i0, i0 + side):
            if marks[j, i, 0] == 0:
                continue
            if ((now_code - np.int64(marks[j, i, 1])) & 255) > most:
                marks[j, i, 0] = 0
                cleared = 1
            else:
                left = 1
    return cleared + 2 * (1 - left)


@jit
def halve(fine, coarse, j0, j1, i0, i1):
    """Rows j0 … j1 − 1, columns i0 … i1 − 1 of `coarse` as means of two by two texels of `fine`, both uint8."""
    for j in range(j0, j1):
        for i in range(i0, i1):
            for k in range(fine.shape[2]):
                total = (
                    np.int64(fine[2 * j, 2 * i, k])
                    + np.int64(fine[2 * j, 2 * i + 1, k])
                    + np.int64(fine[2 * j + 1, 2 * i, k])
                    + np.int64(fine[2 * j + 1, 2 * i + 1, k])
                )
                coarse[j, i, k] = np.uint8((total + 2) // 4)


@jit
def wear_bytes(wear, out, scale, j0, j1, i0, i1):
    """Rows j0 … j1 − 1, columns i0 … i1 − 1 of `wear` as bytes in `out`, `scale` per unit, at most 255."""
    for j in range(j0, j1):
        for i in range(i0, i1):
            out[j, i, 0] = np.uint8(min(np.float64(wear[j, i]) * scale + 0.5, 255.0))


def warm() -> None:
    """Compile every kernel here for the argument types the game uses."""
    rows, chunks = np.zeros((CHUNK, COLUMNS)), np.zeros((1, 4))
    marks, wear = np.zeros((8, 8, 4), np.uint8), np.zeros((8, 8), np.float32)
    box = np.array([0, 0, 8, 8], np.int64)
    for wears in (False, True):
        print_pieces(rows, chunks, 0, 1, marks, wear, wears, 0.025, 1.0, 0.0, box, box.copy())
    expire(marks, 0, 0, 8, 0, 100)
    halve(marks, np.zeros((4, 4, 4), np.uint8), 0, 4, 0, 4)
    wear_bytes(wear, np.zeros((8, 8, 1), np.uint8), 1.0, 0, 8, 0, 8)
