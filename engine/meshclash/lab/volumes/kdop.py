"""Polytopes of fixed directions (k-DOPs): k/2 lowest values, then k/2 highest, along directions fixed in the object.

Sources: Klosowski, Held, Mitchell, Sowizral, Zikan, "Efficient collision detection using bounding volume hierarchies of
k-DOPs" (1998); Zachmann, "Rapid collision detection by dynamically aligned DOP-trees" (1998).

The directions are not normalised, so that the sets of 6, 14, 18 and 26 share the first three directions and few sums of
coordinates are needed. The same code is used for all four sets: the number of directions is half the length of a row.

Turned objects. A direction u of one object, in the other object's frame, is a combination u = l1 d1 + l2 d2 + l3 d3 of
three of the other object's directions. So the values of the other polytope along u lie within the same combination of
its intervals. ``prepare`` chooses the three directions that give the narrowest result for the root, once per pose;
every triple gives a bound that is valid for every node.
"""

import itertools
import math

import numpy as np

from ...geometry.directions import CUBE_DIRECTIONS
from ...jit import portable
from ...volumes.rounding import round_down, round_up

DIRECTIONS = CUBE_DIRECTIONS
"""All directions. A 14-DOP has the axes and corners of a cube, an 18-DOP axes and edges, a 26-DOP all."""

HALVES = 3, 7, 9, 13
"""Numbers of directions of the polytopes, in increasing order."""

_MOST = len(DIRECTIONS)
_ENTRY = 8  # numbers per direction in a prepared row: three factors, three directions, shift, slack
_FIRST = 33  # where they begin, after a row of relative_pose.py
PREPARED = _FIRST + 2 * _ENTRY * _MOST
"""Numbers of a prepared row."""

_ROUNDING = 8.0 * 2.0**-53
_DRAWN_AT_ONCE = 100


def directions_of(half: int) -> np.ndarray:
    """Return the rows of ``DIRECTIONS`` for a polytope with a number of directions."""
    return DIRECTIONS[[0, 1, 2, *range(7, 13)]] if half == 9 else DIRECTIONS[:half]


def _all_triples() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return independent triples of directions for every kind: (first triple of a kind, their indices, their
    inverses).
    """
    start = np.zeros(_MOST + 2, np.int64)
    indices: list[np.ndarray] = []
    columns: list[np.ndarray] = []
    for half in HALVES:
        triples = np.array(list(itertools.combinations(range(half), 3)))
        vectors = directions_of(half)[triples].transpose(0, 2, 1)
        independent = np.abs(np.linalg.det(vectors)) > 0.5
        indices.append(triples[independent])
        columns.append(vectors[independent])
        start[half], start[half + 1] = sum(map(len, indices[:-1])), sum(map(len, indices))
    return start, np.concatenate(indices), np.linalg.inv(np.concatenate(columns))


_START, _TRIPLES, _INVERSES = _all_triples()


@portable
def _direction(half, i):
    """Return the row of ``DIRECTIONS`` for direction i of a polytope with ``half`` directions."""
    return i + 4 if half == 9 and i >= 3 else i


@portable
def clear(volume):
    """Make a volume empty, so that it can be extended."""
    half = volume.shape[0] // 2
    for i in range(half):
        volume[i] = np.float32(np.inf)
        volume[half + i] = np.float32(-np.inf)


@portable
def extend(volume, x, y, z):
    """Enlarge a volume to contain the point (float64, relative to the hierarchy's origin)."""
    half = volume.shape[0] // 2
    for i in range(half):
        d = _direction(half, i)
        value = DIRECTIONS[d, 0] * x + DIRECTIONS[d, 1] * y + DIRECTIONS[d, 2] * z
        rounding = _ROUNDING * (abs(x) + abs(y) + abs(z)) if i >= 3 else 0.0
        volume[i] = min(volume[i], round_down(value - rounding))
        volume[half + i] = max(volume[half + i], round_up(value + rounding))


@portable
def merge(volume, left, right):
    """Enlarge a volume to contain two other volumes."""
    half = volume.shape[0] // 2
    for i in range(half):
        volume[i] = min(left[i], right[i])
        volume[half + i] = max(left[half + i], right[half + i])


@portable
def size(volume):
    """Return a measure that grows with the volume: the sum of its extents along the axes."""
    half = volume.shape[0] // 2
    return (volume[half] - volume[0]) + (volume[half + 1] - volume[1]) + (volume[half + 2] - volume[2])


@portable
def _prepare_half(relative, at, into, root, out):
    """Write the directions in the frame of ``root`` to the entries from ``into`` on; the motion is stored from ``at``
    on.
    """
    half = root.shape[0] // 2
    for i in range(half):
        d = _direction(half, i)
        shift = 0.0
        slack = 0.0
        x = 0.0
        y = 0.0
        z = 0.0
        for j in range(3):
            share = DIRECTIONS[d, j]
            x += share * relative[at + 3 * j]
            y += share * relative[at + 3 * j + 1]
            z += share * relative[at + 3 * j + 2]
            shift += share * relative[at + 9 + j]
            slack += 2.0 * abs(share) * relative[at + 12 + j]
        narrowest = math.inf
        best = _START[half]
        for t in range(_START[half], _START[half + 1]):
            width = 0.0
            for j in range(3):
                factor = _INVERSES[t, j, 0] * x + _INVERSES[t, j, 1] * y + _INVERSES[t, j, 2] * z
                k = _TRIPLES[t, j]
                width += abs(factor) * (1.000001 * (np.float64(root[half + k]) - np.float64(root[k])) + 1e-36)
            if width < narrowest * 0.99999999:
                narrowest = width
                best = t
        entry = into + _ENTRY * i
        for j in range(3):
            out[entry + j] = _INVERSES[best, j, 0] * x + _INVERSES[best, j, 1] * y + _INVERSES[best, j, 2] * z
            out[entry + 3 + j] = _TRIPLES[best, j]
        out[entry + 6] = shift
        out[entry + 7] = slack


@portable
def prepare(relative, root_a, root_b, out):
    """Complete a row of ``relative_pose.py`` for ``overlap`` and ``gap``; roots are volumes of this kind."""
    for i in range(_FIRST):
        out[i] = relative[i]
    _prepare_half(relative, 0, _FIRST, root_b, out)
    _prepare_half(relative, 15, _FIRST + _ENTRY * _MOST, root_a, out)


@portable
def _distance_along(m, entry, own, i, other):
    """Return the gap between two intervals along direction i of ``own``; negative if they overlap."""
    half = own.shape[0] // 2
    middle = m[entry + 6] - 0.5 * (np.float64(own[half + i]) + np.float64(own[i]))
    reach = m[entry + 7] + 0.5 * (np.float64(own[half + i]) - np.float64(own[i]))
    for j in range(3):
        factor = 0.5 * m[entry + j]
        k = int(m[entry + 3 + j])
        middle += factor * (np.float64(other[half + k]) + np.float64(other[k]))
        reach += abs(factor) * (np.float64(other[half + k]) - np.float64(other[k]))
    return abs(middle) - reach


@portable
def overlap(a, b, relative):
    """Return whether two polytopes may meet, along the directions of both; never a false "no"."""
    half = a.shape[0] // 2
    for i in range(half):
        if _distance_along(relative, _FIRST + _ENTRY * i, a, i, b) > 0.0:
            return False
    for i in range(half):  # noqa: SIM110 - kernels cannot compile the generator expression
        if _distance_along(relative, _FIRST + _ENTRY * (_MOST + i), b, i, a) > 0.0:
            return False
    return True


@portable
def _gap_of(m, first, own, other):
    half = own.shape[0] // 2
    square = 0.0
    best = 0.0
    for i in range(half):
        apart = max(_distance_along(m, first + _ENTRY * i, own, i, other), 0.0)
        d = _direction(half, i)
        if d < 3:
            square += apart * apart
        else:
            best = max(best, apart * apart * (1.0 / 3.0 if d < 7 else 0.5))
    return max(square, best)


@portable
def gap(a, b, relative):
    """Return a lower bound [m] of the world distance between the contents of two polytopes."""
    square = max(_gap_of(relative, _FIRST, a, b), _gap_of(relative, _FIRST + _ENTRY * _MOST, b, a))
    return math.sqrt(square) * relative[31]


def contains(volume, x, y, z):
    """Return whether a polytope contains a point; exact for fractions."""
    half = len(volume) // 2
    values = [int(d[0]) * x + int(d[1]) * y + int(d[2]) * z for d in directions_of(half)]
    return all(volume[i] <= value <= volume[half + i] for i, value in enumerate(values))


def wireframe(volumes):
    """Return the edges of polytopes (n, k): segments (m, 2, 3) float64.

    An edge is the part of the intersection line of two planes that lies in all other half-spaces.
    """
    volumes = np.float64(volumes)
    half = volumes.shape[1] // 2
    normals = np.concatenate([-directions_of(half), directions_of(half)])
    offsets = np.concatenate([-volumes[:, :half], volumes[:, half:]], axis=1)
    pairs = np.array([(i, j) for i, j in itertools.combinations(range(2 * half), 2) if j != i + half])
    parts = [_edges_of(normals, part, pairs) for part in np.array_split(offsets, len(offsets) // _DRAWN_AT_ONCE + 1)]
    return np.concatenate(parts)


def _edges_of(normals, offsets, pairs):
    """Return the edges (m, 2, 3) of polytopes normals @ x <= offsets (n, k), from candidate pairs (p, 2) of planes."""
    first, second = normals[pairs[:, 0]], normals[pairs[:, 1]]
    along = np.cross(first, second)
    square = (along**2).sum(axis=1)
    from_first, from_second = np.cross(second, along) / square[:, None], np.cross(along, first) / square[:, None]
    at = offsets[:, pairs[:, :1]] * from_first + offsets[:, pairs[:, 1:]] * from_second
    speed = along @ normals.T
    speed[np.arange(len(pairs))[:, None], pairs] = 0.0
    room = offsets[:, None] - at @ normals.T
    size = np.abs(offsets).max(axis=1)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = room / speed
    end = np.where(speed > 0.0, reach, np.inf).min(axis=2)
    begin = np.where(speed < 0.0, reach, -np.inf).max(axis=2)
    outside = ((speed == 0.0) & (room < -1e-6 * size[:, None])).any(axis=2)
    real = ~outside & ((end - begin) * np.sqrt(square) > 1e-6 * size)
    node, pair = np.nonzero(real)
    ends = np.stack([begin[real], end[real]], axis=1)[..., None]
    return at[node, pair][:, None] + ends * along[pair][:, None]
