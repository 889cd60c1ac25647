"""The oracle of common volume on solids whose answer is known, and the bench that asks it."""

import sys
from argparse import Namespace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from bench import ifc
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.solid_oracle import have_common_volume, turned_alike

CORNERS = np.array(list(product((0.0, 1.0), repeat=3)))
FACES = np.array([0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1, 2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7,
                  1, 7, 3]).reshape(12, 3)  # fmt: skip
ULP = 2.0**-52


def box(low, high):
    return (np.array(low) + CORNERS * (np.array(high, float) - np.array(low)))[FACES]


UNIT = box((0, 0, 0), (1, 1, 1))


@pytest.mark.parametrize(
    ("other", "common"),
    [
        (box((1, 0.3, 0.2), (2, 1, 1)), False),
        (box((1 - ULP, 0.3, 0.2), (2, 1, 1)), True),
        (box((0.25, 0.25, 0.25), (0.5, 0.5, 0.5)), True),
        (UNIT, True),
        (UNIT[:, ::-1], True),
        (box((0, 0, 1), (1, 1, 2)), False),
        (box((0, 0, -1), (0.3, 1, ULP)), True),
        (box((0.2, 0.2, -1), (0.8, 0.8, 2)), True),
        (box((1, 1, 1), (2, 2, 2)), False),
        (box((0, 0, 0), (0.5, 0.5, 0.5)), True),
        (box((5, 5, 5), (6, 6, 6)), False),
    ],
)
def test_boxes(other, common):
    assert have_common_volume(UNIT, other) == have_common_volume(other, UNIT) == common
    far = np.array([1e6, -3e5, 7e4])
    if (far + other - far == other).all():
        assert have_common_volume(UNIT + far, other + far) == common


def test_a_hole_and_an_inner_wall():
    hollow = np.concatenate([box((0, 0, 0), (3, 3, 3)), box((1, 1, 1), (2, 2, 2))[:, ::-1]])
    assert not have_common_volume(hollow, box((1, 1, 1), (2, 2, 2)))
    assert have_common_volume(hollow, box((1, 1, 1), (2, 2, 2 + 4 * ULP)))
    bricks = np.concatenate([box((0, 0, 0), (1, 1, 1)), box((1, 0, 0), (2, 1, 1))])
    assert have_common_volume(bricks, box((0.5, 0.25, 0.25), (1.5, 0.75, 0.75)))


voxels = st.sets(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=3)


@given(voxels, voxels)
@settings(max_examples=15, deadline=None)
def test_voxels_have_common_volume_where_they_share_a_voxel(a, b):
    first, second = (np.concatenate([box(v, np.add(v, 1)) for v in cells]) for cells in (sorted(a), sorted(b)))
    assert have_common_volume(first, second) == bool(a & b)


def test_the_bench_says_who_is_wrong(monkeypatch, tmp_path, capsys):
    """Three boxes in a row, the last of which is apart; a tree that takes touching for clashing."""
    shapes = [
        SimpleNamespace(
            id=number,
            type="IfcWall",
            geometry=SimpleNamespace(verts=(CORNERS + np.array([x, 0, 0])).ravel(), faces=FACES.ravel()),
        )
        for number, x in ((7, 0.0), (3, 1.0), (5, 4.0))
    ]
    clash = SimpleNamespace(a=SimpleNamespace(id=lambda: 3), b=SimpleNamespace(id=lambda: 7))

    class Iterator:
        left = shapes[::-1]

        def initialize(self):
            return True

        def get(self):
            return self.left[-1]

        def next(self):
            self.left.pop()
            return bool(self.left)

    tree = SimpleNamespace(
        add_element=lambda shape: None,
        clash_collision_many=lambda a, b, touching: [clash],
        clash_intersection_many=lambda a, b, tolerance, everything: [clash],
    )
    geom = SimpleNamespace(
        settings=lambda: SimpleNamespace(set=lambda *given: None),
        iterator=lambda *given: Iterator(),
        tree=lambda backend: tree,
    )
    model = SimpleNamespace(by_id=lambda number: number)
    monkeypatch.setitem(sys.modules, "ifcopenshell", SimpleNamespace(open=lambda path: model))
    asked = Namespace(judge="all", seconds=60.0, show=3)
    row = ifc._compare(geom, tmp_path / "row.ifc", asked)
    assert (row["elements"], row["closed"], row["touching"], row["differ"]) == (3, 3, 1, 1)
    assert (row["judged"], row["ours wrong"], row["tree wrong"], row["unjudged"]) == (2, 0, 1, 0)
    Iterator.left = shapes[::-1]
    monkeypatch.setattr(ifc, "_verdicts", lambda found, numbers: {(3, 7): ("CLASH", 0)})
    row = ifc._compare(geom, tmp_path / "row.ifc", asked)
    assert (row["ours wrong"], row["tree wrong"]) == (2, 1)
    assert "ours is wrong: IfcWall #3 and IfcWall #7: CLASH, but volume is False" in capsys.readouterr().out


@given(st.lists(st.booleans(), min_size=12, max_size=12))
def test_faces_are_turned_as_their_neighbours(turned):
    mixed = np.array([face[::-1] if turn else face for face, turn in zip(UNIT, turned, strict=True)])
    alike = turned_alike(mixed)
    assert abs(np.einsum("ij,ij->i", alike[:, 0], np.cross(alike[:, 1], alike[:, 2])).sum() / 6.0) == pytest.approx(1.0)
    assert not have_common_volume(alike, box((1, 0.3, 0.2), (2, 1, 1)))
    assert have_common_volume(alike, box((1 - ULP, 0.3, 0.2), (2, 1, 1)))
