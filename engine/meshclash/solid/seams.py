"""Close a mesh at its seams with flat triangles, where open edges coincide or lie along other open edges.

Ends are at one position if they are no farther apart than rounding errors, or than the resolution of the mesh. All
vertices joined by such steps form one cluster, in any order. A cluster longer than two steps is not joined: a chain of
vertices is no position.

If an open edge, or the whole mesh, is not longer than two such steps, the resolution cannot distinguish a hole from a
seam: then only vertices within rounding errors are joined.
"""

from collections.abc import Generator
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np

from ..traversal.layers import joined_numbers, open_edges_steps
from ..types.mesh import TriangleMesh
from ..types.topology import sorted_sides_steps

_ROUNDING = 2.0**-46  # of the largest coordinate: vertices at one place, computed in two ways, are no farther apart
_FINE = 16.0  # times the joining distance: longer features are no seams
COARSE_CERTAINTY = 0.9
"""Certainty that a seam at least as long as a sixteenth of the shortest open edge is a seam, and that a hole is a hole.
"""
_SAMPLES = 8  # open edges that are tested first
_REACH = 8.0  # joining distances: a seam joins only nearer vertices
_AT_ONCE = 1 << 17  # candidates that are tested in one step
_MOST_CANDIDATES, _MOST_TOUCHING = 256, 16  # for each open edge and vertex: a mesh with more has no seams
_FEW = 1 << 22  # candidates that any mesh may have
_MOST_SIDES = 1 << 17  # of triangles whose edges are all examined for T-junctions
_TRIANGLES_AT_ONCE = 1 << 12
_FEW_PAIRS = 64  # points of two cells that are compared one by one
_NEIGHBOURS = np.array([step for step in product((-1, 0, 1), repeat=3) if step > (0, 0, 0)])
_MIX = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)


class Seams(NamedTuple):
    """Flat triangles that close a mesh."""

    triangles: np.ndarray
    """Triangles, (k, 3) int32."""
    joined: int
    """Number of vertices that were merged with other vertices."""
    certainty: float
    """Probability that the mesh is closed, given the precision of its coordinates."""


def seam_steps(mesh: TriangleMesh, triangles: np.ndarray) -> Generator[None, None, Seams | None]:
    """Return triangles that close the given triangles (m, 3) of a mesh, consistently wound; None if the mesh has holes.

    The generator yields every few milliseconds.
    """
    found = yield from open_edges_steps(np.ascontiguousarray(triangles, np.int32), mesh.topology.welded)
    edges = _as_run(found.ends, found.balance)
    rounding = _ROUNDING * float(np.abs(mesh.bounds).max())
    near, feature = 2.0 * mesh.resolution + rounding, _shortest(mesh, edges)
    if 2.0 * near >= feature:
        near = rounding
    if not near > 0.0:
        return None
    places = np.unique(edges)
    first = np.arange(mesh.vertex_count, dtype=np.int32)
    first[places] = places[(yield from cluster_steps(mesh.vertices[places], near))]
    yield
    (u, v), (low, high) = edges.T, first[edges].T
    beside, across = (low != u) & (low != v), (low != v) & (high != low) & (high != v)
    seams = np.vstack([np.stack([v, u, low], 1)[beside], np.stack([v, low, high], 1)[across]])
    yield
    del u, v, beside, across
    left = unbalanced(np.stack([low, high], axis=1))
    yield
    flat = yield from _along_steps(mesh.vertices, left, 2.0 * near)
    certainty = 1.0 if near == rounding or _FINE * near <= feature else COARSE_CERTAINTY
    if flat is None:
        return None
    triangles = np.vstack([seams, flat.astype(np.int32)])
    return Seams(triangles, int((first[places] != places).sum()), certainty)


class Outlook(NamedTuple):
    """The decision whether a mesh may be closed at its seams, and if not, the certainty that the mesh is open."""

    may: bool
    certainty: float


def outlook_steps(mesh: TriangleMesh, faces: np.ndarray) -> Generator[None, None, Outlook]:
    """Return whether triangles (m,) of a mesh may be closed at seams: some of their open edges lie near other open
    edges.

    This cheap test excludes nearly every mesh that is not a solid. If a few times the resolution exceeds the median
    open edge, or the mesh itself, the holes may be seams: then the certainty is lower. The generator yields every few
    milliseconds.
    """
    triangles = mesh.triangles[faces]
    found = yield from open_edges_steps(np.ascontiguousarray(triangles), mesh.topology.welded)
    ends = mesh.vertices[found.ends[found.balance % 2 != 0]]  # other edges are open only by the winding of faces
    step = 2.0 * mesh.resolution + _ROUNDING * float(np.abs(mesh.bounds).max())
    certainty = COARSE_CERTAINTY if mesh.resolution > 0.0 and 2.0 * step >= _feature(mesh, ends) else 1.0
    for k in range(0, len(ends), len(ends) // _SAMPLES + 1):
        middle, least = ends[k].mean(axis=0), np.inf
        for begin in range(0, len(ends), _AT_ONCE):
            some = ends[begin : begin + _AT_ONCE]
            off = _off(middle - some[:, 0], some[:, 1] - some[:, 0])[0]
            if begin <= k < begin + _AT_ONCE:
                off[k - begin] = np.inf
            least = min(least, float(off.min()))
            yield
            if least <= _REACH * step:
                break
        if least > _REACH * step:
            return Outlook(False, certainty)
    return Outlook(True, certainty)


class Divided(NamedTuple):
    """Triangles whose edges are divided at the vertices that lie on them."""

    triangles: np.ndarray
    """Vertices, (k, 3) int32."""
    sources: np.ndarray
    """Index of the triangle from which each was cut, (k,)."""


def divided_steps(mesh: TriangleMesh, faces: np.ndarray) -> Generator[None, None, Divided | None]:
    """Divide triangles (m,) of a mesh at its vertices that lie on their edges; None if the mesh has no edge of three or
    more triangles, no vertex on an edge, or no area.

    Around an edge of several triangles, cells are known only if all of them divide the edge at the same vertices. Large
    meshes are divided only at their open edges. The generator yields every few milliseconds.
    """
    triangles = mesh.topology.welded[mesh.triangles[faces]].astype(np.int32)
    start, _, higher = yield from sorted_sides_steps(triangles, np.arange(mesh.vertex_count))
    lower = np.repeat(np.arange(len(start) - 1), np.diff(start))
    yield
    if not ((higher[2:] == higher[:-2]) & (lower[2:] == lower[:-2])).any():
        return None
    if len(higher) <= _MOST_SIDES:
        ends = np.unique(np.stack([lower, higher], axis=1), axis=0)
    else:
        ends = (yield from open_edges_steps(triangles, np.arange(mesh.vertex_count))).ends
    if not len(ends):
        return None
    near = yield from _near_steps(mesh.vertices, ends, _ROUNDING * float(np.abs(mesh.bounds).max()))
    if near is None or not len(near[0]):
        return None
    order = np.lexsort((near[2], near[0]))
    edge, place = near[0][order], near[1][order]
    begins = np.flatnonzero(np.diff(edge, prepend=-1))
    inner = dict(zip(map(tuple, ends[edge[begins]].tolist()), np.split(place, begins[1:]), strict=True))
    yield
    done, sources = [], []
    for number, corners in enumerate(triangles.tolist()):
        pieces = _pieces(corners, inner)
        done += pieces
        sources += [number] * len(pieces)
        if number % _TRIANGLES_AT_ONCE == 0:
            yield
    return Divided(np.array(done, np.int32), np.array(sources)) if done else None


def _pieces(corners: list[int], inner: dict[tuple[int, int], np.ndarray]) -> list[list[int]]:
    """Return a triangle, cut at the vertices on its edges; pieces with a vertex twice have no area and are left out.

    New edges are not cut again: two vertices that differ by rounding errors lie on each other's edges.
    """
    pieces = [corners]
    for side in range(3):
        a, b = corners[side], corners[side - 2]
        on = inner.get((min(a, b), max(a, b)))
        if on is None:
            continue
        cut, apex = next(
            (piece, piece[i - 1]) for piece in pieces for i in range(3) if (piece[i], piece[i - 2]) == (a, b)
        )
        pieces.remove(cut)
        run = [a, *(on.tolist() if a < b else on[::-1].tolist()), b]
        pieces += [[p, q, apex] for p, q in pairwise(run)]
    return [piece for piece in pieces if len(set(piece)) == 3]


def _feature(mesh: TriangleMesh, ends: np.ndarray) -> float:
    """Return the median length [m] of open edges (n, 2, 3), by the largest coordinate.

    The result is at most the middle of the three extents of the mesh.
    """
    lengths = np.abs(ends[:, 1] - ends[:, 0]).max(axis=1)
    half = float(np.median(lengths)) if len(lengths) else np.inf
    return min(half, float(np.sort(mesh.bounds[1] - mesh.bounds[0])[1]))


def _shortest(mesh: TriangleMesh, edges: np.ndarray) -> float:
    """Return the length of the shortest of the edges (n, 2), by the largest coordinate, or the mesh's least extent if
    that is less [m].
    """
    along = np.abs(mesh.vertices[edges[:, 0]] - mesh.vertices[edges[:, 1]]).max(axis=1)
    return min(float((mesh.bounds[1] - mesh.bounds[0]).min()), float(along.min(initial=np.inf)))


def unbalanced(sides: np.ndarray) -> np.ndarray:
    """Return ends (n, 2) of edges that sides (k, 2) use more often in one direction, as often as the difference."""
    low, high = sides.min(axis=1), sides.max(axis=1)
    keys = low.astype(np.int64) * (int(high.max(initial=0)) + 1) + high
    order = np.argsort(keys, kind="stable")
    begins = np.flatnonzero(np.diff(keys[order], prepend=-1))
    if not len(begins):
        return np.empty((0, 2), np.int64)
    balance = np.add.reduceat(np.sign(sides[:, 1] - sides[:, 0])[order], begins)
    edges = np.stack([low[order[begins]], high[order[begins]]], axis=1)
    open_ones = balance != 0
    return _as_run(edges[open_ones], balance[open_ones])


def _as_run(edges: np.ndarray, balance: np.ndarray) -> np.ndarray:
    """Return ends of edges (k, 2) in the direction that is used more often, repeated as often as the difference."""
    return np.repeat(np.where(balance[:, None] < 0, edges[:, ::-1], edges), np.abs(balance), axis=0)


def cluster_steps(points: np.ndarray, near: float) -> Generator[None, None, np.ndarray]:
    """Return for each point (n, 3) [m] the index of the point that represents its cluster, (n,) int64: the lowest along
    the axes.

    Points that differ by at most ``near`` [m] along each axis belong together, and so do points connected by a chain of
    such points. Points in one cell of that width always belong together. If two cells contain many points, their bounds
    decide, so that the time does not depend on the number of points.
    """
    every = np.arange(len(points))
    if len(points) < 2:
        return every
    cells = yield from _cells_steps(points, near)
    sizes = np.diff(np.append(cells.begins, len(points)))
    pairs = []
    for step in _NEIGHBOURS:
        place = np.minimum(np.searchsorted(cells.keys, _hashed(cells.places + step)), len(sizes) - 1)
        met = (cells.places[place] == cells.places + step).all(axis=1)
        met &= (np.maximum(cells.low[place] - cells.high, cells.low - cells.high[place]) <= near).all(axis=1)
        one, other = np.flatnonzero(met), place[met]
        few = (sizes[one] * sizes[other] > 1) & (sizes[one] * sizes[other] <= _FEW_PAIRS)
        pairs.append(np.stack([one[~few], other[~few]], axis=1))
        one, other = one[few], other[few]
        counts = sizes[one] * sizes[other]
        pair = np.repeat(np.arange(len(one)), counts)
        rank = np.arange(len(pair)) - np.repeat(np.cumsum(counts) - counts, counts)
        first = points[cells.order[cells.begins[one[pair]] + rank // sizes[other[pair]]]]
        second = points[cells.order[cells.begins[other[pair]] + rank % sizes[other[pair]]]]
        joined = pair[(np.abs(first - second) <= near).all(axis=1)]
        pairs.append(np.stack([one[joined], other[joined]], axis=1))
        yield
    cluster = joined_numbers(len(sizes), np.concatenate(pairs))
    of = np.empty(len(points), np.int64)
    of[cells.order] = np.repeat(cluster, sizes)
    yield
    order = np.argsort(of, kind="stable")
    begins = np.flatnonzero(np.diff(of[order], prepend=-1))
    sizes = np.diff(np.append(begins, len(points)))
    short, lowest = np.ones(len(begins), np.bool_), np.ones(len(points), np.bool_)
    for axis in range(3):
        yield
        along = points[order, axis]
        low, high = np.minimum.reduceat(along, begins), np.maximum.reduceat(along, begins)
        short &= high - low <= 2.0 * near
        along[~lowest] = np.inf  # the lowest along the earlier axes alone decide
        lowest &= along == np.repeat(np.minimum.reduceat(along, begins), sizes)
    yield
    first = np.minimum.reduceat(np.where(lowest, order, len(points)), begins)
    every[order] = np.where(np.repeat(short, sizes), np.repeat(first, sizes), order)
    return every


class _Cells(NamedTuple):
    """Points sorted by the cells of a grid; a cell is a cube with sides of the joining distance."""

    order: np.ndarray
    """Indices of the points, sorted by cell, (n,)."""
    begins: np.ndarray
    """Index in ``order`` of the first point of each cell, (c,)."""
    places: np.ndarray
    """Place of each cell in the grid, (c, 3) int64."""
    keys: np.ndarray
    """Hash of each place, in ascending order, (c,) uint64."""
    low: np.ndarray
    """Lowest coordinates of the points in each cell [m], (c, 3)."""
    high: np.ndarray
    """Highest coordinates, (c, 3)."""


def _cells_steps(points: np.ndarray, near: float) -> Generator[None, None, _Cells]:
    """Sort points (n, 3) into the cells of a grid."""
    offsets = points - points.min(axis=0)
    offsets /= near
    places = np.floor(offsets, out=offsets).astype(np.int64)
    del offsets
    keys = _hashed(places)
    yield
    order = np.argsort(keys, kind="stable")
    yield
    is_first = np.zeros(len(points), np.bool_)
    is_first[0] = True
    for axis in range(3):
        along = places[order, axis]
        is_first[1:] |= along[1:] != along[:-1]
        yield
    begins = np.flatnonzero(is_first)
    own, own_keys = places[order[begins]], keys[order[begins]]
    del places, keys, along
    yield
    ends = np.empty((2, len(begins), 3))
    for axis in range(3):
        along = points[order, axis]
        ends[0, :, axis], ends[1, :, axis] = np.minimum.reduceat(along, begins), np.maximum.reduceat(along, begins)
        yield
    return _Cells(order, begins, own, own_keys, ends[0], ends[1])


def _hashed(cells: np.ndarray) -> np.ndarray:
    """Return a hash for each cell (n, 3), (n,) uint64; different cells hardly ever have equal hashes."""
    mixed = np.zeros(len(cells), np.uint64)
    for axis, factor in enumerate(_MIX):
        mixed += cells[:, axis].astype(np.uint64) * factor
    return mixed ^ (mixed >> np.uint64(29))


def _along_steps(vertices: np.ndarray, edges: np.ndarray, near: float) -> Generator[None, None, np.ndarray | None]:
    """Return flat triangles (k, 3) between edges (n, 2) and the vertices of other edges near them.

    Returns None if a sample has no neighbour, or if more edges lie near each other than at any seam.
    """
    if not len(edges):
        return np.empty((0, 3), np.int64)
    keys, times = np.unique(edges[:, 0].astype(np.int64) * len(vertices) + edges[:, 1], return_counts=True)
    single = np.stack(np.divmod(keys, len(vertices)), axis=1)
    yield
    start, along = vertices[single[:, 0]], vertices[single[:, 1]] - vertices[single[:, 0]]
    for k in range(0, len(single), len(single) // _SAMPLES + 1):
        off = _off(start[k] + 0.5 * along[k] - start, along)[0]
        if np.delete(off, k).min(initial=np.inf) > near:
            return None
        yield
    near_pairs = yield from _near_steps(vertices, single, near)
    if near_pairs is None:
        return None
    edge, place, share = near_pairs
    order = np.lexsort((share, edge))
    edge, place = edge[order], place[order]
    before = np.where(np.diff(edge, prepend=-1) != 0, single[edge, 0], np.roll(place, 1))
    flat = np.stack([single[edge, 1], before, place], axis=1)
    return np.repeat(flat, times[edge], axis=0)


def _near_steps(
    vertices: np.ndarray, edges: np.ndarray, near: float
) -> Generator[None, None, tuple[np.ndarray, np.ndarray, np.ndarray] | None]:
    """Return edges (k,) of some (n, 2), ends (k,) of other edges near them, and the position along the edges, a
    fraction (k,).

    Ends are sorted along the axis with the fewest ends next to edges, and processed in portions.
    """
    places = np.unique(edges)
    start, points = vertices[edges[:, 0]], vertices[places]
    along = vertices[edges[:, 1]] - start
    low, high = np.minimum(start, start + along) - near, np.maximum(start, start + along) + near
    order, begin, end = min(
        (_beside(points[:, axis], low[:, axis], high[:, axis]) for axis in range(3)),
        key=lambda found: int((found[2] - found[1]).sum()),
    )
    counts = np.cumsum(end - begin)
    if counts[-1] > _MOST_CANDIDATES * (len(edges) + len(places)) + _FEW:
        return None
    found: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    first = touching = 0
    while first < len(edges):
        done = counts[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(counts, done + _AT_ONCE, "right")))
        sizes = (end - begin)[first:last]
        edge = np.repeat(np.arange(first, last), sizes)
        rank = np.arange(len(edge)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + begin[edge]
        place = order[rank]
        inside = ((points[place] >= low[edge]) & (points[place] <= high[edge])).all(axis=1)
        inside &= (edges[edge] != places[place, None]).all(axis=1)
        edge, place = edge[inside], place[inside]
        off, share = _off(points[place] - start[edge], along[edge])
        on = off <= near
        found.append((edge[on], places[place[on]], share[on]))
        touching += int(on.sum())
        if touching > _MOST_TOUCHING * (len(edges) + len(places)):
            return None
        first = last
        yield
    edge, place, share = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return edge, place, share


def _beside(points: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the order (n,) of sorted numbers, and the range of that order that lies between each pair of bounds (k,):
    first and end.
    """
    order = np.argsort(points, kind="stable")
    return order, np.searchsorted(points[order], low, "left"), np.searchsorted(points[order], high, "right")


def _off(points: np.ndarray, along: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return distances between points (n, 3) and segments (n, 3) that start at the origin, and the nearest shares."""
    share = np.clip((points * along).sum(axis=1) / np.maximum((along * along).sum(axis=1), 1e-300), 0.0, 1.0)
    return np.linalg.norm(points - share[:, None] * along, axis=1), share
