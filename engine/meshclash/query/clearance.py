"""``clearance``: every pair of triangles of two objects that come too close."""

import time
from collections.abc import Generator

import numpy as np

from ..answering.answer import answer_steps
from ..geometry.triangle_distance import nearest_points
from ..hierarchy.bvh import MeshLike
from ..massive.mesh import ClusteredMesh
from ..traversal.question import Goal
from ..types.foreign import ForeignMesh, as_own
from ..types.mesh import Corners
from ..types.pose import PoseLike, every_pose, transform_points
from ..types.results import Progress, QueryStats
from ..types.steps import in_slices, scaled
from .clustered import clustered_clearances
from .options import check_length, check_served_device, check_threads
from .sides import question_about

_TOGETHER = 1 << 12


class Clearances:
    """Pairs of triangles within a tolerance, sorted by (pose, i, j).

    Attributes:
        pairs: (k, 2) int32, triangle of a and triangle of b; int64 where a clustered mesh has more than 2^31.
        distances: (k,) float64 [m], at most the tolerance; 0 exactly for triangles that meet.
        pose: (k,) int32, which pose of a stack the pair belongs to; 0 without a stack.
        tolerance: [m].
        stats: QueryStats of the query.
    """

    def __init__(
        self,
        found: tuple[np.ndarray, np.ndarray, np.ndarray],
        tolerance: float,
        stats: QueryStats,
        meshes: tuple[Corners, Corners],
        rows: tuple[np.ndarray, np.ndarray],
    ) -> None:
        self.pairs, self.distances, self.pose = found
        self.tolerance = tolerance
        self.stats = stats
        self._meshes = meshes
        self._rows = rows

    def __len__(self) -> int:
        return len(self.pairs)

    def points(self) -> np.ndarray:
        """The nearest points of each pair, on a and on b, (k, 2, 3) float64 [m], world."""
        points = np.empty((len(self), 2, 3))
        for begin in range(0, len(self), _TOGETHER):  # what is worked on stays in the cache
            part = slice(begin, begin + _TOGETHER)
            a, b = self._world_triangles(0, part), self._world_triangles(1, part)
            points[part] = nearest_points(a, b, self.distances[part] > 0.0)[1]
        return points

    def _world_triangles(self, side: int, part: slice) -> np.ndarray:
        corners = self._meshes[side].corners_of(self.pairs[part, side])
        return transform_points(self._rows[side][self.pose[part], None], corners)

    def __repr__(self) -> str:
        return f"Clearances({len(self)} pairs within {self.tolerance:g} m)"


@in_slices
def clearance(
    a: MeshLike | ForeignMesh | ClusteredMesh,
    b: MeshLike | ForeignMesh | ClusteredMesh,
    tolerance: float,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    volume: str | None = None,
    threads: int | None = None,
    device: str = "auto",
) -> Generator[Progress, None, Clearances]:
    """Every pair of triangles of two surfaces no farther apart than a tolerance, with its distance.

    A pair counts when its distance, computed in float64 from the world coordinates, is at most the tolerance; the same
    numbers are compared whatever the volume and builder. Distances are 0 exactly for triangles that meet, so that
    tolerance 0 gives the pairs of ``collide``. All pairs are kept, some 20 bytes each and three times that while they
    are sorted: a tolerance as large as the objects means every triangle of one with every triangle of the other.

    Args:
        a, b: meshes, hierarchies made by ``build``, or clustered meshes (``ClusteredMesh``).
        tolerance: [m], from 0 on.
        pose_a, pose_b, volume, threads, device: as ``collide``.

    Raises:
        InvalidMesh, InvalidPose, DeviceUnavailable; UnsupportedOption: a tolerance that is negative or not finite, or
        another option that this version does not know.
    """
    a, b = as_own(a), as_own(b)
    begin = time.perf_counter()
    check_threads(threads)
    tolerance = check_length("tolerance", tolerance)
    rows = every_pose(pose_a, pose_b)[:2]
    if isinstance(a, ClusteredMesh) or isinstance(b, ClusteredMesh):
        found, sources = yield from clustered_clearances((a, b), rows, tolerance, volume, device)
        stats = found.stats(time.perf_counter() - begin)
        return Clearances((found.pairs, found.distances, found.jobs), tolerance, stats, sources, rows)
    options = {"tolerance": tolerance, "device": check_served_device(device)}
    question, meshes = question_about(a, b, rows, volume, goal=Goal.WITHIN, **options)
    answer = yield from scaled(answer_steps(question), 0.0, 1.0)
    stats = answer.stats(time.perf_counter() - begin)
    return Clearances((answer.pairs, answer.distances, answer.jobs), tolerance, stats, meshes, rows)
