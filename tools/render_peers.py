"""What both sides of the comparison with Panda3D share: the land, the views, the shading, and how a side is asked.

A side is a program of its own that reads commands from stdin and answers each with one line of JSON on stdout:
`detail V` sets its one knob, `view X,Y,Z,YAW,PITCH` places the camera, `frame` draws and waits for the rasteriser,
`error` measures, `image FILE` writes the picture. The land is a square of `SIDE` quads a metre wide.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SIDE = 4096
"""Quads along a side, one metre each: a page of level 5."""

WIDTH, HEIGHT = 1280, 720
FOV_Y_DEG = 60.0
NEAR_M, FAR_M = 0.15, 9000.0
MOST_ERROR_PX = 32.0
"""Errors are written into 24 bits of colour; more than this is cut."""

FRAGMENT = """
out vec4 colour;

uniform sampler2D land;   // heights of the samples, unscaled
uniform vec4 land_scale;  // height = raw * x + y; z: 1 when the first row is the southern one
uniform vec4 eye;         // metres from the square's corner; w: pixels per radian, 0 to shade

float sample_height(ivec2 at) {
    if (land_scale.z > 0.5) at.y = SIDE_SAMPLES - at.y;
    return texelFetch(land, clamp(at, ivec2(0), ivec2(SIDE_SAMPLES - 1)), 0).r * land_scale.x + land_scale.y;
}

void main() {
    ivec2 cell = ivec2(floor(v_land));
    if (eye.w > 0.0) {
        vec2 f = v_land - vec2(cell);
        float a = sample_height(cell), b = sample_height(cell + ivec2(1, 0));
        float c = sample_height(cell + ivec2(0, 1)), d = sample_height(cell + ivec2(1, 1));
        // The full mesh; where the two triangulations of a quad differ, either is right.
        float low = f.x > f.y ? a + f.x * (b - a) + f.y * (d - b) : a + f.y * (c - a) + f.x * (d - c);
        float other = f.x + f.y < 1.0 ? a + f.x * (b - a) + f.y * (c - a)
                                      : d + (1.0 - f.x) * (c - d) + (1.0 - f.y) * (b - d);
        float from = min(low, other), to = max(low, other);
        float miss = max(0.0, max(from - v_height, v_height - to));
        float pixels = miss * eye.w / max(distance(eye.xyz, vec3(v_land.x, v_height, v_land.y)), 0.1);
        float code = floor(clamp(pixels / MOST_ERROR_PX, 0.0, 1.0) * 16777214.0) + 1.0;
        colour = vec4(mod(code, 256.0), mod(floor(code / 256.0), 256.0), floor(code / 65536.0), 255.0) / 255.0;
        return;
    }
    float west = sample_height(cell - ivec2(1, 0)), east = sample_height(cell + ivec2(1, 0));
    float north = sample_height(cell - ivec2(0, 1)), south = sample_height(cell + ivec2(0, 1));
    vec3 normal = normalize(vec3(west - east, 2.0, north - south));
    float light = 0.25 + 0.75 * max(0.0, dot(normal, normalize(vec3(-0.5, 0.6, 0.4))));
    vec3 ground = mix(vec3(0.30, 0.42, 0.18), vec3(0.48, 0.45, 0.42), smoothstep(0.80, 0.62, normal.y));
    ground = mix(ground, vec3(0.92, 0.94, 0.97), smoothstep(1500.0, 1900.0, v_height));
    float haze = 1.0 - exp(-distance(eye.xyz, vec3(v_land.x, v_height, v_land.y)) / 6000.0);
    colour = vec4(mix(ground * light, vec3(0.62, 0.72, 0.85), haze), 1.0);
}
"""
"""Fragment stage of both sides, without its version line: shading, or the error in pixels as colour."""


def fragment(inputs: str = "in vec2 v_land;\nin float v_height;") -> str:
    """The fragment stage with its constants in place; `inputs` declares `v_land` and `v_height`.

    `v_land`: metres east and south of the square's corner.
    """
    return f"{inputs}\n{FRAGMENT}".replace("SIDE_SAMPLES", str(SIDE)).replace(
        "MOST_ERROR_PX", f"{MOST_ERROR_PX:.1f}"
    )


def decode_errors(pixels: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Errors in pixels of everything that is land, from a picture uint8 [h, w, 3] drawn in error mode."""
    code = pixels.astype(np.int64) @ np.array([1, 256, 65536])
    return (code[code > 0] - 1) / 16777214.0 * MOST_ERROR_PX


def summary(pixels: NDArray[np.uint8]) -> dict[str, float]:
    """Root mean square, 95th and 99.9th percentile of the errors, and the share of the picture that is land."""
    errors = decode_errors(pixels)
    return {
        "rms": float(np.sqrt(np.mean(errors**2))),
        "p95": float(np.percentile(errors, 95)),
        "p999": float(np.percentile(errors, 99.9)),
        "land": len(errors) / (pixels.shape[0] * pixels.shape[1]),
    }


def serve(commands: dict[str, Callable[[str], object]]) -> None:
    """Answer commands until stdin ends."""
    for line in sys.stdin:
        name, _, rest = line.strip().partition(" ")
        print(json.dumps(commands[name](rest)), flush=True)


def save(path: str, pixels: NDArray[np.uint8]) -> None:
    """Write a picture, uint8 [h, w, 3], top row first."""
    from PIL import Image

    Image.fromarray(pixels).save(Path(path))
