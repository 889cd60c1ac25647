"""Normals, depths and points of contacts, beside analytic answers of primitives in any pose."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.manifold import contact_points, contact_regions
from solids import box, refined
from strategies import matrix, rotation

UNIT = mc.TriangleMesh(*box((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)))
FINE = mc.TriangleMesh(*refined(box((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)), 3))


def sphere(radius, steps=4):
    vertices, triangles = refined(box((-1, -1, -1), (1, 1, 1)), steps)
    return mc.TriangleMesh(radius * vertices / np.linalg.norm(vertices, axis=1, keepdims=True), triangles)


@given(seed=st.integers(0, 10**6), fine=st.booleans(), depth=st.sampled_from([0.0, 2.0**-30, 1e-3, 0.1, 0.3]))
def test_a_box_on_a_box_is_parted_across_the_face_that_it_stands_on(seed, fine, depth):
    rng = np.random.default_rng(seed)
    placed = matrix(rotation(rng) if depth else None, shift=rng.integers(-9, 9, 3))
    axis, sign = rng.integers(3), rng.choice([-1, 1])
    shift = rng.uniform(-0.4, 0.4, 3)
    shift[axis] = sign * (1.0 - depth)
    mesh = FINE if fine else UNIT
    regions = contact_regions(mc.collide(mesh, UNIT, placed, placed @ matrix(shift=shift)))
    assert len(regions) == 1
    normal = placed[:3, axis] * sign
    assert regions[0].normal == pytest.approx(normal, abs=1e-6)
    assert regions[0].depth == pytest.approx(depth, abs=1e-12)
    points, depths = regions[0].manifold(4)
    local = (points - placed[:3, 3]) @ placed[:3, :3]
    others = [k for k in range(3) if k != axis]
    corners = {(x, y) for x in (0, 1) for y in (0, 1)}
    low, high = np.maximum(-0.5, shift[others] - 0.5), np.minimum(0.5, shift[others] + 0.5)
    told = {tuple(np.round((p - low) / (high - low)).astype(int).tolist()) for p in local[:, others]}
    assert told == corners
    assert (
        np.abs((local[:, others] - low) / (high - low) - np.round((local[:, others] - low) / (high - low))).max() < 1e-6
    )
    assert (depths <= regions[0].depth).all() and depths.max() == pytest.approx(depth, abs=1e-12)


@given(seed=st.integers(0, 10**6))
def test_all_points_of_two_overlapping_boxes_are_deep(seed):
    rng = np.random.default_rng(seed)
    other = matrix(rotation(rng), shift=rng.uniform(-0.6, 0.6, 3))
    for region in contact_regions(mc.collide(UNIT, UNIT, None, other)):
        points, depths = region.manifold(4)
        assert len(points) == len(depths) > 0
        assert (depths > 0.0).all() or region.depth == 0.0
        assert depths[0] == pytest.approx(region.depths.max(), abs=1e-6)


@pytest.mark.parametrize("overlap", [0.02, 0.1, 0.4])
@pytest.mark.parametrize("seed", range(5))
def test_spheres_are_parted_along_their_centres(seed, overlap):
    rng = np.random.default_rng(seed)
    a, b = sphere(1.0), sphere(0.6)
    direction = rng.normal(size=3)
    direction /= np.linalg.norm(direction)
    poses = matrix(rotation(rng)), matrix(rotation(rng), shift=(1.6 - overlap) * direction)
    (region,) = contact_regions(mc.collide(a, b, *poses))
    assert region.normal @ direction > 0.99
    assert region.depth == pytest.approx(overlap, abs=0.02)
    moved = poses[1].copy()
    moved[:3, 3] += (region.depth * 1.0001 + 1e-9) * region.normal
    assert not mc.collides(a, b, poses[0], moved) or overlap < 0.03


@given(seed=st.integers(0, 10**6))
def test_no_local_depth_of_convex_solids_is_above_the_translation_that_parts_them(seed):
    rng = np.random.default_rng(seed)
    a, b = (mc.shapes.ConvexHull(rng.normal(size=(12, 3))).mesh() for _ in range(2))
    shift = rng.normal(size=3)
    pose = matrix(rotation(rng), shift=2.0 * shift / np.linalg.norm(shift))
    hits = mc.collide(a, b, None, pose)
    regions = contact_regions(hits)
    assert sorted(row for region in regions for row in region.rows.tolist()) == list(range(len(hits)))
    assert len(regions) <= 1
    for region in regions:
        assert region.depth <= mc.penetration(a, b, None, pose).depth * 1.03  # a local search
        assert (region.depths >= 0.0).all() and region.depths.max() <= region.depth


def test_exchanging_the_two_turns_the_normal_about():
    pose = matrix(rotation(np.random.default_rng(5)), shift=(0.3, 0.5, 0.7))
    (one,), (other,) = (
        contact_regions(mc.collide(FINE, UNIT, None, pose)),
        contact_regions(mc.collide(UNIT, FINE, pose, None)),
    )
    assert one.normal == pytest.approx(-other.normal, abs=1e-6)
    assert one.depth == pytest.approx(other.depth, abs=1e-9)


def test_pegs_on_one_face_are_regions_of_their_own_and_a_rod_through_a_plate_is_one():
    plate = mc.TriangleMesh(*box((-5, -5, -0.1), (5, 5, 0.1)))
    peg = mc.TriangleMesh(*box((-0.1, -0.1, 0), (0.1, 0.1, 1)))
    stack = np.stack([matrix(shift=(x, 0, z)) for x, z in ((-1, 0.05), (1, 0.05), (0, -0.5))])
    regions = contact_regions(mc.collide(plate, peg, None, stack))
    assert [region.pose for region in regions] == [0, 1, 2]
    assert regions[0].normal == pytest.approx([0, 0, 1]) and regions[0].depth == pytest.approx(0.05)
    assert regions[2].depth > 0.19
    pegs = mc.TriangleMesh(
        np.concatenate([peg.vertices + np.array([x, 0, 0.05]) for x in (-1, 1)]),
        np.concatenate([peg.triangles, peg.triangles + 8]),
    )
    assert len(contact_regions(mc.collide(plate, pegs))) == 2


def test_every_contact_has_a_point_in_both_triangles():
    pose = matrix(rotation(np.random.default_rng(7)), shift=(0.4, 0.4, 0.2))
    for b, place in ((UNIT, pose), (UNIT, matrix(shift=(0, 0.25, 1)))):
        hits = mc.collide(FINE, b, None, place)
        found = contact_points(hits)
        for side, weights in ((0, found.barycentric_a), (1, found.barycentric_b)):
            again = np.einsum("kij,ki->kj", hits.world_triangles(side), weights)
            assert again == pytest.approx(found.points, abs=1e-9)
        assert np.linalg.norm(found.normals, axis=1) == pytest.approx(np.ones(len(hits)))


def test_open_meshes_have_normals_too():
    sheet = mc.TriangleMesh([[-2, -2, 0], [2, -2, 0], [2, 2, 0], [-2, 2, 0]], [[0, 1, 2], [0, 2, 3]])
    (region,) = contact_regions(mc.collide(sheet, UNIT, None, matrix(shift=(0.1, 0.2, 0.4))))
    assert abs(region.normal[2]) == pytest.approx(1.0) and region.depth == pytest.approx(0.1)


def test_the_same_points_are_chosen_from_frame_to_frame():
    chosen = []
    for k in range(20):
        turn = matrix(shift=(1e-6 * k, 2e-6 * k, 0))
        (region,) = contact_regions(mc.collide(FINE, UNIT, turn, turn @ matrix(shift=(0.1, 0.2, 0.95))))
        chosen.append(region.manifold(4)[0] - turn[:3, 3])
    assert np.ptp(chosen, axis=0).max() < 1e-9


def test_a_manifold_has_a_number_of_points():
    (region,) = contact_regions(mc.collide(UNIT, UNIT, None, matrix(shift=(0, 0, 1))))
    assert [len(region.manifold(n)[0]) for n in (1, 2, 3, 4)] == [1, 2, 3, 4]
    for wrong in (0, -1, 2.5, "4"):
        with pytest.raises(mc.UnsupportedOption, match="whole number"):
            region.manifold(wrong)
    with pytest.raises(mc.UnsupportedOption, match="must be a Contacts"):
        contact_regions(mc.collide(mc.clouds.PointCloud(np.random.default_rng(1).normal(size=(500, 3))), UNIT))
