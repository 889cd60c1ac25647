"""Mark the voxels of surfaces: all voxels, or only those that another surface also touches."""

from collections.abc import Generator
from typing import Any, NamedTuple

import numpy as np

from ..jit import inlined, inner, parallel_kernel, parallel_region, prange
from .bricks import BYTES_EACH, Bricks, find_brick, larger, new_bricks, take_brick, unite
from .common_region import GridTriangles
from .grid import Grid, check_bytes
from .voxelisation import make_voxeliser

PIECE = 1 << 15
"""Triangles per kernel call: some milliseconds."""
_WORTH_SHARING = 1 << 16
"""Number of triangles above which several threads are used."""


class Nothing(NamedTuple):
    """A placeholder for visitors that need no work data."""

    none: np.ndarray


@inlined
def begin_nothing(work):
    """Do nothing before a triangle, because visiting it twice does no harm."""


@inlined
def want_all(bricks, work, name):
    """Accept every brick."""
    return True


@inlined
def want_common(bricks, work, name):
    """Accept bricks that the set ``work`` also has."""
    return find_brick(work, name) >= 0


@inlined
def visit_all(bricks, work, n, name, x0, x1, bits, shape):
    """Add the voxels of a triangle to ``bricks``; return False if they do not fit."""
    some = np.uint64(0)
    for x in range(x0, x1 + 1):
        some |= bits[x]
    if some == np.uint64(0):
        return True
    brick = take_brick(bricks, name)
    if brick < 0:
        return False
    for x in range(x0, x1 + 1):
        bricks.words[brick, x] |= bits[x]
    return True


@inlined
def visit_common(bricks, work, n, name, x0, x1, bits, shape):
    """Add the voxels of a triangle that are also in the set ``work`` to ``bricks``; return False if they do not fit."""
    other = find_brick(work, name)
    if other < 0:
        return True
    common = np.uint64(0)
    for x in range(x0, x1 + 1):
        common |= bits[x] & work.words[other, x]
    if common == np.uint64(0):
        return True
    brick = take_brick(bricks, name)
    if brick < 0:
        return False
    for x in range(x0, x1 + 1):
        bricks.words[brick, x] |= bits[x] & work.words[other, x]
    return True


_mark_all = make_voxeliser(begin_nothing, want_all, visit_all)
_mark_common = make_voxeliser(begin_nothing, want_common, visit_common)
_mark_part = make_voxeliser(begin_nothing, want_all, visit_all, inner)
_mark_common_part = make_voxeliser(begin_nothing, want_common, visit_common, inner)
_NOTHING = Nothing(np.zeros(1))


@parallel_kernel
def _mark_together(
    points, triangles, chosen, parts, size, slack, tables, names, words, used, last,
    common, other_table, other_names, other_words, other_used, other_last,
):  # fmt: skip
    """Run ``_mark_all`` or ``_mark_common`` in parallel; worker w marks ``parts[w]`` in its own bricks."""
    for w in prange(parts.shape[0]):
        bricks = Bricks(tables[w], names[w], words[w], used[w], last[w])
        others = Bricks(other_table, other_names, other_words, other_used, other_last)
        first, end = parts[w, 0], parts[w, 1]
        if common:
            parts[w, 0] = _mark_common_part(points, triangles, chosen, first, end, size, slack, bricks, others)
        else:
            parts[w, 0] = _mark_part(points, triangles, chosen, first, end, size, slack, bricks, Nothing(other_used))


def mark_steps(
    thing: GridTriangles, grid: Grid, memory: int, threads: int = 1, others: Bricks | None = None
) -> Generator[float, None, Bricks]:
    """Mark the voxels that the surface of an object touches, in slices; yields the fraction done.

    Args:
        thing, grid: the object on its grid.
        memory: maximum memory for the voxels [bytes].
        threads: maximum number of threads; the result does not depend on it.
        others: mark only voxels of this set; None marks all voxels.

    Raises:
        UnsupportedOption: the voxels need more memory.
    """
    count = len(thing.chosen)
    with parallel_region(threads if count >= _WORTH_SHARING else 1) as workers:
        if workers > 1:
            return (yield from _mark_together_steps(thing, grid, memory, others, workers))
        bricks = new_bricks()
        done = 0
        while done < count:
            goal = min(count, done + PIECE)
            done, bricks = _mark_some(thing, grid, memory, others, done, goal, bricks)
            yield done / count
    return bricks


def _mark_some(
    thing: GridTriangles, grid: Grid, memory: int, others: Bricks | None, first: int, last: int, bricks: Bricks
) -> tuple[int, Bricks]:
    given: tuple[Any, ...] = (*thing[:3], first, last, grid.size, thing.slack, bricks)
    done = _mark_all(*given, _NOTHING) if others is None else _mark_common(*given, others)
    return done, (bricks if done == last else more_room(bricks, memory, grid))


def more_room(bricks: Bricks, memory: int, grid: Grid) -> Bricks:
    """Return the bricks with twice the room. Raises UnsupportedOption if that exceeds the memory."""
    check_room(len(bricks.names), memory, grid)
    return larger(bricks)


def check_room(room: int, memory: int, grid: Grid) -> None:
    """Raise UnsupportedOption if twice the present room exceeds the memory limit."""
    check_bytes(2 * room * BYTES_EACH, grid, memory)


def _mark_together_steps(
    thing: GridTriangles, grid: Grid, memory: int, others: Bricks | None, workers: int
) -> Generator[float, None, Bricks]:
    room, count = len(new_bricks().names), len(thing.chosen)
    stacked, each = _bricks_of_workers(room, workers)
    ends = count * np.arange(1, workers + 1) // workers
    begins = count * np.arange(workers) // workers
    while (begins < ends).any():
        parts = np.stack([begins, np.minimum(begins + workers * PIECE, ends)], axis=1)
        goals = parts[:, 1].copy()
        _mark_together(
            *thing[:3], parts, grid.size, thing.slack, *stacked, others is not None, *(others or each[0])
        )  # fmt: skip
        begins = parts[:, 0]
        if (begins < goals).any():
            check_room(workers * room, memory, grid)
            room *= 2
            stacked, larger_ones = _bricks_of_workers(room, workers)
            for old, new in zip(each, larger_ones, strict=True):
                unite(new, old)
            each = larger_ones
        yield float(1.0 - (ends - begins).sum() / count)
    result = each[0]
    for other in each[1:]:
        result = unite(result, other)
    return result


def _bricks_of_workers(room: int, workers: int) -> tuple[list[np.ndarray], list[Bricks]]:
    """Return arrays of empty bricks with an axis for workers, and the bricks of each worker."""
    stacked = [np.stack(arrays) for arrays in zip(*(new_bricks(room) for _ in range(workers)), strict=True)]
    return stacked, [Bricks(*(array[w] for array in stacked)) for w in range(workers)]
