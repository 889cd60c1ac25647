"""``Contacts``: the result of ``collide`` and similar queries."""

from collections.abc import Sequence

import numpy as np

from ..errors import UnsupportedOption
from ..geometry.intersection import contact_segments, overlap_edges, overlap_outlines
from ..geometry.triangle_pair import ContactKind
from ..types.arguments import instance, places_of, several, side_of
from ..types.copying import Copyable
from ..types.mesh import Corners
from ..types.pose import transform_points
from ..types.results import QueryStats


class Contacts(Copyable):
    """All pairs of triangles that touch or cross each other, sorted by (pose, i, j).

    Attributes:
        pairs: (k, 2) int32, triangle of a and triangle of b; int64 if a clustered mesh has more than 2^31 triangles.
        kinds: (k,) uint8, a ContactKind each.
        pose: (k,) int32, which pose of a stack the pair belongs to; 0 without a stack.
        stats: QueryStats of the query.
    """

    def __init__(
        self,
        pairs: np.ndarray,
        kinds: np.ndarray,
        pose: np.ndarray,
        stats: QueryStats,
        meshes: tuple[Corners, Corners],
        rows: tuple[np.ndarray, np.ndarray],
    ) -> None:
        self.pairs = pairs
        self.kinds = kinds
        self.pose = pose
        self.stats = stats
        self.meshes = meshes
        self.rows = rows

    def __len__(self) -> int:
        return len(self.pairs)

    def world_triangles(self, side: int, select: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Return the triangle of a (side 0) or b (side 1) in each pair, in world coordinates, (n, 3, 3) float64 [m]."""
        rows, corners = self._placed(side_of(side), places_of("select", select, len(self)))
        return transform_points(rows[:, None], corners)

    def _placed(self, side: int, chosen: np.ndarray | slice) -> tuple[np.ndarray, np.ndarray]:
        """Return the poses (n, 3, 4) and corners (n, 3, 3) in the object's own frame, one for each pair."""
        rows = self.rows[side]
        poses = np.minimum(self.pose[chosen], len(rows) - 1)
        return rows[poses], self.meshes[side].corners_of(self.pairs[chosen, side])

    @staticmethod
    def joined(parts: Sequence[tuple["Contacts", np.ndarray]]) -> "JoinedContacts":
        """Join selected pairs of several ``Contacts`` into a single one, for example to draw the contacts of many
        objects at once.

        Args:
            parts: a list of at least one (contacts, indices (n,) of their pairs).

        Raises:
            UnsupportedOption: ``parts`` is empty or invalid.
        """
        pairs = several("parts", parts, tuple)
        if not pairs or any(len(pair) != 2 for pair in pairs):
            raise UnsupportedOption("parts must be a list of pairs (contacts, indices), with at least one pair")
        found = [(instance("contacts", one, Contacts), chosen) for one, chosen in pairs]
        return JoinedContacts([(one, places_of("indices", chosen, len(one))) for one, chosen in found])

    def segments(self, select: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Return the line segment in which the two triangles of each pair intersect, in world coordinates, (k, 2, 3)
        float64 [m].

        If two triangles touch in a single point, both ends of the segment are equal. If two triangles overlap in a
        common plane, the segment is the longest span of the overlap. The method ``outlines`` returns all corners of
        such an overlap.

        Args:
            select: an index or mask of ``pairs``; by default all pairs.
        """
        chosen = places_of("select", select, len(self))
        return contact_segments(self.world_triangles(0, chosen), self.world_triangles(1, chosen), self.kinds[chosen])[0]

    def outlines(self, select: np.ndarray | slice = slice(None)) -> list[tuple[int, np.ndarray]]:
        """For each pair of triangles that overlap in a common plane, return the index in ``pairs`` and the outline of
        the overlap.

        An outline is an array of m corners in world coordinates, (m, 3) float64 [m].

        Args:
            select: an index or mask of ``pairs``; by default all pairs.
        """
        index = np.arange(len(self))[places_of("select", select, len(self))]
        index = index[self.kinds[index] == ContactKind.COPLANAR]
        polygons = overlap_outlines(self.world_triangles(0, index), self.world_triangles(1, index))
        return [(int(i), polygon) for i, polygon in zip(index, polygons, strict=True)]

    def __repr__(self) -> str:
        counts = ", ".join(f"{int((self.kinds == kind).sum())} {kind.name.lower()}" for kind in ContactKind)
        return f"Contacts({len(self)} pairs: {counts})"


class JoinedContacts(Copyable):
    """Pairs of triangles of several ``Contacts``; made by ``Contacts.joined``.

    Attributes:
        kinds: (k,) uint8, a ContactKind each.
        triangles: the triangles of both sides, (k, 3, 3) float64 [m] each, world.
    """

    def __init__(self, parts: Sequence[tuple[Contacts, slice | np.ndarray]]) -> None:
        self.kinds = np.concatenate([contacts.kinds[select] for contacts, select in parts])
        self.triangles = _world_triangles(parts, 0), _world_triangles(parts, 1)

    def __len__(self) -> int:
        return len(self.kinds)

    def segments(self) -> np.ndarray:
        """Return the segments of the pairs as ``Contacts.segments`` does, (k, 2, 3) float64 [m], world."""
        return contact_segments(*self.triangles, self.kinds)[0]

    def outline_edges(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the edges of the overlaps, outline by outline. All pairs must be coplanar.

        Returns:
            Edges (m, 2, 3) float64 [m], world, and the pair of each edge, (m,) int64.
        """
        return overlap_edges(*self.triangles)


def _world_triangles(parts: Sequence[tuple[Contacts, slice | np.ndarray]], side: int) -> np.ndarray:
    """Return the world coordinates (k, 3, 3) float64 [m] of the triangles of one side."""
    rows, corners = zip(*(contacts._placed(side, select) for contacts, select in parts), strict=True)
    return transform_points(np.concatenate(rows)[:, None], np.concatenate(corners))
