"""``clearance``: every pair of triangles of two objects that come too close."""

import time

import numpy as np

from ..geometry.triangle_distance import nearest_points
from ..hierarchy.build import as_hierarchies
from ..hierarchy.bvh import Hierarchy
from ..traversal.forest import plant
from ..traversal.near import NearQuestion, near_steps
from ..traversal.run import run
from ..types.mesh import TriangleMesh
from ..types.pose import PoseLike, transform_points
from ..types.results import QueryStats
from .device import ask_clearances
from .options import check_length, check_served_device, check_threads, every_pose

_TOGETHER = 1 << 12


class Clearances:
    """Pairs of triangles within a tolerance, sorted by (pose, i, j).

    Attributes:
        pairs: (k, 2) int32, triangle of a and triangle of b.
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
        meshes: tuple[TriangleMesh, TriangleMesh],
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
        vertices, triangles = self._meshes[side].arrays
        return transform_points(self._rows[side][self.pose[part], None], vertices[triangles[self.pairs[part, side]]])

    def __repr__(self) -> str:
        return f"Clearances({len(self)} pairs within {self.tolerance:g} m)"


def clearance(
    a: TriangleMesh | Hierarchy,
    b: TriangleMesh | Hierarchy,
    tolerance: float,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    volume: str | None = None,
    threads: int | None = None,
    device: str = "auto",
) -> Clearances:
    """Every pair of triangles no farther apart than a tolerance, with its distance.

    A pair counts when its distance, computed in float64 from the world coordinates, is at most the tolerance; the same
    numbers are compared whatever the volume and builder. Distances are 0 exactly for triangles that meet, so that
    tolerance 0 gives the pairs of ``collide``. All pairs are kept, some 20 bytes each and three times that while they
    are sorted: a tolerance as large as the objects means every triangle of one with every triangle of the other.

    Args:
        a, b: meshes, or hierarchies made by ``build``.
        tolerance: [m], from 0 on.
        pose_a, pose_b, volume, threads, device: as ``collide``.

    Raises:
        InvalidMesh, InvalidPose, DeviceUnavailable; UnsupportedOption: a tolerance that is negative or not finite, or
        another option that this version does not know.
    """
    begin = time.perf_counter()
    check_threads(threads)
    tolerance = check_length("tolerance", tolerance)
    rows = every_pose(pose_a, pose_b)[:2]
    answer, note, meshes = ask_clearances(check_served_device(device), (a, b), volume, rows, tolerance)
    if answer is None:
        tree_a, tree_b = as_hierarchies(a, b, volume)
        meshes = (tree_a.mesh, tree_b.mesh)
        jobs = np.zeros((len(rows[0]), 2), np.int64)
        answer = run(near_steps(NearQuestion(plant([tree_a]), plant([tree_b]), jobs, *rows, tolerance)))
    stats = answer._replace(note=note).stats(time.perf_counter() - begin)
    return Clearances((answer.pairs, answer.distances, answer.jobs), tolerance, stats, meshes, rows)
