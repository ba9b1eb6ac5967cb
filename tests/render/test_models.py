"""Models in assets/models: what the code makes, of the right size, and turned the right way out."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from game.core.paths import resource
from game.render import skeleton
from game.world.vegetation import TRUNK_HEIGHT_M, TRUNK_RADIUS_M

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def builder():
    """The builder's modules, which are scripts beside the package."""
    if not (ROOT / "tools" / "build_assets.py").is_file():
        pytest.skip("the tools are not shipped with a wheel")
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        import build_assets
    finally:
        sys.path.pop(0)
    return build_assets


def _stored(name: str) -> dict[str, np.ndarray]:
    with np.load(resource("assets", "models", name), allow_pickle=False) as stored:
        return {key: stored[key] for key in stored.files}


def _parts(stored: dict[str, np.ndarray]) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Positions, normals and triangles of each part of the rider."""
    position = stored["rider.position"].astype(float) * float(stored["scale"][0])
    normal = stored["rider.normal"].astype(float) / 127.0
    index = stored["rider.index"].astype(int)
    number = stored["rider.colour"][:, 3]
    return {
        name: (position, normal, index[number[index[:, 0]] == part])
        for part, name in enumerate(skeleton.PARTS)
    }


@pytest.fixture(scope="module")
def made(builder):
    """Everything the code makes, made once."""
    return builder.build()


def test_files_are_what_the_code_makes(builder, made) -> None:
    assert builder.differences(made) == []


def test_check_finds_a_changed_file(builder, made, tmp_path: Path) -> None:
    for path in builder.FOLDER.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    rider = builder.decode(tmp_path / "rider.npz")
    rider["rider.position"][7, 1] += 1
    (tmp_path / "rider.npz").write_bytes(builder.encode("rider.npz", rider))
    (tmp_path / "stray.npz").write_bytes(b"")
    found = builder.differences(made, tmp_path)
    assert found == ["rider.npz: rider.position differs", "stray.npz is made by nobody"]


def test_models_are_small() -> None:
    folder = resource("assets", "models")
    sizes = {path.name: path.stat().st_size for path in folder.iterdir()}
    assert sizes.pop("ground.png") < 4_000_000  # eight tiles of 512²; noise hardly packs
    assert sum(sizes.values()) < 3_000_000
    assert 5_000 <= len(_stored("rider.npz")["rider.index"]) <= 12_000
    trees = _stored("trees.npz")
    for kind in ("spruce", "broadleaf"):
        assert 250 <= len(trees[f"{kind}_near.index"]) <= 750
        assert 60 <= len(trees[f"{kind}_mid.index"]) <= 150


@pytest.mark.parametrize("name", ["rider.npz", "trees.npz"])
def test_normals_are_unit_and_indices_valid(name: str) -> None:
    stored = _stored(name)
    for key in stored:
        if key.endswith(".normal"):
            length = np.linalg.norm(stored[key].astype(float) / 127.0, axis=1)
            used = np.unique(stored[key.replace(".normal", ".index")])
            assert abs(length[used] - 1.0).max() < 0.02
        if key.endswith(".index"):
            assert stored[key].max() < len(stored[key.replace(".index", ".position")])


def test_rider_is_turned_outward() -> None:
    """Counter-clockwise from outside: closed parts enclose a positive volume; normals agree with the winding."""
    for name, (position, normal, index) in _parts(_stored("rider.npz")).items():
        corner = position[index]
        face = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
        centred = corner - position[np.unique(index)].mean(axis=0)
        assert np.sum(centred[:, 0] * np.cross(centred[:, 1], centred[:, 2])) > 0.0, name
        agree = np.einsum("ij,ij->i", face, normal[index].sum(axis=1))
        assert (agree >= 0.0).mean() > 0.97, name


def test_real_dimensions() -> None:
    parts = _parts(_stored("rider.npz"))
    for wheel in ("wheel_front", "wheel_rear"):
        position, _, index = parts[wheel]
        points = position[np.unique(index)]
        reach = np.hypot(points[:, 1], points[:, 2])
        assert abs(reach.max() - skeleton.WHEEL_RADIUS) < 0.002
        assert np.abs(points[:, 0]).max() < 0.06
    assert skeleton.REAR_AXLE[2] - skeleton.FRONT_AXLE[2] == pytest.approx(1.05)
    # Standing, the rider would measure about 1.75 m: legs, torso, neck and head.
    head, _, index = parts["head"]
    crown = head[np.unique(index)][:, 1].max()
    leg = skeleton.THIGH + skeleton.SHIN - skeleton.FOOT_BALL[1]
    assert leg + skeleton.NECK[1] + crown == pytest.approx(1.72, abs=0.08)


def test_trees_match_what_wheels_meet() -> None:
    """Trunks are drawn as thick and trees as tall as the world says they are."""
    trees = _stored("trees.npz")
    scale = float(trees["scale"][0])
    for kind, name in enumerate(("spruce", "broadleaf")):
        for detail in ("near", "mid"):
            position = trees[f"{name}_{detail}.position"].astype(float) * scale
            assert position[:, 1].max() == pytest.approx(TRUNK_HEIGHT_M[kind], abs=0.9)
            bark = position[(trees[f"{name}_{detail}.colour"][:, 3] == 0) & (position[:, 1] < 0.0)]
            radius = np.hypot(bark[:, 0], bark[:, 2]).max()
            assert TRUNK_RADIUS_M[kind] <= radius < 1.3 * TRUNK_RADIUS_M[kind]
            assert position[:, 1].min() < -0.3  # rooted, also on a slope


def test_atlas_has_tree_and_air() -> None:
    def picture(name: str) -> np.ndarray:
        with Image.open(resource("assets", "models", name)) as image:
            return np.asarray(image.convert("RGBA"))

    width, height, azimuths, elevations = _stored("trees.npz")["atlas"]
    sheet = picture("tree_far_colour.png")
    assert sheet.shape == (2 * elevations * height, azimuths * width, 4)
    cells = sheet.reshape(2 * elevations, height, azimuths, width, 4).swapaxes(1, 2)
    covered = (cells[..., 3] > 127).mean(axis=(2, 3))
    assert (covered > 0.15).all()
    assert (covered < 0.85).all()
    leaves = cells[..., :3][cells[..., 3] > 127].astype(float).mean(axis=0)
    assert leaves[1] > leaves[0] > leaves[2] - 20.0
    normals = picture("tree_far_normal.png").astype(float) / 127.5 - 1.0
    seen = normals[sheet[..., 3] > 127][:, :3]
    assert abs(np.linalg.norm(seen, axis=1) - 1.0).max() < 0.05
    assert seen[:, 2].mean() > 0.1  # most look at the eye
