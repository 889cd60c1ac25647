"""Stars: the many triangles around one vertex. Which of their pairs have more in common than that vertex?

Around the apex of a fan of n triangles, all boxes overlap, so a traversal compares about n^2 / 2 pairs. Seen from the
apex, each triangle covers an arc of directions. The triangle and the cone of these directions are the same near the
apex, and the triangle lies in this cone. So two triangles of a star have other common points besides the apex if and
only if their arcs have a direction in common. Arcs are compared by their boxes on the unit sphere, sorted along the
axis on which they spread most.

Directions are computed from world coordinates, on which contacts are defined. Differences of float64 numbers are
rounded once, so a direction is off by less than 1e-15; the boxes are enlarged by ``_MARGIN``. A box contains the whole
arc: the distance of its points from the chord is at most that of the arc's midpoint, 1 - |half the sum of the ends|. A
triangle with a corner at the apex has no arc, and its box is the whole sphere. The pairs whose boxes overlap are
decided exactly elsewhere.

A triangle belongs to one star at most: that of its corner in most triangles. Pairs of different stars are left to the
traversal.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..hierarchy.bvh import TreeParts
from ..hierarchy.wide_bvh import CHILD_COUNT, CHILDREN
from ..jit import kernel
from ..types.mesh import TriangleMesh

FEWEST = 128
"""Triangles around a vertex from which on they are a star; fewer have few pairs."""
_MARGIN = 1e-12
_STEPS = 1 << 18
"""Comparisons of boxes in a slice: about a millisecond."""
_ROOM = 1 << 12
"""Number of pairs in a slice, which takes some milliseconds."""
_ROW, _PARTNER, _FOUND = range(3)
_WHOLE = 2.0


class Stars(NamedTuple):
    """The stars of a mesh with m triangles."""

    apex_of: np.ndarray
    """Apex of the star of each triangle, -1: no star, (m,) int32."""
    triangles: np.ndarray
    """Triangles of all stars, sorted by apex, (k,) int64."""
    corner: np.ndarray
    """Index of the corner of each triangle that is the apex, (k,) int64."""
    start: np.ndarray
    """Index at which the star of each triangle begins, (k,) int64."""


def stars_of(mesh: TriangleMesh) -> Stars | None:
    """Return the stars of a mesh, cached with the mesh; None if no vertex has enough triangles."""
    if "stars" not in mesh.derived:
        mesh.derived["stars"] = _find_stars(mesh.arrays[1], mesh.vertex_count)
    return mesh.derived["stars"]


def _find_stars(triangles: np.ndarray, vertex_count: int) -> Stars | None:
    valences = np.bincount(triangles.ravel(), minlength=vertex_count)
    if valences.max(initial=0) < FEWEST:
        return None
    rows = np.arange(len(triangles))
    weights = valences[triangles] * vertex_count - triangles  # equal valences: the lower index
    corner = weights.argmax(axis=1)
    apex = triangles[rows, corner].astype(np.int64)
    twice = (triangles[:, [0, 1, 2]] == triangles[:, [1, 2, 0]]).any(axis=1)
    apex[(valences[apex] < FEWEST) | twice] = -1
    chosen = np.flatnonzero(apex >= 0)
    chosen = chosen[np.argsort(apex[chosen], kind="stable")]
    sorted_apex = apex[chosen]
    start = np.searchsorted(sorted_apex, sorted_apex)
    return Stars(apex.astype(np.int32), chosen, corner[chosen], start)


@kernel
def _stars_below(words, order, apex_of, stars):
    """Fill the star of each 8-wide node, -1 if not all triangles below belong to one; children come after parents."""
    last = words.shape[0] - 1
    for step in range(last + 1):
        node = last - 1 - step if step < last else last  # last: the node whose child is the root
        star = np.int64(-2)
        for k in range(words[node, CHILD_COUNT]):
            child = np.int64(words[node, CHILDREN + k])
            if child >= 0:
                star = stars[child] if star == -2 or star == stars[child] else -1
                continue
            for entry in range(~child >> 3, (~child >> 3) + (~child & 7) + 1):
                apex = apex_of[order[entry]]
                star = apex if star == -2 or star == apex else -1
        stars[node] = star


def stars_of_nodes(parts: TreeParts, stars: Stars) -> np.ndarray:
    """Return the star of each 8-wide node of a tree, (n,) int32, cached with its parts; -1: more than one star, or no
    star.
    """
    if "stars" not in parts.derived:
        wide = parts.wide
        assert wide is not None
        found = np.empty(len(wide.nodes), np.int32)
        _stars_below(wide.nodes.view(np.int32), parts.tree.order, stars.apex_of, found)
        parts.derived.setdefault("stars", found)
    return parts.derived["stars"]


@kernel
def _sweep(boxes, star, state, pairs):
    """Continue the comparison of boxes (k, 6), sorted by star and by their lowest first coordinates; return True at its
    end.

    Writes pairs of rows; ``state``: the current row, its next partner, pairs found.
    """
    row, partner, found = state[_ROW], state[_PARTNER], 0
    steps = _STEPS
    while row < boxes.shape[0] and steps > 0 and found < pairs.shape[0]:
        end = partner
        while end < boxes.shape[0] and star[end] == star[row] and boxes[end, 0] <= boxes[row, 3]:
            if steps == 0 or found == pairs.shape[0]:
                break
            steps -= 1
            apart = boxes[row, 1] > boxes[end, 4] or boxes[end, 1] > boxes[row, 4]
            if not (apart or boxes[row, 2] > boxes[end, 5] or boxes[end, 2] > boxes[row, 5]):
                pairs[found, 0] = row
                pairs[found, 1] = end
                found += 1
            end += 1
        else:
            row += 1
            partner = row + 1
            continue
        partner = end
    state[_ROW], state[_PARTNER], state[_FOUND] = row, partner, found
    return row >= boxes.shape[0]


def pairs_in_slices(stars: Stars, corners: np.ndarray) -> Iterator[np.ndarray]:
    """Yield pairs i < j of triangles that may have more in common than the apex of their star, a slice at a time.

    Args:
        stars: the stars of a mesh.
        corners: world coordinates of ``stars.triangles``, (k, 3, 3) float64 [m].

    Yields:
        (n, 2) int32; n may be 0.
    """
    rows = np.arange(len(corners))
    apex = corners[rows, stars.corner]
    ends = [corners[rows, (stars.corner + k) % 3] - apex for k in (1, 2)]
    boxes = _boxes_of_arcs(*ends)
    axes = _widest_axes(boxes, stars.start)
    order = (axes[:, None] + np.arange(3)) % 3
    boxes = np.concatenate([np.take_along_axis(boxes[:, s : s + 3], order, axis=1) for s in (0, 3)], axis=1)
    sorting = np.lexsort((boxes[:, 0], stars.start))
    boxes, triangles = np.ascontiguousarray(boxes[sorting]), stars.triangles[sorting]
    state, room = np.array([0, 1, 0], np.int64), np.empty((_ROOM, 2), np.int64)
    done = False
    while not done:
        done = _sweep(boxes, stars.start, state, room)
        yield np.sort(triangles[room[: state[_FOUND]]].astype(np.int32), axis=1)


def _boxes_of_arcs(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return boxes (k, 6) on the unit sphere of the arcs between the directions of two vectors each, (k, 3)."""
    with np.errstate(all="ignore"):
        u, v = (_unit(ends) for ends in (first, second))
        middle = 0.5 * (u + v)
        bulge = np.maximum(1.0 - np.sqrt((middle**2).sum(axis=1)), 0.0)[:, None] + _MARGIN
        boxes = np.concatenate([np.minimum(u, v) - bulge, np.maximum(u, v) + bulge], axis=1)
    boxes[~np.isfinite(boxes).all(axis=1)] = (-_WHOLE,) * 3 + (_WHOLE,) * 3
    return boxes


def _unit(vectors: np.ndarray) -> np.ndarray:
    """Return unit vectors, not finite for vectors without a direction."""
    scaled = vectors / np.abs(vectors).max(axis=1, keepdims=True)
    return scaled / np.sqrt((scaled**2).sum(axis=1, keepdims=True))


def _widest_axes(boxes: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Return for each box the axis on which the middles of its star's boxes vary most, (k,) int64."""
    begins, star = np.unique(start, return_inverse=True)
    middles, counts = 0.5 * (boxes[:, :3] + boxes[:, 3:]), np.diff([*begins, len(start)])[:, None]
    means = np.add.reduceat(middles, begins) / counts
    spread = np.add.reduceat((middles - means[star]) ** 2, begins)
    return spread.argmax(axis=1)[star]
