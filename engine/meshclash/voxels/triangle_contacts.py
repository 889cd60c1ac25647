"""Find exact contacts of triangles that share a voxel: each pair once, with the same result as ``collide``."""

from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ..geometry.generic_pair import classify_generic
from ..geometry.neighbours import only_touch_where_shared, touch_beyond_shared, touching_beyond_shared
from ..geometry.predicates import UNCERTAIN, new_workspace
from ..geometry.triangle_pair import APART, CROSSING, TOUCHING, UNDECIDED, classify_exact, classify_rational
from ..jit import inlined, inner, kernel
from ..reference import by_reference
from ..traversal.sorting import sort_pairs
from .common_region import PlacedTriangles
from .entries import Entries

_PIECE = 1 << 15  # entries per kernel call
_FIRST_CAPACITY = 1 << 13
_FOUND, _SERIAL, _BOXES, _TESTS, _EXACT, _STATE_LENGTH = range(6)


class TriangleContacts(NamedTuple):
    """Pairs of triangles that meet, sorted by (i, j), and the work."""

    pairs: np.ndarray
    """(k, 2) int32."""
    kinds: np.ndarray
    """(k,) uint8."""
    box_tests: int
    triangle_tests: int
    exact_tests: int


@inlined
def _corner(corners, v):
    return (corners[v, 0], corners[v, 1], corners[v, 2])


@inlined
def _boxes_meet(p1, q1, r1, p2, q2, r2):
    """Return whether the boxes of two triangles have a common point, exactly."""
    for axis in range(3):
        if max(p1[axis], q1[axis], r1[axis]) < min(p2[axis], q2[axis], r2[axis]):
            return False
        if max(p2[axis], q2[axis], r2[axis]) < min(p1[axis], q1[axis], r1[axis]):
            return False
    return True


@inner
def _kind_of(p1, q1, r1, p2, q2, r2, ids_1, ids_2, with_itself, work):
    """Return the kind of a pair as in ``collide`` or ``self_collide``; APART, or UNDECIDED if it needs integers."""
    if with_itself and only_touch_where_shared(ids_1, (p1, q1, r1), ids_2, (p2, q2, r2)):
        return APART
    kind = classify_generic(p1, q1, r1, p2, q2, r2)
    if kind == UNDECIDED:
        kind = classify_exact(p1, q1, r1, p2, q2, r2, work)
    if with_itself and kind == TOUCHING:
        beyond = touch_beyond_shared(ids_1, (p1, q1, r1), ids_2, (p2, q2, r2), work)
        return UNDECIDED if beyond == UNCERTAIN else (TOUCHING if beyond == 1 else APART)
    return kind


@kernel
def _meet(
    voxels, owners, first, last, starts, lists, corners_a, triangles_a, chosen_a, corners_b, triangles_b, chosen_b,
    with_itself, crossing_only, stamps, state, workspace, pairs, kinds,
):  # fmt: skip
    """Find the pairs of the triangles that own entries ``first`` to ``last``; return the first entry not done.

    The entries of a triangle are processed together, so ``first`` and ``last`` must lie between triangles. ``stamps``
    (triangles of b) has the serial number of the triangle that each was last compared with.
    """
    counter = workspace.counter
    workspace = by_reference(workspace)
    entry = first
    while entry < last:
        owner, begin, before = owners[entry], entry, state[_FOUND]
        state[_SERIAL] += 1
        i = chosen_a[owner]
        p1, q1, r1 = (
            _corner(corners_a, triangles_a[i, 0]), _corner(corners_a, triangles_a[i, 1]),
            _corner(corners_a, triangles_a[i, 2]),
        )  # fmt: skip
        while entry < last and owners[entry] == owner:
            for k in range(starts[voxels[entry]], starts[voxels[entry] + 1]):
                other = lists[k]
                if stamps[other] == state[_SERIAL] or (with_itself and other <= owner):
                    continue
                stamps[other] = state[_SERIAL]
                j = chosen_b[other]
                p2, q2, r2 = (
                    _corner(corners_b, triangles_b[j, 0]), _corner(corners_b, triangles_b[j, 1]),
                    _corner(corners_b, triangles_b[j, 2]),
                )  # fmt: skip
                state[_BOXES] += 1
                if not _boxes_meet(p1, q1, r1, p2, q2, r2):
                    continue
                state[_TESTS] += 1
                exact = counter[0]
                kind = _kind_of(p1, q1, r1, p2, q2, r2, triangles_a[i], triangles_b[j], with_itself, workspace)
                state[_EXACT] += counter[0] != exact
                if kind == APART or (crossing_only and kind != CROSSING and kind != UNDECIDED):
                    continue
                if state[_FOUND] == pairs.shape[0]:
                    state[_FOUND] = before
                    return begin
                pairs[state[_FOUND], 0], pairs[state[_FOUND], 1] = i, j
                kinds[state[_FOUND]] = kind
                state[_FOUND] += 1
            entry += 1
    return last


def triangle_contact_steps(
    entries: Entries,
    starts: np.ndarray,
    lists: np.ndarray,
    a: PlacedTriangles,
    b: PlacedTriangles,
    crossing_only: bool = False,
    with_itself: bool = False,
) -> Generator[float, None, TriangleContacts]:
    """Find all pairs of triangles of a and b that share a voxel and have a common point; yields the fraction done.

    Args:
        entries: triangles of a with their voxels.
        starts, lists: triangles of b for each voxel (``by_voxel``).
        a, b: the objects.
        crossing_only, with_itself: as in ``traversal/question.py``; with ``with_itself``, a and b are the same.
    """
    state, stamps = np.zeros(_STATE_LENGTH, np.int64), np.zeros(len(b.chosen), np.int64)
    capacity, workspace = _FIRST_CAPACITY, new_workspace()
    pairs, kinds = np.empty((capacity, 2), np.int32), np.empty(capacity, np.uint8)
    chunks: list[tuple[np.ndarray, np.ndarray]] = []
    done, count = 0, len(entries.voxels)
    while done < count:
        goal = _end_of_triangle(entries.owners, min(count, done + _PIECE))
        before = done
        done = _meet(
            *entries, done, goal, starts, lists, a.corners, a.triangles, a.chosen, b.corners, b.triangles, b.chosen,
            with_itself, crossing_only, stamps, state, workspace, pairs, kinds,
        )  # fmt: skip
        found = int(state[_FOUND])
        if done < goal and done == before and found == 0:
            capacity *= 2  # the pairs of a single triangle need more
            pairs, kinds = np.empty((capacity, 2), np.int32), np.empty(capacity, np.uint8)
        chunks.append((pairs[:found].copy(), kinds[:found].copy()))
        state[_FOUND] = 0
        yield done / count
    tests = (int(state[_BOXES]), int(state[_TESTS]), int(state[_EXACT]))
    return TriangleContacts(*_finish(chunks, a, b, crossing_only, with_itself), *tests)


def _end_of_triangle(owners: np.ndarray, end: int) -> int:
    """Return the first entry from ``end`` on whose triangle differs from that of the entry before it."""
    if end == len(owners):
        return end
    return int(np.searchsorted(owners, owners[end - 1], side="right"))


def _finish(
    chunks: list[tuple[np.ndarray, np.ndarray]],
    a: PlacedTriangles,
    b: PlacedTriangles,
    crossing_only: bool,
    with_itself: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """Sort the pairs, and decide the undecided ones with exact rational arithmetic."""
    if not chunks:
        return np.empty((0, 2), np.int32), np.empty(0, np.uint8)
    pairs, kinds = (np.concatenate(column) for column in zip(*chunks, strict=True))
    bits = [(len(thing.triangles) - 1).bit_length() for thing in (a, b)]
    pairs, kinds, _ = sort_pairs(pairs, kinds, np.zeros(len(pairs), np.int32), bits[0], bits[1], 0)
    undecided = np.flatnonzero(kinds == UNDECIDED)
    for n in undecided:
        i, j = pairs[n]
        first, second = a.corners[a.triangles[i]], b.corners[b.triangles[j]]
        kinds[n] = classify_rational(first, second)
        if with_itself and kinds[n] == TOUCHING:
            ids = a.triangles[[i, j]]
            kinds[n] = TOUCHING if touching_beyond_shared(ids[:1], first[None], ids[1:], second[None])[0] else APART
    kept = (kinds == CROSSING) if crossing_only else (kinds != APART)
    return (pairs[kept], kinds[kept]) if len(undecided) else (pairs, kinds)
