"""Topology of a triangle mesh: welded vertices, connected components, closedness and a consistent orientation.

Vertices at equal positions count as one. So a mesh whose faces do not share vertices, such as an imported STL file, can
be recognised as a solid. Components are connected across edges that exactly two triangles share.

Sides of triangles are sorted by their two vertices (radix sort with one vertex per digit), so that the sides of one
edge are adjacent. Every pass runs over a range of indices, so that callers can pause in between.
"""

from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ..jit import inner, kernel

_EMPTY = np.int64(-1)
_PIECE = 1 << 17  # vertices, triangles or sides in one step


class Topology(NamedTuple):
    """Surface structure of one mesh of m triangles."""

    component: np.ndarray
    """Index of the component of each triangle, (m,) int32."""
    orientation: np.ndarray
    """1 if the winding of a triangle agrees with its component, -1 if it must be flipped, (m,) int8."""
    component_count: int
    closed: bool
    """Whether, after flipping triangles by ``orientation``, every edge is used equally often in both directions. A
    component that cannot be oriented always has an edge that is not. A two-sided mesh encloses no volume, so it is not
    closed."""
    two_sided: bool
    """Every triangle also exists flipped, equally often."""
    paired: bool
    """Every edge has two sides, so that each component of a closed mesh is closed separately."""
    welded: np.ndarray
    """Index of the first vertex at each vertex's position, (n,) int64. The other fields follow from this field and the
    triangles."""


@inner
def _mix(key):
    key = (key ^ (key >> np.uint64(31))) * np.uint64(0x7FB5D329728EA185)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x81DADEF4BC2DD44D)
    return key ^ (key >> np.uint64(33))


@kernel
def _weld(bits, table, welded, begin, end):
    """Write the index of the first vertex at each vertex's position; ``bits`` are the coordinates as integers."""
    mask = np.uint64(table.shape[0] - 1)
    for i in range(begin, end):
        key = _mix(_mix(_mix(bits[i, 0]) + bits[i, 1]) + bits[i, 2])
        slot = key & mask
        while True:
            other = table[slot]
            if other == _EMPTY:
                table[slot] = i
                welded[i] = i
                break
            if bits[other, 0] == bits[i, 0] and bits[other, 1] == bits[i, 1] and bits[other, 2] == bits[i, 2]:
                welded[i] = other
                break
            slot = (slot + np.uint64(1)) & mask


@inner
def _side(triangles, welded, code):
    """Return the welded ends of side k of triangle t, code = 3 t + k."""
    t = code // 3
    k = code - 3 * t
    return welded[triangles[t, k]], welded[triangles[t, k + 1 if k < 2 else 0]]


@kernel
def _count_sides(triangles, welded, of_higher, of_lower, begin, end):
    """Count the sides of triangles begin to end, by their higher and by their lower vertex."""
    for code in range(3 * begin, 3 * end):
        u, v = _side(triangles, welded, code)
        if u != v:
            of_higher[max(u, v)] += 1
            of_lower[min(u, v)] += 1


@kernel
def _sort_by_higher(triangles, welded, place, sides, begin, end):
    """Sort the sides of triangles begin to end by their higher vertex; ``place`` has the next slot of each vertex."""
    for code in range(3 * begin, 3 * end):
        u, v = _side(triangles, welded, code)
        if u != v:
            sides[place[max(u, v)]] = code
            place[max(u, v)] += 1


@kernel
def _sort_by_lower(triangles, welded, place, sides, ordered, higher, begin, end):
    """Sort the sides in the order of ``_sort_by_higher`` stably by their lower vertex."""
    for i in range(begin, end):
        u, v = _side(triangles, welded, sides[i])
        at = place[min(u, v)]
        ordered[at] = 2 * (sides[i] // 3) + (1 if u < v else 0)
        higher[at] = max(u, v)
        place[min(u, v)] += 1


@inner
def _find(parent, parity, i):
    """Return the root of triangle i and whether i is flipped relative to the root; compress the path by halving."""
    turned = 0
    while parent[i] != i:
        above = parent[i]
        parity[i] ^= parity[above] if parent[above] != above else 0
        parent[i] = parent[above]
        turned ^= parity[i]
        i = parent[i]
    return i, turned


@inner
def _edge_end(higher, first, end):
    """Return the index after the last side of an edge, from its first side, within the sides of a lower vertex."""
    last = first + 1
    while last < end and higher[last] == higher[first]:
        last += 1
    return last


@kernel
def _join(start, ordered, higher, parent, parity, begin, end):
    """Join triangles across edges with two sides, with the flip that makes their windings agree.

    Considers the edges whose lower vertices are begin to end. The sides of vertex v are start[v] to start[v + 1].
    """
    for v in range(begin, end):
        first = start[v]
        while first < start[v + 1]:
            last = _edge_end(higher, first, start[v + 1])
            if last == first + 2:
                same_direction = 1 if (ordered[first] & 1) == (ordered[first + 1] & 1) else 0
                root_t, turned_t = _find(parent, parity, ordered[first + 1] >> 1)
                root_o, turned_o = _find(parent, parity, ordered[first] >> 1)
                if root_t != root_o:
                    parent[root_t] = root_o
                    parity[root_t] = turned_t ^ turned_o ^ same_direction
            first = last


@kernel
def _number(parent, parity, component, orientation):
    """Number components by their first triangles, flip the minority in each, and return the number of components."""
    count = parent.shape[0]
    votes = np.zeros(count, np.int32)
    number = np.full(count, -1, np.int32)
    found = 0
    for t in range(count):
        root, turned = _find(parent, parity, t)
        if number[root] < 0:
            number[root] = found
            found += 1
        component[t] = number[root]
        orientation[t] = -1 if turned else 1
        votes[component[t]] += orientation[t]
    for t in range(count):
        if votes[component[t]] < 0:
            orientation[t] = -orientation[t]
    return found


@kernel
def _balanced(start, ordered, higher, orientation, begin, end):
    """Check the edges whose lower vertices are begin to end.

    Returns whether every edge is used equally often in both directions, and whether every edge has two sides.
    """
    balanced, paired = True, True
    for v in range(begin, end):
        first = start[v]
        while first < start[v + 1]:
            last = _edge_end(higher, first, start[v + 1])
            balance = 0
            for i in range(first, last):
                turn = orientation[ordered[i] >> 1]
                balance += turn if ordered[i] & 1 else -turn
            balanced &= balance == 0
            paired &= last == first + 2
            first = last
    return balanced, paired


def welded_steps(vertices: np.ndarray) -> Generator[None, None, np.ndarray]:
    """Return the first vertex at each position of (n, 3) float64, (n,) int64; yields every few milliseconds."""
    bits = (vertices + 0.0).view(np.uint64)  # adding 0.0 turns -0.0 into 0.0
    welded, table = np.empty(len(vertices), np.int64), np.full(_table_size(len(vertices)), _EMPTY)
    for begin, end in _ranges(len(vertices)):
        _weld(bits, table, welded, begin, end)
        yield
    return welded


def topology_steps(
    vertices: np.ndarray, triangles: np.ndarray, known: Topology | None = None, welded: np.ndarray | None = None
) -> Generator[None, None, Topology]:
    """Compute components, orientation and closedness of a checked mesh; yields every few milliseconds.

    Args:
        vertices: (n, 3) float64.
        triangles: (m, 3) int32.
        known: topology of the same triangles with other vertices; returned if the same vertices coincide.
        welded: first vertex at each position, if it is known, as ``welded_steps`` returns it.
    """
    count = len(triangles)
    if welded is None:
        welded = yield from welded_steps(vertices)
    if known is not None and np.array_equal(welded, known.welded):
        return known
    start, ordered, higher = yield from sorted_sides_steps(triangles, welded)
    parent, parity = np.arange(count), np.zeros(count, np.int8)
    for begin, end in _ranges(len(vertices)):
        _join(start, ordered, higher, parent, parity, begin, end)
        yield
    component, orientation = np.empty(count, np.int32), np.empty(count, np.int8)
    found = int(_number(parent, parity, component, orientation))
    yield
    closed, paired = True, True
    for begin, end in _ranges(len(vertices)):
        balanced, twos = _balanced(start, ordered, higher, orientation, begin, end)
        closed, paired = closed and bool(balanced), paired and bool(twos)
        yield
    two_sided = closed and 2 * found >= count and _is_two_sided(welded[triangles])
    return Topology(component, orientation, found, closed and not two_sided, two_sided, paired, welded)


def _is_two_sided(triangles: np.ndarray) -> bool:
    """Return whether every triangle (m, 3) with three different corners also exists flipped, equally often."""
    a, b, c = triangles[(triangles != np.roll(triangles, 1, axis=1)).all(axis=1)].T
    turns = np.where((a < b) ^ (b < c) ^ (c < a), -1, 1)
    corners = np.sort(np.stack([a, b, c]), axis=0)
    order = np.lexsort(corners)
    begins = np.append(True, (np.diff(corners[:, order], axis=1) != 0).any(axis=0))
    return bool(len(a)) and not np.add.reduceat(turns[order], np.flatnonzero(begins)).any()


def sorted_sides_steps(
    triangles: np.ndarray, welded: np.ndarray
) -> Generator[None, None, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Sort the sides of all triangles by their lower and then their higher vertices; yields every few milliseconds.

    Returns:
        The index of the first side of each lower vertex, (n + 1,). For each side: 2 t + 1 if it runs in triangle t from
        the lower vertex to the higher one, else 2 t, int64; and its higher vertex, int32.
    """
    of_higher, of_lower = np.zeros(len(welded) + 1, np.int64), np.zeros(len(welded) + 1, np.int64)
    for begin, end in _ranges(len(triangles)):
        _count_sides(triangles, welded, of_higher, of_lower, begin, end)
        yield
    start = np.concatenate([[0], np.cumsum(of_lower[:-1])])
    place, total = np.cumsum(of_higher) - of_higher, int(start[-1])
    sides = np.empty(total, np.int64)
    for begin, end in _ranges(len(triangles)):
        _sort_by_higher(triangles, welded, place, sides, begin, end)
        yield
    place, ordered, higher = start.copy(), np.empty(total, np.int64), np.empty(total, np.int32)
    for begin, end in _ranges(total):
        _sort_by_lower(triangles, welded, place, sides, ordered, higher, begin, end)
        yield
    return start, ordered, higher


def _ranges(count: int) -> list[tuple[int, int]]:
    """Split 0 to count into ranges of ``_PIECE``."""
    return [(begin, min(begin + _PIECE, count)) for begin in range(0, count, _PIECE)]


def _table_size(entries: int) -> int:
    """Return a power of two that is at least twice the number of entries."""
    return 1 << max(4, (2 * entries - 1).bit_length())
