"""Workspaces that nobody uses now: fresh memory costs more than a short search."""

from collections.abc import Callable
from typing import Generic, TypeVar

_T = TypeVar("_T")


class WorkspacePool(Generic[_T]):
    """Takes one of those that were given back, or makes one. Appending to and popping from a list are atomic.

    Attributes:
        give: takes one back.
    """

    __slots__ = ("_free", "_make", "give")

    def __init__(self, make: Callable[[], _T]) -> None:
        self._free: list[_T] = []
        self._make = make
        self.give: Callable[[_T], None] = self._free.append

    def take(self) -> _T:
        """One that nobody else has."""
        try:
            return self._free.pop()
        except IndexError:
            return self._make()
