"""A stable sort in slices, for callers that must be able to stop: sample sort, each bucket by itself.

Source: Frazer, McKellar, "Samplesort: a sampling approach to minimal storage tree sorting" (1970); with a bucket of its
own for each pivot, so that a key that occurs very often makes no bucket large that has to be sorted.
"""

from collections.abc import Generator

import numpy as np

AT_ONCE = 1 << 16
"""Keys that are looked at or sorted in one step, as far as the sample can tell."""
_PIVOTS = 4  # for each of the portions that the keys come to
_SAMPLES = 16  # for each pivot


def stable_order_steps(keys: np.ndarray) -> Generator[None, None, np.ndarray]:
    """The order (n,) int64 in which integers (n,) ascend, equal ones as they came; as a stable argsort has it."""
    if len(keys) <= AT_ONCE:
        return np.argsort(keys, kind="stable")
    pivots = _pivots(keys)
    parts = [slice(begin, begin + AT_ONCE) for begin in range(0, len(keys), AT_ONCE)]
    buckets = np.empty(len(keys), np.int64)
    counts = np.empty((len(parts), 2 * len(pivots) + 1), np.int64)
    for number, part in enumerate(parts):
        some = keys[part]
        buckets[part] = np.searchsorted(pivots, some, "left") + np.searchsorted(pivots, some, "right")
        counts[number] = np.bincount(buckets[part], minlength=counts.shape[1])
        yield
    order = np.empty(len(keys), np.int64)
    before = np.cumsum(counts.T.ravel()).reshape(counts.T.shape).T - counts
    for number, part in enumerate(parts):
        inside = np.argsort(buckets[part], kind="stable")
        shift = before[number] - (np.cumsum(counts[number]) - counts[number])
        order[np.arange(len(inside)) + np.repeat(shift, counts[number])] = part.start + inside
        yield
    ends = np.cumsum(counts.sum(axis=0))
    for bucket in range(0, len(ends), 2):  # the others hold one key each
        own = slice(int(ends[bucket - 1]) if bucket else 0, int(ends[bucket]))
        order[own] = order[own][np.argsort(keys[order[own]], kind="stable")]
        yield
    return order


def _pivots(keys: np.ndarray) -> np.ndarray:
    """Ascending keys that divide all of them into about equal parts, each once."""
    count = _PIVOTS * (len(keys) // AT_ONCE + 1)
    # Keys often rise and fall in step with their number, so places are drawn; the seed makes every run the same.
    places = np.random.default_rng(1).integers(0, len(keys), _SAMPLES * count)
    return np.unique(np.sort(keys[places])[_SAMPLES // 2 :: _SAMPLES])
