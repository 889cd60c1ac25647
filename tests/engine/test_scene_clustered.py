"""Clustered meshes in a scene: the same pairs and bytes as meshes in memory give, within the memory they are given."""

import meshclash as mc
import numpy as np
import pytest
from clouds import sphere
from massive_cases import assert_same
from oracles.mesh_generators import MAKERS
from solids import box, refined, torus
from strategies import matrix, rotation

MEGABYTES = 1 << 20
SHEET = mc.TriangleMesh(*refined((np.array([[-3, -3, 0.1], [3, -3, 0.1], [0, 3, 0.1]]), np.array([[0, 1, 2]])), 3))


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """An open surface of many clusters, in memory and on disk."""
    vertices, triangles = MAKERS["scan"](20_000, 1)
    path = tmp_path_factory.mktemp("scene") / "model.mcl"
    mc.massive.ClusteredMesh.build((vertices, triangles), path, cluster_triangles=256).close()
    size = float(np.ptp(vertices, axis=0).max())
    with mc.massive.ClusteredMesh.open(path, memory=4 * MEGABYTES) as mesh:
        yield mc.TriangleMesh(vertices, triangles), mesh, size


def scenes(model, poses, others=()):
    """The same objects in two scenes: the model in memory, and on disk."""
    found = []
    for thing in model[:2]:
        scene = mc.Scene()
        for pose in poses:
            scene.add(thing, pose)
        for other, pose in others:
            scene.add(other, pose)
        found.append(scene)
    return found


def some_poses(size, count, seed):
    rng = np.random.default_rng(seed)
    return [matrix(rotation(rng), rng.uniform(-0.8, 0.8, 3) * size) for _ in range(count)]


def by_ids(pairs):
    return {(pair.a, pair.b): pair for pair in pairs}


def assert_same_contacts(found, expected):
    assert by_ids(found).keys() == by_ids(expected).keys() and len(found) == len(expected)
    for ids, pair in by_ids(expected).items():
        assert_same(by_ids(found)[ids].contacts, pair.contacts)


@pytest.mark.parametrize("seed", range(3))
def test_instances_of_one_file_meet_as_meshes_in_memory(model, seed):
    size = model[2]
    rng = np.random.default_rng(seed)
    others = [(SHEET, matrix(rotation(rng), rng.normal(size=3) * 0.1 * size)), (mc.build(SHEET), np.eye(4))]
    expected, found = scenes(model, some_poses(size, 4, seed), others)
    assert_same_contacts(found.contacts().pairs, expected.contacts().pairs)
    assert len(found.contacts().pairs) > 2
    assert found.collides().pairs.tolist() == expected.collides().pairs.tolist()
    for pair in found.contacts().pairs:
        assert pair.verdict == (mc.Verdict.CLASH if (pair.contacts.kinds == mc.ContactKind.CROSSING).any()
                                else mc.Verdict.TOUCHING)  # fmt: skip
        assert pair.depth is None
        low, high = np.sort(pair.contacts.segments().reshape(-1, 3), axis=0)[[0, -1]]
        assert (pair.location >= low).all() and (pair.location <= high).all()
    scene_pair = found.contacts().pairs[0]
    things, poses = zip(*(found.posed(key) for key in (scene_pair.a, scene_pair.b)), strict=True)
    alone = mc.verdict(*things, *poses)
    assert alone == scene_pair.verdict and alone.depth is None
    assert_same(alone.contacts, scene_pair.contacts)
    mesh = model[1]
    assert 0 < mesh.pages.most_bytes <= mesh.pages.memory and mesh.nbytes <= mesh.memory


@pytest.mark.slow
@pytest.mark.parametrize("tolerance", [0.01, 0.5])
def test_gaps_are_those_in_memory(model, tolerance):
    size = model[2]
    expected, found = scenes(model, some_poses(1.4 * size, 4, 11), [(SHEET, matrix(shift=(0, 0, size)))])
    for ask in (lambda s: s.clearances(tolerance * size), lambda s: s.distances(), lambda s: s.distances(most=3)):
        here, there = ask(found), ask(expected)
        assert by_ids(here.pairs).keys() == by_ids(there.pairs).keys()
        assert (here.left_out, here.beyond) == (there.left_out, there.beyond)
        for ids, gap in by_ids(there.pairs).items():
            other = by_ids(here.pairs)[ids]
            assert other.gap == gap.gap
            assert other.near_a.tolist() == gap.near_a.tolist() and other.near_b.tolist() == gap.near_b.tolist()
            if gap.gap > 0.0:
                assert other.triangles == gap.triangles and other.points.tobytes() == gap.points.tobytes()
                assert other.verdict is mc.Verdict.APART and not len(other.contacts)
            else:
                assert_same(other.contacts, gap.contacts)
    assert any(gap.gap > 0.0 for gap in found.distances().pairs)


def test_an_answer_follows_poses_and_is_watched(model):
    size = model[2]
    expected, found = scenes(model, some_poses(size, 3, 5))
    watches = [mc.motion.LiveContacts(scene) for scene in (expected, found)]
    rng = np.random.default_rng(9)
    for _ in range(4):
        pose = matrix(rotation(rng), rng.uniform(-1, 1, 3) * size)
        steps, changes = [], []
        for scene, watch in zip((expected, found), watches, strict=True):
            scene.set_pose(1, pose)
            changes.append(watch.update())
            steps.append(scene.step())
        for name in ("begun", "persisting", "ended"):
            assert getattr(steps[1], name).tolist() == getattr(steps[0], name).tolist()
        assert_same_contacts(changes[1].found.values(), changes[0].found.values())
        assert changes[1].gone == changes[0].gone
    stack = np.stack([np.stack([matrix(shift=(d * size, 0, 0)), np.eye(4)]) for d in (0.0, 0.9, 5.0)])
    here, there = (scene.collides(stack, [0, 2]) for scene in (found, expected))
    assert here.pairs.tolist() == there.pairs.tolist() and here.any.tolist() == there.any.tolist()
    found.remove(1)
    expected.remove(1)
    assert_same_contacts(found.contacts().pairs, expected.contacts().pairs)


def test_meshes_in_memory_keep_their_verdicts_beside_them(model):
    """The order of all results is by severity, depth and ids."""
    cube, ring = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1))), mc.TriangleMesh(*torus(1.0, 0.4))
    scene = mc.Scene()
    for thing, pose in ((model[1], None), (cube, None), (ring, matrix(shift=(0.5, 0, 0))), (SHEET, None)):
        scene.add(thing, pose)
    pairs = scene.contacts().pairs
    depths = [-1.0 if pair.depth is None else pair.depth for pair in pairs]
    alone = mc.Scene()
    alone.add(cube)
    alone.add(ring, matrix(shift=(0.5, 0, 0)))
    assert by_ids(pairs)[1, 2].depth == alone.contacts().pairs[0].depth > 0.0
    severities = [pair.verdict.severity for pair in pairs]
    assert severities == sorted(severities, reverse=True) and max(depths) > 0.0


def test_first_contacts_are_watched(model):
    """In a hurry one contact of a pair is told, and the rest with the next update."""
    found = scenes(model, some_poses(model[2], 3, 5))[1]
    expected = {(pair.a, pair.b) for pair in found.contacts()}
    watch = mc.motion.LiveContacts(found)
    changes = watch.update(first_contact=True)
    assert changes.meeting.keys() == expected and not changes.found and watch.incomplete == len(expected)
    assert all(len(first.contacts) == 1 for first in changes.meeting.values())
    assert watch.update().found.keys() == expected and watch.incomplete == 0


def test_touching_within_a_tolerance(model):
    size = model[2]
    scene = mc.Scene()
    scene.add(model[1])
    scene.add(SHEET, matrix(shift=(0, 0, 3 * size)))
    gap = scene.distances().pairs[0].gap
    assert gap > 0.0 and scene.contacts(touch_tolerance=0.99 * gap).pairs == []
    pair = scene.contacts(touch_tolerance=1.01 * gap).pairs[0]
    assert pair.verdict == mc.Verdict.TOUCHING and len(pair.contacts) == 0 and pair.location is None
    assert scene.contacts(touch_tolerance=1.01 * gap, touching=False).pairs == []


def test_what_they_cannot_be_asked_is_refused(model):
    scene = mc.Scene()
    scene.add(model[1])
    scene.add(mc.clouds.PointCloud(sphere(np.random.default_rng(1), 400, 0.5)[0]))
    for ask in (scene.contacts, scene.collides, scene.distances, scene.step):
        with pytest.raises(
            mc.UnsupportedOption, match="object 0, a ClusteredMesh, cannot be compared with object 1, a PointCloud"
        ):
            ask()
    assert not scene.collides(set_a=[0], set_b=[0])
    scene.add(SHEET)
    assert (0, 2) in by_ids(scene.contacts().pairs)
    with pytest.raises(mc.UnsupportedOption, match="the query has no other pairs"):
        scene.contacts(set_a=[0], set_b=[1])
    scene.remove(2)
    with pytest.raises(mc.UnsupportedOption, match="a ClusteredMesh, which cannot be deformed"):
        scene.set_vertices(0, np.zeros((3, 3)))
    scene.remove(1)
    scene.add(SHEET)
    with pytest.raises(mc.UnsupportedOption, match="object 0 is a ClusteredMesh"):
        scene.time_critical()


def told(answer):
    """The pairs of ids that an answer has."""
    if isinstance(answer, mc.SceneContacts):
        return {(pair.a, pair.b) for pair in answer}
    return {
        tuple(p) if isinstance(p, list) else (p.a, p.b) for p in getattr(answer.pairs, "tolist", lambda: answer.pairs)()
    }


@pytest.mark.parametrize(
    "name", ["contacts", "collides", "clearances", "distances", "nearest", "step", "watch", "gaps"]
)
def test_a_pair_that_cannot_be_compared_leaves_the_others_alone(model, name):
    size = model[2]
    cloud = mc.clouds.PointCloud(sphere(np.random.default_rng(1), 400, 0.4 * size)[0])
    cube = mc.TriangleMesh(*box((-0.3, -0.3, -0.3), (0.3, 0.3, 0.3)))
    things = [model[1], cloud, cube.transformed(np.diag([size, size, size, 1.0])), SHEET, cube]
    poses = [matrix(), matrix(), matrix(), matrix(), matrix(shift=(50 * size, 0, 0))]

    def ask(left_out):
        scene = mc.Scene()
        ids = [scene.add(thing, pose) for thing, pose in zip(things, poses, strict=True)]
        for k in left_out:
            scene.remove(ids[k])
        watch = mc.motion.LiveGaps(scene, most=4) if name == "gaps" else mc.motion.LiveContacts(scene)
        if name in ("watch", "gaps"):
            changes = watch.update()
            return set(changes.found), watch.unanswered, watch
        questions = {
            "contacts": scene.contacts, "collides": scene.collides, "clearances": lambda: scene.clearances(0.1 * size),
            "distances": scene.distances, "nearest": lambda: scene.distances(most=3), "step": scene.step,
        }  # fmt: skip
        answer = questions[name]()
        return told(answer), answer.unanswered, answer

    found, unanswered, answer = ask(())
    assert unanswered.tolist() == [[0, 1]] and unanswered.dtype == np.int64
    parts = [ask((k,)) for k in (0, 1)]
    assert all(len(part[1]) == 0 for part in parts)
    if name in ("nearest", "gaps"):
        assert len(found) + answer.left_out == 9  # of ten pairs
    else:
        assert found == parts[0][0] | parts[1][0] and (0, 1) not in found
    assert answer is not None and bool(found)


def test_what_cannot_be_told_counts_as_no_way_to_go(model):
    """A planner that asks whether anything collides is not told that the way is free."""
    size, cube = model[2], mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))
    scene = mc.Scene()
    scene.add(model[1])
    cloud = scene.add(mc.clouds.PointCloud(sphere(np.random.default_rng(1), 400, 0.4 * size)[0]))
    scene.add(cube, matrix(shift=(90 * size, 0, 0)))
    found = scene.collides(np.stack([matrix(), matrix(shift=(30 * size, 0, 0))])[:, None], [cloud])
    assert found and found.pairs.tolist() == [] and found.unanswered.tolist() == [[0, cloud]]
    assert found.any.tolist() == [True, False]
