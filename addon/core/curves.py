"""What is drawn of contacts: the curves along which surfaces cross, and the rims of what coincides; in slices.

A pair of dense meshes has hundreds of thousands of contacts, most of which are not drawn: those that only touch.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from types import ModuleType
from typing import Any

import numpy as np

CONTACTS_AT_ONCE = 2048
"""Some milliseconds of work, and less than the list that a frame may wait for."""
EDGES_AT_ONCE = 1 << 14
"""That are sorted together; for up to a thousand million edges the number of such groups has 16 bits."""
CELLS = 1 << 20
"""Along the size of a patchwork: corners in one of these cells are the same. Three such numbers fit into 64 bits, and a
grid of any number of squares has its corners in the middle of cells or beside it, not where two of them meet."""
MIX = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F], np.uint64)  # odd, with bits all over: a multiplicative hash

Steps = Generator[None, None, np.ndarray]


def curve_steps(engine: ModuleType, contacts: Any) -> Steps:
    """The intersection pieces of crossing pairs, then the rims of coplanar overlaps, as (s, 2, 3) float32.

    Args:
        engine: the meshclash module.
        contacts: the engine's `Contacts`.
    """
    crossing, coplanar = (
        np.flatnonzero(contacts.kinds == int(kind))
        for kind in (engine.ContactKind.CROSSING, engine.ContactKind.COPLANAR)
    )
    pieces = [np.empty((0, 2, 3), np.float32)]
    for some in _portions(crossing, CONTACTS_AT_ONCE):
        pieces.append(np.asarray(contacts.segments(some), np.float32))
        yield
    edges = []
    for some in _portions(coplanar, CONTACTS_AT_ONCE):
        edges.append(_edges([outline for _, outline in contacts.outlines(some)]))
        yield
    pieces.append(np.asarray((yield from rim_steps(edges)), np.float32))
    return np.concatenate(pieces)


def rim_steps(portions: Sequence[np.ndarray]) -> Steps:
    """Those of the edges (n, 2, 3) of a patchwork of outlines that belong to one of them only, (m, 2, 3) in order.

    What neighbours share is a seam, not a rim. Edges fall into groups by their ends, and each group is looked at by
    itself, so that no sorting takes long.
    """
    portions = [edges for edges in portions if len(edges)]
    if not portions:
        return np.empty((0, 2, 3))
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for edges in portions:
        points = edges.reshape(-1, 3)
        low, high = np.minimum(low, points.min(axis=0)), np.maximum(high, points.max(axis=0))
        yield
    grid = float((high - low).max()) / CELLS or 1.0
    groups = 1 + sum(map(len, portions)) // EDGES_AT_ONCE
    ends, group = [], []
    for edges in portions:
        ends.append(_cell_numbers((edges - low) / grid))
        group.append(((ends[-1] * MIX).sum(axis=1) >> np.uint64(32)).astype(np.uint32) % np.uint32(groups))
        yield
    all_groups = np.concatenate(group).astype(np.uint16)
    order = np.argsort(all_groups, kind="stable")
    yield
    all_ends, alone = np.concatenate(ends), []
    for some in np.split(order, np.cumsum(np.bincount(all_groups, minlength=groups))[:-1]):
        alone.append(some[_alone(all_ends[some])])
        yield
    rim, first = np.sort(np.concatenate(alone)), np.cumsum([0, *map(len, portions)])
    places = np.split(rim, np.searchsorted(rim, first[1:-1]))
    return np.concatenate(
        [edges[some - begin] for edges, some, begin in zip(portions, places, first[:-1], strict=True)]
    )


def _portions(index: np.ndarray, size: int) -> Iterator[np.ndarray]:
    return (index[begin : begin + size] for begin in range(0, len(index), size))


def _edges(outlines: list[np.ndarray]) -> np.ndarray:
    """The edges (n, 2, 3) of closed outlines (k, 3); an overlap too thin for a number has no corners."""
    outlines = [outline for outline in outlines if len(outline)]
    if not outlines:
        return np.empty((0, 2, 3))
    points = np.concatenate(outlines)
    last = np.cumsum([len(outline) for outline in outlines]) - 1
    following = np.arange(1, len(points) + 1)
    following[last] = np.concatenate(([0], last[:-1] + 1))
    return np.stack((points, points[following]), axis=1)


def _cell_numbers(places: np.ndarray) -> np.ndarray:
    """A number (n, 2) uint64 for each end of edges (n, 2, 3) between 0 and `CELLS`; the lower one first."""
    x, y, z = np.rint(places).astype(np.uint64).transpose(2, 0, 1)
    return np.sort(x << np.uint64(42) | y << np.uint64(21) | z, axis=1)


def _alone(ends: np.ndarray) -> np.ndarray:
    """Which rows of (n, 2) are there once, (n,) bool."""
    order = np.lexsort(ends.T)
    differs = np.ones(len(ends) + 1, np.bool_)  # from the row before
    differs[1:-1] = (ends[order[1:]] != ends[order[:-1]]).any(axis=1)
    alone = np.empty(len(ends), np.bool_)
    alone[order] = differs[1:] & differs[:-1]
    return alone
