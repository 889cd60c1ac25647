"""What every engine has: it works in slices at a question, and leaves what it found in chunks."""

from typing import Protocol

import numpy as np

Chunk = tuple[np.ndarray, ...]
"""Found pairs (n, 2), kinds or distances (n,), and jobs (n,); of the nearest pairs also the points (n, 2, 3)."""


class EngineFailed(Exception):
    """An engine cannot answer after all, and has left no chunk yet; the text says why."""


class Engine(Protocol):
    """An engine at work on a question; made of the question, which it serves."""

    settled: bool
    """Whether what it found needs no exact decision any more."""
    chunks: list[Chunk]
    """What was found so far; may be emptied between two calls of ``advance``."""
    threads: int
    """How many were used."""
    device: str
    """Where it works."""

    def advance(self) -> bool:
        """Work for some milliseconds; True when all jobs are done.

        Raises:
            EngineFailed: another engine has to answer; no chunk was left yet.
        """
        ...

    @property
    def share(self) -> float:
        """Of the jobs that are done, 0 to 1."""
        ...

    @property
    def counters(self) -> tuple[int, int, int]:
        """Tests of volumes, of primitives, and exact ones."""
        ...
