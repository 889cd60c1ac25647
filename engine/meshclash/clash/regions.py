"""Cut large faces to the surroundings of a contact, for drawing.

A socket touches a wall of two triangles. If both faces were drawn whole, the whole wall would be coloured. So a face is
cut to a rectangle around the intersection curves on it, or, without curves, around the near part of the other object.
All faces are processed at once, because a building has thousands of such pairs.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..manifold.connected_components import components
from ..types.slices import portions
from ..types.steps import run_to_end
from ..types.vectors import cross
from .pair_row import PairRow

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

SMALL_SHARE = 0.5  # of its area up to which the region of a face is drawn instead of the face
WIDER, LONGER, LEAST = 0.25, 0.08, 0.004  # padding: shares of the rectangle's shorter and longer side, of the face
FINE = 0.25  # of the size of all curves; smaller faces are never cut, of dense meshes none
MOST_FACES, MOST_PIECES, MOST_TESTS = 512, 600, 1 << 20  # more are drawn whole, seen as one, thinned
PIECES_AT_ONCE = 1 << 11  # of all pairs
ROWS_AT_ONCE = 8  # that are cut together: some milliseconds, and 16 together are hardly faster
SAME_PLANE = 1e-3  # how far normals, and offsets in sizes of all faces, are rounded to tell which lie in one plane
ON_PLANE = 1e-4  # of the size of a face: how far from its plane a curve may run
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


@dataclass(frozen=True)
class PairFaces:
    """The faces of both objects of a pair in contact.

    Attributes:
        sides: the faces of the two objects.
        curves: (s, 2, 3) segments of intersection curves and rims.
        reach: maximum distance of the objects.
    """

    sides: tuple[ContactFaces, ContactFaces]
    curves: NDArray[np.float32]
    reach: float = 0.0

    @property
    def whole(self) -> list[NDArray[np.float32]]:
        """Return the triangles of both objects without cutting."""
        return [side.triangles for side in self.sides]

    def smallest(self) -> float:
        """The size above which a face counts as large."""
        contact = self.curves if len(self.curves) else np.concatenate(self.whole).astype(np.float64)
        points = contact.reshape(-1, 3)
        return float(FINE * np.linalg.norm(points.max(axis=0) - points.min(axis=0)))


def contact_regions(pairs: Sequence[PairFaces]) -> list[list[NDArray[np.float32]]]:
    """Return the triangles of objects' faces in contact, with large faces cut to the region of the contact.

    Returns:
        For each pair, for each of its sides (t', 3, 3) float32: pieces that do not overlap, within the given triangles.
    """
    found = [pair.whole for pair in pairs]
    filled = [k for k, whole in enumerate(found) if len(whole[0]) or len(whole[1])]
    for k, cut in zip(filled, _regions([pairs[k] for k in filled]), strict=True):
        found[k] = cut
    return found


def _regions(pairs: Sequence[PairFaces]) -> list[list[NDArray[np.float32]]]:
    """Do the same as `contact_regions` for pairs that all have triangles."""
    if not pairs:
        return []
    scene = _Contacts(pairs)
    pieces, owner, group = scene.pieces()
    faces, cut, cut_face = scene.faces, [], []
    for some in _runs(scene.pair[owner], PIECES_AT_ONCE):
        own = group[some] - group[some].min()
        found = _cut(scene.corners, scene.face, _rectangles(faces, pieces[some], owner[some], own))
        cut.append(found[0])
        cut_face.append(found[1])
    return scene.joined(np.concatenate(cut), np.concatenate(cut_face)) if cut else [pair.whole for pair in pairs]


class _Contacts:
    """The faces of many pairs; coplanar faces of one side are treated as one face.

    Attributes:
        corners: (t, 3, 3) of all triangles, pair by pair and side by side.
        face: (t,) the face of each triangle; the faces of a pair are consecutive.
        faces: data of the faces.
        pair, side: (n,) of each face.
    """

    def __init__(self, pairs: Sequence[PairFaces]) -> None:
        self._pairs = pairs
        self._whole = [part for pair in pairs for part in pair.whole]
        self._starts = np.cumsum([0, *map(len, self._whole)])
        self.corners = np.concatenate(self._whole).astype(np.float64)
        of = np.repeat(np.arange(len(self._whole)), np.diff(self._starts))  # twice the pair, and the side
        number = 2 * np.concatenate([side.faces for pair in pairs for side in pair.sides]) + (of & 1)
        most = int(number.max()) + 1
        names, face = np.unique((of >> 1) * most + number, return_inverse=True)
        pair, side = names // most, names % most & 1
        faces = _Faces(self.corners, face, len(names))
        first, together = _coplanar(faces, pair, side)
        if len(first) < len(names):
            pair, side, face = pair[first], side[first], together[face]
            faces = _Faces(self.corners, face, len(first))
        self.face, self.faces, self.pair, self.side = face, faces, pair, side

    def pieces(self) -> tuple[Floats, Indices, Indices]:
        """Return point triples of the contacts (k, 3, 3) on large faces, the face of each, and which start a new
        contact.
        """
        faces = self.faces
        large = (faces.area > 0.0) & (faces.size > np.array([pair.smallest() for pair in self._pairs])[self.pair])
        first = np.searchsorted(self.pair, np.arange(len(self._pairs) + 1))
        pieces, owner, group = [np.empty((0, 3, 3))], [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        count = 0
        for k, pair in enumerate(self._pairs):
            some = first[k] + np.flatnonzero(large[first[k] : first[k + 1]])
            if not len(some) or len(some) > MOST_FACES:
                continue
            a, b, end = self._starts[2 * k : 2 * k + 3].tolist()
            found, on = _pieces(
                faces, some, pair.curves, [self.corners[b:end], self.corners[a:b]], self.side, pair.reach
            )
            own = np.unique(on, return_inverse=True)[1] if len(found) > MOST_PIECES else np.arange(len(found))
            pieces.append(found)
            owner.append(on)
            group.append(count + own)
            count += int(own.max(initial=-1)) + 1
        return np.concatenate(pieces), np.concatenate(owner), np.concatenate(group)

    def joined(self, cut: Floats, cut_face: Indices) -> list[list[NDArray[np.float32]]]:
        """Return the triangles of the faces, cut if that removes most of their area."""
        area = np.bincount(cut_face, _areas(cut), len(self.side))
        small = (area > 0.0) & (area < SMALL_SHARE * self.faces.area)
        kept = small[cut_face]
        cut, cut_face = cut[kept].astype(np.float32), cut_face[kept]
        part = 2 * self.pair[cut_face] + self.side[cut_face]
        order = np.argsort(part, kind="stable")
        cuts = np.split(cut[order], np.searchsorted(part[order], np.arange(1, len(self._whole))))
        stays = np.split(~small[self.face], self._starts[1:-1])
        found: list[NDArray[np.float32]] = [
            whole if stay.all() else np.concatenate((whole[stay], new))
            for whole, stay, new in zip(self._whole, stays, cuts, strict=True)
        ]
        return [found[at : at + 2] for at in range(0, len(found), 2)]


def _runs(values: Indices, most: int) -> Iterator[slice]:
    """Split ascending values into parts of about equal length, without separating equal values."""
    begin = 0
    while begin < len(values):
        end = int(np.searchsorted(values, values[min(begin + most, len(values)) - 1], side="right"))
        yield slice(begin, end)
        begin = end


def cut_row(row: PairRow) -> PairRow:
    """Return a row with its faces cut to the region of the contact, if that was not done yet."""
    return cut_rows([row])[0]


def cut_rows(rows: Sequence[PairRow]) -> list[PairRow]:
    """Do the same as `cut_row` for many rows."""
    return run_to_end(cut_steps(rows))


def cut_steps(rows: Sequence[PairRow]) -> Generator[None, None, list[PairRow]]:
    """Do the same as `cut_rows` in steps of some milliseconds."""
    found, none = list(rows), np.empty(0, np.int64)
    for some in portions([k for k, row in enumerate(rows) if len(row.a.whole) or len(row.b.whole)], ROWS_AT_ONCE):
        faces = [PairFaces(_faces_of(rows[k]), rows[k].curves, rows[k].distance or 0.0) for k in some]
        for k, cut in zip(some, contact_regions(faces), strict=True):
            a, b = (replace(side, highlight=new, whole=none) for side, new in zip(rows[k].sides, cut, strict=True))
            found[k] = replace(rows[k], a=a, b=b)
        yield
    return found


def _faces_of(row: PairRow) -> tuple[ContactFaces, ContactFaces]:
    return ContactFaces(row.a.highlight, row.a.whole), ContactFaces(row.b.highlight, row.b.whole)


class _Faces:
    """Data of each face: bounding box, size, unit normal, area and a corner."""

    def __init__(self, corners: Floats, face: Indices, count: int) -> None:
        self.low, self.high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
        np.minimum.at(self.low, face, np.minimum(np.minimum(corners[:, 0], corners[:, 1]), corners[:, 2]))
        np.maximum.at(self.high, face, np.maximum(np.maximum(corners[:, 0], corners[:, 1]), corners[:, 2]))
        self.size = _lengths(self.high - self.low)
        crossed = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        turned = np.stack([np.bincount(face, crossed[:, k], count) for k in range(3)], axis=1)
        length = _lengths(turned)
        self.area = np.where(length > 0.0, 0.5 * np.bincount(face, _lengths(crossed), count), 0.0)
        self.normal = turned / np.where(length > 0.0, length, 1.0)[:, None]
        self.corner = np.empty((count, 3))
        self.corner[face] = corners[:, 0]
        self.slack = ON_PLANE * self.size + ROUNDING * np.abs(self.high).max(axis=1, initial=0.0)


def _coplanar(faces: _Faces, pair: Indices, side: Indices) -> tuple[Indices, Indices]:
    """Group coplanar faces of a side, which are cut together: return the first face of each group, and the group of
    each face.
    """
    begin = np.flatnonzero(np.diff(pair, prepend=-1))
    low = np.minimum.reduceat(faces.low, begin)[pair]
    size = np.maximum.reduceat((faces.high - low).max(axis=1), begin)[pair]
    size[size == 0.0] = 1.0
    offset = np.einsum("ij,ij->i", faces.normal, faces.corner - low) / size
    alike = np.rint(np.column_stack((faces.normal, offset, side)) / SAME_PLANE).astype(np.int64)
    _, first, together = np.unique(np.column_stack((pair, alike)), axis=0, return_index=True, return_inverse=True)
    together = together.reshape(-1)
    old, new = np.bincount(pair), np.bincount(pair[first])
    shift = (np.cumsum(new) - new) - (np.cumsum(old) - old)
    alone = np.flatnonzero((old == new)[pair])  # faces of pairs of which no two are one stay in their order
    together[alone] = alone + shift[pair[alone]]
    first[together[alone]] = alone
    return first, together


def _pieces(
    plane: _Faces,
    large: Indices,
    curves: NDArray[np.float32],
    others: Sequence[Floats],
    side: Indices,
    reach: float,
) -> tuple[Floats, Indices]:
    """Return point triples of the contact (k, 3, 3) on large faces, and the face of each.

    Args:
        plane: the faces.
        large: indices of the faces to cut.
        curves, reach: as the arguments of `contact_regions`.
        others: the triangles of the other object that belong to each object's faces.
        side: index of the object of each face.
    """
    pieces, owner = [np.empty((0, 3, 3))], [np.empty(0, np.int64)]
    if len(curves):
        segments = _thinned(np.asarray(curves, np.float64), MOST_TESTS // len(large))
        on, at = np.nonzero(_on_faces(plane, large, segments))
        pieces.append(segments[at][:, [0, 1, 1]])
        owner.append(large[on])
    bare = large[~np.isin(large, owner[-1])]
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
    """Return which segments lie on which faces, (m, s)."""
    found = np.ones((len(large), len(segments)), np.bool_)
    slack = plane.slack[large, None]
    low, high = plane.low[large] - slack, plane.high[large] + slack
    for end in (0, 1):
        points = segments[:, end]
        away = np.einsum("mk,msk->ms", plane.normal[large], points[None] - plane.corner[large, None])
        found &= np.abs(away) <= slack
        for k in range(3):
            found &= (points[:, k] >= low[:, k, None]) & (points[:, k] <= high[:, k, None])
    return found


def _thinned(values: Floats, most: int) -> Floats:
    return values if len(values) <= most else values[np.linspace(0, len(values) - 1, max(most, 1)).astype(np.int64)]


class _Rectangles:
    """Padded rectangles on faces: origin, unit axes, and extents along both axes."""

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
        self.across = cross(normal, self.along)
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
        """Return the lowest and highest corners of boxes around the rectangles."""
        sides = [[self.low[:, 0], self.high[:, 0]], [self.low[:, 1], self.high[:, 1]]]
        corners = np.array([
            self.origin + x[:, None] * self.along + y[:, None] * self.across for x in sides[0] for y in sides[1]
        ])  # fmt: skip
        return corners.min(axis=0), corners.max(axis=0)


def _unit_or_any(vectors: Floats, normals: Floats) -> Floats:
    """Return unit vectors; a zero vector is replaced by any direction perpendicular to the normal."""
    axis = np.zeros_like(normals)
    axis[np.arange(len(normals)), np.abs(normals).argmin(axis=1)] = 1.0
    spare = cross(normals, axis)
    length = _lengths(vectors)
    chosen = np.where((length > 0.0)[:, None], vectors, spare)
    return np.asarray(chosen / _lengths(chosen)[:, None])


def _rectangles(plane: _Faces, pieces: Floats, owner: Indices, group: Indices) -> _Rectangles:
    """Return rectangles around pieces that are close together; rectangles on one face do not overlap.

    Args:
        plane: the faces.
        pieces: (k, 3, 3).
        owner: the face of each.
        group: index of the initial rectangle of each point, (k,) from 0.
    """
    while True:
        count = int(group.max()) + 1
        rectangles = _Rectangles(plane, pieces, owner, group, count)
        low, high = rectangles.boxes()
        one, other = _of_one_value(rectangles.face)
        for k in range(3):
            meet = (low[one, k] <= high[other, k]) & (low[other, k] <= high[one, k])
            one, other = one[meet], other[meet]
        if not len(one):
            return rectangles
        group = np.unique(components(count, np.stack([one, other], axis=1)), return_inverse=True)[1][group]


def _of_one_value(values: Indices) -> tuple[Indices, Indices]:
    """Return all pairs of positions with equal values."""
    order = np.argsort(values, kind="stable")
    later = np.searchsorted(values[order], values[order], side="right") - np.arange(1, len(values) + 1)
    one = np.repeat(np.arange(len(values)), later)
    return order[one], order[one + 1 + _counted(later)]


def _counted(lengths: Indices) -> Indices:
    """Return 0, 1, 2 and so on for each of some lengths, one after the other."""
    return np.asarray(np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths))


def _cut(corners: Floats, face: Indices, rectangles: _Rectangles) -> tuple[Floats, Indices]:
    """Return the parts of triangles within the rectangles of their faces, as triangles, and the face of each."""
    order = np.argsort(face, kind="stable")
    first, end = (np.searchsorted(face[order], rectangles.face, side=side) for side in ("left", "right"))
    which = np.repeat(np.arange(len(first)), end - first)
    triangle = order[first[which] + _counted(end - first)]
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
    """Clip convex polygons to the part where a height is not negative (Sutherland and Hodgman 1974), all at once.

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
    return 0.5 * _lengths(cross(triangles[:, 1] - corner, triangles[:, 2] - corner))


def _lengths(vectors: NDArray[Any]) -> Floats:
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", vectors, vectors)))
