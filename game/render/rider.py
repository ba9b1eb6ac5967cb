"""Bicycle and rider: one draw for all parts, one for the soft shadow on the land.

Reads `FrameView.rider`; the pose comes from `skeleton`, the shape from assets/models/rider.npz.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from game.gl.api import GL
from game.gl.context import GLContext
from game.gl.vertex_array import Stream, VertexArray
from game.render import model, skeleton
from game.render.frame import CameraView, FrameView, RiderView
from game.render.uniforms import FrameUniforms, load_program

_HIDDEN_FROM_INSIDE = ("torso", "head", "upper_arm_right", "upper_arm_left")
"""What would fill the picture in first person."""

_SHADOW_FADES_M = 4.0
"""Height in flight at which the shadow is gone."""
_SHADOW_OFF_M = 1.1
"""Farthest the body's shadow lies from the bicycle; a flat square on hilly land allows no more."""


def pose_of(rider: RiderView) -> skeleton.Pose:
    """The skeleton's pose of a frame."""
    return skeleton.Pose(
        rider.yaw_rad,
        rider.pitch_rad,
        rider.lean_rad,
        rider.steer_rad,
        rider.wheel_angle_rad,
        rider.crank_angle_rad,
        rider.crouch,
        rider.fallen,
        rider.gaze_rad,
        rider.heave_m,
    )


def part_rows(rider: RiderView, camera: CameraView) -> NDArray[np.float32]:
    """Rows of every part's transform to camera-relative world axes, float32 [3 · parts, 4]."""
    pose = pose_of(rider)
    root = np.eye(4)
    root[:3, :3] = skeleton.root_matrix(pose)
    root[:3, 3] = (rider.x - camera.x, rider.y - camera.y, rider.z - camera.z)
    placed = root @ skeleton.part_matrices(pose)
    body = slice(skeleton.PARTS.index("torso"), None)
    if rider.thrown is not None:
        placed[body] = _thrown(rider.thrown, camera) @ skeleton.lying_rider()
    elif rider.headless:
        placed[[skeleton.PARTS.index(name) for name in _HIDDEN_FROM_INSIDE]] = 0.0
    return np.ascontiguousarray(placed[:, :3, :].reshape(-1, 4).astype(np.float32))


def _thrown(thrown: tuple[float, float, float, float, float], camera: CameraView) -> NDArray[np.float64]:
    """Hips of a thrown rider to camera-relative world axes: rolled about the spine, then turned; [4, 4]."""
    x, y, z, yaw, roll = thrown
    cy, sy, cr, sr = math.cos(-yaw), math.sin(-yaw), math.cos(-roll), math.sin(-roll)
    turn = np.array([[cy, 0.0, sy], [0.0, 1.0, 0.0], [-sy, 0.0, cy]])
    over = np.array([[cr, -sr, 0.0], [sr, cr, 0.0], [0.0, 0.0, 1.0]])
    placed = np.eye(4)
    placed[:3, :3] = turn @ over
    placed[:3, 3] = (x - camera.x, y - camera.y, z - camera.z)
    return placed


class RiderPass:
    """Draws the rider. Texture unit 3: noise tile (clouds)."""

    def __init__(self, gl: GLContext) -> None:
        self.draw_calls = 0
        self.triangles = 0
        defines = {
            "PARTS": len(skeleton.PARTS),
            "MATT_FROM": skeleton.PARTS.index("torso"),
            "HEAD": skeleton.PARTS.index("head"),
        }
        self._program = load_program(gl, "rider", defines, {"noise_tile": 3})
        self._shadow_program = load_program(gl, "rider_shadow", samplers={"noise_tile": 3})
        self._mesh = model.MeshBuffers(gl, model.mesh(model.arrays("rider.npz"), "rider"))
        stream = Stream(
            self._mesh.vertices,
            model.VERTEX_DTYPE,
            {"position": 0, "normal": 1, "colour": 2},
            normalised=model.NORMALISED,
        )
        self._array = VertexArray(gl, [stream], self._mesh.indices, np.uint16)
        self._shadow_array = VertexArray(gl)

    @property
    def drawn(self) -> int:
        """Riders of the last frame, 0 or 1."""
        return int(self.draw_calls > 0)

    def draw(self, view: FrameView, frame: FrameUniforms) -> None:
        """Draw shadow and rider where `view` shows one."""
        self.draw_calls = self.triangles = 0
        rider = view.rider
        if rider is None or not rider.visible:
            return
        self._draw_shadow(rider, view, frame)
        self._program.use()
        self._program.set("parts", part_rows(rider, view.camera))
        self._array.draw(self._mesh.count)
        self.draw_calls += 1
        self.triangles += self._mesh.count // 3

    def _draw_shadow(self, rider: RiderView, view: FrameView, frame: FrameUniforms) -> None:
        ground_y = rider.y if rider.ground_y is None else rider.ground_y
        flight = max(rider.y - ground_y, 0.0)
        strength = 1.0 - flight / _SHADOW_FADES_M
        if strength <= 0.0:
            return
        ahead, aside = _ground_axes(rider)
        camera = view.camera
        centre = (rider.x - camera.x, ground_y - camera.y, rider.z - camera.z)
        sun = np.asarray(frame.data[0]["light_direction"][:3], np.float64)
        # Shadow of the body's middle, 0.9 m up, seen in the axes of the square.
        shift = -sun * ((0.9 + flight) / max(float(sun[1]), 0.2))
        offset = np.array([float(shift @ aside), float(shift @ ahead)])
        offset *= min(1.0, _SHADOW_OFF_M / max(float(np.hypot(*offset)), 1e-6))
        GL.glEnable(GL.GL_BLEND)
        GL.glBlendFunc(GL.GL_DST_COLOR, GL.GL_ZERO)
        GL.glDepthMask(GL.GL_FALSE)
        GL.glDisable(GL.GL_CULL_FACE)
        program = self._shadow_program
        program.use()
        program.set("centre", tuple(float(part) for part in centre))
        program.set("ahead", tuple(float(part) for part in ahead))
        program.set("aside", tuple(float(part) for part in aside))
        program.set("sun_offset", tuple(float(part) for part in offset))
        program.set("strength", float(strength))
        self._shadow_array.draw(6)
        self.draw_calls += 1
        self.triangles += 2
        GL.glEnable(GL.GL_CULL_FACE)
        GL.glDepthMask(GL.GL_TRUE)
        GL.glDisable(GL.GL_BLEND)

    def release(self) -> None:
        """Free every GL object; harmless when called twice."""
        for thing in (self._array, self._shadow_array, self._mesh, self._program, self._shadow_program):
            thing.release()


def _ground_axes(rider: RiderView) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Unit vectors ahead and to the right, in the plane of the land."""
    sin_y, cos_y = math.sin(rider.yaw_rad), math.cos(rider.yaw_rad)
    if rider.ground_normal is None:
        c, s = math.cos(rider.pitch_rad), math.sin(rider.pitch_rad)
        return np.array([sin_y * c, s, -cos_y * c]), np.array([cos_y, 0.0, sin_y])
    x, y, z = rider.ground_normal
    # Heading × normal, and normal × that.
    a, b, c = cos_y * y, -cos_y * x - sin_y * z, sin_y * y
    size = max(math.sqrt(a * a + b * b + c * c), 1e-9)
    a, b, c = a / size, b / size, c / size
    return np.array([y * c - z * b, z * a - x * c, x * b - y * a]), np.array([a, b, c])
