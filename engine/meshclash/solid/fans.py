"""Split vertices at which a surface touches itself: each fan of triangles around the same material gets a copy of the
vertex.

Two blocks of one object that meet along an edge share only its vertices. To move the surface inward there, each block
needs vertices of its own. Around an edge of more than two triangles, two triangles belong together if the material is
between them. Triangles are in one fan of a vertex if they are joined by such edges, or by edges of two triangles. Fans
with the same material between them, around two cavities that meet in a point, stay together: separately, each would
move through the other.

At some vertices planes face each other, for example if four of eight cubes form a chain, and no move takes all of them
inward. There the fan is cut in two along two edges. Each half moves independently, and flat triangles between both,
without area before they move, keep the surface closed. At a spike that no cut improves, least squares may neglect a
small plane. In this case the direction is used that takes the least inward plane as far inward as possible.
"""

from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np

from ..traversal.layers import joined_numbers
from ..types.vectors import cross

_FLAT = 0.01  # of the largest eigenvalue: directions with smaller ones do not count
_LONGEST = 2.0  # longest moves at spikes, in units of how far planes recede
_LITTLE = 0.3  # of the aim of a move: planes that recede by less count as not receding
_ENOUGH = 0.3  # of the aim, by which all recede once a fan is cut
_OTHER = 0.05  # weight of the planes of the other half
_MOST_SECTORS = 32  # of fans that are cut
_PREFERENCE = 1e-3  # preference for shorter moves among cuts that make planes recede equally
_OFF_MIDDLE = 0.618  # of a sector: a direction that arcs between corners seldom meet


def split_fans(vertices: np.ndarray, triangles: np.ndarray, outward: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return triangles (m, 3) int32 with a vertex for each fan, and the original vertex of each, (n,) int64.

    Args:
        vertices: (v, 3) float64 [m].
        triangles: (m, 3) of welded vertices.
        outward: 1 or -1 for each triangle: the factor with which its normal points out of the material, (m,).
    """
    first, last = triangles.ravel(), triangles[:, (1, 2, 0)].ravel()
    ends = np.stack([np.minimum(first, last), np.maximum(first, last)], axis=1)
    sides = np.flatnonzero(first != last)
    order = sides[np.lexsort((ends[sides, 1], ends[sides, 0]))]
    begins = np.flatnonzero(np.append(True, (np.diff(ends[order], axis=0) != 0).any(axis=1)))
    sizes = np.diff(np.append(begins, len(order)))
    joined = [np.stack([order[begins[sizes == 2]], order[begins[sizes == 2] + 1]], axis=1)]
    for size in np.unique(sizes[sizes > 2]).tolist():
        around = order[begins[sizes == size, None] + np.arange(size)]
        joined.append(_pairs_around(vertices, triangles, outward, ends[around[:, 0]], around))
    fans = _fans(triangles, np.concatenate(joined))
    _join_hollows(vertices, triangles, outward, fans)
    kept, numbers = np.unique(fans, return_inverse=True)
    return numbers.reshape(-1, 3).astype(np.int32), first[kept].astype(np.int64)


def _fans(triangles: np.ndarray, joined: np.ndarray) -> np.ndarray:
    """Return the first corner of the fan of each corner, (3 m,), from pairs (k, 2) of sides that join triangles.

    Side s goes from corner s to the next one of its triangle.
    """
    vertex = triangles.ravel()
    ahead = np.arange(len(vertex)).reshape(-1, 3)[:, (1, 2, 0)].ravel()
    one, other = joined.T
    alike = vertex[one] == vertex[other]  # both have the same direction
    pairs = np.concatenate([
        np.stack([one, np.where(alike, other, ahead[other])], axis=1),
        np.stack([ahead[one], np.where(alike, ahead[other], other)], axis=1),
    ])  # fmt: skip
    return joined_numbers(len(vertex), pairs)


def _join_hollows(vertices: np.ndarray, triangles: np.ndarray, outward: np.ndarray, fans: np.ndarray) -> None:
    """Give fans at one vertex a common number if each lies on the material's side of the other."""
    vertex = triangles.ravel()
    counts = np.bincount(vertex[np.unique(fans)], minlength=len(vertices))
    corners = np.flatnonzero(counts[vertex] > 1)
    corners = corners[np.lexsort((fans[corners], vertex[corners]))]
    every = _sectors(vertices, triangles, outward, corners)
    for around in np.split(np.arange(len(corners)), _changes(vertex[corners])):
        own = [every.chosen(fan) for fan in np.split(around, _changes(fans[corners[around]]))]
        for i, one in enumerate(own):
            for other in own[:i]:
                if one.is_inward(other.through[0]) and other.is_inward(one.through[0]):
                    fans[one.corners] = fans[other.corners[0]]


def _changes(values: np.ndarray) -> np.ndarray:
    """Return the indices (n,) at which a value differs from the preceding value."""
    return np.flatnonzero(np.diff(values)) + 1


class _Sectors(NamedTuple):
    """The triangles of fans, as sectors of the directions around their vertices."""

    corners: np.ndarray
    """Corners of the fans, (n,)."""
    through: np.ndarray
    """A direction inside each sector, (n, 3)."""
    first: np.ndarray
    last: np.ndarray
    normals: np.ndarray

    def chosen(self, rows: np.ndarray) -> "_Sectors":
        """Return the sectors with some indices."""
        return _Sectors(*(part[rows] for part in self))

    def is_inward(self, way: np.ndarray) -> bool:
        """Return whether a direction (3,) is on the material's side of the fan, by an arc to one of its sectors."""
        target = int(np.argmax(np.where(np.abs(self.normals @ way) > 0.0, self.through @ way, -np.inf)))
        end = self.through[target]
        across = cross(way, end)
        passes = (self.first @ across) * (self.last @ across) < 0.0
        passes &= (self.normals @ way) * (self.normals @ end) < 0.0
        meets = cross(across, self.normals)  # on both planes, in either direction
        same = np.einsum("nk,nk->n", meets, self.through) * (meets @ (way + end)) > 0.0
        passes &= same & (np.arange(len(passes)) != target)
        return bool((self.normals[target] @ way < 0.0) != (np.count_nonzero(passes) % 2 == 1))


def _sectors(vertices: np.ndarray, triangles: np.ndarray, outward: np.ndarray, corners: np.ndarray) -> _Sectors:
    t, k = np.divmod(corners, 3)
    apex = vertices[triangles[t, k]]
    first, last = (_units(vertices[triangles[t, (k + step) % 3]] - apex) for step in (1, 2))
    through = _units(_OFF_MIDDLE * first + (1.0 - _OFF_MIDDLE) * last)
    return _Sectors(corners, through, first, last, cross(first, last) * outward[t, None])


def _units(vectors: np.ndarray) -> np.ndarray:
    """Return vectors (n, 3) scaled to length 1; zero vectors stay 0."""
    units: np.ndarray = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300)
    return units


def least_moves(squares: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Return moves (..., 3) that take planes inward by one, by least squares, at most ``_LONGEST`` long.

    Args:
        squares, sums: sums of n n^T (..., 3, 3) and of n (..., 3) over the planes' outward normals n.
    """
    values, directions = np.linalg.eigh(squares)
    known = values > np.maximum(_FLAT * values[..., 2:], 0.0)
    along = np.einsum("...ki,...k->...i", directions, sums)
    moves = -np.einsum("...ki,...i->...k", directions, np.where(known, along / np.where(known, values, 1.0), 0.0))
    lengths = np.linalg.norm(moves, axis=-1, keepdims=True)
    moves *= np.minimum(1.0, _LONGEST / np.maximum(lengths, 1e-300))
    return moves


def cut_fans(
    vertices: np.ndarray, triangles: np.ndarray, source: np.ndarray, outward: np.ndarray, moves: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None:
    """Divide the fans that no move takes inward: triangles, source, moves, and neighbours of flat triangles (n,).

    The flat triangles between both halves come last and are wound outward. Returns None if every fan moves inward.

    Args:
        vertices: (v, 3) float64 [m].
        triangles, source: the output of ``split_fans``.
        outward: as the argument of ``split_fans``.
        moves: move of each vertex of ``triangles``, (n, 3), from ``least_moves``.
    """
    corners = vertices[source[triangles]]
    normals = _units(cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])) * outward[:, None]
    recede = -np.einsum("mk,mck->mc", normals, moves[triangles])
    stuck = np.unique(triangles[(recede < _LITTLE) & (np.abs(normals).max(axis=1, keepdims=True) > 0.0)])
    if not len(stuck):
        return None
    count, room = len(triangles), 2 * len(stuck)
    triangles = np.concatenate([triangles, np.empty((room, 3), np.int32)])
    outward, normals = np.append(outward, np.ones(room)), np.concatenate([normals, np.zeros((room, 3))])
    source, used, beside = np.append(source, np.empty(len(stuck), np.int64)), len(source), list[int]()
    moves = np.concatenate([moves, np.empty((len(stuck), 3))])
    corners_at = _corners_at(triangles[:count], stuck)
    for old in stuck.tolist():
        around = np.array(corners_at[old])
        ring = _ring(triangles, outward, around)
        cut = None if ring is None else _best_cut(vertices[source[ring[1]]] - vertices[source[old]], normals[ring[0]])
        if ring is None or cut is None:
            moves[old] = _most_inward(normals[around // 3], moves[old])
            continue
        (own, begins), (first, last, halves), flat = ring, cut, count + len(beside)
        triangles[own[first:last]] = np.where(triangles[own[first:last]] == old, used, triangles[own[first:last]])
        ends = int(begins[first]), int(begins[last % len(own)])
        triangles[flat], triangles[flat + 1] = (old, ends[0], used), (used, ends[1], old)
        for k, end in enumerate(ends):
            corners_at.get(end, []).append(3 * (flat + k) + 1)
        beside += [t if t < count else beside[t - count] for t in own[[first, last - 1]].tolist()]
        source[used], (moves[used], moves[old]) = source[old], halves
        used += 1
    return triangles[: count + len(beside)], source[:used], moves[:used], np.array(beside, np.int64)


def _most_inward(normals: np.ndarray, move: np.ndarray) -> np.ndarray:
    """Return the move (3,), at most ``_LONGEST`` long, that maximises how far the planes move inward.

    Returns the given move if no better move is found, or if there are too many planes.

    Args:
        normals: outward normals of the planes, (n, 3); 0 for a triangle without area.
        move: the move by least squares, (3,).
    """
    normals = normals[np.abs(normals).max(axis=1) > 0.0]
    if not 1 < len(normals) <= _MOST_SECTORS:
        return move
    ends = normals[np.array(list(combinations_with_replacement(range(len(normals)), 3)))]  # three planes, or two
    turned = cross(ends[:, 1] - ends[:, 0], ends[:, 2] - ends[:, 0])
    ways = _LONGEST * np.concatenate([_units(ways) for ways in (-ends[:, 0] - ends[:, 2], turned, -turned)])
    ways = np.append(ways, move[None], axis=0)
    return ways[np.argmax(-(ways @ normals.T).max(axis=1))]


def _corners_at(triangles: np.ndarray, stuck: np.ndarray) -> dict[int, list[int]]:
    """Return the triangle corners at each of the given vertices (n,)."""
    vertex = triangles.ravel()
    own = np.flatnonzero(np.isin(vertex, stuck))
    own = own[np.argsort(vertex[own], kind="stable")]
    parts = np.split(own, _changes(vertex[own]))
    return {int(vertex[part[0]]): part.tolist() for part in parts}


def _ring(triangles: np.ndarray, outward: np.ndarray, around: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the triangles (n,) around a vertex in order, and the first vertex of each triangle, (n,); None if the
    triangles form no ring.

    Args:
        around: corners at the vertex, (n,).
    """
    if not 4 <= len(around) <= _MOST_SECTORS:
        return None
    t, k = np.divmod(around, 3)
    ahead, behind = triangles[t, (k + 1) % 3], triangles[t, (k + 2) % 3]
    begins, ends = np.where(outward[t] > 0, ahead, behind), np.where(outward[t] > 0, behind, ahead)
    follows = {int(vertex): place for place, vertex in enumerate(begins)}
    order = [0]
    while len(order) < len(t):
        place = follows.get(int(ends[order[-1]]), 0)
        if place == 0:
            return None
        order.append(place)
    return (t[order], begins[order]) if ends[order[-1]] == begins[0] and len(follows) == len(t) else None


def _best_cut(ways: np.ndarray, normals: np.ndarray) -> tuple[int, int, np.ndarray] | None:
    """Return the range of sectors of a ring (first, end) to cut out, so that all planes can move inward.

    Also returns the moves of this half and of the other half, (2, 3). Returns None if no cut helps.

    Args:
        ways: directions from the vertex along the first edges of sectors, (n, 3).
        normals: outward normals of the sectors, (n, 3); 0 for one without area.
    """
    count, units = len(ways), _units(ways)
    after, solid = np.roll(units, -1, axis=0), np.abs(normals).max(axis=1) > 0.0
    angles = np.arctan2(np.linalg.norm(cross(units, after), axis=1), np.einsum("nk,nk->n", units, after))
    firsts, lasts = np.triu_indices(count + 1, 2)
    fits = (lasts - firsts <= count - 2) & np.all([solid[at % count] & solid[at - 1] for at in (firsts, lasts)], axis=0)
    firsts, lasts = firsts[fits], lasts[fits]
    if not len(firsts):
        return None
    own = (np.arange(count) >= firsts[:, None]) & (np.arange(count) < lasts[:, None])
    halves = np.stack([own, ~own])
    weights = np.where(halves, angles, _OTHER * angles)
    moves = least_moves(np.einsum("scn,ni,nj->scij", weights, normals, normals), weights @ normals)
    recede = np.where(halves & solid, -moves @ normals.T, np.inf).min(axis=(0, 2))
    for at, (before, behind) in ((firsts, moves[::-1]), (lasts, moves)):
        pair = normals[at - 1], normals[at % count]
        is_convex = np.einsum("ck,ck->c", pair[0], after[at % count]) < 0.0
        recede = np.minimum(recede, _recede_between(*pair, before, behind, is_convex))
    score = recede - _PREFERENCE * np.linalg.norm(moves, axis=2).max(axis=0)
    best = int(np.argmax(score))
    return (int(firsts[best]), int(lasts[best]), moves[:, best]) if score[best] > _ENOUGH else None


def _recede_between(
    normals_a: np.ndarray, normals_b: np.ndarray, moves_a: np.ndarray, moves_b: np.ndarray, is_convex: np.ndarray
) -> np.ndarray:
    """Return how far flat triangles lie inside the wedges of the edges (n,), if two planes move independently."""
    ends = [[-np.einsum("nk,nk->n", normal, move) for move in (moves_a, moves_b)] for normal in (normals_a, normals_b)]
    (a_first, a_last), (b_first, b_last) = ends  # how far the line between both moves is inside of a, and of b
    slope = (a_last - a_first) - (b_last - b_first)
    share = np.clip((b_first - a_first) / np.where(slope != 0.0, slope, 1.0), 0.0, 1.0)
    amid = np.maximum(a_first + share * (a_last - a_first), b_first + share * (b_last - b_first))
    reflex = np.minimum(amid, np.minimum(np.maximum(a_first, b_first), np.maximum(a_last, b_last)))
    return np.where(is_convex, np.min([a_first, a_last, b_first, b_last], axis=0), reflex)


def _pairs_around(
    vertices: np.ndarray, triangles: np.ndarray, outward: np.ndarray, ends: np.ndarray, around: np.ndarray
) -> np.ndarray:
    """Return pairs (k, 2) of the sides around edges that have material between their triangles.

    Args:
        vertices, triangles, outward: as the arguments of ``split_fans``.
        ends: vertices of each edge, (n, 2).
        around: the sides around each edge, (n, s).
    """
    t, start = around // 3, vertices[ends[:, 0]]
    edge = _units(vertices[ends[:, 1]] - start)[:, None]
    corners = vertices[triangles[t]]
    normals = cross(corners[:, :, 1] - corners[:, :, 0], corners[:, :, 2] - corners[:, :, 0]) * outward[t, None]
    away = corners.mean(axis=2) - start[:, None]
    away -= (away * edge).sum(axis=2, keepdims=True) * edge
    first, across = away[:, :1], cross(edge, away)
    angles = np.arctan2((away * across[:, :1]).sum(axis=2), (away * first).sum(axis=2))
    turned = np.argsort(angles, axis=1, kind="stable")
    opens = np.take_along_axis((normals * across).sum(axis=2) < 0.0, turned, axis=1)
    alike = (opens == np.roll(opens, 1, axis=1)).any(axis=1)  # faces that coincide: angles do not tell them apart
    places = (np.arange(around.shape[1]) + np.argmax(opens, axis=1)[:, None]) % around.shape[1]
    paired = np.take_along_axis(around, np.take_along_axis(turned, places, axis=1), axis=1)[~alike].reshape(-1, 2)
    others = around[alike, 1:]
    return np.concatenate(
        [paired, np.stack([np.broadcast_to(around[alike, :1], others.shape), others], -1).reshape(-1, 2)]
    )
