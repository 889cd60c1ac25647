"""Sort pairs of triangles, so that the order does not depend on the engine that found them."""

import numpy as np

_KIND_BITS = 8


def sort_pairs(
    pairs: np.ndarray,
    tags: np.ndarray,
    jobs: np.ndarray,
    bits_i: int,
    bits_j: int,
    job_bits: int,
    tag_bits: int = _KIND_BITS,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sort pairs by (job, i, j), together with their ``tags`` (kinds or other data).

    The numbers of bits are those of the largest values. If all fit into 64 bits, each pair is sorted as a single
    integer, which is several times faster.
    """
    shift_j, shift_i = tag_bits, tag_bits + bits_j
    shift_job = shift_i + bits_i
    if shift_job + job_bits > 63:
        order = np.lexsort((pairs[:, 1], pairs[:, 0], jobs))
        return pairs[order], tags[order], jobs[order]
    keys = pairs[:, 0].astype(np.int64)
    keys <<= bits_j
    keys |= pairs[:, 1]
    keys <<= tag_bits
    keys |= tags
    if job_bits:
        keys |= jobs.astype(np.int64) << shift_job
    keys.sort()
    np.bitwise_and(keys, (1 << tag_bits) - 1, out=tags, casting="unsafe")
    np.bitwise_and(keys >> shift_j, (1 << bits_j) - 1, out=pairs[:, 1], casting="unsafe")
    np.bitwise_and(keys >> shift_i, (1 << bits_i) - 1, out=pairs[:, 0], casting="unsafe")
    if job_bits:
        np.right_shift(keys, shift_job, out=jobs, casting="unsafe")
    return pairs, tags, jobs
