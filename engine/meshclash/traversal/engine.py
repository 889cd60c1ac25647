"""``Engine``: the protocol of all engines, which answer a question in slices and return results in chunks."""

from typing import Protocol

import numpy as np

Chunk = tuple[np.ndarray, ...]
"""Pairs (n, 2), kinds or distances (n,), and jobs (n,); for nearest pairs also points (n, 2, 3)."""


class EngineFailed(Exception):
    """Raised when an engine cannot answer a question, before it has returned any chunk; the message gives the
    reason.
    """


class Engine(Protocol):
    """An engine that answers one question, with which it is created."""

    settled: bool
    """Whether the results are final, without a further exact decision."""
    chunks: list[Chunk]
    """The results so far; the caller may empty this between two calls of ``advance``."""
    threads: int
    """Number of threads used."""
    device: str
    """The device that it runs on."""

    def advance(self) -> bool:
        """Work for some milliseconds; return True when all jobs are done.

        Raises:
            EngineFailed: another engine must answer. No chunk has been returned yet.
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
