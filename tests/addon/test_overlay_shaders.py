"""What is drawn in a clipped view, where Blender can draw without a window."""

from types import SimpleNamespace

import gpu
import numpy as np
import pytest
from mathutils import Matrix

from addon.overlay import bodies, discs, draw, shaders

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


def drawn(act):
    """How opaque the pixels (SIZE, SIZE) are that an act draws."""
    frame = gpu.state.active_framebuffer_get()
    frame.clear(color=(0.0, 0.0, 0.0, 0.0))
    with draw.restored_state():
        act()
    return np.array(frame.read_color(0, 0, SIZE, SIZE, 4, 0, "FLOAT").to_list())[..., 3]


def covered(target, act):
    """The shares of the left and of the right half that an act draws on."""
    pixels = drawn(act) > 0.0
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


ACROSS = np.array([[-1, 0.01, 0], [1, 0.01, 0]], np.float32)
DOTS = np.array([[x, y, 0] for x in (-0.5, 0.5) for y in (-0.5, 0.5)], np.float32)
LIGHT, RADII = np.ones((len(DOTS), 4), np.float32), np.zeros(len(DOTS), np.float32)


def faces(view):
    """Of a pair."""
    batch = shaders.batch(shaders.FACES, "TRIS", WHOLE)
    draw._draw_faces(view, SimpleNamespace(faces_a=batch, faces_b=None, stale=None), LOOK)


def curves(view):
    draw._draw_lines(view, shaders.lines(ACROSS), LOOK, 6.0)


def guesses(view):
    draw._draw_guesses(view, shaders.lines(ACROSS, np.ones((2, 4), np.float32)), 6.0)


def nearest_points(view):
    draw._draw_points(view, discs.make(DOTS, LIGHT, RADII), SimpleNamespace(**vars(LOOK), in_front=True))


def points_of_scans(view):
    batch = discs.make(DOTS, LIGHT, RADII)
    draw._draw_dots(view, SimpleNamespace(dots_a=batch, dots_b=None, stale_dots=None), LOOK)


def solid_bodies(view):
    batch = shaders.batch(bodies.KIND, "TRIS", WHOLE, normal=np.tile(np.array([0, 0, 1], np.float32), (6, 1)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bodies, "_bodies", lambda _items: [batch])
        bodies.draw(view, [None], [(1.0, 0.0, 0.0)], [Matrix()])


@pytest.mark.parametrize("act", [faces, curves, guesses, nearest_points, points_of_scans, solid_bodies])
def test_what_is_drawn_ends_where_the_view_clips(target, act):
    left, right = covered(target, lambda: act(a_view(False)))
    assert left == right > 0.001, "all of it is drawn where the view clips nothing"
    assert covered(target, lambda: act(a_view(True))) == (left, 0.0)


@pytest.mark.parametrize("width", [1.0, 4.0, 8.0])
@pytest.mark.parametrize("place", [-0.3, 0.01, 0.4])
@pytest.mark.parametrize("turned", [False, True])
def test_lines_look_the_same_all_along(target, width, place, turned):
    """No end, no diagonal of the two triangles, and neither way shows."""
    level = np.array([[-1, place, 0], [1, place, 0]], np.float32)
    for ends, axis in ((level, 1), (level[:, [1, 0, 2]], 0)):
        line = ends[::-1] if turned else ends
        opaque = drawn(lambda line=line: draw._draw_lines(a_view(False), shaders.lines(line), LOOK, width))
        assert np.ptp(opaque, axis=axis).max() < 0.02
        assert np.abs(opaque.sum(axis=1 - axis) - width).max() < 0.1


@pytest.mark.parametrize("clips", [False, True])
@pytest.mark.parametrize("width", [1.0, 4.0, 8.0])
def test_lines_are_as_wide_as_asked_in_a_clipped_view(target, clips, width):
    """Up to two pixels more, which fade."""
    upright = np.array([[-0.5, -1, 0], [-0.5, 1, 0]], np.float32)
    for ends, across in ((ACROSS, SIZE), (upright, SIZE // 2)):
        left, _ = covered(target, lambda ends=ends: draw._draw_lines(a_view(clips), shaders.lines(ends), LOOK, width))
        assert width <= across * left <= width + 2.0


def test_a_line_that_begins_behind_the_eye_is_drawn_as_what_of_it_lies_before(target):
    near, far = 0.1, 10.0
    depth = (far + near) / (near - far), 2.0 * far * near / (near - far)
    gpu.matrix.load_projection_matrix(Matrix(((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, *depth), (0, 0, -1, 0))))
    shares = []
    for begin in (3.0, -0.11):
        ends = np.array([(-0.5, 0.4, begin), (-0.5, 0.4, -5.0)], np.float32)
        for line in (ends, ends[::-1]):
            shares.append(
                covered(target, lambda line=line: draw._draw_lines(a_view(False), shaders.lines(line), LOOK, 4.0))
            )
    assert shares[0][0] > 0.05 and np.ptp(shares, axis=0).max() * SIZE * SIZE / 2 <= 2  # pixels


def test_what_has_a_place_of_its_own_is_clipped_in_the_world(target):
    placing = Matrix.Translation((1.0, 0.0, 0.0))
    batch = shaders.batch(shaders.FACES, "TRIS", WHOLE)

    def act():
        with gpu.matrix.push_pop():
            gpu.matrix.multiply_matrix(placing)
            shader = shaders.bind(shaders.FACES, a_view(True), placing)
            shader.uniform_float("colour", (1.0, 1.0, 1.0, 1.0))
            batch.draw(shader)

    assert covered(target, act) == (0.0, 0.0)


def test_lengths_are_written_where_the_view_shows_them():
    assert [shaders.shows(a_view(True), (x, 0.0, 0.0)) for x in (-1.0, 1.0)] == [True, False]
    assert shaders.shows(a_view(False), (1.0, 0.0, 0.0))
