"""What a clustered mesh of a scene does to another mesh: one pair of objects at a time, page by page.

A clustered mesh is taken as a surface, as open meshes are: whether it bounds a solid would take all of it at once. It
clashes with what it crosses, and touches what it meets otherwise; there is no depth, and nothing lies inside it.
"""

import time
from collections.abc import Generator

import numpy as np

from ..geometry.triangle_pair import ContactKind
from ..massive.contacts import ContactOptions, contact_steps
from ..massive.near import clearance_steps, nearest_steps
from ..massive.sides import Clusters, as_sources, side_of
from ..pointcloud.cloud import PointCloud
from ..solid.case import Limits
from ..traversal.contacts import Contacts
from ..types.results import APART, CLASH, TOUCHING, Progress, QueryStats
from ..types.steps import scaled
from .object_pair import ObjectPair
from .results import ObjectContacts, ObjectGap, gap_of_meeting

_CONTACTS_END, _NEAREST_END = 0.5, 0.7  # of a pair
_NONE = np.empty(0, np.int32)


class _OnePair:
    """The contacts of one pair, and the middle of one of them, read from the file when it is asked for."""

    def __init__(self, contacts: Contacts) -> None:
        self._contacts = contacts

    def contacts(self, job: int) -> Contacts:
        """All of them."""
        return self._contacts

    def location(self, job: int) -> np.ndarray | None:
        """The middle of contact ``job``; None without contacts."""
        if not len(self._contacts):
            return None
        middle: np.ndarray = self._contacts.segments(slice(job, job + 1))[0].mean(axis=0)
        return middle


def clustered_contact_steps(
    pair: ObjectPair, limits: Limits
) -> Generator[Progress, None, tuple[ObjectContacts | None, QueryStats]]:
    """What two objects do to each other, None where they are apart, and the work.

    Raises:
        UnsupportedOption: one of them is a point cloud.
    """
    start, sides, rows = time.perf_counter(), _sides(pair), _rows(pair)
    answer, places = yield from scaled(contact_steps(*sides, *rows, ContactOptions()), 0.0, _CONTACTS_END)
    stats = answer.stats(time.perf_counter() - start)
    meshes = as_sources(*sides, answer.pairs, places)
    contacts = Contacts(answer.pairs, answer.kinds, answer.jobs, stats, meshes, rows)
    if len(contacts):
        crossing = contacts.kinds == ContactKind.CROSSING
        verdict = CLASH if crossing.any() else TOUCHING
        return ObjectContacts(*pair.ids, verdict, _OnePair(contacts), int(np.argmax(crossing))), stats
    if limits.touch_tolerance > 0.0:
        near = yield from scaled(nearest_steps(*sides, *rows), _CONTACTS_END, 1.0)
        if float(near.distances[0]) <= limits.touch_tolerance:
            return ObjectContacts(*pair.ids, TOUCHING, _OnePair(contacts), 0), stats
    return None, stats


def clustered_gap_steps(
    pair: ObjectPair, limits: Limits, tolerance: float | None
) -> Generator[Progress, None, tuple[ObjectGap | None, QueryStats]]:
    """How near two objects come to each other, None where farther apart than a tolerance [m], and the work."""
    found, work = yield from scaled(clustered_contact_steps(pair, limits), 0.0, _CONTACTS_END)
    start, sides, rows = time.perf_counter(), _sides(pair), _rows(pair)
    if found is not None and len(found.contacts):
        return gap_of_meeting(found), work
    nearest = yield from scaled(nearest_steps(*sides, *rows), _CONTACTS_END, _NEAREST_END)
    length, points = float(nearest.distances[0]), nearest.points[0]
    if tolerance is not None and length > tolerance:
        return None, work.plus(nearest.stats(time.perf_counter() - start))
    near_a = near_b = _NONE
    if tolerance is not None:
        within, _ = yield from scaled(clearance_steps(*sides, *rows, tolerance), _NEAREST_END, 1.0)
        near_a, near_b = np.unique(within.pairs[:, 0]), np.unique(within.pairs[:, 1])
    triangles = int(nearest.pairs[0, 0]), int(nearest.pairs[0, 1])
    work = work.plus(nearest.stats(time.perf_counter() - start))
    place = points.mean(axis=0)
    return ObjectGap(*pair.ids, APART, length, points, triangles, near_a, near_b, None, place), work


def clustered_meets_steps(pair: ObjectPair) -> Generator[Progress, None, bool]:
    """Whether the surfaces of two objects meet; raises UnsupportedOption where one is a point cloud."""
    steps = contact_steps(*_sides(pair), *_rows(pair), ContactOptions(first_only=True))
    answer, _ = yield from scaled(steps, 0.0, 1.0)
    return len(answer.pairs) > 0


def _sides(pair: ObjectPair) -> tuple[Clusters, Clusters]:
    first, second = pair.things
    assert not isinstance(first, PointCloud) and not isinstance(second, PointCloud)  # see comparable.py
    return side_of(first), side_of(second)


def _rows(pair: ObjectPair) -> tuple[np.ndarray, np.ndarray]:
    return pair.poses[0].rows[None], pair.poses[1].rows[None]
