"""The time of the deepest contact in an interval: sampled at several times, then refined."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..hierarchy.bvh import Hierarchy
from ..query.collide import collide
from ..query.verdict import verdict
from ..types.pose import Pose
from ..types.results import Progress

_MOMENTS = 17
_NARROWINGS = 12
_GOLDEN = 0.6180339887498949


class Approach(NamedTuple):
    """The distance between two objects at a time."""

    time: float
    distance: float
    point_a: np.ndarray
    point_b: np.ndarray
    poses: tuple[Pose, Pose]


@dataclass(frozen=True)
class ContactInterval:
    """A time interval in which two objects are in contact. The objects are in contact both at its start and at its end.

    Attributes:
        start: The first time of contact; from the end of the previous interval until this time, the objects are
            certainly apart.
        end: The last time of contact; from this time until the start of the next interval, the objects are certainly
            apart.
        deepest: Time of the deepest contact, or of the smallest distance if the objects only touch. The search samples
            17 times and then refines the best of them, so it may miss a deeper moment between the samples; None if you
            did not request the depth.
        depth: Depth at that time: diameter of the largest ball found in the common volume of solids [m]; None if
            there is no such ball.
    """

    start: float
    end: float
    deepest: float | None = None
    depth: float | None = None


class MovingPair(Protocol):
    """Interface that measures the two objects at any time."""

    a: Any
    b: Any

    def measure(self, time: float) -> Approach:
        """Measure the distance between the objects at a time."""


def deepest_moment_steps(chase: MovingPair, start: float, end: float) -> Generator[Progress, None, ContactInterval]:
    """Find the deepest contact of an interval, by golden-section search around the best of some samples."""
    found: dict[float, tuple[float, float, float]] = {}
    times = np.unique(np.linspace(start, end, _MOMENTS)).tolist()
    for time in times:
        found[time] = _depth(chase, time)
        yield Progress(1.0, "searching for the deepest moment")
    place = times.index(max(times, key=found.__getitem__))
    low, high = times[max(place - 1, 0)], times[min(place + 1, len(times) - 1)]
    for _ in range(_NARROWINGS if high > low else 0):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        for time in (left, right):
            if time not in found:
                found[time] = _depth(chase, time)
        yield Progress(1.0, "searching for the deepest moment")
        low, high = (low, right) if found[left] >= found[right] else (left, high)
    best = max(found, key=lambda time: (found[time], -time))
    depth = found[best][0]
    return ContactInterval(start, end, best, depth if depth > 0.0 else None)


def _depth(chase: MovingPair, time: float) -> tuple[float, float, float]:
    """Return measures for comparing depths, in this order: depth of solids [m], length of the intersection curves,
    nearness.
    """
    at = chase.measure(time)
    meshes = isinstance(chase.a, Hierarchy) and isinstance(chase.b, Hierarchy)
    if not meshes:
        return 0.0, 0.0, -at.distance
    depth = verdict(chase.a, chase.b, *at.poses).depth or 0.0
    length = 0.0
    if at.distance == 0.0 and depth == 0.0:
        curves = collide(chase.a, chase.b, *at.poses, device="cpu").segments()
        length = float(np.linalg.norm(curves[:, 1] - curves[:, 0], axis=1).sum())
    return depth, length, -at.distance
