"""The heap of pairs of nodes: keys and entries (job, node of a, node of b, whether set aside) in two arrays.

Keys are probabilities, rounded down to multiples of ``GRAIN``, minus ``ASIDE`` and ``LAST`` for pairs that are set
aside. So the probability can be recovered from its key without rounding error, and a pair that is removed subtracts
exactly the hazard that the pair added.
"""

from ..jit import inlined, inner, kernel

JOB, NODE_A, NODE_B, SET_ASIDE, ENTRY_LENGTH = range(5)
GRAIN = 2.0**-32
FAINTEST = 2.0**-30
"""Smallest probability of a pair. Even unlikely pairs stay in the heap, so that no possible contact is dropped."""
SUREST = 1.0 - 2.0**-30
"""Largest probability of a pair. Keys of 1 or more belong to whole objects."""
ASIDE = 2.0
LAST = 4.0


@inlined
def _move(keys, entries, i, j):
    keys[j] = keys[i]
    for k in range(ENTRY_LENGTH):
        entries[j, k] = entries[i, k]


@inner
def push(keys, entries, used, key, job, node_a, node_b, aside):
    """Put a pair of nodes into the heap; return the number of entries used."""
    i = used
    while i > 0 and key > keys[(i - 1) // 2]:
        _move(keys, entries, (i - 1) // 2, i)
        i = (i - 1) // 2
    keys[i] = key
    entries[i, JOB], entries[i, NODE_A], entries[i, NODE_B], entries[i, SET_ASIDE] = job, node_a, node_b, aside
    return used + 1


@inner
def drop_top(keys, entries, used):
    """Remove the pair with the highest key from the heap; return the number of entries used."""
    used -= 1
    key = keys[used]
    i, child = 0, 1
    while child < used:
        if child + 1 < used and keys[child + 1] > keys[child]:
            child += 1
        if not keys[child] > key:
            break
        _move(keys, entries, child, i)
        i, child = child, 2 * child + 1
    _move(keys, entries, used, i)
    return used


@inlined
def probability_of(key, aside):
    """Return the probability of a pair in the heap; 1 or more for whole objects that were not examined yet."""
    return key + (LAST if key < -ASIDE else 0.0) + (ASIDE if aside != 0 else 0.0)


@kernel
def keep_jobs(numbers, used, keys, entries):
    """Drop the heap entries of jobs whose new index is negative, and renumber the other entries; return the number of
    entries used.
    """
    kept = 0
    for e in range(used):
        job = numbers[entries[e, JOB]]
        if job >= 0:
            kept = push(
                keys, entries, kept, keys[e], job, entries[e, NODE_A], entries[e, NODE_B], entries[e, SET_ASIDE]
            )
    return kept
