"""Contacts between two objects, of which at least one is clustered. Pairs of pages become pairs of trees of one
query.
"""

from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..answering.answer import answer_steps
from ..geometry.neighbours import touching_beyond_shared
from ..geometry.triangle_pair import TOUCHING
from ..traversal.question import Answer, Question
from ..traversal.sorting import sort_pairs
from ..types.pose import transform_points
from ..types.steps import hold_progress, map_progress
from .batches import batches
from .cluster_candidates import candidate_steps
from .operands import Clusters, Loaded, loaded, samples

_SMALL = 1 << 31


Chosen = Callable[[np.ndarray], np.ndarray]
"""Function that selects some of the given pairs (n, 2)."""


def as_they_are(pairs: np.ndarray) -> np.ndarray:
    """Select all pairs."""
    return pairs


class ContactOptions(NamedTuple):
    """The kind of contacts to find."""

    crossing_only: bool = False
    first_only: bool = False
    """Whether to find only one contact per pose, any of them."""
    with_itself: bool = False
    """Whether to find all contacts of an object with itself."""
    threads: int = 1


class ClusterContacts(NamedTuple):
    """The contacts found."""

    answer: Answer
    """Pairs with indices in the whole meshes, sorted by (pose, i, j); jobs are poses."""
    places: np.ndarray
    """Places of the triangles (see ``PLACE_BITS``), (n, 2) int64."""


class Portion(NamedTuple):
    """The result of one query, with indices in the whole meshes."""

    pairs: np.ndarray
    """(n, 2) int64."""
    places: np.ndarray
    """Places of the triangles (see ``PLACE_BITS``), (n, 2) int64."""
    kinds: np.ndarray
    """(n,) uint8."""


class Tally:
    """The results so far, and the work to compute them."""

    def __init__(self) -> None:
        self.portions: list[Portion] = []
        self.poses: list[int] = []
        self.volume_tests = self.primitive_tests = self.exact_tests = 0
        self.threads = 1

    def take(self, pose: int, counts: Sequence[int], portion: Portion) -> bool:
        """Add the result of one query; return whether it contains a contact. ``counts`` is in the form of
        ``counts_of``.
        """
        self.volume_tests += counts[0]
        self.primitive_tests += counts[1]
        self.exact_tests += counts[2]
        self.threads = max(self.threads, counts[3])
        self.portions.append(portion)
        self.poses.append(pose)
        return len(portion.kinds) > 0


def counts_of(answer: Answer) -> tuple[int, int, int, int]:
    """Return the work of an answer: the numbers of volume tests, float64 triangle tests, exact triangle tests, and
    threads.
    """
    return answer.volume_tests, answer.primitive_tests, answer.exact_tests, answer.threads


def contact_steps(
    a: Clusters,
    b: Clusters,
    rows_a: np.ndarray,
    rows_b: np.ndarray,
    options: ContactOptions,
    chosen: Chosen = as_they_are,
) -> Generator[float, None, ClusterContacts]:
    """Find contacts in poses (k, 3, 4) of both objects; yield the share of the poses that is done.

    ``chosen`` receives the pairs of clusters that may have contacts, and returns the pairs to query.
    """
    tally = Tally()
    total = max(len(rows_a), len(rows_b))
    for pose in range(total):
        rows = rows_a[min(pose, len(rows_a) - 1)], rows_b[min(pose, len(rows_b) - 1)]
        near = hold_progress(candidate_steps(a, b, *rows, 0.0, options.with_itself), _share_of_all(pose, total, 0.0))
        pairs = chosen((yield from near))
        steps = pairs_steps(a, b, pose, rows, options, pairs, tally)
        yield from map_progress(steps, partial(_share_of_all, pose, total))
    return joined(a, b, tally, total)


def _share_of_all(pose: int, total: int, share: float) -> float:
    return (pose + share) / total


def pairs_steps(
    a: Clusters,
    b: Clusters,
    pose: int,
    rows: tuple[np.ndarray, np.ndarray],
    options: ContactOptions,
    pairs: np.ndarray,
    tally: Tally,
) -> Generator[float, None, None]:
    """Find the contacts of pairs of clusters (n, 2) in one pose; yield the share of the pairs that is done."""
    done = 0
    for some in samples(pairs) if options.first_only else [pairs]:
        for batch in batches(a, b, rows, some, None if options.with_itself else 0.0):
            met = False
            for question, sides in _questions(a, b, batch, rows, options):
                answer = yield from hold_progress(answer_steps(question), done / len(pairs))
                met |= tally.take(pose, counts_of(answer), _portion(question, answer, sides, rows, options))
            if met and options.first_only:
                return
            done += len(batch)


def _questions(
    a: Clusters, b: Clusters, batch: np.ndarray, rows: tuple[np.ndarray, np.ndarray], options: ContactOptions
) -> Generator[tuple[Question, tuple[Loaded, Loaded]], None, None]:
    """Yield the queries for a batch of pairs of clusters (n, 2).

    A page against itself is queried as an object against itself, except for a soup: its triangles share no vertices in
    the source, but do so in the page.
    """
    side_a, side_b = loaded_pair(a, b, batch)
    jobs = np.stack([np.searchsorted(side.numbers, batch[:, k]) for k, side in enumerate((side_a, side_b))], axis=1)
    flags: dict[str, Any] = options._asdict() | {"with_itself": False}
    of_one = batch[:, 0] == batch[:, 1] if options.with_itself and not _is_soup(a) else np.zeros(len(batch), np.bool_)
    for itself in (False, True):
        part = jobs[of_one == itself]
        if len(part):
            if itself:
                part = np.repeat(part[:, :1], 2, axis=1)
            row_a, row_b = (row[None].copy() for row in rows)
            flags["with_itself"] = itself
            sides = side_a, side_a if itself else side_b
            yield Question(sides[0].tree_set.side, sides[1].tree_set.side, part, row_a, row_b, **flags), sides


def loaded_pair(a: Clusters, b: Clusters, batch: np.ndarray) -> tuple[Loaded, Loaded]:
    """Load the clusters of both sides of a batch, so that all are in memory at the same time."""
    numbers = np.unique(batch[:, 0]), np.unique(batch[:, 1])
    if a.clustered is None or a.clustered is not b.clustered:
        return loaded(a, numbers[0]), loaded(b, numbers[1])
    a.clustered.pages.load(np.union1d(*numbers).tolist())  # so that neither load below drops pages of the other
    return loaded(a, numbers[0]), loaded(b, numbers[1])


def _is_soup(side: Clusters) -> bool:
    return side.clustered is not None and side.clustered.pages.header.soup


def _portion(
    question: Question,
    answer: Answer,
    sides: tuple[Loaded, Loaded],
    rows: tuple[np.ndarray, np.ndarray],
    options: ContactOptions,
) -> Portion:
    """Convert an answer to indices in the whole meshes."""
    trees = question.jobs[answer.jobs]
    pairs, places = (
        np.stack([find(side)(trees[:, k], answer.pairs[:, k]) for k, side in enumerate(sides)], axis=1)
        for find in (lambda side: side.ids, lambda side: side.places)
    )
    kinds = answer.kinds
    if options.with_itself and not question.with_itself:
        kept = _beyond_neighbours(trees, answer, sides, rows, pairs)
        pairs, places, kinds = pairs[kept], places[kept], kinds[kept]
    if options.with_itself:
        turned = pairs[:, 0] > pairs[:, 1]
        pairs[turned], places[turned] = pairs[turned, ::-1], places[turned, ::-1]
    return Portion(pairs, places, kinds)


def _beyond_neighbours(
    trees: np.ndarray,
    answer: Answer,
    sides: tuple[Loaded, Loaded],
    rows: tuple[np.ndarray, np.ndarray],
    pairs: np.ndarray,
) -> np.ndarray:
    """Return which contacts between pages of one object count.

    Duplicates do not count, nor do contacts in which neighbouring triangles touch only at their shared vertices. A page
    of a soup that is queried with itself returns each pair twice, and each triangle with itself.
    """
    kept = np.ones(len(pairs), np.bool_)
    numbers = [side.numbers[trees[:, k]] for k, side in enumerate(sides)]
    kept[numbers[0] == numbers[1]] = (pairs[:, 0] < pairs[:, 1])[numbers[0] == numbers[1]]
    if len(sides[0].pages[0].vertex_ids) == 0:
        return kept
    touching = np.flatnonzero(kept & (answer.kinds == TOUCHING))
    ids, corners = zip(
        *(_vertices_at(side, trees[touching, k], answer.pairs[touching, k]) for k, side in enumerate(sides)),
        strict=True,
    )
    own = np.stack(ids, axis=1)  # the indices are only compared for equality
    small = np.unique(own, return_inverse=True)[1].reshape(own.shape).astype(np.int32)
    world = [transform_points(row, corner) for row, corner in zip(rows, corners, strict=True)]
    kept[touching] = touching_beyond_shared(small[:, 0], world[0], small[:, 1], world[1])
    return kept


def _vertices_at(side: Loaded, trees: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the vertices of triangles of trees: indices in the whole mesh (n, 3) int64, positions (n, 3, 3) [m]."""
    ids, corners = np.empty((len(trees), 3), np.int64), np.empty((len(trees), 3, 3))
    for tree in np.unique(trees):
        rows = np.flatnonzero(trees == tree)
        page = side.pages[tree]
        mesh = page.hierarchy.mesh
        ids[rows] = page.vertex_ids[mesh.arrays[1][triangles[rows]]]
        corners[rows] = mesh.corners_of(triangles[rows])
    return ids, corners


def joined(a: Clusters, b: Clusters, tally: Tally, total: int) -> ClusterContacts:
    """Join all portions to one sorted answer. Indices are int32 if they fit, as for meshes in memory."""
    portions = tally.portions
    pairs = np.concatenate([np.empty((0, 2), np.int64), *(p.pairs for p in portions)])
    places = np.concatenate([np.empty((0, 2), np.int64), *(p.places for p in portions)])
    kinds = np.concatenate([np.empty(0, np.uint8), *(p.kinds for p in portions)])
    jobs = np.repeat(np.array(tally.poses, np.int32), [len(p.kinds) for p in portions])
    bits = (a.triangle_count.bit_length(), b.triangle_count.bit_length(), (total - 1).bit_length())
    pairs, order, jobs = sort_pairs(pairs, np.arange(len(jobs)), jobs, *bits, len(jobs).bit_length())
    counts = tally.volume_tests, tally.primitive_tests, tally.exact_tests, tally.threads
    return ClusterContacts(Answer(small_numbers(a, b, pairs), kinds[order], jobs, *counts), places[order])


def small_numbers(a: Clusters, b: Clusters, pairs: np.ndarray) -> np.ndarray:
    """Return pairs as int32 if the indices of both objects' triangles fit, otherwise unchanged."""
    return pairs.astype(np.int32) if max(a.triangle_count, b.triangle_count) <= _SMALL else pairs
