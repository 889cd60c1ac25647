"""Queries about exact shapes against each other and against meshes."""

import time
from collections.abc import Generator
from typing import Any

import numpy as np

from ...errors import UnsupportedOption
from ...solid.pair_verdict import PairVerdict
from ...traversal.contacts import Contacts
from ...types.mesh import TriangleMesh
from ...types.results import QueryStats
from ...types.verdict import APART, CLASH, CONTAINED, TOUCHING
from ..found_pair import FoundPair, PairOfScene
from ..results import Clearances, Distance, no_start
from ..shape_pairs import contained_steps, near_steps, overlap_steps, within_steps
from ..table import Request

_POINT = TriangleMesh(np.zeros((1, 3)), [[0, 0, 0]])


def find_collision(request: Request) -> Generator[Any, None, bool | np.ndarray]:
    """Implement ``collides`` for exact shapes: whether they have a common point, (k,) bool for a stack of poses."""
    if not request.options.touching:
        raise UnsupportedOption("touching=False applies to triangles only: omit it for exact shapes")
    near = yield from near_steps(request, only_met=True)
    return near.met if request.stacked else bool(near.met[0])


def find_distance(request: Request) -> Generator[Any, None, Distance]:
    """Implement ``distance`` for exact shapes; permitted errors and an earlier result do not make it faster."""
    options = request.options
    if not isinstance(options.start, Distance | None):
        raise no_start("distance", options.start)
    near = yield from near_steps(request)
    beyond = near.distances > options.upper_limit
    distances, points = np.where(beyond, np.inf, near.distances), near.points.copy()
    points[beyond | np.isinf(near.distances)] = np.nan
    triangles = np.where(beyond[:, None], -1, near.triangles)
    stats = QueryStats(seconds=time.perf_counter() - request.start)
    bounds = 0.0, 0.0, options.upper_limit, 0.0
    if request.stacked:
        return Distance(distances, points, triangles[:, 0], triangles[:, 1], stats, None, bounds)
    first, second = triangles[0].tolist()
    return Distance(float(distances[0]), points[0], first, second, stats, None, bounds)


def find_clearances(request: Request) -> Generator[Any, None, Clearances]:
    """Implement ``clearance`` for exact shapes: return all pairs of triangles within the tolerance; -1 for a shape
    without triangles.
    """
    pairs, distances, poses, points = yield from within_steps(request)
    stats = QueryStats(seconds=time.perf_counter() - request.start)
    return Clearances((pairs, distances, poses), request.options.tolerance, stats, known_points=points)


def find_verdict(request: Request) -> Generator[Any, None, PairVerdict]:
    """Implement ``verdict`` for exact shapes; the result has no pairs of triangles.

    Shapes clash if they have more in common than their boundaries, whatever overlap is permitted: no depth is measured.
    They touch if they share boundaries alone; round solids (cylinders, cones, ellipsoids) clash then, too. A shape
    inside a closed mesh that does not touch its surface is contained.
    """
    listing: PairOfScene = request.options.detail or PairOfScene()
    near = yield from near_steps(request)
    verdict, place = APART, None
    if near.met[0]:
        overlap = yield from overlap_steps(request)
        verdict, place = CLASH if overlap else TOUCHING, near.points[0].mean(axis=0)
    elif near.distances[0] <= request.options.limits.touch_tolerance:
        verdict, place = TOUCHING, near.points[0].mean(axis=0)
    elif (yield from contained_steps(request.things, *request.every_row))[0]:
        verdict, place = CONTAINED, near.points[0].mean(axis=0)
    none = np.empty((0, 2), np.int32), np.empty(0, np.uint8), np.empty(0, np.int32)
    stats = QueryStats(seconds=time.perf_counter() - request.start)
    hits = Contacts(*none, stats, (_POINT, _POINT), request.rows)
    return PairVerdict(*listing.ids, verdict, found=FoundPair(hits, place, listing.names))
