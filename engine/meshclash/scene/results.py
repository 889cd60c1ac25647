"""What a scene answers: pairs of objects that are not apart, or how near they come."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..geometry.triangle_distance import nearest_points
from ..pointcloud.cloud_contacts import CloudContacts
from ..solid.pair_verdict import COLUMNS, NOTHING, Findings, PairVerdict
from ..traversal.contacts import Contacts
from ..types.results import QueryStats
from ..types.verdict import Verdict
from .pair_list import PairList

NO_NAMES: Mapping[int, str] = {}


@dataclass(frozen=True, eq=False)
class FirstContact:
    """Two objects that meet, of which only one contact is known."""

    a: int
    b: int
    contacts: Contacts | CloudContacts
    """One triangle pair, column 0 in a, column 1 in b; or one point, where one of the two is a cloud."""
    verdict = None
    """Nothing more is known."""
    gap = 0.0
    """[m], as every pair that meets."""


class PairGap(PairVerdict):
    """The gap between two objects of a scene, and their verdict.

    Attributes:
        gap: [m]; 0 where they have a common point: exactly where the verdict is not APART.
        points: world points of a and b nearest to each other, (2, 3) float64 [m]; None inside another without contact.
        triangles: of a and b on which they lie; points, of clouds.
        near_a: triangles of a that meet b or, of objects that are apart, come within the tolerance: (n,) int32,
            ascending. Of pairs with a cloud: triangles, or points of a cloud, that meet, lie inside, or are nearest.
        near_b: as ``near_a``, of b.
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
        """Return plain values as ``PairVerdict.to_dict`` does, with the gap."""
        return {**super().to_dict(), "gap": self.gap}

    def _measured(self) -> str:
        return f", gap={self.gap:.6g}{super()._measured()}"


def gap_of_meeting(item: PairVerdict) -> PairGap:
    """The gap, 0, of two objects with a common point."""
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
    made.permitted_overlap, made._contacts = item.permitted_overlap, contacts
    return made


class SceneContacts(PairList[PairVerdict]):
    """All pairs of objects of a scene that are not apart, worst first.

    Attributes:
        pairs: a list of them, meshes and clouds alike; the answer itself is a sequence of them, too.
        stats: QueryStats; its ``timings`` are the seconds of broad phase, building, traversal, verdicts.
        unanswered: ids (k, 2) int64 of near pairs that cannot be compared: a point cloud and a clustered mesh.
    """


class SceneGaps(PairList[PairGap]):
    """Pairs of objects of a scene with their gaps, sorted by severity, depth and gap.

    Attributes:
        pairs: a list of them; the answer itself is a sequence of them, too.
        left_out: how many pairs are not listed: none of them is nearer than ``beyond``.
        beyond: [m]; infinite where nothing is left out.
        stats: QueryStats.
        unanswered: ids (k, 2) int64 of pairs that cannot be compared, a point cloud and a clustered mesh: within a
            tolerance near ones; they are not among those left out.
    """

    _columns = (*COLUMNS, "gap")

    def __init__(
        self, pairs: list[PairGap], stats: QueryStats, unanswered: np.ndarray, left_out: int, beyond: float
    ) -> None:
        super().__init__(pairs, stats, unanswered)
        self.left_out, self.beyond = left_out, beyond
