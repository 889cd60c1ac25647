"""Driving an engine: slices, one order of pairs, and pairs that need more than doubles."""

from collections.abc import Generator

import numpy as np

from ..geometry.neighbours import touching_beyond_shared
from ..geometry.triangle_pair import APART, CROSSING, TOUCHING, UNDECIDED, classify_rational
from ..types.pose import transform_points
from ..types.slices import Slice
from ..types.steps import run
from .binary_engine import BinaryEngine
from .forest import Grove, note_usage, take_updates
from .question import Answer, Question, pose_rows, uses_lanes
from .wide_engine import WideEngine

__all__ = ["answer_steps", "run", "sort_pairs", "world_triangle"]

_KIND_BITS = 8


def answer_steps(question: Question) -> Generator[float, None, Answer]:
    """Answer in slices of a few milliseconds, yielding the share of jobs done."""
    engine = (WideEngine if uses_lanes(question) else BinaryEngine)(question)
    piece = Slice()
    while not engine.advance():
        if piece.over:
            yield engine.share
            piece = Slice()
    note_usage(question.grove_a, question.grove_b, question.jobs, engine.counters[0])
    return _collect(question, engine)._replace(updated_nodes=take_updates(question.grove_a, question.grove_b))


def _collect(question: Question, engine: WideEngine | BinaryEngine) -> Answer:
    counts = (*engine.counters, engine.threads)
    chunks = engine.chunks
    if not chunks:
        return Answer(np.empty((0, 2), np.int32), np.empty(0, np.uint8), np.empty(0, np.int32), *counts)
    pairs, kinds, jobs = chunks[0] if len(chunks) == 1 else map(np.concatenate, zip(*chunks, strict=True))
    if len(kinds) > 1:
        bits = (question.grove_a.index_bits, question.grove_b.index_bits, (len(question.jobs) - 1).bit_length())
        pairs, kinds, jobs = sort_pairs(pairs, kinds, jobs, *bits)
    return Answer(*_decide(question, pairs, kinds, jobs), *counts)


def sort_pairs(
    pairs: np.ndarray,
    tags: np.ndarray,
    jobs: np.ndarray,
    bits_i: int,
    bits_j: int,
    job_bits: int,
    tag_bits: int = _KIND_BITS,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sort by (job, i, j), numbers of so many bits: as single numbers where they fit, which is several times faster.

    ``tags``, kinds or whatever goes with the pairs, are taken along.
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


def _decide(question: Question, pairs, kinds, jobs):
    """Finish pairs whose coordinates are too large or small for expansions, by integer arithmetic."""
    undecided = np.flatnonzero(kinds == UNDECIDED)
    for n in undecided:
        job = jobs[n]
        a = world_triangle(question.grove_a, question.jobs[job, 0], pose_rows(question.rows_a, job), pairs[n, 0])
        b = world_triangle(question.grove_b, question.jobs[job, 1], pose_rows(question.rows_b, job), pairs[n, 1])
        kinds[n] = classify_rational(a, b)
        if question.with_itself and kinds[n] == TOUCHING:
            ids = _vertices_of(question, jobs[n], pairs[n])
            kinds[n] = TOUCHING if touching_beyond_shared(ids[:1], a[None], ids[1:], b[None])[0] else APART
    if len(undecided):
        kept = (kinds == CROSSING) if question.crossing_only else (kinds != APART)
        return pairs[kept], kinds[kept], jobs[kept]
    return pairs, kinds, jobs


def _vertices_of(question: Question, job: int, pair: np.ndarray) -> np.ndarray:
    """Vertex indices of two triangles of one tree, (2, 3) int32."""
    forest, tree = question.grove_a.forest, question.jobs[job, 0]
    ids: np.ndarray = forest.triangles[forest.triangle_start[tree] + pair]
    return ids


def world_triangle(grove: Grove, tree: int, rows: np.ndarray, triangle: int) -> np.ndarray:
    """World coordinates (3, 3) of one triangle of a tree in a pose (3, 4)."""
    forest = grove.forest
    corners = forest.triangles[forest.triangle_start[tree] + triangle] + forest.vertex_start[tree]
    return transform_points(rows, forest.vertices[corners])
