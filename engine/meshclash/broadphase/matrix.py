"""``CollisionMatrix``: which objects of a scene are compared, by groups, rules between groups, and single pairs."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import UnsupportedOption
from ..types.numbers import truth, whole_number

DEFAULT_GROUP = "default"


class CollisionMatrix:
    """Rules for pairs of objects. It is called with pairs of ids, so it serves as ``keep`` of every question.

    Objects belong to a group, "default" until said otherwise, and groups are compared unless a rule says no. What is
    said of a single pair counts more than the rule of its groups.

    Usage::

        rules = CollisionMatrix()
        rules.assign([0, 1, 2], "robot")
        rules.set_rule("robot", "robot", False)
        scene.contacts(keep=rules)
    """

    def __init__(self) -> None:
        self._groups = {DEFAULT_GROUP: 0}
        self._table = np.ones((1, 1), np.bool_)
        self._group_of = np.zeros(0, np.int64)
        self._pairs: dict[int, bool] = {}
        self._keys, self._says = np.empty(0, np.int64), np.empty(0, np.bool_)
        self.revision = 0
        """Grows with every change."""

    @property
    def groups(self) -> list[str]:
        """Names of the groups."""
        return list(self._groups)

    def group_of(self, identifier: int) -> str:
        """The group of an object."""
        at = whole_number("identifier", identifier, 0)
        return self.groups[int(self._group_of[at]) if at < len(self._group_of) else 0]

    def assign(self, identifiers: int | Iterable[int], group: str) -> None:
        """Put objects into a group, which is made if there is none of the name; raises UnsupportedOption."""
        given: Any = [identifiers] if isinstance(identifiers, int | np.integer) else identifiers
        try:
            ids = [whole_number("identifiers", i, 0) for i in given]
        except TypeError:
            raise UnsupportedOption(f"identifiers must be ids of objects, not {identifiers!r:.80}") from None
        place = self._place(group, make=True)
        most = max(ids, default=-1) + 1
        if most > len(self._group_of):
            self._group_of = np.concatenate([self._group_of, np.zeros(2 * most - len(self._group_of), np.int64)])
        self._group_of[ids] = place
        self.revision += 1

    def set_rule(self, group: str, other: str, compared: bool) -> None:
        """Whether objects of two groups, or of one with itself, are compared; raises UnsupportedOption."""
        i, j = self._place(group, make=True), self._place(other, make=True)
        self._table[i, j] = self._table[j, i] = truth("compared", compared)
        self.revision += 1

    def set_pair(self, first: int, second: int, compared: bool | None) -> None:
        """Whether two objects are compared, whatever their groups; None leaves it to these."""
        low, high = sorted(whole_number(name, i, 0) for name, i in (("first", first), ("second", second)))
        key = (low << 32) + high
        if compared is None:
            self._pairs.pop(key, None)
        else:
            self._pairs[key] = truth("compared", compared)
        self._keys = np.array(sorted(self._pairs), np.int64)
        self._says = np.array([self._pairs[k] for k in self._keys.tolist()], np.bool_)
        self.revision += 1

    def __call__(self, pairs: np.ndarray) -> np.ndarray:
        """Which pairs of ids (k, 2) are compared, (k,) bool."""
        pairs = np.asarray(pairs, np.int64)
        groups = np.zeros(pairs.shape, np.int64)
        known = pairs < len(self._group_of)
        groups[known] = self._group_of[pairs[known]]
        compared = self._table[groups[:, 0], groups[:, 1]]
        if len(self._keys):
            keys = (pairs.min(axis=1) << 32) + pairs.max(axis=1)
            place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
            said = self._keys[place] == keys
            compared[said] = self._says[place[said]]
        return compared

    def _place(self, group: str, make: bool) -> int:
        if not isinstance(group, str) or not group:
            raise UnsupportedOption(f"a group is named by a text, not by {group!r:.80}")
        if group not in self._groups and make:
            self._groups[group] = len(self._groups)
            size = len(self._groups)
            table = np.ones((size, size), np.bool_)
            table[:-1, :-1] = self._table
            self._table = table
        return self._groups[group]
