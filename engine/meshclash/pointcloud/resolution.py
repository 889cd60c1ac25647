"""Determine which results about clouds are certain: those that stay the same if the objects move by the clouds'
resolution.

Points do not determine exactly where a surface lies, ends or bends: corners are cut off, borders extend beyond the last
points, and thin parts look like noise. So a contact, and a gap, may be wrong by up to the *resolution* of a cloud, two
sampling radii or the bandwidth. A contact is certain where both surfaces continue on all sides and cross at an angle,
or if it remains nearby after every move by the resolution. A gap is certain if it is larger than the resolution.
"""

from collections.abc import Generator

import numpy as np

from ..jit import kernel
from ..reference import by_reference
from ..types.results import Progress
from ..types.steps import scale_progress, steps
from .cloud import PointCloud
from .cloud_distance import near_place_steps
from .searches import Thing, search_for
from .surface import COUNT, CUTOFF, INVERSE_H2, MEAN, SQUARES, SUMS_LENGTH, WEIGHT, solve_plane
from .tree import STACK_SIZE, sum_around

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
_MOVE = 0.9
"""Length of a move divided by the resolution. Any direction is within 37 degrees of one of the moves."""
_REACH = 2.0
"""Largest distance between a contact before and after a move, divided by the length of the move, if the surfaces cross
at a right angle. The value is twice the motion of the curve of contact, because there is one point for each pair of
leaves.
"""
_LEAST_SINE = 0.25
"""Minimum sine of an angle for following contacts farther, because estimated normals are not precise enough for smaller
angles."""
_TEXT = "moving surfaces that hardly meet"


@kernel
def sheets_at(tree, at, normals, certain):
    """Write the normals of a surface at points (k, 3) in object coordinates, and whether the surface is a single sheet
    around each point.

    The surface is one sheet where it continues on all sides of the point, and its points lie near their plane.
    """
    tree = by_reference(tree)
    sums = np.zeros(SUMS_LENGTH)
    stack = np.empty(STACK_SIZE, np.int64)
    for k in range(at.shape[0]):
        sum_around(tree, (at[k, 0], at[k, 1], at[k, 2]), stack, sums)
        certain[k] = False
        if not (sums[COUNT] > tree.parameters[CUTOFF] and sums[WEIGHT] > 0.0):
            continue
        f, n = solve_plane(sums)
        mean2 = 0.0
        for axis in range(3):
            normals[k, axis] = n[axis]
            mean2 += (sums[MEAN + axis] / sums[WEIGHT]) ** 2
        s = SQUARES
        square = 0.0
        for i in range(3):
            for j in range(i, 3):
                square += (1.0 if i == j else 2.0) * n[i] * n[j] * sums[s]
                s += 1
        beside2 = (mean2 - f * f) * tree.parameters[INVERSE_H2]
        spread2 = (square / sums[WEIGHT] - f * f) * tree.parameters[INVERSE_H2]
        certain[k] = beside2 <= _BESIDE * _BESIDE and spread2 <= _THICKNESS * _THICKNESS


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
    kept = points[np.lexsort(points.T)][:: 1 + (len(points) - 1) // _AT_ONCE]  # whichever object is passed first
    reach = _reaches(a, b, rows_a, rows_b, kept)
    done, place = 0, kept[0]
    ways = np.concatenate([_normal_moves(a, b, rows_a, rows_b, place), _MOVES])
    while len(ways):
        for way in ways:
            moving = _remaining_steps(a, b, rows_a, rows_b, way, kept, reach)
            ends = done / (done + len(_MOVES)), (done + 1) / (done + 1 + len(_MOVES))
            remains = yield from scale_progress(moving, *ends, _TEXT)
            kept, reach, done = kept[remains], reach[remains], done + 1
            if not len(kept):
                return False
        ways = ways[:0] if (kept[0] == place).all() else _normal_moves(a, b, rows_a, rows_b, kept[0])
        place = kept[0]
    return True


def _remaining_steps(
    a: Thing, b: Thing, rows_a: np.ndarray, rows_b: np.ndarray, way: np.ndarray, points: np.ndarray, reach: np.ndarray
) -> Generator[Progress, None, np.ndarray]:
    """Return which contact points (k, 3) with reaches (k,) [m] remain if b moves in a direction (3,), (k,) bool.

    A contact remains if there is a contact within its reach after the move. Contacts elsewhere do not count: the move
    may have separated the surfaces here and brought other parts together.
    """
    shift = _MOVE * pair_resolution(a, b) * way
    moved = rows_b.copy()
    moved[:, 3] += shift
    search, _ = search_for(a, b, rows_a, moved, False)
    yield from steps(search.finish)
    found = search.found().points - 0.5 * shift  # as if each object moved by half, so that their order is irrelevant
    near = [(np.linalg.norm(found - points[k], axis=1) <= reach[k]).any() for k in range(len(points))]
    return np.array(near, np.bool_)


def _reaches(a: Thing, b: Thing, rows_a: np.ndarray, rows_b: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return how far contacts (k, 3) may move along the surfaces while b moves, (k,) [m].

    The curve in which two planes cross moves by at most the length of the move, divided by the sine of their angle. The
    angle is known only where both surfaces are single sheets.
    """
    sine = np.ones(len(points))
    if isinstance(a, PointCloud) and isinstance(b, PointCloud):
        normal_a, certain_a = _sheets(a, rows_a, points)
        normal_b, certain_b = _sheets(b, rows_b, points)
        cosine = (normal_a * normal_b).sum(axis=1)
        known = np.sqrt(np.maximum(1.0 - cosine * cosine, _LEAST_SINE * _LEAST_SINE))
        sine[certain_a & certain_b] = known[certain_a & certain_b]
    return _REACH * _MOVE * pair_resolution(a, b) / sine


def _cross(a: PointCloud, b: PointCloud, rows_a: np.ndarray, rows_b: np.ndarray, points: np.ndarray) -> bool:
    """Return whether two clouds cross as single sheets at one of the given points (k, 3)."""
    normal_a, certain_a = _sheets(a, rows_a, points)
    normal_b, certain_b = _sheets(b, rows_b, points)
    cosine = (normal_a * normal_b).sum(axis=1)
    return bool((certain_a & certain_b & (cosine * cosine <= 1.0 - _SINE * _SINE)).any())


def _sheets(cloud: PointCloud, rows: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the normals (k, 3) of a posed cloud at world points (k, 3), and whether the surface is a single sheet at
    each.
    """
    inverse = np.linalg.inv(rows[:, :3])
    normals, certain = np.zeros((len(points), 3)), np.empty(len(points), np.bool_)
    sheets_at(cloud.built.tree, np.ascontiguousarray((points - rows[:, 3]) @ inverse.T), normals, certain)
    return normals @ rows[:, :3].T, certain


def _normal_moves(a: Thing, b: Thing, rows_a: np.ndarray, rows_b: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Return directions (k, 3) of moves along the normals at a contact (3,): these moves most likely separate the
    surfaces.
    """
    ways = []
    for thing, rows in ((a, rows_a), (b, rows_b)):
        if isinstance(thing, PointCloud):
            normal = _sheets(thing, rows, point[None])[0][0]
            ways += [normal, -normal]
    return np.array(ways)


def doubtful_gap_steps(
    a: Thing, b: Thing, rows_a: np.ndarray, rows_b: np.ndarray
) -> Generator[Progress, None, np.ndarray | None]:
    """Return a point (3,) at which two objects without a common point are so close that they may meet; None if they are
    not so close.

    Their poses are (3, 4).
    """
    return near_place_steps(a, b, rows_a, rows_b, pair_resolution(a, b))
