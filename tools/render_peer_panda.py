"""Panda3D's ShaderTerrainMesh as one side of the comparison; see `render_peers`. `… HEIGHTS.npy`.

Its one knob is `target_triangle_width`, in pixels. The vertex stage follows the interface the class documents: one
texel of `data_texture` per chunk instance with place, size and morph.
"""

from __future__ import annotations

import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import numpy as np
import render_peers as peers
from direct.showbase.ShowBase import ShowBase
from OpenGL import GL
from panda3d.core import (
    PNMImage,
    SamplerState,
    Shader,
    ShaderTerrainMesh,
    Texture,
    Vec4,
    load_prc_file_data,
)

SETTINGS = f"""
load-display p3headlessgl
window-type offscreen
win-size {peers.WIDTH} {peers.HEIGHT}
gl-version 3 3
sync-video #f
audio-library-name null
textures-power-2 none
gl-coordinate-system default
stm-max-chunk-count 8192
"""

VERTEX = """#version 330
in vec4 p3d_Vertex;
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform struct {
    sampler2D data_texture;
    sampler2D heightfield;
    int view_index;
    int terrain_size;
    int chunk_size;
} ShaderTerrainMesh;
uniform vec4 land_scale;
out vec2 v_land;
out float v_height;

void main() {
    vec4 chunk = texelFetch(ShaderTerrainMesh.data_texture, ivec2(gl_InstanceID, ShaderTerrainMesh.view_index), 0);
    float quads = float(ShaderTerrainMesh.chunk_size), size = float(ShaderTerrainMesh.terrain_size);
    vec2 corner = p3d_Vertex.xy * quads;                     // whole quads
    float morph = smoothstep(0.0, 1.0, chunk.w);
    corner -= morph * mod(corner, 2.0);                      // odd vertices slide onto even ones
    vec2 texel = chunk.xy + corner * chunk.z;                // samples, from the south-west
    float skirt = p3d_Vertex.z * chunk.z * quads * quads / size;
    float raw = texture(ShaderTerrainMesh.heightfield, (texel + 0.5) / size).r;
    gl_Position = p3d_ModelViewProjectionMatrix * vec4(texel / size, raw + skirt, 1.0);
    v_land = vec2(texel.x, size - texel.y);
    v_height = (raw + skirt) * land_scale.x + land_scale.y;
}
"""


class Panda(ShowBase):
    """Panda3D's land, camera and picture."""

    def __init__(self, heights: np.ndarray) -> None:
        load_prc_file_data("", SETTINGS)
        super().__init__()
        low, high = float(heights.min()), float(heights.max())
        side = peers.SIDE
        # Row r from the south holds sample row side − r, so vertices meet whole metres of the other side's grid.
        rows = heights[side:0:-1, :side]
        raw = np.rint((rows - low) / (high - low) * 65535.0).astype("<u2")
        self.heights = Texture("heights")
        self.heights.setup_2d_texture(side, side, Texture.T_unsigned_short, Texture.F_r16)
        self.heights.set_ram_image(raw.tobytes())
        self.heights.set_minfilter(SamplerState.FT_linear)
        self.heights.set_magfilter(SamplerState.FT_linear)
        self.heights.set_wrap_u(SamplerState.WM_clamp)
        self.heights.set_wrap_v(SamplerState.WM_clamp)
        self.land = ShaderTerrainMesh()
        self.land.set_heightfield(self.heights)
        self.land.set_target_triangle_width(10.0)
        self.land.generate()
        self.node = self.render.attach_new_node(self.land)
        self.node.set_scale(side, side, high - low)
        self.node.set_pos(0.0, 0.0, low)
        self.node.set_shader(Shader.make(Shader.SL_GLSL, VERTEX, "#version 330\n" + peers.fragment()))
        self.node.set_shader_input("land", self.heights)
        self.node.set_shader_input("land_scale", Vec4(high - low, low, 1.0, 0.0))
        self.eye = (0.0, 0.0, 0.0)
        self._shade()
        self.set_background_color(0.0, 0.0, 0.0, 1.0)
        lens = self.camLens
        vertical = peers.FOV_Y_DEG
        aspect = peers.WIDTH / peers.HEIGHT
        horizontal = np.degrees(2.0 * np.arctan(np.tan(np.radians(vertical / 2)) * aspect))
        lens.set_near_far(peers.NEAR_M, peers.FAR_M)
        lens.set_fov(float(horizontal), vertical)
        self.disable_mouse()

    def _shade(self, measuring: bool = False) -> None:
        scale = peers.HEIGHT / (2.0 * np.tan(np.radians(peers.FOV_Y_DEG / 2))) if measuring else 0.0
        self.node.set_shader_input("eye", Vec4(*self.eye, float(scale)))

    def detail(self, words: str) -> None:
        self.land.set_target_triangle_width(float(words))

    def view(self, words: str) -> None:
        x, y, z, yaw, pitch = (float(word) for word in words.split(","))
        self.eye = (x, y, z)
        self.camera.set_pos(x, peers.SIDE - z, y)
        self.camera.set_hpr(-yaw, pitch, 0.0)
        self._shade()

    def frame(self, _: str = "") -> float:
        began = time.perf_counter()
        self.graphicsEngine.render_frame()
        GL.glFinish()
        return 1000.0 * (time.perf_counter() - began)

    def pixels(self) -> np.ndarray:
        self.frame()
        picture = PNMImage()
        self.win.get_screenshot(picture)
        texture = Texture()
        texture.load(picture)
        raw = np.frombuffer(texture.get_ram_image_as("RGB"), np.uint8)
        return raw.reshape(peers.HEIGHT, peers.WIDTH, 3)[::-1].copy()

    def error(self, _: str) -> dict[str, float]:
        self._shade(measuring=True)
        query = int(np.atleast_1d(GL.glGenQueries(1))[0])
        GL.glBeginQuery(GL.GL_PRIMITIVES_GENERATED, query)
        self.graphicsEngine.render_frame()
        GL.glEndQuery(GL.GL_PRIMITIVES_GENERATED)
        triangles = int(GL.glGetQueryObjectuiv(query, GL.GL_QUERY_RESULT))
        GL.glDeleteQueries(1, [query])
        found = peers.summary(self.pixels())
        self._shade()
        return found | {"triangles": triangles}

    def image(self, words: str) -> None:
        peers.save(words, self.pixels())


def main() -> None:
    side = Panda(np.load(sys.argv[1]))
    peers.serve(
        {
            "detail": side.detail,
            "view": side.view,
            "frame": side.frame,
            "error": side.error,
            "image": side.image,
        }
    )


if __name__ == "__main__":
    main()
