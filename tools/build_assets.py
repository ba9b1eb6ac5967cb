"""Make every model and texture in assets/models from code, so that they carry no foreign licence.

`python tools/build_assets.py` writes the files; `--check` compares them with what the code makes and exits
with code 1 when they differ. Deterministic: the same code gives the same files.
"""

from __future__ import annotations

import argparse
import io
import sys
from pathlib import Path

import numpy as np
from assets_atlas import AZIMUTHS, ELEVATIONS_DEG, HEIGHT, WIDTH, atlas, extents
from assets_ground import ground_sheet
from assets_mesh import POSITION_SCALE, Mesh, packed
from assets_rider import rider
from assets_scenery import scenery
from assets_trees import broadleaf, spruce
from assets_undergrowth import undergrowth
from numpy.typing import NDArray
from PIL import Image

FOLDER = Path(__file__).resolve().parents[1] / "assets" / "models"


def _stored(mesh: Mesh) -> Mesh:
    """The mesh as a reader gets it, so that the atlas shows what is drawn and ignores the last bits."""
    arrays = packed(mesh, "m")
    position = arrays["m.position"].astype(float) * POSITION_SCALE
    colour = arrays["m.colour"].astype(float)
    return Mesh(position, arrays["m.normal"] / 127.0, colour[:, :3] / 255.0, colour[:, 3], mesh.index)


def build() -> dict[str, dict[str, NDArray[np.generic]]]:
    """Contents of every file, by file name: arrays by name for .npz, one array "texels" for .png."""
    trees = {
        "spruce_near": spruce(near=True),
        "broadleaf_near": broadleaf(near=True),
        "spruce_mid": spruce(near=False),
        "broadleaf_mid": broadleaf(near=False),
    }
    near = [_stored(trees["spruce_near"]), _stored(trees["broadleaf_near"])]
    colour, normal = atlas(near)
    scale = np.array([POSITION_SCALE], "<f8")
    forest: dict[str, NDArray[np.generic]] = {"scale": scale}
    for name, mesh in trees.items():
        forest |= packed(mesh, name)
    forest["sizes"] = np.array([extents(mesh) for mesh in near], "<f8")
    forest["atlas"] = np.array([WIDTH, HEIGHT, AZIMUTHS, len(ELEVATIONS_DEG)], "<i4")
    forest["elevations_deg"] = np.array(ELEVATIONS_DEG, "<f8")
    beside: dict[str, NDArray[np.generic]] = {"scale": scale}
    for name, mesh in scenery().items():
        beside |= packed(mesh, name)
    growth: dict[str, NDArray[np.generic]] = {"scale": scale}
    for name, mesh in undergrowth().items():
        growth |= packed(mesh, name)
    return {
        "scenery.npz": beside,
        "undergrowth.npz": growth,
        "rider.npz": {"scale": scale, **packed(rider(), "rider")},
        "ground.png": {"texels": ground_sheet()},
        "trees.npz": forest,
        "tree_far_colour.png": {"texels": colour},
        "tree_far_normal.png": {"texels": normal[..., :3]},
    }


def encode(name: str, content: dict[str, NDArray[np.generic]]) -> bytes:
    """Bytes of a file: an npz without compression, or a PNG."""
    stream = io.BytesIO()
    if name.endswith(".png"):
        Image.fromarray(np.ascontiguousarray(content["texels"])).save(stream, "PNG", optimize=True)
    else:
        np.savez(stream, **content)  # type: ignore[arg-type]
    return stream.getvalue()


def decode(path: Path) -> dict[str, NDArray[np.generic]]:
    """Arrays of a written file."""
    if path.suffix == ".png":
        with Image.open(path) as image:
            return {"texels": np.asarray(image)}
    with np.load(path, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def differences(made: dict[str, dict[str, NDArray[np.generic]]], folder: Path = FOLDER) -> list[str]:
    """What in `folder` is not what `build()` `made`; empty when all is equal.

    Arrays are compared, not bytes: another zlib packs the same picture differently.
    """
    found = []
    for name, content in made.items():
        path = folder / name
        if not path.is_file():
            found.append(f"{name} is missing")
            continue
        stored = decode(path)
        if stored.keys() != content.keys():
            found.append(f"{name} holds {sorted(stored)}, the code makes {sorted(content)}")
            continue
        for key, array in content.items():
            if stored[key].dtype != array.dtype or not np.array_equal(stored[key], array):
                found.append(f"{name}: {key} differs")
    extra = {path.name for path in folder.iterdir()} - made.keys() if folder.is_dir() else set()
    return found + [f"{name} is made by nobody" for name in sorted(extra)]


def main() -> int:
    """Command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    if parser.parse_args().check:
        found = differences(build())
        for line in found:
            print(line, file=sys.stderr)
        return 1 if found else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, content in build().items():
        data = encode(name, content)
        (FOLDER / name).write_bytes(data)
        print(f"{name}: {len(data) / 1024:.0f} KiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
