"""Queries against brute force with the oracle; every way of asking gives one answer."""

import exact
import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.hierarchy.build import SPLITS
from oracles.mesh_exactness import brute_force, world_triangles
from oracles.oracle import classify_pairs
from solids import box, refined, torus
from strategies import grid_meshes, matrix, points, poses, rotation, soup

LEAF_SIZES = st.sampled_from([1, 2, 4, 8, 64])


def expected_of(mesh_a, mesh_b, pose_a, pose_b):
    return brute_force(world_triangles(mesh_a, pose_a), world_triangles(mesh_b, pose_b))[1:]


def result(found) -> tuple[bytes, ...]:
    return found.pairs.tobytes(), found.kinds.tobytes(), found.pose.tobytes(), found.segments().tobytes()


@st.composite
def nudged_meshes(draw):
    """A grid mesh with some coordinates off by a few ulps."""
    vertices, triangles = draw(grid_meshes())
    ulps = draw(points(st.sampled_from((0, 0, 0, 0, 1, -2)), len(vertices)))
    return vertices + ulps * np.spacing(vertices), triangles


@given(nudged_meshes(), nudged_meshes(), poses(), poses(), LEAF_SIZES)
def test_collide_equals_brute_force(mesh_a, mesh_b, pose_a, pose_b, leaf_size):
    pairs, kinds = expected_of(mesh_a, mesh_b, pose_a, pose_b)
    a, b = (mc.build(mc.TriangleMesh(*mesh), leaf_size=leaf_size) for mesh in (mesh_a, mesh_b))
    found = mc.collide(a, b, pose_a, pose_b)
    assert np.array_equal(found.pairs, pairs)
    assert np.array_equal(found.kinds, kinds)
    crossing = mc.collide(a, b, pose_a, pose_b, touching=False)
    assert np.array_equal(crossing.pairs, pairs[kinds == mc.ContactKind.CROSSING])
    assert mc.collides(a, b, pose_a, pose_b) == (len(pairs) > 0)
    assert mc.collides(a, b, pose_a, pose_b, touching=False) == (len(crossing) > 0)


@given(nudged_meshes(), poses())
def test_equal_poses_change_nothing_for_equal_meshes(mesh, pose):
    """A mesh on itself in one arbitrary pose: every shared vertex and face must still coincide bit for bit."""
    pairs, kinds = expected_of(mesh, mesh, pose, pose)
    found = mc.collide(mc.TriangleMesh(*mesh), mc.TriangleMesh(*mesh), pose, pose)
    assert np.array_equal(found.pairs, pairs)
    assert np.array_equal(found.kinds, kinds)
    diagonal = found.pairs[:, 0] == found.pairs[:, 1]
    assert diagonal.sum() == len(mesh[1])


@settings(max_examples=40)
@given(nudged_meshes(), nudged_meshes(), st.lists(poses(), min_size=1, max_size=5), poses(), st.booleans())
def test_a_stack_of_poses_equals_single_calls(mesh_a, mesh_b, stack, pose_b, both):
    a, b = mc.TriangleMesh(*mesh_a), mc.TriangleMesh(*mesh_b)
    second = stack[::-1] if both else pose_b
    found = mc.collide(a, b, np.stack(stack), np.stack(second) if both else second)
    alone = [mc.collide(a, b, pose, stack[-1 - i] if both else pose_b) for i, pose in enumerate(stack)]
    assert found.pairs.dtype == np.int32
    assert np.array_equal(found.pairs, np.concatenate([one.pairs for one in alone]))
    assert np.array_equal(found.kinds, np.concatenate([one.kinds for one in alone]))
    assert np.array_equal(found.pose, np.repeat(np.arange(len(stack)), [len(one) for one in alone]))
    meeting = mc.collides(a, b, np.stack(stack), np.stack(second) if both else second)
    assert meeting.tolist() == [len(one) > 0 for one in alone]
    assert found.segments().tobytes() == b"".join(one.segments().tobytes() for one in alone)
    assert found.stats.volume_tests == sum(one.stats.volume_tests for one in alone)
    assert found.stats.primitive_tests == sum(one.stats.primitive_tests for one in alone)
    assert found.stats.exact_tests == sum(one.stats.exact_tests for one in alone)


def test_a_stack_of_one_is_a_stack_and_a_single_pose_is_none():
    mesh = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))
    assert mc.collides(mesh, mesh, np.eye(4)) is True
    stacked = mc.collides(mesh, mesh, np.eye(4)[None])
    assert isinstance(stacked, np.ndarray)
    assert stacked.tolist() == [True]


@given(nudged_meshes(), nudged_meshes(), poses())
def test_swapping_the_objects_swaps_the_columns(mesh_a, mesh_b, pose):
    a, b = mc.TriangleMesh(*mesh_a), mc.TriangleMesh(*mesh_b)
    found, swapped = mc.collide(a, b, pose), mc.collide(b, a, None, pose)
    order = np.lexsort((swapped.pairs[:, 0], swapped.pairs[:, 1]))
    assert np.array_equal(found.pairs, swapped.pairs[order][:, ::-1])
    assert np.array_equal(found.kinds, swapped.kinds[order])


@given(nudged_meshes(), nudged_meshes(), poses(), LEAF_SIZES, LEAF_SIZES)
def test_one_answer_for_every_hierarchy_and_every_run(mesh_a, mesh_b, pose, leaf_a, leaf_b):
    a, b = mc.TriangleMesh(*mesh_a), mc.TriangleMesh(*mesh_b)
    expected = result(mc.collide(a, b, pose))
    tree_a, tree_b = mc.build(a, leaf_size=leaf_a), mc.build(b, leaf_size=leaf_b)
    others = [mc.build(a, split=split, leaf_size=leaf_b) for split in SPLITS]
    for x, y in ((tree_a, tree_b), (a, tree_b), (tree_a, b), (a, b), *((other, b) for other in others)):
        assert result(mc.collide(x, y, pose, volume="aabb", threads=3, device="cpu")) == expected


@pytest.mark.parametrize("leaf_size", [1, 4, 8, 64])
def test_larger_meshes_give_identical_bytes_for_every_leaf_size(leaf_size):
    rng = np.random.default_rng(1)
    a, b = (mc.TriangleMesh(*refined(torus(2, 1), 1)) for _ in range(2))
    pose = matrix(rotation(rng), (1.0, 0.5, 0.25))
    expected = mc.collide(a, b, pose)
    assert len(expected) > 100
    assert np.array_equal(expected.pairs, np.unique(expected.pairs, axis=0))
    for _ in range(2):
        again = mc.collide(mc.build(a, leaf_size=leaf_size), mc.build(b, leaf_size=leaf_size), pose)
        assert result(again) == result(expected)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1e6, 1e9, 1e15]), LEAF_SIZES)
def test_far_from_the_origin(seed, distance, leaf_size):
    """World coordinates are rounded so coarsely there that touching, coplanar and collapsed triangles abound."""
    rng = np.random.default_rng(seed)
    mesh_a, mesh_b = (soup(rng.uniform(-1, 1, (8, 3, 3)) * distance * 2.0**-51) for _ in range(2))
    shift = rng.normal(size=3) * distance
    pose_a, pose_b = matrix(rotation(rng), shift), matrix(rotation(rng), shift)
    pairs, kinds = expected_of(mesh_a, mesh_b, pose_a, pose_b)
    a, b = (mc.build(mc.TriangleMesh(*mesh), leaf_size=leaf_size) for mesh in (mesh_a, mesh_b))
    found = mc.collide(a, b, pose_a, pose_b)
    assert np.array_equal(found.pairs, pairs)
    assert np.array_equal(found.kinds, kinds)


def test_far_from_the_origin_there_are_contacts_of_every_kind():
    """So the test above is about something."""
    rng = np.random.default_rng(2)
    mesh_a, mesh_b = (soup(rng.uniform(-1, 1, (60, 3, 3)) * 1e6 * 2.0**-52) for _ in range(2))
    shift = rng.normal(size=3) * 1e6
    _, kinds = expected_of(mesh_a, mesh_b, matrix(rotation(rng), shift), matrix(rotation(rng), shift))
    assert set(kinds) == set(mc.ContactKind)


@pytest.mark.parametrize("scale", [5e-324 * 2**20, 1e-200, 1e-30, 1e15, 2.0**95])
def test_sizes_from_subnormal_to_the_limit(scale):
    """The grid keeps its ties, so the pairs are those of the unscaled meshes."""
    rng = np.random.default_rng(3)
    mesh_a, mesh_b = ((rng.integers(0, 4, (12, 3)).astype(float), rng.integers(0, 12, (20, 3))) for _ in range(2))
    expected = mc.collide(mc.TriangleMesh(*mesh_a), mc.TriangleMesh(*mesh_b))
    found = mc.collide(*(mc.TriangleMesh(v * scale, t) for v, t in (mesh_a, mesh_b)))
    assert len(expected) > 50
    assert np.array_equal(found.pairs, expected.pairs)
    assert np.array_equal(found.kinds, expected.kinds)


def test_statistics_count():
    a, b = (mc.TriangleMesh(*box((x, 0, 0), (x + 1, 1, 1))) for x in (0, 5))
    apart = mc.collide(a, b).stats
    assert 0 < apart.volume_tests <= 8, "one node against the other box"
    assert (apart.primitive_tests, apart.exact_tests) == (0, 0)
    meeting = mc.collide(a, a).stats
    assert meeting.volume_tests > 1
    assert 0 < meeting.primitive_tests <= 144
    assert meeting.exact_tests <= meeting.primitive_tests
    assert (meeting.threads, meeting.device) == (1, "cpu")
    assert mc.collides(a, a) is True


def folded():
    """Two triangles over one edge, one turned down onto the other."""
    return np.array([[0.0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 3, 0]]), np.array([[0, 1, 2], [1, 0, 3]])


def crossing_itself():
    corners = [
        [[0.0, 0, 0], [4, 0, 0], [0, 4, 0]],
        [[1, 1, -1], [1, 1, 1], [2, 1, 1]],
        [[9, 9, 9], [9, 8, 9], [8, 9, 9]],
    ]
    return soup(corners)


def strip_back_to_its_start():
    """A fan around one vertex whose last triangle crosses the first: both share the vertex."""
    vertices = [[0.0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, -1], [1, 1, 1]]
    return np.array(vertices), np.array([[0, 1, 2], [0, 3, 4]])


SELF_CONTACTS = {
    "fold": (folded(), [(0, 1, mc.ContactKind.COPLANAR)]),
    "doubled triangle": ((folded()[0], np.array([[0, 1, 2], [0, 1, 2]])), [(0, 1, mc.ContactKind.COPLANAR)]),
    "doubled and turned over": ((folded()[0], np.array([[0, 1, 2], [2, 1, 0]])), [(0, 1, mc.ContactKind.COPLANAR)]),
    "crossing": (crossing_itself(), [(0, 1, mc.ContactKind.CROSSING)]),
    "crossing of neighbours that share a vertex": (strip_back_to_its_start(), []),
    "sharing a vertex": ((np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]]),
                          np.array([[0, 1, 2], [0, 3, 4]])), []),
    "sharing an edge": ((folded()[0] - [0, 0, 1], np.array([[0, 1, 2], [1, 2, 3]])), []),
    "equal positions, not a shared vertex": (soup([[[0.0, 0, 0], [1, 0, 0], [0, 1, 0]],
                                                   [[0.0, 0, 0], [-1, 0, 0], [0, -1, 0]]]),
                                             [(0, 1, mc.ContactKind.TOUCHING)]),
    "an edge along half of another one, from a shared vertex":
        ((np.array([[0.0, 0, 0], [4, 0, 0], [0, 4, 0], [2, 0, 0], [0, -4, 1]]), np.array([[0, 1, 2], [0, 3, 4]])),
         [(0, 1, mc.ContactKind.TOUCHING)]),
    "an edge into the other triangle, from a shared vertex":
        ((np.array([[0.0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, 0], [0, 0, 4]]), np.array([[0, 1, 2], [0, 3, 4]])),
         [(0, 1, mc.ContactKind.TOUCHING)]),
    "segments that go beyond a shared edge":
        ((np.array([[0.0, 0, 0], [1, 0, 0], [3, 0, 0], [2, 0, 0]]), np.array([[0, 1, 2], [0, 1, 3]])),
         [(0, 1, mc.ContactKind.TOUCHING)]),
    "segments that go beyond a shared edge both ways":
        ((np.array([[0.0, 0, 0], [1, 0, 0], [3, 0, 0], [-2, 0, 0]]), np.array([[0, 1, 2], [0, 1, 3]])), []),
    "a segment without area twice":
        ((np.array([[0.0, 0, 0], [1, 0, 0], [3, 0, 0]]), np.array([[0, 1, 2], [2, 0, 1]])),
         [(0, 1, mc.ContactKind.TOUCHING)]),
    "zero area beside its neighbours": ((folded()[0], np.array([[0, 1, 2], [0, 1, 1], [2, 2, 2]])), []),
}  # fmt: skip


@pytest.mark.parametrize("name", SELF_CONTACTS)
def test_self_contacts_by_example(name):
    mesh, expected = SELF_CONTACTS[name]
    if name == "crossing of neighbours that share a vertex":
        kind = classify_pairs(*(mesh[0][mesh[1][i]][None] for i in range(2)))[0]
        expected = [(0, 1, kind)] if kind != mc.ContactKind.TOUCHING else []
    if name == "sharing an edge":
        expected = self_brute_force(mesh, np.eye(4))
    found = mc.self_collide(mc.TriangleMesh(*mesh))
    assert [(*pair, kind) for pair, kind in zip(found.pairs.tolist(), found.kinds.tolist(), strict=True)] == expected


@pytest.mark.parametrize("leaf_size", [1, 8])
def test_closed_surfaces_do_not_meet_themselves(leaf_size):
    for mesh in (box((0, 0, 0), (1, 1, 1)), refined(box((0, 0, 0), (3, 2, 1)), 2), torus(3, 1)):
        for pose in (None, matrix(rotation(np.random.default_rng(4)), (1e6, 0, 0))):
            found = mc.self_collide(mc.build(mc.TriangleMesh(*mesh), leaf_size=leaf_size), pose)
            crossing = found.kinds == mc.ContactKind.CROSSING
            if pose is None:
                assert len(found) == 0
            assert not crossing.any()


def self_brute_force(mesh, pose):
    """Pairs i < j by the oracle, less those whose common points are exactly one vertex or edge that both have."""
    world = world_triangles(mesh, pose)
    kept = []
    _, pairs, kinds = brute_force(world, world)
    for (i, j), kind in zip(pairs.tolist(), kinds.tolist(), strict=True):
        shared = sorted(set(mesh[1][i].tolist()) & set(mesh[1][j].tolist()))
        if i < j and not (kind == mc.ContactKind.TOUCHING and is_what_they_share(mesh, pose, i, j, shared)):
            kept.append((i, j, kind))
    return kept


def is_what_they_share(mesh, pose, i, j, shared):
    """Whether the common points of two triangles are those between one or two vertices that they share."""
    if len(shared) not in (1, 2):
        return False
    world = mc.Pose.from_matrix(pose).apply(mesh[0])
    common = exact.common_corners(*(exact.fractions(world[mesh[1][k]]) for k in (i, j)))
    u, v = exact.fractions(world[[shared[0], shared[-1]]])
    along = exact.minus(v, u)
    return all(
        not any(exact.cross(along, exact.minus(p, u)))
        and 0 <= exact.dot(along, exact.minus(p, u)) <= exact.dot(along, along)
        and (any(along) or p == u)
        for p in common
    )


@given(nudged_meshes(), poses(), LEAF_SIZES)
def test_self_collide_equals_brute_force(mesh, pose, leaf_size):
    hierarchy = mc.build(mc.TriangleMesh(*mesh), leaf_size=leaf_size)
    found = mc.self_collide(hierarchy, pose)
    rows = [(*pair, kind) for pair, kind in zip(found.pairs.tolist(), found.kinds.tolist(), strict=True)]
    expected = self_brute_force(mesh, pose)
    assert rows == expected
    crossing = mc.self_collide(hierarchy, pose, touching=False)
    assert crossing.pairs.tolist() == [list(row[:2]) for row in expected if row[2] == mc.ContactKind.CROSSING]


def test_neighbours_that_only_integers_decide_do_not_touch_themselves():
    vertices = np.array([[0.0, 0, 0], [0, 0, 5e-324], [0, 0, 1]])
    mesh = mc.TriangleMesh(vertices, [[0, 0, 0], [0, 1, 2]])
    assert len(mc.self_collide(mesh, matrix(rotation(np.random.default_rng(5))))) == 0


@pytest.mark.parametrize("turned", [False, True])
def test_tiny_neighbours_meet_themselves_as_the_same_ones_enlarged(turned):
    """The large ones are decided by expansions, the tiny ones by integers."""
    for mesh, _ in SELF_CONTACTS.values():
        pose = matrix(np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])) if turned else None
        large, tiny = (mc.self_collide(mc.TriangleMesh(mesh[0] * s, mesh[1]), pose) for s in (1.0, 2.0**-1060))
        assert tiny.pairs.tolist() == large.pairs.tolist()
        assert tiny.kinds.tolist() == large.kinds.tolist()


@settings(max_examples=40)
@given(nudged_meshes(), poses())
def test_a_soup_meets_itself_as_the_mesh_does_once_it_is_welded(mesh, pose):
    vertices, triangles = mesh
    first = [next(j for j in range(len(vertices)) if (vertices[j] == vertex).all()) for vertex in vertices]
    corners = vertices[triangles].reshape(-1, 3)
    soup_of = mc.TriangleMesh(
        np.where(corners == 0.0, -0.0, corners), np.arange(len(corners)).reshape(-1, 3), weld=True
    )
    assert soup_of.vertex_count == len(corners)
    assert np.array_equal(soup_of.vertices[soup_of.triangles], vertices[triangles])
    found, expected = (
        mc.self_collide(m, pose) for m in (soup_of, mc.TriangleMesh(vertices, np.array(first)[triangles]))
    )
    assert found.pairs.tobytes() == expected.pairs.tobytes()
    assert found.kinds.tobytes() == expected.kinds.tobytes()


def test_contacts_say_what_they_are():
    mesh = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))
    found = mc.collide(mesh, mesh)
    assert repr(found) == f"Contacts({len(found)} pairs: 0 crossing, 12 coplanar, {len(found) - 12} touching)"
    assert found.world_triangles(1).shape == (len(found), 3, 3)
    assert np.array_equal(found.world_triangles(0, [0]), mesh.vertices[mesh.triangles[found.pairs[:1, 0]]])
