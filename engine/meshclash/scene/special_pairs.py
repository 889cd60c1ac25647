"""Pairs that are asked one by one: with a point cloud, or with a clustered mesh."""

import math
from collections.abc import Generator

from ..solid.case import Limits
from ..solid.pair_verdict import PairVerdict
from ..types.results import Progress, QueryStats
from .cloud_pairs import cloud_contact_steps, cloud_gap_steps, cloud_meets_steps
from .clustered_pairs import clustered_contact_steps, clustered_gap_steps, clustered_meets_steps
from .object_pair import ObjectPair
from .results import FirstContact, PairGap


def special_contact_steps(
    pair: ObjectPair, limits: Limits, first_contact: bool = False
) -> Generator[Progress, None, tuple[PairVerdict | FirstContact | None, QueryStats]]:
    """What two objects do to each other, None where they are apart, and the work.

    ``first_contact``: be content with one contact, where that is found sooner.
    """
    if pair.is_clustered:
        return (yield from clustered_contact_steps(pair, limits))
    return (yield from cloud_contact_steps(pair, limits, first_contact))


def special_gap_steps(
    pair: ObjectPair, limits: Limits, tolerance: float | None, first_contact: bool = False
) -> Generator[Progress, None, tuple[PairGap | FirstContact | None, QueryStats]]:
    """How near two objects come to each other, None where farther apart than a tolerance [m], and the work."""
    if pair.is_clustered:
        return (yield from clustered_gap_steps(pair, limits, tolerance))
    reach = math.inf if tolerance is None else tolerance
    return (yield from cloud_gap_steps(pair, limits, reach, first_contact))


def special_meets_steps(pair: ObjectPair) -> Generator[Progress, None, bool]:
    """Whether two objects are not apart."""
    if pair.is_clustered:
        return (yield from clustered_meets_steps(pair))
    return (yield from cloud_meets_steps(pair))
