"""The list of the tests that the user can choose. A test is one file here and one entry of `TESTS`."""

from __future__ import annotations

from ...messages import Sentence
from ..errors import InputError
from .base import DetectTest
from .clearance import ClearanceTest
from .deforming import DeformingTest
from .distance import DistanceTest
from .intersection import IntersectionTest
from .self_contact import SelfContactTest
from .time_critical import TimeCriticalTest

TESTS: dict[str, DetectTest] = {
    test.name: test
    for test in (
        IntersectionTest(),
        ClearanceTest(),
        DistanceTest(),
        TimeCriticalTest(),
        DeformingTest(),
        SelfContactTest(),
    )
}
"""By their names, in the order of the panel; the first is the default."""


def test_named(name: str) -> DetectTest:
    """Return the test with a name; raises InputError."""
    try:
        return TESTS[name]
    except KeyError:
        raise InputError(
            Sentence("there is no test '{name}'", name=name)
            + "; "
            + Sentence("choose one of {names}", names=", ".join(TESTS))
        ) from None
