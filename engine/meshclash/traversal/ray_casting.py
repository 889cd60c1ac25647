"""Cast many rays at posed trees on several threads; returns the results of ``rays.py`` as arrays."""

import math
from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ..geometry.predicates import ExactWorkspace
from ..jit import inner, is_compiled, kernel, parallel_kernel, parallel_region, prange, thread_limit
from ..reference import by_reference
from ..types.pose import transform_points
from ..types.steps import map_progress
from .forest import TreeSet
from .frames import make_frame
from .nearest_triangles import parts_of
from .object_tree import STACK_SIZE, Waiting, is_beyond, posed_objects, push_nearest_last, world_ray
from .point import PointWorkspace, new_workspace_arrays
from .rational_rays import Crossing, crossings_by_fractions
from .rays import ALL, ANY, COUNT, FIRST, RayCrossings, trace

_PART = 512
"""Rays per task of a thread."""
_SLICE = 1 << 15
"""Rays between two progress reports, for each thread."""
_SHARED_FROM = 1 << 13
"""Number of rays above which several threads are faster."""
_TESTS = 32
"""Approximate number of volume tests of a ray."""
COMPILED_FOR = 1 << 20
"""Number of rays above which compiling the parallel kernel is worthwhile."""


class Rays(NamedTuple):
    """The n rays of a query."""

    origins: np.ndarray
    """(n, 3) float64 [m]."""
    directions: np.ndarray
    """(n, 3) float64, without zero vectors."""
    lengths: np.ndarray
    """(n,) float64 [m], may be infinite."""


@inner
def _cast_ray(forest, objects, o, d, length, which, found, i, row, work, waiting):
    """Cast ray i at all objects; return the number of crossings, or -1 if it is undecided. ``row``: the first row."""
    n, count = objects.order.shape[0], 0
    ray = by_reference(world_ray(objects, o, d))
    waiting.nodes[0], waiting.entries[0], used = 1, 0.0, 1
    while used > 0:
        used -= 1
        node = waiting.nodes[used]
        limit = min(length, found.distances[i]) if which == FIRST else length
        if is_beyond(ray, waiting.entries[used], limit):
            continue
        if node < n:
            used = push_nearest_last(objects, ray, node, waiting, used)
            continue
        thing = objects.order[node - n]
        frame = by_reference(
            make_frame(
                objects.trees[thing], objects.poses[thing], objects.inverses[thing], objects.origins, objects.reaches
            )
        )
        met, decided = trace(
            forest, frame, thing, o, d, limit, which, found, row + (count if which == ALL else 0), work
        )
        if not decided:
            return -1
        count += met
        if which == ANY and count > 0:
            return count
    return count


@inner
def _cast(
    forest, objects, rays, which, tasks, offsets, counts, found, stack, gaps, counter, expansions, scratch, nodes,
    entries,
):  # fmt: skip
    """Fill ``counts`` (n,), -1 if undecided, and the arrays of ``found``.

    ``found`` has a row for each ray. For ALL it has a row for each crossing, and the rows of a ray begin at its offset.
    ``nodes`` and ``entries`` are the arrays of a Waiting.
    """
    forest = by_reference(forest)
    objects = by_reference(objects)
    rays = by_reference(rays)
    found = by_reference(found)
    work = by_reference(PointWorkspace(stack, gaps, ExactWorkspace(counter, expansions), scratch))
    waiting = by_reference(Waiting(nodes, entries))
    for task in range(tasks.shape[0]):
        for i in range(tasks[task, 0], tasks[task, 1]):
            if which == FIRST:
                found.distances[i], found.triangles[i] = math.inf, -1
                found.objects[i], found.along[i] = -1, 0
                found.weights[i, 0], found.weights[i, 1], found.weights[i, 2] = math.nan, math.nan, math.nan
            o = (rays.origins[i, 0], rays.origins[i, 1], rays.origins[i, 2])
            d = (rays.directions[i, 0], rays.directions[i, 1], rays.directions[i, 2])
            row = offsets[i] if which == ALL else i
            counts[i] = _cast_ray(forest, objects, o, d, rays.lengths[i], which, found, i, row, work, waiting)


@kernel
def _cast_alone(
    forest, objects, rays, which, tasks, offsets, counts, found, stack, gaps, counter, expansions, scratch, nodes,
    entries,
):  # fmt: skip
    """Call ``_cast`` from Python."""
    _cast(
        forest, objects, rays, which, tasks, offsets, counts, found, stack, gaps, counter, expansions, scratch, nodes,
        entries,
    )  # fmt: skip


@parallel_kernel
def _cast_together(
    forest, objects, rays, which, tasks, offsets, counts, found, stack, gaps, counter, expansions, scratch, nodes,
    entries,
):  # fmt: skip
    """Run ``_cast`` in parallel; worker w takes every ``workers``-th task, starting with task w."""
    workers = stack.shape[0]
    for w in prange(workers):
        _cast(
            forest, objects, rays, which, tasks[w::workers], offsets, counts, found, stack[w], gaps[w], counter[w],
            expansions[w], scratch[w], nodes[w], entries[w],
        )  # fmt: skip


def _stacks(shape: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """Create the work arrays of ``_cast``, with ``shape`` as leading dimensions: (threads,), or () for a single one."""
    waiting = np.empty((*shape, STACK_SIZE), np.int64), np.empty((*shape, STACK_SIZE))
    return *new_workspace_arrays(shape), *waiting


class RayCaster:
    """Casts rays at objects. Each object has a tree of boxes and a pose.

    Args:
        tree_set: the trees.
        rows: the poses of n > 0 objects, (n, 3, 4).
        tree_of: the tree of each object, (n,); None: object i has tree i.
    """

    def __init__(self, tree_set: TreeSet, rows: np.ndarray, tree_of: np.ndarray | None = None) -> None:
        self._tree_set = tree_set
        self._objects = posed_objects(tree_set, rows, np.arange(len(rows)) if tree_of is None else tree_of)

    def counts(self, rays: Rays, which: int, threads: int | None) -> Generator[float, None, np.ndarray]:
        """Count the crossings of each ray, (n,) int32. The computation runs in slices. With ANY, the result only tells
        whether the number of crossings is 0.
        """
        counts = np.empty(len(rays.origins), np.int32)
        yield from self._steps(rays, which, threads, _NO_OFFSETS, counts, _new_found(0))
        for k in _undecided(counts):
            counts[k] = len(self._by_fractions(rays, k))
        return counts

    def first(self, rays: Rays, threads: int | None) -> Generator[float, None, RayCrossings]:
        """Find the nearest crossing of each of n rays. The search runs in slices. If a ray has no crossing, its row in
        the result contains the triangle -1 and an infinite distance.

        If several crossings are equally near, the first object is chosen, and within an object the triangle with the
        lowest index.
        """
        n = len(rays.origins)
        counts, found = np.empty(n, np.int32), _new_found(n)
        yield from self._steps(rays, FIRST, threads, _NO_OFFSETS, counts, found)
        for k in _undecided(counts):
            crossings = self._by_fractions(rays, k)
            _put(found, slice(k, k + 1), crossings[:1] or [(-1, Crossing(-1, math.inf, math.nan, math.nan, 0))])
        return found

    def all(self, rays: Rays, threads: int | None) -> Generator[float, None, tuple[np.ndarray, RayCrossings]]:
        """Find all crossings, and return the ray of each crossing, (k,) int64, and the crossings. The search runs in
        slices.

        The crossings are sorted by ray, by distance, by object, and by triangle, in this order.
        """
        counts = np.empty(len(rays.origins), np.int32)
        counting = self._steps(rays, COUNT, threads, _NO_OFFSETS, counts, _new_found(0))
        yield from map_progress(counting, lambda share: 0.5 * share)
        undecided = {k: self._by_fractions(rays, k) for k in _undecided(counts)}
        lengths = counts.astype(np.int64)
        lengths[list(undecided)] = list(map(len, undecided.values()))
        starts, found = np.cumsum(lengths) - lengths, _new_found(int(lengths.sum()))
        chosen = np.flatnonzero(counts > 0)
        met = Rays(*(part[chosen] for part in rays))
        filling = self._steps(met, ALL, threads, starts[chosen], np.empty(len(chosen), np.int32), found)
        yield from map_progress(filling, lambda share: 0.5 + 0.5 * share)
        for k, crossings in undecided.items():
            _put(found, slice(starts[k], starts[k] + lengths[k]), crossings)
        of = np.repeat(np.arange(len(lengths)), lengths)
        order = np.lexsort((found.triangles, found.objects, found.distances, of))
        return of, RayCrossings(*(part[order] for part in found))

    def _steps(
        self, rays: Rays, which: int, threads: int | None, offsets: np.ndarray, counts: np.ndarray, found: RayCrossings
    ) -> Generator[float, None, None]:
        """Cast rays slice by slice; ``counts`` is -1 for rays that the kernels cannot decide."""
        n, allowed = len(counts), thread_limit(threads)
        for part in self._tree_set.parts:  # count the use, so that a much used tree is improved
            part.usage.volume_tests += _TESTS * n / len(self._tree_set.parts)
        shared = n >= (_SHARED_FROM if is_compiled(_cast_together) else COMPILED_FOR)
        together = _SLICE * (allowed if shared else 1)
        for begin in range(0, n, together):
            tasks = parts_of(begin, min(begin + together, n), _PART)
            given = self._tree_set.forest, self._objects, rays, np.int64(which), tasks, offsets, counts, found
            with parallel_region(allowed if shared else 1) as workers:
                if workers > 1:
                    _cast_together(*given, *_stacks((workers,)))
                else:
                    _cast_alone(*given, *_stacks(()))
            yield min(begin + together, n) / n

    def _by_fractions(self, rays: Rays, k: int) -> list[tuple[int, Crossing]]:
        """Return the objects and crossings of one ray by rational arithmetic, the nearest first."""
        ray = rays.origins[k], rays.directions[k], float(rays.lengths[k])
        found = []
        for thing, (tree, rows) in enumerate(zip(self._objects.trees.tolist(), self._objects.poses, strict=True)):
            vertices, triangles = self._tree_set.meshes[tree].arrays
            corners = transform_points(rows, vertices)[triangles]
            found += [(thing, crossing) for crossing in crossings_by_fractions(*ray, corners)]
        return sorted(found, key=lambda item: (item[1].distance, item[0], item[1].triangle))


_NO_OFFSETS = np.empty(0, np.int64)


def _undecided(counts: np.ndarray) -> list[int]:
    """Return the rays that the float64 kernels could not decide."""
    return np.flatnonzero(counts < 0).tolist() if len(counts) and counts.min() < 0 else []


def _new_found(n: int) -> RayCrossings:
    return RayCrossings(
        np.empty(n), np.empty((n, 3)), np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int8)
    )


def _put(found: RayCrossings, rows: slice, crossings: list[tuple[int, Crossing]]) -> None:
    """Write crossings of objects to the given rows."""
    found.objects[rows] = [thing for thing, _ in crossings]
    found.triangles[rows] = [crossing.triangle for _, crossing in crossings]
    found.distances[rows] = [crossing.distance for _, crossing in crossings]
    found.along[rows] = [crossing.along for _, crossing in crossings]
    weights = [(crossing.u, crossing.v, 1.0 - crossing.u - crossing.v) for _, crossing in crossings]
    found.weights[rows] = np.array(weights).reshape(-1, 3)
