"""Pools of unused workspaces: allocating memory takes longer than a short search."""

from collections.abc import Callable
from typing import Generic, TypeVar

_T = TypeVar("_T")


class WorkspacePool(Generic[_T]):
    """Reuses workspaces that were returned to the pool, or creates new ones. Appending to and popping from a list are
    atomic.

    Attributes:
        give: gives a workspace back.
    """

    __slots__ = ("_free", "_make", "give")

    def __init__(self, make: Callable[[], _T]) -> None:
        self._free: list[_T] = []
        self._make = make
        self.give: Callable[[_T], None] = self._free.append

    def take(self) -> _T:
        """Return a workspace that is not used by another query."""
        try:
            return self._free.pop()
        except IndexError:
            return self._make()
