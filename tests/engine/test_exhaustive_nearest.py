"""Distances to triangles that were placed are those that the tree finds, to the last bit, ties included."""

import meshclash as mc
import numpy as np
import pytest
from meshclash.hierarchy.build import build
from meshclash.jit import kernel
from meshclash.reference import by_reference
from meshclash.solid.exhaustive_nearest import MOST_PLACED, PLACED_LENGTH, look_at_all
from meshclash.solid.nearest_points import nearest_from, place_triangles
from meshclash.traversal.forest import pack_trees
from meshclash.traversal.frames import make_frame
from meshclash.traversal.point import new_point_workspace
from solids import box, gear, prism

pytestmark = pytest.mark.skipif(MOST_PLACED == 0, reason="lanes exist in compiled code only")


@kernel
def _measure(forest, origins, reaches, rows, inverse, origin, room, points, hints, enough, work, found, known):
    """Both ways from each point: (distance, point, triangle) twice in ``found``, and whether all of them told it."""
    forest = by_reference(forest)
    work = by_reference(work)
    frame = by_reference(make_frame(0, rows, inverse, origins, reaches))
    start = (origin[0], origin[1], origin[2])
    address = place_triangles(forest, frame, start, room.ctypes.data)
    placed = by_reference(make_frame(0, rows, inverse, origins, reaches, address))
    for i in range(points.shape[0]):
        x = (points[i, 0], points[i, 1], points[i, 2])
        for way in range(2):
            if way == 0:
                d, p, t = nearest_from(forest, frame, start, x, hints[i], enough[i], work)
            else:
                d, p, t = nearest_from(forest, placed, start, x, hints[i], enough[i], work)
            found[way, i, 0], found[way, i, 4] = d, t
            for k in range(3):
                found[way, i, 1 + k] = p[k]
        known[i] = address != 0 and look_at_all(address, x, hints[i], enough[i])[0]
    return address != 0


def shapes():
    """Small meshes: regular ones, where much is equally near, turned and random ones, and triangles without area."""
    rng = np.random.default_rng(5)
    vertices, triangles = rng.integers(-2, 3, (30, 3)).astype(np.float64), rng.integers(0, 30, (64, 3))
    yield box((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    yield box((0.0, 0.0, 0.0), (1.0, 3e-7, 1e3))
    yield prism(1.0, 6, 0.0, 2.0)
    yield gear(1.0, 5, 0.0, 0.5)
    yield vertices, triangles
    yield 1e5 + rng.normal(size=(40, 3)), rng.integers(0, 40, (MOST_PLACED, 3))
    yield 1e-9 * rng.normal(size=(9, 3)), rng.integers(0, 9, (7, 3))


def asked(vertices, triangles, turned):
    """A mesh in a pose, what is asked of it, and both answers."""
    rng = np.random.default_rng(len(triangles))
    mesh = mc.TriangleMesh(vertices, triangles)
    trees = pack_trees([build(mesh)])
    rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0] if turned else np.eye(3)
    rotation *= np.linalg.det(rotation)
    rows = np.column_stack([rotation, rng.normal(size=3) if turned else np.zeros(3)])
    corners = mesh.vertices @ rotation.T + rows[:, 3]
    origin, size = corners.min(axis=0), np.ptp(corners, axis=0)
    middles = 0.5 * (corners[rng.integers(0, len(corners), 300)] + corners[rng.integers(0, len(corners), 300)])
    points = np.concatenate(
        [rng.uniform(-0.5, 1.5, (600, 3)) * size, rng.integers(-2, 11, (600, 3)) / 8.0 * size, middles - origin]
    )
    hints = rng.integers(0, len(triangles), len(points))
    enough = np.where(
        rng.random(len(points)) < 0.5, -1.0, rng.choice([0.0, 0.125, 0.25, 0.4], len(points)) * size.max()
    )
    found, known = np.zeros((2, len(points), 5)), np.zeros(len(points), np.bool_)
    served = _measure(
        trees.forest, trees.origins, trees.reaches, rows, np.ascontiguousarray(rotation.T), origin,
        np.empty(PLACED_LENGTH), points, hints, enough, new_point_workspace(), found, known,
    )  # fmt: skip
    return served, found, known


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("shape", list(shapes()), ids=lambda shape: str(len(shape[1])))
def test_what_is_placed_is_as_near_as_the_tree_says(shape, turned):
    served, found, known = asked(*shape, turned)
    assert served
    assert found[0].tobytes() == found[1].tobytes()
    assert known[:600].mean() > 0.2  # of points at random; else nothing is gained


def test_large_numbers_and_many_triangles_are_left_to_the_tree():
    rng = np.random.default_rng(1)
    many = rng.normal(size=(60, 3)), rng.integers(0, 60, (MOST_PLACED + 1, 3))
    for vertices, triangles in (many, box((0.0, 0.0, 0.0), (1e13, 1.0, 1.0)), box((0.0,) * 3, (1e-14,) * 3)):
        served, found, known = asked(vertices, triangles, False)
        assert not served and not known.any()
        assert found[0].tobytes() == found[1].tobytes()
