"""``verdict`` of two meshes: their contacts, then what these make of the solids (``solid/judge.py``)."""

from collections.abc import Generator

import numpy as np

from ...answering.answer import answer_steps
from ...hierarchy.build import as_boxes
from ...solid.case import Case, Limits
from ...solid.judge import judge
from ...solid.solids import gather_solids
from ...traversal.bounds import world_bounds
from ...traversal.forest import pack_trees
from ...traversal.question import Question
from ...types.results import Progress, Verdict
from ...types.steps import always, scaled, steps
from ..shortcuts.record import keep_record, record_of
from ..shortcuts.verdict import verdict_of_records
from ..table import Asked

_NOTHING_PERMITTED, _NOTHING_MEASURED = Limits(), Limits(depths=False)
_CONTACTS_SHARE = 0.6  # of the work, about


def solve(asked: Asked) -> Generator[Progress, None, Verdict]:
    """The verdict."""
    things, limits = asked.things, asked.options.limits
    if limits in (_NOTHING_PERMITTED, _NOTHING_MEASURED):
        a, b = record_of(things[0]), record_of(things[1])
        found = None if a is None or b is None else verdict_of_records(a, b, *asked.poses, depth=limits.depths)
        if found is not None:
            return found
    trees = [as_boxes(thing) for thing in things]
    for thing, tree in zip(things, trees, strict=True):
        if tree is thing or tree.mesh is thing:
            keep_record(thing, tree)
    tree_set, (rows_a, rows_b) = pack_trees(trees), asked.rows
    jobs = np.array([[0, 1]], np.int64)
    question = Question(tree_set.side, tree_set.side, jobs, rows_a, rows_b, threads=asked.options.threads)
    answer = yield from scaled(answer_steps(question), 0.0, _CONTACTS_SHARE, "comparing triangles")
    boxes = world_bounds(tree_set, jobs[0], np.concatenate([rows_a, rows_b]))
    resolutions = np.array([[tree.mesh.resolution for tree in trees]])
    case = Case(tree_set, gather_solids(trees), jobs, rows_a, rows_b, boxes[:1], boxes[1:], answer, resolutions)
    judging = always(Progress(_CONTACTS_SHARE, "judging contacts"), steps(judge, case, limits))
    return (yield from judging).verdict(0)
