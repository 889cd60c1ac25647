"""Arguments of wrong kinds are refused in words, whatever public function is called; and what is accepted as a pose."""

import pickle
from operator import attrgetter
from pathlib import Path

import meshclash as mc
import numpy as np
import public_calls
import pytest
import wrong_calls
from meshclash.traversal import contacts
from solids import box
from strategies import matrix, rotation
from subprocesses import run_python

MESH = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))
FOLDER = Path(__file__).parent

CLOUD = mc.clouds.PointCloud


def test_every_public_callable_has_a_valid_call(tmp_path):
    """A new function, constructor, method or setter needs one, from which wrong calls are made."""
    called, public = set(public_calls.examples(public_calls.Things(tmp_path))), set(public_calls.public_callables())
    assert not public - called, f"add valid calls to public_calls.py for {sorted(public - called)}"
    assert not called - public, f"public_calls.py has calls for {sorted(called - public)}, which are not public"


@pytest.mark.parametrize("name", sorted(public_calls.RETURNED))
def test_classes_that_users_do_not_construct_are_public(name):
    assert isinstance(attrgetter(name)(mc), type)


def test_a_few_wrong_calls_end_in_errors_of_meshclash(tmp_path):
    found = [
        (name, text, fault)
        for name, made, text in wrong_calls.wrong_calls(public_calls.Things(tmp_path), 100, 5)
        if (fault := wrong_calls.fault_of(made)[0])
    ]
    assert found == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_wrong_calls_end_in_errors_of_meshclash(seed):
    """In a process of its own, which has little memory; ``wrong_calls.py --calls 20000`` is the long run."""
    code = f"import sys; sys.path.insert(0, {str(FOLDER)!r}); sys.argv[1:] = ['--calls', '3000', '--seed', '{seed}']"
    answer = run_python(f"{code}; import wrong_calls; wrong_calls.main()")
    assert answer["found"] == []
    assert answer["calls"] == 3000


def test_calls_that_end_in_raw_errors_are_found(tmp_path, monkeypatch):
    """The campaign is no blind one: without a check its faults appear."""
    monkeypatch.setattr(contacts, "side_of", lambda side: side)
    things = public_calls.Things(tmp_path)
    made = wrong_calls.wrong_calls(things, 60, 1, only="Contacts.world_triangles")
    assert any("IndexError" in wrong_calls.fault_of(wrong.made)[0] for wrong in made)


def scene():
    made = mc.Scene()
    made.add(MESH)
    made.add(MESH)
    return made


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: scene().contacts(keep=5), mc.UnsupportedOption, "keep must be None or a function"),
        (lambda: scene().contacts(set_a=5), mc.UnsupportedOption, "set_a must be a list of ids or names"),
        (lambda: scene().contacts(set_a=[0], set_b=1.5), mc.UnsupportedOption, "set_b must be a list"),
        (lambda: scene().collides([np.eye(4)], movers="x"), mc.UnsupportedOption, "movers must be a list of ids"),
        (lambda: scene().collides([np.eye(4)], movers=5), mc.UnsupportedOption, "movers must be a list"),
        (lambda: scene().collides([np.eye(4)], movers=[1.5]), mc.UnsupportedOption, "movers must be object ids"),
        (lambda: scene().collides([np.eye(4)], movers=[True]), mc.UnsupportedOption, "movers must be object ids"),
        (lambda: list(mc.warm_up(1)), mc.UnsupportedOption, "parts must be a list"),
        (lambda: list(mc.warm_up("gpu")), mc.UnsupportedOption, "parts must be a list"),
        (lambda: mc.lab.hierarchy_level(MESH, 1, most="x"), mc.UnsupportedOption, "most.* must be a whole number"),
        (lambda: mc.motion.LiveContacts(3), mc.UnsupportedOption, r"scene must be a meshclash\.Scene, not an int"),
        (lambda: mc.motion.LiveGaps(MESH), mc.UnsupportedOption, r"not a TriangleMesh"),
        (lambda: mc.collide(MESH, MESH, np.eye(4) * 1j), mc.InvalidPose, "complex128"),
        (lambda: mc.Scene().add(MESH, np.eye(4) + 0j), mc.InvalidPose, "complex128"),
        (lambda: mc.TriangleMesh(MESH.vertices + 1j, MESH.triangles), mc.InvalidMesh, "complex128"),
        (lambda: mc.TriangleMesh(MESH.vertices, MESH.triangles + 0j), mc.InvalidMesh, "complex128"),
        (lambda: MESH.with_vertices(MESH.vertices + 0j), mc.InvalidMesh, "complex128"),
        (lambda: MESH.transformed(np.eye(4) + 0j), mc.InvalidMesh, "complex128"),
        (lambda: CLOUD(np.random.default_rng(1).normal(size=(9, 3)) + 0j), mc.clouds.InvalidPointCloud, "complex128"),
        (lambda: CLOUD(MESH.vertices[:8] * 1.5, MESH.vertices + 1j), mc.clouds.InvalidPointCloud, "complex128"),
        (lambda: mc.Pose.identity().apply([[1j, 0, 0]]), mc.InvalidMesh, "complex128"),
    ],
)  # fmt: skip
def test_the_words_say_what_to_do(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_revisions_of_what_is_not_in_the_scene():
    made = scene()
    first, second = 0, 1
    made.set_pose(second, None)
    assert made.revisions(np.array([[first, second], [second, second]])).tolist() == [[0, 1], [1, 1]]
    made.remove(first)
    for gone in ([first], [second, first], [7], [-1]):
        with pytest.raises(mc.UnknownObject, match="the scene has no object"):
            made.revisions(np.array(gone))
    assert made.revisions(np.array([second])).tolist() == [1]
    assert made.revisions(np.empty((0, 2), np.int64)).shape == (0, 2)


def test_every_form_of_a_pose_means_the_same():
    rng = np.random.default_rng(3)
    turns, shifts = [rotation(rng) for _ in range(2)], rng.normal(size=(2, 3)) * 0.4
    full = np.stack([matrix(turn, shift) for turn, shift in zip(turns, shifts, strict=True)])
    single = (
        full[0], full[0, :3], full[0].tolist(), full[0, :3].tolist(), (turns[0], shifts[0]), [turns[0], shifts[0]],
        (turns[0].tolist(), shifts[0].tolist()), (turns[0], shifts[0][:, None]), mc.Pose.from_matrix(full[0]),
        mc.Pose.from_matrix(full[0, :3]), mc.Pose.from_matrix((turns[0], shifts[0])),
    )  # fmt: skip
    stacks = (
        full, full[:, :3], list(full), list(full[:, :3]), list(zip(turns, shifts, strict=True)),
        [mc.Pose.from_matrix(full[0]), (turns[1], shifts[1])], [full[0, :3], mc.Pose.from_matrix(full[1])],
    )  # fmt: skip
    for forms in (single, stacks):
        expected = mc.collide(MESH, MESH, None, forms[0])
        assert len(expected) > 0
        for form in forms:
            for found in (mc.collide(MESH, MESH, None, form), mc.collide(MESH, MESH, form)):
                assert found.pose.max() == len(forms[0].shape) - 2
            assert mc.collide(MESH, MESH, None, form).pairs.tobytes() == expected.pairs.tobytes()


@pytest.mark.parametrize(
    "wrong",
    [
        (np.eye(3), np.zeros(4)), (np.eye(2), np.zeros(3)), (np.eye(3), [1j, 0, 0]), (2.0 * np.eye(3), np.zeros(3)),
        np.zeros((3, 4)), np.eye(4)[:3] * 2.0, np.zeros((2, 3, 5)), (np.eye(3), [0.0, 0.0, np.inf]), ("R", "t"),
    ],
)  # fmt: skip
def test_forms_that_are_no_pose(wrong):
    with pytest.raises(mc.InvalidPose):
        mc.collide(MESH, MESH, wrong)


def test_messages_about_large_arguments_are_short():
    large = np.full((1000, 3), np.nan)
    for call in (lambda: mc.float32_resolution(large), lambda: mc.collide(MESH, MESH, threads=list(range(9999)))):
        with pytest.raises(mc.UnsupportedOption) as caught:
            call()
        assert len(str(caught.value)) < 200


def poses_of_scipy():
    """Rotations, and transforms where this SciPy has them, each with the matrix that it means: one and a stack."""
    transform = pytest.importorskip("scipy.spatial.transform")
    angles, shifts = np.array([[0.3], [1.2]]), np.array([[0.1, 0.2, 0.3], [5.0, 0.0, 0.0]])
    turns = transform.Rotation.from_euler("z", angles)
    matrices = np.stack([matrix(turn) for turn in turns.as_matrix()])
    found = [(turns[0], matrices[0]), (turns, matrices)]
    if hasattr(transform, "RigidTransform"):
        moved = np.stack([matrix(turn, shift) for turn, shift in zip(turns.as_matrix(), shifts, strict=True)])
        found += [(transform.RigidTransform.from_matrix(part), part) for part in (moved[0], moved)]
    return found


def test_rotations_and_transforms_of_scipy_are_poses():
    for given, full in poses_of_scipy():
        for ask in (mc.collides, lambda *args, **kw: mc.distance(*args, **kw).distance):
            assert np.allclose(ask(MESH, MESH, pose_b=given), ask(MESH, MESH, pose_b=full), atol=1e-14)
            assert np.allclose(ask(MESH, MESH, pose_a=given), ask(MESH, MESH, pose_a=full), atol=1e-14)
        many, each = (2, full) if full.ndim == 3 else (1, full[None])
        made = mc.Scene()
        names = [f"part {k}" for k in range(many)]
        for name in names:
            made.add(MESH, name=name)
        made.set_poses(names, given if many > 1 else [given])
        assert np.allclose([made.posed(name)[1].matrix for name in names], each, atol=1e-15)
        if many == 1:
            made.set_pose(names[0], None)
            made.set_pose(names[0], given)
            assert np.allclose(made.posed(names[0])[1].matrix, full, atol=1e-15)
            assert np.allclose(mc.Pose(given).matrix, full, atol=1e-15) and mc.split_matrix(given)[1] is None
        else:
            assert np.array_equal(made.collides(given).any, made.collides(full).any)
            assert np.allclose(mc.motion.KeyframedMotion([0.0, 1.0], given).poses([0.0, 1.0]), full, atol=1e-15)
            listed = [list(given), [mc.Pose(part) for part in full]]
            assert all(np.array_equal(made.any(poses), made.any(full)) for poses in listed)
            stacked = [listed[0], listed[1][::-1]]
            assert np.array_equal(made.any(stacked), made.any(np.stack([full, full[::-1]])))


@pytest.mark.parametrize("wrong", [5, "x", np.eye(3), np.zeros((3, 4)), [[1, 2], [3]], None])
def test_a_pose_is_checked_when_it_is_made(wrong):
    """It was taken as it is, and every question about it failed."""
    with pytest.raises(mc.InvalidPose):
        mc.Pose(wrong)


def test_ids_are_no_truth_values_and_names_are_suggested():
    made = mc.Scene()
    made.add(MESH, name="left arm")
    made.add(MESH)
    for wrong in (True, 1.0, "1", np.array(1), [1]):
        assert wrong not in made
        with pytest.raises(mc.UnknownObject):
            made.set_pose(wrong, None)
    with pytest.raises(mc.UnknownObject, match="'left arn'; did you mean 'left arm'"):
        made.posed("left arn")


class WithoutRepr:
    def __repr__(self):
        raise RuntimeError("no repr")


@pytest.mark.parametrize(
    "value",
    [10**5000, [10**5000], WithoutRepr(), [WithoutRepr()], "x" * 9999, {"a": 10**5000}],
    ids=("number", "list", "object", "objects", "text", "dictionary"),
)
def test_a_value_that_cannot_be_shown_is_still_refused_in_words(value):
    """Python refuses to write very long numbers, and an object's ``repr`` may fail."""
    for ask in (
        lambda: mc.collide(MESH, MESH, engine=value), lambda: mc.collide(MESH, MESH, volume=value),
        lambda: mc.clearance(MESH, MESH, value), lambda: mc.TriangleMesh(MESH.vertices, MESH.triangles, weld=value),
        lambda: mc.Scene().remove(value), lambda: mc.clash.event("Ann", "a", value),
    ):  # fmt: skip
        with pytest.raises(mc.MeshClashError) as caught:
            ask()
        assert len(str(caught.value)) < 400
        assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
