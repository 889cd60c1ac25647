"""``verdict`` of a cloud and a mesh, or of two clouds.

A cloud has no inside and carries noise. It clashes with what its surface meets; what a closed mesh encloses of it gives
the depth, and where nothing is deeper than the permitted overlap it only touches. The resolution of coordinates permits
nothing to a cloud: what a scanner measures is far coarser.
"""

from collections.abc import Generator
from functools import partial

import numpy as np

from ...hierarchy.bvh import Hierarchy
from ...pointcloud.cloud import PointCloud
from ...pointcloud.cloud_contacts import CloudContacts
from ...pointcloud.cloud_distance import cloud_distance
from ...pointcloud.query import common_points_steps
from ...solid.pair_verdict import PairVerdict
from ...types.mesh import TriangleMesh
from ...types.results import Progress
from ...types.steps import scale_progress, steps
from ...types.verdict import APART, CLASH, CONTAINED, TOUCHING, Verdict
from ..found_pair import NO_POINTS, FoundPair, PairOfScene
from ..table import Request

_CONTACTS_END = 0.5


def solve(asked: Request) -> Generator[Progress, None, PairVerdict | CloudContacts]:
    """The verdict; or one contact, where a scene is content with it."""
    listing: PairOfScene = asked.options.detail or PairOfScene()
    meeting = common_points_steps(*asked.things, *asked.poses, listing.first_contact)
    hits = yield from scale_progress(meeting, 0.0, _CONTACTS_END)
    if listing.first_contact and len(hits):
        return hits
    inside, depths, side = NO_POINTS, np.empty(0), _enclosed(asked)
    if side is not None:
        inside, depths = yield from scale_progress(steps(hits.depths, side), _CONTACTS_END, 1.0)
    if len(hits):
        found = FoundPair(hits, partial(_middle, hits), listing.names, inside, side or 0)
    elif len(inside):
        assert side is not None
        deepest = asked.poses[side].apply(asked.things[side].points[inside[[np.argmax(depths)]]])[0]
        found = FoundPair(hits, deepest, listing.names, inside, side)
    else:
        return (yield from scale_progress(_apart_steps(asked, listing, hits), _CONTACTS_END, 1.0))
    depth, permitted = float(depths.max()) if len(depths) else None, _permitted(asked)
    verdict = _verdict(asked, found, depth or 0.0, side)
    return PairVerdict(*listing.ids, verdict, depth, permitted_overlap=permitted, found=found)


def _apart_steps(asked: Request, listing: PairOfScene, hits: CloudContacts) -> Generator[Progress, None, PairVerdict]:
    """The verdict on two objects without a common point."""
    verdict, place, tolerance = APART, None, asked.options.limits.touch_tolerance
    if tolerance > 0.0:
        gap = yield from steps(cloud_distance, *asked.things, *asked.poses)
        hits.stats = hits.stats.plus(gap.stats)
        if gap.distance <= tolerance:
            verdict, place = TOUCHING, gap.point_a if isinstance(asked.things[0], PointCloud) else gap.point_b
    return PairVerdict(*listing.ids, verdict, found=FoundPair(hits, place, listing.names))


def _enclosed(asked: Request) -> int | None:
    """The side of the cloud, where the other object is a closed mesh."""
    for side, other in ((0, asked.things[1]), (1, asked.things[0])):
        mesh = other.mesh if isinstance(other, Hierarchy) else other
        if isinstance(asked.things[side], PointCloud) and isinstance(mesh, TriangleMesh) and mesh.is_closed:
            return side
    return None


def _permitted(asked: Request) -> float:
    limits = asked.options.limits
    return 0.0 if limits.by_resolution else limits.permitted_overlap


def _verdict(asked: Request, found: FoundPair, depth: float, side: int | None) -> Verdict:
    """Of two objects that are not apart."""
    if side is not None and 0.0 < _permitted(asked) >= depth:
        return TOUCHING
    if side is not None and not len(found.hits) and len(found.within) == asked.things[side].point_count:
        return CONTAINED
    return CLASH


def _middle(hits: CloudContacts) -> np.ndarray:
    """A contact point in the middle of the others."""
    away = ((hits.points - hits.points.mean(axis=0)) ** 2).sum(axis=1)
    place: np.ndarray = hits.points[np.argmin(away)]
    return place
