"""``PairVerdict``: what two objects do to each other, with its measures and what was found between them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import total_ordering
from typing import Any, Protocol

import numpy as np

from ..traversal.contacts import Contacts
from ..types.arguments import side_of
from ..types.copying import Copyable
from ..types.mesh import TriangleMesh
from ..types.results import QueryStats
from ..types.verdict import Verdict

COLUMNS = (
    "a", "b", "verdict", "depth", "depth_lower", "depth_upper", "certainty", "flush", "contacts", "x", "y", "z",
)  # fmt: skip
"""Of a table of pairs."""
_NOTHING_COUNTED = QueryStats()
_NO_POINTS = np.empty(0, np.int32)


class Findings(Protocol):
    """What was found between the objects of some pairs, made when it is asked for."""

    @property
    def names(self) -> Mapping[int, str]:
        """Names of objects, by their ids, where they have any."""

    def contacts(self, job: int) -> Any:
        """Where the surfaces of one pair meet: ``Contacts``, or ``CloudContacts``."""

    def count(self, job: int) -> int:
        """How many contacts that are."""

    def location(self, job: int) -> np.ndarray | None:
        """A point to look at, (3,) float64 [m], world; None where there is none."""

    def touched(self, job: int, side: int) -> np.ndarray:
        """What is in contact on one side, ascending."""

    def inside(self, job: int) -> np.ndarray:
        """Points of a cloud inside the other object, ascending int32."""


class _Nothing:
    """Of two objects between which nothing was looked for."""

    names: Mapping[int, str] = {}

    def contacts(self, job: int) -> Any:
        raise AttributeError("no contacts were looked for")

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
    """What two objects do to each other, as single questions and scenes tell it.

    It equals its verdict, and a record of the same two objects with the same verdict; it is ordered by severity, among
    verdicts, too. A length is None where there is none: no common volume, or no object that bounds one.

    Attributes:
        a, b: ids of the two objects in their scene; 0 and 1 where they were asked about by themselves.
        verdict: a Verdict.
        depth: diameter of a ball that is proved to be in both solids [m]; of open meshes, of the largest ball known to
            be; of a cloud, how deep its deepest point lies. None without common volume, and where no ball is proved:
            then ``depth_lower`` is 0 and ``depth_upper`` says all.
        depth_lower, depth_upper: the largest ball has at least, and at most, this diameter [m]; None where nothing is
            proved.
        certainty: probability that the verdict is right: 1 where the exact predicates decided it, less where open
            meshes are judged as the solids that they seem to bound.
        flush: whether the verdict is that of the objects as meant, and another one of the coordinates as stored: a
            difference within their resolution made them clash.
        permitted_overlap: what was permitted to this pair [m].
    """

    __slots__ = (
        "_contacts", "_found", "_job", "a", "b", "certainty", "depth", "depth_lower", "depth_upper", "flush",
        "permitted_overlap", "verdict",
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
        self._found, self._job = found, job
        self._contacts: Any = None

    @property
    def contacts(self) -> Any:
        """Where the surfaces meet: ``Contacts``, column 0 in a, column 1 in b; ``CloudContacts``, of a cloud."""
        if self._contacts is None:
            self._contacts = self._found.contacts(self._job)
        return self._contacts

    @property
    def location(self) -> np.ndarray | None:
        """A point to look at, (3,) float64 [m], world; None for meshes that only come near."""
        return self._found.location(self._job)

    @property
    def inside(self) -> np.ndarray:
        """Points of a cloud that lie inside the other object, a closed mesh: (n,) int32, ascending."""
        return self._found.inside(self._job)

    def touched(self, side: int) -> np.ndarray:
        """What is in contact of a (side 0) or b (side 1), (n,) ascending: triangles; points of a cloud, with those
        that are inside."""
        return self._found.touched(self._job, side_of(side))

    @property
    def name(self) -> str:
        """That of the verdict: "CLASH", for instance."""
        return self.verdict.name

    @property
    def severity(self) -> int:
        """That of the verdict."""
        return self.verdict.severity

    @property
    def name_a(self) -> str | int:
        """What the first object is called in its scene; its id where it has no name."""
        return self._found.names.get(self.a, self.a)

    @property
    def name_b(self) -> str | int:
        """What the second object is called."""
        return self._found.names.get(self.b, self.b)

    def to_dict(self) -> dict[str, Any]:
        """Plain values under plain keys, as tables have them; ``contacts`` is how many there are."""
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
        """The measures that say something, for ``repr``."""
        told = "" if self.depth is None else f", depth={self.depth:.6g}"
        if self.depth is None and self.depth_upper is not None:
            told = f", depth<={self.depth_upper:.6g}"
        return told + (f", certainty={self.certainty:.3g}" if self.certainty < 1.0 else "") + ", flush" * self.flush


def verdict_order(found: PairVerdict) -> tuple[float, float, float]:
    """Sorts pairs worst first: by severity, by the depth that is proved, then by what it may be at most."""
    return -found.verdict.severity, -(found.depth or found.depth_lower or 0.0), -(found.depth_upper or 0.0)


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


class _Places(Protocol):
    """Points to look at, as ``Locations``."""

    def of(self, job: int) -> np.ndarray | None:
        """A point (3,) float64 [m]; None where there is none."""


@dataclass(frozen=True, eq=False)
class FoundPairs(Copyable):
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
    locations: _Places
    names: Mapping[int, str] = field(default_factory=dict)

    def location(self, job: int) -> np.ndarray | None:
        """As ``Findings``."""
        return self.locations.of(job)

    def contacts(self, job: int) -> Contacts:
        """As ``Findings``."""
        part, own = slice(self.start[job], self.start[job + 1]), slice(job, job + 1)
        sides = self.rows_a[own], self.rows_b[own]
        return contacts_between(self.pairs[part], self.kinds[part], self.trees[job], self.meshes, sides)

    def count(self, job: int) -> int:
        """As ``Findings``."""
        return int(self.start[job + 1] - self.start[job])

    def touched(self, job: int, side: int) -> np.ndarray:
        """As ``Findings``."""
        return np.unique(self.pairs[self.start[job] : self.start[job + 1], side])

    def inside(self, job: int) -> np.ndarray:
        """As ``Findings``."""
        return _NO_POINTS
