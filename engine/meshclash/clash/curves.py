"""Compute the lines to draw for contacts, in slices: the curves where surfaces cross, and the outlines of coplanar
overlaps.

A pair of dense meshes has hundreds of thousands of contacts. Most of them are not drawn, because the triangles only
touch.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from ..types.slices import portions

CONTACTS_AT_ONCE = 2048
"""Some milliseconds of work, and less than the list that a frame may wait for."""
EDGES_AT_ONCE = 1 << 14
"""Number of edges that are sorted together; for up to a thousand million edges the number of such groups has 16 bits.
"""
CELLS = 1 << 20
"""Number of cells along the size of a patchwork; corners in the same cell count as equal. Three such numbers fit into
64 bits. The corners of a grid with any number of squares lie inside cells, not on the boundary between two cells."""
MIX = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64
)  # odd, with bits all over: a multiplicative hash

Steps = Generator[None, None, list[np.ndarray]]


def curve_steps(engine: ModuleType, found: Sequence[Any]) -> Steps:
    """Return the intersection pieces of crossing pairs and then the outlines of coplanar overlaps, (s, 2, 3) float32
    each.

    Args:
        engine: the meshclash module.
        found: the engine's `Contacts`, of several pairs of objects.
    """
    if not found:
        return []
    kinds, starts = np.concatenate([contacts.kinds for contacts in found]), _starts(map(len, found))
    crossing, coplanar = (
        np.flatnonzero(kinds == int(kind)) for kind in (engine.ContactKind.CROSSING, engine.ContactKind.COPLANAR)
    )
    pieces = [np.empty((0, 2, 3), np.float32)]
    for some in portions(crossing, CONTACTS_AT_ONCE):
        joined, _ = _joined(engine, found, starts, some)
        pieces.append(np.asarray(joined.segments(), np.float32))
        yield
    edges, owners = [], []
    for some in portions(coplanar, CONTACTS_AT_ONCE):
        joined, owner = _joined(engine, found, starts, some)
        ends, pair = joined.outline_edges()
        edges.append(ends)
        owners.append(owner[pair])
        yield
    rims = yield from rim_steps(edges, owners, len(found))
    segments = np.split(np.concatenate(pieces), np.searchsorted(crossing, starts[1:-1]))
    return [np.concatenate((part, np.asarray(rim, np.float32))) for part, rim in zip(segments, rims, strict=True)]


def _joined(engine: ModuleType, found: Sequence[Any], starts: np.ndarray, some: np.ndarray) -> tuple[Any, np.ndarray]:
    """Return some contacts joined into one array, and for each contact its index in `found`."""
    owner = np.searchsorted(starts, some, side="right") - 1
    owners, first = np.unique(owner, return_index=True)
    parts = np.split(some - starts[owner], first[1:])
    return engine.Contacts.joined([(found[k], part) for k, part in zip(owners.tolist(), parts, strict=True)]), owner


def rim_steps(portions: Sequence[np.ndarray], owners: Sequence[np.ndarray], count: int) -> Steps:
    """Return the edges that belong to only one outline of a patchwork of outlines, (m, 2, 3) each.

    An edge that neighbouring triangles share is a seam, not a rim. Edges are divided into groups by their ends, and
    each group is processed separately, so that no sort takes long.

    Args:
        portions: edges (n, 2, 3).
        owners: index of the patchwork to which each edge belongs, (n,) ascending.
        count: number of patchworks.
    """
    full = [k for k, edges in enumerate(portions) if len(edges)]
    portions, owners = [portions[k] for k in full], [owners[k] for k in full]
    if not portions:
        return [np.empty((0, 2, 3))] * count
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    for edges, owner in zip(portions, owners, strict=True):
        there, first = np.unique(owner, return_index=True)
        lowest, highest = np.minimum(edges[:, 0], edges[:, 1]), np.maximum(edges[:, 0], edges[:, 1])
        low[there] = np.minimum(low[there], np.minimum.reduceat(lowest, first))
        high[there] = np.maximum(high[there], np.maximum.reduceat(highest, first))
        yield
    grid = (high - low).max(axis=1) / CELLS
    grid = np.where(grid > 0.0, grid, 1.0)
    groups = 1 + sum(map(len, portions)) // EDGES_AT_ONCE
    ends, mixed = [], []
    for edges, owner in zip(portions, owners, strict=True):
        ends.append(_cell_numbers((edges - low[owner, None]) / grid[owner, None, None]))
        mixed.append((ends[-1] * MIX[:2]).sum(axis=1) + owner.astype(np.uint64) * MIX[2])
        yield
    hashed = np.concatenate(mixed)
    all_groups = ((hashed >> np.uint64(32)) % np.uint64(groups)).astype(np.uint16)
    order = np.argsort(all_groups, kind="stable")
    yield
    keys, alone = np.column_stack((np.concatenate(ends), np.concatenate(owners).astype(np.uint64))), []
    for some in np.split(order, np.cumsum(np.bincount(all_groups, minlength=groups))[:-1]):
        alone.append(some[_alone(keys[some], hashed[some])])
        yield
    rim, starts = np.sort(np.concatenate(alone)), _starts(map(len, portions))
    places = np.split(rim, np.searchsorted(rim, starts[1:-1]))
    kept = [some - begin for some, begin in zip(places, starts[:-1], strict=True)]
    edges = np.concatenate([part[some] for part, some in zip(portions, kept, strict=True)])
    owner = np.concatenate([part[some] for part, some in zip(owners, kept, strict=True)])
    return np.split(edges, np.searchsorted(owner, np.arange(1, count)))


def _starts(lengths: Iterable[int]) -> np.ndarray:
    """Return the start of each part when parts of the given lengths are placed end to end, and the end of the last
    one.
    """
    return np.cumsum([0, *lengths])


def _cell_numbers(places: np.ndarray) -> np.ndarray:
    """Return a number (n, 2) uint64 for each end of the edges (n, 2, 3), from 0 to `CELLS`; the lower one comes
    first.
    """
    x, y, z = np.rint(places).astype(np.uint64).transpose(2, 0, 1)
    return np.sort(x << np.uint64(42) | y << np.uint64(21) | z, axis=1)


def _alone(keys: np.ndarray, hashed: np.ndarray) -> np.ndarray:
    """Return which rows (n, k) occur only once, (n,) bool; equal rows have equal numbers (n,), different rows almost
    never.
    """
    order = np.argsort(hashed)
    differs = _changes(keys[order])
    if (differs[1:-1] & (hashed[order[1:]] == hashed[order[:-1]])).any():
        order = np.lexsort(keys.T)
        differs = _changes(keys[order])
    alone = np.empty(len(keys), np.bool_)
    alone[order] = differs[1:] & differs[:-1]
    return alone


def _changes(keys: np.ndarray) -> np.ndarray:
    """Return before which rows of (n, k) the value changes, (n + 1,) bool; true at both ends."""
    differs = np.ones(len(keys) + 1, np.bool_)
    differs[1:-1] = np.logical_or.reduce([column[1:] != column[:-1] for column in keys.T])
    return differs
