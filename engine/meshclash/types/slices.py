"""Long work in pieces: when a generator should let others go on."""

import time

SLICE_SECONDS = 0.005
"""How long a piece of work takes: part of what an interface may wait, so that its caller keeps to a budget."""


class Slice:
    """One piece of work, from its making on; after a yield the next one is made."""

    __slots__ = ("_end",)

    def __init__(self) -> None:
        self._end = time.perf_counter() + SLICE_SECONDS

    @property
    def over(self) -> bool:
        """Whether it has taken long enough."""
        return time.perf_counter() >= self._end
