"""The curves along which two surfaces cross, as polylines: the segments of triangle pairs, joined at their ends."""

from collections import defaultdict
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from ..geometry.triangle_pair import ContactKind
from ..traversal.contacts import Contacts
from ..types.arguments import instance
from .connected_components import components

SAME_POINT = 1e-9
"""Distance of two ends that are the same point up to rounding, relative to the size of all segments."""
SAME_LOOSE_END = 1e-6
"""Distance for ends that no other segment shares, because rounding errors are larger if surfaces are nearly parallel.
"""


@dataclass(frozen=True, eq=False)
class IntersectionCurve:
    """A polyline along which two surfaces cross each other.

    Attributes:
        points: (n, 3) float64 [m], world, in order; the first point of a closed curve is not repeated.
        pairs: for each segment the row of its contact, (n - 1,); (n,) for a closed curve.
        closed: whether the last point is connected to the first.
    """

    points: np.ndarray
    pairs: np.ndarray
    closed: bool

    @property
    def length(self) -> float:
        """Length [m]."""
        ends = np.concatenate([self.points, self.points[:1]]) if self.closed else self.points
        return float(np.linalg.norm(np.diff(ends, axis=0), axis=1).sum())


def intersection_curves(contacts: Any) -> list[IntersectionCurve]:
    """Return the curves along which two surfaces cross each other, the longest first.

    A curve may end at the border of a surface, or at a point where more than two segments meet. A curve may also end
    where the triangles stop crossing and start to overlap in a common plane. If two closed surfaces are in general
    position, they cross along closed curves only.

    Args:
        contacts: result of ``collide`` for one pose.

    Example:
        >>> import numpy as np
        >>> import meshclash as mc
        >>> sphere = mc.shapes.sphere(1.0)
        >>> pose = np.eye(4)
        >>> pose[0, 3] = 1.0
        >>> curves = mc.manifold.intersection_curves(mc.collide(sphere, sphere, pose_b=pose))
        >>> len(curves), curves[0].closed
        (1, True)
    """
    instance("contacts", contacts, Contacts)
    rows = np.flatnonzero(contacts.kinds == int(ContactKind.CROSSING))
    ends = np.asarray(contacts.segments(), np.float64)[rows]
    if not len(rows):
        return []
    nodes, points = _welded(ends)
    whole = nodes[:, 0] != nodes[:, 1]
    _, first = np.unique(np.sort(nodes, axis=1), axis=0, return_index=True)  # two pairs find an edge inside a face
    kept = np.sort(first[whole[first]])
    found = [
        IntersectionCurve(points[path], rows[kept[list(pieces)]], closed)
        for path, pieces, closed in _paths(nodes[kept].tolist())
    ]
    return sorted(found, key=lambda curve: -curve.length)


def _welded(ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the nodes (k, 2) of the ends (k, 2, 3) of segments, and the positions of the nodes (m, 3)."""
    places = ends.reshape(-1, 3)
    size = float(np.ptp(places, axis=0).max()) or 1.0
    labels = _near(places, SAME_POINT * size)
    loose = np.flatnonzero(np.bincount(labels, minlength=len(labels))[labels] == 1)
    labels[loose] = loose[_near(places[loose], SAME_LOOSE_END * size)]
    _, first, nodes = np.unique(labels, return_index=True, return_inverse=True)
    return nodes.reshape(-1, 2), places[first]


def _near(places: np.ndarray, tolerance: float) -> np.ndarray:
    """Return labels (k,) of points (k, 3), equal for points within a tolerance of each other.

    Points in the same cube of one of eight grids are joined. Each grid is shifted by half a side along some of the
    axes, so that two points within a tolerance always share a cube. Points more than 7 tolerances apart never do.
    """
    scaled, joined = places / (4.0 * tolerance), []
    for shift in product((0.0, 0.5), repeat=3):
        cells = np.floor(scaled + shift)
        order = np.lexsort(cells.T)
        same = (cells[order[1:]] == cells[order[:-1]]).all(axis=1)
        joined.append(np.stack([order[:-1][same], order[1:][same]], axis=1))
    return components(len(places), np.concatenate(joined))


def _paths(edges: list[list[int]]) -> list[tuple[list[int], list[int], bool]]:
    """Split the edges of a graph into paths through nodes of degree two: nodes, edges, and whether it is closed."""
    at: dict[int, list[int]] = defaultdict(list)
    for number, edge in enumerate(edges):
        for node in edge:
            at[node].append(number)
    left, found = dict.fromkeys(range(len(edges))), []
    begins = [node for node, some in at.items() if len(some) != 2 for _ in some]
    for node in (*begins, *at):
        path, pieces = [node], list[int]()
        while (number := next((k for k in at[path[-1]] if k in left), -1)) >= 0:
            del left[number]
            a, b = edges[number]
            path.append(b if path[-1] == a else a)
            pieces.append(number)
            if len(at[path[-1]]) != 2:
                break
        if pieces:
            circle = path[0] == path[-1]
            found.append((path[:-1] if circle else path, pieces, circle))
    return found
