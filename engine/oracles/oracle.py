"""Exact decision of triangle pairs with whole numbers: the reference that the engine is measured against.

It shares neither code nor approach with the engine: no orientation signs, no expansions, no case analysis by vertex.
All coordinates of a pair are multiplied by one power of two, which makes them integers and changes no relation between
the points; then the pair is decided by separating axes in Python integers.

Why the axes below suffice
    Let A and B be the convex hulls of the two vertex triples (triangle, segment or point) and let M be the polytope
    of all p - q with p in A and q in B. Each edge of M is parallel to an edge of A or of B, so M spans the same
    directions as these six edges.

    1. A and B share a point if and only if 0 lies in M.
    2. The relative interiors of A and B share a point if and only if 0 lies in the relative interior of M, because
       ri(A - B) = ri(A) - ri(B) for convex sets [1, corollary 6.6.2].

    A polytope is the set of the points of its affine hull that are on the inner side of each of its facets, and its
    relative interior is the set of those strictly inside each. So both questions are answered by the projections of A
    and B on finitely many axes: those perpendicular to the span (their projections of A and of B are single points,
    which must agree), and the facet normals of M within the span. Disjoint projections: apart. Projections that only
    touch: 0 is on the boundary of M. More axes than the facet normals do no harm: every axis of the span that is not
    zero takes both signs around an interior point of M.

    Rank 3: a facet of M is a sum of faces of A and of B, its plane is spanned by two of the edges. Two edges of A give
        the normal of A, two of B the normal of B, one of each a cross product: 1 + 1 + 9 axes. Zero vectors (parallel
        edges, degenerate triangles) are left out; they span no facet.
    Rank 2: with n perpendicular to the span, the axis n decides whether 0 is in the plane of M at all; the facets of M
        are edges then, each parallel to an edge e of A or B: axes n x e.
    Rank 1: with d along the span, b0 - a0 must be parallel to d; the only axis is d.
    Rank 0: two points, equal or not.

    Two triangles of positive area are coplanar or in parallel planes if and only if the rank is 2.

References:
    [1] R. T. Rockafellar, Convex Analysis, Princeton University Press 1970, section 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

APART, CROSSING, COPLANAR, TOUCHING = 0, 1, 2, 3

Vector = tuple[int, int, int]


def classify_pairs(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Exact kinds of many triangle pairs.

    Args:
        a, b: corner coordinates, float64, shape (n, 3, 3), finite.

    Returns:
        uint8, shape (n,): 0 apart, 1 crossing (not coplanar, the relative interiors meet), 2 coplanar (overlap of
        positive area), 3 touching (any other common point; all a zero-area triangle can do).

    Raises:
        ValueError: wrong shape, or a coordinate that is not finite.
    """
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if a.shape != b.shape or a.shape[1:] != (3, 3):
        raise ValueError(f"two arrays of shape (n, 3, 3) expected, got {a.shape} and {b.shape}")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise ValueError("coordinates must be finite")
    kinds = np.zeros(len(a), np.uint8)
    near = np.flatnonzero(boxes_meet(a, b))
    for i, row in zip(near.tolist(), integer_rows(np.concatenate((a, b), axis=1)[near]), strict=True):
        kinds[i] = classify_integer_pair(row)
    return kinds


def boxes_meet(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Whether the axis-aligned boxes of the triangles share a point; comparisons of floats are exact."""
    return ((a.min(axis=1) <= b.max(axis=1)) & (b.min(axis=1) <= a.max(axis=1))).all(axis=1)


def integer_rows(corners: np.ndarray) -> Iterable[list[int]]:
    """Each row of `corners` (k, ...) float64 times the power of two that makes all its numbers integers."""
    flat = corners.reshape(len(corners), int(np.prod(corners.shape[1:])))
    fraction, exponent = np.frexp(flat)
    mantissa = (fraction * 2.0**53).astype(np.int64)
    lowest = np.where(mantissa == 0, np.iinfo(exponent.dtype).max, exponent).min(axis=1, initial=2000, keepdims=True)
    shift = np.where(mantissa == 0, 0, exponent - lowest)
    for numbers, shifts in zip(mantissa.tolist(), shift.tolist(), strict=True):
        yield [m << s for m, s in zip(numbers, shifts, strict=True)]


def classify_integer_pair(row: Sequence[int]) -> int:
    """Kind of one pair; `row` is a's three corners, then b's, 18 integers. Method: see the module's docstring."""
    _, a1, a2, b0, b1, b2 = ((row[i] - row[0], row[i + 1] - row[1], row[i + 2] - row[2]) for i in range(0, 18, 3))
    edges_a, edges_b = (a1, _minus(a2, a1), a2), (_minus(b1, b0), _minus(b2, b1), _minus(b2, b0))
    normal_a, normal_b = _cross(a1, a2), _cross(edges_b[0], edges_b[2])
    crosses = [normal_a, normal_b, *(_cross(e, f) for e in edges_a for f in edges_b)]
    perpendicular, axes = _axes([n for n in crosses if any(n)], edges_a + edges_b, b0)
    if any(_dot(p, b0) != 0 for p in perpendicular):
        return APART
    touching = not axes
    for axis in axes:
        gap = _gap(axis, (a1, a2), (b0, b1, b2))
        if gap > 0:
            return APART
        touching = touching or gap == 0
    if touching or not any(normal_a) or not any(normal_b):
        return TOUCHING
    return COPLANAR if perpendicular else CROSSING


def _axes(crosses: list[Vector], edges: Sequence[Vector], offset: Vector) -> tuple[list[Vector], list[Vector]]:
    """Axes perpendicular to the span of `edges`, and axes that hold the facet normals within it.

    `crosses` are the cross products of the edges that are not zero, `offset` leads from a point of A to one of B. Below
    rank 2 the perpendicular axis is the part of `offset` outside the span, which is the only one that can tell.
    """
    if crosses:
        normal = crosses[0]
        if any(_dot(normal, e) != 0 for e in edges):
            return [], crosses
        return [normal], [_cross(normal, e) for e in edges if any(e)]
    direction = next((e for e in edges if any(e)), None)
    if direction is None:
        return [offset], []
    return [_cross(direction, _cross(offset, direction))], [direction]


def _gap(axis: Vector, a: Sequence[Vector], b: Sequence[Vector]) -> int:
    """Distance of the projections on `axis`, times its length: negative where they overlap. `a` lacks its corner 0."""
    x, y, z = axis
    p, q = (x * u + y * v + z * w for u, v, w in a)
    r, s, t = (x * u + y * v + z * w for u, v, w in b)
    return max(min(r, s, t) - max(0, p, q), min(0, p, q) - max(r, s, t))


def _minus(p: Vector, q: Vector) -> Vector:
    return p[0] - q[0], p[1] - q[1], p[2] - q[2]


def _dot(p: Vector, q: Vector) -> int:
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]


def _cross(p: Vector, q: Vector) -> Vector:
    return p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]
