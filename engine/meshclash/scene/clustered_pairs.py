"""What a clustered mesh of a scene does to another mesh: one pair of objects at a time, page by page.

A clustered mesh is taken as a surface, as open meshes are: whether it bounds a solid would take all of it at once. It
clashes with what it crosses, and touches what it meets otherwise; there is no depth, and nothing lies inside it.
"""

import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass

import numpy as np

from ..geometry.triangle_pair import ContactKind
from ..massive.contacts import ContactOptions, contact_steps
from ..massive.near import clearance_steps, nearest_steps
from ..massive.sides import Clusters, as_sources, side_of
from ..pointcloud.cloud import PointCloud
from ..solid.case import Limits
from ..solid.pair_verdict import PairVerdict
from ..traversal.contacts import Contacts
from ..types.results import Progress, QueryStats
from ..types.steps import scaled
from ..types.verdict import CLASH, TOUCHING
from .object_pair import ObjectPair
from .results import PairGap

_CONTACTS_END, _NEAREST_END = 0.5, 0.7  # of a pair
_NONE = np.empty(0, np.int32)


@dataclass(frozen=True, eq=False)
class _OnePair:
    """``Findings`` of one pair; the middle of one of its contacts is read from the file when it is asked for."""

    found: Contacts
    names: Mapping[int, str]
    shown: int = 0
    """The contact to look at."""
    place: np.ndarray | None = None
    """What to look at without contacts."""

    def contacts(self, job: int) -> Contacts:
        """As ``Findings``."""
        return self.found

    def count(self, job: int) -> int:
        """As ``Findings``."""
        return len(self.found)

    def location(self, job: int) -> np.ndarray | None:
        """As ``Findings``."""
        if not len(self.found):
            return self.place
        middle: np.ndarray = self.found.segments(slice(self.shown, self.shown + 1))[0].mean(axis=0)
        return middle

    def touched(self, job: int, side: int) -> np.ndarray:
        """As ``Findings``."""
        return np.unique(self.found.pairs[:, side])

    def inside(self, job: int) -> np.ndarray:
        """As ``Findings``."""
        return _NONE


def clustered_contact_steps(
    pair: ObjectPair, limits: Limits
) -> Generator[Progress, None, tuple[PairVerdict | None, QueryStats]]:
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
        verdict, found = CLASH if crossing.any() else TOUCHING, _OnePair(contacts, pair.names, int(np.argmax(crossing)))
        return PairVerdict(*pair.ids, verdict, found=found), stats
    if limits.touch_tolerance > 0.0:
        near = yield from scaled(nearest_steps(*sides, *rows), _CONTACTS_END, 1.0)
        if float(near.distances[0]) <= limits.touch_tolerance:
            return PairVerdict(*pair.ids, TOUCHING, found=_OnePair(contacts, pair.names)), stats
    return None, stats


def clustered_gap_steps(
    pair: ObjectPair, limits: Limits, tolerance: float | None
) -> Generator[Progress, None, tuple[PairGap | None, QueryStats]]:
    """How near two objects come to each other, None where farther apart than a tolerance [m], and the work."""
    found, work = yield from scaled(clustered_contact_steps(pair, limits), 0.0, _CONTACTS_END)
    start, sides, rows = time.perf_counter(), _sides(pair), _rows(pair)
    if found is not None and len(found.contacts):
        return PairGap.of_meeting(found), work
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
    nothing = _OnePair(_no_contacts(sides, rows), pair.names, place=points.mean(axis=0))
    return PairGap(*pair.ids, length, points, triangles, near_a, near_b, nothing), work


def _no_contacts(sides: tuple[Clusters, Clusters], rows: tuple[np.ndarray, np.ndarray]) -> Contacts:
    """Of two objects that are apart."""
    pairs = np.empty((0, 2), np.int32)
    return Contacts(pairs, np.empty(0, np.uint8), _NONE, QueryStats(), as_sources(*sides, pairs, pairs), rows)


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
