"""Every kind of volume: contains its primitives exactly, never says "no" wrongly, and changes no answer."""

from functools import cache

import meshclash as mc
import numpy as np
import pytest
from coinciding_points import coinciding_points
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.geometry.relative_pose import relative_rows
from meshclash.jit import kernel
from meshclash.traversal.forest import pack_trees
from meshclash.traversal.prepared_poses import prepared_rows
from meshclash.volumes.registry import VOLUMES, volume_named
from scipy.optimize import linprog
from solids import box, moved, torus
from strategies import grid_meshes, matrix, rotation, soup

NAMES = sorted(VOLUMES)
STORED = [name for name in NAMES if not VOLUMES[name].derived]
"""Those whose rows can be asked one by one; the others are the business of test_lab_boxtree.py."""
POLYTOPES = [name for name in NAMES if name.startswith("dop")]
STILL = np.eye(4)[None, :3].copy()


def test_the_documentation_of_build_names_every_volume():
    assert not [name for name in NAMES if f'"{name}"' not in mc.build.__doc__]


def rows_of(a, b, pose=STILL, other=STILL):
    """Prepared rows of two hierarchies in poses (k, 3, 4)."""
    origins = (np.repeat(h.origin[None], len(pose), axis=0) for h in (a, b))
    reaches = (np.repeat(np.abs(h.mesh.bounds).max(axis=0)[None], len(pose), axis=0) for h in (a, b))
    relative = relative_rows(pose, other, *origins, *reaches)
    return prepared_rows(pack_trees([a]), pack_trees([b]), np.zeros((len(pose), 2), np.int64), relative)


@cache
def _asking(overlap, gap):
    def ask(a, b, rows, meet, apart):
        for i in range(a.shape[0]):
            meet[i] = overlap(a[i], b[i], rows[i])
            apart[i] = gap(a[i], b[i], rows[i])

    return kernel(ask)


def ask(name, a, b, rows):
    """(overlap, gap) of volumes (n, width) pairwise."""
    verbs = volume_named(name)
    meet, apart = np.zeros(len(a), np.bool_), np.zeros(len(a))
    _asking(verbs.overlap, verbs.gap)(a, b, rows, meet, apart)
    return meet, apart


def assorted_meshes():
    rng = np.random.default_rng(5)
    flat = rng.normal(size=(12, 3, 3)) * (1.0, 1.0, 0.0)
    needles = np.repeat(rng.normal(size=(12, 1, 3)), 3, axis=1) + rng.normal(size=(12, 3, 3)) * (1e-9, 3.0, 1e-4)
    return {
        "random": soup(rng.normal(size=(20, 3, 3))),
        "torus, far away": moved(torus(1, 0.4), (1e6, -1e6, 1e3)),
        "flat": soup(flat),
        "needles": soup(needles @ rotation(rng).T),
        "points": soup(np.repeat(rng.normal(size=(9, 1, 3)), 3, axis=1)),
        "one point": soup(np.ones((5, 3, 3))),
        "huge": soup(rng.normal(size=(6, 3, 3)) * 1e25),
        "tiny": soup(rng.normal(size=(6, 3, 3)) * 1e-30),
        "box": box((0, 0, 0), (1, 2, 3)),
    }


MESHES = {name: mc.TriangleMesh(vertices, triangles[:48]) for name, (vertices, triangles) in assorted_meshes().items()}


@pytest.mark.slow
@pytest.mark.parametrize("mesh", MESHES)
@pytest.mark.parametrize("name", NAMES)
def test_every_node_contains_its_primitives_exactly(name, mesh):
    mc.lab.assert_well_formed(mc.build(MESHES[mesh], volume=name, leaf_size=3))


@pytest.mark.parametrize("name", STORED)
def test_a_volume_that_is_too_small_is_noticed(name):
    hierarchy = mc.build(MESHES["random"], volume=name)
    hierarchy.volumes[:] *= np.float32(0.9)
    with pytest.raises(AssertionError, match="does not contain"):
        mc.lab.assert_well_formed(hierarchy)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25)
@given(grid_meshes(), grid_meshes(), st.integers(0, 2**32 - 1))
def test_pairs_are_those_of_boxes_on_degenerate_meshes(name, first, second, seed):
    a, b = mc.TriangleMesh(*first), mc.TriangleMesh(*second)
    rng = np.random.default_rng(seed)
    poses = np.stack([np.eye(4), matrix(shift=rng.integers(-2, 3, 3) / 2), matrix(rotation(rng), rng.normal(size=3))])
    expected = mc.collide(a, b, None, poses)
    found = mc.collide(mc.build(a, volume=name, leaf_size=2), mc.build(b, volume=name, leaf_size=2), None, poses)
    assert found.pairs.tobytes() == expected.pairs.tobytes()
    assert found.kinds.tobytes() == expected.kinds.tobytes()
    assert found.pose.tobytes() == expected.pose.tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("name", STORED)
@pytest.mark.parametrize(("size_a", "size_b", "shift"), [(1.0, 1.0, 1.0), (1e-3, 1e3, 1e6), (1.0, 1.0, 1e9)])
def test_a_contact_in_one_point_is_never_lost(name, size_a, size_b, shift):
    """Volumes of points without extent, placed at one world position by two poses: only the slack saves them."""
    for row_a, row_b, p, q in zip(*coinciding_points(3, 30, size_a, size_b, shift, 0.9), strict=True):
        a, b = (mc.build(mc.TriangleMesh(np.stack([x, x, x]), [[0, 1, 2]]), volume=name) for x in (p, q))
        rows = rows_of(a, b, row_a[None], row_b[None])
        meet, apart = ask(name, a.volumes, b.volumes, rows)
        assert meet.all()
        assert (apart == 0.0).all()


def scattered(rng, count):
    """Small flat and long pieces, (count, 3, 3), near and far."""
    shape = rng.uniform(0.01, 1.0, (count, 1, 3)) * rng.choice([1.0, 0.05], (count, 1, 3))
    turned = (rng.normal(size=(count, 3, 3)) * shape) @ rotation(rng)
    return turned + rng.normal(size=(count, 1, 3)) * 1.5


def volumes_beside(name, rng, count, looseness=0.0):
    """Volumes of single triangles of two meshes in a pose: (a's, b's, rows, corners of both in the world)."""
    sides = [mc.build(mc.TriangleMesh(*soup(scattered(rng, count))), volume=name, leaf_size=1) for _ in range(2)]
    turn = rotation(rng) @ (np.eye(3) + looseness * rng.uniform(-1, 1, (3, 3)))
    pose = mc.Pose.from_matrix(matrix(turn, rng.normal(size=3) * 0.3)).rows
    rows = np.repeat(rows_of(*sides, STILL, pose[None]), count, axis=0)
    leaves = [np.flatnonzero(h.tree.count == 1) for h in sides]
    corners = [
        h.mesh.vertices[h.mesh.triangles[h.tree.order[h.tree.first[own]]]] for h, own in zip(sides, leaves, strict=True)
    ]
    world = [corners[0], mc.Pose(pose).apply(corners[1]).reshape(-1, 3, 3)]
    return *(h.volumes[own] for h, own in zip(sides, leaves, strict=True)), rows, world, sides, pose


@pytest.mark.parametrize("name", STORED)
@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1), st.sampled_from((0.0, 2e-5)))
def test_the_gap_is_a_lower_bound_of_every_distance(name, seed, looseness):
    """Of the corners that the volumes contain, in poses that are rotations and in some that are not quite."""
    a, b, rows, (p, q), _, _ = volumes_beside(name, np.random.default_rng(seed), 200, looseness)
    meet, apart = ask(name, a, b, rows)
    nearest = np.linalg.norm(p[:, :, None] - q[:, None], axis=-1).min(axis=(1, 2))
    assert (apart <= nearest).all()
    assert meet.sum() < len(meet)


@pytest.mark.parametrize("name", STORED)
def test_the_gap_is_worth_something(name):
    """Tight enough to prune: most pairs of pieces well apart get half of the distance of their corners or more."""
    a, b, rows, (p, q), _, _ = volumes_beside(name, np.random.default_rng(1), 400)
    _, apart = ask(name, a, b, rows)
    nearest = np.linalg.norm(p[:, :, None] - q[:, None], axis=-1).min(axis=(1, 2))
    far = nearest > 1.0
    assert (apart[far] > 0.5 * nearest[far]).mean() > 0.7


def half_spaces(name, volume, linear, shift):
    """(normals, offsets) of a polytope in the world: n.x <= offset. ``linear`` and ``shift`` place its frame."""
    if name == "obb":
        inverse = np.linalg.inv(volume[3:12].reshape(3, 3).T)
        middle = inverse @ volume[:3]
        normals = np.concatenate([inverse, -inverse])
        offsets = np.concatenate([middle + volume[12:], volume[12:] - middle])
    else:
        from meshclash.lab.volumes.kdop import directions_of

        directions = directions_of(len(volume) // 2)
        normals = np.concatenate([-directions, directions])
        offsets = np.concatenate([-volume[: len(directions)], volume[len(directions) :]])
    normals = normals @ np.linalg.inv(linear)
    return normals, offsets + normals @ shift


@pytest.mark.slow
@pytest.mark.parametrize("name", ["aabb", "obb", *POLYTOPES])
def test_what_is_called_apart_is_apart_by_linear_programming(name):
    """And what is called overlapping mostly does: the tests are not vacuous."""
    rng = np.random.default_rng(7)
    a, b, rows, _, sides, pose = volumes_beside(name, rng, 120)
    meet, _ = ask(name, a, b, rows)
    right = 0
    for i in range(len(a)):
        first = half_spaces(name, a[i].astype(float), np.eye(3), sides[0].origin)
        second = half_spaces(name, b[i].astype(float), pose[:, :3], pose[:, :3] @ sides[1].origin + pose[:, 3])
        normals, offsets = (np.concatenate(parts) for parts in zip(first, second, strict=True))
        found = linprog(np.zeros(3), normals, offsets, bounds=(None, None))
        together = found.status == 0
        assert meet[i] or not together
        right += meet[i] == together
    assert right >= 0.8 * len(a)


def test_more_directions_test_fewer_volumes():
    """In one frame 26 directions contain 14 and 18, which contain 6."""
    a, b = mc.TriangleMesh(*torus(2, 0.6)), mc.TriangleMesh(*moved(torus(2, 0.6), (2.3, 0.4, 0.3)))
    tests = {}
    for half in (6, 14, 18, 26):
        trees = (mc.build(mesh, volume=f"dop{half}", leaf_size=1) for mesh in (a, b))
        tests[half] = mc.collide(*trees).stats.volume_tests
    assert tests[26] <= min(tests[14], tests[18]) <= max(tests[14], tests[18]) <= tests[6]
    boxes = mc.collide(mc.build(a, volume="aabb", leaf_size=16), mc.build(b, volume="aabb", leaf_size=16))
    assert boxes.pairs.tobytes() == mc.collide(mc.build(a, volume="dop6"), mc.build(b, volume="dop6")).pairs.tobytes()


def test_spheres_do_not_mind_being_turned():
    """The same pair of objects, both turned together: volume tests stay as they were, to one in a hundred."""
    a = mc.build(mc.TriangleMesh(*torus(2, 0.6)), volume="sphere", leaf_size=1)
    counts = []
    for seed in range(4):
        turn = rotation(np.random.default_rng(seed)) if seed else np.eye(3)
        poses = matrix(turn), matrix(turn) @ matrix(shift=(2.3, 0.4, 0.3))
        counts.append(mc.collide(a, a, *poses).stats.volume_tests)
    assert max(counts) <= 1.01 * min(counts)


def test_other_queries_take_any_hierarchy():
    """Verdicts and scenes need boxes; given another kind they build their own."""
    a, b = mc.TriangleMesh(*box((0, 0, 0), (2, 2, 2))), mc.TriangleMesh(*box((1, 1, 1), (3, 3, 3)))
    assert mc.verdict(mc.build(a, volume="obb"), mc.build(b, volume="sphere")) == mc.Verdict.CLASH
    scene = mc.Scene()
    for mesh in (a, b):
        scene.add(mc.build(mesh, volume="sphere"))
    assert len(scene.contacts().pairs) == 1


@pytest.mark.parametrize("name", NAMES)
def test_moved_vertices_are_fitted_anew(name):
    mesh = MESHES["random"]
    hierarchy = mc.refit(mc.build(mesh, volume=name), mesh.vertices * 2.0)
    mc.lab.assert_well_formed(hierarchy)
    assert hierarchy.volume == name
