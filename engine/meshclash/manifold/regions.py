"""Contact regions: connected contacts with a normal, a depth and a few representative points."""

from dataclasses import dataclass

import numpy as np

from ..geometry.triangle_pair import ContactKind
from ..query.signed_distance import contains
from ..traversal.contacts import Contacts
from ..types.arguments import instance
from ..types.numbers import whole_number
from .connected_components import components
from .separation_direction import across, shortest_translation
from .surface import Meshes, PlacedSurface, meshes_of, surfaces

_JOINED = 1e-9
"""Distance up to which segments of a curve count as connected, relative to the size of the contacts."""
_MOST_NORMALS, _MOST_EDGED = 48, 10
"""Largest numbers of face normals, and of triangles whose edges are crossed; the triangles with the longest segments
are used."""
_ALIKE = 1e-6
"""Relative difference up to which distances count as equal, so that rounding errors do not change the choice."""


@dataclass(frozen=True, eq=False)
class ContactRegion:
    """A connected region in which two objects touch or overlap.

    Attributes:
        rows: (k,) int64, rows of the contacts' ``pairs``.
        pose: index of the pose in a stack.
        normal: (3,) unit vector from a to b, world: moving b along the normal by ``depth`` separates the two objects at
            this region.
        depth: [m], 0 or more; 0 if surfaces only touch.
        points: (n, 3) [m], world: corners of the common part of both objects here, from which the depth is measured.
        depths: (n,) [m], distance of each point behind the other surface, along the normal.
    """

    rows: np.ndarray
    pose: int
    normal: np.ndarray
    depth: float
    points: np.ndarray
    depths: np.ndarray

    @property
    def point(self) -> np.ndarray:
        """The centre of the contact region, (3,) [m]."""
        middle: np.ndarray = 0.5 * (self.points.min(axis=0) + self.points.max(axis=0))
        return middle

    def manifold(self, count: int = 4) -> tuple[np.ndarray, np.ndarray]:
        """Return a few points that represent the region: the deepest point, and points that span the largest area.

        If the depth of the region is above 0, the depth of each returned point is also above 0. Rounding errors do not
        change which points are chosen. If several points are equally good, the first of them is chosen.

        Args:
            count: maximum number of points, 1 or more.

        Returns:
            Points (m, 3) [m] and their depths (m,) [m].

        Raises:
            UnsupportedOption: ``count`` is not an integer of 1 or more.
        """
        count = whole_number("count", count, 1, of="points")
        deep = self.depths > _ALIKE * self.depth if self.depth > 0.0 else np.full(len(self.depths), True)
        points, depths = self.points[deep], self.depths[deep]
        u, v = across(self.normal)
        flat = points @ np.stack([u, v], axis=1)
        size = float(np.ptp(flat, axis=0).max())
        chosen = [_first_of(depths, max(self.depth, size))]
        while len(chosen) < count:
            gain = _gain(flat, flat[chosen])
            if gain.max() <= _ALIKE * size:
                break
            chosen.append(_first_of(gain, size))
        return points[chosen], depths[chosen]


def _gain(flat: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Return distances of points (n, 2) from the chosen point, line or triangle, or from the nearest of more points."""
    if len(chosen) == 2:
        return np.abs(_left_of(flat, *chosen))
    away: np.ndarray = np.linalg.norm(flat[:, None] - chosen, axis=2).min(axis=1)
    if len(chosen) == 3:
        p, q, r = chosen if _left_of(chosen[2:], *chosen[:2])[0] > 0.0 else chosen[::-1]
        outside = -np.minimum(np.minimum(_left_of(flat, p, q), _left_of(flat, q, r)), _left_of(flat, r, p))
        return np.maximum(outside, _ALIKE * away)  # still a triangle if no point is outside it
    return away


def _left_of(points: np.ndarray, p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the signed distance of points (n, 2) to the left of the line from p to q."""
    (x, y), length = q - p, np.linalg.norm(q - p)
    distances: np.ndarray = (x * (points[:, 1] - p[1]) - y * (points[:, 0] - p[0])) / length
    return distances


def _first_of(values: np.ndarray, size: float) -> int:
    """Return the index of the first of the largest values."""
    return int(np.argmax(values >= values.max() - _ALIKE * size))


def contact_regions(contacts: Contacts) -> list[ContactRegion]:
    """Return the connected regions in which two objects touch or overlap, in the order of their first pairs.

    Two contacts belong to the same region if their parts of the intersection curve are connected, or if the surface
    between them lies inside the other solid. The normal of a region is the direction of the shortest translation that
    separates the two objects there. If the surfaces are flush, the normal points out of a. An open mesh has no inside.
    For an open mesh, the translation therefore separates only the triangles that touch or cross each other.

    Args:
        contacts: result of ``collide`` for two meshes.

    Raises:
        UnsupportedOption: a side is a point cloud or a clustered mesh.

    Example:
        >>> import numpy as np
        >>> import meshclash as mc
        >>> box = mc.shapes.box(1.0)
        >>> pose = np.eye(4)
        >>> pose[2, 3] = 0.75
        >>> regions = mc.manifold.contact_regions(mc.collide(box, box, pose_b=pose))
        >>> len(regions), regions[0].normal.round(9).tolist()
        (1, [0.0, 0.0, 1.0])
    """
    instance("contacts", contacts, Contacts)
    meshes = meshes_of(contacts)
    found = []
    for pose in np.unique(contacts.pose).tolist():
        rows = np.flatnonzero(contacts.pose == pose)
        found += _PoseRegions(contacts, meshes, pose, rows).regions()
    return found


class _PoseRegions:
    """Computation of the regions of one pose."""

    def __init__(self, contacts: Contacts, meshes: Meshes, pose: int, rows: np.ndarray) -> None:
        self.contacts, self.meshes, self.pose, self.rows = contacts, meshes, pose, rows
        self.closed = all(mesh.is_closed for mesh in meshes)
        self.pairs = contacts.pairs[rows]
        self.sides = surfaces(contacts, meshes, pose)
        self.segments = contacts.segments(rows)
        self.size = float(np.ptp(self.segments, axis=(0, 1)).max()) or float(np.abs(self.segments).max()) or 1.0
        self.outlines = dict(contacts.outlines(rows))

    def regions(self) -> list[ContactRegion]:
        """Return all regions."""
        label = components(len(self.rows), self._curve_edges())
        inside = [self._inside_owners(k) for k in (0, 1)]
        joins = [np.stack([np.arange(len(label)), label], axis=1), self._through_edges(label)]
        label = components(len(self.rows), np.concatenate([*joins, *(pairs for _, pairs in inside)]))
        found = []
        for first in np.unique(label).tolist():
            some = np.flatnonzero(label == first)
            points = [self._points(some)] * 2
            for k in (0, 1):
                owners, _ = inside[k]
                own = np.flatnonzero((owners >= 0) & (label[owners] == first))
                points[k] = np.concatenate([points[k], self.sides[k].vertices[own]])
            found.append(self._region(some, points[0], points[1]))
        return found

    def _curve_edges(self) -> np.ndarray:
        """Return pairs (m, 2) of contacts that share a triangle and whose segments of the curve meet."""
        low = self.segments.min(axis=1) - _JOINED * self.size
        high = self.segments.max(axis=1) + _JOINED * self.size
        for k, row in enumerate(self.rows.tolist()):
            if row in self.outlines and len(self.outlines[row]):
                low[k] = self.outlines[row].min(axis=0) - _JOINED * self.size
                high[k] = self.outlines[row].max(axis=0) + _JOINED * self.size
        found = []
        for side in (0, 1):
            first, second = _overlapping(self.pairs[:, side], low[:, 0], high[:, 0])
            meet = ((low[first] <= high[second]) & (low[second] <= high[first])).all(axis=1)
            found.append(np.stack([first[meet], second[meet]], axis=1))
        return np.concatenate(found)

    def _through_edges(self, label: np.ndarray) -> np.ndarray:
        """Return pairs (m, 2) of contacts of one triangle that lies inside the other solid between the two contacts."""
        found = [np.empty((0, 2), np.int64)]
        if not self.closed:
            return found[0]
        middles = self.segments.mean(axis=1)
        for side in (0, 1):
            kept = np.unique(np.stack([self.pairs[:, side], label], axis=1), axis=0, return_index=True)[1]
            edges = np.concatenate([_neighbours(self.pairs[kept, side], middles[kept, axis]) for axis in range(3)])
            edges = kept[np.unique(edges, axis=0)]
            edges = edges[label[edges[:, 0]] != label[edges[:, 1]]]
            rows = self.contacts.rows[1 - side]
            row = rows[min(self.pose, len(rows) - 1)]
            if len(edges):
                found.append(edges[contains(self.meshes[1 - side], middles[edges].mean(axis=1), row)])
        return np.concatenate(found)

    def _inside_owners(self, side: int) -> tuple[np.ndarray, np.ndarray]:
        """Return for each vertex of a side a connected contact, or -1, and pairs of connected contacts."""
        surface = self.sides[side]
        owners = np.full(len(surface.vertices), -1, np.int64)
        corners = surface.triangles[self.pairs[:, side]]
        contact, place = np.nonzero(surface.inside[corners])
        if not len(contact):
            return owners, np.empty((0, 2), np.int64)
        own = corners[contact, place]
        edges = np.concatenate(
            [surface.triangles[:, [0, 1]], surface.triangles[:, [1, 2]], surface.triangles[:, [2, 0]]]
        )
        part = components(len(owners), edges[surface.inside[edges].all(axis=1)])
        of_part = np.full(len(owners), -1, np.int64)
        of_part[part[own][::-1]] = contact[::-1]
        used = np.zeros(len(owners), np.bool_)
        used[surface.triangles] = True
        hung = surface.inside & used
        owners[hung] = of_part[part[hung]]
        return owners, np.stack([contact, of_part[part[own]]], axis=1)

    def _points(self, some: np.ndarray) -> np.ndarray:
        """Return the corners of the contacts."""
        outlines = [self.outlines[row] for row in self.rows[some].tolist() if row in self.outlines]
        return np.concatenate([self.segments[some].reshape(-1, 3), *outlines])

    def _region(self, some: np.ndarray, a: np.ndarray, b: np.ndarray) -> ContactRegion:
        """Make the region of some contacts, with points of a inside b and of b inside a."""
        kinds = self.contacts.kinds[self.rows[some]]
        weights = np.linalg.norm(self.segments[some, 1] - self.segments[some, 0], axis=1) + _JOINED * self.size
        normals = [surface.normals(self.pairs[some, k]) for k, surface in enumerate(self.sides)]
        facing = ((normals[0] - normals[1]) * weights[:, None]).sum(axis=0) / (2.0 * weights.sum())
        parted = (a, b) if self.closed else (self._whole(0, some), self._whole(1, some))
        edges = [self._edges(k, some[np.argsort(-weights, kind="stable")]) for k in (0, 1)]
        crossed = np.cross(edges[0][:, None], edges[1]).reshape(-1, 3)
        tried = _directions(np.concatenate(normals), np.tile(weights, 2), np.concatenate([a, b]), facing, crossed)
        normal, length = shortest_translation(*parted, tried, facing)
        only_touch = (
            self.closed and not (kinds == ContactKind.CROSSING).any() and len(a) == len(b) == len(self._points(some))
        )
        depth = 0.0 if only_touch else max(length, 0.0)
        along = [points @ normal for points in (a, b)]
        depths = np.concatenate([along[0] - along[1].min(), along[0].max() - along[1]])
        points, first = np.unique(np.concatenate([a, b]), axis=0, return_index=True)
        return ContactRegion(self.rows[some], self.pose, normal, depth, points, np.clip(depths[first], 0.0, depth))

    def _edges(self, side: int, some: np.ndarray) -> np.ndarray:
        """Return unit vectors (m, 3) along the edges of the first few triangles."""
        surface = self.sides[side]
        first = np.sort(np.unique(self.pairs[some, side], return_index=True)[1])[:_MOST_EDGED]
        corners = surface.vertices[surface.triangles[self.pairs[some[first], side]]]
        edges = (np.roll(corners, 1, axis=1) - corners).reshape(-1, 3)
        lengths = np.linalg.norm(edges, axis=1, keepdims=True)
        unit: np.ndarray = edges / np.where(lengths > 0.0, lengths, 1.0)
        return unit

    def _whole(self, side: int, some: np.ndarray) -> np.ndarray:
        surface: PlacedSurface = self.sides[side]
        return surface.vertices[surface.triangles[self.pairs[some, side]]].reshape(-1, 3)


def _neighbours(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return pairs (m, 2) of rows with the same value that are adjacent in the order of ``places``."""
    order = np.lexsort((places, values))
    same = values[order[1:]] == values[order[:-1]]
    return np.stack([order[:-1][same], order[1:][same]], axis=1)


def _overlapping(values: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return all pairs of rows with the same value whose intervals overlap; by a sweep."""
    width = float((high - low.min()).max()) or 1.0
    group = np.unique(values, return_inverse=True)[1].reshape(-1) * 2.0
    begins, ends = group + (low - low.min()) / width, group + (high - low.min()) / width
    order = np.argsort(begins, kind="stable")
    partners = np.searchsorted(begins[order], ends[order] + 1e-9, "right") - np.arange(len(order)) - 1
    first = np.repeat(np.arange(len(order)), partners)
    steps = np.arange(len(first)) - np.repeat(np.cumsum(partners) - partners, partners) + 1
    return order[first], order[first + steps]


def _directions(
    normals: np.ndarray, weights: np.ndarray, points: np.ndarray, facing: np.ndarray, crossed: np.ndarray
) -> np.ndarray:
    """Return candidate directions: normals of the faces, axes of the points, cross products of edges."""
    by_weight = normals[np.argsort(-weights, kind="stable")]
    first = np.sort(np.unique(np.round(by_weight, 6), axis=0, return_index=True)[1])
    centred = points - points.mean(axis=0)
    axes = np.linalg.eigh(centred.T @ centred)[1].T
    found = np.concatenate([by_weight[first][:_MOST_NORMALS], axes, facing[None], crossed])
    lengths = np.linalg.norm(found, axis=1)
    unit: np.ndarray = found[lengths > 1e-9] / lengths[lengths > 1e-9, None]
    return unit
