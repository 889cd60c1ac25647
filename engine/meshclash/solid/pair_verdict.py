"""``PairVerdict``: the relation of two objects, with its measures and the contacts between the objects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import total_ordering
from typing import Any, Protocol
from weakref import WeakValueDictionary

import numpy as np

from ..traversal.contacts import Contacts
from ..types.arguments import side_of
from ..types.copying import Copyable
from ..types.mesh import TriangleMesh
from ..types.pose import transform_points
from ..types.results import QueryStats
from ..types.verdict import Verdict

COLUMNS = (
    "a", "b", "verdict", "depth", "depth_lower", "depth_upper", "certainty", "flush", "contacts", "x", "y", "z",
)  # fmt: skip
"""Columns of a table of pairs."""
_NOTHING_COUNTED = QueryStats()
_NO_POINTS = np.empty(0, np.int32)


class Findings(Protocol):
    """The findings for some pairs of objects, computed on first access: contacts, locations and touched elements."""

    @property
    def names(self) -> Mapping[int, str]:
        """Return the names of the objects by their ids, for objects that have a name."""

    def contacts(self, job: int) -> Any:
        """Return the contacts of the surfaces of one pair, as ``Contacts`` or ``CloudContacts``."""

    def count(self, job: int) -> int:
        """Return the number of contacts of one pair."""

    def location(self, job: int) -> np.ndarray | None:
        """Return the location of one pair's contact, (3,) float64 [m], world; None without contact."""

    def touched(self, job: int, side: int) -> np.ndarray:
        """Return the elements of one object of a pair that are in contact, in ascending order."""

    def inside(self, job: int) -> np.ndarray:
        """Return the points of a cloud that lie inside the other object, ascending int32."""


class _Nothing:
    """Findings of two objects whose contacts were not computed."""

    names: Mapping[int, str] = {}

    def contacts(self, job: int) -> Any:
        raise AttributeError("contacts were not computed")

    def count(self, job: int) -> int:
        return 0

    def location(self, job: int) -> None:
        return None

    def touched(self, job: int, side: int) -> np.ndarray:
        return _NO_POINTS

    def inside(self, job: int) -> np.ndarray:
        return _NO_POINTS


NOTHING: Findings = _Nothing()


@total_ordering
class PairVerdict(Copyable):
    """The verdict on a pair of objects, such as CLASH or TOUCHING, and its measures. ``verdict`` and the queries of a
    scene return PairVerdicts.

    A PairVerdict is equal to its verdict, and to any PairVerdict of the same two objects with the same verdict. You can
    sort PairVerdicts by severity, and compare them with verdicts. If the objects have no common volume, or do not bound
    a volume, there is no depth, and the lengths are None.

    Attributes:
        a, b: ids of the two objects in their scene; 0 and 1 outside a scene.
        verdict: a Verdict.
        depth: diameter of a ball that is proved to be in both solids [m]. For open meshes: diameter of the largest ball
            known to be in both objects. For a cloud: depth of its deepest point. None without a common volume, and if
            no ball is proved: then ``depth_lower`` is 0 and only ``depth_upper`` is informative.
        depth_lower, depth_upper: proved lower and upper bound of the diameter of the largest ball [m]; None without a
            proof.
        certainty: probability that the verdict is correct: 1 if the exact predicates decided it, less than 1 if open
            meshes are treated as the solids that they seem to bound.
        flush: whether the verdict would be different without the resolution of the coordinates. In this case the
            objects clash only by a difference within their resolution, and the verdict ignores this difference.
        permitted_overlap: the permitted overlap of this pair [m].
        undecided: whether a point cloud is too coarse to tell if the two objects touch, because their gap or overlap is
            below its resolution (``PointCloud.resolution``). If ``undecided`` is True, the verdict is TOUCHING.
    """

    __slots__ = (
        "_contacts", "_found", "_job", "a", "b", "certainty", "depth", "depth_lower", "depth_upper", "flush",
        "permitted_overlap", "undecided", "verdict",
    )  # fmt: skip

    def __init__(
        self,
        a: int,
        b: int,
        verdict: Verdict,
        depth: float | None = None,
        depth_lower: float | None = None,
        depth_upper: float | None = None,
        certainty: float = 1.0,
        flush: bool = False,
        permitted_overlap: float = 0.0,
        found: Findings = NOTHING,
        job: int = 0,
    ) -> None:
        self.a, self.b, self.verdict = a, b, verdict
        self.depth, self.depth_lower, self.depth_upper = depth, depth_lower, depth_upper
        self.certainty, self.flush, self.permitted_overlap = certainty, flush, permitted_overlap
        self.undecided = False
        self._found, self._job = found, job
        self._contacts: Any = None

    @property
    def contacts(self) -> Any:
        """The contacts of the two surfaces, as ``Contacts``, or as ``CloudContacts`` if one object is a cloud. Column 0
        belongs to a, and column 1 belongs to b.
        """
        if self._contacts is None:
            self._contacts = self._found.contacts(self._job)
        return self._contacts

    @property
    def location(self) -> np.ndarray | None:
        """The location of the contact in world coordinates, (3,) float64 [m]. If two meshes have no contact, the
        location is None.
        """
        return self._found.location(self._job)

    @property
    def inside(self) -> np.ndarray:
        """The points of a cloud that lie inside the other object, if this object is a closed mesh: (n,) int32, in
        ascending order.
        """
        return self._found.inside(self._job)

    def touched(self, side: int) -> np.ndarray:
        """Return which elements of a (side 0) or b (side 1) are in contact, as indices (n,) in ascending order.

        The elements of a mesh are triangles. The elements of a cloud are points, and points that lie inside the other
        object also count as in contact.
        """
        return self._found.touched(self._job, side_of(side))

    @property
    def name(self) -> str:
        """The name of the verdict, for instance "CLASH"."""
        return self.verdict.name

    @property
    def severity(self) -> int:
        """The severity of the verdict."""
        return self.verdict.severity

    @property
    def name_a(self) -> str | int:
        """The name of the first object in its scene. If the object has no name, the value is its id."""
        return self._found.names.get(self.a, self.a)

    @property
    def name_b(self) -> str | int:
        """The name of the second object in its scene. If the object has no name, the value is its id."""
        return self._found.names.get(self.b, self.b)

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary of plain values, for example for a row of a table. The entry ``contacts`` is the number
        of contacts.
        """
        place = self.location
        values = (
            self.name_a, self.name_b, self.verdict.name, self.depth, self.depth_lower, self.depth_upper, self.certainty,
            self.flush, self._found.count(self._job), *((None, None, None) if place is None else place.tolist()),
        )  # fmt: skip
        return dict(zip(COLUMNS, values, strict=True))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PairVerdict):
            return (self.a, self.b, self.verdict) == (other.a, other.b, other.verdict)
        return self.verdict is other if isinstance(other, Verdict) else NotImplemented

    def __lt__(self, other: object) -> bool:
        if isinstance(other, PairVerdict):
            return self.verdict < other.verdict
        return self.verdict < other if isinstance(other, Verdict) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.verdict)

    def __str__(self) -> str:
        return self.verdict.name

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name_a!r}, {self.name_b!r}, {self.verdict}{self._measured()})"

    def _measured(self) -> str:
        """Return the known measures as text for ``repr``."""
        told = "" if self.depth is None else f", depth={self.depth:.6g}"
        if self.depth is None and self.depth_upper is not None:
            told = f", depth<={self.depth_upper:.6g}"
        return (
            told
            + (f", certainty={self.certainty:.3g}" if self.certainty < 1.0 else "")
            + (", flush" * self.flush + ", undecided" * self.undecided)
        )


def verdict_of_alike(found: PairVerdict, a: int, b: int) -> PairVerdict:
    """Return the verdict of the objects a and b, which have the same meshes and poses as the objects of ``found``."""
    return PairVerdict(
        a, b, found.verdict, found.depth, found.depth_lower, found.depth_upper, found.certainty, found.flush,
        found.permitted_overlap, found._found, found._job,
    )  # fmt: skip


def verdict_order(found: PairVerdict) -> tuple[float, float, float]:
    """Return the key that sorts pairs worst first: by severity, then proved depth, then upper bound of the depth."""
    return -found.verdict.severity, -(found.depth or found.depth_lower or 0.0), -(found.depth_upper or 0.0)


def contacts_between(
    pairs: np.ndarray,
    kinds: np.ndarray,
    trees: np.ndarray,
    meshes: Sequence[TriangleMesh],
    rows: tuple[np.ndarray, np.ndarray],
) -> Contacts:
    """Return the contacts (n, 2) of two trees (2,) with their meshes, in the poses (1, 3, 4) of both."""
    first, second = trees.tolist()
    pose = np.zeros(len(pairs), np.int32)
    return Contacts(pairs, kinds, pose, _NOTHING_COUNTED, (meshes[first], meshes[second]), rows)


class _Places(Protocol):
    """Locations to show, as in ``Locations``."""

    def of(self, job: int) -> np.ndarray | None:
        """Return the location of a pair, a point (3,) float64 [m], or None without a location."""


class _NoPlaces:
    """Locations of pairs without any location."""

    def of(self, job: int) -> None:
        return None


NO_PLACES: _Places = _NoPlaces()


@dataclass(frozen=True, eq=False)
class FoundPairs(Copyable, caches={"_made": WeakValueDictionary}):
    """The results for k pairs of objects; the contacts of a pair are computed on request.

    Verdicts of the same pair, such as those of ``verdict_of_alike``, share one ``Contacts``.
    """

    trees: np.ndarray
    """Trees of each pair, (k, 2) int64."""
    rows_a: np.ndarray
    rows_b: np.ndarray
    pairs: np.ndarray
    kinds: np.ndarray
    start: np.ndarray
    """Contacts of pair j are the rows start[j]:start[j + 1], (k + 1,) int64."""
    meshes: Sequence[TriangleMesh]
    """Meshes of the trees."""
    locations: _Places
    names: Mapping[int, str] = field(default_factory=dict)
    _made: WeakValueDictionary[int, Contacts] = field(default_factory=WeakValueDictionary, init=False, repr=False)

    def location(self, job: int) -> np.ndarray | None:
        """Implement ``Findings.location``."""
        return self.locations.of(job)

    def contacts(self, job: int) -> Contacts:
        """Implement ``Findings.contacts``."""
        made = self._made.get(job)
        if made is None:
            part, own = slice(self.start[job], self.start[job + 1]), slice(job, job + 1)
            sides = self.rows_a[own], self.rows_b[own]
            made = contacts_between(self.pairs[part], self.kinds[part], self.trees[job], self.meshes, sides)
            self._made[job] = made
        return made

    def first_contacts(self, jobs: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the first contact of each of some pairs (n,), all of which have contacts.

        Returns:
            (triangles, kinds, corners): the two triangles (n, 2), their kind (n,), and their corners in world
                coordinates (n, 2, 3, 3) float64 [m].
        """
        first, trees = self.start[jobs], self.trees[jobs]
        pairs, corners = self.pairs[first], np.empty((len(jobs), 2, 3, 3))
        for side, rows in enumerate((self.rows_a, self.rows_b)):
            order = np.argsort(trees[:, side], kind="stable")
            for own in np.split(order, np.flatnonzero(np.diff(trees[order, side])) + 1):
                corners[own, side] = self.meshes[trees[own[0], side]].corners_of(pairs[own, side])
            corners[:, side] = transform_points(rows[jobs, None], corners[:, side])
        return pairs, self.kinds[first], corners

    def count(self, job: int) -> int:
        """Implement ``Findings.count``."""
        return int(self.start[job + 1] - self.start[job])

    def touched(self, job: int, side: int) -> np.ndarray:
        """Implement ``Findings.touched``."""
        return np.unique(self.pairs[self.start[job] : self.start[job + 1], side])

    def inside(self, job: int) -> np.ndarray:
        """Implement ``Findings.inside``."""
        return _NO_POINTS
