"""``Verdict``: the relation of two objects."""

from enum import Enum
from functools import total_ordering

from .arguments import no_member


@total_ordering
class Verdict(Enum):
    """The verdict on two objects, such as TOUCHING or CLASH. Verdicts are ordered by severity."""

    APART = 0
    """They have no common point."""
    TOUCHING = 1
    """They meet without common volume, or within the permitted overlap or the touch tolerance."""
    CONTAINED = 2
    """No point of one object is outside the other."""
    DUPLICATE = 3
    """Their surfaces coincide."""
    CLASH = 4
    """They have common volume, or surfaces that cross."""

    @property
    def severity(self) -> int:
        """The severity as a number, which increases from APART (0) to CLASH (4). Results are sorted by this number."""
        severity: int = self._value_
        return severity

    def __lt__(self, other: object) -> bool:
        return self._value_ < other._value_ if isinstance(other, Verdict) else NotImplemented

    def __str__(self) -> str:
        return self._name_

    @classmethod
    def _missing_(cls, value: object) -> None:
        raise no_member(cls, value)


APART, TOUCHING, CONTAINED, DUPLICATE, CLASH = Verdict
