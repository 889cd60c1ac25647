"""What a traversal is asked: pairs of trees with their poses, prepared on the host."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..geometry.relative_pose import narrow_rows, relative_rows
from ..jit import kernel
from ..volumes.aabb import overlap
from .trees import Trees


class Asked(NamedTuple):
    """Which trees in which poses, on the host."""

    jobs: np.ndarray
    """Trees of each pair, (k, 2) int64."""
    rows_a: np.ndarray
    """Poses, (k, 3, 4) float64, or (1, 3, 4) for all."""
    rows_b: np.ndarray
    with_itself: bool = False
    crossing_only: bool = False


@dataclass
class Jobs:
    """The same on a machine.

    Attributes:
        frames: rows of ``narrow_rows``, (k, 24) float32.
        poses_a, poses_b: (k, 12) or (1, 12) float64.
        with_itself: whether objects are asked against themselves.
        first: the pairs to begin with, (n, 3) int32 on the host: roots and job, of jobs whose root boxes meet.
    """

    frames: Any
    poses_a: Any
    poses_b: Any
    with_itself: bool
    first: np.ndarray


@kernel
def _meet(boxes_a, boxes_b, relative, meeting):
    for k in range(relative.shape[0]):
        meeting[k] = overlap(boxes_a[k], boxes_b[k], relative[k])


def prepare_jobs(machine: Any, a: Trees, b: Trees, asked: Asked) -> Jobs:
    """Relative poses of all jobs.

    The roots are compared in float64. The slack of the float32 frames grows with the distance of two objects, but where
    the roots meet, that is no more than their size.
    """
    of_a, of_b = asked.jobs[:, 0], asked.jobs[:, 1]
    count = len(asked.jobs)
    rows_a, rows_b = (np.array(np.broadcast_to(rows, (count, 3, 4))) for rows in (asked.rows_a, asked.rows_b))
    relative = relative_rows(rows_a, rows_b, a.centres[of_a], b.centres[of_b], _reaches(a)[of_a], _reaches(b)[of_b])
    roots_a, roots_b = a.root_boxes[of_a], b.root_boxes[of_b]
    meeting = np.empty(count, np.bool_)
    _meet(roots_a, roots_b, relative, meeting)
    first = np.flatnonzero(meeting) if not asked.with_itself else np.arange(count)
    pairs = np.column_stack([a.root_nodes[of_a[first]], b.root_nodes[of_b[first]], first]).astype(np.int32)
    return Jobs(
        machine.upload(narrow_rows(relative, _largest(roots_a), _largest(roots_b))),
        machine.upload(asked.rows_a.reshape(-1, 12)),
        machine.upload(asked.rows_b.reshape(-1, 12)),
        asked.with_itself,
        pairs,
    )


def _reaches(trees: Trees) -> np.ndarray:
    """Largest absolute coordinates of each mesh, (trees, 3) float64 [m]."""
    return np.stack([np.abs(mesh.bounds).max(axis=0) for mesh in trees.meshes])


def _largest(boxes: np.ndarray) -> np.ndarray:
    """Largest absolute coordinates of boxes (k, 6), (k, 3) float32."""
    return np.maximum(np.abs(boxes[:, :3]), np.abs(boxes[:, 3:]))
