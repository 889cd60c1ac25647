"""Determine which results about clouds are certain: those that stay the same if the surfaces move by their error.

Points do not determine exactly where a surface lies, ends or bends: corners are cut off, borders extend beyond the last
points, and thin parts look like noise. So a contact, and a gap, may be wrong by up to the *resolution* of a cloud, two
sampling radii or the bandwidth. Where points lie near a plane and continue on all sides, the error is much smaller. A
contact is certain where both surfaces continue on all sides and cross at an angle, or if it remains nearby after every
move by the errors that both surfaces may have there. A gap is certain if it is larger than the resolution, or than a
share of it where no surface ends.
"""

import math
from collections.abc import Generator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..geometry.triangle_distance import squared_distance
from ..jit import inner, kernel
from ..reference import by_reference
from ..types.results import Progress
from ..types.steps import scale_progress, steps
from .cloud import PointCloud
from .cloud_distance import near_place_steps
from .collision import ROOT_TOLERANCE, finer_radius
from .root_search import both_planes
from .searches import Thing, search_for
from .surface import (
    COUNT,
    CUTOFF,
    INVERSE_H2,
    MEAN,
    SAMPLING_RADIUS,
    SQUARES,
    SUMS_LENGTH,
    WEIGHT,
    solve,
    solve_plane,
)
from .tree import STACK_SIZE, box_distance2, is_line, sum_around

_BESIDE = 0.3
"""Largest distance, in bandwidths, of the mean of the points from a position where a surface continues on all sides. At
a straight border this distance is 0.57."""
_THICKNESS = 0.2
"""Largest standard deviation, in bandwidths, of the points from their plane where a surface is one sheet. Noise reaches
0.25; in this case a single position decides nothing."""
_SINE = 0.5
"""Least sine of the angle at which two sheets certainly cross."""
_AT_ONCE = 64
_LATTICE = np.array([way for way in np.ndindex(3, 3, 3) if sum(k != 1 for k in way) in (1, 3)]) - 1.0
_MOVES = _LATTICE / np.linalg.norm(_LATTICE, axis=1)[:, None]
"""Directions of the moves: to the faces and corners of a cube."""
_PLANE_ERROR, _PER_THICKNESS, _THICK_ERROR, _BESIDE_ERROR, _LINE_ERROR = 0.08, 0.8, 0.32, 0.08, 0.24
"""Terms of ``_errors``, in resolutions. On 11 kinds of solids, 1 point of 100 lies 0.02 outside a solid where it is
thick, and 0.2 to 0.35 where it is thin. Two thirds of these errors caused no wrong result (decision 0094)."""
_BESIDE_RIM = 0.45
"""Like ``_BESIDE``, for the end of a surface: no contact beyond this distance counts."""
_LINE = 0.36
"""Ratio of the two larger eigenvalues of a covariance below which points form a line. The surface that is fitted to a
wire extends beyond the wire, like a ribbon."""
_INNER_GAP = 0.6
"""Distance of samples, in resolutions, beyond which a gap is certain where no surface ends. In 2,300 poses, surfaces
without a contact met up to 0.46."""
_FOLLOW_STEPS = 24
_CLASSES = (0.0, 0.3, 0.5, np.inf)
"""Contacts with similar errors, in resolutions, are moved together."""
_REACH = 2.0
"""Largest distance between a contact before and after a move, divided by the length of the move, if the surfaces cross
at a right angle. The value is twice the motion of the curve of contact, because there is one point for each pair of
leaves.
"""
_LEAST_SINE = 0.25
"""Minimum sine of an angle for following contacts farther, because estimated normals are not precise enough for smaller
angles."""
_TEXT = "moving surfaces that hardly meet"


@inner
def _fit_of(sums, parameters):
    """Return how the plane of summed points fits: (normal, beside, thickness, line, rim), as in ``sheets_at``."""
    f, n = solve_plane(sums)
    mean2 = 0.0
    for axis in range(3):
        mean2 += (sums[MEAN + axis] / sums[WEIGHT]) ** 2
    s = SQUARES
    square = 0.0
    for i in range(3):
        for j in range(i, 3):
            square += (1.0 if i == j else 2.0) * n[i] * n[j] * sums[s]
            s += 1
    beside = math.sqrt(max((mean2 - f * f) * parameters[INVERSE_H2], 0.0))
    thickness = math.sqrt(max((square / sums[WEIGHT] - f * f) * parameters[INVERSE_H2], 0.0))
    line = is_line(sums, n, _LINE)
    return n, beside, thickness, line, beside > (_BESIDE if line else _BESIDE_RIM)


@kernel
def sheets_at(tree, at, normals, beside, thickness, line, rim):
    """Describe how a surface is fitted at points (k, 3) in object coordinates, all (k,) or (k, 3).

    ``normals``: unit normals. ``beside``: distance [bandwidths] of the mean of the points around a position from the
    position, along the surface: 0 where the surface continues on all sides. ``thickness``: standard deviation
    [bandwidths] of the points from their plane. Both are infinite where too few points are near. ``line``: whether the
    points spread along a line. ``rim``: whether the fitted surface may end there, or extends beyond the points of a
    wire.
    """
    tree = by_reference(tree)
    sums = np.zeros(SUMS_LENGTH)
    stack = np.empty(STACK_SIZE, np.int64)
    for k in range(at.shape[0]):
        sum_around(tree, (at[k, 0], at[k, 1], at[k, 2]), stack, sums)
        if not (sums[COUNT] > tree.parameters[CUTOFF] and sums[WEIGHT] > 0.0):
            beside[k] = thickness[k] = np.inf
            line[k] = rim[k] = True
            continue
        n, beside[k], thickness[k], line[k], rim[k] = _fit_of(sums, tree.parameters)
        for axis in range(3):
            normals[k, axis] = n[axis]


@kernel
def leaves_near(tree, at, reach, leaves):
    """Write the leaves whose boxes are within a reach [m] of one of the points (k, 3) in object coordinates; return
    their number. ``leaves``: (nodes,) int32.
    """
    tree = by_reference(tree)
    stack = np.empty(STACK_SIZE, np.int64)
    found = 0
    stack[0] = 0
    used = 1
    while used > 0:
        used -= 1
        node = stack[used]
        near = False
        for k in range(at.shape[0]):
            x, y, z = at[k, 0] - tree.origin[0], at[k, 1] - tree.origin[1], at[k, 2] - tree.origin[2]
            if box_distance2(tree.boxes, node, x, y, z) <= reach * reach:
                near = True
                break
        if near and tree.count[node] > 0:
            leaves[found] = node
            found += 1
        elif near:
            stack[used] = tree.first[node]
            stack[used + 1] = tree.first[node] + 1
            used += 2
    return found


@kernel
def reach_both(tree_a, tree_b, rotation, shift, at, limits, tolerance, reached):
    """Write whether Newton's method moves points (k, 3) onto both surfaces, away from rims, within limits (k,) [m],
    (k,) bool.

    All coordinates are those of a's object; ``rotation`` (3, 3) and ``shift`` (3,) transform b's coordinates to them.
    """
    tree_a = by_reference(tree_a)
    tree_b = by_reference(tree_b)
    sums = np.zeros(SUMS_LENGTH)
    stack = np.empty(STACK_SIZE, np.int64)
    longest = 0.5 * min(tree_a.parameters[SAMPLING_RADIUS], tree_b.parameters[SAMPLING_RADIUS])
    for k in range(at.shape[0]):
        start = (at[k, 0], at[k, 1], at[k, 2])
        x = start
        reached[k] = False
        for _ in range(_FOLLOW_STEPS):
            if squared_distance(x, start) > limits[k] * limits[k]:
                break
            sum_around(tree_a, x, stack, sums)
            f, n, there = solve(sums, tree_a.parameters)
            if not there:
                break
            _, _, _, _, rim = _fit_of(sums, tree_a.parameters)
            y = (x[0] - shift[0], x[1] - shift[1], x[2] - shift[2])
            sum_around(tree_b, _turned(rotation, y, True), stack, sums)
            g, other, there = solve(sums, tree_b.parameters)
            if not there:
                break
            if abs(f) <= tolerance and abs(g) <= tolerance:
                _, _, _, _, other_rim = _fit_of(sums, tree_b.parameters)
                reached[k] = not rim and not other_rim
                break
            way = both_planes(f, n, g, _turned(rotation, other, False))
            length = math.sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2])
            scale = min(1.0, longest / length)
            x = (x[0] + scale * way[0], x[1] + scale * way[1], x[2] + scale * way[2])


@inner
def _turned(rotation, x, back):
    """Return a rotated vector (3,), or the vector rotated back."""
    r = rotation
    if back:
        return (
            r[0, 0] * x[0] + r[1, 0] * x[1] + r[2, 0] * x[2],
            r[0, 1] * x[0] + r[1, 1] * x[1] + r[2, 1] * x[2],
            r[0, 2] * x[0] + r[1, 2] * x[1] + r[2, 2] * x[2],
        )
    return (
        r[0, 0] * x[0] + r[0, 1] * x[1] + r[0, 2] * x[2],
        r[1, 0] * x[0] + r[1, 1] * x[1] + r[1, 2] * x[2],
        r[2, 0] * x[0] + r[2, 1] * x[1] + r[2, 2] * x[2],
    )


def pair_resolution(a: Thing, b: Thing) -> float:
    """Return the larger resolution of the clouds of a pair [m]."""
    return max(thing.resolution for thing in (a, b) if isinstance(thing, PointCloud))


def contact_certain_steps(
    a: Thing, b: Thing, rows_a: np.ndarray, rows_b: np.ndarray, points: np.ndarray
) -> Generator[Progress, None, bool]:
    """Return whether two objects in poses (3, 4) certainly meet, given contact points (k, 3), k > 0."""
    if isinstance(a, PointCloud) and isinstance(b, PointCloud):
        for begin in range(0, len(points), _AT_ONCE):
            part = points[begin : begin + _AT_ONCE]
            if _cross(a, b, rows_a, rows_b, part):
                return True
            yield Progress(0.0, _TEXT)
    points = _inner_points(a, b, rows_a, rows_b, points)
    if not len(points):
        return False
    kept = points[np.lexsort(points.T)][:: 1 + (len(points) - 1) // _AT_ONCE]  # whichever object is passed first
    moves = np.sqrt(_errors(a, rows_a, kept) ** 2 + _errors(b, rows_b, kept) ** 2)
    share = moves / pair_resolution(a, b)
    for low, high in pairwise(_CLASSES):
        chosen = np.flatnonzero((low < share) & (share <= high))
        if len(chosen) and (yield from _survives_steps(a, b, rows_a, rows_b, kept[chosen], float(moves[chosen].max()))):
            return True
    return False


def _survives_steps(
    a: Thing, b: Thing, rows_a: np.ndarray, rows_b: np.ndarray, kept: np.ndarray, length: float
) -> Generator[Progress, None, bool]:
    """Return whether a contact remains near one of the contacts (k, 3) after each move of b by a length [m]."""
    reach = _reaches(a, b, rows_a, rows_b, kept, length)
    done, place = 0, kept[0]
    ways = np.concatenate([_normal_moves(a, b, rows_a, rows_b, place), _MOVES])
    while len(ways):
        for way in ways:
            moving = _remaining_steps(a, b, rows_a, rows_b, length * way, kept, reach)
            ends = done / (done + len(_MOVES)), (done + 1) / (done + 1 + len(_MOVES))
            remains = yield from scale_progress(moving, *ends, _TEXT)
            kept, reach, done = kept[remains], reach[remains], done + 1
            if not len(kept):
                return False
        ways = ways[:0] if (kept[0] == place).all() else _normal_moves(a, b, rows_a, rows_b, kept[0])
        place = kept[0]
    return True


def _errors(thing: Thing, rows: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return how far [m] the fitted surface of an object may lie outside the true one at points (k, 3); 0 for a mesh.

    A surface that lies inside the true one makes no false contacts. This is the usual error of thin parts.
    """
    if not isinstance(thing, PointCloud):
        return np.zeros(len(points))
    sheets = _sheets(thing, rows, points)
    error = np.minimum(_PLANE_ERROR + _PER_THICKNESS * sheets.thickness, _THICK_ERROR)
    error += _BESIDE_ERROR * (sheets.beside > _BESIDE)
    return np.where(sheets.line, np.maximum(error, _LINE_ERROR), error) * thing.resolution


def _inner_points(a: Thing, b: Thing, rows_a: np.ndarray, rows_b: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return those of the contact points (k, 3) at which both surfaces continue on all sides."""
    for thing, rows in ((a, rows_a), (b, rows_b)):
        if isinstance(thing, PointCloud) and len(points):
            points = points[~_sheets(thing, rows, points).rim]
    return points


def _remaining_steps(
    a: Thing, b: Thing, rows_a: np.ndarray, rows_b: np.ndarray, shift: np.ndarray, points: np.ndarray, reach: np.ndarray
) -> Generator[Progress, None, np.ndarray]:
    """Return which contact points (k, 3) with reaches (k,) [m] remain if b moves by a shift (3,) [m], (k,) bool.

    A contact remains if there is a contact within its reach after the move. Contacts elsewhere do not count: the move
    may have separated the surfaces here and brought other parts together. So only the neighbourhood is searched.
    """
    moved = rows_b.copy()
    moved[:, 3] += shift
    if isinstance(a, PointCloud) and isinstance(b, PointCloud):
        return _followed(a, b, rows_a, moved, points + 0.5 * shift, reach)
    search, swapped = search_for(a, b, rows_a, moved, False)
    cloud, rows = (b, moved) if swapped else (a, rows_a)
    assert isinstance(cloud, PointCloud)
    tree, middle = cloud.built.tree, 0.5 * shift  # as if each object moved by half, so that their order is irrelevant
    leaves = np.empty(len(tree.first), np.int32)
    far = float(reach.max()) + cloud.lengths.margin
    count = leaves_near(tree, _in_object(rows, points + middle), far, leaves)
    search.begin_at(leaves[:count])
    yield from steps(search.finish)
    found = _inner_points(a, b, rows_a, moved, search.found().points) - middle
    near = [(np.linalg.norm(found - points[k], axis=1) <= reach[k]).any() for k in range(len(points))]
    return np.array(near, np.bool_)


def _followed(
    a: PointCloud, b: PointCloud, rows_a: np.ndarray, rows_b: np.ndarray, points: np.ndarray, reach: np.ndarray
) -> np.ndarray:
    """Return from which world points (k, 3) Newton's method finds a contact of two posed clouds within a reach (k,)."""
    back = np.linalg.inv(rows_a[:, :3])
    rotation, shift = np.ascontiguousarray(back @ rows_b[:, :3]), back @ (rows_b[:, 3] - rows_a[:, 3])
    reached = np.empty(len(points), np.bool_)
    reach_both(
        a.built.tree, b.built.tree, rotation, shift, _in_object(rows_a, points), reach,
        ROOT_TOLERANCE * finer_radius(a, b), reached,
    )  # fmt: skip
    return reached


def _reaches(
    a: Thing, b: Thing, rows_a: np.ndarray, rows_b: np.ndarray, points: np.ndarray, length: float
) -> np.ndarray:
    """Return how far contacts (k, 3) may move along the surfaces while b moves by a length, (k,) [m].

    The curve in which two planes cross moves by at most the length of the move, divided by the sine of their angle. The
    angle is known only where both surfaces are single sheets.
    """
    sine = np.ones(len(points))
    if isinstance(a, PointCloud) and isinstance(b, PointCloud):
        known, certain = _angles(a, b, rows_a, rows_b, points)
        sine[certain] = np.maximum(known[certain], _LEAST_SINE)
    return _REACH * length / sine


def _cross(a: PointCloud, b: PointCloud, rows_a: np.ndarray, rows_b: np.ndarray, points: np.ndarray) -> bool:
    """Return whether two clouds cross as single sheets at one of the given points (k, 3)."""
    sine, certain = _angles(a, b, rows_a, rows_b, points)
    return bool((certain & (sine >= _SINE)).any())


def _angles(
    a: PointCloud, b: PointCloud, rows_a: np.ndarray, rows_b: np.ndarray, points: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sines (k,) of the angles between two posed clouds at world points (k, 3), and whether both surfaces
    are single sheets there.

    A surface is one sheet where it continues on all sides, and its points lie near their plane.
    """
    ours, theirs = _sheets(a, rows_a, points), _sheets(b, rows_b, points)
    cosine = (ours.normals * theirs.normals).sum(axis=1)
    certain = ~(ours.line | theirs.line)
    for sheets in (ours, theirs):
        certain &= (sheets.beside <= _BESIDE) & (sheets.thickness <= _THICKNESS)
    return np.sqrt(np.maximum(1.0 - cosine * cosine, 0.0)), certain


def _in_object(rows: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return world points (k, 3) in the coordinates of an object in a pose (3, 4)."""
    return np.ascontiguousarray((points - rows[:, 3]) @ np.linalg.inv(rows[:, :3]).T)


class _Sheets(NamedTuple):
    """What ``sheets_at`` writes, with world normals."""

    normals: np.ndarray
    beside: np.ndarray
    thickness: np.ndarray
    line: np.ndarray
    rim: np.ndarray


def _sheets(cloud: PointCloud, rows: np.ndarray, points: np.ndarray) -> _Sheets:
    """Return how the surface of a posed cloud is fitted at world points (k, 3)."""
    count = len(points)
    line, rim = np.empty((2, count), np.bool_)
    beside, thickness = np.empty((2, count))
    normals = np.zeros((count, 3))
    sheets_at(cloud.built.tree, _in_object(rows, points), normals, beside, thickness, line, rim)
    return _Sheets(normals @ rows[:, :3].T, beside, thickness, line, rim)


def _normal_moves(a: Thing, b: Thing, rows_a: np.ndarray, rows_b: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Return directions (k, 3) of moves along the normals at a contact (3,): these moves most likely separate the
    surfaces.
    """
    ways = []
    for thing, rows in ((a, rows_a), (b, rows_b)):
        if isinstance(thing, PointCloud):
            normal = _sheets(thing, rows, point[None]).normals[0]
            ways += [normal, -normal]
    return np.array(ways)


def doubtful_gap_steps(
    a: Thing, b: Thing, rows_a: np.ndarray, rows_b: np.ndarray
) -> Generator[Progress, None, np.ndarray | None]:
    """Return a point (3,) at which two objects without a common point are so close that they may meet; None if they are
    not so close.

    Their poses are (3, 4).
    """
    limit = pair_resolution(a, b)
    return near_place_steps(a, b, rows_a, rows_b, limit, _INNER_GAP * limit)
