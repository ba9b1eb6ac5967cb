"""Shaders that change while they are in use, and the GPU time of passes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from game.core import paths
from game.gl.context import GLContext
from tests.render.scene import TINY, frame_view, hills, make_page, select

pytestmark = pytest.mark.gl

EYE = (12.4, 62.0, -31.6)


@pytest.fixture
def shaders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the shader files that the game reads from."""
    shutil.copytree(paths.resource("shaders"), tmp_path / "shaders")
    shutil.copytree(paths.resource("assets"), tmp_path / "assets")
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path)
    return tmp_path / "shaders"


@pytest.fixture
def picture(gl_context: GLContext, shaders: Path) -> Iterator[object]:
    from game.render.renderer import Renderer

    renderer = Renderer(gl_context, TINY, 96, 54)
    layers: dict = {}
    selection, needed = select(EYE[0], EYE[2], 30.0, TINY, layers)
    for key in needed:
        renderer.upload(layers[key], make_page(key, hills))

    def draw() -> np.ndarray:
        renderer.draw(frame_view(selection, EYE, pitch_rad=-0.3))  # type: ignore[arg-type]
        return renderer.read_pixels()

    draw.renderer = renderer  # type: ignore[attr-defined]
    yield draw
    renderer.release()
    assert not gl_context.reloadable


def test_a_changed_shader_is_followed_and_a_broken_one_is_not(picture, shaders: Path) -> None:
    from game.gl.program import ShaderError

    first = picture()
    file = shaders / "post.frag"
    text = file.read_text(encoding="utf-8")
    end = text.rindex("}")
    file.write_text(text[:end] + "    out_colour = vec4(1.0, 0.0, 0.0, 1.0);\n}\n", encoding="utf-8")
    picture.renderer.reload_shaders()
    assert np.array_equal(picture()[5, 5], (255, 0, 0))

    file.write_text(text[:end] + "    nothing = 1.0;\n}\n", encoding="utf-8")
    line = text[:end].count("\n") + 1
    with pytest.raises(ShaderError, match=rf"post\.frag:{line}"):
        picture.renderer.reload_shaders()
    assert np.array_equal(picture()[5, 5], (255, 0, 0))

    file.write_text(text, encoding="utf-8")
    picture.renderer.reload_shaders()
    assert np.array_equal(picture(), first)


def test_reloading_leaves_the_ledger_as_it_was(picture, gl_context: GLContext) -> None:
    first, live = picture(), gl_context.live_by_kind()
    picture.renderer.reload_shaders()
    assert gl_context.live_by_kind() == live
    assert np.array_equal(picture(), first)


def test_the_watch_sees_each_change_once(shaders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from game.render import shader_watch

    monkeypatch.setattr(shader_watch, "INTERVAL_S", 0.0)
    watch = shader_watch.ShaderWatch()
    assert not watch.changed()
    (shaders / "include" / "ground.glsl").write_text("// shorter\n", encoding="utf-8")
    assert watch.changed()
    assert not watch.changed()
    (shaders / "sky.frag").unlink()
    assert watch.changed()


def test_passes_are_timed_only_when_asked(picture, gl_context: GLContext) -> None:
    timers = picture.renderer.timers
    picture()
    assert timers.times_ms() == {}
    assert "query" not in gl_context.live_by_kind()
    timers.enabled = True
    for _ in range(6):
        picture()
    times = timers.times_ms()
    assert list(times)[:2] == ["near land", "trees"]
    assert times["near land"] > 0.0
    assert times["post"] > 0.0
    assert sum(times.values()) < 10_000.0
