"""The results of scene queries: pairs of objects that are not apart, or pairs with their gaps."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..geometry.triangle_distance import nearest_points
from ..pointcloud.cloud_contacts import CloudContacts
from ..solid.pair_verdict import COLUMNS, NOTHING, Findings, PairVerdict
from ..traversal.contacts import Contacts
from ..types.results import QueryStats
from ..types.verdict import Verdict
from .pair_list import PairList

NO_NAMES: Mapping[int, str] = {}


class FirstContact(NamedTuple):
    """Two objects that meet, with only one known contact.

    Attributes:
        a, b: ids of the two objects.
        found: the contacts that were found between some pairs; ``job`` is the index of this pair.
    """

    a: int
    b: int
    found: Findings
    job: int = 0

    @property
    def verdict(self) -> None:
        """Not computed."""
        return None

    @property
    def gap(self) -> float:
        """0 as for every pair that meets [m]."""
        return 0.0

    @property
    def contacts(self) -> Contacts | CloudContacts:
        """One pair of triangles, column 0 in a, column 1 in b; or one point if one of the two is a cloud."""
        contacts: Contacts | CloudContacts = self.found.contacts(self.job)
        return contacts


class PairGap(PairVerdict):
    """The gap between two objects of a scene, and the verdict on this pair.

    Attributes:
        gap: the gap [m]; 0 if and only if the two objects have a common point, so that the verdict is not APART. If
            ``undecided`` is set, a gap above 0 is smaller than the resolution of a cloud.
        points: nearest points of a and b in world coordinates, (2, 3) float64 [m]; None if one object lies inside the
            other without contact.
        triangles: the triangles of a and b that contain these points; for a cloud, the index of a point.
        near_a: triangles of a that are in contact with b or, if the objects are apart, within the tolerance of b: (n,)
            int32, ascending; for pairs with a cloud, the triangles or the points of the cloud that are in contact, lie
            inside, or are nearest.
        near_b: the triangles of b within the tolerance.
    """

    __slots__ = ("gap", "near_a", "near_b", "points", "triangles")

    def __init__(
        self,
        a: int,
        b: int,
        gap: float,
        points: np.ndarray | None,
        triangles: tuple[int, int] | None,
        near_a: np.ndarray,
        near_b: np.ndarray,
        found: Findings = NOTHING,
        job: int = 0,
    ) -> None:
        super().__init__(a, b, Verdict.APART, found=found, job=job)
        self.gap, self.points, self.triangles, self.near_a, self.near_b = gap, points, triangles, near_a, near_b

    def to_dict(self) -> dict[str, object]:
        """Return the dictionary of ``PairVerdict.to_dict``, to which the gap is added."""
        return {**super().to_dict(), "gap": self.gap}

    def _measured(self) -> str:
        return f", gap={self.gap:.6g}{super()._measured()}"


def gap_of_meeting(item: PairVerdict) -> PairGap:
    """Convert the verdict of two objects with a common point to a ``PairGap`` with gap 0."""
    contacts, points, triangles = item.contacts, None, None
    if isinstance(contacts, CloudContacts):
        place = item.location
        points = np.stack([place, place]) if place is not None and len(contacts) else None
    elif len(contacts):
        first = slice(0, 1)
        points = nearest_points(contacts.world_triangles(0, first), contacts.world_triangles(1, first))[1][0]
        triangles = int(contacts.pairs[0, 0]), int(contacts.pairs[0, 1])
    near = item.touched(0), item.touched(1)
    made = PairGap(item.a, item.b, 0.0, points, triangles, *near, item._found, item._job)
    made.verdict, made.depth, made.depth_lower, made.depth_upper, made.certainty, made.flush = (
        item.verdict, item.depth, item.depth_lower, item.depth_upper, item.certainty, item.flush
    )  # fmt: skip
    made.permitted_overlap, made.undecided, made._contacts = item.permitted_overlap, item.undecided, contacts
    return made


class SceneContacts(PairList[PairVerdict]):
    """All pairs of objects of a scene that are not apart. The most severe pairs come first.

    Attributes:
        pairs: the list of pairs, of meshes and clouds. You can also use the SceneContacts itself as a sequence of these
            pairs.
        stats: QueryStats; its ``timings`` are the times [s] of the broad phase, of building hierarchies, of the
            traversal and of the verdicts.
        unanswered: ids (k, 2) int64 of near pairs that cannot be compared: a point cloud and a clustered mesh.
    """


class SceneGaps(PairList[PairGap]):
    """Pairs of objects of a scene and their gaps, sorted by severity, then by depth, then by gap.

    Attributes:
        pairs: the list of pairs. You can also use the SceneGaps itself as a sequence of these pairs.
        left_out: number of pairs that are not listed because of ``most``.
        beyond: lower bound of the gaps of these pairs [m]; infinite if no pair is left out.
        stats: QueryStats.
        unanswered: ids (k, 2) int64 of pairs of a point cloud and a clustered mesh, which cannot be compared; with a
            tolerance only near pairs. The number ``left_out`` does not include these pairs.
    """

    _columns = (*COLUMNS, "gap")

    def __init__(
        self, pairs: list[PairGap], stats: QueryStats, unanswered: np.ndarray, left_out: int, beyond: float
    ) -> None:
        super().__init__(pairs, stats, unanswered)
        self.left_out, self.beyond = left_out, beyond
