"""What queries return."""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from .arguments import instance


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
        other = instance("other", other, QueryStats)
        return replace(
            self, volume_tests=self.volume_tests + other.volume_tests,
            primitive_tests=self.primitive_tests + other.primitive_tests,
            exact_tests=self.exact_tests + other.exact_tests, updated_nodes=self.updated_nodes + other.updated_nodes,
            device=self.device if other.device == "cpu" else other.device,
            note="; ".join(dict.fromkeys(filter(None, (self.note, other.note)))),
        )  # fmt: skip
