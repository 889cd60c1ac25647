"""The table of questions (``query/table.py``): each entry has its solver."""

import importlib
import inspect
from collections.abc import Generator
from pathlib import Path
from typing import Any

import meshclash as mc
import numpy as np
import pytest
from meshclash.query import solvers, table
from meshclash.types.steps import UNANSWERED
from solids import box

FILES = {path.stem for path in Path(solvers.__file__).parent.glob("*.py")} - {"__init__"}
ENTRIES = {name for names in table.TABLE.values() for name in names}
QUERIES = {value for value in vars(table).values() if isinstance(value, table.Query)}


def test_every_file_of_solvers_is_in_the_table_and_the_other_way_round():
    assert {name.split(".")[0] for name in ENTRIES} == FILES


@pytest.mark.parametrize("file", sorted(FILES))
def test_a_file_of_solvers_has_those_of_the_table_and_no_others(file):
    module = importlib.import_module(f"meshclash.query.solvers.{file}")
    takers = {name for name, value in vars(module).items() if name.startswith("find_") and inspect.isfunction(value)}
    own = {name for name in takers if getattr(module, name).__module__ == module.__name__}
    assert own == {name.split(".")[1] for name in ENTRIES if name.split(".")[0] == file}
    assert all(list(inspect.signature(getattr(module, name)).parameters) == ["request"] for name in own)


def test_every_question_has_an_entry_as_large_as_its_sides():
    assert {row[0] for row in table.TABLE} == QUERIES
    assert all(len(row) == 1 + row[0].sides for row in table.TABLE)


def test_no_pair_of_kinds_is_entered_in_both_orders():
    assert not [row for row in table.TABLE if row[1:] != row[:0:-1] and (row[0], *row[:0:-1]) in table.TABLE]


@pytest.mark.parametrize("answer", [None, False, 0, "an answer"])
@pytest.mark.parametrize("way", ["the second solver", "at once"])
def test_none_is_an_answer(monkeypatch, answer, way):
    """Of several solvers, and of the way for prepared meshes, only ``UNANSWERED`` leaves the question to the next."""

    def passing(request):
        yield 0.5
        return UNANSWERED

    def answering(request):
        yield 0.5
        return answer

    def at_once(a, b, pose_a, pose_b):
        return answer

    thing = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))
    mc.collide(thing, thing)  # prepares it
    query = table.Query("anything", at_once=at_once if way == "at once" else None)
    monkeypatch.setitem(table.TABLE, (query, table.MESH, table.MESH), ("first", "second"))
    monkeypatch.setattr(table, "_solver", {"first": passing, "second": answering}.__getitem__)

    @table.answers(query)
    def anything(a, b, pose_a=None, pose_b=None) -> Generator[mc.Progress, None, Any]:
        return table.ask(query, (a, b), (pose_a, pose_b))

    assert anything(thing, thing) is answer
    assert mc.run(mc.steps(anything, thing, thing)) is answer


@pytest.mark.parametrize("query", sorted(QUERIES, key=lambda query: query.name), ids=lambda query: query.name)
def test_what_no_solver_takes_is_refused_by_its_name(query):
    thing = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))
    with pytest.raises(mc.InvalidMesh, match="not a set"):
        mc.run(table.ask(query, (thing, {1})[-query.sides :], (None, None)[-query.sides :]))
    cloud = mc.clouds.PointCloud(np.random.default_rng(1).normal(size=(20, 3)))
    if query.sides == 2 and (query, table.CLOUD, table.POINTS) not in table.TABLE:
        with pytest.raises(mc.InvalidMesh):
            mc.run(table.ask(query, (cloud, np.zeros((1, 3))), (None, None)))
