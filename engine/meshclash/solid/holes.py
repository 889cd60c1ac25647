"""Find objects near the holes of an open mesh, and whether they pass through a hole.

The surface that is missing at a hole lies within reach of the rim of the hole: in the box of the rim, grown by twice
its diagonal. A surface that meets neither the mesh nor any such box is on one side of the solid, for any way of closing
the hole in these boxes. A surface that meets a box may pass through the hole: then the winding numbers at some points
of the surface tell how likely a part of it is inside.

A missing part may stick out of the box of what is left. Whether it does is unknown, so points outside that box lower
the certainty, but do not change the verdict. Queries of scenes that compare only pairs with overlapping boxes thus give
the same verdicts as ``verdict``.
"""

from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ..traversal.layers import copies_steps, joined_numbers, open_edges_steps
from ..types.mesh import TriangleMesh, mesh_over
from ..types.pose import transform_points
from .boundary_mesh import boundary_mesh_steps
from .case import Case
from .field import NEAREST, WINDING_SIDE
from .open_overlap import OpenSide, side_of
from .opening import opening_steps
from .solidity import intended_solid_steps

_NEAR = 0.5  # of a rim's diagonal: the box of a rim grown by it contains every cap up to half a sphere
_REACH = 2.0  # of a rim's diagonal: the missing part is assumed to be no longer, and no longer than the mesh
_FARTHEST = 3.01  # times the diagonal of a mesh's box, in any pose: no missing part reaches farther
_ROUNDING = 2.0**-40  # of the coordinates: boxes and places are rounded
_MOST_BOXES = 1 << 12  # of a mesh; with more rims it is cracked, and one box of the whole mesh is used
_AT_ONCE = 1 << 16  # comparisons of triangles with boxes in one step
_FINE = 8.0  # the mesh is so many times as large as pieces of triangles
_MOST_NEAR, _MOST_INSIDE = 384, 128  # tested pieces of a surface: near holes, and in the mesh's box
_MOST_PIECES = 1 << 13
UNDECIDED_MOST = 0.999
"""Highest certainty of a result that depends on missing surface."""
# Fitted by ``tests/engine/open_truth.py``: the probability that part of a surface is inside, by the largest winding
# number of its points, or outside, by 1 minus the smallest one. It holds for meshes that stand open by no more
# than a third of their width. A mesh that stands open by more than half of it may be a container as well: then the
# probability is at most one half.
_WINDINGS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
_INSIDE = (0.003, 0.02, 0.1, 0.4, 0.65, 0.9, 0.98, 0.997)
_MISSING = (0.0, 0.3, 0.45, 0.5, 0.55, 0.65, 0.8)
_OUTSIDE = (0.001, 0.02, 0.15, 0.35, 0.65, 0.9, 0.98)
_OPENINGS = (0.33, 0.6)
_WIDE_WINDING = 0.1
# The probability that the missing part reaches a surface outside the mesh's box, by the largest winding number of the
# surface's points there. Fitted in the same way: 14 of 385 such surfaces met the missing part.
_WINDINGS_BEYOND = (0.0, 0.02, 0.05)
_BEYOND = (0.001, 0.02, 0.06)


class HoleBoxes(NamedTuple):
    """Boxes around the holes and closed seams of a mesh, in its frame [m]."""

    near: np.ndarray
    """Boxes (n, 6), within the mesh's box, in which most of the missing surface lies."""
    reach: np.ndarray
    """Boxes (n, 6) in which all of the missing surface is assumed to lie; they may extend beyond the mesh's box."""


_NO_BOXES = HoleBoxes(np.empty((0, 6)), np.empty((0, 6)))


def hole_boxes_steps(mesh: TriangleMesh) -> Generator[None, None, HoleBoxes]:
    """Return boxes around the holes and closed seams of an open mesh.

    The result is cached with the mesh. A shell has no missing surface. The generator yields every few milliseconds.
    """
    if "hole boxes" not in mesh.derived:
        mesh.derived["hole boxes"] = _NO_BOXES if mesh.shell else (yield from _hole_boxes_steps(mesh))
    boxes: HoleBoxes = mesh.derived["hole boxes"]
    return boxes


def _hole_boxes_steps(mesh: TriangleMesh) -> Generator[None, None, HoleBoxes]:
    drawn = yield from boundary_mesh_steps(mesh)
    if drawn.mesh.is_closed:
        added = drawn.mesh.triangles[len(drawn.faces) :]
        numbers = np.repeat(np.arange(len(added)), 3)
        return _boxes(mesh, mesh.vertices[added].reshape(-1, 3), numbers, 0.0, 0.0)
    rows = yield from copies_steps(drawn.mesh)
    if not len(rows):
        return _NO_BOXES
    kept = mesh_over(mesh, drawn.mesh.triangles[rows])
    yield from kept.topology_steps()
    turned = np.where(kept.topology.orientation[:, None] < 0, kept.triangles[:, ::-1], kept.triangles)
    edges = (yield from open_edges_steps(np.ascontiguousarray(turned), kept.topology.welded)).ends
    ends, numbers = np.unique(edges, return_inverse=True)
    pairs = numbers.reshape(-1, 2)
    return _boxes(mesh, mesh.vertices[ends], joined_numbers(len(ends), pairs), _NEAR, _REACH)


def _boxes(mesh: TriangleMesh, points: np.ndarray, numbers: np.ndarray, near: float, reach: float) -> HoleBoxes:
    """Return boxes of points (n, 3) with equal numbers (n,), grown by ``near`` and by ``reach`` diagonals."""
    bounds = mesh.bounds
    order = np.argsort(numbers, kind="stable")
    begins = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    low, high = (f.reduceat(points[order], begins, axis=0) for f in (np.minimum, np.maximum))
    diagonals = np.linalg.norm(high - low, axis=1)[:, None]
    rounding = _ROUNDING * float(np.abs(bounds).max())
    more = near * diagonals + rounding
    nearby = np.hstack([np.maximum(low - more, bounds[0]), np.minimum(high + more, bounds[1])])
    more = np.minimum(reach * diagonals, float(np.linalg.norm(bounds[1] - bounds[0]))) + rounding
    reached = np.hstack([low - more, high + more])
    if len(begins) > _MOST_BOXES:
        ends = np.concatenate([reached[:, :3].min(axis=0), reached[:, 3:].max(axis=0)])
        return HoleBoxes(np.concatenate(bounds)[None], ends[None])
    return HoleBoxes(nearby, reached)


def near_holes_steps(case: Case, asked: np.ndarray) -> Generator[None, None, np.ndarray]:
    """Find whether each object of a pair is within reach of a hole of the other one, (k, 2) bool, for the objects
    selected by ``asked`` (k, 2).

    The generator yields every few milliseconds.
    """
    near = asked & _within_reach(case) & ~case.solids.closed[case.jobs[:, ::-1]]
    for job, inner in np.argwhere(near).tolist():
        outer = case.tree_set.parts[case.jobs[job, 1 - inner]].mesh
        boxes = yield from hole_boxes_steps(outer)
        own = case.tree_set.parts[case.jobs[job, inner]].mesh
        rows = case.rows_a[job], case.rows_b[job]
        corners = _in_frame(own, rows[inner], rows[1 - inner])
        near[job, inner] = bool((yield from _meeting_steps(corners, boxes.reach)).any())
        yield
    return near


def _within_reach(case: Case) -> np.ndarray:
    """Return whether a missing part of the other object may reach the box of each object of a pair, (k, 2) bool."""
    gaps = np.maximum(case.boxes_a[:, :3] - case.boxes_b[:, 3:], case.boxes_b[:, :3] - case.boxes_a[:, 3:]).max(axis=1)
    lengths = [np.linalg.norm(boxes[:, 3:] - boxes[:, :3], axis=1) for boxes in (case.boxes_b, case.boxes_a)]
    reached: np.ndarray = gaps[:, None] <= _FARTHEST * np.stack(lengths, axis=1)
    return reached


class Passing(NamedTuple):
    """How likely an object passes through a hole of another object."""

    partly: float
    """Probability that the object is only partly inside, by its points in the box of what is left."""
    beyond: float
    """Probability that a missing part that sticks out of this box reaches the object."""
    certainty: float
    """Certainty of the solid that the other object represents."""


def passing_steps(case: Case, job: int, inner: int) -> Generator[None, None, Passing]:
    """Return how likely an object of a pair, within reach of a hole of the other object, passes through that hole.

    If the other object represents no solid, both probabilities are 0. The generator yields every few milliseconds.
    """
    own, outer = (case.tree_set.parts[case.jobs[job, side]].mesh for side in (inner, 1 - inner))
    meant = yield from intended_solid_steps(outer)
    if not meant.solidity.solid or meant.solidity.closed:
        return Passing(0.0, 0.0, meant.solidity.certainty)
    rows = case.rows_a[job], case.rows_b[job]
    boxes = yield from hole_boxes_steps(outer)
    corners, bounds = _in_frame(own, rows[inner], rows[1 - inner]), outer.bounds
    side = side_of(meant, rows[1 - inner])
    beyond = partly = 1.0 - UNDECIDED_MOST
    points = yield from _points_steps(corners, boxes.near, bounds)
    reaches_out = bool(((corners < bounds[0]) | (corners > bounds[1])).any())
    if len(points):
        partly = yield from _partly_steps(side, transform_points(rows[1 - inner], points), reaches_out)
    if reaches_out:
        region = np.stack([boxes.reach[:, :3].min(axis=0), boxes.reach[:, 3:].max(axis=0)])
        points = yield from _points_steps(corners, boxes.reach, region)
        points = points[((points < bounds[0]) | (points > bounds[1])).any(axis=1)]
        if len(points):
            windings = np.abs(side.surface.measure(transform_points(rows[1 - inner], points), WINDING_SIDE).windings)
            beyond = max(beyond, float(np.interp(windings.max(), _WINDINGS_BEYOND, _BEYOND)))
    return Passing(partly, beyond, meant.solidity.certainty)


def _partly_steps(side: OpenSide, points: np.ndarray, reaches_out: bool) -> Generator[None, None, float]:
    """Return the probability that a surface, sampled by world points (n, 3), is only partly in an open solid."""
    windings = np.abs(side.surface.measure(points, NEAREST | WINDING_SIDE).windings)
    opening = yield from opening_steps(side.meant)
    most, missing = float(windings.max()), 1.0 - float(windings.min())
    narrow = float(np.interp(opening, _OPENINGS, (1.0, 0.0)))
    inside = narrow * float(np.interp(most, _WINDINGS, _INSIDE)) + (1.0 - narrow) * min(0.5, 0.5 * most / _WIDE_WINDING)
    outside = 1.0 if reaches_out else float(np.interp(missing, _MISSING, _OUTSIDE))
    return max(1.0 - UNDECIDED_MOST, min(inside, outside))


def _in_frame(mesh: TriangleMesh, rows: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the triangles (m, 3, 3) of a mesh in a pose (3, 4), in the frame of another pose."""
    points = (transform_points(rows, mesh.vertices) - other[:, 3]) @ other[:, :3]
    corners: np.ndarray = points[mesh.triangles]
    return corners


def _meeting_steps(corners: np.ndarray, boxes: np.ndarray) -> Generator[None, None, np.ndarray]:
    """Return which triangles (m, 3, 3) have boxes that meet one of the boxes (n, 6), (m,) bool."""
    meeting = np.zeros(len(corners), np.bool_)
    if not len(boxes) or not len(corners):
        return meeting
    slack = _ROUNDING * max(float(np.abs(corners).max()), float(np.abs(boxes).max()))
    low, high = corners.min(axis=1) - slack, corners.max(axis=1) + slack
    in_all = (low <= boxes[:, 3:].max(axis=0)).all(axis=1) & (high >= boxes[:, :3].min(axis=0)).all(axis=1)
    left = np.flatnonzero(in_all)
    at_once = max(1, _AT_ONCE // len(boxes))
    for begin in range(0, len(left), at_once):
        some = left[begin : begin + at_once, None]
        met = (low[some] <= boxes[None, :, 3:]).all(axis=2) & (high[some] >= boxes[None, :, :3]).all(axis=2)
        meeting[left[begin : begin + at_once]] = met.any(axis=1)
        yield
    return meeting


def _points_steps(corners: np.ndarray, boxes: np.ndarray, bounds: np.ndarray) -> Generator[None, None, np.ndarray]:
    """Return points (n, 3) of triangles (m, 3, 3) within bounds (2, 3), most of them in the boxes (k, 6) of holes.

    Triangles that are long compared with the bounds are cut into pieces.
    """
    whole = np.concatenate(bounds)[None]
    largest = max(float((bounds[1] - bounds[0]).max()) / _FINE, 2.0**-1000)
    done = []
    pieces = corners[(yield from _meeting_steps(corners, whole))]
    while len(pieces):
        long_ones = (pieces.max(axis=1) - pieces.min(axis=1)).max(axis=1) > largest
        if len(pieces) > _MOST_PIECES:
            long_ones[:] = False
        done.append(pieces[~long_ones])
        a, b, c = np.moveaxis(pieces[long_ones], 1, 0)
        ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
        pieces = np.concatenate([np.stack(t, 1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
        pieces = pieces[(yield from _meeting_steps(pieces, whole))]
    pieces = np.concatenate([*done, np.empty((0, 3, 3))])
    near = yield from _meeting_steps(pieces, boxes)
    chosen = np.concatenate([_spread(pieces[near], _MOST_NEAR), _spread(pieces[~near], _MOST_INSIDE)])
    points = np.concatenate([chosen, chosen.mean(axis=1, keepdims=True)], axis=1).reshape(-1, 3)
    points = np.unique(points, axis=0)
    found: np.ndarray = points[((points >= bounds[0]) & (points <= bounds[1])).all(axis=1)]
    return found


def _spread(pieces: np.ndarray, most: int) -> np.ndarray:
    """Select at most ``most`` triangles (n, 3, 3), evenly along the axes, independently of their order."""
    order = np.lexsort(pieces.reshape(-1, 9).T)
    chosen: np.ndarray = pieces[order[np.linspace(0, len(order) - 1, min(most, len(order))).round().astype(np.int64)]]
    return chosen
