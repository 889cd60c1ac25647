"""Arguments of wrong kinds are refused in words, whatever public function is called; and what is accepted as a pose."""

from pathlib import Path

import meshclash as mc
import numpy as np
import pytest
from solids import box
from strategies import matrix, rotation
from subprocesses import run_python

MESH = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))
FOLDER = Path(__file__).parent

CLOUD = mc.clouds.PointCloud


@pytest.mark.slow
def test_every_public_function_refuses_what_it_cannot_use_in_words():
    code = f"import sys; sys.path.insert(0, {str(FOLDER)!r}); import wrong_arguments; wrong_arguments.main()"
    answer = run_python(f"import warnings; warnings.simplefilter('ignore'); {code}", NUMBA_DISABLE_JIT="1")
    assert answer["found"] == []
    assert answer["calls"] > 3000


def scene():
    made = mc.Scene()
    made.add(MESH)
    made.add(MESH)
    return made


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: scene().contacts(keep=5), mc.UnsupportedOption, "keep must be None or a function"),
        (lambda: scene().contacts(set_a=5), mc.UnsupportedOption, "set_a must be None or several ids or names"),
        (lambda: scene().contacts(set_a=[0], set_b=1.5), mc.UnsupportedOption, "set_b must be None or several"),
        (lambda: scene().collides([np.eye(4)], movers="x"), mc.UnsupportedOption, "movers must be ids or names"),
        (lambda: scene().collides([np.eye(4)], movers=5), mc.UnsupportedOption, "movers must be None or several"),
        (lambda: scene().collides([np.eye(4)], movers=[1.5]), mc.UnsupportedOption, "movers must be ids or names"),
        (lambda: scene().collides([np.eye(4)], movers=[True]), mc.UnsupportedOption, "movers must be ids or names"),
        (lambda: list(mc.warm_up(1)), mc.UnsupportedOption, "parts must be a list"),
        (lambda: list(mc.warm_up("gpu")), mc.UnsupportedOption, "parts must be a list"),
        (lambda: mc.lab.hierarchy_level(MESH, 1, most="x"), mc.UnsupportedOption, "most.* must be a whole number"),
        (lambda: mc.motion.LiveContacts(3), mc.UnsupportedOption, r"scene must be a meshclash\.Scene, not a int"),
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
