"""What a triangle mesh bounds: welded vertices, connected components, closedness and a consistent orientation.

Vertices at equal positions count as one, so that a mesh whose faces do not share vertices (an imported STL) is still
seen as the solid that it draws. Components are joined across edges that exactly two triangles share.
"""

from typing import NamedTuple

import numpy as np

from ..jit import inner, kernel

_EMPTY = np.int64(-1)


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
def _weld(vertices, bits, table, welded):
    """Give every vertex the index of the first vertex at its position; ``bits`` are the coordinates as integers."""
    mask = np.uint64(table.shape[0] - 1)
    for i in range(vertices.shape[0]):
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
def _edge_slot(u, v, low, high, mask):
    """Slot of the undirected edge uv in the open-addressing table (low, high)."""
    first = min(u, v)
    second = max(u, v)
    slot = _mix(np.uint64(first) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(second)) & mask
    while low[slot] != _EMPTY and (low[slot] != first or high[slot] != second):
        slot = (slot + np.uint64(1)) & mask
    low[slot] = first
    high[slot] = second
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
def _join(triangles, welded, low, high, uses, user, parent, parity):
    """Join triangles across edges with two users, with the turn that makes their windings agree."""
    mask = np.uint64(low.shape[0] - 1)
    count = triangles.shape[0]
    for t in range(count):
        parent[t] = t
        for k in range(3):
            u = welded[triangles[t, k]]
            v = welded[triangles[t, (k + 1) % 3]]
            if u != v:
                uses[_edge_slot(u, v, low, high, mask)] += 1
    for t in range(count):
        for k in range(3):
            u = welded[triangles[t, k]]
            v = welded[triangles[t, (k + 1) % 3]]
            if u == v:
                continue
            slot = _edge_slot(u, v, low, high, mask)
            if uses[slot] != 2:
                continue
            code = 2 * t + (1 if u < v else 0)
            if user[slot] == _EMPTY:
                user[slot] = code
                continue
            same_direction = 1 if (user[slot] & 1) == (code & 1) else 0
            root_t, turned_t = _find(parent, parity, t)
            root_o, turned_o = _find(parent, parity, user[slot] >> 1)
            relation = turned_t ^ turned_o ^ same_direction
            if root_t != root_o:
                parent[root_t] = root_o
                parity[root_t] = relation


@kernel
def _orient(triangles, welded, low, high, balance, parent, parity, component, orientation):
    """Number the components, turn the minority of each over, and check that every edge is balanced."""
    count = triangles.shape[0]
    votes = np.zeros(count, np.int64)
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
    mask = np.uint64(low.shape[0] - 1)
    for t in range(count):
        if votes[component[t]] < 0:
            orientation[t] = -orientation[t]
        for k in range(3):
            u = welded[triangles[t, k]]
            v = welded[triangles[t, (k + 1) % 3]]
            if u != v:
                balance[_edge_slot(u, v, low, high, mask)] += orientation[t] if u < v else -orientation[t]
    closed = True
    for slot in range(balance.shape[0]):
        closed = closed and balance[slot] == 0
    return found, closed


def analyse_topology(vertices: np.ndarray, triangles: np.ndarray, known: Topology | None = None) -> Topology:
    """Components, orientation and closedness of a checked mesh: vertices (n, 3) float64, triangles (m, 3) int32.

    ``known`` is the topology of the same triangles over other vertices; it is returned when the same vertices coincide.
    """
    bits = (vertices + 0.0).view(np.uint64)  # adding 0.0 turns -0.0 into 0.0
    welded = np.empty(len(vertices), np.int64)
    _weld(vertices, bits, np.full(_table_size(len(vertices)), _EMPTY), welded)
    if known is not None and np.array_equal(welded, known.welded):
        return known
    size = _table_size(3 * len(triangles))
    low = np.full(size, _EMPTY)
    high = np.full(size, _EMPTY)
    parent = np.empty(len(triangles), np.int64)
    parity = np.zeros(len(triangles), np.int64)
    uses = np.zeros(size, np.int64)
    _join(triangles, welded, low, high, uses, np.full(size, _EMPTY), parent, parity)
    component = np.empty(len(triangles), np.int32)
    orientation = np.empty(len(triangles), np.int8)
    balance = np.zeros(size, np.int64)
    found, balanced = _orient(triangles, welded, low, high, balance, parent, parity, component, orientation)
    return Topology(component, orientation, int(found), bool(balanced), welded)


def _table_size(entries: int) -> int:
    """A power of two at least twice the number of entries."""
    return 1 << max(4, (2 * entries - 1).bit_length())
