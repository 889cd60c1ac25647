"""Options of all queries: what is not known or makes no sense is refused with what is known."""

import meshclash as mc
import numpy as np
import pytest
from solids import box, open_box

MESH = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))
TREE = mc.build(MESH)

QUERIES = {
    "collide": lambda **options: mc.collide(MESH, MESH, **options),
    "collides": lambda **options: mc.collides(MESH, MESH, **options),
    "self_collide": lambda **options: mc.self_collide(MESH, **options),
}
WITH_VERDICT = {**QUERIES, "verdict": lambda **options: mc.verdict(MESH, MESH, **options)}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
@pytest.mark.parametrize("volume", ["ball of wool", 3, ("aabb",), "", 0, False, []])
def test_unknown_volumes(query, volume):
    with pytest.raises(mc.UnsupportedOption, match="expected one of aabb"):
        query(volume=volume)


@pytest.mark.parametrize("query", WITH_VERDICT.values(), ids=WITH_VERDICT)
@pytest.mark.parametrize("device", ["gpu", "", None, 0])
def test_unknown_devices(query, device):
    with pytest.raises(mc.UnsupportedOption, match="auto, cpu, cuda"):
        query(device=device)


@pytest.mark.parametrize("query", WITH_VERDICT.values(), ids=WITH_VERDICT)
def test_a_device_that_cannot_be_used(query):
    with pytest.raises(mc.DeviceUnavailable, match="cpu"):
        query(device="cuda")


@pytest.mark.parametrize("query", WITH_VERDICT.values(), ids=WITH_VERDICT)
@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", True, np.nan])
def test_threads_that_make_no_sense(query, threads):
    with pytest.raises(mc.UnsupportedOption, match="threads must be None or a positive whole number"):
        query(threads=threads)


@pytest.mark.parametrize("query", WITH_VERDICT.values(), ids=WITH_VERDICT)
def test_known_options_are_accepted(query):
    for threads in (None, 1, 64, np.int64(2)):
        for device in ("auto", "cpu"):
            query(threads=threads, device=device)


@pytest.mark.parametrize("split", ["straws", None, 1, ["lbvh"]])
def test_unknown_splits(split):
    with pytest.raises(mc.UnsupportedOption, match=r"expected one of .*lbvh"):
        mc.build(MESH, split=split)


@pytest.mark.parametrize("leaf_size", [0, -1, 65, 2.0, "8", None, np.nan, True])
def test_leaf_sizes_that_make_no_sense(leaf_size):
    with pytest.raises(mc.UnsupportedOption, match="leaf_size must be a whole number from 1 to 64"):
        mc.build(MESH, leaf_size=leaf_size)


def test_leaf_sizes_of_numpy():
    assert mc.build(MESH, leaf_size=np.int64(4)).leaf_size == 4


@pytest.mark.parametrize("volume", ["ball of wool", 3, "", 0, []])
def test_unknown_volumes_of_a_build(volume):
    with pytest.raises(mc.UnsupportedOption, match="expected one of aabb"):
        mc.build(MESH, volume=volume)


def scene():
    made = mc.Scene()
    made.add(MESH)
    made.add(MESH)
    return made


@pytest.mark.parametrize("name", ["permitted_overlap", "touch_tolerance"])
@pytest.mark.parametrize("value", [-1e-9, np.nan, np.inf, "a lot", "0.1", True, None, [1.0, 2.0], 10**400])
def test_lengths_that_make_no_sense(name, value):
    with pytest.raises(mc.UnsupportedOption, match=name):
        mc.verdict(MESH, MESH, **{name: value})
    with pytest.raises(mc.UnsupportedOption, match=name):
        scene().contacts(**{name: value})


@pytest.mark.parametrize("wrong", [None, "mesh", list(box((0, 0, 0), (1, 1, 1))), np.eye(3)])
def test_what_is_no_mesh(wrong):
    queries = (
        lambda: mc.collide(wrong, MESH), lambda: mc.collide(MESH, wrong), lambda: mc.collides(MESH, wrong),
        lambda: mc.self_collide(wrong), lambda: mc.verdict(wrong, MESH), lambda: mc.verdict(MESH, wrong),
        lambda: mc.build(wrong), lambda: mc.Scene().add(wrong),
    )  # fmt: skip
    for query in queries:
        with pytest.raises(mc.InvalidMesh, match="None" if wrong is None else type(wrong).__name__):
            query()


def test_a_hierarchy_is_no_mesh_to_build_over():
    with pytest.raises(mc.InvalidMesh, match="Hierarchy"):
        mc.build(TREE)


def pose_with(entry, value):
    pose = np.eye(4)
    pose[entry] = value
    return pose


@pytest.mark.parametrize(
    "wrong",
    [
        np.eye(3), np.full((4, 4), np.nan), np.diag([2.0, 2, 2, 1]), np.zeros((2, 4, 3)), np.diag([1.0, 1, -1, 1]),
        pose_with((1, 3), np.nan), pose_with((2, 3), -1e31), pose_with((3, 0), 1e-3), pose_with((3, 3), 0.5),
        pose_with((0, 1), 0.1), "pose",
    ],
)  # fmt: skip
def test_what_is_no_pose(wrong):
    queries = (
        lambda: mc.collide(MESH, MESH, wrong), lambda: mc.collide(MESH, MESH, None, wrong),
        lambda: mc.collides(MESH, MESH, wrong), lambda: mc.self_collide(MESH, wrong),
        lambda: mc.verdict(MESH, MESH, None, wrong), lambda: mc.Scene().add(MESH, wrong),
        lambda: mc.distance(MESH, MESH, wrong), lambda: mc.distance(MESH, MESH, None, wrong),
    )  # fmt: skip
    for query in queries:
        with pytest.raises(mc.InvalidPose):
            query()


def test_stacks_that_do_not_fit():
    two, three = (np.stack([np.eye(4)] * count) for count in (2, 3))
    for query in (mc.collide, mc.collides):
        with pytest.raises(mc.UnsupportedOption, match="stacks of 2 and 3 poses have different lengths"):
            query(MESH, MESH, two, three)
        with pytest.raises(mc.InvalidPose, match="pose 1 of the stack"):
            query(MESH, MESH, np.stack([np.eye(4), 2.0 * np.eye(4)]))
        with pytest.raises(mc.UnsupportedOption, match="empty"):
            query(MESH, MESH, two[:0])
    with pytest.raises(mc.UnsupportedOption, match="one pose"):
        mc.verdict(MESH, MESH, two)
    with pytest.raises(mc.UnsupportedOption, match="one pose"):
        mc.Scene().add(MESH, two)


def test_an_open_mesh_contains_nothing():
    """It bounds no solid: what lies within its walls is apart from it, and there is no depth to ask for."""
    lid, small = (
        mc.TriangleMesh(*open_box((0, 0, 0), (1, 1, 1))),
        mc.TriangleMesh(*box((0.3, 0.3, 0.3), (0.6, 0.6, 0.6))),
    )
    assert mc.verdict(lid, small) == mc.verdict(small, lid) == mc.Verdict.APART
    assert mc.verdict(mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1))), small) == mc.Verdict.CONTAINED
    assert mc.distance(lid, small).distance == pytest.approx(0.3)
    for pair in ((lid, small), (small, lid)):
        with pytest.raises(mc.InvalidMesh, match="not closed"):
            mc.penetration(*pair)


@pytest.mark.parametrize("tolerance", [-1e-300, -1.0, np.nan, np.inf, "wide", None, [1.0, 2.0]])
def test_tolerances_that_make_no_sense(tolerance):
    for volume in ("aabb", "boxtree"):
        with pytest.raises(mc.UnsupportedOption, match="tolerance"):
            mc.clearance(MESH, MESH, tolerance, volume=volume)


@pytest.mark.parametrize("volume", ["egg", 3, ("obb",)])
def test_unknown_volumes_of_nearness(volume):
    for query in (lambda: mc.distance(MESH, MESH, volume=volume), lambda: mc.clearance(MESH, MESH, 1.0, volume=volume)):
        with pytest.raises(mc.UnsupportedOption, match="expected one of aabb, "):
            query()


def test_every_error_is_of_one_family():
    for error in (mc.InvalidMesh, mc.InvalidPose, mc.UnknownObject, mc.UnsupportedOption, mc.DeviceUnavailable):
        assert issubclass(error, mc.MeshClashError)
        assert error.__doc__
    assert str(mc.UnknownObject("the scene has no object 7")) == "the scene has no object 7"


@pytest.mark.parametrize("value", [-0.1, 1.0, np.nan, "0.1", None, True])
def test_shares_that_make_no_sense(value):
    with pytest.raises(mc.UnsupportedOption, match=r"relative_error must be (?!.*metres)"):
        mc.distance(MESH, MESH, relative_error=value)


OF_TWO = {
    "collide": mc.collide, "collides": mc.collides, "distance": mc.distance, "time_critical": mc.time_critical,
    "clearance": lambda a, b: mc.clearance(a, b, 1.0), "verdict": mc.verdict, "penetration": mc.penetration,
}  # fmt: skip


@pytest.mark.parametrize("query", OF_TWO.values(), ids=OF_TWO)
def test_a_hierarchy_is_taken_wherever_a_mesh_is(query):
    """A mesh beside it gets a hierarchy of its kind."""
    other = mc.build(MESH, "sphere")
    query(MESH, other)
    query(other, MESH)


@pytest.mark.parametrize("query", ["collide", "collides", "distance", "clearance", "time_critical"])
def test_hierarchies_of_two_kinds(query):
    with pytest.raises(mc.UnsupportedOption, match="volumes, 'aabb' and 'sphere'"):
        OF_TWO[query](TREE, mc.build(MESH, "sphere"))


def test_what_cannot_be_refitted():
    with pytest.raises(mc.InvalidMesh, match="TriangleMesh"):
        mc.refit(MESH, MESH.vertices)
