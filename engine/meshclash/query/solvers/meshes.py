"""Meshes by their hierarchies: contacts, collision, distance, clearances and verdict."""

from collections.abc import Generator
from typing import Any

import numpy as np

from ...hierarchy.build import as_boxes
from ...solid.case import Limits
from ...solid.pair_verdict import PairVerdict
from ...traversal.contacts import Contacts
from ...traversal.question import Goal
from ...types.results import Progress
from ...types.steps import UNANSWERED
from ..mesh_verdict import mesh_verdict_steps
from ..operands import answered, mesh_of
from ..results import Clearances, Distance, distance_of, known_pairs
from ..shortcuts.prepared_verdict import verdict_of_records
from ..shortcuts.record import keep_record, record_of, records_of
from ..table import Request

_NOTHING_PERMITTED, _NOTHING_MEASURED = Limits(), Limits(depths=False)


def find_prepared(request: Request) -> Generator[float, None, Any]:
    """Use the fast path of the query (``Query.at_once``) for one pose of each mesh, else return ``UNANSWERED``.

    Builds missing hierarchies.
    """
    tell = request.query.at_once
    if tell is None or request.stacked or request.may_use_device:
        return UNANSWERED
    yield 0.0
    records = records_of(*request.things, request.options.volume)
    if records is None:
        return UNANSWERED
    named = {name: getattr(request.options, name) for name in tell.__kwdefaults__ or ()}
    return tell(*records, *request.poses, **named)


def find_contacts(request: Request) -> Generator[float, None, Contacts]:
    """Implement ``collide`` for meshes: return all contacts. ``self_collide`` finds contacts of one mesh, except those
    that neighbouring triangles share.
    """
    options = {"crossing_only": not request.options.touching, "threads": request.options.threads}
    answer, meshes = yield from answered(request, request.rows, with_itself=request.query.sides == 1, **options)
    return Contacts(answer.pairs, answer.kinds, answer.jobs, request.stats(answer), meshes, request.rows)


def find_collision(request: Request) -> Generator[float, None, bool | np.ndarray]:
    """Implement ``collides`` for meshes: whether they meet, (k,) bool for a stack of poses. Stops at the first
    contact.
    """
    options = {"crossing_only": not request.options.touching, "threads": request.options.threads, "first_only": True}
    answer, _ = yield from answered(request, request.rows, **options)
    return request.met(answer.jobs)


def find_distance(request: Request) -> Generator[float, None, Distance]:
    """Implement ``distance`` for meshes: return the nearest pair of triangles in each pose. The search begins at the
    pairs of ``start``.
    """
    options, rows = request.options, request.every_row
    sizes = [mesh_of(thing, options.volume).triangle_count for thing in request.things]
    known = known_pairs(options.start, sizes, len(rows[0]))
    start = np.full((len(rows[0]), 2), -1, np.int32)
    start[: len(known)] = np.reshape(known, (-1, 2))
    names = "relative_error", "absolute_error", "upper_limit", "lower_limit"
    errors = {name: getattr(options, name) for name in names}
    answer, meshes = yield from answered(
        request, rows, goal=Goal.NEAREST, start=start, threads=options.threads, **errors
    )
    return distance_of(answer, request, (meshes, rows))


def find_clearances(request: Request) -> Generator[float, None, Clearances]:
    """Implement ``clearance`` for meshes: return all pairs of triangles within the tolerance."""
    rows, tolerance = request.every_row, request.options.tolerance
    answer, meshes = yield from answered(
        request, rows, goal=Goal.WITHIN, tolerance=tolerance, threads=request.options.threads
    )
    found = answer.pairs, answer.distances, answer.jobs
    return Clearances(found, tolerance, request.stats(answer), meshes, rows)


def find_verdict(request: Request) -> Generator[Progress, None, PairVerdict]:
    """Implement ``verdict`` for meshes: by the fast path of small solids, or by contacts and the rules of
    ``solid/judge.py``.
    """
    things, limits = request.things, request.options.limits
    if limits in (_NOTHING_PERMITTED, _NOTHING_MEASURED):
        a, b = record_of(things[0]), record_of(things[1])
        if a is not None and b is not None:
            found = verdict_of_records(a, b, *request.poses, depth=limits.depths)
            if found is not UNANSWERED:
                return found
    trees = [as_boxes(thing) for thing in things]
    for thing, tree in zip(things, trees, strict=True):
        if tree is thing or tree.mesh is thing:
            keep_record(thing, tree)
    return (yield from mesh_verdict_steps(trees, request.rows, limits, request.options.threads))
