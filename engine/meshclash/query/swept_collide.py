"""``swept_collide`` and ``swept_self_collide``: the triangles that meet between two frames, and their first contact.

Two triangles meet between the frames if and only if they meet at the first frame, or a corner of one meets the other
triangle, or an edge of one meets an edge of the other: if they first meet after the first frame, their boundaries touch
first. The first frame is tested as in ``collide``. The elements (corner and triangle, pair of edges) are tested by
``impacts``, each once, even if several triangles share it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from ..answering.answer import answer_steps
from ..answering.engine_choice import engine_steps
from ..continuous.adjacent_triangles import Neighbours
from ..continuous.impacts import STAGE_NAMES
from ..continuous.incident_triangles import triangle_pairs
from ..continuous.moving_engine import MovingEngine
from ..continuous.moving_tree import Elements, MovingTree
from ..errors import InvalidMesh
from ..hierarchy.build import DEFAULT_LEAF_SIZE, build, refit
from ..hierarchy.bvh import Hierarchy, MeshLike
from ..traversal.engine import Chunk
from ..types.foreign_meshes import ForeignMesh, as_own
from ..types.mesh import TriangleMesh, no_mesh
from ..types.numbers import given_array, truth
from ..types.pose import pose_stack
from ..types.results import Progress, QueryStats
from ..types.steps import in_slices, map_progress, progress_fractions, steps
from .operands import question_about
from .options import check_threads
from .swept_points import SweptPoints, swept_points

_HORIZONS = (2.0**-4, 1.0)
"""Ends of the time intervals in which the first contact is searched, one after the other."""
_KEY = "continuous elements"


@dataclass(frozen=True, eq=False)
class SweptContacts:
    """All pairs of triangles that touch or cross each other between two frames, sorted by (frame, i, j).

    Attributes:
        pairs: (k, 2) int32, triangle of a and triangle of b; i < j within one object.
        time: (k,) float64: lower bounds of the times of first contact, at most 2**-40 too low; 0 for pairs that already
            touch or cross at the first frame.
        frame: (k,) int32: index of the interval in a stack; 0 without a stack.
        counters: Number of elements (points and triangles, pairs of edges) that each stage decided, as in ``Impacts``.
    """

    pairs: np.ndarray
    time: np.ndarray
    frame: np.ndarray
    stats: QueryStats
    counters: dict[str, int] = field(default_factory=dict)

    _sides: list[_Side] = field(default_factory=list, repr=False)

    def __len__(self) -> int:
        return len(self.pairs)

    def points(self) -> SweptPoints:
        """For each pair, return the point of first contact and its normal. The result also contains the barycentric
        coordinates and the feature of this point on both triangles.
        """
        ends = np.empty((2, len(self), 2, 3, 3))
        for frame in np.unique(self.frame):
            own = self.frame == frame
            for side in range(2):
                for end, mesh in enumerate(self._sides[-side].at(frame)):
                    ends[end, own, side] = mesh.corners_of(self.pairs[own, side])
        return swept_points(ends[0], ends[1], self.time)

    def __repr__(self) -> str:
        return f"SweptContacts({len(self)} pairs)"


@in_slices
def swept_collide(
    a: MeshLike | ForeignMesh,
    b: MeshLike | ForeignMesh,
    start_a: Any = None,
    end_a: Any = None,
    start_b: Any = None,
    end_b: Any = None,
    *,
    first_only: bool = False,
    threads: int | None = None,
) -> Generator[Progress, None, SweptContacts]:
    """Return all pairs of triangles that touch or cross each other between two frames, while all vertices move on
    straight lines.

    The result is exact. The result includes both frames themselves, and therefore all pairs that ``collide`` finds at
    either frame.

    Args:
        a, b: meshes or hierarchies, whose triangles are used.
        start_a, start_b: vertices at time 0, (n, 3) [m], or a stack (k, n, 3) for k intervals; None for the vertices
            of the mesh.
        end_a, end_b: vertices at time 1, in the same form; all stacks must have the same length, and an array that is
            not a stack is used for all intervals.
        first_only: return only one pair for each interval, with the earliest contact.
        threads: maximum number of threads, which does not change the result; None uses all cores.

    Raises:
        InvalidMesh: neither a mesh nor a hierarchy, vertices of the wrong number or shape, coordinates that are not
            finite or above 1e30, or stacks of different lengths.
        UnsupportedOption: an invalid ``threads`` or ``first_only``.

    Example:
        >>> import meshclash as mc
        >>> point = mc.TriangleMesh([[0, 0, 1], [0.1, 0, 1], [0, 0.1, 1]], [[0, 1, 2]])
        >>> found = mc.motion.swept_collide(point, mc.shapes.plane(4.0), end_a=point.vertices - [0, 0, 2])
        >>> round(float(found.time[0]), 9)
        0.5
    """
    if b is None:
        raise InvalidMesh("b: expected a TriangleMesh or a Hierarchy, not None; use swept_self_collide for one object")
    return (yield from _swept([_Side("a", a, start_a, end_a), _Side("b", b, start_b, end_b)], first_only, threads))


@in_slices
def swept_self_collide(
    a: MeshLike | ForeignMesh,
    start: Any = None,
    end: Any = None,
    *,
    first_only: bool = False,
    threads: int | None = None,
) -> Generator[Progress, None, SweptContacts]:
    """Return the pairs (i < j) of triangles of one object that touch or cross each other between two frames, apart from
    a vertex or edge that they share.

    A pair is returned if and only if ``self_collide`` would report it at some time from 0 to 1. Neighbouring triangles
    therefore do not count as touching if they only touch at the vertex or edge that they share. Even if a corner of one
    triangle moves exactly onto the shared vertex or edge, the triangles do not count as touching. The time of a pair is
    the first time at which ``self_collide`` would report it. If there is no first time, the time of the pair is the
    limit that such times approach. The arguments and errors are the same as for ``swept_collide``.

    Example:
        >>> import meshclash as mc
        >>> mesh = mc.shapes.box(1.0)
        >>> len(mc.motion.swept_self_collide(mesh, end=2.0 * mesh.vertices))
        0
    """
    return (yield from _swept([_Side("a", a, start, end)], first_only, threads))


def _swept(sides: list[_Side], first_only: bool, threads: int | None) -> Generator[Progress, None, SweptContacts]:
    """Compute ``swept_collide`` for two objects, or ``swept_self_collide`` for one object."""
    first_only, threads = truth("first_only", first_only), check_threads(threads)
    begin = time.perf_counter()
    count = _interval_count(sides)
    found, stats, counters = [], QueryStats(), dict.fromkeys(STAGE_NAMES, 0)
    for frame in range(count):
        steps = _interval_steps(sides, frame, first_only, threads)
        pairs, times, work, counts = yield from map_progress(steps, partial(_told, frame, count))
        found.append((pairs, times, np.full(len(pairs), frame, np.int32)))
        stats = replace(stats.plus(work), threads=max(stats.threads, work.threads))
        counters = {name: counters[name] + int(n) for name, n in zip(STAGE_NAMES, counts, strict=True)}
    pairs, times, frames = (np.concatenate(column) for column in zip(*found, strict=True))
    return SweptContacts(pairs, times, frames, replace(stats, seconds=time.perf_counter() - begin), counters, sides)


def _told(frame: int, count: int, told: tuple[float, str]) -> Progress:
    """Convert the progress within one interval to the progress of all intervals."""
    return Progress((frame + told[0]) / count, told[1])


class _Side:
    """One object with its vertices at both ends of every interval."""

    def __init__(self, name: str, thing: object, start: Any, end: Any) -> None:
        thing = as_own(thing)
        if not isinstance(thing, MeshLike):
            raise InvalidMesh(f"{name}: {no_mesh(thing)}")
        self.mesh = thing.mesh if isinstance(thing, Hierarchy) else thing
        self._starts, self._ends = (
            self._frames(f"{word} of {name}", x) for word, x in (("start", start), ("end", end))
        )
        self.lengths = {len(frames) for frames, stacked in (self._starts, self._ends) if stacked}
        self._hierarchy: Hierarchy | None = None

    def _frames(self, name: str, vertices: Any) -> tuple[list[TriangleMesh], bool]:
        """Return the mesh at every frame of a stack, or at a single frame, and whether a stack was given."""
        if vertices is None:
            return [self.mesh], False
        try:
            given = vertices
            if not isinstance(vertices, np.ma.MaskedArray):
                given = given_array("vertices", vertices, InvalidMesh)
            stacked = given.ndim == 3
            if stacked and len(given) == 0:
                raise InvalidMesh("the stack of poses or frames is empty")
            return [self.mesh.with_vertices(v) for v in (given if stacked else [given])], stacked
        except InvalidMesh as error:
            raise InvalidMesh(f"{name}: {error}") from None
        except (TypeError, ValueError) as error:
            raise InvalidMesh(f"{name} cannot be read as numbers: {error}") from None

    def at(self, frame: int) -> tuple[TriangleMesh, TriangleMesh]:
        """Return the mesh at both ends of an interval."""
        (starts, many), (ends, more) = self._starts, self._ends
        return starts[frame if many else 0], ends[frame if more else 0]

    def hierarchy_steps(self, start: TriangleMesh) -> Generator[float, None, Hierarchy]:
        """Return a hierarchy for the start of an interval; it is built once and then refitted."""
        if self._hierarchy is None:
            self._hierarchy = yield from progress_fractions(steps(build, start))
        elif self._hierarchy.mesh is not start:
            self._hierarchy = refit(self._hierarchy, start.vertices)
        return self._hierarchy

    @property
    def elements(self) -> Elements:
        """Vertices and edges of the triangles, cached with the mesh."""
        if _KEY not in self.mesh.derived:
            self.mesh.derived[_KEY] = Elements(self.mesh.triangles, self.mesh.vertex_count)
        return self.mesh.derived[_KEY]


def _interval_count(sides: Iterable[_Side]) -> int:
    lengths = set().union(*(side.lengths for side in sides))
    if len(lengths) > 1:
        raise InvalidMesh(f"stacks of {' and '.join(map(str, sorted(lengths)))} frames have different lengths")
    return lengths.pop() if lengths else 1


def _interval_steps(
    sides: list[_Side], frame: int, first_only: bool, threads: int
) -> Generator[tuple[float, str], None, tuple[np.ndarray, np.ndarray, QueryStats, np.ndarray]]:
    """Return pairs (k, 2) and times (k,) of one interval, the statistics, and the counters of the stages."""
    hierarchies = []
    for side in sides:
        steps = side.hierarchy_steps(side.at(frame)[0])
        hierarchies.append((yield from _labelled(steps, 0.0, "building")))
    with_itself = len(sides) == 1
    first, last = hierarchies[0], hierarchies[-1]
    here = pose_stack(None)[0]
    options = {"first_only": first_only, "with_itself": with_itself, "threads": threads}
    question, _ = question_about(first, last, (here, here), None, **options)
    answer = yield from _labelled(answer_steps(question), 0.1, "contacts at the first frame")
    stats = answer.stats()
    if first_only and len(answer.pairs):
        return answer.pairs[:1], np.zeros(1), stats, np.zeros(len(STAGE_NAMES), np.int64)
    low = np.min([mesh.bounds[0] for side in sides for mesh in side.at(frame)], axis=0)
    high = np.max([mesh.bounds[1] for side in sides for mesh in side.at(frame)], axis=0)
    origin = 0.5 * low + 0.5 * high
    trees = [
        MovingTree(h.tree, *side.at(frame), origin, side.elements) for h, side in zip(hierarchies, sides, strict=True)
    ]
    engine = MovingEngine(
        trees[0], trees[-1], DEFAULT_LEAF_SIZE, with_itself, first_only, threads, _counted(sides, frame)
    )
    proved: list[Chunk] = []
    for horizon in _HORIZONS if first_only else _HORIZONS[-1:]:
        engine.begin(horizon)
        yield from _labelled(engine_steps(engine, proved.append), 0.45, "moving triangles")
        if engine.found_before(horizon):
            break
    nodes, triangles, _ = engine.counters
    stats = stats.plus(QueryStats(volume_tests=nodes, primitive_tests=triangles))
    stats = replace(stats, threads=max(stats.threads, engine.threads))
    pairs, times = _triangles(proved, engine.decided, sides)
    pairs = np.concatenate([answer.pairs, pairs])
    times = np.concatenate([np.zeros(len(answer.pairs)), times])
    return (*_earliest(pairs, times, first_only), stats, engine.counts)


def _labelled(steps: Generator[float, None, Any], low: float, text: str) -> Generator[tuple[float, str], None, Any]:
    """Convert the progress of one step to the progress of its interval."""
    return map_progress(steps, lambda share: (low + 0.1 * share, text))


_Counted = Callable[..., Generator[float, None, tuple[np.ndarray, np.ndarray]]]


def _counted(sides: list[_Side], frame: int) -> _Counted:
    """Return the callback of ``MovingEngine``: triangles whose elements meet; within one object, only the meetings that
    count.
    """
    if len(sides) == 1:
        start, end = sides[0].at(frame)
        vertices, triangles = start.arrays
        return Neighbours(triangles, vertices, end.arrays[0], sides[0].elements).counted_steps

    def every(
        pairs: np.ndarray, codes: np.ndarray, times: np.ndarray
    ) -> Generator[float, None, tuple[np.ndarray, np.ndarray]]:
        yield 0.0
        both, of = triangle_pairs(pairs, codes, sides[0].elements, sides[1].elements)
        return both, times[of]

    return every


def _triangles(
    proved: list[Chunk], decided: list[tuple[np.ndarray, np.ndarray]], sides: list[_Side]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs of triangles (k, 2) whose elements meet, possibly repeated, and their times (k,)."""
    found = list(decided)
    if proved:
        pairs, codes, times = map(np.concatenate, zip(*proved, strict=True))
        both, of = triangle_pairs(pairs, codes, sides[0].elements, sides[-1].elements)
        found.append((both, times[of]))
    pairs = np.concatenate([np.empty((0, 2), np.int32), *(p for p, _ in found)])
    if len(sides) == 1:
        pairs.sort(axis=1)
    return pairs, np.concatenate([np.empty(0), *(t for _, t in found)])


def _earliest(pairs: np.ndarray, times: np.ndarray, first_only: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return each pair once, with its earliest time, sorted; or only the earliest pair."""
    if first_only:
        order = np.lexsort((pairs[:, 1], pairs[:, 0], times))[:1]
        return pairs[order], times[order]
    order = np.lexsort((times, pairs[:, 1], pairs[:, 0]))
    pairs, times = pairs[order], times[order]
    new = np.ones(len(pairs), np.bool_)
    new[1:] = (pairs[1:] != pairs[:-1]).any(axis=1)
    return pairs[new], times[new]
