"""A point cloud and a mesh, or two clouds: contacts, collision, distance and verdict."""

import math
from collections.abc import Generator
from functools import partial

import numpy as np

from ...errors import UnsupportedOption
from ...hierarchy.bvh import Hierarchy
from ...pointcloud.cloud import PointCloud
from ...pointcloud.cloud_contacts import CloudContacts
from ...pointcloud.cloud_distance import CloudDistance, cloud_distance
from ...pointcloud.query import common_points_steps
from ...pointcloud.resolution import doubtful_gap_steps, pair_resolution
from ...pointcloud.searches import search_for
from ...solid.pair_verdict import PairVerdict
from ...types.mesh import TriangleMesh
from ...types.results import Progress
from ...types.steps import scale_progress, steps
from ...types.verdict import APART, CLASH, CONTAINED, TOUCHING, Verdict
from ..found_pair import NO_POINTS, FoundPair, PairOfScene
from ..results import Distance, no_start
from ..table import Request

_CONTACTS_END, _DEPTHS_END = 0.5, 0.75  # fractions of the work


def find_contacts(request: Request) -> Generator[Progress, None, CloudContacts]:
    """Implement ``collide`` for point clouds: return the points in which the surfaces meet."""
    return common_points_steps(*request.things, *request.every_row, first_only=False)


def find_collision(request: Request) -> Generator[Progress, None, bool | np.ndarray]:
    """Implement ``collides`` for point clouds: whether the surfaces have a common point, (k,) bool for a stack of
    poses.
    """
    rows_a, rows_b = request.every_row
    hits = []
    for k in range(len(rows_a)):
        search, _ = search_for(*request.things, rows_a[k], rows_b[k], first_only=True)
        yield from scale_progress(steps(search.finish), k / len(rows_a), (k + 1) / len(rows_a))
        hits.append(search.hit)
    return request.met(np.flatnonzero(hits))


def find_distance(request: Request) -> Generator[Progress, None, CloudDistance]:
    """Implement ``distance`` for point clouds; an earlier result does not make it faster. Raises UnsupportedOption for
    limits.
    """
    if request.options.upper_limit < math.inf or request.options.lower_limit > 0.0:
        raise UnsupportedOption("distances of point clouds do not support limits: omit upper_limit and lower_limit")
    if not isinstance(request.options.start, Distance | CloudDistance | None):
        raise no_start("distance", request.options.start)
    poses = request.every_row if request.stacked else request.poses
    return steps(cloud_distance, *request.things, *poses)


def find_verdict(request: Request) -> Generator[Progress, None, PairVerdict | CloudContacts]:
    """Implement ``verdict`` for point clouds, or return one contact if a scene needs no more.

    A cloud has no inside and contains noise. A cloud clashes with an object that its surface meets. If a closed mesh
    encloses some points of the cloud, the deepest of them gives the depth. Up to the permitted overlap, the verdict is
    touching. The resolution of coordinates permits no overlap for a cloud: scanners are far less precise than
    coordinates. If gap or overlap are below the resolution of the cloud, the verdict is undecided.
    """
    listing: PairOfScene = request.options.detail or PairOfScene()
    meeting = common_points_steps(*request.things, *request.poses, listing.first_contact)
    hits = yield from scale_progress(meeting, 0.0, _CONTACTS_END)
    if listing.first_contact and len(hits):
        return hits
    inside, depths, side = NO_POINTS, np.empty(0), _enclosed(request)
    if side is not None:
        inside, depths = yield from scale_progress(steps(hits.depths, side), _CONTACTS_END, _DEPTHS_END)
    if len(hits):
        found = FoundPair(hits, partial(_middle, hits), listing.names, inside, side or 0)
    elif len(inside):
        assert side is not None
        deepest = request.poses[side].apply(request.things[side].points[inside[[np.argmax(depths)]]])[0]
        found = FoundPair(hits, deepest, listing.names, inside, side)
    else:
        return (yield from scale_progress(_apart_steps(request, listing, hits), _CONTACTS_END, 1.0))
    depth, permitted = float(depths.max()) if len(depths) else None, _permitted(request)
    verdict = _verdict(request, found, depth or 0.0, side)
    result = PairVerdict(*listing.ids, verdict, depth, permitted_overlap=permitted, found=found)
    if verdict is not TOUCHING and (depth or 0.0) <= pair_resolution(*request.things):
        undecided = yield from scale_progress(steps(hits.undecided), _DEPTHS_END, 1.0)
        _note(result, bool(undecided[0]))
    return result


def _note(result: PairVerdict, undecided: bool) -> None:
    """Record whether a verdict is undecided."""
    if undecided:
        result.verdict, result.undecided = TOUCHING, True


def _apart_steps(request: Request, listing: PairOfScene, hits: CloudContacts) -> Generator[Progress, None, PairVerdict]:
    """Return the verdict on two objects without a common point."""
    things, poses = request.things, request.poses
    verdict, place, tolerance = APART, None, request.options.limits.touch_tolerance
    if tolerance > 0.0:
        gap = yield from steps(cloud_distance, *things, *poses)
        hits.stats = hits.stats.plus(gap.stats)
        if gap.distance <= tolerance:
            verdict, place = TOUCHING, gap.point_a if isinstance(things[0], PointCloud) else gap.point_b
    undecided = False
    if verdict is APART:
        place = yield from doubtful_gap_steps(*things, poses[0].rows, poses[1].rows)
        undecided = place is not None
    result = PairVerdict(*listing.ids, verdict, found=FoundPair(hits, place, listing.names))
    _note(result, undecided)
    return result


def _enclosed(request: Request) -> int | None:
    """Return the index of the cloud if the other object is a closed mesh, else None."""
    for side, other in ((0, request.things[1]), (1, request.things[0])):
        mesh = other.mesh if isinstance(other, Hierarchy) else other
        if isinstance(request.things[side], PointCloud) and isinstance(mesh, TriangleMesh) and mesh.is_closed:
            return side
    return None


def _permitted(request: Request) -> float:
    limits = request.options.limits
    return 0.0 if limits.by_resolution else limits.permitted_overlap


def _verdict(request: Request, found: FoundPair, depth: float, side: int | None) -> Verdict:
    """Return the verdict on two objects that meet."""
    if side is not None and 0.0 < _permitted(request) >= depth:
        return TOUCHING
    if side is not None and not len(found.hits) and len(found.within) == request.things[side].point_count:
        return CONTAINED
    return CLASH


def _middle(hits: CloudContacts) -> np.ndarray:
    """Return a contact point near the middle of all contacts."""
    away = ((hits.points - hits.points.mean(axis=0)) ** 2).sum(axis=1)
    place: np.ndarray = hits.points[np.argmin(away)]
    return place
