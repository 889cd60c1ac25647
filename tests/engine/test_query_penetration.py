"""``penetration``: after the translation nothing meets; convex solids as the differences of their points say."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.convex.convexity import is_convex
from meshclash.solid.moving_pair import common_ball, is_outside
from scipy.spatial import ConvexHull
from solids import box, moved, open_box, refined, shell, torus
from strategies import matrix, rotation


def convex_mesh(rng, count):
    points = rng.normal(size=(count, 3))
    hull = ConvexHull(points)
    corners = points[hull.simplices]
    outward = (np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) * hull.equations[:, :3]).sum(
        axis=1
    )
    return mc.TriangleMesh(points, np.where((outward < 0)[:, None], hull.simplices[:, ::-1], hull.simplices))


def assert_taken_apart(a, b, pose, found):
    assert mc.verdict(a, b, None, matrix(shift=found.translation) @ pose) == mc.Verdict.APART
    assert not mc.collides(a, b, None, matrix(shift=found.translation) @ pose)
    assert 0.0 <= found.lower_bound <= found.depth
    assert np.linalg.norm(found.direction) == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(6))
def test_convex_solids_as_an_independent_solver(seed):
    rng = np.random.default_rng(seed)
    a, b = convex_mesh(rng, 30), convex_mesh(rng, 12)
    pose = matrix(rotation(rng), 0.4 * rng.normal(size=3))
    found = mc.penetration(a, b, None, pose)
    differences = a.vertices[:, None] - mc.Pose.from_matrix(pose).apply(b.vertices)[None]
    expected = (-ConvexHull(differences.reshape(-1, 3)).equations[:, 3]).min()
    assert found.depth == pytest.approx(expected, abs=1e-9)
    assert found.lower_bound == pytest.approx(expected, abs=1e-9)
    assert_taken_apart(a, b, pose, found)
    swapped = mc.penetration(b, a, pose, None)
    assert swapped.depth == pytest.approx(found.depth, abs=1e-9)


SOLIDS = {
    "boxes": (box((0, 0, 0), (4, 4, 4)), box((3.5, 1, 1), (6, 2, 2)), 0.5),
    "refined boxes": (refined(box((0, 0, 0), (4, 4, 4))), refined(box((1, 1, 3.75), (2, 2, 9))), 0.25),
    "one inside": (box((0, 0, 0), (4, 4, 4)), box((1, 1.5, 0.5), (2, 2.5, 1.5)), 1.5),
    "the same": (box((0, 0, 0), (1, 2, 3)), box((0, 0, 0), (1, 2, 3)), 1.0),
    "ring and pin": (torus(2, 0.5), box((1.75, -0.25, 0.25), (2.25, 0.25, 3)), 0.3),
    "pin through the hole, touching the wall": (torus(2, 0.5), box((-0.2, -0.2, -3), (1.6, 0.2, 3)), 0.15),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_solids_are_taken_apart(name):
    """Bodies whose depth is known, or known to be little more than this: for the ring no hull would tell."""
    first, second, expected = SOLIDS[name]
    a, b = mc.TriangleMesh(*first), mc.TriangleMesh(*second)
    found = mc.penetration(a, b)
    assert_taken_apart(a, b, np.eye(4), found)
    if is_convex(a) and is_convex(b):
        assert found.depth == pytest.approx(expected, abs=1e-9)
    else:
        assert found.depth <= 1.5 * expected


def dented_ball(rng):
    """A closed mesh around the origin, with bumps and dents half as high as its radius, (vertices, triangles)."""
    count = np.arange(60) + 0.5
    slope, turn = np.arccos(1.0 - count / 30.0), np.pi * (1.0 + 5.0**0.5) * count
    ball = np.stack([np.cos(turn) * np.sin(slope), np.sin(turn) * np.sin(slope), np.cos(slope)], axis=1)
    triangles = ConvexHull(ball).simplices
    corners = ball[triangles]
    inward = (np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) * corners[:, 0]).sum(axis=1) < 0.0
    waves = np.sin(rng.integers(2, 5) * ball[:, 0] + rng.uniform(0, 6)) * np.cos(3 * ball[:, 1] + rng.uniform(0, 6))
    return ball * (1.0 + 0.45 * waves)[:, None], np.where(inward[:, None], triangles[:, ::-1], triangles)


def shortest_of_many(a, b, pose, count=200, lengths=40):
    """Length of the shortest translation that takes two solids apart, of so many directions and lengths."""
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(count, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    moved_b = mc.Pose.from_matrix(pose).apply(b.vertices)
    reaches = (a.vertices @ directions.T).max(axis=0) - (moved_b @ directions.T).min(axis=0)
    steps = reaches[:, None] * np.arange(1, lengths + 1) / lengths
    poses = np.repeat(pose[None], count * lengths, axis=0)
    poses[:, :3, 3] += (steps[..., None] * directions[:, None]).reshape(-1, 3)
    free = np.flatnonzero(~mc.collides(a, b, None, poses))
    order = free[np.argsort(steps.ravel()[free])]
    return next(steps.ravel()[k] for k in order if mc.verdict(a, b, None, poses[k]) == mc.Verdict.APART)


@pytest.mark.parametrize("seed", range(5))
def test_hardly_longer_than_the_shortest_of_many(seed):
    """Of solids that are not convex no direction tried at random is much shorter; and none is below the bound."""
    rng = np.random.default_rng(seed)
    a, b = mc.TriangleMesh(*dented_ball(rng)), mc.TriangleMesh(*dented_ball(rng))
    direction = rng.normal(size=3)
    pose = matrix(rotation(rng), rng.uniform(0.3, 1.3) * direction / np.linalg.norm(direction))
    assert not is_convex(a)
    found = mc.penetration(a, b, None, pose)
    assert_taken_apart(a, b, pose, found)
    tried = shortest_of_many(a, b, pose)
    assert found.lower_bound <= tried
    assert found.depth <= 1.1 * tried


def test_no_common_volume_no_depth():
    a = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))
    for shift in ((1.0, 0, 0), (3.0, 0, 0), (1.0, 1.0, 1.0)):
        found = mc.penetration(a, a, None, matrix(shift=shift))
        assert (found.depth, found.lower_bound) == (0.0, 0.0)
        assert not found.translation.any()


def test_which_meshes_are_convex():
    rng = np.random.default_rng(4)
    assert is_convex(mc.TriangleMesh(*box((0, 0, 0), (1, 2, 3))))
    assert is_convex(mc.TriangleMesh(*refined(box((0, 0, 0), (1, 2, 3)))))
    assert is_convex(convex_mesh(rng, 50))
    assert not is_convex(mc.TriangleMesh(*torus(2, 0.5)))
    pair = [box((0, 0, 0), (1, 1, 1)), moved(box((0, 0, 0), (1, 1, 1)), (5, 0, 0))]
    vertices = np.concatenate([v for v, _ in pair])
    assert not is_convex(mc.TriangleMesh(vertices, np.concatenate([pair[0][1], pair[1][1] + 8])))
    dented = convex_mesh(rng, 50)
    inward = dented.vertices * np.where(np.arange(dented.vertex_count) == dented.triangles[0, 0], 0.2, 1.0)[:, None]
    assert not is_convex(dented.with_vertices(inward))


def star(height=0.3):
    """A double pyramid over a pentagram: no edge is dented, but it goes round its middle twice."""
    angles = 4.0 * np.pi / 5.0 * np.arange(5)
    rim = np.stack([np.cos(angles), np.sin(angles), np.zeros(5)], axis=1)
    k, after = np.arange(5), (np.arange(5) + 1) % 5
    sides = [np.stack([k, after, np.full(5, 5)], axis=1), np.stack([after, k, np.full(5, 6)], axis=1)]
    return np.concatenate([rim, [[0, 0, height], [0, 0, -height]]]), np.concatenate(sides)


@pytest.mark.parametrize("turned", [False, True])
def test_between_the_points_of_a_star_is_no_volume(turned):
    vertices, triangles = star()
    a = mc.TriangleMesh(vertices, triangles[:, ::-1] if turned else triangles)
    pin = mc.TriangleMesh(*box((-0.05, -0.05, -0.05), (0.05, 0.05, 0.05)))
    assert a.is_closed and not is_convex(a)
    notch, arm = (matrix(shift=(0.6 * np.cos(x), 0.6 * np.sin(x), 0)) for x in (np.pi / 5, 0.0))
    assert mc.penetration(a, pin, None, notch).depth == 0.0
    found = mc.penetration(a, pin, None, arm)
    assert_taken_apart(a, pin, arm, found)
    assert found.depth < 0.2


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("away", [0.0, 1e3, 1e6])
def test_convex_solids_far_from_the_origin(size, away):
    """Little more is added to the shortest translation than the coordinates' own rounding."""
    rng = np.random.default_rng(5)
    for _ in range(4):
        a, b = (m.with_vertices(size * m.vertices + size * away) for m in (convex_mesh(rng, 20), convex_mesh(rng, 9)))
        turn = rotation(rng)
        middle = np.full(3, size * away)
        pose = matrix(turn, middle - turn @ middle + 0.3 * size * rng.normal(size=3))
        found = mc.penetration(a, b, None, pose)
        differences = a.vertices[:, None] - mc.Pose.from_matrix(pose).apply(b.vertices)[None]
        expected = (-ConvexHull(differences.reshape(-1, 3) / size).equations[:, 3]).min() * size
        assert abs(found.depth - expected) <= size * (1e-12 + 1e-13 * away)
        assert abs(found.lower_bound - expected) <= size * (1e-12 + 1e-13 * away)
        assert_taken_apart(a, b, pose, found)


FLAT = {
    "square": ([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], 0.4),
    "segment": ([[0, 0, 0], [1, 0, 0], [0.5, 0, 0], [0.25, 0, 0]], 0.4),
    "point": ([[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]], 0.4),
}


@pytest.mark.parametrize("name", FLAT)
def test_closed_meshes_without_volume(name):
    """A square whose sides are cut along other diagonals, a segment and a point, inside a box and on themselves."""
    corners, depth = FLAT[name]
    flat = mc.TriangleMesh(corners, [[0, 1, 2], [0, 2, 3], [1, 0, 3], [1, 3, 2]])
    cube = mc.TriangleMesh(*box((-0.4, -0.4, -0.4), (0.6, 0.6, 0.6)))
    found = mc.penetration(cube, flat)
    assert_taken_apart(cube, flat, np.eye(4), found)
    assert found.depth == pytest.approx(depth)
    itself = mc.penetration(flat, flat)
    assert itself.depth <= 1e-9
    assert itself.depth == 0.0 or not mc.collides(flat, flat, None, matrix(shift=itself.translation))


def test_what_cannot_be_asked():
    a, lid = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1))), mc.TriangleMesh(*open_box((0, 0, 0), (1, 1, 1)))
    with pytest.raises(mc.InvalidMesh, match="mesh b is not closed"):
        mc.penetration(a, lid)
    with pytest.raises(mc.InvalidMesh, match="mesh a is not closed"):
        mc.penetration(lid, a)
    with pytest.raises(mc.UnsupportedOption, match="threads"):
        mc.penetration(a, a, threads=0)


def along_a_motion(first, second, poses, start=True):
    """Answers pose by pose, each from the one before."""
    last, answers = None, []
    for pose in poses:
        last = mc.penetration(first, second, None, pose, start=last if start else None)
        answers.append(last)
    return answers


def gliding(count, reach):
    """A ring pushed into another one, tilted, and turned a little: away and back again."""
    poses = []
    for k in range(count):
        angle = 0.02 * k
        turn = np.array([[1, 0, 0], [0, np.cos(angle), -np.sin(angle)], [0, np.sin(angle), np.cos(angle)]])
        poses.append(matrix(turn, (reach + 0.15 * np.sin(0.35 * k), 0.1, 0.2)))
    return poses


def test_a_warm_start_keeps_what_is_promised():
    """Taken apart at every pose, bounds that hold, and hardly longer than without a start; most poses do use it."""
    ring = mc.TriangleMesh(*torus(2, 0.5))
    poses = gliding(20, 4.7)
    warm, cold = along_a_motion(ring, ring, poses), along_a_motion(ring, ring, poses, start=False)
    for pose, found, other in zip(poses, warm, cold, strict=True):
        assert_taken_apart(ring, ring, pose, found)
        assert found.depth <= 1.25 * other.depth + 1e-9
        assert found.lower_bound <= other.depth * (1 + 1e-9)
        assert found.lower_bound > 0.0
    assert sum(f.depth != o.depth for f, o in zip(warm, cold, strict=True)) > 10


def test_a_warm_start_that_does_not_help_changes_nothing():
    """Out of contact and back, jumps, an object inside the other, an answer without a ball, convex solids."""
    ring, cube = mc.TriangleMesh(*torus(2, 0.5)), mc.TriangleMesh(*box((-0.2, -0.2, -0.2), (0.2, 0.2, 0.2)))
    poses = [matrix(shift=(x, 0, 0)) for x in (4.7, 9.0, 4.8, -4.6, 4.6)]
    for pose, found in zip(poses, along_a_motion(ring, ring, poses), strict=True):
        expected = mc.penetration(ring, ring, None, pose)
        assert (found.depth == 0.0) == (expected.depth == 0.0)
        if found.depth:
            assert_taken_apart(ring, ring, pose, found)
    touching = mc.penetration(ring, cube, None, matrix(shift=(2.5, 0, 0)))
    inside = mc.penetration(ring, cube, None, matrix(shift=(2, 0, 0)), start=touching)
    assert_taken_apart(ring, cube, matrix(shift=(2, 0, 0)), inside)
    bare = mc.Penetration(touching.depth, touching.direction, touching.lower_bound)
    assert mc.penetration(ring, cube, None, matrix(shift=(2.5, 0, 0)), start=bare).depth == touching.depth
    far = mc.penetration(cube, cube, None, matrix(shift=(0.3, 0, 0)))
    assert mc.penetration(cube, cube, None, matrix(shift=(0.1, 0, 0)), start=far).depth == pytest.approx(0.3, abs=1e-9)


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.sampled_from((0.01, 0.3, 2.0)))
def test_of_convex_solids_a_start_changes_nothing(seed, stride):
    """In small steps and in jumps, in contact and out of it, and with a start that is of other meshes."""
    rng = np.random.default_rng(seed)
    a, b, small = convex_mesh(rng, 30), convex_mesh(rng, 12), convex_mesh(rng, 5)
    last = mc.penetration(a, a, None, matrix(shift=(0.1, 0, 0)))
    place, turn = 0.4 * rng.normal(size=3), rotation(rng)
    for partner in (b, b, b, small):
        place = place + stride * rng.normal(size=3)
        pose = matrix(turn, place)
        cold = mc.penetration(a, partner, None, pose)
        last = mc.penetration(a, partner, None, pose, start=last)
        assert last.depth == pytest.approx(cold.depth, abs=1e-9)
        assert last.lower_bound == pytest.approx(cold.lower_bound, abs=1e-9)
        assert (last.depth == 0.0) == (mc.verdict(a, partner, None, pose) in (mc.Verdict.APART, mc.Verdict.TOUCHING))
        if last.depth:
            assert_taken_apart(a, partner, pose, last)


def test_convex_solids_that_merely_touch_have_no_depth():
    cube = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))
    start = mc.penetration(cube, cube, None, matrix(shift=(0.9, 0, 0)))
    for x in (1.0 - 1e-15, 1.0, 1.0 + 1e-15):
        pose = matrix(shift=(x, 0.25, 0))
        apart = mc.verdict(cube, cube, None, pose) in (mc.Verdict.APART, mc.Verdict.TOUCHING)
        for found in (mc.penetration(cube, cube, None, pose), mc.penetration(cube, cube, None, pose, start=start)):
            assert (found.depth == 0.0) == apart


def test_a_translation_does_not_end_inside():
    """Free of contact is not apart: a shell around the other's room holds the part, and is not left by a short way."""
    case, pin = mc.TriangleMesh(*shell((-2, -2, -2), (2, 2, 2), 0.5)), mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))
    solid = mc.TriangleMesh(*refined(box((-2, -2, -2), (2, 2, 2))))
    trees = tuple(mc.build(mesh) for mesh in (solid, pin))
    rows = np.eye(4)[:3].copy()
    assert not is_outside(trees, (rows, rows))
    assert not is_outside(trees[::-1], (rows, rows))
    assert is_outside(trees, (rows, matrix(shift=(5, 0, 0))[:3].copy()))
    assert is_outside((mc.build(case), mc.build(pin)), (rows, rows))  # the room is no part of the shell
    radius, centre = common_ball(trees, (rows, rows), np.array([0.2, 0.3, 0.4]))
    assert 0.3 < radius <= 0.5 + 1e-12
    assert np.abs(centre - 0.5).max() < 0.3
    assert common_ball(trees, (rows, rows), np.array([1.5, 0, 0]))[0] == 0.0


@pytest.mark.parametrize("convex", [False, True])
def test_a_stack_is_asked_pose_by_pose(convex):
    a = mc.TriangleMesh(*(box((0, 0, 0), (1, 1, 1)) if convex else torus(2, 0.5)))
    poses = np.stack([matrix(shift=(x, 0, 0)) for x in ((0.5, 0.51, 3.0, 0.6) if convex else (4.7, 4.71, 9.0, 4.6))])
    stack = mc.penetration(a, a, None, poses)
    assert stack.depth.shape == stack.lower_bound.shape == (4,)
    assert stack.direction.shape == stack.translation.shape == (4, 3)
    last = None
    for k, pose in enumerate(poses):
        last = mc.penetration(a, a, None, pose, start=last)
        assert (last.depth, last.lower_bound) == (stack.depth[k], stack.lower_bound[k])
        assert (last.translation == stack.translation[k]).all()
    again = mc.penetration(a, a, None, poses[3], start=stack)
    assert again.depth == mc.penetration(a, a, None, poses[3], start=last).depth
    assert mc.penetration(a, a, poses, poses[:, ...]).depth.shape == (4,)
    with pytest.raises(mc.UnsupportedOption, match="have different lengths"):
        mc.penetration(a, a, poses, poses[:2])


def test_a_start_that_is_none():
    ring = mc.TriangleMesh(*torus(2, 0.5))
    with pytest.raises(mc.UnsupportedOption, match="earlier penetration"):
        mc.penetration(ring, ring, None, matrix(shift=(4.7, 0, 0)), start=3)


def assert_points_meet(a, b, pose, found):
    """The points lie on both solids, and are brought together by the translation."""
    size = max(np.abs(a.vertices).max(), np.abs(mc.Pose.from_matrix(pose).apply(b.vertices)).max())
    assert found.point_b + found.translation == pytest.approx(found.point_a, abs=1e-9 * size)
    assert abs(mc.signed_distance(a, found.point_a[None]).distance[0]) <= 1e-9 * size
    assert abs(mc.signed_distance(b, found.point_b[None], pose).distance[0]) <= 1e-9 * size


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_witness_points_of_convex_solids_are_brought_together(seed):
    rng = np.random.default_rng(seed)
    a, b = convex_mesh(rng, int(rng.integers(4, 60))), convex_mesh(rng, int(rng.integers(4, 20)))
    pose = matrix(rotation(rng), rng.uniform(0.0, 1.0) * rng.normal(size=3))
    found = mc.penetration(a, b, None, pose)
    if found.depth > 0.0:
        assert_taken_apart(a, b, pose, found)
        assert_points_meet(a, b, pose, found)
    else:
        assert np.isnan(found.point_a).all() and np.isnan(found.point_b).all()


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_boxes_that_stand_parallel_leave_through_the_nearest_side(seed, turned):
    """Analytic: the least of six widths; deep, flush on other sides and concentric ones too."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, (2, 3)) / 4.0
    middle = rng.integers(-6, 7, 3) / 8.0 * rng.integers(0, 2, 3)
    a, b = (mc.TriangleMesh(*box(-0.5 * size, 0.5 * size)) for size in sizes)
    placed = matrix(rotation(rng), rng.normal(size=3)) if turned else np.eye(4)
    widths = 0.5 * sizes.sum(axis=0) - np.abs(middle)
    pose = placed @ matrix(shift=middle)
    found = mc.penetration(a, b, placed, pose)
    if widths.min() <= (1e-9 if turned else 0.0):
        assert found.depth == pytest.approx(0.0, abs=1e-9)
        return
    assert found.depth == pytest.approx(widths.min(), abs=1e-12)
    assert found.lower_bound == pytest.approx(widths.min(), abs=1e-12)
    local = placed[:3, :3].T @ found.direction
    axis = int(np.abs(local).argmax())
    assert np.abs(local) == pytest.approx(np.eye(3)[axis], abs=1e-9)
    assert widths[axis] == pytest.approx(widths.min())
    assert middle[axis] == 0.0 or np.sign(local[axis]) == np.sign(middle[axis])
    assert not mc.collides(a, b, placed, matrix(shift=found.translation) @ pose)


def test_a_stack_is_its_poses_one_by_one():
    rng = np.random.default_rng(7)
    a, b = convex_mesh(rng, 40), convex_mesh(rng, 25)
    stack = np.stack([matrix(rotation(rng), s * rng.normal(size=3)) for s in np.linspace(0.0, 3.0, 60)])
    found = mc.penetration(a, b, None, stack)
    assert found.depth.min() == 0.0 < found.depth.max()
    for k, pose in enumerate(stack):
        one = mc.penetration(a, b, None, pose)
        assert found.depth[k] == pytest.approx(one.depth, abs=1e-12)
        assert found.lower_bound[k] == pytest.approx(one.lower_bound, abs=1e-12)
        if one.depth > 0.0:
            point_a, point_b = found.point_a[k], found.point_b[k]
            assert point_b + found.translation[k] == pytest.approx(point_a, abs=1e-9)


@pytest.mark.parametrize("name", ["refined boxes", "ring and pin"])
def test_solids_that_are_not_convex_have_points_too(name):
    first, second, _ = SOLIDS[name]
    a, b = mc.TriangleMesh(*first), mc.TriangleMesh(*second)
    found = mc.penetration(a, b)
    moved_b = matrix(shift=found.translation)
    gap = mc.distance(a, b, None, moved_b)
    assert np.linalg.norm(found.point_a - found.point_b - found.translation) <= gap.distance + 1e-9
    assert abs(mc.signed_distance(a, found.point_a[None]).distance[0]) <= 1e-9
    assert abs(mc.signed_distance(b, found.point_b[None]).distance[0]) <= 1e-9


def test_a_polytope_of_many_facets_has_room():
    rng = np.random.default_rng(3)
    a = convex_mesh(rng, 5)
    ball = rng.normal(size=(3000, 3))
    ball = mc.shapes.ConvexHull(ball / np.linalg.norm(ball, axis=1)[:, None]).mesh()
    for b in (ball, a):
        found = mc.penetration(ball, b, None, matrix(shift=(1e-3, 2e-3, 0.0)))
        assert found.depth - 1e-9 <= found.lower_bound <= found.depth
        assert_taken_apart(ball, b, matrix(shift=(1e-3, 2e-3, 0.0)), found)
