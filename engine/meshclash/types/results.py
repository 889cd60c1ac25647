"""What queries return."""

from dataclasses import dataclass, field, replace
from functools import total_ordering
from typing import ClassVar, NamedTuple


class Progress(NamedTuple):
    """How far long work has come."""

    fraction: float
    """0 to 1."""
    text: str
    """What is being done, for people."""


@dataclass(frozen=True)
class QueryStats:
    """Work that a query did; the counts are the same on every machine."""

    volume_tests: int = 0
    """Pairs of bounding volumes tested (N_bv)."""
    primitive_tests: int = 0
    """Triangle pairs tested in float64 (N_p): those that filters did not tell apart before."""
    exact_tests: int = 0
    """Triangle pairs that float64 could not decide."""
    seconds: float = 0.0
    threads: int = 1
    device: str = "cpu"
    """That answered: "cpu" or "cuda"."""
    note: str = ""
    """Why the CPU answered where a device was meant to; "" otherwise."""
    timings: dict[str, float] = field(default_factory=dict)
    """Seconds per stage, where a query has stages."""
    updated_nodes: int = 0
    """Nodes refitted since the last query on the hierarchies (N_u)."""
    engine: str = "hierarchies"
    """That compared the objects: "hierarchies" or "voxels"."""

    def plus(self, other: "QueryStats") -> "QueryStats":
        """The same with the counts of other work added: on a device if any of it was, with every note once."""
        return replace(
            self, volume_tests=self.volume_tests + other.volume_tests,
            primitive_tests=self.primitive_tests + other.primitive_tests,
            exact_tests=self.exact_tests + other.exact_tests, updated_nodes=self.updated_nodes + other.updated_nodes,
            device=self.device if other.device == "cpu" else other.device,
            note="; ".join(dict.fromkeys(filter(None, (self.note, other.note)))),
        )  # fmt: skip


@total_ordering
@dataclass(frozen=True, eq=False)
class Verdict:
    """What two objects do to each other; equal to another verdict of the same name, whatever was measured.

    Ordered by severity: APART < TOUCHING < CONTAINED < DUPLICATE < CLASH. The constants ``Verdict.APART`` and so on
    carry no lengths. A length is None where there is none: no common volume, or no object that bounds one.
    """

    APART: ClassVar["Verdict"]
    TOUCHING: ClassVar["Verdict"]
    CONTAINED: ClassVar["Verdict"]
    DUPLICATE: ClassVar["Verdict"]
    CLASH: ClassVar["Verdict"]

    name: str
    severity: int
    """Grows from APART (0) to CLASH (4); results are sorted by it."""
    depth: float | None = None
    """Diameter of a ball that is proved to be in both solids [m]; of open meshes, of the largest ball known to be. None
    without common volume, and where no ball is proved: then ``depth_lower`` is 0 and ``depth_upper`` says all."""
    depth_lower: float | None = None
    """The largest ball has at least this diameter [m]; None where nothing is proved."""
    depth_upper: float | None = None
    """The largest ball has at most this diameter [m]; None where nothing is proved."""
    certainty: float = 1.0
    """Probability that the verdict is right: 1 where the exact predicates decided it, less where open meshes are judged
    as the solids that they seem to bound."""
    flush: bool = False
    """Whether the verdict is that of the objects as meant, and another one of the coordinates as stored: a difference
    within their resolution made them clash (``permitted_overlap="resolution"``)."""
    permitted_overlap: float = 0.0
    """What was permitted to this pair [m]."""

    def with_measures(
        self,
        *,
        depth: float | None = None,
        depth_lower: float | None = None,
        depth_upper: float | None = None,
        certainty: float = 1.0,
        flush: bool = False,
        permitted_overlap: float = 0.0,
    ) -> "Verdict":
        """The verdict of the same name with exactly these measures; what they mean is said at the fields."""
        return Verdict(self.name, self.severity, depth, depth_lower, depth_upper, certainty, flush, permitted_overlap)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Verdict) and other.name == self.name

    def __lt__(self, other: object) -> bool:
        return self.severity < other.severity if isinstance(other, Verdict) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name


APART = Verdict("APART", 0)
TOUCHING = Verdict("TOUCHING", 1)
CONTAINED = Verdict("CONTAINED", 2)
DUPLICATE = Verdict("DUPLICATE", 3)
CLASH = Verdict("CLASH", 4)
for _verdict in (APART, TOUCHING, CONTAINED, DUPLICATE, CLASH):
    setattr(Verdict, _verdict.name, _verdict)
