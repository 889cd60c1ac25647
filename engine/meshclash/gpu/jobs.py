"""The input of a traversal: pairs of trees with their poses, prepared on the host."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..geometry.relative_pose import SHRINK, narrow_rows, relative_rows
from ..jit import kernel
from ..traversal.question import Question
from ..volumes.aabb import gap, overlap
from .near_steps import NEAR_LENGTH
from .trees import Trees


@dataclass
class Jobs:
    """Pairs of trees with their poses, on a backend.

    Attributes:
        frames: rows of ``narrow_rows``, (k, 24) float32.
        poses_a, poses_b: (k, 12) or (1, 12) float64.
        with_itself: whether objects are tested against themselves.
        first: the first pairs, (n, 3) int32 on the host: both roots and the job, for jobs whose root boxes meet.
    """

    frames: Any
    poses_a: Any
    poses_b: Any
    with_itself: bool
    first: np.ndarray


@dataclass
class NearJobs(Jobs):
    """Jobs for distances and clearances. Their frames are (k, NEAR_LENGTH) and get their limits later.

    Attributes:
        trees: trees of each job, (k, 2) int64.
        limits: distance up to which nodes matter, (k,) float64 [m].
        shrinks: see ``relative_pose.SHRINK``, (k,) float64.
    """

    trees: Any
    limits: Any
    shrinks: Any


@kernel
def _meet(boxes_a, boxes_b, relative, meeting):
    for k in range(relative.shape[0]):
        meeting[k] = overlap(boxes_a[k], boxes_b[k], relative[k])


@kernel
def _come_near(boxes_a, boxes_b, relative, limits, near):
    for k in range(relative.shape[0]):
        near[k] = gap(boxes_a[k], boxes_b[k], relative[k]) <= limits[k]


def prepare_jobs(backend: Any, a: Trees, b: Trees, question: Question) -> Jobs:
    """Prepare the jobs of a contact query.

    The roots are compared in float64. The slack of the float32 frames grows with the distance of two objects, but if
    their roots meet, that distance is at most the size of the objects.
    """
    relative, roots_a, roots_b = _related(a, b, question)
    meeting = np.ones(len(relative), np.bool_)
    if not question.with_itself:
        _meet(roots_a, roots_b, relative, meeting)
    frames = narrow_rows(relative, _largest(roots_a), _largest(roots_b))
    first = _first(a, b, question, np.flatnonzero(meeting))
    return Jobs(
        backend.upload(frames),
        _poses(backend, question.rows_a),
        _poses(backend, question.rows_b),
        question.with_itself,
        first,
    )


def prepare_near_jobs(backend: Any, a: Trees, b: Trees, question: Question, limits: np.ndarray) -> NearJobs:
    """Prepare jobs for pairs of triangles within ``limits`` (k,) float64 [m], one for each job; may be infinite."""
    relative, roots_a, roots_b = _related(a, b, question)
    near = np.empty(len(relative), np.bool_)
    _come_near(roots_a, roots_b, relative, limits, near)
    frames = np.zeros((len(relative), NEAR_LENGTH), np.float32)
    frames[:, :-1] = narrow_rows(relative, _largest(roots_a), _largest(roots_b))
    return NearJobs(
        backend.upload(frames), _poses(backend, question.rows_a), _poses(backend, question.rows_b), False,
        _first(a, b, question, np.flatnonzero(near)),
        trees=backend.upload(question.jobs), limits=backend.upload(limits), shrinks=backend.upload(relative[:, SHRINK]),
    )  # fmt: skip


def _related(a: Trees, b: Trees, question: Question) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the relative poses and both root boxes of all jobs."""
    of_a, of_b = question.jobs[:, 0], question.jobs[:, 1]
    count = len(question.jobs)
    rows_a, rows_b = (np.array(np.broadcast_to(rows, (count, 3, 4))) for rows in (question.rows_a, question.rows_b))
    relative = relative_rows(rows_a, rows_b, a.centres[of_a], b.centres[of_b], _reaches(a)[of_a], _reaches(b)[of_b])
    return relative, a.root_boxes[of_a], b.root_boxes[of_b]


def _first(a: Trees, b: Trees, question: Question, chosen: np.ndarray) -> np.ndarray:
    """Return the first pairs of nodes: the roots of the chosen jobs."""
    of_a, of_b = question.jobs[chosen, 0], question.jobs[chosen, 1]
    return np.column_stack([a.root_nodes[of_a], b.root_nodes[of_b], chosen]).astype(np.int32)


def _poses(backend: Any, rows: np.ndarray) -> Any:
    return backend.upload(rows.reshape(-1, 12))


def _reaches(trees: Trees) -> np.ndarray:
    """Return the largest absolute coordinates of each mesh, (trees, 3) float64 [m]."""
    return np.stack([np.abs(mesh.bounds).max(axis=0) for mesh in trees.meshes])


def _largest(boxes: np.ndarray) -> np.ndarray:
    """Return the largest absolute coordinates of boxes (k, 6), (k, 3) float32."""
    return np.maximum(np.abs(boxes[:, :3]), np.abs(boxes[:, 3:]))


def own_triangles(a: Trees, b: Trees, question: Question, rows: np.ndarray) -> np.ndarray:
    """Convert rows (n, 4) with triangle indices over all meshes, and jobs, to pairs (n, 2) int32 of indices in each
    mesh."""
    pairs = np.empty((len(rows), 2), np.int32)
    _subtract_firsts(rows, question.jobs, a.first_triangles, b.first_triangles, pairs)
    return pairs


@kernel
def _subtract_firsts(rows, jobs, firsts_a, firsts_b, pairs):
    for k in range(len(rows)):
        job = rows[k, 2]
        pairs[k, 0] = rows[k, 0] - firsts_a[jobs[job, 0]]
        pairs[k, 1] = rows[k, 1] - firsts_b[jobs[job, 1]]
