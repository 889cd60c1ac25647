"""Pairs of objects to judge, and the tolerances of their verdicts."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..traversal.forest import Forest, TreeSet
from ..traversal.frames import inverses_of
from ..traversal.question import Answer
from ..traversal.solids import Solids
from ..types.mesh import TriangleMesh


class Limits(NamedTuple):
    """Lengths [m] that a verdict tolerates; they do not affect which triangles meet."""

    permitted_overlap: float = 0.0
    touch_tolerance: float = 0.0
    by_resolution: bool = False
    """Permit each pair the sum of both objects' resolutions, instead of one length for all."""
    depths: bool = True
    """Measure every depth, not only depths that decide a verdict."""
    exact: bool = False
    """Tighten the bounds of every depth."""

    def permitted(self, resolutions: np.ndarray) -> np.ndarray:
        """Return the permitted overlap (k,) [m] of pairs of objects with resolutions (k, 2) [m].

        Two faces that are meant to lie in one plane overlap by at most the sum of the errors of both.
        """
        if self.by_resolution:
            return resolutions.sum(axis=1)
        return np.full(len(resolutions), self.permitted_overlap)

    def rounding(self, resolutions: np.ndarray) -> np.ndarray:
        """Return how far (k,) [m] surfaces that bound no solid may cross: their resolution, or less if less is allowed.

        A permitted length given by the user applies to depths of solids. Surfaces have no depth: a short move can
        separate a box from the tray that it crosses.
        """
        return np.minimum(self.permitted(resolutions), resolutions.sum(axis=1))


class Case(NamedTuple):
    """Object pairs to judge: trees of one tree set in their poses, and the contacts between the objects."""

    tree_set: TreeSet
    solids: Solids
    jobs: np.ndarray
    rows_a: np.ndarray
    rows_b: np.ndarray
    boxes_a: np.ndarray
    """Exact world bounds of the first objects, (k, 6) float64 [m]."""
    boxes_b: np.ndarray
    answer: Answer
    resolutions: np.ndarray
    """Precision of the world coordinates of both objects, (k, 2) float64 [m]."""
    meshes: Sequence[TriangleMesh] = ()
    """Meshes of the trees of the tree set, for devices; empty if no device is used."""

    @property
    def both_closed(self) -> np.ndarray:
        """Return which pairs consist of two solids, (k,) bool."""
        closed: np.ndarray = self.solids.closed[self.jobs].all(axis=1)
        return closed

    @property
    def starts(self) -> np.ndarray:
        """Return the offsets (k + 1,) int64: the contacts of pair j are the rows starts[j]:starts[j + 1] of the
        result.
        """
        jobs = self.answer.jobs
        return np.searchsorted(jobs, np.arange(len(self.jobs) + 1, dtype=jobs.dtype)).astype(np.int64)

    def posed(self) -> tuple[Any, ...]:
        """Return the arguments that all kernels on posed solids share."""
        tree_set, rows = self.tree_set, (self.rows_a, self.rows_b)
        inverses = [inverses_of(side) for side in rows]
        return tree_set.forest, self.solids, tree_set.origins, tree_set.reaches, self.jobs, *rows, *inverses

    def chosen(self, mask: np.ndarray) -> "Case":
        """Return the case reduced to the object pairs for which ``mask`` (k,) bool is true, with their contacts."""
        own = mask[self.answer.jobs]
        numbers = (np.cumsum(mask) - 1).astype(np.int32)
        answer = self.answer._replace(
            pairs=self.answer.pairs[own], kinds=self.answer.kinds[own], jobs=numbers[self.answer.jobs[own]]
        )
        return self._replace(
            jobs=self.jobs[mask], rows_a=self.rows_a[mask], rows_b=self.rows_b[mask],
            boxes_a=self.boxes_a[mask], boxes_b=self.boxes_b[mask], answer=answer,
            resolutions=self.resolutions[mask],
        )  # fmt: skip


def pair_order(case: Case) -> np.ndarray:
    """Return for which pairs the second object is processed first, (k,) bool, independently of the order of the
    arguments.

    Rounding makes the last bits of points and depths depend on the order of two objects, so all measurements use a
    canonical order, which follows from the numbers of the world boxes. If the boxes are equal, the poses decide, and
    then the meshes. If all these numbers are equal, the order of the two objects does not matter.
    """
    different = case.boxes_a != case.boxes_b
    column = different.argmax(axis=1)
    every = np.arange(len(case.jobs))
    swapped: np.ndarray = case.boxes_a[every, column] > case.boxes_b[every, column]
    for job in np.flatnonzero(~different.any(axis=1)).tolist():
        sides = zip(case.jobs[job].tolist(), (case.rows_a[job], case.rows_b[job]), strict=True)
        one, other = (_numbers(case.tree_set.forest, tree, rows) for tree, rows in sides)
        swapped[job] = one > other
    return swapped


def _numbers(forest: Forest, tree: int, rows: np.ndarray) -> tuple[int, bytes, bytes]:
    """Return a sort key that distinguishes objects in the same box."""
    triangles = forest.triangles[forest.triangle_start[tree] : forest.triangle_end[tree]]
    corners = forest.vertices[forest.vertex_start[tree] + triangles]
    return len(triangles), rows.tobytes(), corners.tobytes()
