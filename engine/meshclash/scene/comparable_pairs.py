"""Decide which pairs of objects can be compared: those of kinds for which the query table has a verdict."""

from collections.abc import Sequence

import numpy as np

from ..errors import UnsupportedOption
from ..query.table import TABLE, VERDICT, Kind
from .member import Member

_PLACE = {kind: place for place, kind in enumerate(Kind)}
_ANSWERED = np.zeros((len(Kind), len(Kind)), np.bool_)
for _query, *_kinds in TABLE:
    if _query is VERDICT:
        _a, _b = map(_PLACE.__getitem__, _kinds)
        _ANSWERED[_a, _b] = _ANSWERED[_b, _a] = True


class Comparable:
    """Tells which pairs of the objects of a query can be compared.

    Args:
        members: all objects of the scene, in the order of their ids.
        in_a, in_b: whether each object belongs to the set, (n,) bool.
    """

    def __init__(self, members: Sequence[Member], in_a: np.ndarray, in_b: np.ndarray) -> None:
        self._members = members
        self._kinds = np.array([_PLACE[member.kind] for member in members], np.int8)
        self._sets = in_a, in_b

    def told(self, ids: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Return which pairs of objects, given by their indices (k, 2), can be compared, (k,) bool.

        Raises:
            UnsupportedOption: a pair cannot be compared, and the sets have no pairs that can. The message names the
                objects by their ids.
        """
        kinds = self._kinds[places]
        answered: np.ndarray = _ANSWERED[kinds[:, 0], kinds[:, 1]]
        if not answered.all() and not self._has_others():
            first, second = places[~answered][0].tolist()
            a, b = (type(self._members[place].thing).__name__ for place in (first, second))
            raise UnsupportedOption(
                f"object {ids[first]}, a {a}, cannot be compared with object {ids[second]}, a {b}, "
                "and the query has no other pairs"
            )
        return answered

    def _has_others(self) -> bool:
        """Return whether there is a pair of objects, one of each set, whose kinds can be compared."""
        rows, counts = np.unique(np.stack([self._kinds, *self._sets], axis=1), axis=0, return_counts=True)
        for i, (kind, a, b) in enumerate(rows.tolist()):
            for j, (other, other_a, other_b) in enumerate(rows[: i + 1].tolist()):
                both = (a and other_b) or (b and other_a)
                if both and (i != j or counts[i] > 1) and _ANSWERED[kind, other]:
                    return True
        return False
