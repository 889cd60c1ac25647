"""``advise``: measure which bounding volume and split rule suit two given objects best."""

from __future__ import annotations

import time
from collections.abc import Collection, Generator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from ..answering.answer import answer_steps
from ..errors import UnsupportedOption
from ..hierarchy.build import AUTO, SPLITS, build
from ..hierarchy.bvh import Hierarchy
from ..query.collide import collide
from ..query.operands import question_about
from ..traversal.question import Answer
from ..types.arguments import items_of, one_of
from ..types.mesh import TriangleMesh, no_mesh
from ..types.pose import PoseLike, matched_poses, pose_stack
from ..types.results import Progress
from ..types.steps import in_slices, progress_fractions, scale_progress, steps
from ..volumes.registry import VOLUMES

_T = TypeVar("_T")
_RUNS = 3
_BUILD_SHARE = 0.25  # share of a try for building either object's hierarchy; the runs take the rest
_SMALL = TriangleMesh([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])


@dataclass(frozen=True)
class Candidate:
    """The measurements for one kind of bounding volume and one split rule."""

    volume: str
    split: str
    build_seconds: float
    """Processor time to build both hierarchies [s]."""
    query_seconds: float
    """Processor time to find all contacts of one pose [s]: the shortest of three runs."""
    bytes_per_triangle: float
    """Memory per triangle [bytes] of the tree, its volumes and its order, without the mesh."""
    volume_tests: float
    """Number of tests of two volumes for one pose, N_bv."""
    primitive_tests: float
    """Number of tests of two triangles for one pose, N_p."""


@dataclass(frozen=True)
class Advice:
    """All tested combinations of bounding volume and split rule. The combination with the fastest queries comes
    first.
    """

    candidates: tuple[Candidate, ...]

    @property
    def best(self) -> Candidate:
        """The fastest of the tested hierarchies for objects that are queried many times."""
        return self.candidates[0]

    @property
    def best_once(self) -> Candidate:
        """The fastest of the tested hierarchies for a single query, including the time to build them."""
        return min(self.candidates, key=lambda c: c.build_seconds + c.query_seconds)

    def __str__(self) -> str:
        head = f"{'volume':8} {'split':9} {'build ms':>9} {'query ms':>9} {'bytes/tri':>9} {'N_bv':>10} {'N_p':>9}"
        lines = (
            f"{c.volume:8} {c.split:9} {1e3 * c.build_seconds:9.2f} {1e3 * c.query_seconds:9.3f} "
            f"{c.bytes_per_triangle:9.1f} {c.volume_tests:10.0f} {c.primitive_tests:9.0f}"
            for c in self.candidates
        )
        return "\n".join((head, *lines))


@in_slices
def advise(
    a: TriangleMesh,
    b: TriangleMesh,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    volumes: Sequence[str] | None = None,
    splits: Sequence[str] | None = None,
) -> Generator[Progress, None, Advice]:
    """Measure which bounding volume and split rule suit two objects best. For each combination, the function builds
    both hierarchies and finds all contacts.

    MeshClash compiles the code for each kind of volume on first use. The measurements do not include the time to
    compile, which is some seconds. All measurements use a single thread.

    Args:
        a, b: meshes.
        pose_a, pose_b: as for ``collide``; a stack of typical poses gives the best advice.
        volumes, splits: names of the volumes and split rules to try; default: all of them.

    Raises:
        InvalidMesh: a or b is not a TriangleMesh.
        InvalidPose: a pose is invalid.
        UnsupportedOption: an unknown name, or an empty list.

    Example:
        >>> import meshclash as mc
        >>> box = mc.shapes.box(1.0)
        >>> advice = mc.lab.advise(box, box, volumes=["aabb"], splits=["lbvh"])
        >>> len(advice.candidates)
        1
    """
    for mesh in (a, b):
        if not isinstance(mesh, TriangleMesh):
            raise no_mesh(mesh, "a TriangleMesh, since advise builds hierarchies itself")
    volumes = _names("volume", list(VOLUMES) if volumes is None else volumes, VOLUMES)
    splits = _names("split", list(SPLITS) if splits is None else splits, (AUTO, *SPLITS))
    matched_poses(pose_a, pose_b)
    tries = [(volume, split) for volume in volumes for split in splits]
    found = []
    for done, (volume, split) in enumerate(tries):
        steps = _try_steps(a, b, pose_a, pose_b, volume, split)
        found.append(
            (
                yield from scale_progress(
                    steps, done / len(tries), (done + 1) / len(tries), f"trying {volume} by {split}"
                )
            )
        )
    return Advice(tuple(sorted(found, key=lambda c: c.query_seconds)))


def _names(what: str, chosen: Any, known: Collection[str]) -> list[str]:
    """Return the names to try; raise UnsupportedOption before anything is built."""
    names = [one_of(what, name, sorted(known)) for name in items_of(f"{what}s", chosen, "names")]
    if not names:
        raise UnsupportedOption("advise needs at least one volume and one split to try")
    return names


def _try_steps(
    a: TriangleMesh, b: TriangleMesh, pose_a: Any, pose_b: Any, volume: str, split: str
) -> Generator[float, None, Candidate]:
    yield 0.0
    small = build(_SMALL, volume, split)
    collide(small, small, device="cpu")  # compiles
    trees: list[Hierarchy] = []
    building = 0.0
    for side, mesh in enumerate((a, b)):
        low = _BUILD_SHARE * side
        tree, taken = yield from _timed(progress_fractions(steps(build, mesh, volume, split)), low, low + _BUILD_SHARE)
        trees.append(tree)
        building += taken
    answer, taken = yield from _least_of_runs(trees, pose_a, pose_b)
    count = max(len(pose_stack(pose)[0]) for pose in (pose_a, pose_b))
    size = sum(_bytes(tree) for tree in trees) / (a.triangle_count + b.triangle_count)
    return Candidate(
        volume, split, building, taken / count, size, answer.volume_tests / count, answer.primitive_tests / count
    )


def _least_of_runs(
    trees: Sequence[Hierarchy], pose_a: Any, pose_b: Any
) -> Generator[float, None, tuple[Answer, float]]:
    """Return the contacts of two objects, and the shortest processor time [s] of several runs."""
    begin, least = 2.0 * _BUILD_SHARE, np.inf
    for done in range(_RUNS):
        low, high = (begin + (1.0 - begin) * k / _RUNS for k in (done, done + 1))
        steps = answer_steps(question_about(trees[0], trees[1], matched_poses(pose_a, pose_b)[:2], None)[0])
        answer, taken = yield from _timed(steps, low, high)
        least = min(least, taken)
    return answer, least


def _timed(steps: Generator[float, None, _T], low: float, high: float) -> Generator[float, None, tuple[_T, float]]:
    """Run a generator of steps; return its result and its processor time [s].

    The progress that they yield is mapped to the range from ``low`` to ``high``.
    """
    taken = 0.0
    while True:
        start = time.process_time()
        try:
            share = next(steps)
        except StopIteration as stop:
            return stop.value, taken + time.process_time() - start
        taken += time.process_time() - start
        yield low + (high - low) * share


def _bytes(tree: Hierarchy) -> int:
    return sum(array.nbytes for array in (tree.tree.first, tree.tree.count, tree.tree.order, tree.volumes))
