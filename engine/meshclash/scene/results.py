"""What a scene answers: pairs of objects that are not apart."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from ..geometry.triangle_distance import nearest_points
from ..pointcloud.contacts import CloudContacts
from ..solid.middles import Locations
from ..traversal.contacts import Contacts
from ..types.mesh import TriangleMesh
from ..types.results import QueryStats, Verdict
from .pair_keys import no_pairs

_NOTHING_COUNTED = QueryStats()


def verdict_order(verdict: Verdict) -> tuple[float, float, float]:
    """Sorts verdicts worst first: by severity, by the depth that is proved, then by what it may be at most."""
    return -verdict.severity, -(verdict.depth or verdict.depth_lower or 0.0), -(verdict.depth_upper or 0.0)


def contacts_between(
    pairs: np.ndarray,
    kinds: np.ndarray,
    trees: np.ndarray,
    meshes: Sequence[TriangleMesh],
    rows: tuple[np.ndarray, np.ndarray],
) -> Contacts:
    """The contacts (n, 2) of two trees (2,) that have some of the meshes, in the poses (1, 3, 4) of both."""
    first, second = trees.tolist()
    pose = np.zeros(len(pairs), np.int32)
    return Contacts(pairs, kinds, pose, _NOTHING_COUNTED, (meshes[first], meshes[second]), rows)


class Findings(Protocol):
    """What was found of some pairs, made when it is asked for."""

    def contacts(self, job: int) -> Contacts:
        """Triangle pairs of one pair of objects."""

    def location(self, job: int) -> np.ndarray | None:
        """A point to look at, (3,) float64 [m], world; None where there is none."""


@dataclass(frozen=True, eq=False)
class FoundPairs:
    """What was found of k pairs of objects, from which a pair's contacts are made when they are asked for."""

    trees: np.ndarray
    """(k, 2) int64."""
    rows_a: np.ndarray
    rows_b: np.ndarray
    pairs: np.ndarray
    kinds: np.ndarray
    start: np.ndarray
    """Contacts of pair j are the rows start[j]:start[j + 1], (k + 1,) int64."""
    meshes: Sequence[TriangleMesh]
    """Of the trees."""
    locations: Locations

    def location(self, job: int) -> np.ndarray | None:
        """As ``Findings``."""
        return self.locations.of(job)

    def contacts(self, job: int) -> Contacts:
        """As ``Findings``."""
        part, own = slice(self.start[job], self.start[job + 1]), slice(job, job + 1)
        sides = self.rows_a[own], self.rows_b[own]
        return contacts_between(self.pairs[part], self.kinds[part], self.trees[job], self.meshes, sides)


@dataclass(frozen=True, eq=False)
class ObjectContacts:
    """What two objects of a scene do to each other."""

    a: int
    b: int
    verdict: Verdict
    _found: Findings = field(repr=False)
    _job: int = field(repr=False)

    @cached_property
    def contacts(self) -> Contacts:
        """Triangle pairs; column 0 in a, column 1 in b."""
        return self._found.contacts(self._job)

    @property
    def location(self) -> np.ndarray | None:
        """A point to look at, (3,) float64 [m], world; None for objects that only come near."""
        return self._found.location(self._job)


@dataclass(frozen=True, eq=False)
class CloudObjectContacts:
    """What two objects of a scene do to each other, one of which is a point cloud, or both."""

    a: int
    b: int
    verdict: Verdict
    """CLASH where the surfaces meet, or a closed mesh has points of the cloud inside; CONTAINED where it has all of
    them, and no surface is met; TOUCHING where no point is deeper inside than permitted, or for near surfaces. Its
    depth is that of the deepest point [m]; two clouds, and a cloud and an open mesh, have none."""
    contacts: CloudContacts
    """Points in which the surfaces meet."""
    location: np.ndarray
    """A point to look at, (3,) float64 [m], world: of surfaces that only come near, a nearest point on a cloud."""
    inside: np.ndarray
    """Points of the cloud inside a closed mesh, (n,) int32, ascending."""
    cloud: int
    """The side of that cloud, 0 or 1; where both are clouds, 0."""

    def members(self, side: int) -> np.ndarray:
        """What is in contact of object a (side 0) or b (side 1), ascending: triangles; points of a cloud, with those
        that are inside."""
        touched = self.contacts.touched(side)
        return np.union1d(touched, self.inside) if side == self.cloud else touched


@dataclass(frozen=True, eq=False)
class FirstContact:
    """Two objects that meet, of which only one contact is known."""

    a: int
    b: int
    contacts: Contacts | CloudContacts
    """One triangle pair, column 0 in a, column 1 in b; or one point, where one of the two is a cloud."""
    distance = 0.0
    """[m], as every pair that meets."""


@dataclass(frozen=True, eq=False)
class ObjectGap:
    """How near two objects of a scene come to each other."""

    a: int
    b: int
    verdict: Verdict
    """APART for objects without a common point."""
    distance: float
    """[m]; 0 exactly where the verdict is not APART."""
    points: np.ndarray | None
    """World points of a and b nearest to each other, (2, 3) float64 [m]; None inside another without contact."""
    triangles: tuple[int, int] | None
    """Triangles of a and b on which they lie; points, of clouds."""
    near_a: np.ndarray
    """Triangles of a that meet b or, of objects that are apart, come within the tolerance: (n,) int32, ascending. Of
    pairs with a cloud: triangles, or points of a cloud, that meet, lie inside, or are nearest."""
    near_b: np.ndarray
    contacts: Contacts | None
    """Triangle pairs that meet; None for objects that are apart, and pairs with a cloud."""
    location: np.ndarray | None
    """A point to look at, (3,) float64 [m], world."""
    cloud_contacts: CloudObjectContacts | None = None
    """What a cloud does to the other object; None for two meshes, and objects that are apart."""


@dataclass(frozen=True)
class SceneContacts:
    """All pairs of objects that are not apart, worst first."""

    pairs: list[ObjectContacts]
    """Of two meshes."""
    stats: QueryStats
    timings: dict[str, float]
    """Seconds per stage: broad phase, building, traversal, verdicts."""
    cloud_pairs: list[CloudObjectContacts] = field(default_factory=list)
    """Of which one is a point cloud, or both."""
    unanswered: np.ndarray = field(default_factory=no_pairs)
    """Ids (k, 2) int64 of near pairs that cannot be compared: a point cloud and a clustered mesh."""


def gap_of_meeting(item: ObjectContacts) -> ObjectGap:
    """Two objects with a common point."""
    contacts = item.contacts
    points = triangles = None
    if len(contacts):
        first = slice(0, 1)
        points = nearest_points(contacts.world_triangles(0, first), contacts.world_triangles(1, first))[1][0]
        triangles = int(contacts.pairs[0, 0]), int(contacts.pairs[0, 1])
    near_a, near_b = (np.unique(contacts.pairs[:, side]) for side in range(2))
    return ObjectGap(item.a, item.b, item.verdict, 0.0, points, triangles, near_a, near_b, contacts, item.location)
