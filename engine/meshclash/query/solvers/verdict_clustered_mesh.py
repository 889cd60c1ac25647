"""``verdict`` where one object, or both, is a clustered mesh: page by page.

A clustered mesh is taken as a surface, as open meshes are: whether it bounds a solid would take all of it at once. It
clashes with what it crosses, and touches what it meets otherwise; there is no depth, and nothing lies inside it.
"""

from collections.abc import Generator
from functools import partial

import numpy as np

from ...geometry.triangle_pair import ContactKind
from ...massive.cluster_contacts import ContactOptions, contact_steps
from ...massive.cluster_distances import nearest_steps
from ...massive.operands import as_sources, side_of
from ...solid.pair_verdict import PairVerdict
from ...traversal.contacts import Contacts
from ...types.results import Progress
from ...types.steps import scale_progress
from ...types.verdict import APART, CLASH, TOUCHING
from ..found_pair import FoundPair, PairOfScene
from ..table import Request

_CONTACTS_END = 0.5


def solve(asked: Request) -> Generator[Progress, None, PairVerdict | Contacts]:
    """The verdict; or one contact, where a scene is content with it."""
    listing: PairOfScene = asked.options.detail or PairOfScene()
    sides = side_of(asked.things[0]), side_of(asked.things[1])
    options = ContactOptions(first_only=listing.first_contact, threads=asked.options.threads)
    answer, places = yield from scale_progress(contact_steps(*sides, *asked.rows, options), 0.0, _CONTACTS_END)
    meshes = as_sources(*sides, answer.pairs, places)
    hits = Contacts(answer.pairs, answer.kinds, answer.jobs, asked.stats(answer), meshes, asked.rows)
    if listing.first_contact and len(hits):
        return hits
    verdict, tolerance = APART, asked.options.limits.touch_tolerance
    if len(hits):
        verdict = CLASH if (hits.kinds == ContactKind.CROSSING).any() else TOUCHING
    elif tolerance > 0.0:
        near = yield from scale_progress(nearest_steps(*sides, *asked.rows), _CONTACTS_END, 1.0)
        verdict = TOUCHING if float(near.distances[0]) <= tolerance else APART
    return PairVerdict(*listing.ids, verdict, found=FoundPair(hits, partial(_middle, hits), listing.names))


def _middle(hits: Contacts) -> np.ndarray | None:
    """The middle of a contact, which is read from the file now: of a crossing, where there is one."""
    if not len(hits):
        return None
    shown = int(np.argmax(hits.kinds == ContactKind.CROSSING))
    middle: np.ndarray = hits.segments(slice(shown, shown + 1))[0].mean(axis=0)
    return middle
