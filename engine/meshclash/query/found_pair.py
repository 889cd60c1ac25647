"""The results of the verdict on two objects, at least one of which is not a mesh in memory."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..pointcloud.cloud_contacts import CloudContacts
from ..traversal.contacts import Contacts
from ..types.copying import Copyable

NO_POINTS = np.empty(0, np.int32)


class PairOfScene(NamedTuple):
    """Options with which a scene queries the verdict on two of its objects."""

    ids: tuple[int, int] = (0, 1)
    """Ids of the two objects."""
    names: Mapping[int, str] = {}
    """Names of all objects by their ids."""
    first_contact: bool = False
    """If the surfaces meet, return one contact instead of a verdict."""


@dataclass(frozen=True, eq=False)
class FoundPair(Copyable):
    """The findings about one pair, as in ``Findings``."""

    hits: Contacts | CloudContacts
    """The contacts of the surfaces."""
    place: np.ndarray | Callable[[], np.ndarray | None] | None
    """A point of the contact, (3,) float64 [m], world, or a function that computes the point; None if there is no such
    point."""
    names: Mapping[int, str]
    within: np.ndarray = field(default_factory=lambda: NO_POINTS)
    """Points of a cloud that lie inside the other object, (n,) int32, ascending."""
    cloud: int = 0
    """Side of that cloud: 0 or 1."""

    def contacts(self, job: int) -> Contacts | CloudContacts:
        """Implement ``Findings.contacts``."""
        return self.hits

    def count(self, job: int) -> int:
        """Implement ``Findings.count``."""
        return len(self.hits)

    def location(self, job: int) -> np.ndarray | None:
        """Implement ``Findings.location``."""
        return self.place() if callable(self.place) else self.place

    def touched(self, job: int, side: int) -> np.ndarray:
        """Implement ``Findings.touched``."""
        if isinstance(self.hits, Contacts):
            return np.unique(self.hits.pairs[:, side])
        touched = self.hits.touched(side)
        return np.union1d(touched, self.within) if side == self.cloud else touched

    def inside(self, job: int) -> np.ndarray:
        """Implement ``Findings.inside``."""
        return self.within
