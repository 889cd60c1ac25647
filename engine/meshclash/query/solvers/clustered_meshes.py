"""Queries about clustered meshes, page by page, against each other or a mesh in memory: contacts, distances and
verdict.
"""

from collections.abc import Generator
from functools import partial

import numpy as np

from ...geometry.triangle_pair import ContactKind
from ...massive.cluster_contacts import ContactOptions, contact_steps
from ...massive.cluster_distances import clearance_steps, nearest_steps
from ...massive.operands import as_sources, side_of
from ...solid.pair_verdict import PairVerdict
from ...traversal.contacts import Contacts
from ...types.results import Progress
from ...types.steps import scale_progress
from ...types.verdict import APART, CLASH, TOUCHING
from ..found_pair import FoundPair, PairOfScene
from ..results import Clearances, Distance, distance_of, known_pairs
from ..table import Request

_CONTACTS_END = 0.5  # fraction of the work


def find_contacts(request: Request) -> Generator[float, None, Contacts]:
    """Implement ``collide`` for clustered meshes: return all contacts. ``self_collide`` finds contacts of one object
    with itself.
    """
    sides = side_of(request.things[0]), side_of(request.things[1])
    options = ContactOptions(
        not request.options.touching, with_itself=request.query.sides == 1, threads=request.options.threads
    )
    answer, places = yield from contact_steps(*sides, *request.rows, options)
    meshes = as_sources(*sides, answer.pairs, places)
    return Contacts(answer.pairs, answer.kinds, answer.jobs, request.stats(answer), meshes, request.rows)


def find_collision(request: Request) -> Generator[float, None, bool | np.ndarray]:
    """Implement ``collides`` for clustered meshes: whether they meet, (k,) bool for a stack of poses. Stops at the
    first contact.
    """
    options = ContactOptions(not request.options.touching, first_only=True, threads=request.options.threads)
    a, b = request.things
    answer, _ = yield from contact_steps(side_of(a), side_of(b), *request.rows, options)
    return request.met(answer.jobs)


def find_distance(request: Request) -> Generator[float, None, Distance]:
    """Implement ``distance`` for clustered meshes: exact despite permitted errors; an earlier result does not make it
    faster.
    """
    sides, rows = (side_of(request.things[0]), side_of(request.things[1])), request.every_row
    known_pairs(request.options.start, [side.triangle_count for side in sides], len(rows[0]))
    answer = yield from nearest_steps(*sides, *rows)
    return distance_of(answer, request)


def find_clearances(request: Request) -> Generator[float, None, Clearances]:
    """Implement ``clearance`` for clustered meshes: return all pairs of triangles within the tolerance."""
    rows, tolerance = request.every_row, request.options.tolerance
    sides = side_of(request.things[0]), side_of(request.things[1])
    answer, places = yield from clearance_steps(*sides, *rows, tolerance)
    found, meshes = (answer.pairs, answer.distances, answer.jobs), as_sources(*sides, answer.pairs, places)
    return Clearances(found, tolerance, request.stats(answer), meshes, rows)


def find_verdict(request: Request) -> Generator[Progress, None, PairVerdict | Contacts]:
    """Implement ``verdict`` for clustered meshes, or return one contact if a scene needs no more.

    A clustered mesh is treated as a surface, like an open mesh: deciding whether it bounds a solid would need the whole
    mesh in memory. A clustered mesh clashes with objects that it crosses, and touches other objects that it meets.
    Verdicts on clustered meshes have no depth, and no object lies inside one.
    """
    listing: PairOfScene = request.options.detail or PairOfScene()
    sides = side_of(request.things[0]), side_of(request.things[1])
    options = ContactOptions(first_only=listing.first_contact, threads=request.options.threads)
    answer, places = yield from scale_progress(contact_steps(*sides, *request.rows, options), 0.0, _CONTACTS_END)
    meshes = as_sources(*sides, answer.pairs, places)
    hits = Contacts(answer.pairs, answer.kinds, answer.jobs, request.stats(answer), meshes, request.rows)
    if listing.first_contact and len(hits):
        return hits
    verdict, tolerance = APART, request.options.limits.touch_tolerance
    if len(hits):
        verdict = CLASH if (hits.kinds == ContactKind.CROSSING).any() else TOUCHING
    elif tolerance > 0.0:
        near = yield from scale_progress(nearest_steps(*sides, *request.rows), _CONTACTS_END, 1.0)
        verdict = TOUCHING if float(near.distances[0]) <= tolerance else APART
    return PairVerdict(*listing.ids, verdict, found=FoundPair(hits, partial(_middle, hits), listing.names))


def _middle(hits: Contacts) -> np.ndarray | None:
    """Return a point in the middle of a contact, preferably of a crossing. Reads the contact's triangles from the
    file.
    """
    if not len(hits):
        return None
    shown = int(np.argmax(hits.kinds == ContactKind.CROSSING))
    middle: np.ndarray = hits.segments(slice(shown, shown + 1))[0].mean(axis=0)
    return middle
