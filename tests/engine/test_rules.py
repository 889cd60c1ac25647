"""The rules of a verdict are those of the table in the documents, in its order."""

from functools import partial
from pathlib import Path

import meshclash as mc
import numpy as np
import pytest
from meshclash.query.mesh_verdict import mesh_verdict_steps
from meshclash.solid import judge
from meshclash.solid.case import Limits
from meshclash.solid.rules import RULES, applied_steps
from meshclash.types.steps import run
from solids import box, refined

TABLE = Path(__file__).parents[2] / "docs" / "verdicts.md"


def test_the_table_of_the_documents_has_every_rule_in_its_order():
    lines = TABLE.read_text("utf-8").split("## The rules")[1].split("\n## ")[0].splitlines()
    rows = [line.split("|")[1].strip() for line in lines if line.startswith("| ")]
    assert rows[1:] == [rule.name for rule in RULES]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_says_when_it_applies_and_by_which_proof_or_certainty(rule):
    text = rule.apply.__doc__
    assert "The rule applies to" in text
    assert any(word in text for word in ("Proof", "ertainty", "examined"))


def open_block(high=2.0):
    """A block of small faces without some of those at its top, an open solid."""
    vertices, triangles = refined(box((0, 0, 0), (2, 2, high)), 3)
    middles = vertices[triangles].mean(axis=1)
    gone = (middles[:, 2] == high) & (np.abs(middles[:, :2] - 1.0).max(axis=1) < 0.3)
    return mc.TriangleMesh(vertices, triangles[~gone])


def solid(low, high, resolution=0.0):
    return mc.TriangleMesh(*box(low, high), resolution)


def sheet(points, resolution=0.0):
    return mc.TriangleMesh(np.array(points, float), [[0, 1, 2], [0, 2, 3]], resolution)


FLAT = [[-1, -1, 0], [3, -1, 0], [3, 3, 0], [-1, 3, 0]]
UPRIGHT = [[-1, 1, -1], [3, 1, -1], [3, 1, 3], [-1, 1, 3]]
UNIT = (0, 0, 0), (1, 1, 1)
AMID = (0.375, 0.375, 0.375), (0.625, 0.625, 0.625)
FINE = 2.0**-20
LEANING = [[0, 1 - FINE, 0], [2, 1 - FINE, 0], [2, 1 + FINE, 1], [0, 1 + FINE, 1]]


def permitted(length, resolution=False, touch=0.0):
    return Limits(length, touch, by_resolution=resolution)


def flush_blocks_that_overlap():
    """Two open blocks in one row, whose sides are in the same planes: triangles touch, and none crosses another."""
    vertices, triangles = refined(box((0, 0, 0), (1, 1, 1)), 3)
    gone = (vertices[triangles][:, :, 0] == 0.0).all(axis=1).nonzero()[0][:1]
    other = vertices * (-1.0, 1.0, 1.0) + (1.5, 0.0, 0.0)
    left = np.delete(triangles, gone, axis=0)
    return mc.TriangleMesh(vertices, left), mc.TriangleMesh(other, left[:, ::-1])


# For each rule: two objects, what is permitted, and what only that rule says of them.
DECIDED = {
    "meeting": (lambda: (solid(*UNIT), solid((1, 0, 0), (2, 1, 1))), Limits(), ("TOUCHING", 1.0, False)),
    "solids by cells": (lambda: (solid(*UNIT), solid((0.5, 0, 0), (2, 1, 1))), Limits(), ("CLASH", 1.0, False)),
    "surface in solid": (lambda: (solid((0, 0, -1), (2, 2, 1)), sheet(FLAT)), Limits(), ("CLASH", 1.0, False)),
    "surfaces cross": (lambda: (sheet(FLAT), sheet(UPRIGHT)), Limits(), ("CLASH", 1.0, False)),
    "same points": (lambda: (solid(*UNIT), solid(*UNIT)), Limits(), ("DUPLICATE", 1.0, False)),
    "parts in open solid": (
        lambda: (flush_blocks_that_overlap()[0], solid(*AMID)), Limits(), ("CONTAINED", 0.999, False),
    ),
    "balls in open solids": (flush_blocks_that_overlap, Limits(), ("CLASH", 0.95, False)),
    "through holes": (lambda: (open_block(), solid((0.9, 0.9, 0.5), (1.1, 1.1, 5))), Limits(), ("CLASH", 0.997, False)),
    "depths of solids": (
        lambda: (solid(*UNIT), solid((0.75, 0, 0), (2, 1, 1))), permitted(0.5), ("TOUCHING", 1.0, False),
    ),
    "flush by depth": (
        lambda: (solid(*UNIT, FINE), solid((1 - FINE, 0, 0), (2, 1, 1), FINE)), permitted(0.0, True),
        ("TOUCHING", 1.0, True),
    ),
    "flush by moving": (
        lambda: (sheet(UPRIGHT, FINE), sheet(LEANING, 0.5)), permitted(0.0, True), ("TOUCHING", 1.0, True),
    ),
    "flush parts": (
        lambda: (solid((0, 0, 0), (4, 4, 4), FINE), solid((1, 1, 1), (2, 2, 4 + FINE), FINE)), permitted(0.0, True),
        ("CONTAINED", 1.0, True),
    ),
    "permitted overlap": (
        lambda: (solid(*UNIT), solid((0.75, 0, 0), (2, 1, 1))), permitted(0.5), ("TOUCHING", 1.0, False),
    ),
    "touch tolerance": (
        lambda: (solid(*UNIT), solid((1.25, 0, 0), (2, 1, 1))), permitted(0.0, touch=0.5), ("TOUCHING", 1.0, False),
    ),
}  # fmt: skip


def judged(rules, objects, limits):
    """What some rules say of two objects: verdict, certainty, and whether it is flush."""
    still = np.eye(4)[None, :3]
    trees = [mc.build(mesh) for mesh in objects]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judge, "applied_steps", partial(applied_steps, rules=rules))
        found = run(mesh_verdict_steps(trees, (still, still), limits, 1))
    return found.name, round(found.certainty, 3), found.flush


@pytest.mark.needs_jit
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_decides_what_no_other_rule_does(rule):
    make, limits, said = DECIDED[rule.name]
    objects = make()
    assert judged(RULES, objects, limits) == said
    assert judged(tuple(other for other in RULES if other is not rule), objects, limits) != said
