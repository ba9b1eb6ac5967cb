"""A small synthetic land for renderer tests: pages of a plain function and a CDLOD selection in plain Python.

It stands in for streaming so that these tests need neither workers nor compiled kernels.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from game.core.coords import GENERATED, GENERATED_APRON, PAGE_QUADS, PageKey
from game.core.settings import Quality
from game.lod.selection import PATCH_DTYPE, Selection
from game.render.frame import CameraView, FrameView
from game.world.page import PageData

HeightFunction = Callable[[np.ndarray, np.ndarray], np.ndarray]

TINY = Quality("low", 16, 110.0, 1500.0, 3, 0.5, 0)
"""Preset of the tests: two or three levels, no multisampling."""


def hills(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Smooth hills of a few hundred metres' wavelength, metres."""
    return 30.0 * np.sin(x / 90.0) * np.cos(z / 70.0) + 8.0 * np.sin(x / 23.0 + z / 31.0)


def make_page(key: PageKey, height: HeightFunction, climate=(120, 150, 0, 0)) -> PageData:
    """Page of `key` from `height`, with one climate all over."""
    i0, j0 = key.origin_sample
    offset = np.arange(-GENERATED_APRON, GENERATED - GENERATED_APRON)
    x = ((i0 + offset) * key.spacing_m).astype(np.float64)
    z = ((j0 + offset) * key.spacing_m).astype(np.float64)
    r = height(x[None, :], z[:, None]).astype(np.float32)
    base = np.ascontiguousarray(np.stack([r, r], axis=-1))

    def normals(reach: int) -> tuple[np.ndarray, np.ndarray]:
        run = 2.0 * reach * key.spacing_m
        dx = (np.roll(r, -reach, 1) - np.roll(r, reach, 1)) / run
        dz = (np.roll(r, -reach, 0) - np.roll(r, reach, 0)) / run
        length = np.sqrt(dx * dx + dz * dz + 1.0)
        return -dx / length, -dz / length

    packed = np.stack([*normals(1), *normals(2)], axis=-1)[2:-2, 2:-2]
    stored = np.ascontiguousarray(base[2:-2, 2:-2])
    return PageData(
        key=key,
        base=base,
        edited=base,
        heights=stored,
        normals=np.ascontiguousarray(np.rint(packed * 127.5 + 127.5).astype(np.uint8)),
        climate=np.ascontiguousarray(np.broadcast_to(np.array(climate, np.uint8), (*stored.shape[:2], 4))),
        min_m=float(stored.min()),
        max_m=float(stored.max()),
    )


def select(
    x: float, z: float, altitude_m: float, quality: Quality, layers: dict[PageKey, int]
) -> tuple[Selection, list[PageKey]]:
    """Uncut selection around (x, z) and the pages it needs; their layers are added to `layers`."""
    quads = quality.patch_quads
    top = max(1, math.ceil(math.log2(quality.view_m / quality.r0_m)))
    ranges = np.array([quality.r0_m * 2.0**level for level in range(top + 1)], np.float32)
    anchor_x, anchor_z = math.floor(x), math.floor(z)
    rows: list[tuple[int, ...]] = []
    needed: list[PageKey] = []

    def touches(i: int, j: int, span: int, reach: float) -> bool:
        dx = max(i * span - x, 0.0, x - (i + 1) * span)
        dz = max(j * span - z, 0.0, z - (j + 1) * span)
        return dx * dx + dz * dz + altitude_m * altitude_m < reach * reach

    def add_patch(level: int, i: int, j: int) -> None:
        per_page = PAGE_QUADS // quads
        key = PageKey(level, i // per_page, j // per_page)
        if key not in layers:
            layers[key] = len(layers)
        if key not in needed:
            needed.append(key)
        span = quads << level
        rows.append(
            (
                i * span - anchor_x,
                j * span - anchor_z,
                i % per_page * quads,
                j % per_page * quads,
                layers[key],
                level,
            )
        )

    def visit(level: int, i: int, j: int) -> None:
        for dj in (0, 1):
            for di in (0, 1):
                child = (2 * i + di, 2 * j + dj)
                # A quadrant of this node is a whole node one level down.
                if level > 0 and touches(*child, quads << level, float(ranges[level - 1])):
                    visit(level - 1, *child)
                else:
                    add_patch(level, *child)

    span = 2 * quads << top
    reach = math.ceil(quality.view_m / span) + 1
    ci, cj = math.floor(x / span), math.floor(z / span)
    for j in range(cj - reach, cj + reach + 1):
        for i in range(ci - reach, ci + reach + 1):
            if touches(i, j, span, float(ranges[top])):
                visit(top, i, j)
    patches = np.array(sorted(rows, key=lambda row: row[5]), PATCH_DTYPE)
    starts = np.searchsorted(patches["level"], np.arange(top + 2)).astype(np.int32)
    selection = Selection(
        patches=patches,
        level_starts=starts,
        ranges=ranges,
        anchor_x=anchor_x,
        anchor_z=anchor_z,
        frac_x=np.float32(x - anchor_x),
        frac_z=np.float32(z - anchor_z),
        altitude_m=np.float32(altitude_m),
        morph=0.25,
        view_m=quality.view_m,
        top=top,
        patch_quads=quads,
        complete=True,
    )
    return selection, needed


def frame_view(
    selection: Selection,
    eye: tuple[float, float, float],
    yaw_rad: float = 0.0,
    pitch_rad: float = -0.2,
    size: tuple[int, int] = (160, 90),
    hour: float = 10.5,
    sea_level_m: float = -500.0,
    time_s: float = 0.0,
) -> FrameView:
    """A frame without rider, brush and trees."""
    camera = CameraView(*eye, yaw_rad, pitch_rad, 1.13, size[0] / size[1])
    return FrameView(
        width=size[0],
        height=size[1],
        time_s=time_s,
        hour=hour,
        sea_level_m=sea_level_m,
        view_m=selection.view_m,
        camera=camera,
        rider=None,
        brush=None,
        selection=selection,
    )
