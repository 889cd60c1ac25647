"""Find whether a plane separates two surfaces at their contacts, so that they touch without passing through each other.

All triangles that reach a common point of both surfaces are among their contacts. Suppose that the triangles of one
surface lie in a plane or on one side of it, and those of the other surface in the plane or on its other side. Then,
near a contact, neither surface has points on the other surface's side of the plane. Planes along the axes are tried,
and the planes of some of the triangles. Signs are decided with fractions.
"""

from collections.abc import Generator
from fractions import Fraction

import numpy as np

from ..types.pose import transform_points
from .case import Case

_MOST = 256  # most triangles in contact of a pair; pairs with more are not tried
_TRIED = 12  # planes of triangles of each side
_ROUNDING = 2.0**-40  # of the products that make a determinant


def kept_apart_steps(case: Case, chosen: np.ndarray) -> Generator[None, None, np.ndarray]:
    """Find which pairs (n,) have a plane that separates the objects at all of their contacts, (n,) bool; yields after
    each pair.
    """
    found = np.zeros(len(chosen), np.bool_)
    for k, job in enumerate(chosen.tolist()):
        sides = [_in_contact(case, job, side) for side in range(2)]
        if sum(map(len, sides)) <= _MOST:
            found[k] = _kept_apart(*sides)
        yield
    return found


def _in_contact(case: Case, job: int, side: int) -> np.ndarray:
    """Return the triangles (n, 3, 3) of an object that have contacts, in the world [m]."""
    begin, end = case.starts[job : job + 2]
    forest, tree = case.tree_set.forest, case.jobs[job, side]
    rows = case.rows_a[job] if side == 0 else case.rows_b[job]
    numbers = forest.triangles[forest.triangle_start[tree] + np.unique(case.answer.pairs[begin:end, side])]
    return transform_points(rows, forest.vertices[forest.vertex_start[tree] + numbers])


def _kept_apart(a: np.ndarray, b: np.ndarray) -> bool:
    """Return whether a plane separates triangles (n, 3, 3) from triangles (m, 3, 3); triangles may also lie in the
    plane.
    """
    points, others = a.reshape(-1, 3), b.reshape(-1, 3)
    beside = np.logical_or(points.max(axis=0) <= others.min(axis=0), others.max(axis=0) <= points.min(axis=0))
    if beside.any():
        return True
    for corners in (*a[:: len(a) // _TRIED + 1], *b[:: len(b) // _TRIED + 1]):
        signs = [_likely_sides(corners, some) for some in (points, others)]
        for way in (1, -1):
            if (way * signs[0] >= 0).all() and (way * signs[1] <= 0).all():
                plane = _plane(corners)
                if plane is not None and _on_side(plane, points, way) and _on_side(plane, others, -way):
                    return True
    return False


def _likely_sides(corners: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return signs (n,): the side of a triangle's plane (3, 3) of each point (n, 3); 0 if rounding may decide."""
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    offsets = points - corners[0]
    heights = offsets @ normal
    signs: np.ndarray = np.sign(heights) * (np.abs(heights) > _ROUNDING * (np.abs(offsets) @ np.abs(normal)))
    return signs


def _plane(corners: np.ndarray) -> tuple[list[Fraction], Fraction] | None:
    """Return the normal of a triangle's plane (3, 3) and its height along it; None for a triangle without area."""
    a, b, c = ([Fraction(x) for x in corner] for corner in corners.tolist())
    u, v = [y - x for x, y in zip(a, b, strict=True)], [y - x for x, y in zip(a, c, strict=True)]
    normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    return (normal, _dot(normal, a)) if any(normal) else None


def _on_side(plane: tuple[list[Fraction], Fraction], points: np.ndarray, way: int) -> bool:
    """Return whether points (n, 3) are in a plane or on one side of it: the front for 1, the back for -1."""
    normal, height = plane
    heights = (_dot(normal, [Fraction(x) for x in point]) for point in np.unique(points, axis=0).tolist())
    return all(way * (own - height) >= 0 for own in heights)


def _dot(a: list[Fraction], b: list[Fraction]) -> Fraction:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
