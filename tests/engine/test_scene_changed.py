"""A question that is gone on with after its scene was edited ends with one error, and the scene stays usable."""

from functools import partial

import meshclash as mc
import numpy as np
import pytest
from clouds import sphere
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.types import slices as types_slices
from meshclash.types.steps import run
from scene_editor import Editor, some_pose
from strategies import matrix

CLOUD = mc.clouds.PointCloud(sphere(np.random.default_rng(1), 400, 0.7)[0])


class Asked:
    """A scene with watches of it, and every question that can be asked of them in slices."""

    def __init__(self, rng, clouds):
        self.rng, self.editor, self.clouds = rng, Editor(rng), []
        self.scene = self.editor.scene
        for _ in range(6):
            self.editor.add()
        for _ in range(clouds):
            self.clouds.append(self.scene.add(CLOUD, some_pose(rng)))
        self.watch, self.gaps, self.nearest = (
            mc.motion.LiveContacts(self.scene),
            mc.motion.LiveGaps(self.scene, 0.3),
            mc.motion.LiveGaps(self.scene),
        )
        scene = self.scene
        self.questions = {
            "contacts": partial(mc.steps, scene.contacts),
            "collides": partial(mc.steps, scene.collides),
            "step": partial(mc.steps, scene.step),
            "clearances": partial(mc.steps, scene.clearances, 0.3),
            "distances": partial(mc.steps, scene.distances, most=3),
            "time critical": partial(mc.steps, scene.time_critical),
            "watch": partial(mc.steps, self.watch.update),
            "first": partial(mc.steps, self.watch.update, first_contact=True),
            "gaps": partial(mc.steps, self.gaps.update),
            "nearest": partial(mc.steps, self.nearest.update),
        }

    def edit(self):
        way = self.rng.integers(6)
        if way == 0 and self.clouds:
            self.scene.remove(self.clouds.pop())
        elif way == 1 and self.clouds:
            self.scene.set_pose(self.clouds[0], some_pose(self.rng))
        elif way == 2 and self.editor.objects:
            ids = list(self.editor.objects)
            poses = [some_pose(self.rng) for _ in ids]
            self.scene.set_poses(ids, poses)
            for identifier, pose in zip(ids, poses, strict=True):
                self.editor.objects[identifier] = self.editor.objects[identifier][0], pose
        elif way == 3 and self.editor.objects:
            while self.editor.objects:
                self.editor.remove()
        else:
            self.editor.step()

    def anew(self):
        """The same objects in a scene of their own, and their ids here."""
        fresh, ids = mc.Scene(), {}
        for identifier in range(1000):
            if identifier in self.editor.objects:
                ids[fresh.add(*self.editor.objects[identifier])] = identifier
            elif identifier in self.clouds:
                ids[fresh.add(*self.scene.posed(identifier))] = identifier
        return fresh, ids


def named(found, ids=None):
    return {tuple(ids[i] if ids else i for i in (p.a, p.b)): p.verdict.name for p in found}


def check(asked):
    """All that the scene and its watches know is what a new scene would say."""
    fresh, ids = asked.anew()
    expected = named(fresh.contacts().pairs, ids)
    found = asked.scene.contacts()
    assert named(found.pairs) == expected
    certain = {(p.a, p.b) for p in found.pairs if not p.undecided}
    collide = {tuple(pair) for pair in asked.scene.collides().pairs.tolist()}
    assert certain <= collide <= expected.keys()  # of undecided pairs, `collides` is the best guess
    assert {tuple(pair) for pair in asked.scene.step().pairs.tolist()} == collide
    for watch, steps in ((asked.gaps, fresh.clearances(0.3)), (asked.nearest, fresh.distances())):
        run(mc.steps(watch.update))
        assert {ids[g.a] * 1000 + ids[g.b]: g.gap for g in steps.pairs} == pytest.approx(
            {a * 1000 + b: g.gap for (a, b), g in watch._listed.items()}, abs=1e-9
        )
    run(mc.steps(asked.watch.update))
    assert asked.watch.incomplete == 0


@pytest.mark.parametrize("clouds", [0, 2])
@settings(max_examples=8)
@given(st.integers(0, 2**32 - 1))
def test_a_question_ends_with_one_error_when_its_scene_was_edited(clouds, seed):
    rng = np.random.default_rng(seed)
    asked = Asked(rng, clouds)
    patch = pytest.MonkeyPatch()
    patch.setattr(types_slices, "SLICE_SECONDS", 0.0)
    for _ in range(4):
        steps = asked.questions[rng.choice(list(asked.questions))]()
        told = [next(steps, None) for _ in range(rng.integers(0, 12))]
        asked.edit()
        if not told:
            run(steps)  # it had not begun
        elif told[-1] is not None:
            with pytest.raises(mc.SceneChanged, match="repeat the query"):
                run(steps)
        assert next(steps, None) is None
    patch.undo()
    check(asked)


def test_what_an_unedited_scene_is_asked_is_answered():
    scene = mc.Scene()
    mesh = mc.TriangleMesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    first, second = scene.add(mesh), scene.add(mesh, matrix(shift=(5.0, 0, 0)))
    steps = mc.steps(scene.contacts)
    next(steps)
    for call in (lambda: scene.set_pose(7, None), lambda: scene.remove(7), lambda: scene.set_poses([first], [1])):
        with pytest.raises(mc.MeshClashError):
            call()  # refused, so that nothing changed
    assert run(steps).pairs == []
    scene.set_pose(second, None)
    assert len(scene.contacts().pairs) == 1
