"""The heap of pairs of nodes: keys and entries (job, node of a, node of b, whether set aside) in two arrays.

Keys are probabilities, rounded down to multiples of ``GRAIN``, less ``ASIDE`` and ``LAST`` for pairs that wait. So a
key gives its probability back to the last bit, and a pair later takes away exactly the hazard that it added.
"""

from ..jit import inlined, inner, kernel

JOB, NODE_A, NODE_B, SET_ASIDE, ENTRY_LENGTH = range(5)
GRAIN = 2.0**-32
FAINTEST = 2.0**-30
"""The probability that pairs have at least: they wait, but nothing that may meet is dropped."""
SUREST = 1.0 - 2.0**-30
"""The probability that pairs have at most; keys from 1 on are those of whole objects."""
ASIDE = 2.0
LAST = 4.0


@inlined
def _move(keys, entries, i, j):
    keys[j] = keys[i]
    for k in range(ENTRY_LENGTH):
        entries[j, k] = entries[i, k]


@inner
def push(keys, entries, used, key, job, node_a, node_b, aside):
    """Put a pair of nodes into the heap; returns the entries used."""
    i = used
    while i > 0 and key > keys[(i - 1) // 2]:
        _move(keys, entries, (i - 1) // 2, i)
        i = (i - 1) // 2
    keys[i] = key
    entries[i, JOB], entries[i, NODE_A], entries[i, NODE_B], entries[i, SET_ASIDE] = job, node_a, node_b, aside
    return used + 1


@inner
def drop_top(keys, entries, used):
    """Take the pair of the highest key off; returns the entries used."""
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
    """The probability of a pair in the heap; from 1 on for whole objects that were not looked at."""
    return key + (LAST if key < -ASIDE else 0.0) + (ASIDE if aside != 0 else 0.0)


@kernel
def keep_jobs(numbers, used, keys, entries):
    """Drop the entries of jobs whose new number is below 0, and number the others anew; returns the entries used."""
    kept = 0
    for e in range(used):
        job = numbers[entries[e, JOB]]
        if job >= 0:
            kept = push(
                keys, entries, kept, keys[e], job, entries[e, NODE_A], entries[e, NODE_B], entries[e, SET_ASIDE]
            )
    return kept
