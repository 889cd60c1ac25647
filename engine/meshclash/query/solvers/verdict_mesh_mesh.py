"""``verdict`` of two meshes: at once, or by their contacts and what these make of the solids (``solid/judge.py``)."""

from collections.abc import Generator

from ...hierarchy.build import as_boxes
from ...solid.case import Limits
from ...solid.pair_verdict import PairVerdict
from ...types.results import Progress
from ...types.steps import UNANSWERED
from ..mesh_verdict import mesh_verdict_steps
from ..shortcuts.prepared_verdict import verdict_of_records
from ..shortcuts.record import keep_record, record_of
from ..table import Request

_NOTHING_PERMITTED, _NOTHING_MEASURED = Limits(), Limits(depths=False)


def solve(asked: Request) -> Generator[Progress, None, PairVerdict]:
    """The verdict."""
    things, limits = asked.things, asked.options.limits
    if limits in (_NOTHING_PERMITTED, _NOTHING_MEASURED):
        a, b = record_of(things[0]), record_of(things[1])
        if a is not None and b is not None:
            found = verdict_of_records(a, b, *asked.poses, depth=limits.depths)
            if found is not UNANSWERED:
                return found
    trees = [as_boxes(thing) for thing in things]
    for thing, tree in zip(things, trees, strict=True):
        if tree is thing or tree.mesh is thing:
            keep_record(thing, tree)
    return (yield from mesh_verdict_steps(trees, asked.rows, limits, asked.options.threads))
