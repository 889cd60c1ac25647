"""What a scene answers: pairs of objects that are not apart."""

from dataclasses import dataclass

import numpy as np

from ..traversal.contacts import Contacts
from ..types.results import QueryStats, Verdict


@dataclass(frozen=True)
class ObjectContacts:
    """What two objects of a scene do to each other."""

    a: int
    b: int
    verdict: Verdict
    contacts: Contacts
    """Triangle pairs; column 0 in a, column 1 in b."""
    location: np.ndarray | None
    """A point to look at, (3,) float64 [m], world; None for objects that only come near."""


@dataclass(frozen=True, eq=False)
class FirstContact:
    """Two objects that meet, of which only one contact is known."""

    a: int
    b: int
    contacts: Contacts
    """One triangle pair; column 0 in a, column 1 in b."""
    distance = 0.0
    """[m], as every pair that meets."""


@dataclass(frozen=True)
class SceneContacts:
    """All pairs of objects that are not apart, worst first."""

    pairs: list[ObjectContacts]
    stats: QueryStats
    timings: dict[str, float]
    """Seconds per stage: broad phase, building, traversal, verdicts."""
