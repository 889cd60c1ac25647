"""Find which point clouds of a scene collide with other objects, in many configurations."""

from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ..broadphase.sweep import overlapping_pairs_of_each, world_boxes
from ..types.equal_values import places_of_each
from ..types.pair_keys import different_pairs, pair_keys
from ..types.results import Progress
from ..types.steps import scale_progress
from .collisions import SceneCollisions
from .comparable_pairs import Comparable
from .member import Member
from .members import Keep
from .object_pair import comparing, meets_of_each_steps


class CloudConfigurations(NamedTuple):
    """All n objects of a scene, with a pose for each in each of m configurations."""

    members: list[Member]
    ids: np.ndarray
    """(n,) int64, ascending."""
    rows: np.ndarray
    """Poses, (m, n, 3, 4)."""
    in_a: np.ndarray
    """Whether each object belongs to the first set, (n,) bool."""
    in_b: np.ndarray
    """Whether each object belongs to the second set, (n,) bool."""
    keep: Keep | None
    """Which pairs of ids to compare; already validated."""


def with_cloud_collisions_steps(
    configurations: CloudConfigurations, found: SceneCollisions
) -> Generator[Progress, None, SceneCollisions]:
    """Add the colliding pairs with a cloud or clustered mesh to the collisions of meshes ``found``, in slices."""
    places, pairs = _candidates(configurations)
    told = Comparable(configurations.members, configurations.in_a, configurations.in_b).told(configurations.ids, pairs)
    colliding = found.any.copy()
    colliding[places[~told]] = True
    unanswered = different_pairs([configurations.ids[pairs[~told]]])
    places, pairs = places[told], pairs[told]
    meet = np.zeros(len(pairs), np.bool_)
    different = places_of_each(pair_keys(pairs))
    for k, some in enumerate(different):
        a, b = pairs[some[0]].tolist()
        rows = configurations.rows[places[some], a], configurations.rows[places[some], b]
        things = configurations.members[a].thing, configurations.members[b].thing
        pair = int(configurations.ids[a]), int(configurations.ids[b])
        meeting, low, high = meets_of_each_steps(pair, things, rows), k / len(different), (k + 1) / len(different)
        meet[some] = yield from scale_progress(meeting, low, high, comparing(pair))
    configuration = np.concatenate([found.configuration, places[meet]])
    ids = np.concatenate([found.pairs, configurations.ids[pairs[meet]]])
    triangles = np.concatenate([found.triangles, np.full((int(meet.sum()), 2), -1, np.int32)])
    order = np.lexsort((ids[:, 1], ids[:, 0], configuration))
    colliding[places[meet]] = True
    return SceneCollisions(ids[order], triangles[order], configuration[order], colliding, found.stats, unanswered)


def _candidates(configurations: CloudConfigurations) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs with a cloud or clustered mesh to compare: configurations (k,) and object indices (k, 2).

    These are the pairs with a cloud or clustered mesh whose boxes overlap and that ``keep`` accepts.
    """
    bounds = np.stack([member.bounds for member in configurations.members])
    clouds = np.array([member.is_special for member in configurations.members])
    places, pairs = overlapping_pairs_of_each(
        world_boxes(bounds, configurations.rows, 0.0), configurations.in_a, configurations.in_b
    )
    chosen = clouds[pairs].any(axis=1)
    if configurations.keep is not None and chosen.any():
        chosen[chosen] = configurations.keep(configurations.ids[pairs[chosen]])
    return places[chosen], pairs[chosen]
