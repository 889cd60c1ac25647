"""Find where a mesh leaves open whether a component is a cavity or material.

A component inside another one is a cavity if it faces the other way. If the file stores some faces of a component the
wrong way round, the majority of its faces decides, and may be wrong. Two layers of faces show no side at all: then a
component inside another one is taken for a cavity. Elsewhere, the facing of a component decides nothing: a component
that is inside out bounds the same solid.
"""

import math
from collections.abc import Generator
from itertools import product

import numpy as np

from ..types.mesh import TriangleMesh

LAYERED_CERTAINTY = 0.9
"""Certainty that a component of two-sided faces inside another one is a cavity."""
_MOST_VOTED = 0.999  # certainty of a majority of faces, however large
_AT_ONCE = 1 << 18  # comparisons of boxes in one step
_MOST_COMPARED = 1 << 24
_ROUNDING = 2.0**-40  # of the coordinates: boxes are rounded
_CORNERS = np.array(list(product((0, 1), repeat=3)))

UNNUMBERED = -1
"""Stands for a doubt that is not about the facing of a single component."""
NO_DOUBTS = np.empty((0, 8))
"""Doubts of a mesh whose components all face as they are taken: boxes [m], certainties and components, (k, 8)."""


def facing_doubts_steps(mesh: TriangleMesh, layered: bool) -> Generator[None, None, np.ndarray]:
    """Return boxes [m], in the mesh's frame, in which the facing of components decides but is not certain, the
    certainty of each, and the component, (k, 8).

    ``layered``: the mesh is one layer of two-sided faces. The generator yields every few milliseconds.
    """
    topology, count = mesh.topology, mesh.topology.component_count
    if count < 2 or not (layered or bool((topology.orientation < 0).any())):
        return NO_DOUBTS
    if layered:
        sure = np.full(count, LAYERED_CERTAINTY)
    else:
        faces = np.bincount(topology.component, minlength=count)
        turned = np.bincount(topology.component, topology.orientation < 0, count)
        sure = majority(faces, turned)
    yield
    low, high = boxes_of(mesh.vertices[mesh.triangles], topology.component, count)
    yield
    return (yield from shared_boxes_steps(low, high, sure))


def boxes_of(corners: np.ndarray, parts: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest and highest coordinates (count, 3) of parts; triangles (m, 3, 3) belong to the parts (m,)."""
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    np.minimum.at(low, parts, corners.min(axis=1))
    np.maximum.at(high, parts, corners.max(axis=1))
    return low, high


def shared_boxes_steps(low: np.ndarray, high: np.ndarray, sure: np.ndarray) -> Generator[None, None, np.ndarray]:
    """Return the boxes that uncertain parts share with other parts, the certainties, and the numbers of the parts,
    (k, 8).

    Args:
        low, high: boxes of all parts, (n, 3) [m].
        sure: certainties of the facing of all parts, (n,).
    """
    count, doubtful = len(sure), np.flatnonzero(sure < 1.0)
    if len(doubtful) * count > _MOST_COMPARED:
        return np.concatenate([low.min(axis=0), high.max(axis=0), [sure.min(), UNNUMBERED]])[None]
    found = [NO_DOUBTS]
    at_once = max(1, _AT_ONCE // count)
    for begin in range(0, len(doubtful), at_once):
        some = doubtful[begin : begin + at_once]
        both_low = np.maximum(low[some, None], low[None])
        both_high = np.minimum(high[some, None], high[None])
        shared = (both_low < both_high).all(axis=2)
        shared[np.arange(len(some)), some] = False
        both_low[~shared], both_high[~shared] = np.inf, -np.inf
        rows = np.hstack([both_low.min(axis=1), both_high.max(axis=1), sure[some, None], some[:, None]])
        found.append(rows[shared.any(axis=1)])
        yield
    return np.concatenate(found)


def majority(faces: np.ndarray, turned: np.ndarray) -> np.ndarray:
    """Return how probable it is that the majority of faces (n,) is right if ``turned`` (n,) faces disagree with it.

    Each face is wrong with the same unknown probability; the result is the probability that it is below one half.
    """
    margins = (faces - 2.0 * turned) / np.sqrt(2.0 * (faces + 1.0))
    sure = np.array([0.5 + 0.5 * math.erf(margin) for margin in margins.tolist()])
    return np.where(turned > 0, np.minimum(_MOST_VOTED, sure), 1.0)


def met_doubts(doubts: np.ndarray, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return whether the boxes of the doubts (k, 8) about an object meet other objects, (n, k) bool.

    Args:
        doubts: as ``facing_doubts_steps`` returns them.
        rows: poses of the object, (n, 3, 4).
        others: world boxes of the other objects, (n, 6) [m].
    """
    met = np.empty((len(rows), len(doubts)), np.bool_)
    for number, box in enumerate(doubts[:, :6]):
        corners = np.where(_CORNERS, box[3:], box[:3])
        around = np.einsum("nij,kj->nki", rows[:, :, :3], corners) + rows[:, None, :, 3]
        slack = _ROUNDING * max(float(np.abs(around).max(initial=0.0)), float(np.abs(others).max(initial=0.0)))
        meets = (around.min(axis=1) - slack < others[:, 3:]).all(axis=1)
        met[:, number] = meets & (around.max(axis=1) + slack > others[:, :3]).all(axis=1)
    return met
