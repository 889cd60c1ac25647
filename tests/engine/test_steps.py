"""A question is one function; ``steps`` asks the same in slices."""

import inspect
import pickle
import pydoc

import meshclash as mc
import numpy as np
import pytest
from solids import box

SHIFTED = np.eye(4)
SHIFTED[:3, 3] = 0.5, 0.25, 0.125


def box_mesh():
    return mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))


def boxes():
    scene = mc.Scene()
    scene.add(box_mesh())
    scene.add(box_mesh(), SHIFTED)
    return scene


def questions():
    scene = boxes()
    return [
        (mc.build, (box_mesh(),), lambda tree: tree.tree.order.tolist()),
        (mc.voxels.voxel_collide, (box_mesh(), box_mesh(), None, SHIFTED), lambda found: found.contacts.pairs.tolist()),
        (mc.motion.time_of_contact, (box_mesh(), box_mesh(), None, SHIFTED), lambda found: found.time),
        (mc.motion.swept_collide, (box_mesh(), box_mesh()), lambda found: found.pairs.tolist()),
        (scene.contacts, (), lambda found: [(item.a, item.b, item.depth) for item in found.pairs]),
        (scene.collides, (), lambda found: list(found.any)),
        (scene.distances, (), lambda found: [item.gap for item in found.pairs]),
    ]


@pytest.mark.parametrize("number", range(7))
def test_slices_give_the_answer(number):
    """A question answers the same at once and in slices, and slices yield progress that does not go back."""
    question, given, told = questions()[number]
    seen = []
    in_slices = mc.run(mc.steps(question, *given), seen.append)
    assert told(in_slices) == told(question(*given))
    assert all(isinstance(progress, mc.Progress) for progress in seen)
    assert all(0.0 <= progress.fraction <= 1.0 for progress in seen)


def test_tools_see_a_plain_function():
    """``help``, ``inspect`` and ``pickle`` see the arguments and the answer's type, not a generator."""
    for question in (mc.motion.time_of_contact, mc.Scene.contacts, mc.massive.ClusteredMesh.build):
        assert "Generator" not in str(inspect.signature(question))
        assert not inspect.isgeneratorfunction(question)
    assert inspect.signature(mc.motion.time_of_contact).return_annotation == "TimeOfContact"
    assert "Generator" not in pydoc.plain(pydoc.render_doc(mc.Scene.contacts))
    assert pickle.loads(pickle.dumps(mc.motion.time_of_contact)) is mc.motion.time_of_contact


def test_what_has_no_slices_says_so():
    """A function that answers in one go is named."""
    with pytest.raises(mc.UnsupportedOption, match="refit cannot run in steps"):
        mc.steps(mc.refit, mc.build(box_mesh()), box_mesh().vertices)


def test_steps_that_ended_have_no_second_answer():
    """Steps that were run, or closed, are refused: their answer would be taken for None."""
    ended, closed = (mc.steps(mc.collide, box_mesh(), box_mesh()) for _ in range(2))
    mc.run(ended)
    closed.close()
    for steps in (ended, closed):
        with pytest.raises(mc.UnsupportedOption, match="already ended"):
            mc.run(steps)


@pytest.mark.parametrize("ask", [mc.collide, lambda *args, **options: mc.steps(mc.collide, *args, **options)])
def test_a_misspelt_option_is_named_with_what_was_meant(ask):
    with pytest.raises(
        TypeError, match=r"collide\(\) got an unexpected keyword argument 'pos_b'; did you mean 'pose_b'"
    ):
        ask(box_mesh(), box_mesh(), pos_b=SHIFTED)
    with pytest.raises(TypeError, match=r"contacts\(\) .*'set_aa'; did you mean 'set_a'"):
        boxes().contacts(set_aa=[0])


def test_a_call_with_too_many_arguments_names_the_public_function():
    prepared = mc.build(box_mesh())
    mc.collide(prepared, prepared)
    with pytest.raises(TypeError, match=r"^collide\(\) takes"):
        mc.collide(prepared, prepared, None, None, True)
    scene = boxes()
    scene.collides()
    for question in (scene.collides, scene.any, scene.distances):
        with pytest.raises(TypeError, match=rf"^Scene\.{question.__name__}\(\) takes"):
            question(None, None, None)


def test_public_names_are_asked_in_one_way():
    """No public name or method is a second form of another, for slices."""
    packages = [mc, mc.clouds, mc.lab, mc.massive, mc.motion, mc.voxels]
    things = [getattr(package, name) for package in packages for name in package.__all__]
    owners = [*packages, *filter(inspect.isclass, things)]
    assert not [(o, n) for o in owners for n in dir(o) if n.endswith("_steps") and callable(getattr(o, n[:-6], None))]


def test_arguments_that_do_not_fit_are_told_with_the_public_name():
    scene = mc.Scene()
    with pytest.raises(TypeError, match=r"^Scene\.distances\(\) got multiple values for argument 'most'"):
        scene.distances(3, most=3)
