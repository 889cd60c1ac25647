"""Find objects near the holes of an open mesh, and whether they pass through a hole.

The surface that is missing at a hole lies near the rim of the hole: in the box of the rim, grown by half its diagonal,
which contains every cap up to half a sphere, and by one and a half diagonals in the direction in which the surface
continues at the rim, which contains the tip of a cone or of a finger. A surface that meets neither the mesh nor any
such box is on one side of the solid, for any way of closing the hole within these boxes. A surface that meets a box may
pass through the hole: then the winding numbers at some points of the surface tell how likely a part of it is inside.
"""

from collections.abc import Generator

import numpy as np

from ..traversal.layers import OpenEdges, copies_steps, joined_numbers, open_edges_steps
from ..types.mesh import TriangleMesh, mesh_over
from ..types.pose import transform_points
from .boundary_mesh import boundary_mesh_steps
from .case import Case
from .field import NEAREST, WINDING_SIDE
from .open_overlap import side_of
from .opening import leaving, onward_share, opening_steps
from .solidity import IntendedSolid, intended_solid_steps

_GROWN = 0.5  # of a rim's diagonal
_ONWARD = 0.7  # of the circumference of a tube, in the direction in which the surface continues
_ONWARD_MOST = 1.5  # of a rim's diagonal
_GROWN_MOST = 1.01 * (_GROWN + _ONWARD_MOST)  # with rounding
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
# probability is at most one half, or 0.8 for a hole in a side.
_WINDINGS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
_INSIDE = (0.003, 0.02, 0.1, 0.4, 0.65, 0.9, 0.98, 0.997)
_MISSING = (0.0, 0.3, 0.45, 0.5, 0.55, 0.65, 0.8)
_OUTSIDE = (0.001, 0.02, 0.15, 0.35, 0.65, 0.9, 0.98)
_OPENINGS = (0.33, 0.6)
_WIDE_WINDING = 0.1
# A wide hole in a side of the mesh, by how far the surface at its rim continues in one direction, is less likely the
# open end of a container. It may be a window.
_ONWARD_SHARES = (0.55, 0.9)
_IN_SIDE = (0.6, 0.0)
_LEAST_SEEN = 0.01
"""Share of all directions in which a point beyond the box of a mesh must see a hole, so that missing surface may reach
the point. Beside a hole in a plane, in this plane, it is 0.
"""
# Of points beyond the box of the mesh, for an opening of any width: 14 of 385 such surfaces met the missing part.
_BEYOND_WINDINGS = (0.0, 0.02, 0.05)
_INSIDE_BEYOND = (0.001, 0.02, 0.06)


def hole_boxes_steps(mesh: TriangleMesh) -> Generator[None, None, np.ndarray]:
    """Return boxes (n, 6) [m], in the mesh's frame, around the holes and closed seams of an open mesh.

    The result is cached with the mesh. A shell has no missing surface. The generator yields every few milliseconds.
    """
    if "hole boxes" not in mesh.derived:
        mesh.derived["hole boxes"] = np.empty((0, 6)) if mesh.shell else (yield from _hole_boxes_steps(mesh))
    boxes: np.ndarray = mesh.derived["hole boxes"]
    return boxes


def _hole_boxes_steps(mesh: TriangleMesh) -> Generator[None, None, np.ndarray]:
    drawn = yield from boundary_mesh_steps(mesh)
    if drawn.mesh.is_closed:
        added = drawn.mesh.triangles[len(drawn.faces) :]
        return _boxes(mesh, mesh.vertices[added].reshape(-1, 3), np.repeat(np.arange(len(added)), 3), 0.0)
    rows = yield from copies_steps(drawn.mesh)
    if not len(rows):
        return np.empty((0, 6))
    kept = mesh_over(mesh, drawn.mesh.triangles[rows])
    yield from kept.topology_steps()
    turned = np.where(kept.topology.orientation[:, None] < 0, kept.triangles[:, ::-1], kept.triangles)
    edges = yield from open_edges_steps(np.ascontiguousarray(turned), kept.topology.welded)
    ends, numbers = np.unique(edges.ends, return_inverse=True)
    numbers = numbers.reshape(-1, 2)
    rims = joined_numbers(len(ends), numbers)
    return _boxes(mesh, mesh.vertices[ends], rims, _GROWN, _onward(kept, edges, rims[numbers[:, 0]]))


def _onward(mesh: TriangleMesh, edges: OpenEdges, rims: np.ndarray) -> np.ndarray:
    """Return how the surface would continue beyond each rim, (k, 3) [m]: the sum of the directions in which the
    triangles at the rim leave it, multiplied by the lengths of their edges.

    At the end of a tube the length of the sum is the circumference, even if the rim is ragged; around a hole in a plane
    it is 0. ``rims`` has the rim of each open edge.
    """
    begin, end = mesh.vertices[edges.ends[:, 0]], mesh.vertices[edges.ends[:, 1]]
    _, out = leaving(begin, end, mesh.vertices[mesh.triangles[edges.triangles]].mean(axis=1))
    onward: np.ndarray = np.stack([np.bincount(rims, out[:, axis]) for axis in range(3)], axis=1)
    return onward


def _boxes(
    mesh: TriangleMesh, points: np.ndarray, numbers: np.ndarray, grown: float, onward: np.ndarray | None = None
) -> np.ndarray:
    """Return boxes (k, 6) of points (n, 3) with equal numbers (n,), grown by ``grown`` diagonals, and in the directions
    of the vectors (k, 3) [m].
    """
    order = np.argsort(numbers, kind="stable")
    begins = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    if len(begins) > _MOST_BOXES:
        return np.concatenate(mesh.bounds)[None]
    low, high = (f.reduceat(points[order], begins, axis=0) for f in (np.minimum, np.maximum))
    diagonals = np.linalg.norm(high - low, axis=1)[:, None]
    more = grown * diagonals + _ROUNDING * float(np.abs(mesh.bounds).max())
    if onward is not None:
        ways = _ONWARD * onward[numbers[order[begins]]]
        lengths = np.maximum(np.linalg.norm(ways, axis=1), 2.0**-1000)[:, None]
        ways *= np.minimum(1.0, _ONWARD_MOST * diagonals / lengths)
        low, high = np.minimum(low, low + ways), np.maximum(high, high + ways)
    return np.hstack([low - more, high + more])


def near_holes_steps(case: Case, asked: np.ndarray) -> Generator[None, None, np.ndarray]:
    """Find whether each object of a pair is near a hole of the other one, (k, 2) bool, for the objects selected by
    ``asked`` (k, 2).

    The missing surface of an object lies in its box, or in the boxes of its holes. The generator yields every few
    milliseconds.
    """
    near = asked & ~case.solids.closed[case.jobs[:, ::-1]]
    if not near.any():
        return near
    gaps = np.maximum(case.boxes_a[:, :3] - case.boxes_b[:, 3:], case.boxes_b[:, :3] - case.boxes_a[:, 3:])
    for inner, boxes in enumerate((case.boxes_b, case.boxes_a)):  # of the objects with holes
        farthest = _GROWN_MOST * np.linalg.norm(boxes[:, 3:] - boxes[:, :3], axis=1)
        near[:, inner] &= gaps.max(axis=1) <= farthest
    for job, inner in np.argwhere(near).tolist():
        outer = case.tree_set.parts[case.jobs[job, 1 - inner]].mesh
        boxes = yield from hole_boxes_steps(outer)
        own = case.tree_set.parts[case.jobs[job, inner]].mesh
        rows = case.rows_a[job], case.rows_b[job]
        corners = _in_frame(own, rows[inner], rows[1 - inner])
        near[job, inner] = bool((yield from _meeting_steps(corners, boxes)).any())
        yield
    return near


def passing_steps(case: Case, job: int, inner: int) -> Generator[None, None, tuple[float, float]]:
    """Return the probability that an object of a pair, which is near a hole of the other object, is only partly inside
    the other object.

    Also returns the certainty of the solid that the other object represents. If the other object represents no solid,
    the first number is 0. The generator yields every few milliseconds.
    """
    own, outer = (case.tree_set.parts[case.jobs[job, side]].mesh for side in (inner, 1 - inner))
    meant = yield from intended_solid_steps(outer)
    if not meant.solidity.solid or meant.solidity.closed:
        return 0.0, meant.solidity.certainty
    rows = case.rows_a[job], case.rows_b[job]
    boxes = yield from hole_boxes_steps(outer)
    corners = _in_frame(own, rows[inner], rows[1 - inner])
    points = yield from _points_steps(corners, boxes, outer.bounds)
    if not len(points):
        return 1.0 - UNDECIDED_MOST, meant.solidity.certainty
    reaches_out = bool(((corners < outer.bounds[0]) | (corners > outer.bounds[1])).any())
    side = side_of(meant, rows[1 - inner])
    in_box = ((points >= outer.bounds[0]) & (points <= outer.bounds[1])).all(axis=1)
    own_boxes = np.hstack([np.maximum(boxes[:, :3], outer.bounds[0]), np.minimum(boxes[:, 3:], outer.bounds[1])])
    windings = np.abs(side.surface.measure(transform_points(rows[1 - inner], points), NEAREST | WINDING_SIDE).windings)
    if not (windings[~in_box] >= _LEAST_SEEN).any() and not (yield from _meeting_steps(corners, own_boxes)).any():
        return 0.0, 1.0
    partly = yield from _partly_steps(meant, windings, in_box, reaches_out)
    return partly, meant.solidity.certainty


def _partly_steps(
    meant: IntendedSolid, windings: np.ndarray, in_box: np.ndarray, reaches_out: bool
) -> Generator[None, None, float]:
    """Return the probability that a surface is only partly in an open solid, by the winding numbers (n,) of its points.

    ``in_box`` (n,) bool tells which points are in the box of the mesh. Points beyond the box are inside only if missing
    surface sticks out of the box, which is less likely than that it does not: the mesh shows no sign of it.
    """
    opening = yield from opening_steps(meant)
    missing = 1.0 - float(windings.min())
    narrow = float(np.interp(opening, _OPENINGS, (1.0, 0.0)))
    if narrow < _IN_SIDE[0]:
        narrow = max(narrow, float(np.interp(onward_share(meant), _ONWARD_SHARES, _IN_SIDE)))
    most, beyond = (float(own.max(initial=0.0)) for own in (windings[in_box], windings[~in_box]))
    inside = narrow * float(np.interp(most, _WINDINGS, _INSIDE)) + (1.0 - narrow) * min(0.5, 0.5 * most / _WIDE_WINDING)
    inside = max(inside, float(np.interp(beyond, _BEYOND_WINDINGS, _INSIDE_BEYOND)))
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
    """Return points (n, 3) of triangles (m, 3, 3) within the bounds (2, 3) of a mesh or the boxes (k, 6) of its holes,
    most of them near holes.

    Triangles that are long compared with the mesh are cut into pieces.
    """
    low = np.minimum(bounds[0], boxes[:, :3].min(axis=0, initial=np.inf))
    high = np.maximum(bounds[1], boxes[:, 3:].max(axis=0, initial=-np.inf))
    whole = np.concatenate([low, high])[None]
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
    found: np.ndarray = points[((points >= low) & (points <= high)).all(axis=1)]
    return found


def _spread(pieces: np.ndarray, most: int) -> np.ndarray:
    """Select at most ``most`` triangles (n, 3, 3), evenly along the axes, independently of their order."""
    order = np.lexsort(pieces.reshape(-1, 9).T)
    chosen: np.ndarray = pieces[order[np.linspace(0, len(order) - 1, min(most, len(order))).round().astype(np.int64)]]
    return chosen
