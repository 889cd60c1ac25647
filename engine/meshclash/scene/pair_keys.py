"""Pairs of ids as single numbers, by which they are sorted and looked up."""

import numpy as np


def pair_keys(pairs: np.ndarray) -> np.ndarray:
    """One number for each pair of ids (k, 2), (k,) int64, in the order of the pairs."""
    keys: np.ndarray = (pairs[:, 0] << 32) + pairs[:, 1]
    return keys


def pairs_of(keys: np.ndarray) -> np.ndarray:
    """The pairs of ids (k, 2) of keys (k,) int64."""
    return np.stack([keys >> 32, keys & 0xFFFFFFFF], axis=1)
