"""A cache of results for pairs of objects of a scene, valid until one of the two moves or deforms."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

if TYPE_CHECKING:
    from .members import Members
    from .scene import Scene

_T = TypeVar("_T")
Pair = tuple[int, int]


class PairMemory(Generic[_T]):
    """A cache of results by pairs of ids.

    A result is dropped when one of the two objects changes, or when the pair is no longer followed.
    """

    def __init__(self) -> None:
        self._answers: dict[Pair, tuple[tuple[int, ...], _T]] = {}
        self._revisions: dict[Pair, tuple[int, ...]] = {}

    def __len__(self) -> int:
        """Number of results."""
        return len(self._answers)

    def __contains__(self, pair: Any) -> bool:
        """Whether there is a result for a pair of ids."""
        return pair in self._answers

    def __getitem__(self, pair: Pair) -> _T:
        """Return the result for a pair of ids. Raises KeyError if there is none."""
        return self._answers[pair][1]

    def items(self) -> Iterator[tuple[Pair, _T]]:
        """Iterate over the pairs of ids with their results, in the order given to ``follow``."""
        return ((pair, self._answers[pair][1]) for pair in self._revisions if pair in self._answers)

    def follow(self, scene: "Members | Scene", pairs: Iterable[Pair] | np.ndarray) -> list[Pair]:
        """Follow these pairs and drop all others; return the pairs without a result for their current objects.

        Args:
            scene: the scene of the objects.
            pairs: pairs of ids, (k, 2).

        Raises:
            UnknownObject: an id is not in the scene.
        """
        ids = np.asarray(pairs if isinstance(pairs, np.ndarray) else list(pairs), np.int64).reshape(-1, 2)
        revisions = map(tuple, scene.revisions(ids).tolist())
        self._revisions = {(a, b): revision for (a, b), revision in zip(ids.tolist(), revisions, strict=True)}
        self._answers = {pair: known for pair, known in self._answers.items() if self._revisions.get(pair) == known[0]}
        return [pair for pair in self._revisions if pair not in self._answers]

    def note(self, pair: Pair, answer: _T) -> None:
        """Store the result for a followed pair. Raises KeyError if the pair is not followed."""
        self._answers[pair] = self._revisions[pair], answer
