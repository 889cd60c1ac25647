"""Pairs of ids as single numbers, by which they are sorted and looked up."""

from collections.abc import Sequence

import numpy as np


def pair_keys(pairs: np.ndarray) -> np.ndarray:
    """One number for each pair of ids (k, 2), (k,) int64, in the order of the pairs."""
    keys: np.ndarray = (pairs[:, 0] << 32) + pairs[:, 1]
    return keys


def no_pairs() -> np.ndarray:
    """No pairs of ids, (0, 2) int64."""
    return np.empty((0, 2), np.int64)


def different_pairs(portions: Sequence[np.ndarray]) -> np.ndarray:
    """Pairs of ids (k, 2) int64, sorted, each once, of arrays of pairs."""
    return np.unique(np.concatenate([no_pairs(), *portions]), axis=0)


def pairs_of(keys: np.ndarray) -> np.ndarray:
    """The pairs of ids (k, 2) of keys (k,) int64."""
    return np.stack([keys >> 32, keys & 0xFFFFFFFF], axis=1)


def find(known: np.ndarray, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where keys are among sorted known ones, and which of them are there."""
    if not len(known):
        return np.zeros(len(keys), np.int64), np.zeros(len(keys), np.bool_)
    place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return place, known[place] == keys
