"""What was found out about pairs of objects of a scene, for as long as neither of the two moves or deforms."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

if TYPE_CHECKING:
    from .members import Members
    from .scene import Scene

_T = TypeVar("_T")
Pair = tuple[int, int]


class PairMemory(Generic[_T]):
    """Answers by the ids of two objects. One is forgotten when an object changes, or the pair is followed no more."""

    def __init__(self) -> None:
        self._answers: dict[Pair, tuple[tuple[int, ...], _T]] = {}
        self._revisions: dict[Pair, tuple[int, ...]] = {}

    def __len__(self) -> int:
        """Number of answers."""
        return len(self._answers)

    def __contains__(self, pair: Any) -> bool:
        """Whether there is an answer for a pair of ids."""
        return pair in self._answers

    def __getitem__(self, pair: Pair) -> _T:
        """The answer for a pair of ids; KeyError: there is none."""
        return self._answers[pair][1]

    def items(self) -> Iterator[tuple[Pair, _T]]:
        """The pairs of ids with their answers, in the order in which they were followed."""
        return ((pair, self._answers[pair][1]) for pair in self._revisions if pair in self._answers)

    def follow(self, scene: "Members | Scene", pairs: Iterable[Pair] | np.ndarray) -> list[Pair]:
        """Take up pairs, and forget all others; returns those that have no answer for their objects as they are.

        Args:
            scene: has the objects.
            pairs: of ids, (k, 2).

        Raises:
            UnknownObject: an id is not in the scene.
        """
        ids = np.asarray(pairs if isinstance(pairs, np.ndarray) else list(pairs), np.int64).reshape(-1, 2)
        revisions = map(tuple, scene.revisions(ids).tolist())
        self._revisions = {(a, b): revision for (a, b), revision in zip(ids.tolist(), revisions, strict=True)}
        self._answers = {pair: known for pair, known in self._answers.items() if self._revisions.get(pair) == known[0]}
        return [pair for pair in self._revisions if pair not in self._answers]

    def note(self, pair: Pair, answer: _T) -> None:
        """Remember the answer to a pair that is followed; KeyError: it is not."""
        self._answers[pair] = self._revisions[pair], answer
