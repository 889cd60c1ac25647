"""Objects of a scene by name and id, its answers as sequences and tables, and how many names there are."""

import sys
from functools import partial
from inspect import signature
from types import SimpleNamespace

import meshclash as mc
import numpy as np
import pytest
from clouds import sphere
from solids import box
from strategies import matrix

CUBE = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))
NAMES = "table", "arm", "tool", None


def scene_of() -> mc.Scene:
    """Four boxes in a row that overlap, of which three have names."""
    scene = mc.Scene()
    for k, name in enumerate(NAMES):
        assert scene.add(CUBE, matrix(shift=(0.75 * k, 0.0, 0.0)), name=name) == k
    return scene


def test_a_scene_has_members_that_are_named():
    scene = scene_of()
    assert len(scene) == 4 and list(scene) == [0, 1, 2, 3] and repr(scene) == "Scene(4 objects)"
    assert "arm" in scene and 3 in scene and "leg" not in scene and 4 not in scene
    assert [scene.name_of(key) for key in (0, "arm", 3)] == ["table", "arm", 3]
    assert [scene.id_of(key) for key in ("tool", 2, np.int64(3))] == [2, 2, 3]
    scene.remove("arm")
    assert "arm" not in scene and list(scene) == [0, 2, 3] and scene.add(CUBE, name="arm") == 4


@pytest.mark.parametrize("name", ["arm", "", 5])
def test_names_are_different_texts(name):
    scene = scene_of()
    with pytest.raises(mc.UnsupportedOption, match="name"):
        scene.add(CUBE, name=name)
    assert len(scene) == 4


def test_names_are_taken_where_ids_are():
    scene = scene_of()
    for sets in ({"set_a": ["arm"]}, {"set_a": [1]}, {"set_b": {"arm"}}, {"set_a": ["arm", "table"], "set_b": [2, 1]}):
        ids = {name: [scene.id_of(key) for key in keys] for name, keys in sets.items()}
        for ask in (scene.contacts, scene.distances, scene.collides, scene.time_critical):
            assert np.array(pairs_of(ask(**sets))).tolist() == np.array(pairs_of(ask(**ids))).tolist() != []
    away = matrix(shift=(0.0, 9.0, 0.0))
    for movers in (["arm"], [1], ("arm",)):
        assert scene.collides(away[None], movers).pairs.tolist() == [[2, 3]]
    scene.set_pose("arm", away)
    scene.set_poses(["tool", 3], [away, away])
    assert scene.posed("tool")[1].matrix.tolist() == away.tolist() and scene.revisions(["table", "arm"]).tolist() == [
        0,
        1,
    ]
    scene.set_vertices("arm", CUBE.vertices + 50.0)
    assert [pair.name_a for pair in scene.contacts()] == ["tool"] and scene.contacts()[0].name_b == 3


def pairs_of(found):
    return (
        sorted(map(tuple, found.pairs.tolist())) if isinstance(found.pairs, np.ndarray) else [(p.a, p.b) for p in found]
    )


@pytest.mark.parametrize("key", ["leg", 9, None, [1]])
def test_what_is_no_object_is_told_by_its_name(key):
    scene = scene_of()
    for ask in (
        lambda: scene.posed(key), lambda: scene.remove(key), lambda: scene.set_pose(key, None),
        lambda: scene.name_of(key), lambda: scene.contacts(set_a=[key]), lambda: scene.set_poses([key], [np.eye(4)]),
    ):  # fmt: skip
        with pytest.raises((mc.UnknownObject, TypeError)):
            ask()
    with pytest.raises(mc.UnsupportedOption, match="a list of ids or names"):
        scene.contacts(set_a="arm")


def test_an_answer_still_tells_the_names_of_objects_that_went():
    scene = scene_of()
    found = scene.contacts()
    scene.remove("arm")
    assert [(pair.name_a, pair.name_b) for pair in found] == [("table", "arm"), ("arm", "tool"), ("tool", 3)]


def frame(rows, columns):
    """Columns by name, as those of a table."""
    return {name: [row[name] for row in rows] for name in columns}


def test_answers_are_sequences_and_tables(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=frame))
    scene = scene_of()
    scene.add(mc.clouds.PointCloud(*sphere(np.random.default_rng(1), 400, 0.4)), name="scan")
    found, gaps = scene.contacts(), scene.clearances(0.5)
    assert len(found) == len(found.pairs) == 4 and found[0] is found.pairs[0] and list(found) == found.pairs[:]
    assert found[-1] in found and repr(found) == "SceneContacts(4 pairs: 4 clash)"
    for answer in (found, gaps):
        rows, table = answer.to_dicts(), answer.to_pandas()
        assert [row["a"] for row in rows] == list(table["a"]) == [pair.name_a for pair in answer]
        assert [row["verdict"] for row in rows] == [pair.verdict.name for pair in answer]
        assert [row["contacts"] for row in rows] == [len(pair.contacts) for pair in answer]
        for row, pair in zip(rows, answer, strict=True):
            assert [row["x"], row["y"], row["z"]] == pair.location.tolist() and row["depth"] == pair.depth
    assert list(table["gap"]) == [pair.gap for pair in gaps]
    assert list(mc.Scene().contacts().to_pandas()) == list(rows[0])[:-1]


def test_a_table_without_pandas_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(mc.MeshClashError, match="pip install pandas"):
        scene_of().contacts().to_pandas()


def test_one_question_and_a_scene_give_the_same_record():
    scene = scene_of()
    alone, (pair,) = mc.verdict(*scene.posed(0)[:1], CUBE, None, scene.posed(1)[1]), scene.contacts(set_a=[0])
    assert type(alone) is type(pair) is mc.PairVerdict and alone == pair and alone.verdict is mc.Verdict.CLASH
    measures = "verdict", "depth", "depth_lower", "depth_upper", "certainty", "flush", "permitted_overlap"
    assert [getattr(alone, name) for name in measures] == [getattr(pair, name) for name in measures]
    for prepared in (alone, mc.verdict(CUBE, CUBE, None, scene.posed(1)[1], permitted_overlap=1e-9)):
        assert prepared.contacts.pairs.tolist() == pair.contacts.pairs.tolist() and len(pair.contacts)
        assert prepared.contacts.segments().tolist() == pair.contacts.segments().tolist()
        assert prepared.location.tolist() == pair.location.tolist()
        assert prepared.touched(1).tolist() == pair.touched(1).tolist() and not len(prepared.inside)
    apart = mc.verdict(CUBE, CUBE, None, matrix(shift=(9, 0, 0)))
    assert apart.verdict is mc.Verdict.APART and len(apart.contacts) == 0 and apart.location is None


def test_a_pose_that_changes_later_changes_no_record():
    pose = matrix(shift=(0.5, 0.25, 0.125))
    found, expected = mc.verdict(CUBE, CUBE, None, pose), mc.collide(CUBE, CUBE, None, pose).pairs.tolist()
    pose[:3, 3] = 9.0
    assert found.contacts.pairs.tolist() == expected != []


def test_depths_may_be_left_out_of_every_question():
    scene = scene_of()
    for ask in (scene.contacts, partial(scene.clearances, 0.0)):
        assert all(pair.depth for pair in ask()) and not any(pair.depth for pair in ask(depth=False))


def test_every_method_of_a_scene_has_parameters():
    public = [name for name in dir(mc.Scene) if not name.startswith("_")]
    assert all(signature(getattr(mc.Scene, name)).parameters for name in public)
