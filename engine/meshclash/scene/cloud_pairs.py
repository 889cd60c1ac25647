"""What a cloud of a scene does to a mesh or to another cloud: one pair of objects at a time.

A cloud has no inside and carries noise. It clashes with what its surface meets; what a closed mesh encloses of it gives
the depth, and where nothing is deeper than the permitted overlap it only touches. The resolution of coordinates permits
nothing to a cloud: what a scanner measures is far coarser.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass

import numpy as np

from ..pointcloud.cloud import PointCloud
from ..pointcloud.contacts import CloudContacts
from ..pointcloud.deviation import points_behind_steps
from ..pointcloud.distance import cloud_distance
from ..pointcloud.pair_search import CommonPoints
from ..pointcloud.query import Thing, common_points_steps, search_for
from ..solid.case import Limits
from ..solid.pair_verdict import PairVerdict
from ..types.results import Progress, QueryStats
from ..types.steps import scaled, steps
from ..types.verdict import CLASH, CONTAINED, TOUCHING
from .object_pair import ObjectPair
from .results import FirstContact, PairGap

_CONTACTS_END = 0.5  # of a pair
_NO_POINTS = np.empty(0, np.int32)


@dataclass(frozen=True, eq=False)
class _FoundOfCloud:
    """``Findings`` of one pair with a cloud."""

    hits: CloudContacts
    place: np.ndarray | None
    """A point to look at, (3,) float64 [m], world: of surfaces that only come near, a nearest point on a cloud."""
    within: np.ndarray
    """Points of the cloud inside a closed mesh, (n,) int32, ascending."""
    cloud: int
    """The side of that cloud, 0 or 1; where both are clouds, 0."""
    names: Mapping[int, str]

    def contacts(self, job: int) -> CloudContacts:
        """As ``Findings``."""
        return self.hits

    def count(self, job: int) -> int:
        """As ``Findings``."""
        return len(self.hits)

    def location(self, job: int) -> np.ndarray | None:
        """As ``Findings``."""
        return self.place

    def touched(self, job: int, side: int) -> np.ndarray:
        """As ``Findings``."""
        touched = self.hits.touched(side)
        return np.union1d(touched, self.within) if side == self.cloud else touched

    def inside(self, job: int) -> np.ndarray:
        """As ``Findings``."""
        return self.within


def cloud_contact_steps(
    pair: ObjectPair, limits: Limits, first_contact: bool = False
) -> Generator[Progress, None, tuple[PairVerdict | FirstContact | None, QueryStats]]:
    """What two objects do to each other, None where they are apart, and the work.

    Args:
        pair: the objects; hierarchies that are missing are built first.
        limits: lengths that the verdict allows for.
        first_contact: be content with one contact of surfaces that meet, which makes a ``FirstContact``.
    """
    meeting = common_points_steps(*pair.in_memory, *pair.poses, first_contact)
    hits = yield from scaled(meeting, 0.0, _CONTACTS_END)
    if first_contact and len(hits):
        return FirstContact(*pair.ids, hits), hits.stats
    inside, depths, side = _NO_POINTS, np.empty(0), pair.enclosed
    if side is not None:
        inside, depths = yield from scaled(steps(hits.depths, side), _CONTACTS_END, 1.0)
    if len(hits) or len(inside):
        place = _location(pair, hits, inside, depths)
        found = _FoundOfCloud(hits, place, inside, side or 0, pair.names)
        return _judged(pair, found, depths, limits), hits.stats
    if limits.touch_tolerance > 0.0:
        gap = yield from scaled(steps(cloud_distance, *pair.in_memory, *pair.poses), _CONTACTS_END, 1.0)
        if gap.distance <= limits.touch_tolerance:
            place = gap.point_a if isinstance(pair.things[0], PointCloud) else gap.point_b
            found = _FoundOfCloud(hits, place, inside, side or 0, pair.names)
            return PairVerdict(*pair.ids, TOUCHING, found=found), hits.stats.plus(gap.stats)
    return None, hits.stats


def _judged(pair: ObjectPair, found: _FoundOfCloud, depths: np.ndarray, limits: Limits) -> PairVerdict:
    """The verdict on two objects that are not apart; its depth is that of the deepest point inside."""
    side, hits = pair.enclosed, found.hits
    depth = float(depths.max()) if len(depths) else None
    permitted = 0.0 if limits.by_resolution else limits.permitted_overlap
    verdict = CLASH
    if side is not None and permitted > 0.0 and (depth or 0.0) <= permitted:
        verdict = TOUCHING
    elif side is not None and not len(hits) and len(found.within) == _count(pair.in_memory[side]):
        verdict = CONTAINED
    return PairVerdict(*pair.ids, verdict, depth, permitted_overlap=permitted, found=found)


def _count(cloud: Thing) -> int:
    assert isinstance(cloud, PointCloud)
    return cloud.point_count


def _location(pair: ObjectPair, hits: CloudContacts, inside: np.ndarray, depths: np.ndarray) -> np.ndarray:
    """A contact point in the middle of the others, or the deepest point; (3,) float64 [m], world."""
    if len(hits):
        middle = hits.points.mean(axis=0)
        place: np.ndarray = hits.points[np.argmin(((hits.points - middle) ** 2).sum(axis=1))]
        return place
    side = pair.enclosed
    assert side is not None
    cloud = pair.in_memory[side]
    assert isinstance(cloud, PointCloud)
    deepest: np.ndarray = pair.poses[side].apply(cloud.points[inside[[np.argmax(depths)]]])[0]
    return deepest


def cloud_gap_steps(
    pair: ObjectPair, limits: Limits, reach: float, first_contact: bool = False
) -> Generator[Progress, None, tuple[PairGap | FirstContact | None, QueryStats]]:
    """How near two objects come to each other, None where farther apart than ``reach`` [m], and the work.

    ``first_contact`` is that of ``cloud_contact_steps``.
    """
    found, work = yield from scaled(cloud_contact_steps(pair, limits, first_contact), 0.0, _CONTACTS_END)
    if isinstance(found, FirstContact):
        return found, work
    if found is not None:
        return PairGap.of_meeting(found), work
    gap = yield from scaled(steps(cloud_distance, *pair.in_memory, *pair.poses), _CONTACTS_END, 1.0)
    work = work.plus(gap.stats)
    if gap.distance > reach:
        return None, work
    points, nearest = np.stack([gap.point_a, gap.point_b]), (int(gap.index_a), int(gap.index_b))
    near = np.array(nearest[:1], np.int32), np.array(nearest[1:], np.int32)
    nothing = _FoundOfCloud(_no_contacts(pair), points.mean(axis=0), _NO_POINTS, 0, pair.names)
    return PairGap(*pair.ids, float(gap.distance), points, nearest, *near, nothing), work


def _no_contacts(pair: ObjectPair) -> CloudContacts:
    """Of two objects that are apart."""
    nothing = CommonPoints(np.empty((0, 2), np.int32), np.empty((0, 3)), np.empty((0, 6)))
    rows = pair.poses[0].rows[None], pair.poses[1].rows[None]
    return CloudContacts(nothing, pair.in_memory, rows, QueryStats(), _NO_POINTS)


def cloud_meets_steps(pair: ObjectPair) -> Generator[Progress, None, bool]:
    """Whether two objects are not apart: their surfaces meet, or points of the cloud lie inside a closed mesh."""
    search, _ = search_for(*pair.in_memory, pair.poses[0].rows, pair.poses[1].rows, first_only=True)
    yield from scaled(steps(search.finish), 0.0, _CONTACTS_END)
    side = pair.enclosed
    if search.hit or side is None:
        return search.hit
    cloud, other = pair.in_memory[side], pair.in_memory[1 - side]
    assert isinstance(cloud, PointCloud)
    looking = points_behind_steps(cloud, other, pair.poses[side], pair.poses[1 - side])
    inside, _ = yield from scaled(looking, _CONTACTS_END, 1.0)
    return len(inside) > 0
