"""``Engine``: the protocol of all engines, which compute a question in slices and return results in chunks."""

from typing import Protocol

import numpy as np

Chunk = tuple[np.ndarray, ...]
"""Pairs (n, 2), kinds or distances (n,), and jobs (n,); for nearest pairs also points (n, 2, 3)."""


class EngineFailed(Exception):
    """Raised when an engine cannot compute a question, before it has returned any chunk, with the reason."""


class Engine(Protocol):
    """An engine that computes one question, which is given to its constructor."""

    settled: bool
    """Whether the results are final, without a further exact decision."""
    chunks: list[Chunk]
    """The results so far; the caller may empty this list between two calls of ``advance``."""
    threads: int
    """Number of threads used."""
    device: str
    """The device on which the engine runs."""

    def advance(self) -> bool:
        """Work for some milliseconds; return True when all jobs are done.

        Raises:
            EngineFailed: another engine must compute the question. No chunk has been returned yet.
        """
        ...

    @property
    def share(self) -> float:
        """Fraction of the jobs that are done, 0 to 1."""
        ...

    @property
    def counters(self) -> tuple[int, int, int]:
        """Numbers of volume tests, primitive tests and exact tests."""
        ...
