"""Progress and statistics of queries."""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from .arguments import instance


class Progress(NamedTuple):
    """The progress of a long computation."""

    fraction: float
    """0 to 1."""
    text: str
    """Description of the current stage, for users."""


@dataclass(frozen=True)
class QueryStats:
    """Statistics about the work that a query did. The counts are the same on every computer."""

    volume_tests: int = 0
    """Pairs of bounding volumes tested (N_bv)."""
    primitive_tests: int = 0
    """Triangle pairs tested in float64 (N_p), after filters excluded the others."""
    exact_tests: int = 0
    """Triangle pairs that float64 could not decide."""
    seconds: float = 0.0
    threads: int = 1
    device: str = "cpu"
    """Device that computed the result: "cpu" or "cuda"."""
    note: str = ""
    """Reason for a fallback to the CPU; "" if the query did not fall back."""
    timings: dict[str, float] = field(default_factory=dict)
    """Seconds per stage, if the query has stages."""
    updated_nodes: int = 0
    """Nodes refitted since the last query on the hierarchies (N_u)."""
    engine: str = "hierarchies"
    """Engine that compared the objects: "hierarchies" or "voxels"."""

    def plus(self, other: "QueryStats") -> "QueryStats":
        """Return the sum of two statistics, for two pieces of work that were done one after the other.

        If one of the two statistics used "cuda", the device of the sum is "cuda". If both statistics have the same
        note, the sum contains the note only once.
        """
        other = instance("other", other, QueryStats)
        stages = dict.fromkeys((*self.timings, *other.timings))
        return replace(
            self, volume_tests=self.volume_tests + other.volume_tests,
            primitive_tests=self.primitive_tests + other.primitive_tests,
            exact_tests=self.exact_tests + other.exact_tests, updated_nodes=self.updated_nodes + other.updated_nodes,
            device=self.device if other.device == "cpu" else other.device, seconds=self.seconds + other.seconds,
            timings={stage: self.timings.get(stage, 0.0) + other.timings.get(stage, 0.0) for stage in stages},
            note="; ".join(dict.fromkeys(filter(None, (self.note, other.note)))),
        )  # fmt: skip
