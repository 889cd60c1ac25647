"""Find the contacts of two objects, at least one of which is a cloud. The other object may be a mesh."""

import time
from collections.abc import Generator
from dataclasses import replace

import numpy as np

from ..errors import UnsupportedOption
from ..types.pose import PoseLike
from ..types.results import Progress, QueryStats
from ..types.steps import in_slices, scale_progress, steps
from .cloud import PointCloud
from .cloud_contacts import CloudContacts
from .pair_search import CommonPoints
from .searches import Thing, is_for_clouds, pose_pairs, search_for


@in_slices
def collide_clouds(
    a: Thing, b: Thing, pose_a: PoseLike = None, pose_b: PoseLike = None
) -> Generator[Progress, None, CloudContacts]:
    """Find all contacts of a PointCloud with another PointCloud or a mesh.

    Args:
        a, b: PointClouds, or one PointCloud and a TriangleMesh or its hierarchy.
        pose_a, pose_b: None (identity), a Pose, a rigid (4, 4) matrix, or a stack (k, 4, 4) for k queries at once.

    Raises:
        InvalidMesh, InvalidPointCloud, InvalidPose, UnsupportedOption.
    """
    if not is_for_clouds(a, b):
        raise UnsupportedOption("collide_clouds needs a PointCloud")
    return (yield from common_points_steps(a, b, pose_a, pose_b, first_only=False))


def common_points_steps(
    a: Thing, b: Thing, pose_a: PoseLike, pose_b: PoseLike, first_only: bool
) -> Generator[Progress, None, CloudContacts]:
    """Find all contacts of each pose, or only the first one found, like ``collide_clouds``. At least one object must be
    a cloud.
    """
    start = time.perf_counter()
    rows_a, rows_b, _ = pose_pairs(pose_a, pose_b)
    for thing, low in ((a, 0.0), (b, 0.25)):
        if isinstance(thing, PointCloud):
            yield from scale_progress(steps(thing.build), low, low + 0.25)
    found, stats = [], QueryStats()
    for k in range(len(rows_a)):
        search, swapped = search_for(a, b, rows_a[k], rows_b[k], first_only)
        yield from scale_progress(steps(search.finish), 0.5 + 0.5 * k / len(rows_a), 0.5 + 0.5 * (k + 1) / len(rows_a))
        found.append(_as_named(search.found(), swapped))
        stats = stats.plus(search.stats(0.0))
    stats = replace(stats, seconds=time.perf_counter() - start)
    pose = np.repeat(np.arange(len(found), dtype=np.int32), [len(one.points) for one in found])
    whole = CommonPoints(
        *map(np.concatenate, zip(*((one.pairs, one.points, one.regions) for one in found), strict=True))
    )
    return CloudContacts(whole, (a, b), (rows_a, rows_b), stats, pose)


def _as_named(found: CommonPoints, swapped: bool) -> CommonPoints:
    """Return the contacts with their pairs in the caller's order of a and b."""
    return replace(found, pairs=found.pairs[:, ::-1]) if swapped else found
