"""The tests that can be chosen. A test is one file here and one entry of `TESTS`."""

from __future__ import annotations

from ..errors import InputError
from .base import DetectTest
from .clearance import Clearance
from .deforming import Deforming
from .distance import Distance
from .intersection import Intersection
from .self_contact import SelfContact
from .time_critical import TimeCritical

TESTS: dict[str, DetectTest] = {
    test.name: test for test in (Intersection(), Clearance(), Distance(), TimeCritical(), Deforming(), SelfContact())
}
"""By their names, in the order of the panel; the first is the default."""


def test_named(name: str) -> DetectTest:
    """The test of that name; raises InputError."""
    try:
        return TESTS[name]
    except KeyError:
        raise InputError(f"there is no test '{name}'; choose one of {', '.join(TESTS)}") from None
