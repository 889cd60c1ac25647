"""Find which pairs of objects may meet: their boxes overlap, and sets and rules include them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .frame_scene import SourceObject
from .rules import Rules, keep_mask


def candidate_pairs(items: Sequence[SourceObject], boxes: np.ndarray, rules: Rules) -> np.ndarray:
    """Return the pairs i < j (k, 2) int64 of objects, one from each set, whose boxes overlap.

    Args:
        items: the objects.
        boxes: boxes of the objects, (n, 6): lowest and highest corners.
        rules: pairs that are left out.
    """
    found = _overlapping(items, boxes)
    involved, places = np.unique(found, return_inverse=True)
    keep = keep_mask(rules, [items[k] for k in involved.tolist()])
    if keep is None or not len(found):
        return found
    return found[keep(places.reshape(-1, 2))]


def _overlapping(items: Sequence[SourceObject], boxes: np.ndarray) -> np.ndarray:
    in_a, in_b = (np.array([getattr(item, name) for item in items], np.bool_) for name in ("in_a", "in_b"))
    low, high = boxes[:, :3], boxes[:, 3:]
    found = [np.empty((0, 2), np.int64)]
    for i in range(len(items)):
        near = (in_b if in_a[i] else np.False_) | (in_a if in_b[i] else np.False_)
        near = near & (low <= high[i]).all(axis=1) & (high >= low[i]).all(axis=1)
        others = np.flatnonzero(near[i + 1 :]) + i + 1
        found.append(np.stack((np.full(len(others), i), others), axis=1))
    return np.concatenate(found)
