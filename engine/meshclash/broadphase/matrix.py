"""``CollisionMatrix``: choose which pairs of objects are compared, by groups, rules between groups, and pairs."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import UnsupportedOption
from ..messages import shown
from ..types.copying import Changeable
from ..types.numbers import truth, whole_number, whole_numbers

DEFAULT_GROUP = "default"
_MOST = 2**31
"""Upper limit of ids, so that two of them fit into one integer."""


class CollisionMatrix(Changeable):
    """Rules for which pairs of objects are compared. Pass the matrix as the argument ``keep`` to any query of a scene.

    Every object belongs to exactly one group, which is "default" until you assign another one. The objects of any two
    groups are compared with each other unless a rule says otherwise. If you set whether a single pair is compared, this
    setting overrides the rules for the groups.

    Usage::

        rules = CollisionMatrix()
        rules.assign([0, 1, 2], "robot")
        rules.set_rule("robot", "robot", False)
        scene.contacts(keep=rules)

    Example:
        >>> import numpy as np
        >>> import meshclash as mc
        >>> rules = mc.CollisionMatrix()
        >>> rules.set_pair(0, 1, False)
        >>> rules(np.array([[0, 1], [0, 2]]))
        array([False,  True])
    """

    def __init__(self) -> None:
        self._groups = {DEFAULT_GROUP: 0}
        self._table = np.ones((1, 1), np.bool_)
        self._group_of: dict[int, int] = {}
        self._pairs: dict[int, bool] = {}
        self._sorted: tuple[int, _Sorted, _Sorted] | None = None
        self.revision = 0
        """A number that grows with every change."""

    @property
    def groups(self) -> list[str]:
        """The names of all groups."""
        return list(self._groups)

    def group_of(self, identifier: int) -> str:
        """Return the group of an object. Raises UnsupportedOption."""
        return self.groups[self._group_of.get(_identifier("identifier", identifier), 0)]

    def assign(self, identifiers: int | Iterable[int], group: str) -> None:
        """Put objects into a group. If the group does not exist, it is created. Raises UnsupportedOption."""
        given: Any = [identifiers] if isinstance(identifiers, int | np.integer) else identifiers
        try:
            ids = [_identifier("identifiers", i) for i in given]
        except TypeError:
            raise UnsupportedOption(f"identifiers must be object ids, not {shown(identifiers)}") from None
        self._group_of.update(dict.fromkeys(ids, self._place(group)))
        self.revision += 1

    def set_rule(self, group: str, other: str, compared: bool) -> None:
        """Set whether the objects of two groups are compared with each other. To set this for the objects within one
        group, pass the name of the group twice. Raises UnsupportedOption.
        """
        says = truth("compared", compared)
        i, j = self._place(group), self._place(other)
        self._table[i, j] = self._table[j, i] = says
        self.revision += 1

    def set_pair(self, first: int, second: int, compared: bool | None) -> None:
        """Set whether two objects are compared with each other, regardless of the groups to which they belong. If
        ``compared`` is None, the setting for this pair is removed.

        Raises:
            UnsupportedOption: an argument is invalid.
        """
        low, high = sorted((_identifier("first", first), _identifier("second", second)))
        key = (low << 32) + high
        if compared is None:
            self._pairs.pop(key, None)
        else:
            self._pairs[key] = truth("compared", compared)
        self.revision += 1

    def __call__(self, pairs: np.ndarray) -> np.ndarray:
        """Return which pairs of ids (k, 2) are compared, (k,) bool. Raises UnsupportedOption."""
        pairs = whole_numbers("pairs", pairs)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise UnsupportedOption(f"pairs must have shape (k, 2), not {pairs.shape}")
        if pairs.size and not 0 <= pairs.min() <= pairs.max() < _MOST:
            raise UnsupportedOption(
                f"pairs must contain ids of at least 0 and below 2**31, not {pairs.min()} to {pairs.max()}"
            )
        if self._sorted is None or self._sorted[0] != self.revision:
            self._sorted = self.revision, _Sorted(self._group_of, np.int64), _Sorted(self._pairs, np.bool_)
        _, groups_of, said = self._sorted
        groups = groups_of.find(pairs, np.zeros(pairs.shape, np.int64))
        keys = (pairs.min(axis=1) << 32) + pairs.max(axis=1)
        return said.find(keys, self._table[groups[:, 0], groups[:, 1]])

    def _place(self, group: str) -> int:
        """Return the number of a group; creates the group if needed."""
        if not isinstance(group, str) or not group:
            raise UnsupportedOption(f"a group name must be a string, not {shown(group)}")
        if group not in self._groups:
            self._groups[group] = len(self._groups)
            self._table = np.pad(self._table, (0, 1), constant_values=True)
        return self._groups[group]


class _Sorted:
    """A dictionary with integer keys as sorted arrays, for looking up many keys at once."""

    def __init__(self, said: dict[int, Any], kind: type) -> None:
        self._keys = np.array(sorted(said), np.int64)
        self._says: np.ndarray = np.array([said[key] for key in self._keys.tolist()], kind)

    def find(self, keys: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
        """Return the value of each key; for unknown keys the value in ``otherwise``, which is changed in place."""
        if len(self._keys):
            place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
            known = self._keys[place] == keys
            otherwise[known] = self._says[place[known]]
        return otherwise


def _identifier(name: str, value: Any) -> int:
    """Validate the id of an object and return it. Raises UnsupportedOption with the name of the argument."""
    number = whole_number(name, value, 0)
    if number >= _MOST:
        raise UnsupportedOption(f"{name} must be below 2**31, not {shown(value)}")
    return number
