"""Where on large faces a contact is: the faces cut to the surroundings of the contact, for drawing.

A socket touches a wall of two triangles. Both drawn whole would show the wall; here they are cut to a rectangle around
the curves that lie on them, or, where there are none, around what of the other object is near. All faces are worked on
at once: a building has thousands of such pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .pair_row import PairRow

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

SMALL_SHARE = 0.5  # of its area up to which the region of a face is drawn instead of the face
WIDER, LONGER, LEAST = 0.25, 0.08, 0.004  # padding: shares of the rectangle's shorter and longer side, of the face
FINE = 0.25  # of the size of all curves; smaller faces are never cut, of dense meshes none
MOST_FACES, MOST_PIECES, MOST_TESTS = 512, 600, 1 << 20  # more are drawn whole, seen as one, thinned
SAME_PLANE = 1e-3  # how far normals, and offsets in sizes of all faces, are rounded to tell which lie in one plane
ON_PLANE = 1e-4  # of the size of a face: how far from its plane a curve may run
TURNED, TURNED_BACK = [1, 2, 0], [2, 0, 1]
ROUNDING = 4.0 * float(np.finfo(np.float32).eps)


@dataclass(frozen=True)
class ContactFaces:
    """The faces of one object in contact.

    Attributes:
        triangles: (t, 3, 3) float32 corners, world.
        faces: (t,) the face that each belongs to.
    """

    triangles: NDArray[np.float32]
    faces: Indices


def contact_regions(
    sides: Sequence[ContactFaces], curves: NDArray[np.float32], reach: float = 0.0
) -> list[NDArray[np.float32]]:
    """The triangles of two objects' faces in contact, large faces cut to where the contact is.

    Args:
        sides: the two objects.
        curves: (s, 2, 3) segments of intersection curves and rims.
        reach: how far the objects may be apart.

    Returns:
        For each side (t', 3, 3) float32: pieces that do not overlap, within the given triangles.
    """
    whole = [side.triangles for side in sides]
    corners = np.concatenate(whole).astype(np.float64)
    of = np.repeat(np.arange(len(sides)), [len(part) for part in whole])
    contact = curves if len(curves) else corners
    if not len(corners) or not len(contact):
        return whole
    names, face = np.unique(2 * np.concatenate([side.faces for side in sides]) + of, return_inverse=True)
    plane = _Faces(corners, face, len(names))
    first, together = _coplanar(plane, names & 1)
    if len(first) < len(names):
        names, face = names[first], together[face]
        plane = _Faces(corners, face, len(names))
    flat = contact.reshape(-1, 3)
    large = (plane.area > 0.0) & (plane.size > FINE * np.linalg.norm(flat.max(axis=0) - flat.min(axis=0)))
    if not large.any() or large.sum() > MOST_FACES:
        return whole
    pieces, owner = _pieces(plane, np.flatnonzero(large), curves, [corners[of != k] for k in (0, 1)], names & 1, reach)
    if not len(pieces):
        return whole
    rectangles = _rectangles(plane, pieces, owner)
    cut, cut_face = _cut(corners, face, rectangles)
    area = np.bincount(cut_face, _areas(cut), len(names))
    small = (area > 0.0) & (area < SMALL_SHARE * plane.area)
    cut, cut_face = cut[small[cut_face]].astype(np.float32), cut_face[small[cut_face]]
    stays = ~small[face]
    return [
        np.concatenate((part[stays[of == k]], cut[names[cut_face] & 1 == k])) if len(part) else part
        for k, part in enumerate(whole)
    ]


def cut_row(row: PairRow) -> PairRow:
    """A row whose faces are cut to where the contact is, if they were left whole: few rows are ever looked at."""
    if not (len(row.a.whole) or len(row.b.whole)):
        return row
    faces = [ContactFaces(side.highlight, side.whole) for side in row.sides]
    cut = contact_regions(faces, row.curves, row.distance or 0.0)
    none: Indices = np.empty(0, np.int64)
    a, b = (replace(side, highlight=found, whole=none) for side, found in zip(row.sides, cut, strict=True))
    return replace(row, a=a, b=b)


class _Faces:
    """What is known of each face: bounding box, size, unit normal, area, a corner."""

    def __init__(self, corners: Floats, face: Indices, count: int) -> None:
        self.low, self.high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
        np.minimum.at(self.low, face, corners.min(axis=1))
        np.maximum.at(self.high, face, corners.max(axis=1))
        self.size = _lengths(self.high - self.low)
        crossed = _cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        turned = np.stack([np.bincount(face, crossed[:, k], count) for k in range(3)], axis=1)
        length = _lengths(turned)
        self.area = np.where(length > 0.0, 0.5 * np.bincount(face, _lengths(crossed), count), 0.0)
        self.normal = turned / np.where(length > 0.0, length, 1.0)[:, None]
        self.corner = np.empty((count, 3))
        self.corner[face] = corners[:, 0]
        self.slack = ON_PLANE * self.size + ROUNDING * np.abs(self.high).max(axis=1, initial=0.0)


def _coplanar(plane: _Faces, side: Indices) -> tuple[Indices, Indices]:
    """Faces of a side that lie in a plane are cut as one: the first of each such group, and the group of each face."""
    low = plane.low.min(axis=0)
    size = float((plane.high.max(axis=0) - low).max()) or 1.0
    offset = np.einsum("ij,ij->i", plane.normal, plane.corner - low) / size
    alike = np.rint(np.column_stack((plane.normal, offset, side)) / SAME_PLANE).astype(np.int64)
    _, first, together = np.unique(alike, axis=0, return_index=True, return_inverse=True)
    return first, together.reshape(-1)


def _pieces(
    plane: _Faces,
    large: Indices,
    curves: NDArray[np.float32],
    others: Sequence[Floats],
    side: Indices,
    reach: float,
) -> tuple[Floats, Indices]:
    """Triples of points of the contact (k, 3, 3) on large faces, and the face of each.

    Args:
        plane: the faces.
        large: which of them are looked at.
        curves, reach: as `contact_regions` takes them.
        others: the triangles that each side's faces have to do with.
        side: of each face.
    """
    pieces, owner = [np.empty((0, 3, 3))], [np.empty(0, np.int64)]
    if len(curves):
        segments = _thinned(np.asarray(curves, np.float64), MOST_TESTS // len(large))
        on, at = np.nonzero(_on_faces(plane, large, segments))
        pieces.append(segments[at][:, [0, 1, 1]])
        owner.append(large[on])
    found = np.zeros(len(side), np.bool_)
    found[owner[-1]] = True
    bare = large[~found[large]]
    for k in np.unique(side[bare]).tolist():
        mine, near = bare[side[bare] == k], others[k]
        near = _thinned(near, MOST_TESTS // len(mine))
        low, high = (edge[mine, None] for edge in (plane.low - reach, plane.high + reach))
        beside = (near.min(axis=1) <= high) & (near.max(axis=1) >= low)
        on, at = np.nonzero(beside[..., 0] & beside[..., 1] & beside[..., 2])
        pieces.append(np.clip(near[at], plane.low[mine[on], None], plane.high[mine[on], None]))
        owner.append(mine[on])
    return np.concatenate(pieces), np.concatenate(owner)


def _on_faces(plane: _Faces, large: Indices, segments: Floats) -> NDArray[np.bool_]:
    """Which segments lie on which faces, (m, s)."""
    found = np.ones((len(large), len(segments)), np.bool_)
    slack = plane.slack[large, None]
    for end in (0, 1):
        points = segments[None, :, end]
        away = np.einsum("mk,msk->ms", plane.normal[large], points - plane.corner[large, None])
        found &= np.abs(away) <= slack
        inside = (points >= plane.low[large, None] - slack[..., None]) & (
            points <= plane.high[large, None] + slack[..., None]
        )
        found &= inside[..., 0] & inside[..., 1] & inside[..., 2]
    return found


def _thinned(values: Floats, most: int) -> Floats:
    return values if len(values) <= most else values[np.linspace(0, len(values) - 1, max(most, 1)).astype(np.int64)]


class _Rectangles:
    """Padded rectangles on faces: origin, unit axes, extents along both."""

    def __init__(self, plane: _Faces, pieces: Floats, owner: Indices, group: Indices, count: int) -> None:
        self.face = np.empty(count, np.int64)
        self.face[group] = owner
        normal = plane.normal[self.face]
        edges = (pieces[:, [1, 2, 0]] - pieces).reshape(-1, 3)
        member = np.repeat(group, 3)
        flat = edges - np.einsum("ij,ij->i", edges, normal[member])[:, None] * normal[member]
        length = _lengths(flat)
        order = np.lexsort((length, member))
        last = order[np.searchsorted(member[order], np.arange(count), side="right") - 1]  # the longest edge of each
        self.along = _unit_or_any(flat[last], normal)
        self.across = _cross(normal, self.along)
        self.origin = plane.corner[self.face]
        points = pieces.reshape(-1, 3) - self.origin[member]
        self.low, self.high = np.empty((count, 2)), np.empty((count, 2))
        for k, axis in enumerate((self.along, self.across)):
            place = np.einsum("ij,ij->i", points, axis[member])
            self.low[:, k], self.high[:, k] = np.inf, -np.inf
            np.minimum.at(self.low[:, k], member, place)
            np.maximum.at(self.high[:, k], member, place)
        extent = self.high - self.low
        padding = WIDER * extent.min(axis=1) + LONGER * extent.max(axis=1) + LEAST * plane.size[self.face]
        self.low -= padding[:, None]
        self.high += padding[:, None]

    def boxes(self) -> tuple[Floats, Floats]:
        """The lowest and highest corners of boxes around the rectangles."""
        sides = [[self.low[:, 0], self.high[:, 0]], [self.low[:, 1], self.high[:, 1]]]
        corners = np.array([
            self.origin + x[:, None] * self.along + y[:, None] * self.across for x in sides[0] for y in sides[1]
        ])  # fmt: skip
        return corners.min(axis=0), corners.max(axis=0)


def _unit_or_any(vectors: Floats, normals: Floats) -> Floats:
    """Unit vectors; in place of nothing any direction at right angles to the normal."""
    axis = np.zeros_like(normals)
    axis[np.arange(len(normals)), np.abs(normals).argmin(axis=1)] = 1.0
    spare = _cross(normals, axis)
    length = _lengths(vectors)
    chosen = np.where((length > 0.0)[:, None], vectors, spare)
    return np.asarray(chosen / _lengths(chosen)[:, None])


def _rectangles(plane: _Faces, pieces: Floats, owner: Indices) -> _Rectangles:
    """Rectangles around pieces that lie together, none of which overlaps another one of its face."""
    alone = len(pieces) > MOST_PIECES
    group = np.unique(owner, return_inverse=True)[1] if alone else np.arange(len(pieces))
    while True:
        count = int(group.max()) + 1
        rectangles = _Rectangles(plane, pieces, owner, group, count)
        low, high = rectangles.boxes()
        together = rectangles.face[:, None] == rectangles.face[None]
        for k in range(3):
            below = low[:, None, k] <= high[None, :, k]
            together &= below & below.T
        if together.sum() == count:
            return rectangles
        group = np.unique(_components(together), return_inverse=True)[1][group]


def _components(together: NDArray[np.bool_]) -> Indices:
    """For each row of a symmetric relation (n, n) the lowest row that it is related to through others."""
    label = np.arange(len(together))
    while True:
        lowest = np.where(together, label[None], len(together)).min(axis=1)
        lowest = lowest[lowest]
        if np.array_equal(lowest, label):
            return label
        label = lowest


def _cut(corners: Floats, face: Indices, rectangles: _Rectangles) -> tuple[Floats, Indices]:
    """The parts of triangles within the rectangles of their faces, as triangles, and the face of each."""
    which, triangle = np.nonzero(rectangles.face[:, None] == face[None])
    origin = rectangles.origin[which, None]
    polygons, counts = corners[triangle] - origin, np.full(len(which), 3)
    for k, axis in enumerate((rectangles.along, rectangles.across)):
        for sign, bound in ((1.0, rectangles.low[:, k]), (-1.0, -rectangles.high[:, k])):
            height = sign * np.einsum("nmk,nk->nm", polygons, axis[which]) - bound[which, None]
            polygons, counts = _clip(polygons, counts, height)
    fans = [polygons[:, [0, k, k + 1]] + origin for k in range(1, polygons.shape[1] - 1)]
    filled = [counts > k + 1 for k in range(1, polygons.shape[1] - 1)]
    parts = [fan[there] for fan, there in zip(fans, filled, strict=True)]
    return np.concatenate(parts), np.concatenate([face[triangle[there]] for there in filled])


def _clip(polygons: Floats, counts: Indices, height: Floats) -> tuple[Floats, Indices]:
    """The parts of convex polygons where a height is not negative (Sutherland and Hodgman 1974, all at once).

    Args:
        polygons: (n, m, 3), of which the first ``counts`` corners are used.
        counts: (n,).
        height: (n, m) of the corners, linear over each polygon.
    """
    size = polygons.shape[1]
    place = np.arange(size)
    used = place < counts[:, None]
    following = np.where(place + 1 < counts[:, None], place + 1, 0)
    row = np.arange(len(polygons))[:, None]
    after = height[row, following]
    above = height >= 0.0
    inside, crosses = above & used, (above != (after >= 0.0)) & used
    share = np.where(crosses, height / np.where(crosses, height - after, 1.0), 0.0)[..., None]
    new = np.empty((len(polygons), 2 * size, 3))
    new[:, 0::2], new[:, 1::2] = polygons, polygons + share * (polygons[row, following] - polygons)
    kept = np.empty((len(polygons), 2 * size), np.bool_)
    kept[:, 0::2], kept[:, 1::2] = inside, crosses
    order = np.argsort(~kept, axis=1, kind="stable")[:, : size + 1]
    return new[row, order], np.minimum(kept.sum(axis=1), size + 1)


def _areas(triangles: Floats) -> Floats:
    corner = triangles[:, 0]
    return 0.5 * _lengths(_cross(triangles[:, 1] - corner, triangles[:, 2] - corner))


def _lengths(vectors: NDArray[Any]) -> Floats:
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", vectors, vectors)))


def _cross(a: Floats, b: Floats) -> Floats:
    """As NumPy's, which takes ten times as long for few vectors."""
    return a[:, TURNED] * b[:, TURNED_BACK] - a[:, TURNED_BACK] * b[:, TURNED]
