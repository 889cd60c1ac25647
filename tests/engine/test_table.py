"""The table of questions (``query/table.py``): each entry has its solver, and a question goes through few functions."""

import importlib
import inspect
import sys
from pathlib import Path

import meshclash as mc
import numpy as np
import pytest
from meshclash.jit import config
from meshclash.query import solvers, table
from solids import box

FILES = {path.stem for path in Path(solvers.__file__).parent.glob("*.py")} - {"__init__"}
ENTRIES = {name for names in table.TABLE.values() for name in names}
QUERIES = {value for value in vars(table).values() if isinstance(value, table.Query)}


def test_every_file_of_solvers_is_in_the_table_and_the_other_way_round():
    assert ENTRIES == FILES


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_solver_takes_what_was_asked(name):
    solve = importlib.import_module(f"meshclash.query.solvers.{name}").solve
    assert list(inspect.signature(solve).parameters) == ["asked"]


def test_every_question_has_an_entry_as_large_as_its_sides():
    assert {row[0] for row in table.TABLE} == QUERIES
    assert all(len(row) == 1 + row[0].sides for row in table.TABLE)


def test_no_pair_of_kinds_is_entered_in_both_orders():
    assert not [row for row in table.TABLE if row[1:] != row[:0:-1] and (row[0], *row[:0:-1]) in table.TABLE]


@pytest.mark.parametrize("query", sorted(QUERIES, key=lambda query: query.name), ids=lambda query: query.name)
def test_what_no_solver_takes_is_refused_by_its_name(query):
    thing = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))
    with pytest.raises(mc.InvalidMesh, match="not a set"):
        mc.run(table.ask(query, (thing, {1})[-query.sides :], (None, None)[-query.sides :]))
    cloud = mc.clouds.PointCloud(np.random.default_rng(1).normal(size=(20, 3)))
    if query.sides == 2 and (query, table.CLOUD, table.POINTS) not in table.TABLE:
        with pytest.raises(mc.InvalidMesh):
            mc.run(table.ask(query, (cloud, np.zeros((1, 3))), (None, None)))


def functions_of(ask):
    """Functions of the engine that run while a question is asked, as (file, name), kernels too."""
    run, engine = set(), str(Path(mc.__file__).parent)

    def note(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(engine):
            run.add((frame.f_code.co_filename, frame.f_code.co_qualname))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        ask()
    finally:
        sys.setprofile(before)
    return run


def two_boxes():
    """Two meshes that nothing is known of, which clash in the pose below."""
    return mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1))), mc.TriangleMesh(*box((0, 0, 0), (0.9, 0.8, 0.7)))


POSE = np.array([[1, 0, 0, 0.5], [0, 1, 0, 0.25], [0, 0, 1, 0.125], [0, 0, 0, 1]])
MOST_FUNCTIONS = {"collide": 20, "collides": 15, "distance": 20, "verdict": 25}
"""A later change raises a figure by a decision, not in passing."""
MOST_OF_A_SCENE = 270, 60
"""Functions and files of the first contacts of a scene of two boxes; trees, topologies and solids are built by most."""


@pytest.mark.skipif(config.DISABLE_JIT, reason="uncompiled code has no records")
@pytest.mark.parametrize("name", MOST_FUNCTIONS)
def test_a_question_about_prepared_meshes_goes_through_few_functions(name):
    query, (a, b) = getattr(mc, name), two_boxes()
    for _ in range(2):
        assert query(a, b, None, POSE) is not None
    assert 5 < len(functions_of(lambda: query(a, b, None, POSE))) <= MOST_FUNCTIONS[name]


@pytest.mark.skipif(config.DISABLE_JIT, reason="uncompiled kernels call each other")
def test_the_first_contacts_of_a_scene_go_through_as_many_as_they_did():
    scenes = mc.Scene(), mc.Scene()
    for scene in scenes:
        for mesh, pose in zip(two_boxes(), (None, POSE), strict=True):
            scene.add(mesh, pose)
    assert len(scenes[0].contacts().pairs) == 1  # compiles
    run = functions_of(scenes[1].contacts)
    assert len(run) <= MOST_OF_A_SCENE[0] and len({file for file, *_ in run}) <= MOST_OF_A_SCENE[1], len(run)
