"""The rider: kinematics of the skeleton, and what the passes of rider and ring draw."""

from __future__ import annotations

import math

import numpy as np
import pytest

from game.core.coords import PageKey
from game.gl.context import GLContext
from game.render import skeleton
from game.render.frame import BRUSH_POINTS, BrushView, CameraView, RiderView, brush_ring, covering
from game.render.skeleton import PARTS, Pose, part_matrices, root_matrix, two_bone
from game.streaming.mountain_shade import SHADE_SIDE, ShadeMap
from tests.render.scene import TINY, frame_view, make_page, select

CRANK_ANGLES = np.linspace(0.0, 2.0 * math.pi, 48, endpoint=False)


def _at(matrices: np.ndarray, part: str, point: tuple[float, float, float]) -> np.ndarray:
    return matrices[PARTS.index(part)] @ np.array([*point, 1.0])


@pytest.mark.parametrize("crouch", [0.0, 0.5, 1.0])
def test_feet_stay_on_the_pedals(crouch: float) -> None:
    for angle in CRANK_ANGLES:
        parts = part_matrices(Pose(crank_angle_rad=float(angle), crouch=crouch))
        for side, name in ((1, "right"), (-1, "left")):
            ball = _at(parts, f"foot_{name}", skeleton.FOOT_BALL)[:3]
            pedal = np.array(skeleton.pedal(float(angle), side))
            # The sole lies on the pedal's upper face, half its thickness from the axle.
            assert abs(np.linalg.norm(ball - pedal) - skeleton.PEDAL_HALF_THICKNESS) < 0.001
            assert ball[1] > pedal[1]


def test_pedals_turn_with_the_crank() -> None:
    for angle in CRANK_ANGLES:
        parts = part_matrices(Pose(crank_angle_rad=float(angle)))
        for side, name in ((1, "right"), (-1, "left")):
            end = _at(parts, "crank", (side * skeleton.PEDAL_X, side * skeleton.CRANK, 0.0))[:3]
            assert np.allclose(end, skeleton.pedal(float(angle), side), atol=1e-12)
            assert np.allclose(parts[PARTS.index(f"pedal_{name}")][:3, 3], end, atol=1e-12)
    # A growing angle moves the upper pedal forward, as when riding.
    assert skeleton.pedal(0.1, 1)[2] < skeleton.pedal(0.0, 1)[2]
    assert skeleton.pedal(0.0, 1)[1] > skeleton.pedal(0.0, -1)[1]


@pytest.mark.parametrize("steer", [-0.6, 0.0, 0.6])
@pytest.mark.parametrize("crouch", [0.0, 1.0])
def test_hands_hold_the_grips(steer: float, crouch: float) -> None:
    parts = part_matrices(Pose(steer_rad=steer, crouch=crouch))
    for side, name in ((1, "right"), (-1, "left")):
        hand = _at(parts, f"forearm_{name}", (0.0, -skeleton.FOREARM, 0.0))[:3]
        grip = _at(parts, "fork", (side * skeleton.GRIP[0], *skeleton.GRIP[1:]))[:3]
        assert np.linalg.norm(hand - grip) < 0.03


@pytest.mark.parametrize("fallen", [False, True])
def test_parts_are_rigid_and_joined(fallen: bool) -> None:
    pose = Pose(
        lean_rad=0.4, steer_rad=0.3, wheel_angle_rad=2.0, crank_angle_rad=1.0, crouch=0.3, fallen=fallen
    )
    parts = part_matrices(pose)
    assert parts.shape == (len(PARTS), 4, 4)
    turns = parts[:, :3, :3]
    assert np.allclose(turns @ turns.swapaxes(1, 2), np.eye(3), atol=1e-12)
    assert np.allclose(np.linalg.det(turns), 1.0)
    for name in ("right", "left"):
        for upper, lower, length in (
            ("thigh", "shin", skeleton.THIGH),
            ("upper_arm", "forearm", skeleton.UPPER_ARM),
        ):
            end = _at(parts, f"{upper}_{name}", (0.0, -length, 0.0))[:3]
            assert np.allclose(end, parts[PARTS.index(f"{lower}_{name}")][:3, 3], atol=1e-9)


def test_knees_bend_forward() -> None:
    for angle in CRANK_ANGLES:
        parts = part_matrices(Pose(crank_angle_rad=float(angle)))
        for name in ("right", "left"):
            hip = parts[PARTS.index(f"thigh_{name}")][:3, 3]
            knee = parts[PARTS.index(f"shin_{name}")][:3, 3]
            ankle = parts[PARTS.index(f"foot_{name}")][:3, 3]
            assert knee[2] < 0.5 * (hip[2] + ankle[2])


def test_two_bone_published_triangle() -> None:
    """3-4-5: the joint of bones 3 and 4 over a reach of 5 lies 1.8 along and 2.4 aside."""
    joint, reached = two_bone((0, 0, 0), (5, 0, 0), 3.0, 4.0, (0.0, 1.0, 0.0))
    assert joint == pytest.approx((1.8, 2.4, 0.0))
    assert reached == pytest.approx((5.0, 0.0, 0.0))


def test_two_bone_out_of_reach_stretches_toward_the_end() -> None:
    joint, reached = two_bone((0, 0, 0), (0, 0, -20), 3.0, 4.0, (0.0, 1.0, 0.0))
    assert np.linalg.norm(reached) == pytest.approx(7.0, rel=1e-4)
    assert np.linalg.norm(joint) == pytest.approx(3.0)


def test_signs_of_the_angles() -> None:
    ahead = np.array([0.0, 0.0, -1.0])
    assert np.allclose(root_matrix(Pose(yaw_rad=math.pi / 2)) @ ahead, [1.0, 0.0, 0.0])  # clockwise: east
    assert (root_matrix(Pose(pitch_rad=0.3)) @ ahead)[1] > 0.2  # nose up
    assert (root_matrix(Pose(lean_rad=0.3)) @ np.array([0.0, 1.0, 0.0]))[0] > 0.2  # to the right
    axle = skeleton.FRONT_AXLE
    steered = _at(part_matrices(Pose(steer_rad=0.3)), "fork", (axle[0], axle[1], axle[2] - 0.3))
    assert steered[0] > 0.05  # right
    rolled = _at(part_matrices(Pose(wheel_angle_rad=0.2)), "wheel_rear", (0.0, 0.3, 0.0))
    assert rolled[2] < skeleton.REAR_AXLE[2]  # the top of a wheel moves forward


def test_crouch_lowers_the_head() -> None:
    heads = [part_matrices(Pose(crouch=c))[PARTS.index("head")][1, 3] for c in (0.0, 0.5, 1.0)]
    assert heads[0] > heads[1] > heads[2]
    assert heads[0] - heads[2] > 0.15


def test_fallen_lies_low() -> None:
    for lean in (-0.5, 0.5):
        pose = Pose(lean_rad=lean, fallen=True)
        world = root_matrix(pose) @ part_matrices(pose)[:, :3, 3].T
        assert world[1].max() < 0.8
        assert world[1].min() > -0.15


def _rider(**changes: object) -> RiderView:
    place: dict[str, object] = {
        "x": 0.0,
        "y": 0.0,
        "z": 0.0,
        "yaw_rad": 0.0,
        "pitch_rad": 0.0,
        "lean_rad": 0.0,
    }
    place |= {
        "steer_rad": 0.0,
        "wheel_angle_rad": 0.0,
        "crank_angle_rad": 0.0,
        "crouch": 0.0,
        "fallen": False,
    }
    return RiderView(**(place | changes))  # type: ignore[arg-type]


@pytest.mark.gl
def test_camera_is_subtracted_before_float32(gl_window: None) -> None:
    from game.render.rider import part_rows

    for far in (0.0, 9.9e8):
        camera = CameraView(far + 1.0, 2.0, far + 5.5, 0.0, -0.1, 1.13, 1.6)
        rows = part_rows(_rider(x=far + 0.25, z=far - 0.125), camera)
        assert rows.dtype == np.float32
        assert rows[0] == pytest.approx([1.0, 0.0, 0.0, -0.75])
        assert rows[2, 3] == pytest.approx(-5.625)


def test_brush_ring_points() -> None:
    x, z = brush_ring(100.0, -50.0, 8.0)
    assert x.shape == z.shape == (2, BRUSH_POINTS)
    assert np.hypot(x - 100.0, z + 50.0) == pytest.approx(np.repeat([[8.0], [4.0]], BRUSH_POINTS, axis=1))
    assert (x[0, 0], z[0, 0]) == pytest.approx((100.0, -58.0))


@pytest.mark.gl
class TestDrawn:
    """Pictures of a flat land with rider and ring."""

    @pytest.fixture
    def draw(self, gl_context: GLContext):
        from game.render.renderer import Renderer

        def flat(x: np.ndarray, z: np.ndarray) -> np.ndarray:
            return 0.0 * x + 0.0 * z

        renderer = Renderer(gl_context, TINY, 192, 108)
        layers: dict[PageKey, int] = {}
        selection, needed = select(0.3, 5.6, 2.0, TINY, layers)
        for key in needed:
            renderer.upload(layers[key], make_page(key, flat))

        def picture(
            rider: RiderView | None = None, brush: BrushView | None = None, shade: ShadeMap | None = None
        ) -> np.ndarray:
            view = frame_view(selection, (0.3, 2.0, 5.6), 0.0, -0.15, (192, 108))
            view.rider, view.brush, view.shade = rider, brush, shade
            renderer.draw(view)
            return renderer.read_pixels().astype(int)

        picture.renderer = renderer  # type: ignore[attr-defined]
        yield picture
        renderer.release()

    def test_rider_in_two_draws(self, draw) -> None:
        empty = draw()
        calls = draw.renderer.draw_calls
        shown = draw(_rider(crank_angle_rad=0.6))
        assert draw.renderer.draw_calls == calls + 2
        changed = np.abs(shown - empty).max(axis=2) > 25
        assert 150 < changed.sum() < 4000
        columns = np.flatnonzero(changed.any(axis=0))
        assert abs(columns.mean() - 91) < 20
        red, green, blue = shown[changed].T
        assert ((red > green + 60) & (red > blue + 60)).sum() > 12  # the jersey

    def test_invisible_rider_changes_nothing(self, draw) -> None:
        assert np.array_equal(draw(_rider(visible=False)), draw())

    def test_shadow_darkens_the_land_and_fades_in_flight(self, draw) -> None:
        below = draw(_rider())
        high = draw(_rider(y=30.0, ground_y=0.0))  # out of the picture, too high for a shadow
        empty = draw()
        assert np.abs(high - empty).max() <= 1
        darker = (empty - below).min(axis=2) > 12
        assert darker.sum() > 40

    def test_in_a_mountains_shade_the_body_casts_no_shadow(self, draw) -> None:
        """Rider 2 m up, above the rows looked at: only the shadow shows, as a share of the light."""

        def shadow(top_m: float) -> int:
            shade = ShadeMap(
                -SHADE_SIDE // 2,
                -SHADE_SIDE // 2,
                np.full((SHADE_SIDE, SHADE_SIDE, 2), top_m, np.float32),
                0.0,
            )
            empty = draw(shade=shade)
            below = draw(_rider(y=2.0, ground_y=0.0), shade=shade)
            rows = slice(54, 108)  # under the hovering bicycle
            darker = 1.0 - below[rows].sum(axis=2) / empty[rows].sum(axis=2)
            return int((darker > 0.06).sum())

        lit, hidden = shadow(-500.0), shadow(500.0)
        assert lit > 60
        assert hidden < 0.75 * lit

    def test_ring_shows_and_shines_through(self, draw) -> None:
        empty = draw()
        flat = BrushView(0.0, -6.0, 3.0, True, np.zeros((2, BRUSH_POINTS), np.float32))
        buried = BrushView(0.0, -6.0, 3.0, True, np.full((2, BRUSH_POINTS), -1.0, np.float32))
        plain, faint = (np.abs(draw(brush=brush) - empty) for brush in (flat, buried))
        assert (plain.max(axis=2) > 40).sum() > 60
        assert 0 < faint.max() < plain.max()
        assert np.array_equal(draw(brush=BrushView(0.0, -6.0, 3.0, True)), empty)

    def test_ring_refuses_other_shapes(self, draw) -> None:
        with pytest.raises(ValueError, match=r"\(2, 5\)"):
            draw(brush=BrushView(0.0, -6.0, 3.0, True, np.zeros((2, 5), np.float32)))


@pytest.mark.gl
def test_ledger_is_zero_after_release(gl_context: GLContext) -> None:
    from game.render.overlay import OverlayPass
    from game.render.rider import RiderPass

    for kind in (RiderPass, OverlayPass):
        made = kind(gl_context)
        assert gl_context.live > 2
        made.release()
        made.release()
        assert gl_context.live_by_kind() == {}


@pytest.mark.parametrize("heave", [-0.2, -0.03, 0.05, 0.2])
@pytest.mark.parametrize("lean", [-0.5, 0.0, 0.5])
def test_a_body_that_soaks_up_the_land_stays_joined(heave: float, lean: float) -> None:
    parts = part_matrices(Pose(lean_rad=lean, crank_angle_rad=1.0, crouch=0.4, heave_m=heave, gaze_rad=0.3))
    for side, name in ((1, "right"), (-1, "left")):
        hip = _at(parts, "torso", (side * skeleton.HIP_X, 0.0, 0.0))[:3]
        thigh = parts[PARTS.index(f"thigh_{name}")][:3, 3]
        assert np.linalg.norm(hip - thigh) < 0.015
        hand = _at(parts, f"forearm_{name}", (0.0, -skeleton.FOREARM, 0.0))[:3]
        grip = _at(parts, "fork", (side * skeleton.GRIP[0], *skeleton.GRIP[1:]))[:3]
        assert np.linalg.norm(hand - grip) < 0.04
        ball = _at(parts, f"foot_{name}", skeleton.FOOT_BALL)[:3]
        assert abs(np.linalg.norm(ball - skeleton.pedal(1.0, side)) - skeleton.PEDAL_HALF_THICKNESS) < 0.02


def test_the_head_looks_into_the_turn_and_the_back_leans_in() -> None:
    straight, right = part_matrices(Pose()), part_matrices(Pose(lean_rad=0.5, gaze_rad=0.5))
    head = PARTS.index("head")
    assert -right[head][0, 2] > 0.3 > abs(straight[head][0, 2]), "its −z side turns to the right"
    assert _at(right, "torso", skeleton.NECK)[0] > 0.02


def test_a_thrown_rider_lies_where_he_was_thrown(gl_context: GLContext) -> None:
    from game.render.rider import part_rows

    camera = CameraView(100.0, 5.0, 50.0, 0.0, 0.0, 1.0, 1.5)
    rider = RiderView(101.0, 4.0, 40.0, 0, 0, 1.4, 0, 0, 0, 0, True, thrown=(104.0, 4.2, 38.0, 1.2, 0.0))
    rows = part_rows(rider, camera).reshape(-1, 3, 4)
    torso = rows[PARTS.index("torso")]
    assert torso[:, 3] == pytest.approx((4.0, -0.8, -12.0), abs=0.02)
    back = torso[:, 1]
    assert back[0] > 0.8, "the head points to the east, where the yaw says"
    frame = rows[PARTS.index("frame")]
    assert np.linalg.norm(frame[:, 3] - (1.0, -1.0, -10.0)) < 0.7


def test_first_person_hides_what_would_fill_the_picture(gl_context: GLContext) -> None:
    from game.render.rider import part_rows

    camera = CameraView(0.0, 1.6, 0.0, 0.0, 0.0, 1.0, 1.5)
    rider = RiderView(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, False, headless=True)
    rows = part_rows(rider, camera).reshape(-1, 3, 4)
    for name in PARTS:
        hidden = name in ("torso", "head", "upper_arm_right", "upper_arm_left")
        assert bool(rows[PARTS.index(name)].any()) is not hidden


@pytest.mark.parametrize("roll", [-0.4, 0.1, 1.0])
def test_a_covering_camera_holds_the_rolled_picture(gl_context: GLContext, roll: float) -> None:
    from game.render.uniforms import view_projection

    camera = CameraView(0.0, 0.0, 0.0, 0.7, -0.2, 1.1, 16 / 9, roll)
    wide = covering(camera)
    assert wide.roll_rad == 0.0
    matrix, cover = view_projection(camera, 0.1, 100.0), view_projection(wide, 0.1, 100.0)
    rays = np.linalg.inv(matrix.astype(float))
    for x in (-1.0, 1.0):
        for y in (-1.0, 1.0):
            point = rays @ (x, y, 0.5, 1.0)
            clip = cover @ point
            assert np.all(np.abs(clip[:2] / clip[3]) <= 1.0 + 1e-5)
    assert covering(wide) is wide


def test_rolling_clockwise_takes_the_horizon_up_on_the_right(gl_context: GLContext) -> None:
    from game.render.uniforms import view_projection

    camera = CameraView(0.0, 0.0, 0.0, 0.0, 0.0, 1.1, 1.0, 0.2)
    clip = view_projection(camera, 0.1, 100.0) @ (1.0, 0.0, -5.0, 1.0)
    assert clip[0] > 0.0
    assert clip[1] > 0.0
