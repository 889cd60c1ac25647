"""The table of questions (``query/table.py``): each entry has its solver."""

import importlib
import inspect
from pathlib import Path

import meshclash as mc
import numpy as np
import pytest
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
