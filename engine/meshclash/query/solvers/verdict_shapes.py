"""``verdict`` where one object, or both, is an exact shape.

Shapes clash where they have a common point, whatever overlap is permitted: no depth is measured. What lies inside a
closed mesh without touching its surface is contained.
"""

import time
from collections.abc import Generator
from typing import Any

import numpy as np

from ...convex.exact_shapes import ConvexShape
from ...hierarchy.bvh import Hierarchy
from ...solid.pair_verdict import PairVerdict
from ...traversal.contacts import Contacts
from ...types.mesh import TriangleMesh
from ...types.results import QueryStats
from ...types.verdict import APART, CLASH, CONTAINED, TOUCHING
from ..found_pair import FoundPair, PairOfScene
from ..shape_pairs import Side, near_steps
from ..table import CONTAINS, Asked, ask

_POINT = TriangleMesh(np.zeros((1, 3)), [[0, 0, 0]])


def solve(asked: Asked) -> Generator[Any, None, PairVerdict]:
    """The verdict; there are no pairs of triangles."""
    listing: PairOfScene = asked.options.detail or PairOfScene()
    near = yield from near_steps(asked)
    verdict, place = APART, None
    if near.met[0]:
        verdict, place = CLASH, near.points[0].mean(axis=0)
    elif near.distances[0] <= asked.options.limits.touch_tolerance:
        verdict, place = TOUCHING, near.points[0].mean(axis=0)
    elif (yield from _is_contained(asked)):
        verdict, place = CONTAINED, near.points[0].mean(axis=0)
    none = np.empty((0, 2), np.int32), np.empty(0, np.uint8), np.empty(0, np.int32)
    stats = QueryStats(seconds=time.perf_counter() - asked.start)
    hits = Contacts(*none, stats, (_POINT, _POINT), asked.rows)
    return PairVerdict(*listing.ids, verdict, found=FoundPair(hits, place, listing.names))


def _is_contained(asked: Asked) -> Generator[Any, None, bool]:
    """Whether a shape that meets no triangle of a closed mesh is inside it, or the other way round."""
    sides = tuple(map(Side.of, asked.things))
    for k, (inner, outer) in enumerate((sides, sides[::-1])):
        if outer.surface is None or inner.flat or not outer.mesh.is_closed:
            continue
        rows = asked.rows[k][0], asked.rows[1 - k][0]
        point = _a_point(inner)
        world = rows[0][:, :3] @ point + rows[0][:, 3]
        surface = outer.surface.mesh if isinstance(outer.surface, Hierarchy) else outer.surface
        inside = yield from ask(CONTAINS, (surface, world[None]), (rows[1], None))
        if bool(np.asarray(inside)[0]):
            return True
    return False


def _a_point(side: Side) -> np.ndarray:
    """A point of a side, in its own frame."""
    if isinstance(side.convex, ConvexShape):
        point: np.ndarray = side.convex.points[0, 0] if side.convex.is_polyhedron else np.zeros(3)
        return point
    corner: np.ndarray = side.mesh.vertices[side.mesh.triangles[0, 0]]
    return corner
