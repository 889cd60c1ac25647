"""Encode pairs of ids as single integers (keys), for sorting and lookup."""

from collections.abc import Sequence

import numpy as np


def pair_keys(pairs: np.ndarray) -> np.ndarray:
    """Return a key (k,) int64 for each pair of ids (k, 2). Keys sort like the pairs."""
    keys: np.ndarray = (pairs[:, 0] << 32) + pairs[:, 1]
    return keys


def no_pairs() -> np.ndarray:
    """Return an empty array of pairs of ids, (0, 2) int64."""
    return np.empty((0, 2), np.int64)


def different_pairs(portions: Sequence[np.ndarray]) -> np.ndarray:
    """Merge arrays of pairs of ids into one, (k, 2) int64, sorted and without duplicates; ten times faster than
    ``np.unique``.
    """
    keys = np.sort(pair_keys(np.concatenate([no_pairs(), *portions])))
    return pairs_of(keys[np.diff(keys, prepend=-1) > 0])


def pairs_of(keys: np.ndarray) -> np.ndarray:
    """Return the pairs of ids (k, 2) of keys (k,) int64."""
    return np.stack([keys >> 32, keys & 0xFFFFFFFF], axis=1)


def find(known: np.ndarray, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Look up keys in a sorted array: return their indices, and which of the keys exist."""
    if not len(known):
        return np.zeros(len(keys), np.int64), np.zeros(len(keys), np.bool_)
    place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return place, known[place] == keys
