"""Ground materials, synthesised: eight tiles of 3 m of land, colour (sRGB) and height in alpha, that repeat.

Grass, meadow and forest floor are strokes laid over each other, stones and cracks come from Worley cells (Worley, "A
Cellular Texture Basis Function", 1996), sand ripples from warped waves. Nothing is taken from a picture.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from game.render.periodic import periodic_noise

TEXELS = 512
Field = NDArray[np.float32]


def _fbm(first: int, octaves: int, salt: int, gain: float = 0.5) -> Field:
    """Periodic noise of about −1…1."""
    total = np.zeros((TEXELS, TEXELS), np.float32)
    for octave in range(octaves):
        total += np.float32(1.5 * gain**octave) * periodic_noise(first << octave, salt + octave, TEXELS)
    return total


def _unit(field: Field) -> Field:
    """Stretched so that all but the outermost percent lie in 0…1."""
    low, high = np.percentile(field, (1.0, 99.0))
    unit: Field = np.clip((field - low) / (high - low), 0.0, 1.0).astype(np.float32)
    return unit


def _smooth(low: float, high: float, field: Field) -> Field:
    t = np.clip((field - np.float32(low)) / np.float32(high - low), 0.0, 1.0)
    smooth: Field = (t * t * (3.0 - 2.0 * t)).astype(np.float32)
    return smooth


def _hash(a: NDArray[np.int64], b: NDArray[np.int64], salt: int) -> Field:
    """0…1 from two whole numbers."""
    h = (a * 0x9E3779B1 + b * 0x85EBCA77 + salt * 0x27D4EB2F) & 0xFFFFFFFF
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        h = ((h ^ (h >> shift)) * factor) & 0xFFFFFFFF
    return ((h ^ (h >> 16)).astype(np.float64) / 2.0**32).astype(np.float32)


def _worley(cells: int, salt: int, warp: Field | None = None) -> tuple[Field, Field, Field]:
    """Distance to the nearest point and to the second, in cells, and a hash 0…1 of the nearest."""
    side = (np.arange(TEXELS, dtype=np.float32) + 0.5) * (cells / TEXELS)
    bend = np.zeros((TEXELS, TEXELS), np.float32) if warp is None else warp
    x, y = side[None, :] + bend, side[:, None] + np.roll(bend, TEXELS // 3, axis=0)
    i, j = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    first = np.full((TEXELS, TEXELS), 9.0, np.float32)
    second, name = first.copy(), np.zeros_like(first)
    for dj in (-1, 0, 1):
        for di in (-1, 0, 1):
            ci, cj = (i + di) % cells, (j + dj) % cells
            px = i + di + 0.1 + 0.8 * _hash(ci, cj, salt)
            py = j + dj + 0.1 + 0.8 * _hash(ci, cj, salt + 1)
            distance = np.sqrt((px - x) ** 2 + (py - y) ** 2).astype(np.float32)
            nearer = distance < first
            second = np.where(nearer, first, np.minimum(second, distance))
            name = np.where(nearer, _hash(ci, cj, salt + 2), name)
            first = np.where(nearer, distance, first)
    return first, second, name


def _strokes(count: int, length: float, bow: float, width: int, salt: int) -> tuple[Field, Field]:
    """Height 0…1 and tone 0…1 of thin bent strokes (blades, needles) laid over each other; height 0 between them.

    `length` in texels; a stroke rises toward its tip by its own share, so that tips lie over the others' feet.
    """
    number = np.arange(count, dtype=np.int64)
    r = [_hash(number, number * 0 + k, salt) for k in range(7)]
    angle = r[2] * 2.0 * np.pi
    steps = np.linspace(0.0, 1.0, int(length * 1.5) + 2)[None, :]
    turn = angle[:, None] + bow * (r[3][:, None] - 0.5) * steps
    reach = length * (0.5 + 0.8 * r[4][:, None]) * steps
    x = r[0][:, None] * TEXELS + reach * np.cos(turn)
    y = r[1][:, None] * TEXELS + reach * np.sin(turn)
    height = (0.25 + 0.75 * r[5][:, None]) * (0.35 + 0.65 * np.sin(np.pi * (0.15 + 0.65 * steps)))
    key = np.rint(height * 4095).astype(np.int64) * 256 + np.rint(r[6][:, None] * 255).astype(np.int64)
    sheet = np.zeros((TEXELS, TEXELS), np.int64)
    for across in range(width):
        side = across - (width - 1) / 2
        i = np.floor(x - side * np.sin(turn)).astype(np.int64) % TEXELS
        j = np.floor(y + side * np.cos(turn)).astype(np.int64) % TEXELS
        edge = np.int64(abs(side) * 180) * 256
        np.maximum.at(sheet, (j, i), np.maximum(key - edge, 0))
    return (sheet // 256 / 4095.0).astype(np.float32), (sheet % 256 / 255.0).astype(np.float32)


def _ramp(tone: Field, *colours: tuple[float, float, float]) -> Field:
    """sRGB [h, w, 3] along evenly spaced `colours` for `tone` 0…1."""
    stops = np.linspace(0.0, 1.0, len(colours))
    planes = [np.interp(tone, stops, [colour[k] for colour in colours]) for k in range(3)]
    return np.stack(planes, axis=-1).astype(np.float32)


def _over(below: Field, above: Field, share: Field) -> Field:
    return (below + (above - below) * share[..., None]).astype(np.float32)


def _grass(lush: bool) -> tuple[Field, Field]:
    salt = 300 if lush else 340
    height, tone = _strokes(9000 if lush else 11000, 30.0 if lush else 24.0, 1.5, 3, salt)
    low, low_tone = _strokes(9000, 18.0, 2.0, 2, salt + 1)
    clump = _unit(_fbm(5, 4, salt + 2))
    soil = _ramp(_unit(_fbm(16, 4, salt + 3, 0.7)), (0.20, 0.16, 0.10), (0.34, 0.28, 0.18))
    if lush:
        blade = _ramp(tone, (0.22, 0.34, 0.10), (0.32, 0.45, 0.15), (0.44, 0.54, 0.22), (0.62, 0.62, 0.34))
    else:
        blade = _ramp(tone, (0.34, 0.36, 0.15), (0.46, 0.45, 0.21), (0.60, 0.54, 0.30), (0.74, 0.66, 0.42))
    under = _over(soil, _ramp(low_tone, (0.24, 0.27, 0.11), (0.42, 0.41, 0.20)), _smooth(0.05, 0.2, low))
    colour = _over(under, blade, _smooth(0.03, 0.15, height))
    relief = np.maximum(0.55 * low, height * (0.6 + 0.4 * clump)) * 0.8 + 0.2 * clump
    colour = colour * (0.48 + 0.62 * _unit(relief))[..., None]
    if lush:  # a few small flowers
        first, _, name = _worley(22, salt + 5)
        petals = _smooth(0.13, 0.08, first) * (name > 0.80)
        white = _ramp((name * 37.0) % 1.0, (0.93, 0.92, 0.86), (0.95, 0.83, 0.30))
        colour = _over(colour, white, petals.astype(np.float32))
    return colour, _unit(relief)


def _forest_floor() -> tuple[Field, Field]:
    needles, tone = _strokes(16000, 15.0, 0.4, 1, 410)
    twigs, twig_tone = _strokes(170, 74.0, 0.7, 4, 420)
    humus = _unit(_fbm(9, 5, 430, 0.65))
    colour = _ramp(humus, (0.16, 0.12, 0.08), (0.30, 0.22, 0.14))
    colour = _over(
        colour,
        _ramp(tone, (0.28, 0.19, 0.11), (0.47, 0.33, 0.18), (0.58, 0.45, 0.27)),
        _smooth(0.05, 0.2, needles),
    )
    moss = _smooth(0.62, 0.80, _unit(_fbm(4, 4, 440)))
    colour = _over(colour, _ramp(tone, (0.20, 0.27, 0.09), (0.33, 0.40, 0.14)), 0.8 * moss)
    colour = _over(
        colour, _ramp(twig_tone, (0.26, 0.20, 0.15), (0.45, 0.38, 0.31)), _smooth(0.05, 0.25, twigs)
    )
    relief = _unit(0.30 * needles + 0.34 * humus + 0.55 * twigs + 0.25 * moss)
    return colour * (0.62 + 0.5 * relief)[..., None], relief


def _stones(cells: int, salt: int, full: float) -> tuple[Field, Field]:
    """Height of rounded stones in a bed, and a hash 0…1 of each."""
    warp = 0.22 * _fbm(cells, 2, salt + 7)
    first, second, name = _worley(cells, salt, warp)
    gap = second - first
    size = full * (0.35 + 0.65 * name)
    dome = np.sqrt(np.clip(1.0 - (first / (0.75 * size + 0.05)) ** 2, 0.0, 1.0))
    height = np.minimum(dome, 1.0) * _smooth(0.02, 0.22, gap) * (0.45 + 0.55 * name)
    return height.astype(np.float32), name


def _scree() -> tuple[Field, Field]:
    grit = _unit(_fbm(48, 3, 500, 0.8))
    relief = 0.16 * grit
    tone = 0.25 + 0.3 * grit
    for cells, salt, full, raised in ((44, 510, 0.95, 0.30), (22, 520, 0.95, 0.55), (10, 530, 0.85, 1.0)):
        height, name = _stones(cells, salt, full)
        over = (height * raised > relief) & (height > 0.02)
        tone = np.where(over, 0.15 + 0.85 * ((name * 53.0) % 1.0), tone)
        relief = np.maximum(relief, height * raised)
    chipped = _fbm(20, 4, 540, 0.7)
    relief = _unit(relief + 0.05 * chipped)
    colour = _ramp(
        np.clip(tone + 0.10 * chipped, 0.0, 1.0).astype(np.float32),
        (0.36, 0.34, 0.31), (0.48, 0.46, 0.43), (0.58, 0.55, 0.50), (0.66, 0.62, 0.55),
    )  # fmt: skip
    return colour * (0.45 + 0.68 * _smooth(0.0, 0.55, relief))[..., None], relief


def _rock() -> tuple[Field, Field]:
    body = _fbm(3, 7, 600, 0.55)
    ridged = 1.0 - np.abs(_fbm(5, 5, 620, 0.6))
    relief: Field = (0.55 * body + 0.45 * ridged).astype(np.float32)
    cracks = np.zeros_like(relief)
    for cells, salt, deep, wide in ((4, 640, 1.0, 0.055), (9, 650, 0.55, 0.045)):
        first, second, name = _worley(cells, salt, 0.16 * _fbm(6, 4, salt + 5) * (cells / 5))
        cracks = np.maximum(cracks, deep * _smooth(wide, 0.0, second - first))
        relief = (relief + (0.30 if cells == 4 else 0.12) * name).astype(np.float32)
    relief = (_unit(relief) * (1.0 - 0.75 * cracks)).astype(np.float32)
    lichen = _smooth(0.66, 0.80, _unit(_fbm(9, 4, 660, 0.6)))
    tone = np.clip(0.5 + 0.28 * _fbm(7, 5, 670, 0.7) + 0.25 * (relief - 0.5), 0.0, 1.0).astype(np.float32)
    colour = _ramp(tone, (0.30, 0.29, 0.28), (0.45, 0.43, 0.41), (0.60, 0.58, 0.54))
    colour = _over(
        colour,
        _ramp(tone, (0.48, 0.48, 0.34), (0.62, 0.62, 0.48)),
        (0.55 * lichen * (1.0 - cracks)).astype(np.float32),
    )
    return (colour * (1.0 - 0.68 * cracks)[..., None]).astype(np.float32), relief


def _sand() -> tuple[Field, Field]:
    side = np.arange(TEXELS, dtype=np.float32) / TEXELS
    bend = 0.085 * _fbm(2, 3, 700) + 0.012 * _fbm(10, 2, 705)
    phase = 21.0 * (side[:, None] + bend) + 3.0 * side[None, :]
    wave = phase - np.floor(phase)
    # Ripples are steep in the lee and long to windward.
    ripple = np.where(wave < 0.7, wave / 0.7, (1.0 - wave) / 0.3).astype(np.float32)
    ripple = ripple * ripple * (3.0 - 2.0 * ripple)
    grain = _fbm(128, 2, 710, 0.9)
    relief = _unit(ripple * (0.7 + 0.3 * _unit(_fbm(3, 2, 720))) + 0.06 * grain)
    tone = np.clip(0.30 + 0.40 * relief + 0.17 * grain, 0.0, 1.0).astype(np.float32)
    return _ramp(tone, (0.60, 0.50, 0.37), (0.74, 0.64, 0.48), (0.83, 0.74, 0.58)), relief


def _snow() -> tuple[Field, Field]:
    drift = _fbm(3, 3, 800) + 0.35 * (1.0 - np.abs(_fbm(6, 3, 810)))
    grain = _fbm(100, 2, 820, 0.9)
    relief = _unit(drift + 0.10 * grain)
    tone = np.clip(0.35 + 0.45 * relief + 0.12 * grain, 0.0, 1.0).astype(np.float32)
    return _ramp(tone, (0.82, 0.86, 0.92), (0.92, 0.94, 0.97), (0.98, 0.98, 0.98)), relief


def _mud() -> tuple[Field, Field]:
    bed = _unit(_fbm(6, 6, 900, 0.55))
    pebbles, name = _stones(17, 910, 0.55)
    keep = (name > 0.55).astype(np.float32)
    first, second, _ = _worley(12, 920, 0.3 * _fbm(12, 3, 925))
    cracks = _smooth(0.07, 0.0, second - first) * _smooth(0.4, 0.7, _unit(_fbm(3, 2, 930)))
    relief = _unit((0.6 * bed + 0.5 * pebbles * keep - 0.35 * cracks).astype(np.float32))
    colour = _ramp(bed, (0.20, 0.15, 0.10), (0.34, 0.26, 0.18), (0.43, 0.34, 0.24))
    colour = _over(
        colour, _ramp(name, (0.36, 0.32, 0.28), (0.55, 0.51, 0.46)), _smooth(0.1, 0.3, pebbles) * keep
    )
    return (colour * (1.0 - 0.5 * cracks)[..., None]).astype(np.float32), relief


def ground_sheet() -> NDArray[np.uint8]:
    """uint8 [8 · 512, 512, 4]: the tiles below each other in the order of `render.materials.LAYERS`."""
    made = (
        _grass(lush=False), _grass(lush=True), _forest_floor(), _scree(), _rock(), _sand(), _snow(), _mud(),
    )  # fmt: skip
    tiles = []
    for colour, height in made:
        tile = np.concatenate([np.clip(colour, 0.0, 1.0), _unit(height)[..., None]], axis=-1)
        # Colours in steps of 4 and heights of 2: half the file, and nobody sees it under dither and light.
        steps = np.array([4.0, 4.0, 4.0, 2.0], np.float32)
        tiles.append(np.clip(np.rint(tile * 255.0 / steps) * steps, 0, 255).astype(np.uint8))
    return np.ascontiguousarray(np.concatenate(tiles, axis=0))
