"""Objects are copied and pickled by what they are: a copy answers as its original, when that is gone, anywhere."""

import copy
import enum
import pickle
import threading

import meshclash as mc
import numpy as np
import pytest
from copied_things import EXAMPLES, WAYS, Example, Refuses, cloud_of, is_plain, mesh_of, move, public_classes, scene_of
from copied_things import state as state_of
from copying_checks import ELSEWHERE, arrays_of, fault_of, faults_elsewhere, has_address, name_of
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.query.shortcuts.record import keep_record
from meshclash.traversal.forest import pack_trees
from meshclash.types.copying import Changeable, Copyable, NotCopied
from strategies import matrix

COPIED = [kind for kind, example in EXAMPLES.items() if isinstance(example, Example)]
REFUSED = [kind for kind, example in EXAMPLES.items() if isinstance(example, Refuses)]
SEEDS = st.integers(0, 2**31 - 1)


def names(kinds):
    return [kind.__name__ for kind in kinds]


def test_every_public_class_has_an_example():
    missing = [name for kind, name in public_classes().items() if not is_plain(kind) and kind not in EXAMPLES]
    assert not missing, (
        f"{', '.join(missing)}: nobody says how copies of them are tested. Derive the class from Copyable (from "
        "Changeable where it changes) of meshclash/types/copying.py and name its caches. Add an Example to EXAMPLES in "
        "tests/engine/copied_things.py: how one is made, what fills its caches, and what it is asked; or a Refuses, of "
        "what holds a file or a device"
    )
    gone = [name_of(kind) for kind in EXAMPLES if kind not in public_classes()]
    assert not gone, f"{', '.join(gone)} are no public classes: take them out of EXAMPLES"


@pytest.mark.parametrize("kind", COPIED, ids=names(COPIED))
@settings(max_examples=6)
@given(seed=SEEDS, way=st.sampled_from([*WAYS, "copy"]))
def test_a_copy_answers_as_its_original_when_that_is_gone(kind, seed, way):
    assert not fault_of(kind, seed, way, look_for_addresses=True)


@pytest.mark.slow
@pytest.mark.parametrize("kind", COPIED, ids=names(COPIED))
@settings(max_examples=60)
@given(seed=SEEDS, way=st.sampled_from([*WAYS, "copy"]))
def test_copies_of_many_states(kind, seed, way):
    assert not fault_of(kind, seed, way, look_for_addresses=True)


@pytest.mark.slow
@pytest.mark.parametrize("way", ELSEWHERE)
def test_objects_answer_the_same_in_another_process(way):
    pytest.importorskip({"joblib": "joblib", "dask": "distributed"}.get(way, "sys"))
    assert not faults_elsewhere(way, [(kind, 17 * k) for k, kind in enumerate(COPIED)])


@pytest.mark.parametrize("kind", REFUSED, ids=names(REFUSED))
@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, pickle.dumps])
def test_what_holds_a_file_says_so(kind, way):
    example = EXAMPLES[kind]
    with pytest.raises(TypeError, match=f"{kind.__name__} cannot be copied or pickled.*{example.says}"):
        way(state_of(kind, 1))


def test_errors_and_constants_survive():
    for kind in public_classes():
        if issubclass(kind, enum.Enum):
            assert all(pickle.loads(pickle.dumps(one)) is one and copy.deepcopy(one) is one for one in kind)
        elif issubclass(kind, BaseException):
            for made in (pickle.loads(pickle.dumps(kind("what to do"))), copy.copy(kind("what to do"))):
                assert type(made) is kind and str(made) == "what to do"


def test_what_holds_addresses_refuses_to_be_copied():
    mesh = mc.shapes.box(1.0)
    tree = mc.build(mesh)
    packed = pack_trees([tree])
    for holder in (keep_record(mesh, tree), packed.forest, packed.lanes):
        for way in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="contains memory addresses"):
                way(holder)
    assert isinstance(keep_record(mesh, tree), NotCopied)
    assert not has_address(copy.deepcopy(packed), packed)


class Labelled(mc.TriangleMesh):
    """A mesh as a user may derive one."""

    __slots__ = ("note",)

    def __init__(self, label):
        box = mc.shapes.box(1.0)
        super().__init__(box.vertices, box.triangles)
        self.label, self.note = [label], "slot"


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, *WAYS.values()])
def test_attributes_of_a_derived_class_survive(way):
    mesh = Labelled("bolt")
    assert mc.collides(mesh, mesh) and mesh.is_closed
    made = way(mesh)
    assert type(made) is Labelled and made.label == ["bolt"] and made.note == "slot"
    assert mc.collides(made, made, pose_b=matrix(shift=(0.9, 0, 0))) and made.derived is not mesh.derived


class Cached(Copyable, caches={"kept": list}):
    """With a cache that a class derived from it has, too."""

    def __init__(self):
        self.kept, self.value = [1], np.arange(3.0)


class MoreCached(Cached, Changeable, caches={"more": dict}):
    def __init__(self):
        super().__init__()
        self.more = {1: 1}


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, *WAYS.values()])
def test_caches_begin_anew_in_derived_classes(way):
    made = way(MoreCached())
    assert made.kept == [] and made.more == {} and made.value.tolist() == [0.0, 1.0, 2.0]
    assert made.value.flags.writeable and made.value.flags.owndata


def test_arrays_that_come_read_only_are_fit_for_kernels():
    for kind in (mc.TriangleMesh, mc.Hierarchy, mc.clouds.PointCloud, mc.shapes.ConvexHull, mc.voxels.VoxelMap):
        made = WAYS["pickle 5, read-only buffers"](state_of(kind, 3))
        assert all(array.flags.writeable and type(array) is np.ndarray for array in arrays_of(made))


def test_meshes_over_the_same_triangles_still_share_them():
    mesh = mc.shapes.box(1.0)
    for way in (copy.deepcopy, lambda both: pickle.loads(pickle.dumps(both))):
        first, second = way((mesh, mesh.with_vertices(2.0 * mesh.vertices)))
        assert first.common is second.common and first.arrays[1] is second.arrays[1]


def test_a_copied_object_is_a_key_of_its_own():
    for kind in (mc.TriangleMesh, mc.Hierarchy, mc.Scene, mc.clouds.PointCloud, mc.PairVerdict):
        thing = state_of(kind, 5)
        made = pickle.loads(pickle.dumps({thing: 1}))
        assert list(made.values()) == [1] and made[next(iter(made))] == 1


def test_a_shallow_copy_of_a_scene_has_poses_of_its_own_and_the_same_meshes():
    rng = np.random.default_rng(4)
    scene = scene_of(rng)
    assert scene.any() is not None
    other = copy.copy(scene)
    assert all(scene.posed(i)[0] is other.posed(i)[0] for i in scene)
    before = [other.posed(i)[1].matrix.tolist() for i in other]
    move(scene, rng)
    scene.remove(next(iter(scene)))
    assert [other.posed(i)[1].matrix.tolist() for i in other] == before and len(other) == len(scene) + 1


def test_a_shallow_copy_of_a_hierarchy_is_not_written_over():
    tree = mc.build(mc.shapes.box(1.0))
    other, near = copy.copy(tree), matrix(shift=(0.5, 0, 0))
    mc.refit(tree, tree.mesh.vertices + 9.0, in_place=True)
    assert other.mesh is not tree.mesh and mc.collides(other, mc.shapes.box(1.0), pose_b=near)
    assert not mc.collides(tree, mc.shapes.box(1.0), pose_b=near)


def test_a_record_of_a_pair_says_the_same_after_a_refit_in_place():
    trees = mc.build(mc.shapes.box(1.0)), mc.build(mc.shapes.box(1.0))
    pose = matrix(shift=(0.5, 0.25, 0.125))
    for _ in range(2):  # the second one is asked by the short way
        found, wanted = (mc.verdict(*trees, pose_b=pose) for _ in range(2))
    pairs = wanted.contacts.pairs.tolist()
    mc.refit(trees[1], trees[1].mesh.vertices + 9.0, in_place=True)
    assert pairs and found.contacts.pairs.tolist() == pairs


def test_a_copied_search_goes_on_where_the_original_stopped():
    rng = np.random.default_rng(9)
    scene = mc.Scene()
    for k in range(4):
        scene.add(mesh_of(rng), matrix(shift=(0.8 * k, 0, 0)))
    scene.add(cloud_of(rng), matrix(shift=(0.4, 0, 0)))
    for _ in range(5):
        for way in (copy.deepcopy, copy.copy, lambda one: pickle.loads(pickle.dumps(one))):
            made = way(scene)
            wanted = copy.deepcopy(scene).time_critical(steps=40)
            found = made.time_critical(steps=40)
            assert found.probability.tolist() == wanted.probability.tolist()
            assert found.complete.tolist() == wanted.complete.tolist()
        assert scene.time_critical(steps=40).probability.tolist() == wanted.probability.tolist()


def test_meshes_are_copied_while_others_ask_them():
    mesh, far, near = mc.shapes.sphere(1.0, 0.02), matrix(shift=(3, 0, 0)), matrix(shift=(1, 0, 0))
    stop, wrong = threading.Event(), []

    def ask():
        while not stop.is_set():
            mc.distance(mesh, mesh, pose_b=far)
            mesh.derived.clear()
            mesh.__dict__.pop("bounds", None)

    asking = threading.Thread(target=ask)
    asking.start()
    for _ in range(40):
        made = copy.deepcopy(mesh)
        if mc.collides(made, made, pose_b=far) or not mc.collides(made, made, pose_b=near):
            wrong.append(made)
    stop.set()
    asking.join()
    assert not wrong
