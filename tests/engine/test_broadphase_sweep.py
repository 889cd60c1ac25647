"""The broad phase against comparing all pairs, and world boxes against the vertices in them."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.broadphase.sweep import cut_to_spheres, overlapping_pairs, overlapping_portions, world_boxes
from strategies import matrix, rotation


def all_pairs(boxes, in_a, in_b):
    """Closed boxes, compared one by one."""
    return [
        [i, j]
        for i in range(len(boxes))
        for j in range(i + 1, len(boxes))
        if (boxes[i, :3] <= boxes[j, 3:]).all()
        and (boxes[j, :3] <= boxes[i, 3:]).all()
        and ((in_a[i] and in_b[j]) or (in_a[j] and in_b[i]))
    ]


@st.composite
def box_sets(draw):
    """Boxes with many ties (small integers, some without extent), or anywhere."""
    count = draw(st.integers(1, 25))
    number = draw(st.sampled_from([st.integers(0, 4), st.floats(-1e30, 1e30), st.floats(-1.0, 1.0)]))
    numbers = draw(st.lists(number, min_size=6 * count, max_size=6 * count))
    corners = np.array(numbers, float).reshape(count, 2, 3)
    masks = draw(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=count, max_size=count))
    in_a, in_b = np.array(masks).T.copy()
    return np.hstack([corners.min(axis=1), corners.max(axis=1)]), in_a, in_b


@given(box_sets(), st.booleans())
def test_equals_comparing_all_pairs(case, everyone):
    boxes, in_a, in_b = case
    if everyone:
        in_a = in_b = np.ones(len(boxes), np.bool_)
    found = overlapping_pairs(boxes, in_a, in_b)
    portions = list(overlapping_portions(boxes, in_a, in_b, 2, 16))
    assert all(len(pairs) <= 16 for _, pairs in portions)
    assert sorted(pair for _, pairs in portions for pair in pairs.tolist()) == found.tolist()
    assert [done for done, _ in portions] == sorted(done for done, _ in portions)
    assert found.dtype == np.int64
    assert found.tolist() == all_pairs(boxes, in_a, in_b)


def test_more_pairs_than_the_first_guess_of_their_number():
    everyone = np.ones(200, np.bool_)
    found = overlapping_pairs(np.tile([0.0, 0, 0, 1, 1, 1], (200, 1)), everyone, everyone)
    assert np.array_equal(found, np.stack(np.triu_indices(200, 1), axis=1))


@pytest.mark.parametrize("axis", range(3))
def test_touching_boxes_are_pairs_and_an_ulp_apart_is_not(axis):
    boxes = np.tile([0.0, 0, 0, 1, 1, 1], (2, 1))
    both = np.ones(2, np.bool_)
    boxes[1, [axis, axis + 3]] = 1.0, 2.0
    assert overlapping_pairs(boxes, both, both).tolist() == [[0, 1]]
    boxes[1, axis] = np.nextafter(1.0, 2.0)
    assert overlapping_pairs(boxes, both, both).tolist() == []


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.0, 1.0, 1e6, 1e15]),
    st.sampled_from([1e-12, 1.0, 1e6, 1e25]),
    st.sampled_from([0.0, 0.25]),
)
def test_world_boxes_contain_the_posed_vertices(seed, shift, size, margin):
    rng = np.random.default_rng(seed)
    meshes = [mc.TriangleMesh(rng.normal(size=(4, 3)) * size + rng.normal(size=3) * shift, [[0, 1, 2], [1, 2, 3]])
              for _ in range(3)]  # fmt: skip
    poses = [mc.Pose.from_matrix(matrix(rotation(rng), rng.normal(size=3) * shift)) for _ in meshes]
    boxes = world_boxes(np.stack([m.bounds for m in meshes]), np.stack([p.rows for p in poses]), margin)
    for mesh, pose, box in zip(meshes, poses, boxes, strict=True):
        world = pose.apply(mesh.vertices)
        assert (box[:3] <= world.min(axis=0) - margin * 0.999).all()
        assert (box[3:] >= world.max(axis=0) + margin * 0.999).all()


def test_world_boxes_are_not_much_larger_than_need_be():
    mesh = mc.TriangleMesh([[0.0, 0, 0], [1, 2, 3], [0, 1, 1]], [[0, 1, 2]])
    box = world_boxes(mesh.bounds[None], np.eye(4)[None, :3], 0.5)[0]
    assert np.allclose(box, [-0.5, -0.5, -0.5, 1.5, 2.5, 3.5], rtol=0, atol=1e-12)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1.0, 1e6, 1e15]), st.booleans())
def test_boxes_cut_to_spheres_contain_the_posed_vertices(seed, shift, stretched):
    rng = np.random.default_rng(seed)
    vertices = rng.normal(size=(3, 6, 3)) + rng.normal(size=3) * shift
    linear = [rotation(rng) * (1.00004 if stretched else 1.0) for _ in range(3)]
    poses = [mc.Pose.from_matrix(matrix(part, rng.normal(size=3) * shift)) for part in linear]
    bounds = np.stack([vertices.min(axis=1), vertices.max(axis=1)], axis=1)
    radii = np.linalg.norm(vertices - bounds.mean(axis=1)[:, None], axis=2).max(axis=1)
    rows = np.stack([pose.rows for pose in poses])
    boxes = world_boxes(bounds, rows, 0.0)
    loose = boxes.copy()
    cut_to_spheres(bounds, radii, rows, boxes)
    assert (boxes[:, :3] >= loose[:, :3]).all() and (boxes[:, 3:] <= loose[:, 3:]).all()
    for pose, points, box in zip(poses, vertices, boxes, strict=True):
        world = pose.apply(points)
        assert (box[:3] <= world.min(axis=0)).all() and (world.max(axis=0) <= box[3:]).all()


def test_a_turned_round_object_has_a_box_of_its_own_size():
    bounds, rows = np.array([[[-1.0, -1, -1], [1, 1, 1]]]), matrix(rotation(np.random.default_rng(1)))[None, :3]
    boxes = world_boxes(bounds, rows, 0.0)
    cut_to_spheres(bounds, np.ones(1), rows, boxes)
    assert np.allclose(boxes, [[-1, -1, -1, 1, 1, 1]], atol=1e-3)
    wide = world_boxes(bounds, rows, 0.5)
    cut_to_spheres(bounds, np.ones(1), rows, wide, 0.5)
    assert np.allclose(wide, [[-1.5, -1.5, -1.5, 1.5, 1.5, 1.5]], atol=1e-3)
    unknown = world_boxes(bounds, rows, 0.0)
    cut_to_spheres(bounds, np.full(1, np.inf), rows, unknown)
    assert np.array_equal(unknown, world_boxes(bounds, rows, 0.0))
