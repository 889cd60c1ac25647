"""What is drawn in a clipped view, where Blender can draw without a window."""

from types import SimpleNamespace

import gpu
import numpy as np
import pytest
from mathutils import Matrix

from addon.overlay import clipped, draw

SIZE = 64
LEFT = [(-1.0, 0.0, 0.0, 0.0)] + [(0.0, 0.0, 0.0, 1.0)] * 5
"""Planes that show what lies at the left."""
WHOLE = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, -1, 0], [1, 1, 0], [-1, 1, 0]], np.float32)


@pytest.fixture
def target():
    """A picture to draw on."""
    if not hasattr(gpu, "init"):
        pytest.skip("this Blender draws with a window only")
    try:
        gpu.init()
        picture = gpu.types.GPUOffScreen(SIZE, SIZE)
    except Exception as error:
        pytest.skip(f"no graphics here: {error}")
    with picture.bind(), gpu.matrix.push_pop():
        gpu.matrix.load_matrix(Matrix())
        gpu.matrix.load_projection_matrix(Matrix())
        yield picture
    picture.free()


def covered(target, act):
    """The shares of the left and of the right half that an act draws on."""
    frame = gpu.state.active_framebuffer_get()
    frame.clear(color=(0.0, 0.0, 0.0, 0.0))
    with draw.restored_state():
        act()
    pixels = np.array(frame.read_color(0, 0, SIZE, SIZE, 4, 0, "FLOAT").to_list())[..., 3] > 0.0
    return pixels[:, : SIZE // 2].mean(), pixels[:, SIZE // 2 :].mean()


def a_view(clips):
    """A 3D view that looks along z."""
    return SimpleNamespace(
        use_clip_planes=clips, clip_planes=LEFT, is_perspective=False, view_distance=0.0, view_matrix=Matrix()
    )


LOOK = SimpleNamespace(
    prefs=SimpleNamespace(colour_a=(1, 0, 0, 1), colour_b=(0, 0, 1, 1), colour_curve=(1, 1, 0, 1)),
    passes=lambda _alpha: (("NONE", 1.0),),
)


def test_faces_and_curves_end_where_the_view_clips(target):
    from gpu_extras.batch import batch_for_shader

    def made(shader, kind, points):
        return batch_for_shader(gpu.shader.from_builtin(shader), kind, {"pos": points})

    faces = SimpleNamespace(faces_a=made("UNIFORM_COLOR", "TRIS", WHOLE), faces_b=None, stale=None)
    across = np.array([[-1, 0.01, 0], [1, 0.01, 0]], np.float32)
    curve = made("POLYLINE_UNIFORM_COLOR", "LINES", across)
    for clips in (False, True):
        view = a_view(clips)
        left, right = covered(target, lambda view=view: draw._draw_faces(view, faces, LOOK))
        assert left == 1.0 and right == (0.0 if clips else 1.0)
        left, right = covered(target, lambda view=view: draw._draw_lines(view, curve, LOOK, 3.0))
        assert left > 0.01 and (right == 0.0) == clips


def test_what_has_a_place_of_its_own_is_clipped_in_the_world(target):
    from gpu_extras.batch import batch_for_shader

    placing = Matrix.Translation((1.0, 0.0, 0.0))
    batch = batch_for_shader(gpu.shader.from_builtin(clipped.SHADER), "TRIS", {"pos": WHOLE})

    def act():
        with clipped.bound(a_view(True), placing) as shader, gpu.matrix.push_pop():
            gpu.matrix.multiply_matrix(placing)
            shader.uniform_float("color", (1.0, 1.0, 1.0, 1.0))
            batch.draw(shader)

    assert covered(target, act) == (0.0, 0.0)
