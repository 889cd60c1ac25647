"""What a triangle mesh bounds: welded vertices, connected components, closedness and a consistent orientation.

Vertices at equal positions count as one, so that a mesh whose faces do not share vertices (an imported STL) is still
seen as the solid that it draws. Components are joined across edges that exactly two triangles share.
"""

from collections.abc import Generator, Iterator
from typing import NamedTuple

import numpy as np

from ..jit import inner, kernel

_EMPTY = np.int32(-1)
_TOGETHER = 1 << 18
"""Vertices or triangles of a step."""

# Words of an edge in its table: its vertices, how many triangles have it, the first of them and the way it runs
# through it; at last, in place of the number, the sum over all of these ways.
_LOW, _HIGH, _USES, _USER, _WORDS = range(5)
_SUM = _USES


class Topology(NamedTuple):
    """Surface structure of one mesh of m triangles."""

    component: np.ndarray
    """Component of each triangle, (m,) int32."""
    orientation: np.ndarray
    """1 where a triangle's winding agrees with its component, -1 where it must be turned over, (m,) int8."""
    component_count: int
    closed: bool
    """Every edge is run through equally often in both directions, after turning triangles over as above; a component
    that cannot be oriented always has an edge that is not."""
    welded: np.ndarray
    """The first vertex at each vertex's position, (n,) int64; with the triangles it decides everything above."""


@inner
def _mix(key):
    key = (key ^ (key >> np.uint64(31))) * np.uint64(0x7FB5D329728EA185)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x81DADEF4BC2DD44D)
    return key ^ (key >> np.uint64(33))


@kernel
def _weld(begin, end, bits, table, welded):
    """Give vertices the index of the first vertex at their position; ``bits`` are the coordinates as integers."""
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
def _edge_slot(u, v, edges, mask):
    """The row of the undirected edge uv in the open-addressing table."""
    first = np.int32(min(u, v))
    second = np.int32(max(u, v))
    slot = _mix(np.uint64(first) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(second)) & mask
    while edges[slot, _LOW] != _EMPTY and (edges[slot, _LOW] != first or edges[slot, _HIGH] != second):
        slot = (slot + np.uint64(1)) & mask
    edges[slot, _LOW] = first
    edges[slot, _HIGH] = second
    return slot


@inner
def _find(parent, parity, i):
    """Root of triangle i, and whether i is turned over against it; halves the path on the way."""
    turned = 0
    while parent[i] != i:
        above = parent[i]
        parity[i] ^= parity[above] if parent[above] != above else 0
        parent[i] = parent[above]
        turned ^= parity[i]
        i = parent[i]
    return i, turned


@kernel
def _find_edges(begin, end, triangles, welded, edges, slots, parent):
    """Enter the edges of triangles into the table, ``slots`` (m, 3) say where, -1 for an edge without length."""
    mask = np.uint64(edges.shape[0] - 1)
    for t in range(begin, end):
        parent[t] = t
        for k in range(3):
            u = welded[triangles[t, k]]
            v = welded[triangles[t, (k + 1) % 3]]
            slots[t, k] = -1
            if u != v:
                slot = _edge_slot(u, v, edges, mask)
                edges[slot, _USES] += 1
                slots[t, k] = np.int32(slot)


@inner
def _runs_up(triangles, welded, t, k):
    return 1 if welded[triangles[t, k]] < welded[triangles[t, (k + 1) % 3]] else 0


@kernel
def _join(begin, end, triangles, welded, edges, slots, parent, parity):
    """Join triangles across edges with two users, with the turn that makes their windings agree."""
    for t in range(begin, end):
        for k in range(3):
            slot = slots[t, k]
            if slot < 0 or edges[slot, _USES] != 2:
                continue
            code = np.int32(2 * t + _runs_up(triangles, welded, t, k))
            user = edges[slot, _USER]
            if user == _EMPTY:
                edges[slot, _USER] = code
                continue
            same_direction = 1 if (user & 1) == (code & 1) else 0
            root_t, turned_t = _find(parent, parity, np.int64(t))
            root_o, turned_o = _find(parent, parity, np.int64(user >> 1))
            relation = turned_t ^ turned_o ^ same_direction
            if root_t != root_o:
                parent[root_t] = root_o
                parity[root_t] = relation


@kernel
def _number(parent, parity, votes, number, component, orientation):
    """Number the components and turn their triangles to one side; returns how many there are."""
    found = 0
    for t in range(parent.shape[0]):
        root, turned = _find(parent, parity, np.int64(t))
        if number[root] < 0:
            number[root] = found
            found += 1
        component[t] = number[root]
        orientation[t] = -1 if turned else 1
        votes[component[t]] += orientation[t]
    return found


@kernel
def _balance(begin, end, triangles, welded, edges, slots, votes, component, orientation):
    """Turn the minority of each component over, and add up at each edge how often it is run through either way."""
    for t in range(begin, end):
        if votes[component[t]] < 0:
            orientation[t] = -orientation[t]
        for k in range(3):
            if slots[t, k] >= 0:
                up = _runs_up(triangles, welded, t, k)
                edges[slots[t, k], _SUM] += orientation[t] if up else -orientation[t]


def topology_steps(
    vertices: np.ndarray, triangles: np.ndarray, known: Topology | None = None
) -> Generator[None, None, Topology]:
    """Analyse a checked mesh in steps of some ten milliseconds.

    Args:
        vertices: (n, 3) float64 [m].
        triangles: (m, 3) int32.
        known: the topology of the same triangles over other vertices; it is the result when the same vertices coincide.
    """
    count = len(triangles)
    bits = (vertices + 0.0).view(np.uint64)  # adding 0.0 turns -0.0 into 0.0
    welded = np.empty(len(vertices), np.int64)
    table = np.full(_table_size(len(vertices)), _EMPTY)
    for begin, end in _parts(len(vertices)):
        _weld(begin, end, bits, table, welded)
        yield
    if known is not None and np.array_equal(welded, known.welded):
        return known
    edges = np.full((_table_size(2 * count), _WORDS), _EMPTY)
    edges[:, _USES] = 0
    yield
    slots = np.empty((count, 3), np.int32)
    parent, parity = np.empty(count, np.int32), np.zeros(count, np.int8)
    for begin, end in _parts(count):
        _find_edges(begin, end, triangles, welded, edges, slots, parent)
        yield
    for begin, end in _parts(count):
        _join(begin, end, triangles, welded, edges, slots, parent, parity)
        yield
    component, orientation = np.empty(count, np.int32), np.empty(count, np.int8)
    votes, number = np.zeros(count, np.int64), np.full(count, _EMPTY)
    found = _number(parent, parity, votes, number, component, orientation)
    yield
    edges[:, _SUM] = 0
    for begin, end in _parts(count):
        _balance(begin, end, triangles, welded, edges, slots, votes, component, orientation)
        yield
    return Topology(component, orientation, int(found), not edges[:, _SUM].any(), welded)


def _parts(count: int) -> Iterator[tuple[int, int]]:
    """Ranges of work for a step."""
    return ((begin, min(begin + _TOGETHER, count)) for begin in range(0, count, _TOGETHER))


def _table_size(entries: int) -> int:
    """A power of two at least twice the number of entries."""
    return 1 << max(4, (2 * entries - 1).bit_length())
