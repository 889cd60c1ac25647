"""Which pairs of objects can be compared: all but a point cloud with a clustered mesh, which is not held in memory."""

from collections.abc import Sequence

import numpy as np

from ..errors import UnsupportedOption
from .member import Member

_CLOUD, _CLUSTERED = 1, 2


class Comparable:
    """The objects of a question, and which pairs of them it can answer.

    Args:
        members: all objects of the scene, in the order of their ids.
        in_a, in_b: whether an object belongs to a set, (n,) bool.
    """

    def __init__(self, members: Sequence[Member], in_a: np.ndarray, in_b: np.ndarray) -> None:
        self._members = members
        self._kinds = np.array([2 * m.is_special - m.is_cloud for m in members], np.int8)
        self._sets = in_a, in_b

    def told(self, ids: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Which pairs of objects, by their places (k, 2), can be compared, (k,) bool.

        Raises:
            UnsupportedOption: one cannot, and the sets have no pairs of other kinds; names the objects by their ids.
        """
        kinds = self._kinds[places]
        refused = kinds.min(axis=1, initial=_CLUSTERED) * kinds.max(axis=1, initial=0) == _CLOUD * _CLUSTERED
        if refused.any() and not self._has_others():
            pair = places[refused][0]
            cloud, clustered = ids[pair[np.argsort(self._kinds[pair])]].tolist()
            raise UnsupportedOption(
                f"object {cloud} is a point cloud and object {clustered} a clustered mesh: clouds are compared with "
                "meshes in memory only, and there is no other pair to be asked about"
            )
        return ~refused

    def _has_others(self) -> bool:
        """Whether two objects of other kinds, one of each set, are asked about."""
        rows, counts = np.unique(np.stack([self._kinds, *self._sets], axis=1), axis=0, return_counts=True)
        for i, (kind, a, b) in enumerate(rows.tolist()):
            for j, (other, other_a, other_b) in enumerate(rows[: i + 1].tolist()):
                both = (a and other_b) or (b and other_a)
                if both and (i != j or counts[i] > 1) and {kind, other} != {_CLOUD, _CLUSTERED}:
                    return True
        return False
